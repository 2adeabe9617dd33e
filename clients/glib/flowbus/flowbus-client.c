/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

/**
 * FlowbusClient:
 *
 * A connection to the bus and to the service, flowbusd.
 *
 * Presenters, guards and trees have a client, by default one of their own. A program that shows nothing uses a client to emit
 * steps:
 *
 * ```c
 * FlowbusClient *client = flowbus_client_new ();
 * flowbus_client_emit_async (client, "/org/flowbus/Navigation1/tree/shop", "itemPicked",
 *                            g_variant_new_parsed ("{'item': <7>}"), NULL, NULL, on_emitted, NULL);
 * ```
 *
 * No function blocks. Everything happens in the main context that is the thread's default when the client is constructed, and
 * nothing before control returns to that.
 *
 * Calls can be made at any time. Before there is a connection, they wait for it. If flowbusd goes away before it has answered,
 * or is not there, a call is repeated as soon as flowbusd is there again, for as long as
 * [property@Flowbus.Client:retry-time] says. No step is taken twice by that, as each has a token.
 */
struct _FlowbusClient {
  GObject parent_instance;
  GMainContext *context;
  GBusType bus_type;
  char *address;
  GDBusConnection *connection;
  gboolean is_given;
  GCancellable *connecting;
  GSource *beginning;
  GError *closed;
  gulong closed_handler;
  guint watch;
  char *owner;
  guint subscriptions[3];
  gboolean interactive;
  guint retry_time;
  guint appearances;
  GPtrArray *parts;
  GHashTable *screens;
  FlowbusCalls *calls;
  FlowbusSteps *steps;
  FlowbusEmissions *emissions;
  guint questions; /* not answered yet */
  FlowbusNames *names;
};

typedef struct {
  gpointer part;
  FlowbusStart start;
  gboolean is_started;
} Part;

enum { PROP_CONNECTION = 1, PROP_BUS_TYPE, PROP_ADDRESS, PROP_AVAILABLE, PROP_INTERACTIVE, PROP_RETRY_TIME, N_PROPS };
static GParamSpec *properties[N_PROPS];

enum { CONNECTED, CLOSED, APPEARED, CONCLUDED, ANSWERED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (FlowbusClient, flowbus_client, G_TYPE_OBJECT)

static void begin_later (FlowbusClient *self);

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

static void
start_parts (FlowbusClient *self)
{
  g_object_ref (self);
  for (guint i = 0; i < self->parts->len; i++) {
    Part *part = g_ptr_array_index (self->parts, i);

    if (!part->is_started) {
      part->is_started = TRUE;
      part->start (part->part);
    }
  }
  g_object_unref (self);
}

void
_flowbus_client_add_part (FlowbusClient *self, gpointer object, FlowbusStart start)
{
  Part *part = g_new (Part, 1);

  *part = (Part) { object, start, FALSE };
  g_ptr_array_add (self->parts, part);
  begin_later (self);
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
_flowbus_client_begin_question (FlowbusClient *self)
{
  self->questions++;
}

void
_flowbus_client_end_question (FlowbusClient *self)
{
  self->questions--;
  _flowbus_client_check_idle (self);
}

guint
_flowbus_client_count_questions (FlowbusClient *self)
{
  return self->questions;
}

void
_flowbus_client_check_idle (FlowbusClient *self)
{
  if (_flowbus_calls_count (self->calls) || _flowbus_emissions_count (self->emissions))
    return;
  for (guint i = 0; i < self->parts->len; i++) {
    gpointer part = ((Part *) g_ptr_array_index (self->parts, i))->part;

    if (FLOWBUS_IS_PRESENTER (part))
      _flowbus_presenter_check_idle (part);
  }
}

void
_flowbus_client_add_screen (FlowbusClient *self, FlowbusScreen *screen)
{
  guint64 instance = flowbus_screen_get_instance (screen);

  g_hash_table_replace (self->screens, g_memdup2 (&instance, sizeof instance), screen);
}

void
_flowbus_client_remove_screen (FlowbusClient *self, FlowbusScreen *screen)
{
  guint64 instance = flowbus_screen_get_instance (screen);

  if (g_hash_table_lookup (self->screens, &instance) == screen)
    g_hash_table_remove (self->screens, &instance);
}

FlowbusScreen *
_flowbus_client_find_screen (FlowbusClient *self, const char *path)
{
  GHashTableIter iter;
  gpointer screen;

  g_hash_table_iter_init (&iter, self->screens);
  while (g_hash_table_iter_next (&iter, NULL, &screen))
    if (g_str_equal (flowbus_screen_get_path (screen), path) || g_str_equal (_flowbus_screen_get_object (screen), path))
      return screen;
  return NULL;
}

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
    _flowbus_screen_sync (link->data);
    g_object_unref (link->data);
  }
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AVAILABLE]);
  g_signal_emit (self, signals[APPEARED], 0);
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
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AVAILABLE]);
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
  g_signal_emit (self, signals[CONCLUDED], 0, token, verdict, serial, error);
  g_object_unref (self);
}

static void
answered (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
          GVariant *parameters, gpointer data)
{
  FlowbusClient *self = data;
  const char *token, *outcome;
  g_autoptr (GVariant) values = NULL;
  g_autoptr (FlowbusAnswer) answer = NULL;
  FlowbusScreen *screen;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(ssa{sv})")))
    return;
  g_variant_get (parameters, "(&s&s@a{sv})", &token, &outcome, &values);
  screen = _flowbus_client_find_screen (self, path);
  answer = _flowbus_answer_new (screen, token, outcome, values);
  g_object_ref (self);
  if (screen)
    _flowbus_screen_answered (screen, answer);
  else if (!_flowbus_emissions_answered (self->emissions, answer))
    g_signal_emit (self, signals[ANSWERED], 0, answer);
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
    _flowbus_screen_withdraw (link->data, "closed");
    g_object_unref (link->data);
  }
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AVAILABLE]);
  g_signal_emit (self, signals[CLOSED], 0, self->closed);
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

static void
take_connection (FlowbusClient *self)
{
  GWeakRef *weak = g_new0 (GWeakRef, 1);

  g_weak_ref_init (weak, self);
  self->closed_handler =
    g_signal_connect_data (self->connection, "closed", G_CALLBACK (closed_elsewhere), weak, weak_ref_free, 0);
  if (g_dbus_connection_is_closed (self->connection)) {
    connection_closed (self->connection, TRUE, NULL, self);
    return;
  }
  self->subscriptions[0] =
    _flowbus_client_subscribe (self, FLOWBUS_STEPPER, "StepConcluded", NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE, step_concluded, self);
  self->subscriptions[1] =
    _flowbus_client_subscribe (self, FLOWBUS_STEPPER, "Answered", NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE, answered, self);
  self->subscriptions[2] = _flowbus_client_subscribe (self, FLOWBUS_COORDINATOR, "DefinitionsChanged", FLOWBUS_ROOT, NULL,
                                                      G_DBUS_SIGNAL_FLAGS_NONE, definitions_changed, self);
  _flowbus_client_enter (self);
  self->watch = g_bus_watch_name_on_connection (self->connection, FLOWBUS_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                service_appeared, service_vanished, self, NULL);
  _flowbus_client_leave (self);
  g_object_ref (self);
  start_parts (self);
  _flowbus_calls_flush (self->calls);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONNECTION]);
  g_signal_emit (self, signals[CONNECTED], 0);
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

static void
begin_later (FlowbusClient *self)
{
  if (self->beginning)
    return;
  self->beginning = g_idle_source_new ();
  g_source_set_priority (self->beginning, G_PRIORITY_DEFAULT);
  g_source_set_callback (self->beginning, begin, self, NULL);
  g_source_attach (self->beginning, self->context);
}

static void
flowbus_client_constructed (GObject *object)
{
  FlowbusClient *self = FLOWBUS_CLIENT (object);

  G_OBJECT_CLASS (flowbus_client_parent_class)->constructed (object);
  begin_later (self);
}

static void
flowbus_client_dispose (GObject *object)
{
  FlowbusClient *self = FLOWBUS_CLIENT (object);

  if (self->beginning) {
    g_source_destroy (self->beginning);
    g_clear_pointer (&self->beginning, g_source_unref);
  }
  if (self->connecting)
    g_cancellable_cancel (self->connecting);
  g_clear_object (&self->connecting);
  if (self->watch)
    g_bus_unwatch_name (self->watch);
  self->watch = 0;
  for (guint i = 0; i < G_N_ELEMENTS (self->subscriptions); i++) {
    if (self->subscriptions[i])
      g_dbus_connection_signal_unsubscribe (self->connection, self->subscriptions[i]);
    self->subscriptions[i] = 0;
  }
  g_clear_signal_handler (&self->closed_handler, self->connection);
  G_OBJECT_CLASS (flowbus_client_parent_class)->dispose (object);
}

static void
flowbus_client_finalize (GObject *object)
{
  FlowbusClient *self = FLOWBUS_CLIENT (object);

  _flowbus_emissions_free (self->emissions);
  _flowbus_steps_free (self->steps);
  _flowbus_calls_free (self->calls);
  _flowbus_names_free (self->names);
  g_hash_table_unref (self->screens);
  g_ptr_array_unref (self->parts);
  g_clear_object (&self->connection);
  g_clear_error (&self->closed);
  g_free (self->owner);
  g_free (self->address);
  g_main_context_unref (self->context);
  G_OBJECT_CLASS (flowbus_client_parent_class)->finalize (object);
}

static void
flowbus_client_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusClient *self = FLOWBUS_CLIENT (object);

  switch (id) {
  case PROP_CONNECTION: g_value_set_object (value, self->connection); break;
  case PROP_BUS_TYPE: g_value_set_enum (value, self->bus_type); break;
  case PROP_ADDRESS: g_value_set_string (value, self->address); break;
  case PROP_AVAILABLE: g_value_set_boolean (value, self->owner != NULL); break;
  case PROP_INTERACTIVE: g_value_set_boolean (value, self->interactive); break;
  case PROP_RETRY_TIME: g_value_set_uint (value, self->retry_time); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_client_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  FlowbusClient *self = FLOWBUS_CLIENT (object);

  switch (id) {
  case PROP_CONNECTION: self->connection = g_value_dup_object (value); break;
  case PROP_BUS_TYPE: self->bus_type = g_value_get_enum (value); break;
  case PROP_ADDRESS: self->address = g_value_dup_string (value); break;
  case PROP_INTERACTIVE: flowbus_client_set_interactive (self, g_value_get_boolean (value)); break;
  case PROP_RETRY_TIME: self->retry_time = g_value_get_uint (value); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_client_class_init (FlowbusClientClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);

  object->constructed = flowbus_client_constructed;
  object->dispose = flowbus_client_dispose;
  object->finalize = flowbus_client_finalize;
  object->get_property = flowbus_client_get_property;
  object->set_property = flowbus_client_set_property;

  /**
   * FlowbusClient:connection:
   *
   * The connection to the bus; %NULL until there is one. If it is given at construction, that one is used.
   */
  properties[PROP_CONNECTION] = g_param_spec_object ("connection", NULL, NULL, G_TYPE_DBUS_CONNECTION,
                                                     G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusClient:bus-type:
   *
   * The bus to connect to, if neither a connection nor an address is given.
   */
  properties[PROP_BUS_TYPE] = g_param_spec_enum ("bus-type", NULL, NULL, G_TYPE_BUS_TYPE, G_BUS_TYPE_SESSION,
                                                 G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusClient:address:
   *
   * The address of the bus to connect to, such as "unix:path=/run/bus".
   */
  properties[PROP_ADDRESS] = g_param_spec_string ("address", NULL, NULL, NULL,
                                                  G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusClient:available: (getter get_available)
   *
   * Whether flowbusd is there. It need not be: the bus starts it with the first call, if it has a service file.
   */
  properties[PROP_AVAILABLE] =
    g_param_spec_boolean ("available", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  /**
   * FlowbusClient:interactive: (getter get_interactive) (setter set_interactive)
   *
   * Whether guards may ask the user, such as for a password, because of steps that this client emits. Those of a
   * [class@Flowbus.Screen] always may, as they come from the user.
   */
  properties[PROP_INTERACTIVE] = g_param_spec_boolean ("interactive", NULL, NULL, FALSE,
                                                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  /**
   * FlowbusClient:retry-time:
   *
   * For how long a call is repeated while flowbusd is not there, in milliseconds. The longest time is that for which flowbusd
   * remembers tokens. With 0, a call fails at once with %FLOWBUS_ERROR_UNAVAILABLE.
   */
  properties[PROP_RETRY_TIME] =
    g_param_spec_uint ("retry-time", NULL, NULL, 0, FLOWBUS_TOKEN_TIME, FLOWBUS_TOKEN_TIME,
                       G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object, N_PROPS, properties);

  /**
   * FlowbusClient::connected:
   *
   * There is a connection to the bus.
   */
  signals[CONNECTED] =
    g_signal_new ("connected", FLOWBUS_TYPE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusClient::closed:
   * @self: the client
   * @error: what happened
   *
   * The connection to the bus was lost, or could not be made. This client is of no use any more: all calls fail. All screens
   * have been withdrawn with the reason "closed".
   *
   * The shared connection of a process (g_bus_get()) ends the process when it is lost, unless
   * g_dbus_connection_set_exit_on_close() says otherwise.
   */
  signals[CLOSED] =
    g_signal_new ("closed", FLOWBUS_TYPE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
  /**
   * FlowbusClient::appeared:
   *
   * flowbusd is there: now for the first time, or again after a restart. What a program has read of it may have changed.
   */
  signals[APPEARED] = g_signal_new ("appeared", FLOWBUS_TYPE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusClient::concluded:
   * @self: the client
   * @token: the token of the step
   * @verdict: what became of it
   * @serial: the serial of the navigation; 0 if there was none
   * @error: (nullable): why it failed, if it did
   *
   * A step that was pending is decided. flowbus_client_emit_async() waits for that by itself, unless the option "wait" is
   * false.
   */
  signals[CONCLUDED] = g_signal_new ("concluded", FLOWBUS_TYPE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                                     G_TYPE_STRING, FLOWBUS_TYPE_VERDICT, G_TYPE_UINT64, G_TYPE_ERROR);
  /**
   * FlowbusClient::answered:
   * @self: the client
   * @answer: the answer
   *
   * An answer came to an ask that no flowbus_client_ask_async() waits for, and that belongs to no screen of this client.
   */
  signals[ANSWERED] =
    g_signal_new ("answered", FLOWBUS_TYPE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, FLOWBUS_TYPE_ANSWER);
}

static void
flowbus_client_init (FlowbusClient *self)
{
  self->context = g_main_context_ref_thread_default ();
  self->parts = g_ptr_array_new_with_free_func (g_free);
  self->screens = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->calls = _flowbus_calls_new (self);
  self->steps = _flowbus_steps_new (self);
  self->emissions = _flowbus_emissions_new (self);
  self->names = _flowbus_names_new (self);
  /* The names of errors have to be known before the first answer. */
  flowbus_error_quark ();
}

/**
 * flowbus_client_new:
 *
 * Makes a client on the session bus.
 *
 * Returns: (transfer full): the client
 */
FlowbusClient *
flowbus_client_new (void)
{
  return g_object_new (FLOWBUS_TYPE_CLIENT, NULL);
}

/**
 * flowbus_client_new_for_bus:
 * @bus_type: the bus
 *
 * Makes a client on the session bus, on the system bus, or on the bus that started the program.
 *
 * Returns: (transfer full): the client
 */
FlowbusClient *
flowbus_client_new_for_bus (GBusType bus_type)
{
  return g_object_new (FLOWBUS_TYPE_CLIENT, "bus-type", bus_type, NULL);
}

/**
 * flowbus_client_new_for_address:
 * @address: the address of a bus, such as "unix:path=/run/bus"
 *
 * Makes a client with a connection of its own.
 *
 * Returns: (transfer full): the client
 */
FlowbusClient *
flowbus_client_new_for_address (const char *address)
{
  g_return_val_if_fail (address != NULL, NULL);
  return g_object_new (FLOWBUS_TYPE_CLIENT, "address", address, NULL);
}

/**
 * flowbus_client_new_for_connection:
 * @connection: a connection to a bus
 *
 * Makes a client with a connection that the program has.
 *
 * Returns: (transfer full): the client
 */
FlowbusClient *
flowbus_client_new_for_connection (GDBusConnection *connection)
{
  g_return_val_if_fail (G_IS_DBUS_CONNECTION (connection), NULL);
  return g_object_new (FLOWBUS_TYPE_CLIENT, "connection", connection, NULL);
}

/**
 * flowbus_client_get_connection:
 * @self: a client
 *
 * Gets the connection to the bus.
 *
 * Returns: (transfer none) (nullable): the connection to the bus; %NULL until there is one
 */
GDBusConnection *
flowbus_client_get_connection (FlowbusClient *self)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), NULL);
  return self->connection;
}

/**
 * flowbus_client_get_available: (get-property available)
 * @self: a client
 *
 * Tells whether flowbusd is there.
 *
 * Returns: whether flowbusd is there
 */
gboolean
flowbus_client_get_available (FlowbusClient *self)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), FALSE);
  return self->owner != NULL;
}

/**
 * flowbus_client_get_interactive: (get-property interactive)
 * @self: a client
 *
 * Tells whether guards may ask the user because of steps of this client.
 *
 * Returns: whether guards may ask the user because of steps of this client
 */
gboolean
flowbus_client_get_interactive (FlowbusClient *self)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), FALSE);
  return self->interactive;
}

/**
 * flowbus_client_set_interactive: (set-property interactive)
 * @self: a client
 * @interactive: whether guards may ask the user because of steps of this client
 *
 * Sets [property@Flowbus.Client:interactive].
 */
void
flowbus_client_set_interactive (FlowbusClient *self, gboolean interactive)
{
  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  if (self->interactive == !!interactive)
    return;
  self->interactive = !!interactive;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_INTERACTIVE]);
}
