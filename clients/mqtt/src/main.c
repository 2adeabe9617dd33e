// SPDX-License-Identifier: Apache-2.0
// flowbus-mqtt: one loop for the bus, the broker and time.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "bridge.h"

void say_some_line(Bridge *bridge, char *line) {
    FREE char *owned = line;
    uint64_t now = now_monotonic();
    if (now - bridge->lines_since > 60000000) {
        if (bridge->lines > 20) say(LOG_WARNING, "%u more lines about messages are left out", bridge->lines - 20);
        bridge->lines = 0;
        bridge->lines_since = now;
    }
    if (++bridge->lines > 20) return;
    // What others wrote has no control characters in the log.
    for (char *each = line; *each; each++) {
        if ((unsigned char)*each < 32) *each = '?';
    }
    say(LOG_WARNING, "%s", line);
}

// MARK: The broker

static void connected(void *userdata) {
    Bridge *bridge = userdata;
    state_connected(bridge);
    steps_subscribe(bridge);
    record_subscribe(bridge);
    facts_subscribe(bridge);
    steps_tell(bridge);
    object_changed(bridge);
}

static void lost(void *userdata) {
    Bridge *bridge = userdata;
    // What was on its way may not have arrived: it is sent again.
    for (size_t i = 0; i < MOST_SENT; i++) sent_clear(&bridge->sent[i]);
    if (bridge->stopping) {
        sd_event_exit(bridge->event, EX_OK);
        return;
    }
    facts_lost(bridge);
    object_changed(bridge);
}

static void received(void *userdata, const Message *message) {
    bool fact = facts_received(userdata, message);
    if (!steps_received(userdata, message) && !record_received(userdata, message) && !fact)
        say_some(userdata, "a message to '%.200s' is of no use here", message->topic);
}

static void published(void *userdata, int number, int reason) {
    Bridge *bridge = userdata;
    for (size_t i = 0; i < MOST_SENT; i++) {
        Sent *sent = &bridge->sent[i];
        if (!sent->number || sent->number != number) continue;
        if (reason >= 128) say_some(bridge, "the broker refuses a message: reason %d; its ACL may not allow the topic", reason);
        if (sent->step) store_told(bridge->store, sent->step, sent->verdict);
        if (sent->navigation) store_remove_navigation(bridge->store, sent->navigation, sent->dropped);
        sent_clear(sent);
    }
    if (bridge->stopping) return;
    state_send_navigations(bridge);
    steps_tell(bridge);
}

static const LinkEvents events = {connected, lost, received, published};

// MARK: The end

static int too_late(sd_event_source *source, uint64_t at, void *userdata) {
    sd_event_exit(((Bridge *)userdata)->event, EX_OK);
    return 0;
}

static int stop(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
    Bridge *bridge = userdata;
    if (bridge->stopping) return 0;
    bridge->stopping = true;
    sd_notify(false, "STOPPING=1");
    FREE char *topic = text("%s/online", bridge->config->base);
    link_publish(bridge->link, topic, "false", true, NULL, 0);
    sd_event_add_time_relative(bridge->event, NULL, CLOCK_MONOTONIC, 2000000, 0, too_late, bridge);
    link_stop(bridge->link);
    return 0;
}

static int bus_lost(sd_bus_message *signal, void *userdata, sd_bus_error *error) {
    Bridge *bridge = userdata;
    say(LOG_ERR, "the connection to the bus is lost");
    sd_event_exit(bridge->event, EX_UNAVAILABLE);
    return 0;
}

// MARK: Options

static const char help[] =
    "Usage: flowbus-mqtt [OPTION]...\n"
    "Brings what may leave this machine of flowbus to an MQTT broker, and steps that may come in from it.\n"
    "\n"
    "  --config FILE      what leaves and what comes in; default: $XDG_CONFIG_HOME/flowbus/mqtt.toml,\n"
    "                     or /etc/flowbus/mqtt.toml if there is none\n"
    "  --state DIR        where steps and navigations are kept; default: $STATE_DIRECTORY,\n"
    "                     or $XDG_STATE_HOME/flowbus-mqtt\n"
    "  --session          the session bus (default)\n  --system           the system bus\n"
    "  --address ADDRESS  the bus at this D-Bus address\n"
    "  --check            check the file, and exit\n  --version          show the version\n  -h, --help         show this help\n\n"
    "See flowbus-mqtt(8).\n";

static char *in_home(const char *variable, const char *below_home, const char *name) {
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder && *folder == '/') return text("%s/%s", folder, name);
    return text("%s/%s/%s", home ? home : "", below_home, name);
}

static int open_bus(Bridge *bridge, const char *address, bool system) {
    // sd-bus opens the bus of this variable before all others.
    if (address) setenv("DBUS_SESSION_BUS_ADDRESS", address, true);
    bridge->system = system && !address;
    int status = bridge->system ? sd_bus_open_system(&bridge->bus) : sd_bus_open_user(&bridge->bus);
    const char *client = NULL;
    sd_id128_t id;
    char spelled[33];
    if (status >= 0) status = sd_bus_get_unique_name(bridge->bus, &client);
    if (status >= 0) status = sd_bus_get_bus_id(bridge->bus, &id);
    if (status >= 0) status = sd_bus_attach_event(bridge->bus, bridge->event, 0);
    if (status >= 0)
        status = sd_bus_match_signal_async(
            bridge->bus, NULL, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected",
            bus_lost, NULL, bridge);
    if (status < 0) return status;
    bridge->client = copy(client);
    bridge->bus_id = copy(sd_id128_to_string(id, spelled));
    return 0;
}

static int run(Bridge *bridge, const char *folder, const char *address, bool system) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (sd_event_default(&bridge->event) < 0) return EX_OSERR;
    int status = open_bus(bridge, address, system);
    if (status < 0) {
        say(LOG_ERR, "no connection to the bus: %s", strerror(-status));
        return EX_UNAVAILABLE;
    }
    // The name first: two bridges must not use one file.
    bridge->link = link_new(bridge->event, bridge->config, &events, bridge);
    if (!object_start(bridge)) return EX_UNAVAILABLE;
    if (!(bridge->store = store_open(folder))) return EX_CANTCREAT;
    sd_event_add_signal(bridge->event, NULL, SIGTERM, stop, bridge);
    sd_event_add_signal(bridge->event, NULL, SIGINT, stop, bridge);
    sd_event_set_watchdog(bridge->event, true);
    service_start(bridge);
    facts_lost(bridge);
    link_start(bridge->link);
    sd_notify(false, "READY=1");
    status = sd_event_loop(bridge->event);
    return status < 0 ? EX_OSERR : status;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'}, {"state", required_argument, NULL, 's'}, {"session", no_argument, NULL, 'u'},
        {"system", no_argument, NULL, 'y'},       {"address", required_argument, NULL, 'a'}, {"check", no_argument, NULL, 'k'},
        {"version", no_argument, NULL, 'v'},      {"help", no_argument, NULL, 'h'},          {0}};
    FREE char *own_file = in_home("XDG_CONFIG_HOME", ".config", "flowbus/mqtt.toml");
    FREE char *own_folder = in_home("XDG_STATE_HOME", ".local/state", "flowbus-mqtt");
    const char *file = access(own_file, F_OK) < 0 ? "/etc/flowbus/mqtt.toml" : own_file, *folder = getenv("STATE_DIRECTORY"), *address = NULL;
    if (!folder) folder = own_folder;
    bool system = false, check = false;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) >= 0;) {
        switch (option) {
        case 'c': file = optarg; break;
        case 's': folder = optarg; break;
        case 'u': system = false; break;
        case 'y': system = true; break;
        case 'a': address = optarg; break;
        case 'k': check = true; break;
        case 'v': puts(VERSION); return EX_OK;
        case 'h': fputs(help, stdout); return EX_OK;
        default: fputs("Usage: flowbus-mqtt [OPTION]...; --help lists the options\n", stderr); return EX_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "flowbus-mqtt: '%s' is no option; there are no other arguments\n", argv[optind]);
        return EX_USAGE;
    }
    Bridge *bridge = make(sizeof *bridge);
    bridge->config = config_read(file);
    int status = !bridge->config ? EX_CONFIG : check ? EX_OK : run(bridge, folder, address, system);
    link_free(bridge->link);
    record_free(bridge);
    steps_free(bridge);
    service_free(bridge);
    object_free(bridge);
    for (size_t i = 0; i < MOST_SENT; i++) sent_clear(&bridge->sent[i]);
    json_decref(bridge->published);
    store_close(bridge->store);
    sd_bus_flush_close_unref(bridge->bus);
    sd_event_unref(bridge->event);
    free(bridge->client);
    free(bridge->bus_id);
    config_free(bridge->config);
    free(bridge);
    return status;
}
