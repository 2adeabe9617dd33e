#include <Ecore.h>
#include <Eldbus.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The text of a name in a dictionary. */
static const char *text(Eldbus_Message_Iter *values, const char *name)
{
        Eldbus_Message_Iter *entry, *variant;
        const char *key, *found = NULL;

        while (eldbus_message_iter_get_and_next(values, 'e', &entry))
                if (eldbus_message_iter_arguments_get(entry, "sv", &key, &variant) && !strcmp(key, name))
                        eldbus_message_iter_arguments_get(variant, "s", &found);
        return found;
}

static void append(Eldbus_Message_Iter *report, const char *name, const char *type, const void *value)
{
        Eldbus_Message_Iter *entry, *variant;

        eldbus_message_iter_arguments_append(report, "{sv}", &entry);
        eldbus_message_iter_basic_append(entry, 's', name);
        variant = eldbus_message_iter_container_new(entry, 'v', type);
        if (type[0] == 'b')
                eldbus_message_iter_basic_append(variant, 'b', EINA_TRUE);
        else
                eldbus_message_iter_basic_append(variant, 's', value);
        eldbus_message_iter_container_close(entry, variant);
        eldbus_message_iter_container_close(report, entry);
}

static Eldbus_Message *present(const Eldbus_Service_Interface *interface, const Eldbus_Message *message)
{
        const char *presentable, *name;
        Eldbus_Message_Iter *arguments, *details, *report;
        Eldbus_Message *reply = eldbus_message_method_return_new(message);

        eldbus_message_arguments_get(message, "osa{sv}a{sv}", &presentable, &name, &arguments, &details);
        printf("present %s\n", text(details, "reason"));
        eldbus_message_iter_arguments_append(eldbus_message_iter_get(reply), "a{sv}", &report);
        append(report, "visible", "b", NULL);
        append(report, "title", "s", text(arguments, "label"));
        eldbus_message_iter_container_close(eldbus_message_iter_get(reply), report);
        return reply;
}

static Eldbus_Message *withdraw(const Eldbus_Service_Interface *interface, const Eldbus_Message *message)
{
        const char *presentable, *reason;
        uint64_t instance;

        eldbus_message_arguments_get(message, "ots", &presentable, &instance, &reason);
        printf("withdrawn %ju %s\n", (uintmax_t)instance, reason);
        return NULL;
}

static Eldbus_Message *alive(const Eldbus_Service_Interface *interface, const Eldbus_Message *message)
{
        puts("alive");
        return eldbus_message_method_return_new(message);
}

static const Eldbus_Method methods[] = {
        {"Present", ELDBUS_ARGS({"o", "presentable"}, {"s", "name"}, {"a{sv}", "arguments"}, {"a{sv}", "details"}),
         ELDBUS_ARGS({"a{sv}", "report"}), present, 0},
        {"Withdraw", ELDBUS_ARGS({"o", "presentable"}, {"t", "instance"}, {"s", "reason"}), NULL, withdraw,
         ELDBUS_METHOD_FLAG_NOREPLY},
        {"Alive", NULL, NULL, alive, 0},
        {NULL, NULL, NULL, NULL, 0}};

static void owned(void *data, const Eldbus_Message *message, Eldbus_Pending *pending)
{
        puts("ready");
}

int main(void)
{
        static const Eldbus_Service_Interface_Desc presenter = {"org.flowbus.Navigation1.Presenter", methods, NULL, NULL, NULL, NULL};

        setvbuf(stdout, NULL, _IOLBF, 0);
        ecore_init();
        eldbus_init();
        Eldbus_Connection *bus = eldbus_connection_get(ELDBUS_CONNECTION_TYPE_SESSION);
        eldbus_service_interface_register(bus, "/org/example/Foreign", &presenter);
        eldbus_name_request(bus, "org.example.Foreign", ELDBUS_NAME_REQUEST_FLAG_DO_NOT_QUEUE, owned, NULL);
        ecore_main_loop_begin();
        return 0;
}
