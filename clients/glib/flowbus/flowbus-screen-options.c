/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

#define FUNC_KEY "flowbus-options-func"
#define SAVE_KEY "flowbus-save-func"

typedef struct {
  FlowbusOptionsFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
} Options;

static void
options_free (gpointer data)
{
  Options *options = data;

  if (options->destroy)
    options->destroy (options->user_data);
  g_free (options);
}

/**
 * flowbus_screen_set_options_func:
 * @self: a screen
 * @func: (nullable) (scope notified) (closure user_data) (destroy destroy): the function; %NULL for none any more
 * @user_data: data for it
 * @destroy: (nullable): what to call for the data when the function is not needed any more
 *
 * Sets a function that gives options for each step and each ask of a screen, such as "inputTime" and "activation-token". It is for
 * toolkits, which know what the user's input was: libflowbus-gtk4 sets one for each screen that it shows. Options that a call
 * is given count more.
 */
void
flowbus_screen_set_options_func (FlowbusScreen *self, FlowbusOptionsFunc func, gpointer user_data, GDestroyNotify destroy)
{
  Options *options = NULL;

  g_return_if_fail (FLOWBUS_IS_SCREEN (self));

  if (func) {
    options = g_new (Options, 1);
    *options = (Options) { func, user_data, destroy };
  }
  g_object_set_data_full (G_OBJECT (self), FUNC_KEY, options, options ? options_free : NULL);
}

GVariant *
_flowbus_screen_complete_options (FlowbusScreen *self, GVariant *given)
{
  const Options *options = g_object_get_data (G_OBJECT (self), FUNC_KEY);
  GVariant *added = options ? options->func (self, options->user_data) : NULL;
  GVariantDict all;
  GVariantIter iter;
  const char *name;
  GVariant *value;

  if (!added)
    return given;
  g_variant_ref_sink (added);
  /* What is wrong with the options of a call is told to the caller. */
  if (given && !g_variant_is_of_type (given, G_VARIANT_TYPE_VARDICT)) {
    g_variant_unref (added);
    return given;
  }
  g_variant_dict_init (&all, added);
  g_variant_unref (added);
  if (given) {
    g_variant_ref_sink (given);
    g_variant_iter_init (&iter, given);
    while (g_variant_iter_loop (&iter, "{&sv}", &name, &value))
      g_variant_dict_insert_value (&all, name, value);
    g_variant_unref (given);
  }
  return g_variant_dict_end (&all);
}

typedef struct {
  FlowbusSaveFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
} Save;

static void
save_free (gpointer data)
{
  Save *save = data;

  if (save->destroy)
    save->destroy (save->user_data);
  g_free (save);
}

/**
 * flowbus_screen_set_save_func:
 * @self: a screen
 * @func: (nullable) (scope notified) (closure user_data) (destroy destroy): the function; %NULL for none any more
 * @user_data: data for it
 * @destroy: (nullable): what to call for the data when the function is not needed any more
 *
 * Sets a function that saves at once what it would save later. It is called before an answer is acknowledged, so that what follows
 * from the answer is saved by then. It is for toolkits, which gather changes: libflowbus-gtk4 sets one for each screen whose widgets
 * it saves.
 */
void
flowbus_screen_set_save_func (FlowbusScreen *self, FlowbusSaveFunc func, gpointer user_data, GDestroyNotify destroy)
{
  Save *save = NULL;

  g_return_if_fail (FLOWBUS_IS_SCREEN (self));

  if (func) {
    save = g_new (Save, 1);
    *save = (Save) { func, user_data, destroy };
  }
  g_object_set_data_full (G_OBJECT (self), SAVE_KEY, save, save ? save_free : NULL);
}

void
_flowbus_screen_save_now (FlowbusScreen *self)
{
  const Save *save = g_object_get_data (G_OBJECT (self), SAVE_KEY);

  if (save)
    save->func (self, save->user_data);
}
