/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-types.h>

G_BEGIN_DECLS

#define FLOWBUS_TYPE_SCREEN (flowbus_screen_get_type ())
FLOWBUS_API G_DECLARE_FINAL_TYPE (FlowbusScreen, flowbus_screen, FLOWBUS, SCREEN, GObject)

/* What the screen is. */
FLOWBUS_API FlowbusClient *flowbus_screen_get_client (FlowbusScreen *self);
FLOWBUS_API FlowbusPresenter *flowbus_screen_get_presenter (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_path (FlowbusScreen *self);
FLOWBUS_API guint64 flowbus_screen_get_instance (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_name (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_flow (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_root (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_style (FlowbusScreen *self);
FLOWBUS_API const char *const *flowbus_screen_get_styles (FlowbusScreen *self);
FLOWBUS_API gboolean flowbus_screen_is_live (FlowbusScreen *self);

/* What the latest call of Present said. */
FLOWBUS_API const char *flowbus_screen_get_reason (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_output (FlowbusScreen *self);
FLOWBUS_API gboolean flowbus_screen_get_output_size (FlowbusScreen *self, int *width, int *height);
FLOWBUS_API const char *flowbus_screen_get_direction (FlowbusScreen *self);
FLOWBUS_API const char *flowbus_screen_get_activation_token (FlowbusScreen *self);
FLOWBUS_API char *flowbus_screen_take_activation_token (FlowbusScreen *self);
FLOWBUS_API guint64 flowbus_screen_get_serial (FlowbusScreen *self);
FLOWBUS_API GVariant *flowbus_screen_get_details (FlowbusScreen *self);
FLOWBUS_API GVariant *flowbus_screen_get_state (FlowbusScreen *self);
FLOWBUS_API GVariant *flowbus_screen_get_arguments (FlowbusScreen *self);
FLOWBUS_API GVariant *flowbus_screen_get_context (FlowbusScreen *self);

/* Its arguments, one by one. */
FLOWBUS_API gboolean flowbus_screen_has_argument (FlowbusScreen *self, const char *name);
FLOWBUS_API GVariant *flowbus_screen_get_argument (FlowbusScreen *self, const char *name);
FLOWBUS_API const char *flowbus_screen_get_string (FlowbusScreen *self, const char *name);
FLOWBUS_API gint64 flowbus_screen_get_int64 (FlowbusScreen *self, const char *name);
FLOWBUS_API guint64 flowbus_screen_get_uint64 (FlowbusScreen *self, const char *name);
FLOWBUS_API double flowbus_screen_get_double (FlowbusScreen *self, const char *name);
FLOWBUS_API gboolean flowbus_screen_get_boolean (FlowbusScreen *self, const char *name);
FLOWBUS_API char **flowbus_screen_get_strv (FlowbusScreen *self, const char *name);

/* How it is now. */
FLOWBUS_API gboolean flowbus_screen_get_in_sight (FlowbusScreen *self);
FLOWBUS_API gboolean flowbus_screen_get_ready (FlowbusScreen *self);
FLOWBUS_API void flowbus_screen_set_ready (FlowbusScreen *self, gboolean ready);
FLOWBUS_API gboolean flowbus_screen_get_visible (FlowbusScreen *self);
FLOWBUS_API void flowbus_screen_set_visible (FlowbusScreen *self, gboolean visible);
FLOWBUS_API const char *flowbus_screen_get_title (FlowbusScreen *self);
FLOWBUS_API void flowbus_screen_set_title (FlowbusScreen *self, const char *title);
FLOWBUS_API const char *flowbus_screen_get_back_step (FlowbusScreen *self);
FLOWBUS_API void flowbus_screen_set_back_step (FlowbusScreen *self, const char *step);
FLOWBUS_API void flowbus_screen_touch (FlowbusScreen *self);

/* The answer to Present. */
FLOWBUS_API void flowbus_screen_hold (FlowbusScreen *self);
FLOWBUS_API gboolean flowbus_screen_is_held (FlowbusScreen *self);
FLOWBUS_API void flowbus_screen_accept (FlowbusScreen *self);
FLOWBUS_API void flowbus_screen_fail (FlowbusScreen *self, const char *message);
FLOWBUS_API void flowbus_screen_refuse (FlowbusScreen *self, const char *message);

/**
 * FlowbusOptionsFunc:
 * @screen: a screen
 * @user_data: the data given to flowbus_screen_set_options_func()
 *
 * Gives options for a step of a screen.
 *
 * Returns: (nullable) (transfer full): options of EmitStepWithOptions, of the type `a{sv}`
 */
typedef GVariant *(*FlowbusOptionsFunc) (FlowbusScreen *screen, gpointer user_data);

FLOWBUS_API void flowbus_screen_set_options_func (FlowbusScreen *self, FlowbusOptionsFunc func, gpointer user_data,
                                                  GDestroyNotify destroy);

/**
 * FlowbusSaveFunc:
 * @screen: a screen
 * @user_data: the data given to flowbus_screen_set_save_func()
 *
 * Saves what is not saved yet, by flowbus_screen_save_state_async().
 */
typedef void (*FlowbusSaveFunc) (FlowbusScreen *screen, gpointer user_data);

FLOWBUS_API void flowbus_screen_set_save_func (FlowbusScreen *self, FlowbusSaveFunc func, gpointer user_data,
                                               GDestroyNotify destroy);

FLOWBUS_API void flowbus_screen_set_awaits_picture (FlowbusScreen *self, gboolean awaits_picture);

/* Calls about it. */
FLOWBUS_API void flowbus_screen_emit_async (FlowbusScreen *self, const char *step, GVariant *arguments,
                                            GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API void flowbus_screen_emit_with_options_async (FlowbusScreen *self, const char *step, GVariant *arguments,
                                                         GVariant *options, GCancellable *cancellable,
                                                         GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API FlowbusVerdict flowbus_screen_emit_with_options_finish (FlowbusScreen *self, GAsyncResult *result, guint64 *serial,
                                                                    GError **error);
FLOWBUS_API FlowbusVerdict flowbus_screen_emit_finish (FlowbusScreen *self, GAsyncResult *result, guint64 *serial,
                                                       GError **error);

FLOWBUS_API void flowbus_screen_ask_async (FlowbusScreen *self, const char *step, GVariant *arguments, const char *token,
                                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API FlowbusAnswer *flowbus_screen_ask_finish (FlowbusScreen *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_screen_back_async (FlowbusScreen *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer user_data);
FLOWBUS_API FlowbusVerdict flowbus_screen_back_finish (FlowbusScreen *self, GAsyncResult *result, guint64 *serial,
                                                       GError **error);

FLOWBUS_API void flowbus_screen_save_state_async (FlowbusScreen *self, GVariant *state, GCancellable *cancellable,
                                                  GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API gboolean flowbus_screen_save_state_finish (FlowbusScreen *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_screen_finish_with_result_async (FlowbusScreen *self, GVariant *values, GCancellable *cancellable,
                                                          GAsyncReadyCallback callback, gpointer user_data);
FLOWBUS_API gboolean flowbus_screen_finish_with_result_finish (FlowbusScreen *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_screen_dismiss_async (FlowbusScreen *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                               gpointer user_data);
FLOWBUS_API gboolean flowbus_screen_dismiss_finish (FlowbusScreen *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_screen_dismiss_with_error_async (FlowbusScreen *self, const char *name, const char *message,
                                                          GCancellable *cancellable, GAsyncReadyCallback callback,
                                                          gpointer user_data);
FLOWBUS_API gboolean flowbus_screen_dismiss_with_error_finish (FlowbusScreen *self, GAsyncResult *result, GError **error);

FLOWBUS_API void flowbus_screen_release_async (FlowbusScreen *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                               gpointer user_data);
FLOWBUS_API gboolean flowbus_screen_release_finish (FlowbusScreen *self, GAsyncResult *result, GError **error);

G_END_DECLS
