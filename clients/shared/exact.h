// SPDX-License-Identifier: Apache-2.0
// What json-c takes for another value than is written, and does not report: a number that no integer of 64 bits holds becomes the
// nearest one, and a text ends at the byte 0.
#pragma once

#include <stdbool.h>
#include <stddef.h>
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
