/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

/* What the program says of its screen: with the answer to Present as long as that is due, and else by calls. */

/* Touch within a second of another one has no effect. */
#define TOUCH_TIME G_USEC_PER_SEC
/* ms for which Touch waits: the step of a tap comes when the finger is released. */
#define TOUCH_DELAY 300

/* What an owner says is not to wait until the program ends a hold. */
static gboolean
goes_with_answer (FlowbusScreen *self)
{
  return self->invocations->len && !(self->is_held && self->is_owner);
}

static void
say_visible (FlowbusScreen *self, gboolean visible)
{
  gboolean is_new = self->visible != visible;

  self->is_visible_set = TRUE;
  self->visible = visible;
  /* A program that holds the answer can wait for what only a visible screen gets, before it answers. */
  if (self->invocations->len && !self->is_held)
    self->visible_due = TRUE;
  else
    _flowbus_screen_send_visible (self);
  if (is_new)
    g_object_notify (G_OBJECT (self), "visible");
}

/**
 * flowbus_screen_set_visible: (set-property visible)
 * @self: a screen
 * @visible: whether there is something to see
 *
 * Says that this program shows the screen, or hides it for a while. Only a visible screen takes steps. It is said again where the
 * service did not learn of it. In a flow with tabs, %TRUE also selects this screen. While [property@Flowbus.Screen:ready] is %FALSE, %TRUE
 * waits until that changes.
 *
 * In a handler of [signal@Flowbus.Presenter::present], [signal@Flowbus.Screen::updated] or [signal@Flowbus.Screen::returned] it is no call
 * of its own: it goes with the answer. The same is true of flowbus_screen_set_title().
 */
void
flowbus_screen_set_visible (FlowbusScreen *self, gboolean visible)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn)
    return;
  g_object_ref (self);
  self->awaits_ready = visible && !self->ready && !self->visible;
  if (!self->awaits_ready)
    say_visible (self, !!visible);
  /* There is a picture now, or there is none to wait for. */
  flowbus_screen_set_awaits_picture (self, FALSE);
  g_object_unref (self);
}

/**
 * flowbus_screen_set_ready: (set-property ready)
 * @self: a screen
 * @ready: whether what is to be seen is there
 *
 * Sets [property@Flowbus.Screen:ready]: with %FALSE, the screen is not visible yet, with %TRUE as soon as its window is.
 */
void
flowbus_screen_set_ready (FlowbusScreen *self, gboolean ready)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->ready == !!ready)
    return;
  g_object_ref (self);
  self->ready = !!ready;
  if (self->ready && self->awaits_ready)
    flowbus_screen_set_visible (self, TRUE);
  g_object_notify (G_OBJECT (self), "ready");
  g_object_unref (self);
}

/**
 * flowbus_screen_set_title: (set-property title)
 * @self: a screen
 * @title: (nullable): the title, of at most 256 bytes; %NULL for none
 *
 * Names the screen, for task switchers.
 */
void
flowbus_screen_set_title (FlowbusScreen *self, const char *title)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn || g_strcmp0 (title ? title : "", self->title ? self->title : "") == 0)
    return;
  g_object_ref (self);
  self->is_title_set = TRUE;
  g_free (self->title);
  self->title = g_strdup (title ? title : "");
  /* One that is too long would take the rest of the answer with it; as a call, it alone fails. */
  if (goes_with_answer (self) && _flowbus_screen_is_title (self->title))
    self->title_due = TRUE;
  else
    _flowbus_screen_send_title (self);
  g_object_notify (G_OBJECT (self), "title");
  g_object_unref (self);
}

/**
 * flowbus_screen_set_back_step: (set-property back-step)
 * @self: a screen
 * @step: (nullable): the name of a step that needs no arguments; %NULL for none
 *
 * Sets the step that Back takes on this screen in place of its dismissal, for instance one that asks whether to discard changes.
 */
void
flowbus_screen_set_back_step (FlowbusScreen *self, const char *step)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn || g_strcmp0 (step && *step ? step : NULL, self->back_step) == 0)
    return;
  g_object_ref (self);
  _flowbus_screen_call (self, "SetBackStep", g_variant_new ("(s)", step ? step : ""));
  g_free (self->back_step);
  self->back_step = step && *step ? g_strdup (step) : NULL;
  g_object_notify (G_OBJECT (self), "back-step");
  g_object_unref (self);
}

/* When the source began that the main loop handles at the moment. */
static gint64
current_time (void)
{
  GSource *source = g_main_current_source ();

  return source && !g_source_is_destroyed (source) ? g_source_get_time (source) : 0;
}

void
_flowbus_screen_stop_touching (FlowbusScreen *self)
{
  if (!self->touching)
    return;
  g_source_destroy (self->touching);
  g_clear_pointer (&self->touching, g_source_unref);
}

void
_flowbus_screen_act (FlowbusScreen *self)
{
  gint64 time = current_time ();

  if (!time || self->input != g_main_current_source () || self->input_time != time)
    return;
  _flowbus_screen_stop_touching (self);
  self->touched = g_get_monotonic_time ();
}

static gboolean
send_touch (gpointer data)
{
  FlowbusScreen *self = data;

  g_object_ref (self);
  _flowbus_screen_stop_touching (self);
  if (!self->is_withdrawn)
    _flowbus_screen_call (self, "Touch", NULL);
  g_object_unref (self);
  return G_SOURCE_REMOVE;
}

/**
 * flowbus_screen_touch:
 * @self: a screen
 *
 * Reports input that is no step, such as scrolling, so that the flow is not idle. It can be called for each input event: at most
 * one call a second goes out, 0.3 s later. None goes out if the program emits a step of this screen, or goes back, while it handles an
 * input event for which it calls this: that says the same. Where this program may not emit steps, it has no effect.
 */
void
flowbus_screen_touch (FlowbusScreen *self)
{
  gint64 now = g_get_monotonic_time ();

  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  if (self->is_withdrawn)
    return;
  self->input = g_main_current_source ();
  self->input_time = current_time ();
  if (self->touching || (self->touched && now - self->touched < TOUCH_TIME))
    return;
  self->touched = now;
  self->touching = g_timeout_source_new (TOUCH_DELAY);
  g_source_set_callback (self->touching, send_touch, self, NULL);
  g_source_attach (self->touching, _flowbus_client_get_context (self->client));
}

/**
 * flowbus_screen_set_awaits_picture:
 * @self: a screen
 * @awaits_picture: whether a picture of the screen is about to be painted
 *
 * Puts the answer to Present off until there is something to see, beyond the handlers and flowbus_screen_accept(): until
 * flowbus_screen_set_visible() is called, or this with %FALSE. So the service learns with one message that the screen is shown. If no Present
 * waits for its answer, nothing happens.
 *
 * It is for toolkits, which know when a window is painted. libflowbus-gtk4 calls it for each screen that it shows.
 */
void
flowbus_screen_set_awaits_picture (FlowbusScreen *self, gboolean awaits_picture)
{
  g_return_if_fail (FLOWBUS_IS_SCREEN (self));
  self->awaits_picture = !!awaits_picture;
  _flowbus_screen_answer (self);
}
