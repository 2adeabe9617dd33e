// SPDX-License-Identifier: Apache-2.0
// The options, the screen of flowbus, and the lock of the compositor.
#include "lock.h"

#include <flowbus/flowbus.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sysexits.h>

#define FREE_TRIES 2 // Wrong ones after which nobody has to wait.
#define FIRST_WAIT 5 // Seconds after the next one. Each further one doubles it.
#define LONGEST_WAIT 300

GtkSessionLockLock *lock;
gboolean is_locked;
static GList *screens; // Of the tree, the newest first. As long as there is one, the display is locked.
static gboolean is_drawn, is_opening, is_alone;
static gint64 failures, wait_until;
static guint waiting;

void note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *text = g_strdup_vprintf(format, values);
    va_end(values);
    g_printerr("flowbus-lock: %s\n", text);
}

static void leave_lock(void)
{
    page_close();
    g_clear_object(&lock);
    g_clear_handle_id(&waiting, g_source_remove);
    is_locked = is_drawn = is_opening = FALSE;
    gdk_display_sync(gdk_display_get_default());
    if (is_alone) exit(EX_UNAVAILABLE); // The next process comes with the bus.
}

static void unlock(void)
{
    gtk_session_lock_lock_unlock_and_destroy(lock);
    leave_lock();
}

static gboolean wait_on(gpointer unused G_GNUC_UNUSED)
{
    gint64 left = (wait_until - g_get_monotonic_time() + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, left);
    page_say(left > 0 ? "wait" : "ready", left > 0 ? text : NULL);
    if (left <= 0) waiting = 0;
    return left > 0;
}

static void let_wait(void)
{
    if (failures <= FREE_TRIES) return;
    wait_until = g_get_monotonic_time() + MIN(FIRST_WAIT << MIN(failures - FREE_TRIES - 1, 10), LONGEST_WAIT) * G_USEC_PER_SEC;
    wait_on(NULL);
    waiting = g_timeout_add_seconds(1, wait_on, NULL);
}

static void emitted(GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;
    FlowbusVerdict verdict = flowbus_screen_emit_finish(FLOWBUS_SCREEN(source), result, NULL, &error);
    const char *why = verdict == FLOWBUS_VERDICT_NAVIGATED ? NULL : error ? error->message : flowbus_verdict_to_string(verdict);
    page_say(why ? "failed" : "ready", why);
    if (why) note("the display stays locked, as the step 'unlocked' did not navigate: %s", why);
}

static void told(GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;
    flowbus_screen_emit_finish(FLOWBUS_SCREEN(source), result, NULL, &error);
    // Definitions need not have this step.
    if (error && !g_error_matches(error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_STEP)) note("the step 'unlockFailed': %s", error->message);
}

struct attempt {
    char text[SECRET_SIZE];
    char *said;
};

static void wipe(gpointer data)
{
    struct attempt *it = data;
    g_free(it->said);
    explicit_bzero(it, sizeof *it);
    g_free(it);
}

static void check(GTask *task, gpointer source G_GNUC_UNUSED, gpointer data, GCancellable *cancellable G_GNUC_UNUSED)
{
    struct attempt *it = data;
    g_task_return_boolean(task, secret_is_right(it->text, &it->said));
}

static void checked(GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
    const struct attempt *it = g_task_get_task_data(G_TASK(result));
    gboolean is_right = g_task_propagate_boolean(G_TASK(result), NULL);
    if (!lock) return; // The tree has unlocked it meanwhile.
    failures = is_right ? 0 : failures + 1;
    // The next process goes on counting.
    if (screens) flowbus_screen_save_state_async(screens->data, g_variant_new_parsed("{'failures': <%x>}", failures), NULL, NULL, NULL);
    if (!is_right) {
        note("wrong try %" G_GINT64_FORMAT "%s%s", failures, it->said ? ": " : "", it->said ? it->said : "");
        page_say(it->said ? "failed" : "wrong", it->said);
        let_wait();
        if (screens) flowbus_screen_emit_async(screens->data, "unlockFailed", g_variant_new_parsed("{'count': <%x>}", failures), NULL, told, NULL);
    } else if (screens) {
        flowbus_screen_emit_async(screens->data, "unlocked", NULL, NULL, emitted, NULL);
    } else if (is_locked) { // Nothing in the tree can open it.
        unlock();
    }
}

void entered(const char *text)
{
    struct attempt *it = g_new0(struct attempt, 1);
    g_autoptr(GTask) task = g_task_new(NULL, NULL, checked, NULL);
    g_strlcpy(it->text, text, sizeof it->text);
    g_task_set_task_data(task, it, wipe);
    page_say("checking", NULL);
    g_task_run_in_thread(task, check);
}

void drawn(void)
{
    is_drawn = TRUE;
    for (GList *it = screens; it; it = it->next) flowbus_screen_set_visible(it->data, TRUE);
}

static void locked(void)
{
    is_locked = TRUE;
    for (GList *it = screens; it; it = it->next) flowbus_screen_accept(it->data);
    if (!screens && is_opening) unlock();
}

static void finished(void)
{
    note("%s", is_locked ? "the compositor has ended the lock" : "another program has locked the display");
    if (is_locked) exit(EX_SOFTWARE); // flowbusd has the bus start the next process, which locks.
    gtk_session_lock_lock_destroy(lock);
    leave_lock();
    g_autoptr(GList) all = g_list_copy(screens);
    // flowbusd presents them again after a pause.
    for (GList *it = all; it; it = it->next) flowbus_screen_fail(it->data, "another program has locked the display");
}

// What is presented by the step that has withdrawn the screen has come before this answer: if it is a lock again, the display stays locked.
static void settled(GObject *bus, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) stack = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);
    if (screens || !lock) return;
    is_opening = stack != NULL;
    if (!stack) note("flowbusd does not answer: the display stays locked until the right PIN comes: %s", error->message);
    else if (is_locked) unlock();
}

static void withdrawn(FlowbusScreen *gone, const char *reason)
{
    // Other reasons mean that something is wrong, or that the screen is live.
    static const char *const opens[] = {"back", "dismissed", "parent", "rule", NULL};
    GDBusConnection *bus = flowbus_client_get_connection(flowbus_screen_get_client(gone));
    screens = g_list_remove(screens, gone);
    g_object_unref(gone);
    if (!lock || screens) return;
    if (g_strv_contains(opens, reason))
        g_dbus_connection_call(bus, "org.flowbus.Navigation1", "/org/flowbus/Navigation1", "org.flowbus.Navigation1.Coordinator", "GetStack",
            g_variant_new("(s)", ""), NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, settled, NULL);
    else
        note("the screen is withdrawn, by no step ('%s'): the display stays locked until a screen or the right PIN comes", reason);
}

static void present(FlowbusPresenter *presenter G_GNUC_UNUSED, FlowbusScreen *presented)
{
    GVariant *state = flowbus_screen_get_state(presented);
    screens = g_list_prepend(screens, g_object_ref(presented));
    g_signal_connect(presented, "withdrawn", G_CALLBACK(withdrawn), NULL);
    is_opening = FALSE;
    if (!is_locked) flowbus_screen_hold(presented); // Until the compositor says that it is.
    if (is_drawn) flowbus_screen_set_visible(presented, TRUE);
    if (lock) return;
    failures = 0;
    if (state) g_variant_lookup(state, "failures", "x", &failures);
    lock = gtk_session_lock_prepare_lock();
    g_object_connect(lock, "signal::locked", locked, NULL, "signal::finished", finished, NULL, NULL);
    gtk_session_lock_lock_lock(lock);
    page_open();
    let_wait();
}

static G_NORETURN void refuse(int code, const char *text)
{
    note("%s", text);
    exit(code);
}

static void lost_name(FlowbusPresenter *presenter G_GNUC_UNUSED, const char *message)
{
    if (!lock) refuse(EX_UNAVAILABLE, message);
    note("%s; the display stays locked until the right PIN comes", message);
    is_alone = TRUE;
}

static void closed(FlowbusClient *client G_GNUC_UNUSED, const GError *error)
{
    lost_name(NULL, error->message);
}

int main(int count, char **values)
{
    g_autofree char *page = NULL, *style = NULL, *pam = NULL;
    gboolean is_version = FALSE;
    const GOptionEntry options[] = {
        {"pin", 0, 0, G_OPTION_ARG_FILENAME, (char **)&pin_file, "The PIN opens whose hash is in this file, which has the mode 0600", "FILE"},
        {"pam", 0, 0, G_OPTION_ARG_STRING, &pam, "What this service of PAM accepts opens (flowbus-lock)", "SERVICE"},
        {"page", 0, 0, G_OPTION_ARG_FILENAME, &page, "Show the page in this file of GtkBuilder", "FILE"},
        {"css", 0, 0, G_OPTION_ARG_FILENAME, &style, "Show the page in this style", "FILE"},
        {"version", 0, 0, G_OPTION_ARG_NONE, &is_version, "Print the version", NULL},
        {NULL},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;
    g_option_context_set_summary(context, "Locks the display while a screen of flowbus says so. See flowbus-lock(1).");
    g_option_context_add_main_entries(context, options, NULL);
    if (!g_option_context_parse(context, &count, &values, &error)) refuse(EX_USAGE, error->message);
    if (is_version) return puts("flowbus-lock " VERSION) < 0;
    if (count > 1) note("'%s' is none of --pin, --pam, --page, --css, --help, --version", values[1]);
    if (count > 1) return EX_USAGE;
    if (pin_file && pam) refuse(EX_USAGE, "--pin and --pam exclude each other");
    if (pam) pam_service = pam;
    prctl(PR_SET_DUMPABLE, 0);           // No process of the user reads the memory of this one, and no core of it is written.
    g_setenv("NO_AT_BRIDGE", "1", TRUE); // Otherwise each key goes to the bus of assistive technologies.
    gdk_set_allowed_backends("wayland");
    if (!gtk_init_check(NULL, NULL)) refuse(EX_UNAVAILABLE, "there is no display of Wayland; WAYLAND_DISPLAY has to name it");
    if (!gtk_session_lock_is_supported())
        refuse(EX_CONFIG, "the compositor has no ext-session-lock-v1, so that it can't be locked; flowbus-stacker covers its display");
    page_read(page, style);
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    if (!bus) refuse(EX_UNAVAILABLE, error->message);
    g_dbus_connection_set_exit_on_close(bus, FALSE); // Without it the display would be dark.
    FlowbusClient *client = flowbus_client_new_for_connection(bus);
    FlowbusPresenter *presenter = g_object_new(FLOWBUS_TYPE_PRESENTER, "client", client, "bus-name", "org.flowbus.Lock1", "name-flags",
        G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE, NULL);
    g_signal_connect(client, "closed", G_CALLBACK(closed), NULL);
    g_object_connect(presenter, "signal::present", present, NULL, "signal::lost-name", lost_name, NULL, NULL);
    gtk_main();
    return 0;
}
