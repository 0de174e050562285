/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/sysfs.h"
#include "common/units.h"

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

static int load(const char *root, struct hwloc_topology **topology)
{
	hwloc_topology_t tree;
	int err;

	errno = 0;
	if (hwloc_topology_init(&tree))
		return -ENOMEM;
	err = filter(tree);
	/* Its x86 component would add the caches and the name of the CPU that we run on. Where the component does not exist,
	 * naming it fails, and nothing has to be kept out. */
	if (!err && *root)
		(void)hwloc_topology_set_components(tree, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	if (!err && hwloc_topology_load(tree))
		err = hwloc_error();
	if (err)
		hwloc_topology_destroy(tree);
	else
		*topology = tree;
	return err;
}

/* Its variables can put another machine in the place of this one (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT,
 * HWLOC_COMPONENTS, ...), and a report would say that this one was measured: it sees an environment without them. */
int topology_load(const char *root, struct hwloc_topology **topology)
{
	static const char prefix[] = "HWLOC_", harmless[] = "HWLOC_HIDE_ERRORS=";
	/* It would write to stderr by itself; who sets the variable wants to see it. */
	static char quiet[] = "HWLOC_HIDE_ERRORS=2";
	char **before = environ, **without, root_of[PATH_MAX];
	size_t count = 0, kept = 0;
	int err;

	while (before && before[count])
		count++;
	without = calloc(count + 3, sizeof(*without));
	if (!without)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (strncmp(before[i], prefix, strlen(prefix)) || !strncmp(before[i], harmless, strlen(harmless)))
			without[kept++] = before[i];
	}
	if (!getenv("HWLOC_HIDE_ERRORS"))
		without[kept++] = quiet;
	snprintf(root_of, sizeof(root_of), "HWLOC_FSROOT=%s", root);
	if (*root)
		without[kept++] = root_of;
	environ = without;
	err = load(root, topology);
	environ = before;
	free(without);
	return err;
}

void topology_free(struct hwloc_topology *topology)
{
	if (topology)
		hwloc_topology_destroy(topology);
}

unsigned topology_count(struct hwloc_topology *topology, enum topology_kind kind)
{
	int count = hwloc_get_nbobjs_by_type(topology, types[kind]);

	return count > 0 ? (unsigned)count : 0;
}

/* Adds the CPUs of one object to set. Packages and cores are numbered as hwloc does it, from 0 without gaps; CPUs
 * by the operating system. -ENOENT when there is none. */
static int topology_cpus(struct hwloc_topology *topology, enum topology_kind kind, unsigned number, cpu_set_t *set)
{
	hwloc_obj_t object = kind == TOPOLOGY_CPU ? hwloc_get_pu_obj_by_os_index(topology, number)
						  : hwloc_get_obj_by_type(topology, types[kind], number);
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

size_t topology_caches(struct hwloc_topology *topology, struct machine_cache *caches, size_t max)
{
	static const hwloc_obj_type_t order[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE,
		HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L3ICACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		hwloc_obj_t object = NULL;

		while ((object = hwloc_get_next_obj_by_type(topology, order[i], object))) {
			struct machine_cache cache = describe_cache(&object->attr->cache);

			count = add_cache(&cache, caches, count, max);
		}
	}
	return count;
}

static void describe_node(hwloc_obj_t object, const char *root, struct machine_node *node)
{
	node->index = object->os_index;
	node->memory_bytes = object->attr->numanode.local_memory;
	if (sysfs_read(root, SYSFS_PATH("/sys/devices/system/node/node%u/cpulist", node->index), node->cpus,
		    sizeof(node->cpus)))
		hwloc_bitmap_list_snprintf(node->cpus, sizeof(node->cpus), object->cpuset);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct machine_node *left = a, *right = b;

	return (left->index > right->index) - (left->index < right->index);
}

size_t topology_nodes(struct hwloc_topology *topology, const char *root, struct machine_node *nodes, size_t max)
{
	hwloc_obj_t object = NULL;
	size_t count = 0;

	while (count < max && (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)))
		describe_node(object, root, &nodes[count++]);
	qsort(nodes, count, sizeof(*nodes), compare_nodes);
	return count;
}

/* --- cpus --- */

static const char not_a_list[] = "allowed are a list like 0-3,8 and the locations core:LIST, package:LIST, numa:LIST, pu:LIST";

struct cpu_list {
	unsigned values[CPU_SETSIZE];
	size_t count;
};

/* Each CPU that is named must be ours. */
static int take_listed(const cpu_set_t *inherited, const struct cpu_list *list, cpu_set_t *set, const char **why)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!CPU_ISSET(list->values[i], inherited))
			return diag_why(-EINVAL, why,
				"names a CPU that is offline or not in the inherited affinity (taskset -cp $$ shows it)");
		CPU_SET(list->values[i], set);
	}
	return 0;
}

static int add_nodes(const char *root, const struct cpu_list *list, const char *no_cpus, cpu_set_t *set, const char **why)
{
	char text[4096];
	struct cpu_list cpus;

	for (size_t i = 0; i < list->count; i++) {
		if (sysfs_read(root, SYSFS_PATH("/sys/devices/system/node/node%u/cpulist", list->values[i]), text, sizeof(text)) ||
			units_parse_list(text, CPU_SETSIZE, cpus.values, CPU_SETSIZE, &cpus.count))
			return diag_why(-EINVAL, why, "this machine has no NUMA node of that number");
		if (!cpus.count)
			return diag_why(-EINVAL, why, no_cpus ? no_cpus : "this NUMA node has no CPUs: it can run no thread");
		for (size_t k = 0; k < cpus.count; k++)
			CPU_SET(cpus.values[k], set);
	}
	return 0;
}

static int add_objects(const char *root, enum topology_kind kind, const struct cpu_list *list, cpu_set_t *set,
	const char **why)
{
	struct hwloc_topology *topology;
	int err = topology_load(root, &topology);

	if (err)
		return diag_why(-EINVAL, why, "the machine's topology cannot be read");
	for (size_t i = 0; i < list->count && !err; i++)
		err = topology_cpus(topology, kind, list->values[i], set);
	topology_free(topology);
	if (err)
		*why = kind == TOPOLOGY_CORE ? "this machine has no core of that number"
					     : "this machine has no package of that number";
	return err ? -EINVAL : 0;
}

static int take_location(const char *root, const cpu_set_t *inherited, const char *kind, const struct cpu_list *list,
	const char *no_cpus, cpu_set_t *set, const char **why)
{
	int err;

	if (!strcmp(kind, "pu"))
		return take_listed(inherited, list, set, why);
	if (!strcmp(kind, "numa")) {
		err = add_nodes(root, list, no_cpus, set, why);
	} else if (!strcmp(kind, "core")) {
		err = add_objects(root, TOPOLOGY_CORE, list, set, why);
	} else if (!strcmp(kind, "package")) {
		err = add_objects(root, TOPOLOGY_PACKAGE, list, set, why);
	} else {
		return diag_why(-EINVAL, why, not_a_list);
	}
	if (err)
		return err;
	CPU_AND(set, set, inherited);
	if (!CPU_COUNT(set))
		return diag_why(-EINVAL, why, "none of these CPUs is in the inherited affinity (taskset -cp $$ shows it)");
	return 0;
}

int cpus_locate(const char *root, const cpu_set_t *inherited, const char *text, const char *no_cpus, cpu_set_t *set,
	const char **why)
{
	const char *colon = strchr(text, ':');
	struct cpu_list list;
	cpu_set_t found;
	char kind[16];
	int err;

	CPU_ZERO(&found);
	if (units_parse_list(colon ? colon + 1 : text, CPU_SETSIZE, list.values, CPU_SETSIZE, &list.count) ||
		!list.count)
		return diag_why(-EINVAL, why, not_a_list);
	snprintf(kind, sizeof(kind), "%.*s", colon ? (int)(colon - text) : 0, text);
	err = colon ? take_location(root, inherited, kind, &list, no_cpus, &found, why)
		    : take_listed(inherited, &list, &found, why);
	if (!err)
		*set = found;
	return err;
}

int cpus_parse(const char *text, const char *no_cpus, cpu_set_t *set, const char **why)
{
	cpu_set_t inherited;

	if (sched_getaffinity(0, sizeof(inherited), &inherited))
		return diag_why(-EINVAL, why, "the inherited affinity cannot be read: more than 1024 CPUs?");
	return cpus_locate("", &inherited, text, no_cpus, set, why);
}
