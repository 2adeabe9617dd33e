// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <QtCore/QDir>
#include <QtCore/QEventLoop>
#include <QtCore/QFile>
#include <QtCore/QMetaMethod>
#include <QtDBus/QDBusConnectionInterface>
#include <QtDBus/QDBusObjectPath>
#include <QtDBus/QDBusPendingCallWatcher>
#include <QtDBus/QDBusReply>
#include <QtDBus/QDBusVariant>
#include <QtGui/QGuiApplication>
#include <QtQml/QQmlContext>
#include <QtQml/QQmlExpression>

#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace {

const QString service = QStringLiteral("org.flowbus.Navigation1");
const QString tree = QStringLiteral("/org/flowbus/Navigation1/tree/");

void write(const QString &file, const QByteArray &text)
{
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size())
        qFatal("can't write '%s'", qUtf8Printable(file));
}

QString flowbusdProgram()
{
    const QString program = qEnvironmentVariable("FLOWBUSD");
    if (program.isEmpty() || !QFile::exists(program))
        qFatal("FLOWBUSD is '%s', which is no program; it has to be the flowbusd to test with", qUtf8Printable(program));
    return program;
}

// One test function, on a bus of its own. Returns whether it passed.
bool runFunction(const QString &program, const QString &function)
{
    QTemporaryDir folder;
    QDir(folder.path()).mkpath(QStringLiteral("services"));
    write(folder.filePath(QStringLiteral("bus.conf")),
          QStringLiteral("<busconfig><type>session</type><listen>unix:dir=%1</listen><servicedir>%1/services</servicedir>"
                         "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow own=\"*\"/>"
                         "<allow eavesdrop=\"true\"/></policy></busconfig>").arg(folder.path()).toUtf8());
    QProcess bus;
    bus.setStandardErrorFile(folder.filePath(QStringLiteral("bus.log")));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), folder.path());
    environment.insert(QStringLiteral("HOME"), folder.path());
    environment.insert(QStringLiteral("FLOWBUS_TEST_FOLDER"), folder.path());
    environment.insert(QStringLiteral("NO_AT_BRIDGE"), QStringLiteral("1"));
    bus.setProcessEnvironment(environment);
    bus.start(QStringLiteral("dbus-daemon"), {QStringLiteral("--nofork"), QStringLiteral("--print-address"),
                                              QStringLiteral("--config-file=") + folder.filePath(QStringLiteral("bus.conf"))});
    bus.waitForReadyRead();
    environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), QString::fromLatin1(bus.readLine().trimmed()));
    // The system bus of the test is the same one.
    environment.insert(QStringLiteral("DBUS_SYSTEM_BUS_ADDRESS"), environment.value(QStringLiteral("DBUS_SESSION_BUS_ADDRESS")));
    QProcess test;
    test.setProcessEnvironment(environment);
    test.setProcessChannelMode(QProcess::MergedChannels);
    test.start(program, {function});
    const bool hasEnded = test.waitForFinished(120000);
    const bool isFine = hasEnded && test.exitStatus() == QProcess::NormalExit && test.exitCode() == 0;
    const QByteArray output = test.readAll();
    std::printf("%s %s\n", isFine ? "ok  " : "FAIL", qUtf8Printable(function));
    if (!isFine || qEnvironmentVariableIsSet("FLOWBUS_TEST_VERBOSE"))
        std::printf("%s%s", output.constData(), hasEnded ? "" : "It has not ended within 120 s.\n");
    // What programs that the bus has started have said.
    QFile log(folder.filePath(QStringLiteral("bus.log")));
    if (!isFine && log.open(QIODevice::ReadOnly))
        std::printf("%s", log.readAll().constData());
    for (const QByteArray &line : output.split('\n')) {
        if (isFine && line.startsWith("SKIP"))
            std::printf("     %s\n", line.constData());
    }
    std::fflush(stdout);
    if (!hasEnded) {
        test.kill();
        test.waitForFinished();
    }
    bus.terminate();
    bus.waitForFinished();
    return isFine;
}

}

Device::Device(const QByteArray &definitions)
    : tester(QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("tester"))),
      folder(qEnvironmentVariable("FLOWBUS_TEST_FOLDER"))
{
    QDir(folder).mkpath(QStringLiteral("flows.d"));
    define(definitions);
    startFlowbusd();
    engine.addImportPath(QStringLiteral(FLOWBUS_QML_IMPORTS));
}

Device::Device()
    : tester(QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("tester"))),
      folder(qEnvironmentVariable("FLOWBUS_TEST_FOLDER"))
{
    engine.addImportPath(QStringLiteral(FLOWBUS_QML_IMPORTS));
}

Device::~Device()
{
    killFlowbusd();
}

void Device::define(const QByteArray &definitions)
{
    write(folder + QStringLiteral("/flows.d/test.toml"), "version = 1\n" + definitions);
}

void Device::startFlowbusd()
{
    flowbusd.setProcessChannelMode(QProcess::MergedChannels);
    flowbusd.start(flowbusdProgram(), {QStringLiteral("--session"), QStringLiteral("--flows"), folder + QStringLiteral("/flows.d"),
                                       QStringLiteral("--state"), QStringLiteral("none")});
    QByteArray output;
    while (!output.contains("Serving")) {
        if (!flowbusd.waitForReadyRead())
            qFatal("flowbusd does not serve: %s", output.constData());
        output += flowbusd.readAll();
    }
}

void Device::killFlowbusd()
{
    if (flowbusd.state() != QProcess::NotRunning) {
        flowbusd.kill();
        flowbusd.waitForFinished();
        return;
    }
    // The bus has started this one.
    const QDBusReply<uint> process = tester.interface()->servicePid(service);
    if (process.isValid() && pid_t(process.value()) != ::getpid())
        ::kill(pid_t(process.value()), SIGKILL);
}

void Device::letBusStartFlowbusd()
{
    const QString starter = folder + QStringLiteral("/start-flowbusd");
    write(starter, QStringLiteral("#!/bin/sh\nexec '%1' --session --flows '%2/flows.d' --state none\n")
                       .arg(flowbusdProgram(), folder).toUtf8());
    QFile::setPermissions(starter, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    write(folder + QStringLiteral("/services/flowbus.service"),
          QStringLiteral("[D-BUS Service]\nName=%1\nExec=%2\n").arg(service, starter).toUtf8());
    callService(QStringLiteral("org.freedesktop.DBus"), QStringLiteral("/org/freedesktop/DBus"), "org.freedesktop.DBus",
                "ReloadConfig");
}

QObject *Device::load(const QByteArray &text)
{
    const qsizetype before = engine.rootObjects().size();
    engine.loadData("import QtQuick\nimport FlowBus\n" + text);
    return engine.rootObjects().size() > before ? engine.rootObjects().last() : nullptr;
}

QObject *Device::run(const QByteArray &text)
{
    QObject *presenter = load(text);
    if (!presenter || !QTest::qWaitFor([&] { return presenter->property("nameOwned").toBool(); }))
        return nullptr;
    coordinate("main");
    return presenter;
}

QDBusMessage Device::coordinate(const char *flow)
{
    return call(QStringLiteral("/org/flowbus/Navigation1"), "org.flowbus.Navigation1.Coordinator", "Coordinate",
                {QString(QLatin1String(flow)), QString(), QVariantMap(), QVariantMap()});
}

QVariant Device::evaluate(QObject *object, const QString &expression)
{
    QQmlContext *context = qmlContext(object);
    QQmlExpression script(context ? context : engine.rootContext(), object, expression);
    const QVariant value = script.evaluate();
    if (script.hasError())
        qFatal("%s", qUtf8Printable(script.error().toString()));
    return value.metaType() == QMetaType::fromType<QJSValue>() ? value.value<QJSValue>().toVariant() : value;
}

QJSValue Device::begin(QObject *object, const QString &expression)
{
    QQmlContext *context = qmlContext(object);
    QQmlExpression script(context ? context : engine.rootContext(), object,
                          QStringLiteral("(p => { const o = { isSettled: false };"
                                         "p.then(v => { o.isSettled = true; o.value = v },"
                                         "e => { o.isSettled = true; o.name = e.name; o.message = e.message }); return o })(%1)")
                              .arg(expression));
    const QVariant value = script.evaluate();
    if (script.hasError())
        qFatal("%s", qUtf8Printable(script.error().toString()));
    return value.value<QJSValue>();
}

QVariantMap Device::wait(const QJSValue &settling)
{
    const auto isSettled = [&] { return settling.property(QStringLiteral("isSettled")).toBool(); };
    if (!QTest::qWaitFor(isSettled, 30000))
        return {{QStringLiteral("name"), QStringLiteral("the promise is not settled")}};
    QVariantMap map = settling.toVariant().toMap();
    map.remove(QStringLiteral("isSettled"));
    return map;
}

QVariantMap Device::settled(QObject *object, const QString &expression)
{
    return wait(begin(object, expression));
}

QDBusMessage Device::callService(const QString &name, const QString &path, const char *interface, const char *member,
                                 const QVariantList &arguments)
{
    QDBusMessage message
        = QDBusMessage::createMethodCall(name, path, QLatin1String(interface), QLatin1String(member));
    message.setArguments(arguments);
    QDBusPendingCallWatcher watcher(tester.asyncCall(message, 60000));
    QEventLoop loop;
    QObject::connect(&watcher, &QDBusPendingCallWatcher::finished, &loop, &QEventLoop::quit);
    loop.exec();
    return watcher.reply();
}

QDBusMessage Device::call(const QString &path, const char *interface, const char *member, const QVariantList &arguments)
{
    return callService(service, path, interface, member, arguments);
}

QDBusMessage Device::emitStep(const char *path, const char *step, const QVariantMap &arguments)
{
    return call(tree + QLatin1String(path), "org.flowbus.Navigation1.Stepper", "EmitStep",
                {QString(QLatin1String(step)), arguments});
}

QVariant Device::property(const char *path, const char *name)
{
    const QDBusMessage reply = call(tree + QLatin1String(path), "org.freedesktop.DBus.Properties", "Get",
                                    {QStringLiteral("org.flowbus.Navigation1.Presentable"), QString(QLatin1String(name))});
    return reply.type() == QDBusMessage::ErrorMessage ? QVariant() : reply.arguments().value(0).value<QDBusVariant>().variant();
}

bool Device::isLive(const char *path)
{
    return property(path, "Name").isValid();
}

QString Device::unique(const QString &name)
{
    return tester.interface()->serviceOwner(name);
}

QList<QQuickWindow *> Device::windows(const char *name)
{
    QList<QQuickWindow *> found;
    for (QWindow *window : QGuiApplication::allWindows()) {
        auto *quick = qobject_cast<QQuickWindow *>(window);
        if (quick && quick->inherits("FlowBusScreenWindow") && quick->isVisible()
            && (!name || quick->property("name").toString() == QLatin1String(name)))
            found << quick;
    }
    std::sort(found.begin(), found.end(), [](QQuickWindow *a, QQuickWindow *b) {
        return a->property("instance").toULongLong() < b->property("instance").toULongLong();
    });
    return found;
}

QQuickWindow *Device::window(const char *name)
{
    if (!QTest::qWaitFor([&] { return windows(name).size() == 1 && windows(name).first()->isExposed(); }, 20000))
        return nullptr;
    return windows(name).first();
}

int runTests(int count, char **arguments, const QMetaObject &type, QObject *(*make)())
{
    if (count > 1 && qEnvironmentVariableIsSet("FLOWBUS_TEST_FOLDER")) {
        QGuiApplication application(count, arguments);
        const std::unique_ptr<QObject> test(make());
        return QTest::qExec(test.get(), count, arguments);
    }
    QCoreApplication application(count, arguments);
    bool isFine = true;
    const QStringList wanted = application.arguments().mid(1);
    std::printf("%s\n", type.className());
    for (int index = type.methodOffset(); index < type.methodCount(); ++index) {
        const QMetaMethod method = type.method(index);
        const QString name = QString::fromLatin1(method.name());
        if (method.methodType() == QMetaMethod::Slot && method.access() == QMetaMethod::Private
            && (wanted.isEmpty() || wanted.contains(name)))
            isFine = runFunction(QCoreApplication::applicationFilePath(), name) && isFine;
    }
    return isFine ? 0 : 1;
}
