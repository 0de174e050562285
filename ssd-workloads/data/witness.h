/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has been acknowledged, told to somebody who outlives a kill -9: a page in memory of /dev/shm (named by the run),
 * so that telling costs a store and no input or output. Gone with the machine's power; after that `verify` can say
 * what is broken, not what is missing, and says so.
 * Of each worker: all writes below `floor` are acknowledged, and of the next WITNESS_WINDOW those whose bit says so. A
 * worker begins no write at floor + WITNESS_WINDOW or later. One writer a worker. HOT: witness_acknowledge.
 */
#ifndef SSD_WORKLOADS_DATA_WITNESS_H
#define SSD_WORKLOADS_DATA_WITNESS_H

#include <stdbool.h>

#include "common/hot/keep.h"

#define WITNESS_WINDOW 16384u /* a power of two */

struct witness_worker {
	uint64_t floor;
	uint64_t bits[WITNESS_WINDOW / 64]; /* of sequence mod WITNESS_WINDOW */
};

/* The bit of what is acknowledged is set in even rounds of the window and clear in odd ones: so nothing has to be put
 * back, and whenever the process ends, all that is said is true, and nothing is missing. */
KEEP_INLINE int witness_bit(const struct witness_worker *worker, uint64_t sequence)
{
	uint64_t at = sequence % WITNESS_WINDOW, round = sequence / WITNESS_WINDOW;

	return (int)((worker->bits[at / 64] >> (at % 64) ^ round) & 1);
}

/* The write of this sequence is acknowledged: it lies in [floor, floor + WITNESS_WINDOW) and was not yet. */
KEEP_INLINE void witness_acknowledge(struct witness_worker *worker, uint64_t sequence)
{
	uint64_t at = sequence % WITNESS_WINDOW, floor = worker->floor;

	__atomic_store_n(&worker->bits[at / 64], worker->bits[at / 64] ^ 1ull << (at % 64), __ATOMIC_RELEASE);
	if (sequence != floor)
		return;
	do
		floor++;
	while (witness_bit(worker, floor));
	__atomic_store_n(&worker->floor, floor, __ATOMIC_RELEASE);
}

/* All below are acknowledged, and none from there on. */
KEEP_INLINE void witness_start(struct witness_worker *worker, uint64_t floor)
{
	for (uint64_t sequence = floor; sequence < floor + WITNESS_WINDOW; sequence++) {
		uint64_t at = sequence % WITNESS_WINDOW;

		if (witness_bit(worker, sequence))
			worker->bits[at / 64] ^= 1ull << (at % 64);
	}
	__atomic_store_n(&worker->floor, floor, __ATOMIC_RELEASE);
}

KEEP_INLINE int witness_knows(const struct witness_worker *worker, uint64_t sequence)
{
	if (sequence < worker->floor)
		return 1;
	return sequence - worker->floor < WITNESS_WINDOW && witness_bit(worker, sequence);
}

/* Cold, in witness.c. */
struct witness;
/* Makes it for this run (header.h), for so many workers in all. 0 or -errno. */
int witness_open(uint64_t run, unsigned workers, struct witness **witness);
/* Of a run that ended, or was killed; read only. -ENOENT: there is none (any more). -EPERM: there is a file that is not of
 * this user alone, and that is not believed. */
int witness_find(uint64_t run, unsigned workers, struct witness **witness);
/* index: log workers first, then checkpoint's. Touched, so that the run faults nothing in. */
struct witness_worker *witness_worker(struct witness *witness, unsigned index);
/* Nobody can ask for it when this process is gone: the target has no name either. */
void witness_hide(struct witness *witness);
/* Of a run whose target somebody else has now. */
void witness_remove(uint64_t run);
/* The same of a run with two targets, of which one was reused: of `count` workers from `first` nothing is kept, and the file
 * goes with the last of them. workers: all of the run. */
void witness_remove_part(uint64_t run, unsigned workers, unsigned first, unsigned count);
/* witness_remove_part did that. */
bool witness_is_gone(struct witness *witness, unsigned index);
/* Lets go of it; is_removed: it is not needed any more. NULL is allowed. */
void witness_close(struct witness *witness, bool is_removed);

#endif
