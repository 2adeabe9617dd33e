// SPDX-License-Identifier: Apache-2.0
// What others may see. The broker keeps what is true now (retained), and gets what happened in order, from a queue on the disk.
#include <mosquitto.h>

#include "bridge.h"

static json_t *property(json_t *node, const char *name) {
    return json_object_get(json_object_get(node, SERVICE ".Presentable"), name);
}

static const char *string(json_t *node, const char *name) {
    const char *value = json_string_value(property(node, name));
    return value ? value : "";
}

/// The arguments that may leave, of those that are not private, which flowbusd leaves out; NULL if there are none.
static json_t *allowed_arguments(json_t *rules, const char *of, json_t *arguments) {
    json_t *allowed = json_object(), *value;
    const char *name;
    json_object_foreach(arguments, name, value) {
        if (names(json_object_get(rules, of), name) || names(json_object_get(rules, "*"), name)) json_object_set(allowed, name, value);
    }
    if (json_object_size(allowed)) return allowed;
    json_decref(allowed);
    return NULL;
}

static const char *below_tree(const char *path) { return strncmp(path, TREE, strlen(TREE)) ? path : path + strlen(TREE); }

// MARK: Retained

/// Publishes what the broker does not have yet. NULL removes it.
static void keep(Bridge *bridge, const char *topic, json_t *value) {
    FREE char *payload = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : copy("");
    const char *before = json_string_value(json_object_get(bridge->published, topic));
    if (!payload || !link_is_up(bridge->link) || (before && !strcmp(before, payload))) return;
    if (link_publish(bridge->link, topic, payload, true, NULL, 0) >= 0) json_object_set_new(bridge->published, topic, json_string(payload));
}

static void keep_own(Bridge *bridge, const char *name, json_t *value) {
    FREE char *topic = text("%s/%s", bridge->config->base, name);
    keep(bridge, topic, value);
    json_decref(value);
}

/// The screens that are presented, from the lowest to the highest.
static json_t *tree(Bridge *bridge) {
    json_t *rule = bridge->config->tree, *screens = json_array(), *entry;
    const char *top = NULL;
    size_t index;
    json_array_foreach(bridge->stack, index, entry) {
        const char *path = json_string_value(json_array_get(entry, 0));
        json_t *more = json_array_get(entry, 2), *node = json_object_get(bridge->objects, path);
        const char *name = string(node, "Name");
        // It may be gone between two answers of flowbusd; then there is a signal of that, and all is read again.
        if (!node || !json_is_true(json_object_get(more, "visible")) || !names(json_object_get(rule, "screens"), name)) continue;
        json_t *screen = json_pack("{s:s, s:s}", "path", below_tree(path), "name", name);
        json_t *title = json_object_get(more, "title"), *output = json_object_get(more, "output");
        if (title && names(json_object_get(rule, "titles"), name)) json_object_set(screen, "title", title);
        if (output) json_object_set(screen, "output", output);
        json_t *arguments = allowed_arguments(json_object_get(rule, "arguments"), name, property(node, "Arguments"));
        if (arguments) json_object_set_new(screen, "arguments", arguments);
        json_array_append_new(screens, screen);
        top = name;
    }
    json_t *published = json_pack("{s:o}", "screens", screens);
    if (top) json_object_set_new(published, "top", json_string(top));
    return published;
}

static json_t *context(Bridge *bridge) {
    json_t *values = json_object(), *value;
    const char *name;
    json_object_foreach(json_object_get(bridge->coordinator, "Context"), name, value) {
        if (names(bridge->config->context, name)) json_object_set(values, name, value);
    }
    return values;
}

/// A list of names, each once.
static void add_name(json_t *list, const char *name) {
    if (*name && !names(list, name)) json_array_append_new(list, json_string(name));
}

static json_t *problems(Bridge *bridge) {
    bool texts = json_is_true(json_object_get(bridge->config->problems, "texts"));
    json_t *waiting = json_array(), *programs = json_array(), *steppers = json_array(), *node, *entry;
    const char *path;
    size_t index;
    json_object_foreach(bridge->objects, path, node) {
        if (!*string(node, "Waiting")) continue;
        json_t *item = json_pack("{s:s, s:s}", "path", below_tree(path), "name", string(node, "Name"));
        if (texts) json_object_set(item, "why", property(node, "Waiting"));
        json_array_append_new(waiting, item);
        add_name(programs, string(node, "Presenter"));
    }
    json_array_foreach(bridge->steppers, index, entry) {
        const char *state = json_string_value(json_object_get(json_array_get(entry, 4), "state"));
        if (state && !strcmp(state, "absent")) add_name(steppers, json_string_value(json_array_get(entry, 2)));
    }
    bool durable = !bridge->coordinator || json_is_true(json_object_get(bridge->coordinator, "Durable"));
    bool any = !bridge->service || !durable || json_array_size(waiting) || json_array_size(steppers);
    return json_pack(
        "{s:b, s:b, s:b, s:o, s:o, s:o}", "problem", any, "running", bridge->service != NULL, "durable", durable, "waiting", waiting,
        "programs", programs, "absent", steppers);
}

void state_changed(Bridge *bridge) {
    const Config *config = bridge->config;
    // What the file no longer lets out must not stay at the broker.
    bool known = bridge->objects && bridge->stack && bridge->coordinator;
    if (!config->tree || known) keep_own(bridge, "tree", config->tree ? tree(bridge) : NULL);
    if (!config->context || known) keep_own(bridge, "context", config->context ? context(bridge) : NULL);
    if (!config->problems || known || !bridge->service) keep_own(bridge, "problems", config->problems ? problems(bridge) : NULL);
}

// MARK: Home Assistant

static void discover(Bridge *bridge, const char *kind, const char *id, const char *title, json_t *entity) {
    const Config *config = bridge->config;
    const char *prefix = json_string_value(json_object_get(config->home_assistant, "prefix"));
    // What Home Assistant takes as an identifier.
    FREE char *device = text("flowbus-%s", config->device), *object = copy(id);
    for (char *texts[] = {device, object, NULL}, **each = texts; *each; each++) {
        for (char *dot; (dot = strchr(*each, '.'));) *dot = '_';
    }
    FREE char *topic = text("%s/%s/%s/%s/config", prefix ? prefix : "homeassistant", kind, device, object);
    FREE char *unique = text("%s-%s", device, object), *online = text("%s/online", config->base);
    JSON json_t *common = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:{s:[s], s:s, s:s}, s:{s:s, s:s}}", "name", title, "unique_id", unique,
        "availability_topic", online, "payload_available", "true", "payload_not_available", "false", "device", "identifiers", device, "name",
        config->device, "manufacturer", "flowbus", "origin", "name", "flowbus-mqtt", "sw_version", VERSION);
    json_object_update(entity, common);
    keep(bridge, topic, entity);
    json_decref(entity);
}

static void discover_all(Bridge *bridge) {
    const Config *config = bridge->config;
    json_t *home = config->home_assistant, *screens = json_object_get(home, "screens"), *value;
    if (!home) return;
    FREE char *tree_topic = text("%s/tree", config->base), *set = text("%s/screen/set", config->base);
    FREE char *problems_topic = text("%s/problems", config->base);
    if (screens) {
        JSON json_t *options = json_array();
        const char *screen;
        json_object_foreach(screens, screen, value) json_array_append_new(options, json_string(screen));
        FREE char *all = json_dumps(options, JSON_COMPACT);
        FREE char *state = text("{{ value_json.top if value_json.top in %s else none }}", all);
        discover(
            bridge, "select", "screen", "Screen",
            json_pack("{s:O, s:s, s:s, s:s}", "options", options, "state_topic", tree_topic, "value_template", state, "command_topic", set));
    }
    static const struct {
        const char *id, *title, *test;
    } sensors[] = {
        {"problem", "Problem", "value_json.problem"},
        {"service", "Navigation service", "not value_json.running"},
        {"waiting", "Screens that wait", "value_json.waiting | length"},
        {"store", "Store", "not value_json.durable"},
    };
    for (size_t i = 0; config->problems && i < sizeof sensors / sizeof *sensors; i++) {
        FREE char *state = text("{{ 'ON' if %s else 'OFF' }}", sensors[i].test);
        discover(
            bridge, "binary_sensor", sensors[i].id, sensors[i].title,
            json_pack("{s:s, s:s, s:s}", "state_topic", problems_topic, "value_template", state, "device_class", "problem"));
    }
    size_t index;
    json_array_foreach(json_object_get(home, "buttons"), index, value) {
        json_t *rule = json_object_get(config->steps, json_string_value(value));
        const char *topic = json_string_value(json_array_get(json_object_get(rule, "from"), 0));
        discover(
            bridge, "button", json_string_value(value), json_string_value(value),
            json_pack("{s:s, s:s}", "command_topic", topic, "payload_press", "{}"));
    }
}

void state_connected(Bridge *bridge) {
    json_decref(bridge->published);
    bridge->published = json_object();
    keep_own(bridge, "online", json_true());
    discover_all(bridge);
    state_changed(bridge);
    state_send_navigations(bridge);
}

// MARK: Navigations

Sent *sent_new(Bridge *bridge) {
    for (size_t i = 0; i < MOST_SENT; i++) {
        if (!bridge->sent[i].number) return &bridge->sent[i];
    }
    return NULL;
}

void sent_clear(Sent *sent) {
    free(sent->verdict);
    *sent = (Sent){0};
}

int sent_navigations(Bridge *bridge) {
    int count = 0;
    for (size_t i = 0; i < MOST_SENT; i++) count += bridge->sent[i].number && bridge->sent[i].navigation;
    return count;
}

void state_navigated(
    Bridge *bridge, uint64_t serial, uint64_t cause, uint64_t time, const char *path, const char *step, json_t *arguments,
    json_t *contributors) {
    if ((int64_t)serial <= bridge->last_navigation) return;
    bridge->last_navigation = (int64_t)serial;
    json_t *rule = bridge->config->navigation;
    if (!rule || !path || !step || !names(json_object_get(rule, "steps"), *step ? step : "back")) return;
    JSON json_t *told = json_pack(
        "{s:I, s:I, s:I, s:s, s:s}", "serial", (json_int_t)serial, "cause", (json_int_t)cause, "time", (json_int_t)time, "flow",
        below_tree(path), "step", step);
    json_t *allowed = allowed_arguments(json_object_get(rule, "arguments"), step, arguments);
    if (allowed) json_object_set_new(told, "arguments", allowed);
    json_t *led = json_array(), *contributor;
    size_t index;
    json_array_foreach(contributors, index, contributor) {
        json_array_append_new(led, json_pack("{s:O, s:O}", "kind", json_array_get(contributor, 0), "name", json_array_get(contributor, 1)));
    }
    json_object_set_new(told, "contributors", led);
    FREE char *payload = json_dumps(told, JSON_COMPACT);
    if (!payload) return;
    // Its number goes first: a navigation that is told twice is known by it, one that is not told is lost.
    store_add_navigation(bridge->store, payload, bridge->config->kept);
    store_set_number(bridge->store, "serial", (int64_t)serial);
    state_send_navigations(bridge);
}

void state_send_navigations(Bridge *bridge) {
    int64_t after = 0;
    for (size_t i = 0; i < MOST_SENT; i++) {
        if (bridge->sent[i].number && bridge->sent[i].navigation > after) after = bridge->sent[i].navigation;
    }
    FREE char *topic = text("%s/navigation", bridge->config->base);
    while (link_is_up(bridge->link) && sent_navigations(bridge) < MOST_NAVIGATIONS_SENT) {
        int64_t id;
        FREE char *payload = store_navigation(bridge->store, after, &id);
        Sent *sent = payload ? sent_new(bridge) : NULL;
        if (!sent) return;
        int64_t dropped = store_number(bridge->store, "dropped");
        for (size_t i = 0; i < MOST_SENT; i++) dropped -= bridge->sent[i].number ? bridge->sent[i].dropped : 0;
        FREE char *told = dropped > 0 ? text("{\"dropped\":%lld,%s", (long long)dropped, payload + 1) : copy(payload);
        int number = link_publish(bridge->link, topic, told, false, NULL, 0);
        if (number < 0) return;
        *sent = (Sent){.number = number, .navigation = id, .dropped = dropped > 0 ? dropped : 0};
        after = id;
    }
}
