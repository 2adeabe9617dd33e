#include "shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t latest_instance = 1;

static const char *const steps[] = {"begin", "none", "add", "drop", "open", "nest", "done", "up", "checked", "card", "pick",
    "picked", "closed", "loop", "text", "secret", "raise", "away", "wipe", "stale", "add0", "unknown", ""};
static const char *const flows[] = {"main", "sub", "device", "slides", "notice", "remote", "more0", "more1", "nobody"};
static const char *const ids[] = {"r0", "r1", "r2", "r3", "r4", "r5", "main", "root", "1", "a/b", ""};
static const char *const words[] = {"stack", "free", "tabs", "layers", "go", "stay", "int64", "string?", "a{sv}", "s", "aaaaaaaas",
    "bool", PEER, "com.example.Other", "t1", "t2", "t3", "home", "page", "card", "picker", "HDMI-A-1"};
static const char *const trees[] = {"/main", "/main/home", "/main/page", "/main/letter", "/main/sub", "/main/sub/page",
    "/main/sub/sub", "/main/sub/sub/page", "/main/sub/sub/sub", "/main/card", "/main/picker", "/main/home_2", "/device",
    "/device/slides", "/device/slides/home", "/device/slides/page", "/device/notice", "/device/notice/home", "/r0", "/r1", "/r2",
    "/r3", "/r4", "/r5", "/r0/home", "/r1/home", "/r2/page", "/r3/page", "/r4/sub", "/r5/sub/page", "/remote", ""};
// Those that are live most of the time.
static const char *const usual[] = {"/main", "/main", "/main/home", "/device", "/device/slides", "/device/slides/home", "/r0", "/r1",
    "/r2", "/r3"};
static const char *const others[] = {"/", "/org", "/org/flowbus", ROOT, ROOT "/tree/", ROOT "/instance", ROOT "/instance/0",
    ROOT "/instance/18446744073709551616", ROOT "/tree/main/_", ROOT "/tree/1", "/com/example/Flood", ROOT "/errors"};

static const char *word(struct random *random) {
    switch (below(random, 4)) {
    case 0: return CHOOSE(random, steps);
    case 1: return CHOOSE(random, flows);
    case 2: return CHOOSE(random, ids);
    default: return CHOOSE(random, words);
    }
}

static const char *tree_path(struct random *random) {
    static char path[128];
    if (once_in(random, 6))
        snprintf(path, sizeof path, ROOT "/instance/%" PRIu64, latest_instance - below(random, 8));
    else
        snprintf(path, sizeof path, ROOT "/tree%s", once_in(random, 3) ? CHOOSE(random, trees) : CHOOSE(random, usual));
    const size_t last = strlen(path) - 1;
    if (path[last] == '/') path[last] = '\0';
    return path;
}

static const char *any_path(struct random *random) {
    if (!once_in(random, 3)) return tree_path(random);
    const char *path = CHOOSE(random, others);
    return path[strlen(path) - 1] == '/' && path[1] ? ROOT "/tree" : path;
}

static const struct vocabulary vocabulary = {.text = word, .path = any_path};

// Entries of an a{sv}: names with the types that they should have.
struct entry {
    const char *name, *type;
};

static const struct entry step_arguments[] = {{"number", "x"}, {"number", "y"}, {"number", "t"}, {"text", "s"}, {"list", "as"},
    {"map", "a{sv}"}, {"on", "b"}, {"why", "s"}, {"unknown", "v"}};
static const struct entry call_options[] = {{"token", "s"}, {"wait", "b"}, {"id", "s"}, {"goes", "t"}, {"timeout", "t"}, {"root", "o"},
    {"blocks", "b"}, {"output", "s"}, {"flow", "o"}, {"inputTime", "t"}, {"activation-token", "s"}, {"flowArguments", "a{sv}"},
    {"result", "b"}, {"input", "b"}, {"sizes", "a{s(uu)}"}};
static const struct entry registration[] = {{"name", "s"}, {"guard", "b"}, {"children", "s"}, {"initial", "s"}, {"timeout", "t"},
    {"screens", "a{sa{sv}}"}, {"presenter", "o"}, {"whenEmpty", "s"}, {"result", "a{ss}"}, {"arguments", "a{ss}"}};

static void put_entry(struct bytes *bytes, struct random *random, struct entry entry) {
    align(bytes, 8);
    put_string(bytes, once_in(random, 40) ? word(random) : entry.name);
    if (once_in(random, 15)) return put_random(bytes, random, "v", &vocabulary);
    put_signature(bytes, entry.type);
    if (strcmp(entry.name, "name") == 0)
        put_string(bytes, once_in(random, 5) ? word(random) : PEER);
    else
        put_random(bytes, random, entry.type, &vocabulary);
}

static void put_entries(struct bytes *bytes, struct random *random, const struct entry *entries, uint32_t count, uint32_t most) {
    const size_t place = begin_array(bytes, 8);
    for (uint32_t left = below(random, most + 1); left > 0; left--) put_entry(bytes, random, entries[below(random, count)]);
    end_array(bytes, place, 8);
}

#define LENGTH(list) (uint32_t)(sizeof(list) / sizeof *(list))

// A step that is declared, with the arguments that it takes; mostly.
static void put_step(struct bytes *bytes, struct random *random) {
    const char *step = CHOOSE(random, steps);
    put_string(bytes, step);
    if (once_in(random, 8)) return put_entries(bytes, random, step_arguments, LENGTH(step_arguments), 3);
    const size_t place = begin_array(bytes, 8);
    if (strcmp(step, "none") == 0 || strcmp(step, "add") == 0 || strcmp(step, "open") == 0 || strcmp(step, "up") == 0 ||
        strcmp(step, "checked") == 0 || strcmp(step, "picked") == 0)
        put_entry(bytes, random, step_arguments[below(random, 2)]);
    else if (strcmp(step, "text") == 0 || strcmp(step, "secret") == 0) {
        put_entry(bytes, random, step_arguments[3]);
        if (*step == 't' && once_in(random, 2)) put_entry(bytes, random, step_arguments[4 + below(random, 2)]);
    } else if (strcmp(step, "loop") == 0)
        put_entry(bytes, random, step_arguments[6]);
    else if (strcmp(step, "closed") == 0)
        put_entry(bytes, random, step_arguments[7]);
    end_array(bytes, place, 8);
}

static void put_steps(struct bytes *bytes, struct random *random) {
    const size_t place = begin_array(bytes, 8);
    for (uint32_t left = once_in(random, 100) ? below(random, 60) : below(random, 4); left > 0; left--) {
        align(bytes, 8);
        put_step(bytes, random);
    }
    end_array(bytes, place, 8);
}

static void put_segments(struct bytes *bytes, struct random *random) {
    const size_t place = begin_array(bytes, 8);
    for (uint32_t left = below(random, 4); left > 0; left--) {
        align(bytes, 8);
        put_string(bytes, CHOOSE(random, flows));
        put_step(bytes, random);
    }
    end_array(bytes, place, 8);
}

// A new root. With an id, as roots would grow in number, and the cost of Navigate with them, up to the quotas.
static void put_root(struct bytes *bytes, struct random *random) {
    static const char *const roots[][2] = {
        {"main", "main"}, {"main", "main"}, {"device", "device"}, {"device", "device"}, {"sub", "r0"}, {"sub", "r1"}, {"slides", "r2"},
        {"remote", "r3"}, {"notice", "r4"}, {"more0", "r5"}, {"more1", "r5"}};
    const char *const *root = CHOOSE(random, roots);
    put_string(bytes, root[0]);
    if (once_in(random, 4)) {
        put_step(bytes, random);
    } else {
        put_string(bytes, "");
        end_array(bytes, begin_array(bytes, 8), 8);
    }
    const size_t place = begin_array(bytes, 8);
    align(bytes, 8);
    put_string(bytes, "id");
    put_signature(bytes, "s");
    put_string(bytes, once_in(random, 20) ? CHOOSE(random, ids) : root[1]);
    if (once_in(random, 4)) put_entry(bytes, random, CHOOSE(random, call_options));
    end_array(bytes, place, 8);
}

// The steps of a registered flow, with their arguments.
static void put_declarations(struct bytes *bytes, struct random *random) {
    static const char *const names[] = {"begin", "add", "none", "extra", "other"};
    if (once_in(random, 4)) return put_random(bytes, random, "a{sa{ss}}", &vocabulary);
    const size_t place = begin_array(bytes, 8);
    for (uint32_t name = below(random, 3); name < 5; name++) {
        align(bytes, 8);
        put_string(bytes, names[name]);
        const size_t arguments = begin_array(bytes, 8);
        if (name == 1 || name == 2) {
            align(bytes, 8);
            put_string(bytes, "number");
            put_string(bytes, "int64");
        }
        end_array(bytes, arguments, 8);
    }
    end_array(bytes, place, 8);
}

enum place { AT_ROOT, IN_TREE };

// Among the values: S is a step with its arguments, L a list of those, P segments of a path, C a root, O options, A arguments,
// D the name of a flow, T declarations of steps, R options of a registration, W words. Other letters are types.
static const struct shape {
    const char *interface, *member, *values;
    enum place place;
    uint32_t weight;
} shapes[] = {
    {NAME ".Stepper", "EmitStep", "S", IN_TREE, 300},
    {NAME ".Stepper", "EmitStepWithOptions", "SO", IN_TREE, 120},
    {NAME ".Stepper", "EmitSteps", "L", IN_TREE, 30},
    {NAME ".Stepper", "CancelStep", "s", IN_TREE, 10},
    {NAME ".Stepper", "Explain", "S", IN_TREE, 30},
    {NAME ".Stepper", "BackWithOptions", "O", IN_TREE, 20},
    {NAME ".Stepper", "PeekBack", "", IN_TREE, 10},
    {NAME ".Stepper", "GetAcceptedSteps", "", IN_TREE, 10},
    {NAME ".Flow", "Back", "", IN_TREE, 30},
    {NAME ".Flow", "WaitReady", "", IN_TREE, 5},
    {NAME ".Flow", "GetLastNavigation", "", IN_TREE, 10},
    {NAME ".Flow", "SetContext", "A", IN_TREE, 10},
    {NAME ".Presentable", "SetVisible", "b", IN_TREE, 150},
    {NAME ".Presentable", "SetVisibleWithOptions", "bO", IN_TREE, 50},
    {NAME ".Presentable", "Touch", "", IN_TREE, 10},
    {NAME ".Presentable", "SetBackStep", "s", IN_TREE, 10},
    {NAME ".Presentable", "SetTitle", "s", IN_TREE, 20},
    {NAME ".Presentable", "SaveState", "A", IN_TREE, 20},
    {NAME ".Presentable", "Finish", "A", IN_TREE, 20},
    {NAME ".Presentable", "AcknowledgeAnswer", "s", IN_TREE, 10},
    {NAME ".Presentable", "Dismiss", "", IN_TREE, 5},
    {NAME ".Presentable", "DismissWithOptions", "O", IN_TREE, 3},
    {NAME ".Presentable", "Claim", "", IN_TREE, 20},
    {NAME ".Presentable", "Release", "", IN_TREE, 20},
    {NAME ".Coordinator", "Coordinate", "C", AT_ROOT, 100},
    {NAME ".Coordinator", "Navigate", "SO", AT_ROOT, 20},
    {NAME ".Coordinator", "NavigateAlong", "PO", AT_ROOT, 20},
    {NAME ".Coordinator", "RegisterFlow", "DoTR", AT_ROOT, 20},
    {NAME ".Coordinator", "UnregisterFlow", "D", AT_ROOT, 10},
    {NAME ".Coordinator", "MoveRoot", "os", AT_ROOT, 5},
    {NAME ".Coordinator", "SetOutputs", "W", AT_ROOT, 5},
    {NAME ".Coordinator", "SetOutputsWithOptions", "WO", AT_ROOT, 3},
    {NAME ".Coordinator", "GetStack", "s", AT_ROOT, 5},
    {NAME ".Coordinator", "SetContext", "A", AT_ROOT, 10},
    {NAME ".Coordinator", "GetTimings", "", AT_ROOT, 2},
    {NAME ".Coordinator", "GetTimers", "", AT_ROOT, 2},
    {NAME ".Coordinator", "ListOwned", "s", AT_ROOT, 5},
    {NAME ".Coordinator", "HandOver", "s", AT_ROOT, 2},
    {NAME ".Coordinator", "GetDefinitions", "", AT_ROOT, 1},
    {NAME ".Coordinator", "GetDefinitionNames", "", AT_ROOT, 3},
    {NAME ".Coordinator", "GetSteps", "", AT_ROOT, 3},
    {NAME ".Coordinator", "GetSteppers", "", AT_ROOT, 3},
    {NAME ".Coordinator", "GetSerial", "", AT_ROOT, 10},
    {NAME ".History", "GetHistory", "tuO", AT_ROOT, 2},
    {"org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", AT_ROOT, 3},
    {"org.freedesktop.DBus.Properties", "Get", "ss", IN_TREE, 10},
    {"org.freedesktop.DBus.Properties", "GetAll", "s", IN_TREE, 10},
    {"org.freedesktop.DBus.Properties", "Set", "ssv", IN_TREE, 5},
    {"org.freedesktop.DBus.Introspectable", "Introspect", "", IN_TREE, 3},
    {"org.freedesktop.DBus.Peer", "Ping", "", IN_TREE, 3},
    {"org.freedesktop.DBus.Peer", "GetMachineId", "", IN_TREE, 3},
};

static const struct shape *choose_shape(struct random *random) {
    static uint32_t sum;
    if (!sum)
        for (size_t i = 0; i < LENGTH(shapes); i++) sum += shapes[i].weight;
    uint32_t place = below(random, sum);
    const struct shape *shape = shapes;
    while (place >= shape->weight) place -= (shape++)->weight;
    return shape;
}

static const char *signature_of(char value) {
    switch (value) {
    case 'S': return "sa{sv}";
    case 'C': return "ssa{sv}a{sv}";
    case 'L': return "a(sa{sv})";
    case 'P': return "a(ssa{sv})";
    case 'T': return "a{sa{ss}}";
    case 'O': case 'A': case 'R': return "a{sv}";
    case 'D': return "s";
    case 'W': return "as";
    default: return NULL;
    }
}

static void put_shape_value(struct bytes *bytes, struct random *random, char value) {
    const char type[2] = {value, '\0'};
    switch (value) {
    case 'S': return put_step(bytes, random);
    case 'C': return put_root(bytes, random);
    case 'L': return put_steps(bytes, random);
    case 'P': return put_segments(bytes, random);
    case 'O': return put_entries(bytes, random, call_options, LENGTH(call_options), 2);
    case 'A': return put_entries(bytes, random, step_arguments, LENGTH(step_arguments), 2);
    case 'R': return put_entries(bytes, random, registration, LENGTH(registration), 5);
    case 'D': return put_string(bytes, once_in(random, 10) ? word(random) : CHOOSE(random, flows));
    case 'T': return put_declarations(bytes, random);
    case 'W': return put_random(bytes, random, "as", &vocabulary);
    case 'b': return put_bool(bytes, !once_in(random, 8));
    default: return put_random(bytes, random, type, &vocabulary);
    }
}

static uint8_t flags(struct random *random) {
    return (uint8_t)((once_in(random, 30) ? NO_REPLY : 0) | (once_in(random, 10) ? INTERACTIVE : 0) | NO_START);
}

static void put_shape(struct bytes *bytes, struct random *random, struct header *header, const struct shape *shape) {
    char signature[64] = "";
    for (const char *value = shape->values; *value; value++) {
        const char type[2] = {*value, '\0'};
        strcat(signature, signature_of(*value) ? signature_of(*value) : type);
    }
    header->path = shape->place == AT_ROOT ? ROOT : tree_path(random);
    header->interface = once_in(random, 20) ? NULL : shape->interface;
    header->member = shape->member;
    header->signature = signature;
    const size_t body = begin_message(bytes, header);
    for (const char *value = shape->values; *value; value++) put_shape_value(bytes, random, *value);
    end_message(bytes, body);
}

// A known member, or any; with values of any types.
static void put_misfit(struct bytes *bytes, struct random *random, struct header *header, bool is_deep) {
    static const char *const interfaces[] = {"a.b", BUS, NAME, NAME ".Guard", "org.freedesktop.DBus.Properties", NULL};
    static const char *const members[] = {"x", "Hello", "Adapt", "Present", "_9", "PropertiesChanged", "NameOwnerChanged"};
    const struct shape *shape = choose_shape(random);
    char signature[256] = "v";
    if (!is_deep) random_signature(random, signature, 5);
    header->path = any_path(random);
    header->interface = once_in(random, 4) ? CHOOSE(random, interfaces) : shape->interface;
    if (!header->interface && header->type == SIGNAL) header->interface = "a.b"; // The bus would end the connection.
    header->member = once_in(random, 4) ? CHOOSE(random, members) : shape->member;
    header->signature = signature;
    const size_t body = begin_message(bytes, header);
    if (is_deep)
        put_deep(bytes, random, 1 + (int)below(random, 60));
    else
        put_random(bytes, random, signature, &vocabulary);
    end_message(bytes, body);
}

// An answer to a call that perhaps nobody made, an error, or a signal that only others should send.
static void put_stray(struct bytes *bytes, struct random *random, struct header *header) {
    header->type = ANSWER + below(random, 3);
    header->flags = NO_REPLY;
    if (header->type == SIGNAL) {
        put_misfit(bytes, random, header, false);
        return;
    }
    char signature[256];
    random_signature(random, signature, 3);
    header->signature = signature;
    // The numbers of sd-bus begin at 1, those of flowbusd's own messages in the middle.
    header->reply_to = 1 + below(random, 5000) + (once_in(random, 2) ? UINT32_C(1) << 31 : 0);
    if (header->type == ERROR) header->error = once_in(random, 2) ? "a.b" : NAME ".Error.Rejected";
    const size_t body = begin_message(bytes, header);
    put_random(bytes, random, signature, &vocabulary);
    end_message(bytes, body);
}

bool put_message(struct bytes *bytes, struct random *random, uint32_t serial) {
    struct header header = {.type = CALL, .flags = flags(random), .serial = serial, .destination = NAME};
    const uint32_t kind = below(random, 100);
    if (kind < 3)
        put_stray(bytes, random, &header);
    else if (kind < 6)
        put_misfit(bytes, random, &header, true);
    else if (kind < 20)
        put_misfit(bytes, random, &header, false);
    else
        put_shape(bytes, random, &header, choose_shape(random));
    return header.type == CALL && !(header.flags & NO_REPLY);
}

void put_call_with_files(struct bytes *bytes, struct random *random, uint32_t serial, uint32_t files) {
    const struct shape *shape = choose_shape(random);
    const struct header header = {
        .type = CALL, .flags = NO_START, .serial = serial, .destination = NAME, .path = any_path(random),
        .interface = shape->interface, .member = shape->member, .files = files,
        .signature = once_in(random, 2) ? "ah" : "sa{sv}ah"};
    const size_t body = begin_message(bytes, &header);
    if (*header.signature == 's') put_step(bytes, random);
    const size_t place = begin_array(bytes, 4);
    for (uint32_t file = 0; file < files; file++) put_u32(bytes, file);
    end_array(bytes, place, 4);
    end_message(bytes, body);
}

// Answers.

static void put_contributors(struct bytes *bytes, struct random *random) {
    static const char *const kinds[] = {"screen", "screen", "flow", "pop", "end", "current", "none", "clear", "dismiss", "x"};
    static const char *const names[] = {"home", "page", "sub", "root", "none", "notice", ""};
    static const struct entry options[] = {{"arguments", "a{sv}"}, {"id", "s"}, {"reuse", "b"}, {"style", "s"}, {"step", "s"}};
    const size_t place = begin_array(bytes, 8);
    // Mostly all but the oldest go, as a navigator's flow would grow up to the limit.
    if (!once_in(random, 4)) {
        align(bytes, 8);
        put_string(bytes, "pop");
        put_string(bytes, "root");
        end_array(bytes, begin_array(bytes, 8), 8);
    }
    for (uint32_t left = below(random, 3); left > 0; left--) {
        align(bytes, 8);
        put_string(bytes, CHOOSE(random, kinds));
        put_string(bytes, CHOOSE(random, names));
        put_entries(bytes, random, options, LENGTH(options), 2);
    }
    end_array(bytes, place, 8);
}

void put_answer(
    struct bytes *bytes, struct random *random, const struct header *call, const char *caller, uint32_t serial) {
    char signature[256] = "";
    struct header header = {
        .type = ANSWER, .flags = NO_REPLY, .serial = serial, .reply_to = call->serial, .destination = caller, .signature = signature};
    const uint32_t kind = below(random, 40);
    if (kind == 0) return;
    const char *member = call->member ? call->member : "";
    const bool fits = kind > 4;
    if (kind <= 2) {
        header.type = ERROR;
        header.error = kind == 1 ? NAME ".Error.Rejected" : "com.example.Error.Failed";
        strcpy(signature, "s");
    } else if (!fits)
        random_signature(random, signature, 3);
    else if (strcmp(member, "Adapt") == 0)
        strcpy(signature, "sa{sv}");
    else if (strcmp(member, "Navigate") == 0)
        strcpy(signature, "a(ssa{sv})");
    for (uint32_t times = kind == 5 ? 2 : 1; times > 0; times--) {
        const size_t body = begin_message(bytes, &header);
        if (fits && strcmp(member, "Adapt") == 0)
            put_step(bytes, random);
        else if (fits && strcmp(member, "Navigate") == 0)
            put_contributors(bytes, random);
        else
            put_random(bytes, random, signature, &vocabulary);
        end_message(bytes, body);
    }
}

void put_bus_call(struct bytes *bytes, struct random *random, uint32_t serial) {
    static const char *const names[] = {PEER, "com.example.Other", "com.example.A.B", NAME};
    static const char *const rules[] = {
        "type='signal',sender='" NAME "',path_namespace='" ROOT "/tree/main'", "type='signal',member='NameOwnerChanged'"};
    const uint32_t kind = below(random, 6);
    struct header header = {
        .type = CALL, .serial = serial, .destination = BUS, .path = "/org/freedesktop/DBus", .interface = BUS, .signature = "s"};
    if (kind < 2) header.member = "ReleaseName";
    if (kind == 2 || kind == 3) header.member = "RequestName", header.signature = "su";
    if (kind == 4) header.member = "AddMatch";
    if (kind == 5) header.member = "RemoveMatch";
    const size_t body = begin_message(bytes, &header);
    put_string(bytes, kind < 4 ? CHOOSE(random, names) : CHOOSE(random, rules));
    // Never in a queue: who waits for the service's name may have it handed over.
    if (kind == 2 || kind == 3) put_u32(bytes, 4 | below(random, 4));
    end_message(bytes, body);
}
