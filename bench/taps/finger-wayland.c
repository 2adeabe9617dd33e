/* SPDX-License-Identifier: Apache-2.0 */
/* A compositor with wlr-virtual-pointer and wlr-screencopy. It copies the pixel when it commits a picture in which that has changed, and
 * says when that was. */
#define _GNU_SOURCE
#include "finger.h"

#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#include "wlr-screencopy-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"

static struct wl_display *connection;
static struct wl_seat *seat;
static struct wl_shm *memory;
static struct wl_output *output;
static struct zwlr_virtual_pointer_manager_v1 *pointers;
static struct zwlr_virtual_pointer_v1 *pointer;
static struct zwlr_screencopy_manager_v1 *screens;
static struct zwlr_screencopy_frame_v1 *frame;
static struct wl_buffer *buffer;
static uint32_t *pixel;
static uint32_t width, height; /* of the display */
static int watched_x, watched_y;
static uint64_t ready;

static void found(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    (void) data;
    (void) version;
    if (strcmp(interface, wl_seat_interface.name) == 0)
        seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
    else if (strcmp(interface, wl_shm_interface.name) == 0)
        memory = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    else if (strcmp(interface, wl_output_interface.name) == 0 && !output)
        output = wl_registry_bind(registry, name, &wl_output_interface, 1);
    else if (strcmp(interface, zwlr_virtual_pointer_manager_v1_interface.name) == 0)
        pointers = wl_registry_bind(registry, name, &zwlr_virtual_pointer_manager_v1_interface, 1);
    else if (strcmp(interface, zwlr_screencopy_manager_v1_interface.name) == 0 && version >= 2)
        screens = wl_registry_bind(registry, name, &zwlr_screencopy_manager_v1_interface, 2);
}

static void gone(void *data, struct wl_registry *registry, uint32_t name)
{
    (void) data;
    (void) registry;
    (void) name;
}

static void has_geometry(void *data, struct wl_output *of, int32_t x, int32_t y, int32_t w, int32_t h, int32_t subpixel, const char *make,
                         const char *model, int32_t transform)
{
    (void) data, (void) of, (void) x, (void) y, (void) w, (void) h, (void) subpixel, (void) make, (void) model, (void) transform;
}

static void has_mode(void *data, struct wl_output *of, uint32_t flags, int32_t w, int32_t h, int32_t refresh)
{
    (void) data, (void) of, (void) refresh;
    if (flags & WL_OUTPUT_MODE_CURRENT) {
        width = (uint32_t) w;
        height = (uint32_t) h;
    }
}

static void dispatch(void)
{
    if (wl_display_dispatch(connection) < 0)
        fail("the compositor has ended:", getenv("WAYLAND_DISPLAY"));
}

static void roundtrip(void)
{
    if (wl_display_roundtrip(connection) < 0)
        fail("the compositor has ended:", getenv("WAYLAND_DISPLAY"));
}

static void has_buffer(void *data, struct zwlr_screencopy_frame_v1 *of, uint32_t format, uint32_t w, uint32_t h, uint32_t stride)
{
    struct wl_shm_pool *pool;
    int fd;

    (void) of;
    if (!buffer) {
        fd = memfd_create("pixel", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, (off_t) stride * h) < 0 ||
            (pixel = mmap(NULL, (size_t) stride * h, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
            fail("there is no memory for", "a pixel");
        pool = wl_shm_create_pool(memory, fd, (int32_t) (stride * h));
        buffer = wl_shm_pool_create_buffer(pool, 0, (int32_t) w, (int32_t) h, (int32_t) stride, format);
        wl_shm_pool_destroy(pool);
        close(fd);
    }
    if (*(bool *) data)
        zwlr_screencopy_frame_v1_copy_with_damage(of, buffer);
    else
        zwlr_screencopy_frame_v1_copy(of, buffer);
}

static void has_flags(void *data, struct zwlr_screencopy_frame_v1 *of, uint32_t flags)
{
    (void) data, (void) of, (void) flags;
}

static void is_ready(void *data, struct zwlr_screencopy_frame_v1 *of, uint32_t high, uint32_t low, uint32_t ns)
{
    (void) data, (void) of;
    ready = (((uint64_t) high << 32) + low) * 1000000000 + ns;
}

static void has_failed(void *data, struct zwlr_screencopy_frame_v1 *of)
{
    (void) data, (void) of;
    fail("the compositor copies no pixel of", "its output");
}

static void has_damage(void *data, struct zwlr_screencopy_frame_v1 *of, uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
    (void) data, (void) of, (void) x, (void) y, (void) w, (void) h;
}

static void begin(int x, int y, const bool *is_later)
{
    static const struct zwlr_screencopy_frame_v1_listener listener = {
        .buffer = has_buffer, .flags = has_flags, .ready = is_ready, .failed = has_failed, .damage = has_damage};

    ready = 0;
    frame = zwlr_screencopy_manager_v1_capture_output_region(screens, 0, output, x, y, 1, 1);
    zwlr_screencopy_frame_v1_add_listener(frame, &listener, (void *) is_later);
    roundtrip(); /* By then it has said which buffer it wants, and has that. */
    roundtrip();
}

static uint32_t finish(void)
{
    while (!ready)
        dispatch();
    zwlr_screencopy_frame_v1_destroy(frame);
    frame = NULL;
    return *pixel & 0xffffff;
}

static const bool at_once = false, when_changed = true;

static uint32_t wayland_pixel(int x, int y)
{
    begin(x, y, &at_once);
    return finish();
}

static void wayland_watch(int x, int y)
{
    if (frame)
        zwlr_screencopy_frame_v1_destroy(frame);
    watched_x = x, watched_y = y;
    begin(x, y, &when_changed);
}

static uint64_t wayland_changed(uint32_t *colour)
{
    if (!frame)
        begin(watched_x, watched_y, &when_changed);
    *colour = finish();
    return ready;
}

static void wayland_move(int x, int y)
{
    zwlr_virtual_pointer_v1_motion_absolute(pointer, (uint32_t) (now() / 1000000), (uint32_t) x, (uint32_t) y, width, height);
    zwlr_virtual_pointer_v1_frame(pointer);
    roundtrip();
}

static void wayland_press(enum button button, bool is_down)
{
    zwlr_virtual_pointer_v1_button(pointer, (uint32_t) (now() / 1000000), button == BACK ? BTN_SIDE : BTN_LEFT,
                                   is_down ? WL_POINTER_BUTTON_STATE_PRESSED : WL_POINTER_BUTTON_STATE_RELEASED);
    zwlr_virtual_pointer_v1_frame(pointer);
    wl_display_flush(connection);
}

const struct display *connect_wayland(void)
{
    static const struct wl_registry_listener listener = {.global = found, .global_remove = gone};
    static const struct wl_output_listener size = {.geometry = has_geometry, .mode = has_mode};
    static const struct display wayland = {wayland_move, wayland_press, wayland_pixel, wayland_watch, wayland_changed};

    connection = wl_display_connect(NULL);
    if (!connection)
        fail("no compositor answers at WAYLAND_DISPLAY =", getenv("WAYLAND_DISPLAY"));
    wl_registry_add_listener(wl_display_get_registry(connection), &listener, NULL);
    roundtrip();
    if (!seat || !memory || !output || !pointers || !screens)
        fail("the compositor lacks", !pointers ? "wlr-virtual-pointer" : !screens ? "wlr-screencopy, version 2" : "a seat or an output");
    wl_output_add_listener(output, &size, NULL);
    pointer = zwlr_virtual_pointer_manager_v1_create_virtual_pointer(pointers, seat);
    roundtrip();
    return &wayland;
}
