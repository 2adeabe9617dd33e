// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <QtCore/QRegularExpression>
#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusPendingCall>

static const QByteArray definitions = R"(
[steps]
start = {}
checked = { amount = "int64", tags = "as?" }
other = { amount = "uint32" }
wasChecked = { amount = "int64" }
[flows.main]
initial = "start"
whenEmpty = "stay"
guard = { name = "org.example.Guard", steps = ["checked"] }
[flows.main.on]
start = { none = true }
checked = { none = true }
other = { none = true }
)";

static QByteArray guard(const char *handler)
{
    return QByteArray("Guard { name: 'org.example.Guard'; property var last; property var kept\n") + handler + " }";
}

class GuardTests : public QObject
{
    Q_OBJECT

    static QDBusMessage check(Device &device)
    {
        return device.emitStep("main", "checked", {{QStringLiteral("amount"), 5}, {QStringLiteral("tags"), QStringList{QStringLiteral("a")}}});
    }

    static QString last(Device &device)
    {
        const QDBusMessage reply = device.call(QStringLiteral("/org/flowbus/Navigation1/tree/main"), "org.flowbus.Navigation1.Flow",
                                               "GetLastNavigation");
        const QVariantMap values = qdbus_cast<QVariantMap>(reply.arguments().value(2));
        return reply.arguments().value(1).toString() + QLatin1Char(' ') + values.value(QStringLiteral("amount")).toString() + QLatin1Char(' ')
            + values.value(QStringLiteral("tags")).toStringList().join(QLatin1Char(','));
    }

private Q_SLOTS:
    void letsPass()
    {
        Device device(definitions);
        QObject *it = device.run(guard("onAdapt: q => { last = [q.step, q.flow, q.presentable, q.sender, q.cause, q.interactive, q.arguments.amount, q.answered, q.instance > 0]; q.accept() }"));
        const QDBusMessage reply = check(device);
        QCOMPARE(reply.arguments().value(1).toString(), QStringLiteral("navigated"));
        QCOMPARE(last(device), QStringLiteral("checked 5 a"));
        QCOMPARE(device.evaluate(it, QStringLiteral("JSON.stringify(last)")).toString(),
                 QStringLiteral(R"(["checked","/org/flowbus/Navigation1/tree/main","/org/flowbus/Navigation1/tree/main","%1",0,false,5,false,true])")
                     .arg(device.tester.baseService()));
    }

    void replaces()
    {
        Device device(definitions);
        device.run(guard("onAdapt: q => q.replace('other', { amount: q.arguments.amount + 1 })"));
        QCOMPARE(check(device).arguments().value(1).toString(), QStringLiteral("navigated"));
        QCOMPARE(last(device), QStringLiteral("other 6 "));
    }

    void replacesWithErrors()
    {
        Device device(definitions);
        QObject *it = device.run(guard("property string step: 'othr'; onAdapt: q => q.replace(step, { amount: -1 })"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the guard replaces 'checked', but no definition declares the step 'othr'")));
        QDBusMessage reply = check(device);
        QCOMPARE(reply.errorName(), QStringLiteral("org.flowbus.Navigation1.Error.GuardFailed"));
        it->setProperty("step", QStringLiteral("other"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("step 'other': argument 'amount' needs uint32, not '-1'")));
        reply = check(device);
        QVERIFY2(reply.errorMessage().contains(QLatin1String("needs uint32")), qUtf8Printable(reply.errorMessage()));
    }

    void rejects()
    {
        Device device(definitions);
        device.run(guard("onAdapt: q => q.reject('no')"));
        QCOMPARE(check(device).arguments().value(1).toString(), QStringLiteral("rejected"));
    }

    void answersLater()
    {
        Device device(definitions);
        QObject *it = device.run(guard("onAdapt: q => { q.hold(); kept = q }"));
        QDBusMessage message = QDBusMessage::createMethodCall(QStringLiteral("org.flowbus.Navigation1"), QStringLiteral("/org/flowbus/Navigation1/tree/main"),
                                                              QStringLiteral("org.flowbus.Navigation1.Stepper"), QStringLiteral("EmitStep"));
        message.setArguments({QStringLiteral("checked"), QVariantMap{{QStringLiteral("amount"), 5}}});
        QDBusPendingCall call = device.tester.asyncCall(message);
        QTRY_VERIFY(device.evaluate(it, QStringLiteral("!!kept")).toBool());
        device.engine.collectGarbage();
        QVERIFY(!call.isFinished());
        device.evaluate(it, QStringLiteral("kept.accept()"));
        QTRY_VERIFY(call.isFinished());
        QCOMPARE(call.reply().arguments().value(1).toString(), QStringLiteral("navigated"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the question is answered already")));
        device.evaluate(it, QStringLiteral("kept.reject()"));
    }

    // A guard that is broken lets nothing pass, and flowbusd need not wait for its timeout.
    void failsWithoutAnAnswer()
    {
        Device device(definitions);
        QObject *it = device.run(guard("property bool isBroken: false; onAdapt: q => { if (isBroken) throw new Error('broken') }"));
        QDBusMessage reply = check(device);
        QCOMPARE(reply.errorName(), QStringLiteral("org.flowbus.Navigation1.Error.GuardFailed"));
        QVERIFY2(reply.errorMessage().contains(QLatin1String("has not answered about the step 'checked'")), qUtf8Printable(reply.errorMessage()));
        it->setProperty("isBroken", true);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("broken")));
        QCOMPARE(check(device).errorName(), QStringLiteral("org.flowbus.Navigation1.Error.GuardFailed"));
    }

    void failsWithoutAHandler()
    {
        Device device(definitions);
        device.run(guard(""));
        const QDBusMessage reply = check(device);
        QVERIFY2(reply.errorMessage().contains(QLatin1String("the guard has no handler onAdapt")), qUtf8Printable(reply.errorMessage()));
    }

    // A question that was held and then forgotten fails when it is collected.
    void failsWhenItIsDropped()
    {
        Device device(definitions);
        QObject *it = device.run(guard("onAdapt: q => { q.hold(); kept = q }"));
        QDBusMessage message = QDBusMessage::createMethodCall(QStringLiteral("org.flowbus.Navigation1"), QStringLiteral("/org/flowbus/Navigation1/tree/main"),
                                                              QStringLiteral("org.flowbus.Navigation1.Stepper"), QStringLiteral("EmitStep"));
        message.setArguments({QStringLiteral("checked"), QVariantMap{{QStringLiteral("amount"), 5}}});
        QDBusPendingCall call = device.tester.asyncCall(message);
        QTRY_VERIFY(device.evaluate(it, QStringLiteral("!!kept")).toBool());
        device.evaluate(it, QStringLiteral("kept = undefined"));
        device.engine.collectGarbage();
        QTRY_VERIFY(call.isFinished());
        QVERIFY2(call.reply().errorMessage().contains(QLatin1String("dropped")), qUtf8Printable(call.reply().errorMessage()));
    }

    void needsAName()
    {
        Device device(definitions);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("a Guard needs a name, such as")));
        device.load("Guard { }");
        device.load("Guard { name: 'org.example.A'; path: '/x' }");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("the object '/x' is another Guard's")));
        device.load("Guard { name: 'org.example.B'; path: '/x' }");
    }
};

FLOWBUS_TEST_MAIN(GuardTests)
#include "test-guard.moc"
