// SPDX-License-Identifier: Apache-2.0
//
// The order of calls, and calls that fail: the test plays flowbusd.
#include "fake.h"

#include <QtCore/QRegularExpression>
#include <QtDBus/QDBusConnectionInterface>
#include <QtTest/QSignalSpy>

static const QByteArray shop = R"(
Presenter {
    name: "org.example.Shop"
    property var log: []
    property Component list: ScreenWindow { width: 200; height: 200; title: "List"; onWithdrawn: reason => log.push(reason) }
}
)";

static const QVariantMap shownReport{{QStringLiteral("title"), QStringLiteral("List")}, {QStringLiteral("visible"), true}};

// Its screen can be seen when the presenter says so.
static const QByteArray late = R"(
Presenter {
    name: "org.example.Shop"
    property bool isLoaded: false
    property var log: []
    property Component list: ScreenWindow { ready: isLoaded; onWithdrawn: reason => log.push(reason) }
}
)";

static const QString instancePath = QStringLiteral("/org/flowbus/Navigation1/instance/7");

// A presenter that owns its name.
#define LOADED(source)                                                                                                 \
    Device device;                                                                                                     \
    Fake fake;                                                                                                         \
    QObject *presenter = device.load(source);                                                                          \
    QTRY_VERIFY(presenter->property("nameOwned").toBool())

// A presenter whose screen 7 is shown, and flowbusd knows it.
#define SHOWN_LIST                                                                                                     \
    LOADED(shop);                                                                                                      \
    QDBusPendingCall presented = fake.present("list", 7);                                                              \
    QPointer<QQuickWindow> list = Device::window("list");                                                              \
    QVERIFY(list);                                                                                                     \
    QTRY_VERIFY(presented.isFinished());                                                                               \
    QCOMPARE(Fake::report(presented), shownReport);                                                                    \
    QCOMPARE(fake.made(), QString());                                                                                  \
    QCOMPARE(fake.reads, 0)

class CallTests : public QObject
{
    Q_OBJECT

    void endAfterSteps(const char *end, const char *member)
    {
        SHOWN_LIST;
        fake.steps.insert(QStringLiteral("ok"), {});
        device.evaluate(list, QStringLiteral("emit('ok'); emit('ok'); ") + QLatin1String(end));
        QTRY_COMPARE(fake.made(), QStringLiteral("GetSteps EmitStepWithOptions EmitStepWithOptions ") + QLatin1String(member));
    }

    void sayWhatFailed(const char *call, const QString &message)
    {
        SHOWN_LIST;
        QVariantMap options{{QStringLiteral("error"), QStringLiteral("com.example.Error.Empty")}};
        if (!message.isEmpty())
            options.insert(QStringLiteral("message"), message);
        const QVariantMap outcome = device.settled(list, QLatin1String(call));
        QVERIFY2(!outcome.contains(QStringLiteral("name")), qUtf8Printable(outcome.value(QStringLiteral("message")).toString()));
        QCOMPARE(fake.made(), QStringLiteral("DismissWithOptions"));
        QCOMPARE(fake.calls.last().path(), instancePath);
        QCOMPARE(qdbus_cast<QVariantMap>(fake.calls.last().arguments().value(0)), options);
        QTRY_VERIFY(!list);
        QCOMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("failed"));
    }

private Q_SLOTS:
    // The answer comes when the screen can be seen, also to a call that follows meanwhile.
    void answersWhenTheScreenIsShown()
    {
        LOADED(late);
        const QDBusPendingCall first = fake.present("list", 7);
        QVERIFY(Device::window("list"));
        const QDBusPendingCall second = fake.present("list", 7, {{QStringLiteral("reason"), QStringLiteral("update")}});
        QTRY_COMPARE(Device::window("list")->property("reason").toString(), QStringLiteral("update"));
        QVERIFY(!first.isFinished());
        presenter->setProperty("isLoaded", true);
        QTRY_VERIFY(first.isFinished() && second.isFinished());
        QCOMPARE(Fake::report(first), (QVariantMap{{QStringLiteral("visible"), true}}));
        QCOMPARE(Fake::report(second), Fake::report(first));
        QCOMPARE(fake.made(), QString());
    }

    // It does not wait for ever; the call comes when there is something to see.
    void answersThoughNothingIsShown()
    {
        LOADED(late);
        const QDBusPendingCall presented = fake.present("list", 7);
        QTRY_VERIFY(presented.isFinished());
        QCOMPARE(Fake::report(presented), QVariantMap());
        presenter->setProperty("isLoaded", true);
        QTRY_COMPARE(fake.made(), QStringLiteral("SetVisible"));
    }

    void isWithdrawnBeforeItIsShown()
    {
        LOADED(late);
        const QDBusPendingCall presented = fake.present("list", 7);
        QPointer<QQuickWindow> list = Device::window("list");
        fake.withdraw("list", 7, "rule");
        QTRY_VERIFY(presented.isFinished() && !list);
        QVERIFY(presented.isError());
        QCOMPARE(device.evaluate(presenter, QStringLiteral("log.join()")).toString(), QStringLiteral("rule"));
        QCOMPARE(presenter->property("count").toInt(), 0);
        QCOMPARE(fake.made(), QString());
    }

    // The user closes it: flowbusd is told, and no answer says that it is visible.
    void isClosedBeforeItIsShown()
    {
        LOADED(late);
        const QDBusPendingCall presented = fake.present("list", 7);
        QPointer<QQuickWindow> list = Device::window("list");
        list->close();
        QTRY_COMPARE(fake.made(), QStringLiteral("Dismiss"));
        QTRY_VERIFY(presented.isFinished() && !list);
        QCOMPARE(Fake::report(presented), QVariantMap());
    }

    // flowbusd is killed meanwhile, and calls once more.
    void answersTheNextFlowbusd()
    {
        LOADED(late);
        fake.present("list", 7);
        QPointer<QQuickWindow> list = Device::window("list");
        fake.vanish();
        fake.appear();
        const QDBusPendingCall again = fake.present("list", 7);
        presenter->setProperty("isLoaded", true);
        QTRY_VERIFY(again.isFinished());
        QCOMPARE(Fake::report(again), (QVariantMap{{QStringLiteral("visible"), true}}));
        QCOMPARE(Device::windows("list"), QList<QQuickWindow *>{list});
        // The first answer was lost, which the program can't know.
        const QDBusPendingCall third = fake.present("list", 7);
        QTRY_VERIFY(third.isFinished());
        QCOMPARE(Fake::report(third), (QVariantMap{{QStringLiteral("visible"), true}}));
    }

    // What follows from a call is in its answer.
    void answersWithANewTitle()
    {
        Device device;
        Fake fake;
        QObject *presenter = device.load(R"(Presenter { name: "org.example.Shop"
            property Component list: ScreenWindow { title: "List " + style; backStep: "clear" } })");
        QTRY_VERIFY(presenter->property("nameOwned").toBool());
        fake.steps.insert(QStringLiteral("clear"), {{QStringLiteral("why"), QStringLiteral("s?")}});
        fake.steps.insert(QStringLiteral("needy"), {{QStringLiteral("why"), QStringLiteral("s")}});
        const QDBusPendingCall first = fake.present("list", 7);
        QTRY_VERIFY(first.isFinished());
        QCOMPARE(Fake::report(first).value(QStringLiteral("title")).toString(), QStringLiteral("List "));
        // Whether the step can be taken is not known yet.
        QTRY_COMPARE(fake.made(), QStringLiteral("SetBackStep"));
        device.settled(Device::window("list"), QStringLiteral("emit('clear')"));
        fake.calls.clear();
        const auto update = [&](const char *style) {
            const QDBusPendingCall call = fake.present("list", 7, {{QStringLiteral("reason"), QStringLiteral("update")},
                                                                   {QStringLiteral("style"), QString(QLatin1String(style))}});
            return Fake::report(call);
        };
        const QString title = QStringLiteral("title");
        QCOMPARE(update("sheet"), (QVariantMap{{title, QStringLiteral("List sheet")}}));
        QCOMPARE(update("sheet"), QVariantMap());
        const QDBusPendingCall lost = fake.present("list", 7, {{QStringLiteral("reason"), QStringLiteral("recover")}});
        QCOMPARE(Fake::report(lost), (QVariantMap{{title, QStringLiteral("List ")}, {QStringLiteral("visible"), true},
                                                  {QStringLiteral("backStep"), QStringLiteral("clear")}}));
        QCOMPARE(fake.made(), QString());
        device.evaluate(Device::window("list"), QStringLiteral("setBackStep('needy')"));
        QTRY_COMPARE(fake.made(), QStringLiteral("SetBackStep"));
    }

    // Only who wants to know is told, and needs to ask nothing.
    void followsItsSight()
    {
        Device device;
        Fake fake;
        QObject *presenter = device.load(R"(Presenter { name: "org.example.Shop"; property var seen: []
            property Component list: ScreenWindow { onInSightChanged: seen.push(inSight) }
            property Component detail: ScreenWindow {} })");
        QTRY_VERIFY(presenter->property("nameOwned").toBool());
        const QDBusPendingCall presented = fake.present("list", 7);
        QTRY_VERIFY(presented.isFinished());
        QCOMPARE(Fake::report(presented), (QVariantMap{{QStringLiteral("visible"), true}, {QStringLiteral("tellSight"), true}}));
        const QString path = QStringLiteral("/org/flowbus/Navigation1/tree/main/list");
        device.evaluate(presenter, QStringLiteral("seen = []"));
        fake.sendSignal(path, "org.flowbus.Navigation1.Presentable", "SightChanged", {false});
        fake.sendSignal(path, "org.flowbus.Navigation1.Presentable", "SightChanged", {true});
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("seen.join()")).toString(), QStringLiteral("false,true"));
        QCOMPARE(fake.reads, 0);
        // Who asks later reads it.
        const QDBusPendingCall other = fake.present("detail", 8);
        QTRY_VERIFY(other.isFinished());
        QCOMPARE(Fake::report(other), (QVariantMap{{QStringLiteral("visible"), true}}));
        fake.properties.insert(QStringLiteral("InSight"), false);
        fake.properties.insert(QStringLiteral("Visible"), true);
        QQuickWindow *detail = Device::window("detail");
        QTRY_VERIFY(!detail->property("inSight").toBool());
        QCOMPARE(fake.reads, 1);
    }

    // The first step of a process waits until the declared steps are read, and what ends or hides its screen comes after it.
    void closesAfterSteps() { endAfterSteps("close()", "Dismiss"); }
    void dismissesAfterSteps() { endAfterSteps("dismiss()", "Dismiss"); }
    void givesUpAfterSteps() { endAfterSteps("dismissWithError('com.example.Error.Empty')", "DismissWithOptions"); }
    void finishesAfterSteps() { endAfterSteps("finish()", "Finish"); }
    void releasesAfterSteps() { endAfterSteps("release()", "Release"); }
    void hidesAfterSteps() { endAfterSteps("hide()", "SetVisible"); }
    void goesBackAfterSteps() { endAfterSteps("back()", "BackWithOptions"); }

    // A key is input, though it leads to no step. Where nobody may say so, nobody is told each second that it failed.
    void saysThatThereIsInput()
    {
        SHOWN_LIST;
        QSignalSpy failed(list, SIGNAL(callFailed(QString,QString,QString)));
        fake.errors[QStringLiteral("Touch")] = QStringLiteral("org.flowbus.Navigation1.Error.AccessDenied");
        fake.held << QStringLiteral("Touch");
        QTest::mouseMove(list, {50, 50});
        QTest::keyClick(list, Qt::Key_A);
        QTest::mouseClick(list, Qt::LeftButton, {}, {60, 60});
        QTRY_COMPARE(fake.made(), QStringLiteral("Touch"));
        QCOMPARE(fake.calls.last().path(), instancePath);
        fake.release("Touch");
        device.evaluate(list, QStringLiteral("setBackStep('x')"));
        QTRY_COMPARE(fake.made(), QStringLiteral("Touch SetBackStep"));
        QCOMPARE(failed.count(), 0);
    }

    // A step that the definitions have since a Reload during the reading keeps its arguments.
    void readsStepsThatChangeMeanwhile()
    {
        SHOWN_LIST;
        fake.held << QStringLiteral("GetSteps");
        const QJSValue emission = device.begin(list, QStringLiteral("emit('ok', { item: 7 })"));
        QTRY_COMPARE(fake.count("GetSteps"), 1);
        fake.sendSignal(QStringLiteral("/org/flowbus/Navigation1"), "org.flowbus.Navigation1.Coordinator", "DefinitionsChanged", {});
        fake.release("GetSteps");
        fake.steps.insert(QStringLiteral("ok"), {{QStringLiteral("item"), QStringLiteral("x")}});
        QVERIFY(!device.wait(emission).contains(QStringLiteral("name")));
        QCOMPARE(fake.made(), QStringLiteral("GetSteps GetSteps EmitStepWithOptions"));
        QCOMPARE(qdbus_cast<QVariantMap>(fake.calls.last().arguments().value(1)), (QVariantMap{{QStringLiteral("item"), qlonglong(7)}}));
    }

    // An answer that could not be saved is not acknowledged: the next process would have neither.
    void acknowledgesOnlyWhatIsSaved()
    {
        SHOWN_LIST;
        fake.errors[QStringLiteral("SaveState")] = QStringLiteral("org.flowbus.Navigation1.Error.LimitExceeded");
        QSignalSpy failed(list, SIGNAL(callFailed(QString,QString,QString)));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("SaveState failed: ")));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("AcknowledgeAnswer failed: ")));
        device.evaluate(list, QStringLiteral("saveState({ big: 1 }); acknowledge('tap')"));
        QTRY_COMPARE(failed.count(), 2);
        QCOMPARE(failed.last().first().toString(), QStringLiteral("AcknowledgeAnswer"));
        // Nor later, when the call that failed is over.
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("AcknowledgeAnswer failed: ")));
        device.evaluate(list, QStringLiteral("acknowledge('tap')"));
        QTRY_COMPARE(failed.count(), 3);
        QCOMPARE(fake.count("AcknowledgeAnswer"), 0);
        fake.errors.clear();
        device.evaluate(list, QStringLiteral("saveState({ small: 1 }); acknowledge('tap')"));
        QTRY_COMPARE(fake.count("AcknowledgeAnswer"), 1);
    }

    // flowbusd has lost the answer to Present, and takes nothing from this program until it has called that once more.
    void sendsAgainWhatWasNotTheOwners()
    {
        SHOWN_LIST;
        for (const char *member : {"SetTitle", "SaveState", "SetBackStep", "AcknowledgeAnswer"})
            fake.errors[QLatin1String(member)] = QStringLiteral("org.flowbus.Navigation1.Error.NotOwner");
        device.evaluate(list, QStringLiteral("title = 'Later'; backStep = 'ok'"));
        const QJSValue saving = device.begin(list, QStringLiteral("saveState({ typed: 1 })"));
        QTRY_COMPARE(fake.calls.size(), 3);
        fake.errors.clear();
        fake.calls.clear();
        const QDBusPendingCall again = fake.present("list", 7, {{QStringLiteral("reason"), QStringLiteral("recover")}});
        QVERIFY(!device.wait(saving).contains(QStringLiteral("name")));
        QTRY_COMPARE(fake.count("SetBackStep"), 1);
        QTRY_COMPARE(fake.count("SetTitle"), 1);
        QTRY_VERIFY(again.isFinished());
        QCOMPARE(Fake::report(again), (QVariantMap{{QStringLiteral("visible"), true}}));
        QCOMPARE(list->property("state").toMap(), (QVariantMap{{QStringLiteral("typed"), 1}}));
        QCOMPARE(Device::windows().size(), 1);
    }

    // A promise that waits for this is settled when the screen goes.
    void endsWhatWaitsForThePresenter()
    {
        SHOWN_LIST;
        fake.errors[QStringLiteral("SaveState")] = QStringLiteral("org.flowbus.Navigation1.Error.NotOwner");
        const QJSValue saving = device.begin(list, QStringLiteral("saveState({ typed: 1 })"));
        QTRY_COMPARE(fake.count("SaveState"), 1);
        fake.withdraw("list", 7, "replaced");
        QCOMPARE(device.wait(saving).value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.NotOwner"));
    }

    // flowbusd comes back with another value than the window has.
    void saysAgainThatItIsVisible()
    {
        SHOWN_LIST;
        fake.vanish();
        fake.properties.insert(QStringLiteral("Visible"), false);
        fake.appear();
        QTRY_COMPARE(fake.count("SetVisible"), 1);
        QCOMPARE(fake.calls.last().arguments().value(0).toBool(), true);
    }

    // A screen that goes before the answer: flowbusd answers the program that asked, which does not end before.
    void getsAnAnswerWithoutItsScreen()
    {
        SHOWN_LIST;
        presenter->setProperty("exitWhenIdle", true);
        QSignalSpy idle(presenter, SIGNAL(idle()));
        fake.steps.insert(QStringLiteral("pick"), {});
        const QJSValue asking = device.begin(list, QStringLiteral("ask('pick', {}, 'tap')"));
        QTRY_COMPARE(fake.count("EmitStepWithOptions"), 1);
        fake.withdraw("list", 7, "rule");
        QTRY_VERIFY(!list);
        // On the connection of the program: it would have given the name back before.
        QVERIFY(QDBusConnection::sessionBus().interface()->isServiceRegistered(QStringLiteral("org.example.Shop")));
        fake.sendSignal(instancePath, "org.flowbus.Navigation1.Stepper", "Answered",
                        {QStringLiteral("tap"), QStringLiteral("result"), QVariantMap{{QStringLiteral("contact"), 5}}});
        QTRY_VERIFY(asking.property(QStringLiteral("isSettled")).toBool());
        QCOMPARE(asking.property(QStringLiteral("value")).property(QStringLiteral("outcome")).toString(), QStringLiteral("result"));
        QTRY_COMPARE(idle.count(), 1);
    }

    void rejectsAskWhenItsScreenIsTakenAway()
    {
        SHOWN_LIST;
        fake.steps.insert(QStringLiteral("pick"), {});
        const QJSValue asking = device.begin(list, QStringLiteral("ask('pick')"));
        QTRY_COMPARE(fake.count("EmitStepWithOptions"), 1);
        fake.withdraw("list", 7, "ownerHangs");
        QVERIFY(device.wait(asking).value(QStringLiteral("message")).toString().startsWith(QLatin1String("the screen was taken from this program")));
    }

    // The user has closed the window, and flowbusd does not take the Dismiss: the screen is hidden, and dismissed when flowbusd is
    // there anew.
    void hidesWhatItCanNotDismiss()
    {
        SHOWN_LIST;
        fake.errors[QStringLiteral("Dismiss")] = QStringLiteral("org.freedesktop.DBus.Error.Timeout.Test");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Dismiss failed: ")));
        list->close();
        QTRY_COMPARE(fake.made(), QStringLiteral("Dismiss SetVisible"));
        QCOMPARE(fake.calls.last().arguments().value(0).toBool(), false);
        QVERIFY(list);
        fake.vanish();
        fake.errors.clear();
        fake.appear();
        QTRY_COMPARE(fake.count("Dismiss"), 2);
        QTRY_VERIFY(!list);
    }

    void saysWhatFailed()
    {
        sayWhatFailed("dismissWithError('com.example.Error.Empty', 'nobody is listed')", QStringLiteral("nobody is listed"));
    }
    void saysWhatFailedWithoutAMessage() { sayWhatFailed("dismissWithError('com.example.Error.Empty')", {}); }
    void saysWhatFailedWithAnUndefinedMessage() { sayWhatFailed("dismissWithError('com.example.Error.Empty', undefined)", {}); }

    // The program has shown it again meanwhile.
    void dismissesNothingThatIsShownAgain()
    {
        SHOWN_LIST;
        fake.errors[QStringLiteral("Dismiss")] = QStringLiteral("org.freedesktop.DBus.Error.Timeout.Test");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Dismiss failed: ")));
        list->close();
        QTRY_COMPARE(fake.made(), QStringLiteral("Dismiss SetVisible"));
        list->show();
        QTRY_COMPARE(fake.count("SetVisible"), 2);
        fake.vanish();
        fake.appear();
        QTRY_COMPARE(presenter->property("count").toInt(), 1);
        device.settled(list, QStringLiteral("saveState({ a: 1 })"));
        QCOMPARE(fake.count("Dismiss"), 1);
    }

    // A presenter that shows nothing any more leaves the screens of the other one alone.
    void staysForAnotherPresenter()
    {
        Device device;
        Fake fake;
        QObject *shop = device.load(QByteArray("QtObject { property Presenter other: Presenter { name: 'org.example.Other'; exitWhenIdle: true\n"
                                               "property Component picker: ScreenWindow {} }\nproperty Presenter shop: ") + ::shop + "}");
        QObject *presenter = shop->property("shop").value<QObject *>();
        QObject *other = shop->property("other").value<QObject *>();
        QTRY_VERIFY(presenter->property("nameOwned").toBool() && other->property("nameOwned").toBool());
        QSignalSpy idle(other, SIGNAL(idle()));
        QSignalSpy owned(other, SIGNAL(nameOwnedChanged()));
        fake.present("list", 7);
        fake.present("picker", 8, {}, "org.example.Other");
        QPointer<QQuickWindow> picker = Device::window("picker");
        QVERIFY(picker && Device::window("list"));
        fake.withdraw("picker", 8, "rule", "org.example.Other");
        QTRY_VERIFY(!picker);
        // What the program says after the end of the window.
        device.settled(Device::window("list"), QStringLiteral("saveState({ a: 1 })"));
        QVERIFY(device.tester.interface()->isServiceRegistered(QStringLiteral("org.example.Other")));
        QCOMPARE(idle.count(), 0);
        fake.withdraw("list", 7, "rule");
        QTRY_COMPARE(idle.count(), 1);
        QCOMPARE(owned.count(), 1);
        QVERIFY(!device.tester.interface()->isServiceRegistered(QStringLiteral("org.example.Other")));
        QVERIFY(!device.tester.interface()->isServiceRegistered(QStringLiteral("org.example.Shop")));
    }

    // The program goes on without the presenter: flowbusd may not take it for the owner any longer.
    void releasesTheScreensOfADestroyedPresenter()
    {
        SHOWN_LIST;
        delete presenter;
        QVERIFY(!list);
        QTRY_COMPARE(fake.made(), QStringLiteral("SetVisible Release"));
        QCOMPARE(fake.calls.first().arguments().value(0).toBool(), false);
        QCOMPARE(fake.calls.last().path(), instancePath);
    }
};

FLOWBUS_TEST_MAIN(CallTests)
#include "test-calls.moc"
