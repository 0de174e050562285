/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/names/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "memtrace/file/search.h"

#define NONE UINT32_MAX

struct object_key {
	uint32_t pid;
	uint64_t address;
};

int objects_add(struct objects *objects, const struct object *object)
{
	if (objects->count + objects->end_count >= NONE)
		return -ENOMEM;
	if (arena_grow(&objects->list, &objects->capacity, objects->count, sizeof(*objects->list)))
		return -ENOMEM;
	objects->list[objects->count] = *object;
	objects->list[objects->count].order = (uint32_t)(objects->count + objects->end_count);
	objects->count++;
	objects->has_names |= object->name || object->site;
	return 0;
}

int objects_forget(struct objects *objects, const char *name, uint64_t time_ns)
{
	if (objects->count + objects->end_count >= NONE)
		return -ENOMEM;
	if (arena_grow(&objects->ends, &objects->end_capacity, objects->end_count, sizeof(*objects->ends)))
		return -ENOMEM;
	objects->ends[objects->end_count] = (struct object_end){name, time_ns, (uint32_t)(objects->count + objects->end_count)};
	objects->end_count++;
	return 0;
}

/* --- ends of names --- */

struct naming { /* of a range, or the end of a name */
	struct object_end at;
	struct object *object; /* NULL = the end */
};

static int compare_namings(const void *a, const void *b)
{
	const struct object_end *one = &((const struct naming *)a)->at, *other = &((const struct naming *)b)->at;
	int order = strcmp(one->name, other->name);

	if (order)
		return order;
	if (one->time_ns != other->time_ns)
		return one->time_ns > other->time_ns ? 1 : -1;
	return (one->order > other->order) - (one->order < other->order);
}

/* Sets until_ns of each range to the next end of its name. */
static int set_ends(struct objects *objects)
{
	struct naming *namings = objects->end_count ? calloc(objects->count + objects->end_count, sizeof(*namings)) : NULL;
	uint64_t until_ns = UINT64_MAX;
	size_t count = 0;

	if (!objects->end_count)
		return 0;
	if (!namings)
		return -ENOMEM;
	for (size_t i = 0; i < objects->count; i++) {
		struct object *object = &objects->list[i];

		if (object->name && !object->site)
			namings[count++] = (struct naming){{object->name, object->from_ns, object->order}, object};
	}
	for (size_t i = 0; i < objects->end_count; i++)
		namings[count++] = (struct naming){objects->ends[i], NULL};
	qsort(namings, count, sizeof(*namings), compare_namings);
	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && strcmp(namings[i].at.name, namings[i + 1].at.name))
			until_ns = UINT64_MAX;
		if (namings[i].object)
			namings[i].object->until_ns = until_ns;
		else
			until_ns = namings[i].at.time_ns;
	}
	free(namings);
	return 0;
}

static uint64_t later_of(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static int make_latest(struct objects *objects, size_t sum)
{
	bool has_ends = false;
	size_t leaves = 1;

	for (size_t i = 0; i < objects->count; i++)
		has_ends |= objects->list[i].until_ns != UINT64_MAX;
	if (!has_ends)
		return 0;
	while (leaves < sum)
		leaves *= 2;
	objects->latest = calloc(2 * leaves, sizeof(*objects->latest));
	if (!objects->latest)
		return -ENOMEM;
	objects->latest_leaves = leaves;
	for (size_t i = 0; i < sum; i++)
		objects->latest[leaves + i] = objects->list[objects->nodes[i]].until_ns;
	for (size_t i = leaves; i-- > 1;)
		objects->latest[i] = later_of(objects->latest[2 * i], objects->latest[2 * i + 1]);
	return 0;
}

/* Returns the last position in nodes from first to before end whose range has its name after time_ns, or SIZE_MAX. */
static size_t find_last(const struct objects *objects, size_t first, size_t end, uint64_t time_ns)
{
	const uint64_t *latest = objects->latest;

	while (end > first) {
		size_t node = end - 1 + objects->latest_leaves, size = 1;

		/* Climbs to the largest part that ends here. */
		while (node & 1 && 2 * size <= end - first) {
			node >>= 1;
			size *= 2;
		}
		if (latest[node] > time_ns) {
			while (node < objects->latest_leaves)
				node = 2 * node + (latest[2 * node + 1] > time_ns);
			return node - objects->latest_leaves;
		}
		end -= size;
	}
	return SIZE_MAX;
}

/* --- the index --- */

static int compare_keys(const void *a, const void *b)
{
	const struct object_key *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return (one->address > other->address) - (one->address < other->address);
}

/* Of equal times the later in the list is the newer: a merge sort keeps their order. */
static void sort_by_time(struct object *list, struct object *spare, size_t count)
{
	size_t half = count / 2, left = 0, right = half, at = 0;

	if (count < 2)
		return;
	sort_by_time(list, spare, half);
	sort_by_time(list + half, spare, count - half);
	memcpy(spare, list, count * sizeof(*list));
	while (left < half || right < count) {
		bool is_left = left < half && (right == count || spare[left].from_ns <= spare[right].from_ns);

		list[at++] = spare[is_left ? left++ : right++];
	}
}

static size_t count_keys(const struct objects *objects, struct object_key key)
{
	return SEARCH(objects->key_count, i, compare_keys(&objects->keys[i], &key) <= 0);
}

static int make_keys(struct objects *objects)
{
	size_t kept = 0;

	objects->keys = malloc(2 * objects->count * sizeof(*objects->keys));
	if (!objects->keys)
		return -ENOMEM;
	for (size_t i = 0; i < objects->count; i++) {
		objects->keys[2 * i] = (struct object_key){objects->list[i].pid, objects->list[i].begin};
		objects->keys[2 * i + 1] = (struct object_key){objects->list[i].pid, objects->list[i].end};
	}
	qsort(objects->keys, 2 * objects->count, sizeof(*objects->keys), compare_keys);
	for (size_t i = 0; i < 2 * objects->count; i++) {
		if (!i || compare_keys(&objects->keys[i], &objects->keys[kept - 1]))
			objects->keys[kept++] = objects->keys[i];
	}
	objects->key_count = kept;
	return 0;
}

/* Visits each node that covers a part of the object, and whose parent does not: counts the node, or adds the object to it. */
static void place(struct objects *objects, uint32_t index, bool is_counting)
{
	const struct object *object = &objects->list[index];
	size_t low = count_keys(objects, (struct object_key){object->pid, object->begin}) - 1 + objects->leaves;
	size_t high = count_keys(objects, (struct object_key){object->pid, object->end}) - 1 + objects->leaves;

	for (; low < high; low >>= 1, high >>= 1) {
		size_t nodes[2] = {low & 1 ? low++ : 0, high & 1 ? --high : 0};

		for (size_t i = 0; i < 2; i++) {
			if (!nodes[i])
				continue;
			if (!is_counting)
				objects->nodes[objects->starts[nodes[i]]] = index;
			objects->starts[nodes[i]]++;
		}
	}
}

static void free_index(struct objects *objects)
{
	free(objects->keys);
	free(objects->starts);
	free(objects->nodes);
	free(objects->latest);
	objects->latest = NULL;
	objects->keys = NULL;
	objects->starts = NULL;
	objects->nodes = NULL;
	objects->key_count = 0;
}

int objects_sort(struct objects *objects)
{
	struct object *spare;
	size_t sum = 0;

	free_index(objects);
	if (!objects->has_names)
		return 0;
	spare = malloc(objects->count * sizeof(*spare));
	if (!spare || set_ends(objects) || make_keys(objects)) {
		free(spare);
		return -ENOMEM;
	}
	sort_by_time(objects->list, spare, objects->count);
	free(spare);
	for (objects->leaves = 1; objects->leaves < objects->key_count;)
		objects->leaves *= 2;
	objects->starts = calloc(2 * objects->leaves + 1, sizeof(*objects->starts));
	if (!objects->starts)
		goto failed;
	for (size_t i = 0; i < objects->count; i++)
		place(objects, (uint32_t)i, true);
	for (size_t i = 0; i <= 2 * objects->leaves; i++) {
		size_t own = objects->starts[i];

		objects->starts[i] = sum;
		sum += own;
	}
	objects->nodes = malloc((sum ? sum : 1) * sizeof(*objects->nodes));
	if (!objects->nodes)
		goto failed;
	for (size_t i = 0; i < objects->count; i++)
		place(objects, (uint32_t)i, false);
	/* Each start is now the next node's. */
	memmove(objects->starts + 1, objects->starts, 2 * objects->leaves * sizeof(*objects->starts));
	objects->starts[0] = 0;
	if (make_latest(objects, sum))
		goto failed;
	return 0;
failed:
	free_index(objects);
	return -ENOMEM;
}

/* Returns the newest object of a node that had begun and not ended; NONE = there is none. */
static uint32_t find_in_node(const struct objects *objects, size_t node, uint64_t time_ns)
{
	size_t first = objects->starts[node];
	const uint32_t *nodes = objects->nodes + first;
	size_t begun = SEARCH(objects->starts[node + 1] - first, i, objects->list[nodes[i]].from_ns <= time_ns);

	if (!begun)
		return NONE;
	if (objects->latest) {
		size_t last = find_last(objects, first, first + begun, time_ns);

		return last == SIZE_MAX ? NONE : objects->nodes[last];
	}
	return nodes[begun - 1];
}

const struct object *objects_find(const struct objects *objects, uint32_t pid, uint64_t address, uint64_t time_ns,
	uint64_t *begin, uint64_t *end)
{
	size_t behind = count_keys(objects, (struct object_key){pid, address});
	const struct object_key *keys = objects->keys;
	uint32_t found = NONE;

	if (behind < objects->key_count && keys[behind].pid == pid && keys[behind].address < *end)
		*end = keys[behind].address;
	if (!behind || keys[behind - 1].pid != pid)
		return NULL;
	if (keys[behind - 1].address > *begin)
		*begin = keys[behind - 1].address;
	for (size_t node = objects->leaves + behind - 1; node; node >>= 1) {
		uint32_t index = find_in_node(objects, node, time_ns);

		if (index != NONE && (found == NONE || index > found))
			found = index;
	}
	return found == NONE ? NULL : &objects->list[found];
}

void objects_free(struct objects *objects)
{
	free(objects->list);
	free(objects->ends);
	free_index(objects);
	*objects = (struct objects){0};
}
