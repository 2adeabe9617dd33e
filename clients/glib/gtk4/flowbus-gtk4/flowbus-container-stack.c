/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#define LEAVING_KEY "flowbus-leaving"
#define DURATION 200 /* ms; GtkStack leaves the motion out where the user wants none (gtk-enable-animations) */

static GtkStackTransitionType
get_transition (GtkWidget *container, FlowbusMotion motion)
{
  gboolean is_rtl = gtk_widget_get_direction (container) == GTK_TEXT_DIR_RTL;

  switch (motion)
    {
    case FLOWBUS_MOTION_PUSH:
      return is_rtl ? GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT : GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT;
    case FLOWBUS_MOTION_POP:
      return is_rtl ? GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT : GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT;
    case FLOWBUS_MOTION_FADE:
      return GTK_STACK_TRANSITION_TYPE_CROSSFADE;
    case FLOWBUS_MOTION_NONE:
    default:
      return GTK_STACK_TRANSITION_TYPE_NONE;
    }
}

/* What has left is gone when it has moved out. */
static void
on_transition (GtkStack *stack)
{
  GtkWidget *child, *next;

  if (gtk_stack_get_transition_running (stack))
    return;
  for (child = gtk_widget_get_first_child (GTK_WIDGET (stack)); child; child = next)
    {
      next = gtk_widget_get_next_sibling (child);
      if (g_object_get_data (G_OBJECT (child), LEAVING_KEY))
        gtk_stack_remove (stack, child);
    }
}

GtkWidget *
_flowbus_container_new (void)
{
  GtkWidget *stack = gtk_stack_new ();

  gtk_stack_set_transition_duration (GTK_STACK (stack), DURATION);
  g_signal_connect (stack, "notify::transition-running", G_CALLBACK (on_transition), NULL);
  return stack;
}

void
_flowbus_container_show (GtkWidget *container, GtkWidget *child, const char *title, FlowbusMotion motion)
{
  GtkStack *stack = GTK_STACK (container);

  if (gtk_widget_get_parent (child) == NULL)
    gtk_stack_add_titled (stack, child, NULL, title);
  gtk_stack_set_transition_type (stack, get_transition (container, motion));
  gtk_stack_set_visible_child (stack, child);
}

void
_flowbus_container_set_title (GtkWidget *container, GtkWidget *child, const char *title)
{
  if (gtk_widget_get_parent (child) == container)
    gtk_stack_page_set_title (gtk_stack_get_page (GTK_STACK (container), child), title);
}

void
_flowbus_container_remove (GtkWidget *container, GtkWidget *child)
{
  g_object_set_data (G_OBJECT (child), LEAVING_KEY, GINT_TO_POINTER (TRUE));
  on_transition (GTK_STACK (container));
}
