/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#define SCREEN_KEY "flowbus-screen"

static void
on_emitted (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autofree char *step = user_data;
  g_autoptr (GError) error = NULL;
  FlowbusVerdict verdict = flowbus_screen_emit_finish (FLOWBUS_SCREEN (object), result, NULL, &error);

  /* These two are mistakes of the program; all else can happen. */
  if (g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_STEP) ||
      g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS))
    g_warning ("The action 'screen.emit' can't emit '%s': %s", step, error->message);
  else
    g_info ("The step '%s': %s", step, error ? error->message : flowbus_verdict_to_string (verdict));
}

static void
on_emit (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  FlowbusScreen *screen = user_data;
  g_autoptr (GVariant) arguments = NULL;
  const char *step;

  if (!flowbus_screen_is_live (screen))
    return;
  g_variant_get (parameter, "(&s@a{sv})", &step, &arguments);
  flowbus_screen_emit_async (screen, step, arguments, NULL, on_emitted, g_strdup (step));
}

static void
on_back (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  _flowbus_screen_go_back (user_data, FLOWBUS_BACK_INPUT_NONE);
}

static void
on_dismiss (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  FlowbusScreen *screen = user_data;
  GtkWidget *widget = flowbus_screen_get_bound_widget (screen);

  /* As the user does, so that handlers of the window can refuse it. */
  if (GTK_IS_WINDOW (widget))
    gtk_window_close (GTK_WINDOW (widget));
  else if (flowbus_screen_is_live (screen))
    flowbus_screen_dismiss_async (screen, NULL, NULL, NULL);
}

/* The actions of a window or widget, as "screen.emit" and so on. */
void
_flowbus_actions_attach (GtkWidget *widget, FlowbusScreen *screen)
{
  static const GActionEntry entries[] = {
    { "emit", on_emit, "(sa{sv})", NULL, NULL, { 0 } },
    { "back", on_back, NULL, NULL, NULL, { 0 } },
    { "dismiss", on_dismiss, NULL, NULL, NULL, { 0 } },
  };
  g_autoptr (GSimpleActionGroup) actions = g_simple_action_group_new ();

  g_object_set_data_full (G_OBJECT (actions), SCREEN_KEY, g_object_ref (screen), g_object_unref);
  g_action_map_add_action_entries (G_ACTION_MAP (actions), entries, G_N_ELEMENTS (entries), screen);
  gtk_widget_insert_action_group (widget, "screen", G_ACTION_GROUP (actions));
}
