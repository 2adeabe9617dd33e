/* SPDX-License-Identifier: Apache-2.0 */

#include "support.h"

#include <gdk/x11/gdkx.h>

FlowbusScreen *latest;
char *root;

static GDBusConnection *
get_bus (void)
{
  return g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
}

gboolean
support_too_late (gpointer what)
{
  g_error ("after 20 s: %s", (const char *) what);
}

static void
on_called (GObject *object, GAsyncResult *result, gpointer user_data)
{
  GVariant **answer = user_data;
  g_autoptr (GError) error = NULL;

  *answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (object), result, &error);
  if (*answer == NULL)
    *answer = g_variant_ref_sink (g_variant_new_string (error->message));
}

GVariant *
support_call (const char *path, const char *interface, const char *member, GVariant *values)
{
  g_autoptr (GDBusConnection) bus = get_bus ();
  GVariant *answer = NULL;

  g_dbus_connection_call (bus, "org.flowbus.Navigation1", path, interface, member, values, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                          on_called, &answer);
  wait_until (answer);
  return answer;
}

void
support_emit (const char *step, gint64 number)
{
  GVariant *arguments = g_variant_new_parsed ("(%s, {'number': <%x>})", step, number);
  g_autoptr (GVariant) answer = support_call (root, "org.flowbus.Navigation1.Stepper", "EmitStep", arguments);
  const char *verdict;

  if (!g_variant_is_of_type (answer, G_VARIANT_TYPE ("(ts)")))
    g_error ("'%s' failed: %s", step, g_variant_get_string (answer, NULL));
  g_variant_get (answer, "(t&s)", NULL, &verdict);
  g_assert_cmpstr (verdict, ==, "navigated");
}

GVariant *
support_get (const char *path, const char *name)
{
  const char *interface = g_str_equal (name, "Children") ? "org.flowbus.Navigation1.Flow" : "org.flowbus.Navigation1.Presentable";
  g_autoptr (GVariant) answer =
      support_call (path, "org.freedesktop.DBus.Properties", "Get", g_variant_new ("(ss)", interface, name));
  GVariant *value = NULL;

  if (g_variant_is_of_type (answer, G_VARIANT_TYPE ("(v)")))
    g_variant_get (answer, "(v)", &value);
  return value;
}

gboolean
support_is (const char *path, const char *name, gboolean value)
{
  g_autoptr (GVariant) found = support_get (path, name);

  return found && g_variant_get_boolean (found) == value;
}

gboolean
support_is_text (const char *path, const char *name, const char *value)
{
  g_autoptr (GVariant) found = support_get (path, name);

  return found && g_str_equal (g_variant_get_string (found, NULL), value);
}

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen)
{
  g_set_object (&latest, screen);
}

FlowbusPresenter *
support_make_presenter (void)
{
  g_autoptr (FlowbusClient) client = flowbus_client_new_for_address (g_getenv ("DBUS_SESSION_BUS_ADDRESS"));
  FlowbusPresenter *presenter = flowbus_presenter_new_for_client (client, "org.example.Windows");

  g_signal_connect (presenter, "present", G_CALLBACK (on_present), NULL);
  return presenter;
}

void
support_start_flow (const char *name)
{
  g_autoptr (GVariant) answer =
      support_call ("/org/flowbus/Navigation1", "org.flowbus.Navigation1.Coordinator", "Coordinate",
                         g_variant_new ("(ssa{sv}a{sv})", name, "", NULL, NULL));
  if (!g_variant_is_of_type (answer, G_VARIANT_TYPE ("(o)")))
    g_error ("Coordinate failed: %s", g_variant_get_string (answer, NULL));
  g_variant_get (answer, "(o)", &root);
}

FlowbusPresenter *
support_begin (void)
{
  FlowbusPresenter *presenter = support_make_presenter ();

  wait_until (flowbus_presenter_get_name_owned (presenter));
  support_start_flow ("pages");
  return presenter;
}

void
support_end (FlowbusPresenter *presenter)
{
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Presentable", "Dismiss", NULL));
  g_clear_object (&latest);
  g_clear_pointer (&root, g_free);
  wait_until (support_count (presenter) == 0);
  flowbus_presenter_close (presenter);
  g_object_unref (presenter);
}

guint
support_count (FlowbusPresenter *presenter)
{
  g_autoptr (GList) screens = flowbus_presenter_list_screens (presenter);

  return g_list_length (screens);
}

FlowbusScreen *
support_open (const char *step, gint64 number)
{
  g_clear_object (&latest);
  support_emit (step, number);
  wait_until (latest);
  return latest;
}

static gboolean
note (gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Widgets are saved when the main loop is idle, one call after the other. flowbusd answers the calls of a connection in order. */
void
support_wait_until_saved (FlowbusScreen *screen)
{
  GDBusConnection *bus = flowbus_client_get_connection (flowbus_screen_get_client (screen));

  for (int round = 0; round < 3; round++)
    {
      gboolean is_idle = FALSE;
      g_autoptr (GVariant) answer = NULL;

      g_idle_add_full (G_PRIORITY_LOW, note, &is_idle, NULL);
      wait_until (is_idle);
      g_dbus_connection_call (bus, "org.flowbus.Navigation1", "/org/flowbus/Navigation1", "org.flowbus.Navigation1.Coordinator",
                              "GetStack", g_variant_new ("(s)", ""), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_called, &answer);
      wait_until (answer);
    }
}

void
support_xdotool (const char *first, ...)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GError) error = NULL;
  va_list rest;
  int status;

  g_strv_builder_add (words, "xdotool");
  va_start (rest, first);
  for (const char *word = first; word; word = va_arg (rest, const char *))
    g_strv_builder_add (words, word);
  va_end (rest);
  arguments = g_strv_builder_end (words);
  g_spawn_sync (NULL, arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
}

void
support_press (const char *key)
{
  support_xdotool ("key", key, NULL);
}

/* What no event tells is asked again and again. */
static gboolean
support_again (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

/* GTK can have the focus before the window manager takes the window for the one with the focus, which its own keys are for. */
static gboolean
is_active (GtkWindow *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));
  g_autofree char *active = NULL;

  g_assert_true (g_spawn_command_line_sync ("xdotool getactivewindow", &active, NULL, NULL, NULL));
  return gtk_window_is_active (window) && g_ascii_strtoull (active, NULL, 10) == gdk_x11_surface_get_xid (surface);
}

void
support_focus (GtkWindow *window)
{
  guint again = g_timeout_add (10, support_again, NULL);

  gtk_window_present (window);
  wait_until (is_active (window));
  g_source_remove (again);
}
