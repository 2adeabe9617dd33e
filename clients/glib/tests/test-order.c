/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

/* The order of calls: what a program does first has its effect first, also if a call has to wait or is repeated. */

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "added = { item = 'int64' }\n"
  "contactAsked = {}\n"
  "[screens]\n"
  "list = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present', evictAfter = '30d' }\n"
  "picker = { presenter = 'com.kiosk.Shop', result = { contact = 'int64' } }\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[flows.shop]\n"
  "initial = 'start'\n"
  "children = 'stack'\n"
  "[flows.shop.on]\n"
  "start = { screen = 'list' }\n"
  "added = { none = true }\n"
  "contactAsked = { screen = 'picker' }\n";

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/order/first-step", test_first_step);
  return g_test_run ();
}
