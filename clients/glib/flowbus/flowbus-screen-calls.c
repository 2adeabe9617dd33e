/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

/* Touch within a second of another one has no effect. */
#define TOUCH_TIME G_USEC_PER_SEC

/* Takes the error. */
typedef void (*Done) (FlowbusScreen *self, const char *method, GError *error, gpointer data);

typedef struct {
  FlowbusScreen *screen;
  const char *method;
  GVariant *parameters;
  GCancellable *cancellable;
  Done done;
  gpointer data;
  guint save;    /* which SaveState it is; 0 if it is none */
  guint accepts; /* how many calls of Present had been answered when it was sent */
} Call;

static void send (Call *call);

static void
call_free (Call *call)
{
  g_object_unref (call->screen);
  g_clear_pointer (&call->parameters, g_variant_unref);
  g_clear_object (&call->cancellable);
  g_free (call);
}

static void
acknowledge (FlowbusScreen *self, const char *token)
{
  if (!self->is_withdrawn)
    _flowbus_screen_call (self, "AcknowledgeAnswer", g_variant_new ("(s)", token));
}

/* An answer that is not acknowledged comes again, to the next process: better twice than not at all. */
static void
end_save (FlowbusScreen *self, guint save, const GError *error)
{
  g_autoptr (GPtrArray) tokens = NULL;

  self->saves--;
  if (save > self->latest_save) {
    self->latest_save = save;
    self->save_failed = error != NULL;
  }
  if (self->saves || !self->acknowledging->len)
    return;
  tokens = g_steal_pointer (&self->acknowledging);
  self->acknowledging = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < tokens->len; i++) {
    if (self->save_failed) {
      g_autoptr (GError) not_saved = g_error_new (FLOWBUS_ERROR, FLOWBUS_ERROR_FAILED,
                                                  "the answer '%s' is not acknowledged, as the state was not saved%s%s",
                                                  (const char *) g_ptr_array_index (tokens, i), error ? ": " : "",
                                                  error ? error->message : "");

      _flowbus_screen_call_failed (self, "AcknowledgeAnswer", not_saved);
    } else {
      acknowledge (self, g_ptr_array_index (tokens, i));
    }
  }
}

static void
sent (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  FlowbusScreen *self = call->screen;
  GError *error = NULL;
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, &error);

  /* The answer to Present was lost with the service, which calls it once more: then this program is the owner. */
  if (g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_NOT_OWNER) && !self->is_withdrawn &&
      (call->accepts != self->accepts || self->accepted_by != _flowbus_client_get_appearances (self->client))) {
    g_error_free (error);
    if (call->accepts != self->accepts)
      send (call);
    else
      g_queue_push_tail (&self->waiting, call);
    return;
  }
  if (call->save)
    end_save (self, call->save, error);
  call->done (self, call->method, error, call->data);
  call_free (call);
}

/* The presenter may call these before it answers Present: one that holds the answer and waits for its own Dismiss never answers. */
static gboolean
is_of_presenter (const char *method)
{
  static const char *const methods[] = { "SetVisible", "Dismiss", "DismissWithOptions", NULL };

  return g_strv_contains (methods, method);
}

static void
transmit (Call *call)
{
  FlowbusScreen *self = call->screen;

  call->accepts = self->accepts;
  if (!self->is_owner && !self->is_withdrawn && !is_of_presenter (call->method))
    g_queue_push_tail (&self->waiting, call);
  else
    _flowbus_client_call (self->client, self->object, FLOWBUS_PRESENTABLE, call->method, call->parameters, "()",
                          G_DBUS_CALL_FLAGS_NONE, 0, call->cancellable, sent, call);
}

static void
steps_read (GVariant *steps, gpointer data)
{
  transmit (data);
}

/* A screen that is hidden takes no steps, and one that is gone takes none either: the steps that were emitted before come first. */
static gboolean
is_after_steps (const char *method)
{
  static const char *const methods[] = { "SetVisible", "Dismiss", "DismissWithOptions", "Finish", "Release", NULL };

  return g_strv_contains (methods, method);
}

static void
send (Call *call)
{
  FlowbusSteps *steps = _flowbus_client_get_steps (call->screen->client);

  if (is_after_steps (call->method) && _flowbus_steps_are_awaited (steps))
    _flowbus_steps_read (steps, steps_read, call);
  else
    transmit (call);
}

void
_flowbus_screen_send_waiting (FlowbusScreen *self)
{
  GQueue waiting = self->waiting;
  Call *call;

  g_queue_init (&self->waiting);
  while ((call = g_queue_pop_head (&waiting)))
    send (call);
}

/* @method is a literal. */
static void
begin (FlowbusScreen *self, const char *method, GVariant *parameters, GCancellable *cancellable, Done done, gpointer data)
{
  Call *call = g_new0 (Call, 1);

  *call = (Call) { g_object_ref (self), method, parameters ? g_variant_ref_sink (parameters) : NULL, NULL, done, data };
  g_set_object (&call->cancellable, cancellable);
  if (g_str_equal (method, "SaveState")) {
    self->saves++;
    call->save = ++self->saves_begun;
  }
  send (call);
}

static void
plain_done (FlowbusScreen *self, const char *method, GError *error, gpointer data)
{
  if (g_str_equal (method, "SetVisible"))
    self->visible_calls--;
  else if (g_str_equal (method, "SetTitle"))
    self->titles_sent--;
  /* Where others may not emit, their input does not count, and each second of it is no failure. */
  if (error && !(g_str_equal (method, "Touch") && g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_ACCESS_DENIED)))
    _flowbus_screen_call_failed (self, method, error);
  g_clear_error (&error);
}

/* A call without a callback. */
void
_flowbus_screen_call (FlowbusScreen *self, const char *method, GVariant *parameters)
{
  begin (self, method, parameters, NULL, plain_done, NULL);
}

void
_flowbus_screen_acknowledge (FlowbusScreen *self, const char *token)
{
  if (self->is_withdrawn)
    return;
  _flowbus_screen_save_now (self);
  if (self->saves)
    g_ptr_array_add (self->acknowledging, g_strdup (token));
  else
    acknowledge (self, token);
}

/**
 * flowbus_screen_set_visible: (set-property visible)
 * @self: a screen
 * @visible: whether there is something to see
 *
 * Says that this program shows the screen, or hides it for a while. Only a visible screen takes steps. It is said again where the
 * service did not learn of it. In a flow with tabs, %TRUE also selects this screen. While [property@Flowbus.Screen:ready] is %FALSE, %TRUE
 * waits until that changes.
 */
void
flowbus_screen_set_visible (FlowbusScreen *self, gboolean visible)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn)
    return;
  self->awaits_ready = visible && !self->ready && !self->visible;
  if (self->awaits_ready)
    return;
  self->is_visible_set = TRUE;
  self->visible_calls++;
  g_object_ref (self);
  _flowbus_screen_call (self, "SetVisible", g_variant_new ("(b)", !!visible));
  _flowbus_screen_set_visible (self, !!visible);
  g_object_unref (self);
}

/**
 * flowbus_screen_set_ready: (set-property ready)
 * @self: a screen
 * @ready: whether what is to be seen is there
 *
 * Sets [property@Flowbus.Screen:ready]: with %FALSE, the screen is not visible yet, with %TRUE as soon as its window is.
 */
void
flowbus_screen_set_ready (FlowbusScreen *self, gboolean ready)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->ready == !!ready)
    return;
  g_object_ref (self);
  self->ready = !!ready;
  if (self->ready && self->awaits_ready)
    flowbus_screen_set_visible (self, TRUE);
  g_object_notify (G_OBJECT (self), "ready");
  g_object_unref (self);
}

/**
 * flowbus_screen_set_title: (set-property title)
 * @self: a screen
 * @title: (nullable): the title, of at most 256 bytes; %NULL for none
 *
 * Names the screen, for task switchers.
 */
void
flowbus_screen_set_title (FlowbusScreen *self, const char *title)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn || g_strcmp0 (title ? title : "", self->title ? self->title : "") == 0)
    return;
  self->titles_sent++;
  g_object_ref (self);
  _flowbus_screen_call (self, "SetTitle", g_variant_new ("(s)", title ? title : ""));
  _flowbus_screen_set_title (self, title ? title : "");
  g_object_unref (self);
}

/**
 * flowbus_screen_set_back_step: (set-property back-step)
 * @self: a screen
 * @step: (nullable): the name of a step that needs no arguments; %NULL for none
 *
 * Sets the step that Back takes on this screen in place of its dismissal, for instance one that asks whether to discard changes.
 */
void
flowbus_screen_set_back_step (FlowbusScreen *self, const char *step)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn || g_strcmp0 (step && *step ? step : NULL, self->back_step) == 0)
    return;
  g_object_ref (self);
  _flowbus_screen_call (self, "SetBackStep", g_variant_new ("(s)", step ? step : ""));
  _flowbus_screen_set_back_step (self, step);
  g_object_unref (self);
}

/**
 * flowbus_screen_touch:
 * @self: a screen
 *
 * Reports input that is no step, such as scrolling, so that the flow is not idle. It can be called for each input event: at most
 * one call a second goes out. Where this program may not emit steps, it has no effect.
 */
void
flowbus_screen_touch (FlowbusScreen *self)
{
  gint64 now = g_get_monotonic_time ();

  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn || (self->touched && now - self->touched < TOUCH_TIME))
    return;
  self->touched = now;
  _flowbus_screen_call (self, "Touch", NULL);
}

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
  begin (self, method, parameters, cancellable, called, task);
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
