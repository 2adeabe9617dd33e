/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows and screens, on a real display, with the keys and clicks of a person.
 */

#include "support.h"

#include <gdk/x11/gdkx.h>

static GtkWindow *
open_window (FlowbusScreen *screen, GtkWidget *child)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());

  gtk_window_set_title (window, "A title");
  gtk_window_set_child (window, child ? child : gtk_label_new ("A page"));
  flowbus_screen_bind_window (screen, window);
  return window;
}

static void
count_destroyed (GtkWidget *widget, guint *count)
{
  ++*count;
}

static void
note_reason (FlowbusScreen *screen, const char *reason, char **noted)
{
  g_assert_null (*noted);
  *noted = g_strdup (reason);
}

/* The screen is visible when there is something to see, and not while the window is hidden. */
static void
test_visible (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWindow *window;

  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  window = open_window (screen, NULL);
  g_assert_true (flowbus_screen_get_bound_widget (screen) == GTK_WIDGET (window));
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  gtk_window_present (window);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  support_end (presenter);
}

static void
count_pictures (guint *count)
{
  ++*count;
}

/* A window that is painted before there is what it is to show. */
static void
test_ready (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWidget *loading = gtk_toggle_button_new ();
  GtkWindow *window;
  guint pictures = 0;

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (loading), TRUE);
  g_object_bind_property (loading, "active", screen, "ready", G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
  window = open_window (screen, loading);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint", G_CALLBACK (count_pictures), &pictures);
  wait_until (pictures > 0);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (loading), FALSE);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (loading), TRUE);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));

  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  gtk_window_present (window);
  pictures = 0;
  g_signal_connect_swapped (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint", G_CALLBACK (count_pictures), &pictures);
  wait_until (pictures > 0);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (loading), FALSE);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  support_end (presenter);
}

/* Says how large the first output is, as the compositor does. */
static void
set_output_size (guint32 width, guint32 height)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) bus = g_dbus_connection_new_for_address_sync (
    g_getenv ("DBUS_SESSION_BUS_ADDRESS"),
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  g_autoptr (GVariant) named = NULL;
  g_autoptr (GVariant) set = NULL;
  GVariantBuilder options;

  g_assert_no_error (error);
  named = g_dbus_connection_call_sync (bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
                                       g_variant_new ("(su)", "org.example.Displays", 4), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  g_assert_no_error (error);
  g_variant_builder_init (&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&options, "{sv}", "sizes", g_variant_new_parsed ("{'wall': (%u, %u)}", width, height));
  set = g_dbus_connection_call_sync (bus, "org.flowbus.Navigation1", "/org/flowbus/Navigation1", "org.flowbus.Navigation1.Coordinator",
                                     "SetOutputsWithOptions", g_variant_new ("(@asa{sv})", g_variant_new_parsed ("['wall']"), &options),
                                     NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  g_assert_no_error (error);
  g_dbus_connection_close_sync (bus, NULL, &error);
  g_assert_no_error (error);
}

/* A window that is shown has the size that it got as the default one. */
static int
default_width (GtkWindow *window)
{
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  return width;
}

/* The first picture has the size of the output, unless the program chose one, or it is a bar (S-53). */
static void
test_output_size (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = NULL;
  g_autoptr (FlowbusScreen) sized = NULL;
  g_autoptr (FlowbusScreen) bar = NULL;
  GtkWindow *window;
  int width, height;

  screen = g_object_ref (support_open ("opened", 1));
  g_assert_false (flowbus_screen_get_output_size (screen, &width, &height));
  g_assert_cmpint (width + height, ==, 0);
  gtk_window_destroy (open_window (screen, NULL));
  set_output_size (320, 240);
  g_set_object (&screen, support_open ("opened", 2));
  g_assert_true (flowbus_screen_get_output_size (screen, &width, &height));
  g_assert_cmpint (width, ==, 320);
  g_assert_cmpint (height, ==, 240);
  window = open_window (screen, NULL);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_window_get_default_size (window, &width, &height);
  g_assert_cmpint (width, ==, 320);
  g_assert_cmpint (height, ==, 240);

  sized = g_object_ref (support_open ("opened", 3));
  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_default_size (window, 200, -1);
  flowbus_screen_bind_window (sized, window);
  g_assert_cmpint (default_width (window), ==, 200);

  bar = g_object_ref (support_open ("barred", 4));
  g_assert_cmpint (default_width (open_window (bar, NULL)), !=, 320);
  support_end (presenter);
}

/* A closed window dismisses its screen once, and without a Withdraw. */
static void
test_close (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) below = NULL;
  g_autoptr (FlowbusScreen) screen = NULL;
  g_autofree char *reason = NULL;
  guint destroyed = 0;
  GtkWindow *window;

  below = g_object_ref (support_open ("opened", 1));
  open_window (below, NULL);
  screen = g_object_ref (support_open ("opened", 2));
  window = open_window (screen, NULL);
  g_signal_connect (window, "destroy", G_CALLBACK (count_destroyed), &destroyed);
  g_signal_connect (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  support_focus (window);
  support_press ("alt+F4");
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "dismissed");
  g_assert_cmpuint (destroyed, ==, 1);
  g_assert_null (flowbus_screen_get_bound_widget (screen));
  /* The other one is as it was. */
  poll_until (support_is (flowbus_screen_get_path (below), "Presented", TRUE));
  g_assert_cmpuint (support_count (presenter), ==, 1);
  support_end (presenter);
}

static gboolean
refuse (GtkWindow *window, guint *count)
{
  ++*count;
  return TRUE;
}

/* Any handler can refuse to close the window, also one that was connected later; and a window can be hidden instead. */
static void
test_close_refused (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWindow *window = open_window (screen, NULL);
  guint refused = 0;
  gulong handler = g_signal_connect (window, "close-request", G_CALLBACK (refuse), &refused);

  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_window_close (window);
  wait_until (refused == 1);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));

  g_signal_handler_disconnect (window, handler);
  gtk_window_set_hide_on_close (window, TRUE);
  gtk_window_close (window);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  g_assert_true (flowbus_screen_is_live (screen));
  support_end (presenter);
}

/* A program can destroy the window itself. */
static void
test_destroy (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  g_autofree char *reason = NULL;

  g_signal_connect (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  gtk_window_destroy (open_window (screen, NULL));
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "dismissed");
  support_end (presenter);
}

/* The screen can be gone when a program that takes its time shows it. */
static void
test_withdrawn_before (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) below = g_object_ref (support_open ("opened", 1));
  g_autoptr (FlowbusScreen) screen = NULL;
  GtkWidget *view = flowbus_navigation_view_new (), *toplevel = gtk_window_new ();
  guint destroyed = 0;
  GtkWindow *window;

  open_window (below, NULL);
  gtk_window_set_child (GTK_WINDOW (toplevel), view);
  screen = g_object_ref (support_open ("opened", 2));
  flowbus_screen_dismiss_async (screen, NULL, NULL, NULL);
  wait_until (!flowbus_screen_is_live (screen));
  window = open_window (screen, NULL);
  g_signal_connect (window, "destroy", G_CALLBACK (count_destroyed), &destroyed);
  wait_until (destroyed);
  g_assert_null (flowbus_screen_get_bound_widget (screen));

  flowbus_navigation_view_add (FLOWBUS_NAVIGATION_VIEW (view), screen, gtk_label_new ("late"));
  wait_until (flowbus_navigation_view_get_n_screens (FLOWBUS_NAVIGATION_VIEW (view)) == 0);
  gtk_window_destroy (GTK_WINDOW (toplevel));
  support_end (presenter);
}

/* Calls of a method that flowbusd does not know. */
static GDBusMessage *
refuse_call (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer method)
{
  GDBusMessage *wrong;

  if (incoming || g_strcmp0 (g_dbus_message_get_member (message), method) != 0)
    return message;
  wrong = g_dbus_message_copy (message, NULL);
  g_dbus_message_set_member (wrong, "NoSuchMethod");
  g_object_unref (message);
  return wrong;
}

/* A screen whose dismissal fails has no window any more: it is hidden, and dismissed when flowbusd is there again. */
static void
test_dismiss_fails (void)
{
  FlowbusPresenter *presenter = support_begin ();
  FlowbusClient *client = flowbus_presenter_get_client (presenter);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWindow *window = open_window (screen, NULL);
  guint filter = g_dbus_connection_add_filter (flowbus_client_get_connection (client), refuse_call, (gpointer) "Dismiss", NULL);

  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_window_destroy (window);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  support_wait_until_saved (screen); /* the screen has the answers, too */
  g_assert_true (flowbus_screen_is_live (screen));
  g_dbus_connection_remove_filter (flowbus_client_get_connection (client), filter);
  g_signal_emit_by_name (client, "appeared");
  wait_until (!flowbus_screen_is_live (screen));
  support_end (presenter);
}

/* Opens a window above another one, and counts when it is destroyed. */
static GtkWindow *
open_above (FlowbusScreen **screen, guint *destroyed)
{
  g_autoptr (FlowbusScreen) below = g_object_ref (support_open ("opened", 1));
  GtkWindow *window;

  open_window (below, NULL);
  *screen = g_object_ref (support_open ("opened", 2));
  window = open_window (*screen, NULL);
  g_signal_connect (window, "destroy", G_CALLBACK (count_destroyed), destroyed);
  return window;
}

/* What flowbusd withdraws is not dismissed by its window as well. */
static void
test_withdrawn (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = NULL;
  g_autofree char *reason = NULL;
  guint destroyed = 0;

  open_above (&screen, &destroyed);
  g_signal_connect (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  wait_until (destroyed == 1);
  g_assert_cmpstr (reason, ==, "back");
  support_end (presenter);
}

/* Where the environment says so, it stays for a while. */
static void
test_lingers (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = NULL;
  g_autofree char *reason = NULL;
  guint destroyed = 0;
  GtkWindow *window;

  g_setenv ("FLOWBUS_LINGER_MS", "100", TRUE);
  window = open_above (&screen, &destroyed);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  g_signal_connect_after (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  wait_until (reason != NULL);
  g_assert_cmpuint (destroyed, ==, 0);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window)));
  wait_until (destroyed == 1);
  g_unsetenv ("FLOWBUS_LINGER_MS");
  support_end (presenter);
}

static void
closure_free (gpointer object, GClosure *closure)
{
  g_object_unref (object);
}

/* A handler of the screen has the window, and a widget of the window the screen, as in a language with closures: the widgets are
 * freed nevertheless, and so all else is. */
static void
test_lets_go (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = NULL;
  guint destroyed = 0;
  GtkWindow *window = open_above (&screen, &destroyed);
  GtkWidget *child = gtk_label_new (NULL);

  gtk_window_set_child (window, child);
  g_object_add_weak_pointer (G_OBJECT (child), (gpointer *) &child);
  g_object_set_data_full (G_OBJECT (child), "screen", g_object_ref (screen), g_object_unref);
  g_signal_connect_data (screen, "notify::context", G_CALLBACK (gtk_window_present), g_object_ref (window), closure_free, G_CONNECT_SWAPPED);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  wait_until (child == NULL);
  g_assert_cmpuint (destroyed, ==, 1);
  support_end (presenter);
}

static gboolean
has_size (GtkWindow *window, int width, int height)
{
  return gtk_widget_get_width (GTK_WIDGET (window)) == width && gtk_widget_get_height (GTK_WIDGET (window)) == height;
}

static void
note_size (GdkFrameClock *clock, int *size)
{
  GtkWidget *window = g_object_get_data (G_OBJECT (clock), "window");

  if (!size[0])
    {
      size[0] = gtk_widget_get_width (window);
      size[1] = gtk_widget_get_height (window);
    }
}

/* Where windows linger, the first picture of a window has the size that the former one was given; not where the program has said another
 * one, and not elsewhere. */
static void
test_size (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) first = g_object_ref (support_open ("opened", 1));
  g_autoptr (FlowbusScreen) second = NULL;
  g_autoptr (FlowbusScreen) third = NULL;
  g_autoptr (FlowbusScreen) fourth = NULL;
  g_autofree char *xid = NULL;
  GtkWindow *window;
  GdkFrameClock *clock;
  int size[2] = { 0, 0 };

  g_setenv ("FLOWBUS_LINGER_MS", "1", TRUE);
  window = open_window (first, NULL);
  support_focus (window);
  xid = g_strdup_printf ("%lu", gdk_x11_surface_get_xid (gtk_native_get_surface (GTK_NATIVE (window))));
  support_xdotool ("windowsize", xid, "432", "321", NULL);
  wait_until (has_size (window, 432, 321));

  second = g_object_ref (support_open ("opened", 2));
  window = open_window (second, NULL);
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  g_object_set_data (G_OBJECT (clock), "window", window);
  g_signal_connect (clock, "after-paint", G_CALLBACK (note_size), size);
  wait_until (size[0] > 0);
  g_assert_cmpint (size[0], ==, 432);
  g_assert_cmpint (size[1], ==, 321);

  third = g_object_ref (support_open ("opened", 3));
  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_default_size (window, 200, 100);
  flowbus_screen_bind_window (third, window);
  wait_until (has_size (window, 200, 100));

  g_unsetenv ("FLOWBUS_LINGER_MS");
  fourth = g_object_ref (support_open ("opened", 4));
  window = open_window (fourth, NULL);
  poll_until (support_is (flowbus_screen_get_path (fourth), "Visible", TRUE));
  g_assert_false (has_size (window, 432, 321) || has_size (window, 200, 100));
  support_end (presenter);
}

/* The title of the window is the title of the screen, as far as it fits. */
static void
test_title (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWindow *window = open_window (screen, NULL);
  g_autoptr (GString) text = g_string_new ("x");
  g_autofree char *cut = NULL;

  poll_until (support_is_text (flowbus_screen_get_path (screen), "Title", "A title"));
  gtk_window_set_title (window, "Another one");
  poll_until (support_is_text (flowbus_screen_get_path (screen), "Title", "Another one"));
  for (int at = 0; at < 200; at++)
    g_string_append (text, "ä");
  gtk_window_set_title (window, text->str);
  cut = g_strndup (text->str, 255);
  poll_until (support_is_text (flowbus_screen_get_path (screen), "Title", cut));
  gtk_window_set_title (window, NULL);
  poll_until (support_is_text (flowbus_screen_get_path (screen), "Title", ""));
  support_end (presenter);
}

/* Escape goes back, unless something in the window needs it, or the program does. */
static void
test_escape (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) below = g_object_ref (support_open ("opened", 1));
  g_autoptr (FlowbusScreen) screen = NULL;
  g_autofree char *reason = NULL;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *search = gtk_search_entry_new (), *popover = gtk_popover_new ();
  GtkWidget *menu = gtk_menu_button_new ();
  guint stopped = 0;
  GtkWindow *window;

  open_window (below, NULL);
  screen = g_object_ref (support_open ("opened", 2));
  gtk_box_append (GTK_BOX (box), search);
  gtk_popover_set_child (GTK_POPOVER (popover), gtk_entry_new ());
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (menu), popover);
  gtk_box_append (GTK_BOX (box), menu);
  window = open_window (screen, box);
  g_signal_connect (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  g_signal_connect (search, "stop-search", G_CALLBACK (count_destroyed), &stopped);
  poll_until (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));
  support_focus (window);

  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  wait_until (gtk_widget_get_mapped (popover));
  support_press ("Escape");
  wait_until (!gtk_widget_get_mapped (popover));
  g_assert_null (reason);

  gtk_widget_grab_focus (search);
  support_press ("Escape");
  wait_until (stopped == 1);
  g_assert_null (reason);

  gtk_widget_grab_focus (menu);
  flowbus_screen_set_back_input (screen, FLOWBUS_BACK_INPUT_ALL & ~FLOWBUS_BACK_INPUT_KEY);
  support_press ("Escape");
  support_press ("F5");
  flowbus_screen_set_back_input (screen, FLOWBUS_BACK_INPUT_ALL);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));

  support_press ("Escape");
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "back");
  support_end (presenter);
}

/* The actions of a window need no code. */
static void
test_actions (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  g_autofree char *reason = NULL;
  GtkWidget *button = gtk_button_new_with_label ("Open");
  GtkWindow *window;

  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), "screen.emit(('opened', {'number': <2>}))");
  window = open_window (screen, button);
  poll_until (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));
  g_assert_true (flowbus_widget_get_screen (button) == screen);
  g_clear_object (&latest);
  g_signal_emit_by_name (button, "clicked");
  wait_until (latest);
  g_assert_cmpint (flowbus_screen_get_int64 (latest, "number"), ==, 2);
  window = open_window (latest, NULL);
  poll_until (support_is (flowbus_screen_get_path (latest), "Presented", TRUE));
  g_signal_connect (latest, "withdrawn", G_CALLBACK (note_reason), &reason);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "screen.back", NULL));
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "back");
  g_clear_pointer (&reason, g_free);
  g_signal_connect (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  g_assert_true (gtk_widget_activate_action (button, "screen.dismiss", NULL));
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "dismissed");
  support_end (presenter);
}

/* A step that the user's click asks for has a token for the next window, whoever emits it; one that a timer emits has none. */
static void
emit_by_program (GtkWidget *button, FlowbusScreen *screen)
{
  flowbus_screen_emit_async (screen, "opened", g_variant_new_parsed ("{'number': <2>}"), NULL, NULL, NULL);
}

static void
test_token (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWidget *button = gtk_button_new_with_label ("Open");
  GtkWindow *window = open_window (screen, button);

  g_signal_connect (button, "clicked", G_CALLBACK (emit_by_program), screen);
  poll_until (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));
  g_assert_null (flowbus_screen_get_activation_token (screen));
  support_focus (window);
  g_clear_object (&latest);
  emit_by_program (button, screen);
  wait_until (latest);
  g_assert_null (flowbus_screen_get_activation_token (latest));
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  poll_until (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));

  g_clear_object (&latest);
  support_focus (window);
  support_press ("space");
  wait_until (latest);
  g_assert_true (g_str_has_prefix (flowbus_screen_get_activation_token (latest), "flowbus-"));
  open_window (latest, NULL);
  /* The window has taken it. */
  g_assert_null (flowbus_screen_get_activation_token (latest));
  poll_until (support_is (flowbus_screen_get_path (latest), "Presented", TRUE));
  support_end (presenter);
}

static void
count_changes (FlowbusScreen *screen, GParamSpec *property, guint *count)
{
  ++*count;
}

/* Where nothing else brings windows to the front, one is hidden and shown; not if it has the focus. Its screen stays visible. */
static void
test_remap (void)
{
  FlowbusPresenter *presenter = support_make_presenter ();
  g_autoptr (FlowbusScreen) screen = NULL;
  GtkWindow *window, *dialog, *other;
  guint mapped = 0, dialogs = 0, changes = 0;

  support_start_flow ("side");
  other = open_window (support_open ("opened", 1), NULL);
  poll_until (support_is (flowbus_screen_get_path (latest), "Visible", TRUE));
  screen = g_object_ref (support_open ("renamed", 2));
  window = open_window (screen, NULL);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  dialog = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_transient_for (dialog, window);
  gtk_window_present (dialog);
  support_focus (other);
  g_signal_connect (window, "map", G_CALLBACK (count_destroyed), &mapped);
  g_signal_connect (dialog, "map", G_CALLBACK (count_destroyed), &dialogs);
  g_signal_connect (screen, "notify::visible", G_CALLBACK (count_changes), &changes);

  g_setenv ("FLOWBUS_RAISE", "remap", TRUE);
  support_emit ("renamed", 3);
  wait_until (flowbus_screen_get_int64 (screen, "number") == 3 && mapped);
  poll_until (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));
  g_assert_cmpuint (mapped, ==, 1);
  g_assert_cmpuint (dialogs, ==, 1);
  support_focus (dialog);
  support_emit ("renamed", 4);
  wait_until (flowbus_screen_get_int64 (screen, "number") == 4);
  g_setenv ("FLOWBUS_RAISE", "token", TRUE);
  support_focus (other);
  support_emit ("renamed", 5);
  wait_until (flowbus_screen_get_int64 (screen, "number") == 5);
  g_unsetenv ("FLOWBUS_RAISE");
  g_assert_cmpuint (mapped, ==, 1);
  g_assert_cmpuint (changes, ==, 0);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_window_destroy (dialog);
  support_end (presenter);
}

/* A screen can move to another window; what becomes of the first one is its own affair. */
static void
test_rebind (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  GtkWindow *first = open_window (screen, NULL), *second;

  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  second = open_window (screen, NULL);
  g_assert_true (flowbus_screen_get_bound_widget (screen) == GTK_WIDGET (second));
  gtk_window_destroy (first);
  g_assert_true (flowbus_screen_is_live (screen));
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  flowbus_screen_unbind (screen);
  g_assert_null (flowbus_screen_get_bound_widget (screen));
  gtk_window_destroy (second);
  g_assert_true (flowbus_screen_is_live (screen));
  support_end (presenter);
}

/* A screen can be a part of a window: it is visible while that part is, and is dismissed with it. */
static void
test_widget (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  g_autoptr (FlowbusScreen) other = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *other_reason = NULL;
  GtkWidget *stack = gtk_stack_new (), *page = gtk_label_new ("A page"), *second;
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());

  gtk_stack_add_named (GTK_STACK (stack), gtk_label_new ("Nothing"), "nothing");
  gtk_stack_add_named (GTK_STACK (stack), page, "page");
  gtk_window_set_child (window, stack);
  flowbus_screen_bind_widget (screen, page);
  gtk_window_present (window);
  wait_until (gtk_widget_get_mapped (stack));
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));
  gtk_stack_set_visible_child (GTK_STACK (stack), page);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  gtk_stack_set_visible_child_name (GTK_STACK (stack), "nothing");
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", FALSE));

  /* What is withdrawn is hidden, and the program takes it out; what the program takes out is dismissed. */
  other = g_object_ref (support_open ("opened", 2));
  second = gtk_label_new ("Another page");
  gtk_stack_add_named (GTK_STACK (stack), second, "second");
  gtk_stack_set_visible_child (GTK_STACK (stack), second);
  flowbus_screen_bind_widget (other, second);
  poll_until (support_is (flowbus_screen_get_path (other), "Presented", TRUE));
  g_signal_connect (other, "withdrawn", G_CALLBACK (note_reason), &other_reason);
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  wait_until (other_reason);
  g_assert_false (gtk_widget_get_visible (second));
  g_assert_null (flowbus_screen_get_bound_widget (other));
  g_signal_connect (screen, "withdrawn", G_CALLBACK (note_reason), &reason);
  gtk_stack_remove (GTK_STACK (stack), page);
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "dismissed");
  gtk_window_destroy (window);
  support_end (presenter);
}

/* Notes the calls of Touch that go out, by the object. Runs in the thread of the connection. */
static GDBusMessage *
note_touch (GDBusConnection *bus, GDBusMessage *message, gboolean is_incoming, gpointer user_data)
{
  if (!is_incoming && g_strcmp0 (g_dbus_message_get_member (message), "Touch") == 0)
    g_async_queue_push (user_data, g_strdup (g_dbus_message_get_path (message)));
  g_main_context_wakeup (NULL); /* The test may wait for this alone. */
  return message;
}

/* A key and a click are input, though they lead to no step; not when the widget is bound no longer. */
static void
test_touch (void)
{
  FlowbusPresenter *presenter = support_begin ();
  GDBusConnection *bus = flowbus_client_get_connection (flowbus_presenter_get_client (presenter));
  g_autoptr (GAsyncQueue) touched = g_async_queue_new_full (g_free);
  guint filter = g_dbus_connection_add_filter (bus, note_touch, touched, NULL);

  for (int number = 1; number <= 3; number++)
    {
      g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", number));
      GtkWidget *entry = gtk_entry_new ();
      GtkWindow *window = open_window (screen, entry);
      g_autofree char *object = NULL;
      g_autofree char *xid = NULL;
      g_autofree char *expected =
        g_strdup_printf ("/org/flowbus/Navigation1/instance/%" G_GUINT64_FORMAT, flowbus_screen_get_instance (screen));

      support_focus (window);
      xid = g_strdup_printf ("%lu", gdk_x11_surface_get_xid (gtk_native_get_surface (GTK_NATIVE (window))));
      if (number == 3)
        flowbus_screen_unbind (screen);
      if (number == 2)
        support_xdotool ("mousemove", "--window", xid, "10", "10", "click", "1", NULL);
      else
        support_press ("a");
      if (number == 3)
        {
          wait_until (*gtk_editable_get_text (GTK_EDITABLE (entry)));
          support_wait_until_saved (screen); /* what was sent before is noted */
          g_assert_null (g_async_queue_try_pop (touched));
          gtk_window_destroy (window);
          continue;
        }
      wait_until ((object = g_async_queue_try_pop (touched)));
      g_assert_cmpstr (object, ==, expected);
    }
  g_dbus_connection_remove_filter (bus, filter);
  support_end (presenter);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/binding/visible", test_visible);
  g_test_add_func ("/binding/ready", test_ready);
  g_test_add_func ("/binding/output-size", test_output_size);
  g_test_add_func ("/binding/close", test_close);
  g_test_add_func ("/binding/close-refused", test_close_refused);
  g_test_add_func ("/binding/destroy", test_destroy);
  g_test_add_func ("/binding/withdrawn", test_withdrawn);
  g_test_add_func ("/binding/lingers", test_lingers);
  g_test_add_func ("/binding/lets-go", test_lets_go);
  g_test_add_func ("/binding/withdrawn-before", test_withdrawn_before);
  g_test_add_func ("/binding/dismiss-fails", test_dismiss_fails);
  g_test_add_func ("/binding/size", test_size);
  g_test_add_func ("/binding/title", test_title);
  g_test_add_func ("/binding/escape", test_escape);
  g_test_add_func ("/binding/touch", test_touch);
  g_test_add_func ("/binding/actions", test_actions);
  g_test_add_func ("/binding/token", test_token);
  g_test_add_func ("/binding/remap", test_remap);
  g_test_add_func ("/binding/widget", test_widget);
  g_test_add_func ("/binding/rebind", test_rebind);
  return g_test_run ();
}
