/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a target back and compares it with the acknowledged writes. A block whose latest acknowledged write is k (of the worker's
 * sequence) must be whole and of write k or a later one that had begun, or torn between these. A block without a known write must
 * be undamaged, and stamped if it was prepared: without preparation a failed or unfinished write may have left half of a block.
 */
#ifndef SSD_WORKLOADS_VERIFY_VERIFY_H
#define SSD_WORKLOADS_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

#include "ssd-workloads/workload/ack_log.h"
#include "ssd-workloads/workload/block.h"
#include "ssd-workloads/workload/header.h"

enum verify_loss { VERIFY_OLD, VERIFY_TORN, VERIFY_FOREIGN, VERIFY_ASTRAY, VERIFY_DAMAGED, VERIFY_UNREADABLE, VERIFY_LOSSES };
const char *verify_loss_name(enum verify_loss loss); /* "old-data", ... */

struct verify_result {
	uint64_t blocks, bytes;          /* read blocks and bytes */
	uint64_t acknowledged;           /* blocks that must hold a known write or a later one */
	uint64_t later;                  /* blocks with writes that were not acknowledged */
	uint64_t lost[VERIFY_LOSSES];    /* blocks */
	uint64_t total_lost;
	bool is_complete;                /* acknowledged writes are known: the run had ended, or its acknowledgement log exists */
	char first[192];                 /* the first loss: stream, worker, block, offset, expected, found; "" = none */
};

/* Verifies a target; fd has O_DIRECT if possible; ack_log NULL: only the header's numbers are known. Returns 0 or -errno; -EINTR
 * if *stop was set. Losses are not an error. */
int verify_target(int fd, uint32_t memory_align, const struct header *header, struct ack_log *ack_log,
	const volatile int *stop, struct verify_result *result);
/* Adds the result of another target of the same run. */
void verify_add(const struct verify_result *part, struct verify_result *sum);
/* Returns the acknowledgement log of a run that has not ended, for verify_target; NULL if there is none. */
struct ack_log *verify_ack_log(const struct header *header);
/* Prints the result in one or two lines. */
void verify_print(FILE *out, const struct verify_result *result);
/* Returns the exit code: 0, 1 on any loss, 4 if the result is not complete. */
int verify_code(const struct verify_result *result);

#endif
