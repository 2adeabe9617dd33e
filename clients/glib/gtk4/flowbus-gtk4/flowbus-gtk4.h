/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define FLOWBUS_GTK4_INSIDE
#include <flowbus-gtk4/flowbus-application.h>
#include <flowbus-gtk4/flowbus-binding.h>
#include <flowbus-gtk4/flowbus-navigation-view.h>
#include <flowbus-gtk4/flowbus-widget-state.h>
#undef FLOWBUS_GTK4_INSIDE
