// SPDX-License-Identifier: Apache-2.0
//
// Programs that systemd's watchdog waits for. A socket of the test's own is the service manager.
#include "device.h"

#include <QtCore/QFile>

#include <cstddef>
#include <cstring>
#include <memory>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// A ping at the beginning, and one each hour: so what comes can be counted.
static const char hour[] = "7200000000";
static const char fast[] = "40000";

class Program
{
public:
    // Without a socket, it is told one in the folder of the test. The text of QML is beside what says that the program is idle.
    Program(const char *name, const QMap<QString, QString> &variables, const QByteArray &text = {})
    {
        const QString path = qEnvironmentVariable("FLOWBUS_TEST_FOLDER") + QLatin1Char('/') + QLatin1String(name);
        const QString variable = QStringLiteral("NOTIFY_SOCKET");
        QByteArray address = variables.value(variable, path).toUtf8();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(variable, QString::fromUtf8(address));
        for (auto it = variables.begin(); it != variables.end(); ++it)
            environment.insert(it.key(), it.value());
        if (!address.startsWith('@') || address.size() == 1)
            address = path.toUtf8();
        sockaddr_un bound = {};
        bound.sun_family = AF_UNIX;
        std::memcpy(bound.sun_path, address.constData(), size_t(address.size()));
        if (address.startsWith('@'))
            bound.sun_path[0] = '\0';
        unlink(qPrintable(path));
        const socklen_t size = socklen_t(offsetof(sockaddr_un, sun_path) + size_t(address.size()));
        if (bind(manager, reinterpret_cast<const sockaddr *>(&bound), size) != 0)
            qFatal("can't bind '%s': %s", address.constData(), std::strerror(errno));

        QFile file(path + QStringLiteral(".qml"));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("can't write '%s'", qUtf8Printable(file.fileName()));
        file.write("import QtQuick\nimport FlowBus\nPresenter { name: 'org.example." + QByteArray(name) + "'\n" + text
                   + "\nproperty Timer idle: Timer { interval: 50; running: true; onTriggered: console.warn('idle') } }");
        file.close();
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.setProcessEnvironment(environment);
        const QString sh = QStringLiteral("[ \"$WATCHDOG_PID\" != own ] || WATCHDOG_PID=$$; exec \"$@\"");
        process.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), sh, QStringLiteral("sh"), QStringLiteral(FLOWBUS_QML_PROGRAM),
                                                  QStringLiteral("-I"), QStringLiteral(FLOWBUS_QML_IMPORTS), file.fileName()});
    }

    ~Program()
    {
        process.kill();
        process.waitForFinished();
        close(manager);
    }

    // What it has said when it says this; the time only ends a test that fails.
    QByteArray readUntil(const char *wanted)
    {
        while (!said.contains(wanted) && process.waitForReadyRead(20000))
            said += process.readAll();
        if (!said.contains(wanted))
            qFatal("the program did not say '%s': %s", wanted, said.constData());
        return said;
    }

    bool receive(int milliseconds)
    {
        pollfd waiting{manager, POLLIN, 0};
        char text[64];
        if (poll(&waiting, 1, milliseconds) != 1)
            return false;
        const ssize_t size = recv(manager, text, sizeof text, 0);
        if (QByteArray(text, size) != "WATCHDOG=1")
            qFatal("'%s' is no ping", QByteArray(text, size).constData());
        return true;
    }

    // How many pings have come.
    int count()
    {
        int number = 0;
        while (receive(0))
            ++number;
        return number;
    }

private:
    int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    QProcess process;
    QByteArray said;
};

class WatchdogTests : public QObject
{
    Q_OBJECT

    static QMap<QString, QString> variables(const QString &time, const QString &process = {}, const QString &socket = {})
    {
        QMap<QString, QString> all;
        if (!time.isNull())
            all.insert(QStringLiteral("WATCHDOG_USEC"), time);
        if (!process.isNull())
            all.insert(QStringLiteral("WATCHDOG_PID"), process);
        if (!socket.isNull())
            all.insert(QStringLiteral("NOTIFY_SOCKET"), socket);
        return all;
    }

    // What it has said when it is idle, and how many pings came before.
    static QString begin(const QMap<QString, QString> &variables, const QByteArray &text = {})
    {
        Program program("It", variables, text);
        const QString said = QString::fromUtf8(program.readUntil("idle")).section(QLatin1Char('\n'), 0, -3);
        return QString::number(program.count()) + (said.isEmpty() ? QString() : QLatin1Char(' ') + said);
    }

private Q_SLOTS:
    void isAnswered()
    {
        const QString time = QLatin1String(hour);
        QCOMPARE(begin(variables(time)), QStringLiteral("1"));
        QCOMPARE(begin(variables(time, QStringLiteral("own"))), QStringLiteral("1"));
        QCOMPARE(begin(variables(time, {}, QStringLiteral("@flowbus-test-%1").arg(getpid()))), QStringLiteral("1"));
        // The longest time that there is.
        QCOMPARE(begin(variables(QStringLiteral("18446744073709551614"))), QStringLiteral("1"));
    }

    void isAnsweredOnceForTheProcess()
    {
        QCOMPARE(begin(variables(QLatin1String(hour)), "Guard { name: 'org.example.It' }\nFlowTree { path: 'main' }"), QStringLiteral("1"));
    }

    // It waits for nobody, or for another process.
    void isNotAnswered()
    {
        QCOMPARE(begin(variables({})), QStringLiteral("0"));
        QCOMPARE(begin(variables(QLatin1String(hour), QString::number(getpid()))), QStringLiteral("0"));
    }

    void saysWhatIsWrong()
    {
        const QString tail = QStringLiteral(": systemd's watchdog gets no answer");
        for (const char *time : {"", "0", "-1", "1.5", "4 s", "18446744073709551615", "18446744073709551616"})
            QCOMPARE(begin(variables(QLatin1String(time))),
                     QStringLiteral("0 flowbus: WATCHDOG_USEC is '%1', and no number of microseconds above 0").arg(QLatin1String(time)) + tail);
        for (const char *process : {"", "0", "-1", "me", "4294967296"})
            QCOMPARE(begin(variables(QLatin1String(hour), QLatin1String(process))),
                     QStringLiteral("0 flowbus: WATCHDOG_PID is '%1', and no number of a process").arg(QLatin1String(process)) + tail);
        for (const QString &socket : {QStringLiteral("notify"), QStringLiteral("/"), QStringLiteral("@"), QStringLiteral("vsock:2:1"),
                                      QStringLiteral("/").repeated(109)})
            QCOMPARE(begin(variables(QLatin1String(hour), {}, socket)),
                     QStringLiteral("0 flowbus: NOTIFY_SOCKET is '%1', and no path or abstract name of a socket").arg(socket) + tail);
        QCOMPARE(begin(variables(QLatin1String(hour), {}, QStringLiteral("/nonexistent/notify"))),
                 QStringLiteral("0 flowbus: systemd's watchdog gets no answer at '/nonexistent/notify': No such file or directory"));
    }

    // No ping comes from a main loop that hangs, in a time in which another program sends many.
    void isNotAnsweredWhileTheMainLoopHangs()
    {
        Program program("Form", variables(QLatin1String(fast)),
                        "property Timer hang: Timer { interval: 500; running: true; onTriggered: {"
                        " console.warn('hangs'); const until = Date.now() + 60000; while (Date.now() < until); } }");
        Program other("Other", variables(QLatin1String(fast)));
        QVERIFY(program.receive(20000));
        QVERIFY(program.receive(20000));
        program.readUntil("hangs");
        program.count();
        QVERIFY(other.receive(20000));
        other.count();
        for (int number = 0; number < 20; ++number)
            QVERIFY(other.receive(20000));
        QCOMPARE(program.count(), 0);
    }
};

FLOWBUS_TEST_MAIN(WatchdogTests)
#include "test-watchdog.moc"
