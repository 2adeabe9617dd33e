/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-tree-private.h"

static gboolean
is_watched (FlowbusTree *self, const char *path)
{
  const char *top = self->path ? self->path : FLOWBUS_TREE_PATH;
  gsize length = strlen (top);

  if (!g_str_has_prefix (path, top))
    return FALSE;
  return path[length] == '/' || (path[length] == '\0' && self->path);
}

static void
set_loaded (FlowbusTree *self, gboolean loaded)
{
  if (self->loaded == loaded)
    return;
  self->loaded = loaded;
  g_object_notify (G_OBJECT (self), "loaded");
}

static GListStore *
siblings_of (FlowbusTree *self, FlowbusNode *node)
{
  FlowbusNode *parent = _flowbus_node_get_parent (node);

  return parent ? _flowbus_node_get_store (parent) : self->roots;
}

static guint
position_of (FlowbusTree *self, FlowbusNode *node)
{
  guint position = 0;

  g_ptr_array_find (self->nodes, node, &position);
  return position;
}

static void
add (FlowbusTree *self, const char *path, GVariant *interfaces)
{
  FlowbusNode *node, *parent;
  guint position;

  if (g_hash_table_contains (self->by_path, path))
    return;
  node = _flowbus_node_new (path, interfaces);
  parent = g_hash_table_lookup (self->by_path, flowbus_node_get_parent_path (node));
  _flowbus_node_set_parent (node, parent);
  position = parent ? position_of (self, _flowbus_node_get_last (parent)) + 1 : self->nodes->len;
  g_ptr_array_insert (self->nodes, position, node);
  g_hash_table_insert (self->by_path, (char *) flowbus_node_get_path (node), node);
  g_list_store_append (siblings_of (self, node), node);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 0, 1);
}

static void
remove_node (FlowbusTree *self, FlowbusNode *node)
{
  GListStore *siblings = siblings_of (self, node);
  guint position, sibling, count;
  g_autoptr (GPtrArray) removed = g_ptr_array_new_with_free_func (g_object_unref);

  /* The service reports the newest leaf first, so that there is nothing below it any more, as a rule. */
  position = position_of (self, node);
  count = position_of (self, _flowbus_node_get_last (node)) - position + 1;
  for (guint i = 0; i < count; i++) {
    FlowbusNode *gone = g_ptr_array_index (self->nodes, position + i);

    g_hash_table_remove (self->by_path, flowbus_node_get_path (gone));
    g_ptr_array_add (removed, g_object_ref (gone));
  }
  g_ptr_array_remove_range (self->nodes, position, count);
  if (g_list_store_find (siblings, node, &sibling))
    g_list_store_remove (siblings, sibling);
  for (guint i = 0; i < count; i++) {
    _flowbus_node_set_live (g_ptr_array_index (removed, i), FALSE);
    _flowbus_node_set_parent (g_ptr_array_index (removed, i), NULL);
  }
  g_list_model_items_changed (G_LIST_MODEL (self), position, count, 0);
}

/* Puts a list in place of another one, and keeps what both have at the ends. */
static void
put_siblings (GListStore *store, GPtrArray *nodes)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (store)), first = 0;

  while (first < n && first < nodes->len) {
    g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (store), first);

    if (item != g_ptr_array_index (nodes, first))
      break;
    first++;
  }
  if (first < n || first < nodes->len)
    g_list_store_splice (store, first, n - first, nodes->pdata + first, nodes->len - first);
}

static void
collect (GPtrArray *nodes, GHashTable *children, FlowbusNode *parent)
{
  GPtrArray *own = g_hash_table_lookup (children, parent);

  for (guint i = 0; own && i < own->len; i++) {
    FlowbusNode *node = g_ptr_array_index (own, i);

    g_ptr_array_add (nodes, g_object_ref (node));
    collect (nodes, children, node);
  }
}

static GPtrArray *
children_of (GHashTable *children, FlowbusNode *parent)
{
  GPtrArray *own = g_hash_table_lookup (children, parent);

  if (!own) {
    own = g_ptr_array_new ();
    g_hash_table_insert (children, parent, own);
  }
  return own;
}

/* Takes over a whole list: the nodes by path, and the children of each, those of NULL being the roots. */
static void
put (FlowbusTree *self, GHashTable *by_path, GHashTable *children)
{
  g_autoptr (GPtrArray) before = g_steal_pointer (&self->nodes);
  GPtrArray *after = g_ptr_array_new_with_free_func (g_object_unref);
  guint first = 0, last = 0;

  collect (after, children, NULL);
  self->nodes = after;
  g_hash_table_unref (self->by_path);
  self->by_path = g_hash_table_ref (by_path);
  for (guint i = 0; i < before->len; i++) {
    FlowbusNode *node = g_ptr_array_index (before, i);

    if (g_hash_table_lookup (by_path, flowbus_node_get_path (node)) != node) {
      _flowbus_node_set_live (node, FALSE);
      _flowbus_node_set_parent (node, NULL);
    }
  }
  put_siblings (self->roots, children_of (children, NULL));
  for (guint i = 0; i < after->len; i++) {
    FlowbusNode *node = g_ptr_array_index (after, i);

    put_siblings (_flowbus_node_get_store (node), children_of (children, node));
  }
  while (first < before->len && first < after->len && before->pdata[first] == after->pdata[first])
    first++;
  while (last < before->len - first && last < after->len - first &&
         before->pdata[before->len - 1 - last] == after->pdata[after->len - 1 - last])
    last++;
  if (before->len - first - last || after->len - first - last)
    g_list_model_items_changed (G_LIST_MODEL (self), first, before->len - first - last, after->len - first - last);
}

static void
take_objects (FlowbusTree *self, GVariant *objects)
{
  g_autoptr (GHashTable) by_path = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) children = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (g_object_unref);
  GVariantIter iter;
  const char *path;
  GVariant *interfaces;

  g_variant_iter_init (&iter, objects);
  while (g_variant_iter_loop (&iter, "{&o@a{sa{sv}}}", &path, &interfaces)) {
    FlowbusNode *old = g_hash_table_lookup (self->by_path, path), *node, *parent;

    if (!is_watched (self, path))
      continue;
    node = _flowbus_node_new (path, interfaces);
    if (old && flowbus_node_get_instance (old) == flowbus_node_get_instance (node)) {
      g_autoptr (GVariant) presentable = g_variant_lookup_value (interfaces, FLOWBUS_PRESENTABLE, G_VARIANT_TYPE_VARDICT);
      g_autoptr (GVariant) flow = g_variant_lookup_value (interfaces, FLOWBUS_FLOW, G_VARIANT_TYPE_VARDICT);

      g_object_unref (node);
      node = g_object_ref (old);
      if (presentable)
        _flowbus_node_update (node, presentable);
      if (flow)
        _flowbus_node_update (node, flow);
    }
    g_ptr_array_add (kept, node);
    parent = g_hash_table_lookup (by_path, flowbus_node_get_parent_path (node));
    _flowbus_node_set_parent (node, parent);
    g_hash_table_insert (by_path, (char *) flowbus_node_get_path (node), node);
    g_ptr_array_add (children_of (children, parent), node);
  }
  put (self, by_path, children);
}

typedef struct {
  GWeakRef tree;
  guint reading;
  char *path; /* of whose children are read; NULL for the whole tree */
} Reading;

static Reading *
reading_new (FlowbusTree *self, const char *path)
{
  Reading *reading = g_new0 (Reading, 1);

  g_weak_ref_init (&reading->tree, self);
  reading->reading = self->reading;
  reading->path = g_strdup (path);
  return reading;
}

static FlowbusTree *
reading_end (Reading *reading)
{
  FlowbusTree *self = g_weak_ref_get (&reading->tree);

  if (self && self->reading != reading->reading)
    g_clear_object (&self);
  g_weak_ref_clear (&reading->tree);
  g_free (reading->path);
  g_free (reading);
  return self;
}

static void
got_objects (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (FlowbusTree) self = reading_end (data);
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, NULL);
  g_autoptr (GVariant) objects = NULL;

  if (!self)
    return;
  self->is_reading = FALSE;
  if (!reply)
    return;
  objects = g_variant_get_child_value (reply, 0);
  take_objects (self, objects);
  set_loaded (self, TRUE);
}

static void
read_tree (FlowbusTree *self)
{
  self->reading++;
  self->is_reading = TRUE;
  _flowbus_client_call (self->client, FLOWBUS_ROOT, DBUS_OBJECT_MANAGER, "GetManagedObjects", NULL, "(a{oa{sa{sv}}})",
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, 0, NULL, got_objects, reading_new (self, NULL));
}

static void
got_children (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree char *path = g_strdup (((Reading *) data)->path);
  g_autoptr (FlowbusTree) self = reading_end (data);
  g_autoptr (GVariant) reply = _flowbus_client_call_finish (result, NULL);
  g_autoptr (GVariant) value = NULL, paths = NULL;
  g_autoptr (GHashTable) children = NULL, by_path = NULL;
  FlowbusNode *flow;
  GPtrArray *ordered;
  GVariantIter iter;
  const char *child;

  if (!self || !reply || self->is_reading || !(flow = g_hash_table_lookup (self->by_path, path)))
    return;
  value = g_variant_get_child_value (reply, 0);
  paths = g_variant_get_variant (value);
  if (!g_variant_is_of_type (paths, G_VARIANT_TYPE_OBJECT_PATH_ARRAY) ||
      g_variant_n_children (paths) != g_list_model_get_n_items (G_LIST_MODEL (_flowbus_node_get_store (flow))))
    return;
  children = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < self->nodes->len; i++) {
    FlowbusNode *node = g_ptr_array_index (self->nodes, i);

    if (_flowbus_node_get_parent (node) != flow)
      g_ptr_array_add (children_of (children, _flowbus_node_get_parent (node)), node);
  }
  ordered = children_of (children, flow);
  g_variant_iter_init (&iter, paths);
  while (g_variant_iter_loop (&iter, "&o", &child)) {
    FlowbusNode *node = g_hash_table_lookup (self->by_path, child);

    if (!node || _flowbus_node_get_parent (node) != flow)
      return;
    g_ptr_array_add (ordered, node);
  }
  by_path = g_hash_table_ref (self->by_path);
  put (self, by_path, children);
}

/* A child was raised, maybe: only the property says so. */
static void
read_children (FlowbusTree *self, const char *path)
{
  _flowbus_client_call (self->client, path, DBUS_PROPERTIES, "Get", g_variant_new ("(ss)", FLOWBUS_FLOW, "Children"), "(v)",
                        G_DBUS_CALL_FLAGS_NO_AUTO_START, 0, NULL, got_children, reading_new (self, path));
}

static void
interfaces_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                    const char *member, GVariant *parameters, gpointer data)
{
  FlowbusTree *self = data;
  FlowbusNode *node;
  const char *object;

  if (!self->loaded || self->is_reading)
    return;
  g_object_ref (self);
  if (g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(oa{sa{sv}})"))) {
    g_autoptr (GVariant) interfaces = NULL;

    g_variant_get (parameters, "(&o@a{sa{sv}})", &object, &interfaces);
    if (is_watched (self, object))
      add (self, object, interfaces);
  } else if (g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(oas)"))) {
    g_variant_get (parameters, "(&oas)", &object, NULL);
    if ((node = g_hash_table_lookup (self->by_path, object)))
      remove_node (self, node);
  }
  g_object_unref (self);
}

static void
properties_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                    const char *member, GVariant *parameters, gpointer data)
{
  FlowbusTree *self = data;
  FlowbusNode *node = g_hash_table_lookup (self->by_path, path);
  g_autoptr (GVariant) changed = NULL;

  if (!self->loaded || self->is_reading || !node || !g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(sa{sv}as)")))
    return;
  changed = g_variant_get_child_value (parameters, 1);
  g_object_ref (node);
  _flowbus_node_update (node, changed);
  g_object_unref (node);
}

static void
navigated (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
           GVariant *parameters, gpointer data)
{
  FlowbusTree *self = data;
  guint64 serial;
  const char *step, *kind;
  gboolean may_raise = FALSE;
  g_autoptr (GVariant) arguments = NULL, contributors = NULL;
  GVariantIter iter;

  if (!is_watched (self, path) || !g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(ttssa{sv}a(ssoa{sv})a{sv})")))
    return;
  g_variant_get (parameters, "(tt&s&s@a{sv}@a(ssoa{sv})a{sv})", &serial, NULL, NULL, &step, &arguments, &contributors, NULL);
  g_variant_iter_init (&iter, contributors);
  while (g_variant_iter_loop (&iter, "(&s&s&oa{sv})", &kind, NULL, NULL, NULL))
    may_raise = may_raise || g_str_equal (kind, "reuse") || g_str_equal (kind, "show");
  g_object_ref (self);
  if (may_raise && self->loaded && !self->is_reading)
    read_children (self, path);
  g_signal_emit_by_name (self, "navigated", serial, path, step, arguments);
  g_object_unref (self);
}

static void
navigation_failed (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                   const char *member, GVariant *parameters, gpointer data)
{
  FlowbusTree *self = data;
  const char *step, *word, *name, *message;
  g_autoptr (GError) error = NULL;

  if (!is_watched (self, path) || !g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(tsssss)")))
    return;
  g_variant_get (parameters, "(t&s&s&s&s&s)", NULL, NULL, &step, &word, &name, &message);
  if (*name)
    error = _flowbus_error_named (name, message);
  g_object_ref (self);
  g_signal_emit_by_name (self, "failed", path, step,
                         error ? FLOWBUS_VERDICT_FAILED : _flowbus_verdict_from_string (word), error);
  g_object_unref (self);
}

void
_flowbus_tree_service_appeared (FlowbusClient *client, FlowbusTree *self)
{
  read_tree (self);
}

void
_flowbus_tree_availability_changed (FlowbusClient *client, GParamSpec *spec, FlowbusTree *self)
{
  if (!flowbus_client_get_available (client)) {
    self->reading++;
    self->is_reading = FALSE;
    set_loaded (self, FALSE);
  }
}

void
_flowbus_tree_start (gpointer part)
{
  FlowbusTree *self = part;
  const GDBusSignalFlags none = G_DBUS_SIGNAL_FLAGS_NONE;

  self->subscriptions[0] = _flowbus_client_subscribe (self->client, DBUS_OBJECT_MANAGER, "InterfacesAdded", FLOWBUS_ROOT, NULL,
                                                      none, interfaces_changed, self);
  self->subscriptions[1] = _flowbus_client_subscribe (self->client, DBUS_OBJECT_MANAGER, "InterfacesRemoved", FLOWBUS_ROOT, NULL,
                                                      none, interfaces_changed, self);
  self->subscriptions[2] =
    _flowbus_client_subscribe (self->client, DBUS_PROPERTIES, "PropertiesChanged", NULL, NULL, none, properties_changed, self);
  self->subscriptions[3] =
    _flowbus_client_subscribe (self->client, FLOWBUS_FLOW, "NavigationOccurred", NULL, NULL, none, navigated, self);
  self->subscriptions[4] =
    _flowbus_client_subscribe (self->client, FLOWBUS_FLOW, "NavigationFailed", NULL, NULL, none, navigation_failed, self);
  if (flowbus_client_get_available (self->client))
    read_tree (self);
}
