/* A disk in memory, below /sim: /sim/run is a file system in memory, which a kill of the process leaves as it is and a crash of the
   machine empties; /sim/state is on a disk, where a crash of the machine loses, tears and reorders what was not synced. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Registers the disk with SQLite, and begins to take the paths below /sim. */
void sim_disk_begin(void);
/* Removes all files. */
void sim_disk_clear(void);

/* How a write ends. */
typedef struct {
    /* After so many writes the process is killed, in the midst of the last one; 0: it is not. */
    uint64_t kill_after;
    /* Each write fails with this errno; 0: none does. */
    int failure;
    /* So many of a thousand writes fail alone. */
    unsigned rare;
    /* How many writes, truncations and removals there were. */
    uint64_t writes;
} sim_disk_faults;

extern sim_disk_faults sim_disk_fault;
/* Whether nothing reaches the disk any more, because the process is killed. */
extern int sim_disk_is_frozen;
/* The path of the last write. */
extern char sim_disk_last[200];
/* Runs when a write kills the process. */
extern void (*sim_disk_killed)(void);
/* Runs after each write of a commit file, with the path. */
extern void (*sim_disk_marked)(const char *path);
/* A number below a bound, by the seed. */
extern uint32_t (*sim_disk_random)(uint32_t bound);

/* The system writes back what is not synced. */
void sim_disk_sync(void);
/* The machine goes down: /sim/run is empty, and of what was not synced of /sim/state any sectors are there. */
void sim_disk_crash(void);
/* Changes one byte of the file whose path ends so. Returns whether there is one. */
int sim_disk_damage(const char *suffix);
/* Removes the file, or cuts it. */
int sim_disk_remove(const char *suffix);
int sim_disk_cut(const char *suffix);
/* How many bytes all files have. */
size_t sim_disk_bytes(void);
/* The size of the file whose path ends so; -1 if there is none. */
long sim_disk_size(const char *suffix);
