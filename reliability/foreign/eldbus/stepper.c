#include <Ecore.h>
#include <Eldbus.h>
#include <stdint.h>
#include <stdio.h>

static Eldbus_Proxy *trial;

static void again(void);

static void answered(void *last, const Eldbus_Message *reply, Eldbus_Pending *pending)
{
        const char *name, *text, *verdict;
        uint64_t serial;

        if (eldbus_message_error_get(reply, &name, &text))
                printf("%s %s\n", name, text);
        else if (eldbus_message_arguments_get(reply, "ts", &serial, &verdict))
                printf("%ju %s\n", (uintmax_t)serial, verdict);
        if (last)
                again();
}

static void again(void)
{
        puts("ready");
        getchar();
        eldbus_proxy_call(trial, "Emit", answered, NULL, -1, "s", "started");
}

static void basic(Eldbus_Message_Iter *entries, const char *name, const char *type, int value)
{
        Eldbus_Message_Iter *entry, *variant;

        eldbus_message_iter_arguments_append(entries, "{sv}", &entry);
        eldbus_message_iter_basic_append(entry, 's', name);
        variant = eldbus_message_iter_container_new(entry, 'v', type);
        eldbus_message_iter_basic_append(variant, type[0], value);
        eldbus_message_iter_container_close(entry, variant);
        eldbus_message_iter_container_close(entries, entry);
}

static void step(const char *name, int filled, void *last)
{
        Eldbus_Message *call = eldbus_proxy_method_call_new(trial, "EmitStep");
        Eldbus_Message_Iter *message = eldbus_message_iter_get(call), *entries, *entry, *variant, *list, *pair;

        eldbus_message_iter_arguments_append(message, "sa{sv}", name, &entries);
        if (filled) {
                basic(entries, "count", "i", 7);
                basic(entries, "below", "i", -7);
                basic(entries, "factor", "i", 7);
                eldbus_message_iter_arguments_append(entries, "{sv}", &entry);
                eldbus_message_iter_basic_append(entry, 's', "tags");
                variant = eldbus_message_iter_container_new(entry, 'v', "as");
                eldbus_message_iter_arguments_append(variant, "as", &list);
                eldbus_message_iter_basic_append(list, 's', "a");
                eldbus_message_iter_basic_append(list, 's', "b");
                eldbus_message_iter_container_close(variant, list);
                eldbus_message_iter_container_close(entry, variant);
                eldbus_message_iter_container_close(entries, entry);
                eldbus_message_iter_arguments_append(entries, "{sv}", &entry);
                eldbus_message_iter_basic_append(entry, 's', "style");
                variant = eldbus_message_iter_container_new(entry, 'v', "a{ss}");
                eldbus_message_iter_arguments_append(variant, "a{ss}", &list);
                eldbus_message_iter_arguments_append(list, "{ss}", &pair);
                eldbus_message_iter_basic_append(pair, 's', "colour");
                eldbus_message_iter_basic_append(pair, 's', "red");
                eldbus_message_iter_container_close(list, pair);
                eldbus_message_iter_container_close(variant, list);
                eldbus_message_iter_container_close(entry, variant);
                eldbus_message_iter_container_close(entries, entry);
                eldbus_message_iter_arguments_append(entries, "{sv}", &entry);
                eldbus_message_iter_basic_append(entry, 's', "large");
                variant = eldbus_message_iter_container_new(entry, 'v', "t");
                eldbus_message_iter_basic_append(variant, 't', UINT64_C(9223372036854775809));
                eldbus_message_iter_container_close(entry, variant);
                eldbus_message_iter_container_close(entries, entry);
        }
        eldbus_message_iter_container_close(message, entries);
        eldbus_proxy_send(trial, call, answered, last, -1);
}

static void heard(void *data, const Eldbus_Message *signal)
{
        uint64_t serial, cause;
        const char *sender, *step;
        Eldbus_Message_Iter *arguments, *contributors, *details;

        if (eldbus_message_arguments_get(signal, "ttssa{sv}a(ssoa{sv})a{sv}", &serial, &cause, &sender, &step, &arguments,
                                         &contributors, &details))
                printf("heard %s\n", step);
}

int main(void)
{
        setvbuf(stdout, NULL, _IOLBF, 0);
        ecore_init();
        eldbus_init();
        Eldbus_Object *node = eldbus_object_get(eldbus_connection_get(ELDBUS_CONNECTION_TYPE_SESSION), "org.flowbus.Navigation1",
                                                "/org/flowbus/Navigation1/tree/trial");
        trial = eldbus_proxy_get(node, "org.flowbus.Navigation1.Stepper");
        eldbus_proxy_signal_handler_add(eldbus_proxy_get(node, "org.flowbus.Navigation1.Flow"), "NavigationOccurred", heard, NULL);
        step("started", 0, NULL);
        step("filled", 1, NULL);
        step("nope", 0, trial);
        ecore_main_loop_begin();
        return 0;
}
