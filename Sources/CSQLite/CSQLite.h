// SQLite as a C module, and what Swift can't express: variadics do not import.
// Source: https://www.sqlite.org/c3ref/intro.html
#pragma once
#include <sqlite3.h>

// sqlite3_db_config of an option that is on or off.
static inline int flowbus_db_config(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}
