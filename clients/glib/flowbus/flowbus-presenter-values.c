/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-presenter-private.h"

/**
 * flowbus_presenter_new:
 * @bus_name: the bus name that the definitions say
 *
 * Makes a presenter on the session bus.
 *
 * Returns: (transfer full): the presenter
 */
FlowbusPresenter *
flowbus_presenter_new (const char *bus_name)
{
  return g_object_new (FLOWBUS_TYPE_PRESENTER, "bus-name", bus_name, NULL);
}

/**
 * flowbus_presenter_new_for_client:
 * @client: a client
 * @bus_name: the bus name that the definitions say
 *
 * Makes a presenter on the bus of a client.
 *
 * Returns: (transfer full): the presenter
 */
FlowbusPresenter *
flowbus_presenter_new_for_client (FlowbusClient *client, const char *bus_name)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (client), NULL);
  return g_object_new (FLOWBUS_TYPE_PRESENTER, "client", client, "bus-name", bus_name, NULL);
}

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusPresenter, FLOWBUS_IS_PRESENTER, type, function, value)

/**
 * flowbus_presenter_get_client: (get-property client)
 * @self: a presenter
 *
 * Gets its client.
 *
 * Returns: (transfer none): its client
 */
GETTER (FlowbusClient *, flowbus_presenter_get_client, self->client)

/**
 * flowbus_presenter_get_bus_name: (get-property bus-name)
 * @self: a presenter
 *
 * Gets its bus name.
 *
 * Returns: (transfer none): its bus name
 */
GETTER (const char *, flowbus_presenter_get_bus_name, self->bus_name)

/**
 * flowbus_presenter_get_object_path: (get-property object-path)
 * @self: a presenter
 *
 * Gets its object.
 *
 * Returns: (transfer none): its object
 */
GETTER (const char *, flowbus_presenter_get_object_path, self->object_path)

/**
 * flowbus_presenter_get_name_flags: (get-property name-flags)
 * @self: a presenter
 *
 * Gets how its bus name is requested.
 *
 * Returns: how its bus name is requested
 */
GETTER (GBusNameOwnerFlags, flowbus_presenter_get_name_flags, self->flags)

/**
 * flowbus_presenter_get_name_owned: (get-property name-owned)
 * @self: a presenter
 *
 * Tells whether the program owns the bus name.
 *
 * Returns: whether the program owns the bus name
 */
GETTER (gboolean, flowbus_presenter_get_name_owned, self->is_owned)

/**
 * flowbus_presenter_get_exit_when_idle: (get-property exit-when-idle)
 * @self: a presenter
 *
 * Tells whether [signal@Flowbus.Presenter::idle] is emitted.
 *
 * Returns: whether [signal@Flowbus.Presenter::idle] is emitted
 */
GETTER (gboolean, flowbus_presenter_get_exit_when_idle, self->exit_when_idle)

/**
 * flowbus_presenter_list_screens:
 * @self: a presenter
 *
 * Gets the screens that it shows, in the order of their instances.
 *
 * Returns: (transfer container) (element-type FlowbusScreen): the screens that it shows, in the order of their instances
 */
GList *
flowbus_presenter_list_screens (FlowbusPresenter *self)
{
  GList *screens;

  g_return_val_if_fail (FLOWBUS_IS_PRESENTER (self), NULL);
  screens = g_hash_table_get_values (self->screens);
  return g_list_sort (screens, (GCompareFunc) (GCallback) _flowbus_screen_compare);
}

/**
 * flowbus_presenter_lookup_screen:
 * @self: a presenter
 * @instance: the instance of a screen
 *
 * Gets the screen.
 *
 * Returns: (transfer none) (nullable): the screen; %NULL if it does not show it
 */
FlowbusScreen *
flowbus_presenter_lookup_screen (FlowbusPresenter *self, guint64 instance)
{
  g_return_val_if_fail (FLOWBUS_IS_PRESENTER (self), NULL);
  return g_hash_table_lookup (self->screens, &instance);
}
