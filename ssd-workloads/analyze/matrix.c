/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attribution: the parts of the latency of each stream's writes, on average and in the tail. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int find_tail(const struct device_table *table, int stream, uint64_t *tail_ns)
{
	uint64_t *values = reallocarray(NULL, table->command_count + 1, sizeof(*values));
	size_t count = 0;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < table->command_count; i++) {
		if (table->commands[i].is_whole && table->commands[i].stream == stream)
			values[count++] = device_latency_ns(&table->commands[i]);
	}
	device_median(values, count);
	*tail_ns = count ? values[(count * 99 + 99) / 100 - 1] : 0;
	free(values);
	return 0;
}

static void add_parts(const struct attribution_parts *parts, struct attribution_parts *sum)
{
	for (int kind = 0; kind < ATTRIBUTION_KINDS_COUNT; kind++) {
		for (int origin = 0; origin < ATTRIBUTION_ORIGINS; origin++)
			sum->ns[kind][origin] += parts->ns[kind][origin];
	}
}

static void add_largest(const struct attribution_parts *parts, struct attribution_parts *counts)
{
	uint64_t most = 0, *counted = NULL;

	for (int kind = 0; kind < ATTRIBUTION_KINDS_COUNT; kind++) {
		for (int origin = 0; origin < ATTRIBUTION_ORIGINS && kind != ATTRIBUTION_OWN; origin++) {
			if (parts->ns[kind][origin] <= most)
				continue;
			most = parts->ns[kind][origin];
			counted = &counts->ns[kind][origin];
		}
	}
	if (counted)
		++*counted;
}

static void add_slack(const struct device_table *table, const struct device_command *command, struct device_matrix *matrix)
{
	uint64_t last_ns = device_slice_done_ns(table, &table->slices[command->critical]);

	for (uint32_t at = command->first; at != DEVICE_NONE; at = table->slices[at].next)
		matrix->slack_ns += last_ns - device_slice_done_ns(table, &table->slices[at]);
	matrix->slack_slices += command->count - 1;
}

int device_matrix_make(const struct device_table *table, int stream, struct device_matrix *matrix)
{
	struct attribution *attribution = NULL;
	uint64_t tail_ns;
	int rc = find_tail(table, stream, &tail_ns);

	*matrix = (struct device_matrix){.writes = 0};
	if (!rc)
		rc = attribution_open(table, &attribution);
	for (size_t i = 0; i < table->command_count && !rc; i++) {
		const struct device_command *command = &table->commands[i];
		struct attribution_parts parts;

		if (!command->is_whole || command->stream != stream)
			continue;
		rc = attribution_command(attribution, command, &parts);
		add_parts(&parts, &matrix->all);
		add_largest(&parts, &matrix->largest);
		add_slack(table, command, matrix);
		matrix->writes++;
		matrix->latency_ns += device_latency_ns(command);
		if (device_latency_ns(command) <= tail_ns)
			continue;
		add_parts(&parts, &matrix->tail);
		matrix->tail_writes++;
		matrix->tail_latency_ns += device_latency_ns(command);
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

/* --- its rows --- */

/* ns over writes, of which there may be none. */
static const char *mean_text(char text[24], uint64_t ns, uint64_t writes)
{
	if (writes)
		snprintf(text, 24, "%.1f", (double)ns / (double)writes);
	else
		snprintf(text, 24, "-");
	return text;
}

static const char *percent_text(char text[24], uint64_t ns, uint64_t of_ns)
{
	if (of_ns)
		snprintf(text, 24, "%.4f", 100 * (double)ns / (double)of_ns);
	else
		snprintf(text, 24, "-");
	return text;
}

static int add_part(const struct device_matrix *matrix, int stream, int kind, int origin, struct figure_table *out)
{
	char mean[24], percent[24], tail_mean[24], tail_percent[24];
	uint64_t ns = matrix->all.ns[kind][origin], tail_ns = matrix->tail.ns[kind][origin];

	if (!ns)
		return 0;
	return figure_table_add(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%" PRIu64, mix_stream_name((enum mix_stream)stream),
		attribution_kind_name((enum attribution_kind)kind), attribution_origin_name((enum attribution_origin)origin),
		mean_text(mean, ns, matrix->writes), percent_text(percent, ns, matrix->latency_ns),
		mean_text(tail_mean, tail_ns, matrix->tail_writes), percent_text(tail_percent, tail_ns, matrix->tail_latency_ns),
		matrix->largest.ns[kind][origin]);
}

/* All of the stream: what the parts add up to, and what is no part of it. */
static int add_totals(const struct device_matrix *matrix, int stream, struct figure_table *out)
{
	const char *name = mix_stream_name((enum mix_stream)stream);
	char mean[24], tail_mean[24], slack[24];
	int rc = figure_table_add(out, "%s\tlatency\t-\t%s\t100\t%s\t%s\t%" PRIu64, name,
		mean_text(mean, matrix->latency_ns, matrix->writes),
		mean_text(tail_mean, matrix->tail_latency_ns, matrix->tail_writes), matrix->tail_writes ? "100" : "-",
		matrix->writes);

	if (rc || !matrix->slack_slices)
		return rc;
	return figure_table_add(out, "%s\tslack\t-\t%s\t-\t-\t-\t-", name,
		mean_text(slack, matrix->slack_ns, matrix->slack_slices));
}

int figure_attribution(const struct figure_input *input, struct figure_table *table, const char **why)
{
	struct device_matrix matrix;
	int rc = 0;

	*why = "has records of some commands or stations only: --sim sample and stations";
	if (input->device->is_sampled)
		return -ENODATA;
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		rc = device_matrix_make(input->device, stream, &matrix);
		if (!rc && matrix.writes)
			rc = add_totals(&matrix, stream, table);
		for (int part = 0; part < ATTRIBUTION_KINDS_COUNT * ATTRIBUTION_ORIGINS && !rc; part++)
			rc = add_part(&matrix, stream, part / ATTRIBUTION_ORIGINS, part % ATTRIBUTION_ORIGINS, table);
	}
	*why = "holds no write with all of its device records";
	return rc || table->row_count ? rc : -ENODATA;
}
