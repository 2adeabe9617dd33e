// SPDX-License-Identifier: Apache-2.0
//
// For how long calls are repeated, with shorter limits.
#include "bus.h"
#include "fake.h"
#include "names.h"

#include <QtCore/QFile>

using namespace FlowBus;
using namespace std::chrono_literals;

class RepeatTests : public QObject
{
    Q_OBJECT

    // Emits a step on a screen, and writes down the verdict, or the name of the error.
    static void emitStep(QString &outcome, const QString &token)
    {
        Bus *bus = Bus::of(Bus::Kind::Session);
        const QVariantMap options{{QStringLiteral("token"), token}};
        bus->emitStep(instancePath(7), QStringLiteral("EmitStepWithOptions"), {QStringLiteral("ok"), QVariantMap(), options}, token, bus,
                      [&outcome](const Reply &reply) { outcome = reply.failed() ? reply.errorName : reply.values.value(1).toString(); });
    }

private Q_SLOTS:
    // A start of flowbusd takes so long that the token may be forgotten when the call reaches it.
    void startsNothingWithAnOldCall()
    {
        Bus::limits = {20s, 0ms};
        Device device;
        const QString folder = qEnvironmentVariable("FLOWBUS_TEST_FOLDER");
        QFile file(folder + QStringLiteral("/services/flowbus.service"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QStringLiteral("[D-BUS Service]\nName=%1\nExec=/usr/bin/touch %2/started\n").arg(service, folder).toUtf8());
        file.close();
        Fake fake;
        device.callService(QStringLiteral("org.freedesktop.DBus"), QStringLiteral("/org/freedesktop/DBus"), "org.freedesktop.DBus", "ReloadConfig");
        fake.held << QStringLiteral("EmitStepWithOptions");
        QString outcome;
        emitStep(outcome, QStringLiteral("one"));
        QTRY_COMPARE(fake.count("EmitStepWithOptions"), 1);
        fake.vanish();
        // The bus answers in the order of the calls: what the program repeats for the lost answer comes before this.
        for (int barrier = 0; barrier < 3; ++barrier) {
            QCoreApplication::processEvents();
            Bus::of(Bus::Kind::Session)->connection().call(QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.DBus"),
                QStringLiteral("/org/freedesktop/DBus"), QStringLiteral("org.freedesktop.DBus.Peer"), QStringLiteral("Ping")));
        }
        QVERIFY(!QFile::exists(folder + QStringLiteral("/started")));
        fake.held.clear();
        fake.appear();
        QTRY_COMPARE(outcome, QStringLiteral("navigated"));
        QCOMPARE(fake.count("EmitStepWithOptions"), 2);
        QVERIFY(!QFile::exists(folder + QStringLiteral("/started")));
    }

    // The token of a pending step may be forgotten: then nobody can say what became of it, and the program is told so.
    void givesUpAnOldPendingStep()
    {
        Bus::limits = {0ms, 0ms};
        Device device;
        Fake fake;
        fake.answers[QStringLiteral("EmitStepWithOptions")] = [](const QDBusMessage &message) {
            return message.createReply({qulonglong(0), QStringLiteral("pending")});
        };
        QString outcome;
        emitStep(outcome, QStringLiteral("one"));
        QTRY_COMPARE(fake.count("EmitStepWithOptions"), 1);
        // A call that comes after the answer.
        QDBusMessage ping = QDBusMessage::createMethodCall(service, rootPath, QStringLiteral("x.y"), QStringLiteral("Ping"));
        QDBusPendingCall barrier = Bus::of(Bus::Kind::Session)->connection().asyncCall(ping);
        QTRY_VERIFY(barrier.isFinished());
        QCOMPARE(outcome, QString());
        fake.vanish();
        QTRY_COMPARE(outcome, QStringLiteral("pending"));
        QCOMPARE(Bus::of(Bus::Kind::Session)->callsUnderWay(), 0);
    }

    // A pending step is asked for again, also if flowbusd does not come back in time.
    void asksForAPendingStepAgain()
    {
        Bus::limits = {20s, 10s};
        Device device;
        Fake fake;
        fake.answers[QStringLiteral("EmitStepWithOptions")] = [](const QDBusMessage &message) {
            return message.createReply({qulonglong(0), QStringLiteral("pending")});
        };
        QString outcome;
        emitStep(outcome, QStringLiteral("one"));
        QTRY_COMPARE(fake.count("EmitStepWithOptions"), 1);
        QDBusMessage ping = QDBusMessage::createMethodCall(service, rootPath, QStringLiteral("x.y"), QStringLiteral("Ping"));
        QDBusPendingCall barrier = Bus::of(Bus::Kind::Session)->connection().asyncCall(ping);
        QTRY_VERIFY(barrier.isFinished());
        fake.vanish();
        fake.answers.clear();
        fake.appear();
        QTRY_COMPARE(outcome, QStringLiteral("navigated"));
        QCOMPARE(fake.count("EmitStepWithOptions"), 2);
    }
};

FLOWBUS_TEST_MAIN(RepeatTests)
#include "test-repeat.moc"
