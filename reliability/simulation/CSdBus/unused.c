/* What is not simulated: functions that flowbusd does not call in a simulation. They fail with EOPNOTSUPP, or do nothing. */
#include "CSdBus.h"
#include <errno.h>

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

int _dispatch_get_main_queue_handle_4CF(void) { return -1; }
void _dispatch_main_queue_callback_4CF(void *unused) {}
/* The macros of sd-bus.h refer to it. */
const unsigned sd_bus_object_vtable_format = 242;
