// Loaded into a program that callgrind counts, by LD_PRELOAD: makes its clocks as much slower as callgrind makes the program. So what
// is done by the clock is done after as many calls as without callgrind; otherwise it would be counted many times as often.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { SLOWER = 50, CLOCKS = 16, FILES = 1024 };

// When each clock was first read, in ns; and the clock of each timer.
static int64_t start[CLOCKS];
static clockid_t clock_of[FILES];

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * INT64_C(1000000000) + time->tv_nsec; }

static struct timespec timespec_of(int64_t nanoseconds)
{
    return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

// Clocks of processes and threads have other numbers, and are left alone.
static int is_slow(clockid_t clock) { return clock >= 0 && clock < CLOCKS; }

static int64_t start_of(clockid_t clock)
{
    if (start[clock] == 0) {
        struct timespec now = {0};
        syscall(SYS_clock_gettime, clock, &now);
        start[clock] = nanoseconds(&now);
    }
    return start[clock];
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    long result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && is_slow(clock)) {
        int64_t begun = start_of(clock);
        *time = timespec_of(begun + (nanoseconds(time) - begun) / SLOWER);
    }
    return (int)result;
}

int timerfd_create(int clock, int flags)
{
    int file = (int)syscall(SYS_timerfd_create, clock, flags);
    if (file >= 0 && file < FILES) clock_of[file] = clock;
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *slow, struct itimerspec *old)
{
    struct itimerspec real = *slow;
    clockid_t clock = file >= 0 && file < FILES ? clock_of[file] : -1;
    int64_t begun = is_slow(clock) && (flags & TFD_TIMER_ABSTIME) ? start_of(clock) : 0;
    int64_t rest = nanoseconds(&slow->it_value) - begun;
    // A time that is past stays past, and one that never comes stays one.
    if (is_slow(clock) && rest > 0) {
        real.it_value = timespec_of(rest > (INT64_MAX - begun) / SLOWER ? INT64_MAX : begun + rest * SLOWER);
        real.it_interval = timespec_of(nanoseconds(&slow->it_interval) * SLOWER);
    }
    return (int)syscall(SYS_timerfd_settime, file, flags, &real, old);
}
