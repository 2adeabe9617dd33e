// SPDX-License-Identifier: Apache-2.0
//
// The basic types of D-Bus, and which values of JavaScript fit them.
#pragma once

#include <QtCore/QString>
#include <QtCore/QVariant>

namespace FlowBus {

// The largest integer up to which a number of JavaScript has every one.
inline constexpr double exactLimit = 9007199254740991.0;

struct Basic
{
    char code;
    const char *name;
    // Of integers alone.
    qint64 least;
    quint64 greatest;
};

// The type of a code; null if it is none of a basic type.
const Basic *basic(QChar code);

// The value in this type; invalid if it does not fit.
QVariant basicValue(const Basic &type, const QVariant &value);

// The values of JavaScript come in wrappings of their own where they are in lists and objects.
QVariant plain(const QVariant &value);

bool isString(const QVariant &value);

// Undefined or null.
bool isNothing(const QVariant &value);

// How a message shows a value that does not fit.
QString quoted(const QVariant &value);

// How people call a type, such as "int64" for "x".
QString typeName(const QString &signature);

}
