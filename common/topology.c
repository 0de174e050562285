/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/sysfs.h"

struct topology {
	hwloc_topology_t tree;
};

static const hwloc_obj_type_t types[] = {
	[TOPOLOGY_PACKAGE] = HWLOC_OBJ_PACKAGE,
	[TOPOLOGY_CORE] = HWLOC_OBJ_CORE,
	[TOPOLOGY_CPU] = HWLOC_OBJ_PU,
};

/* hwloc's functions return -1 and set errno, but not always. */
static int hwloc_error(void)
{
	return errno ? -errno : -EINVAL;
}

static int filter(hwloc_topology_t tree)
{
	if (hwloc_topology_set_flags(tree, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
		hwloc_topology_set_all_types_filter(tree, HWLOC_TYPE_FILTER_KEEP_NONE) ||
		hwloc_topology_set_cache_types_filter(tree, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_set_icache_types_filter(tree, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_set_type_filter(tree, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_set_type_filter(tree, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL))
		return hwloc_error();
	return 0;
}

/* Its variables can put another machine in the place of this one (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT,
 * HWLOC_COMPONENTS, ...), and a report would say that this one was measured. */
static bool is_hwloc_variable(const char *entry)
{
	static const char prefix[] = "HWLOC_", harmless[] = "HWLOC_HIDE_ERRORS=";

	return !strncmp(entry, prefix, strlen(prefix)) && strncmp(entry, harmless, strlen(harmless));
}

static void free_texts(char **texts)
{
	for (char **text = texts; text && *text; text++)
		free(*text);
	free(texts);
}

/* Copies "NAME=VALUE" of each; NULL: no memory. */
static char **copy_variables(void)
{
	size_t count = 0;
	char **copies;

	for (char **entry = environ; entry && *entry; entry++)
		count += is_hwloc_variable(*entry);
	copies = calloc(count + 1, sizeof(*copies));
	count = 0;
	for (char **entry = environ; copies && entry && *entry; entry++) {
		if (!is_hwloc_variable(*entry))
			continue;
		copies[count] = strdup(*entry);
		if (!copies[count++]) {
			free_texts(copies);
			return NULL;
		}
	}
	return copies;
}

/* Cuts the copies into names and values. */
static void hide(char **copies)
{
	for (char **copy = copies; *copy; copy++) {
		*strchr(*copy, '=') = '\0';
		unsetenv(*copy);
	}
}

static int restore(char **copies)
{
	int err = 0;

	for (char **copy = copies; *copy; copy++)
		if (setenv(*copy, *copy + strlen(*copy) + 1, 1))
			err = -ENOMEM;
	return err;
}

static int load_below(const char *root, hwloc_topology_t tree)
{
	int err = 0;

	/* Its x86 component would add the caches and the name of the CPU that we run on. Where the component does
	 * not exist, naming it fails, and nothing has to be kept out. */
	(void)hwloc_topology_set_components(tree, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	if (setenv("HWLOC_FSROOT", root, 1))
		return -ENOMEM;
	if (hwloc_topology_load(tree))
		err = hwloc_error();
	unsetenv("HWLOC_FSROOT");
	return err;
}

static int load(const char *root, struct topology **topology)
{
	struct topology *new = malloc(sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	errno = 0;
	if (hwloc_topology_init(&new->tree)) {
		free(new);
		return -ENOMEM;
	}
	err = filter(new->tree);
	if (!err && *root)
		err = load_below(root, new->tree);
	else if (!err && hwloc_topology_load(new->tree))
		err = hwloc_error();
	if (err)
		topology_free(new);
	else
		*topology = new;
	return err;
}

int topology_load(const char *root, struct topology **topology)
{
	char **variables = copy_variables();
	int err;

	if (!variables)
		return -ENOMEM;
	/* It would write to stderr by itself; who set the variable wants to see it. */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	hide(variables);
	err = load(root, topology);
	if (restore(variables) && !err) {
		topology_free(*topology);
		err = -ENOMEM;
	}
	free_texts(variables);
	return err;
}

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	hwloc_topology_destroy(topology->tree);
	free(topology);
}

unsigned topology_count(const struct topology *topology, enum topology_kind kind)
{
	int count = hwloc_get_nbobjs_by_type(topology->tree, types[kind]);

	return count > 0 ? (unsigned)count : 0;
}

int topology_cpus(const struct topology *topology, enum topology_kind kind, unsigned number, cpu_set_t *set)
{
	hwloc_obj_t object = kind == TOPOLOGY_CPU ? hwloc_get_pu_obj_by_os_index(topology->tree, number)
						  : hwloc_get_obj_by_type(topology->tree, types[kind], number);
	unsigned cpu;

	if (!object)
		return -ENOENT;
	hwloc_bitmap_foreach_begin(cpu, object->cpuset)
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, set);
	hwloc_bitmap_foreach_end();
	return 0;
}

static const char *cache_type_name(hwloc_obj_cache_type_t type)
{
	switch (type) {
	case HWLOC_OBJ_CACHE_DATA:
		return "data";
	case HWLOC_OBJ_CACHE_INSTRUCTION:
		return "instruction";
	case HWLOC_OBJ_CACHE_UNIFIED:
		break;
	}
	return "unified";
}

static struct machine_cache describe_cache(const struct hwloc_cache_attr_s *cache)
{
	struct machine_cache described = {.level = cache->depth, .capacity_bytes = cache->size,
		.line_bytes = cache->linesize, .instances = 1};
	uint64_t lines = cache->linesize ? cache->size / cache->linesize : 0;

	snprintf(described.type, sizeof(described.type), "%s", cache_type_name(cache->type));
	if (cache->associativity > 0)
		described.ways = (unsigned)cache->associativity;
	else if (cache->associativity < 0) /* fully associative */
		described.ways = (unsigned)lines;
	described.sets = described.ways ? (unsigned)(lines / described.ways) : 0;
	return described;
}

static bool is_same_cache(const struct machine_cache *a, const struct machine_cache *b)
{
	return a->level == b->level && !strcmp(a->type, b->type) && a->capacity_bytes == b->capacity_bytes &&
		a->line_bytes == b->line_bytes && a->ways == b->ways;
}

static size_t add_cache(const struct machine_cache *cache, struct machine_cache *caches, size_t count, size_t max)
{
	size_t i;

	for (i = 0; i < count && !is_same_cache(cache, &caches[i]);)
		i++;
	if (i < count)
		caches[i].instances++;
	else if (count < max)
		caches[count++] = *cache;
	return count;
}

size_t topology_caches(const struct topology *topology, struct machine_cache *caches, size_t max)
{
	static const hwloc_obj_type_t order[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE,
		HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L3ICACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		hwloc_obj_t object = NULL;

		while ((object = hwloc_get_next_obj_by_type(topology->tree, order[i], object))) {
			struct machine_cache cache = describe_cache(&object->attr->cache);

			count = add_cache(&cache, caches, count, max);
		}
	}
	return count;
}

static void describe_node(hwloc_obj_t object, const char *root, struct machine_node *node)
{
	char path[64];

	node->index = object->os_index;
	node->memory_bytes = object->attr->numanode.local_memory;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node->index);
	if (sysfs_read(root, path, node->cpus, sizeof(node->cpus)))
		hwloc_bitmap_list_snprintf(node->cpus, sizeof(node->cpus), object->cpuset);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct machine_node *left = a, *right = b;

	return (left->index > right->index) - (left->index < right->index);
}

size_t topology_nodes(const struct topology *topology, const char *root, struct machine_node *nodes, size_t max)
{
	hwloc_obj_t object = NULL;
	size_t count = 0;

	while (count < max && (object = hwloc_get_next_obj_by_type(topology->tree, HWLOC_OBJ_NUMANODE, object)))
		describe_node(object, root, &nodes[count++]);
	qsort(nodes, count, sizeof(*nodes), compare_nodes);
	return count;
}
