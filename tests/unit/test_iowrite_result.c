/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every operation is counted, in histograms, sums and intervals; and the verdict and text of a run. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "iowrite-bench/write/measure.h"
#include "iowrite-bench/run/result.h"

#define RECORDS 1000

/* The i-th: i+1 us for the write, 10 us for the sync, begun every 100 us. */
static void fill(struct write_record *records)
{
	memset(records, 0, RECORDS * sizeof(*records));
	for (size_t i = 0; i < RECORDS; i++)
		records[i] = (struct write_record){.offset = i, .size = 10, .start_ns = 1000000 + i * 100000,
			.write_ns = (i + 1) * 1000, .sync_ns = 10000, .is_synced = true, .calls = 1 + !i};
}

TEST("a tally counts every record, byte and latency")
{
	static struct write_record records[RECORDS];
	struct histogram_summary summary;
	struct tally tally;
	double sum = 0;

	fill(records);
	assert_int_equal(tally_init(&tally, true), 0);
	tally_reset(&tally, 1000000, 0);
	tally_add(&tally, records, 600);
	tally_add(&tally, records + 600, 400);
	assert_int_equal(tally.operations, RECORDS);
	assert_int_equal(tally.bytes, RECORDS * 10);
	assert_int_equal(tally.short_writes, 1);
	for (size_t i = 0; i < RECORDS; i++)
		sum += (double)records[i].write_ns;
	assert_float_equal(tally.of[TALLY_WRITE]->sum_ns, sum, 0.5);
	assert_float_equal(tally.of[TALLY_BOTH]->sum_ns, sum + 1e7, 0.5);
	assert_int_equal(histogram_total(&histogram_hdr, tally.of[TALLY_SYNC]->counts), RECORDS);
	latency_summarize(tally.of[TALLY_WRITE], &summary);
	assert_float_equal(summary.p50_ns, 500000, 5000);
	assert_float_equal(summary.max_ns, 1000000, 0);
	assert_float_equal(summary.min_ns, 1000, 0);
	tally_free(&tally);
}

TEST("without syncs the sum of write and sync is the write")
{
	static struct write_record records[RECORDS];
	struct tally tally;

	fill(records);
	assert_int_equal(tally_init(&tally, false), 0);
	tally_reset(&tally, 0, 0);
	tally_add(&tally, records, RECORDS);
	assert_ptr_equal(tally_latency(&tally, TALLY_BOTH), tally.of[TALLY_WRITE]);
	assert_null(tally_latency(&tally, TALLY_SYNC));
	tally_free(&tally);
}

TEST("a failed write is not counted")
{
	struct write_record records[2] = {{.size = 1, .write_ns = 5}, {.size = 1, .write_ns = 5, .error = EIO}};
	struct tally tally;

	assert_int_equal(tally_init(&tally, false), 0);
	tally_reset(&tally, 0, 10);
	tally_add(&tally, records, 2);
	assert_int_equal(tally.operations, 1);
	assert_int_equal(tally.of[TALLY_WRITE]->count, 1);
	assert_int_equal(tally.rows[0].moments.count, 1);
	tally_free(&tally);
}

TEST("merged tallies equal one tally")
{
	static struct write_record records[RECORDS];
	struct tally whole, a, b, sum;

	fill(records);
	assert_int_equal(tally_init(&whole, true) | tally_init(&a, true) | tally_init(&b, true) | tally_init(&sum, true), 0);
	tally_reset(&whole, 1000000, 1000000);
	tally_reset(&a, 1000000, 1000000);
	tally_reset(&b, 1000000, 1000000);
	tally_add(&whole, records, RECORDS);
	for (size_t i = 0; i < RECORDS; i++)
		tally_add(i % 3 ? &a : &b, &records[i], 1);
	tally_merge(&sum, &a);
	tally_merge(&sum, &b);
	assert_int_equal(sum.operations, whole.operations);
	assert_int_equal(sum.bytes, whole.bytes);
	assert_int_equal(sum.short_writes, whole.short_writes);
	for (int i = 0; i < TALLIES; i++) {
		assert_memory_equal(sum.of[i]->counts, whole.of[i]->counts, sizeof(whole.of[i]->counts));
		assert_float_equal(sum.of[i]->sum_ns, whole.of[i]->sum_ns, 0.5);
	}
	assert_int_equal(tally_merge_rows(&a, &b), 0);
	assert_int_equal(a.row_count, whole.row_count);
	for (size_t i = 0; i < whole.row_count; i++) {
		assert_int_equal(a.rows[i].moments.count, whole.rows[i].moments.count);
		assert_int_equal(a.rows[i].bytes, whole.rows[i].bytes);
	}
	tally_free(&whole);
	tally_free(&a);
	tally_free(&b);
	tally_free(&sum);
}

/* An operation belongs to the interval that it ends in; one at the very edge to the one before. */
TEST("an operation belongs to the interval in which it ends")
{
	struct write_record records[] = {{.start_ns = 1000, .write_ns = 50}, {.start_ns = 1050, .write_ns = 50},
		{.start_ns = 1090, .write_ns = 20}, {.start_ns = 1290, .write_ns = 1, .sync_ns = 20}};
	struct tally tally;

	assert_int_equal(tally_init(&tally, true), 0);
	tally_reset(&tally, 1000, 100);
	tally_add(&tally, records, 4);
	assert_int_equal(tally.row_count, 4);
	assert_int_equal(tally.rows[0].moments.count, 2);
	assert_int_equal(tally.rows[1].moments.count, 1);
	assert_int_equal(tally.rows[2].moments.count, 0);
	assert_int_equal(tally.rows[3].moments.count, 1);
	assert_float_equal(tally.rows[3].moments.sum_ns, 21, 0);
	tally_free(&tally);
}

/* Intervals of 10 ms, and what is counted in them. */
struct watching {
	struct write_series series;
	struct tally tally;
};

static void watch(struct watching *watching)
{
	static const struct storage none;

	assert_int_equal(write_series_open(&watching->series, NULL, &none, 10000000), 0);
	assert_int_equal(tally_init(&watching->tally, false), 0);
}

static void watch_round(struct watching *watching, const struct write_record *records, size_t count)
{
	write_series_begin(&watching->series, 0);
	tally_reset(&watching->tally, 0, 10000000);
	tally_add(&watching->tally, records, count);
}

static void end_watching(struct watching *watching)
{
	tally_free(&watching->tally);
	write_series_close(&watching->series);
}

TEST("the series of two rounds follow each other")
{
	struct write_record records[] = {{.start_ns = 1000, .write_ns = 20000000}, {.start_ns = 20001000, .write_ns = 5000000}};
	struct watching watching;
	const struct series_interval *intervals;

	watch(&watching);
	for (int round = 0; round < 2; round++) {
		watch_round(&watching, records, 2);
		write_series_sample_edge(&watching.series, 10000010);
		/* One sample is late by more than an interval: edges that were missed get its values. */
		write_series_end(&watching.series, 25001000);
		write_series_join(&watching.series, 1 - (size_t)round, round * 0.1, &watching.tally, 25001000);
	}
	write_series_sort(&watching.series);
	intervals = watching.series.intervals;
	assert_int_equal(watching.series.count, 6);
	assert_int_equal(intervals[0].cell, 0);
	assert_float_equal(intervals[0].row.time_s, 0.11, 1e-9);
	assert_int_equal(intervals[5].cell, 1);
	assert_float_equal(intervals[5].row.time_s, 0.025001, 1e-9);
	assert_float_equal(intervals[5].row.seconds, 0.005001, 1e-9);
	assert_int_equal(intervals[5].row.operations, 2);
	assert_int_equal(intervals[3].row.operations, 0);
	assert_int_equal(intervals[5].row.nr_dirty_bytes, FIELD_NO_COUNT);
	end_watching(&watching);
}

/* The rest of a round is a part of the interval before, with its writes and the kernel's counters at its end. */
TEST("a short rest joins the interval before")
{
	struct write_record records[] = {{.start_ns = 1000, .write_ns = 1000000, .size = 10},
		{.start_ns = 15000000, .write_ns = 1000000, .size = 20}, {.start_ns = 22000000, .write_ns = 1000000, .size = 40}};
	struct watching watching;
	const struct series_interval *intervals;

	watch(&watching);
	for (int round = 0; round < 2; round++) {
		/* A round that is shorter than an interval has one. */
		size_t count = round ? 1 : 3;
		uint64_t end = round ? 1001000 : 23000000;

		watch_round(&watching, records, count);
		if (!round)
			write_series_sample_edge(&watching.series, 20000010);
		write_series_end(&watching.series, end);
		write_series_join(&watching.series, 0, round * 0.1, &watching.tally, end);
	}
	intervals = watching.series.intervals;
	assert_int_equal(watching.series.count, 3);
	assert_int_equal(intervals[0].row.operations, 1);
	assert_int_equal(intervals[1].row.operations, 2);
	assert_float_equal(intervals[1].row.bytes_per_second, 60 / 0.013, 1e-6);
	assert_float_equal(intervals[1].row.seconds, 0.013, 1e-9);
	assert_float_equal(intervals[1].row.time_s, 0.023, 1e-9);
	assert_float_equal(intervals[2].row.seconds, 0.001001, 1e-9);
	end_watching(&watching);
}

/* --- verdicts --- */

static struct iow_run_options options;
static struct frame frame;

static struct iow_run_result *make_result(struct iow_run_plan *plan, struct iow_run_result *result)
{
	static struct run_cell cells[3];

	cells[0] = (struct run_cell){.id = "pwrite.buffered.none.append.write.4k", .method = method_of("pwrite"),
		.sync = method_sync_of("none")};
	cells[1] = (struct run_cell){.id = "pwrite.buffered.fsync.append.write.4k", .method = method_of("pwrite"),
		.sync = method_sync_of("fsync")};
	cells[2] = (struct run_cell){.id = "mmap.direct.none.append.write.4k", .skipped = "no"};
	memset(&options, 0, sizeof(options));
	memset(&frame, 0, sizeof(frame));
	options.threads = 1;
	*plan = (struct iow_run_plan){.options = &options, .cell_count = 3, .measured_count = 2, .cells = cells, .rounds = 1};
	assert_int_equal(iow_run_result_init(result, plan, &frame), 0);
	return result;
}

TEST("an objective of syncs that are not known to be durable is undecided")
{
	static struct write_record records[RECORDS];
	struct iow_run_plan plan;
	struct iow_run_result result;
	const char *why;

	fill(records);
	make_result(&plan, &result);
	tally_add(&result.cells[1].tally, records, RECORDS);
	result.cells[1].durability = (struct durability_check){.syncs = RECORDS, .outstanding = 1};
	assert_int_equal(slo_parse("sync:max<1ms", tally_names, &options.slos[options.slo_count++], &why), 0);
	assert_int_equal(slo_parse("write:max<1ns", tally_names, &options.slos[options.slo_count++], &why), 0);
	durability_decide(&frame.durability, &result.cells[1].durability); /* no device is known */
	iow_run_result_decide(&result);
	assert_false(result.cells[1].objectives[0].is_met);
	assert_string_equal(result.cells[1].objectives[0].undecided, "no block device is known");
	assert_string_equal(frame.reasons[0].code, "objective-undecided");
	/* The write before the sync took its time wherever the data are. */
	assert_null(result.cells[1].objectives[1].undecided);
	assert_int_equal(result.missed, 2); /* of both cells */
	assert_int_equal(iow_run_result_code(&result), DIAG_EXIT_UNTRUSTED);
	/* Known, but without a counter: as for all such devices a note. */
	frame.reason_count = 0;
	frame.durability = (struct durability){.count = 1, .layers = {{.name = "sda", .write_cache = "write back"}}};
	durability_decide(&frame.durability, &result.cells[1].durability);
	assert_int_equal(result.cells[1].durability.status, DURABILITY_NOT_COUNTED);
	iow_run_result_decide(&result);
	assert_true(result.cells[1].objectives[0].is_met);
	/* Flushed, but the disk was not this run's alone. */
	result.cells[1].durability.flushes = (struct durability_flushes){.is_known = {true}, .count = {RECORDS}};
	durability_decide(&frame.durability, &result.cells[1].durability);
	assert_int_equal(result.cells[1].durability.status, DURABILITY_FLUSHED);
	iow_run_result_decide(&result);
	assert_true(result.cells[1].objectives[0].is_met);
	frame_reason(&frame, "foreign-traffic", "others");
	iow_run_result_decide(&result);
	assert_false(result.cells[1].objectives[0].is_met);
	assert_non_null(result.cells[1].objectives[0].undecided);
	iow_run_result_free(&result);
}

TEST("a missed objective decides the verdict of its cell")
{
	static struct write_record records[RECORDS];
	struct iow_run_plan plan;
	struct iow_run_result result;
	const char *why;

	fill(records);
	make_result(&plan, &result);
	assert_int_equal(result.cell_count, 2);
	for (int i = 0; i < 2; i++)
		tally_add(&result.cells[i].tally, records, RECORDS);
	assert_int_equal(slo_parse("sync:max<1ms", tally_names, &options.slos[options.slo_count++], &why), 0);
	assert_int_equal(slo_parse("max<=1.01ms", tally_names, &options.slos[options.slo_count++], &why), 0);
	iow_run_result_decide(&result);
	assert_int_equal(result.missed, 0);
	assert_int_equal(iow_run_result_code(&result), DIAG_EXIT_OK);
	/* The objective of syncs applies to one cell. */
	assert_int_equal(result.cells[0].objective_count, 1);
	assert_int_equal(result.cells[1].objective_count, 2);
	assert_float_equal(result.cells[1].objectives[0].reached_ns, 10000, 100);
	/* The one without a sync is 10 us better. */
	assert_int_equal(slo_parse("max<1.005ms", tally_names, &options.slos[1], &why), 0);
	iow_run_result_decide(&result);
	assert_true(result.cells[0].objectives[0].is_met && !result.cells[1].objectives[1].is_met);
	assert_int_equal(result.missed, 1);
	assert_int_equal(iow_run_result_code(&result), DIAG_EXIT_NEGATIVE);
	result.is_interrupted = true;
	assert_int_equal(iow_run_result_code(&result), DIAG_EXIT_UNTRUSTED);
	snprintf(result.cells[1].failure, sizeof(result.cells[1].failure), "x");
	assert_int_equal(iow_run_result_code(&result), DIAG_EXIT_HOST);
	iow_run_result_free(&result);
}

TEST("a rate is NaN without a measured time")
{
	const struct run_measured none = {.run_s = 0}, some = {.run_s = 2};

	assert_true(isnan(iow_run_result_rate(&none, 5)));
	assert_float_equal(iow_run_result_rate(&some, 5), 2.5, 0);
}

TEST("messages of failures name the remedy")
{
	char text[320];

	failure_text("/data", MEASURE_WRITE, ENOSPC, text, sizeof(text));
	assert_string_equal(text, "/data became full while writing: free some or write less (No space left on device)");
	failure_text("/data", MEASURE_SYNC, ETIMEDOUT, text, sizeof(text));
	assert_string_equal(text, "/data failed while syncing: Connection timed out");
}

/* Blanks are one blank: columns are not what is tested. */
static char *text_of(const struct iow_run_result *result)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	iow_run_text(out, result);
	fclose(out);
	length = 0;
	for (const char *c = text; *c; c++) {
		if (*c != ' ' || c[1] != ' ')
			text[length++] = *c;
	}
	text[length] = '\0';
	return text;
}

TEST("the result's text equals the expected table")
{
	static struct write_record records[RECORDS];
	struct iow_run_plan plan;
	struct iow_run_result result;
	char *text;

	fill(records);
	make_result(&plan, &result);
	snprintf(frame.target.path, sizeof(frame.target.path), "/data");
	snprintf(frame.target.file_system, sizeof(frame.target.file_system), "ext4");
	tally_add(&result.cells[0].tally, records, RECORDS);
	result.cells[0].run_s = 2;
	result.cells[0].rounds = 1;
	text = text_of(&result);
	/* What is the same stands once, rows have the rest. */
	assert_non_null(strstr(text, "/data on ext4, 1 round, 1 thread\n*.*.*.append.write.4k\n"));
	assert_non_null(strstr(text, "\npwrite.buffered.none write 500 "));
	/* Not measured: no number is made up. */
	assert_non_null(strstr(text, "\npwrite.buffered.fsync write - - - - - - -\n"));
	assert_non_null(strstr(text, "\nnot measured: mmap.direct.none.append.write.4k: no\n"));
	assert_null(strstr(text, "ended early"));
	free(text);
	iow_run_result_free(&result);
}

/* The error was printed when it occurred: the row has a mark, and the text does not repeat it. */
TEST("a failed cell is reported once")
{
	struct iow_run_plan plan;
	struct iow_run_result result;
	char *text;

	make_result(&plan, &result);
	snprintf(result.cells[1].failure, sizeof(result.cells[1].failure), "the disk became full");
	frame_reason(&frame, "failed-cells", "pwrite.buffered.fsync: the disk became full");
	frame_reason(&frame, "short-series", "no memory");
	text = text_of(&result);
	assert_non_null(strstr(text, "\npwrite.buffered.fsync write !\n"));
	assert_non_null(strstr(text, "\n! ended early: the error is on stderr and in the report\n"));
	assert_null(strstr(text, "became full"));
	assert_non_null(strstr(text, "\nWARNING: short-series: no memory\n"));
	free(text);
	iow_run_result_free(&result);
}
