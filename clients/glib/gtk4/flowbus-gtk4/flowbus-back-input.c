/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#define EDGE 24             /* how far from the edge a swipe may begin, in pixels */
#define SLOP 16             /* how far a pointer goes before it is clear in which direction */
#define PART (1.0 / 3.0)    /* how much of the width it has to cross */

#define CONTROLLER "flowbus-back"

#define BUTTON_SIDE 8       /* the side button of a mouse */
#define BUTTON_BACK 11      /* the same, where the kernel calls it BTN_BACK */

G_DEFINE_FLAGS_TYPE (FlowbusBackInput, flowbus_back_input,
                     G_DEFINE_ENUM_VALUE (FLOWBUS_BACK_INPUT_KEY, "key"),
                     G_DEFINE_ENUM_VALUE (FLOWBUS_BACK_INPUT_BUTTON, "button"),
                     G_DEFINE_ENUM_VALUE (FLOWBUS_BACK_INPUT_SWIPE, "swipe"),
                     G_DEFINE_ENUM_VALUE (FLOWBUS_BACK_INPUT_ALL, "all"))

typedef struct
{
  FlowbusBackFunc go_back;
  gpointer user_data;
} Back;

static gboolean
go_back (GtkEventController *controller, const Back *back, FlowbusBackInput input)
{
  return back->go_back (gtk_event_controller_get_widget (controller), input, back->user_data);
}

/* In the bubble phase: a text with an unfinished character, a search entry, a popover and the like take Escape before. */
static gboolean
on_key_pressed (GtkEventController *controller, guint key, guint code, GdkModifierType state, gpointer user_data)
{
  if (state & gtk_accelerator_get_default_mod_mask ())
    return GDK_EVENT_PROPAGATE;
  return (key == GDK_KEY_Escape || key == GDK_KEY_Back) && go_back (controller, user_data, FLOWBUS_BACK_INPUT_KEY);
}

static void
on_button_pressed (GtkGestureClick *gesture, int count, double x, double y, gpointer user_data)
{
  if (go_back (GTK_EVENT_CONTROLLER (gesture), user_data, FLOWBUS_BACK_INPUT_BUTTON))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

/* How far the swipe went from the edge where a line begins. */
static double
get_inward (GtkGesture *gesture, double x)
{
  GtkWidget *widget = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));

  return gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? -x : x;
}

static void
on_drag_begin (GtkGesture *gesture, double x, double y, gpointer user_data)
{
  GtkWidget *widget = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  gboolean is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;

  if ((is_rtl ? gtk_widget_get_width (widget) - x : x) > EDGE)
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
}

static void
on_drag_update (GtkGesture *gesture, double x, double y, gpointer user_data)
{
  double inward = get_inward (gesture, x);

  if (ABS (y) > SLOP && ABS (y) > ABS (inward))
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
  else if (inward > SLOP)
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_drag_end (GtkGesture *gesture, double x, double y, gpointer user_data)
{
  GtkWidget *widget = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  GdkEventSequence *sequence = gtk_gesture_get_last_updated_sequence (gesture);

  if (gtk_gesture_get_sequence_state (gesture, sequence) == GTK_EVENT_SEQUENCE_CLAIMED &&
      get_inward (gesture, x) > gtk_widget_get_width (widget) * PART)
    go_back (GTK_EVENT_CONTROLLER (gesture), user_data, FLOWBUS_BACK_INPUT_SWIPE);
}

static void
add_controller (GtkWidget *widget, GtkEventController *controller, GtkPropagationPhase phase)
{
  gtk_event_controller_set_name (controller, CONTROLLER);
  gtk_event_controller_set_propagation_phase (controller, phase);
  gtk_widget_add_controller (widget, controller);
}

static Back *
give_data (gpointer controller, FlowbusBackFunc func, gpointer user_data)
{
  Back *back = g_new (Back, 1);

  *back = (Back){ func, user_data };
  g_object_set_data_full (controller, CONTROLLER, back, g_free);
  return back;
}

/* Attaches all kinds of input to a widget. The function says whether it goes back; else the input goes on to others. */
void
_flowbus_back_input_attach (GtkWidget *widget, FlowbusBackFunc func, gpointer user_data)
{
  static const guint buttons[] = { BUTTON_SIDE, BUTTON_BACK };
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key_pressed), give_data (keys, func, user_data));
  add_controller (widget, keys, GTK_PHASE_BUBBLE);

  for (gsize at = 0; at < G_N_ELEMENTS (buttons); at++)
    {
      GtkGesture *click = gtk_gesture_click_new ();

      gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), buttons[at]);
      g_signal_connect (click, "pressed", G_CALLBACK (on_button_pressed), give_data (click, func, user_data));
      add_controller (widget, GTK_EVENT_CONTROLLER (click), GTK_PHASE_BUBBLE);
    }

  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), NULL);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), NULL);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), give_data (drag, func, user_data));
  add_controller (widget, GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
}

/* Takes what was attached with this data from the widget. */
void
_flowbus_back_input_detach (GtkWidget *widget, gpointer user_data)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint at = g_list_model_get_n_items (controllers); at-- > 0;)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, at);
      const Back *back = g_object_get_data (G_OBJECT (controller), CONTROLLER);

      if (back && back->user_data == user_data)
        gtk_widget_remove_controller (widget, controller);
    }
}
