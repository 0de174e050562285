/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/suite/need.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/find.h"
#include "common/machine.h"
#include "common/probe.h"
#include "common/units.h"
#include "common/counters.h"

enum argument { NONE, SIZE, COUNT, NAME };

struct question {
	const struct suite_need *need;
	const struct suite_host *host;
	char *why;
	size_t length;
};

struct suite_need_row {
	const char *name;
	enum argument argument;
	uint64_t otherwise; /* the amount when none is given; 0 = one must be given */
	int (*check)(const struct question *question);
	const char *probe; /* of check_probe: its name in common/probe.h */
};

static int __attribute__((format(printf, 2, 3))) lacks(const struct question *question, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(question->why, question->length, format, arguments);
	va_end(arguments);
	return -ENOTSUP;
}

static int check_root(const struct question *question)
{
	return geteuid() ? lacks(question, "needs root") : 0;
}

/* The same answer as memstor doctor's. */
static int check_probe(const struct question *question)
{
	char why[512];

	if (!probe_require(question->host->root, question->need->row->probe, why, sizeof(why)))
		return 0;
	return lacks(question, "needs %s: %s", question->need->row->name, why);
}

static int check_space(const struct question *question)
{
	char wanted[UNITS_TEXT], there[UNITS_TEXT];
	struct statvfs fs;
	uint64_t bytes;

	if (statvfs(question->host->folder, &fs))
		return lacks(question, "needs space: %s: %s", question->host->folder, strerror(errno));
	bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (bytes >= question->need->amount)
		return 0;
	return lacks(question, "needs %s of space where the results go, %s are free: give another folder with -o",
		units_format_size(question->need->amount, wanted, sizeof(wanted)),
		units_format_size(bytes, there, sizeof(there)));
}

static int check_memory(const struct question *question)
{
	struct machine *machine = malloc(sizeof(*machine));
	char wanted[UNITS_TEXT], there[UNITS_TEXT];
	uint64_t bytes = 0;

	if (machine && !machine_read(question->host->root, machine)) {
		bytes = machine->available_bytes;
		if (machine->cgroup_limit_bytes < bytes)
			bytes = machine->cgroup_limit_bytes;
	}
	free(machine);
	if (bytes >= question->need->amount)
		return 0;
	return lacks(question, "needs %s of memory, %s are available",
		units_format_size(question->need->amount, wanted, sizeof(wanted)),
		units_format_size(bytes, there, sizeof(there)));
}

static int check_cpus(const struct question *question)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);

	if ((uint64_t)count >= question->need->amount)
		return 0;
	return lacks(question, "needs %llu CPUs, there are %d", (unsigned long long)question->need->amount, count);
}

static int check_nodes(const struct question *question)
{
	struct machine *machine = malloc(sizeof(*machine));
	size_t count = machine && !machine_read(question->host->root, machine) ? machine->node_count : 0;

	free(machine);
	if (count >= question->need->amount)
		return 0;
	return lacks(question, "needs %llu NUMA nodes, there are %zu", (unsigned long long)question->need->amount, count);
}

static int check_hugetlb(const struct question *question)
{
	struct vmcounters *meminfo = calloc(1, sizeof(*meminfo));
	uint64_t pages = 0;

	if (meminfo && !vmcounters_read(question->host->root, NULL, VMCOUNTERS_MEMINFO, meminfo))
		vmcounters_get(meminfo, "meminfo.HugePages_Free", &pages);
	free(meminfo);
	if (pages >= question->need->amount)
		return 0;
	return lacks(question, "needs %llu huge pages, %llu are free: sysctl vm.nr_hugepages=N",
		(unsigned long long)question->need->amount, (unsigned long long)pages);
}

/* What follows the colon, "" when nothing does. */
static const char *argument_of(const struct suite_need *need)
{
	const char *colon = strchr(need->text, ':');

	return colon ? colon + 1 : "";
}

static int check_program(const struct question *question)
{
	const char *name = argument_of(question->need);
	char path[PATH_MAX];

	if (*name == '/')
		return access(name, F_OK) ? lacks(question, "needs %s, which does not exist", name) : 0;
	if (!find_in_path(name, path, sizeof(path)))
		return 0;
	return lacks(question, "needs the program %s, which is not in PATH", argument_of(question->need));
}

static const struct suite_need_row rows[] = {
	{"root", NONE, .check = check_root},
	{"swap", NONE, .check = check_probe, .probe = "swap"},
	{"zram", NONE, .check = check_probe, .probe = "zram"},
	{"loop", NONE, .check = check_probe, .probe = "loop"},
	{"cgroup", NONE, .check = check_probe, .probe = "memory-cgroup"},
	{"space", SIZE, .check = check_space},
	{"memory", SIZE, .check = check_memory},
	{"cpus", COUNT, .check = check_cpus},
	{"nodes", COUNT, .check = check_nodes},
	{"hugetlb", COUNT, .otherwise = 1, .check = check_hugetlb},
	{"io_uring", NONE, .check = check_probe, .probe = "io-uring"},
	{"perf", NONE, .check = check_probe, .probe = "page-fault-events"},
	{"program", NAME, .check = check_program},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const argument_names[] = {[NONE] = "", [SIZE] = "SIZE", [COUNT] = "N", [NAME] = "NAME"};

static int refuse_need(const char *text, char *why, size_t length)
{
	size_t used = (size_t)snprintf(why, length, "needs '%.64s': not known; allowed:", text);

	for (size_t i = 0; i < ROWS && used < length; i++) {
		const char *argument = argument_names[rows[i].argument];

		used += (size_t)snprintf(why + used, length - used, " %s%s%s", rows[i].name,
			!*argument ? "" : rows[i].otherwise ? "[:N]" : ":", rows[i].otherwise ? "" : argument);
	}
	return -EINVAL;
}

static int refuse_argument(const struct suite_need *need, char *why, size_t length)
{
	static const char *const allowed[] = {
		[NONE] = "it takes no value",
		[SIZE] = "a size follows, as in space:2G",
		[COUNT] = "a number from 1 to 65536 follows, as in cpus:2",
		[NAME] = "a program's name follows, as in program:gnuplot, or the path of a file from /",
	};

	snprintf(why, length, "needs '%s': %s", need->text, allowed[need->row->argument]);
	return -EINVAL;
}

/* is_given: with a colon, even when nothing follows it. */
static int parse_argument(struct suite_need *need)
{
	const char *argument = argument_of(need);
	bool is_given = strchr(need->text, ':');

	need->amount = need->row->otherwise;
	switch (need->row->argument) {
	case SIZE:
		return units_parse_size(argument, 1, &need->amount);
	case COUNT:
		return !is_given && need->amount ? 0 : units_parse_u64(argument, 1, 65536, &need->amount);
	case NAME:
		return *argument == '/' || (*argument && !strchr(argument, '/')) ? 0 : -EINVAL;
	case NONE:
		break;
	}
	return is_given ? -EINVAL : 0;
}

int suite_need_parse(const char *text, struct suite_need *need, char *why, size_t length)
{
	size_t size = strcspn(text, ":");

	memset(need, 0, sizeof(*need));
	for (size_t i = 0; i < ROWS && !need->row; i++) {
		if (strlen(rows[i].name) == size && !memcmp(rows[i].name, text, size))
			need->row = &rows[i];
	}
	if (!need->row || strlen(text) >= sizeof(need->text))
		return refuse_need(text, why, length);
	snprintf(need->text, sizeof(need->text), "%s", text);
	return parse_argument(need) ? refuse_argument(need, why, length) : 0;
}

int suite_need_check(const struct suite_need *need, const struct suite_host *host, char *why, size_t length)
{
	const struct question question = {need, host, why, length};

	return need->row->check(&question);
}
