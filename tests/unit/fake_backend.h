/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A backend in a time of its own: what each write takes is said by the test, and every law of a worker is watched. */
#ifndef TESTS_UNIT_FAKE_BACKEND_H
#define TESTS_UNIT_FAKE_BACKEND_H

#include "ssd-workloads/backend/backend.h"

#define FAKE_SLOTS 128u
#define FAKE_WRITES 65536u

struct fake_write { /* in the order in which they were queued */
	uint64_t offset, queued_ns, done_ns;
	uint32_t slot, length;
};

struct fake_backend {
	uint64_t now_ns, step_ns;       /* each look at the clock takes a step */
	enum backend_durability durability;
	/* Time of the n-th write, and of its sync. */
	uint64_t (*service)(unsigned n);
	uint64_t sync_ns;
	unsigned fail_at;               /* the n-th write (from 1) gives this, 0 = none */
	unsigned sync_fail_at;          /* the sync of the n-th write gives it; its write is whole */
	int32_t fail_result;
	unsigned whole_fail_at;         /* the n-th sync of all (from 1) gives it */
	uint64_t early_ns;              /* a wait ends then for no reason, as by a signal; 0 = none does */
	unsigned break_at;              /* the n-th enter (from 1) fails for good */
	/* What it saw. */
	unsigned enters, count, deepest, outstanding;
	unsigned wholes;                /* syncs of all; after so many writes: */
	unsigned whole_after[FAKE_SLOTS];
	bool is_whole_queued;
	uint64_t whole_at_ns;           /* when the one under way is done, 0 = none */
	struct fake_write writes[FAKE_WRITES];
	struct fake_slot {
		bool is_busy, is_queued, is_written;
		unsigned write;
		uint64_t written_ns, durable_ns;
		int32_t result;
	} slots[FAKE_SLOTS];
};

extern const struct backend_ops fake_ops; /* its state is a struct fake_backend, zeroed but for what the test says */

#endif
