// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "endpoint.h"

#include <QtQml/QQmlParserStatus>
#include <QtQml/qqmlregistration.h>

// What Presenter and Guard have in common: an object that flowbusd finds at a bus name.
class FlowBusService : public QObject, public QQmlParserStatus, public FlowBus::Receiver
{
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)
    QML_ANONYMOUS

    /*! The bus name by which definitions know this program. A Presenter and a Guard can have the same. Required; it can't be changed
        later. */
    Q_PROPERTY(QString name READ name WRITE setName NOTIFY nameChanged FINAL)
    /*! The object path. The default follows from the name: a slash for each dot, an underscore for each hyphen. */
    Q_PROPERTY(QString path READ path WRITE setPath NOTIFY pathChanged FINAL)
    /*! Which bus: \c Session (the default) or \c System. */
    Q_PROPERTY(BusKind bus READ bus WRITE setBus NOTIFY busChanged FINAL)
    /*! Whether the program has the bus name. */
    Q_PROPERTY(bool nameOwned READ nameOwned NOTIFY nameOwnedChanged FINAL)

public:
    enum BusKind { Session, System };
    Q_ENUM(BusKind)

    ~FlowBusService() override;

    QString name() const { return m_name; }
    void setName(const QString &name);
    QString path() const;
    void setPath(const QString &path);
    BusKind bus() const { return m_kind; }
    void setBus(BusKind kind);
    bool nameOwned() const { return m_nameOwned; }

    void classBegin() override {}

Q_SIGNALS:
    void nameChanged();
    void pathChanged();
    void busChanged();
    void nameOwnedChanged();

protected:
    // As a Receiver; the signal of the same name hides it.
    void nameChanged(bool isOwned) override = 0;

    FlowBusService(FlowBus::Endpoint::Role role, QObject *parent) : QObject(parent), m_role(role) {}

    // Connects to the bus. False, with a warning, if the name is missing; the bus may be unreachable.
    bool findBus();
    // Exports the object. False, with a warning, if that is impossible. Then requestName() may follow.
    bool serve();
    // Requests the bus name.
    void requestName();
    // Notes whether the program has the name.
    void setNameOwned(bool isOwned);

    FlowBus::Bus *m_bus = nullptr;
    FlowBus::BusName *m_busName = nullptr;

private:
    FlowBus::Endpoint::Role m_role;
    QString m_name;
    QString m_path;
    BusKind m_kind = Session;
    QString m_servedPath;
    bool m_nameOwned = false;
};
