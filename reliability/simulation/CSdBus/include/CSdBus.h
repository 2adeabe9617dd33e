/* libsystemd as Swift sees it in a simulation: the same declarations, with the functions of this target behind them. One thread,
   one loop, one connection, no system calls; the time is a number. Where sd-bus(3) and sd-event(3) promise an order, this has it;
   where they don't, the seed decides. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>

static inline sd_bus_vtable flowbus_vtable_start(void) {
    const sd_bus_vtable start = SD_BUS_VTABLE_START(0);
    return start;
}

static inline sd_bus_vtable flowbus_vtable_end(void) {
    const sd_bus_vtable end = SD_BUS_VTABLE_END;
    return end;
}

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);

/* What the simulation does in place of a kernel and a bus. */
typedef struct {
    /* Bytes that the connection wrote. Returns how many were taken. */
    size_t (*written)(const uint8_t *bytes, size_t count);
    /* The owner of a name, into 256 bytes; 0 if there is none. */
    int (*owner)(const char *name, char *unique);
    /* A call that sd-bus would answer by itself: nothing serves it. */
    void (*unserved)(sd_bus_message *call);
    /* The loop has nothing to do, or is between two turns. Returns 0 if the process is killed. */
    int (*idle)(int has_work);
    /* A number below a bound, by the seed. */
    uint32_t (*random)(uint32_t bound);
} sim_hooks;

extern sim_hooks sim_hook;
/* CLOCK_MONOTONIC in µs; CLOCK_REALTIME and CLOCK_BOOTTIME are this much ahead. */
extern uint64_t sim_now, sim_real_offset, sim_boot_offset;
/* Whether the clocks are simulated. */
extern int sim_is_running;
/* The id of the bus. */
extern uint8_t sim_bus_id[16];
/* Whether the process is killed: nothing is read or sent any more. */
extern int sim_is_dead;
/* How many timers and deferred tasks the loop ran. */
extern uint64_t sim_timers, sim_tasks;

/* The time of the loop's next timer; UINT64_MAX if there is none. */
uint64_t sim_next_timer(void);
/* A message, as the bus delivers it. Texts may be NULL. The caller has one reference. */
sd_bus_message *sim_message(
    uint8_t type, uint8_t flags, uint32_t number, uint32_t answered, const char *sender, const char *path, const char *interface,
    const char *member, const char *error_name, const char *signature, const uint8_t *body, size_t size);
/* The message in these bytes of the wire, from a sender; NULL if they are none. */
sd_bus_message *sim_parse(const uint8_t *bytes, size_t size, const char *sender);
/* How many bytes the message takes that begins here; 0 if they are too few to tell. */
size_t sim_message_size(const uint8_t *bytes, size_t size);
uint8_t sim_message_type(sd_bus_message *message);
uint32_t sim_message_number(sd_bus_message *message);
uint32_t sim_message_answered(sd_bus_message *message);
/* NULL if there is none. */
const char *sim_message_destination(sd_bus_message *message);
/* A hash of the next value, which is skipped. */
uint64_t sim_message_hash(sd_bus_message *message);
/* Puts a message among those that the connection has received. */
void sim_deliver(sd_bus_message *message);
/* How many received messages are not handled. */
size_t sim_undelivered(void);
/* Ends the connection, as the bus does; the next call of sd_bus_process reports it. */
void sim_disconnect(void);
