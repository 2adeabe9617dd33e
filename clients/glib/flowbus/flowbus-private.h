/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus.h>

#define FLOWBUS_NAME "org.flowbus.Navigation1"
#define FLOWBUS_ROOT "/org/flowbus/Navigation1"
#define FLOWBUS_TREE_PATH FLOWBUS_ROOT "/tree"
#define FLOWBUS_INSTANCES FLOWBUS_ROOT "/instance/"
#define FLOWBUS_COORDINATOR FLOWBUS_NAME ".Coordinator"
#define FLOWBUS_FLOW FLOWBUS_NAME ".Flow"
#define FLOWBUS_PRESENTABLE FLOWBUS_NAME ".Presentable"
#define FLOWBUS_STEPPER FLOWBUS_NAME ".Stepper"
/* Answers to Present: "not now", as each error is but for one, and "never". */
#define FLOWBUS_PRESENT_FAILED "org.freedesktop.DBus.Error.Failed"
#define FLOWBUS_PRESENT_REFUSED FLOWBUS_NAME ".Error.Refused"
#define DBUS_PROPERTIES "org.freedesktop.DBus.Properties"
#define DBUS_OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"

/* How long flowbusd remembers the token of a call, in milliseconds: a call is not repeated for longer. */
#define FLOWBUS_TOKEN_TIME 60000
/* A call that the service may have taken is repeated for half of the time, in microseconds: it can start flowbusd, and then waits at
 * the bus until that serves. */
#define FLOWBUS_REPEAT_TIME(retry_time) ((retry_time) * G_GINT64_CONSTANT (1000) / 2)

/* A function that gives a value of an object, which is 'self' in the expression. Its documentation stands before it. */
#define FLOWBUS_GETTER(Object, is_object, type, function, value) \
  type function (Object *self)                                   \
  {                                                              \
    g_return_val_if_fail (is_object (self), 0);                  \
    return value;                                                \
  }

/* flowbus-error.c */

/* Takes the error of a call, and returns what a caller of the library sees. */
GError *_flowbus_error_take (GError *error);
GError *_flowbus_error_named (const char *name, const char *message);
FlowbusVerdict _flowbus_verdict_from_string (const char *word);

/* flowbus-watchdog.c */

void _flowbus_watchdog_start (GMainContext *context);

/* flowbus-client-base.c: what everything else may use of a client. */

typedef struct _FlowbusCalls FlowbusCalls;
typedef struct _FlowbusEmissions FlowbusEmissions;
typedef struct _FlowbusNames FlowbusNames;
typedef struct _FlowbusSteps FlowbusSteps;

FlowbusCalls *_flowbus_client_get_calls (FlowbusClient *self);
FlowbusEmissions *_flowbus_client_get_emissions (FlowbusClient *self);
FlowbusNames *_flowbus_client_get_names (FlowbusClient *self);
FlowbusSteps *_flowbus_client_get_steps (FlowbusClient *self);
GMainContext *_flowbus_client_get_context (FlowbusClient *self);
const GError *_flowbus_client_get_closed (FlowbusClient *self);
/* How often the service has appeared. */
guint _flowbus_client_get_appearances (FlowbusClient *self);
/* Between these two, what GDBus is given belongs to the context of the client. */
void _flowbus_client_enter (FlowbusClient *self);
void _flowbus_client_leave (FlowbusClient *self);
guint _flowbus_client_subscribe (FlowbusClient *self, const char *interface, const char *member, const char *path,
                                 const char *arg0, GDBusSignalFlags flags, GDBusSignalCallback callback, gpointer data);
/* What keeps presenters from exiting, besides screens. */
void _flowbus_client_begin_work (FlowbusClient *self);
void _flowbus_client_end_work (FlowbusClient *self);
gboolean _flowbus_client_is_busy (FlowbusClient *self);
/* Less is under way than before: presenters may exit. */
void _flowbus_client_check_idle (FlowbusClient *self);

/* What a client tells the screens that its presenters show. */
typedef struct {
  void (*sync) (FlowbusScreen *screen); /* the service has appeared: what is known of it is old */
  void (*withdraw) (FlowbusScreen *screen, const char *reason);
  /* Returns whether the path is one of the screen. */
  gboolean (*answer) (FlowbusScreen *screen, const char *path, const char *token, const char *outcome, GVariant *result);
} FlowbusScreenFuncs;

void _flowbus_client_add_screen (FlowbusClient *self, FlowbusScreen *screen, guint64 instance, const FlowbusScreenFuncs *funcs);
void _flowbus_client_remove_screen (FlowbusClient *self, FlowbusScreen *screen, guint64 instance);
