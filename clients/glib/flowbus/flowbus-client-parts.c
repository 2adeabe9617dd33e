/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-client-private.h"

GMainContext *
_flowbus_client_get_context (FlowbusClient *self)
{
  return self->context;
}

const GError *
_flowbus_client_get_closed (FlowbusClient *self)
{
  return self->closed;
}

guint
_flowbus_client_get_appearances (FlowbusClient *self)
{
  return self->appearances;
}

FlowbusCalls *
_flowbus_client_get_calls (FlowbusClient *self)
{
  return self->calls;
}

FlowbusSteps *
_flowbus_client_get_steps (FlowbusClient *self)
{
  return self->steps;
}

FlowbusEmissions *
_flowbus_client_get_emissions (FlowbusClient *self)
{
  return self->emissions;
}

FlowbusNames *
_flowbus_client_get_names (FlowbusClient *self)
{
  return self->names;
}

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

static Part *
find_part (FlowbusClient *self, gpointer object)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (((Part *) g_ptr_array_index (self->parts, i))->part == object)
      return g_ptr_array_index (self->parts, i);
  return NULL;
}

void
_flowbus_client_start_parts (FlowbusClient *self)
{
  g_autoptr (GPtrArray) due = g_ptr_array_new_with_free_func (g_object_unref);

  g_object_ref (self);
  for (guint i = 0; i < self->parts->len; i++)
    g_ptr_array_add (due, g_object_ref (((Part *) g_ptr_array_index (self->parts, i))->part));
  /* What is called when a part starts can close others. */
  for (guint i = 0; i < due->len; i++) {
    Part *part = find_part (self, g_ptr_array_index (due, i));

    if (part && !part->is_started) {
      part->is_started = TRUE;
      part->start (part->part);
    }
  }
  g_object_unref (self);
}

void
_flowbus_client_add_part (FlowbusClient *self, gpointer object, FlowbusPartFunc start, FlowbusPartFunc check_idle)
{
  Part *part = g_new (Part, 1);

  *part = (Part) { object, start, check_idle, FALSE };
  g_ptr_array_add (self->parts, part);
  _flowbus_client_begin_later (self);
}

void
_flowbus_client_remove_part (FlowbusClient *self, gpointer object)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (((Part *) g_ptr_array_index (self->parts, i))->part == object) {
      g_ptr_array_remove_index (self->parts, i);
      return;
    }
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
