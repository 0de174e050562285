/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks combinations of options and rejects contradictions. plan.c checks what depends on the machine. */
#include "config.h"
#include "pmbench/plan/options_parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/base/diag.h"
#include "common/cli/command.h"
#include "common/cli/start_option.h"
#include "common/report/report_read.h"
#include "common/run/frame.h"
#include "common/run/limits.h"
#include "pmbench/plan/options_values.h"

/* Adds the options of an original pmbench's report, so that the same accesses are measured the same way. Returns 0, -EINVAL if it
 * has no parameters, or -ENOMEM. */
static int take_original(const struct report_node *signature, struct opt_line *line, const char *path)
{
	static const char *const same[] = {"duration", "mapsize", "setsize", "delay", "jobs", "offset", "ratio", "access"};
	static const char *const flags[] = {"initialize", "quiet", "cold"};
	const struct report_node *params = report_read_find(signature, "params"), *node, *shape;
	bool is_whole, is_pareto;
	char text[32];
	int rc = params ? 0 : -EINVAL;

	for (size_t i = 0; !rc && i < sizeof(same) / sizeof(same[0]); i++) {
		node = report_read_find(params, same[i]);
		if (node)
			rc = replay_add(line, path, same[i], node->text);
	}
	for (size_t i = 0; !rc && i < sizeof(flags) / sizeof(flags[0]); i++) {
		node = report_read_find(params, flags[i]);
		if (node && !strcmp(node->text, "1"))
			rc = replay_add(line, path, flags[i], "yes");
	}
	if (rc)
		return rc;
	node = report_read_find(params, "pattern");
	if (node) {
		/* The original's zipf drew from a bounded Pareto distribution. It truncated the shape of linear and normal to an
		 * integer; other patterns ignored it. */
		is_whole = !strcmp(node->text, "linear") || !strcmp(node->text, "normal");
		is_pareto = !strcmp(node->text, "pareto") || !strcmp(node->text, "zipf");
		rc = replay_add(line, path, "pattern", is_pareto ? "pareto" : node->text);
		shape = report_read_find(params, "shape");
		if (!rc && shape && (is_whole || is_pareto)) {
			snprintf(text, sizeof(text), "%.*s", is_whole ? (int)strcspn(shape->text, ".") : (int)sizeof(text) - 1,
				shape->text);
			rc = replay_add(line, path, "shape", text);
		}
	}
	node = report_read_find(params, "tsops");
	/* The original's rdtscp was not fenced. */
	if (!rc && node)
		rc = replay_add(line, path, "timestamp", !strcmp(node->text, "rdtscp") ? "rdtscp-unfenced" : node->text);
	return rc;
}

static bool is_given(const struct opt_line *line, const char *name)
{
	return opt_source_of(line, name) != OPT_BY_DEFAULT;
}

/* Reads a recorded pattern; -e and --scatter become part of the patterns. */
static int complete_patterns(struct pmbench_options *options, const struct opt_line *line)
{
	struct pattern_spec *spec = &options->pattern;
	char why[128];
	int err;

	if (options->pattern_path) {
		err = recorded_read(options->pattern_path, &options->recorded, why, sizeof(why));
		if (err == -ENOMEM)
			return diag_host(err, "--pattern-file %s", options->pattern_path);
		if (err)
			return diag_usage("--pattern-file %s: %s", options->pattern_path, why);
		*spec = (struct pattern_spec){.kind = PATTERN_RECORDED, .recorded = options->recorded};
	}
	for (size_t i = 0; i < options->phase_count; i++)
		options->phases[i].pattern.is_scattered = options->is_scattered;
	spec->is_scattered = options->is_scattered;
	if (!options->has_shape)
		return DIAG_EXIT_OK;
	if (!pm_heeds_shape(spec->kind)) {
		if (opt_is_typed(line, "shape"))
			diag_warn("-e %g has no effect on the pattern %s", options->shape, pattern_name(spec->kind));
		return DIAG_EXIT_OK;
	}
	if (spec->has_shape && opt_source_of(line, "pattern") == opt_source_of(line, "shape"))
		return diag_usage("-e %g and -p %s,%g: the shape is given twice; keep one", options->shape,
			pattern_name(spec->kind), spec->shape);
	spec->has_shape = true;
	spec->shape = options->shape;
	return DIAG_EXIT_OK;
}

static int check_measuring(const struct pmbench_options *options)
{
	bool is_unclassified = options->classify == CLASSIFY_NONE, is_touch = options->access == ACCESS_TOUCH;
#define TOUCHED " and -a touch: touched accesses are not timed; use -a histo"
	const struct {
		bool is_wrong;
		const char *why;
	} rules[] = {
		{options->wants_kernel_split && is_unclassified,
			"--kernel-split and --classify none: it splits what was classified as a fault; use --classify auto"},
		{options->media_latency_us > 0 && is_unclassified,
			"--media-latency and --classify none: the overhead is that of major faults; use --classify auto"},
		{options->warmup_limit_ns && options->warmup != WARMUP_PATTERN,
			"--warmup-limit: only ends the warm-up of a pattern; drop it, or use --warmup pattern"},
		{options->placement.is_balancing && options->placement.policy != PLACEMENT_BIND,
			"--balancing: needs --membind NODES"},
		{options->mapping.wants_thp && options->mapping.kind == MAPPING_HUGETLB,
			"--thp and --map hugetlb: hugetlb pages are huge already; drop --thp"},
		{options->wants_hdr && is_touch, "--hdr" TOUCHED},
		{options->threshold_ns && is_touch, "-h" TOUCHED},
		{options->is_store_visible && is_touch, "--store-visible" TOUCHED},
		{options->wants_kernel_split && is_touch, "--kernel-split" TOUCHED},
		{options->media_latency_us > 0 && is_touch, "--media-latency" TOUCHED},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].is_wrong)
			return diag_usage("%s", rules[i].why);
	}
	return DIAG_EXIT_OK;
}

static int check_outputs(const struct pmbench_options *options, struct opt_line *line)
{
	const struct pressure_swap *swap = &options->pressure.swap;
	bool is_swap_file = pressure_makes_file(swap);
	const struct frame_file files[] = {
		{"-f", options->xml_path},
		{"--json", options->json_path},
		{"--map file:", options->mapping.kind == MAPPING_FILE ? options->mapping.path : NULL},
		{"--swap", is_swap_file ? swap->path : NULL},
	};
	const size_t count = sizeof(files) / sizeof(files[0]);

	for (size_t i = 0; i < count; i++) {
		if (report_is_same_file(files[i].path, options->replay_path))
			return opt_refuse(line, "replay", "is read; write to another file");
	}
	return frame_check_apart(files, count);
}

static int check(void *values, struct opt_line *line)
{
	struct pmbench_options *options = values;
	uint64_t sum_ns = 0;
	const char *why;
	int rc;

	if (pressure_parse_finish(&options->pressure, &why))
		return diag_usage("%s", why);
	options->has_map = is_given(line, "mapsize");
	options->has_set = is_given(line, "setsize");
	options->has_shape = is_given(line, "shape");
	options->has_seed = is_given(line, "seed");
	options->has_interval = is_given(line, "interval");
	options->has_duration = is_given(line, "duration");
	/* -c and -i are short for --warmup none and --content random, which therefore exclude them. */
	if (options->is_cold)
		options->warmup = WARMUP_NONE;
	if (options->is_initialized)
		options->mapping.content = CONTENT_RANDOM;
	options->is_cold = options->warmup == WARMUP_NONE;
	options->is_initialized = options->mapping.content != CONTENT_NONE;
	options->pressure.is_never_swapped = !mapping_is_swapped(&options->mapping);
	rc = complete_patterns(options, line);
	if (rc)
		return rc;
	if (options->affinity_count && options->processes > 1)
		return diag_usage("--processes %u with -y: each -y is a process of its own; give more of them", options->processes);
	if (options->setsize_count && !is_given(line, "processes"))
		options->processes = (unsigned)options->setsize_count;
	if (options->setsize_count && options->processes != options->setsize_count)
		return diag_usage("--setsize-list has %zu sizes for --processes %u: give one size for each process",
			options->setsize_count, options->processes);
	/* A recovery needs no duration. */
	if (options->recovery == PRESSURE_RECOVER_NOT && !options->has_duration && !options->accesses && !options->phase_count)
		return diag_usage("no duration: give DURATION in seconds (pmbench ... 300), --accesses N or --phase TIME:PATTERN");
	for (size_t i = 0; i < options->phase_count; i++)
		sum_ns += options->phases[i].duration_ns;
	if (options->recovery == PRESSURE_RECOVER_NOT && options->phase_count && options->has_duration &&
		options->duration_ns != sum_ns)
		return diag_usage("DURATION %g s and phases of %g s in all: drop DURATION, phases set the duration",
			(double)options->duration_ns / 1e9, (double)sum_ns / 1e9);
	rc = check_measuring(options);
	return rc ? rc : check_outputs(options, line);
}

#define AT(field) offsetof(struct pmbench_options, field)
#define MAX_TICKS 1000000000000
#define SIZE_ALLOWED "must be a size above 0 and below 2^64 bytes: MiB, or with a unit, or up to 100%"
#define NODES_ALLOWED "must be a list of NUMA nodes as 0,2-3"

/* in the order of the enums */
static const char *const access_names[] = {"histo", "touch", NULL};
static const char *const classify_names[] = {"auto", "none", NULL};

/* values for the completion of a shell */
static const char *const pattern_words[] = {"uniform", "normal", "normal_ih", "linear", "pareto", "zipf", "hotset", NULL};
static const char *const timer_words[] = {"rdtscp", "rdtscp-unfenced", "rdtsc", "perfc", "cntvct", NULL};
static const char *const warmup_words[] = {"pattern", "none", NULL};
static const char *const map_words[] = {"anon", "shared", "memfd", "file:", "hugetlb", NULL};
static const char *const content_words[] = {"none", "random", "ptr", "zero", "ratio:", NULL};

const struct opt pm_options[] = {
	{.type = OPT_TITLE, .help = "Options of the original pmbench"},
	{"mapsize", 'm', "SIZE", OPT_OWN, 0, .offset = AT(map), .set = pm_set_share, .get = pm_get_share,
		.allowed = SIZE_ALLOWED, .help = "map SIZE: MiB, 8g or 75% of RAM (default: 256)",
		.manual = "Map SIZE of memory in each process.\n"
			"The default is 256 MiB, or the largest set if that is more.\n"
			"Maps that would not fit into the available memory and swap together are\n"
			"refused; files are exempt, unless they are on tmpfs."},
	{"setsize", 's', "SIZE", OPT_OWN, 0, .offset = AT(set), .set = pm_set_share, .get = pm_get_share,
		.allowed = SIZE_ALLOWED, .help = "access the first SIZE of the map (default: all of -m, or 128)",
		.manual = "Access the first SIZE of the map.\n"
			"The default is all of it when -m is given, otherwise 128 MiB."},
	{"pattern", 'p', "PATTERN", OPT_OWN, 0, .offset = AT(pattern), .choices = pattern_words, .preset = "uniform",
		.set = pm_set_pattern,
		.get = pm_get_pattern,
		.help = "draw pages by uniform, normal, normal_ih, linear, pareto, zipf or hotset",
		.manual = "Draw the next page by PATTERN, see PATTERNS."},
	{"pattern-file", 0, "FILE", OPT_STRING, .offset = AT(pattern_path),
		.help = "draw pages by FILE, which memtrace export wrote",
		.manual = "Draw pages as a recorded program did; `memtrace export --to pmbench` writes FILE.\n"
			"When FILE has an order, each thread repeats it from its start; otherwise pages\n"
			"are drawn by their recorded popularity. The set must have at least as many\n"
			"pages; the rest of it is not accessed. It excludes -p, -e and --phase."},
	{"shape", 'e', "REAL", OPT_DOUBLE, 0, .offset = AT(shape), .low = 0, .high = 1e18, .get = pm_get_shape,
		.help = "set the pattern's shape: deviation, stride or exponent",
		.manual = "Set the pattern's shape, as `PATTERN,SHAPE` does, 0 to 1e18.\n"
			"It has no effect on uniform, normal_ih and hotset."},
	{"ratio", 'r', "PERCENT", OPT_UNSIGNED, 0, .offset = AT(ratio), .max = 100, .preset = "50", .get = opt_get_plain,
		.help = "make PERCENT of the accesses reads",
		.manual = "Make PERCENT of the accesses reads and the others writes; each one is drawn."},
	{"jobs", 'j', "THREADS", OPT_UNSIGNED, 0, .offset = AT(jobs), .min = 1, .max = 1024, .get = opt_get_plain,
		.help = "run THREADS threads in each process (default: 1)",
		.manual = "Run THREADS threads in each process, 1 to 1024 over all processes.\n"
			"They share the map; each draws its own sequence.\n"
			"The default is 1."},
	{"affinityset", 'y', "CPUS[:N]", OPT_OWN, OPT_REPEATS, .set = pm_set_affinity, .get = pm_get_affinity,
		.allowed = "must be a list of CPUs as 0-3 or core:0-3, optionally with :THREADS from 1 to 1024",
		.help = "run a process of N threads on these CPUS; repeatable",
		.manual = "Run a process of N threads (default: one per CPU), each of which may run on all\n"
			"of CPUS, a list as for --cpus; up to 64 times, instead of -j and --cpus.\n"
			"Each process has a map of its own, which on a machine with several NUMA nodes\n"
			"is bound to the nodes of its CPUs."},
	{"timestamp", 't', "TIMER", OPT_OWN, 0, .offset = AT(method), .choices = timer_words, .set = pm_set_timer,
		.get = pm_get_timer,
		.allowed = "must be rdtscp, rdtscp-unfenced, rdtsc, perfc or cntvct",
		.help = "read the time from TIMER (default: the processor's, rdtscp or cntvct)",
		.manual = "Read the time from TIMER:\n"
			"`rdtscp` (default on x86-64), `rdtscp-unfenced` (the original's pair), `rdtsc`,\n"
			"`cntvct` (default on aarch64) or `perfc` (everywhere).\n"
			"See NOTES."},
	{"access", 'a', "METHOD", OPT_CHOICE, 0, .offset = AT(access), .choices = access_names, .preset = "histo",
		.help = "time accesses (histo) or only count them (touch)",
		.manual = "Time each access (`histo`), or only count accesses (`touch`).\n"
			"`touch` excludes the options that need a latency: -h, --hdr, --store-visible,\n"
			"--kernel-split and --media-latency."},
	{"offset", 'o', "WORD", OPT_OWN, 0, .preset = "-1", .set = pm_set_offset, .get = pm_get_offset,
		.allowed = "must be a 4-byte word of the page from 0 (to 1023 in a page of 4 KiB), bytes as 64B, "
			   "or -1 for random", .help = "access this 4-byte WORD of the page; -1 draws it",
		.manual = "Access this 4-byte WORD of the page, 0 to 1023 in a page of 4 KiB, or given in\n"
			"bytes as `64B`; `-1` or `random` draws the word."},
	{"delay", 'd', "TICKS", OPT_U64, 0, .offset = AT(delay_ticks), .max = MAX_TICKS, .preset = "0",
		.get = opt_get_plain, .help = "wait TICKS of the timer after each access",
		.manual = "Wait TICKS of the timer after each access, up to 1000000000000."},
	{"cold", 'c', NULL, OPT_FLAG, 0, .offset = AT(is_cold), .get = opt_get_nothing,
		.help = "do not warm up; same as --warmup=none"},
	{"initialize", 'i', NULL, OPT_FLAG, 0, .offset = AT(is_initialized), .get = opt_get_nothing,
		.help = "fill the map first; same as --content=random",
		.manual = "Fill the whole map with random data before the run; same as --content=random."},
	{"wrneedsrd", 'z', NULL, OPT_FLAG, 0, .offset = AT(write_needs_read), .help = "read before each write",
		.manual = "Read the same word before each write, and time the two as one write."},
	{"threshold", 'h', "NS", OPT_U64, 0, .offset = AT(threshold_ns), .max = MAX_TICKS, .preset = "0",
		.get = opt_get_plain, .help = "mark accesses above NS in the kernel's trace; 0 is off",
		.manual = "Write a line to the kernel's `trace_marker` for each access that takes more\n"
			"than NS nanoseconds, where tracefs allows it; 0 is off.\n"
			"Help is -?."},
	{"quiet", 'q', NULL, OPT_FLAG, 0, .offset = AT(is_quiet), .help = "print no progress messages",
		.manual = "Print no progress messages before the report."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = AT(xml_path), .begins = "<?xml",
		.help = "write the report (XML) to FILE; - is stdout, without the text",
		.manual = "Write the report as XML to FILE; `-` is stdout, where the report takes the\n"
			"text's place.\n"
			"The file appears complete or not at all."},
	{.type = OPT_TITLE, .help = "Workload"},
	{"seed", 0, "N", OPT_U64, 0, .offset = AT(seed), .get = pm_get_seed,
		.help = "seed the random numbers with N (default: a random seed, reported)",
		.manual = "Seed all random numbers with N.\n"
			"The same seed and options give the same accesses.\n"
			"Without this option each run draws a seed and reports it."},
	{"scatter", 0, NULL, OPT_FLAG, 0, .offset = AT(is_scattered), .help = "spread popular pages over the set",
		.manual = "Spread the pages of a pattern over the set by a permutation, so that pages of\n"
			"similar popularity are not neighbours."},
	{"phase", 0, "TIME:PATTERN", OPT_OWN, OPT_REPEATS, .set = pm_set_phase, .get = pm_get_phase,
		.allowed = "must be TIME:PATTERN as 10s:zipf,1.1",
		.help = "access by PATTERN for TIME, then start the next phase; repeatable",
		.manual = "Access by PATTERN for TIME, then continue with the next --phase; up to 64.\n"
			"Their sum is the duration; a `DURATION` that differs is refused.\n"
			"It excludes -p and -e."},
	{"accesses", 0, "N", OPT_U64, 0, .offset = AT(accesses), .min = 1, .max = INT64_MAX, .get = opt_get_plain,
		.help = "stop each thread after N accesses",
		.manual = "Stop each thread after N accesses, or at `DURATION` if that comes first."},
	{"warmup", 0, "TIME", OPT_OWN, 0, .choices = warmup_words, .preset = "pattern", .set = pm_set_warmup,
		.get = pm_get_warmup,
		.allowed = "must be a time from 1ms to 1h, pattern or none",
		.help = "warm up for TIME, by the pattern (pattern) or not (none)",
		.manual = "Warm up for TIME, from 1ms to 1h.\n"
			"`pattern`: as many accesses as the original, 1 (linear, normal, normal_ih), 4\n"
			"(uniform, hotset) or 8 (pareto, zipf) for each page of the set.\n"
			"`none`: as -c.\n"
			"It excludes -c."},
	{"warmup-limit", 0, "TIME", OPT_TIME, 0, .offset = AT(warmup_limit_ns), .min = OPTIONS_TIME_MIN,
		.max = OPTIONS_HOUR, .get = opt_get_plain,
		.help = "end a pattern's warm-up after TIME (default: the duration)",
		.manual = "End the warm-up of a pattern after TIME, from 1ms to 1h, even when not all of\n"
			"its accesses are made.\n"
			"The default is the duration of the run, or 10 minutes where only --accesses\n"
			"bounds it.\n"
			"The report notes a warm-up that was ended (`warm-up-cut`).\n"
			"It excludes -c and a --warmup that names a time."},
	{"processes", 0, "N", OPT_UNSIGNED, 0, .offset = AT(processes), .min = 1, .max = 256, .preset = "1",
		.get = opt_get_plain, .help = "run N processes, each with its own map",
		.manual = "Run N processes, 1 to 256, each with its own map and -j threads.\n"
			"It excludes -y."},
	{"setsize-list", 0, "A,B,...", OPT_OWN, 0, .set = pm_set_setsize_list, .get = pm_get_setsize_list,
		.allowed = "must be 2 to 64 sizes with commas between, as for -s",
		.help = "run a process for each of these set sizes",
		.manual = "Run a process for each of these 2 to 64 set sizes; implies --processes.\n"
			"Without -m each process maps as much as its set.\n"
			"It excludes -s and -y."},
	{.type = OPT_TITLE, .help = "Memory"},
	{"map", 0, "KIND", OPT_OWN, 0, .offset = AT(mapping), .choices = map_words, .preset = "anon", .set = pm_set_map,
		.must_be_typed = pm_map_writes_file, .help = "map anon, shared, memfd, file:PATH or hugetlb memory",
		.manual = "Map memory of this KIND.\n"
			"`anon`: private and anonymous.\n"
			"`shared`, `memfd`: shared memory.\n"
			"`file:`PATH makes a file and removes it, or only reads one that exists (`-r 100`\n"
			"without -i); an existing file is never written.\n"
			"`hugetlb`: reserved huge pages; excludes --thp."},
	{"content", 0, "KIND", OPT_OWN, 0, .offset = AT(mapping), .choices = content_words, .preset = "none",
		.set = pm_set_content,
		.get = pm_get_content, .help = "fill the map first with random, ptr, zero or ratio:P",
		.manual = "Fill the map before the run: `none` (nothing is written), `random`, `ptr`\n"
			"(addresses), `zero`, or `ratio:`P (P percent of each page zero, the rest\n"
			"random), which sets how well compressed swap can compress it.\n"
			"It excludes -i."},
	{"thp", 0, NULL, OPT_FLAG, 0, .offset = AT(mapping.wants_thp), .help = "ask for transparent huge pages",
		.manual = "Ask for transparent huge pages.\n"
			"Without this option they are declined."},
	{"membind", 0, "NODES", OPT_OWN, 0, .offset = AT(placement), .min = PLACEMENT_BIND, .set = pm_set_nodes,
		.allowed = NODES_ALLOWED, .help = "allocate on these NUMA nodes only",
		.manual = "Allocate on these NUMA nodes only, given as 0,2-3; nodes without CPUs are\n"
			"allowed.\n"
			"It excludes --interleave and --preferred."},
	{"interleave", 0, "NODES", OPT_OWN, 0, .offset = AT(placement), .min = PLACEMENT_INTERLEAVE,
		.set = pm_set_nodes,
		.allowed = NODES_ALLOWED, .help = "allocate on these nodes in turn",
		.manual = "Allocate on these NUMA nodes in turn.\n"
			"It excludes --membind and --preferred."},
	{"preferred", 0, "NODES", OPT_OWN, 0, .offset = AT(placement), .min = PLACEMENT_PREFERRED, .set = pm_set_nodes,
		.allowed = NODES_ALLOWED, .help = "allocate on these nodes while they have free memory",
		.manual = "Allocate on these NUMA nodes while they have free memory.\n"
			"It excludes --membind and --interleave."},
	{"balancing", 0, NULL, OPT_FLAG, 0, .offset = AT(placement.is_balancing),
		.help = "let NUMA balancing move pages of --membind",
		.manual = "Let the kernel's NUMA balancing move pages between the nodes of --membind, which\n"
			"it needs."},
	{"cpus", 0, "LIST", OPT_OWN, 0, .offset = AT(placement), .set = pm_set_cpus,
		.allowed = "must be a list of CPUs as 0-3,8 or core:0-3 or numa:1",
		.help = "pin threads in turn to the CPUs of LIST: 0-3, core:0-3, numa:1",
		.manual = "Pin each thread to one CPU of LIST, in turn: `0-3,8`, `core:0-3`, `package:1`,\n"
			"`numa:0`, `pu:2`.\n"
			"The default is the inherited affinity.\n"
			"It excludes -y."},
	{.type = OPT_TITLE, .help = "Pressure (needs root; all is restored at the end)"},
	PRESSURE_OPTIONS(offsetof(struct pmbench_options, pressure)),
	PRESSURE_RECOVER_OPTION(offsetof(struct pmbench_options, recovery)),
	{.type = OPT_TITLE, .help = "Measuring"},
	{"classify", 0, "HOW", OPT_CHOICE, 0, .offset = AT(classify), .choices = classify_names, .preset = "auto",
		.help = "distinguish hits and faults (auto), or not (none)",
		.manual = "Distinguish hits, minor faults and major faults by the kernel's counts (`auto`),\n"
			"or not (`none`).\n"
			"`none` excludes --kernel-split and --media-latency."},
	{"hdr", 0, NULL, OPT_FLAG, 0, .offset = AT(wants_hdr), .help = "also count latencies in fine histograms",
		.manual = "Also count latencies in fine histograms: from 1 ns to hours, buckets at most 1 % wide."},
	{"store-visible", 0, NULL, OPT_FLAG, 0, .offset = AT(is_store_visible),
		.help = "time each write until other CPUs can see it",
		.manual = "Time each write until other CPUs can see it, not until it has retired."},
	{"kernel-split", 0, NULL, OPT_FLAG, 0, .offset = AT(wants_kernel_split),
		.help = "time the parts of a fault inside the kernel",
		.manual = "Time entry, handling and exit of faults inside the kernel, where privileges\n"
			"allow."},
	{"force", 0, NULL, OPT_FLAG, 0, .offset = AT(is_forced), .help = "run even if the clock is not trusted",
		.manual = "Run even if the clock is not trusted; the report says so."},
	{"accept-limit", 0, NULL, OPT_FLAG, 0, .offset = AT(accepts_limits), .help = LIMITS_OPTION_HELP,
		.manual = LIMITS_OPTION_MANUAL},
	{.type = OPT_TITLE, .help = "Output"},
	{"interval", 0, "TIME", OPT_TIME, 0, .offset = AT(interval_ns), .min = 10000000, .max = OPTIONS_HOUR,
		.get = opt_get_plain, .help = "print progress every TIME (default: never)",
		.manual = "Print progress every TIME, from 10ms to 1h, from a thread that does not\n"
			"measure.\n"
			"The series in the report uses the same interval.\n"
			"Without this option nothing is printed, and the series has one row per second,\n"
			"or a thousand rows in runs of more than 1000 seconds."},
	{"media-latency", 0, "US", OPT_DOUBLE, 0, .offset = AT(media_latency_us), .low = 0.001, .high = 1e6,
		.get = opt_get_plain, .help = "take US as the swap device's latency, and print the OS overhead",
		.manual = "Take the latency of the swap device itself as US microseconds, 0.001 to 1000000:\n"
			"the text then has the operating system's overhead for each major fault."},
	{"json", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = AT(json_path), .begins = "{", .bare = "-",
		.help = "write the report as JSON to FILE (default: stdout)",
		.manual = "Write the report as JSON to FILE; without FILE it replaces the text on stdout."},
	{"label", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS, .offset = AT(labels), .set = label_set,
		.allowed = LABEL_FORM, .help = "put a label into the report; repeatable",
		.manual = "Put a label into the report; up to 32."},
	START_OPTION(AT(start), "to measure", "The memory is mapped, filled and warmed up before."),
	{"replay", 0, "REPORT", OPT_STRING, OPT_UNREPORTED | OPT_FIRST, .offset = AT(replay_path),
		.help = "repeat the run of REPORT; options on the command line replace its own",
		.manual = "Take the options of the run of REPORT, including its seed.\n"
			"Options on the command line replace them, and those that contradict them.\n"
			"Output files are taken from the command line only.\n"
			"--swap and `--map=file:`PATH change the machine or write a file: a report that\n"
			"has one is refused unless the same option, with this value or another, is on\n"
			"the command line.\n"
			"One line on stderr lists what is taken.\n"
			"\n"
			"Reports of the original pmbench can be repeated, too: its zipf, which was a\n"
			"Pareto distribution, as pareto, and its rdtscp as rdtscp-unfenced.\n"
			"A report in JSON is not read."},
	{"brief", 0, NULL, OPT_FLAG, OPT_UNREPORTED, .offset = AT(is_brief),
		.help = "print rates, classes and verdict only",
		.manual = "Print rates, the classes of all accesses, the verdict and its reasons on a dozen\n"
			"lines, instead of the original's text and its additions."},
	{"dry-run", 0, NULL, OPT_FLAG, OPT_UNREPORTED, .offset = AT(is_dry_run),
		.help = "check everything, print what would be done, and exit"},
	{"duration", 0, "DURATION", OPT_TIME, OPT_ARGUMENT, AT(duration_ns), .min = OPTIONS_TIME_MIN, .max = OPTIONS_TIME_MAX,
		.get = opt_get_plain},
	{0},
};

static const struct opt_relation relations[] = {
	{OPT_EXCLUDES, "jobs", "affinityset", "each -y gives its own number of threads as CPUS:THREADS; drop -j"},
	{OPT_EXCLUDES, "affinityset", "cpus", "both set where threads run; keep one"},
	{OPT_EXCLUDES, "affinityset", "setsize-list", "the processes of -y all use the set size of -s; drop --setsize-list"},
	{OPT_EXCLUDES, "setsize", "setsize-list", "both set the size of a set; keep one"},
	{OPT_EXCLUDES, "cold", "warmup", "both set the warm-up; keep one"},
	{OPT_EXCLUDES, "cold", "warmup-limit", "without a warm-up there is nothing to end; drop --warmup-limit"},
	{OPT_EXCLUDES, "initialize", "content", "-i is --content random; keep one"},
	{OPT_EXCLUDES, "pattern", "phase", "each phase names its pattern; drop -p"},
	{OPT_EXCLUDES, "pattern-file", "pattern", "both set which page is next; keep one"},
	{OPT_EXCLUDES, "pattern-file", "shape", "a recorded pattern has no shape; drop -e"},
	{OPT_EXCLUDES, "pattern-file", "phase", "both set which page is next; keep one"},
	{OPT_EXCLUDES, "shape", "phase", "give the shape in the phase, as 10s:zipf,1.1; drop -e"},
	{OPT_EXCLUDES, "membind", "interleave", "memory has one policy; keep one"},
	{OPT_EXCLUDES, "membind", "preferred", "memory has one policy; keep one"},
	{OPT_EXCLUDES, "interleave", "preferred", "memory has one policy; keep one"},
	{OPT_REPLACES, "pattern", "shape", NULL},
	{OPT_REPLACES, "phase", "duration", NULL},
	{OPT_REPLACES, "warmup", "warmup-limit", NULL},
	{OPT_REPLACES, "duration", "phase", NULL},
	{OPT_REPLACES, "interleave", "balancing", NULL},
	{OPT_REPLACES, "preferred", "balancing", NULL},
	{OPT_REPLACES, "processes", "setsize-list", NULL},
	{OPT_REPLACES, "setsize-list", "processes", NULL},
	{0},
};

static int add_replayed(void *options, struct opt_line *line)
{
	static const struct replay replay = {.root = "pmbenchmark", .take_other = take_original};
	const char *path = ((struct pmbench_options *)options)->replay_path;

	return path ? replay_take(&replay, path, line) : DIAG_EXIT_OK;
}

int options_parse(int argc, char **argv, struct pmbench_options *options)
{
	static const struct program program = {.name = "pmbench"};
	static const struct command command = {
		.program = &program,
		.arguments = "[DURATION]",
		.doc = "Measure how long an access to a page takes, for DURATION (300, 5m, 1.5h): in a map larger than memory this "
		       "is the cost of paging.",
		.examples = "  pmbench -m 8192 -p uniform 300\n"
			    "  pmbench --ram 1G --swap zram:4G -m 4096 -i 60\n",
		.notes = "Sizes without a unit are MiB in -m, -s and --setsize-list, bytes elsewhere; times without one are "
			 "seconds. -h is a threshold: help is -?. See pmbench(1).",
		.options = pm_options,
		.relations = relations,
		.add = add_replayed,
		.check = check,
	};
	int rc;

	*options = (struct pmbench_options){.method = TICKS_DEFAULT, .argc = argc, .argv = argv};
	rc = command_parse(&command, argc, argv, options, &options->line, NULL);
	if (!rc && opt_list_effective(&options->line, options)) {
		diag_error(ENOMEM, "cannot list the options");
		rc = DIAG_EXIT_HOST;
	}
	if (rc)
		options_free(options);
	return rc;
}

void options_free(struct pmbench_options *options)
{
	label_free(&options->labels);
	recorded_free(options->recorded);
	options->recorded = NULL; /* options that were refused are freed twice */
	opt_free(&options->line);
}
