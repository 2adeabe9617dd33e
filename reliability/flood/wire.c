#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct random random_from(uint64_t seed) { return (struct random){seed * UINT64_C(0x9e3779b97f4a7c15) | 1}; }

uint64_t next(struct random *random) {
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * UINT64_C(2685821657736338717);
}

// Bytes.

static void reserve(struct bytes *bytes, size_t more) {
    if (bytes->count + more <= bytes->capacity) return;
    bytes->capacity = 2 * (bytes->count + more);
    bytes->data = realloc(bytes->data, bytes->capacity);
    if (!bytes->data) {
        fprintf(stderr, "flood: no memory\n");
        exit(EXIT_FAILURE);
    }
}

void put_bytes(struct bytes *bytes, const void *data, size_t count) {
    reserve(bytes, count);
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

void align(struct bytes *bytes, int alignment) {
    reserve(bytes, 8);
    while ((bytes->count - bytes->start) % (size_t)alignment) bytes->data[bytes->count++] = 0;
}

static void put_number(struct bytes *bytes, uint64_t value, int size) {
    align(bytes, size);
    put_bytes(bytes, &value, (size_t)size);
}

void put_u32(struct bytes *bytes, uint32_t value) { put_number(bytes, value, 4); }
void put_u64(struct bytes *bytes, uint64_t value) { put_number(bytes, value, 8); }
void put_bool(struct bytes *bytes, bool value) { put_number(bytes, value, 4); }

void put_string(struct bytes *bytes, const char *text) {
    put_u32(bytes, (uint32_t)strlen(text));
    put_bytes(bytes, text, strlen(text) + 1);
}

void put_signature(struct bytes *bytes, const char *text) {
    put_number(bytes, strlen(text), 1);
    put_bytes(bytes, text, strlen(text) + 1);
}

// Returns the place of its length.
size_t begin_array(struct bytes *bytes, int alignment) {
    put_u32(bytes, 0);
    const size_t place = bytes->count - 4;
    align(bytes, alignment);
    return place;
}

void end_array(struct bytes *bytes, size_t place, int alignment) {
    size_t first = place + 4;
    while ((first - bytes->start) % (size_t)alignment) first++;
    const uint32_t length = (uint32_t)(bytes->count - first);
    memcpy(bytes->data + place, &length, sizeof length);
}

// Messages.

static void put_field(struct bytes *bytes, uint8_t code, const char *type, const char *text) {
    if (!text) return;
    align(bytes, 8);
    put_bytes(bytes, &code, 1);
    put_signature(bytes, type);
    if (*type == 'g')
        put_signature(bytes, text);
    else
        put_string(bytes, text);
}

static void put_number_field(struct bytes *bytes, uint8_t code, uint32_t value) {
    if (!value) return;
    align(bytes, 8);
    put_bytes(bytes, &code, 1);
    put_signature(bytes, "u");
    put_u32(bytes, value);
}

size_t begin_message(struct bytes *bytes, const struct header *header) {
    const uint8_t fixed[4] = {'l', (uint8_t)header->type, header->flags, 1};
    bytes->start = bytes->count;
    put_bytes(bytes, fixed, sizeof fixed);
    put_u32(bytes, 0);
    put_u32(bytes, header->serial);
    const size_t fields = begin_array(bytes, 8);
    put_field(bytes, 1, "o", header->path);
    put_field(bytes, 2, "s", header->interface);
    put_field(bytes, 3, "s", header->member);
    put_field(bytes, 4, "s", header->error);
    put_number_field(bytes, 5, header->reply_to);
    put_field(bytes, 6, "s", header->destination);
    if (header->signature && *header->signature) put_field(bytes, 8, "g", header->signature);
    put_number_field(bytes, 9, header->files);
    end_array(bytes, fields, 8);
    align(bytes, 8);
    return bytes->count;
}

void end_message(struct bytes *bytes, size_t body) {
    const uint32_t length = (uint32_t)(bytes->count - body);
    memcpy(bytes->data + bytes->start + 4, &length, sizeof length);
}

static uint32_t u32_at(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

size_t message_size(const uint8_t *bytes, size_t count) {
    if (count < 16) return 0;
    const size_t fields = u32_at(bytes + 12);
    return 16 + (fields + 7) / 8 * 8 + u32_at(bytes + 4);
}

bool read_header(const uint8_t *message, size_t count, struct header *header) {
    // A dbus-broker passes messages on as they are, a dbus-daemon too: what comes back is of this machine.
    if (count < 16 || message[0] != 'l') return false;
    *header = (struct header){.type = message[1], .flags = message[2], .serial = u32_at(message + 8)};
    header->body = u32_at(message + 4);
    header->signature = "";
    const size_t end = 16 + u32_at(message + 12);
    header->contents = message + (end + 7) / 8 * 8;
    for (size_t place = 16; place < end;) {
        place = (place + 7) / 8 * 8;
        const uint8_t code = message[place], type = message[place + 2];
        place += 4;
        if (type == 'u') {
            const uint32_t value = u32_at(message + place);
            if (code == 5) header->reply_to = value;
            if (code == 9) header->files = value;
            place += 4;
            continue;
        }
        const char *text;
        if (type == 'g') {
            text = (const char *)message + place + 1;
            place += message[place] + 2u;
        } else if (type == 's' || type == 'o') {
            text = (const char *)message + place + 4;
            place += u32_at(message + place) + 5;
        } else {
            return false;
        }
        switch (code) {
        case 1: header->path = text; break;
        case 2: header->interface = text; break;
        case 3: header->member = text; break;
        case 4: header->error = text; break;
        case 6: header->destination = text; break;
        case 7: header->sender = text; break;
        case 8: header->signature = text; break;
        }
    }
    return true;
}

// Arbitrary values.

static const char basic[] = "ybnqiuxtdsog";

static size_t add_type(struct random *random, char *text, size_t room, int depth) {
    const uint32_t kind = depth > 0 && room > 8 ? below(random, 8) : 0;
    if (kind < 5) {
        text[0] = kind == 4 ? 'v' : basic[below(random, sizeof basic - 1)];
        return 1;
    }
    if (kind == 5) {
        text[0] = 'a';
        return 1 + add_type(random, text + 1, room - 1, depth - 1);
    }
    size_t count = 0;
    if (kind == 6) {
        text[count++] = 'a';
        text[count++] = '{';
        text[count++] = once_in(random, 3) ? basic[below(random, sizeof basic - 1)] : 's';
        count += add_type(random, text + count, room - count - 1, depth - 1);
        text[count++] = '}';
        return count;
    }
    text[count++] = '(';
    for (uint32_t parts = 1 + below(random, 3); parts > 0; parts--)
        count += add_type(random, text + count, (room - count - 1) / parts, depth - 1);
    text[count++] = ')';
    return count;
}

void random_signature(struct random *random, char *signature, int most) {
    size_t count = 0;
    for (uint32_t types = below(random, (uint32_t)most + 1); types > 0; types--)
        count += add_type(random, signature + count, (250 - count) / types, 1 + (int)below(random, 6));
    signature[count] = '\0';
}

static size_t type_length(const char *type) {
    if (*type == 'a') return 1 + type_length(type + 1);
    if (*type != '(' && *type != '{') return 1;
    const char close = *type == '(' ? ')' : '}';
    size_t count = 1;
    while (type[count] != close) count += type_length(type + count);
    return count + 1;
}

static int alignment_of(char type) {
    switch (type) {
    case 'y': case 'g': case 'v': return 1;
    case 'n': case 'q': return 2;
    case 'x': case 't': case 'd': case '(': case '{': return 8;
    default: return 4;
    }
}

static const char *const texts[] = {
    "", "x", "org.freedesktop.DBus", ":1.1", ":1.99999", "/", "root", "$number", "$$", "\n", "%s%n", "\xc3\xa9", "\xf0\x9f\x98\x80",
    "\xef\xbb\xbf", "\xe2\x80\xae", "\x01\x7f", "0", "-1", "a.b", "A_very_long_name_that_no_definition_has_and_that_goes_on_and_on_for_more_than_64_bytes"};
static const char *const signatures[] = {"", "s", "a{sv}", "(ii)", "aaaaay", "v"};
static const uint64_t numbers[] = {0, 1, 2, 7, 255, 256, 65535, 65536, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_C(1) << 63};

static void put_text(struct bytes *bytes, struct random *random, const struct vocabulary *words) {
    if (once_in(random, 4000)) {
        // Long ones, up to more than any limit on arguments.
        uint32_t count = 1u << (8 + below(random, 11));
        put_u32(bytes, count);
        for (; count >= 8; count -= 8) put_bytes(bytes, "ABCDEFGH", 8);
        put_bytes(bytes, "ABCDEFG", count + 1);
        bytes->data[bytes->count - 1] = 0;
        return;
    }
    put_string(bytes, words && !once_in(random, 4) ? words->text(random) : CHOOSE(random, texts));
}

static size_t put_value(
    struct bytes *bytes, struct random *random, const char *type, const struct vocabulary *words, int depth, int *room) {
    const size_t length = type_length(type);
    char inner[256];
    --*room;
    switch (*type) {
    case 'b': put_bool(bytes, once_in(random, 2)); break;
    case 's': put_text(bytes, random, words); break;
    case 'o': put_string(bytes, words ? words->path(random) : "/a/b"); break;
    case 'g': put_signature(bytes, CHOOSE(random, signatures)); break;
    case 'v': {
        inner[add_type(random, inner, 250, depth > 0 ? 2 : 0)] = '\0';
        put_signature(bytes, inner);
        put_value(bytes, random, inner, words, depth - 1, room);
        break;
    }
    case 'a': {
        const int alignment = alignment_of(type[1]);
        const size_t place = begin_array(bytes, alignment);
        uint32_t count = once_in(random, 50) ? below(random, 100) : below(random, 4);
        for (; count > 0 && *room > 0; count--) put_value(bytes, random, type + 1, words, depth - 1, room);
        end_array(bytes, place, alignment);
        break;
    }
    case '(':
    case '{':
        align(bytes, 8);
        for (size_t part = 1; part < length - 1;)
            part += put_value(bytes, random, type + part, words, depth, room);
        break;
    default: {
        const uint64_t number = once_in(random, 2) ? CHOOSE(random, numbers) : next(random) >> below(random, 64);
        put_number(bytes, number, alignment_of(*type));
    }
    }
    return length;
}

void put_random(struct bytes *bytes, struct random *random, const char *signature, const struct vocabulary *words) {
    int room = 400;
    while (*signature) signature += put_value(bytes, random, signature, words, 3, &room);
}

void put_deep(struct bytes *bytes, struct random *random, int depth) {
    for (; depth > 0; depth--) put_signature(bytes, "v");
    put_signature(bytes, "t");
    put_u64(bytes, next(random));
}
