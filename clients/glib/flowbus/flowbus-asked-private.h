/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-parts-private.h"

/* What guards and navigators have in common: an object at a bus name, which is asked. */
typedef struct {
  GObject *object; /* the guard or navigator, which has this */
  FlowbusClient *client;
  char *bus_name;
  char *given_path;
  char *object_path;
  gboolean is_closed;
  gboolean is_owned;
  GDBusInterfaceSkeleton *skeleton;
  GParamSpec *owned_property;
  guint acquired_signal;
  guint lost_signal;
} FlowbusAsked;

enum { ASKED_CLIENT = 1, ASKED_BUS_NAME, ASKED_OBJECT_PATH, ASKED_NAME_OWNED, ASKED_N_PROPS };

void _flowbus_asked_constructed (FlowbusAsked *self, const char *what);
void _flowbus_asked_close (FlowbusAsked *self);
void _flowbus_asked_clear (FlowbusAsked *self);
gboolean _flowbus_asked_get_property (FlowbusAsked *self, guint id, GValue *value);
gboolean _flowbus_asked_set_property (FlowbusAsked *self, guint id, const GValue *value);

/* flowbus-question.c */

FlowbusQuestion *_flowbus_question_new (FlowbusClient *client, GDBusMethodInvocation *invocation, gboolean is_navigation, const char *flow,
                                        const char *step, GVariant *arguments, GVariant *details);
