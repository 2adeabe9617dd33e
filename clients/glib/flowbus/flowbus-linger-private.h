/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* How long the window of a screen stays that is withdrawn for this reason, in ms: FLOWBUS_LINGER_MS, but no more than ten seconds; 0 if
 * it goes at once. Its program stays as long. Inline, because libflowbus-gtk4 asks, too. */
static inline guint
_flowbus_linger_time (const char *reason)
{
  const char *text = g_getenv ("FLOWBUS_LINGER_MS");

  if (!text || g_str_equal (reason, "evicted"))
    return 0;
  return (guint) MIN (g_ascii_strtoull (text, NULL, 10), 10000);
}
