/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured path. One call runs one thread's accesses until a deadline, a count, or a stop: each access is
 * a draw, two stamps around one 4-byte load or store, and one counter. Anything rarer (a page fault, a clock
 * that ran backwards) is behind one comparison of the latency with a threshold.
 *
 * access.c may use common/hot/ only.
 */
#ifndef PMBENCH_ACCESS_H
#define PMBENCH_ACCESS_H

#include <stdbool.h>
#include "common/hot/bucket.h"
#include "common/hot/faults.h"
#include "common/hot/rng.h"
#include "common/hot/ticks.h"

enum access_direction { ACCESS_READ, ACCESS_WRITE, ACCESS_DIRECTIONS };
enum access_class { ACCESS_ALL, ACCESS_MINOR, ACCESS_MAJOR, ACCESS_CLASSES };

/* Counts and moments of one direction, half a page: the paper's counter page has two (papers/pmbench.txt
 * section 3). Written by one thread; others may read each word at any time (keep_read). */
struct access_half {
	uint64_t count[BUCKET_LOG16_COUNT];
	uint64_t sum_ticks;
	double sum_squares; /* of ticks; to be read when the thread has ended */
	uint64_t min_ticks, max_ticks;
	uint64_t touched;       /* accesses of -a touch, which records nothing else */
	uint64_t max_hit_ticks; /* the longest hit over the slow threshold, 0 = none */
	union {                 /* words of the thread that share the page which the loop touches anyway */
		uint64_t deadline;  /* half[ACCESS_READ]: ticks at which the loop ends */
		uint64_t slow_hits; /* half[ACCESS_WRITE]: how often the kernel was asked in vain */
	};
};
struct access_page {
	struct access_half half[ACCESS_DIRECTIONS];
};
_Static_assert(sizeof(struct access_page) == KEEP_PAGE_BYTES, "counters of a thread fill one page");

/* Fine histograms of one class, --hdr. */
struct access_hdr {
	uint64_t count[ACCESS_DIRECTIONS][BUCKET_HDR_COUNT];
};

/* What an access over the slow threshold turned out to be; the slow path's own page. */
struct access_slow {
	uint64_t minor_faults, major_faults; /* the kernel's counts as of the last classified access */
	uint64_t backwards;                  /* negative latencies, not counted anywhere else */
	uint64_t multiple;                   /* accesses with more than one fault, counted by their gravest */
	uint64_t extra_minor, extra_major;   /* faults beyond one in such accesses */
	uint64_t checks;                     /* accesses that were slow and were no hit by the first question */
	uint64_t over_threshold;             /* accesses over -h */
};

struct access_thread;
struct pattern; /* common/pattern.h; only passed on here */
/* Called for each access slower than slow_ticks, after its stop stamp and before it is recorded; a clock that ran
 * backwards shows as a huge latency. False: the access is not recorded (and counted by the callee). */
typedef bool access_slow_fn(struct access_thread *thread, enum access_direction direction, uint64_t ticks,
	const void *address);

/* Everything a thread's loop needs. Set up before, read after; `all` is the only page
 * that others touch while it runs. */
struct access_thread {
	/* in */
	enum ticks_method method;
	bool is_store_visible;
	bool is_touch;            /* the same timed accesses, nothing recorded */
	bool write_needs_read;    /* a write is a load and a store, both between the stamps */
	char *base;
	uint64_t pages;
	uint32_t page_bytes;
	int32_t offset;           /* 4-byte word inside the page, -1 = random */
	uint64_t read_threshold;  /* a 63-bit draw below is a read */
	uint64_t delay_ticks;
	uint64_t mult;            /* ns = ticks * mult >> 32 */
	uint64_t slow_ticks;
	/* Whether the loop itself asks the kernel about a slow access: one without a new fault, not over over_ticks, is a
	 * hit and on_slow is not called. Else on_slow finds the answer in `asked`. */
	bool asks_kernel;
	uint64_t over_ticks;      /* at most INT64_MAX, so that a clock that ran backwards is on_slow's */
	struct fault_counts known;      /* the counts that are accounted for; on_slow moves them on */
	struct fault_counts asked;
	access_slow_fn *on_slow;  /* never NULL */
	/* NULL: uniform, drawn in line from rng */
	uint64_t (*draw)(struct pattern *state);
	struct pattern *draw_state;
	struct rng rng;
	/* shared */
	struct access_page *all;  /* its deadline: ticks at which the loop ends; 0 = now */
	struct access_hdr *hdr;   /* NULL = none; [ACCESS_ALL] only, classes by on_slow */
	uint64_t limit;           /* accesses, 0 = none */
	/* out */
	uint64_t begin_ticks, end_ticks;
	uint64_t done;            /* accesses of this call, unrecorded ones included */
	uint64_t slow_stop_ticks; /* the stop stamp of the access that on_slow is called for */
	void *slow_state;         /* on_slow's own */
};

/* Runs until a stop stamp reaches the deadline or limit accesses are done. */
void access_run(struct access_thread *thread);

/* Only the draws of `count` accesses, nothing touched: pattern generation overhead. Returns ticks. */
uint64_t access_draw_cost(struct access_thread *thread, uint64_t count);

#endif
