// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

/// How long a name may take to be found, and an address to answer.
static const uint64_t RESOLVE_TIMEOUT = 10000000, CONNECT_TIMEOUT = 15000000;
/// A connection that lasted this long was a good one: the next pause is the first again.
static const uint64_t STABLE = 60000000;
enum { MOST_ADDRESSES = 16, ADDRESS = INET6_ADDRSTRLEN + 20 };

struct Link {
    sd_event *event;
    const Config *config;
    const LinkEvents *events;
    void *userdata;

    struct mosquitto *client;
    sd_event_source *io, *timer;
    int socket;  ///< A duplicate of the client's, which closes its own when it likes.
    pid_t resolver;
    int pipe;
    sd_event_source *answer;
    char found[MOST_ADDRESSES * ADDRESS];  ///< Addresses, each with a line end.
    size_t length;
    char *next;  ///< The address that is tried next.

    bool up, reached, stopping;
    int version, refused;  ///< `refused` is the reason of a CONNACK, or -1.
    unsigned failures, closed_early;
    uint64_t since;
    char *problem, *reasons;  ///< `reasons` are those of the addresses that were tried before.
    int error;  ///< What the socket says.
    int unverified;  ///< What OpenSSL says of the broker's certificate, where it refuses it.
};

static void attempt(Link *link);
static void try_next(Link *link);

bool link_is_up(Link *link) { return link->up; }
const char *link_protocol(Link *link) { return !link->up ? "" : link->version == 5 ? "5" : "3.1.1"; }
const char *link_problem(Link *link) { return link->up ? "" : link->problem; }

static uint64_t random_below(uint64_t most) {
    uint64_t value = 0;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) < 0) value = now_monotonic() ^ (uint64_t)getpid() << 32;
    return most ? value % most : 0;
}

// MARK: Time

static int timer_fired(sd_event_source *source, uint64_t at, void *userdata);

static void set_timer(Link *link, uint64_t span) {
    sd_event_source_disable_unref(link->timer);
    link->timer = NULL;
    sd_event_add_time_relative(link->event, &link->timer, CLOCK_BOOTTIME, span, span / 10 + 1, timer_fired, link);
}

/// Forgets the connection and what was under way for it.
static void drop(Link *link) {
    link->io = sd_event_source_disable_unref(link->io);
    link->answer = sd_event_source_disable_unref(link->answer);
    link->timer = sd_event_source_disable_unref(link->timer);
    if (link->resolver > 0) {
        kill(link->resolver, SIGKILL);
        waitpid(link->resolver, NULL, 0);
        link->resolver = 0;
    }
    if (link->pipe >= 0) close(link->pipe);
    if (link->socket >= 0) close(link->socket);
    link->pipe = link->socket = -1;
    if (link->client) mosquitto_destroy(link->client);
    link->client = NULL;
}

#define fail(link, ...) end_connection(link, text(__VA_ARGS__))

/// The connection is lost, or did not come about.
static void end_connection(Link *link, char *why) {
    bool was_up = link->up;
    link->up = false;
    drop(link);
    if (!was_up && link->reasons && !strstr(link->reasons, why)) {
        char *all = text("%s; %s", link->reasons, why);
        free(why);
        why = all;
    }
    free(link->reasons);
    link->reasons = NULL;
    if (!was_up && !link->stopping && link->next && *link->next) {
        link->reasons = why;
        return try_next(link);
    }
    bool news = was_up || strcmp(why, link->problem);
    free(link->problem);
    link->problem = why;
    if (link->stopping) {
        link->events->lost(link->userdata);
        return;
    }
    if (was_up && now_monotonic() - link->since >= STABLE) link->failures = 0;
    // After a restart of the broker all of its devices come back: each at another time. Who fails again waits longer.
    uint64_t most = link->config->spread << (link->failures < 16 ? link->failures : 16);
    if (most > link->config->longest_pause) most = link->config->longest_pause;
    if (most < link->config->spread) most = link->config->spread;
    uint64_t pause = link->failures ? most / 2 + random_below(most / 2) : random_below(most);
    link->failures++;
    if (news) say(LOG_WARNING, "no connection to '%s': %s; it is tried again", link->config->host, why);
    set_timer(link, pause);
    if (was_up) link->events->lost(link->userdata);
}

static int timer_fired(sd_event_source *source, uint64_t at, void *userdata) {
    Link *link = userdata;
    if (link->up) {
        int status = mosquitto_loop_misc(link->client);
        if (status == MOSQ_ERR_SUCCESS)
            set_timer(link, (uint64_t)link->config->keepalive * 500000);
        else
            fail(link, "the broker is silent");
    } else if (link->resolver > 0) {
        fail(link, "the name is not found within %d s", (int)(RESOLVE_TIMEOUT / 1000000));
    } else if (link->client) {
        fail(link, "no answer within %d s", (int)(CONNECT_TIMEOUT / 1000000));
    } else {
        attempt(link);
    }
    return 0;
}

// MARK: Addresses

/// The process that looks up the name: it writes an address a line, or "!" and why there is none.
_Noreturn static void resolve(const char *host, int output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // It must not keep a connection of the bridge open when that ends.
    dup2(output, STDOUT_FILENO);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG}, *found = NULL;
    int error = getaddrinfo(host, NULL, &hints, &found);
    if (error) dprintf(STDOUT_FILENO, "!%s\n", gai_strerror(error));
    for (int count = 0; found && count < MOST_ADDRESSES; found = found->ai_next, count++) {
        char address[ADDRESS];
        if (!getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST))
            dprintf(STDOUT_FILENO, "%s\n", address);
    }
    _exit(0);
}

static int addresses_came(sd_event_source *source, int pipe, uint32_t events, void *userdata) {
    Link *link = userdata;
    ssize_t count = read(pipe, link->found + link->length, sizeof link->found - 1 - link->length);
    if (count > 0) {
        link->length += (size_t)count;
        return 0;
    }
    if (count < 0 && errno == EINTR) return 0;
    link->found[link->length] = '\0';
    drop(link);
    link->next = link->found;
    if (link->found[0] == '!' || !link->found[0]) {
        link->next = NULL;
        link->found[strcspn(link->found, "\n")] = '\0';
        fail(link, "the name is not found: %s", link->found[0] ? link->found + 1 : "the process that looks it up has ended");
    } else {
        try_next(link);
    }
    return 0;
}

static bool is_address(const char *host) {
    unsigned char address[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

static void attempt(Link *link) {
    drop(link);
    link->length = 0;
    if (is_address(link->config->host)) {
        snprintf(link->found, sizeof link->found, "%s\n", link->config->host);
        link->next = link->found;
        return try_next(link);
    }
    link->next = NULL;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return fail(link, "%s", strerror(errno));
    link->pipe = ends[0];
    link->resolver = fork();
    if (link->resolver == 0) resolve(link->config->host, ends[1]);
    close(ends[1]);
    if (link->resolver < 0 || sd_event_add_io(link->event, &link->answer, link->pipe, EPOLLIN, addresses_came, link) < 0)
        return fail(link, "%s", strerror(errno));
    set_timer(link, RESOLVE_TIMEOUT);
}

// MARK: TLS

/// libmosquitto is given an address, and would check the certificate against that. Here OpenSSL checks it against the name, and the
/// name is asked for (SNI).
static void handshake_began(const SSL *ssl, int where, int value) {
    if (!(where & SSL_CB_HANDSHAKE_START)) return;
    Link *link = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    const char *host = link->config->host;
    // The callback is given what it may change as const.
    if (!is_address(host)) SSL_set_tlsext_host_name((SSL *)(uintptr_t)ssl, host);
}

/// libmosquitto may have thrown away the connection, with what OpenSSL knows of it, when it says that TLS has failed.
static int certificate_came(int is_right, X509_STORE_CTX *store) {
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    Link *link = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    if (!is_right) link->unverified = X509_STORE_CTX_get_error(store);
    return is_right;
}

/// NULL if a file can't be used, which `error` names.
static SSL_CTX *tls_context(Link *link, const char **error) {
    const Config *config = link->config;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context) abort();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, certificate_came);
    SSL_CTX_set_app_data(context, link);
    SSL_CTX_set_info_callback(context, handshake_began);
    X509_VERIFY_PARAM *check = SSL_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    *error = NULL;
    if ((is_address(config->host) ? X509_VERIFY_PARAM_set1_ip_asc(check, config->host)
                                  : X509_VERIFY_PARAM_set1_host(check, config->host, 0)) != 1)
        *error = config->host;
    if (config->ca ? SSL_CTX_load_verify_file(context, config->ca) != 1 : SSL_CTX_set_default_verify_paths(context) != 1)
        *error = config->ca ? config->ca : "the certificates of the system";
    if (config->certificate && SSL_CTX_use_certificate_chain_file(context, config->certificate) != 1) *error = config->certificate;
    if (config->key && SSL_CTX_use_PrivateKey_file(context, config->key, SSL_FILETYPE_PEM) != 1) *error = config->key;
    if (!*error) return context;
    SSL_CTX_free(context);
    return NULL;
}

// MARK: libmosquitto

static void connack_came(struct mosquitto *client, void *userdata, int reason, int flags, const mosquitto_property *properties) {
    Link *link = userdata;
    link->refused = reason;
}

static void message_came(struct mosquitto *client, void *userdata, const struct mosquitto_message *came, const mosquitto_property *properties) {
    Link *link = userdata;
    FREE char *response = NULL;
    void *correlation = NULL;
    uint16_t size = 0;
    mosquitto_property_read_string(properties, MQTT_PROP_RESPONSE_TOPIC, &response, false);
    mosquitto_property_read_binary(properties, MQTT_PROP_CORRELATION_DATA, &correlation, &size, false);
    Message message = {came->topic, came->payload ? came->payload : "", (size_t)came->payloadlen, came->retain, response, correlation, size};
    link->events->received(link->userdata, &message);
    free(correlation);
}

static void published(struct mosquitto *client, void *userdata, int number, int reason, const mosquitto_property *properties) {
    Link *link = userdata;
    link->events->published(link->userdata, number, reason);
}

static void subscribed(
    struct mosquitto *client, void *userdata, int number, int count, const int *granted, const mosquitto_property *properties) {
    for (int i = 0; i < count; i++) {
        if (granted[i] >= 128) say(LOG_ERR, "the broker refuses a subscription; what its ACL allows has to include what [steps] and [facts] name");
    }
}

static void follow_socket(Link *link) {
    if (link->io) sd_event_source_set_io_events(link->io, EPOLLIN | (mosquitto_want_write(link->client) ? (uint32_t)EPOLLOUT : 0));
}

static const char *reason_of(Link *link, int status) {
    if (link->unverified) return X509_verify_cert_error_string(link->unverified);
    if (link->error) return strerror(link->error);
    if (status == MOSQ_ERR_TLS) return "no TLS with the broker";
    return status == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(status);
}

/// After each call of libmosquitto's loop: its callbacks have only taken note.
static void settle(Link *link, int status) {
    if (link->refused > 0) {
        bool version = link->refused == 1 || link->refused == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION;
        if (version && link->version == 5 && !link->config->protocol) {
            say(LOG_NOTICE, "the broker has no MQTT 5; MQTT 3.1.1 is used");
            link->version = 4;
            return attempt(link);
        }
        return fail(
            link, "the broker refuses it: %s", link->version == 5 ? mosquitto_reason_string(link->refused) : mosquitto_connack_string(link->refused));
    }
    if (status != MOSQ_ERR_SUCCESS || mosquitto_socket(link->client) < 0) {
        // Some brokers close the connection for a protocol that they don't know.
        if (!link->up && link->reached && !link->config->protocol && ++link->closed_early % 2 == 0) link->version = link->version == 5 ? 4 : 5;
        const char *why = reason_of(link, status);
        return fail(link, "%s", status == MOSQ_ERR_SUCCESS ? "the broker has closed the connection" : why);
    }
    if (!link->up && link->refused == 0) {
        link->up = true;
        link->since = now_monotonic();
        link->closed_early = 0;
        link->next = NULL;
        free(link->reasons);
        link->reasons = NULL;
        say(LOG_NOTICE, "connected to '%s', MQTT %s", link->config->host, link_protocol(link));
        set_timer(link, (uint64_t)link->config->keepalive * 500000);
        link->events->connected(link->userdata);
    }
    follow_socket(link);
}

static int socket_ready(sd_event_source *source, int socket, uint32_t events, void *userdata) {
    Link *link = userdata;
    // While TLS begins, it is the reading that goes on, whatever the socket is ready for.
    bool begins = link->refused < 0;
    int status = MOSQ_ERR_SUCCESS;
    if (events & EPOLLERR) getsockopt(socket, SOL_SOCKET, SO_ERROR, &link->error, &(socklen_t){sizeof link->error});
    if (!(events & (EPOLLERR | EPOLLHUP))) link->reached = true;
    if (begins || events & (EPOLLIN | EPOLLERR | EPOLLHUP)) status = mosquitto_loop_read(link->client, 1);
    // libmosquitto takes an error of the socket for a handshake that has not begun, and would be called again at once, for ever.
    SSL *ssl = mosquitto_ssl_get(link->client);
    if (status == MOSQ_ERR_SUCCESS && events & (EPOLLERR | EPOLLHUP) && (!(events & EPOLLIN) || (ssl && !SSL_is_init_finished(ssl))))
        status = MOSQ_ERR_CONN_LOST;
    if (status == MOSQ_ERR_SUCCESS && link->refused <= 0 && mosquitto_socket(link->client) >= 0) status = mosquitto_loop_write(link->client, 1);
    settle(link, status);
    return 0;
}

static void try_next(Link *link) {
    char *end = link->next + strcspn(link->next, "\n");
    FREE char *address = text("%.*s", (int)(end - link->next), link->next);
    link->next = *end ? end + 1 : end;
    const Config *config = link->config;
    link->client = mosquitto_new(config->client_id, true, link);
    if (!link->client) abort();
    link->refused = -1;
    link->reached = false;
    link->error = 0;
    link->unverified = X509_V_OK;
    mosquitto_int_option(link->client, MOSQ_OPT_PROTOCOL_VERSION, link->version == 5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311);
    mosquitto_int_option(link->client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_v5_callback_set(link->client, connack_came);
    mosquitto_message_v5_callback_set(link->client, message_came);
    mosquitto_publish_v5_callback_set(link->client, published);
    mosquitto_subscribe_v5_callback_set(link->client, subscribed);
    FREE char *will = text("%s/online", config->base);
    mosquitto_will_set(link->client, will, 5, "false", 1, true);
    if (config->user) mosquitto_username_pw_set(link->client, config->user, config->password);
    if (config->tls) {
        const char *error;
        SSL_CTX *context = tls_context(link, &error);
        if (!context) return fail(link, "'%s' can't be used for TLS", error);
        mosquitto_int_option(link->client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
        mosquitto_void_option(link->client, MOSQ_OPT_SSL_CTX, context);
        SSL_CTX_free(context);
    }
    int status = mosquitto_connect_async(link->client, address, config->port, config->keepalive);
    // -1 says that it is under way.
    if (status > 0 || mosquitto_socket(link->client) < 0) return fail(link, "%s", reason_of(link, status));
    link->socket = fcntl(mosquitto_socket(link->client), F_DUPFD_CLOEXEC, 3);
    if (link->socket < 0 || sd_event_add_io(link->event, &link->io, link->socket, EPOLLIN | EPOLLOUT, socket_ready, link) < 0)
        return fail(link, "%s", strerror(errno));
    set_timer(link, CONNECT_TIMEOUT);
}

// MARK: What others call

int link_publish(Link *link, const char *topic, const char *payload, bool retain, const void *correlation, int size) {
    if (!link->up) return -1;
    int number = -1;
    mosquitto_property *properties = NULL;
    if (correlation && link->version == 5)
        mosquitto_property_add_binary(&properties, MQTT_PROP_CORRELATION_DATA, correlation, (uint16_t)size);
    int status = mosquitto_publish_v5(link->client, &number, topic, (int)strlen(payload), payload, 1, retain, properties);
    mosquitto_property_free_all(&properties);
    follow_socket(link);
    if (status == MOSQ_ERR_SUCCESS) return number;
    if (status != MOSQ_ERR_NO_CONN && status != MOSQ_ERR_CONN_LOST)
        say(LOG_ERR, "'%s' can't be published, with %zu bytes: %s", topic, strlen(payload), mosquitto_strerror(status));
    return -1;
}

void link_subscribe(Link *link, const char *filter, bool retained) {
    if (!link->up) return;
    int options = retained ? 0 : MQTT_SUB_OPT_SEND_RETAIN_NEVER;
    mosquitto_subscribe_v5(link->client, NULL, filter, 1, link->version == 5 ? options : 0, NULL);
    follow_socket(link);
}

Link *link_new(sd_event *event, const Config *config, const LinkEvents *events, void *userdata) {
    mosquitto_lib_init();
    Link *link = make(sizeof *link);
    *link = (Link){.event = event, .config = config, .events = events, .userdata = userdata, .socket = -1, .pipe = -1};
    link->version = config->protocol == 4 ? 4 : 5;
    link->problem = copy("not connected yet");
    return link;
}

void link_start(Link *link) { attempt(link); }

void link_stop(Link *link) {
    link->stopping = true;
    if (!link->up) return fail(link, "the bridge ends");
    mosquitto_disconnect_v5(link->client, 0, NULL);
    if (link->client && mosquitto_socket(link->client) >= 0) follow_socket(link);
    else fail(link, "the bridge ends");
}

void link_free(Link *link) {
    if (!link) return;
    drop(link);
    free(link->reasons);
    free(link->problem);
    free(link);
    mosquitto_lib_cleanup();
}
