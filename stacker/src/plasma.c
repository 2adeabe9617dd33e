// SPDX-License-Identifier: Apache-2.0
// plasma_window_management: KWin, which gives it to programs that ask for it in a .desktop file.
#include "wayland.h"

#include "plasma-window-management.h"

static struct org_kde_plasma_window_management *manager;

static void said(struct toplevel *toplevel)
{
    if (toplevel->is_known) toplevel_said(toplevel);
}

static void app_id(void *data, struct org_kde_plasma_window *window, const char *name)
{
    toplevel_name(data, name);
    said(data);
}

static void state(void *data, struct org_kde_plasma_window *window, uint32_t flags)
{
    toplevel_states(data, (flags & ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_ACTIVE ? ACTIVATED : 0) |
                          (flags & ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_MINIMIZED ? MINIMIZED : 0) |
                          (flags & ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_FULLSCREEN ? FULLSCREEN : 0));
    said(data);
}

static void unmapped(void *data, struct org_kde_plasma_window *window)
{
    org_kde_plasma_window_destroy(window);
    toplevel_free(data);
}

static void initial_state(void *data, struct org_kde_plasma_window *window)
{
    toplevel_said(data);
}

static void parent(void *data, struct org_kde_plasma_window *window, struct org_kde_plasma_window *other)
{
    struct toplevel *toplevel = data;
    toplevel->parent = other;
    toplevel->is_dirty = true;
    said(toplevel);
}

static void geometry(void *data, struct org_kde_plasma_window *window, int32_t x, int32_t y, uint32_t width, uint32_t height)
{
    struct toplevel *toplevel = data;
    struct display *display = display_at((struct area){x, y, (int)width, (int)height});
    if (!display || display == toplevel->display) return;
    toplevel->display = display;
    toplevel->is_dirty = true;
    said(toplevel);
}

static void pid(void *data, struct org_kde_plasma_window *window, uint32_t process)
{
    struct toplevel *toplevel = data;
    toplevel->process = (pid_t)process;
    toplevel->is_dirty = true;
    said(toplevel);
}

static const struct org_kde_plasma_window_listener window_events = {.title_changed = nothing, .app_id_changed = app_id, .state_changed = state,
    .virtual_desktop_changed = nothing, .themed_icon_name_changed = nothing, .unmapped = unmapped, .initial_state = initial_state,
    .parent_window = parent, .geometry = geometry, .icon_changed = nothing, .pid_changed = pid, .virtual_desktop_entered = nothing,
    .virtual_desktop_left = nothing, .application_menu = nothing, .activity_entered = nothing, .activity_left = nothing,
    .resource_name_changed = nothing};

static void window_with_uuid(void *data, struct org_kde_plasma_window_management *it, uint32_t id, const char *uuid)
{
    struct org_kde_plasma_window *found = org_kde_plasma_window_management_get_window_by_uuid(it, uuid);
    org_kde_plasma_window_add_listener(found, &window_events, toplevel_new(found));
}

static const struct org_kde_plasma_window_management_listener manager_events = {.show_desktop_changed = nothing, .window = nothing,
    .stacking_order_changed = nothing, .stacking_order_uuid_changed = nothing, .window_with_uuid = window_with_uuid};

static void bind(struct wl_registry *registry, uint32_t global, uint32_t version)
{
    // Later versions may have events that this one has no functions for.
    if (version < 13) refuse(78, "this KWin has version %u of plasma_window_management; 13 is the first that names windows by UUID", version);
    manager = wl_registry_bind(registry, global, &org_kde_plasma_window_management_interface, version < 16 ? version : 16);
    org_kde_plasma_window_management_add_listener(manager, &manager_events, NULL);
}

static void set(struct toplevel *it, uint32_t flag, bool value)
{
    org_kde_plasma_window_set_state(it->proxy, flag, value ? flag : 0);
}

static void leave_fullscreen(struct toplevel *it)
{
    set(it, ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_FULLSCREEN, false);
}

static void bring(struct toplevel *it, struct display *display, bool is_full)
{
    if (it->states & MINIMIZED) set(it, ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_MINIMIZED, false);
    if (org_kde_plasma_window_get_version(it->proxy) >= ORG_KDE_PLASMA_WINDOW_SEND_TO_OUTPUT_SINCE_VERSION)
        org_kde_plasma_window_send_to_output(it->proxy, display->proxy);
    if (is_full) set(it, ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_FULLSCREEN, true);
    set(it, ORG_KDE_PLASMA_WINDOW_MANAGEMENT_STATE_ACTIVE, true);
}

const struct protocol plasma = {
    .name = "plasma_window_management",
    .can = "front, focus, size by fullscreen, outputs, process; not order, place, strips",
    .bind = bind,
    .bring = bring,
    .leave_fullscreen = leave_fullscreen,
};
