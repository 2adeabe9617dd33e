/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-calls-private.h"
#include "flowbus-parts-private.h"

struct _FlowbusClient {
  GObject parent_instance;
  GMainContext *context;
  GBusType bus_type;
  char *address;
  GDBusConnection *connection;
  gboolean is_given;
  GCancellable *connecting;
  GSource *beginning;
  GError *closed;
  gulong closed_handler;
  guint watch;
  char *owner;
  guint subscriptions[3];
  gboolean interactive;
  guint retry_time;
  guint appearances;
  GPtrArray *parts;
  GHashTable *screens; /* that presenters show, by instance */
  const FlowbusScreenFuncs *screen_funcs;
  guint under_way; /* calls, steps and asks, questions, and windows that linger */
  FlowbusCalls *calls;
  FlowbusSteps *steps;
  FlowbusEmissions *emissions;
  FlowbusNames *names;
};

typedef struct {
  gpointer part;
  FlowbusPartFunc start, check_idle;
  gboolean is_started;
} Part;

/* flowbus-client-bus.c: begins when control has returned to the main loop. */
void _flowbus_client_begin_later (FlowbusClient *self);
