// SPDX-License-Identifier: Apache-2.0
// Memory that is given back all at once: what is read and decided lives until the next look has been decided.
#include "stacker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4000 };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

struct arena {
    struct block *first;
};

// Without memory this program ends, and is started again.
static void *need(void *memory)
{
    if (!memory) abort();
    return memory;
}

struct arena *arena_new(void)
{
    return need(calloc(1, sizeof(struct arena)));
}

void arena_free(struct arena *arena)
{
    if (!arena) return;
    for (struct block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void *arena_take(struct arena *arena, size_t size)
{
    const size_t step = _Alignof(max_align_t);
    size = (size + step - 1) / step * step;
    struct block *block = arena->first;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = need(calloc(1, sizeof *block + room));
        block->size = room;
        block->next = arena->first;
        arena->first = block;
    }
    void *taken = block->data + block->used;
    block->used += size;
    return taken;
}

char *arena_copy(struct arena *arena, const char *text)
{
    return arena_print(arena, "%s", text);
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *text = arena_take(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *list_add(struct arena *arena, void **at, size_t *count, size_t *room, size_t size)
{
    if (*count == *room) {
        size_t more = *room ? *room * 2 : 8;
        void *larger = arena_take(arena, more * size);
        if (*count) memcpy(larger, *at, *count * size);
        *at = larger;
        *room = more;
    }
    return (char *)*at + (*count)++ * size;
}
