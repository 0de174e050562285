/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the parts come from: a report is one, a merged report brings its own. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/units.h"

static struct merge_texts keep_texts(struct merge *merge, const struct loaded_text *from, size_t count)
{
	struct merge_texts texts = {0, merge_array(merge, count, sizeof(*from))};

	for (size_t i = 0; texts.items && i < count; i++)
		texts.items[texts.count++] = (struct loaded_text){
			merge_text(merge, from[i].name), merge_text(merge, from[i].value)};
	return texts;
}

const struct histogram_layout *merge_layout(const char *name)
{
	if (strcmp(name, "hdr") == 0)
		return &histogram_hdr;
	return strcmp(name, "log16") == 0 ? &histogram_log16 : NULL;
}

/* How slow the accesses of each type were, from the finest histogram. */
static void take_rows(struct merge *merge, const struct loaded *loaded, struct merge_part *part)
{
	part->rows = merge_array(merge, loaded->histogram_count, sizeof(*part->rows));
	for (size_t i = 0; part->rows && i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		const struct histogram_layout *layout = merge_layout(histogram->layout);
		struct merge_row *row = &part->rows[part->row_count];

		if (!layout || strcmp(histogram->class, "all") != 0 ||
			loaded_histogram(loaded, histogram->type, "all") != histogram)
			continue;
		part->row_count++;
		row->type = merge_text(merge, histogram->type);
		row->layout = layout;
		row->summary = (struct histogram_summary){.count = histogram->count,
			.min_ns = histogram->min_ns,
			.mean_ns = histogram->mean_ns,
			.stddev_ns = histogram->stddev_ns,
			.p50_ns = loaded_percentile(histogram, 50),
			.p90_ns = loaded_percentile(histogram, 90),
			.p95_ns = loaded_percentile(histogram, 95),
			.p99_ns = loaded_percentile(histogram, 99),
			.p999_ns = loaded_percentile(histogram, 99.9),
			.p9999_ns = loaded_percentile(histogram, 99.99),
			.max_ns = histogram->max_ns};
	}
}

int merge_take_clock(struct merge *merge, const struct report_node *from, struct merge_part *part)
{
	const struct report_node *wall = report_read_find(from, "wall_start");
	int err;

	part->wall_start = merge_text(merge, wall ? wall->text : "");
	part->has_clock = wall && report_read_find(from, "monotonic_start_ns");
	if (!part->has_clock)
		return 0;
	if (merge_read_wall(wall->text, &part->wall_ns))
		return merge_refuse(merge, -EBADMSG, wall,
			"<wall_start> is '%.40s': allowed are times from 1970 to 2149 as 2026-11-20T09:24:29.000000042Z",
			wall->text);
	err = merge_need_u64(merge, from, "monotonic_start_ns", &part->start_ns);
	if (!err)
		err = merge_need_u64(merge, from, "monotonic_end_ns", &part->end_ns);
	if (!err && (part->end_ns < part->start_ns || part->end_ns > MERGE_MONOTONIC_MAX))
		err = merge_refuse(merge, -EBADMSG, from,
			"<monotonic_end_ns> is %llu: allowed is from <monotonic_start_ns>, %llu, to 2^60",
			(unsigned long long)part->end_ns, (unsigned long long)part->start_ns);
	return err;
}

void merge_take_host(struct merge *merge, const struct report_node *host, struct merge_part *part)
{
	part->hostname = merge_text(merge, report_read_text(host, "hostname"));
	part->boot_id = merge_text(merge, report_read_text(host, "boot_id"));
	part->os_name = merge_text(merge, report_read_text(host, "os_name"));
	part->release = merge_text(merge, report_read_text(host, "release"));
	part->os_version = merge_text(merge, report_read_text(host, "os_version"));
	part->arch = merge_text(merge, report_read_text(host, "arch"));
}

static int take_threads(struct merge *merge, const struct report_node *result, struct merge_part *part)
{
	const struct report_node *node = result ? report_read_find(result, "result_thread") : NULL;
	int err = 0;

	for (; node && !err; node = report_read_next(node)) {
		uint64_t accesses = 0;

		err = merge_need_u64(merge, node, "result_details/details_samples", &accesses);
		if (!err)
			err = merge_sum(merge, "accesses", &part->accesses, accesses);
		part->threads++;
	}
	return err;
}

static int take_report(struct merge *merge, const struct loaded *loaded, struct merge_part *part)
{
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");
	const struct report_node *signature = report_read_find(report, "signature");
	const struct report_node *host = signature ? report_read_find(signature, "host") : NULL;
	int err;

	if (!signature)
		return merge_refuse(merge, -EBADMSG, report, "<report> has no <signature>");
	part->file = merge_text(merge, loaded->path);
	part->uuid = merge_text(merge, loaded->uuid);
	part->tool_version = merge_text(merge, loaded->tool_version);
	part->report_version = merge_text(merge, loaded->report_version);
	part->seed = merge_text(merge, report_read_text(signature, "seed"));
	merge_take_host(merge, host, part);
	if (!host) {
		part->hostname = merge_text(merge, loaded->hostname);
		part->os_name = merge_text(merge, report_read_text(signature, "os_info/version_info/os_name"));
		part->release = merge_text(merge, loaded->release);
		part->arch = merge_text(merge, loaded->arch);
	}
	part->options = keep_texts(merge, loaded->options, loaded->option_count);
	part->labels = keep_texts(merge, loaded->labels, loaded->label_count);
	part->facts = keep_texts(merge, loaded->machine, loaded->machine_count);
	part->status = merge_text(merge, loaded->status);
	part->run_s = loaded_value(loaded, "run_s");
	part->accesses_per_second = loaded_value(loaded, "accesses_per_second");
	part->faults_per_second = loaded_value(loaded, "faults_per_second");
	take_rows(merge, loaded, part);
	err = merge_read_checks(merge, report, "environment", "check", &part->checks);
	if (!err)
		err = merge_read_checks(merge, report, "verdict", "reason", &part->reasons);
	if (!err)
		err = merge_take_clock(merge, signature, part);
	return err ? err : take_threads(merge, report_read_find(report, "result"), part);
}

static struct merge_part *new_part(struct merge *merge)
{
	struct merge_parts *parts = &merge->parts;

	if (!merge_grow(merge, &parts->items, parts->count, &parts->room, sizeof(*parts->items)))
		return NULL;
	parts->items[parts->count] = (struct merge_part){.seed = ""};
	return &parts->items[parts->count++];
}

static int check_room(struct merge *merge, const struct merge_part *part)
{
	const struct {
		const char *what;
		size_t count;
	} lists[] = {{"options", part->options.count}, {"labels", part->labels.count},
		{"facts of the machine", part->facts.count}, {"checks", part->checks.count},
		{"reasons", part->reasons.count}, {"histograms", part->row_count}};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (lists[i].count > MERGE_TEXTS_MAX)
			return merge_refuse(merge, -EINVAL, NULL, "%zu %s: allowed are %d", lists[i].count,
				lists[i].what, MERGE_TEXTS_MAX);
	}
	if (merge->parts.count > MERGE_PARTS_MAX)
		return merge_refuse(merge, -EINVAL, NULL, "more than %d parts: merge fewer", MERGE_PARTS_MAX);
	return 0;
}

static int add_part(struct merge *merge, const struct loaded *loaded, const struct report_node *node)
{
	struct merge_part *part = new_part(merge);
	int err;

	if (!part)
		return -ENOMEM;
	err = node ? merge_read_part(merge, node, part) : take_report(merge, loaded, part);
	return err ? err : check_room(merge, part);
}

/* What was left out once stays left out, for the reason it was. */
static int take_omissions(struct merge *merge, const struct report_node *parts)
{
	const struct report_node *node = report_read_find(parts, "omission");

	for (size_t count = 0; node; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			return merge_refuse(merge, -EBADMSG, node, "<omission> has no name");
		if (++count > MERGE_TEXTS_MAX)
			return merge_refuse(merge, -EINVAL, node, "more than %d omissions", MERGE_TEXTS_MAX);
		merge_omit(merge, merge_text(merge, name), merge_text(merge, node->text));
	}
	return 0;
}

int merge_add_parts(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *parts = report_read_find(report_read_root(loaded->document), "report/parts");
	const struct report_node *node = parts ? report_read_find(parts, "part") : NULL;
	size_t first = merge->parts.count;
	struct merge_part all = {.seed = ""};
	uint64_t threads = 0, accesses = 0;
	int err = 0;

	if (!node)
		return add_part(merge, loaded, NULL);
	for (; node && !err; node = report_read_next(node))
		err = add_part(merge, loaded, node);
	if (!err)
		err = take_threads(merge, report_read_find(report_read_root(loaded->document), "report/result"), &all);
	for (size_t i = first; i < merge->parts.count && !err; i++) {
		threads += merge->parts.items[i].threads;
		err = merge_sum(merge, "accesses", &accesses, merge->parts.items[i].accesses);
	}
	if (!err && (threads != all.threads || accesses != all.accesses))
		err = merge_refuse(merge, -EBADMSG, parts,
			"the parts have %llu threads and %llu accesses, the <result> has %llu and %llu",
			(unsigned long long)threads, (unsigned long long)accesses, (unsigned long long)all.threads,
			(unsigned long long)all.accesses);
	return err ? err : take_omissions(merge, parts);
}
