/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusScreen, FLOWBUS_IS_SCREEN, type, function, value)

/**
 * flowbus_screen_get_client: (get-property client)
 * @self: a screen
 *
 * Gets the client of its presenter.
 *
 * Returns: (transfer none): the client of its presenter
 */
GETTER (FlowbusClient *, flowbus_screen_get_client, self->client)

/**
 * flowbus_screen_get_path: (get-property path)
 * @self: a screen
 *
 * Gets where it is in the tree.
 *
 * Returns: (transfer none): where it is in the tree
 */
GETTER (const char *, flowbus_screen_get_path, self->path)

/**
 * flowbus_screen_get_instance: (get-property instance)
 * @self: a screen
 *
 * Gets the number that no other screen ever has.
 *
 * Returns: the number that no other screen ever has
 */
GETTER (guint64, flowbus_screen_get_instance, self->instance)

/**
 * flowbus_screen_get_name: (get-property name)
 * @self: a screen
 *
 * Gets the name of the screen in the definitions.
 *
 * Returns: (transfer none): the name of the screen in the definitions
 */
GETTER (const char *, flowbus_screen_get_name, self->name)

/**
 * flowbus_screen_get_flow: (get-property flow)
 * @self: a screen
 *
 * Gets the path of its flow.
 *
 * Returns: (transfer none) (nullable): the path of its flow
 */
GETTER (const char *, flowbus_screen_get_flow, self->flow)

/**
 * flowbus_screen_get_root: (get-property root)
 * @self: a screen
 *
 * Gets the path of its root.
 *
 * Returns: (transfer none) (nullable): the path of its root
 */
GETTER (const char *, flowbus_screen_get_root, self->root)

/**
 * flowbus_screen_get_style: (get-property style)
 * @self: a screen
 *
 * Gets the word that says how to show it.
 *
 * Returns: (transfer none) (nullable): the word that says how to show it; %NULL if there is none
 */
GETTER (const char *, flowbus_screen_get_style, self->style)

/**
 * flowbus_screen_get_styles: (get-property styles)
 * @self: a screen
 *
 * Gets the styles of the screen and of the flows above it, innermost first.
 *
 * Returns: (transfer none) (array zero-terminated=1): the styles of the screen and of the flows above it, innermost first
 */
GETTER (const char *const *, flowbus_screen_get_styles, (const char *const *) self->styles)

/**
 * flowbus_screen_is_live: (get-property live)
 * @self: a screen
 *
 * Tells whether it has not been withdrawn.
 *
 * Returns: whether it has not been withdrawn
 */
GETTER (gboolean, flowbus_screen_is_live, !self->is_withdrawn)

/**
 * flowbus_screen_get_reason: (get-property reason)
 * @self: a screen
 *
 * Gets why it was presented the last time.
 *
 * Returns: (transfer none): why it was presented the last time
 */
GETTER (const char *, flowbus_screen_get_reason, self->reason)

/**
 * flowbus_screen_get_output: (get-property output)
 * @self: a screen
 *
 * Gets the output that its root stands on.
 *
 * Returns: (transfer none) (nullable): the output that its root stands on; %NULL if there is none
 */
GETTER (const char *, flowbus_screen_get_output, self->output)

/**
 * flowbus_screen_get_output_size:
 * @self: a screen
 * @width: (out) (optional): the width of the output, in the pixels of the compositor
 * @height: (out) (optional): its height
 *
 * Gets how large the output is on which the windows of its root are, as the latest call of Present said it: so that the first picture
 * can have the final size.
 *
 * Returns: whether that is known; otherwise @width and @height are 0
 */
gboolean
flowbus_screen_get_output_size (FlowbusScreen *self, int *width, int *height)
{
  guint32 size[2] = { 0, 0 };
  gboolean is_known;

  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), FALSE);
  is_known = self->details && g_variant_lookup (self->details, "size", "(uu)", &size[0], &size[1]);
  if (width)
    *width = (int) MIN (size[0], G_MAXUINT16);
  if (height)
    *height = (int) MIN (size[1], G_MAXUINT16);
  return is_known;
}

/**
 * flowbus_screen_get_direction: (get-property direction)
 * @self: a screen
 *
 * Gets how it came in sight.
 *
 * Returns: (transfer none) (nullable): how it came in sight; %NULL if nothing says so
 */
GETTER (const char *, flowbus_screen_get_direction, self->direction)

/**
 * flowbus_screen_get_activation_token: (get-property activation-token)
 * @self: a screen
 *
 * Gets the token that lets its window come to the front.
 *
 * Returns: (transfer none) (nullable): the token that lets its window come to the front; %NULL if there is none
 */
GETTER (const char *, flowbus_screen_get_activation_token, self->activation_token)

/**
 * flowbus_screen_take_activation_token:
 * @self: a screen
 *
 * The token that lets the window come to the front, once: a second call returns %NULL until there is a new one.
 *
 * Returns: (transfer full) (nullable): the token
 */
char *
flowbus_screen_take_activation_token (FlowbusScreen *self)
{
  char *token;

  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), NULL);
  token = g_steal_pointer (&self->activation_token);
  if (token)
    g_object_notify (G_OBJECT (self), "activation-token");
  return token;
}

/**
 * flowbus_screen_get_serial: (get-property serial)
 * @self: a screen
 *
 * Gets the serial of the navigation that contributed it.
 *
 * Returns: the serial of the navigation that contributed it
 */
GETTER (guint64, flowbus_screen_get_serial, self->serial)

/**
 * flowbus_screen_get_details: (get-property details)
 * @self: a screen
 *
 * Gets all details of the latest call of Present.
 *
 * Returns: (transfer none): all details of the latest call of Present
 */
GETTER (GVariant *, flowbus_screen_get_details, self->details)

/**
 * flowbus_screen_get_state: (get-property state)
 * @self: a screen
 *
 * Gets what was saved last when it was presented.
 *
 * Returns: (transfer none) (nullable): what was saved last when it was presented; %NULL if nothing was
 */
GETTER (GVariant *, flowbus_screen_get_state, self->state)

/**
 * flowbus_screen_get_context: (get-property context)
 * @self: a screen
 *
 * Gets the values of the context that its declaration names, of the type `a{sv}`, as they are now.
 *
 * Returns: (transfer none) (nullable): the values of the context; %NULL if its declaration names none
 */
GETTER (GVariant *, flowbus_screen_get_context, self->context)

/**
 * flowbus_screen_get_arguments: (get-property arguments)
 * @self: a screen
 *
 * Gets its arguments, of the type `a{sv}`.
 *
 * Returns: (transfer none): its arguments, of the type `a{sv}`
 */
GETTER (GVariant *, flowbus_screen_get_arguments, self->arguments)

/**
 * flowbus_screen_get_ready: (get-property ready)
 * @self: a screen
 *
 * Tells whether what is to be seen is there.
 *
 * Returns: whether what is to be seen is there
 */
GETTER (gboolean, flowbus_screen_get_ready, self->ready)

/**
 * flowbus_screen_get_visible: (get-property visible)
 * @self: a screen
 *
 * Tells whether this program shows it.
 *
 * Returns: whether this program shows it
 */
GETTER (gboolean, flowbus_screen_get_visible, self->visible)

/**
 * flowbus_screen_get_title: (get-property title)
 * @self: a screen
 *
 * Gets its title.
 *
 * Returns: (transfer none) (nullable): its title
 */
GETTER (const char *, flowbus_screen_get_title, self->title)

/**
 * flowbus_screen_get_back_step: (get-property back-step)
 * @self: a screen
 *
 * Gets the step that Back takes on it.
 *
 * Returns: (transfer none) (nullable): the step that Back takes on it; %NULL if it is dismissed
 */
GETTER (const char *, flowbus_screen_get_back_step, self->back_step)

/**
 * flowbus_screen_get_presenter:
 * @self: a screen
 *
 * Gets its presenter.
 *
 * Returns: (transfer none) (nullable): its presenter; %NULL if that is gone
 */
FlowbusPresenter *
flowbus_screen_get_presenter (FlowbusScreen *self)
{
  FlowbusPresenter *presenter;

  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), NULL);
  presenter = g_weak_ref_get (&self->presenter);
  /* It is borrowed, as from every getter; the program holds the presenter. */
  if (presenter)
    g_object_unref (presenter);
  return presenter;
}
