/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace report: the contents of a recording, and its samples by mapping or thread. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/diag.h"
#include "common/base/json.h"
#include "common/base/units.h"
#include "common/cli/table.h"
#include "memtrace/active/returns.h"
#include "memtrace/commands.h"
#include "memtrace/file/losses.h"
#include "memtrace/file/trace_file.h"
#include "memtrace/names/callsites.h"
#include "memtrace/names/epochs.h"
#include "memtrace/names/regions.h"
#include "memtrace/perf/cost.h"

struct report_options {
	struct table_output output; /* the first: TABLE_OPTIONS */
	const char *path;
	unsigned by;
};

enum by { BY_MAPPING, BY_THREAD };
static const char *const by_names[] = {"mapping", "thread", NULL};
static const char *const by_headings[] = {"process", "thread"};

#define FIELD(NAME) offsetof(struct report_options, NAME)

static const struct opt rows[] = {
	{"by", 'b', "mapping|thread", OPT_CHOICE, .offset = FIELD(by), .choices = by_names, .preset = "mapping",
		.help = "count samples for each mapping (file, [heap], [stack], //anon) or each thread"},
	TABLE_OPTIONS("`samples`, `percent`, `loads`, `stores` (an\nupdate is both), `minor`, `major`, `pages` (touched for the "
		      "first time),\n`id` (of the process or thread), `name`"),
	{0},
};

/* A named mapping in a process, or a thread. */
struct group {
	const char *name; /* owned by the regions */
	uint64_t id;      /* the process, or the thread */
	uint64_t kinds[TRACE_KINDS], loads, stores, samples, pages; /* an update is a load and a store */
	double percent;
};

struct owner { /* of samples */
	struct group *group; /* NULL: none */
	uint32_t pid;
	enum region_kind kind;
	bool is_own; /* memtrace's own, left out */
};

/* The owner of all samples of a thread, in an epoch, at addresses from begin to before end. */
struct known_owner {
	uint64_t epoch, begin, end;
	uint32_t tid;
	struct owner owner;
};

#define KNOWN 128

struct recording_summary {
	struct epochs epochs;
	struct epoch epoch;
	struct known_owner known[KNOWN];
	void *tree;            /* of groups, by identity and name (tsearch) */
	struct group **groups;
	size_t count, capacity;
	uint64_t *pages; /* keys of touched pages (page_key), a hash table; 0 = free */
	size_t page_count, page_size, page_most;
	uint64_t samples, in[REGION_KINDS], losses[TRACE_LOSSES], recovered[TRACE_RECOVERIES], first_ns, last_ns;
	struct cost costs[TRACE_COSTS];
	uint64_t recorded_ns; /* time that the costs refer to */
	unsigned page_shift;
	bool is_complete, is_full;
	int status; /* of the command, when complete */
	uint64_t outs, stayed; /* see returns_left() */
	bool is_drawn; /* pages were drawn uniformly: the numbers of samples are no shares of accesses */
};

#define BATCH 64 /* samples */
#define PAGES_FREE (1u << 20) /* pages that any recording may have, */
#define PAGES_EACH 16         /* and more for each byte of the file: a compressed sample takes at least two */

static uint64_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdull;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53ull;
	return value ^ value >> 33;
}

static uint64_t *page_slot(uint64_t *pages, size_t size, uint64_t key)
{
	size_t at = mix(key) & (size - 1);

	while (pages[at] && pages[at] != key)
		at = (at + 1) & (size - 1);
	return &pages[at];
}

/* The key is not 0 and differs for each page: process numbers are below 2^22, addresses of programs below 2^53. */
static uint64_t page_key(const struct recording_summary *summary, uint32_t pid, uint64_t address)
{
	return 1ull << 63 | (uint64_t)pid << 41 | (address >> summary->page_shift & ((1ull << 41) - 1));
}

/* Returns 1 = new, 0 = known, -ENOMEM, or -E2BIG: more pages than a recording of this size can have. */
static int add_page(struct recording_summary *summary, uint32_t pid, uint64_t address)
{
	uint64_t key = page_key(summary, pid, address), *slot;

	if (2 * summary->page_count >= summary->page_size) {
		size_t size = summary->page_size ? 2 * summary->page_size : 1 << 12;
		uint64_t *pages = calloc(size, sizeof(*pages));

		if (!pages)
			return -ENOMEM;
		for (size_t i = 0; i < summary->page_size; i++) {
			if (summary->pages[i])
				*page_slot(pages, size, summary->pages[i]) = summary->pages[i];
		}
		free(summary->pages);
		summary->pages = pages;
		summary->page_size = size;
	}
	slot = page_slot(summary->pages, summary->page_size, key);
	if (*slot)
		return 0;
	if (summary->page_count == summary->page_most)
		return -E2BIG;
	*slot = key;
	summary->page_count++;
	return 1;
}

static int compare_identities(const void *a, const void *b)
{
	const struct group *one = a, *other = b;

	if (one->id != other->id)
		return one->id < other->id ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* NULL: no memory. */
static struct group *find_group(struct recording_summary *summary, const char *name, uint64_t id)
{
	struct group wanted = {.name = name, .id = id}, *const *known = tfind(&wanted, &summary->tree, compare_identities), *new;

	if (known)
		return *known;
	if (arena_grow(&summary->groups, &summary->capacity, summary->count, sizeof(struct group *)))
		return NULL;
	new = malloc(sizeof(*new));
	if (!new)
		return NULL;
	*new = wanted;
	if (!tsearch(new, &summary->tree, compare_identities)) {
		free(new);
		return NULL;
	}
	summary->groups[summary->count++] = new;
	return new;
}

static int find_owner(struct recording_summary *summary, const struct regions *regions, const struct trace_sample *sample,
	enum by by, struct owner *owner)
{
	struct known_owner *known = &summary->known[(sample->address >> 24 ^ sample->tid * 37u) % KNOWN];
	struct region_span span;
	struct region_name found;
	uint32_t pid;

	if (!epoch_holds(&summary->epoch, sample->time_ns))
		summary->epoch = epochs_find(&summary->epochs, sample->time_ns);
	if (known->owner.group && known->epoch == summary->epoch.from && known->tid == sample->tid &&
		sample->address >= known->begin && sample->address < known->end) {
		*owner = known->owner;
		return 0;
	}
	pid = regions_process(regions, sample->tid, sample->time_ns);
	found = regions_name(regions, pid, sample->address, sample->time_ns, &span);
	*owner = (struct owner){NULL, pid, found.kind, region_is_own(&found)};
	if (owner->is_own)
		return 0;
	owner->group = by == BY_THREAD
		? find_group(summary, regions_thread_name(regions, sample->tid, sample->time_ns), sample->tid)
		: find_group(summary, found.text, pid);
	if (!owner->group)
		return -ENOMEM;
	*known = (struct known_owner){summary->epoch.from, span.begin, span.end, sample->tid, *owner};
	return 0;
}

static int take_sample(struct recording_summary *summary, const struct trace_sample *sample, const struct owner *owner)
{
	struct group *group = owner->group;
	int is_new;

	if (owner->is_own) {
		summary->losses[TRACE_OWN]++;
		return 0;
	}
	is_new = add_page(summary, owner->pid, sample->address);
	if (is_new < 0)
		return is_new;
	group->samples++;
	group->kinds[sample->kind]++;
	group->loads += trace_is_load(sample->kind);
	group->stores += trace_is_store(sample->kind);
	group->pages += (uint64_t)is_new;
	if (!summary->samples || sample->time_ns < summary->first_ns)
		summary->first_ns = sample->time_ns;
	if (sample->time_ns > summary->last_ns)
		summary->last_ns = sample->time_ns;
	summary->samples++;
	summary->in[owner->kind]++;
	return 0;
}

/* Prefetches the slots of all pages before the first one is read, because random pages are in no cache. */
static int take_batch(struct recording_summary *summary, const struct regions *regions, const struct trace_sample *batch,
	size_t count, enum by by)
{
	struct owner owners[BATCH];
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		err = find_owner(summary, regions, &batch[i], by, &owners[i]);
		if (!err && summary->page_size)
			__builtin_prefetch(&summary->pages[mix(page_key(summary, owners[i].pid, batch[i].address)) &
				(summary->page_size - 1)], 1);
	}
	for (size_t i = 0; i < count && !err; i++)
		err = take_sample(summary, &batch[i], &owners[i]);
	return err;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *one = *(const struct group *const *)a, *other = *(const struct group *const *)b;

	if (one->samples != other->samples)
		return one->samples > other->samples ? -1 : 1;
	return compare_identities(one, other);
}

static int compare_drawn(const void *a, const void *b)
{
	return compare_identities(*(const struct group *const *)a, *(const struct group *const *)b);
}

static int summarize(struct trace_reader *reader, struct regions *regions, enum by by, struct recording_summary *summary)
{
	struct trace_sample batch[BATCH];
	struct trace_event event;
	enum trace_item item;
	const char *date = trace_header(reader, "anchor_realtime_ns");
	uint64_t recorded_ns = 0, faults = 0;
	size_t count = 0;
	int err = 0, broken;

	while (!err && trace_next_event(reader, &event)) {
		if (event.type == TRACE_LOST && event.value[1] < TRACE_LOSSES)
			summary->losses[event.value[1]] += event.value[0];
		if (event.type == TRACE_RECOVERED && event.value[1] < TRACE_RECOVERIES)
			summary->recovered[event.value[1]] += event.value[0];
		if (event.type == TRACE_COST && event.value[2] < TRACE_COSTS) {
			summary->costs[event.value[2]] = (struct cost){event.value[0], event.value[1], true};
			summary->recorded_ns = event.value[3];
		}
		if (event.type == TRACE_END) {
			summary->is_complete = !event.value[1];
			summary->is_full = event.value[1];
			summary->status = (int)event.value[0];
		}
		err = epochs_add(&summary->epochs, event.time_ns);
		if (!err)
			err = regions_add(regions, &event);
	}
	(void)trace_unread_bytes(reader, &broken);
	if (!err && broken == -EOVERFLOW)
		err = broken;
	epochs_sort(&summary->epochs);
	summary->epoch = (struct epoch){1, 0};
	if (!err)
		err = regions_sort(regions);
	if (!err)
		err = callsites_name(regions, date && !units_parse_u64(date, 0, UINT64_MAX, &recorded_ns) ? recorded_ns : 0);
	trace_rewind(reader);
	while (!err && (item = trace_next(reader, &batch[count], &event)) != TRACE_ITEM_NONE) {
		if (item == TRACE_ITEM_SAMPLE && batch[count].kind == TRACE_OUT) {
			summary->outs++;
			summary->stayed += batch[count].weight & 1;
		} else if (item == TRACE_ITEM_SAMPLE && ++count == BATCH) {
			err = take_batch(summary, regions, batch, count, by);
			count = 0;
		}
	}
	if (!err)
		err = take_batch(summary, regions, batch, count, by);
	/* Blocks of samples, which the first pass skipped, may be broken. */
	if (trace_unread_bytes(reader, &broken) || broken)
		summary->is_complete = false;
	if (summary->count)
		qsort(summary->groups, summary->count, sizeof(*summary->groups),
			summary->is_drawn ? compare_drawn : compare_groups);
	for (size_t i = 0; i < summary->count; i++) {
		faults += summary->groups[i]->kinds[TRACE_MINOR_FAULT] + summary->groups[i]->kinds[TRACE_MAJOR_FAULT];
		summary->groups[i]->percent = summary->is_drawn ? NAN
			: 100.0 * (double)summary->groups[i]->samples / (double)summary->samples;
	}
	summary->outs = returns_left(summary->outs, summary->stayed, faults);
	return err;
}

/* --- printing --- */

static void show_percent(const void *row, char *text, size_t length)
{
	double percent = ((const struct group *)row)->percent;

	snprintf(text, length, isnan(percent) ? "-" : "%.2f", percent);
}

#define GROUP(NAME) offsetof(struct group, NAME)
#define COLUMN_ID 7
static const struct table_column columns[] = {
	{"samples", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(samples)},
	{"percent", TABLE_NUMBER, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT | TABLE_SPARE, .offset = GROUP(percent),
		.show = show_percent, .heading = "%"},
	{"loads", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(loads)},
	{"stores", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(stores)},
	{"minor", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(kinds[TRACE_MINOR_FAULT])},
	{"major", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(kinds[TRACE_MAJOR_FAULT])},
	{"pages", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(pages), .heading = "new pages"},
	{"id", TABLE_WHOLE, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, .offset = GROUP(id)},
	{"name", TABLE_STRING, TABLE_SHOWN | TABLE_JSON | TABLE_WRAP, .offset = GROUP(name)},
	{0},
};

static const char *header(const struct trace_reader *reader, const char *name)
{
	const char *value = trace_header(reader, name);

	return value ? value : "unknown";
}

static double percent_in(const struct recording_summary *summary, enum region_kind kind)
{
	return 100.0 * (double)summary->in[kind] / (double)summary->samples;
}

static void print_head(const struct trace_reader *reader, const struct recording_summary *summary)
{
	char span[UNITS_TEXT], text[LOSSES_TEXT], phrase[COST_TEXT];
	bool is_known = false;
	int status = summary->status;

	printf("command   %s\n", header(reader, "command"));
	printf("engine    %s (%s)\n", header(reader, "engine"), header(reader, "engine_reason"));
	printf("records   %s; in mode: %s\n", header(reader, "engine_sees"), header(reader, "privilege"));
	printf("misses    %s\n", header(reader, "engine_misses"));
	if (trace_header(reader, "frequency_hz"))
		printf("period    %s per second\n", header(reader, "frequency_hz"));
	else if (trace_header(reader, "period"))
		printf("period    %s %s\n", header(reader, "period"), header(reader, "period_unit"));
	if (trace_header(reader, "paged_out_per_second"))
		printf("refault   %s pages per second, %llu paged out, drawn uniformly: samples of a mapping are no share of "
		       "the accesses\n", header(reader, "paged_out_per_second"), (unsigned long long)summary->outs);
	if (trace_header(reader, "bursts_per_second"))
		printf("bursts    %s per second, of %s instructions\n", header(reader, "bursts_per_second"),
			header(reader, "burst_instructions"));
	printf("samples   %llu in %s, %llu distinct pages\n", (unsigned long long)summary->samples,
		units_format_duration((double)(summary->last_ns - summary->first_ns), span, sizeof(span)),
		(unsigned long long)summary->page_count);
	if (summary->samples)
		printf("named     %.2f %% of the samples: %.2f %% in objects, %.2f %% in allocations, %.2f %% in other mappings\n",
			100 - percent_in(summary, REGION_NONE), percent_in(summary, REGION_OBJECT),
			percent_in(summary, REGION_ALLOCATION), percent_in(summary, REGION_MAPPING));
	for (unsigned i = 0; i < TRACE_COSTS; i++) {
		if (summary->costs[i].is_known)
			printf("cost      %s\n", cost_phrase(i, &summary->costs[i], summary->recorded_ns, phrase));
		is_known |= summary->costs[i].is_known;
	}
	if (!is_known && trace_header(reader, "engine_cost"))
		printf("cost      unknown: %s\n", trace_header(reader, "engine_cost"));
	if (trace_header(reader, "overhead_percent"))
		printf("bounded   to %s %% of the program's time\n", trace_header(reader, "overhead_percent"));
	for (unsigned i = 0; i < TRACE_RECOVERIES; i++) {
		if (summary->recovered[i])
			printf("recovered %llu whose base register was overwritten, %s, %.2g %%\n",
				(unsigned long long)summary->recovered[i], trace_recovery_name(i),
				100 * (double)summary->recovered[i] / (double)summary->samples);
	}
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		if (summary->losses[i])
			printf("missing   %llu %s\n", (unsigned long long)summary->losses[i],
				losses_phrase(summary->losses, summary->samples, i, text));
	}
	if (summary->is_full)
		printf("end       at --max-size: the recording lacks what followed\n");
	else if (!summary->is_complete)
		printf("end       the recording was cut off\n");
	else if (WIFSIGNALED(status))
		printf("end       signal %d\n", WTERMSIG(status));
	else
		printf("end       exit status %d\n", WEXITSTATUS(status));
	putchar('\n');
}

static void print_json_result(const struct trace_reader *reader, const struct recording_summary *summary, const struct table *table)
{
	struct json json = {.out = stdout};

	json_begin(&json, NULL, '{');
	json_text(&json, "engine", header(reader, "engine"));
	json_text(&json, "period", header(reader, "period"));
	json_text(&json, "period_unit", header(reader, "period_unit"));
	json_whole(&json, "samples", summary->samples);
	json_whole(&json, "named", summary->samples - summary->in[REGION_NONE]);
	json_whole(&json, "in_objects", summary->in[REGION_OBJECT]);
	json_whole(&json, "in_allocations", summary->in[REGION_ALLOCATION]);
	json_whole(&json, "distinct_pages", summary->page_count);
	json_begin(&json, "missing", '{');
	for (unsigned i = 0; i < TRACE_LOSSES; i++)
		json_whole(&json, trace_loss_name(i), summary->losses[i]);
	json_end(&json, '}');
	json_begin(&json, "cost", '{');
	for (unsigned i = 0; i < TRACE_COSTS; i++) {
		json_begin(&json, trace_cost_name(i), '{');
		json_whole(&json, "count", summary->costs[i].count);
		json_whole(&json, "ns", summary->costs[i].ns);
		json_end(&json, '}');
	}
	json_whole(&json, "recorded_ns", summary->recorded_ns);
	json_end(&json, '}');
	json_begin(&json, "recovered", '{');
	for (unsigned i = 0; i < TRACE_RECOVERIES; i++)
		json_whole(&json, trace_recovery_name(i), summary->recovered[i]);
	json_end(&json, '}');
	json_truth(&json, "is_complete", summary->is_complete);
	table_print_json(table, "groups", &json);
	json_end(&json, '}');
}

/* Returns an exit code, after one line when it is not 0. */
static int print(const struct trace_reader *reader, const struct recording_summary *summary, const struct report_options *options)
{
	struct table table = {.columns = columns, .headings = {[COLUMN_ID] = by_headings[options->by]}};
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < summary->count && !code; i++) {
		if (table_add(&table, summary->groups[i], NULL)) {
			diag_error(-ENOMEM, "%s", options->path);
			code = DIAG_EXIT_HOST;
		}
	}
	if (!code && options->output.is_json && !options->output.columns) {
		print_json_result(reader, summary, &table);
	} else if (!code) {
		if (!options->output.columns)
			print_head(reader, summary);
		code = table_show(&table, &options->output);
	}
	table_free(&table);
	return code;
}

static int take(void *options, const char *text, bool is_behind)
{
	struct report_options *report = options;

	(void)is_behind;
	if (report->path) {
		diag_error(0, "report: one recording at a time; %s is a second", text);
		return DIAG_EXIT_USAGE;
	}
	report->path = text;
	return 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct report_options options = {0};
	struct opt_line line;
	struct trace_reader *reader = NULL;
	struct regions *regions = NULL;
	struct recording_summary summary = {0};
	struct losses_reason reasons[LOSSES_REASONS];
	uint64_t unread, page_bytes;
	size_t count;
	int err, printed, code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code && !options.path)
		code = (diag_error(0, "report: the name of a recording is missing"), DIAG_EXIT_USAGE);
	if (code)
		goto out;
	code = DIAG_EXIT_USAGE;
	err = trace_reader_open(options.path, &reader);
	if (err) {
		diag_error(0, "%s: %s", options.path, trace_reader_error(err));
		goto out;
	}
	summary.is_drawn = trace_header(reader, "paged_out_per_second") != NULL;
	if (summary.is_drawn && options.output.columns && strstr(options.output.columns, "percent")) {
		code = opt_refuse(&line, "columns",
			"percent is not of accesses: pages were drawn uniformly; see memtrace analyze count");
		goto out;
	}
	/* The recording has the page size of its machine. */
	if (units_parse_u64(header(reader, "page_bytes"), 1, UINT32_MAX, &page_bytes))
		page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	summary.page_shift = (unsigned)__builtin_ctzll(page_bytes);
	summary.page_most = PAGES_FREE + PAGES_EACH * trace_reader_bytes(reader);
	err = regions_new(&regions);
	if (!err)
		err = summarize(reader, regions, options.by, &summary);
	if (err) {
		diag_error(0, "%s: %s", options.path, err == -E2BIG ? "its samples unpack to more pages than a recorder meets"
			: trace_reader_error(err));
		goto out;
	}
	count = losses_reasons(summary.losses, summary.samples, reasons);
	for (size_t i = 0; i < count; i++)
		diag_warn("%s: %s", options.path, reasons[i].text);
	code = summary.is_complete && !count ? DIAG_EXIT_OK : DIAG_EXIT_UNTRUSTED;
	unread = trace_unread_bytes(reader, &err);
	if (unread || err)
		diag_warn("%s: the last %llu bytes cannot be read (%s)", options.path, (unsigned long long)unread,
			err ? strerror(-err) : "cut off");
	printed = print(reader, &summary, &options);
	code = printed ? printed : code;
out:
	free(summary.epochs.changes);
	tdestroy(summary.tree, free);
	free(summary.groups);
	free(summary.pages);
	regions_free(regions);
	trace_reader_close(reader);
	opt_free(&line);
	return code;
}

const struct command memtrace_report = {
	.program = &memtrace_program,
	.name = "report",
	.arguments = "FILE",
	.summary = "count the samples of a recording by mapping or thread",
	.doc = "Print what a recording contains: its engine, samples, losses, and the samples of each mapping or thread.",
	.examples = "  memtrace report sort.mtr\n",
	.notes = "The exit status is 4 when the recording was cut off.",
	.options = rows,
	.take = take,
	.run = run,
};
