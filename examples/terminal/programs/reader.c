// reader FIFO   The reader of tickets: each line of a named pipe, as of a serial line, is a ticket and its fee, such as 'A-17 450'.
//
// A ticket stays in the slot until the terminal takes it: the reader emits its step again whenever something has changed, and after it was
// killed. It takes part by the lines of `flowbusctl connect`, and needs json-c alone.
#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *bus;                              // What flowbus reads.
static char ticket[64];                        // That in the slot; empty if there is none.
static unsigned cents;
static int is_asked, has_changed;
static char *kept;                             // The file that says so to the next process.

static void emit(void)
{
    fprintf(bus, "{\"emit\": \"ticketRead\", \"on\": \"customer/visit\", \"arguments\": {\"ticket\": \"%s\", \"cents\": %u}, \"id\": 1}\n", ticket, cents);
    is_asked = 1, has_changed = 0;
}

static void slot_has(const char *text)
{
    if (!*text) return;
    char fee[10]; // %u would take '-5', and be as large as it gets for more digits.
    int end = 0;
    if (sscanf(text, "%63[A-Za-z0-9-] %9[0-9]%n", ticket, fee, &end) == 2 && !text[end]) {
        cents = (unsigned)strtoul(fee, NULL, 10);
        FILE *file = fopen(kept, "w");
        if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file)) perror(kept);
        return emit();
    }
    fprintf(stderr, "reader: no ticket: '%s'\n", text);
    *ticket = 0;
}

// The verdict on the ticket; or something has changed, as long as it is in the slot.
static void flowbus_says(const char *text)
{
    struct json_object *line = json_tokener_parse(text), *verdict;
    if (json_object_object_get_ex(line, "id", NULL)) {
        is_asked = 0;
        if (json_object_object_get_ex(line, "verdict", &verdict) && !strcmp(json_object_get_string(verdict), "navigated")) {
            printf("reader: took %s\n", ticket);
            *ticket = 0;
            unlink(kept);
        }
    } else if (!json_object_object_get_ex(line, "failed", NULL) || strcmp(json_object_get_string(json_object_object_get(line, "step")), "ticketRead")) {
        has_changed = 1;
    }
    if (*ticket && has_changed && !is_asked) emit();
    json_object_put(line);
}

// Each whole line that has come; false at the end.
static int take_lines(int file, char *text, size_t room, size_t *length, void (*take)(const char *), int one)
{
    ssize_t count = read(file, text + *length, one ? 1 : room - 1 - *length);
    if (count <= 0) return count < 0 && errno == EINTR;
    *length += (size_t)count;
    text[*length] = 0;
    char *begin = text;
    for (char *end; (end = strchr(begin, '\n')); begin = end + 1) *end = 0, take(begin);
    *length = strlen(begin);
    memmove(text, begin, *length);
    if (*length == room - 1) *length = 0; // No line is as long.
    return 1;
}

int main(int count, char **arguments)
{
    static char slot_text[128], bus_text[1 << 20];
    size_t slot_length = 0, bus_length = 0;
    int in[2], out[2];
    // Open for writing, too: so it does not end when a writer does.
    int slot = count == 2 ? open(arguments[1], O_RDWR | O_CLOEXEC) : -1;
    if (slot < 0 || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return perror("reader"), 1;
    if (!fork()) {
        dup2(out[0], STDIN_FILENO), dup2(in[1], STDOUT_FILENO);
        execlp("flowbusctl", "flowbusctl", "connect", NULL);
        perror("reader: flowbusctl");
        _exit(127);
    }
    close(out[0]), close(in[1]);
    setvbuf(bus = fdopen(out[1], "w"), NULL, _IOLBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN); // Tickets go on when nobody reads of them.
    fprintf(bus, "{\"watch\": \"navigations\"}\n");
    if (asprintf(&kept, "%s.ticket", arguments[1]) < 0) return perror("reader"), 1;
    FILE *file = fopen(kept, "r");
    if (file && fgets(slot_text, sizeof slot_text, file)) slot_has(strtok(slot_text, "\n"));
    if (file) fclose(file);
    *slot_text = 0;
    for (int is_up = 1; is_up;) {
        // The next ticket is read when this one is taken.
        struct pollfd files[] = {{in[0], POLLIN, 0}, {*ticket ? -1 : slot, POLLIN, 0}};
        if (poll(files, 2, -1) < 0 && errno != EINTR) return perror("reader"), 1;
        if (files[1].revents) take_lines(slot, slot_text, sizeof slot_text, &slot_length, slot_has, 1);
        if (files[0].revents) is_up = take_lines(in[0], bus_text, sizeof bus_text, &bus_length, flowbus_says, 0);
    }
    return 1; // The bus has ended: this program is started again.
}
