// SPDX-License-Identifier: Apache-2.0
// A compositor as a unit of the user's manager, and the graphical session around it. systemd starts it again when it fails; this
// program waits until it answers, says where to all that is started from then on, and starts and ends graphical-session.target with it.
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sysexits.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#define NAME "org.flowbus.Session1"
#define COMPOSITOR "flowbus-compositor.service"
#define TARGET "flowbus-session.target"
#define MANAGER "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"

// How long a compositor may take until it answers; then it is killed, and started again as one that failed.
#define PATIENCE (30 * 1000000ull)

static sd_event *loop;
static sd_bus *bus;
static char **command;
static const char *folder; // XDG_RUNTIME_DIR

static uint32_t pid;           // the compositor's, 0 while none runs
static int asked = -1;         // a connection to a display that may be its own, and was asked whether it answers
static char display[NAME_MAX + 1];
static uint64_t began;
static sd_event_source *answer, *again, *late;

static enum { RUNS, ENDS_PROGRAMS, ENDS_COMPOSITOR } state;
static bool started, left; // the unit is there; it is one that a killed session left
static bool failed, told;  // as it was last told; its display is told to all
static int status;             // of this program, when it ends
static char job[256];          // the one whose end is waited for

static void end(int code);

static void note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("flowbus-session: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void need(int result, const char *what)
{
    if (result >= 0) return;
    note("%s: %s", what, strerror(-result));
    exit(EX_OSERR);
}

// Of a call whose success needs no more.
static int done(sd_bus_message *reply, void *what, sd_bus_error *error)
{
    (void)error;
    if (sd_bus_message_is_method_error(reply, NULL)) note("%s: %s", (const char *)what, sd_bus_message_get_error(reply)->message);
    return 0;
}

// ---- Where the display is

static void forget_connection(void)
{
    answer = sd_event_source_disable_unref(answer);
    again = sd_event_source_disable_unref(again);
    if (asked >= 0) close(asked);
    asked = -1;
}

// The variables by which programs find the compositor. Sway's own socket is named after the process that listens.
static size_t variables(char texts[4][PATH_MAX], pid_t listener)
{
    char sway[PATH_MAX - 16];
    size_t count = 0;
    snprintf(texts[count++], PATH_MAX, "WAYLAND_DISPLAY=%s", display);
    snprintf(texts[count++], PATH_MAX, "XDG_SESSION_TYPE=wayland");
    if (getenv("XDG_CURRENT_DESKTOP")) snprintf(texts[count++], PATH_MAX, "XDG_CURRENT_DESKTOP=%s", getenv("XDG_CURRENT_DESKTOP"));
    snprintf(sway, sizeof sway, "%s/sway-ipc.%u.%d.sock", folder, getuid(), listener);
    if (!access(sway, F_OK)) snprintf(texts[count++], PATH_MAX, "SWAYSOCK=%s", sway);
    return count;
}

static pid_t listener_of(int connection)
{
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) ? 0 : peer.pid;
}

// Programs of the unit may start the compositor, so that it is not always the unit's main process.
static bool is_of_unit(pid_t process)
{
    char path[64], groups[2][4096] = {"", ""};
    const pid_t processes[] = {process, (pid_t)pid};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/proc/%d/cgroup", processes[i]);
        FILE *file = fopen(path, "re");
        if (!file) return false;
        groups[i][fread(groups[i], 1, sizeof groups[i] - 1, file)] = '\0';
        fclose(file);
    }
    return !strcmp(groups[0], groups[1]);
}

// It answers: what is started from now on is told where, and the session begins.
static int answered(sd_event_source *source, int fd, uint32_t events, void *data)
{
    (void)source, (void)data;
    char byte, texts[4][PATH_MAX];
    if (!(events & EPOLLIN) || recv(fd, &byte, 1, 0) != 1) {
        forget_connection();
        return 0;
    }
    size_t count = variables(texts, listener_of(fd));
    forget_connection();
    late = sd_event_source_disable_unref(late);
    sd_bus_message *units = NULL, *services = NULL;
    int r = sd_bus_message_new_method_call(bus, &units, MANAGER, "SetEnvironment");
    if (r >= 0) r = sd_bus_message_open_container(units, 'a', "s");
    if (r >= 0) r = sd_bus_message_new_method_call(bus, &services, "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus", "UpdateActivationEnvironment");
    if (r >= 0) r = sd_bus_message_open_container(services, 'a', "{ss}");
    for (size_t i = 0; i < count && r >= 0; i++) {
        r = sd_bus_message_append(units, "s", texts[i]);
        char *value = strchr(texts[i], '=');
        *value++ = '\0';
        if (r >= 0) r = sd_bus_message_append(services, "{ss}", texts[i], value);
    }
    if (r >= 0) r = sd_bus_message_close_container(units);
    if (r >= 0) r = sd_bus_message_close_container(services);
    if (r >= 0) r = sd_bus_call_async(bus, NULL, units, done, (void *)"the user's manager takes no environment", 0);
    if (r >= 0) r = sd_bus_call_async(bus, NULL, services, done, (void *)"the bus takes no environment", 0);
    // The manager takes calls in their order.
    if (r >= 0) r = sd_bus_call_method_async(bus, NULL, MANAGER, "StartUnit", done, (void *)"the session does not start", "ss", TARGET,
        "replace");
    sd_bus_message_unref(units);
    sd_bus_message_unref(services);
    need(r, "the session can't be told to others");
    told = true;
    note("%s answers as %s, after %llu ms", command[0], display, (unsigned long long)(now() - began) / 1000);
    return 0;
}

static int look_again(sd_event_source *source, uint64_t time, void *data);

// Asks each display in the folder that is the unit's. wl_display.sync, by its bytes: object 1, request 0 of 12 bytes, and the new object
// 2. A compositor sets up all else before it reads the first request.
static void look(void)
{
    if (!pid || told || asked >= 0) return;
    DIR *entries = opendir(folder);
    if (!entries) return;
    bool refused = false;
    for (struct dirent *entry; asked < 0 && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, "wayland-", 8) || strchr(entry->d_name, '.')) continue;
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof address.sun_path) continue;
        int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (connection < 0) continue;
        const uint32_t sync[3] = {1, sizeof sync << 16, 2};
        if (connect(connection, (struct sockaddr *)&address, sizeof address)) {
            refused |= errno == ECONNREFUSED || errno == EAGAIN;
            close(connection);
        } else if (!is_of_unit(listener_of(connection)) || send(connection, sync, sizeof sync, MSG_NOSIGNAL) != sizeof sync) {
            close(connection);
        } else {
            asked = connection;
            snprintf(display, sizeof display, "%s", entry->d_name);
            need(sd_event_add_io(loop, &answer, asked, EPOLLIN, answered, NULL), "the display can't be followed");
        }
    }
    closedir(entries);
    // A socket has its name a moment before somebody listens, and nothing tells when that begins.
    if (asked < 0 && refused && !again)
        need(sd_event_add_time_relative(loop, &again, CLOCK_MONOTONIC, 20000, 1000, look_again, NULL), "no timer");
}

static int look_again(sd_event_source *source, uint64_t time, void *data)
{
    (void)source, (void)time, (void)data;
    again = sd_event_source_disable_unref(again);
    look();
    return 0;
}

static int folder_changed(sd_event_source *source, const struct inotify_event *event, void *data)
{
    (void)source, (void)data;
    if (event->mask & IN_Q_OVERFLOW || (event->len && !strncmp(event->name, "wayland-", 8))) look();
    return 0;
}

// ---- The units

static int is_late(sd_event_source *source, uint64_t time, void *data)
{
    (void)source, (void)time, (void)data;
    late = sd_event_source_disable_unref(late);
    note("%s has not answered for %llu s; it is killed, and started again", command[0], PATIENCE / 1000000);
    need(sd_bus_call_method_async(bus, NULL, MANAGER, "KillUnit", done, (void *)"it can't be killed", "ssi", COMPOSITOR, "all", SIGKILL),
        "it can't be killed");
    return 0;
}

static void begins(uint32_t process)
{
    if (process == pid || left) return; // One that a killed session left is about to end.
    forget_connection();
    late = sd_event_source_disable_unref(late);
    // Programs that lost their display end sooner or later, each in its way. The session ends, so that all begin once more, with the
    // new one.
    if (told && state == RUNS)
        need(sd_bus_call_method_async(bus, NULL, MANAGER, "StopUnit", done, (void *)"the session does not end", "ss",
            "graphical-session.target", "replace"), "the session does not end");
    told = false;
    pid = process;
    if (!pid) return;
    began = now();
    need(sd_event_add_time_relative(loop, &late, CLOCK_MONOTONIC, PATIENCE, 0, is_late, NULL), "no timer");
    look();
}

static int unit_changed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *interface, *property, *active;
    uint32_t process;
    if (sd_bus_message_read(signal, "s", &interface) < 0 || sd_bus_message_enter_container(signal, 'a', "{sv}") < 0) return 0;
    while (sd_bus_message_enter_container(signal, 'e', "sv") > 0) {
        if (sd_bus_message_read(signal, "s", &property) < 0) return 0;
        if (!strcmp(property, "MainPID") && sd_bus_message_read(signal, "v", "u", &process) >= 0) begins(process);
        else if (!strcmp(property, "ActiveState") && sd_bus_message_read(signal, "v", "s", &active) >= 0) failed = !strcmp(active, "failed");
        else if (sd_bus_message_skip(signal, "v") < 0) return 0;
        sd_bus_message_exit_container(signal);
    }
    return 0;
}

static int start_answered(sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const sd_bus_error *problem = sd_bus_message_get_error(reply);
    if (!problem) return 0;
    if (sd_bus_error_has_name(problem, "org.freedesktop.systemd1.UnitExists")) {
        // Whoever has started it was killed: nobody else has the name of the session.
        note("a compositor of a session that was killed is still there; it is ended first");
        left = true;
        need(sd_bus_call_method_async(bus, NULL, MANAGER, "StopUnit", done, (void *)"it does not end", "ss", COMPOSITOR, "replace"),
            "it does not end");
    } else {
        started = false;
        note("%s does not start: %s", command[0], problem->message);
        end(EX_UNAVAILABLE);
    }
    return 0;
}

// What belongs to this process alone.
static bool is_own(const char *variable)
{
    static const char *const own[] = {"_=", "SHLVL=", "PWD=", "OLDPWD=", "INVOCATION_ID=", "JOURNAL_STREAM=", "NOTIFY_SOCKET=",
        "MANAGERPID=", "SYSTEMD_EXEC_PID=", "WATCHDOG_PID=", "WATCHDOG_USEC=", "LISTEN_FDS=", "LISTEN_PID=", "LISTEN_FDNAMES=",
        "WAYLAND_SOCKET=", "WAYLAND_DISPLAY=", "DISPLAY=", "SWAYSOCK="};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strncmp(variable, own[i], strlen(own[i]))) return true;
    return false;
}

static void start_compositor(void)
{
    started = true;
    left = false;
    sd_bus_message *call = NULL;
    char description[300];
    snprintf(description, sizeof description, "Compositor of the session (%s)", command[0]);
    int r = sd_bus_message_new_method_call(bus, &call, MANAGER, "StartTransientUnit");
    if (r >= 0) r = sd_bus_message_append(call, "ss", COMPOSITOR, "fail");
    if (r >= 0) r = sd_bus_message_open_container(call, 'a', "(sv)");
    // The manager knows the last display, also while the compositor is started again: that would be a window of the one that is gone.
    if (r >= 0) r = sd_bus_message_append(call, "(sv)(sv)(sv)(sv)(sv)(sv)(sv)(sv)(sv)(sv)",
        "Description", "s", description, "CollectMode", "s", "inactive-or-failed", "Type", "s", "exec", "Slice", "s", "session.slice",
        "Restart", "s", "on-failure", "RestartUSec", "t", (uint64_t)100000, "TimeoutStopUSec", "t", (uint64_t)10000000,
        "StartLimitIntervalUSec", "t", (uint64_t)60000000, "StartLimitBurst", "u", 5,
        "UnsetEnvironment", "as", 4, "WAYLAND_SOCKET", "WAYLAND_DISPLAY", "DISPLAY", "SWAYSOCK");
    if (r >= 0) r = sd_bus_message_open_container(call, 'r', "sv");
    if (r >= 0) r = sd_bus_message_append(call, "s", "Environment");
    if (r >= 0) r = sd_bus_message_open_container(call, 'v', "as");
    if (r >= 0) r = sd_bus_message_open_container(call, 'a', "s");
    for (char **variable = environ; *variable && r >= 0; variable++)
        if (!is_own(*variable)) r = sd_bus_message_append(call, "s", *variable);
    for (int i = 0; i < 3 && r >= 0; i++) r = sd_bus_message_close_container(call);
    if (r >= 0) r = sd_bus_message_open_container(call, 'r', "sv");
    if (r >= 0) r = sd_bus_message_append(call, "s", "ExecStart");
    if (r >= 0) r = sd_bus_message_open_container(call, 'v', "a(sasb)");
    if (r >= 0) r = sd_bus_message_open_container(call, 'a', "(sasb)");
    if (r >= 0) r = sd_bus_message_open_container(call, 'r', "sasb");
    if (r >= 0) r = sd_bus_message_append(call, "s", command[0]);
    if (r >= 0) r = sd_bus_message_append_strv(call, command);
    if (r >= 0) r = sd_bus_message_append(call, "b", 0);
    for (int i = 0; i < 5 && r >= 0; i++) r = sd_bus_message_close_container(call);
    if (r >= 0) r = sd_bus_message_append(call, "a(sa(sv))", 0);
    if (r >= 0) r = sd_bus_call_async(bus, NULL, call, start_answered, NULL, 0);
    sd_bus_message_unref(call);
    need(r, "the compositor can't be started");
}

// Between two tries it is told as failed, too: it is over when systemd forgets it.
static int unit_removed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *unit;
    if (sd_bus_message_read(signal, "s", &unit) < 0 || strcmp(unit, COMPOSITOR) || state != RUNS) return 0;
    if (left) {
        start_compositor();
    } else if (started) {
        started = false;
        if (failed) note("%s failed too often, or does not start; `journalctl --user --unit %s` shows what it said", command[0], COMPOSITOR);
        end(failed ? EX_SOFTWARE : 0);
    }
    return 0;
}

// ---- The end

// What is started later has no display. The bus can't forget variables; systemd starts what has a unit.
static void forget_display(void)
{
    sd_bus_call_method(bus, MANAGER, "UnsetEnvironment", NULL, NULL, "as", 4, "WAYLAND_DISPLAY", "DISPLAY", "SWAYSOCK", "XDG_SESSION_TYPE");
}

static void leave(void)
{
    forget_display();
    sd_event_exit(loop, status);
}

static int stop_answered(sd_bus_message *reply, void *data, sd_bus_error *error);

static void stop(const char *unit)
{
    need(sd_bus_call_method_async(bus, NULL, MANAGER, "StopUnit", stop_answered, NULL, "ss", unit, "replace"), "a unit does not end");
}

static void go_on_ending(void)
{
    job[0] = '\0';
    if (state == ENDS_PROGRAMS && started) {
        state = ENDS_COMPOSITOR;
        stop(COMPOSITOR);
    } else {
        leave();
    }
}

static int stop_answered(sd_bus_message *reply, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *path;
    if (sd_bus_message_is_method_error(reply, NULL) || sd_bus_message_read(reply, "o", &path) < 0) go_on_ending();
    else snprintf(job, sizeof job, "%s", path);
    return 0;
}

static int job_removed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    uint32_t number;
    const char *path;
    if (sd_bus_message_read(signal, "uo", &number, &path) >= 0 && job[0] && !strcmp(path, job)) go_on_ending();
    return 0;
}

// First the programs, which may want to say something on the display, then the compositor.
static void end(int code)
{
    if (state != RUNS) return;
    status = code;
    state = ENDS_PROGRAMS;
    stop("graphical-session.target");
}

static int bus_gone(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)signal, (void)data, (void)error;
    note("the bus of the user has ended");
    exit(EX_UNAVAILABLE);
}

static int asked_to_end(sd_event_source *source, const struct signalfd_siginfo *signal, void *data)
{
    (void)source, (void)signal, (void)data;
    end(0);
    return 0;
}

// ---- The beginning

// Programs that a killed session has left know its display, and the target that is still active would start none of them.
static void end_left_programs(void)
{
    char *active = NULL;
    sd_bus_get_property_string(bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1/unit/flowbus_2dsession_2etarget",
        "org.freedesktop.systemd1.Unit", "ActiveState", NULL, &active);
    if (active && !strcmp(active, "active")) {
        forget_display();
        need(sd_bus_call_method_async(bus, NULL, MANAGER, "StopUnit", done, (void *)"the programs of a session that was killed do not end",
            "ss", "graphical-session.target", "replace"), "the programs of a session that was killed do not end");
    }
    free(active);
}

static void usage(FILE *to)
{
    fputs("usage: flowbus-session COMPOSITOR [ARGUMENT]...\n"
          "       flowbus-session --help | --version\n\n"
          "Starts a Wayland compositor as a unit of the user's manager, and with it graphical-session.target.\n", to);
}

// A unit takes whole paths alone.
static char *find(const char *program)
{
    static char found[PATH_MAX];
    if (strchr(program, '/')) return access(program, X_OK) ? NULL : realpath(program, found);
    char *folders = strdup(getenv("PATH") ?: "/usr/local/bin:/usr/bin:/bin"), *rest = folders;
    char *result = NULL;
    for (char *each; !result && (each = strsep(&rest, ":"));) {
        snprintf(found, sizeof found, "%s/%s", each, program);
        if (each[0] == '/' && !access(found, X_OK)) result = found;
    }
    free(folders);
    return result;
}

int main(int count, char **arguments)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {0}};
    for (int option; (option = getopt_long(count, arguments, "+", options, NULL)) != -1;) {
        if (option == 'v') return puts("flowbus-session " VERSION) < 0;
        usage(option == 'h' ? stdout : stderr);
        return option == 'h' ? 0 : EX_USAGE;
    }
    if (optind == count) {
        usage(stderr);
        return EX_USAGE;
    }
    folder = getenv("XDG_RUNTIME_DIR");
    if (!folder || folder[0] != '/') {
        note("XDG_RUNTIME_DIR is not set; a login by pam_systemd sets it, such as one of greetd or of a getty");
        return EX_UNAVAILABLE;
    }
    command = arguments + optind;
    char *path = find(command[0]);
    if (!path) {
        note("there is no program '%s'", command[0]);
        return EX_UNAVAILABLE;
    }
    command[0] = path;

    sigset_t signals;
    sigemptyset(&signals);
    const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) sigaddset(&signals, ends[i]);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    need(sd_event_default(&loop), "no event loop");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        need(sd_event_add_signal(loop, NULL, ends[i], asked_to_end, NULL), "signals can't be followed");

    int r = sd_bus_open_user(&bus);
    if (r < 0) {
        note("no bus of the user's manager: %s; `systemctl --user status` shows whether it runs", strerror(-r));
        return EX_UNAVAILABLE;
    }
    need(sd_bus_attach_event(bus, loop, SD_EVENT_PRIORITY_NORMAL), "the bus can't be followed");
    need(sd_bus_match_signal(bus, NULL, NULL, NULL, "org.freedesktop.DBus.Local", "Disconnected", bus_gone, NULL), "the bus can't be followed");
    r = sd_bus_request_name(bus, NAME, 0);
    if (r < 0) {
        note(r == -EEXIST ? "a session of this user runs already" : "the bus refuses the name %s: %s", NAME, strerror(-r));
        return EX_UNAVAILABLE;
    }
    need(sd_event_add_inotify(loop, NULL, folder, IN_CREATE | IN_MOVED_TO, folder_changed, NULL), folder);
    // Before the first call, so that nothing is missed.
    need(sd_bus_match_signal(bus, NULL, MANAGER, "JobRemoved", job_removed, NULL), "systemd can't be followed");
    need(sd_bus_match_signal(bus, NULL, MANAGER, "UnitRemoved", unit_removed, NULL), "systemd can't be followed");
    need(sd_bus_match_signal(bus, NULL, "org.freedesktop.systemd1", "/org/freedesktop/systemd1/unit/flowbus_2dcompositor_2eservice",
        "org.freedesktop.DBus.Properties", "PropertiesChanged", unit_changed, NULL), "systemd can't be followed");
    sd_bus_error error = SD_BUS_ERROR_NULL;
    if (sd_bus_call_method(bus, MANAGER, "Subscribe", &error, NULL, NULL) < 0) {
        note("systemd does not answer: %s", error.message);
        return EX_UNAVAILABLE;
    }
    end_left_programs();
    start_compositor();
    return sd_event_loop(loop);
}
