// SPDX-License-Identifier: Apache-2.0
#include "presenter.h"

#include "names.h"
#include "screenwindow.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QMetaProperty>
#include <QtCore/QPointer>
#include <QtCore/QTimer>
#include <QtDBus/QDBusObjectPath>
#include <QtGui/QGuiApplication>
#include <QtQml/QQmlContext>
#include <QtQml/QQmlEngine>
#include <QtQml/QQmlInfo>

#include <utility>

using namespace FlowBus;

namespace {

// Those that serve screens.
QList<FlowBusPresenter *> presenters;

bool isQuitting = false;

// Windows whose screens are gone, and which are still shown.
int lingering = 0;

}

FlowBusPresenter::FlowBusPresenter(QObject *parent) : FlowBusService(Endpoint::PresenterRole, parent) {}

FlowBusPresenter::~FlowBusPresenter()
{
    presenters.removeOne(this);
    for (const QDBusMessage &call : std::exchange(m_postponed, {}))
        m_bus->connection().send(call.createErrorReply(Error::failed, QStringLiteral("the presenter is gone")));
    if (std::exchange(m_awaitsRelease, false))
        QMetaObject::invokeMethod(qApp, &FlowBusPresenter::released, Qt::QueuedConnection);
    for (const qulonglong instance : m_views.keys()) {
        View view = m_views.take(instance);
        // A program that ends loses its screens as one that crashes, and flowbusd knows from the definitions what is to follow.
        if (view.screen->isOwned && view.screen->isLive && !view.screen->isLeaving && !isQuitting)
            view.screen->giveUp();
        fail(view, Error::failed, QStringLiteral("the presenter is gone"));
        delete view.window;
        delete view.screen;
    }
}

void FlowBusPresenter::setScreens(const QVariantMap &screens)
{
    m_screens = screens;
    Q_EMIT screensChanged();
}

void FlowBusPresenter::setExitWhenIdle(bool exits)
{
    if (std::exchange(m_exitWhenIdle, exits) == exits)
        return;
    Q_EMIT exitWhenIdleChanged();
    checkIdle();
}

FlowBusScreenWindow *FlowBusPresenter::lookup(qulonglong instance) const
{
    return m_views.value(instance).window;
}

void FlowBusPresenter::componentComplete()
{
    if (!findBus())
        return;
    if (!m_bus->isConnected()) {
        // As when the connection is lost later: nobody can reach the program. The main loop may not run yet.
        QMetaObject::invokeMethod(qApp, [] { QCoreApplication::exit(1); }, Qt::QueuedConnection);
        return;
    }
    // The last window that is closed does not end the program: its Dismiss is under way then, and screens may follow.
    QGuiApplication::setQuitOnLastWindowClosed(false);
    if (!serve())
        return;
    if (presenters.isEmpty())
        connect(qApp, &QCoreApplication::aboutToQuit, qApp, [] { isQuitting = true; });
    presenters << this;
    connect(m_bus, &Bus::idle, this, &FlowBusPresenter::checkIdle);
    requestName();
}

void FlowBusPresenter::nameChanged(bool isOwned)
{
    if (m_isReleasing)
        return;
    setNameOwned(isOwned);
    if (isOwned)
        Q_EMIT acquiredName();
    else
        Q_EMIT lostName();
}

void FlowBusPresenter::called(const QDBusMessage &message)
{
    if (message.member() == QLatin1String("Withdraw"))
        withdraw(message);
    else if (message.member() == QLatin1String("Alive"))
        m_bus->connection().send(message.createReply());
    else if (m_isReleasing)
        m_postponed << message;
    else
        present(message);
}

void FlowBusPresenter::present(const QDBusMessage &message)
{
    const QVariantList values = message.arguments();
    const QVariantMap arguments = fromWireMap(values.value(2));
    const QVariantMap details = fromWireMap(values.value(3));
    const qulonglong instance = details.value(QStringLiteral("instance")).toULongLong();
    if (!instance) {
        m_bus->connection().send(message.createErrorReply(
            QDBusError::InvalidArgs, QStringLiteral("the detail 'instance' is missing; it is the number of the screen")));
        return;
    }
    m_hasPresented = true;
    // A screen that was just taken away is presented anew: its former window goes first.
    if (const View former = m_views.value(instance); former.screen && !former.screen->isLive)
        remove(former.screen);
    const bool isNew = !m_views.contains(instance);
    View &view = m_views[instance];
    view.calls << message;
    if (!isNew) {
        view.screen->presented(arguments, details);
        if (view.screen->isOwned)
            answer(view);
        return;
    }
    view.screen = new Screen(this, m_bus, values.value(0).value<QDBusObjectPath>().path(), values.value(1).toString(), instance);
    view.screen->presented(arguments, details);
    connect(view.screen, &Screen::withdrawn, this, [this, screen = view.screen](const QString &reason) {
        remove(screen, reason != QLatin1String("evicted"));
    }, Qt::QueuedConnection);
    Q_EMIT countChanged();
    view.component = component(view.screen->name, view.ownsComponent);
    if (!view.component) {
        fail(view, Error::refused,
             QStringLiteral("this program has no screen '%1'; it has '%2'")
                 .arg(view.screen->name, screenNames().join(QLatin1String("', '"))));
    } else if (view.component->isLoading()) {
        connect(view.component, &QQmlComponent::statusChanged, view.screen, [this, instance] { create(instance); });
    } else {
        create(instance);
    }
}

// The component of a screen: an entry of `screens`, or a property of that name.
QQmlComponent *FlowBusPresenter::component(const QString &screen, bool &owns)
{
    QVariant value = m_screens.value(screen);
    if (!value.isValid() && screenNames().contains(screen))
        value = property(screen.toUtf8().constData());
    if (value.metaType() == QMetaType::fromType<QJSValue>())
        value = value.value<QJSValue>().toVariant();
    if (auto *component = qobject_cast<QQmlComponent *>(value.value<QObject *>()))
        return component;
    const bool isUrl = value.typeId() == QMetaType::QString || value.typeId() == QMetaType::QUrl;
    QQmlContext *context = qmlContext(this);
    if (!isUrl || !context)
        return nullptr;
    owns = true;
    return new QQmlComponent(context->engine(), context->resolvedUrl(value.toUrl()), QQmlComponent::PreferSynchronous, this);
}

QStringList FlowBusPresenter::screenNames() const
{
    QStringList names = m_screens.keys();
    for (int index = staticMetaObject.propertyCount(); index < metaObject()->propertyCount(); ++index) {
        const QMetaProperty property = metaObject()->property(index);
        if (property.read(this).canConvert<QQmlComponent *>())
            names << QString::fromUtf8(property.name());
    }
    return names;
}

// The window of a screen whose component is there.
void FlowBusPresenter::create(qulonglong instance)
{
    const auto found = m_views.find(instance);
    if (found == m_views.end() || found->window || found->component->isLoading())
        return;
    View &view = *found;
    QQmlContext *context = view.component->creationContext();
    FlowBusScreenWindow::setNext(view.screen);
    QObject *object = view.component->beginCreate(context ? context : qmlContext(this));
    FlowBusScreenWindow::setNext(nullptr);
    auto *window = qobject_cast<FlowBusScreenWindow *>(object);
    if (window) {
        QQmlEngine::setObjectOwnership(window, QQmlEngine::CppOwnership);
        view.window = window;
    }
    if (object)
        view.component->completeCreate();
    if (!window) {
        QString problem = view.component->errorString().trimmed();
        if (object)
            problem = QStringLiteral("the component is a %1, and not a ScreenWindow")
                          .arg(QLatin1String(object->metaObject()->className()));
        delete object;
        // This process has no other component: it does not get better by itself.
        return fail(m_views[instance], Error::refused, QStringLiteral("screen '%1': %2").arg(found->screen->name, problem));
    }
    settle(instance);
}

void FlowBusPresenter::settle(qulonglong instance)
{
    const auto found = m_views.find(instance);
    if (found == m_views.end() || !found->window || found->calls.isEmpty())
        return;
    if (const QLatin1String error = found->window->failure(); !error.isEmpty())
        return fail(*found, error, found->window->failureMessage());
    if (found->window->isHeld())
        return;
    // What handles the signals of the window may end it.
    found->window->begin();
    const auto shown = m_views.find(instance);
    if (shown != m_views.end() && shown->window && !shown->window->isAwaited() && !shown->calls.isEmpty())
        answer(*shown);
}

void FlowBusPresenter::answer(View &view)
{
    const QVariantMap report = view.screen->report();
    for (const QDBusMessage &call : std::exchange(view.calls, {}))
        m_bus->connection().send(call.createReply(report));
    view.screen->answeredPresent();
}

// The answer to Present is an error: that of a screen which this program will never show, or another one.
void FlowBusPresenter::fail(View &view, const QString &errorName, const QString &message)
{
    if (!view.calls.isEmpty())
        qmlWarning(this).noquote() << (errorName == Error::refused ? "Present is refused: " : "Present fails: ") << message;
    for (const QDBusMessage &call : std::exchange(view.calls, {}))
        m_bus->connection().send(call.createErrorReply(errorName, message));
    view.screen->refused();
}

void FlowBusPresenter::withdraw(const QDBusMessage &message)
{
    const QVariantList values = message.arguments();
    const auto found = m_views.find(values.value(1).toULongLong());
    if (found != m_views.end())
        found->screen->withdraw(values.value(2).toString());
    if (message.isReplyRequired())
        m_bus->connection().send(message.createReply());
}

void FlowBusPresenter::remove(Screen *screen, bool mayLinger)
{
    if (m_views.value(screen->instance).screen != screen)
        return;
    const View view = m_views.take(screen->instance);
    // Present of a screen that is not shown yet has no answer.
    for (const QDBusMessage &call : view.calls)
        m_bus->connection().send(call.createErrorReply(Error::failed, QStringLiteral("the screen was withdrawn")));
    const auto end = [view] {
        if (view.window)
            view.window->end();
        if (view.ownsComponent && view.component)
            view.component->deleteLater();
        view.screen->deleteLater();
    };
    const int lingerTime = view.window && mayLinger ? view.window->lingerTime() : 0;
    if (lingerTime > 0) {
        ++lingering;
        QTimer::singleShot(lingerTime, qApp, [end, window = QPointer<FlowBusScreenWindow>(view.window)] {
            --lingering;
            if (window)
                end();
            checkIdle();
        });
    } else {
        end();
    }
    Q_EMIT countChanged();
    checkIdle();
}

// The program ends for all its presenters.
void FlowBusPresenter::checkIdle()
{
    bool ends = false;
    if (lingering > 0)
        return;
    for (const FlowBusPresenter *one : std::as_const(presenters)) {
        if (!one->m_views.isEmpty() || one->m_bus->callsUnderWay() || one->m_isReleasing)
            return;
        ends = ends || (one->m_exitWhenIdle && one->m_hasPresented);
    }
    if (ends)
        releaseNames();
}

// From then on the bus starts another process for a call. What came before is still taken.
void FlowBusPresenter::releaseNames()
{
    const QList<FlowBusPresenter *> all = presenters;
    for (FlowBusPresenter *one : all)
        one->m_isReleasing = one->m_awaitsRelease = true;
    for (FlowBusPresenter *one : all) {
        one->m_busName->release(one, [one] {
            one->m_awaitsRelease = false;
            released();
        });
    }
}

void FlowBusPresenter::released()
{
    bool isIdle = true;
    for (const FlowBusPresenter *one : std::as_const(presenters)) {
        if (one->m_awaitsRelease)
            return;
        isIdle = isIdle && one->m_postponed.isEmpty() && !one->m_bus->callsUnderWay();
    }
    const QList<FlowBusPresenter *> all = presenters;
    for (FlowBusPresenter *one : all) {
        if (!presenters.contains(one))
            continue;
        one->m_isReleasing = false;
        if (isIdle) {
            one->setNameOwned(false);
            if (one->m_exitWhenIdle)
                Q_EMIT one->idle();
            continue;
        }
        // The answer has to come from the owner of the name: the bus takes this request before the answer.
        one->m_busName->request();
        for (const QDBusMessage &message : std::exchange(one->m_postponed, {}))
            one->present(message);
    }
    if (isIdle)
        QCoreApplication::quit();
    else
        checkIdle();
}
