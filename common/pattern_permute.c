/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pattern.h"

void pattern_permutation_init(struct pattern_permutation *permutation, uint64_t pages, uint64_t key)
{
	unsigned bits = 0;

	while (bits < 63 && (1ull << bits) < pages)
		bits++;
	permutation->pages = pages;
	permutation->mask = (1ull << bits) - 1;
	permutation->shift = (bits + 1) / 2;
	/* Few bits mix slowly: below 6 of them fewer rounds show in the tests. */
	permutation->rounds = bits < 8 ? PATTERN_PERMUTATION_ROUNDS : 4;
	for (unsigned i = 0; i < permutation->rounds; i++)
		permutation->keys[i] = rng_splitmix64(&key);
}

/* Three steps that each can be undone modulo 2^bits: an addition, a multiplication by an odd number, and an
 * exclusive or with the own upper half. The product carries low bits up, the shift brings high bits down. */
static uint64_t mix(const struct pattern_permutation *permutation, uint64_t x)
{
	for (unsigned i = 0; i < permutation->rounds; i++) {
		uint64_t key = permutation->keys[i];

		x = ((x + (key >> 32)) * (key | 1)) & permutation->mask;
		x ^= x >> permutation->shift;
	}
	return x;
}

uint64_t pattern_permute(const struct pattern_permutation *permutation, uint64_t page)
{
	/* Walking the cycle until it is back among the pages keeps the map one to one. */
	do
		page = mix(permutation, page);
	while (page >= permutation->pages);
	return page;
}
