/* SPDX-License-Identifier: Apache-2.0
 *
 * An application of screens: it shows them, guards their flow, and ends with the last one.
 */

#include "support.h"

typedef struct
{
  FlowbusApplication *app;
  guint shown, asked;
  GtkWindow *window;
} Program;

static void
on_show (FlowbusApplication *app, FlowbusScreen *screen, Program *program)
{
  program->shown++;
  g_set_object (&latest, screen);
  if (flowbus_screen_get_int64 (screen, "number") == 50)
    flowbus_screen_refuse (screen, "not today");
  else if (flowbus_screen_get_int64 (screen, "number") == 60)
    flowbus_screen_hold (screen);
  else if (flowbus_screen_get_int64 (screen, "number") < 100)
    program->window = flowbus_application_open_window (app, screen, "A title", gtk_label_new ("A page"));
}

static gboolean
dismiss_root (gpointer user_data)
{
  g_autoptr (GVariant) answer = support_call (root, "org.flowbus.Navigation1.Presentable", "Dismiss", NULL);

  return G_SOURCE_REMOVE;
}

/* What the test does while the application runs. */
static gboolean
use (gpointer user_data)
{
  Program *program = user_data;
  g_autofree char *path = NULL;

  g_assert_nonnull (flowbus_application_get_presenter (program->app));
  g_assert_nonnull (flowbus_application_get_guard (program->app));
  support_start_flow ("guarded");
  support_emit ("opened", 1);
  wait_until (latest);
  g_assert_cmpuint (program->asked, ==, 1);
  g_assert_cmpuint (program->shown, ==, 1);
  g_assert_true (gtk_window_get_application (program->window) == GTK_APPLICATION (program->app));
  poll_until (support_is (flowbus_screen_get_path (latest), "Presented", TRUE));

  /* A screen that no handler shows is refused, and its flow goes on. */
  path = g_strdup (flowbus_screen_get_path (latest));
  g_test_expect_message ("FlowbusGtk4", G_LOG_LEVEL_MESSAGE, "*shows no window for the screen 'page'*");
  support_emit ("opened", 100);
  wait_until (program->shown == 2);
  poll_until (support_is (path, "Presented", TRUE));
  g_test_assert_expected_messages ();

  /* One that the handler refuses, or puts off, is its own. */
  support_emit ("opened", 50);
  wait_until (program->shown == 3);
  g_assert_false (flowbus_screen_is_live (latest));
  support_emit ("opened", 60);
  wait_until (program->shown == 4);
  g_assert_true (flowbus_screen_is_live (latest));
  flowbus_application_open_window (program->app, latest, "Late", NULL);
  flowbus_screen_accept (latest);
  poll_until (support_is (flowbus_screen_get_path (latest), "Visible", TRUE));
  g_clear_object (&latest);
  g_idle_add (dismiss_root, NULL);
  return G_SOURCE_REMOVE;
}

static void
on_adapt (FlowbusApplication *app, FlowbusQuestion *question, Program *program)
{
  program->asked++;
  flowbus_question_accept (question);
}

static void
on_startup (GApplication *app, Program *program)
{
  g_idle_add_full (G_PRIORITY_LOW, use, program, NULL);
}

static void
test_life (void)
{
  Program program = { .app = flowbus_application_new ("org.example.Windows") };

  g_assert_null (flowbus_application_get_presenter (program.app));
  g_signal_connect (program.app, "show::page", G_CALLBACK (on_show), &program);
  g_signal_connect (program.app, "adapt::opened", G_CALLBACK (on_adapt), &program);
  g_signal_connect_after (program.app, "startup", G_CALLBACK (on_startup), &program);
  /* It ends by itself when its last screen is gone. */
  g_assert_cmpint (g_application_run (G_APPLICATION (program.app), 0, NULL), ==, 0);
  g_clear_pointer (&root, g_free);
  g_assert_finalize_object (program.app);
}

/* Of two programs with one name, the second says so and ends. */
static void
test_name_taken (void)
{
  FlowbusPresenter *presenter = support_begin ();

  g_test_trap_subprocess ("/application/name-taken/second", 20 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*another program has the bus name 'org.example.Windows'*");
  support_end (presenter);
}

static void
test_second (void)
{
  if (!g_test_subprocess ())
    return;
  g_application_run (G_APPLICATION (flowbus_application_new ("org.example.Windows")), 0, NULL);
}

/* Without a bus it says so and ends, too. */
static void
test_no_bus (void)
{
  if (g_test_subprocess ())
    {
      g_setenv ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere", TRUE);
      g_application_run (G_APPLICATION (flowbus_application_new ("org.example.Windows")), 0, NULL);
      return;
    }
  g_test_trap_subprocess (NULL, 20 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_failed ();
  g_assert_false (g_test_trap_reached_timeout ());
  g_test_trap_assert_stderr ("*can't connect to the bus: *");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/application/life", test_life);
  g_test_add_func ("/application/name-taken", test_name_taken);
  g_test_add_func ("/application/name-taken/second", test_second);
  g_test_add_func ("/application/no-bus", test_no_bus);
  return g_test_run ();
}
