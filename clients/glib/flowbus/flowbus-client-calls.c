/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-calls-private.h"

/**
 * flowbus_client_emit_async:
 * @self: a client
 * @path: the object path of a flow or a screen, in the tree or of an instance
 * @step: the name of a step
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @options: (nullable): options of EmitStepWithOptions, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is decided
 * @user_data: for the callback
 *
 * Emits a step: what the user wants, or what has happened.
 *
 * The arguments become what the step declares, where that is possible without loss: an int32 an int64, a double without a
 * fraction an integer, a list of each. Otherwise the step fails with %FLOWBUS_ERROR_INVALID_ARGUMENTS, and the message names the
 * argument and the type.
 *
 * The step always has a token, by which it is repeated if flowbusd goes away before it has answered; it is never taken twice.
 *
 * If a guard needs longer than 15 seconds, so does this call: it ends when the step is decided. With the option "wait" as %FALSE
 * it ends at once with %FLOWBUS_VERDICT_PENDING, and [signal@Flowbus.Client::concluded] follows. The verdict is
 * %FLOWBUS_VERDICT_PENDING, too, if flowbusd goes away when a step has been pending for longer than half of
 * [property@Flowbus.Client:retry-time].
 *
 * After the cancellable is cancelled, the step may still be taken.
 */
void
flowbus_client_emit_async (FlowbusClient *self, const char *path, const char *step, GVariant *arguments, GVariant *options,
                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (path != NULL && step != NULL);
  _flowbus_client_emit (self, self, 0, path, step, arguments, options, FALSE, cancellable, callback, user_data);
}

/**
 * flowbus_client_emit_finish:
 * @self: a client
 * @result: the result
 * @serial: (out) (optional): the serial of the navigation; 0 if there was none
 * @error: where to store an error
 *
 * Ends the call of flowbus_client_emit_async().
 *
 * Returns: what became of the step; %FLOWBUS_VERDICT_FAILED if @error is set
 */
FlowbusVerdict
flowbus_client_emit_finish (FlowbusClient *self, GAsyncResult *result, guint64 *serial, GError **error)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), FLOWBUS_VERDICT_FAILED);
  g_return_val_if_fail (g_task_is_valid (result, self), FLOWBUS_VERDICT_FAILED);
  return _flowbus_emission_finish (self, result, serial, error);
}

/**
 * flowbus_client_ask_async:
 * @self: a client
 * @path: the object path of a flow or a screen, in the tree or of an instance
 * @step: the name of a step
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @options: (nullable): options of EmitStepWithOptions, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when there is an answer
 * @user_data: for the callback
 *
 * Emits a step, and waits for the result of the screen or flow that it brings. The ask ends with the connection of this client;
 * one that has to outlive the process is made by [method@Flowbus.Screen.ask_async].
 */
void
flowbus_client_ask_async (FlowbusClient *self, const char *path, const char *step, GVariant *arguments, GVariant *options,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (path != NULL && step != NULL);
  _flowbus_client_emit (self, self, 0, path, step, arguments, options, TRUE, cancellable, callback, user_data);
}

/**
 * flowbus_client_ask_finish:
 * @self: a client
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_client_ask_async().
 *
 * Returns: (transfer full): the answer
 */
FlowbusAnswer *
flowbus_client_ask_finish (FlowbusClient *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * flowbus_client_back_async:
 * @self: a client
 * @path: the object path of a flow or a screen
 * @options: (nullable): options of BackWithOptions, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when it is decided
 * @user_data: for the callback
 *
 * Goes back: at the innermost flow that can, or from a screen upwards. It has a token, and so goes back once, even if it is
 * repeated.
 */
void
flowbus_client_back_async (FlowbusClient *self, const char *path, GVariant *options, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (path != NULL);
  _flowbus_client_back (self, self, path, options, flowbus_client_get_interactive (self), cancellable, callback, user_data);
}

/**
 * flowbus_client_back_finish:
 * @self: a client
 * @result: the result
 * @serial: (out) (optional): the serial of the navigation; 0 if there was none
 * @error: where to store an error
 *
 * Ends the call of flowbus_client_back_async().
 *
 * Returns: what became of it; %FLOWBUS_VERDICT_FAILED if @error is set
 */
FlowbusVerdict
flowbus_client_back_finish (FlowbusClient *self, GAsyncResult *result, guint64 *serial, GError **error)
{
  return flowbus_client_emit_finish (self, result, serial, error);
}

static void
replied (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  GVariant *reply = _flowbus_client_call_finish (result, &error);

  if (reply)
    g_task_return_pointer (task, reply, (GDestroyNotify) g_variant_unref);
  else
    g_task_return_error (task, error);
}

/* A task for a call at a path; %NULL if it has failed, as that is none. */
static GTask *
begin_at (FlowbusClient *self, const char *path, gpointer tag, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task;

  _flowbus_client_enter (self);
  task = g_task_new (self, cancellable, callback, data);
  _flowbus_client_leave (self);
  g_task_set_source_tag (task, tag);
  if (g_variant_is_object_path (path))
    return task;
  g_task_return_new_error (task, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                           "'%s' is no object path; that of a flow or screen is, for example, '" FLOWBUS_TREE_PATH "/shop'", path);
  g_object_unref (task);
  return NULL;
}

/**
 * flowbus_client_cancel_step_async:
 * @self: a client
 * @path: the object path of the flow or screen on which the step was emitted, in the tree or of an instance
 * @token: the option "token" of the call that emitted it
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when there is an answer
 * @user_data: for the callback
 *
 * Takes back a step that still waits: its verdict was %FLOWBUS_VERDICT_DEFERRED, and it was not taken yet. A call with its token brings
 * it no more.
 *
 * That of an ask of a screen can be taken back, too, with the path of the screen; the ask is answered with the outcome "nothing".
 */
void
flowbus_client_cancel_step_async (FlowbusClient *self, const char *path, const char *token, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (path != NULL && token != NULL);
  task = begin_at (self, path, flowbus_client_cancel_step_async, cancellable, callback, user_data);
  if (task)
    _flowbus_client_call (self, path, FLOWBUS_STEPPER, "CancelStep", g_variant_new ("(s)", token), "()", G_DBUS_CALL_FLAGS_NONE, 0,
                          cancellable, replied, task);
}

/**
 * flowbus_client_cancel_step_finish:
 * @self: a client
 * @result: the result
 * @error: where to store an error: %FLOWBUS_ERROR_INVALID_ARGUMENTS if no step of this client waits there by the token
 *
 * Ends the call of flowbus_client_cancel_step_async().
 *
 * Returns: whether the step is not taken
 */
gboolean
flowbus_client_cancel_step_finish (FlowbusClient *self, GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) reply = NULL;

  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  g_return_val_if_fail (g_async_result_is_tagged (result, flowbus_client_cancel_step_async), FALSE);
  reply = g_task_propagate_pointer (G_TASK (result), error);
  return reply != NULL;
}

/**
 * flowbus_client_peek_back_async:
 * @self: a client
 * @path: the object path of a flow or a screen
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when there is an answer
 * @user_data: for the callback
 *
 * Asks what Back would do now, so that a shell can show it: an arrow that is grey where Back leads nowhere, or what a swipe
 * uncovers. Ask again after each navigation (see [signal@Flowbus.Tree::navigated]).
 */
void
flowbus_client_peek_back_async (FlowbusClient *self, const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  GTask *task;

  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (path != NULL);
  task = begin_at (self, path, flowbus_client_peek_back_async, cancellable, callback, user_data);
  if (task)
    _flowbus_client_call (self, path, FLOWBUS_STEPPER, "PeekBack", NULL, "(sa{sv})", G_DBUS_CALL_FLAGS_NONE, 0, cancellable, replied,
                          task);
}

/**
 * flowbus_client_peek_back_finish:
 * @self: a client
 * @result: the result
 * @details: (out) (optional) (transfer full): `goes`, the instance that would go, and `reveals`, the path of what it would uncover;
 *   or `step`, of the type `a{sv}`
 * @error: where to store an error
 *
 * Ends the call of flowbus_client_peek_back_async(). With `goes` as an option, flowbus_client_back_async() dismisses nothing else.
 *
 * Returns: (transfer full): `dismiss`, `step`, `hidden` or `unhandled`
 */
char *
flowbus_client_peek_back_finish (FlowbusClient *self, GAsyncResult *result, GVariant **details, GError **error)
{
  g_autoptr (GVariant) reply = NULL;
  char *kind = NULL;

  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  g_return_val_if_fail (g_async_result_is_tagged (result, flowbus_client_peek_back_async), NULL);
  if (details)
    *details = NULL;
  reply = g_task_propagate_pointer (G_TASK (result), error);
  if (reply) {
    g_variant_get_child (reply, 0, "s", &kind);
    if (details)
      *details = g_variant_get_child_value (reply, 1);
  }
  return kind;
}

/* A call whose arguments are those of a step, converted first. */
typedef struct {
  char *definition; /* (nullable): of Coordinate */
  char *step;
  GVariant *arguments;
  GVariant *options;
} Link;

static void
link_free (gpointer data)
{
  Link *link = data;

  g_free (link->definition);
  g_free (link->step);
  g_clear_pointer (&link->arguments, g_variant_unref);
  g_clear_pointer (&link->options, g_variant_unref);
  g_free (link);
}

static void
called (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, &error);

  if (reply)
    g_task_return_pointer (task, g_variant_get_child_value (reply, 0), (GDestroyNotify) g_variant_unref);
  else
    g_task_return_error (task, error);
}

static void
got_steps (GVariant *steps, gpointer data)
{
  g_autoptr (GTask) task = data;
  Link *link = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (GVariant) arguments = _flowbus_steps_convert (steps, link->step, link->arguments, &error);

  if (!arguments)
    g_task_return_error (task, error);
  else if (link->definition)
    _flowbus_client_call (g_task_get_source_object (task), FLOWBUS_ROOT, FLOWBUS_COORDINATOR, "Coordinate",
                          g_variant_new ("(ss@a{sv}@a{sv})", link->definition, link->step, arguments, link->options), "(o)",
                          G_DBUS_CALL_FLAGS_NONE, 0, g_task_get_cancellable (task), called, g_object_ref (task));
  else
    _flowbus_client_call (g_task_get_source_object (task), FLOWBUS_ROOT, FLOWBUS_COORDINATOR, "Navigate",
                          g_variant_new ("(s@a{sv}@a{sv})", link->step, arguments, link->options), "(a(otsss))",
                          G_DBUS_CALL_FLAGS_NONE, FLOWBUS_ONCE, g_task_get_cancellable (task), called, g_object_ref (task));
}

static void
follow (FlowbusClient *self, gpointer tag, const char *definition, const char *step, GVariant *arguments, GVariant *options,
        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task;
  Link *link = g_new0 (Link, 1);
  GError *error = NULL;

  _flowbus_client_enter (self);
  task = g_task_new (self, cancellable, callback, data);
  _flowbus_client_leave (self);
  g_task_set_source_tag (task, tag);
  g_task_set_task_data (task, link, link_free);
  link->definition = g_strdup (definition);
  link->step = g_strdup (step ? step : "");
  link->arguments = _flowbus_dictionary (arguments, "the arguments of a step", &error);
  link->options = error ? NULL : _flowbus_dictionary (options, "the options", &error);
  if (error) {
    g_task_return_error (task, error);
    g_object_unref (task);
    return;
  }
  /* The second of two equal calls finds the root of the first one. */
  if (definition && !g_variant_lookup (link->options, "token", "s", NULL)) {
    GVariantDict dict;
    g_autofree char *token = g_uuid_string_random ();

    g_variant_dict_init (&dict, link->options);
    g_variant_dict_insert (&dict, "token", "s", token);
    g_variant_unref (link->options);
    link->options = g_variant_ref_sink (g_variant_dict_end (&dict));
  }
  _flowbus_steps_read (_flowbus_client_get_steps (self), got_steps, task);
}

/**
 * flowbus_client_navigate_async:
 * @self: a client
 * @step: the name of a step
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @options: (nullable): options of Navigate, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when all flows have decided
 * @user_data: for the callback
 *
 * Follows a deep link: emits the step on every live flow.
 *
 * This call has no token: if flowbusd goes away before it has answered, it fails with %FLOWBUS_ERROR_UNAVAILABLE, and the flows
 * may have taken the step.
 */
void
flowbus_client_navigate_async (FlowbusClient *self, const char *step, GVariant *arguments, GVariant *options,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (step != NULL);
  follow (self, flowbus_client_navigate_async, NULL, step, arguments, options, cancellable, callback, user_data);
}

/**
 * flowbus_client_navigate_finish:
 * @self: a client
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_client_navigate_async().
 *
 * Returns: (transfer full): for each flow its path, the serial, the verdict, and the name and message of the error, of the type
 *   `a(otsss)`
 */
GVariant *
flowbus_client_navigate_finish (FlowbusClient *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  g_return_val_if_fail (g_async_result_is_tagged (result, flowbus_client_navigate_async), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * flowbus_client_coordinate_async:
 * @self: a client
 * @definition: the name of a flow's definition
 * @step: (nullable): the initial step; %NULL for that of the definition
 * @arguments: (nullable): its arguments, of the type `a{sv}`
 * @options: (nullable): options of Coordinate, of the type `a{sv}`
 * @cancellable: (nullable): a cancellable
 * @callback: (nullable) (scope async): what to call when the flow is started
 * @user_data: for the callback
 *
 * Starts a flow as a new root. It has a token, and so starts one, even if it is repeated.
 */
void
flowbus_client_coordinate_async (FlowbusClient *self, const char *definition, const char *step, GVariant *arguments,
                                 GVariant *options, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (FLOWBUS_IS_CLIENT (self));
  g_return_if_fail (definition != NULL);
  follow (self, flowbus_client_coordinate_async, definition, step, arguments, options, cancellable, callback, user_data);
}

/**
 * flowbus_client_coordinate_finish:
 * @self: a client
 * @result: the result
 * @error: where to store an error
 *
 * Ends the call of flowbus_client_coordinate_async().
 *
 * Returns: (transfer full): the path of the root
 */
char *
flowbus_client_coordinate_finish (FlowbusClient *self, GAsyncResult *result, GError **error)
{
  g_autoptr (GVariant) path = NULL;

  g_return_val_if_fail (FLOWBUS_IS_CLIENT (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  g_return_val_if_fail (g_async_result_is_tagged (result, flowbus_client_coordinate_async), NULL);
  path = g_task_propagate_pointer (G_TASK (result), error);
  return path ? g_variant_dup_string (path, NULL) : NULL;
}
