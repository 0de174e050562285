/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig6 and fig9: how response times are distributed. */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ssd-workloads/analyze/writes.h"

#define STEPS 100       /* of STEP each, and one for what is above */
#define STEP 0.05
#define POWERS 7 /* of the shares of fig9, in percent: to a hundred millionth of the writes */

typedef int stream_rows(const struct figure_input *input, enum mix_stream stream, struct figure_table *table);

/* rows of each stream that ran; -ENODATA when none did. */
static int each_stream(const struct figure_input *input, struct figure_table *table, stream_rows *rows, const char **why)
{
	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		int rc = rows(input, (enum mix_stream)stream, table);

		if (rc)
			return rc;
	}
	*why = "holds no write that was completed";
	return table->row_count ? 0 : -ENODATA;
}

/* --- fig9 --- */

static int add_percent(struct figure_table *table, const char *name, const double *sorted, size_t count, double above_percent)
{
	double response = writes_percentile(sorted, count, 100 - above_percent);
	size_t above = count;

	/* Where so few are above, it is the slowest writes' own value. */
	if ((double)count * above_percent / 100 < 1 - 1e-9)
		return 0;
	while (above && sorted[above - 1] > response)
		above--;
	return figure_table_add(table, "%s\t%.10g\t%.0f\t%zu", name, 100 - above_percent, response, count - above);
}

static int add_tail(struct figure_table *table, const char *name, const double *sorted, size_t count)
{
	/* Shares that are above, in percent: by fives, then eight in a power of ten. */
	static const double tens[] = {10, 8, 6.5, 5, 4, 3, 2, 1.5};
	int rc = 0;

	for (int i = 95; i > 10 && !rc; i -= 5)
		rc = add_percent(table, name, sorted, count, i);
	for (int k = 0; k < POWERS && !rc; k++) {
		for (size_t i = 0; i < sizeof(tens) / sizeof(tens[0]) && !rc; i++)
			rc = add_percent(table, name, sorted, count, tens[i] * pow(10, -k));
	}
	return rc ? rc : figure_table_add(table, "%s\t100\t%.0f\t0", name, sorted[count - 1]);
}

static int tail_rows(const struct figure_input *input, enum mix_stream stream, struct figure_table *table)
{
	struct writes writes;
	double *sorted;
	int rc = writes_of(input->dump, stream, &writes);

	if (rc)
		return rc;
	sorted = writes_sorted(&writes);
	if (!sorted)
		rc = -ENOMEM;
	else if (writes.count)
		rc = add_tail(table, mix_stream_name(stream), sorted, writes.count);
	free(sorted);
	writes_free(&writes);
	return rc;
}

int figure_tail(const struct figure_input *input, struct figure_table *table, const char **why)
{
	return each_stream(input, table, tail_rows, why);
}

/* --- fig6 --- */

static int median_of(const struct dump *dump, enum mix_stream stream, double *median)
{
	struct writes writes;
	double *sorted;
	int rc = writes_of(dump, stream, &writes);

	if (rc)
		return rc;
	sorted = writes_sorted(&writes);
	*median = sorted && writes.count ? writes_percentile(sorted, writes.count, 50) : 0;
	if (!sorted)
		rc = -ENOMEM;
	free(sorted);
	writes_free(&writes);
	return rc;
}

static int add_ratios(struct figure_table *table, const char *name, const struct writes *writes, double median)
{
	uint64_t counts[STEPS + 1] = {0};
	int rc = 0;

	for (size_t i = 0; i < writes->count; i++) {
		double step = (double)writes->list[i].response_ns / median / STEP;

		counts[step < STEPS ? (size_t)step : STEPS]++;
	}
	for (int i = 0; i <= STEPS && !rc; i++) {
		double percent = 100 * (double)counts[i] / (double)writes->count;

		if (i == STEPS)
			rc = figure_table_add(table, "%s\t%.2f\t-\t%llu\t%.4f", name, i * STEP,
				(unsigned long long)counts[i], percent);
		else
			rc = figure_table_add(table, "%s\t%.2f\t%.2f\t%llu\t%.4f", name, i * STEP, (i + 1) * STEP,
				(unsigned long long)counts[i], percent);
	}
	return rc;
}

static int ratio_rows(const struct figure_input *input, enum mix_stream stream, struct figure_table *table)
{
	struct writes writes;
	double median = 0;
	int rc = input->alone[stream] ? median_of(input->alone[stream], stream, &median) : 0;

	if (rc || median <= 0)
		return rc;
	rc = writes_of(input->dump, stream, &writes);
	if (rc)
		return rc;
	if (writes.count)
		rc = add_ratios(table, mix_stream_name(stream), &writes, median);
	writes_free(&writes);
	return rc;
}

int figure_ratios(const struct figure_input *input, struct figure_table *table, const char **why)
{
	int rc = each_stream(input, table, ratio_rows, why);

	if (rc == -ENODATA)
		*why = "needs records of a stream alone beside it: --alone=FILE, of 'run --mix=1-0 --dump=FILE' or such";
	return rc;
}
