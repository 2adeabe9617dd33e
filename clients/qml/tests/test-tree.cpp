// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <QtCore/QAbstractItemModel>
#include <QtCore/QRegularExpression>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>

static const QByteArray definitions = R"(
[steps]
start = {}
opened = { item = "int64" }
raised = { item = "int64" }
back = {}
deep = {}
lost = {}
[screens]
list   = {}
detail = { arguments = { item = "int64" } }
[flows.main]
initial = "start"
children = "stack"
[flows.main.on]
start = { screen = "list" }
opened = { screen = "detail" }
raised = { screen = "list", reuse = "raise" }
deep = [{ flow = "below" }, { parent = "lost" }]
[flows.below]
initial = "start"
children = "free"
[flows.below.on]
start = [{ screen = "list" }, { screen = "detail", arguments = { item = 3 } }]
)";

class TreeTests : public QObject
{
    Q_OBJECT

    // The names in order, each behind as many dots as it is deep.
    static QString rows(Device &device, QObject *tree)
    {
        return device.evaluate(tree, QStringLiteral(
            "{ let all = []; for (let i = 0; i < count; ++i) { const row = get(i); all.push('.'.repeat(row.depth) + row.path.split('/').pop()"
            " + (row.arguments && row.arguments.item ? row.arguments.item : '')) }; all.join(' ') }")).toString();
    }

private Q_SLOTS:
    void followsTheTree()
    {
        Device device(definitions);
        QObject *tree = device.load("FlowTree { }");
        QAbstractItemModelTester tester(qobject_cast<QAbstractItemModel *>(tree), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QTRY_VERIFY(tree->property("loaded").toBool());
        QCOMPARE(tree->property("count").toInt(), 0);
        QSignalSpy navigated(tree, SIGNAL(navigated(qulonglong,QString,QString,QVariantMap)));
        QSignalSpy failed(tree, SIGNAL(failed(QString,QString,QString,QString,QString)));
        device.coordinate("main");
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list"));
        QTRY_COMPARE(navigated.count(), 1);
        QCOMPARE(navigated.first().at(2).toString(), QStringLiteral("start"));
        device.emitStep("main", "opened", {{QStringLiteral("item"), 7}});
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list .detail7"));
        device.emitStep("main", "deep");
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list .detail7 .below ..list ..detail3"));
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.first().at(1).toString(), QStringLiteral("lost"));
        QCOMPARE(failed.first().at(2).toString(), QStringLiteral("unhandled"));
        device.coordinate("main");
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list .detail7 .below ..list ..detail3 main_2 .list"));
        device.emitStep("main", "raised", {{QStringLiteral("item"), 1}});
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .detail7 .below ..list ..detail3 .list main_2 .list"));
        device.call(QStringLiteral("/org/flowbus/Navigation1/tree/main/below"), "org.flowbus.Navigation1.Presentable", "Dismiss");
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .detail7 .list main_2 .list"));
    }

    void hasTheProperties()
    {
        Device device(definitions);
        device.coordinate("main");
        QObject *tree = device.load("FlowTree { }");
        QTRY_COMPARE(tree->property("count").toInt(), 2);
        const QString path = QStringLiteral("/org/flowbus/Navigation1/tree/main/list");
        QVariantMap list = device.evaluate(tree, QStringLiteral("get(lookup('%1'))").arg(path)).toMap();
        QCOMPARE(list.value(QStringLiteral("parentPath")).toString(), QStringLiteral("/org/flowbus/Navigation1/tree/main"));
        QCOMPARE(list.value(QStringLiteral("isFlow")).toBool(), false);
        QCOMPARE(list.value(QStringLiteral("visible")).toBool(), false);
        QCOMPARE(list.value(QStringLiteral("inSight")).toBool(), true);
        const QVariantMap root = device.evaluate(tree, QStringLiteral("get(0)")).toMap();
        QCOMPARE(root.value(QStringLiteral("definition")).toString(), QStringLiteral("main"));
        QCOMPARE(root.value(QStringLiteral("current")).toString(), path);
        QCOMPARE(root.value(QStringLiteral("parentPath")).toString(), QString());
        QCOMPARE(root.value(QStringLiteral("ready")).toBool(), true);
        device.call(path, "org.flowbus.Navigation1.Presentable", "Claim");
        device.call(path, "org.flowbus.Navigation1.Presentable", "SetTitle", {QStringLiteral("The list")});
        device.call(path, "org.flowbus.Navigation1.Presentable", "SetVisible", {true});
        QTRY_VERIFY(device.evaluate(tree, QStringLiteral("get(1).presented")).toBool());
        list = device.evaluate(tree, QStringLiteral("get(lookupInstance(%1))").arg(list.value(QStringLiteral("instance")).toULongLong())).toMap();
        QCOMPARE(list.value(QStringLiteral("title")).toString(), QStringLiteral("The list"));
        QCOMPARE(list.value(QStringLiteral("waiting")), QVariant(QString()));
        QCOMPARE(list.value(QStringLiteral("owner")).toString(), device.tester.baseService());
        QCOMPARE(device.evaluate(tree, QStringLiteral("lookup('/x') + lookupInstance(1e15)")).toInt(), -2);
        QVERIFY(!device.evaluate(tree, QStringLiteral("get(99)")).isValid());
    }

    void hasAPart()
    {
        Device device(definitions);
        device.coordinate("main");
        device.coordinate("main");
        QObject *tree = device.load("FlowTree { path: '/org/flowbus/Navigation1/tree/main' }");
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list"));
        device.emitStep("main_2", "opened", {{QStringLiteral("item"), 7}});
        device.emitStep("main", "opened", {{QStringLiteral("item"), 8}});
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list .detail8"));
        tree->setProperty("path", QStringLiteral("/org/flowbus/Navigation1/tree/main_2"));
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main_2 .list .detail7"));
    }

    // What a shell does.
    void emitsGoesBackAndDismisses()
    {
        Device device(definitions);
        device.coordinate("main");
        QObject *tree = device.load("FlowTree { readonly property string main: '/org/flowbus/Navigation1/tree/main' }");
        QTRY_VERIFY(tree->property("loaded").toBool());
        device.settled(tree, QStringLiteral("emit(main, 'opened', { item: 7 })"));
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list .detail7"));
        QVariantMap outcome = device.settled(tree, QStringLiteral("back(main, { token: 'one' })"));
        QCOMPARE(outcome.value(QStringLiteral("value")).toMap().value(QStringLiteral("verdict")).toString(), QStringLiteral("navigated"));
        QTRY_COMPARE(rows(device, tree), QStringLiteral("main .list"));
        device.settled(tree, QStringLiteral("dismiss(main)"));
        QTRY_COMPARE(rows(device, tree), QString());
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Dismiss failed: ")));
        outcome = device.settled(tree, QStringLiteral("dismiss(main)"));
        QCOMPARE(outcome.value(QStringLiteral("name")).toString(), QStringLiteral("org.freedesktop.DBus.Error.UnknownObject"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Back failed: the options has no option 'x'")));
        outcome = device.settled(tree, QStringLiteral("back(main, { x: 1 })"));
        QCOMPARE(outcome.value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments"));
    }

    // The rows stay while flowbusd is away, and 'loaded' says that they may be out of date.
    void isNotLoadedWithoutFlowbusd()
    {
        Device device(definitions);
        device.coordinate("main");
        QObject *tree = device.load("FlowTree { }");
        QTRY_VERIFY(tree->property("loaded").toBool());
        device.killFlowbusd();
        QTRY_VERIFY(!tree->property("loaded").toBool());
        QCOMPARE(tree->property("count").toInt(), 2);
        device.startFlowbusd();
        QTRY_VERIFY(tree->property("loaded").toBool());
        QCOMPARE(tree->property("count").toInt(), 2);
    }

    // Changes while the tree is read, and flowbusd killed in between: the model has the tree in the end.
    void missesNothing()
    {
        Device device(definitions);
        device.letBusStartFlowbusd();
        device.coordinate("main");
        QObject *tree = device.load("FlowTree { }");
        for (int round = 0; round < 5; ++round) {
            for (int item = 1; item <= 20; ++item)
                device.emitStep("main", item % 7 ? "opened" : "raised", {{QStringLiteral("item"), item}});
            if (round % 2)
                device.killFlowbusd();
        }
        device.emitStep("main", "deep");
        QObject *fresh = device.load("FlowTree { }");
        QTRY_VERIFY(fresh->property("loaded").toBool() && tree->property("loaded").toBool());
        QTRY_COMPARE(rows(device, tree), rows(device, fresh));
        QVERIFY(tree->property("count").toInt() > 80);
    }
};

FLOWBUS_TEST_MAIN(TreeTests)
#include "test-tree.moc"
