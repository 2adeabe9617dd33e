/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-calls-private.h"

/**
 * FlowbusAnswer:
 *
 * The answer to an ask: what a picker picked, or why there is nothing.
 *
 * The answer to an ask on a [class@Flowbus.Screen] outlives this process: the service keeps it until
 * [method@Flowbus.Answer.acknowledge]. Save what follows from it by [method@Flowbus.Screen.save_state_async] before; then it
 * counts once, whichever process ends in between.
 */
struct _FlowbusAnswer {
  GObject parent_instance;
  FlowbusScreen *screen; /* (nullable) */
  void (*acknowledge) (FlowbusScreen *screen, const char *token);
  char *token;
  char *outcome;
  GVariant *result;
};

enum { PROP_TOKEN = 1, PROP_OUTCOME, PROP_RESULT, N_PROPS };
static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (FlowbusAnswer, flowbus_answer, G_TYPE_OBJECT)

FlowbusAnswer *
_flowbus_answer_new (FlowbusScreen *screen, void (*acknowledge) (FlowbusScreen *screen, const char *token), const char *token,
                     const char *outcome, GVariant *result)
{
  FlowbusAnswer *self = g_object_new (FLOWBUS_TYPE_ANSWER, NULL);

  g_set_object (&self->screen, screen);
  self->acknowledge = acknowledge;
  self->token = g_strdup (token);
  self->outcome = g_strdup (outcome);
  self->result = g_variant_ref_sink (result ? result : g_variant_new ("a{sv}", NULL));
  return self;
}

static void
flowbus_answer_finalize (GObject *object)
{
  FlowbusAnswer *self = FLOWBUS_ANSWER (object);

  g_clear_object (&self->screen);
  g_free (self->token);
  g_free (self->outcome);
  g_clear_pointer (&self->result, g_variant_unref);
  G_OBJECT_CLASS (flowbus_answer_parent_class)->finalize (object);
}

static void
flowbus_answer_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusAnswer *self = FLOWBUS_ANSWER (object);

  switch (id) {
  case PROP_TOKEN: g_value_set_string (value, self->token); break;
  case PROP_OUTCOME: g_value_set_string (value, self->outcome); break;
  case PROP_RESULT: g_value_set_variant (value, self->result); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_answer_class_init (FlowbusAnswerClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);

  object->finalize = flowbus_answer_finalize;
  object->get_property = flowbus_answer_get_property;

  /**
   * FlowbusAnswer:token: (getter get_token)
   *
   * The token of the ask.
   */
  properties[PROP_TOKEN] = g_param_spec_string ("token", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusAnswer:outcome: (getter get_outcome)
   *
   * What became of the screen or flow that was asked.
   */
  properties[PROP_OUTCOME] = g_param_spec_string ("outcome", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusAnswer:result: (getter get_result)
   *
   * The values of the result; empty unless the outcome is "result".
   */
  properties[PROP_RESULT] = g_param_spec_variant ("result", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object, N_PROPS, properties);
}

static void
flowbus_answer_init (FlowbusAnswer *self)
{
}

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusAnswer, FLOWBUS_IS_ANSWER, type, function, value)

/**
 * flowbus_answer_get_token: (get-property token)
 * @self: an answer
 *
 * Gets the token of the ask.
 *
 * Returns: (transfer none): the token of the ask
 */
GETTER (const char *, flowbus_answer_get_token, self->token)

/**
 * flowbus_answer_get_outcome: (get-property outcome)
 * @self: an answer
 *
 * What became of the screen or flow that was asked: "result" if it answered; otherwise why not, such as "dismissed" or "back".
 * If the step did not navigate, nothing was asked: then it is the verdict, such as "unhandled".
 *
 * Later versions of the service may add outcomes. Each means that there is no result.
 *
 * Returns: (transfer none): the outcome
 */
GETTER (const char *, flowbus_answer_get_outcome, self->outcome)

/**
 * flowbus_answer_has_result:
 * @self: an answer
 *
 * Tells whether there is a result.
 *
 * Returns: whether there is a result
 */
GETTER (gboolean, flowbus_answer_has_result, g_str_equal (self->outcome, "result"))

/**
 * flowbus_answer_get_result: (get-property result)
 * @self: an answer
 *
 * Gets the values of the result, of the type `a{sv}`.
 *
 * Returns: (transfer none): the values of the result, of the type `a{sv}`; empty if there is none
 */
GETTER (GVariant *, flowbus_answer_get_result, self->result)

/**
 * flowbus_answer_get_value:
 * @self: an answer
 * @name: the name of a value
 *
 * Gets the value of the result.
 *
 * Returns: (transfer full) (nullable): the value of the result; %NULL if there is none of this name
 */
GVariant *
flowbus_answer_get_value (FlowbusAnswer *self, const char *name)
{
  g_return_val_if_fail (FLOWBUS_IS_ANSWER (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  return g_variant_lookup_value (self->result, name, NULL);
}

/**
 * flowbus_answer_acknowledge:
 * @self: an answer
 *
 * Says that the answer was taken, so that it does not come again. Calls of [method@Flowbus.Screen.save_state_async] that are under
 * way are waited for; if the latest of them fails, the answer is not acknowledged, and comes again to the next process. Has no effect if the ask belongs to no screen.
 */
void
flowbus_answer_acknowledge (FlowbusAnswer *self)
{
  g_return_if_fail (FLOWBUS_IS_ANSWER (self));
  if (self->screen)
    self->acknowledge (self->screen, self->token);
}
