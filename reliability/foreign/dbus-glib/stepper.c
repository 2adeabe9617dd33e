#include <dbus/dbus-glib.h>
#include <stdio.h>

#define NAME "org.flowbus.Navigation1"
#define VALUES dbus_g_type_get_map("GHashTable", G_TYPE_STRING, G_TYPE_VALUE)

static DBusGProxy *trial;

static GValue *value(GType type)
{
        return g_value_init(g_new0(GValue, 1), type);
}

static void step(const char *method, const char *name, GHashTable *arguments)
{
        guint64 serial;
        char *verdict;
        GError *error = NULL;
        gboolean done = arguments
                ? dbus_g_proxy_call(trial, method, &error, G_TYPE_STRING, name, VALUES, arguments, G_TYPE_INVALID,
                                    G_TYPE_UINT64, &serial, G_TYPE_STRING, &verdict, G_TYPE_INVALID)
                : dbus_g_proxy_call(trial, method, &error, G_TYPE_STRING, name, G_TYPE_INVALID,
                                    G_TYPE_UINT64, &serial, G_TYPE_STRING, &verdict, G_TYPE_INVALID);
        if (done)
                printf("%" G_GUINT64_FORMAT " %s\n", serial, verdict);
        else
                printf("%s %s\n", dbus_g_error_get_name(error), error->message);
}

int main(void)
{
        setvbuf(stdout, NULL, _IOLBF, 0);
        DBusGConnection *bus = dbus_g_bus_get(DBUS_BUS_SESSION, NULL);
        trial = dbus_g_proxy_new_for_name(bus, NAME, "/org/flowbus/Navigation1/tree/trial", NAME ".Stepper");
        GHashTable *arguments = g_hash_table_new(g_str_hash, g_str_equal);
        step("EmitStep", "started", arguments);
        const char *tags[] = {"a", "b", NULL};
        GHashTable *style = g_hash_table_new(g_str_hash, g_str_equal);
        g_hash_table_insert(style, "colour", "red");
        GValue *count = value(G_TYPE_INT), *below = value(G_TYPE_INT), *large = value(G_TYPE_UINT64), *list = value(G_TYPE_STRV),
               *map = value(dbus_g_type_get_map("GHashTable", G_TYPE_STRING, G_TYPE_STRING));
        g_value_set_int(count, 7);
        g_value_set_int(below, -7);
        g_value_set_uint64(large, G_GUINT64_CONSTANT(9223372036854775809));
        g_value_set_static_boxed(list, tags);
        g_value_set_static_boxed(map, style);
        g_hash_table_insert(arguments, "count", count);
        g_hash_table_insert(arguments, "below", below);
        g_hash_table_insert(arguments, "factor", count);
        g_hash_table_insert(arguments, "tags", list);
        g_hash_table_insert(arguments, "style", map);
        g_hash_table_insert(arguments, "large", large);
        step("EmitStep", "filled", arguments);
        g_hash_table_remove_all(arguments);
        step("EmitStep", "nope", arguments);
        puts("ready");
        getchar();
        step("Emit", "started", NULL);
        return 0;
}
