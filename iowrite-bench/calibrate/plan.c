/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <inttypes.h>

#include "common/base/diag.h"
#include "iowrite-bench/calibrate/plan.h"
#include "iowrite-bench/setup/test_setup.h"

#define AT(member) offsetof(struct calibrate_options, member)
#define MOST_BYTES (1ull << 50)

static const char *const memories[] = {[CALIBRATE_WARM] = "warm", [CALIBRATE_AS_IS] = "as-is", NULL};

static int set_cpus(struct opt_value *in)
{
	return pin_parse(in->text, opt_field(in), &in->why);
}

const struct opt calibrate_option_rows[] = {
	{.type = OPT_TITLE, .help = "Target and conditions"},
	{.name = "directory", .value = "DIR", .type = OPT_STRING, .offset = AT(directory), .preset = ".",
		.help = "write to a file without a name in DIR",
		.manual = "Write to a file without a name in DIR. It is removed when the program ends, however it ends."},
	{.name = "filename", .value = "FILE", .type = OPT_STRING, .offset = AT(filename),
		.help = "write to this new file or block device instead",
		.manual = "Write to FILE instead, which must be a new file or a block device. Excludes --directory "
			  "and --slow-device."},
	{.name = "destroy-data", .value = "FILE", .type = OPT_STRING, .offset = AT(destroy_data),
		.help = "confirm overwriting FILE: the text of --filename, or the device's serial number",
		.manual = "Confirm overwriting the data of an existing file or of a device: FILE is the text of "
			  "--filename, or the device's serial number. Needs --filename."},
	{.name = "mem", .value = "warm|as-is", .type = OPT_CHOICE, .offset = AT(memory),
		.choices = memories, .preset = "warm",
		.allowed = "must be warm or as-is (cold memory is measured in any case)",
		.help = "fill the page cache from recently used memory (warm) or from any free memory (as-is)",
		.manual = "Memory for the page cache: recently used (`warm`), which the host has backed already, "
			  "or any free memory (`as-is`). With `warm` the speed of cold memory is "
			  "measured, too, and write-back is measured as with `run --mem=warm`."},
	{.name = "cpus", .value = "LIST|none", .type = OPT_OWN, .offset = AT(cpus), .set = set_cpus,
		.help = "pin the writer to the first CPU of LIST (0-3, core:0-3, numa:1); leave the others to the "
			"kernel's flusher (default: the last CPU)",
		.manual = "Pin the writer to the first CPU of LIST, such as `0-3,8`, `core:0-3` or `numa:1`; with "
			  "`none` leave it where the scheduler puts it. The default is the last CPU that the program "
			  "may run on.\n\n"
			  "The cost of write-back to a writer depends on whether the two share a CPU. On a machine "
			  "of one CPU nothing is pinned. The calibration records the CPU, and `evaluate` "
			  "uses the same one; where that is not allowed it uses the last one and reports it."},
	{.name = "slow-device", .value = "RATE", .type = OPT_SIZE, .offset = AT(slow_bytes_per_second),
		.min = UNITS_MIB, .max = MOST_BYTES, .allowed = "must be a rate of at least 1M bytes/s, as 400M",
		.help = "build a loop device of RATE bytes/s in the folder, and calibrate it as with --stage (root)",
		.manual = "Build a loop device in --directory that writes at most RATE bytes per second, with a file "
			  "system of its own, and calibrate it, for `evaluate --slow-device` and `trace "
			  "--slow-device` of the same rate. Needs root and implies --stage. Its image takes 5 GiB, "
			  "of which --size may be up to 4864 MiB. The device is removed when the program ends, however "
			  "it ends. Excludes --filename."},
	{.type = OPT_TITLE, .help = "How much"},
	{.name = "runtime", .value = "TIME", .type = OPT_TIME, .offset = AT(runtime_ns), .min = UNITS_NS_PER_SEC,
		.max = 3600 * UNITS_NS_PER_SEC, .preset = "150s", .help = "measure for at most TIME",
		.manual = "Measure for at most TIME, from 1 second to 1 hour: no block begins later."},
	{.name = "spread", .value = "TIME", .type = OPT_TIME, .offset = AT(spread_ns), .min = UNITS_NS_PER_SEC,
		.max = 24 * 3600 * UNITS_NS_PER_SEC,
		.help = "spread 8 rounds over TIME, with rests between them (default: off)",
		.manual = "Spread 8 rounds over TIME, up to a day, with rests between them: for a machine whose "
			  "speed changes from one minute to the next, such as a guest of a busy host, which a minute "
			  "and a half samples only once. TIME is --runtime or longer; --runtime does not include the "
			  "rests, and there are fewer than 8 rounds when it is used up earlier. All rounds are "
			  "measured, also of values that are known to 3 % before. Write-back and throttled writes of "
			  "--stage are still measured at the end, so that no other program is throttled during the "
			  "rests."},
	{.name = "size", .value = "SIZE", .type = OPT_SIZE, .offset = AT(size_bytes),
		.min = PLAN_LEAST_BYTES, .max = MOST_BYTES,
		.help = "make a file of SIZE bytes (default: up to 2G, by free memory and free space)",
		.manual = "Size of the file, at least 64M. The default is a quarter of the free memory and of the "
			  "free space, up to 2 GiB."},
	{.name = "max-bytes", .value = "SIZE", .type = OPT_SIZE, .offset = AT(max_bytes), .min = 2 * PLAN_LEAST_BYTES,
		.max = MOST_BYTES, .preset = "64g", .help = "write at most SIZE bytes",
		.manual = "Write at most SIZE bytes in all, including those that never leave the page cache; at "
			  "least twice --size."},
	{.name = "find-cache", .value = "SIZE", .type = OPT_SIZE, .offset = AT(burst_bytes),
		.min = UNITS_GIB, .max = MOST_BYTES,
		.help = "at the end, write up to SIZE without a pause until the device slows down (default: off)",
		.manual = "At the end, let the device rest for 10 seconds, then write up to SIZE without a pause "
			  "until its rate stays a fifth or more lower. `sync_cache` is what it accepted until then, "
			  "`bw_sync_late` its rate from then on. For SSDs with a fast cache and cloud disks with "
			  "burst credit. At least 1G and at most half of --max-bytes, which it counts against; "
			  "--runtime does not include it. Without this option both values are unknown, and the "
			  "models assume a constant rate."},
	{.name = "stage", .type = OPT_FLAG, .offset = AT(is_staged),
		.help = "set small dirty thresholds where a measurement needs them (root)",
		.manual = "Set small dirty thresholds for the whole machine while write-back next to a writer and "
			  "throttled writes are measured, which is the last third of --runtime. Needs root and a "
			  "--size of 1 GiB or more. The thresholds are restored in any case, also after `kill -9`. "
			  "Without this option throttled writes stay unknown where they begin beyond --size."},
	{.type = OPT_TITLE, .help = "Output"},
	{.name = "output", .letter = 'o', .value = "FILE", .type = OPT_STRING, .flags = OPT_OUTPUT, .begins = "<?xml",
		.offset = AT(output),
		.help = "write the calibration to FILE, for predict and evaluate (required)",
		.manual = "Write the calibration to FILE. Required unless --dry-run is given."},
	{.name = "quiet", .letter = 'q', .type = OPT_FLAG, .offset = AT(is_quiet), .help = "print no table"},
	{.name = "dry-run", .letter = 'n', .type = OPT_FLAG, .offset = AT(is_dry_run),
		.help = "print the plan and change nothing"},
	{0},
};

const struct opt_relation calibrate_option_relations[] = {
	{OPT_EXCLUDES, "directory", "filename", "both name the target; keep one"},
	{OPT_EXCLUDES, "slow-device", "filename", "a slow device is built in a folder; name it by --directory"},
	{OPT_NEEDS, "destroy-data", "filename", NULL},
	{0},
};

int calibrate_options_check(void *whole, struct opt_line *line)
{
	struct calibrate_options *options = whole;

	options->path = options->filename ? options->filename : options->directory;
	options->is_staged |= options->slow_bytes_per_second > 0;
	if (!options->output && !options->is_dry_run)
		return opt_refuse(line, "output", "is required unless --dry-run is given, as -o system.xml");
	if (options->size_bytes && options->max_bytes < 2 * options->size_bytes)
		return opt_refuse(line, "max-bytes",
			"must be at least twice --size: the file is written more than once");
	if (options->spread_ns && options->spread_ns < options->runtime_ns)
		return opt_refuse(line, "spread", "must be at least --runtime: it includes that time and the rests");
	if (options->burst_bytes > options->max_bytes / 2)
		return opt_refuse(line, "find-cache",
			"must be at most half of --max-bytes: the rest is measured with the other half");
	return DIAG_EXIT_OK;
}

/* --- plan --- */

#define MIB ((uint64_t)UNITS_MIB)
#define SIZE_MOST (2048 * MIB)
#define WRITTEN_MOST (128 * MIB)
#define LARGEST_MOST (128 * MIB)

uint64_t calibrate_plan_size(uint64_t memory_bytes, uint64_t free_bytes, uint64_t max_bytes)
{
	uint64_t part = calibrate_least(memory_bytes, free_bytes) / PLAN_SIZE_PART;
	uint64_t size = calibrate_least(SIZE_MOST, calibrate_least(part, max_bytes / 8));

	size -= size % MIB;
	return size > PLAN_LEAST_BYTES ? size : PLAN_LEAST_BYTES;
}

int calibrate_plan_make(const struct calibrate_options *options, const struct target *target,
	const struct dirty_state *dirty, uint64_t size_bytes, struct calibrate_plan *plan)
{
	char why[TEST_SETUP_WHY];

	*plan = (struct calibrate_plan){
		.runtime_ns = options->runtime_ns,
		.spread_ns = options->spread_ns,
		.size_bytes = size_bytes,
		.written_bytes = calibrate_least(WRITTEN_MOST, size_bytes / 8),
		.max_bytes = options->max_bytes,
		.burst_bytes = options->burst_bytes,
		.largest_bytes = calibrate_least(LARGEST_MOST, size_bytes / 8),
		/* Other files may hold the remaining third. */
		.dirty_bytes = dirty->background_threshold / 3 * 2,
		.fs_block = target->fs_block,
		.align = target->has_direct ? target->offset_align : 512,
		.has_direct = target->has_direct,
		.has_append = target->kind != TARGET_DEVICE,
		.is_pooled = options->memory == CALIBRATE_WARM,
		.is_staged = options->is_staged,
		.background_bytes = dirty->background_threshold,
		.threshold_bytes = dirty->threshold,
	};
	plan->written_bytes -= plan->written_bytes % MIB;
	plan->largest_bytes -= plan->largest_bytes % MIB;
	if (plan->size_bytes > plan->max_bytes / 2)
		return diag_usage("the file has %" PRIu64 " MiB, and --max-bytes must be at least twice that: give a smaller "
			"--size or a larger --max-bytes", plan->size_bytes / MIB);
	if (options->is_staged && test_setup_lacks(true, options->slow_bytes_per_second, why, sizeof(why)))
		return diag_host(0, "--stage needs %s", why);
	if (options->is_staged && 2 * PLAN_STAGE_THROTTLED > plan->size_bytes)
		return diag_usage("--stage needs --size of %" PRIu64 " MiB or more: its thresholds are %" PRIu64 " and %" PRIu64
			" MiB", (uint64_t)(2 * PLAN_STAGE_THROTTLED / MIB), (uint64_t)(PLAN_STAGE_BACKGROUND / MIB),
			(uint64_t)(PLAN_STAGE_THROTTLED / MIB));
	return DIAG_EXIT_OK;
}

void calibrate_plan_print(const struct calibrate_plan *plan, const struct calibrate_options *options)
{
	char writer[sizeof(((struct pin *)0)->text)];
	cpu_set_t inherited;
	char size[UNITS_TEXT], most[UNITS_TEXT], runtime[UNITS_TEXT], spread[UNITS_TEXT], burst[UNITS_TEXT];

	if (options->slow_bytes_per_second)
		printf("device      a loop device of %" PRIu64 " MiB with %.0f MB/s, in the target's folder\n",
			(uint64_t)(PLAN_SLOW_BYTES / MIB), (double)options->slow_bytes_per_second / 1e6);
	printf("target      %s, a file of up to %s\n", options->path,
		units_format_size(plan->size_bytes, size, sizeof(size)));
	printf("writes      up to %s in %s\n", units_format_size(plan->max_bytes, most, sizeof(most)),
		units_format_duration((double)plan->runtime_ns, runtime, sizeof(runtime)));
	if (plan->spread_ns)
		printf("rounds      %d over %s, with rests between them\n", PLAN_SPREAD_ROUNDS,
			units_format_duration((double)plan->spread_ns, spread, sizeof(spread)));
	if (plan->burst_bytes)
		printf("cache       measured at the end, by up to %s without a pause\n",
			units_format_size(plan->burst_bytes, burst, sizeof(burst)));
	printf("O_DIRECT    %s\n", plan->has_direct ? "reaches the device" : "does not reach a device here");
	printf("memory      %s\n", plan->is_pooled ? "warm, and cold for one value" : "as-is");
	CPU_ZERO(&inherited);
	(void)sched_getaffinity(0, sizeof(inherited), &inherited);
	pin_choose(&options->cpus, &inherited, writer, sizeof(writer));
	printf("writer      %s\n", writer);
	if (plan->is_staged)
		printf("thresholds  set to %" PRIu64 " and %" PRIu64 " MiB in the last third, for the whole machine\n",
			(uint64_t)(PLAN_STAGE_BACKGROUND / MIB), (uint64_t)(PLAN_STAGE_THROTTLED / MIB));
	else
		printf("thresholds  unchanged: %" PRIu64 " and %" PRIu64 " MiB\n", plan->background_bytes / MIB,
			plan->threshold_bytes / MIB);
}
