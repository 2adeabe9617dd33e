/* The settings: how the device looks, whose it is, and whom to call in an emergency. The PIN in front of them is another program's,
 * and no code here.
 *
 * This program asks the picker of contacts itself, with flowbus_screen_ask_async(). The answer comes also if this process, that of
 * the picker, or flowbusd ends before somebody has picked: it waits with the screen for the process that shows it then. */
#include <adwaita.h>
#include <flowbus-gtk4/flowbus-gtk4.h>

static char *
get_file (void)
{
  return g_build_filename (g_get_user_config_dir (), "shell-settings.ini", NULL);
}

static char *
load (const char *key)
{
  g_autoptr (GKeyFile) values = g_key_file_new ();
  g_autofree char *file = get_file ();

  g_key_file_load_from_file (values, file, G_KEY_FILE_NONE, NULL);
  return g_key_file_get_string (values, "device", key, NULL);
}

static void
save (const char *key, const char *value)
{
  g_autoptr (GKeyFile) values = g_key_file_new ();
  g_autofree char *file = get_file ();
  g_autoptr (GError) error = NULL;

  g_key_file_load_from_file (values, file, G_KEY_FILE_KEEP_COMMENTS, NULL);
  g_key_file_set_string (values, "device", key, value);
  if (!g_key_file_save_to_file (values, file, &error))
    g_warning ("'%s' is not saved: %s", key, error->message);
}

/* An answer is saved before it is acknowledged: so it is taken once, and never lost in between. */
static void
take_answer (AdwActionRow *row, FlowbusAnswer *answer)
{
  g_autoptr (GVariant) contact = flowbus_answer_has_result (answer) ? flowbus_answer_get_value (answer, "contact") : NULL;

  if (contact)
    {
      save ("emergency-contact", g_variant_get_string (contact, NULL));
      adw_action_row_set_subtitle (row, g_variant_get_string (contact, NULL));
    }
  flowbus_answer_acknowledge (answer);
}

static void
on_answer (GObject *screen, GAsyncResult *result, gpointer data)
{
  g_autoptr (AdwActionRow) row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (FlowbusAnswer) answer = flowbus_screen_ask_finish (FLOWBUS_SCREEN (screen), result, &error);

  if (answer)
    take_answer (row, answer);
  else
    g_message ("no contact can be chosen: %s", error->message);
}

/* What an earlier process of this program has asked. */
static void
on_late_answer (FlowbusScreen *screen, FlowbusAnswer *answer, AdwActionRow *row)
{
  take_answer (row, answer);
}

static void
on_contact (AdwActionRow *row, FlowbusScreen *screen)
{
  flowbus_screen_ask_async (screen, "contactAsked", NULL, NULL, NULL, on_answer, g_object_ref (row));
}

static void
on_owner (AdwEntryRow *row)
{
  save ("owner", gtk_editable_get_text (GTK_EDITABLE (row)));
}

static gboolean
to_switch (GValue *is_dark, GVariant *scheme, gpointer unused)
{
  g_value_set_boolean (is_dark, g_str_equal (g_variant_get_string (scheme, NULL), "prefer-dark"));
  return TRUE;
}

static GVariant *
to_scheme (const GValue *is_dark, const GVariantType *type, gpointer unused)
{
  return g_variant_new_string (g_value_get_boolean (is_dark) ? "prefer-dark" : "default");
}

/* Adwaita reads this setting in every program of the device. */
static void
bind_dark (GtkWidget *dark)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) schema = source ? g_settings_schema_source_lookup (source, "org.gnome.desktop.interface", TRUE) : NULL;
  g_autoptr (GSettings) settings = schema ? g_settings_new_full (schema, NULL, NULL) : NULL;

  gtk_widget_set_sensitive (dark, settings != NULL);
  if (settings)
    g_settings_bind_with_mapping (settings, "color-scheme", dark, "active", G_SETTINGS_BIND_DEFAULT, to_switch, to_scheme, NULL, NULL);
}

static void
add_group (GtkWidget *page, const char *title, GtkWidget *row)
{
  GtkWidget *group = g_object_new (ADW_TYPE_PREFERENCES_GROUP, "title", title, NULL);

  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
  adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (group));
}

static void
show_preferences (FlowbusApplication *app, FlowbusScreen *screen)
{
  g_autofree char *contact_name = load ("emergency-contact"), *owner_name = load ("owner");
  GtkWidget *page = adw_preferences_page_new (), *dark_switch = g_object_new (GTK_TYPE_SWITCH, "valign", GTK_ALIGN_CENTER, NULL);
  GtkWidget *dark = g_object_new (ADW_TYPE_ACTION_ROW, "title", "Dark", "activatable-widget", dark_switch, NULL);
  GtkWidget *contact = g_object_new (ADW_TYPE_ACTION_ROW, "title", "Emergency contact", "activatable", TRUE, "subtitle",
                                     contact_name ? contact_name : "Nobody yet", NULL);
  GtkWidget *owner = g_object_new (ADW_TYPE_ENTRY_ROW, "title", "Owner", "name", "owner", "show-apply-button", TRUE, "text",
                                   owner_name ? owner_name : "", NULL);

  bind_dark (dark_switch);
  adw_action_row_add_suffix (ADW_ACTION_ROW (dark), dark_switch);
  adw_action_row_add_suffix (ADW_ACTION_ROW (contact), gtk_image_new_from_icon_name ("go-next-symbolic"));
  g_signal_connect_object (contact, "activated", G_CALLBACK (on_contact), screen, 0);
  g_signal_connect_object (screen, "answered", G_CALLBACK (on_late_answer), contact, 0);
  g_signal_connect (owner, "apply", G_CALLBACK (on_owner), NULL);
  add_group (page, "Appearance", dark);
  add_group (page, "Emergency", contact);
  add_group (page, "This device", owner);
  flowbus_screen_save_widgets (screen, GTK_WIDGET (flowbus_application_open_window (app, screen, "Settings", page)));
}

int
main (int argc, char *argv[])
{
  g_autoptr (FlowbusApplication) app = flowbus_application_new ("org.example.Settings");

  g_signal_connect (app, "startup", G_CALLBACK (adw_init), NULL);
  g_signal_connect (app, "show::preferences", G_CALLBACK (show_preferences), NULL);
  return g_application_run (G_APPLICATION (app), argc, argv);
}
