// SPDX-License-Identifier: Apache-2.0
#include "wayland.h"

#include "output-power.h"
#include "xdg-output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct wl_seat *wayland_seat;

static struct zxdg_output_manager_v1 *places;
static struct zwlr_output_power_manager_v1 *powers;

static struct wl_display *connection;
static struct wl_registry *registry;
static struct display *displays;     // As the compositor lists them.
static struct toplevel *toplevels;   // The newest last.
static const struct protocol *used;
static uint64_t newest, last_activated;
static bool has_fullscreen, refuses_fullscreen; // Whether a window was ever fullscreen; whether none ever will be.
static char version[96];
static struct {
    uint32_t wlr, wlr_version, plasma, plasma_version;
    bool has_list;
} globals;

static struct toplevel *find(uint64_t id)
{
    struct toplevel *it = toplevels;
    while (it && it->id != id) it = it->next;
    return it;
}

// Toplevels.

struct toplevel *toplevel_new(void *proxy)
{
    struct toplevel *toplevel = calloc(1, sizeof *toplevel), **end = &toplevels;
    if (!toplevel || !(toplevel->name = strdup(""))) abort();
    toplevel->proxy = proxy;
    toplevel->id = ++newest;
    while (*end) end = &(*end)->next;
    return *end = toplevel;
}

void toplevel_name(struct toplevel *toplevel, const char *name)
{
    if (!strcmp(toplevel->name, name ? name : "")) return;
    free(toplevel->name);
    if (!(toplevel->name = strdup(name ? name : ""))) abort();
    toplevel->is_dirty = true;
}

void toplevel_states(struct toplevel *toplevel, unsigned states)
{
    if (toplevel->states == states) return;
    if (states & ~toplevel->states & ACTIVATED) {
        last_activated = toplevel->id;
        if (toplevel->display) toplevel->display->front = toplevel->id;
    }
    has_fullscreen = has_fullscreen || states & FULLSCREEN;
    if (states & FULLSCREEN) toplevel->asked = 0;
    toplevel->states = states;
    toplevel->is_dirty = true;
}

void toplevel_said(struct toplevel *toplevel)
{
    if (!toplevel->is_known) {
        toplevel->is_known = toplevel->is_dirty = true;
        // A new window may be in front of the one that was.
        if (toplevel->display) toplevel->display->front = toplevel->id;
    }
    if (toplevel->is_dirty) changed();
    toplevel->is_dirty = false;
}

void toplevel_free(struct toplevel *toplevel)
{
    struct toplevel **it = &toplevels;
    while (*it != toplevel) it = &(*it)->next;
    *it = toplevel->next;
    free(toplevel->name);
    free(toplevel);
    changed();
}

// Whether a window is this one, or a dialog of it.
static bool belongs(const struct toplevel *it, const struct toplevel *to)
{
    for (int depth = 0; it && depth < 16; depth++) {
        if (it == to) return true;
        const struct toplevel *parent = it->parent ? toplevels : NULL;
        while (parent && parent->proxy != it->parent) parent = parent->next;
        it = parent;
    }
    return false;
}

// Outputs.

struct display *display_of(struct wl_output *proxy)
{
    struct display *it = displays;
    while (it && it->proxy != proxy) it = it->next;
    return it;
}

struct display *display_at(struct area area)
{
    struct display *it = displays;
    while (it && !has_middle(it->area, area)) it = it->next;
    return it;
}

static void output_done(void *data, struct wl_output *output)
{
    changed();
}

static void output_name(void *data, struct wl_output *output, const char *name)
{
    struct display *display = data;
    free(display->name);
    display->name = strdup(name);
}

static const struct wl_output_listener output_events = {
    .geometry = nothing, .mode = nothing, .done = output_done, .scale = nothing, .name = output_name, .description = nothing};

// Only this protocol tells where wlroots has put an output.
static void place(void *data, struct zxdg_output_v1 *place, int32_t x, int32_t y)
{
    struct display *display = data;
    display->area.x = x, display->area.y = y;
}

static void size(void *data, struct zxdg_output_v1 *place, int32_t width, int32_t height)
{
    struct display *display = data;
    display->area.width = width, display->area.height = height;
}

static void placed(void *data, struct zxdg_output_v1 *place)
{
    changed();
}

static const struct zxdg_output_v1_listener place_events = {
    .logical_position = place, .logical_size = size, .done = placed, .name = nothing, .description = nothing};

static void find_place(struct display *display)
{
    if (places && !display->is_asked)
        zxdg_output_v1_add_listener(zxdg_output_manager_v1_get_xdg_output(places, display->proxy), &place_events, display);
    display->is_asked = places;
}

// phoc takes no request before there is an input device; then all of them are made once more.
static void seat_changed(void *data, struct wl_seat *seat, uint32_t capabilities)
{
    refuses_fullscreen = false;
    for (struct toplevel *it = toplevels; it; it = it->next) it->asked = 0;
    for (struct display *it = displays; it; it = it->next) it->raised = 0;
    changed();
}

static const struct wl_seat_listener seat_events = {.capabilities = seat_changed, .name = nothing};

static void global(void *data, struct wl_registry *it, uint32_t id, const char *interface, uint32_t offered)
{
    if (!strcmp(interface, "wl_output") && offered >= 4) { // Before, they have no names.
        struct display *display = calloc(1, sizeof *display), **end = &displays;
        if (!display) abort();
        display->global = id;
        display->proxy = wl_registry_bind(it, id, &wl_output_interface, 4);
        while (*end) end = &(*end)->next;
        *end = display;
        wl_output_add_listener(display->proxy, &output_events, display);
        find_place(display);
    } else if (!strcmp(interface, "zxdg_output_manager_v1")) {
        places = wl_registry_bind(it, id, &zxdg_output_manager_v1_interface, offered < 3 ? offered : 3);
        for (struct display *display = displays; display; display = display->next) find_place(display);
    } else if (!strcmp(interface, "zwlr_output_power_manager_v1")) {
        powers = wl_registry_bind(it, id, &zwlr_output_power_manager_v1_interface, 1);
    } else if (!strcmp(interface, "wl_seat") && !wayland_seat) {
        wayland_seat = wl_registry_bind(it, id, &wl_seat_interface, 1);
        wl_seat_add_listener(wayland_seat, &seat_events, NULL);
    } else if (!strcmp(interface, "zwlr_foreign_toplevel_manager_v1")) {
        globals.wlr = id, globals.wlr_version = offered;
    } else if (!strcmp(interface, "org_kde_plasma_window_management")) {
        globals.plasma = id, globals.plasma_version = offered;
    } else if (!strcmp(interface, "ext_foreign_toplevel_list_v1")) {
        globals.has_list = true;
    }
}

static void global_removed(void *data, struct wl_registry *it, uint32_t id)
{
    struct display **at = &displays;
    while (*at && (*at)->global != id) at = &(*at)->next;
    if (!*at) return;
    struct display *gone = *at;
    *at = gone->next;
    for (struct toplevel *toplevel = toplevels; toplevel; toplevel = toplevel->next)
        if (toplevel->display == gone) toplevel->display = NULL;
    wl_output_destroy(gone->proxy);
    free(gone->name);
    free(gone);
    changed();
}

static const struct wl_registry_listener registry_events = {global, global_removed};

// What stands where.

static bool wayland_read(struct arena *arena, struct view *view)
{
    for (struct display *it = displays; it; it = it->next)
        if (it->name) *ADD(arena, &view->outputs) = (struct output){.name = arena_copy(arena, it->name), .area = it->area};
    sort_outputs(view);
    for (struct toplevel *it = toplevels; it; it = it->next) {
        if (!it->is_known) continue;
        int output = it->display && it->display->name ? output_named(view, it->display->name, -1) : -1;
        *ADD(arena, &view->windows) = (struct window){.name = arena_copy(arena, it->name), .id = it->id, .process = it->process,
            .output = output, .is_shown = !(it->states & MINIMIZED), .is_mapped = true, .is_free = !(it->states & FULLSCREEN)};
        if (it->states & ACTIVATED && (!view->focused || it->id == last_activated)) view->focused = it->id;
    }
    return true;
}

static struct display *named(const char *name)
{
    struct display *it = displays;
    while (it && (!it->name || strcmp(it->name, name))) it = it->next;
    return it;
}

static bool is_exempt(const struct plan *plan, const struct toplevel *toplevel)
{
    return toplevel && FIND(struct aim, it, &plan->aims, it->is_exempt && it->window.id == toplevel->id);
}

// The window that is to be in front of an output. Strips would need layers, and dialogs come with their parents.
static struct toplevel *top_of(const struct plan *plan, size_t output)
{
    struct toplevel *top = NULL;
    for EACH (struct aim, it, &plan->aims)
        if ((size_t)it->output == output && !it->is_bar && !it->is_exempt && !it->keeps_size) top = find(it->window.id);
    return top;
}

static size_t focused_output(const struct plan *plan)
{
    const struct aim *found = FIND(struct aim, it, &plan->aims, it->window.id == plan->focus);
    return found ? (size_t)found->output : 0;
}

static bool is_full(const struct toplevel *toplevel)
{
    return toplevel->states & FULLSCREEN || refuses_fullscreen || toplevel->asked >= 2;
}

static bool is_in_front(const struct plan *plan, size_t output)
{
    const struct toplevel *top = top_of(plan, output), *front;
    struct display *display = named(plan->view.outputs.at[output].name);
    if (!top || !display) return true;
    front = find(display->front);
    if (display->raised != top->id || top->states & MINIMIZED || !is_full(top)) return false;
    if (!belongs(front, top) && !is_exempt(plan, front)) return false;
    const struct toplevel *focused = find(plan->view.focused);
    return focused_output(plan) != output || belongs(focused, top) || is_exempt(plan, focused);
}

static bool wayland_is_arranged(const struct plan *plan)
{
    for (size_t at = 0; at < plan->view.outputs.count; at++)
        if (!is_in_front(plan, at)) return false;
    return true;
}

static void raise_top(const struct plan *plan, size_t output)
{
    struct toplevel *top = top_of(plan, output);
    struct display *display = named(plan->view.outputs.at[output].name);
    if (!top || !display) return;
    // What is fullscreen stays in front of all else on sway, which ignores what is to be activated below it.
    for (struct toplevel *it = toplevels; it; it = it->next)
        if (it->states & FULLSCREEN && !belongs(it, top) && !is_exempt(plan, it) && (it->display == display || !it->display))
            used->leave_fullscreen(it);
    if (top->asked >= 2 && !has_fullscreen) refuses_fullscreen = true;
    top->display = display;
    display->raised = display->front = top->id;
    bool asks = !(top->states & FULLSCREEN) && !refuses_fullscreen;
    top->asked += asks;
    used->bring(top, display, asks);
}

static void wayland_arrange(struct arena *arena, const struct plan *plan)
{
    size_t last = focused_output(plan);
    // Bringing a window to the front takes the focus, so that the output which has it comes last.
    for (size_t at = 0; at < plan->view.outputs.count; at++)
        if (at != last && !is_in_front(plan, at)) raise_top(plan, at);
    raise_top(plan, last);
    wl_display_flush(connection);
}

static void wayland_switch_output(const char *name, bool is_on)
{
    struct display *display = named(name);
    if (!powers || !display) return;
    struct zwlr_output_power_v1 *power = zwlr_output_power_manager_v1_get_output_power(powers, display->proxy);
    zwlr_output_power_v1_set_mode(power, is_on ? ZWLR_OUTPUT_POWER_V1_MODE_ON : ZWLR_OUTPUT_POWER_V1_MODE_OFF);
    zwlr_output_power_v1_destroy(power);
    wl_display_flush(connection);
}

// The connection.

static int flush(sd_event_source *source, void *data)
{
    if (wl_display_dispatch_pending(connection) < 0 || (wl_display_flush(connection) < 0 && errno != EAGAIN))
        begin_anew("the compositor has ended");
    return 0;
}

static int has_event(sd_event_source *source, int fd, uint32_t revents, void *data)
{
    if (wl_display_dispatch(connection) < 0) begin_anew("the compositor has ended");
    return 0;
}

const struct backend *wayland_connect(void)
{
    if (!(connection = wl_display_connect(NULL))) return NULL;
    registry = wl_display_get_registry(connection);
    wl_registry_add_listener(registry, &registry_events, NULL);
    if (wl_display_roundtrip(connection) < 0) return NULL;
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    char name[16];
    getsockopt(wl_display_get_fd(connection), SOL_SOCKET, SO_PEERCRED, &peer, &size);
    process_name(peer.pid, name);
    used = globals.plasma ? &plasma : globals.wlr ? &wlr : NULL;
    if (!used)
        refuse(78, "the compositor%s%s lets no client raise windows: it has neither wlr-foreign-toplevel-management nor"
            " plasma_window_management%s. The libraries show windows anew there, without it", *name ? " " : "", name,
            globals.has_list ? ", and ext-foreign-toplevel-list only lists them" : "");
    uint32_t number = used == &plasma ? globals.plasma_version : globals.wlr_version;
    snprintf(version, sizeof version, "%s%sversion %u", name, *name ? ", " : "", number);
    used->bind(registry, used == &plasma ? globals.plasma : globals.wlr, number);
    if (wl_display_roundtrip(connection) < 0) return NULL; // All windows, and all outputs with their places, are known now.
    sd_event_source *source;
    sd_event_add_io(loop, &source, wl_display_get_fd(connection), EPOLLIN, has_event, NULL);
    sd_event_source_set_prepare(source, flush);
    static struct backend backend = {
        .version = version, .fills = true, .read = wayland_read, .arrange = wayland_arrange, .is_arranged = wayland_is_arranged,
        .switch_output = wayland_switch_output};
    static char can[128];
    snprintf(can, sizeof can, "%s%s", powers ? "off and on, " : "", used->can);
    backend.name = used->name, backend.can = can, backend.tells_no_process = used == &wlr;
    return &backend;
}
