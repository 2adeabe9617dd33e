// SPDX-License-Identifier: Apache-2.0
// What happens: lines that nobody asked for one by one.
#include "connect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static sd_bus_slot *watching[3]; // StackChanged, NavigationOccurred, NavigationFailed.

static void say_stack(sd_bus_message *message, const char *output)
{
    struct json_object *said = take(json_object_new_object()), *screens = take(json_object_new_array());
    const char *path;
    uint64_t instance;
    if (sd_bus_message_enter_container(message, 'a', "(ota{sv})") >= 0)
        while (sd_bus_message_enter_container(message, 'r', "ota{sv}") > 0 && sd_bus_message_read(message, "ot", &path, &instance) >= 0) {
            struct json_object *screen = members_of(message);
            add(screen, "screen", node_of(path));
            add(screen, "instance", take(json_object_new_uint64(instance)));
            json_object_array_add(screens, screen);
            sd_bus_message_exit_container(message);
        }
    add(said, "stack", screens);
    add(said, "output", text(output));
    say(said);
}

static int stack_told(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    if (!sd_bus_message_is_method_error(answer, NULL)) say_stack(answer, "");
    awaited--;
    go_on();
    return 0;
}

static void ask_stack(void)
{
    if (sd_bus_call_method_async(bus, NULL, FLOWBUS, ROOT, FLOWBUS ".Coordinator", "GetStack", stack_told, NULL, "s", "") >= 0) awaited++;
}

static int stack_changed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *output;
    if (sd_bus_message_read(signal, "s", &output) >= 0) say_stack(signal, output);
    return 0;
}

static int navigated(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    uint64_t serial, cause;
    const char *step;
    if (sd_bus_message_read(signal, "ttss", &serial, &cause, NULL, &step) < 0) return 0;
    struct json_object *said = take(json_object_new_object());
    add(said, "navigated", node_of(sd_bus_message_get_path(signal)));
    add(said, "step", text(step));
    add(said, "arguments", members_of(signal));
    add(said, "serial", take(json_object_new_uint64(serial)));
    if (cause) add(said, "cause", take(json_object_new_uint64(cause)));
    say(said);
    return 0;
}

static int failed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *step, *verdict, *name, *message;
    if (sd_bus_message_read(signal, "tsssss", NULL, NULL, &step, &verdict, &name, &message) < 0) return 0;
    struct json_object *said = take(json_object_new_object());
    add(said, "failed", node_of(sd_bus_message_get_path(signal)));
    add(said, "step", text(step));
    add(said, "verdict", text(verdict));
    if (*name) add(said, "error", text(name));
    if (*message) add(said, "message", text(message));
    say(said);
    return 0;
}

void watch(struct json_object *line)
{
    struct json_object *what;
    if (!get(line, "watch", json_type_string, "\"stack\" or \"navigations\"", &what)) return;
    const char *word = json_object_get_string(what);
    bool is_stack = !strcmp(word, "stack");
    if (!is_stack && strcmp(word, "navigations")) {
        char *why = print("'%.80s' can't be watched: it has to be \"stack\" or \"navigations\"", word);
        fail(line, "InvalidArguments", why);
        free(why);
        return;
    }
    if (is_stack && !watching[0]) sd_bus_match_signal_async(bus, &watching[0], FLOWBUS, ROOT, FLOWBUS ".Coordinator", "StackChanged", stack_changed, NULL, NULL);
    if (is_stack) ask_stack();
    if (!is_stack && !watching[1]) {
        sd_bus_match_signal_async(bus, &watching[1], FLOWBUS, NULL, FLOWBUS ".Flow", "NavigationOccurred", navigated, NULL, NULL);
        sd_bus_match_signal_async(bus, &watching[2], FLOWBUS, NULL, FLOWBUS ".Flow", "NavigationFailed", failed, NULL, NULL);
    }
    if (!json_object_object_get_ex(line, "id", NULL)) return;
    struct json_object *said = take(json_object_new_object());
    add_id(said, line);
    add(said, "done", take(json_object_new_boolean(true)));
    say(said);
}

// What comes to this connection alone.

static int concluded(sd_bus_message *signal, void *data, sd_bus_error *unused)
{
    (void)data, (void)unused;
    const char *token, *verdict, *error, *message;
    uint64_t serial;
    if (sd_bus_message_read(signal, "stsss", &token, &serial, &verdict, &error, &message) < 0) return 0;
    if (ask_concluded(token, verdict, error, message)) return 0;
    struct json_object *said = take(json_object_new_object());
    add(said, "concluded", text(token));
    add(said, "serial", take(json_object_new_uint64(serial)));
    if (*verdict) add(said, "verdict", text(verdict));
    if (*error) add(said, "error", text(error));
    if (*message) add(said, "message", text(message));
    say(said);
    return 0;
}

static int sight_changed(sd_bus_message *signal, void *data, sd_bus_error *unused)
{
    (void)data, (void)unused;
    int is_in_sight;
    if (sd_bus_message_read(signal, "b", &is_in_sight) < 0) return 0;
    struct json_object *said = take(json_object_new_object());
    add(said, "sight", take(json_object_new_boolean(is_in_sight)));
    add(said, "screen", node_of(sd_bus_message_get_path(signal)));
    say(said);
    return 0;
}

static int context_changed(sd_bus_message *signal, void *data, sd_bus_error *unused)
{
    (void)data, (void)unused;
    struct json_object *said = take(json_object_new_object());
    add(said, "context", members_of(signal));
    add(said, "screen", node_of(sd_bus_message_get_path(signal)));
    say(said);
    return 0;
}

void events_again(void)
{
    if (watching[0]) ask_stack(); // Nothing is sent because of a restart.
}

void events_begin(void)
{
    static const struct {
        const char *interface, *member;
        sd_bus_message_handler_t handler;
    } own[] = {{".Stepper", "StepConcluded", concluded}, {".Stepper", "Answered", answered_signal}, {".Presentable", "SightChanged", sight_changed}, {".Presentable", "ContextChanged", context_changed}};
    for (size_t at = 0; at < sizeof own / sizeof *own; at++) {
        char *interface = print(FLOWBUS "%s", own[at].interface);
        sd_bus_match_signal_async(bus, NULL, FLOWBUS, NULL, interface, own[at].member, own[at].handler, NULL, NULL);
        free(interface);
    }
}
