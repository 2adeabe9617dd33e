/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-types.h>

G_BEGIN_DECLS

/**
 * FLOWBUS_ERROR:
 *
 * The domain of all errors of this library. Its codes are those of [enum@Flowbus.Error].
 */
#define FLOWBUS_ERROR (flowbus_error_quark ())

/**
 * FlowbusError:
 * @FLOWBUS_ERROR_FAILED: Another reason; the message names it.
 * @FLOWBUS_ERROR_UNKNOWN_STEP: No definition declares the step.
 * @FLOWBUS_ERROR_INVALID_ARGUMENTS: An argument or an option is unknown, missing, or of the wrong type.
 * @FLOWBUS_ERROR_UNKNOWN_FLOW: No flow of this name is defined.
 * @FLOWBUS_ERROR_INVALID_NAME: A name or an id is not allowed.
 * @FLOWBUS_ERROR_ID_TAKEN: A live sibling has this id.
 * @FLOWBUS_ERROR_NOT_OWNER: Another client owns the screen, or its presenter is being called.
 * @FLOWBUS_ERROR_ALREADY_CLAIMED: Another client owns the screen, or its presenter is being called.
 * @FLOWBUS_ERROR_ALREADY_REGISTERED: A file or another client defines the flow.
 * @FLOWBUS_ERROR_STALE_INSTANCE: Another flow or screen is at this path.
 * @FLOWBUS_ERROR_STALE_ARGUMENTS: The screen was reused with other arguments than its owner was told of.
 * @FLOWBUS_ERROR_FLOW_ENDED: The flow ended before it could take the step.
 * @FLOWBUS_ERROR_PRESENTABLE_DISMISSED: The screen or flow was dismissed before it could take the step.
 * @FLOWBUS_ERROR_NAVIGATION_LOOP: One event triggered too many steps.
 * @FLOWBUS_ERROR_LIMIT_EXCEEDED: A limit is reached; the message names it.
 * @FLOWBUS_ERROR_REJECTED: A guard's answer: it rejects the step.
 * @FLOWBUS_ERROR_UNHANDLED: A navigator's answer: the flow does not take the step.
 * @FLOWBUS_ERROR_WOULD_DEADLOCK: The flow waits for the client that makes this call.
 * @FLOWBUS_ERROR_GUARD_FAILED: The flow's guard can't be called, or its answer is not valid.
 * @FLOWBUS_ERROR_GUARD_TIMEOUT: The flow's guard did not answer in time.
 * @FLOWBUS_ERROR_NAVIGATOR_FAILED: The flow's navigator can't be called, or its answer is not valid.
 * @FLOWBUS_ERROR_NAVIGATOR_TIMEOUT: The flow's navigator did not answer in time.
 * @FLOWBUS_ERROR_TIMEOUT: The call was not answered in time.
 * @FLOWBUS_ERROR_PATH_FAILED: A deep link came to a flow that is not there, or to a step that was not navigated.
 * @FLOWBUS_ERROR_ACCESS_DENIED: The definitions, or the policy of the bus, do not allow the call.
 * @FLOWBUS_ERROR_NOT_SUPPORTED: The flow or screen does not support the call.
 * @FLOWBUS_ERROR_INVALID_DEFINITION: The definition files have errors.
 * @FLOWBUS_ERROR_UNKNOWN_OBJECT: No flow or screen is live at this path: it is gone.
 * @FLOWBUS_ERROR_UNKNOWN_METHOD: The service is older than this library, and has no such method.
 * @FLOWBUS_ERROR_UNAVAILABLE: The service is not there, and did not come back in time.
 * @FLOWBUS_ERROR_DISCONNECTED: There is no connection to the bus.
 *
 * Errors of this library. Except for the first and the last two, each stands for an error name of the bus contract; the library itself
 * uses %FLOWBUS_ERROR_INVALID_ARGUMENTS, too, for values that can't become what a step declares.
 */
typedef enum {
  FLOWBUS_ERROR_FAILED,
  FLOWBUS_ERROR_UNKNOWN_STEP,
  FLOWBUS_ERROR_INVALID_ARGUMENTS,
  FLOWBUS_ERROR_UNKNOWN_FLOW,
  FLOWBUS_ERROR_INVALID_NAME,
  FLOWBUS_ERROR_ID_TAKEN,
  FLOWBUS_ERROR_NOT_OWNER,
  FLOWBUS_ERROR_ALREADY_CLAIMED,
  FLOWBUS_ERROR_ALREADY_REGISTERED,
  FLOWBUS_ERROR_STALE_INSTANCE,
  FLOWBUS_ERROR_STALE_ARGUMENTS,
  FLOWBUS_ERROR_FLOW_ENDED,
  FLOWBUS_ERROR_PRESENTABLE_DISMISSED,
  FLOWBUS_ERROR_NAVIGATION_LOOP,
  FLOWBUS_ERROR_LIMIT_EXCEEDED,
  FLOWBUS_ERROR_REJECTED,
  FLOWBUS_ERROR_UNHANDLED,
  FLOWBUS_ERROR_WOULD_DEADLOCK,
  FLOWBUS_ERROR_GUARD_FAILED,
  FLOWBUS_ERROR_GUARD_TIMEOUT,
  FLOWBUS_ERROR_NAVIGATOR_FAILED,
  FLOWBUS_ERROR_NAVIGATOR_TIMEOUT,
  FLOWBUS_ERROR_TIMEOUT,
  FLOWBUS_ERROR_PATH_FAILED,
  FLOWBUS_ERROR_ACCESS_DENIED,
  FLOWBUS_ERROR_NOT_SUPPORTED,
  FLOWBUS_ERROR_INVALID_DEFINITION,
  FLOWBUS_ERROR_UNKNOWN_OBJECT,
  FLOWBUS_ERROR_UNKNOWN_METHOD,
  FLOWBUS_ERROR_UNAVAILABLE,
  FLOWBUS_ERROR_DISCONNECTED,
} FlowbusError;

FLOWBUS_API GQuark flowbus_error_quark (void);

#define FLOWBUS_TYPE_ERROR (flowbus_error_get_type ())
FLOWBUS_API GType flowbus_error_get_type (void);

G_END_DECLS
