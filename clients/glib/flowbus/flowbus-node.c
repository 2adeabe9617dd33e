/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-node-private.h"

/**
 * FlowbusNode:
 *
 * A flow or a screen of a [class@Flowbus.Tree], as it is now: its properties notify of changes.
 */
enum {
  PROP_PATH = 1,
  PROP_INSTANCE,
  PROP_NAME,
  PROP_PARENT_PATH,
  PROP_DEPTH,
  PROP_IS_FLOW,
  PROP_STYLE,
  PROP_ARGUMENTS,
  PROP_OWNER,
  PROP_TITLE,
  PROP_WAITING,
  PROP_OUTPUT,
  PROP_CURRENT,
  PROP_VISIBLE,
  PROP_PRESENTED,
  PROP_IN_SIGHT,
  PROP_READY,
  PROP_LIVE,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (FlowbusNode, flowbus_node, G_TYPE_OBJECT)

static void
take_text (FlowbusNode *self, GVariant *values, const char *name, char **field, guint property)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (values, name, NULL);
  const char *text;

  if (!value || !(g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) || g_variant_is_of_type (value, G_VARIANT_TYPE_OBJECT_PATH)))
    return;
  text = g_variant_get_string (value, NULL);
  if (g_strcmp0 (text, *field) == 0)
    return;
  g_free (*field);
  *field = g_strdup (text);
  g_object_notify_by_pspec (G_OBJECT (self), properties[property]);
}

static void
take_flag (FlowbusNode *self, GVariant *values, const char *name, gboolean *field, guint property)
{
  gboolean value;

  if (!g_variant_lookup (values, name, "b", &value) || value == *field)
    return;
  *field = value;
  g_object_notify_by_pspec (G_OBJECT (self), properties[property]);
}

void
_flowbus_node_update (FlowbusNode *self, GVariant *values)
{
  g_autoptr (GVariant) arguments = g_variant_lookup_value (values, "Arguments", G_VARIANT_TYPE_VARDICT);

  g_object_freeze_notify (G_OBJECT (self));
  g_variant_lookup (values, "Instance", "t", &self->instance);
  take_text (self, values, "Name", &self->name, PROP_NAME);
  take_text (self, values, "ParentFlow", &self->parent_path, PROP_PARENT_PATH);
  take_text (self, values, "Style", &self->style, PROP_STYLE);
  take_text (self, values, "Owner", &self->owner, PROP_OWNER);
  take_text (self, values, "Title", &self->title, PROP_TITLE);
  take_text (self, values, "Waiting", &self->waiting, PROP_WAITING);
  take_text (self, values, "Output", &self->output, PROP_OUTPUT);
  take_text (self, values, "Current", &self->current, PROP_CURRENT);
  take_flag (self, values, "Visible", &self->visible, PROP_VISIBLE);
  take_flag (self, values, "Presented", &self->presented, PROP_PRESENTED);
  take_flag (self, values, "InSight", &self->in_sight, PROP_IN_SIGHT);
  take_flag (self, values, "Ready", &self->ready, PROP_READY);
  if (arguments && !g_variant_equal (arguments, self->arguments)) {
    g_variant_unref (self->arguments);
    self->arguments = g_variant_ref (arguments);
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ARGUMENTS]);
  }
  g_object_thaw_notify (G_OBJECT (self));
}

FlowbusNode *
_flowbus_node_new (const char *path, GVariant *interfaces)
{
  FlowbusNode *self = g_object_new (FLOWBUS_TYPE_NODE, NULL);
  g_autoptr (GVariant) presentable = g_variant_lookup_value (interfaces, FLOWBUS_PRESENTABLE, G_VARIANT_TYPE_VARDICT);
  g_autoptr (GVariant) flow = g_variant_lookup_value (interfaces, FLOWBUS_FLOW, G_VARIANT_TYPE_VARDICT);

  self->path = g_strdup (path);
  self->is_flow = flow != NULL;
  if (presentable)
    _flowbus_node_update (self, presentable);
  if (flow)
    _flowbus_node_update (self, flow);
  return self;
}

void
_flowbus_node_set_live (FlowbusNode *self, gboolean live)
{
  if (self->is_live == live)
    return;
  self->is_live = live;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIVE]);
}

GListStore *
_flowbus_node_get_store (FlowbusNode *self)
{
  return self->children;
}

FlowbusNode *
_flowbus_node_get_parent (FlowbusNode *self)
{
  return self->parent;
}

void
_flowbus_node_set_parent (FlowbusNode *self, FlowbusNode *parent)
{
  guint depth = parent ? parent->depth + 1 : 0;

  self->parent = parent;
  if (self->depth == depth)
    return;
  self->depth = depth;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DEPTH]);
}

FlowbusNode *
_flowbus_node_get_last (FlowbusNode *self)
{
  guint n;

  while ((n = g_list_model_get_n_items (G_LIST_MODEL (self->children)))) {
    self = g_list_model_get_item (G_LIST_MODEL (self->children), n - 1);
    g_object_unref (self);
  }
  return self;
}

static void
flowbus_node_finalize (GObject *object)
{
  FlowbusNode *self = FLOWBUS_NODE (object);

  g_free (self->path);
  g_free (self->name);
  g_free (self->parent_path);
  g_free (self->style);
  g_free (self->owner);
  g_free (self->title);
  g_free (self->waiting);
  g_free (self->output);
  g_free (self->current);
  g_variant_unref (self->arguments);
  g_clear_object (&self->children);
  G_OBJECT_CLASS (flowbus_node_parent_class)->finalize (object);
}

static void
flowbus_node_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusNode *self = FLOWBUS_NODE (object);

  switch (id) {
  case PROP_PATH: g_value_set_string (value, self->path); break;
  case PROP_INSTANCE: g_value_set_uint64 (value, self->instance); break;
  case PROP_NAME: g_value_set_string (value, self->name); break;
  case PROP_PARENT_PATH: g_value_set_string (value, self->parent_path); break;
  case PROP_DEPTH: g_value_set_uint (value, self->depth); break;
  case PROP_IS_FLOW: g_value_set_boolean (value, self->is_flow); break;
  case PROP_STYLE: g_value_set_string (value, self->style); break;
  case PROP_ARGUMENTS: g_value_set_variant (value, self->arguments); break;
  case PROP_OWNER: g_value_set_string (value, self->owner); break;
  case PROP_TITLE: g_value_set_string (value, self->title); break;
  case PROP_WAITING: g_value_set_string (value, self->waiting); break;
  case PROP_OUTPUT: g_value_set_string (value, self->output); break;
  case PROP_CURRENT: g_value_set_string (value, self->current); break;
  case PROP_VISIBLE: g_value_set_boolean (value, self->visible); break;
  case PROP_PRESENTED: g_value_set_boolean (value, self->presented); break;
  case PROP_IN_SIGHT: g_value_set_boolean (value, self->in_sight); break;
  case PROP_READY: g_value_set_boolean (value, self->ready); break;
  case PROP_LIVE: g_value_set_boolean (value, self->is_live); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_node_class_init (FlowbusNodeClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object->finalize = flowbus_node_finalize;
  object->get_property = flowbus_node_get_property;

  /**
   * FlowbusNode:path: (getter get_path)
   *
   * The path in the tree, such as "/org/flowbus/Navigation1/tree/shop/detail".
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:instance: (getter get_instance)
   *
   * The number that no other flow or screen ever has.
   */
  properties[PROP_INSTANCE] = g_param_spec_uint64 ("instance", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * FlowbusNode:name: (getter get_name)
   *
   * The name of the screen, or of the flow's definition.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:parent-path: (getter get_parent_path)
   *
   * The path of the flow above it; "/" for a root.
   */
  properties[PROP_PARENT_PATH] = g_param_spec_string ("parent-path", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:depth: (getter get_depth)
   *
   * How many flows of the list are above it.
   */
  properties[PROP_DEPTH] = g_param_spec_uint ("depth", NULL, NULL, 0, G_MAXUINT, 0, flags);
  /**
   * FlowbusNode:is-flow: (getter is_flow)
   *
   * Whether it is a flow.
   */
  properties[PROP_IS_FLOW] = g_param_spec_boolean ("is-flow", NULL, NULL, FALSE, flags);
  /**
   * FlowbusNode:style: (getter get_style)
   *
   * The word that says how to show it; empty if there is none.
   */
  properties[PROP_STYLE] = g_param_spec_string ("style", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:arguments: (getter get_arguments)
   *
   * Its arguments, without private ones, of the type `a{sv}`.
   */
  properties[PROP_ARGUMENTS] = g_param_spec_variant ("arguments", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
  /**
   * FlowbusNode:owner: (getter get_owner)
   *
   * The unique bus name of the program that shows it; empty if there is none.
   */
  properties[PROP_OWNER] = g_param_spec_string ("owner", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:title: (getter get_title)
   *
   * The title of a screen; empty if there is none.
   */
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:waiting: (getter get_waiting)
   *
   * Why it can't be shown yet, for people: the last error of the program that is to show a screen, which is called again, or why an
   * empty flow has nothing to show. Empty if it does not wait; a service older than this property reports none.
   */
  properties[PROP_WAITING] = g_param_spec_string ("waiting", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:output: (getter get_output)
   *
   * The output that a root stands on; %NULL for a screen, empty if there is none.
   */
  properties[PROP_OUTPUT] = g_param_spec_string ("output", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:current: (getter get_current)
   *
   * The path of the child of a flow that covers the others; %NULL for a screen, "/" if there is none.
   */
  properties[PROP_CURRENT] = g_param_spec_string ("current", NULL, NULL, NULL, flags);
  /**
   * FlowbusNode:visible: (getter get_visible)
   *
   * Whether it is shown.
   */
  properties[PROP_VISIBLE] = g_param_spec_boolean ("visible", NULL, NULL, FALSE, flags);
  /**
   * FlowbusNode:presented: (getter get_presented)
   *
   * Whether it is visible, nothing covers it, and its parent is presented.
   */
  properties[PROP_PRESENTED] = g_param_spec_boolean ("presented", NULL, NULL, FALSE, flags);
  /**
   * FlowbusNode:in-sight: (getter get_in_sight)
   *
   * Whether nothing covers it, and its parent is presented. Changes are reported for screens alone.
   */
  properties[PROP_IN_SIGHT] = g_param_spec_boolean ("in-sight", NULL, NULL, FALSE, flags);
  /**
   * FlowbusNode:ready: (getter get_ready)
   *
   * Whether the initial step of a flow is done.
   */
  properties[PROP_READY] = g_param_spec_boolean ("ready", NULL, NULL, FALSE, flags);
  /**
   * FlowbusNode:live: (getter is_live)
   *
   * Whether it is still in the tree.
   */
  properties[PROP_LIVE] = g_param_spec_boolean ("live", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object, N_PROPS, properties);
}

static void
flowbus_node_init (FlowbusNode *self)
{
  self->arguments = g_variant_ref_sink (g_variant_new ("a{sv}", NULL));
  self->children = g_list_store_new (FLOWBUS_TYPE_NODE);
  self->waiting = g_strdup ("");
  self->is_live = TRUE;
}
