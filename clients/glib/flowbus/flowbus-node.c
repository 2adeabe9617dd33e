/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusNode {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusNode, flowbus_node, G_TYPE_OBJECT)

static void
flowbus_node_class_init (FlowbusNodeClass *klass)
{
}

static void
flowbus_node_init (FlowbusNode *self)
{
}
