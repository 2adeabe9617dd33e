// SPDX-License-Identifier: Apache-2.0
// JSON as values of D-Bus, and back. flowbusd converts what comes to the declared types, so that no line has types.
#include "connect.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json_object *text(const char *text)
{
    return take(json_object_new_string(text));
}

const char *shown(struct json_object *json)
{
    if (json_object_is_type(json, json_type_string)) return json_object_get_string(json);
    return json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

void add(struct json_object *to, const char *key, struct json_object *value)
{
    if (json_object_object_add(to, key, value) < 0) abort();
}

static struct json_object *list_of(sd_bus_message *message, const char *contents)
{
    bool is_dictionary = contents[0] == '{';
    struct json_object *json = take(is_dictionary ? json_object_new_object() : json_object_new_array());
    if (sd_bus_message_enter_container(message, 'a', contents) < 0) return json;
    while (sd_bus_message_at_end(message, false) == 0) {
        if (!is_dictionary) {
            json_object_array_add(json, json_of(message));
            continue;
        }
        const char *type;
        if (sd_bus_message_peek_type(message, NULL, &type) < 0 || sd_bus_message_enter_container(message, 'e', type) < 0) break;
        // The keys of JSON are texts; those of D-Bus have any basic type.
        struct json_object *key = json_of(message);
        add(json, json_object_get_string(key), json_of(message));
        json_object_put(key);
        sd_bus_message_exit_container(message);
    }
    sd_bus_message_exit_container(message);
    return json;
}

struct json_object *json_of(sd_bus_message *message)
{
    union basic_value value;
    const char *contents;
    char type;
    struct json_object *json = NULL;
    if (sd_bus_message_peek_type(message, &type, &contents) <= 0) return NULL;
    switch (type) {
    case 'a': return list_of(message, contents);
    case 'v':
        sd_bus_message_enter_container(message, 'v', contents);
        json = json_of(message);
        sd_bus_message_exit_container(message);
        return json;
    case 'r':
        json = take(json_object_new_array());
        sd_bus_message_enter_container(message, 'r', contents);
        while (sd_bus_message_at_end(message, false) == 0) json_object_array_add(json, json_of(message));
        sd_bus_message_exit_container(message);
        return json;
    }
    if (sd_bus_message_read_basic(message, type, &value) < 0) return NULL;
    switch (type) {
    case 'b': return take(json_object_new_boolean(value.flag));
    case 'y': return take(json_object_new_int(value.byte));
    case 'n': return take(json_object_new_int(value.int16));
    case 'q': return take(json_object_new_int(value.uint16));
    case 'i': return take(json_object_new_int(value.int32));
    case 'u': return take(json_object_new_int64(value.uint32));
    case 'x': return take(json_object_new_int64(value.int64));
    case 't': return take(json_object_new_uint64(value.uint64));
    case 'd': return isfinite(value.number) ? take(json_object_new_double(value.number)) : NULL; // JSON has no other numbers.
    case 's': case 'g': return text(value.text);
    case 'o': return text(value.text);
    default: return NULL;
    }
}

struct json_object *members_of(sd_bus_message *message)
{
    return list_of(message, "{sv}");
}

static int append_list(sd_bus_message *to, struct json_object *json)
{
    int result = sd_bus_message_open_container(to, 'v', "av");
    if (result >= 0) result = sd_bus_message_open_container(to, 'a', "v");
    for (size_t at = 0; result >= 0 && at < json_object_array_length(json); at++)
        result = append_value(to, json_object_array_get_idx(json, at));
    if (result >= 0) result = sd_bus_message_close_container(to);
    return result < 0 ? result : sd_bus_message_close_container(to);
}

int append_value(sd_bus_message *to, struct json_object *json)
{
    switch (json_object_get_type(json)) {
    case json_type_boolean: return sd_bus_message_append(to, "v", "b", json_object_get_boolean(json));
    case json_type_string: return sd_bus_message_append(to, "v", "s", json_object_get_string(json));
    case json_type_int:
        // Above those of int64 a number is unsigned.
        if (json_object_get_int64(json) == INT64_MAX && json_object_get_uint64(json) > INT64_MAX)
            return sd_bus_message_append(to, "v", "t", json_object_get_uint64(json));
        return sd_bus_message_append(to, "v", "x", json_object_get_int64(json));
    case json_type_double: {
        double number = json_object_get_double(json);
        if (!isfinite(number)) return -ERANGE; // JSON has no such number: it was too large.
        // Some languages write a whole number so. As an integer it becomes whichever number is declared.
        if (fabs(number) <= 9007199254740992.0 && number == floor(number)) return sd_bus_message_append(to, "v", "x", (int64_t)number);
        return sd_bus_message_append(to, "v", "d", number);
    }
    case json_type_array: return append_list(to, json);
    case json_type_object: {
        int result = sd_bus_message_open_container(to, 'v', "a{sv}");
        if (result >= 0) result = append_members(to, json);
        return result < 0 ? result : sd_bus_message_close_container(to);
    }
    default: return -EINVAL;
    }
}

int append_members(sd_bus_message *to, struct json_object *json)
{
    int result = sd_bus_message_open_container(to, 'a', "{sv}");
    if (json && result >= 0) {
        json_object_object_foreach(json, key, value)
        {
            if (!value || result < 0) continue; // null: it is left out.
            result = sd_bus_message_open_container(to, 'e', "sv");
            if (result >= 0) result = sd_bus_message_append(to, "s", key);
            if (result >= 0) result = append_value(to, value);
            if (result >= 0) result = sd_bus_message_close_container(to);
        }
    }
    return result < 0 ? result : sd_bus_message_close_container(to);
}

struct json_object *node_of(const char *path)
{
    if (!strncmp(path, INSTANCES, strlen(INSTANCES))) return take(json_object_new_uint64(strtoull(path + strlen(INSTANCES), NULL, 10)));
    return text(strncmp(path, TREE, strlen(TREE)) ? path : path + strlen(TREE));
}

char *path_of(struct json_object *node)
{
    char *path = NULL;
    if (json_object_is_type(node, json_type_int)) path = print(INSTANCES "%" PRIu64, json_object_get_uint64(node));
    else if (json_object_is_type(node, json_type_string)) path = print(TREE "%s", json_object_get_string(node));
    if (path && sd_bus_object_path_is_valid(path)) return path;
    free(path);
    return NULL;
}
