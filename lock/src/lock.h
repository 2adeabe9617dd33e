// SPDX-License-Identifier: Apache-2.0
// flowbus-lock: a screen of flowbus that is the lock of the display, by ext-session-lock-v1.
#pragma once

#include <gtk-session-lock/gtk-session-lock.h>
#include <gtk/gtk.h>

#define SECRET_SIZE 256 // Of what is typed, with the byte at its end.

// main.c
extern GtkSessionLockLock *lock; // NULL if this program does not lock the display.
extern gboolean is_locked;       // Whether the compositor has said that it is.
void note(const char *format, ...) G_GNUC_PRINTF(1, 2);
void entered(const char *text); // The user is through with typing this.
void drawn(void);               // A display shows the page.

// page.c: what is shown on each display, and what is typed there.
void page_read(const char *file, const char *style);
void page_open(void); // On all displays, and on those that come.
void page_close(void);
// STATE is 'ready', 'checking', 'wrong', 'wait' or 'failed'. In 'checking' and 'wait' nothing can be typed.
void page_say(const char *state, const char *detail);

// secret.c
extern const char *pin_file, *pam_service;
// Whether this opens the lock. If not, SAID may be why, for people. It takes its time: it is for a thread.
gboolean secret_is_right(const char *text, char **said);
