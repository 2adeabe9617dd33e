// SPDX-License-Identifier: Apache-2.0
// flowbus-stacker: the windows of a compositor stand as the screens of flowbus do.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define FLOWBUS "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define TREE ROOT "/tree/"
#define PATH "/org/flowbus/Stacker1" // Of this program.

// Memory that is given back all at once.
struct arena;
struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_take(struct arena *arena, size_t size); // Zeros.
char *arena_copy(struct arena *arena, const char *text);
__attribute__((format(printf, 2, 3))) char *arena_print(struct arena *arena, const char *format, ...);

// A list in an arena. ADD gives the place of a new element, which is all zeros.
#define LIST(type)      \
    struct {            \
        type *at;       \
        size_t count;   \
        size_t room;    \
    }
#define ADD(arena, list) \
    ((typeof((list)->at))list_add((arena), (void **)&(list)->at, &(list)->count, &(list)->room, sizeof *(list)->at))
#define EACH(type, it, list) (type *it = (list)->at; it < (list)->at + (list)->count; it++)
// The first element that is as the condition says, or NULL.
#define FIND(type, it, list, condition)                      \
    ({                                                       \
        type *found_ = NULL;                                 \
        for EACH (type, it, list)                            \
            if (!found_ && (condition)) found_ = it;         \
        found_;                                              \
    })
void *list_add(struct arena *arena, void **at, size_t *count, size_t *room, size_t size);

struct area {
    int x, y, width, height;
};

// A window of the compositor.
struct window {
    const char *name;    // That of the screen that it shows, or the application id of its program; many have none, which is "".
    uint64_t id;
    struct area area;
    pid_t process;       // 0 if it is not known.
    int output;          // -1 if it is not known.
    bool is_shown;
    bool is_mapped;      // Whether its program is asked to draw it.
    bool is_free;        // Whether it is neither tiled nor fullscreen.
};

struct output {
    const char *name;
    struct area area;
};

// What a compositor has.
struct view {
    LIST(struct output) outputs;
    LIST(struct window) windows; // The lowest first, where that is known.
    uint64_t focused;            // The window with the focus, or 0.
};

// Where a window is to be.
struct aim {
    struct window window;
    int output;
    struct area area;
    bool is_bar;
    bool keeps_size; // Its program decides how large it is.
    bool is_exempt;  // It shows no screen, and is above all that do.
    bool is_raised;  // Else it is in its place already.
};

// What is to be seen.
struct plan {
    struct view view;
    LIST(struct aim) aims;      // The lowest first.
    LIST(struct window) hidden; // What is seen, and is not to be.
    LIST(struct window) waiting; // What is drawn below all others until it is to be seen.
    uint64_t focus;
};

// One way to a compositor. Each calls changed() when something may have changed. A compositor that has gone is begin_anew().
struct backend {
    const char *name;
    const char *can;     // What works, for people.
    const char *version; // May be empty as long as it has not told.
    bool names_are_paths; // PATH INSTANCE, as on X11; else application ids.
    bool has_order;      // It knows the order, and can change it; else it brings one window of each output to the front.
    bool tells_no_process; // Later windows have higher ids then.
    bool fills;          // It gives windows the size of their output by making them fullscreen.
    bool (*read)(struct arena *arena, struct view *view);
    void (*arrange)(struct arena *arena, const struct plan *plan);
    bool (*is_arranged)(const struct plan *plan);  // Where there is no order.
    void (*prepare)(const struct aim *aim);        // Gives a window that is not seen yet its size; may be NULL.
    void (*switch_output)(const char *name, bool is_on); // May be NULL.
    bool switches_all;   // It has all outputs off, or none.
    const char *(*check)(void);                    // Why windows can't be ordered here; NULL if they can.
};

int output_named(const struct view *view, const char *name, int otherwise);
bool has_middle(struct area whole, struct area area); // Whether the middle of an area is in another one.
void sort_outputs(struct view *view); // By their places: the first one has the roots without an output.
int output_at(const struct view *view, struct area area); // That of its middle, or the first one.
const struct backend *sway_connect(void);
const struct backend *wayland_connect(void); // wlr-foreign-toplevel-management or plasma_window_management.
const struct backend *ewmh_connect(void);

// main.c
extern sd_event *loop;
void changed(void);                                              // Looks at everything once more, soon.
void changed_at(uint64_t time);                                  // At a time of CLOCK_MONOTONIC, in us.
void begin_anew(const char *why);                                // The compositor has gone.
__attribute__((format(printf, 1, 2))) void note(const char *format, ...); // For the journal.
__attribute__((noreturn, format(printf, 2, 3))) void refuse(int status, const char *format, ...);
uint64_t now(void);
void process_name(pid_t process, char name[16]); // Empty if there is none.
void tell_status(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A screen in sight, as flowbusd tells it.
struct screen {
    const char *path;
    uint64_t instance;
    const char *owner, *style, *title, *waiting, *layer, *output, *application;
    bool is_visible;
};
typedef LIST(struct screen) screen_list;

// A root with nothing to show.
struct empty_root {
    const char *output, *title, *why;
};
typedef LIST(struct empty_root) root_list;

// flowbus.c
sd_bus *flowbus_connect(const char *address, bool is_system);
const screen_list *flowbus_screens(void);   // The lowest first; NULL if flowbusd has not told yet.
void flowbus_ask_always(bool always);       // The order between roots matters, and only GetStack tells it.
const root_list *flowbus_empty_roots(bool follows);
pid_t flowbus_process(const char *owner);   // 0 if nobody knows.
bool flowbus_is_own(const struct screen *screen); // One that this program presents: its output is off.
void flowbus_wake(uint64_t instance);
void flowbus_outputs(const struct view *view); // Tells of those that came or went, or have another place or size.

// covers.c
void covers_start(bool fills);
void covers_say(int number, const char *output, const char *title, const char *why);

// look.c
void look_woken(int number); // Somebody has used the cover with this number.
void look(const struct backend *backend, char **exempt, bool prints);
