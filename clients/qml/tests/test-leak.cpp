// SPDX-License-Identifier: Apache-2.0
//
// A thousand screens come and go, and nothing of them stays.
#include "device.h"

#include <QtCore/QPointer>
#include <QtQml/QQmlContext>

static const QByteArray definitions = R"(
[steps]
start = {}
opened = { item = "int64" }
cleared = {}
[screens]
list   = { presenter = "org.example.Shop" }
detail = { presenter = "org.example.Shop", arguments = { item = "int64" } }
[flows.main]
initial = "start"
children = "stack"
[flows.main.on]
start = { screen = "list" }
opened = { screen = "detail" }
cleared = { pop = "root" }
)";

class LeakTests : public QObject
{
    Q_OBJECT

    static int objects(QObject *root)
    {
        return int(root->findChildren<QObject *>().size());
    }

private Q_SLOTS:
    void keepsNothingOfAThousandScreens()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property int made: 0; property int gone: 0
            property Component list: ScreenWindow {}
            property Component detail: ScreenWindow { id: it; visible: it.arguments.item % 20 === 0; backStep: "cleared"
                Component.onCompleted: { ++made; saveState({ a: 1 }) } Component.onDestruction: ++gone; Item { Timer {} } } })");
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        const auto step = [&](int item) {
            device.emitStep("main", "opened", {{QStringLiteral("item"), item}});
            QTRY_COMPARE(presenter->property("made").toInt(), item);
            if (item % 2) {
                device.emitStep("main", "cleared");
            } else {
                QTRY_VERIFY(!device.property("main/detail", "Owner").toString().isEmpty());
                device.call(QStringLiteral("/org/flowbus/Navigation1/tree/main"), "org.flowbus.Navigation1.Flow", "Back");
                device.emitStep("main", "cleared");
            }
            QTRY_COMPARE(presenter->property("gone").toInt(), item);
        };
        for (int item = 1; item <= 50; ++item)
            step(item);
        device.engine.collectGarbage();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        const int windows = int(QGuiApplication::allWindows().size());
        const int before = objects(qApp) + objects(&device.engine) + objects(presenter);
        for (int item = 51; item <= 1050; ++item)
            step(item);
        device.engine.collectGarbage();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(int(QGuiApplication::allWindows().size()), windows);
        QTRY_COMPARE(objects(qApp) + objects(&device.engine) + objects(presenter), before);
        QCOMPARE(presenter->property("count").toInt(), 1);
    }
};

FLOWBUS_TEST_MAIN(LeakTests)
#include "test-leak.moc"
