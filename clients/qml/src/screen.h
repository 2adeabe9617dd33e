// SPDX-License-Identifier: Apache-2.0
//
// A screen that flowbusd has this program show: what it knows of it, and the calls about it.
#pragma once

#include "bus.h"

#include <QtCore/QPointer>
#include <QtCore/QSet>
#include <QtCore/QStringList>
#include <QtQml/QJSValue>

class FlowBusPresenter;

namespace FlowBus {

class Screen;

// A value of a screen that flowbusd is to have, such as its title. One call is under way at a time, and the latest value counts:
// so a call that is repeated never brings back an older value.
class Setting
{
public:
    Setting(Screen *screen, const char *member) : screen(screen), member(member) {}

    void set(const QVariant &value, Completion completion = {});
    // Sends what was set before the screen was this program's, or while it was presented.
    void begin();
    // flowbusd has lost the value.
    void lose();
    // What the answer to Present is to say, in place of a call; invalid if there is nothing, or a call under way says it.
    QVariant take();
    // Sends the value once more, as flowbusd has lost it.
    void renew();
    bool isSet() const { return wanted.isValid(); }
    const QVariant &value() const { return wanted; }
    bool isSettled() const { return !isWanted && !isUnderWay; }
    // What became of the latest call.
    const Reply &outcome() const { return last; }

private:
    void send();

    Screen *screen;
    const char *member;
    QVariant wanted;
    QList<Completion> waiting;
    Reply last;
    bool isWanted = false;
    bool isUnderWay = false;
};

// The answer to what a screen asked by ask().
class Answer
{
    Q_GADGET
    Q_PROPERTY(QString token MEMBER token)
    Q_PROPERTY(QString outcome MEMBER outcome)
    Q_PROPERTY(QVariant result READ resultValue)
    Q_PROPERTY(bool hasResult READ hasResult)
public:
    QString token;
    QString outcome;
    QVariantMap result;
    QPointer<Screen> screen;

    QVariant resultValue() const { return result; }
    bool hasResult() const { return outcome == QLatin1String("result"); }
    // Says that the answer was taken: it does not come again.
    Q_INVOKABLE void acknowledge() const;
};

class Screen : public QObject
{
    Q_OBJECT
public:
    Screen(FlowBusPresenter *presenter, Bus *bus, const QString &path, const QString &name, qulonglong instance);

    Bus *const bus;
    FlowBusPresenter *const presenter;
    const QString path;
    const QString name;
    const qulonglong instance;
    QVariantMap arguments;
    QVariantMap details;
    QVariantMap state;
    QVariantMap context;
    QString backStep;
    bool isInSight = true;
    // Whether Present was answered, so that this program is the owner.
    bool isOwned = false;
    // Between a call of Present for a screen of this program, and the answer, which says what is set meanwhile.
    bool isAnswering = false;
    // False as soon as the view is to go.
    bool isLive = true;
    // The user closed the view, or the program finished or released the screen, and flowbusd has not answered yet.
    bool isLeaving = false;

    QString detail(const char *key) const { return details.value(QLatin1String(key)).toString(); }
    QString takeActivationToken();

    // A call of Present: the first one, or one more.
    void presented(const QVariantMap &changed, const QVariantMap &newDetails);
    // What the answer to Present says of the screen.
    QVariantMap report();
    // The answer to Present was sent.
    void answeredPresent();
    // Somebody wants to know whether the screen is in sight.
    void followSight();
    // The first call of Present was answered with an error.
    void refused();
    void withdraw(const QString &reason);
    // The presenter is destroyed, and the program goes on: it hides the screen and has it no longer.
    void giveUp();

    void setVisible(bool visible);
    void setTitle(const QString &title);
    void setBackStep(const QString &step);
    void touch();

    QJSValue emitStep(QObject *of, const QString &step, const QVariantMap &arguments, const QVariantMap &options);
    QJSValue ask(QObject *of, const QString &step, const QVariantMap &arguments, const QString &token,
                 const QVariantMap &options);
    QJSValue cancelStep(QObject *of, const QString &token);
    QJSValue back(QObject *of, const QVariantMap &options);
    QJSValue saveState(QObject *of, const QVariantMap &values);
    QJSValue finish(QObject *of, const QVariantMap &values);
    QJSValue dismiss(QObject *of);
    QJSValue dismissWithError(QObject *of, const QString &errorName, const QString &message);
    QJSValue release(QObject *of);
    // The user has closed the view. Until it is shown again, the screen is dismissed as soon as flowbusd takes that.
    void close();
    void acknowledge(const QString &token);

    void callPresentable(const char *member, const QVariantList &arguments, Completion completion);
    // A call that flowbusd takes from the owner alone. If it has lost that this program answered Present, it calls that once more,
    // and the call waits for this.
    void callAsOwner(const char *member, const QVariantList &arguments, Completion completion);
    void reportFailure(const QString &member, const Reply &reply);

Q_SIGNALS:
    void detailsChanged();
    void argumentsChanged();
    void stateChanged();
    void contextChanged();
    void inSightChanged();
    void backStepChanged();
    void updated();
    void returned();
    // The screen is taken from this program for a while: time to save its state.
    void saveStateAsked();
    // A call that was to end the screen failed: it is still this program's.
    void stayed();
    // The last one: the view is to go.
    void withdrawn(const QString &reason);
    void answered(const FlowBus::Answer &answer);
    void callFailed(const QString &member, const QString &errorName, const QString &errorMessage);

private Q_SLOTS:
    void propertiesChanged(const QString &interface, const QVariantMap &values, const QStringList &invalidated);

private:
    void readAgain();
    // Whether flowbusd calls for the screen as for one that nobody owns, although this program does.
    bool isLost() const;
    void takeProperties(const QVariantMap &values);
    void takeAnswer(const QString &token, const QString &outcome, const QVariantMap &result);
    void whenOwned(std::function<void()> action, std::function<void()> inVain = {});
    void leave(const char *member, const QVariantList &arguments, const QString &reason, Completion completion);
    void end(const QString &reason);
    void releaseEvicted();

    Setting visibility{this, "SetVisible"};
    Setting title{this, "SetTitle"};
    Setting backStepSetting{this, "SetBackStep"};
    Setting savedState{this, "SaveState"};
    // What waits until the screen is this program's, and what is done if it never is.
    QList<std::pair<std::function<void()>, std::function<void()>>> postponed;
    // Counts the accepted calls of Present.
    int accepted = 0;
    QVariantMap wireState;
    QSet<QString> taken;
    QElapsedTimer lastTouch;
    bool followsSight = false;
    bool isEvicted = false;
    bool isClosed = false;
};

}

Q_DECLARE_METATYPE(FlowBus::Answer)
