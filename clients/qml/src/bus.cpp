// SPDX-License-Identifier: Apache-2.0
#include "bus.h"

#include "names.h"
#include "watchdog.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QPointer>
#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusConnectionInterface>
#include <QtDBus/QDBusMetaType>

#include <algorithm>
#include <chrono>
#include <utility>

using namespace std::chrono_literals;

namespace FlowBus {

namespace {

// Longer than a caller waits for a verdict (15 s) and a postponed call for its turn.
constexpr auto answerLimit = 45s;
constexpr auto longestPause = 3s;

const Reply unknownOutcome{{qulonglong(0), QStringLiteral("pending")}, {}, {}, true};

// The call may have arrived or not, or nobody was there to take it.
bool isLost(const QString &errorName)
{
    return errorName == Error::noReply || errorName == Error::nameHasNoOwner
        || errorName == QLatin1String("org.freedesktop.DBus.Error.TimedOut")
        || errorName == QLatin1String("org.freedesktop.DBus.Error.Timeout") || errorName == Error::serviceUnknown
        || errorName.startsWith(QLatin1String("org.freedesktop.DBus.Error.Spawn."));
}

}

Call::Call(Bus *bus, const QString &path, const QString &interface, const QString &member, const QVariantList &arguments,
           Completion completion, const QElapsedTimer &age)
    : QObject(bus), bus(bus), message(QDBusMessage::createMethodCall(service, path, interface, member)),
      completion(std::move(completion)), age(age)
{
    message.setArguments(arguments);
    // Guards may ask the user about a step: there is one before a screen.
    message.setInteractiveAuthorizationAllowed(interface == stepperInterface);
    bus->begin();
    connect(bus, &Bus::serviceAppeared, this, [this] {
        if (isWaiting)
            send();
    });
}

void Call::send()
{
    isWaiting = false;
    ++attempts;
    message.setAutoStartService(age.elapsed() < Bus::limits.startable.count());
    // The answer comes as an event between those of signals: in the order in which flowbusd sent them.
    bus->connection().callWithCallback(message, this, SLOT(replied(QDBusMessage)), SLOT(failed(QDBusError,QDBusMessage)),
                                       int(std::chrono::milliseconds(answerLimit).count()));
}

void Call::replied(const QDBusMessage &reply)
{
    finish({reply.arguments(), {}, {}, attempts > 1});
}

void Call::failed(const QDBusError &error, const QDBusMessage &)
{
    const Reply reply{{}, error.name(), error.message(), attempts > 1};
    if (!isLost(reply.errorName) || !bus->isConnected())
        finish(reply);
    else
        wait(reply);
}

// A call whose answer was lost is repeated at once, which makes the bus start flowbusd; after that, there are pauses. If
// nothing starts it, or the call is too old to do so, it appears or does not.
void Call::wait(const Reply &reply)
{
    lastFailure = reply;
    const auto left = Bus::limits.repeatable - std::chrono::milliseconds(age.elapsed());
    if (left <= 0ms)
        return finish(reply);
    if (reply.errorName == Error::serviceUnknown || reply.errorName == Error::nameHasNoOwner) {
        isWaiting = true;
        QTimer::singleShot(left, this, [this] {
            if (isWaiting)
                finish(lastFailure);
        });
    } else if (attempts == 1) {
        send();
    } else {
        const auto pause = std::min<std::chrono::milliseconds>(100ms * (1 << std::min(attempts, 6)), longestPause);
        QTimer::singleShot(std::min<std::chrono::milliseconds>(pause, left), this, [this] { send(); });
    }
}

void Call::finish(const Reply &reply)
{
    isWaiting = false;
    disconnect(bus, nullptr, this, nullptr);
    deleteLater();
    if (completion)
        completion(reply);
    bus->end();
}

Bus *Bus::of(Kind kind)
{
    static QPointer<Bus> session;
    static QPointer<Bus> system;
    QPointer<Bus> &bus = kind == Kind::Session ? session : system;
    answerWatchdog();
    if (!bus)
        bus = new Bus(kind);
    return bus;
}

Bus::Bus(Kind kind)
    : QObject(QCoreApplication::instance()),
      link(kind == Kind::Session ? QDBusConnection::sessionBus() : QDBusConnection::systemBus())
{
    if (!link.isConnected()) {
        qCritical("flowbus: there is no %s bus: %s", kind == Kind::Session ? "session" : "system",
                  qUtf8Printable(link.lastError().message()));
        return;
    }
    qDBusRegisterMetaType<ArgumentTypes>();
    qDBusRegisterMetaType<Declarations>();
    link.connect(QStringLiteral("org.freedesktop.DBus"), QStringLiteral("/org/freedesktop/DBus"),
                 QStringLiteral("org.freedesktop.DBus"), QStringLiteral("NameOwnerChanged"), {service}, QString(), this,
                 SLOT(ownerChanged(QString,QString,QString)));
    link.connect(QString(), QStringLiteral("/org/freedesktop/DBus/Local"), QStringLiteral("org.freedesktop.DBus.Local"),
                 QStringLiteral("Disconnected"), this, SLOT(disconnected()));
    link.connect(service, rootPath, coordinatorInterface, QStringLiteral("DefinitionsChanged"), this,
                 SLOT(definitionsChanged()));
    // Sent to this program alone, about any of its screens. QtDBus passes on only what it has a match for.
    link.connect(service, QString(), presentableInterface, QStringLiteral("ContextChanged"), this,
                 SLOT(screenContextChanged(QVariantMap,QDBusMessage)));
    link.connect(service, QString(), presentableInterface, QStringLiteral("SightChanged"), this,
                 SLOT(sightTold(bool,QDBusMessage)));
    // These two come from whatever path was called, which a former process may have chosen.
    link.connect(service, QString(), stepperInterface, QStringLiteral("StepConcluded"), this,
                 SLOT(stepConcluded(QString,qulonglong,QString,QString,QString)));
    link.connect(service, QString(), stepperInterface, QStringLiteral("Answered"), this,
                 SLOT(stepAnswered(QString,QString,QVariantMap,QDBusMessage)));
}

Call *Bus::makeCall(const QString &path, const QString &interface, const QString &member, const QVariantList &arguments,
                    QObject *context, Completion completion, const QElapsedTimer &age)
{
    const QPointer<QObject> guard(context);
    return new Call(this, path, interface, member, arguments,
                    [guard, hasContext = context != nullptr, completion = std::move(completion)](const Reply &reply) {
                        if ((!hasContext || guard) && completion)
                            completion(reply);
                    }, age);
}

void Bus::call(const QString &path, const QString &interface, const QString &member, const QVariantList &arguments,
               QObject *context, Completion completion)
{
    QElapsedTimer age;
    age.start();
    Call *call = makeCall(path, interface, member, arguments, context, std::move(completion), age);
    afterSteps(path, [call] { call->send(); });
}

void Bus::emitStep(const QString &path, const QString &member, const QVariantList &arguments, const QString &token,
                   QObject *context, Completion completion)
{
    const QPointer<QObject> guard(context);
    Emission emission{token, path, member, arguments,
                      [guard, completion = std::move(completion)](const Reply &reply) {
                          if (guard)
                              completion(reply);
                      },
                      {}, false, false};
    emission.age.start();
    emissions.insert(++lastEmission, emission);
    begin();
    sendEmission(lastEmission);
}

void Bus::sendEmission(quint64 number)
{
    emissions[number].isUnderWay = true;
    const Emission emission = emissions.value(number);
    const auto replied = [this, number](const Reply &reply) {
        const auto found = emissions.find(number);
        if (found == emissions.end())
            return;
        found->isUnderWay = false;
        if (!reply.failed() && reply.values.value(1).toString() == QLatin1String("pending"))
            found->isPending = true;
        else if (found->isPending && isLost(reply.errorName))
            concludeEmission(number, unknownOutcome);
        else
            concludeEmission(number, reply);
    };
    makeCall(emission.path, stepperInterface, emission.member, emission.arguments, this, replied, emission.age)->send();
}

void Bus::stepConcluded(const QString &token, qulonglong serial, const QString &verdict, const QString &errorName,
                        const QString &errorMessage)
{
    for (const quint64 number : emissions.keys()) {
        if (emissions.value(number).token == token)
            concludeEmission(number, {{serial, verdict}, errorName, errorMessage, false});
    }
}

void Bus::concludeEmission(quint64 number, const Reply &reply)
{
    const auto found = emissions.find(number);
    if (found == emissions.end())
        return;
    const Emission emission = *found;
    emissions.erase(found);
    emission.completion(reply);
    end();
}

void Bus::stepAnswered(const QString &token, const QString &outcome, const QVariantMap &result, const QDBusMessage &message)
{
    const Ask ask = asks.value(token);
    if (ask.isLeft && (ask.screen == message.path() || ask.treePath == message.path()))
        takeAsk(token).answered(outcome, fromWireMap(result));
    else
        Q_EMIT answered(message.path(), token, outcome, fromWireMap(result));
}

void Bus::screenContextChanged(const QVariantMap &values, const QDBusMessage &message)
{
    Q_EMIT contextChanged(message.path(), fromWireMap(values));
}

void Bus::sightTold(bool isInSight, const QDBusMessage &message)
{
    Q_EMIT sightChanged(message.path(), isInSight);
}

Ask Bus::takeAsk(const QString &token)
{
    const Ask ask = asks.take(token);
    if (ask.isLeft)
        QMetaObject::invokeMethod(this, &Bus::end, Qt::QueuedConnection);
    return ask;
}

void Bus::leaveAsks(const QString &screen, bool isTaken)
{
    for (const QString &token : asks.keys()) {
        if (asks.value(token).screen != screen || asks.value(token).isLeft)
            continue;
        if (isTaken) {
            takeAsk(token).lost();
        } else {
            asks[token].isLeft = true;
            begin();
        }
    }
}

void Bus::withSteps(const QString &path, QObject *context, StepsCompletion completion)
{
    if (hasSteps && stepsWaiting.isEmpty())
        return completion(steps, {});
    const QPointer<QObject> guard(context);
    stepsWaiting.append({path, [guard, completion = std::move(completion)](const Declarations &read, const Reply &reply) {
                             if (guard)
                                 completion(read, reply);
                         }});
    if (stepsWaiting.size() == 1)
        readSteps();
}

bool Bus::isPlainStep(const QString &step) const
{
    const auto found = steps.constFind(step);
    if (!hasSteps || found == steps.cend())
        return false;
    return std::all_of(found->cbegin(), found->cend(), [](const QString &type) { return type.endsWith(QLatin1Char('?')); });
}

void Bus::readSteps()
{
    const int asked = stepsAge;
    call(rootPath, coordinatorInterface, QStringLiteral("GetSteps"), {}, this, [this, asked](const Reply &reply) {
        // They have changed meanwhile: a step that is new would lose its arguments.
        if (!reply.failed() && asked != stepsAge)
            return readSteps();
        Declarations read;
        if (!reply.failed()) {
            reply.values.value(0).value<QDBusArgument>() >> read;
            steps = read;
            hasSteps = true;
        }
        // What is asked meanwhile comes after what has waited.
        while (!stepsWaiting.isEmpty()) {
            const StepsCompletion one = stepsWaiting.constFirst().second;
            one(read, reply);
            stepsWaiting.removeFirst();
        }
    });
}

void Bus::afterSteps(const QString &path, std::function<void()> action)
{
    for (const auto &one : std::as_const(stepsWaiting)) {
        if (one.first == path)
            return stepsWaiting.append({path, [action = std::move(action)](const Declarations &, const Reply &) { action(); }});
    }
    action();
}

void Bus::definitionsChanged()
{
    hasSteps = false;
    ++stepsAge;
}

void Bus::ownerChanged(const QString &, const QString &before, const QString &now)
{
    definitionsChanged();
    if (now.isEmpty())
        Q_EMIT serviceVanished();
    else
        Q_EMIT serviceAppeared();
    if (before.isEmpty())
        return;
    // The signal that concludes a pending step may have been lost on its way: the call with its token gets the outcome. When the
    // token may be forgotten, nobody can say it any more.
    for (const quint64 number : emissions.keys()) {
        const Emission emission = emissions.value(number);
        if (!emission.isPending || emission.isUnderWay)
            continue;
        if (emission.age.elapsed() >= limits.repeatable.count())
            concludeEmission(number, unknownOutcome);
        else
            sendEmission(number);
    }
}

// Nobody can reach this program any more, nor start it, as long as it runs without a bus.
void Bus::disconnected()
{
    qCritical("flowbus: the connection to the bus is lost");
    QCoreApplication::exit(1);
}

void Bus::begin()
{
    ++underWay;
}

void Bus::end()
{
    if (--underWay == 0)
        Q_EMIT idle();
}

}
