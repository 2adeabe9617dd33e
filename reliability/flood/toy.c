// toy   The least that a service can do: it reads all of each call, and answers that a step navigated. What a call takes beside
// it is the time of the bus, the flood and the machine. It connects to DBUS_SESSION_BUS_ADDRESS, and ends by SIGTERM.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

static int check(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "toy: %s: %s\n", what, strerror(-result));
        exit(EXIT_FAILURE);
    }
    return result;
}

static int on_message(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    uint8_t type;
    check(sd_bus_message_get_type(message, &type), "a message");
    if (type != SD_BUS_MESSAGE_METHOD_CALL) return 0;
    const char *signature = sd_bus_message_get_signature(message, 1);
    // sd-bus refuses values that a bus passes, such as noncharacters of Unicode.
    const int read = *signature ? sd_bus_message_skip(message, signature) : 0;
    return read < 0 ? sd_bus_reply_method_errno(message, read, NULL)
                    : sd_bus_reply_method_return(message, "ts", UINT64_C(1), "navigated");
}

int main(void) {
    sd_bus *bus;
    check(sd_bus_open_user(&bus), "the bus");
    check(sd_bus_add_filter(bus, NULL, on_message, NULL), "a filter");
    check(sd_bus_request_name(bus, "org.flowbus.Navigation1", 0), "the name");
    puts("ready");
    fflush(stdout);
    while (1) {
        if (check(sd_bus_process(bus, NULL), "a message") == 0) check(sd_bus_wait(bus, UINT64_MAX), "the bus");
    }
}
