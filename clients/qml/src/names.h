// SPDX-License-Identifier: Apache-2.0
//
// The names of the bus contract (dbus/*.xml) that this module uses.
#pragma once

#include <QtCore/QLatin1String>
#include <QtCore/QString>

namespace FlowBus {

inline constexpr QLatin1String service("org.flowbus.Navigation1");
inline constexpr QLatin1String rootPath("/org/flowbus/Navigation1");
inline constexpr QLatin1String treePath("/org/flowbus/Navigation1/tree");
inline constexpr QLatin1String coordinatorInterface("org.flowbus.Navigation1.Coordinator");
inline constexpr QLatin1String flowInterface("org.flowbus.Navigation1.Flow");
inline constexpr QLatin1String presentableInterface("org.flowbus.Navigation1.Presentable");
inline constexpr QLatin1String stepperInterface("org.flowbus.Navigation1.Stepper");
inline constexpr QLatin1String propertiesInterface("org.freedesktop.DBus.Properties");
inline constexpr QLatin1String objectManagerInterface("org.freedesktop.DBus.ObjectManager");

namespace Error {
inline constexpr QLatin1String invalidArguments("org.flowbus.Navigation1.Error.InvalidArguments");
inline constexpr QLatin1String notOwner("org.flowbus.Navigation1.Error.NotOwner");
inline constexpr QLatin1String refused("org.flowbus.Navigation1.Error.Refused");
inline constexpr QLatin1String rejected("org.flowbus.Navigation1.Error.Rejected");
inline constexpr QLatin1String guardFailed("org.flowbus.Navigation1.Error.GuardFailed");
inline constexpr QLatin1String failed("org.freedesktop.DBus.Error.Failed");
inline constexpr QLatin1String noReply("org.freedesktop.DBus.Error.NoReply");
inline constexpr QLatin1String nameHasNoOwner("org.freedesktop.DBus.Error.NameHasNoOwner");
inline constexpr QLatin1String serviceUnknown("org.freedesktop.DBus.Error.ServiceUnknown");
inline constexpr QLatin1String unknownObject("org.freedesktop.DBus.Error.UnknownObject");
}

// The path that means this presentable and no other one, whatever is at its place in the tree later.
inline QString instancePath(qulonglong instance)
{
    return QStringLiteral("/org/flowbus/Navigation1/instance/%1").arg(instance);
}

// The default of the object that belongs to a bus name.
inline QString defaultPath(const QString &name)
{
    QString path = QLatin1Char('/') + name;
    return path.replace(QLatin1Char('.'), QLatin1Char('/')).replace(QLatin1Char('-'), QLatin1Char('_'));
}

}
