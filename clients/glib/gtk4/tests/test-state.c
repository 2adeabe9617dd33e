/* SPDX-License-Identifier: Apache-2.0
 *
 * Widgets that save themselves: what they had when one process ended is there in the next one.
 */

#include "support.h"

typedef struct
{
  GtkWidget *root, *text, *entry, *secret, *spin, *check, *toggle, *turn, *expander, *choice, *scale, *stack, *paned, *scrolled;
} Form;

static GtkWidget *
append (GtkWidget *box, GtkWidget *widget, const char *name)
{
  gtk_widget_set_name (widget, name);
  gtk_box_append (GTK_BOX (box), widget);
  return widget;
}

static Form
make_form (void)
{
  const char *const choices[] = { "one", "two", "three", NULL };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *tall = gtk_label_new ("tall");
  Form form = { .root = box };

  form.entry = append (box, gtk_entry_new (), "entry");
  form.secret = append (box, gtk_password_entry_new (), "secret");
  form.text = append (box, gtk_text_view_new (), "text");
  form.spin = append (box, gtk_spin_button_new_with_range (0, 100, 1), "spin");
  form.check = append (box, gtk_check_button_new (), "check");
  form.toggle = append (box, gtk_toggle_button_new (), "toggle");
  form.turn = append (box, gtk_switch_new (), "turn");
  form.expander = append (box, gtk_expander_new ("more"), "expander");
  form.choice = append (box, gtk_drop_down_new_from_strings (choices), "choice");
  form.scale = append (box, gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.01), "scale");
  form.stack = append (box, gtk_stack_new (), "stack");
  gtk_stack_add_named (GTK_STACK (form.stack), gtk_label_new ("first"), "first");
  gtk_stack_add_named (GTK_STACK (form.stack), gtk_label_new ("second"), "second");
  form.paned = append (box, gtk_paned_new (GTK_ORIENTATION_HORIZONTAL), "paned");
  form.scrolled = append (box, gtk_scrolled_window_new (), "scrolled");
  gtk_widget_set_size_request (tall, 10, 5000);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (form.scrolled), tall);
  gtk_widget_set_vexpand (form.scrolled, TRUE);
  /* It has no name, and is not saved. */
  gtk_box_append (GTK_BOX (box), gtk_entry_new ());
  return form;
}

static GtkWindow *
show (FlowbusScreen *screen, Form *form)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());

  *form = make_form ();
  gtk_window_set_default_size (window, 400, 500);
  gtk_window_set_child (window, form->root);
  flowbus_screen_save_widgets (screen, form->root);
  flowbus_screen_bind_window (screen, window);
  poll_until (support_is (flowbus_screen_get_path (screen), "Visible", TRUE));
  return window;
}

static GtkAdjustment *
get_scroll (const Form *form)
{
  return gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (form->scrolled));
}

static void
fill (const Form *form)
{
  gtk_editable_set_text (GTK_EDITABLE (form->entry), "an entry");
  gtk_editable_set_text (GTK_EDITABLE (form->secret), "a secret");
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (form->text)), "two\nlines", -1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (form->spin), 42);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (form->check), TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (form->toggle), TRUE);
  gtk_switch_set_active (GTK_SWITCH (form->turn), TRUE);
  gtk_expander_set_expanded (GTK_EXPANDER (form->expander), TRUE);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (form->choice), 2);
  gtk_range_set_value (GTK_RANGE (form->scale), 0.25);
  gtk_stack_set_visible_child_name (GTK_STACK (form->stack), "second");
  gtk_paned_set_position (GTK_PANED (form->paned), 123);
  wait_until (gtk_adjustment_get_upper (get_scroll (form)) >= 5000);
  gtk_adjustment_set_value (get_scroll (form), 777);
}

static void
check (const Form *form)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (form->text));
  g_autofree char *text = NULL;

  g_object_get (buffer, "text", &text, NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (form->entry)), ==, "an entry");
  g_assert_cmpint (gtk_editable_get_position (GTK_EDITABLE (form->entry)), ==, 8);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (form->secret)), ==, "");
  g_assert_cmpstr (text, ==, "two\nlines");
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (form->spin)), ==, 42);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (form->check)));
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (form->toggle)));
  g_assert_true (gtk_switch_get_active (GTK_SWITCH (form->turn)));
  g_assert_true (gtk_expander_get_expanded (GTK_EXPANDER (form->expander)));
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (form->choice)), ==, 2);
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (form->scale)), ==, 0.25);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (form->stack)), ==, "second");
  g_assert_cmpint (gtk_paned_get_position (GTK_PANED (form->paned)), ==, 123);
}

static void
note_queued (FlowbusPresenter *presenter, const char *message, gboolean *is_queued)
{
  *is_queued = TRUE;
}

/* The screen goes to the next process, which waits for the name already. */
static FlowbusPresenter *
end_process (FlowbusPresenter *presenter)
{
  FlowbusPresenter *next = support_make_presenter ();
  gboolean is_queued = FALSE;

  g_signal_connect (next, "lost-name", G_CALLBACK (note_queued), &is_queued);
  wait_until (is_queued);
  g_signal_handlers_disconnect_by_data (next, &is_queued);
  g_clear_object (&latest);
  g_dbus_connection_close (flowbus_client_get_connection (flowbus_presenter_get_client (presenter)), NULL, NULL, NULL);
  wait_until (latest);
  g_assert_cmpstr (flowbus_screen_get_reason (latest), ==, "recover");
  g_object_unref (presenter);
  return next;
}

static void
test_all_kinds (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (GVariant) state = NULL;
  g_autoptr (GVariant) secret = NULL;
  Form form;

  show (support_open ("opened", 1), &form);
  fill (&form);
  support_wait_until_saved (latest);
  presenter = end_process (presenter);
  state = g_variant_ref (flowbus_screen_get_state (latest));
  secret = g_variant_lookup_value (state, "secret", NULL);
  g_assert_null (secret);
  g_assert_cmpuint (g_variant_n_children (state), ==, 12);

  show (latest, &form);
  check (&form);
  /* It is scrolled when it is drawn. */
  wait_until (gtk_adjustment_get_value (get_scroll (&form)) == 777);

  /* And a third one, from the state that the second has not changed. */
  gtk_editable_set_text (GTK_EDITABLE (form.entry), "an entry");
  presenter = end_process (presenter);
  show (latest, &form);
  check (&form);
  support_end (presenter);
}

/* What the program saves itself stays beside the widgets. */
static void
test_values (void)
{
  FlowbusPresenter *presenter = support_begin ();
  gint64 number = 0;
  const char *entry = NULL;
  Form form;

  show (support_open ("opened", 1), &form);
  flowbus_screen_save_value (latest, "number", g_variant_new_int64 (7));
  flowbus_screen_save_value (latest, "other", g_variant_new_string ("x"));
  gtk_editable_set_text (GTK_EDITABLE (form.entry), "kept");
  flowbus_screen_save_value (latest, "other", NULL);
  support_wait_until_saved (latest);
  presenter = end_process (presenter);
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (latest), "number", "x", &number));
  g_assert_cmpint (number, ==, 7);
  g_assert_false (g_variant_lookup (flowbus_screen_get_state (latest), "other", "&s", &entry));
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (latest), "entry", "&s", &entry));
  g_assert_cmpstr (entry, ==, "kept");

  /* A widget changes, and the value stays. */
  show (latest, &form);
  gtk_editable_set_text (GTK_EDITABLE (form.entry), "changed");
  support_wait_until_saved (latest);
  presenter = end_process (presenter);
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (latest), "number", "x", &number));
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (latest), "entry", "&s", &entry));
  g_assert_cmpstr (entry, ==, "changed");
  support_end (presenter);
}

/* Calls of SaveState that flowbusd does not know. */
static GDBusMessage *
refuse_saving (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer refused)
{
  GDBusMessage *wrong;

  if (incoming || g_strcmp0 (g_dbus_message_get_member (message), "SaveState") != 0)
    return message;
  g_atomic_int_inc ((int *) refused);
  wrong = g_dbus_message_copy (message, NULL);
  g_dbus_message_set_member (wrong, "NoSuchMethod");
  g_object_unref (message);
  return wrong;
}

/* What could not be saved is saved when flowbusd is there again, though nothing has changed. */
static void
test_failed (void)
{
  FlowbusPresenter *presenter = support_begin ();
  FlowbusClient *client = flowbus_presenter_get_client (presenter);
  gint64 number = 0;
  guint filter;
  int refused = 0;

  support_open ("opened", 1);
  flowbus_screen_save_value (latest, "number", g_variant_new_int64 (1));
  support_wait_until_saved (latest);
  filter = g_dbus_connection_add_filter (flowbus_client_get_connection (client), refuse_saving, &refused, NULL);
  flowbus_screen_save_value (latest, "number", g_variant_new_int64 (2));
  support_wait_until_saved (latest);
  g_assert_cmpint (g_atomic_int_get (&refused), ==, 1);
  g_dbus_connection_remove_filter (flowbus_client_get_connection (client), filter);
  g_signal_emit_by_name (client, "appeared");
  support_wait_until_saved (latest);
  presenter = end_process (presenter);
  g_assert_true (g_variant_lookup (flowbus_screen_get_state (latest), "number", "x", &number));
  g_assert_cmpint (number, ==, 2);
  support_end (presenter);
}

/* Appends to a text that stays where it is, as another thread writes it. */
static GDBusMessage *
note_call (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer calls)
{
  const char *member = g_dbus_message_get_member (message);

  if (!incoming && (g_strcmp0 (member, "SaveState") == 0 || g_strcmp0 (member, "AcknowledgeAnswer") == 0))
    g_string_append_printf (calls, "%s ", member);
  return message;
}

static void
note_answer (GObject *object, GAsyncResult *result, gpointer answer)
{
  g_autoptr (GError) error = NULL;

  *(FlowbusAnswer **) answer = flowbus_screen_ask_finish (FLOWBUS_SCREEN (object), result, &error);
  g_assert_no_error (error);
}

/* What follows from an answer is saved before the answer is acknowledged, though widgets are saved later. */
static void
test_answer (void)
{
  FlowbusPresenter *presenter = support_begin ();
  g_autoptr (FlowbusScreen) screen = g_object_ref (support_open ("opened", 1));
  g_autoptr (FlowbusAnswer) answer = NULL;
  GString *calls = g_string_sized_new (1000);
  Form form;
  guint filter;

  show (screen, &form);
  support_wait_until_saved (screen);
  g_clear_object (&latest);
  flowbus_screen_ask_async (screen, "asked", NULL, NULL, NULL, note_answer, &answer);
  wait_until (latest);
  flowbus_screen_finish_with_result_async (latest, g_variant_new_parsed ("{'number': <int64 5>}"), NULL, NULL, NULL);
  wait_until (answer);
  filter = g_dbus_connection_add_filter (flowbus_client_get_connection (flowbus_presenter_get_client (presenter)), note_call, calls,
                                         NULL);
  gtk_editable_set_text (GTK_EDITABLE (form.entry), "five");
  flowbus_screen_save_value (screen, "number", g_variant_new_int64 (5));
  flowbus_answer_acknowledge (answer);
  wait_until (strstr (calls->str, "AcknowledgeAnswer"));
  g_assert_cmpstr (calls->str, ==, "SaveState AcknowledgeAnswer ");
  g_dbus_connection_remove_filter (flowbus_client_get_connection (flowbus_presenter_get_client (presenter)), filter);
  support_end (presenter);
  g_string_free (calls, TRUE);
}

/* Two widgets with one name can't both be saved. */
static void
test_same_name (void)
{
  if (g_test_subprocess ())
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

      support_begin ();
      append (box, gtk_entry_new (), "entry");
      append (box, gtk_entry_new (), "entry");
      flowbus_screen_save_widgets (support_open ("opened", 1), box);
      return;
    }
  g_test_trap_subprocess (NULL, 20 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*Two widgets of the screen '*' have the name 'entry'*");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/state/all-kinds", test_all_kinds);
  g_test_add_func ("/state/values", test_values);
  g_test_add_func ("/state/failed", test_failed);
  g_test_add_func ("/state/answer", test_answer);
  g_test_add_func ("/state/same-name", test_same_name);
  return g_test_run ();
}
