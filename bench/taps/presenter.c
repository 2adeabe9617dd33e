/* SPDX-License-Identifier: Apache-2.0 */
/* presenter STEPS   Emits so many steps, 20 ms apart, each of which leads to a new screen that this program shows; prints the time from each until
 * Present is there, in us. When a person taps, nobody reads what the tap before has caused any more. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define FLOWBUS "org.flowbus.Navigation1"
#define FLOW "/org/flowbus/Navigation1/tree/pages"

static uint64_t begun;
static int has_present, has_answer;

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

/* Present, Withdraw and Alive. */
static int called(sd_bus_message *call, void *data, sd_bus_error *error)
{
    (void) data, (void) error;
    if (!sd_bus_message_is_method_call(call, FLOWBUS ".Presenter", "Present"))
        return sd_bus_reply_method_return(call, NULL);
    if (begun)
        printf("%.1f\n", (double) (now() - begun) / 1000);
    has_present = 1;
    return sd_bus_reply_method_return(call, "a{sv}", 1, "visible", "b", 1);
}

static int answered(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    (void) data, (void) error;
    if (sd_bus_message_is_method_error(answer, NULL)) {
        fprintf(stderr, "presenter: the step was refused: %s\n", sd_bus_message_get_error(answer)->message);
        exit(1);
    }
    has_answer = 1;
    return 0;
}

static int turn(sd_bus *bus)
{
    int result = sd_bus_process(bus, NULL);

    return result ? result : sd_bus_wait(bus, UINT64_MAX);
}

int main(int count, char **values)
{
    sd_bus *bus = NULL;
    int steps = count == 2 ? atoi(values[1]) : 0, result;

    if (steps < 1) {
        fprintf(stderr, "usage: presenter STEPS\n");
        return 64;
    }
    result = sd_bus_open_user(&bus);
    if (result >= 0)
        result = sd_bus_add_object(bus, NULL, "/org/example/Pages", called, NULL);
    if (result >= 0)
        result = sd_bus_request_name(bus, "org.example.Pages", 0);
    for (int step = 0; result >= 0 && step < steps; step++) {
        has_present = has_answer = 0;
        begun = now();
        result = sd_bus_call_method_async(bus, NULL, FLOWBUS, FLOW, FLOWBUS ".Stepper", "EmitStep", answered, NULL, "sa{sv}", "opened", 0);
        while (result >= 0 && !(has_present && has_answer))
            result = turn(bus);
        /* What follows from the answer is done when this is answered. */
        if (result >= 0)
            result = sd_bus_call_method(bus, FLOWBUS, FLOW, "org.freedesktop.DBus.Peer", "Ping", NULL, NULL, NULL);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec) {.tv_nsec = 20000000}, NULL);
    }
    if (result < 0) {
        fprintf(stderr, "presenter: %s\n", strerror(-result));
        return 1;
    }
    sd_bus_flush_close_unref(bus);
    return 0;
}
