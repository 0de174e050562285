/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spatial access patterns: they choose the page that is accessed next, of a set of `pages` pages.
 *
 * A spec is parsed from text ("uniform", "zipf,1.1", "hotset,..."), checked against a number of pages, and then drawn from by one
 * thread. Drawing allocates nothing, locks nothing and makes no system call. Besides struct pattern (one page when so aligned) it
 * touches code only: the first part of pattern.c for uniform, linear, hotset and normal_ih; for recorded also its tables; for
 * normal, pareto and zipf also libm's log, log1p, exp or expm1 with their tables.
 */
#ifndef COMMON_STATS_PATTERN_H
#define COMMON_STATS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/hot/rng.h"
#include "common/stats/recorded.h"

enum pattern_kind {
	PATTERN_UNIFORM,
	PATTERN_NORMAL,    /* centred on the set; shape = standard deviation in pages, default pages / 12 */
	PATTERN_NORMAL_IH, /* the same, approximated by a sum of 12 uniform numbers (Irwin-Hall) */
	PATTERN_LINEAR,    /* shape = stride in pages, default 1 */
	PATTERN_PARETO,    /* bounded Pareto over ranks; shape = alpha, default 1.00001 */
	PATTERN_ZIPF,      /* P(rank k) ~ k^-s, k = 1..pages; shape = s, default 1.00001 */
	PATTERN_HOTSET,    /* a share of the set receives a share of the accesses; the hot window may drift */
	PATTERN_RECORDED,  /* of a recorded program: its order, or its popularity (common/stats/recorded.h); has no text */
};
#define PATTERN_KINDS 7u /* kinds that have a text */
#define PATTERN_PAGES_MAX (1ull << 40)

struct pattern_spec {
	enum pattern_kind kind;
	bool has_shape;      /* false: pattern_check fills in the kind's default */
	double shape;        /* uniform and hotset: ignored */
	double hot_set;      /* hotset: share of pages, 0..1 */
	double hot_access;   /* hotset: share of accesses, 0..1 */
	uint64_t hot_drift;  /* hotset: the hot window moves one page every N draws of a thread; 0 = never */
	bool is_scattered;   /* ranks permuted over the set by a keyed bijection */
	const struct recorded *recorded; /* recorded: outlives the patterns */
};

/* Parses "uniform" | "normal[,SD]" | "normal_ih[,SD]" | "linear[,STRIDE]" | "pareto[,ALPHA]" | "zipf[,S]" |
 * "hotset[,SET%[,ACCESS%[,DRIFT]]]" (default 20%, 80%, 0; '%' may be left out). Returns -EINVAL for unknown names and trailing
 * text, -ERANGE for ranges, and in *why (static text, never NULL on failure) the allowed values. is_scattered is left false. */
int pattern_parse(const char *text, struct pattern_spec *spec, const char **why);
const char *pattern_name(enum pattern_kind kind);

/* Fills defaults and checks the spec against the number of pages (1..PATTERN_PAGES_MAX); -ERANGE with *why and
 * the spec unchanged. A stride is cut to whole pages, as the original did. */
int pattern_check(struct pattern_spec *spec, uint64_t pages, const char **why);

/* A permutation of [0, pages) that depends on the key only and needs no table. */
#define PATTERN_PERMUTATION_ROUNDS 12u
struct pattern_permutation {
	uint64_t pages;
	uint64_t mask; /* 2^bits - 1, the smallest that holds all pages */
	uint64_t keys[PATTERN_PERMUTATION_ROUNDS];
	unsigned rounds, shift;
};
void pattern_permutation_init(struct pattern_permutation *permutation, uint64_t pages, uint64_t key);
/* page < pages. Takes fewer than two passes on average. */
uint64_t pattern_permute(const struct pattern_permutation *permutation, uint64_t page);

struct pattern {
	/* Returns the next page, in [0, pages). The argument is the pattern itself. */
	uint64_t (*next)(struct pattern *self);
	uint64_t (*draw)(struct pattern *self); /* before scatter */
	uint64_t pages;
	struct rng rng;
	union { /* what the kind precomputes and remembers */
		struct {
			uint64_t stride, page, phase;
		} linear;
		struct {
			double deviation_pages;
			uint64_t half;   /* the centre is half + remainder */
			double remainder; /* 0 or 0.5 */
		} normal;
		struct {
			double mass, inverse_alpha;
		} pareto;
		struct {
			double exponent, integral_low, integral_high, squeeze;
		} zipf;
		struct {
			double access;
			uint64_t pages, first; /* the hot window */
			uint64_t drift, left;  /* draws per step, and left in this one */
		} hot;
		struct {
			const struct recorded *table;
			uint64_t position; /* index in the recorded order */
		} recorded;
	};
	struct pattern_permutation permutation;
};

/*
 * spec has passed pattern_check for this number of pages. Streams (thread numbers) give independent
 * sequences, also independent of rng_seed(seed, stream); the scatter permutation depends on the seed
 * only, so that all threads agree on what is hot. Linear starts at page 0 in every stream.
 *
 * Exact definitions:
 *   normal     floor(pages / 2 + SD g); what falls outside the set is drawn again (a truncated normal; the
 *              original piled it up on the middle page)
 *   normal_ih  the same with g = u1 + ... + u12 - 6; the default SD just fills the set
 *   linear     0, S, 2S...; past the end again from 1, 1 + S...; after S - 1 from 0: each page once a round
 *   pareto     floor of a continuous Pareto variate cut to [1, pages + 1), less 1
 *   zipf       rejection-inversion: exact for the discrete distribution. Like pareto limited by the 53 bits of
 *              a random number: far out, where all pages together are rarer than that, not each one can occur
 *   hotset     uniform within the window and within the rest; the window starts at page 0 and wraps
 *   recorded   the recorded order, repeated, in every stream from its start; without an order pages by their counts
 */
void pattern_init(struct pattern *pattern, const struct pattern_spec *spec, uint64_t pages, uint64_t seed,
	uint64_t stream);

#endif
