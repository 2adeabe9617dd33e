/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-client-private.h"

static void
service_appeared (GDBusConnection *connection, const char *name, const char *owner, gpointer data)
{
  FlowbusClient *self = g_object_ref (data);
  g_autoptr (GList) screens = NULL;

  g_free (self->owner);
  self->owner = g_strdup (owner);
  self->appearances++;
  _flowbus_steps_forget (self->steps);
  _flowbus_calls_flush (self->calls);
  _flowbus_emissions_appeared (self->emissions);

  screens = g_hash_table_get_values (self->screens);
  g_list_foreach (screens, (GFunc) g_object_ref, NULL);
  for (GList *link = screens; link; link = link->next) {
    self->screen_funcs->sync (link->data);
    g_object_unref (link->data);
  }
  g_object_notify (G_OBJECT (self), "available");
  g_signal_emit_by_name (self, "appeared");
  g_object_unref (self);
}

static void
service_vanished (GDBusConnection *connection, const char *name, gpointer data)
{
  FlowbusClient *self = data;

  if (!self->owner)
    return;
  g_object_ref (self);
  g_clear_pointer (&self->owner, g_free);
  _flowbus_emissions_vanished (self->emissions);
  g_object_notify (G_OBJECT (self), "available");
  g_object_unref (self);
}

static void
step_concluded (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
                GVariant *parameters, gpointer data)
{
  FlowbusClient *self = data;
  const char *token, *word, *name, *message;
  guint64 serial;
  FlowbusVerdict verdict = FLOWBUS_VERDICT_FAILED;
  g_autoptr (GError) error = NULL;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(stsss)")))
    return;
  g_variant_get (parameters, "(&st&s&s&s)", &token, &serial, &word, &name, &message);
  if (*name)
    error = _flowbus_error_named (name, message);
  else
    verdict = _flowbus_verdict_from_string (word);
  g_object_ref (self);
  _flowbus_emissions_concluded (self->emissions, token, verdict, serial, error);
  g_signal_emit_by_name (self, "concluded", token, verdict, serial, error);
  g_object_unref (self);
}

static gboolean
answer_screen (FlowbusClient *self, const char *path, const char *token, const char *outcome, GVariant *values)
{
  GHashTableIter iter;
  gpointer screen;

  g_hash_table_iter_init (&iter, self->screens);
  while (g_hash_table_iter_next (&iter, NULL, &screen))
    if (self->screen_funcs->answer (screen, path, token, outcome, values))
      return TRUE;
  return FALSE;
}

static void
answered (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
          GVariant *parameters, gpointer data)
{
  FlowbusClient *self = data;
  const char *token, *outcome;
  g_autoptr (GVariant) values = NULL;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(ssa{sv})")))
    return;
  g_variant_get (parameters, "(&s&s@a{sv})", &token, &outcome, &values);
  g_object_ref (self);
  if (!answer_screen (self, path, token, outcome, values)) {
    g_autoptr (FlowbusAnswer) answer = _flowbus_answer_new (NULL, NULL, token, outcome, values);

    if (!_flowbus_emissions_answered (self->emissions, answer))
      g_signal_emit_by_name (self, "answered", answer);
  }
  g_object_unref (self);
}

static void
definitions_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                     const char *member, GVariant *parameters, gpointer data)
{
  FlowbusClient *self = data;

  _flowbus_steps_forget (self->steps);
}

static void
close_with (FlowbusClient *self, GError *error)
{
  g_autoptr (GList) screens = NULL;

  if (self->closed) {
    g_error_free (error);
    return;
  }
  g_object_ref (self);
  self->closed = error;
  g_clear_pointer (&self->owner, g_free);
  _flowbus_calls_flush (self->calls);
  _flowbus_emissions_closed (self->emissions);
  screens = g_hash_table_get_values (self->screens);
  g_list_foreach (screens, (GFunc) g_object_ref, NULL);
  for (GList *link = screens; link; link = link->next) {
    self->screen_funcs->withdraw (link->data, "closed");
    g_object_unref (link->data);
  }
  g_object_notify (G_OBJECT (self), "available");
  if (!g_signal_has_handler_pending (self, g_signal_lookup ("closed", FLOWBUS_TYPE_CLIENT), 0, TRUE))
    g_message ("%s", self->closed->message);
  g_signal_emit_by_name (self, "closed", self->closed);
  g_object_unref (self);
}

static void
connection_closed (GDBusConnection *connection, gboolean vanished, GError *error, gpointer data)
{
  close_with (data, g_error_new (FLOWBUS_ERROR, FLOWBUS_ERROR_DISCONNECTED, "the connection to the bus was closed%s%s",
                                 error ? ": " : "", error ? error->message : ""));
}

typedef struct {
  GWeakRef client;
  GSource *source;
} Later;

static void
later_free (gpointer data)
{
  Later *later = data;

  g_weak_ref_clear (&later->client);
  g_free (later);
}

/* The signal comes in the context that was the default when the connection was made, which can be another one. */
static gboolean
note_closed (gpointer data)
{
  g_autoptr (FlowbusClient) self = g_weak_ref_get (&((Later *) data)->client);

  if (self && self->connection && g_dbus_connection_is_closed (self->connection))
    connection_closed (self->connection, TRUE, NULL, self);
  return G_SOURCE_REMOVE;
}

static void
closed_elsewhere (GDBusConnection *connection, gboolean vanished, GError *error, gpointer data)
{
  g_autoptr (FlowbusClient) self = g_weak_ref_get (data);
  Later *later;
  GSource *source;

  if (!self)
    return;
  later = g_new0 (Later, 1);
  g_weak_ref_init (&later->client, self);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, note_closed, later, later_free);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

static void
weak_ref_free (gpointer data, GClosure *closure)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static Part *
find_part (FlowbusClient *self, gpointer object)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (((Part *) g_ptr_array_index (self->parts, i))->part == object)
      return g_ptr_array_index (self->parts, i);
  return NULL;
}

static void
start_parts (FlowbusClient *self)
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

static void
take_connection (FlowbusClient *self)
{
  /* These are sent to this connection alone, so that the bus need not be told. */
  const GDBusSignalFlags own = G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE;
  GWeakRef *weak = g_new0 (GWeakRef, 1);

  g_weak_ref_init (weak, self);
  self->closed_handler =
    g_signal_connect_data (self->connection, "closed", G_CALLBACK (closed_elsewhere), weak, weak_ref_free, 0);
  if (g_dbus_connection_is_closed (self->connection)) {
    connection_closed (self->connection, TRUE, NULL, self);
    return;
  }
  self->subscriptions[0] =
    _flowbus_client_subscribe (self, FLOWBUS_STEPPER, "StepConcluded", NULL, NULL, own, step_concluded, self);
  self->subscriptions[1] =
    _flowbus_client_subscribe (self, FLOWBUS_STEPPER, "Answered", NULL, NULL, own, answered, self);
  self->subscriptions[2] = _flowbus_client_subscribe (self, FLOWBUS_COORDINATOR, "DefinitionsChanged", FLOWBUS_ROOT, NULL,
                                                      G_DBUS_SIGNAL_FLAGS_NONE, definitions_changed, self);
  _flowbus_client_enter (self);
  self->watch = g_bus_watch_name_on_connection (self->connection, FLOWBUS_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                service_appeared, service_vanished, self, NULL);
  _flowbus_client_leave (self);
  g_object_ref (self);
  start_parts (self);
  _flowbus_calls_flush (self->calls);
  g_object_notify (G_OBJECT (self), "connection");
  g_signal_emit_by_name (self, "connected");
  g_object_unref (self);
}

static void
connected (GWeakRef *weak, GDBusConnection *connection, GError *error)
{
  g_autoptr (FlowbusClient) self = g_weak_ref_get (weak);

  weak_ref_free (weak, NULL);
  if (self && connection) {
    self->connection = g_object_ref (connection);
    take_connection (self);
  } else if (self) {
    close_with (self, g_error_new (FLOWBUS_ERROR, FLOWBUS_ERROR_DISCONNECTED, "can't connect to the bus: %s", error->message));
  }
  g_clear_object (&connection);
  g_clear_error (&error);
}

static void
got_bus (GObject *source, GAsyncResult *result, gpointer weak)
{
  GError *error = NULL;
  GDBusConnection *connection = g_bus_get_finish (result, &error);

  connected (weak, connection, error);
}

static void
got_address (GObject *source, GAsyncResult *result, gpointer weak)
{
  GError *error = NULL;
  GDBusConnection *connection = g_dbus_connection_new_for_address_finish (result, &error);

  connected (weak, connection, error);
}

static void
connect_to_bus (FlowbusClient *self)
{
  GWeakRef *weak = g_new0 (GWeakRef, 1);

  g_weak_ref_init (weak, self);
  self->connecting = g_cancellable_new ();
  _flowbus_client_enter (self);
  if (self->address)
    g_dbus_connection_new_for_address (
      self->address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL,
      self->connecting, got_address, weak);
  else
    g_bus_get (self->bus_type, self->connecting, got_bus, weak);
  _flowbus_client_leave (self);
}

static gboolean
begin (gpointer data)
{
  FlowbusClient *self = data;

  g_clear_pointer (&self->beginning, g_source_unref);
  if (self->closed)
    return G_SOURCE_REMOVE;
  if (self->watch)
    start_parts (self);
  else if (self->connection)
    take_connection (self);
  else if (!self->connecting)
    connect_to_bus (self);
  return G_SOURCE_REMOVE;
}

void
_flowbus_client_begin_later (FlowbusClient *self)
{
  if (self->beginning)
    return;
  self->beginning = g_idle_source_new ();
  g_source_set_priority (self->beginning, G_PRIORITY_DEFAULT);
  g_source_set_callback (self->beginning, begin, self, NULL);
  g_source_attach (self->beginning, self->context);
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
  g_ptr_array_remove (self->parts, find_part (self, object));
}
