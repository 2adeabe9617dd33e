// Connections to a bus, without a library: what is sent is made elsewhere, and what comes is counted message by message.
#ifndef FLOOD_H
#define FLOOD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "shapes.h"
#include "wire.h"

// The answers that a connection can wait for; a power of two.
enum { WAITING = 4096 };

struct waiting {
    uint32_t serial; // 0: none.
    bool is_to_bus;
    double since;
};

struct connection {
    int fd;
    uint32_t serial;
    int under_way;
    struct random random;
    struct bytes out, in;
    size_t written, record;
    struct waiting waiting[WAITING];
};

double now(void);
// Prints why, saves the latest messages, and ends.
__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *format, ...);

// Connects, and waits for the bus's answer to Hello. The numbers of messages go on.
void open_connection(struct connection *connection, const char *address);
void close_connection(struct connection *connection);
// Sends as much as the socket takes.
void write_out(struct connection *connection);
// Takes all messages that have come.
void read_in(struct connection *connection, void (*take)(struct connection *, const uint8_t *, size_t));
// Sends everything that waits, and then a call with so many open files.
void send_with_files(struct connection *connection, struct random *random, uint32_t serial, uint32_t files);
// The number of the process that owns the service's name; it answers a call before. For a connection that waits for nothing.
int process_of_service(struct connection *connection);
// Has this connection told what becomes of the tree and of the service's name, and makes it the owner of PEER.
void begin_watching(struct connection *connection);
long count_entries(const char *folder);

// The latest messages, for a file that repeats them: in order, each with the number of its connection.
void begin_record(struct connection *connection);
void end_record(struct connection *connection, int index);
void save_recent(const char *path);

struct replay {
    uint8_t *bytes;
    size_t size, place, count;
    int connection;
    const uint8_t *message;
};

struct replay open_replay(const char *path);
bool next_of_replay(struct replay *replay);
// Appends a message under another number.
void put_copy(struct bytes *bytes, const uint8_t *message, size_t count, uint32_t serial);

#endif
