/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-types.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_CLIENT (flowbus_client_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusClient, flowbus_client, FLOWBUS, CLIENT, GObject)

FLOWBUS_API FlowbusClient *flowbus_client_new (void);
FLOWBUS_API FlowbusClient *flowbus_client_new_for_bus (GBusType bus_type);
FLOWBUS_API FlowbusClient *flowbus_client_new_for_address (const char *address);
FLOWBUS_API FlowbusClient *flowbus_client_new_for_connection (GDBusConnection *connection);

FLOWBUS_API GDBusConnection *flowbus_client_get_connection (FlowbusClient *self);
FLOWBUS_API gboolean flowbus_client_get_available (FlowbusClient *self);
FLOWBUS_API gboolean flowbus_client_get_interactive (FlowbusClient *self);
FLOWBUS_API void flowbus_client_set_interactive (FlowbusClient *self, gboolean interactive);

FLOWBUS_API void flowbus_client_emit_async (FlowbusClient *self, const char *path, const char *step, GVariant *arguments,
                                            GVariant *options, GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer user_data);
FLOWBUS_API FlowbusVerdict flowbus_client_emit_finish (FlowbusClient *self, GAsyncResult *result, guint64 *serial,
                                                       GError **error);

FLOWBUS_API void flowbus_client_cancel_step_async (FlowbusClient *self, const char *path, const char *token,
                                                   GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API gboolean flowbus_client_cancel_step_finish (FlowbusClient *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_client_ask_async (FlowbusClient *self, const char *path, const char *step, GVariant *arguments,
                                           GVariant *options, GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data);
FLOWBUS_API FlowbusAnswer *flowbus_client_ask_finish (FlowbusClient *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_client_back_async (FlowbusClient *self, const char *path, GVariant *options,
                                            GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API FlowbusVerdict flowbus_client_back_finish (FlowbusClient *self, GAsyncResult *result, guint64 *serial,
                                                       GError **error);

FLOWBUS_API void flowbus_client_peek_back_async (FlowbusClient *self, const char *path, GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API char *flowbus_client_peek_back_finish (FlowbusClient *self, GAsyncResult *result, GVariant **details, GError **error);

FLOWBUS_API void flowbus_client_navigate_async (FlowbusClient *self, const char *step, GVariant *arguments, GVariant *options,
                                                GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API GVariant *flowbus_client_navigate_finish (FlowbusClient *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_client_coordinate_async (FlowbusClient *self, const char *definition, const char *step,
                                                  GVariant *arguments, GVariant *options, GCancellable *cancellable,
                                                  GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API char *flowbus_client_coordinate_finish (FlowbusClient *self, GAsyncResult *result, GError **error);

#define FLOWBUS_TYPE_ANSWER (flowbus_answer_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusAnswer, flowbus_answer, FLOWBUS, ANSWER, GObject)

FLOWBUS_API const char *flowbus_answer_get_token (FlowbusAnswer *self);
FLOWBUS_API const char *flowbus_answer_get_outcome (FlowbusAnswer *self);
FLOWBUS_API gboolean flowbus_answer_has_result (FlowbusAnswer *self);
FLOWBUS_API GVariant *flowbus_answer_get_result (FlowbusAnswer *self);
FLOWBUS_API GVariant *flowbus_answer_get_value (FlowbusAnswer *self, const char *name);
FLOWBUS_API void flowbus_answer_acknowledge (FlowbusAnswer *self);

G_END_DECLS
