/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-client-private.h"

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusClient, FLOWBUS_IS_CLIENT, type, function, value)

/**
 * flowbus_client_get_connection:
 * @self: a client
 *
 * Gets the connection to the bus.
 *
 * Returns: (transfer none) (nullable): the connection to the bus; %NULL until there is one
 */
GETTER (GDBusConnection *, flowbus_client_get_connection, self->connection)

/**
 * flowbus_client_get_available: (get-property available)
 * @self: a client
 *
 * Tells whether flowbusd is there.
 *
 * Returns: whether flowbusd is there
 */
GETTER (gboolean, flowbus_client_get_available, self->owner != NULL)

/**
 * flowbus_client_get_interactive: (get-property interactive)
 * @self: a client
 *
 * Tells whether guards may ask the user because of steps of this client.
 *
 * Returns: whether guards may ask the user because of steps of this client
 */
GETTER (gboolean, flowbus_client_get_interactive, self->interactive)

GETTER (GMainContext *, _flowbus_client_get_context, self->context)
GETTER (const GError *, _flowbus_client_get_closed, self->closed)
GETTER (guint, _flowbus_client_get_appearances, self->appearances)
GETTER (FlowbusCalls *, _flowbus_client_get_calls, self->calls)
GETTER (FlowbusSteps *, _flowbus_client_get_steps, self->steps)
GETTER (FlowbusEmissions *, _flowbus_client_get_emissions, self->emissions)
GETTER (FlowbusNames *, _flowbus_client_get_names, self->names)

void
_flowbus_client_enter (FlowbusClient *self)
{
  g_main_context_push_thread_default (self->context);
}

void
_flowbus_client_leave (FlowbusClient *self)
{
  g_main_context_pop_thread_default (self->context);
}

guint
_flowbus_client_subscribe (FlowbusClient *self, const char *interface, const char *member, const char *path, const char *arg0,
                           GDBusSignalFlags flags, GDBusSignalCallback callback, gpointer data)
{
  guint id;

  _flowbus_client_enter (self);
  id = g_dbus_connection_signal_subscribe (self->connection, FLOWBUS_NAME, interface, member, path, arg0, flags, callback,
                                           data, NULL);
  _flowbus_client_leave (self);
  return id;
}

void
_flowbus_client_begin_work (FlowbusClient *self)
{
  self->under_way++;
}

void
_flowbus_client_end_work (FlowbusClient *self)
{
  self->under_way--;
}

gboolean
_flowbus_client_is_busy (FlowbusClient *self)
{
  return self->under_way || g_hash_table_size (self->screens);
}

void
_flowbus_client_check_idle (FlowbusClient *self)
{
  if (_flowbus_client_is_busy (self))
    return;
  for (guint i = 0; i < self->parts->len; i++) {
    const Part *part = g_ptr_array_index (self->parts, i);

    if (part->check_idle)
      part->check_idle (part->part);
  }
}

void
_flowbus_client_add_screen (FlowbusClient *self, FlowbusScreen *screen, guint64 instance, const FlowbusScreenFuncs *funcs)
{
  self->screen_funcs = funcs;
  g_hash_table_replace (self->screens, g_memdup2 (&instance, sizeof instance), screen);
}

void
_flowbus_client_remove_screen (FlowbusClient *self, FlowbusScreen *screen, guint64 instance)
{
  if (g_hash_table_lookup (self->screens, &instance) == screen)
    g_hash_table_remove (self->screens, &instance);
}
