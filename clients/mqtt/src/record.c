// SPDX-License-Identifier: Apache-2.0
// Asks flowbusctl for a recording of what happened lately, and gives it to who asked for it. flowbusctl leaves out what is private.
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge.h"

/// How long flowbusctl may take.
static const uint64_t TIMEOUT = 30000000;

/// The beginning of a file in memory, as a text.
static char *text_of(int file, size_t most) {
    char *contents = make(most + 1);
    ssize_t count = pread(file, contents, most, 0);
    contents[count > 0 ? count : 0] = '\0';
    return contents;
}

static void forget(Bridge *bridge) {
    bridge->recorder = sd_event_source_disable_unref(bridge->recorder);
    bridge->too_late = sd_event_source_disable_unref(bridge->too_late);
    step_free(bridge->recording);
    bridge->recording = NULL;
    for (int i = 0; i < 2; i++) close(bridge->recorded[i]);
}

static int ended(sd_event_source *source, const siginfo_t *info, void *userdata) {
    Bridge *bridge = userdata;
    StepRow *row = bridge->recording;
    struct stat status = {0};
    fstat(bridge->recorded[0], &status);
    if (info->si_code != CLD_EXITED || info->si_status) {
        FREE char *why = text_of(bridge->recorded[1], 500);
        why[strcspn(why, "\n")] = '\0';
        steps_refuse(bridge, row, ERROR_NAME "NotRecorded", *why ? why : "flowbusctl took too long");
    } else if (status.st_size > bridge->config->record_bytes) {
        FREE char *why = text(
            "the recording has %lld bytes, and %d may leave (record.bytes); ask for a shorter time", (long long)status.st_size,
            bridge->config->record_bytes);
        steps_refuse(bridge, row, ERROR_NAME "LimitExceeded", why);
    } else {
        FREE char *recording = text_of(bridge->recorded[0], (size_t)status.st_size);
        say(LOG_NOTICE, "a recording of %lld bytes is sent to '%s'", (long long)status.st_size, row->reply);
        if (link_publish(bridge->link, row->reply, recording, false, row->correlation, row->correlation_size) < 0)
            steps_refuse(bridge, row, ERROR_NAME "LimitExceeded", "the broker does not take a message of this size");
    }
    forget(bridge);
    return 0;
}

static int too_late(sd_event_source *source, uint64_t at, void *userdata) {
    sd_event_source_send_child_signal(((Bridge *)userdata)->recorder, SIGKILL, NULL, 0);
    return 0;
}

_Noreturn static void run(const Bridge *bridge, const char *since) {
    dup2(bridge->recorded[0], STDOUT_FILENO);
    dup2(bridge->recorded[1], STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    FREE char *option = text("--since=%s", since);
    execlp("flowbusctl", "flowbusctl", bridge->system ? "--system" : "--user", "record", option, NULL);
    dprintf(STDERR_FILENO, "flowbusctl can't be run: %s\n", strerror(errno));
    _exit(1);
}

static bool start(Bridge *bridge, const char *since) {
    for (int i = 0; i < 2; i++) bridge->recorded[i] = memfd_create("recording", MFD_CLOEXEC);
    pid_t process = fork();
    if (process == 0) run(bridge, since);
    // The process ends with its source.
    return process > 0 && sd_event_add_child(bridge->event, &bridge->recorder, process, WEXITED, ended, bridge) >= 0 &&
        sd_event_source_set_child_process_own(bridge->recorder, true) >= 0 &&
        sd_event_add_time_relative(bridge->event, &bridge->too_late, CLOCK_MONOTONIC, TIMEOUT, 0, too_late, bridge) >= 0;
}

bool record_received(Bridge *bridge, const Message *message) {
    if (!topics_match(bridge->config->record_from, message->topic)) return false;
    STEP StepRow *row = steps_request(bridge, message, "record");
    JSON json_t *payload = steps_payload(bridge, row, message, "since");
    json_t *since = json_object_get(payload, "since");
    if (!payload) return true;
    if (since && !json_is_string(since))
        return steps_refuse(bridge, row, ERROR_NAME "InvalidPayload", "'since' has to be a text, such as \"10min\""), true;
    if (!row->reply) return say_some(bridge, "nothing is recorded for '%s': it names no response topic", row->topic), true;
    if (bridge->recording) return steps_refuse(bridge, row, ERROR_NAME "LimitExceeded", "a recording is being made"), true;
    bool started = start(bridge, since ? json_string_value(since) : "10min");
    bridge->recording = row;
    row = NULL;
    if (started) return true;
    steps_refuse(bridge, bridge->recording, ERROR_NAME "NotRecorded", "no process can be started");
    forget(bridge);
    return true;
}

void record_subscribe(Bridge *bridge) {
    size_t index;
    json_t *filter;
    json_array_foreach(bridge->config->record_from, index, filter) link_subscribe(bridge->link, json_string_value(filter), false);
}

void record_free(Bridge *bridge) {
    if (bridge->recording) forget(bridge);
}
