// SPDX-License-Identifier: Apache-2.0
//
// A flowbusd that a test plays: it answers, refuses, or leaves without an answer, as the true one does when much goes wrong at once.
#pragma once

#include "device.h"

#include <QtDBus/QDBusPendingCall>
#include <QtDBus/QDBusVirtualObject>

#include <functional>
#include <map>

class Fake : public QDBusVirtualObject
{
    Q_OBJECT
public:
    // It has the name when this returns.
    Fake();
    ~Fake() override;

    void appear();
    // Without an answer to what is held: the caller learns that none comes.
    void vanish();

    // All calls, without those that read properties, and how many those were.
    QList<QDBusMessage> calls;
    int reads = 0;
    QStringList members() const;
    QString made() const { return members().join(QLatin1Char(' ')); }
    int count(const char *member) const { return int(members().count(QLatin1String(member))); }

    // The names of the errors that methods are answered with.
    std::map<QString, QString> errors;
    // Other answers to a method.
    std::map<QString, std::function<QDBusMessage(const QDBusMessage &)>> answers;
    // Methods that get their answer later, by `release`.
    QStringList held;
    void release(const char *member);
    QMap<QString, QMap<QString, QString>> steps;
    QVariantMap properties;

    // Calls Present for a screen of this presenter; the call is finished when the screen is shown, with a report.
    QDBusPendingCall present(const char *screen, qulonglong instance, QVariantMap details = {},
                             const char *presenter = "org.example.Shop");
    void withdraw(const char *screen, qulonglong instance, const char *reason,
                  const char *presenter = "org.example.Shop");
    void sendSignal(const QString &path, const char *interface, const char *name, const QVariantList &arguments);

    QString introspect(const QString &) const override { return {}; }
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &connection) override;

    // The report of an answer to Present, when it is there.
    static QVariantMap report(QDBusPendingCall call);

private:
    QDBusMessage answer(const QDBusMessage &message);

    QDBusConnection link;
    QList<QDBusMessage> waiting;
};
