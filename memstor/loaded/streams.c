/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams of ssd-workloads, each a subject over all its repetitions, and what those of the mix are in all. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STREAMS_MAX 16 /* cells by streams: there are four */
#define VALUES_MAX 32  /* of a subject, with room */
#define MIX "mix"

struct total { /* of one stream in one cell */
	const char *id, *stream;
	bool is_mix;
	double operations, bytes, seconds;
	double passes, short_writes, failed;
	double cpu, depth, batches; /* sums weighted by operations; NAN = not said of one that had any */
};

struct totals {
	size_t count;
	struct total of[STREAMS_MAX];
	double mix_seconds;
};

const char *loaded_stream_id(const char *cell, const char *stream)
{
	return strcmp(cell, MIX) ? cell : stream;
}

static struct total *find_total(struct totals *totals, const char *cell, const char *stream)
{
	const char *id = loaded_stream_id(cell, stream);

	for (size_t i = 0; i < totals->count; i++) {
		if (!strcmp(totals->of[i].id, id))
			return &totals->of[i];
	}
	if (totals->count == STREAMS_MAX)
		return NULL;
	totals->of[totals->count] = (struct total){.id = id, .stream = stream, .is_mix = !strcmp(cell, MIX)};
	return &totals->of[totals->count++];
}

static int add_result(struct loading *loading, const struct report_node *node, double seconds, struct total *total)
{
	static const char *const names[] = {"operations", "bytes", "passes", "short_writes", "failed",
		"cpu_ns_per_operation", "depth_achieved", "operations_per_batch", "operations_per_second"};
	double values[sizeof(names) / sizeof(names[0])], operations;
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !err; i++)
		err = loaded_child_double(loading, node, names[i], &values[i]);
	if (err)
		return err;
	operations = values[0];
	/* Its own last write ends it. */
	total->seconds += operations > 0 && values[8] > 0 ? operations / values[8] : seconds;
	total->operations += operations;
	total->bytes += values[1];
	total->passes += values[2];
	total->short_writes += values[3];
	total->failed += values[4];
	if (operations > 0) {
		total->cpu += operations * values[5];
		total->depth += operations * values[6];
		total->batches += operations / values[7];
	}
	return 0;
}

static int add_repetition(struct loading *loading, const struct report_node *repetition, struct totals *totals)
{
	const struct report_node *node = report_read_find(repetition, "stream_result");
	const char *cell = report_read_attribute(repetition, "cell_id");
	double seconds;
	int err = loaded_child_double(loading, repetition, "seconds", &seconds);

	if (err)
		return err;
	if (!cell)
		return loaded_refuse(loading, repetition, "<repetition> has no cell_id");
	if (!strcmp(cell, MIX))
		totals->mix_seconds += seconds;
	for (; node && !err; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream");
		struct total *total = stream ? find_total(totals, cell, stream) : NULL;

		if (!stream)
			return loaded_refuse(loading, node, "<stream_result> has no stream");
		if (!total)
			return loaded_refuse(loading, node, "more than %d streams", STREAMS_MAX);
		err = add_result(loading, node, seconds, total);
	}
	return err;
}

static void add_value(struct loaded_subject *subject, struct loaded_value *values, const char *name, double value)
{
	if (isfinite(value) && subject->value_count < VALUES_MAX)
		values[subject->value_count++] = (struct loaded_value){name, value};
}

/* What the other stream does to this one: "interference.p99". */
static int add_interference(struct loading *loading, const struct total *total, struct loaded_subject *subject,
	struct loaded_value *values)
{
	const struct report_node *node = report_read_find(loading->report, "result/baselines/interference");

	for (; node; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream");
		const char *statistic = report_read_attribute(node, "statistic");
		char name[64];
		double value;
		int err, used;

		if (!stream || !statistic || strcmp(stream, total->stream) != 0)
			continue;
		err = loaded_child_double(loading, node, "value", &value);
		if (err)
			return err;
		used = snprintf(name, sizeof(name), "interference.%.40s", statistic);
		add_value(subject, values, arena_text(&loading->arena, name, (size_t)used), value);
		if (subject->value_count && !values[subject->value_count - 1].name)
			return -ENOMEM;
	}
	return 0;
}

/* Where the time of its writes went: "split.device_ns". */
static int add_split(struct loading *loading, const struct total *total, struct loaded_subject *subject,
	struct loaded_value *values)
{
	static const struct {
		const char *element, *name;
	} parts[] = {{"batching_ns", "split.batching_ns"}, {"submit_ns", "split.submit_ns"}, {"queue_ns", "split.queue_ns"},
		{"device_ns", "split.device_ns"}, {"reap_ns", "split.reap_ns"}};
	const struct report_node *node = report_read_find(loading->report, "result/split/stream_split");

	for (; node; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream");

		if (!stream || strcmp(stream, total->stream) != 0)
			continue;
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			double value;
			int err = loaded_child_double(loading, node, parts[i].element, &value);

			if (err)
				return err;
			add_value(subject, values, parts[i].name, value);
		}
	}
	return 0;
}

static int make_subject(struct loading *loading, const struct total *total, struct loaded_subject *subject)
{
	struct loaded_value *values = loaded_array(loading, VALUES_MAX, sizeof(*values));
	int err = 0;

	if (!values)
		return -ENOMEM;
	*subject = (struct loaded_subject){.id = total->id, .values = values};
	add_value(subject, values, "operations", total->operations);
	add_value(subject, values, "bytes", total->bytes);
	add_value(subject, values, "run_s", total->seconds);
	add_value(subject, values, "operations_per_second", total->operations / total->seconds);
	add_value(subject, values, "bytes_per_second", total->bytes / total->seconds);
	add_value(subject, values, "cpu_ns_per_operation", total->cpu / total->operations);
	add_value(subject, values, "depth_achieved", total->depth / total->operations);
	add_value(subject, values, "operations_per_batch", total->operations / total->batches);
	add_value(subject, values, "passes", total->passes);
	add_value(subject, values, "short_writes", total->short_writes);
	add_value(subject, values, "failed", total->failed);
	if (total->is_mix)
		err = add_interference(loading, total, subject, values);
	return err || !total->is_mix ? err : add_split(loading, total, subject, values);
}

static int add_mix(struct loading *loading, const struct totals *totals)
{
	struct loaded *loaded = &loading->loaded;
	struct loaded_value *values = loaded_array(loading, loaded->value_count + 5, sizeof(*values));
	double operations = 0, bytes = 0, seconds = totals->mix_seconds;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < totals->count; i++) {
		operations += totals->of[i].is_mix ? totals->of[i].operations : 0;
		bytes += totals->of[i].is_mix ? totals->of[i].bytes : 0;
	}
	if (loaded->value_count)
		memcpy(values, loaded->values, loaded->value_count * sizeof(*values));
	loaded->values = values;
	if (!isfinite(operations) || !isfinite(bytes) || !(seconds > 0))
		return 0;
	values[loaded->value_count++] = (struct loaded_value){"operations", operations};
	values[loaded->value_count++] = (struct loaded_value){"bytes", bytes};
	values[loaded->value_count++] = (struct loaded_value){"run_s", seconds};
	values[loaded->value_count++] = (struct loaded_value){"operations_per_second", operations / seconds};
	values[loaded->value_count++] = (struct loaded_value){"bytes_per_second", bytes / seconds};
	return 0;
}

int loaded_take_streams(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	const struct report_node *node = report_read_find(loading->report, "result/repetition");
	struct loaded_subject *list;
	struct totals totals = {.count = 0};
	int err = 0;

	if (!node || strcmp(report_read_root(loading->document)->name, "ssdworkloads") != 0)
		return 0;
	for (; node && !err; node = report_read_next(node))
		err = add_repetition(loading, node, &totals);
	if (err)
		return err;
	list = loaded_array(loading, totals.count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	loaded->subjects = list;
	for (size_t i = 0; i < totals.count && !err; i++)
		err = make_subject(loading, &totals.of[i], &list[loaded->subject_count++]);
	return err ? err : add_mix(loading, &totals);
}
