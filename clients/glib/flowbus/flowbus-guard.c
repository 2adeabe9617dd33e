/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-asked-private.h"
#include "flowbus-contract.h"

/**
 * FlowbusGuard:
 *
 * Decides whether a flow takes a step, and which one: the key `guard` of the flow's definition names its bus name.
 *
 * ```c
 * static void
 * on_paid (FlowbusGuard *guard, FlowbusQuestion *question, gpointer data)
 * {
 *   if (is_open ())
 *     flowbus_question_accept (question);
 *   else
 *     flowbus_question_reject (question, "the shop is closed");
 * }
 *
 * FlowbusGuard *guard = flowbus_guard_new ("com.kiosk.Auth");
 * g_signal_connect (guard, "adapt::paid", G_CALLBACK (on_paid), NULL);
 * ```
 */
struct _FlowbusGuard {
  GObject parent_instance;
  FlowbusAsked asked;
};

static GParamSpec *properties[ASKED_N_PROPS];

enum { ADAPT, ACQUIRED_NAME, LOST_NAME, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (FlowbusGuard, flowbus_guard, G_TYPE_OBJECT)

static gboolean
handle_adapt (FlowbusContractGuard *skeleton, GDBusMethodInvocation *invocation, const char *flow, const char *step,
              GVariant *arguments, GVariant *details, gpointer data)
{
  FlowbusGuard *self = data;
  g_autoptr (FlowbusQuestion) question = _flowbus_question_new (self->asked.client, invocation, FALSE, flow, step, arguments, details);

  g_signal_emit (self, signals[ADAPT], g_quark_from_string (step), question);
  return TRUE;
}

/**
 * flowbus_guard_close:
 * @self: a guard
 *
 * Gives the bus name back, and takes no more questions. The end of the guard does the same.
 */
void
flowbus_guard_close (FlowbusGuard *self)
{
  g_return_if_fail (FLOWBUS_IS_GUARD (self));
  _flowbus_asked_close (&self->asked);
}

static void
flowbus_guard_constructed (GObject *object)
{
  FlowbusGuard *self = FLOWBUS_GUARD (object);

  G_OBJECT_CLASS (flowbus_guard_parent_class)->constructed (object);
  self->asked.owned_property = properties[ASKED_NAME_OWNED];
  self->asked.acquired_signal = signals[ACQUIRED_NAME];
  self->asked.lost_signal = signals[LOST_NAME];
  g_signal_connect (self->asked.skeleton, "handle-adapt", G_CALLBACK (handle_adapt), self);
  _flowbus_asked_constructed (&self->asked, "guard");
}

static void
flowbus_guard_dispose (GObject *object)
{
  FlowbusGuard *self = FLOWBUS_GUARD (object);

  _flowbus_asked_close (&self->asked);
  g_signal_handlers_disconnect_by_data (self->asked.skeleton, self);
  G_OBJECT_CLASS (flowbus_guard_parent_class)->dispose (object);
}

static void
flowbus_guard_finalize (GObject *object)
{
  _flowbus_asked_clear (&FLOWBUS_GUARD (object)->asked);
  G_OBJECT_CLASS (flowbus_guard_parent_class)->finalize (object);
}

static void
flowbus_guard_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (!_flowbus_asked_get_property (&FLOWBUS_GUARD (object)->asked, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
flowbus_guard_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (!_flowbus_asked_set_property (&FLOWBUS_GUARD (object)->asked, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
flowbus_guard_class_init (FlowbusGuardClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  const GParamFlags construct = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object->constructed = flowbus_guard_constructed;
  object->dispose = flowbus_guard_dispose;
  object->finalize = flowbus_guard_finalize;
  object->get_property = flowbus_guard_get_property;
  object->set_property = flowbus_guard_set_property;

  /**
   * FlowbusGuard:client: (getter get_client)
   *
   * The client; by default a new one on the session bus.
   */
  properties[ASKED_CLIENT] = g_param_spec_object ("client", NULL, NULL, FLOWBUS_TYPE_CLIENT, construct);
  /**
   * FlowbusGuard:bus-name: (getter get_bus_name)
   *
   * The bus name by which definitions name the guard.
   */
  properties[ASKED_BUS_NAME] = g_param_spec_string ("bus-name", NULL, NULL, NULL, construct);
  /**
   * FlowbusGuard:object-path: (getter get_object_path)
   *
   * The object; by default the one that follows from the bus name.
   */
  properties[ASKED_OBJECT_PATH] = g_param_spec_string ("object-path", NULL, NULL, NULL, construct);
  /**
   * FlowbusGuard:name-owned: (getter get_name_owned)
   *
   * Whether the program owns the bus name.
   */
  properties[ASKED_NAME_OWNED] =
    g_param_spec_boolean ("name-owned", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object, ASKED_N_PROPS, properties);

  /**
   * FlowbusGuard::adapt:
   * @self: the guard
   * @question: the step
   *
   * A flow is to take a step. The detail is the name of the step. Answer the question in the handler, or keep a reference and
   * answer later. Without an answer, the step fails.
   */
  signals[ADAPT] = g_signal_new ("adapt", FLOWBUS_TYPE_GUARD, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, FLOWBUS_TYPE_QUESTION);
  /**
   * FlowbusGuard::acquired-name:
   * @self: the guard
   *
   * The program owns the bus name now.
   */
  signals[ACQUIRED_NAME] =
    g_signal_new ("acquired-name", FLOWBUS_TYPE_GUARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusGuard::lost-name:
   * @self: the guard
   * @message: who has it, or why the bus refused
   *
   * The program does not get the bus name, or has lost it. Without a handler, the message is logged.
   */
  signals[LOST_NAME] =
    g_signal_new ("lost-name", FLOWBUS_TYPE_GUARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
flowbus_guard_init (FlowbusGuard *self)
{
  self->asked.object = G_OBJECT (self);
  self->asked.skeleton = G_DBUS_INTERFACE_SKELETON (flowbus_contract_guard_skeleton_new ());
}

/**
 * flowbus_guard_new:
 * @bus_name: the bus name that the definitions say
 *
 * Makes a guard on the session bus.
 *
 * Returns: (transfer full): the guard
 */
FlowbusGuard *
flowbus_guard_new (const char *bus_name)
{
  return g_object_new (FLOWBUS_TYPE_GUARD, "bus-name", bus_name, NULL);
}

/**
 * flowbus_guard_new_for_client:
 * @client: a client
 * @bus_name: the bus name that the definitions say
 *
 * Makes a guard on the bus of a client.
 *
 * Returns: (transfer full): the guard
 */
FlowbusGuard *
flowbus_guard_new_for_client (FlowbusClient *client, const char *bus_name)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (client), NULL);
  return g_object_new (FLOWBUS_TYPE_GUARD, "client", client, "bus-name", bus_name, NULL);
}

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusGuard, FLOWBUS_IS_GUARD, type, function, value)

/**
 * flowbus_guard_get_client: (get-property client)
 * @self: a guard
 *
 * Gets its client.
 *
 * Returns: (transfer none): its client
 */
GETTER (FlowbusClient *, flowbus_guard_get_client, self->asked.client)

/**
 * flowbus_guard_get_bus_name: (get-property bus-name)
 * @self: a guard
 *
 * Gets its bus name.
 *
 * Returns: (transfer none): its bus name
 */
GETTER (const char *, flowbus_guard_get_bus_name, self->asked.bus_name)

/**
 * flowbus_guard_get_object_path: (get-property object-path)
 * @self: a guard
 *
 * Gets its object.
 *
 * Returns: (transfer none): its object
 */
GETTER (const char *, flowbus_guard_get_object_path, self->asked.object_path)

/**
 * flowbus_guard_get_name_owned: (get-property name-owned)
 * @self: a guard
 *
 * Tells whether the program owns the bus name.
 *
 * Returns: whether the program owns the bus name
 */
GETTER (gboolean, flowbus_guard_get_name_owned, self->asked.is_owned)
