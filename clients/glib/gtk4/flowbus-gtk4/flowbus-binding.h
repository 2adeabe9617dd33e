/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus-gtk4/flowbus-gtk4-macros.h>

G_BEGIN_DECLS

/**
 * FlowbusBackInput:
 * @FLOWBUS_BACK_INPUT_NONE: Nothing goes back.
 * @FLOWBUS_BACK_INPUT_KEY: Escape, if nothing in the window needs it, and the key Back of a remote control or a telephone.
 * @FLOWBUS_BACK_INPUT_BUTTON: The Back button of a mouse.
 * @FLOWBUS_BACK_INPUT_SWIPE: A swipe from the edge where a line of text begins, over a third of the window.
 * @FLOWBUS_BACK_INPUT_ALL: All of them, which is the default.
 *
 * What the user can go back with in a window or widget of a screen.
 */
typedef enum {
  FLOWBUS_BACK_INPUT_NONE = 0,
  FLOWBUS_BACK_INPUT_KEY = 1 << 0,
  FLOWBUS_BACK_INPUT_BUTTON = 1 << 1,
  FLOWBUS_BACK_INPUT_SWIPE = 1 << 2,
  FLOWBUS_BACK_INPUT_ALL = 7,
} FlowbusBackInput;

#define FLOWBUS_TYPE_BACK_INPUT (flowbus_back_input_get_type ())
FLOWBUS_GTK4_API GType flowbus_back_input_get_type (void);

FLOWBUS_GTK4_API void flowbus_screen_bind_window (FlowbusScreen *screen, GtkWindow *window);
FLOWBUS_GTK4_API void flowbus_screen_bind_widget (FlowbusScreen *screen, GtkWidget *widget);
FLOWBUS_GTK4_API void flowbus_screen_unbind (FlowbusScreen *screen);

FLOWBUS_GTK4_API GtkWidget *flowbus_screen_get_bound_widget (FlowbusScreen *screen);
FLOWBUS_GTK4_API FlowbusScreen *flowbus_widget_get_screen (GtkWidget *widget);
FLOWBUS_GTK4_API FlowbusBackInput flowbus_screen_get_back_input (FlowbusScreen *screen);
FLOWBUS_GTK4_API void flowbus_screen_set_back_input (FlowbusScreen *screen, FlowbusBackInput input);

G_END_DECLS
