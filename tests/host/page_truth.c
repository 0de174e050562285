/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_truth list|pointer|array|hash|mixed PAGES SECONDS TRUTH [PERCENT]: accesses PAGES pages of memory by loads until the time
 * is up, and writes to TRUTH the address of each page and how often it was loaded from. The loads overwrite the register of their
 * address wherever the kind of access allows it.
 *
 * list: a chain of nodes in random order, of which a popular page has more. pointer: a pointer is read from a table, then what it
 * points to. array: an index is computed, then the element is read. hash: a key is looked up in chained buckets. mixed: the most
 * popular 1 % of the pages get PERCENT of the accesses, as in pointer, and the others the rest, as in array.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/hot/rng.h"

#ifdef __x86_64__
#define PAGE 4096u
#define WORDS (PAGE / sizeof(uint64_t))
#define BATCH 4096u
#define DRAWS (1u << 18)

struct node {
	struct node *next;
	uint64_t key;
};
#define NODES (PAGE / sizeof(struct node))

static uint64_t *area, pages, done, percent;
static double *counts; /* by page */
static uint32_t *draws;
static struct node **table;
static uint64_t buckets;

/* The page of rank n is accessed about n^-0.8 times as often as the first; ranks are scattered. */
static uint64_t scatter(uint64_t rank)
{
	return rank * 2654435761u % pages;
}

static void draw(struct rng *rng)
{
	double sum = 0, *sums = malloc(pages * sizeof(*sums));

	draws = malloc(DRAWS * sizeof(*draws));
	if (!sums || !draws)
		exit(1);
	for (uint64_t i = 0; i < pages; i++)
		sums[i] = sum += 1 / __builtin_pow((double)(i + 1), 0.8);
	for (uint64_t i = 0; i < DRAWS; i++) {
		double wanted = rng_double(rng) * sum;
		uint64_t low = 0, high = pages - 1;

		while (low < high) {
			uint64_t middle = (low + high) / 2;

			if (sums[middle] < wanted)
				low = middle + 1;
			else
				high = middle;
		}
		draws[i] = (uint32_t)scatter(low);
	}
	free(sums);
}

static bool is_popular(uint32_t page)
{
	return page < pages / 100;
}

static void draw_mixed(struct rng *rng)
{
	draws = malloc(DRAWS * sizeof(*draws));
	if (!draws || pages < 100)
		exit(1);
	for (uint64_t i = 0; i < DRAWS; i++)
		draws[i] = (uint32_t)(rng_next(rng) % 100 < percent ? rng_next(rng) % (pages / 100)
			: pages / 100 + rng_next(rng) % (pages - pages / 100));
}

static void shuffle(uint64_t *list, uint64_t count, struct rng *rng)
{
	for (uint64_t i = count; i > 1; i--) {
		uint64_t other = rng_next(rng) % i, value = list[i - 1];

		list[i - 1] = list[other];
		list[other] = value;
	}
}

/* --- the loads: in assembly where a compiler might choose another register --- */

static uint64_t *follow(uint64_t *at, uint64_t times)
{
	__asm__ volatile("1: mov (%0),%0\n\tdec %1\n\tjnz 1b" : "+r"(at), "+r"(times) : : "memory", "cc");
	return at;
}

static uint64_t read_pointers(uint64_t *const *list, uint64_t times)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < times; i++) {
		uint64_t at;

		__asm__ volatile("mov (%1),%0\n\tmov (%0),%0" : "=&r"(at) : "r"(list + i) : "memory");
		sum += at;
	}
	return sum;
}

static uint64_t read_elements(const uint32_t *indices, uint64_t times)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < times; i++) {
		uint64_t index = indices[i], at;

		__asm__ volatile("mov %1,%0\n\tshl $9,%0\n\tmov (%2,%0,8),%0" : "=&r"(at) : "r"(index), "r"(area) : "memory", "cc");
		sum += at + index;
	}
	return sum;
}

static uint64_t hash_of(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ull >> 32) % buckets;
}

static const struct node *look_up(uint64_t key)
{
	const struct node *node = table[hash_of(key)];

	while (node && node->key != key)
		node = node->next;
	return node;
}

/* --- the workloads --- */

static uint64_t **pointers;
static uint64_t *list_at, list_length;
volatile uint64_t kept; /* what was loaded, so that it is loaded */

static void make(const char *kind, struct rng *rng)
{
	if (!strcmp(kind, "mixed"))
		draw_mixed(rng);
	else
		draw(rng);
	if (!strcmp(kind, "list")) {
		uint64_t *order = malloc(pages * WORDS * sizeof(*order));

		for (uint64_t rank = 0; rank < pages && order; rank++) {
			const size_t words = WORDS;
			uint64_t nodes = (uint64_t)((double)words / __builtin_pow((double)(rank + 1), 0.8)) + 1;

			for (uint64_t i = 0; i < nodes && i < WORDS; i++)
				order[list_length++] = scatter(rank) * WORDS + i;
		}
		if (!order)
			exit(1);
		shuffle(order, list_length, rng);
		for (uint64_t i = 0; i < list_length; i++)
			area[order[i]] = (uint64_t)(uintptr_t)&area[order[(i + 1) % list_length]];
		list_at = &area[order[0]];
		free(order);
	} else if (!strcmp(kind, "pointer") || !strcmp(kind, "mixed")) {
		pointers = malloc(DRAWS * sizeof(*pointers));
		for (uint64_t i = 0; i < DRAWS && pointers; i++)
			pointers[i] = &area[draws[i] * WORDS + rng_next(rng) % WORDS];
	} else if (!strcmp(kind, "hash")) {
		struct node *nodes = (struct node *)area;

		buckets = pages;
		table = calloc(buckets, sizeof(struct node *));
		for (uint64_t i = 0; i < pages && table; i++) {
			struct node *node = &nodes[i * NODES + i % NODES];

			*node = (struct node){table[hash_of(i)], i};
			table[hash_of(i)] = node;
		}
	}
}

static void run(const char *kind)
{
	uint64_t from = done % DRAWS;

	if (!strcmp(kind, "list"))
		list_at = follow(list_at, BATCH);
	else if (!strcmp(kind, "pointer"))
		kept = read_pointers(pointers + from, BATCH);
	else if (!strcmp(kind, "array"))
		kept = read_elements(draws + from, BATCH);
	else if (!strcmp(kind, "mixed"))
		for (uint64_t i = from; i < from + BATCH; i++)
			kept = is_popular(draws[i]) ? read_pointers(pointers + i, 1) : read_elements(draws + i, 1);
	else
		for (uint64_t i = 0; i < BATCH; i++)
			kept = look_up(draws[from + i])->key;
	done += BATCH;
}

static void count(const char *kind)
{
	if (!strcmp(kind, "list")) {
		for (uint64_t i = 0; i < list_length; i++, list_at = (uint64_t *)(uintptr_t)*list_at)
			counts[(uint64_t)(list_at - area) / WORDS] += (double)done / (double)list_length;
		return;
	}
	for (uint64_t i = 0; i < DRAWS; i++) {
		double times = (double)done / DRAWS;

		if (!strcmp(kind, "hash"))
			for (const struct node *node = table[hash_of(draws[i])]; node;
				node = node->key == draws[i] ? NULL : node->next)
				counts[(uint64_t)((const uint64_t *)node - area) / WORDS] += times;
		else
			counts[draws[i]] += times;
	}
}

/* Only what is counted shall be recorded: with record --control --paused. */
static void tell(const char *command)
{
	const char *path = getenv("MEMTRACE_CONTROL");
	FILE *control = path ? fopen(path, "w") : NULL;

	if (!control)
		return;
	fprintf(control, "%s\n", command);
	fclose(control);
	/* The line is read and obeyed. */
	clock_pause(100000000);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"list", "pointer", "array", "hash", "mixed"};
	struct rng rng;
	uint64_t until;
	double seconds;
	bool is_known = false;
	FILE *truth;

	for (size_t i = 0; argc >= 5 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		is_known |= !strcmp(argv[1], kinds[i]);
	if (!is_known || units_parse_u64(argv[2], 1, 1 << 20, &pages) || units_parse_double(argv[3], 0, 1000, &seconds) ||
		argc != 5 + !strcmp(argv[1], "mixed") || (argc == 6 && units_parse_u64(argv[5], 0, 100, &percent)))
		return 2;
	area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	counts = calloc(pages, sizeof(*counts));
	if (area == MAP_FAILED || !counts)
		return 1;
	(void)madvise(area, pages * PAGE, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < pages; i++)
		area[i * WORDS] = i;
	rng_seed(&rng, 1, 0);
	make(argv[1], &rng);
	tell("start");
	until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	while (clock_ns(CLOCK_MONOTONIC) < until)
		run(argv[1]);
	tell("stop");
	count(argv[1]);
	truth = fopen(argv[4], "w");
	for (uint64_t i = 0; i < pages && truth; i++)
		fprintf(truth, "%llx %.0f\n", (unsigned long long)(uintptr_t)area + i * PAGE, counts[i]);
	return truth ? fclose(truth) : 1;
}
#else
int main(void)
{
	fputs("page_truth: its loads are instructions of x86-64\n", stderr);
	return 3;
}
#endif
