/* SPDX-License-Identifier: Apache-2.0 */
/* gear   The gearbox of a car, org.example.Gearbox, whose property Reverse flowbusd follows. For each line of its input, "forward" or
 * "reverse", it changes that; it answers with "done" and when it began, in ns of the monotonic clock, and says "ready" when it has its name. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define NAME "org.example.Gearbox"
#define PATH "/org/example/Gearbox"

static int is_reverse;

static const sd_bus_vtable gearbox[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Reverse", "b", NULL, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_VTABLE_END,
};

static int shift(sd_event_source *source, int fd, uint32_t events, void *bus)
{
    char line[32];
    struct timespec time;
    ssize_t length = read(fd, line, sizeof line - 1);

    (void) events;
    if (length <= 0)
        return sd_event_exit(sd_event_source_get_event(source), 0);
    line[length] = '\0';
    is_reverse = strcmp(line, "reverse\n") == 0;
    clock_gettime(CLOCK_MONOTONIC, &time);
    if (sd_bus_emit_properties_changed(bus, PATH, NAME, "Reverse", NULL) < 0 || sd_bus_flush(bus) < 0)
        return sd_event_exit(sd_event_source_get_event(source), 1);
    printf("done %lld\n", (long long) time.tv_sec * 1000000000 + time.tv_nsec);
    return fflush(stdout);
}

int main(void)
{
    sd_event *loop = NULL;
    sd_bus *bus = NULL;
    int result = sd_event_default(&loop);

    if (result >= 0)
        result = sd_bus_open_user(&bus);
    if (result >= 0)
        result = sd_bus_attach_event(bus, loop, 0);
    if (result >= 0)
        result = sd_bus_add_object_vtable(bus, NULL, PATH, NAME, gearbox, &is_reverse);
    if (result >= 0)
        result = sd_bus_request_name(bus, NAME, 0);
    if (result >= 0)
        result = sd_event_add_io(loop, NULL, STDIN_FILENO, EPOLLIN, shift, bus);
    if (result < 0) {
        fprintf(stderr, "gear: the name " NAME " can't be had: error %d\n", -result);
        return 1;
    }
    puts("ready");
    fflush(stdout);
    result = sd_event_loop(loop);
    sd_bus_flush_close_unref(bus);
    sd_event_unref(loop);
    return result < 0;
}
