/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusScreen {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusScreen, flowbus_screen, G_TYPE_OBJECT)

static void
flowbus_screen_class_init (FlowbusScreenClass *klass)
{
}

static void
flowbus_screen_init (FlowbusScreen *self)
{
}
