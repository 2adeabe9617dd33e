/* SPDX-License-Identifier: Apache-2.0 */

#include "flowbus-gtk4-private.h"

#include <adwaita.h>

static AdwNavigationPage *
get_page (GtkWidget *child)
{
  return ADW_NAVIGATION_PAGE (gtk_widget_get_ancestor (child, ADW_TYPE_NAVIGATION_PAGE));
}

/* The pages of the stack without one, and with another one on top. */
static void
replace (AdwNavigationView *view, AdwNavigationPage *without, AdwNavigationPage *top)
{
  g_autoptr (GListModel) stack = adw_navigation_view_get_navigation_stack (view);
  g_autoptr (GPtrArray) pages = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint at = 0; at < g_list_model_get_n_items (stack); at++)
    {
      AdwNavigationPage *page = g_list_model_get_item (stack, at);

      if (page == without || page == top)
        g_object_unref (page);
      else
        g_ptr_array_add (pages, page);
    }
  if (top)
    g_ptr_array_add (pages, g_object_ref (top));
  adw_navigation_view_replace (view, (AdwNavigationPage **) pages->pdata, (int) pages->len);
}

static gboolean
is_in_stack (AdwNavigationView *view, AdwNavigationPage *page)
{
  g_autoptr (GListModel) stack = adw_navigation_view_get_navigation_stack (view);

  for (guint at = 0; at < g_list_model_get_n_items (stack); at++)
    {
      g_autoptr (AdwNavigationPage) other = g_list_model_get_item (stack, at);

      if (other == page)
        return TRUE;
    }
  return FALSE;
}

GtkWidget *
_flowbus_container_new (void)
{
  GtkWidget *view = adw_navigation_view_new ();

  adw_navigation_view_set_pop_on_escape (ADW_NAVIGATION_VIEW (view), FALSE);
  return view;
}

void
_flowbus_container_show (GtkWidget *container, GtkWidget *child, const char *title, FlowbusMotion motion)
{
  AdwNavigationView *view = ADW_NAVIGATION_VIEW (container);
  AdwNavigationPage *page = get_page (child);

  /* It is never added to the view, so that the view lets it go when it has moved out. */
  if (page == NULL)
    {
      page = adw_navigation_page_new (child, title);
      /* libadwaita pops a page before anybody is asked; here the flow decides about that. */
      adw_navigation_page_set_can_pop (page, FALSE);
    }
  if (adw_navigation_view_get_visible_page (view) == page)
    return;
  if (motion == FLOWBUS_MOTION_POP && is_in_stack (view, page))
    adw_navigation_view_pop_to_page (view, page);
  else if (motion == FLOWBUS_MOTION_PUSH && !is_in_stack (view, page))
    adw_navigation_view_push (view, page);
  else
    replace (view, NULL, page);
}

void
_flowbus_container_set_title (GtkWidget *container, GtkWidget *child, const char *title)
{
  AdwNavigationPage *page = get_page (child);

  if (page)
    adw_navigation_page_set_title (page, title);
}

void
_flowbus_container_remove (GtkWidget *container, GtkWidget *child)
{
  AdwNavigationView *view = ADW_NAVIGATION_VIEW (container);
  AdwNavigationPage *page = get_page (child);

  if (page && is_in_stack (view, page))
    replace (view, page, NULL);
}
