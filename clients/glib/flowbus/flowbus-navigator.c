/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusNavigator {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusNavigator, flowbus_navigator, G_TYPE_OBJECT)

static void
flowbus_navigator_class_init (FlowbusNavigatorClass *klass)
{
}

static void
flowbus_navigator_init (FlowbusNavigator *self)
{
}
