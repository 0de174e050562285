/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt: the operations of a command's pages on their ways, and the other operations there. fig7 and fig8 choose the command. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* --- choice of the command --- */

struct candidate {
	uint64_t latency_ns;
	uint32_t command;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->latency_ns != y->latency_ns)
		return x->latency_ns < y->latency_ns ? -1 : 1;
	return (x->command > y->command) - (x->command < y->command);
}

/* Finds the command of median latency that is_wanted accepts. */
static int find_middle(const struct figure_input *input, bool (*is_wanted)(const struct device_table *table,
	const struct device_command *command, uint64_t baseline_ns), enum mix_stream stream, uint32_t *found, size_t *count)
{
	const struct device_table *table = input->device;
	struct candidate *list = reallocarray(NULL, table->command_count + 1, sizeof(*list));
	uint64_t baseline_ns = device_write_baseline(table);

	*count = 0;
	*found = DEVICE_NONE;
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < table->command_count; i++) {
		const struct device_command *command = &table->commands[i];

		if (command->is_whole && command->stream == stream && is_wanted(table, command, baseline_ns))
			list[(*count)++] = (struct candidate){device_latency_ns(command), (uint32_t)i};
	}
	if (*count) {
		qsort(list, *count, sizeof(*list), compare_candidates);
		*found = list[*count / 2].command;
	}
	free(list);
	return 0;
}

static bool is_clean(const struct device_table *table, const struct device_command *command, uint64_t baseline_ns)
{
	return device_classify(table, command, baseline_ns) == DEVICE_CLEAN;
}

int device_find_scheduled(const struct figure_input *input, enum mix_stream stream, uint32_t *found)
{
	size_t count;

	return find_middle(input, is_clean, stream, found, &count);
}

/* An erase for another stream's command ran on the way while the slice waited. */
static bool is_behind_erase(const struct device_table *table, const struct device_slice *slice, uint8_t stream)
{
	const struct device_way *way = &table->ways[slice->die];

	for (size_t i = device_way_find(way, slice->at_ns[SIM_FTL_DONE]);
		i < way->count && way->ops[i].begin_ns < slice->at_ns[SIM_TRANSFER]; i++) {
		uint32_t command = device_op_command(table, &way->ops[i]);

		if (way->ops[i].work == DEVICE_ERASE && command != DEVICE_NONE && table->commands[command].stream != stream)
			return true;
	}
	return false;
}

static bool is_delayed(const struct device_table *table, const struct device_command *command, uint64_t baseline_ns)
{
	const struct device_slice *late = NULL;
	unsigned count = 0;

	for (uint32_t at = command->first; at != DEVICE_NONE; at = table->slices[at].next) {
		const struct device_slice *slice = &table->slices[at];

		if (slice->die != DEVICE_NONE && slice->at_ns[SIM_TRANSFER] - slice->at_ns[SIM_FTL_DONE] > baseline_ns / 2) {
			late = slice;
			count++;
		}
	}
	return count == 1 && is_behind_erase(table, late, command->stream);
}

int device_find_delayed(const struct figure_input *input, uint32_t *found, size_t *count)
{
	return find_middle(input, is_delayed, MIX_CHECKPOINT, found, count);
}

/* --- rows of the command --- */

static const char *origin_of(const struct device_table *table, uint32_t shown, uint32_t command)
{
	if (command == DEVICE_NONE)
		return "unknown";
	if (command == shown)
		return "self";
	return table->commands[command].stream == table->commands[shown].stream ? "same" : "other";
}

static int add_op(const struct device_table *table, uint32_t shown, const struct device_op *op, uint32_t die,
	struct figure_table *out)
{
	const struct device_command *command = &table->commands[shown];
	const struct device_slice *slice = op->slice == DEVICE_NONE ? NULL : &table->slices[op->slice];
	uint32_t channels = table->section->channels, by = device_op_command(table, op);
	int64_t from_ns = (int64_t)table->slices[command->first].at_ns[SIM_CUT];
	char queued[24] = "-", number[24] = "-", index[24] = "-", gc[24] = "-";

	if (by != DEVICE_NONE)
		snprintf(number, sizeof(number), "%" PRIu32, table->commands[by].number);
	if (slice) {
		uint64_t queued_ns = op->work == DEVICE_READ ? slice->read_ns[0] : slice->at_ns[SIM_QUEUED];

		snprintf(index, sizeof(index), "%u", slice->index);
		if (queued_ns)
			snprintf(queued, sizeof(queued), "%" PRId64, (int64_t)queued_ns - from_ns);
	} else {
		snprintf(gc, sizeof(gc), "%" PRIu32, table->gcs[op->gc].id);
		snprintf(number, sizeof(number), "%" PRIu32, table->gcs[op->gc].number);
	}
	return figure_table_add(out, "%" PRIu32 "\t%s\t%s\t%s\t%s\t%s\t%" PRIu32 "\t%" PRIu32 "\t%s\t%" PRId64 "\t%" PRId64 "\t%s",
		command->number, mix_stream_name((enum mix_stream)command->stream), origin_of(table, shown, by),
		device_work_name((enum device_work)op->work), number, index, die % channels, die / channels, queued,
		(int64_t)op->begin_ns - from_ns, (int64_t)op->end_ns - from_ns, gc);
}

/* Times are since the command was cut; the first row is the command itself. */
static int add_command(const struct device_table *table, uint32_t shown, struct figure_table *out)
{
	const struct device_command *command = &table->commands[shown];
	uint64_t from_ns = table->slices[command->first].at_ns[SIM_CUT];
	bool *is_shown = calloc(table->dies, sizeof(*is_shown));
	int rc = is_shown ? 0 : -ENOMEM;

	for (uint32_t at = command->first; at != DEVICE_NONE && !rc; at = table->slices[at].next) {
		if (table->slices[at].die != DEVICE_NONE)
			is_shown[table->slices[at].die] = true;
	}
	if (!rc)
		rc = figure_table_add(out, "%" PRIu32 "\t%s\tself\twrite\t%" PRIu32 "\t-\t-\t-\t-\t%" PRId64 "\t%" PRId64 "\t-",
			command->number, mix_stream_name((enum mix_stream)command->stream), command->number,
			(int64_t)device_issued_ns(command) - (int64_t)from_ns, (int64_t)(command->done_ns - from_ns));
	for (uint32_t die = 0; die < table->dies && !rc; die++) {
		const struct device_way *way = &table->ways[die];

		for (size_t i = device_way_find(way, from_ns); is_shown[die] && i < way->count && !rc &&
			way->ops[i].begin_ns < command->done_ns; i++)
			rc = add_op(table, shown, &way->ops[i], die, out);
	}
	free(is_shown);
	return rc;
}

int figure_gantt(const struct figure_input *input, struct figure_table *table, const char **why)
{
	uint32_t found;

	*why = "needs a command: --command=N, as in fig4's column command";
	if (!input->has_command)
		return -ENODATA;
	*why = "does not hold all records of this command";
	found = device_table_find(input->device, input->command);
	if (found == DEVICE_NONE || !input->device->commands[found].is_whole)
		return -ENODATA;
	return add_command(input->device, found, table);
}

int figure_scheduled(const struct figure_input *input, struct figure_table *table, const char **why)
{
	int rc = 0;

	if (input->has_command)
		return figure_gantt(input, table, why);
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		uint32_t found;

		rc = device_find_scheduled(input, (enum mix_stream)stream, &found);
		if (!rc && found != DEVICE_NONE)
			rc = add_command(input->device, found, table);
	}
	*why = "has no write without any wait";
	return rc || table->row_count ? rc : -ENODATA;
}

int figure_delayed(const struct figure_input *input, struct figure_table *table, const char **why)
{
	uint32_t found;
	size_t count;
	int rc;

	if (input->has_command)
		return figure_gantt(input, table, why);
	rc = device_find_delayed(input, &found, &count);
	if (!rc && found != DEVICE_NONE)
		rc = add_command(input->device, found, table);
	*why = "has no checkpoint write of which exactly one page waited for an erase of the log";
	return rc || table->row_count ? rc : -ENODATA;
}
