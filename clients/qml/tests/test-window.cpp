// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <QtCore/QRegularExpression>
#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusMetaType>
#include <QtTest/QSignalSpy>

// How large an output is: (uu).
struct OutputSize
{
    uint width = 0;
    uint height = 0;
};
Q_DECLARE_METATYPE(OutputSize)

static QDBusArgument &operator<<(QDBusArgument &argument, const OutputSize &size)
{
    argument.beginStructure();
    argument << size.width << size.height;
    argument.endStructure();
    return argument;
}

static const QDBusArgument &operator>>(const QDBusArgument &argument, OutputSize &size)
{
    argument.beginStructure();
    argument >> size.width >> size.height;
    argument.endStructure();
    return argument;
}

static const QByteArray definitions = R"(
[steps]
start = {}
opened = { item = "int64" }
raised = { item = "int64" }
askedFor = {}
picked = { contact = "int64" }
leaving = {}
needy = { a = "string" }
memoryLow = {}
[screens]
list   = { presenter = "org.example.Shop", whenOwnerGone = "present" }
detail = { presenter = "org.example.Shop", arguments = { item = "int64" }, whenOwnerGone = "keep", evictAfter = "30d" }
picker = { presenter = "org.example.Shop", result = { contact = "int64", price = "double?" }, whenOwnerGone = "keep" }
[flows.main]
initial = "start"
children = "stack"
[flows.main.on]
start = { screen = "list" }
opened = { screen = "detail" }
raised = { screen = "detail", reuse = true }
askedFor = { screen = "picker", onResult = { step = "picked", arguments = { contact = "$result.contact" } } }
picked = { none = true }
leaving = { none = true }
memoryLow = { evict = true }
)";

static const QByteArray shop = R"(
Presenter {
    name: "org.example.Shop"
    property var log: []
    property Component list: ScreenWindow { title: "List"; width: 200; height: 200 }
    property Component detail: ScreenWindow { id: it; width: 200; height: 200
        title: "Detail"; onUpdated: log.push("updated " + it.arguments.item)
        onSaveStateAsked: saveState({ note: "on leaving" }); onWithdrawn: reason => log.push(reason) }
    property Component picker: ScreenWindow { onWithdrawn: reason => log.push(reason) }
}
)";

class WindowTests : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void reportsWhetherItIsShown()
    {
        Device device(definitions);
        device.run(shop);
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
        list->hide();
        QTRY_VERIFY(!device.property("main/list", "Visible").toBool());
        list->show();
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
        list->setProperty("visible", false);
        QTRY_VERIFY(!device.property("main/list", "Visible").toBool());
    }

    // The first picture has the size of the output, unless the window has one of its own, or is a bar (S-53).
    void hasTheSizeOfItsOutput()
    {
        Device device(R"(
[steps]
start = {}
[screens]
list = { presenter = "org.example.Shop" }
detail = { presenter = "org.example.Shop" }
bar = { presenter = "org.example.Shop" }
[outputs]
setter = "org.example.Displays"
[flows.main]
initial = "start"
[flows.main.on]
start = [{ screen = "list" }, { screen = "detail" }, { screen = "bar", style = "bar" }]
)");
        qDBusRegisterMetaType<OutputSize>();
        qDBusRegisterMetaType<QMap<QString, OutputSize>>();
        QVERIFY(device.tester.registerService(QStringLiteral("org.example.Displays")));
        const QMap<QString, OutputSize> sizes{{QStringLiteral("wall"), {320, 240}}};
        const QDBusMessage set = device.call(
            QStringLiteral("/org/flowbus/Navigation1"), "org.flowbus.Navigation1.Coordinator", "SetOutputsWithOptions",
            {QStringList(QStringLiteral("wall")), QVariantMap{{QStringLiteral("sizes"), QVariant::fromValue(sizes)}}});
        QCOMPARE(set.type(), QDBusMessage::ReplyMessage);
        device.run(R"(Presenter { name: "org.example.Shop"
            property Component list: ScreenWindow {}
            property Component detail: ScreenWindow { width: 200 }
            property Component bar: ScreenWindow {} })");
        QQuickWindow *list = Device::window("list");
        QQuickWindow *detail = Device::window("detail");
        QQuickWindow *bar = Device::window("bar");
        QVERIFY(list && detail && bar);
        QCOMPARE(list->property("outputSize").toSize(), QSize(320, 240));
        QCOMPARE(list->size(), QSize(320, 240));
        QCOMPARE(detail->width(), 200);
        QVERIFY(bar->size() != QSize(320, 240));
    }

    // A window that says visible: false is presented when the program shows it.
    void isHiddenIfItSaysSo()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property var w
            property Component list: ScreenWindow { visible: false; Component.onCompleted: w = this } })");
        QTRY_VERIFY(!device.property("main/list", "Owner").toString().isEmpty());
        QVERIFY(Device::windows().isEmpty());
        QVERIFY(!device.property("main/list", "Visible").toBool());
        device.evaluate(presenter, QStringLiteral("w.visible = true"));
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
    }

    // A window that is shown before there is what it is to show.
    void isNotVisibleBeforeItIsReady()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property bool isLoaded: false
            property Component list: ScreenWindow { ready: isLoaded } })");
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QTRY_VERIFY(list->isExposed());
        QTRY_VERIFY(!device.property("main/list", "Owner").toString().isEmpty());
        QVERIFY(!device.property("main/list", "Visible").toBool());
        presenter->setProperty("isLoaded", true);
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
        // It stays visible; when it is shown anew, it has to be ready.
        presenter->setProperty("isLoaded", false);
        QVERIFY(device.property("main/list", "Visible").toBool());
        list->hide();
        QTRY_VERIFY(!device.property("main/list", "Visible").toBool());
        presenter->setProperty("isLoaded", true);
        QVERIFY(!device.property("main/list", "Visible").toBool());
        presenter->setProperty("isLoaded", false);
        list->show();
        QTRY_VERIFY(list->isExposed());
        QVERIFY(!device.property("main/list", "Visible").toBool());
        presenter->setProperty("isLoaded", true);
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
    }

    void isShownAsItsVisibilitySays()
    {
        Device device(definitions);
        device.run(R"(Presenter { name: "org.example.Shop"
            property Component list: ScreenWindow { visibility: Window.Maximized } })");
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QCOMPARE(list->visibility(), QWindow::Maximized);
    }

    // A title that is too long for flowbusd is cut where a character ends.
    void setsTheTitle()
    {
        Device device(definitions);
        device.run(shop);
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QTRY_COMPARE(device.property("main/list", "Title").toString(), QStringLiteral("List"));
        list->setTitle(QStringLiteral("ä").repeated(200));
        QTRY_COMPARE(device.property("main/list", "Title").toString(), QStringLiteral("ä").repeated(128));
        list->setTitle(QStringLiteral("x") + QString::fromUtf8("😀").repeated(80));
        QTRY_COMPARE(device.property("main/list", "Title").toString(), QStringLiteral("x") + QString::fromUtf8("😀").repeated(63));
    }

    void dismissesWhenTheUserClosesIt()
    {
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        detail->close();
        QTRY_VERIFY(!device.isLive("main/detail"));
        QTRY_VERIFY(!detail);
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("dismissed"));
        QVERIFY(device.isLive("main/list"));
    }

    // A handler of the program can keep the window.
    void staysIfTheProgramDoesNotWantToClose()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property int asked: 0
            property Component list: ScreenWindow { onClosing: close => { close.accepted = false; ++asked } } })");
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QTRY_VERIFY(device.property("main/list", "Visible").toBool());
        list->close();
        QCOMPARE(presenter->property("asked").toInt(), 1);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QVERIFY(device.isLive("main/list"));
        QVERIFY(list->isVisible());
    }

    void goesBackByKeysButtonAndSwipe()
    {
        const std::unique_ptr<QPointingDevice> screen(QTest::createTouchDevice());
        Device device(definitions);
        device.run(shop);
        const auto open = [&] {
            device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
            QQuickWindow *detail = Device::window("detail");
            if (detail && QTest::qWaitFor([&] { return device.property("main/detail", "Presented").toBool(); }))
                detail->requestActivate();
            return detail;
        };
        const auto isGone = [&] { return !device.isLive("main/detail") && Device::windows("detail").isEmpty(); };
        QTest::keyClick(open(), Qt::Key_Escape);
        QTRY_VERIFY(isGone());
        QTest::keyClick(open(), Qt::Key_Back);
        QTRY_VERIFY(isGone());
        QTest::mouseClick(open(), Qt::BackButton, {}, QPoint(100, 100));
        QTRY_VERIFY(isGone());
        QQuickWindow *detail = open();
        const auto drag = [&](QPoint from, QPoint to) {
            QTest::mousePress(detail, Qt::LeftButton, {}, from);
            QTest::mouseMove(detail, (from + to) / 2);
            QTest::mouseRelease(detail, Qt::LeftButton, {}, to);
        };
        // Not from the middle, not downwards, not where it is turned off.
        drag({100, 50}, {190, 50});
        drag({3, 10}, {90, 190});
        detail->setProperty("backGesture", false);
        drag({3, 50}, {150, 55});
        detail->setProperty("backGesture", true);
        detail->setProperty("backKeys", false);
        QTest::keyClick(detail, Qt::Key_Escape);
        QVERIFY(device.isLive("main/detail"));
        drag({3, 50}, {150, 55});
        QTRY_VERIFY(isGone());
        detail = open();
        QTest::touchEvent(detail, screen.get()).press(0, {3, 50}, detail);
        QTest::touchEvent(detail, screen.get()).move(0, {90, 50}, detail);
        QTest::touchEvent(detail, screen.get()).release(0, {150, 50}, detail);
        QTRY_VERIFY(isGone());
        QVERIFY(device.isLive("main/list"));
    }

    // An item that is dragged from the edge takes the swipe, and one that is only pressed does not.
    void leavesDragsToItems()
    {
        Device device(definitions);
        device.run(R"(Presenter { name: "org.example.Shop"
            property Component list: ScreenWindow {}
            property Component detail: ScreenWindow { width: 200; height: 200
                MouseArea { width: 200; height: 50; drag.target: knob; Item { id: knob } }
                Item { y: 50; width: 200; height: 50; DragHandler { target: null } }
                MouseArea { y: 100; width: 200; height: 50 } } })");
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        QTRY_VERIFY(device.property("main/detail", "Presented").toBool());
        const auto drag = [&](int y) {
            QTest::mousePress(detail, Qt::LeftButton, {}, {3, y});
            for (int x = 15; x <= 150; x += 15)
                QTest::mouseMove(detail, {x, y});
            QTest::mouseRelease(detail, Qt::LeftButton, {}, {150, y});
        };
        drag(25);
        drag(75);
        // A step after them, which is decided later.
        device.settled(detail, QStringLiteral("emit('picked', { contact: 1 })"));
        QVERIFY(device.isLive("main/detail"));
        drag(125);
        QTRY_VERIFY(!device.isLive("main/detail"));
    }

    // What an item takes does not go back.
    void leavesKeysToItems()
    {
        Device device(definitions);
        QObject *presenter = device.run(R"(Presenter { name: "org.example.Shop"; property int taken: 0
            property Component list: ScreenWindow {}
            property Component detail: ScreenWindow { Item { focus: true; Keys.onEscapePressed: ++taken } } })");
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        detail->requestActivate();
        QTRY_VERIFY(detail->activeFocusItem());
        QTest::keyClick(detail, Qt::Key_Escape);
        QCOMPARE(presenter->property("taken").toInt(), 1);
        device.emitStep("main", "picked", {{QStringLiteral("contact"), 1}});
        QVERIFY(device.isLive("main/detail"));
    }

    void takesTheBackStep()
    {
        Device device(definitions);
        device.run(shop);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        QTRY_VERIFY(device.property("main/detail", "Presented").toBool());
        detail->setProperty("backStep", QStringLiteral("leaving"));
        const QVariantMap verdict = device.settled(detail, QStringLiteral("back()")).value(QStringLiteral("value")).toMap();
        QCOMPARE(verdict.value(QStringLiteral("verdict")).toString(), QStringLiteral("navigated"));
        QVERIFY(device.isLive("main/detail"));
        device.evaluate(detail, QStringLiteral("setBackStep('')"));
        device.settled(detail, QStringLiteral("back()"));
        QVERIFY(!device.isLive("main/detail"));
    }

    void saysWhichCallFailed()
    {
        Device device(definitions);
        device.run(shop);
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QSignalSpy failed(list, SIGNAL(callFailed(QString,QString,QString)));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("SetBackStep failed: .*needy")));
        device.evaluate(list, QStringLiteral("backStep = 'needy'"));
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.first().at(1).toString(), QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments"));
    }

    void takesNewArguments()
    {
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QQuickWindow *detail = Device::window("detail");
        QVERIFY(detail);
        device.emitStep("main", "raised", {{QStringLiteral("item"), 2}});
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("updated 2"));
        QCOMPARE(Device::windows("detail"), QList<QQuickWindow *>{detail});
    }

    // Where nothing else brings windows to the front, one is hidden and shown; not if it has the focus. Its screen stays visible.
    void isShownAnewWhereNothingElseRaisesIt()
    {
        qputenv("FLOWBUS_RAISE", "remap");
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QQuickWindow *detail = Device::window("detail"), *list = Device::window("list");
        QVERIFY(detail && list);
        QTRY_VERIFY(device.property("main/detail", "Presented").toBool());
        list->requestActivate();
        QTRY_VERIFY(!detail->isActive());
        Recorder recorder;
        QVERIFY(device.tester.connect({}, QStringLiteral("/org/flowbus/Navigation1/tree/main/detail"),
                                      QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("PropertiesChanged"), &recorder,
                                      SLOT(record(QDBusMessage))));
        const QSignalSpy changes(detail, &QWindow::visibleChanged);
        device.emitStep("main", "raised", {{QStringLiteral("item"), 2}});
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("updated 2"));
        QCOMPARE(changes.count(), 2);
        QVERIFY(detail->isVisible());
        QTRY_VERIFY(detail->isExposed());
        detail->requestActivate();
        QTRY_VERIFY(detail->isActive());
        device.emitStep("main", "raised", {{QStringLiteral("item"), 3}});
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("updated 2,updated 3"));
        QCOMPARE(changes.count(), 2);
        QVERIFY(device.property("main/detail", "Visible").toBool());
        for (const QDBusMessage &message : std::as_const(recorder.messages))
            QVERIFY(!qdbus_cast<QVariantMap>(message.arguments().at(1)).contains(QStringLiteral("Visible")));
        QVERIFY(!recorder.messages.isEmpty());
    }

    // Evicted: the state that the program saves at the last moment is there when the screen comes back.
    void leavesWhenItIsEvicted()
    {
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "opened", {{QStringLiteral("item"), 1}});
        QPointer<QQuickWindow> detail = Device::window("detail");
        QVERIFY(detail);
        QTRY_VERIFY(device.property("main/detail", "Presented").toBool());
        device.emitStep("main", "askedFor");
        QQuickWindow *picker = Device::window("picker");
        QVERIFY(picker);
        device.emitStep("main", "memoryLow");
        QTRY_VERIFY(!detail);
        QVERIFY(device.isLive("main/detail"));
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("evicted"));
        device.settled(picker, QStringLiteral("dismiss()"));
        QQuickWindow *again = Device::window("detail");
        QVERIFY(again);
        QCOMPARE(again->property("reason").toString(), QStringLiteral("recover"));
        QCOMPARE(again->property("state").toMap().value(QStringLiteral("note")).toString(), QStringLiteral("on leaving"));
    }

    void finishesWithAResult()
    {
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "askedFor");
        QPointer<QQuickWindow> picker = Device::window("picker");
        QVERIFY(picker);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Finish failed: .*contact")));
        QVariantMap outcome = device.settled(picker, QStringLiteral("finish({ contact: 'none' })"));
        QCOMPARE(outcome.value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Finish failed: result 'contact' is of the type")));
        outcome = device.settled(picker, QStringLiteral("finish({ contact: new Date() })"));
        QCOMPARE(outcome.value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments"));
        QVERIFY(picker && picker->isVisible());
        outcome = device.settled(picker, QStringLiteral("finish({ contact: 7, price: Value.typed('d', 3) })"));
        QVERIFY2(!outcome.contains(QStringLiteral("name")), qUtf8Printable(outcome.value(QStringLiteral("message")).toString()));
        QTRY_VERIFY(!picker);
        QCOMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("finished"));
        QVERIFY(!device.isLive("main/picker"));
    }

    void releasesWithoutDismissing()
    {
        Device device(definitions);
        QObject *presenter = device.run(shop);
        device.emitStep("main", "askedFor");
        QPointer<QQuickWindow> picker = Device::window("picker");
        QVERIFY(picker);
        device.settled(picker, QStringLiteral("release()"));
        QTRY_VERIFY(!picker);
        QVERIFY(device.isLive("main/picker"));
        QCOMPARE(device.property("main/picker", "Owner").toString(), QString());
        QCOMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("released"));
    }

    // What a program does with a window that is gone has no effect, and does no harm.
    void isNoUseWithoutAScreen()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("a ScreenWindow is made by a Presenter")));
        QObject *window = device.load("ScreenWindow { }");
        QVERIFY(window);
        for (const char *call : {"emit('start')", "ask('start')", "back()", "saveState({})", "finish()", "dismiss()",
                                 "dismissWithError('a.b', 'x')", "release()", "touch()", "acknowledge('x')",
                                 "setBackStep('x')", "takeActivationToken()"})
            device.evaluate(window, QLatin1String(call));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("fail\\(\\) comes too late")));
        device.evaluate(window, QStringLiteral("fail('x')"));
        QCOMPARE(window->property("live").toBool(), false);
        delete window;
    }
};

FLOWBUS_TEST_MAIN(WindowTests)
#include "test-window.moc"
