/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

/**
 * FlowbusApplication:
 *
 * An application whose windows are screens: a [class@Gtk.Application] with a [class@Flowbus.Presenter] and a
 * [class@Flowbus.Guard].
 *
 * Its application id is the bus name that the definitions give as `presenter` and `guard`. A handler of
 * [signal@FlowbusGtk4.Application::show] shows each screen; everything else happens by itself:
 *
 * ```python
 * def show_films(app, screen):
 *     app.open_window(screen, "Films", Gtk.Label(label="None yet"))
 *
 * app = FlowbusGtk4.Application.new("org.example.Cinema")
 * app.connect("show::films", show_films)
 * app.run()
 * ```
 *
 * The application ends when it shows no screen any more; the bus starts it again for the next one. At the start it waits for its
 * first screen, however long that takes.
 *
 * The presenter owns the bus name, not the [class@Gio.Application], which is %G_APPLICATION_NON_UNIQUE for that reason: so no
 * screen is lost that comes while the application ends. Where another program has the name already, or there is no bus, this one
 * says so and ends: after the handlers of [signal@Gio.Application::shutdown] the process exits with the status 1, as
 * g_application_run() has no other one than 0 then.
 */

typedef struct
{
  FlowbusClient *client;
  FlowbusPresenter *presenter;
  FlowbusGuard *guard;
  gboolean is_held; /* no window keeps it from ending yet */
  gboolean has_failed;
} FlowbusApplicationPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (FlowbusApplication, flowbus_application, GTK_TYPE_APPLICATION)

enum
{
  PROP_PRESENTER = 1,
  PROP_GUARD,
  N_PROPERTIES
};

enum
{
  SHOW,
  ADAPT,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

static FlowbusApplicationPrivate *
get_private (FlowbusApplication *self)
{
  return flowbus_application_get_instance_private (self);
}

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen, FlowbusApplication *self)
{
  const char *name = flowbus_screen_get_name (screen);
  GtkWidget *widget;

  g_signal_emit (self, signals[SHOW], g_quark_from_string (name), screen);
  widget = flowbus_screen_get_bound_widget (screen);
  if (!flowbus_screen_is_live (screen) || (widget == NULL && flowbus_screen_is_held (screen)))
    return; /* The handler has refused it, or shows it later. */
  if (widget == NULL)
    {
      g_autofree char *message = g_strdup_printf ("'%s' shows no window for the screen '%s': no handler of 'show::%s' binds one",
                                                  flowbus_presenter_get_bus_name (presenter), name, name);

      g_message ("%s", message);
      flowbus_screen_refuse (screen, message);
    }
  else if (GTK_IS_WINDOW (widget) && gtk_window_get_application (GTK_WINDOW (widget)) == NULL)
    gtk_window_set_application (GTK_WINDOW (widget), GTK_APPLICATION (self));
}

static void
on_adapt (FlowbusGuard *guard, FlowbusQuestion *question, FlowbusApplication *self)
{
  g_signal_emit (self, signals[ADAPT], g_quark_from_string (flowbus_question_get_step (question)), question);
}

static void
let_go (FlowbusApplication *self)
{
  FlowbusApplicationPrivate *priv = get_private (self);

  if (priv->is_held)
    {
      priv->is_held = FALSE;
      g_application_release (G_APPLICATION (self));
    }
}

static void
on_idle (FlowbusPresenter *presenter, FlowbusApplication *self)
{
  let_go (self);
  g_application_quit (G_APPLICATION (self));
}

static void
fail (FlowbusApplication *self, const char *message)
{
  g_message ("%s", message);
  get_private (self)->has_failed = TRUE;
  let_go (self);
  g_application_quit (G_APPLICATION (self));
}

static void
on_lost_name (FlowbusPresenter *presenter, const char *message, FlowbusApplication *self)
{
  fail (self, message);
}

static void
on_closed (FlowbusClient *client, const GError *error, FlowbusApplication *self)
{
  fail (self, error->message);
}

/* It is the name of the presenter, too, which says why. */
static void
on_guard_lost_name (FlowbusGuard *guard, const char *message, FlowbusApplication *self)
{
}

static void
flowbus_application_startup (GApplication *application)
{
  FlowbusApplication *self = FLOWBUS_APPLICATION (application);
  FlowbusApplicationPrivate *priv = get_private (self);
  const char *name = g_application_get_application_id (application);

  G_APPLICATION_CLASS (flowbus_application_parent_class)->startup (application);

  g_application_hold (application);
  priv->is_held = TRUE;
  priv->client = g_application_get_dbus_connection (application)
                   ? flowbus_client_new_for_connection (g_application_get_dbus_connection (application))
                   : flowbus_client_new ();
  priv->guard = flowbus_guard_new_for_client (priv->client, name);
  priv->presenter = flowbus_presenter_new_for_client (priv->client, name);
  flowbus_presenter_set_exit_when_idle (priv->presenter, TRUE);
  g_signal_connect_object (priv->client, "closed", G_CALLBACK (on_closed), self, 0);
  g_signal_connect_object (priv->guard, "adapt", G_CALLBACK (on_adapt), self, 0);
  g_signal_connect_object (priv->guard, "lost-name", G_CALLBACK (on_guard_lost_name), self, 0);
  g_signal_connect_object (priv->presenter, "present", G_CALLBACK (on_present), self, 0);
  g_signal_connect_object (priv->presenter, "idle", G_CALLBACK (on_idle), self, 0);
  g_signal_connect_object (priv->presenter, "lost-name", G_CALLBACK (on_lost_name), self, 0);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_GUARD]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PRESENTER]);
}

/* Screens come by Present; there is no window without one. */
static void
flowbus_application_activate (GApplication *application)
{
}

static void
flowbus_application_shutdown (GApplication *application)
{
  FlowbusApplicationPrivate *priv = get_private (FLOWBUS_APPLICATION (application));

  if (priv->presenter)
    flowbus_presenter_close (priv->presenter);
  if (priv->guard)
    flowbus_guard_close (priv->guard);
  G_APPLICATION_CLASS (flowbus_application_parent_class)->shutdown (application);
  if (priv->has_failed)
    exit (EXIT_FAILURE);
}

static void
flowbus_application_constructed (GObject *object)
{
  GApplication *application = G_APPLICATION (object);

  G_OBJECT_CLASS (flowbus_application_parent_class)->constructed (object);
  g_application_set_flags (application, g_application_get_flags (application) | G_APPLICATION_NON_UNIQUE);
}

static void
flowbus_application_get_property (GObject *object, guint id, GValue *value, GParamSpec *property)
{
  FlowbusApplicationPrivate *priv = get_private (FLOWBUS_APPLICATION (object));

  switch (id)
    {
    case PROP_PRESENTER:
      g_value_set_object (value, priv->presenter);
      break;
    case PROP_GUARD:
      g_value_set_object (value, priv->guard);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, property);
    }
}

static void
flowbus_application_dispose (GObject *object)
{
  FlowbusApplicationPrivate *priv = get_private (FLOWBUS_APPLICATION (object));

  g_clear_object (&priv->presenter);
  g_clear_object (&priv->guard);
  g_clear_object (&priv->client);
  G_OBJECT_CLASS (flowbus_application_parent_class)->dispose (object);
}

static void
flowbus_application_class_init (FlowbusApplicationClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GApplicationClass *application_class = G_APPLICATION_CLASS (class);

  object_class->constructed = flowbus_application_constructed;
  object_class->get_property = flowbus_application_get_property;
  object_class->dispose = flowbus_application_dispose;
  application_class->startup = flowbus_application_startup;
  application_class->activate = flowbus_application_activate;
  application_class->shutdown = flowbus_application_shutdown;

  /**
   * FlowbusApplication:presenter:
   *
   * The presenter, which has the bus name; %NULL before the application has started.
   */
  properties[PROP_PRESENTER] = g_param_spec_object ("presenter", NULL, NULL, FLOWBUS_TYPE_PRESENTER,
                                                    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  /**
   * FlowbusApplication:guard:
   *
   * The guard of the same bus name; %NULL before the application has started.
   */
  properties[PROP_GUARD] = g_param_spec_object ("guard", NULL, NULL, FLOWBUS_TYPE_GUARD,
                                                G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  /**
   * FlowbusApplication::show:
   * @self: the application
   * @screen: the screen to show
   *
   * Emitted once for each screen that this application is to show, with the name of the screen as the detail.
   *
   * The handler calls [method@FlowbusGtk4.Application.open_window], [func@screen_bind_window], [func@screen_bind_widget] or
   * [method@FlowbusGtk4.NavigationView.add]. If no handler does, the screen is refused, and flowbusd dismisses it, unless a handler
   * puts it off by [method@Flowbus.Screen.hold].
   */
  signals[SHOW] = g_signal_new ("show", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED,
                                G_STRUCT_OFFSET (FlowbusApplicationClass, show), NULL, NULL, NULL, G_TYPE_NONE, 1,
                                FLOWBUS_TYPE_SCREEN);

  /**
   * FlowbusApplication::adapt:
   * @self: the application
   * @question: the step, to be answered
   *
   * Emitted for each step that a flow asks this application about, with the name of the step as the detail.
   *
   * The handler answers, now or later, by [method@Flowbus.Question.accept], [method@Flowbus.Question.reject] or
   * [method@Flowbus.Question.replace]. Without an answer the step fails.
   */
  signals[ADAPT] = g_signal_new ("adapt", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED,
                                 G_STRUCT_OFFSET (FlowbusApplicationClass, adapt), NULL, NULL, NULL, G_TYPE_NONE, 1,
                                 FLOWBUS_TYPE_QUESTION);
}

static void
flowbus_application_init (FlowbusApplication *self)
{
}

/**
 * flowbus_application_new:
 * @bus_name: the bus name that the definitions give as `presenter`, such as `org.example.Cinema`
 *
 * Makes an application whose windows are screens.
 *
 * Returns: (transfer full): the application
 */
FlowbusApplication *
flowbus_application_new (const char *bus_name)
{
  g_return_val_if_fail (g_application_id_is_valid (bus_name), NULL);

  return g_object_new (FLOWBUS_TYPE_APPLICATION, "application-id", bus_name, NULL);
}

/**
 * flowbus_application_open_window:
 * @self: the application
 * @screen: the screen to show
 * @title: (nullable): the title of the window
 * @child: (nullable): what the window contains
 *
 * Opens a window that shows a screen (see [func@screen_bind_window]).
 *
 * Returns: (transfer none): the window, a [class@Gtk.ApplicationWindow]
 */
GtkWindow *
flowbus_application_open_window (FlowbusApplication *self, FlowbusScreen *screen, const char *title, GtkWidget *child)
{
  GtkWindow *window;

  g_return_val_if_fail (FLOWBUS_IS_APPLICATION (self), NULL);
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (screen), NULL);
  g_return_val_if_fail (child == NULL || GTK_IS_WIDGET (child), NULL);

  window = GTK_WINDOW (gtk_application_window_new (GTK_APPLICATION (self)));
  gtk_window_set_title (window, title);
  gtk_window_set_child (window, child);
  flowbus_screen_bind_window (screen, window);
  return window;
}

/**
 * flowbus_application_get_presenter:
 * @self: the application
 *
 * Gets the presenter of the application, which knows all its screens.
 *
 * Returns: (transfer none) (nullable): the presenter; %NULL before the application has started
 */
FlowbusPresenter *
flowbus_application_get_presenter (FlowbusApplication *self)
{
  g_return_val_if_fail (FLOWBUS_IS_APPLICATION (self), NULL);

  return get_private (self)->presenter;
}

/**
 * flowbus_application_get_guard:
 * @self: the application
 *
 * Gets the guard of the application, for instance to close it.
 *
 * Returns: (transfer none) (nullable): the guard; %NULL before the application has started
 */
FlowbusGuard *
flowbus_application_get_guard (FlowbusApplication *self)
{
  g_return_val_if_fail (FLOWBUS_IS_APPLICATION (self), NULL);

  return get_private (self)->guard;
}
