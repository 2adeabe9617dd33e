// SPDX-License-Identifier: Apache-2.0
// What programs of this machine see: the state of the bridge, and facts of other machines as properties, which [[steppers]] of flowbusd
// read. A fact that nobody knows has no value: to read it fails, and flowbusd takes it as absent.
#include <errno.h>

#include "bridge.h"

#define NAME "org.flowbus.Mqtt"
#define OBJECT "/org/flowbus/Mqtt"

// MARK: Facts

/// Whether nobody knows the value now: there is none, the other machine is offline, or the broker has been gone for long.
static bool is_absent(const Fact *fact) {
    if (!fact->value || (fact->known_online && !fact->online)) return true;
    uint64_t lost = fact->bridge->lost_at, stale = (uint64_t)json_integer_value(json_object_get(fact->rule, "stale"));
    return lost && now_monotonic() >= lost + stale;
}

static const char *signature(const Fact *fact) { return json_string_value(json_object_get(fact->rule, "signature")); }

static int get_fact(
    sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *answer, void *userdata, sd_bus_error *error) {
    Fact *fact = userdata;
    if (!strcmp(property, "Absent")) return sd_bus_message_append(answer, "b", is_absent(fact));
    if (!strcmp(property, "Age")) return sd_bus_message_append(answer, "t", fact->value ? now_monotonic() - fact->at : UINT64_MAX);
    if (is_absent(fact)) return sd_bus_error_setf(error, ERROR_NAME "Absent", "nobody knows '%s' now", fact->name);
    free(append_json(answer, signature(fact), fact->value));
    return 1;
}

/// Programs read the value again, which fails where it is absent.
static void tell(Fact *fact) {
    bool absent = is_absent(fact);
    if (absent && fact->absent) return;
    fact->absent = absent;
    if (fact->slot) sd_bus_emit_properties_changed(fact->bridge->bus, fact->path, NAME ".Fact", "Value", "Absent", NULL);
}

/// The value at a JSON pointer, as RFC 6901 has it.
static json_t *at_pointer(json_t *value, const char *pointer) {
    FREE char *rest = copy(pointer);
    char *next = rest;
    strsep(&next, "/");
    for (char *token; value && (token = strsep(&next, "/"));) {
        char *to = token;
        for (char *from = token; *from; from++) *to++ = *from != '~' ? *from : *++from == '1' ? '/' : '~';
        *to = '\0';
        if (json_is_array(value))
            value = *token && strspn(token, "0123456789") == strlen(token) ? json_array_get(value, strtoul(token, NULL, 10)) : NULL;
        else
            value = json_object_get(value, token);
    }
    return value;
}

static void fact_came(Fact *fact, const Message *message) {
    JSON json_t *payload = message->size ? json_loadb(message->payload, message->size, JSON_DECODE_ANY, NULL) : NULL;
    json_t *value = at_pointer(payload, json_string_value(json_object_get(fact->rule, "pointer")));
    FREE char *fault = value ? fault_of(signature(fact), value) : message->size ? copy("there is no such value in the payload") : NULL;
    if (fault) say_some(fact->bridge, "the fact '%s' of '%s' is absent: %s", fact->name, message->topic, fault);
    json_decref(fact->value);
    fact->value = value && !fault ? json_incref(value) : NULL;
    fact->at = now_monotonic();
    tell(fact);
}

bool facts_received(Bridge *bridge, const Message *message) {
    bool taken = false;
    for (size_t i = 0; i < bridge->fact_count; i++) {
        Fact *fact = &bridge->facts[i];
        if (!strcmp(json_string_value(json_object_get(fact->rule, "online")), message->topic)) {
            fact->known_online = true;
            fact->online = message->size == 4 && !memcmp(message->payload, "true", 4);
            tell(fact);
            taken = true;
        }
        if (strcmp(json_string_value(json_object_get(fact->rule, "topic")), message->topic)) continue;
        fact_came(fact, message);
        taken = true;
    }
    return taken;
}

void facts_subscribe(Bridge *bridge) {
    bridge->lost_at = 0;
    bridge->stale = sd_event_source_disable_unref(bridge->stale);
    for (size_t i = 0; i < bridge->fact_count; i++) {
        const char *online = json_string_value(json_object_get(bridge->facts[i].rule, "online"));
        if (*online) link_subscribe(bridge->link, online, true);
        link_subscribe(bridge->link, json_string_value(json_object_get(bridge->facts[i].rule, "topic")), true);
        tell(&bridge->facts[i]);
    }
}

/// Facts get stale one after the other; that of the shortest patience is the next.
static int stale_fired(sd_event_source *source, uint64_t at, void *userdata) {
    Bridge *bridge = userdata;
    bridge->stale = sd_event_source_disable_unref(bridge->stale);
    uint64_t next = UINT64_MAX, now = now_monotonic();
    for (size_t i = 0; bridge->lost_at && i < bridge->fact_count; i++) {
        uint64_t due = bridge->lost_at + (uint64_t)json_integer_value(json_object_get(bridge->facts[i].rule, "stale"));
        if (due <= now)
            tell(&bridge->facts[i]);
        else if (due < next)
            next = due;
    }
    if (next != UINT64_MAX)
        sd_event_add_time(bridge->event, &bridge->stale, CLOCK_BOOTTIME, next, 1000, stale_fired, bridge);
    return 0;
}

void facts_lost(Bridge *bridge) {
    if (!bridge->lost_at) bridge->lost_at = now_monotonic();
    stale_fired(NULL, 0, bridge);
}

// MARK: The bridge

static int get_bridge(
    sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *answer, void *userdata, sd_bus_error *error) {
    Bridge *bridge = userdata;
    if (!strcmp(property, "Connected")) return sd_bus_message_append(answer, "b", link_is_up(bridge->link));
    if (!strcmp(property, "OpenSteps"))
        return sd_bus_message_append(answer, "t", store_count(bridge->store, "steps", "state != 2 OR NOT told"));
    if (!strcmp(property, "WaitingNavigations"))
        return sd_bus_message_append(answer, "t", store_count(bridge->store, "navigations", "true"));
    const char *value = !strcmp(property, "Device")     ? bridge->config->device
                        : !strcmp(property, "Protocol") ? link_protocol(bridge->link)
                                                        : link_problem(bridge->link);
    return sd_bus_message_append(answer, "s", value);
}

static const sd_bus_vtable bridge_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Device", "s", get_bridge, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("Connected", "b", get_bridge, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Protocol", "s", get_bridge, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Problem", "s", get_bridge, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("OpenSteps", "t", get_bridge, 0, 0),
    SD_BUS_PROPERTY("WaitingNavigations", "t", get_bridge, 0, 0),
    SD_BUS_VTABLE_END,
};

void object_changed(Bridge *bridge) {
    sd_bus_emit_properties_changed(bridge->bus, OBJECT, NAME, "Connected", "Protocol", "Problem", NULL);
}

bool object_start(Bridge *bridge) {
    int status = sd_bus_add_object_vtable(bridge->bus, NULL, OBJECT, NAME, bridge_table, bridge);
    bridge->facts = make((json_object_size(bridge->config->facts) + 1) * sizeof *bridge->facts);
    bridge->lost_at = now_monotonic();
    const char *name;
    json_t *rule;
    json_object_foreach(bridge->config->facts, name, rule) {
        Fact *fact = &bridge->facts[bridge->fact_count++];
        *fact = (Fact){.bridge = bridge, .name = name, .rule = rule, .absent = true, .path = text(OBJECT "/facts/%s", name)};
        // The type of a property is a part of its table. GetAll leaves the value out, as it would fail without one.
        sd_bus_vtable table[] = {
            SD_BUS_VTABLE_START(0),
            SD_BUS_PROPERTY("Value", signature(fact), get_fact, 0,
                SD_BUS_VTABLE_PROPERTY_EXPLICIT | SD_BUS_VTABLE_PROPERTY_EMITS_INVALIDATION),
            SD_BUS_PROPERTY("Absent", "b", get_fact, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
            SD_BUS_PROPERTY("Age", "t", get_fact, 0, 0),
            SD_BUS_VTABLE_END,
        };
        memcpy(fact->table, table, sizeof table);
        if (status >= 0) status = sd_bus_add_object_vtable(bridge->bus, &fact->slot, fact->path, NAME ".Fact", fact->table, fact);
    }
    if (status >= 0) status = sd_bus_request_name(bridge->bus, NAME, 0);
    if (status >= 0) return true;
    say(LOG_ERR, status == -EEXIST ? "another flowbus-mqtt is on this bus" : "the name " NAME " can't be owned: %s", strerror(-status));
    return false;
}

void object_free(Bridge *bridge) {
    sd_event_source_disable_unref(bridge->stale);
    for (size_t i = 0; i < bridge->fact_count; i++) {
        sd_bus_slot_unref(bridge->facts[i].slot);
        json_decref(bridge->facts[i].value);
        free(bridge->facts[i].path);
    }
    free(bridge->facts);
}
