// SPDX-License-Identifier: Apache-2.0
//
// Steps on any presentable, as ScreenWindow and FlowTree emit them.
#pragma once

#include "bus.h"

#include <QtQml/QJSValue>

namespace FlowBus {

// Sends a step with arguments in their declared types, and a token. The reply has the serial and the verdict.
void sendStep(Bus *bus, QObject *context, const QString &path, const QString &step, const QVariantMap &values,
              const QVariantMap &options, Completion completion);

// The same as a promise of the engine of this object: {serial, verdict}. An error is also a warning about the object.
QJSValue emitStep(Bus *bus, QObject *of, const QString &path, const QString &step, const QVariantMap &values,
                  const QVariantMap &options);
QJSValue back(Bus *bus, QObject *of, const QString &path, const QVariantMap &options = {});
// Takes back a step that waits at this path, by the token of its call.
QJSValue cancelStep(Bus *bus, QObject *of, const QString &path, const QString &token);

// A warning with the place of the object in its file.
void warn(const QObject *about, const QString &member, const QString &errorName, const QString &errorMessage);

}
