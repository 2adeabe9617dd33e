// SPDX-License-Identifier: Apache-2.0
// What outlives the bridge, in a file of SQLite: steps from the moment they came until long after their senders have the verdict, and
// navigations that the broker does not have yet.
#pragma once

#include "util.h"

typedef enum StepState {
    STEP_WAITS = 0,  ///< Not emitted.
    STEP_BEGUN = 1,  ///< Emitted, without an answer: what became of it is not known.
    STEP_DECIDED = 2,  ///< It has its verdict or error.
    STEP_PENDING = 3,  ///< flowbusd took it, and will decide it.
} StepState;

typedef struct StepRow {
    int64_t id;
    char *topic, *token;  ///< Where it came from, and the sender's name for it. Both together are one step.
    char *name;  ///< The entry of [steps].
    char *arguments;  ///< JSON.
    StepState state;
    char *verdict;  ///< What the sender is told, as JSON; NULL if there is nothing to tell yet.
    bool told;  ///< Whether the broker has it.
    char *reply;  ///< The topic for the verdict.
    void *correlation;
    int correlation_size;
    char *client, *bus;  ///< By which connection to which bus it was emitted.
    int64_t serial;  ///< A navigation before it.
} StepRow;

typedef struct Store Store;

/// Opens the file in this folder. One that can't be read is moved aside. Returns NULL, and has said why, if there can be none.
Store *store_open(const char *folder);
void store_close(Store *store);

void step_free(StepRow *row);
static inline void step_freep(StepRow **row) { step_free(*row); }
#define STEP CLEANUP(step_freep)

/// Adds a step. Returns 0, -ENOSPC if too many wait, or another error, after which nothing has changed.
int store_add(Store *store, StepRow *row);
StepRow *store_find(Store *store, const char *topic, const char *token);
/// The first step after `after` in the order in which they came, of those for which `condition` of SQL holds.
StepRow *store_next(Store *store, int64_t after, const char *condition);
/// A step is about to be emitted.
int store_begin(Store *store, int64_t id, const char *client, const char *bus, int64_t serial);
/// A step has a new state, and a new verdict if it is not NULL, which its sender is not told yet.
int store_set(Store *store, int64_t id, StepState state, const char *verdict);
/// The sender asks again, perhaps with another topic for the answer.
int store_redirect(Store *store, int64_t id, const char *reply, const void *correlation, int size);
/// The broker has this verdict of a step, which may have another one by now.
int store_told(Store *store, int64_t id, const char *verdict);
int64_t store_count(Store *store, const char *table, const char *condition);

/// Adds a navigation. If there are `most` already, the oldest goes, and is counted.
void store_add_navigation(Store *store, const char *payload, int most);
/// The first navigation after this number; NULL if there is none.
char *store_navigation(Store *store, int64_t after, int64_t *id);
/// The broker has a navigation, which told how many were dropped before.
void store_remove_navigation(Store *store, int64_t id, int64_t dropped);

int64_t store_number(Store *store, const char *key);
void store_set_number(Store *store, const char *key, int64_t value);
