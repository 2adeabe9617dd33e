/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus-gtk4/flowbus-gtk4.h>

/* The windowing system: the names of windows, tokens that raise them, and when the user's input was. */
void _flowbus_surface_watch_input (GtkWidget *toplevel);
GVariant *_flowbus_surface_get_options (GtkWidget *widget, gboolean is_back);
void _flowbus_surface_identify (GtkWidget *toplevel, FlowbusScreen *screen);
/* From the pixels of the display server to those of GTK. */
void _flowbus_surface_scale_size (GtkWidget *toplevel, int *width, int *height);
void _flowbus_surface_present (GtkWindow *window, FlowbusScreen *screen);
/* The sizes of windows, where each gets that of its place. */
void _flowbus_surface_note_sizes (GtkWidget *toplevel, FlowbusScreen *screen);
void _flowbus_surface_expect_size (GtkWindow *window, FlowbusScreen *screen);
gboolean _flowbus_surface_is_remapping (void);

/* What the user goes back with. */
typedef gboolean (*FlowbusBackFunc) (GtkWidget *widget, FlowbusBackInput input, gpointer user_data);
void _flowbus_back_input_attach (GtkWidget *widget, FlowbusBackFunc func, gpointer user_data);
void _flowbus_back_input_detach (GtkWidget *widget, gpointer user_data);

/* Of a screen that is bound. */
gboolean _flowbus_screen_go_back (FlowbusScreen *screen, FlowbusBackInput input);
void _flowbus_screen_leave_back_input (FlowbusScreen *screen);

/* The actions of a window or widget. */
void _flowbus_actions_attach (GtkWidget *widget, FlowbusScreen *screen);

/* Bindings. The function says whether it has taken the widget away, when its screen is withdrawn. */
typedef gboolean (*FlowbusWithdrawFunc) (GtkWidget *widget);
void _flowbus_widget_set_withdraw_func (GtkWidget *widget, FlowbusWithdrawFunc func);
void _flowbus_screen_close (FlowbusScreen *screen);

/* What of a widget is saved. */
gboolean _flowbus_widget_has_value (GtkWidget *widget);
GVariant *_flowbus_widget_get_value (GtkWidget *widget);
void _flowbus_widget_set_value (GtkWidget *widget, GVariant *value);
void _flowbus_widget_watch_value (GtkWidget *widget, GCallback func, gpointer object);

/* The container in a navigation view: GtkStack, or AdwNavigationView. */
typedef enum
{
  FLOWBUS_MOTION_NONE,
  FLOWBUS_MOTION_PUSH,
  FLOWBUS_MOTION_POP,
  FLOWBUS_MOTION_FADE,
} FlowbusMotion;

GtkWidget *_flowbus_container_new (void);
void _flowbus_container_show (GtkWidget *container, GtkWidget *child, const char *title, FlowbusMotion motion);
void _flowbus_container_set_title (GtkWidget *container, GtkWidget *child, const char *title);
void _flowbus_container_remove (GtkWidget *container, GtkWidget *child);
