/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig4, fig5 and fig10 of the simulated device: segments of writes, phases of collections, copies per write. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/stats.h"

/* --- segments and baselines --- */

void device_segments(const struct device_table *table, const struct device_command *command, uint64_t ns[DEVICE_SEGMENTS])
{
	static const uint8_t buffered[] = {SIM_CUT, SIM_FTL, SIM_FTL_DONE, SIM_QUEUED, SIM_TRANSFER, SIM_FLASH_DONE, SIM_DMA,
		SIM_DMA_DONE}, direct[] = {SIM_CUT, SIM_FTL, SIM_FTL_DONE, SIM_DMA, SIM_DMA_DONE, SIM_QUEUED, SIM_TRANSFER,
		SIM_FLASH_DONE};
	const uint8_t *order = table->section->write_mode == SIM_BUFFERED ? buffered : direct;
	const struct device_slice *slice = &table->slices[command->critical];
	uint64_t last_ns = device_fetched_ns(table, command);

	memset(ns, 0, DEVICE_SEGMENTS * sizeof(*ns));
	for (size_t i = 0; i < sizeof(buffered); i++) {
		if (!slice->at_ns[order[i]])
			continue;
		ns[order[i] - SIM_CUT] = slice->at_ns[order[i]] - last_ns;
		last_ns = slice->at_ns[order[i]];
	}
	ns[DEVICE_COMPLETION] = command->done_ns - last_ns;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t device_median(uint64_t *values, size_t count)
{
	if (count)
		qsort(values, count, sizeof(*values), compare_numbers);
	return count ? values[count / 2] : 0;
}

uint64_t device_write_baseline(const struct device_table *table)
{
	const struct sim_section *section = table->section;

	return section->issue_ns + section->transfer_ns + section->program_ns + section->done_ns;
}

uint64_t device_erase_baseline(const struct device_table *table)
{
	return table->section->issue_ns + table->section->erase_ns + table->section->done_ns;
}

/* --- fig4 --- */

static const char *const class_names[] = {[DEVICE_CLEAN] = "clean", [DEVICE_WAY] = "way", [DEVICE_FIRMWARE] = "firmware",
	[DEVICE_GC_EMPTY] = "gc-empty", [DEVICE_GC_COPYING] = "gc-copying", [DEVICE_OTHER] = "other"};
static const char *const segment_names[] = {"fetch", "ftl_wait", "ftl", "build", "way_wait", "flash", "lls_wait", "dma",
	"completion"};

/* Returns the time that a command waited for the core before the FTL processed its last slice. */
static uint64_t firmware_wait(const struct device_table *table, const struct device_command *command)
{
	const struct device_slice *slice = &table->slices[command->critical];
	uint64_t own_ns = table->section->command_ns + command->count * (uint64_t)table->section->cut_ns;
	uint64_t ns = slice->at_ns[SIM_FTL] - device_fetched_ns(table, command);

	/* The core processes the command's earlier pages first; they are not a wait. */
	for (uint32_t at = command->first; at != command->critical; at = table->slices[at].next)
		own_ns += table->slices[at].at_ns[SIM_FTL_DONE] - table->slices[at].at_ns[SIM_FTL];
	return ns > own_ns ? ns - own_ns : 0;
}

/* Stores how long collections occupied the way while the slice waited for it: [0] without copies, [1] with copies. */
static void find_collections(const struct device_table *table, const struct device_slice *slice, uint64_t covered_ns[2])
{
	const struct device_way *way = &table->ways[slice->die];
	uint64_t from = slice->at_ns[SIM_FTL_DONE], to = slice->at_ns[SIM_TRANSFER];

	covered_ns[0] = covered_ns[1] = 0;
	for (size_t i = device_way_find(way, from); i < way->count && way->ops[i].begin_ns < to; i++) {
		const struct device_op *op = &way->ops[i];

		if (op->gc != DEVICE_NONE)
			covered_ns[table->gcs[op->gc].copies > 0] +=
				(op->end_ns < to ? op->end_ns : to) - (op->begin_ns > from ? op->begin_ns : from);
	}
}

enum device_class device_classify(const struct device_table *table, const struct device_command *command, uint64_t baseline_ns)
{
	const struct device_slice *slice = &table->slices[command->critical];
	uint32_t channels = table->section->channels;
	/* Pages of one command share the channels. */
	uint64_t clean_ns = baseline_ns / 10 + (command->count - 1) / channels * table->section->transfer_ns;
	uint64_t ns[DEVICE_SEGMENTS], covered_ns[2] = {0, 0}, wait_ns;

	device_segments(table, command, ns);
	if (slice->die != DEVICE_NONE)
		find_collections(table, slice, covered_ns);
	wait_ns = ns[DEVICE_BUILD] + ns[DEVICE_WAY_WAIT];
	if (wait_ns >= baseline_ns / 2 && 2 * (covered_ns[0] + covered_ns[1]) >= wait_ns)
		return covered_ns[1] > covered_ns[0] ? DEVICE_GC_COPYING : DEVICE_GC_EMPTY;
	if (firmware_wait(table, command) >= baseline_ns / 10)
		return DEVICE_FIRMWARE;
	if (wait_ns >= baseline_ns / 2)
		return DEVICE_WAY;
	return slice->die != DEVICE_NONE && wait_ns < clean_ns && !covered_ns[0] && !covered_ns[1] ? DEVICE_CLEAN : DEVICE_OTHER;
}

struct ranked {
	const struct device_command *command;
	uint64_t ns;
	enum device_class class;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->command->number > y->command->number) - (x->command->number < y->command->number);
}

static int add_segments(const struct figure_input *input, const uint64_t usual_ns[DEVICE_SEGMENTS], const char *kind,
	const struct device_command *command, struct figure_table *out)
{
	uint64_t ns[DEVICE_SEGMENTS];
	int64_t most = INT64_MIN;
	int blamed = 0;

	device_segments(input->device, command, ns);
	for (int k = 0; k < DEVICE_SEGMENTS; k++) {
		if ((int64_t)(ns[k] - usual_ns[k]) > most) {
			most = (int64_t)(ns[k] - usual_ns[k]);
			blamed = k;
		}
	}
	return figure_table_add(out, "%s\t%s\t%" PRIu32 "\t%.9f\t%" PRIu64 "\t%.4f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s",
		mix_stream_name((enum mix_stream)command->stream), kind, command->number,
		dump_time_s(input->dump, device_issued_ns(command)), device_latency_ns(command),
		(double)device_latency_ns(command) / (double)device_write_baseline(input->device), ns[0], ns[1], ns[2], ns[3],
		ns[4], ns[5], ns[6], ns[7], ns[8], segment_names[blamed]);
}

/* Stores the median of each segment over the clean writes, of the stream alone if its records are given. */
static int find_usual(const struct figure_input *input, enum mix_stream stream, uint64_t usual_ns[DEVICE_SEGMENTS])
{
	const struct device_table *table = input->alone[stream].device ? input->alone[stream].device : input->device;
	uint64_t baseline_ns = device_write_baseline(input->device);
	size_t count = 0, capacity = table->command_count + 1;
	uint64_t *values = reallocarray(NULL, DEVICE_SEGMENTS * capacity, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < table->command_count; i++) {
		const struct device_command *command = &table->commands[i];
		uint64_t ns[DEVICE_SEGMENTS];

		if (!command->is_whole || command->stream != stream || device_classify(table, command, baseline_ns) != DEVICE_CLEAN)
			continue;
		device_segments(table, command, ns);
		for (int k = 0; k < DEVICE_SEGMENTS; k++)
			values[(size_t)k * capacity + count] = ns[k];
		count++;
	}
	for (int k = 0; k < DEVICE_SEGMENTS; k++)
		usual_ns[k] = device_median(values + (size_t)k * capacity, count);
	free(values);
	return 0;
}

/* Adds one write of each class (the median clean one, the slowest of the others), then the slowest of all. */
static int stream_segments(const struct figure_input *input, enum mix_stream stream, struct figure_table *out)
{
	const struct device_table *table = input->device;
	uint64_t baseline_ns = device_write_baseline(table), usual_ns[DEVICE_SEGMENTS];
	struct ranked *list = reallocarray(NULL, table->command_count + 1, sizeof(*list));
	size_t count = 0, counts[DEVICE_OTHER + 1] = {0};
	int rc = list ? find_usual(input, stream, usual_ns) : -ENOMEM;

	for (size_t i = 0; i < table->command_count && !rc; i++) {
		const struct device_command *command = &table->commands[i];

		if (!command->is_whole || command->stream != stream)
			continue;
		list[count] = (struct ranked){command, device_latency_ns(command), device_classify(table, command, baseline_ns)};
		counts[list[count++].class]++;
	}
	if (count)
		qsort(list, count, sizeof(*list), compare_ranked);
	for (int class = 0; class < DEVICE_OTHER && !rc; class++) {
		size_t wanted = class == DEVICE_CLEAN ? counts[class] / 2 : 0;

		for (size_t i = 0; i < count; i++) {
			if ((int)list[i].class != class || wanted--)
				continue;
			rc = add_segments(input, usual_ns, class_names[class], list[i].command, out);
			break;
		}
	}
	for (size_t i = 0; i < count && !rc && (!input->rows || i < input->rows); i++)
		rc = add_segments(input, usual_ns, "slow", list[i].command, out);
	free(list);
	return rc;
}

int figure_segments(const struct figure_input *input, struct figure_table *table, const char **why)
{
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++)
		rc = stream_segments(input, (enum mix_stream)stream, table);
	*why = "holds no write with all of its device records";
	return rc || table->row_count ? rc : -ENODATA;
}

/* --- fig5 --- */

struct figure_fit { /* time of a collection / E = intercept + slope * copies */
	size_t count;
	double slope, intercept, r2; /* NAN: too few collections, or equal numbers of copies */
	uint64_t baseline_ns;        /* E */
};

static int fit_collections(const struct device_table *table, struct figure_fit *fit)
{
	double *values = reallocarray(NULL, 2 * table->gc_count + 1, sizeof(*values)), sum = 0, squares = 0;
	uint64_t baseline_ns = device_erase_baseline(table);
	struct stats_line line;

	*fit = (struct figure_fit){.slope = NAN, .r2 = NAN, .baseline_ns = baseline_ns};
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < table->gc_count; i++) {
		const struct device_gc *gc = &table->gcs[i];

		if (!gc->begin_ns || !gc->end_ns)
			continue;
		values[fit->count] = gc->copies;
		values[table->gc_count + fit->count] = (double)(gc->end_ns - gc->begin_ns) / (double)baseline_ns;
		sum += values[table->gc_count + fit->count];
		squares += values[table->gc_count + fit->count] * values[table->gc_count + fit->count];
		fit->count++;
	}
	if (fit->count > 2 && !stats_fit_line(values, values + table->gc_count, fit->count, &line)) {
		double spread = squares - sum * sum / (double)fit->count;

		fit->slope = line.slope;
		fit->intercept = line.intercept;
		if (spread > 0)
			fit->r2 = 1 - line.residual_stddev * line.residual_stddev * (double)(fit->count - 2) / spread;
	}
	free(values);
	return 0;
}

static const char *stream_text(const struct device_table *table, uint32_t command)
{
	uint8_t stream = command == DEVICE_NONE ? SIM_NO_PLACE : table->commands[command].stream;

	return stream < MIX_STREAMS ? mix_stream_name((enum mix_stream)stream) : "-";
}

int figure_collections(const struct figure_input *input, struct figure_table *table, const char **why)
{
	const struct device_table *device = input->device;
	struct figure_fit fit;
	int rc = fit_collections(device, &fit);

	for (size_t i = 0; i < device->gc_count && !rc; i++) {
		const struct device_gc *gc = &device->gcs[i];
		uint64_t total_ns = gc->end_ns - gc->begin_ns, busy_ns = gc->read_ns + gc->program_ns + gc->erase_ns;

		if (!gc->begin_ns || !gc->end_ns)
			continue;
		rc = figure_table_add(table, "%s\t%" PRIu32 "\t%" PRIu32 "\t%s\t%.9f\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t-\t-", gc->copies ? "copying" : "empty", gc->id, gc->number,
			stream_text(device, gc->command), dump_time_s(input->dump, gc->begin_ns), gc->copies, total_ns,
			total_ns > busy_ns ? total_ns - busy_ns : 0, gc->read_ns, gc->program_ns, gc->erase_ns,
			(double)total_ns / (double)fit.baseline_ns);
	}
	if (!rc && !isnan(fit.slope))
		rc = figure_table_add(table, "fit\t-\t-\t-\t-\t-\t%.0f\t-\t-\t-\t-\t%.4f\t%.6f\t%.4f",
			fit.intercept * (double)fit.baseline_ns, fit.intercept, fit.slope, fit.r2);
	*why = "holds no garbage collection from its beginning to its end";
	return rc || table->row_count ? rc : -ENODATA;
}

/* --- fig10 --- */

void device_copies(const struct device_table *table, int stream, struct device_copies *copies)
{
	*copies = (struct device_copies){.mode = 0};
	for (size_t i = 0; i < table->command_count; i++) {
		const struct device_command *command = &table->commands[i];
		uint32_t bin = 0;

		if (!command->gcs || (stream != MIX_STREAMS && command->stream != stream))
			continue;
		while (bin + 1 < DEVICE_COPIES_BINS && command->copies > (bin ? 1u << (bin - 1) : 0))
			bin++;
		copies->writes++;
		copies->bins[bin]++;
		copies->most = command->copies > copies->most ? command->copies : copies->most;
	}
	for (uint32_t bin = 1; bin < DEVICE_COPIES_BINS; bin++) {
		if (copies->bins[bin] && (!copies->mode || copies->bins[bin] > copies->bins[copies->mode]))
			copies->mode = bin;
	}
}

/* The bins are 0, 1, 2, 3-4, 5-8, 9-16, ... */
void device_copies_bin(uint32_t bin, uint32_t *from, uint32_t *to)
{
	*to = bin ? 1u << (bin - 1) : 0;
	*from = bin > 1 ? (1u << (bin - 2)) + 1 : *to;
}

int figure_copies(const struct figure_input *input, struct figure_table *table, const char **why)
{
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct device_copies copies;
		uint32_t last = 0;

		device_copies(input->device, stream, &copies);
		for (uint32_t bin = 0; bin < DEVICE_COPIES_BINS; bin++)
			last = copies.bins[bin] ? bin : last;
		for (uint32_t bin = 0; copies.writes && bin <= last && !rc; bin++) {
			uint32_t from, to;

			device_copies_bin(bin, &from, &to);
			rc = figure_table_add(table, "%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%.4f",
				mix_stream_name((enum mix_stream)stream), from, to, copies.bins[bin],
				100 * (double)copies.bins[bin] / (double)copies.writes);
		}
	}
	*why = "holds no write that triggered a garbage collection";
	return rc || table->row_count ? rc : -ENODATA;
}
