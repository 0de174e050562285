/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/verify/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"

#define CHUNK_BYTES (1u << 20)    /* per read, or one block */
#define BUFFER_ALIGN 4096u
#define MISSING_MAX (1u << 20)    /* counted one by one; more than ACK_LOG_WINDOW */

const char *verify_loss_name(enum verify_loss loss)
{
	static const char *const names[VERIFY_LOSSES] = {
		[VERIFY_OLD] = "old-data",
		[VERIFY_TORN] = "torn",
		[VERIFY_FOREIGN] = "foreign",
		[VERIFY_ASTRAY] = "astray",
		[VERIFY_DAMAGED] = "damaged",
		[VERIFY_UNREADABLE] = "unreadable",
	};

	return names[loss];
}

/* one worker's part of the target, and its acknowledged writes */
struct part {
	int fd;
	uint64_t target_bytes;    /* nothing can be read beyond */
	bool is_prepared;
	struct stamp_source source;
	uint64_t begin, blocks, chunk_blocks; /* in this target */
	struct stripe stripe;     /* which: this target's part of it */
	unsigned which;
	uint64_t circle;          /* blocks of the worker in all targets, which are one pass */
	const uint32_t *turns;    /* turn of each block in a pass; NULL = in the order of the blocks */
	uint64_t floor, limit;    /* all writes below floor are acknowledged, none from limit on has begun */
	const struct ack_log_worker *known; /* of the writes between; NULL = none is known */
	char *buffer;
	struct verify_result *result;
};

/* --- expected contents --- */

/* Returns the number in the worker's whole part of a block of this target. */
static uint64_t number_of(const struct part *part, uint64_t block)
{
	return part->stripe.targets > 1 ? block * part->stripe.targets + part->which : block;
}

static uint64_t turn_of(const struct part *part, uint64_t block)
{
	uint64_t number = number_of(part, block);

	return part->turns ? part->turns[number] : number;
}

static uint64_t offset_of(const struct part *part, uint64_t block)
{
	return part->begin + block * part->source.block_bytes;
}

/* Stores the latest acknowledged write of a block. */
static bool has_expected(const struct part *part, uint64_t block, uint64_t *sequence)
{
	uint64_t turn = turn_of(part, block), next = turn;
	bool is_known = part->floor > turn;

	if (is_known) {
		*sequence = turn + (part->floor - 1 - turn) / part->circle * part->circle;
		next = *sequence + part->circle;
	}
	for (; part->known && next < part->limit; next += part->circle) {
		if (ack_log_knows(part->known, next)) {
			*sequence = next;
			is_known = true;
		}
	}
	return is_known;
}

/* Returns whether this write of the block may have begun. */
static bool is_possible(const struct part *part, uint64_t block, uint64_t sequence)
{
	return sequence % part->circle == turn_of(part, block) && sequence < part->limit;
}

static void lose(struct part *part, uint64_t block, enum verify_loss loss, const char *expected, const char *found)
{
	struct verify_result *result = part->result;

	result->lost[loss]++;
	if (result->total_lost++)
		return;
	snprintf(result->first, sizeof(result->first),
		"%s worker %u, block %" PRIu64 " at byte %" PRIu64 ": %s must be there; found: %s%s",
		mix_stream_name((enum mix_stream)part->source.stream), part->source.worker, number_of(part, block),
		offset_of(part, block), expected, verify_loss_name(loss), found);
}

/* --- contents found --- */

static const enum verify_loss losses[BLOCK_FINDINGS] = {
	[BLOCK_WHOLE] = VERIFY_OLD,
	[BLOCK_TORN] = VERIFY_TORN,
	[BLOCK_FOREIGN] = VERIFY_FOREIGN,
	[BLOCK_ASTRAY] = VERIFY_ASTRAY,
	[BLOCK_DAMAGED] = VERIFY_DAMAGED,
};

static void decide_known(struct part *part, uint64_t block, uint64_t expected, const struct block_seen *seen)
{
	bool is_read = seen->finding == BLOCK_WHOLE || seen->finding == BLOCK_TORN;
	bool is_new = is_read && seen->low != STAMP_PREPARED && seen->low >= expected;
	char wanted[48], found[48] = "";

	part->result->acknowledged++;
	if (is_new && is_possible(part, block, seen->low) && is_possible(part, block, seen->high)) {
		part->result->later += seen->high > expected;
		return;
	}
	snprintf(wanted, sizeof(wanted), "write %" PRIu64, expected);
	if (is_read && seen->low != STAMP_PREPARED)
		snprintf(found, sizeof(found), ", of write %" PRIu64, seen->low);
	/* No write of this run to this block can have this sequence. */
	lose(part, block, is_new ? VERIFY_FOREIGN : losses[seen->finding], wanted, found);
}

static void decide_unknown(struct part *part, uint64_t block, const struct block_seen *seen)
{
	bool is_bare = seen->is_begun || (seen->finding == BLOCK_FOREIGN && seen->has_bare);
	bool is_broken = seen->finding == BLOCK_ASTRAY || seen->finding == BLOCK_DAMAGED;

	if (is_bare ? part->is_prepared : is_broken)
		lose(part, block, losses[seen->finding], "a whole block", "");
	else if (seen->high != STAMP_PREPARED)
		part->result->later++;
}

static void decide(struct part *part, uint64_t block, const char *data)
{
	struct block_seen seen;
	uint64_t expected;

	block_check(data, &part->source, stripe_offset(&part->stripe, part->which, offset_of(part, block)), &seen);
	part->result->blocks++;
	part->result->bytes += part->source.block_bytes;
	if (has_expected(part, block, &expected))
		decide_known(part, block, expected, &seen);
	else
		decide_unknown(part, block, &seen);
}

/* --- reading --- */

static void decide_unreadable(struct part *part, uint64_t block)
{
	char wanted[48] = "a whole block";
	uint64_t expected;

	if (has_expected(part, block, &expected)) {
		part->result->acknowledged++;
		snprintf(wanted, sizeof(wanted), "write %" PRIu64, expected);
	}
	lose(part, block, VERIFY_UNREADABLE, wanted, "");
}

static bool is_read(const struct part *part, uint64_t block, uint64_t count)
{
	size_t bytes = count * part->source.block_bytes;
	off_t at = (off_t)offset_of(part, block);

	return pread(part->fd, part->buffer, bytes, at) == (ssize_t)bytes;
}

/* If a chunk is unreadable, its blocks are read one by one, so that the others are checked. */
static void check_chunk(struct part *part, uint64_t block, uint64_t count)
{
	bool is_whole = is_read(part, block, count);

	for (uint64_t i = 0; i < count; i++) {
		if (is_whole)
			decide(part, block + i, part->buffer + i * part->source.block_bytes);
		else if (is_read(part, block + i, 1))
			decide(part, block + i, part->buffer);
		else
			decide_unreadable(part, block + i);
	}
}

/* Counts the blocks from this one on, all beyond the target's end, without a loop: a header may claim any number. */
static void decide_missing(struct part *part, uint64_t block)
{
	uint64_t left = part->blocks - block, targets = part->stripe.targets > 1 ? part->stripe.targets : 1, known;

	decide_unreadable(part, block);
	if (left <= MISSING_MAX) {
		while (++block < part->blocks)
			decide_unreadable(part, block);
		return;
	}
	block++;
	part->result->lost[VERIFY_UNREADABLE] += left - 1;
	part->result->total_lost += left - 1;
	/* blocks of this target among the first `floor` ones of the whole part */
	known = part->floor < part->circle ? (part->floor + targets - 1 - part->which) / targets : part->blocks;
	if (known > block)
		part->result->acknowledged += known - block;
	/* There are more blocks than writes in the acknowledgement log, so each of its writes is of another block. */
	for (uint64_t next = part->floor; part->known && next < part->limit; next++) {
		uint64_t number = next % part->circle;

		if (ack_log_knows(part->known, next) && number % targets == part->which && number / targets >= block &&
			part->floor <= number)
			part->result->acknowledged++;
	}
}

static int check_part(struct part *part, const volatile int *stop)
{
	for (uint64_t block = 0; block < part->blocks; block += part->chunk_blocks) {
		uint64_t left = part->blocks - block;

		if (offset_of(part, block) >= part->target_bytes) {
			decide_missing(part, block);
			return 0;
		}
		if (stop && *stop)
			return -EINTR;
		check_chunk(part, block, left < part->chunk_blocks ? left : part->chunk_blocks);
	}
	return 0;
}

static int check_stream(struct part *part, const struct header *header, struct ack_log *ack_log, enum mix_stream stream,
	const volatile int *stop)
{
	const struct layout_area *area = &header->layout.areas[stream];
	unsigned before = stream == MIX_LOG ? 0 : header->layout.areas[MIX_LOG].workers;
	uint32_t *turns;
	int rc = 0;

	for (unsigned i = 0; i < area->workers && area->bytes && !rc; i++) {
		uint64_t present;

		part->source = (struct stamp_source){header->run, (uint8_t)stream, (uint8_t)i, area->block_bytes};
		part->chunk_blocks = area->block_bytes < CHUNK_BYTES ? CHUNK_BYTES / area->block_bytes : 1;
		layout_part(area, i, &part->begin, &part->blocks);
		part->stripe = layout_stripe(area);
		part->which = area->stripe;
		part->circle = part->blocks * (area->stripes ? area->stripes : 1);
		part->known = ack_log ? ack_log_worker(ack_log, before + i) : NULL;
		part->floor = ack_log ? part->known->floor : header->acknowledged[stream][i];
		part->limit = part->result->is_complete ? part->floor + ACK_LOG_WINDOW : UINT64_MAX;
		turns = NULL;
		if (header->is_random && stream == MIX_CHECKPOINT) {
			/* The order takes 4 bytes per block, and a header may claim any number. If most blocks are beyond the
			 * target's end, all count as lost, and the order is irrelevant. */
			present = part->target_bytes > part->begin ? (part->target_bytes - part->begin) / area->block_bytes : 0;
			if (part->blocks > present && part->blocks - present > MISSING_MAX) {
				lose(part, 0, VERIFY_UNREADABLE, "a whole block", "");
				part->result->lost[VERIFY_UNREADABLE] += part->blocks - 1;
				part->result->total_lost += part->blocks - 1;
				continue;
			}
			turns = layout_order(header->run, i, part->blocks, true);
			if (!turns)
				return -ENOMEM;
		}
		part->turns = turns;
		rc = check_part(part, stop);
		part->turns = NULL;
		free(turns);
	}
	return rc;
}

int verify_target(int fd, uint32_t memory_align, const struct header *header, struct ack_log *ack_log,
	const volatile int *stop, struct verify_result *result)
{
	struct verify_result found = {.is_complete = header->is_ended || ack_log};
	struct part part = {.fd = fd, .is_prepared = header->is_prepared, .result = &found};
	size_t align = memory_align > BUFFER_ALIGN ? memory_align : BUFFER_ALIGN;
	off_t end = lseek(fd, 0, SEEK_END);
	void *buffer = NULL;
	int rc = end < 0 ? errno : posix_memalign(&buffer, align, MIX_BLOCK_MAX > CHUNK_BYTES ? MIX_BLOCK_MAX : CHUNK_BYTES);

	if (rc)
		return -rc;
	part.buffer = buffer;
	part.target_bytes = (uint64_t)end;
	for (int i = 0; i < MIX_STREAMS && !rc; i++)
		rc = check_stream(&part, header, header->is_ended ? NULL : ack_log, (enum mix_stream)i, stop);
	free(buffer);
	if (!rc)
		*result = found;
	return rc;
}

void verify_add(const struct verify_result *part, struct verify_result *sum)
{
	if (!sum->first[0])
		memcpy(sum->first, part->first, sizeof(sum->first));
	sum->is_complete = sum->is_complete && part->is_complete;
	sum->blocks += part->blocks;
	sum->bytes += part->bytes;
	sum->acknowledged += part->acknowledged;
	sum->later += part->later;
	sum->total_lost += part->total_lost;
	for (int i = 0; i < VERIFY_LOSSES; i++)
		sum->lost[i] += part->lost[i];
}

struct ack_log *verify_ack_log(const struct header *header)
{
	const struct layout_area *log = &header->layout.areas[MIX_LOG];
	struct ack_log *ack_log = NULL;

	if (!header->is_ended &&
		ack_log_find(header->run, log->workers + header->layout.areas[MIX_CHECKPOINT].workers, &ack_log) == -EPERM)
		diag_warn("the acknowledgement log of this run in /dev/shm is not read, because other users could have written "
			  "it; verify as the user who ran the workload");
	/* This target is a copy of one that was reused while the run's other target was not. */
	if (ack_log && ack_log_is_gone(ack_log, log->bytes ? 0 : log->workers)) {
		ack_log_close(ack_log, false);
		ack_log = NULL;
	}
	return ack_log;
}

/* --- output --- */

void verify_print(FILE *out, const struct verify_result *result)
{
	fprintf(out, "verified: %" PRIu64 " blocks read, %" PRIu64 " with a write that was acknowledged, %" PRIu64
		     " with a later one, %" PRIu64 " lost\n",
		result->blocks, result->acknowledged, result->later, result->total_lost);
	for (int i = 0; i < VERIFY_LOSSES; i++) {
		if (result->lost[i])
			fprintf(out, "lost: %-10s %" PRIu64 "\n", verify_loss_name((enum verify_loss)i), result->lost[i]);
	}
	if (result->first[0])
		fprintf(out, "first: %s\n", result->first);
	if (!result->is_complete)
		fprintf(out, "the acknowledged writes are unknown: broken blocks are found, missing writes are not\n");
}

int verify_code(const struct verify_result *result)
{
	if (result->total_lost)
		return DIAG_EXIT_NEGATIVE;
	return result->is_complete ? DIAG_EXIT_OK : DIAG_EXIT_UNTRUSTED;
}
