/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-types.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_GUARD (flowbus_guard_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusGuard, flowbus_guard, FLOWBUS, GUARD, GObject)

FLOWBUS_API FlowbusGuard *flowbus_guard_new (const char *bus_name);
FLOWBUS_API FlowbusGuard *flowbus_guard_new_for_client (FlowbusClient *client, const char *bus_name);

FLOWBUS_API FlowbusClient *flowbus_guard_get_client (FlowbusGuard *self);
FLOWBUS_API const char *flowbus_guard_get_bus_name (FlowbusGuard *self);
FLOWBUS_API const char *flowbus_guard_get_object_path (FlowbusGuard *self);
FLOWBUS_API gboolean flowbus_guard_get_name_owned (FlowbusGuard *self);
FLOWBUS_API void flowbus_guard_close (FlowbusGuard *self);

#define FLOWBUS_TYPE_NAVIGATOR (flowbus_navigator_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusNavigator, flowbus_navigator, FLOWBUS, NAVIGATOR, GObject)

FLOWBUS_API FlowbusNavigator *flowbus_navigator_new (const char *bus_name);
FLOWBUS_API FlowbusNavigator *flowbus_navigator_new_for_client (FlowbusClient *client, const char *bus_name);

FLOWBUS_API FlowbusClient *flowbus_navigator_get_client (FlowbusNavigator *self);
FLOWBUS_API const char *flowbus_navigator_get_bus_name (FlowbusNavigator *self);
FLOWBUS_API const char *flowbus_navigator_get_object_path (FlowbusNavigator *self);
FLOWBUS_API gboolean flowbus_navigator_get_name_owned (FlowbusNavigator *self);
FLOWBUS_API void flowbus_navigator_close (FlowbusNavigator *self);

#define FLOWBUS_TYPE_QUESTION (flowbus_question_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusQuestion, flowbus_question, FLOWBUS, QUESTION, GObject)

FLOWBUS_API const char *flowbus_question_get_flow (FlowbusQuestion *self);
FLOWBUS_API const char *flowbus_question_get_step (FlowbusQuestion *self);
FLOWBUS_API GVariant *flowbus_question_get_arguments (FlowbusQuestion *self);
FLOWBUS_API GVariant *flowbus_question_get_argument (FlowbusQuestion *self, const char *name);
FLOWBUS_API GVariant *flowbus_question_get_details (FlowbusQuestion *self);
FLOWBUS_API const char *flowbus_question_get_sender (FlowbusQuestion *self);
FLOWBUS_API const char *flowbus_question_get_presentable (FlowbusQuestion *self);
FLOWBUS_API guint64 flowbus_question_get_instance (FlowbusQuestion *self);
FLOWBUS_API guint64 flowbus_question_get_cause (FlowbusQuestion *self);
FLOWBUS_API gboolean flowbus_question_get_interactive (FlowbusQuestion *self);
FLOWBUS_API gboolean flowbus_question_is_answered (FlowbusQuestion *self);

FLOWBUS_API void flowbus_question_accept (FlowbusQuestion *self);
FLOWBUS_API void flowbus_question_replace (FlowbusQuestion *self, const char *step, GVariant *arguments);
FLOWBUS_API void flowbus_question_contribute (FlowbusQuestion *self, GVariant *contributors);
FLOWBUS_API void flowbus_question_reject (FlowbusQuestion *self, const char *message);
FLOWBUS_API void flowbus_question_fail (FlowbusQuestion *self, const char *message);

G_END_DECLS
