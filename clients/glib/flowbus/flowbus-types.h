/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <flowbus/flowbus-macros.h>

G_BEGIN_DECLS

typedef struct _FlowbusClient FlowbusClient;
typedef struct _FlowbusPresenter FlowbusPresenter;
typedef struct _FlowbusScreen FlowbusScreen;
typedef struct _FlowbusAnswer FlowbusAnswer;
typedef struct _FlowbusGuard FlowbusGuard;
typedef struct _FlowbusNavigator FlowbusNavigator;
typedef struct _FlowbusQuestion FlowbusQuestion;
typedef struct _FlowbusTree FlowbusTree;
typedef struct _FlowbusNode FlowbusNode;

/**
 * FlowbusVerdict:
 * @FLOWBUS_VERDICT_FAILED: There is no verdict: the step failed, and an error says why.
 * @FLOWBUS_VERDICT_NAVIGATED: The step was handled, and what it leads to was applied.
 * @FLOWBUS_VERDICT_UNHANDLED: The flow has no rule for the step, or no alternative of the rule matches.
 * @FLOWBUS_VERDICT_HIDDEN: The screen or flow is not presented, and ignores steps then.
 * @FLOWBUS_VERDICT_DEFERRED: The screen or flow is not presented, and keeps the step until it is, or until its turn.
 * @FLOWBUS_VERDICT_REJECTED: The flow's guard rejected the step.
 * @FLOWBUS_VERDICT_PENDING: The step is not decided yet. [signal@Flowbus.Client::concluded] reports the outcome.
 * @FLOWBUS_VERDICT_OTHER: A verdict that this version of the library does not know. The step did not navigate.
 *
 * What became of a step. Only %FLOWBUS_VERDICT_NAVIGATED changes the tree.
 */
typedef enum {
  FLOWBUS_VERDICT_FAILED,
  FLOWBUS_VERDICT_NAVIGATED,
  FLOWBUS_VERDICT_UNHANDLED,
  FLOWBUS_VERDICT_HIDDEN,
  FLOWBUS_VERDICT_DEFERRED,
  FLOWBUS_VERDICT_REJECTED,
  FLOWBUS_VERDICT_PENDING,
  FLOWBUS_VERDICT_OTHER,
} FlowbusVerdict;

#define FLOWBUS_TYPE_VERDICT (flowbus_verdict_get_type ())
FLOWBUS_API GType flowbus_verdict_get_type (void);

FLOWBUS_API const char *flowbus_verdict_to_string (FlowbusVerdict verdict);

G_END_DECLS
