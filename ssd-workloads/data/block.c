/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/data/block.h"

#include <stdbool.h>
#include <string.h>

#include "common/hot/rng.h"

/* A unit's pattern is a stream of its own, so that any unit can be compared without those before it. */
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

/* --- one unit --- */

enum unit_finding {
	UNIT_OURS,                /* of this run, whole, at its place */
	UNIT_OTHER,               /* whole as far as its stamp says, of another run */
	UNIT_BARE,                /* nothing that looks like a stamp */
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

static bool is_at_place(const struct stamp *stamp, const struct stamp_source *source, uint64_t offset, uint32_t unit)
{
	return stamp->offset == offset && stamp->stream == source->stream && stamp->worker == source->worker &&
	       stamp->unit == unit && stamp->block_bytes == source->block_bytes;
}

static enum unit_finding look_unit(const char *data, const struct stamp_source *source, uint64_t offset, uint32_t at,
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
	return is_at_place(stamp, source, offset + at, at / STAMP_UNIT) ? UNIT_OURS : UNIT_ASTRAY;
}

/* --- a block --- */

struct look {
	struct block_seen *seen;
	uint64_t first_sequence;  /* of the first unit of ours */
	bool has_ours, has_bare, has_other;
	uint32_t bare_at, other_at;
};

/* A worse finding stays, and where it was made first. */
static void found(struct block_seen *seen, enum block_finding finding, uint32_t at)
{
	if (finding > seen->finding) {
		seen->finding = finding;
		seen->at = at;
	}
}

static void take_ours(struct look *look, uint64_t sequence, uint32_t at)
{
	struct block_seen *seen = look->seen;

	if (look->has_ours && sequence != look->first_sequence)
		found(seen, BLOCK_TORN, at);
	if (!look->has_ours)
		look->first_sequence = sequence;
	look->has_ours = true;
	if (sequence == STAMP_PREPARED) {
		seen->has_prepared = 1;
		return;
	}
	if (seen->high == STAMP_PREPARED || sequence > seen->high)
		seen->high = sequence;
	if (seen->low == STAMP_PREPARED || sequence < seen->low)
		seen->low = sequence;
}

static void note_first(bool *has, uint32_t *first_at, uint32_t at)
{
	if (!*has)
		*first_at = at;
	*has = true;
}

static void look_at_units(struct look *look, const char *data, const struct stamp_source *source, uint64_t offset)
{
	for (uint32_t at = 0; at < source->block_bytes; at += STAMP_UNIT) {
		struct stamp stamp;

		switch (look_unit(data, source, offset, at, &stamp)) {
		case UNIT_OURS:
			take_ours(look, stamp.sequence, at);
			break;
		case UNIT_OTHER:
			note_first(&look->has_other, &look->other_at, at);
			break;
		case UNIT_BARE:
			note_first(&look->has_bare, &look->bare_at, at);
			break;
		case UNIT_ASTRAY:
			found(look->seen, BLOCK_ASTRAY, at);
			break;
		case UNIT_DAMAGED:
			found(look->seen, BLOCK_DAMAGED, at);
			break;
		}
	}
}

void block_look(const void *data, const struct stamp_source *source, uint64_t offset, struct block_seen *seen)
{
	struct look look = {.seen = seen};

	*seen = (struct block_seen){.finding = BLOCK_WHOLE, .low = STAMP_PREPARED, .high = STAMP_PREPARED};
	look_at_units(&look, data, source, offset);
	seen->has_prepared |= look.has_other;
	seen->has_bare = look.has_bare;
	if (!look.has_ours && seen->finding == BLOCK_WHOLE)
		seen->finding = BLOCK_FOREIGN;
	seen->is_begun = look.has_ours && look.has_bare && seen->finding <= BLOCK_TORN;
	/* A stamp that is gone, beside whole ones: no write cut short leaves that, but the first one to a place. */
	if (look.has_ours && look.has_bare)
		found(seen, BLOCK_DAMAGED, look.bare_at);
	if (look.has_ours && look.has_other)
		found(seen, BLOCK_TORN, look.other_at);
	if (seen->has_prepared)
		seen->low = STAMP_PREPARED;
}
