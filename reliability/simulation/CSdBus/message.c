/* Messages as they are made, and their headers. */
#include "message.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *copied(const char *text) { return text ? strdup(text) : NULL; }

static const uint8_t *copied_bytes(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size + 16);
    memcpy(copy, bytes, size);
    return copy;
}

static struct frame *frame_pool[256];
static int pooled;

void message_begin(sd_bus_message *m) {
    if (!m->frames) m->frames = pooled ? frame_pool[--pooled] : malloc(sizeof(struct frame) * MOST_DEPTH);
    m->depth = 0;
    m->place = 0;
    strcpy(m->frames[0].types, m->types);
    m->frames[0].next = 0;
    m->frames[0].length = strlen(m->types);
    m->frames[0].is_array = false;
    m->frames[0].end = m->size;
}

sd_bus_message *sim_message(
    uint8_t type, uint8_t flags, uint32_t number, uint32_t answered, const char *sender, const char *path, const char *interface,
    const char *member, const char *error_name, const char *signature, const uint8_t *body, size_t size) {
    sd_bus_message *m = calloc(1, sizeof *m);
    m->references = 1;
    m->type = type;
    m->flags = flags;
    m->number = number;
    m->answered = answered;
    m->sender = copied(sender);
    m->path = copied(path);
    m->interface = copied(interface);
    m->member = copied(member);
    m->error_name = copied(error_name);
    strncpy(m->types, signature ? signature : "", MOST_TYPES);
    m->body = copied_bytes(body, size);
    m->size = size;
    message_begin(m);
    if (error_name) {
        m->error.name = m->error_name;
        if (m->types[0] == 's' && size >= 5) m->error.message = (const char *)m->body + 4;
    }
    return m;
}

sd_bus_message *sd_bus_message_ref(sd_bus_message *m) {
    m->references++;
    return m;
}

sd_bus_message *sd_bus_message_unref(sd_bus_message *m) {
    if (!m || --m->references) return NULL;
    free(m->sender), free(m->path), free(m->interface), free(m->member), free(m->error_name), free(m->destination);
    free((void *)m->body);
    if (m->frames && pooled < 256) frame_pool[pooled++] = m->frames; else free(m->frames);
    free(m);
    return NULL;
}

uint32_t number_at(const uint8_t *bytes) {
    uint32_t number;
    memcpy(&number, bytes, 4);
    return number;
}

size_t aligned(size_t place, size_t alignment) { return (place + alignment - 1) & ~(alignment - 1); }

size_t sim_message_size(const uint8_t *bytes, size_t size) {
    if (size < 16) return 0;
    return aligned(16 + number_at(bytes + 12), 8) + number_at(bytes + 4);
}

sd_bus_message *sim_parse(const uint8_t *bytes, size_t size, const char *sender) {
    if (size < 16 || bytes[0] != 'l' || bytes[3] != 1 || sim_message_size(bytes, size) != size) return NULL;
    size_t end = 16 + number_at(bytes + 12), place = 16;
    const char *texts[10] = {0};
    uint32_t answered = 0;
    while (place < end) {
        place = aligned(place, 8);
        if (place + 4 > end) return NULL;
        uint8_t field = bytes[place];
        char type = (char)bytes[place + 2];
        place += 4;
        if (field > 9) return NULL;
        if (type == 'u') {
            place = aligned(place, 4);
            answered = number_at(bytes + place);
            place += 4;
        } else if (type == 'g') {
            texts[field] = (const char *)bytes + place + 1;
            place += bytes[place] + 2u;
        } else {
            place = aligned(place, 4);
            texts[field] = (const char *)bytes + place + 4;
            place += number_at(bytes + place) + 5u;
        }
    }
    size_t body = aligned(end, 8);
    sd_bus_message *m = sim_message(
        bytes[1], bytes[2], number_at(bytes + 8), answered, sender, texts[1], texts[2], texts[3], texts[4], texts[8], bytes + body,
        size - body);
    m->destination = copied(texts[6]);
    return m;
}

uint8_t sim_message_type(sd_bus_message *m) { return m->type; }
uint32_t sim_message_number(sd_bus_message *m) { return m->number; }
uint32_t sim_message_answered(sd_bus_message *m) { return m->answered; }
const char *sim_message_destination(sd_bus_message *m) { return m->destination; }

const char *sd_bus_message_get_path(sd_bus_message *m) { return m->path; }
const char *sd_bus_message_get_sender(sd_bus_message *m) { return m->sender; }
const char *sd_bus_message_get_interface(sd_bus_message *m) { return m->interface; }
const char *sd_bus_message_get_member(sd_bus_message *m) { return m->member; }
const char *sd_bus_message_get_signature(sd_bus_message *m, int complete) { return m->types; }
const sd_bus_error *sd_bus_message_get_error(sd_bus_message *m) { return m->type == 3 ? &m->error : NULL; }
int sd_bus_message_get_expect_reply(sd_bus_message *m) { return m->type == 1 && !(m->flags & 1); }
int sd_bus_message_get_allow_interactive_authorization(sd_bus_message *m) { return (m->flags & 4) != 0; }
int sd_bus_message_is_method_call(sd_bus_message *m, const char *interface, const char *member) { return m->type == 1; }
int sd_bus_message_is_signal(sd_bus_message *m, const char *interface, const char *member) { return m->type == 4; }
int sd_bus_message_is_method_error(sd_bus_message *m, const char *name) { return m->type == 3; }

int sd_bus_message_get_type(sd_bus_message *m, uint8_t *type) {
    *type = m->type;
    return 0;
}

int sd_bus_message_get_cookie(sd_bus_message *m, uint64_t *number) {
    *number = m->number;
    return 0;
}

int sd_bus_message_get_reply_cookie(sd_bus_message *m, uint64_t *number) {
    *number = m->answered;
    return m->answered ? 0 : -ENODATA;
}
