// SPDX-License-Identifier: Apache-2.0
// Steps that ask for the result of what they lead to. Their line is answered when that is there, after any time and any number of restarts of
// flowbusd. An ask of a screen that the program shows is the screen's: under a token of the program's own it outlives the program.
#include "connect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-id128.h>

#define OWN "lines-" // What tokens begin with that no program has given: no later process knows them.

struct ask {
    struct ask *next;
    struct json_object *line;
    char *token, *verdict, *error, *message; // What became of a step that was pending.
    bool is_emitted, is_repeated;
};

static struct ask *asks;

static struct ask *find(const char *token)
{
    struct ask *ask = asks;
    while (ask && strcmp(ask->token, token)) ask = ask->next;
    return ask;
}

static void over(struct ask *ask)
{
    struct ask **place = &asks;
    while (*place != ask) place = &(*place)->next;
    *place = ask->next;
    json_object_put(ask->line);
    free(ask->token), free(ask->verdict), free(ask->error), free(ask->message);
    free(ask);
    awaited--;
    go_on();
}

static void tell(struct ask *ask, const char *outcome, struct json_object *result)
{
    struct json_object *said = take(json_object_new_object());
    add_id(said, ask->line);
    add(said, "answered", text(ask->token));
    add(said, "outcome", text(outcome));
    if (result) add(said, "result", result);
    say(said);
    over(ask);
}

// `step` is empty where the call is repeated, so that a flowbusd that does not know it takes none.
static void call(struct ask *ask, const char *step, struct json_object *arguments)
{
    static const char *const keys[] = {"ask", "arguments", "token", NULL};
    sd_bus_message *call = call_for(ask->line, "on", FLOWBUS ".Stepper", "EmitStepWithOptions", keys);
    if (!call) {
        over(ask);
        return;
    }
    int result = sd_bus_message_append(call, "s", step);
    if (result >= 0) result = append_members(call, arguments);
    // The verdict is not waited for: a call that waits would be lost with flowbusd.
    if (result >= 0) result = sd_bus_message_append(call, "a{sv}", 3, "ask", "b", true, "token", "s", ask->token, "wait", "b", false);
    ask->is_repeated = !*step;
    ask->is_emitted = false;
    if (!send_ask(ask->line, call, result, ask->token)) over(ask);
}

void ask_for(struct json_object *line)
{
    struct json_object *step, *arguments, *token;
    if (!get(line, "ask", json_type_string, "the name of a step", &step) || !get(line, "arguments", json_type_object, "an object", &arguments) ||
        !get(line, "token", json_type_string, "a text", &token))
        return;
    if (token && find(json_object_get_string(token))) {
        char *why = print("an ask with the token '%.80s' waits already; each ask needs another one", json_object_get_string(token));
        fail(line, "InvalidArguments", why);
        free(why);
        return;
    }
    struct ask *ask = take(calloc(1, sizeof *ask));
    char words[SD_ID128_STRING_MAX];
    sd_id128_t random;
    if (!token && sd_id128_randomize(&random) < 0) abort();
    ask->token = token ? print("%s", json_object_get_string(token)) : print(OWN "%s", sd_id128_to_string(random, words));
    ask->line = json_object_get(line);
    ask->next = asks;
    asks = ask;
    awaited++;
    call(ask, json_object_get_string(step), arguments);
}

void ask_emitted(const char *token, const char *verdict)
{
    struct ask *ask = find(token);
    if (!ask) return;
    ask->is_emitted = true;
    // With these an answer follows.
    if (strcmp(verdict, "navigated") && strcmp(verdict, "deferred") && strcmp(verdict, "pending")) tell(ask, verdict, NULL);
}

void ask_failed(const char *token, const char *error, const char *message)
{
    struct ask *ask = find(token);
    if (!ask) return;
    fail(ask->line, error, ask->is_repeated ? "flowbusd has started again without the tree that it had, so there is no answer" : message);
    over(ask);
}

void asks_again(void)
{
    // From the beginning each time: a call that can't be made ends an ask.
    for (struct ask *ask = asks; ask;) {
        bool is_lost = ask->is_emitted;
        if (is_lost) call(ask, "", NULL);
        ask = is_lost ? asks : ask->next;
    }
}

bool ask_concluded(const char *token, const char *verdict, const char *error, const char *message)
{
    struct ask *ask = find(token);
    if (!ask) return false;
    free(ask->verdict), free(ask->error), free(ask->message);
    ask->verdict = ask->error = ask->message = NULL;
    // The answer says that there is nothing, and this why.
    if (*error) ask->error = print("%s", error), ask->message = print("%s", message);
    else if (strcmp(verdict, "navigated")) ask->verdict = print("%s", verdict);
    return true;
}

// The answer was told, and need not be told to a later process. Of an ask that is this connection's there is nothing to say.
static void acknowledge(const char *path, const char *token)
{
    sd_bus_call_method_async(bus, NULL, FLOWBUS, path, FLOWBUS ".Presentable", "AcknowledgeAnswer", NULL, NULL, "s", token);
}

int answered_signal(sd_bus_message *signal, void *data, sd_bus_error *unused)
{
    (void)data, (void)unused;
    const char *token, *outcome, *path = sd_bus_message_get_path(signal);
    if (sd_bus_message_read(signal, "ss", &token, &outcome) < 0) return 0;
    struct json_object *result = members_of(signal);
    bool has_result = !strcmp(outcome, "result");
    struct ask *ask = find(token);
    if (!strncmp(token, OWN, strlen(OWN))) acknowledge(path, token);
    if (ask && ask->error) {
        fail(ask->line, ask->error, ask->message);
        over(ask);
    } else if (ask) {
        tell(ask, ask->verdict ? ask->verdict : outcome, has_result ? json_object_get(result) : NULL);
    } else if (strncmp(token, OWN, strlen(OWN))) {
        // A process before this one has asked, or this one has not acknowledged it.
        struct json_object *said = take(json_object_new_object());
        add(said, "answered", text(token));
        add(said, "on", node_of(path));
        add(said, "outcome", text(outcome));
        if (has_result) add(said, "result", json_object_get(result));
        say(said);
    }
    json_object_put(result);
    return 0;
}
