// SPDX-License-Identifier: Apache-2.0
//
// By what a compositor knows the window of a screen (S-38), and what lets a window come to the front.
#pragma once

#include <QtCore/QString>
#include <QtGui/QWindow>

namespace FlowBus {

// The application id of a screen's toplevel on Wayland.
QString applicationId(const QString &path, qulonglong instance);

// Qt gives a window of Wayland the application id of the program at the moment when it is mapped. This sets it, and lets the
// program have its own again when the main loop goes on.
void setApplicationId(const QString &id);

// On X11 a property of the window; it has to exist and not be mapped yet. Nothing elsewhere.
void setScreenProperty(QWindow *window, const QString &path, qulonglong instance);

// Whether a window comes to the front by being mapped, and by nothing else: the compositor knows no tokens, and gives no program a way
// to raise windows; or FLOWBUS_RAISE=remap says so.
bool comesByMapping();

// Raises a window that is mapped. The token may be empty; under Wayland nothing happens then.
void raise(QWindow *window, const QString &activationToken);

}
