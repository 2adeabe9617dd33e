/* The connection, for the loop. */
#pragma once

#include "message.h"

#pragma GCC visibility push(hidden)

/* The descriptor of its socket. */
enum { SIM_SOCKET = 1 << 28 };

/* Whether it is open, and has something to read. */
bool connection_has_input(void);

#pragma GCC visibility pop
