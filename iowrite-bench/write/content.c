/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/write/content.h"

#include <string.h>
#include <time.h>

#include "common/base/clock.h"

#define WORDS (CONTENT_BLOCK / sizeof(uint64_t))

void content_init(unsigned compress_percent, unsigned dedupe_percent, struct content *content)
{
	struct rng rng;

	*content = (struct content){.compress_percent = compress_percent, .dedupe_percent = dedupe_percent};
	/* Threads begin at the same time, and differ by the address of their content. */
	rng_seed(&rng, clock_ns(CLOCK_REALTIME), (uint64_t)(uintptr_t)content);
	for (size_t i = 0; i < WORDS; i++)
		content->pool[i] = rng_next(&rng);
	rng_seed(&content->keys, rng_next(&rng), 1);
	rng_seed(&content->draws, rng_next(&rng), 2);
}

void content_fill(struct content *content, void *data, uint64_t bytes)
{
	const size_t zeros = CONTENT_CHUNK * content->compress_percent / 100;

	/* A write of another size than the last one repeats as much of it as fits. */
	if (content->dedupe_percent && content->is_begun && rng_below(&content->draws, 100) < content->dedupe_percent)
		content->keys = content->before;
	content->before = content->keys;
	content->is_begun = true;
	for (uint64_t at = 0; at < bytes; at += CONTENT_BLOCK) {
		uint64_t *words = (uint64_t *)((char *)data + at);
		const uint64_t key = rng_next(&content->keys);
		/* A write of some bytes fills whole chunks, not a whole block. */
		const uint64_t left = (bytes - at + CONTENT_CHUNK - 1) / CONTENT_CHUNK * (CONTENT_CHUNK / sizeof(uint64_t));
		const size_t count = left < WORDS ? (size_t)left : WORDS;

		for (size_t i = 0; i < count; i++)
			words[i] = content->pool[i] ^ key;
	}
	for (uint64_t at = 0; at < bytes && zeros; at += CONTENT_CHUNK)
		memset((char *)data + at + CONTENT_CHUNK - zeros, 0, zeros);
}
