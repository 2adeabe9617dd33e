/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows that are bound in the handler of a Present: its answer waits for the first picture, and says it all.
 */

#include "support.h"

typedef void (*ShowFunc) (FlowbusScreen *screen);

static ShowFunc show_func;
static GtkWindow *window; /* the latest one */
static FlowbusNavigationView *view;
static GAsyncQueue *sent; /* texts of the program's own messages */
static guint pictures;

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen)
{
  show_func (screen);
}

/* Runs in the thread of the connection. */
static GDBusMessage *
note_sent (GDBusConnection *connection, GDBusMessage *message, gboolean is_incoming, gpointer queue)
{
  GVariant *body = g_dbus_message_get_body (message);

  if (is_incoming)
    return message;
  if (g_dbus_message_get_member (message))
    g_async_queue_push (queue, g_strdup (g_dbus_message_get_member (message)));
  else
    g_async_queue_push (queue, body ? g_variant_print (body, FALSE) : g_strdup (g_dbus_message_get_error_name (message)));
  g_main_context_wakeup (NULL); /* The test may wait for this alone. */
  return message;
}

static FlowbusPresenter *
begin (ShowFunc func)
{
  FlowbusPresenter *presenter = support_begin ();

  show_func = func;
  pictures = 0;
  g_signal_connect (presenter, "present", G_CALLBACK (on_present), NULL);
  sent = g_async_queue_new_full (g_free);
  g_dbus_connection_add_filter (flowbus_client_get_connection (flowbus_presenter_get_client (presenter)), note_sent,
                                g_async_queue_ref (sent), (GDestroyNotify) g_async_queue_unref);
  return presenter;
}

static void
end (FlowbusPresenter *presenter)
{
  support_end (presenter);
  g_clear_pointer (&sent, g_async_queue_unref);
}

/* What the program sent first for this screen. */
static void
assert_sent (const char *expected)
{
  g_autofree char *text = NULL;

  g_test_message ("waits for %s", expected);
  wait_until ((text = g_async_queue_try_pop (sent)));
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_nothing_sent (FlowbusScreen *screen)
{
  g_autofree char *text = NULL;

  support_wait_until_saved (screen);
  while ((text = g_async_queue_try_pop (sent)))
    {
      g_assert_cmpstr (text, ==, "GetStack");
      g_clear_pointer (&text, g_free);
    }
}

static void
count_picture (GdkFrameClock *clock)
{
  pictures++;
}

static void
bind_window (FlowbusScreen *screen)
{
  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_title (window, "A title");
  gtk_window_set_child (window, gtk_label_new ("A page"));
  flowbus_screen_bind_window (screen, window);
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "paint", G_CALLBACK (count_picture), NULL);
}

/* One message says that the screen is there, what it is called, and whose it is. */
static void
test_window (void)
{
  FlowbusPresenter *presenter = begin (bind_window);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));

  g_assert_false (flowbus_screen_get_visible (screen));
  assert_sent ("({'visible': <true>, 'title': <'A title'>},)");
  g_assert_cmpuint (pictures, >, 0);
  assert_nothing_sent (screen);
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));
  g_assert_true (support_is_text (flowbus_screen_get_path (screen), "Title", "A title"));

  gtk_window_set_title (window, "Another one");
  assert_sent ("SetTitle");
  assert_nothing_sent (screen);
  end (presenter);
}

/* The window is shown already when it is presented once more. */
static void
test_update (void)
{
  FlowbusPresenter *presenter = begin (bind_window);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("renamed", 1));

  assert_sent ("({'visible': <true>, 'title': <'A title'>},)");
  support_emit ("renamed", 2);
  assert_sent ("({},)");
  g_assert_cmpint (flowbus_screen_get_int64 (screen, "number"), ==, 2);

  /* A window that is hidden is shown again, and that is said with the answer. */
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
  assert_sent ("SetVisible");
  support_emit ("renamed", 3);
  assert_sent ("({'visible': <true>},)");
  assert_nothing_sent (screen);
  end (presenter);
}

static void
bind_hidden (FlowbusScreen *screen)
{
  bind_window (screen);
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
}

/* Nothing will be painted: the answer waits for nothing. That a hidden window is shown later is in test_update: GTK 4.8 on X11 now and
 * then never paints one that was hidden before its first picture, whatever shows it again. */
static void
test_hidden (void)
{
  FlowbusPresenter *presenter = begin (bind_hidden);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));

  assert_sent ("({'visible': <false>, 'title': <'A title'>},)");
  g_assert_true (support_is (flowbus_screen_get_path (screen), "Presented", FALSE));
  end (presenter);
}

static void
bind_and_unbind (FlowbusScreen *screen)
{
  bind_window (screen);
  flowbus_screen_unbind (screen);
}

static void
test_unbound (void)
{
  FlowbusPresenter *presenter = begin (bind_and_unbind);

  support_open ("opened", 1);
  assert_sent ("({'title': <'A title'>},)");
  gtk_window_destroy (window);
  end (presenter);
}

static void
bind_twice (FlowbusScreen *screen)
{
  GtkWindow *first;

  bind_window (screen);
  first = window;
  bind_window (screen);
  gtk_window_destroy (first);
}

static void
test_rebound (void)
{
  FlowbusPresenter *presenter = begin (bind_twice);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));

  assert_sent ("({'visible': <true>, 'title': <'A title'>},)");
  assert_nothing_sent (screen);
  end (presenter);
}

static void
bind_and_destroy (FlowbusScreen *screen)
{
  bind_window (screen);
  gtk_window_destroy (window);
}

/* The user has closed it before it was seen. */
static void
test_destroyed (void)
{
  FlowbusPresenter *presenter = begin (bind_and_destroy);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));

  wait_until (!flowbus_screen_is_live (screen));
  assert_sent ("Dismiss");
  assert_sent ("({'visible': <false>, 'title': <'A title'>},)");
  end (presenter);
}

static void
bind_unready (FlowbusScreen *screen)
{
  flowbus_screen_set_ready (screen, FALSE);
  bind_window (screen);
}

/* The picture is not the one to be seen: that can take long, and the answer does not wait for it. */
static void
test_unready (void)
{
  FlowbusPresenter *presenter = begin (bind_unready);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));

  assert_sent ("({'title': <'A title'>},)");
  g_assert_cmpuint (pictures, >, 0);
  flowbus_screen_set_ready (screen, TRUE);
  assert_sent ("SetVisible");
  end (presenter);
}

static void
hold (FlowbusScreen *screen)
{
  flowbus_screen_hold (screen);
}

/* A program that takes its time binds a window, and accepts at once. */
static void
test_held (void)
{
  FlowbusPresenter *presenter = begin (hold);
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));

  bind_window (screen);
  flowbus_screen_accept (screen);
  assert_sent ("({'visible': <true>, 'title': <'A title'>},)");
  assert_nothing_sent (screen);
  end (presenter);
}

static void
add_page (FlowbusScreen *screen)
{
  g_autofree char *title = g_strdup_printf ("Page %" G_GINT64_FORMAT, flowbus_screen_get_int64 (screen, "number"));

  flowbus_navigation_view_add (view, screen, gtk_label_new (title));
  flowbus_screen_set_title (screen, title);
}

/* The pages of a window; one that comes back is visible with the answer, too. */
static void
test_pages (void)
{
  FlowbusPresenter *presenter = begin (add_page);
  g_autoptr (FlowbusScreen) first = NULL;

  window = GTK_WINDOW (gtk_window_new ());
  view = FLOWBUS_NAVIGATION_VIEW (flowbus_navigation_view_new ());
  gtk_window_set_child (window, GTK_WIDGET (view));
  first = g_object_ref (support_open ("opened", 1));
  assert_sent ("({'visible': <true>, 'title': <'Page 1'>},)");
  assert_nothing_sent (first);
  support_open ("opened", 2);
  /* That the first one is covered is said when it has moved out. */
  wait_until (!flowbus_screen_get_visible (first));
  wait_until (flowbus_screen_get_visible (latest));
  support_wait_until_saved (first);
  {
    g_autoptr (GString) all = g_string_new (NULL);
    char *text;

    while ((text = g_async_queue_try_pop (sent)))
      {
        if (!g_str_equal (text, "GetStack"))
          g_string_append_printf (all, "%s ", text);
        g_free (text);
      }
    g_assert_nonnull (strstr (all->str, "({'visible': <true>, 'title': <'Page 2'>},) "));
    g_assert_cmpuint (all->len, ==, strlen ("({'visible': <true>, 'title': <'Page 2'>},) SetVisible "));
  }
  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  assert_sent ("({'visible': <true>},)");
  assert_nothing_sent (first);
  end (presenter);
  gtk_window_destroy (window);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/present/window", test_window);
  g_test_add_func ("/present/update", test_update);
  g_test_add_func ("/present/hidden", test_hidden);
  g_test_add_func ("/present/unbound", test_unbound);
  g_test_add_func ("/present/rebound", test_rebound);
  g_test_add_func ("/present/destroyed", test_destroyed);
  g_test_add_func ("/present/unready", test_unready);
  g_test_add_func ("/present/held", test_held);
  g_test_add_func ("/present/pages", test_pages);
  return g_test_run ();
}
