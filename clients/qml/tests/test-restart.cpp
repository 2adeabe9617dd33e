// SPDX-License-Identifier: Apache-2.0
//
// flowbusd is killed under the program, and the program under flowbusd.
#include "device.h"

#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtDBus/QDBusConnectionInterface>
#include <QtDBus/QDBusReply>
#include <QtTest/QSignalSpy>

#include <csignal>

static const QByteArray definitions = R"(
[steps]
start = {}
opened = { item = "int64" }
slow = {}
askedFor = {}
[screens]
list   = { presenter = "org.example.Shop", whenOwnerGone = "present", watchdog = "300ms" }
detail = { presenter = "org.example.Shop", arguments = { item = "int64" }, whenOwnerGone = "present" }
picker = { presenter = "org.example.Shop", result = { contact = "int64" }, whenOwnerGone = "present" }
[flows.main]
initial = "start"
children = "stack"
guard = { name = "org.example.Shop", steps = ["slow"] }
[flows.main.on]
start = { screen = "list" }
opened = { screen = "detail" }
slow = { screen = "detail", arguments = { item = 1 } }
askedFor = { screen = "picker" }
)";

static const QByteArray shop = R"(
Presenter {
    name: "org.example.Shop"
    property var held: []
    property var log: []
    property Component list: ScreenWindow { onAnswered: answer => log.push(answer.result.contact) }
    property Component detail: ScreenWindow { onWithdrawn: reason => log.push(reason) }
    property Component picker: ScreenWindow {}
    Guard { name: "org.example.Shop"; onAdapt: question => { question.hold(); held.push(question) } }
}
)";

static QString verdict(const QVariantMap &outcome)
{
    return outcome.value(QStringLiteral("value")).toMap().value(QStringLiteral("verdict")).toString();
}

class RestartTests : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // The bus starts flowbusd for the call, and the window stays.
    void emitsWhileFlowbusdIsDead()
    {
        PRESENTED_LIST;
        device.letBusStartFlowbusd();
        device.killFlowbusd();
        QCOMPARE(verdict(device.settled(list, QStringLiteral("emit('opened', { item: 1 })"))), QStringLiteral("navigated"));
        QVERIFY(Device::window("detail"));
        QCOMPARE(device.property("main/list", "Owner").toString(), device.unique(QStringLiteral("org.example.Shop")));
        QCOMPARE(Device::windows("list"), QList<QQuickWindow *>{list});
    }

    // Nothing starts it: the call waits until somebody does.
    void waitsForFlowbusd()
    {
        PRESENTED_LIST;
        device.killFlowbusd();
        const QJSValue first = device.begin(list, QStringLiteral("emit('opened', { item: 1 })"));
        list->setTitle(QStringLiteral("set while it was away"));
        QSignalSpy failed(list, SIGNAL(callFailed(QString,QString,QString)));
        device.startFlowbusd();
        QCOMPARE(verdict(device.wait(first)), QStringLiteral("navigated"));
        QTRY_COMPARE(device.property("main/list", "Title").toString(), QStringLiteral("set while it was away"));
        QCOMPARE(failed.count(), 0);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 2}});
        QTRY_COMPARE(Device::windows("detail").size(), 2);
    }

    // Each is taken once, however often flowbusd is killed in between.
    void emitsOnceEach()
    {
        PRESENTED_LIST;
        device.letBusStartFlowbusd();
        device.call(QStringLiteral("/org/flowbus/Navigation1/tree/main/list"), "org.flowbus.Navigation1.Presentable", "Claim");
        QList<QJSValue> emissions;
        for (int item = 1; item <= 30; ++item) {
            emissions << device.begin(list, QStringLiteral("emit('opened', { item: %1 }, { token: 'tap-%1' })").arg(item));
            if (item % 10 == 5)
                device.killFlowbusd();
        }
        int navigated = 0;
        for (const QJSValue &emission : emissions)
            navigated += verdict(device.wait(emission)) == QLatin1String("navigated");
        // Each screen covers the list, from which later steps are hidden.
        QVERIFY(navigated >= 1);
        const QDBusMessage reply = device.call(QStringLiteral("/org/flowbus/Navigation1"), "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
        QCOMPARE(reply.type(), QDBusMessage::ReplyMessage);
        QTRY_COMPARE(int(Device::windows("detail").size()), 1);
        QTRY_COMPARE(presenter->property("count").toInt(), navigated + 1);
    }

    // The step waits for the guard when flowbusd is killed; the guard is asked again.
    void concludesPendingSteps()
    {
        PRESENTED_LIST;
        const QJSValue first = device.begin(list, QStringLiteral("emit('slow', {}, { wait: false })"));
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 1);
        QVERIFY(device.isLive("main/list"));
        device.killFlowbusd();
        device.startFlowbusd();
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 2);
        device.evaluate(presenter, QStringLiteral("held[0].accept()"));
        QVERIFY(!first.property(QStringLiteral("isSettled")).toBool());
        device.evaluate(presenter, QStringLiteral("held[1].accept()"));
        QCOMPARE(verdict(device.wait(first)), QStringLiteral("navigated"));
        QVERIFY(Device::window("detail"));
    }

    // Closed while flowbusd was away: it is dismissed when that is back, and nothing brings it back.
    void dismissesWhatWasClosedMeanwhile()
    {
        PRESENTED_LIST;
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        device.killFlowbusd();
        detail->close();
        device.startFlowbusd();
        QTRY_VERIFY(!device.isLive("main/detail"));
        QTRY_VERIFY(!detail);
        QCOMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("dismissed"));
        QVERIFY(Device::windows("detail").isEmpty());
    }

    // The program has given up while flowbusd was away: it says so when that is back.
    void saysLaterWhatFailed()
    {
        PRESENTED_LIST;
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        device.killFlowbusd();
        const QJSValue failing = device.begin(detail, QStringLiteral("dismissWithError('com.example.Error.Empty', 'nobody is listed')"));
        device.startFlowbusd();
        QVERIFY(!device.wait(failing).contains(QStringLiteral("name")));
        QTRY_VERIFY(!detail);
        QVERIFY(!device.isLive("main/detail"));
        QCOMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("failed"));
    }

    // flowbusd comes back without the screen: its window goes.
    void closesWhatIsGone()
    {
        PRESENTED_LIST;
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        device.killFlowbusd();
        QByteArray without = definitions;
        without.replace("detail = {", "other = {").replace("screen = \"detail\"", "screen = \"other\"");
        device.define(without);
        device.startFlowbusd();
        QTRY_VERIFY(!detail);
        QVERIFY(device.evaluate(presenter, QStringLiteral("log[0] === 'gone' || log[0] === 'undeclared'")).toBool());
        QCOMPARE(Device::windows("list"), QList<QQuickWindow *>{list});
    }

    // What was saved last counts, and not what is repeated.
    void savesTheLatestState()
    {
        PRESENTED_LIST;
        device.killFlowbusd();
        for (int count = 1; count <= 5; ++count)
            device.evaluate(list, QStringLiteral("saveState({ count: %1, nothing: null })").arg(count));
        const QJSValue last = device.begin(list, QStringLiteral("saveState({ count: 6 })"));
        device.startFlowbusd();
        QVERIFY(!device.wait(last).contains(QStringLiteral("name")));
        device.settled(list, QStringLiteral("release()"));
        // Nobody owns it now: a client that takes and leaves it has the presenter called again.
        QDBusConnection other = QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("other"));
        QDBusMessage claim = QDBusMessage::createMethodCall(QStringLiteral("org.flowbus.Navigation1"), QStringLiteral("/org/flowbus/Navigation1/tree/main/list"),
                                                            QStringLiteral("org.flowbus.Navigation1.Presentable"), QStringLiteral("Claim"));
        QCOMPARE(other.call(claim).type(), QDBusMessage::ReplyMessage);
        QDBusConnection::disconnectFromBus(QStringLiteral("other"));
        other = QDBusConnection(QString());
        QQuickWindow *again = Device::window("list");
        QVERIFY(again);
        QCOMPARE(again->property("reason").toString(), QStringLiteral("recover"));
        QCOMPARE(again->property("state").toMap(), (QVariantMap{{QStringLiteral("count"), 6}}));
    }

    // The definitions have changed meanwhile: an argument has another type now.
    void readsTheStepsAgain()
    {
        PRESENTED_LIST;
        device.settled(list, QStringLiteral("emit('opened', { item: 1 })"));
        QByteArray other = definitions;
        other.replace("opened = { item = \"int64\" }", "opened = { item = \"string\" }");
        other.replace("arguments = { item = \"int64\" }", "arguments = { item = \"string\" }").replace("item = 1", "item = \"1\"");
        device.define(other);
        QCOMPARE(device.call(QStringLiteral("/org/flowbus/Navigation1"), "org.flowbus.Navigation1.Coordinator", "Reload").type(), QDBusMessage::ReplyMessage);
        // The answer comes after the signal that they have changed.
        device.settled(list, QStringLiteral("saveState({ a: 1 })"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("needs string, not '2'")));
        QVERIFY(device.settled(list, QStringLiteral("emit('opened', { item: 2 })")).contains(QStringLiteral("name")));
    }

    // A screen whose Present was not answered is presented again, and shown once.
    void answersARepeatedPresent()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property var made: []
            property Component list: ScreenWindow { Component.onCompleted: { hold(); made.push(this) } } })");
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("made.length")).toInt(), 1);
        device.killFlowbusd();
        device.startFlowbusd();
        device.evaluate(presenter, QStringLiteral("made[0].accept()"));
        QVERIFY(Device::window("list"));
        QTRY_VERIFY(!device.property("main/list", "Owner").toString().isEmpty());
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
        QCOMPARE(device.evaluate(presenter, QStringLiteral("made.length")).toInt(), 1);
    }
};

FLOWBUS_TEST_MAIN(RestartTests)
#include "test-restart.moc"
