// SPDX-License-Identifier: Apache-2.0
// Processes. A process waits, before it becomes its program, until its scope has it, so that nothing of it is ever outside. Without a user
// manager, a process of ours is the first one of a PID namespace: when it ends, for whatever reason, the kernel ends all others there.
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// The child. It has the descriptors of all others until it is its program, as each is closed by that.

struct pipes {
    int go[2], news[2], status[2], errors[2], output[2];
};

// Becomes the program. Not by execvp(3): that gives a file without an interpreter to a shell.
static __attribute__((noreturn)) void become(char **command, int news)
{
    int error = ENOENT;
    if (strchr(command[0], '/')) {
        execve(command[0], command, environ);
        error = errno;
    } else {
        const char *folders = getenv("PATH");
        if (!folders) folders = "/usr/local/bin:/usr/bin:/bin";
        char file[4096];
        for (const char *end; *folders; folders = *end ? end + 1 : end) {
            end = strchrnul(folders, ':');
            if (snprintf(file, sizeof file, "%.*s/%s", (int)(end - folders), folders, command[0]) >= (int)sizeof file) continue;
            execve(file, command, environ);
            // One that may not be executed is worth more to know than that there is none in another folder.
            if (errno != ENOENT && errno != ENOTDIR) error = errno;
        }
    }
    if (write(news, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

static void end_all(int signal)
{
    kill(-1, signal); // All others of the namespace, of which this is the first process.
}

// The first process of a namespace: waits for the program, reports how it ended, and ends what is left by its own end.
static __attribute__((noreturn)) void keep(pid_t program, int report)
{
    int status;
    // Nothing else may stay open here: the other end of a pipe would never see that the program has closed it.
    dup2(report, STDOUT_FILENO);
    report = STDOUT_FILENO;
    close_range(STDERR_FILENO, ~0U, 0);
    for (;;) {
        pid_t ended = waitpid(-1, &status, 0);
        if (ended == program) break;
        if (ended < 0 && errno != EINTR) _exit(1);
    }
    if (write(report, &status, sizeof status) < 0) _exit(1);
    _exit(0);
}

static void map_user(uid_t user, gid_t group)
{
    // In a namespace of users of its own, it is who it was.
    char line[64];
    int file = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        if (write(file, "deny", 4) < 0) {} // The maps say whether it matters.
        close(file);
    }
    const struct {
        const char *path;
        unsigned id;
    } maps[] = {{"/proc/self/uid_map", user}, {"/proc/self/gid_map", group}};
    for (int at = 0; at < 2; at++) {
        int length = snprintf(line, sizeof line, "%u %u 1", maps[at].id, maps[at].id);
        file = open(maps[at].path, O_WRONLY | O_CLOEXEC);
        if (file < 0 || write(file, line, (size_t)length) < 0) _exit(1);
        close(file);
    }
}

static __attribute__((noreturn)) void child(struct screen *screen, struct pipes *pipes, int namespaces, uid_t user, gid_t group)
{
    prctl(PR_SET_PDEATHSIG, namespaces ? SIGKILL : SIGTERM);
    if (namespaces & CLONE_NEWUSER) map_user(user, group);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    // Whoever started it may have ended before it asked to be told: then nobody lets it go.
    close(pipes->go[1]);
    char byte;
    if (read(pipes->go[0], &byte, 1) != 1) _exit(1);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(pipes->output[1] >= 0 ? pipes->output[1] : STDERR_FILENO, STDOUT_FILENO);
    if (screen->environment) environ = screen->environment;
    if (!namespaces) {
        dup2(pipes->errors[1], STDERR_FILENO);
        become(screen->command, pipes->news[1]);
    }
    signal(SIGTERM, end_all);
    pid_t program = fork();
    if (!program) {
        signal(SIGTERM, SIG_DFL);
        setsid();
        dup2(pipes->errors[1], STDERR_FILENO);
        become(screen->command, pipes->news[1]);
    }
    if (program < 0) {
        int error = errno;
        if (write(pipes->news[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    keep(program, pipes->status[1]);
}

// The parent.

static pid_t clone_child(int namespaces)
{
    return namespaces ? (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0) : fork();
}

static int possible_namespaces = -1; // Flags of clone(2); -1 if that is not known yet.

bool namespaces_work(void)
{
    if (possible_namespaces >= 0) return possible_namespaces;
    // Root may make one of processes alone; others need one of users around it.
    static const int choices[] = {CLONE_NEWPID, CLONE_NEWPID | CLONE_NEWUSER};
    for (int at = 0; at < 2; at++) {
        uid_t user = geteuid();
        gid_t group = getegid();
        pid_t process = clone_child(choices[at]);
        if (!process) {
            if (choices[at] & CLONE_NEWUSER) map_user(user, group);
            pid_t inside = fork(); // A namespace whose first process can't start another one is of no use.
            if (!inside) _exit(0);
            int status = 1;
            _exit(inside < 0 || waitpid(inside, &status, 0) < 0 || status);
        }
        int status = 1;
        if (process > 0 && waitpid(process, &status, 0) == process && !status) {
            possible_namespaces = choices[at];
            return true;
        }
    }
    possible_namespaces = 0;
    return false;
}

// The last bytes of standard error are kept, and all of it goes to the log, unless that can't take it now.
static void take_errors(struct screen *screen, const char *bytes, size_t length)
{
    struct pollfd log = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&log, 1, 0) > 0 && log.revents & POLLOUT && write(STDERR_FILENO, bytes, length) < 0) {} // It is lost, as if nobody read it.
    size_t kept = length < MOST_ERRORS ? MOST_ERRORS - length : 0;
    if (kept < screen->tail_length) {
        memmove(screen->tail, screen->tail + screen->tail_length - kept, kept);
        screen->tail_length = kept;
    }
    if (length > MOST_ERRORS) bytes += length - MOST_ERRORS, length = MOST_ERRORS;
    memcpy(screen->tail + screen->tail_length, bytes, length);
    screen->tail_length += length;
}

static void take_output(struct screen *screen, const char *bytes, size_t length)
{
    // One more than is allowed says that it is too long.
    size_t room = MOST_OUTPUT + 1 - screen->text_length;
    if (length > room) length = room;
    screen->text = take(realloc(screen->text, screen->text_length + length + 1));
    memcpy(screen->text + screen->text_length, bytes, length);
    screen->text_length += length;
}

// Reads what is there, up to 64 KiB, so that others have their turn. Returns whether there may be more at some time.
static bool read_some(struct screen *screen, int file, void (*taken)(struct screen *, const char *, size_t))
{
    char bytes[4096];
    for (int turn = 0; turn < 16; turn++) {
        ssize_t length = read(file, bytes, sizeof bytes);
        if (length > 0) taken(screen, bytes, (size_t)length);
        else return length < 0 && (errno == EAGAIN || errno == EINTR);
    }
    return true;
}

static int errors_came(sd_event_source *source, int file, uint32_t events, void *data)
{
    (void)events;
    if (!read_some(data, file, take_errors)) sd_event_source_set_enabled(source, SD_EVENT_OFF);
    return 0;
}

static int output_came(sd_event_source *source, int file, uint32_t events, void *data)
{
    (void)events;
    if (!read_some(data, file, take_output)) sd_event_source_set_enabled(source, SD_EVENT_OFF);
    return 0;
}

// The end of this pipe says that the process is its program now; a number, why it is not.
static int news_came(sd_event_source *source, int file, uint32_t events, void *data)
{
    (void)source, (void)events;
    struct screen *screen = data;
    int error = 0;
    ssize_t length = read(file, &error, sizeof error);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    screen->news = sd_event_source_disable_unref(screen->news);
    if (length == sizeof error) screen_cannot_run(screen, error);
    else if (screen->state == STARTING) screen_runs(screen);
    return 0;
}

static int child_ended(sd_event_source *source, const siginfo_t *info, void *data)
{
    (void)source;
    struct screen *screen = data;
    screen->child = sd_event_source_disable_unref(screen->child);
    int status = info->si_code == CLD_EXITED ? info->si_status << 8 : info->si_status;
    // The first process of a namespace has written how the program ended, if it was not killed itself.
    if (screen->status >= 0) {
        int reported;
        if (read(screen->status, &reported, sizeof reported) == sizeof reported) status = reported;
    }
    process_read(screen); // What it has said comes before its end.
    screen->process = 0;
    screen_ended(screen, status);
    return 0;
}

void process_read(struct screen *screen)
{
    if (screen->news) news_came(screen->news, sd_event_source_get_io_fd(screen->news), 0, screen);
    if (screen->errors) read_some(screen, sd_event_source_get_io_fd(screen->errors), take_errors);
    // All that it has written, as a pipe holds no more than this.
    for (int turn = 0; screen->output && turn < 16; turn++)
        if (!read_some(screen, sd_event_source_get_io_fd(screen->output), take_output)) break;
}

static bool watch(sd_event_source **source, int file, sd_event_io_handler_t handler, struct screen *screen)
{
    if (fcntl(file, F_SETFL, O_NONBLOCK) < 0 || sd_event_add_io(loop, source, file, EPOLLIN, handler, screen) < 0) {
        close(file);
        return false;
    }
    return sd_event_source_set_io_fd_own(*source, true) >= 0;
}

static void close_pipe(int ends[2])
{
    for (int at = 0; at < 2; at++)
        if (ends[at] >= 0) close(ends[at]);
}

bool process_start(struct screen *screen, bool needs_namespace)
{
    int namespaces = needs_namespace ? possible_namespaces : 0;
    struct pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    uid_t user = geteuid();
    gid_t group = getegid();
    if (pipe2(pipes.go, O_CLOEXEC) < 0 || pipe2(pipes.news, O_CLOEXEC) < 0 || pipe2(pipes.errors, O_CLOEXEC) < 0 ||
        (namespaces && pipe2(pipes.status, O_CLOEXEC) < 0) ||
        (screen->has_result && pipe2(pipes.output, O_CLOEXEC) < 0) || (screen->process = clone_child(namespaces)) < 0) {
        int error = errno;
        close_pipe(pipes.go), close_pipe(pipes.news), close_pipe(pipes.errors), close_pipe(pipes.status), close_pipe(pipes.output);
        screen->process = 0;
        errno = error;
        return false;
    }
    if (!screen->process) child(screen, &pipes, namespaces, user, group);
    close(pipes.go[0]), close(pipes.news[1]), close(pipes.errors[1]);
    if (pipes.output[1] >= 0) close(pipes.output[1]);
    if (namespaces) close(pipes.status[1]);
    screen->go = pipes.go[1];
    screen->status = pipes.status[0];
    bool works = sd_event_add_child(loop, &screen->child, screen->process, WEXITED, child_ended, screen) >= 0;
    works = watch(&screen->news, pipes.news[0], news_came, screen) && works;
    works = watch(&screen->errors, pipes.errors[0], errors_came, screen) && works;
    if (pipes.output[0] >= 0) works = watch(&screen->output, pipes.output[0], output_came, screen) && works;
    if (!works) refuse(71, "the event loop takes no more: %s", strerror(errno)); // 71 is EX_OSERR. All programs end with this one.
    return true;
}

void process_go(struct screen *screen)
{
    screen->state = STARTING;
    if (write(screen->go, "", 1) < 0) note("%s: its process has ended before it was started", screen->path);
    close(screen->go);
    screen->go = -1;
}

static int out_of_time(sd_event_source *source, uint64_t time, void *data)
{
    (void)source, (void)time;
    struct screen *screen = data;
    if (screen->process) kill(screen->process, SIGKILL);
    return 0;
}

void process_stop(struct screen *screen)
{
    if (screen->process) kill(screen->process, screen->state == PREPARING ? SIGKILL : SIGTERM);
    if (screen->process && !screen->limit) sd_event_add_time_relative(loop, &screen->limit, CLOCK_MONOTONIC, grace, 0, out_of_time, screen);
}

void process_forget(struct screen *screen)
{
    sd_event_source **const sources[] = {&screen->child, &screen->news, &screen->errors, &screen->output, &screen->limit};
    for (size_t at = 0; at < sizeof sources / sizeof *sources; at++) *sources[at] = sd_event_source_disable_unref(*sources[at]);
    if (screen->go >= 0) close(screen->go);
    if (screen->status >= 0) close(screen->status);
    screen->go = screen->status = -1;
}
