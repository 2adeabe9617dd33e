// load ADDRESS CALL COUNT WINDOW   Calls flowbusd, or a service that stands in for it, so often, with so many calls under
// way at a time. Whole windows, so that each run is like the last: the next calls are sent when all answers are there, and
// the service, which is stopped (SIGSTOP) meanwhile, finds all of them when it goes on. How much it does in one turn of its
// loop would otherwise depend on how fast calls and bus are compared with it.
//
// CALL is a row of the table below. What a call needs is made first, which the difference of two runs leaves out; a Ping of
// the root object tells who listens where the counted calls begin. With "fill", COUNT is the number of nodes that are made.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define BUS "org.freedesktop.DBus"
#define NAME "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define MAIN ROOT "/tree/main"

enum {
    CROWD = 1000,         // Nodes beside which GetManagedObjects and Navigate are called, and below one root of "fill".
    ROOTS_PER_CLIENT = 2, // Roots of "fill" that each connection makes: it may make 2,000 nodes.
    BURST = 16,           // Steps of one EmitSteps.
};

static const uint64_t TIMEOUT = 600 * UINT64_C(1000000); // Everything takes long under callgrind.

static int check(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "load: %s: %s\n", what, strerror(-result));
        exit(EXIT_FAILURE);
    }
    return result;
}

static sd_bus *connect_to(const char *address) {
    sd_bus *bus;
    check(sd_bus_new(&bus), "a connection");
    check(sd_bus_set_address(bus, address), "the address");
    check(sd_bus_set_bus_client(bus, true), "a connection");
    check(sd_bus_start(bus), "connect");
    return bus;
}

static sd_bus_message *new_call(sd_bus *bus, const char *path, const char *interface, const char *member) {
    sd_bus_message *call;
    check(sd_bus_message_new_method_call(bus, &call, NAME, path, interface, member), "a call");
    return call;
}

static sd_bus_message *new_step(sd_bus *bus, const char *path, const char *step, bool has_number, long number) {
    sd_bus_message *call = new_call(bus, path, NAME ".Stepper", "EmitStep");
    if (has_number)
        check(sd_bus_message_append(call, "sa{sv}", step, 1, "number", "x", (int64_t)number), "a step");
    else
        check(sd_bus_message_append(call, "sa{sv}", step, 0), "a step");
    return call;
}

// The calls, by the number of the call. Those that come by turns leave what they found.

static sd_bus_message *none(sd_bus *bus, long i) { return new_step(bus, MAIN, "none", true, i); }
static sd_bus_message *screen(sd_bus *bus, long i) { return new_step(bus, MAIN, "screen", true, i); }
static sd_bus_message *add(sd_bus *bus, long i) { return new_step(bus, MAIN, "add", true, i); }
static sd_bus_message *open_flow(sd_bus *bus, long i) { return new_step(bus, MAIN, "open", true, i); }
static sd_bus_message *up(sd_bus *bus, long i) { return new_step(bus, MAIN "/sub", "up", true, i); }
static sd_bus_message *checked(sd_bus *bus, long i) { return new_step(bus, ROOT "/tree/guarded", "checked", true, i); }

static sd_bus_message *add_drop(sd_bus *bus, long i) {
    return i % 2 == 0 ? add(bus, i) : new_step(bus, MAIN, "drop", false, 0);
}

static sd_bus_message *open_done(sd_bus *bus, long i) {
    return i % 2 == 0 ? open_flow(bus, i) : new_step(bus, MAIN "/sub", "done", false, 0);
}

static sd_bus_message *visible(sd_bus *bus, long i) {
    sd_bus_message *call = new_call(bus, MAIN "/home", NAME ".Presentable", "SetVisible");
    check(sd_bus_message_append(call, "b", i % 2 == 0), "an argument");
    return call;
}

static sd_bus_message *steps(sd_bus *bus, long i) {
    sd_bus_message *call = new_call(bus, MAIN, NAME ".Stepper", "EmitSteps");
    check(sd_bus_message_open_container(call, 'a', "(sa{sv})"), "steps");
    for (int step = 0; step < BURST; step++)
        check(sd_bus_message_append(call, "(sa{sv})", "none", 1, "number", "x", (int64_t)i), "a step");
    check(sd_bus_message_close_container(call), "steps");
    return call;
}

static sd_bus_message *navigate(sd_bus *bus, long i) {
    sd_bus_message *call = new_call(bus, ROOT, NAME ".Coordinator", "Navigate");
    check(sd_bus_message_append(call, "sa{sv}a{sv}", "none", 1, "number", "x", (int64_t)i, 0), "a deep link");
    return call;
}

static sd_bus_message *objects(sd_bus *bus, long i) {
    (void)i;
    return new_call(bus, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
}

static sd_bus_message *coordinate(sd_bus *bus, const char *definition, const char *id) {
    sd_bus_message *call = new_call(bus, ROOT, NAME ".Coordinator", "Coordinate");
    check(sd_bus_message_append(call, "ssa{sv}a{sv}", definition, "", 0, 1, "id", "s", id), "a root");
    return call;
}

static sd_bus_message *guarded_root(sd_bus *bus, long i) {
    (void)i;
    return coordinate(bus, "guarded", "guarded");
}

static sd_bus_message *ping(sd_bus *bus, long i) {
    (void)i;
    return new_call(bus, ROOT, "org.freedesktop.DBus.Peer", "Ping");
}

typedef sd_bus_message *make_call(sd_bus *, long);

static const struct row {
    const char *name;
    make_call *make;
    make_call *before; // What is called so often before.
    long times;
} rows[] = {
    {"none", none, NULL, 0},
    {"pair", add_drop, NULL, 0},
    {"child", open_done, NULL, 0},
    {"screen", screen, NULL, 0},
    {"parent", up, open_flow, 1},
    {"visible", visible, NULL, 0},
    {"steps", steps, NULL, 0},
    {"navigate", navigate, open_flow, CROWD},
    {"objects", objects, add, CROWD - 2}, // Beside main and home.
    {"guard", checked, guarded_root, 1},
};

// How many calls of a batch have an answer.
static long answered;

static int on_answer(sd_bus_message *answer, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const sd_bus_error *refusal = sd_bus_message_get_error(answer);
    if (refusal) {
        fprintf(stderr, "load: %s: %s\n", refusal->name, refusal->message);
        exit(EXIT_FAILURE);
    }
    answered++;
    return 0;
}

// As a guard: lets every step pass as it is.
static int on_adapt(sd_bus_message *question, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const char *step;
    sd_bus_message *answer;
    check(sd_bus_message_skip(question, "o"), "a question");
    check(sd_bus_message_read(question, "s", &step), "a question");
    check(sd_bus_message_new_method_return(question, &answer), "an answer");
    check(sd_bus_message_append(answer, "s", step), "an answer");
    check(sd_bus_message_copy(answer, question, false), "an answer");
    check(sd_bus_send(NULL, answer, NULL), "an answer");
    sd_bus_message_unref(answer);
    return 1;
}

static const sd_bus_vtable guard[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Adapt", "osa{sv}a{sv}", "sa{sv}", on_adapt, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

// The guard is a client of its own: flowbusd lets none wait for itself.
static void serve_guard(const char *address, sd_event *event) {
    sd_bus *bus = connect_to(address);
    check(sd_bus_add_object_vtable(bus, NULL, "/org/flowbus/Bench", NAME ".Guard", guard, NULL), "the guard");
    check(sd_bus_request_name(bus, "org.flowbus.Bench", 0), "the guard's name");
    check(sd_bus_attach_event(bus, event, 0), "the guard");
}

static pid_t find_service(sd_bus *bus) {
    sd_bus_message *answer;
    uint32_t process;
    check(sd_bus_call_method(bus, BUS, "/", BUS, "GetConnectionUnixProcessID", NULL, &answer, "s", NAME), "the service");
    check(sd_bus_message_read(answer, "u", &process), "the service");
    sd_bus_message_unref(answer);
    return (pid_t)process;
}

static void send_signal(pid_t process, int signal) {
    if (kill(process, signal) < 0) check(-errno, "the service");
}

static void call_all(sd_bus *bus, pid_t service, make_call *make, long count, long window) {
    answered = 0;
    for (long sent = 0; sent < count;) {
        send_signal(service, SIGSTOP);
        for (long end = sent + window; sent < count && sent < end; sent++) {
            sd_bus_message *call = make(bus, sent);
            check(sd_bus_call_async(bus, NULL, call, on_answer, NULL, TIMEOUT), "send");
            sd_bus_message_unref(call);
        }
        // The bus keeps the order: with this answer, it has passed on all that was sent before.
        check(sd_bus_call_method(bus, BUS, "/", "org.freedesktop.DBus.Peer", "Ping", NULL, NULL, NULL), "the bus");
        send_signal(service, SIGCONT);
        while (answered < sent) check(sd_event_run(sd_bus_get_event(bus), UINT64_MAX), "the loop");
    }
}

// Roots with screens, so many nodes in all. Each connection makes as many as a client may.
static void fill(const char *address, long count) {
    sd_bus *bus = NULL;
    char id[32], path[128];
    for (long root = 0; count > 0; root++) {
        if (root % ROOTS_PER_CLIENT == 0) {
            sd_bus_flush_close_unref(bus);
            bus = connect_to(address);
        }
        snprintf(id, sizeof id, "crowd_%ld", root);
        snprintf(path, sizeof path, ROOT "/tree/%s", id);
        for (long node = 0; node < CROWD && count > 0; node++, count--) {
            sd_bus_message *call = node == 0 ? coordinate(bus, "crowd", id) : new_step(bus, path, "add", true, node);
            sd_bus_error error = SD_BUS_ERROR_NULL;
            check(sd_bus_call(bus, call, TIMEOUT, &error, NULL), error.message ? error.message : "a node");
            sd_bus_message_unref(call);
        }
    }
    sd_bus_flush_close_unref(bus);
}

int main(int argc, char **argv) {
    long count = argc == 5 ? atol(argv[3]) : -1, window = argc == 5 ? atol(argv[4]) : 0;
    if (count < 0 || window < 1) {
        fprintf(stderr, "usage: load ADDRESS CALL COUNT WINDOW\n");
        return 64;
    }
    if (strcmp(argv[2], "fill") == 0) {
        fill(argv[1], count);
        return EXIT_SUCCESS;
    }
    const struct row *row = rows, *end = rows + sizeof rows / sizeof *rows;
    while (row < end && strcmp(row->name, argv[2]) != 0) row++;
    if (row == end) {
        fprintf(stderr, "load: '%s' is no call; valid are: fill", argv[2]);
        for (row = rows; row < end; row++) fprintf(stderr, ", %s", row->name);
        fprintf(stderr, "\n");
        return 64;
    }
    sd_event *event;
    check(sd_event_default(&event), "the loop");
    if (row->make == checked) serve_guard(argv[1], event);
    sd_bus *bus = connect_to(argv[1]);
    check(sd_bus_attach_event(bus, event, 0), "the loop");
    const pid_t service = find_service(bus);
    if (row->before) call_all(bus, service, row->before, row->times, 16);
    call_all(bus, service, ping, 1, 1);
    call_all(bus, service, row->make, count, window);
    sd_bus_flush_close_unref(bus);
    return EXIT_SUCCESS;
}
