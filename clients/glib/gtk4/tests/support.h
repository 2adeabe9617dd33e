/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus-gtk4/flowbus-gtk4.h>

/* Runs the main loop until something is so. After 20 s the test has failed. */
#define wait_until(condition)                                                                                                            \
  G_STMT_START                                                                                                                           \
  {                                                                                                                                      \
    guint limit = g_timeout_add_seconds (20, support_too_late, (gpointer) G_STRLOC ": " #condition);                                     \
    while (!(condition))                                                                                                                 \
      g_main_context_iteration (NULL, TRUE);                                                                                             \
    g_source_remove (limit);                                                                                                             \
  }                                                                                                                                      \
  G_STMT_END

/* The same for a condition that asks flowbusd, and so runs the main loop itself: what makes it true may come meanwhile. */
#define poll_until(condition)                                                                                                            \
  G_STMT_START                                                                                                                           \
  {                                                                                                                                      \
    guint limit = g_timeout_add_seconds (20, support_too_late, (gpointer) G_STRLOC ": " #condition);                                     \
    while (!(condition))                                                                                                                 \
      g_main_context_iteration (NULL, FALSE);                                                                                            \
    g_source_remove (limit);                                                                                                             \
  }                                                                                                                                      \
  G_STMT_END

gboolean support_too_late (gpointer what);

/* A call of flowbusd, from a connection of the test's own. The main loop runs meanwhile. */
GVariant *support_call (const char *path, const char *interface, const char *member, GVariant *values);
/* Emits a step on the flow, which has to take it. */
void support_emit (const char *step, gint64 number);
/* A property of a flow or screen; NULL if there is none at this path. */
GVariant *support_get (const char *path, const char *name);
gboolean support_is (const char *path, const char *name, gboolean value);
gboolean support_is_text (const char *path, const char *name, const char *value);
/* A presenter, and a flow for it that has no screen yet; and their end. */
FlowbusPresenter *support_begin (void);
void support_end (FlowbusPresenter *presenter);
extern char *root;
void support_start_flow (const char *name);
/* A presenter alone, on a connection of its own, as that of another process. */
FlowbusPresenter *support_make_presenter (void);
/* Returns when flowbusd has what is to be saved of a screen. */
void support_wait_until_saved (FlowbusScreen *screen);
/* How many screens the presenter shows. */
guint support_count (FlowbusPresenter *presenter);
/* Emits a step that leads to a new screen, and waits for it. Nothing shows it yet. */
FlowbusScreen *support_open (const char *step, gint64 number);
/* The screen that the presenter was called for last. */
extern FlowbusScreen *latest;

/* The keys and clicks of a person. Returns when the X server has got them. */
void support_xdotool (const char *first, ...) G_GNUC_NULL_TERMINATED;
void support_press (const char *key);
/* Waits until a window has the focus, so that keys go there. */
void support_focus (GtkWindow *window);
