/* SPDX-License-Identifier: Apache-2.0 */
/* An X server with XTEST and DAMAGE. It tells that something was drawn; the pixel is read then. */
#include "finger.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xdamage.h>
#include <stdlib.h>

static Display *connection;
static Window root;
static Damage damage;
static int first_event, watched_x, watched_y;

static uint32_t x11_pixel(int x, int y)
{
    XImage *image = XGetImage(connection, root, x, y, 1, 1, AllPlanes, ZPixmap);
    uint32_t colour;

    if (!image)
        fail("the X server gives no pixel of", "its screen");
    colour = (uint32_t) XGetPixel(image, 0, 0) & 0xffffff;
    XDestroyImage(image);
    return colour;
}

static void x11_watch(int x, int y)
{
    watched_x = x, watched_y = y;
    if (!damage)
        damage = XDamageCreate(connection, root, XDamageReportNonEmpty);
    XDamageSubtract(connection, damage, None, None);
    XSync(connection, False);
}

static uint64_t x11_changed(uint32_t *colour)
{
    XEvent event;

    do
        XNextEvent(connection, &event);
    while (event.type != first_event + XDamageNotify);
    XDamageSubtract(connection, damage, None, None);
    *colour = x11_pixel(watched_x, watched_y);
    return now();
}

static void x11_move(int x, int y)
{
    XTestFakeMotionEvent(connection, -1, x, y, 0);
    XSync(connection, False);
}

static void x11_press(enum button button, bool is_down)
{
    XTestFakeButtonEvent(connection, button == BACK ? 8 : 1, is_down, 0);
    XFlush(connection);
}

const struct display *connect_x11(void)
{
    static const struct display x11 = {x11_move, x11_press, x11_pixel, x11_watch, x11_changed};
    int first_error, major, minor, event;

    connection = XOpenDisplay(NULL);
    if (!connection)
        fail("no X server answers at DISPLAY =", getenv("DISPLAY") ? getenv("DISPLAY") : "");
    if (!XTestQueryExtension(connection, &event, &first_error, &major, &minor) ||
        !XDamageQueryExtension(connection, &first_event, &first_error))
        fail("the X server lacks", "XTEST or DAMAGE");
    root = DefaultRootWindow(connection);
    return &x11;
}
