/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-asked-private.h"

static void
set_owned (FlowbusAsked *self, gboolean owned)
{
  if (self->is_owned == owned)
    return;
  self->is_owned = owned;
  g_object_notify_by_pspec (self->object, self->owned_property);
}

static FlowbusAsked *
asked_of (gpointer object)
{
  return g_object_get_data (object, "flowbus-asked");
}

static void
lose_name (FlowbusAsked *self, const char *message)
{
  if (!g_signal_has_handler_pending (self->object, self->lost_signal, 0, TRUE))
    g_message ("%s", message);
  g_signal_emit (self->object, self->lost_signal, 0, message);
}

static void
name_changed (gpointer user, gboolean owned, const char *message)
{
  FlowbusAsked *self = asked_of (user);

  set_owned (self, owned);
  if (owned)
    g_signal_emit (user, self->acquired_signal, 0);
  else if (message)
    lose_name (self, message);
}

static void
start (gpointer part)
{
  FlowbusAsked *self = asked_of (part);
  g_autoptr (GError) error = NULL;
  gboolean exported;

  _flowbus_client_enter (self->client);
  exported = g_dbus_interface_skeleton_export (self->skeleton, flowbus_client_get_connection (self->client), self->object_path,
                                               &error);
  _flowbus_client_leave (self->client);
  if (exported) {
    _flowbus_names_own (_flowbus_client_get_names (self->client), self->bus_name, G_BUS_NAME_OWNER_FLAGS_NONE, part, name_changed);
  } else {
    g_autofree char *message = g_strdup_printf ("can't export '%s': %s", self->object_path, error->message);

    lose_name (self, message);
  }
}

void
_flowbus_asked_constructed (FlowbusAsked *self, const char *what)
{
  g_object_set_data (self->object, "flowbus-asked", self);
  if (!self->client)
    self->client = flowbus_client_new ();
  if (!self->bus_name || !g_dbus_is_name (self->bus_name) || g_dbus_is_unique_name (self->bus_name)) {
    if (self->bus_name)
      g_critical ("'%s' is no bus name of a %s; one is, for example, 'com.kiosk.Auth'", self->bus_name, what);
    else
      g_critical ("a %s needs the property 'bus-name', for example 'com.kiosk.Auth'", what);
    self->is_closed = TRUE;
    return;
  }
  self->object_path = _flowbus_names_path (self->bus_name, self->given_path);
  if (!g_variant_is_object_path (self->object_path)) {
    g_critical ("'%s' is no object path of a %s; one is, for example, '/com/kiosk/Auth'", self->object_path, what);
    self->is_closed = TRUE;
    return;
  }
  _flowbus_client_add_part (self->client, self->object, start, NULL);
}

void
_flowbus_asked_close (FlowbusAsked *self)
{
  if (self->is_closed)
    return;
  self->is_closed = TRUE;
  _flowbus_client_remove_part (self->client, self->object);
  _flowbus_names_disown (_flowbus_client_get_names (self->client), self->bus_name, self->object);
  if (g_dbus_interface_skeleton_get_connection (self->skeleton))
    g_dbus_interface_skeleton_unexport (self->skeleton);
  set_owned (self, FALSE);
}

void
_flowbus_asked_clear (FlowbusAsked *self)
{
  g_clear_object (&self->skeleton);
  g_clear_object (&self->client);
  g_free (self->bus_name);
  g_free (self->given_path);
  g_free (self->object_path);
}

gboolean
_flowbus_asked_get_property (FlowbusAsked *self, guint id, GValue *value)
{
  switch (id) {
  case ASKED_CLIENT: g_value_set_object (value, self->client); return TRUE;
  case ASKED_BUS_NAME: g_value_set_string (value, self->bus_name); return TRUE;
  case ASKED_OBJECT_PATH: g_value_set_string (value, self->object_path); return TRUE;
  case ASKED_NAME_OWNED: g_value_set_boolean (value, self->is_owned); return TRUE;
  default: return FALSE;
  }
}

gboolean
_flowbus_asked_set_property (FlowbusAsked *self, guint id, const GValue *value)
{
  switch (id) {
  case ASKED_CLIENT: self->client = g_value_dup_object (value); return TRUE;
  case ASKED_BUS_NAME: self->bus_name = g_value_dup_string (value); return TRUE;
  case ASKED_OBJECT_PATH: self->given_path = g_value_dup_string (value); return TRUE;
  default: return FALSE;
  }
}
