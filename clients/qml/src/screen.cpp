// SPDX-License-Identifier: Apache-2.0
#include "screen.h"

#include "names.h"
#include "promise.h"
#include "steps.h"

#include <QtCore/QUuid>
#include <QtDBus/QDBusArgument>

#include <utility>

namespace FlowBus {

void Setting::set(const QVariant &value, Completion completion)
{
    wanted = value;
    isWanted = true;
    if (completion)
        waiting << std::move(completion);
    if (screen->isOwned && !screen->isAnswering && !isUnderWay)
        send();
}

void Setting::begin()
{
    if (isWanted && !isUnderWay)
        send();
}

void Setting::renew()
{
    lose();
    begin();
}

void Setting::lose()
{
    // A call that is under way is made again if flowbusd refuses it.
    if (!isUnderWay && isSet())
        isWanted = true;
}

QVariant Setting::take()
{
    // A call that is made again would bring back an older value.
    if (isUnderWay || !std::exchange(isWanted, false))
        return {};
    return wanted;
}

void Setting::send()
{
    isWanted = false;
    isUnderWay = true;
    const QList<Completion> completions = std::exchange(waiting, {});
    screen->callAsOwner(member, {wanted}, [this, completions](const Reply &reply) {
        isUnderWay = false;
        last = reply;
        if (reply.failed() && completions.isEmpty())
            screen->reportFailure(QLatin1String(member), reply);
        for (const Completion &completion : completions)
            completion(reply);
        if (isWanted && screen->isLive)
            send();
    });
}

void Answer::acknowledge() const
{
    if (screen)
        screen->acknowledge(token);
}

Screen::Screen(FlowBusPresenter *presenter, Bus *bus, const QString &path, const QString &name, qulonglong instance)
    : bus(bus), presenter(presenter), path(path), name(name), instance(instance)
{
    connect(bus, &Bus::serviceAppeared, this, &Screen::readAgain);
    connect(bus, &Bus::contextChanged, this, [this](const QString &from, const QVariantMap &values) {
        if (from == this->path && std::exchange(context, values) != values)
            Q_EMIT contextChanged();
    });
    connect(bus, &Bus::sightChanged, this, [this](const QString &at, bool isNow) {
        if (at == this->path && isLive)
            takeProperties({{QStringLiteral("InSight"), isNow}});
    });
    connect(bus, &Bus::answered, this,
            [this](const QString &from, const QString &token, const QString &outcome, const QVariantMap &result) {
                if (from == instancePath(this->instance) || from == this->path)
                    takeAnswer(token, outcome, result);
            });
}

QString Screen::takeActivationToken()
{
    return details.take(QStringLiteral("activation-token")).toString();
}

void Screen::presented(const QVariantMap &changed, const QVariantMap &newDetails)
{
    QVariantMap all = newDetails;
    const QVariantList answers = all.take(QStringLiteral("answers")).toList();
    const QVariantMap newState = all.take(QStringLiteral("state")).toMap();
    const QVariantMap newContext = all.take(QStringLiteral("context")).toMap();
    details = all;
    isInSight = true;
    isAnswering = true;
    const bool isFirst = !isOwned;
    // What this process has saved is newer than what flowbusd may have, which forgets it if the screen has other arguments.
    const bool isUpdate = detail("reason") == QLatin1String("update");
    if ((!savedState.isSet() || isUpdate) && std::exchange(state, newState) != newState)
        Q_EMIT stateChanged();
    if (std::exchange(arguments, changed) != changed)
        Q_EMIT argumentsChanged();
    if (std::exchange(context, newContext) != newContext)
        Q_EMIT contextChanged();
    Q_EMIT detailsChanged();
    Q_EMIT inSightChanged();
    if (!isFirst && isLive && !isLeaving) {
        if (detail("reason") == QLatin1String("return"))
            Q_EMIT returned();
        else
            Q_EMIT updated();
    }
    for (const QVariant &one : answers) {
        const QVariantList parts = one.toList();
        takeAnswer(parts.value(0).toString(), parts.value(1).toString(), parts.value(2).toMap());
    }
}

bool Screen::isLost() const
{
    const QString reason = detail("reason");
    return isOwned && reason != QLatin1String("return") && reason != QLatin1String("update");
}

QVariantMap Screen::report()
{
    if (isLost()) {
        for (Setting *setting : {&visibility, &title, &backStepSetting, &savedState})
            setting->lose();
    }
    QVariantMap report;
    const auto say = [&report](const char *name, const QVariant &value) {
        if (value.isValid())
            report.insert(QLatin1String(name), value);
    };
    say("visible", visibility.take());
    say("title", title.take());
    // Nothing of an answer counts if the step is wrong: then a call gets the error.
    if (backStep.isEmpty() || bus->isPlainStep(backStep))
        say("backStep", backStepSetting.take());
    if (followsSight)
        say("tellSight", true);
    return report;
}

void Screen::answeredPresent()
{
    ++accepted;
    isOwned = true;
    isAnswering = false;
    for (Setting *setting : {&visibility, &title, &backStepSetting, &savedState})
        setting->begin();
    for (const auto &[action, inVain] : std::exchange(postponed, {}))
        action();
}

// Before the first answer that says so, and no signal is missed. Later it is the property that is followed: what SetVisibleWithOptions says
// of the visibility would select a tab.
void Screen::followSight()
{
    if (std::exchange(followsSight, true) || !isOwned || !isLive)
        return;
    bus->connection().connect(service, path, propertiesInterface, QStringLiteral("PropertiesChanged"),
                              {presentableInterface}, QString(), this,
                              SLOT(propertiesChanged(QString,QVariantMap,QStringList)));
    readAgain();
}

void Screen::whenOwned(std::function<void()> action, std::function<void()> inVain)
{
    if (isOwned)
        action();
    else
        postponed.append({std::move(action), std::move(inVain)});
}

void Screen::refused()
{
    end(QStringLiteral("failed"));
}

void Screen::propertiesChanged(const QString &, const QVariantMap &values, const QStringList &)
{
    takeProperties(values);
}

void Screen::takeProperties(const QVariantMap &values)
{
    const QVariant value = values.value(QStringLiteral("InSight"));
    if (value.isValid() && std::exchange(isInSight, value.toBool()) != value.toBool())
        Q_EMIT inSightChanged();
}

void Screen::readAgain()
{
    if (!isOwned || !isLive)
        return;
    if (isClosed && !isLeaving)
        close();
    bus->call(instancePath(instance), propertiesInterface, QStringLiteral("GetAll"), {QString(presentableInterface)}, this,
              [this](const Reply &reply) {
                  if (!reply.failed()) {
                      const QVariantMap values = fromWireMap(reply.values.value(0));
                      takeProperties(values);
                      const QVariant visible = values.value(QStringLiteral("Visible"));
                      if (visible.isValid() && visibility.isSet() && visibility.isSettled() && visible != visibility.value())
                          visibility.renew();
                  } else if (reply.errorName == Error::unknownObject && !isLeaving)
                      end(QStringLiteral("gone"));
              });
}

void Screen::callPresentable(const char *member, const QVariantList &arguments, Completion completion)
{
    bus->call(instancePath(instance), presentableInterface, QLatin1String(member), arguments, this, std::move(completion));
}

void Screen::callAsOwner(const char *member, const QVariantList &arguments, Completion completion)
{
    const auto taken = [this, member, arguments, completion = std::move(completion), before = accepted](const Reply &reply) {
        if (reply.errorName != Error::notOwner || !isLive)
            return completion(reply);
        const auto again = [this, member, arguments, completion] { callAsOwner(member, arguments, completion); };
        // Present may have come before this reply.
        if (accepted != before)
            again();
        else
            postponed.append({again, [completion, reply] { completion(reply); }});
    };
    callPresentable(member, arguments, taken);
}

void Screen::reportFailure(const QString &member, const Reply &reply)
{
    // The screen is gone or another one's: Withdraw says so.
    if (!isLive || isLeaving || reply.errorName == Error::unknownObject || reply.errorName == Error::notOwner)
        return;
    Q_EMIT callFailed(member, reply.errorName, reply.errorMessage);
}

void Screen::setTitle(const QString &text)
{
    constexpr qsizetype limit = 256;
    QString shortened = text;
    while (shortened.toUtf8().size() > limit)
        shortened.chop(shortened.size() > 1 && shortened.back().isLowSurrogate() ? 2 : 1);
    title.set(shortened);
}

void Screen::setVisible(bool visible)
{
    if (visible)
        isClosed = false;
    visibility.set(visible);
}

void Screen::close()
{
    isClosed = true;
    leave("Dismiss", {}, QStringLiteral("dismissed"), [this](const Reply &reply) {
        if (reply.failed())
            Q_EMIT callFailed(QStringLiteral("Dismiss"), reply.errorName, reply.errorMessage);
    });
}

void Screen::setBackStep(const QString &step)
{
    if (std::exchange(backStep, step) == step)
        return;
    backStepSetting.set(step);
    Q_EMIT backStepChanged();
}

void Screen::touch()
{
    if (lastTouch.isValid() && lastTouch.elapsed() < 1000)
        return;
    lastTouch.start();
    callPresentable("Touch", {}, [this](const Reply &reply) {
        // Where others may not emit, their input does not count, and each second of it is no failure.
        if (reply.failed() && reply.errorName != QLatin1String("org.flowbus.Navigation1.Error.AccessDenied"))
            reportFailure(QStringLiteral("Touch"), reply);
    });
}

QJSValue Screen::emitStep(QObject *of, const QString &step, const QVariantMap &values, const QVariantMap &options)
{
    return FlowBus::emitStep(bus, of, instancePath(instance), step, values, options);
}

QJSValue Screen::cancelStep(QObject *of, const QString &token)
{
    return FlowBus::cancelStep(bus, of, instancePath(instance), token);
}

QJSValue Screen::back(QObject *of, const QVariantMap &options)
{
    return FlowBus::back(bus, of, instancePath(instance), options);
}

QJSValue Screen::ask(QObject *of, const QString &step, const QVariantMap &values, const QString &given,
                     const QVariantMap &more)
{
    const Promise promise(of);
    const QString token = given.isEmpty() ? QUuid::createUuid().toString(QUuid::WithoutBraces) : given;
    const QPointer<Screen> guard(this);
    bus->ask(token, {instancePath(instance), path,
                     [promise, token, guard](const QString &outcome, const QVariantMap &result) {
                         promise.resolve(QVariant::fromValue(Answer{token, outcome, result, guard}));
                     },
                     [promise, step] {
                         promise.reject(QString(Error::notOwner),
                                        QStringLiteral("the screen was taken from this program: its next owner gets the answer to '%1'").arg(step));
                     }});
    QVariantMap options = more;
    options.insert(QStringLiteral("ask"), true);
    options.insert(QStringLiteral("token"), token);
    sendStep(bus, bus, instancePath(instance), step, values, options, [bus = bus, guard, token, promise, step](const Reply &reply) {
        const QString verdict = reply.values.value(1).toString();
        const bool isAsked = verdict == QLatin1String("navigated") || verdict == QLatin1String("deferred");
        if (!reply.failed() && isAsked)
            return;
        bus->takeAsk(token);
        if (reply.failed()) {
            promise.reject(reply.errorName, reply.errorMessage);
            if (guard)
                Q_EMIT guard->callFailed(QStringLiteral("ask"), reply.errorName, reply.errorMessage);
        } else {
            promise.reject(QString(Error::failed),
                           QStringLiteral("nothing answers the step '%1': its verdict is '%2'").arg(step, verdict));
        }
    });
    return promise.value();
}

// An answer of Present waits for the view that takes it.
void Screen::takeAnswer(const QString &token, const QString &outcome, const QVariantMap &result)
{
    whenOwned([this, answer = Answer{token, outcome, result, this}] {
        if (taken.contains(answer.token))
            return;
        taken.insert(answer.token);
        if (const Ask ask = bus->takeAsk(answer.token); ask.answered)
            ask.answered(answer.outcome, answer.result);
        else
            Q_EMIT answered(answer);
    });
}

void Screen::acknowledge(const QString &token)
{
    const auto send = [this, token](const Reply &saved) {
        // The answer comes again, with the next Present.
        if (saved.failed())
            return reportFailure(QStringLiteral("AcknowledgeAnswer"), saved);
        callAsOwner("AcknowledgeAnswer", {token}, [this](const Reply &reply) {
            if (reply.failed())
                reportFailure(QStringLiteral("AcknowledgeAnswer"), reply);
        });
    };
    // What was saved with the answer has to be with flowbusd before: else a crash in between would lose both.
    whenOwned([this, send] {
        if (savedState.isSettled())
            send(savedState.outcome());
        else
            savedState.set(wireState, send);
    });
}

QJSValue Screen::saveState(QObject *of, const QVariantMap &values)
{
    const Promise promise(of);
    Problem problem;
    const QVariantMap map = toWireMap(values, QStringLiteral("state"), problem);
    if (!problem.isEmpty()) {
        promise.reject(QString(Error::invalidArguments), problem);
        Q_EMIT callFailed(QStringLiteral("SaveState"), QString(Error::invalidArguments), problem);
        return promise.value();
    }
    wireState = map;
    state = values;
    savedState.set(map, [this, promise](const Reply &reply) {
        if (!reply.failed())
            return promise.resolve(QJSValue());
        promise.reject(reply.errorName, reply.errorMessage);
        reportFailure(QStringLiteral("SaveState"), reply);
    });
    Q_EMIT stateChanged();
    return promise.value();
}

QJSValue Screen::finish(QObject *of, const QVariantMap &values)
{
    const Promise promise(of);
    Problem problem;
    const QVariantMap map = toWireMap(values, QStringLiteral("result"), problem);
    if (!problem.isEmpty()) {
        promise.reject(QString(Error::invalidArguments), problem);
        Q_EMIT callFailed(QStringLiteral("Finish"), QString(Error::invalidArguments), problem);
        return promise.value();
    }
    leave("Finish", {map}, QStringLiteral("finished"), [this, promise](const Reply &reply) {
        if (!reply.failed())
            return promise.resolve(QJSValue());
        promise.reject(reply.errorName, reply.errorMessage);
        reportFailure(QStringLiteral("Finish"), reply);
    });
    return promise.value();
}

QJSValue Screen::dismiss(QObject *of)
{
    const Promise promise(of);
    leave("Dismiss", {}, QStringLiteral("dismissed"), [this, promise](const Reply &reply) {
        if (!reply.failed())
            return promise.resolve(QJSValue());
        promise.reject(reply.errorName, reply.errorMessage);
        reportFailure(QStringLiteral("Dismiss"), reply);
    });
    return promise.value();
}

QJSValue Screen::dismissWithError(QObject *of, const QString &errorName, const QString &message)
{
    const Promise promise(of);
    QVariantMap options{{QStringLiteral("error"), errorName}};
    if (!message.isEmpty())
        options.insert(QStringLiteral("message"), message);
    leave("DismissWithOptions", {options}, QStringLiteral("failed"), [this, promise](const Reply &reply) {
        if (!reply.failed())
            return promise.resolve(QJSValue());
        promise.reject(reply.errorName, reply.errorMessage);
        reportFailure(QStringLiteral("DismissWithOptions"), reply);
    });
    return promise.value();
}

QJSValue Screen::release(QObject *of)
{
    const Promise promise(of);
    leave("Release", {}, QStringLiteral("released"), [this, promise](const Reply &reply) {
        if (!reply.failed())
            return promise.resolve(QJSValue());
        promise.reject(reply.errorName, reply.errorMessage);
        reportFailure(QStringLiteral("Release"), reply);
    });
    return promise.value();
}

// Gives the screen up. The view goes when flowbusd has answered, as no Withdraw follows; after an error it stays.
void Screen::leave(const char *member, const QVariantList &arguments, const QString &reason, Completion completion)
{
    if (!isLive || isLeaving)
        return completion({{}, QString(Error::unknownObject), QStringLiteral("the screen is gone, or is about to go")});
    isLeaving = true;
    const auto left = [this, reason, completion = std::move(completion)](const Reply &reply) {
        isLeaving = false;
        // The first call may have been the one that succeeded, and its answer lost.
        const bool isGone = reply.errorName == Error::unknownObject;
        const bool isDone = !reply.failed() || (isGone && (reply.isRepeated || reason == QLatin1String("dismissed")));
        completion(isDone ? Reply{} : reply);
        if (isDone || isGone)
            end(isDone ? reason : QStringLiteral("gone"));
        else
            Q_EMIT stayed();
    };
    const auto call = [this, member, arguments, left] { callAsOwner(member, arguments, left); };
    // A presenter may dismiss what it is called for. One that holds the answer to Present, and waits for this, never answers.
    if (reason == QLatin1String("dismissed") || reason == QLatin1String("failed"))
        call();
    else
        whenOwned(call);
}

void Screen::withdraw(const QString &reason)
{
    if (!isLive)
        return;
    if (reason != QLatin1String("evicted"))
        return end(reason);
    // flowbusd asks once more after its restart.
    if (std::exchange(isEvicted, true))
        return;
    Q_EMIT saveStateAsked();
    if (savedState.isSettled())
        releaseEvicted();
    else
        savedState.set(wireState, [this](const Reply &) { releaseEvicted(); });
}

void Screen::releaseEvicted()
{
    isLeaving = true;
    callPresentable("Release", {}, [this](const Reply &) { end(QStringLiteral("evicted")); });
}

void Screen::giveUp()
{
    const QString at = instancePath(instance);
    bus->call(at, presentableInterface, QStringLiteral("SetVisible"), {false}, nullptr, {});
    bus->call(at, presentableInterface, QStringLiteral("Release"), {}, nullptr, {});
}

void Screen::end(const QString &reason)
{
    if (!std::exchange(isLive, false))
        return;
    for (const auto &[action, inVain] : std::exchange(postponed, {})) {
        if (inVain)
            inVain();
    }
    static const QStringList takenAway{QStringLiteral("evicted"), QStringLiteral("replaced"), QStringLiteral("ownerHangs"),
                                   QStringLiteral("released")};
    bus->leaveAsks(instancePath(instance), takenAway.contains(reason));
    Q_EMIT withdrawn(reason);
}

}
