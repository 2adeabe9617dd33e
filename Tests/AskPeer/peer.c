#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*act)(const struct present *);
void (*take)(const struct answer *);

static sd_bus *bus;
static const char *role;
static int ledger;
static char *lines; // The ledger, as far as this process knows it.
static size_t length;

// What there is to do, in order. A call of flowbusd may be answered after further messages have come.
static struct present queue[64];
static unsigned queued;
static bool is_due;

_Noreturn static void fail(const char *what, const char *why)
{
    note("failed %s: %s", what, why);
    exit(1);
}

static void check(const char *what, int result)
{
    if (result < 0 && bus && sd_bus_is_open(bus) <= 0) exit(0); // The bus has ended, and the test with it.
    if (result < 0) fail(what, strerror(-result));
}

// MARK: The ledger

void note(const char *format, ...)
{
    char line[512];
    int size = snprintf(line, sizeof line, "%s %d ", role, (int)getpid());
    va_list values;
    va_start(values, format);
    size += vsnprintf(line + size, sizeof line - size - 1, format, values);
    va_end(values);
    line[size++] = '\n';
    // One call, so that the line is there or not.
    if (write(ledger, line, size) != size) abort();
    lines = realloc(lines, length + size + 1);
    memcpy(lines + length, line, size);
    lines[length += size] = 0;
}

static void read_ledger(const char *path)
{
    ledger = open(path, O_RDWR | O_APPEND | O_CREAT, 0600);
    lines = calloc(1, 1);
    char part[4096];
    ssize_t size;
    while ((size = read(ledger, part, sizeof part)) > 0) {
        lines = realloc(lines, length + size + 1);
        memcpy(lines + length, part, size);
        lines[length += size] = 0;
    }
}

unsigned noted(const char *beginning)
{
    unsigned count = 0;
    for (const char *line = lines; line && *line; line = strchr(line, '\n') + 1) {
        const char *rest = strchr(line, ' ');
        bool is_mine = rest && !strncmp(line, role, rest - line);
        if (rest) rest = strchr(rest + 1, ' ');
        count += is_mine && rest && !strncmp(rest + 1, beginning, strlen(beginning));
    }
    return count;
}

// MARK: Calls

// Whether the call has to be repeated: flowbusd died before it answered, or while the bus started it.
static bool has_died(const sd_bus_error *error)
{
    return sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY) ||
           sd_bus_error_has_name(error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
           sd_bus_error_has_name(error, SD_BUS_ERROR_NAME_HAS_NO_OWNER) ||
           (error->name && strstr(error->name, ".Error.Spawn.Child"));
}

const char *call(
    sd_bus_message **reply, const char *path, const char *interface, const char *member, const char *types, ...)
{
    static char name[64];
    char full[64];
    snprintf(full, sizeof full, FLOWBUS ".%s", interface);
    while (true) {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        va_list values;
        va_start(values, types);
        int result = sd_bus_call_methodv(bus, FLOWBUS, path, full, member, &error, reply, types, values);
        va_end(values);
        if (result >= 0) return NULL;
        if (has_died(&error)) {
            note("again %s %s", member, error.name);
            sd_bus_error_free(&error);
            continue;
        }
        if (sd_bus_is_open(bus) <= 0 || !error.name) check(member, result);
        const char *end = error.name ? strrchr(error.name, '.') + 1 : "";
        static const char *const allowed[] = {"UnknownObject", "NotOwner", "InvalidArguments"};
        for (unsigned index = 0; index < sizeof allowed / sizeof *allowed; index++)
            if (!strcmp(end, allowed[index])) {
                snprintf(name, sizeof name, "%s", end);
                note("refused %s %s", member, name);
                sd_bus_error_free(&error);
                return name;
            }
        fail(member, error.name ? error.name : strerror(-result));
    }
}

bool show(const struct present *present)
{
    return !call(NULL, present->path, "Presentable", "SetVisible", "b", true);
}

bool save(const struct present *present, int64_t count, const char *token)
{
    note("save %" PRIu64 " %" PRId64, present->instance, count);
    if (call(NULL, present->path, "Presentable", "SaveState", "a{sv}", 2, "count", "x", count, "token", "s", token))
        return false;
    note("saved %" PRIu64 " %" PRId64, present->instance, count);
    return true;
}

void announce(void)
{
    check("signal", sd_bus_emit_signal(bus, "/", "org.flowbus.AskPeer", "Over", ""));
}

// MARK: Messages

// Reads the values of these names from the dictionary that is next; others are skipped.
static int read_dictionary(
    sd_bus_message *message, int (*read_value)(sd_bus_message *message, const char *name, void *into), void *into)
{
    int result = sd_bus_message_enter_container(message, 'a', "{sv}");
    while (result >= 0 && (result = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        const char *name;
        if ((result = sd_bus_message_read(message, "s", &name)) < 0) break;
        if ((result = read_value(message, name, into)) == 0) result = sd_bus_message_skip(message, "v");
        if (result >= 0) result = sd_bus_message_exit_container(message);
    }
    return result < 0 ? result : sd_bus_message_exit_container(message);
}

static int read_number(sd_bus_message *message, const char *name, void *into)
{
    return strcmp(name, "number") ? 0 : sd_bus_message_read(message, "v", "x", (int64_t *)into);
}

static int read_state(sd_bus_message *message, const char *name, void *into)
{
    struct present *present = into;
    if (!strcmp(name, "count")) return sd_bus_message_read(message, "v", "x", &present->count);
    if (strcmp(name, "token")) return 0;
    const char *token;
    int result = sd_bus_message_read(message, "v", "s", &token);
    if (result >= 0) snprintf(present->token, sizeof present->token, "%s", token);
    return result;
}

static int read_answer(sd_bus_message *message, struct answer *answer)
{
    const char *token, *outcome;
    int result = sd_bus_message_read(message, "ss", &token, &outcome);
    if (result <= 0) return result;
    *answer = (struct answer){0};
    snprintf(answer->token, sizeof answer->token, "%s", token);
    snprintf(answer->outcome, sizeof answer->outcome, "%s", outcome);
    return (result = read_dictionary(message, read_number, &answer->number)) < 0 ? result : 1;
}

// What a `Present` says.
struct details {
    struct present present;
    const char *reason;
    struct answer answers[16];
    unsigned count;
};

static int read_detail(sd_bus_message *message, const char *name, void *into)
{
    struct details *details = into;
    int result;
    if (!strcmp(name, "instance")) return sd_bus_message_read(message, "v", "t", &details->present.instance);
    if (!strcmp(name, "reason")) return sd_bus_message_read(message, "v", "s", &details->reason);
    if (!strcmp(name, "state")) {
        if ((result = sd_bus_message_enter_container(message, 'v', "a{sv}")) < 0) return result;
        if ((result = read_dictionary(message, read_state, &details->present)) < 0) return result;
        return (result = sd_bus_message_exit_container(message)) < 0 ? result : 1;
    }
    if (strcmp(name, "answers")) return 0;
    if ((result = sd_bus_message_enter_container(message, 'v', "a(ssa{sv})")) < 0) return result;
    if ((result = sd_bus_message_enter_container(message, 'a', "(ssa{sv})")) < 0) return result;
    while ((result = sd_bus_message_enter_container(message, 'r', "ssa{sv}")) > 0) {
        if (details->count == sizeof details->answers / sizeof *details->answers) return -E2BIG;
        if ((result = read_answer(message, &details->answers[details->count++])) < 0) return result;
        if ((result = sd_bus_message_exit_container(message)) < 0) return result;
    }
    if (result < 0 || (result = sd_bus_message_exit_container(message)) < 0) return result;
    return (result = sd_bus_message_exit_container(message)) < 0 ? result : 1;
}

static int on_present(sd_bus_message *message)
{
    struct details details = {0};
    const char *path, *name;
    check("Present", sd_bus_message_read(message, "os", &path, &name));
    check("arguments", read_dictionary(message, read_number, &details.present.number));
    check("details", read_dictionary(message, read_detail, &details));
    struct present *present = &details.present;
    snprintf(present->name, sizeof present->name, "%s", name);
    snprintf(
        present->path, sizeof present->path, "/org/flowbus/Navigation1/instance/%" PRIu64, present->instance);
    char tokens[256] = "";
    for (unsigned index = 0; index < details.count; index++) {
        size_t size = strlen(tokens);
        snprintf(tokens + size, sizeof tokens - size, ",%s", details.answers[index].token);
    }
    note(
        "present %s %" PRIu64 " %s %" PRId64 " %s", name, present->instance, details.reason, present->count,
        *tokens ? tokens + 1 : "-");
    check("reply", sd_bus_reply_method_return(message, ""));
    for (unsigned index = 0; index < details.count && take; index++) take(&details.answers[index]);
    if (queued == sizeof queue / sizeof *queue) fail("Present", "too many");
    queue[queued++] = *present;
    return 1;
}

static int on_message(sd_bus_message *message, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    if (sd_bus_message_is_method_call(message, FLOWBUS ".Presenter", "Present")) return on_present(message);
    if (sd_bus_message_is_signal(message, FLOWBUS ".Stepper", "Answered") && take) {
        struct answer answer;
        check("Answered", read_answer(message, &answer));
        take(&answer);
        is_due = true;
    }
    if (sd_bus_message_is_signal(message, "org.freedesktop.DBus", "NameOwnerChanged")) {
        const char *name, *old, *new;
        check("NameOwnerChanged", sd_bus_message_read(message, "sss", &name, &old, &new));
        is_due |= !strcmp(name, FLOWBUS) && *new;
    }
    return 0;
}

void begin(const char *own_role, const char *name, const char *path)
{
    role = own_role;
    read_ledger(path);
    check("sd_bus_new", sd_bus_new(&bus));
    check("address", sd_bus_set_address(bus, getenv("DBUS_STARTER_ADDRESS")));
    check("sd_bus_set_bus_client", sd_bus_set_bus_client(bus, true));
    check("sd_bus_start", sd_bus_start(bus));
    check("sd_bus_add_filter", sd_bus_add_filter(bus, NULL, on_message, NULL));
    check(
        "AddMatch", sd_bus_call_method(
                        bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", NULL,
                        NULL, "s",
                        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" FLOWBUS "'"));
    check("sd_bus_request_name", sd_bus_request_name(bus, name, 0));
}

void serve(void)
{
    while (true) {
        int result = sd_bus_process(bus, NULL);
        if (result < 0) exit(0); // The bus has ended.
        if (result > 0) continue;
        if (queued) {
            struct present present = queue[0];
            memmove(queue, queue + 1, --queued * sizeof *queue);
            act(&present);
        } else if (is_due) {
            is_due = false;
            act(NULL);
        } else if (sd_bus_wait(bus, UINT64_MAX) < 0) {
            exit(0);
        }
    }
}
