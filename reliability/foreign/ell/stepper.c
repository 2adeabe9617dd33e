#include <ell/ell.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#define NAME "org.flowbus.Navigation1"

static struct l_dbus *bus;

static void again(void);

static void tell(struct l_dbus_message *reply)
{
        uint64_t serial;
        const char *verdict, *name, *text;

        if (l_dbus_message_get_error(reply, &name, &text))
                printf("%s %s\n", name, text);
        else if (l_dbus_message_get_arguments(reply, "ts", &serial, &verdict))
                printf("%ju %s\n", (uintmax_t)serial, verdict);
}

static void answered(struct l_dbus_message *reply, void *last)
{
        tell(reply);
        if (last)
                again();
}

static struct l_dbus_message *call(const char *method)
{
        return l_dbus_message_new_method_call(bus, NAME, "/org/flowbus/Navigation1/tree/trial", NAME ".Stepper", method);
}

static void again(void)
{
        struct l_dbus_message *message = call("Emit");

        puts("ready");
        getchar();
        l_dbus_message_set_arguments(message, "s", "started");
        l_dbus_send_with_reply(bus, message, answered, NULL, NULL);
}

static void empty(const char *step, void *last)
{
        struct l_dbus_message *message = call("EmitStep");

        l_dbus_message_set_arguments(message, "sa{sv}", step, 0);
        l_dbus_send_with_reply(bus, message, answered, last, NULL);
}

static void heard(struct l_dbus_message *message, void *data)
{
        uint64_t serial, cause;
        const char *sender, *step;
        struct l_dbus_message_iter arguments, contributors, details;

        if (l_dbus_message_get_arguments(message, "ttssa{sv}a(ssoa{sv})a{sv}", &serial, &cause, &sender, &step, &arguments,
                                         &contributors, &details))
                printf("heard %s\n", step);
}

static void ready(void *data)
{
        struct l_dbus_message *message = call("EmitStep");

        l_dbus_add_signal_watch(bus, NAME, NULL, NAME ".Flow", "NavigationOccurred", L_DBUS_MATCH_NONE, heard, NULL);
        empty("started", NULL);
        l_dbus_message_set_arguments(
                message, "sa{sv}", "filled", 6, "count", "i", 7, "below", "i", -7, "factor", "i", 7, "tags", "as", 2, "a", "b",
                "style", "a{ss}", 1, "colour", "red", "large", "t", UINT64_C(9223372036854775809));
        l_dbus_send_with_reply(bus, message, answered, NULL, NULL);
        empty("nope", bus);
}

int main(void)
{
        setvbuf(stdout, NULL, _IOLBF, 0);
        l_main_init();
        bus = l_dbus_new_default(L_DBUS_SESSION_BUS);
        l_dbus_set_ready_handler(bus, ready, NULL, NULL);
        return l_main_run();
}
