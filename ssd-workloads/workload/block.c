/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/workload/block.h"

#include <stdbool.h>
#include <string.h>

#include "common/hot/rng.h"

/* Each unit has its own random stream, so that it can be compared without the units before it. */
static void seed_unit(struct rng *rng, uint64_t run, uint8_t stream, uint8_t worker, uint32_t unit)
{
	rng_seed(rng, run, (uint64_t)stream << 40 | (uint64_t)worker << 32 | unit);
}

void block_fill(void *data, const struct stamp_source *source)
{
	struct rng rng;

	for (uint32_t at = 0; at < source->block_bytes; at += STAMP_UNIT) {
		uint64_t *words = (uint64_t *)(void *)((char *)data + at);

		seed_unit(&rng, source->run, source->stream, source->worker, at / STAMP_UNIT);
		for (uint32_t i = 0; i < stamp_unit_bytes(source->block_bytes, at) / sizeof(*words); i++)
			words[i] = rng_next(&rng);
	}
}

/* --- units --- */

enum unit_finding {
	UNIT_OURS,                /* whole, of this run, at its place */
	UNIT_OTHER,               /* of another run, whole as far as its stamp shows */
	UNIT_BARE,                /* no stamp */
	UNIT_ASTRAY,
	UNIT_DAMAGED,
};

static bool is_whole_pattern(const uint64_t *words, uint32_t count, const struct stamp *stamp)
{
	const uint32_t stamped = sizeof(*stamp) / sizeof(*words);
	struct rng rng;

	seed_unit(&rng, stamp->run, stamp->stream, stamp->worker, stamp->unit);
	for (uint32_t i = 0; i < stamped; i++)
		rng_next(&rng);
	for (uint32_t i = stamped; i + 1 < count; i++) {
		if (words[i] != rng_next(&rng))
			return false;
	}
	return words[count - 1] == stamp->checksum;
}

static enum unit_finding check_unit(const char *data, const struct stamp_source *source, uint64_t offset, uint32_t at,
	struct stamp *stamp)
{
	uint32_t bytes = stamp_unit_bytes(source->block_bytes, at);

	memcpy(stamp, data + at, sizeof(*stamp));
	if (stamp->magic != STAMP_MAGIC)
		return UNIT_BARE;
	if (stamp->checksum != stamp_checksum(stamp))
		return UNIT_DAMAGED;
	if (stamp->run != source->run)
		return UNIT_OTHER;
	if (!is_whole_pattern((const uint64_t *)(const void *)(data + at), bytes / sizeof(uint64_t), stamp))
		return UNIT_DAMAGED;
	return stamp->offset == offset + at && stamp->stream == source->stream && stamp->worker == source->worker &&
			       stamp->unit == at / STAMP_UNIT && stamp->block_bytes == source->block_bytes
		       ? UNIT_OURS
		       : UNIT_ASTRAY;
}

/* --- blocks --- */

/* Keeps the worst finding, and where it occurred first. */
static void found(struct block_seen *seen, enum block_finding finding, uint32_t at)
{
	if (finding > seen->finding) {
		seen->finding = finding;
		seen->at = at;
	}
}

void block_check(const void *data, const struct stamp_source *source, uint64_t offset, struct block_seen *seen)
{
	const uint32_t none = UINT32_MAX;
	uint32_t bare_at = none, other_at = none;
	uint64_t first_sequence = 0;
	bool has_ours = false;

	*seen = (struct block_seen){.finding = BLOCK_WHOLE, .low = STAMP_PREPARED, .high = STAMP_PREPARED};
	for (uint32_t at = 0; at < source->block_bytes; at += STAMP_UNIT) {
		struct stamp stamp;

		switch (check_unit(data, source, offset, at, &stamp)) {
		case UNIT_OURS:
			if (has_ours && stamp.sequence != first_sequence)
				found(seen, BLOCK_TORN, at);
			first_sequence = has_ours ? first_sequence : stamp.sequence;
			has_ours = true;
			if (stamp.sequence == STAMP_PREPARED) {
				seen->has_prepared = 1;
				break;
			}
			if (seen->high == STAMP_PREPARED || stamp.sequence > seen->high)
				seen->high = stamp.sequence;
			if (seen->low == STAMP_PREPARED || stamp.sequence < seen->low)
				seen->low = stamp.sequence;
			break;
		case UNIT_OTHER:
			other_at = other_at == none ? at : other_at;
			break;
		case UNIT_BARE:
			bare_at = bare_at == none ? at : bare_at;
			break;
		case UNIT_ASTRAY:
			found(seen, BLOCK_ASTRAY, at);
			break;
		case UNIT_DAMAGED:
			found(seen, BLOCK_DAMAGED, at);
			break;
		}
	}
	seen->has_prepared |= other_at != none;
	seen->has_bare = bare_at != none;
	if (!has_ours && seen->finding == BLOCK_WHOLE)
		seen->finding = BLOCK_FOREIGN;
	seen->is_begun = has_ours && seen->has_bare && seen->finding <= BLOCK_TORN;
	/* A short write leaves a missing stamp next to whole ones only if it was the first one to its place. */
	if (has_ours && seen->has_bare)
		found(seen, BLOCK_DAMAGED, bare_at);
	if (has_ours && other_at != none)
		found(seen, BLOCK_TORN, other_at);
	if (seen->has_prepared)
		seen->low = STAMP_PREPARED;
}
