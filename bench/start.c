// start ADDRESS COUNT COMMAND...   Starts flowbusd so often, one after the other, and prints for each the times from exec
// until the bus says that it owns its name, and until it answers a call that was waiting, in microseconds.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define NAME "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define RULE \
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" NAME "'"

static uint64_t owned_at, answered_at;

static int check(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "start: %s: %s\n", what, strerror(-result));
        exit(EXIT_FAILURE);
    }
    return result;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static int on_answer(sd_bus_message *answer, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    if (sd_bus_message_is_method_error(answer, NULL)) check(-sd_bus_message_get_errno(answer), "the first call");
    answered_at = now();
    return 1;
}

static int on_owner(sd_bus_message *signal, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const char *name, *before, *after;
    check(sd_bus_message_read(signal, "sss", &name, &before, &after), "a signal of the bus");
    if (*after) {
        owned_at = now();
        check(sd_bus_call_method_async(
                  sd_bus_message_get_bus(signal), NULL, NAME, ROOT, NAME ".Coordinator", "GetDefinitionNames", on_answer,
                  NULL, NULL),
              "the first call");
    }
    return 0;
}

int main(int argc, char **argv) {
    sd_bus *bus;
    if (argc < 4) {
        fprintf(stderr, "usage: start ADDRESS COUNT COMMAND...\n");
        return 64;
    }
    check(sd_bus_new(&bus), "a connection");
    check(sd_bus_set_address(bus, argv[1]), "the address");
    check(sd_bus_set_bus_client(bus, 1), "a connection");
    check(sd_bus_start(bus), "connect");
    check(sd_bus_add_match(bus, NULL, RULE, on_owner, NULL), "a match rule");
    for (long i = atol(argv[2]); i > 0; i--) {
        answered_at = 0;
        const uint64_t begun_at = now();
        const pid_t child = fork();
        if (child == 0) {
            execv(argv[3], argv + 3);
            _exit(127);
        }
        if (child < 0) check(-errno, "fork");
        while (answered_at == 0) {
            if (check(sd_bus_process(bus, NULL), "process") > 0) continue;
            // Without a name, a child that has ended would be waited for forever.
            check(sd_bus_wait(bus, 100000), "wait");
            if (waitpid(child, NULL, WNOHANG) == child) check(-ECHILD, argv[3]);
        }
        printf("%" PRIu64 " %" PRIu64 "\n", owned_at - begun_at, answered_at - begun_at);
        kill(child, SIGTERM);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    sd_bus_flush_close_unref(bus);
    return EXIT_SUCCESS;
}
