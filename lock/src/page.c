// SPDX-License-Identifier: Apache-2.0
// The page of the lock, on each display, and what is typed there.
#include "lock.h"

#include <string.h>
#include <sys/mman.h>

struct page {
    GdkMonitor *monitor;
    GtkWidget *window;
    GtkStack *state;
    GtkLabel *dots, *detail;
    gint64 frame; // In which it was drawn while the display was locked; 0 if it was not yet.
};

static GList *pages;
static GtkIMContext *input; // It works in this process: what is typed goes to no input method, which would have it by a bus.
static char *interface;
static char typed[SECRET_SIZE];
static char *state, *detail;
static gboolean takes_keys;

static void show(gpointer data, gpointer unused G_GNUC_UNUSED)
{
    struct page *page = data;
    g_autoptr(GString) dots = g_string_new(NULL);
    for (long at = g_utf8_strlen(typed, -1); at > 0; at--) g_string_append(dots, "●");
    if (page->dots) gtk_label_set_text(page->dots, dots->str);
    if (page->detail) gtk_label_set_text(page->detail, detail);
    if (page->state && gtk_stack_get_child_by_name(page->state, state)) gtk_stack_set_visible_child_name(page->state, state);
}

void page_say(const char *new_state, const char *new_detail)
{
    g_free(state);
    g_free(detail);
    state = g_strdup(new_state);
    detail = g_strdup(new_detail ? new_detail : "");
    takes_keys = !g_str_equal(state, "checking") && !g_str_equal(state, "wait");
    g_list_foreach(pages, show, NULL);
}

// What was said of the last try goes when the next one begins.
static void append(GtkIMContext *context G_GNUC_UNUSED, const char *text)
{
    if (!takes_keys || strlen(typed) + strlen(text) >= sizeof typed) return;
    strcat(typed, text);
    page_say("ready", NULL);
}

static void press(GtkButton *button)
{
    append(NULL, gtk_button_get_label(button));
}

static void erase(void)
{
    char *last = g_utf8_find_prev_char(typed, typed + strlen(typed));
    if (last) explicit_bzero(last, strlen(last));
    g_list_foreach(pages, show, NULL);
}

static void clear(void)
{
    explicit_bzero(typed, sizeof typed);
    g_list_foreach(pages, show, NULL);
}

static void enter(void)
{
    if (!takes_keys || !*typed) return;
    entered(typed);
    clear();
}

static gboolean key(GtkWidget *window G_GNUC_UNUSED, GdkEventKey *event)
{
    switch (event->keyval) {
    case GDK_KEY_Return: case GDK_KEY_KP_Enter: case GDK_KEY_ISO_Enter: if (event->type == GDK_KEY_PRESS) enter(); break;
    case GDK_KEY_BackSpace: if (event->type == GDK_KEY_PRESS) erase(); break;
    case GDK_KEY_Escape: clear(); break;
    default: gtk_im_context_filter_keypress(input, event);
    }
    return GDK_EVENT_STOP; // No widget sees it.
}

static gboolean draw(GtkWidget *window, cairo_t *cairo G_GNUC_UNUSED, struct page *page)
{
    if (is_locked && !page->frame) page->frame = gdk_frame_clock_get_frame_counter(gtk_widget_get_frame_clock(window));
    return GDK_EVENT_PROPAGATE;
}

// GTK begins the second frame after that one when the compositor has shown it.
static gboolean tick(GtkWidget *window, GdkFrameClock *clock, gpointer data)
{
    const struct page *page = data;
    gboolean is_seen = page->frame && gdk_frame_clock_get_frame_counter(clock) > page->frame + 1;
    if (is_seen) drawn();
    else gtk_widget_queue_draw(window);
    return is_seen ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

// Returns what the page consists of; NULL with an error if the file of it is wrong.
static GtkWidget *build(struct page *page, GError **error)
{
    g_autoptr(GtkBuilder) builder = gtk_builder_new();
    gtk_builder_add_callback_symbols(builder, "press", G_CALLBACK(press), "erase", G_CALLBACK(erase), "enter", G_CALLBACK(enter), NULL);
    if (!gtk_builder_add_from_string(builder, interface, strlen(interface), error)) return NULL;
    GObject *content = gtk_builder_get_object(builder, "page"), *dots = gtk_builder_get_object(builder, "dots");
    GObject *stack = gtk_builder_get_object(builder, "state"), *label = gtk_builder_get_object(builder, "detail");
    if (!GTK_IS_WIDGET(content) || GTK_IS_WINDOW(content) || (dots && !GTK_IS_LABEL(dots)) || (label && !GTK_IS_LABEL(label)) ||
        (stack && !GTK_IS_STACK(stack))) {
        g_set_error_literal(error, GTK_BUILDER_ERROR, GTK_BUILDER_ERROR_INVALID_VALUE,
            "it has to have a widget 'page', which is no window, and may have labels 'dots' and 'detail' and a GtkStack 'state'");
        return NULL;
    }
    gtk_builder_connect_signals(builder, NULL);
    *page = (struct page){.dots = (GtkLabel *)dots, .detail = (GtkLabel *)label, .state = (GtkStack *)stack};
    return g_object_ref_sink(GTK_WIDGET(content));
}

static void add_style(const char *address, guint priority)
{
    GtkCssProvider *provider = gtk_css_provider_new();
    g_autoptr(GFile) file = g_file_new_for_commandline_arg(address);
    g_autoptr(GError) error = NULL;
    gtk_css_provider_load_from_file(provider, file, &error);
    if (error) note("not all of the style '%s' is taken: %s", address, error->message);
    gtk_style_context_add_provider_for_screen(gdk_screen_get_default(), GTK_STYLE_PROVIDER(provider), priority);
}

void page_read(const char *file, const char *style)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GtkWidget) content = NULL;
    mlock(typed, sizeof typed); // Where that is not allowed, what is typed may be swapped out.
    input = gtk_im_context_simple_new();
    g_signal_connect(input, "commit", G_CALLBACK(append), NULL);
    // The display is locked, whatever is wrong with a page.
    if (file && g_file_get_contents(file, &interface, NULL, &error)) content = build(&(struct page){0}, &error);
    if (error) note("the page '%s' can't be shown, and the built-in one is: %s", file, error->message);
    if (!content)
        interface = g_strdup(g_bytes_get_data(g_resources_lookup_data("/org/flowbus/Lock1/page.ui", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL), NULL));
    add_style("resource:///org/flowbus/Lock1/page.css", GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    if (style) add_style(style, GTK_STYLE_PROVIDER_PRIORITY_USER);
}

static void monitor_added(GdkDisplay *display G_GNUC_UNUSED, GdkMonitor *monitor)
{
    struct page *page = g_new0(struct page, 1);
    // A page that is larger than the display would be an error of the protocol.
    GtkWidget *place = gtk_scrolled_window_new(NULL, NULL), *content = build(page, NULL);
    page->monitor = monitor;
    page->window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_container_add(GTK_CONTAINER(place), content);
    gtk_container_add(GTK_CONTAINER(page->window), place);
    g_object_unref(content);
    g_signal_connect(page->window, "key-press-event", G_CALLBACK(key), NULL);
    g_signal_connect(page->window, "key-release-event", G_CALLBACK(key), NULL);
    g_signal_connect_after(page->window, "draw", G_CALLBACK(draw), page);
    gtk_widget_add_tick_callback(page->window, tick, page, NULL);
    pages = g_list_prepend(pages, page);
    show(page, NULL);
    gtk_session_lock_lock_new_surface(lock, GTK_WINDOW(page->window), monitor);
    gtk_widget_show_all(page->window);
}

// All of them for NULL.
static void monitor_removed(GdkDisplay *display G_GNUC_UNUSED, const GdkMonitor *monitor)
{
    for (GList *it = pages, *next; it; it = next) {
        struct page *page = it->data;
        next = it->next;
        if (monitor && page->monitor != monitor) continue;
        gtk_session_lock_unmap_lock_window(GTK_WINDOW(page->window));
        gtk_widget_destroy(page->window);
        pages = g_list_delete_link(pages, it);
        g_free(page);
    }
}

void page_open(void)
{
    GdkDisplay *display = gdk_display_get_default();
    page_say("ready", NULL);
    for (int at = 0; at < gdk_display_get_n_monitors(display); at++) monitor_added(display, gdk_display_get_monitor(display, at));
    g_object_connect(display, "signal::monitor-added", monitor_added, NULL, "signal::monitor-removed", monitor_removed, NULL, NULL);
}

void page_close(void)
{
    g_object_disconnect(gdk_display_get_default(), "any-signal::monitor-added", monitor_added, NULL, "any-signal::monitor-removed",
        monitor_removed, NULL, NULL);
    clear();
    monitor_removed(NULL, NULL);
}
