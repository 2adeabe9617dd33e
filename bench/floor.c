// floor [--objects]   What the bus library alone costs: a service with the wire traffic that flowbusd has with flows.d for
// the calls of load.c, and with nothing behind it. No rules, no checks, no records; of the tree as much as the messages say.
//
// It is written as a service in C on sd-bus is best written: values are appended by type (sd_bus_message_append_basic), not
// by format strings and not by sd_bus_message_copy, which both cost more. bench/compare shows that its messages are those
// of flowbusd. It connects to DBUS_SESSION_BUS_ADDRESS.
//
// --objects  answer GetManagedObjects by hand. sd-bus would ask each property of each object, which costs more; but the
//            filter that this takes sees every message, so that other rows do without.
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define NAME "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define TREE ROOT "/tree"
#define MAIN TREE "/main"
#define GUARDED TREE "/guarded"

enum { NODES = 1024, STEPS = 1024 };

// A step with its argument, if it has one.
struct step {
    const char *name;
    bool has_number;
    int64_t number;
};

struct node {
    char path[64];
    uint64_t instance;
    int64_t number;
};

// The children of main that steps have made; the counters as flowbusd has them after its start.
static struct node pages[NODES], flows[NODES];
static int page_count, flow_count;
static uint64_t serial = 1, instance = 2;
static int home_shows;

// The calls that wait for the guard; the first one is what it is asked about.
static struct {
    sd_bus_message *call;
    struct step step; // Its texts are in the call.
} waiting[STEPS];
static int first_waiting, waiting_count;

// Appending. The first failure ends the program: there is no memory.

static int check(int result) {
    if (result < 0) {
        fprintf(stderr, "floor: %s\n", strerror(-result));
        exit(EXIT_FAILURE);
    }
    return result;
}

static void open_container(sd_bus_message *m, char type, const char *contents) {
    check(sd_bus_message_open_container(m, type, contents));
}

static void close_container(sd_bus_message *m) { check(sd_bus_message_close_container(m)); }

static void append(sd_bus_message *m, char type, const void *value) {
    check(sd_bus_message_append_basic(m, type, value));
}

static void append_empty(sd_bus_message *m, const char *contents) {
    open_container(m, 'a', contents);
    close_container(m);
}

static void append_entry(sd_bus_message *m, const char *key, char type, const void *value) {
    const char contents[2] = {type, '\0'};
    open_container(m, 'e', "sv");
    append(m, 's', key);
    open_container(m, 'v', contents);
    append(m, type, value);
    close_container(m);
    close_container(m);
}

static void append_arguments(sd_bus_message *m, const int64_t *number) {
    open_container(m, 'a', "{sv}");
    if (number) append_entry(m, "number", 'x', number);
    close_container(m);
}

static void append_arguments_entry(sd_bus_message *m, const char *key, const int64_t *number) {
    open_container(m, 'e', "sv");
    append(m, 's', key);
    open_container(m, 'v', "a{sv}");
    append_arguments(m, number);
    close_container(m);
    close_container(m);
}

static sd_bus_message *new_signal(sd_bus *bus, const char *path, const char *interface, const char *member) {
    sd_bus_message *signal;
    check(sd_bus_message_new_signal(bus, &signal, path, interface, member));
    return signal;
}

static sd_bus_message *new_answer(sd_bus_message *call) {
    sd_bus_message *answer;
    check(sd_bus_message_new_method_return(call, &answer));
    return answer;
}

static void send(sd_bus_message *m) {
    check(sd_bus_send(NULL, m, NULL));
    sd_bus_message_unref(m);
}

// Reads the arguments of a step.
static void read_arguments(sd_bus_message *m, struct step *step) {
    const char *name, *contents;
    check(sd_bus_message_enter_container(m, 'a', "{sv}"));
    while (check(sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
        check(sd_bus_message_read_basic(m, 's', &name));
        check(sd_bus_message_peek_type(m, NULL, &contents));
        check(sd_bus_message_enter_container(m, 'v', contents));
        check(sd_bus_message_read_basic(m, 'x', &step->number));
        check(sd_bus_message_exit_container(m));
        check(sd_bus_message_exit_container(m));
        step->has_number = true;
    }
    check(sd_bus_message_exit_container(m));
}

static struct step read_step(sd_bus_message *m) {
    struct step step = {0};
    check(sd_bus_message_read_basic(m, 's', &step.name));
    read_arguments(m, &step);
    return step;
}

// Objects.

// As in flowbusd's messages, a flow is without InSight.
static void append_interfaces(sd_bus_message *m, const struct node *node, bool is_flow, bool is_root, const char *name) {
    const int shows = is_flow, yes = true;
    open_container(m, 'a', "{sa{sv}}");
    const char *const empty[] = {
        "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties",
        NAME ".Stepper"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        open_container(m, 'e', "sa{sv}");
        append(m, 's', empty[i]);
        append_empty(m, "{sv}");
        close_container(m);
    }
    open_container(m, 'e', "sa{sv}");
    append(m, 's', NAME ".Presentable");
    open_container(m, 'a', "{sv}");
    append_entry(m, "Name", 's', name);
    append_entry(m, "Style", 's', "");
    append_entry(m, "ParentFlow", 'o', is_root ? "/" : MAIN);
    append_entry(m, "Instance", 't', &node->instance);
    append_arguments_entry(m, "Arguments", node->number < 0 ? NULL : &node->number);
    append_entry(m, "Visible", 'b', &shows);
    append_entry(m, "Presented", 'b', &shows);
    if (!is_flow) append_entry(m, "InSight", 'b', &yes);
    append_entry(m, "Presenter", 's', "");
    append_entry(m, "Owner", 's', "");
    append_entry(m, "Title", 's', "");
    append_entry(m, "Waiting", 's', "");
    close_container(m);
    close_container(m);
    if (is_flow) {
        open_container(m, 'e', "sa{sv}");
        append(m, 's', NAME ".Flow");
        open_container(m, 'a', "{sv}");
        append_entry(m, "Definition", 's', name);
        append_entry(m, "Ready", 'b', &yes);
        append_entry(m, "Current", 'o', "/");
        append_entry(m, "Output", 's', "");
        append_arguments_entry(m, "Context", NULL);
        close_container(m);
        close_container(m);
    }
    close_container(m);
}

static struct node *add(sd_bus *bus, struct node *nodes, int *count, const char *name, bool is_flow, int64_t number) {
    if (*count == NODES) check(-ENOBUFS);
    struct node *node = &nodes[(*count)++];
    if (*count == 1)
        snprintf(node->path, sizeof node->path, MAIN "/%s", name);
    else
        snprintf(node->path, sizeof node->path, MAIN "/%s_%d", name, *count);
    node->instance = ++instance;
    node->number = number;
    sd_bus_message *m = new_signal(bus, ROOT, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded");
    append(m, 'o', node->path);
    append_interfaces(m, node, is_flow, false, name);
    send(m);
    return node;
}

static void removed(sd_bus *bus, const char *path, bool is_flow) {
    sd_bus_message *m = new_signal(bus, ROOT, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved");
    append(m, 'o', path);
    open_container(m, 'a', "s");
    append(m, 's', "org.freedesktop.DBus.Peer");
    append(m, 's', "org.freedesktop.DBus.Introspectable");
    append(m, 's', "org.freedesktop.DBus.Properties");
    append(m, 's', NAME ".Stepper");
    append(m, 's', NAME ".Presentable");
    if (is_flow) append(m, 's', NAME ".Flow");
    close_container(m);
    send(m);
}

static void remove_pages(sd_bus *bus) {
    while (page_count > 0) removed(bus, pages[--page_count].path, false);
}

// The screens in sight, as flowbusd reports them at the end of a call.

enum { REPORTED = 64 };

static void append_stacked(sd_bus_message *m, const char *path, uint64_t its_instance, int shows) {
    open_container(m, 'r', "ota{sv}");
    append(m, 'o', path);
    append(m, 't', &its_instance);
    open_container(m, 'a', "{sv}");
    append_entry(m, "visible", 'b', &shows);
    close_container(m);
    close_container(m);
}

static void stack_changed(sd_bus *bus) {
    sd_bus_message *m = new_signal(bus, ROOT, NAME ".Coordinator", "StackChanged");
    append(m, 's', "");
    open_container(m, 'a', "(ota{sv})");
    if (page_count < REPORTED) append_stacked(m, MAIN "/home", 2, home_shows);
    for (int i = page_count < REPORTED ? 0 : page_count - REPORTED; i < page_count; i++)
        append_stacked(m, pages[i].path, pages[i].instance, false);
    close_container(m);
    send(m);
}

// Navigations.

static sd_bus_message *begin_navigation(
    sd_bus *bus, const char *flow, uint64_t cause, const char *sender, const struct step *step) {
    sd_bus_message *m = new_signal(bus, flow, NAME ".Flow", "NavigationOccurred");
    serial++;
    append(m, 't', &serial);
    append(m, 't', &cause);
    append(m, 's', sender);
    append(m, 's', step->name);
    append_arguments(m, step->has_number ? &step->number : NULL);
    open_container(m, 'a', "(ssoa{sv})");
    return m;
}

static void append_contributor(
    sd_bus_message *m, const char *kind, const char *name, const char *path, const int64_t *number) {
    open_container(m, 'r', "ssoa{sv}");
    append(m, 's', kind);
    append(m, 's', name);
    append(m, 'o', path);
    open_container(m, 'a', "{sv}");
    if (number) append_arguments_entry(m, "arguments", number);
    close_container(m);
    close_container(m);
}

static void end_navigation(sd_bus_message *m, bool is_deep_link) {
    const int yes = true;
    close_container(m);
    open_container(m, 'a', "{sv}");
    if (is_deep_link) append_entry(m, "deepLink", 'b', &yes);
    close_container(m);
    send(m);
}

// Returns the serial that the call gets.
static uint64_t take(sd_bus *bus, const char *flow, const char *sender, const struct step *step) {
    sd_bus_message *m;
    bool is_other_stack = false;
    if (strcmp(step->name, "none") == 0) {
        m = begin_navigation(bus, flow, 0, sender, step);
    } else if (strcmp(step->name, "add") == 0) {
        const struct node *page = add(bus, pages, &page_count, "page", false, step->number);
        m = begin_navigation(bus, flow, 0, sender, step);
        append_contributor(m, "screen", "page", page->path, &step->number);
        is_other_stack = true;
    } else if (strcmp(step->name, "drop") == 0) {
        remove_pages(bus);
        m = begin_navigation(bus, flow, 0, sender, step);
        append_contributor(m, "pop", "home", MAIN "/home", NULL);
        is_other_stack = true;
    } else if (strcmp(step->name, "screen") == 0) {
        remove_pages(bus);
        const struct node *page = add(bus, pages, &page_count, "page", false, step->number);
        m = begin_navigation(bus, flow, 0, sender, step);
        append_contributor(m, "pop", "home", MAIN "/home", NULL);
        append_contributor(m, "screen", "page", page->path, &step->number);
        is_other_stack = true;
    } else if (strcmp(step->name, "open") == 0) {
        const struct node *sub = add(bus, flows, &flow_count, "sub", true, -1);
        m = begin_navigation(bus, flow, 0, sender, step);
        append_contributor(m, "flow", "sub", sub->path, NULL);
    } else if (strcmp(step->name, "done") == 0) {
        m = begin_navigation(bus, flow, 0, sender, step);
        append_contributor(m, "end", "", "/", NULL);
        end_navigation(m, false);
        removed(bus, flow, true);
        flow_count--;
        return serial;
    } else if (strcmp(step->name, "up") == 0) {
        m = begin_navigation(bus, flow, 0, sender, step);
        append_contributor(m, "parent", "up", MAIN, &step->number);
        end_navigation(m, false);
        const uint64_t taken = serial;
        end_navigation(begin_navigation(bus, MAIN, taken, sender, step), false);
        return taken;
    } else {
        check(-EINVAL);
        return 0;
    }
    end_navigation(m, false);
    if (is_other_stack) stack_changed(bus);
    return serial;
}

static void answer_outcome(sd_bus_message *call, uint64_t number) {
    sd_bus_message *m = new_answer(call);
    append(m, 't', &number);
    append(m, 's', "navigated");
    send(m);
}

static void append_outcome(sd_bus_message *m) {
    append(m, 't', &serial);
    append(m, 's', "navigated");
    append(m, 's', "");
    append(m, 's', "");
}

// The guard is asked about one step at a time: the next one depends on where the first leads.

static int on_adapted(sd_bus_message *answer, void *data, sd_bus_error *error);

static void ask_guard(void) {
    sd_bus_message *call = waiting[first_waiting].call;
    const struct step step = waiting[first_waiting].step;
    sd_bus *bus = sd_bus_message_get_bus(call);
    const uint64_t guarded = 3, cause = 0;
    const int no = false;
    sd_bus_message *m;
    check(sd_bus_message_new_method_call(
        bus, &m, "org.flowbus.Bench", "/org/flowbus/Bench", NAME ".Guard", "Adapt"));
    append(m, 'o', sd_bus_message_get_path(call));
    append(m, 's', step.name);
    append_arguments(m, step.has_number ? &step.number : NULL);
    open_container(m, 'a', "{sv}");
    append_entry(m, "sender", 's', sd_bus_message_get_sender(call));
    append_entry(m, "presentable", 'o', sd_bus_message_get_path(call));
    append_entry(m, "instance", 't', &guarded);
    append_entry(m, "cause", 't', &cause);
    append_entry(m, "interactive", 'b', &no);
    close_container(m);
    check(sd_bus_call_async(bus, NULL, m, on_adapted, NULL, UINT64_C(600000000)));
    sd_bus_message_unref(m);
}

static int on_adapted(sd_bus_message *answer, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    if (sd_bus_message_is_method_error(answer, NULL)) check(-EPROTO);
    sd_bus_message *call = waiting[first_waiting].call;
    first_waiting = (first_waiting + 1) % STEPS;
    waiting_count--;
    const struct step step = read_step(answer);
    end_navigation(
        begin_navigation(
            sd_bus_message_get_bus(call), sd_bus_message_get_path(call), 0, sd_bus_message_get_sender(call), &step),
        false);
    answer_outcome(call, serial);
    sd_bus_message_unref(call);
    if (waiting_count > 0) ask_guard();
    return 1;
}

static void wait_for_guard(sd_bus_message *call, const struct step *step) {
    if (waiting_count == STEPS) check(-ENOBUFS);
    const int place = (first_waiting + waiting_count++) % STEPS;
    waiting[place].call = sd_bus_message_ref(call);
    waiting[place].step = *step;
    if (waiting_count == 1) ask_guard();
}

// Calls.

static int on_emit_step(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const struct step step = read_step(call);
    if (strcmp(step.name, "checked") == 0)
        wait_for_guard(call, &step);
    else
        answer_outcome(
            call, take(sd_bus_message_get_bus(call), sd_bus_message_get_path(call), sd_bus_message_get_sender(call), &step));
    return 1;
}

static int on_emit_steps(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    sd_bus_message *m = new_answer(call);
    check(sd_bus_message_enter_container(call, 'a', "(sa{sv})"));
    open_container(m, 'a', "(tsss)");
    while (check(sd_bus_message_enter_container(call, 'r', "sa{sv}")) > 0) {
        const struct step step = read_step(call);
        check(sd_bus_message_exit_container(call));
        take(sd_bus_message_get_bus(call), sd_bus_message_get_path(call), sd_bus_message_get_sender(call), &step);
        open_container(m, 'r', "tsss");
        append_outcome(m);
        close_container(m);
    }
    close_container(m);
    send(m);
    return 1;
}

static int on_set_visible(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    int visible;
    check(sd_bus_message_read_basic(call, 'b', &visible));
    sd_bus_message *m = new_signal(
        sd_bus_message_get_bus(call), sd_bus_message_get_path(call), "org.freedesktop.DBus.Properties",
        "PropertiesChanged");
    append(m, 's', NAME ".Presentable");
    open_container(m, 'a', "{sv}");
    append_entry(m, "Visible", 'b', &visible);
    append_entry(m, "Presented", 'b', &visible);
    close_container(m);
    append_empty(m, "s");
    send(m);
    home_shows = visible;
    stack_changed(sd_bus_message_get_bus(call));
    send(new_answer(call));
    return 1;
}

static int on_navigate(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const struct step step = read_step(call);
    sd_bus_message *m = new_answer(call);
    open_container(m, 'a', "(otsss)");
    for (int i = -1; i < flow_count; i++) {
        const char *flow = i < 0 ? MAIN : flows[i].path;
        end_navigation(
            begin_navigation(sd_bus_message_get_bus(call), flow, 0, sd_bus_message_get_sender(call), &step), true);
        open_container(m, 'r', "otsss");
        append(m, 'o', flow);
        append_outcome(m);
        close_container(m);
    }
    close_container(m);
    send(m);
    return 1;
}

// What it makes has no part in what is measured.
static int on_coordinate(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    sd_bus_message *m = new_answer(call);
    append(m, 'o', GUARDED);
    send(m);
    return 1;
}

static int on_message(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    static const struct node root = {.instance = 1, .number = -1}, home = {.instance = 2, .number = -1};
    if (check(sd_bus_message_is_method_call(call, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")) == 0)
        return 0;
    sd_bus_message *m = new_answer(call);
    open_container(m, 'a', "{oa{sa{sv}}}");
    for (int i = -2; i < page_count; i++) {
        open_container(m, 'e', "oa{sa{sv}}");
        append(m, 'o', i == -2 ? MAIN : i == -1 ? MAIN "/home" : pages[i].path);
        append_interfaces(
            m, i == -2 ? &root : i == -1 ? &home : &pages[i], i == -2, i == -2,
            i == -2   ? "main"
            : i == -1 ? "home"
                      : "page");
        close_container(m);
    }
    close_container(m);
    send(m);
    return 1;
}

// The tables as flowbusd has them, as far as these calls go: lookups by path, and an object manager above.

static int find(sd_bus *bus, const char *path, const char *interface, void *data, void **found, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)error;
    *found = data;
    return 1;
}

static const sd_bus_vtable coordinator_methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Coordinate", "ssa{sv}a{sv}", "o", on_coordinate, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Navigate", "sa{sv}a{sv}", "a(otsss)", on_navigate, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable stepper_methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("EmitStep", "sa{sv}", "ts", on_emit_step, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("EmitSteps", "a(sa{sv})", "a(tsss)", on_emit_steps, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable presentable_methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("SetVisible", "b", "", on_set_visible, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable flow_signals[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_SIGNAL("NavigationOccurred", "ttssa{sv}a(ssoa{sv})a{sv}", 0),
    SD_BUS_VTABLE_END,
};

int main(int argc, char **argv) {
    static char anything;
    sd_event *event;
    sd_bus *bus;
    check(sd_event_default(&event));
    check(sd_bus_open_user(&bus));
    check(sd_bus_add_object_manager(bus, NULL, ROOT));
    check(sd_bus_add_object_vtable(bus, NULL, ROOT, NAME ".Coordinator", coordinator_methods, &anything));
    check(sd_bus_add_fallback_vtable(bus, NULL, TREE, NAME ".Stepper", stepper_methods, find, &anything));
    check(sd_bus_add_fallback_vtable(bus, NULL, TREE, NAME ".Presentable", presentable_methods, find, &anything));
    check(sd_bus_add_fallback_vtable(bus, NULL, TREE, NAME ".Flow", flow_signals, find, &anything));
    if (argc > 1 && strcmp(argv[1], "--objects") == 0) check(sd_bus_add_filter(bus, NULL, on_message, NULL));
    check(sd_bus_request_name(bus, NAME, 0));
    check(sd_bus_attach_event(bus, event, 0));
    puts("ready");
    fflush(stdout);
    return check(sd_event_loop(event));
}
