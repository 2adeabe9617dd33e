// SPDX-License-Identifier: Apache-2.0
//
// Programs that the bus starts, and that end: by themselves, by a signal, while they sleep.
#include "device.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtDBus/QDBusConnectionInterface>
#include <QtDBus/QDBusObjectPath>
#include <QtDBus/QDBusPendingCall>
#include <QtDBus/QDBusReply>

#include <csignal>
#include <unistd.h>

static const QByteArray definitions = R"(
[steps]
start = {}
askedFor = {}
opened = {}
cleared = {}
[screens]
list   = { presenter = "org.example.Form", whenOwnerGone = "present", watchdog = "300ms" }
picker = { presenter = "org.example.Picker", result = { contact = "int64" }, whenOwnerGone = "present" }
[flows.main]
initial = "start"
children = "stack"
[flows.main.on]
start = { screen = "list" }
askedFor = { screen = "picker" }
opened = { screen = "list" }
cleared = { pop = "root" }
)";

// Counts its processes in its state, asks, and saves the answer before it acknowledges that.
static const QByteArray form = R"(
Presenter {
    name: "org.example.Form"
    property Component list: ScreenWindow { id: it
        property var own
        Component.onCompleted: { own = { processes: (it.state.processes ?? 0) + 1, contact: it.state.contact ?? 0 }; it.title = "process " + own.processes + " contact " + own.contact; saveState(own) }
        onAnswered: answer => take(answer)
        onVisibleChanged: if (visible && own.processes === 1) Qt.callLater(() => ask("askedFor").then(take))
        function take(answer) {
            own.contact = answer.result.contact; it.title = "contact " + own.contact
            saveState(own); answer.acknowledge()
        }
    }
}
)";

static const QByteArray picker = R"(
Presenter {
    name: "org.example.Picker"
    exitWhenIdle: true
    property Component picker: ScreenWindow { id: it
        Component.onCompleted: { if (it.state.isSecond) finish({ contact: 7 }); else saveState({ isSecond: true }) } }
}
)";

class ProcessTests : public QObject
{
    Q_OBJECT

    // A program that the bus can start: its file of QML, run by flowbus-qml.
    static void install(Device &device, const char *name, const QByteArray &text)
    {
        const QString folder = qEnvironmentVariable("FLOWBUS_TEST_FOLDER") + QLatin1Char('/');
        const QString service = QStringLiteral("org.example.") + QLatin1String(name);
        const QString file = folder + QLatin1String(name) + QStringLiteral(".qml");
        const auto write = [](const QString &path, const QString &content) {
            QFile out(path);
            if (!out.open(QIODevice::WriteOnly) || out.write(content.toUtf8()) < 0)
                qFatal("can't write '%s'", qUtf8Printable(path));
        };
        write(file, QStringLiteral("import QtQuick\nimport FlowBus\n") + QString::fromUtf8(text));
        write(folder + QStringLiteral("services/") + service + QStringLiteral(".service"),
              QStringLiteral("[D-BUS Service]\nName=%1\nExec=%2 -I %3 %4\n")
                  .arg(service, QStringLiteral(FLOWBUS_QML_PROGRAM), QStringLiteral(FLOWBUS_QML_IMPORTS), file));
        device.callService(QStringLiteral("org.freedesktop.DBus"), QStringLiteral("/org/freedesktop/DBus"), "org.freedesktop.DBus", "ReloadConfig");
    }

    static pid_t process(Device &device, const char *name)
    {
        const QDBusReply<uint> reply = device.tester.interface()->servicePid(QStringLiteral("org.example.") + QLatin1String(name));
        return reply.isValid() ? pid_t(reply.value()) : 0;
    }

    // Only who has answered flowbusd is known to hang. It asks an owner at once, and is answered first.
    static void awaitAlive(Device &device)
    {
        QTRY_VERIFY_WITH_TIMEOUT(device.property("main/list", "Presented").toBool(), 20000);
        QTRY_VERIFY(!device.property("main/list", "Owner").toString().isEmpty());
        QCOMPARE(device.callService(QStringLiteral("org.example.Form"), QStringLiteral("/org/example/Form"), "org.flowbus.Navigation1.Presenter", "Alive").type(),
                 QDBusMessage::ReplyMessage);
    }

    static QString title(Device &device)
    {
        return device.property("main/list", "Title").toString();
    }

private Q_SLOTS:
    // The form is killed while the picker is open, then flowbusd; the picker answers, and the next process of the form has the answer.
    void takesAnAnswerAfterItWasKilled()
    {
        Device device(definitions);
        device.letBusStartFlowbusd();
        install(device, "Form", form);
        install(device, "Picker", picker);
        device.coordinate("main");
        QTRY_VERIFY_WITH_TIMEOUT(device.property("main/picker", "Presented").toBool(), 20000);
        QCOMPARE(title(device), QStringLiteral("process 1 contact 0"));
        kill(process(device, "Form"), SIGKILL);
        QTRY_VERIFY(device.property("main/list", "Owner").toString().isEmpty());
        QVERIFY(!device.property("main/picker", "Owner").toString().isEmpty());
        device.killFlowbusd();
        const pid_t pickers = process(device, "Picker");
        kill(pickers, SIGKILL);
        // The next process of the picker answers at once.
        QTRY_COMPARE_WITH_TIMEOUT(title(device), QStringLiteral("contact 7"), 20000);
        QTRY_COMPARE(device.property("main/list", "Asks").toULongLong(), 0ULL);
        QTRY_COMPARE_WITH_TIMEOUT(process(device, "Picker"), 0, 20000);
    }

    // Alive comes from the thread of the main loop: it finds a program that sleeps, and the next process has the state.
    void isFoundAsleep()
    {
        Device device(definitions);
        install(device, "Form", QByteArray(form).replace("own.processes === 1", "false"));
        device.coordinate("main");
        awaitAlive(device);
        const pid_t first = process(device, "Form");
        kill(first, SIGSTOP);
        QTRY_VERIFY_WITH_TIMEOUT(device.property("main/list", "Owner").toString().isEmpty(), 20000);
        kill(first, SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(title(device), QStringLiteral("process 2 contact 0"), 20000);
        QTRY_VERIFY(device.property("main/list", "Presented").toBool());
    }

    // Only its main loop sleeps: the thread of Qt's D-Bus goes on, and may not answer.
    void isFoundWithASleepingMainLoop()
    {
        Device device(QByteArray(definitions).replace("opened = { screen = \"list\" }", "opened = { screen = \"list\", reuse = true }"));
        install(device, "Form", QByteArray(form).replace("own.processes === 1", "false").replace("onAnswered:",
            "onUpdated: { const until = Date.now() + 60000; while (Date.now() < until); }\n onAnswered:"));
        device.coordinate("main");
        awaitAlive(device);
        const pid_t first = process(device, "Form");
        device.emitStep("main", "opened");
        QTRY_VERIFY_WITH_TIMEOUT(device.property("main/list", "Owner").toString().isEmpty(), 20000);
        // D-Bus's own Ping is answered all the same, so that does not show it.
        QCOMPARE(device.callService(QStringLiteral("org.example.Form"), QStringLiteral("/org/example/Form"), "org.freedesktop.DBus.Peer", "Ping").type(),
                 QDBusMessage::ReplyMessage);
        kill(first, SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(title(device), QStringLiteral("process 2 contact 0"), 20000);
    }

    // It ends when it shows nothing, and a call that comes at that moment is not lost.
    void endsWhenItIsIdle()
    {
        Device device(definitions);
        install(device, "Form", QByteArray(form).replace("own.processes === 1", "false").replace("name: \"org.example.Form\"", "name: \"org.example.Form\"; exitWhenIdle: true"));
        for (int round = 0; round < 20; ++round) {
            device.coordinate("main");
            QTRY_VERIFY_WITH_TIMEOUT(device.property("main/list", "Presented").toBool(), 20000);
            device.call(QStringLiteral("/org/flowbus/Navigation1/tree/main"), "org.flowbus.Navigation1.Presentable", "Dismiss");
            if (round % 2)
                QTRY_COMPARE_WITH_TIMEOUT(process(device, "Form"), 0, 20000);
        }
    }

    // Without a bus nobody can reach it.
    void endsWithItsBus()
    {
        QProcess bus;
        bus.start(QStringLiteral("dbus-daemon"), {QStringLiteral("--nofork"), QStringLiteral("--print-address"), QStringLiteral("--session")});
        QVERIFY(bus.waitForReadyRead());
        const QString address = QString::fromLatin1(bus.readLine().trimmed());
        QFile file(qEnvironmentVariable("FLOWBUS_TEST_FOLDER") + QStringLiteral("/it.qml"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import FlowBus\nPresenter { name: 'org.example.It'; onAcquiredName: console.warn('ready') }");
        file.close();
        QProcess program;
        program.setProcessChannelMode(QProcess::MergedChannels);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), address);
        program.setProcessEnvironment(environment);
        const QStringList arguments{QStringLiteral("-I"), QStringLiteral(FLOWBUS_QML_IMPORTS), file.fileName()};
        program.start(QStringLiteral(FLOWBUS_QML_PROGRAM), arguments);
        QByteArray said;
        while (!said.contains("ready") && program.waitForReadyRead(20000))
            said += program.readAll();
        bus.kill();
        QVERIFY(program.waitForFinished(20000));
        said += program.readAll();
        QVERIFY2(said.contains("flowbus: the connection to the bus is lost"), said.constData());
        QCOMPARE(program.exitCode(), 1);
        program.start(QStringLiteral(FLOWBUS_QML_PROGRAM), arguments);
        QVERIFY(program.waitForFinished(20000));
        QVERIFY(program.readAll().contains("flowbus: there is no session bus: "));
        QCOMPARE(program.exitCode(), 1);
        bus.waitForFinished();
    }

    // A guard that asks somebody keeps its program from ending.
    void endsWhenTheGuardHasAnswered()
    {
        Device device(QByteArray(definitions).replace("[flows.main]\n", "[flows.main]\nguard = { name = \"org.example.Form\", steps = [\"opened\"] }\n"));
        install(device, "Form", QByteArray(form).replace("own.processes === 1", "false").replace("name: \"org.example.Form\"",
            "name: \"org.example.Form\"; exitWhenIdle: true; property var kept\n"
            "Guard { name: \"org.example.Form\"; onAdapt: q => { q.hold(); kept = q; answer.start() } }\n"
            "property Timer answer: Timer { interval: 1000; onTriggered: kept.reject() }"));
        device.coordinate("main");
        QTRY_VERIFY_WITH_TIMEOUT(device.property("main/list", "Presented").toBool(), 20000);
        QDBusMessage message = QDBusMessage::createMethodCall(QStringLiteral("org.flowbus.Navigation1"), QStringLiteral("/org/flowbus/Navigation1/tree/main"),
                                                              QStringLiteral("org.flowbus.Navigation1.Stepper"), QStringLiteral("EmitStep"));
        message.setArguments({QStringLiteral("opened"), QVariantMap()});
        const QDBusPendingCall call = device.tester.asyncCall(message);
        device.call(QStringLiteral("/org/flowbus/Navigation1/tree/main/list"), "org.freedesktop.DBus.Peer", "Ping");
        device.callService(QStringLiteral("org.example.Form"), QStringLiteral("/org/example/Form"), "org.flowbus.Navigation1.Presenter", "Withdraw",
                           {QVariant::fromValue(QDBusObjectPath(QStringLiteral("/x"))), device.property("main/list", "Instance"), QStringLiteral("rule")});
        QTRY_VERIFY_WITH_TIMEOUT(call.isFinished(), 20000);
        QCOMPARE(call.reply().arguments().value(1).toString(), QStringLiteral("rejected"));
        QTRY_COMPARE_WITH_TIMEOUT(process(device, "Form"), 0, 20000);
    }

    void saysWhatIsWrong()
    {
        const auto run = [](const QStringList &arguments) {
            QProcess program;
            program.setProcessChannelMode(QProcess::MergedChannels);
            program.start(QStringLiteral(FLOWBUS_QML_PROGRAM), arguments);
            program.waitForFinished();
            return QString::number(program.exitCode()) + QLatin1Char(' ') + QString::fromUtf8(program.readAll()).trimmed();
        };
        QCOMPARE(run({}), QStringLiteral("64 flowbus-qml: one file of QML is needed, not 0"));
        QCOMPARE(run({QStringLiteral("/no/such.qml")}), QStringLiteral("66 flowbus-qml: there is no file '/no/such.qml'"));
        QVERIFY(run({QStringLiteral("--help")}).startsWith(QLatin1String("0 Usage: ")));
    }
};

FLOWBUS_TEST_MAIN(ProcessTests)
#include "test-process.moc"
