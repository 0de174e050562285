/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK ((size_t)256 << 10)
#define ARENA_ALIGN _Alignof(max_align_t)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char bytes[];
};

static void *fall_short(struct arena *arena)
{
	arena->is_short = true;
	return NULL;
}

void *arena_allocate(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	size_t rounded = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	void *result;

	if (rounded < size)
		return fall_short(arena);
	if (!chunk || chunk->size - chunk->used < rounded) {
		size_t capacity = rounded > ARENA_CHUNK ? rounded : ARENA_CHUNK;

		chunk = capacity <= SIZE_MAX - sizeof(*chunk) ? malloc(sizeof(*chunk) + capacity) : NULL;
		if (!chunk)
			return fall_short(arena);
		chunk->next = arena->chunks;
		chunk->used = 0;
		chunk->size = capacity;
		arena->chunks = chunk;
	}
	result = chunk->bytes + chunk->used;
	chunk->used += rounded;
	return result;
}

const char *arena_text(struct arena *arena, const char *text, size_t size)
{
	char *copy;

	if (size == 0)
		return "";
	copy = size < SIZE_MAX ? arena_allocate(arena, size + 1) : fall_short(arena);
	if (copy) {
		memcpy(copy, text, size);
		copy[size] = '\0';
	}
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}

int arena_grow(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity ? 2 * *capacity : 16;
	void *list, *grown;

	if (count < *capacity)
		return 0;
	memcpy(&list, array, sizeof(list));
	grown = reallocarray(list, wanted, size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*capacity = wanted;
	return 0;
}
