/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-binding-private.h"

/* What is asked of a screen or widget that is bound. */

FlowbusBinding *
_flowbus_binding_get (gpointer screen_or_widget)
{
  return g_object_get_data (screen_or_widget, FLOWBUS_BINDING_KEY);
}

static void
on_went_back (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (flowbus_client_back_finish (FLOWBUS_CLIENT (object), result, NULL, &error) == FLOWBUS_VERDICT_FAILED)
    g_info ("Back has failed: %s", error->message);
}

/* Back is a call to the flow, which decides: it may take a step, or stay. */
gboolean
_flowbus_screen_go_back (FlowbusScreen *screen, FlowbusBackInput input)
{
  FlowbusBinding *self = _flowbus_binding_get (screen);
  g_autofree char *path = NULL;

  if (self == NULL || self->is_over || (input && !(self->back_input & input)))
    return FALSE;
  path = g_strdup_printf ("/org/flowbus/Navigation1/instance/%" G_GUINT64_FORMAT, flowbus_screen_get_instance (screen));
  flowbus_client_back_async (flowbus_screen_get_client (screen), path, _flowbus_surface_get_options (self->widget, TRUE), NULL,
                             on_went_back, NULL);
  return TRUE;
}

/* A navigation view takes the input of its whole window. */
void
_flowbus_screen_leave_back_input (FlowbusScreen *screen)
{
  FlowbusBinding *self = _flowbus_binding_get (screen);

  _flowbus_back_input_detach (self->widget, self);
}

/**
 * flowbus_screen_get_bound_widget:
 * @screen: a screen
 *
 * Finds what shows a screen.
 *
 * Returns: (transfer none) (nullable): the window or widget that shows the screen
 */
GtkWidget *
flowbus_screen_get_bound_widget (FlowbusScreen *screen)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (screen), NULL);

  return _flowbus_binding_get (screen) ? ((FlowbusBinding *) _flowbus_binding_get (screen))->widget : NULL;
}

/**
 * flowbus_widget_get_screen:
 * @widget: a widget
 *
 * Finds the screen that a widget is part of, such as that of a button.
 *
 * Returns: (transfer none) (nullable): the screen that is bound to the widget or to the nearest one around it
 */
FlowbusScreen *
flowbus_widget_get_screen (GtkWidget *widget)
{
  g_return_val_if_fail (GTK_IS_WIDGET (widget), NULL);

  for (; widget; widget = gtk_widget_get_parent (widget))
    if (_flowbus_binding_get (widget))
      return ((FlowbusBinding *) _flowbus_binding_get (widget))->screen;
  return NULL;
}

/**
 * flowbus_screen_get_back_input:
 * @screen: a screen
 *
 * Says what goes back in the window or widget of a screen.
 *
 * Returns: what the user can go back with; nothing if the screen is not bound
 */
FlowbusBackInput
flowbus_screen_get_back_input (FlowbusScreen *screen)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (screen), FLOWBUS_BACK_INPUT_NONE);

  return _flowbus_binding_get (screen) ? ((FlowbusBinding *) _flowbus_binding_get (screen))->back_input : FLOWBUS_BACK_INPUT_NONE;
}

/**
 * flowbus_screen_set_back_input:
 * @screen: a screen that is bound
 * @input: what the user can go back with
 *
 * Chooses what goes back in the window or widget of a screen. For instance, a game may need Escape, and a map the swipes.
 */
void
flowbus_screen_set_back_input (FlowbusScreen *screen, FlowbusBackInput input)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));
  g_return_if_fail (_flowbus_binding_get (screen) != NULL);

  ((FlowbusBinding *) _flowbus_binding_get (screen))->back_input = input;
}
