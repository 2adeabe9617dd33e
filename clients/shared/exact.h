// SPDX-License-Identifier: Apache-2.0
// JSON as it is written. json-c takes some for another value, and does not report it: a number that no integer of 64 bits holds becomes
// the nearest one, and a text ends at the byte 0.
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// What is wrong with JSON that json-c has read; NULL if it has lost nothing.
static inline const char *lost_in_json(const char *at, size_t length)
{
    const char *const end = at + length;
    bool is_text = false;
    while (at < end) {
        if (is_text && *at == '\\') {
            if (end - at >= 6 && !memcmp(at + 1, "u0000", 5)) return "a text has the byte 0, which no text of D-Bus has";
            at += 2;
            continue;
        }
        if (*at == '"') is_text = !is_text;
        bool is_negative = *at == '-';
        const char *first = at + is_negative, *last = first;
        while (!is_text && last < end && *last >= '0' && *last <= '9') last++;
        if (last == first) {
            at++;
            continue;
        }
        const char *most = is_negative ? "9223372036854775808" : "18446744073709551615";
        size_t digits = (size_t)(last - first), room = strlen(most);
        at = last;
        if (at < end && strchr(".eE", *at)) {
            // The digits behind these are those of the same number.
            while (at < end && strchr("+-.eE0123456789", *at)) at++;
        } else if (digits > room || (digits == room && memcmp(first, most, room) > 0)) {
            return "a number has more than 64 bits";
        }
    }
    return NULL;
}

static inline struct json_object *json_by(
    struct json_tokener *tokener, int flags, const char *text, size_t length, enum json_tokener_error *error, size_t *end)
{
    json_tokener_reset(tokener);
    json_tokener_set_flags(tokener, flags);
    struct json_object *json = json_tokener_parse_ex(tokener, text, (int)length);
    *error = json_tokener_get_error(tokener);
    *end = json_tokener_get_parse_end(tokener);
    // A number alone goes on until something else comes.
    if (*error == json_tokener_continue) json = json_tokener_parse_ex(tokener, "", -1), *error = json_tokener_get_error(tokener);
    return json;
}

// The value that a text is in strict JSON and UTF-8, from its first byte to its last; with an error and where it is, NULL. What
// lost_in_json says of the text holds for the value.
static inline struct json_object *json_in(
    struct json_tokener *tokener, const char *text, size_t length, enum json_tokener_error *error, size_t *end)
{
    struct json_object *json = json_by(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8, text, length, error, end);
    if (*error == json_tokener_success) return json;
    // In strict mode json-c 0.18 calls whatever is not ASCII wrong UTF-8. The form is that of a text with other characters in the place.
    char *plain = *error == json_tokener_error_parse_utf8_string ? malloc(length) : NULL;
    if (plain) {
        size_t plain_end;
        for (size_t at = 0; at < length; at++) plain[at] = (unsigned char)text[at] < 0x80 ? text[at] : '~';
        json_object_put(json_by(tokener, JSON_TOKENER_STRICT, plain, length, error, &plain_end));
        free(plain);
        if (*error != json_tokener_success) *end = plain_end;
    }
    // And it calls a number wrong that has more than 64 bits, or the end behind it.
    bool is_number = (*error == json_tokener_error_parse_number || *error == json_tokener_error_parse_eof) && lost_in_json(text, length);
    if (*error != json_tokener_success && !is_number) return NULL;
    return json_by(tokener, JSON_TOKENER_VALIDATE_UTF8, text, length, error, end);
}
