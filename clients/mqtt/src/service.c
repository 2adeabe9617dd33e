// SPDX-License-Identifier: Apache-2.0
// Follows flowbusd. After each signal of it the tree is read as a whole, at most four times a second: that is simple, and
// what is published is small.
#include <errno.h>
#include <stddef.h>

#include "bridge.h"

static const uint64_t PAUSE = 250000;

static void read_all(Bridge *bridge);

sd_bus_message *service_call(Bridge *bridge, const char *path, const char *interface, const char *member) {
    sd_bus_message *call = NULL;
    if (sd_bus_message_new_method_call(bridge->bus, &call, SERVICE, path, interface, member) < 0) return NULL;
    sd_bus_message_set_auto_start(call, false);
    return call;
}

bool service_send(Bridge *bridge, sd_bus_message *call, uint64_t timeout, sd_bus_message_handler_t answered) {
    int status = call ? sd_bus_call_async(bridge->bus, NULL, call, answered, bridge, timeout) : -ENOMEM;
    if (status < 0) say(LOG_ERR, "flowbusd can't be called: %s", strerror(-status));
    sd_bus_message_unref(call);
    return status >= 0;
}

// MARK: What there is

/// What is read one after the other, and where it is kept.
static const struct {
    const char *interface, *member, *argument;
    size_t where;
} parts[] = {
    {"org.freedesktop.DBus.ObjectManager", "GetManagedObjects", NULL, offsetof(Bridge, objects)},
    {SERVICE ".Coordinator", "GetStack", "", offsetof(Bridge, stack)},
    {"org.freedesktop.DBus.Properties", "GetAll", SERVICE ".Coordinator", offsetof(Bridge, coordinator)},
    {SERVICE ".Coordinator", "GetSteppers", NULL, offsetof(Bridge, steppers)},
};
enum { PARTS = sizeof parts / sizeof *parts };

static json_t **part(Bridge *bridge, int index) { return (json_t **)((char *)bridge + parts[index].where); }

static void forget_parts(Bridge *bridge) {
    for (int i = 0; i < PARTS; i++) {
        json_decref(*part(bridge, i));
        *part(bridge, i) = NULL;
    }
}

static int part_came(sd_bus_message *answer, void *userdata, sd_bus_error *error);

static void read_part(Bridge *bridge, int index) {
    sd_bus_message *call = service_call(bridge, ROOT, parts[index].interface, parts[index].member);
    if (call && parts[index].argument) sd_bus_message_append(call, "s", parts[index].argument);
    bridge->reading = service_send(bridge, call, 0, part_came) ? index + 1 : 0;
}

static int part_came(sd_bus_message *answer, void *userdata, sd_bus_error *error) {
    Bridge *bridge = userdata;
    int index = bridge->reading - 1;
    if (bridge->service && !sd_bus_message_is_method_error(answer, NULL)) {
        json_decref(*part(bridge, index));
        *part(bridge, index) = json_of_value(answer);
    }
    if (index + 1 < PARTS) return read_part(bridge, index + 1), 0;
    bridge->reading = 0;
    state_changed(bridge);
    if (bridge->dirty) read_all(bridge);
    return 0;
}

static int refresh_fired(sd_event_source *source, uint64_t at, void *userdata) {
    Bridge *bridge = userdata;
    bridge->refresh = sd_event_source_disable_unref(bridge->refresh);
    if (!bridge->service || bridge->reading) return 0;
    bridge->dirty = false;
    read_part(bridge, 0);
    return 0;
}

static void read_all(Bridge *bridge) {
    bridge->dirty = true;
    if (bridge->refresh || bridge->reading) return;
    sd_event_add_time_relative(bridge->event, &bridge->refresh, CLOCK_MONOTONIC, PAUSE, PAUSE / 10, refresh_fired, bridge);
}

// MARK: What happens

static int navigation_came(Bridge *bridge, sd_bus_message *signal) {
    uint64_t serial, cause;
    const char *sender, *step;
    if (sd_bus_message_read(signal, "ttss", &serial, &cause, &sender, &step) <= 0) return 0;
    JSON json_t *arguments = json_of_value(signal);
    JSON json_t *contributors = json_of_value(signal);
    if (serial <= bridge->serial) return 0;
    bridge->serial = serial;
    state_navigated(bridge, serial, cause, now_real(), sd_bus_message_get_path(signal), step, arguments, contributors);
    if (bridge->doubts_remain) steps_go_on(bridge);
    return 0;
}

static int signal_came(sd_bus_message *signal, void *userdata, sd_bus_error *error) {
    Bridge *bridge = userdata;
    if (sd_bus_message_is_signal(signal, SERVICE ".Flow", "NavigationOccurred")) return navigation_came(bridge, signal);
    if (sd_bus_message_is_signal(signal, SERVICE ".Stepper", "StepConcluded"))
        steps_concluded(bridge, signal);
    else
        read_all(bridge);
    return 0;
}

static int missed_came(sd_bus_message *answer, void *userdata, sd_bus_error *error);

/// What happened while nobody looked: navigations after the last one that was seen.
static void read_missed(Bridge *bridge) {
    sd_bus_message *call = service_call(bridge, ROOT, SERVICE ".History", "GetHistory");
    if (call) sd_bus_message_append(call, "tua{sv}", (uint64_t)bridge->last_navigation, 200, 0);
    service_send(bridge, call, 0, missed_came);
}

static int missed_came(sd_bus_message *answer, void *userdata, sd_bus_error *error) {
    Bridge *bridge = userdata;
    if (sd_bus_message_is_method_error(answer, NULL)) return 0;
    JSON json_t *entries = json_of_value(answer);
    int more = 0;
    sd_bus_message_read(answer, "b", &more);
    size_t index;
    json_t *entry;
    json_array_foreach(entries, index, entry) {
        uint64_t serial = (uint64_t)json_integer_value(json_array_get(entry, 0));
        json_t *details = json_array_get(entry, 5);
        if ((int64_t)serial <= bridge->last_navigation) continue;
        if (serial > bridge->serial) bridge->serial = serial;
        state_navigated(
            bridge, serial, (uint64_t)json_integer_value(json_object_get(details, "cause")),
            (uint64_t)json_integer_value(json_object_get(details, "time")), json_string_value(json_array_get(entry, 1)),
            json_string_value(json_array_get(entry, 3)), json_array_get(entry, 4), json_object_get(details, "contributors"));
    }
    if (more) read_missed(bridge);
    return 0;
}

static int serial_came(sd_bus_message *answer, void *userdata, sd_bus_error *error) {
    Bridge *bridge = userdata;
    uint64_t serial;
    if (!bridge->service || sd_bus_message_is_method_error(answer, NULL) || sd_bus_message_read(answer, "t", &serial) <= 0) return 0;
    int64_t last = bridge->last_navigation;
    // Another flowbusd, which counts from the beginning; or the first time of all.
    if (last == 0 || (uint64_t)last > serial) {
        bridge->last_navigation = (int64_t)serial;
        store_set_number(bridge->store, "serial", (int64_t)serial);
    } else if (bridge->config->navigation && (uint64_t)last < serial) {
        read_missed(bridge);
    }
    bridge->serial = serial;
    read_all(bridge);
    steps_go_on(bridge);
    return 0;
}

static void owner_is(Bridge *bridge, const char *owner) {
    if (bridge->service && !strcmp(bridge->service, owner)) return;
    free(bridge->service);
    bridge->service = *owner ? copy(owner) : NULL;
    if (bridge->service) {
        sd_bus_message *call = service_call(bridge, ROOT, SERVICE ".Coordinator", "GetSerial");
        service_send(bridge, call, 0, serial_came);
    } else {
        forget_parts(bridge);
        state_changed(bridge);
    }
}

static int owner_changed(sd_bus_message *signal, void *userdata, sd_bus_error *error) {
    const char *name, *old, *owner;
    if (sd_bus_message_read(signal, "sss", &name, &old, &owner) > 0) owner_is(userdata, owner);
    return 0;
}

static int owner_came(sd_bus_message *answer, void *userdata, sd_bus_error *error) {
    const char *owner = "";
    if (!sd_bus_message_is_method_error(answer, NULL)) sd_bus_message_read(answer, "s", &owner);
    owner_is(userdata, owner);
    if (!*owner) state_changed(userdata);
    return 0;
}

void service_start(Bridge *bridge) {
    bridge->last_navigation = store_number(bridge->store, "serial");
    sd_bus_add_match_async(
        bridge->bus, NULL,
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" SERVICE "'",
        owner_changed, NULL, bridge);
    sd_bus_add_match_async(bridge->bus, NULL, "type='signal',sender='" SERVICE "',path_namespace='" ROOT "'", signal_came, NULL, bridge);
    sd_bus_call_method_async(
        bridge->bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", owner_came, bridge, "s",
        SERVICE);
}

void service_free(Bridge *bridge) {
    sd_event_source_disable_unref(bridge->refresh);
    forget_parts(bridge);
    free(bridge->service);
}
