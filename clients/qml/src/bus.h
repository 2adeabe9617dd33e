// SPDX-License-Identifier: Apache-2.0
//
// A connection to a bus, and calls to flowbusd on it that survive its restart.
#pragma once

#include "values.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QHash>
#include <QtCore/QMap>
#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusError>
#include <QtDBus/QDBusMessage>

#include <chrono>
#include <functional>
#include <utility>

namespace FlowBus {

// What became of a call.
struct Reply
{
    QVariantList values;
    // Empty if it succeeded.
    QString errorName;
    QString errorMessage;
    // Whether it was called more than once, so that the first call may be the one that had its effect.
    bool isRepeated = false;

    bool failed() const { return !errorName.isEmpty(); }
};

using Completion = std::function<void(const Reply &)>;

// The declared steps.
using Declarations = QMap<QString, ArgumentTypes>;
using StepsCompletion = std::function<void(const Declarations &, const Reply &)>;

class Bus;

// How long calls are repeated.
struct Limits
{
    // flowbusd remembers a token for 60 s: a call that comes later counts as a new one.
    std::chrono::milliseconds repeatable = std::chrono::seconds(55);
    // The bus keeps a call that starts flowbusd until that is there, which may take 25 s. So later a call starts nothing, and
    // waits until flowbusd is there.
    std::chrono::milliseconds startable = std::chrono::seconds(30);
};

// One call of a method of flowbusd. While flowbusd is away it waits, and a call whose answer was lost is made again: the
// bus starts flowbusd, or it is on its way back. So only calls of which a second one does no harm are made by it: those with
// a token, and those that say how something is to be.
class Call : public QObject
{
    Q_OBJECT
public:
    Call(Bus *bus, const QString &path, const QString &interface, const QString &member, const QVariantList &arguments,
         Completion completion, const QElapsedTimer &age);
    void send();

private Q_SLOTS:
    void replied(const QDBusMessage &message);
    void failed(const QDBusError &error, const QDBusMessage &message);

private:
    void finish(const Reply &reply);
    void wait(const Reply &reply);

    Bus *bus;
    QDBusMessage message;
    Completion completion;
    // Since the first call of what this repeats.
    QElapsedTimer age;
    Reply lastFailure;
    int attempts = 0;
    bool isWaiting = false;
};

// A step that was emitted, or a Back, until its outcome is known. It is sent again with its token where its answer may be lost.
struct Emission
{
    QString token;
    QString path;
    QString member;
    QVariantList arguments;
    // Gets the serial and the verdict, which is "pending" only if nobody can learn it any more.
    Completion completion;
    QElapsedTimer age;
    bool isPending = false;
    bool isUnderWay = false;
};

// What a screen asked, until the answer comes.
struct Ask
{
    QString screen;
    QString treePath;
    std::function<void(const QString &outcome, const QVariantMap &result)> answered;
    // The next owner of the screen gets the answer.
    std::function<void()> lost;
    // The screen is gone, so that flowbusd answers the program that asked.
    bool isLeft = false;
};

class Bus : public QObject
{
    Q_OBJECT
public:
    enum class Kind { Session, System };
    static inline Limits limits;

    static Bus *of(Kind kind);

    QDBusConnection &connection() { return link; }
    bool isConnected() const { return link.isConnected(); }

    // Calls a method of flowbusd, after the steps that were emitted at this path before. The completion is called once, unless
    // the context is destroyed before.
    void call(const QString &path, const QString &interface, const QString &member, const QVariantList &arguments,
              QObject *context, Completion completion);

    // Calls EmitStepWithOptions or BackWithOptions, and completes when the outcome is known, also after "pending". The options
    // among the arguments have this token.
    void emitStep(const QString &path, const QString &member, const QVariantList &arguments, const QString &token,
                  QObject *context, Completion completion);

    // Calls back with the declared steps, for a step at this path; with an error if flowbusd can't tell them.
    void withSteps(const QString &path, QObject *context, StepsCompletion completion);
    // Whether this is known to be a step that needs no arguments.
    bool isPlainStep(const QString &step) const;
    // Does something when no step at this path waits for the declared ones any more. The step would find the screen gone or
    // hidden if what the program did after it came first.
    void afterSteps(const QString &path, std::function<void()> action);

    void ask(const QString &token, const Ask &ask) { asks.insert(token, ask); }
    // Nobody waits for the answer any more. Returns what did.
    Ask takeAsk(const QString &token);
    // The screen is gone, or taken from this program.
    void leaveAsks(const QString &screen, bool isTaken);

    // How many calls and asks of screens that are gone have no outcome yet, and questions of flowbusd no answer.
    int callsUnderWay() const { return underWay; }
    void begin();
    void end();

Q_SIGNALS:
    // flowbusd is on the bus, for the first time or again: what was known has to be read again.
    void serviceAppeared();
    void serviceVanished();
    void answered(const QString &path, const QString &token, const QString &outcome, const QVariantMap &result);
    // Values of the context that a screen names; it comes to the owner alone.
    void contextChanged(const QString &path, const QVariantMap &values);
    // The screen at this path of the tree is in sight, or no longer; this program asked for it.
    void sightChanged(const QString &path, bool isInSight);
    // The last call has its outcome.
    void idle();

private Q_SLOTS:
    void ownerChanged(const QString &name, const QString &before, const QString &now);
    void definitionsChanged();
    void stepConcluded(const QString &token, qulonglong serial, const QString &verdict, const QString &errorName,
                       const QString &errorMessage);
    void screenContextChanged(const QVariantMap &values, const QDBusMessage &message);
    void sightTold(bool isInSight, const QDBusMessage &message);
    void stepAnswered(const QString &token, const QString &outcome, const QVariantMap &result, const QDBusMessage &message);
    void disconnected();

private:
    friend class Call;
    explicit Bus(Kind kind);
    void sendEmission(quint64 number);
    void concludeEmission(quint64 number, const Reply &reply);
    Call *makeCall(const QString &path, const QString &interface, const QString &member, const QVariantList &arguments,
                   QObject *context, Completion completion, const QElapsedTimer &age);
    void readSteps();

    QDBusConnection link;
    // In the order in which they were made. Two can have the same token.
    QMap<quint64, Emission> emissions;
    quint64 lastEmission = 0;
    QHash<QString, Ask> asks;
    Declarations steps;
    QList<std::pair<QString, StepsCompletion>> stepsWaiting;
    bool hasSteps = false;
    // Counts what makes the steps obsolete, so that an older answer is not kept.
    int stepsAge = 0;
    int underWay = 0;
};

}
