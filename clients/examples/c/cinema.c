#include <flowbus-gtk4/flowbus-gtk4.h>

static void picked (GObject *screen, GAsyncResult *result, gpointer button)
{
  FlowbusVerdict verdict = flowbus_screen_emit_finish (FLOWBUS_SCREEN (screen), result, NULL, NULL);
  gtk_widget_set_sensitive (button, verdict != FLOWBUS_VERDICT_REJECTED);
  g_object_unref (button);
}

static void pick (GtkWidget *button, gpointer film)
{
  flowbus_screen_emit_async (flowbus_widget_get_screen (button), "filmPicked",
                             g_variant_new_parsed ("{'film': <%i>}", GPOINTER_TO_INT (film)), NULL, picked, g_object_ref (button));
}

static void open_box (FlowbusApplication *app, FlowbusScreen *screen, const char *title, GtkWidget *first, ...)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  va_list rows;
  va_start (rows, first);
  for (GtkWidget *row = first; row; row = va_arg (rows, GtkWidget *))
    gtk_box_append (GTK_BOX (box), row);
  va_end (rows);
  gtk_box_set_homogeneous (GTK_BOX (box), TRUE);
  flowbus_screen_save_widgets (screen, GTK_WIDGET (flowbus_application_open_window (app, screen, title, box)));
}

static void show_films (FlowbusApplication *app, FlowbusScreen *screen)
{
  GtkWidget *search = g_object_new (GTK_TYPE_ENTRY, "name", "search", "placeholder-text", "Search", "valign", GTK_ALIGN_CENTER, NULL);
  GtkWidget *railway = gtk_button_new_with_label ("The Railway Children"), *fly = gtk_button_new_with_label ("The Fly");
  g_signal_connect (railway, "clicked", G_CALLBACK (pick), GINT_TO_POINTER (7));
  g_signal_connect (fly, "clicked", G_CALLBACK (pick), GINT_TO_POINTER (18));
  open_box (app, screen, "Films", search, railway, fly, NULL);
}

static void show_film (FlowbusApplication *app, FlowbusScreen *screen)
{
  g_autofree char *text = g_strdup_printf ("Film %" G_GINT64_FORMAT, flowbus_screen_get_int64 (screen, "film"));
  GtkWidget *note = g_object_new (GTK_TYPE_ENTRY, "name", "note", "placeholder-text", "Note", "valign", GTK_ALIGN_CENTER, NULL);
  open_box (app, screen, "Film", gtk_label_new (text), note, NULL);
}

static void check (FlowbusApplication *app, FlowbusQuestion *question)
{
  g_autoptr (GVariant) film = flowbus_question_get_argument (question, "film");
  if (g_variant_get_int64 (film) < 18)
    flowbus_question_accept (question);
  else
    flowbus_question_reject (question, "This film is not for children.");
}

int main (int argc, char *argv[])
{
  g_autoptr (FlowbusApplication) app = flowbus_application_new ("org.example.Cinema");
  g_signal_connect (app, "show::films", G_CALLBACK (show_films), NULL);
  g_signal_connect (app, "show::film", G_CALLBACK (show_film), NULL);
  g_signal_connect (app, "adapt::filmPicked", G_CALLBACK (check), NULL);
  return g_application_run (G_APPLICATION (app), argc, argv);
}
