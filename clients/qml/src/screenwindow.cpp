// SPDX-License-Identifier: Apache-2.0
#include "screenwindow.h"

#include "identity.h"
#include "names.h"
#include "presenter.h"
#include "steps.h"

#include <QtCore/QMetaMethod>
#include <QtCore/QTimer>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QStyleHints>
#include <QtQml/QQmlInfo>
#include <QtQuick/QQuickItem>

#include <algorithm>
#include <chrono>
#include <utility>

using namespace FlowBus;

namespace {

// How near to the edge a swipe begins, and how far it goes, in pixels that do not depend on the density of the display.
constexpr double swipeEdge = 16;
constexpr double swipeLength = 80;

// How long the answer to Present waits for a window that is shown: on a workspace that nobody looks at it may never be drawn.
constexpr std::chrono::seconds answerLimit{1};

QPointer<Screen> nextScreen;

// Whether an item follows the pointer and lets nobody else take it, as a slider that is dragged. A button that is pressed does not.
bool isTaken(QPointerEvent *event)
{
    QObject *grabber = event->exclusiveGrabber(event->point(0));
    if (auto *item = qobject_cast<QQuickItem *>(grabber))
        return item->keepMouseGrab() || item->keepTouchGrab();
    return grabber && grabber->inherits("QQuickDragHandler");
}

quint64 now()
{
    using namespace std::chrono;
    return quint64(duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
}

}

FlowBusScreenWindow::FlowBusScreenWindow(QWindow *parent) : QQuickWindow(parent)
{
    connect(this, &QWindow::visibleChanged, this, &FlowBusScreenWindow::visibleChanged);
    connect(this, &QWindow::visibilityChanged, this, &FlowBusScreenWindow::visibilityChanged);
    // All ways to show a window go through this, and it comes before the window of the platform is made or mapped.
    connect(this, &QWindow::visibleChanged, this, [this](bool isVisible) {
        if (!m_screen)
            return;
        if (isVisible) {
            setApplicationId(applicationId(path(), instance()));
        } else {
            m_wasExposed = false;
            if (m_isRemapping)
                return; // The screen is as visible as before.
            m_isSeen = false;
            if (m_screen->isLive && !m_screen->isLeaving && !m_isClosing)
                m_screen->setVisible(false);
            endWait();
        }
    });
    connect(this, &QWindow::windowTitleChanged, this, [this](const QString &title) {
        if (m_screen)
            m_screen->setTitle(title);
    });
    if (nextScreen)
        attach(std::exchange(nextScreen, nullptr));
}

FlowBusScreenWindow::~FlowBusScreenWindow() = default;

void FlowBusScreenWindow::setNext(Screen *screen)
{
    nextScreen = screen;
}

QStringList FlowBusScreenWindow::styles() const
{
    return details().toMap().value(QStringLiteral("styles")).toStringList();
}

QSize FlowBusScreenWindow::outputSize() const
{
    const QVariantList sides = details().toMap().value(QStringLiteral("size")).toList();
    return sides.size() == 2 ? QSize(sides[0].toInt(), sides[1].toInt()) : QSize();
}

void FlowBusScreenWindow::attach(Screen *screen)
{
    m_screen = screen;
    connect(screen, &Screen::detailsChanged, this, &FlowBusScreenWindow::detailsChanged);
    connect(screen, &Screen::argumentsChanged, this, &FlowBusScreenWindow::argumentsChanged);
    connect(screen, &Screen::stateChanged, this, &FlowBusScreenWindow::stateChanged);
    connect(screen, &Screen::contextChanged, this, &FlowBusScreenWindow::contextChanged);
    connect(screen, &Screen::inSightChanged, this, &FlowBusScreenWindow::inSightChanged);
    connect(screen, &Screen::backStepChanged, this, &FlowBusScreenWindow::backStepChanged);
    connect(screen, &Screen::updated, this, [this] {
        raiseWindow();
        Q_EMIT updated();
    });
    connect(screen, &Screen::returned, this, [this] {
        raiseWindow();
        Q_EMIT returned();
    });
    connect(screen, &Screen::saveStateAsked, this, &FlowBusScreenWindow::saveStateAsked);
    connect(screen, &Screen::answered, this, &FlowBusScreenWindow::answered);
    connect(screen, &Screen::callFailed, this,
            [this](const QString &member, const QString &errorName, const QString &errorMessage) {
                warn(this, member, errorName, errorMessage);
                Q_EMIT callFailed(member, errorName, errorMessage);
            });
    connect(screen, &Screen::stayed, this, [this] {
        // What nobody sees covers nothing.
        if (m_hasBegun && !isVisible())
            m_screen->setVisible(false);
    });
    connect(screen, &Screen::withdrawn, this, [this](const QString &reason) {
        Q_EMIT liveChanged();
        Q_EMIT withdrawn(reason);
    });
}

void FlowBusScreenWindow::componentComplete()
{
    if (!m_screen)
        qmlWarning(this) << "a ScreenWindow is made by a Presenter, from the component of a screen";
}

bool FlowBusScreenWindow::inSight() const
{
    if (m_screen)
        m_screen->followSight();
    return m_screen && m_screen->isInSight;
}

void FlowBusScreenWindow::begin()
{
    if (std::exchange(m_hasBegun, true))
        return;
    if (isSignalConnected(QMetaMethod::fromSignal(&FlowBusScreenWindow::inSightChanged)))
        m_screen->followSight();
    showWindow();
}

void FlowBusScreenWindow::showWindow()
{
    if (m_wantedVisibility == Hidden || !m_wantedVisible || !m_screen->isLive)
        return;
    m_isAwaited = m_wantedVisibility != Minimized;
    // The compositor of a device gives the window this size: with it from the beginning, nothing is painted twice. X11 has the pixels of
    // the display.
    if (size().isNull() && style() != QLatin1String("bar") && !outputSize().isEmpty())
        resize(QGuiApplication::platformName() == QLatin1String("xcb") ? outputSize() / devicePixelRatio() : outputSize());
    QTimer::singleShot(answerLimit, this, &FlowBusScreenWindow::endWait);
    if (m_wantedVisibility != AutomaticVisibility)
        setVisibility(m_wantedVisibility);
    else
        setVisible(true);
    const QString token = m_screen->takeActivationToken();
    if (!token.isEmpty())
        FlowBus::raise(this, token);
}

void FlowBusScreenWindow::raiseWindow()
{
    if (!m_hasBegun || !isVisible())
        return;
    const QString token = m_screen->takeActivationToken();
    if (!FlowBus::comesByMapping()) {
        FlowBus::raise(this, token);
    } else if (!isActive()) { // With such a compositor, what is in front has the focus.
        m_isRemapping = true;
        setVisible(false);
        setVisible(true);
        m_isRemapping = false;
    }
}

// Where the compositor shows the screens in sight and no others, it can show the window until the next one is drawn.
int FlowBusScreenWindow::lingerTime() const
{
    return isVisible() ? std::clamp(qEnvironmentVariableIntValue("FLOWBUS_LINGER_MS"), 0, 10000) : 0;
}

void FlowBusScreenWindow::end()
{
    // A window that takes its user's last key press is destroyed only when that is over.
    setVisible(false);
    deleteLater();
}

void FlowBusScreenWindow::setWantedVisible(bool visible)
{
    m_wantedVisible = visible;
    if (m_hasBegun)
        setVisible(visible);
}

void FlowBusScreenWindow::setWantedVisibility(Visibility visibility)
{
    m_wantedVisibility = visibility;
    if (m_hasBegun)
        setVisibility(visibility);
}

// The screen can be seen from the first time that the compositor has it shown, or from when it is ready, until it is hidden. What covers
// the window later is no concern of the tree.
void FlowBusScreenWindow::exposeEvent(QExposeEvent *event)
{
    QQuickWindow::exposeEvent(event);
    if (isExposed() && m_screen && m_screen->isLive && !std::exchange(m_wasExposed, true))
        reportVisible();
}

void FlowBusScreenWindow::reportVisible()
{
    if (m_wasExposed && m_isReady && m_screen && m_screen->isLive && !std::exchange(m_isSeen, true)) {
        m_screen->setVisible(true);
        endWait();
    }
}

void FlowBusScreenWindow::endWait()
{
    if (std::exchange(m_isAwaited, false) && m_screen && m_screen->isLive)
        m_screen->presenter->settle(instance());
}

void FlowBusScreenWindow::setReady(bool ready)
{
    if (std::exchange(m_isReady, ready) == ready)
        return;
    reportVisible();
    Q_EMIT readyChanged();
}

bool FlowBusScreenWindow::isBack(QEvent *event) const
{
    switch (event->type()) {
    case QEvent::KeyPress: {
        const auto *press = static_cast<QKeyEvent *>(event);
        return m_backKeys && !press->isAutoRepeat() && press->modifiers() == Qt::NoModifier
            && (press->key() == Qt::Key_Escape || press->key() == Qt::Key_Back);
    }
    case QEvent::MouseButtonPress: return m_backKeys && static_cast<QMouseEvent *>(event)->button() == Qt::BackButton;
    default: return false;
    }
}

// Not only steps are input: who types or scrolls is there, and the device is not idle.
void FlowBusScreenWindow::noteInput(QEvent *event)
{
    switch (event->type()) {
    case QEvent::KeyPress:
    case QEvent::MouseButtonPress:
    case QEvent::Wheel:
    case QEvent::TouchBegin:
    case QEvent::TouchUpdate:
    case QEvent::TabletPress:
        if (live())
            touch();
        break;
    default: break;
    }
}

bool FlowBusScreenWindow::event(QEvent *event)
{
    switch (event->type()) {
    case QEvent::PlatformSurface:
        if (static_cast<QPlatformSurfaceEvent *>(event)->surfaceEventType() == QPlatformSurfaceEvent::SurfaceCreated && m_screen)
            setScreenProperty(this, path(), instance());
        break;
    case QEvent::KeyPress:
    case QEvent::KeyRelease:
    case QEvent::MouseButtonPress:
    case QEvent::MouseMove:
    case QEvent::MouseButtonRelease:
    case QEvent::TouchBegin:
    case QEvent::TouchUpdate:
    case QEvent::TouchEnd:
    case QEvent::TabletPress:
    case QEvent::TabletRelease: {
        // It lingers, and takes nothing more.
        if (m_hasBegun && !live())
            return true;
        const QPointer<FlowBusScreenWindow> guard(this);
        m_inputTime = now();
        m_inputStamp = static_cast<QInputEvent *>(event)->timestamp();
        noteInput(event);
        // Who takes it says so.
        event->ignore();
        const bool isHandled = QQuickWindow::event(event);
        if (!guard)
            return isHandled;
        if (!event->isAccepted() && isBack(event) && live()) {
            event->accept();
            back();
        }
        followSwipe(event);
        m_inputTime = 0;
        return isHandled;
    }
    case QEvent::Wheel: noteInput(event); break;
    case QEvent::Close: {
        const QPointer<FlowBusScreenWindow> guard(this);
        const QPointer<Screen> screen(m_screen);
        // flowbusd is told that the screen is dismissed, and not that it is hidden before.
        m_isClosing = true;
        const bool isHandled = QQuickWindow::event(event);
        if (!guard)
            return isHandled;
        m_isClosing = false;
        if (!event->isAccepted() && screen && !isVisible() && m_hasBegun)
            screen->setVisible(false);
        if (event->isAccepted() && screen && screen->isLive && !screen->isLeaving)
            screen->close();
        return isHandled;
    }
    default: break;
    }
    return QQuickWindow::event(event);
}

// A swipe from the left edge, with a finger or the mouse; from the right one where people read from the right.
void FlowBusScreenWindow::followSwipe(QEvent *event)
{
    if (!m_backGesture || !event->isPointerEvent())
        return;
    auto *pointer = static_cast<QPointerEvent *>(event);
    if (pointer->pointCount() != 1)
        m_isSwipe = false;
    if (pointer->pointCount() != 1)
        return;
    const QPointF at = pointer->point(0).position();
    const bool isFromRight = QGuiApplication::layoutDirection() == Qt::RightToLeft;
    const QPointF moved = (at - m_swipeBegin) * (isFromRight ? -1 : 1);
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::TouchBegin: {
        const bool isLeftButton
            = event->type() == QEvent::TouchBegin || static_cast<QMouseEvent *>(event)->button() == Qt::LeftButton;
        m_isSwipe = isLeftButton && (isFromRight ? width() - at.x() : at.x()) <= swipeEdge;
        m_swipeBegin = at;
        break;
    }
    case QEvent::MouseMove:
    case QEvent::TouchUpdate:
        m_isSwipe = m_isSwipe && !isTaken(pointer);
        break;
    case QEvent::MouseButtonRelease:
    case QEvent::TouchEnd:
        if (std::exchange(m_isSwipe, false) && moved.x() >= swipeLength && std::abs(moved.y()) < moved.x() && live())
            back();
        break;
    default: break;
    }
}

// The options of a step that the user's input leads to, if it does.
QVariantMap FlowBusScreenWindow::inputOptions(const QVariantMap &options, bool hasTime) const
{
    QVariantMap all = options;
    if (!m_inputTime)
        return all;
    const QString time = QStringLiteral("inputTime");
    if (hasTime && !all.contains(time))
        all.insert(time, m_inputTime);
    // A window manager lets a window come to the front if its token is from the user's last input.
    const QString token = QStringLiteral("activation-token");
    if (QGuiApplication::platformName() == QLatin1String("xcb") && m_inputStamp && !all.contains(token))
        all.insert(token, QStringLiteral("flowbus-qml-%1-%2_TIME%3").arg(QCoreApplication::applicationPid()).arg(instance()).arg(quint32(m_inputStamp)));
    return all;
}

QJSValue FlowBusScreenWindow::emit(const QString &step, const QVariantMap &arguments, const QVariantMap &options)
{
    if (!m_screen)
        return {};
    return m_screen->emitStep(this, step, arguments, inputOptions(options, true));
}

QJSValue FlowBusScreenWindow::ask(const QString &step, const QVariantMap &arguments, const QString &token)
{
    return m_screen ? m_screen->ask(this, step, arguments, token, inputOptions({}, true)) : QJSValue();
}

QJSValue FlowBusScreenWindow::cancelStep(const QString &token)
{
    return m_screen ? m_screen->cancelStep(this, token) : QJSValue();
}

QJSValue FlowBusScreenWindow::back()
{
    return m_screen ? m_screen->back(this, inputOptions({}, false)) : QJSValue();
}

QJSValue FlowBusScreenWindow::saveState(const QVariantMap &state)
{
    return m_screen ? m_screen->saveState(this, state) : QJSValue();
}

QJSValue FlowBusScreenWindow::finish(const QVariantMap &result)
{
    return m_screen ? m_screen->finish(this, result) : QJSValue();
}

QJSValue FlowBusScreenWindow::dismiss()
{
    return m_screen ? m_screen->dismiss(this) : QJSValue();
}

QJSValue FlowBusScreenWindow::dismissWithError(const QString &name, const QString &message)
{
    return m_screen ? m_screen->dismissWithError(this, name, message) : QJSValue();
}

QJSValue FlowBusScreenWindow::release()
{
    return m_screen ? m_screen->release(this) : QJSValue();
}

void FlowBusScreenWindow::setBackStep(const QString &step)
{
    if (m_screen)
        m_screen->setBackStep(step);
}

void FlowBusScreenWindow::touch()
{
    if (m_screen)
        m_screen->touch();
}

void FlowBusScreenWindow::acknowledge(const QString &token)
{
    if (m_screen)
        m_screen->acknowledge(token);
}

QString FlowBusScreenWindow::takeActivationToken()
{
    return m_screen ? m_screen->takeActivationToken() : QString();
}

void FlowBusScreenWindow::fail(const QString &message)
{
    answerPresent("fail", Error::failed, message);
}

void FlowBusScreenWindow::refuse(const QString &message)
{
    answerPresent("refuse", Error::refused, message);
}

void FlowBusScreenWindow::answerPresent(const char *method, QLatin1String errorName, const QString &message)
{
    if (!m_screen || m_hasBegun) {
        qmlWarning(this).nospace() << method
                                   << "() comes too late: the screen is shown already; dismissWithError() gives it up";
        return;
    }
    m_failure = errorName;
    m_failureMessage = message;
    if (std::exchange(m_isHeld, false))
        m_screen->presenter->settle(instance());
}

void FlowBusScreenWindow::hold()
{
    m_isHeld = !m_hasBegun && m_failure.isEmpty();
}

void FlowBusScreenWindow::accept()
{
    if (std::exchange(m_isHeld, false) && m_screen)
        m_screen->presenter->settle(instance());
}
