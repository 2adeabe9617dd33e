// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include "names.h"

#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusObjectPath>
#include <QtQml/QQmlEngine>
#include <QtQml/QQmlInfo>

#include <utility>

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

FlowBusGuard::~FlowBusGuard()
{
    if (m_busName)
        m_busName->remove(this);
    if (!m_servedPath.isEmpty())
        Endpoint::withdraw(m_bus, m_servedPath, Endpoint::GuardRole);
}

void FlowBusGuard::setName(const QString &name)
{
    if (m_busName) {
        qmlWarning(this) << "the name '" << m_name << "' can't be changed any more";
        return;
    }
    if (std::exchange(m_name, name) != name) {
        Q_EMIT nameChanged();
        Q_EMIT pathChanged();
    }
}

QString FlowBusGuard::path() const
{
    return m_path.isEmpty() ? defaultPath(m_name) : m_path;
}

void FlowBusGuard::setPath(const QString &path)
{
    if (std::exchange(m_path, path) != path)
        Q_EMIT pathChanged();
}

void FlowBusGuard::componentComplete()
{
    if (m_name.isEmpty()) {
        qmlWarning(this) << "a Guard needs a name, such as \"org.example.Cinema\"";
        return;
    }
    m_bus = Bus::of(m_kind == Session ? Bus::Kind::Session : Bus::Kind::System);
    if (!m_bus->isConnected())
        return;
    if (const QString problem = Endpoint::serve(m_bus, path(), Endpoint::GuardRole, this); !problem.isEmpty()) {
        qmlWarning(this).noquote() << problem;
        return;
    }
    m_servedPath = path();
    m_busName = BusName::of(m_bus, m_name);
    m_busName->add(this);
    if (m_busName->isOwned())
        nameChanged(true);
}

void FlowBusGuard::nameChanged(bool isOwned)
{
    if (std::exchange(m_nameOwned, isOwned) != isOwned)
        Q_EMIT nameOwnedChanged();
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
