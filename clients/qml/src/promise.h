// SPDX-License-Identifier: Apache-2.0
//
// A promise of JavaScript that C++ settles.
#pragma once

#include "bus.h"

#include <QtCore/QPointer>
#include <QtQml/QJSEngine>
#include <QtQml/QJSValue>

namespace FlowBus {

class Promise
{
public:
    // Of the engine of the object. Without one, nobody waits, and settling does nothing.
    explicit Promise(const QObject *of);

    // What JavaScript gets.
    QJSValue value() const { return promise; }

    void resolve(const QJSValue &value) const;
    void resolve(const QVariant &value) const;
    // Rejects with an Error: its name is that of the D-Bus error, its message is for people.
    void reject(const QString &name, const QString &message) const;

private:
    QPointer<QJSEngine> engine;
    QJSValue promise;
    QJSValue resolver;
    QJSValue rejecter;
};

}
