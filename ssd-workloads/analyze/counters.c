/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters: the device's performance indices, as differences. window: the time that the records span. bandwidth: the throughput
 * of a stream in the mix and alone. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ssd-workloads/sim/section.h"

/* --- counters --- */

int figure_counters(const struct figure_input *input, struct figure_table *table, const char **why)
{
	const struct sim_section *section = input->dump->section;
	const union sim_unit *units = input->dump->units;
	const struct sim_index_channel *channels[SIM_WAYS_MAX] = {NULL};
	const struct sim_index *last = NULL;
	int rc = 0;

	for (uint64_t at = 0; at < section->unit_count && !rc; at += sim_unit_span(&units[at])) {
		uint64_t t_ns = units[at].prefix.t_ns;

		if (units[at].io.type == SIM_INDEX) {
			const struct sim_index *from = last, *to = last = (const void *)&units[at];
			double ns = from ? (double)(t_ns - from->prefix.t_ns) : 0;

			if (!from || from->prefix.t_ns >= t_ns)
				continue;
			rc = figure_table_add(table, "%.9f\tall\t%.9f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t-\t-\t%" PRIu64
				"\t%.4f\t%.4f\t%" PRIu64 "\t%" PRIu64 "\t-\t%" PRIu32 "\t%" PRIu32,
				dump_time_s(input->dump, t_ns), ns / 1e9, to->commands - from->commands, to->hits - from->hits,
				to->rmw - from->rmw, to->erases - from->erases,
				100 * (double)(to->way_busy_ns - from->way_busy_ns) / ns / (section->channels * section->ways),
				100 * (double)(to->bus_busy_ns - from->bus_busy_ns) / ns / section->channels,
				to->flash_bytes - from->flash_bytes, to->host_bytes - from->host_bytes, to->depth, to->least_free);
		} else if (units[at].io.type == SIM_INDEX_CHANNEL) {
			uint32_t ch = units[at].prefix.ch;
			const struct sim_index_channel *from = channels[ch], *to = channels[ch] = (const void *)&units[at];
			double ns = from ? (double)(t_ns - from->prefix.t_ns) : 0;

			if (!from || from->prefix.t_ns >= t_ns)
				continue;
			rc = figure_table_add(table, "%.9f\t%" PRIu32 "\t%.9f\t-\t-\t-\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
				"\t%.4f\t%.4f\t%" PRIu64 "\t-\t%" PRIu64 "\t%" PRIu32 "\t-",
				dump_time_s(input->dump, t_ns), ch, ns / 1e9, to->programs - from->programs,
				to->reads - from->reads, to->erases - from->erases,
				100 * (double)(to->way_busy_ns - from->way_busy_ns) / ns / section->ways,
				100 * (double)(to->bus_busy_ns - from->bus_busy_ns) / ns, to->bytes - from->bytes,
				to->wait_ns - from->wait_ns, to->queued);
		}
	}
	*why = "holds fewer than two performance indices: they are --sim index=TIME apart";
	return rc || table->row_count ? rc : -ENODATA;
}

/* --- window --- */

struct counters_span { /* of records of a kind */
	uint64_t units, first_ns, last_ns;
};

static int add_span(const struct figure_input *input, const char *name, const struct counters_span *span, uint64_t all,
	struct figure_table *table)
{
	double seconds = (double)(span->last_ns - span->first_ns) / 1e9;
	char rate[FIGURE_NUMBER];

	return figure_table_add(table, "%s\t%" PRIu64 "\t%.4f\t%.9f\t%.9f\t%.9f\t%s", name, span->units,
		100 * (double)span->units / (double)all, dump_time_s(input->dump, span->first_ns),
		dump_time_s(input->dump, span->last_ns), seconds, figure_quotient(rate, 1, (double)span->units, seconds));
}

int figure_window(const struct figure_input *input, struct figure_table *table, const char **why)
{
	static const char *const names[SIM_TYPES] = {[SIM_PAD] = "padding", [SIM_IO] = "stations", [SIM_GC] = "gc",
		[SIM_INDEX] = "index", [SIM_INDEX_CHANNEL] = "index-channel"};
	const struct sim_section *section = input->dump->section;
	const union sim_unit *units = input->dump->units;
	struct counters_span spans[SIM_TYPES] = {{0}}, all = {0}, slices = {0};
	uint64_t now_ns = 0;
	int rc = 0;

	for (uint64_t at = 0; at < section->unit_count; at += sim_unit_span(&units[at])) {
		uint8_t type = units[at].io.type;
		struct counters_span *counted[] = {&spans[type], &all, &slices};
		bool is_slice = type == SIM_IO && units[at].io.station == SIM_DMA_DONE;

		if (type != SIM_PAD)
			now_ns = units[at].io.t_ns;
		for (size_t i = 0; i < (is_slice ? 3 : 2); i++) {
			if (!counted[i]->first_ns)
				counted[i]->first_ns = now_ns;
			counted[i]->last_ns = now_ns;
			counted[i]->units += sim_unit_span(&units[at]);
		}
	}
	if (all.units)
		rc = add_span(input, "all", &all, all.units, table);
	for (int type = 0; type < SIM_TYPES && !rc; type++) {
		if (spans[type].units)
			rc = add_span(input, names[type], &spans[type], all.units, table);
	}
	/* The pages are counted by one record each. */
	if (!rc && slices.units)
		rc = add_span(input, "pages", &slices, all.units, table);
	*why = "holds no device record";
	return rc || table->row_count ? rc : -ENODATA;
}

/* --- bandwidth --- */

struct flow { /* writes of a stream */
	uint64_t writes, bytes, begin_ns, end_ns;
	double rate; /* bytes per second; 0 = unknown */
};

static int measure_flow(const struct dump *dump, enum mix_stream stream, struct flow *flow)
{
	struct writes writes;
	int rc = writes_of(dump, stream, &writes);

	*flow = (struct flow){.writes = writes.count, .begin_ns = writes.count ? writes.list[0].record->prep_ns : 0};
	for (size_t i = 0; i < writes.count; i++) {
		flow->bytes += writes.list[i].record->length;
		flow->end_ns = writes.list[i].record->reap_ns > flow->end_ns ? writes.list[i].record->reap_ns : flow->end_ns;
	}
	if (flow->end_ns > flow->begin_ns)
		flow->rate = (double)flow->bytes / ((double)(flow->end_ns - flow->begin_ns) / 1e9);
	writes_free(&writes);
	return rc;
}

int figure_bandwidth(const struct figure_input *input, struct figure_table *table, const char **why)
{
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		const struct dump *lone = input->alone[stream].dump;
		struct flow flow, alone = {.rate = 0};
		char alone_text[FIGURE_NUMBER], loss[FIGURE_NUMBER] = "-";

		rc = measure_flow(input->dump, (enum mix_stream)stream, &flow);
		if (!rc && lone)
			rc = measure_flow(lone, (enum mix_stream)stream, &alone);
		if (rc || !flow.writes)
			continue;
		if (alone.rate > 0)
			snprintf(loss, sizeof(loss), "%.4f", 100 * (1 - flow.rate / alone.rate));
		rc = figure_table_add(table, "%s\t%" PRIu64 "\t%" PRIu64 "\t%.9f\t%.0f\t%s\t%s",
			mix_stream_name((enum mix_stream)stream), flow.writes, flow.bytes,
			(double)(flow.end_ns - flow.begin_ns) / 1e9, flow.rate,
			figure_quotient(alone_text, 0, alone.rate, alone.rate > 0), loss);
	}
	*why = "holds no write that was completed";
	return rc || table->row_count ? rc : -ENODATA;
}
