/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-linger-private.h"
#include "flowbus-presenter-private.h"

/**
 * FlowbusPresenter:
 *
 * Shows screens for flowbusd: the key `presenter` of their definitions names its bus name.
 *
 * ```c
 * FlowbusPresenter *presenter = flowbus_presenter_new ("com.kiosk.Shop");
 * g_signal_connect (presenter, "present::detail", G_CALLBACK (on_detail), NULL);
 * g_signal_connect (presenter, "present::pin", G_CALLBACK (on_pin), NULL);
 * ```
 *
 * It exports its object, and then owns the name, when control returns to the main loop: connect to its signals before. For each
 * screen, [signal@Flowbus.Presenter::present] is emitted once; what becomes of it later is told by the signals of
 * [class@Flowbus.Screen]. When flowbusd was restarted, the screens that are still live stay as they are, and the others are
 * withdrawn.
 *
 * The watchdog of flowbusd calls `Alive`, which the main loop answers: a program whose main loop hangs does not answer. Nor does it
 * answer the watchdog of systemd ([class@Flowbus.Client]), which ends it then.
 */
enum {
  PROP_CLIENT = 1,
  PROP_BUS_NAME,
  PROP_OBJECT_PATH,
  PROP_NAME_FLAGS,
  PROP_NAME_OWNED,
  PROP_EXIT_WHEN_IDLE,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

enum { PRESENT, WITHDRAW, ACQUIRED_NAME, LOST_NAME, IDLE_SIGNAL, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (FlowbusPresenter, flowbus_presenter, G_TYPE_OBJECT)

static gboolean
end_lingering (gpointer client)
{
  _flowbus_client_end_work (client);
  _flowbus_client_check_idle (client);
  return G_SOURCE_REMOVE;
}

/* A screen is gone, and its window may linger: see flowbus_screen_bind_window(). */
static void
linger (FlowbusPresenter *self, const char *reason)
{
  guint time = _flowbus_linger_time (reason);
  GSource *source;

  if (!time)
    return;
  _flowbus_client_begin_work (self->client);
  source = g_timeout_source_new (time);
  g_source_set_callback (source, end_lingering, g_object_ref (self->client), g_object_unref);
  g_source_attach (source, _flowbus_client_get_context (self->client));
  g_source_unref (source);
}

static void
screen_gone (FlowbusPresenter *self, FlowbusScreen *screen, const char *reason)
{
  guint64 instance = flowbus_screen_get_instance (screen);

  if (g_hash_table_lookup (self->screens, &instance) != screen)
    return;
  g_object_ref (self);
  g_hash_table_remove (self->screens, &instance);
  g_signal_emit (self, signals[WITHDRAW], 0, screen, reason);
  if (!self->is_closed) {
    linger (self, reason);
    _flowbus_client_check_idle (self->client);
  }
  g_object_unref (self);
}

static gboolean
is_handled (FlowbusPresenter *self, GQuark detail)
{
  return g_signal_handler_find (self, G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DETAIL, signals[PRESENT], detail, NULL, NULL, NULL) != 0;
}

static gboolean
handle_present (FlowbusContractPresenter *skeleton, GDBusMethodInvocation *invocation, const char *path, const char *name,
                GVariant *arguments, GVariant *details, gpointer data)
{
  FlowbusPresenter *self = data;
  g_autoptr (FlowbusScreen) screen = NULL;
  guint64 instance = 0;
  GQuark detail;
  gboolean is_known;

  if (!g_variant_lookup (details, "instance", "t", &instance) || !instance) {
    g_dbus_method_invocation_return_error (invocation, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                                           "the details of '%s' have no 'instance' of the type 't'", path);
    return TRUE;
  }
  g_object_ref (self);
  self->was_called = TRUE;
  screen = g_hash_table_lookup (self->screens, &instance);
  is_known = screen != NULL;
  if (is_known) {
    g_object_ref (screen);
    _flowbus_screen_take_present (screen, arguments, details, invocation);
    _flowbus_screen_end_present (screen, TRUE);
    g_object_unref (self);
    return TRUE;
  }
  /* Handlers for this screen alone count, and those for all. */
  detail = g_quark_from_string (name);
  if (!is_handled (self, detail) && !is_handled (self, 0)) {
    g_autofree char *message = g_strdup_printf ("this program does not show the screen '%s'", name);

    g_dbus_method_invocation_return_dbus_error (invocation, FLOWBUS_PRESENT_REFUSED, message);
    g_object_unref (self);
    return TRUE;
  }
  screen = _flowbus_screen_new (self, screen_gone, self->client, path, name, instance);
  g_hash_table_insert (self->screens, g_memdup2 (&instance, sizeof instance), g_object_ref (screen));
  _flowbus_screen_take_present (screen, arguments, details, invocation);
  g_signal_emit (self, signals[PRESENT], detail, screen);
  if (flowbus_screen_is_live (screen))
    _flowbus_screen_end_present (screen, FALSE);
  g_object_unref (self);
  return TRUE;
}

static gboolean
handle_withdraw (FlowbusContractPresenter *skeleton, GDBusMethodInvocation *invocation, const char *path, guint64 instance,
                 const char *reason, gpointer data)
{
  FlowbusPresenter *self = data;
  FlowbusScreen *screen = g_hash_table_lookup (self->screens, &instance);

  flowbus_contract_presenter_complete_withdraw (skeleton, invocation);
  if (screen) {
    g_object_ref (screen);
    if (g_str_equal (reason, "evicted"))
      _flowbus_screen_evict (screen);
    _flowbus_screen_withdraw (screen, reason);
    g_object_unref (screen);
  }
  return TRUE;
}

static gboolean
handle_alive (FlowbusContractPresenter *skeleton, GDBusMethodInvocation *invocation, gpointer data)
{
  flowbus_contract_presenter_complete_alive (skeleton, invocation);
  return TRUE;
}

static void
lose_name (FlowbusPresenter *self, const char *message)
{
  if (!g_signal_has_handler_pending (self, signals[LOST_NAME], 0, TRUE))
    g_message ("%s", message);
  g_signal_emit (self, signals[LOST_NAME], 0, message);
}

static void
name_changed (gpointer user, gboolean owned, const char *message)
{
  FlowbusPresenter *self = user;

  if (self->is_owned != owned) {
    self->is_owned = owned;
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME_OWNED]);
  }
  if (owned)
    g_signal_emit (self, signals[ACQUIRED_NAME], 0);
  else if (message)
    lose_name (self, message);
  if (owned)
    _flowbus_client_check_idle (self->client);
}

static void
start (gpointer part)
{
  FlowbusPresenter *self = part;
  g_autoptr (GError) error = NULL;
  gboolean exported;

  if (self->is_closed)
    return;
  self->is_started = TRUE;
  _flowbus_client_enter (self->client);
  exported = g_dbus_interface_skeleton_export (G_DBUS_INTERFACE_SKELETON (self->skeleton),
                                               flowbus_client_get_connection (self->client), self->object_path, &error);
  _flowbus_client_leave (self->client);
  if (!exported) {
    g_autofree char *message = g_strdup_printf ("can't export '%s': %s", self->object_path, error->message);

    lose_name (self, message);
    return;
  }
  _flowbus_names_own (_flowbus_client_get_names (self->client), self->bus_name, self->flags, self, name_changed);
}

static gboolean
is_idle (FlowbusPresenter *self)
{
  return self->exit_when_idle && self->was_called && !self->is_closed && !g_hash_table_size (self->screens) &&
         !_flowbus_client_is_busy (self->client);
}

static void
released (gpointer user)
{
  FlowbusPresenter *self = user;

  if (self->state != RELEASING || self->is_closed)
    return;
  if (is_idle (self)) {
    self->state = IDLE;
    g_signal_emit (self, signals[IDLE_SIGNAL], 0);
  } else {
    /* A call came while it still had its name. */
    self->state = RUNNING;
    _flowbus_names_request (_flowbus_client_get_names (self->client), self->bus_name);
  }
}

static void
check_idle (gpointer part)
{
  FlowbusPresenter *self = part;
  FlowbusNames *names = _flowbus_client_get_names (self->client);

  if (self->state != RUNNING || !self->is_owned || !is_idle (self) ||
      _flowbus_names_is_shared (names, self->bus_name, self))
    return;
  self->state = RELEASING;
  _flowbus_names_release (names, self->bus_name, self, released);
}

/**
 * flowbus_presenter_close:
 * @self: a presenter
 *
 * Gives the bus name back, and takes no more calls. Its screens are withdrawn here, with the reason "closed". The service learns
 * of that when the connection to the bus ends, and then does what the definitions say (`whenOwnerGone`); dismiss or release the
 * screens before, if the program goes on.
 *
 * The end of the presenter does the same.
 */
void
flowbus_presenter_close (FlowbusPresenter *self)
{
  g_autoptr (GList) screens = NULL;

  g_return_if_fail (FLOWBUS_IS_PRESENTER (self));
  if (self->is_closed)
    return;
  g_object_ref (self);
  self->is_closed = TRUE;
  _flowbus_client_remove_part (self->client, self);
  _flowbus_names_disown (_flowbus_client_get_names (self->client), self->bus_name, self);
  if (g_dbus_interface_skeleton_get_connection (G_DBUS_INTERFACE_SKELETON (self->skeleton)))
    g_dbus_interface_skeleton_unexport (G_DBUS_INTERFACE_SKELETON (self->skeleton));
  screens = flowbus_presenter_list_screens (self);
  g_list_foreach (screens, (GFunc) g_object_ref, NULL);
  for (GList *link = screens; link; link = link->next) {
    _flowbus_screen_withdraw (link->data, "closed");
    g_object_unref (link->data);
  }
  if (self->is_owned) {
    self->is_owned = FALSE;
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME_OWNED]);
  }
  g_object_unref (self);
}

static void
flowbus_presenter_constructed (GObject *object)
{
  FlowbusPresenter *self = FLOWBUS_PRESENTER (object);

  G_OBJECT_CLASS (flowbus_presenter_parent_class)->constructed (object);
  if (!self->client)
    self->client = flowbus_client_new ();
  if (!self->bus_name || !g_dbus_is_name (self->bus_name) || g_dbus_is_unique_name (self->bus_name)) {
    if (self->bus_name)
      g_critical ("'%s' is no bus name of a presenter; one is, for example, 'com.kiosk.Shop'", self->bus_name);
    else
      g_critical ("a presenter needs the property 'bus-name', for example 'com.kiosk.Shop'");
    self->is_closed = TRUE;
    return;
  }
  self->object_path = _flowbus_names_path (self->bus_name, self->given_path);
  if (!g_variant_is_object_path (self->object_path)) {
    g_critical ("'%s' is no object path of a presenter; one is, for example, '/com/kiosk/Shop'", self->object_path);
    self->is_closed = TRUE;
    return;
  }
  g_signal_connect (self->skeleton, "handle-present", G_CALLBACK (handle_present), self);
  g_signal_connect (self->skeleton, "handle-withdraw", G_CALLBACK (handle_withdraw), self);
  g_signal_connect (self->skeleton, "handle-alive", G_CALLBACK (handle_alive), self);
  _flowbus_client_add_part (self->client, self, start, check_idle);
}

static void
flowbus_presenter_dispose (GObject *object)
{
  FlowbusPresenter *self = FLOWBUS_PRESENTER (object);

  flowbus_presenter_close (self);
  g_signal_handlers_disconnect_by_data (self->skeleton, self);
  G_OBJECT_CLASS (flowbus_presenter_parent_class)->dispose (object);
}

static void
flowbus_presenter_finalize (GObject *object)
{
  FlowbusPresenter *self = FLOWBUS_PRESENTER (object);

  g_hash_table_unref (self->screens);
  g_clear_object (&self->skeleton);
  g_clear_object (&self->client);
  g_free (self->bus_name);
  g_free (self->given_path);
  g_free (self->object_path);
  G_OBJECT_CLASS (flowbus_presenter_parent_class)->finalize (object);
}

static void
flowbus_presenter_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusPresenter *self = FLOWBUS_PRESENTER (object);

  switch (id) {
  case PROP_CLIENT: g_value_set_object (value, self->client); break;
  case PROP_BUS_NAME: g_value_set_string (value, self->bus_name); break;
  case PROP_OBJECT_PATH: g_value_set_string (value, self->object_path); break;
  case PROP_NAME_FLAGS: g_value_set_flags (value, self->flags); break;
  case PROP_NAME_OWNED: g_value_set_boolean (value, self->is_owned); break;
  case PROP_EXIT_WHEN_IDLE: g_value_set_boolean (value, self->exit_when_idle); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_presenter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  FlowbusPresenter *self = FLOWBUS_PRESENTER (object);

  switch (id) {
  case PROP_CLIENT: self->client = g_value_dup_object (value); break;
  case PROP_BUS_NAME: self->bus_name = g_value_dup_string (value); break;
  case PROP_OBJECT_PATH: self->given_path = g_value_dup_string (value); break;
  case PROP_NAME_FLAGS: self->flags = g_value_get_flags (value); break;
  case PROP_EXIT_WHEN_IDLE: flowbus_presenter_set_exit_when_idle (self, g_value_get_boolean (value)); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_presenter_class_init (FlowbusPresenterClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);

  object->constructed = flowbus_presenter_constructed;
  object->dispose = flowbus_presenter_dispose;
  object->finalize = flowbus_presenter_finalize;
  object->get_property = flowbus_presenter_get_property;
  object->set_property = flowbus_presenter_set_property;

  /**
   * FlowbusPresenter:client: (getter get_client)
   *
   * The client; by default a new one on the session bus.
   */
  properties[PROP_CLIENT] = g_param_spec_object ("client", NULL, NULL, FLOWBUS_TYPE_CLIENT,
                                                 G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusPresenter:bus-name: (getter get_bus_name)
   *
   * The bus name by which definitions name the presenter.
   */
  properties[PROP_BUS_NAME] = g_param_spec_string ("bus-name", NULL, NULL, NULL,
                                                   G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusPresenter:object-path: (getter get_object_path)
   *
   * The object; by default the one that follows from the bus name, such as /com/kiosk/Shop. Only where the definition gives a
   * `path` it is another one.
   */
  properties[PROP_OBJECT_PATH] = g_param_spec_string ("object-path", NULL, NULL, NULL,
                                                      G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusPresenter:name-flags: (getter get_name_flags)
   *
   * How the bus name is requested. By default the program waits in the queue for a name that another one has.
   */
  properties[PROP_NAME_FLAGS] =
    g_param_spec_flags ("name-flags", NULL, NULL, G_TYPE_BUS_NAME_OWNER_FLAGS, G_BUS_NAME_OWNER_FLAGS_NONE,
                        G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusPresenter:name-owned: (getter get_name_owned)
   *
   * Whether the program owns the bus name.
   */
  properties[PROP_NAME_OWNED] = g_param_spec_boolean ("name-owned", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * FlowbusPresenter:exit-when-idle: (getter get_exit_when_idle) (setter set_exit_when_idle)
   *
   * Whether [signal@Flowbus.Presenter::idle] is emitted when the program has no screen any more.
   */
  properties[PROP_EXIT_WHEN_IDLE] =
    g_param_spec_boolean ("exit-when-idle", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object, N_PROPS, properties);

  /**
   * FlowbusPresenter::present:
   * @self: the presenter
   * @screen: the new screen
   *
   * A screen is to be shown that this program does not show yet. The detail is its name: "present::detail" is for the screen
   * "detail" alone. A screen for which there is no handler is refused.
   *
   * The handler makes the view, and calls flowbus_screen_set_visible() when there is something to see, now or later. If it can't
   * show the screen now, it calls flowbus_screen_fail(), and if it never will, flowbus_screen_refuse(). If it does not know yet, it
   * calls flowbus_screen_hold(). Otherwise the program owns the screen when the handlers have returned.
   *
   * [property@Flowbus.Screen:state] has what an earlier process saved.
   */
  signals[PRESENT] = g_signal_new ("present", FLOWBUS_TYPE_PRESENTER, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, FLOWBUS_TYPE_SCREEN);
  /**
   * FlowbusPresenter::withdraw:
   * @self: the presenter
   * @screen: the screen
   * @reason: why, as in [signal@Flowbus.Screen::withdrawn]
   *
   * A screen is gone, or was taken from this program. Comes after the screen's own signal.
   */
  signals[WITHDRAW] = g_signal_new ("withdraw", FLOWBUS_TYPE_PRESENTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                    FLOWBUS_TYPE_SCREEN, G_TYPE_STRING);
  /**
   * FlowbusPresenter::acquired-name:
   * @self: the presenter
   *
   * The program owns the bus name now.
   */
  signals[ACQUIRED_NAME] =
    g_signal_new ("acquired-name", FLOWBUS_TYPE_PRESENTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusPresenter::lost-name:
   * @self: the presenter
   * @message: who has it, or why the bus refused
   *
   * The program does not get the bus name, or has lost it. It keeps the screens that it has. Without a handler, the message is
   * logged.
   */
  signals[LOST_NAME] =
    g_signal_new ("lost-name", FLOWBUS_TYPE_PRESENTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  /**
   * FlowbusPresenter::idle:
   * @self: the presenter
   *
   * The program has no screen any more, and may exit: quit the main loop. Only with [property@Flowbus.Presenter:exit-when-idle],
   * and never before the first screen. All calls of the program have been answered, it has given its bus name back, and it has
   * served what had been called until then. So no call is lost: the bus starts another process with the next one.
   *
   * While a guard of the program has not answered a question, or another presenter of the program has the same bus name, the
   * program is not idle. A guard of the same bus name gives it back with the presenter.
   */
  signals[IDLE_SIGNAL] =
    g_signal_new ("idle", FLOWBUS_TYPE_PRESENTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
flowbus_presenter_init (FlowbusPresenter *self)
{
  self->screens = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_object_unref);
  self->skeleton = flowbus_contract_presenter_skeleton_new ();
}

/**
 * flowbus_presenter_set_exit_when_idle: (set-property exit-when-idle)
 * @self: a presenter
 * @exit_when_idle: whether [signal@Flowbus.Presenter::idle] is emitted
 *
 * Sets [property@Flowbus.Presenter:exit-when-idle].
 */
void
flowbus_presenter_set_exit_when_idle (FlowbusPresenter *self, gboolean exit_when_idle)
{
  g_return_if_fail (FLOWBUS_IS_PRESENTER (self));
  if (self->exit_when_idle == !!exit_when_idle)
    return;
  self->exit_when_idle = !!exit_when_idle;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXIT_WHEN_IDLE]);
  if (exit_when_idle && self->client)
    _flowbus_client_check_idle (self->client);
}
