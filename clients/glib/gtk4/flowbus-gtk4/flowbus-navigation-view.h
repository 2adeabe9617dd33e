/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus-gtk4/flowbus-gtk4-macros.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_NAVIGATION_VIEW (flowbus_navigation_view_get_type ())
FLOWBUS_GTK4_API G_DECLARE_FINAL_TYPE (FlowbusNavigationView, flowbus_navigation_view, FLOWBUS, NAVIGATION_VIEW, GtkWidget)

FLOWBUS_GTK4_API GtkWidget *flowbus_navigation_view_new (void);

FLOWBUS_GTK4_API void flowbus_navigation_view_add (FlowbusNavigationView *self, FlowbusScreen *screen, GtkWidget *child);
FLOWBUS_GTK4_API FlowbusScreen *flowbus_navigation_view_get_current (FlowbusNavigationView *self);
FLOWBUS_GTK4_API guint flowbus_navigation_view_get_n_screens (FlowbusNavigationView *self);
FLOWBUS_GTK4_API gboolean flowbus_navigation_view_get_show_header (FlowbusNavigationView *self);
FLOWBUS_GTK4_API void flowbus_navigation_view_set_show_header (FlowbusNavigationView *self, gboolean show_header);
FLOWBUS_GTK4_API void flowbus_navigation_view_back (FlowbusNavigationView *self);

FLOWBUS_GTK4_API gboolean flowbus_navigation_view_uses_adwaita (void);

G_END_DECLS
