// SPDX-License-Identifier: Apache-2.0
//
// A bus, a flowbusd and an engine of QML for each test function, and what a test asks of them.
#pragma once

#include <QtCore/QObject>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>
#include <QtQml/QQmlApplicationEngine>
#include <QtQuick/QQuickWindow>
#include <QtTest/QTest>

#include <memory>

// Records the messages that another client would see.
class Recorder : public QObject
{
    Q_OBJECT
public:
    QList<QDBusMessage> messages;
public Q_SLOTS:
    void record(const QDBusMessage &message) { messages << message; }
};

class Device
{
public:
    // Starts flowbusd with these definitions, and waits until it serves.
    explicit Device(const QByteArray &definitions);
    // Starts none.
    Device();
    ~Device();

    void startFlowbusd();
    // With SIGKILL; returns when it has ended.
    void killFlowbusd();
    // From now on the bus starts flowbusd for a call.
    void letBusStartFlowbusd();
    void define(const QByteArray &definitions);

    // The root object of this text of QML, which is imported with QtQuick and FlowBus.
    QObject *load(const QByteArray &text);
    // The same of a presenter; when it has its name, the flow 'main' starts.
    QObject *run(const QByteArray &text);
    QDBusMessage coordinate(const char *flow);
    // The value of an expression in the context of an object.
    QVariant evaluate(QObject *object, const QString &expression);
    // What a promise becomes: {value} or {name, message}. The expression gives the promise.
    QVariantMap settled(QObject *object, const QString &expression);
    // The same, to be waited for later by `wait`.
    QJSValue begin(QObject *object, const QString &expression);
    QVariantMap wait(const QJSValue &settling);

    // Calls flowbusd as another client; the main loop runs meanwhile.
    QDBusMessage call(const QString &path, const char *interface, const char *member, const QVariantList &arguments = {});
    QDBusMessage callService(const QString &name, const QString &path, const char *interface, const char *member,
                             const QVariantList &arguments = {});
    // Calls a method of Presentable or Stepper at a path below the tree, such as "main/list".
    QDBusMessage emitStep(const char *path, const char *step, const QVariantMap &arguments = {});
    QVariant property(const char *path, const char *name);
    bool isLive(const char *path);
    QString unique(const QString &name);

    // The windows of screens that are shown, the oldest first, or of one name.
    static QList<QQuickWindow *> windows(const char *name = nullptr);
    // The only window of this name, when it is there.
    static QQuickWindow *window(const char *name);

    QDBusConnection tester;
    QQmlApplicationEngine engine;

private:
    QString folder;
    QProcess flowbusd;
};

// Runs each test function in a process of its own, on a bus of its own.
int runTests(int count, char **arguments, const QMetaObject &type, QObject *(*make)());

#define FLOWBUS_TEST_MAIN(Type)                                                                                        \
    int main(int count, char **arguments)                                                                              \
    {                                                                                                                  \
        return runTests(count, arguments, Type::staticMetaObject, [] { return static_cast<QObject *>(new Type); });    \
    }

// A device whose list is presented, in a file with `definitions` and the program `shop`.
#define PRESENTED_LIST                                                                                                 \
    Device device(definitions);                                                                                        \
    QObject *presenter = device.run(shop);                                                                             \
    QQuickWindow *list = Device::window("list");                                                                       \
    QVERIFY(presenter && list);                                                                                        \
    QTRY_VERIFY(device.property("main/list", "Presented").toBool())
