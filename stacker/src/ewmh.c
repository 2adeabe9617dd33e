// SPDX-License-Identifier: Apache-2.0
// X11, by the EWMH of a window manager that has _NET_RESTACK_WINDOW.
#include "stacker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <xcb/composite.h>
#include <xcb/dpms.h>
#include <xcb/randr.h>
#include <xcb/res.h>
#include <xcb/xcb.h>

enum { PAGER = 2, BELOW = 1, ABOVE = 0, LENGTH = 1 << 20 };

#define ATOMS(X)                                                                                                                        \
    X(_FLOWBUS_SCREEN) X(WM_CLASS) X(_NET_WM_STATE) X(_NET_WM_STATE_FULLSCREEN) X(_NET_WM_STATE_ABOVE)                   \
    X(_NET_WM_STATE_BELOW) X(_NET_CLIENT_LIST_STACKING) X(_NET_ACTIVE_WINDOW) X(_NET_SUPPORTED) X(_NET_SUPPORTING_WM_CHECK)             \
    X(_NET_WM_NAME) X(_NET_RESTACK_WINDOW) X(_NET_MOVERESIZE_WINDOW) X(_NET_WM_DESKTOP) X(_NET_CURRENT_DESKTOP) X(_NET_NUMBER_OF_DESKTOPS) \
    X(_MOTIF_WM_HINTS)
#define MEMBER(name) name,
#define TEXT(name) #name,
enum { ATOMS(MEMBER) ATOM_COUNT };
static const char *const atom_names[] = {ATOMS(TEXT)};
static xcb_atom_t atoms[ATOM_COUNT];

static xcb_connection_t *x11;
static xcb_window_t root;
static char manager[64];
static bool tells_processes;

static bool has_extension(xcb_extension_t *extension)
{
    const xcb_query_extension_reply_t *reply = xcb_get_extension_data(x11, extension);
    return reply && reply->present;
}

static void need(void)
{
    if (xcb_connection_has_error(x11)) begin_anew("the X server has ended");
}

static void take_events(xcb_generic_event_t *(*next)(xcb_connection_t *))
{
    xcb_generic_event_t *event;
    while ((event = next(x11))) {
        if (event->response_type) changed(); // Else it is an error: a window has gone.
        free(event);
    }
}

// An event of X11 may have come with an answer, so that there is nothing to read.
static int prepare_events(sd_event_source *source, void *data)
{
    take_events(xcb_poll_for_queued_event);
    return 0;
}

static int has_event(sd_event_source *source, int fd, uint32_t revents, void *data)
{
    take_events(xcb_poll_for_event);
    need();
    return 0;
}

static xcb_get_property_cookie_t ask(xcb_window_t window, int atom)
{
    return xcb_get_property(x11, false, window, atoms[atom], XCB_GET_PROPERTY_TYPE_ANY, 0, LENGTH);
}

// The values of a property of numbers, which the caller frees, and how many there are.
static xcb_get_property_reply_t *get(xcb_window_t window, int atom, const uint32_t **values, size_t *count)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x11, ask(window, atom), NULL);
    *count = reply && reply->format == 32 ? (size_t)xcb_get_property_value_length(reply) / 4 : 0;
    *values = *count ? xcb_get_property_value(reply) : NULL;
    return reply;
}

static uint32_t get_one(xcb_window_t window, int atom, uint32_t otherwise)
{
    const uint32_t *values;
    size_t count;
    xcb_get_property_reply_t *reply = get(window, atom, &values, &count);
    uint32_t value = count ? *values : otherwise;
    free(reply);
    return value;
}

static bool has(const xcb_get_property_reply_t *reply, xcb_atom_t atom)
{
    if (!reply || reply->format != 32) return false;
    const uint32_t *values = xcb_get_property_value(reply);
    for (int at = 0; at < xcb_get_property_value_length(reply) / 4; at++)
        if (values[at] == atom) return true;
    return false;
}

// The text of a property in the encoding that it has; of several the last one that is not empty.
static const char *text_of(struct arena *arena, const xcb_get_property_reply_t *reply, bool is_latin)
{
    if (!reply || reply->format != 8) return "";
    const unsigned char *data = xcb_get_property_value(reply);
    size_t length = (size_t)xcb_get_property_value_length(reply);
    while (length && !data[length - 1]) length--;
    size_t begin = length;
    while (begin && data[begin - 1]) begin--;
    char *text = arena_take(arena, 2 * (length - begin) + 1), *to = text;
    for (size_t at = begin; at < length; at++) {
        if (is_latin && data[at] >= 0x80) *to++ = (char)(0xC0 | data[at] >> 6), *to++ = (char)(0x80 | (data[at] & 0x3F));
        else *to++ = (char)data[at];
    }
    return text;
}

static bool is_cover(const char *name)
{
    return !strncmp(name, TREE "cover ", strlen(TREE "cover "));
}

static bool overlap(struct area a, struct area b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static void read_outputs(struct arena *arena, struct view *view)
{
    xcb_randr_get_monitors_reply_t *reply = xcb_randr_get_monitors_reply(x11, xcb_randr_get_monitors(x11, root, true), NULL);
    if (!reply) return;
    for (xcb_randr_monitor_info_iterator_t it = xcb_randr_get_monitors_monitors_iterator(reply); it.rem; xcb_randr_monitor_info_next(&it)) {
        xcb_get_atom_name_reply_t *name = xcb_get_atom_name_reply(x11, xcb_get_atom_name(x11, it.data->name), NULL);
        if (name)
            *ADD(arena, &view->outputs) = (struct output){
                .name = arena_print(arena, "%.*s", xcb_get_atom_name_name_length(name), xcb_get_atom_name_name(name)),
                .area = {it.data->x, it.data->y, it.data->width, it.data->height}};
        free(name);
    }
    free(reply);
}

struct question {
    xcb_window_t window;
    xcb_get_property_cookie_t properties[3];
    xcb_res_query_client_ids_cookie_t client;
    xcb_get_geometry_cookie_t geometry;
    xcb_get_window_attributes_cookie_t attributes;
    xcb_translate_coordinates_cookie_t place;
};

// The process of a window, as the server knows it from its socket: one in a PID namespace has another number there, and says that one
// (_NET_WM_PID). 0 if it is on another machine.
static pid_t process_of(xcb_res_query_client_ids_cookie_t cookie)
{
    xcb_res_query_client_ids_reply_t *reply = tells_processes ? xcb_res_query_client_ids_reply(x11, cookie, NULL) : NULL;
    uint32_t process = 0;
    if (reply)
        for (xcb_res_client_id_value_iterator_t it = xcb_res_query_client_ids_ids_iterator(reply); it.rem; xcb_res_client_id_value_next(&it))
            if (xcb_res_client_id_value_value_length(it.data)) process = *xcb_res_client_id_value_value(it.data);
    free(reply);
    return (pid_t)process;
}

static bool answered(struct arena *arena, struct question *it, struct window *window)
{
    xcb_get_property_reply_t *properties[3];
    for (int at = 0; at < 3; at++) properties[at] = xcb_get_property_reply(x11, it->properties[at], NULL);
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(x11, it->geometry, NULL);
    xcb_get_window_attributes_reply_t *attributes = xcb_get_window_attributes_reply(x11, it->attributes, NULL);
    xcb_translate_coordinates_reply_t *place = xcb_translate_coordinates_reply(x11, it->place, NULL);
    pid_t process = process_of(it->client);
    bool is_there = geometry && attributes && place;
    if (is_there) {
        const char *name = text_of(arena, properties[0], false);
        // Of the two texts in WM_CLASS, which are in Latin-1, the second one is the class.
        if (!*name) name = text_of(arena, properties[1], true);
        bool is_mapped = attributes->map_state == XCB_MAP_STATE_VIEWABLE;
        *window = (struct window){.name = name, .id = it->window, .process = process, .is_shown = is_mapped, .is_mapped = is_mapped,
            .is_free = !has(properties[2], atoms[_NET_WM_STATE_FULLSCREEN]),
            .area = {place->dst_x, place->dst_y, geometry->width, geometry->height}};
    }
    for (int at = 0; at < 3; at++) free(properties[at]);
    free(geometry);
    free(attributes);
    free(place);
    return is_there;
}

static bool ewmh_read(struct arena *arena, struct view *view)
{
    if (!*manager) { // It starts after the server.
        const uint32_t *values;
        size_t count;
        xcb_window_t check = get_one(root, _NET_SUPPORTING_WM_CHECK, 0);
        need();
        free(get(root, _NET_SUPPORTED, &values, &count));
        if (!check || !count) return false;
        xcb_get_property_reply_t *name = xcb_get_property_reply(x11, ask(check, _NET_WM_NAME), NULL);
        snprintf(manager, sizeof manager, "%s", text_of(arena, name, false));
        free(name);
        if (!*manager) strcpy(manager, "without a name");
    }
    // Before the windows: where one that had the focus has gone, it is not seen any more when another one has got it, and nobody has
    // given that the focus.
    view->focused = get_one(root, _NET_ACTIVE_WINDOW, 0);
    read_outputs(arena, view);
    sort_outputs(view);
    const uint32_t *numbers;
    size_t count;
    xcb_get_property_reply_t *list = get(root, _NET_CLIENT_LIST_STACKING, &numbers, &count);
    // Each answer of X11 takes its time, so nobody waits for one before the next is asked.
    LIST(struct question) questions = {0};
    for (size_t at = 0; at < count; at++) {
        struct question *it = ADD(arena, &questions);
        *it = (struct question){.window = numbers[at], .geometry = xcb_get_geometry(x11, numbers[at]),
            .attributes = xcb_get_window_attributes(x11, numbers[at]), .place = xcb_translate_coordinates(x11, numbers[at], root, 0, 0)};
        for (int which = 0; which < 3; which++) it->properties[which] = ask(numbers[at], which); // The first three atoms.
        const xcb_res_client_id_spec_t wanted = {numbers[at], XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID};
        if (tells_processes) it->client = xcb_res_query_client_ids(x11, 1, &wanted);
    }
    free(list);
    for EACH (struct question, it, &questions) {
        struct window window;
        if (answered(arena, it, &window)) *ADD(arena, &view->windows) = window;
    }
    need();
    // What is below a cover is not seen.
    bool *covered = arena_take(arena, view->outputs.count + 1);
    for (size_t at = view->windows.count; at-- > 0;) {
        struct window *window = &view->windows.at[at];
        window->output = output_at(view, window->area);
        bool is_on_any = false, is_covered = true;
        for (size_t output = 0; output < view->outputs.count; output++)
            if (overlap(window->area, view->outputs.at[output].area)) is_on_any = true, is_covered = is_covered && covered[output];
        window->is_shown = window->is_shown && !(is_on_any && is_covered);
        for (size_t output = 0; is_cover(window->name) && output < view->outputs.count; output++)
            if (overlap(window->area, view->outputs.at[output].area) && window->area.width == view->outputs.at[output].area.width)
                covered[output] = true;
    }
    return true;
}

static void tell(xcb_window_t window, int atom, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE, .format = 32, .window = window, .type = atoms[atom], .data.data32 = {a, b, c, d, e}};
    xcb_send_event(x11, false, root, XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY, (const char *)&event);
}

// Without a title bar, which has a button that closes the window.
static void place(const struct aim *aim, uint32_t flags)
{
    const uint32_t hints[] = {2, 0, 0, 0, 0};
    xcb_window_t window = (xcb_window_t)aim->window.id;
    xcb_change_property(x11, XCB_PROP_MODE_REPLACE, window, atoms[_MOTIF_WM_HINTS], atoms[_MOTIF_WM_HINTS], 32, 5, hints);
    tell(window, _NET_MOVERESIZE_WINDOW, flags, (uint32_t)aim->area.x, (uint32_t)aim->area.y, (uint32_t)aim->area.width,
        (uint32_t)aim->area.height);
}

static const char *ewmh_check(void)
{
    static char why[256];
    xcb_get_property_reply_t *supported = xcb_get_property_reply(x11, ask(root, _NET_SUPPORTED), NULL);
    bool has_it = has(supported, atoms[_NET_RESTACK_WINDOW]);
    free(supported);
    if (!has_it) {
        snprintf(why, sizeof why,
            "the window manager '%s' can't order windows, as it does not support _NET_RESTACK_WINDOW; openbox does", manager);
        return why;
    }
    // The last desktop has what is not to be seen.
    if (get_one(root, _NET_NUMBER_OF_DESKTOPS, 1) == 1) tell(root, _NET_NUMBER_OF_DESKTOPS, 2, 0, 0, 0, 0);
    xcb_flush(x11);
    return NULL;
}

// Gives a window that is not seen yet its size; not its place, as openbox raises what has the size and the place of a display.
static void ewmh_prepare(const struct aim *aim)
{
    place(aim, 0x2C00);
    xcb_flush(x11);
}

// Those that wait until they are drawn stay, below all others.
static void ewmh_arrange(struct arena *arena, const struct plan *plan)
{
    // A desktop that nobody sees has what is hidden: the window manager gives the focus to none of them, as to one that is lowered, and
    // shows them without the focus, unlike one that is iconified.
    uint32_t here = get_one(root, _NET_CURRENT_DESKTOP, 0), elsewhere = get_one(root, _NET_NUMBER_OF_DESKTOPS, 1) - 1;
    // What makes room for a strip does so when that is there: else the background would be seen.
    bool *is_last = arena_take(arena, plan->aims.count + 1);
    for EACH (struct aim, it, &plan->aims) {
        size_t at = (size_t)(it - plan->aims.at);
        xcb_window_t window = (xcb_window_t)it->window.id;
        is_last[at] = it->window.is_shown && !it->is_bar && it->window.area.height > it->area.height;
        // The window manager may let new windows begin below.
        if (it->is_exempt) tell(window, _NET_WM_STATE, 1, atoms[_NET_WM_STATE_ABOVE], 0, 0, 0);
        else tell(window, _NET_WM_STATE, 0, atoms[_NET_WM_STATE_BELOW], atoms[_NET_WM_STATE_FULLSCREEN], 0, 0);
        if (memcmp(&it->window.area, &it->area, sizeof it->area) && !is_last[at]) place(it, 0x2F00);
        if (!it->window.is_mapped) {
            xcb_map_window(x11, window); // If it is iconified.
            tell(window, _NET_WM_DESKTOP, here, PAGER, 0, 0, 0);
        }
    }
    if (plan->focus != plan->view.focused) tell((xcb_window_t)plan->focus, _NET_ACTIVE_WINDOW, PAGER, 0, 0, 0, 0);
    // Each goes above the one that it is to be above of, so nothing is seen that is not to be, and the focus stays where it is.
    xcb_window_t *lower = arena_take(arena, (plan->view.outputs.count + 1) * sizeof *lower);
    for EACH (struct aim, it, &plan->aims) {
        if (it->is_raised && lower[it->output]) tell((xcb_window_t)it->window.id, _NET_RESTACK_WINDOW, PAGER, lower[it->output], ABOVE, 0, 0);
        if (!it->is_bar) lower[it->output] = (xcb_window_t)it->window.id;
    }
    for EACH (struct aim, it, &plan->aims)
        if (is_last[it - plan->aims.at]) place(it, 0x2F00);
    for EACH (struct window, it, &plan->waiting) {
        tell((xcb_window_t)it->id, _NET_WM_DESKTOP, here, PAGER, 0, 0, 0);
        tell((xcb_window_t)it->id, _NET_RESTACK_WINDOW, PAGER, 0, BELOW, 0, 0);
    }
    for EACH (struct window, it, &plan->hidden)
        if (!FIND(struct window, other, &plan->waiting, other->id == it->id))
            tell((xcb_window_t)it->id, _NET_WM_DESKTOP, elsewhere, PAGER, 0, 0, 0);
    xcb_flush(x11);
}

// DPMS has all outputs of the server off, or none. It has to be enabled for that; who has disabled it, so that a display never goes dark by
// itself, finds it so when they are on again.
static void ewmh_switch_output(const char *name, bool is_on)
{
    static bool was_disabled;
    xcb_dpms_info_reply_t *info = xcb_dpms_info_reply(x11, xcb_dpms_info(x11), NULL);
    if (!is_on && info && !info->state) {
        was_disabled = true;
        xcb_dpms_enable(x11);
    }
    if (!is_on || (info && info->state)) xcb_dpms_force_level(x11, is_on ? XCB_DPMS_DPMS_MODE_ON : XCB_DPMS_DPMS_MODE_OFF);
    if (is_on && was_disabled) {
        was_disabled = false;
        xcb_dpms_disable(x11);
    }
    free(info);
    xcb_flush(x11);
}

#define CAN "order, focus, size and place, hide, outputs, process"

static struct backend ewmh = {
    .name = "EWMH",
    .can = CAN,
    .version = manager,
    .names_are_paths = true,
    .has_order = true,
    .read = ewmh_read,
    .arrange = ewmh_arrange,
    .prepare = ewmh_prepare,
    .check = ewmh_check,
    .switches_all = true,
};

const struct backend *ewmh_connect(void)
{
    x11 = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(x11)) {
        xcb_disconnect(x11);
        return NULL;
    }
    root = xcb_setup_roots_iterator(xcb_get_setup(x11)).data->root;
    xcb_intern_atom_cookie_t cookies[ATOM_COUNT];
    for (int at = 0; at < ATOM_COUNT; at++) cookies[at] = xcb_intern_atom(x11, false, (uint16_t)strlen(atom_names[at]), atom_names[at]);
    for (int at = 0; at < ATOM_COUNT; at++) {
        xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(x11, cookies[at], NULL);
        if (reply) atoms[at] = reply->atom;
        free(reply);
    }
    const uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
    xcb_change_window_attributes(x11, root, XCB_CW_EVENT_MASK, &mask);
    // Has the server keep what is drawn in a window that others cover. Else it is drawn when it is raised, and seen before.
    if (has_extension(&xcb_composite_id)) {
        xcb_discard_reply(x11, xcb_composite_query_version(x11, 0, 4).sequence);
        xcb_composite_redirect_subwindows(x11, root, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    }
    tells_processes = has_extension(&xcb_res_id);
    xcb_dpms_capable_reply_t *capable = has_extension(&xcb_dpms_id) ? xcb_dpms_capable_reply(x11, xcb_dpms_capable(x11), NULL) : NULL;
    if (capable && capable->capable) ewmh.can = CAN ", off and on", ewmh.switch_output = ewmh_switch_output;
    free(capable);
    xcb_flush(x11);
    sd_event_source *source;
    sd_event_add_io(loop, &source, xcb_get_file_descriptor(x11), EPOLLIN, has_event, NULL);
    sd_event_source_set_prepare(source, prepare_events);
    return &ewmh;
}
