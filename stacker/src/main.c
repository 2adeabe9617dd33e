// SPDX-License-Identifier: Apache-2.0
// The loop, the options, and what is told about this program.
#include "stacker.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#define NAME "org.flowbus.Stacker1"

sd_event *loop;
static sd_bus *bus;
static sd_event_source *due, *later;
static const struct backend *backend;
static const char **arguments;
static char **exempt;
static bool prints, has_name;
static char status[256];

uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

void process_name(pid_t process, char name[16])
{
    char path[32];
    *name = 0;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    FILE *file = process ? fopen(path, "re") : NULL;
    if (file && fgets(name, 16, file)) name[strcspn(name, "\n")] = 0;
    if (file) fclose(file);
}

void note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("flowbus-stacker: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

void refuse(int code, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    note("%s", text);
    sd_notifyf(0, "STATUS=%s", text);
    exit(code);
}

void tell_status(const char *format, ...)
{
    char text[sizeof status];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!strcmp(text, status)) return;
    strcpy(status, text);
    sd_notifyf(0, "STATUS=%s", status);
    if (bus) sd_bus_emit_properties_changed(bus, PATH, NAME, "Status", NULL);
}

void begin_anew(const char *why)
{
    // A new process image has nothing of before, so that it can't differ from one that was just started.
    note("%s; beginning anew", why);
    sd_notify(0, "STATUS=Waiting for a compositor");
    execv("/proc/self/exe", (char **)arguments);
    exit(EX_OSERR);
}

static int look_now(sd_event_source *source, void *data)
{
    if (backend && has_name) look(backend, exempt, prints);
    return 0;
}

static int name_acquired(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    const char *name;
    if (sd_bus_message_read(signal, "s", &name) < 0 || strcmp(name, NAME)) return 0;
    has_name = true;
    changed();
    return 0;
}

static int look_later(sd_event_source *source, uint64_t time, void *data)
{
    changed();
    return 0;
}

void changed(void)
{
    sd_event_source_set_enabled(due, SD_EVENT_ONESHOT);
}

// The earliest of them: a look asks once more for what it finds still to be waited for.
void changed_at(uint64_t time)
{
    uint64_t set;
    int enabled = SD_EVENT_OFF;
    sd_event_source_get_enabled(later, &enabled);
    if (enabled != SD_EVENT_OFF && sd_event_source_get_time(later, &set) >= 0 && set > now() && set <= time) return;
    sd_event_source_set_time(later, time);
    sd_event_source_set_enabled(later, SD_EVENT_ONESHOT);
}

static int get(sd_bus *from, const char *path, const char *interface, const char *property, sd_bus_message *reply, void *data,
    sd_bus_error *error)
{
    const char *value = !strcmp(property, "Backend") ? backend ? backend->name : ""
                      : !strcmp(property, "Version") ? backend ? backend->version : ""
                      : !strcmp(property, "Can")     ? backend ? backend->can : ""
                                                     : status;
    return sd_bus_message_append(reply, "s", value);
}

// flowbusctl asks for these.
static const sd_bus_vtable properties[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Backend", "s", get, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("Version", "s", get, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("Can", "s", get, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("Status", "s", get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_VTABLE_END,
};

static int display_listens(sd_event_source *source, uint64_t time, void *data)
{
    begin_anew("the display is there");
    return 0;
}

static int socket_appeared(sd_event_source *source, const struct inotify_event *event, void *name)
{
    // An X server and a Wayland compositor bind and listen in one go; nothing tells of the second.
    if (event->len && !strcmp(event->name, name))
        sd_event_add_time_relative(loop, NULL, CLOCK_MONOTONIC, 50000, 1000, display_listens, NULL);
    return 0;
}

static bool connect_to(const char *wayland)
{
    const char *sway = getenv("SWAYSOCK");
    // sway has its second socket a moment later than the first one.
    backend = !wayland ? ewmh_connect() : sway && *sway ? sway_connect() : wayland_connect();
    return backend;
}

// Waits, without a wake-up, until somebody makes a socket.
static void wait_for(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) refuse(EX_CONFIG, "'%s' is no path of a socket", path);
    tell_status("Waiting for the display at '%s'", path);
    note("there is no display at '%s' yet", path);
    *slash = 0;
    if (sd_event_add_inotify(loop, NULL, path, IN_CREATE | IN_MOVED_TO, socket_appeared, slash + 1) < 0)
        refuse(EX_UNAVAILABLE, "there is no folder '%s'", path); // The service manager starts this program again.
}

static void find_backend(void)
{
    const char *wayland = getenv("WAYLAND_DISPLAY"), *x11 = getenv("DISPLAY"), *folder = getenv("XDG_RUNTIME_DIR");
    const char *sway = getenv("SWAYSOCK");
    static char path[256];
    if (wayland && *wayland) {
        bool is_path = *wayland == '/' || !folder;
        if (sway && *sway) snprintf(path, sizeof path, "%s", sway);
        else snprintf(path, sizeof path, "%s%s%s", is_path ? "" : folder, is_path ? "" : "/", wayland);
    } else if (x11 && *x11) {
        wayland = NULL;
        const char *number = strchr(x11, ':');
        snprintf(path, sizeof path, "/tmp/.X11-unix/X%.*s", number ? (int)strcspn(number + 1, ".") : 0, number ? number + 1 : "");
    } else {
        refuse(EX_CONFIG, "there is no display: set WAYLAND_DISPLAY (with sway SWAYSOCK, too), or DISPLAY");
    }
    if (connect_to(wayland)) return;
    wait_for(path);
    connect_to(wayland); // It may have come between the two.
}

static void usage(FILE *file)
{
    fputs("usage: flowbus-stacker [--system | --address ADDRESS] [--exempt NAME]... [--print]\n"
          "Orders the windows of flowbus's screens. See flowbus-stacker(1).\n", file);
}

int main(int count, char **values)
{
    static const struct option options[] = {
        {"address", required_argument, NULL, 'a'},
        {"system", no_argument, NULL, 's'},
        {"exempt", required_argument, NULL, 'e'},
        {"print", no_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    const char *address = NULL;
    bool is_system = false;
    size_t exempts = 0;
    int option;
    arguments = (const char **)values;
    exempt = calloc((size_t)count + 1, sizeof *exempt);
    while ((option = getopt_long(count, values, "", options, NULL)) >= 0) {
        switch (option) {
        case 'a': address = optarg; break;
        case 'e': exempt[exempts++] = optarg; break;
        case 'p': prints = true; break;
        case 's': is_system = true; break;
        case 'h': usage(stdout); return 0;
        case 'V': puts("flowbus-stacker " VERSION); return 0;
        default: usage(stderr); return EX_USAGE;
        }
    }
    if (optind < count) {
        note("'%s' is none of --address, --system, --exempt, --print, --help, --version", values[optind]);
        return EX_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN); // Nobody waits for the covers, also not after begin_anew().
    if (sd_event_default(&loop) < 0 || sd_event_add_defer(loop, &due, look_now, NULL) < 0 ||
        sd_event_source_set_enabled(due, SD_EVENT_OFF) < 0 || sd_event_source_set_priority(due, 100) < 0 ||
        sd_event_add_time(loop, &later, CLOCK_MONOTONIC, 0, 1000, look_later, NULL) < 0 ||
        sd_event_source_set_enabled(later, SD_EVENT_OFF) < 0)
        refuse(EX_OSERR, "there is no event loop: %s", strerror(errno));
    bus = flowbus_connect(address, is_system);
    sd_bus_add_object_vtable(bus, NULL, PATH, NAME, properties, NULL);
    find_backend();
    if (backend) {
        covers_start(backend->fills);
        tell_status("%s: %s", backend->name, backend->can);
        changed();
    }
    // The name comes last: who sees it finds the properties as they are. While another stacker has it, or one that was just killed has not
    // lost it yet, this one waits.
    int result = sd_bus_match_signal(bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameAcquired",
        name_acquired, NULL);
    if (result >= 0) result = sd_bus_request_name(bus, NAME, SD_BUS_NAME_QUEUE);
    if (result < 0) refuse(EX_UNAVAILABLE, "the bus does not give the name " NAME ": %s", strerror(-result));
    has_name = has_name || result > 0;
    if (!has_name) note("another stacker has the name " NAME "; waiting for it");
    sd_notify(0, "READY=1");
    result = sd_event_loop(loop);
    return result < 0 ? EX_OSERR : result;
}
