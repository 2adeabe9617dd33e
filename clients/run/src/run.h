// SPDX-License-Identifier: Apache-2.0
// flowbus-run: a command line is a screen. It is a presenter; each program that it starts ends with its screen, and with flowbus-run.
#pragma once

#include "program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define FLOWBUS "org.flowbus.Navigation1"
#define NAME "org.flowbus.Run"
#define PATH "/org/flowbus/Run"
#define ERROR NAME ".Error."

enum {
    MOST_ERRORS = 900,        // Of standard error, its last bytes: with what stands before them a `message` takes 1,024.
    MOST_OUTPUT = 256 * 1024, // Of standard output, where it is a result: as JSON, 64 KiB of values can be some times as long.
};

// What becomes of the screen when its program ends by itself.
enum ending { ENDING_CLOSED, ENDING_DONE, ENDING_RESULT, ENDING_FAILED, ENDING_STEP };

// What flowbusd is being told of its end.
enum tells { TELLS_STEP, TELLS_RESULT, TELLS_END };

enum state {
    PREPARING, // Its process exists, and waits until nothing of it can get lost.
    STARTING,  // It may become its program.
    RUNNING,
    STOPPING,  // Its screen is gone. It has been asked to end.
    ENDED,     // It has ended by itself, and flowbusd is told.
};

struct screen {
    struct screen *next;
    uint64_t instance;
    char *name, *path;          // The path is that of the instance.
    sd_bus_message *described;  // The Present that it was started with: its arguments, and what the definition says.
    sd_bus_message *call;       // A Present that is not answered yet.
    sd_bus_message *following;  // A Present that comes after this program has gone.
    char **command;
    bool has_result;            // Whether its definition declares one: then standard output is read.
    char **environment;         // Whole; NULL for that of flowbus-run.
    enum state state;

    pid_t process;              // 0 when it has ended.
    sd_event_source *child, *news, *errors, *output, *limit;
    int go, status;             // Ends of pipes; -1 for none.
    uint64_t started, lasted;   // In us.
    char *unit;                 // The scope of the user manager; NULL without one.
    bool has_unit;              // Whether that may exist.
    bool waits_for_unit;        // One of this name is that of a former flowbus-run, and is still being stopped.
    sd_bus_slot *asking;        // A call of the manager.

    int ended;                  // As waitpid(2) has it.
    bool is_told, is_waiting;   // Whether flowbusd knows how it ended; whether it waits for flowbusd to tell it.
    sd_bus_slot *telling;       // The call of flowbusd that says so.
    sd_bus_slot *checking;      // That which asks a new flowbusd whether it has the screen.
    enum tells tells;
    char tail[MOST_ERRORS];
    size_t tail_length;
    char *text;                 // Its standard output, where that is a result.
    size_t text_length;
};

extern sd_event *loop;
extern sd_bus *bus;
extern uint64_t grace; // From TERM to KILL, in us.

// main.c
__attribute__((format(printf, 1, 2))) void note(const char *format, ...); // For the journal.

// screen.c
void screen_present(sd_bus_message *call);
void screen_withdraw(uint64_t instance, const char *reason);
void screens_check(void);    // flowbusd is another process now.
void screen_unit_ready(struct screen *screen);
void screen_unit_gone(struct screen *screen);
__attribute__((format(printf, 3, 4))) void screen_fail(struct screen *screen, const char *error, const char *format, ...); // Before it runs.
void screen_told(struct screen *screen); // flowbusd knows how it ended.
struct screen *screen_of_unit(const char *unit);

// process.c
bool process_start(struct screen *screen, bool needs_namespace); // False, with errno, if there can be no such process.
void process_go(struct screen *screen);
void process_stop(struct screen *screen);
void process_read(struct screen *screen); // What is in its pipes.
void process_forget(struct screen *screen);
bool namespaces_work(void);
// Called by it:
void screen_runs(struct screen *screen);
void screen_cannot_run(struct screen *screen, int error);
void screen_ended(struct screen *screen, int status);

// unit.c
bool units_begin(void); // Whether there is a user manager that runs this program as a service.
extern bool has_units;
void unit_start(struct screen *screen);
void unit_stop(struct screen *screen);
void unit_environment(struct screen *screen); // Gives the screen that of the manager, and starts its process.
void screen_has_environment(struct screen *screen, char **environment); // Of the manager.

// report.c
void report(struct screen *screen);

// value.c
// The details and the arguments of a Present: each returns > 0 if it is there, and then the message is at the value, inside its variant.
int find_argument(sd_bus_message *present, const char *name);
int find_detail(sd_bus_message *present, const char *name);
int find_run(sd_bus_message *present, const char *key);
int find_entry(sd_bus_message *message, const char *key); // Of the dictionary at which it is.
char *read_text(sd_bus_message *message); // A value of a basic type as an argument of a command line; NULL for another one.
int append_reference(sd_bus_message *to, const char *name, struct screen *screen, const char *message);
int copy_variant(sd_bus_message *to, sd_bus_message *from); // The value at which it is, in a variant.
char *clean(const char *bytes, size_t length);              // As text that the bus takes.
int append_result(sd_bus_message *to, struct screen *screen, char **why); // Standard output as the values of the result.
