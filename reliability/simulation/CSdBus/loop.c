/* The loop and its clock. */
#define _GNU_SOURCE
#include "connection.h"
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

sim_hooks sim_hook;
uint64_t sim_now, sim_real_offset, sim_boot_offset;
int sim_is_running, sim_is_dead;
uint64_t sim_timers, sim_tasks;

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!sim_is_running) return (int)syscall(SYS_clock_gettime, clock, time);
    uint64_t now = sim_now;
    if (clock == CLOCK_REALTIME) now += sim_real_offset;
    if (clock == CLOCK_BOOTTIME) now += sim_boot_offset;
    time->tv_sec = (time_t)(now / 1000000);
    time->tv_nsec = (long)(now % 1000000) * 1000;
    return 0;
}

struct sd_event_source {
    sd_event *loop;
    enum { TIMER, TASK, INPUT, SIGNAL } kind;
    int enabled;
    int64_t priority;
    uint64_t time;
    uint32_t events;
    void *userdata;
    sd_event_handler_t prepare;
    union {
        sd_event_time_handler_t timer;
        sd_event_handler_t task;
        sd_event_io_handler_t input;
        sd_event_signal_handler_t signal;
    } handler;
    bool is_ended;
};

enum { MOST_SOURCES = 64 };

struct sd_event {
    int references;
    sd_event_source *sources[MOST_SOURCES];
    int count;
    bool is_ended;
    int code;
};

static sd_event *loops[8];
static int loop_count;

int sd_event_new(sd_event **made) {
    sd_event *loop = calloc(1, sizeof *loop);
    loop->references = 1;
    if (loop_count >= 8) abort();
    loops[loop_count++] = loop;
    *made = loop;
    return 0;
}

sd_event *sd_event_unref(sd_event *loop) {
    if (!loop || --loop->references) return NULL;
    for (int place = 0; place < loop_count; place++) {
        if (loops[place] != loop) continue;
        loops[place] = loops[--loop_count];
        break;
    }
    free(loop);
    return NULL;
}

static sd_event_source *add_source(sd_event *loop, sd_event_source **made, int kind, int enabled, void *userdata) {
    if (loop->count >= MOST_SOURCES) abort();
    sd_event_source *source = calloc(1, sizeof *source);
    source->loop = loop;
    source->kind = kind;
    source->enabled = enabled;
    source->userdata = userdata;
    loop->sources[loop->count++] = source;
    loop->references++;
    if (made) *made = source;
    return source;
}

int sd_event_add_time(
    sd_event *loop, sd_event_source **made, clockid_t clock, uint64_t time, uint64_t accuracy, sd_event_time_handler_t handler,
    void *userdata) {
    sd_event_source *source = add_source(loop, made, TIMER, SD_EVENT_ONESHOT, userdata);
    source->time = time;
    source->handler.timer = handler;
    return 0;
}

int sd_event_add_defer(sd_event *loop, sd_event_source **made, sd_event_handler_t handler, void *userdata) {
    add_source(loop, made, TASK, SD_EVENT_ONESHOT, userdata)->handler.task = handler;
    return 0;
}

int sd_event_add_io(
    sd_event *loop, sd_event_source **made, int descriptor, uint32_t events, sd_event_io_handler_t handler, void *userdata) {
    sd_event_source *source = add_source(loop, made, INPUT, SD_EVENT_ON, userdata);
    source->events = events;
    source->handler.input = handler;
    return 0;
}

int sd_event_add_signal(
    sd_event *loop, sd_event_source **made, int number, sd_event_signal_handler_t handler, void *userdata) {
    add_source(loop, made, SIGNAL, SD_EVENT_OFF, userdata);
    return 0;
}

int sd_event_source_set_prepare(sd_event_source *source, sd_event_handler_t handler) {
    source->prepare = handler;
    return 0;
}

int sd_event_source_set_io_events(sd_event_source *source, uint32_t events) {
    source->events = events;
    return 0;
}

int sd_event_source_set_time(sd_event_source *source, uint64_t time) {
    source->time = time;
    return 0;
}

int sd_event_source_set_priority(sd_event_source *source, int64_t priority) {
    source->priority = priority;
    return 0;
}

int sd_event_source_set_enabled(sd_event_source *source, int enabled) {
    source->enabled = enabled;
    return 0;
}

sd_event_source *sd_event_source_disable_unref(sd_event_source *source) {
    if (!source) return NULL;
    sd_event *loop = source->loop;
    for (int place = 0; place < loop->count; place++) {
        if (loop->sources[place] != source) continue;
        memmove(
            &loop->sources[place], &loop->sources[place + 1], sizeof source * (size_t)(loop->count - place - 1));
        loop->count--;
        break;
    }
    sd_event_unref(loop);
    free(source);
    return NULL;
}

int sd_event_set_watchdog(sd_event *loop, int b) { return 0; }

int sd_event_now(sd_event *loop, clockid_t clock, uint64_t *time) {
    *time = clock == CLOCK_REALTIME ? sim_now + sim_real_offset : sim_now;
    return 0;
}

int sd_event_exit(sd_event *loop, int code) {
    loop->is_ended = true;
    loop->code = code;
    return 0;
}

uint64_t sim_next_timer(void) {
    uint64_t next = UINT64_MAX;
    for (int number = 0; number < loop_count; number++) {
        for (int place = 0; place < loops[number]->count; place++) {
            sd_event_source *source = loops[number]->sources[place];
            if (source->kind == TIMER && source->enabled != SD_EVENT_OFF && source->time < next) next = source->time;
        }
    }
    return next;
}

static bool is_due(const sd_event_source *source) {
    if (source->enabled == SD_EVENT_OFF) return false;
    switch (source->kind) {
    case TIMER: return source->time <= sim_now;
    case TASK: return true;
    case INPUT:
        return source->events & EPOLLOUT || (source->events & EPOLLIN && connection_has_input());
    default: return false;
    }
}

/* One turn, as sd_event_run(3): the due source of the lowest priority. Among equals any may come first. */
static int turn(sd_event *loop) {
    for (int place = 0; place < loop->count; place++) {
        sd_event_source *source = loop->sources[place];
        if (source->prepare && source->enabled != SD_EVENT_OFF) source->prepare(source, source->userdata);
    }
    sd_event_source *due[MOST_SOURCES];
    int count = 0;
    for (int place = 0; place < loop->count; place++) {
        sd_event_source *source = loop->sources[place];
        if (!is_due(source) || (count && source->priority > due[0]->priority)) continue;
        if (count && source->priority < due[0]->priority) count = 0;
        due[count++] = source;
    }
    if (count == 0) return 0;
    sd_event_source *next = due[count > 1 ? sim_hook.random((uint32_t)count) : 0];
    if (next->enabled == SD_EVENT_ONESHOT) next->enabled = SD_EVENT_OFF;
    switch (next->kind) {
    case TIMER: sim_timers++; next->handler.timer(next, next->time, next->userdata); break;
    case TASK: sim_tasks++; next->handler.task(next, next->userdata); break;
    case INPUT: next->handler.input(next, SIM_SOCKET, next->events, next->userdata); break;
    case SIGNAL: break;
    }
    return 1;
}

int sd_event_run(sd_event *loop, uint64_t timeout) { return turn(loop); }

int sd_event_loop(sd_event *loop) {
    while (!loop->is_ended) {
        int has_work = turn(loop);
        if (loop->is_ended || sim_is_dead) break;
        if (!sim_hook.idle(has_work)) break;
    }
    return loop->is_ended ? loop->code : 71;
}
