/* SPDX-License-Identifier: Apache-2.0 */
/* What a display does for a finger: see finger.c. */
#include <stdbool.h>
#include <stdint.h>

enum button { FIRST, BACK };

struct display {
    void (*move)(int x, int y);
    void (*press)(enum button button, bool is_down); /* the display has it when this returns */
    uint32_t (*pixel)(int x, int y);
    void (*watch)(int x, int y);                     /* begins to look at a place */
    uint64_t (*changed)(uint32_t *colour);           /* waits until something there may have another colour; when that was seen */
};

const struct display *connect_wayland(void);
const struct display *connect_x11(void);
uint64_t now(void);                                  /* ns of the monotonic clock */
void fail(const char *text, const char *value) __attribute__((noreturn));
