// SPDX-License-Identifier: Apache-2.0
// Loaded into the stacker, an X server that has DPMS, which Xvfb has not, and Xorg only with a graphics card: each request is a line of the
// file DPMS. It is disabled at first, as on a device whose displays never go dark by themselves.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <xcb/dpms.h>

static int is_enabled;

static xcb_void_cookie_t write_line(const char *text)
{
    FILE *file = fopen(getenv("DPMS"), "ae");
    if (file) fprintf(file, "%s\n", text), fclose(file);
    return (xcb_void_cookie_t){0};
}

const xcb_query_extension_reply_t *xcb_get_extension_data(xcb_connection_t *connection, xcb_extension_t *extension)
{
    static const xcb_query_extension_reply_t there = {.present = 1};
    static const xcb_query_extension_reply_t *(*other)(xcb_connection_t *, xcb_extension_t *);
    if (!other) *(void **)&other = dlsym(RTLD_NEXT, "xcb_get_extension_data");
    return extension == &xcb_dpms_id ? &there : other(connection, extension);
}

xcb_dpms_capable_cookie_t xcb_dpms_capable(xcb_connection_t *connection)
{
    (void)connection;
    return (xcb_dpms_capable_cookie_t){0};
}

xcb_dpms_capable_reply_t *xcb_dpms_capable_reply(xcb_connection_t *connection, xcb_dpms_capable_cookie_t cookie, xcb_generic_error_t **error)
{
    (void)connection, (void)cookie, (void)error;
    xcb_dpms_capable_reply_t *reply = calloc(1, sizeof *reply);
    if (reply) reply->capable = 1;
    return reply;
}

xcb_dpms_info_cookie_t xcb_dpms_info(xcb_connection_t *connection)
{
    (void)connection;
    return (xcb_dpms_info_cookie_t){0};
}

xcb_dpms_info_reply_t *xcb_dpms_info_reply(xcb_connection_t *connection, xcb_dpms_info_cookie_t cookie, xcb_generic_error_t **error)
{
    (void)connection, (void)cookie, (void)error;
    xcb_dpms_info_reply_t *reply = calloc(1, sizeof *reply);
    if (reply) reply->state = (uint8_t)is_enabled;
    return reply;
}

xcb_void_cookie_t xcb_dpms_enable(xcb_connection_t *connection)
{
    (void)connection;
    is_enabled = 1;
    return write_line("enabled");
}

xcb_void_cookie_t xcb_dpms_disable(xcb_connection_t *connection)
{
    (void)connection;
    is_enabled = 0;
    return write_line("disabled");
}

xcb_void_cookie_t xcb_dpms_force_level(xcb_connection_t *connection, uint16_t level)
{
    (void)connection;
    return write_line(level == XCB_DPMS_DPMS_MODE_ON ? "on" : "off");
}
