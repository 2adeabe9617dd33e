// SPDX-License-Identifier: Apache-2.0
// wlr-foreign-toplevel-management: labwc, phoc, sway, cage from 0.3, Mir, wayfire.
#include "wayland.h"

#include "foreign-toplevel.h"

static void app_id(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, const char *name)
{
    toplevel_name(data, name);
}

static void output_enter(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, struct wl_output *output)
{
    struct toplevel *toplevel = data;
    toplevel->display = display_of(output);
    toplevel->is_dirty = true;
}

static void state(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, struct wl_array *states)
{
    const uint32_t *values = states->data;
    unsigned found = 0;
    for (size_t at = 0; at < states->size / sizeof *values; at++)
        found |= values[at] == ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_ACTIVATED    ? ACTIVATED
               : values[at] == ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_MINIMIZED    ? MINIMIZED
               : values[at] == ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_FULLSCREEN   ? FULLSCREEN
                                                                                  : 0;
    toplevel_states(data, found);
}

static void done(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
    toplevel_said(data);
}

static void closed(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
    zwlr_foreign_toplevel_handle_v1_destroy(handle);
    toplevel_free(data);
}

static void parent(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, struct zwlr_foreign_toplevel_handle_v1 *other)
{
    struct toplevel *toplevel = data;
    toplevel->parent = other;
    toplevel->is_dirty = true;
}

static const struct zwlr_foreign_toplevel_handle_v1_listener handle_events = {.title = nothing, .app_id = app_id, .output_enter = output_enter,
    .output_leave = nothing /* One that is hidden is still in front of what was there before it. */, .state = state, .done = done,
    .closed = closed, .parent = parent};

static void toplevel(void *data, struct zwlr_foreign_toplevel_manager_v1 *manager, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
    zwlr_foreign_toplevel_handle_v1_add_listener(handle, &handle_events, toplevel_new(handle));
}

static void finished(void *data, struct zwlr_foreign_toplevel_manager_v1 *manager)
{
    begin_anew("the compositor tells of no windows any more");
}

static const struct zwlr_foreign_toplevel_manager_v1_listener manager_events = {toplevel, finished};

static void bind(struct wl_registry *registry, uint32_t global, uint32_t version)
{
    struct zwlr_foreign_toplevel_manager_v1 *manager =
        wl_registry_bind(registry, global, &zwlr_foreign_toplevel_manager_v1_interface, version < 3 ? version : 3);
    zwlr_foreign_toplevel_manager_v1_add_listener(manager, &manager_events, NULL);
}

static void leave_fullscreen(struct toplevel *it)
{
    if (zwlr_foreign_toplevel_handle_v1_get_version(it->proxy) >= ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_UNSET_FULLSCREEN_SINCE_VERSION)
        zwlr_foreign_toplevel_handle_v1_unset_fullscreen(it->proxy);
}

static void bring(struct toplevel *it, struct display *display, bool is_full)
{
    if (it->states & MINIMIZED) zwlr_foreign_toplevel_handle_v1_unset_minimized(it->proxy);
    if (wayland_seat) zwlr_foreign_toplevel_handle_v1_activate(it->proxy, wayland_seat); // There is none before the first input device.
    if (is_full && zwlr_foreign_toplevel_handle_v1_get_version(it->proxy) >= ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_SET_FULLSCREEN_SINCE_VERSION)
        zwlr_foreign_toplevel_handle_v1_set_fullscreen(it->proxy, display->proxy);
}

const struct protocol wlr = {
    .name = "wlr-foreign-toplevel-management",
    .can = "front, focus, size by fullscreen, outputs; not order, place, strips, process",
    .bind = bind,
    .bring = bring,
    .leave_fullscreen = leave_fullscreen,
};
