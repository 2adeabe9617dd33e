/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#define SAVER_KEY "flowbus-saver"

/* It belongs to the screen. */
#define FLOWBUS_TYPE_SAVER (flowbus_saver_get_type ())
G_DECLARE_FINAL_TYPE (FlowbusSaver, flowbus_saver, FLOWBUS, SAVER, GObject)

struct _FlowbusSaver
{
  GObject parent_instance;

  FlowbusScreen *screen; /* has this */
  GHashTable *widgets;   /* name → widget, until that is destroyed */
  GVariant *state;       /* what is to be saved: names → values, with what is not of widgets */
  GVariant *saved;       /* what the latest call saved */
  guint source;          /* saves what changed, when the main loop is idle */
  guint saving;          /* calls under way */
  gboolean has_more;     /* something has changed since the latest was made */
  gboolean has_failed;   /* flowbusd may have something older */
};

G_DEFINE_FINAL_TYPE (FlowbusSaver, flowbus_saver, G_TYPE_OBJECT)

static void save_soon (FlowbusSaver *self);

/* The state of the screen with the values that the widgets have now. */
static GVariant *
collect (FlowbusSaver *self)
{
  GVariantDict state;
  GHashTableIter iter;
  gpointer name, widget;

  g_variant_dict_init (&state, self->state);
  g_hash_table_iter_init (&iter, self->widgets);
  while (g_hash_table_iter_next (&iter, &name, &widget))
    {
      g_autoptr (GVariant) value = _flowbus_widget_get_value (widget);

      if (value)
        g_variant_dict_insert_value (&state, name, value);
      else
        g_variant_dict_remove (&state, name);
    }
  return g_variant_ref_sink (g_variant_dict_end (&state));
}

static void
take_state (FlowbusSaver *self, GVariant *state)
{
  g_clear_pointer (&self->state, g_variant_unref);
  self->state = state ? g_variant_ref_sink (state) : NULL;
}

static void
take_saved (FlowbusSaver *self, GVariant *saved)
{
  g_clear_pointer (&self->saved, g_variant_unref);
  self->saved = saved ? g_variant_ref (saved) : NULL;
}

static void
on_saved (GObject *object, GAsyncResult *result, gpointer user_data)
{
  FlowbusScreen *screen = FLOWBUS_SCREEN (object);
  g_autoptr (FlowbusSaver) self = user_data;
  g_autoptr (GError) error = NULL;

  self->saving--;
  flowbus_screen_save_state_finish (screen, result, &error);
  /* This one is a mistake of the program; all else can happen. */
  if (g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_LIMIT_EXCEEDED))
    g_warning ("The widgets of the screen '%s' are not saved: %s", flowbus_screen_get_path (screen), error->message);
  else if (error)
    {
      self->has_failed = TRUE;
      g_info ("The widgets of the screen '%s' are not saved: %s", flowbus_screen_get_path (screen), error->message);
    }
  if (self->has_more)
    save_soon (self);
}

static gboolean
save (gpointer user_data)
{
  FlowbusSaver *self = user_data;
  g_autoptr (GVariant) state = NULL;

  self->source = 0;
  self->has_more = FALSE;
  if (self->screen == NULL || !flowbus_screen_is_live (self->screen))
    return G_SOURCE_REMOVE;
  state = collect (self);
  if (!self->has_failed && (self->saved ? g_variant_equal (state, self->saved) : g_variant_n_children (state) == 0))
    return G_SOURCE_REMOVE;
  take_state (self, state);
  take_saved (self, state);
  self->has_failed = FALSE;
  self->saving++;
  flowbus_screen_save_state_async (self->screen, state, NULL, on_saved, g_object_ref (self));
  return G_SOURCE_REMOVE;
}

/* One call at a time, with all that has changed in the meantime. */
static void
save_soon (FlowbusSaver *self)
{
  if (self->saving)
    self->has_more = TRUE;
  else if (self->source == 0)
    self->source = g_idle_add (save, self);
}

/* Before an answer is acknowledged. What was begun before is not waited for: the latest call counts. */
static void
save_now (FlowbusScreen *screen, gpointer user_data)
{
  FlowbusSaver *self = user_data;

  if (self->source == 0 && !self->has_more)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  save (self);
}

/* What could not be saved while flowbusd was away. */
static void
on_appeared (FlowbusSaver *self)
{
  if (self->has_failed)
    save_soon (self);
}

/* flowbusd is about to take the screen from this process. */
static GVariant *
on_save_state (FlowbusSaver *self)
{
  return collect (self);
}

/* With other arguments, what was saved is gone, and the widgets show something else. */
static void
on_updated (FlowbusSaver *self)
{
  GVariant *state = flowbus_screen_get_state (self->screen);

  take_state (self, state);
  take_saved (self, state);
  save_soon (self);
}

static void
on_widget_destroyed (FlowbusSaver *self, GtkWidget *widget)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->widgets);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (value == widget)
      g_hash_table_iter_remove (&iter);
}

static void
flowbus_saver_dispose (GObject *object)
{
  FlowbusSaver *self = FLOWBUS_SAVER (object);

  g_clear_handle_id (&self->source, g_source_remove);
  g_hash_table_remove_all (self->widgets);
  g_clear_weak_pointer (&self->screen);
  G_OBJECT_CLASS (flowbus_saver_parent_class)->dispose (object);
}

static void
flowbus_saver_finalize (GObject *object)
{
  FlowbusSaver *self = FLOWBUS_SAVER (object);

  g_hash_table_unref (self->widgets);
  g_clear_pointer (&self->state, g_variant_unref);
  g_clear_pointer (&self->saved, g_variant_unref);
  G_OBJECT_CLASS (flowbus_saver_parent_class)->finalize (object);
}

static void
flowbus_saver_class_init (FlowbusSaverClass *class)
{
  G_OBJECT_CLASS (class)->dispose = flowbus_saver_dispose;
  G_OBJECT_CLASS (class)->finalize = flowbus_saver_finalize;
}

static void
flowbus_saver_init (FlowbusSaver *self)
{
  self->widgets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static FlowbusSaver *
get_saver (FlowbusScreen *screen)
{
  FlowbusSaver *self = g_object_get_data (G_OBJECT (screen), SAVER_KEY);
  GVariant *state;

  if (self)
    return self;
  self = g_object_new (FLOWBUS_TYPE_SAVER, NULL);
  g_set_weak_pointer (&self->screen, screen);
  g_object_set_data_full (G_OBJECT (screen), SAVER_KEY, self, g_object_unref);
  state = flowbus_screen_get_state (screen);
  take_state (self, state);
  take_saved (self, state);
  g_signal_connect_object (screen, "save-state", G_CALLBACK (on_save_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (screen, "updated", G_CALLBACK (on_updated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (flowbus_screen_get_client (screen), "appeared", G_CALLBACK (on_appeared), self, G_CONNECT_SWAPPED);
  flowbus_screen_set_save_func (screen, save_now, self, NULL);
  return self;
}

/* The name that the program or a UI file gave; all others have the name of their type. */
static const char *
get_given_name (GtkWidget *widget)
{
  const char *name = gtk_widget_get_name (widget);

  return name && *name && strcmp (name, G_OBJECT_TYPE_NAME (widget)) != 0 ? name : NULL;
}

static void
add (FlowbusSaver *self, GtkWidget *widget)
{
  const char *name = get_given_name (widget);
  gpointer other = name ? g_hash_table_lookup (self->widgets, name) : NULL;

  if (name && _flowbus_widget_has_value (widget) && other == NULL)
    {
      g_autoptr (GVariant) value = self->state ? g_variant_lookup_value (self->state, name, NULL) : NULL;

      if (value)
        _flowbus_widget_set_value (widget, value);
      g_hash_table_insert (self->widgets, g_strdup (name), widget);
      g_signal_connect_object (widget, "destroy", G_CALLBACK (on_widget_destroyed), self, G_CONNECT_SWAPPED);
      _flowbus_widget_watch_value (widget, G_CALLBACK (save_soon), self);
    }
  else if (name && _flowbus_widget_has_value (widget) && other != widget)
    g_warning ("Two widgets of the screen '%s' have the name '%s'; the state of the first one is saved",
               flowbus_screen_get_path (self->screen), name);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    add (self, child);
}

/**
 * flowbus_screen_save_widgets:
 * @screen: a screen
 * @root: a widget, usually the window of the screen
 *
 * Has the widgets that have a name save themselves: @root and those in it that have a [property@Gtk.Widget:name].
 *
 * At once, each gets the value that it had when it was saved last, by this process or a former one. From then on, what the user
 * changes is saved with the screen when the main loop is idle, by `SaveState`, and before the screen is evicted. The names are those
 * of the values in [property@Flowbus.Screen:state].
 *
 * These are saved: the text of a [iface@Gtk.Editable] and of a [class@Gtk.TextView], unless it is a password; whether a check button,
 * toggle button, switch or expander is active; the value of a spin button, a scale and a scrollbar; what a drop-down, a stack and a
 * notebook show; how a [class@Gtk.Paned] is divided; and how far a [class@Gtk.ScrolledWindow] is scrolled.
 *
 * Call it again for widgets that are added later. A program with more to save gives it to [func@screen_save_value].
 */
void
flowbus_screen_save_widgets (FlowbusScreen *screen, GtkWidget *root)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));
  g_return_if_fail (GTK_IS_WIDGET (root));

  add (get_saver (screen), root);
}

/**
 * flowbus_screen_save_value:
 * @screen: a screen
 * @name: the name of the value
 * @value: (nullable): the value; %NULL for none any more
 *
 * Saves a value with those of the widgets (see [func@screen_save_widgets]), when the main loop is idle. In the next process, it is in
 * [property@Flowbus.Screen:state].
 *
 * A program uses either this or [method@Flowbus.Screen.save_state_async] for a screen, as each call of the latter replaces everything.
 */
void
flowbus_screen_save_value (FlowbusScreen *screen, const char *name, GVariant *value)
{
  FlowbusSaver *self;
  GVariantDict state;

  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));
  g_return_if_fail (name != NULL && *name != '\0');

  self = get_saver (screen);
  g_variant_dict_init (&state, self->state);
  if (value)
    g_variant_dict_insert_value (&state, name, value);
  else
    g_variant_dict_remove (&state, name);
  take_state (self, g_variant_dict_end (&state));
  save_soon (self);
}
