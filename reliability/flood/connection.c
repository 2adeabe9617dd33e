#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "flood.h"

// Blocking, as long as it is being set up.

static void write_all(int fd, const void *data, size_t count) {
    for (const char *place = data; count > 0;) {
        const ssize_t written = write(fd, place, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("the bus: %s", strerror(errno));
        place += written, count -= (size_t)written;
    }
}

static void expect_line(int fd, const char *beginning) {
    char line[256];
    size_t count = 0;
    while (count < sizeof line - 1) {
        if (read(fd, line + count, 1) != 1) fail("the bus ended the connection");
        if (line[count++] == '\n') break;
    }
    line[count] = '\0';
    if (strncmp(line, beginning, strlen(beginning)) != 0) fail("the bus does not answer '%s' but '%s'", beginning, line);
}

static void fill_in(struct connection *connection) {
    static uint8_t more[1 << 16];
    // Files that come along would have to be closed; without room for them, the kernel does.
    const ssize_t count = recv(connection->fd, more, sizeof more, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) fail("the bus ended a connection: %s", count < 0 ? strerror(errno) : "end of file");
    put_bytes(&connection->in, more, (size_t)count);
}

// The next complete message, which stays until the next call with its size; NULL if there is none.
static const uint8_t *first_message(struct connection *connection, size_t *size) {
    *size = message_size(connection->in.data + connection->in.start, connection->in.count - connection->in.start);
    return *size && *size <= connection->in.count - connection->in.start ? connection->in.data + connection->in.start : NULL;
}

static void drop_message(struct connection *connection, size_t size) {
    struct bytes *in = &connection->in;
    in->start += size;
    if (in->start < in->count && in->start < 1 << 20) return;
    memmove(in->data, in->data + in->start, in->count - in->start);
    in->count -= in->start;
    in->start = 0;
}

void read_in(struct connection *connection, void (*take)(struct connection *, const uint8_t *, size_t)) {
    fill_in(connection);
    const uint8_t *message;
    size_t size;
    while ((message = first_message(connection, &size))) {
        take(connection, message, size);
        drop_message(connection, size);
    }
}

void write_out(struct connection *connection) {
    struct bytes *out = &connection->out;
    while (connection->written < out->count) {
        const ssize_t count = send(connection->fd, out->data + connection->written, out->count - connection->written, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) fail("the bus: %s", strerror(errno));
        connection->written += (size_t)count;
    }
    out->count = connection->written = 0;
}

static void flush_out(struct connection *connection) {
    for (write_out(connection); connection->out.count > 0; write_out(connection)) {
        struct pollfd polled = {.fd = connection->fd, .events = POLLOUT};
        poll(&polled, 1, 1000);
    }
}

void send_with_files(struct connection *connection, struct random *random, uint32_t serial, uint32_t files) {
    static int opened[16];
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof opened)];
    } control = {0};
    if (!opened[0])
        for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) opened[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
    flush_out(connection);
    struct bytes bytes = {0};
    put_call_with_files(&bytes, random, serial, files);
    // The files belong to the first byte; the rest of the message follows as usual.
    struct iovec first = {bytes.data, 1};
    control.header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(files * sizeof(int))};
    memcpy(CMSG_DATA(&control.header), opened, files * sizeof(int));
    const struct msghdr message = {
        .msg_iov = &first, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(files * sizeof(int))};
    while (sendmsg(connection->fd, &message, MSG_NOSIGNAL) < 0) {
        // The kernel counts files on their way, and the bus has not taken the last ones yet.
        if (errno != EAGAIN && errno != EINTR && errno != ETOOMANYREFS) fail("the bus: %s", strerror(errno));
        struct pollfd polled = {.fd = connection->fd, .events = POLLOUT};
        poll(&polled, 1, 1000);
    }
    put_bytes(&connection->out, bytes.data + 1, bytes.count - 1);
    free(bytes.data);
}

// Calls a method with strings, and returns the body of its answer: for a connection that waits for nothing else.
static uint32_t call(
    struct connection *connection, const char *destination, const char *path, const char *interface, const char *member,
    const char *argument, uint32_t flags) {
    struct header header = {
        .type = CALL, .serial = ++connection->serial, .destination = destination, .path = path, .interface = interface,
        .member = member, .signature = argument ? flags ? "su" : "s" : ""};
    const size_t body = begin_message(&connection->out, &header);
    if (argument) put_string(&connection->out, argument);
    if (argument && flags) put_u32(&connection->out, flags);
    end_message(&connection->out, body);
    flush_out(connection);
    while (true) {
        const uint8_t *message;
        size_t size;
        while ((message = first_message(connection, &size))) {
            struct header answer;
            uint32_t value = 0;
            if (!read_header(message, size, &answer)) fail("a message of the bus can't be read");
            const bool is_answer = (answer.type == ANSWER || answer.type == ERROR) && answer.reply_to == header.serial;
            if (is_answer && answer.type == ERROR) fail("%s: %s", member, answer.error);
            if (is_answer && answer.body >= 4) memcpy(&value, answer.contents, 4);
            drop_message(connection, size);
            if (is_answer) return value;
        }
        struct pollfd polled = {.fd = connection->fd, .events = POLLIN};
        if (poll(&polled, 1, 120000) == 0) fail("%s has no answer", member);
        fill_in(connection);
    }
}

void open_connection(struct connection *connection, const char *address) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *path = strncmp(address, "unix:path=", 10) == 0 ? address + 10 : address;
    const size_t length = strcspn(path, ",");
    if (length >= sizeof name.sun_path) fail("the path '%s' is too long for a socket", path);
    memcpy(name.sun_path, path, length);
    connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&name, sizeof name) < 0)
        fail("the bus at '%s': %s", address, strerror(errno));
    char user[32], hello[128] = "", *end = hello;
    snprintf(user, sizeof user, "%u", (unsigned)getuid());
    for (const char *digit = user; *digit; digit++) end += sprintf(end, "%02x", (unsigned)*digit);
    write_all(connection->fd, "\0AUTH EXTERNAL ", 15);
    write_all(connection->fd, hello, strlen(hello));
    write_all(connection->fd, "\r\n", 2);
    expect_line(connection->fd, "OK ");
    write_all(connection->fd, "NEGOTIATE_UNIX_FD\r\n", 19);
    expect_line(connection->fd, "AGREE_UNIX_FD");
    write_all(connection->fd, "BEGIN\r\n", 7);
    fcntl(connection->fd, F_SETFL, O_NONBLOCK);
    call(connection, BUS, "/org/freedesktop/DBus", BUS, "Hello", NULL, 0);
}

void close_connection(struct connection *connection) {
    close(connection->fd);
    connection->out.count = connection->written = connection->in.count = connection->in.start = 0;
    connection->under_way = 0;
    memset(connection->waiting, 0, sizeof connection->waiting);
}

int process_of_service(struct connection *connection) {
    call(connection, NAME, ROOT, NAME ".Coordinator", "GetSerial", NULL, 0);
    return (int)call(connection, BUS, "/org/freedesktop/DBus", BUS, "GetConnectionUnixProcessID", NAME, 0);
}

void begin_watching(struct connection *connection) {
    static const char *const rules[] = {
        "type='signal',sender='" BUS "',member='NameOwnerChanged',arg0='" NAME "'",
        "type='signal',sender='" NAME "',interface='org.freedesktop.DBus.ObjectManager'"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        call(connection, BUS, "/org/freedesktop/DBus", BUS, "AddMatch", rules[i], 0);
    call(connection, BUS, "/org/freedesktop/DBus", BUS, "RequestName", PEER, 1);
}

long count_entries(const char *folder) {
    long count = 0;
    DIR *opened = opendir(folder);
    if (!opened) return -1;
    for (const struct dirent *entry; (entry = readdir(opened));) count += *entry->d_name != '.';
    closedir(opened);
    return count;
}

// The latest messages.

enum { RECENT = 1 << 23, RECENT_MESSAGES = 1 << 14 };
static uint8_t recent[RECENT];
static struct {
    size_t place;
    uint32_t count, connection;
} records[RECENT_MESSAGES];
static size_t recent_end, record_count;

void begin_record(struct connection *connection) { connection->record = connection->out.count; }

void end_record(struct connection *connection, int index) {
    const size_t count = connection->out.count - connection->record;
    if (count == 0 || count > RECENT / 8) return;
    if (recent_end % RECENT + count > RECENT) recent_end += RECENT - recent_end % RECENT;
    memcpy(recent + recent_end % RECENT, connection->out.data + connection->record, count);
    records[record_count % RECENT_MESSAGES].place = recent_end;
    records[record_count % RECENT_MESSAGES].count = (uint32_t)count;
    records[record_count++ % RECENT_MESSAGES].connection = (uint32_t)index;
    recent_end += count;
}

void save_recent(const char *path) {
    FILE *file = fopen(path, "we");
    if (!file) {
        fprintf(stderr, "flood: '%s': %s\n", path, strerror(errno));
        return;
    }
    size_t written = 0;
    for (size_t i = record_count > RECENT_MESSAGES ? record_count - RECENT_MESSAGES : 0; i < record_count; i++) {
        const size_t place = records[i % RECENT_MESSAGES].place;
        const uint32_t count = records[i % RECENT_MESSAGES].count;
        if (place + RECENT < recent_end + count) continue;
        fwrite(&records[i % RECENT_MESSAGES].connection, 4, 1, file);
        fwrite(&count, 4, 1, file);
        fwrite(recent + place % RECENT, count, 1, file);
        written++;
    }
    fclose(file);
    fprintf(stderr, "flood: the latest %zu messages are in '%s'\n", written, path);
}

struct replay open_replay(const char *path) {
    struct replay replay = {0};
    struct stat status;
    FILE *file = fopen(path, "re");
    if (!file || fstat(fileno(file), &status) < 0) fail("'%s': %s", path, strerror(errno));
    replay.bytes = malloc((size_t)status.st_size + 1);
    if (!replay.bytes || fread(replay.bytes, 1, (size_t)status.st_size, file) != (size_t)status.st_size) fail("'%s' can't be read", path);
    replay.size = (size_t)status.st_size;
    fclose(file);
    return replay;
}

bool next_of_replay(struct replay *replay) {
    uint32_t head[2];
    if (replay->place + sizeof head > replay->size) {
        free(replay->bytes);
        return false;
    }
    memcpy(head, replay->bytes + replay->place, sizeof head);
    if (replay->place + sizeof head + head[1] > replay->size) fail("a file with messages ends in a message");
    replay->connection = (int)(head[0] & 0xffff);
    replay->message = replay->bytes + replay->place + sizeof head;
    replay->count = head[1];
    replay->place += sizeof head + head[1];
    return true;
}

void put_copy(struct bytes *bytes, const uint8_t *message, size_t count, uint32_t serial) {
    const size_t place = bytes->count;
    put_bytes(bytes, message, count);
    memcpy(bytes->data + place + 8, &serial, sizeof serial);
}
