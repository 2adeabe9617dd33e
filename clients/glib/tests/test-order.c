/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

/* The order of calls: what a program does first has its effect first, also if a call has to wait or is repeated. */

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "added = { item = 'int64' }\n"
  "contactAsked = {}\n"
  "evicted = {}\n"
  "[screens]\n"
  "list = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present', evictAfter = '30d' }\n"
  "picker = { presenter = 'com.kiosk.Shop', result = { contact = 'int64' } }\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[flows.shop]\n"
  "initial = 'start'\n"
  "whenEmpty = 'stay'\n"
  "children = 'stack'\n"
  "[flows.shop.on]\n"
  "start = { screen = 'list' }\n"
  "added = { none = true }\n"
  "contactAsked = { screen = 'picker' }\n"
  "evicted = { evict = true }\n";

typedef struct {
  Fixture *fixture;
  FlowbusPresenter *presenter;
  FlowbusScreen *list;
  FlowbusScreen *picker;
} Shop;

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  Shop *shop = data;

  g_set_object (g_str_equal (flowbus_screen_get_name (screen), "list") ? &shop->list : &shop->picker, screen);
  flowbus_screen_set_visible (screen, TRUE);
}

static Shop
shop_begin (void)
{
  return (Shop){ .fixture = fixture_new (definitions) };
}

static void
shop_present (Shop *shop)
{
  shop->presenter = fixture_present (shop->fixture, G_CALLBACK (on_present), shop);
  wait_until (shop->list);
  poll_until (fixture_get_boolean (shop->fixture, SHOP "/list", "Presented"));
}

static void
shop_end (Shop *shop)
{
  g_clear_object (&shop->list);
  g_clear_object (&shop->picker);
  g_object_unref (shop->presenter);
  fixture_free (shop->fixture);
}

static void
emit (FlowbusScreen *screen, GAsyncResult **result)
{
  flowbus_screen_emit_async (screen, "added", g_variant_new_parsed ("{'item': <1>}"), NULL, keep_result, result);
}

static void
assert_navigated (FlowbusScreen *screen, GAsyncResult **result)
{
  g_autoptr (GError) error = NULL;
  FlowbusVerdict verdict;

  wait_until (*result);
  verdict = flowbus_screen_emit_finish (screen, *result, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (verdict, ==, FLOWBUS_VERDICT_NAVIGATED);
  g_clear_object (result);
}

/* The first step of a program waits until it is known what the arguments are; so what ends or hides its screen waits as well. */
static void
test_first_step (void)
{
  Shop shop = shop_begin ();
  GAsyncResult *emitted = NULL, *went_back = NULL, *dismissed = NULL;
  g_autoptr (GError) error = NULL;

  shop_present (&shop);
  emit (shop.list, &emitted);
  flowbus_screen_set_visible (shop.list, FALSE);
  flowbus_screen_set_visible (shop.list, TRUE);
  assert_navigated (shop.list, &emitted);
  fixture_settle (shop.fixture);
  g_assert_true (fixture_get_boolean (shop.fixture, SHOP "/list", "Visible"));

  fixture_reload (shop.fixture, definitions);
  fixture_settle (shop.fixture);
  emit (shop.list, &emitted);
  flowbus_screen_set_visible (shop.list, FALSE);
  assert_navigated (shop.list, &emitted);
  flowbus_screen_set_visible (shop.list, TRUE);

  screen_emit (shop.list, "contactAsked", NULL, &error);
  g_assert_no_error (error);
  wait_until (shop.picker);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/picker", "Presented"));
  fixture_reload (shop.fixture, definitions);
  fixture_settle (shop.fixture);
  emit (shop.picker, &emitted);
  flowbus_screen_back_async (shop.picker, NULL, keep_result, &went_back);
  assert_navigated (shop.picker, &emitted);
  wait_until (went_back);
  g_assert_cmpint (flowbus_screen_back_finish (shop.picker, went_back, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_clear_object (&went_back);

  g_clear_object (&shop.picker);
  screen_emit (shop.list, "contactAsked", NULL, &error);
  wait_until (shop.picker);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/picker", "Presented"));
  fixture_reload (shop.fixture, definitions);
  fixture_settle (shop.fixture);
  emit (shop.picker, &emitted);
  flowbus_screen_dismiss_with_error_async (shop.picker, "com.kiosk.Error.Empty", NULL, NULL, keep_result, &dismissed);
  assert_navigated (shop.picker, &emitted);
  wait_until (dismissed);
  g_assert_true (flowbus_screen_dismiss_with_error_finish (shop.picker, dismissed, &error));
  g_clear_object (&dismissed);

  fixture_reload (shop.fixture, definitions);
  fixture_settle (shop.fixture);
  emit (shop.list, &emitted);
  flowbus_screen_dismiss_async (shop.list, NULL, keep_result, &dismissed);
  assert_navigated (shop.list, &emitted);
  wait_until (dismissed);
  g_assert_true (flowbus_screen_dismiss_finish (shop.list, dismissed, &error));
  g_clear_object (&dismissed);
  shop_end (&shop);
}

/* What a filter of the connection does with answers of flowbusd. */
typedef struct {
  const char *method;
  int lost;
  GMutex lock;
  GHashTable *serials; /* of calls whose answers are lost */
} Losing;

/* The answers to the first calls of a method are lost with the service: what a client sees of that is NoReply. */
static GDBusMessage *
lose_answers (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  Losing *losing = data;
  GDBusMessage *lost = NULL;

  g_mutex_lock (&losing->lock);
  if (!incoming && g_strcmp0 (g_dbus_message_get_member (message), losing->method) == 0 && losing->lost > 0) {
    losing->lost--;
    g_hash_table_add (losing->serials, GUINT_TO_POINTER (g_dbus_message_get_serial (message)));
  } else if (incoming && g_dbus_message_get_message_type (message) == G_DBUS_MESSAGE_TYPE_METHOD_RETURN &&
             g_hash_table_remove (losing->serials, GUINT_TO_POINTER (g_dbus_message_get_reply_serial (message)))) {
    lost = g_dbus_message_new ();
    g_dbus_message_set_message_type (lost, G_DBUS_MESSAGE_TYPE_ERROR);
    g_dbus_message_set_error_name (lost, "org.freedesktop.DBus.Error.NoReply");
    g_dbus_message_set_reply_serial (lost, g_dbus_message_get_reply_serial (message));
    g_dbus_message_set_serial (lost, g_dbus_message_get_serial (message));
    g_dbus_message_set_sender (lost, g_dbus_message_get_sender (message));
    g_dbus_message_set_destination (lost, g_dbus_message_get_destination (message));
    g_object_unref (message);
  }
  g_mutex_unlock (&losing->lock);
  return lost ? lost : message;
}

static Losing *
losing_new (const char *method, int count)
{
  Losing *losing = g_new0 (Losing, 1);

  losing->method = method;
  losing->lost = count;
  g_mutex_init (&losing->lock);
  losing->serials = g_hash_table_new (NULL, NULL);
  return losing;
}

static void
losing_free (gpointer data)
{
  Losing *losing = data;

  g_hash_table_unref (losing->serials);
  g_mutex_clear (&losing->lock);
  g_free (losing);
}

static guint
lose (Fixture *fixture, const char *method, int count)
{
  return g_dbus_connection_add_filter (flowbus_client_get_connection (fixture->client), lose_answers,
                                       losing_new (method, count), losing_free);
}

/* The older of two calls is repeated when the newer one is on its way already, or has been carried out. */
static void
test_settings (void)
{
  Shop shop = shop_begin ();
  GAsyncResult *first = NULL, *second = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *title = NULL;
  guint filter;
  gint32 number = 0;

  shop_present (&shop);
  filter = lose (shop.fixture, "SetTitle", 1);
  flowbus_screen_set_title (shop.list, "older");
  flowbus_screen_set_title (shop.list, "newer");
  fixture_settle (shop.fixture);
  fixture_settle (shop.fixture);
  title = fixture_get_string (shop.fixture, SHOP "/list", "Title");
  g_assert_cmpstr (title, ==, "newer");
  g_dbus_connection_remove_filter (flowbus_client_get_connection (shop.fixture->client), filter);

  /* Both are repeated, and each call ends. */
  filter = lose (shop.fixture, "SaveState", 3);
  flowbus_screen_save_state_async (shop.list, g_variant_new_parsed ("{'n': <1>}"), NULL, keep_result, &first);
  flowbus_screen_save_state_async (shop.list, g_variant_new_parsed ("{'n': <2>}"), NULL, keep_result, &second);
  wait_until (first && second);
  g_assert_true (flowbus_screen_save_state_finish (shop.list, first, &error));
  g_assert_true (flowbus_screen_save_state_finish (shop.list, second, &error));
  g_clear_object (&first);
  g_clear_object (&second);
  g_dbus_connection_remove_filter (flowbus_client_get_connection (shop.fixture->client), filter);

  /* What the next process gets is the newer one. */
  g_free (fixture_emit (shop.fixture, SHOP, "contactAsked", NULL));
  wait_until (shop.picker);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/picker", "Presented"));
  wait_until (!flowbus_screen_get_in_sight (shop.list));
  g_free (fixture_emit (shop.fixture, SHOP, "evicted", NULL));
  wait_until (!flowbus_screen_is_live (shop.list));
  g_clear_object (&shop.list);
  flowbus_screen_dismiss_async (shop.picker, NULL, NULL, NULL);
  wait_until (shop.list);
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (shop.list), "n", "i", &number));
  g_assert_cmpint (number, ==, 2);
  shop_end (&shop);
}

/* The call that gave the screen up had its effect, and its answer was lost: it is repeated, and the screen is gone. */
static void
test_lost_end (void)
{
  Shop shop = shop_begin ();
  GString *notes = g_string_new (NULL);
  GAsyncResult *dismissed = NULL;
  g_autoptr (GError) error = NULL;
  guint filter;

  shop_present (&shop);
  g_free (fixture_emit (shop.fixture, SHOP, "contactAsked", NULL));
  wait_until (shop.picker);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/picker", "Presented"));
  note_signals (shop.picker, notes);
  filter = lose (shop.fixture, "DismissWithOptions", 1);
  flowbus_screen_dismiss_with_error_async (shop.picker, "com.kiosk.Error.Empty", "nobody is listed", NULL, keep_result, &dismissed);
  wait_until (dismissed);
  g_assert_true (flowbus_screen_dismiss_with_error_finish (shop.picker, dismissed, &error));
  g_assert_cmpstr (notes->str, ==, "picker withdrawn(failed) ");
  g_assert_cmpuint (fixture_children (shop.fixture, SHOP), ==, 1);
  g_dbus_connection_remove_filter (flowbus_client_get_connection (shop.fixture->client), filter);
  g_clear_object (&dismissed);
  shop_end (&shop);
  g_string_free (notes, TRUE);
}

/* What the program calls, as the connection sends it; and calls of SaveState that fail in flowbusd, on demand. */
typedef struct {
  GMutex lock;
  GString *members;
  gboolean is_refused;
} Sent;

static GDBusMessage *
note_call (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  Sent *sent = data;
  const char *member = g_dbus_message_get_member (message);

  if (incoming || g_dbus_message_get_message_type (message) != G_DBUS_MESSAGE_TYPE_METHOD_CALL ||
      (!g_str_equal (member, "SaveState") && !g_str_equal (member, "AcknowledgeAnswer")))
    return message;
  g_mutex_lock (&sent->lock);
  g_string_append_printf (sent->members, "%s ", member);
  if (sent->is_refused && g_str_equal (member, "SaveState")) {
    GDBusMessage *wrong = g_dbus_message_copy (message, NULL);

    g_dbus_message_set_member (wrong, "NoSuchMethod");
    g_object_unref (message);
    message = wrong;
  }
  g_mutex_unlock (&sent->lock);
  return message;
}

static FlowbusAnswer *
ask (Shop *shop)
{
  g_autoptr (GAsyncResult) asked = NULL;
  g_autoptr (GError) error = NULL;
  FlowbusAnswer *answer;

  g_clear_object (&shop->picker);
  flowbus_screen_ask_async (shop->list, "contactAsked", NULL, NULL, NULL, keep_result, &asked);
  wait_until (shop->picker);
  poll_until (fixture_get_boolean (shop->fixture, SHOP "/picker", "Presented"));
  flowbus_screen_finish_with_result_async (shop->picker, g_variant_new_parsed ("{'contact': <5>}"), NULL, NULL, NULL);
  wait_until (asked);
  answer = flowbus_screen_ask_finish (shop->list, asked, &error);
  g_assert_no_error (error);
  g_assert_true (flowbus_answer_has_result (answer));
  return answer;
}

static void
save_late (FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_save_state_async (screen, g_variant_new_parsed ("{'n': <3>}"), NULL, NULL, NULL);
}

/* An answer is acknowledged when what follows from it is saved, and not before. */
static void
test_acknowledge (void)
{
  Shop shop = shop_begin ();
  Sent sent = { .members = g_string_sized_new (1000) }; /* which another thread writes: it stays where it is */
  GString *notes = g_string_new (NULL);
  FlowbusAnswer *answer;
  guint filter, losing;

  g_mutex_init (&sent.lock);
  shop_present (&shop);
  note_signals (shop.list, notes);
  filter = g_dbus_connection_add_filter (flowbus_client_get_connection (shop.fixture->client), note_call, &sent, NULL);
  losing = lose (shop.fixture, "SaveState", 1);
  answer = ask (&shop);
  flowbus_screen_save_state_async (shop.list, g_variant_new_parsed ("{'n': <1>}"), NULL, NULL, NULL);
  flowbus_answer_acknowledge (answer);
  g_object_unref (answer);
  wait_until (strstr (sent.members->str, "AcknowledgeAnswer"));
  fixture_settle (shop.fixture);
  g_assert_cmpstr (sent.members->str, ==, "SaveState SaveState AcknowledgeAnswer ");
  g_dbus_connection_remove_filter (flowbus_client_get_connection (shop.fixture->client), losing);

  /* What a toolkit would save later is saved before. */
  answer = ask (&shop);
  flowbus_screen_set_save_func (shop.list, save_late, NULL, NULL);
  g_string_truncate (sent.members, 0);
  flowbus_answer_acknowledge (answer);
  flowbus_screen_set_save_func (shop.list, NULL, NULL, NULL);
  g_object_unref (answer);
  wait_until (strstr (sent.members->str, "AcknowledgeAnswer"));
  fixture_settle (shop.fixture);
  g_assert_cmpstr (sent.members->str, ==, "SaveState AcknowledgeAnswer ");

  /* It is not saved: the next process gets the answer. */
  answer = ask (&shop);
  g_string_truncate (sent.members, 0);
  g_string_truncate (notes, 0);
  sent.is_refused = TRUE;
  flowbus_screen_save_state_async (shop.list, g_variant_new_parsed ("{'n': <2>}"), NULL, NULL, NULL);
  flowbus_answer_acknowledge (answer);
  g_object_unref (answer);
  wait_until (strstr (notes->str, "list AcknowledgeAnswer failed: the answer '"));
  fixture_settle (shop.fixture);
  g_assert_cmpstr (sent.members->str, ==, "SaveState ");
  g_dbus_connection_remove_filter (flowbus_client_get_connection (shop.fixture->client), filter);
  shop_end (&shop);
  g_string_free (notes, TRUE);
  g_string_free (sent.members, TRUE);
  g_mutex_clear (&sent.lock);
}

/* A service that answers steps as it is told, each after a time. It is the other connection of the fixture. */
typedef struct {
  const char *words; /* for each step 'p' for "pending", or 'n' for none: that the service went away */
  guint delay;       /* of 'n', in milliseconds */
  int calls;
} Service;

static gboolean
go_away (gpointer data)
{
  GDBusMessage *call = data;
  GDBusConnection *connection = g_object_get_data (G_OBJECT (call), "connection");
  g_autoptr (GDBusMessage) answer =
    g_dbus_message_new_method_error_literal (call, "org.freedesktop.DBus.Error.NoReply", "it went away");

  g_dbus_connection_send_message (connection, answer, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static GDBusMessage *
serve (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  Service *service = data;
  const char *member = g_dbus_message_get_member (message);
  g_autoptr (GDBusMessage) answer = NULL;
  int number;

  if (!incoming || g_dbus_message_get_message_type (message) != G_DBUS_MESSAGE_TYPE_METHOD_CALL)
    return message;
  answer = g_dbus_message_new_method_reply (message);
  if (g_str_equal (member, "GetSteps")) {
    g_dbus_message_set_body (answer, g_variant_new_parsed ("(@a{sa{ss}} {},)"));
  } else {
    number = g_atomic_int_add (&service->calls, 1);
    if (service->words[number] != 'p') {
      g_object_set_data (G_OBJECT (message), "connection", connection);
      g_timeout_add_full (G_PRIORITY_DEFAULT, service->delay, go_away, message, g_object_unref);
      return NULL;
    }
    g_dbus_message_set_body (answer, g_variant_new ("(ts)", (guint64) 0, "pending"));
  }
  g_dbus_connection_send_message (connection, answer, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
  g_object_unref (message);
  return NULL;
}

static void
service_own (Fixture *fixture, const char *method)
{
  g_autoptr (GVariant) reply =
    fixture_call (fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", method,
                  g_str_equal (method, "RequestName") ? g_variant_new ("(su)", SERVICE, 0) : g_variant_new ("(s)", SERVICE));

  g_assert_true (g_variant_is_of_type (reply, G_VARIANT_TYPE ("(u)")));
}

static guint
service_start (Fixture *fixture, Service *service)
{
  guint filter = g_dbus_connection_add_filter (fixture->other, serve, service, NULL);

  g_object_set (fixture->client, "retry-time", 1000, NULL);
  service_own (fixture, "RequestName");
  wait_until (flowbus_client_get_available (fixture->client));
  return filter;
}

/* flowbusd forgets tokens: late, a step that it may have taken is not repeated any more, as starting flowbusd takes time, too. */
static void
test_late_repetition (void)
{
  Fixture *fixture = fixture_new (definitions);
  Service service = { "nn", 600, 0 };
  guint filter = service_start (fixture, &service);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (client_emit (fixture->client, SHOP, "added", NULL, NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNAVAILABLE);
  g_assert_cmpint (g_atomic_int_get (&service.calls), ==, 1);
  g_dbus_connection_remove_filter (fixture->other, filter);
  fixture_free (fixture);
}

/* A pending step goes on in the service: that its repetition was not answered is no failure of it. */
static void
test_pending_repetition (void)
{
  Fixture *fixture = fixture_new (definitions);
  Service service = { "pn", 1100, 0 };
  guint filter = service_start (fixture, &service);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  flowbus_client_emit_async (fixture->client, SHOP, "added", NULL, NULL, NULL, keep_result, &result);
  wait_until (g_atomic_int_get (&service.calls) == 1);
  service_own (fixture, "ReleaseName");
  wait_until (!flowbus_client_get_available (fixture->client));
  service_own (fixture, "RequestName");
  wait_until (result);
  g_assert_cmpint (flowbus_client_emit_finish (fixture->client, result, NULL, &error), ==, FLOWBUS_VERDICT_PENDING);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&service.calls), ==, 2);
  g_clear_object (&result);
  g_dbus_connection_remove_filter (fixture->other, filter);
  fixture_free (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/order/first-step", test_first_step);
  g_test_add_func ("/order/settings", test_settings);
  g_test_add_func ("/order/lost-end", test_lost_end);
  g_test_add_func ("/order/acknowledge", test_acknowledge);
  g_test_add_func ("/order/late-repetition", test_late_repetition);
  g_test_add_func ("/order/pending-repetition", test_pending_repetition);
  return g_test_run ();
}
