/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-private.h"

/* What calls the service: it stands below the client, and has to know nothing of what the client is used for. */

/* flowbus-call.c */

FlowbusCalls *_flowbus_calls_new (FlowbusClient *client);
void _flowbus_calls_free (FlowbusCalls *self);
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

/* @steps: (nullable): a{sa{ss}}, or NULL if they could not be read */
typedef void (*FlowbusStepsFunc) (GVariant *steps, gpointer data);

FlowbusSteps *_flowbus_steps_new (FlowbusClient *client);
void _flowbus_steps_free (FlowbusSteps *self);
void _flowbus_steps_forget (FlowbusSteps *self);
void _flowbus_steps_read (FlowbusSteps *self, FlowbusStepsFunc func, gpointer data);
/* Whether calls wait for the steps to be read. What must not overtake them waits, too, by _flowbus_steps_read(). */
gboolean _flowbus_steps_are_awaited (FlowbusSteps *self);
/* The arguments of a step in their declared types: a{sv}. */
GVariant *_flowbus_steps_convert (GVariant *steps, const char *step, GVariant *arguments, GError **error);
GVariant *_flowbus_convert (GVariant *value, const GVariantType *type);
GVariant *_flowbus_dictionary (GVariant *dictionary, const char *what, GError **error);

/* flowbus-answer.c */

/* @screen: (nullable): to which the ask belongs, and which acknowledges */
FlowbusAnswer *_flowbus_answer_new (FlowbusScreen *screen, void (*acknowledge) (FlowbusScreen *screen, const char *token),
                                    const char *token, const char *outcome, GVariant *result);

/* flowbus-emission.c: steps and asks under way, by their tokens. */

FlowbusEmissions *_flowbus_emissions_new (FlowbusClient *client);
void _flowbus_emissions_free (FlowbusEmissions *self);
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
