// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <mosquitto.h>
#include <unistd.h>

#include "toml.h"

#define fault(config, where, ...) tell_fault(config, where, text(__VA_ARGS__))

static void tell_fault(Config *config, const char *where, char *why) {
    // A key that is missing has the line of its table.
    FREE char *key = copy(where);
    json_t *line;
    while (!(line = json_object_get(config->lines, key)) && strchr(key, '.')) *strrchr(key, '.') = '\0';
    FREE char *at = line ? text(":%lld", json_integer_value(line)) : copy("");
    fprintf(stderr, "flowbus-mqtt: %s%s: error: '%s' %s\n", config->file, at, where, why);
    free(why);
    config->faults++;
}

/// The same for a key of this table.
#define FAULT_OF(config, table, key, ...) \
    do { \
        FREE char *below = text("%s.%s", table, key); \
        fault(config, below, __VA_ARGS__); \
    } while (0)

static json_t *at(json_t *table, const char *path) {
    FREE char *keys = copy(path);
    char *rest = keys;
    for (char *key; table && (key = strsep(&rest, "."));) table = json_object_get(table, key);
    return table;
}

/// Refuses keys that the table does not have: `keys` are separated by spaces.
static bool has_only(Config *config, json_t *table, const char *where, const char *keys) {
    if (!json_is_object(table)) {
        fault(config, where, "is no table; it has the keys %s", keys);
        return false;
    }
    const char *key;
    json_t *value;
    json_object_foreach(table, key, value) {
        FREE char *path = text("%s%s%s", where, *where ? "." : "", key);
        if (!has_word(keys, key)) fault(config, path, "is not known; the keys here are %s", keys);
    }
    return true;
}

static const char *string(Config *config, const char *path, const char *other, const char *what) {
    json_t *value = at(config->root, path);
    if (!value) return other;
    if (json_is_string(value) && json_string_length(value)) return json_string_value(value);
    FREE char *dump = shown(value);
    fault(config, path, "is %s; it has to be %s", dump, what);
    return other;
}

static int number(Config *config, const char *path, int other, int least, int most) {
    json_t *value = at(config->root, path);
    if (!value) return other;
    if (json_is_integer(value) && json_integer_value(value) >= least && json_integer_value(value) <= most)
        return (int)json_integer_value(value);
    FREE char *dump = shown(value);
    fault(config, path, "is %s; it has to be a number from %d to %d", dump, least, most);
    return other;
}

/// A span as in definition files: "500ms", "10s", "2min", "1h".
static uint64_t span(Config *config, const char *path, json_t *value, uint64_t other) {
    if (!value) return other;
    static const struct {
        const char *unit;
        uint64_t size;
    } units[] = {{"ms", 1000}, {"s", 1000000}, {"min", 60000000}, {"h", 3600000000}};
    const char *spelled = json_is_string(value) ? json_string_value(value) : "";
    char *unit;
    errno = 0;
    unsigned long count = isdigit((unsigned char)*spelled) ? strtoul(spelled, &unit, 10) : ULONG_MAX;
    for (size_t i = 0; count <= 100000 && i < sizeof units / sizeof *units; i++) {
        if (!strcmp(unit, units[i].unit)) return count * units[i].size;
    }
    FREE char *dump = shown(value);
    fault(config, path, "is %s; it has to be a span, such as \"500ms\", \"10s\", \"2min\" or \"1h\"", dump);
    return other;
}

static bool is_word(const char *word, const char *more) {
    size_t length = strlen(word);
    if (!length || length > 64) return false;
    for (; *word; word++) {
        if (!isalnum((unsigned char)*word) && !strchr(more, *word)) return false;
    }
    return true;
}

/// A list of texts, each of which is fine; NULL if there is none.
static json_t *list(Config *config, const char *path, json_t *value, const char *what, bool (*fits)(const char *)) {
    if (!value) return NULL;
    if (!json_is_array(value)) {
        fault(config, path, "is no list of %s", what);
        return NULL;
    }
    size_t index;
    json_t *item;
    json_array_foreach(value, index, item) {
        if (json_is_string(item) && fits(json_string_value(item))) continue;
        FREE char *dump = shown(item);
        fault(config, path, "has %s, which is none of %s", dump, what);
        return NULL;
    }
    return value;
}

static bool fits_name(const char *name) { return !strcmp(name, "*") || is_word(name, "_.-"); }
static bool fits_filter(const char *filter) { return mosquitto_sub_topic_check(filter) == MOSQ_ERR_SUCCESS && strlen(filter) <= 1024; }

/// What is published of screens or steps: a list of them, and lists of arguments by their names.
static json_t *published_of(Config *config, json_t *publish, const char *name, const char *keys, const char *what) {
    FREE char *path = text("publish.%s", name), *of = text("%s.%s", path, what), *by = text("%s.arguments", path);
    json_t *table = at(publish, name), *arguments = at(config->root, by), *value;
    if (!table || !has_only(config, table, path, keys)) return NULL;
    if (!list(config, of, at(table, what), "names, or \"*\"", fits_name))
        fault(config, of, "has to be a list: the %s that others may see, or [\"*\"]", what);
    if (arguments && !json_is_object(arguments)) fault(config, by, "is no table of lists of arguments, such as { receipt = [\"total\"] }");
    const char *key;
    json_object_foreach(arguments, key, value) {
        FREE char *below = text("%s.%s", by, key);
        list(config, below, value, "names of arguments", fits_name);
    }
    return table;
}

/// A file, relative to the credentials that systemd gives, or else to the folder of this file.
static char *file_of(Config *config, const char *path) {
    const char *name = string(config, path, NULL, "the name of a file");
    if (!name) return NULL;
    const char *credentials = getenv("CREDENTIALS_DIRECTORY");
    char *full = NULL;
    if (*name != '/' && credentials) {
        full = text("%s/%s", credentials, name);
        if (access(full, R_OK) == 0) return full;
        free(full);
    }
    const char *slash = strrchr(config->file, '/');
    full = *name == '/' || !slash ? copy(name) : text("%.*s%s", (int)(slash - config->file) + 1, config->file, name);
    if (access(full, R_OK) < 0) fault(config, path, "names the file '%s', which can't be read: %s", full, strerror(errno));
    return full;
}

static char *password_of(Config *config) {
    FREE char *name = file_of(config, "broker.password_file");
    FILE *file = name ? fopen(name, "re") : NULL;
    if (!file) return NULL;
    char line[1024] = "";
    if (!fgets(line, sizeof line, file)) line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    return copy(line);
}

static void read_broker(Config *config) {
    json_t *broker = at(config->root, "broker");
    if (!broker) return fault(config, "broker", "is missing; [broker] says where to connect: host = \"broker.example\"");
    const char *keys = "host port protocol user password_file client_id prefix tls keepalive spread longest_pause responses kept";
    if (!has_only(config, broker, "broker", keys)) return;
    config->tls = at(broker, "tls");
    if (config->tls) has_only(config, config->tls, "broker.tls", "ca certificate key");
    config->host = string(config, "broker.host", NULL, "a host name or an address");
    if (!config->host && !config->faults) fault(config, "broker.host", "is missing; it is a host name or an address");
    config->port = number(config, "broker.port", config->tls ? 8883 : 1883, 1, 65535);
    const char *protocol = string(config, "broker.protocol", "auto", "\"auto\", \"5\" or \"3.1.1\"");
    config->protocol = !strcmp(protocol, "5") ? 5 : !strcmp(protocol, "3.1.1") ? 4 : 0;
    if (!config->protocol && strcmp(protocol, "auto"))
        fault(config, "broker.protocol", "is \"%s\"; it has to be \"auto\", \"5\" or \"3.1.1\"", protocol);
    config->user = string(config, "broker.user", NULL, "the name of a user of the broker");
    config->password = password_of(config);
    if (config->password && !config->user) fault(config, "broker.user", "is missing; the password is that of a user");
    const char *client = string(config, "broker.client_id", NULL, "a client identifier");
    config->client_id = client ? copy(client) : text("flowbus-%s", config->device);
    config->ca = file_of(config, "broker.tls.ca");
    config->certificate = file_of(config, "broker.tls.certificate");
    config->key = file_of(config, "broker.tls.key");
    if (!config->certificate != !config->key)
        fault(config, "broker.tls", "has only one of 'certificate' and 'key'; it needs both or none");
    config->keepalive = number(config, "broker.keepalive", 30, 5, 3600);
    config->kept = number(config, "broker.kept", 1000, 1, 100000);
    config->spread = span(config, "broker.spread", at(broker, "spread"), 15000000);
    config->longest_pause = span(config, "broker.longest_pause", at(broker, "longest_pause"), 120000000);
    config->responses =
        list(config, "broker.responses", at(broker, "responses"), "topic filters, such as \"flowbus/reply/#\"", fits_filter);
}

static void read_publish(Config *config) {
    json_t *publish = at(config->root, "publish");
    if (!publish || !has_only(config, publish, "publish", "tree context navigation problems")) return;
    config->tree = published_of(config, publish, "tree", "screens titles arguments", "screens");
    list(config, "publish.tree.titles", at(config->root, "publish.tree.titles"), "names of screens, or \"*\"", fits_name);
    config->navigation = published_of(config, publish, "navigation", "steps arguments", "steps");
    config->context = list(config, "publish.context", at(publish, "context"), "names of values of the context", fits_name);
    config->problems = at(publish, "problems");
    if (config->problems && has_only(config, config->problems, "publish.problems", "texts")) {
        json_t *texts = at(config->problems, "texts");
        if (texts && !json_is_boolean(texts))
            fault(config, "publish.problems.texts", "has to be true or false: whether error messages of programs leave, too");
    }
}

/// An argument is "int64", "string?" or { type = "string?", among = ["a", "b"] }. All become the latter, with "signature".
static void read_argument(Config *config, const char *path, json_t *arguments, const char *name, json_t *value) {
    json_t *type = json_is_object(value) ? json_object_get(value, "type") : value, *among = NULL;
    if (json_is_object(value)) {
        has_only(config, value, path, "type among");
        among = json_object_get(value, "among");
    }
    FREE char *word = copy(json_is_string(type) ? json_string_value(type) : "");
    bool optional = *word && word[strlen(word) - 1] == '?';
    if (optional) word[strlen(word) - 1] = '\0';
    const char *signature = signature_of(word);
    if (!signature) {
        FREE char *dump = type ? shown(type) : copy("missing");
        return fault(
            config, path, "has the type %s; it has to be bool, byte, int16 … uint64, double, string, path, ab, ax, ad or as", dump);
    }
    size_t index;
    json_t *item;
    if (among && !json_is_array(among)) fault(config, path, "has 'among', which is no list of values");
    json_array_foreach(among, index, item) {
        FREE char *why = fault_of(signature, item);
        if (why) fault(config, path, "has a value among its values that does not fit: %s", why);
    }
    json_t *rule = json_pack("{s:s, s:b}", "signature", signature, "optional", optional);
    if (among) json_object_set(rule, "among", among);
    json_object_set_new(arguments, name, rule);
}

static void read_steps(Config *config) {
    config->steps = json_object();
    const char *name;
    json_t *step;
    json_object_foreach(at(config->root, "steps"), name, step) {
        FREE char *path = text("steps.%s", name);
        if (!is_word(name, "_.-")) fault(config, path, "is no name: letters, digits, '_', '.' and '-', at most 64");
        if (!has_only(config, step, path, "on step from arguments")) continue;
        FREE char *from_path = text("%s.from", path);
        const char *on = json_string_value(json_object_get(step, "on"));
        FREE char *object = text("/org/flowbus/Navigation1/tree/%s", on ? on : "");
        if (!on || !sd_bus_object_path_is_valid(object))
            FAULT_OF(config, path, "on", "has to be the path of a flow or screen below tree, such as \"main\" or \"main/shop\"");
        json_t *spelled = json_object_get(step, "step");
        if (spelled && !json_is_string(spelled)) FAULT_OF(config, path, "step", "has to be the name of a step");
        json_t *from = json_object_get(step, "from");
        if (from) list(config, from_path, from, "topic filters", fits_filter);
        FREE char *own = text("%s/step/%s", config->base, name);
        json_t *arguments = json_object(), *given = json_object_get(step, "arguments"), *value;
        if (given && !json_is_object(given)) FAULT_OF(config, path, "arguments", "is no table, such as { floor = \"int64\" }");
        const char *argument;
        json_object_foreach(given, argument, value) {
            FREE char *below = text("%s.arguments.%s", path, argument);
            read_argument(config, below, arguments, argument, value);
        }
        json_object_set_new(
            config->steps, name,
            json_pack(
                "{s:s, s:s, s:o, s:o}", "on", object, "step", json_is_string(spelled) ? json_string_value(spelled) : name, "from",
                json_is_array(from) ? json_incref(from) : json_pack("[s]", own), "arguments", arguments));
    }
}

static void read_facts(Config *config) {
    config->facts = json_object();
    const char *name;
    json_t *fact;
    json_object_foreach(at(config->root, "facts"), name, fact) {
        FREE char *path = text("facts.%s", name);
        if (!is_word(name, "_") || isdigit((unsigned char)*name)) fault(config, path, "is no name: letters, digits and '_'");
        if (!has_only(config, fact, path, "topic pointer type online stale")) continue;
        const char *topic = json_string_value(json_object_get(fact, "topic"));
        const char *pointer = json_string_value(json_object_get(fact, "pointer"));
        const char *online = json_string_value(json_object_get(fact, "online"));
        const char *word = json_string_value(json_object_get(fact, "type"));
        const char *signature = word ? signature_of(word) : NULL;
        FREE char *stale_path = text("%s.stale", path);
        if (!topic || mosquitto_pub_topic_check(topic) != MOSQ_ERR_SUCCESS)
            FAULT_OF(config, path, "topic", "has to be a topic without wildcards, such as \"%s/gate-2/context\"", config->prefix);
        if (!signature) FAULT_OF(config, path, "type", "has to be a type, such as \"bool\", \"int64\" or \"string\"");
        if (json_object_get(fact, "pointer") && (!pointer || (*pointer && *pointer != '/')))
            FAULT_OF(config, path, "pointer", "has to be a JSON pointer, such as \"/open\"");
        if (json_object_get(fact, "online") && (!online || mosquitto_pub_topic_check(online) != MOSQ_ERR_SUCCESS))
            FAULT_OF(config, path, "online", "has to be a topic without wildcards whose payload is true or false");
        // The topic of a device says by itself which device that is.
        FREE char *other = NULL;
        size_t length = strlen(config->prefix);
        if (!online && topic && !strncmp(topic, config->prefix, length) && topic[length] == '/' && strchr(topic + length + 1, '/'))
            other = text("%.*s/online", (int)(strchr(topic + length + 1, '/') - topic), topic);
        uint64_t stale = span(config, stale_path, json_object_get(fact, "stale"), 30000000);
        json_object_set_new(
            config->facts, name,
            json_pack(
                "{s:s, s:s, s:s, s:s, s:I}", "topic", topic ? topic : "", "pointer", pointer ? pointer : "", "signature",
                signature ? signature : "s", "online", online ? online : other ? other : "", "stale", (json_int_t)stale));
    }
}

static void read_record(Config *config) {
    json_t *record = at(config->root, "record");
    if (!record || !has_only(config, record, "record", "from bytes")) return;
    json_t *from = list(config, "record.from", at(record, "from"), "topic filters", fits_filter);
    FREE char *own = text("%s/record", config->base);
    config->record_from = from ? json_incref(from) : json_pack("[s]", own);
    config->record_bytes = number(config, "record.bytes", 1048576, 1024, 16777216);
}

/// Home Assistant gives no arguments, and publishes to one topic.
static void check_plain_step(Config *config, const char *path, const char *step, bool published) {
    json_t *rule = json_object_get(config->steps, step), *argument;
    if (!rule) return fault(config, path, "has \"%s\", which is none of [steps]", step);
    const char *name, *topic = json_string_value(json_array_get(json_object_get(rule, "from"), 0));
    json_object_foreach(json_object_get(rule, "arguments"), name, argument) {
        if (!json_is_true(json_object_get(argument, "optional")))
            fault(config, path, "has \"%s\", which needs the argument '%s', which a button does not give", step, name);
    }
    if (published && (!topic || strpbrk(topic, "+#")))
        fault(config, path, "has \"%s\", which comes from \"%s\", to which a button can't publish", step, topic ? topic : "nowhere");
}

static void read_home_assistant(Config *config) {
    json_t *home = at(config->root, "home_assistant");
    if (!home || !has_only(config, home, "home_assistant", "prefix screens buttons")) return;
    config->home_assistant = home;
    string(config, "home_assistant.prefix", NULL, "the discovery prefix of Home Assistant");
    json_t *buttons = list(config, "home_assistant.buttons", at(home, "buttons"), "names of [steps]", fits_name);
    size_t index;
    json_t *item;
    json_array_foreach(buttons, index, item) check_plain_step(config, "home_assistant.buttons", json_string_value(item), true);
    json_t *screens = at(home, "screens");
    if (screens && !json_is_object(screens)) fault(config, "home_assistant.screens", "is no table of screens and steps");
    const char *screen;
    json_object_foreach(screens, screen, item) {
        FREE char *path = text("home_assistant.screens.%s", screen);
        if (json_is_string(item))
            check_plain_step(config, path, json_string_value(item), false);
        else
            fault(config, path, "has to be one of [steps], which leads to this screen");
    }
    if (screens && !config->tree) fault(config, "home_assistant.screens", "needs [publish.tree], which says what is shown");
}

Config *config_read(const char *file) {
    Config *config = make(sizeof *config);
    config->file = copy(file);
    FREE char *error = NULL;
    config->root = toml_read(file, &config->lines, &error);
    if (!config->root) {
        fprintf(stderr, "flowbus-mqtt: %s\n", error ? error : "no memory");
        config_free(config);
        return NULL;
    }
    has_only(config, config->root, "", "version device broker publish steps facts record home_assistant");
    json_t *version = at(config->root, "version");
    if (!json_is_integer(version) || json_integer_value(version) != 1) fault(config, "version", "has to be 1");
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    config->device = copy(string(config, "device", host, "a word"));
    if (!is_word(config->device, "_.-"))
        fault(config, "device", "is \"%s\"; it has to be letters, digits, '_', '.' and '-', at most 64", config->device);
    config->prefix = string(config, "broker.prefix", "flowbus", "what topics begin with");
    if (mosquitto_pub_topic_check(config->prefix) != MOSQ_ERR_SUCCESS || strlen(config->prefix) > 256)
        fault(config, "broker.prefix", "is \"%s\"; it has to be the beginning of a topic, at most 256 bytes, without + and #", config->prefix);
    config->base = text("%s/%s", config->prefix, config->device);
    for (const char *const *name = (const char *const[]){"steps", "facts", NULL}; *name; name++) {
        json_t *table = at(config->root, *name);
        if (table && !json_is_object(table)) fault(config, *name, "is no table");
    }
    read_broker(config);
    read_publish(config);
    read_steps(config);
    read_facts(config);
    read_record(config);
    read_home_assistant(config);
    if (!config->faults) return config;
    config_free(config);
    return NULL;
}

void config_free(Config *config) {
    if (!config) return;
    json_decref(config->root);
    json_decref(config->lines);
    json_decref(config->steps);
    json_decref(config->facts);
    json_decref(config->record_from);
    char *texts[] = {config->file, config->device, config->base, config->password, config->client_id, config->ca, config->certificate, config->key};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    free(config);
}
