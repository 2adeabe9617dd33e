// SPDX-License-Identifier: Apache-2.0
// One look at the windows and the screens, in two parts: choose.c has what is to be seen, and look.c where, with which focus, and whether the
// windows stand so.
#pragma once

#include "stacker.h"

enum { LATE = 2000000 }; // us after which there is a cover for what is not shown.

typedef LIST(const char *) name_list;

// A screen in sight, with what is needed to place its window.
struct show {
    const struct screen *screen;
    const char *name; // Of its window: that of the screen, or of a program that knows nothing of flowbus.
    int output;
    bool is_bar;
    pid_t process;
};
typedef LIST(struct show) show_list;

struct place {
    const char *name;
    int output;
    bool is_bar;
};
typedef LIST(struct place) place_list;

struct layer {
    const char *output, *layer;
    name_list names;
};

struct seen {
    const char *output;
    uint64_t dark; // The instance of the screen that has the output off, or 0.
    enum { UNKNOWN, ON, OFF } power;
    place_list places;
};

struct missing {
    const char *what;
    uint64_t late; // When its place is covered.
};

// A command line where the compositor tells no processes.
struct command {
    uint64_t instance; // Of its screen.
    uint64_t since;    // Its windows have higher ids than this one.
    uint64_t window;   // 0 if it has none yet.
};

// A window that was given its size before it is seen.
struct prepared {
    uint64_t id, drawn; // It may not be drawn in that size before then.
    struct area size;
};

// What one look leaves to the next one.
struct state {
    LIST(struct layer) former; // What was in front in a layer.
    LIST(struct seen) seen;
    LIST(struct missing) missing;
    LIST(struct prepared) prepared;
    LIST(struct command) commands; // The newest first.
    uint64_t oldest; // Up to this instance they may have windows from before the first look.
    LIST(uint64_t) settled; // The windows that were seen when all stood in order.
};

struct text {
    const char *title, *why;
};

// One look.
struct glance {
    struct arena *arena;
    const struct backend *backend;
    char **exempt;
    struct plan plan;
    show_list shows;
    LIST(struct window) owned;
    place_list chosen;
    struct text *texts; // What covers say, by outputs; without a title nothing.
    bool *has_bar;      // By outputs.
    uint64_t *dark;     // As of seen, by outputs.
    const char **covers; // By outputs, the names of their windows.
    const struct state *before;
    struct state *after;
};

// look.c
bool is_named(const char *name, char **names);
bool is_screen_name(const char *name);
bool is_unnamed(struct glance *g, const struct window *window); // Neither after a screen nor as one that is exempt.
const char *window_name(struct glance *g, const char *path, uint64_t instance);
int cover_number(const char *output);
bool is_there(struct glance *g, const char *name);
struct area area_of(struct glance *g, int output, bool has_bar, bool is_bar);

// choose.c
void choose(struct glance *g, const screen_list *screens); // Without screens, the covers alone.
const struct seen *seen_at(const struct state *of, const char *output);
void switch_output(struct glance *g, struct seen *seen);
