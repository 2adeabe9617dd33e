// SPDX-License-Identifier: Apache-2.0
// What the protocols of Wayland for windows have in common: none tells their order, or changes it but for the one in front.
#pragma once

#include "stacker.h"

#include <wayland-client.h>

enum { ACTIVATED = 1, MINIMIZED = 2, FULLSCREEN = 4 };

struct display {
    struct display *next;
    struct wl_output *proxy;
    uint32_t global;
    char *name;
    struct area area;
    bool is_asked;   // For its place.
    uint64_t raised; // The window that was brought to the front here last,
    uint64_t front;  // and the one that went there by itself, or because of that.
};

struct toplevel {
    struct toplevel *next;
    uint64_t id;
    void *proxy;
    void *parent; // Its proxy.
    char *name;
    unsigned states;
    pid_t process;
    struct display *display; // Where it is, as far as that is known.
    int asked;               // How often it was asked to be fullscreen.
    bool is_known;           // It has said all that it says at first.
    bool is_dirty;           // It has said something that matters since then.
};

// A protocol.
struct protocol {
    const char *name;
    const char *can; // As of the back end.
    void (*bind)(struct wl_registry *registry, uint32_t global, uint32_t version);
    void (*bring)(struct toplevel *toplevel, struct display *display, bool is_full);
    void (*leave_fullscreen)(struct toplevel *toplevel);
};
extern const struct protocol wlr, plasma;

// For events that matter to nobody here. Without a prototype it takes what each of them has.
static inline void nothing() {}

extern struct wl_seat *wayland_seat;

struct toplevel *toplevel_new(void *proxy);
void toplevel_name(struct toplevel *toplevel, const char *name);
void toplevel_states(struct toplevel *toplevel, unsigned states);
void toplevel_said(struct toplevel *toplevel); // All of it.
void toplevel_free(struct toplevel *toplevel);
struct display *display_of(struct wl_output *proxy);
struct display *display_at(struct area area);
