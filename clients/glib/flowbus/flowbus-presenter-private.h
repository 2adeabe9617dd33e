/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-contract.h"
#include "flowbus-parts-private.h"
#include "flowbus-screen-private.h"

struct _FlowbusPresenter {
  GObject parent_instance;
  FlowbusClient *client;
  char *bus_name;
  char *given_path;
  char *object_path;
  GBusNameOwnerFlags flags;
  gboolean exit_when_idle;
  gboolean is_started;
  gboolean is_closed;
  gboolean is_owned;
  gboolean was_called; /* a first Present came */
  enum { RUNNING, RELEASING, IDLE } state;
  FlowbusContractPresenter *skeleton;
  GHashTable *screens; /* instance → FlowbusScreen */
};
