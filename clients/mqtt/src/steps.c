// SPDX-License-Identifier: Apache-2.0
// Brings steps from the broker to flowbusd, each exactly once, and what became of them back.
//
// A sender repeats a step, with the same token, until it has a verdict. libmosquitto acknowledges a message before it gives it to its
// callback, so a bridge that is killed there has lost a message that the broker believes delivered: only the sender can bring it again.
//
// A step is in the file before it is emitted, so a repeated one is known. It is marked as begun before it is sent to flowbusd. While
// this connection to the bus lasts, flowbusd itself remembers the token for 60 s (S-9), and a call whose answer was lost is made again.
// A token belongs to a connection. So the bridge that comes after one that was killed finds a begun step in doubt, and decides by what
// flowbusd has done:
//
// 1. It waits until the connection of the killed one has left the bus. What that sent has arrived then.
// 2. Explain says what the step would do now. If it would be decided at once, or a guard would be asked at once, then it is not waiting.
//    Otherwise (it would be deferred, or be behind another step), the first one may be.
// 3. A navigation in the history with the sender of that connection, after the serial that was noted: the step was taken. The history is
//    read after Explain, as a step that waits can be taken in between.
// 4. Otherwise nothing has changed by it. If it is not waiting, it is emitted, for the first time that counts. If it may be, its sender is
//    told "pending", and it is looked at again.
#include <errno.h>
#include <mosquitto.h>
#include <systemd/sd-id128.h>

#include "bridge.h"

enum { MOST_PAYLOAD = 65536, MOST_TOKEN = 64 };
/// flowbusd keeps a token for 60 s.
static const uint64_t TOKEN_LIFE = 50000000;
static const uint64_t CALL_TIMEOUT = 30000000;

static void emit(Bridge *bridge);

// MARK: Verdicts

char *steps_verdict(const StepRow *row, const char *verdict, uint64_t serial, const char *error, const char *message) {
    JSON json_t *told = json_pack("{s:s, s:s}", "token", row->token, "step", row->name);
    if (verdict) json_object_set_new(told, "verdict", json_string(verdict));
    if (serial) json_object_set_new(told, "serial", json_integer((json_int_t)serial));
    if (error) json_object_set_new(told, "error", json_string(error));
    if (message) json_object_set_new(told, "message", json_string(message));
    return json_dumps(told, JSON_COMPACT);
}

/// A step has its verdict or its error, and the sender will be told. The log has who sent it, as far as its topic says.
void steps_decide(
    Bridge *bridge, StepRow *row, StepState state, const char *verdict, uint64_t serial, const char *error, const char *message) {
    FREE char *told = steps_verdict(row, verdict, serial, error, message);
    say(LOG_NOTICE, "step '%s' from '%s': %s", row->name, row->topic, told);
    store_set(bridge->store, row->id, state, told);
    steps_tell(bridge);
}

void steps_tell(Bridge *bridge) {
    int64_t after = 0;
    STEP StepRow *row = NULL;
    while (link_is_up(bridge->link) && (step_free(row), row = store_next(bridge->store, after, "NOT told AND verdict NOT NULL"))) {
        after = row->id;
        bool under_way = false;
        for (size_t i = 0; i < MOST_SENT; i++) {
            Sent *sent = &bridge->sent[i];
            under_way = under_way || (sent->number && sent->step == row->id && !strcmp(sent->verdict, row->verdict));
        }
        if (under_way) continue;
        Sent *sent = sent_new(bridge);
        if (!sent) return;
        int number = link_publish(bridge->link, row->reply, row->verdict, false, row->correlation, row->correlation_size);
        if (number < 0) continue;
        *sent = (Sent){.number = number, .step = row->id, .verdict = copy(row->verdict)};
    }
}

void steps_refuse(Bridge *bridge, const StepRow *row, const char *error, const char *why) {
    say_some(bridge, "a message to '%s' is refused: %s", row->topic, why);
    if (!row->reply) return;
    JSON json_t *told = json_pack("{s:s, s:s}", "error", error, "message", why);
    if (row->token) json_object_set_new(told, "token", json_string(row->token));
    FREE char *payload = told ? json_dumps(told, JSON_COMPACT) : NULL;
    if (payload) link_publish(bridge->link, row->reply, payload, false, row->correlation, row->correlation_size);
}

// MARK: A message

static bool is_token(const char *token) {
    size_t length = strlen(token);
    return length && length <= MOST_TOKEN && strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

static char *random_token(void) {
    sd_id128_t id;
    char token[SD_ID128_STRING_MAX];
    return sd_id128_randomize(&id) < 0 ? text("%llu", (unsigned long long)now_real()) : copy(sd_id128_to_string(id, token));
}

/// What is wrong with arguments, or NULL.
static char *fault_of_arguments(json_t *rules, json_t *arguments) {
    const char *name;
    json_t *value, *rule;
    json_object_foreach(arguments, name, value) {
        rule = json_object_get(rules, name);
        if (!rule) return text("the argument '%.100s' is not one of those that may come in", name);
        FREE char *fault = fault_of(json_string_value(json_object_get(rule, "signature")), value);
        if (fault) return text("the argument '%s' does not fit: %s", name, fault);
        json_t *among = json_object_get(rule, "among"), *item;
        size_t index;
        bool fits = !among;
        json_array_foreach(among, index, item) fits = fits || json_equal(item, value);
        FREE char *valid = among ? json_dumps(among, JSON_COMPACT) : NULL;
        if (!fits) return text("the argument '%s' is none of %s", name, valid);
    }
    json_object_foreach(rules, name, rule) {
        if (!json_is_true(json_object_get(rule, "optional")) && !json_object_get(arguments, name))
            return text("the argument '%s' is missing", name);
    }
    return NULL;
}

/// The step that this topic brings. A choice in Home Assistant is a step, too.
static const char *rule_of(Bridge *bridge, const Message *message, bool *chosen) {
    FREE char *screens = text("%s/screen/set", bridge->config->base);
    json_t *home = json_object_get(bridge->config->home_assistant, "screens");
    *chosen = home && !strcmp(message->topic, screens);
    if (*chosen) {
        FREE char *screen = strndup(message->payload, message->size);
        const char *step = json_string_value(json_object_get(home, screen));
        if (!step) say_some(bridge, "a message to '%s' is refused: '%.100s' is no screen that can be chosen", message->topic, screen);
        return step;
    }
    const char *name;
    json_t *rule;
    json_object_foreach(bridge->config->steps, name, rule) {
        if (topics_match(json_object_get(rule, "from"), message->topic)) return name;
    }
    return NULL;
}

StepRow *steps_request(Bridge *bridge, const Message *message, const char *name) {
    StepRow *row = make(sizeof *row);
    row->topic = copy(message->topic);
    row->name = copy(name);
    if (message->correlation_size) {
        row->correlation = make((size_t)message->correlation_size);
        memcpy(row->correlation, message->correlation, (size_t)message->correlation_size);
        row->correlation_size = message->correlation_size;
    }
    FREE char *own = text("%s/verdict/#", bridge->config->base);
    if (message->response) {
        bool own_matches = false;
        mosquitto_topic_matches_sub(own, message->response, &own_matches);
        if (own_matches || topics_match(bridge->config->responses, message->response))
            row->reply = copy(message->response);
        else
            say_some(bridge, "the answer to a message to '%s' may not go to '%.200s': broker.responses does not have it",
                message->topic, message->response);
    }
    return row;
}

json_t *steps_payload(Bridge *bridge, StepRow *row, const Message *message, const char *keys) {
    // It would be taken again after each connection.
    if (message->retained) return steps_refuse(bridge, row, ERROR_NAME "Retained", "a request is nothing to retain"), NULL;
    if (message->size > MOST_PAYLOAD) return steps_refuse(bridge, row, ERROR_NAME "LimitExceeded", "a payload has at most 65536 bytes"), NULL;
    json_error_t problem = {0};
    json_t *payload = message->size ? json_loadb(message->payload, message->size, JSON_REJECT_DUPLICATES, &problem) : json_object();
    FREE char *why = !payload ? text("the payload is no JSON: %s, at byte %d", problem.text, problem.position) : NULL;
    if (payload && !json_is_object(payload)) why = text("the payload has to be a JSON object with these keys: %s", keys);
    const char *key;
    json_t *value;
    json_object_foreach(payload, key, value) {
        if (!why && !has_word(keys, key)) why = text("the payload has '%.100s'; it has these keys: %s", key, keys);
    }
    if (!why) return payload;
    json_decref(payload);
    return steps_refuse(bridge, row, ERROR_NAME "InvalidPayload", why), NULL;
}

bool steps_received(Bridge *bridge, const Message *message) {
    bool chosen;
    const char *name = rule_of(bridge, message, &chosen);
    if (!name) return chosen;
    json_t *rule = json_object_get(bridge->config->steps, name);
    STEP StepRow *row = steps_request(bridge, message, name);
    Message empty = *message;
    if (chosen) empty.size = 0;
    JSON json_t *payload = steps_payload(bridge, row, &empty, "token arguments");
    if (!payload) return true;
    json_t *token = json_object_get(payload, "token"), *arguments = json_object_get(payload, "arguments");
    if (token && (!json_is_string(token) || !is_token(json_string_value(token))))
        return steps_refuse(bridge, row, ERROR_NAME "InvalidPayload", "a token is 1 to 64 letters, digits, '.', '_' and '-'"), true;
    row->token = token ? copy(json_string_value(token)) : random_token();
    if (!row->reply && token) row->reply = text("%s/verdict/%s", bridge->config->base, row->token);
    if (arguments && !json_is_object(arguments))
        return steps_refuse(bridge, row, ERROR_NAME "InvalidPayload", "'arguments' is no object"), true;
    STEP StepRow *known = store_find(bridge->store, row->topic, row->token);
    if (known) {
        // Nothing happens again: it is told again.
        for (size_t i = 0; i < MOST_SENT; i++) {
            if (bridge->sent[i].number && bridge->sent[i].step == known->id) bridge->sent[i].step = 0;
        }
        if (row->reply) store_redirect(bridge->store, known->id, row->reply, row->correlation, row->correlation_size);
        steps_tell(bridge);
        return true;
    }
    FREE char *fault = fault_of_arguments(json_object_get(rule, "arguments"), arguments);
    if (fault) return steps_refuse(bridge, row, ERROR_NAME "InvalidArguments", fault), true;
    row->arguments = arguments ? json_dumps(arguments, JSON_COMPACT) : copy("{}");
    int status = store_add(bridge->store, row);
    if (status == -ENOSPC)
        steps_refuse(bridge, row, ERROR_NAME "LimitExceeded", "1024 steps have no verdict yet, or one that was not sent");
    else if (status < 0)
        steps_refuse(bridge, row, ERROR_NAME "StoreFailed", "the step can't be written down, and is not taken without");
    else
        steps_pump(bridge);
    return true;
}

void steps_subscribe(Bridge *bridge) {
    const char *name;
    json_t *rule, *filter;
    size_t index;
    json_object_foreach(bridge->config->steps, name, rule) {
        json_array_foreach(json_object_get(rule, "from"), index, filter) link_subscribe(bridge->link, json_string_value(filter), false);
    }
    FREE char *screens = text("%s/screen/set", bridge->config->base);
    if (json_object_get(bridge->config->home_assistant, "screens")) link_subscribe(bridge->link, screens, false);
}

// MARK: Emitting

json_t *steps_rule(Bridge *bridge, const StepRow *row) { return json_object_get(bridge->config->steps, row->name); }

bool steps_append(sd_bus_message *call, json_t *rule, const StepRow *row) {
    JSON json_t *arguments = json_loads(row->arguments, 0, NULL);
    FREE char *fault = fault_of_arguments(json_object_get(rule, "arguments"), arguments);
    if (fault || !call) return false;
    sd_bus_message_append(call, "s", json_string_value(json_object_get(rule, "step")));
    sd_bus_message_open_container(call, 'a', "{sv}");
    const char *name;
    json_t *value;
    json_object_foreach(arguments, name, value) {
        const char *signature = json_string_value(json_object_get(json_object_get(json_object_get(rule, "arguments"), name), "signature"));
        sd_bus_message_open_container(call, 'e', "sv");
        sd_bus_message_append(call, "s", name);
        sd_bus_message_open_container(call, 'v', signature);
        free(append_json(call, signature, value));
        sd_bus_message_close_container(call);
        sd_bus_message_close_container(call);
    }
    return sd_bus_message_close_container(call) >= 0;
}

static int again_fired(sd_event_source *source, uint64_t at, void *userdata) {
    Bridge *bridge = userdata;
    bridge->again = sd_event_source_disable_unref(bridge->again);
    steps_go_on(bridge);
    return 0;
}

/// Goes on after a while.
void steps_wait(Bridge *bridge, uint64_t span) {
    if (!bridge->again)
        sd_event_add_time_relative(bridge->event, &bridge->again, CLOCK_MONOTONIC, span, span / 10, again_fired, bridge);
}

/// The step that was emitted is no longer the one that others wait for.
static void end_emission(Bridge *bridge) {
    step_free(bridge->emitting);
    bridge->emitting = NULL;
    steps_pump(bridge);
}

/// Whether an error says that the call may not have arrived, or its answer not.
bool steps_is_lost(const sd_bus_error *error) {
    return sd_bus_error_has_names(
        error, SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_TIMEOUT, SD_BUS_ERROR_DISCONNECTED, SD_BUS_ERROR_SERVICE_UNKNOWN,
        SD_BUS_ERROR_NAME_HAS_NO_OWNER, "org.freedesktop.DBus.Error.TimedOut");
}

static int emitted(sd_bus_message *answer, void *userdata, sd_bus_error *ignored) {
    Bridge *bridge = userdata;
    bridge->on_its_way = false;
    StepRow *row = bridge->emitting;
    const sd_bus_error *error = sd_bus_message_get_error(answer);
    if (error && steps_is_lost(error)) {
        steps_wait(bridge, 1000000);
        return 0;
    }
    uint64_t serial = 0;
    const char *verdict = NULL;
    if (error) {
        steps_decide(bridge, row, STEP_DECIDED, NULL, 0, error->name, error->message);
    } else if (sd_bus_message_read(answer, "ts", &serial, &verdict) > 0) {
        if (serial > bridge->serial) bridge->serial = serial;
        steps_decide(bridge, row, strcmp(verdict, "pending") ? STEP_DECIDED : STEP_PENDING, verdict, serial, NULL, NULL);
    } else {
        steps_decide(bridge, row, STEP_DECIDED, NULL, 0, ERROR_NAME "InvalidAnswer", "the answer of flowbusd can't be read");
    }
    end_emission(bridge);
    return 0;
}

static void emit(Bridge *bridge) {
    if (!bridge->service || bridge->on_its_way) return;
    StepRow *row = bridge->emitting;
    // flowbusd has forgotten the token, or will soon: what became of the step, its history says.
    if (now_monotonic() - bridge->emitted_at > TOKEN_LIFE) {
        step_free(row);
        bridge->emitting = NULL;
        doubts_look(bridge);
        return;
    }
    json_t *rule = steps_rule(bridge, row);
    sd_bus_message *call = service_call(bridge, json_string_value(json_object_get(rule, "on")), SERVICE ".Stepper", "EmitStepWithOptions");
    FREE char *token = text("%lld.%s", (long long)row->id, row->token);
    if (steps_append(call, rule, row) &&
        sd_bus_message_append(call, "a{sv}", 3, "token", "s", token, "wait", "b", 0, "input", "b", 0) >= 0 &&
        service_send(bridge, call, CALL_TIMEOUT, emitted)) {
        bridge->on_its_way = true;
        return;
    }
    steps_wait(bridge, 1000000);
}

/// Emits the next step: one at a time, so that what flowbusd says of one is not taken for that of another. Those of one topic keep
/// their order, also behind one that is in doubt.
void steps_pump(Bridge *bridge) {
    while (!bridge->emitting && bridge->service) {
        StepRow *row = store_next(
            bridge->store, 0,
            "state = 0 AND NOT EXISTS (SELECT 1 FROM steps AS earlier WHERE earlier.topic = steps.topic AND earlier.id < steps.id AND"
            " earlier.state = 1)");
        if (!row) return;
        // The file of the bridge may be another one than when the step came.
        JSON json_t *arguments = json_loads(row->arguments, 0, NULL);
        json_t *rule = steps_rule(bridge, row);
        FREE char *fault = rule ? fault_of_arguments(json_object_get(rule, "arguments"), arguments) : copy("the step may no longer come in");
        if (fault) {
            steps_decide(bridge, row, STEP_DECIDED, NULL, 0, ERROR_NAME "NotAllowed", fault);
            step_free(row);
            continue;
        }
        if (store_begin(bridge->store, row->id, bridge->client, bridge->bus_id, (int64_t)bridge->serial) < 0) {
            // Not without a record: it would be in doubt, and nobody would know.
            step_free(row);
            return steps_wait(bridge, 5000000);
        }
        bridge->emitting = row;
        bridge->emitted_at = now_monotonic();
        emit(bridge);
    }
}

void steps_concluded(Bridge *bridge, sd_bus_message *signal) {
    const char *token, *verdict, *error, *message;
    uint64_t serial;
    if (sd_bus_message_read(signal, "stsss", &token, &serial, &verdict, &error, &message) <= 0) return;
    char *end;
    long long id = strtoll(token, &end, 10);
    if (id <= 0 || *end != '.') return;
    STEP StepRow *row = store_next(bridge->store, id - 1, "state IN (1, 3)");
    if (!row || row->id != id || strcmp(row->token, end + 1)) return;
    if (bridge->emitting && bridge->emitting->id == id) return;
    if (*error)
        steps_decide(bridge, row, STEP_DECIDED, NULL, 0, error, message);
    else
        steps_decide(bridge, row, STEP_DECIDED, verdict, serial, NULL, NULL);
}

// MARK: flowbusd comes and goes

void steps_go_on(Bridge *bridge) {
    if (!bridge->service) return;
    if (bridge->emitting) emit(bridge);
    if (bridge->doubt) return;
    bridge->doubts_remain = false;
    bridge->looked_at = bridge->serial;
    bridge->doubt_after = 0;
    doubts_look(bridge);
}

void steps_free(Bridge *bridge) {
    sd_event_source_disable_unref(bridge->again);
    step_free(bridge->emitting);
    step_free(bridge->doubt);
}
