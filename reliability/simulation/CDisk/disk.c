#define _GNU_SOURCE
#include "files.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/stat.h>

enum { MOST_FILES = 4096 };

static struct file *files[MOST_FILES];
static int file_count;

sim_disk_faults sim_disk_fault;
int sim_disk_is_frozen;
void (*sim_disk_killed)(void);
void (*sim_disk_marked)(const char *path, int is_written, uint64_t identity, uint64_t number);
void (*sim_disk_renamed)(const char *path);
uint32_t (*sim_disk_random)(uint32_t bound);
char sim_disk_last[200];
bool sim_disk_is_active;

bool file_is_ours(const char *path) { return sim_disk_is_active && strncmp(path, "/sim", 4) == 0 && (path[4] == '/' || !path[4]); }

struct file *file_find(const char *path) {
    for (int place = 0; place < file_count; place++) if (!strcmp(files[place]->path, path)) return files[place];
    return NULL;
}

void file_release(struct file *file) {
    if (--file->references) return;
    free(file->now.bytes), free(file->synced.bytes), free(file);
}

struct file *file_create(const char *path, mode_t mode, bool is_folder) {
    if (file_count >= MOST_FILES) abort();
    struct file *file = calloc(1, sizeof *file);
    strncpy(file->path, path, sizeof file->path - 1);
    file->mode = mode;
    file->is_folder = is_folder;
    file->references = 1;
    files[file_count++] = file;
    return file;
}

void file_forget(struct file *file) {
    for (int place = 0; place < file_count; place++) {
        if (files[place] != file) continue;
        memmove(&files[place], &files[place + 1], sizeof file * (size_t)(file_count - place - 1));
        file_count--;
        file->path[0] = 0;
        file_release(file);
        return;
    }
}

static void resize(struct content *content, size_t size) {
    if (size > content->room) {
        content->room = size * 2 < 4096 ? 4096 : size * 2;
        content->bytes = realloc(content->bytes, content->room);
    }
    if (size > content->size) memset(content->bytes + content->size, 0, size - content->size);
    content->size = size;
}

int file_change(size_t *count) {
    if (sim_disk_is_frozen) return EIO;
    sim_disk_fault.writes++;
    if (sim_disk_fault.kill_after && --sim_disk_fault.kill_after == 0) {
        sim_disk_is_frozen = 1;
        if (count && *count > 80) *count = sim_disk_random((uint32_t)*count + 1);
        else if (count && sim_disk_random(2)) *count = 0;
        return -1;
    }
    if (sim_disk_fault.failure) return sim_disk_fault.failure;
    if (sim_disk_fault.rare && sim_disk_random(1000) < sim_disk_fault.rare) return ENOSPC;
    return 0;
}

int file_write(struct file *file, const void *bytes, size_t count, size_t place) {
    memcpy(sim_disk_last, file->path, sizeof sim_disk_last);
    size_t most = count;
    int result = file_change(&most);
    if (result > 0) return result;
    if (most > 0) {
        if (place + most > file->now.size) resize(&file->now, place + most);
        memcpy(file->now.bytes + place, bytes, most);
    }
    if (result < 0) {
        sim_disk_killed();
        return EIO;
    }
    return 0;
}

int file_cut(struct file *file, size_t size) {
    memcpy(sim_disk_last, file->path, sizeof sim_disk_last);
    int result = file_change(NULL);
    if (result > 0) return result;
    if (result == 0 || sim_disk_random(2)) resize(&file->now, size);
    if (result < 0) {
        sim_disk_killed();
        return EIO;
    }
    return 0;
}

void sim_disk_clear(void) {
    /* The seed decides over numbers that SQLite draws, too. */
    sqlite3_randomness(0, NULL);
    while (file_count) file_forget(files[file_count - 1]);
    file_create("/sim", 0700 | S_IFDIR, true);
}

void content_copy(struct content *to, const struct content *from) {
    resize(to, from->size);
    memcpy(to->bytes, from->bytes, from->size);
}

void sim_disk_sync(void) {
    for (int place = 0; place < file_count; place++) {
        struct file *file = files[place];
        if (file->is_folder || strncmp(file->path, "/sim/state", 10)) continue;
        content_copy(&file->synced, &file->now);
        file->is_synced_once = true;
    }
}

void sim_disk_crash(void) {
    for (int place = file_count - 1; place >= 0; place--) {
        struct file *file = files[place];
        if (file->is_folder) continue;
        if (!strncmp(file->path, "/sim/run", 8)) {
            file_forget(file);
            continue;
        }
        if (!file->is_synced_once && sim_disk_random(2)) {
            file_forget(file);
            continue;
        }
        size_t size = file->synced.size;
        if (sim_disk_random(2)) size = file->now.size;
        struct content found = {0};
        resize(&found, size);
        for (size_t sector = 0; sector < size; sector += SECTOR) {
            const struct content *from = sim_disk_random(2) ? &file->now : &file->synced;
            if (sector >= from->size) continue;
            size_t count = from->size - sector < SECTOR ? from->size - sector : SECTOR;
            if (sector + count > size) count = size - sector;
            memcpy(found.bytes + sector, from->bytes + sector, count);
        }
        free(file->now.bytes);
        file->now = found;
    }
    sim_disk_sync();
}

static bool ends(const struct file *file, const char *suffix) {
    size_t count = strlen(file->path), wanted = strlen(suffix);
    return count >= wanted && !file->is_folder && !strcmp(file->path + count - wanted, suffix);
}

static struct file *ending(const char *suffix) {
    for (int place = 0; place < file_count; place++) if (ends(files[place], suffix)) return files[place];
    return NULL;
}

int sim_disk_damage(const char *suffix) {
    struct file *file = ending(suffix);
    if (!file || !file->now.size) return 0;
    uint32_t place = 0;
    /* Most of a page is zero, and belongs to nothing. */
    for (int tries = 0; tries < 20; tries++) {
        place = sim_disk_random((uint32_t)file->now.size);
        if (file->now.bytes[place]) break;
    }
    file->now.bytes[place] ^= (uint8_t)(1u << sim_disk_random(8));
    return 1;
}

int sim_disk_damage_bytes(const char *prefix, const char *suffix, const uint8_t *bytes, size_t count) {
    for (int place = 0; place < file_count; place++) {
        struct file *file = files[place];
        if (file->is_folder || !file->now.size || strncmp(file->path, prefix, strlen(prefix)) || !ends(file, suffix)) continue;
        uint8_t *found = memmem(file->now.bytes, file->now.size, bytes, count);
        if (!found) continue;
        found[sim_disk_random((uint32_t)count)] ^= (uint8_t)(1u << sim_disk_random(8));
        return 1;
    }
    return 0;
}

int sim_disk_remove(const char *suffix) {
    struct file *file = ending(suffix);
    if (file) file_forget(file);
    return file != NULL;
}

int sim_disk_cut(const char *suffix) {
    struct file *file = ending(suffix);
    if (!file || !file->now.size) return 0;
    resize(&file->now, sim_disk_random((uint32_t)file->now.size));
    return 1;
}

size_t sim_disk_bytes(void) {
    size_t bytes = 0;
    for (int place = 0; place < file_count; place++) bytes += files[place]->now.size;
    return bytes;
}

long sim_disk_size(const char *suffix) {
    struct file *file = ending(suffix);
    return file ? (long)file->now.size : -1;
}
