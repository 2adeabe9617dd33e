// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

void refuse(int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, PROGRAM ": ");
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(status);
}

void *take(void *memory)
{
    if (!memory) abort();
    return memory;
}

char *print(const char *format, ...)
{
    char *text = NULL;
    va_list values;
    va_start(values, format);
    if (vasprintf(&text, format, values) < 0) abort();
    va_end(values);
    return text;
}

void refuse_bus(const char *address, bool is_system, int error)
{
    refuse(EX_UNAVAILABLE, "there is no bus%s%s: %s", address ? " at " : is_system ? " of the system" : " of the session", address ? address : "",
        strerror(-error));
}

static int bus_gone(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)signal, (void)data, (void)error;
    refuse(EX_UNAVAILABLE, "the bus has ended");
}

sd_bus *open_bus(const char *address, bool is_system, sd_event *loop)
{
    sd_bus *bus = NULL;
    int result = address ? sd_bus_new(&bus) : is_system ? sd_bus_default_system(&bus) : sd_bus_default_user(&bus);
    if (result >= 0 && address) {
        result = sd_bus_set_address(bus, address);
        if (result >= 0) result = sd_bus_set_bus_client(bus, true);
        if (result >= 0) result = sd_bus_start(bus);
    }
    if (result >= 0) result = sd_bus_attach_event(bus, loop, 0);
    if (result >= 0)
        result = sd_bus_match_signal(bus, NULL, "org.freedesktop.DBus.Local", NULL, "org.freedesktop.DBus.Local", "Disconnected", bus_gone, NULL);
    if (result < 0) refuse_bus(address, is_system, result);
    return bus;
}
