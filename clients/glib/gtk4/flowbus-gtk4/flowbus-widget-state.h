/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus-gtk4/flowbus-gtk4-macros.h>

G_BEGIN_DECLS

FLOWBUS_GTK4_API void flowbus_screen_save_widgets (FlowbusScreen *screen, GtkWidget *root);
FLOWBUS_GTK4_API void flowbus_screen_save_value (FlowbusScreen *screen, const char *name, GVariant *value);

G_END_DECLS
