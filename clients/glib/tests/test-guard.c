/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "paid = { cents = 'int64' }\n"
  "free = {}\n"
  "wizardStart = {}\n"
  "networkPicked = { ssid = 'string' }\n"
  "[screens]\n"
  "network = { arguments = { ssid = 'string' } }\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[[autostart]]\n"
  "flow = 'wizard'\n"
  "[flows.shop]\n"
  "guard = { name = 'com.kiosk.Auth', steps = ['paid'] }\n"
  "[flows.shop.on]\n"
  "paid = { none = true }\n"
  "free = { none = true }\n"
  "[flows.wizard]\n"
  "navigator = { name = 'org.phone.Wizard', steps = ['wizardStart', 'networkPicked'] }\n";

typedef struct {
  Fixture *fixture;
  FlowbusGuard *guard;
  FlowbusNavigator *navigator;
  FlowbusTree *tree;
  const char *mode;
  FlowbusQuestion *kept;
  GString *notes;
} Shop;

static void
on_adapt (FlowbusGuard *guard, FlowbusQuestion *question, gpointer data)
{
  Shop *shop = data;

  g_assert_false (flowbus_question_is_answered (question));
  if (g_str_equal (shop->mode, "accept"))
    flowbus_question_accept (question);
  else if (g_str_equal (shop->mode, "replace"))
    flowbus_question_replace (question, "free", NULL);
  else if (g_str_equal (shop->mode, "arguments"))
    flowbus_question_replace (question, "paid", g_variant_new_parsed ("{'cents': <int64 1>}"));
  else if (g_str_equal (shop->mode, "reject"))
    flowbus_question_reject (question, "the shop is closed");
  else if (g_str_equal (shop->mode, "fail"))
    flowbus_question_fail (question, "the till is broken");
  else if (g_str_equal (shop->mode, "keep"))
    g_set_object (&shop->kept, question);
}

static void
on_free (FlowbusGuard *guard, FlowbusQuestion *question, gpointer data)
{
  g_error ("asked about a step that the guard is not for");
}

static void
on_navigate (FlowbusNavigator *navigator, FlowbusQuestion *question, gpointer data)
{
  Shop *shop = data;
  g_autoptr (GVariant) ssid = flowbus_question_get_argument (question, "ssid");

  if (g_str_equal (shop->mode, "contribute") && ssid)
    flowbus_question_contribute (question, g_variant_new_parsed ("[('screen', 'network', {'arguments': <{'ssid': %v}>})]", ssid));
  else if (g_str_equal (shop->mode, "reject"))
    flowbus_question_reject (question, NULL);
  else if (g_str_equal (shop->mode, "fail"))
    flowbus_question_fail (question, "no wireless");
  else
    flowbus_question_accept (question);
}

static void
on_navigated (FlowbusTree *tree, guint64 serial, const char *flow, const char *step, GVariant *arguments, gpointer notes)
{
  g_autofree char *text = g_variant_print (arguments, TRUE);

  g_string_append_printf (notes, "%s %s;", step, text);
}

static Shop *
shop_new (void)
{
  Shop *shop = g_new0 (Shop, 1);

  shop->fixture = fixture_new (definitions);
  shop->notes = g_string_new (NULL);
  shop->guard = flowbus_guard_new_for_client (shop->fixture->client, "com.kiosk.Auth");
  g_signal_connect (shop->guard, "adapt::paid", G_CALLBACK (on_adapt), shop);
  g_signal_connect (shop->guard, "adapt::free", G_CALLBACK (on_free), shop);
  shop->navigator = flowbus_navigator_new_for_client (shop->fixture->client, "org.phone.Wizard");
  g_signal_connect (shop->navigator, "navigate", G_CALLBACK (on_navigate), shop);
  wait_until (flowbus_guard_get_name_owned (shop->guard) && flowbus_navigator_get_name_owned (shop->navigator));
  g_assert_cmpstr (flowbus_guard_get_bus_name (shop->guard), ==, "com.kiosk.Auth");
  g_assert_cmpstr (flowbus_guard_get_object_path (shop->guard), ==, "/com/kiosk/Auth");
  g_assert_cmpstr (flowbus_navigator_get_bus_name (shop->navigator), ==, "org.phone.Wizard");
  g_assert_cmpstr (flowbus_navigator_get_object_path (shop->navigator), ==, "/org/phone/Wizard");
  g_assert_true (flowbus_guard_get_client (shop->guard) == shop->fixture->client);
  g_assert_true (flowbus_navigator_get_client (shop->navigator) == shop->fixture->client);
  fixture_start (shop->fixture);
  shop->tree = flowbus_tree_new_for_client (shop->fixture->client, NULL);
  g_signal_connect (shop->tree, "navigated", G_CALLBACK (on_navigated), shop->notes);
  wait_until (flowbus_tree_get_loaded (shop->tree));
  return shop;
}

static void
shop_free (Shop *shop)
{
  g_clear_object (&shop->kept);
  g_object_unref (shop->tree);
  g_clear_object (&shop->guard);
  g_clear_object (&shop->navigator);
  fixture_free (shop->fixture);
  g_string_free (shop->notes, TRUE);
  g_free (shop);
}

static FlowbusVerdict
pay (Shop *shop, const char *mode, GError **error)
{
  shop->mode = mode;
  g_string_truncate (shop->notes, 0);
  return client_emit (shop->fixture->client, SHOP, "paid", g_variant_new_parsed ("{'cents': <450>}"), NULL, error);
}

static void
test_answers (void)
{
  Shop *shop = shop_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *verdict = NULL;

  g_assert_cmpint (pay (shop, "accept", &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpstr (shop->notes->str, ==, "paid {'cents': <int64 450>};");
  g_assert_cmpint (pay (shop, "replace", &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpstr (shop->notes->str, ==, "free @a{sv} {};");
  g_assert_cmpint (pay (shop, "arguments", &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpstr (shop->notes->str, ==, "paid {'cents': <int64 1>};");
  g_assert_cmpint (pay (shop, "reject", &error), ==, FLOWBUS_VERDICT_REJECTED);
  g_assert_no_error (error);
  g_assert_cmpint (pay (shop, "fail", &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_GUARD_FAILED);
  g_assert_nonnull (strstr (error->message, "the till is broken"));
  g_clear_error (&error);

  /* A question that nobody keeps. */
  g_assert_cmpint (pay (shop, "forget", &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_GUARD_FAILED);
  g_assert_nonnull (strstr (error->message, "dropped the question"));
  g_clear_error (&error);

  verdict = fixture_emit (shop->fixture, SHOP, "free", NULL);
  g_assert_cmpstr (verdict, ==, "navigated");
  shop_free (shop);
}

static void
test_later (void)
{
  Shop *shop = shop_new ();
  g_autoptr (GError) error = NULL;
  GAsyncResult *result = NULL;
  g_autoptr (GVariant) cents = NULL;

  shop->mode = "keep";
  flowbus_client_set_interactive (shop->fixture->client, TRUE);
  g_assert_true (flowbus_client_get_interactive (shop->fixture->client));
  flowbus_client_emit_async (shop->fixture->client, SHOP, "paid", g_variant_new_parsed ("{'cents': <450>}"), NULL, NULL,
                             keep_result, &result);
  wait_until (shop->kept);
  g_assert_cmpstr (flowbus_question_get_flow (shop->kept), ==, SHOP);
  g_assert_cmpstr (flowbus_question_get_step (shop->kept), ==, "paid");
  g_assert_cmpstr (flowbus_question_get_presentable (shop->kept), ==, SHOP);
  g_assert_cmpstr (flowbus_question_get_sender (shop->kept), ==,
                   g_dbus_connection_get_unique_name (flowbus_client_get_connection (shop->fixture->client)));
  g_assert_cmpuint (flowbus_question_get_instance (shop->kept), >, 0);
  g_assert_cmpuint (flowbus_question_get_cause (shop->kept), ==, 0);
  g_assert_true (flowbus_question_get_interactive (shop->kept));
  g_assert_true (g_variant_is_of_type (flowbus_question_get_arguments (shop->kept), G_VARIANT_TYPE_VARDICT));
  g_assert_true (g_variant_is_of_type (flowbus_question_get_details (shop->kept), G_VARIANT_TYPE_VARDICT));
  cents = flowbus_question_get_argument (shop->kept, "cents");
  g_assert_cmpint (g_variant_get_int64 (cents), ==, 450);

  /* The service ends while the guard thinks: it asks again, and the step is taken once. */
  fixture_kill (shop->fixture);
  g_clear_object (&shop->kept);
  fixture_start (shop->fixture);
  wait_until (shop->kept);
  flowbus_question_accept (shop->kept);
  g_assert_true (flowbus_question_is_answered (shop->kept));
  wait_until (result);
  g_assert_cmpint (flowbus_client_emit_finish (shop->fixture->client, result, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_no_error (error);
  g_clear_object (&result);
  g_assert_cmpstr (shop->notes->str, ==, "paid {'cents': <int64 450>};");
  shop_free (shop);
}

static void
test_navigator (void)
{
  Shop *shop = shop_new ();
  FlowbusClient *client = shop->fixture->client;
  g_autoptr (GError) error = NULL;
  FlowbusNode *node;
  g_autoptr (GVariant) arguments = NULL;

  shop->mode = "contribute";
  g_assert_cmpint (client_emit (client, TREE "/wizard", "networkPicked", g_variant_new_parsed ("{'ssid': <'home'>}"), NULL, &error),
                   ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_no_error (error);
  node = flowbus_tree_lookup (shop->tree, TREE "/wizard/network");
  g_assert_nonnull (node);
  g_assert_true (g_variant_lookup (flowbus_node_get_arguments (node), "ssid", "s", NULL));
  g_assert_cmpint (client_emit (client, TREE "/wizard", "wizardStart", NULL, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  shop->mode = "reject";
  g_assert_cmpint (client_emit (client, TREE "/wizard", "wizardStart", NULL, NULL, &error), ==, FLOWBUS_VERDICT_UNHANDLED);
  shop->mode = "fail";
  g_assert_cmpint (client_emit (client, TREE "/wizard", "wizardStart", NULL, NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_NAVIGATOR_FAILED);
  flowbus_navigator_close (shop->navigator);
  g_assert_false (flowbus_navigator_get_name_owned (shop->navigator));
  flowbus_guard_close (shop->guard);
  g_assert_false (flowbus_guard_get_name_owned (shop->guard));
  shop_free (shop);
}

static void
test_misuse (void)
{
  FlowbusGuard *guard;
  FlowbusNavigator *navigator;

  g_test_expect_message ("Flowbus", G_LOG_LEVEL_CRITICAL, "':1.5' is no bus name of a guard; one is, for example, 'com.kiosk.Auth'");
  guard = g_object_new (FLOWBUS_TYPE_GUARD, "bus-name", ":1.5", NULL);
  g_test_assert_expected_messages ();
  g_object_unref (guard);
  g_test_expect_message ("Flowbus", G_LOG_LEVEL_CRITICAL, "a navigator needs the property 'bus-name', for example *");
  navigator = g_object_new (FLOWBUS_TYPE_NAVIGATOR, NULL);
  g_test_assert_expected_messages ();
  g_object_unref (navigator);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guard/answers", test_answers);
  g_test_add_func ("/guard/later", test_later);
  g_test_add_func ("/guard/navigator", test_navigator);
  g_test_add_func ("/guard/misuse", test_misuse);
  return g_test_run ();
}
