/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-gtk4-private.h"

#define FLOWBUS_BINDING_KEY "flowbus-binding" /* of the screen, and of the widget */

/* It belongs to the widget, and ends with it or by flowbus_screen_unbind(). */
typedef struct
{
  FlowbusScreen *screen;
  GtkWidget *widget;
  FlowbusBackInput back_input;
  GdkFrameClock *clock; /* while the first picture is awaited; and the toplevel */
  GdkSurface *surface;
  guint limit;
  GtkEventController *input;
  gboolean is_over;     /* dismissed or withdrawn: nobody is told anything any more */
} FlowbusBinding;

FlowbusBinding *_flowbus_binding_get (gpointer screen_or_widget);
