/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus.h>

#define FLOWBUS_NAME "org.flowbus.Navigation1"

/* Takes an error of a call, and returns what a caller of the library sees. */
GError *_flowbus_error_take (GError *error);
GError *_flowbus_error_named (const char *name, const char *message);
FlowbusVerdict _flowbus_verdict_from_string (const char *word);
