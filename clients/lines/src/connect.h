// SPDX-License-Identifier: Apache-2.0
// flowbusctl-connect: a program that reads and writes lines takes part. A line is a JSON object; docs/lines.md has all of them.
#pragma once

#include "program.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define FLOWBUS "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define TREE ROOT "/tree/"
#define INSTANCES ROOT "/instance/"

enum {
    MOST_LINE = 1024 * 1024,       // Bytes of a line, without its end.
    MOST_WAITING = 64 * 1024,      // Bytes that are not read yet, before no more lines are taken.
    MOST_UNREAD = 8 * 1024 * 1024, // And before who does not read is let go.
    MOST_CALLS = 64,               // At flowbusd at once, which has a quota for each client; the others wait their turn.
    MOST_REQUESTS = 1024,          // That have no answer yet, before no more lines are taken.
};

extern sd_event *loop;
extern sd_bus *bus;

// lines.c
void lines_begin(int in, int out);
void say(struct json_object *line); // Writes it, and lets it go.
void go_on(void);                   // Something that lines wait for is over.
extern size_t awaited;              // Answers beside those of calls, which still come after the last line.

// requests.c
void requests_begin(void);
void line_came(struct json_object *line);
size_t requests_under_way(void);
void add_id(struct json_object *to, struct json_object *line); // If the line has one.
// A key of a line, of this type; false after it has said what is wrong. Without it, `value` is NULL.
bool get(struct json_object *line, const char *key, json_type type, const char *what, struct json_object **value);
void fail(struct json_object *line, const char *error, const char *message); // Says that a line is wrong, or failed.
// A line with a node, and the keys that it may have beside it: returns a call without contents, or NULL after it has said what is wrong.
sd_bus_message *call_for(struct json_object *line, const char *node_key, const char *interface, const char *member, const char *const *keys);
// Makes the call of an ask, unless appending has failed: then it says so, and returns false.
bool send_ask(struct json_object *line, sd_bus_message *call, int result, const char *token);

// asks.c
void ask_for(struct json_object *line);
void ask_emitted(const char *token, const char *verdict);
void ask_failed(const char *token, const char *error, const char *message);
void asks_again(void); // flowbusd is another process now.
bool ask_concluded(const char *token, const char *verdict, const char *error, const char *message); // Whether it is that of an ask.
int answered_signal(sd_bus_message *signal, void *data, sd_bus_error *unused);

// events.c
void events_begin(void);
void events_again(void); // flowbusd is another process now.
void watch(struct json_object *line);

// serve.c
void serve(struct json_object *line);
void answer(struct json_object *line);

// values.c
struct json_object *json_of(sd_bus_message *message);           // One complete value.
struct json_object *members_of(sd_bus_message *message);        // A dictionary a{sv}.
int append_members(sd_bus_message *to, struct json_object *json); // As a dictionary a{sv}; NULL is an empty one.
int append_value(sd_bus_message *to, struct json_object *json); // In a variant.
struct json_object *node_of(const char *path);                  // How lines name a flow or screen.
char *path_of(struct json_object *node);                        // And back; NULL if it is no such name.
struct json_object *text(const char *text);
const char *shown(struct json_object *json); // As messages quote it.
void add(struct json_object *to, const char *key, struct json_object *value);
