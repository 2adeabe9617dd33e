/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

struct _FlowbusQuestion {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (FlowbusQuestion, flowbus_question, G_TYPE_OBJECT)

static void
flowbus_question_class_init (FlowbusQuestionClass *klass)
{
}

static void
flowbus_question_init (FlowbusQuestion *self)
{
}
