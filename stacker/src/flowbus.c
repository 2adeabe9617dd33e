// SPDX-License-Identifier: Apache-2.0
// What flowbusd says. GetStack is asked once; then StackChanged has all that is needed.
#include "stacker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define COORDINATOR FLOWBUS ".Coordinator"

static sd_bus *bus;
static const char *own; // Its name of this connection.
static struct arena *memory, *root_memory; // Of the screens, and of the roots that are empty.
static screen_list *screens;
static root_list *roots;
static bool asks_always;
static sd_bus_slot *asking, *root_asking, *following[2];

enum { MOST_OUTPUTS = 16 }; // In one SetOutputs.
static char *outputs[MOST_OUTPUTS + 1];
static struct area output_areas[MOST_OUTPUTS];
static void tell_outputs(void);

struct process {
    char *owner;
    pid_t number;
    bool is_used;
};
static struct process *processes;
static size_t process_count;

// Reads one value of a variant, or skips it.
static int read_value(sd_bus_message *message, const char *wanted, void *value)
{
    const char *contents;
    char type;
    int result = sd_bus_message_peek_type(message, &type, &contents);
    if (result < 0) return result;
    if (strcmp(contents, wanted)) return sd_bus_message_skip(message, "v");
    return sd_bus_message_read(message, "v", wanted, value);
}

static int read_screen(sd_bus_message *message, struct arena *arena, struct screen *screen)
{
    const char *path, *key;
    int result = sd_bus_message_read(message, "ot", &path, &screen->instance);
    if (result < 0) return result;
    screen->path = arena_copy(arena, path);
    screen->owner = screen->style = screen->title = screen->waiting = screen->layer = screen->output = screen->application = "";
    const struct {
        const char *key, **value;
    } texts[] = {{"owner", &screen->owner},     {"style", &screen->style},   {"title", &screen->title},
                 {"waiting", &screen->waiting}, {"layer", &screen->layer},   {"output", &screen->output},
                 {"application", &screen->application}};
    if ((result = sd_bus_message_enter_container(message, 'a', "{sv}")) < 0) return result;
    while ((result = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        const char *text = NULL;
        int visible = 0;
        if ((result = sd_bus_message_read(message, "s", &key)) < 0) return result;
        bool is_visible = !strcmp(key, "visible");
        result = is_visible ? read_value(message, "b", &visible) : read_value(message, "s", &text);
        if (result < 0 || (result = sd_bus_message_exit_container(message)) < 0) return result;
        if (is_visible) screen->is_visible = visible;
        for (size_t at = 0; text && at < sizeof texts / sizeof *texts; at++)
            if (!strcmp(texts[at].key, key)) *texts[at].value = arena_copy(arena, text);
    }
    return result < 0 ? result : sd_bus_message_exit_container(message);
}

static int read_screens(sd_bus_message *message, struct arena *arena, screen_list *list)
{
    int result = sd_bus_message_enter_container(message, 'a', "(ota{sv})");
    while (result >= 0 && (result = sd_bus_message_enter_container(message, 'r', "ota{sv}")) > 0) {
        result = read_screen(message, arena, ADD(arena, list));
        if (result >= 0) result = sd_bus_message_exit_container(message);
    }
    return result < 0 ? result : sd_bus_message_exit_container(message);
}

static void copy_screen(struct arena *arena, screen_list *list, const struct screen *screen)
{
    struct screen *copy = ADD(arena, list);
    *copy = *screen;
    const char **texts[] = {&copy->path, &copy->owner, &copy->style, &copy->title, &copy->waiting, &copy->layer, &copy->output, &copy->application};
    for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) *texts[at] = arena_copy(arena, *texts[at]);
}

static void have(struct arena *arena, screen_list *list)
{
    arena_free(memory);
    memory = arena;
    screens = list;
    changed();
}

static int told(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    asking = sd_bus_slot_unref(asking);
    if (sd_bus_message_is_method_error(answer, NULL)) return 0; // Nothing changes without flowbusd.
    struct arena *arena = arena_new();
    screen_list *list = arena_take(arena, sizeof *list);
    if (read_screens(answer, arena, list) < 0) {
        arena_free(arena);
        return 0;
    }
    have(arena, list);
    return 0;
}

// A call of flowbusd, which does not start it; NULL if there is no memory or no bus.
static sd_bus_message *new_call(const char *path, const char *interface, const char *method)
{
    sd_bus_message *call = NULL;
    if (sd_bus_message_new_method_call(bus, &call, FLOWBUS, path, interface, method) < 0) return NULL;
    sd_bus_message_set_auto_start(call, false);
    return call;
}

static void ask(void)
{
    asking = sd_bus_slot_unref(asking);
    sd_bus_message *call = new_call(ROOT, COORDINATOR, "GetStack");
    if (call && sd_bus_message_append(call, "s", "") >= 0) sd_bus_call_async(bus, &asking, call, told, NULL, 0);
    sd_bus_message_unref(call);
}

static int stack_changed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    const char *output;
    if (sd_bus_message_read(signal, "s", &output) < 0) return 0;
    if (!screens || asking || asks_always) {
        ask(); // Once more, too, if an answer is on its way: it may be older.
        return 0;
    }
    // The screens of this output take the place of those that it had.
    struct arena *arena = arena_new();
    screen_list *list = arena_take(arena, sizeof *list), given = {0};
    if (read_screens(signal, arena, &given) < 0) {
        arena_free(arena);
        return 0;
    }
    bool is_in = false;
    for EACH (struct screen, it, screens) {
        if (strcmp(it->output, output)) copy_screen(arena, list, it);
        else if (!is_in) {
            is_in = true;
            for EACH (struct screen, new, &given) *ADD(arena, list) = *new;
        }
    }
    if (!is_in)
        for EACH (struct screen, new, &given) *ADD(arena, list) = *new;
    have(arena, list);
    return 0;
}

static int owner_changed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    const char *name, *before, *after;
    if (sd_bus_message_read(signal, "sss", &name, &before, &after) < 0 || !*after) return 0;
    ask(); // Nothing is sent because of a restart, so that it is asked.
    tell_outputs();
    return 0;
}

static int bus_gone(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    refuse(EX_UNAVAILABLE, "the bus has ended");
}

// A screen of this program is dark: its output is off as long as it is in front. Whoever uses that output dismisses it.

static int present(sd_bus_message *call, void *data, sd_bus_error *error)
{
    return sd_bus_reply_method_return(call, "a{sv}", 1, "visible", "b", true);
}

static int take(sd_bus_message *call, void *data, sd_bus_error *error)
{
    return sd_bus_reply_method_return(call, NULL);
}

static const sd_bus_vtable presenter[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Present", "osa{sv}a{sv}", "a{sv}", present, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Withdraw", "ots", NULL, take, SD_BUS_VTABLE_UNPRIVILEGED | SD_BUS_VTABLE_METHOD_NO_REPLY),
    SD_BUS_METHOD("Alive", NULL, NULL, take, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

bool flowbus_is_own(const struct screen *screen)
{
    return own && !strcmp(screen->owner, own);
}

sd_bus *flowbus_connect(const char *address, bool is_system)
{
    int result = address ? sd_bus_new(&bus) : is_system ? sd_bus_default_system(&bus) : sd_bus_default_user(&bus);
    if (result >= 0 && address) {
        result = sd_bus_set_address(bus, address);
        if (result >= 0) result = sd_bus_set_bus_client(bus, true);
        if (result >= 0) result = sd_bus_start(bus);
    }
    if (result >= 0) result = sd_bus_attach_event(bus, loop, 0);
    if (result >= 0) result = sd_bus_get_unique_name(bus, &own);
    if (result >= 0) result = sd_bus_add_object_vtable(bus, NULL, PATH, FLOWBUS ".Presenter", presenter, NULL);
    if (result >= 0) result = sd_bus_match_signal(bus, NULL, FLOWBUS, NULL, COORDINATOR, "StackChanged", stack_changed, NULL);
    if (result >= 0)
        result = sd_bus_add_match(bus, NULL,
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" FLOWBUS "'",
            owner_changed, NULL);
    if (result >= 0)
        result = sd_bus_match_signal(bus, NULL, "org.freedesktop.DBus.Local", NULL, "org.freedesktop.DBus.Local", "Disconnected", bus_gone, NULL);
    if (result < 0)
        refuse(EX_UNAVAILABLE, "there is no bus%s%s: %s", address ? " at " : is_system ? " of the system" : " of the session",
            address ? address : "", strerror(-result));
    ask();
    return bus;
}

const screen_list *flowbus_screens(void)
{
    return screens;
}

void flowbus_ask_always(bool always)
{
    asks_always = always;
}

pid_t flowbus_process(const char *owner)
{
    if (!*owner) return 0;
    for (size_t at = 0; at < process_count; at++)
        if (!strcmp(processes[at].owner, owner)) return processes[at].number;
    sd_bus_message *answer = NULL;
    uint32_t number = 0;
    if (sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", NULL,
            &answer, "s", owner) >= 0)
        sd_bus_message_read(answer, "u", &number);
    sd_bus_message_unref(answer);
    if (!number) return 0; // It has gone.
    // Unique names are never given twice; those without a screen make room.
    size_t kept = 0;
    for (size_t at = 0; at < process_count; at++) {
        bool is_used = false;
        if (screens)
            for EACH (struct screen, it, screens) is_used = is_used || !strcmp(it->owner, processes[at].owner);
        if (is_used) processes[kept++] = processes[at];
        else free(processes[at].owner);
    }
    process_count = kept + 1;
    processes = realloc(processes, process_count * sizeof *processes);
    if (!processes) abort();
    processes[kept] = (struct process){.owner = strdup(owner), .number = (pid_t)number};
    return (pid_t)number;
}

// What no stack tells: roots with nothing to show.

// Reads the properties of one interface of a node.
static int read_properties(sd_bus_message *message, struct arena *arena, const char **title, const char **waiting, const char **name,
    const char **output)
{
    const char *key;
    int result = sd_bus_message_enter_container(message, 'a', "{sv}");
    while (result >= 0 && (result = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        const char *text = NULL;
        if ((result = sd_bus_message_read(message, "s", &key)) < 0 || (result = read_value(message, "s", &text)) < 0) break;
        const char **place = !strcmp(key, "Title") ? title : !strcmp(key, "Waiting") ? waiting : !strcmp(key, "Name") ? name
                           : !strcmp(key, "Output") ? output : NULL;
        if (place && text) *place = arena_copy(arena, text);
        result = sd_bus_message_exit_container(message);
    }
    return result < 0 ? result : sd_bus_message_exit_container(message);
}

static int roots_told(sd_bus_message *answer, void *data, sd_bus_error *error)
{
    root_asking = sd_bus_slot_unref(root_asking);
    if (sd_bus_message_is_method_error(answer, NULL)) return 0;
    struct arena *arena = arena_new();
    root_list *list = arena_take(arena, sizeof *list);
    const char *path, *interface;
    int result = sd_bus_message_enter_container(answer, 'a', "{oa{sa{sv}}}");
    while (result >= 0 && (result = sd_bus_message_enter_container(answer, 'e', "oa{sa{sv}}")) > 0) {
        const char *title = "", *waiting = "", *name = "", *output = "";
        bool is_flow = false;
        result = sd_bus_message_read(answer, "o", &path);
        bool is_root = result >= 0 && !strncmp(path, TREE, strlen(TREE)) && !strchr(path + strlen(TREE), '/');
        if (result >= 0) result = sd_bus_message_enter_container(answer, 'a', "{sa{sv}}");
        while (result >= 0 && (result = sd_bus_message_enter_container(answer, 'e', "sa{sv}")) > 0) {
            if ((result = sd_bus_message_read(answer, "s", &interface)) < 0) break;
            is_flow = is_flow || !strcmp(interface, FLOWBUS ".Flow");
            result = is_root ? read_properties(answer, arena, &title, &waiting, &name, &output) : sd_bus_message_skip(answer, "a{sv}");
            if (result >= 0) result = sd_bus_message_exit_container(answer);
        }
        if (result >= 0) result = sd_bus_message_exit_container(answer);
        if (result >= 0) result = sd_bus_message_exit_container(answer);
        if (result >= 0 && is_root && is_flow && *waiting)
            *ADD(arena, list) = (struct empty_root){.output = output, .title = *title ? title : name, .why = waiting};
    }
    arena_free(root_memory);
    root_memory = arena;
    roots = list;
    changed();
    return 0;
}

static void ask_roots(void)
{
    if (root_asking) return;
    sd_bus_message *call = new_call(ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
    if (call) sd_bus_call_async(bus, &root_asking, call, roots_told, NULL, 0);
    sd_bus_message_unref(call);
}

static int root_changed(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    const char *path = sd_bus_message_get_path(signal);
    bool is_removal = !strcmp(sd_bus_message_get_member(signal), "InterfacesRemoved");
    if (is_removal && sd_bus_message_read(signal, "o", &path) < 0) return 0;
    if (path && !strncmp(path, TREE, strlen(TREE)) && !strchr(path + strlen(TREE), '/')) ask_roots();
    return 0;
}

const root_list *flowbus_empty_roots(bool follows)
{
    static const char *const sources[][2] = {
        {"org.freedesktop.DBus.Properties", "PropertiesChanged"}, {"org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"}};
    if (follows && !following[0]) {
        for (int at = 0; at < 2; at++)
            sd_bus_match_signal(bus, &following[at], FLOWBUS, NULL, sources[at][0], sources[at][1], root_changed, NULL);
        ask_roots();
    } else if (!follows && following[0]) {
        for (int at = 0; at < 2; at++) following[at] = sd_bus_slot_unref(following[at]);
        root_asking = sd_bus_slot_unref(root_asking);
        arena_free(root_memory);
        root_memory = NULL;
        roots = NULL;
    }
    return roots;
}

// Has flowbusd take a call without an answer; append gives it arguments.
static void tell(const char *path, const char *interface, const char *method, int (*append)(sd_bus_message *call))
{
    sd_bus_message *call = new_call(path, interface, method);
    if (call && (!append || append(call) >= 0) && sd_bus_message_set_expect_reply(call, false) >= 0) sd_bus_send(bus, call, NULL);
    sd_bus_message_unref(call);
}

static int append_outputs(sd_bus_message *call)
{
    int result = sd_bus_message_append_strv(call, outputs);
    if (result >= 0) result = sd_bus_message_open_container(call, 'a', "{sv}");
    if (result >= 0) result = sd_bus_message_open_container(call, 'e', "sv");
    if (result >= 0) result = sd_bus_message_append(call, "s", "sizes");
    if (result >= 0) result = sd_bus_message_open_container(call, 'v', "a{s(uu)}");
    if (result >= 0) result = sd_bus_message_open_container(call, 'a', "{s(uu)}");
    for (size_t at = 0; outputs[at] && result >= 0; at++)
        if (output_areas[at].width > 0 && output_areas[at].height > 0)
            result = sd_bus_message_append(call, "{s(uu)}", outputs[at], (uint32_t)output_areas[at].width, (uint32_t)output_areas[at].height);
    for (int open = 0; open < 4 && result >= 0; open++) result = sd_bus_message_close_container(call);
    return result;
}

// Says which outputs there are, and how large, where the definition files have the name of this program as their setter: else that is
// refused.
static void tell_outputs(void)
{
    if (outputs[0]) tell(ROOT, COORDINATOR, "SetOutputsWithOptions", append_outputs);
}

void flowbus_outputs(const struct view *view)
{
    size_t count = view->outputs.count < MOST_OUTPUTS ? view->outputs.count : MOST_OUTPUTS, known = 0;
    while (outputs[known]) known++;
    bool has_more = false, is_same = known == count;
    for (size_t at = 0; at < count; at++) {
        const struct output *it = &view->outputs.at[at];
        bool is_known = false;
        for (size_t other = 0; other < known; other++) is_known = is_known || !strcmp(outputs[other], it->name);
        has_more = has_more || !is_known;
        is_same = is_same && !strcmp(outputs[at], it->name) && output_areas[at].width == it->area.width && output_areas[at].height == it->area.height;
    }
    if (is_same) return;
    for (size_t at = 0; at < known; at++) free(outputs[at]);
    for (size_t at = 0; at < count; at++) {
        output_areas[at] = view->outputs.at[at].area;
        if (!(outputs[at] = strdup(view->outputs.at[at].name))) abort();
    }
    outputs[count] = NULL;
    tell_outputs();
    // What waits for a display is called at once; a flowbusd of before S-47 does not know that.
    if (has_more) tell(ROOT, COORDINATOR, "Retry", NULL);
}

// What somebody does at an output that is off is input for the flow, and dismisses what had it off.
void flowbus_wake(uint64_t instance)
{
    char path[64];
    snprintf(path, sizeof path, ROOT "/instance/%llu", (unsigned long long)instance);
    tell(path, FLOWBUS ".Presentable", "Touch", NULL);
    tell(path, FLOWBUS ".Presentable", "Dismiss", NULL);
}
