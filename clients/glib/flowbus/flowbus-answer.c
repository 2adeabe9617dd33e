/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusAnswer {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusAnswer, flowbus_answer, G_TYPE_OBJECT)

static void
flowbus_answer_class_init (FlowbusAnswerClass *klass)
{
}

static void
flowbus_answer_init (FlowbusAnswer *self)
{
}
