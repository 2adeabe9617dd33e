/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "flowbus-calls-private.h"

typedef void (*FlowbusScreenGone) (FlowbusPresenter *presenter, FlowbusScreen *screen, const char *reason);

struct _FlowbusScreen {
  GObject parent_instance;
  GWeakRef presenter;
  FlowbusScreenGone gone; /* called when it has been withdrawn */
  FlowbusClient *client;
  char *path;
  char *object; /* the path of the instance */
  char *name;
  guint64 instance;
  char *flow, *root, *style, *reason, *output, *direction, *activation_token;
  char **styles;
  guint64 serial;
  GVariant *details, *state, *arguments, *context;
  char *title, *back_step;
  GPtrArray *invocations; /* Presents that are not answered; an answer takes the reference */
  GHashTable *answered;   /* tokens of answers that were handed over */
  guint signals, changes; /* subscriptions: to what comes to the owner alone; of who looks at "in-sight" late */
  GQueue waiting;         /* calls until it is the owner */
  gboolean is_owner;      /* a Present was answered */
  guint accepts;          /* how many were */
  guint accepted_by;      /* which appearance of the service it was answered to */
  gboolean is_held;
  gboolean is_in_handlers; /* of a Present */
  gboolean awaits_picture; /* a toolkit says so */
  gboolean is_withdrawn;
  gboolean in_sight;
  gboolean follows_sight; /* somebody looks at "in-sight" */
  gboolean ready;
  gboolean awaits_ready; /* it is to be visible as soon as it is ready */
  gboolean visible;
  gboolean is_visible_set;
  gboolean visible_due;   /* it goes with the answer to Present */
  guint visible_calls;    /* not answered yet */
  gboolean is_title_set;
  gboolean title_due;
  guint titles_sent;
  guint saves;          /* not answered yet */
  guint saves_begun;
  guint latest_save;    /* which of them was begun last among those that are answered */
  gboolean save_failed; /* that one */
  GPtrArray *acknowledging; /* tokens of answers, once the state is saved */
  gint64 touched;
  GSource *touching;    /* while Touch waits whether a step takes its place */
  GSource *input;       /* what handled the latest input, only to be compared; and when */
  gint64 input_time;
};

/* Adds to the options of a call what the function of the toolkit gives. Takes a floating reference; NULL is none. */
GVariant *_flowbus_screen_complete_options (FlowbusScreen *self, GVariant *given);
void _flowbus_screen_save_now (FlowbusScreen *self);
void _flowbus_screen_acknowledge (FlowbusScreen *self, const char *token);

/* flowbus-screen-queue.c: calls of the instance, which wait until this program is the owner. */

/* Takes the error. */
typedef void (*FlowbusCallDone) (FlowbusScreen *self, const char *method, GError *error, gpointer data);

/* @method: a literal */
void _flowbus_screen_begin_call (FlowbusScreen *self, const char *method, GVariant *parameters, GCancellable *cancellable,
                                 FlowbusCallDone done, gpointer data);
/* A call without a callback. */
void _flowbus_screen_call (FlowbusScreen *self, const char *method, GVariant *parameters);
void _flowbus_screen_send_waiting (FlowbusScreen *self);
/* SetVisible, and SetTitle. */
void _flowbus_screen_send_visible (FlowbusScreen *self);
void _flowbus_screen_send_title (FlowbusScreen *self);
/* What follows needs a screen that is visible, and can't wait for the answer to Present. */
void _flowbus_screen_be_visible (FlowbusScreen *self);

/* flowbus-screen-signals.c: what comes to the owner alone. */
void _flowbus_screen_follow (FlowbusScreen *self);
void _flowbus_screen_unfollow (FlowbusScreen *self);
/* @context: (nullable) */
void _flowbus_screen_take_context (FlowbusScreen *self, GVariant *context);
void _flowbus_screen_take_sight (FlowbusScreen *self, gboolean in_sight);
/* Whether the answer to Present asks for SightChanged. */
gboolean _flowbus_screen_follows_sight (FlowbusScreen *self);

/* flowbus-screen-report.c: a step or Back goes out, and says what Touch would say if it follows from the input that is handled. */
void _flowbus_screen_act (FlowbusScreen *self);
void _flowbus_screen_stop_touching (FlowbusScreen *self);

/* flowbus-screen-present.c */
/* Answers Present, unless something holds the answer. */
void _flowbus_screen_answer (FlowbusScreen *self);
/* What flowbusd takes as a title. */
gboolean _flowbus_screen_is_title (const char *title);

/* For the presenter. */

FlowbusScreen *_flowbus_screen_new (FlowbusPresenter *presenter, FlowbusScreenGone gone, FlowbusClient *client, const char *path,
                                    const char *name, guint64 instance);
/* What Present says. Takes the invocation, which is answered when its time comes. */
void _flowbus_screen_take_present (FlowbusScreen *self, GVariant *arguments, GVariant *details,
                                   GDBusMethodInvocation *invocation);
/* The handlers of the program have returned. */
void _flowbus_screen_end_present (FlowbusScreen *self, gboolean is_known);
void _flowbus_screen_withdraw (FlowbusScreen *self, const char *reason);
void _flowbus_screen_evict (FlowbusScreen *self);
int _flowbus_screen_compare (FlowbusScreen *a, FlowbusScreen *b);
