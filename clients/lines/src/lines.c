// SPDX-License-Identifier: Apache-2.0
// Lines in and out. Nothing that a line does makes the bus wait: what is not read is kept, up to a limit, and no more lines are taken.
#include "connect.h"
#include "exact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static sd_event_source *reading, *writing, *due;
static bool in_is_file, out_is_file; // epoll takes no files; they never block.
static int in_file, out_file;
static char *coming, *unread;        // What was read of lines, and what is still to be written.
static size_t coming_length, coming_room, unread_length, unread_room, unread_start;
static bool is_skipping, is_at_end;  // The rest of a line that is too long; nothing more comes.
static struct json_tokener *tokener;
size_t awaited;

static void end_if_done(void)
{
    // The answers to what was asked before still come.
    if (is_at_end && !coming_length && !requests_under_way() && !awaited && !unread_length) sd_event_exit(loop, 0);
}

static bool may_take(void)
{
    return unread_length <= MOST_WAITING && requests_under_way() < MOST_REQUESTS;
}

static bool may_read(void)
{
    return !is_at_end && may_take();
}

static void write_some(void)
{
    while (unread_length) {
        ssize_t count = write(out_file, unread + unread_start, unread_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) break;
        if (count < 0) refuse(EX_IOERR, "nobody reads the lines: %s", strerror(errno));
        unread_start += (size_t)count;
        unread_length -= (size_t)count;
    }
    if (!unread_length) unread_start = 0;
}

static void make_room(char **bytes, size_t *room, size_t length)
{
    if (length <= *room) return;
    while (*room < length) *room = *room ? *room * 2 : 4096;
    *bytes = take(realloc(*bytes, *room));
}

void say(struct json_object *line)
{
    size_t length;
    const char *bytes = json_object_to_json_string_length(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
    if (unread_length + length >= MOST_UNREAD) refuse(EX_IOERR, "nobody reads the lines: %d bytes wait", MOST_UNREAD);
    if (unread_start) memmove(unread, unread + unread_start, unread_length);
    unread_start = 0;
    make_room(&unread, &unread_room, unread_length + length + 1);
    memcpy(unread + unread_length, bytes, length);
    unread_length += length;
    unread[unread_length++] = '\n';
    json_object_put(line);
    // All that this turn of the loop says goes in one write.
    sd_event_source_set_enabled(due, SD_EVENT_ONESHOT);
}

static void take_line(char *bytes, size_t length)
{
    while (length && (bytes[length - 1] == '\r' || bytes[length - 1] == ' ')) length--;
    if (!length) return;
    enum json_tokener_error error;
    size_t end;
    struct json_object *line = json_in(tokener, bytes, length, &error, &end);
    const char *lost = error == json_tokener_success ? lost_in_json(bytes, length) : NULL;
    if (lost) {
        fail(json_object_is_type(line, json_type_object) ? line : NULL, "InvalidArguments", lost);
    } else if (error == json_tokener_success && json_object_is_type(line, json_type_object)) {
        line_came(line);
    } else {
        char *why = error == json_tokener_success
                      ? print("this line is no JSON object, but '%.80s'", shown(line))
                      : print("this line is no JSON: %s, at byte %zu", json_tokener_error_desc(error), end + 1);
        fail(NULL, "InvalidArguments", why);
        free(why);
    }
    json_object_put(line);
}

// Whether what was read has a line that could be taken now: it had to wait for room, of which writing has made some.
static bool has_line(void)
{
    return coming_length && may_take() && (is_at_end || memchr(coming, '\n', coming_length));
}

static void take_lines(void)
{
    size_t start = 0;
    char *end;
    if (!coming_length) return;
    while (may_take() && (end = memchr(coming + start, '\n', coming_length - start))) {
        size_t length = (size_t)(end - coming) - start;
        if (is_skipping) is_skipping = false;
        else if (length > MOST_LINE) fail(NULL, "LimitExceeded", "this line is longer than 1 MiB");
        else take_line(coming + start, length);
        start = (size_t)(end - coming) + 1;
    }
    memmove(coming, coming + start, coming_length - start);
    coming_length -= start;
    if (coming_length > MOST_LINE && !memchr(coming, '\n', coming_length)) {
        if (!is_skipping) fail(NULL, "LimitExceeded", "this line is longer than 1 MiB");
        is_skipping = true;
        coming_length = 0;
    }
    // A last line without an end is one, too.
    if (is_at_end && coming_length && may_take()) {
        if (!is_skipping) take_line(coming, coming_length);
        coming_length = 0;
    }
}

static void read_some(void)
{
    make_room(&coming, &coming_room, coming_length + 65536);
    ssize_t count = read(in_file, coming + coming_length, coming_room - coming_length);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) is_at_end = true;
    else coming_length += (size_t)count;
    take_lines();
}

// Once more around, after what happened: lines that waited, and what there is to say.
static int turn(sd_event_source *source, void *data)
{
    (void)source, (void)data;
    write_some();
    if (coming_length && may_take()) take_lines();
    if (in_is_file && may_read()) read_some();
    write_some();
    if (reading) sd_event_source_set_enabled(reading, may_read() ? SD_EVENT_ON : SD_EVENT_OFF);
    if (writing) sd_event_source_set_enabled(writing, unread_length ? SD_EVENT_ON : SD_EVENT_OFF);
    if (has_line() || (in_is_file && may_read()) || (out_is_file && unread_length)) sd_event_source_set_enabled(due, SD_EVENT_ONESHOT);
    end_if_done();
    return 0;
}

void go_on(void)
{
    sd_event_source_set_enabled(due, SD_EVENT_ONESHOT);
}

static int came(sd_event_source *source, int file, uint32_t events, void *data)
{
    (void)file, (void)events, (void)data;
    read_some();
    // An end is told again and again, before all that is to be done.
    if (!may_read()) sd_event_source_set_enabled(source, SD_EVENT_OFF);
    go_on();
    return 0;
}

static int takes(sd_event_source *source, int file, uint32_t events, void *data)
{
    (void)file, (void)events, (void)data;
    write_some();
    if (!unread_length) sd_event_source_set_enabled(source, SD_EVENT_OFF);
    go_on();
    return 0;
}

// Whether a descriptor is a file, of which epoll takes none.
static bool follow(sd_event_source **source, int file, uint32_t events, sd_event_io_handler_t handler)
{
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || fcntl(file, F_SETFL, flags | O_NONBLOCK) < 0) refuse(EX_USAGE, "there are no lines: %s", strerror(errno));
    int result = sd_event_add_io(loop, source, file, events, handler, NULL);
    if (result < 0 && result != -EPERM) refuse(EX_OSERR, "the event loop takes no lines: %s", strerror(-result));
    return result < 0;
}

void lines_begin(int in, int out)
{
    in_file = in;
    out_file = out;
    tokener = take(json_tokener_new_ex(32));
    // Behind the bus: what it says in one turn is written at once.
    if (sd_event_add_defer(loop, &due, turn, NULL) < 0 || sd_event_source_set_priority(due, 10) < 0 ||
        sd_event_source_set_enabled(due, SD_EVENT_ONESHOT) < 0)
        refuse(EX_OSERR, "there is no event loop");
    in_is_file = follow(&reading, in, EPOLLIN, came);
    // A socket is one descriptor for both; epoll has each once.
    out_is_file = follow(&writing, in == out ? fcntl(out, F_DUPFD_CLOEXEC, 3) : out, EPOLLOUT, takes);
    if (writing) sd_event_source_set_enabled(writing, SD_EVENT_OFF);
}
