// SPDX-License-Identifier: Apache-2.0
// The bridge as a whole. `service.c` follows flowbusd, `steps.c` brings steps to it and verdicts back, `doubts.c` finds out what became of
// them when the bridge was killed, `record.c` has what happened lately written down, `state.c` publishes what others may see, `object.c` is what programs of this machine see, and `main.c` wires them.
#pragma once

#include "config.h"
#include "link.h"
#include "store.h"

#define SERVICE "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define TREE ROOT "/tree/"
#define ERROR_NAME "org.flowbus.Mqtt.Error."

/// How many navigations and verdicts are on their way to the broker at most.
enum { MOST_SENT = 64, MOST_NAVIGATIONS_SENT = 16 };

/// A message that the broker has not acknowledged.
typedef struct Sent {
    int number;  ///< libmosquitto's; 0 for none.
    int64_t step, navigation;  ///< Which one it is; the other is 0.
    int64_t dropped;  ///< How many dropped navigations it told.
    char *verdict;
} Sent;

typedef struct Fact {
    struct Bridge *bridge;
    const char *name;
    json_t *rule, *value;  ///< The value, of the type that the rule says; NULL if there was none.
    char *path;
    uint64_t at;  ///< When it came.
    bool online, known_online;  ///< Whether the other machine is there, and whether that is known.
    bool absent;  ///< What programs were told last.
    sd_bus_vtable table[5];
    sd_bus_slot *slot;
} Fact;

typedef struct Bridge {
    sd_event *event;
    sd_bus *bus;
    Config *config;
    Store *store;
    Link *link;
    char *client, *bus_id;  ///< The unique name on the bus, and which bus that is.
    bool system;  ///< Whether that is the system bus.
    bool stopping;

    // service.c
    char *service;  ///< The unique name of flowbusd; NULL while it is not there.
    uint64_t serial;  ///< The greatest serial that is known.
    int reading;  ///< Which part of it is read, from 1; 0 if none is.
    bool dirty;
    sd_event_source *refresh;
    json_t *objects, *stack, *coordinator, *steppers;  ///< What it said last.

    // steps.c
    StepRow *emitting;  ///< The step that has been emitted and is not answered.
    uint64_t emitted_at;
    bool on_its_way;
    StepRow *doubt;  ///< The step whose fate is looked up.
    int64_t doubt_after;
    bool doubt_waits;  ///< Whether it may be waiting in flowbusd.
    bool doubts_remain;
    uint64_t looked_at;  ///< The serial that was known when the doubts were begun with.
    sd_event_source *again;

    // record.c
    StepRow *recording;  ///< Who asked for the one that is made.
    int recorded[2];  ///< What flowbusctl writes: the recording, and what is wrong.
    sd_event_source *recorder, *too_late;

    // state.c
    json_t *published;  ///< What the broker has of each topic that is retained.
    Sent sent[MOST_SENT];
    int64_t last_navigation;

    // object.c
    Fact *facts;
    size_t fact_count;
    sd_event_source *stale;
    uint64_t lost_at;  ///< When the broker was lost; 0 if it is there.

    unsigned lines;  ///< How many lines about wrong messages the log has had since `lines_since`.
    uint64_t lines_since;
} Bridge;

/// Says something that others can bring about as often as they like: 20 lines a minute.
#define say_some(bridge, ...) say_some_line(bridge, text(__VA_ARGS__))
void say_some_line(Bridge *bridge, char *line);

void service_start(Bridge *bridge);
void service_free(Bridge *bridge);
/// A call to an object of flowbusd.
sd_bus_message *service_call(Bridge *bridge, const char *path, const char *interface, const char *member);
/// Sends a call, and gives the answer to `answered` with the bridge.
bool service_send(Bridge *bridge, sd_bus_message *call, uint64_t timeout, sd_bus_message_handler_t answered);

void steps_subscribe(Bridge *bridge);
/// Takes a message if it is a step.
bool steps_received(Bridge *bridge, const Message *message);
/// flowbusd is there (again): what waits can go on.
void steps_go_on(Bridge *bridge);
void steps_concluded(Bridge *bridge, sd_bus_message *signal);
/// Tells senders what they are not told yet.
void steps_tell(Bridge *bridge);
void steps_free(Bridge *bridge);

// What `steps.c` shares with `record.c`.
/// A message that asks for something: its topic, and where the answer may go.
StepRow *steps_request(Bridge *bridge, const Message *message, const char *name);
/// Its payload, a JSON object with no other keys than these, separated by spaces. One that is wrong is refused, and NULL returned.
json_t *steps_payload(Bridge *bridge, StepRow *row, const Message *message, const char *keys);
/// A message is refused: there is nothing to remember.
void steps_refuse(Bridge *bridge, const StepRow *row, const char *error, const char *why);

void record_subscribe(Bridge *bridge);
/// Takes a message if it asks for a recording.
bool record_received(Bridge *bridge, const Message *message);
void record_free(Bridge *bridge);

// What `steps.c` and `doubts.c` share.
/// Looks at the next step whose fate is not known.
void doubts_look(Bridge *bridge);
/// The entry of [steps] that a step came by; NULL if the file no longer has it.
json_t *steps_rule(Bridge *bridge, const StepRow *row);
/// Appends the name and the arguments of a step to a call.
bool steps_append(sd_bus_message *call, json_t *rule, const StepRow *row);
/// What a sender is told, as JSON.
char *steps_verdict(const StepRow *row, const char *verdict, uint64_t serial, const char *error, const char *message);
/// A step has its verdict or its error, and the sender will be told. The log has who sent it, as far as its topic says.
void steps_decide(
    Bridge *bridge, StepRow *row, StepState state, const char *verdict, uint64_t serial, const char *error, const char *message);
/// Whether an error says that the call may not have arrived, or its answer not.
bool steps_is_lost(const sd_bus_error *error);
/// Emits the next step, if none is on its way.
void steps_pump(Bridge *bridge);
/// Goes on after a while.
void steps_wait(Bridge *bridge, uint64_t span);

/// Everything that the broker keeps is published again after a connection.
void state_connected(Bridge *bridge);
/// flowbusd said something new.
void state_changed(Bridge *bridge);
/// A navigation, as GetHistory and NavigationOccurred tell it.
void state_navigated(
    Bridge *bridge, uint64_t serial, uint64_t cause, uint64_t time, const char *path, const char *step, json_t *arguments,
    json_t *contributors);
void state_send_navigations(Bridge *bridge);
/// A place for a message that is on its way; NULL if there are too many.
Sent *sent_new(Bridge *bridge);
void sent_clear(Sent *sent);
int sent_navigations(Bridge *bridge);

bool object_start(Bridge *bridge);
void object_free(Bridge *bridge);
void object_changed(Bridge *bridge);
void facts_subscribe(Bridge *bridge);
bool facts_received(Bridge *bridge, const Message *message);
void facts_lost(Bridge *bridge);
