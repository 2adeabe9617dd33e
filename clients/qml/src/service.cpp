// SPDX-License-Identifier: Apache-2.0
#include "service.h"

#include "names.h"

#include <QtQml/QQmlInfo>

#include <utility>

using namespace FlowBus;

FlowBusService::~FlowBusService()
{
    if (m_busName)
        m_busName->remove(this);
    if (!m_servedPath.isEmpty())
        Endpoint::withdraw(m_bus, m_servedPath, m_role);
}

void FlowBusService::setName(const QString &name)
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

QString FlowBusService::path() const
{
    return m_path.isEmpty() ? defaultPath(m_name) : m_path;
}

void FlowBusService::setPath(const QString &path)
{
    if (std::exchange(m_path, path) != path)
        Q_EMIT pathChanged();
}

void FlowBusService::setBus(BusKind kind)
{
    if (std::exchange(m_kind, kind) != kind)
        Q_EMIT busChanged();
}

bool FlowBusService::findBus()
{
    if (m_name.isEmpty()) {
        qmlWarning(this) << "a " << (m_role == Endpoint::GuardRole ? "Guard" : "Presenter")
                         << " needs a name, such as \"org.example.Cinema\"";
        return false;
    }
    m_bus = Bus::of(m_kind == Session ? Bus::Kind::Session : Bus::Kind::System);
    return true;
}

bool FlowBusService::serve()
{
    if (const QString problem = Endpoint::serve(m_bus, path(), m_role, this); !problem.isEmpty()) {
        qmlWarning(this).noquote() << problem;
        return false;
    }
    m_servedPath = path();
    m_busName = BusName::of(m_bus, m_name);
    return true;
}

void FlowBusService::requestName()
{
    m_busName->add(this);
    if (m_busName->isOwned())
        nameChanged(true);
}

void FlowBusService::setNameOwned(bool isOwned)
{
    if (std::exchange(m_nameOwned, isOwned) != isOwned)
        Q_EMIT nameOwnedChanged();
}
