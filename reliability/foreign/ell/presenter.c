#include <ell/ell.h>
#include <stdint.h>
#include <stdio.h>

static void entry(struct l_dbus_message_builder *builder, const char *key, const char *type, const void *value)
{
        l_dbus_message_builder_enter_dict(builder, "sv");
        l_dbus_message_builder_append_basic(builder, 's', key);
        l_dbus_message_builder_enter_variant(builder, type);
        l_dbus_message_builder_append_basic(builder, type[0], value);
        l_dbus_message_builder_leave_variant(builder);
        l_dbus_message_builder_leave_dict(builder);
}

static const char *text(struct l_dbus_message_iter *values, const char *name)
{
        struct l_dbus_message_iter value;
        const char *key, *found = NULL;

        while (l_dbus_message_iter_next_entry(values, &key, &value))
                if (l_streq0(key, name))
                        l_dbus_message_iter_get_variant(&value, "s", &found);
        return found;
}

static struct l_dbus_message *present(struct l_dbus *bus, struct l_dbus_message *message, void *data)
{
        struct l_dbus_message_iter arguments, details;
        const char *presentable, *name;
        bool visible = true;
        struct l_dbus_message *reply = l_dbus_message_new_method_return(message);
        struct l_dbus_message_builder *builder = l_dbus_message_builder_new(reply);

        l_dbus_message_get_arguments(message, "osa{sv}a{sv}", &presentable, &name, &arguments, &details);
        printf("present %s\n", text(&details, "reason"));
        l_dbus_message_builder_enter_array(builder, "{sv}");
        entry(builder, "visible", "b", &visible);
        entry(builder, "title", "s", text(&arguments, "label"));
        l_dbus_message_builder_leave_array(builder);
        l_dbus_message_builder_finalize(builder);
        l_dbus_message_builder_destroy(builder);
        return reply;
}

static struct l_dbus_message *withdraw(struct l_dbus *bus, struct l_dbus_message *message, void *data)
{
        const char *presentable, *reason;
        uint64_t instance;

        l_dbus_message_get_arguments(message, "ots", &presentable, &instance, &reason);
        printf("withdrawn %ju %s\n", (uintmax_t)instance, reason);
        return NULL;
}

static struct l_dbus_message *alive(struct l_dbus *bus, struct l_dbus_message *message, void *data)
{
        puts("alive");
        return l_dbus_message_new_method_return(message);
}

static void set_up(struct l_dbus_interface *interface)
{
        l_dbus_interface_method(interface, "Present", 0, present, "a{sv}", "osa{sv}a{sv}", "report", "presentable", "name",
                                "arguments", "details");
        l_dbus_interface_method(interface, "Withdraw", L_DBUS_METHOD_FLAG_NOREPLY, withdraw, "", "ots", "presentable", "instance",
                                "reason");
        l_dbus_interface_method(interface, "Alive", 0, alive, "", "");
}

static void owned(struct l_dbus *bus, bool success, bool queued, void *data)
{
        puts("ready");
}

static void ready(void *bus)
{
        l_dbus_name_acquire(bus, "org.example.Foreign", false, false, false, owned, NULL);
}

int main(void)
{
        setvbuf(stdout, NULL, _IOLBF, 0);
        l_main_init();
        struct l_dbus *bus = l_dbus_new_default(L_DBUS_SESSION_BUS);
        l_dbus_register_interface(bus, "org.flowbus.Navigation1.Presenter", set_up, NULL, false);
        l_dbus_object_add_interface(bus, "/org/example/Foreign", "org.flowbus.Navigation1.Presenter", NULL);
        l_dbus_set_ready_handler(bus, ready, bus, NULL);
        return l_main_run();
}
