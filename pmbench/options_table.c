/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/options_table.h"

#include <string.h>

#define AT(field) offsetof(struct pmbench_options, field)
#define FLAG(field) .set = options_set_flag, .get = options_get_flag, .offset = AT(field)
#define RANGE(kind, field, low, high)                                                                        \
	.set = options_set_##kind, .get = options_get_##kind, .offset = AT(field), .min = (low), .max = (high)
#define CHOICE(field, names)                                                                                 \
	.set = options_set_choice, .get = options_get_choice, .offset = AT(field), .choices = (names)
#define BY(noun) .set = options_set_##noun, .get = options_get_##noun
#define OFFER(names) .choices = (names)

/* Order of the enums. */
static const char *const access_names[] = {"histo", "touch", NULL};
static const char *const classify_names[] = {"auto", "none", NULL};

/* What a shell offers. */
static const char *const pattern_words[] = {
	"uniform", "normal", "normal_ih", "linear", "pareto", "zipf", "hotset", NULL};
static const char *const timer_words[] = {"rdtscp", "rdtscp-unfenced", "rdtsc", "perfc", "cntvct", NULL};
static const char *const warmup_words[] = {"pattern", "none", NULL};
static const char *const map_words[] = {"anon", "shared", "memfd", "file:", "hugetlb", NULL};
static const char *const content_words[] = {"none", "random", "ptr", "zero", "ratio:", NULL};
static const char *const swap_words[] = {"zram:", "file:", "loop:", "dev:", "none", NULL};
static const char *const page_cluster_words[] = {"keep", NULL};

static const struct options_row rows[] = {
	/* the original's: letters, long names and units as they ever were */
	{"mapsize", 'm', "SIZE", "memory to map: MiB, 8g, 75% of RAM (256)",
		"must be a size above 0 and below 2^64 bytes: MiB, or with a unit, or up to 100%",
		OPTIONS_GROUP_ORIGINAL, 0, BY(mapsize)},
	{"setsize", 's', "SIZE", "part of it that is accessed (all of -m, or 128)",
		"must be a size above 0 and below 2^64 bytes: MiB, or with a unit, or up to 100%",
		OPTIONS_GROUP_ORIGINAL, 0, BY(setsize)},
	{"pattern", 'p', "PATTERN", "uniform, normal, normal_ih, linear, pareto, zipf, hotset",
		"must be a pattern", OPTIONS_GROUP_ORIGINAL, 0, BY(pattern), OFFER(pattern_words)},
	{"shape", 'e', "REAL", "the pattern's shape: deviation, stride, exponent",
		"must be a number from 0 to 1e18", OPTIONS_GROUP_ORIGINAL, 0, BY(shape)},
	{"ratio", 'r', "PERCENT", "share of accesses that read (50)",
		"must be 0 to 100, the percentage of accesses that read", OPTIONS_GROUP_ORIGINAL, 0,
		RANGE(unsigned, ratio, 0, 100)},
	{"jobs", 'j', "THREADS", "threads in each process (1)", "must be 1 to 1024 threads",
		OPTIONS_GROUP_ORIGINAL, 0, RANGE(unsigned, jobs, 1, 1024)},
	{"affinityset", 'y', "CPUS[:N]", "N threads on these CPUs; repeatable",
		"must be a list of CPUs as 0-3 or core:0-3, then perhaps :THREADS from 1 to 1024",
		OPTIONS_GROUP_ORIGINAL, OPTIONS_REPEATS, BY(affinity)},
	{"timestamp", 't', "TIMER", "rdtscp, rdtscp-unfenced, rdtsc, perfc, cntvct",
		"must be rdtscp, rdtscp-unfenced, rdtsc, perfc or cntvct", OPTIONS_GROUP_ORIGINAL, 0,
		BY(timer), OFFER(timer_words)},
	{"access", 'a', "METHOD", "histo: time accesses (default); touch: do not", "must be histo or touch",
		OPTIONS_GROUP_ORIGINAL, 0, CHOICE(access, access_names)},
	{"offset", 'o', "WORD", "4-byte word in the page, -1: random (default)",
		"must be a 4-byte word of the page from 0 (to 1023 in a page of 4 KiB), bytes as 64B, or -1 "
		"for "
		"random",
		OPTIONS_GROUP_ORIGINAL, 0, BY(offset)},
	{"delay", 'd', "TICKS", "wait so long after each access (0)",
		"must be 0 to 1000000000000 timer ticks", OPTIONS_GROUP_ORIGINAL, 0,
		RANGE(u64, delay_ticks, 0, 1000000000000)},
	{"cold", 'c', NULL, "no warm-up, as --warmup none", "must be given without a value",
		OPTIONS_GROUP_ORIGINAL, 0, .set = options_set_cold},
	{"initialize", 'i', NULL, "fill the map first, as --content random", "must be given without a value",
		OPTIONS_GROUP_ORIGINAL, 0, .set = options_set_initialize},
	{"wrneedsrd", 'z', NULL, "each write is preceded by a read", "must be given without a value",
		OPTIONS_GROUP_ORIGINAL, 0, FLAG(write_needs_read)},
	{"threshold", 'h', "NS", "mark slower accesses in the kernel's trace",
		"must be 0 (off) to 1000000000000 nanoseconds", OPTIONS_GROUP_ORIGINAL, 0,
		RANGE(u64, threshold_ns, 0, 1000000000000)},
	{"quiet", 'q', NULL, "no progress messages", "must be given without a value", OPTIONS_GROUP_ORIGINAL,
		0, FLAG(is_quiet)},
	{"file", 'f', "FILE", "write the report (XML); - is stdout, without the text", "must be the name of a file, or -",
		OPTIONS_GROUP_ORIGINAL, OPTIONS_COMMAND_ONLY, .set = options_set_string,
		.offset = AT(xml_path)},

	{"seed", 0, "N", "of the random numbers (drawn, and reported)", "must be 0 to 18446744073709551615",
		OPTIONS_GROUP_WORKLOAD, 0, BY(seed)},
	{"scatter", 0, NULL, "popular pages lie anywhere, not side by side", "must be given without a value",
		OPTIONS_GROUP_WORKLOAD, 0, FLAG(is_scattered)},
	{"phase", 0, "TIME:PATTERN", "this pattern for so long, then the next",
		"must be TIME:PATTERN as 10s:zipf,1.1", OPTIONS_GROUP_WORKLOAD, OPTIONS_REPEATS, BY(phase)},
	{"accesses", 0, "N", "stop each thread after so many accesses",
		"must be 1 to 9223372036854775807 accesses", OPTIONS_GROUP_WORKLOAD, 0,
		RANGE(u64, accesses, 1, INT64_MAX)},
	{"warmup", 0, "TIME", "warm up so long, or: pattern, none",
		"must be a time from 1ms to 1h, pattern or none", OPTIONS_GROUP_WORKLOAD, 0, BY(warmup), OFFER(warmup_words)},
	{"warmup-limit", 0, "TIME", "end a pattern's warm-up after TIME (the duration)",
		"must be a time from 1ms to 1h", OPTIONS_GROUP_WORKLOAD, 0, BY(warmup_limit)},
	{"processes", 0, "N", "processes, each with its own map (1)", "must be 1 to 256 processes",
		OPTIONS_GROUP_WORKLOAD, 0, RANGE(unsigned, processes, 1, 256)},
	{"setsize-list", 0, "A,B,...", "a set size for each process",
		"must be 2 to 64 sizes with commas between, as for -s", OPTIONS_GROUP_WORKLOAD, 0,
		BY(setsize_list)},

	{"map", 0, "KIND", "anon (default), shared, memfd, file:PATH, hugetlb",
		"must be anon, shared, memfd, file:PATH or hugetlb", OPTIONS_GROUP_MEMORY, 0, BY(map), OFFER(map_words)},
	{"content", 0, "KIND", "none (default), random, ptr, zero, ratio:P",
		"must be none, random, ptr, zero or ratio:P", OPTIONS_GROUP_MEMORY, 0, BY(content), OFFER(content_words)},
	{"thp", 0, NULL, "ask for transparent huge pages", "must be given without a value",
		OPTIONS_GROUP_MEMORY, 0, FLAG(mapping.wants_thp)},
	{"membind", 0, "NODES", "pages on these NUMA nodes only", "must be a list of NUMA nodes as 0,2-3",
		OPTIONS_GROUP_MEMORY, 0, BY(nodes), .min = PLACEMENT_BIND},
	{"interleave", 0, "NODES", "pages in turn on these nodes", "must be a list of NUMA nodes as 0,2-3",
		OPTIONS_GROUP_MEMORY, 0, BY(nodes), .min = PLACEMENT_INTERLEAVE},
	{"preferred", 0, "NODES", "pages on these nodes while there is room",
		"must be a list of NUMA nodes as 0,2-3", OPTIONS_GROUP_MEMORY, 0, BY(nodes),
		.min = PLACEMENT_PREFERRED},
	{"balancing", 0, NULL, "with --membind: let NUMA balancing move them",
		"must be given without a value", OPTIONS_GROUP_MEMORY, 0, FLAG(placement.is_balancing)},
	{"cpus", 0, "LIST", "pin threads in turn to 0-3, core:0-3, numa:1",
		"must be a list of CPUs as 0-3,8 or core:0-3 or numa:1", OPTIONS_GROUP_MEMORY, 0, BY(cpus)},

	{"ram", 0, "SIZE", "run in a memory cgroup of this size",
		"must be a size of at least 4M, with its unit", OPTIONS_GROUP_PRESSURE, 0, BY(ram)},
	{"high", 0, "SIZE", "slow the run down above SIZE (memory.high)", "must be a size of at least 4M, with its unit",
		OPTIONS_GROUP_PRESSURE, 0, BY(high)},
	{"swap", 0, "SPEC", "zram:SIZE[,ALGO], file:PATH,SIZE, loop:PATH,SIZE, dev:PATH, none",
		"must be zram:SIZE[,ALGO], file:PATH,SIZE, loop:PATH,SIZE, dev:PATH or none", OPTIONS_GROUP_PRESSURE, 0,
		BY(swap), OFFER(swap_words)},
	{"destroy-data", 0, "PATH", "confirm overwriting the device of --swap dev:PATH", "must be the PATH of --swap dev:PATH",
		OPTIONS_GROUP_PRESSURE, OPTIONS_COMMAND_ONLY, .set = options_set_destroy_data},
	{"page-cluster", 0, "N|keep", "read 2^N pages of swap in one fault (0)", "must be keep, or 0 to 31",
		OPTIONS_GROUP_PRESSURE, 0, BY(page_cluster), OFFER(page_cluster_words)},
	{"swappiness", 0, "N", "set swappiness for the run, 0 to 200", "must be 0 to 200", OPTIONS_GROUP_PRESSURE, 0,
		BY(swappiness)},
	{"eater", 0, "NODE=SIZE@T0-T1", "eat memory from T0 to T1; repeatable",
		"must be NODE=SIZE@T0-T1 as any=1G@10s-20s", OPTIONS_GROUP_PRESSURE, OPTIONS_REPEATS,
		BY(eater)},
	{"recover", 0, "set-aside", "put back what a killed run left, and end",
		"must be given alone, or as --recover=set-aside", OPTIONS_GROUP_PRESSURE,
		OPTIONS_COMMAND_ONLY | OPTIONS_MAY_BE_BARE, .set = options_set_recover},

	{"classify", 0, "HOW", "auto: tell hits and faults apart; none", "must be auto or none",
		OPTIONS_GROUP_MEASURING, 0, CHOICE(classify, classify_names)},
	{"hdr", 0, NULL, "fine histograms as well, from 1 ns, 1 %", "must be given without a value",
		OPTIONS_GROUP_MEASURING, 0, FLAG(wants_hdr)},
	{"store-visible", 0, NULL, "stop writes when other CPUs can see them",
		"must be given without a value", OPTIONS_GROUP_MEASURING, 0, FLAG(is_store_visible)},
	{"fault-trace", 0, NULL, "count faults by address with perf events", "must be given without a value",
		OPTIONS_GROUP_MEASURING, 0, FLAG(wants_fault_trace)},
	{"kernel-split", 0, NULL, "time the kernel's parts of a fault", "must be given without a value",
		OPTIONS_GROUP_MEASURING, 0, FLAG(wants_kernel_split)},
	{"force", 0, NULL, "run on a clock that is not to be trusted", "must be given without a value",
		OPTIONS_GROUP_MEASURING, 0, FLAG(is_forced)},

	{"interval", 0, "TIME", "a line every so often; also in the report (1s)",
		"must be a time from 10ms to 1h", OPTIONS_GROUP_OUTPUT, 0, BY(interval)},
	{"media-latency", 0, "US", "of the swap device: gives the OS overhead",
		"must be 0.001 to 1000000 microseconds", OPTIONS_GROUP_OUTPUT, 0, BY(media)},
	{"json", 0, "FILE", "write the report as JSON, to stdout by default",
		"must be the name of a file, or -", OPTIONS_GROUP_OUTPUT,
		OPTIONS_COMMAND_ONLY | OPTIONS_MAY_BE_BARE, .set = options_set_string,
		.offset = AT(json_path)},
	{"label", 0, "NAME=VALUE", "a label in the report; repeatable", LABEL_FORM, OPTIONS_GROUP_OUTPUT,
		OPTIONS_REPEATS, BY(label)},
	{"replay", 0, "REPORT", "the options of that run; others here replace them",
		"must be the name of a report", OPTIONS_GROUP_OUTPUT, OPTIONS_COMMAND_ONLY,
		.set = options_set_string, .offset = AT(replay_path)},
	{"brief", 0, NULL, "print rates, classes and verdict only", "must be given without a value",
		OPTIONS_GROUP_OUTPUT, OPTIONS_COMMAND_ONLY, FLAG(is_brief)},
	{"dry-run", 0, NULL, "say what would be done, and end", "must be given without a value",
		OPTIONS_GROUP_OUTPUT, OPTIONS_COMMAND_ONLY, FLAG(is_dry_run)},

	{"duration", 0, "DURATION", NULL,
		"must be a time from 1ms to 100000000s: seconds, or as 5m, 1.5h, 250ms", 0, OPTIONS_ARGUMENT,
		BY(duration)},
};

const struct options_row *options_table(size_t *count)
{
	*count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct options_row *options_row(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}
