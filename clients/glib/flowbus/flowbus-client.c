/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusClient {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusClient, flowbus_client, G_TYPE_OBJECT)

static void
flowbus_client_class_init (FlowbusClientClass *klass)
{
}

static void
flowbus_client_init (FlowbusClient *self)
{
}
