// SPDX-License-Identifier: Apache-2.0
// Steps that were begun when the bridge was killed: what became of them, `steps.c` says how that is found out.
#include <errno.h>

#include "bridge.h"

static void end_doubt(Bridge *bridge) {
    step_free(bridge->doubt);
    bridge->doubt = NULL;
    doubts_look(bridge);
}

/// It stays in doubt for now.
static void leave_doubt(Bridge *bridge) {
    StepRow *row = bridge->doubt;
    if (!row->verdict) {
        FREE char *told = steps_verdict(row, "pending", 0, NULL, NULL);
        store_set(bridge->store, row->id, STEP_BEGUN, told);
        steps_tell(bridge);
    }
    bridge->doubts_remain = true;
    end_doubt(bridge);
}

/// Whether the flow would ask its guard or navigator at once: then none of its steps waits for an answer. A flow that waits says so
/// instead. This is a text for people; if it is worded otherwise one day, the step stays in doubt.
static bool asks_at_once(sd_bus_message *answer) {
    const char *verdict, *error, *line;
    bool asks = false;
    if (sd_bus_message_rewind(answer, true) < 0 || sd_bus_message_read(answer, "ss", &verdict, &error) <= 0) return false;
    if (sd_bus_message_enter_container(answer, 'a', "s") <= 0) return false;
    while (sd_bus_message_read(answer, "s", &line) > 0) {
        line += strspn(line, " ");
        asks = asks || (!strncmp(line, "the guard '", 11) && strstr(line, "' is asked about it")) ||
            (!strncmp(line, "the navigator '", 15) && strstr(line, "' is asked where it leads"));
    }
    return asks;
}

/// Neither in the history nor waiting: it had no effect.
static void conclude(Bridge *bridge) {
    StepRow *row = bridge->doubt;
    if (bridge->doubt_waits) return leave_doubt(bridge);
    // The connection of a pending one is gone, and StepConcluded with it. "pending" is what there is to say.
    store_set(bridge->store, row->id, row->state == STEP_PENDING ? STEP_DECIDED : STEP_WAITS, NULL);
    end_doubt(bridge);
}

/// Whether flowbusd keeps a history at all.
static int oldest_came(sd_bus_message *answer, void *userdata, sd_bus_error *ignored) {
    Bridge *bridge = userdata;
    if (sd_bus_message_is_method_error(answer, NULL)) return leave_doubt(bridge), 0;
    JSON json_t *entries = json_of_value(answer);
    if (json_array_size(entries) || bridge->serial <= (uint64_t)bridge->doubt->serial) return conclude(bridge), 0;
    steps_decide(
        bridge, bridge->doubt, STEP_DECIDED, NULL, 0, ERROR_NAME "InDoubt",
        "the bridge was killed while it emitted the step, and flowbusd keeps no history; it may have been taken");
    end_doubt(bridge);
    return 0;
}

static int history_came(sd_bus_message *answer, void *userdata, sd_bus_error *ignored);

static void read_history(Bridge *bridge, uint64_t after, uint32_t limit, sd_bus_message_handler_t came) {
    sd_bus_message *call = service_call(bridge, ROOT, SERVICE ".History", "GetHistory");
    if (call) sd_bus_message_append(call, "tua{sv}", after, limit, 0);
    if (!service_send(bridge, call, 0, came)) leave_doubt(bridge);
}

static int history_came(sd_bus_message *answer, void *userdata, sd_bus_error *ignored) {
    Bridge *bridge = userdata;
    StepRow *row = bridge->doubt;
    if (sd_bus_message_is_method_error(answer, NULL)) return leave_doubt(bridge), 0;
    JSON json_t *entries = json_of_value(answer);
    int more = 0;
    sd_bus_message_read(answer, "b", &more);
    const char *step = json_string_value(json_object_get(steps_rule(bridge, row), "step"));
    json_t *entry;
    size_t index;
    uint64_t serial = (uint64_t)row->serial;
    json_array_foreach(entries, index, entry) {
        json_t *details = json_array_get(entry, 5);
        const char *sender = json_string_value(json_object_get(details, "sender"));
        serial = (uint64_t)json_integer_value(json_array_get(entry, 0));
        if (!sender || strcmp(sender, row->client) || json_integer_value(json_object_get(details, "cause"))) continue;
        // A guard may have given it another name. Only a step that was pending at that time could be mistaken for it.
        const char *name = json_string_value(json_array_get(entry, 3));
        FREE char *others = text("state = 3 AND client = '%s'", row->client);
        if (step && strcmp(step, name) && store_count(bridge->store, "steps", others)) continue;
        steps_decide(bridge, row, STEP_DECIDED, "navigated", serial, NULL, NULL);
        end_doubt(bridge);
        return 0;
    }
    if (more)
        read_history(bridge, serial, 200, history_came);
    else
        read_history(bridge, 0, 1, oldest_came);
    return 0;
}

static int explained(sd_bus_message *answer, void *userdata, sd_bus_error *ignored) {
    Bridge *bridge = userdata;
    const char *verdict = "";
    const sd_bus_error *error = sd_bus_message_get_error(answer);
    if (error && steps_is_lost(error)) return leave_doubt(bridge), 0;
    if (!error) sd_bus_message_read(answer, "s", &verdict);
    bridge->doubt_waits = !strcmp(verdict, "deferred") || (!strcmp(verdict, "pending") && !asks_at_once(answer));
    read_history(bridge, (uint64_t)bridge->doubt->serial, 200, history_came);
    return 0;
}

/// Explain comes first: one that is not waiting then is in the history that is read after that, or has never had an effect.
static void ask_what_it_would_do(Bridge *bridge) {
    StepRow *row = bridge->doubt;
    json_t *rule = steps_rule(bridge, row);
    bridge->doubt_waits = false;
    if (row->state == STEP_PENDING || !rule) return read_history(bridge, (uint64_t)row->serial, 200, history_came);
    sd_bus_message *call = service_call(bridge, json_string_value(json_object_get(rule, "on")), SERVICE ".Stepper", "Explain");
    if (!steps_append(call, rule, row) || !service_send(bridge, call, 0, explained)) leave_doubt(bridge);
}

static int presence_came(sd_bus_message *answer, void *userdata, sd_bus_error *ignored) {
    Bridge *bridge = userdata;
    int there = 0;
    if (!sd_bus_message_is_method_error(answer, NULL)) sd_bus_message_read(answer, "b", &there);
    if (!there) return ask_what_it_would_do(bridge), 0;
    // What it sent may still be on its way.
    step_free(bridge->doubt);
    bridge->doubt = NULL;
    bridge->doubt_after = 0;
    steps_wait(bridge, 200000);
    return 0;
}

void doubts_look(Bridge *bridge) {
    if (!bridge->service || bridge->doubt) return;
    FREE char *which = text(
        "id != %lld AND (state = 1 OR state = 3 AND client != '%s')", bridge->emitting ? (long long)bridge->emitting->id : 0ll,
        bridge->client);
    StepRow *row = bridge->doubt = store_next(bridge->store, bridge->doubt_after, which);
    if (!row) {
        bridge->doubt_after = 0;
        steps_pump(bridge);
        // What has navigated meanwhile may be what is looked for.
        if (bridge->doubts_remain && bridge->serial > bridge->looked_at)
            steps_go_on(bridge);
        else if (bridge->doubts_remain)
            steps_wait(bridge, 5000000);
        return;
    }
    bridge->doubt_after = row->id;
    // On another bus the name says nothing, and its connection is gone with the bus. Its own connection is the bridge's of now.
    if (strcmp(row->bus, bridge->bus_id) || !strcmp(row->client, bridge->client))
        return ask_what_it_would_do(bridge);
    sd_bus_call_method_async(
        bridge->bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", presence_came, bridge, "s",
        row->client);
}
