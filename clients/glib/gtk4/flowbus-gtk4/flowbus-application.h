/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus-gtk4/flowbus-gtk4-macros.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_APPLICATION (flowbus_application_get_type ())
FLOWBUS_GTK4_API G_DECLARE_DERIVABLE_TYPE (FlowbusApplication, flowbus_application, FLOWBUS, APPLICATION, GtkApplication)

/**
 * FlowbusApplicationClass:
 * @parent_class: The class of GtkApplication.
 * @show: The default handler of [signal@FlowbusGtk4.Application::show].
 * @adapt: The default handler of [signal@FlowbusGtk4.Application::adapt].
 *
 * The class of applications whose windows are screens.
 */
struct _FlowbusApplicationClass {
  GtkApplicationClass parent_class;

  void (*show) (FlowbusApplication *self, FlowbusScreen *screen);
  void (*adapt) (FlowbusApplication *self, FlowbusQuestion *question);

  /*< private >*/
  gpointer padding[8];
};

FLOWBUS_GTK4_API FlowbusApplication *flowbus_application_new (const char *bus_name);
FLOWBUS_GTK4_API GtkWindow *flowbus_application_open_window (FlowbusApplication *self, FlowbusScreen *screen, const char *title,
                                                              GtkWidget *child);
FLOWBUS_GTK4_API FlowbusPresenter *flowbus_application_get_presenter (FlowbusApplication *self);
FLOWBUS_GTK4_API FlowbusGuard *flowbus_application_get_guard (FlowbusApplication *self);

G_END_DECLS
