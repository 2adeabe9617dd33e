/* SPDX-License-Identifier: Apache-2.0
 *
 * Several screens in one window.
 */

#include "support.h"

static FlowbusNavigationView *
make_view (GtkWindow **window)
{
  GtkWidget *view = flowbus_navigation_view_new ();

  *window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_default_size (*window, 400, 300);
  gtk_window_set_child (*window, view);
  return FLOWBUS_NAVIGATION_VIEW (view);
}

static FlowbusScreen *
add (FlowbusNavigationView *view, const char *step, gint64 number)
{
  FlowbusScreen *screen = support_open (step, number);
  g_autofree char *title = g_strdup_printf ("Page %" G_GINT64_FORMAT, number);

  flowbus_navigation_view_add (view, screen, gtk_label_new (title));
  flowbus_screen_set_title (screen, title);
  poll_until (support_is (flowbus_screen_get_path (screen), "Presented", TRUE));
  return screen;
}

static GtkWidget *
find (GtkWidget *widget, GType type)
{
  GtkWidget *found = NULL;

  if (g_type_is_a (G_OBJECT_TYPE (widget), type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find (child, type);
  return found;
}

/* The page around what shows a screen: that of an AdwNavigationView or of a GtkStack. */
static char *
get_page_title (FlowbusScreen *screen)
{
  GtkWidget *child = flowbus_screen_get_bound_widget (screen);
  GtkWidget *stack = gtk_widget_get_ancestor (child, GTK_TYPE_STACK);
  char *title = NULL;

  if (flowbus_navigation_view_uses_adwaita ())
    g_object_get (gtk_widget_get_ancestor (child, g_type_from_name ("AdwNavigationPage")), "title", &title, NULL);
  else
    g_object_get (gtk_stack_get_page (GTK_STACK (stack), child), "title", &title, NULL);
  return title;
}

static gboolean
has_reason (FlowbusScreen *screen, const char *reason, char **noted)
{
  *noted = g_strdup (reason);
  return FALSE;
}

/* Pages come and go with their screens; the Back button and the title belong to the one that is seen. */
static void
test_pages (void)
{
  FlowbusPresenter *presenter = support_begin ();
  GtkWindow *window;
  FlowbusNavigationView *view = make_view (&window);
  GtkWidget *button = find (GTK_WIDGET (view), GTK_TYPE_BUTTON), *title = find (GTK_WIDGET (view), GTK_TYPE_LABEL);
  g_autoptr (FlowbusScreen) first = NULL;
  g_autoptr (FlowbusScreen) second = NULL;
  g_autofree char *reason = NULL;

  g_assert_null (flowbus_navigation_view_get_current (view));
  first = g_object_ref (add (view, "opened", 1));
  g_assert_true (flowbus_navigation_view_get_current (view) == first);
  g_assert_false (gtk_widget_get_visible (button));
  wait_until (g_str_equal (gtk_label_get_label (GTK_LABEL (title)), "Page 1"));

  second = g_object_ref (add (view, "opened", 2));
  g_assert_cmpuint (flowbus_navigation_view_get_n_screens (view), ==, 2);
  g_assert_true (flowbus_navigation_view_get_current (view) == second);
  g_assert_true (gtk_widget_get_visible (button));
  wait_until (g_str_equal (gtk_label_get_label (GTK_LABEL (title)), "Page 2"));
  poll_until (support_is (flowbus_screen_get_path (first), "Visible", FALSE));

  g_signal_connect (second, "withdrawn", G_CALLBACK (has_reason), &reason);
  g_signal_emit_by_name (button, "clicked");
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "back");
  g_assert_true (flowbus_navigation_view_get_current (view) == first);
  g_assert_false (gtk_widget_get_visible (button));
  poll_until (support_is (flowbus_screen_get_path (first), "Presented", TRUE));

  flowbus_navigation_view_set_show_header (view, FALSE);
  g_assert_false (flowbus_navigation_view_get_show_header (view));
  g_assert_false (gtk_widget_get_child_visible (button) && gtk_widget_get_mapped (button));

  /* Without a screen there is nothing to see. */
  support_end (presenter);
  g_assert_null (flowbus_navigation_view_get_current (view));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window)));
  gtk_window_destroy (window);
}

/* Each page has a title, as libadwaita warns of one without: that of its screen, or else the screen's name. */
static void
test_titles (void)
{
  FlowbusPresenter *presenter = support_begin ();
  GtkWindow *window;
  FlowbusNavigationView *view = make_view (&window);
  g_autoptr (FlowbusScreen) first = g_object_ref (support_open ("opened", 1));
  g_autofree char *name = NULL, *title = NULL, *covered = NULL, *none = NULL;

  flowbus_navigation_view_add (view, first, gtk_label_new ("Page 1"));
  name = get_page_title (first);
  g_assert_cmpstr (name, ==, "page");
  flowbus_screen_set_title (first, "Page 1");
  wait_until (g_strcmp0 (flowbus_screen_get_title (first), "Page 1") == 0);
  title = get_page_title (first);
  g_assert_cmpstr (title, ==, "Page 1");

  /* Also while another page covers it. */
  add (view, "opened", 2);
  flowbus_screen_set_title (first, "Page 1, covered");
  wait_until (g_strcmp0 (flowbus_screen_get_title (first), "Page 1, covered") == 0);
  covered = get_page_title (first);
  g_assert_cmpstr (covered, ==, "Page 1, covered");
  flowbus_screen_set_title (first, "");
  wait_until (g_strcmp0 (flowbus_screen_get_title (first), "") == 0);
  none = get_page_title (first);
  g_assert_cmpstr (none, ==, "page");
  support_end (presenter);
  gtk_window_destroy (window);
}

/* The keys of a person, wherever the focus is. */
static void
test_escape (void)
{
  FlowbusPresenter *presenter = support_begin ();
  GtkWindow *window;
  FlowbusNavigationView *view = make_view (&window);
  g_autofree char *reason = NULL;

  add (view, "opened", 1);
  add (view, "opened", 2);
  g_signal_connect (latest, "withdrawn", G_CALLBACK (has_reason), &reason);
  support_focus (window);
  gtk_window_set_focus (window, NULL);
  support_press ("Escape");
  wait_until (reason);
  g_assert_cmpstr (reason, ==, "back");
  wait_until (flowbus_navigation_view_get_n_screens (view) == 1);
  support_end (presenter);
  gtk_window_destroy (window);
}

/* A closed window dismisses all its screens, the newest first. */
static void
note_order (FlowbusScreen *screen, const char *reason, GString *order)
{
  g_string_append_printf (order, "%" G_GINT64_FORMAT ":%s ", flowbus_screen_get_int64 (screen, "number"), reason);
}

static void
test_close (void)
{
  FlowbusPresenter *presenter = support_begin ();
  GtkWindow *window;
  FlowbusNavigationView *view = make_view (&window);
  g_autoptr (GString) order = g_string_new (NULL);

  for (int number = 1; number <= 3; number++)
    g_signal_connect (add (view, "opened", number), "withdrawn", G_CALLBACK (note_order), order);
  support_focus (window);
  support_press ("alt+F4");
  wait_until (support_count (presenter) == 0);
  g_assert_cmpstr (order->str, ==, "3:dismissed 2:dismissed 1:dismissed ");
  support_end (presenter);
}

/* What moves follows the direction, and nothing moves for whom wants none. */
static void
test_motion (void)
{
  FlowbusPresenter *presenter = support_begin ();
  GtkWindow *window;
  FlowbusNavigationView *view = make_view (&window);
  GtkStack *stack = GTK_STACK (find (GTK_WIDGET (view), GTK_TYPE_STACK));
  GtkSettings *settings = gtk_settings_get_default ();

  if (flowbus_navigation_view_uses_adwaita ())
    {
      g_test_skip ("the motion of libadwaita is its own");
      return;
    }
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  add (view, "opened", 1);
  g_assert_false (gtk_stack_get_transition_running (stack));
  support_open ("opened", 2);
  flowbus_navigation_view_add (view, latest, gtk_label_new ("Page 2"));
  g_assert_cmpint (gtk_stack_get_transition_type (stack), ==, GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT);
  g_assert_true (gtk_stack_get_transition_running (stack));
  poll_until (support_is (flowbus_screen_get_path (latest), "Presented", TRUE));
  wait_until (!gtk_stack_get_transition_running (stack));

  g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
  wait_until (flowbus_navigation_view_get_n_screens (view) == 1);
  g_assert_cmpint (gtk_stack_get_transition_type (stack), ==, GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT);
  wait_until (!gtk_stack_get_transition_running (stack));

  /* It takes the place of what was there, which goes at once or a little later. */
  support_open ("replaced", 3);
  flowbus_navigation_view_add (view, latest, gtk_label_new ("Page 3"));
  wait_until (flowbus_navigation_view_get_n_screens (view) == 1);
  g_assert_true (flowbus_navigation_view_get_current (view) == latest);

  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  wait_until (!gtk_stack_get_transition_running (stack));
  support_open ("opened", 4);
  flowbus_navigation_view_add (view, latest, gtk_label_new ("Page 4"));
  g_assert_false (gtk_stack_get_transition_running (stack));
  /* Nothing of the pages that are gone is left. */
  wait_until (gtk_widget_get_next_sibling (gtk_widget_get_next_sibling (gtk_widget_get_first_child (GTK_WIDGET (stack)))) == NULL);
  support_end (presenter);
  gtk_window_destroy (window);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/navigation-view/pages", test_pages);
  g_test_add_func ("/navigation-view/titles", test_titles);
  g_test_add_func ("/navigation-view/escape", test_escape);
  g_test_add_func ("/navigation-view/close", test_close);
  g_test_add_func ("/navigation-view/motion", test_motion);
  return g_test_run ();
}
