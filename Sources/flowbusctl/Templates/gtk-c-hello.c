/* hello: a list and the detail of an item. What is shown when, flows.d/hello.toml says. */
#include <flowbus-gtk4/flowbus-gtk4.h>

/* Where a picked item leads, the definitions say. */
static void
pick (GtkWidget *button, gpointer item)
{
  flowbus_screen_emit_async (flowbus_widget_get_screen (button), "helloItemPicked",
                             g_variant_new_parsed ("{'item': <%x>}", (gint64) GPOINTER_TO_INT (item)), NULL, NULL, NULL);
}

static void
show_list (FlowbusApplication *app, FlowbusScreen *screen)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  for (int item = 1; item <= 3; item++)
    {
      g_autofree char *text = g_strdup_printf ("Item %d", item);
      GtkWidget *button = gtk_button_new_with_label (text);

      g_signal_connect (button, "clicked", G_CALLBACK (pick), GINT_TO_POINTER (item));
      gtk_box_append (GTK_BOX (box), button);
    }
  flowbus_application_open_window (app, screen, "Items", box);
}

/* Escape goes back. */
static void
show_detail (FlowbusApplication *app, FlowbusScreen *screen)
{
  g_autofree char *text = g_strdup_printf ("Item %" G_GINT64_FORMAT, flowbus_screen_get_int64 (screen, "item"));

  flowbus_application_open_window (app, screen, "Item", gtk_label_new (text));
}

int
main (int argc, char *argv[])
{
  g_autoptr (FlowbusApplication) app = flowbus_application_new ("org.example.Hello");

  g_signal_connect (app, "show::helloList", G_CALLBACK (show_list), NULL);
  g_signal_connect (app, "show::helloDetail", G_CALLBACK (show_detail), NULL);
  return g_application_run (G_APPLICATION (app), argc, argv);
}
