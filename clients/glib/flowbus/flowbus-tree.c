/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-tree-private.h"

/**
 * FlowbusTree:
 *
 * The live flows and screens, as a list that follows every change: a #GListModel of [class@Flowbus.Node], parents before their
 * children, and siblings in their order.
 *
 * ```c
 * FlowbusTree *tree = flowbus_tree_new ();
 * g_signal_connect (tree, "items-changed", G_CALLBACK (on_items_changed), NULL);
 * ```
 *
 * It has no race: it listens to the signals of the service before it reads the tree. After a restart of the service it reads
 * again, and keeps the nodes whose instance is still there; until then it shows what was there before.
 *
 * For a view with rows that fold, [method@Flowbus.Tree.get_roots] and [method@Flowbus.Node.get_children] are lists of siblings.
 */
enum { PROP_CLIENT = 1, PROP_PATH, PROP_LOADED, N_PROPS };
static GParamSpec *properties[N_PROPS];

enum { NAVIGATED, FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void list_model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (FlowbusTree, flowbus_tree, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GType
get_item_type (GListModel *model)
{
  return FLOWBUS_TYPE_NODE;
}

static guint
get_n_items (GListModel *model)
{
  return FLOWBUS_TREE (model)->nodes->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  FlowbusTree *self = FLOWBUS_TREE (model);

  return position < self->nodes->len ? g_object_ref (g_ptr_array_index (self->nodes, position)) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void
flowbus_tree_constructed (GObject *object)
{
  FlowbusTree *self = FLOWBUS_TREE (object);

  G_OBJECT_CLASS (flowbus_tree_parent_class)->constructed (object);
  if (!self->client)
    self->client = flowbus_client_new ();
  if (self->path && !g_str_has_prefix (self->path, FLOWBUS_TREE_PATH "/")) {
    g_critical ("'%s' is no path of a flow or screen; one is, for example, '" FLOWBUS_TREE_PATH "/shop'", self->path);
    return;
  }
  self->appeared = g_signal_connect (self->client, "appeared", G_CALLBACK (_flowbus_tree_service_appeared), self);
  self->available = g_signal_connect (self->client, "notify::available", G_CALLBACK (_flowbus_tree_availability_changed), self);
  _flowbus_client_add_part (self->client, self, _flowbus_tree_start, NULL);
}

static void
flowbus_tree_dispose (GObject *object)
{
  FlowbusTree *self = FLOWBUS_TREE (object);
  GDBusConnection *connection = flowbus_client_get_connection (self->client);

  _flowbus_client_remove_part (self->client, self);
  g_clear_signal_handler (&self->appeared, self->client);
  g_clear_signal_handler (&self->available, self->client);
  for (guint i = 0; i < G_N_ELEMENTS (self->subscriptions); i++) {
    if (self->subscriptions[i])
      g_dbus_connection_signal_unsubscribe (connection, self->subscriptions[i]);
    self->subscriptions[i] = 0;
  }
  G_OBJECT_CLASS (flowbus_tree_parent_class)->dispose (object);
}

static void
flowbus_tree_finalize (GObject *object)
{
  FlowbusTree *self = FLOWBUS_TREE (object);

  for (guint i = 0; i < self->nodes->len; i++)
    _flowbus_node_set_parent (g_ptr_array_index (self->nodes, i), NULL);
  g_hash_table_unref (self->by_path);
  g_ptr_array_unref (self->nodes);
  g_clear_object (&self->roots);
  g_clear_object (&self->client);
  g_free (self->path);
  G_OBJECT_CLASS (flowbus_tree_parent_class)->finalize (object);
}

static void
flowbus_tree_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  FlowbusTree *self = FLOWBUS_TREE (object);

  switch (id) {
  case PROP_CLIENT: g_value_set_object (value, self->client); break;
  case PROP_PATH: g_value_set_string (value, self->path); break;
  case PROP_LOADED: g_value_set_boolean (value, self->loaded); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_tree_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  FlowbusTree *self = FLOWBUS_TREE (object);

  switch (id) {
  case PROP_CLIENT: self->client = g_value_dup_object (value); break;
  case PROP_PATH: self->path = g_value_dup_string (value); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
flowbus_tree_class_init (FlowbusTreeClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  const GParamFlags construct = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object->constructed = flowbus_tree_constructed;
  object->dispose = flowbus_tree_dispose;
  object->finalize = flowbus_tree_finalize;
  object->get_property = flowbus_tree_get_property;
  object->set_property = flowbus_tree_set_property;

  /**
   * FlowbusTree:client: (getter get_client)
   *
   * The client; by default a new one on the session bus.
   */
  properties[PROP_CLIENT] = g_param_spec_object ("client", NULL, NULL, FLOWBUS_TYPE_CLIENT, construct);
  /**
   * FlowbusTree:path: (getter get_path)
   *
   * The path of the flow with which the list begins; %NULL for all trees.
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, construct);
  /**
   * FlowbusTree:loaded: (getter get_loaded)
   *
   * Whether the list is what the service has. It is not before the first reading, and while the service is away.
   */
  properties[PROP_LOADED] = g_param_spec_boolean ("loaded", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object, N_PROPS, properties);

  /**
   * FlowbusTree::navigated:
   * @self: the tree
   * @serial: the serial of the navigation
   * @flow: the path of the flow
   * @step: the name of the step; empty if Back dismissed a child
   * @arguments: the arguments of the step, without those of a private step
   *
   * A flow of the tree has navigated. The list has changed already.
   */
  signals[NAVIGATED] = g_signal_new ("navigated", FLOWBUS_TYPE_TREE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                                     G_TYPE_UINT64, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_VARIANT);
  /**
   * FlowbusTree::failed:
   * @self: the tree
   * @path: the path of the flow
   * @step: the name of the step
   * @verdict: what became of it; %FLOWBUS_VERDICT_FAILED if it failed
   * @error: (nullable): why it failed, if it did
   *
   * A step that nobody waits for did not navigate, such as an initial step.
   */
  signals[FAILED] = g_signal_new ("failed", FLOWBUS_TYPE_TREE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                                  G_TYPE_STRING, G_TYPE_STRING, FLOWBUS_TYPE_VERDICT, G_TYPE_ERROR);
}

static void
flowbus_tree_init (FlowbusTree *self)
{
  self->nodes = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  self->roots = g_list_store_new (FLOWBUS_TYPE_NODE);
}

/**
 * flowbus_tree_new:
 *
 * Makes a list of all flows and screens of the session bus.
 *
 * Returns: (transfer full): the list
 */
FlowbusTree *
flowbus_tree_new (void)
{
  return g_object_new (FLOWBUS_TYPE_TREE, NULL);
}

/**
 * flowbus_tree_new_for_client:
 * @client: a client
 * @path: (nullable): the path of a flow; %NULL for all trees
 *
 * Makes a list of the flow and all that is below it.
 *
 * Returns: (transfer full): the list
 */
FlowbusTree *
flowbus_tree_new_for_client (FlowbusClient *client, const char *path)
{
  g_return_val_if_fail (FLOWBUS_IS_CLIENT (client), NULL);
  return g_object_new (FLOWBUS_TYPE_TREE, "client", client, "path", path, NULL);
}

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusTree, FLOWBUS_IS_TREE, type, function, value)

/**
 * flowbus_tree_get_client: (get-property client)
 * @self: a tree
 *
 * Gets its client.
 *
 * Returns: (transfer none): its client
 */
GETTER (FlowbusClient *, flowbus_tree_get_client, self->client)

/**
 * flowbus_tree_get_path: (get-property path)
 * @self: a tree
 *
 * Gets the path with which it begins.
 *
 * Returns: (transfer none) (nullable): the path with which it begins; %NULL for all trees
 */
GETTER (const char *, flowbus_tree_get_path, self->path)

/**
 * flowbus_tree_get_loaded: (get-property loaded)
 * @self: a tree
 *
 * Tells whether the list is what the service has.
 *
 * Returns: whether the list is what the service has
 */
GETTER (gboolean, flowbus_tree_get_loaded, self->loaded)

/**
 * flowbus_tree_get_roots:
 * @self: a tree
 *
 * Gets the roots alone, or the flow with which the list begins.
 *
 * Returns: (transfer none): the roots alone, or the flow with which the list begins
 */
GETTER (GListModel *, flowbus_tree_get_roots, G_LIST_MODEL (self->roots))

/**
 * flowbus_tree_lookup:
 * @self: a tree
 * @path: the path of a flow or a screen
 *
 * Gets what is there.
 *
 * Returns: (transfer none) (nullable): what is there; %NULL if nothing is
 */
FlowbusNode *
flowbus_tree_lookup (FlowbusTree *self, const char *path)
{
  g_return_val_if_fail (FLOWBUS_IS_TREE (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);
  return g_hash_table_lookup (self->by_path, path);
}

/**
 * flowbus_tree_lookup_instance:
 * @self: a tree
 * @instance: the instance of a flow or a screen
 *
 * Gets that flow or screen.
 *
 * Returns: (transfer none) (nullable): that flow or screen; %NULL if it is not live
 */
FlowbusNode *
flowbus_tree_lookup_instance (FlowbusTree *self, guint64 instance)
{
  g_return_val_if_fail (FLOWBUS_IS_TREE (self), NULL);
  for (guint i = 0; i < self->nodes->len; i++)
    if (flowbus_node_get_instance (g_ptr_array_index (self->nodes, i)) == instance)
      return g_ptr_array_index (self->nodes, i);
  return NULL;
}
