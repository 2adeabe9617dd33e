/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-client-private.h"

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
 *
 * Where the unit of the program has `WatchdogSec=`, the main loop answers the watchdog of systemd by itself, from the first client on and
 * once for each process: systemd ends a program whose main loop hangs. A program that answers on its own unsets `WATCHDOG_USEC`
 * before, as sd_watchdog_enabled(3) does.
 */
enum { PROP_CONNECTION = 1, PROP_BUS_TYPE, PROP_ADDRESS, PROP_AVAILABLE, PROP_INTERACTIVE, PROP_RETRY_TIME, N_PROPS };
static GParamSpec *properties[N_PROPS];

enum { CONNECTED, CLOSED, APPEARED, CONCLUDED, ANSWERED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (FlowbusClient, flowbus_client, G_TYPE_OBJECT)

static void
flowbus_client_constructed (GObject *object)
{
  FlowbusClient *self = FLOWBUS_CLIENT (object);

  G_OBJECT_CLASS (flowbus_client_parent_class)->constructed (object);
  _flowbus_watchdog_start (self->context);
  _flowbus_client_begin_later (self);
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
   * remembers tokens. A step that flowbusd may have taken, and did not answer, is repeated for half of it: flowbusd takes a while
   * to start. With 0, a call fails at once with %FLOWBUS_ERROR_UNAVAILABLE.
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
   * Without a handler, it is logged: a program that waits for its first screen would wait in silence.
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
