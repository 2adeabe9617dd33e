// SPDX-License-Identifier: Apache-2.0
// What is to be seen at each output: the windows of the screens in sight, those that were in front before, or the cover.
#include "look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Puts a window above all that were chosen before; one that was chosen before stays where it is.
static void choose_one(struct glance *g, const char *name, int output, bool is_bar)
{
    for EACH (struct place, it, &g->chosen)
        if (!strcmp(it->name, name)) {
            it->output = output, it->is_bar = is_bar;
            return;
        }
    *ADD(g->arena, &g->chosen) = (struct place){.name = name, .output = output, .is_bar = is_bar};
}

static void choose_above(struct glance *g, const char *name)
{
    for (size_t at = 0; at < g->chosen.count; at++)
        if (!strcmp(g->chosen.at[at].name, name)) {
            struct place place = g->chosen.at[at];
            memmove(g->chosen.at + at, g->chosen.at + at + 1, (g->chosen.count - at - 1) * sizeof place);
            g->chosen.at[g->chosen.count - 1] = place;
            return;
        }
}

// Whether something has been missing for so long that its place is covered.
static bool is_late(struct glance *g, const char *what)
{
    struct missing *found = NULL;
    for EACH (struct missing, it, &g->after->missing)
        if (!strcmp(it->what, what)) found = it;
    if (!found) {
        found = ADD(g->arena, &g->after->missing);
        *found = (struct missing){.what = arena_copy(g->arena, what), .late = now() + LATE};
        for EACH (struct missing, it, &g->before->missing)
            if (!strcmp(it->what, what)) found->late = it->late;
    }
    if (found->late <= now()) return true;
    changed_at(found->late + 1000);
    return false;
}

// The instance of the screen whose command line a process is, or was started by; 0 if there is none. flowbus-run says so in its environment.
static uint64_t run_instance(pid_t process)
{
    char path[32], *variable = NULL;
    size_t room = 0;
    uint64_t instance = 0;
    snprintf(path, sizeof path, "/proc/%d/environ", process);
    FILE *environment = process ? fopen(path, "re") : NULL;
    while (environment && !instance && getdelim(&variable, &room, 0, environment) > 0)
        sscanf(variable, "FLOWBUS_SCREEN=" ROOT "/instance/%" SCNu64, &instance);
    free(variable);
    if (environment) fclose(environment);
    return instance;
}

static bool is_command(const struct show *show)
{
    char path[32], name[16] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", show->process);
    FILE *file = show->process ? fopen(path, "re") : NULL;
    if (file && fgets(name, sizeof name, file)) name[strcspn(name, "\n")] = 0;
    if (file) fclose(file);
    return !strcmp(name, "flowbus-run");
}

// Whether a window is nobody's: no name tells whose it is.
static bool is_free(struct glance *g, const struct window *window)
{
    if (is_screen_name(window->name) || is_named(window->name, g->exempt)) return false;
    for EACH (struct show, it, &g->shows)
        if (!strcmp(it->name, window->name)) return false;
    for EACH (struct command, it, &g->after->commands)
        if (it->window == window->id) return false;
    return true;
}

// Where no process is told, the first window that nobody else has and that comes after a command line is that of the command line. It stays so
// while it is there, in sight or not.
static void find_commands(struct glance *g)
{
    enum { MOST = 8 }; // Of those without a window, which may have ended.
    uint64_t newest = 0, highest = 0;
    int waiting = 0;
    for EACH (struct window, it, &g->plan.view.windows) newest = it->id > newest ? it->id : newest;
    for EACH (struct show, it, &g->shows) highest = it->screen->instance > highest ? it->screen->instance : highest;
    g->after->oldest = g->before->oldest ? g->before->oldest : highest;
    for (size_t at = g->shows.count; at-- > 0;) {
        const struct show *show = &g->shows.at[at];
        bool is_known = !is_command(show);
        for EACH (struct command, it, &g->before->commands) is_known = is_known || it->instance == show->screen->instance;
        if (!is_known)
            *ADD(g->arena, &g->after->commands) = (struct command){
                .instance = show->screen->instance, .since = show->screen->instance > g->after->oldest ? newest : 0};
    }
    for EACH (struct command, it, &g->before->commands) {
        struct command command = *it;
        bool is_there = false;
        for EACH (struct window, window, &g->plan.view.windows) is_there = is_there || window->id == command.window;
        if (!is_there) command.window = 0;
        if (is_there || waiting++ < MOST) *ADD(g->arena, &g->after->commands) = command;
    }
    for EACH (struct command, it, &g->after->commands) {
        for EACH (struct window, window, &g->plan.view.windows)
            if (!it->window && window->id > it->since && is_free(g, window)) it->window = window->id;
        for EACH (struct window, window, &g->plan.view.windows)
            for EACH (struct show, show, &g->shows)
                if (window->id == it->window && show->screen->instance == it->instance) window->name = show->name;
    }
}

// The screens in sight, by their outputs.
static void read_screens(struct glance *g, const screen_list *screens)
{
    bool is_mixed = false;
    const char **from = arena_take(g->arena, g->plan.view.outputs.count * sizeof *from);
    for EACH (struct screen, it, screens) {
        struct show *show = ADD(g->arena, &g->shows);
        show->screen = it;
        show->name = *it->application ? it->application : window_name(g, it->path, it->instance);
        show->is_bar = !strcmp(it->style, "bar");
        show->process = flowbus_process(it->owner);
        for (size_t at = 0; at < g->plan.view.outputs.count; at++)
            if (!strcmp(g->plan.view.outputs.at[at].name, it->output)) show->output = (int)at;
        if (show->is_bar) g->has_bar[show->output] = true;
        is_mixed = is_mixed || (from[show->output] && strcmp(from[show->output], it->output));
        from[show->output] = it->output;
    }
    flowbus_ask_always(is_mixed);
    if (g->backend->tells_no_process) find_commands(g);
    // The windows of command lines.
    for EACH (struct window, window, &g->plan.view.windows) {
        uint64_t instance = is_screen_name(window->name) || is_named(window->name, g->exempt) ? 0 : run_instance(window->process);
        for EACH (struct show, it, &g->shows)
            if (instance && it->screen->instance == instance) window->name = it->name;
    }
    // A program that names its windows otherwise is known by its process.
    for EACH (struct show, it, &g->shows) {
        if (!*it->screen->application || !it->process) continue;
        bool is_known = false;
        for EACH (struct window, window, &g->plan.view.windows) is_known = is_known || !strcmp(window->name, it->name);
        for EACH (struct window, window, &g->plan.view.windows)
            if (!is_known && window->process == it->process && !is_screen_name(window->name) && !is_named(window->name, g->exempt))
                window->name = it->name;
    }
}

// The windows without those of the processes that had a screen before: a program that hangs keeps its window.
static void find_owned(struct glance *g)
{
    for EACH (struct window, window, &g->plan.view.windows) {
        bool is_old = false;
        for EACH (struct show, it, &g->shows) {
            if (strcmp(it->name, window->name) || window->process == it->process) continue;
            for EACH (struct window, other, &g->plan.view.windows)
                is_old = is_old || (!strcmp(other->name, it->name) && other->process == it->process && it->process);
        }
        if (!is_old) *ADD(g->arena, &g->owned) = *window;
    }
}

const struct seen *seen_at(const struct state *of, const char *output)
{
    for EACH (struct seen, it, &of->seen)
        if (!strcmp(it->output, output)) return it;
    return NULL;
}

static bool was_seen(struct glance *g, int output, const char *name)
{
    const struct seen *seen = seen_at(g->before, g->plan.view.outputs.at[output].name);
    if (seen)
        for EACH (struct place, it, &seen->places)
            if (!strcmp(it->name, name)) return true;
    return false;
}

// Has the windows of screens that were not seen yet drawn as large as they will be.
static void prepare(struct glance *g)
{
    for EACH (struct prepared, it, &g->before->prepared)
        for EACH (struct window, window, &g->owned)
            if (window->id == it->id) {
                *ADD(g->arena, &g->after->prepared) = *it;
                break;
            }
    for EACH (struct show, it, &g->shows)
        for EACH (struct window, window, &g->owned) {
            if (strcmp(window->name, it->name)) continue;
            struct area wanted = area_of(g, it->output, g->has_bar[it->output], it->is_bar);
            struct prepared *done = NULL;
            for EACH (struct prepared, prepared, &g->after->prepared)
                if (prepared->id == window->id) done = prepared;
            if (was_seen(g, it->output, it->name) || (window->area.width == wanted.width && window->area.height == wanted.height) ||
                (done && done->width == wanted.width && done->height == wanted.height))
                break;
            if (!done) done = ADD(g->arena, &g->after->prepared);
            *done = (struct prepared){.id = window->id, .width = wanted.width, .height = wanted.height};
            g->backend->prepare(&(struct aim){.window = *window, .output = it->output, .area = wanted, .is_bar = it->is_bar});
            break;
        }
}

static struct layer *layer_of(struct glance *g, const struct show *show)
{
    const char *output = g->plan.view.outputs.at[show->output].name;
    for EACH (struct layer, it, &g->after->former)
        if (!strcmp(it->output, output) && !strcmp(it->layer, show->screen->layer)) return it;
    struct layer *layer = ADD(g->arena, &g->after->former);
    *layer = (struct layer){.output = arena_copy(g->arena, output), .layer = arena_copy(g->arena, show->screen->layer)};
    return layer;
}

static const struct layer *former_of(struct glance *g, const struct layer *layer)
{
    for EACH (struct layer, it, &g->before->former)
        if (!strcmp(it->output, layer->output) && !strcmp(it->layer, layer->layer)) return it;
    return NULL;
}

// Has all that screens ask for: their windows; those that were in front in their layer; a cover.
static void choose_screens(struct glance *g)
{
    for EACH (struct show, it, &g->shows) {
        if (!it->is_bar) g->dark[it->output] = flowbus_is_own(it->screen) ? it->screen->instance : 0;
        if (flowbus_is_own(it->screen)) {
            choose_above(g, cover_name(g, it->output));
            continue;
        }
        struct layer *layer = layer_of(g, it);
        if (it->screen->is_visible && is_there(g, it->name)) {
            *ADD(g->arena, &layer->names) = arena_copy(g->arena, it->name);
            choose_one(g, it->name, it->output, it->is_bar);
            continue;
        }
        bool is_covered = is_late(g, it->name) || *it->screen->waiting;
        const struct layer *former = former_of(g, layer);
        if (!is_covered && former)
            for EACH (const char *, name, &former->names)
                if (is_there(g, *name)) {
                    const char *copy = *ADD(g->arena, &layer->names) = arena_copy(g->arena, *name);
                    choose_one(g, copy, it->output, it->is_bar);
                }
        if (is_covered && !it->is_bar) {
            const char *slash = strrchr(it->screen->path, '/');
            const char *name = slash ? slash + 1 : it->screen->path;
            g->texts[it->output] = (struct text){.title = *it->screen->title ? it->screen->title : name, .why = it->screen->waiting};
            choose_above(g, cover_name(g, it->output)); // What is below this screen is not seen.
        }
    }
    // Layers without a screen keep what was there.
    for EACH (struct layer, it, &g->before->former) {
        bool is_new = false;
        for EACH (struct layer, layer, &g->after->former)
            is_new = is_new || (!strcmp(layer->output, it->output) && !strcmp(layer->layer, it->layer));
        if (is_new) continue;
        struct layer *layer = ADD(g->arena, &g->after->former);
        *layer = (struct layer){.output = arena_copy(g->arena, it->output), .layer = arena_copy(g->arena, it->layer)};
        for EACH (const char *, name, &it->names)
            if (is_there(g, *name)) *ADD(g->arena, &layer->names) = arena_copy(g->arena, *name);
    }
}

void switch_output(struct glance *g, struct seen *seen)
{
    bool can = seen->dark;
    for (size_t at = 0; g->backend->switches_all && at < g->plan.view.outputs.count; at++) can = can && g->dark[at];
    int wanted = can ? OFF : ON;
    if (g->backend->switch_output && (int)seen->power != wanted) g->backend->switch_output(seen->output, wanted == ON);
    seen->power = wanted;
}

static bool is_used(struct glance *g, int output)
{
    for EACH (struct show, it, &g->shows)
        if (it->output == output && !it->is_bar) return true;
    return false;
}

// An output whose root has nothing to show keeps what was seen for a while, and then says why. Nothing is kept below a lock.
static void choose_rest(struct glance *g)
{
    size_t outputs = g->plan.view.outputs.count;
    bool are_all_used = true;
    for (size_t at = 0; at < outputs; at++) are_all_used = are_all_used && is_used(g, (int)at);
    const root_list *roots = flowbus_empty_roots(!are_all_used);
    if (roots)
        for EACH (struct empty_root, it, roots) {
            int output = 0;
            for (size_t at = 0; at < outputs; at++)
                if (!strcmp(g->plan.view.outputs.at[at].name, it->output)) output = (int)at;
            if (!is_used(g, output)) g->texts[output] = (struct text){.title = it->title, .why = it->why};
        }
    for (size_t at = 0; at < outputs; at++) {
        int output = (int)at, windows = 0;
        const char *name = g->plan.view.outputs.at[at].name;
        const struct seen *before = seen_at(g->before, name);
        bool is_locked = false;
        for EACH (struct place, it, &g->chosen) windows += it->output == output && !it->is_bar;
        for EACH (struct show, it, &g->shows) is_locked = is_locked || (it->output == output && !strcmp(it->screen->style, "lock"));
        if (windows == 1 && !g->texts[at].title && !is_locked && !g->dark[at]) {
            bool keeps = is_used(g, output) || !is_late(g, arena_print(g->arena, "\t%s", name));
            if (keeps && before)
                for EACH (struct place, it, &before->places)
                    if (is_there(g, it->name)) choose_one(g, it->name, output, it->is_bar);
        }
        struct seen *seen = ADD(g->arena, &g->after->seen);
        seen->output = arena_copy(g->arena, name);
        seen->dark = g->dark[at];
        seen->power = before ? before->power : UNKNOWN; // It may be off because of the program before this one.
        if (!seen->dark) switch_output(g, seen);
        for EACH (struct place, it, &g->chosen)
            if (it->output == output) {
                it->name = arena_copy(g->arena, it->name);
                *ADD(g->arena, &seen->places) = *it;
            }
        const struct text *text = &g->texts[at];
        covers_say(cover_number(name), name, text->title ? text->title : "", text->title ? text->why : "");
    }
}

void choose(struct glance *g, const screen_list *screens)
{
    for (size_t at = 0; at < g->plan.view.outputs.count; at++) choose_one(g, cover_name(g, (int)at), (int)at, false);
    if (screens) read_screens(g, screens);
    find_owned(g);
    if (!screens) return;
    if (g->backend->prepare) prepare(g);
    choose_screens(g);
    choose_rest(g);
}
