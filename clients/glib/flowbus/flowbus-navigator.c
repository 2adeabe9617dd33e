/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-asked-private.h"
#include "flowbus-contract.h"

/**
 * FlowbusNavigator:
 *
 * Decides where the steps of a flow lead, in place of rules: the key `navigator` of the flow's definition names its bus name.
 *
 * ```c
 * static void
 * on_item (FlowbusNavigator *navigator, FlowbusQuestion *question, gpointer data)
 * {
 *   flowbus_question_contribute (question, g_variant_new_parsed ("[('screen', 'detail', @a{sv} {})]"));
 * }
 *
 * FlowbusNavigator *navigator = flowbus_navigator_new ("org.phone.Wizard");
 * g_signal_connect (navigator, "navigate::itemPicked", G_CALLBACK (on_item), NULL);
 * ```
 */
struct _FlowbusNavigator {
  GObject parent_instance;
  FlowbusAsked asked;
};

static GParamSpec *properties[ASKED_N_PROPS];

enum { NAVIGATE, ACQUIRED_NAME, LOST_NAME, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (FlowbusNavigator, flowbus_navigator, G_TYPE_OBJECT)

static gboolean
handle_navigate (FlowbusContractNavigator *skeleton, GDBusMethodInvocation *invocation, const char *flow, const char *step,
                 GVariant *arguments, GVariant *details, gpointer data)
{
  FlowbusNavigator *self = data;
  g_autoptr (FlowbusQuestion) question = _flowbus_question_new (self->asked.client, invocation, TRUE, flow, step, arguments, details);

  g_signal_emit (self, signals[NAVIGATE], g_quark_from_string (step), question);
  return TRUE;
}

/**
 * flowbus_navigator_close:
 * @self: a navigator
 *
 * Gives the bus name back, and takes no more questions. The end of the navigator does the same.
 */
void
flowbus_navigator_close (FlowbusNavigator *self)
{
  g_return_if_fail (FLOWBUS_IS_NAVIGATOR (self));
  _flowbus_asked_close (&self->asked);
}

static void
flowbus_navigator_constructed (GObject *object)
{
  FlowbusNavigator *self = FLOWBUS_NAVIGATOR (object);

  G_OBJECT_CLASS (flowbus_navigator_parent_class)->constructed (object);
  self->asked.owned_property = properties[ASKED_NAME_OWNED];
  self->asked.acquired_signal = signals[ACQUIRED_NAME];
  self->asked.lost_signal = signals[LOST_NAME];
  g_signal_connect (self->asked.skeleton, "handle-navigate", G_CALLBACK (handle_navigate), self);
  _flowbus_asked_constructed (&self->asked, "navigator");
}

static void
flowbus_navigator_dispose (GObject *object)
{
  FlowbusNavigator *self = FLOWBUS_NAVIGATOR (object);

  _flowbus_asked_close (&self->asked);
  g_signal_handlers_disconnect_by_data (self->asked.skeleton, self);
  G_OBJECT_CLASS (flowbus_navigator_parent_class)->dispose (object);
}

static void
flowbus_navigator_finalize (GObject *object)
{
  _flowbus_asked_clear (&FLOWBUS_NAVIGATOR (object)->asked);
  G_OBJECT_CLASS (flowbus_navigator_parent_class)->finalize (object);
}

static void
flowbus_navigator_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (!_flowbus_asked_get_property (&FLOWBUS_NAVIGATOR (object)->asked, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
flowbus_navigator_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (!_flowbus_asked_set_property (&FLOWBUS_NAVIGATOR (object)->asked, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
flowbus_navigator_class_init (FlowbusNavigatorClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  const GParamFlags construct = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object->constructed = flowbus_navigator_constructed;
  object->dispose = flowbus_navigator_dispose;
  object->finalize = flowbus_navigator_finalize;
  object->get_property = flowbus_navigator_get_property;
  object->set_property = flowbus_navigator_set_property;

  /**
   * FlowbusNavigator:client: (getter get_client)
   *
   * The client; by default a new one on the session bus.
   */
  properties[ASKED_CLIENT] = g_param_spec_object ("client", NULL, NULL, FLOWBUS_TYPE_CLIENT, construct);
  /**
   * FlowbusNavigator:bus-name: (getter get_bus_name)
   *
   * The bus name by which definitions name the navigator.
   */
  properties[ASKED_BUS_NAME] = g_param_spec_string ("bus-name", NULL, NULL, NULL, construct);
  /**
   * FlowbusNavigator:object-path: (getter get_object_path)
   *
   * The object; by default the one that follows from the bus name.
   */
  properties[ASKED_OBJECT_PATH] = g_param_spec_string ("object-path", NULL, NULL, NULL, construct);
  /**
   * FlowbusNavigator:name-owned: (getter get_name_owned)
   *
   * Whether the program owns the bus name.
   */
  properties[ASKED_NAME_OWNED] =
    g_param_spec_boolean ("name-owned", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object, ASKED_N_PROPS, properties);

  /**
   * FlowbusNavigator::navigate:
   * @self: the navigator
   * @question: the step
   *
   * The flow takes a step. The detail is the name of the step. Answer by flowbus_question_contribute(), in the handler or later;
   * by flowbus_question_reject(), the flow does not take the step.
   */
  signals[NAVIGATE] = g_signal_new ("navigate", FLOWBUS_TYPE_NAVIGATOR, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 1, FLOWBUS_TYPE_QUESTION);
  /**
   * FlowbusNavigator::acquired-name:
   * @self: the navigator
   *
   * The program owns the bus name now.
   */
  signals[ACQUIRED_NAME] =
    g_signal_new ("acquired-name", FLOWBUS_TYPE_NAVIGATOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusNavigator::lost-name:
   * @self: the navigator
   * @message: who has it, or why the bus refused
   *
   * The program does not get the bus name, or has lost it. Without a handler, the message is logged.
   */
  signals[LOST_NAME] =
    g_signal_new ("lost-name", FLOWBUS_TYPE_NAVIGATOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
flowbus_navigator_init (FlowbusNavigator *self)
{
  self->asked.object = G_OBJECT (self);
  self->asked.skeleton = G_DBUS_INTERFACE_SKELETON (flowbus_contract_navigator_skeleton_new ());
}

/**
 * flowbus_navigator_new:
 * @bus_name: the bus name that the definitions say
 *
 * Makes a navigator on the session bus.
 *
 * Returns: (transfer full): the navigator
 */
FlowbusNavigator *
flowbus_navigator_new (const char *bus_name)
{
  return g_object_new (FLOWBUS_TYPE_NAVIGATOR, "bus-name", bus_name, NULL);
}

/**
 * flowbus_navigator_new_for_client:
 * @client: a client
 * @bus_name: the bus name that the definitions say
 *
 * Makes a navigator on the bus of a client.
 *
 * Returns: (transfer full): the navigator
 */
FlowbusNavigator *
flowbus_navigator_new_for_client (FlowbusClient *client, const char *bus_name)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (client), NULL);
  return g_object_new (FLOWBUS_TYPE_NAVIGATOR, "client", client, "bus-name", bus_name, NULL);
}

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusNavigator, FLOWBUS_IS_NAVIGATOR, type, function, value)

/**
 * flowbus_navigator_get_client: (get-property client)
 * @self: a navigator
 *
 * Gets its client.
 *
 * Returns: (transfer none): its client
 */
GETTER (FlowbusClient *, flowbus_navigator_get_client, self->asked.client)

/**
 * flowbus_navigator_get_bus_name: (get-property bus-name)
 * @self: a navigator
 *
 * Gets its bus name.
 *
 * Returns: (transfer none): its bus name
 */
GETTER (const char *, flowbus_navigator_get_bus_name, self->asked.bus_name)

/**
 * flowbus_navigator_get_object_path: (get-property object-path)
 * @self: a navigator
 *
 * Gets its object.
 *
 * Returns: (transfer none): its object
 */
GETTER (const char *, flowbus_navigator_get_object_path, self->asked.object_path)

/**
 * flowbus_navigator_get_name_owned: (get-property name-owned)
 * @self: a navigator
 *
 * Tells whether the program owns the bus name.
 *
 * Returns: whether the program owns the bus name
 */
GETTER (gboolean, flowbus_navigator_get_name_owned, self->asked.is_owned)
