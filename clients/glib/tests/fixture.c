/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <glib/gstdio.h>
#include <string.h>

gboolean
fixture_too_late (gpointer what)
{
  g_error ("too late: %s", (const char *) what);
}

static void
write_definitions (Fixture *self, const char *definitions)
{
  g_autofree char *flows = g_build_filename (self->folder, "flows", NULL);
  g_autofree char *file = g_build_filename (flows, "test.toml", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_mkdir_with_parents (flows, 0700));
  g_file_set_contents (file, definitions, -1, &error);
  g_assert_no_error (error);
}

static void
start_bus (Fixture *self)
{
  g_autofree char *config = g_build_filename (self->folder, "bus.conf", NULL);
  g_autofree char *text =
    g_strdup_printf ("<busconfig><type>session</type><listen>unix:dir=%s</listen>"
                     "<policy context='default'><allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/>"
                     "<allow own='*'/><deny own='com.denied.Name'/></policy></busconfig>",
                     self->folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDataInputStream) lines = NULL;

  g_file_set_contents (config, text, -1, &error);
  g_assert_no_error (error);
  self->bus = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error, "dbus-daemon",
                                "--nofork", "--print-address=1", "--config-file", config, NULL);
  g_assert_no_error (error);
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->bus));
  self->address = g_data_input_stream_read_line (lines, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (self->address);
}

Fixture *
fixture_new (const char *definitions)
{
  Fixture *self = g_new0 (Fixture, 1);
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("flowbus-XXXXXX", &error);
  g_assert_no_error (error);
  write_definitions (self, definitions);
  start_bus (self);
  self->other = g_dbus_connection_new_for_address_sync (
    self->address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL,
    &error);
  g_assert_no_error (error);
  self->client = flowbus_client_new_for_address (self->address);
  return self;
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_folder (child);
  }
  g_remove (path);
}

void
fixture_free (Fixture *self)
{
  g_autoptr (GDBusConnection) connection = flowbus_client_get_connection (self->client);
  GWeakRef weak;

  if (connection)
    g_object_ref (connection);
  /* Calls under way hold the client; with the connection, all of them end. */
  g_weak_ref_init (&weak, self->client);
  if (connection)
    g_dbus_connection_close_sync (connection, NULL, NULL);
  g_clear_object (&self->client);
  wait_until (({
    g_autoptr (GObject) kept = g_weak_ref_get (&weak);
    kept == NULL;
  }));
  g_weak_ref_clear (&weak);
  fixture_kill (self);
  g_dbus_connection_close_sync (self->other, NULL, NULL);
  g_clear_object (&self->other);
  g_subprocess_force_exit (self->bus);
  g_subprocess_wait (self->bus, NULL, NULL);
  g_clear_object (&self->bus);
  remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->address);
  g_free (self);
}

static void
name_appeared (GDBusConnection *connection, const char *name, const char *owner, gpointer data)
{
  *(gboolean *) data = TRUE;
}

static GSubprocess *
spawn_service (Fixture *self, const char *option)
{
  g_autofree char *flows = g_build_filename (self->folder, "flows", NULL);
  g_autofree char *run = g_build_filename (self->folder, "run", NULL);
  g_autofree char *state = g_build_filename (self->folder, "state", NULL);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GError) error = NULL;
  GSubprocess *service;
  const char *program = g_getenv ("FLOWBUSD");

  if (!program)
    g_error ("FLOWBUSD has to be the path of flowbusd");
  g_assert_no_errno (g_mkdir_with_parents (run, 0700));
  g_assert_no_errno (g_mkdir_with_parents (state, 0700));
  if (!g_test_verbose ())
    g_subprocess_launcher_set_flags (launcher, G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_subprocess_launcher_unsetenv (launcher, "G_DEBUG");
  g_subprocess_launcher_unsetenv (launcher, "LD_PRELOAD");
  service = g_subprocess_launcher_spawn (launcher, &error, program, "--address", self->address, "--flows", flows, "--runtime",
                                         run, "--state", state, option, NULL);
  g_assert_no_error (error);
  return service;
}

void
fixture_start (Fixture *self)
{
  gboolean served = FALSE;
  guint watch;

  g_assert_null (self->service);
  self->service = spawn_service (self, NULL);
  watch = g_bus_watch_name_on_connection (self->other, SERVICE, G_BUS_NAME_WATCHER_FLAGS_NONE, name_appeared, NULL, &served,
                                          NULL);
  wait_until (served);
  g_bus_unwatch_name (watch);
}

void
fixture_kill (Fixture *self)
{
  if (!self->service)
    return;
  g_subprocess_force_exit (self->service);
  g_subprocess_wait (self->service, NULL, NULL);
  g_clear_object (&self->service);
}

void
fixture_replace (Fixture *self)
{
  g_autoptr (GSubprocess) before = g_steal_pointer (&self->service);

  g_autoptr (GAsyncResult) ended = NULL;

  self->service = spawn_service (self, "--replace");
  g_subprocess_wait_async (before, NULL, keep_result, &ended);
  wait_until (ended);
}

void
fixture_reload (Fixture *self, const char *definitions)
{
  g_autoptr (GVariant) reply = NULL;

  write_definitions (self, definitions);
  reply = fixture_call (self, SERVICE, "/org/flowbus/Navigation1", SERVICE ".Coordinator", "Reload", NULL);
  g_assert_true (g_variant_is_of_type (reply, G_VARIANT_TYPE ("(as)")));
}

FlowbusPresenter *
fixture_present (Fixture *self, GCallback present, gpointer data)
{
  FlowbusPresenter *presenter = flowbus_presenter_new_for_client (self->client, NAME);

  g_signal_connect (presenter, "present", present, data);
  wait_until (flowbus_presenter_get_name_owned (presenter));
  fixture_start (self);
  return presenter;
}

void
keep_result (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **kept = user_data;

  g_assert_null (*kept);
  *kept = g_object_ref (result);
}

GVariant *
fixture_call (Fixture *self, const char *name, const char *path, const char *interface, const char *method,
              GVariant *parameters)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *remote = NULL;
  GVariant *reply;

  g_dbus_connection_call (self->other, name, path, interface, method, parameters, NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL,
                          keep_result, &result);
  wait_until (result);
  reply = g_dbus_connection_call_finish (self->other, result, &error);
  if (reply)
    return reply;
  remote = g_dbus_error_get_remote_error (error);
  g_dbus_error_strip_remote_error (error);
  return g_variant_ref_sink (g_variant_new_take_string (g_strdup_printf ("%s: %s", remote, error->message)));
}

GVariant *
fixture_get (Fixture *self, const char *path, const char *interface, const char *property)
{
  g_autoptr (GVariant) reply = fixture_call (self, SERVICE, path, "org.freedesktop.DBus.Properties", "Get",
                                             g_variant_new ("(ss)", interface, property));
  GVariant *value = NULL;

  if (g_variant_is_of_type (reply, G_VARIANT_TYPE ("(v)")))
    g_variant_get (reply, "(v)", &value);
  return value;
}

gboolean
fixture_get_boolean (Fixture *self, const char *path, const char *property)
{
  g_autoptr (GVariant) value = fixture_get (self, path, SERVICE ".Presentable", property);

  return value && g_variant_get_boolean (value);
}

char *
fixture_get_string (Fixture *self, const char *path, const char *property)
{
  g_autoptr (GVariant) value = fixture_get (self, path, SERVICE ".Presentable", property);

  return value ? g_variant_dup_string (value, NULL) : NULL;
}

char *
fixture_emit (Fixture *self, const char *path, const char *step, const char *arguments)
{
  GVariant *values = g_variant_new_parsed (arguments ? arguments : "@a{sv} {}");
  g_autoptr (GVariant) reply =
    fixture_call (self, SERVICE, path, SERVICE ".Stepper", "EmitStep", g_variant_new ("(s@a{sv})", step, values));
  char *verdict = NULL;

  if (g_variant_is_of_type (reply, G_VARIANT_TYPE ("(ts)")))
    g_variant_get (reply, "(ts)", NULL, &verdict);
  else
    verdict = g_variant_dup_string (reply, NULL);
  return verdict;
}

void
fixture_settle (Fixture *self)
{
  GDBusConnection *connection = flowbus_client_get_connection (self->client);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GVariant) reply = NULL;

  /* The service has done what it was told before; what it has sent comes before the answer of its Ping. */
  g_dbus_connection_call (connection, SERVICE, "/org/flowbus/Navigation1", "org.freedesktop.DBus.Peer", "Ping", NULL, NULL,
                          G_DBUS_CALL_FLAGS_NO_AUTO_START, 60000, NULL, keep_result, &result);
  wait_until (result);
  reply = g_dbus_connection_call_finish (connection, result, NULL);
}

guint
fixture_children (Fixture *self, const char *flow)
{
  g_autoptr (GVariant) children = fixture_get (self, flow, SERVICE ".Flow", "Children");

  return children ? g_variant_n_children (children) : 0;
}

FlowbusVerdict
screen_emit (FlowbusScreen *screen, const char *step, GVariant *arguments, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  flowbus_screen_emit_async (screen, step, arguments, NULL, keep_result, &result);
  wait_until (result);
  return flowbus_screen_emit_finish (screen, result, NULL, error);
}

FlowbusVerdict
client_emit (FlowbusClient *client, const char *path, const char *step, GVariant *arguments, GVariant *options, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  flowbus_client_emit_async (client, path, step, arguments, options, NULL, keep_result, &result);
  wait_until (result);
  return flowbus_client_emit_finish (client, result, NULL, error);
}

static void
on_withdrawn (FlowbusScreen *screen, const char *reason, gpointer notes)
{
  g_string_append_printf (notes, "%s withdrawn(%s) ", flowbus_screen_get_name (screen), reason);
}

static void
on_updated (FlowbusScreen *screen, gpointer notes)
{
  g_string_append_printf (notes, "%s updated(%s) ", flowbus_screen_get_name (screen), flowbus_screen_get_reason (screen));
}

static void
on_returned (FlowbusScreen *screen, gpointer notes)
{
  g_string_append_printf (notes, "%s returned ", flowbus_screen_get_name (screen));
}

static void
on_call_failed (FlowbusScreen *screen, const char *method, GError *error, gpointer notes)
{
  g_string_append_printf (notes, "%s %s failed: %s ", flowbus_screen_get_name (screen), method, error->message);
}

void
note_signals (FlowbusScreen *screen, GString *notes)
{
  g_signal_connect (screen, "withdrawn", G_CALLBACK (on_withdrawn), notes);
  g_signal_connect (screen, "updated", G_CALLBACK (on_updated), notes);
  g_signal_connect (screen, "returned", G_CALLBACK (on_returned), notes);
  g_signal_connect (screen, "call-failed", G_CALLBACK (on_call_failed), notes);
}
