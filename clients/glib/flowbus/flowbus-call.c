/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-calls-private.h"

/* A service that ends each time it gets a certain call is not started for ever by it. */
#define MOST_ATTEMPTS 8
/* flowbusd answers within 15 seconds, or says that a step is pending. */
#define ANSWER_TIME 60000

struct _FlowbusCalls {
  FlowbusClient *client; /* not owned: it owns this */
  GQueue waiting;        /* of GTask: for the connection, or for the service */
  GHashTable *settings;  /* path and method → Setting, while calls of it are not answered */
};

/* Calls that set a value. They go out at once, and where one is repeated, a later one may have been carried out already: the older
 * value must not come after the newer one. */
typedef struct {
  char *key;
  GPtrArray *open;   /* of GTask: the calls that have not ended */
  GPtrArray *behind; /* those of them that are repeated only if no newer one is carried out */
  guint64 newest;    /* the number of the latest call */
  guint64 set;       /* that of the latest call that was carried out */
} Setting;

typedef struct {
  char *path;
  char *interface;
  char *method;
  GVariant *parameters;
  GVariantType *reply_type;
  GDBusCallFlags flags;
  gint64 deadline;
  gint64 repeat_deadline; /* once the service may have taken it */
  guint attempts;
  gboolean is_sent; /* the service or the bus will answer */
  gboolean is_once; /* not repeated where the service may have taken it */
  Setting *setting; /* (nullable) */
  guint64 number;   /* among the calls of the setting */
  GSource *timer;
  GSource *cancelled;
} Call;

static void
call_unwait (Call *call)
{
  if (call->timer) {
    g_source_destroy (call->timer);
    g_clear_pointer (&call->timer, g_source_unref);
  }
  if (call->cancelled) {
    g_source_destroy (call->cancelled);
    g_clear_pointer (&call->cancelled, g_source_unref);
  }
}

static void
call_free (gpointer data)
{
  Call *call = data;

  call_unwait (call);
  g_free (call->path);
  g_free (call->interface);
  g_free (call->method);
  g_variant_unref (call->parameters);
  g_variant_type_free (call->reply_type);
  g_free (call);
}

static void
setting_free (gpointer data)
{
  Setting *setting = data;

  g_ptr_array_unref (setting->open);
  g_ptr_array_unref (setting->behind);
  g_free (setting->key);
  g_free (setting);
}

static void
take_setting (FlowbusCalls *self, GTask *task)
{
  Call *call = g_task_get_task_data (task);
  static const char *const methods[] = { "SetVisible", "SetTitle", "SetBackStep", "SaveState", NULL };
  g_autofree char *key = NULL;

  if (!g_str_equal (call->interface, FLOWBUS_PRESENTABLE) || !g_strv_contains (methods, call->method))
    return;
  key = g_strconcat (call->path, " ", call->method, NULL);
  call->setting = g_hash_table_lookup (self->settings, key);
  if (!call->setting) {
    call->setting = g_new0 (Setting, 1);
    call->setting->key = g_steal_pointer (&key);
    call->setting->open = g_ptr_array_new ();
    call->setting->behind = g_ptr_array_new ();
    g_hash_table_insert (self->settings, call->setting->key, call->setting);
  }
  g_ptr_array_add (call->setting->open, task);
  call->number = ++call->setting->newest;
}

FlowbusCalls *
_flowbus_calls_new (FlowbusClient *client)
{
  FlowbusCalls *self = g_new0 (FlowbusCalls, 1);

  self->client = client;
  g_queue_init (&self->waiting);
  self->settings = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, setting_free);
  return self;
}

void
_flowbus_calls_free (FlowbusCalls *self)
{
  /* Each call has a reference to the client, so none is left. */
  g_assert (g_queue_is_empty (&self->waiting));
  g_hash_table_unref (self->settings);
  g_free (self);
}

static void repeat (GTask *task);

/* A call of the setting has been answered: those that it may have made needless are looked at again. */
static void
repeat_behind (Setting *setting)
{
  g_autoptr (GPtrArray) behind = g_steal_pointer (&setting->behind);

  setting->behind = g_ptr_array_new ();
  for (guint i = 0; i < behind->len; i++)
    repeat (g_ptr_array_index (behind, i));
}

static void
leave_setting (FlowbusCalls *self, GTask *task, gboolean is_done)
{
  Call *call = g_task_get_task_data (task);
  Setting *setting = call->setting;

  if (!setting)
    return;
  if (is_done)
    setting->set = MAX (setting->set, call->number);
  repeat_behind (setting);
  call->setting = NULL;
  g_ptr_array_remove (setting->open, task);
  if (!setting->open->len)
    g_hash_table_remove (self->settings, setting->key);
}

/* The callback of the task is run while the client still counts the call: what it calls in turn is counted before. */
static void
end (GTask *task, GVariant *value, GError *error)
{
  FlowbusClient *client = g_object_ref (g_task_get_source_object (task));
  Call *call = g_task_get_task_data (task);

  call_unwait (call);
  leave_setting (_flowbus_client_get_calls (client), task, error == NULL);
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, value, (GDestroyNotify) g_variant_unref);
  g_object_unref (task);
  _flowbus_client_end_work (client);
  _flowbus_client_check_idle (client);
  g_object_unref (client);
}

static void send (GTask *task);

static void
remove_waiting (GTask *task)
{
  FlowbusClient *client = g_task_get_source_object (task);

  g_queue_remove (&_flowbus_client_get_calls (client)->waiting, task);
}

static gboolean
time_over (gpointer data)
{
  GTask *task = data;
  Call *call = g_task_get_task_data (task);

  remove_waiting (task);
  end (task, NULL,
       g_error_new (FLOWBUS_ERROR, FLOWBUS_ERROR_UNAVAILABLE,
                    "flowbusd did not take the call of '%s' in time: nobody owns the bus name '" FLOWBUS_NAME "'", call->method));
  return G_SOURCE_REMOVE;
}

static gboolean
was_cancelled (GCancellable *cancellable, gpointer data)
{
  GTask *task = data;

  remove_waiting (task);
  end (task, NULL, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "the call was cancelled"));
  return G_SOURCE_REMOVE;
}

static void
wait (GTask *task)
{
  FlowbusClient *client = g_task_get_source_object (task);
  Call *call = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);
  gint64 left = MAX (call->deadline - g_get_monotonic_time (), 0) / 1000;

  /* The connection is there soon, or never. */
  if (flowbus_client_get_connection (client)) {
    call->timer = g_timeout_source_new (left);
    g_source_set_callback (call->timer, time_over, task, NULL);
    g_source_attach (call->timer, _flowbus_client_get_context (client));
  }
  if (cancellable) {
    call->cancelled = g_cancellable_source_new (cancellable);
    g_source_set_callback (call->cancelled, G_SOURCE_FUNC (was_cancelled), task, NULL);
    g_source_attach (call->cancelled, _flowbus_client_get_context (client));
  }
  g_queue_push_tail (&_flowbus_client_get_calls (client)->waiting, task);
}

static gboolean
is_absence (const GError *error)
{
  static const GDBusError codes[] = { G_DBUS_ERROR_SERVICE_UNKNOWN,      G_DBUS_ERROR_NAME_HAS_NO_OWNER,
                                      G_DBUS_ERROR_SPAWN_CHILD_EXITED,   G_DBUS_ERROR_SPAWN_CHILD_SIGNALED,
                                      G_DBUS_ERROR_SPAWN_EXEC_FAILED,    G_DBUS_ERROR_SPAWN_FAILED,
                                      G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_error_matches (error, G_DBUS_ERROR, codes[i]))
      return TRUE;
  return FALSE;
}

static gboolean
is_newer_sent (const Setting *setting, guint64 number)
{
  for (guint i = 0; i < setting->open->len; i++) {
    const Call *other = g_task_get_task_data (g_ptr_array_index (setting->open, i));

    if (other->is_sent && other->number > number)
      return TRUE;
  }
  return FALSE;
}

/* Sends a call again, unless a newer one of its setting has been, or may yet be, carried out. */
static void
repeat (GTask *task)
{
  Call *call = g_task_get_task_data (task);

  if (call->setting && call->setting->set > call->number)
    end (task, g_variant_ref_sink (g_variant_new ("()")), NULL);
  else if (call->setting && is_newer_sent (call->setting, call->number))
    g_ptr_array_add (call->setting->behind, task);
  else
    send (task);
}

static void
called (GObject *source, GAsyncResult *result, gpointer data)
{
  GTask *task = data;
  Call *call = g_task_get_task_data (task);
  FlowbusClient *client = g_task_get_source_object (task);
  g_autoptr (GError) error = NULL;
  GVariant *reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  gboolean in_time;

  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY))
    call->deadline = call->repeat_deadline;
  in_time = g_get_monotonic_time () < call->deadline && call->attempts < MOST_ATTEMPTS;
  call->is_sent = FALSE;
  if (reply) {
    end (task, reply, NULL);
  } else if (g_dbus_error_is_remote_error (error) && in_time &&
             ((g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) && !call->is_once) ||
              (is_absence (error) && flowbus_client_get_available (client)))) {
    /* It went away with the call; the next one starts it, or another one is there already. */
    if (call->setting)
      repeat_behind (call->setting);
    repeat (task);
  } else if (g_dbus_error_is_remote_error (error) && in_time && is_absence (error)) {
    wait (task);
    if (call->setting)
      repeat_behind (call->setting);
  } else {
    end (task, NULL, _flowbus_error_take (g_steal_pointer (&error)));
  }
}

static void
send (GTask *task)
{
  FlowbusClient *client = g_task_get_source_object (task);
  Call *call = g_task_get_task_data (task);
  const GError *closed = _flowbus_client_get_closed (client);
  GDBusConnection *connection = flowbus_client_get_connection (client);

  if (closed) {
    end (task, NULL, g_error_copy (closed));
    return;
  }
  if (!connection) {
    wait (task);
    return;
  }
  call->attempts++;
  call->is_sent = TRUE;
  _flowbus_client_enter (client);
  g_dbus_connection_call (connection, FLOWBUS_NAME, call->path, call->interface, call->method, call->parameters,
                          call->reply_type, call->flags, ANSWER_TIME, g_task_get_cancellable (task), called, task);
  _flowbus_client_leave (client);
}

void
_flowbus_calls_flush (FlowbusCalls *self)
{
  GQueue waiting = self->waiting;
  GTask *task;

  g_queue_init (&self->waiting);
  while ((task = g_queue_pop_head (&waiting))) {
    call_unwait (g_task_get_task_data (task));
    repeat (task);
  }
}

void
_flowbus_client_call (FlowbusClient *self, const char *path, const char *interface, const char *method, GVariant *parameters,
                      const char *reply_type, GDBusCallFlags flags, gint64 begun, GCancellable *cancellable,
                      GAsyncReadyCallback callback, gpointer data)
{
  GTask *task;
  Call *call = g_new0 (Call, 1);
  guint retry_time;

  g_object_get (self, "retry-time", &retry_time, NULL);
  call->path = g_strdup (path);
  call->interface = g_strdup (interface);
  call->method = g_strdup (method);
  call->parameters = g_variant_ref_sink (parameters ? parameters : g_variant_new ("()"));
  call->reply_type = g_variant_type_new (reply_type);
  call->flags = flags;
  call->is_once = begun == FLOWBUS_ONCE;
  call->deadline = (begun > 0 ? begun : g_get_monotonic_time ()) + retry_time * G_GINT64_CONSTANT (1000);
  call->repeat_deadline = begun > 0 ? begun + FLOWBUS_REPEAT_TIME (retry_time) : call->deadline;

  _flowbus_client_enter (self);
  task = g_task_new (self, cancellable, callback, data);
  _flowbus_client_leave (self);
  g_task_set_source_tag (task, _flowbus_client_call);
  g_task_set_task_data (task, call, call_free);
  _flowbus_client_begin_work (self);
  take_setting (_flowbus_client_get_calls (self), task);
  send (task);
}

GVariant *
_flowbus_client_call_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
