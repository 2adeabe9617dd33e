// SPDX-License-Identifier: Apache-2.0
// How a program ended, as its definition says it to flowbusd. What is lost with flowbusd is said again.
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define PRESENTABLE FLOWBUS ".Presentable"

enum { SOON = 1000 * 1000 }; // us: nobody sees a window, and closes it, in this time.

static int answered(sd_bus_message *answer, void *data, sd_bus_error *error);

// What the definition says for an exit status. If that is a step, the message is at its table afterwards.
static enum ending ending_of(struct screen *screen, int status)
{
    char key[4];
    snprintf(key, sizeof key, "%d", status);
    const char *const keys[] = {key, "other"};
    for (int at = 0; at < 2; at++) {
        const char *word = NULL;
        char type = 0;
        if (find_run(screen->described, "exit") <= 0) break;
        if (find_entry(screen->described, keys[at]) <= 0) continue;
        if (sd_bus_message_peek_type(screen->described, &type, NULL) > 0 && type == 'a') return ENDING_STEP;
        if (sd_bus_message_read(screen->described, "s", &word) < 0) return ENDING_FAILED;
        return !strcmp(word, "closed") ? ENDING_CLOSED : !strcmp(word, "done") ? ENDING_DONE
             : !strcmp(word, "result") ? ENDING_RESULT : ENDING_FAILED;
    }
    return status ? ENDING_FAILED : screen->has_result ? ENDING_RESULT : ENDING_CLOSED;
}

// What has happened, then the last lines of standard error.
static char *with_errors(struct screen *screen, char *what)
{
    const char *at = screen->tail, *end = at + screen->tail_length;
    // Of a line whose beginning is lost, nothing.
    if (screen->tail_length == MOST_ERRORS) {
        const char *line = memchr(at, '\n', screen->tail_length);
        if (line && line + 1 < end) at = line + 1;
    }
    while (end > at && (end[-1] == '\n' || end[-1] == '\r')) end--;
    if (at == end) return what;
    char *errors = clean(at, (size_t)(end - at)), *all = print("%s: %s", what, errors);
    free(what), free(errors);
    return all;
}

// Without a time limit: flowbusd answers each call, and if it ends, the bus says so.
static int tell(struct screen *screen, sd_bus_message *call)
{
    return sd_bus_call_async(bus, &screen->telling, call, answered, screen, UINT64_MAX);
}

static void dismiss_with(struct screen *screen, const char *error, const char *message)
{
    sd_bus_message *call = NULL;
    screen->tells = TELLS_END;
    int result = sd_bus_message_new_method_call(bus, &call, FLOWBUS, screen->path, PRESENTABLE, "DismissWithOptions");
    if (result >= 0)
        result = error ? sd_bus_message_append(call, "a{sv}", 2, "error", "s", error, "message", "s", message) : sd_bus_message_append(call, "a{sv}", 0);
    if (result >= 0) result = tell(screen, call);
    sd_bus_message_unref(call);
    if (result < 0) screen_told(screen);
}

static void dismiss(struct screen *screen)
{
    dismiss_with(screen, NULL, NULL);
}

static void fail(struct screen *screen, const char *error, char *said)
{
    // It can quote what the program wrote, also a part of a character, and a call with such a text would never leave: the screen would stay.
    char *message = clean(said, strlen(said)), *whole = print(ERROR "%s", error);
    note("%s: %s", screen->name, message);
    dismiss_with(screen, whole, message);
    free(said), free(message), free(whole);
}

static void finish(struct screen *screen)
{
    sd_bus_message *call = NULL;
    char *why = NULL;
    screen->tells = TELLS_RESULT;
    int result = sd_bus_message_new_method_call(bus, &call, FLOWBUS, screen->path, PRESENTABLE, "Finish");
    if (result >= 0 && screen->text_length > MOST_OUTPUT) {
        why = print("standard output is longer than %d bytes", MOST_OUTPUT);
        result = -E2BIG;
    }
    if (result >= 0) result = append_result(call, screen, &why);
    if (result >= 0) result = tell(screen, call);
    if (result < 0) fail(screen, "Result", print("'%s' gives no result: %s", screen->command[0], why ? why : strerror(-result)));
    free(why);
    sd_bus_message_unref(call);
}

// The arguments of the step, in a table of the definition: values, and texts that may be references.
static int append_step(sd_bus_message *call, struct screen *screen, const char *message)
{
    sd_bus_message *from = screen->described;
    const char *key, *contents, *step = NULL;
    sd_bus_message *arguments = NULL;
    int result = sd_bus_message_new_method_call(bus, &arguments, FLOWBUS, screen->path, FLOWBUS, "None");
    if (result >= 0) result = sd_bus_message_open_container(arguments, 'a', "{sv}");
    ending_of(screen, WEXITSTATUS(screen->ended)); // Leaves the message at the table.
    // References move the message that they are read from, so the table is read from another one.
    sd_bus_message *table = NULL;
    if (result >= 0) result = sd_bus_message_new_method_call(bus, &table, FLOWBUS, screen->path, FLOWBUS, "None");
    if (result >= 0) result = sd_bus_message_copy(table, from, false);
    if (result >= 0) result = sd_bus_message_seal(table, 1, 0);
    if (result >= 0) result = sd_bus_message_enter_container(table, 'a', "{sv}");
    while (result >= 0 && (result = sd_bus_message_enter_container(table, 'e', "sv")) > 0) {
        result = sd_bus_message_read(table, "s", &key);
        if (result >= 0 && !strcmp(key, "step")) {
            result = sd_bus_message_read(table, "v", "s", &step);
        } else if (result >= 0) {
            result = sd_bus_message_enter_container(table, 'v', "a{sv}");
            if (result >= 0) result = sd_bus_message_enter_container(table, 'a', "{sv}");
            while (result >= 0 && (result = sd_bus_message_enter_container(table, 'e', "sv")) > 0) {
                const char *name, *text = NULL;
                result = sd_bus_message_read(table, "s", &name);
                if (result >= 0) result = sd_bus_message_peek_type(table, NULL, &contents);
                if (result >= 0) result = sd_bus_message_enter_container(table, 'v', contents);
                bool is_text = result >= 0 && !strcmp(contents, "s");
                if (is_text) result = sd_bus_message_read(table, "s", &text);
                // Nothing is appended for an optional argument that is not there.
                bool is_reference = is_text && text[0] == '$' && text[1] != '$';
                bool is_there = !is_reference || !strcmp(text + 1, "message") || find_argument(screen->described, text + 1) > 0;
                if (result >= 0 && is_there) {
                    result = sd_bus_message_open_container(arguments, 'e', "sv");
                    if (result >= 0) result = sd_bus_message_append(arguments, "s", name);
                    if (result >= 0)
                        result = is_reference ? append_reference(arguments, text + 1, screen, message)
                               : is_text      ? sd_bus_message_append(arguments, "v", "s", text + (text[0] == '$'))
                                              : copy_variant(arguments, table);
                    if (result >= 0) result = sd_bus_message_close_container(arguments);
                }
                if (result >= 0) result = sd_bus_message_exit_container(table);
                if (result >= 0) result = sd_bus_message_exit_container(table);
            }
            if (result >= 0) result = sd_bus_message_exit_container(table);
            if (result >= 0) result = sd_bus_message_exit_container(table);
        }
        if (result >= 0) result = sd_bus_message_exit_container(table);
    }
    if (result >= 0) result = sd_bus_message_close_container(arguments);
    if (result >= 0) result = sd_bus_message_seal(arguments, 1, 0);
    if (result >= 0) result = step ? sd_bus_message_append(call, "s", step) : -EINVAL;
    if (result >= 0) result = sd_bus_message_copy(call, arguments, true);
    sd_bus_message_unref(table), sd_bus_message_unref(arguments);
    return result;
}

static void emit(struct screen *screen, char *message)
{
    sd_bus_message *call = NULL;
    char *token = print("run-%" PRIu64, screen->instance);
    screen->tells = TELLS_STEP;
    int result = sd_bus_message_new_method_call(bus, &call, FLOWBUS, screen->path, FLOWBUS ".Stepper", "EmitStepWithOptions");
    if (result >= 0) result = append_step(call, screen, message);
    if (result >= 0) result = sd_bus_message_append(call, "a{sv}", 1, "token", "s", token); // A repeated call brings no second step.
    if (result >= 0) result = tell(screen, call);
    if (result < 0) fail(screen, "Step", print("the step of the status %d can't be emitted: %s", WEXITSTATUS(screen->ended), strerror(-result)));
    free(token), free(message);
    sd_bus_message_unref(call);
}

static bool is_lost(const sd_bus_error *error)
{
    static const char *const names[] = {"NoReply", "Timeout", "TimedOut", "Disconnected", "ServiceUnknown", "NameHasNoOwner"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (!strncmp(error->name, "org.freedesktop.DBus.Error.", 27) && !strcmp(error->name + 27, names[at])) return true;
    // It has not got the answer to Present that made this the owner, and asks once more.
    return !strcmp(error->name, FLOWBUS ".Error.NotOwner");
}

static int answered(sd_bus_message *answer, void *data, sd_bus_error *unused)
{
    (void)unused;
    struct screen *screen = data;
    const sd_bus_error *error = sd_bus_message_get_error(answer);
    screen->telling = sd_bus_slot_unref(screen->telling);
    if (error && is_lost(error)) {
        screen->is_waiting = true;
    } else if (error && sd_bus_error_has_name(error, "org.freedesktop.DBus.Error.UnknownObject")) {
        screen_told(screen);
    } else if (error && screen->tells == TELLS_RESULT) {
        fail(screen, "Result", print("'%s' gives no result: %s", screen->command[0], error->message));
    } else if (screen->tells == TELLS_STEP) {
        // A screen without its program is none. That no flow took the step has to be known, as it can be that of a payment; one that waits
        // for the screen to come back (`deferred`) is lost with it.
        const char *verdict = "";
        if (error)
            fail(screen, "Step", print("the step of the status %d is refused: %s", WEXITSTATUS(screen->ended), error->message));
        else if (sd_bus_message_read(answer, "ts", NULL, &verdict) >= 0 && strcmp(verdict, "navigated") && strcmp(verdict, "pending"))
            fail(screen, "Step", print("the step of the status %d was not taken: its verdict was '%s'", WEXITSTATUS(screen->ended), verdict));
        else
            dismiss(screen);
    } else {
        if (error) note("%s: flowbusd refuses how it ended: %s", screen->name, error->message);
        screen_told(screen);
    }
    return 0;
}

void report(struct screen *screen)
{
    screen->is_waiting = false;
    if (screen->telling || screen->is_told) return;
    const char *program = screen->command[0];
    if (WIFSIGNALED(screen->ended)) {
        int number = WTERMSIG(screen->ended);
        const char *abbreviation = sigabbrev_np(number);
        fail(screen, "Killed", with_errors(screen, print("'%s' was killed by the signal %d (%s)", program, number, abbreviation ? abbreviation : "?")));
        return;
    }
    int status = WEXITSTATUS(screen->ended);
    char *message = with_errors(screen, print("'%s' ended with the status %d", program, status));
    switch (ending_of(screen, status)) {
    case ENDING_CLOSED:
        // Of a program that is one process for all its windows, the second one hands over to the first and ends, with its window elsewhere.
        if (screen->lasted < SOON) {
            free(message);
            fail(screen, "HandedOver",
                with_errors(screen, print("handed over: '%s' ended after %d ms with the status %d, before anybody could close it; it may have given its "
                                          "window to a process that ran already: have it stay a process of its own, or write exit = { %d = \"done\" }",
                                         program, (int)(screen->lasted / 1000), status, status)));
            return;
        }
        free(message);
        dismiss(screen);
        return;
    case ENDING_DONE:
        free(message);
        dismiss(screen);
        return;
    case ENDING_RESULT:
        free(message);
        finish(screen);
        return;
    case ENDING_STEP: emit(screen, message); return;
    case ENDING_FAILED: fail(screen, "Exited", message); return;
    }
}
