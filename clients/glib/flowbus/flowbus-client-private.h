/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-private.h"

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
  GHashTable *screens;
  guint n_lingering; /* windows of screens that are gone, which are still shown */
  FlowbusCalls *calls;
  FlowbusSteps *steps;
  FlowbusEmissions *emissions;
  guint questions; /* not answered yet */
  FlowbusNames *names;
};

typedef struct {
  gpointer part;
  FlowbusStart start;
  gboolean is_started;
} Part;

/* flowbus-client-bus.c: begins when control has returned to the main loop. */
void _flowbus_client_begin_later (FlowbusClient *self);
/* flowbus-client-parts.c */
void _flowbus_client_start_parts (FlowbusClient *self);
