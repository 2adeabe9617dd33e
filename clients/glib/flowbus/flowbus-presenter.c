/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusPresenter {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusPresenter, flowbus_presenter, G_TYPE_OBJECT)

static void
flowbus_presenter_class_init (FlowbusPresenterClass *klass)
{
}

static void
flowbus_presenter_init (FlowbusPresenter *self)
{
}
