/* The part of libsystemd that flowbusd uses, without a kernel. Where sd-bus(3) and sd-event(3) promise an order, this has it; where
   they don't, the seed decides. Functions that flowbusd does not call in a simulation fail with EOPNOTSUPP. */
#define _GNU_SOURCE
#include "CSdBus.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

sim_hooks sim_hook;
uint64_t sim_now, sim_real_offset, sim_boot_offset;
int sim_is_running, sim_is_dead;
uint8_t sim_bus_id[16];
uint64_t sim_timers, sim_tasks;

enum { SIM_SOCKET = 1 << 28, MOST_TYPES = 255, MOST_DEPTH = 64 };

/* ---- The clock ---- */

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!sim_is_running) return (int)syscall(SYS_clock_gettime, clock, time);
    uint64_t now = sim_now;
    if (clock == CLOCK_REALTIME) now += sim_real_offset;
    if (clock == CLOCK_BOOTTIME) now += sim_boot_offset;
    time->tv_sec = (time_t)(now / 1000000);
    time->tv_nsec = (long)(now % 1000000) * 1000;
    return 0;
}

/* ---- Messages ---- */

struct frame {
    char types[MOST_TYPES + 1];
    size_t next, length;
    bool is_array;
    size_t end;
};

struct sd_bus_message {
    unsigned references;
    uint8_t type, flags;
    uint32_t number, answered;
    char *sender, *path, *interface, *member, *error_name, *destination;
    sd_bus_error error;
    const uint8_t *body;
    size_t size, place;
    int depth;
    struct frame *frames; /* MOST_DEPTH of them, once something is read. */
    char types[MOST_TYPES + 1];
    char peeked[MOST_TYPES + 1];
};

static char *copied(const char *text) { return text ? strdup(text) : NULL; }

static const uint8_t *copied_bytes(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size + 16);
    memcpy(copy, bytes, size);
    return copy;
}

static struct frame *frame_pool[256];
static int pooled;

static void begin(sd_bus_message *m) {
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
    begin(m);
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

static uint32_t number_at(const uint8_t *bytes) {
    uint32_t number;
    memcpy(&number, bytes, 4);
    return number;
}

static size_t up(size_t place, size_t alignment) { return (place + alignment - 1) & ~(alignment - 1); }

size_t sim_message_size(const uint8_t *bytes, size_t size) {
    if (size < 16) return 0;
    return up(16 + number_at(bytes + 12), 8) + number_at(bytes + 4);
}

sd_bus_message *sim_parse(const uint8_t *bytes, size_t size, const char *sender) {
    if (size < 16 || bytes[0] != 'l' || bytes[3] != 1 || sim_message_size(bytes, size) != size) return NULL;
    size_t end = 16 + number_at(bytes + 12), place = 16;
    const char *texts[10] = {0};
    uint32_t answered = 0;
    while (place < end) {
        place = up(place, 8);
        if (place + 4 > end) return NULL;
        uint8_t field = bytes[place];
        char type = (char)bytes[place + 2];
        place += 4;
        if (field > 9) return NULL;
        if (type == 'u') {
            place = up(place, 4);
            answered = number_at(bytes + place);
            place += 4;
        } else if (type == 'g') {
            texts[field] = (const char *)bytes + place + 1;
            place += bytes[place] + 2u;
        } else {
            place = up(place, 4);
            texts[field] = (const char *)bytes + place + 4;
            place += number_at(bytes + place) + 5u;
        }
    }
    size_t body = up(end, 8);
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

/* ---- Reading ---- */

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
        place = up(place, 4);
        if (place + 4 > f->end) return -EBADMSG;
        inner->end = number_at(m->body + place);
        place = up(place + 4, alignment(*contents));
        inner->end += place;
        if (inner->end > f->end) return -EBADMSG;
        inner->is_array = true;
        break;
    case SD_BUS_TYPE_STRUCT:
    case SD_BUS_TYPE_DICT_ENTRY:
        if (*next != (type == SD_BUS_TYPE_STRUCT ? '(' : '{') || length != count + 2 || memcmp(next + 1, contents, count))
            return -ENXIO;
        place = up(place, 8);
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
    size_t place = up(m->place, alignment(type)), count;
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
    begin(m);
    return 1;
}

/* ---- The connection ---- */

enum { MOST_FILTERS = 4, MOST_MATCHES = 256 };

struct sd_bus_slot {
    sd_bus *bus; /* NULL once the connection is gone. */
    sd_bus_message_handler_t handler;
    void *userdata;
    char sender[64], member[64], arg0[256];
    bool has_arg2;
    bool is_filter, is_disconnect;
    bool is_floating;
};

struct sd_bus {
    int references;
    bool is_open, is_lost;
    sd_bus_message **inbox;
    size_t first, count, room;
    sd_bus_slot *slots[MOST_MATCHES];
    int slot_count;
    sd_bus_message *current;
};

static sd_bus *connection;

int sd_bus_new(sd_bus **made) {
    sd_bus *bus = calloc(1, sizeof *bus);
    bus->references = 1;
    bus->is_open = true;
    *made = connection = bus;
    return 0;
}

int sd_bus_open_user(sd_bus **made) { return sd_bus_new(made); }
int sd_bus_open_system(sd_bus **made) { return sd_bus_new(made); }
int sd_bus_set_address(sd_bus *bus, const char *address) { return 0; }
int sd_bus_set_bus_client(sd_bus *bus, int b) { return 0; }
int sd_bus_start(sd_bus *bus) { return 0; }
int sd_bus_set_exit_on_disconnect(sd_bus *bus, int b) { return 0; }
int sd_bus_set_close_on_exit(sd_bus *bus, int b) { return 0; }
int sd_bus_get_fd(sd_bus *bus) { return SIM_SOCKET; }
int sd_bus_is_open(sd_bus *bus) { return bus->is_open && !sim_is_dead; }
int sd_bus_get_events(sd_bus *bus) { return bus->is_open ? EPOLLIN : -ENOTCONN; }
int sd_bus_flush(sd_bus *bus) { return 0; }
int sd_bus_get_n_queued_write(sd_bus *bus, uint64_t *count) { *count = 0; return 0; }
sd_bus_message *sd_bus_get_current_message(sd_bus *bus) { return bus->current; }

static size_t waiting(sd_bus *bus) { return bus->count - bus->first; }

int sd_bus_get_timeout(sd_bus *bus, uint64_t *time) {
    *time = waiting(bus) || bus->is_lost ? 0 : UINT64_MAX;
    return 1;
}

int sd_bus_get_unique_name(sd_bus *bus, const char **name) {
    static char own[64];
    if (!sim_hook.owner("", own)) return -ENOTCONN;
    *name = own;
    return 0;
}

int sd_bus_get_bus_id(sd_bus *bus, sd_id128_t *id) {
    memcpy(id->bytes, sim_bus_id, 16);
    return 0;
}

void sd_bus_close(sd_bus *bus) { bus->is_open = false; }

sd_bus *sd_bus_unref(sd_bus *bus) {
    if (!bus || --bus->references) return NULL;
    for (size_t next = bus->first; next < bus->count; next++) sd_bus_message_unref(bus->inbox[next]);
    for (int place = 0; place < bus->slot_count; place++) {
        bus->slots[place]->bus = NULL;
        if (bus->slots[place]->is_floating) free(bus->slots[place]);
    }
    free(bus->inbox);
    if (connection == bus) connection = NULL;
    free(bus);
    return NULL;
}

sd_bus *sd_bus_close_unref(sd_bus *bus) {
    if (bus) sd_bus_close(bus);
    return sd_bus_unref(bus);
}

static int put(sd_bus *bus, sd_bus_message *m) {
    if (bus->count == bus->room) {
        if (bus->first > bus->room / 2) {
            memmove(bus->inbox, bus->inbox + bus->first, waiting(bus) * sizeof *bus->inbox);
            bus->count -= bus->first;
            bus->first = 0;
        } else {
            bus->room = bus->room ? bus->room * 2 : 64;
            bus->inbox = realloc(bus->inbox, bus->room * sizeof *bus->inbox);
        }
    }
    bus->inbox[bus->count++] = sd_bus_message_ref(m);
    return 0;
}

int sd_bus_enqueue_for_read(sd_bus *bus, sd_bus_message *m) { return put(bus, m); }
void sim_deliver(sd_bus_message *m) { if (connection && connection->is_open) put(connection, m); }
size_t sim_undelivered(void) { return connection ? waiting(connection) : 0; }
void sim_disconnect(void) { if (connection) connection->is_lost = true; }

static sd_bus_slot *add_slot(sd_bus *bus, sd_bus_slot **slot, sd_bus_message_handler_t handler, void *userdata) {
    if (bus->slot_count >= MOST_MATCHES) abort();
    sd_bus_slot *made = calloc(1, sizeof *made);
    made->bus = bus;
    made->handler = handler;
    made->userdata = userdata;
    made->is_floating = slot == NULL;
    bus->slots[bus->slot_count++] = made;
    if (slot) *slot = made;
    return made;
}

sd_bus_slot *sd_bus_slot_unref(sd_bus_slot *slot) {
    if (!slot) return NULL;
    sd_bus *bus = slot->bus;
    for (int place = 0; bus && place < bus->slot_count; place++) {
        if (bus->slots[place] != slot) continue;
        memmove(
            &bus->slots[place], &bus->slots[place + 1], sizeof slot * (size_t)(bus->slot_count - place - 1));
        bus->slot_count--;
        break;
    }
    free(slot);
    return NULL;
}

void *sd_bus_slot_set_userdata(sd_bus_slot *slot, void *userdata) {
    void *before = slot->userdata;
    slot->userdata = userdata;
    return before;
}

int sd_bus_add_filter(sd_bus *bus, sd_bus_slot **slot, sd_bus_message_handler_t handler, void *userdata) {
    add_slot(bus, slot, handler, userdata)->is_filter = true;
    return 0;
}

static void take_value(const char *rule, const char *key, char *value, size_t room) {
    const char *place = strstr(rule, key);
    value[0] = 0;
    if (!place) return;
    place += strlen(key);
    const char *end = strchr(place, '\'');
    size_t count = end ? (size_t)(end - place) : 0;
    if (count >= room) count = room - 1;
    memcpy(value, place, count);
    value[count] = 0;
}

int sd_bus_add_match(
    sd_bus *bus, sd_bus_slot **slot, const char *rule, sd_bus_message_handler_t handler, void *userdata) {
    if (!sd_bus_is_open(bus)) return -ENOTCONN;
    sd_bus_slot *made = add_slot(bus, slot, handler, userdata);
    take_value(rule, "sender='", made->sender, sizeof made->sender);
    take_value(rule, "member='", made->member, sizeof made->member);
    take_value(rule, "arg0='", made->arg0, sizeof made->arg0);
    made->has_arg2 = strstr(rule, "arg2=''") != NULL;
    return 0;
}

int sd_bus_match_signal(
    sd_bus *bus, sd_bus_slot **slot, const char *sender, const char *path, const char *interface, const char *member,
    sd_bus_message_handler_t handler, void *userdata) {
    add_slot(bus, slot, handler, userdata)->is_disconnect = true;
    return 0;
}

static bool fits(const sd_bus_slot *slot, sd_bus_message *m) {
    if (slot->is_filter || slot->is_disconnect || !m->member || strcmp(slot->member, m->member)) return false;
    if (slot->sender[0] && strcmp(slot->sender, m->sender ? m->sender : "")) return false;
    if (!slot->arg0[0] && !slot->has_arg2) return true;
    begin(m);
    const char *first = NULL, *second = NULL, *third = NULL;
    bool is_right = sd_bus_message_read_basic(m, 's', &first) > 0;
    if (is_right && slot->arg0[0]) is_right = strcmp(first, slot->arg0) == 0;
    if (is_right && slot->has_arg2) {
        is_right = sd_bus_message_read_basic(m, 's', &second) > 0 && sd_bus_message_read_basic(m, 's', &third) > 0
            && third[0] == 0;
    }
    begin(m);
    return is_right;
}

static void handle(sd_bus *bus, sd_bus_message *m) {
    /* Handlers may end registrations. */
    sd_bus_slot *slots[MOST_MATCHES];
    int count = bus->slot_count;
    memcpy(slots, bus->slots, sizeof slots[0] * (size_t)count);
    for (int place = 0; place < count; place++) {
        if (!slots[place]->is_filter) continue;
        begin(m);
        if (slots[place]->handler(m, slots[place]->userdata, NULL) != 0) return;
    }
    if (m->type == 4) {
        for (int place = 0; place < count; place++) {
            bool is_left = false;
            for (int other = 0; other < bus->slot_count; other++) is_left = is_left || bus->slots[other] == slots[place];
            if (is_left && fits(slots[place], m)) slots[place]->handler(m, slots[place]->userdata, NULL);
        }
    } else if (m->type == 1) {
        sim_hook.unserved(m);
    }
}

int sd_bus_process(sd_bus *bus, sd_bus_message **found) {
    if (found) *found = NULL;
    if (!sd_bus_is_open(bus)) return -ENOTCONN;
    if (bus->is_lost && !waiting(bus)) {
        bus->is_open = false;
        for (int place = 0; place < bus->slot_count; place++) {
            sd_bus_slot *slot = bus->slots[place];
            if (slot->is_disconnect) {
                slot->handler(NULL, slot->userdata, NULL);
                break;
            }
        }
        return 1;
    }
    if (!waiting(bus)) return 0;
    sd_bus_message *m = bus->inbox[bus->first++];
    bus->current = m;
    handle(bus, m);
    bus->current = NULL;
    sd_bus_message_unref(m);
    return 1;
}

int sd_bus_request_name(sd_bus *bus, const char *name, uint64_t flags) { return sd_bus_is_open(bus) ? 1 : -ENOTCONN; }
int sd_bus_release_name(sd_bus *bus, const char *name) { return sd_bus_is_open(bus) ? 1 : -ENOTCONN; }

struct sd_bus_creds {
    char unique[256];
};

int sd_bus_get_name_creds(sd_bus *bus, const char *name, uint64_t mask, sd_bus_creds **found) {
    if (!sd_bus_is_open(bus)) return -ENOTCONN;
    sd_bus_creds *made = calloc(1, sizeof *made);
    if (!sim_hook.owner(name, made->unique)) {
        free(made);
        return -ENXIO;
    }
    *found = made;
    return 0;
}

sd_bus_creds *sd_bus_creds_unref(sd_bus_creds *creds) {
    free(creds);
    return NULL;
}

int sd_bus_creds_get_unique_name(sd_bus_creds *creds, const char **name) {
    *name = creds->unique;
    return 0;
}

int sd_bus_creds_get_pid(sd_bus_creds *creds, pid_t *pid) { return -ENODATA; }
int sd_bus_creds_get_comm(sd_bus_creds *creds, const char **name) { return -ENODATA; }

int sd_bus_creds_get_euid(sd_bus_creds *creds, uid_t *user) {
    *user = 0;
    return 0;
}

int sd_bus_query_sender_creds(sd_bus_message *m, uint64_t mask, sd_bus_creds **creds) {
    *creds = calloc(1, sizeof **creds);
    return 0;
}

int sd_bus_service_name_is_valid(const char *name) {
    size_t count = strlen(name);
    return count > 1 && count < 256 && strchr(name, '.') != NULL && strchr(name, ' ') == NULL;
}

int sd_bus_object_path_is_valid(const char *path) {
    if (*path != '/') return 0;
    for (const char *next = path; *next; next++) {
        if (*next == '/' ? next[1] == '/' || (next[1] == 0 && next != path) : !strchr(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", *next))
            return 0;
    }
    return 1;
}

int sd_bus_error_set_errno(sd_bus_error *error, int code) {
    error->name = "org.freedesktop.DBus.Error.InvalidArgs";
    error->message = "Invalid argument";
    return -(code < 0 ? -code : code);
}

void sd_bus_error_free(sd_bus_error *error) {}

/* What the connection writes. */
ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    if (descriptor != SIM_SOCKET) return sendto(descriptor, bytes, count, flags, NULL, 0);
    if (sim_is_dead) {
        errno = EPIPE;
        return -1;
    }
    size_t taken = sim_hook.written(bytes, count);
    if (sim_is_dead || taken == 0) {
        errno = sim_is_dead ? EPIPE : EAGAIN;
        return -1;
    }
    return (ssize_t)taken;
}

/* ---- The loop ---- */

struct sd_event_source {
    sd_event *loop;
    enum { TIMER, TASK, INPUT, SIGNAL } kind;
    int enabled;
    int64_t priority;
    uint64_t time;
    uint32_t events;
    void *userdata;
    sd_event_handler_t prepare;
    union {
        sd_event_time_handler_t timer;
        sd_event_handler_t task;
        sd_event_io_handler_t input;
        sd_event_signal_handler_t signal;
    } handler;
    bool is_ended;
};

enum { MOST_SOURCES = 64 };

struct sd_event {
    int references;
    sd_event_source *sources[MOST_SOURCES];
    int count;
    bool is_ended;
    int code;
};

static sd_event *loops[8];
static int loop_count;

int sd_event_new(sd_event **made) {
    sd_event *loop = calloc(1, sizeof *loop);
    loop->references = 1;
    if (loop_count >= 8) abort();
    loops[loop_count++] = loop;
    *made = loop;
    return 0;
}

sd_event *sd_event_unref(sd_event *loop) {
    if (!loop || --loop->references) return NULL;
    for (int place = 0; place < loop_count; place++) {
        if (loops[place] != loop) continue;
        loops[place] = loops[--loop_count];
        break;
    }
    free(loop);
    return NULL;
}

static int add_source(sd_event *loop, sd_event_source **made, int kind, void *userdata) {
    if (loop->count >= MOST_SOURCES) abort();
    sd_event_source *source = calloc(1, sizeof *source);
    source->loop = loop;
    source->kind = kind;
    source->userdata = userdata;
    loop->sources[loop->count++] = source;
    loop->references++;
    if (made) *made = source;
    return 0;
}

int sd_event_add_time(
    sd_event *loop, sd_event_source **made, clockid_t clock, uint64_t time, uint64_t accuracy, sd_event_time_handler_t handler,
    void *userdata) {
    add_source(loop, made, TIMER, userdata);
    (*made)->time = time;
    (*made)->enabled = SD_EVENT_ONESHOT;
    (*made)->handler.timer = handler;
    return 0;
}

int sd_event_add_defer(sd_event *loop, sd_event_source **made, sd_event_handler_t handler, void *userdata) {
    add_source(loop, made, TASK, userdata);
    (*made)->enabled = SD_EVENT_ONESHOT;
    (*made)->handler.task = handler;
    return 0;
}

int sd_event_add_io(
    sd_event *loop, sd_event_source **made, int descriptor, uint32_t events, sd_event_io_handler_t handler, void *userdata) {
    add_source(loop, made, INPUT, userdata);
    (*made)->enabled = SD_EVENT_ON;
    (*made)->events = events;
    (*made)->handler.input = handler;
    return 0;
}

int sd_event_add_signal(
    sd_event *loop, sd_event_source **made, int number, sd_event_signal_handler_t handler, void *userdata) {
    add_source(loop, made, SIGNAL, userdata);
    return 0;
}

int sd_event_source_set_prepare(sd_event_source *source, sd_event_handler_t handler) {
    source->prepare = handler;
    return 0;
}

int sd_event_source_set_io_events(sd_event_source *source, uint32_t events) {
    source->events = events;
    return 0;
}

int sd_event_source_set_time(sd_event_source *source, uint64_t time) {
    source->time = time;
    return 0;
}

int sd_event_source_set_priority(sd_event_source *source, int64_t priority) {
    source->priority = priority;
    return 0;
}

int sd_event_source_set_enabled(sd_event_source *source, int enabled) {
    source->enabled = enabled;
    return 0;
}

sd_event_source *sd_event_source_disable_unref(sd_event_source *source) {
    if (!source) return NULL;
    sd_event *loop = source->loop;
    for (int place = 0; place < loop->count; place++) {
        if (loop->sources[place] != source) continue;
        memmove(
            &loop->sources[place], &loop->sources[place + 1], sizeof source * (size_t)(loop->count - place - 1));
        loop->count--;
        break;
    }
    sd_event_unref(loop);
    free(source);
    return NULL;
}

int sd_event_set_watchdog(sd_event *loop, int b) { return 0; }

int sd_event_now(sd_event *loop, clockid_t clock, uint64_t *time) {
    *time = clock == CLOCK_REALTIME ? sim_now + sim_real_offset : sim_now;
    return 0;
}

int sd_event_exit(sd_event *loop, int code) {
    loop->is_ended = true;
    loop->code = code;
    return 0;
}

uint64_t sim_next_timer(void) {
    uint64_t next = UINT64_MAX;
    for (int number = 0; number < loop_count; number++) {
        for (int place = 0; place < loops[number]->count; place++) {
            sd_event_source *source = loops[number]->sources[place];
            if (source->kind == TIMER && source->enabled != SD_EVENT_OFF && source->time < next) next = source->time;
        }
    }
    return next;
}

static bool is_due(const sd_event_source *source) {
    if (source->enabled == SD_EVENT_OFF) return false;
    switch (source->kind) {
    case TIMER: return source->time <= sim_now;
    case TASK: return true;
    case INPUT:
        return source->events & EPOLLOUT
            || (source->events & EPOLLIN && connection && connection->is_open && (waiting(connection) || connection->is_lost));
    default: return false;
    }
}

/* One turn, as sd_event_run(3): the due source of the lowest priority. Among equals any may come first. */
static int turn(sd_event *loop) {
    for (int place = 0; place < loop->count; place++) {
        sd_event_source *source = loop->sources[place];
        if (source->prepare && source->enabled != SD_EVENT_OFF) source->prepare(source, source->userdata);
    }
    sd_event_source *due[MOST_SOURCES];
    int count = 0;
    for (int place = 0; place < loop->count; place++) {
        sd_event_source *source = loop->sources[place];
        if (!is_due(source) || (count && source->priority > due[0]->priority)) continue;
        if (count && source->priority < due[0]->priority) count = 0;
        due[count++] = source;
    }
    if (count == 0) return 0;
    sd_event_source *next = due[count > 1 ? sim_hook.random((uint32_t)count) : 0];
    if (next->enabled == SD_EVENT_ONESHOT) next->enabled = SD_EVENT_OFF;
    switch (next->kind) {
    case TIMER: sim_timers++; next->handler.timer(next, next->time, next->userdata); break;
    case TASK: sim_tasks++; next->handler.task(next, next->userdata); break;
    case INPUT: next->handler.input(next, SIM_SOCKET, next->events, next->userdata); break;
    case SIGNAL: break;
    }
    return 1;
}

int sd_event_run(sd_event *loop, uint64_t timeout) { return turn(loop); }

int sd_event_loop(sd_event *loop) {
    while (!loop->is_ended) {
        int has_work = turn(loop);
        if (loop->is_ended || sim_is_dead) break;
        if (!sim_hook.idle(has_work)) break;
    }
    return loop->is_ended ? loop->code : 71;
}

/* ---- What is not simulated ---- */

#define UNUSED(name, ...) int name(__VA_ARGS__) { return -EOPNOTSUPP; }

int sd_bus_add_fallback_vtable(
    sd_bus *bus, sd_bus_slot **slot, const char *prefix, const char *interface, const sd_bus_vtable *vtable,
    sd_bus_object_find_t find, void *userdata) {
    return 0;
}

int sd_bus_add_object_vtable(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface, const sd_bus_vtable *vtable, void *userdata) {
    return slot ? -EOPNOTSUPP : 0;
}

int sd_bus_add_object_manager(sd_bus *bus, sd_bus_slot **slot, const char *path) { return 0; }

int sd_bus_add_node_enumerator(
    sd_bus *bus, sd_bus_slot **slot, const char *path, sd_bus_node_enumerator_t callback, void *userdata) {
    return 0;
}

UNUSED(sd_bus_add_match_async, sd_bus *bus, sd_bus_slot **slot, const char *match, sd_bus_message_handler_t callback,
       sd_bus_message_handler_t install, void *userdata)
UNUSED(sd_bus_call, sd_bus *bus, sd_bus_message *m, uint64_t usec, sd_bus_error *error, sd_bus_message **reply)
UNUSED(sd_bus_call_async, sd_bus *bus, sd_bus_slot **slot, sd_bus_message *m, sd_bus_message_handler_t callback, void *userdata,
       uint64_t usec)
UNUSED(sd_bus_list_names, sd_bus *bus, char ***acquired, char ***activatable)
UNUSED(sd_bus_wait, sd_bus *bus, uint64_t timeout)
UNUSED(sd_bus_send, sd_bus *bus, sd_bus_message *m, uint64_t *cookie)
UNUSED(sd_bus_attach_event, sd_bus *bus, sd_event *e, int priority)
UNUSED(sd_bus_message_append_basic, sd_bus_message *m, char type, const void *p)
UNUSED(sd_bus_message_append_array, sd_bus_message *m, char type, const void *p, size_t size)
UNUSED(sd_bus_message_open_container, sd_bus_message *m, char type, const char *contents)
UNUSED(sd_bus_message_close_container, sd_bus_message *m)
UNUSED(sd_bus_message_copy, sd_bus_message *m, sd_bus_message *source, int all)
UNUSED(sd_bus_message_new_method_call, sd_bus *bus, sd_bus_message **m, const char *destination, const char *path,
       const char *interface, const char *member)
UNUSED(sd_bus_message_new_method_error, sd_bus_message *call, sd_bus_message **m, const sd_bus_error *e)
UNUSED(sd_bus_message_new_method_errno, sd_bus_message *call, sd_bus_message **m, int error, const sd_bus_error *e)
UNUSED(sd_bus_message_new_method_return, sd_bus_message *call, sd_bus_message **m)
UNUSED(sd_bus_message_new_signal, sd_bus *bus, sd_bus_message **m, const char *path, const char *interface, const char *member)
UNUSED(sd_bus_message_seal, sd_bus_message *m, uint64_t cookie, uint64_t timeout)
UNUSED(sd_bus_message_set_allow_interactive_authorization, sd_bus_message *m, int b)
UNUSED(sd_bus_message_set_auto_start, sd_bus_message *m, int b)
UNUSED(sd_bus_message_set_destination, sd_bus_message *m, const char *destination)
UNUSED(sd_bus_message_set_expect_reply, sd_bus_message *m, int b)
UNUSED(sd_bus_message_set_sender, sd_bus_message *m, const char *sender)
UNUSED(sd_bus_error_set, sd_bus_error *e, const char *name, const char *message)
UNUSED(sd_event_get_fd, sd_event *e)
UNUSED(sd_event_prepare, sd_event *e)
UNUSED(sd_event_wait, sd_event *e, uint64_t usec)
UNUSED(sd_event_dispatch, sd_event *e)
UNUSED(sd_event_get_state, sd_event *e)
UNUSED(sd_notify, int unset_environment, const char *state)
#undef sd_journal_sendv
UNUSED(sd_journal_sendv, const struct iovec *iov, int n)
UNUSED(sd_bus_get_method_call_timeout, sd_bus *bus, uint64_t *ret)

sd_bus *sd_bus_message_get_bus(sd_bus_message *m) { return connection; }

int _dispatch_get_main_queue_handle_4CF(void) { return -1; }
void _dispatch_main_queue_callback_4CF(void *unused) {}
/* The macros of sd-bus.h refer to it. */
const unsigned sd_bus_object_vtable_format = 242;
