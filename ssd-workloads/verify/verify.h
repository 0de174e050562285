/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a target back and compares it with what was acknowledged. A block whose latest acknowledged write is k (of the
 * worker's sequence) must be whole and of k, or of a later write that had begun, or torn between these; a block of
 * which no write is known must be undamaged, and stamped when it was prepared: where it was not, a write
 * that failed or never ended may have left the half of a block.
 */
#ifndef SSD_WORKLOADS_VERIFY_VERIFY_H
#define SSD_WORKLOADS_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

#include "ssd-workloads/data/block.h"
#include "ssd-workloads/data/header.h"
#include "ssd-workloads/data/ack_log.h"

enum verify_loss { VERIFY_OLD, VERIFY_TORN, VERIFY_FOREIGN, VERIFY_ASTRAY, VERIFY_DAMAGED, VERIFY_UNREADABLE, VERIFY_LOSSES };
const char *verify_loss_name(enum verify_loss loss); /* "old-data", ... */

struct verify_result {
	uint64_t blocks, bytes;          /* that were read */
	uint64_t acknowledged;           /* of these, that had to hold a write that is known, or a later one */
	uint64_t later;                  /* blocks of writes that were not acknowledged, and are there nevertheless */
	uint64_t lost[VERIFY_LOSSES];    /* blocks */
	uint64_t total_lost;
	bool is_complete;                /* what was acknowledged is known: the run had ended, or its acknowledgement log lives */
	char first[192];                 /* what the first loss is: stream, worker, block, offset, expected, found; "" = none */
};

/* fd: O_DIRECT where it can be. ack_log NULL: the header's numbers are all that is known. 0 or -errno, -EINTR when *stop
 * was set; losses are no error. */
int verify_target(int fd, uint32_t memory_align, const struct header *header, struct ack_log *ack_log,
	const volatile int *stop, struct verify_result *result);
/* What was found in another target of the same run. */
void verify_add(const struct verify_result *part, struct verify_result *sum);
/* The acknowledgement log of a run that has not ended: as verify_target wants it, NULL when there is none. */
struct ack_log *verify_ack_log(const struct header *header);
/* A line or two for people. */
void verify_print(FILE *out, const struct verify_result *result);
/* 0, 1 on any loss, 4 when it is not complete. */
int verify_code(const struct verify_result *result);

#endif
