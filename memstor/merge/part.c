/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a merge, and the notes on them: a report is one part, a merged report has several. Each part is the
 * element <part> as it will be written, so that both are read in the same way.
 */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/report_common.h"
#include "common/units.h"

#define MONOTONIC_MAX (1ull << 60) /* ns: 36 years */
#define NAMED_MAX 6 /* that a remark names */
#define SHOWN_MAX 4 /* differences that a refusal names */

/* --- a part of a report --- */

static void write_texts(struct report *report, const struct field *field, const void *from)
{
	const struct loaded_texts *texts = from;

	for (size_t i = 0; i < texts->count; i++)
		FIELD_ROW(report, field, named_text, texts->texts[i].name, texts->texts[i].value);
}

static void write_checks(struct report *report, const struct field *field, const void *from)
{
	const struct loaded *loaded = from;

	for (size_t i = 0; i < loaded->check_count; i++)
		FIELD_ROW(report, field, check, loaded->checks[i].code, FIELD_UNLESS_EMPTY(loaded->checks[i].finding),
			loaded->checks[i].measured, loaded->checks[i].advice);
}

static void write_reasons(struct report *report, const struct field *field, const void *from)
{
	const struct loaded *loaded = from;

	for (size_t i = 0; i < loaded->reason_count; i++)
		FIELD_ROW(report, field, coded_text, loaded->reasons[i].code, loaded->reasons[i].measured);
}

static void copy_child(struct report *report, const struct report_node *parent, const char *name)
{
	const struct report_node *node = report_read_find(parent, name);

	if (node)
		report_copy(report, node, NULL, NULL);
}

static void write_host(struct report *report, const struct loaded *loaded, const struct report_node *signature)
{
	const struct host_values host = {.hostname = loaded->hostname, .boot_id = "", .os_name = merge_original_os(signature),
		.release = loaded->release, .os_version = "", .arch = loaded->arch};

	if (report_read_find(signature, "host"))
		copy_child(report, signature, "host");
	else
		FIELD_WRITE(report, "host", host, &host);
}

/* How slow everything was, from the finest histogram. */
static void write_latencies(struct report *report, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if ((!loaded->subject_count && strcmp(histogram->class, "all")) || !strcmp(histogram->layout, "original") ||
			loaded_histogram(loaded, histogram->type, histogram->class) != histogram)
			continue;
		merge_write_histogram(report, histogram->type, histogram->class, histogram->layout, histogram, true, false);
	}
}

/* How many of what is numbered one after another, as threads, are in the result. */
static uint64_t count_threads(const struct report_node *result)
{
	const struct field_record *record = result ? field_record_of(result) : NULL;
	uint64_t count = 0;

	for (const struct report_node *node = record ? result->child : NULL; node; node = node->next) {
		const struct field_record *inner = field_within(record, node->name);

		count += inner && field_is_numbered(inner);
	}
	return count;
}

/* The numbers of the whole run that a <part> has, by its list. */
static void write_numbers(struct report *report, const struct loaded *loaded, const struct field_record *part)
{
	uint64_t threads = count_threads(report_read_find(report_read_root(loaded->document), "report/result"));

	for (const struct field *field = part->fields; field->name && threads; field++) {
		double value = loaded_value(loaded, field->name);

		if (field->kind != FIELD_VALUE || field->place != FIELD_NEED)
			continue;
		if (!strcmp(field->name, "threads"))
			report_u64(report, field->name, threads);
		else if (field->type == FIELD_count && value >= 0 && value < 0x1p64)
			report_u64(report, field->name, (uint64_t)value);
		else if (!isnan(value))
			report_double(report, field->name, value);
	}
}

/* The <part> of a report that is no merge, as a document of its own. */
static int make_part(const struct loaded *loaded, struct report_document **document)
{
	static const char *const clocks[] = {"wall_start", "monotonic_start_ns", "monotonic_end_ns"};
	const struct report_node *root = report_read_root(loaded->document);
	const struct report_node *signature = report_read_find(root, "report/signature");
	const struct field_record *record = field_at(root->name, "report/parts/part");
	const struct loaded_texts options = {loaded->options, loaded->option_count}, labels = {loaded->labels, loaded->label_count},
		facts = {loaded->machine, loaded->machine_count};
	const struct verdict_values verdict = {loaded->status, FIELD_BY(write_reasons, loaded)};
	struct report *report;
	const char *text;
	size_t size;
	char why[256];
	int err = report_new("part", &report);

	if (err)
		return err;
	report_text(report, "file", loaded->path);
	report_text(report, "uuid", loaded->uuid);
	report_text(report, "tool_version", loaded->tool_version);
	report_text(report, "report_version", loaded->report_version);
	copy_child(report, signature, "seed");
	for (size_t i = 0; i < 3 && report_read_find(signature, clocks[0]) && report_read_find(signature, clocks[1]); i++)
		copy_child(report, signature, clocks[i]);
	write_host(report, loaded, signature);
	FIELD_WRITE(report, "options", options, &(struct options_values){FIELD_BY(write_texts, &options)});
	FIELD_WRITE(report, "labels", labels, &(struct labels_values){FIELD_BY(write_texts, &labels)});
	FIELD_WRITE(report, "facts", merged_facts, &(struct merged_facts_values){FIELD_BY(write_texts, &facts)});
	/* Of a check only what a part has room for. */
	FIELD_WRITE(report, "environment", environment, &(struct environment_values){.check = FIELD_BY(write_checks, loaded)});
	if (record)
		write_numbers(report, loaded, record);
	write_latencies(report, loaded);
	FIELD_WRITE(report, "verdict", verdict, &verdict);
	err = report_document(report, &text, &size);
	if (!err)
		err = report_read_memory(text, size, document, why, sizeof(why));
	report_free(report);
	return err;
}

/* --- reading a part, which may be of a merged report from elsewhere --- */

/* Checks the elements of this path; texts, unless NULL, receives their attributes and texts. */
static int read_list(struct merge *merge, const struct report_node *part, const char *path, const char *attribute,
	struct loaded_texts *texts)
{
	const struct report_node *first = report_read_find(part, path);
	struct loaded_text *list;
	size_t count = 0;

	for (const struct report_node *node = first; node; node = report_read_next(node)) {
		if (!report_read_attribute(node, attribute))
			return merge_refuse(merge, -EBADMSG, node, "<%s> has no %s", node->name, attribute);
		if (++count > MERGE_TEXTS_MAX)
			return merge_refuse(merge, -EINVAL, node, "more than %d elements <%s> in one part",
				MERGE_TEXTS_MAX, node->name);
	}
	if (!texts)
		return 0;
	list = arena_array(&merge->arena, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	*texts = (struct loaded_texts){list, count};
	for (const struct report_node *node = first; node; node = report_read_next(node))
		*list++ = (struct loaded_text){report_read_attribute(node, attribute), node->whole};
	return 0;
}

static int check_numbers(struct merge *merge, const struct report_node *node, const struct field_record *record)
{
	for (const struct field *field = record ? record->fields : NULL; field && field->name; field++) {
		const struct report_node *child = field_is_numeric(field) && field->place == FIELD_NEED ?
			report_read_find(node, field->name) : NULL;
		uint64_t value;
		double number;
		int err = 0;

		if (child && field->type == FIELD_count)
			err = merge_read_u64(merge, child, &value);
		else if (child && report_read_double(node, field->name, &number))
			err = merge_refuse(merge, -EBADMSG, child, "<%.40s> is '%.40s': allowed are finite numbers", field->name,
				child->text);
		if (err)
			return err;
	}
	return 0;
}

static int read_clock(struct merge *merge, struct merge_part *part)
{
	const struct report_node *node = part->node, *wall = report_read_find(node, "wall_start");
	int err;

	part->wall_start = wall ? wall->text : "";
	part->has_clock = wall && report_read_find(node, "monotonic_start_ns");
	if (!part->has_clock)
		return 0;
	if (merge_read_wall(wall->text, &part->wall_ns))
		return merge_refuse(merge, -EBADMSG, wall,
			"<wall_start> is '%.40s': allowed are times from 1970 to 2149 as 2026-11-20T09:24:29.000000042Z",
			wall->text);
	err = merge_need_u64(merge, node, "monotonic_start_ns", &part->start_ns);
	if (!err)
		err = merge_need_u64(merge, node, "monotonic_end_ns", &part->end_ns);
	if (!err && (part->end_ns < part->start_ns || part->end_ns > MONOTONIC_MAX))
		err = merge_refuse(merge, -EBADMSG, node,
			"<monotonic_end_ns> is %llu: allowed is from <monotonic_start_ns>, %llu, to 2^60",
			(unsigned long long)part->end_ns, (unsigned long long)part->start_ns);
	return err;
}

static int read_part(struct merge *merge, struct merge_part *part, const struct field_record *record)
{
	static const char *const lists[][2] = {[MERGE_OPTIONS] = {"options/option", "name"},
		[MERGE_LABELS] = {"labels/label", "name"}, [MERGE_FACTS] = {"facts/fact", "name"},
		{"environment/check", "code"}, {"verdict/reason", "code"}, {"latency_histogram", "type"}};
	const struct report_node *node = part->node, *verdict = report_read_find(node, "verdict");
	int err;

	part->status = verdict ? report_read_attribute(verdict, "status") : NULL;
	if (!part->status || !loaded_is_status(part->status))
		return merge_refuse(merge, -EBADMSG, node,
			"<part> needs a <verdict> with status ok, interrupted or untrustworthy");
	part->file = report_read_text(node, "file");
	part->uuid = report_read_text(node, "uuid");
	part->boot_id = report_read_text(node, "host/boot_id");
	err = read_clock(merge, part);
	if (!err)
		err = check_numbers(merge, node, record);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && !err; i++)
		err = read_list(merge, node, lists[i][0], lists[i][1], i < MERGE_LISTS ? &part->lists[i] : NULL);
	if (!err && report_read_find(node, "threads"))
		err = merge_need_u64(merge, node, "threads", &part->threads);
	if (!err && part->threads > MERGE_ELEMENTS_MAX)
		err = merge_refuse(merge, -EBADMSG, node, "<threads> is %llu: allowed are %d",
			(unsigned long long)part->threads, MERGE_ELEMENTS_MAX);
	return err;
}

/* --- what goes together --- */

bool merge_is_shared(const struct merge *merge, enum merge_list list, const char *name)
{
	for (size_t i = 1; i < merge->parts.count; i++) {
		if (!loaded_texts_agree(&merge->parts.items[0].lists[list], &merge->parts.items[i].lists[list], name))
			return false;
	}
	return true;
}

/* Stores the names of a list in which a part differs from the first one, except options that do not decide what is measured.
 * Returns how many there are. */
static size_t differ(const struct merge *merge, const struct merge_part *part, enum merge_list list,
	const char *names[2 * MERGE_TEXTS_MAX])
{
	static const char *const undecided[] = {"interval", "label", "quiet", "seed"};
	size_t found = loaded_texts_differ(&merge->parts.items[0].lists[list], &part->lists[list], names, 0, 2 * MERGE_TEXTS_MAX);
	size_t count = 0;

	for (size_t i = 0; i < found; i++) {
		bool decides = true;

		for (size_t k = 0; k < sizeof(undecided) / sizeof(undecided[0]) && list == MERGE_OPTIONS; k++)
			decides &= strcmp(undecided[k], names[i]) != 0;
		names[count] = names[i];
		count += decides;
	}
	return count;
}

static const char *values_of(struct merge *merge, const struct merge_part *part, enum merge_list list, const char *name)
{
	const char *values = loaded_texts_join(&merge->arena, &part->lists[list], name, ", ");

	return values ? values : "";
}

static int check_part(struct merge *merge, size_t index)
{
	const struct merge_part *part = &merge->parts.items[index], *first = &merge->parts.items[0];
	const char *names[2 * MERGE_TEXTS_MAX], *text = "";
	size_t count = 0;

	if (!part->uuid[0])
		return merge_refuse(merge, -EBADMSG, NULL, "no <uuid>, which is needed to detect a run that is merged twice");
	for (size_t i = 0; i < index; i++) {
		const struct merge_part *other = &merge->parts.items[i];

		if (!strcmp(part->uuid, other->uuid))
			return merge_refuse(merge, -EEXIST, NULL,
				"the run %.40s is in %s already, and would count twice: leave one of them out",
						part->uuid, other->file);
	}
	if (index && !(merge->flags & MERGE_ALLOW_DIFFERENT))
		count = differ(merge, part, MERGE_OPTIONS, names);
	if (!count)
		return 0;
	for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
		text = arena_format(&merge->arena, "%s%s--%s is '%.24s', not '%.24s'", text, i ? "; " : "", names[i],
			values_of(merge, part, MERGE_OPTIONS, names[i]), values_of(merge, first, MERGE_OPTIONS, names[i]));
	return merge_refuse(merge, -EINVAL, NULL, "other options than in %s: %s%s: --allow-different merges them anyway",
		first->file, text, count > SHOWN_MAX ? "; ..." : "");
}

/* --- parts of an input --- */

static int add_part(struct merge *merge, const struct loaded *loaded, const struct report_node *node)
{
	struct merge_parts *parts = &merge->parts;
	struct merge_part *part;
	int err = 0;

	if (parts->count == MERGE_PARTS_MAX)
		return merge_refuse(merge, -EINVAL, NULL, "more than %d parts: merge fewer", MERGE_PARTS_MAX);
	if (!merge_grow(merge, &parts->items, parts->count, &parts->room, sizeof(*parts->items)))
		return -ENOMEM;
	part = &parts->items[parts->count];
	*part = (struct merge_part){.status = "ok"};
	if (node)
		part->node = report_keep(&merge->arena, node, &merge->elements);
	else
		err = make_part(loaded, &part->document);
	if (!err && part->document)
		part->node = report_read_root(part->document);
	if (err || !part->node)
		return err ? err : -ENOMEM;
	parts->count++;
	err = read_part(merge, part, field_at(report_read_root(loaded->document)->name, "report/parts/part"));
	return err ? err : check_part(merge, parts->count - 1);
}

/* What was left out once stays left out, for the reason it was. */
static int take_omissions(struct merge *merge, const struct report_node *parts)
{
	const struct report_node *node = report_read_find(parts, "omission");
	int err = read_list(merge, parts, "omission", "name", NULL);

	for (; node && !err; node = report_read_next(node))
		merge_omit(merge, arena_copy(&merge->arena, report_read_attribute(node, "name")),
			arena_copy(&merge->arena, node->text));
	return err;
}

static int sum_of_parts(struct merge *merge, size_t first, const char *name, uint64_t *sum)
{
	int err = 0;

	for (size_t i = first; i < merge->parts.count && !err; i++) {
		uint64_t more = 0;

		if (report_read_find(merge->parts.items[i].node, name))
			err = merge_need_u64(merge, merge->parts.items[i].node, name, &more);
		if (!err && __builtin_add_overflow(*sum, more, sum))
			err = merge_refuse(merge, -EOVERFLOW, NULL,
				"with this report the %s are more than 2^64-1 and cannot be added exactly", name);
	}
	return err;
}

int merge_add_parts(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");
	const struct report_node *parts = report_read_find(report, "parts");
	const struct report_node *node = parts ? report_read_find(parts, "part") : NULL;
	uint64_t threads = 0, accesses = 0, own_threads = count_threads(report_read_find(report, "result"));
	double own_accesses = loaded_value(loaded, "accesses");
	size_t first = merge->parts.count;
	int err = 0;

	if (!report_read_find(report, "signature"))
		return merge_refuse(merge, -EBADMSG, report, "<report> has no <signature>");
	if (!node)
		return add_part(merge, loaded, NULL);
	for (; node && !err; node = report_read_next(node))
		err = add_part(merge, loaded, node);
	if (!err)
		err = sum_of_parts(merge, first, "threads", &threads);
	if (!err)
		err = sum_of_parts(merge, first, "accesses", &accesses);
	if (!err && threads && (threads != own_threads || (double)accesses != own_accesses))
		err = merge_refuse(merge, -EBADMSG, parts,
			"the parts have %llu threads and %llu accesses, the <result> has %llu and %.0f",
					(unsigned long long)threads,
			(unsigned long long)accesses, (unsigned long long)own_threads, own_accesses);
	return err ? err : take_omissions(merge, parts);
}

/* --- numbers of all parts --- */

double merge_parts_time(const struct merge *merge, const char *name)
{
	const struct merge_window *window = &merge->window;
	double sum = 0, longest = 0;

	for (size_t i = 0; i < merge->parts.count; i++) {
		double own = report_read_number(merge->parts.items[i].node, name);

		sum += own;
		longest = fmax(longest, own);
	}
	if (isnan(sum))
		return NAN;
	return window->is_apart ? sum / window->sum_s * window->any_s : longest;
}

/* Side by side each adds to the rate. Otherwise it is the mean over the time in which any ran. */
double merge_parts_rate(const struct merge *merge, const char *name)
{
	const struct merge_window *window = &merge->window;
	long double sum = 0;

	for (size_t i = 0; i < merge->parts.count; i++) {
		const struct merge_part *part = &merge->parts.items[i];
		long double rate = report_read_number(part->node, name);
		long double seconds = (double)(part->end_ns - part->start_ns) / UNITS_NS_PER_SEC;

		sum += window->is_apart ? rate * seconds / window->any_s : rate;
	}
	return (double)sum;
}

/* --- writing --- */

static void write_part(struct merge *merge, struct report *report, size_t index, uint64_t first_thread)
{
	static const enum merge_list lists[] = {MERGE_OPTIONS, MERGE_FACTS};
	const struct merge_part *part = &merge->parts.items[index];
	const char *version = report_read_text(part->node, "tool_version"), *names[2 * MERGE_TEXTS_MAX];

	report_begin(report, "part");
	report_attribute_u64(report, "index", index);
	for (const struct report_node *node = part->node->child; node; node = node->next) {
		if (!strcmp(node->name, "threads"))
			report_u64(report, "first_thread", first_thread);
		if (strcmp(node->name, "first_thread") && strcmp(node->name, "difference"))
			report_copy(report, node, NULL, NULL);
	}
	if (strcmp(report_read_text(merge->parts.items[0].node, "tool_version"), version))
		FIELD_WRITE(report, "difference", named_text, (&(struct named_text_values){"tool_version", version}));
	for (size_t i = 0; i < 2; i++) {
		size_t count = differ(merge, part, lists[i], names);

		for (size_t k = 0; k < count; k++) {
			const struct named_text_values difference = {
				arena_format(&merge->arena, "%s%s", lists[i] == MERGE_OPTIONS ? "--" : "", names[k]),
				values_of(merge, part, lists[i], names[k])};

			FIELD_WRITE(report, "difference", named_text, &difference);
		}
	}
	report_end(report);
}

struct naming {
	size_t count;
	const char *names[NAMED_MAX + 1];
};

static void name_once(struct naming *naming, const char *name)
{
	for (size_t i = 0; i < naming->count; i++) {
		if (!strcmp(naming->names[i], name))
			return;
	}
	if (naming->count <= NAMED_MAX)
		naming->names[naming->count++] = name;
}

static void remark(struct merge *merge)
{
	static const char kind[] = "histogram ";
	const struct merge_window *window = &merge->window;
	const struct merge_parts *parts = &merge->parts;
	const char *version = report_read_text(parts->items[0].node, "tool_version"), *text = "";
	struct naming naming = {0};
	struct arena *arena = &merge->arena;
	size_t count = 0;

	if (window->is_apart)
		merge_remark(merge, arena_format(arena, "the parts ran all together for %.3g %% of the time, less than %d %%: "
			"rates are means over the time in which any ran, not sums", window->overlap_percent,
			MERGE_TOGETHER_PERCENT));
	for (size_t i = 1; i < parts->count; i++) {
		const char *names[2 * MERGE_TEXTS_MAX];
		size_t options = differ(merge, &parts->items[i], MERGE_OPTIONS, names), facts;

		if (strcmp(version, report_read_text(parts->items[i].node, "tool_version")))
			name_once(&naming, "tool_version");
		for (size_t k = 0; k < options; k++)
			name_once(&naming, arena_format(arena, "--%s", names[k]));
		facts = differ(merge, &parts->items[i], MERGE_FACTS, names);
		for (size_t k = 0; k < facts; k++)
			name_once(&naming, names[k]);
	}
	for (size_t i = 0; i < naming.count; i++)
		text = arena_format(arena, "%s%s%s", text, i ? ", " : "", i < NAMED_MAX ? naming.names[i] : "...");
	if (naming.count)
		merge_remark(merge, arena_format(arena, "the parts differ in %s: see <difference> of each <part>", text));
	text = "";
	for (size_t i = 0; i < merge->omission_count; i++) {
		const char *name = merge->omissions[i].name;

		if (strncmp(name, kind, sizeof(kind) - 1))
			continue;
		if (count < NAMED_MAX)
			text = arena_format(arena, "%s%s%s", text, count ? ", " : "", name + sizeof(kind) - 1);
		count++;
	}
	if (count)
		merge_remark(merge, arena_format(arena, "left out, for not all files have them: histograms %s%s", text,
					    count > NAMED_MAX ? ", ..." : ""));
}

void merge_write_parts(struct merge *merge, struct report *report)
{
	uint64_t first_thread = 1;

	report_begin(report, "parts");
	report_text(report, "merged_by", "memstor " PACKAGE_VERSION);
	if (merge->window.is_known)
		report_double(report, "overlap_percent", merge->window.overlap_percent);
	for (size_t i = 0; i < merge->parts.count; i++) {
		write_part(merge, report, i, first_thread);
		first_thread += merge->parts.items[i].threads;
	}
	for (size_t i = 0; i < merge->omission_count; i++)
		FIELD_WRITE(report, "omission", named_text, &merge->omissions[i]);
	report_end(report);
	remark(merge);
}
