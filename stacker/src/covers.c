// SPDX-License-Identifier: Apache-2.0
// The covers are windows of a program of their own, which has the fonts that this one does without.
#include "stacker.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

static const uint64_t AGAIN = 500000; // us between two starts

static bool fills_outputs;
static int writing = -1;
static sd_event_source *watching;
static uint64_t started;
static struct cover {
    char *said;
} *covers; // By their numbers - 1.
static int count;

static void end(void)
{
    watching = sd_event_source_disable_unref(watching);
    if (writing >= 0) close(writing);
    writing = -1;
    for (int at = 0; at < count; at++) {
        free(covers[at].said);
        covers[at].said = NULL;
    }
}

// The program has ended. It is started again with what is said next, but not more often than twice in a second.
static void ended(void)
{
    end();
    changed();
}

// It says on which cover somebody has used a key, a finger or a pointer.
static int used(sd_event_source *source, int fd, uint32_t events, void *data)
{
    int number;
    ssize_t got = recv(fd, &number, sizeof number, MSG_DONTWAIT);
    if (got == sizeof number) look_woken(number);
    else if (got >= 0 || errno != EAGAIN) ended();
    return 0;
}

static bool start(void)
{
    if (started && now() < started + AGAIN) {
        changed_at(started + AGAIN);
        return false;
    }
    started = now();
    char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    if (length < 0) return false;
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, "flowbus-cover");
    if (access(path, X_OK) < 0) snprintf(path, sizeof path, "%s/flowbus-cover", LIBEXECDIR);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    char *arguments[] = {(char *)"flowbus-cover", fills_outputs ? (char *)"--fullscreen" : NULL, NULL};
    pid_t process;
    int result = posix_spawn(&process, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (result) {
        close(ends[1]);
        note("'%s' can't be started, so nothing is covered: %s", path, strerror(result));
        return false;
    }
    writing = ends[1];
    sd_event_add_io(loop, &watching, writing, EPOLLIN, used, NULL);
    return true;
}

void covers_start(bool fills)
{
    fills_outputs = fills;
}

static void plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ') *text = ' ';
}

void covers_say(int number, const char *output, const char *title, const char *why)
{
    if (number > count) {
        covers = realloc(covers, (size_t)number * sizeof *covers);
        if (!covers) abort();
        memset(covers + count, 0, (size_t)(number - count) * sizeof *covers);
        count = number;
    }
    if (writing < 0 && !start()) return;
    struct arena *arena = arena_new();
    char *a = arena_print(arena, "%.64s", output), *b = arena_print(arena, "%.500s", title), *c = arena_print(arena, "%.1000s", why);
    plain(a), plain(b), plain(c);
    char *line = arena_print(arena, "%d\t%s\t%s\t%s\n", number, a, b, c);
    if (!covers[number - 1].said || strcmp(covers[number - 1].said, line)) {
        free(covers[number - 1].said);
        covers[number - 1].said = NULL;
        ssize_t written = write(writing, line, strlen(line)); // All of it, or nothing.
        if (written == (ssize_t)strlen(line)) covers[number - 1].said = strdup(line);
        else if (errno == EPIPE) ended();
        else changed_at(now() + 100000);
    }
    arena_free(arena);
}
