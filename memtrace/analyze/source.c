/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/analyze/source.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/diag.h"
#include "common/base/units.h"
#include "memtrace/file/search.h"
#include "memtrace/names/callsites.h"
#include "memtrace/names/epochs.h"
#include "memtrace/names/regions.h"
#include "memtrace/perf/engine.h"

#define ADDRESS_BITS 48
#define PROCESSES_MAX 65534
#define SPANS 256   /* cached */
#define THREADS 256 /* cached as well */

struct source_span { /* the name of all addresses from begin to before end, in a process and an epoch */
	uint64_t begin, end, epoch, object; /* object: begin of its range or object, 0: none */
	uint32_t process, name; /* process 0: empty */
	bool is_wanted, is_own;
};

struct thread { /* in an epoch */
	uint64_t epoch;
	uint32_t tid, process; /* process: its number, 0: empty */
	bool is_wanted;
};

struct phase { /* [from, to) */
	uint64_t from, to;
	bool is_wanted;
};

struct source_private {
	struct source source;
	const struct selection *selection;
	struct trace_reader *reader;
	struct regions *regions;
	struct arena texts;
	uint64_t own, recorded_own; /* samples in memory that memtrace maps: in this pass; left out by the recorder */
	uint64_t begin_ns, recorded_ns; /* recorded_ns: CLOCK_REALTIME, 0 = unknown */
	struct epochs epochs;
	size_t phase_count, phase_capacity, name_capacity, process_capacity;
	struct phase *phases;
	uint32_t *index; /* of names by hash; 0 = none, otherwise the index + 1 */
	size_t index_size;
	struct epoch epoch;
	struct source_span spans[SPANS], last;
	struct thread threads[THREADS];
	struct buckets numbers; /* of processes; extra: the number */
};

uint64_t source_address(uint64_t place)
{
	uint64_t address = place & ((1ull << ADDRESS_BITS) - 1);

	/* The upper half of the addresses is the kernel's. */
	return address >> (ADDRESS_BITS - 1) ? address | ~0ull << ADDRESS_BITS : address;
}

/* --- names --- */

static size_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return (size_t)(hash ^ hash >> 32);
}

static int grow_index(struct source_private *private)
{
	const struct source *source = &private->source;
	size_t size = private->index_size ? 2 * private->index_size : 256;
	uint32_t *index = calloc(size, sizeof(*index));

	if (!index)
		return -ENOMEM;
	for (size_t i = 0; i < source->name_count; i++) {
		size_t at = hash_of(source->names[i].text) & (size - 1);

		while (index[at])
			at = (at + 1) & (size - 1);
		index[at] = (uint32_t)i + 1;
	}
	free(private->index);
	private->index = index;
	private->index_size = size;
	return 0;
}

/* Equal texts of two kinds are two names. */
static int find_name(struct source_private *private, const struct region_name *found, uint32_t *name)
{
	struct source *source = &private->source;
	size_t at;

	if (2 * source->name_count >= private->index_size && grow_index(private))
		return -ENOMEM;
	for (at = hash_of(found->text) & (private->index_size - 1); private->index[at]; at = (at + 1) & (private->index_size - 1)) {
		*name = private->index[at] - 1;
		if (source->names[*name].kind == found->kind && !strcmp(source->names[*name].text, found->text)) {
			/* If objects at several places have the name, addresses have no element. */
			if (source->names[*name].begin != found->begin || source->names[*name].element != found->element)
				source->names[*name].element = 0;
			return 0;
		}
	}
	if (arena_grow(&source->names, &private->name_capacity, source->name_count, sizeof(*source->names)))
		return -ENOMEM;
	*name = (uint32_t)source->name_count;
	source->names[source->name_count++] = (struct source_name){.text = found->text, .kind = found->kind,
		.begin = found->begin, .element = found->element};
	private->index[at] = *name + 1;
	return 0;
}

uint64_t source_samples(const struct source *source, const char *text, enum region_kind kind)
{
	const struct source_private *private = source->private;
	const struct source_name *names = source->names;
	size_t ranges = kind == REGION_RANGE ? 1 + private->selection->range_count : 0, mask = private->index_size - 1;

	/* The few ranges are not in the index. */
	for (size_t i = 1; i < ranges; i++) {
		if (!strcmp(names[i].text, text))
			return names[i].samples;
	}
	for (size_t at = hash_of(text) & mask; private->index[at] && !ranges; at = (at + 1) & mask) {
		const struct source_name *name = &names[private->index[at] - 1];

		if (name->kind == kind && !strcmp(name->text, text))
			return name->samples;
	}
	return 0;
}

static int add_ranges(struct source_private *private)
{
	const struct selection *selection = private->selection;
	struct source *source = &private->source;
	uint32_t name;
	int err = find_name(private, &(struct region_name){.text = "unknown"}, &name);

	for (size_t i = 0; i < selection->range_count && !err; i++) {
		const struct named_range *range = &selection->ranges[i];
		const char *text = arena_text(&private->texts, range->name, range->length);

		if (!text || arena_grow(&source->names, &private->name_capacity, source->name_count, sizeof(*source->names)))
			return -ENOMEM;
		source->names[source->name_count++] = (struct source_name){.text = text, .kind = REGION_RANGE,
			.begin = range->begin, .element = range->element};
	}
	return err;
}

static bool matches(const char *const *patterns, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(patterns[i], text) || !fnmatch(patterns[i], text, 0))
			return true;
	}
	return !count;
}

/* --- events --- */

static int take_event(struct source_private *private, const struct trace_event *event)
{
	struct source *source = &private->source;
	int err = 0;

	switch (event->type) {
	case TRACE_LOST:
		if (event->value[1] < TRACE_LOSSES)
			source->losses[event->value[1]] += event->value[0];
		return 0;
	case TRACE_RECOVERED:
		if (event->value[1] < TRACE_RECOVERIES)
			source->recovered[event->value[1]] += event->value[0];
		return 0;
	case TRACE_END:
		source->is_complete = !event->value[1];
		return 0;
	case TRACE_MARK:
		if (arena_grow(&private->phases, &private->phase_capacity, private->phase_count, sizeof(*private->phases)))
			return -ENOMEM;
		private->phases[private->phase_count++] = (struct phase){event->time_ns, UINT64_MAX,
			private->selection->phase && matches(&private->selection->phase, 1, event->text)};
		return 0;
	case TRACE_MAP: case TRACE_COMM: case TRACE_FORK: case TRACE_NAME: case TRACE_FORGET:
		err = epochs_add(&private->epochs, event->time_ns);
		return err ? err : regions_add(private->regions, event);
	default:
		return 0;
	}
}

static int compare_phases(const void *a, const void *b)
{
	const struct phase *one = a, *other = b;

	return (one->from > other->from) - (one->from < other->from);
}

static int read_events(struct source_private *private)
{
	struct trace_event event;
	uint64_t passed_ns, first = UINT64_MAX;
	int err = 0, unread;

	while (!err && trace_next_event(private->reader, &event)) {
		/* Losses and the end have no time. */
		if (event.time_ns && event.time_ns < first)
			first = event.time_ns;
		err = take_event(private, &event);
	}
	(void)trace_unread_bytes(private->reader, &unread);
	if (err || unread == -EOVERFLOW)
		return err ? err : unread;
	if (trace_passed(private->reader, &passed_ns) && passed_ns < first)
		first = passed_ns;
	private->recorded_own = private->source.losses[TRACE_OWN];
	private->begin_ns = first == UINT64_MAX ? 0 : first;
	epochs_sort(&private->epochs);
	if (private->phase_count)
		qsort(private->phases, private->phase_count, sizeof(*private->phases), compare_phases);
	for (size_t i = 0; i + 1 < private->phase_count; i++)
		private->phases[i].to = private->phases[i + 1].from;
	err = regions_sort(private->regions);
	return err ? err : callsites_name(private->regions, private->recorded_ns);
}

static void read_header(struct source_private *private)
{
	struct source *source = &private->source;
	const char *engine = trace_header(private->reader, "engine"), *command = trace_header(private->reader, "command");
	const char *period = trace_header(private->reader, "period"), *unit = trace_header(private->reader, "period_unit");

	const char *date = trace_header(private->reader, "anchor_realtime_ns");
	const char *bursts = trace_header(private->reader, "bursts_per_second"), *steps;

	if (!date || units_parse_u64(date, 0, UINT64_MAX, &private->recorded_ns))
		private->recorded_ns = 0;
	source->engine = engine ? engine : "unknown";
	source->command = command ? command : "unknown";
	if (!period || (unit && !strcmp(unit, ENGINE_UNIT_TIME)) || units_parse_double(period, 1e-9, 1e18, &source->period))
		source->period = NAN;
	/* The engine page-faults records each fault, but faults are no successive accesses. */
	source->is_every_access = source->period == 1 && strcmp(source->engine, "page-faults") != 0;
	source->has_returns = trace_header(private->reader, "paged_out_per_second") != NULL;
	source->is_successive = source->is_every_access || (bursts && !source->has_returns);
	steps = trace_header(private->reader, "burst_instructions");
	source->is_bursts = bursts != NULL;
	/* Bursts have not sampled the accesses of drawn pages. */
	source->takes_no_faults = source->has_returns && source->is_bursts;
	/* If asprintf fails the rates are not compared. */
	if (isnan(source->period) && !source->has_returns && (period || bursts) &&
		asprintf(&source->rate, "%s %s %s", source->engine, period ? period : bursts, steps ? steps : "") < 0)
		source->rate = NULL;
}

int source_open(const char *path, const struct selection *selection, struct source **source)
{
	struct source_private *private = calloc(1, sizeof(*private));
	int err = private ? trace_reader_open(path, &private->reader) : -ENOMEM;

	if (!err) {
		private->source.path = path;
		private->source.private = private;
		private->selection = selection;
		err = regions_new(&private->regions);
	}
	if (!err) {
		read_header(private);
		err = add_ranges(private);
	}
	if (!err)
		err = read_events(private);
	if (!err && selection->phase) {
		bool is_there = false;

		for (size_t i = 0; i < private->phase_count; i++)
			is_there |= private->phases[i].is_wanted;
		if (!is_there) {
			diag_error(0, "--phase %s: %s has no such mark", selection->phase, path);
			source_free(&private->source);
			return DIAG_EXIT_USAGE;
		}
	}
	if (err) {
		if (private && private->reader)
			source_free(&private->source);
		else
			free(private);
		diag_error(0, "%s: %s", path, trace_reader_error(err));
		return err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
	}
	*source = &private->source;
	return DIAG_EXIT_OK;
}

void source_free(struct source *source)
{
	struct source_private *private = source ? source->private : NULL;

	if (!private)
		return;
	trace_reader_close(private->reader);
	regions_free(private->regions);
	arena_free(&private->texts);
	free(private->epochs.changes);
	free(private->phases);
	free(private->index);
	buckets_free(&private->numbers);
	free(source->names);
	free(source->processes);
	free(source->rate);
	free(private);
}

/* --- samples --- */

static bool is_selected(const void *data, const char *name)
{
	const struct selection *selection = data;

	return matches(selection->regions, selection->region_count, name);
}

uint64_t source_size(const struct source *source)
{
	const struct selection *selection = source->private->selection;
	size_t processes = source->process_count ? source->process_count : 1;
	struct regions_size size;
	uint64_t ranges = 0;

	for (size_t i = 0; i < selection->range_count && selection->region_count; i++) {
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)selection->ranges[i].length, selection->ranges[i].name);
		if (is_selected(selection, name))
			ranges += selection->ranges[i].end - selection->ranges[i].begin;
	}
	if (regions_size(source->private->regions, is_selected, selection, &size))
		return 0;
	/* A forked process has its parent's mappings without events. */
	if (size.processes && processes > size.processes)
		size.all += (processes - size.processes) * size.most;
	return size.all + ranges * processes;
}

static int number_process(struct source_private *private, uint32_t pid, uint32_t *number)
{
	struct source *source = &private->source;

	uint64_t key = (uint64_t)pid + 1;
	struct bucket *known;
	int err;

	if (source->process_count && private->selection->is_by_address) {
		*number = 1;
		return 0;
	}
	err = buckets_add(&private->numbers, &key, 1, &known);
	if (err || known->extra != BUCKETS_NEW) {
		*number = err ? 0 : known->extra;
		return err;
	}
	if (source->process_count == PROCESSES_MAX)
		return -E2BIG;
	if (arena_grow(&source->processes, &private->process_capacity, source->process_count, sizeof(*source->processes)))
		return -ENOMEM;
	source->processes[source->process_count++] = pid;
	*number = known->extra = (uint32_t)source->process_count;
	return 0;
}

/* Finds the process of a thread, and whether it is selected. */
static int find_thread(struct source_private *private, const struct trace_sample *sample, const struct thread **found)
{
	const struct selection *selection = private->selection;
	struct thread *thread = &private->threads[sample->tid % THREADS];
	char number[16];
	uint32_t pid;

	*found = thread;
	if (thread->process && thread->tid == sample->tid && thread->epoch == private->epoch.from)
		return 0;
	pid = regions_process(private->regions, sample->tid, sample->time_ns);
	snprintf(number, sizeof(number), "%u", sample->tid);
	*thread = (struct thread){.epoch = private->epoch.from, .tid = sample->tid,
		.is_wanted = (!selection->process || selection->process == pid) &&
			(matches(selection->threads, selection->thread_count, number) ||
			matches(selection->threads, selection->thread_count,
				regions_thread_name(private->regions, sample->tid, sample->time_ns)))};
	return number_process(private, pid, &thread->process);
}

/* Finds the range around the address, or sets the span to the gap between two ranges. */
static const struct named_range *find_range(const struct selection *selection, uint64_t address, struct region_span *span,
	size_t *index)
{
	size_t next = SEARCH(selection->range_count, i, selection->ranges[i].begin <= address);
	const struct named_range *range = next ? &selection->ranges[next - 1] : NULL;

	*span = (struct region_span){0, next < selection->range_count ? selection->ranges[next].begin : UINT64_MAX};
	if (!range)
		return NULL;
	if (range->end <= address) {
		span->begin = range->end;
		return NULL;
	}
	*index = next - 1;
	*span = (struct region_span){range->begin, range->end};
	return range;
}

static int find_span(struct source_private *private, const struct trace_sample *sample, uint32_t process)
{
	const struct selection *selection = private->selection;
	struct source_span *slot = &private->spans[(sample->address >> 24 ^ process * 37u) % SPANS];
	struct region_span around, own;
	const struct named_range *range;
	size_t index = 0;
	int err = 0;

	if (slot->process == process && slot->epoch == private->epoch.from && sample->address >= slot->begin &&
		sample->address < slot->end) {
		private->last = *slot;
		return 0;
	}
	range = find_range(selection, sample->address, &around, &index);
	*slot = (struct source_span){.epoch = private->epoch.from, .process = process};
	if (range) {
		slot->name = 1 + (uint32_t)index;
		slot->object = range->begin;
	} else {
		/* With --by-address `process` stands for all processes. */
		uint32_t pid = regions_process(private->regions, sample->tid, sample->time_ns);

		struct region_name found = regions_name(private->regions, pid, sample->address, sample->time_ns, &own);

		slot->object = found.kind == REGION_MAPPING ? 0 : found.begin;
		found.begin = slot->object;
		around.begin = own.begin > around.begin ? own.begin : around.begin;
		around.end = own.end < around.end ? own.end : around.end;
		slot->is_own = region_is_own(&found);
		err = find_name(private, &found, &slot->name);
	}
	if (err) {
		slot->process = 0;
		return err;
	}
	slot->begin = around.begin;
	slot->end = around.end;
	slot->is_wanted = !slot->is_own &&
		matches(selection->regions, selection->region_count, private->source.names[slot->name].text);
	private->last = *slot;
	return 0;
}

static bool is_in_time(const struct source_private *private, uint64_t time)
{
	const struct selection *selection = private->selection;
	uint64_t since = time > private->begin_ns ? time - private->begin_ns : 0;
	size_t next;

	if (since < selection->from_ns || (selection->to_ns && since >= selection->to_ns))
		return false;
	if (!selection->phase)
		return true;
	next = SEARCH(private->phase_count, i, private->phases[i].from <= time);
	return next && private->phases[next - 1].is_wanted;
}

static bool is_of_kind(const struct source *source, const struct trace_sample *sample)
{
	const struct selection *selection = source->private->selection;
	bool is_fault = sample->kind == TRACE_MINOR_FAULT || sample->kind == TRACE_MAJOR_FAULT;
	bool is_kernel = (sample->ip ? sample->ip : sample->address) >> 63;
	bool is_wanted = (sample->kind != TRACE_OUT || source->takes_outs) && !(is_fault && source->takes_no_faults);

	return (selection->kinds ? selection->kinds >> sample->kind & 1 : is_wanted) &&
		(selection->privilege == SELECTION_ALL || is_kernel == (selection->privilege == SELECTION_KERNEL));
}

/* Fills access. Returns 1 if the sample is selected, 0 if not, or -errno. */
static int select_sample(struct source_private *private, const struct trace_sample *sample, struct access *access)
{
	struct source *source = &private->source;
	const struct thread *thread;
	uint32_t process;
	int err;

	if (!is_in_time(private, sample->time_ns) || !is_of_kind(source, sample))
		return 0;
	if (!epoch_holds(&private->epoch, sample->time_ns))
		private->epoch = epochs_find(&private->epochs, sample->time_ns);
	err = find_thread(private, sample, &thread);
	if (err || !thread->is_wanted)
		return err;
	process = thread->process;
	if (private->last.process != process || private->last.epoch != private->epoch.from ||
		sample->address < private->last.begin || sample->address >= private->last.end)
		err = find_span(private, sample, process);
	if (!err && private->last.is_own)
		private->own++;
	if (err || !private->last.is_wanted)
		return err;
	*access = (struct access){.place = (uint64_t)process << ADDRESS_BITS | (sample->address & ((1ull << ADDRESS_BITS) - 1)),
		.address = sample->address, .ip = sample->ip, .tid = sample->tid, .name = private->last.name,
		.begin = private->last.object,
		.weight = sample->weight, .kind = sample->kind,
		.time_ns = sample->time_ns > private->begin_ns ? sample->time_ns - private->begin_ns : 0};
	if (!source->selected || access->time_ns < source->first_ns)
		source->first_ns = access->time_ns;
	if (access->time_ns > source->last_ns)
		source->last_ns = access->time_ns;
	source->selected++;
	source->names[access->name].samples++;
	return 1;
}

int source_read(struct source *source, source_take *take, void *data)
{
	struct source_private *private = source->private;
	struct access batch[SOURCE_BATCH];
	struct trace_sample sample;
	struct trace_event event;
	enum trace_item item;
	size_t count = 0;
	int rc = 0, err;

	trace_rewind(private->reader);
	private->epoch = (struct epoch){1, 0};
	private->last = (struct source_span){0};
	memset(private->spans, 0, sizeof(private->spans));
	memset(private->threads, 0, sizeof(private->threads));
	for (size_t i = 0; i < source->name_count; i++)
		source->names[i].samples = 0;
	private->own = 0;
	source->samples = source->selected = source->first_ns = source->last_ns = 0;
	while (!rc && (item = trace_next(private->reader, &sample, &event)) != TRACE_ITEM_NONE) {
		if (item == TRACE_ITEM_EVENT)
			continue;
		source->samples++;
		rc = select_sample(private, &sample, &batch[count]);
		if (rc < 0)
			break;
		count += (size_t)rc;
		rc = 0;
		if (count == SOURCE_BATCH) {
			rc = take ? take(data, batch, count) : 0;
			count = 0;
		}
	}
	if (!rc && count && take)
		rc = take(data, batch, count);
	source->unread_bytes = trace_unread_bytes(private->reader, &err);
	source->is_complete = source->is_complete && !source->unread_bytes && !err;
	source->losses[TRACE_OWN] = private->recorded_own + private->own;
	memset(source->in, 0, sizeof(source->in));
	for (size_t i = 0; i < source->name_count; i++)
		source->in[source->names[i].kind] += source->names[i].samples;
	return rc;
}

int source_count(struct buckets *buckets, const struct access *batch, size_t count, unsigned shift,
	struct bucket *found[SOURCE_BATCH])
{
	uint64_t keys[SOURCE_BATCH] = {0};

	for (size_t i = 0; i < count; i++)
		keys[i] = batch[i].place >> shift;
	return buckets_add(buckets, keys, count, found);
}
