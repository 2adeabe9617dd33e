// SPDX-License-Identifier: Apache-2.0
// What all files share: cleanup of what a function leaves, time, the log, and JSON made of D-Bus and back.
#pragma once

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define CLEANUP(function) __attribute__((cleanup(function)))
#define FREE CLEANUP(free_text)
#define MESSAGE CLEANUP(sd_bus_message_unrefp)
#define BUS_ERROR CLEANUP(sd_bus_error_free)
#define JSON CLEANUP(free_json)
#define PRINTF(text, first) __attribute__((format(printf, text, first)))

static inline void free_text(char **text) { free(*text); }
static inline void free_json(json_t **value) { json_decref(*value); }

/// Microseconds of the clock that does not jump, and since 1970.
uint64_t now_monotonic(void);
uint64_t now_real(void);

/// Writes a line to the log; with its level where the journal reads it.
#define say(level, ...) say_line(level, text(__VA_ARGS__))
void say_line(int level, char *line);

/// A new text; the program ends where there is no memory, as it does with each other allocation here.
char *text(const char *format, ...) PRINTF(1, 2);
char *copy(const char *text);
void *make(size_t size);

/// Whether words that are separated by spaces have this one.
bool has_word(const char *words, const char *word);

/// Whether a list of names has this one, or is ["*"]. NULL has none.
bool names(json_t *list, const char *name);

/// Whether one of these topic filters matches the topic.
bool topics_match(json_t *filters, const char *topic);

/// The JSON of a value that a message has next, which is read; NULL with nothing left.
json_t *json_of_value(sd_bus_message *message);
/// The JSON of an a{sv} that a message has next: an object.
json_t *json_of_dictionary(sd_bus_message *message);

/// The D-Bus type by which a value of this type is sent, a word of definition files or a list ("as"); NULL if JSON has no such value.
/// All integers go as int64: flowbusd converts them to the declared type, and refuses what that does not hold (S-3).
const char *signature_of(const char *word);
/// Appends a value of this signature to a message. Returns a text that says what is wrong with it, or NULL.
char *append_json(sd_bus_message *message, const char *signature, json_t *value);
/// A value as its JSON, for a message.
char *shown(json_t *value);
/// Whether the value fits the signature; NULL if so.
char *fault_of(const char *signature, json_t *value);
