/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.h of a machine and a device whose every cost is known; its clock goes only by what is asked of it. */
#ifndef TESTS_UNIT_FAKE_STORE_H
#define TESTS_UNIT_FAKE_STORE_H

#include <stdbool.h>

#include "common/hot/rng.h"
#include "iowrite-bench/calibrate/session.h"

#define FAKE_BLOCKS (1 << 16)
#define FAKE_UNITS 4096 /* of 1 MiB, of which is known whether they are dirty */

struct fake_line {
	double fixed_ns, ns_per_byte;
};

struct store {
	/* What is true. */
	struct fake_line device[OP_MODES][OP_REGIMES];
	struct fake_line append_warm, append_cold, rewrite;
	struct fake_line read;
	double seek_ns, edge_ns, alpha, write_back; /* bytes/s */
	double first_ns; /* what the first write behind a cut costs more, O_SYNC */
	double after_large_ns; /* and the first behind one of 4 MiB or more */
	double cache_bytes, late_rate; /* what it takes at write_back after a rest, and bytes/s then; 0 = all */
	double burst_bytes;    /* that it takes at once after each rest */
	double burst_rest_ns;  /* how long that has to be, without a cut that was not synced yet; 0 = neither counts */
	double memory_rate, lib_ns, clock_ns;
	uint64_t lib_buffer, warm_pool;
	struct dirty_state thresholds;
	double noise;          /* of each cost, to either side */
	double drift;          /* of all costs, in every other second or so */
	double slow, slow_until_ns; /* all costs are so much higher in the beginning */
	double stopped_from_ns, stopped_until_ns; /* the process is stopped again and again: all takes four times as long */
	double others, foreign; /* shares of the time that others want the CPU, and have the disk */
	uint64_t device_bytes; /* a device of this size: it neither grows nor is it cut; 0 = a file */
	bool lacks_reserve;    /* no fallocate(2) */
	uint64_t fail_at;      /* bytes written, from which on writes fail; 0 = never */
	int fail_error;
	uint64_t stop_at_ns;   /* a signal comes; 0 = never */

	/* Its state. */
	double now_ns;
	int stop;
	double watched_ns;     /* since when it is watched for stops */
	enum op_mode mode;     /* of the writes that are asked for */
	struct rng rng;
	uint64_t file_bytes, reserved_bytes, position, written;
	uint64_t held, given, pool_left; /* memory */
	double busy_ns; /* when the device had something to do at last */
	double dirty, writeback, written_back, cache_used, burst_used;
	bool is_forgotten, is_flushing, is_cut, is_after_large, is_commit_due;
	bool cached[FAKE_BLOCKS], is_dirty[FAKE_UNITS];
	uint64_t folio[FAKE_BLOCKS]; /* of what size the write was that brought a block into the cache; 0 = none */
	uint64_t lib_held, thresholds_set, largest;
};

/* Known answers: no noise, thresholds of 400 and 800 MB. */
void fake_store_init(struct store *store);

#endif
