/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), seeded by
 * splitmix64, and unbiased draws from it. One generator a thread; no locks, no calls.
 */
#ifndef COMMON_HOT_RNG_H
#define COMMON_HOT_RNG_H

#include "common/hot/keep.h"

struct rng {
	uint64_t s[4];
};

KEEP_INLINE uint64_t rng_splitmix64(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

KEEP_INLINE uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

KEEP_INLINE uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rng_rotl(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl(s[3], 45);
	return result;
}

/* The same (seed, stream) gives the same numbers everywhere; different streams are independent for every
 * practical purpose (the 256-bit state is filled by a hash of both). */
KEEP_INLINE void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;
	uint64_t mixed = rng_splitmix64(&state) ^ (stream * 0xd1342543de82ef95ull + 0x2545f4914f6cdd1dull);

	for (int i = 0; i < 4; i++)
		rng->s[i] = rng_splitmix64(&mixed);
}

/*
 * Returns a number in [0, n), n > 0, exactly uniform (Lemire, "Fast random integer generation in an interval", 2019). *rest gets
 * the unused part of the draw, uniform in [0, 2^64) in steps of n, from which rng_split draws a few more bits.
 */
KEEP_INLINE uint64_t rng_below_rest(struct rng *rng, uint64_t n, uint64_t *rest)
{
	unsigned __int128 product = (unsigned __int128)rng_next(rng) * n;

	if (KEEP_UNLIKELY((uint64_t)product < n)) {
		uint64_t floor = (0 - n) % n;

		while ((uint64_t)product < floor)
			product = (unsigned __int128)rng_next(rng) * n;
	}
	*rest = (uint64_t)product;
	return (uint64_t)(product >> 64);
}

KEEP_INLINE uint64_t rng_below(struct rng *rng, uint64_t n)
{
	uint64_t rest;

	return rng_below_rest(rng, n, &rest);
}

/* Takes a number in [0, n) off the top of *rest, as an arithmetic decoder does. Its bias is at most (product of all n so far) /
 * 2^64. */
KEEP_INLINE uint64_t rng_split(uint64_t *rest, uint64_t n)
{
	unsigned __int128 product = (unsigned __int128)*rest * n;

	*rest = (uint64_t)product;
	return (uint64_t)(product >> 64);
}

/* Returns a 53-bit number uniform in [0, 1). */
KEEP_INLINE double rng_double(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

#endif
