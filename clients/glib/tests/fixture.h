/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus.h>

/* A bus of its own, and a flowbusd of its own on it. */
typedef struct {
  char *folder;
  char *address;
  GSubprocess *bus;
  GSubprocess *service;
  GDBusConnection *other; /* of another program */
  FlowbusClient *client;
} Fixture;

#define NAME "com.kiosk.Shop"
#define OBJECT "/com/kiosk/Shop"
#define TREE "/org/flowbus/Navigation1/tree"
#define SHOP TREE "/shop"
#define SERVICE "org.flowbus.Navigation1"

/* @definitions: the text of a definition file */
Fixture *fixture_new (const char *definitions);
void fixture_free (Fixture *self);
/* Starts the service; it serves when this returns. */
void fixture_start (Fixture *self);
void fixture_kill (Fixture *self);
/* Another service takes over from the one that runs. */
void fixture_replace (Fixture *self);
void fixture_reload (Fixture *self, const char *definitions);
/* A presenter that has its name, and a service after it. */
FlowbusPresenter *fixture_present (Fixture *self, GCallback present, gpointer data);

/* A call of another program, for which the main loop runs; its error as text if it fails: "ERROR NAME: MESSAGE". */
GVariant *fixture_call (Fixture *self, const char *name, const char *path, const char *interface, const char *method,
                        GVariant *parameters);
GVariant *fixture_get (Fixture *self, const char *path, const char *interface, const char *property);
gboolean fixture_get_boolean (Fixture *self, const char *path, const char *property);
char *fixture_get_string (Fixture *self, const char *path, const char *property);
/* The verdict of a step that another program emits. */
char *fixture_emit (Fixture *self, const char *path, const char *step, const char *arguments);
/* All that was sent to this program before now has arrived. */
void fixture_settle (Fixture *self);
guint fixture_children (Fixture *self, const char *flow);

/* Runs the main loop until the condition holds. The time only ends a test that fails. */
gboolean fixture_too_late (gpointer what);
#define wait_until(condition)                                                                                                  \
  G_STMT_START                                                                                                                 \
  {                                                                                                                            \
    guint late_ = g_timeout_add_seconds (20, fixture_too_late, (gpointer) (G_STRLOC ": " #condition));                         \
    while (!(condition))                                                                                                       \
      g_main_context_iteration (NULL, TRUE);                                                                                   \
    g_source_remove (late_);                                                                                                   \
  }                                                                                                                            \
  G_STMT_END

/* The same for a condition that asks the service, and so runs the main loop itself. */
#define poll_until(condition)                                                                                                  \
  G_STMT_START                                                                                                                 \
  {                                                                                                                            \
    guint late_ = g_timeout_add_seconds (20, fixture_too_late, (gpointer) (G_STRLOC ": " #condition));                         \
    while (!(condition)) {                                                                                                     \
    }                                                                                                                          \
    g_source_remove (late_);                                                                                                   \
  }                                                                                                                            \
  G_STMT_END

/* The result of an asynchronous call: user_data of keep_result(). */
void keep_result (GObject *source, GAsyncResult *result, gpointer user_data);
/* Emits, and waits for the verdict. */
FlowbusVerdict screen_emit (FlowbusScreen *screen, const char *step, GVariant *arguments, GError **error);
FlowbusVerdict client_emit (FlowbusClient *client, const char *path, const char *step, GVariant *arguments, GVariant *options,
                            GError **error);
/* Appends the text of a signal to a GString: "withdrawn(back) ". */
void note_signals (FlowbusScreen *screen, GString *notes);

#define assert_error_text(error, code_, text)                                                                                  \
  G_STMT_START                                                                                                                 \
  {                                                                                                                            \
    g_assert_error (error, FLOWBUS_ERROR, code_);                                                                              \
    g_assert_cmpstr ((error)->message, ==, text);                                                                              \
    g_clear_error (&(error));                                                                                                  \
  }                                                                                                                            \
  G_STMT_END
