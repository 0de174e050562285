/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of repetitions, and ratios by hand. */
#include "config.h"
#include "tests/unit/unit.h"
#include "ssd-workloads/run/report.h"

#define RUNS 5

static void make_plan(const char *mix, bool has_baselines, unsigned runs, struct baseline_plan *plan)
{
	struct workload_override override = {.workers = 0};
	struct workload workload;
	const char *why;

	assert_int_equal(workload_make(mix_find(mix), &override, &workload, &why), 0);
	baseline_plan_make(&workload, has_baselines, runs, plan);
}

TEST("cells are the mix and each stream alone")
{
	struct baseline_plan plan;
	char name[64];

	make_plan("M-N", true, RUNS, &plan);
	assert_int_equal(plan.cell_count, BASELINE_CELLS);
	assert_int_equal(plan.runs, RUNS);
	workload_name(&plan.cells[0], name, sizeof(name));
	assert_string_equal(name, "M-N");
	workload_name(&plan.cells[1 + MIX_LOG], name, sizeof(name));
	assert_string_equal(name, "M-0");
	workload_name(&plan.cells[1 + MIX_CHECKPOINT], name, sizeof(name));
	assert_string_equal(name, "0-N");
	/* The areas stay where they were, whoever runs. */
	assert_int_equal(plan.cells[1].streams[MIX_CHECKPOINT].area_bytes, plan.cells[0].streams[MIX_CHECKPOINT].area_bytes);
	make_plan("M-N", false, RUNS, &plan);
	assert_int_equal(plan.cell_count, 1);
	make_plan("0-N", true, RUNS, &plan);
	assert_int_equal(plan.cell_count, 1);
}

TEST("each repetition has each cell once")
{
	struct baseline_plan plan;
	unsigned orders[64] = {0}, kinds = 0;

	make_plan("1-N", true, 100, &plan);
	for (size_t run = 0; run < plan.runs; run++) {
		unsigned seen = 0, order = 0;

		for (size_t i = 0; i < plan.cell_count; i++) {
			size_t cell = baseline_order(&plan, 7, run * plan.cell_count + i);

			seen |= 1u << cell;
			order = order * 4 + (unsigned)cell;
		}
		assert_int_equal(seen, 7);
		kinds += !orders[order]++;
	}
	/* All six orders come, none of them most of the time. */
	assert_int_equal(kinds, 6);
	for (size_t i = 0; i < 64; i++)
		assert_true(orders[i] < 50);
}

TEST("the order depends on the seed")
{
	struct baseline_plan plan;
	bool is_same = true;

	make_plan("1-1", true, 20, &plan);
	for (size_t step = 60; step-- > 0;) {
		assert_int_equal(baseline_order(&plan, 3, step), baseline_order(&plan, 3, step));
		is_same = is_same && baseline_order(&plan, 3, step) == baseline_order(&plan, 4, step);
	}
	assert_false(is_same);
}

TEST("there is always a next cell until the end")
{
	struct baseline_plan plan;

	make_plan("M-0", true, 3, &plan);
	for (size_t step = 0; step < 3; step++)
		assert_int_equal(baseline_order(&plan, 1, step), 0);
}

/* Every sample of a cell and stream is base * (1 + run), of each statistic ten times the one before. */
static void fill(struct baseline_sample (*samples)[MIX_STREAMS], unsigned runs, size_t cell, int stream, double base)
{
	for (unsigned run = 0; run < runs; run++) {
		for (int i = 0; i < BASELINE_STATISTICS; i++)
			samples[cell * runs + run][stream].values[i] = base * (1 + run) * pow(10, i);
	}
}

static void fill_nothing(struct baseline_sample (*samples)[MIX_STREAMS], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (int stream = 0; stream < MIX_STREAMS; stream++) {
			for (int k = 0; k < BASELINE_STATISTICS; k++)
				samples[i][stream].values[k] = NAN;
		}
	}
}

TEST("the ratio is of the medians")
{
	struct baseline_plan plan;
	struct baseline_sample samples[BASELINE_CELLS * RUNS][MIX_STREAMS];
	struct baseline_result result;

	make_plan("M-N", true, RUNS, &plan);
	fill_nothing(samples, BASELINE_CELLS * RUNS);
	fill(samples, RUNS, 0, MIX_LOG, 700);
	fill(samples, RUNS, 1, MIX_LOG, 100);
	fill(samples, RUNS, 0, MIX_CHECKPOINT, 60);
	fill(samples, RUNS, 2, MIX_CHECKPOINT, 40);
	assert_int_equal(baseline_compare(&plan, (const struct baseline_sample (*)[MIX_STREAMS])samples, 1, &result), 0);
	assert_int_equal(result.runs, RUNS);
	for (int i = 0; i < BASELINE_STATISTICS; i++) {
		const struct baseline_ratio *log = &result.ratios[MIX_LOG][i];
		const struct baseline_ratio *checkpoint = &result.ratios[MIX_CHECKPOINT][i];

		assert_true(log->is_known && checkpoint->is_known);
		assert_true(fabs(log->ratio - 7) < 1e-9 && fabs(checkpoint->ratio - 1.5) < 1e-9);
		assert_true(fabs(log->alone - 300 * pow(10, i)) < 1e-6 && fabs(log->mix - 2100 * pow(10, i)) < 1e-6);
		assert_true(log->low <= log->ratio && log->ratio <= log->high);
		/* Nothing beyond the most extreme repetitions. */
		assert_true(log->low >= 7.0 / 5 && log->high <= 7.0 * 5);
		assert_true(log->low < log->high);
	}
}

TEST("equal cells have the ratio one")
{
	struct baseline_plan plan;
	struct baseline_sample samples[BASELINE_CELLS * RUNS][MIX_STREAMS];
	struct baseline_result result;

	make_plan("1-1", true, RUNS, &plan);
	for (size_t cell = 0; cell < BASELINE_CELLS; cell++) {
		for (int stream = 0; stream < MIX_STREAMS; stream++) {
			for (unsigned run = 0; run < RUNS; run++) {
				for (int i = 0; i < BASELINE_STATISTICS; i++)
					samples[cell * RUNS + run][stream].values[i] = 5000;
			}
		}
	}
	assert_int_equal(baseline_compare(&plan, (const struct baseline_sample (*)[MIX_STREAMS])samples, 1, &result), 0);
	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		const struct baseline_ratio *ratio = &result.ratios[stream][BASELINE_P99];

		assert_true(ratio->is_known && ratio->ratio == 1 && ratio->low == 1 && ratio->high == 1);
	}
}

/* Of what was not measured nothing is said, of what was measured once the ratio without an interval. */
TEST("a cell that was not measured has no ratio")
{
	struct baseline_plan plan;
	struct baseline_sample samples[BASELINE_CELLS * RUNS][MIX_STREAMS];
	struct baseline_result result;

	make_plan("M-N", true, RUNS, &plan);
	fill_nothing(samples, BASELINE_CELLS * RUNS);
	fill(samples, RUNS, 0, MIX_LOG, 700);
	samples[0][MIX_LOG].values[BASELINE_P50] = NAN;
	samples[RUNS + 4][MIX_LOG].values[BASELINE_P50] = 1000;
	samples[RUNS + 1][MIX_LOG].values[BASELINE_P50] = 3000;
	samples[RUNS + 2][MIX_LOG].values[BASELINE_MEAN] = 3000;
	samples[RUNS + 2][MIX_LOG].values[BASELINE_P99] = INFINITY;
	samples[RUNS + 3][MIX_LOG].values[BASELINE_P99] = 0;
	assert_int_equal(baseline_compare(&plan, (const struct baseline_sample (*)[MIX_STREAMS])samples, 1, &result), 0);
	/* Alone 1000 and 3000, in the mix 1400 2100 2800 3500 times ten. */
	assert_true(result.ratios[MIX_LOG][BASELINE_P50].is_known);
	assert_true(fabs(result.ratios[MIX_LOG][BASELINE_P50].ratio - 24500.0 / 2000) < 1e-9);
	assert_true(isfinite(result.ratios[MIX_LOG][BASELINE_P50].low));
	assert_true(result.ratios[MIX_LOG][BASELINE_MEAN].is_known);
	assert_true(fabs(result.ratios[MIX_LOG][BASELINE_MEAN].ratio - 2100.0 / 3000) < 1e-9);
	assert_true(isnan(result.ratios[MIX_LOG][BASELINE_MEAN].low) && isnan(result.ratios[MIX_LOG][BASELINE_MEAN].high));
	assert_false(result.ratios[MIX_LOG][BASELINE_P99].is_known);
	assert_true(isnan(result.ratios[MIX_LOG][BASELINE_P99].ratio));
	assert_false(result.ratios[MIX_CHECKPOINT][BASELINE_P50].is_known);
}

TEST("without baselines there are no ratios")
{
	struct baseline_plan plan;
	struct baseline_sample samples[RUNS][MIX_STREAMS];
	struct baseline_result result;

	make_plan("M-N", false, RUNS, &plan);
	fill(samples, RUNS, 0, MIX_LOG, 700);
	fill(samples, RUNS, 0, MIX_CHECKPOINT, 700);
	assert_int_equal(baseline_compare(&plan, (const struct baseline_sample (*)[MIX_STREAMS])samples, 1, &result), 0);
	for (int i = 0; i < BASELINE_STATISTICS; i++)
		assert_false(result.ratios[MIX_LOG][i].is_known || result.ratios[MIX_CHECKPOINT][i].is_known);
}

TEST("the report has the known ratios")
{
	struct baseline_result result = {.runs = 3};
	struct report *report;
	const char *text;
	size_t size;

	result.ratios[MIX_CHECKPOINT][BASELINE_P999] = (struct baseline_ratio){true, 1.5, 1.25, 2, 1000, 1500};
	result.ratios[MIX_LOG][BASELINE_COMMIT + BASELINE_P50] = (struct baseline_ratio){true, 3, 2, 4, 1000, 3000};
	assert_int_equal(report_new("root", &report), 0);
	ssd_run_report_baselines(report, field_find(ssd_result_record(), "baselines"), &result);
	report_end(report);
	assert_int_equal(report_document(report, &text, &size), 0);
	assert_non_null(strstr(text, "<runs>3</runs>"));
	assert_non_null(strstr(text, "<interference stream=\"checkpoint\" statistic=\"p99.9\">"));
	assert_non_null(strstr(text, "<value>1.5</value>"));
	assert_non_null(strstr(text, "<low>1.25</low>"));
	assert_non_null(strstr(text, "<mix_ns>1500</mix_ns>"));
	assert_non_null(strstr(text, "<interference stream=\"log\" statistic=\"commit.p50\">"));
	assert_null(strstr(text, "<interference stream=\"log\" statistic=\"p"));
	report_free(report);
}
