/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "add = { item = 'int64' }\n"
  "flow = {}\n"
  "raise = { item = 'int64' }\n"
  "one = {}\n"
  "leave = {}\n"
  "bad = {}\n"
  "[screens]\n"
  "list = {}\n"
  "detail = { arguments = { item = 'int64' } }\n"
  "single = {}\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[[autostart]]\n"
  "flow = 'other'\n"
  "[flows.shop]\n"
  "initial = 'start'\n"
  "children = 'stack'\n"
  "[flows.shop.on]\n"
  "start = { screen = 'list' }\n"
  "add = { screen = 'detail' }\n"
  "flow = { flow = 'inner' }\n"
  "raise = { screen = 'detail', reuse = 'raise' }\n"
  "one = { screen = 'single', reuse = 'raise' }\n"
  "leave = { pop = 'root' }\n"
  "bad = { flow = 'failing' }\n"
  "[flows.inner]\n"
  "initial = 'start'\n"
  "children = 'stack'\n"
  "[flows.inner.on]\n"
  "start = { screen = 'list' }\n"
  "add = { screen = 'detail' }\n"
  "[flows.failing]\n"
  "initial = 'leave'\n"
  "[flows.failing.on]\n"
  "start = { screen = 'list' }\n"
  "[flows.other]\n"
  "initial = 'start'\n"
  "[flows.other.on]\n"
  "start = { screen = 'list' }\n";

/* "shop[list detail]" */
static void
print_children (GString *text, GListModel *model)
{
  for (guint i = 0; i < g_list_model_get_n_items (model); i++) {
    g_autoptr (FlowbusNode) node = g_list_model_get_item (model, i);

    g_string_append_printf (text, "%s%s", i ? " " : "", strrchr (flowbus_node_get_path (node), '/') + 1);
    if (flowbus_node_is_flow (node)) {
      g_string_append_c (text, '[');
      print_children (text, flowbus_node_get_children (node));
      g_string_append_c (text, ']');
    }
  }
}

/* The flat list says the same as the lists of children. */
static void
check_flat (GListModel *flat, guint *position, GListModel *model, guint depth)
{
  for (guint i = 0; i < g_list_model_get_n_items (model); i++) {
    g_autoptr (FlowbusNode) node = g_list_model_get_item (model, i);
    g_autoptr (FlowbusNode) other = g_list_model_get_item (flat, (*position)++);

    g_assert_true (node == other);
    g_assert_cmpuint (flowbus_node_get_depth (node), ==, depth);
    g_assert_true (flowbus_node_is_live (node));
    check_flat (flat, position, flowbus_node_get_children (node), depth + 1);
  }
}

static void
assert_tree (FlowbusTree *tree, const char *wanted)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  print_children (text, flowbus_tree_get_roots (tree));
  g_assert_cmpstr (text->str, ==, wanted);
  check_flat (G_LIST_MODEL (tree), &n, flowbus_tree_get_roots (tree), 0);
  g_assert_cmpuint (n, ==, g_list_model_get_n_items (G_LIST_MODEL (tree)));
}

/* A list that is kept by the signals alone, as a view does. */
static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, gpointer data)
{
  GPtrArray *mirror = data;

  if (removed)
    g_ptr_array_remove_range (mirror, position, removed);
  for (guint i = 0; i < added; i++)
    g_ptr_array_insert (mirror, position + i, g_list_model_get_item (model, position + i));
  g_assert_cmpuint (mirror->len, ==, g_list_model_get_n_items (model));
  for (guint i = 0; i < mirror->len; i++) {
    g_autoptr (GObject) item = g_list_model_get_item (model, i);

    g_assert_true (item == g_ptr_array_index (mirror, i));
  }
}

static void
step (Fixture *fixture, const char *path, const char *name, const char *arguments)
{
  g_autofree char *verdict = fixture_emit (fixture, path, name, arguments);

  g_assert_cmpstr (verdict, ==, "navigated");
  fixture_settle (fixture);
}

static void
on_failed (FlowbusTree *tree, const char *path, const char *name, FlowbusVerdict verdict, GError *error, gpointer text)
{
  *(char **) text = g_strdup_printf ("%s %s %s", path, name, flowbus_verdict_to_string (verdict));
}

static void
test_changes (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusTree *tree = flowbus_tree_new_for_client (fixture->client, NULL);
  FlowbusTree *below = flowbus_tree_new_for_client (fixture->client, SHOP "/inner");
  g_autoptr (GPtrArray) mirror = g_ptr_array_new_with_free_func (g_object_unref);
  FlowbusNode *node, *inner;
  g_autofree char *failed = NULL;

  g_signal_connect (tree, "items-changed", G_CALLBACK (on_items_changed), mirror);
  g_signal_connect (tree, "failed", G_CALLBACK (on_failed), &failed);
  g_assert_true (g_list_model_get_item_type (G_LIST_MODEL (tree)) == FLOWBUS_TYPE_NODE);
  g_assert_null (flowbus_tree_get_path (tree));
  g_assert_cmpstr (flowbus_tree_get_path (below), ==, SHOP "/inner");
  g_assert_true (flowbus_tree_get_client (tree) == fixture->client);
  g_assert_false (flowbus_tree_get_loaded (tree));
  fixture_start (fixture);
  wait_until (flowbus_tree_get_loaded (tree) && flowbus_tree_get_loaded (below));
  assert_tree (tree, "shop[list] other[list]");
  assert_tree (below, "");

  step (fixture, SHOP, "flow", NULL);
  step (fixture, SHOP "/inner", "add", "{'item': <1>}");
  step (fixture, SHOP "/inner", "add", "{'item': <3>}");
  step (fixture, SHOP, "add", "{'item': <2>}");
  assert_tree (tree, "shop[list inner[list detail detail_2] detail] other[list]");
  assert_tree (below, "inner[list detail detail_2]");
  node = flowbus_tree_lookup (tree, SHOP "/inner/detail_2");
  inner = flowbus_tree_lookup (tree, SHOP "/inner");
  g_assert_true (flowbus_tree_lookup_instance (tree, flowbus_node_get_instance (node)) == node);
  g_assert_null (flowbus_tree_lookup (tree, SHOP "/nothing"));
  g_assert_null (flowbus_tree_lookup_instance (tree, 4711));
  g_assert_cmpstr (flowbus_node_get_name (node), ==, "detail");
  g_assert_cmpstr (flowbus_node_get_parent_path (node), ==, SHOP "/inner");
  g_assert_cmpstr (flowbus_node_get_style (node), ==, "");
  g_assert_cmpstr (flowbus_node_get_owner (node), ==, "");
  g_assert_cmpstr (flowbus_node_get_title (node), ==, "");
  g_assert_cmpstr (flowbus_node_get_waiting (node), ==, "");
  g_assert_null (flowbus_node_get_output (node));
  g_assert_null (flowbus_node_get_current (node));
  g_assert_false (flowbus_node_get_visible (node));
  g_assert_false (flowbus_node_get_presented (node));
  g_assert_false (flowbus_node_get_in_sight (node));
  g_assert_true (flowbus_node_get_ready (inner));
  g_assert_cmpstr (flowbus_node_get_current (inner), ==, SHOP "/inner/detail_2");
  g_assert_cmpstr (flowbus_node_get_output (flowbus_tree_lookup (tree, SHOP)), ==, "");
  {
    gint64 item;

    g_assert_true (g_variant_lookup (flowbus_node_get_arguments (node), "item", "x", &item));
    g_assert_cmpint (item, ==, 3);
  }

  /* What is raised stands last. */
  step (fixture, SHOP, "one", NULL);
  step (fixture, SHOP, "add", "{'item': <4>}");
  assert_tree (tree, "shop[list inner[list detail detail_2] detail single detail_2] other[list]");
  step (fixture, SHOP, "one", NULL);
  fixture_settle (fixture);
  assert_tree (tree, "shop[list inner[list detail detail_2] detail detail_2 single] other[list]");

  /* Properties follow. */
  {
    g_autoptr (GVariant) shown = fixture_call (fixture, SERVICE, SHOP "/single", SERVICE ".Presentable", "SetVisible",
                                               g_variant_new ("(b)", TRUE));

    fixture_settle (fixture);
    node = flowbus_tree_lookup (tree, SHOP "/single");
    g_assert_true (flowbus_node_get_visible (node) && flowbus_node_get_presented (node) && flowbus_node_get_in_sight (node));
  }
  step (fixture, SHOP, "bad", NULL);
  wait_until (failed);
  g_assert_true (g_str_has_prefix (failed, SHOP "/failing leave unhandled") || g_str_has_prefix (failed, SHOP " leave unhandled"));

  g_object_ref (node);
  step (fixture, SHOP, "leave", NULL);
  assert_tree (tree, "shop[list] other[list]");
  assert_tree (below, "");
  g_assert_false (flowbus_node_is_live (node));
  g_object_unref (node);
  g_object_unref (below);
  g_object_unref (tree);
  fixture_free (fixture);
}

static void
test_restart (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusTree *tree = flowbus_tree_new_for_client (fixture->client, NULL);
  g_autoptr (GPtrArray) mirror = g_ptr_array_new_with_free_func (g_object_unref);
  FlowbusNode *node;
  g_autofree char *run = NULL;

  g_signal_connect (tree, "items-changed", G_CALLBACK (on_items_changed), mirror);
  fixture_start (fixture);
  wait_until (flowbus_tree_get_loaded (tree));
  step (fixture, SHOP, "add", "{'item': <1>}");
  node = flowbus_tree_lookup (tree, SHOP "/detail");
  fixture_kill (fixture);
  wait_until (!flowbus_tree_get_loaded (tree));
  assert_tree (tree, "shop[list detail] other[list]");
  fixture_start (fixture);
  wait_until (flowbus_tree_get_loaded (tree));
  g_assert_true (flowbus_tree_lookup (tree, SHOP "/detail") == node);
  assert_tree (tree, "shop[list detail] other[list]");

  /* Meanwhile it changes, and the list hears of it at once. */
  for (int i = 0; i < 5; i++) {
    g_autofree char *verdict = NULL;

    fixture_kill (fixture);
    fixture_start (fixture);
    verdict = fixture_emit (fixture, SHOP, "add", "{'item': <2>}");
    g_assert_cmpstr (verdict, ==, "navigated");
  }
  wait_until (flowbus_tree_get_loaded (tree));
  fixture_settle (fixture);
  assert_tree (tree, "shop[list detail detail_2 detail_3 detail_4 detail_5 detail_6] other[list]");

  /* The tree is lost: other instances are at the same paths. */
  g_object_ref (node);
  fixture_kill (fixture);
  wait_until (!flowbus_tree_get_loaded (tree));
  {
    g_autofree char *command = g_strdup_printf ("rm -r '%s/run'", fixture->folder);

    g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  }
  fixture_start (fixture);
  wait_until (flowbus_tree_get_loaded (tree));
  assert_tree (tree, "shop[list] other[list]");
  g_assert_false (flowbus_node_is_live (node));
  g_object_unref (node);
  g_object_unref (tree);
  fixture_free (fixture);
}

static void
test_wrong_path (void)
{
  FlowbusTree *tree;

  g_test_expect_message ("Flowbus", G_LOG_LEVEL_CRITICAL, "'/shop' is no path of a flow or screen; one is, for example, *");
  tree = g_object_new (FLOWBUS_TYPE_TREE, "path", "/shop", NULL);
  g_test_assert_expected_messages ();
  g_object_unref (tree);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tree/changes", test_changes);
  g_test_add_func ("/tree/restart", test_restart);
  g_test_add_func ("/tree/wrong-path", test_wrong_path);
  return g_test_run ();
}
