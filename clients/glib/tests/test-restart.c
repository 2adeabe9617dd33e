/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "add = { item = 'int64' }\n"
  "count = {}\n"
  "[screens]\n"
  "list = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present' }\n"
  "entry = { arguments = { item = 'int64' } }\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[[autostart]]\n"
  "flow = 'counter'\n"
  "[flows.shop]\n"
  "initial = 'start'\n"
  "[flows.shop.on]\n"
  "start = { screen = 'list' }\n"
  "[flows.counter]\n"
  "whenEmpty = 'stay'\n"
  "[flows.counter.on]\n"
  "add = { screen = 'entry' }\n";

typedef struct {
  FlowbusScreen *screen;
  GString *notes;
  int presents;
} Shop;

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  Shop *shop = data;

  shop->presents++;
  g_set_object (&shop->screen, screen);
  note_signals (screen, shop->notes);
  flowbus_screen_set_visible (screen, TRUE);
}

/* The service has its answer to Present: it does not present the screen again after a restart. */
static void
wait_for_owner (Fixture *fixture, Shop *shop)
{
  wait_until (shop->screen);
  poll_until (fixture_get_boolean (fixture, SHOP "/list", "Presented"));
  poll_until (({
    g_autofree char *owner = fixture_get_string (fixture, SHOP "/list", "Owner");
    owner && *owner;
  }));
}

static void
count_verdict (GObject *source, GAsyncResult *result, gpointer counts)
{
  g_autoptr (GError) error = NULL;
  FlowbusVerdict verdict = flowbus_client_emit_finish (FLOWBUS_CLIENT (source), result, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (verdict, ==, FLOWBUS_VERDICT_NAVIGATED);
  ++*(int *) counts;
}

/* flowbusd is killed while steps are under way: each is taken exactly once. */
static void
test_steps (void)
{
  Fixture *fixture = fixture_new (definitions);
  int done = 0, begun = 0;

  fixture_start (fixture);
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 10; i++)
      flowbus_client_emit_async (fixture->client, TREE "/counter", "add", g_variant_new_parsed ("{'item': <%i>}", begun++), NULL,
                                 NULL, count_verdict, &done);
    /* At another moment in each round: some have been taken, some not. */
    wait_until (done >= begun - 10 + round);
    fixture_kill (fixture);
    fixture_start (fixture);
  }
  wait_until (done == begun);
  g_assert_cmpuint (fixture_children (fixture, TREE "/counter"), ==, begun);
  fixture_free (fixture);
}

/* The service has taken a step, and its answer is lost: what a client sees of that is NoReply. */
static GDBusMessage *
lose_answers (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer left)
{
  GDBusMessage *lost;

  if (!incoming || g_dbus_message_get_message_type (message) != G_DBUS_MESSAGE_TYPE_METHOD_RETURN ||
      g_strcmp0 (g_dbus_message_get_signature (message), "ts") != 0 || g_atomic_int_get ((int *) left) == 0)
    return message;
  g_atomic_int_add ((int *) left, -1);
  lost = g_dbus_message_new ();
  g_dbus_message_set_message_type (lost, G_DBUS_MESSAGE_TYPE_ERROR);
  g_dbus_message_set_error_name (lost, "org.freedesktop.DBus.Error.NoReply");
  g_dbus_message_set_reply_serial (lost, g_dbus_message_get_reply_serial (message));
  g_dbus_message_set_serial (lost, g_dbus_message_get_serial (message));
  g_dbus_message_set_sender (lost, g_dbus_message_get_sender (message));
  g_dbus_message_set_destination (lost, g_dbus_message_get_destination (message));
  g_object_unref (message);
  return lost;
}

static void
test_lost_answers (void)
{
  Fixture *fixture = fixture_new (definitions);
  int done = 0, left = 20;
  guint filter;

  fixture_start (fixture);
  wait_until (flowbus_client_get_available (fixture->client));
  filter = g_dbus_connection_add_filter (flowbus_client_get_connection (fixture->client), lose_answers, &left, NULL);
  for (int i = 0; i < 10; i++)
    flowbus_client_emit_async (fixture->client, TREE "/counter", "add", g_variant_new_parsed ("{'item': <%i>}", i), NULL, NULL,
                               count_verdict, &done);
  wait_until (done == 10);
  g_assert_cmpint (g_atomic_int_get (&left), ==, 0);
  g_assert_cmpuint (fixture_children (fixture, TREE "/counter"), ==, 10);
  g_dbus_connection_remove_filter (flowbus_client_get_connection (fixture->client), filter);
  fixture_free (fixture);
}

static void
test_late_start (void)
{
  Fixture *fixture = fixture_new (definitions);
  Shop shop = { NULL, g_string_new (NULL), 0 };
  FlowbusPresenter *presenter = flowbus_presenter_new_for_client (fixture->client, NAME);
  int done = 0;

  g_signal_connect (presenter, "present", G_CALLBACK (on_present), &shop);
  flowbus_client_emit_async (fixture->client, TREE "/counter", "add", g_variant_new_parsed ("{'item': <1>}"), NULL, NULL,
                             count_verdict, &done);
  wait_until (flowbus_presenter_get_name_owned (presenter));
  g_assert_false (flowbus_client_get_available (fixture->client));
  g_assert_cmpint (done, ==, 0);
  fixture_start (fixture);
  wait_until (done == 1 && shop.screen && flowbus_client_get_available (fixture->client));
  g_object_unref (presenter);
  g_clear_object (&shop.screen);
  fixture_free (fixture);
  g_string_free (shop.notes, TRUE);
}

/* The same screen object goes on; what was said while the service was away is said then. */
static void
test_screens (void)
{
  Fixture *fixture = fixture_new (definitions);
  Shop shop = { NULL, g_string_new (NULL), 0 };
  FlowbusPresenter *presenter = fixture_present (fixture, G_CALLBACK (on_present), &shop);
  GAsyncResult *saved = NULL, *dismissed = NULL;
  g_autoptr (GError) error = NULL;
  FlowbusScreen *screen;

  wait_for_owner (fixture, &shop);
  screen = shop.screen;
  for (int i = 0; i < 5; i++) {
    g_autofree char *title = g_strdup_printf ("title %d", i);

    fixture_kill (fixture);
    wait_until (!flowbus_client_get_available (fixture->client));
    flowbus_screen_set_visible (screen, i % 2);
    flowbus_screen_set_title (screen, title);
    flowbus_screen_save_state_async (screen, g_variant_new_parsed ("{'n': <%i>}", i), NULL, keep_result, &saved);
    fixture_start (fixture);
    wait_until (saved);
    g_assert_true (flowbus_screen_save_state_finish (screen, saved, &error));
    g_clear_object (&saved);
    poll_until (({
      g_autofree char *now = fixture_get_string (fixture, SHOP "/list", "Title");
      g_strcmp0 (now, title) == 0;
    }));
    g_assert_true (fixture_get_boolean (fixture, SHOP "/list", "Visible") == i % 2);
    g_assert_true (flowbus_screen_is_live (screen));
  }
  g_assert_cmpint (shop.presents, ==, 1);
  g_assert_cmpstr (shop.notes->str, ==, "");

  /* The answer to Dismiss is lost, and whatever comes to be at the path stays. */
  fixture_kill (fixture);
  wait_until (!flowbus_client_get_available (fixture->client));
  flowbus_screen_dismiss_async (screen, NULL, keep_result, &dismissed);
  fixture_start (fixture);
  wait_until (dismissed);
  g_assert_true (flowbus_screen_dismiss_finish (screen, dismissed, &error));
  g_assert_cmpstr (shop.notes->str, ==, "list withdrawn(dismissed) ");
  g_clear_object (&dismissed);
  g_clear_object (&shop.screen);
  g_object_unref (presenter);
  fixture_free (fixture);
  g_string_free (shop.notes, TRUE);
}

/* Another flowbusd takes over while steps and calls are under way. */
static void
test_handover (void)
{
  Fixture *fixture = fixture_new (definitions);
  Shop shop = { NULL, g_string_new (NULL), 0 };
  FlowbusPresenter *presenter = fixture_present (fixture, G_CALLBACK (on_present), &shop);
  int done = 0, begun = 0;

  wait_for_owner (fixture, &shop);
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 10; i++)
      flowbus_client_emit_async (fixture->client, TREE "/counter", "add", g_variant_new_parsed ("{'item': <%i>}", begun++), NULL,
                                 NULL, count_verdict, &done);
    flowbus_screen_set_visible (shop.screen, round % 2);
    fixture_replace (fixture);
    wait_until (done == begun);
    g_assert_true (fixture_get_boolean (fixture, SHOP "/list", "Visible") == round % 2);
  }
  g_assert_cmpuint (fixture_children (fixture, TREE "/counter"), ==, begun);
  g_assert_cmpstr (shop.notes->str, ==, "");
  g_assert_cmpint (shop.presents, ==, 1);
  g_clear_object (&shop.screen);
  g_object_unref (presenter);
  fixture_free (fixture);
  g_string_free (shop.notes, TRUE);
}

/* flowbusd is killed in the middle of Present, again and again. */
static void
on_present_and_kill (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  Shop *shop = data;

  on_present (presenter, screen, shop);
  fixture_kill (g_object_get_data (G_OBJECT (presenter), "fixture"));
  flowbus_screen_set_title (screen, "shown");
}

static void
test_present (void)
{
  Fixture *fixture = fixture_new (definitions);
  Shop shop = { NULL, g_string_new (NULL), 0 };
  FlowbusPresenter *presenter = flowbus_presenter_new_for_client (fixture->client, NAME);

  g_object_set_data (G_OBJECT (presenter), "fixture", fixture);
  g_signal_connect (presenter, "present", G_CALLBACK (on_present_and_kill), &shop);
  wait_until (flowbus_presenter_get_name_owned (presenter));
  fixture_start (fixture);
  wait_until (shop.screen);
  fixture_start (fixture);
  poll_until (({
    g_autofree char *now = fixture_get_string (fixture, SHOP "/list", "Title");
    g_strcmp0 (now, "shown") == 0;
  }));
  poll_until (fixture_get_boolean (fixture, SHOP "/list", "Presented"));
  g_assert_cmpint (shop.presents, ==, 1);
  g_assert_true (flowbus_screen_is_live (shop.screen));
  g_clear_object (&shop.screen);
  g_object_unref (presenter);
  fixture_free (fixture);
  g_string_free (shop.notes, TRUE);
}

/* The tree is lost: a screen that is no longer there is withdrawn. */
static void
test_lost_tree (void)
{
  Fixture *fixture = fixture_new (definitions);
  Shop shop = { NULL, g_string_new (NULL), 0 };
  FlowbusPresenter *presenter = fixture_present (fixture, G_CALLBACK (on_present), &shop);
  g_autofree char *command = g_strdup_printf ("rm -r '%s/run'", fixture->folder);
  GAsyncResult *asked = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (FlowbusScreen) first = NULL;

  wait_for_owner (fixture, &shop);
  first = g_object_ref (shop.screen);
  fixture_kill (fixture);
  wait_until (!flowbus_client_get_available (fixture->client));
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  flowbus_screen_ask_async (first, "count", NULL, NULL, NULL, keep_result, &asked);
  fixture_start (fixture);
  wait_until (shop.presents == 2 && !flowbus_screen_is_live (first));
  g_assert_nonnull (strstr (shop.notes->str, "list withdrawn(gone)"));
  wait_until (asked);
  g_assert_null (flowbus_screen_ask_finish (first, asked, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT);
  g_clear_object (&asked);
  g_clear_object (&shop.screen);
  g_clear_object (&first);
  g_object_unref (presenter);
  fixture_free (fixture);
  g_string_free (shop.notes, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/restart/steps", test_steps);
  g_test_add_func ("/restart/lost-answers", test_lost_answers);
  g_test_add_func ("/restart/late-start", test_late_start);
  g_test_add_func ("/restart/screens", test_screens);
  g_test_add_func ("/restart/handover", test_handover);
  g_test_add_func ("/restart/present", test_present);
  g_test_add_func ("/restart/lost-tree", test_lost_tree);
  return g_test_run ();
}
