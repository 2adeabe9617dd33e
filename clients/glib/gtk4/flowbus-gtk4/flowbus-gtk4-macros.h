/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#if !defined(FLOWBUS_GTK4_INSIDE) && !defined(FLOWBUS_GTK4_COMPILATION)
#error "Only <flowbus-gtk4/flowbus-gtk4.h> can be included directly."
#endif

#include <flowbus/flowbus.h>
#include <gtk/gtk.h>

#if defined(FLOWBUS_GTK4_COMPILATION) && defined(__GNUC__)
#define FLOWBUS_GTK4_API __attribute__((visibility("default"))) extern
#else
#define FLOWBUS_GTK4_API extern
#endif
