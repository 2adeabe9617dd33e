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

/* flowbus-error.c */

/* Takes the error of a call, and returns what a caller of the library sees. */
GError *_flowbus_error_take (GError *error);
GError *_flowbus_error_named (const char *name, const char *message);
FlowbusVerdict _flowbus_verdict_from_string (const char *word);

/* flowbus-client.c */

typedef void (*FlowbusPartFunc) (gpointer part);

GMainContext *_flowbus_client_get_context (FlowbusClient *self);
/* What takes part by a client: it is started once there is a connection, after control has returned to the main loop.
 *
 * @check_idle: (nullable): nothing is under way any more */
void _flowbus_client_add_part (FlowbusClient *self, gpointer part, FlowbusPartFunc start, FlowbusPartFunc check_idle);
void _flowbus_client_remove_part (FlowbusClient *self, gpointer part);
const GError *_flowbus_client_get_closed (FlowbusClient *self);
/* How often the service has appeared. */
guint _flowbus_client_get_appearances (FlowbusClient *self);
/* Between these two, what GDBus is given belongs to the context of the client. */
void _flowbus_client_enter (FlowbusClient *self);
void _flowbus_client_leave (FlowbusClient *self);
guint _flowbus_client_subscribe (FlowbusClient *self, const char *interface, const char *member, const char *path,
                                 const char *arg0, GDBusSignalFlags flags, GDBusSignalCallback callback, gpointer data);
/* What keeps presenters from exiting, besides screens. When it has ended, they are asked to look whether they may, now or later. */
void _flowbus_client_begin_work (FlowbusClient *self);
void _flowbus_client_end_work (FlowbusClient *self);
void _flowbus_client_check_idle (FlowbusClient *self);
/* Whether something is under way, or a screen is shown. */
gboolean _flowbus_client_is_busy (FlowbusClient *self);

/* What a client tells the screens that its presenters show. */
typedef struct {
  void (*sync) (FlowbusScreen *screen); /* the service has appeared: what is known of it is old */
  void (*withdraw) (FlowbusScreen *screen, const char *reason);
  /* Returns whether the path is one of the screen. */
  gboolean (*answer) (FlowbusScreen *screen, const char *path, const char *token, const char *outcome, GVariant *result);
} FlowbusScreenFuncs;

void _flowbus_client_add_screen (FlowbusClient *self, FlowbusScreen *screen, guint64 instance, const FlowbusScreenFuncs *funcs);
void _flowbus_client_remove_screen (FlowbusClient *self, FlowbusScreen *screen, guint64 instance);

/* flowbus-call.c */

typedef struct _FlowbusCalls FlowbusCalls;

FlowbusCalls *_flowbus_calls_new (FlowbusClient *client);
void _flowbus_calls_free (FlowbusCalls *self);
FlowbusCalls *_flowbus_client_get_calls (FlowbusClient *self);
/* The connection or the service is there now, or there will be none. */
void _flowbus_calls_flush (FlowbusCalls *self);

/* Calls the service; repeats the call where the service went away before it answered. So only calls are made that may be
 * repeated: by their token, by the path of an instance, or as they change nothing.
 *
 * @begun: from when on it is repeated for the property "retry-time", in microseconds; 0 for now; FLOWBUS_ONCE if the
 *   service must not get it again */
#define FLOWBUS_ONCE G_GINT64_CONSTANT (-1)
void _flowbus_client_call (FlowbusClient *self, const char *path, const char *interface, const char *method,
                           GVariant *parameters, const char *reply_type, GDBusCallFlags flags, gint64 begun,
                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GVariant *_flowbus_client_call_finish (GAsyncResult *result, GError **error);

/* flowbus-steps.c: what arguments the steps declare. */

typedef struct _FlowbusSteps FlowbusSteps;
/* @steps: (nullable): a{sa{ss}}, or NULL if they could not be read */
typedef void (*FlowbusStepsFunc) (GVariant *steps, gpointer data);

FlowbusSteps *_flowbus_steps_new (FlowbusClient *client);
void _flowbus_steps_free (FlowbusSteps *self);
void _flowbus_steps_forget (FlowbusSteps *self);
void _flowbus_steps_read (FlowbusSteps *self, FlowbusStepsFunc func, gpointer data);
/* Whether calls wait for the steps to be read. What must not overtake them waits, too, by _flowbus_steps_read(). */
gboolean _flowbus_steps_are_awaited (FlowbusSteps *self);
FlowbusSteps *_flowbus_client_get_steps (FlowbusClient *self);
/* The arguments of a step in their declared types: a{sv}. */
GVariant *_flowbus_steps_convert (GVariant *steps, const char *step, GVariant *arguments, GError **error);
GVariant *_flowbus_convert (GVariant *value, const GVariantType *type);
GVariant *_flowbus_dictionary (GVariant *dictionary, const char *what, GError **error);

/* flowbus-emission.c: steps and asks under way, by their tokens. */

typedef struct _FlowbusEmissions FlowbusEmissions;

FlowbusEmissions *_flowbus_emissions_new (FlowbusClient *client);
void _flowbus_emissions_free (FlowbusEmissions *self);
FlowbusEmissions *_flowbus_client_get_emissions (FlowbusClient *self);
void _flowbus_emissions_appeared (FlowbusEmissions *self);
void _flowbus_emissions_vanished (FlowbusEmissions *self);
void _flowbus_emissions_closed (FlowbusEmissions *self);
gboolean _flowbus_emissions_concluded (FlowbusEmissions *self, const char *token, FlowbusVerdict verdict, guint64 serial,
                                       const GError *error);
gboolean _flowbus_emissions_answered (FlowbusEmissions *self, FlowbusAnswer *answer);
/* The screen is taken from this process: another one gets the answer, if any does. A screen that was dismissed is answered to
 * the client that called, so that nothing ends then. */
void _flowbus_emissions_screen_lost (FlowbusEmissions *self, gpointer screen, const char *path);

/* Returns its result as flowbus_client_emit_finish() or, for an ask, flowbus_client_ask_finish() reads it.
 *
 * @instance: of the screen that is the source; 0 if the client is */
void _flowbus_client_emit (FlowbusClient *self, gpointer source, guint64 instance, const char *path, const char *step,
                           GVariant *arguments, GVariant *options, gboolean ask, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer data);
void _flowbus_client_back (FlowbusClient *self, gpointer source, const char *path, GVariant *options, gboolean interactive,
                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
FlowbusVerdict _flowbus_emission_finish (gpointer source, GAsyncResult *result, guint64 *serial, GError **error);

/* flowbus-watchdog.c */

void _flowbus_watchdog_start (GMainContext *context);

/* flowbus-answer.c */

/* @screen: (nullable): to which the ask belongs, and which acknowledges */
FlowbusAnswer *_flowbus_answer_new (FlowbusScreen *screen, void (*acknowledge) (FlowbusScreen *screen, const char *token),
                                    const char *token, const char *outcome, GVariant *result);

/* flowbus-name.c: bus names, which several parts of a program can share. */

typedef struct _FlowbusNames FlowbusNames;
/* @message: why not, if it is not owned */
typedef void (*FlowbusNameFunc) (gpointer user, gboolean owned, const char *message);
typedef void (*FlowbusNameDone) (gpointer user);

FlowbusNames *_flowbus_names_new (FlowbusClient *client);
void _flowbus_names_free (FlowbusNames *self);
FlowbusNames *_flowbus_client_get_names (FlowbusClient *self);
void _flowbus_names_own (FlowbusNames *self, const char *name, GBusNameOwnerFlags flags, gpointer user, FlowbusNameFunc func);
void _flowbus_names_disown (FlowbusNames *self, const char *name, gpointer user);
/* Whether another one of its type has the name, too. */
gboolean _flowbus_names_is_shared (FlowbusNames *self, const char *name, gpointer user);
/* Gives the name back, and calls when all calls that came by it have been handed over. */
void _flowbus_names_release (FlowbusNames *self, const char *name, gpointer user, FlowbusNameDone done);
void _flowbus_names_request (FlowbusNames *self, const char *name);
/* The object of a bus name by the contract, or @given. */
char *_flowbus_names_path (const char *name, const char *given);

/* flowbus-screen.c */

typedef void (*FlowbusScreenGone) (FlowbusPresenter *presenter, FlowbusScreen *screen, const char *reason);

FlowbusScreen *_flowbus_screen_new (FlowbusPresenter *presenter, FlowbusScreenGone gone, FlowbusClient *client, const char *path,
                                    const char *name, guint64 instance);
/* What Present says. Takes the invocation, which is answered when its time comes. */
void _flowbus_screen_take_present (FlowbusScreen *self, GVariant *arguments, GVariant *details,
                                   GDBusMethodInvocation *invocation);
/* The handlers of the program have returned. */
void _flowbus_screen_end_present (FlowbusScreen *self, gboolean is_known);
void _flowbus_screen_withdraw (FlowbusScreen *self, const char *reason);
void _flowbus_screen_evict (FlowbusScreen *self);
int _flowbus_screen_compare (FlowbusScreen *a, FlowbusScreen *b);

/* flowbus-question.c */

FlowbusQuestion *_flowbus_question_new (FlowbusClient *client, GDBusMethodInvocation *invocation, gboolean is_navigation, const char *flow,
                                        const char *step, GVariant *arguments, GVariant *details);

/* flowbus-node.c */

FlowbusNode *_flowbus_node_new (const char *path, GVariant *interfaces);
void _flowbus_node_update (FlowbusNode *self, GVariant *properties);
void _flowbus_node_set_live (FlowbusNode *self, gboolean live);
GListStore *_flowbus_node_get_store (FlowbusNode *self);
FlowbusNode *_flowbus_node_get_parent (FlowbusNode *self);
void _flowbus_node_set_parent (FlowbusNode *self, FlowbusNode *parent);
/* The node below it that stands last in the order of the tree; the node itself if it has no children. */
FlowbusNode *_flowbus_node_get_last (FlowbusNode *self);
