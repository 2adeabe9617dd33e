// SPDX-License-Identifier: Apache-2.0
// The connection to the broker: libmosquitto, whose socket is in the loop of the bridge. It connects again by itself, and nothing
// here blocks: names are looked up by a process of its own, because getaddrinfo(3) waits for a server that may be dead.
#pragma once

#include "config.h"

typedef struct Link Link;

typedef struct Message {
    const char *topic;
    const char *payload;
    size_t size;
    bool retained;
    const char *response;  ///< NULL if it has none.
    const void *correlation;
    int correlation_size;
} Message;

typedef struct LinkEvents {
    void (*connected)(void *userdata);
    void (*lost)(void *userdata);
    void (*received)(void *userdata, const Message *message);
    /// The broker has a message, or refuses it with this reason.
    void (*published)(void *userdata, int number, int reason);
} LinkEvents;

Link *link_new(sd_event *event, const Config *config, const LinkEvents *events, void *userdata);
void link_free(Link *link);

void link_start(Link *link);
/// Tells the broker that this is the end. The connection is gone once it has been sent.
void link_stop(Link *link);
bool link_is_up(Link *link);
/// "5", "3.1.1", or empty without a connection.
const char *link_protocol(Link *link);
/// Why there is no connection; empty if there is one.
const char *link_problem(Link *link);

/// Publishes with QoS 1. Returns the number that `published` will have, or -1 if it can't be sent, and has said why.
int link_publish(Link *link, const char *topic, const char *payload, bool retain, const void *correlation, int size);
/// Subscribes, to steps without retained messages.
void link_subscribe(Link *link, const char *filter, bool retained);
