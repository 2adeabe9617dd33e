/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "picked = { item = 'int64', note = 'string?', price = 'double?', many = 'int64?', open = 'bool?', tags = 'as?', "
  "at = 'path?' }\n"
  "twice = {}\n"
  "refused = {}\n"
  "gone = { why = 'string' }\n"
  "paid = {}\n"
  "payGone = { why = 'string', error = 'string', text = 'string' }\n"
  "leave = {}\n"
  "evict = {}\n"
  "[screens]\n"
  "list = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present' }\n"
  "detail = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present', evictAfter = '30d', arguments = { item = 'int64', "
  "note = 'string?', price = 'double?', many = 'int64?', open = 'bool?', tags = 'as?', at = 'path?' } }\n"
  "broken = { presenter = 'com.kiosk.Shop' }\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[flows.shop]\n"
  "initial = 'start'\n"
  "whenEmpty = 'stay'\n"
  "children = 'stack'\n"
  "[flows.shop.on]\n"
  "start = { screen = 'list' }\n"
  "picked = { screen = 'detail', reuse = true, style = 'modal' }\n"
  "twice = { screen = 'list' }\n"
  "refused = { screen = 'broken', onDismissed = { step = 'gone', arguments = { why = '$message' } } }\n"
  "gone = { none = true }\n"
  "paid = { screen = 'broken', onDismissed = { step = 'payGone', arguments = { why = '$reason', error = '$error', "
  "text = '$message' } } }\n"
  "payGone = { none = true }\n"
  "leave = { pop = 'root' }\n"
  "evict = { evict = true }\n";

typedef struct {
  Fixture *fixture;
  FlowbusPresenter *presenter;
  GString *notes;
  GHashTable *screens; /* the latest one of each name */
} Shop;

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  Shop *shop = data;

  g_string_append_printf (shop->notes, "%s present(%s) ", flowbus_screen_get_name (screen), flowbus_screen_get_reason (screen));
  note_signals (screen, shop->notes);
  g_hash_table_insert (shop->screens, g_strdup (flowbus_screen_get_name (screen)), g_object_ref (screen));
  flowbus_screen_set_visible (screen, TRUE);
}

static void
count_notify (guint *count)
{
  ++*count;
}

static Shop *
shop_new (void)
{
  Shop *shop = g_new0 (Shop, 1);

  shop->fixture = fixture_new (definitions);
  shop->notes = g_string_new (NULL);
  shop->screens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  shop->presenter = fixture_present (shop->fixture, G_CALLBACK (on_present), shop);
  return shop;
}

static void
shop_free (Shop *shop)
{
  g_hash_table_unref (shop->screens);
  g_object_add_weak_pointer (G_OBJECT (shop->presenter), (gpointer *) &shop->presenter);
  g_object_unref (shop->presenter);
  wait_until (shop->presenter == NULL);
  fixture_free (shop->fixture);
  g_string_free (shop->notes, TRUE);
  g_free (shop);
}

static FlowbusScreen *
shop_screen (Shop *shop, const char *name)
{
  FlowbusScreen *screen;

  wait_until ((screen = g_hash_table_lookup (shop->screens, name)));
  poll_until (!flowbus_screen_is_live (screen) || fixture_get_boolean (shop->fixture, flowbus_screen_get_path (screen), "Presented"));
  return screen;
}

static void
test_life (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list"), *detail;
  g_autoptr (GError) error = NULL;
  g_autoptr (GList) screens = NULL;
  g_autofree char *title = NULL;
  g_autoptr (GAsyncResult) back = NULL;
  guint64 serial;

  g_assert_cmpstr (flowbus_screen_get_path (list), ==, SHOP "/list");
  g_assert_cmpstr (flowbus_screen_get_flow (list), ==, SHOP);
  g_assert_cmpstr (flowbus_screen_get_root (list), ==, SHOP);
  g_assert_cmpstr (flowbus_screen_get_reason (list), ==, "launch");
  g_assert_null (flowbus_screen_get_style (list));
  g_assert_cmpstr (flowbus_screen_get_styles (list)[0], ==, NULL);
  g_assert_null (flowbus_screen_get_output (list));
  g_assert_cmpstr (flowbus_screen_get_direction (list), ==, "push");
  g_assert_cmpuint (flowbus_screen_get_serial (list), ==, 1);
  g_assert_null (flowbus_screen_get_state (list));
  g_assert_true (flowbus_screen_get_presenter (list) == shop->presenter);
  g_assert_true (flowbus_screen_get_client (list) == shop->fixture->client);
  g_assert_true (flowbus_screen_get_in_sight (list));
  g_assert_true (flowbus_screen_get_visible (list));
  g_assert_true (flowbus_screen_is_live (list));
  g_assert_true (flowbus_presenter_lookup_screen (shop->presenter, flowbus_screen_get_instance (list)) == list);

  g_assert_cmpint (screen_emit (list, "picked",
                                g_variant_new_parsed ("{'item': <7>, 'note': <'n'>, 'price': <2.5>, 'many': <int64 -3>, 'open': <true>, "
                                                      "'tags': <['a', 'b']>, 'at': <objectpath '/x'>}"),
                                &error),
                   ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_no_error (error);
  detail = shop_screen (shop, "detail");
  wait_until (!flowbus_screen_get_in_sight (list));
  g_assert_cmpint (flowbus_screen_get_int64 (detail, "item"), ==, 7);
  g_assert_cmpuint (flowbus_screen_get_uint64 (detail, "item"), ==, 7);
  g_assert_cmpfloat (flowbus_screen_get_double (detail, "item"), ==, 7);
  g_assert_cmpint (flowbus_screen_get_int64 (detail, "many"), ==, -3);
  g_assert_cmpuint (flowbus_screen_get_uint64 (detail, "many"), ==, 0);
  g_assert_cmpstr (flowbus_screen_get_string (detail, "note"), ==, "n");
  g_assert_cmpstr (flowbus_screen_get_string (detail, "at"), ==, "/x");
  g_assert_null (flowbus_screen_get_string (detail, "item"));
  g_assert_cmpfloat (flowbus_screen_get_double (detail, "price"), ==, 2.5);
  g_assert_true (flowbus_screen_get_boolean (detail, "open"));
  g_assert_false (flowbus_screen_get_boolean (detail, "item"));
  g_assert_false (flowbus_screen_has_argument (detail, "none"));
  g_assert_true (flowbus_screen_has_argument (detail, "open"));
  {
    g_auto (GStrv) tags = flowbus_screen_get_strv (detail, "tags");
    g_autoptr (GVariant) item = flowbus_screen_get_argument (detail, "item");

    g_assert_cmpstrv (tags, ((const char *const[]){ "a", "b", NULL }));
    g_assert_true (g_variant_is_of_type (item, G_VARIANT_TYPE_INT64));
    g_assert_null (flowbus_screen_get_strv (detail, "item"));
  }
  g_assert_cmpstr (flowbus_screen_get_style (detail), ==, "modal");
  g_assert_cmpstr (flowbus_screen_get_styles (detail)[0], ==, "modal");
  screens = flowbus_presenter_list_screens (shop->presenter);
  g_assert_true (screens->data == list && screens->next->data == detail && !screens->next->next);

  /* New arguments. */
  g_assert_cmpint (screen_emit (detail, "picked", g_variant_new_parsed ("{'item': <int64 8>}"), &error), ==,
                   FLOWBUS_VERDICT_NAVIGATED);
  wait_until (strstr (shop->notes->str, "updated"));
  g_assert_cmpint (flowbus_screen_get_int64 (detail, "item"), ==, 8);

  flowbus_screen_set_title (detail, "Eight");
  flowbus_screen_touch (detail);
  flowbus_screen_touch (detail);
  fixture_settle (shop->fixture);
  title = fixture_get_string (shop->fixture, flowbus_screen_get_path (detail), "Title");
  g_assert_cmpstr (title, ==, "Eight");

  flowbus_screen_back_async (detail, NULL, keep_result, &back);
  wait_until (back);
  g_assert_cmpint (flowbus_screen_back_finish (detail, back, &serial, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpuint (serial, >, 0);
  wait_until (strstr (shop->notes->str, "list returned"));
  g_assert_true (flowbus_screen_get_in_sight (list));
  g_assert_cmpstr (flowbus_screen_get_direction (list), ==, "pop");
  g_assert_false (flowbus_screen_is_live (detail));
  g_assert_cmpstr (shop->notes->str, ==,
                   "list present(launch) detail present(launch) detail updated(update) detail withdrawn(back) list returned ");
  /* What is said of a screen that is gone has no effect. */
  flowbus_screen_set_visible (detail, FALSE);
  flowbus_screen_set_title (detail, "x");
  flowbus_screen_touch (detail);
  g_assert_cmpint (screen_emit (detail, "leave", NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT);
  g_clear_object (&back);
  shop_free (shop);
}

static gboolean
done (GAsyncResult *result, FlowbusScreen *screen, gboolean (*finish) (FlowbusScreen *, GAsyncResult *, GError **))
{
  g_autoptr (GError) error = NULL;

  if (!finish (screen, result, &error))
    g_test_message ("%s", error->message);
  g_object_unref (result);
  return error == NULL;
}

static GVariant *
on_save_state (FlowbusScreen *screen, gpointer data)
{
  return g_variant_ref_sink (g_variant_new_parsed ("{'text': <'draft'>}"));
}

static void
on_unready (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  flowbus_screen_set_ready (screen, FALSE);
  on_present (presenter, screen, data);
}

/* A screen that is not ready becomes visible when it is, also if flowbusd was killed meanwhile; and one that is visible stays so. */
static void
test_ready (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list"), *detail;
  g_autofree char *instance = NULL, *owner = NULL;
  g_autoptr (GVariant) answer = NULL;
  guint notified = 0;

  g_assert_true (flowbus_screen_get_ready (list));
  flowbus_screen_set_ready (list, FALSE);
  fixture_settle (shop->fixture);
  g_assert_true (flowbus_screen_get_visible (list));
  g_assert_true (fixture_get_boolean (shop->fixture, SHOP "/list", "Visible"));
  /* The service has lost that. */
  instance = g_strdup_printf ("/org/flowbus/Navigation1/instance/%" G_GUINT64_FORMAT, flowbus_screen_get_instance (list));
  answer = g_dbus_connection_call_sync (flowbus_client_get_connection (shop->fixture->client), SERVICE, instance, SERVICE ".Presentable",
                                        "SetVisible", g_variant_new ("(b)", FALSE), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_assert_nonnull (answer);
  fixture_kill (shop->fixture);
  fixture_start (shop->fixture);
  poll_until (fixture_get_boolean (shop->fixture, SHOP "/list", "Visible"));

  /* Hidden and shown again. */
  flowbus_screen_set_visible (list, FALSE);
  flowbus_screen_set_visible (list, TRUE);
  g_assert_false (flowbus_screen_get_visible (list));
  fixture_settle (shop->fixture);
  g_assert_false (fixture_get_boolean (shop->fixture, SHOP "/list", "Visible"));
  flowbus_screen_set_visible (list, FALSE);
  flowbus_screen_set_ready (list, TRUE);
  fixture_settle (shop->fixture);
  g_assert_false (fixture_get_boolean (shop->fixture, SHOP "/list", "Visible"));
  flowbus_screen_set_visible (list, TRUE);
  poll_until (fixture_get_boolean (shop->fixture, SHOP "/list", "Visible"));

  g_signal_handlers_disconnect_by_func (shop->presenter, on_present, shop);
  g_signal_connect (shop->presenter, "present", G_CALLBACK (on_unready), shop);
  g_assert_cmpint (screen_emit (list, "picked", g_variant_new_parsed ("{'item': <7>}"), NULL), ==, FLOWBUS_VERDICT_NAVIGATED);
  wait_until ((detail = g_hash_table_lookup (shop->screens, "detail")));
  g_signal_connect_swapped (detail, "notify::ready", G_CALLBACK (count_notify), &notified);
  owner = fixture_get_string (shop->fixture, SHOP "/detail", "Owner");
  g_assert_cmpstr (owner, !=, "");
  g_assert_false (flowbus_screen_get_visible (detail));
  g_assert_false (fixture_get_boolean (shop->fixture, SHOP "/detail", "Visible"));
  fixture_kill (shop->fixture);
  fixture_start (shop->fixture);
  fixture_settle (shop->fixture);
  g_assert_false (fixture_get_boolean (shop->fixture, SHOP "/detail", "Visible"));
  g_object_set (detail, "ready", TRUE, NULL);
  g_object_set (detail, "ready", TRUE, NULL);
  g_assert_cmpuint (notified, ==, 1);
  g_assert_true (flowbus_screen_get_visible (detail));
  poll_until (fixture_get_boolean (shop->fixture, SHOP "/detail", "Presented"));
  shop_free (shop);
}

static void
test_state (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list"), *detail;
  GAsyncResult *result = NULL;
  const char *text;

  screen_emit (list, "picked", g_variant_new_parsed ("{'item': <7>}"), NULL);
  detail = g_object_ref (shop_screen (shop, "detail"));
  flowbus_screen_save_state_async (detail, g_variant_new_parsed ("{'text': <'saved'>}"), NULL, keep_result, &result);
  wait_until (result);
  g_assert_true (done (g_steal_pointer (&result), detail, flowbus_screen_save_state_finish));

  /* A released screen stays, and has no owner. */
  flowbus_screen_release_async (detail, NULL, keep_result, &result);
  wait_until (result);
  g_assert_true (done (g_steal_pointer (&result), detail, flowbus_screen_release_finish));
  g_assert_nonnull (strstr (shop->notes->str, "detail withdrawn(released)"));
  {
    g_autofree char *owner = fixture_get_string (shop->fixture, SHOP "/detail", "Owner");
    g_autoptr (GVariant) dismissed = NULL;

    g_assert_cmpstr (owner, ==, "");
    dismissed = fixture_call (shop->fixture, SERVICE, SHOP "/detail", SERVICE ".Presentable", "Dismiss", NULL);
    g_assert_true (g_variant_is_of_type (dismissed, G_VARIANT_TYPE_UNIT));
  }
  g_object_unref (detail);
  g_hash_table_remove (shop->screens, "detail");
  wait_until (flowbus_screen_get_in_sight (list));
  screen_emit (list, "picked", g_variant_new_parsed ("{'item': <7>}"), NULL);
  detail = shop_screen (shop, "detail");
  g_assert_null (flowbus_screen_get_state (detail));

  /* Eviction asks for the state. */
  g_signal_connect (detail, "save-state", G_CALLBACK (on_save_state), NULL);
  {
    g_autofree char *covered = fixture_emit (shop->fixture, SHOP, "twice", NULL);
    g_autofree char *evicted = NULL;

    wait_until (!flowbus_screen_get_in_sight (detail));
    evicted = fixture_emit (shop->fixture, SHOP, "evict", NULL);
    g_assert_cmpstr (evicted, ==, "navigated");
  }
  wait_until (strstr (shop->notes->str, "detail withdrawn(evicted)"));
  fixture_settle (shop->fixture);
  {
    g_autofree char *path = g_strdup (SHOP "/detail");
    g_autofree char *owner = fixture_get_string (shop->fixture, path, "Owner");

    g_assert_cmpstr (owner, ==, "");
  }
  g_hash_table_remove (shop->screens, "detail");
  list = shop_screen (shop, "list");
  flowbus_screen_dismiss_async (list, NULL, NULL, NULL);
  wait_until (g_hash_table_contains (shop->screens, "detail"));
  detail = shop_screen (shop, "detail");
  g_assert_cmpstr (flowbus_screen_get_reason (detail), ==, "recover");
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (detail), "text", "&s", &text));
  g_assert_cmpstr (text, ==, "draft");

  flowbus_screen_save_state_async (detail, g_variant_new_string ("no dictionary"), NULL, keep_result, &result);
  wait_until (result);
  {
    g_autoptr (GError) error = NULL;

    g_assert_false (flowbus_screen_save_state_finish (detail, result, &error));
    assert_error_text (error, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                       "the values of a state have to be a dictionary of names and values, of the type 'a{sv}', not 's'");
    g_clear_object (&result);
  }
  shop_free (shop);
}

/* What Back would do, asked of a client. */
static char *
peek_back (FlowbusClient *client, const char *path, GVariant **details, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  flowbus_client_peek_back_async (client, path, NULL, keep_result, &result);
  wait_until (result);
  return flowbus_client_peek_back_finish (client, result, details, error);
}

/* Back names what was seen, and so dismisses nothing else. */
static void
test_peek_back (void)
{
  Shop *shop = shop_new ();
  FlowbusClient *client = shop->fixture->client;
  FlowbusScreen *list = shop_screen (shop, "list"), *detail;
  g_autoptr (GAsyncResult) first = NULL, second = NULL;
  g_autoptr (GVariant) details = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *nothing = peek_back (client, SHOP, NULL, &error), *dismiss = NULL, *none = NULL;
  const char *reveals = NULL;
  guint64 goes = 0;

  g_assert_no_error (error);
  g_assert_cmpstr (nothing, ==, "unhandled");
  screen_emit (list, "picked", g_variant_new_parsed ("{'item': <7>}"), NULL);
  detail = shop_screen (shop, "detail");
  dismiss = peek_back (client, SHOP, &details, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (dismiss, ==, "dismiss");
  g_assert_true (g_variant_lookup (details, "goes", "t", &goes));
  g_assert_true (g_variant_lookup (details, "reveals", "&o", &reveals));
  g_assert_cmpuint (goes, ==, flowbus_screen_get_instance (detail));
  g_assert_cmpstr (reveals, ==, SHOP "/list");

  flowbus_client_back_async (client, SHOP, g_variant_new_parsed ("{'goes': <%t>}", goes), NULL, keep_result, &first);
  flowbus_client_back_async (client, SHOP, g_variant_new_parsed ("{'goes': <%t>}", goes), NULL, keep_result, &second);
  wait_until (first && second);
  g_assert_cmpint (flowbus_client_back_finish (client, first, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_no_error (error);
  g_assert_cmpint (flowbus_client_back_finish (client, second, NULL, &error), !=, FLOWBUS_VERDICT_NAVIGATED);
  g_clear_error (&error);

  none = peek_back (client, SHOP "/nothing", NULL, &error);
  g_assert_null (none);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT);
  g_clear_error (&error);
  none = peek_back (client, "shop", NULL, &error);
  assert_error_text (error, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                     "'shop' is no object path; that of a flow or screen is, for example, '/org/flowbus/Navigation1/tree/shop'");
  g_clear_object (&first);
  g_clear_object (&second);
  shop_free (shop);
}

static void
test_back_step (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list"), *detail;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;

  screen_emit (list, "picked", g_variant_new_parsed ("{'item': <7>}"), NULL);
  detail = shop_screen (shop, "detail");
  flowbus_screen_set_back_step (detail, "leave");
  g_assert_cmpstr (flowbus_screen_get_back_step (detail), ==, "leave");
  flowbus_client_back_async (shop->fixture->client, SHOP, NULL, NULL, keep_result, &result);
  wait_until (result);
  g_assert_cmpint (flowbus_client_back_finish (shop->fixture->client, result, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  wait_until (!flowbus_screen_is_live (detail));
  g_assert_nonnull (strstr (shop->notes->str, "detail withdrawn(rule)"));

  /* Errors of calls without a callback are told. */
  flowbus_screen_set_back_step (list, "nonsense");
  wait_until (strstr (shop->notes->str, "list SetBackStep failed: no definition declares a step 'nonsense'"));
  flowbus_screen_set_back_step (list, "picked");
  wait_until (strstr (shop->notes->str, "step 'picked'"));
  flowbus_screen_set_back_step (list, NULL);
  g_assert_null (flowbus_screen_get_back_step (list));
  g_clear_object (&result);
  shop_free (shop);
}

/* What others say of the program, at once and later. */
static void
on_broken (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer mode)
{
  const char *word = mode;

  if (g_str_equal (word, "fail")) {
    flowbus_screen_fail (screen, "no printer is connected");
    return;
  }
  if (g_str_equal (word, "refuse")) {
    flowbus_screen_refuse (screen, "this shop has no printer");
    return;
  }
  flowbus_screen_hold (screen);
  g_object_set_data_full (G_OBJECT (presenter), "held", g_object_ref (screen), g_object_unref);
}

static void
on_gone (FlowbusTree *tree, guint64 serial, const char *flow, const char *step, GVariant *arguments, gpointer why)
{
  if (g_str_equal (step, "gone"))
    g_variant_lookup (arguments, "why", "s", (char **) why);
}

static void
test_fail (void)
{
  Shop *shop = g_new0 (Shop, 1);
  FlowbusTree *tree;
  FlowbusNode *node;
  FlowbusScreen *screen;
  g_autofree char *why = NULL;
  gulong handler;

  shop->fixture = fixture_new (definitions);
  shop->notes = g_string_new (NULL);
  shop->screens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  shop->presenter = flowbus_presenter_new_for_client (shop->fixture->client, NAME);
  g_signal_connect (shop->presenter, "present::list", G_CALLBACK (on_present), shop);
  wait_until (flowbus_presenter_get_name_owned (shop->presenter));
  fixture_start (shop->fixture);
  tree = flowbus_tree_new_for_client (shop->fixture->client, NULL);
  g_signal_connect (tree, "navigated", G_CALLBACK (on_gone), &why);
  wait_until (flowbus_tree_get_loaded (tree));
  shop_screen (shop, "list");

  /* No handler is connected for it. */
  g_free (fixture_emit (shop->fixture, SHOP, "refused", NULL));
  wait_until (why);
  g_assert_cmpstr (why, ==, "this program does not show the screen 'broken'");
  g_clear_pointer (&why, g_free);

  handler = g_signal_connect (shop->presenter, "present::broken", G_CALLBACK (on_broken), (gpointer) "refuse");
  g_free (fixture_emit (shop->fixture, SHOP, "refused", NULL));
  wait_until (why);
  g_assert_cmpstr (why, ==, "this shop has no printer");
  g_clear_pointer (&why, g_free);
  g_signal_handler_disconnect (shop->presenter, handler);

  /* It can't now, in the handler and later: each time it is presented again, and waits meanwhile. */
  handler = g_signal_connect (shop->presenter, "present::broken", G_CALLBACK (on_broken), (gpointer) "fail");
  g_free (fixture_emit (shop->fixture, SHOP, "refused", NULL));
  wait_until ((node = flowbus_tree_lookup (tree, SHOP "/broken")) &&
              g_str_has_prefix (flowbus_node_get_waiting (node), "no printer is connected"));
  g_signal_handler_disconnect (shop->presenter, handler);
  g_signal_connect (shop->presenter, "present::broken", G_CALLBACK (on_broken), (gpointer) "hold");
  wait_until ((screen = g_object_get_data (G_OBJECT (shop->presenter), "held")));
  g_assert_cmpuint (flowbus_screen_get_instance (screen), ==, flowbus_node_get_instance (node));
  note_signals (screen, shop->notes);
  g_object_set_data (G_OBJECT (shop->presenter), "held", NULL);
  screen = flowbus_presenter_lookup_screen (shop->presenter, flowbus_node_get_instance (node));
  flowbus_screen_fail (screen, "the printer is warming up");
  g_assert_nonnull (strstr (shop->notes->str, "broken withdrawn(failed)"));
  wait_until (g_str_has_prefix (flowbus_node_get_waiting (node), "the printer is warming up"));

  /* Held, and refused later. */
  wait_until ((screen = g_object_get_data (G_OBJECT (shop->presenter), "held")));
  g_assert_null (why);
  flowbus_screen_refuse (screen, "the printer is on fire");
  g_assert_false (flowbus_screen_is_live (screen));
  wait_until (why);
  g_assert_cmpstr (why, ==, "the printer is on fire");
  g_assert_null (flowbus_tree_lookup (tree, SHOP "/broken"));
  g_object_set_data (G_OBJECT (shop->presenter), "held", NULL);

  /* Held, and shown later. What an owner alone may do waits for that. */
  g_free (fixture_emit (shop->fixture, SHOP, "refused", NULL));
  wait_until ((screen = g_object_get_data (G_OBJECT (shop->presenter), "held")));
  note_signals (screen, shop->notes);
  flowbus_screen_set_title (screen, "Printer");
  flowbus_screen_set_visible (screen, TRUE);
  fixture_settle (shop->fixture);
  {
    g_autofree char *owner = fixture_get_string (shop->fixture, flowbus_screen_get_path (screen), "Owner");

    g_assert_cmpstr (owner, ==, "");
  }
  flowbus_screen_accept (screen);
  poll_until (({
    g_autofree char *title = fixture_get_string (shop->fixture, flowbus_screen_get_path (screen), "Title");
    g_strcmp0 (title, "Printer") == 0;
  }));
  g_object_set_data (G_OBJECT (shop->presenter), "held", NULL);
  g_object_unref (tree);
  shop_free (shop);
}

static void
note_pay_gone (FlowbusTree *tree, guint64 serial, const char *flow, const char *step, GVariant *arguments, gpointer data)
{
  GString *told = data;
  const char *why, *error, *text;

  if (g_str_equal (step, "payGone") &&
      g_variant_lookup (arguments, "why", "&s", &why) && g_variant_lookup (arguments, "error", "&s", &error) &&
      g_variant_lookup (arguments, "text", "&s", &text))
    g_string_append_printf (told, "%s|%s|%s ", why, error, text);
}

/* A program that gives up says what failed, and the flow can tell it from a user who went away. */
static void
test_dismiss_with_error (void)
{
  Shop *shop = shop_new ();
  FlowbusTree *tree = flowbus_tree_new_for_client (shop->fixture->client, NULL);
  GString *told = g_string_new (NULL);
  GAsyncResult *result = NULL;
  g_autoptr (GError) error = NULL;
  FlowbusScreen *screen;

  g_signal_connect (tree, "navigated", G_CALLBACK (note_pay_gone), told);
  wait_until (flowbus_tree_get_loaded (tree));
  shop_screen (shop, "list");
  g_free (fixture_emit (shop->fixture, SHOP, "paid", NULL));
  screen = shop_screen (shop, "broken");

  /* A name that no error can have: the screen stays. */
  flowbus_screen_dismiss_with_error_async (screen, "declined", "the card is blocked", NULL, keep_result, &result);
  wait_until (result);
  g_assert_false (flowbus_screen_dismiss_with_error_finish (screen, result, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_assert_nonnull (strstr (error->message, "'declined'"));
  g_clear_error (&error);
  g_clear_object (&result);
  g_assert_true (flowbus_screen_is_live (screen));

  flowbus_screen_dismiss_with_error_async (screen, "com.example.Pay.Error.Declined", "the card is blocked", NULL, keep_result,
                                           &result);
  wait_until (result);
  g_assert_true (done (g_steal_pointer (&result), screen, flowbus_screen_dismiss_with_error_finish));
  g_assert_nonnull (strstr (shop->notes->str, "broken withdrawn(failed)"));
  wait_until (told->len);
  g_assert_cmpstr (told->str, ==, "failed|com.example.Pay.Error.Declined|the card is blocked ");
  g_hash_table_remove (shop->screens, "broken");
  g_string_truncate (told, 0);

  /* Without a text, and nobody waits for it. */
  g_free (fixture_emit (shop->fixture, SHOP, "paid", NULL));
  screen = shop_screen (shop, "broken");
  flowbus_screen_dismiss_with_error_async (screen, "com.example.Pay.Error.Hangs", NULL, NULL, NULL, NULL);
  wait_until (told->len);
  g_assert_cmpstr (told->str, ==, "failed|com.example.Pay.Error.Hangs| ");
  g_hash_table_remove (shop->screens, "broken");
  g_string_truncate (told, 0);

  /* The answer to Present is put off: neither end waits for that, as the program may wait for it before it answers. */
  g_signal_handlers_disconnect_by_func (shop->presenter, on_present, shop);
  g_signal_connect (shop->presenter, "present::broken", G_CALLBACK (on_broken), (gpointer) "hold");
  g_free (fixture_emit (shop->fixture, SHOP, "paid", NULL));
  wait_until ((screen = g_object_get_data (G_OBJECT (shop->presenter), "held")));
  flowbus_screen_dismiss_with_error_async (screen, "com.example.Pay.Error.Absent", "no terminal", NULL, keep_result, &result);
  wait_until (result);
  g_assert_true (done (g_steal_pointer (&result), screen, flowbus_screen_dismiss_with_error_finish));
  g_assert_false (flowbus_screen_is_held (screen));
  wait_until (told->len);
  g_assert_cmpstr (told->str, ==, "failed|com.example.Pay.Error.Absent|no terminal ");
  g_object_set_data (G_OBJECT (shop->presenter), "held", NULL);
  g_string_truncate (told, 0);

  g_free (fixture_emit (shop->fixture, SHOP, "paid", NULL));
  wait_until ((screen = g_object_get_data (G_OBJECT (shop->presenter), "held")));
  flowbus_screen_dismiss_async (screen, NULL, keep_result, &result);
  wait_until (result);
  g_assert_true (done (g_steal_pointer (&result), screen, flowbus_screen_dismiss_finish));
  wait_until (told->len);
  g_assert_cmpstr (told->str, ==, "dismissed|| ");
  g_object_set_data (G_OBJECT (shop->presenter), "held", NULL);

  g_object_unref (tree);
  g_string_free (told, TRUE);
  shop_free (shop);
}

/* Calls of Present and Withdraw that flowbusd would not make. */
static void
test_wrong_calls (void)
{
  Fixture *fixture = fixture_new (definitions);
  GString *notes = g_string_new (NULL);
  FlowbusPresenter *presenter = flowbus_presenter_new_for_client (fixture->client, NAME);
  g_autoptr (GVariant) first = NULL, second = NULL, alive = NULL;

  wait_until (flowbus_presenter_get_name_owned (presenter));
  g_assert_cmpstr (flowbus_presenter_get_object_path (presenter), ==, OBJECT);
  g_assert_cmpstr (flowbus_presenter_get_bus_name (presenter), ==, NAME);
  first = fixture_call (fixture, NAME, OBJECT, SERVICE ".Presenter", "Present",
                        g_variant_new_parsed ("(objectpath '/x', 'list', @a{sv} {}, @a{sv} {})"));
  g_assert_cmpstr (g_variant_get_string (first, NULL), ==,
                   "org.freedesktop.DBus.Error.InvalidArgs: the details of '/x' have no 'instance' of the type 't'");
  second = fixture_call (fixture, NAME, OBJECT, SERVICE ".Presenter", "Withdraw",
                         g_variant_new_parsed ("(objectpath '/x', uint64 5, 'back')"));
  g_assert_true (g_variant_is_of_type (second, G_VARIANT_TYPE_UNIT));
  alive = fixture_call (fixture, NAME, OBJECT, SERVICE ".Presenter", "Alive", NULL);
  g_assert_true (g_variant_is_of_type (alive, G_VARIANT_TYPE_UNIT));
  g_object_unref (presenter);
  fixture_free (fixture);
  g_string_free (notes, TRUE);
}

static void
on_name (FlowbusPresenter *presenter, gpointer count)
{
  ++*(int *) count;
}

static void
on_lost (FlowbusPresenter *presenter, const char *message, gpointer text)
{
  g_free (*(char **) text);
  *(char **) text = g_strdup (message);
}

static void
test_name (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusPresenter *presenter, *denied;
  g_autofree char *lost = NULL;
  int acquired = 0;
  g_autoptr (GVariant) taken = fixture_call (fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
                                             g_variant_new ("(su)", NAME, 1));
  g_autoptr (GVariant) given = NULL, replaced = NULL;

  presenter = g_object_new (FLOWBUS_TYPE_PRESENTER, "client", fixture->client, "bus-name", NAME, "object-path", "/other",
                            "name-flags", G_BUS_NAME_OWNER_FLAGS_ALLOW_REPLACEMENT, NULL);
  g_assert_cmpstr (flowbus_presenter_get_object_path (presenter), ==, "/other");
  g_assert_cmpint (flowbus_presenter_get_name_flags (presenter), ==, G_BUS_NAME_OWNER_FLAGS_ALLOW_REPLACEMENT);
  g_signal_connect (presenter, "acquired-name", G_CALLBACK (on_name), &acquired);
  g_signal_connect (presenter, "lost-name", G_CALLBACK (on_lost), &lost);
  wait_until (lost);
  g_assert_cmpstr (lost, ==, "another program has the bus name 'com.kiosk.Shop'");
  g_assert_false (flowbus_presenter_get_name_owned (presenter));
  g_clear_pointer (&lost, g_free);

  /* It waits in the queue. */
  given = fixture_call (fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReleaseName", g_variant_new ("(s)", NAME));
  wait_until (acquired == 1);
  g_assert_true (flowbus_presenter_get_name_owned (presenter));
  replaced = fixture_call (fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
                           g_variant_new ("(su)", NAME, 2));
  wait_until (lost);
  g_assert_cmpstr (lost, ==, "another program has taken the bus name 'com.kiosk.Shop'");
  g_assert_false (flowbus_presenter_get_name_owned (presenter));
  g_clear_pointer (&lost, g_free);

  denied = flowbus_presenter_new_for_client (fixture->client, "com.denied.Name");
  g_signal_connect (denied, "lost-name", G_CALLBACK (on_lost), &lost);
  wait_until (lost);
  g_assert_true (g_str_has_prefix (lost, "the bus does not give the name 'com.denied.Name': "));
  g_object_unref (denied);
  g_object_unref (presenter);
  fixture_free (fixture);
}

/* A presenter and a guard have one name: the flags that one of them asks for count. */
static void
test_name_flags (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusGuard *guard = flowbus_guard_new_for_client (fixture->client, NAME);
  FlowbusPresenter *presenter = g_object_new (FLOWBUS_TYPE_PRESENTER, "client", fixture->client, "bus-name", NAME, "name-flags",
                                              G_BUS_NAME_OWNER_FLAGS_ALLOW_REPLACEMENT, NULL);
  g_autoptr (GVariant) replaced = NULL;
  guint32 answer;

  wait_until (flowbus_presenter_get_name_owned (presenter));
  replaced = fixture_call (fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
                           g_variant_new ("(su)", NAME, 2));
  g_variant_get (replaced, "(u)", &answer);
  g_assert_cmpuint (answer, ==, 1);
  g_object_unref (guard);
  g_object_unref (presenter);
  fixture_free (fixture);
}

static void
call_presenter (Fixture *fixture, const char *name, const char *path, const char *method, const char *arguments)
{
  g_autoptr (GVariant) reply = fixture_call (fixture, name, path, SERVICE ".Presenter", method,
                                             arguments ? g_variant_new_parsed (arguments) : NULL);

  g_assert_true (g_variant_is_of_type (reply, g_str_equal (method, "Present") ? G_VARIANT_TYPE ("(a{sv})") : G_VARIANT_TYPE_UNIT));
}

static void
count_present (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer count)
{
  ++*(int *) count;
}

/* A program with two presenters is idle when neither has a screen. */
static void
test_idle_of_two (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusPresenter *first = flowbus_presenter_new_for_client (fixture->client, NAME);
  FlowbusPresenter *second = flowbus_presenter_new_for_client (fixture->client, "com.kiosk.Other");
  int presents = 0, idle = 0;

  g_object_set (fixture->client, "retry-time", 0, NULL);
  flowbus_presenter_set_exit_when_idle (first, TRUE);
  g_signal_connect (first, "present", G_CALLBACK (count_present), &presents);
  g_signal_connect (second, "present", G_CALLBACK (count_present), &presents);
  g_signal_connect (first, "idle", G_CALLBACK (on_name), &idle);
  wait_until (flowbus_presenter_get_name_owned (first) && flowbus_presenter_get_name_owned (second));
  call_presenter (fixture, NAME, OBJECT, "Present", "(objectpath '/a', 'a', @a{sv} {}, {'instance': <uint64 1>})");
  call_presenter (fixture, "com.kiosk.Other", "/com/kiosk/Other", "Present",
                  "(objectpath '/b', 'b', @a{sv} {}, {'instance': <uint64 2>})");
  g_assert_cmpint (presents, ==, 2);
  call_presenter (fixture, NAME, OBJECT, "Withdraw", "(objectpath '/a', uint64 1, 'back')");
  call_presenter (fixture, "com.kiosk.Other", "/com/kiosk/Other", "Alive", NULL);
  call_presenter (fixture, NAME, OBJECT, "Alive", NULL);
  g_assert_cmpint (idle, ==, 0);
  call_presenter (fixture, "com.kiosk.Other", "/com/kiosk/Other", "Withdraw", "(objectpath '/b', uint64 2, 'back')");
  wait_until (idle == 1);
  g_object_unref (first);
  g_object_unref (second);
  fixture_free (fixture);
}

static void
close_presenter (FlowbusPresenter *presenter, const char *message, gpointer count)
{
  ++*(int *) count;
  flowbus_presenter_close (presenter);
}

/* A handler that closes one part keeps no other one from its start. */
static void
test_close_at_start (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusPresenter *first = flowbus_presenter_new_for_client (fixture->client, NAME), *same, *other;
  int count = 0;

  wait_until (flowbus_presenter_get_name_owned (first));
  same = g_object_new (FLOWBUS_TYPE_PRESENTER, "client", fixture->client, "bus-name", "com.kiosk.Same", "object-path", OBJECT, NULL);
  other = flowbus_presenter_new_for_client (fixture->client, "com.kiosk.Other");
  g_signal_connect (same, "lost-name", G_CALLBACK (close_presenter), &count);
  wait_until (flowbus_presenter_get_name_owned (other));
  g_assert_cmpint (count, ==, 1);
  g_object_unref (first);
  g_object_unref (same);
  g_object_unref (other);
  fixture_free (fixture);
}

/* Without a bus, somebody has to say so: nothing happens otherwise. */
static void
test_no_bus (void)
{
  FlowbusClient *client = flowbus_client_new_for_address ("unix:path=/nowhere");
  FlowbusPresenter *presenter = flowbus_presenter_new_for_client (client, NAME);
  g_autoptr (GAsyncResult) emitted = NULL;

  g_test_expect_message ("Flowbus", G_LOG_LEVEL_MESSAGE, "can't connect to the bus: *");
  flowbus_client_emit_async (client, SHOP, "leave", NULL, NULL, NULL, keep_result, &emitted);
  wait_until (emitted);
  g_test_assert_expected_messages ();
  g_object_unref (presenter);
  g_object_unref (client);
}

static void
test_wrong_name (void)
{
  FlowbusPresenter *presenter;

  g_test_expect_message ("Flowbus", G_LOG_LEVEL_CRITICAL, "'no name' is no bus name of a presenter; one is, for example, 'com.kiosk.Shop'");
  presenter = g_object_new (FLOWBUS_TYPE_PRESENTER, "bus-name", "no name", NULL);
  g_test_assert_expected_messages ();
  g_object_unref (presenter);
  g_test_expect_message ("Flowbus", G_LOG_LEVEL_CRITICAL, "'x' is no object path of a presenter; one is, for example, '/com/kiosk/Shop'");
  presenter = g_object_new (FLOWBUS_TYPE_PRESENTER, "bus-name", NAME, "object-path", "x", NULL);
  g_test_assert_expected_messages ();
  g_object_unref (presenter);
}

static gboolean
is_false (GVariant *reply)
{
  gboolean value;

  g_variant_get (reply, "(b)", &value);
  return !value;
}

static void
test_close (void)
{
  Shop *shop = shop_new ();

  shop_screen (shop, "list");
  flowbus_presenter_close (shop->presenter);
  flowbus_presenter_close (shop->presenter);
  g_assert_cmpstr (shop->notes->str, ==, "list present(launch) list withdrawn(closed) ");
  g_assert_false (flowbus_presenter_get_name_owned (shop->presenter));
  g_assert_null (flowbus_presenter_list_screens (shop->presenter));
  fixture_settle (shop->fixture);
  {
    g_autoptr (GVariant) owned = fixture_call (shop->fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus",
                                               "NameHasOwner", g_variant_new ("(s)", NAME));

    g_assert_true (is_false (owned));
  }
  shop_free (shop);
}

static void
on_idle (FlowbusPresenter *presenter, gpointer count)
{
  ++*(int *) count;
}

static void
test_idle (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list");
  GAsyncResult *result = NULL;
  g_autoptr (GVariant) owned = NULL;
  int idle = 0;

  g_signal_connect (shop->presenter, "idle", G_CALLBACK (on_idle), &idle);
  flowbus_presenter_set_exit_when_idle (shop->presenter, TRUE);
  g_assert_true (flowbus_presenter_get_exit_when_idle (shop->presenter));
  fixture_settle (shop->fixture);
  g_assert_cmpint (idle, ==, 0);
  flowbus_screen_dismiss_async (list, NULL, keep_result, &result);
  wait_until (idle == 1);
  g_assert_nonnull (result);
  g_clear_object (&result);
  owned = fixture_call (shop->fixture, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
                        g_variant_new ("(s)", NAME));
  g_assert_true (is_false (owned));
  shop_free (shop);
}

static void
keep_nothing (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);
}

/* Present arrives while the name is being given back: the program takes it again. */
static void
on_withdraw_call (FlowbusPresenter *presenter, FlowbusScreen *screen, const char *reason, gpointer data)
{
  Shop *shop = data;
  g_autoptr (GVariant) reply = NULL;

  /* The bus has this call before it has the ReleaseName that follows, as its answer proves. */
  g_dbus_connection_call (shop->fixture->other, NAME, OBJECT, SERVICE ".Presenter", "Present",
                          g_variant_new_parsed ("(objectpath '" SHOP "/late', 'late', @a{sv} {}, {'instance': <uint64 99>, 'reason': <'launch'>})"),
                          NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, keep_nothing, NULL);
  reply = g_dbus_connection_call_sync (shop->fixture->other, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId", NULL,
                                       NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_signal_handlers_disconnect_by_data (presenter, data);
  g_signal_connect (presenter, "present", G_CALLBACK (on_present), data);
}

static void
test_idle_race (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list");
  int idle = 0, acquired = 0;

  g_signal_connect (shop->presenter, "idle", G_CALLBACK (on_idle), &idle);
  g_signal_connect (shop->presenter, "acquired-name", G_CALLBACK (on_name), &acquired);
  g_signal_connect (shop->presenter, "withdraw", G_CALLBACK (on_withdraw_call), shop);
  flowbus_presenter_set_exit_when_idle (shop->presenter, TRUE);
  flowbus_screen_dismiss_async (list, NULL, NULL, NULL);
  wait_until (strstr (shop->notes->str, "late present(launch)"));
  call_presenter (shop->fixture, g_dbus_connection_get_unique_name (flowbus_client_get_connection (shop->fixture->client)), OBJECT,
                  "Withdraw", "(objectpath '" SHOP "/late', uint64 99, 'back')");
  wait_until (idle == 1);
  g_assert_nonnull (strstr (shop->notes->str, "late withdrawn(back)"));
  shop_free (shop);
}

/* The watchdog of the service has to find a main loop that hangs, so that no other thread may answer. */
static gpointer
call_alive (gpointer data)
{
  Fixture *fixture = data;
  GError *error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (fixture->other, NAME, OBJECT, SERVICE ".Presenter", "Alive", NULL,
                                                            NULL, G_DBUS_CALL_FLAGS_NONE, 500, NULL, &error);

  return error;
}

static void
test_alive (void)
{
  Shop *shop = shop_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = NULL;

  shop_screen (shop, "list");
  /* This thread sleeps in g_thread_join(): nobody answers. */
  error = g_thread_join (g_thread_new ("caller", call_alive, shop->fixture));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  reply = fixture_call (shop->fixture, NAME, OBJECT, SERVICE ".Presenter", "Alive", NULL);
  g_assert_true (g_variant_is_of_type (reply, G_VARIANT_TYPE_UNIT));
  shop_free (shop);
}

/* A presenter lives in the context that was the thread's default when it was made, and in no other. */
static void
test_context (void)
{
  Shop *shop = g_new0 (Shop, 1);
  GMainContext *context = g_main_context_new ();
  FlowbusClient *client;
  FlowbusPresenter *presenter;
  FlowbusScreen *list;
  GAsyncResult *result = NULL;
  gint64 late;

  shop->fixture = fixture_new (definitions);
  shop->notes = g_string_new (NULL);
  shop->screens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  g_main_context_push_thread_default (context);
  client = flowbus_client_new_for_address (shop->fixture->address);
  presenter = flowbus_presenter_new_for_client (client, NAME);
  g_main_context_pop_thread_default (context);
  g_signal_connect (presenter, "present", G_CALLBACK (on_present), shop);
  late = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  while (!flowbus_presenter_get_name_owned (presenter) && g_get_monotonic_time () < late)
    g_main_context_iteration (context, TRUE);
  /* The other context runs here, and the presenter is silent. */
  fixture_start (shop->fixture);
  g_free (fixture_emit (shop->fixture, SHOP, "gone", "{'why': <'x'>}"));
  g_assert_cmpstr (shop->notes->str, ==, "");
  while (!(list = g_hash_table_lookup (shop->screens, "list")) && g_get_monotonic_time () < late)
    g_main_context_iteration (context, TRUE);
  g_assert_nonnull (list);
  flowbus_screen_dismiss_async (list, NULL, keep_result, &result);
  while (!result && g_get_monotonic_time () < late)
    g_main_context_iteration (context, TRUE);
  g_assert_true (done (result, list, flowbus_screen_dismiss_finish));
  g_assert_cmpstr (shop->notes->str, ==, "list present(launch) list withdrawn(dismissed) ");
  g_hash_table_unref (shop->screens);
  g_object_unref (presenter);
  g_object_add_weak_pointer (G_OBJECT (client), (gpointer *) &client);
  g_object_unref (client);
  while (client && g_get_monotonic_time () < late)
    g_main_context_iteration (context, TRUE);
  g_assert_null (client);
  g_main_context_unref (context);
  fixture_free (shop->fixture);
  g_string_free (shop->notes, TRUE);
  g_free (shop);
}

static const char watched[] = "version = 1\n"
                              "[steps]\nstart = {}\n"
                              "[screens]\nlist = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present', watchdog = '200ms' }\n"
                              "[[autostart]]\nflow = 'shop'\n"
                              "[flows.shop]\ninitial = 'start'\n[flows.shop.on]\nstart = { screen = 'list' }\n";

static void
owner_changed (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *member,
               GVariant *parameters, gpointer lost)
{
  g_autoptr (GVariant) changed = g_variant_get_child_value (parameters, 1);
  const char *owner;

  if (g_variant_lookup (changed, "Owner", "&s", &owner) && !*owner)
    *(gboolean *) lost = TRUE;
}

static gboolean
has_owner (Fixture *fixture, const char *path)
{
  g_autofree char *owner = fixture_get_string (fixture, path, "Owner");

  return owner && *owner;
}

static void
test_watchdog (void)
{
  Shop *shop = g_new0 (Shop, 1);
  GMainContext *context = g_main_context_new ();
  gboolean lost = FALSE;
  guint subscription;

  shop->fixture = fixture_new (watched);
  shop->notes = g_string_new (NULL);
  shop->screens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  shop->presenter = fixture_present (shop->fixture, G_CALLBACK (on_present), shop);
  shop_screen (shop, "list");
  /* Only who has answered the service is known to hang. It asks an owner at once, and is answered first. */
  poll_until (has_owner (shop->fixture, SHOP "/list"));
  g_variant_unref (fixture_call (shop->fixture, NAME, OBJECT, SERVICE ".Presenter", "Alive", NULL));
  g_main_context_push_thread_default (context);
  subscription = g_dbus_connection_signal_subscribe (shop->fixture->other, SERVICE, "org.freedesktop.DBus.Properties",
                                                     "PropertiesChanged", SHOP "/list", NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                                     owner_changed, &lost, NULL);
  /* The main loop of the presenter does not run here. */
  while (!lost)
    g_main_context_iteration (context, TRUE);
  g_dbus_connection_signal_unsubscribe (shop->fixture->other, subscription);
  g_main_context_pop_thread_default (context);
  while (g_main_context_iteration (context, FALSE)) {
  }
  g_main_context_unref (context);
  /* It goes on, and shows the screen again. */
  wait_until (strstr (shop->notes->str, "list present(recover)"));
  g_assert_cmpstr (shop->notes->str, ==, "list present(launch) list withdrawn(ownerHangs) list present(recover) ");
  shop_screen (shop, "list");
  shop_free (shop);
}

static void
on_closed (FlowbusClient *client, GError *error, gpointer kept)
{
  *(GError **) kept = g_error_copy (error);
}

static void
test_disconnected (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list");
  g_autoptr (GError) closed = NULL;
  g_autoptr (GError) error = NULL;
  FlowbusClient *late;

  g_signal_connect (shop->fixture->client, "closed", G_CALLBACK (on_closed), &closed);
  g_subprocess_force_exit (shop->fixture->bus);
  wait_until (closed);
  g_assert_error (closed, FLOWBUS_ERROR, FLOWBUS_ERROR_DISCONNECTED);
  g_assert_cmpstr (shop->notes->str, ==, "list present(launch) list withdrawn(closed) ");
  g_assert_cmpint (screen_emit (list, "twice", NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_DISCONNECTED);
  g_clear_error (&error);
  g_clear_error (&closed);

  /* A bus that is not there. */
  late = flowbus_client_new_for_address (shop->fixture->address);
  g_signal_connect (late, "closed", G_CALLBACK (on_closed), &closed);
  g_assert_cmpint (client_emit (late, SHOP, "twice", NULL, NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_DISCONNECTED);
  g_assert_nonnull (closed);
  g_assert_true (g_str_has_prefix (closed->message, "can't connect to the bus: "));
  g_object_unref (late);
  shop_free (shop);
}

static void
count_gone (gpointer count, GObject *object)
{
  ++*(guint *) count;
}

static void
on_many (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer counts)
{
  guint *count = counts;

  count[0]++;
  g_object_weak_ref (G_OBJECT (screen), count_gone, count + 1);
  flowbus_screen_set_title (screen, "a screen");
  flowbus_screen_set_visible (screen, TRUE);
  flowbus_screen_save_state_async (screen, g_variant_new_parsed ("{'text': <'x'>}"), NULL, NULL, NULL);
}

static void
test_thousand (void)
{
  Fixture *fixture = fixture_new (definitions);
  guint counts[2] = { 0, 0 }, n = 1000;
  FlowbusPresenter *presenter = fixture_present (fixture, G_CALLBACK (on_many), counts);
  g_autoptr (GList) left = NULL;

  wait_until (counts[0] == 1);
  for (guint i = 1; i < n; i++) {
    g_free (fixture_emit (fixture, SHOP, "twice", NULL));
    wait_until (counts[0] == i + 1);
    g_free (fixture_emit (fixture, SHOP, "leave", NULL));
    wait_until (counts[1] == i);
  }
  left = flowbus_presenter_list_screens (presenter);
  g_assert_cmpuint (g_list_length (left), ==, 1);
  g_object_unref (presenter);
  fixture_settle (fixture);
  wait_until (counts[1] == n);
  fixture_free (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/presenter/life", test_life);
  g_test_add_func ("/presenter/ready", test_ready);
  g_test_add_func ("/presenter/state", test_state);
  g_test_add_func ("/presenter/peek-back", test_peek_back);
  g_test_add_func ("/presenter/back-step", test_back_step);
  g_test_add_func ("/presenter/fail", test_fail);
  g_test_add_func ("/presenter/dismiss-with-error", test_dismiss_with_error);
  g_test_add_func ("/presenter/wrong-calls", test_wrong_calls);
  g_test_add_func ("/presenter/name", test_name);
  g_test_add_func ("/presenter/name-flags", test_name_flags);
  g_test_add_func ("/presenter/close-at-start", test_close_at_start);
  g_test_add_func ("/presenter/idle-of-two", test_idle_of_two);
  g_test_add_func ("/presenter/no-bus", test_no_bus);
  g_test_add_func ("/presenter/wrong-name", test_wrong_name);
  g_test_add_func ("/presenter/close", test_close);
  g_test_add_func ("/presenter/idle", test_idle);
  g_test_add_func ("/presenter/idle-race", test_idle_race);
  g_test_add_func ("/presenter/alive", test_alive);
  g_test_add_func ("/presenter/context", test_context);
  g_test_add_func ("/presenter/watchdog", test_watchdog);
  g_test_add_func ("/presenter/disconnected", test_disconnected);
  g_test_add_func ("/presenter/thousand", test_thousand);
  return g_test_run ();
}
