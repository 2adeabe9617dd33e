// SPDX-License-Identifier: Apache-2.0
// flowbus-cover: a black window for each output, which says what is not there, and why. flowbus-stacker starts it, and tells it each text:
// a line with the number of the cover, the output, a title and a reason, with tabs between them. It tells the stacker the number of a plain
// cover that somebody uses: its display may be off.
//
// It ends with its input, and with the compositor. It loads a font when there is something to say.
#include <cairo-xcb.h>
#include <errno.h>
#include <pango/pangocairo.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wayland-client.h>
#include <xcb/xcb.h>

#include "viewporter.h"
#include "xdg-shell.h"

#define TREE_COVER "/org/flowbus/Navigation1/tree/cover"

enum { TITLE = 32, WHY = 14, MARGIN = 32, SPACE = 16, LINE = 4096, WIDEST = 16384, SMALL = 100 }; // Pixels; bytes.

struct cover {
    struct cover *next;
    int number;
    char *output, *title, *why;
    int width, height;
    bool is_configured;
    struct wl_surface *surface;
    struct xdg_surface *shell;
    struct xdg_toplevel *toplevel;
    struct wp_viewport *viewport;
    xcb_window_t window;
};

struct output {
    struct output *next;
    struct wl_output *proxy;
    char *name;
};

struct seat {
    struct wl_pointer *pointer;
    struct wl_keyboard *keyboard;
    struct wl_touch *touch;
};

static struct cover *covers;
static struct output *outputs;
static bool is_fullscreen;

static struct wl_display *display;
static struct wl_compositor *compositor;
static struct wl_shm *shm;
static struct xdg_wm_base *shell;
static struct wp_viewporter *viewporter;

static xcb_connection_t *x11;
static xcb_screen_t *screen;
static xcb_visualtype_t *visual;

// For events that matter to nobody here. Without a prototype it takes what each of them has.
static void nothing() {}

static bool says(const struct cover *cover)
{
    return *cover->title || *cover->why;
}

static void report(const struct cover *cover)
{
    if (cover && !says(cover)) send(0, &cover->number, sizeof cover->number, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static PangoLayout *layout_of(cairo_t *cairo, const char *text, int size, int width)
{
    PangoLayout *layout = pango_cairo_create_layout(cairo);
    PangoFontDescription *font = pango_font_description_from_string("Sans");
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_width(layout, (width > 2 * MARGIN ? width - 2 * MARGIN : width) * PANGO_SCALE);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER);
    char *valid = g_utf8_make_valid(text, -1); // A long text may end in the middle of a letter.
    pango_layout_set_text(layout, valid, -1);
    g_free(valid);
    return layout;
}

static void paint(cairo_surface_t *surface, const struct cover *cover)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_set_source_rgb(cairo, 0, 0, 0);
    cairo_paint(cairo);
    if (says(cover)) {
        PangoLayout *title = layout_of(cairo, cover->title, TITLE, cover->width), *why = layout_of(cairo, cover->why, WHY, cover->width);
        int first, second;
        pango_layout_get_pixel_size(title, NULL, &first);
        pango_layout_get_pixel_size(why, NULL, &second);
        int x = cover->width > 2 * MARGIN ? MARGIN : 0, y = (cover->height - first - SPACE - second) / 2;
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_move_to(cairo, x, y);
        pango_cairo_show_layout(cairo, title);
        cairo_set_source_rgb(cairo, .6, .6, .6);
        cairo_move_to(cairo, x, y + first + SPACE);
        pango_cairo_show_layout(cairo, why);
        g_object_unref(title);
        g_object_unref(why);
    }
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
}

// The title of the window is what it says.
static char *window_title(const struct cover *cover)
{
    if (!says(cover)) return g_strdup("flowbus");
    char *text = g_strconcat(cover->title, *cover->title && *cover->why ? ": " : "", cover->why, NULL);
    char *valid = g_utf8_make_valid(text, -1);
    g_free(text);
    return valid;
}

// Wayland.

static void released(void *data, struct wl_buffer *buffer)
{
    wl_buffer_destroy(buffer);
}

static const struct wl_buffer_listener buffer_events = {released};

static void draw(struct cover *cover)
{
    if (!cover->is_configured) return;
    // A plain one needs one pixel, where the compositor makes it larger.
    bool is_plain = !says(cover) && cover->viewport;
    int width = is_plain ? 1 : cover->width, height = is_plain ? 1 : cover->height;
    size_t size = (size_t)width * (size_t)height * 4;
    int fd = memfd_create("cover", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size) < 0) return;
    void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data != MAP_FAILED) {
        cairo_surface_t *picture = cairo_image_surface_create_for_data(data, CAIRO_FORMAT_RGB24, width, height, width * 4);
        paint(picture, cover);
        cairo_surface_destroy(picture);
        munmap(data, size);
    }
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, fd, (int32_t)size);
    struct wl_buffer *buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
    wl_buffer_add_listener(buffer, &buffer_events, NULL);
    wl_shm_pool_destroy(pool);
    close(fd);
    if (cover->viewport) wp_viewport_set_destination(cover->viewport, cover->width, cover->height);
    wl_surface_attach(cover->surface, buffer, 0, 0);
    wl_surface_damage(cover->surface, 0, 0, cover->width, cover->height);
    wl_surface_commit(cover->surface);
}

static void toplevel_configured(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height, struct wl_array *states)
{
    struct cover *cover = data;
    if (width > 0 && width <= WIDEST) cover->width = width;
    if (height > 0 && height <= WIDEST) cover->height = height;
}

static const struct xdg_toplevel_listener toplevel_events = {.configure = toplevel_configured, .close = nothing};

static void configured(void *data, struct xdg_surface *surface, uint32_t serial)
{
    struct cover *cover = data;
    xdg_surface_ack_configure(surface, serial);
    cover->is_configured = true;
    draw(cover);
}

static const struct xdg_surface_listener surface_events = {configured};

static void open_wayland(struct cover *cover)
{
    char name[64];
    struct output *output = outputs;
    while (output && (!output->name || strcmp(output->name, cover->output))) output = output->next;
    snprintf(name, sizeof name, "org.flowbus.screen.cover-%d", cover->number);
    cover->surface = wl_compositor_create_surface(compositor);
    cover->shell = xdg_wm_base_get_xdg_surface(shell, cover->surface);
    xdg_surface_add_listener(cover->shell, &surface_events, cover);
    cover->toplevel = xdg_surface_get_toplevel(cover->shell);
    xdg_toplevel_add_listener(cover->toplevel, &toplevel_events, cover);
    xdg_toplevel_set_app_id(cover->toplevel, name);
    if (is_fullscreen) xdg_toplevel_set_fullscreen(cover->toplevel, output ? output->proxy : NULL);
    if (viewporter) cover->viewport = wp_viewporter_get_viewport(viewporter, cover->surface);
    wl_surface_commit(cover->surface);
}

// Input.

static struct cover *pointed, *typed; // That with the pointer, and that with the keyboard.
static wl_fixed_t at_x, at_y;

static struct cover *cover_of(const struct wl_surface *surface)
{
    struct cover *it = covers;
    while (it && it->surface != surface) it = it->next;
    return it;
}

static void pointer_enter(void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
    pointed = cover_of(surface), at_x = x, at_y = y;
}

static void pointer_leave(void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
    pointed = NULL;
}

// The compositor says where it is, too, when windows below it have moved.
static void pointer_motion(void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
    if (x != at_x || y != at_y) report(pointed);
    at_x = x, at_y = y;
}

static void pointer_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time, uint32_t button, uint32_t state)
{
    if (state == WL_POINTER_BUTTON_STATE_PRESSED) report(pointed);
}

static void pointer_axis(void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
    report(pointed);
}

static const struct wl_pointer_listener pointer_events = {
    .enter = pointer_enter, .leave = pointer_leave, .motion = pointer_motion, .button = pointer_button, .axis = pointer_axis};

static void keymap(void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
    close(fd);
}

static void keyboard_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface, struct wl_array *keys)
{
    typed = cover_of(surface);
}

static void keyboard_leave(void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
    typed = NULL;
}

static void keyboard_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time, uint32_t key, uint32_t state)
{
    if (state == WL_KEYBOARD_KEY_STATE_PRESSED) report(typed);
}

static const struct wl_keyboard_listener keyboard_events = {
    .keymap = keymap, .enter = keyboard_enter, .leave = keyboard_leave, .key = keyboard_key, .modifiers = nothing};

static void touch_down(void *data, struct wl_touch *touch, uint32_t serial, uint32_t time, struct wl_surface *surface, int32_t id,
    wl_fixed_t x, wl_fixed_t y)
{
    report(cover_of(surface));
}

static const struct wl_touch_listener touch_events = {
    .down = touch_down, .up = nothing, .motion = nothing, .frame = nothing, .cancel = nothing};

// A device that comes again needs another object.
static void capabilities(void *data, struct wl_seat *proxy, uint32_t has)
{
    struct seat *seat = data;
    if (seat->pointer) wl_pointer_destroy(seat->pointer), seat->pointer = NULL;
    if (seat->keyboard) wl_keyboard_destroy(seat->keyboard), seat->keyboard = NULL;
    if (seat->touch) wl_touch_destroy(seat->touch), seat->touch = NULL;
    if (has & WL_SEAT_CAPABILITY_POINTER) wl_pointer_add_listener(seat->pointer = wl_seat_get_pointer(proxy), &pointer_events, NULL);
    if (has & WL_SEAT_CAPABILITY_KEYBOARD) wl_keyboard_add_listener(seat->keyboard = wl_seat_get_keyboard(proxy), &keyboard_events, NULL);
    if (has & WL_SEAT_CAPABILITY_TOUCH) wl_touch_add_listener(seat->touch = wl_seat_get_touch(proxy), &touch_events, NULL);
}

static const struct wl_seat_listener seat_events = {.capabilities = capabilities};

static void ping(void *data, struct xdg_wm_base *base, uint32_t serial)
{
    xdg_wm_base_pong(base, serial);
}

static const struct xdg_wm_base_listener shell_events = {ping};

static void output_name(void *data, struct wl_output *proxy, const char *name)
{
    struct output *output = data;
    free(output->name);
    output->name = strdup(name);
}

static const struct wl_output_listener output_events = {
    .geometry = nothing, .mode = nothing, .done = nothing, .scale = nothing, .name = output_name, .description = nothing};

static void global(void *data, struct wl_registry *registry, uint32_t id, const char *interface, uint32_t version)
{
    if (!strcmp(interface, wl_compositor_interface.name)) compositor = wl_registry_bind(registry, id, &wl_compositor_interface, 1);
    else if (!strcmp(interface, wl_shm_interface.name)) shm = wl_registry_bind(registry, id, &wl_shm_interface, 1);
    else if (!strcmp(interface, wp_viewporter_interface.name)) viewporter = wl_registry_bind(registry, id, &wp_viewporter_interface, 1);
    else if (!strcmp(interface, xdg_wm_base_interface.name)) {
        shell = wl_registry_bind(registry, id, &xdg_wm_base_interface, 1);
        xdg_wm_base_add_listener(shell, &shell_events, NULL);
    } else if (!strcmp(interface, wl_seat_interface.name)) {
        struct seat *seat = calloc(1, sizeof *seat);
        if (!seat) abort();
        wl_seat_add_listener(wl_registry_bind(registry, id, &wl_seat_interface, 1), &seat_events, seat);
    } else if (!strcmp(interface, wl_output_interface.name) && version >= 4) {
        struct output *output = calloc(1, sizeof *output);
        if (!output) abort();
        output->proxy = wl_registry_bind(registry, id, &wl_output_interface, 4);
        output->next = outputs;
        outputs = output;
        wl_output_add_listener(output->proxy, &output_events, output);
    }
}

static const struct wl_registry_listener registry_events = {global, nothing};

// X11.

static void set(xcb_window_t window, const char *property, const char *type, uint8_t bits, const void *data, size_t count)
{
    xcb_intern_atom_cookie_t cookies[] = {xcb_intern_atom(x11, false, (uint16_t)strlen(property), property),
        xcb_intern_atom(x11, false, (uint16_t)strlen(type), type)};
    xcb_intern_atom_reply_t *name = xcb_intern_atom_reply(x11, cookies[0], NULL), *kind = xcb_intern_atom_reply(x11, cookies[1], NULL);
    if (name && kind) xcb_change_property(x11, XCB_PROP_MODE_REPLACE, window, name->atom, kind->atom, bits, (uint32_t)count, data);
    free(name);
    free(kind);
}

static void set_text(xcb_window_t window, const char *property, const char *type, const char *text, size_t length)
{
    set(window, property, type, 8, text, length);
}

static void open_x11(struct cover *cover)
{
    char name[128];
    const uint32_t values[] = {screen->black_pixel, XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY |
        XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_POINTER_MOTION};
    static const char class[] = "flowbus-cover\0flowbus-cover";
    cover->window = xcb_generate_id(x11);
    cover->width = cover->height = SMALL; // The stacker gives it its size.
    xcb_create_window(x11, XCB_COPY_FROM_PARENT, cover->window, screen->root, 0, 0, (uint16_t)cover->width, (uint16_t)cover->height, 0,
        XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
    snprintf(name, sizeof name, TREE_COVER " %d", cover->number);
    set_text(cover->window, "_FLOWBUS_SCREEN", "UTF8_STRING", name, strlen(name));
    set_text(cover->window, "WM_CLASS", "STRING", class, sizeof class);
    // It takes no focus when it comes: openbox keeps what had that when it became as large as the display above all else.
    set(cover->window, "_NET_WM_USER_TIME", "CARDINAL", 32, &(uint32_t){0}, 1);
    xcb_map_window(x11, cover->window);
}

static void draw_x11(struct cover *cover)
{
    cairo_surface_t *picture = cairo_xcb_surface_create(x11, cover->window, visual, cover->width, cover->height);
    paint(picture, cover);
    cairo_surface_destroy(picture);
}

static void read_x11(void)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(x11))) {
        int kind = event->response_type & 0x7F;
        const xcb_configure_notify_event_t *size = (const void *)event;
        const xcb_expose_event_t *exposed = (const void *)event;
        const xcb_key_press_event_t *used = (const void *)event; // A button and the pointer have the same.
        bool is_input = kind == XCB_KEY_PRESS || kind == XCB_BUTTON_PRESS || kind == XCB_MOTION_NOTIFY;
        for (struct cover *it = covers; it; it = it->next) {
            if (kind == XCB_CONFIGURE_NOTIFY && size->window == it->window && (it->width != size->width || it->height != size->height)) {
                it->width = size->width, it->height = size->height;
                draw_x11(it);
            }
            if (is_input && used->event == it->window) report(it);
            if (kind == XCB_EXPOSE && exposed->window == it->window && !exposed->count) draw_x11(it);
        }
        free(event);
    }
    if (xcb_connection_has_error(x11)) exit(EXIT_FAILURE);
}

static xcb_visualtype_t *find_visual(void)
{
    for (xcb_depth_iterator_t depth = xcb_screen_allowed_depths_iterator(screen); depth.rem; xcb_depth_next(&depth))
        for (xcb_visualtype_iterator_t it = xcb_depth_visuals_iterator(depth.data); it.rem; xcb_visualtype_next(&it))
            if (it.data->visual_id == screen->root_visual) return it.data;
    return NULL;
}

// Both.

static void tell(char *line)
{
    char *parts[4];
    for (int at = 0; at < 4; at++) {
        parts[at] = line;
        line += strcspn(line, "\t");
        if (*line) *line++ = 0;
    }
    int number = atoi(parts[0]);
    struct cover *cover = covers;
    while (cover && cover->number != number) cover = cover->next;
    bool is_new = !cover;
    if (is_new) {
        cover = calloc(1, sizeof *cover);
        if (!cover) abort();
        cover->number = number, cover->width = 640, cover->height = 480;
        cover->next = covers;
        covers = cover;
    }
    free(cover->output), free(cover->title), free(cover->why);
    cover->output = strdup(parts[1]), cover->title = strdup(parts[2]), cover->why = strdup(parts[3]);
    if (is_new && display) open_wayland(cover);
    else if (is_new) open_x11(cover);
    char *title = window_title(cover);
    if (display) {
        xdg_toplevel_set_title(cover->toplevel, title);
        draw(cover);
    } else {
        set_text(cover->window, "_NET_WM_NAME", "UTF8_STRING", title, strlen(title));
        draw_x11(cover);
    }
    g_free(title);
}

// The stacker sends each line as one packet.
static void read_input(void)
{
    char text[LINE];
    ssize_t got = read(0, text, sizeof text - 1);
    if (got <= 0 && errno != EINTR) exit(EXIT_SUCCESS); // The stacker has ended.
    if (got <= 0) return;
    text[got] = 0;
    text[strcspn(text, "\n")] = 0;
    tell(text);
}

int main(int count, char **arguments)
{
    is_fullscreen = count > 1 && !strcmp(arguments[1], "--fullscreen");
    const char *wayland = getenv("WAYLAND_DISPLAY");
    if (wayland && *wayland) {
        if (!(display = wl_display_connect(NULL))) return EXIT_FAILURE;
        struct wl_registry *registry = wl_display_get_registry(display);
        wl_registry_add_listener(registry, &registry_events, NULL);
        // The first has the globals, the second the names of outputs.
        if (wl_display_roundtrip(display) < 0 || wl_display_roundtrip(display) < 0 || !compositor || !shm || !shell) return EXIT_FAILURE;
    } else {
        x11 = xcb_connect(NULL, NULL);
        if (xcb_connection_has_error(x11)) return EXIT_FAILURE;
        screen = xcb_setup_roots_iterator(xcb_get_setup(x11)).data;
        if (!(visual = find_visual())) return EXIT_FAILURE;
    }
    struct pollfd files[] = {{.fd = 0, .events = POLLIN},
        {.fd = display ? wl_display_get_fd(display) : xcb_get_file_descriptor(x11), .events = POLLIN}};
    for (;;) {
        if (display && (wl_display_dispatch_pending(display) < 0 || (wl_display_flush(display) < 0 && errno != EAGAIN))) return EXIT_FAILURE;
        if (!display) read_x11(), xcb_flush(x11);
        if (poll(files, 2, -1) < 0 && errno != EINTR) return EXIT_FAILURE;
        if (files[0].revents) read_input();
        if (files[1].revents && display && wl_display_dispatch(display) < 0) return EXIT_FAILURE;
    }
}
