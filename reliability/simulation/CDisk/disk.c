#define _GNU_SOURCE
#include "CDisk.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Files ---- */

enum { MOST_FILES = 4096, MOST_OPEN = 64, FIRST_DESCRIPTOR = 1 << 24, SECTOR = 512 };

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

static struct file *files[MOST_FILES];
static int file_count;
static struct {
    struct file *file;
    size_t place;
} opened[MOST_OPEN];

sim_disk_faults sim_disk_fault;
int sim_disk_is_frozen;
void (*sim_disk_killed)(void);
void (*sim_disk_marked)(const char *path, int is_written, uint64_t identity, uint64_t number);
void (*sim_disk_renamed)(const char *path);
uint32_t (*sim_disk_random)(uint32_t bound);
char sim_disk_last[200];
static bool is_active;

static bool is_ours(const char *path) { return is_active && strncmp(path, "/sim", 4) == 0 && (path[4] == '/' || !path[4]); }

static struct file *find(const char *path) {
    for (int place = 0; place < file_count; place++) if (!strcmp(files[place]->path, path)) return files[place];
    return NULL;
}

static void release(struct file *file) {
    if (--file->references) return;
    free(file->now.bytes), free(file->synced.bytes), free(file);
}

static struct file *create(const char *path, mode_t mode, bool is_folder) {
    if (file_count >= MOST_FILES) abort();
    struct file *file = calloc(1, sizeof *file);
    strncpy(file->path, path, sizeof file->path - 1);
    file->mode = mode;
    file->is_folder = is_folder;
    file->references = 1;
    files[file_count++] = file;
    return file;
}

static void forget(struct file *file) {
    for (int place = 0; place < file_count; place++) {
        if (files[place] != file) continue;
        memmove(&files[place], &files[place + 1], sizeof file * (size_t)(file_count - place - 1));
        file_count--;
        file->path[0] = 0;
        release(file);
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

/* Whether a change of a file succeeds; else an errno. It may be the last one before the process is killed: then it is done up to
   a byte. */
static int change(size_t *count) {
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

static int write_at(struct file *file, const void *bytes, size_t count, size_t place) {
    memcpy(sim_disk_last, file->path, sizeof sim_disk_last);
    size_t most = count;
    int result = change(&most);
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

static int cut_at(struct file *file, size_t size) {
    memcpy(sim_disk_last, file->path, sizeof sim_disk_last);
    int result = change(NULL);
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
    while (file_count) forget(files[file_count - 1]);
    create("/sim", 0700 | S_IFDIR, true);
}

static void copy(struct content *to, const struct content *from) {
    resize(to, from->size);
    memcpy(to->bytes, from->bytes, from->size);
}

void sim_disk_sync(void) {
    for (int place = 0; place < file_count; place++) {
        struct file *file = files[place];
        if (file->is_folder || strncmp(file->path, "/sim/state", 10)) continue;
        copy(&file->synced, &file->now);
        file->is_synced_once = true;
    }
}

void sim_disk_crash(void) {
    for (int place = file_count - 1; place >= 0; place--) {
        struct file *file = files[place];
        if (file->is_folder) continue;
        if (!strncmp(file->path, "/sim/run", 8)) {
            forget(file);
            continue;
        }
        if (!file->is_synced_once && sim_disk_random(2)) {
            forget(file);
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

static struct file *ending(const char *suffix) {
    for (int place = 0; place < file_count; place++) {
        size_t count = strlen(files[place]->path), wanted = strlen(suffix);
        if (count >= wanted && !files[place]->is_folder && !strcmp(files[place]->path + count - wanted, suffix))
            return files[place];
    }
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

int sim_disk_remove(const char *suffix) {
    struct file *file = ending(suffix);
    if (file) forget(file);
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

/* ---- System calls ---- */

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
    struct file *file = find(path);
    if (file && file->is_folder) return refuse(EISDIR);
    if (file && flags & O_EXCL) return refuse(EEXIST);
    if (!file) {
        if (!(flags & O_CREAT)) return refuse(ENOENT);
        char folder[200];
        strncpy(folder, path, sizeof folder - 1);
        folder[sizeof folder - 1] = 0;
        *strrchr(folder, '/') = 0;
        if (!find(folder)) return refuse(ENOENT);
        int result = change(NULL);
        if (result > 0) return refuse(result);
        if (result == 0 || sim_disk_random(2)) file = create(path, S_IFREG | mode, false);
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
    if (is_ours(path)) return sim_open(path, flags, mode);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor) {
    struct file *file = of(descriptor);
    if (!file) return (int)syscall(SYS_close, descriptor);
    opened[descriptor - FIRST_DESCRIPTOR].file = NULL;
    release(file);
    return 0;
}

static void fill(struct stat *status, const struct file *file) {
    memset(status, 0, sizeof *status);
    status->st_mode = file->mode;
    status->st_size = (off_t)file->now.size;
    status->st_nlink = 1;
}

int stat(const char *path, struct stat *status) {
    if (!is_ours(path)) return REAL(stat)(path, status);
    struct file *file = find(path);
    if (!file) return refuse(ENOENT);
    fill(status, file);
    return 0;
}

int lstat(const char *path, struct stat *status) {
    if (!is_ours(path)) return REAL(lstat)(path, status);
    return stat(path, status);
}

int fstat(int descriptor, struct stat *status) {
    struct file *file = of(descriptor);
    if (!file) return REAL(fstat)(descriptor, status);
    fill(status, file);
    return 0;
}

int access(const char *path, int mode) {
    if (!is_ours(path)) return (int)syscall(SYS_access, path, mode);
    size_t count = strlen(path);
    char folder[200];
    strncpy(folder, path, sizeof folder - 1);
    folder[sizeof folder - 1] = 0;
    if (count > 1 && count < sizeof folder && folder[count - 1] == '/') folder[count - 1] = 0;
    if (!find(folder)) return refuse(ENOENT);
    return mode & W_OK && sim_disk_fault.failure == EROFS ? refuse(EROFS) : 0;
}

int chmod(const char *path, mode_t mode) {
    if (!is_ours(path)) return (int)syscall(SYS_chmod, path, mode);
    struct file *file = find(path);
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
    if (!is_ours(path)) return (int)syscall(SYS_mkdir, path, mode);
    if (find(path)) return refuse(EEXIST);
    int result = change(NULL);
    if (result > 0) return refuse(result);
    if (result == 0) create(path, S_IFDIR | mode, true);
    if (result < 0) {
        sim_disk_killed();
        return refuse(EIO);
    }
    return 0;
}

int rename(const char *from, const char *to) {
    if (!is_ours(from)) return (int)syscall(SYS_rename, from, to);
    struct file *file = find(from);
    if (!file) return refuse(ENOENT);
    int result = change(NULL);
    if (result > 0) return refuse(result);
    if (sim_disk_renamed) sim_disk_renamed(from);
    if (result == 0 || sim_disk_random(2)) {
        struct file *former = find(to);
        if (former) forget(former);
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
    int result = cut_at(file, (size_t)size);
    return result ? refuse(result) : 0;
}

int fdatasync(int descriptor) {
    struct file *file = of(descriptor);
    if (!file) return (int)syscall(SYS_fdatasync, descriptor);
    if (sim_disk_is_frozen) return refuse(EIO);
    copy(&file->synced, &file->now);
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
    int result = write_at(file, bytes, count, (size_t)place);
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
    int result = write_at(file, bytes, count, *place);
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

/* ---- SQLite ---- */

struct handle {
    sqlite3_file base;
    struct file *file;
    char path[200];
    bool is_deleted_on_close;
};

static int close_file(sqlite3_file *opened) {
    struct handle *handle = (struct handle *)opened;
    if (handle->is_deleted_on_close && handle->file->path[0]) forget(handle->file);
    release(handle->file);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *opened, void *bytes, int count, sqlite3_int64 place) {
    const struct content *now = &((struct handle *)opened)->file->now;
    size_t left = (size_t)place < now->size ? now->size - (size_t)place : 0;
    size_t taken = left < (size_t)count ? left : (size_t)count;
    if (taken) memcpy(bytes, now->bytes + place, taken);
    if (taken == (size_t)count) return SQLITE_OK;
    memset((uint8_t *)bytes + taken, 0, (size_t)count - taken);
    return SQLITE_IOERR_SHORT_READ;
}

static int code(int error) { return error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE; }

static int write_file(sqlite3_file *opened, const void *bytes, int count, sqlite3_int64 place) {
    int result = write_at(((struct handle *)opened)->file, bytes, (size_t)count, (size_t)place);
    return result ? code(result) : SQLITE_OK;
}

static int truncate_file(sqlite3_file *opened, sqlite3_int64 size) {
    return cut_at(((struct handle *)opened)->file, (size_t)size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int sync_file(sqlite3_file *opened, int flags) { return SQLITE_OK; }

static int size_file(sqlite3_file *opened, sqlite3_int64 *size) {
    *size = (sqlite3_int64)((struct handle *)opened)->file->now.size;
    return SQLITE_OK;
}

static int lock(sqlite3_file *opened, int kind) { return SQLITE_OK; }

static int is_reserved(sqlite3_file *opened, int *result) {
    *result = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *opened, int operation, void *argument) { return SQLITE_NOTFOUND; }
static int sector(sqlite3_file *opened) { return SECTOR; }
static int traits(sqlite3_file *opened) { return 0; }

static const sqlite3_io_methods methods = {
    1,    close_file, read_file,   write_file, truncate_file, sync_file, size_file,
    lock, lock,       is_reserved, control,    sector,        traits,
};

static int open_file(sqlite3_vfs *system, const char *path, sqlite3_file *opened, int flags, int *out) {
    struct handle *handle = (struct handle *)opened;
    memset(handle, 0, sizeof *handle);
    struct file *file = path ? find(path) : NULL;
    if (!file) {
        if (path && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        int result = change(NULL);
        if (result > 0) return SQLITE_CANTOPEN;
        file = create(path ? path : "/sim/temporary", S_IFREG | 0600, false);
        if (result < 0) {
            sim_disk_killed();
            return SQLITE_CANTOPEN;
        }
    }
    file->references++;
    handle->file = file;
    handle->is_deleted_on_close = flags & SQLITE_OPEN_DELETEONCLOSE;
    handle->base.pMethods = &methods;
    if (out) *out = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *system, const char *path, int syncs) {
    struct file *file = find(path);
    if (!file) return SQLITE_IOERR_DELETE_NOENT;
    int result = change(NULL);
    if (result > 0) return SQLITE_IOERR_DELETE;
    if (result == 0 || sim_disk_random(2)) forget(file);
    if (result < 0) {
        sim_disk_killed();
        return SQLITE_IOERR_DELETE;
    }
    return SQLITE_OK;
}

static int access_file(sqlite3_vfs *system, const char *path, int flags, int *result) {
    struct file *file = find(path);
    *result = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->now.size > 0);
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *system, const char *path, int room, char *full) {
    strncpy(full, path, (size_t)room);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *system, int count, char *bytes) {
    for (int place = 0; place < count; place++) bytes[place] = (char)sim_disk_random(256);
    return count;
}

static int pass_time(sqlite3_vfs *system, int microseconds) { return microseconds; }

static int current_time(sqlite3_vfs *system, double *time) {
    *time = 2461000.5;
    return SQLITE_OK;
}

static int last_error(sqlite3_vfs *system, int room, char *text) { return 0; }

static sqlite3_vfs disk = {
    1, sizeof(struct handle), 199, NULL, "simulated", NULL, open_file, delete_file, access_file, full_path, NULL, NULL, NULL, NULL,
    randomness, pass_time, current_time, last_error,
};
static sqlite3_vfs disk_without_locks;

void sim_disk_begin(void) {
    disk_without_locks = disk;
    disk_without_locks.zName = "unix-none";
    sqlite3_initialize();
    sqlite3_vfs_register(&disk_without_locks, 0);
    sqlite3_vfs_register(&disk, 1);
    is_active = true;
    sim_disk_clear();
}
