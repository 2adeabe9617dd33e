/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusGuard {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusGuard, flowbus_guard, G_TYPE_OBJECT)

static void
flowbus_guard_class_init (FlowbusGuardClass *klass)
{
}

static void
flowbus_guard_init (FlowbusGuard *self)
{
}
