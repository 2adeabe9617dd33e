/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#include <flowbus/flowbus-linger-private.h>

#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif
#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/wayland/gdkwayland.h>
#endif

#include <unistd.h>

#define TREE "/org/flowbus/Navigation1/tree/"
#define INPUT_KEY "flowbus-input"

/* After this time a step is no longer what the user's input asked for. */
#define INPUT_LIFE (1 * G_TIME_SPAN_SECOND)

typedef struct
{
  gint64 arrived;      /* when GTK had the latest event, in microseconds of the monotonic clock; 0 if there was none */
  gint64 happened;     /* when the windowing system says that it was */
  guint32 time;        /* the same, as the windowing system said it */
} Input;

/* Events have 32 bits of milliseconds. They are of the monotonic clock with all compositors and servers of today, but nobody promises
 * that: a time that is not within the last minute is another clock's. */
static gint64
moment_of (guint32 event_time, gint64 now)
{
  guint32 ago = (guint32) (now / 1000) - event_time;

  return event_time != GDK_CURRENT_TIME && ago < 60 * 1000 ? now - (gint64) ago * 1000 : now;
}

static gboolean
on_event (GtkEventController *controller, GdkEvent *event, gpointer user_data)
{
  Input *input = user_data;

  switch (gdk_event_get_event_type (event))
    {
    case GDK_BUTTON_PRESS:
    case GDK_BUTTON_RELEASE:
    case GDK_KEY_PRESS:
    case GDK_KEY_RELEASE:
    case GDK_TOUCH_BEGIN:
    case GDK_TOUCH_END:
      input->arrived = g_get_monotonic_time ();
      input->time = gdk_event_get_time (event);
      input->happened = moment_of (input->time, input->arrived);
      break;
    default:
      break;
    }
  return GDK_EVENT_PROPAGATE;
}

/* GTK 4 does not tell which event it handles at the moment, so the toplevel's is noted. */
void
_flowbus_surface_watch_input (GtkWidget *toplevel)
{
  GtkEventController *controller;
  Input *input;

  if (g_object_get_data (G_OBJECT (toplevel), INPUT_KEY))
    return;
  input = g_new0 (Input, 1);
  g_object_set_data_full (G_OBJECT (toplevel), INPUT_KEY, input, g_free);
  controller = gtk_event_controller_legacy_new ();
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect (controller, "event", G_CALLBACK (on_event), input);
  gtk_widget_add_controller (toplevel, controller);
}

/* X11 has the pixels of the display, Wayland those that GTK measures in. */
void
_flowbus_surface_scale_size (GtkWidget *toplevel, int *width, int *height)
{
#ifdef GDK_WINDOWING_X11
  if (GDK_IS_X11_DISPLAY (gtk_widget_get_display (toplevel)))
    {
      int scale = MAX (gtk_widget_get_scale_factor (toplevel), 1);

      *width /= scale;
      *height /= scale;
    }
#endif
}

static char *
make_token (GdkDisplay *display, const Input *input)
{
#ifdef GDK_WINDOWING_WAYLAND
  if (GDK_IS_WAYLAND_DISPLAY (display))
    {
      g_autoptr (GdkAppLaunchContext) context = gdk_display_get_app_launch_context (display);
      /* GLib before 2.82 wants an application, which GDK does not look at. */
      g_autoptr (GAppInfo) application = g_app_info_create_from_commandline ("flowbus", NULL, G_APP_INFO_CREATE_NONE, NULL);

      /* The compositor makes it, for the surface with the keyboard and the latest input. */
      return g_app_launch_context_get_startup_notify_id (G_APP_LAUNCH_CONTEXT (context), application, NULL);
    }
#endif
#ifdef GDK_WINDOWING_X11
  if (GDK_IS_X11_DISPLAY (display) && input->time != GDK_CURRENT_TIME)
    return g_strdup_printf ("flowbus-%d-%u_TIME%u", (int) getpid (), input->time, input->time);
#endif
  return NULL;
}

/* The options that go with a step or Back from this widget: when the user's input was, and a token that lets the next window come to
 * the front. None if there was no input lately, as then the user has not asked for it. */
GVariant *
_flowbus_surface_get_options (GtkWidget *widget, gboolean is_back)
{
  GtkWidget *toplevel = widget ? GTK_WIDGET (gtk_widget_get_root (widget)) : NULL;
  const Input *input = toplevel ? g_object_get_data (G_OBJECT (toplevel), INPUT_KEY) : NULL;
  g_autofree char *token = NULL;
  GVariantDict options;

  if (input == NULL || input->arrived == 0 || g_get_monotonic_time () - input->arrived > INPUT_LIFE)
    return NULL;
  g_variant_dict_init (&options, NULL);
  if (!is_back)
    g_variant_dict_insert (&options, "inputTime", "t", (guint64) input->happened);
  token = make_token (gtk_widget_get_display (toplevel), input);
  if (token && *token)
    g_variant_dict_insert (&options, "activation-token", "s", token);
  return g_variant_dict_end (&options);
}

/* Says which screen a window shows (S-38): on X11 at any time after it is realized, on Wayland after it is mapped, as mapping makes
 * the toplevel, with a name of GTK's. */
void
_flowbus_surface_identify (GtkWidget *toplevel, FlowbusScreen *screen)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (toplevel));
  const char *path = flowbus_screen_get_path (screen);
  g_autofree char *name = NULL;

  if (surface == NULL || !g_str_has_prefix (path, TREE))
    return;
#ifdef GDK_WINDOWING_X11
  if (GDK_IS_X11_SURFACE (surface))
    {
      name = g_strdup_printf ("%s %" G_GUINT64_FORMAT, path, flowbus_screen_get_instance (screen));
      gdk_x11_surface_set_utf8_property (surface, "_FLOWBUS_SCREEN", name);
      return;
    }
#endif
#ifdef GDK_WINDOWING_WAYLAND
  if (GDK_IS_WAYLAND_TOPLEVEL (surface))
    {
      name = g_strdup_printf ("org.flowbus.screen.%s-%" G_GUINT64_FORMAT, path + strlen (TREE), flowbus_screen_get_instance (screen));
      gdk_wayland_toplevel_set_application_id (GDK_TOPLEVEL (surface), g_strdelimit (name, "/", '.'));
    }
#endif
}

typedef struct
{
  int width;
  int height;
} Size;

/* What windows were given, by output and style. Where windows linger, a compositor gives each window the size of its place. */
static GHashTable *
get_sizes (void)
{
  static GHashTable *sizes;

  if (sizes == NULL)
    sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return _flowbus_linger_time ("") ? sizes : NULL;
}

static char *
place_of (FlowbusScreen *screen)
{
  const char *output = flowbus_screen_get_output (screen);
  const char *style = flowbus_screen_get_style (screen);

  return g_strdup_printf ("%s %s", output ? output : "", style ? style : "");
}

static void
on_layout (GdkSurface *surface, int width, int height, FlowbusScreen *screen)
{
  GtkNative *native = gtk_native_get_for_surface (surface);
  Size *size;

  if (native == NULL || get_sizes () == NULL)
    return;
  size = g_new (Size, 1);
  *size = (Size) { gtk_widget_get_width (GTK_WIDGET (native)), gtk_widget_get_height (GTK_WIDGET (native)) };
  g_hash_table_insert (get_sizes (), place_of (screen), size);
}

/* From when the window is mapped; without the shadow that the surface may have. */
void
_flowbus_surface_note_sizes (GtkWidget *toplevel, FlowbusScreen *screen)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (toplevel));

  if (get_sizes () == NULL)
    return;
  g_signal_handlers_disconnect_by_func (surface, on_layout, screen);
  g_signal_connect_object (surface, "layout", G_CALLBACK (on_layout), screen, G_CONNECT_AFTER);
}

/* GTK would paint a new window in the size that its contents ask for, and once more in that which the compositor gives it. */
void
_flowbus_surface_expect_size (GtkWindow *window, FlowbusScreen *screen)
{
  g_autofree char *place = place_of (screen);
  const Size *size = get_sizes () ? g_hash_table_lookup (get_sizes (), place) : NULL;
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  if (size && width <= 0 && height <= 0 && !gtk_widget_get_mapped (GTK_WIDGET (window)))
    gtk_window_set_default_size (window, size->width, size->height);
}

/* Whether a window comes to the front by being mapped, and by nothing else. So it is where the compositor gives nobody a protocol for it,
 * such as cage before 0.3 and the kiosk shell of weston. Where there is xdg-activation, a window flickers for nothing: GNOME Shell, and
 * KWin, which hides its own protocol from all but a few programs, take tokens. */
static gboolean
comes_by_mapping (GdkDisplay *display)
{
  const char *way = g_getenv ("FLOWBUS_RAISE");
  gboolean is_wanted = g_strcmp0 (way, "remap") == 0, is_known = is_wanted || g_strcmp0 (way, "token") == 0;

  if (way && *way && !is_known)
    {
      static gsize warned;

      if (g_once_init_enter (&warned))
        {
          g_warning ("FLOWBUS_RAISE is '%s'; set it to 'remap' or 'token', or not at all", way);
          g_once_init_leave (&warned, 1);
        }
    }
#ifdef GDK_WINDOWING_WAYLAND
  if (!is_known && GDK_IS_WAYLAND_DISPLAY (display))
    {
      static const char *const protocols[] = { "xdg_activation_v1", "zwlr_foreign_toplevel_manager_v1", "org_kde_plasma_window_management" };

      is_wanted = TRUE;
      for (gsize at = 0; at < G_N_ELEMENTS (protocols); at++)
        is_wanted = is_wanted && !gdk_wayland_display_query_registry (display, protocols[at]);
    }
#endif
  return is_wanted;
}

static gboolean is_remapping;

/* Whether a window is hidden to be shown at once, so that its screen is as visible as before. */
gboolean
_flowbus_surface_is_remapping (void)
{
  return is_remapping;
}

/* Whether a window has the focus, or a dialog of it. With such a compositor, that is what is in front. */
static gboolean
is_in_front (GtkWindow *window, GList *windows)
{
  gboolean found = gtk_window_is_active (window);

  for (GList *it = windows; it && !found; it = it->next)
    found = gtk_window_get_transient_for (it->data) == window && is_in_front (it->data, windows);
  return found;
}

/* The window that was in front stays there until this one is drawn. Dialogs stay above it. */
static void
remap (GtkWindow *window, GList *windows)
{
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (window), TRUE);
  for (GList *it = windows; it; it = it->next)
    if (gtk_window_get_transient_for (it->data) == window && gtk_widget_get_mapped (it->data))
      remap (it->data, windows);
}

/* Shows a window, and brings it to the front with the token that came with the screen. */
void
_flowbus_surface_present (GtkWindow *window, FlowbusScreen *screen)
{
  g_autofree char *token = flowbus_screen_take_activation_token (screen);

  if (gtk_widget_get_mapped (GTK_WIDGET (window)) && comes_by_mapping (gtk_widget_get_display (GTK_WIDGET (window))))
    {
      g_autoptr (GList) windows = gtk_window_list_toplevels ();

      if (is_in_front (window, windows))
        return;
      is_remapping = TRUE;
      remap (window, windows);
      is_remapping = FALSE;
      return;
    }
  if (token && *token)
    {
      gtk_window_set_startup_id (window, token);
#ifdef GDK_WINDOWING_WAYLAND
      /* GTK before 4.10 takes the token from here alone, when it presents the window. */
      G_GNUC_BEGIN_IGNORE_DEPRECATIONS
      if (GDK_IS_WAYLAND_DISPLAY (gtk_widget_get_display (GTK_WIDGET (window))))
        gdk_wayland_display_set_startup_notification_id (gtk_widget_get_display (GTK_WIDGET (window)), token);
      G_GNUC_END_IGNORE_DEPRECATIONS
#endif
    }
#ifdef GDK_WINDOWING_WAYLAND
  /* Without one, who has the focus keeps it. GTK 4.18 does not leave it at that: of a window that is shown already, it asks for a token
   * of its own, which the compositor grants if another window of this process has the focus. */
  else if (gtk_widget_get_mapped (GTK_WIDGET (window)) && GDK_IS_WAYLAND_DISPLAY (gtk_widget_get_display (GTK_WIDGET (window))))
    return;
#endif
  gtk_window_present (window);
}
