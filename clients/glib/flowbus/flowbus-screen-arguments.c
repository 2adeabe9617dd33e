/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-screen-private.h"

/**
 * flowbus_screen_has_argument:
 * @self: a screen
 * @name: the name of an argument
 *
 * Tells whether it has the argument.
 *
 * Returns: whether it has the argument; an optional one can be left out
 */
gboolean
flowbus_screen_has_argument (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = flowbus_screen_get_argument (self, name);

  return value != NULL;
}

/**
 * flowbus_screen_get_argument:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its value.
 *
 * Returns: (transfer full) (nullable): its value; %NULL if it has none of this name
 */
GVariant *
flowbus_screen_get_argument (FlowbusScreen *self, const char *name)
{
  g_return_val_if_fail (FLOWBUS_IS_SCREEN (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  return self->arguments ? g_variant_lookup_value (self->arguments, name, NULL) : NULL;
}

/* The argument as a type; NULL if it is none. */
static GVariant *
argument (FlowbusScreen *self, const char *name, const GVariantType *type)
{
  g_autoptr (GVariant) value = flowbus_screen_get_argument (self, name);
  GVariant *made = value ? _flowbus_convert (value, type) : NULL;

  return made ? g_variant_ref_sink (made) : NULL;
}

/**
 * flowbus_screen_get_string:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its text, also that of an object path.
 *
 * Returns: (transfer none) (nullable): its text, also that of an object path; %NULL if it has no such argument of this type.
 *   Valid until the screen gets other arguments.
 */
const char *
flowbus_screen_get_string (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = flowbus_screen_get_argument (self, name);

  if (!value || !(g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) || g_variant_is_of_type (value, G_VARIANT_TYPE_OBJECT_PATH) ||
                  g_variant_is_of_type (value, G_VARIANT_TYPE_SIGNATURE)))
    return NULL;
  /* The text is that of the arguments, which have one serialized form. */
  return g_variant_get_string (value, NULL);
}

/**
 * flowbus_screen_get_int64:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its number, whatever type of numbers it has.
 *
 * Returns: its number, whatever type of numbers it has; 0 if it has no such argument, or one that does not fit
 */
gint64
flowbus_screen_get_int64 (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = argument (self, name, G_VARIANT_TYPE_INT64);

  return value ? g_variant_get_int64 (value) : 0;
}

/**
 * flowbus_screen_get_uint64:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its number, whatever type of numbers it has.
 *
 * Returns: its number, whatever type of numbers it has; 0 if it has no such argument, or one that does not fit
 */
guint64
flowbus_screen_get_uint64 (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = argument (self, name, G_VARIANT_TYPE_UINT64);

  return value ? g_variant_get_uint64 (value) : 0;
}

/**
 * flowbus_screen_get_double:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its number, whatever type of numbers it has.
 *
 * Returns: its number, whatever type of numbers it has; 0 if it has no such argument, or one that does not fit
 */
double
flowbus_screen_get_double (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = argument (self, name, G_VARIANT_TYPE_DOUBLE);

  return value ? g_variant_get_double (value) : 0;
}

/**
 * flowbus_screen_get_boolean:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its value.
 *
 * Returns: its value; %FALSE if it has no such argument of this type
 */
gboolean
flowbus_screen_get_boolean (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = argument (self, name, G_VARIANT_TYPE_BOOLEAN);

  return value ? g_variant_get_boolean (value) : FALSE;
}

/**
 * flowbus_screen_get_strv:
 * @self: a screen
 * @name: the name of an argument
 *
 * Gets its texts.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): its texts; %NULL if it has no such argument of this type
 */
char **
flowbus_screen_get_strv (FlowbusScreen *self, const char *name)
{
  g_autoptr (GVariant) value = argument (self, name, G_VARIANT_TYPE_STRING_ARRAY);

  return value ? g_variant_dup_strv (value, NULL) : NULL;
}
