/* The connection: what it has received and what it sends, and who handles it. */
#include "connection.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

uint8_t sim_bus_id[16];

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
int sd_bus_set_method_call_timeout(sd_bus *bus, uint64_t time) { return 0; }
int sd_bus_is_ready(sd_bus *bus) { return sd_bus_is_open(bus); }
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

bool connection_has_input(void) {
    return connection && connection->is_open && (waiting(connection) || connection->is_lost);
}

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
    message_begin(m);
    const char *first = NULL, *second = NULL, *third = NULL;
    bool is_right = sd_bus_message_read_basic(m, 's', &first) > 0;
    if (is_right && slot->arg0[0]) is_right = strcmp(first, slot->arg0) == 0;
    if (is_right && slot->has_arg2) {
        is_right = sd_bus_message_read_basic(m, 's', &second) > 0 && sd_bus_message_read_basic(m, 's', &third) > 0
            && third[0] == 0;
    }
    message_begin(m);
    return is_right;
}

static void handle(sd_bus *bus, sd_bus_message *m) {
    /* Handlers may end registrations. */
    sd_bus_slot *slots[MOST_MATCHES];
    int count = bus->slot_count;
    memcpy(slots, bus->slots, sizeof slots[0] * (size_t)count);
    for (int place = 0; place < count; place++) {
        if (!slots[place]->is_filter) continue;
        message_begin(m);
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

sd_bus *sd_bus_message_get_bus(sd_bus_message *m) { return connection; }
