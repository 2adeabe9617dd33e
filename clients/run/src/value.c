// SPDX-License-Identifier: Apache-2.0
// Values: those of a Present, and those that standard output has.
#include "run.h"

#include "exact.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Goes on to the entry of a dictionary with this key, whose value is a variant, and into that.
int find_entry(sd_bus_message *message, const char *wanted)
{
    const char *key, *contents;
    int result = sd_bus_message_enter_container(message, 'a', "{sv}");
    while (result >= 0 && (result = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        if ((result = sd_bus_message_read(message, "s", &key)) < 0) return result;
        if (!strcmp(key, wanted)) {
            if ((result = sd_bus_message_peek_type(message, NULL, &contents)) < 0) return result;
            return sd_bus_message_enter_container(message, 'v', contents);
        }
        if ((result = sd_bus_message_skip(message, "v")) < 0) return result;
        result = sd_bus_message_exit_container(message);
    }
    return result;
}

int find_argument(sd_bus_message *present, const char *name)
{
    int result = sd_bus_message_rewind(present, true);
    if (result >= 0) result = sd_bus_message_skip(present, "os");
    return result < 0 ? result : find_entry(present, name);
}

int find_detail(sd_bus_message *present, const char *name)
{
    int result = sd_bus_message_rewind(present, true);
    if (result >= 0) result = sd_bus_message_skip(present, "osa{sv}");
    return result < 0 ? result : find_entry(present, name);
}

int find_run(sd_bus_message *present, const char *key)
{
    int result = find_detail(present, "run");
    return result <= 0 ? result : find_entry(present, key);
}

char *read_text(sd_bus_message *message)
{
    union basic_value value;
    char type;
    if (sd_bus_message_peek_type(message, &type, NULL) <= 0 || !strchr("sogbynqiuxtd", type)) return NULL;
    if (sd_bus_message_read_basic(message, type, &value) < 0) return NULL;
    switch (type) {
    case 'b': return print("%s", value.flag ? "true" : "false");
    case 'y': return print("%d", value.byte);
    case 'n': return print("%d", value.int16);
    case 'q': return print("%d", value.uint16);
    case 'i': return print("%" PRId32, value.int32);
    case 'u': return print("%" PRIu32, value.uint32);
    case 'x': return print("%" PRId64, value.int64);
    case 't': return print("%" PRIu64, value.uint64);
    case 'd': return print("%.17g", value.number);
    default: return print("%s", value.text);
    }
}

int copy_variant(sd_bus_message *to, sd_bus_message *from)
{
    const char *contents;
    char type;
    int result = sd_bus_message_peek_type(from, &type, &contents);
    if (result < 0) return result;
    char *signature = type == 'a' ? print("a%s", contents) : type == 'r' ? print("(%s)", contents) : print("%c", type);
    result = sd_bus_message_open_container(to, 'v', signature);
    free(signature);
    if (result >= 0) result = sd_bus_message_copy(to, from, false);
    return result < 0 ? result : sd_bus_message_close_container(to);
}

// Appends what `$name` stands for in an argument of a step, as a variant. Returns 0 for an optional argument that the screen has not got.
int append_reference(sd_bus_message *to, const char *name, struct screen *screen, const char *message)
{
    int result = find_argument(screen->described, name);
    if (result > 0) {
        result = copy_variant(to, screen->described);
        return result < 0 ? result : 1;
    }
    if (result == 0 && !strcmp(name, "message")) return sd_bus_message_append(to, "v", "s", message) < 0 ? -EINVAL : 1;
    return result;
}

// Whether bytes begin with a character that sd-bus takes; its length, or 0.
static size_t character(const unsigned char *at, size_t length)
{
    if (*at < 0x80) return *at ? 1 : 0;
    size_t count = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*at < 0xc2 || *at > 0xf4 || count > length) return 0;
    uint32_t value = *at & (0x7fu >> count);
    for (size_t more = 1; more < count; more++) {
        if ((at[more] & 0xc0) != 0x80) return 0;
        value = value << 6 | (at[more] & 0x3f);
    }
    bool is_none = value < least[count] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000) || (value >= 0xfdd0 && value < 0xfdf0) ||
                   (value & 0xfffe) == 0xfffe;
    return is_none ? 0 : count;
}

char *clean(const char *bytes, size_t length)
{
    char *text = take(malloc(length + 1)), *end = text;
    while (length) {
        size_t count = character((const unsigned char *)bytes, length);
        if (count) end = mempcpy(end, bytes, count);
        else *end++ = '?';
        bytes += count ? count : 1;
        length -= count ? count : 1;
    }
    *end = 0;
    return text;
}

// JSON as values of D-Bus, by their declared types.

static int append_json(sd_bus_message *to, struct json_object *json, const char *signature, char **why);

static int does_not_fit(struct json_object *json, const char *signature, char **why)
{
    if (!*why) *why = print("'%.80s' is no value of the type '%s'", json_object_to_json_string(json), signature);
    return -EINVAL;
}

static int append_number(sd_bus_message *to, struct json_object *json, const char *signature, char **why)
{
    static const struct {
        char type;
        int64_t least;
        uint64_t most;
    } ranges[] = {{'y', 0, UINT8_MAX},          {'n', INT16_MIN, INT16_MAX}, {'q', 0, UINT16_MAX}, {'i', INT32_MIN, INT32_MAX},
                  {'u', 0, UINT32_MAX},         {'x', INT64_MIN, INT64_MAX}, {'t', 0, UINT64_MAX}};
    if (!json_object_is_type(json, json_type_int)) return does_not_fit(json, signature, why);
    for (size_t at = 0; at < sizeof ranges / sizeof *ranges; at++) {
        if (ranges[at].type != *signature) continue;
        // Numbers above those of int64 are unsigned.
        const char *text = json_object_to_json_string(json);
        bool is_negative = text[0] == '-';
        int64_t number = json_object_get_int64(json);
        uint64_t large = is_negative ? 0 : json_object_get_uint64(json);
        if (is_negative ? number < ranges[at].least : large > ranges[at].most) return does_not_fit(json, signature, why);
        uint64_t bits = is_negative ? (uint64_t)number : large;
        switch (*signature) {
        case 'y': return sd_bus_message_append(to, "y", (int)bits);
        case 'n': case 'q': case 'i': case 'u': return sd_bus_message_append(to, signature, (uint32_t)bits);
        default: return sd_bus_message_append(to, signature, bits);
        }
    }
    return does_not_fit(json, signature, why);
}

static int append_list(sd_bus_message *to, struct json_object *json, const char *signature, char **why)
{
    const char *element = signature + 1;
    bool is_dictionary = element[0] == '{';
    if (!json_object_is_type(json, is_dictionary ? json_type_object : json_type_array) || (is_dictionary && element[1] != 's'))
        return does_not_fit(json, signature, why);
    int result = sd_bus_message_open_container(to, 'a', element);
    if (result < 0) return result;
    if (is_dictionary) {
        char *inside = print("%.*s", (int)strlen(element) - 2, element + 1);
        json_object_object_foreach(json, key, value)
        {
            if (result >= 0) result = sd_bus_message_open_container(to, 'e', inside);
            if (result >= 0) result = sd_bus_message_append(to, "s", key);
            if (result >= 0) result = append_json(to, value, inside + 1, why);
            if (result >= 0) result = sd_bus_message_close_container(to);
        }
        free(inside);
    } else {
        for (size_t at = 0; at < json_object_array_length(json) && result >= 0; at++)
            result = append_json(to, json_object_array_get_idx(json, at), element, why);
    }
    return result < 0 ? result : sd_bus_message_close_container(to);
}

// Appends JSON as one complete type. Structures have no form in it.
static int append_json(sd_bus_message *to, struct json_object *json, const char *signature, char **why)
{
    switch (*signature) {
    case 's':
        if (!json_object_is_type(json, json_type_string)) return does_not_fit(json, signature, why);
        return sd_bus_message_append(to, "s", json_object_get_string(json));
    case 'b':
        if (!json_object_is_type(json, json_type_boolean)) return does_not_fit(json, signature, why);
        return sd_bus_message_append(to, "b", json_object_get_boolean(json));
    case 'd':
        if (!json_object_is_type(json, json_type_double) && !json_object_is_type(json, json_type_int)) return does_not_fit(json, signature, why);
        if (!isfinite(json_object_get_double(json))) return does_not_fit(json, signature, why); // JSON has no such number: it was too large.
        return sd_bus_message_append(to, "d", json_object_get_double(json));
    case 'a': return append_list(to, json, signature, why);
    default: return append_number(to, json, signature, why);
    }
}

static int append_value(sd_bus_message *to, const char *name, struct json_object *json, const char *signature, char **why)
{
    int result = sd_bus_message_open_container(to, 'e', "sv");
    if (result >= 0) result = sd_bus_message_append(to, "s", name);
    if (result >= 0) result = sd_bus_message_open_container(to, 'v', signature);
    if (result >= 0) result = append_json(to, json, signature, why);
    if (result >= 0) result = sd_bus_message_close_container(to);
    return result < 0 ? result : sd_bus_message_close_container(to);
}

// The type that a result declares for a value; NULL for none. `count` is how many there are, and `only` the name of one.
static const char *declared_type(struct screen *screen, const char *wanted, size_t *count, const char **only)
{
    const char *name, *type, *found = NULL;
    *count = 0;
    if (find_run(screen->described, "result") <= 0) return NULL;
    if (sd_bus_message_enter_container(screen->described, 'a', "{ss}") < 0) return NULL;
    while (sd_bus_message_read(screen->described, "{ss}", &name, &type) > 0) {
        ++*count;
        if (!wanted || !strcmp(name, wanted)) {
            found = type;
            if (only) *only = name;
        }
    }
    return found;
}

// The value that a text is as JSON, to its end; null, and why not, where it is none.
static struct json_object *parse(const char *text, char **why)
{
    struct json_tokener *tokener = take(json_tokener_new());
    enum json_tokener_error error;
    size_t end;
    struct json_object *json = json_in(tokener, text, strlen(text), &error, &end);
    json_tokener_free(tokener);
    const char *lost = error == json_tokener_success ? lost_in_json(text, strlen(text)) : NULL;
    if (error != json_tokener_success) *why = print("standard output is no JSON (%s): '%.80s'", json_tokener_error_desc(error), text);
    if (lost) *why = print("standard output has a value that can't be taken: %s", lost);
    return json;
}

int append_result(sd_bus_message *to, struct screen *screen, char **why)
{
    size_t count;
    const char *only = NULL, *type = declared_type(screen, NULL, &count, &only);
    // One line, as most programs print it, ends with a line break that is not meant.
    char *text = take(strndup(screen->text ? screen->text : "", screen->text_length));
    size_t length = strlen(text);
    if (length != screen->text_length) *why = print("standard output has the byte 0, which no text has");
    if (length && text[length - 1] == '\n') text[--length] = 0;
    int result = *why ? -EINVAL : sd_bus_message_open_container(to, 'a', "{sv}");
    struct json_object *json = NULL;
    if (result < 0 || !count) {
        // Nothing is to be read.
    } else if (count == 1 && !strcmp(type, "s")) {
        json = take(json_object_new_string(text));
        result = append_value(to, only, json, type, why);
    } else {
        json = parse(text, why);
        if (*why) {
            result = -EINVAL;
        } else if (count == 1) {
            result = append_value(to, only, json, type, why);
        } else if (!json_object_is_type(json, json_type_object)) {
            *why = print("standard output has to be a JSON object with the values of the result, and is '%.80s'", text);
            result = -EINVAL;
        } else {
            json_object_object_foreach(json, key, value)
            {
                if (result < 0) break;
                type = declared_type(screen, key, &count, NULL);
                if (!type) {
                    *why = print("the result declares no value '%.80s'", key);
                    result = -EINVAL;
                } else if (value) result = append_value(to, key, value, type, why); // null: it is left out.
            }
        }
    }
    if (json) json_object_put(json);
    free(text);
    if (result < 0 && !*why) *why = print("standard output does not fit the result: %s", strerror(-result));
    return result < 0 ? result : sd_bus_message_close_container(to);
}
