// SPDX-License-Identifier: Apache-2.0
// sway, by its IPC. It is one transaction what one message says, so no picture shows a part of it.
#include "stacker.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { RUN_COMMAND = 0, SUBSCRIBE = 2, GET_TREE = 4, GET_VERSION = 7 };
enum { LIMIT = 64 << 20 }; // Bytes of an answer; more is none.

// A program that draws a floating window in the size that it was asked for before undoes a new one, and no event of sway tells. sway
// waits for 200 ms for a window; one of a program that begins may take longer.
static const uint64_t LOOK_AGAIN[] = {250000, 1000000}; // us after windows got another size or place

static int commands = -1, events = -1;
static uint64_t focused;
static char version[64];
static sd_event_source *looks[2];
static char *raising; // Commands that raise what was put above other screens.
static bool raises_all; // Also what is above the cover alone.

static int connect_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("SWAYSOCK");
    if (!path || strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool read_all(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = recv(fd, (char *)data + done, size - done, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR)) return false;
        if (got > 0) done += (size_t)got;
    }
    return true;
}

// What sway says, which the caller frees; NULL if it has ended.
static char *receive(int fd, uint32_t *kind)
{
    char head[14];
    uint32_t size;
    if (!read_all(fd, head, sizeof head)) return NULL;
    memcpy(&size, head + 6, sizeof size);
    memcpy(kind, head + 10, sizeof *kind);
    char *text = size < LIMIT ? malloc(size + 1) : NULL;
    if (!text) return NULL;
    text[size] = 0;
    if (read_all(fd, text, size)) return text;
    free(text);
    return NULL;
}

static char *ask(int fd, uint32_t kind, const char *text)
{
    uint32_t size = (uint32_t)strlen(text), answered;
    char head[14] = "i3-ipc";
    memcpy(head + 6, &size, sizeof size);
    memcpy(head + 10, &kind, sizeof kind);
    if (send(fd, head, sizeof head, MSG_NOSIGNAL | (size ? MSG_MORE : 0)) != sizeof head) return NULL;
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(fd, text + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return NULL;
        if (sent > 0) done += (size_t)sent;
    }
    return receive(fd, &answered);
}

static int has_event(sd_event_source *source, int fd, uint32_t revents, void *data)
{
    uint32_t kind;
    char *text = receive(fd, &kind);
    if (!text) begin_anew("sway has ended");
    // Titles and marks are no business of this program, and a clock may be in one.
    char *change = strstr(text, "\"change\"");
    char *value = change ? strchr(change, ':') : NULL;
    while (value && (*++value == ' ')) {}
    if (!value || (strncmp(value, "\"title\"", 7) && strncmp(value, "\"mark\"", 6))) changed();
    free(text);
    return 0;
}

// NULL, which has no member, is no text, 0 and false, if it is not there.
static struct json_object *get(struct json_object *node, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(node, key, &value);
    return value;
}

static const char *text_of(struct json_object *node, const char *key)
{
    return json_object_get_string(get(node, key));
}

static int64_t number_of(struct json_object *node, const char *key)
{
    return json_object_get_int64(get(node, key));
}

static bool is_true(struct json_object *node, const char *key)
{
    return json_object_get_boolean(get(node, key));
}

static struct area area_of(struct json_object *node)
{
    struct json_object *rect = get(node, "rect");
    return (struct area){(int)number_of(rect, "x"), (int)number_of(rect, "y"), (int)number_of(rect, "width"), (int)number_of(rect, "height")};
}

// Many windows have no application id, and those of X11 a class or none.
static const char *name_of(struct json_object *node)
{
    const char *name = text_of(node, "app_id");
    if (!name) name = text_of(get(node, "window_properties"), "class");
    return name ? name : "";
}

static void visit(struct arena *arena, struct view *view, struct json_object *node, int level, int wanted, int depth)
{
    static const char *const children[] = {"nodes", "floating_nodes"};
    const char *kind = text_of(node, "type");
    if (depth > 64) return; // Of containers in containers.
    if (is_true(node, "focused")) focused = (uint64_t)number_of(node, "id");
    if (wanted < 0) {
        if (kind && !strcmp(kind, "output") && text_of(node, "name") && strcmp(text_of(node, "name"), "__i3"))
            *ADD(arena, &view->outputs) = (struct output){.name = arena_copy(arena, text_of(node, "name")), .area = area_of(node)};
    } else if (get(node, "shell")) {
        if (number_of(node, "fullscreen_mode")) level = 2;
        else level = kind && !strcmp(kind, "floating_con");
        if (level == wanted)
            *ADD(arena, &view->windows) = (struct window){.name = arena_copy(arena, name_of(node)), .id = (uint64_t)number_of(node, "id"),
                .area = area_of(node), .process = (pid_t)number_of(node, "pid"), .output = -1, .is_shown = is_true(node, "visible"),
                .is_mapped = true, .is_free = level == 1};
    }
    for (int at = 0; at < 2; at++) {
        struct json_object *list = get(node, children[at]);
        size_t length = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
        for (size_t child = 0; child < length; child++) visit(arena, view, json_object_array_get_idx(list, child), level, wanted, depth + 1);
    }
}

static bool sway_read(struct arena *arena, struct view *view)
{
    char *text = ask(commands, GET_TREE, "");
    if (!text) begin_anew("sway has ended");
    struct json_object *tree = json_tokener_parse(text);
    free(text);
    if (!tree) return false;
    focused = 0;
    // Those that are tiled, that float, and that are fullscreen, as they are drawn.
    for (int level = -1; level < 3; level++) visit(arena, view, tree, 0, level, 0);
    json_object_put(tree);
    sort_outputs(view);
    for EACH (struct window, it, &view->windows) it->output = output_at(view, it->area);
    view->focused = focused;
    return true;
}

// Raises once more what is above other screens, and leaves the focus where it is. From 1.10 on sway draws a window that was tiled, fullscreen
// or hidden above all others when its program has drawn it, whatever the order in its tree is.
static int look_again(sd_event_source *source, uint64_t time, void *data)
{
    struct arena *arena = arena_new();
    struct view view = {0};
    if (raising && *raising && sway_read(arena, &view)) {
        char *answer = ask(commands, RUN_COMMAND,
            arena_print(arena, "%s[con_id=%llu] focus", raising, (unsigned long long)focused));
        free(answer);
    }
    arena_free(arena);
    if (source == looks[1]) raises_all = false;
    changed();
    return 0;
}

static void show(FILE *text, const struct plan *plan, const struct aim *aim, bool is_focused)
{
    // Of two windows that are fullscreen, sway 1.10 shows the former one.
    fprintf(text, "[con_id=%llu] fullscreen disable, floating enable, move window to output \"%s\"", (unsigned long long)aim->window.id,
        plan->view.outputs.at[aim->output].name);
    if (!aim->keeps_size)
        fprintf(text, ", border none, resize set %d px %d px, move absolute position %d %d", aim->area.width, aim->area.height, aim->area.x,
            aim->area.y);
    fputs(is_focused ? ", focus; " : "; ", text);
}

static void sway_arrange(struct arena *arena, const struct plan *plan)
{
    char *commanded = NULL;
    size_t size;
    FILE *text = open_memstream(&commanded, &size);
    if (!text) return;
    bool has_focus = plan->view.focused == plan->focus;
    for EACH (struct aim, it, &plan->aims)
        if (!has_focus && it->window.id == plan->focus) show(text, plan, it, true);
    for EACH (struct aim, it, &plan->aims) {
        if (it->is_raised && it->window.id == plan->focus) {
            show(text, plan, it, true); // This raises it, also if it has the focus.
        } else { // A window that comes from elsewhere is above all others. It does not take the focus, not even for a moment.
            if (it->is_raised && it->window.is_shown)
                fprintf(text, "[con_id=%llu] move window to workspace hidden; ", (unsigned long long)it->window.id);
            show(text, plan, it, false);
        }
    }
    // The focus is elsewhere by now. Else it would be given to any window that stays, such as a strip.
    for EACH (struct window, it, &plan->hidden)
        fprintf(text, "[con_id=%llu] move window to workspace hidden; ", (unsigned long long)it->id);
    fclose(text);
    char *answer = ask(commands, RUN_COMMAND, commanded);
    free(commanded);
    if (!answer) begin_anew("sway has ended");
    free(answer);

    // What comes back to where it was within one transaction stays where it is drawn from 1.10 on, so that a new cover is above all.
    raises_all = raises_all || FIND(struct aim, it, &plan->aims, it->is_raised && it->window.is_shown);
    free(raising);
    text = open_memstream(&raising, &size);
    if (!text) abort();
    for (size_t output = 0; output < plan->view.outputs.count; output++) {
        int above = 0; // The first two are the cover, and what is above it.
        for EACH (struct aim, it, &plan->aims)
            if ((size_t)it->output == output && !it->is_bar && ++above > (raises_all ? 1 : 2))
                fprintf(text, "[con_id=%llu] focus; ", (unsigned long long)it->window.id);
    }
    fclose(text);
    for (size_t at = 0; at < 2; at++) {
        looks[at] = sd_event_source_disable_unref(looks[at]);
        sd_event_add_time_relative(loop, &looks[at], CLOCK_MONOTONIC, LOOK_AGAIN[at], 1000, look_again, NULL);
    }
}

// 1.8 has another word for it, and takes this one, too.
static void sway_switch_output(const char *name, bool is_on)
{
    char command[128];
    snprintf(command, sizeof command, "output \"%.64s\" dpms %s", name, is_on ? "on" : "off");
    free(ask(commands, RUN_COMMAND, command));
}

static const struct backend sway = {
    .name = "sway IPC",
    .can = "order, focus, size and place, hide, outputs, process, off and on",
    .version = version,
    .has_order = true,
    .read = sway_read,
    .arrange = sway_arrange,
    .switch_output = sway_switch_output,
};

const struct backend *sway_connect(void)
{
    char *text = NULL;
    if ((commands = connect_socket()) < 0 || (events = connect_socket()) < 0 || !(text = ask(commands, GET_VERSION, ""))) goto failed;
    struct json_object *found = json_tokener_parse(text);
    if (found && text_of(found, "human_readable")) snprintf(version, sizeof version, "%s", text_of(found, "human_readable"));
    json_object_put(found);
    free(text);
    if (!(text = ask(events, SUBSCRIBE, "[\"window\", \"workspace\", \"output\"]"))) goto failed;
    free(text);
    sd_event_add_io(loop, NULL, events, EPOLLIN, has_event, NULL);
    return &sway;
failed:
    free(text);
    if (commands >= 0) close(commands);
    if (events >= 0) close(events);
    return NULL;
}
