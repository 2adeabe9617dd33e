// SPDX-License-Identifier: Apache-2.0
#include "endpoint.h"

#include "names.h"

#include <utility>

namespace FlowBus {

namespace {

const QLatin1String busService("org.freedesktop.DBus");
const QLatin1String busPath("/org/freedesktop/DBus");

struct Method
{
    const char *name;
    const char *signature;
};

const QLatin1String interfaces[] = {QLatin1String("org.flowbus.Navigation1.Presenter"),
                                    QLatin1String("org.flowbus.Navigation1.Guard")};

constexpr const char *roleNames[] = {"Presenter", "Guard"};

// As in dbus/*.xml; a test compares them.
const QLatin1String descriptions[] = {QLatin1String(R"(  <interface name="org.flowbus.Navigation1.Presenter">
    <method name="Present">
      <arg type="o" name="presentable" direction="in"/>
      <arg type="s" name="name" direction="in"/>
      <arg type="a{sv}" name="arguments" direction="in"/>
      <arg type="a{sv}" name="details" direction="in"/>
      <arg type="a{sv}" name="report" direction="out"/>
    </method>
    <method name="Withdraw">
      <arg type="o" name="presentable" direction="in"/>
      <arg type="t" name="instance" direction="in"/>
      <arg type="s" name="reason" direction="in"/>
      <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>
    </method>
    <method name="Alive"/>
  </interface>
)"),
                                      QLatin1String(R"(  <interface name="org.flowbus.Navigation1.Guard">
    <method name="Adapt">
      <arg type="o" name="flow" direction="in"/>
      <arg type="s" name="step" direction="in"/>
      <arg type="a{sv}" name="arguments" direction="in"/>
      <arg type="a{sv}" name="details" direction="in"/>
      <arg type="s" name="adaptedStep" direction="out"/>
      <arg type="a{sv}" name="adaptedArguments" direction="out"/>
    </method>
  </interface>
)")};

const QList<Method> methods[] = {{{"Present", "osa{sv}a{sv}"}, {"Withdraw", "ots"}, {"Alive", ""}},
                                 {{"Adapt", "osa{sv}a{sv}"}}};

using Key = std::pair<Bus *, QString>;
QHash<Key, Endpoint *> endpoints;
QHash<Key, BusName *> names;

}

QString Endpoint::serve(Bus *bus, const QString &path, Role role, Receiver *receiver)
{
    Endpoint *endpoint = endpoints.value({bus, path});
    if (endpoint && endpoint->receivers[role])
        return QStringLiteral("the object '%1' is another %2's").arg(path, QLatin1String(roleNames[role]));
    if (!endpoint) {
        endpoint = new Endpoint(bus);
        if (!bus->connection().registerVirtualObject(path, endpoint)) {
            delete endpoint;
            return QStringLiteral("the object '%1' can't be exported: its path has to be one of D-Bus, such as '/org/example/Cinema', that "
                                  "the program has no other object at").arg(path);
        }
        endpoints.insert({bus, path}, endpoint);
    }
    endpoint->receivers[role] = receiver;
    return {};
}

void Endpoint::withdraw(Bus *bus, const QString &path, Role role)
{
    Endpoint *endpoint = endpoints.value({bus, path});
    if (!endpoint)
        return;
    endpoint->receivers[role] = nullptr;
    if (endpoint->receivers[1 - role])
        return;
    bus->connection().unregisterObject(path);
    endpoints.remove({bus, path});
    endpoint->deleteLater();
}

QString Endpoint::introspect(const QString &) const
{
    QString text;
    for (const Role role : {PresenterRole, GuardRole}) {
        if (receivers[role])
            text += descriptions[role];
    }
    return text;
}

bool Endpoint::handleMessage(const QDBusMessage &message, const QDBusConnection &connection)
{
    for (const Role role : {PresenterRole, GuardRole}) {
        if (!receivers[role] || (!message.interface().isEmpty() && message.interface() != interfaces[role]))
            continue;
        for (const Method &method : methods[role]) {
            if (message.member() != QLatin1String(method.name))
                continue;
            if (message.signature() == QLatin1String(method.signature)) {
                receivers[role]->called(message);
            } else {
                connection.send(message.createErrorReply(
                    QDBusError::InvalidArgs, QStringLiteral("%1 has the signature '%2', not '%3'")
                                                 .arg(message.member(), QLatin1String(method.signature), message.signature())));
            }
            return true;
        }
    }
    return false;
}

BusName *BusName::of(Bus *bus, const QString &name)
{
    BusName *&found = names[{bus, name}];
    if (!found)
        found = new BusName(bus, name);
    return found;
}

BusName::BusName(Bus *bus, const QString &name) : QObject(bus), bus(bus), name(name)
{
    QDBusConnection &link = bus->connection();
    link.connect(busService, busPath, busService, QStringLiteral("NameAcquired"), this, SLOT(acquired(QString)));
    link.connect(busService, busPath, busService, QStringLiteral("NameLost"), this, SLOT(lost(QString)));
}

QDBusMessage BusName::busCall(const char *member, const QVariantList &arguments) const
{
    QDBusMessage message = QDBusMessage::createMethodCall(busService, busPath, busService, QLatin1String(member));
    message.setArguments(arguments);
    return message;
}

void BusName::add(Receiver *receiver)
{
    receivers << receiver;
    if (isRequested)
        return;
    isRequested = true;
    if (!std::exchange(isQueued, true)) {
        const auto requestNow = [this] {
            isQueued = false;
            if (isRequested)
                request();
        };
        QMetaObject::invokeMethod(this, requestNow, Qt::QueuedConnection);
    }
}

void BusName::remove(Receiver *receiver)
{
    receivers.removeOne(receiver);
    if (receivers.isEmpty() && isRequested)
        release(nullptr, {});
}

void BusName::request()
{
    isRequested = true;
    // Without flags the bus puts this connection in its queue, and passes the name on when its owner leaves.
    bus->connection().callWithCallback(busCall("RequestName", {name, 0U}), this, SLOT(requested(QDBusMessage)),
                                       SLOT(requestFailed(QDBusError,QDBusMessage)));
}

void BusName::requested(const QDBusMessage &message)
{
    constexpr uint inQueue = 2;
    if (message.arguments().value(0).toUInt() != inQueue)
        return;
    qWarning("flowbus: another program has the bus name '%s'; this one gets it when that ends", qUtf8Printable(name));
    tell(false);
}

void BusName::requestFailed(const QDBusError &error, const QDBusMessage &)
{
    qWarning("flowbus: the bus refuses the name '%s': %s", qUtf8Printable(name), qUtf8Printable(error.message()));
    tell(false);
}

void BusName::acquired(const QString &acquiredName)
{
    if (acquiredName == name)
        setOwned(true);
}

void BusName::lost(const QString &lostName)
{
    if (lostName == name)
        setOwned(false);
}

void BusName::setOwned(bool isOwned)
{
    if (owned == isOwned)
        return;
    owned = isOwned;
    tell(isOwned);
}

// A handler may make others, or destroy them.
void BusName::tell(bool isOwned)
{
    const QList<Receiver *> all = receivers;
    for (Receiver *receiver : all) {
        if (receivers.contains(receiver))
            receiver->nameChanged(isOwned);
    }
}

void BusName::release(QObject *context, std::function<void()> done)
{
    isRequested = false;
    // Who asks now gets the name by a new request, and learns that then.
    owned = false;
    const QPointer<QObject> guard(context);
    releases << [guard, done = std::move(done)] {
        if (guard && done)
            done();
    };
    bus->connection().callWithCallback(busCall("ReleaseName", {name}), this, SLOT(released(QDBusMessage)),
                                       SLOT(releaseFailed(QDBusError,QDBusMessage)));
}

void BusName::released(const QDBusMessage &)
{
    releases.takeFirst()();
}

void BusName::releaseFailed(const QDBusError &, const QDBusMessage &message)
{
    released(message);
}

}
