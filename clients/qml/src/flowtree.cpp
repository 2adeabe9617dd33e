// SPDX-License-Identifier: Apache-2.0
#include "flowtree.h"

#include "names.h"
#include "promise.h"
#include "steps.h"

#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusObjectPath>
#include <QtQml/QQmlInfo>

#include <algorithm>
#include <utility>

using namespace FlowBus;

namespace {

enum Role { PathRole = Qt::UserRole + 1, ParentPathRole, DepthRole, IsFlowRole, PropertyRole };

struct PropertyName
{
    const char *role;
    const char *property;
};

constexpr PropertyName propertyNames[] = {
    {"instance", "Instance"}, {"name", "Name"},           {"style", "Style"},     {"arguments", "Arguments"},
    {"owner", "Owner"},       {"presenter", "Presenter"}, {"title", "Title"},     {"definition", "Definition"},
    {"output", "Output"},     {"current", "Current"},     {"visible", "Visible"}, {"presented", "Presented"},
    {"inSight", "InSight"},   {"ready", "Ready"},         {"waiting", "Waiting"},
};

using Interfaces = QMap<QString, QVariantMap>;

QVariantMap properties(const Interfaces &interfaces)
{
    QVariantMap all;
    for (const QVariantMap &one : interfaces)
        all.insert(fromWireMap(one));
    return all;
}

}

FlowBusTree::FlowBusTree(QObject *parent) : QAbstractListModel(parent)
{
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(this, signal, this, &FlowBusTree::countChanged);
}

void FlowBusTree::setPath(const QString &path)
{
    if (std::exchange(m_path, path) == path)
        return;
    Q_EMIT pathChanged();
    if (m_bus)
        read();
}

void FlowBusTree::componentComplete()
{
    m_bus = Bus::of(m_kind == Session ? Bus::Kind::Session : Bus::Kind::System);
    if (!m_bus->isConnected())
        return;
    QDBusConnection &link = m_bus->connection();
    link.connect(service, rootPath, objectManagerInterface, QStringLiteral("InterfacesAdded"), this,
                 SLOT(interfacesAdded(QDBusMessage)));
    link.connect(service, rootPath, objectManagerInterface, QStringLiteral("InterfacesRemoved"), this,
                 SLOT(interfacesRemoved(QDBusMessage)));
    link.connect(service, QString(), propertiesInterface, QStringLiteral("PropertiesChanged"), this,
                 SLOT(propertiesChanged(QDBusMessage)));
    link.connect(service, QString(), flowInterface, QStringLiteral("NavigationOccurred"), this,
                 SLOT(navigationOccurred(QDBusMessage)));
    link.connect(service, QString(), flowInterface, QStringLiteral("NavigationFailed"), this,
                 SLOT(navigationFailed(QDBusMessage)));
    connect(m_bus, &Bus::serviceAppeared, this, &FlowBusTree::read);
    connect(m_bus, &Bus::serviceVanished, this, [this] {
        if (std::exchange(m_loaded, false))
            Q_EMIT loadedChanged();
    });
    read();
}

bool FlowBusTree::concerns(const QString &path) const
{
    const QString root = m_path.isEmpty() ? QString(treePath) : m_path;
    return path.startsWith(root) && (path.size() == root.size() || path[root.size()] == QLatin1Char('/'));
}

// The matches are with the bus before this call, and the answer has the changes of all signals that came before it. So until it
// comes signals are ignored, and from then on each one counts.
void FlowBusTree::read()
{
    if (std::exchange(m_loaded, false))
        Q_EMIT loadedChanged();
    m_bus->call(rootPath, objectManagerInterface, QStringLiteral("GetManagedObjects"), {}, this,
                [this, path = m_path](const Reply &reply) {
                    if (reply.failed()) {
                        warn(this, QStringLiteral("GetManagedObjects"), reply.errorName, reply.errorMessage);
                        return;
                    }
                    // The model is to have another part of the tree by now, and reads that.
                    if (path != m_path)
                        return;
                    QList<Node> nodes;
                    const auto objects = reply.values.value(0).value<QDBusArgument>();
                    objects.beginMap();
                    while (!objects.atEnd()) {
                        QDBusObjectPath at;
                        Interfaces interfaces;
                        objects.beginMapEntry();
                        objects >> at >> interfaces;
                        objects.endMapEntry();
                        Node node{at.path(), 0, interfaces.contains(flowInterface), properties(interfaces)};
                        if (concerns(node.path)) {
                            const int row = placeIn(nodes, node);
                            const auto parent = std::find_if(nodes.cbegin(), nodes.cend(), [&](const Node &one) {
                                return one.path == node.parentPath();
                            });
                            node.depth = parent == nodes.cend() ? 0 : parent->depth + 1;
                            nodes.insert(row, node);
                        }
                    }
                    objects.endMap();
                    take(nodes);
                    m_loaded = true;
                    Q_EMIT loadedChanged();
                });
}

// Makes the rows those of a tree that was read. A row of an instance that is still there stays, and moves if it has to.
void FlowBusTree::take(const QList<Node> &nodes)
{
    QSet<qulonglong> live;
    for (const Node &node : nodes)
        live.insert(node.instance());
    for (int row = count() - 1; row >= 0; --row) {
        if (!live.contains(m_nodes[row].instance()))
            removeRange(row, row + 1);
    }
    for (int row = 0; row < nodes.size(); ++row) {
        const int before = lookupInstance(nodes[row].instance());
        if (before < 0) {
            insert(row, nodes[row]);
            continue;
        }
        if (before != row)
            moveRange(before, before + 1, row);
        if (!(m_nodes[row] == nodes[row])) {
            m_nodes[row] = nodes[row];
            Q_EMIT dataChanged(index(row), index(row));
        }
    }
}

// A new node is the last child of its parent.
int FlowBusTree::placeIn(const QList<Node> &nodes, const Node &node)
{
    const QString parentPath = node.parentPath();
    for (int row = 0; row < nodes.size(); ++row) {
        if (nodes[row].path == parentPath)
            return endOf(nodes, row);
    }
    return int(nodes.size());
}

// The row behind everything below a row.
int FlowBusTree::endOf(const QList<Node> &nodes, int row)
{
    int end = row + 1;
    while (end < nodes.size() && nodes[end].depth > nodes[row].depth)
        ++end;
    return end;
}

void FlowBusTree::insert(int row, const Node &node)
{
    beginInsertRows({}, row, row);
    m_nodes.insert(row, node);
    endInsertRows();
}

void FlowBusTree::removeRange(int first, int end)
{
    beginRemoveRows({}, first, end - 1);
    m_nodes.remove(first, end - first);
    endRemoveRows();
}

void FlowBusTree::moveRange(int first, int end, int before)
{
    if (!beginMoveRows({}, first, end - 1, {}, before))
        return;
    if (before < first)
        std::rotate(m_nodes.begin() + before, m_nodes.begin() + first, m_nodes.begin() + end);
    else
        std::rotate(m_nodes.begin() + first, m_nodes.begin() + end, m_nodes.begin() + before);
    endMoveRows();
}

void FlowBusTree::interfacesAdded(const QDBusMessage &message)
{
    const QString at = message.arguments().value(0).value<QDBusObjectPath>().path();
    if (!m_loaded || !concerns(at))
        return;
    const auto interfaces = qdbus_cast<Interfaces>(message.arguments().value(1));
    if (const int row = lookup(at); row >= 0)
        removeRange(row, endOf(m_nodes, row));
    Node node{at, 0, interfaces.contains(flowInterface), properties(interfaces)};
    const int parent = lookup(node.parentPath());
    node.depth = parent < 0 ? 0 : m_nodes[parent].depth + 1;
    insert(placeIn(m_nodes, node), node);
}

void FlowBusTree::interfacesRemoved(const QDBusMessage &message)
{
    const int row = lookup(message.arguments().value(0).value<QDBusObjectPath>().path());
    if (m_loaded && row >= 0)
        removeRange(row, endOf(m_nodes, row));
}

void FlowBusTree::propertiesChanged(const QDBusMessage &message)
{
    const int row = m_loaded ? lookup(message.path()) : -1;
    if (row < 0)
        return;
    const QVariantMap changed = fromWireMap(message.arguments().value(1));
    m_nodes[row].properties.insert(changed);
    QList<int> roles;
    for (size_t at = 0; at < std::size(propertyNames); ++at) {
        if (changed.contains(QLatin1String(propertyNames[at].property)))
            roles << PropertyRole + int(at);
    }
    Q_EMIT dataChanged(index(row), index(row), roles);
}

void FlowBusTree::navigationOccurred(const QDBusMessage &message)
{
    const QString flow = message.path();
    if (!m_loaded || !concerns(flow))
        return;
    const QVariantList values = message.arguments();
    // No signal says how a raised child stands among its siblings: the property Children does.
    for (const QVariant &one : fromWire(values.value(5)).toList()) {
        const QString kind = one.toList().value(0).toString();
        if (kind != QLatin1String("reuse") && kind != QLatin1String("show"))
            continue;
        m_bus->call(flow, propertiesInterface, QStringLiteral("Get"), {QString(flowInterface), QStringLiteral("Children")}, this,
                    [this, flow](const Reply &reply) {
                        if (!reply.failed() && m_loaded)
                            reorder(flow, fromWire(reply.values.value(0)).toStringList());
                    });
        break;
    }
    Q_EMIT navigated(values.value(0).toULongLong(), flow, values.value(3).toString(), fromWireMap(values.value(4)));
}

void FlowBusTree::reorder(const QString &flow, const QStringList &children)
{
    const int parent = lookup(flow);
    if (parent < 0)
        return;
    int row = parent + 1;
    for (const QString &child : children) {
        const int at = lookup(child);
        if (at < row)
            return;
        const int end = endOf(m_nodes, at);
        if (at != row)
            moveRange(at, end, row);
        row += end - at;
    }
}

void FlowBusTree::navigationFailed(const QDBusMessage &message)
{
    if (!m_loaded || !concerns(message.path()))
        return;
    const QVariantList values = message.arguments();
    Q_EMIT failed(message.path(), values.value(2).toString(), values.value(3).toString(), values.value(4).toString(),
                  values.value(5).toString());
}

int FlowBusTree::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : count();
}

QVariant FlowBusTree::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node &node = m_nodes[index.row()];
    switch (role) {
    case PathRole: return node.path;
    case ParentPathRole: return node.parentPath() == treePath ? QString() : node.parentPath();
    case DepthRole: return node.depth;
    case IsFlowRole: return node.isFlow;
    case Qt::DisplayRole: return node.properties.value(QStringLiteral("Name"));
    default: break;
    }
    const int at = role - PropertyRole;
    if (at < 0 || at >= int(std::size(propertyNames)))
        return {};
    return node.properties.value(QLatin1String(propertyNames[at].property));
}

QHash<int, QByteArray> FlowBusTree::roleNames() const
{
    QHash<int, QByteArray> names{{PathRole, "path"}, {ParentPathRole, "parentPath"}, {DepthRole, "depth"}, {IsFlowRole, "isFlow"}};
    for (size_t at = 0; at < std::size(propertyNames); ++at)
        names.insert(PropertyRole + int(at), propertyNames[at].role);
    return names;
}

QVariant FlowBusTree::get(int row) const
{
    if (row < 0 || row >= count())
        return {};
    QVariantMap values;
    const QHash<int, QByteArray> names = roleNames();
    for (auto name = names.begin(); name != names.end(); ++name)
        values.insert(QString::fromLatin1(*name), data(index(row), name.key()));
    return values;
}

int FlowBusTree::lookup(const QString &path) const
{
    for (int row = 0; row < count(); ++row) {
        if (m_nodes[row].path == path)
            return row;
    }
    return -1;
}

int FlowBusTree::lookupInstance(qulonglong instance) const
{
    for (int row = 0; row < count(); ++row) {
        if (m_nodes[row].instance() == instance)
            return row;
    }
    return -1;
}

// The path by which a call means what the row shows, and nothing that comes to its place meanwhile.
QString FlowBusTree::livePath(const QString &path) const
{
    const int row = lookup(path);
    return row < 0 ? path : instancePath(m_nodes[row].instance());
}

QJSValue FlowBusTree::emit(const QString &path, const QString &step, const QVariantMap &arguments, const QVariantMap &options)
{
    return m_bus ? emitStep(m_bus, this, livePath(path), step, arguments, options) : QJSValue();
}

QJSValue FlowBusTree::cancelStep(const QString &path, const QString &token)
{
    return m_bus ? FlowBus::cancelStep(m_bus, this, livePath(path), token) : QJSValue();
}

QJSValue FlowBusTree::back(const QString &path, const QVariantMap &options)
{
    return m_bus ? FlowBus::back(m_bus, this, livePath(path), options) : QJSValue();
}

QJSValue FlowBusTree::dismiss(const QString &path)
{
    const Promise promise(this);
    if (!m_bus)
        return promise.value();
    m_bus->call(livePath(path), presentableInterface, QStringLiteral("Dismiss"), {}, this, [this, promise](const Reply &reply) {
        if (!reply.failed() || (reply.isRepeated && reply.errorName == Error::unknownObject))
            return promise.resolve(QJSValue());
        warn(this, QStringLiteral("Dismiss"), reply.errorName, reply.errorMessage);
        promise.reject(reply.errorName, reply.errorMessage);
    });
    return promise.value();
}
