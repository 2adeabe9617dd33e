/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* systemd's watchdog: the main loop says WATCHDOG=1 in half of the time that WatchdogSec= of the unit gives, so that systemd ends a
 * program whose main loop hangs. What is in the environment counts as sd_watchdog_enabled(3) has it; the protocol is in sd_notify(3). */

#define MESSAGE "WATCHDOG=1"
#define LONGEST_INTERVAL G_TIME_SPAN_HOUR
#define SHORTEST_INTERVAL G_TIME_SPAN_MILLISECOND

static gint64 interval; /* microseconds; 0 if nobody waits for this process */
static struct sockaddr_un address;
static socklen_t address_length;

static void
read_environment (void)
{
  const char *time = g_getenv ("WATCHDOG_USEC"), *process = g_getenv ("WATCHDOG_PID"), *path = g_getenv ("NOTIFY_SOCKET");
  guint64 microseconds, pid;

  if (!time || !path)
    return;
  if (process && !g_ascii_string_to_unsigned (process, 10, 1, G_MAXINT, &pid, NULL)) {
    g_message ("WATCHDOG_PID is '%s', and no number of a process: systemd's watchdog gets no answer", process);
    return;
  }
  if (process && pid != (guint64) getpid ())
    return;
  if (!g_ascii_string_to_unsigned (time, 10, 1, G_MAXUINT64 - 1, &microseconds, NULL)) {
    g_message ("WATCHDOG_USEC is '%s', and no number of microseconds above 0: systemd's watchdog gets no answer", time);
    return;
  }
  if ((*path != '/' && *path != '@') || !path[1] || strlen (path) > sizeof address.sun_path) {
    g_message ("NOTIFY_SOCKET is '%s', and no path or abstract name of a socket: systemd's watchdog gets no answer", path);
    return;
  }
  address.sun_family = AF_UNIX;
  memcpy (address.sun_path, path, strlen (path));
  if (*path == '@')
    *address.sun_path = '\0';
  address_length = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + strlen (path));
  interval = CLAMP ((gint64) (microseconds / 2), SHORTEST_INTERVAL, LONGEST_INTERVAL);
}

static gboolean
ping (GSource *source, GSourceFunc callback, gpointer data)
{
  static gboolean has_failed;
  int file = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  gboolean is_sent =
    file >= 0 && sendto (file, MESSAGE, strlen (MESSAGE), MSG_NOSIGNAL, (struct sockaddr *) &address, address_length) >= 0;

  if (!is_sent && errno != EAGAIN && !has_failed) {
    has_failed = TRUE;
    g_message ("systemd's watchdog gets no answer at '%s': %s", g_getenv ("NOTIFY_SOCKET"), g_strerror (errno));
  }
  if (file >= 0)
    close (file);
  /* systemd can be too busy for it: it is tried again well before the time is over. */
  g_source_set_ready_time (source, g_get_monotonic_time () + (is_sent ? interval : MAX (interval / 10, SHORTEST_INTERVAL)));
  return G_SOURCE_CONTINUE;
}

/* Once for each process. The default main context is that of the user's input, so it is taken before another one that came first. */
void
_flowbus_watchdog_start (GMainContext *context)
{
  static GSourceFuncs functions = { .dispatch = ping };
  static GSource *watchdog;
  static gboolean is_default, is_read;
  G_LOCK_DEFINE_STATIC (watchdog);

  G_LOCK (watchdog);
  if (!is_read)
    read_environment ();
  is_read = TRUE;
  if (watchdog && (g_source_is_destroyed (watchdog) || (!is_default && context == g_main_context_default ()))) {
    g_source_destroy (watchdog);
    g_clear_pointer (&watchdog, g_source_unref);
  }
  if (interval && !watchdog) {
    is_default = context == g_main_context_default ();
    watchdog = g_source_new (&functions, sizeof (GSource));
    g_source_set_static_name (watchdog, "flowbus watchdog");
    g_source_set_ready_time (watchdog, 0);
    g_source_attach (watchdog, context);
  }
  G_UNLOCK (watchdog);
}
