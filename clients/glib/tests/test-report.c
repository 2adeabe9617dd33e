/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

/* The answer to Present says all that the program knows of its screen, so that no other call has to. */

static const char definitions[] = "version = 1\n"
                                  "[steps]\n"
                                  "start = {}\n"
                                  "opened = {}\n"
                                  "noted = {}\n"
                                  "[screens]\n"
                                  "list = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present' }\n"
                                  "detail = { presenter = 'com.kiosk.Shop' }\n"
                                  "[[autostart]]\n"
                                  "flow = 'shop'\n"
                                  "[flows.shop]\n"
                                  "initial = 'start'\n"
                                  "children = 'stack'\n"
                                  "[flows.shop.on]\n"
                                  "start = { screen = 'list' }\n"
                                  "opened = { screen = 'detail' }\n"
                                  "noted = { none = true }\n";

typedef struct {
  Fixture *fixture;
  FlowbusPresenter *presenter;
  GAsyncQueue *messages; /* texts of those of the program's connection, by note_message() */
} Shop;

static Shop
shop_begin (GCallback present)
{
  Shop shop = { .fixture = fixture_new (definitions), .messages = g_async_queue_new_full (g_free) };

  g_object_set (shop.fixture->client, "retry-time", 0, NULL);
  shop.presenter = flowbus_presenter_new_for_client (shop.fixture->client, NAME);
  g_signal_connect (shop.presenter, "present", present, NULL);
  wait_until (flowbus_presenter_get_name_owned (shop.presenter));
  return shop;
}

static void
shop_end (Shop *shop)
{
  g_object_unref (shop->presenter);
  fixture_free (shop->fixture);
  g_async_queue_unref (shop->messages);
}

static FlowbusScreen *
shop_look_up (Shop *shop, const char *name)
{
  g_autoptr (GList) screens = flowbus_presenter_list_screens (shop->presenter);

  for (GList *link = screens; link; link = link->next)
    if (g_str_equal (flowbus_screen_get_name (link->data), name))
      return link->data;
  return NULL;
}

/* Runs in the thread of the connection. */
static GDBusMessage *
note_message (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  const char *member = g_dbus_message_get_member (message);
  GVariant *body = g_dbus_message_get_body (message);
  g_autofree char *text = body && !member ? g_variant_print (body, FALSE) : NULL;

  if (g_strcmp0 (g_dbus_message_get_interface (message), "org.freedesktop.DBus.Peer") != 0)
    g_async_queue_push (data, g_strdup_printf ("%c%s", incoming ? '<' : '>', member ? member : text ? text : "()"));
  return message;
}

/* All messages of the program since the last call, but those of fixture_settle(). */
static char *
take_messages (Shop *shop)
{
  GString *all = g_string_new (NULL);
  char *text;

  while ((text = g_async_queue_try_pop (shop->messages))) {
    if (!g_str_equal (text, "<()"))
      g_string_append_printf (all, "%s ", text);
    g_free (text);
  }
  return g_string_free (all, FALSE);
}

static void
show (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_set_title (screen, "first");
  flowbus_screen_set_visible (screen, TRUE);
  flowbus_screen_set_title (screen, flowbus_screen_get_name (screen));
}

/* A tap that shows another screen is two calls and their answers. */
static void
test_tap (void)
{
  Shop shop = shop_begin (G_CALLBACK (show));
  GDBusConnection *connection = flowbus_client_get_connection (shop.fixture->client);
  g_autofree char *messages = NULL, *title = NULL;
  guint filter;

  fixture_start (shop.fixture);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/list", "Presented"));
  g_assert_cmpint (screen_emit (shop_look_up (&shop, "list"), "noted", NULL, NULL), ==, FLOWBUS_VERDICT_NAVIGATED);
  fixture_settle (shop.fixture);
  filter = g_dbus_connection_add_filter (connection, note_message, shop.messages, NULL);
  g_assert_cmpint (screen_emit (shop_look_up (&shop, "list"), "opened", NULL, NULL), ==, FLOWBUS_VERDICT_NAVIGATED);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/detail", "Presented"));
  fixture_settle (shop.fixture);
  g_dbus_connection_remove_filter (connection, filter);
  messages = take_messages (&shop);
  /* The verdict and the call can come in either order. */
  g_assert_true (g_str_has_prefix (messages, ">EmitStepWithOptions "));
  g_assert_nonnull (strstr (messages, "<Present "));
  g_assert_nonnull (strstr (messages, ">({'visible': <true>, 'title': <'detail'>},) "));
  g_assert_nonnull (strstr (messages, "'navigated') "));
  g_assert_cmpuint (strlen (messages), ==,
                    strlen (">EmitStepWithOptions <(3, 'navigated') <Present >({'visible': <true>, 'title': <'detail'>},) "));
  title = fixture_get_string (shop.fixture, SHOP "/detail", "Title");
  g_assert_cmpstr (title, ==, "detail");
  shop_end (&shop);
}

/* Notes the calls of instances. Runs in the thread of the connection. */
static GDBusMessage *
note_instance (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  const char *path = g_dbus_message_get_path (message);

  if (!incoming && path && g_str_has_prefix (path, "/org/flowbus/Navigation1/instance/"))
    g_async_queue_push (data, g_strdup_printf ("%s of %s;", g_dbus_message_get_member (message), strrchr (path, '/') + 1));
  return message;
}

/* Waits until a call of a screen has gone out, and takes the calls up to now. */
static char *
take_calls_until (Shop *shop, const char *method, FlowbusScreen *screen)
{
  g_autofree char *wanted = g_strdup_printf ("%s of %" G_GUINT64_FORMAT ";", method, flowbus_screen_get_instance (screen));
  g_autoptr (GString) all = g_string_new (NULL);

  while (!strstr (all->str, wanted)) {
    g_autofree char *calls = NULL;

    wait_until (g_async_queue_length (shop->messages) > 0);
    calls = take_messages (shop);
    g_string_append (all, calls);
  }
  return g_strdup (all->str);
}

static gboolean
tap (gpointer data)
{
  FlowbusScreen *screen = shop_look_up (data, "detail");

  flowbus_screen_touch (screen);
  flowbus_screen_emit_async (screen, "noted", NULL, NULL, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
touch_list (gpointer data)
{
  flowbus_screen_touch (shop_look_up (data, "list"));
  return G_SOURCE_REMOVE;
}

static gboolean
emit_on_list (gpointer data)
{
  flowbus_screen_emit_async (shop_look_up (data, "list"), "noted", NULL, NULL, NULL, NULL);
  return G_SOURCE_REMOVE;
}

/* S-34: A step that follows from input says that somebody is there; so no Touch does. Any other step may come from a clock. */
static void
test_touch (void)
{
  Shop shop = shop_begin (G_CALLBACK (show));
  GDBusConnection *connection = flowbus_client_get_connection (shop.fixture->client);
  g_autofree char *first = NULL, *second = NULL;
  FlowbusScreen *list, *detail;
  guint filter;

  fixture_start (shop.fixture);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/list", "Presented"));
  list = shop_look_up (&shop, "list");
  g_assert_cmpint (screen_emit (list, "opened", NULL, NULL), ==, FLOWBUS_VERDICT_NAVIGATED);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/detail", "Visible"));
  detail = shop_look_up (&shop, "detail");
  filter = g_dbus_connection_add_filter (connection, note_instance, shop.messages, NULL);
  g_idle_add (tap, &shop);
  first = take_calls_until (&shop, "EmitStepWithOptions", detail);
  /* That of the other screen goes out later than that of the tap would. */
  g_idle_add (touch_list, &shop);
  g_idle_add (emit_on_list, &shop);
  second = take_calls_until (&shop, "Touch", list);
  g_dbus_connection_remove_filter (connection, filter);
  g_assert_null (strstr (first, "Touch"));
  g_assert_true (strstr (second, "Touch") == g_strrstr (second, "Touch"));
  shop_end (&shop);
}

/* A screen that is gone is touched no more. */
static void
test_touch_withdrawn (void)
{
  Shop shop = shop_begin (G_CALLBACK (show));
  GDBusConnection *connection = flowbus_client_get_connection (shop.fixture->client);
  g_autofree char *calls = NULL;
  FlowbusScreen *list;
  guint filter;

  fixture_start (shop.fixture);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/list", "Presented"));
  list = shop_look_up (&shop, "list");
  g_assert_cmpint (screen_emit (list, "opened", NULL, NULL), ==, FLOWBUS_VERDICT_NAVIGATED);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/detail", "Visible"));
  filter = g_dbus_connection_add_filter (connection, note_instance, shop.messages, NULL);
  flowbus_screen_touch (shop_look_up (&shop, "detail"));
  flowbus_screen_dismiss_async (shop_look_up (&shop, "detail"), NULL, NULL, NULL);
  wait_until (!shop_look_up (&shop, "detail"));
  flowbus_screen_touch (list);
  calls = take_calls_until (&shop, "Touch", list);
  g_dbus_connection_remove_filter (connection, filter);
  g_assert_true (strstr (calls, "Touch") == g_strrstr (calls, "Touch"));
  shop_end (&shop);
}

/* What Present of a screen is answered, without a service. */
static void
call_present (Shop *shop, const char *details, GAsyncResult **result)
{
  g_dbus_connection_call (shop->fixture->other, NAME, OBJECT, SERVICE ".Presenter", "Present",
                          g_variant_new ("(os@a{sv}@a{sv})", "/a", "a", g_variant_new_parsed ("@a{sv} {}"), g_variant_new_parsed (details)),
                          NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, keep_result, result);
}

static char *
take_answer (Shop *shop, GAsyncResult **result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = NULL;

  wait_until (*result);
  answer = g_dbus_connection_call_finish (shop->fixture->other, *result, &error);
  g_clear_object (result);
  if (error)
    g_dbus_error_strip_remote_error (error);
  return answer ? g_variant_print (answer, FALSE) : g_strdup (error->message);
}

#define assert_answer(shop, result, expected)                     \
  G_STMT_START                                                    \
  {                                                               \
    g_autofree char *answer_ = take_answer ((shop), (result));    \
    g_assert_cmpstr (answer_, ==, (expected));                    \
  }                                                               \
  G_STMT_END

#define assert_presented(shop, details, expected)                 \
  G_STMT_START                                                    \
  {                                                               \
    GAsyncResult *result_ = NULL;                                 \
    call_present ((shop), (details), &result_);                   \
    assert_answer ((shop), &result_, (expected));                 \
  }                                                               \
  G_STMT_END

static void
do_nothing (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
}

static void
hide (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_set_visible (screen, FALSE);
}

static void
set_long_title (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  g_autofree char *title = g_strnfill (257, 'x');

  g_signal_connect (screen, "call-failed", G_CALLBACK (do_nothing), NULL);
  flowbus_screen_set_title (screen, "short");
  flowbus_screen_set_title (screen, title);
  flowbus_screen_set_visible (screen, TRUE);
}

static void
be_unready (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_set_ready (screen, FALSE);
  flowbus_screen_set_awaits_picture (screen, TRUE);
  flowbus_screen_set_visible (screen, TRUE);
}

static void
note_sight (FlowbusScreen *screen, GParamSpec *property, gpointer count)
{
  if (count)
    ++*(guint *) count;
}

static void
follow_sight (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  g_signal_connect (screen, "notify::in-sight", G_CALLBACK (note_sight), data);
}

static void
look_at_sight (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  g_assert_true (flowbus_screen_get_in_sight (screen));
}

static void
keep_title (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  g_assert_cmpstr (flowbus_screen_get_title (screen), ==, "of before");
  flowbus_screen_set_title (screen, "of before");
}

/* Only what is new is in the report. */
static void
test_contents (void)
{
  static const struct {
    GCallback present;
    const char *expected;
  } cases[] = {
    { G_CALLBACK (do_nothing), "({},)" },
    { G_CALLBACK (show), "({'visible': <true>, 'title': <'a'>},)" },
    { G_CALLBACK (hide), "({'visible': <false>},)" },
    { G_CALLBACK (set_long_title), "({'visible': <true>},)" },
    { G_CALLBACK (be_unready), "({},)" },
    { G_CALLBACK (follow_sight), "({'tellSight': <true>},)" },
    { G_CALLBACK (look_at_sight), "({'tellSight': <true>},)" },
  };
  Shop shop;

  for (guint at = 0; at < G_N_ELEMENTS (cases); at++) {
    shop = shop_begin (cases[at].present);
    assert_presented (&shop, "{'instance': <uint64 7>}", cases[at].expected);
    shop_end (&shop);
  }
  shop = shop_begin (G_CALLBACK (keep_title));
  assert_presented (&shop, "{'instance': <uint64 7>, 'title': <'of before'>}", "({},)");
  shop_end (&shop);
}

/* The service did not get the answer, and calls again. */
static void
test_lost_answer (void)
{
  Shop shop = shop_begin (G_CALLBACK (show));

  assert_presented (&shop, "{'instance': <uint64 7>}", "({'visible': <true>, 'title': <'a'>},)");
  assert_presented (&shop, "{'instance': <uint64 7>, 'reason': <'launch'>}", "({'visible': <true>, 'title': <'a'>},)");
  assert_presented (&shop, "{'instance': <uint64 7>, 'reason': <'return'>, 'visible': <true>, 'title': <'a'>}", "({},)");
  assert_presented (&shop, "{'instance': <uint64 7>, 'reason': <'return'>, 'visible': <true>, 'title': <'b'>}", "({'title': <'a'>},)");
  shop_end (&shop);
}

static void
await_picture (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_set_title (screen, "early");
  flowbus_screen_set_awaits_picture (screen, TRUE);
}

/* The main loop has done all that was to be done. */
static void
assert_unanswered (Shop *shop, GAsyncResult **result)
{
  g_autoptr (GVariant) alive = fixture_call (shop->fixture, NAME, OBJECT, SERVICE ".Presenter", "Alive", NULL);

  g_assert_true (g_variant_is_of_type (alive, G_VARIANT_TYPE_UNIT));
  g_assert_null (*result);
}

/* The answer waits for the first picture; that of a second call, too. */
static void
test_picture (void)
{
  Shop shop = shop_begin (G_CALLBACK (await_picture));
  GAsyncResult *first = NULL, *second = NULL;
  g_autoptr (FlowbusScreen) screen = NULL;

  call_present (&shop, "{'instance': <uint64 7>}", &first);
  assert_unanswered (&shop, &first);
  call_present (&shop, "{'instance': <uint64 7>, 'reason': <'update'>}", &second);
  assert_unanswered (&shop, &second);
  screen = g_object_ref (flowbus_presenter_lookup_screen (shop.presenter, 7));
  g_assert_false (flowbus_screen_is_held (screen));
  flowbus_screen_set_title (screen, "late");
  flowbus_screen_set_visible (screen, TRUE);
  assert_answer (&shop, &first, "({'visible': <true>, 'title': <'late'>},)");
  assert_answer (&shop, &second, "({'visible': <true>, 'title': <'late'>},)");
  g_clear_object (&screen);

  /* No picture comes. */
  call_present (&shop, "{'instance': <uint64 8>}", &first);
  assert_unanswered (&shop, &first);
  flowbus_screen_set_awaits_picture (flowbus_presenter_lookup_screen (shop.presenter, 8), FALSE);
  assert_answer (&shop, &first, "({'title': <'early'>},)");

  /* It is withdrawn before. */
  call_present (&shop, "{'instance': <uint64 9>}", &first);
  assert_unanswered (&shop, &first);
  screen = g_object_ref (flowbus_presenter_lookup_screen (shop.presenter, 9));
  g_variant_unref (fixture_call (shop.fixture, NAME, OBJECT, SERVICE ".Presenter", "Withdraw",
                                 g_variant_new_parsed ("(objectpath '/a', uint64 9, 'rule')")));
  flowbus_screen_set_visible (screen, TRUE);
  assert_answer (&shop, &first, "the screen has been withdrawn");
  g_clear_object (&screen);
  shop_end (&shop);
}

static void
hold_and_await (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_hold (screen);
}

/* A program that takes its time, and then shows a window: both have to be over. */
static void
test_hold (void)
{
  Shop shop = shop_begin (G_CALLBACK (hold_and_await));
  GAsyncResult *result = NULL;
  FlowbusScreen *screen;

  call_present (&shop, "{'instance': <uint64 7>}", &result);
  assert_unanswered (&shop, &result);
  screen = flowbus_presenter_lookup_screen (shop.presenter, 7);
  flowbus_screen_set_title (screen, "held");
  flowbus_screen_set_awaits_picture (screen, TRUE);
  flowbus_screen_accept (screen);
  assert_unanswered (&shop, &result);
  flowbus_screen_set_visible (screen, TRUE);
  assert_answer (&shop, &result, "({'visible': <true>, 'title': <'held'>},)");

  call_present (&shop, "{'instance': <uint64 8>}", &result);
  assert_unanswered (&shop, &result);
  screen = flowbus_presenter_lookup_screen (shop.presenter, 8);
  flowbus_screen_set_awaits_picture (screen, TRUE);
  flowbus_screen_set_awaits_picture (screen, FALSE);
  assert_unanswered (&shop, &result);
  flowbus_screen_accept (screen);
  assert_answer (&shop, &result, "({},)");
  shop_end (&shop);
}

static void
emitted (GObject *source, GAsyncResult *result, gpointer verdict)
{
  *(FlowbusVerdict *) verdict = flowbus_screen_emit_finish (FLOWBUS_SCREEN (source), result, NULL, NULL);
}

static void
show_and_emit (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer verdict)
{
  flowbus_screen_set_visible (screen, TRUE);
  flowbus_screen_emit_async (screen, "noted", NULL, NULL, emitted, verdict);
}

static void
show_and_hold (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_set_visible (screen, TRUE);
  flowbus_screen_hold (screen);
}

/* What needs a visible screen before the answer gets one. */
static void
test_visible_before (void)
{
  Shop shop = shop_begin (G_CALLBACK (do_nothing));
  FlowbusVerdict verdict = FLOWBUS_VERDICT_FAILED;

  g_signal_connect (shop.presenter, "present::list", G_CALLBACK (show_and_emit), &verdict);
  g_signal_connect (shop.presenter, "present::detail", G_CALLBACK (show_and_hold), NULL);
  fixture_start (shop.fixture);
  wait_until (verdict != FLOWBUS_VERDICT_FAILED);
  g_assert_cmpint (verdict, ==, FLOWBUS_VERDICT_NAVIGATED);
  g_free (fixture_emit (shop.fixture, SHOP, "opened", NULL));
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/detail", "Presented"));
  g_assert_true (flowbus_screen_is_held (shop_look_up (&shop, "detail")));
  shop_end (&shop);
}

static void
count_update (FlowbusScreen *screen, guint *count)
{
  ++*count;
}

/* flowbusd is killed while the answer waits for the picture, and calls again: it is answered once there is one. */
static void
test_restart (void)
{
  Shop shop = shop_begin (G_CALLBACK (await_picture));
  FlowbusScreen *list;
  guint updates = 0;

  fixture_start (shop.fixture);
  wait_until ((list = shop_look_up (&shop, "list")));
  g_signal_connect (list, "updated", G_CALLBACK (count_update), &updates);
  fixture_kill (shop.fixture);
  fixture_start (shop.fixture);
  wait_until (updates == 1);
  fixture_settle (shop.fixture);
  g_assert_true (flowbus_screen_is_live (list));
  g_assert_false (fixture_get_boolean (shop.fixture, SHOP "/list", "Visible"));
  flowbus_screen_set_visible (list, TRUE);
  poll_until (fixture_get_boolean (shop.fixture, SHOP "/list", "Presented"));
  {
    g_autofree char *owner = fixture_get_string (shop.fixture, SHOP "/list", "Owner");
    g_autofree char *title = fixture_get_string (shop.fixture, SHOP "/list", "Title");

    g_assert_cmpstr (owner, ==, g_dbus_connection_get_unique_name (flowbus_client_get_connection (shop.fixture->client)));
    g_assert_cmpstr (title, ==, "early");
  }
  shop_end (&shop);
}

/* Who looks at it is told, by no match rule if that is known with the answer; others are not. */
static void
test_sight (void)
{
  Shop shop = shop_begin (G_CALLBACK (do_nothing));
  GDBusConnection *connection = flowbus_client_get_connection (shop.fixture->client);
  g_autofree char *messages = NULL;
  FlowbusScreen *list, *detail;
  guint count = 0, filter;

  g_signal_connect (shop.presenter, "present::list", G_CALLBACK (follow_sight), &count);
  fixture_start (shop.fixture);
  wait_until ((list = shop_look_up (&shop, "list")));
  fixture_settle (shop.fixture);
  filter = g_dbus_connection_add_filter (connection, note_message, shop.messages, NULL);
  g_free (fixture_emit (shop.fixture, SHOP, "opened", NULL));
  wait_until (count == 1);
  g_assert_false (flowbus_screen_get_in_sight (list));
  messages = take_messages (&shop);
  g_assert_nonnull (strstr (messages, "<SightChanged "));
  g_assert_null (strstr (messages, "PropertiesChanged"));
  detail = shop_look_up (&shop, "detail");
  g_clear_pointer (&messages, g_free);

  /* It comes back, also with Present; and is told after a restart, too. */
  flowbus_screen_dismiss_async (detail, NULL, NULL, NULL);
  wait_until (count == 2);
  fixture_kill (shop.fixture);
  fixture_start (shop.fixture);
  fixture_settle (shop.fixture);
  g_free (fixture_emit (shop.fixture, SHOP, "opened", NULL));
  wait_until (count == 3);
  messages = take_messages (&shop);
  g_assert_null (strstr (messages, "AddMatch"));
  g_clear_pointer (&messages, g_free);

  /* The first look comes late. */
  wait_until ((detail = shop_look_up (&shop, "detail")));
  fixture_settle (shop.fixture);
  g_assert_true (flowbus_screen_get_in_sight (detail));
  g_free (fixture_emit (shop.fixture, SHOP, "opened", NULL));
  wait_until (!flowbus_screen_get_in_sight (detail));
  messages = take_messages (&shop);
  g_assert_nonnull (strstr (messages, ">AddMatch "));
  g_dbus_connection_remove_filter (connection, filter);
  shop_end (&shop);
}

/* It is covered before it is answered for: nothing else would tell. */
static void
test_covered_early (void)
{
  Shop shop = shop_begin (G_CALLBACK (do_nothing));
  FlowbusScreen *list;
  guint count = 0;

  g_signal_connect (shop.presenter, "present::list", G_CALLBACK (follow_sight), &count);
  g_signal_connect (shop.presenter, "present::list", G_CALLBACK (hold_and_await), NULL);
  fixture_start (shop.fixture);
  wait_until ((list = shop_look_up (&shop, "list")));
  g_free (fixture_emit (shop.fixture, SHOP, "opened", NULL));
  wait_until (shop_look_up (&shop, "detail"));
  g_assert_cmpuint (count, ==, 0);
  flowbus_screen_accept (list);
  wait_until (count == 1);
  g_assert_false (flowbus_screen_get_in_sight (list));
  shop_end (&shop);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/tap", test_tap);
  g_test_add_func ("/report/touch", test_touch);
  g_test_add_func ("/report/touch-withdrawn", test_touch_withdrawn);
  g_test_add_func ("/report/contents", test_contents);
  g_test_add_func ("/report/lost-answer", test_lost_answer);
  g_test_add_func ("/report/picture", test_picture);
  g_test_add_func ("/report/hold", test_hold);
  g_test_add_func ("/report/visible-before", test_visible_before);
  g_test_add_func ("/report/restart", test_restart);
  g_test_add_func ("/report/sight", test_sight);
  g_test_add_func ("/report/covered-early", test_covered_early);
  return g_test_run ();
}
