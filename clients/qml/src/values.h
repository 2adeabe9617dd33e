// SPDX-License-Identifier: Apache-2.0
//
// Values between JavaScript and D-Bus. JavaScript has one type of number, and D-Bus nine: what is sent has the type that
// a definition declares, or one that follows from the value where nothing is declared.
#pragma once

#include <QtCore/QMap>
#include <QtCore/QString>
#include <QtCore/QVariant>
#include <QtQml/qqmlregistration.h>

namespace FlowBus {

// The names and types of arguments; a "?" behind a type marks an optional one.
using ArgumentTypes = QMap<QString, QString>;

// A value for which the program itself says the type, by Value.typed().
struct TypedValue
{
    QString signature;
    QVariant value;
};

// What an error says about a value that can't be sent; empty if it can.
using Problem = QString;

// The value as D-Bus is to have it. `what` names it in the problem, such as "argument 'item'".
QVariant toWire(const QString &signature, const QVariant &value, const QString &what, Problem &problem);

// A value whose type nothing declares: of numbers, the whole ones are int64 and the others double.
QVariant toWireUndeclared(const QVariant &value, const QString &what, Problem &problem);

// All values of a map whose types nothing declares. Those that are undefined or null are left out.
QVariantMap toWireMap(const QVariantMap &values, const QString &kind, Problem &problem);

// The arguments of a step or screen in their declared types. `owner` names it in the problem, such as "step 'picked'".
QVariantMap toWireArguments(const ArgumentTypes &types, const QVariantMap &values, const QString &owner, Problem &problem);

// A value of D-Bus as JavaScript has it. An integer that a number of JavaScript can't hold comes as a string.
QVariant fromWire(const QVariant &value);
QVariantMap fromWireMap(const QVariant &value);

}

Q_DECLARE_METATYPE(FlowBus::TypedValue)

/*!
    \qmltype Value
    \brief Values with a type that the program itself chooses.

    Only needed where nothing declares the type: in saved states and results, and in arguments of the type v.
*/
class FlowBusValue : public QObject
{
    Q_OBJECT
    QML_NAMED_ELEMENT(Value)
    QML_SINGLETON
public:
    /*!
        \qmlmethod var Value::typed(string signature, var value)
        The value with the type of this D-Bus signature: \c {finish({ price: Value.typed("d", 3) })}.
    */
    Q_INVOKABLE QVariant typed(const QString &signature, const QVariant &value) const
    {
        return QVariant::fromValue(FlowBus::TypedValue{signature, value});
    }
};
