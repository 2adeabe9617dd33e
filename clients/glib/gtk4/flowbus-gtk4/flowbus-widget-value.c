/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#define TARGET_KEY "flowbus-target"

/* What of a widget is saved. The first type of this list that fits a widget counts. */
typedef struct
{
  GType (*get_type) (void);
  const char *property;
  const char *format; /* of the GVariant */
} Kind;

static const Kind kinds[] = {
  { gtk_spin_button_get_type, "value", "d" },
  { gtk_editable_get_type, "text", "s" },
  { gtk_check_button_get_type, "active", "b" },
  { gtk_toggle_button_get_type, "active", "b" },
  { gtk_switch_get_type, "active", "b" },
  { gtk_expander_get_type, "expanded", "b" },
  { gtk_drop_down_get_type, "selected", "u" },
  { gtk_stack_get_type, "visible-child-name", "s" },
  { gtk_notebook_get_type, "page", "i" },
  { gtk_paned_get_type, "position", "i" },
};

static const Kind *
find_kind (GtkWidget *widget)
{
  /* What somebody typed unseen stays where it is. */
  if (GTK_IS_PASSWORD_ENTRY (widget) || (GTK_IS_ENTRY (widget) && !gtk_entry_get_visibility (GTK_ENTRY (widget))) ||
      (GTK_IS_TEXT (widget) && !gtk_text_get_visibility (GTK_TEXT (widget))))
    return NULL;
  for (gsize at = 0; at < G_N_ELEMENTS (kinds); at++)
    if (g_type_is_a (G_OBJECT_TYPE (widget), kinds[at].get_type ()))
      return &kinds[at];
  return NULL;
}

static GtkTextBuffer *
get_buffer (GtkWidget *widget)
{
  return GTK_IS_TEXT_VIEW (widget) ? gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget)) : NULL;
}

/* The adjustments of a widget: one of a scale or scrollbar, two of what scrolls. */
static gsize
get_adjustments (GtkWidget *widget, GtkAdjustment *adjustments[2])
{
  if (GTK_IS_RANGE (widget))
    {
      adjustments[0] = gtk_range_get_adjustment (GTK_RANGE (widget));
      return 1;
    }
  if (GTK_IS_SCROLLED_WINDOW (widget))
    {
      adjustments[0] = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (widget));
      adjustments[1] = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (widget));
      return 2;
    }
  return 0;
}

gboolean
_flowbus_widget_has_value (GtkWidget *widget)
{
  GtkAdjustment *adjustments[2];

  return find_kind (widget) || get_buffer (widget) || get_adjustments (widget, adjustments) > 0;
}

/* Moves an adjustment to a place that may not be there yet, as what scrolls has to be drawn for it. Whoever moves it before wins. */
static void
on_adjustment_changed (GtkAdjustment *adjustment)
{
  const double *target = g_object_get_data (G_OBJECT (adjustment), TARGET_KEY);

  if (target && gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment) >= *target)
    gtk_adjustment_set_value (adjustment, *target);
}

static void
on_adjustment_moved (GtkAdjustment *adjustment)
{
  g_signal_handlers_disconnect_by_func (adjustment, on_adjustment_changed, NULL);
  g_signal_handlers_disconnect_by_func (adjustment, on_adjustment_moved, NULL);
  g_object_set_data (G_OBJECT (adjustment), TARGET_KEY, NULL);
}

static void
scroll_to (GtkAdjustment *adjustment, double value)
{
  if (value == gtk_adjustment_get_value (adjustment))
    return;
  g_object_set_data_full (G_OBJECT (adjustment), TARGET_KEY, g_memdup2 (&value, sizeof value), g_free);
  g_signal_connect (adjustment, "changed", G_CALLBACK (on_adjustment_changed), NULL);
  g_signal_connect (adjustment, "value-changed", G_CALLBACK (on_adjustment_moved), NULL);
  on_adjustment_changed (adjustment);
}

/* Where it is, or will be. */
static double
get_place (GtkAdjustment *adjustment)
{
  const double *target = g_object_get_data (G_OBJECT (adjustment), TARGET_KEY);

  return target ? *target : gtk_adjustment_get_value (adjustment);
}

/* The value of a widget; NULL if it has none, such as a stack without a child. */
GVariant *
_flowbus_widget_get_value (GtkWidget *widget)
{
  GtkTextBuffer *buffer = get_buffer (widget);
  GtkAdjustment *adjustments[2];
  gsize count = get_adjustments (widget, adjustments);
  const Kind *kind = find_kind (widget);

  if (buffer)
    {
      g_autofree char *text = NULL;

      g_object_get (buffer, "text", &text, NULL);
      return g_variant_ref_sink (g_variant_new_string (text));
    }
  if (count == 1)
    return g_variant_ref_sink (g_variant_new_double (gtk_adjustment_get_value (adjustments[0])));
  if (count == 2)
    return g_variant_ref_sink (g_variant_new ("(dd)", get_place (adjustments[0]), get_place (adjustments[1])));
  if (kind)
    {
      g_auto (GValue) property = G_VALUE_INIT;

      g_object_get_property (G_OBJECT (widget), kind->property, &property);
      if (G_VALUE_HOLDS_STRING (&property) && g_value_get_string (&property) == NULL)
        return NULL;
      /* It is never floating: the reference is the caller's. */
      return g_dbus_gvalue_to_gvariant (&property, G_VARIANT_TYPE (kind->format));
    }
  return NULL;
}

/* Values of other types are those of a former version of the program. */
void
_flowbus_widget_set_value (GtkWidget *widget, GVariant *value)
{
  GtkTextBuffer *buffer = get_buffer (widget);
  GtkAdjustment *adjustments[2];
  gsize count = get_adjustments (widget, adjustments);
  const Kind *kind = find_kind (widget);

  if (buffer && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    gtk_text_buffer_set_text (buffer, g_variant_get_string (value, NULL), -1);
  else if (count == 1 && g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    gtk_adjustment_set_value (adjustments[0], g_variant_get_double (value));
  else if (count == 2 && g_variant_is_of_type (value, G_VARIANT_TYPE ("(dd)")))
    {
      double x, y;

      g_variant_get (value, "(dd)", &x, &y);
      scroll_to (adjustments[0], x);
      scroll_to (adjustments[1], y);
    }
  else if (kind && g_variant_is_of_type (value, G_VARIANT_TYPE (kind->format)))
    {
      g_auto (GValue) property = G_VALUE_INIT;

      if (GTK_IS_STACK (widget) && !gtk_stack_get_child_by_name (GTK_STACK (widget), g_variant_get_string (value, NULL)))
        return;
      g_dbus_gvariant_to_gvalue (value, &property);
      g_object_set_property (G_OBJECT (widget), kind->property, &property);
      if (GTK_IS_EDITABLE (widget))
        gtk_editable_set_position (GTK_EDITABLE (widget), -1);
    }
}

/* Calls a function of an object, swapped, when the user changes the value. */
void
_flowbus_widget_watch_value (GtkWidget *widget, GCallback func, gpointer object)
{
  GtkTextBuffer *buffer = get_buffer (widget);
  GtkAdjustment *adjustments[2];
  gsize count = get_adjustments (widget, adjustments);
  const Kind *kind = find_kind (widget);

  if (buffer)
    g_signal_connect_object (buffer, "changed", func, object, G_CONNECT_SWAPPED);
  for (gsize at = 0; at < count; at++)
    g_signal_connect_object (adjustments[at], "value-changed", func, object, G_CONNECT_SWAPPED);
  if (kind && !buffer)
    {
      g_autofree char *signal = g_strconcat ("notify::", kind->property, NULL);

      g_signal_connect_object (widget, signal, func, object, G_CONNECT_SWAPPED);
    }
}
