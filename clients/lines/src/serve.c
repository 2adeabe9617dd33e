// SPDX-License-Identifier: Apache-2.0
// What flowbusd asks of the program: to show screens, to check steps, to decide. Each question is a line with a number, by which it is answered.
#include "connect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUESTIONS = 1024 }; // That are not answered. flowbusd has time limits, and does not ask so much.

enum kind { PRESENT, ADAPT, NAVIGATE, ALIVE };

struct call {
    struct call *next;
    uint64_t number;
    enum kind kind;
    sd_bus_message *message;
};

static struct call *calls;
static size_t count;
static uint64_t numbers;
static bool answers_alive;

static int keep(sd_bus_message *message, enum kind kind, struct json_object *said, sd_bus_error *error)
{
    if (count >= MOST_QUESTIONS) {
        json_object_put(said);
        return sd_bus_error_setf(error, FLOWBUS ".Error.LimitExceeded", "the program has not answered %d calls", MOST_QUESTIONS);
    }
    struct call *call = take(calloc(1, sizeof *call));
    *call = (struct call){.next = calls, .number = ++numbers, .kind = kind, .message = sd_bus_message_ref(message)};
    calls = call;
    count++;
    add(said, "call", take(json_object_new_uint64(call->number)));
    say(said);
    return 1;
}

static int present(sd_bus_message *message, void *data, sd_bus_error *error)
{
    (void)data;
    const char *path, *name;
    if (sd_bus_message_read(message, "os", &path, &name) < 0) return -EINVAL;
    struct json_object *said = take(json_object_new_object()), *details, *instance;
    add(said, "present", node_of(path));
    add(said, "name", text(name));
    add(said, "arguments", members_of(message));
    add(said, "details", details = members_of(message));
    // All other lines are about it.
    if (json_object_object_get_ex(details, "instance", &instance)) add(said, "instance", json_object_get(instance));
    return keep(message, PRESENT, said, error);
}

static int withdraw(sd_bus_message *message, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *path, *reason;
    uint64_t instance;
    if (sd_bus_message_read(message, "ots", &path, &instance, &reason) < 0) return -EINVAL;
    struct json_object *said = take(json_object_new_object());
    add(said, "withdraw", node_of(path));
    add(said, "instance", take(json_object_new_uint64(instance)));
    add(said, "reason", text(reason));
    say(said);
    return sd_bus_message_get_expect_reply(message) ? sd_bus_reply_method_return(message, NULL) : 1;
}

static int decide(sd_bus_message *message, const char *verb, enum kind kind, sd_bus_error *error)
{
    const char *flow, *step;
    if (sd_bus_message_read(message, "os", &flow, &step) < 0) return -EINVAL;
    struct json_object *said = take(json_object_new_object());
    add(said, verb, text(step));
    add(said, "on", node_of(flow));
    add(said, "arguments", members_of(message));
    add(said, "details", members_of(message));
    return keep(message, kind, said, error);
}

static int adapt(sd_bus_message *message, void *data, sd_bus_error *error)
{
    (void)data;
    return decide(message, "adapt", ADAPT, error);
}

static int navigate(sd_bus_message *message, void *data, sd_bus_error *error)
{
    (void)data;
    return decide(message, "navigate", NAVIGATE, error);
}

static int alive(sd_bus_message *message, void *data, sd_bus_error *error)
{
    (void)data;
    // That this process is there says nothing of the program.
    if (!answers_alive) return sd_bus_error_setf(error, SD_BUS_ERROR_UNKNOWN_METHOD, "the program does not answer whether it is alive");
    struct json_object *said = take(json_object_new_object());
    add(said, "alive", take(json_object_new_boolean(true)));
    return keep(message, ALIVE, said, error);
}

static const sd_bus_vtable presenter[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD_WITH_NAMES("Present", "osa{sv}a{sv}",
        SD_BUS_PARAM(presentable) SD_BUS_PARAM(name) SD_BUS_PARAM(arguments) SD_BUS_PARAM(details), "a{sv}", SD_BUS_PARAM(report), present,
        SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_NAMES("Withdraw", "ots", SD_BUS_PARAM(presentable) SD_BUS_PARAM(instance) SD_BUS_PARAM(reason), "", , withdraw,
        SD_BUS_VTABLE_UNPRIVILEGED | SD_BUS_VTABLE_METHOD_NO_REPLY),
    SD_BUS_METHOD("Alive", "", "", alive, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable guard[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD_WITH_NAMES("Adapt", "osa{sv}a{sv}",
        SD_BUS_PARAM(flow) SD_BUS_PARAM(step) SD_BUS_PARAM(arguments) SD_BUS_PARAM(details), "sa{sv}",
        SD_BUS_PARAM(adaptedStep) SD_BUS_PARAM(adaptedArguments), adapt, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable navigator[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD_WITH_NAMES("Navigate", "osa{sv}a{sv}",
        SD_BUS_PARAM(flow) SD_BUS_PARAM(step) SD_BUS_PARAM(arguments) SD_BUS_PARAM(details), "a(ssa{sv})", SD_BUS_PARAM(contributors), navigate,
        SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static void done(struct json_object *line)
{
    struct json_object *id;
    if (!json_object_object_get_ex(line, "id", &id)) return;
    struct json_object *said = take(json_object_new_object());
    add(said, "id", json_object_get(id));
    add(said, "done", take(json_object_new_boolean(true)));
    say(said);
}

static int named(sd_bus_message *answer, void *data, sd_bus_error *unused)
{
    (void)unused;
    struct json_object *line = data, *name;
    const sd_bus_error *error = sd_bus_message_get_error(answer);
    uint32_t outcome = 0;
    json_object_object_get_ex(line, "serve", &name);
    if (!error) sd_bus_message_read(answer, "u", &outcome);
    if (error) {
        fail(line, error->name, error->message ? error->message : "");
    } else if (outcome != 1 && outcome != 4) {
        char *why = print("another program has the name '%s'", json_object_get_string(name));
        fail(line, SD_BUS_ERROR_ADDRESS_IN_USE, why);
        free(why);
    } else {
        done(line);
    }
    json_object_put(line);
    awaited--;
    go_on();
    return 0;
}

void serve(struct json_object *line)
{
    struct json_object *name, *given, *alive_too;
    char *why = NULL;
    json_object_object_foreach(line, key, value)
    {
        if (!strcmp(key, "id") || !strcmp(key, "serve") || !strcmp(key, "path") || !strcmp(key, "alive")) continue;
        if (!why) why = print("'%.80s' is no key of this line", key);
        (void)value;
    }
    json_object_object_get_ex(line, "serve", &name);
    bool has_path = json_object_object_get_ex(line, "path", &given), has_alive = json_object_object_get_ex(line, "alive", &alive_too);
    if (!why && (!json_object_is_type(name, json_type_string) || !sd_bus_service_name_is_valid(json_object_get_string(name)) ||
                 json_object_get_string(name)[0] == ':'))
        why = print("'serve' is '%.80s', and has to be a bus name, such as \"com.example.Shop\"", shown(name));
    if (!why && has_alive && !json_object_is_type(alive_too, json_type_boolean)) why = print("'alive' has to be true or false");
    // As flowbusd has it where the definition gives no path.
    char *path = why ? NULL : has_path ? print("%s", json_object_get_string(given)) : print("/%s", json_object_get_string(name));
    for (char *at = path; at && !has_path && *at; at++) *at = *at == '.' ? '/' : *at == '-' ? '_' : *at;
    if (!why && !sd_bus_object_path_is_valid(path)) why = print("'path' is '%.80s', and has to be an object path, such as \"/com/example/Shop\"", path);
    if (why) {
        fail(line, "InvalidArguments", why);
        free(why), free(path);
        return;
    }
    if (has_alive) answers_alive = json_object_get_boolean(alive_too);
    // Who is called by the name finds the object. It is there already if this program has another name for it.
    sd_bus_add_object_vtable(bus, NULL, path, FLOWBUS ".Presenter", presenter, NULL);
    sd_bus_add_object_vtable(bus, NULL, path, FLOWBUS ".Guard", guard, NULL);
    sd_bus_add_object_vtable(bus, NULL, path, FLOWBUS ".Navigator", navigator, NULL);
    free(path);
    int result = sd_bus_request_name_async(bus, NULL, json_object_get_string(name), 0, named, json_object_get(line));
    if (result >= 0) {
        awaited++;
        return;
    }
    fail(line, SD_BUS_ERROR_FAILED, strerror(-result));
    json_object_put(line);
}

// Answers.

static int append_report(sd_bus_message *reply, struct json_object *line, char **why)
{
    static const struct {
        const char *key, *what;
        json_type type;
    } members[] = {{"visible", "true or false", json_type_boolean}, {"title", "a text", json_type_string}, {"backStep", "the name of a step", json_type_string},
                   {"tellSight", "true or false", json_type_boolean}};
    struct json_object *report = take(json_object_new_object()), *value;
    for (size_t at = 0; at < sizeof members / sizeof *members; at++) {
        if (!json_object_object_get_ex(line, members[at].key, &value)) continue;
        if (!json_object_is_type(value, members[at].type)) *why = print("'%s' has to be %s", members[at].key, members[at].what);
        add(report, members[at].key, json_object_get(value));
    }
    int result = *why ? -EINVAL : append_members(reply, report);
    json_object_put(report);
    return result;
}

static int append_step(sd_bus_message *reply, struct json_object *line, struct call *call, char **why)
{
    struct json_object *step = NULL, *arguments = NULL;
    bool has_step = json_object_object_get_ex(line, "step", &step), has_arguments = json_object_object_get_ex(line, "arguments", &arguments);
    if (has_step && !json_object_is_type(step, json_type_string)) *why = print("'step' has to be the name of a step");
    if (has_arguments && !json_object_is_type(arguments, json_type_object)) *why = print("'arguments' has to be an object");
    if (*why) return -EINVAL;
    const char *asked;
    int result = sd_bus_message_rewind(call->message, true);
    if (result >= 0) result = sd_bus_message_read(call->message, "os", NULL, &asked);
    if (result >= 0) result = sd_bus_message_append(reply, "s", has_step ? json_object_get_string(step) : asked);
    // The same step with the same arguments; another one has those that are given.
    if (result >= 0 && (has_arguments || has_step)) return append_members(reply, arguments);
    return result < 0 ? result : sd_bus_message_copy(reply, call->message, false);
}

static int append_contributors(sd_bus_message *reply, struct json_object *line, char **why)
{
    struct json_object *list, *kind, *name;
    if (!json_object_object_get_ex(line, "contributors", &list) || !json_object_is_type(list, json_type_array)) {
        *why = print("this answer needs 'contributors', a list");
        return -EINVAL;
    }
    int result = sd_bus_message_open_container(reply, 'a', "(ssa{sv})");
    for (size_t at = 0; result >= 0 && at < json_object_array_length(list); at++) {
        struct json_object *one = json_object_array_get_idx(list, at), *options = take(json_object_new_object());
        if (!json_object_is_type(one, json_type_object) || !json_object_object_get_ex(one, "kind", &kind) ||
            !json_object_is_type(kind, json_type_string) ||
            (json_object_object_get_ex(one, "name", &name) && !json_object_is_type(name, json_type_string))) {
            *why = print("'%.80s' is no contributor: it has to be an object with 'kind' and 'name', and options", shown(one));
            json_object_put(options);
            return -EINVAL;
        }
        json_object_object_foreach(one, key, value)
        {
            if (strcmp(key, "kind") && strcmp(key, "name")) add(options, key, json_object_get(value));
        }
        result = sd_bus_message_open_container(reply, 'r', "ssa{sv}");
        if (result >= 0) result = sd_bus_message_append(reply, "ss", json_object_get_string(kind), name ? json_object_get_string(name) : "");
        if (result >= 0) result = append_members(reply, options);
        if (result >= 0) result = sd_bus_message_close_container(reply);
        json_object_put(options);
    }
    return result < 0 ? result : sd_bus_message_close_container(reply);
}

static int append_error(sd_bus_message *call, sd_bus_message **reply, struct json_object *line, struct json_object *error, char **why)
{
    struct json_object *message = NULL;
    json_object_object_get_ex(line, "message", &message);
    if (!json_object_is_type(error, json_type_string) || (message && !json_object_is_type(message, json_type_string))) {
        *why = print("'error' and 'message' have to be texts");
        return -EINVAL;
    }
    const char *name = json_object_get_string(error);
    char *whole = print("%s%s", strchr(name, '.') ? "" : FLOWBUS ".Error.", name);
    int result = sd_bus_interface_name_is_valid(whole) > 0 ? 0 : -EINVAL;
    if (result < 0) *why = print("'%.80s' can't be the name of an error, such as \"com.example.Error.NoPaper\"", name);
    if (result >= 0) result = sd_bus_message_new_method_errorf(call, reply, whole, "%s", message ? json_object_get_string(message) : "");
    free(whole);
    return result;
}

// The keys that an answer may have.
static bool has_only(struct json_object *line, enum kind kind, bool is_error, char **why)
{
    static const char *const keys[][5] = {[PRESENT] = {"visible", "title", "backStep", "tellSight"}, [ADAPT] = {"step", "arguments"},
                                          [NAVIGATE] = {"contributors"}, [ALIVE] = {NULL}};
    static const char *const of_errors[] = {"error", "message", NULL};
    json_object_object_foreach(line, key, value)
    {
        bool is_known = !strcmp(key, "answer") || !strcmp(key, "id");
        for (const char *const *it = is_error ? of_errors : keys[kind]; *it; it++) is_known = is_known || !strcmp(*it, key);
        if (!is_known && !*why) *why = print("'%.80s' is no key of this answer", key);
        (void)value;
    }
    return !*why;
}

void answer(struct json_object *line)
{
    struct json_object *number, *error = NULL;
    struct call **place = &calls;
    char *why = NULL;
    json_object_object_get_ex(line, "answer", &number);
    bool is_number = json_object_is_type(number, json_type_int), is_error = json_object_object_get_ex(line, "error", &error);
    while (is_number && *place && (*place)->number != json_object_get_uint64(number)) place = &(*place)->next;
    struct call *call = is_number ? *place : NULL;
    if (!call) {
        why = print("there is no call %.40s to answer: it has to be the number 'call' of a line, which is answered once", shown(number));
        fail(line, "InvalidArguments", why);
        free(why);
        return;
    }
    sd_bus_message *reply = NULL;
    int result = has_only(line, call->kind, is_error, &why) ? 0 : -EINVAL;
    if (result >= 0 && is_error) {
        result = append_error(call->message, &reply, line, error, &why);
    } else if (result >= 0) {
        result = sd_bus_message_new_method_return(call->message, &reply);
        if (result >= 0)
            result = call->kind == PRESENT  ? append_report(reply, line, &why)
                   : call->kind == ADAPT    ? append_step(reply, line, call, &why)
                   : call->kind == NAVIGATE ? append_contributors(reply, line, &why) : 0;
    }
    if (result >= 0) result = sd_bus_send(bus, reply, NULL);
    sd_bus_message_unref(reply);
    if (result < 0) {
        // It can be answered once more, as it should be.
        fail(line, "InvalidArguments", why ? why : "a value of this line can't go over the bus");
        free(why);
        return;
    }
    *place = call->next;
    count--;
    sd_bus_message_unref(call->message);
    free(call);
    done(line);
}
