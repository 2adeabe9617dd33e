/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

/**
 * FlowbusScreen:
 *
 * A screen that this program shows, from [signal@Flowbus.Presenter::present] to [signal@Flowbus.Screen::withdrawn].
 *
 * ```c
 * static void
 * on_detail (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
 * {
 *   show_item (flowbus_screen_get_int64 (screen, "item"));
 *   flowbus_screen_set_visible (screen, TRUE);
 *   g_signal_connect (screen, "withdrawn", G_CALLBACK (on_withdrawn), NULL);
 * }
 * ```
 *
 * When the handler returns, the service is answered, with all that the program has said of the screen by then: that it is visible, its
 * title. What is said later are calls.
 *
 * What the user does becomes a step, by flowbus_screen_emit_async(). Do not hide or close anything because of a step: the flow
 * decides what happens to the screen, and the signals tell. When the user closes the view, call
 * flowbus_screen_dismiss_async(): [signal@Flowbus.Screen::withdrawn] follows, as always when a screen goes.
 *
 * All calls go to the instance of the screen, so that they never mean another one that has its path by then. Calls that were
 * lost with flowbusd are repeated.
 */

enum {
  PROP_CLIENT = 1,
  PROP_PRESENTER,
  PROP_PATH,
  PROP_INSTANCE,
  PROP_NAME,
  PROP_FLOW,
  PROP_ROOT,
  PROP_STYLE,
  PROP_STYLES,
  PROP_REASON,
  PROP_OUTPUT,
  PROP_DIRECTION,
  PROP_ACTIVATION_TOKEN,
  PROP_SERIAL,
  PROP_DETAILS,
  PROP_STATE,
  PROP_ARGUMENTS,
  PROP_CONTEXT,
  PROP_IN_SIGHT,
  PROP_LIVE,
  PROP_READY,
  PROP_VISIBLE,
  PROP_TITLE,
  PROP_BACK_STEP,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

enum { UPDATED, RETURNED, WITHDRAWN, SAVE_STATE, ANSWERED, CALL_FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (FlowbusScreen, flowbus_screen, G_TYPE_OBJECT)

static void
flowbus_screen_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusScreen *self = FLOWBUS_SCREEN (object);

  switch (id) {
  case PROP_CLIENT: g_value_set_object (value, self->client); break;
  case PROP_PRESENTER: g_value_take_object (value, g_weak_ref_get (&self->presenter)); break;
  case PROP_PATH: g_value_set_string (value, self->path); break;
  case PROP_INSTANCE: g_value_set_uint64 (value, self->instance); break;
  case PROP_NAME: g_value_set_string (value, self->name); break;
  case PROP_FLOW: g_value_set_string (value, self->flow); break;
  case PROP_ROOT: g_value_set_string (value, self->root); break;
  case PROP_STYLE: g_value_set_string (value, self->style); break;
  case PROP_STYLES: g_value_set_boxed (value, self->styles); break;
  case PROP_REASON: g_value_set_string (value, self->reason); break;
  case PROP_OUTPUT: g_value_set_string (value, self->output); break;
  case PROP_DIRECTION: g_value_set_string (value, self->direction); break;
  case PROP_ACTIVATION_TOKEN: g_value_set_string (value, self->activation_token); break;
  case PROP_SERIAL: g_value_set_uint64 (value, self->serial); break;
  case PROP_DETAILS: g_value_set_variant (value, self->details); break;
  case PROP_STATE: g_value_set_variant (value, self->state); break;
  case PROP_CONTEXT: g_value_set_variant (value, self->context); break;
  case PROP_ARGUMENTS: g_value_set_variant (value, self->arguments); break;
  case PROP_IN_SIGHT: g_value_set_boolean (value, flowbus_screen_get_in_sight (self)); break;
  case PROP_LIVE: g_value_set_boolean (value, !self->is_withdrawn); break;
  case PROP_READY: g_value_set_boolean (value, self->ready); break;
  case PROP_VISIBLE: g_value_set_boolean (value, self->visible); break;
  case PROP_TITLE: g_value_set_string (value, self->title); break;
  case PROP_BACK_STEP: g_value_set_string (value, self->back_step); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_screen_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  FlowbusScreen *self = FLOWBUS_SCREEN (object);

  switch (id) {
  case PROP_READY: flowbus_screen_set_ready (self, g_value_get_boolean (value)); break;
  case PROP_VISIBLE: flowbus_screen_set_visible (self, g_value_get_boolean (value)); break;
  case PROP_TITLE: flowbus_screen_set_title (self, g_value_get_string (value)); break;
  case PROP_BACK_STEP: flowbus_screen_set_back_step (self, g_value_get_string (value)); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_screen_finalize (GObject *object)
{
  FlowbusScreen *self = FLOWBUS_SCREEN (object);

  _flowbus_screen_unfollow (self);
  _flowbus_screen_stop_touching (self);
  if (self->client)
    _flowbus_client_remove_screen (self->client, self, self->instance);
  g_ptr_array_unref (self->invocations);
  g_hash_table_unref (self->answered);
  g_ptr_array_unref (self->acknowledging);
  g_weak_ref_clear (&self->presenter);
  g_clear_object (&self->client);
  g_free (self->path);
  g_free (self->object);
  g_free (self->name);
  g_free (self->flow);
  g_free (self->root);
  g_free (self->style);
  g_strfreev (self->styles);
  g_free (self->reason);
  g_free (self->output);
  g_free (self->direction);
  g_free (self->activation_token);
  g_free (self->title);
  g_free (self->back_step);
  g_clear_pointer (&self->details, g_variant_unref);
  g_clear_pointer (&self->state, g_variant_unref);
  g_clear_pointer (&self->arguments, g_variant_unref);
  g_clear_pointer (&self->context, g_variant_unref);
  G_OBJECT_CLASS (flowbus_screen_parent_class)->finalize (object);
}

static gboolean
first_state (GSignalInvocationHint *hint, GValue *all, const GValue *one, gpointer data)
{
  if (g_value_get_variant (one))
    g_value_copy (one, all);
  return g_value_get_variant (all) == NULL;
}

static void
flowbus_screen_class_init (FlowbusScreenClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags writable = readable | G_PARAM_WRITABLE;

  object->finalize = flowbus_screen_finalize;
  object->get_property = flowbus_screen_get_property;
  object->set_property = flowbus_screen_set_property;

  /**
   * FlowbusScreen:client: (getter get_client)
   *
   * The client of its presenter.
   */
  properties[PROP_CLIENT] = g_param_spec_object ("client", NULL, NULL, FLOWBUS_TYPE_CLIENT, readable);
  /**
   * FlowbusScreen:presenter:
   *
   * Its presenter; %NULL if that is gone.
   */
  properties[PROP_PRESENTER] = g_param_spec_object ("presenter", NULL, NULL, FLOWBUS_TYPE_PRESENTER, readable);
  /**
   * FlowbusScreen:path: (getter get_path)
   *
   * Where it is in the tree, such as "/org/flowbus/Navigation1/tree/shop/detail". Another screen can be there later.
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:instance: (getter get_instance)
   *
   * The number that no other screen ever has.
   */
  properties[PROP_INSTANCE] = g_param_spec_uint64 ("instance", NULL, NULL, 0, G_MAXUINT64, 0, readable);
  /**
   * FlowbusScreen:name: (getter get_name)
   *
   * The name of the screen in the definitions.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:flow: (getter get_flow)
   *
   * The path of its flow.
   */
  properties[PROP_FLOW] = g_param_spec_string ("flow", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:root: (getter get_root)
   *
   * The path of its root.
   */
  properties[PROP_ROOT] = g_param_spec_string ("root", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:style: (getter get_style)
   *
   * The word that says how to show it, such as "modal"; %NULL if there is none.
   */
  properties[PROP_STYLE] = g_param_spec_string ("style", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:styles: (getter get_styles)
   *
   * The styles of the screen and of the flows above it, innermost first.
   */
  properties[PROP_STYLES] = g_param_spec_boxed ("styles", NULL, NULL, G_TYPE_STRV, readable);
  /**
   * FlowbusScreen:reason: (getter get_reason)
   *
   * Why it was presented the last time: "launch", "recover", "restore", "update" or "return".
   */
  properties[PROP_REASON] = g_param_spec_string ("reason", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:output: (getter get_output)
   *
   * The output that its root stands on, such as "HDMI-A-1"; %NULL if there is none.
   */
  properties[PROP_OUTPUT] = g_param_spec_string ("output", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:direction: (getter get_direction)
   *
   * How it came in sight, for an animation: "push", "replace", "pop" or "switch"; %NULL if nothing says so.
   */
  properties[PROP_DIRECTION] = g_param_spec_string ("direction", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:activation-token: (getter get_activation_token)
   *
   * The token that lets its window come to the front; %NULL if there is none.
   */
  properties[PROP_ACTIVATION_TOKEN] = g_param_spec_string ("activation-token", NULL, NULL, NULL, readable);
  /**
   * FlowbusScreen:serial: (getter get_serial)
   *
   * The serial of the navigation that contributed it.
   */
  properties[PROP_SERIAL] = g_param_spec_uint64 ("serial", NULL, NULL, 0, G_MAXUINT64, 0, readable);
  /**
   * FlowbusScreen:details: (getter get_details)
   *
   * All details of the latest call of Present.
   */
  properties[PROP_DETAILS] = g_param_spec_variant ("details", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, readable);
  /**
   * FlowbusScreen:state: (getter get_state)
   *
   * What was saved last when the screen was presented; %NULL if nothing was.
   */
  properties[PROP_STATE] = g_param_spec_variant ("state", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, readable);
  /**
   * FlowbusScreen:arguments: (getter get_arguments)
   *
   * Its arguments, also those that come from private steps.
   */
  properties[PROP_ARGUMENTS] = g_param_spec_variant ("arguments", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, readable);
  /**
   * FlowbusScreen:context: (getter get_context)
   *
   * The values of the context that its declaration names, such as the language, as they are now; %NULL if it names none. A change is
   * notified; the screen is not presented again for it.
   */
  properties[PROP_CONTEXT] = g_param_spec_variant ("context", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, readable);
  /**
   * FlowbusScreen:in-sight: (getter get_in_sight)
   *
   * Whether nothing covers it, and its flow is presented. A program can save work while it is not in sight. See
   * flowbus_screen_get_in_sight() for when changes are told.
   */
  properties[PROP_IN_SIGHT] = g_param_spec_boolean ("in-sight", NULL, NULL, TRUE, readable);
  /**
   * FlowbusScreen:live: (getter is_live)
   *
   * Whether it has not been withdrawn.
   */
  properties[PROP_LIVE] = g_param_spec_boolean ("live", NULL, NULL, TRUE, readable);
  /**
   * FlowbusScreen:ready: (getter get_ready) (setter set_ready)
   *
   * Whether what is to be seen is there. While it is %FALSE, the screen does not become visible, though its window is shown and painted.
   * Set it to %FALSE before the main loop runs again, for instance while a web page or a list is loaded; a binding does, too:
   *
   * ```c
   * g_object_bind_property (web_view, "is-loading", screen, "ready", G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
   * ```
   *
   * A screen that is visible stays so, whatever becomes of this property.
   */
  properties[PROP_READY] = g_param_spec_boolean ("ready", NULL, NULL, TRUE, writable);
  /**
   * FlowbusScreen:visible: (getter get_visible) (setter set_visible)
   *
   * Whether this program shows it, as flowbus_screen_set_visible() said, and [property@Flowbus.Screen:ready] let it.
   */
  properties[PROP_VISIBLE] = g_param_spec_boolean ("visible", NULL, NULL, FALSE, writable);
  /**
   * FlowbusScreen:title: (getter get_title) (setter set_title)
   *
   * The title, for task switchers.
   */
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, writable);
  /**
   * FlowbusScreen:back-step: (getter get_back_step) (setter set_back_step)
   *
   * The step that Back takes on this screen in place of its dismissal; %NULL for none.
   */
  properties[PROP_BACK_STEP] = g_param_spec_string ("back-step", NULL, NULL, NULL, writable);
  g_object_class_install_properties (object, N_PROPS, properties);

  /**
   * FlowbusScreen::updated:
   *
   * It was presented again: it has new arguments or stands on another output ([property@Flowbus.Screen:reason] "update"), or the
   * service did not know that this program shows it.
   */
  signals[UPDATED] = g_signal_new ("updated", FLOWBUS_TYPE_SCREEN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusScreen::returned:
   *
   * It was covered and is in sight again: raise its window.
   */
  signals[RETURNED] = g_signal_new ("returned", FLOWBUS_TYPE_SCREEN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * FlowbusScreen::withdrawn:
   * @self: the screen
   * @reason: why
   *
   * This program no longer shows the screen: remove the view. No other signal follows.
   *
   * The reason is that of the service, such as "back", "rule" or "parent". With "evicted", "ownerHangs" and "replaced" the screen
   * is live, and can be presented to a program again. Or it is one of these:
   *
   * - "dismissed": it was dismissed, for instance by flowbus_screen_dismiss_async().
   * - "finished": flowbus_screen_finish_with_result_async() finished it.
   * - "released": flowbus_screen_release_async() gave it back.
   * - "failed": flowbus_screen_fail() or flowbus_screen_refuse() was the answer to its Present, or
   *   flowbus_screen_dismiss_with_error_async() dismissed it.
   * - "gone": it is no longer there after a restart of the service.
   * - "closed": the presenter or the connection to the bus was closed.
   */
  signals[WITHDRAWN] =
    g_signal_new ("withdrawn", FLOWBUS_TYPE_SCREEN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  /**
   * FlowbusScreen::save-state:
   * @self: the screen
   *
   * The screen is about to be taken from this program, because it was out of sight for long. What a handler returns is saved, and
   * [signal@Flowbus.Screen::withdrawn] follows.
   *
   * Returns: (transfer full) (nullable): what the user would lose, of the type `a{sv}`; %NULL if it is saved already
   */
  signals[SAVE_STATE] =
    g_signal_new ("save-state", FLOWBUS_TYPE_SCREEN, G_SIGNAL_RUN_LAST, 0, first_state, NULL, NULL, G_TYPE_VARIANT, 0);
  /**
   * FlowbusScreen::answered:
   * @self: the screen
   * @answer: the answer
   *
   * There is an answer to an ask of this screen that no flowbus_screen_ask_async() of this process waits for: an earlier process
   * asked. Save what follows from it, and then call flowbus_answer_acknowledge(). Emitted once for each token.
   */
  signals[ANSWERED] = g_signal_new ("answered", FLOWBUS_TYPE_SCREEN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                    FLOWBUS_TYPE_ANSWER);
  /**
   * FlowbusScreen::call-failed:
   * @self: the screen
   * @method: the method of the service
   * @error: why
   *
   * A call failed that has no callback, such as that of flowbus_screen_set_title(). Without a handler, the error is logged.
   */
  signals[CALL_FAILED] = g_signal_new ("call-failed", FLOWBUS_TYPE_SCREEN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                       G_TYPE_STRING, G_TYPE_ERROR);
}

static void
flowbus_screen_init (FlowbusScreen *self)
{
  g_weak_ref_init (&self->presenter, NULL);
  self->invocations = g_ptr_array_new ();
  self->acknowledging = g_ptr_array_new_with_free_func (g_free);
  self->answered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_queue_init (&self->waiting);
  self->in_sight = TRUE;
  self->ready = TRUE;
}
