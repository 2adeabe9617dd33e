/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-asked-private.h"
#include "flowbus-calls-private.h"

/**
 * FlowbusQuestion:
 *
 * A step about which a guard or a navigator is asked.
 *
 * Answer it in the handler of the signal, or keep a reference and answer later: the flow waits, for 10 seconds unless its
 * definition gives another time. The first answer counts. A question that nobody answers before its last reference is gone fails
 * the step: a broken guard lets nothing pass.
 */
struct _FlowbusQuestion {
  GObject parent_instance;
  FlowbusClient *client; /* while it is not answered */
  GDBusMethodInvocation *invocation;
  gboolean is_navigation;
  char *flow;
  char *step;
  GVariant *arguments;
  GVariant *details;
};

enum {
  PROP_FLOW = 1,
  PROP_STEP,
  PROP_ARGUMENTS,
  PROP_DETAILS,
  PROP_SENDER,
  PROP_PRESENTABLE,
  PROP_INSTANCE,
  PROP_CAUSE,
  PROP_INTERACTIVE,
  PROP_ANSWERED,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (FlowbusQuestion, flowbus_question, G_TYPE_OBJECT)

FlowbusQuestion *
_flowbus_question_new (FlowbusClient *client, GDBusMethodInvocation *invocation, gboolean is_navigation, const char *flow,
                       const char *step, GVariant *arguments, GVariant *details)
{
  FlowbusQuestion *self = g_object_new (FLOWBUS_TYPE_QUESTION, NULL);

  self->client = g_object_ref (client);
  _flowbus_client_begin_work (client);
  self->invocation = invocation;
  self->is_navigation = is_navigation;
  self->flow = g_strdup (flow);
  self->step = g_strdup (step);
  self->arguments = g_variant_ref (arguments);
  self->details = g_variant_ref (details);
  return self;
}

static void
answer (FlowbusQuestion *self, GVariant *values, GError *error)
{
  GDBusMethodInvocation *invocation = g_steal_pointer (&self->invocation);
  g_autoptr (FlowbusClient) client = g_steal_pointer (&self->client);

  if (error)
    g_dbus_method_invocation_take_error (invocation, error);
  else
    g_dbus_method_invocation_return_value (invocation, values);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ANSWERED]);
  _flowbus_client_end_work (client);
  _flowbus_client_check_idle (client);
}

static void
fail (FlowbusQuestion *self, const char *message)
{
  answer (self, NULL, g_error_new_literal (G_DBUS_ERROR, G_DBUS_ERROR_FAILED, message));
}

static void
flowbus_question_dispose (GObject *object)
{
  FlowbusQuestion *self = FLOWBUS_QUESTION (object);

  if (self->invocation)
    fail (self, "the program has dropped the question without an answer");
  G_OBJECT_CLASS (flowbus_question_parent_class)->dispose (object);
}

static void
flowbus_question_finalize (GObject *object)
{
  FlowbusQuestion *self = FLOWBUS_QUESTION (object);

  g_free (self->flow);
  g_free (self->step);
  g_clear_pointer (&self->arguments, g_variant_unref);
  g_clear_pointer (&self->details, g_variant_unref);
  G_OBJECT_CLASS (flowbus_question_parent_class)->finalize (object);
}

static void
flowbus_question_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusQuestion *self = FLOWBUS_QUESTION (object);

  switch (id) {
  case PROP_FLOW: g_value_set_string (value, self->flow); break;
  case PROP_STEP: g_value_set_string (value, self->step); break;
  case PROP_ARGUMENTS: g_value_set_variant (value, self->arguments); break;
  case PROP_DETAILS: g_value_set_variant (value, self->details); break;
  case PROP_SENDER: g_value_set_string (value, flowbus_question_get_sender (self)); break;
  case PROP_PRESENTABLE: g_value_set_string (value, flowbus_question_get_presentable (self)); break;
  case PROP_INSTANCE: g_value_set_uint64 (value, flowbus_question_get_instance (self)); break;
  case PROP_CAUSE: g_value_set_uint64 (value, flowbus_question_get_cause (self)); break;
  case PROP_INTERACTIVE: g_value_set_boolean (value, flowbus_question_get_interactive (self)); break;
  case PROP_ANSWERED: g_value_set_boolean (value, !self->invocation); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_question_class_init (FlowbusQuestionClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object->dispose = flowbus_question_dispose;
  object->finalize = flowbus_question_finalize;
  object->get_property = flowbus_question_get_property;

  /**
   * FlowbusQuestion:flow: (getter get_flow)
   *
   * The path of the flow that is to take the step.
   */
  properties[PROP_FLOW] = g_param_spec_string ("flow", NULL, NULL, NULL, flags);
  /**
   * FlowbusQuestion:step: (getter get_step)
   *
   * The name of the step.
   */
  properties[PROP_STEP] = g_param_spec_string ("step", NULL, NULL, NULL, flags);
  /**
   * FlowbusQuestion:arguments: (getter get_arguments)
   *
   * The arguments of the step.
   */
  properties[PROP_ARGUMENTS] = g_param_spec_variant ("arguments", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
  /**
   * FlowbusQuestion:details: (getter get_details)
   *
   * All details of the call.
   */
  properties[PROP_DETAILS] = g_param_spec_variant ("details", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
  /**
   * FlowbusQuestion:sender: (getter get_sender)
   *
   * The unique name of the client that the step originates from; empty if it originates from the service.
   */
  properties[PROP_SENDER] = g_param_spec_string ("sender", NULL, NULL, NULL, flags);
  /**
   * FlowbusQuestion:presentable: (getter get_presentable)
   *
   * The path of the screen or flow that the step was emitted on; the flow itself if no client emitted it.
   */
  properties[PROP_PRESENTABLE] = g_param_spec_string ("presentable", NULL, NULL, NULL, flags);
  /**
   * FlowbusQuestion:instance: (getter get_instance)
   *
   * The instance of that screen or flow.
   */
  properties[PROP_INSTANCE] = g_param_spec_uint64 ("instance", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * FlowbusQuestion:cause: (getter get_cause)
   *
   * The serial of the navigation that triggered the step; 0 if none did.
   */
  properties[PROP_CAUSE] = g_param_spec_uint64 ("cause", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * FlowbusQuestion:interactive: (getter get_interactive)
   *
   * Whether the user may be asked, such as for a password.
   */
  properties[PROP_INTERACTIVE] = g_param_spec_boolean ("interactive", NULL, NULL, FALSE, flags);
  /**
   * FlowbusQuestion:answered: (getter is_answered)
   *
   * Whether it has been answered.
   */
  properties[PROP_ANSWERED] = g_param_spec_boolean ("answered", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object, N_PROPS, properties);
}

static void
flowbus_question_init (FlowbusQuestion *self)
{
}

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusQuestion, FLOWBUS_IS_QUESTION, type, function, value)

/**
 * flowbus_question_get_flow: (get-property flow)
 * @self: a question
 *
 * Gets the path of the flow that is to take the step.
 *
 * Returns: (transfer none): the path of the flow that is to take the step
 */
GETTER (const char *, flowbus_question_get_flow, self->flow)

/**
 * flowbus_question_get_step: (get-property step)
 * @self: a question
 *
 * Gets the name of the step.
 *
 * Returns: (transfer none): the name of the step
 */
GETTER (const char *, flowbus_question_get_step, self->step)

/**
 * flowbus_question_get_arguments: (get-property arguments)
 * @self: a question
 *
 * Gets the arguments of the step, of the type `a{sv}`.
 *
 * Returns: (transfer none): the arguments of the step, of the type `a{sv}`
 */
GETTER (GVariant *, flowbus_question_get_arguments, self->arguments)

/**
 * flowbus_question_get_argument:
 * @self: a question
 * @name: the name of an argument
 *
 * Gets its value.
 *
 * Returns: (transfer full) (nullable): its value; %NULL if the step has none of this name
 */
GVariant *
flowbus_question_get_argument (FlowbusQuestion *self, const char *name)
{
  g_return_val_if_fail (FLOWBUS_IS_QUESTION (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  return g_variant_lookup_value (self->arguments, name, NULL);
}

/**
 * flowbus_question_get_details: (get-property details)
 * @self: a question
 *
 * Gets all details of the call, of the type `a{sv}`.
 *
 * Returns: (transfer none): all details of the call, of the type `a{sv}`
 */
GETTER (GVariant *, flowbus_question_get_details, self->details)

static guint64
number (FlowbusQuestion *self, const char *name)
{
  guint64 value = 0;

  g_variant_lookup (self->details, name, "t", &value);
  return value;
}

/**
 * flowbus_question_get_sender: (get-property sender)
 * @self: a question
 *
 * Gets the unique name of the client that the step originates from.
 *
 * Returns: (transfer none): the unique name of the client that the step originates from; empty if it is the service
 */
const char *
flowbus_question_get_sender (FlowbusQuestion *self)
{
  const char *sender = "";

  g_return_val_if_fail (FLOWBUS_IS_QUESTION (self), NULL);
  g_variant_lookup (self->details, "sender", "&s", &sender);
  return sender;
}

/**
 * flowbus_question_get_presentable: (get-property presentable)
 * @self: a question
 *
 * Gets the path of what the step was emitted on.
 *
 * Returns: (transfer none): the path of what the step was emitted on
 */
const char *
flowbus_question_get_presentable (FlowbusQuestion *self)
{
  const char *path;

  g_return_val_if_fail (FLOWBUS_IS_QUESTION (self), NULL);
  return g_variant_lookup (self->details, "presentable", "&o", &path) ? path : self->flow;
}

/**
 * flowbus_question_get_instance: (get-property instance)
 * @self: a question
 *
 * Gets the instance of what the step was emitted on.
 *
 * Returns: the instance of what the step was emitted on
 */
GETTER (guint64, flowbus_question_get_instance, number (self, "instance"))

/**
 * flowbus_question_get_cause: (get-property cause)
 * @self: a question
 *
 * Gets the serial of the navigation that triggered the step.
 *
 * Returns: the serial of the navigation that triggered the step; 0 if none did
 */
GETTER (guint64, flowbus_question_get_cause, number (self, "cause"))

/**
 * flowbus_question_get_interactive: (get-property interactive)
 * @self: a question
 *
 * Tells whether the user may be asked.
 *
 * Returns: whether the user may be asked
 */
gboolean
flowbus_question_get_interactive (FlowbusQuestion *self)
{
  gboolean interactive = FALSE;

  g_return_val_if_fail (FLOWBUS_IS_QUESTION (self), FALSE);
  g_variant_lookup (self->details, "interactive", "b", &interactive);
  return interactive;
}

/**
 * flowbus_question_is_answered: (get-property answered)
 * @self: a question
 *
 * Tells whether it has been answered.
 *
 * Returns: whether it has been answered
 */
GETTER (gboolean, flowbus_question_is_answered, self->invocation == NULL)

/**
 * flowbus_question_accept:
 * @self: a question
 *
 * Lets the step pass. Of a navigator: the flow takes the step, and it leads to nothing.
 */
void
flowbus_question_accept (FlowbusQuestion *self)
{
  g_return_if_fail (FLOWBUS_IS_QUESTION (self));
  g_return_if_fail (self->invocation != NULL);
  if (self->is_navigation)
    answer (self, g_variant_new ("(a(ssa{sv}))", NULL), NULL);
  else
    answer (self, g_variant_new ("(s@a{sv})", self->step, self->arguments), NULL);
}

/**
 * flowbus_question_replace:
 * @self: a question of a guard
 * @step: the name of another step, or of the same one
 * @arguments: (nullable): its arguments, of the type `a{sv}` and with the types that the step declares
 *
 * Has the flow take another step in place of this one, or this one with other arguments.
 */
void
flowbus_question_replace (FlowbusQuestion *self, const char *step, GVariant *arguments)
{
  g_autoptr (GVariant) given = NULL;
  GError *error = NULL;

  g_return_if_fail (FLOWBUS_IS_QUESTION (self));
  g_return_if_fail (step != NULL);
  g_return_if_fail (self->invocation != NULL && !self->is_navigation);
  given = _flowbus_dictionary (arguments, "the arguments of a step", &error);
  if (given) {
    answer (self, g_variant_new ("(s@a{sv})", step, given), NULL);
  } else {
    fail (self, error->message);
    g_critical ("%s", error->message);
    g_error_free (error);
  }
}

/**
 * flowbus_question_contribute:
 * @self: a question of a navigator
 * @contributors: what the step leads to, of the type `a(ssa{sv})`: for each contributor its kind, name and options
 *
 * Has the flow take the step, and says what it leads to, such as `[('screen', 'detail', {'arguments': <{'item': <int64 7>}>})]`.
 * `docs/processes.md` and the interface Navigator have the kinds and options. Either all contributors are applied, or none.
 */
void
flowbus_question_contribute (FlowbusQuestion *self, GVariant *contributors)
{
  g_autoptr (GVariant) given = NULL;

  g_return_if_fail (FLOWBUS_IS_QUESTION (self));
  g_return_if_fail (contributors != NULL);
  g_return_if_fail (self->invocation != NULL && self->is_navigation);
  given = g_variant_ref_sink (contributors);
  if (g_variant_is_of_type (given, G_VARIANT_TYPE ("a(ssa{sv})"))) {
    answer (self, g_variant_new ("(@a(ssa{sv}))", given), NULL);
  } else {
    g_autofree char *message = g_strdup_printf ("contributors have to be of the type 'a(ssa{sv})', not '%s'",
                                                g_variant_get_type_string (given));

    fail (self, message);
    g_critical ("%s", message);
  }
}

/**
 * flowbus_question_reject:
 * @self: a question
 * @message: (nullable): why, for people
 *
 * Does not let the step pass: its emitter gets the verdict %FLOWBUS_VERDICT_REJECTED. Of a navigator: its flow does not take the
 * step, and the verdict is %FLOWBUS_VERDICT_UNHANDLED.
 */
void
flowbus_question_reject (FlowbusQuestion *self, const char *message)
{
  g_return_if_fail (FLOWBUS_IS_QUESTION (self));
  g_return_if_fail (self->invocation != NULL);
  answer (self, NULL,
          g_error_new_literal (FLOWBUS_ERROR, self->is_navigation ? FLOWBUS_ERROR_UNHANDLED : FLOWBUS_ERROR_REJECTED,
                               message ? message : self->is_navigation ? "the navigator does not take it" : "the guard rejects it"));
}

/**
 * flowbus_question_fail:
 * @self: a question
 * @message: why, for people
 *
 * Says that there is no decision: the step fails with %FLOWBUS_ERROR_GUARD_FAILED or %FLOWBUS_ERROR_NAVIGATOR_FAILED.
 */
void
flowbus_question_fail (FlowbusQuestion *self, const char *message)
{
  g_return_if_fail (FLOWBUS_IS_QUESTION (self));
  g_return_if_fail (message != NULL);
  g_return_if_fail (self->invocation != NULL);
  fail (self, message);
}
