/* The bodies of messages. */
#include "message.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t alignment(char type) {
    switch (type) {
    case 'y': case 'g': case 'v': return 1;
    case 'n': case 'q': return 2;
    case 'x': case 't': case 'd': case '(': case '{': return 8;
    default: return 4;
    }
}

/* The length of the complete type that begins here; 0 if there is none. */
static size_t type_length(const char *types) {
    if (*types == 'a') {
        size_t element = type_length(types + 1);
        return element ? element + 1 : 0;
    }
    if (*types == '(' || *types == '{') {
        const char *next = types + 1;
        while (*next && *next != ')' && *next != '}') {
            size_t length = type_length(next);
            if (!length) return 0;
            next += length;
        }
        return *next ? (size_t)(next - types) + 1 : 0;
    }
    return *types && strchr("ybnqiuxtdsogvh", *types) ? 1 : 0;
}

static bool is_over(const struct frame *f) { return f->next >= f->length; }

/* Where the next type is; the element of an array comes again and again. */
static const char *next_type(sd_bus_message *m) {
    struct frame *f = &m->frames[m->depth];
    if (f->is_array) {
        if (m->place >= f->end) return NULL;
        return f->types;
    }
    return is_over(f) ? NULL : f->types + f->next;
}

static void pass(sd_bus_message *m, size_t length) {
    struct frame *f = &m->frames[m->depth];
    if (!f->is_array) f->next += length;
}

static bool has(sd_bus_message *m, size_t count) { return m->place + count <= m->frames[m->depth].end; }

int sd_bus_message_peek_type(sd_bus_message *m, char *type, const char **contents) {
    const char *next = next_type(m);
    if (contents) *contents = NULL;
    if (!next) {
        if (type) *type = 0;
        return 0;
    }
    size_t length = type_length(next);
    if (!length) return -EBADMSG;
    char found = *next;
    if (found == 'a') {
        memcpy(m->peeked, next + 1, length - 1);
        m->peeked[length - 1] = 0;
    } else if (found == '(' || found == '{') {
        memcpy(m->peeked, next + 1, length - 2);
        m->peeked[length - 2] = 0;
        found = found == '(' ? SD_BUS_TYPE_STRUCT : SD_BUS_TYPE_DICT_ENTRY;
    } else if (found == 'v') {
        if (!has(m, 2) || !has(m, m->body[m->place] + 2u)) return -EBADMSG;
        memcpy(m->peeked, m->body + m->place + 1, m->body[m->place] + 1u);
    } else {
        if (type) *type = found;
        return 1;
    }
    if (type) *type = found;
    if (contents) *contents = m->peeked;
    return 1;
}

int sd_bus_message_enter_container(sd_bus_message *m, char type, const char *contents) {
    struct frame *f = &m->frames[m->depth];
    if (!f->is_array && is_over(f)) return -ENXIO;
    const char *next = next_type(m);
    if (!next) return 0;
    if (m->depth + 1 >= MOST_DEPTH) return -EBADMSG;
    size_t length = type_length(next), count = strlen(contents);
    struct frame *inner = &m->frames[m->depth + 1];
    size_t place = m->place;
    switch (type) {
    case 'a':
        if (*next != 'a' || length != count + 1 || memcmp(next + 1, contents, count)) return -ENXIO;
        place = aligned(place, 4);
        if (place + 4 > f->end) return -EBADMSG;
        inner->end = number_at(m->body + place);
        place = aligned(place + 4, alignment(*contents));
        inner->end += place;
        if (inner->end > f->end) return -EBADMSG;
        inner->is_array = true;
        break;
    case SD_BUS_TYPE_STRUCT:
    case SD_BUS_TYPE_DICT_ENTRY:
        if (*next != (type == SD_BUS_TYPE_STRUCT ? '(' : '{') || length != count + 2 || memcmp(next + 1, contents, count))
            return -ENXIO;
        place = aligned(place, 8);
        inner->end = f->end;
        inner->is_array = false;
        break;
    case 'v':
        if (*next != 'v') return -ENXIO;
        if (!has(m, 2) || m->body[place] != count || memcmp(m->body + place + 1, contents, count)) return -ENXIO;
        place += count + 2;
        inner->end = f->end;
        inner->is_array = false;
        break;
    default: return -EINVAL;
    }
    memcpy(inner->types, contents, count);
    inner->types[count] = 0;
    inner->next = 0;
    inner->length = count;
    pass(m, length);
    m->depth++;
    m->place = place;
    return 1;
}

int sd_bus_message_exit_container(sd_bus_message *m) {
    if (m->depth == 0) return -ENXIO;
    struct frame *f = &m->frames[m->depth];
    if (f->is_array ? m->place != f->end : !is_over(f)) return -EBUSY;
    m->depth--;
    return 1;
}

int sd_bus_message_read_basic(sd_bus_message *m, char type, void *value) {
    struct frame *f = &m->frames[m->depth];
    if (!f->is_array && is_over(f)) return -ENXIO;
    const char *next = next_type(m);
    if (!next) return 0;
    if (*next != type) return -ENXIO;
    size_t place = aligned(m->place, alignment(type)), count;
    switch (type) {
    case 'y': count = 1; break;
    case 'n': case 'q': count = 2; break;
    case 'b': case 'i': case 'u': count = 4; break;
    case 'x': case 't': case 'd': count = 8; break;
    case 's': case 'o':
        if (place + 4 > f->end) return -EBADMSG;
        count = number_at(m->body + place) + 5u;
        if (place + count > f->end) return -EBADMSG;
        if (value) *(const char **)value = (const char *)m->body + place + 4;
        break;
    case 'g':
        if (place + 1 > f->end) return -EBADMSG;
        count = m->body[place] + 2u;
        if (place + count > f->end) return -EBADMSG;
        if (value) *(const char **)value = (const char *)m->body + place + 1;
        break;
    default: return -EOPNOTSUPP;
    }
    if (place + count > f->end) return -EBADMSG;
    if (value && !strchr("sog", type)) memcpy(value, m->body + place, count);
    m->place = place + count;
    pass(m, 1);
    return 1;
}

int sd_bus_message_read_array(sd_bus_message *m, char type, const void **start, size_t *size) {
    char contents[2] = {type, 0};
    int result = sd_bus_message_enter_container(m, 'a', contents);
    if (result <= 0) return result < 0 ? result : -ENXIO;
    struct frame *f = &m->frames[m->depth];
    *start = m->body + m->place;
    *size = f->end - m->place;
    m->place = f->end;
    return sd_bus_message_exit_container(m);
}

static uint64_t mixed(uint64_t hash, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    while (count--) hash = (hash ^ *next++) * 0x100000001b3;
    return hash;
}

/* Passes the next value, and mixes it into the hash. */
static int walk(sd_bus_message *m, uint64_t *hash) {
    char type;
    const char *contents;
    int result = sd_bus_message_peek_type(m, &type, &contents);
    if (result <= 0) return result;
    *hash = mixed(*hash, &type, 1);
    if (contents) {
        char inner[MOST_TYPES + 1];
        strcpy(inner, contents);
        *hash = mixed(*hash, inner, strlen(inner));
        result = sd_bus_message_enter_container(m, type, inner);
        if (result < 0) return result;
        while ((result = walk(m, hash)) > 0) {}
        if (result < 0) return result;
        return sd_bus_message_exit_container(m);
    }
    if (strchr("sog", type)) {
        const char *text;
        result = sd_bus_message_read_basic(m, type, &text);
        if (result > 0) *hash = mixed(*hash, text, strlen(text) + 1);
        return result;
    }
    uint64_t bits = 0;
    result = sd_bus_message_read_basic(m, type, &bits);
    *hash = mixed(*hash, &bits, 8);
    return result;
}

uint64_t sim_message_hash(sd_bus_message *m) {
    uint64_t hash = 0xcbf29ce484222325;
    if (walk(m, &hash) <= 0) abort();
    return hash;
}

int sd_bus_message_skip(sd_bus_message *m, const char *types) {
    uint64_t hash = 0;
    for (const char *next = types; *next; next += type_length(next)) {
        const char *found = next_type(m);
        size_t length = type_length(next);
        if (!found || strncmp(found, next, length)) return -ENXIO;
        int result = walk(m, &hash);
        if (result <= 0) return result;
    }
    return 1;
}

int sd_bus_message_at_end(sd_bus_message *m, int complete) {
    return next_type(m) == NULL;
}

int sd_bus_message_rewind(sd_bus_message *m, int complete) {
    if (!complete) return -EOPNOTSUPP;
    message_begin(m);
    return 1;
}
