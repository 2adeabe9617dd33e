/* The disk, as SQLite uses it. */
#include "files.h"
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

struct handle {
    sqlite3_file base;
    struct file *file;
    char path[200];
    bool is_deleted_on_close;
};

static int close_file(sqlite3_file *opened) {
    struct handle *handle = (struct handle *)opened;
    if (handle->is_deleted_on_close && handle->file->path[0]) file_forget(handle->file);
    file_release(handle->file);
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
    int result = file_write(((struct handle *)opened)->file, bytes, (size_t)count, (size_t)place);
    return result ? code(result) : SQLITE_OK;
}

static int truncate_file(sqlite3_file *opened, sqlite3_int64 size) {
    return file_cut(((struct handle *)opened)->file, (size_t)size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
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
    struct file *file = path ? file_find(path) : NULL;
    if (!file) {
        if (path && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        int result = file_change(NULL);
        if (result > 0) return SQLITE_CANTOPEN;
        file = file_create(path ? path : "/sim/temporary", S_IFREG | 0600, false);
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
    struct file *file = file_find(path);
    if (!file) return SQLITE_IOERR_DELETE_NOENT;
    int result = file_change(NULL);
    if (result > 0) return SQLITE_IOERR_DELETE;
    if (result == 0 || sim_disk_random(2)) file_forget(file);
    if (result < 0) {
        sim_disk_killed();
        return SQLITE_IOERR_DELETE;
    }
    return SQLITE_OK;
}

static int access_file(sqlite3_vfs *system, const char *path, int flags, int *result) {
    struct file *file = file_find(path);
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
    sim_disk_is_active = true;
    sim_disk_clear();
}
