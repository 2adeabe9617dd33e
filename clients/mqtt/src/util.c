// SPDX-License-Identifier: Apache-2.0
#include "util.h"

#include <errno.h>
#include <math.h>
#include <mosquitto.h>
#include <time.h>

static uint64_t now_of(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return (uint64_t)at.tv_sec * 1000000 + (uint64_t)at.tv_nsec / 1000;
}

uint64_t now_monotonic(void) { return now_of(CLOCK_BOOTTIME); }
uint64_t now_real(void) { return now_of(CLOCK_REALTIME); }

void say_line(int level, char *line) {
    static const char *const words[] = {"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"};
    if (getenv("JOURNAL_STREAM"))
        fprintf(stderr, "<%d>%s\n", level, line);
    else
        fprintf(stderr, "flowbus-mqtt: %s: %s\n", words[level], line);
    free(line);
}

char *text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *made = NULL;
    if (vasprintf(&made, format, arguments) < 0) abort();
    va_end(arguments);
    return made;
}

char *copy(const char *from) {
    char *made = strdup(from);
    if (!made) abort();
    return made;
}

void *make(size_t size) {
    void *made = calloc(1, size);
    if (!made) abort();
    return made;
}

bool has_word(const char *words, const char *word) {
    FREE char *all = text(" %s ", words), *wanted = text(" %s ", word);
    return strstr(all, wanted);
}

bool names(json_t *list, const char *name) {
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) {
        if (!strcmp(json_string_value(item), "*") || !strcmp(json_string_value(item), name)) return true;
    }
    return false;
}

bool topics_match(json_t *filters, const char *topic) {
    size_t index;
    json_t *item;
    json_array_foreach(filters, index, item) {
        bool matches = false;
        if (mosquitto_topic_matches_sub(json_string_value(item), topic, &matches) == MOSQ_ERR_SUCCESS && matches) return true;
    }
    return false;
}

// MARK: From D-Bus

static json_t *json_of_array(sd_bus_message *message, const char *contents) {
    if (*contents == '{') {
        json_t *object = json_object();
        char entry[256];
        snprintf(entry, sizeof entry, "%.*s", (int)strlen(contents) - 2, contents + 1);
        while (sd_bus_message_enter_container(message, 'e', entry) > 0) {
            json_t *key = json_of_value(message);
            json_t *value = json_of_value(message);
            if (json_is_string(key) && value) json_object_set(object, json_string_value(key), value);
            json_decref(key);
            json_decref(value);
            sd_bus_message_exit_container(message);
        }
        return object;
    }
    json_t *list = json_array();
    for (json_t *item; (item = json_of_value(message));) json_array_append_new(list, item);
    return list;
}

json_t *json_of_value(sd_bus_message *message) {
    char type;
    const char *contents;
    if (sd_bus_message_peek_type(message, &type, &contents) <= 0) return NULL;
    if (strchr("avr", type)) {
        if (sd_bus_message_enter_container(message, type, contents) <= 0) return NULL;
        json_t *value = type == 'v' ? json_of_value(message) : json_of_array(message, type == 'a' ? contents : "");
        sd_bus_message_exit_container(message);
        return value;
    }
    union {
        uint8_t y;
        int b, i;
        int16_t n;
        uint16_t q;
        uint32_t u;
        int64_t x;
        uint64_t t;
        double d;
        const char *s;
    } is;
    if (sd_bus_message_read_basic(message, type, &is) <= 0) return NULL;
    switch (type) {
    case 'b': return json_boolean(is.b);
    case 'y': return json_integer(is.y);
    case 'n': return json_integer(is.n);
    case 'q': return json_integer(is.q);
    case 'i': return json_integer(is.i);
    case 'u': return json_integer(is.u);
    case 'x': return json_integer(is.x);
    // What JSON's integers here don't hold is a number that is nearly it.
    case 't': return is.t <= INT64_MAX ? json_integer((json_int_t)is.t) : json_real((double)is.t);
    case 'd': return isfinite(is.d) ? json_real(is.d) : json_null();
    case 's':
    case 'o':
    case 'g': return json_string(is.s);
    default: return json_null();
    }
}

json_t *json_of_dictionary(sd_bus_message *message) {
    json_t *value = json_of_value(message);
    if (json_is_object(value)) return value;
    json_decref(value);
    return json_object();
}

// MARK: To D-Bus

static const struct {
    const char *word, *signature;
} types[] = {{"bool", "b"},  {"double", "d"}, {"string", "s"}, {"path", "s"},   {"byte", "x"},   {"int16", "x"},
             {"uint16", "x"}, {"int32", "x"},  {"uint32", "x"}, {"int64", "x"}, {"uint64", "x"},
             {"ab", "ab"},    {"ad", "ad"},    {"as", "as"},    {"ax", "ax"}};

const char *signature_of(const char *word) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!strcmp(word, types[i].word)) return types[i].signature;
    }
    return NULL;
}

char *shown(json_t *value) {
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    return dump ? dump : copy("?");
}

char *append_json(sd_bus_message *message, const char *signature, json_t *value) {
    bool fits = *signature == 'b'   ? json_is_boolean(value)
                : *signature == 'x' ? json_is_integer(value)
                : *signature == 'd' ? json_is_number(value)
                : *signature == 's' ? json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value)
                                    : json_is_array(value);
    if (!fits) {
        FREE char *dump = shown(value);
        static const char *const words[] = {"bool", "integer", "number", "string", "list"};
        const char *type = words[strcspn("bxdsa", (char[]){*signature, 0})];
        return text("%.80s is no %s", dump, type);
    }
    switch (message || *signature == 'a' ? *signature : 0) {
    case 'b': sd_bus_message_append(message, "b", json_is_true(value)); break;
    case 'x': sd_bus_message_append(message, "x", (int64_t)json_integer_value(value)); break;
    case 'd': sd_bus_message_append(message, "d", json_number_value(value)); break;
    case 's': sd_bus_message_append(message, "s", json_string_value(value)); break;
    case 'a':
        if (message) sd_bus_message_open_container(message, 'a', signature + 1);
        for (size_t i = 0; i < json_array_size(value); i++) {
            char *fault = append_json(message, signature + 1, json_array_get(value, i));
            if (fault) return fault;
        }
        if (message) sd_bus_message_close_container(message);
    }
    return NULL;
}

char *fault_of(const char *signature, json_t *value) { return append_json(NULL, signature, value); }
