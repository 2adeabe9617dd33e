/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-calls-private.h"

struct _FlowbusSteps {
  FlowbusClient *client; /* not owned: it owns this */
  GVariant *known;       /* a{sa{ss}} */
  gboolean is_reading;
  gboolean is_telling; /* those that wait, one after the other */
  guint version; /* raised when what is known or being read is out of date */
  GQueue waiting;
};

typedef struct {
  FlowbusStepsFunc func;
  gpointer data;
} Waiting;

typedef struct {
  FlowbusSteps *self;
  guint version;
} Reading;

FlowbusSteps *
_flowbus_steps_new (FlowbusClient *client)
{
  FlowbusSteps *self = g_new0 (FlowbusSteps, 1);

  self->client = client;
  g_queue_init (&self->waiting);
  return self;
}

void
_flowbus_steps_free (FlowbusSteps *self)
{
  g_assert (g_queue_is_empty (&self->waiting));
  g_clear_pointer (&self->known, g_variant_unref);
  g_free (self);
}

void
_flowbus_steps_forget (FlowbusSteps *self)
{
  self->version++;
  g_clear_pointer (&self->known, g_variant_unref);
}

static void start (FlowbusSteps *self);

static void
got_steps (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Reading *reading = data;
  FlowbusSteps *self = reading->self;
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, NULL);
  g_autoptr (GVariant) steps = reply ? g_variant_get_child_value (reply, 0) : NULL;
  Waiting *next;

  self->is_reading = FALSE;
  if (steps && self->version != reading->version) {
    start (self);
    return;
  }
  if (steps)
    self->known = g_variant_ref (steps);
  /* What is called can add some that have to come after those. */
  self->is_telling = TRUE;
  while ((next = g_queue_pop_head (&self->waiting))) {
    next->func (steps, next->data);
    g_free (next);
  }
  self->is_telling = FALSE;
}

static void
start (FlowbusSteps *self)
{
  Reading *reading = g_new (Reading, 1);

  self->is_reading = TRUE;
  *reading = (Reading) { self, self->version };
  _flowbus_client_call (self->client, FLOWBUS_ROOT, FLOWBUS_COORDINATOR, "GetSteps", NULL, "(a{sa{ss}})",
                        G_DBUS_CALL_FLAGS_NONE, 0, NULL, got_steps, reading);
}

void
_flowbus_steps_read (FlowbusSteps *self, FlowbusStepsFunc func, gpointer data)
{
  Waiting *waiting;

  if (self->known && !self->is_reading && !self->is_telling) {
    g_autoptr (GVariant) steps = g_variant_ref (self->known);

    func (steps, data);
    return;
  }
  waiting = g_new (Waiting, 1);
  *waiting = (Waiting) { func, data };
  g_queue_push_tail (&self->waiting, waiting);
  if (!self->is_reading && !self->is_telling)
    start (self);
}

gboolean
_flowbus_steps_are_awaited (FlowbusSteps *self)
{
  return !g_queue_is_empty (&self->waiting) || self->is_telling;
}

/* Integers of each size as one: what is below 0, and what is not. */
static gboolean
read_integer (GVariant *value, gint64 *negative, guint64 *positive)
{
  gint64 number;

  *negative = 0;
  switch (g_variant_classify (value)) {
  case G_VARIANT_CLASS_BYTE: *positive = g_variant_get_byte (value); return TRUE;
  case G_VARIANT_CLASS_UINT16: *positive = g_variant_get_uint16 (value); return TRUE;
  case G_VARIANT_CLASS_UINT32: *positive = g_variant_get_uint32 (value); return TRUE;
  case G_VARIANT_CLASS_UINT64: *positive = g_variant_get_uint64 (value); return TRUE;
  case G_VARIANT_CLASS_INT16: number = g_variant_get_int16 (value); break;
  case G_VARIANT_CLASS_INT32: number = g_variant_get_int32 (value); break;
  case G_VARIANT_CLASS_INT64: number = g_variant_get_int64 (value); break;
  case G_VARIANT_CLASS_DOUBLE: {
    /* Languages that have one type of numbers. Beyond 2^53 a double does not say which integer it is. */
    double real = g_variant_get_double (value);

    if (!(real >= -9007199254740992.0 && real <= 9007199254740992.0) || real != (double) (gint64) real)
      return FALSE;
    number = (gint64) real;
    break;
  }
  default: return FALSE;
  }
  *positive = number > 0 ? (guint64) number : 0;
  *negative = number < 0 ? number : 0;
  return TRUE;
}

static GVariant *
convert_integer (GVariant *value, const GVariantType *type)
{
  gint64 negative;
  guint64 positive;

  if (!read_integer (value, &negative, &positive))
    return NULL;
#define SIGNED(code, least, most, make)                                                                                        \
  case code: return negative >= (least) && positive <= (most) ? make (negative ? negative : (gint64) positive) : NULL
#define UNSIGNED(code, most, make) case code: return !negative && positive <= (most) ? make (positive) : NULL
  switch (g_variant_type_peek_string (type)[0]) {
    SIGNED ('n', G_MININT16, G_MAXINT16, g_variant_new_int16);
    SIGNED ('i', G_MININT32, G_MAXINT32, g_variant_new_int32);
    SIGNED ('x', G_MININT64, G_MAXINT64, g_variant_new_int64);
    UNSIGNED ('y', G_MAXUINT8, g_variant_new_byte);
    UNSIGNED ('q', G_MAXUINT16, g_variant_new_uint16);
    UNSIGNED ('u', G_MAXUINT32, g_variant_new_uint32);
    UNSIGNED ('t', G_MAXUINT64, g_variant_new_uint64);
  case 'd':
    if (negative ? negative < -9007199254740992 : positive > 9007199254740992)
      return NULL;
    return g_variant_new_double (negative ? (double) negative : (double) positive);
  default: return NULL;
  }
#undef SIGNED
#undef UNSIGNED
}

static GVariant *
convert_text (const char *text, const GVariantType *type)
{
  switch (g_variant_type_peek_string (type)[0]) {
  case 's': return g_variant_new_string (text);
  case 'o': return g_variant_is_object_path (text) ? g_variant_new_object_path (text) : NULL;
  case 'g': return g_variant_is_signature (text) ? g_variant_new_signature (text) : NULL;
  default: return NULL;
  }
}

static GVariant *
convert_array (GVariant *value, const GVariantType *type)
{
  const GVariantType *element = g_variant_type_element (type);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, type);
  for (gsize i = 0, n = g_variant_n_children (value); i < n; i++) {
    g_autoptr (GVariant) child = g_variant_get_child_value (value, i);
    GVariant *made = _flowbus_convert (child, element);

    if (!made) {
      g_variant_builder_clear (&builder);
      return NULL;
    }
    g_variant_builder_add_value (&builder, made);
  }
  return g_variant_builder_end (&builder);
}

static GVariant *
convert_tuple (GVariant *value, const GVariantType *type)
{
  GVariant *key = NULL, *content = NULL;
  g_autoptr (GVariant) from_key = NULL, from_content = NULL;

  if (!g_variant_type_is_dict_entry (type) || !g_variant_is_of_type (value, G_VARIANT_TYPE_DICT_ENTRY))
    return NULL;
  from_key = g_variant_get_child_value (value, 0);
  from_content = g_variant_get_child_value (value, 1);
  if (!(key = _flowbus_convert (from_key, g_variant_type_key (type))))
    return NULL;
  if (!(content = _flowbus_convert (from_content, g_variant_type_value (type)))) {
    g_variant_unref (g_variant_ref_sink (key));
    return NULL;
  }
  return g_variant_new_dict_entry (key, content);
}

/* The value as the type; NULL if it can't be that without loss. The result is floating. */
GVariant *
_flowbus_convert (GVariant *value, const GVariantType *type)
{
  if (g_variant_is_of_type (value, type)) {
    /* A reference of its own, floating like the others. */
    g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (value);
    GVariant *copy = g_variant_new_from_bytes (type, bytes, TRUE);

    return copy;
  }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT)) {
    g_autoptr (GVariant) inner = g_variant_get_variant (value);

    return _flowbus_convert (inner, type);
  }
  if (g_variant_type_equal (type, G_VARIANT_TYPE_VARIANT))
    return g_variant_new_variant (value);
  if (g_variant_type_is_array (type))
    return g_variant_is_container (value) && g_variant_classify (value) == G_VARIANT_CLASS_ARRAY ? convert_array (value, type)
                                                                                               : NULL;
  if (g_variant_type_is_dict_entry (type))
    return convert_tuple (value, type);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) || g_variant_is_of_type (value, G_VARIANT_TYPE_OBJECT_PATH) ||
      g_variant_is_of_type (value, G_VARIANT_TYPE_SIGNATURE))
    return convert_text (g_variant_get_string (value, NULL), type);
  return convert_integer (value, type);
}

/* "an int64 ('x')" */
static char *
describe (const char *type)
{
  static const struct {
    const char *type, *word;
  } words[] = {
    { "s", "a string" }, { "b", "a boolean" }, { "y", "a byte" },    { "n", "an int16" },         { "q", "a uint16" },
    { "i", "an int32" }, { "u", "a uint32" },  { "x", "an int64" },  { "t", "a uint64" },         { "d", "a double" },
    { "o", "a path" },   { "g", "a signature" }, { "as", "a list of strings" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].type, type))
      return g_strdup_printf ("%s ('%s')", words[i].word, type);
  return g_strdup_printf ("of the type '%s'", type);
}

static void
set_conversion_error (GError **error, const char *step, const char *name, const char *type, GVariant *value)
{
  static const char numbers[] = "ynqiuxtd";
  const char *own_type = g_variant_get_type_string (value);
  g_autofree char *wanted = describe (type);
  g_autofree char *given = describe (own_type);
  g_autofree char *text =
    g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) ? g_variant_dup_string (value, NULL) : g_variant_print (value, FALSE);
  gboolean both_numbers = !type[1] && !own_type[1] && strchr (numbers, *type) && strchr (numbers, *own_type);

  if (g_utf8_strlen (text, -1) > 60)
    *g_utf8_offset_to_pointer (text, 60) = '\0';
  g_set_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS, "argument '%s' of step '%s' has to be %s; '%s' is %s%s",
               name, step, wanted, text, given, both_numbers ? " that it can't hold" : "");
}

/* A dictionary of names and values, made of what a program gives: NULL is an empty one. Takes a floating reference. */
GVariant *
_flowbus_dictionary (GVariant *dictionary, const char *what, GError **error)
{
  if (!dictionary)
    return g_variant_ref_sink (g_variant_new ("a{sv}", NULL));
  g_variant_ref_sink (dictionary);
  if (g_variant_is_of_type (dictionary, G_VARIANT_TYPE_VARDICT))
    return dictionary;
  g_set_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS,
               "%s have to be a dictionary of names and values, of the type 'a{sv}', not '%s'", what,
               g_variant_get_type_string (dictionary));
  g_variant_unref (dictionary);
  return NULL;
}

GVariant *
_flowbus_steps_convert (GVariant *steps, const char *step, GVariant *arguments, GError **error)
{
  g_autoptr (GVariant) declared = steps ? g_variant_lookup_value (steps, step, G_VARIANT_TYPE ("a{ss}")) : NULL;
  GVariantBuilder builder;
  GVariantIter iter;
  const char *name;
  GVariant *value;

  /* flowbusd says what is wrong with a step that is not declared, and which is similar. */
  if (!declared)
    return g_variant_ref (arguments);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_iter_init (&iter, arguments);
  while (g_variant_iter_loop (&iter, "{&sv}", &name, &value)) {
    g_autofree char *type = NULL;
    GVariant *made;

    if (g_variant_lookup (declared, name, "s", &type) && g_str_has_suffix (type, "?"))
      type[strlen (type) - 1] = '\0';
    if (!type || !g_variant_type_string_is_valid (type) || !g_variant_type_is_definite (G_VARIANT_TYPE (type))) {
      g_variant_builder_add (&builder, "{sv}", name, value);
      continue;
    }
    if (!(made = _flowbus_convert (value, G_VARIANT_TYPE (type)))) {
      set_conversion_error (error, step, name, type, value);
      g_variant_unref (value);
      g_variant_builder_clear (&builder);
      return NULL;
    }
    g_variant_builder_add (&builder, "{sv}", name, made);
  }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
