// gdbus   EmitStep with `none`, by GDBus: the messages of flowbusd, and nothing behind them. It connects to
// DBUS_SESSION_BUS_ADDRESS.
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME "org.flowbus.Navigation1"
#define MAIN "/org/flowbus/Navigation1/tree/main"

static const char xml[] =
    "<node>"
    "<interface name='" NAME ".Stepper'><method name='EmitStep'>"
    "<arg type='s' direction='in'/><arg type='a{sv}' direction='in'/>"
    "<arg type='t' direction='out'/><arg type='s' direction='out'/>"
    "</method></interface>"
    "<interface name='" NAME ".Flow'/>"
    "</node>";

static void on_call(
    GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *member,
    GVariant *arguments, GDBusMethodInvocation *call, void *data) {
    (void)interface, (void)member, (void)data;
    static guint64 serial = 1; // The first navigation is that of flowbusd's start.
    const char *step;
    GVariant *values;
    serial++;
    g_variant_get(arguments, "(&s@a{sv})", &step, &values);
    g_dbus_connection_emit_signal(
        bus, NULL, path, NAME ".Flow", "NavigationOccurred",
        g_variant_new(
            "(ttss@a{sv}a(ssoa{sv})a{sv})", serial, (guint64)0, sender, step, values, NULL, NULL),
        NULL);
    g_variant_unref(values);
    g_dbus_method_invocation_return_value(call, g_variant_new("(ts)", serial, "navigated"));
}

static void on_name(GDBusConnection *bus, const char *name, void *data) {
    (void)bus, (void)name, (void)data;
    puts("ready");
    fflush(stdout);
}

int main(void) {
    static const GDBusInterfaceVTable methods = {.method_call = on_call};
    GError *error = NULL;
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(xml, NULL);
    if (!bus ||
        !g_dbus_connection_register_object(bus, MAIN, node->interfaces[0], &methods, NULL, NULL, &error)) {
        fprintf(stderr, "gdbus: %s\n", error->message);
        return EXIT_FAILURE;
    }
    g_bus_own_name_on_connection(bus, NAME, G_BUS_NAME_OWNER_FLAGS_NONE, on_name, NULL, NULL, NULL);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return EXIT_SUCCESS;
}
