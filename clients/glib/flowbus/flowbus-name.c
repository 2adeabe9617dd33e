/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-parts-private.h"

/* A presenter and a guard of one program can have one bus name. It is requested when both are exported, and given back with the
 * last of them. */

struct _FlowbusNames {
  FlowbusClient *client; /* not owned: it owns this */
  GHashTable *names;     /* bus name → Name */
  GSource *requesting;
};

typedef struct {
  FlowbusNames *names;
  char *name;
  GBusNameOwnerFlags flags;
  GPtrArray *users;
  guint acquired, lost;
  gboolean is_requested; /* at the bus, or about to be */
  gboolean is_due;
  gboolean is_owned;
} Name;

typedef struct {
  gpointer user;
  FlowbusNameFunc func;
} User;

typedef struct {
  FlowbusClient *client;
  char *name;
  GObject *user;
  FlowbusNameDone done;
} Releasing;

static void
name_free (gpointer data)
{
  Name *name = data;
  GDBusConnection *connection = flowbus_client_get_connection (name->names->client);

  if (name->acquired)
    g_dbus_connection_signal_unsubscribe (connection, name->acquired);
  if (name->lost)
    g_dbus_connection_signal_unsubscribe (connection, name->lost);
  g_ptr_array_unref (name->users);
  g_free (name->name);
  g_free (name);
}

FlowbusNames *
_flowbus_names_new (FlowbusClient *client)
{
  FlowbusNames *self = g_new0 (FlowbusNames, 1);

  self->client = client;
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, name_free);
  return self;
}

void
_flowbus_names_free (FlowbusNames *self)
{
  if (self->requesting) {
    g_source_destroy (self->requesting);
    g_source_unref (self->requesting);
  }
  g_hash_table_unref (self->names);
  g_free (self);
}

char *
_flowbus_names_path (const char *name, const char *given)
{
  char *path;

  if (given)
    return g_strdup (given);
  path = g_strconcat ("/", name, NULL);
  g_strdelimit (path, ".", '/');
  return g_strdelimit (path, "-", '_');
}

static void
tell (Name *name, gboolean owned, const char *message)
{
  g_autoptr (FlowbusClient) client = g_object_ref (name->names->client);
  guint n = name->users->len;
  g_autofree User *users = g_new (User, n);

  name->is_owned = owned;
  /* What is called can add and remove some, and the name with them. */
  for (guint i = 0; i < n; i++) {
    users[i] = *(User *) g_ptr_array_index (name->users, i);
    g_object_ref (users[i].user);
  }
  for (guint i = 0; i < n; i++) {
    users[i].func (users[i].user, owned, message);
    g_object_unref (users[i].user);
  }
}

static void
name_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
             GVariant *parameters, gpointer data)
{
  Name *name = data;
  gboolean owned = g_str_equal (member, "NameAcquired");
  g_autofree char *message = NULL;

  if (owned == name->is_owned)
    return;
  if (!owned && name->is_requested)
    message = g_strdup_printf ("another program has taken the bus name '%s'", name->name);
  tell (name, owned, message);
}

static void
requested (GObject *source, GAsyncResult *result, gpointer data)
{
  Releasing *request = data;
  FlowbusNames *self = _flowbus_client_get_names (request->client);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  Name *name = g_hash_table_lookup (self->names, request->name);
  guint32 answer = 0;
  g_autofree char *message = NULL;

  if (reply)
    g_variant_get (reply, "(u)", &answer);
  else
    g_dbus_error_strip_remote_error (error);
  if (name && name->is_requested) {
    /* 1: owner, 2: in the queue, 3: another one has it, 4: owner already */
    if (answer == 1 || answer == 4) {
      if (!name->is_owned)
        tell (name, TRUE, NULL);
    } else if (!_flowbus_client_get_closed (request->client)) {
      message = reply ? g_strdup_printf ("another program has the bus name '%s'", name->name)
                      : g_strdup_printf ("the bus does not give the name '%s': %s", name->name, error->message);
      tell (name, FALSE, message);
    }
  }
  g_object_unref (request->client);
  g_free (request->name);
  g_free (request);
}

static void
request (Name *name)
{
  FlowbusClient *client = name->names->client;
  GDBusConnection *connection = flowbus_client_get_connection (client);
  Releasing *data;

  name->is_due = FALSE;
  if (!connection || _flowbus_client_get_closed (client))
    return;
  data = g_new0 (Releasing, 1);
  data->client = g_object_ref (client);
  data->name = g_strdup (name->name);
  _flowbus_client_enter (client);
  if (!name->acquired) {
    name->acquired = g_dbus_connection_signal_subscribe (connection, "org.freedesktop.DBus", "org.freedesktop.DBus",
                                                         "NameAcquired", "/org/freedesktop/DBus", name->name,
                                                         G_DBUS_SIGNAL_FLAGS_NONE, name_signal, name, NULL);
    name->lost = g_dbus_connection_signal_subscribe (connection, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameLost",
                                                     "/org/freedesktop/DBus", name->name, G_DBUS_SIGNAL_FLAGS_NONE, name_signal,
                                                     name, NULL);
  }
  g_dbus_connection_call (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                          g_variant_new ("(su)", name->name, name->flags), G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, requested, data);
  _flowbus_client_leave (client);
}

static gboolean
request_due (gpointer data)
{
  FlowbusNames *self = data;
  GHashTableIter iter;
  gpointer name;

  g_clear_pointer (&self->requesting, g_source_unref);
  g_hash_table_iter_init (&iter, self->names);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    if (((Name *) name)->is_due)
      request (name);
  return G_SOURCE_REMOVE;
}

/* Later: what else the program exports now comes first. */
static void
request_later (Name *name)
{
  FlowbusNames *self = name->names;

  name->is_requested = name->is_due = TRUE;
  if (self->requesting)
    return;
  self->requesting = g_idle_source_new ();
  g_source_set_priority (self->requesting, G_PRIORITY_DEFAULT);
  g_source_set_callback (self->requesting, request_due, self, NULL);
  g_source_attach (self->requesting, _flowbus_client_get_context (self->client));
}

void
_flowbus_names_own (FlowbusNames *self, const char *bus_name, GBusNameOwnerFlags flags, gpointer user, FlowbusNameFunc func)
{
  Name *name = g_hash_table_lookup (self->names, bus_name);
  User *added = g_new (User, 1);

  if (!name) {
    name = g_new0 (Name, 1);
    name->names = self;
    name->name = g_strdup (bus_name);
    name->users = g_ptr_array_new_with_free_func (g_free);
    g_hash_table_insert (self->names, name->name, name);
  }
  /* A guard has none, whether it comes before the presenter or after it. */
  name->flags |= flags;
  *added = (User) { user, func };
  g_ptr_array_add (name->users, added);
  request_later (name);
}

static void
call_release (FlowbusNames *self, const char *name, GAsyncReadyCallback callback, gpointer data)
{
  GDBusConnection *connection = flowbus_client_get_connection (self->client);

  _flowbus_client_enter (self->client);
  g_dbus_connection_call (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReleaseName",
                          g_variant_new ("(s)", name), G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, callback, data);
  _flowbus_client_leave (self->client);
}

void
_flowbus_names_disown (FlowbusNames *self, const char *bus_name, gpointer user)
{
  Name *name = g_hash_table_lookup (self->names, bus_name);

  if (!name)
    return;
  for (guint i = 0; i < name->users->len; i++)
    if (((User *) g_ptr_array_index (name->users, i))->user == user) {
      g_ptr_array_remove_index (name->users, i);
      break;
    }
  if (name->users->len)
    return;
  if (name->acquired && name->is_requested && !_flowbus_client_get_closed (self->client))
    call_release (self, bus_name, NULL, NULL);
  g_hash_table_remove (self->names, bus_name);
}

gboolean
_flowbus_names_is_shared (FlowbusNames *self, const char *bus_name, gpointer user)
{
  Name *name = g_hash_table_lookup (self->names, bus_name);

  for (guint i = 0; name && i < name->users->len; i++) {
    gpointer other = ((User *) g_ptr_array_index (name->users, i))->user;

    if (other != user && G_OBJECT_TYPE (other) == G_OBJECT_TYPE (user))
      return TRUE;
  }
  return FALSE;
}

static void
released (GObject *source, GAsyncResult *result, gpointer data)
{
  Releasing *releasing = data;
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);

  releasing->done (releasing->user);
  g_object_unref (releasing->user);
  g_object_unref (releasing->client);
  g_free (releasing->name);
  g_free (releasing);
}

void
_flowbus_names_release (FlowbusNames *self, const char *bus_name, gpointer user, FlowbusNameDone done)
{
  Name *name = g_hash_table_lookup (self->names, bus_name);
  Releasing *releasing = g_new0 (Releasing, 1);

  if (name)
    name->is_requested = name->is_due = FALSE;
  *releasing = (Releasing) { g_object_ref (self->client), g_strdup (bus_name), g_object_ref (user), done };
  call_release (self, bus_name, released, releasing);
}

void
_flowbus_names_request (FlowbusNames *self, const char *bus_name)
{
  Name *name = g_hash_table_lookup (self->names, bus_name);

  if (name && !name->is_requested) {
    name->is_requested = TRUE;
    request (name);
  }
}
