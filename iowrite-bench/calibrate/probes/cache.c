/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write(2) into the page cache, by size: new pages, and pages that are there already. What the kernel would begin to
 * write back is thrown away before (plan->dirty_bytes). Sizes that a libc writes behind a filled buffer stand in the
 * table with the write that goes before them, since the pages' place decides what folios they get.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include "iowrite-bench/feed.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define ALIGN (2 * MIB) /* a group begins where any folio may */
#define RATE_BYTES (16 * MIB)
#define MOST_OVER (64 * MIB) /* that is written over: once the largest */
#define CALL_PAGE 4096

static const struct row {
	uint64_t size, lead; /* lead: bytes written before each, untimed */
	unsigned count;
} rows[] = {{512, 0, 32}, {1 * KIB, 0, 32}, {2 * KIB, 0, 48}, {4 * KIB, 0, 96}, {8 * KIB, 0, 64},
	{12 * KIB, 4 * KIB, 48}, {16 * KIB, 0, 48}, {32 * KIB, 0, 48}, {60 * KIB, 4 * KIB, 32}, {64 * KIB, 0, 32},
	{128 * KIB, 0, 32}, {252 * KIB, 4 * KIB, 24}, {256 * KIB, 0, 24}, {512 * KIB, 0, 24},
	{1020 * KIB, 4 * KIB, 24}, {1 * MIB, 0, 24}, {4 * MIB, 0, 12}, {16 * MIB, 0, 6}, {64 * MIB, 0, 2}};

/* The first ones of a size pay for the change: memory is laid out for the size before, and nothing is in the caches. */
#define SKIPPED_PART 3
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct table {
	struct rig *rig;
	enum op_regime regime;
	enum system_parameter rate;
	uint64_t begin, end, at; /* where in the file */
	uint64_t rate_bytes;     /* the size that the rate is taken from */
};

static void take(struct table *table, const struct row *row, double ns)
{
	rig_point(table->rig, OP_BUFFERED, table->regime, row->size, ns);
	if (row->size == table->rate_bytes)
		rig_parameter(table->rig, table->rate, rig_rate(row->size, ns),
			"median of block medians, writes of 16 MiB or the largest");
}

/* Less than a page: the mean of those that fill one, of which one pays for the page. */
static int measure_one(struct table *table, const struct row *row, bool is_taken)
{
	unsigned batch = row->size < CALL_PAGE ? (unsigned)(CALL_PAGE / row->size) : 1;
	double ns;
	int rc = 0;

	rig_give(table->rig, row->size * batch + row->lead);
	if (row->lead)
		rc = rig_write(table->rig, OP_BUFFERED, table->at, row->lead, &ns);
	if (!rc)
		rc = rig_write_batch(table->rig, OP_BUFFERED, table->at + row->lead, row->size, batch, &ns);
	if (!rc && is_taken)
		take(table, row, ns);
	table->at += row->lead + row->size * batch;
	return rc;
}

static uint64_t step_of(const struct row *row)
{
	return row->lead + (row->size < CALL_PAGE ? CALL_PAGE : row->size);
}

/* As far as the row goes, by writes of its own size: what the last one has left in the cache has other folios. */
static int write_before(struct table *table, const struct row *row)
{
	struct rig *rig = table->rig;
	uint64_t at = table->begin;
	int rc = rig_told(rig, rig->hooks->cut(rig->hooks->state, table->begin), "cut the file");

	for (unsigned i = 0; i < row->count && at + step_of(row) <= table->end && !rc; i++, at += step_of(row)) {
		/* As many as are going to be measured before the time is over. */
		if (i > row->count / SKIPPED_PART && rig_is_late(rig))
			break;
		rc = rig_fill(rig, OP_BUFFERED, at, at + row->lead, row->lead);
		if (!rc)
			rc = rig_fill(rig, OP_BUFFERED, at + row->lead, at + step_of(row), row->size);
	}
	return rc;
}

static int measure_row(struct table *table, const struct row *row)
{
	uint64_t step = step_of(row);
	bool is_late;
	int rc = 0;

	if (table->regime == OP_OVERWRITE) {
		table->at = table->begin;
		rc = write_before(table, row);
	}
	is_late = rig_is_late(table->rig);
	table->at += -table->at % ALIGN;
	for (unsigned i = 0; i < row->count && !rc; i++) {
		if (table->at + step > table->end) {
			/* What was appended is dirty, and goes before the kernel cares; what is rewritten stays. */
			table->at = table->begin;
			if (table->regime == OP_APPEND)
				rc = rig_fresh(table->rig);
		}
		if (!rc)
			rc = measure_one(table, row, i >= row->count / SKIPPED_PART || is_late);
		if (is_late)
			break;
		is_late = rig_is_late(table->rig);
	}
	return rc;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int measure_table(struct table *table)
{
	uint64_t largest = least(table->end - table->begin, table->rig->plan->largest_bytes);
	int rc = 0;

	table->at = table->begin;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].size + rows[i].lead <= least(largest, RATE_BYTES))
			table->rate_bytes = rows[i].size;
	}
	for (size_t i = 0; i < ROWS && !rc; i++) {
		if (rows[i].size + rows[i].lead <= largest)
			rc = measure_row(table, &rows[i]);
	}
	return rc;
}

/* Of warm memory, as it will be given. */
static uint64_t table_bytes(void)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ROWS; i++)
		bytes += feed_need_each(step_of(&rows[i]), rows[i].count * step_of(&rows[i]));
	return bytes;
}

int probe_append(struct rig *rig, const struct probe *probe)
{
	const struct calibrate_plan *plan = rig->plan;
	struct table table = {rig, OP_APPEND, SYSTEM_BW_CACHE_WARM, plan->written_bytes,
		plan->written_bytes + least(calibrate_plan_room(plan), plan->dirty_bytes), 0, 0};
	int rc = rig_fresh(rig);

	(void)probe;
	if (!rc)
		rc = rig_warm(rig, table_bytes());
	if (!rc)
		rc = measure_table(&table);
	return rig_leave(rig, rc);
}

/* Over what was written a moment ago: cached and dirty already, as what a program writes again is. */
int probe_rewrite(struct rig *rig, const struct probe *probe)
{
	const struct calibrate_plan *plan = rig->plan;
	uint64_t begin = plan->written_bytes + -plan->written_bytes % ALIGN;
	uint64_t room = least(least(plan->size_bytes - begin, plan->dirty_bytes), MOST_OVER);
	struct table table = {rig, OP_OVERWRITE, SYSTEM_BW_CACHE_REWRITE, begin, begin + room, 0, 0};
	int rc = rig_fresh(rig);

	(void)probe;
	if (!rc)
		rc = rig_warm(rig, 2 * table_bytes());
	if (!rc)
		rc = measure_table(&table);
	return rig_leave(rig, rc);
}
