/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The acknowledgement log: the acknowledged writes, in a file in /dev/shm named by the run, which outlives a kill -9 and costs a
 * store instead of input or output. It is lost in a reboot; then `verify` finds damaged blocks, not missing writes. For each worker
 * all writes below `floor` are acknowledged, and of the next ACK_LOG_WINDOW those whose bit is set for the round. A worker begins
 * no write at floor + ACK_LOG_WINDOW or later. Each worker has one writer. HOT: ack_log_acknowledge.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_ACK_LOG_H
#define SSD_WORKLOADS_WORKLOAD_ACK_LOG_H

#include <stdbool.h>

#include "common/hot/keep.h"

#define ACK_LOG_WINDOW 16384u /* a power of two */

struct ack_log_worker {
	uint64_t floor;
	uint64_t bits[ACK_LOG_WINDOW / 64]; /* by sequence mod ACK_LOG_WINDOW */
};

/* The bit of an acknowledged write is set in even rounds of the window and clear in odd ones. So no bit has to be reset, and
 * whenever the process ends the log is correct and complete. */
KEEP_INLINE int ack_log_bit(const struct ack_log_worker *worker, uint64_t sequence)
{
	uint64_t at = sequence % ACK_LOG_WINDOW, round = sequence / ACK_LOG_WINDOW;

	return (int)((worker->bits[at / 64] >> (at % 64) ^ round) & 1);
}

/* Marks the write of this sequence as acknowledged. It must be in [floor, floor + ACK_LOG_WINDOW) and not acknowledged yet. */
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

/* Sets the start: all writes below floor are acknowledged, and none from there on. */
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

/* ack_log.c; not hot */
struct ack_log;
/* Creates the log of this run (header.h) for all of its workers. Returns 0 or -errno. */
int ack_log_open(uint64_t run, unsigned workers, struct ack_log **ack_log);
/* Reads the log of a run that ended or was killed. Returns 0 or -errno; -ENOENT if there is none (any more), -EPERM if the file
 * is accessible to other users and therefore not trusted. */
int ack_log_find(uint64_t run, unsigned workers, struct ack_log **ack_log);
/* Returns the data of a worker; index counts log workers first, then those of the checkpoint. The memory is touched, so that it
 * causes no page fault in the run. */
struct ack_log_worker *ack_log_worker(struct ack_log *ack_log, unsigned index);
/* Unlinks the file, for a target without a name. */
void ack_log_hide(struct ack_log *ack_log);
/* Removes the log of a run whose target was reused. */
void ack_log_remove(uint64_t run);
/* The same for a run with two targets, of which one was reused: discards `count` workers from `first` on, and removes the file
 * with the last of them. workers is the number of all workers of the run. */
void ack_log_remove_part(uint64_t run, unsigned workers, unsigned first, unsigned count);
/* Returns whether ack_log_remove_part has discarded this worker. */
bool ack_log_is_gone(struct ack_log *ack_log, unsigned index);
/* Closes the log; is_removed also removes its file. NULL is allowed. */
void ack_log_close(struct ack_log *ack_log, bool is_removed);

#endif
