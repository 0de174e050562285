/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/run/limits.h"
#include "iowrite-bench/evaluate/evaluate.h"
#include "iowrite-bench/model/kinds.h"

#define AT(member) offsetof(struct evaluate_options, member)

static const char *const threshold_names[] = {[EVALUATE_KEEP] = "keep", [EVALUATE_SMALL] = "small", NULL};

static int want_scenarios(struct opt_value *in, const char *word)
{
	struct evaluate_options *options = in->options;
	int rc = -EINVAL;

	for (size_t i = 0; i < EVALUATE_SCENARIOS && scenarios[i].id; i++) {
		const struct scenario *row = &scenarios[i];

		if (!strcmp(word, row->id) || !strcmp(word, "all") || (!strcmp(word, "quick") && row->is_quick) ||
			(!strcmp(word, "paper") && row->figure[0])) {
			options->is_wanted[i] = true;
			rc = 0;
		}
	}
	return rc;
}

static int set_scenarios(struct opt_value *in)
{
	struct evaluate_options *options = in->options;
	int rc;

	memset(options->is_wanted, 0, sizeof(options->is_wanted));
	options->scenario_count = 0;
	rc = opt_each_word(in, want_scenarios);
	for (size_t i = 0; i < EVALUATE_SCENARIOS && scenarios[i].id; i++) {
		if (options->is_wanted[i])
			options->scenarios[options->scenario_count++] = &scenarios[i];
	}
	return rc;
}

const struct opt evaluate_option_rows[] = {
	{.type = OPT_TITLE, .help = "Scenarios"},
	SCENARIO_SYSTEM_ROW(AT(shared.system_path), "predict from the calibration FILE (required)",
		"Predict from the calibration FILE, which `iowrite-bench calibrate` writes. Required."),
	{.name = "scenarios", .value = "SCENARIO,...", .type = OPT_OWN, .set = set_scenarios, .preset = "quick",
		.allowed = "must be quick, paper, all, or names with commas between: iowrite-bench scenarios lists "
			   "them",
		.help = "measure the scenarios quick, paper, all, or names from iowrite-bench scenarios",
		.manual = "Measure these scenarios: `quick`, `paper` (those of its figures), `all`, or names that "
			  "`iowrite-bench scenarios` lists, in the order of that list."},
	{.name = "repetitions", .value = "N", .type = OPT_UNSIGNED, .offset = AT(repetitions),
		.min = 1, .max = 100, .preset = "1",
		.help = "measure the whole list N times",
		.manual = "Measure the whole list N times, 1 to 100, one after another."},
	{.type = OPT_TITLE, .help = "Target and conditions"},
	SCENARIO_PLACE_ROWS(evaluate_options),
	{.name = "thresholds", .value = "keep|small", .type = OPT_CHOICE, .offset = AT(thresholds),
		.choices = threshold_names,
		.help = "keep the kernel's dirty thresholds, or set each scenario's own and restore them (default: "
			"small for root, else keep)",
		.manual = "Keep the kernel's dirty thresholds (`keep`), or set each scenario's own (`small`), so "
			  "that throttling begins after hundreds of MiB, and restore them at the end. The default is "
			  "`small` for root, who alone may set them, and `keep` for other users."},
	{.name = "warm-up", .value = "TIME", .type = OPT_TIME, .offset = AT(warmup_ns), .max = 600 * UNITS_NS_PER_SEC,
		.preset = "10s",
		.help = "write for at most TIME before buffered scenarios, until the kernel has measured the device's speed",
		.manual = "Write, throttled, for at most TIME before buffered scenarios that follow others, up to 10 "
			  "minutes; 0 is none. The kernel throttles by an average of the device's observed speed, "
			  "and has to observe it first. The warm-up ends earlier when the dirty bytes reach the "
			  "kernel's setpoint, or after 32 GiB."},
	{.name = "accept-limit", .type = OPT_FLAG, .offset = AT(accepts_limits), .help = LIMITS_OPTION_HELP,
		.manual = LIMITS_OPTION_MANUAL},
	{.type = OPT_TITLE, .help = "Output"},
	SCENARIO_OUTPUT_ROWS(evaluate_options),
	{0},
};

const struct opt_relation evaluate_option_relations[] = {SCENARIO_RELATIONS, {0}};

int evaluate_options_add(void *options, struct opt_line *line)
{
	(void)options;
	if (!opt_add(line, opt_row(line->rows, "thresholds"), geteuid() ? "keep" : "small", OPT_BY_PRESET, NULL))
		return DIAG_EXIT_OK;
	return diag_host(ENOMEM, "cannot read the command line");
}

int evaluate_options_check(void *whole, struct opt_line *line)
{
	struct evaluate_options *options = whole;
	int code = scenario_options_need_system(line);

	return code ? code : scenario_options_check(options, &options->shared);
}

/* --- plan --- */

#define MORE_MEMORY (256 * UNITS_MIB)

/* --- one scenario --- */

__attribute__((format(printf, 2, 3)))
static void refuse(struct evaluate_plan_row *row, const char *format, ...)
{
	va_list arguments;

	if (row->reason[0])
		return;
	va_start(arguments, format);
	vsnprintf(row->reason, sizeof(row->reason), format, arguments);
	va_end(arguments);
}

static void check_free_space(const struct evaluate_options *options, const struct evaluate_plan_host *host, const struct op *ops,
	size_t count, struct evaluate_plan_row *row)
{
	uint64_t free_bytes = host->free_bytes, needed = row->file_bytes, held;
	uint64_t memory = scenario_largest(row->scenario) + MORE_MEMORY;

	if (options->shared.slow_bytes_per_second) {
		needed += TEST_SETUP_MORE_BYTES;
		free_bytes = options->shared.slow_size_bytes ? options->shared.slow_size_bytes : free_bytes;
	}
	if (needed > free_bytes && options->shared.slow_size_bytes)
		refuse(row, "needs %llu MiB of free space, and --slow-size gives %llu MiB to the slow device in %s",
			(unsigned long long)(needed >> 20), (unsigned long long)(free_bytes >> 20), options->shared.directory);
	else if (needed > free_bytes)
		refuse(row, "needs %llu MiB of free space, and the folder has %llu MiB beyond the reserve",
			(unsigned long long)(needed >> 20), (unsigned long long)(free_bytes >> 20));
	/* Buffered writes also need the pages of the file, or the host-backed memory that is held before it becomes such pages:
	 * at most half of the available memory (memory.h). */
	if (row->scenario->mode < OP_DIRECT) {
		held = options->shared.memory == MODEL_WARM ? 2 * memory_need(ops, count) : 0;
		memory += held > row->file_bytes ? held : row->file_bytes;
	}
	if (memory > host->memory_bytes)
		refuse(row, "needs %llu MiB of memory, and %llu MiB are available", (unsigned long long)(memory >> 20),
			(unsigned long long)(host->memory_bytes >> 20));
}

static void check_mode(const struct evaluate_options *options, const struct evaluate_plan_host *host, struct evaluate_plan_row *row)
{
	const struct scenario *scenario = row->scenario;

	if (scenario_set(scenario) == SCENARIO_SYNC && options->shared.slow_bytes_per_second) {
		refuse(row, "the slow device's throttle would decide the cost of a synchronous write");
		return;
	}
	if (scenario->mode < OP_DIRECT)
		return;
	if (!host->has_direct)
		refuse(row, "%s has no O_DIRECT", host->file_system);
	else if (scenario_smallest(scenario) % host->offset_align)
		refuse(row, "O_DIRECT here needs multiples of %u bytes", host->offset_align);
}

/* Refuses the row if the kernel model lacks a parameter; without writes it still reports which one. */
static int check_model(const struct evaluate_options *options, const struct system *system, const struct op *ops,
	size_t count, struct evaluate_plan_row *row)
{
	struct forecast_conditions conditions = {
		.system = system,
		.scenario = row->scenario,
		.memory = options->shared.memory,
		.before = {.background_threshold = row->background_bytes, .threshold = row->dirty_bytes},
	};
	struct prediction prediction;
	const char *missing = "";
	int rc;

	/* The thresholds in force are read when it is measured; these stand in for them. */
	if (!row->dirty_bytes && !isfinite(system_get(system, SYSTEM_LIMIT_HARD)))
		conditions.before = (struct dirty_state){.background_threshold = UNITS_GIB, .threshold = 2 * UNITS_GIB};
	rc = forecast(&conditions, MODEL_KERNEL, ops, row->reason[0] ? 0 : count, &prediction, &missing);
	if (!rc) {
		row->predicted_s = prediction.total_ns / 1e9 + (double)count * (double)row->scenario->delay_ns / 1e9;
		predict_free(&prediction);
	}
	if (rc == -ENODATA)
		refuse(row, "the calibration lacks %s, which the kernel model needs", missing);
	return rc == -ENODATA ? 0 : rc;
}

static int make_row(const struct evaluate_options *options, const struct system *system, const struct evaluate_plan_host *host,
	const struct evaluate_plan *plan, struct evaluate_plan_row *row)
{
	const struct scenario *scenario = row->scenario;
	struct op *ops;
	size_t count;
	int rc = scenario_ops(scenario, &ops, &count);

	if (rc)
		return rc;
	row->file_bytes = scenario_file_bytes(scenario);
	row->bytes = scenario_bytes(scenario);
	if (options->thresholds == EVALUATE_SMALL)
		calibrated_thresholds(scenario, !plan->is_slow, &row->background_bytes, &row->dirty_bytes);
	check_mode(options, host, row);
	check_free_space(options, host, ops, count, row);
	rc = check_model(options, system, ops, count, row);
	free(ops);
	row->is_run = !row->reason[0];
	return rc;
}

/* --- all of them --- */

int evaluate_plan_make(const struct evaluate_options *options, const struct system *system, const struct evaluate_plan_host *host,
	struct evaluate_plan *plan)
{
	const struct scenario_options *shared = &options->shared;
	int rc, code;

	if (host->lacks[0])
		return diag_host(0, "%s needs %s", shared->slow_bytes_per_second ? "--slow-device" : "--thresholds small",
			host->lacks);
	code = calibrated_check(system, shared, host->device, host->file_system);
	if (code)
		return code;
	*plan = (struct evaluate_plan){
		.count = options->scenario_count,
		.is_slow = !calibrated_is_fast(system),
		.needs_stage = shared->slow_bytes_per_second,
		.stage = {
			.slow_bytes_per_second = shared->slow_bytes_per_second,
			.slow_size_bytes = shared->slow_size_bytes,
			.slow_folder = shared->directory,
		},
	};
	for (size_t i = 0; i < plan->count; i++) {
		struct evaluate_plan_row *row = &plan->rows[i];
		uint64_t slow;

		row->scenario = options->scenarios[i];
		rc = make_row(options, system, host, plan, row);
		if (rc)
			return diag_host(rc, "cannot plan %s", row->scenario->id);
		if (!row->is_run)
			continue;
		slow = test_setup_slow_size(row->file_bytes, row->dirty_bytes, host->free_bytes);
		plan->run_count++;
		plan->needs_stage |= row->dirty_bytes != 0;
		plan->largest_file = row->file_bytes > plan->largest_file ? row->file_bytes : plan->largest_file;
		plan->slow_bytes = slow > plan->slow_bytes ? slow : plan->slow_bytes;
	}
	if (shared->slow_bytes_per_second && !shared->slow_size_bytes)
		plan->stage.slow_size_bytes = plan->slow_bytes;
	if (shared->slow_size_bytes > host->free_bytes)
		return diag_host(0, "--slow-size '%s': %s has %llu MiB free beyond the reserve; use less", shared->slow_size_text,
			shared->directory, (unsigned long long)(host->free_bytes / UNITS_MIB));
	return DIAG_EXIT_OK;
}

int evaluate_plan_read_host(const struct evaluate_options *options, struct evaluate_plan_host *host)
{
	const struct target_request request = {.path = options->shared.directory, .needs_folder = true};
	struct storage storage;
	struct target target;
	int rc, code;

	*host = (struct evaluate_plan_host){0};
	(void)test_setup_lacks(options->thresholds == EVALUATE_SMALL, options->shared.slow_bytes_per_second, host->lacks,
		sizeof(host->lacks));
	code = target_open(&request, &target);
	if (code)
		return code;
	storage_read("", target.device, &storage);
	memcpy(host->device, storage.device, sizeof(host->device));
	memcpy(host->file_system, target.file_system, sizeof(host->file_system));
	host->has_direct = target.has_direct;
	host->offset_align = target.offset_align ? target.offset_align : 1;
	target_close(&target);
	rc = memory_space_free(request.path, &host->free_bytes);
	if (rc)
		return diag_host(rc, "cannot read the free space of %s", request.path);
	host->memory_bytes = memory_available();
	if (!host->memory_bytes)
		return diag_host(0, "cannot read the available memory from /proc/meminfo and this cgroup");
	return DIAG_EXIT_OK;
}

static void print_row(FILE *out, const struct evaluate_plan_row *row)
{
	char bytes[UNITS_TEXT], background[UNITS_TEXT], dirty[UNITS_TEXT], thresholds[2 * UNITS_TEXT + 4] = "-";

	if (row->dirty_bytes)
		snprintf(thresholds, sizeof(thresholds), "%s / %s",
			units_format_size(row->background_bytes, background, sizeof(background)),
			units_format_size(row->dirty_bytes, dirty, sizeof(dirty)));
	fprintf(out, "%-8s  %10s  %-19s  ", row->scenario->id, units_format_size(row->bytes, bytes, sizeof(bytes)),
		thresholds);
	if (row->is_run)
		fprintf(out, "some %.1f s: %s\n", row->predicted_s, row->scenario->meaning);
	else
		fprintf(out, "not measured: %s\n", row->reason);
}

void evaluate_plan_print(FILE *out, const struct evaluate_options *options, const struct evaluate_plan *plan)
{
	char size[UNITS_TEXT], rate[UNITS_TEXT];

	if (options->shared.slow_bytes_per_second)
		fprintf(out, "A loop device of %s with %s/s in %s\n",
			units_format_size(plan->stage.slow_size_bytes, size, sizeof(size)),
			units_format_size(options->shared.slow_bytes_per_second, rate, sizeof(rate)), options->shared.directory);
	fprintf(out, "%-8s  %10s  %-19s  \n", "scenario", "written", "thresholds");
	for (size_t i = 0; i < plan->count; i++)
		print_row(out, &plan->rows[i]);
	fprintf(out, "%zu of %zu, %u time%s\n", plan->run_count, plan->count, options->repetitions,
		options->repetitions == 1 ? "" : "s");
}
