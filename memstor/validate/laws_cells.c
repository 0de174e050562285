/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds between the cells of iowrite-bench run, their histograms and their parts. */
#include "config.h"
#include "memstor/validate/judging.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* METHOD.MODE.SYNC.REGIME.RW.SIZE; the size as it was asked for. */
static void judge_id(const struct judging *judging, const struct report_node *cell, const char *id)
{
	const char *every = report_read_text(cell, "sync_every");
	char begin[512];
	int used = snprintf(begin, sizeof(begin), "%s.%s.%s%s%s.%s.%s.", report_read_text(cell, "method"),
		report_read_text(cell, "mode"), report_read_text(cell, "sync"), *every ? "-every-" : "", every,
		report_read_text(cell, "regime"), report_read_text(cell, "rw"));

	if (used > 0 && (size_t)used < sizeof(begin) && strncmp(id, begin, (size_t)used) != 0)
		laws_broken(judging, cell, "the id of <cell> is %.100s: it begins with %.100s", id, begin);
}

static void judge_counts(const struct judging *judging, const struct report_node *cell, const char *id)
{
	static const char *const types[] = {"write", "sync"};
	bool has_failed = report_read_find(cell, "failure") || strcmp(judging->loaded->status, "interrupted") == 0;
	uint64_t operations, counts[2];

	if (report_read_u64(cell, "operations", &operations))
		return;
	/* Of each type: a sync after every write, or as many as it says. */
	counts[0] = counts[1] = operations;
	(void)report_read_u64(cell, "syncs", &counts[1]);
	for (size_t i = 0; i < judging->loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &judging->loaded->histograms[i];

		if (strcmp(histogram->class, id) != 0)
			continue;
		for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
			if (strcmp(histogram->type, types[t]) == 0 && histogram->count != counts[t] &&
				(!has_failed || histogram->count > counts[t]))
				laws_broken(judging, cell,
					"%.100s had %" PRIu64 " operations, its histogram of type %s holds %" PRIu64, id,
					counts[t], types[t], histogram->count);
		}
	}
}

static void judge_means(const struct judging *judging, const struct report_node *cell, const char *id)
{
	static const struct {
		const char *type, *element;
	} rows[] = {{"write", "write_mean_ns"}, {"sync", "sync_mean_ns"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct loaded_histogram *histogram = loaded_histogram(judging->loaded, rows[i].type, id);
		double mean = report_read_number(cell, rows[i].element);

		if (histogram && !isnan(mean) && !isnan(histogram->mean_ns) && !laws_is_near(mean, histogram->mean_ns))
			laws_broken(judging, cell, "%s is %.15g, its histogram's mean %.15g", rows[i].element, mean,
				histogram->mean_ns);
	}
}

static void judge_rates(const struct judging *judging, const struct report_node *cell)
{
	static const struct {
		const char *count, *rate;
	} rows[] = {{"operations", "operations_per_second"}, {"bytes", "bytes_per_second"}};
	double run_s = report_read_number(cell, "run_s");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && run_s > 0; i++) {
		double count = report_read_number(cell, rows[i].count), rate = report_read_number(cell, rows[i].rate);

		if (!isnan(rate) && !laws_is_near(rate, count / run_s))
			laws_broken(judging, cell, "%s is %.15g, but %s in %.15g s are %.15g", rows[i].rate, rate,
				rows[i].count, run_s, count / run_s);
	}
}

static void judge_bytes(const struct judging *judging, const struct report_node *cell)
{
	uint64_t size, operations, bytes, whole;

	if (report_read_u64(cell, "size_bytes", &size) || report_read_u64(cell, "operations", &operations) ||
		report_read_u64(cell, "bytes", &bytes) || report_read_find(cell, "failure"))
		return;
	if (!__builtin_mul_overflow(size, operations, &whole) && bytes != whole)
		laws_broken(judging, cell, "%" PRIu64 " operations of %" PRIu64 " bytes are %" PRIu64 " bytes, not %" PRIu64,
			operations, size, whole, bytes);
}

void laws_judge_split(const struct judging *judging, const struct report_node *parent)
{
	static const char *const parts[] = {
		"syscall_percent", "copy_percent", "throttle_percent", "device_percent", "residual_percent"};
	const struct report_node *split = report_read_find(parent, "cost_split");
	double sum = 0;

	if (!split)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += report_read_number(split, parts[i]);
	if (!(fabs(sum - 100) < 1e-6))
		laws_broken(judging, split, "the parts of <cost_split> add up to %.10g, not to 100", sum);
}

/* Every histogram is of a cell. */
static void judge_classes(const struct judging *judging, const struct report_node *cells)
{
	for (size_t i = 0; i < judging->loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &judging->loaded->histograms[i];

		if (!loaded_subject(judging->loaded, histogram->class))
			laws_broken(judging, cells, "there is no cell %.100s, but a histogram of it", histogram->class);
	}
}

void laws_judge_cells(const struct judging *judging)
{
	const struct report_node *cells = report_read_find(judging->report, "result/cells");

	if (!cells)
		return;
	for (const struct report_node *cell = report_read_find(cells, "cell"); cell; cell = report_read_next(cell)) {
		const char *id = report_read_attribute(cell, "id");

		judge_id(judging, cell, id);
		judge_counts(judging, cell, id);
		judge_means(judging, cell, id);
		judge_rates(judging, cell);
		judge_bytes(judging, cell);
		laws_judge_split(judging, cell);
	}
	judge_classes(judging, cells);
}
