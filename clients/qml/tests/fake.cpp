// SPDX-License-Identifier: Apache-2.0
#include "fake.h"

#include <QtDBus/QDBusMetaType>
#include <QtDBus/QDBusObjectPath>

namespace {

const QString service = QStringLiteral("org.flowbus.Navigation1");
const QString root = QStringLiteral("/org/flowbus/Navigation1");

QDBusMessage callOf(const char *presenter, const char *member)
{
    const QString name = QLatin1String(presenter);
    return QDBusMessage::createMethodCall(name, QLatin1Char('/') + QString(name).replace(QLatin1Char('.'), QLatin1Char('/')),
                                          QStringLiteral("org.flowbus.Navigation1.Presenter"), QLatin1String(member));
}

QDBusConnection connectAnew()
{
    static int number = 0;
    return QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("fake%1").arg(++number));
}

}

Fake::Fake() : link(connectAnew())
{
    qDBusRegisterMetaType<QMap<QString, QString>>();
    qDBusRegisterMetaType<QMap<QString, QMap<QString, QString>>>();
    link.registerVirtualObject(root, this, QDBusConnection::SubPath);
    link.registerService(service);
}

Fake::~Fake()
{
    vanish();
}

void Fake::appear()
{
    link = connectAnew();
    link.registerVirtualObject(root, this, QDBusConnection::SubPath);
    link.registerService(service);
}

void Fake::vanish()
{
    waiting.clear();
    link.unregisterObject(root, QDBusConnection::UnregisterTree);
    const QString name = link.name();
    link = QDBusConnection(QString());
    QDBusConnection::disconnectFromBus(name);
}

QStringList Fake::members() const
{
    QStringList names;
    for (const QDBusMessage &call : calls)
        names << call.member();
    return names;
}

bool Fake::handleMessage(const QDBusMessage &message, const QDBusConnection &)
{
    if (message.interface() != QLatin1String("org.freedesktop.DBus.Properties"))
        calls << message;
    else
        ++reads;
    message.setDelayedReply(true);
    if (held.contains(message.member()))
        waiting << message;
    else
        link.send(answer(message));
    return true;
}

void Fake::release(const char *member)
{
    held.removeAll(QLatin1String(member));
    for (const QDBusMessage &message : std::exchange(waiting, {})) {
        if (message.member() == QLatin1String(member))
            link.send(answer(message));
        else
            waiting << message;
    }
}

QDBusMessage Fake::answer(const QDBusMessage &message)
{
    const QString member = message.member();
    if (const auto error = errors.find(member); error != errors.end())
        return message.createErrorReply(error->second, QStringLiteral("as the test has it"));
    if (const auto own = answers.find(member); own != answers.end())
        return own->second(message);
    if (member == QLatin1String("GetSteps"))
        return message.createReply(QVariant::fromValue(steps));
    if (member == QLatin1String("GetAll"))
        return message.createReply(properties);
    if (member == QLatin1String("EmitStepWithOptions") || member == QLatin1String("BackWithOptions"))
        return message.createReply({qulonglong(1), QStringLiteral("navigated")});
    return message.createReply();
}

QDBusPendingCall Fake::present(const char *screen, qulonglong instance, QVariantMap details, const char *presenter)
{
    QDBusMessage message = callOf(presenter, "Present");
    details.insert(QStringLiteral("instance"), instance);
    if (!details.contains(QStringLiteral("reason")))
        details.insert(QStringLiteral("reason"), QStringLiteral("launch"));
    message.setArguments({QVariant::fromValue(QDBusObjectPath(root + QStringLiteral("/tree/main/") + QLatin1String(screen))),
                          QString(QLatin1String(screen)), QVariantMap(), details});
    return link.asyncCall(message);
}

QVariantMap Fake::report(QDBusPendingCall call)
{
    // The presenter is in this process, and answers in this loop.
    (void)QTest::qWaitFor([&call] { return call.isFinished(); });
    return qdbus_cast<QVariantMap>(call.reply().arguments().value(0));
}

void Fake::withdraw(const char *screen, qulonglong instance, const char *reason, const char *presenter)
{
    QDBusMessage message = callOf(presenter, "Withdraw");
    message.setArguments({QVariant::fromValue(QDBusObjectPath(root + QStringLiteral("/tree/main/") + QLatin1String(screen))),
                          instance, QString(QLatin1String(reason))});
    link.asyncCall(message);
}

void Fake::sendSignal(const QString &path, const char *interface, const char *name, const QVariantList &arguments)
{
    QDBusMessage message = QDBusMessage::createSignal(path, QLatin1String(interface), QLatin1String(name));
    message.setArguments(arguments);
    link.send(message);
}
