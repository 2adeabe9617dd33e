/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-private.h"

/* flowbus-client-bus.c */

typedef void (*FlowbusPartFunc) (gpointer part);

/* What takes part by a client: it is started once there is a connection, after control has returned to the main loop.
 *
 * @check_idle: (nullable): nothing is under way any more */
void _flowbus_client_add_part (FlowbusClient *self, gpointer part, FlowbusPartFunc start, FlowbusPartFunc check_idle);
void _flowbus_client_remove_part (FlowbusClient *self, gpointer part);

/* flowbus-name.c: bus names, which several parts of a program can share. */

/* @message: why not, if it is not owned */
typedef void (*FlowbusNameFunc) (gpointer user, gboolean owned, const char *message);
typedef void (*FlowbusNameDone) (gpointer user);

FlowbusNames *_flowbus_names_new (FlowbusClient *client);
void _flowbus_names_free (FlowbusNames *self);
void _flowbus_names_own (FlowbusNames *self, const char *name, GBusNameOwnerFlags flags, gpointer user, FlowbusNameFunc func);
void _flowbus_names_disown (FlowbusNames *self, const char *name, gpointer user);
/* Whether another one of its type has the name, too. */
gboolean _flowbus_names_is_shared (FlowbusNames *self, const char *name, gpointer user);
/* Gives the name back, and calls when all calls that came by it have been handed over. */
void _flowbus_names_release (FlowbusNames *self, const char *name, gpointer user, FlowbusNameDone done);
void _flowbus_names_request (FlowbusNames *self, const char *name);
/* The object of a bus name by the contract, or @given. */
char *_flowbus_names_path (const char *name, const char *given);
