/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes that the device answers, by size, in one mode and regime. The sizes take turns, as they do in a program; each
 * begins on a block of the file system. What is smaller than a block comes in batches before the others, what is large
 * behind them: in turns with up to 64 MiB O_DIRECT writes of 4 KiB took 58 to 67 us, by themselves 42 to 50.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define LARGE (4 * MIB)
#define PARTS 4 /* of a block, written one after another */
#define WARM_BYTES (160 * MIB) /* twice what a pass of all sizes takes */

static const struct row {
	uint64_t size;
	unsigned count;
} rows[] = {{4 * KIB, 12}, {8 * KIB, 12}, {16 * KIB, 12}, {32 * KIB, 12}, {64 * KIB, 12}, {128 * KIB, 12},
	{256 * KIB, 12}, {512 * KIB, 12}, {1 * MIB, 12}, {4 * MIB, 4}, {16 * MIB, 2}, {64 * MIB, 1}};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct place {
	struct rig *rig;
	const struct probe *probe;
	uint64_t begin, end, at;
};

static bool is_measured(const struct place *place, const struct row *row)
{
	const struct calibrate_plan *plan = place->rig->plan;

	if (row->size % plan->fs_block || row->size > plan->largest_bytes)
		return false;
	/* The largest once, where a log or a copy would write it. */
	if (row->size > 16 * MIB && (place->probe->regime != OP_APPEND || place->probe->mode < OP_DIRECT))
		return false;
	return row->size <= (place->end - place->begin) / 8;
}

/* The first write of a file that was cut makes what the others find (inode and extents in the journal): 380 us where they
 * take 150. One block, not measured. */
static int begin_again(struct place *place)
{
	uint64_t block = place->rig->plan->fs_block;
	double ns;
	int rc = rig_write(place->rig, place->probe->mode, place->at, block, &ns);

	place->at += block;
	return rc;
}

/* Back to the beginning when it is full: what grew is cut off. */
static int make_room(struct place *place, uint64_t size)
{
	struct rig *rig = place->rig;
	int rc;

	if (place->at + size <= place->end)
		return 0;
	place->at = place->begin;
	if (place->probe->regime == OP_OVERWRITE)
		return 0;
	rc = rig_told(rig, rig->hooks->cut(rig->hooks->state, place->begin), "cut the file");
	if (!rc && place->probe->regime == OP_PREALLOCATED)
		rc = rig_told(rig,
			rig->hooks->reserve(rig->hooks->state, place->begin, place->end - place->begin),
			"reserve room (fallocate)");
	return rc ? rc : begin_again(place);
}

static int measure_one(struct place *place, uint64_t size)
{
	const struct probe *probe = place->probe;
	double ns;
	int rc = make_room(place, size);

	/* O_SYNC and O_DSYNC go through the page cache. */
	if (probe->mode < OP_DIRECT && probe->regime != OP_OVERWRITE)
		rig_give(place->rig, size);
	if (!rc)
		rc = rig_write(place->rig, probe->mode, place->at, size, &ns);
	if (!rc)
		rig_point(place->rig, probe->mode, probe->regime, size, ns);
	place->at += size;
	return rc;
}

/* Parts of a block: of O_DIRECT only where it takes them. */
static int measure_parts(struct place *place)
{
	uint64_t block = place->rig->plan->fs_block, part = block / PARTS;
	int rc = 0;

	if (part % place->rig->plan->align || (place->probe->mode >= OP_DIRECT && place->probe->regime == OP_OVERWRITE))
		return 0;
	if (place->probe->regime == OP_OVERWRITE)
		rc = rig_fill(place->rig, OP_BUFFERED, place->at, place->at + 2 * block, part);
	for (int i = 0; i < 2 * PARTS && !rc; i++)
		rc = measure_one(place, part);
	return rc;
}

static int measure_rows(struct place *place, size_t first, size_t end)
{
	int rc = 0;

	for (unsigned pass = 0; pass < rows[first].count && !rc; pass++) {
		for (size_t i = first; i < end && !rc; i++) {
			if (pass < rows[i].count && is_measured(place, &rows[i]))
				rc = measure_one(place, rows[i].size);
		}
		if (rig_is_late(place->rig))
			break;
	}
	return rc;
}

static int measure_all(struct place *place)
{
	size_t large = 0;
	int rc = measure_parts(place);

	while (rows[large].size < LARGE)
		large++;
	if (!rc)
		rc = measure_rows(place, 0, large);
	return rc ? rc : measure_rows(place, large, ROWS);
}

int probe_synchronous(struct rig *rig, const struct probe *probe)
{
	const struct calibrate_plan *plan = rig->plan;
	struct place place = {rig, probe, plan->written_bytes, plan->size_bytes, plan->written_bytes};
	bool is_direct = probe->mode >= OP_DIRECT;
	int rc = is_direct && probe->regime == OP_OVERWRITE ? rig_uncached(rig) : rig_fresh(rig);

	if (!rc && !is_direct)
		rc = rig_warm(rig, WARM_BYTES);
	if (probe->regime == OP_OVERWRITE)
		place = (struct place){rig, probe, 0, plan->written_bytes, 0};
	/* Half of the room: unwritten blocks cost their making. */
	if (probe->regime == OP_PREALLOCATED)
		place.end = place.begin + calibrate_plan_room(plan) / 2;
	if (probe->regime != OP_OVERWRITE)
		place.at = place.end;
	if (!rc)
		rc = make_room(&place, 1);
	if (!rc)
		rc = measure_all(&place);
	return is_direct ? rc : rig_leave(rig, rc);
}
