// SPDX-License-Identifier: Apache-2.0
// The options, the loop, and the object that flowbusd calls.
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

sd_event *loop;
sd_bus *bus;
uint64_t grace = 5 * 1000 * 1000;
static char *flowbusd; // Its unique name; NULL while it is not there.

void note(const char *format, ...)
{
    char line[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    fprintf(stderr, "flowbus-run: %s\n", line);
}

// Whether a call is flowbusd's: nobody else says what is started.
static bool is_of_flowbusd(sd_bus_message *call)
{
    const char *sender = sd_bus_message_get_sender(call);
    return sender && flowbusd && !strcmp(sender, flowbusd);
}

static int present(sd_bus_message *call, void *data, sd_bus_error *error)
{
    (void)data;
    if (!is_of_flowbusd(call))
        return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED, "only the owner of the name " FLOWBUS " has programs started");
    screen_present(call);
    return 1;
}

static int withdraw(sd_bus_message *call, void *data, sd_bus_error *error)
{
    (void)data;
    uint64_t instance;
    const char *reason;
    if (!is_of_flowbusd(call))
        return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED, "only the owner of the name " FLOWBUS " has programs ended");
    if (sd_bus_message_read(call, "ots", NULL, &instance, &reason) >= 0) screen_withdraw(instance, reason);
    return sd_bus_message_get_expect_reply(call) ? sd_bus_reply_method_return(call, NULL) : 1;
}

static int alive(sd_bus_message *call, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    return sd_bus_reply_method_return(call, NULL);
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

static void know(const char *owner)
{
    free(flowbusd);
    flowbusd = owner && *owner ? take(strdup(owner)) : NULL;
}

static int owner_changed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *after;
    if (sd_bus_message_read(signal, "sss", NULL, NULL, &after) < 0) return 0;
    know(after);
    // The programs go on without flowbusd; the next one has their screens, or has not.
    if (*after) screens_check();
    return 0;
}

static void connect_to(const char *address)
{
    sd_bus_message *answer = NULL;
    const char *owner;
    bus = open_bus(address, false, loop);
    int result = sd_bus_add_match(bus, NULL,
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" FLOWBUS "'",
        owner_changed, NULL);
    if (result >= 0) result = sd_bus_add_object_vtable(bus, NULL, PATH, FLOWBUS ".Presenter", presenter, NULL);
    if (result < 0) refuse_bus(address, false, result);
    if (sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", NULL, &answer, "s",
            FLOWBUS) >= 0 &&
        sd_bus_message_read(answer, "s", &owner) >= 0)
        know(owner);
    sd_bus_message_unref(answer);
}

static uint64_t seconds(const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno || !(value >= 0.01 && value <= 600))
        refuse(EX_USAGE, "'%s' is no time for --grace: it has to be a number of seconds from 0.01 to 600, such as 5", text);
    return (uint64_t)(value * 1e6);
}

int main(int count, char **arguments)
{
    static const struct option options[] = {
        {"address", required_argument, NULL, 'a'}, {"grace", required_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},          {"version", no_argument, NULL, 'v'}, {0}};
    const char *address = NULL;
    for (int option; (option = getopt_long(count, arguments, "", options, NULL)) >= 0;) {
        switch (option) {
        case 'a': address = optarg; break;
        case 'g': grace = seconds(optarg); break;
        case 'h':
            puts("usage: flowbus-run [--address ADDRESS] [--grace SECONDS]\n\n"
                 "Shows the screens whose definitions have the key 'run': starts the command line, and ends it with its screen.\n\n"
                 "  --address ADDRESS  follow the flowbusd of the bus with this address, not of the session\n"
                 "  --grace SECONDS    the time from the signal TERM to KILL (default: 5)\n"
                 "  --help             print this\n"
                 "  --version          print the version");
            return 0;
        case 'v': puts("flowbus-run " VERSION); return 0;
        default: refuse(EX_USAGE, "see `flowbus-run --help`");
        }
    }
    if (optind < count) refuse(EX_USAGE, "'%s' is too much: there are no arguments, only options; see `flowbus-run --help`", arguments[optind]);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL); // The loop gets it.
    signal(SIGPIPE, SIG_IGN);
    if (sd_event_default(&loop) < 0) refuse(EX_OSERR, "there is no event loop: %s", strerror(errno));
    connect_to(address);
    if (!units_begin() && !namespaces_work())
        note("flowbus-run is no service of a user manager, and may make no PID namespaces: all screens are refused");
    // The name comes last: who sees it can call.
    int result = sd_bus_request_name(bus, NAME, 0);
    if (result == -EEXIST) refuse(EX_UNAVAILABLE, "another flowbus-run has the name " NAME);
    if (result < 0) refuse(EX_UNAVAILABLE, "the bus does not give the name " NAME ": %s", strerror(-result));
    sd_notify(0, "READY=1");
    result = sd_event_loop(loop);
    return result < 0 ? EX_OSERR : result;
}
