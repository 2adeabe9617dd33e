// SPDX-License-Identifier: Apache-2.0
// The options, the loop, and the connections: to the bus, and to who writes and reads lines.
#include "connect.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

sd_event *loop;
sd_bus *bus;

// The connection that systemd has passed; of a socket that listens, each connection is a process of its own.
static int accepted(void)
{
    if (sd_listen_fds(1) != 1) refuse(EX_USAGE, "--socket is for a socket unit of systemd, and there is no socket");
    if (sd_is_socket(SD_LISTEN_FDS_START, AF_UNSPEC, SOCK_STREAM, 1) <= 0) return SD_LISTEN_FDS_START;
    signal(SIGCHLD, SIG_IGN); // Nobody waits for them.
    for (;;) {
        int file = accept4(SD_LISTEN_FDS_START, NULL, NULL, SOCK_CLOEXEC);
        if (file < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (file < 0) refuse(EX_OSERR, "the socket takes no connections: %s", strerror(errno));
        pid_t process = fork();
        if (process < 0) fprintf(stderr, "flowbusctl-connect: there is no process for a connection: %s\n", strerror(errno));
        if (!process) {
            close(SD_LISTEN_FDS_START);
            signal(SIGCHLD, SIG_DFL);
            return file;
        }
        close(file);
    }
}

int main(int count, char **arguments)
{
    static const struct option options[] = {{"address", required_argument, NULL, 'a'}, {"system", no_argument, NULL, 'y'}, {"user", no_argument, NULL, 'u'},
        {"socket", no_argument, NULL, 's'}, {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {0}};
    const char *address = NULL;
    bool is_system = false, has_socket = false;
    for (int option; (option = getopt_long(count, arguments, "", options, NULL)) >= 0;) {
        switch (option) {
        case 'a': address = optarg; break;
        case 'y': is_system = true; break;
        case 'u': is_system = false; break;
        case 's': has_socket = true; break;
        case 'h':
            puts("usage: flowbusctl connect [--user | --system | --address ADDRESS] [--socket]\n\n"
                 "Takes part by lines: each line of standard input is a JSON object, and so is each line of standard output.\n\n"
                 "  --user             use the session bus (default)\n"
                 "  --system           use the system bus\n"
                 "  --address ADDRESS  use the bus at this address\n"
                 "  --socket           use the connections of a socket unit of systemd instead of standard input and output\n"
                 "  --help             print this\n"
                 "  --version          print the version");
            return 0;
        case 'v': puts("flowbusctl-connect " VERSION); return 0;
        default: refuse(EX_USAGE, "see `flowbusctl connect --help`");
        }
    }
    if (optind < count) refuse(EX_USAGE, "'%s' is too much: there are no arguments, only options; see `flowbusctl connect --help`", arguments[optind]);
    if (address && is_system) refuse(EX_USAGE, "--system and --address are given; a connection has one bus");
    signal(SIGPIPE, SIG_IGN);
    int socket = has_socket ? accepted() : -1;
    if (sd_event_default(&loop) < 0) refuse(EX_OSERR, "there is no event loop: %s", strerror(errno));
    bus = open_bus(address, is_system, loop);
    requests_begin();
    events_begin();
    lines_begin(has_socket ? socket : STDIN_FILENO, has_socket ? socket : STDOUT_FILENO);
    int result = sd_event_loop(loop);
    // What was said last, such as the answer to a call.
    sd_bus_flush_close_unref(bus);
    return result < 0 ? EX_OSERR : result;
}
