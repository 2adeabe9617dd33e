// flood ADDRESS [--calls N] [--seed N] [--connections N] [--window N] [--replay FILE]... [--save FILE]
// Calls flowbusd so often, with everything that a bus lets pass: calls that fit and calls that do not, answers nobody waits for,
// names and connections that come and go, open files. It also plays the guard, the navigator and the presenter of flows.d, badly.
//
// Each call that asks for an answer has to get one, from the service. At the end it prints what was answered, and the memory
// and open files of the service on the way. Status 1: a call got no answer, or two, or the service lost its name, or grew.
//
// --seed    repeats what is sent, as far as it does not depend on what is answered
// --replay  first sends the messages of a file that --save wrote; each file is one more connection's
// --save    where the latest messages go if a run fails
#define _GNU_SOURCE
#include "flood.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 32,
    SAMPLES = 20,         // Of memory and open files.
    CHURN = 20000,        // A connection lives for so many messages, about.
    PATIENCE = 120,       // Seconds that an answer may take.
    MOST_UNSENT = 1 << 18 // Bytes.
};

static struct connection connections[MOST_CONNECTIONS];
static int connection_count = 8, window = 64, service;
static uint64_t calls = 100000, seed = 1, sent, answered, abandoned, others, strays;
static const char *address, *save;
static struct sample {
    uint64_t calls;
    long memory, files;
    double time;
} samples[SAMPLES + 2];
static int sample_count;

static struct kind {
    char name[64];
    uint64_t count;
} kinds[128];

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "flood: seed %" PRIu64 ", after %" PRIu64 " calls: ", seed, sent);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    if (save) save_recent(save);
    exit(EXIT_FAILURE);
}

static void count_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!*kinds[i].name) snprintf(kinds[i].name, sizeof kinds[i].name, "%s", name);
        if (strncmp(kinds[i].name, name, sizeof kinds[i].name - 1) == 0) {
            kinds[i].count++;
            return;
        }
    }
}

// Samples.

static long memory_of(int process) {
    char path[64], line[256];
    long memory = -1;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &memory) == 1) break;
    if (file) fclose(file);
    return memory;
}

static long files_of(int process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    return count_entries(path);
}

static void take_sample(void) {
    const struct sample sample = {sent, memory_of(service), files_of(service), now()};
    if (sample.memory < 0) fail("the service is gone");
    samples[sample_count++] = sample;
    const double since = sample_count > 1 ? sample.time - samples[sample_count - 2].time : 0;
    const uint64_t more = sample_count > 1 ? sample.calls - samples[sample_count - 2].calls : 0;
    int under_way = 0;
    for (int i = 0; i < connection_count; i++) under_way += connections[i].under_way;
    printf("%10" PRIu64 " calls  %6ld KiB  %3ld files  %4d under way  %7.0f calls/s\n", sample.calls, sample.memory, sample.files,
        under_way, since > 0 ? (double)more / since : 0);
    fflush(stdout);
}

// Answers.

static void take_answer(struct connection *connection, const struct header *header) {
    struct waiting *waiting = &connection->waiting[header->reply_to % WAITING];
    if (waiting->serial != header->reply_to || !header->reply_to)
        return fail("connection %d got a second answer to its call %u, or one to a call that wants none: %s from %s",
            (int)(connection - connections), header->reply_to, header->error ? header->error : "a return",
            header->sender ? header->sender : "nobody");
    waiting->serial = 0;
    connection->under_way--;
    const bool is_from_bus = header->sender && strcmp(header->sender, BUS) == 0;
    if (waiting->is_to_bus) return;
    answered++;
    if (is_from_bus) {
        // The bus answers in place of a service that is gone; that there are too many calls, it says itself, too.
        if (!header->error || !strstr(header->error, "LimitsExceeded"))
            fail("the bus answered in place of the service: %s", header->error ? header->error : "a return");
    }
    const bool is_verdict = header->type == ANSWER && strcmp(header->signature, "ts") == 0 && header->body > 12;
    count_kind(header->error ? header->error : is_verdict ? (const char *)header->contents + 12 : "another answer");
}

static void take(struct connection *connection, const uint8_t *bytes, size_t count) {
    struct header header;
    if (!read_header(bytes, count, &header)) fail("a message of the bus can't be read");
    if (header.type == ANSWER || header.type == ERROR) return take_answer(connection, &header);
    if (header.type == SIGNAL) {
        // The path, and then arrays of a{sa{sv}}: the number of what was made is behind the name "Instance".
        if (header.member && strcmp(header.member, "InterfacesAdded") == 0) {
            const uint8_t *found = memmem(header.contents, header.body, "Instance", 9);
            if (found) {
                const size_t place = (size_t)(found + 9 - header.contents) + 3;
                const size_t number = (place + 7) / 8 * 8;
                if (number + 8 <= header.body) memcpy(&latest_instance, header.contents + number, 8);
            }
        }
        if (header.member && strcmp(header.member, "NameOwnerChanged") == 0 && header.path && header.sender &&
            strcmp(header.sender, BUS) == 0 && strcmp((const char *)header.contents + 4, NAME) == 0)
            fail("the service has lost its name");
        return;
    }
    if (header.flags & NO_REPLY) return;
    begin_record(connection);
    put_answer(&connection->out, &connection->random, &header, header.sender, ++connection->serial);
    end_record(connection, (int)(connection - connections));
}

// Sending.

static void expect(struct connection *connection, uint32_t serial, bool is_to_bus) {
    struct waiting *waiting = &connection->waiting[serial % WAITING];
    *waiting = (struct waiting){serial, is_to_bus, now()};
    connection->under_way++;
    if (!is_to_bus) sent++;
}

static void renew(struct connection *connection) {
    abandoned += (uint64_t)connection->under_way;
    for (int i = 0; i < WAITING; i++)
        if (connection->waiting[i].serial && !connection->waiting[i].is_to_bus) sent--;
    for (int i = 0; i < WAITING; i++)
        if (connection->waiting[i].serial && connection->waiting[i].is_to_bus) abandoned--;
    close_connection(connection);
    open_connection(connection, address);
}

static void make_message(struct connection *connection, int index) {
    struct random *random = &connection->random;
    const uint32_t kind = below(random, 1000);
    if (index > 1 && once_in(random, CHURN)) return renew(connection);
    const uint32_t serial = ++connection->serial;
    if (connection->waiting[serial % WAITING].serial) return; // A call that waits for a guard has this place.
    if (kind < 5) {
        send_with_files(connection, random, serial, 1 + below(random, 16));
        expect(connection, serial, false);
        return;
    }
    begin_record(connection);
    if (kind < 12) {
        put_bus_call(&connection->out, random, serial);
        expect(connection, serial, true);
        others++;
    } else if (put_message(&connection->out, random, serial))
        expect(connection, serial, false);
    else
        strays++;
    end_record(connection, index);
}

static void check_patience(void) {
    const double limit = now() - PATIENCE;
    for (int i = 0; i < connection_count; i++)
        for (int place = 0; place < WAITING; place++) {
            const struct waiting *waiting = &connections[i].waiting[place];
            if (waiting->serial && waiting->since < limit)
                fail("the call %u of connection %d has no answer after %d s", waiting->serial, i, PATIENCE);
        }
}

static bool is_waiting(void) {
    for (int i = 0; i < connection_count; i++)
        if (connections[i].under_way > 0 || connections[i].out.count > connections[i].written) return true;
    return false;
}

// One turn: sends what there is, and takes what has come.
static void turn(bool makes_more) {
    struct pollfd polled[MOST_CONNECTIONS];
    for (int i = 0; i < connection_count; i++) {
        struct connection *connection = &connections[i];
        while (makes_more && sent < calls && connection->under_way < window && connection->out.count - connection->written < MOST_UNSENT)
            make_message(connection, i);
        write_out(connection);
        const bool is_full = connection->out.count > connection->written;
        polled[i] = (struct pollfd){.fd = connection->fd, .events = (short)(POLLIN | (is_full ? POLLOUT : 0))};
    }
    const int ready = poll(polled, (nfds_t)connection_count, 1000);
    if (ready < 0 && errno != EINTR) fail("poll: %s", strerror(errno));
    if (ready == 0) check_patience();
    for (int i = 0; i < connection_count; i++)
        if (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) read_in(&connections[i], take);
}

static int compare_memory(const void *one, const void *other) {
    const long difference = *(const long *)one - *(const long *)other;
    return (difference > 0) - (difference < 0);
}

// The median of the memory between two samples.
static long typical_memory(int from, int to) {
    long memory[SAMPLES + 2];
    for (int i = from; i < to; i++) memory[i - from] = samples[i].memory;
    qsort(memory, (size_t)(to - from), sizeof *memory, compare_memory);
    return memory[(to - from) / 2];
}

static int compare_kinds(const void *one, const void *other) {
    const uint64_t first = ((const struct kind *)one)->count, second = ((const struct kind *)other)->count;
    return (first < second) - (first > second);
}

static void report(double begun) {
    const double time = now() - begun;
    printf("%" PRIu64 " calls in %.0f s (%.0f/s), seed %" PRIu64 ", %d connections with up to %d calls under way\n", sent, time,
        (double)sent / time, seed, connection_count, window);
    printf("each was answered once by the service; also %" PRIu64 " messages that want no answer, %" PRIu64 " calls to the bus, %" PRIu64
           " calls whose connection was closed\n", strays, others, abandoned);
    qsort(kinds, sizeof kinds / sizeof *kinds, sizeof *kinds, compare_kinds);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && kinds[i].count; i++)
        printf("%10" PRIu64 "  %s\n", kinds[i].count, kinds[i].name);
    const long early = typical_memory(sample_count / 4, sample_count / 2), late = typical_memory(sample_count * 3 / 4, sample_count);
    const struct sample last = samples[sample_count - 1];
    printf("memory: %ld KiB in the second quarter, %ld KiB in the last; open files: %ld before, %ld after\n", early, late,
        samples[0].files, last.files);
    fflush(stdout);
    if (late > early + early / 4 + 4096) fail("the memory of the service grows");
    if (last.files > samples[0].files + 2) fail("the service keeps files open");
    if (answered != sent) fail("%" PRIu64 " answers", answered);
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most) {
    char *end;
    errno = 0;
    const unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    if (!text || !*text || *end || errno || *text == '-' || value < least || value > most) {
        fprintf(stderr, "flood: '%s' of %s is no number from %" PRIu64 " to %" PRIu64 "\n", text ? text : "", option, least, most);
        exit(64);
    }
    return value;
}

int main(int argc, char **argv) {
    const char *replays[MOST_CONNECTIONS];
    int replay_count = 0;
    if (argc < 2 || *argv[1] == '-') {
        fprintf(stderr, "usage: flood ADDRESS [--calls N] [--seed N] [--connections N] [--window N] [--replay FILE]... [--save FILE]\n");
        return 64;
    }
    address = argv[1];
    for (int i = 2; i < argc; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--calls") == 0)
            calls = number(argv[i], value, 0, UINT64_MAX);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = number(argv[i], value, 0, UINT64_MAX);
        else if (strcmp(argv[i], "--connections") == 0)
            connection_count = (int)number(argv[i], value, 2, MOST_CONNECTIONS);
        else if (strcmp(argv[i], "--window") == 0)
            window = (int)number(argv[i], value, 1, WAITING / 2);
        else if (strcmp(argv[i], "--save") == 0 && value)
            save = value;
        else if (strcmp(argv[i], "--replay") == 0 && value && replay_count < MOST_CONNECTIONS)
            replays[replay_count++] = value;
        else {
            fprintf(stderr, "flood: '%s' is no option; valid are --calls, --seed, --connections, --window, --replay, --save\n", argv[i]);
            return 64;
        }
    }
    for (int i = 0; i < connection_count; i++) {
        connections[i].random = random_from(seed * MOST_CONNECTIONS + (uint64_t)i);
        open_connection(&connections[i], address);
    }
    service = process_of_service(&connections[0]);
    begin_watching(&connections[0]);
    take_sample();
    const double begun = now();
    for (int i = 0; i < replay_count; i++) {
        for (struct replay replay = open_replay(replays[i]); next_of_replay(&replay);) {
            struct connection *connection = &connections[replay.connection % connection_count];
            struct header header;
            if (!read_header(replay.message, replay.count, &header)) fail("'%s' has something that is no message", replays[i]);
            // An answer of then is nobody's now: its call had another number, from another connection.
            if ((header.type == ANSWER || header.type == ERROR) && (!header.destination || strcmp(header.destination, NAME) != 0)) continue;
            while (connection->under_way >= window || connection->waiting[(connection->serial + 1) % WAITING].serial) turn(false);
            const uint32_t serial = ++connection->serial;
            begin_record(connection);
            put_copy(&connection->out, replay.message, replay.count, serial);
            end_record(connection, replay.connection % connection_count);
            if (header.type == CALL && !(header.flags & NO_REPLY))
                expect(connection, serial, header.destination && strcmp(header.destination, BUS) == 0);
        }
        while (is_waiting()) turn(false);
        printf("%s: answered\n", replays[i]);
    }
    const uint64_t step = calls / SAMPLES ? calls / SAMPLES : 1;
    while (sent < calls) {
        turn(true);
        if (sent / step >= (uint64_t)sample_count && sample_count <= SAMPLES) take_sample();
    }
    while (is_waiting()) turn(false);
    // What was under way for those that left is over when it answers this.
    process_of_service(&connections[0]);
    take_sample();
    report(begun);
    return EXIT_SUCCESS;
}
