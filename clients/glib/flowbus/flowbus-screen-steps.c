/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

static void
emit (FlowbusScreen *self, const char *step, GVariant *arguments, GVariant *options, gboolean ask, GCancellable *cancellable,
      GAsyncReadyCallback callback, gpointer data)
{
  _flowbus_screen_act (self);
  _flowbus_screen_be_visible (self);
  _flowbus_client_emit (self->client, self, self->instance, self->object, step, arguments,
                        _flowbus_screen_complete_options (self, options), ask, cancellable, callback, data);
}

/**
 * flowbus_screen_emit_async:
 * @self: a screen
 * @step: the name of a step
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is decided
 * @user_data: for the callback
 *
 * Emits a step on the screen: what the user wants. See [method@Flowbus.Client.emit_async].
 */
void
flowbus_screen_emit_async (FlowbusScreen *self, const char *step, GVariant *arguments, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  flowbus_screen_emit_with_options_async (self, step, arguments, NULL, cancellable, callback, user_data);
}

/**
 * flowbus_screen_emit_with_options_async:
 * @self: a screen
 * @step: the name of a step
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @options: (nullable): options of EmitStepWithOptions, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is decided
 * @user_data: for the callback
 *
 * Emits a step with options, such as "inputTime" and "activation-token". The instance is set by the library, and so is
 * the token, if there is none among the options. By a token of its own a program can take back a step that waits for its turn
 * ([method@Flowbus.Client.cancel_step_async]).
 */
void
flowbus_screen_emit_with_options_async (FlowbusScreen *self, const char *step, GVariant *arguments, GVariant *options,
                                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  g_return_if_fail (step != NULL);
  emit (self, step, arguments, options, FALSE, cancellable, callback, user_data);
}

/**
 * flowbus_screen_emit_finish:
 * @self: a screen
 * @result: the result
 * @serial: (out) (optional): the serial of the navigation; 0 if there was none
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_emit_async().
 *
 * Returns: what became of the step; %FLOWBUS_VERDICT_FAILED if @error is set
 */
FlowbusVerdict
flowbus_screen_emit_finish (FlowbusScreen *self, GAsyncResult *result, guint64 *serial, GError **error)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), FLOWBUS_VERDICT_FAILED);
  g_return_val_if_fail (g_task_is_valid (result, self), FLOWBUS_VERDICT_FAILED);
  return _flowbus_emission_finish (self, result, serial, error);
}

/**
 * flowbus_screen_emit_with_options_finish:
 * @self: a screen
 * @result: the result
 * @serial: (out) (optional): the serial of the navigation; 0 if there was none
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_emit_with_options_async(); flowbus_screen_emit_finish() does the same.
 *
 * Returns: what became of the step; %FLOWBUS_VERDICT_FAILED if @error is set
 */
FlowbusVerdict
flowbus_screen_emit_with_options_finish (FlowbusScreen *self, GAsyncResult *result, guint64 *serial, GError **error)
{
  return flowbus_screen_emit_finish (self, result, serial, error);
}

/**
 * flowbus_screen_ask_async:
 * @self: a screen
 * @step: the name of a step
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @token: (nullable): a name for this ask, that no other one has; %NULL for a new one
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when there is an answer
 * @user_data: for the callback
 *
 * Emits a step, and waits for the result of the screen or flow that it brings.
 *
 * If this process ends before the answer, or before flowbus_answer_acknowledge(), a later one that shows the screen gets it by
 * [signal@Flowbus.Screen::answered].
 */
void
flowbus_screen_ask_async (FlowbusScreen *self, const char *step, GVariant *arguments, const char *token,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GVariant *options = NULL;

  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  g_return_if_fail (step != NULL);
  if (token)
    options = g_variant_new_parsed ("{'token': <%s>}", token);
  emit (self, step, arguments, options, TRUE, cancellable, callback, user_data);
}

/**
 * flowbus_screen_ask_finish:
 * @self: a screen
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_ask_async().
 *
 * Returns: (transfer full): the answer; save what follows from it, and then call flowbus_answer_acknowledge()
 */
FlowbusAnswer *
flowbus_screen_ask_finish (FlowbusScreen *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * flowbus_screen_back_async:
 * @self: a screen
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is decided
 * @user_data: for the callback
 *
 * Goes back from this screen: what a Back button, the key Escape or a gesture does.
 */
void
flowbus_screen_back_async (FlowbusScreen *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  _flowbus_screen_act (self);
  _flowbus_screen_be_visible (self);
  _flowbus_client_back (self->client, self, self->object, NULL, TRUE, cancellable, callback, user_data);
}

/**
 * flowbus_screen_back_finish:
 * @self: a screen
 * @result: the result
 * @serial: (out) (optional): the serial of the navigation; 0 if there was none
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_back_async().
 *
 * Returns: what became of it; %FLOWBUS_VERDICT_FAILED if @error is set
 */
FlowbusVerdict
flowbus_screen_back_finish (FlowbusScreen *self, GAsyncResult *result, guint64 *serial, GError **error)
{
  return flowbus_screen_emit_finish (self, result, serial, error);
}
