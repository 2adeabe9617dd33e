/* A message, for the files of this target. */
#pragma once

#include "CSdBus.h"
#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum { MOST_TYPES = 255, MOST_DEPTH = 64 };

struct frame {
    char types[MOST_TYPES + 1];
    size_t next, length;
    bool is_array;
    size_t end;
};

struct sd_bus_message {
    unsigned references;
    uint8_t type, flags;
    uint32_t number, answered;
    char *sender, *path, *interface, *member, *error_name, *destination;
    sd_bus_error error;
    const uint8_t *body;
    size_t size, place;
    int depth;
    struct frame *frames; /* MOST_DEPTH of them, once something is read. */
    char types[MOST_TYPES + 1];
    char peeked[MOST_TYPES + 1];
};

/* Begins to read it. */
void message_begin(sd_bus_message *m);
uint32_t number_at(const uint8_t *bytes);
size_t aligned(size_t place, size_t alignment);

#pragma GCC visibility pop
