/* What the files of this target share: the files of the disk, for the system calls and for SQLite. */
#pragma once

#include "CDisk.h"
#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

enum { SECTOR = 512 };

struct content {
    uint8_t *bytes;
    size_t size, room;
};

/* A file without a name lives as long as it is open, as on a real disk. */
struct file {
    char path[200];
    struct content now, synced;
    bool is_synced_once, is_folder;
    int references;
    mode_t mode;
};

/* Whether the paths below /sim are those of the disk. */
extern bool sim_disk_is_active;

bool file_is_ours(const char *path);
/* NULL if there is none. */
struct file *file_find(const char *path);
struct file *file_create(const char *path, mode_t mode, bool is_folder);
/* Removes its name. */
void file_forget(struct file *file);
void file_release(struct file *file);
void content_copy(struct content *to, const struct content *from);

/* Whether a change of a file succeeds; else an errno, or -1 if it kills the process: then it is done up to a byte of the count. */
int file_change(size_t *count);
/* Both return 0, or an errno. */
int file_write(struct file *file, const void *bytes, size_t count, size_t place);
int file_cut(struct file *file, size_t size);

#pragma GCC visibility pop
