/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static const char definitions[] =
  "version = 1\n"
  "[steps]\n"
  "start = {}\n"
  "typed = { y = 'byte?', n = 'int16?', q = 'uint16?', i = 'int32?', u = 'uint32?', x = 'int64?', t = 'uint64?', d = 'double?', "
  "b = 'bool?', s = 'string?', o = 'path?', g = 'g?', as = 'as?', ax = 'ax?', dict = 'a{sx}?', any = 'a{sv}?' }\n"
  "picked = { item = 'int64' }\n"
  "unruled = {}\n"
  "paid = {}\n"
  "slow = {}\n"
  "silent = {}\n"
  "contactAsked = {}\n"
  "leave = {}\n"
  "[screens]\n"
  "list = { presenter = 'com.kiosk.Shop', whenOwnerGone = 'present' }\n"
  "detail = { presenter = 'com.kiosk.Shop', arguments = { item = 'int64' } }\n"
  "picker = { presenter = 'com.kiosk.Shop', result = { contact = 'int64' } }\n"
  "[[autostart]]\n"
  "flow = 'shop'\n"
  "[flows.shop]\n"
  "initial = 'start'\n"
  "children = 'stack'\n"
  "guard = { name = 'com.kiosk.Auth', steps = ['paid', 'slow', 'silent'], timeout = '400ms' }\n"
  "[flows.shop.on]\n"
  "start = { screen = 'list' }\n"
  "typed = { none = true }\n"
  "picked = { screen = 'detail' }\n"
  "paid = { none = true }\n"
  "slow = { none = true }\n"
  "silent = { none = true }\n"
  "contactAsked = { screen = 'picker' }\n"
  "leave = { pop = 'root' }\n"
  "[flows.closed]\n"
  "emitters = ['com.nobody.Knows']\n"
  "initial = 'start'\n"
  "[flows.closed.on]\n"
  "start = { none = true }\n"
  "paid = { none = true }\n"
  "[[autostart]]\n"
  "flow = 'closed'\n"
  "[flows.extra]\n"
  "initial = 'picked'\n"
  "[flows.extra.on]\n"
  "picked = { screen = 'detail' }\n";

typedef struct {
  Fixture *fixture;
  FlowbusPresenter *presenter;
  FlowbusGuard *guard;
  FlowbusTree *tree;
  GHashTable *screens;
  FlowbusQuestion *question;
  GVariant *latest; /* arguments of the latest navigation */
  GString *notes;
} Shop;

static void
on_present (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  Shop *shop = data;

  g_hash_table_insert (shop->screens, g_strdup (flowbus_screen_get_name (screen)), g_object_ref (screen));
  flowbus_screen_set_visible (screen, TRUE);
}

static void
on_adapt (FlowbusGuard *guard, FlowbusQuestion *question, gpointer data)
{
  Shop *shop = data;

  if (g_str_equal (flowbus_question_get_step (question), "paid"))
    flowbus_question_reject (question, NULL);
  else
    g_set_object (&shop->question, question);
}

static void
on_navigated (FlowbusTree *tree, guint64 serial, const char *flow, const char *step, GVariant *arguments, gpointer data)
{
  Shop *shop = data;

  g_clear_pointer (&shop->latest, g_variant_unref);
  shop->latest = g_variant_ref (arguments);
}

static FlowbusScreen *
shop_screen (Shop *shop, const char *name)
{
  FlowbusScreen *screen;

  wait_until ((screen = g_hash_table_lookup (shop->screens, name)));
  poll_until (fixture_get_boolean (shop->fixture, flowbus_screen_get_path (screen), "Presented"));
  return screen;
}

static Shop *
shop_new (void)
{
  Shop *shop = g_new0 (Shop, 1);

  shop->fixture = fixture_new (definitions);
  shop->notes = g_string_new (NULL);
  shop->screens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  shop->guard = flowbus_guard_new_for_client (shop->fixture->client, "com.kiosk.Auth");
  g_signal_connect (shop->guard, "adapt", G_CALLBACK (on_adapt), shop);
  shop->presenter = fixture_present (shop->fixture, G_CALLBACK (on_present), shop);
  shop->tree = flowbus_tree_new_for_client (shop->fixture->client, NULL);
  g_signal_connect (shop->tree, "navigated", G_CALLBACK (on_navigated), shop);
  wait_until (flowbus_tree_get_loaded (shop->tree));
  shop_screen (shop, "list");
  return shop;
}

static void
shop_free (Shop *shop)
{
  g_clear_object (&shop->question);
  g_object_unref (shop->tree);
  g_object_unref (shop->guard);
  g_object_unref (shop->presenter);
  g_hash_table_unref (shop->screens);
  fixture_free (shop->fixture);
  g_clear_pointer (&shop->latest, g_variant_unref);
  g_string_free (shop->notes, TRUE);
  g_free (shop);
}

/* What the flow got of an argument; the error if it got none. */
static void
assert_becomes (Shop *shop, const char *arguments, const char *got)
{
  g_autoptr (GError) error = NULL;
  FlowbusVerdict verdict = client_emit (shop->fixture->client, SHOP, "typed", g_variant_new_parsed (arguments), NULL, &error);
  g_autofree char *text = NULL;

  if (error) {
    g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
    g_assert_cmpstr (error->message, ==, got);
    return;
  }
  g_assert_cmpint (verdict, ==, FLOWBUS_VERDICT_NAVIGATED);
  fixture_settle (shop->fixture);
  text = g_variant_print (shop->latest, TRUE);
  g_assert_cmpstr (text, ==, got);
}

static void
test_types (void)
{
  static const char *const rows[][2] = {
    { "{'y': <255>}", "{'y': <byte 0xff>}" },
    { "{'n': <int64 -32768>}", "{'n': <int16 -32768>}" },
    { "{'q': <65535>}", "{'q': <uint16 65535>}" },
    { "{'i': <int64 -2147483648>}", "{'i': <-2147483648>}" },
    { "{'u': <int64 4294967295>}", "{'u': <uint32 4294967295>}" },
    { "{'x': <7>}", "{'x': <int64 7>}" },
    { "{'x': <byte 7>}", "{'x': <int64 7>}" },
    { "{'x': <-7.0>}", "{'x': <int64 -7>}" },
    { "{'t': <uint32 7>}", "{'t': <uint64 7>}" },
    { "{'d': <7>}", "{'d': <7.0>}" },
    { "{'d': <2.5>}", "{'d': <2.5>}" },
    { "{'s': <objectpath '/a'>}", "{'s': <'/a'>}" },
    { "{'o': <'/a'>}", "{'o': <objectpath '/a'>}" },
    { "{'g': <'a{sv}'>}", "{'g': <signature 'a{sv}'>}" },
    { "{'as': <['a']>}", "{'as': <['a']>}" },
    { "{'as': <[<'a'>, <'b'>]>}", "{'as': <['a', 'b']>}" },
    { "{'ax': <[1, 2]>}", "{'ax': <[int64 1, 2]>}" },
    { "{'ax': <@av []>}", "{'ax': <@ax []>}" },
    { "{'dict': <{'a': <1>}>}", "{'dict': <{'a': int64 1}>}" },
    { "{'any': <{'a': 1}>}", "{'any': <{'a': <1>}>}" },
    { "{'x': <<7>>}", "{'x': <int64 7>}" },
    { "{'y': <256>}", "argument 'y' of step 'typed' has to be a byte ('y'); '256' is an int32 ('i') that it can't hold" },
    { "{'u': <-1>}", "argument 'u' of step 'typed' has to be a uint32 ('u'); '-1' is an int32 ('i') that it can't hold" },
    { "{'x': <uint64 9223372036854775808>}", "argument 'x' of step 'typed' has to be an int64 ('x'); '9223372036854775808' is a "
                                             "uint64 ('t') that it can't hold" },
    { "{'x': <0.5>}", "argument 'x' of step 'typed' has to be an int64 ('x'); '0.5' is a double ('d') that it can't hold" },
    { "{'d': <int64 9007199254740993>}",
      "argument 'd' of step 'typed' has to be a double ('d'); '9007199254740993' is an int64 ('x') that it can't hold" },
    { "{'x': <'seven'>}", "argument 'x' of step 'typed' has to be an int64 ('x'); 'seven' is a string ('s')" },
    { "{'b': <1>}", "argument 'b' of step 'typed' has to be a boolean ('b'); '1' is an int32 ('i')" },
    { "{'o': <'no path'>}", "argument 'o' of step 'typed' has to be a path ('o'); 'no path' is a string ('s')" },
    { "{'as': <[1]>}", "argument 'as' of step 'typed' has to be a list of strings ('as'); '[1]' is of the type 'ai'" },
    { "{'dict': <{'a': 'b'}>}",
      "argument 'dict' of step 'typed' has to be of the type 'a{sx}'; '{'a': 'b'}' is of the type 'a{ss}'" },
  };
  Shop *shop = shop_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_becomes (shop, rows[i][0], rows[i][1]);
  /* An argument that is not declared is for the service to refuse. */
  assert_becomes (shop, "{'xx': <7>}", "step 'typed' has no argument 'xx': it takes 'any', 'as', 'ax', 'b', 'd', 'dict', 'g', 'i', 'n', 'o', 'q', "
                  "'s', 't', 'u', 'x', 'y'; did you mean 'ax'?");
  shop_free (shop);
}

static void
test_changed_definitions (void)
{
  Shop *shop = shop_new ();
  g_autofree char *changed = g_strdup (definitions);
  char *place = strstr (changed, "x = 'int64?'");

  assert_becomes (shop, "{'x': <7>}", "{'x': <int64 7>}");
  memcpy (place, "x = 'string'", strlen ("x = 'string'"));
  fixture_reload (shop->fixture, changed);
  fixture_settle (shop->fixture);
  assert_becomes (shop, "{'x': <7>}", "argument 'x' of step 'typed' has to be a string ('s'); '7' is an int32 ('i')");
  assert_becomes (shop, "{'x': <'7'>}", "{'x': <'7'>}");
  shop_free (shop);
}

static void
on_concluded (FlowbusClient *client, const char *token, FlowbusVerdict verdict, guint64 serial, GError *error, gpointer notes)
{
  g_string_append_printf (notes, "%s %s %s;", token, flowbus_verdict_to_string (verdict), error ? error->message : "");
}

static void
test_verdicts (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list");
  g_autoptr (GError) error = NULL;
  GAsyncResult *result = NULL;
  guint64 serial;

  flowbus_screen_emit_async (list, "typed", NULL, NULL, keep_result, &result);
  wait_until (result);
  g_assert_cmpint (flowbus_screen_emit_finish (list, result, &serial, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpuint (serial, >, 1);
  g_clear_object (&result);
  g_assert_cmpint (screen_emit (list, "unruled", NULL, &error), ==, FLOWBUS_VERDICT_UNHANDLED);
  g_assert_cmpint (screen_emit (list, "paid", NULL, &error), ==, FLOWBUS_VERDICT_REJECTED);
  g_assert_no_error (error);

  /* A pending step is waited out. */
  flowbus_screen_emit_async (list, "slow", NULL, NULL, keep_result, &result);
  wait_until (shop->question);
  g_assert_null (result);
  g_assert_cmpstr (flowbus_question_get_presentable (shop->question), ==, SHOP "/list");
  g_assert_true (flowbus_question_get_interactive (shop->question));
  flowbus_question_accept (shop->question);
  wait_until (result);
  g_assert_cmpint (flowbus_screen_emit_finish (list, result, &serial, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpuint (serial, >, 1);
  g_clear_object (&result);
  g_clear_object (&shop->question);

  /* Or not. */
  g_signal_connect (shop->fixture->client, "concluded", G_CALLBACK (on_concluded), shop->notes);
  g_assert_cmpint (client_emit (shop->fixture->client, SHOP "/list", "slow", NULL,
                                g_variant_new_parsed ("{'wait': <false>, 'token': <'one'>}"), &error),
                   ==, FLOWBUS_VERDICT_PENDING);
  wait_until (shop->question);
  g_assert_false (flowbus_question_get_interactive (shop->question));
  flowbus_question_accept (shop->question);
  wait_until (strstr (shop->notes->str, "one navigated ;"));
  g_clear_object (&shop->question);

  /* The guard's time is over. */
  g_assert_cmpint (screen_emit (list, "silent", NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_GUARD_TIMEOUT);
  g_clear_error (&error);
  g_clear_object (&shop->question);

  flowbus_screen_set_visible (list, FALSE);
  g_assert_cmpint (screen_emit (list, "typed", NULL, &error), ==, FLOWBUS_VERDICT_HIDDEN);
  g_assert_no_error (error);
  flowbus_client_back_async (shop->fixture->client, SHOP, NULL, NULL, keep_result, &result);
  wait_until (result);
  g_assert_cmpint (flowbus_client_back_finish (shop->fixture->client, result, NULL, &error), ==, FLOWBUS_VERDICT_UNHANDLED);
  g_clear_object (&result);

  g_assert_cmpstr (flowbus_verdict_to_string (FLOWBUS_VERDICT_OTHER), ==, "other");
  shop_free (shop);
}

static void
test_errors (void)
{
  Shop *shop = shop_new ();
  FlowbusClient *client = shop->fixture->client;
  GError *error = NULL;

  client_emit (client, SHOP, "pickd", NULL, NULL, &error);
  assert_error_text (error, FLOWBUS_ERROR_UNKNOWN_STEP, "no definition declares a step 'pickd'; did you mean 'picked'?");
  client_emit (client, SHOP, "picked", NULL, NULL, &error);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_error (&error);
  client_emit (client, SHOP "/nothing", "typed", NULL, NULL, &error);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_OBJECT);
  g_clear_error (&error);
  client_emit (client, TREE "/closed", "paid", NULL, NULL, &error);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_ACCESS_DENIED);
  g_clear_error (&error);
  client_emit (client, SHOP "/list", "typed", NULL, g_variant_new_parsed ("{'instance': <uint64 4711>}"), &error);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_STALE_INSTANCE);
  g_clear_error (&error);
  client_emit (client, "shop", "typed", NULL, NULL, &error);
  assert_error_text (error, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                     "'shop' is no object path; that of a flow or screen is, for example, '/org/flowbus/Navigation1/tree/shop'");
  client_emit (client, SHOP, "typed", g_variant_new_int32 (7), NULL, &error);
  assert_error_text (error, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                     "the arguments of a step have to be a dictionary of names and values, of the type 'a{sv}', not 'i'");
  client_emit (client, SHOP, "typed", NULL, g_variant_new_string ("x"), &error);
  assert_error_text (error, FLOWBUS_ERROR_INVALID_ARGUMENTS,
                     "the options have to be a dictionary of names and values, of the type 'a{sv}', not 's'");
  client_emit (client, SHOP, "typed", NULL, g_variant_new_parsed ("{'token': <7>}"), &error);
  assert_error_text (error, FLOWBUS_ERROR_INVALID_ARGUMENTS, "the option 'token' has to be a string");
  client_emit (client, SHOP, "typed", NULL, g_variant_new_parsed ("{'colour': <7>}"), &error);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_error (&error);
  shop_free (shop);
}

/* Each error name of the contract has a code, and each code its name. */
static void
test_error_names (void)
{
  GEnumClass *codes = g_type_class_ref (FLOWBUS_TYPE_ERROR);

  for (int code = FLOWBUS_ERROR_UNKNOWN_STEP; code <= FLOWBUS_ERROR_INVALID_DEFINITION; code++) {
    g_autoptr (GError) error = g_error_new_literal (FLOWBUS_ERROR, code, "text");
    g_autofree char *name = g_dbus_error_encode_gerror (error);
    g_autoptr (GError) back = NULL;
    GEnumValue *value = g_enum_get_value (codes, code);

    g_assert_nonnull (value);
    /* These two have names of D-Bus itself; test_errors() gets one of them. */
    if (code == FLOWBUS_ERROR_ACCESS_DENIED || code == FLOWBUS_ERROR_NOT_SUPPORTED)
      continue;
    g_assert_true (g_str_has_prefix (name, "org.flowbus.Navigation1.Error."));
    back = g_dbus_error_new_for_dbus_error (name, "text");
    g_assert_error (back, FLOWBUS_ERROR, code);
  }
  g_type_class_unref (codes);
}

static void
test_links (void)
{
  Shop *shop = shop_new ();
  FlowbusClient *client = shop->fixture->client;
  GAsyncResult *result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  flowbus_client_navigate_async (client, "picked", g_variant_new_parsed ("{'item': <7>}"), NULL, NULL, keep_result, &result);
  wait_until (result);
  {
    g_autoptr (GVariant) outcomes = flowbus_client_navigate_finish (client, result, &error);
    const char *flow, *verdict;

    g_assert_no_error (error);
    g_assert_true (g_variant_is_of_type (outcomes, G_VARIANT_TYPE ("a(otsss)")));
    g_variant_get_child (outcomes, 0, "(&ot&sss)", &flow, NULL, &verdict, NULL, NULL);
    g_assert_cmpstr (flow, ==, SHOP);
    g_assert_cmpstr (verdict, ==, "navigated");
  }
  g_clear_object (&result);
  g_assert_cmpint (flowbus_screen_get_int64 (shop_screen (shop, "detail"), "item"), ==, 7);

  flowbus_client_coordinate_async (client, "extra", NULL, NULL, NULL, NULL, keep_result, &result);
  wait_until (result);
  g_assert_null (flowbus_client_coordinate_finish (client, result, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_error (&error);
  g_clear_object (&result);
  flowbus_client_coordinate_async (client, "extra", "picked", g_variant_new_parsed ("{'item': <7>}"),
                                   g_variant_new_parsed ("{'id': <'more'>}"), NULL, keep_result, &result);
  wait_until (result);
  path = flowbus_client_coordinate_finish (client, result, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, TREE "/more");
  g_clear_object (&result);
  flowbus_client_navigate_async (client, "picked", g_variant_new_parsed ("{'item': <'x'>}"), NULL, NULL, keep_result, &result);
  wait_until (result);
  g_assert_null (flowbus_client_navigate_finish (client, result, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_object (&result);
  flowbus_client_coordinate_async (client, "nothing", NULL, NULL, NULL, NULL, keep_result, &result);
  wait_until (result);
  g_clear_error (&error);
  g_assert_null (flowbus_client_coordinate_finish (client, result, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_FLOW);
  g_clear_object (&result);
  shop_free (shop);
}

static gboolean
take_back (FlowbusClient *client, const char *path, const char *token, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  flowbus_client_cancel_step_async (client, path, token, NULL, keep_result, &result);
  wait_until (result);
  return flowbus_client_cancel_step_finish (client, result, error);
}

/* A step that waits is taken back by its token, also when the service is another one by then. */
static void
test_take_back (void)
{
  static const char desk[] = "/org/flowbus/Navigation1/tree/desk";
  Fixture *fixture = fixture_new ("version = 1\n"
                                  "[steps]\n"
                                  "typed = {}\n"
                                  "[[autostart]]\n"
                                  "flow = 'desk'\n"
                                  "[flows.desk]\n"
                                  "whenHidden = 'turn'\n"
                                  "on.typed = { none = true }\n");
  FlowbusClient *client;
  g_autoptr (GVariant) hidden = NULL;
  g_autoptr (GError) error = NULL;

  fixture_start (fixture);
  client = fixture->client;
  hidden = fixture_call (fixture, SERVICE, desk, SERVICE ".Presentable", "SetVisible", g_variant_new ("(b)", FALSE));
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (client_emit (client, desk, "typed", NULL, g_variant_new_parsed ("{'token': <%s>}", i ? "b" : "a"), &error), ==,
                     FLOWBUS_VERDICT_DEFERRED);
  g_assert_true (take_back (client, desk, "a", &error));
  fixture_kill (fixture);
  fixture_start (fixture);
  g_assert_true (take_back (client, desk, "a", &error));
  g_assert_no_error (error);
  g_assert_cmpint (client_emit (client, desk, "typed", NULL, g_variant_new_parsed ("{'token': <'a'>}"), &error), ==,
                   FLOWBUS_VERDICT_HIDDEN);
  g_assert_false (take_back (client, desk, "c", &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_error (&error);
  g_assert_false (take_back (client, "desk", "b", &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_error (&error);
  fixture_free (fixture);
}

/* Two flows that become idle: the paths of those that did, in order. */
typedef struct {
  GString *idle;
  FlowbusScreen *screen;
} Views;

static void
on_view_navigated (FlowbusTree *tree, guint64 serial, const char *flow, const char *step, GVariant *arguments, gpointer data)
{
  Views *views = data;

  if (g_str_equal (step, "home"))
    g_string_append_printf (views->idle, "%s ", flow + strlen (TREE "/"));
}

static void
on_view_present (FlowbusPresenter *presenter, FlowbusScreen *screen, gpointer data)
{
  Views *views = data;

  g_set_object (&views->screen, screen);
  flowbus_screen_set_visible (screen, TRUE);
}

/* S-56: a step that is no input keeps no flow from being idle. The flow on which it is emitted would be idle again before the other one,
   on which a step is emitted later. */
static void
test_no_input (void)
{
  Fixture *fixture = fixture_new ("version = 1\n"
                                  "[steps]\n"
                                  "start = {}\n"
                                  "home = {}\n"
                                  "weather = {}\n"
                                  "[screens]\n"
                                  "panel = { presenter = 'com.kiosk.Shop' }\n"
                                  "[[autostart]]\n"
                                  "flow = 'one'\n"
                                  "[[autostart]]\n"
                                  "flow = 'two'\n"
                                  "[flows.one]\n"
                                  "initial = 'start'\n"
                                  "idle = { after = '20ms', step = 'home' }\n"
                                  "on = { start = { screen = 'panel' }, home = { none = true }, weather = { none = true } }\n"
                                  "[flows.two]\n"
                                  "idle = { after = '20ms', step = 'home' }\n"
                                  "on = { home = { none = true }, weather = { none = true } }\n");
  Views views = { g_string_new (NULL), NULL };
  FlowbusPresenter *presenter;
  FlowbusTree *tree;
  g_autoptr (GError) error = NULL;

  tree = flowbus_tree_new_for_client (fixture->client, NULL);
  g_signal_connect (tree, "navigated", G_CALLBACK (on_view_navigated), &views);
  presenter = fixture_present (fixture, G_CALLBACK (on_view_present), &views);
  wait_until (views.screen && flowbus_tree_get_loaded (tree));
  poll_until (fixture_get_boolean (fixture, flowbus_screen_get_path (views.screen), "Presented"));
  g_assert_cmpint (client_emit (fixture->client, TREE "/one", "weather", NULL, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_assert_cmpint (client_emit (fixture->client, TREE "/two", "weather", NULL, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  /* From here on, both are idle once, and then rest. */
  g_string_truncate (views.idle, 0);
  wait_until (strstr (views.idle->str, "two "));
  for (int i = 0; i < 2; i++) {
    g_autoptr (GAsyncResult) result = NULL;
    GVariant *options = g_variant_new_parsed ("{'input': <false>}");

    g_string_truncate (views.idle, 0);
    if (i) {
      g_assert_cmpint (client_emit (fixture->client, TREE "/one", "weather", NULL, options, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
    } else {
      flowbus_screen_emit_with_options_async (views.screen, "weather", NULL, options, NULL, keep_result, &result);
      wait_until (result);
      g_assert_cmpint (flowbus_screen_emit_with_options_finish (views.screen, result, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
    }
    g_assert_cmpint (client_emit (fixture->client, TREE "/two", "weather", NULL, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
    wait_until (views.idle->len > 0);
    g_assert_cmpstr (views.idle->str, ==, "two ");
  }
  g_assert_no_error (error);
  g_object_unref (views.screen);
  g_object_unref (presenter);
  g_object_unref (tree);
  g_string_free (views.idle, TRUE);
  fixture_free (fixture);
}

static FlowbusAnswer *
answer_of (FlowbusScreen *screen, GAsyncResult **result)
{
  g_autoptr (GError) error = NULL;
  FlowbusAnswer *answer;

  wait_until (*result);
  answer = flowbus_screen_ask_finish (screen, *result, &error);
  g_assert_no_error (error);
  g_clear_object (result);
  return answer;
}

static void
test_ask (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list"), *picker;
  g_autoptr (GError) error = NULL;
  GAsyncResult *result = NULL, *finished = NULL;

  flowbus_screen_ask_async (list, "contactAsked", NULL, "my-token", NULL, keep_result, &result);
  picker = shop_screen (shop, "picker");
  flowbus_screen_finish_with_result_async (picker, g_variant_new_parsed ("{'contact': <'seven'>}"), NULL, keep_result, &finished);
  wait_until (finished);
  g_assert_false (flowbus_screen_finish_with_result_finish (picker, finished, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_clear_error (&error);
  g_clear_object (&finished);
  flowbus_screen_finish_with_result_async (picker, g_variant_new_parsed ("{'contact': <int64 7>}"), NULL, keep_result, &finished);
  {
    g_autoptr (FlowbusAnswer) answer = answer_of (list, &result);
    g_autoptr (GVariant) contact = flowbus_answer_get_value (answer, "contact");
    g_autoptr (GVariant) asks = NULL;

    g_assert_true (flowbus_answer_has_result (answer));
    g_assert_cmpstr (flowbus_answer_get_token (answer), ==, "my-token");
    g_assert_cmpstr (flowbus_answer_get_outcome (answer), ==, "result");
    g_assert_cmpint (g_variant_get_int64 (contact), ==, 7);
    g_assert_null (flowbus_answer_get_value (answer, "none"));
    flowbus_answer_acknowledge (answer);
    fixture_settle (shop->fixture);
    asks = fixture_get (shop->fixture, SHOP "/list", SERVICE ".Presentable", "Asks");
    g_assert_cmpuint (g_variant_get_uint64 (asks), ==, 0);
  }
  wait_until (finished);
  g_assert_true (flowbus_screen_finish_with_result_finish (picker, finished, &error));
  g_clear_object (&finished);
  g_assert_false (flowbus_screen_is_live (picker));
  g_hash_table_remove (shop->screens, "picker");

  /* Nothing that could answer. */
  flowbus_screen_ask_async (list, "typed", NULL, NULL, NULL, keep_result, &result);
  {
    g_autoptr (FlowbusAnswer) answer = answer_of (list, &result);

    g_assert_false (flowbus_answer_has_result (answer));
    g_assert_cmpstr (flowbus_answer_get_outcome (answer), ==, "nothing");
    flowbus_answer_acknowledge (answer);
  }
  flowbus_screen_ask_async (list, "unruled", NULL, NULL, NULL, keep_result, &result);
  {
    g_autoptr (FlowbusAnswer) answer = answer_of (list, &result);

    g_assert_cmpstr (flowbus_answer_get_outcome (answer), ==, "unhandled");
  }

  /* By a client, on a flow; cancelled by the user. */
  flowbus_client_ask_async (shop->fixture->client, SHOP, "contactAsked", NULL, NULL, NULL, keep_result, &result);
  picker = shop_screen (shop, "picker");
  flowbus_screen_back_async (picker, NULL, NULL, NULL);
  wait_until (result);
  {
    g_autoptr (FlowbusAnswer) answer = flowbus_client_ask_finish (shop->fixture->client, result, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (flowbus_answer_get_outcome (answer), ==, "back");
    flowbus_answer_acknowledge (answer);
  }
  g_clear_object (&result);
  flowbus_client_ask_async (shop->fixture->client, SHOP, "wrong", NULL, NULL, NULL, keep_result, &result);
  wait_until (result);
  g_assert_null (flowbus_client_ask_finish (shop->fixture->client, result, &error));
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNKNOWN_STEP);
  g_clear_object (&result);
  shop_free (shop);
}

static void
on_answered (FlowbusScreen *screen, FlowbusAnswer *answer, gpointer notes)
{
  g_string_append_printf (notes, "%s %s;", flowbus_answer_get_token (answer), flowbus_answer_get_outcome (answer));
  flowbus_answer_acknowledge (answer);
}

/* An answer to what an earlier process asked: of another connection here. */
static void
test_answered_later (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list"), *picker;
  FlowbusClient *second;
  FlowbusPresenter *successor;

  flowbus_screen_ask_async (list, "contactAsked", NULL, "first", NULL, NULL, NULL);
  picker = shop_screen (shop, "picker");
  g_assert_true (flowbus_screen_is_live (picker));
  /* The owner of the picker is somebody else, who stays. */
  {
    GAsyncResult *released = NULL;
    g_autoptr (GVariant) claimed = NULL;

    flowbus_screen_release_async (picker, NULL, keep_result, &released);
    wait_until (released);
    g_clear_object (&released);
    claimed = fixture_call (shop->fixture, SERVICE, SHOP "/picker", SERVICE ".Presentable", "Claim", NULL);
    g_assert_true (g_variant_is_of_type (claimed, G_VARIANT_TYPE_UNIT));
  }
  /* The process that asked ends. */
  g_object_unref (shop->presenter);
  shop->presenter = NULL;
  g_dbus_connection_close_sync (flowbus_client_get_connection (shop->fixture->client), NULL, NULL);
  g_hash_table_remove_all (shop->screens);

  second = flowbus_client_new_for_address (shop->fixture->address);
  successor = flowbus_presenter_new_for_client (second, NAME);
  g_signal_connect (successor, "present", G_CALLBACK (on_present), shop);
  wait_until (flowbus_presenter_get_name_owned (successor));
  {
    g_autoptr (GVariant) finished = fixture_call (shop->fixture, SERVICE, SHOP "/picker", SERVICE ".Presentable", "Finish",
                                                  g_variant_new_parsed ("({'contact': <int64 7>},)"));

    g_assert_true (g_variant_is_of_type (finished, G_VARIANT_TYPE_UNIT));
  }
  list = shop_screen (shop, "list");
  g_assert_cmpstr (flowbus_screen_get_reason (list), ==, "recover");
  /* Without a handler it is not taken, and comes again. */
  g_assert_true (g_variant_lookup (flowbus_screen_get_details (list), "answers", "@a(ssa{sv})", NULL));
  g_signal_connect (list, "answered", G_CALLBACK (on_answered), shop->notes);
  fixture_kill (shop->fixture);
  fixture_start (shop->fixture);
  wait_until (shop->notes->len);
  g_assert_cmpstr (shop->notes->str, ==, "first result;");
  poll_until (({
    g_autoptr (GVariant) asks = fixture_get (shop->fixture, SHOP "/list", SERVICE ".Presentable", "Asks");
    asks && g_variant_get_uint64 (asks) == 0;
  }));
  g_object_unref (successor);
  g_hash_table_remove_all (shop->screens);
  g_dbus_connection_close_sync (flowbus_client_get_connection (second), NULL, NULL);
  g_object_unref (second);
  shop->presenter = g_object_new (FLOWBUS_TYPE_PRESENTER, "client", shop->fixture->client, "bus-name", NAME, NULL);
  shop_free (shop);
}

static void
test_cancel (void)
{
  Shop *shop = shop_new ();
  FlowbusScreen *list = shop_screen (shop, "list");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GAsyncResult *result = NULL;

  /* While the guard thinks. */
  flowbus_screen_emit_async (list, "slow", NULL, cancellable, keep_result, &result);
  wait_until (shop->question);
  g_cancellable_cancel (cancellable);
  wait_until (result);
  g_assert_cmpint (flowbus_screen_emit_finish (list, result, NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_clear_object (&result);
  flowbus_question_accept (shop->question);
  g_clear_object (&shop->question);

  /* Before it begins. */
  flowbus_screen_emit_async (list, "typed", NULL, cancellable, keep_result, &result);
  wait_until (result);
  flowbus_screen_emit_finish (list, result, NULL, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_clear_object (&result);

  /* While the service is away. */
  fixture_kill (shop->fixture);
  wait_until (!flowbus_client_get_available (shop->fixture->client));
  g_cancellable_reset (cancellable);
  flowbus_screen_emit_async (list, "typed", NULL, cancellable, keep_result, &result);
  while (g_main_context_iteration (NULL, FALSE)) {
  }
  g_cancellable_cancel (cancellable);
  wait_until (result);
  flowbus_screen_emit_finish (list, result, NULL, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_object (&result);
  shop_free (shop);
}

static void
test_unavailable (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusClient *hasty = g_object_new (FLOWBUS_TYPE_CLIENT, "address", fixture->address, "retry-time", 0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (client_emit (hasty, SHOP, "typed", NULL, NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNAVAILABLE);
  g_clear_error (&error);
  g_assert_false (flowbus_client_get_available (hasty));
  g_object_unref (hasty);

  hasty = g_object_new (FLOWBUS_TYPE_CLIENT, "address", fixture->address, "retry-time", 100, NULL);
  g_assert_cmpint (client_emit (hasty, SHOP, "typed", NULL, NULL, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_UNAVAILABLE);
  g_object_unref (hasty);
  fixture_free (fixture);
}

/* What a call is given belongs to it, also if it fails at once. */
static void
test_floating (void)
{
  Fixture *fixture = fixture_new (definitions);
  GVariant *arguments = g_variant_new_parsed ("{'x': <1>}"), *options = g_variant_new_parsed ("{'wait': <false>}");
  g_autoptr (GError) error = NULL;

  g_variant_ref (arguments);
  g_variant_ref (options);
  g_assert_cmpint (client_emit (fixture->client, "no path", "typed", arguments, options, &error), ==, FLOWBUS_VERDICT_FAILED);
  g_assert_error (error, FLOWBUS_ERROR, FLOWBUS_ERROR_INVALID_ARGUMENTS);
  g_assert_false (g_variant_is_floating (arguments));
  g_assert_false (g_variant_is_floating (options));
  g_variant_unref (arguments);
  g_variant_unref (options);
  fixture_free (fixture);
}

/* The ways to a bus. The session bus is the one of the fixture here. */
static void
test_connections (void)
{
  Fixture *fixture = fixture_new (definitions);
  FlowbusClient *given = flowbus_client_new_for_connection (fixture->other);
  g_autoptr (GError) error = NULL;

  g_assert_true (flowbus_client_get_connection (given) == fixture->other);
  fixture_start (fixture);
  g_assert_cmpint (client_emit (given, SHOP, "typed", NULL, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
  g_object_unref (given);

  g_setenv ("DBUS_SESSION_BUS_ADDRESS", fixture->address, TRUE);
  for (int i = 0; i < 2; i++) {
    FlowbusClient *session = i ? flowbus_client_new_for_bus (G_BUS_TYPE_SESSION) : flowbus_client_new ();

    g_assert_null (flowbus_client_get_connection (session));
    g_assert_cmpint (client_emit (session, SHOP, "typed", NULL, NULL, &error), ==, FLOWBUS_VERDICT_NAVIGATED);
    g_dbus_connection_set_exit_on_close (flowbus_client_get_connection (session), FALSE);
    g_object_unref (session);
  }
  g_assert_no_error (error);
  fixture_free (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/steps/types", test_types);
  g_test_add_func ("/steps/changed-definitions", test_changed_definitions);
  g_test_add_func ("/steps/verdicts", test_verdicts);
  g_test_add_func ("/steps/errors", test_errors);
  g_test_add_func ("/steps/error-names", test_error_names);
  g_test_add_func ("/steps/links", test_links);
  g_test_add_func ("/steps/ask", test_ask);
  g_test_add_func ("/steps/answered-later", test_answered_later);
  g_test_add_func ("/steps/cancel", test_cancel);
  g_test_add_func ("/steps/take-back", test_take_back);
  g_test_add_func ("/steps/no-input", test_no_input);
  g_test_add_func ("/steps/unavailable", test_unavailable);
  g_test_add_func ("/steps/floating", test_floating);
  g_test_add_func ("/steps/connections", test_connections);
  return g_test_run ();
}
