/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-types.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_TREE (flowbus_tree_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusTree, flowbus_tree, FLOWBUS, TREE, GObject)

FLOWBUS_API FlowbusTree *flowbus_tree_new (void);
FLOWBUS_API FlowbusTree *flowbus_tree_new_for_client (FlowbusClient *client, const char *path);

FLOWBUS_API FlowbusClient *flowbus_tree_get_client (FlowbusTree *self);
FLOWBUS_API const char *flowbus_tree_get_path (FlowbusTree *self);
FLOWBUS_API gboolean flowbus_tree_get_loaded (FlowbusTree *self);
FLOWBUS_API GListModel *flowbus_tree_get_roots (FlowbusTree *self);
FLOWBUS_API FlowbusNode *flowbus_tree_lookup (FlowbusTree *self, const char *path);
FLOWBUS_API FlowbusNode *flowbus_tree_lookup_instance (FlowbusTree *self, guint64 instance);

#define FLOWBUS_TYPE_NODE (flowbus_node_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusNode, flowbus_node, FLOWBUS, NODE, GObject)

FLOWBUS_API const char *flowbus_node_get_path (FlowbusNode *self);
FLOWBUS_API guint64 flowbus_node_get_instance (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_name (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_parent_path (FlowbusNode *self);
FLOWBUS_API guint flowbus_node_get_depth (FlowbusNode *self);
FLOWBUS_API gboolean flowbus_node_is_flow (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_style (FlowbusNode *self);
FLOWBUS_API GVariant *flowbus_node_get_arguments (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_owner (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_title (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_waiting (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_output (FlowbusNode *self);
FLOWBUS_API const char *flowbus_node_get_current (FlowbusNode *self);
FLOWBUS_API gboolean flowbus_node_get_visible (FlowbusNode *self);
FLOWBUS_API gboolean flowbus_node_get_presented (FlowbusNode *self);
FLOWBUS_API gboolean flowbus_node_get_in_sight (FlowbusNode *self);
FLOWBUS_API gboolean flowbus_node_get_ready (FlowbusNode *self);
FLOWBUS_API GListModel *flowbus_node_get_children (FlowbusNode *self);
FLOWBUS_API gboolean flowbus_node_is_live (FlowbusNode *self);

G_END_DECLS
