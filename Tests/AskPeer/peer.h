// Two programs that tests kill at each of their system calls: an asker and a picker (main.c). They are in C because a Swift
// program makes some hundred calls before its first one on the bus.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#define FLOWBUS "org.flowbus.Navigation1"

// A `Present` that was answered.
struct present {
    char path[64]; // Of the instance.
    char name[32];
    uint64_t instance;
    int64_t number; // The argument of that name; 0 without it.
    int64_t count;  // What was saved; 0 and "" without it.
    char token[64];
};

// An answer to the asker, by signal or in a `Present`.
struct answer {
    char token[64];
    char outcome[32];
    int64_t number;
};

// What there is to do. `present` is null if flowbusd was started anew.
extern void (*act)(const struct present *present);
// Takes an answer.
extern void (*take)(const struct answer *answer);

// Connects, and owns a name from now on. The ledger is a file to which each process appends what it did.
void begin(const char *role, const char *name, const char *ledger);
// Handles messages until the bus ends.
_Noreturn void serve(void);

// Appends a line to the ledger: the role, the process, and this.
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
// Counts the lines of the ledger that have this after the role and the process, from this process and those before it.
unsigned noted(const char *beginning);

// Calls flowbusd, again if it died before it answered. Returns null, or the end of the error's name in a static text.
// An error that no rule allows here ends the process, with a line that begins with `failed`.
const char *call(sd_bus_message **reply, const char *path, const char *interface, const char *member, const char *types, ...);
// SetVisible, SaveState; false if the screen is gone.
bool show(const struct present *present);
bool save(const struct present *present, int64_t count, const char *token);
// Sends a signal, so that the test looks at the ledger.
void announce(void);
