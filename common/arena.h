/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many small objects that are freed together. */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stddef.h>

struct arena { /* zeroed: empty */
	struct arena_chunk *chunks;
};

/* Aligned for any type, not cleared. NULL when memory is short. */
void *arena_allocate(struct arena *arena, size_t size);
/* A terminated copy of size bytes; "" for none. NULL when memory is short. */
const char *arena_text(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);

/* Room for one more in a list that realloc holds: array is the address of the pointer to its count items of size bytes, of
 * which room are allocated. 0 or -ENOMEM, which leaves the list as it was. */
int arena_grow(void *array, size_t *room, size_t count, size_t size);

#endif
