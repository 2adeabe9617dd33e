/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-private.h"

static const struct {
  FlowbusError code;
  const char *name;
} error_names[] = {
  { FLOWBUS_ERROR_UNKNOWN_STEP, "UnknownStep" },
  { FLOWBUS_ERROR_INVALID_ARGUMENTS, "InvalidArguments" },
  { FLOWBUS_ERROR_UNKNOWN_FLOW, "UnknownFlow" },
  { FLOWBUS_ERROR_INVALID_NAME, "InvalidName" },
  { FLOWBUS_ERROR_ID_TAKEN, "IdTaken" },
  { FLOWBUS_ERROR_NOT_OWNER, "NotOwner" },
  { FLOWBUS_ERROR_ALREADY_CLAIMED, "AlreadyClaimed" },
  { FLOWBUS_ERROR_ALREADY_REGISTERED, "AlreadyRegistered" },
  { FLOWBUS_ERROR_STALE_INSTANCE, "StaleInstance" },
  { FLOWBUS_ERROR_STALE_ARGUMENTS, "StaleArguments" },
  { FLOWBUS_ERROR_FLOW_ENDED, "FlowEnded" },
  { FLOWBUS_ERROR_PRESENTABLE_DISMISSED, "PresentableDismissed" },
  { FLOWBUS_ERROR_NAVIGATION_LOOP, "NavigationLoop" },
  { FLOWBUS_ERROR_LIMIT_EXCEEDED, "LimitExceeded" },
  { FLOWBUS_ERROR_REJECTED, "Rejected" },
  { FLOWBUS_ERROR_UNHANDLED, "Unhandled" },
  { FLOWBUS_ERROR_WOULD_DEADLOCK, "WouldDeadlock" },
  { FLOWBUS_ERROR_GUARD_FAILED, "GuardFailed" },
  { FLOWBUS_ERROR_GUARD_TIMEOUT, "GuardTimeout" },
  { FLOWBUS_ERROR_NAVIGATOR_FAILED, "NavigatorFailed" },
  { FLOWBUS_ERROR_NAVIGATOR_TIMEOUT, "NavigatorTimeout" },
  { FLOWBUS_ERROR_TIMEOUT, "Timeout" },
  { FLOWBUS_ERROR_PATH_FAILED, "PathFailed" },
  { FLOWBUS_ERROR_INVALID_DEFINITION, "InvalidDefinition" },
};

/* The contract uses some names of D-Bus itself. */
static const struct {
  GDBusError from;
  FlowbusError code;
} dbus_errors[] = {
  { G_DBUS_ERROR_ACCESS_DENIED, FLOWBUS_ERROR_ACCESS_DENIED },
  { G_DBUS_ERROR_NOT_SUPPORTED, FLOWBUS_ERROR_NOT_SUPPORTED },
  { G_DBUS_ERROR_UNKNOWN_OBJECT, FLOWBUS_ERROR_UNKNOWN_OBJECT },
  { G_DBUS_ERROR_UNKNOWN_METHOD, FLOWBUS_ERROR_UNKNOWN_METHOD },
  { G_DBUS_ERROR_UNKNOWN_INTERFACE, FLOWBUS_ERROR_UNKNOWN_METHOD },
  { G_DBUS_ERROR_UNKNOWN_PROPERTY, FLOWBUS_ERROR_UNKNOWN_METHOD },
  { G_DBUS_ERROR_INVALID_ARGS, FLOWBUS_ERROR_INVALID_ARGUMENTS },
  { G_DBUS_ERROR_SERVICE_UNKNOWN, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_NAME_HAS_NO_OWNER, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_SPAWN_CHILD_EXITED, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_SPAWN_CHILD_SIGNALED, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_SPAWN_EXEC_FAILED, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_SPAWN_FAILED, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_NO_REPLY, FLOWBUS_ERROR_UNAVAILABLE },
  { G_DBUS_ERROR_TIMEOUT, FLOWBUS_ERROR_TIMEOUT },
  { G_DBUS_ERROR_TIMED_OUT, FLOWBUS_ERROR_TIMEOUT },
  { G_DBUS_ERROR_LIMITS_EXCEEDED, FLOWBUS_ERROR_LIMIT_EXCEEDED },
  { G_DBUS_ERROR_DISCONNECTED, FLOWBUS_ERROR_DISCONNECTED },
};

/**
 * flowbus_error_quark:
 *
 * The domain of the errors of this library.
 *
 * Returns: the domain
 */
GQuark
flowbus_error_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark)) {
    GQuark made = g_quark_from_static_string ("flowbus-error-quark");

    for (gsize i = 0; i < G_N_ELEMENTS (error_names); i++) {
      g_autofree char *name = g_strconcat (FLOWBUS_NAME ".Error.", error_names[i].name, NULL);

      g_dbus_error_register_error (made, error_names[i].code, name);
    }
    g_once_init_leave (&quark, made);
  }
  return (GQuark) quark;
}

GError *
_flowbus_error_take (GError *error)
{
  GError *made = NULL;

  if (error->domain == G_DBUS_ERROR) {
    for (gsize i = 0; i < G_N_ELEMENTS (dbus_errors) && !made; i++)
      if (error->code == (int) dbus_errors[i].from) {
        g_dbus_error_strip_remote_error (error);
        made = g_error_new_literal (FLOWBUS_ERROR, dbus_errors[i].code, error->message);
      }
  } else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) {
    made = g_error_new_literal (FLOWBUS_ERROR, FLOWBUS_ERROR_TIMEOUT, error->message);
  } else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CLOSED)) {
    made = g_error_new_literal (FLOWBUS_ERROR, FLOWBUS_ERROR_DISCONNECTED, error->message);
  } else if (error->domain == FLOWBUS_ERROR || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_dbus_error_strip_remote_error (error);
    return error;
  }
  if (!made) {
    g_dbus_error_strip_remote_error (error);
    made = g_error_new_literal (FLOWBUS_ERROR, FLOWBUS_ERROR_FAILED, error->message);
  }
  g_error_free (error);
  return made;
}

GError *
_flowbus_error_named (const char *name, const char *message)
{
  return _flowbus_error_take (g_dbus_error_new_for_dbus_error (name, message));
}

#define VALUE(code, nick) { code, #code, nick }

GType
flowbus_error_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static const GEnumValue values[] = {
      VALUE (FLOWBUS_ERROR_FAILED, "failed"),
      VALUE (FLOWBUS_ERROR_UNKNOWN_STEP, "unknown-step"),
      VALUE (FLOWBUS_ERROR_INVALID_ARGUMENTS, "invalid-arguments"),
      VALUE (FLOWBUS_ERROR_UNKNOWN_FLOW, "unknown-flow"),
      VALUE (FLOWBUS_ERROR_INVALID_NAME, "invalid-name"),
      VALUE (FLOWBUS_ERROR_ID_TAKEN, "id-taken"),
      VALUE (FLOWBUS_ERROR_NOT_OWNER, "not-owner"),
      VALUE (FLOWBUS_ERROR_ALREADY_CLAIMED, "already-claimed"),
      VALUE (FLOWBUS_ERROR_ALREADY_REGISTERED, "already-registered"),
      VALUE (FLOWBUS_ERROR_STALE_INSTANCE, "stale-instance"),
      VALUE (FLOWBUS_ERROR_STALE_ARGUMENTS, "stale-arguments"),
      VALUE (FLOWBUS_ERROR_FLOW_ENDED, "flow-ended"),
      VALUE (FLOWBUS_ERROR_PRESENTABLE_DISMISSED, "presentable-dismissed"),
      VALUE (FLOWBUS_ERROR_NAVIGATION_LOOP, "navigation-loop"),
      VALUE (FLOWBUS_ERROR_LIMIT_EXCEEDED, "limit-exceeded"),
      VALUE (FLOWBUS_ERROR_REJECTED, "rejected"),
      VALUE (FLOWBUS_ERROR_UNHANDLED, "unhandled"),
      VALUE (FLOWBUS_ERROR_WOULD_DEADLOCK, "would-deadlock"),
      VALUE (FLOWBUS_ERROR_GUARD_FAILED, "guard-failed"),
      VALUE (FLOWBUS_ERROR_GUARD_TIMEOUT, "guard-timeout"),
      VALUE (FLOWBUS_ERROR_NAVIGATOR_FAILED, "navigator-failed"),
      VALUE (FLOWBUS_ERROR_NAVIGATOR_TIMEOUT, "navigator-timeout"),
      VALUE (FLOWBUS_ERROR_TIMEOUT, "timeout"),
      VALUE (FLOWBUS_ERROR_PATH_FAILED, "path-failed"),
      VALUE (FLOWBUS_ERROR_ACCESS_DENIED, "access-denied"),
      VALUE (FLOWBUS_ERROR_NOT_SUPPORTED, "not-supported"),
      VALUE (FLOWBUS_ERROR_INVALID_DEFINITION, "invalid-definition"),
      VALUE (FLOWBUS_ERROR_UNKNOWN_OBJECT, "unknown-object"),
      VALUE (FLOWBUS_ERROR_UNKNOWN_METHOD, "unknown-method"),
      VALUE (FLOWBUS_ERROR_UNAVAILABLE, "unavailable"),
      VALUE (FLOWBUS_ERROR_DISCONNECTED, "disconnected"),
      { 0, NULL, NULL },
    };

    g_once_init_leave (&type, g_enum_register_static ("FlowbusError", values));
  }
  return type;
}

static const GEnumValue verdict_values[] = {
  VALUE (FLOWBUS_VERDICT_FAILED, "failed"),
  VALUE (FLOWBUS_VERDICT_NAVIGATED, "navigated"),
  VALUE (FLOWBUS_VERDICT_UNHANDLED, "unhandled"),
  VALUE (FLOWBUS_VERDICT_HIDDEN, "hidden"),
  VALUE (FLOWBUS_VERDICT_DEFERRED, "deferred"),
  VALUE (FLOWBUS_VERDICT_REJECTED, "rejected"),
  VALUE (FLOWBUS_VERDICT_PENDING, "pending"),
  VALUE (FLOWBUS_VERDICT_OTHER, "other"),
  { 0, NULL, NULL },
};

GType
flowbus_verdict_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("FlowbusVerdict", verdict_values));
  return type;
}

/**
 * flowbus_verdict_to_string:
 * @verdict: a verdict
 *
 * The word of the bus contract for a verdict, such as "navigated"; "failed" and "other" for those that are none.
 *
 * Returns: (transfer none): the word
 */
const char *
flowbus_verdict_to_string (FlowbusVerdict verdict)
{
  g_return_val_if_fail (verdict >= 0 && verdict <= FLOWBUS_VERDICT_OTHER, NULL);
  return verdict_values[verdict].value_nick;
}

FlowbusVerdict
_flowbus_verdict_from_string (const char *word)
{
  for (int verdict = FLOWBUS_VERDICT_NAVIGATED; verdict < FLOWBUS_VERDICT_OTHER; verdict++)
    if (g_str_equal (word, verdict_values[verdict].value_nick))
      return verdict;
  return FLOWBUS_VERDICT_OTHER;
}
