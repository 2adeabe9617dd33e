// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/// How many steps may be without a verdict, or have one that their senders lack.
enum { MOST_OPEN = 1024 };
/// How many are remembered beyond that, and for how long, so that one that is repeated is not a new one.
enum { MOST_KEPT = 10000 };
static const int64_t KEPT_FOR = 24ll * 3600 * 1000000;

struct Store {
    sqlite3 *database;
    bool failing;
};

static const char format[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "BEGIN;"
    "CREATE TABLE IF NOT EXISTS steps ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, token TEXT NOT NULL, name TEXT NOT NULL, arguments TEXT NOT NULL,"
    " state INTEGER NOT NULL DEFAULT 0, verdict TEXT, told INTEGER NOT NULL DEFAULT 1, reply TEXT, correlation BLOB,"
    " client TEXT, bus TEXT, serial INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL, UNIQUE (topic, token));"
    // Thousands of steps are remembered, and few of them matter: their conditions are spelled in queries as they are here.
    "CREATE INDEX IF NOT EXISTS open ON steps (id) WHERE state != 2 OR NOT told;"
    "CREATE INDEX IF NOT EXISTS waiting ON steps (id) WHERE state = 0;"
    "CREATE INDEX IF NOT EXISTS begun ON steps (topic, id) WHERE state = 1;"
    "CREATE INDEX IF NOT EXISTS untold ON steps (id) WHERE NOT told;"
    "CREATE TABLE IF NOT EXISTS navigations (id INTEGER PRIMARY KEY AUTOINCREMENT, payload TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS numbers (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "PRAGMA user_version = 1;"
    "COMMIT;";

static int open_file(Store *store, const char *path) {
    if (sqlite3_open_v2(path, &store->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK) return -1;
    sqlite3_busy_timeout(store->database, 2000);
    sqlite3_stmt *statement;
    int version = -1;
    if (sqlite3_prepare_v2(store->database, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    if (version != 0 && version != 1) return -1;
    return sqlite3_exec(store->database, format, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

Store *store_open(const char *folder) {
    if (mkdir(folder, 0700) < 0 && errno != EEXIST) {
        say(LOG_ERR, "the folder '%s' can't be made: %s", folder, strerror(errno));
        return NULL;
    }
    Store *store = make(sizeof *store);
    FREE char *path = text("%s/steps.db", folder);
    if (open_file(store, path) == 0) return store;
    int code = store->database ? sqlite3_errcode(store->database) : SQLITE_NOMEM;
    FREE char *why = copy(store->database ? sqlite3_errmsg(store->database) : "no memory");
    sqlite3_close(store->database);
    store->database = NULL;
    // Damaged, or of a later version: neither goes away by waiting. What can't be opened or is locked may.
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_OK || code == SQLITE_ROW) {
        FREE char *aside = text("%s.%llu", path, (unsigned long long)now_real() / 1000000);
        for (const char *const *suffix = (const char *const[]){"", "-wal", "-shm", NULL}; *suffix; suffix++) {
            FREE char *old = text("%s%s", path, *suffix), *kept = text("%s%s", aside, *suffix);
            if (rename(old, kept) < 0 && !**suffix) break;
        }
        say(LOG_ERR, "the file '%s' can't be read (%s); it is now '%s', and what it had of steps is forgotten", path, why, aside);
        if (open_file(store, path) == 0) return store;
        sqlite3_close(store->database);
    }
    say(LOG_ERR, "the file '%s' can't be opened: %s", path, why);
    free(store);
    return NULL;
}

void store_close(Store *store) {
    if (!store) return;
    sqlite3_close(store->database);
    free(store);
}

/// Runs a statement with values: 's' is a text or NULL, 'i' an int64_t, 'b' bytes and their int. Returns the statement at its first
/// row, or NULL if it has none or failed, which `error` tells apart.
static sqlite3_stmt *run(Store *store, int *error, const char *sql, const char *types, ...) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    va_list values;
    va_start(values, types);
    for (int i = 1; code == SQLITE_OK && types[i - 1]; i++) {
        switch (types[i - 1]) {
        case 's': code = sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_TRANSIENT); break;
        case 'i': code = sqlite3_bind_int64(statement, i, va_arg(values, int64_t)); break;
        default: {
            const void *bytes = va_arg(values, const void *);
            code = sqlite3_bind_blob(statement, i, bytes, va_arg(values, int), SQLITE_TRANSIENT);
        }
        }
    }
    va_end(values);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    bool fails = code != SQLITE_ROW && code != SQLITE_DONE;
    if (fails && !store->failing) say(LOG_ERR, "the file of steps can't be used: %s", sqlite3_errmsg(store->database));
    store->failing = fails;
    *error = fails ? -EIO : 0;
    if (code == SQLITE_ROW) return statement;
    sqlite3_finalize(statement);
    return NULL;
}

/// Runs a statement that has no rows.
#define WRITE(store, sql, types, ...) ({ int result; sqlite3_finalize(run(store, &result, sql, types, ##__VA_ARGS__)); result; })

// MARK: Steps

void step_free(StepRow *row) {
    if (!row) return;
    char *texts[] = {row->topic, row->token, row->name, row->arguments, row->verdict, row->reply, row->correlation, row->client, row->bus};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    free(row);
}

static char *column(sqlite3_stmt *statement, int index) {
    const char *value = (const char *)sqlite3_column_text(statement, index);
    return value ? copy(value) : NULL;
}

#define COLUMNS "id, topic, token, name, arguments, state, verdict, told, reply, correlation, client, bus, serial"

static StepRow *row_of(sqlite3_stmt *statement) {
    if (!statement) return NULL;
    StepRow *row = make(sizeof *row);
    char **texts[] = {NULL,          &row->topic, &row->token, &row->name, &row->arguments, NULL,
                      &row->verdict, NULL,        &row->reply, NULL,       &row->client,    &row->bus};
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
        if (texts[i]) *texts[i] = column(statement, i);
    }
    row->id = sqlite3_column_int64(statement, 0);
    row->state = (StepState)sqlite3_column_int(statement, 5);
    row->told = sqlite3_column_int(statement, 7);
    row->correlation_size = sqlite3_column_bytes(statement, 9);
    if (row->correlation_size) {
        row->correlation = make((size_t)row->correlation_size);
        memcpy(row->correlation, sqlite3_column_blob(statement, 9), (size_t)row->correlation_size);
    }
    row->serial = sqlite3_column_int64(statement, 12);
    sqlite3_finalize(statement);
    return row;
}

int64_t store_count(Store *store, const char *table, const char *condition) {
    int error;
    FREE char *sql = text("SELECT count(*) FROM %s WHERE %s", table, condition);
    sqlite3_stmt *statement = run(store, &error, sql, "");
    int64_t count = statement ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return count;
}

int store_add(Store *store, StepRow *row) {
    if (store_count(store, "steps", "state != 2 OR NOT told") >= MOST_OPEN) return -ENOSPC;
    int error;
    int64_t now = (int64_t)now_real();
    sqlite3_stmt *statement = run(
        store, &error,
        "INSERT INTO steps (topic, token, name, arguments, reply, correlation, at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id", "sssssbi",
        row->topic, row->token, row->name, row->arguments, row->reply, row->correlation, row->correlation_size, now);
    if (statement) {
        row->id = sqlite3_column_int64(statement, 0);
        // With RETURNING the row is there when the statement ends.
        if (sqlite3_step(statement) != SQLITE_DONE) error = -EIO;
    }
    sqlite3_finalize(statement);
    if (error == 0 && row->id % 100 == 0)
        WRITE(store, "DELETE FROM steps WHERE state = 2 AND told AND (id <= ?1 OR at < ?2)", "ii", row->id - MOST_KEPT, now - KEPT_FOR);
    return error;
}

StepRow *store_find(Store *store, const char *topic, const char *token) {
    int error;
    return row_of(run(store, &error, "SELECT " COLUMNS " FROM steps WHERE topic = ? AND token = ?", "ss", topic, token));
}

StepRow *store_next(Store *store, int64_t after, const char *condition) {
    int error;
    FREE char *sql = text("SELECT " COLUMNS " FROM steps WHERE id > ? AND (%s) ORDER BY id LIMIT 1", condition);
    return row_of(run(store, &error, sql, "i", after));
}

int store_begin(Store *store, int64_t id, const char *client, const char *bus, int64_t serial) {
    return WRITE(store, "UPDATE steps SET state = 1, client = ?2, bus = ?3, serial = ?4 WHERE id = ?1", "issi", id, client, bus, serial);
}

int store_set(Store *store, int64_t id, StepState state, const char *verdict) {
    if (!verdict) return WRITE(store, "UPDATE steps SET state = ?2 WHERE id = ?1", "ii", id, (int64_t)state);
    return WRITE(
        store, "UPDATE steps SET verdict = ?2, state = ?3, told = reply IS NULL WHERE id = ?1", "isi", id, verdict, (int64_t)state);
}

int store_redirect(Store *store, int64_t id, const char *reply, const void *correlation, int size) {
    return WRITE(
        store, "UPDATE steps SET reply = ?2, correlation = ?3, told = verdict IS NULL WHERE id = ?1", "isb", id, reply, correlation, size);
}

int store_told(Store *store, int64_t id, const char *verdict) {
    return WRITE(store, "UPDATE steps SET told = 1 WHERE id = ? AND verdict = ?", "is", id, verdict);
}

// MARK: Navigations

/// Navigations are news: a machine that loses power may lose the latest, and each is worth no wait for the disk.
static void in_a_hurry(Store *store, bool hurry) {
    sqlite3_exec(store->database, hurry ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL", NULL, NULL, NULL);
}

void store_add_navigation(Store *store, const char *payload, int most) {
    in_a_hurry(store, true);
    int64_t dropped = store_count(store, "navigations", "true") - most + 1;
    static const char remove[] = "DELETE FROM navigations WHERE id IN (SELECT id FROM navigations ORDER BY id LIMIT ?)";
    if (dropped < 0 || WRITE(store, remove, "i", dropped) < 0) dropped = 0;
    if (WRITE(store, "INSERT INTO navigations (payload) VALUES (?)", "s", payload) < 0) dropped++;
    if (dropped) store_set_number(store, "dropped", store_number(store, "dropped") + dropped);
    in_a_hurry(store, false);
}

char *store_navigation(Store *store, int64_t after, int64_t *id) {
    int error;
    sqlite3_stmt *statement = run(store, &error, "SELECT id, payload FROM navigations WHERE id > ? ORDER BY id LIMIT 1", "i", after);
    if (!statement) return NULL;
    *id = sqlite3_column_int64(statement, 0);
    char *payload = column(statement, 1);
    sqlite3_finalize(statement);
    return payload;
}

void store_remove_navigation(Store *store, int64_t id, int64_t dropped) {
    in_a_hurry(store, true);
    WRITE(store, "DELETE FROM navigations WHERE id = ?", "i", id);
    if (dropped) store_set_number(store, "dropped", store_number(store, "dropped") - dropped);
    in_a_hurry(store, false);
}

int64_t store_number(Store *store, const char *key) {
    int error;
    sqlite3_stmt *statement = run(store, &error, "SELECT value FROM numbers WHERE key = ?", "s", key);
    int64_t value = statement ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return value;
}

void store_set_number(Store *store, const char *key, int64_t value) {
    WRITE(store, "INSERT OR REPLACE INTO numbers VALUES (?, ?)", "si", key, value);
}
