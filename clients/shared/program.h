// SPDX-License-Identifier: Apache-2.0
// What flowbusctl-connect and flowbus-run have in common. Their build defines PROGRAM, the name that their messages begin with.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

// A value of one of the basic types, as sd_bus_message_read_basic() reads it.
union basic_value {
    const char *text;
    int flag;
    uint8_t byte;
    int16_t int16;
    uint16_t uint16;
    int32_t int32;
    uint32_t uint32;
    int64_t int64;
    uint64_t uint64;
    double number;
};

__attribute__((noreturn, format(printf, 2, 3))) void refuse(int status, const char *format, ...);
__attribute__((format(printf, 1, 2))) char *print(const char *format, ...); // Allocated.
void *take(void *memory); // Ends the program where there is no memory.

// The bus at an address, or that of the system, or of the session; the program ends with it. Ends the program where there is none.
sd_bus *open_bus(const char *address, bool is_system, sd_event *loop);
// Ends the program with what is wrong with that bus.
__attribute__((noreturn)) void refuse_bus(const char *address, bool is_system, int error);
