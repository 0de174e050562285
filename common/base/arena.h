/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many small objects that are freed together. */
#ifndef COMMON_BASE_ARENA_H
#define COMMON_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena { /* zeroed: empty */
	struct arena_chunk *chunks;
	bool is_short; /* an allocation has failed; stays set, so that a caller can check once, after many allocations */
};

/* Returns memory aligned for any type and not cleared, or NULL when memory is short. */
void *arena_allocate(struct arena *arena, size_t size);
/* Returns a terminated copy of size bytes ("" when size is 0), or NULL when memory is short. */
const char *arena_text(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);

/* Makes space for one more item in a list allocated by realloc. array: the address of the pointer to its count items of size
 * bytes; *capacity: the number of items allocated. Returns 0, or -ENOMEM, which leaves the list unchanged. */
int arena_grow(void *array, size_t *capacity, size_t count, size_t size);

#endif
