// SPDX-License-Identifier: Apache-2.0
// The life of a screen: from its Present to the end of its program, in this order of states. A screen has at most one program at any time.
#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REFUSED FLOWBUS ".Error.Refused"
#define LATER "org.freedesktop.DBus.Error.Failed"

static struct screen *screens;

static struct screen *screen_of_instance(uint64_t instance)
{
    for (struct screen *screen = screens; screen; screen = screen->next)
        if (screen->instance == instance) return screen;
    return NULL;
}

struct screen *screen_of_unit(const char *unit)
{
    for (struct screen *screen = screens; screen; screen = screen->next)
        if (screen->unit && !strcmp(screen->unit, unit)) return screen;
    return NULL;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void free_list(char **list)
{
    for (char **text = list; list && *text; text++) free(*text);
    free(list);
}

static bool is_same(char **one, char **other)
{
    for (; *one && *other && !strcmp(*one, *other); one++, other++) {}
    return !*one && !*other;
}

// Answers a Present, and lets it go.
static void accept(sd_bus_message **call, bool is_visible)
{
    if (*call) sd_bus_reply_method_return(*call, "a{sv}", is_visible ? 1 : 0, "visible", "b", true);
    *call = sd_bus_message_unref(*call);
}

static void turn_down(sd_bus_message **call, const char *error, const char *message)
{
    if (*call) sd_bus_reply_method_errorf(*call, error, "%s", message);
    *call = sd_bus_message_unref(*call);
}

// The command line of a Present, its references replaced; NULL and why not.
static char **command_of(sd_bus_message *call, char **why)
{
    char **words = NULL, **command = NULL;
    size_t count = 0;
    if (find_run(call, "command") <= 0 || sd_bus_message_read_strv(call, &words) < 0 || !words || !words[0]) {
        *why = print("the screen has no command line: its definition has to have the key 'run'");
        free_list(words);
        return NULL;
    }
    for (char **word = words; *word; word++) count++;
    command = take(calloc(count + 1, sizeof *command));
    count = 0;
    for (char **word = words; *word && !*why; word++) {
        const char *text = *word;
        if (text[0] != '$') {
            command[count++] = take(strdup(text));
        } else if (text[1] == '$') {
            command[count++] = take(strdup(text + 1));
        } else if (find_argument(call, text + 1) > 0) {
            char *value = read_text(call);
            if (value) command[count++] = value;
            else *why = print("the argument '%s' is no text and no number, so it can't be a part of a command line", text + 1);
        } // An optional argument that is not given leaves nothing.
    }
    free_list(words);
    if (!*why) return command;
    free_list(command);
    return NULL;
}

// What is the service's own, and would mislead a program.
static bool is_own(const char *variable)
{
    static const char *const names[] = {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
        "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
        "XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID", "FLOWBUS_SCREEN"};
    size_t length = strcspn(variable, "=");
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (strlen(names[at]) == length && !strncmp(names[at], variable, length)) return true;
    return false;
}

// Adds a variable, in place of one of that name.
static void set(char **list, size_t *count, char *variable)
{
    size_t length = strcspn(variable, "=") + 1;
    for (size_t at = 0; at < *count; at++) {
        if (strncmp(list[at], variable, length)) continue;
        free(list[at]);
        list[at] = variable;
        return;
    }
    list[(*count)++] = variable;
}

// That of this process, above it that of the manager, and what the screen adds.
static char **environment_of(struct screen *screen, char **managers)
{
    size_t room = 5, count = 0;
    char **const sources[] = {environ, managers};
    for (int source = 0; source < 2; source++)
        for (char **it = sources[source]; it && *it; it++) room++;
    char **list = take(calloc(room, sizeof *list));
    for (int source = 0; source < 2; source++)
        for (char **it = sources[source]; it && *it; it++)
            if (strchr(*it, '=') && !is_own(*it)) set(list, &count, take(strdup(*it)));
    set(list, &count, print("FLOWBUS_SCREEN=%s", screen->path));
    if (find_detail(screen->described, "activation-token") > 0) {
        char *token = read_text(screen->described);
        if (token) {
            set(list, &count, print("XDG_ACTIVATION_TOKEN=%s", token));
            set(list, &count, print("DESKTOP_STARTUP_ID=%s", token));
        }
        free(token);
    }
    return list;
}

static void start(sd_bus_message *call, uint64_t instance, char **command);

// Forgets a screen that has nothing any more, and starts what waits for that.
static void settle(struct screen *screen)
{
    if (screen->process || screen->has_unit || screen->asking || (screen->state == ENDED ? !screen->is_told : screen->state != STOPPING)) return;
    for (struct screen **place = &screens; *place; place = &(*place)->next) {
        if (*place != screen) continue;
        *place = screen->next;
        break;
    }
    sd_bus_message *following = screen->following;
    process_forget(screen);
    sd_bus_slot_unref(screen->telling), sd_bus_slot_unref(screen->checking);
    sd_bus_message_unref(screen->described);
    turn_down(&screen->call, LATER, "the screen was withdrawn");
    free_list(screen->command), free_list(screen->environment);
    free(screen->name), free(screen->path), free(screen->unit), free(screen->text);
    free(screen);
    if (!following) return;
    screen_present(following);
    sd_bus_message_unref(following);
}

static void stop(struct screen *screen)
{
    turn_down(&screen->call, LATER, "the screen was withdrawn");
    screen->telling = sd_bus_slot_unref(screen->telling);
    if (screen->has_unit) unit_stop(screen);
    if (!has_units || screen->state == PREPARING) process_stop(screen);
    screen->state = STOPPING;
    settle(screen);
}

void screen_fail(struct screen *screen, const char *error, const char *format, ...)
{
    char *message = NULL;
    va_list values;
    va_start(values, format);
    if (vasprintf(&message, format, values) < 0) abort();
    va_end(values);
    note("%s: %s", screen->name, message);
    turn_down(&screen->call, error, message);
    free(message);
    stop(screen);
}

static void start(sd_bus_message *call, uint64_t instance, char **command)
{
    const char *name;
    struct screen *screen = take(calloc(1, sizeof *screen));
    screen->instance = instance;
    screen->command = command;
    screen->go = screen->status = -1;
    screen->path = print("/org/flowbus/Navigation1/instance/%llu", (unsigned long long)instance);
    sd_bus_message_rewind(call, true);
    screen->name = take(strdup(sd_bus_message_read(call, "os", NULL, &name) > 0 ? name : ""));
    screen->described = sd_bus_message_ref(call);
    screen->call = sd_bus_message_ref(call);
    screen->has_result = find_run(call, "result") > 0;
    screen->next = screens;
    screens = screen;
    if (has_units) {
        unit_environment(screen);
    } else if (!namespaces_work()) {
        screen_fail(screen, REFUSED,
            "a program can't be ended for certain here: flowbus-run is no service of a user manager, and may make no PID namespaces");
    } else {
        screen->environment = environment_of(screen, NULL);
        if (process_start(screen, true)) process_go(screen);
        else screen_fail(screen, LATER, "there can be no process for it: %s", strerror(errno));
    }
}

void screen_has_environment(struct screen *screen, char **environment)
{
    screen->environment = environment_of(screen, environment);
    free_list(environment);
    if (screen->state == STOPPING) settle(screen);
    else if (process_start(screen, false)) unit_start(screen);
    else screen_fail(screen, LATER, "there can be no process for it: %s", strerror(errno));
}

void screen_unit_ready(struct screen *screen)
{
    process_go(screen);
}

void screen_unit_gone(struct screen *screen)
{
    screen->has_unit = false;
    settle(screen);
}

void screen_runs(struct screen *screen)
{
    screen->state = RUNNING;
    screen->started = now();
    accept(&screen->call, true);
}

void screen_cannot_run(struct screen *screen, int error)
{
    screen_fail(screen, REFUSED, error == ENOENT ? "there is no program '%s'%s" : "the program '%s' can't be started: %s", screen->command[0],
        error != ENOENT ? strerror(error) : strchr(screen->command[0], '/') ? "" : " in the folders of PATH");
}

void screen_ended(struct screen *screen, int status)
{
    if (screen->state == STOPPING) {
        settle(screen);
    } else if (screen->state != RUNNING) {
        screen_fail(screen, LATER, "its process was killed before it was started");
    } else {
        screen->state = ENDED;
        screen->ended = status;
        screen->lasted = now() - screen->started;
        if (screen->has_unit) unit_stop(screen); // What it has left behind.
        report(screen);
    }
}

void screen_told(struct screen *screen)
{
    screen->is_told = true;
    settle(screen);
}

void screen_present(sd_bus_message *call)
{
    char *why = NULL;
    uint64_t instance;
    if (find_detail(call, "instance") <= 0 || sd_bus_message_read(call, "t", &instance) < 0) {
        sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.InvalidArgs", "the details have no 'instance' of the type t");
        return;
    }
    char **command = command_of(call, &why);
    if (!command) {
        sd_bus_reply_method_errorf(call, REFUSED, "%s", why);
        free(why);
        return;
    }
    struct screen *screen = screen_of_instance(instance);
    if (!screen) {
        start(call, instance, command);
        return;
    }
    bool is_same_command = is_same(screen->command, command);
    free_list(command);
    if (screen->state == STOPPING || !is_same_command) {
        // One program after the other: this one begins when nothing of the other is left.
        turn_down(&screen->following, LATER, "the screen was presented once more");
        screen->following = sd_bus_message_ref(call);
        screen->is_told = true;
        if (screen->state == ENDED) {
            screen->telling = sd_bus_slot_unref(screen->telling);
            settle(screen);
        } else if (screen->state != STOPPING) {
            stop(screen);
        }
        return;
    }
    // It runs already, or has run: it is not started again.
    sd_bus_message_unref(screen->described);
    screen->described = sd_bus_message_ref(call);
    accept(&screen->call, false);
    screen->call = sd_bus_message_ref(call);
    if (screen->state == RUNNING || screen->state == ENDED) accept(&screen->call, true);
    if (screen->state == ENDED && screen->is_waiting) report(screen);
}

void screen_withdraw(uint64_t instance, const char *reason)
{
    struct screen *screen = screen_of_instance(instance);
    if (!screen) return;
    turn_down(&screen->following, LATER, "the screen was withdrawn");
    note("%s: withdrawn (%s)", screen->name, reason);
    if (screen->state == ENDED) {
        screen->telling = sd_bus_slot_unref(screen->telling);
        screen_told(screen);
    } else if (screen->state != STOPPING) {
        stop(screen);
    }
}

static int checked(sd_bus_message *answer, void *data, sd_bus_error *unused)
{
    (void)unused;
    struct screen *screen = data;
    const sd_bus_error *error = sd_bus_message_get_error(answer);
    screen->checking = sd_bus_slot_unref(screen->checking);
    if (error && sd_bus_error_has_name(error, "org.freedesktop.DBus.Error.UnknownObject")) screen_withdraw(screen->instance, "flowbusd has no such screen");
    return 0;
}

void screens_check(void)
{
    for (struct screen *screen = screens, *next; screen; screen = next) {
        next = screen->next;
        if (screen->state == ENDED) {
            if (screen->is_waiting) report(screen);
        } else if (screen->state != STOPPING) {
            screen->checking = sd_bus_slot_unref(screen->checking);
            sd_bus_call_method_async(bus, &screen->checking, FLOWBUS, screen->path, "org.freedesktop.DBus.Properties", "Get", checked, screen, "ss",
                FLOWBUS ".Presentable", "Name");
        }
    }
}
