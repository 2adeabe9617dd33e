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
