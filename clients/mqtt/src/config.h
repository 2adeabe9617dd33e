// SPDX-License-Identifier: Apache-2.0
// What the file says: how to reach the broker, what leaves this machine, and what may come in. Nothing leaves or comes in that it
// does not name.
#pragma once

#include "util.h"

typedef struct Config {
    char *file;
    json_t *root, *lines;
    int faults;

    char *device;  ///< The level of topics that is this machine.
    const char *prefix;  ///< What all topics begin with.
    char *base;  ///< "PREFIX/DEVICE".

    const char *host;
    int port;
    int protocol;  ///< 5 or 4 (3.1.1); 0 for whatever the broker has.
    const char *user;
    char *password;
    char *client_id;
    json_t *tls;  ///< NULL without TLS.
    char *ca, *certificate, *key;
    int keepalive;  ///< In seconds.
    uint64_t spread, longest_pause;  ///< In microseconds: the pauses before it connects again.
    json_t *responses;  ///< Topic filters: to which response topics a verdict may go.
    int kept;  ///< How many navigations wait on the disk at most.

    json_t *tree, *context, *navigation, *problems;  ///< NULL for what does not leave.
    json_t *steps;  ///< By name: "on", "step", "from", "arguments".
    json_t *facts;  ///< By name: "topic", "pointer", "type", "online", "stale".
    json_t *home_assistant;
    json_t *record_from;  ///< Topic filters: who may ask for a recording; NULL if nobody may.
    int record_bytes;  ///< How large it may be.
} Config;

/// Reads and checks a file. Writes what is wrong to standard error, and returns NULL then.
Config *config_read(const char *file);
void config_free(Config *config);
