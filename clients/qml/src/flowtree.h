// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bus.h"

#include <QtCore/QAbstractListModel>
#include <QtQml/QJSValue>
#include <QtQml/QQmlParserStatus>
#include <QtQml/qqmlregistration.h>

/*!
    \qmltype FlowTree
    \brief The live tree of flows and screens, as a list model: parents before their children, children in order.

    The roles are \c path, \c instance, \c name, \c parentPath, \c depth, \c isFlow, \c style, \c arguments, \c owner, \c presenter,
    \c title, \c waiting, \c definition, \c output, \c current, \c visible, \c presented, \c inSight and \c ready, as the
    properties of the interfaces Presentable and Flow.

    The model follows each change in the order in which it happens. After a restart of flowbusd it reads the tree again; the rows of
    what is still there stay.
*/
class FlowBusTree : public QAbstractListModel, public QQmlParserStatus
{
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)
    QML_NAMED_ELEMENT(FlowTree)

    /*! The path below which the model has everything, itself included. The default is the whole tree. */
    Q_PROPERTY(QString path READ path WRITE setPath NOTIFY pathChanged FINAL)
    /*! Which bus: \c FlowTree.Session (the default) or \c FlowTree.System. */
    Q_PROPERTY(BusKind bus MEMBER m_kind NOTIFY busChanged FINAL)
    /*! Whether the model has the tree as it is now. False until it is read for the first time, and while it is read again. */
    Q_PROPERTY(bool loaded READ loaded NOTIFY loadedChanged FINAL)
    /*! The number of rows. */
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    enum BusKind { Session, System };
    Q_ENUM(BusKind)

    explicit FlowBusTree(QObject *parent = nullptr);

    QString path() const { return m_path; }
    void setPath(const QString &path);
    bool loaded() const { return m_loaded; }
    int count() const { return int(m_nodes.size()); }

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    /*! \qmlmethod object FlowTree::get(int row)
        All roles of a row; undefined if there is no such row. */
    Q_INVOKABLE QVariant get(int row) const;
    /*! \qmlmethod int FlowTree::lookup(string path)
        The row of a path; -1 if nothing is live there. */
    Q_INVOKABLE int lookup(const QString &path) const;
    /*! \qmlmethod int FlowTree::lookupInstance(int instance)
        The row of an instance; -1 if it is not live. */
    Q_INVOKABLE int lookupInstance(qulonglong instance) const;

    /*! \qmlmethod Promise FlowTree::emit(string path, string step, object arguments, object options)
        Emits a step on the flow or screen at this path, as ScreenWindow::emit does on its screen. */
    Q_INVOKABLE QJSValue emit(const QString &path, const QString &step, const QVariantMap &arguments = {},
                              const QVariantMap &options = {});
    /*! \qmlmethod Promise FlowTree::cancelStep(string path, string token)
        Takes back a step that was emitted at this path with the option \c token and still waits, as ScreenWindow::cancelStep does. */
    Q_INVOKABLE QJSValue cancelStep(const QString &path, const QString &token);
    /*! \qmlmethod Promise FlowTree::back(string path, object options)
        Goes back at this flow or screen. */
    Q_INVOKABLE QJSValue back(const QString &path, const QVariantMap &options = {});
    /*! \qmlmethod Promise FlowTree::dismiss(string path)
        Dismisses the flow or screen at this path. */
    Q_INVOKABLE QJSValue dismiss(const QString &path);

    void classBegin() override {}
    void componentComplete() override;

Q_SIGNALS:
    void pathChanged();
    void busChanged();
    void loadedChanged();
    void countChanged();
    /*! A flow has navigated. The step is empty if Back dismissed a child. */
    void navigated(qulonglong serial, const QString &flow, const QString &step, const QVariantMap &arguments);
    /*! A step that no caller waits for was not navigated. */
    void failed(const QString &flow, const QString &step, const QString &verdict, const QString &errorName,
                const QString &errorMessage);

private Q_SLOTS:
    void interfacesAdded(const QDBusMessage &message);
    void interfacesRemoved(const QDBusMessage &message);
    void propertiesChanged(const QDBusMessage &message);
    void navigationOccurred(const QDBusMessage &message);
    void navigationFailed(const QDBusMessage &message);

private:
    // One flow or screen: the properties of its interfaces by their names.
    struct Node
    {
        QString path;
        int depth = 0;
        bool isFlow = false;
        QVariantMap properties;

        qulonglong instance() const { return properties.value(QStringLiteral("Instance")).toULongLong(); }
        QString parentPath() const { return path.section(QLatin1Char('/'), 0, -2); }
        bool operator==(const Node &) const = default;
    };

    bool concerns(const QString &path) const;
    void read();
    void take(const QList<Node> &nodes);
    QString livePath(const QString &path) const;
    void reorder(const QString &flow, const QStringList &children);
    static int placeIn(const QList<Node> &nodes, const Node &node);
    static int endOf(const QList<Node> &nodes, int row);
    void insert(int row, const Node &node);
    void removeRange(int first, int end);
    void moveRange(int first, int end, int before);

    QString m_path;
    BusKind m_kind = Session;
    FlowBus::Bus *m_bus = nullptr;
    QList<Node> m_nodes;
    bool m_loaded = false;
};
