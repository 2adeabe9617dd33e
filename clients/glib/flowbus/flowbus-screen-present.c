/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

#define MAX_TITLE 256 /* bytes, as flowbusd has it */

int
_flowbus_screen_compare (FlowbusScreen *a, FlowbusScreen *b)
{
  return a->instance < b->instance ? -1 : a->instance > b->instance;
}

static void
notify (FlowbusScreen *self, const char *property)
{
  g_object_notify (G_OBJECT (self), property);
}

static gboolean
is_handled (FlowbusScreen *self, const char *signal)
{
  return g_signal_has_handler_pending (self, g_signal_lookup (signal, FLOWBUS_TYPE_SCREEN), 0, TRUE);
}

static void
take_detail (FlowbusScreen *self, char **field, const char *name, const char *property)
{
  const char *value = NULL;

  g_variant_lookup (self->details, name, g_str_equal (name, "flow") || g_str_equal (name, "root") ? "&o" : "&s", &value);
  if (g_strcmp0 (*field, value) == 0)
    return;
  g_free (*field);
  *field = g_strdup (value);
  notify (self, property);
}

gboolean
_flowbus_screen_is_title (const char *title)
{
  return strlen (title) <= MAX_TITLE;
}

/* What was said with an answer that was lost with the service goes with this one. */
static void
note_lost (FlowbusScreen *self)
{
  gboolean is_visible = FALSE;
  const char *title = "";

  g_variant_lookup (self->details, "visible", "b", &is_visible);
  g_variant_lookup (self->details, "title", "&s", &title);
  if (self->is_visible_set && !self->visible_calls && self->visible != is_visible)
    self->visible_due = TRUE;
  if (self->is_title_set && !self->titles_sent && !g_str_equal (self->title, title) && _flowbus_screen_is_title (self->title))
    self->title_due = TRUE;
}

void
_flowbus_screen_take_present (FlowbusScreen *self, GVariant *arguments, GVariant *details, GDBusMethodInvocation *invocation)
{
  g_autoptr (GVariant) styles = g_variant_lookup_value (details, "styles", G_VARIANT_TYPE_STRING_ARRAY);
  g_autoptr (GVariant) context = g_variant_lookup_value (details, "context", G_VARIANT_TYPE_VARDICT);
  guint64 serial = 0;

  /* A Present that is repeated while the first one is held: both get the one answer. */
  g_ptr_array_add (self->invocations, invocation);
  self->is_in_handlers = TRUE;

  g_object_freeze_notify (G_OBJECT (self));
  if (!self->arguments || !g_variant_equal (self->arguments, arguments)) {
    g_clear_pointer (&self->arguments, g_variant_unref);
    self->arguments = g_variant_ref (arguments);
    /* From now on a text of the arguments stays where it is: flowbus_screen_get_string(). */
    g_variant_get_data (self->arguments);
    notify (self, "arguments");
  }
  g_clear_pointer (&self->details, g_variant_unref);
  self->details = g_variant_ref (details);
  notify (self, "details");
  take_detail (self, &self->flow, "flow", "flow");
  take_detail (self, &self->root, "root", "root");
  take_detail (self, &self->style, "style", "style");
  take_detail (self, &self->reason, "reason", "reason");
  take_detail (self, &self->output, "output", "output");
  take_detail (self, &self->direction, "direction", "direction");
  take_detail (self, &self->activation_token, "activation-token", "activation-token");
  if (!self->is_title_set)
    take_detail (self, &self->title, "title", "title"); /* of an earlier owner */
  g_strfreev (self->styles);
  self->styles = styles ? g_variant_dup_strv (styles, NULL) : g_new0 (char *, 1);
  notify (self, "styles");
  g_clear_pointer (&self->state, g_variant_unref);
  self->state = g_variant_lookup_value (details, "state", G_VARIANT_TYPE_VARDICT);
  notify (self, "state");
  _flowbus_screen_take_context (self, context);
  if (g_variant_lookup (details, "serial", "t", &serial) && serial != self->serial) {
    self->serial = serial;
    notify (self, "serial");
  }
  _flowbus_screen_take_sight (self, TRUE);
  note_lost (self);
  g_object_thaw_notify (G_OBJECT (self));
}

/* The back step is not in it: flowbusd may refuse that, and would take nothing of the report then. */
static GVariant *
make_report (FlowbusScreen *self)
{
  GVariantDict report;

  g_variant_dict_init (&report, NULL);
  if (self->visible_due)
    g_variant_dict_insert (&report, "visible", "b", self->visible);
  if (self->title_due)
    g_variant_dict_insert (&report, "title", "s", self->title);
  if (_flowbus_screen_follows_sight (self))
    g_variant_dict_insert (&report, "tellSight", "b", TRUE);
  self->visible_due = self->title_due = FALSE;
  return g_variant_ref_sink (g_variant_new ("(@a{sv})", g_variant_dict_end (&report)));
}

static void
answer_present (FlowbusScreen *self, const char *error, const char *message)
{
  g_autoptr (GPtrArray) invocations = g_steal_pointer (&self->invocations);
  g_autoptr (GVariant) report = error ? NULL : make_report (self);

  self->invocations = g_ptr_array_new ();
  for (guint i = 0; i < invocations->len; i++) {
    GDBusMethodInvocation *invocation = g_ptr_array_index (invocations, i);

    if (error)
      g_dbus_method_invocation_return_dbus_error (invocation, error, message);
    else
      g_dbus_method_invocation_return_value (invocation, report);
  }
}

void
_flowbus_screen_withdraw (FlowbusScreen *self, const char *reason)
{
  static const char *const lost[] = { "replaced", "evicted", "ownerHangs", "released", "gone", "closed", NULL };
  g_autoptr (FlowbusPresenter) presenter = NULL;

  if (self->is_withdrawn)
    return;
  g_object_ref (self);
  self->is_withdrawn = TRUE;
  self->is_held = FALSE;
  answer_present (self, FLOWBUS_PRESENT_FAILED, "the screen has been withdrawn");
  _flowbus_screen_send_waiting (self);
  _flowbus_screen_unfollow (self);
  _flowbus_client_remove_screen (self->client, self, self->instance);
  if (g_strv_contains (lost, reason))
    _flowbus_emissions_screen_lost (_flowbus_client_get_emissions (self->client), self, self->path);
  notify (self, "live");
  g_signal_emit_by_name (self, "withdrawn", reason);
  presenter = g_weak_ref_get (&self->presenter);
  if (presenter)
    self->gone (presenter, self, reason);
  g_object_unref (self);
}

static void
synced (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (FlowbusScreen) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, &error);
  g_autoptr (GVariant) values = NULL;
  GDBusConnection *connection = flowbus_client_get_connection (self->client);
  const char *owner;
  gboolean in_sight, visible;

  if (self->is_withdrawn)
    return;
  if (!reply) {
    if (g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT))
      _flowbus_screen_withdraw (self, "gone");
    return;
  }
  values = g_variant_get_child_value (reply, 0);
  if (g_variant_lookup (values, "Owner", "&s", &owner) && *owner &&
      g_strcmp0 (owner, g_dbus_connection_get_unique_name (connection)) != 0 && !self->invocations->len) {
    _flowbus_screen_withdraw (self, "replaced");
    return;
  }
  if (g_variant_lookup (values, "InSight", "b", &in_sight))
    _flowbus_screen_take_sight (self, in_sight);
  /* What was set before the service knew this owner, or was lost with it. */
  if (self->is_visible_set && !self->visible_due && !self->visible_calls &&
      g_variant_lookup (values, "Visible", "b", &visible) && visible != self->visible)
    _flowbus_screen_send_visible (self);
}

/* The service was restarted. The answer has the changes of all signals before it, and those of later ones are newer. */
static void
catch_up (FlowbusScreen *self)
{
  if (self->is_withdrawn)
    return;
  _flowbus_client_call (self->client, self->object, DBUS_PROPERTIES, "GetAll", g_variant_new ("(s)", FLOWBUS_PRESENTABLE),
                        "(a{sv})", G_DBUS_CALL_FLAGS_NO_AUTO_START, 0, NULL, synced, g_object_ref (self));
}

static void
take_answer (FlowbusScreen *self, const char *token, const char *outcome, GVariant *result)
{
  g_autoptr (FlowbusAnswer) answer = _flowbus_answer_new (self, _flowbus_screen_acknowledge, token, outcome, result);

  if (_flowbus_emissions_answered (_flowbus_client_get_emissions (self->client), answer)) {
    g_hash_table_add (self->answered, g_strdup (token));
    return;
  }
  /* It may come more than once. */
  if (g_hash_table_contains (self->answered, token) || !is_handled (self, "answered"))
    return;
  g_hash_table_add (self->answered, g_strdup (token));
  g_signal_emit_by_name (self, "answered", answer);
}

/* The answers that came with Present, once the program is the owner and can take them. */
static void
take_answers (FlowbusScreen *self)
{
  g_autoptr (GVariant) answers = g_variant_lookup_value (self->details, "answers", G_VARIANT_TYPE ("a(ssa{sv})"));
  GVariantIter iter;
  const char *token, *outcome;
  GVariant *result;

  if (!answers)
    return;
  g_variant_iter_init (&iter, answers);
  while (g_variant_iter_loop (&iter, "(&s&s@a{sv})", &token, &outcome, &result))
    take_answer (self, token, outcome, result);
}

static void
accept (FlowbusScreen *self)
{
  answer_present (self, NULL, NULL);
  self->is_owner = TRUE;
  self->accepts++;
  self->accepted_by = _flowbus_client_get_appearances (self->client);
  _flowbus_screen_send_waiting (self);
  take_answers (self);
}

void
_flowbus_screen_answer (FlowbusScreen *self)
{
  if (!self->invocations->len || self->is_in_handlers || self->is_held || self->awaits_picture || self->is_withdrawn)
    return;
  g_object_ref (self);
  accept (self);
  g_object_unref (self);
}

void
_flowbus_screen_end_present (FlowbusScreen *self, gboolean is_known)
{
  g_object_ref (self);
  if (is_known && g_strcmp0 (self->reason, "return") == 0)
    g_signal_emit_by_name (self, "returned");
  else if (is_known)
    g_signal_emit_by_name (self, "updated");
  self->is_in_handlers = FALSE;
  _flowbus_screen_answer (self);
  g_object_unref (self);
}

static gboolean
answer (FlowbusScreen *self, const char *path, const char *token, const char *outcome, GVariant *result)
{
  if (!g_str_equal (path, self->path) && !g_str_equal (path, self->object))
    return FALSE;
  take_answer (self, token, outcome, result);
  return TRUE;
}

static const FlowbusScreenFuncs funcs = { catch_up, _flowbus_screen_withdraw, answer };

FlowbusScreen *
_flowbus_screen_new (FlowbusPresenter *presenter, FlowbusScreenGone gone, FlowbusClient *client, const char *path,
                     const char *name, guint64 instance)
{
  FlowbusScreen *self = g_object_new (FLOWBUS_TYPE_SCREEN, NULL);

  g_weak_ref_set (&self->presenter, presenter);
  self->gone = gone;
  self->client = g_object_ref (client);
  self->path = g_strdup (path);
  self->name = g_strdup (name);
  self->instance = instance;
  self->object = g_strdup_printf (FLOWBUS_INSTANCES "%" G_GUINT64_FORMAT, instance);
  _flowbus_client_add_screen (client, self, instance, &funcs);
  _flowbus_screen_follow (self);
  return self;
}

/**
 * flowbus_screen_hold:
 * @self: a screen that is being presented
 *
 * Puts the answer off beyond the handlers of [signal@Flowbus.Presenter::present], [signal@Flowbus.Screen::updated] or
 * [signal@Flowbus.Screen::returned], until flowbus_screen_accept(), flowbus_screen_fail() or flowbus_screen_refuse(). The service
 * waits for 60 seconds, unless the definition gives another time. What flowbus_screen_set_visible() says meanwhile is told at once.
 */
void
flowbus_screen_hold (FlowbusScreen *self)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  g_return_if_fail (self->invocations->len > 0);
  _flowbus_screen_be_visible (self);
  self->is_held = TRUE;
}

/**
 * flowbus_screen_is_held:
 * @self: a screen
 *
 * Tells whether the answer is put off by flowbus_screen_hold().
 *
 * Returns: whether the answer is put off
 */
gboolean
flowbus_screen_is_held (FlowbusScreen *self)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), FALSE);
  return self->is_held;
}

/**
 * flowbus_screen_accept:
 * @self: a screen for which flowbus_screen_hold() was called
 *
 * Says that this program shows the screen, and becomes its owner.
 */
void
flowbus_screen_accept (FlowbusScreen *self)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn)
    return;
  g_return_if_fail (self->invocations->len > 0);
  self->is_held = FALSE;
  _flowbus_screen_answer (self);
}

static void
end_in_vain (FlowbusScreen *self, const char *error, const char *message)
{
  if (self->is_withdrawn)
    return;
  g_return_if_fail (self->invocations->len > 0);
  answer_present (self, error, message);
  _flowbus_screen_withdraw (self, "failed");
}

/**
 * flowbus_screen_fail:
 * @self: a screen that is being presented
 * @message: why, for people
 *
 * Says that this program can't show the screen now, in a handler of [signal@Flowbus.Presenter::present] or after
 * flowbus_screen_hold(): for instance because what it needs is not there yet. Here, the screen is withdrawn with the reason
 * "failed". The service keeps it, and presents it again after a pause, as a new screen for this program. It dismisses the screen when
 * its patience is over; then its flow learns of it (`onDismissed`, with the reason `presentFailed`).
 *
 * If the program will never show the screen, it calls flowbus_screen_refuse(). To give up a screen that is shown already, call
 * flowbus_screen_dismiss_with_error_async().
 */
void
flowbus_screen_fail (FlowbusScreen *self, const char *message)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  g_return_if_fail (message != NULL);
  end_in_vain (self, FLOWBUS_PRESENT_FAILED, message);
}

/**
 * flowbus_screen_refuse:
 * @self: a screen that is being presented
 * @message: why, for people
 *
 * Says that this program will never show the screen, where flowbus_screen_fail() says that it can't now: for instance because there
 * is nothing that its arguments name. The service dismisses it at once, and its flow learns of it (`onDismissed`, with the reason
 * `presentFailed`).
 */
void
flowbus_screen_refuse (FlowbusScreen *self, const char *message)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  g_return_if_fail (message != NULL);
  end_in_vain (self, FLOWBUS_PRESENT_REFUSED, message);
}
