// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include "names.h"

#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusObjectPath>
#include <QtQml/QQmlEngine>
#include <QtQml/QQmlInfo>

using namespace FlowBus;

FlowBusQuestion::FlowBusQuestion(Bus *bus, const QDBusMessage &message)
    : m_bus(bus), m_message(message), m_details(fromWireMap(message.arguments().value(3)))
{
    // The program does not end before it has answered.
    m_bus->begin();
}

FlowBusQuestion::~FlowBusQuestion()
{
    if (!m_isAnswered)
        fail(QStringLiteral("the guard has dropped the question"));
}

QString FlowBusQuestion::flow() const
{
    return m_message.arguments().value(0).value<QDBusObjectPath>().path();
}

QString FlowBusQuestion::step() const
{
    return m_message.arguments().value(1).toString();
}

QVariant FlowBusQuestion::arguments() const
{
    return fromWireMap(m_message.arguments().value(2));
}

bool FlowBusQuestion::take()
{
    if (m_isAnswered) {
        qmlWarning(this) << "the question is answered already";
        return false;
    }
    m_isAnswered = true;
    Q_EMIT answeredChanged();
    if (m_bus)
        QMetaObject::invokeMethod(m_bus, [bus = m_bus.data()] { bus->end(); }, Qt::QueuedConnection);
    return m_bus;
}

void FlowBusQuestion::accept()
{
    // The arguments go back as they came, so that none loses its type.
    if (take())
        m_bus->connection().send(m_message.createReply({step(), m_message.arguments().value(2)}));
}

void FlowBusQuestion::replace(const QString &step, const QVariantMap &arguments)
{
    if (!take())
        return;
    const QDBusMessage message = m_message;
    Bus *const bus = m_bus;
    bus->withSteps(QString(), bus, [bus, message, step, arguments](const Declarations &steps, const Reply &read) {
        Problem problem = read.errorMessage;
        QVariantMap wire;
        const auto types = steps.find(step);
        if (!read.failed() && types == steps.end())
            problem = QStringLiteral("no definition declares the step '%1'").arg(step);
        else if (!read.failed())
            wire = toWireArguments(*types, arguments, QStringLiteral("step '%1'").arg(step), problem);
        if (!problem.isEmpty())
            qWarning("flowbus: the guard replaces '%s', but %s", qUtf8Printable(message.arguments().value(1).toString()),
                     qUtf8Printable(problem));
        bus->connection().send(problem.isEmpty() ? message.createReply({step, wire})
                                                 : message.createErrorReply(Error::guardFailed, problem));
    });
}

void FlowBusQuestion::reject(const QString &message)
{
    if (take())
        m_bus->connection().send(
            m_message.createErrorReply(Error::rejected, message.isEmpty() ? QStringLiteral("the guard rejects it") : message));
}

void FlowBusQuestion::fail(const QString &message)
{
    if (take())
        m_bus->connection().send(m_message.createErrorReply(Error::guardFailed, message));
}

void FlowBusGuard::componentComplete()
{
    if (findBus() && m_bus->isConnected() && serve())
        requestName();
}

void FlowBusGuard::called(const QDBusMessage &message)
{
    auto *question = new FlowBusQuestion(m_bus, message);
    if (!isSignalConnected(QMetaMethod::fromSignal(&FlowBusGuard::adapt)))
        question->fail(QStringLiteral("the guard has no handler onAdapt"));
    else
        Q_EMIT adapt(question);
    if (question->isHeld() && !question->answered()) {
        QQmlEngine::setObjectOwnership(question, QQmlEngine::JavaScriptOwnership);
        return;
    }
    if (!question->answered())
        question->fail(QStringLiteral("the guard has not answered about the step '%1'").arg(question->step()));
    question->deleteLater();
}
