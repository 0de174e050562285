/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/names/regions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "memtrace/file/preload.h"
#include "memtrace/file/search.h"

#define AS_BEFORE UINT32_MAX
#define STACK_GAP (128ull << 20) /* the kernel maps nothing else within this distance below the end of a stack */
#define GENERATIONS 64 /* longest chain of forks that is followed */
#define SPAN_PAGE 4096u /* divides the begin and end of each mapping, and STACK_GAP */
#define NEW_PART 8     /* a new index is made when more than this part of the mappings is not indexed, */
#define NEW_LEAST 64   /* and more than these */

/* Properties of a thread from a moment on. */
struct thread_stage {
	uint32_t tid, pid;
	uint32_t parent;     /* the process it was forked from; 0 = none, or it has executed a program since; or AS_BEFORE */
	uint64_t from_ns;
	const char *name;    /* NULL = as before */
	size_t named, forked; /* set by regions_sort: the stages that have its name and its parent at that time */
};

struct regions {
	struct arena texts;
	struct thread_stage *stages;   /* by thread and time */
	struct region *regions; /* from `indexed` to before `sorted`: by process and begin, then by time */
	uint64_t *reach;        /* by region from `indexed` on: the largest end so far in its process */
	size_t stage_count, stage_capacity, region_count, region_capacity;
	size_t indexed, sorted; /* indexed: regions in `maps`; sorted: regions that can be found */
	struct objects maps, stacks; /* element: the region's index; stacks: the space below them */
	struct objects objects;
};

int regions_new(struct regions **regions)
{
	*regions = calloc(1, sizeof(**regions));
	return *regions ? 0 : -ENOMEM;
}

static int add_stage(struct regions *regions, const struct trace_event *event, uint32_t parent, const char *name)
{
	if (arena_grow(&regions->stages, &regions->stage_capacity, regions->stage_count, sizeof(*regions->stages)))
		return -ENOMEM;
	regions->stages[regions->stage_count++] = (struct thread_stage){.tid = event->tid, .pid = event->pid, .parent = parent,
		.from_ns = event->time_ns, .name = name};
	return 0;
}

static uint64_t end_of(const struct trace_event *event)
{
	uint64_t begin = event->value[0], bytes = event->value[1];

	return bytes > UINT64_MAX - begin ? UINT64_MAX : begin + bytes;
}

static int add_object(struct regions *regions, const struct trace_event *event, const char *name)
{
	return objects_add(&regions->objects, &(struct object){.begin = event->value[0], .end = end_of(event),
		.from_ns = event->time_ns, .until_ns = UINT64_MAX, .pid = event->pid, .name = name,
		.element = name ? event->value[2] : 0, .site = event->type == TRACE_NAME ? event->value[3] : 0,
		.outer = event->type == TRACE_NAME && event->value[3] ? event->value[2] : 0});
}

int regions_add(struct regions *regions, const struct trace_event *event)
{
	const char *text = "";
	int err;

	if (event->type == TRACE_FORGET && event->text[0]) {
		text = regions_text(regions, event->text);
		return text ? objects_forget(&regions->objects, text, event->time_ns) : -ENOMEM;
	}
	if (event->type == TRACE_FORGET || (event->type == TRACE_NAME && event->value[3]))
		return add_object(regions, event, NULL);
	if (event->type == TRACE_FORK)
		return add_stage(regions, event, event->pid != event->value[0] ? (uint32_t)event->value[0] : 0, NULL);
	if (event->type != TRACE_MAP && event->type != TRACE_COMM && event->type != TRACE_NAME)
		return 0;
	if (event->text[0]) {
		text = arena_text(&regions->texts, event->text, strlen(event->text));
		if (!text)
			return -ENOMEM;
	}
	if (event->type == TRACE_NAME)
		return text[0] ? add_object(regions, event, text) : 0;
	/* An exec replaces the memory, so the names end. */
	if (event->type == TRACE_COMM && event->value[0]) {
		err = add_object(regions, &(struct trace_event){.type = TRACE_FORGET, .pid = event->pid,
			.time_ns = event->time_ns, .value = {0, UINT64_MAX}}, NULL);
		if (err)
			return err;
	}
	if (event->type == TRACE_COMM)
		return add_stage(regions, event, event->value[0] ? 0 : AS_BEFORE, text);
	if (arena_grow(&regions->regions, &regions->region_capacity, regions->region_count, sizeof(*regions->regions)))
		return -ENOMEM;
	regions->regions[regions->region_count++] = (struct region){event->value[0], end_of(event),
		event->time_ns, event->value[2], text, event->pid};
	return 0;
}

static int compare_stages(const void *a, const void *b)
{
	const struct thread_stage *one = a, *other = b;

	if (one->tid != other->tid)
		return one->tid < other->tid ? -1 : 1;
	return (one->from_ns > other->from_ns) - (one->from_ns < other->from_ns);
}

static int compare_regions(const void *a, const void *b)
{
	const struct region *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	return (one->from_ns > other->from_ns) - (one->from_ns < other->from_ns);
}

/* Renaming a process keeps its mappings, and so does a new thread. */
static bool tells_parent(const struct thread_stage *stage)
{
	return stage->parent != AS_BEFORE && (stage->parent || stage->name);
}

static void sort_stages(struct regions *regions)
{
	struct thread_stage *stages = regions->stages;

	if (regions->stage_count)
		qsort(stages, regions->stage_count, sizeof(*stages), compare_stages);
	for (size_t i = 0; i < regions->stage_count; i++) {
		bool is_first = !i || stages[i - 1].tid != stages[i].tid;

		stages[i].named = is_first || stages[i].name ? i : stages[i - 1].named;
		stages[i].forked = is_first || tells_parent(&stages[i]) ? i : stages[i - 1].forked;
	}
}

static int index_regions(struct regions *regions)
{
	int err = 0;

	objects_free(&regions->maps);
	objects_free(&regions->stacks);
	regions->indexed = 0;
	for (size_t i = 0; i < regions->region_count && !err; i++) {
		const struct region *region = &regions->regions[i];
		struct object object = {.begin = region->begin, .end = region->end, .from_ns = region->from_ns,
			.until_ns = UINT64_MAX, .element = i, .name = region->name, .pid = region->pid};

		err = objects_add(&regions->maps, &object);
		if (err || strcmp(region->name, "[stack]") != 0)
			continue;
		object.end = region->begin;
		object.begin = region->end > STACK_GAP ? region->end - STACK_GAP : 0;
		if (object.begin < object.end)
			err = objects_add(&regions->stacks, &object);
	}
	if (err || objects_sort(&regions->maps) || objects_sort(&regions->stacks))
		return -ENOMEM;
	regions->indexed = regions->region_count;
	return 0;
}

int regions_sort(struct regions *regions)
{
	struct region *list;
	size_t count;

	sort_stages(regions);
	regions->sorted = 0;
	if (objects_sort(&regions->objects))
		return -ENOMEM;
	if (!regions->region_count)
		return 0;
	/* A recorder adds a few mappings at a time, so indexing all of them each time would be slow. */
	if (regions->region_count - regions->indexed > regions->indexed / NEW_PART + NEW_LEAST && index_regions(regions))
		return -ENOMEM;
	list = regions->regions + regions->indexed;
	count = regions->region_count - regions->indexed;
	free(regions->reach);
	regions->reach = malloc((count + 1) * sizeof(*regions->reach));
	if (!regions->reach)
		return -ENOMEM;
	if (count)
		qsort(list, count, sizeof(*list), compare_regions);
	for (size_t i = 0; i < count; i++) {
		bool is_first = !i || list[i].pid != list[i - 1].pid;

		regions->reach[i] = is_first || regions->reach[i - 1] < list[i].end ? list[i].end : regions->reach[i - 1];
	}
	regions->sorted = regions->region_count;
	return 0;
}

/* Returns the last stage of the thread that had begun, else its first one: a recording's first events may be a little later
 * than its first sample. */
static const struct thread_stage *find_stage(const struct regions *regions, uint32_t tid, uint64_t time_ns)
{
	const struct thread_stage *stages = regions->stages;
	size_t next = SEARCH(regions->stage_count, i,
		stages[i].tid < tid || (stages[i].tid == tid && stages[i].from_ns <= time_ns));

	if (next && stages[next - 1].tid == tid)
		return &stages[next - 1];
	return next < regions->stage_count && stages[next].tid == tid ? &stages[next] : NULL;
}

uint32_t regions_process(const struct regions *regions, uint32_t tid, uint64_t time_ns)
{
	const struct thread_stage *stage = find_stage(regions, tid, time_ns);

	return stage ? stage->pid : 0;
}

const char *regions_thread_name(const struct regions *regions, uint32_t tid, uint64_t time_ns)
{
	/* A thread has its parent's name until it gets its own. Forks of a malicious file may form a cycle. */
	for (unsigned depth = 0; depth < GENERATIONS; depth++) {
		const struct thread_stage *stage = find_stage(regions, tid, time_ns);

		if (!stage)
			return "";
		stage = &regions->stages[stage->named];
		if (stage->name)
			return stage->name;
		if (stage->pid != tid)
			tid = stage->pid;
		else if (stage->parent && stage->parent != AS_BEFORE && stage->parent != tid)
			tid = stage->parent;
		else
			return "";
	}
	return "";
}

int regions_size(const struct regions *regions, bool (*is_wanted)(const void *data, const char *name), const void *data,
	struct regions_size *size)
{
	struct region *list = malloc((regions->sorted + 1) * sizeof(*list));
	uint64_t bytes = 0, end = 0;
	size_t count = 0;

	if (!list)
		return -ENOMEM;
	*size = (struct regions_size){0};
	for (size_t i = 0; i < regions->sorted; i++) {
		if (is_wanted(data, regions->regions[i].name))
			list[count++] = regions->regions[i];
	}
	if (count)
		qsort(list, count, sizeof(*list), compare_regions);
	for (size_t i = 0; i < count; i++) {
		if (!i || list[i].pid != list[i - 1].pid) {
			size->processes++;
			bytes = end = 0;
		}
		if (list[i].end <= end)
			continue;
		bytes += list[i].end - (list[i].begin > end ? list[i].begin : end);
		size->all += list[i].end - (list[i].begin > end ? list[i].begin : end);
		size->most = bytes > size->most ? bytes : size->most;
		end = list[i].end;
	}
	free(list);
	return 0;
}

/* Reduces the span to its part around the address that is entirely inside or entirely outside of [begin, end). */
static void cut_span(struct region_span *span, uint64_t begin, uint64_t end, uint64_t address)
{
	uint64_t low = begin > address ? 0 : end <= address ? end : begin;
	uint64_t high = begin > address ? begin : end <= address ? UINT64_MAX : end;

	span->begin = low > span->begin ? low : span->begin;
	span->end = high < span->end ? high : span->end;
}

/* Finds a stack above the address among the regions that are not indexed; at: the first of them behind the address. */
static const struct region *find_new_stack(const struct regions *regions, size_t at, uint32_t pid, uint64_t address,
	uint64_t time_ns)
{
	const struct region *found = NULL;

	for (; regions->regions && at < regions->sorted && regions->regions[at].pid == pid; at++) {
		const struct region *region = &regions->regions[at];

		if (region->begin - address > STACK_GAP)
			break;
		if (!strcmp(region->name, "[stack]") && region->end - address <= STACK_GAP && region->from_ns <= time_ns)
			found = region;
	}
	return found;
}

static const struct region *newer_of(const struct regions *regions, const struct object *indexed, const struct region *added)
{
	if (!indexed || (added && added->from_ns >= indexed->from_ns))
		return added;
	return &regions->regions[indexed->element];
}

static const struct region *find_own(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span)
{
	const struct object *indexed = objects_find(&regions->maps, pid, address, time_ns, &span->begin, &span->end);
	const uint64_t *reach = regions->reach;
	size_t count = regions->sorted - regions->indexed;
	const struct region *found = NULL, *list = count ? regions->regions + regions->indexed : NULL;
	size_t next = SEARCH(count, i, list[i].pid < pid || (list[i].pid == pid && list[i].begin <= address));
	size_t low = next;

	if (next < count && list[next].pid == pid)
		cut_span(span, list[next].begin, list[next].end, address);
	for (; low && list[low - 1].pid == pid && reach[low - 1] > address; low--) {
		const struct region *region = &list[low - 1];

		cut_span(span, region->begin, region->end, address);
		if (region->end > address && region->from_ns <= time_ns && (!found || region->from_ns > found->from_ns))
			found = region;
	}
	if (low && list[low - 1].pid == pid)
		cut_span(span, 0, reach[low - 1], address);
	found = newer_of(regions, indexed, found);
	if (found)
		return found;
	/* Below a stack the answer depends on the distance in pages. */
	cut_span(span, address / SPAN_PAGE * SPAN_PAGE, address / SPAN_PAGE * SPAN_PAGE + SPAN_PAGE, address);
	indexed = objects_find(&regions->stacks, pid, address, time_ns, &span->begin, &span->end);
	return newer_of(regions, indexed, find_new_stack(regions, regions->indexed + next, pid, address, time_ns));
}

const struct region *regions_find(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns)
{
	return regions_find_span(regions, pid, address, time_ns, &(struct region_span){0});
}

/* Replaces *pid and *time_ns by the parent and the time of the fork. False: the process has executed a program since, or the
 * parent is unknown. */
static bool find_parent(const struct regions *regions, uint32_t *pid, uint64_t *time_ns)
{
	const struct thread_stage *stage = find_stage(regions, *pid, *time_ns);

	if (stage)
		stage = &regions->stages[stage->forked];
	if (!stage || !stage->parent || stage->parent == AS_BEFORE)
		return false;
	*time_ns = stage->from_ns;
	*pid = stage->parent;
	return true;
}

const struct region *regions_find_span(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span)
{
	*span = (struct region_span){0, UINT64_MAX};
	for (unsigned depth = 0; depth < GENERATIONS && pid; depth++) {
		const struct region *region = find_own(regions, pid, address, time_ns, span);

		if (region || !find_parent(regions, &pid, &time_ns))
			return region;
	}
	return NULL;
}

const char *region_kind_name(enum region_kind kind)
{
	static const char *const names[REGION_KINDS] = {"unknown", "range", "object", "allocation", "mapping"};

	return names[kind];
}

/* The newer of two objects counts: that of the process or the one it was forked from, and that of any process. */
static const struct object *find_object(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span)
{
	const struct object *of_any = objects_find(&regions->objects, 0, address, time_ns, &span->begin, &span->end), *own = NULL;

	for (unsigned depth = 0; depth < GENERATIONS && pid && !own && regions->objects.key_count; depth++) {
		own = objects_find(&regions->objects, pid, address, time_ns, &span->begin, &span->end);
		if (!own && !find_parent(regions, &pid, &time_ns))
			break;
	}
	return !own || (of_any && of_any > own) ? of_any : own;
}

bool region_is_own(const struct region_name *name)
{
	static const char memory[] = "/memfd:" PRELOAD_MEMORY;
	const char *slash = name->kind == REGION_MAPPING ? strrchr(name->text, '/') : NULL;

	/* The kernel appends " (deleted)" to the name of a memfd. */
	return slash && (!strncmp(slash, memory, sizeof(memory) - 1) || !strcmp(slash, "/" PRELOAD_LIBRARY));
}

struct region_name regions_name(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span)
{
	struct region_span around = {0, UINT64_MAX};
	const struct object *object = find_object(regions, pid, address, time_ns, &around);
	const struct region *region = regions_find_span(regions, pid, address, time_ns, span);

	span->begin = around.begin > span->begin ? around.begin : span->begin;
	span->end = around.end < span->end ? around.end : span->end;
	if (object && (object->name || object->site))
		return (struct region_name){object->site ? REGION_ALLOCATION : REGION_OBJECT,
			object->name ? object->name : "unnamed allocation", object->begin, object->end, object->element};
	if (region)
		return (struct region_name){REGION_MAPPING, region->name, region->begin, region->end, 0};
	return (struct region_name){.kind = REGION_NONE, .text = "unknown"};
}

struct objects *regions_objects(struct regions *regions)
{
	return &regions->objects;
}

const char *regions_text(struct regions *regions, const char *text)
{
	return arena_text(&regions->texts, text, strlen(text));
}

void regions_free(struct regions *regions)
{
	if (!regions)
		return;
	arena_free(&regions->texts);
	objects_free(&regions->objects);
	objects_free(&regions->maps);
	objects_free(&regions->stacks);
	free(regions->stages);
	free(regions->regions);
	free(regions->reach);
	free(regions);
}
