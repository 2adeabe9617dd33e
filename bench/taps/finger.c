/* SPDX-License-Identifier: Apache-2.0
 *
 * finger   Taps at a display, and sees when a place of it has another colour. It reads commands, a line each, and answers each by a line:
 *
 *   move X Y         puts the pointer at a place, in pixels; answers "done"
 *   pixel X Y        answers the colour there, as RRGGBB
 *   tap              presses and releases; answers when it released, in ns of the monotonic clock
 *   tap X Y RRGGBB   the same; answers how many us later that place has this colour
 *   await X Y RRGGBB answers "watching", and then when that place has this colour, in ns of the monotonic clock
 *   back             presses the Back button of a mouse; answers "done"
 *
 * A press lasts 50 ms, as that of a person: what the program draws for it is drawn by then. The display tells of each change at the place,
 * so nothing is asked meanwhile, and nobody is kept from work but by the copy of one pixel.
 */
#include "finger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PRESS = 50 * 1000 * 1000, LIMIT = 60 }; /* ns, s */

static const struct display *display;

uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

void fail(const char *text, const char *value)
{
    fprintf(stderr, "finger: %s '%s'\n", text, value);
    exit(1);
}

static void hold(void)
{
    const struct timespec time = {.tv_nsec = PRESS};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static uint64_t until(uint32_t wanted)
{
    uint32_t colour;
    uint64_t when;

    alarm(LIMIT); /* What does not come by then never will: the signal ends this program. */
    do
        when = display->changed(&colour);
    while (colour != wanted);
    alarm(0);
    return when;
}

static void obey(char *line)
{
    int x, y;
    unsigned wanted;
    uint64_t begun;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "move %d %d", &x, &y) == 2) {
        display->move(x, y);
        puts("done");
    } else if (sscanf(line, "pixel %d %d", &x, &y) == 2) {
        printf("%06x\n", display->pixel(x, y));
    } else if (strcmp(line, "back") == 0) {
        display->press(BACK, true);
        display->press(BACK, false);
        puts("done");
    } else if (sscanf(line, "await %d %d %x", &x, &y, &wanted) == 3) {
        display->watch(x, y);
        puts("watching");
        fflush(stdout);
        printf("%llu\n", (unsigned long long) until(wanted));
    } else if (strcmp(line, "tap") == 0) {
        display->press(FIRST, true);
        hold();
        begun = now();
        display->press(FIRST, false);
        printf("%llu\n", (unsigned long long) begun);
    } else if (sscanf(line, "tap %d %d %x", &x, &y, &wanted) == 3) {
        display->press(FIRST, true);
        hold();
        display->watch(x, y);
        begun = now();
        display->press(FIRST, false);
        printf("%llu\n", (unsigned long long) ((until(wanted) - begun) / 1000));
    } else {
        fail("there is no command", line);
    }
    fflush(stdout);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;

    display = getenv("WAYLAND_DISPLAY") ? connect_wayland() : connect_x11();
    while (getline(&line, &size, stdin) >= 0)
        obey(line);
    free(line);
    return 0;
}
