/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig6 and fig9: distributions of response times. fig11: the offset and time of each write. records: every record as CSV. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/hot/rng.h"

#define STEPS 100       /* steps of STEP, and one for larger ratios */
#define STEP 0.05
#define POWERS 7 /* powers of ten of the shares of fig9, down to 1.5e-6 % */

/* --- fig9 --- */

static int add_percent(struct figure_table *table, const char *name, const double *sorted, size_t count, double above_percent)
{
	double response = writes_percentile(sorted, count, 100 - above_percent);
	size_t above = count;

	/* If less than one write is above, the row would repeat the slowest write. */
	if ((double)count * above_percent / 100 < 1 - 1e-9)
		return 0;
	while (above && sorted[above - 1] > response)
		above--;
	return figure_table_add(table, "%s\t%.10g\t%.0f\t%zu", name, 100 - above_percent, response, count - above);
}

static int tail_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table)
{
	/* Percentages of writes above: 95 to 15 by fives, then these eight per power of ten. */
	static const double tens[] = {10, 8, 6.5, 5, 4, 3, 2, 1.5};
	const char *name = mix_stream_name(stream);
	double *sorted = writes_sorted(writes);
	int rc = sorted ? 0 : -ENOMEM;

	(void)input;
	for (int i = 95; i > 10 && !rc; i -= 5)
		rc = add_percent(table, name, sorted, writes->count, i);
	for (int k = 0; k < POWERS && !rc; k++) {
		for (size_t i = 0; i < sizeof(tens) / sizeof(tens[0]) && !rc; i++)
			rc = add_percent(table, name, sorted, writes->count, tens[i] * pow(10, -k));
	}
	if (!rc)
		rc = figure_table_add(table, "%s\t100\t%.0f\t0", name, sorted[writes->count - 1]);
	free(sorted);
	return rc;
}

int figure_tail(const struct figure_input *input, struct figure_table *table, const char **why)
{
	return writes_each_stream(input, table, tail_rows, why);
}

/* --- fig6 --- */

static int ratio_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table)
{
	const char *name = mix_stream_name(stream), *over = "\tflash-write";
	uint64_t counts[STEPS + 1] = {0};
	double median = input->device ? (double)device_write_baseline(input->device) : 0;
	struct writes_summary alone;
	int rc = 0;

	if (input->alone[stream].dump) {
		rc = writes_summary_of(input->alone[stream].dump, stream, &alone);
		median = rc ? 0 : alone.median;
		over = "\talone";
	}
	if (rc || median <= 0)
		return rc;
	for (size_t i = 0; i < writes->count; i++) {
		double step = (double)writes->list[i].response_ns / median / STEP;

		counts[step < STEPS ? (size_t)step : STEPS]++;
	}
	for (int i = 0; i <= STEPS && !rc; i++) {
		char to[16] = "-";

		if (i < STEPS)
			snprintf(to, sizeof(to), "%.2f", (i + 1) * STEP);
		rc = figure_table_add(table, "%s\t%.2f\t%s\t%" PRIu64 "\t%.4f%s", name, i * STEP, to, counts[i],
			100 * (double)counts[i] / (double)writes->count, input->device ? over : "");
	}
	return rc;
}

int figure_ratios(const struct figure_input *input, struct figure_table *table, const char **why)
{
	int rc = writes_each_stream(input, table, ratio_rows, why);

	if (rc == -ENODATA)
		*why = "needs records of a stream alone as well: --alone=FILE, of 'run --mix=1-0 --dump=FILE' or such";
	return rc;
}

/* --- fig11 --- */

static int place_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table)
{
	struct rng rng;
	int rc = 0;

	/* Equal steps would interfere with the cycle of the offsets and show patterns that do not exist. */
	rng_seed(&rng, table->every, stream);
	for (size_t i = 0; i < writes->count && !rc; i += table->every) {
		uint64_t left = writes->count - i < table->every ? writes->count - i : table->every;
		const struct write *write = &writes->list[i + rng_below(&rng, left)];
		const struct record *record = write->record;

		rc = figure_table_add(table, "%s\t%u\t%.9f\t%" PRIu64 "\t%u\t%u\t%" PRIu64, mix_stream_name(stream), record->worker,
			dump_time_s(input->dump, record->prep_ns), record->offset, record->length, record->pass,
			write->response_ns);
	}
	return rc;
}

int figure_places(const struct figure_input *input, struct figure_table *table, const char **why)
{
	uint64_t count = 0;

	for (size_t i = 0; i < input->dump->head.segment_count; i++)
		count += input->dump->segments[i].part.count;
	table->every = input->rows && count > input->rows ? (count + input->rows - 1) / input->rows : 1;
	return writes_each_stream(input, table, place_rows, why);
}

/* --- records --- */

/* A file from another program may contain any time. */
static int64_t since(uint64_t ns, const struct dump *dump)
{
	return (int64_t)(ns - dump->head.begin_ns);
}

void figure_print_records(FILE *out, const struct dump *dump)
{
	static const char *const joined[] = {[SPLIT_NONE] = "no", [SPLIT_OWN] = "own", [SPLIT_MERGED] = "merged"};

	fputs("stream,worker,sequence,pass,offset,bytes,result,batch,inflight_own,inflight_other,due_ns,prep_ns,enter_ns,"
	      "entered_ns,reap_ns,joined,requests,batching_ns,submit_ns,queue_ns,device_ns,reaping_ns,flushes,flush_ns\n", out);
	for (size_t i = 0; i < dump->head.segment_count; i++) {
		const struct dump_segment *segment = &dump->segments[i];

		for (uint64_t k = 0; k < segment->part.count; k++) {
			const struct record *record = &segment->records[k];
			const struct split *split = segment->splits ? &segment->splits[k] : NULL;

			fprintf(out, "%s,%u,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu32 ",%" PRId32 ",%" PRIu32
				",%u,%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32 ",%" PRId64 ",",
				mix_stream_name((enum mix_stream)record->stream),
				record->worker, record->sequence, record->pass, record->offset, record->length, record->result,
				record->batch, record->inflight_own, record->inflight_other,
				since(writes_due_ns(&segment->part, record), dump), since(record->prep_ns, dump),
				since(record->enter_ns, dump), record->entered_ns, since(record->reap_ns, dump));
			if (!split || split->state == SPLIT_NONE) {
				fprintf(out, "%s,,,,,,,,\n", split ? joined[SPLIT_NONE] : "");
				continue;
			}
			fprintf(out, "%s,%" PRIu32, joined[split->state], split->requests);
			for (int part = 0; part < SPLIT_PARTS; part++) {
				if (part != SPLIT_FLUSH)
					fprintf(out, ",%" PRIu64, split->ns[part]);
			}
			if (split->flushes == SPLIT_UNKNOWN)
				fputs(",,\n", out);
			else
				fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", split->flushes, split->ns[SPLIT_FLUSH]);
		}
	}
}
