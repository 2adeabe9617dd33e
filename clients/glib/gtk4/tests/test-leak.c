/* SPDX-License-Identifier: Apache-2.0
 *
 * A thousand screens come and go, each in a window of its own with widgets that save themselves: no window and no screen stays, and
 * memory is bounded.
 */

#include "support.h"

#define SCREENS 1000
#define WARM 200
/* The first ones fill the caches of GTK, of the allocator and of GDBus. A leak of a window and its widgets would be over 50 KiB a screen. */
#define GROWTH (8 * 1024) /* KiB */

static int screens, windows;

static void
count_down (gpointer count, GObject *gone)
{
  --*(int *) count;
}

static glong
get_memory (void)
{
  g_autofree char *status = NULL;
  const char *line;

  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  line = strstr (status, "VmRSS:");
  g_assert_nonnull (line);
  return strtol (line + 6, NULL, 10);
}

static void
show (FlowbusScreen *screen)
{
  GtkWidget *window = gtk_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *entry = gtk_entry_new ();

  gtk_widget_set_name (entry, "entry");
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), gtk_button_new_with_label ("A button"));
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_set_title (GTK_WINDOW (window), "A title");
  flowbus_screen_save_widgets (screen, box);
  flowbus_screen_bind_window (screen, GTK_WINDOW (window));
  gtk_editable_set_text (GTK_EDITABLE (entry), "text");
  screens++;
  windows++;
  g_object_weak_ref (G_OBJECT (screen), count_down, &screens);
  g_object_weak_ref (G_OBJECT (window), count_down, &windows);
}

static void
test_thousand (void)
{
  FlowbusPresenter *presenter = support_begin ();
  glong before = 0, after;

  show (support_open ("opened", 0));
  for (int number = 1; number <= SCREENS; number++)
    {
      GtkWidget *widget;
      char *pages = root;

      if (number == WARM)
        before = get_memory ();
      /* A flow of its own, which goes with the window: after a while, flowbusd takes a program that closes what it has just shown for
       * one that can't show it. */
      if (number % 2 == 0)
        support_start_flow ("side");
      show (support_open ("opened", number));
      poll_until (support_is (flowbus_screen_get_path (latest), "Presented", TRUE));
      widget = flowbus_screen_get_bound_widget (latest);
      g_clear_object (&latest);
      /* By turns, flowbusd withdraws it, and the user closes the window. */
      if (number % 2)
        g_variant_unref (support_call (root, "org.flowbus.Navigation1.Flow", "Back", NULL));
      else
        gtk_window_close (GTK_WINDOW (widget));
      wait_until (support_count (presenter) == 1);
      wait_until (screens == 1 && windows == 1);
      if (root != pages)
        g_free (root);
      root = pages;
    }
  after = get_memory ();
  g_test_message ("%d screens: %ld KiB before, %ld KiB after", SCREENS - WARM, before, after);
  g_print ("# %d screens: %ld KiB before, %ld KiB after\n", SCREENS - WARM, before, after);
  g_assert_cmpint (after - before, <, GROWTH);
  support_end (presenter);
  wait_until (screens == 0 && windows == 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/leak/thousand", test_thousand);
  return g_test_run ();
}
