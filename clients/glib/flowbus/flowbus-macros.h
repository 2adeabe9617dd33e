/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#if !defined(FLOWBUS_INSIDE) && !defined(FLOWBUS_COMPILATION)
#error "Only <flowbus/flowbus.h> can be included directly."
#endif

#include <gio/gio.h>

#if defined(FLOWBUS_COMPILATION) && defined(__GNUC__)
#define FLOWBUS_API __attribute__((visibility("default"))) extern
#else
#define FLOWBUS_API extern
#endif
