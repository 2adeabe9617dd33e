// SQLite as a C module, and what Swift can't express: variadics and extensions of glibc do not import.
// Source: https://www.sqlite.org/c3ref/intro.html, sync_file_range(2)
#pragma once
#include <sqlite3.h>
#include <sys/types.h>

// sqlite3_db_config of an option that is on or off.
static inline int flowbus_db_config(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

// <fcntl.h> declares it for _GNU_SOURCE alone, without which Swift imports the C library.
int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned flags);

// Has the kernel begin to write all of a file to its disk, without waiting for that: SYNC_FILE_RANGE_WRITE is 2.
static inline int flowbus_begin_sync(int descriptor) { return sync_file_range(descriptor, 0, 0, 2); }
