/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table of ssd-workloads run: a row a stream, in the mix and alone. */
#include "config.h"
#include "memstor/convert/csv.h"

#include <math.h>
#include <string.h>

#include "memstor/convert/cell.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const workload_texts[] = {"mix", "method", "durability", "group_commit", "rate_per_second"};
static const char *const plan_texts[] = {"depth", "workers", "block_bytes", "area_bytes", "pause_ns"};
static const char *const values[] = {"operations", "bytes", "run_s", "operations_per_second", "bytes_per_second",
	"cpu_ns_per_operation", "depth_achieved", "operations_per_batch", "passes", "short_writes", "failed"};
static const char *const types[] = {"response", "service", "commit"};
static const char *const ends[] = {"interference.mean", "interference.p50", "interference.p99", "interference.p99.9",
	"interference.commit.mean", "interference.commit.p50", "interference.commit.p99", "interference.commit.p99.9",
	"interference.throughput",
	"split.batching_ns", "split.submit_ns", "split.queue_ns", "split.device_ns", "split.reap_ns"};

const char *const csv_stream_names[] = {"file", "uuid", "tool", "hostname", "wall_start", "status", "stream", "mix", "method",
	"durability", "group_commit", "rate_per_second", "depth", "workers", "block_bytes", "area_bytes", "pause_ns",
	"operations", "bytes", "run_s", "operations_per_second", "bytes_per_second", "cpu_ns_per_operation", "depth_achieved",
	"operations_per_batch", "passes", "short_writes", "failed", "response_mean_ns", "response_p50_ns", "response_p99_ns",
	"response_p999_ns", "response_max_ns", "service_mean_ns", "service_p50_ns", "service_p99_ns", "service_p999_ns",
	"service_max_ns", "commit_mean_ns", "commit_p50_ns", "commit_p99_ns", "commit_p999_ns", "commit_max_ns",
	"interference_mean", "interference_p50", "interference_p99", "interference_p999", "interference_commit_mean",
	"interference_commit_p50", "interference_commit_p99", "interference_commit_p999", "interference_throughput", "batching_ns",
	"submit_ns", "queue_ns", "device_ns", "reap_ns"};
const size_t csv_stream_count = COUNT(csv_stream_names);

static void texts(FILE *out, const struct report_node *parent, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		convert_cell_add_text(out, report_read_text(parent, names[i]));
}

/* Of "log-alone" it is the plan of log. */
static const struct report_node *plan_of(const struct report_node *workload, const char *id)
{
	const struct report_node *node = workload ? report_read_find(workload, "stream_plan") : NULL;

	for (; node; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream");
		size_t length = stream ? strlen(stream) : 0;

		if (length && !strncmp(id, stream, length) && (!id[length] || id[length] == '-'))
			return node;
	}
	return NULL;
}

static void add_stream(FILE *out, const struct loaded *loaded, const struct loaded_subject *stream)
{
	const char *const begin[] = {loaded->path, loaded->uuid, loaded->tool, loaded->hostname, loaded->wall_start, loaded->status,
		stream->id};
	const struct report_node *workload =
		report_read_find(report_read_root(loaded->document), "report/result/workload");

	for (size_t i = 0; i < COUNT(begin); i++)
		convert_cell_add_text(out, begin[i]);
	texts(out, workload, workload_texts, COUNT(workload_texts));
	texts(out, plan_of(workload, stream->id), plan_texts, COUNT(plan_texts));
	for (size_t i = 0; i < COUNT(values); i++)
		convert_cell_add_number(out, loaded_subject_value(stream, values[i]));
	for (size_t i = 0; i < COUNT(types); i++)
		csv_add_histogram(out, loaded, types[i], stream->id);
	for (size_t i = 0; i < COUNT(ends); i++) {
		convert_cell_number(out, loaded_subject_value(stream, ends[i]));
		if (i + 1 < COUNT(ends))
			convert_cell_next(out);
	}
	convert_cell_end(out);
}

void csv_add_streams(FILE *out, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->subject_count; i++)
		add_stream(out, loaded, &loaded->subjects[i]);
}
