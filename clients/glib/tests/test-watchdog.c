/* SPDX-License-Identifier: Apache-2.0 */
#include <flowbus/flowbus.h>

#include <gio/gunixsocketaddress.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A program of its own for each test, as the environment is read once, with a service manager that the test plays. It needs no bus. */

#define HOUR "7200000000" /* a ping at the beginning, and one each hour: so what comes can be counted */
#define FAST "40000"

static void
on_closed (FlowbusClient *client, const GError *error, gpointer is_closed)
{
  if (is_closed)
    *(gboolean *) is_closed = TRUE;
}

static FlowbusClient *
make_client (gboolean *is_closed)
{
  FlowbusClient *client = flowbus_client_new_for_address ("unix:path=/nonexistent");

  g_signal_connect (client, "closed", G_CALLBACK (on_closed), is_closed);
  return client;
}

static gboolean
on_command (int file, GIOCondition condition, gpointer data)
{
  char byte;

  /* The main loop hangs until there is another byte. */
  if (read (file, &byte, 1) != 1)
    exit (0);
  g_print ("hangs\n");
  if (read (file, &byte, 1) != 1)
    exit (0);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_idle (gpointer data)
{
  g_print ("idle\n");
  return G_SOURCE_REMOVE;
}

static gboolean
do_nothing (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/* A client in another thread, until its connection has failed. */
static gpointer
run_thread (gpointer context)
{
  FlowbusClient *client;
  gboolean is_closed = FALSE;

  g_main_context_push_thread_default (context);
  client = make_client (&is_closed);
  while (!is_closed)
    g_main_context_iteration (context, TRUE);
  g_object_unref (client);
  g_main_context_pop_thread_default (context);
  return NULL;
}

/* Two threads have a client; the main context of the first one is gone before the second one begins, whose main context stays. */
static void
run_threads (void)
{
  GMainContext *context = g_main_context_new ();
  GSource *last = g_timeout_source_new_seconds (3600);

  g_source_set_callback (last, do_nothing, NULL, NULL);
  g_source_attach (last, context);
  g_thread_join (g_thread_new ("client", run_thread, context));
  g_main_context_unref (context);
  while (!g_source_is_destroyed (last))
    g_thread_yield ();
  g_thread_join (g_thread_new ("client", run_thread, g_main_context_new ()));
}

static int
run_program (const char *kind)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  if (g_str_equal (kind, "threads"))
    run_threads ();
  make_client (NULL);
  if (g_str_equal (kind, "many")) {
    flowbus_presenter_new_for_client (make_client (NULL), "com.kiosk.Shop");
    flowbus_guard_new_for_client (make_client (NULL), "com.kiosk.Shop");
  }
  g_unix_fd_add (STDIN_FILENO, G_IO_IN, on_command, NULL);
  g_idle_add_full (G_PRIORITY_LOW, on_idle, NULL, NULL);
  g_main_loop_run (loop);
  return 0;
}

typedef struct {
  char *folder;
  GSocket *manager;
  GSubprocess *process;
  GDataInputStream *lines;
  guint fillings;
} Program;

static const char *self_path;

/* Sends as much as the service manager takes. */
static void
fill (Program *self, GSocketAddress *address)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_DEFAULT, &error);

  g_assert_no_error (error);
  g_socket_set_blocking (socket, FALSE);
  while (g_socket_send_to (socket, address, "WATCHDOG=1", strlen ("WATCHDOG=1"), NULL, &error) > 0)
    self->fillings++;
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
}

/* @kind: what run_program() makes; "full" for one whose service manager takes no ping at the beginning
 * @socket: the environment variable; NULL for a socket in a folder
 * @pid: the environment variable; "own" for the one of the program */
static Program *
program_new (const char *kind, const char *time, const char *socket, const char *pid)
{
  Program *self = g_new0 (Program, 1);
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketAddress) address = NULL;
  g_autofree char *path = NULL;
  gboolean is_own = g_strcmp0 (pid, "own") == 0;

  self->folder = g_dir_make_tmp ("flowbus-XXXXXX", &error);
  g_assert_no_error (error);
  path = g_build_filename (self->folder, "notify", NULL);
  if (socket && *socket == '@' && socket[1])
    address = g_unix_socket_address_new_with_type (socket + 1, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);
  else
    address = g_unix_socket_address_new (path);
  self->manager = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_DEFAULT, &error);
  g_assert_no_error (error);
  g_socket_set_timeout (self->manager, 20);
  g_socket_bind (self->manager, address, FALSE, &error);
  g_assert_no_error (error);
  if (g_str_equal (kind, "full"))
    fill (self, address);

  g_subprocess_launcher_setenv (launcher, "NOTIFY_SOCKET", socket ? socket : path, TRUE);
  if (time)
    g_subprocess_launcher_setenv (launcher, "WATCHDOG_USEC", time, TRUE);
  if (pid && !is_own)
    g_subprocess_launcher_setenv (launcher, "WATCHDOG_PID", pid, TRUE);
  if (is_own)
    self->process = g_subprocess_launcher_spawn (launcher, &error, "sh", "-c", "WATCHDOG_PID=$$ exec \"$@\"", "sh", self_path,
                                                 "program", kind, NULL);
  else
    self->process = g_subprocess_launcher_spawn (launcher, &error, self_path, "program", kind, NULL);
  g_assert_no_error (error);
  self->lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
  return self;
}

static void
program_free (Program *self)
{
  g_autofree char *path = g_build_filename (self->folder, "notify", NULL);

  g_subprocess_force_exit (self->process);
  g_subprocess_wait (self->process, NULL, NULL);
  g_clear_object (&self->process);
  g_object_unref (self->lines);
  g_object_unref (self->manager);
  g_unlink (path);
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self);
}

/* What it says before a line. */
static char *
read_until (Program *self, const char *wanted)
{
  GString *said = g_string_new (NULL);

  for (;;) {
    g_autoptr (GError) error = NULL;
    g_autofree char *line = g_data_input_stream_read_line (self->lines, NULL, NULL, &error);

    g_assert_no_error (error);
    if (!line)
      g_error ("the program ended before it said '%s': %s", wanted, said->str);
    if (g_str_equal (line, wanted))
      return g_string_free (said, FALSE);
    g_string_append_printf (said, "%s\n", line);
  }
}

static void
send_byte (Program *self)
{
  g_autoptr (GError) error = NULL;

  g_output_stream_write_all (g_subprocess_get_stdin_pipe (self->process), "x", 1, NULL, NULL, &error);
  g_assert_no_error (error);
}

static gboolean
receive (Program *self, gboolean is_awaited)
{
  g_autoptr (GError) error = NULL;
  char text[64];
  gssize length;

  g_socket_set_blocking (self->manager, is_awaited);
  length = g_socket_receive (self->manager, text, sizeof text, NULL, &error);
  if (!is_awaited && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    return FALSE;
  g_assert_no_error (error);
  g_assert_cmpmem (text, length, "WATCHDOG=1", strlen ("WATCHDOG=1"));
  return TRUE;
}

/* How many pings have come. */
static guint
count (Program *self)
{
  guint number = 0;

  while (receive (self, FALSE))
    number++;
  return number;
}

/* How many pings come at the beginning of a program, and what it says. */
static void
check (const char *kind, const char *time, const char *socket, const char *pid, guint pings, const char *message)
{
  Program *program = program_new (kind, time, socket, pid);
  g_autofree char *said = read_until (program, "idle");

  g_assert_cmpuint (count (program), ==, pings);
  if (message) {
    const char *found = strstr (said, message);

    g_assert_nonnull (found);
    g_assert_null (strstr (found + strlen (message), "watchdog gets"));
  } else
    g_assert_cmpstr (said, ==, "");
  program_free (program);
}

static void
test_pings (void)
{
  g_autofree char *name = g_strdup_printf ("@flowbus-test-%d", (int) getpid ());

  check ("one", HOUR, NULL, NULL, 1, NULL);
  check ("one", HOUR, NULL, "own", 1, NULL);
  check ("one", HOUR, name, NULL, 1, NULL);
  check ("many", HOUR, NULL, NULL, 1, NULL);
  /* The longest time that there is. */
  check ("one", "18446744073709551614", NULL, NULL, 1, NULL);
}

/* Nobody waits for this process. */
static void
test_none (void)
{
  g_autofree char *foreign = g_strdup_printf ("%d", (int) getpid ());

  check ("one", NULL, NULL, NULL, 0, NULL);
  check ("one", HOUR, NULL, foreign, 0, NULL);
}

static void
test_wrong_values (void)
{
  static const char *const times[] = { "", "0", "-1", "1.5", "4 s", "18446744073709551615", "18446744073709551616", NULL };
  static const char *const pids[] = { "", "0", "-1", "me", "4294967296", NULL };
  static const char *const sockets[] = { "notify", "/", "@", "vsock:2:1", "", NULL };
  g_autofree char *longest = g_strnfill (109, '/');

  for (int i = 0; times[i]; i++) {
    g_autofree char *message =
      g_strdup_printf ("WATCHDOG_USEC is '%s', and no number of microseconds above 0: systemd's watchdog gets no answer", times[i]);

    check ("many", times[i], NULL, NULL, 0, message);
  }
  for (int i = 0; pids[i]; i++) {
    g_autofree char *message =
      g_strdup_printf ("WATCHDOG_PID is '%s', and no number of a process: systemd's watchdog gets no answer", pids[i]);

    check ("many", HOUR, NULL, pids[i], 0, message);
  }
  for (int i = 0; sockets[i]; i++) {
    g_autofree char *message = g_strdup_printf (
      "NOTIFY_SOCKET is '%s', and no path or abstract name of a socket: systemd's watchdog gets no answer", sockets[i]);

    check ("many", HOUR, sockets[i], NULL, 0, message);
  }
  check ("one", HOUR, longest, NULL, 0, "systemd's watchdog gets no answer");
  check ("one", HOUR, "/nonexistent/notify", NULL, 0, "systemd's watchdog gets no answer at '/nonexistent/notify': No such file or directory");
}

/* No ping comes from a main loop that hangs, in a time in which another program sends many. */
static void
test_hangs (void)
{
  Program *program = program_new ("one", FAST, NULL, NULL), *other = program_new ("one", FAST, NULL, NULL);

  for (int i = 0; i < 3; i++)
    receive (program, TRUE);
  send_byte (program);
  g_free (read_until (program, "hangs"));
  count (program);
  count (other);
  for (int i = 0; i < 20; i++)
    receive (other, TRUE);
  g_assert_cmpuint (count (program), ==, 0);
  send_byte (program);
  receive (program, TRUE);
  program_free (program);
  program_free (other);
}

/* The service manager is too busy to take a ping, which is sent again before the next one is due. */
static void
test_busy (void)
{
  Program *program = program_new ("full", "20000000", NULL, NULL);
  gint64 begin = g_get_monotonic_time ();

  g_free (read_until (program, "idle"));
  g_assert_cmpuint (count (program), ==, program->fillings);
  receive (program, TRUE);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 10 * G_TIME_SPAN_SECOND);
  program_free (program);
}

/* The clients of two threads, and then one of the main loop, which is the one that counts. */
static void
test_threads (void)
{
  check ("threads", HOUR, NULL, NULL, 3, NULL);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "program"))
    return run_program (argv[2]);
  self_path = argv[0];
  g_unsetenv ("WATCHDOG_USEC");
  g_unsetenv ("WATCHDOG_PID");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/watchdog/pings", test_pings);
  g_test_add_func ("/watchdog/none", test_none);
  g_test_add_func ("/watchdog/wrong-values", test_wrong_values);
  g_test_add_func ("/watchdog/hangs", test_hangs);
  g_test_add_func ("/watchdog/busy", test_busy);
  g_test_add_func ("/watchdog/threads", test_threads);
  return g_test_run ();
}
