// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include "names.h"

#include <QtCore/QTimer>
#include <QtGui/QGuiApplication>
#include <wayland-client.h>
#include <xcb/xcb.h>

#include <cstdlib>

namespace FlowBus {

namespace {

xcb_connection_t *x11()
{
    auto *native = qGuiApp->nativeInterface<QNativeInterface::QX11Application>();
    return native ? native->connection() : nullptr;
}

xcb_atom_t atom(xcb_connection_t *connection, const char *name)
{
    const auto cookie = xcb_intern_atom(connection, 0, uint16_t(qstrlen(name)), name);
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(connection, cookie, nullptr);
    const xcb_atom_t found = reply ? reply->atom : xcb_atom_t(XCB_ATOM_NONE);
    std::free(reply);
    return found;
}

// Whether the compositor has none of these protocols, by which windows come to the front. Qt 6.4 tells nobody its connection, so that
// this one is another.
bool hasNoProtocol()
{
    wl_display *display = wl_display_connect(nullptr);
    if (!display)
        return false;
    bool isFound = false;
    const wl_registry_listener listener = {
        [](void *data, wl_registry *, uint32_t, const char *interface, uint32_t) {
            for (const char *it : {"xdg_activation_v1", "zwlr_foreign_toplevel_manager_v1", "org_kde_plasma_window_management"})
                *static_cast<bool *>(data) |= !qstrcmp(interface, it);
        },
        [](void *, wl_registry *, uint32_t) {}};
    wl_registry *registry = wl_display_get_registry(display);
    wl_registry_add_listener(registry, &listener, &isFound);
    const bool isRead = wl_display_roundtrip(display) >= 0;
    wl_registry_destroy(registry);
    wl_display_disconnect(display);
    return isRead && !isFound;
}

void setText(xcb_connection_t *connection, QWindow *window, const char *property, const QString &text)
{
    const QByteArray bytes = text.toUtf8();
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, xcb_window_t(window->winId()), atom(connection, property),
                        atom(connection, "UTF8_STRING"), 8, uint32_t(bytes.size()), bytes.constData());
}

// Asks the window manager to activate a window; a time of 0 is that of now.
void activate(xcb_connection_t *connection, QWindow *window, uint32_t time)
{
    constexpr uint32_t fromApplication = 1;
    xcb_client_message_event_t event = {};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = xcb_window_t(window->winId());
    event.type = atom(connection, "_NET_ACTIVE_WINDOW");
    event.data.data32[0] = fromApplication;
    event.data.data32[1] = time;
    xcb_send_event(connection, 0, xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root,
                   XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                   reinterpret_cast<const char *>(&event));
    xcb_flush(connection);
}

}

QString applicationId(const QString &path, qulonglong instance)
{
    QString place = path.mid(treePath.size() + 1);
    place.replace(QLatin1Char('/'), QLatin1Char('.'));
    return QStringLiteral("org.flowbus.screen.%1-%2").arg(place).arg(instance);
}

void setApplicationId(const QString &id)
{
    static QString own;
    static bool isOther = false;
    if (!isOther) {
        own = QGuiApplication::desktopFileName();
        isOther = true;
        QTimer::singleShot(0, qGuiApp, [] {
            isOther = false;
            QGuiApplication::setDesktopFileName(own);
        });
    }
    QGuiApplication::setDesktopFileName(id);
}

void setScreenProperty(QWindow *window, const QString &path, qulonglong instance)
{
    if (xcb_connection_t *connection = x11()) {
        setText(connection, window, "_FLOWBUS_SCREEN", QStringLiteral("%1 %2").arg(path).arg(instance));
        xcb_flush(connection);
    }
}

bool comesByMapping()
{
    static const bool isSo = [] {
        const QByteArray way = qgetenv("FLOWBUS_RAISE");
        if (way == "remap" || way == "token")
            return way == "remap";
        if (!way.isEmpty())
            qWarning("FLOWBUS_RAISE is '%s'; set it to 'remap' or 'token', or not at all", way.constData());
        // GNOME Shell, and KWin, which hides its protocol from all but a few programs, take tokens; there a window would flicker for nothing.
        return QGuiApplication::platformName().startsWith(QLatin1String("wayland")) && hasNoProtocol();
    }();
    return isSo;
}

void raise(QWindow *window, const QString &activationToken)
{
    window->raise();
    xcb_connection_t *connection = x11();
    if (activationToken.isEmpty()) {
        // Under Wayland, who has the focus keeps it then. Qt would ask for a token itself, which the compositor grants if another
        // window of this program has the focus.
        if (!QGuiApplication::platformName().startsWith(QLatin1String("wayland")))
            window->requestActivate();
    } else if (connection) {
        setText(connection, window, "_NET_STARTUP_ID", activationToken);
        // By the time in its token, a window manager knows that it is not older than what the user did last. Qt would give the time
        // of the last event that this program got.
        const qsizetype at = activationToken.lastIndexOf(QLatin1String("_TIME"));
        activate(connection, window, at < 0 ? 0 : uint32_t(activationToken.mid(at + 5).toULong()));
    } else {
        // Qt's plugin for Wayland takes the token from here, and removes it.
        qputenv("XDG_ACTIVATION_TOKEN", activationToken.toUtf8());
        window->requestActivate();
    }
}

}
