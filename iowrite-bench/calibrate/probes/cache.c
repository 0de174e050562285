/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write(2) into the page cache, by size: new pages, and pages that are there already. What the kernel would begin to
 * write back is thrown away before (plan->dirty_bytes). Sizes that a libc writes behind a filled buffer stand in the
 * table with the write that goes before them, since the pages' place decides what folios they get.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define ALIGN (2 * MIB) /* a group begins where any folio may */
#define RATE_BYTES (16 * MIB)
#define CALL_PAGE 4096

static const struct row {
	uint64_t size, lead; /* lead: bytes written before each, untimed */
	unsigned count;
} rows[] = {{512, 0, 32}, {1 * KIB, 0, 32}, {2 * KIB, 0, 48}, {4 * KIB, 0, 96}, {8 * KIB, 0, 64},
	{12 * KIB, 4 * KIB, 48}, {16 * KIB, 0, 48}, {32 * KIB, 0, 48}, {60 * KIB, 4 * KIB, 32}, {64 * KIB, 0, 32},
	{128 * KIB, 0, 24}, {252 * KIB, 4 * KIB, 16}, {256 * KIB, 0, 16}, {512 * KIB, 0, 12},
	{1020 * KIB, 4 * KIB, 8}, {1 * MIB, 0, 8}, {4 * MIB, 0, 6}, {16 * MIB, 0, 4}, {64 * MIB, 0, 2}};

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
static int measure_one(struct table *table, const struct row *row)
{
	unsigned batch = row->size < CALL_PAGE ? (unsigned)(CALL_PAGE / row->size) : 1;
	double ns;
	int rc = 0;

	rig_give(table->rig, row->size * batch + row->lead);
	if (row->lead)
		rc = rig_write(table->rig, OP_BUFFERED, table->at, row->lead, &ns);
	if (!rc)
		rc = rig_write_batch(table->rig, OP_BUFFERED, table->at + row->lead, row->size, batch, &ns);
	if (!rc)
		take(table, row, ns);
	table->at += row->lead + row->size * batch;
	return rc;
}

static int measure_row(struct table *table, const struct row *row)
{
	uint64_t step = row->lead + (row->size < CALL_PAGE ? CALL_PAGE : row->size);
	int rc = 0;

	table->at += -table->at % ALIGN;
	for (unsigned i = 0; i < row->count && !rc; i++) {
		if (table->at + step > table->end) {
			/* What was appended is dirty, and goes before the kernel cares; what is rewritten stays. */
			table->at = table->begin;
			if (table->regime == OP_APPEND)
				rc = rig_fresh(table->rig);
		}
		if (!rc)
			rc = measure_one(table, row);
		if (rig_is_late(table->rig))
			break;
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

static uint64_t table_bytes(void)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ROWS; i++)
		bytes += rows[i].count * (rows[i].size < CALL_PAGE ? CALL_PAGE : rows[i].size + rows[i].lead);
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

/* Over the first part, that is brought into the cache before; dirty already, as what a program writes again is. */
int probe_rewrite(struct rig *rig, const struct probe *probe)
{
	const struct calibrate_plan *plan = rig->plan;
	uint64_t end = least(least(plan->written_bytes, plan->dirty_bytes), 64 * MIB);
	struct table table = {rig, OP_OVERWRITE, SYSTEM_BW_CACHE_REWRITE, 0, end, 0, 0};
	int rc = rig_fresh(rig);

	(void)probe;
	if (!rc)
		rc = rig_warm(rig, end);
	if (!rc)
		rc = rig_fill(rig, OP_BUFFERED, 0, end);
	if (!rc)
		rc = measure_table(&table);
	return rig_leave(rig, rc);
}
