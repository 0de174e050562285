/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/host/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"

/* hwloc's functions return -1 and set errno, but not always. */
static int hwloc_error(void)
{
	return errno ? -errno : -EINVAL;
}

static int load(const char *root, hwloc_topology_t *topology)
{
	hwloc_topology_t tree;
	int err = 0;

	errno = 0;
	if (hwloc_topology_init(&tree))
		return -ENOMEM;
	if (hwloc_topology_set_flags(tree, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
		hwloc_topology_set_all_types_filter(tree, HWLOC_TYPE_FILTER_KEEP_NONE) ||
		hwloc_topology_set_cache_types_filter(tree, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_set_icache_types_filter(tree, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_set_type_filter(tree, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		hwloc_topology_set_type_filter(tree, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL))
		err = hwloc_error();
	/* hwloc's x86 component would add the caches and the name of the CPU that this process runs on. A build without that
	 * component rejects the name, which is harmless. */
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

/* Loads the topology without hwloc's environment variables: HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT, HWLOC_COMPONENTS and
 * others can describe another machine, and a report would say that this one was measured. */
static int load_hidden(const char *root, hwloc_topology_t *topology)
{
	static const char prefix[] = "HWLOC_", harmless[] = "HWLOC_HIDE_ERRORS=";
	/* Keeps hwloc from writing to stderr, unless the user has set the variable. */
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

static void add_cache(const struct hwloc_cache_attr_s *from, struct topology *topology)
{
	struct machine_cache cache = {.level = from->depth, .capacity_bytes = from->size, .line_bytes = from->linesize,
		.instances = 1};
	uint64_t lines = from->linesize ? from->size / from->linesize : 0;

	snprintf(cache.type, sizeof(cache.type), "%s", from->type == HWLOC_OBJ_CACHE_DATA ? "data"
		: from->type == HWLOC_OBJ_CACHE_INSTRUCTION ? "instruction" : "unified");
	/* A negative associativity means fully associative. */
	cache.ways = from->associativity >= 0 ? (unsigned)from->associativity : (unsigned)lines;
	cache.sets = cache.ways ? (unsigned)(lines / cache.ways) : 0;
	for (size_t i = 0; i < topology->cache_count; i++) {
		struct machine_cache *other = &topology->caches[i];

		if (other->level == cache.level && !strcmp(other->type, cache.type) &&
			other->capacity_bytes == cache.capacity_bytes && other->line_bytes == cache.line_bytes &&
			other->ways == cache.ways) {
			other->instances++;
			return;
		}
	}
	if (topology->cache_count < sizeof(topology->caches) / sizeof(topology->caches[0]))
		topology->caches[topology->cache_count++] = cache;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct machine_node *left = a, *right = b;

	return (left->index > right->index) - (left->index < right->index);
}

int topology_read(const char *root, struct topology *topology)
{
	static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE,
		HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L3ICACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};
	hwloc_topology_t tree;
	hwloc_obj_t object;
	int cores, threads, err = load_hidden(root, &tree);

	if (err)
		return err;
	*topology = (struct topology){0};
	cores = hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_CORE);
	threads = hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_PU);
	topology->cores = cores > 0 ? (unsigned)cores : 0;
	topology->threads = threads > 0 ? (unsigned)threads : 0;
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		for (object = NULL; (object = hwloc_get_next_obj_by_type(tree, caches[i], object));)
			add_cache(&object->attr->cache, topology);
	}
	for (object = NULL; topology->node_count < sizeof(topology->nodes) / sizeof(topology->nodes[0]) &&
		(object = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_NUMANODE, object));) {
		struct machine_node *node = &topology->nodes[topology->node_count++];

		node->index = object->os_index;
		node->memory_bytes = object->attr->numanode.local_memory;
		if (sysfs_read(root, SYSFS_PATH("/sys/devices/system/node/node%u/cpulist", node->index), node->cpus,
			    sizeof(node->cpus)))
			hwloc_bitmap_list_snprintf(node->cpus, sizeof(node->cpus), object->cpuset);
	}
	qsort(topology->nodes, topology->node_count, sizeof(topology->nodes[0]), compare_nodes);
	hwloc_topology_destroy(tree);
	return 0;
}

/* --- cpus --- */

static const char not_a_list[] = "allowed are a list like 0-3,8 and the locations core:LIST, package:LIST, numa:LIST, pu:LIST";

struct cpu_list {
	unsigned values[CPU_SETSIZE];
	size_t count;
};

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

/* Packages and cores are numbered as hwloc does it, from 0 without gaps. */
static int add_objects(const char *root, hwloc_obj_type_t type, const struct cpu_list *list, cpu_set_t *set, const char **why)
{
	hwloc_topology_t topology;
	hwloc_obj_t object = NULL;
	unsigned cpu;

	if (load_hidden(root, &topology))
		return diag_why(-EINVAL, why, "the machine's topology cannot be read");
	for (size_t i = 0; i < list->count; i++) {
		object = hwloc_get_obj_by_type(topology, type, list->values[i]);
		if (!object)
			break;
		hwloc_bitmap_foreach_begin(cpu, object->cpuset)
		if (cpu < CPU_SETSIZE)
			CPU_SET(cpu, set);
		hwloc_bitmap_foreach_end();
	}
	hwloc_topology_destroy(topology);
	if (object)
		return 0;
	return diag_why(-EINVAL, why, type == HWLOC_OBJ_CORE ? "this machine has no core of that number"
		: "this machine has no package of that number");
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
	if (!colon || !strcmp(kind, "pu")) {
		/* Each listed CPU must be in the inherited affinity. */
		for (size_t i = 0; i < list.count; i++) {
			if (!CPU_ISSET(list.values[i], inherited))
				return diag_why(-EINVAL, why,
					"names a CPU that is offline or not in the inherited affinity (taskset -cp $$ shows it)");
			CPU_SET(list.values[i], &found);
		}
		*set = found;
		return 0;
	}
	if (!strcmp(kind, "numa"))
		err = add_nodes(root, &list, no_cpus, &found, why);
	else if (!strcmp(kind, "core"))
		err = add_objects(root, HWLOC_OBJ_CORE, &list, &found, why);
	else if (!strcmp(kind, "package"))
		err = add_objects(root, HWLOC_OBJ_PACKAGE, &list, &found, why);
	else
		err = diag_why(-EINVAL, why, not_a_list);
	if (err)
		return err;
	CPU_AND(&found, &found, inherited);
	if (!CPU_COUNT(&found))
		return diag_why(-EINVAL, why, "none of these CPUs is in the inherited affinity (taskset -cp $$ shows it)");
	*set = found;
	return 0;
}

int cpus_parse(const char *text, const char *no_cpus, cpu_set_t *set, const char **why)
{
	cpu_set_t inherited;

	if (sched_getaffinity(0, sizeof(inherited), &inherited))
		return diag_why(-EINVAL, why, "the inherited affinity cannot be read: more than 1024 CPUs?");
	return cpus_locate("", &inherited, text, no_cpus, set, why);
}
