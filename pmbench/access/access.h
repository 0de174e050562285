/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured path. One call runs one thread's accesses until a deadline, a count, or a stop: each access is
 * a draw, two time stamps around one 4-byte load or store, and one counter update. Rarer events (a page fault, a clock
 * that ran backwards) are handled after one comparison of the latency with a threshold.
 *
 * access.c may include headers of common/hot/ only.
 */
#ifndef PMBENCH_ACCESS_ACCESS_H
#define PMBENCH_ACCESS_ACCESS_H

#include <stdbool.h>
#include "common/hot/bucket.h"
#include "common/hot/faults.h"
#include "common/hot/rng.h"
#include "common/hot/ticks.h"

enum access_direction { ACCESS_READ, ACCESS_WRITE, ACCESS_DIRECTIONS };
enum access_class { ACCESS_ALL, ACCESS_MINOR, ACCESS_MAJOR, ACCESS_CLASSES };

/* Counts and moments of one direction, half a page: the paper's counter page has two halves (papers/pmbench.txt
 * section 3). Only one thread writes it; other threads may read each word at any time (keep_read). */
struct access_half {
	uint64_t count[BUCKET_LOG16_COUNT];
	uint64_t sum_ticks;
	double sum_squares; /* of ticks; valid when the thread has ended */
	uint64_t min_ticks, max_ticks;
	uint64_t touched;       /* number of accesses with -a touch, which records nothing else */
	uint64_t max_hit_ticks; /* the longest hit over the slow threshold, 0 = none */
	union {                 /* per-thread words, placed in a page that the loop touches in any case */
		uint64_t deadline;  /* half[ACCESS_READ]: ticks at which the loop ends */
		uint64_t slow_hits; /* half[ACCESS_WRITE]: queries of the kernel that found no fault */
	};
};
struct access_page {
	struct access_half half[ACCESS_DIRECTIONS];
};
_Static_assert(sizeof(struct access_page) == KEEP_PAGE_BYTES, "counters of a thread fill one page");

/* Fine histograms of one class, for --hdr. */
struct access_hdr {
	uint64_t count[ACCESS_DIRECTIONS][BUCKET_HDR_COUNT];
};

/* Counts of the accesses over the slow threshold; only the slow path writes them. */
struct access_slow {
	uint64_t minor_faults, major_faults; /* the kernel's counts as of the last classified access */
	uint64_t backwards;                  /* negative latencies, counted nowhere else */
	uint64_t multiple;                   /* accesses with more than one fault; their class is that of the most severe fault */
	uint64_t extra_minor, extra_major;   /* faults beyond one in such accesses */
	uint64_t checks;                     /* slow accesses that the loop's own query of the kernel did not classify as hits */
	uint64_t over_threshold;             /* accesses over -h */
};

struct access_thread;
struct pattern; /* common/stats/pattern.h */
/* Called for each access slower than slow_ticks, after its stop stamp and before it is recorded; a clock that ran
 * backwards shows as a huge latency. Returns false if the loop must not record the access (the callee has counted it). */
typedef bool access_slow_fn(struct access_thread *thread, enum access_direction direction, uint64_t ticks,
	const void *address);

/* Input, state and output of a thread's loop. The caller sets it before access_run and reads it afterwards; other
 * threads access only the page `all` while the loop runs. */
struct access_thread {
	/* in */
	enum ticks_method method;
	bool is_store_visible;
	bool is_touch;            /* perform the same timed accesses, but record nothing */
	bool write_needs_read;    /* a write is a load and a store, both between the time stamps */
	char *base;
	uint64_t pages;
	uint32_t page_bytes;
	int32_t offset;           /* index of the 4-byte word in the page, -1 = random */
	uint64_t read_threshold;  /* a 63-bit draw below this is a read */
	uint64_t delay_ticks;
	uint64_t mult;            /* ns = ticks * mult >> 32 */
	uint64_t slow_ticks;
	/* The loop itself asks the kernel about a slow access: without a new fault and at most over_ticks long it is a hit, and
	 * on_slow is not called. Otherwise on_slow finds the kernel's counts in `asked`. */
	bool asks_kernel;
	uint64_t over_ticks;      /* at most INT64_MAX, so that on_slow is called when a clock ran backwards */
	struct fault_counts known;      /* the counts accounted for so far; on_slow updates them */
	struct fault_counts asked;
	access_slow_fn *on_slow;  /* never NULL */
	/* NULL = uniform, drawn inline from rng */
	uint64_t (*draw)(struct pattern *state);
	struct pattern *draw_state;
	struct rng rng;
	/* shared */
	struct access_page *all;  /* its deadline: ticks at which the loop ends; 0 = now */
	struct access_hdr *hdr;   /* NULL = none; of ACCESS_ALL only, on_slow fills those of the classes */
	uint64_t limit;           /* accesses, 0 = none */
	/* out */
	uint64_t begin_ticks, end_ticks;
	uint64_t done;            /* accesses of this call, including unrecorded ones */
	uint64_t slow_stop_ticks; /* stop stamp of the access that on_slow is called for */
	void *slow_state;         /* for on_slow */
};

/* Runs accesses until a stop stamp reaches the deadline or `limit` accesses are done. */
void access_run(struct access_thread *thread);

/* Performs the draws of `count` accesses without an access. Returns the ticks they took: the generation overhead. */
uint64_t access_draw_cost(struct access_thread *thread, uint64_t count);

#endif
