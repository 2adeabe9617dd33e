/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

/**
 * FlowbusNavigationView:
 *
 * Several screens in one window: the one that is in sight, with a title and a Back button above it.
 *
 * A new screen slides in, or is faded in if it takes the place of another one; when it goes, the former one slides back. What moves, and
 * whether, follows [property@Flowbus.Screen:direction] and [property@Gtk.Settings:gtk-enable-animations]. Back, by the button, a
 * key or a swipe anywhere in the window, is a call to the flow: the view changes when the flow has decided.
 *
 * ```python
 * def show_film(app, screen):
 *     view.add(screen, Gtk.Label(label=f"Film {screen.get_int64('film')}"))
 * ```
 *
 * The window around the view is presented with each screen, and hidden when the last one is gone. A closed window dismisses
 * all of them, the newest first. The window belongs to the program; it is named after the screen that it shows.
 *
 * If the library was built with libadwaita 1.4 or later, an `AdwNavigationView` moves the screens, else a [class@Gtk.Stack] (see
 * [func@NavigationView.uses_adwaita]).
 *
 * # CSS nodes
 *
 * The node has the name `navigationview` and the style class `.flowbus`.
 */

typedef struct
{
  FlowbusScreen *screen;
  GtkWidget *child; /* has a reference */
} Page;

struct _FlowbusNavigationView
{
  GtkWidget parent_instance;

  GtkWidget *header;
  GtkWidget *back_button;
  GtkWidget *title;
  GtkWidget *container;
  GtkWidget *root;  /* while the view is in a window */
  GPtrArray *pages; /* the oldest first */
  Page *current;
};

G_DEFINE_FINAL_TYPE (FlowbusNavigationView, flowbus_navigation_view, GTK_TYPE_WIDGET)

enum
{
  PROP_CURRENT = 1,
  PROP_N_SCREENS,
  PROP_SHOW_HEADER,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

static void
page_free (gpointer data)
{
  Page *page = data;

  g_object_unref (page->screen);
  g_object_unref (page->child);
  g_free (page);
}

static void
update_header (FlowbusNavigationView *self)
{
  const char *title = self->current ? flowbus_screen_get_title (self->current->screen) : NULL;

  gtk_label_set_label (GTK_LABEL (self->title), title ? title : "");
  gtk_widget_set_visible (self->back_button, self->pages->len > 1);
}

/* What assistive technologies call the page: libadwaita warns of one without a title. */
static const char *
get_page_title (FlowbusScreen *screen)
{
  const char *title = flowbus_screen_get_title (screen);

  return title && *title ? title : flowbus_screen_get_name (screen);
}

static void
show (FlowbusNavigationView *self, Page *page, FlowbusMotion motion)
{
  if (page == self->current)
    return;
  self->current = page;
  if (page)
    _flowbus_container_show (self->container, page->child, get_page_title (page->screen), motion);
  update_header (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CURRENT]);
}

static Page *
find_page (FlowbusNavigationView *self, FlowbusScreen *screen)
{
  for (guint at = 0; at < self->pages->len; at++)
    {
      Page *page = g_ptr_array_index (self->pages, at);

      if (page->screen == screen)
        return page;
    }
  return NULL;
}

static FlowbusMotion
get_motion (FlowbusScreen *screen)
{
  const char *direction = flowbus_screen_get_direction (screen);

  if (g_strcmp0 (direction, "push") == 0)
    return FLOWBUS_MOTION_PUSH;
  if (g_strcmp0 (direction, "pop") == 0)
    return FLOWBUS_MOTION_POP;
  /* "replace" and "switch": neither above nor below what is seen. Without a direction nothing has moved. */
  return direction && *direction ? FLOWBUS_MOTION_FADE : FLOWBUS_MOTION_NONE;
}

static void
on_returned (FlowbusScreen *screen, FlowbusNavigationView *self)
{
  Page *page = find_page (self, screen);

  if (page == NULL)
    return;
  /* The newest one is in sight, so that this is what is seen when that goes. */
  g_ptr_array_remove (self->pages, page);
  g_ptr_array_add (self->pages, page);
  show (self, page, get_motion (screen));
}

static void
on_title (FlowbusScreen *screen, GParamSpec *property, FlowbusNavigationView *self)
{
  Page *page = find_page (self, screen);

  if (page)
    _flowbus_container_set_title (self->container, page->child, get_page_title (screen));
  if (self->current && self->current->screen == screen)
    update_header (self);
}

static void
remove_page (FlowbusNavigationView *self, Page *page)
{
  g_signal_handlers_disconnect_by_data (page->screen, self);
  g_ptr_array_remove (self->pages, page);
  if (page == self->current)
    show (self, self->pages->len > 0 ? g_ptr_array_index (self->pages, self->pages->len - 1) : NULL, FLOWBUS_MOTION_POP);
  else
    update_header (self);
  _flowbus_container_remove (self->container, page->child);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_SCREENS]);
  if (self->pages->len == 0 && GTK_IS_WINDOW (self->root))
    gtk_widget_set_visible (self->root, FALSE);
  page_free (page);
}

/* Takes the child of a withdrawn screen out of its view. */
static gboolean
withdraw (GtkWidget *child)
{
  GtkWidget *ancestor = gtk_widget_get_ancestor (child, FLOWBUS_TYPE_NAVIGATION_VIEW);
  FlowbusNavigationView *self;

  if (ancestor == NULL)
    return FALSE;
  self = FLOWBUS_NAVIGATION_VIEW (ancestor);
  for (guint at = 0; at < self->pages->len; at++)
    {
      Page *page = g_ptr_array_index (self->pages, at);

      if (page->child == child)
        {
          remove_page (self, page);
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
on_back_input (GtkWidget *widget, FlowbusBackInput input, gpointer user_data)
{
  FlowbusNavigationView *self = user_data;

  return self->current && gtk_widget_get_mapped (GTK_WIDGET (self)) && _flowbus_screen_go_back (self->current->screen, input);
}

static void
flowbus_navigation_view_root (GtkWidget *widget)
{
  FlowbusNavigationView *self = FLOWBUS_NAVIGATION_VIEW (widget);

  GTK_WIDGET_CLASS (flowbus_navigation_view_parent_class)->root (widget);
  self->root = GTK_WIDGET (gtk_widget_get_root (widget));
  _flowbus_back_input_attach (self->root, on_back_input, self);
}

static void
flowbus_navigation_view_unroot (GtkWidget *widget)
{
  FlowbusNavigationView *self = FLOWBUS_NAVIGATION_VIEW (widget);

  _flowbus_back_input_detach (self->root, self);
  self->root = NULL;
  GTK_WIDGET_CLASS (flowbus_navigation_view_parent_class)->unroot (widget);
}

static void
flowbus_navigation_view_dispose (GObject *object)
{
  FlowbusNavigationView *self = FLOWBUS_NAVIGATION_VIEW (object);
  GtkWidget *child;

  /* The window was closed. */
  while (self->pages->len > 0)
    {
      Page *page = g_ptr_array_steal_index (self->pages, self->pages->len - 1);

      g_signal_handlers_disconnect_by_data (page->screen, self);
      self->current = NULL;
      _flowbus_screen_close (page->screen);
      page_free (page);
    }
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (flowbus_navigation_view_parent_class)->dispose (object);
}

static void
flowbus_navigation_view_finalize (GObject *object)
{
  g_ptr_array_unref (FLOWBUS_NAVIGATION_VIEW (object)->pages);
  G_OBJECT_CLASS (flowbus_navigation_view_parent_class)->finalize (object);
}

static void
flowbus_navigation_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *property)
{
  FlowbusNavigationView *self = FLOWBUS_NAVIGATION_VIEW (object);

  switch (id)
    {
    case PROP_CURRENT:
      g_value_set_object (value, flowbus_navigation_view_get_current (self));
      break;
    case PROP_N_SCREENS:
      g_value_set_uint (value, flowbus_navigation_view_get_n_screens (self));
      break;
    case PROP_SHOW_HEADER:
      g_value_set_boolean (value, flowbus_navigation_view_get_show_header (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, property);
    }
}

static void
flowbus_navigation_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *property)
{
  switch (id)
    {
    case PROP_SHOW_HEADER:
      flowbus_navigation_view_set_show_header (FLOWBUS_NAVIGATION_VIEW (object), g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, property);
    }
}

static void
flowbus_navigation_view_class_init (FlowbusNavigationViewClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  object_class->dispose = flowbus_navigation_view_dispose;
  object_class->finalize = flowbus_navigation_view_finalize;
  object_class->get_property = flowbus_navigation_view_get_property;
  object_class->set_property = flowbus_navigation_view_set_property;
  widget_class->root = flowbus_navigation_view_root;
  widget_class->unroot = flowbus_navigation_view_unroot;

  /**
   * FlowbusNavigationView:current:
   *
   * The screen that is seen; %NULL if there is none.
   */
  properties[PROP_CURRENT] = g_param_spec_object ("current", NULL, NULL, FLOWBUS_TYPE_SCREEN,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  /**
   * FlowbusNavigationView:n-screens:
   *
   * The number of screens in the view, with those that are covered.
   */
  properties[PROP_N_SCREENS] = g_param_spec_uint ("n-screens", NULL, NULL, 0, G_MAXUINT, 0,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  /**
   * FlowbusNavigationView:show-header:
   *
   * Whether the title of the screen and the Back button are shown above it. The button is there if the view has another
   * screen below.
   */
  properties[PROP_SHOW_HEADER] = g_param_spec_boolean ("show-header", NULL, NULL, TRUE,
                                                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "navigationview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
flowbus_navigation_view_init (FlowbusNavigationView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->pages = g_ptr_array_new ();
  gtk_widget_add_css_class (widget, "flowbus");
  gtk_orientable_set_orientation (GTK_ORIENTABLE (gtk_widget_get_layout_manager (widget)), GTK_ORIENTATION_VERTICAL);

  self->header = gtk_center_box_new ();
  gtk_widget_add_css_class (self->header, "toolbar");
  self->back_button = gtk_button_new_from_icon_name ("go-previous-symbolic");
  gtk_widget_set_tooltip_text (self->back_button, "Back");
  gtk_widget_set_visible (self->back_button, FALSE);
  /* What a finger meets. */
  gtk_widget_set_size_request (self->back_button, 44, 44);
  g_signal_connect_swapped (self->back_button, "clicked", G_CALLBACK (flowbus_navigation_view_back), self);
  gtk_center_box_set_start_widget (GTK_CENTER_BOX (self->header), self->back_button);
  self->title = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->title, "title");
  gtk_center_box_set_center_widget (GTK_CENTER_BOX (self->header), self->title);
  gtk_widget_set_parent (self->header, widget);

  self->container = _flowbus_container_new ();
  gtk_widget_set_vexpand (self->container, TRUE);
  gtk_widget_set_parent (self->container, widget);
}

/**
 * flowbus_navigation_view_new:
 *
 * Makes a view without a screen.
 *
 * Returns: (transfer floating): the view
 */
GtkWidget *
flowbus_navigation_view_new (void)
{
  return g_object_new (FLOWBUS_TYPE_NAVIGATION_VIEW, NULL);
}

/**
 * flowbus_navigation_view_add:
 * @self: the view
 * @screen: the screen to show
 * @child: the widget that shows it
 *
 * Shows a screen, above those that the view has already, and presents the window around the view. The widget and the screen are
 * bound as by [func@screen_bind_widget]; the widget leaves the view when the screen is withdrawn.
 */
void
flowbus_navigation_view_add (FlowbusNavigationView *self, FlowbusScreen *screen, GtkWidget *child)
{
  Page *page;

  g_return_if_fail (FLOWBUS_IS_NAVIGATION_VIEW (self));
  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));
  g_return_if_fail (GTK_IS_WIDGET (child) && gtk_widget_get_parent (child) == NULL);
  g_return_if_fail (find_page (self, screen) == NULL);

  page = g_new (Page, 1);
  page->screen = g_object_ref (screen);
  page->child = g_object_ref_sink (child);
  g_ptr_array_add (self->pages, page);
  g_signal_connect (screen, "returned", G_CALLBACK (on_returned), self);
  g_signal_connect (screen, "updated", G_CALLBACK (on_returned), self);
  g_signal_connect (screen, "notify::title", G_CALLBACK (on_title), self);
  _flowbus_widget_set_withdraw_func (child, withdraw);
  flowbus_screen_bind_widget (screen, child);
  _flowbus_screen_leave_back_input (screen);
  show (self, page, self->pages->len > 1 ? get_motion (screen) : FLOWBUS_MOTION_NONE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_SCREENS]);
  if (GTK_IS_WINDOW (self->root))
    _flowbus_surface_present (GTK_WINDOW (self->root), screen);
}

/**
 * flowbus_navigation_view_get_current:
 * @self: the view
 *
 * Gets the screen that is seen.
 *
 * Returns: (transfer none) (nullable): the screen that is seen
 */
FlowbusScreen *
flowbus_navigation_view_get_current (FlowbusNavigationView *self)
{
  g_return_val_if_fail (FLOWBUS_IS_NAVIGATION_VIEW (self), NULL);

  return self->current ? self->current->screen : NULL;
}

/**
 * flowbus_navigation_view_get_n_screens:
 * @self: the view
 *
 * Counts the screens, with those that are covered.
 *
 * Returns: the number of screens in the view
 */
guint
flowbus_navigation_view_get_n_screens (FlowbusNavigationView *self)
{
  g_return_val_if_fail (FLOWBUS_IS_NAVIGATION_VIEW (self), 0);

  return self->pages->len;
}

/**
 * flowbus_navigation_view_get_show_header:
 * @self: the view
 *
 * Says what [property@FlowbusGtk4.NavigationView:show-header] is.
 *
 * Returns: whether the title and the Back button are shown
 */
gboolean
flowbus_navigation_view_get_show_header (FlowbusNavigationView *self)
{
  g_return_val_if_fail (FLOWBUS_IS_NAVIGATION_VIEW (self), FALSE);

  return gtk_widget_get_visible (self->header);
}

/**
 * flowbus_navigation_view_set_show_header:
 * @self: the view
 * @show_header: whether the title and the Back button are shown
 *
 * Shows or hides what is above the screen, for instance in a program that has a header of its own.
 */
void
flowbus_navigation_view_set_show_header (FlowbusNavigationView *self, gboolean show_header)
{
  g_return_if_fail (FLOWBUS_IS_NAVIGATION_VIEW (self));

  if (show_header == gtk_widget_get_visible (self->header))
    return;
  gtk_widget_set_visible (self->header, show_header);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHOW_HEADER]);
}

/**
 * flowbus_navigation_view_back:
 * @self: the view
 *
 * Goes back from the screen that is seen, as the Back button does.
 */
void
flowbus_navigation_view_back (FlowbusNavigationView *self)
{
  g_return_if_fail (FLOWBUS_IS_NAVIGATION_VIEW (self));

  if (self->current)
    _flowbus_screen_go_back (self->current->screen, FLOWBUS_BACK_INPUT_NONE);
}

/**
 * flowbus_navigation_view_uses_adwaita:
 *
 * Says how this library was built: with libadwaita 1.4 or later, or without.
 *
 * Returns: whether an `AdwNavigationView` moves the screens
 */
gboolean
flowbus_navigation_view_uses_adwaita (void)
{
#ifdef FLOWBUS_USE_ADWAITA
  return TRUE;
#else
  return FALSE;
#endif
}
