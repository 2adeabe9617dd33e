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
/* Runs after each write of a commit file: with its path, whether it was written, and the file and number of the commit. */
extern void (*sim_disk_marked)(const char *path, int is_written, uint64_t identity, uint64_t number);
/* Runs when a file is renamed: flowbusd moves it aside. */
extern void (*sim_disk_renamed)(const char *path);
/* A number below a bound, by the seed. */
extern uint32_t (*sim_disk_random)(uint32_t bound);

/* The system writes back what is not synced. */
void sim_disk_sync(void);
/* The machine goes down: /sim/run is empty, and of what was not synced of /sim/state any sectors are there. */
void sim_disk_crash(void);
/* Changes one bit of the file whose path ends so, mostly of a byte that is in use. Returns whether there is one. */
int sim_disk_damage(const char *suffix);
/* Changes one bit of these bytes, if the file whose path begins and ends so has them. Returns whether it has. */
int sim_disk_damage_bytes(const char *prefix, const char *suffix, const uint8_t *bytes, size_t count);
/* Removes the file, or cuts it. */
int sim_disk_remove(const char *suffix);
int sim_disk_cut(const char *suffix);
/* How many bytes all files have. */
size_t sim_disk_bytes(void);
/* The size of the file whose path ends so; -1 if there is none. */
long sim_disk_size(const char *suffix);
