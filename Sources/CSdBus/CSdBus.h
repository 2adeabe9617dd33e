/* libsystemd for Swift, with the few shims that Swift cannot express. */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>

/* SD_BUS_VTABLE_START and _END are initialisers with a reference to an unsized array, which does not import. */
static inline sd_bus_vtable flowbus_vtable_start(void) {
    const sd_bus_vtable start = SD_BUS_VTABLE_START(0);
    return start;
}

static inline sd_bus_vtable flowbus_vtable_end(void) {
    const sd_bus_vtable end = SD_BUS_VTABLE_END;
    return end;
}

/* libdispatch has these for CFRunLoop, in no header: an eventfd(2) that is readable when the main queue has jobs, and what runs
   them. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);
