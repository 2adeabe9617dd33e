/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-calls-private.h"
#include "flowbus-node-private.h"
#include "flowbus-parts-private.h"

struct _FlowbusTree {
  GObject parent_instance;
  FlowbusClient *client;
  char *path; /* (nullable): of the node with which it begins */
  GPtrArray *nodes;
  GHashTable *by_path; /* not owned: the nodes have their paths */
  GListStore *roots;
  guint subscriptions[5];
  gboolean loaded;
  gboolean is_reading; /* signals before the answer are in the answer */
  guint reading;       /* the number of the latest reading */
  gulong appeared;
  gulong available;
};

/* flowbus-tree-mirror.c */

void _flowbus_tree_start (gpointer tree);
void _flowbus_tree_service_appeared (FlowbusClient *client, FlowbusTree *self);
void _flowbus_tree_availability_changed (FlowbusClient *client, GParamSpec *spec, FlowbusTree *self);
