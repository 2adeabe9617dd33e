// probe ADDRESS   A second client, with one call at a time, each of which changes the tree, until SIGTERM; then it prints
// how long they took. It connects to flowbusd or to the toy.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define NAME "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"

enum { MOST = 1 << 24 };
static uint32_t *times; // In µs.
static volatile sig_atomic_t is_over;

static void end(int signal) {
    (void)signal;
    is_over = 1;
}

static int check(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "probe: %s: %s\n", what, strerror(-result));
        exit(EXIT_FAILURE);
    }
    return result;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static int compare(const void *one, const void *other) {
    const uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;
    return (first > second) - (first < second);
}

// Whether it was answered, and not with an error that says that the root is gone.
static int call(sd_bus *bus, sd_bus_message *made, const char *what) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    const int result = sd_bus_call(bus, made, UINT64_C(120000000), &error, NULL);
    const int is_gone = sd_bus_error_has_name(&error, NAME ".Error.PresentableDismissed") ||
                        sd_bus_error_has_name(&error, SD_BUS_ERROR_UNKNOWN_OBJECT);
    if (result < 0 && !is_gone && !(result == -EINTR && is_over)) check(result, error.message ? error.message : what);
    sd_bus_error_free(&error);
    sd_bus_message_unref(made);
    return result >= 0;
}

static void coordinate(sd_bus *bus) {
    sd_bus_message *made;
    check(sd_bus_message_new_method_call(bus, &made, NAME, ROOT, NAME ".Coordinator", "Coordinate"), "a call");
    check(sd_bus_message_append(made, "ssa{sv}a{sv}", "probe", "", 0, 1, "id", "s", "probe"), "a call");
    call(bus, made, "Coordinate");
}

int main(int argc, char **argv) {
    sd_bus *bus;
    sd_bus_message *made;
    size_t count = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: probe ADDRESS\n");
        return 64;
    }
    signal(SIGTERM, end);
    times = malloc(MOST * sizeof *times);
    if (!times) check(-ENOMEM, "memory");
    check(sd_bus_new(&bus), "a connection");
    check(sd_bus_set_address(bus, argv[1]), "the address");
    check(sd_bus_set_bus_client(bus, 1), "a connection");
    check(sd_bus_start(bus), "connect");
    coordinate(bus);
    puts("ready");
    fflush(stdout);
    while (!is_over && count < MOST) {
        check(sd_bus_message_new_method_call(bus, &made, NAME, ROOT "/tree/probe", NAME ".Stepper", "EmitStep"), "a call");
        check(sd_bus_message_append(made, "sa{sv}", "add", 1, "number", "x", (int64_t)count), "a call");
        const uint64_t begun = now();
        const int is_answered = call(bus, made, "EmitStep");
        if (is_over) break;
        if (is_answered) {
            times[count++] = (uint32_t)(now() - begun);
        } else {
            // The flood guesses numbers of instances, and dismisses what it finds there.
            coordinate(bus);
        }
    }
    if (!count) check(-ENODATA, "no call was answered");
    qsort(times, count, sizeof *times, compare);
    printf("%zu calls of a second client: median %.2f ms, p99 %.2f ms, longest %.2f ms\n", count, times[count / 2] / 1e3,
        times[count - 1 - count / 100] / 1e3, times[count - 1] / 1e3);
    sd_bus_flush_close_unref(bus);
    return EXIT_SUCCESS;
}
