/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

/* What is told to the owner of a screen alone, so that the bus need not be told: the context, and whether the screen is in sight. The
 * latter is told to who looks at it, as the answer to Present asks for that. */

void
_flowbus_screen_take_context (FlowbusScreen *self, GVariant *context)
{
  if (self->context == context || (self->context && context && g_variant_equal (self->context, context)))
    return;
  g_clear_pointer (&self->context, g_variant_unref);
  self->context = context ? g_variant_ref (context) : NULL;
  g_object_notify (G_OBJECT (self), "context");
}

void
_flowbus_screen_take_sight (FlowbusScreen *self, gboolean in_sight)
{
  if (self->in_sight == in_sight)
    return;
  self->in_sight = in_sight;
  g_object_notify (G_OBJECT (self), "in-sight");
}

gboolean
_flowbus_screen_follows_sight (FlowbusScreen *self)
{
  static const char name[] = "in-sight";

  if (!self->follows_sight)
    self->follows_sight =
      g_signal_has_handler_pending (self, g_signal_lookup ("notify", G_TYPE_OBJECT), g_quark_from_static_string (name), TRUE);
  return self->follows_sight;
}

static void
signalled (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
           GVariant *parameters, gpointer data)
{
  g_autoptr (FlowbusScreen) self = g_object_ref (FLOWBUS_SCREEN (data));
  g_autoptr (GVariant) value = NULL;

  if (g_str_equal (member, "ContextChanged") && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(a{sv})"))) {
    value = g_variant_get_child_value (parameters, 0);
    _flowbus_screen_take_context (self, value);
  } else if (g_str_equal (member, "SightChanged") && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(b)"))) {
    value = g_variant_get_child_value (parameters, 0);
    _flowbus_screen_take_sight (self, g_variant_get_boolean (value));
  }
}

void
_flowbus_screen_follow (FlowbusScreen *self)
{
  self->signals = _flowbus_client_subscribe (self->client, FLOWBUS_PRESENTABLE, NULL, self->path, NULL,
                                             G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, signalled, self);
}

static void
unsubscribe (FlowbusScreen *self, guint *subscription)
{
  if (*subscription)
    g_dbus_connection_signal_unsubscribe (flowbus_client_get_connection (self->client), *subscription);
  *subscription = 0;
}

void
_flowbus_screen_unfollow (FlowbusScreen *self)
{
  unsubscribe (self, &self->signals);
  unsubscribe (self, &self->changes);
}

static void
take_value (FlowbusScreen *self, GVariant *values)
{
  gboolean in_sight;

  if (!self->is_withdrawn && g_variant_lookup (values, "InSight", "b", &in_sight))
    _flowbus_screen_take_sight (self, in_sight);
}

static void
properties_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                    const char *member, GVariant *parameters, gpointer data)
{
  g_autoptr (FlowbusScreen) self = g_object_ref (data);
  g_autoptr (GVariant) changed = NULL;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(sa{sv}as)")))
    return;
  changed = g_variant_get_child_value (parameters, 1);
  take_value (self, changed);
}

static void
got_all (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (FlowbusScreen) self = data;
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, NULL);
  g_autoptr (GVariant) values = reply ? g_variant_get_child_value (reply, 0) : NULL;

  if (values)
    take_value (self, values);
}

/* The service was answered already. It could be asked by SetVisibleWithOptions, but that would select the screen among tabs. */
static void
follow_property (FlowbusScreen *self)
{
  self->changes = _flowbus_client_subscribe (self->client, DBUS_PROPERTIES, "PropertiesChanged", self->path, FLOWBUS_PRESENTABLE,
                                             G_DBUS_SIGNAL_FLAGS_NONE, properties_changed, self);
  _flowbus_client_call (self->client, self->object, DBUS_PROPERTIES, "GetAll", g_variant_new ("(s)", FLOWBUS_PRESENTABLE),
                        "(a{sv})", G_DBUS_CALL_FLAGS_NO_AUTO_START, 0, NULL, got_all, g_object_ref (self));
}

/**
 * flowbus_screen_get_in_sight: (get-property in-sight)
 * @self: a screen
 *
 * Tells whether nothing covers it, and its flow is presented.
 *
 * The service tells this program of changes if it was called, or a handler of `notify::in-sight` was connected, before Present was
 * answered. The first call after that begins to follow them: what it returns can be out of date, and `notify::in-sight` tells what is true.
 *
 * Returns: whether nothing covers it, and its flow is presented
 */
gboolean
flowbus_screen_get_in_sight (FlowbusScreen *self)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), FALSE);
  if (!self->follows_sight && self->is_owner && !self->invocations->len && !self->is_withdrawn)
    follow_property (self);
  self->follows_sight = TRUE;
  return self->in_sight;
}
