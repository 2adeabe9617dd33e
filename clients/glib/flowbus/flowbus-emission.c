/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-calls-private.h"

struct _FlowbusEmissions {
  FlowbusClient *client; /* not owned: it owns this */
  GHashTable *by_token;  /* of Emission, owned by their tasks */
};

/* A step or an ask under way. It lives as long as its task: until there is an outcome, and no call of it is under way. */
typedef struct {
  FlowbusClient *client;
  char *path;
  char *step;
  GVariant *arguments;
  GVariant *options;
  char *token;
  gboolean is_ask;
  gboolean is_back;
  gboolean waits; /* for the outcome of a pending step */
  GDBusCallFlags flags;
  gint64 first;
  gboolean is_calling;
  gboolean is_pending; /* the service said so, or it has to be asked again */
  gboolean is_done;
  guint64 serial;
  FlowbusVerdict verdict;
  GSource *cancelled;
} Emission;

static void
emission_free (gpointer data)
{
  Emission *emission = data;

  if (emission->cancelled) {
    g_source_destroy (emission->cancelled);
    g_source_unref (emission->cancelled);
  }
  g_object_unref (emission->client);
  g_free (emission->path);
  g_free (emission->step);
  g_clear_pointer (&emission->arguments, g_variant_unref);
  g_clear_pointer (&emission->options, g_variant_unref);
  g_free (emission->token);
  g_free (emission);
}

FlowbusEmissions *
_flowbus_emissions_new (FlowbusClient *client)
{
  FlowbusEmissions *self = g_new0 (FlowbusEmissions, 1);

  self->client = client;
  self->by_token = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
  return self;
}

void
_flowbus_emissions_free (FlowbusEmissions *self)
{
  g_hash_table_unref (self->by_token);
  g_free (self);
}

static Emission *
emission_of (GTask *task)
{
  return g_task_get_task_data (task);
}

/* Takes it from those under way. Returns whether it was one: each has one outcome. */
static gboolean
finish (GTask *task)
{
  Emission *emission = emission_of (task);
  FlowbusEmissions *self = _flowbus_client_get_emissions (emission->client);

  if (emission->is_done)
    return FALSE;
  emission->is_done = TRUE;
  if (emission->cancelled) {
    g_source_destroy (emission->cancelled);
    g_clear_pointer (&emission->cancelled, g_source_unref);
  }
  if (g_hash_table_steal (self->by_token, emission->token))
    _flowbus_client_end_work (emission->client);
  return TRUE;
}

/* What finish() has taken from those under way had a reference to the task. */
static void
release (GTask *task)
{
  FlowbusClient *client = g_object_ref (emission_of (task)->client);

  g_object_unref (task);
  _flowbus_client_check_idle (client);
  g_object_unref (client);
}

static void
end_with_error (GTask *task, GError *error)
{
  if (finish (task)) {
    g_task_return_error (task, error);
    release (task);
  } else {
    g_error_free (error);
  }
}

static void
end_with_verdict (GTask *task, FlowbusVerdict verdict, guint64 serial)
{
  Emission *emission = emission_of (task);

  if (!finish (task))
    return;
  emission->verdict = verdict;
  emission->serial = serial;
  if (emission->is_ask)
    g_task_return_pointer (task,
                           _flowbus_answer_new (NULL, NULL, emission->token, flowbus_verdict_to_string (verdict), NULL),
                           g_object_unref);
  else
    g_task_return_boolean (task, TRUE);
  release (task);
}

static gboolean
is_too_old (Emission *emission)
{
  guint retry_time;

  g_object_get (emission->client, "retry-time", &retry_time, NULL);
  return g_get_monotonic_time () - emission->first >= FLOWBUS_REPEAT_TIME (retry_time);
}

static void call (GTask *task);

static void
called (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  Emission *emission = emission_of (task);
  GError *error = NULL;
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, &error);
  const char *word;
  guint64 serial;
  FlowbusVerdict verdict;

  emission->is_calling = FALSE;
  /* The service had taken it, and went away: what becomes of it can't be learned any more. */
  if (!reply && emission->is_pending && g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNAVAILABLE)) {
    g_error_free (error);
    end_with_verdict (task, FLOWBUS_VERDICT_PENDING, 0);
    return;
  }
  if (!reply) {
    end_with_error (task, error);
    return;
  }
  g_variant_get (reply, "(t&s)", &serial, &word);
  verdict = _flowbus_verdict_from_string (word);
  emission->is_pending = verdict == FLOWBUS_VERDICT_PENDING;
  if (emission->is_ask && (verdict == FLOWBUS_VERDICT_NAVIGATED || verdict == FLOWBUS_VERDICT_DEFERRED ||
                           verdict == FLOWBUS_VERDICT_PENDING))
    return; /* Answered follows, also if the screen that asks has been dismissed meanwhile. */
  if (verdict == FLOWBUS_VERDICT_PENDING && emission->waits)
    return; /* StepConcluded follows. */
  end_with_verdict (task, verdict, serial);
}

static void
call (GTask *task)
{
  Emission *emission = emission_of (task);
  GVariant *parameters = emission->is_back
                           ? g_variant_new ("(@a{sv})", emission->options)
                           : g_variant_new ("(s@a{sv}@a{sv})", emission->step, emission->arguments, emission->options);

  emission->is_calling = TRUE;
  _flowbus_client_call (emission->client, emission->path, FLOWBUS_STEPPER,
                        emission->is_back ? "BackWithOptions" : "EmitStepWithOptions", parameters, "(ts)", emission->flags, emission->first,
                        g_task_get_cancellable (task), called, g_object_ref (task));
}

void
_flowbus_emissions_appeared (FlowbusEmissions *self)
{
  g_autoptr (GList) tasks = g_hash_table_get_values (self->by_token);

  g_list_foreach (tasks, (GFunc) g_object_ref, NULL);
  for (GList *link = tasks; link; link = link->next) {
    Emission *emission = emission_of (link->data);

    /* Its StepConcluded may have been lost on its way. An answer is signalled again by the service itself. */
    if (!emission->is_done && !emission->is_calling && emission->is_pending && !emission->is_ask) {
      if (is_too_old (emission))
        end_with_verdict (link->data, FLOWBUS_VERDICT_PENDING, 0);
      else
        call (link->data);
    }
    g_object_unref (link->data);
  }
}

void
_flowbus_emissions_vanished (FlowbusEmissions *self)
{
  g_autoptr (GList) tasks = g_hash_table_get_values (self->by_token);

  g_list_foreach (tasks, (GFunc) g_object_ref, NULL);
  for (GList *link = tasks; link; link = link->next) {
    Emission *emission = emission_of (link->data);

    if (!emission->is_done && !emission->is_calling && emission->is_pending && !emission->is_ask && is_too_old (emission))
      end_with_verdict (link->data, FLOWBUS_VERDICT_PENDING, 0);
    g_object_unref (link->data);
  }
}

void
_flowbus_emissions_closed (FlowbusEmissions *self)
{
  g_autoptr (GList) tasks = g_hash_table_get_values (self->by_token);

  g_list_foreach (tasks, (GFunc) g_object_ref, NULL);
  for (GList *link = tasks; link; link = link->next) {
    end_with_error (link->data, g_error_copy (_flowbus_client_get_closed (self->client)));
    g_object_unref (link->data);
  }
}

void
_flowbus_emissions_screen_lost (FlowbusEmissions *self, gpointer screen, const char *path)
{
  g_autoptr (GList) tasks = g_hash_table_get_values (self->by_token);

  g_list_foreach (tasks, (GFunc) g_object_ref, NULL);
  for (GList *link = tasks; link; link = link->next) {
    if (emission_of (link->data)->is_ask && g_task_get_source_object (link->data) == screen)
      end_with_error (link->data, g_error_new (FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT,
                                               "the screen '%s', which asked, was taken from this process", path));
    g_object_unref (link->data);
  }
}

gboolean
_flowbus_emissions_concluded (FlowbusEmissions *self, const char *token, FlowbusVerdict verdict, guint64 serial,
                              const GError *error)
{
  GTask *task = g_hash_table_lookup (self->by_token, token);
  const Emission *emission = task ? emission_of (task) : NULL;

  /* An ask waits for Answered, whose outcome is "nothing" if the step failed. */
  if (!task || emission->is_ask)
    return task != NULL;
  g_object_ref (task);
  if (error)
    end_with_error (task, g_error_copy (error));
  else
    end_with_verdict (task, verdict, serial);
  g_object_unref (task);
  return TRUE;
}

gboolean
_flowbus_emissions_answered (FlowbusEmissions *self, FlowbusAnswer *answer)
{
  GTask *task = g_hash_table_lookup (self->by_token, flowbus_answer_get_token (answer));

  if (!task || !emission_of (task)->is_ask)
    return FALSE;
  g_object_ref (task);
  if (finish (task)) {
    g_task_return_pointer (task, g_object_ref (answer), g_object_unref);
    release (task);
  }
  g_object_unref (task);
  return TRUE;
}

static gboolean
was_cancelled (GCancellable *cancellable, gpointer data)
{
  GTask *task = data;
  g_autoptr (GTask) kept = g_object_ref (task);

  end_with_error (kept, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "the call was cancelled"));
  return G_SOURCE_REMOVE;
}

static void
got_steps (GVariant *steps, gpointer data)
{
  g_autoptr (GTask) task = data;
  Emission *emission = emission_of (task);
  GError *error = NULL;
  GVariant *converted;

  if (emission->is_done)
    return;
  converted = _flowbus_steps_convert (steps, emission->step, emission->arguments, &error);
  if (!converted) {
    end_with_error (task, error);
    return;
  }
  g_variant_unref (emission->arguments);
  emission->arguments = converted;
  call (task);
}

/* Back comes after the steps that were emitted before it. */
static void
back_due (GVariant *steps, gpointer data)
{
  g_autoptr (GTask) task = data;

  if (!emission_of (task)->is_done)
    call (task);
}

static gboolean
take_options (Emission *emission, GVariant *given, guint64 instance, GError **error)
{
  g_autoptr (GVariant) options = _flowbus_dictionary (given, "the options", error);
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  gboolean wait;

  if (!options)
    return FALSE;
  g_variant_dict_clear (&dict);
  g_variant_dict_init (&dict, options);
  if (!g_variant_dict_lookup (&dict, "token", "s", &emission->token)) {
    if (g_variant_dict_contains (&dict, "token")) {
      g_set_error_literal (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS, "the option 'token' has to be a string");
      return FALSE;
    }
    emission->token = g_uuid_string_random ();
    g_variant_dict_insert (&dict, "token", "s", emission->token);
  }
  emission->waits = emission->is_back || !(g_variant_dict_lookup (&dict, "wait", "b", &wait) && !wait);
  /* The end of a pending step is told by a signal. So this program is never taken for one that can't answer as a guard because it
   * waits for a call. */
  if (!emission->is_back)
    g_variant_dict_insert (&dict, "wait", "b", FALSE);
  if (emission->is_ask)
    g_variant_dict_insert (&dict, "ask", "b", TRUE);
  if (instance && !emission->is_back && !g_variant_dict_contains (&dict, "instance"))
    g_variant_dict_insert (&dict, "instance", "t", instance);
  emission->options = g_variant_ref_sink (g_variant_dict_end (&dict));
  return TRUE;
}

static GTask *
begin (FlowbusClient *self, gpointer source, guint64 instance, const char *path, GVariant *options, gboolean ask,
       gboolean back, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  FlowbusEmissions *emissions = _flowbus_client_get_emissions (self);
  g_autoptr (GVariant) given = options ? g_variant_ref_sink (options) : NULL;
  GError *error = NULL;
  Emission *emission = g_new0 (Emission, 1);
  GTask *task;

  _flowbus_client_enter (self);
  task = g_task_new (source, cancellable, callback, data);
  _flowbus_client_leave (self);
  g_task_set_source_tag (task, _flowbus_client_emit);
  g_task_set_task_data (task, emission, emission_free);
  emission->client = g_object_ref (self);
  emission->path = g_strdup (path);
  emission->is_ask = ask;
  emission->is_back = back;
  emission->first = g_get_monotonic_time ();

  if (!g_variant_is_object_path (path))
    error = g_error_new (FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                         "'%s' is no object path; that of a flow or screen is, for example, '" FLOWBUS_TREE_PATH "/shop'", path);
  if (error || !take_options (emission, given, instance, &error)) {
    g_task_return_error (task, error);
    g_object_unref (task);
    return NULL;
  }
  if (g_hash_table_contains (emissions->by_token, emission->token)) {
    g_task_return_new_error (task, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                             "a call with the token '%s' is under way already", emission->token);
    g_object_unref (task);
    return NULL;
  }
  g_hash_table_insert (emissions->by_token, emission->token, task);
  _flowbus_client_begin_work (self);
  if (cancellable) {
    emission->cancelled = g_cancellable_source_new (cancellable);
    g_source_set_callback (emission->cancelled, G_SOURCE_FUNC (was_cancelled), task, NULL);
    g_source_attach (emission->cancelled, _flowbus_client_get_context (self));
  }
  return task;
}

void
_flowbus_client_emit (FlowbusClient *self, gpointer source, guint64 instance, const char *path, const char *step,
                      GVariant *arguments, GVariant *options, gboolean ask, GCancellable *cancellable,
                      GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GVariant) given = arguments ? g_variant_ref_sink (arguments) : NULL;
  GTask *task = begin (self, source, instance, path, options, ask, FALSE, cancellable, callback, data);
  GError *error = NULL;
  Emission *emission;

  if (!task)
    return;
  emission = emission_of (task);
  emission->step = g_strdup (step);
  emission->flags = instance || flowbus_client_get_interactive (self) ? G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION
                                                                      : G_DBUS_CALL_FLAGS_NONE;
  emission->arguments = _flowbus_dictionary (given, "the arguments of a step", &error);
  if (emission->arguments)
    _flowbus_steps_read (_flowbus_client_get_steps (self), got_steps, g_object_ref (task));
  else
    end_with_error (task, error);
}

void
_flowbus_client_back (FlowbusClient *self, gpointer source, const char *path, GVariant *options, gboolean interactive,
                      GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = begin (self, source, 0, path, options, FALSE, TRUE, cancellable, callback, data);
  FlowbusSteps *steps = _flowbus_client_get_steps (self);

  if (!task)
    return;
  emission_of (task)->flags =
    interactive ? G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION : G_DBUS_CALL_FLAGS_NONE;
  if (_flowbus_steps_are_awaited (steps))
    _flowbus_steps_read (steps, back_due, g_object_ref (task));
  else
    call (task);
}

FlowbusVerdict
_flowbus_emission_finish (gpointer source, GAsyncResult *result, guint64 *serial, GError **error)
{
  Emission *emission = g_task_get_task_data (G_TASK (result));

  if (serial)
    *serial = 0;
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FLOWBUS_VERDICT_FAILED;
  if (serial)
    *serial = emission->serial;
  return emission->verdict;
}
