// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtDBus/QDBusConnectionInterface>
#include <QtDBus/QDBusObjectPath>
#include <QtTest/QSignalSpy>

static const QByteArray definitions = R"(
[steps]
start = {}
opened = { item = "int64" }
goneFor = { why = "string", error = "string", text = "string" }
cleared = {}
[screens]
list   = { presenter = "org.example.Shop", whenOwnerGone = "present" }
detail = { presenter = "org.example.Shop", arguments = { item = "int64" } }
other  = { presenter = { name = "org.example.Other", timeout = "500ms" } }
[flows.main]
initial = "start"
children = "stack"
[flows.main.on]
start = { screen = "list" }
opened = { screen = "detail", style = "modal", onDismissed = { step = "goneFor", arguments = { why = "$reason", error = "$error", text = "$message" } } }
goneFor = { none = true }
cleared = { pop = "root" }
)";

static const QByteArray shop = R"(
Presenter {
    name: "org.example.Shop"
    property Component list: ScreenWindow { title: "List" }
    property Component detail: ScreenWindow { title: "Detail " + arguments_.item; readonly property var arguments_: this.arguments }
}
)";

// What the flow was told when a screen of it went: its step for onDismissed.
static QVariantMap told(const Recorder &navigated)
{
    for (const QDBusMessage &message : navigated.messages) {
        if (message.arguments().value(3).toString() == QLatin1String("goneFor"))
            return qdbus_cast<QVariantMap>(message.arguments().value(4));
    }
    return {};
}

class PresenterTests : public QObject
{
    Q_OBJECT

    void endWhatIsHeld(const QString &call, const QString &reason)
    {
        Device device(definitions);
        Recorder navigated;
        device.tester.connect(QString(), QString(), QStringLiteral("org.flowbus.Navigation1.Flow"),
                              QStringLiteral("NavigationOccurred"), &navigated, SLOT(record(QDBusMessage)));
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property var held: []; property var log: []
            property Component list: ScreenWindow {}
            property Component detail: ScreenWindow { onWithdrawn: reason => log.push(reason)
                Component.onCompleted: { hold(); held.push(this) } } })");
        QVERIFY(Device::window("list"));
        device.emitStep("main", "opened", {{QStringLiteral("item"), 7}});
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 1);
        device.evaluate(presenter, QStringLiteral("held[0].") + call);
        QTRY_COMPARE(told(navigated).value(QStringLiteral("why")).toString(), reason);
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), reason);
        QVERIFY(Device::windows("detail").isEmpty());
        QVERIFY(!device.isLive("main/detail"));
    }

private Q_SLOTS:
    // The object is there before the name, so that the first call of a program that the bus has started finds it.
    void presentsWhatFlowbusdAsksFor()
    {
        Device device(definitions);
        QObject *presenter = device.load(shop);
        QVERIFY(presenter && !presenter->property("nameOwned").toBool());
        QTRY_VERIFY(presenter->property("nameOwned").toBool());
        device.coordinate("main");
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QVERIFY(presenter->property("nameOwned").toBool());
        QCOMPARE(presenter->property("count").toInt(), 1);
        QTRY_VERIFY(device.property("main/list", "Presented").toBool());
        QCOMPARE(device.property("main/list", "Owner").toString(), device.unique(QStringLiteral("org.example.Shop")));
        QTRY_COMPARE(device.property("main/list", "Title").toString(), QStringLiteral("List"));
        QCOMPARE(list->property("reason").toString(), QStringLiteral("launch"));
        QCOMPARE(list->property("path").toString(), QStringLiteral("/org/flowbus/Navigation1/tree/main/list"));
        QCOMPARE(list->property("flow").toString(), QStringLiteral("/org/flowbus/Navigation1/tree/main"));
        QCOMPARE(list->property("root").toString(), QStringLiteral("/org/flowbus/Navigation1/tree/main"));
        QCOMPARE(list->property("instance").toULongLong(), device.property("main/list", "Instance").toULongLong());
    }

    void givesArgumentsStyleAndSight()
    {
        Device device(definitions);
        device.run(shop);
        QQuickWindow *list = Device::window("list");
        QVERIFY(list && list->property("inSight").toBool());
        device.emitStep("main", "opened", {{QStringLiteral("item"), 7}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        QCOMPARE(detail->property("arguments").toMap().value(QStringLiteral("item")).toInt(), 7);
        QCOMPARE(detail->title(), QStringLiteral("Detail 7"));
        QCOMPARE(detail->property("style").toString(), QStringLiteral("modal"));
        QCOMPARE(detail->property("styles").toStringList(), QStringList{QStringLiteral("modal")});
        QCOMPARE(detail->property("direction").toString(), QStringLiteral("push"));
        QTRY_VERIFY(!list->property("inSight").toBool());
        QSignalSpy returned(list, SIGNAL(returned()));
        device.emitStep("main", "cleared");
        QTRY_COMPARE(returned.count(), 1);
        QTRY_VERIFY(list->property("inSight").toBool());
        QCOMPARE(list->property("reason").toString(), QStringLiteral("return"));
        QCOMPARE(list->property("direction").toString(), QStringLiteral("pop"));
    }

    // Withdraw closes the window, and no Dismiss follows.
    void withdrawsWithoutDismiss()
    {
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 7}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        QSignalSpy withdrawn(detail, SIGNAL(withdrawn(QString)));
        device.emitStep("main", "cleared");
        QTRY_COMPARE(withdrawn.count(), 1);
        QCOMPARE(withdrawn.first().first().toString(), QStringLiteral("rule"));
        QTRY_VERIFY(!detail);
        QCOMPARE(presenter->property("count").toInt(), 1);
        QVERIFY(device.isLive("main/list"));
    }

    void refusesAnUnknownScreen()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("this program has no screen 'list'; it has 'wrong'")));
        QObject *presenter = device.run("Presenter { name: 'org.example.Shop'; property Component wrong: ScreenWindow {} }");
        QTRY_VERIFY(!device.isLive("main/list"));
        QTRY_COMPARE(presenter->property("count").toInt(), 0);
    }

    // What it can't show now is presented again, in a new window.
    void failsUntilItCan()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Present fails: no network")));
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"
            property bool isOnline: false
            property Component list: ScreenWindow { Component.onCompleted: if (!isOnline) fail("no network") } })");
        QTRY_VERIFY(device.property("main/list", "Waiting").toString().startsWith(QStringLiteral("no network")));
        QVERIFY(Device::windows("list").isEmpty());
        presenter->setProperty("isOnline", true);
        QTRY_COMPARE(device.property("main/list", "Waiting").toString(), QString());
        QVERIFY(Device::window("list"));
    }

    // The flow learns why: its step for onDismissed has the text of the error.
    void refuses()
    {
        Device device(definitions);
        Recorder failures;
        device.tester.connect(QString(), QString(), QStringLiteral("org.flowbus.Navigation1.Flow"),
                              QStringLiteral("NavigationOccurred"), &failures, SLOT(record(QDBusMessage)));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Present is refused: no item 13")));
        device.run(R"(Presenter { name: "org.example.Shop"
            property Component list: ScreenWindow {}
            property Component detail: ScreenWindow { id: it
                Component.onCompleted: if (it.arguments.item === 13) it.refuse("no item 13") } })");
        QVERIFY(Device::window("list"));
        device.emitStep("main", "opened", {{QStringLiteral("item"), 13}});
        QTRY_COMPARE(told(failures).value(QStringLiteral("why")).toString(), QStringLiteral("presentFailed"));
        QCOMPARE(told(failures).value(QStringLiteral("text")).toString(), QStringLiteral("no item 13"));
        QVERIFY(Device::windows("detail").isEmpty());
        device.emitStep("main", "opened", {{QStringLiteral("item"), 12}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("fail\\(\\) comes too late")));
        device.evaluate(detail, QStringLiteral("fail('too late')"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("refuse\\(\\) comes too late")));
        device.evaluate(detail, QStringLiteral("refuse('too late')"));
    }

    // A screen that is shown, and a program that gives up: the flow learns what failed.
    void saysWhatFailed()
    {
        Device device(definitions);
        Recorder navigated;
        device.tester.connect(QString(), QString(), QStringLiteral("org.flowbus.Navigation1.Flow"),
                              QStringLiteral("NavigationOccurred"), &navigated, SLOT(record(QDBusMessage)));
        device.run(shop);
        QVERIFY(Device::window("list"));
        device.emitStep("main", "opened", {{QStringLiteral("item"), 7}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        QSignalSpy withdrawn(detail, SIGNAL(withdrawn(QString)));

        // A name that no error can have: the screen stays.
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("DismissWithOptions failed: ")));
        QVariantMap outcome = device.settled(detail, QStringLiteral("dismissWithError('declined', 'the card is blocked')"));
        QCOMPARE(outcome.value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments"));
        QVERIFY(outcome.value(QStringLiteral("message")).toString().contains(QLatin1String("'declined'")));
        QVERIFY(detail && detail->property("live").toBool());

        outcome = device.settled(detail, QStringLiteral("dismissWithError('com.example.Pay.Error.Declined', 'the card is blocked')"));
        QVERIFY2(!outcome.contains(QStringLiteral("name")), qUtf8Printable(outcome.value(QStringLiteral("message")).toString()));
        QTRY_VERIFY(!detail);
        QCOMPARE(withdrawn.first().first().toString(), QStringLiteral("failed"));
        QTRY_COMPARE(told(navigated), (QVariantMap{{QStringLiteral("why"), QStringLiteral("failed")},
                                                   {QStringLiteral("error"), QStringLiteral("com.example.Pay.Error.Declined")},
                                                   {QStringLiteral("text"), QStringLiteral("the card is blocked")}}));
        QVERIFY(!device.isLive("main/detail"));
    }

    // A program that holds the answer to Present, and waits for the end of the screen before, does not wait for ever.
    void dismissesWhatItHolds() { endWhatIsHeld(QStringLiteral("dismiss()"), QStringLiteral("dismissed")); }
    void givesUpWhatItHolds()
    {
        endWhatIsHeld(QStringLiteral("dismissWithError('com.example.Pay.Error.Absent')"), QStringLiteral("failed"));
    }

    void holdsUntilItAccepts()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property var held: []
            property Component list: ScreenWindow { Component.onCompleted: { hold(); held.push(this) } } })");
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 1);
        QVERIFY(Device::windows().isEmpty());
        QCOMPARE(device.property("main/list", "Owner").toString(), QString());
        device.evaluate(presenter, QStringLiteral("held[0].accept()"));
        QVERIFY(Device::window("list"));
        QTRY_VERIFY(!device.property("main/list", "Owner").toString().isEmpty());
    }

    void saysWhatIsWrongWithAComponent()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("screen 'list': .*NoSuch.qml")));
        device.run("Presenter { name: 'org.example.Shop'; screens: ({ list: 'NoSuch.qml' }) }");
        QTRY_VERIFY(!device.isLive("main/list"));
    }

    void takesOnlyScreenWindows()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the component is a QQuickItem, and not a ScreenWindow")));
        device.run("Presenter { name: 'org.example.Shop'; property Component list: Item {} }");
        QTRY_VERIFY(!device.isLive("main/list"));
    }

    void takesAMapOfComponentsAndFiles()
    {
        Device device(definitions);
        const QString file = qEnvironmentVariable("FLOWBUS_TEST_FOLDER") + QStringLiteral("/Detail.qml");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("import FlowBus\nScreenWindow { title: 'from a file' }\n");
        out.close();
        device.run("Presenter { name: 'org.example.Shop'; screens: ({ list: a, detail: 'file://" + file.toUtf8()
                    + "' })\n Component { id: a; ScreenWindow { title: 'from the map' } } }");
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QCOMPARE(list->title(), QStringLiteral("from the map"));
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        QCOMPARE(detail->title(), QStringLiteral("from a file"));
    }

    void waitsForANameOfAnotherProgram()
    {
        Device device(definitions);
        QVERIFY(device.tester.registerService(QStringLiteral("org.example.Late")));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("another program has the bus name 'org.example.Late'")));
        QObject *presenter = device.load("Presenter { name: 'org.example.Late' }");
        QSignalSpy lost(presenter, SIGNAL(lostName()));
        QSignalSpy acquired(presenter, SIGNAL(acquiredName()));
        QTRY_COMPARE(lost.count(), 1);
        QVERIFY(device.tester.unregisterService(QStringLiteral("org.example.Late")));
        QTRY_COMPARE(acquired.count(), 1);
        QVERIFY(presenter->property("nameOwned").toBool());
    }

    void presentsOnTheSystemBus()
    {
        Device device(definitions);
        QByteArray text = shop;
        QObject *presenter = device.run(text.replace("name:", "bus: Presenter.System; name:"));
        QVERIFY(presenter);
        QVERIFY(Device::window("list"));
        QTRY_VERIFY(device.property("main/list", "Presented").toBool());
        QObject *tree = device.load("FlowTree { bus: FlowTree.System }");
        QTRY_COMPARE(tree->property("count").toInt(), 2);
    }

    void needsAName()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("a Presenter needs a name, such as")));
        device.load("Presenter { }");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the bus refuses the name 'nonsense': ")));
        QObject *refused = device.load("Presenter { name: 'nonsense' }");
        QSignalSpy lost(refused, SIGNAL(lostName()));
        QTRY_COMPARE(lost.count(), 1);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the name 'org.example.A' can't be changed any more")));
        QObject *presenter = device.load("Presenter { name: 'org.example.A'; path: '/x' }");
        presenter->setProperty("name", QStringLiteral("org.example.B"));
        QCOMPARE(presenter->property("name").toString(), QStringLiteral("org.example.A"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the object '/x' is another Presenter's")));
        device.load("Presenter { name: 'org.example.C'; path: '/x' }");
    }

    // Calls that flowbusd never makes get an error, and don't harm.
    void refusesWrongCalls()
    {
        Device device(definitions);
        QObject *presenter = device.load("Presenter { name: 'org.example.Odd-Name' }");
        QTRY_VERIFY(presenter->property("nameOwned").toBool());
        QCOMPARE(presenter->property("path").toString(), QStringLiteral("/org/example/Odd_Name"));
        const auto called = [&](const char *member, const QVariantList &arguments) {
            return device.callService(QStringLiteral("org.example.Odd-Name"), QStringLiteral("/org/example/Odd_Name"),
                                      "org.flowbus.Navigation1.Presenter", member, arguments);
        };
        QCOMPARE(called("Alive", {}).type(), QDBusMessage::ReplyMessage);
        QCOMPARE(called("Present", {QStringLiteral("x")}).errorMessage(),
                 QStringLiteral("Present has the signature 'osa{sv}a{sv}', not 's'"));
        QCOMPARE(called("NoSuch", {}).errorName(), QStringLiteral("org.freedesktop.DBus.Error.UnknownInterface"));
        const QVariant path = QVariant::fromValue(QDBusObjectPath(QStringLiteral("/org/flowbus/Navigation1/tree/x")));
        QCOMPARE(called("Present", {path, QStringLiteral("x"), QVariantMap(), QVariantMap()}).errorMessage(),
                 QStringLiteral("the detail 'instance' is missing; it is the number of the screen"));
        QCOMPARE(called("Withdraw", {path, qulonglong(99), QStringLiteral("rule")}).type(), QDBusMessage::ReplyMessage);
    }

    // A call of the bus that starts the program comes when all objects are exported, those that follow in the file as well.
    void exportsAllBeforeItHasTheName()
    {
        Device device(definitions);
        QObject *presenter = device.load("Presenter { name: 'org.example.Shop'; Guard { name: 'org.example.Shop'; path: '/other' } }");
        // On the connection of the program: a request that was sent would come first.
        QDBusConnection session = QDBusConnection::sessionBus();
        QVERIFY(!session.interface()->isServiceRegistered(QStringLiteral("org.example.Shop")));
        QTRY_VERIFY(presenter->property("nameOwned").toBool());
    }

    // A handler of the name may make and destroy others of the name.
    void survivesHandlersOfTheName()
    {
        Device device(definitions);
        QObject *root = device.load(R"(QtObject { id: root
            property var more: []
            property Component guard: Guard { name: "org.example.Shop"; path: "/more/" + root.more.length }
            property Presenter first: Presenter { name: "org.example.Shop"
                onAcquiredName: { root.second.destroy(); for (let n = 0; n < 20; ++n) root.more.push(root.guard.createObject(root)) } }
            property QtObject second: Guard { name: "org.example.Shop"; path: "/second" }
            Component.onCompleted: first.acquiredName.connect(() => gc())
        })");
        QTRY_COMPARE(device.evaluate(root, QStringLiteral("more.length")).toInt(), 20);
        QTRY_VERIFY(device.evaluate(root, QStringLiteral("more.every(it => it.nameOwned)")).toBool());
    }

    // A path that can't be exported is named, and can be tried again.
    void saysWhichPathIsNone()
    {
        Device device(definitions);
        for (int round = 0; round < 2; ++round) {
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the object '/a//b' can't be exported: ")));
            delete device.load("Presenter { name: 'org.example.Shop'; path: '/a//b' }");
        }
    }

    // What it serves is what dbus/*.xml says.
    void servesTheContract()
    {
        Device device(definitions);
        QObject *presenter = device.load("Presenter { name: 'org.example.Both'; Guard { name: 'org.example.Both' } }");
        QTRY_VERIFY(presenter->property("nameOwned").toBool());
        const QString served = device.callService(QStringLiteral("org.example.Both"), QStringLiteral("/org/example/Both"),
                                                  "org.freedesktop.DBus.Introspectable", "Introspect").arguments().value(0).toString();
        for (const char *name : {"Presenter", "Guard"}) {
            QFile file(QStringLiteral(FLOWBUS_DBUS "/org.flowbus.Navigation1.%1.xml").arg(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QString text = QString::fromUtf8(file.readAll());
            text.remove(QRegularExpression(QStringLiteral("<!--.*?-->"), QRegularExpression::DotMatchesEverythingOption));
            text.remove(QRegularExpression(QStringLiteral("<annotation name=\"org.qtproject[^>]*>")));
            text = text.mid(text.indexOf(QLatin1String("<interface")));
            text = text.left(text.indexOf(QLatin1String("</node>"))).simplified();
            QVERIFY2(served.simplified().contains(text), qUtf8Printable(text + QStringLiteral(" / ") + served.simplified()));
        }
    }
};

FLOWBUS_TEST_MAIN(PresenterTests)
#include "test-presenter.moc"
