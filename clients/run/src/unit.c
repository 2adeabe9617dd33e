// SPDX-License-Identifier: Apache-2.0
// Scopes of the user manager: one for the processes of each screen, bound to the service that flowbus-run is.
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#define SYSTEMD "org.freedesktop.systemd1"
#define MANAGER "/org/freedesktop/systemd1"

bool has_units;
static char *own_unit;

static int unit_removed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *unit;
    if (sd_bus_message_read(signal, "s", &unit) < 0) return 0;
    struct screen *screen = screen_of_unit(unit);
    if (!screen || !screen->has_unit) return 0;
    if (screen->waits_for_unit && screen->state == PREPARING) unit_start(screen);
    else screen_unit_gone(screen);
    return 0;
}

static int job_removed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void)data, (void)error;
    const char *unit, *result;
    if (sd_bus_message_read(signal, "uoss", NULL, NULL, &unit, &result) < 0) return 0;
    struct screen *screen = screen_of_unit(unit);
    if (!screen || !screen->has_unit || screen->waits_for_unit || screen->state != PREPARING) return 0;
    if (!strcmp(result, "done")) screen_unit_ready(screen);
    else screen_fail(screen, ERROR "NoUnit", "the user manager does not start the unit '%s' (%s)", unit, result);
    return 0;
}

bool units_begin(void)
{
    // Whether the manager has a service whose main process this is: to it the programs are bound.
    sd_bus_message *answer = NULL;
    const char *path;
    uint32_t main = 0;
    const char *suffix = sd_pid_get_user_unit(0, &own_unit) < 0 ? NULL : strrchr(own_unit, '.');
    if (!suffix || strcmp(suffix, ".service")) return false;
    if (sd_bus_call_method(bus, SYSTEMD, MANAGER, SYSTEMD ".Manager", "GetUnit", NULL, &answer, "s", own_unit) < 0 ||
        sd_bus_message_read(answer, "o", &path) < 0 ||
        sd_bus_get_property_trivial(bus, SYSTEMD, path, SYSTEMD ".Service", "MainPID", NULL, 'u', &main) < 0 || (pid_t)main != getpid()) {
        sd_bus_message_unref(answer);
        return false;
    }
    sd_bus_message_unref(answer);
    if (sd_bus_match_signal(bus, NULL, SYSTEMD, MANAGER, SYSTEMD ".Manager", "UnitRemoved", unit_removed, NULL) < 0 ||
        sd_bus_match_signal(bus, NULL, SYSTEMD, MANAGER, SYSTEMD ".Manager", "JobRemoved", job_removed, NULL) < 0 ||
        sd_bus_call_method(bus, SYSTEMD, MANAGER, SYSTEMD ".Manager", "Subscribe", NULL, NULL, NULL) < 0)
        return false;
    return has_units = true;
}

static int started(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    (void)error;
    struct screen *screen = data;
    screen->asking = sd_bus_slot_unref(screen->asking);
    const sd_bus_error *why = sd_bus_message_get_error(answer);
    if (!why) return 0; // JobRemoved says when it is there.
    if (sd_bus_error_has_name(why, SYSTEMD ".UnitExists")) {
        // Of a former flowbus-run that was killed. Its program may not run beside this one.
        screen->waits_for_unit = true;
        unit_stop(screen);
        return 0;
    }
    screen->has_unit = false;
    if (screen->state == PREPARING) screen_fail(screen, ERROR "NoUnit", "the user manager makes no unit for it: %s", why->message);
    else screen_unit_gone(screen);
    return 0;
}

void unit_start(struct screen *screen)
{
    sd_bus_message *call = NULL;
    screen->has_unit = true;
    screen->waits_for_unit = false;
    if (!screen->unit) {
        // More than one flowbusd can be beside one user manager: each bus has an id.
        sd_id128_t id;
        if (sd_bus_get_bus_id(bus, &id) < 0) id = SD_ID128_NULL;
        screen->unit = print("flowbus-run-%02x%02x%02x%02x-%" PRIu64 ".scope", id.bytes[0], id.bytes[1], id.bytes[2], id.bytes[3], screen->instance);
    }
    char *title = print("Screen %s", screen->name);
    int result = sd_bus_message_new_method_call(bus, &call, SYSTEMD, MANAGER, SYSTEMD ".Manager", "StartTransientUnit");
    if (result >= 0) result = sd_bus_message_append(call, "ss", screen->unit, "fail");
    if (result >= 0)
        result = sd_bus_message_append(call, "a(sv)", 7, "Description", "s", title, "PIDs", "au", 1, (uint32_t)screen->process,
            // When the service ends, for whatever reason, this ends; and it goes from memory also if it has failed.
            "BindsTo", "as", 1, own_unit, "CollectMode", "s", "inactive-or-failed", "KillMode", "s", "control-group",
            "TimeoutStopUSec", "t", grace, "Slice", "s", "app.slice");
    if (result >= 0) result = sd_bus_message_append(call, "a(sa(sv))", 0);
    if (result >= 0) result = sd_bus_call_async(bus, &screen->asking, call, started, screen, 0);
    sd_bus_message_unref(call);
    free(title);
    if (result < 0) {
        screen->has_unit = false;
        screen_fail(screen, ERROR "NoUnit", "the user manager can't be asked for a unit: %s", strerror(-result));
    }
}

static int stopped(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    (void)error;
    char *unit = data;
    const sd_bus_error *why = sd_bus_message_get_error(answer);
    struct screen *screen = why ? screen_of_unit(unit) : NULL;
    if (screen && screen->has_unit && sd_bus_error_has_name(why, SYSTEMD ".NoSuchUnit")) {
        if (screen->waits_for_unit && screen->state == PREPARING) unit_start(screen);
        else if (!screen->asking) screen_unit_gone(screen);
    }
    return 0;
}

void unit_stop(struct screen *screen)
{
    sd_bus_slot *slot = NULL;
    char *unit = take(strdup(screen->unit));
    if (sd_bus_call_method_async(bus, &slot, SYSTEMD, MANAGER, SYSTEMD ".Manager", "StopUnit", stopped, unit, "ss", unit, "replace") < 0) {
        note("%s: the user manager can't be asked to stop it", unit);
        free(unit);
        return;
    }
    sd_bus_slot_set_destroy_callback(slot, free);
    sd_bus_slot_set_floating(slot, true);
    sd_bus_slot_unref(slot);
}

static int environment_came(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    (void)error;
    struct screen *screen = data;
    char **environment = NULL;
    screen->asking = sd_bus_slot_unref(screen->asking);
    if (!sd_bus_message_is_method_error(answer, NULL) && sd_bus_message_enter_container(answer, 'v', "as") > 0)
        sd_bus_message_read_strv(answer, &environment);
    screen_has_environment(screen, environment);
    return 0;
}

void unit_environment(struct screen *screen)
{
    // Not that of this process, which may have been started before the compositor: WAYLAND_DISPLAY comes to the manager later.
    int result = sd_bus_call_method_async(bus, &screen->asking, SYSTEMD, MANAGER, "org.freedesktop.DBus.Properties", "Get", environment_came,
        screen, "ss", SYSTEMD ".Manager", "Environment");
    if (result < 0) screen_fail(screen, ERROR "NoUnit", "the user manager can't be asked for its environment: %s", strerror(-result));
}
