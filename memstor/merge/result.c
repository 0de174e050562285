/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <result>: threads are kept, totals and phases added. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int keep_threads(struct merge *merge, const struct report_node *report, const struct report_node *result)
{
	const struct report_node *node = report_read_find(result, "result_thread");
	const struct report_node *first = report_read_find(report_read_root(merge->first->document), "report");
	double khz = NAN, first_khz = NAN;
	int err = merge_take_double(merge, report, "machine_info/freq_khz", &khz);

	if (!err)
		err = merge_take_double(merge, first, "machine_info/freq_khz", &first_khz);
	for (; node && !err; node = report_read_next(node)) {
		struct merge_thread *thread;

		if (!merge_grow(merge, &merge->threads, merge->thread_count, &merge->thread_room,
			    sizeof(*merge->threads)))
			return -ENOMEM;
		thread = &merge->threads[merge->thread_count];
		thread->node = report_keep(&merge->arena, node, &merge->elements);
		thread->process = merge->processes;
		thread->clk_ratio = khz > 0 && first_khz > 0 ? first_khz / khz : 1;
		if (!thread->node)
			return -ENOMEM;
		merge->thread_count++;
		if (merge->elements > MERGE_ELEMENTS_MAX)
			err = merge_refuse(merge, -EINVAL, NULL,
				"with its threads the merged report would be larger than a report may be: merge fewer");
	}
	return err;
}

/* The highest process of its threads, and one. */
static int count_processes(struct merge *merge, const struct report_node *result, uint64_t *count)
{
	const struct report_node *node = report_read_find(result, "result_thread");

	*count = 1;
	for (; node; node = report_read_next(node)) {
		const struct report_node *details = report_read_find(node, "thread_details");
		uint64_t process = 0;
		int err = details ? merge_need_u64(merge, details, "process", &process) : 0;

		if (!err && process > INT32_MAX)
			err = merge_refuse(merge, -EBADMSG, details, "<process> is %llu: allowed are %d",
				(unsigned long long)process, INT32_MAX);
		if (err)
			return err;
		if (process >= *count)
			*count = process + 1;
	}
	return 0;
}

static int add_set_bytes(struct merge *merge, const struct report_node *node)
{
	struct merge_totals *totals = &merge->totals;
	const struct report_node *set = report_read_find(node, "set_bytes");

	for (; set; set = report_read_next(set)) {
		int err;

		if (!merge_grow(merge, &totals->set_bytes, totals->set_count, &totals->set_room,
			    sizeof(*totals->set_bytes)))
			return -ENOMEM;
		err = merge_read_u64(merge, set, &totals->set_bytes[totals->set_count]);
		if (err)
			return err;
		totals->set_count++;
		if (++merge->elements > MERGE_ELEMENTS_MAX)
			return merge_refuse(merge, -EINVAL, set, "more <set_bytes> than a report may have");
	}
	return 0;
}

/* Adds what is there, and counts in inputs that it was. */
static int add_optional(
	struct merge *merge, const struct report_node *node, const char *name, uint64_t *sum, size_t *inputs)
{
	uint64_t more = 0;
	int err;

	if (!report_read_find(node, name))
		return 0;
	(*inputs)++;
	err = merge_need_u64(merge, node, name, &more);
	return err ? err : merge_sum(merge, name, sum, more);
}

static int add_totals(struct merge *merge, const struct report_node *node)
{
	struct merge_totals *totals = &merge->totals;
	uint64_t more = 0, map_bytes = 0;
	double slow_ns = NAN;
	int err = merge_need_u64(merge, node, "accesses", &more);

	if (!err)
		err = merge_sum(merge, "accesses", &totals->accesses, more);
	if (!err)
		err = merge_need_u64(merge, node, "infrastructure_pages", &more);
	if (!err)
		err = merge_sum(merge, "infrastructure_pages", &totals->infrastructure_pages, more);
	if (!err)
		err = merge_need_u64(merge, node, "map_bytes", &map_bytes);
	if (!err)
		err = add_optional(merge, node, "total_inexact_faults", &totals->inexact, &totals->inexact_inputs);
	if (!err)
		err = add_optional(merge, node, "zero_pages", &totals->zero_pages, &totals->zero_inputs);
	if (!err)
		err = merge_take_double(merge, node, "slow_threshold_ns", &slow_ns);
	if (err)
		return err;
	totals->map_bytes = map_bytes > totals->map_bytes ? map_bytes : totals->map_bytes;
	if (!isnan(slow_ns)) {
		totals->slow_inputs++;
		totals->slow_threshold_ns = fmax(totals->slow_threshold_ns, slow_ns);
	}
	return add_set_bytes(merge, node);
}

bool merge_is_counted(const char *name)
{
	static const char *const names[] = {
		"begin_s", "end_s", "accesses", "minor_faults", "major_faults", "mean_ns"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static const struct report_node *next_said(const struct report_node *node)
{
	while (node && merge_is_counted(node->name))
		node = node->next;
	return node;
}

/* Pattern, shape, and what else says how was accessed. */
static bool is_same_phase(const struct report_node *a, const struct report_node *b)
{
	const struct report_node *left = next_said(a->child), *right = next_said(b->child);

	while (left && right && !strcmp(left->name, right->name) && !strcmp(left->text, right->text)) {
		left = next_said(left->next);
		right = next_said(right->next);
	}
	return !left && !right;
}

/* The phase that this one is added to: the first of a kind to the first, the second to the second. */
static struct merge_phase *find_phase(struct merge *merge, const struct report_node *node, size_t occurrence)
{
	struct merge_phase *phase;

	for (size_t i = 0; i < merge->phase_count; i++) {
		phase = &merge->phases[i];
		if (phase->occurrence == occurrence && is_same_phase(phase->node, node))
			return phase;
	}
	if (!merge_grow(merge, &merge->phases, merge->phase_count, &merge->phase_room, sizeof(*merge->phases)))
		return NULL;
	phase = &merge->phases[merge->phase_count];
	*phase = (struct merge_phase){.node = report_keep(&merge->arena, node, &merge->elements),
		.occurrence = occurrence,
		.begin_s = INFINITY,
		.has_mean = true};
	if (!phase->node)
		return NULL;
	merge->phase_count++;
	return phase;
}

static size_t occurrence_of(const struct report_node *phases, const struct report_node *phase)
{
	size_t before = 0;

	for (const struct report_node *node = report_read_find(phases, "phase"); node && node != phase;
		node = report_read_next(node))
		before += is_same_phase(node, phase);
	return before;
}

static int add_phase(struct merge *merge, const struct report_node *phases, const struct report_node *node)
{
	struct merge_phase *phase = find_phase(merge, node, occurrence_of(phases, node));
	uint64_t accesses = 0, minor = 0, major = 0;
	double begin_s = NAN, end_s = NAN, mean_ns = NAN;
	int err;

	if (!phase)
		return -ENOMEM;
	err = merge_need_u64(merge, node, "accesses", &accesses);
	if (!err)
		err = merge_need_u64(merge, node, "minor_faults", &minor);
	if (!err)
		err = merge_need_u64(merge, node, "major_faults", &major);
	if (!err)
		err = merge_take_double(merge, node, "begin_s", &begin_s);
	if (!err)
		err = merge_take_double(merge, node, "end_s", &end_s);
	if (!err)
		err = merge_take_double(merge, node, "mean_ns", &mean_ns);
	if (!err)
		err = merge_sum(merge, "accesses of a phase", &phase->accesses, accesses);
	if (!err)
		err = merge_sum(merge, "minor faults of a phase", &phase->minor, minor);
	if (!err)
		err = merge_sum(merge, "major faults of a phase", &phase->major, major);
	phase->begin_s = fmin(phase->begin_s, begin_s);
	phase->end_s = fmax(phase->end_s, end_s);
	phase->has_mean &= !isnan(mean_ns) || !accesses;
	if (accesses && !isnan(mean_ns))
		phase->sum_ns += (long double)mean_ns * accesses;
	return err;
}

#define PHASES_MAX 256 /* of all inputs: each is compared with each */

static int add_phases(struct merge *merge, const struct report_node *phases)
{
	const struct report_node *node = report_read_find(phases, "phase");
	size_t count = 0;
	int err = 0;

	for (; node && !err; node = report_read_next(node)) {
		if (++count > PHASES_MAX || merge->phase_count > PHASES_MAX)
			return merge_refuse(merge, -EINVAL, node, "more than %d phases", PHASES_MAX);
		err = add_phase(merge, phases, node);
	}
	return err;
}

static int add_pressure(struct merge *merge, const struct report_node *node)
{
	struct merge_pressure *pressure = &merge->pressure;
	uint64_t setup_ns = 0, teardown_ns = 0;
	int err = merge_need_u64(merge, node, "setup_ns", &setup_ns);

	if (!err)
		err = merge_need_u64(merge, node, "teardown_ns", &teardown_ns);
	if (pressure->inputs++ == 0)
		pressure->is_restored = true;
	pressure->was_oom |= strcmp(report_read_text(node, "was_oom"), "true") == 0;
	pressure->is_restored &= strcmp(report_read_text(node, "is_restored"), "true") == 0;
	pressure->setup_ns = setup_ns > pressure->setup_ns ? setup_ns : pressure->setup_ns;
	pressure->teardown_ns = teardown_ns > pressure->teardown_ns ? teardown_ns : pressure->teardown_ns;
	return err;
}

static int add_media(struct merge *merge, const struct report_node *node)
{
	double media_ns;
	int err = merge_take_double(merge, node, "media_latency_ns", &media_ns);

	if (merge->media_inputs++ == 0)
		merge->media_ns = media_ns;
	else if (merge->media_ns != media_ns)
		merge->media_ns = NAN;
	return err;
}

/* What a sum would have no meaning for. */
static void omit_rest(struct merge *merge, const struct report_node *report)
{
	static const struct {
		const char *path, *name, *why;
	} rows[] = {
		{"series/interval", "series", "each part has a time of its own"},
		{"sys_mem_info/sys_mem_item", "sys_mem_info", "the kernel counts for the whole machine, once in each part"},
		{"result/steady_state", "steady_state", "it is judged by the series"},
		{"result/kernel_split", "kernel_split", "medians cannot be added"},
		{"result/fault_trace", "fault_trace", "each part has traced for itself"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (report_read_find(report, rows[i].path))
			merge_omit(merge, rows[i].name, rows[i].why);
	}
}

static int add_ours(struct merge *merge, const struct report_node *result)
{
	const struct report_node *totals = report_read_find(result, "totals");
	const struct report_node *phases = report_read_find(result, "phases");
	const struct report_node *pressure = report_read_find(result, "pressure");
	const struct report_node *overhead = report_read_find(result, "paging_overhead");
	int err;

	if (!totals || !phases)
		return merge_refuse(merge, -EBADMSG, result, "<result> has no <%s>", totals ? "phases" : "totals");
	err = add_totals(merge, totals);
	if (!err)
		err = add_phases(merge, phases);
	if (!err && pressure)
		err = add_pressure(merge, pressure);
	if (!err && overhead)
		err = add_media(merge, overhead);
	return err;
}

int merge_add_result(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");
	const struct report_node *result = report_read_find(report, "result");
	uint64_t processes = 0;
	int err;

	if (!result || !report_read_find(result, "result_thread"))
		return merge_refuse(merge, -EBADMSG, result ? result : report, "no <result_thread>: nothing to merge");
	err = count_processes(merge, result, &processes);
	if (!err)
		err = keep_threads(merge, report, result);
	if (!err && !loaded->is_original)
		err = add_ours(merge, result);
	merge->processes += processes;
	omit_rest(merge, report);
	return err;
}
