// What is sent to flowbusd, and what it is answered.
#ifndef FLOOD_SHAPES_H
#define FLOOD_SHAPES_H

#include "wire.h"

#define NAME "org.flowbus.Navigation1"
#define ROOT "/org/flowbus/Navigation1"
#define BUS "org.freedesktop.DBus"
// The bus name of the guard, the navigator and the presenter of flows.d.
#define PEER "com.example.Flood"

// The number of a presentable that was made lately; its path is among those that are called.
extern uint64_t latest_instance;

// Appends a call, a signal or an answer to nothing. Returns whether an answer is to come: it is a call, and asks for one.
bool put_message(struct bytes *bytes, struct random *random, uint32_t serial);
// Appends a call that has open files.
void put_call_with_files(struct bytes *bytes, struct random *random, uint32_t serial, uint32_t files);
// Appends what a client answers to a call of flowbusd: nothing, something that fits, something that does not, or that twice.
void put_answer(struct bytes *bytes, struct random *random, const struct header *call, const char *caller, uint32_t serial);
// A call to the bus that requests or releases a name, or adds a match.
void put_bus_call(struct bytes *bytes, struct random *random, uint32_t serial);

#endif
