/* SPDX-License-Identifier: Apache-2.0
 *
 * input   A pointer and a keyboard of a Wayland compositor, for tests. It reads commands, a line each, and prints "done" when
 * the compositor has taken one:
 *
 *   move X Y            the pointer, to a place between 0 and 10000
 *   press BUTTON        left, right, middle, back
 *   release BUTTON
 *   key [Alt+|Ctrl+|Shift+]NAME   a key by its keysym, such as Escape
 *   down NAME           a key that is held
 *   up NAME             and let go
 *   text TEXT           what a keyboard of the USA can type
 *
 * Both devices stay until the end of standard input: a keyboard that comes with each key and goes after it loses keys, as
 * the clients learn of it too late.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/input-event-codes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>
#include <xkbcommon/xkbcommon.h>

#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"

#define EXTENT 10000
#define EVDEV_OFFSET 8 /* What X11, and so XKB, adds to the kernel's codes. */

static struct wl_display *display;
static struct wl_seat *seat;
static struct zwlr_virtual_pointer_manager_v1 *pointers;
static struct zwp_virtual_keyboard_manager_v1 *keyboards;
static struct zwlr_virtual_pointer_v1 *pointer;
static struct zwp_virtual_keyboard_v1 *keyboard;
static struct xkb_keymap *keymap;

static void fail(const char *text, const char *value)
{
    fprintf(stderr, "input: %s '%s'\n", text, value);
    exit(1);
}

static uint32_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t) (time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

static void found(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    (void) data;
    (void) version;
    if (strcmp(interface, wl_seat_interface.name) == 0)
        seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
    else if (strcmp(interface, zwlr_virtual_pointer_manager_v1_interface.name) == 0)
        pointers = wl_registry_bind(registry, name, &zwlr_virtual_pointer_manager_v1_interface, 1);
    else if (strcmp(interface, zwp_virtual_keyboard_manager_v1_interface.name) == 0)
        keyboards = wl_registry_bind(registry, name, &zwp_virtual_keyboard_manager_v1_interface, 1);
}

static void gone(void *data, struct wl_registry *registry, uint32_t name)
{
    (void) data;
    (void) registry;
    (void) name;
}

static void give_keymap(void)
{
    const struct xkb_rule_names names = {.layout = "us"};
    struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
    char *text;
    size_t length;
    int fd;

    keymap = context ? xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS) : NULL;
    if (!keymap)
        fail("there is no keyboard layout", "us");
    text = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
    length = strlen(text) + 1;
    fd = memfd_create("keymap", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text, length) != (ssize_t) length)
        fail("the keymap can't be written:", strerror(errno));
    zwp_virtual_keyboard_v1_keymap(keyboard, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, (uint32_t) length);
    close(fd);
    free(text);
    xkb_context_unref(context);
}

/* The key that has a keysym on one of its first two levels. */
static xkb_keycode_t find_key(xkb_keysym_t wanted, bool *is_shifted)
{
    for (xkb_level_index_t level = 0; level < 2; level++)
        for (xkb_keycode_t code = xkb_keymap_min_keycode(keymap); code <= xkb_keymap_max_keycode(keymap); code++) {
            const xkb_keysym_t *symbols;

            if (xkb_keymap_key_get_syms_by_level(keymap, code, 0, level, &symbols) == 1 && symbols[0] == wanted) {
                *is_shifted = level == 1;
                return code;
            }
        }
    return XKB_KEYCODE_INVALID;
}

static void set_modifiers(uint32_t mask)
{
    zwp_virtual_keyboard_v1_modifiers(keyboard, mask, 0, 0, 0);
}

enum { DOWN = 1, UP = 2 };

static void press_key(xkb_keysym_t symbol, uint32_t mask, int ways, const char *text)
{
    bool is_shifted = false;
    xkb_keycode_t code = find_key(symbol, &is_shifted);

    if (code == XKB_KEYCODE_INVALID)
        fail("no key has", text);
    if (is_shifted)
        mask |= 1u << xkb_keymap_mod_get_index(keymap, XKB_MOD_NAME_SHIFT);
    set_modifiers(mask);
    if (ways & DOWN)
        zwp_virtual_keyboard_v1_key(keyboard, now(), code - EVDEV_OFFSET, WL_KEYBOARD_KEY_STATE_PRESSED);
    if (ways & UP)
        zwp_virtual_keyboard_v1_key(keyboard, now(), code - EVDEV_OFFSET, WL_KEYBOARD_KEY_STATE_RELEASED);
    set_modifiers(0);
}

static void press_named(const char *text, int ways)
{
    static const struct {
        const char *prefix, *modifier;
    } modifiers[] = {{"Alt+", XKB_MOD_NAME_ALT}, {"Ctrl+", XKB_MOD_NAME_CTRL}, {"Shift+", XKB_MOD_NAME_SHIFT}};
    const char *name = text;
    uint32_t mask = 0;
    xkb_keysym_t symbol;

    for (size_t at = 0; at < sizeof modifiers / sizeof *modifiers; at++)
        if (strncmp(name, modifiers[at].prefix, strlen(modifiers[at].prefix)) == 0) {
            mask |= 1u << xkb_keymap_mod_get_index(keymap, modifiers[at].modifier);
            name += strlen(modifiers[at].prefix);
            at = (size_t) -1;
        }
    symbol = xkb_keysym_from_name(name, XKB_KEYSYM_NO_FLAGS);
    if (symbol == XKB_KEY_NoSymbol)
        fail("there is no key", text);
    press_key(symbol, mask, ways, text);
}

static uint32_t button(const char *name)
{
    static const struct {
        const char *name;
        uint32_t code;
    } buttons[] = {{"left", BTN_LEFT}, {"right", BTN_RIGHT}, {"middle", BTN_MIDDLE}, {"back", BTN_SIDE}};

    for (size_t at = 0; at < sizeof buttons / sizeof *buttons; at++)
        if (strcmp(name, buttons[at].name) == 0)
            return buttons[at].code;
    fail("there is no button", name);
    return 0;
}

static void obey(char *line)
{
    unsigned x, y;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "move %u %u", &x, &y) == 2)
        zwlr_virtual_pointer_v1_motion_absolute(pointer, now(), x, y, EXTENT, EXTENT);
    else if (strncmp(line, "press ", 6) == 0)
        zwlr_virtual_pointer_v1_button(pointer, now(), button(line + 6), WL_POINTER_BUTTON_STATE_PRESSED);
    else if (strncmp(line, "release ", 8) == 0)
        zwlr_virtual_pointer_v1_button(pointer, now(), button(line + 8), WL_POINTER_BUTTON_STATE_RELEASED);
    else if (strncmp(line, "key ", 4) == 0)
        press_named(line + 4, DOWN | UP);
    else if (strncmp(line, "down ", 5) == 0)
        press_named(line + 5, DOWN);
    else if (strncmp(line, "up ", 3) == 0)
        press_named(line + 3, UP);
    else if (strncmp(line, "text ", 5) == 0)
        for (const char *at = line + 5; *at; at++)
            press_key(xkb_utf32_to_keysym((uint32_t) (unsigned char) *at), 0, DOWN | UP, line);
    else
        fail("there is no command", line);
    zwlr_virtual_pointer_v1_frame(pointer);
}

int main(void)
{
    static const struct wl_registry_listener listener = {.global = found, .global_remove = gone};
    char *line = NULL;
    size_t size = 0;

    display = wl_display_connect(NULL);
    if (!display)
        fail("no compositor answers at WAYLAND_DISPLAY =", getenv("WAYLAND_DISPLAY") ? getenv("WAYLAND_DISPLAY") : "");
    wl_registry_add_listener(wl_display_get_registry(display), &listener, NULL);
    wl_display_roundtrip(display);
    if (!seat || !pointers || !keyboards)
        fail("the compositor lacks", pointers ? "zwp_virtual_keyboard_manager_v1" : "zwlr_virtual_pointer_manager_v1");
    pointer = zwlr_virtual_pointer_manager_v1_create_virtual_pointer(pointers, seat);
    keyboard = zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(keyboards, seat);
    give_keymap();
    do {
        if (wl_display_roundtrip(display) < 0)
            fail("the compositor has ended:", strerror(errno));
        puts("done");
        fflush(stdout);
        if (getline(&line, &size, stdin) < 0)
            break;
        obey(line);
    } while (true);
    free(line);
    xkb_keymap_unref(keymap);
    wl_display_disconnect(display);
    return 0;
}
