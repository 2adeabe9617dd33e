// load ADDRESS CALL COUNT WINDOW   Calls flowbusd so often, with so many calls under way at a time (tools/cost).
//
// CALL is one of: none (a step that changes no node), screen (a step that replaces a screen), visible (SetVisible, true and
// false by turns), burst (16 times none by EmitSteps, counted as one).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define NAME "org.flowbus.Navigation1"
#define MAIN "/org/flowbus/Navigation1/tree/main"

static long sent, answered, count;
static int failed;

static int check(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "load: %s: %s\n", what, strerror(-result));
        exit(1);
    }
    return result;
}

static int on_answer(sd_bus_message *answer, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const sd_bus_error *refusal = sd_bus_message_get_error(answer);
    if (refusal && !failed) {
        fprintf(stderr, "load: %s: %s\n", refusal->name, refusal->message);
        failed = 1;
    }
    answered++;
    return 0;
}

static void call(sd_bus *bus, const char *what) {
    sd_bus_message *message;
    int result;
    if (!strcmp(what, "visible")) {
        check(sd_bus_message_new_method_call(bus, &message, NAME, MAIN "/home", NAME ".Presentable", "SetVisible"),
              "a call");
        result = sd_bus_message_append(message, "b", (int)(sent % 2 == 0));
    } else if (!strcmp(what, "burst")) {
        check(sd_bus_message_new_method_call(bus, &message, NAME, MAIN, NAME ".Stepper", "EmitSteps"), "a call");
        result = sd_bus_message_open_container(message, 'a', "(sa{sv})");
        for (int i = 0; i < 16 && result >= 0; i++)
            result = sd_bus_message_append(message, "(sa{sv})", "none", 1, "number", "x", (int64_t)sent);
        if (result >= 0) result = sd_bus_message_close_container(message);
    } else {
        check(sd_bus_message_new_method_call(bus, &message, NAME, MAIN, NAME ".Stepper", "EmitStep"), "a call");
        result = sd_bus_message_append(message, "sa{sv}", what, 1, "number", "x", (int64_t)sent);
    }
    check(result, "the arguments");
    check(sd_bus_call_async(bus, NULL, message, on_answer, NULL, 300000000), "send");
    sd_bus_message_unref(message);
    sent++;
}

int main(int argc, char **argv) {
    sd_bus *bus;
    if (argc != 5 || (count = atol(argv[3])) < 0 || atol(argv[4]) < 1) {
        fprintf(stderr, "usage: load ADDRESS none|screen|visible|burst COUNT WINDOW\n");
        return 64;
    }
    long window = atol(argv[4]);
    check(sd_bus_new(&bus), "a bus");
    check(sd_bus_set_address(bus, argv[1]), "the address");
    check(sd_bus_set_bus_client(bus, 1), "a bus");
    check(sd_bus_start(bus), "connect");
    while (answered < count) {
        // A whole window at once: what is at hand together is what a pipelining client gives.
        if (sent == answered)
            while (sent < count && sent - answered < window) call(bus, argv[2]);
        int moved = check(sd_bus_process(bus, NULL), "process");
        if (!moved) check(sd_bus_wait(bus, UINT64_MAX), "wait");
    }
    sd_bus_flush_close_unref(bus);
    return failed;
}
