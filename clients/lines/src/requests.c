// SPDX-License-Identifier: Apache-2.0
// What a program asks of flowbusd: a line is a call, and its answer a line. A call that is lost with flowbusd is made once more, which is safe:
// steps and Back have tokens, and all else says how something is.
#include "connect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATIENCE = 60,      // s, for which flowbusd knows a token.
    MOST_TOKENS = 8192, // In this time: half the quota of a client. Steps beyond have none.
};

struct request {
    struct request *next;
    struct json_object *line;
    sd_bus_message *call;
    sd_bus_slot *slot;
    sd_event_source *limit; // Since it was lost.
    bool is_queued;         // As there are enough calls under way.
    bool is_waiting;        // For a flowbusd.
    bool is_step;           // Its answer is a serial and a verdict.
    bool has_token;         // A step without one is not repeated: it could have been taken.
    char *ask;              // The token of an ask, whose line is answered later.
};

static struct request *requests, **last = &requests; // In their order.
static size_t count, asked;
static uint64_t tokens, window, window_tokens; // All; when the latest 60 s began, in us, and how many of them.
static sd_event_source *turn;

size_t requests_under_way(void)
{
    return count;
}

void add_id(struct json_object *to, struct json_object *line)
{
    struct json_object *id;
    if (line && json_object_object_get_ex(line, "id", &id)) add(to, "id", json_object_get(id));
}

// A message without the characters of which its quotes have a part alone. All that it quotes was checked.
static char *whole_characters(const char *message)
{
    char *copy = take(malloc(strlen(message) + 1)), *end = copy;
    while (*message) {
        unsigned char lead = (unsigned char)*message;
        size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1, there = 1;
        while (there < length && (message[there] & 0xc0) == 0x80) there++;
        if (there == length) end = mempcpy(end, message, length);
        message += there;
    }
    *end = 0;
    return copy;
}

void fail(struct json_object *line, const char *error, const char *message)
{
    struct json_object *said = take(json_object_new_object());
    add_id(said, line);
    // Errors of flowbus have short names in lines.
    char *whole = strchr(error, '.') ? NULL : print(FLOWBUS ".Error.%s", error);
    add(said, "error", text(whole ? whole : error));
    char *characters = whole_characters(message);
    add(said, "message", text(characters));
    free(characters), free(whole);
    say(said);
}

static void ask(struct request *request);

static void ask_next(void)
{
    for (struct request *it = requests, *next; it && asked < MOST_CALLS; it = next) {
        next = it->next;
        if (!it->is_queued) continue;
        it->is_queued = false;
        asked++;
        ask(it);
    }
}

static void done(struct request *request)
{
    struct request **place = &requests;
    while (*place != request) place = &(*place)->next;
    *place = request->next;
    if (!*place) last = place;
    count--;
    asked--;
    sd_event_source_disable_unref(request->limit);
    sd_bus_slot_unref(request->slot);
    sd_bus_message_unref(request->call);
    json_object_put(request->line);
    free(request->ask);
    free(request);
    sd_event_source_set_enabled(turn, SD_EVENT_ONESHOT);
    go_on();
}

static void failed(struct request *request, const char *error, const char *message)
{
    if (request->ask) ask_failed(request->ask, error, message);
    else fail(request->line, error, message);
    done(request);
}

// Not within done(): that is called while one is being asked.
static int take_turn(sd_event_source *source, void *data)
{
    (void)source, (void)data;
    ask_next();
    return 0;
}

static int out_of_time(sd_event_source *source, uint64_t time, void *data)
{
    (void)source, (void)time;
    struct request *request = data;
    failed(request, SD_BUS_ERROR_NO_REPLY, "flowbusd has ended, and did not come back within 60 s");
    return 0;
}

static int answered(sd_bus_message *answer, void *data, sd_bus_error *unused);

static void ask(struct request *request)
{
    // A message that was sent has a number already.
    sd_bus_message *call = NULL;
    request->is_waiting = false;
    int result = sd_bus_message_new_method_call(bus, &call, FLOWBUS, sd_bus_message_get_path(request->call),
        sd_bus_message_get_interface(request->call), sd_bus_message_get_member(request->call));
    if (result >= 0) result = sd_bus_message_rewind(request->call, true);
    if (result >= 0) result = sd_bus_message_copy(call, request->call, true);
    // Without a time limit: flowbusd answers each call, and if it ends, the bus says so. Who waits for a flow to be ready says how long by ending.
    if (result >= 0) result = sd_bus_call_async(bus, &request->slot, call, answered, request, UINT64_MAX);
    sd_bus_message_unref(call);
    if (result >= 0) return;
    failed(request, SD_BUS_ERROR_FAILED, strerror(-result));
}

static int answered(sd_bus_message *answer, void *data, sd_bus_error *unused)
{
    (void)unused;
    struct request *request = data;
    const sd_bus_error *error = sd_bus_message_get_error(answer);
    request->slot = sd_bus_slot_unref(request->slot);
    if (error) {
        bool is_lost = sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY) || sd_bus_error_has_name(error, SD_BUS_ERROR_DISCONNECTED);
        // Where nothing starts flowbusd again, it comes by itself, or not.
        bool is_away = request->limit && sd_bus_error_has_name(error, SD_BUS_ERROR_SERVICE_UNKNOWN);
        if (is_lost && request->is_step && !request->has_token) {
            failed(request, error->name, "flowbusd has ended, and nobody knows whether the step was taken: it had no token");
            return 0;
        }
        if (is_lost && !request->limit)
            sd_event_add_time_relative(loop, &request->limit, CLOCK_MONOTONIC, (uint64_t)PATIENCE * 1000000, 0, out_of_time, request);
        if (is_lost) {
            ask(request);
        } else if (is_away) {
            request->is_waiting = true;
        } else {
            failed(request, error->name, error->message ? error->message : "");
        }
        return 0;
    }
    const char *verdict;
    uint64_t serial;
    if (request->ask) {
        if (sd_bus_message_read(answer, "ts", &serial, &verdict) >= 0) ask_emitted(request->ask, verdict);
        done(request);
        return 0;
    }
    struct json_object *said = take(json_object_new_object());
    add_id(said, request->line);
    if (request->is_step && sd_bus_message_read(answer, "ts", &serial, &verdict) >= 0) {
        add(said, "serial", take(json_object_new_uint64(serial)));
        add(said, "verdict", text(verdict));
        say(said);
    } else if (json_object_object_get_ex(request->line, "id", NULL)) {
        add(said, "done", take(json_object_new_boolean(true)));
        say(said);
    } else {
        json_object_put(said); // Who gives no number wants to know errors alone.
    }
    done(request);
    return 0;
}

sd_bus_message *call_for(struct json_object *line, const char *node_key, const char *interface, const char *member, const char *const *keys)
{
    struct json_object *node = NULL;
    char *why = NULL;
    json_object_object_foreach(line, key, value)
    {
        bool is_known = !strcmp(key, "id") || !strcmp(key, node_key);
        for (const char *const *it = keys; *it; it++) is_known = is_known || !strcmp(*it, key);
        if (!is_known && !why) why = print("'%.80s' is no key of this line", key);
        (void)value;
    }
    char *path = json_object_object_get_ex(line, node_key, &node) ? path_of(node) : NULL;
    if (!why && !node) why = print("this line needs '%s', a flow or screen: its path, such as \"shop/list\", or its instance", node_key);
    if (!why && !path)
        why = print("'%.80s' is no flow or screen: it has to be a path, such as \"shop/list\", or an instance", shown(node));
    sd_bus_message *call = NULL;
    if (!why && sd_bus_message_new_method_call(bus, &call, FLOWBUS, path, interface, member) < 0) why = print("there is no bus");
    free(path);
    if (why) fail(line, "InvalidArguments", why);
    free(why);
    return call;
}

static struct request *queue(struct json_object *line, sd_bus_message *call, int result)
{
    if (result >= 0) result = sd_bus_message_seal(call, 1, 0);
    if (result < 0) {
        fail(line, "InvalidArguments", result == -EINVAL ? "a value of this line can't go over the bus" : result == -ERANGE ? "a number of this line is too large" : strerror(-result));
        sd_bus_message_unref(call);
        return NULL;
    }
    struct request *request = take(calloc(1, sizeof *request));
    request->line = json_object_get(line);
    request->call = call;
    request->is_queued = true;
    *last = request;
    last = &request->next;
    count++;
    return request;
}

static void send(struct json_object *line, sd_bus_message *call, int result, const bool *has_token) // NULL for what is no step.
{
    struct request *request = queue(line, call, result);
    if (!request) return;
    request->is_step = has_token;
    request->has_token = has_token && *has_token;
    ask_next();
}

bool send_ask(struct json_object *line, sd_bus_message *call, int result, const char *token)
{
    struct request *request = queue(line, call, result);
    if (!request) return false;
    request->ask = print("%s", token);
    ask_next();
    return true;
}

bool get(struct json_object *line, const char *key, json_type type, const char *what, struct json_object **value)
{
    *value = NULL;
    if (!json_object_object_get_ex(line, key, value) || json_object_is_type(*value, type)) return true;
    char *why = print("'%s' is '%.80s', and has to be %s", key, shown(*value), what);
    fail(line, "InvalidArguments", why);
    free(why);
    return false;
}

// The token of a step: that of the line, or one of ours as long as there are not too many.
static int append_token(sd_bus_message *call, struct json_object *token, bool *has_token)
{
    uint64_t now;
    sd_event_now(loop, CLOCK_MONOTONIC, &now);
    if (now - window > (uint64_t)PATIENCE * 1000000) window = now, window_tokens = 0;
    *has_token = token || window_tokens < MOST_TOKENS;
    if (!*has_token) return 0;
    if (!token) window_tokens++;
    char *own = token ? NULL : print("lines-%d-%" PRIu64, getpid(), ++tokens);
    int result = sd_bus_message_append(call, "{sv}", "token", "s", token ? json_object_get_string(token) : own);
    free(own);
    return result;
}

static void emit(struct json_object *line)
{
    static const char *const keys[] = {"emit", "arguments", "token", "wait", NULL};
    struct json_object *step, *arguments, *token, *wait;
    if (!get(line, "emit", json_type_string, "the name of a step", &step) ||
        !get(line, "arguments", json_type_object, "an object", &arguments) || !get(line, "token", json_type_string, "a text", &token) ||
        !get(line, "wait", json_type_boolean, "true or false", &wait))
        return;
    bool has_token = false;
    sd_bus_message *call = call_for(line, "on", FLOWBUS ".Stepper", "EmitStepWithOptions", keys);
    if (!call) return;
    int result = sd_bus_message_append(call, "s", json_object_get_string(step));
    if (result >= 0) result = append_members(call, arguments);
    if (result >= 0) result = sd_bus_message_open_container(call, 'a', "{sv}");
    if (result >= 0) result = append_token(call, token, &has_token);
    if (result >= 0 && wait) result = sd_bus_message_append(call, "{sv}", "wait", "b", json_object_get_boolean(wait));
    if (result >= 0) result = sd_bus_message_close_container(call);
    send(line, call, result, &has_token);
}

static void back(struct json_object *line)
{
    static const char *const keys[] = {"token", NULL};
    struct json_object *token;
    if (!get(line, "token", json_type_string, "a text", &token)) return;
    bool has_token = false;
    sd_bus_message *call = call_for(line, "back", FLOWBUS ".Stepper", "BackWithOptions", keys);
    if (!call) return;
    int result = sd_bus_message_open_container(call, 'a', "{sv}");
    if (result >= 0) result = append_token(call, token, &has_token);
    if (result >= 0) result = sd_bus_message_close_container(call);
    send(line, call, result, &has_token);
}

static void show(struct json_object *line)
{
    static const char *const keys[] = {"title", "backStep", "tellSight", NULL};
    struct json_object *values[3];
    if (!get(line, keys[0], json_type_string, "a text", &values[0]) || !get(line, keys[1], json_type_string, "the name of a step", &values[1]) ||
        !get(line, keys[2], json_type_boolean, "true or false", &values[2]))
        return;
    sd_bus_message *call = call_for(line, "show", FLOWBUS ".Presentable", "SetVisibleWithOptions", keys);
    if (!call) return;
    struct json_object *options = take(json_object_new_object());
    for (int at = 0; at < 3; at++)
        if (values[at]) add(options, keys[at], json_object_get(values[at]));
    int result = sd_bus_message_append(call, "b", true);
    if (result >= 0) result = append_members(call, options);
    json_object_put(options);
    send(line, call, result, NULL);
}

static void hide(struct json_object *line)
{
    static const char *const keys[] = {NULL};
    sd_bus_message *call = call_for(line, "hide", FLOWBUS ".Presentable", "SetVisible", keys);
    if (call) send(line, call, sd_bus_message_append(call, "b", false), NULL);
}

static void dismiss(struct json_object *line)
{
    static const char *const keys[] = {"error", "message", NULL};
    struct json_object *error, *message;
    if (!get(line, "error", json_type_string, "the name of an error, such as \"com.example.Error.NoPaper\"", &error) ||
        !get(line, "message", json_type_string, "a text", &message))
        return;
    sd_bus_message *call = call_for(line, "dismiss", FLOWBUS ".Presentable", "DismissWithOptions", keys);
    if (!call) return;
    struct json_object *options = take(json_object_new_object());
    if (error) add(options, "error", json_object_get(error));
    if (message) add(options, "message", json_object_get(message));
    int result = append_members(call, options);
    json_object_put(options);
    send(line, call, result, NULL);
}

// Lines with values alone.
static void with_members(struct json_object *line, const char *verb, const char *key, const char *member)
{
    const char *const keys[] = {key, NULL};
    struct json_object *values;
    if (!get(line, key, json_type_object, "an object", &values)) return;
    sd_bus_message *call = call_for(line, verb, FLOWBUS ".Presentable", member, keys);
    if (call) send(line, call, append_members(call, values), NULL);
}

static void save(struct json_object *line) { with_members(line, "save", "state", "SaveState"); }
static void finish(struct json_object *line) { with_members(line, "finish", "result", "Finish"); }

// Lines that have nothing but a node.
static void alone(struct json_object *line, const char *verb, const char *interface, const char *member)
{
    static const char *const keys[] = {NULL};
    sd_bus_message *call = call_for(line, verb, interface, member, keys);
    if (call) send(line, call, 0, NULL);
}

static void release(struct json_object *line) { alone(line, "release", FLOWBUS ".Presentable", "Release"); }
static void touch(struct json_object *line) { alone(line, "touch", FLOWBUS ".Presentable", "Touch"); }
static void wait_ready(struct json_object *line) { alone(line, "wait", FLOWBUS ".Flow", "WaitReady"); }

static void acknowledge(struct json_object *line)
{
    static const char *const keys[] = {"acknowledge", NULL};
    struct json_object *token;
    if (!get(line, "acknowledge", json_type_string, "the token of an ask", &token)) return;
    sd_bus_message *call = call_for(line, "on", FLOWBUS ".Presentable", "AcknowledgeAnswer", keys);
    if (call) send(line, call, sd_bus_message_append(call, "s", json_object_get_string(token)), NULL);
}

static int owner_changed(sd_bus_message *signal, void *data, sd_bus_error *unused)
{
    (void)data, (void)unused;
    const char *after;
    if (sd_bus_message_read(signal, "sss", NULL, NULL, &after) < 0) return 0;
    struct json_object *said = take(json_object_new_object());
    add(said, "flowbusd", text(*after ? "there" : "gone"));
    say(said);
    if (!*after) return 0;
    for (struct request *it = requests, *next; it; it = next) {
        next = it->next;
        if (it->is_waiting) ask(it);
    }
    asks_again();
    events_again();
    return 0;
}

void requests_begin(void)
{
    if (sd_event_add_defer(loop, &turn, take_turn, NULL) < 0 || sd_event_source_set_enabled(turn, SD_EVENT_OFF) < 0)
        refuse(71, "there is no event loop"); // EX_OSERR
    sd_bus_add_match_async(bus, NULL,
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" FLOWBUS "'", owner_changed,
        NULL, NULL);
}

void line_came(struct json_object *line)
{
    static const struct {
        const char *verb;
        void (*does)(struct json_object *);
    } verbs[] = {{"emit", emit},       {"ask", ask_for},   {"answer", answer}, {"show", show},   {"hide", hide},   {"save", save},   {"finish", finish},   {"dismiss", dismiss},
                 {"release", release}, {"back", back},     {"touch", touch}, {"serve", serve}, {"watch", watch}, {"wait", wait_ready},
                 {"acknowledge", acknowledge}};
    for (size_t at = 0; at < sizeof verbs / sizeof *verbs; at++)
        if (json_object_object_get_ex(line, verbs[at].verb, NULL)) {
            verbs[at].does(line);
            return;
        }
    fail(line, "InvalidArguments",
        "this line says nothing to do: it needs one of 'emit', 'ask', 'acknowledge', 'back', 'serve', 'answer', 'show', 'hide', 'save', 'finish', "
        "'dismiss', 'release', 'touch', 'watch' and 'wait'");
}
