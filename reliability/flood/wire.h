// D-Bus messages as bytes: valid ones, whose contents are arbitrary.
#ifndef FLOOD_WIRE_H
#define FLOOD_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Random numbers that a seed repeats; xorshift64*.
struct random {
    uint64_t state;
};

struct random random_from(uint64_t seed);
uint64_t next(struct random *random);

// A number from 0 up to and without this one.
static inline uint32_t below(struct random *random, uint32_t bound) { return (uint32_t)((next(random) >> 32) * bound >> 32); }

static inline bool once_in(struct random *random, uint32_t times) { return below(random, times) == 0; }

#define CHOOSE(random, list) ((list)[below((random), sizeof(list) / sizeof *(list))])

// Bytes that grow.
struct bytes {
    uint8_t *data;
    size_t count, capacity, start; // start: where the message begins, as alignment is relative to it.
};

void put_bytes(struct bytes *bytes, const void *data, size_t count);

enum message_type { CALL = 1, ANSWER = 2, ERROR = 3, SIGNAL = 4 };
enum message_flag { NO_REPLY = 1, NO_START = 2, INTERACTIVE = 4 };

// The header of a message; a text that is NULL, or a number that is 0, is left out.
struct header {
    enum message_type type;
    uint8_t flags;
    uint32_t serial, reply_to, files;
    const char *destination, *path, *interface, *member, *error, *signature, *sender;
    uint32_t body; // How many bytes.
    const uint8_t *contents;
};

// Begins a message; returns where its body begins.
size_t begin_message(struct bytes *bytes, const struct header *header);
void end_message(struct bytes *bytes, size_t body);

void put_u32(struct bytes *bytes, uint32_t value);
void put_u64(struct bytes *bytes, uint64_t value);
void put_bool(struct bytes *bytes, bool value);
void put_string(struct bytes *bytes, const char *text);
void put_signature(struct bytes *bytes, const char *text);
size_t begin_array(struct bytes *bytes, int alignment);
void end_array(struct bytes *bytes, size_t place, int alignment);
void align(struct bytes *bytes, int alignment);

// The texts that values are drawn from, beside arbitrary ones.
struct vocabulary {
    const char *(*text)(struct random *);
    const char *(*path)(struct random *);
};

// A signature of complete types, of at most so many.
void random_signature(struct random *random, char *signature, int most);
// Values of all types of a signature.
void put_random(struct bytes *bytes, struct random *random, const char *signature, const struct vocabulary *words);
// A variant in variants, so deep.
void put_deep(struct bytes *bytes, struct random *random, int depth);

// Reads the header of a complete message; the texts point into it. Returns false for what is no message.
bool read_header(const uint8_t *message, size_t count, struct header *header);
// How many bytes the message takes that begins here; 0 if that can't be told yet.
size_t message_size(const uint8_t *bytes, size_t count);

#endif
