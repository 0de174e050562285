/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attribution: the parts of the latency of each stream's writes, on average and in the tail. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int device_matrix_make(const struct device_table *table, int stream, struct device_matrix *matrix)
{
	uint64_t *values = reallocarray(NULL, table->command_count + 1, sizeof(*values)), tail_ns;
	struct attribution *attribution = NULL;
	size_t count = 0;
	int rc = values ? attribution_open(table, &attribution) : -ENOMEM;

	*matrix = (struct device_matrix){.writes = 0};
	for (size_t i = 0; i < table->command_count && !rc; i++) {
		if (table->commands[i].is_whole && table->commands[i].stream == stream)
			values[count++] = device_latency_ns(&table->commands[i]);
	}
	(void)device_median(values, count);
	tail_ns = count ? values[(count * 99 + 99) / 100 - 1] : 0;
	free(values);
	for (size_t i = 0; i < table->command_count && !rc; i++) {
		const struct device_command *command = &table->commands[i];
		uint64_t latency_ns, last_ns, most = 0, *largest = NULL;
		struct attribution_parts parts;
		bool is_tail;

		if (!command->is_whole || command->stream != stream)
			continue;
		rc = attribution_command(attribution, command, &parts);
		latency_ns = device_latency_ns(command);
		is_tail = latency_ns > tail_ns;
		for (int part = 0; part < ATTRIBUTION_KINDS_COUNT * ATTRIBUTION_ORIGINS; part++) {
			int kind = part / ATTRIBUTION_ORIGINS, origin = part % ATTRIBUTION_ORIGINS;
			uint64_t ns = parts.ns[kind][origin];

			matrix->all.ns[kind][origin] += ns;
			matrix->tail.ns[kind][origin] += is_tail ? ns : 0;
			if (kind != ATTRIBUTION_OWN && ns > most) {
				most = ns;
				largest = &matrix->largest.ns[kind][origin];
			}
		}
		if (largest)
			++*largest;
		last_ns = device_slice_done_ns(table, &table->slices[command->critical]);
		for (uint32_t at = command->first; at != DEVICE_NONE; at = table->slices[at].next)
			matrix->slack_ns += last_ns - device_slice_done_ns(table, &table->slices[at]);
		matrix->slack_slices += command->count - 1;
		matrix->writes++;
		matrix->latency_ns += latency_ns;
		matrix->tail_writes += is_tail;
		matrix->tail_latency_ns += is_tail ? latency_ns : 0;
	}
	attribution_close(attribution);
	return rc;
}

int device_matrix_assert(const struct figure_input *input, char *why, size_t length)
{
	const struct device_table *table = input->device;
	struct attribution *attribution;
	int rc = attribution_open(table, &attribution);

	if (rc)
		return rc;
	for (size_t i = 0; i < table->command_count && !rc; i++) {
		const struct device_command *command = &table->commands[i];
		struct attribution_parts parts;

		if (!command->is_whole)
			continue;
		rc = attribution_command(attribution, command, &parts);
		if (!rc && attribution_sum(&parts) != device_latency_ns(command)) {
			snprintf(why, length,
				"the parts of command %" PRIu32 " add up to %" PRIu64 " ns, and it took %" PRIu64 " ns",
				command->number, attribution_sum(&parts), device_latency_ns(command));
			rc = -EPROTO;
		}
		for (uint32_t at = command->first; at != DEVICE_NONE && !rc; at = table->slices[at].next) {
			uint64_t ns = device_slice_done_ns(table, &table->slices[at]) - device_fetched_ns(table, command);

			rc = attribution_slice(attribution, at, &parts);
			if (rc || attribution_sum(&parts) == ns)
				continue;
			snprintf(why, length, "the parts of page %u of command %" PRIu32 " add up to %" PRIu64
				" ns, and it took %" PRIu64 " ns", table->slices[at].index, command->number,
				attribution_sum(&parts), ns);
			rc = -EPROTO;
		}
	}
	attribution_close(attribution);
	return rc;
}

/* --- rows --- */

int figure_attribution(const struct figure_input *input, struct figure_table *table, const char **why)
{
	struct device_matrix matrix;
	char mean[FIGURE_NUMBER], percent[FIGURE_NUMBER], tail_mean[FIGURE_NUMBER], tail_percent[FIGURE_NUMBER];
	int rc = 0;

	*why = "has records of some commands or stations only: --sim sample and stations";
	if (input->device->is_sampled)
		return -ENODATA;
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		const char *name = mix_stream_name((enum mix_stream)stream);
		double writes, tail_writes;

		rc = device_matrix_make(input->device, stream, &matrix);
		writes = (double)matrix.writes;
		tail_writes = (double)matrix.tail_writes;
		/* The first rows are the sum of the parts, and the slack, which is not part of it. */
		if (!rc && matrix.writes)
			rc = figure_table_add(table, "%s\tlatency\t-\t%s\t100\t%s\t%s\t%" PRIu64, name,
				figure_quotient(mean, 1, (double)matrix.latency_ns, writes),
				figure_quotient(tail_mean, 1, (double)matrix.tail_latency_ns, tail_writes),
				matrix.tail_writes ? "100" : "-", matrix.writes);
		if (!rc && matrix.slack_slices)
			rc = figure_table_add(table, "%s\tslack\t-\t%s\t-\t-\t-\t-", name,
				figure_quotient(mean, 1, (double)matrix.slack_ns, (double)matrix.slack_slices));
		for (int part = 0; part < ATTRIBUTION_KINDS_COUNT * ATTRIBUTION_ORIGINS && !rc; part++) {
			int kind = part / ATTRIBUTION_ORIGINS, origin = part % ATTRIBUTION_ORIGINS;
			double ns = (double)matrix.all.ns[kind][origin], tail_ns = (double)matrix.tail.ns[kind][origin];

			if (!matrix.all.ns[kind][origin])
				continue;
			rc = figure_table_add(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%" PRIu64, name,
				attribution_kind_name((enum attribution_kind)kind),
				attribution_origin_name((enum attribution_origin)origin),
				figure_quotient(mean, 1, ns, writes),
				figure_quotient(percent, 4, 100 * ns, (double)matrix.latency_ns),
				figure_quotient(tail_mean, 1, tail_ns, tail_writes),
				figure_quotient(tail_percent, 4, 100 * tail_ns, (double)matrix.tail_latency_ns),
				matrix.largest.ns[kind][origin]);
		}
	}
	*why = "holds no write with all of its device records";
	return rc || table->row_count ? rc : -ENODATA;
}
