// SPDX-License-Identifier: Apache-2.0
#include "steps.h"

#include "names.h"
#include "promise.h"

#include <QtCore/QUuid>
#include <QtQml/QQmlInfo>

namespace FlowBus {

namespace {

// The options of the contract in their types; others go as they are, and flowbusd names them.
const ArgumentTypes optionTypes{{QStringLiteral("token"), QStringLiteral("s?")},
                                {QStringLiteral("instance"), QStringLiteral("t?")},
                                {QStringLiteral("wait"), QStringLiteral("b?")},
                                {QStringLiteral("inputTime"), QStringLiteral("t?")},
                                {QStringLiteral("input"), QStringLiteral("b?")},
                                {QStringLiteral("activation-token"), QStringLiteral("s?")},
                                {QStringLiteral("ask"), QStringLiteral("b?")},
                                {QStringLiteral("goes"), QStringLiteral("t?")}};

QVariantMap wireOptions(const QVariantMap &options, QString &token, Problem &problem)
{
    QVariantMap map = toWireArguments(optionTypes, options, QStringLiteral("the options"), problem);
    problem.replace(QLatin1String("argument"), QLatin1String("option"));
    token = map.value(QStringLiteral("token")).toString();
    if (token.isEmpty()) {
        token = QUuid::createUuid().toString(QUuid::WithoutBraces);
        map.insert(QStringLiteral("token"), token);
    }
    return map;
}

void settle(const Promise &promise, const QPointer<QObject> &of, const QString &what, const Reply &reply)
{
    if (reply.failed()) {
        if (of)
            warn(of, what, reply.errorName, reply.errorMessage);
        promise.reject(reply.errorName, reply.errorMessage);
        return;
    }
    promise.resolve(QVariantMap{{QStringLiteral("serial"), fromWire(reply.values.value(0))},
                                {QStringLiteral("verdict"), reply.values.value(1)}});
}

}

void warn(const QObject *about, const QString &member, const QString &errorName, const QString &errorMessage)
{
    qmlWarning(about).noquote() << QStringLiteral("%1 failed: %2 (%3)").arg(member, errorMessage, errorName);
}

void sendStep(Bus *bus, QObject *context, const QString &path, const QString &step, const QVariantMap &values,
              const QVariantMap &options, Completion completion)
{
    bus->withSteps(path, context, [=](const Declarations &steps, const Reply &read) {
        if (read.failed())
            return completion(read);
        Problem problem;
        QString token;
        const QVariantMap wire = wireOptions(options, token, problem);
        // flowbusd refuses a step that is not declared, and suggests one that is.
        const auto types = steps.find(step);
        const QVariantMap arguments = types == steps.end()
            ? QVariantMap()
            : toWireArguments(*types, values, QStringLiteral("step '%1'").arg(step), problem);
        if (!problem.isEmpty())
            return completion({{}, QString(Error::invalidArguments), problem, false});
        bus->emitStep(path, QStringLiteral("EmitStepWithOptions"), {step, arguments, wire}, token, context, completion);
    });
}

QJSValue emitStep(Bus *bus, QObject *of, const QString &path, const QString &step, const QVariantMap &values,
                  const QVariantMap &options)
{
    const Promise promise(of);
    const QPointer<QObject> guard(of);
    // A step that was emitted counts, also when its view goes with it: so nothing depends on the object.
    sendStep(bus, bus, path, step, values, options, [promise, guard, step](const Reply &reply) {
        settle(promise, guard, QStringLiteral("step '%1'").arg(step), reply);
    });
    return promise.value();
}

QJSValue back(Bus *bus, QObject *of, const QString &path, const QVariantMap &options)
{
    const Promise promise(of);
    const QPointer<QObject> guard(of);
    Problem problem;
    QString token;
    const QVariantMap wire = wireOptions(options, token, problem);
    const auto done = [promise, guard](const Reply &reply) { settle(promise, guard, QStringLiteral("Back"), reply); };
    if (problem.isEmpty())
        bus->afterSteps(path, [=] { bus->emitStep(path, QStringLiteral("BackWithOptions"), {wire}, token, bus, done); });
    else
        done({{}, QString(Error::invalidArguments), problem, false});
    return promise.value();
}

QJSValue cancelStep(Bus *bus, QObject *of, const QString &path, const QString &token)
{
    const Promise promise(of);
    const QPointer<QObject> guard(of);
    // flowbusd takes the call of the same token again, so it is repeated as any other.
    bus->call(path, stepperInterface, QStringLiteral("CancelStep"), {token}, bus, [promise, guard](const Reply &reply) {
        if (!reply.failed())
            return promise.resolve(QJSValue());
        if (guard)
            warn(guard, QStringLiteral("CancelStep"), reply.errorName, reply.errorMessage);
        promise.reject(reply.errorName, reply.errorMessage);
    });
    return promise.value();
}

}
