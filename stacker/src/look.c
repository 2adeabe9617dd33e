// SPDX-License-Identifier: Apache-2.0
// Where the windows that are to be seen stand, and with which focus: compares that with what is, and has the compositor arrange them if it
// differs.
#include "look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { BAR = 48 };                   // The height of a strip.
static const uint64_t PATIENCE = 5000000; // us after which a compositor that has not given the covers their places never will
static const uint64_t AGAIN = 150000;     // us after which the same is asked for once more
static const uint64_t BETWEEN = 50000;    // us after which a focus that nobody has is given to somebody
enum { TRIES = 3 };

static struct arena *memory; // Of the state.
static struct state *state;
static char **cover_outputs; // By the numbers of the covers - 1.
static int cover_count;
static uint64_t begun, tried, again, focus, held, between;
static int tries;
static char person[65];      // The output with the focus.
static bool is_ready, is_checked;

static bool same_area(struct area a, struct area b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

static int compare(const void *one, const void *other)
{
    const struct area *a = &((const struct output *)one)->area, *b = &((const struct output *)other)->area;
    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

void sort_outputs(struct view *view)
{
    if (view->outputs.count) qsort(view->outputs.at, view->outputs.count, sizeof *view->outputs.at, compare);
}

bool has_middle(struct area whole, struct area area)
{
    int x = area.x + area.width / 2 - whole.x, y = area.y + area.height / 2 - whole.y;
    return x >= 0 && x < whole.width && y >= 0 && y < whole.height;
}

int output_at(const struct view *view, struct area area)
{
    const struct output *found = FIND(struct output, it, &view->outputs, has_middle(it->area, area));
    return found ? (int)(found - view->outputs.at) : 0;
}

int output_named(const struct view *view, const char *name, int otherwise)
{
    const struct output *found = FIND(struct output, it, &view->outputs, !strcmp(it->name, name));
    return found ? (int)(found - view->outputs.at) : otherwise;
}

bool is_named(const char *name, char **names)
{
    for (; *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

const char *window_name(struct glance *g, const char *path, uint64_t instance)
{
    if (g->backend->names_are_paths) return arena_print(g->arena, "%s %llu", path, (unsigned long long)instance);
    const char *below = strncmp(path, TREE, strlen(TREE)) ? path : path + strlen(TREE);
    char *name = arena_print(g->arena, "org.flowbus.screen.%s-%llu", below, (unsigned long long)instance);
    for (char *it = name; *it; it++)
        if (*it == '/') *it = '.';
    return name;
}

bool is_screen_name(const char *name)
{
    return !strncmp(name, TREE, strlen(TREE)) || !strncmp(name, "org.flowbus.screen.", 19);
}

bool is_unnamed(struct glance *g, const struct window *window)
{
    return !is_screen_name(window->name) && !is_named(window->name, g->exempt);
}

int cover_number(const char *output)
{
    for (int at = 0; at < cover_count; at++)
        if (!strcmp(cover_outputs[at], output)) return at + 1;
    cover_outputs = realloc(cover_outputs, (size_t)(cover_count + 1) * sizeof *cover_outputs);
    if (!cover_outputs || !(cover_outputs[cover_count] = strdup(output))) abort();
    return ++cover_count;
}

static bool is_cover(struct glance *g, const char *name)
{
    for (size_t at = 0; at < g->plan.view.outputs.count; at++)
        if (!strcmp(name, g->covers[at])) return true;
    return false;
}

static bool is_undrawn(struct glance *g, const struct window *window)
{
    const struct prepared *found = FIND(struct prepared, it, &g->after->prepared, it->id == window->id && it->drawn > now());
    if (found) changed_at(found->drawn + 1000);
    return found;
}

bool is_there(struct glance *g, const char *name)
{
    return FIND(struct window, it, &g->owned, !strcmp(it->name, name) && !is_undrawn(g, it));
}

struct area area_of(struct glance *g, int output, bool has_bar, bool is_bar)
{
    struct area area = g->plan.view.outputs.at[output].area;
    if (is_bar) area.height = BAR;
    else if (has_bar) area.y += BAR, area.height -= BAR;
    return area;
}

// A window that has no screen of its own, and is a dialog of the program that has this window.
static bool is_dialog(struct glance *g, const struct window *window)
{
    return is_unnamed(g, window) && !FIND(struct place, it, &g->chosen, !strcmp(it->name, window->name)) &&
           !FIND(struct show, it, &g->shows, !strcmp(it->name, window->name));
}

// Where the windows are to be.
static void find_aims(struct glance *g)
{
    size_t outputs = g->plan.view.outputs.count;
    bool *keeps_bar = arena_take(g->arena, outputs * sizeof *keeps_bar);
    for EACH (struct place, it, &g->chosen) keeps_bar[it->output] = keeps_bar[it->output] || it->is_bar;
    // The dialogs of a process stand above its highest window.
    typedef LIST(struct aim) aim_list;
    aim_list *groups = arena_take(g->arena, (g->chosen.count + 1) * sizeof *groups);
    LIST(pid_t) placed = {0};
    for (size_t at = g->chosen.count; at-- > 0;) {
        const struct place *place = &g->chosen.at[at];
        bool covers = is_cover(g, place->name);
        // A strip has its place before it is there, so that no window but a plain one changes its size then.
        bool has_bar = keeps_bar[place->output] || (!covers && g->has_bar[place->output]);
        struct area whole = area_of(g, place->output, has_bar, place->is_bar);
        for (int dialogs = 0; dialogs < 2; dialogs++)
            for EACH (struct window, it, &g->owned) {
                bool is_own = !strcmp(it->name, place->name);
                if (!dialogs && !is_own) continue;
                if (dialogs && (is_own || covers || !it->process || !is_dialog(g, it) || FIND(pid_t, process, &placed, *process == it->process) ||
                                   !FIND(struct aim, own, &groups[at], own->window.process == it->process)))
                    continue;
                bool is_first = !groups[at].count;
                *ADD(g->arena, &groups[at]) = (struct aim){.window = *it, .output = place->output, .area = is_first ? whole : it->area,
                    .is_bar = place->is_bar, .keeps_size = !is_first, .is_raised = true};
            }
        if (!covers)
            for EACH (struct aim, it, &groups[at]) *ADD(g->arena, &placed) = it->window.process;
    }
    for (size_t at = 0; at < g->chosen.count; at++)
        for EACH (struct aim, it, &groups[at]) *ADD(g->arena, &g->plan.aims) = *it;
    for EACH (struct window, it, &g->owned)
        if (is_named(it->name, g->exempt))
            *ADD(g->arena, &g->plan.aims) = (struct aim){.window = *it, .output = it->output < 0 ? 0 : it->output, .area = it->area,
                .keeps_size = true, .is_exempt = true, .is_raised = true};
}

// What need not be raised: the lowest windows that stand in order, and strips, which are beside the others.
static void keep_in_place(struct glance *g)
{
    for (size_t output = 0; output < g->plan.view.outputs.count; output++) {
        const struct window *last = NULL;
        for EACH (struct aim, aim, &g->plan.aims) {
            if ((size_t)aim->output != output) continue;
            const struct window *shown = FIND(struct window, it, &g->plan.view.windows, it->id == aim->window.id && it->is_shown);
            if (aim->is_bar) {
                aim->is_raised = !shown;
                continue;
            }
            if (!shown || (last && shown < last)) break;
            aim->is_raised = false;
            last = shown;
        }
    }
}

// The window that is to have the focus: the highest one of the output at which somebody gave it to a window, until that output has no
// screens.
static void find_focus(struct glance *g)
{
    const struct window *holder = FIND(struct window, it, &g->plan.view.windows, it->id && it->id == g->plan.view.focused);
    bool is_shown = FIND(struct window, it, &g->plan.view.windows, it->id == focus && it->is_shown);
    bool is_settled = holder && FIND(uint64_t, it, &g->before->settled, *it == holder->id);
    g->plan.focus = holder ? holder->id : 0;
    if (holder && is_named(holder->name, g->exempt)) return;
    // On its way from one window to another one, nobody has the focus on X11 for a moment.
    if (g->plan.view.focused) between = 0;
    else if (!between) between = now() + BETWEEN;
    if (g->backend->has_order && between > now()) {
        changed_at(between + 1000);
        return;
    }
    // Who gives a new window the focus, or takes it from one that is gone, is no person; nor has anybody moved it before the window that was
    // to have it had it.
    bool had_it = held == focus;
    if (g->plan.view.focused) held = g->plan.view.focused;
    if (is_settled && is_shown && had_it && holder->output >= 0)
        snprintf(person, sizeof person, "%s", g->plan.view.outputs.at[holder->output].name);
    int last = (int)g->plan.view.outputs.count - 1, output = -1;
    bool has_screens = false;
    for EACH (struct show, it, &g->shows)
        if (!it->is_bar) {
            has_screens = true;
            last = it->output;
            if (!strcmp(g->plan.view.outputs.at[it->output].name, person)) output = it->output;
        }
    if (output < 0) output = has_screens ? last : output_named(&g->plan.view, person, last);
    snprintf(person, sizeof person, "%s", g->plan.view.outputs.at[output].name);
    for EACH (struct aim, it, &g->plan.aims)
        if (it->output == output && !it->is_bar && !it->is_exempt) focus = g->plan.focus = it->window.id;
}

static bool is_aimed(struct glance *g, uint64_t id)
{
    return FIND(struct aim, it, &g->plan.aims, it->window.id == id);
}

static void mix(uint64_t *hash, uint64_t value)
{
    for (int at = 0; at < 8; at++) *hash = (*hash ^ (value >> 8 * at & 255)) * 0x100000001b3;
}

// One number for what is there and what is to be: the same is not tried for ever.
static uint64_t summary(struct glance *g)
{
    uint64_t hash = 0xcbf29ce484222325;
    for EACH (struct aim, it, &g->plan.aims) {
        const int parts[] = {it->output, it->area.x, it->area.y, it->area.width, it->area.height, it->window.area.x, it->window.area.y,
            it->window.area.width, it->window.area.height, it->is_raised, it->window.is_shown, it->window.is_mapped, it->window.is_free};
        mix(&hash, it->window.id);
        for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) mix(&hash, (uint64_t)parts[at]);
    }
    for EACH (struct window, it, &g->plan.hidden) mix(&hash, it->id);
    mix(&hash, 0);
    for EACH (struct window, it, &g->plan.waiting) mix(&hash, it->id);
    mix(&hash, g->plan.view.focused);
    return hash ? hash : 1;
}

// Prints the names of the windows, the lowest first. Without a reader this program ends as others in a pipe do.
static void say(struct glance *g)
{
    bool has_any = false;
    for (int covers = 0; covers < 2 && !has_any; covers++)
        for EACH (struct place, it, &g->chosen) {
            bool says = is_cover(g, it->name) && (g->texts[it->output].title || g->dark[it->output]);
            if (!covers && is_cover(g, it->name) && !says) continue;
            printf("%s%s", has_any ? "\t" : "", it->name);
            has_any = true;
        }
    putchar('\n');
    if (fflush(stdout)) exit(EXIT_FAILURE);
}

static void arrange(struct glance *g, bool prints)
{
    keep_in_place(g);
    find_focus(g);
    bool is_ordered = g->plan.view.focused == g->plan.focus, is_placed = true, are_covers_placed = true;
    for EACH (struct window, it, &g->plan.view.windows)
        if (it->is_shown && !is_aimed(g, it->id)) *ADD(g->arena, &g->plan.hidden) = *it;
    for EACH (struct window, it, &g->owned)
        if (!is_aimed(g, it->id) && FIND(struct missing, missing, &g->after->missing, !strcmp(missing->what, it->name))) {
            *ADD(g->arena, &g->plan.waiting) = *it;
            is_ordered = is_ordered && it->is_mapped;
        }
    is_ordered = is_ordered && !g->plan.hidden.count;
    for EACH (struct aim, it, &g->plan.aims) {
        bool is_here = same_area(it->window.area, it->area);
        is_ordered = is_ordered && !it->is_raised;
        is_placed = is_placed && is_here && it->window.is_free;
        are_covers_placed = are_covers_placed && (is_here || !is_cover(g, it->window.name));
    }
    if (!g->backend->has_order) {
        is_ordered = g->backend->is_arranged(&g->plan);
        is_placed = are_covers_placed = true;
    }
    is_ready = is_ready || are_covers_placed;
    if (!is_ready && now() > begun + PATIENCE)
        refuse(EX_CONFIG, "windows do not get the size of the display here (%s %s)", g->backend->name, g->backend->version);
    if (!is_ready) changed_at(begun + PATIENCE + 1000);
    uint64_t here = summary(g);
    if (is_ordered && (is_placed || tried == here)) {
        // The same may be wrong again, for instance when the user taps at the strip, which then has the focus.
        if (is_placed) tried = 0, tries = 0;
        for EACH (struct window, it, &g->plan.view.windows)
            if (it->is_shown) *ADD(g->arena, &g->after->settled) = it->id;
        for EACH (struct seen, it, &g->after->seen) switch_output(g, it);
        if (prints) say(g);
        return;
    }
    for EACH (uint64_t, it, &g->before->settled) *ADD(g->arena, &g->after->settled) = *it;
    // What is as before is asked for again, as a window that was just opened may have come above the others meanwhile; but not for ever.
    if (tried != here) tries = 0;
    else if (tries == TRIES) return;
    else if (now() < again) {
        changed_at(again);
        return;
    }
    tried = here;
    tries++;
    again = now() + AGAIN;
    g->backend->arrange(g->arena, &g->plan);
    if (g->backend->has_order) changed(); // Not each change has an event.
    else changed_at(again);
}

// Whether all covers are there, so that they are there when they are needed; or could not be for so long that nothing waits for them.
static bool has_covers(struct glance *g)
{
    if (!begun) begun = now();
    bool has_all = true;
    for (size_t at = 0; at < g->plan.view.outputs.count; at++) {
        const char *output = g->plan.view.outputs.at[at].name, *name = g->covers[at];
        bool is_there = FIND(struct window, it, &g->plan.view.windows, !strcmp(it->name, name));
        if (!is_there) covers_say(cover_number(output), output, "", "");
        has_all = has_all && is_there;
    }
    static uint64_t since;
    if (has_all) since = 0;
    else if (!since) since = now();
    if (has_all || now() > since + LATE) return true;
    changed_at(since + LATE + 1000);
    return false;
}

void look_woken(int number)
{
    const struct seen *seen = state && number > 0 && number <= cover_count ? seen_at(state, cover_outputs[number - 1]) : NULL;
    if (seen && seen->dark) flowbus_wake(seen->dark);
}

void look(const struct backend *backend, char **exempt, bool prints)
{
    struct arena *arena = arena_new();
    struct glance glance = {.arena = arena, .backend = backend, .exempt = exempt}, *g = &glance;
    static const struct state nothing;
    g->before = state ? state : &nothing;
    if (!backend->read(arena, &g->plan.view)) goto leave;
    const char *why = is_checked || !backend->check ? NULL : backend->check();
    if (why) refuse(EX_CONFIG, "%s", why);
    is_checked = true;
    flowbus_outputs(&g->plan.view);
    g->covers = arena_take(arena, g->plan.view.outputs.count * sizeof *g->covers);
    for (size_t at = 0; at < g->plan.view.outputs.count; at++)
        g->covers[at] = window_name(g, TREE "cover", (uint64_t)cover_number(g->plan.view.outputs.at[at].name));
    if (!g->plan.view.outputs.count || !has_covers(g)) goto leave;
    const screen_list *screens = flowbus_screens();
    if (!screens && is_ready) goto leave; // Without flowbusd nothing changes.
    g->after = arena_take(arena, sizeof *g->after);
    g->texts = arena_take(arena, g->plan.view.outputs.count * sizeof *g->texts);
    g->has_bar = arena_take(arena, g->plan.view.outputs.count * sizeof *g->has_bar);
    g->dark = arena_take(arena, g->plan.view.outputs.count * sizeof *g->dark);
    choose(g, screens);
    find_aims(g);
    arrange(g, prints);
    arena_free(memory);
    memory = arena;
    state = g->after;
    return;
leave:
    arena_free(arena);
}
