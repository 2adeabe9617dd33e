// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "screen.h"
#include "service.h"

#include <QtCore/QMap>
#include <QtQml/QQmlComponent>
#include <QtQml/QQmlListProperty>

Q_MOC_INCLUDE("screenwindow.h")
class FlowBusScreenWindow;

/*!
    \qmltype Presenter
    \brief Shows the screens that flowbusd asks this program for.

    It exports its object, requests its bus name, and opens a ScreenWindow for each screen that it is asked for. For each screen it
    has a component: in \l screens, or as a property that has the name of the screen.

    \qml
    Presenter {
        name: "org.example.Cinema"
        property Component films: ScreenWindow { title: "Films" }
        property Component film: FilmWindow { }
    }
    \endqml
*/
class FlowBusPresenter : public FlowBusService
{
    Q_OBJECT
    QML_NAMED_ELEMENT(Presenter)
    Q_CLASSINFO("DefaultProperty", "data")

    /*! A component or a URL for each name of a screen. A screen that is not in it is looked up among the properties. */
    Q_PROPERTY(QVariantMap screens READ screens WRITE setScreens NOTIFY screensChanged FINAL)
    /*! Whether the program ends when none of its presenters shows a screen any more. It never does before the first screen of this
        presenter. The default is false. */
    Q_PROPERTY(bool exitWhenIdle READ exitWhenIdle WRITE setExitWhenIdle NOTIFY exitWhenIdleChanged FINAL)
    /*! How many screens it shows. */
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    /*! Other objects that belong to it, such as a Guard. */
    Q_PROPERTY(QQmlListProperty<QObject> data READ data FINAL)

public:
    explicit FlowBusPresenter(QObject *parent = nullptr);
    ~FlowBusPresenter() override;

    QVariantMap screens() const { return m_screens; }
    void setScreens(const QVariantMap &screens);
    bool exitWhenIdle() const { return m_exitWhenIdle; }
    void setExitWhenIdle(bool exits);
    int count() const { return int(m_views.size()); }
    QQmlListProperty<QObject> data() { return {this, &m_data}; }

    /*! \qmlmethod ScreenWindow Presenter::lookup(int instance)
        The window of the screen with this instance; null if there is none. */
    Q_INVOKABLE FlowBusScreenWindow *lookup(qulonglong instance) const;

    void componentComplete() override;

    // Of ScreenWindow, which decides whether the screen is shown, and when Present is answered.
    void settle(qulonglong instance);

Q_SIGNALS:
    void screensChanged();
    void exitWhenIdleChanged();
    void countChanged();
    /*! The program has the bus name now. */
    void acquiredName();
    /*! Another program has the bus name. */
    void lostName();
    /*! The program shows no screen any more, has given its names back, and ends now. Only with \l exitWhenIdle. */
    void idle();

private:
    // A screen with its window, and the calls of Present that are not answered yet.
    struct View
    {
        FlowBus::Screen *screen = nullptr;
        QPointer<QQmlComponent> component;
        QPointer<FlowBusScreenWindow> window;
        QList<QDBusMessage> calls;
        bool ownsComponent = false;
    };

    void called(const QDBusMessage &message) override;
    void nameChanged(bool isOwned) override;
    void present(const QDBusMessage &message);
    void withdraw(const QDBusMessage &message);
    QQmlComponent *component(const QString &screen, bool &owns);
    QStringList screenNames() const;
    void create(qulonglong instance);
    void answer(View &view);
    void fail(View &view, const QString &errorName, const QString &message);
    void remove(FlowBus::Screen *screen, bool mayLinger = false);
    static void checkIdle();
    static void releaseNames();
    static void released();

    QVariantMap m_screens;
    QList<QObject *> m_data;
    QMap<qulonglong, View> m_views;
    QList<QDBusMessage> m_postponed;
    bool m_exitWhenIdle = false;
    bool m_hasPresented = false;
    // The name is being given back; and the bus has not answered yet.
    bool m_isReleasing = false;
    bool m_awaitsRelease = false;
};
