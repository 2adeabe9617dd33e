// SPDX-License-Identifier: Apache-2.0
#include "watchdog.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QPointer>
#include <QtCore/QTimer>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace FlowBus {

namespace {

// systemd's watchdog: the main loop says WATCHDOG=1 in half of the time that WatchdogSec= of the unit gives, so that systemd ends a
// program whose main loop hangs. What is in the environment counts as sd_watchdog_enabled(3) has it; the protocol is in sd_notify(3).
class Watchdog : public QTimer
{
public:
    explicit Watchdog(QObject *parent) : QTimer(parent)
    {
        const QByteArray path = qgetenv("NOTIFY_SOCKET");
        if (!qEnvironmentVariableIsSet("WATCHDOG_USEC") || !qEnvironmentVariableIsSet("NOTIFY_SOCKET"))
            return;
        if (qEnvironmentVariableIsSet("WATCHDOG_PID")) {
            const QByteArray text = qgetenv("WATCHDOG_PID");
            const quint64 process = number(text);
            if (process == 0 || process > quint64(std::numeric_limits<pid_t>::max())) {
                qWarning("flowbus: WATCHDOG_PID is '%s', and no number of a process: systemd's watchdog gets no answer", text.constData());
                return;
            }
            if (process != quint64(getpid()))
                return;
        }
        const QByteArray time = qgetenv("WATCHDOG_USEC");
        const quint64 microseconds = number(time);
        if (microseconds == 0 || microseconds == std::numeric_limits<quint64>::max()) {
            qWarning("flowbus: WATCHDOG_USEC is '%s', and no number of microseconds above 0: systemd's watchdog gets no answer", time.constData());
            return;
        }
        if ((!path.startsWith('/') && !path.startsWith('@')) || path.size() == 1 || path.size() > qsizetype(sizeof m_address.sun_path)) {
            qWarning("flowbus: NOTIFY_SOCKET is '%s', and no path or abstract name of a socket: systemd's watchdog gets no answer", path.constData());
            return;
        }
        m_address.sun_family = AF_UNIX;
        std::memcpy(m_address.sun_path, path.constData(), size_t(path.size()));
        if (path.startsWith('@'))
            m_address.sun_path[0] = '\0';
        m_addressSize = socklen_t(offsetof(sockaddr_un, sun_path) + size_t(path.size()));
        m_interval = std::chrono::milliseconds(std::clamp<quint64>(microseconds / 2000, 1, std::chrono::milliseconds(1h).count()));
        setSingleShot(true);
        callOnTimeout(this, [this] { ping(); });
        start(0ms);
    }

private:
    // 0 if the text is none.
    static quint64 number(const QByteArray &text)
    {
        const bool hasDigits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        return hasDigits ? text.toULongLong() : 0;
    }

    void ping()
    {
        static const char message[] = "WATCHDOG=1";
        const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        const bool isSent = file >= 0
            && sendto(file, message, std::strlen(message), MSG_NOSIGNAL, reinterpret_cast<const sockaddr *>(&m_address), m_addressSize) >= 0;
        if (!isSent && errno != EAGAIN && !std::exchange(m_hasFailed, true))
            qWarning("flowbus: systemd's watchdog gets no answer at '%s': %s", qgetenv("NOTIFY_SOCKET").constData(), std::strerror(errno));
        if (file >= 0)
            close(file);
        // systemd can be too busy for it: it is tried again well before the time is over.
        start(isSent ? m_interval : std::max(m_interval / 10, 1ms));
    }

    sockaddr_un m_address = {};
    socklen_t m_addressSize = 0;
    std::chrono::milliseconds m_interval = 0ms;
    bool m_hasFailed = false;
};

}

void answerWatchdog()
{
    static QPointer<Watchdog> watchdog;
    if (!watchdog)
        watchdog = new Watchdog(QCoreApplication::instance());
}

}
