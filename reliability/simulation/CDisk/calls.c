/* System calls: those for paths below /sim, and for their descriptors, are for the disk; all others are made. */
#define _GNU_SOURCE
#include "files.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_OPEN = 64, FIRST_DESCRIPTOR = 1 << 24 };

static struct {
    struct file *file;
    size_t place;
} opened[MOST_OPEN];

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int refuse(int error) {
    errno = error;
    return -1;
}

static struct file *of(int descriptor) {
    int place = descriptor - FIRST_DESCRIPTOR;
    return place >= 0 && place < MOST_OPEN ? opened[place].file : NULL;
}

static int sim_open(const char *path, int flags, mode_t mode) {
    struct file *file = file_find(path);
    if (file && file->is_folder) return refuse(EISDIR);
    if (file && flags & O_EXCL) return refuse(EEXIST);
    if (!file) {
        if (!(flags & O_CREAT)) return refuse(ENOENT);
        char folder[200];
        strncpy(folder, path, sizeof folder - 1);
        folder[sizeof folder - 1] = 0;
        *strrchr(folder, '/') = 0;
        if (!file_find(folder)) return refuse(ENOENT);
        int result = file_change(NULL);
        if (result > 0) return refuse(result);
        if (result == 0 || sim_disk_random(2)) file = file_create(path, S_IFREG | mode, false);
        if (result < 0) {
            sim_disk_killed();
            return refuse(EIO);
        }
    }
    for (int place = 0; place < MOST_OPEN; place++) {
        if (opened[place].file) continue;
        opened[place].file = file;
        opened[place].place = 0;
        file->references++;
        return FIRST_DESCRIPTOR + place;
    }
    return refuse(EMFILE);
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if (file_is_ours(path)) return sim_open(path, flags, mode);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor) {
    struct file *file = of(descriptor);
    if (!file) return (int)syscall(SYS_close, descriptor);
    opened[descriptor - FIRST_DESCRIPTOR].file = NULL;
    file_release(file);
    return 0;
}

static void fill(struct stat *status, const struct file *file) {
    memset(status, 0, sizeof *status);
    status->st_mode = file->mode;
    status->st_size = (off_t)file->now.size;
    status->st_nlink = 1;
}

int stat(const char *path, struct stat *status) {
    if (!file_is_ours(path)) return REAL(stat)(path, status);
    struct file *file = file_find(path);
    if (!file) return refuse(ENOENT);
    fill(status, file);
    return 0;
}

int lstat(const char *path, struct stat *status) {
    if (!file_is_ours(path)) return REAL(lstat)(path, status);
    return stat(path, status);
}

int fstat(int descriptor, struct stat *status) {
    struct file *file = of(descriptor);
    if (!file) return REAL(fstat)(descriptor, status);
    fill(status, file);
    return 0;
}

int access(const char *path, int mode) {
    if (!file_is_ours(path)) return (int)syscall(SYS_access, path, mode);
    size_t count = strlen(path);
    char folder[200];
    strncpy(folder, path, sizeof folder - 1);
    folder[sizeof folder - 1] = 0;
    if (count > 1 && count < sizeof folder && folder[count - 1] == '/') folder[count - 1] = 0;
    if (!file_find(folder)) return refuse(ENOENT);
    return mode & W_OK && sim_disk_fault.failure == EROFS ? refuse(EROFS) : 0;
}

int chmod(const char *path, mode_t mode) {
    if (!file_is_ours(path)) return (int)syscall(SYS_chmod, path, mode);
    struct file *file = file_find(path);
    if (!file) return refuse(ENOENT);
    file->mode = (file->mode & S_IFMT) | mode;
    return 0;
}

int fchmod(int descriptor, mode_t mode) {
    struct file *file = of(descriptor);
    if (!file) return (int)syscall(SYS_fchmod, descriptor, mode);
    file->mode = (file->mode & S_IFMT) | mode;
    return 0;
}

int mkdir(const char *path, mode_t mode) {
    if (!file_is_ours(path)) return (int)syscall(SYS_mkdir, path, mode);
    if (file_find(path)) return refuse(EEXIST);
    int result = file_change(NULL);
    if (result > 0) return refuse(result);
    if (result == 0) file_create(path, S_IFDIR | mode, true);
    if (result < 0) {
        sim_disk_killed();
        return refuse(EIO);
    }
    return 0;
}

int rename(const char *from, const char *to) {
    if (!file_is_ours(from)) return (int)syscall(SYS_rename, from, to);
    struct file *file = file_find(from);
    if (!file) return refuse(ENOENT);
    int result = file_change(NULL);
    if (result > 0) return refuse(result);
    if (sim_disk_renamed) sim_disk_renamed(from);
    if (result == 0 || sim_disk_random(2)) {
        struct file *former = file_find(to);
        if (former) file_forget(former);
        strncpy(file->path, to, sizeof file->path - 1);
    }
    if (result < 0) {
        sim_disk_killed();
        return refuse(EIO);
    }
    return 0;
}

int ftruncate(int descriptor, off_t size) {
    struct file *file = of(descriptor);
    if (!file) return (int)syscall(SYS_ftruncate, descriptor, size);
    int result = file_cut(file, (size_t)size);
    return result ? refuse(result) : 0;
}

int fdatasync(int descriptor) {
    struct file *file = of(descriptor);
    if (!file) return (int)syscall(SYS_fdatasync, descriptor);
    if (sim_disk_is_frozen) return refuse(EIO);
    content_copy(&file->synced, &file->now);
    file->is_synced_once = true;
    return 0;
}

/* The write begins at once, and nothing comes in between here. */
int sync_file_range(int descriptor, off64_t place, off64_t count, unsigned flags) {
    if (!of(descriptor)) return (int)syscall(SYS_sync_file_range, descriptor, place, count, flags);
    return fdatasync(descriptor);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
    struct file *file = of(descriptor);
    if (!file) return syscall(SYS_pwrite64, descriptor, bytes, count, place);
    int result = file_write(file, bytes, count, (size_t)place);
    uint64_t identity = 0, number = 0;
    if (count >= 24) {
        memcpy(&identity, (const uint8_t *)bytes + 8, sizeof identity);
        memcpy(&number, (const uint8_t *)bytes + 16, sizeof number);
    }
    if (sim_disk_marked) sim_disk_marked(file->path, result == 0, identity, number);
    return result ? refuse(result) : (ssize_t)count;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t place) { return pwrite(descriptor, bytes, count, place); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct file *file = of(descriptor);
    if (!file) return syscall(SYS_write, descriptor, bytes, count);
    size_t *place = &opened[descriptor - FIRST_DESCRIPTOR].place;
    int result = file_write(file, bytes, count, *place);
    if (result) return refuse(result);
    *place += count;
    return (ssize_t)count;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    struct file *file = of(descriptor);
    if (!file) return syscall(SYS_read, descriptor, bytes, count);
    size_t *place = &opened[descriptor - FIRST_DESCRIPTOR].place;
    size_t left = *place < file->now.size ? file->now.size - *place : 0;
    if (count > left) count = left;
    if (count) memcpy(bytes, file->now.bytes + *place, count);
    *place += count;
    return (ssize_t)count;
}
