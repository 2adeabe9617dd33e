/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-types.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_PRESENTER (flowbus_presenter_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusPresenter, flowbus_presenter, FLOWBUS, PRESENTER, GObject)

FLOWBUS_API FlowbusPresenter *flowbus_presenter_new (const char *bus_name);
FLOWBUS_API FlowbusPresenter *flowbus_presenter_new_for_client (FlowbusClient *client, const char *bus_name);

FLOWBUS_API FlowbusClient *flowbus_presenter_get_client (FlowbusPresenter *self);
FLOWBUS_API const char *flowbus_presenter_get_bus_name (FlowbusPresenter *self);
FLOWBUS_API const char *flowbus_presenter_get_object_path (FlowbusPresenter *self);
FLOWBUS_API GBusNameOwnerFlags flowbus_presenter_get_name_flags (FlowbusPresenter *self);
FLOWBUS_API gboolean flowbus_presenter_get_name_owned (FlowbusPresenter *self);
FLOWBUS_API gboolean flowbus_presenter_get_exit_when_idle (FlowbusPresenter *self);
FLOWBUS_API void flowbus_presenter_set_exit_when_idle (FlowbusPresenter *self, gboolean exit_when_idle);

FLOWBUS_API GList *flowbus_presenter_list_screens (FlowbusPresenter *self);
FLOWBUS_API FlowbusScreen *flowbus_presenter_lookup_screen (FlowbusPresenter *self, guint64 instance);
FLOWBUS_API void flowbus_presenter_close (FlowbusPresenter *self);

G_END_DECLS
