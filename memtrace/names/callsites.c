/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/names/callsites.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/diag.h"
#include "common/base/find.h"
#include "memtrace/file/output.h"
#include "memtrace/names/symbols.h"

#define NAME_MAX_BYTES 256
#define TOGETHER 256 /* places in one call of addr2line */
#define NS_PER_S 1000000000ull

struct site {
	const char *module;  /* owned by the regions */
	uint64_t offset;     /* of the call in the file; its address if there is no module */
	uint64_t address;    /* address as the file states it */
	size_t object;
	bool has_address;
	const char *function; /* owned by the symbols until they are closed; NULL = not known */
	uint64_t begin;      /* of the function */
	bool is_wrapper;     /* the function allocates for its callers */
	const char *name;    /* owned by the regions, set for the first object of a place; NULL = none yet */
};

static int compare_sites(const void *a, const void *b)
{
	const struct site *one = *(const struct site *const *)a, *other = *(const struct site *const *)b;
	int order = strcmp(one->module, other->module);

	return order ? order : (one->offset > other->offset) - (one->offset < other->offset);
}

static const char *base_of(const char *module)
{
	const char *slash = strrchr(module, '/');

	return slash ? slash + 1 : module;
}

/* Tells whether a function allocates for its callers: xmalloc, g_realloc_n, my_strdup, operator new and new[]. */
static bool is_wrapper(const char *function)
{
	static const char *const parts[] = {"malloc", "calloc", "realloc", "zalloc", "memalign", "aligned_alloc", "strdup",
		"strndup", "operator new"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strstr(function, parts[i]))
			return true;
	}
	return !strncmp(function, "_Znw", 4) || !strncmp(function, "_Zna", 4);
}

/* addr2line prints two lines for a place: the function and "file:line"; "??" and "??:0" are unknown. */
static void ask_addr2line(struct regions *regions, const char *program, struct site **sites, size_t count)
{
	static char name[] = "addr2line", options[] = "-fsC", file[] = "-e", digits[TOGETHER][20];
	char *argv[TOGETHER + 5] = {name, options, file, (char *)sites[0]->module};
	char name_of[NAME_MAX_BYTES], function[NAME_MAX_BYTES], line[NAME_MAX_BYTES];
	struct output output;

	for (size_t i = 0; i < count; i++) {
		snprintf(digits[i], sizeof(digits[i]), "%#" PRIx64, sites[i]->address);
		argv[4 + i] = digits[i];
	}
	argv[4 + count] = NULL;
	if (output_open(program, argv, &output))
		return;
	for (size_t i = 0; i < count && fgets(function, sizeof(function), output.stream) &&
		fgets(line, sizeof(line), output.stream); i++) {
		function[strcspn(function, "\n")] = '\0';
		line[strcspn(line, "\n")] = '\0';
		/* " (discriminator 2)" may follow */
		line[strcspn(line, " ")] = '\0';
		if (!strncmp(line, "??", 2) || strstr(line, ":?") || !*line || !sites[i]->has_address)
			continue;
		/* The wrapper is inlined, and its caller's line is unknown. */
		if (is_wrapper(function) && !sites[i]->is_wrapper)
			continue;
		snprintf(name_of, sizeof(name_of), "%.120s %.120s", line, function);
		diag_clean(name_of, strlen(name_of), "");
		sites[i]->name = regions_text(regions, name_of);
	}
	output_close(&output);
}

static void find_function(const struct symbols *symbols, struct site *site)
{
	site->has_address = symbols_address(symbols, site->offset, &site->address);
	site->function = site->has_address ? symbols_find(symbols, site->address, &site->begin) : NULL;
	site->is_wrapper = site->function && is_wrapper(site->function);
}

static int name_module(struct regions *regions, const char *addr2line, uint64_t recorded_ns, struct site **sites, size_t count)
{
	const char *module = sites[0]->module;
	struct symbols *symbols = NULL;
	struct stat status;
	int err = 0;

	if (*module == '/' && module[1] != '/' && !stat(module, &status) && (!recorded_ns ||
		(uint64_t)status.st_mtim.tv_sec * NS_PER_S + (uint64_t)status.st_mtim.tv_nsec <= recorded_ns))
		(void)symbols_open(module, &symbols);
	for (size_t i = 0; i < count && symbols; i++)
		find_function(symbols, sites[i]);
	for (size_t i = 0; i < count && symbols && addr2line; i += TOGETHER)
		ask_addr2line(regions, addr2line, sites + i, count - i < TOGETHER ? count - i : TOGETHER);
	for (size_t i = 0; i < count && !err; i++) {
		struct site *site = sites[i];
		char name[NAME_MAX_BYTES];

		if (site->name)
			continue;
		if (site->function)
			snprintf(name, sizeof(name), "%.80s:%.120s+%#" PRIx64, base_of(module), site->function,
				site->address - site->begin);
		else
			snprintf(name, sizeof(name), "%.200s%s%#" PRIx64, base_of(module), *module ? "+" : "",
				site->offset);
		diag_clean(name, strlen(name), "");
		site->name = regions_text(regions, name);
		err = site->name ? 0 : -ENOMEM;
	}
	symbols_close(symbols);
	return err;
}

/* An allocation by a wrapper with a known caller gets the caller's place instead of a name: *again. */
static int name_all(struct regions *regions, uint64_t recorded_ns, struct site **sites, size_t count, bool *again)
{
	struct object *list = regions_objects(regions)->list;
	char program[PATH_MAX];
	const char *addr2line = find_in_path("addr2line", program, sizeof(program)) ? NULL : program, *name = NULL;
	struct site **firsts = malloc(count * sizeof(struct site *));
	size_t first_count = 0;
	bool is_inside = false;
	int err = 0;

	if (!firsts)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_sites(&sites[i], &sites[i - 1]))
			firsts[first_count++] = sites[i];
	}
	for (size_t i = 0, next; i < first_count && !err; i = next) {
		for (next = i + 1; next < first_count && !strcmp(firsts[next]->module, firsts[i]->module);)
			next++;
		err = name_module(regions, addr2line, recorded_ns, firsts + i, next - i);
	}
	free(firsts);
	for (size_t i = 0; i < count && !err; i++) {
		struct object *object = &list[sites[i]->object];

		if (!i || compare_sites(&sites[i], &sites[i - 1])) {
			name = sites[i]->name;
			is_inside = sites[i]->is_wrapper;
		}
		object->name = is_inside && object->outer ? NULL : name;
		*again |= !object->name;
		object->site = object->name ? object->site : object->outer;
		object->outer = 0;
	}
	return err;
}

static int name_sites(struct regions *regions, uint64_t recorded_ns, bool *again)
{
	struct objects *objects = regions_objects(regions);
	struct site *sites = NULL, **sorted = NULL;
	size_t count = 0, at = 0;
	int err = 0;

	for (size_t i = 0; i < objects->count; i++)
		count += objects->list[i].site && !objects->list[i].name;
	if (!count)
		return 0;
	sites = calloc(count, sizeof(*sites));
	sorted = calloc(count, sizeof(*sorted));
	if (!sites || !sorted)
		err = -ENOMEM;
	for (size_t i = 0; i < objects->count && !err; i++) {
		const struct object *object = &objects->list[i];
		/* The call is before its return address. */
		uint64_t call = object->site - 1;
		const struct region *region;

		if (!object->site || object->name)
			continue;
		region = regions_find(regions, object->pid, call, object->from_ns);
		sites[at] = (struct site){.module = region ? region->name : "", .object = i,
			.offset = region ? call - region->begin + region->offset : call};
		sorted[at] = &sites[at];
		at++;
	}
	if (!err) {
		qsort(sorted, count, sizeof(*sorted), compare_sites);
		err = name_all(regions, recorded_ns, sorted, count, again);
	}
	free(sites);
	free(sorted);
	return err;
}

int callsites_name(struct regions *regions, uint64_t recorded_ns)
{
	bool again = false;
	int err = name_sites(regions, recorded_ns, &again);

	return err || !again ? err : name_sites(regions, recorded_ns, &again);
}
