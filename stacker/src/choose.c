// SPDX-License-Identifier: Apache-2.0
// What is to be seen at each output: the windows of the screens in sight, those that were in front before, or the cover.
#include "look.h"

static const uint64_t DRAWN = 100000; // us after which a window is drawn in a new size; nothing tells

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Puts a window above all that were chosen before; one that was chosen before stays where it is.
static void choose_one(struct glance *g, const char *name, int output, bool is_bar)
{
    struct place *place = FIND(struct place, it, &g->chosen, !strcmp(it->name, name));
    if (!place) place = ADD(g->arena, &g->chosen);
    *place = (struct place){.name = name, .output = output, .is_bar = is_bar};
}

static void choose_above(struct glance *g, const char *name)
{
    struct place *found = FIND(struct place, it, &g->chosen, !strcmp(it->name, name)), *last = g->chosen.at + g->chosen.count - 1;
    if (!found) return;
    struct place place = *found;
    memmove(found, found + 1, (size_t)(last - found) * sizeof place);
    *last = place;
}

// Whether something has been missing for so long that its place is covered.
static bool is_late(struct glance *g, const char *what)
{
    struct missing *found = FIND(struct missing, it, &g->after->missing, !strcmp(it->what, what));
    if (!found) {
        const struct missing *before = FIND(struct missing, it, &g->before->missing, !strcmp(it->what, what));
        found = ADD(g->arena, &g->after->missing);
        *found = (struct missing){.what = arena_copy(g->arena, what), .late = before ? before->late : now() + LATE};
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
    char name[16];
    process_name(show->process, name);
    return !strcmp(name, "flowbus-run");
}

// Whether a window is nobody's: no name tells whose it is.
static bool is_free(struct glance *g, const struct window *window)
{
    return is_unnamed(g, window) && !FIND(struct show, it, &g->shows, !strcmp(it->name, window->name)) &&
           !FIND(struct command, it, &g->after->commands, it->window == window->id);
}

// Where no process is told, the first window that nobody else has and that comes after a command line is that of the command line. It stays so
// while it is there, in sight or not. After a restart it is the one that is fullscreen, as it was in front, or the newest one: their order is
// not that of their age everywhere.
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
        uint64_t instance = show->screen->instance;
        if (is_command(show) && !FIND(struct command, it, &g->before->commands, it->instance == instance))
            *ADD(g->arena, &g->after->commands) = (struct command){.instance = instance, .since = instance > g->after->oldest ? newest : 0};
    }
    for EACH (struct command, it, &g->before->commands) {
        struct command command = *it;
        if (!FIND(struct window, window, &g->plan.view.windows, window->id == command.window)) command.window = 0;
        if (command.window || waiting++ < MOST) *ADD(g->arena, &g->after->commands) = command;
    }
    for EACH (struct command, it, &g->after->commands) {
        struct window *window = FIND(struct window, one, &g->plan.view.windows, one->id == it->window);
        for EACH (struct window, one, &g->plan.view.windows) {
            bool is_better = !window || (!it->since && window->is_free); // What was there before the stacker has no age.
            if (!it->window && one->id > it->since && is_better && is_free(g, one)) window = one;
        }
        const struct show *show = FIND(struct show, one, &g->shows, one->screen->instance == it->instance);
        if (window) it->window = window->id;
        if (window && show) window->name = show->name;
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
        show->output = output_named(&g->plan.view, it->output, 0);
        if (show->is_bar) g->has_bar[show->output] = true;
        is_mixed = is_mixed || (from[show->output] && strcmp(from[show->output], it->output));
        from[show->output] = it->output;
    }
    flowbus_ask_always(is_mixed);
    if (g->backend->tells_no_process) find_commands(g);
    // The windows of command lines.
    for EACH (struct window, window, &g->plan.view.windows) {
        uint64_t instance = is_unnamed(g, window) ? run_instance(window->process) : 0;
        const struct show *show = FIND(struct show, it, &g->shows, instance && it->screen->instance == instance);
        if (show) window->name = show->name;
    }
    // A program that names its windows otherwise is known by its process.
    for EACH (struct show, it, &g->shows) {
        if (!*it->screen->application || !it->process) continue;
        if (FIND(struct window, window, &g->plan.view.windows, !strcmp(window->name, it->name))) continue;
        for EACH (struct window, window, &g->plan.view.windows)
            if (window->process == it->process && is_unnamed(g, window)) window->name = it->name;
    }
}

// The windows without those of the processes that had a screen before: a program that hangs keeps its window.
static void find_owned(struct glance *g)
{
    for EACH (struct window, window, &g->plan.view.windows) {
        bool is_old = false;
        for EACH (struct show, it, &g->shows)
            if (!strcmp(it->name, window->name) && window->process != it->process && it->process)
                is_old = is_old || FIND(struct window, other, &g->plan.view.windows,
                                       !strcmp(other->name, it->name) && other->process == it->process);
        if (!is_old) *ADD(g->arena, &g->owned) = *window;
    }
}

const struct seen *seen_at(const struct state *of, const char *output)
{
    return FIND(struct seen, it, &of->seen, !strcmp(it->output, output));
}

static bool same_size(struct area a, struct area b)
{
    return a.width == b.width && a.height == b.height;
}

static bool was_seen(struct glance *g, int output, const char *name)
{
    const struct seen *seen = seen_at(g->before, g->plan.view.outputs.at[output].name);
    return seen && FIND(struct place, it, &seen->places, !strcmp(it->name, name));
}

// Has the windows of screens that were not seen yet drawn as large as they will be.
static void prepare(struct glance *g)
{
    for EACH (struct prepared, it, &g->before->prepared)
        if (FIND(struct window, window, &g->owned, window->id == it->id)) *ADD(g->arena, &g->after->prepared) = *it;
    for EACH (struct show, it, &g->shows) {
        const struct window *window = FIND(struct window, one, &g->owned, !strcmp(one->name, it->name));
        struct area wanted = area_of(g, it->output, g->has_bar[it->output], it->is_bar);
        if (!window || was_seen(g, it->output, it->name) || same_size(window->area, wanted)) continue;
        struct prepared *done = FIND(struct prepared, one, &g->after->prepared, one->id == window->id);
        if (done && same_size(done->size, wanted)) continue;
        if (!done) done = ADD(g->arena, &g->after->prepared);
        *done = (struct prepared){.id = window->id, .size = wanted, .drawn = now() + DRAWN};
        g->backend->prepare(&(struct aim){.window = *window, .output = it->output, .area = wanted, .is_bar = it->is_bar});
    }
}

static struct layer *layer_of(const struct state *of, const char *output, const char *name)
{
    return FIND(struct layer, it, &of->former, !strcmp(it->output, output) && !strcmp(it->layer, name));
}

static struct layer *add_layer(struct glance *g, const char *output, const char *name)
{
    struct layer *layer = ADD(g->arena, &g->after->former);
    *layer = (struct layer){.output = arena_copy(g->arena, output), .layer = arena_copy(g->arena, name)};
    return layer;
}

// Has all that screens ask for: their windows; those that were in front in their layer; a cover.
static void choose_screens(struct glance *g)
{
    for EACH (struct show, it, &g->shows) {
        if (!it->is_bar) g->dark[it->output] = flowbus_is_own(it->screen) ? it->screen->instance : 0;
        if (flowbus_is_own(it->screen)) {
            choose_above(g, g->covers[it->output]);
            continue;
        }
        const char *output = g->plan.view.outputs.at[it->output].name;
        struct layer *layer = layer_of(g->after, output, it->screen->layer);
        if (!layer) layer = add_layer(g, output, it->screen->layer);
        if (it->screen->is_visible && is_there(g, it->name)) {
            *ADD(g->arena, &layer->names) = arena_copy(g->arena, it->name);
            choose_one(g, it->name, it->output, it->is_bar);
            continue;
        }
        bool is_covered = is_late(g, it->name) || *it->screen->waiting;
        const struct layer *former = is_covered ? NULL : layer_of(g->before, output, it->screen->layer);
        if (former)
            for EACH (const char *, name, &former->names)
                if (is_there(g, *name)) {
                    const char *copy = *ADD(g->arena, &layer->names) = arena_copy(g->arena, *name);
                    choose_one(g, copy, it->output, it->is_bar);
                }
        if (is_covered && !it->is_bar) {
            const char *slash = strrchr(it->screen->path, '/');
            const char *name = slash ? slash + 1 : it->screen->path;
            g->texts[it->output] = (struct text){.title = *it->screen->title ? it->screen->title : name, .why = it->screen->waiting};
            choose_above(g, g->covers[it->output]); // What is below this screen is not seen.
        }
    }
    // Layers without a screen keep what was there.
    for EACH (struct layer, it, &g->before->former) {
        if (layer_of(g->after, it->output, it->layer)) continue;
        struct layer *layer = add_layer(g, it->output, it->layer);
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
    return FIND(struct show, it, &g->shows, it->output == output && !it->is_bar);
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
            int output = output_named(&g->plan.view, it->output, 0);
            if (!is_used(g, output)) g->texts[output] = (struct text){.title = it->title, .why = it->why};
        }
    for (size_t at = 0; at < outputs; at++) {
        int output = (int)at, windows = 0;
        const char *name = g->plan.view.outputs.at[at].name;
        const struct seen *before = seen_at(g->before, name);
        bool is_locked = FIND(struct show, it, &g->shows, it->output == output && !strcmp(it->screen->style, "lock"));
        for EACH (struct place, it, &g->chosen) windows += it->output == output && !it->is_bar;
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
    for (size_t at = 0; at < g->plan.view.outputs.count; at++) choose_one(g, g->covers[at], (int)at, false);
    if (screens) read_screens(g, screens);
    find_owned(g);
    if (!screens) return;
    if (g->backend->prepare) prepare(g);
    choose_screens(g);
    choose_rest(g);
}
