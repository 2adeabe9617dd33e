/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-private.h"

struct _FlowbusNode {
  GObject parent_instance;
  char *path;
  guint64 instance;
  char *name;
  char *parent_path;
  char *style;
  char *owner;
  char *title;
  char *waiting;
  char *output;
  char *current;
  GVariant *arguments;
  guint depth;
  gboolean is_flow;
  gboolean visible;
  gboolean presented;
  gboolean in_sight;
  gboolean ready;
  gboolean is_live;
  FlowbusNode *parent; /* not owned */
  GListStore *children;
};

FlowbusNode *_flowbus_node_new (const char *path, GVariant *interfaces);
void _flowbus_node_update (FlowbusNode *self, GVariant *properties);
void _flowbus_node_set_live (FlowbusNode *self, gboolean live);
GListStore *_flowbus_node_get_store (FlowbusNode *self);
FlowbusNode *_flowbus_node_get_parent (FlowbusNode *self);
void _flowbus_node_set_parent (FlowbusNode *self, FlowbusNode *parent);
/* The node below it that stands last in the order of the tree; the node itself if it has no children. */
FlowbusNode *_flowbus_node_get_last (FlowbusNode *self);
