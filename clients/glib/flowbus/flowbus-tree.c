/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusTree {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusTree, flowbus_tree, G_TYPE_OBJECT)

static void
flowbus_tree_class_init (FlowbusTreeClass *klass)
{
}

static void
flowbus_tree_init (FlowbusTree *self)
{
}
