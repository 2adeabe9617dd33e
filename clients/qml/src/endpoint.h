// SPDX-License-Identifier: Apache-2.0
//
// What flowbusd finds at a bus name: an object with the interfaces Presenter and Guard, or one of them.
#pragma once

#include "bus.h"

#include <QtCore/QPointer>
#include <QtDBus/QDBusVirtualObject>

namespace FlowBus {

// Takes the calls of one interface. A call comes in the thread of the program's main loop, so that none is answered while that
// loop sleeps.
class Receiver
{
public:
    virtual ~Receiver() = default;
    virtual void called(const QDBusMessage &message) = 0;
    // The name that was requested is this program's, or another program has it.
    virtual void nameChanged(bool isOwned) = 0;
};

// An object path with a receiver for each interface. All presenters and guards of a program share those of one path.
class Endpoint : public QDBusVirtualObject
{
    Q_OBJECT
public:
    enum Role { PresenterRole, GuardRole };

    // Exports the object. Returns why it can't be: the path has this role already, or is none.
    static QString serve(Bus *bus, const QString &path, Role role, Receiver *receiver);
    static void withdraw(Bus *bus, const QString &path, Role role);

    QString introspect(const QString &path) const override;
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &connection) override;

private:
    explicit Endpoint(QObject *parent) : QDBusVirtualObject(parent) {}

    Receiver *receivers[2] = {nullptr, nullptr};
};

// A bus name. It is requested for the first of those who need it, when all objects of a file of QML are exported, and given back for
// all of them.
class BusName : public QObject
{
    Q_OBJECT
public:
    static BusName *of(Bus *bus, const QString &name);

    void add(Receiver *receiver);
    void remove(Receiver *receiver);
    bool isOwned() const { return owned; }

    void request();
    // Gives the name back. When it calls back, all calls that were sent to the name have come.
    void release(QObject *context, std::function<void()> done);

private Q_SLOTS:
    void requested(const QDBusMessage &message);
    void requestFailed(const QDBusError &error, const QDBusMessage &message);
    void acquired(const QString &acquiredName);
    void lost(const QString &lostName);
    void released(const QDBusMessage &message);
    void releaseFailed(const QDBusError &error, const QDBusMessage &message);

private:
    BusName(Bus *bus, const QString &name);
    QDBusMessage busCall(const char *member, const QVariantList &arguments) const;
    void setOwned(bool isOwned);
    void tell(bool isOwned);

    Bus *bus;
    QString name;
    QList<Receiver *> receivers;
    QList<std::function<void()>> releases;
    bool owned = false;
    bool isRequested = false;
    bool isQueued = false;
};

}
