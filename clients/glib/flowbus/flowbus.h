/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define FLOWBUS_INSIDE
#include <flowbus/flowbus-client.h>
#include <flowbus/flowbus-error.h>
#include <flowbus/flowbus-guard.h>
#include <flowbus/flowbus-presenter.h>
#include <flowbus/flowbus-screen.h>
#include <flowbus/flowbus-tree.h>
#include <flowbus/flowbus-types.h>
#undef FLOWBUS_INSIDE
