/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

static void
called (FlowbusScreen *self, const char *method, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  const char *reason = g_task_get_task_data (task);

  /* The answer to an earlier attempt was lost, and it was carried out. */
  if (error && reason && (g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT) ||
                          (g_str_equal (reason, "released") && g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_NOT_OWNER))))
    g_clear_error (&error);
  if (error) {
    g_task_return_error (task, error);
    return;
  }
  /* No Withdraw follows one's own call. */
  if (reason)
    _flowbus_screen_withdraw (self, reason);
  g_task_return_boolean (task, TRUE);
}

/* @reason: (nullable): why the screen is gone, if the call succeeds */
static void
call (FlowbusScreen *self, gpointer tag, const char *method, GVariant *parameters, const char *reason, GCancellable *cancellable,
      GAsyncReadyCallback callback, gpointer data)
{
  GTask *task;

  _flowbus_client_enter (self->client);
  task = g_task_new (self, cancellable, callback, data);
  _flowbus_client_leave (self->client);
  g_task_set_source_tag (task, tag);
  g_task_set_task_data (task, (gpointer) reason, NULL);
  _flowbus_screen_begin_call (self, method, parameters, cancellable, called, task);
}

static void
call_with_values (FlowbusScreen *self, gpointer tag, const char *method, GVariant *values, const char *what, const char *reason,
                  GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  GError *error = NULL;
  g_autoptr (GVariant) dictionary = _flowbus_dictionary (values, what, &error);

  if (dictionary) {
    call (self, tag, method, g_variant_new ("(@a{sv})", dictionary), reason, cancellable, callback, data);
  } else {
    _flowbus_client_enter (self->client);
    g_task_report_error (self, callback, data, tag, error);
    _flowbus_client_leave (self->client);
  }
}

static gboolean
finish (FlowbusScreen *self, GAsyncResult *result, gpointer tag, GError **error)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  g_return_val_if_fail (g_async_result_is_tagged (result, tag), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

/**
 * flowbus_screen_save_state_async:
 * @self: a screen
 * @state: (nullable): what the user would lose with this process, of the type `a{sv}`; %NULL for nothing
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is saved
 * @user_data: for the callback
 *
 * Saves what a later process of this program needs to show the screen as it is now: it is [property@Flowbus.Screen:state] there.
 * Call it whenever there is something new. The latest call counts, as a whole.
 */
void
flowbus_screen_save_state_async (FlowbusScreen *self, GVariant *state, GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  call_with_values (self, flowbus_screen_save_state_async, "SaveState", state, "the values of a state", NULL, cancellable,
                    callback, user_data);
}

/**
 * flowbus_screen_save_state_finish:
 * @self: a screen
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_save_state_async().
 *
 * Returns: whether the state is saved
 */
gboolean
flowbus_screen_save_state_finish (FlowbusScreen *self, GAsyncResult *result, GError **error)
{
  return finish (self, result, flowbus_screen_save_state_async, error);
}

/**
 * flowbus_screen_finish_with_result_async:
 * @self: a screen
 * @values: (nullable): the values of the result, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is done
 * @user_data: for the callback
 *
 * Answers whoever showed the screen, and dismisses it. The definition of the screen declares the values and their types
 * (`result`). To cancel, call flowbus_screen_dismiss_async().
 */
void
flowbus_screen_finish_with_result_async (FlowbusScreen *self, GVariant *values, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  call_with_values (self, flowbus_screen_finish_with_result_async, "Finish", values, "the values of a result", "finished",
                    cancellable, callback, user_data);
}

/**
 * flowbus_screen_finish_with_result_finish:
 * @self: a screen
 * @result: the result of the call
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_finish_with_result_async().
 *
 * Returns: whether the screen has answered
 */
gboolean
flowbus_screen_finish_with_result_finish (FlowbusScreen *self, GAsyncResult *result, GError **error)
{
  return finish (self, result, flowbus_screen_finish_with_result_async, error);
}

/**
 * flowbus_screen_dismiss_async:
 * @self: a screen
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is dismissed
 * @user_data: for the callback
 *
 * Dismisses the screen: the user has closed it. A program that has to give up calls flowbus_screen_dismiss_with_error_async().
 */
void
flowbus_screen_dismiss_async (FlowbusScreen *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  call (self, flowbus_screen_dismiss_async, "Dismiss", NULL, "dismissed", cancellable, callback, user_data);
}

/**
 * flowbus_screen_dismiss_finish:
 * @self: a screen
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_dismiss_async().
 *
 * Returns: whether the screen is gone
 */
gboolean
flowbus_screen_dismiss_finish (FlowbusScreen *self, GAsyncResult *result, GError **error)
{
  return finish (self, result, flowbus_screen_dismiss_async, error);
}

/**
 * flowbus_screen_dismiss_with_error_async:
 * @self: a screen
 * @name: the name of an error, such as "com.example.Pay.Error.Declined"
 * @message: (nullable): its text, for people or for the log; the service keeps 1,024 bytes
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is dismissed
 * @user_data: for the callback
 *
 * Dismisses the screen because this program has to give up, and says what failed. The flow learns of it (`onDismissed`, with the
 * reason `failed`, and the name and the text as `$error` and `$message`), and can tell it from a user who went away.
 *
 * Names are those of D-Bus: two or more parts with dots between them. Other names fail with
 * %FLOWBUS_ERROR_INVALID_ARGUMENTS, and the screen stays.
 */
void
flowbus_screen_dismiss_with_error_async (FlowbusScreen *self, const char *name, const char *message, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data)
{
  GVariantBuilder options;

  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  g_return_if_fail (name != NULL);
  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&options, "{sv}", "error", g_variant_new_string (name));
  if (message)
    g_variant_builder_add (&options, "{sv}", "message", g_variant_new_string (message));
  call (self, flowbus_screen_dismiss_with_error_async, "DismissWithOptions", g_variant_new ("(a{sv})", &options), "failed",
        cancellable, callback, user_data);
}

/**
 * flowbus_screen_dismiss_with_error_finish:
 * @self: a screen
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_dismiss_with_error_async().
 *
 * Returns: whether the screen is gone
 */
gboolean
flowbus_screen_dismiss_with_error_finish (FlowbusScreen *self, GAsyncResult *result, GError **error)
{
  return finish (self, result, flowbus_screen_dismiss_with_error_async, error);
}

/**
 * flowbus_screen_release_async:
 * @self: a screen
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is released
 * @user_data: for the callback
 *
 * Gives the screen back: it stays in the tree, and has no owner.
 */
void
flowbus_screen_release_async (FlowbusScreen *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  call (self, flowbus_screen_release_async, "Release", NULL, "released", cancellable, callback, user_data);
}

/**
 * flowbus_screen_release_finish:
 * @self: a screen
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_screen_release_async().
 *
 * Returns: whether the screen is released
 */
gboolean
flowbus_screen_release_finish (FlowbusScreen *self, GAsyncResult *result, GError **error)
{
  return finish (self, result, flowbus_screen_release_async, error);
}

void
_flowbus_screen_evict (FlowbusScreen *self)
{
  GVariant *state = NULL;

  g_signal_emit_by_name (self, "save-state", &state);
  /* The order of both calls is that of the connection. */
  if (state) {
    flowbus_screen_save_state_async (self, state, NULL, NULL, NULL);
    g_variant_unref (state);
  }
  _flowbus_screen_call (self, "Release", NULL);
}
