/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-binding-private.h"

#include <flowbus/flowbus-linger-private.h>

/* What a program that shows a screen in a window has to do, and never forgets here: it says when there is something to see, dismisses
 * the screen when the user closes the window, goes back, raises the window, names it for the compositor, and takes it away. */

#define WITHDRAW_KEY "flowbus-withdraw"
static void on_dismissed (GObject *object, GAsyncResult *result, gpointer user_data);

#define MAX_TITLE 256 /* bytes, as flowbusd has it */
/* ms for which the answer to Present waits for a picture: GTK paints none while the window is hidden in a way that no event tells. */
#define PICTURE_LIMIT 1000
#define STATE_SUSPENDED (1 << 16) /* GDK_TOPLEVEL_STATE_SUSPENDED of GTK 4.12 */

static void
stop_awaiting_picture (FlowbusBinding *self)
{
  g_clear_handle_id (&self->limit, g_source_remove);
  if (self->clock == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->clock, self);
  g_signal_handlers_disconnect_by_data (self->surface, self);
  g_clear_object (&self->clock);
  g_clear_object (&self->surface);
}

static void
binding_free (gpointer data)
{
  FlowbusBinding *self = data;
  gboolean awaits_picture = self->clock != NULL;

  stop_awaiting_picture (self);
  g_signal_handlers_disconnect_by_data (self->screen, self);
  if (_flowbus_binding_get (self->screen) == self)
    g_object_set_data (G_OBJECT (self->screen), FLOWBUS_BINDING_KEY, NULL);
  if (awaits_picture)
    flowbus_screen_set_awaits_picture (self->screen, FALSE);
  g_object_unref (self->screen);
  g_free (self);
}

/* Ends a binding whose widget may live on. */
static void
binding_end (FlowbusBinding *self)
{
  GtkWidget *widget = self->widget;

  g_signal_handlers_disconnect_by_data (widget, self);
  gtk_widget_remove_controller (widget, self->input);
  _flowbus_back_input_detach (widget, self);
  gtk_widget_insert_action_group (widget, "screen", NULL);
  g_object_set_data (G_OBJECT (widget), FLOWBUS_BINDING_KEY, NULL);
}

static void
on_painted (GdkFrameClock *clock, FlowbusBinding *self)
{
  stop_awaiting_picture (self);
  if (!self->is_over)
    flowbus_screen_set_visible (self->screen, TRUE);
}

static gboolean
on_late (gpointer user_data)
{
  FlowbusBinding *self = user_data;

  self->limit = 0;
  flowbus_screen_set_awaits_picture (self->screen, FALSE);
  return G_SOURCE_REMOVE;
}

/* What follows GetStack can hide the window of a screen that is not visible yet. GTK paints nothing then, and waits for it to be shown.
 * Nor does it paint a window of which a compositor says that nobody sees it: then the answer to Present does not wait for that. */
static void
on_state (GdkToplevel *toplevel, GParamSpec *property, FlowbusBinding *self)
{
  GdkToplevelState state = gdk_toplevel_get_state (toplevel);

  if (state & GDK_TOPLEVEL_STATE_MINIMIZED)
    on_painted (self->clock, self);
  else if (state & STATE_SUSPENDED)
    flowbus_screen_set_awaits_picture (self->screen, FALSE);
}

/* There is something to see when the first picture is painted, not when the window is made. Present is answered then. */
static void
on_map (GtkWidget *widget, FlowbusBinding *self)
{
  GtkWidget *toplevel = GTK_WIDGET (gtk_widget_get_root (widget));

  if (self->is_over || !GTK_IS_WINDOW (toplevel))
    return;
  _flowbus_surface_watch_input (toplevel);
  _flowbus_surface_identify (toplevel, self->screen);
  _flowbus_surface_note_sizes (toplevel, self->screen);
  stop_awaiting_picture (self);
  self->clock = g_object_ref (gtk_widget_get_frame_clock (widget));
  self->surface = g_object_ref (gtk_native_get_surface (GTK_NATIVE (toplevel)));
  g_signal_connect (self->clock, "after-paint", G_CALLBACK (on_painted), self);
  g_signal_connect (self->surface, "notify::state", G_CALLBACK (on_state), self);
  gdk_frame_clock_request_phase (self->clock, GDK_FRAME_CLOCK_PHASE_PAINT);
  flowbus_screen_set_awaits_picture (self->screen, TRUE);
  self->limit = g_timeout_add (PICTURE_LIMIT, on_late, self);
  on_state (GDK_TOPLEVEL (self->surface), NULL, self);
}

static void
on_unmap (GtkWidget *widget, FlowbusBinding *self)
{
  stop_awaiting_picture (self);
  if (!self->is_over && !_flowbus_surface_is_remapping ())
    flowbus_screen_set_visible (self->screen, FALSE);
}

static void
on_realize (GtkWidget *widget, FlowbusBinding *self)
{
  if (!self->is_over)
    _flowbus_surface_identify (widget, self->screen);
}

static void
on_title (GtkWindow *window, GParamSpec *property, FlowbusBinding *self)
{
  const char *title = gtk_window_get_title (window);
  g_autofree char *start = NULL;

  if (self->is_over)
    return;
  if (title && strlen (title) > MAX_TITLE)
    {
      const char *end = g_utf8_find_prev_char (title, title + MAX_TITLE + 1);

      title = start = g_strndup (title, (gsize) (end - title));
    }
  flowbus_screen_set_title (self->screen, title ? title : "");
}

/* The window is closed, and the screen stays: what is not seen must not take steps, and is to go when it can. */
static void
on_appeared (FlowbusScreen *screen)
{
  if (_flowbus_binding_get (screen) || !flowbus_screen_is_live (screen))
    return;
  flowbus_screen_dismiss_async (screen, NULL, on_dismissed, NULL);
}

static void
keep_dismissing (FlowbusScreen *screen)
{
  FlowbusClient *client = flowbus_screen_get_client (screen);

  if (!flowbus_screen_is_live (screen))
    return;
  flowbus_screen_set_visible (screen, FALSE);
  g_signal_handlers_disconnect_by_func (client, on_appeared, screen);
  g_signal_connect_object (client, "appeared", G_CALLBACK (on_appeared), screen, G_CONNECT_SWAPPED);
}

static void
on_dismissed (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GApplication) application = user_data;
  g_autoptr (GError) error = NULL;

  /* That the screen is gone or somebody else's by now is what was wanted, and without a service nothing is. */
  if (!flowbus_screen_dismiss_finish (FLOWBUS_SCREEN (object), result, &error) &&
      g_error_matches (error, FLOWBUS_ERROR, FLOWBUS_ERROR_ACCESS_DENIED))
    g_warning ("The window of the screen '%s' is closed, but the screen stays: %s",
               flowbus_screen_get_path (FLOWBUS_SCREEN (object)), error->message);
  else if (error)
    g_info ("The screen '%s' was not dismissed: %s", flowbus_screen_get_path (FLOWBUS_SCREEN (object)), error->message);
  if (error)
    keep_dismissing (FLOWBUS_SCREEN (object));
  if (application)
    g_application_release (application);
}

/* Once for each screen. An application ends with its last window; not before flowbusd knows why it is gone. */
static void
dismiss (FlowbusBinding *self)
{
  GApplication *application = g_application_get_default ();

  if (self->is_over)
    return;
  self->is_over = TRUE;
  if (!flowbus_screen_is_live (self->screen))
    return;
  if (application)
    g_application_hold (g_object_ref (application));
  flowbus_screen_dismiss_async (self->screen, NULL, on_dismissed, application);
}

/* After all other handlers, so that each of them can refuse to close the window. */
static gboolean
on_close_request (GtkWindow *window, FlowbusBinding *self)
{
  dismiss (self);
  return FALSE;
}

static void
on_destroy (GtkWidget *widget, FlowbusBinding *self)
{
  dismiss (self);
  binding_end (self);
}

/* The user has closed what shows the screen, and more than that. */
void
_flowbus_screen_close (FlowbusScreen *screen)
{
  FlowbusBinding *self = _flowbus_binding_get (screen);

  if (self == NULL)
    return;
  dismiss (self);
  binding_end (self);
}

/* GTK frees a window when nobody has it any more. In a language with closures the handlers of the screen often have the window, whose widgets
 * have handlers that have the screen: then nobody could ever free either. So all that the window has is let go. */
static void
destroy_window (GtkWindow *window)
{
  g_object_ref (window);
  gtk_window_destroy (window);
  g_object_run_dispose (G_OBJECT (window));
  g_object_unref (window);
}

static gboolean
end_lingering (gpointer window)
{
  destroy_window (window);
  return G_SOURCE_REMOVE;
}

/* Whether the window stays for a while, without input, so that nothing else is seen before the next window is there. */
static gboolean
linger (GtkWindow *window, const char *reason)
{
  guint time = _flowbus_linger_time (reason);

  if (!time || !gtk_widget_get_mapped (GTK_WIDGET (window)))
    return FALSE;
  g_timeout_add_full (G_PRIORITY_DEFAULT, time, end_lingering, g_object_ref (window), g_object_unref);
  return TRUE;
}

static void
on_withdrawn (FlowbusScreen *screen, const char *reason, FlowbusBinding *self)
{
  GtkWidget *widget = self->widget;
  FlowbusWithdrawFunc withdraw = g_object_get_data (G_OBJECT (widget), WITHDRAW_KEY);

  if (self->is_over)
    return;
  self->is_over = TRUE;
  if (GTK_IS_WINDOW (widget))
    {
      if (!linger (GTK_WINDOW (widget), reason))
        destroy_window (GTK_WINDOW (widget));
    }
  else
    {
      binding_end (self);
      if (withdraw == NULL || !withdraw (widget))
        gtk_widget_set_visible (widget, FALSE);
    }
}

/* What takes the widget away when its screen is withdrawn, if it is not just to be hidden. */
void
_flowbus_widget_set_withdraw_func (GtkWidget *widget, FlowbusWithdrawFunc func)
{
  g_object_set_data (G_OBJECT (widget), WITHDRAW_KEY, func);
}

static void
on_present (FlowbusScreen *screen, FlowbusBinding *self)
{
  GtkRoot *root = gtk_widget_get_root (self->widget);

  if (!self->is_over && GTK_IS_WINDOW (root))
    _flowbus_surface_present (GTK_WINDOW (root), screen);
}

static gboolean
on_back_input (GtkWidget *widget, FlowbusBackInput input, gpointer user_data)
{
  FlowbusBinding *self = user_data;

  return _flowbus_screen_go_back (self->screen, input);
}

/* Not only steps are input: who types or scrolls is there, and the device is not idle. */
static gboolean
on_event (GtkEventController *controller, GdkEvent *event, gpointer user_data)
{
  FlowbusBinding *self = user_data;

  if (self->is_over)
    return GDK_EVENT_STOP; /* The window lingers. */
  switch ((int) gdk_event_get_event_type (event))
    {
    case GDK_BUTTON_PRESS:
    case GDK_BUTTON_RELEASE: /* Most steps follow from the release. */
    case GDK_KEY_PRESS:
    case GDK_KEY_RELEASE:
    case GDK_SCROLL:
    case GDK_TOUCH_BEGIN:
    case GDK_TOUCH_UPDATE:
    case GDK_TOUCH_END:
    case GDK_TOUCHPAD_SWIPE:
    case GDK_TOUCHPAD_PINCH:
      flowbus_screen_touch (self->screen);
      break;
    default:
      break;
    }
  return GDK_EVENT_PROPAGATE;
}

/* For the steps that the program emits itself. */
static GVariant *
give_options (FlowbusScreen *screen, gpointer user_data)
{
  FlowbusBinding *self = _flowbus_binding_get (screen);

  return self ? _flowbus_surface_get_options (self->widget, FALSE) : NULL;
}

/* The screen was withdrawn before it was bound. Later: the program still uses what it has bound. */
static gboolean
end_withdrawn (gpointer screen)
{
  FlowbusBinding *self = _flowbus_binding_get (screen);

  if (self)
    on_withdrawn (screen, "gone", self);
  return G_SOURCE_REMOVE;
}

static FlowbusBinding *
bind (FlowbusScreen *screen, GtkWidget *widget)
{
  FlowbusBinding *self;

  flowbus_screen_unbind (screen);
  if (_flowbus_binding_get (widget))
    binding_end (_flowbus_binding_get (widget));

  self = g_new0 (FlowbusBinding, 1);
  self->screen = g_object_ref (screen);
  self->widget = widget;
  self->back_input = FLOWBUS_BACK_INPUT_ALL;
  g_object_set_data_full (G_OBJECT (widget), FLOWBUS_BINDING_KEY, self, binding_free);
  g_object_set_data (G_OBJECT (screen), FLOWBUS_BINDING_KEY, self);

  flowbus_screen_set_options_func (screen, give_options, NULL, NULL);
  _flowbus_actions_attach (widget, screen);
  self->input = gtk_event_controller_legacy_new ();
  gtk_event_controller_set_propagation_phase (self->input, GTK_PHASE_CAPTURE);
  g_signal_connect (self->input, "event", G_CALLBACK (on_event), self);
  gtk_widget_add_controller (widget, self->input);
  _flowbus_back_input_attach (widget, on_back_input, self);
  g_signal_connect (widget, "map", G_CALLBACK (on_map), self);
  g_signal_connect (widget, "unmap", G_CALLBACK (on_unmap), self);
  g_signal_connect (widget, "destroy", G_CALLBACK (on_destroy), self);
  g_signal_connect (screen, "withdrawn", G_CALLBACK (on_withdrawn), self);
  g_signal_connect (screen, "returned", G_CALLBACK (on_present), self);
  g_signal_connect (screen, "updated", G_CALLBACK (on_present), self);
  if (gtk_widget_get_mapped (widget))
    on_map (widget, self);
  if (!flowbus_screen_is_live (screen))
    g_idle_add_full (G_PRIORITY_DEFAULT, end_withdrawn, g_object_ref (screen), g_object_unref);
  return self;
}

/* The compositor of a device gives a window the size of its output. With that from the beginning, nothing is painted twice. A bar is a
 * strip, whose size is its program's business. */
static void
take_output_size (FlowbusScreen *screen, GtkWindow *window)
{
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  if (width > 0 || height > 0 || gtk_widget_get_mapped (GTK_WIDGET (window)) ||
      g_strcmp0 (flowbus_screen_get_style (screen), "bar") == 0 || !flowbus_screen_get_output_size (screen, &width, &height))
    return;
  _flowbus_surface_scale_size (GTK_WIDGET (window), &width, &height);
  gtk_window_set_default_size (window, width, height);
}

/**
 * flowbus_screen_bind_window:
 * @screen: a screen
 * @window: the window that shows it
 *
 * Shows a screen in a window of its own, and presents the window.
 *
 * From now on the two belong together:
 *
 * - The screen is visible as soon as the window has painted its first picture, and while it is mapped. If that picture is not the one to
 *   be seen yet, set [property@Flowbus.Screen:ready] to %FALSE at once, and to %TRUE when it is.
 * - In a handler of [signal@Flowbus.Presenter::present], Present is answered when that picture is painted, with all that is known of the
 *   screen: showing it takes no other call. If the window is hidden, the answer does not wait, and never for more than a second.
 * - When the user closes the window, the screen is dismissed. Handlers of [signal@Gtk.Window::close-request] can refuse to close it,
 *   whether they are connected before or after. A window with [property@Gtk.Window:hide-on-close] is hidden instead, and its screen is
 *   not visible then.
 * - Escape, the Back button of a mouse and a swipe from the edge go back (see [func@screen_set_back_input]). Whatever in
 *   the window needs Escape takes it first, such as a popover or a search entry.
 * - Keys, clicks, touches and scrolling keep the flow from being idle, as steps do (see [method@Flowbus.Screen.touch]).
 * - The window has the title of the screen, as task switchers show it: that of [property@Gtk.Window:title].
 * - When the screen comes back in sight, or has new arguments, the window is presented, with the activation token if there is one.
 *   Under Wayland a window that is shown already comes to the front by a token alone. Where the compositor knows no tokens, and gives no
 *   program a way to raise windows, as cage before 0.3 and the kiosk shell of weston, the window is hidden and shown anew in place of
 *   that, unless it has the focus. The environment variable `FLOWBUS_RAISE` decides otherwise: `remap` has that done everywhere,
 *   `token` nowhere.
 * - A window without a [property@Gtk.Window:default-width] and [property@Gtk.Window:default-height] gets those of its output, if flowbusd
 *   knows them and the style of the screen is not "bar": its first picture has the size that the compositor gives it.
 * - A compositor knows which screen the window shows: on X11 by its property `_FLOWBUS_SCREEN`, on Wayland by the application id.
 * - When the screen is withdrawn, the window is destroyed; if it was withdrawn already, when control returns to the main loop.
 *
 * Where a compositor shows the windows of the screens in sight and no others, as that of a device does, set the environment variable
 * `FLOWBUS_LINGER_MS`: a withdrawn window then stays for so many milliseconds, without input, and its program does not exit before. So
 * the compositor can show it until the next screen is drawn, and nothing else is seen between the two. There, too, a window without a
 * default size has the size that the former window of this process, of the same style and output, was given: so its first picture need
 * not be painted again.
 *
 * The window has these actions, so that buttons and menus, also those of a UI file, need no code:
 *
 * - `screen.emit`, with a parameter of the type `(sa{sv})`: emits a step, by its name and arguments.
 * - `screen.back`: goes back.
 * - `screen.dismiss`: closes the window.
 */
void
flowbus_screen_bind_window (FlowbusScreen *screen, GtkWindow *window)
{
  FlowbusBinding *self;

  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));
  g_return_if_fail (GTK_IS_WINDOW (window));

  _flowbus_surface_expect_size (window, screen);
  take_output_size (screen, window);
  self = bind (screen, GTK_WIDGET (window));
  g_signal_connect (window, "realize", G_CALLBACK (on_realize), self);
  g_signal_connect (window, "notify::title", G_CALLBACK (on_title), self);
  g_signal_connect_after (window, "close-request", G_CALLBACK (on_close_request), self);
  if (gtk_widget_get_realized (GTK_WIDGET (window)))
    on_realize (GTK_WIDGET (window), self);
  if (gtk_window_get_title (window))
    on_title (window, NULL, self);
  if (flowbus_screen_is_live (screen))
    _flowbus_surface_present (window, screen);
}

/**
 * flowbus_screen_bind_widget:
 * @screen: a screen
 * @widget: the widget that shows it, in a window that may show other screens, too
 *
 * Shows a screen in a widget.
 *
 * The screen is visible while the widget is mapped, not before it is [property@Flowbus.Screen:ready], and is dismissed when the widget is
 * destroyed. The window around it is named
 * after the screen that it showed last, and is presented when the screen comes back in sight. What goes back, what counts as input,
 * and the actions are as in [func@screen_bind_window], for input within the widget. When the screen is withdrawn, the widget is hidden
 * and is no longer bound; the program takes it out of its parent in a handler of [signal@Flowbus.Screen::withdrawn].
 *
 * [class@NavigationView] does all that for several screens in one window.
 */
void
flowbus_screen_bind_widget (FlowbusScreen *screen, GtkWidget *widget)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));
  g_return_if_fail (GTK_IS_WIDGET (widget));
  g_return_if_fail (!GTK_IS_WINDOW (widget));

  bind (screen, widget);
}

/**
 * flowbus_screen_unbind:
 * @screen: a screen
 *
 * Separates a screen from its window or widget, of which nothing changes. The screen stays as it is, too: the program can bind
 * another window, which then shows it.
 */
void
flowbus_screen_unbind (FlowbusScreen *screen)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (screen));

  if (_flowbus_binding_get (screen))
    binding_end (_flowbus_binding_get (screen));
}
