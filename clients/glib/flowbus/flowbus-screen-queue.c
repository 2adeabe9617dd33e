/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

typedef struct {
  FlowbusScreen *screen;
  const char *method;
  GVariant *parameters;
  GCancellable *cancellable;
  FlowbusCallDone done;
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
call_failed (FlowbusScreen *self, const char *method, const GError *error)
{
  /* It is gone, or was taken away: what tells that is on its way. */
  if (self->is_withdrawn || g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT))
    return;
  if (!g_signal_has_handler_pending (self, g_signal_lookup ("call-failed", FLOWBUS_TYPE_SCREEN), 0, TRUE))
    g_message ("%s of the screen '%s': %s", method, self->path, error->message);
  g_signal_emit_by_name (self, "call-failed", method, error);
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

      call_failed (self, "AcknowledgeAnswer", not_saved);
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

void
_flowbus_screen_begin_call (FlowbusScreen *self, const char *method, GVariant *parameters, GCancellable *cancellable,
                            FlowbusCallDone done, gpointer data)
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
    call_failed (self, method, error);
  g_clear_error (&error);
}

void
_flowbus_screen_call (FlowbusScreen *self, const char *method, GVariant *parameters)
{
  _flowbus_screen_begin_call (self, method, parameters, NULL, plain_done, NULL);
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

void
_flowbus_screen_send_visible (FlowbusScreen *self)
{
  self->visible_due = FALSE;
  self->visible_calls++;
  _flowbus_screen_call (self, "SetVisible", g_variant_new ("(b)", self->visible));
}

void
_flowbus_screen_send_title (FlowbusScreen *self)
{
  self->title_due = FALSE;
  self->titles_sent++;
  _flowbus_screen_call (self, "SetTitle", g_variant_new ("(s)", self->title));
}

void
_flowbus_screen_be_visible (FlowbusScreen *self)
{
  if (self->visible_due && self->visible)
    _flowbus_screen_send_visible (self);
}
