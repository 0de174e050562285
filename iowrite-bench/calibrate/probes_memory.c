/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures memcpy(3) within the first-level cache, where a libc's buffer lies: many copies between two stamps. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "iowrite-bench/calibrate/session.h"
#include "iowrite-bench/system/curve.h"
#include "iowrite-bench/write/memory.h"

#define SAMPLES 30
#define BUFFER_BYTES 4096
#define SAMPLE_BYTES (256u << 10) /* of one sample, at least */

int probe_copy(struct calibrate_session *session)
{
	uint64_t piece = session->buffer_bytes ? session->buffer_bytes : BUFFER_BYTES;
	uint64_t size = piece < SAMPLE_BYTES ? SAMPLE_BYTES - SAMPLE_BYTES % piece : piece;
	double ns;
	int rc;

	rc = session_measure(session, STORE_COPY, piece, piece, 1, "copy", &ns);
	for (unsigned i = 0; i < SAMPLES && !rc && !(i && session_is_late(session)); i++) {
		rc = session_measure(session, STORE_COPY, piece, size, 1, "copy", &ns);
		if (!rc)
			session_parameter(session, SYSTEM_BW_MEM, session_rate(size, ns), "median of block medians");
	}
	return rc;
}

/*
 * Measures fwrite(3) without write(2): as many small calls as fit into the buffer between two stamps; the intercept of a line
 * through several sizes.
 */

#define LIBRARY_SIZES 4
#define LIBRARY_SAMPLES 40

static int measure_size(struct calibrate_session *session, uint64_t size, struct system_point *point)
{
	unsigned times = (unsigned)(session->buffer_bytes / size), count = 0;
	double values[LIBRARY_SAMPLES];

	while (count < LIBRARY_SAMPLES && !(count && session_is_late(session))) {
		int rc = session_measure(session, STORE_STREAM, 0, size, times, "write to a stream", &values[count]);

		if (!rc)
			rc = session_report(store_stream_flush(session->store), "write to a stream");
		if (rc)
			return rc;
		values[count++] /= times;
	}
	*point = (struct system_point){.size = size, .ns = {.value = session_median(values, count)}};
	return 0;
}

int probe_library(struct calibrate_session *session)
{
	static const uint64_t sizes[LIBRARY_SIZES] = {32, 64, 128, 256};
	struct system_point points[LIBRARY_SIZES];
	double fixed, slope, error;
	bool has_first;
	int rc = store_stream_open(session->store, &session->buffer_bytes, &has_first), closed;

	if (rc)
		return session_report(rc, "open a stream on the target");
	session_fact(session, SYSTEM_LIB_BUFFER, (double)session->buffer_bytes, "__fbufsize(3)");
	session_fact(session, SYSTEM_LIB_FIRST, has_first, "first write(2) of an fwrite(3) of 2.5 buffers");
	for (int i = 0; i < LIBRARY_SIZES && !rc && session->buffer_bytes >= sizes[LIBRARY_SIZES - 1]; i++)
		rc = measure_size(session, sizes[i], &points[i]);
	closed = store_stream_close(session->store);
	if (!rc && session->buffer_bytes >= sizes[LIBRARY_SIZES - 1]) {
		line_fit(points, LIBRARY_SIZES, &fixed, &slope, &error);
		session_parameter(session, SYSTEM_LIB_METACOST, fixed, "median of blocks' line at 0 bytes");
	}
	return rc ? rc : session_report(closed, "close a stream");
}

/*
 * Measures l_w, the fixed cost of a write(2) to one cached page: the intercept of a line through small sizes. The page was
 * written alone and so has a folio of its own: file systems go through all blocks of a large one.
 */

#define CALL_SIZES 6
#define CALL_SAMPLES 60
#define BATCH 8 /* summed up, since the clock counts in tens of ns */

int probe_call(struct calibrate_session *session)
{
	static const uint64_t sizes[CALL_SIZES] = {1, 64, 256, 1024, 2048, 4096};
	struct system_point points[CALL_SIZES];
	double fixed, slope, error, values[CALL_SAMPLES];
	uint64_t page = session->plan->has_append ? session->plan->written_bytes : 0;
	int rc = session_fresh(session);

	if (!rc)
		rc = session_fill(session, OP_BUFFERED, page, page + sizes[CALL_SIZES - 1], sizes[CALL_SIZES - 1]);
	for (int i = 0; i < CALL_SIZES && !rc; i++) {
		size_t count = 0;

		while (count < CALL_SAMPLES && !rc && !(count && session_is_late(session))) {
			double sum = 0, ns;

			/* Writes the same bytes again, so that it stays one page. */
			for (int k = 0; k < BATCH && !rc; k++) {
				rc = session_write(session, OP_BUFFERED, page, sizes[i], &ns);
				sum += ns;
			}
			if (!rc)
				values[count++] = sum / BATCH;
		}
		points[i] = (struct system_point){.size = sizes[i], .ns = {.value = session_median(values, count)}};
	}
	if (rc)
		return rc;
	line_fit(points, CALL_SIZES, &fixed, &slope, &error);
	session_parameter(session, SYSTEM_SC_W, fixed, "median of blocks' line at 0 bytes");
	return 0;
}

/*
 * Measures write(2) into the page cache by size, to new and to cached pages. The file is truncated before the kernel would
 * begin write-back (plan->dirty_bytes). Sizes that a libc writes after a full buffer have that buffer's write as `lead`,
 * because the position of pages decides the size of their folios.
 */

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define ALIGN (2 * MIB) /* a group begins where any folio may */
#define RATE_BYTES (16 * MIB)
#define MOST_OVER (64 * MIB) /* bytes rewritten at most: the largest size once */
#define CALL_PAGE 4096

static const struct memory_row {
	uint64_t size, lead; /* lead: bytes written before each, untimed */
	unsigned count;
} rows[] = {{512, 0, 32}, {1 * KIB, 0, 32}, {2 * KIB, 0, 48}, {4 * KIB, 0, 96}, {8 * KIB, 0, 64},
	{12 * KIB, 4 * KIB, 48}, {16 * KIB, 0, 48}, {32 * KIB, 0, 48}, {60 * KIB, 4 * KIB, 32}, {64 * KIB, 0, 32},
	{128 * KIB, 0, 32}, {252 * KIB, 4 * KIB, 24}, {256 * KIB, 0, 24}, {512 * KIB, 0, 24},
	{1020 * KIB, 4 * KIB, 24}, {1 * MIB, 0, 24}, {4 * MIB, 0, 12}, {16 * MIB, 0, 6}, {64 * MIB, 0, 2}};

/* The first third of a size's writes is skipped: memory is laid out for the size before, and the CPU caches are cold. */
#define SKIPPED_PART 3
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct memory_table {
	struct calibrate_session *session;
	enum op_regime regime;
	enum system_parameter rate;
	uint64_t begin, end, at; /* where in the file */
	uint64_t rate_bytes;     /* the size that the rate is taken from */
};

/* A size below a page is measured as the mean of the writes that fill one, the first of which allocates it. */
static int measure_one(struct memory_table *table, const struct memory_row *row, bool is_taken)
{
	unsigned batch = row->size < CALL_PAGE ? (unsigned)(CALL_PAGE / row->size) : 1;
	struct calibrate_session *session = table->session;
	double ns;
	int rc = 0;

	session_refill(session, row->size * batch + row->lead);
	if (row->lead)
		rc = session_write(session, OP_BUFFERED, table->at, row->lead, &ns);
	if (!rc)
		rc = session_write_batch(session, OP_BUFFERED, table->at + row->lead, row->size, batch, &ns);
	table->at += row->lead + row->size * batch;
	if (rc || !is_taken)
		return rc;
	session_point(session, OP_BUFFERED, table->regime, row->size, ns);
	if (row->size == table->rate_bytes)
		session_parameter(session, table->rate, session_rate(row->size, ns),
			"median of block medians, writes of 16 MiB or the largest");
	return 0;
}

static uint64_t step_of(const struct memory_row *row)
{
	return row->lead + (row->size < CALL_PAGE ? CALL_PAGE : row->size);
}

/* Fills the cache for a row by writes of its own size: those of the row before have left other folios. */
static int write_before(struct memory_table *table, const struct memory_row *row)
{
	struct calibrate_session *session = table->session;
	uint64_t at = table->begin;
	int rc = session_report(store_cut(session->store, table->begin), "cut the file");

	for (unsigned i = 0; i < row->count && at + step_of(row) <= table->end && !rc; i++, at += step_of(row)) {
		/* When the time is over, no more writes than these will be measured. */
		if (i > row->count / SKIPPED_PART && session_is_late(session))
			break;
		rc = session_fill(session, OP_BUFFERED, at, at + row->lead, row->lead);
		if (!rc)
			rc = session_fill(session, OP_BUFFERED, at + row->lead, at + step_of(row), row->size);
	}
	return rc;
}

static int measure_row(struct memory_table *table, const struct memory_row *row)
{
	uint64_t step = step_of(row);
	bool is_late;
	int rc = 0;

	if (table->regime == OP_OVERWRITE) {
		table->at = table->begin;
		rc = write_before(table, row);
	}
	is_late = session_is_late(table->session);
	table->at += -table->at % ALIGN;
	for (unsigned i = 0; i < row->count && !rc; i++) {
		if (table->at + step > table->end) {
			/* Appended data is truncated before the kernel writes it back; rewritten data stays. */
			table->at = table->begin;
			if (table->regime == OP_APPEND)
				rc = session_fresh(table->session);
		}
		if (!rc)
			rc = measure_one(table, row, i >= row->count / SKIPPED_PART || is_late);
		if (is_late)
			break;
		is_late = session_is_late(table->session);
	}
	return rc;
}

/* times: how many times the bytes of all rows need host-backed memory. */
static int measure_table(struct memory_table *table, unsigned times)
{
	struct calibrate_session *session = table->session;
	uint64_t largest = calibrate_least(table->end - table->begin, session->plan->largest_bytes), bytes = 0;
	int rc = session_fresh(session);

	table->at = table->begin;
	for (size_t i = 0; i < ROWS; i++) {
		bytes += memory_need_each(step_of(&rows[i]), rows[i].count * step_of(&rows[i]));
		if (rows[i].size + rows[i].lead <= calibrate_least(largest, RATE_BYTES))
			table->rate_bytes = rows[i].size;
	}
	if (!rc)
		rc = session_hold(session, times * bytes);
	for (size_t i = 0; i < ROWS && !rc; i++) {
		if (rows[i].size + rows[i].lead <= largest)
			rc = measure_row(table, &rows[i]);
	}
	return session_leave(session, rc);
}

int probe_append(struct calibrate_session *session)
{
	const struct calibrate_plan *plan = session->plan;
	uint64_t begin = plan->written_bytes, free_bytes = calibrate_least(calibrate_plan_free(plan), plan->dirty_bytes);
	struct memory_table table = {session, OP_APPEND, SYSTEM_BW_CACHE_WARM, begin, begin + free_bytes, 0, 0};

	return measure_table(&table, 1);
}

/* Rewrites bytes that were written just before and are cached and dirty, as in a program that rewrites its data. */
int probe_rewrite(struct calibrate_session *session)
{
	const struct calibrate_plan *plan = session->plan;
	uint64_t begin = plan->written_bytes + -plan->written_bytes % ALIGN;
	uint64_t part_bytes = calibrate_least(calibrate_least(plan->size_bytes - begin, plan->dirty_bytes), MOST_OVER);
	struct memory_table table = {session, OP_OVERWRITE, SYSTEM_BW_CACHE_REWRITE, begin, begin + part_bytes, 0, 0};

	return measure_table(&table, 2);
}

/*
 * Measures memory as it is: the page cache grows until the host must back it. First come pages that were used a while ago,
 * then, in a virtual machine, pages that were never touched or that the host has reclaimed. Least squares split the logarithms
 * of the rates into two parts; the second is cold if its median is below COLDER of the first's.
 */

#define CHUNK (4ull << 20)
#define MOST (1ull << 30)
#define CHUNKS (MOST / CHUNK)
#define ENOUGH 24        /* slow chunks in a row */
#define WARM_CHUNKS 8
#define COLDER 0.6

static int measure_warm(struct calibrate_session *session, uint64_t at, double *rate)
{
	double rates[WARM_CHUNKS];
	int rc = session_hold(session, WARM_CHUNKS * CHUNK);

	for (size_t i = 0; i < WARM_CHUNKS && !rc; i++) {
		double ns;

		session_refill(session, CHUNK);
		rc = session_write(session, OP_BUFFERED, at + i * CHUNK, CHUNK, &ns);
		rates[i] = rc ? 0 : session_rate(CHUNK, ns);
	}
	rc = session_leave(session, rc);
	if (!rc)
		*rate = session_median(rates, WARM_CHUNKS);
	return rc;
}

static bool is_cold_for_long(const double *rates, size_t count)
{
	if (count < 2 * ENOUGH)
		return false;
	for (size_t i = count - ENOUGH; i < count; i++) {
		if (rates[i] > COLDER * rates[0])
			return false;
	}
	return true;
}

static double squares(const double *rates, size_t count)
{
	double sum = 0, square = 0;

	for (size_t i = 0; i < count; i++) {
		sum += log(rates[i]);
		square += log(rates[i]) * log(rates[i]);
	}
	return count ? square - sum * sum / (double)count : 0;
}

static double median_of(const double *rates, size_t count)
{
	double copy[CHUNKS];

	memcpy(copy, rates, count * sizeof(*rates));
	return session_median(copy, count);
}

/* warm: the rate of host-backed memory. */
static void decide(struct calibrate_session *session, const double *rates, size_t count, double warm)
{
	double least_error = INFINITY;
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		double error = squares(rates, i) + squares(rates + i, count - i);

		if (error < least_error) {
			least_error = error;
			at = i;
		}
	}
	if (at && !(median_of(rates + at, count - at) < COLDER * median_of(rates, at)))
		at = 0;
	/* A single part is cold when it is slower than host-backed memory. */
	if (!at && !(median_of(rates, count) < COLDER * warm))
		at = count;
	for (size_t i = at; i < count; i++)
		session_parameter(session, SYSTEM_BW_CACHE_COLD, rates[i], "median of block medians, 4 MiB writes");
	/* Later blocks find memory that the calibration itself has warmed. */
	if (!session->has_warm_pool && at < count)
		session_fact(session, SYSTEM_WARM_POOL, (double)(at * CHUNK), "until write(2) became slow, once");
	session->has_warm_pool = true;
}

int probe_cold(struct calibrate_session *session)
{
	const struct calibrate_plan *plan = session->plan;
	uint64_t begin = plan->written_bytes;
	uint64_t most = calibrate_least(calibrate_least(calibrate_plan_free(plan), plan->dirty_bytes), MOST) / CHUNK;
	double rates[CHUNKS], warm, ns;
	size_t count = 0;
	int rc = session_fresh(session);

	while (count < most && !rc && !is_cold_for_long(rates, count) && !(count && session_is_late(session))) {
		rc = session_write(session, OP_BUFFERED, begin + count * CHUNK, CHUNK, &ns);
		if (!rc)
			rates[count++] = session_rate(CHUNK, ns);
	}
	if (!rc)
		rc = session_fresh(session);
	if (!rc)
		rc = measure_warm(session, begin, &warm);
	if (!rc && count)
		decide(session, rates, count, warm);
	return rc;
}
