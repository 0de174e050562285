/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The acknowledgement log: what was acknowledged, in a file in /dev/shm named by the run, which outlives a kill -9 and
 * costs a store instead of input or output. After a reboot it is gone, and `verify` finds what is broken, not what is
 * missing.
 * Of each worker: all writes below `floor` are acknowledged, and of the next ACK_LOG_WINDOW those whose bit says so. A
 * worker begins no write at floor + ACK_LOG_WINDOW or later. One writer a worker. HOT: ack_log_acknowledge.
 */
#ifndef SSD_WORKLOADS_DATA_ACK_LOG_H
#define SSD_WORKLOADS_DATA_ACK_LOG_H

#include <stdbool.h>

#include "common/hot/keep.h"

#define ACK_LOG_WINDOW 16384u /* a power of two */

struct ack_log_worker {
	uint64_t floor;
	uint64_t bits[ACK_LOG_WINDOW / 64]; /* of sequence mod ACK_LOG_WINDOW */
};

/* The bit of what is acknowledged is set in even rounds of the window and clear in odd ones: so nothing has to be put
 * back, and whenever the process ends, all that is said is true, and nothing is missing. */
KEEP_INLINE int ack_log_bit(const struct ack_log_worker *worker, uint64_t sequence)
{
	uint64_t at = sequence % ACK_LOG_WINDOW, round = sequence / ACK_LOG_WINDOW;

	return (int)((worker->bits[at / 64] >> (at % 64) ^ round) & 1);
}

/* The write of this sequence is acknowledged: it lies in [floor, floor + ACK_LOG_WINDOW) and was not yet. */
KEEP_INLINE void ack_log_acknowledge(struct ack_log_worker *worker, uint64_t sequence)
{
	uint64_t at = sequence % ACK_LOG_WINDOW, floor = worker->floor;

	__atomic_store_n(&worker->bits[at / 64], worker->bits[at / 64] ^ 1ull << (at % 64), __ATOMIC_RELEASE);
	if (sequence != floor)
		return;
	do
		floor++;
	while (ack_log_bit(worker, floor));
	__atomic_store_n(&worker->floor, floor, __ATOMIC_RELEASE);
}

/* All below are acknowledged, and none from there on. */
KEEP_INLINE void ack_log_start(struct ack_log_worker *worker, uint64_t floor)
{
	for (uint64_t sequence = floor; sequence < floor + ACK_LOG_WINDOW; sequence++) {
		uint64_t at = sequence % ACK_LOG_WINDOW;

		if (ack_log_bit(worker, sequence))
			worker->bits[at / 64] ^= 1ull << (at % 64);
	}
	__atomic_store_n(&worker->floor, floor, __ATOMIC_RELEASE);
}

KEEP_INLINE int ack_log_knows(const struct ack_log_worker *worker, uint64_t sequence)
{
	if (sequence < worker->floor)
		return 1;
	return sequence - worker->floor < ACK_LOG_WINDOW && ack_log_bit(worker, sequence);
}

/* Cold, in ack_log.c. */
struct ack_log;
/* Makes it for this run (header.h), for this number of workers in all. 0 or -errno. */
int ack_log_open(uint64_t run, unsigned workers, struct ack_log **ack_log);
/* Of a run that ended, or was killed; read only. -ENOENT: there is none (any more). -EPERM: there is a file that is not of
 * this user alone, and that is not believed. */
int ack_log_find(uint64_t run, unsigned workers, struct ack_log **ack_log);
/* index: log workers first, then checkpoint's. Touched, so that the run faults nothing in. */
struct ack_log_worker *ack_log_worker(struct ack_log *ack_log, unsigned index);
/* No process can find it any more: of a target without a name. */
void ack_log_hide(struct ack_log *ack_log);
/* Of a run whose target was reused. */
void ack_log_remove(uint64_t run);
/* The same of a run with two targets, of which one was reused: of `count` workers from `first` nothing is kept, and the file
 * goes with the last of them. workers: all of the run. */
void ack_log_remove_part(uint64_t run, unsigned workers, unsigned first, unsigned count);
/* ack_log_remove_part did that. */
bool ack_log_is_gone(struct ack_log *ack_log, unsigned index);
/* Lets go of it; is_removed: it is not needed any more. NULL is allowed. */
void ack_log_close(struct ack_log *ack_log, bool is_removed);

#endif
