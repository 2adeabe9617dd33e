// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "screen.h"

#include <QtQml/QQmlParserStatus>
#include <QtQml/qqmlregistration.h>
#include <QtQuick/QQuickWindow>

class FlowBusPresenter;

/*!
    \qmltype ScreenWindow
    \inherits Window
    \brief The window of a screen that flowbusd has this program show.

    A Presenter makes it. It is shown as soon as it is complete, reports whether it can be seen, and dismisses its screen when the
    user closes it, and goes with it; where FLOWBUS_LINGER_MS is set in the environment, so many milliseconds later, so that a
    compositor can show it until the next screen is drawn. When its screen is in sight again, or has new arguments, it comes to the front:
    by the activation token, or, where the compositor has no way for that (or FLOWBUS_RAISE=remap is set), by being shown anew. Escape, the Back key, the back button of the mouse and a swipe from the left edge go back, unless an item of
    the window takes them.

    Write the id of the window before \l arguments: \c {window.arguments.film}. Alone, \c arguments is JavaScript's own.
*/
class FlowBusScreenWindow : public QQuickWindow, public QQmlParserStatus
{
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)
    QML_NAMED_ELEMENT(ScreenWindow)

    /*! The name of the screen in its definition. */
    Q_PROPERTY(QString name READ name CONSTANT FINAL)
    /*! The path of the screen in the tree. */
    Q_PROPERTY(QString path READ path CONSTANT FINAL)
    /*! The number that no other screen ever has. */
    Q_PROPERTY(qulonglong instance READ instance CONSTANT FINAL)
    /*! The path of its flow. */
    Q_PROPERTY(QString flow READ flow NOTIFY detailsChanged FINAL)
    /*! The path of its root. */
    Q_PROPERTY(QString root READ root NOTIFY detailsChanged FINAL)
    /*! The output on which its root stands, usually the name of a display; empty if it stands on none. */
    Q_PROPERTY(QString output READ output NOTIFY detailsChanged FINAL)
    /*! How large that output is, or the one with the windows of roots without an output, in the pixels of the compositor; empty if that is
        not known. A window without a width and a height gets this size, unless its \l style is "bar". */
    Q_PROPERTY(QSize outputSize READ outputSize NOTIFY detailsChanged FINAL)
    /*! Its arguments. A rule can change them (\l updated). An integer beyond 2^53 is a string. */
    Q_PROPERTY(QVariant arguments READ arguments NOTIFY argumentsChanged FINAL)
    /*! Its style, such as "modal"; empty if it has none. */
    Q_PROPERTY(QString style READ style NOTIFY detailsChanged FINAL)
    /*! The styles of the screen and of the flows above it, innermost first. */
    Q_PROPERTY(QStringList styles READ styles NOTIFY detailsChanged FINAL)
    /*! What was saved last, by this process or an earlier one. */
    Q_PROPERTY(QVariant state READ state NOTIFY stateChanged FINAL)
    /*! The values of the context that its declaration names, such as the language, as they are now. */
    Q_PROPERTY(QVariant context READ context NOTIFY contextChanged FINAL)
    /*! Whether nothing of the tree covers the screen. */
    Q_PROPERTY(bool inSight READ inSight NOTIFY inSightChanged FINAL)
    /*! Why flowbusd called last: "launch", "recover", "restore", "update" or "return". */
    Q_PROPERTY(QString reason READ reason NOTIFY detailsChanged FINAL)
    /*! How it came in sight, for an animation: "push", "replace", "pop" or "switch"; else empty. */
    Q_PROPERTY(QString direction READ direction NOTIFY detailsChanged FINAL)
    /*! Everything that the last call said of it. */
    Q_PROPERTY(QVariant details READ details NOTIFY detailsChanged FINAL)
    /*! A step that Back takes in place of leaving the screen, for instance while there are changes to save; empty for none. */
    Q_PROPERTY(QString backStep READ backStep WRITE setBackStep NOTIFY backStepChanged FINAL)
    /*! Whether Escape, the Back key and the back button of the mouse go back. The default is true. */
    Q_PROPERTY(bool backKeys MEMBER m_backKeys NOTIFY backKeysChanged FINAL)
    /*! Whether a swipe from the left edge goes back. The default is true. */
    Q_PROPERTY(bool backGesture MEMBER m_backGesture NOTIFY backGestureChanged FINAL)
    /*! Whether what is to be seen is there, such as \c {picture.status === Image.Ready}. The window is shown all the same, but the screen
        is not visible before; one that is visible stays so. The default is true. */
    Q_PROPERTY(bool ready READ ready WRITE setReady NOTIFY readyChanged FINAL)
    /*! False as soon as the window is to go. */
    Q_PROPERTY(bool live READ live NOTIFY liveChanged FINAL)
    /*! Whether the window is shown. It is true from the beginning unless this is set to false. */
    Q_PROPERTY(bool visible READ isVisible WRITE setWantedVisible NOTIFY visibleChanged)
    /*! How it is shown: \c Window.FullScreen and so on. */
    Q_PROPERTY(Visibility visibility READ visibility WRITE setWantedVisibility NOTIFY visibilityChanged)

public:
    explicit FlowBusScreenWindow(QWindow *parent = nullptr);
    ~FlowBusScreenWindow() override;

    QString name() const { return m_screen ? m_screen->name : QString(); }
    QString path() const { return m_screen ? m_screen->path : QString(); }
    qulonglong instance() const { return m_screen ? m_screen->instance : 0; }
    QString flow() const { return detail("flow"); }
    QString root() const { return detail("root"); }
    QString output() const { return detail("output"); }
    QSize outputSize() const;
    QVariant arguments() const { return m_screen ? m_screen->arguments : QVariantMap(); }
    QString style() const { return detail("style"); }
    QStringList styles() const;
    QVariant state() const { return m_screen ? m_screen->state : QVariantMap(); }
    QVariant context() const { return m_screen ? m_screen->context : QVariantMap(); }
    bool inSight() const;
    QString reason() const { return detail("reason"); }
    QString direction() const { return detail("direction"); }
    QVariant details() const { return m_screen ? m_screen->details : QVariantMap(); }
    QString backStep() const { return m_screen ? m_screen->backStep : QString(); }
    bool ready() const { return m_isReady; }
    void setReady(bool ready);
    bool live() const { return m_screen && m_screen->isLive; }
    void setWantedVisible(bool visible);
    void setWantedVisibility(Visibility visibility);

    /*! \qmlmethod Promise ScreenWindow::emit(string step, object arguments, object options)
        Emits a step on the screen. The arguments get the types that the step declares. The promise has \c {{serial, verdict}};
        it is rejected with an Error whose \c name is that of the D-Bus error. */
    Q_INVOKABLE QJSValue emit(const QString &step, const QVariantMap &arguments = {}, const QVariantMap &options = {});
    /*! \qmlmethod Promise ScreenWindow::ask(string step, object arguments, string token)
        Emits a step, and asks for the result of the screen or flow that it brings. The promise has the answer: \c token,
        \c outcome, \c result and \c hasResult. Save it with saveState(), then call its \c acknowledge(). Until then it comes again
        when the program was started anew, by \l answered. */
    Q_INVOKABLE QJSValue ask(const QString &step, const QVariantMap &arguments = {}, const QString &token = {});
    /*! \qmlmethod Promise ScreenWindow::cancelStep(string token)
        Takes back a step that was emitted or asked on the screen and still waits: its verdict was "deferred", and it was not taken yet.
        The token is that of ask(), or the option \c token of emit(). The promise is rejected with the error InvalidArguments if no such
        step waits. An ask is answered with the outcome "nothing". */
    Q_INVOKABLE QJSValue cancelStep(const QString &token);
    /*! \qmlmethod Promise ScreenWindow::back()
        Goes back, as the user does by Escape. */
    Q_INVOKABLE QJSValue back();
    /*! \qmlmethod Promise ScreenWindow::saveState(object state)
        Saves what the user would lose with this process. The next one has it as \l state. */
    Q_INVOKABLE QJSValue saveState(const QVariantMap &state);
    /*! \qmlmethod Promise ScreenWindow::finish(object result)
        Dismisses the screen with the result that its definition declares. Whole numbers are int64 and others double;
        Value.typed() chooses another type. */
    Q_INVOKABLE QJSValue finish(const QVariantMap &result = {});
    /*! \qmlmethod Promise ScreenWindow::dismiss()
        Dismisses the screen, as closing its window does. */
    Q_INVOKABLE QJSValue dismiss();
    /*! \qmlmethod Promise ScreenWindow::dismissWithError(string name, string message)
        Dismisses the screen because the program has to give up. The flow learns what failed, by the name of an error such as
        "com.example.Pay.Error.Declined" and its text: its step for onDismissed can have both, with the reason "failed". The promise
        of another name is rejected, and the screen stays. */
    Q_INVOKABLE QJSValue dismissWithError(const QString &name, const QString &message = {});
    /*! \qmlmethod Promise ScreenWindow::release()
        Gives the screen up without dismissing it. */
    Q_INVOKABLE QJSValue release();
    /*! \qmlmethod void ScreenWindow::setBackStep(string step)
        Sets \l backStep. */
    Q_INVOKABLE void setBackStep(const QString &step);
    /*! \qmlmethod void ScreenWindow::touch()
        Reports input that is no step, such as scrolling, so that the flow is not idle. At most one call a second goes out. */
    Q_INVOKABLE void touch();
    /*! \qmlmethod void ScreenWindow::acknowledge(string token)
        Says that an answer was taken: it does not come again. */
    Q_INVOKABLE void acknowledge(const QString &token);
    /*! \qmlmethod string ScreenWindow::takeActivationToken()
        The token that lets a window come to the front, once; the window itself uses it when it is shown or raised. */
    Q_INVOKABLE QString takeActivationToken();
    /*! \qmlmethod void ScreenWindow::fail(string message)
        Says that the screen can't be shown now: flowbusd presents it again after a pause, in a new window, until its patience is
        over. Possible until Component.onCompleted has returned, or after hold(); later, call dismissWithError(). */
    Q_INVOKABLE void fail(const QString &message);
    /*! \qmlmethod void ScreenWindow::refuse(string message)
        Says that this program will never show the screen: flowbusd dismisses it at once. Possible when fail() is. */
    Q_INVOKABLE void refuse(const QString &message);
    /*! \qmlmethod void ScreenWindow::hold()
        Puts off the decision whether the screen is shown, until accept(), fail() or refuse(). */
    Q_INVOKABLE void hold();
    /*! \qmlmethod void ScreenWindow::accept()
        Shows the screen after hold(). */
    Q_INVOKABLE void accept();

    void classBegin() override {}
    void componentComplete() override;

    // Of the presenter: the screen of the next window that is made, so that it is there before any property is set; the window is to
    // be shown; it is to go.
    static void setNext(FlowBus::Screen *screen);
    void begin();
    void end();
    // Whether Present is to be answered when the screen can be seen, or will not be.
    bool isAwaited() const { return m_isAwaited; }
    // How long it stays when its screen is gone, in ms.
    int lingerTime() const;
    bool isHeld() const { return m_isHeld; }
    // The name of the error that answers Present, and its text; empty if there is none.
    QLatin1String failure() const { return m_failure; }
    QString failureMessage() const { return m_failureMessage; }

Q_SIGNALS:
    void visibleChanged(bool visible);
    void visibilityChanged(QWindow::Visibility visibility);
    void detailsChanged();
    void argumentsChanged();
    void stateChanged();
    void contextChanged();
    void inSightChanged();
    void backStepChanged();
    void backKeysChanged();
    void backGestureChanged();
    void readyChanged();
    void liveChanged();
    /*! The screen has new arguments, or stands on another output; or it was recovered. */
    void updated();
    /*! The screen is in sight again, and the window was raised. */
    void returned();
    /*! The screen is taken from this program because it was out of sight for long. Call saveState() now. */
    void saveStateAsked();
    /*! The screen is gone, or another program's, and the window goes now. The reason is one of Withdraw, or of this program's
        own: "dismissed", "finished", "released", "failed", or "gone" after a restart of flowbusd without it. */
    void withdrawn(const QString &reason);
    /*! An answer that no promise of ask() waits for: to what an earlier process asked. */
    void answered(const FlowBus::Answer &answer);
    /*! A call about the screen failed. There was a warning, too. */
    void callFailed(const QString &member, const QString &errorName, const QString &errorMessage);

protected:
    bool event(QEvent *event) override;
    void exposeEvent(QExposeEvent *event) override;

private:
    QString detail(const char *key) const { return m_screen ? m_screen->detail(key) : QString(); }
    void attach(FlowBus::Screen *screen);
    void noteInput(QEvent *event);
    bool isBack(QEvent *event) const;
    void followSwipe(QEvent *event);
    QVariantMap inputOptions(const QVariantMap &options, bool hasTime) const;
    void raiseWindow();
    void showWindow();
    void reportVisible();
    void endWait();
    void answerPresent(const char *method, QLatin1String errorName, const QString &message);

    QPointer<FlowBus::Screen> m_screen;
    QLatin1String m_failure;
    QString m_failureMessage;
    QPointF m_swipeBegin;
    // Of the event that is handled now: the time of this process, and that of the display server.
    quint64 m_inputTime = 0;
    quint64 m_inputStamp = 0;
    Visibility m_wantedVisibility = AutomaticVisibility;
    bool m_wantedVisible = true;
    bool m_hasBegun = false;
    bool m_isHeld = false;
    bool m_isAwaited = false;
    bool m_isClosing = false;
    bool m_wasExposed = false;
    bool m_isReady = true;
    // Since it was shown, flowbusd was told that it can be seen.
    bool m_isSeen = false;
    bool m_isSwipe = false;
    // It is hidden to be shown at once.
    bool m_isRemapping = false;
    bool m_backKeys = true;
    bool m_backGesture = true;
};
