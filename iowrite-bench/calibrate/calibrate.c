/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench calibrate: options -> plan -> schedule of probes -> calibration -> file and tables. */
#include "config.h"
#include "iowrite-bench/calibrate/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/sysfs.h"
#include "common/host/contention.h"
#include "common/kernel/blockdev.h"
#include "common/run/frame.h"
#include "common/run/limits.h"
#include "common/storage/storage.h"
#include "common/storage/target_use.h"
#include "iowrite-bench/calibrate/finish.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/write/memory.h"

#define NS_PER_CENTISECOND 1e7
#define DRIFT 0.1
#define PRINT(field, ...) snprintf(field, sizeof(field), __VA_ARGS__)
#define DESCRIPTORS 32 /* that a calibration opens in addition to its target */

struct calibration { /* too large for a stack */
	struct calibrate_options options;
	struct calibrate_plan plan;
	struct target target;
	struct test_setup *stage;
	struct store *store;
	struct pin pin;
	struct contention_stops stops;
	struct limits limits;
	struct limits_stops quota_stops; /* before the first block */
	struct calibrate_session session;
	struct schedule schedule;
	struct progress progress;
	struct system system;
};

/* --- facts --- */

static void set(struct system *system, enum system_parameter parameter, double number, const char *method)
{
	struct system_value *value = &system->parameters[parameter];

	*value = (struct system_value){.value = number, .low = NAN, .high = NAN};
	PRINT(value->method, "%s", method);
}

static void set_time(const char *path, enum system_parameter parameter, struct system *system)
{
	uint64_t centiseconds;

	if (!sysfs_read_u64("", path, &centiseconds))
		set(system, parameter, (double)centiseconds * NS_PER_CENTISECOND, path);
	else
		PRINT(system->parameters[parameter].unstable, "%s cannot be read", path);
}

/* The _bytes file reads 0 while the corresponding _ratio is in force. */
static const char *threshold_method(const char *path)
{
	uint64_t bytes;

	return !sysfs_read_u64("", path, &bytes) && !bytes ? "/proc/vmstat, a share of the free memory" : "/proc/vmstat";
}

static void read_facts(const struct target *target, const struct dirty_state *dirty, struct system *system)
{
	char release[96] = "", version[96] = "";
	struct storage storage;
	struct timespec now;
	struct tm utc;

	sysfs_read("", "/proc/sys/kernel/osrelease", release, sizeof(release));
	sysfs_read("", "/proc/sys/kernel/version", version, sizeof(version));
	PRINT(system->kernel, "%.60s %.60s", release, version);
	storage_read("", target->device, &storage);
	PRINT(system->device, "%s", storage.device);
	PRINT(system->file_system, "%s", target->file_system);
	clock_gettime(CLOCK_REALTIME, &now);
	if (gmtime_r(&now.tv_sec, &utc))
		strftime(system->date, sizeof(system->date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	set(system, SYSTEM_BLOCK, target->has_direct ? target->offset_align : target->fs_block,
		target->has_direct ? "statx(2), or the device's logical block" : "no O_DIRECT: st_blksize");
	set(system, SYSTEM_FS_BLOCK, target->fs_block, "st_blksize");
	set(system, SYSTEM_LIMIT_BG, (double)dirty->background_threshold,
		threshold_method("/proc/sys/vm/dirty_background_bytes"));
	set(system, SYSTEM_LIMIT_HARD, (double)dirty->threshold, threshold_method("/proc/sys/vm/dirty_bytes"));
	set_time("/proc/sys/vm/dirty_expire_centisecs", SYSTEM_DIRTY_EXPIRE, system);
	set_time("/proc/sys/vm/dirty_writeback_centisecs", SYSTEM_DIRTY_WRITEBACK, system);
}

/* Thresholds set as ratios follow the free memory: marks a value that has moved by more than DRIFT as unstable. */
static void check_drift(struct system_value *value, uint64_t now)
{
	double off = fabs((double)now / value->value - 1);

	if (off > DRIFT)
		PRINT(value->unstable, "was off by %.0f %% at the end: memory became free or used, or it was set", 100 * off);
}

/* --- the command --- */

/* Returns the free space of a file system. A device may be used whole, so that calibrate_plan_size may take all of it. */
static uint64_t free_bytes_of(const char *path)
{
	struct blockdev device;
	struct statvfs space;
	struct stat file;

	if (!stat(path, &file) && S_ISBLK(file.st_mode))
		return blockdev_read("", file.st_rdev, &device) ? 0 : device.size_bytes * PLAN_SIZE_PART;
	return statvfs(path, &space) ? 0 : (uint64_t)space.f_bavail * space.f_frsize;
}

static int read_dirty(struct dirty_state *state)
{
	struct dirty dirty;
	int rc = dirty_open("", &dirty);

	if (!rc) {
		rc = dirty_read(&dirty, state);
		dirty_close(&dirty);
	}
	return rc ? diag_host(rc, "cannot read the dirty thresholds in /proc/vmstat") : DIAG_EXIT_OK;
}

static int open_stage(struct calibration *calibration)
{
	const struct calibrate_options *options = &calibration->options;
	const struct test_setup_request request = {
		.slow_bytes_per_second = options->slow_bytes_per_second,
		.slow_size_bytes = options->slow_bytes_per_second ? PLAN_SLOW_BYTES : 0,
		.slow_folder = options->slow_bytes_per_second ? options->path : NULL,
	};
	int rc = interrupt_install();

	return rc ? diag_host(rc, "cannot watch for signals") : test_setup_open(&request, &calibration->stage);
}

/* Refuses to calibrate within a limit, because the values would describe it; the slow device's own limit is accepted. */
static int check_limits(struct calibration *calibration)
{
	const struct target *target = &calibration->target;
	const struct limit *limit;
	struct durability durability;
	struct storage storage;
	char text[320];

	storage_read("", target->device, &storage);
	if (calibration->stage && calibration->options.slow_bytes_per_second)
		limits_own_disk(&calibration->limits, storage.disk);
	durability_read("", target->device, target->mount, &durability);
	limits_read_cpu("", &calibration->limits);
	limits_read_io("", &durability, &calibration->limits);
	limits_read_stops("", &calibration->limits, &calibration->quota_stops);
	limit = limits_of_calibration(&calibration->limits);
	if (!limit)
		return DIAG_EXIT_OK;
	limits_text(limit, text, sizeof(text));
	return diag_host(0, "%s: %s, and a calibration would be of this limit; remove it, or calibrate in another cgroup",
		target->path, text);
}

/* All refusals are here. The target's file has no data yet. */
static int prepare(struct calibration *calibration, struct dirty_state *dirty)
{
	const struct calibrate_options *options = &calibration->options;
	struct target_request request = {.path = options->path, .needs_folder = !options->filename, .bytes = options->size_bytes,
		.destroy_data = options->destroy_data};
	uint64_t most_bytes = PLAN_SLOW_BYTES - TEST_SETUP_MORE_BYTES;
	int code = read_dirty(dirty);

	if (!code && options->slow_bytes_per_second && options->size_bytes > most_bytes)
		code = diag_usage("--size: the slow device in %s has %" PRIu64 " MiB of space, %" PRIu64 " MiB are needed: give "
			"a smaller one", options->path, most_bytes >> 20, (options->size_bytes + (1u << 20) - 1) >> 20);
	/* The slow device must exist before the file on it; a dry run checks the folder instead. */
	if (!code && options->slow_bytes_per_second && !options->is_dry_run) {
		code = open_stage(calibration);
		if (!code)
			request.path = test_setup_folder(calibration->stage);
	}
	if (!code && !request.bytes)
		request.bytes = calibrate_plan_size(memory_available(), free_bytes_of(request.path), options->max_bytes);
	if (!code)
		code = target_open(&request, &calibration->target);
	if (!code)
		code = check_limits(calibration);
	if (!code)
		code = target_check_descriptors(options->path, DESCRIPTORS);
	if (!code && calibration->target.kind == TARGET_DEVICE && request.bytes > calibration->target.size_bytes)
		request.bytes = calibration->target.size_bytes;
	return code ? code : calibrate_plan_make(options, &calibration->target, dirty, request.bytes, &calibration->plan);
}

/* Synchronous writes to memory cost what memory costs: no prediction for a device can rely on them. */
static void distrust_syncs(struct calibration *calibration, struct durability *durability)
{
	const struct target *target = &calibration->target;

	durability_read("", target->device, target->mount, durability);
	for (int i = 0; i < OP_MODES * OP_REGIMES && durability->not_durable[0]; i++) {
		struct system_curve *curve = &calibration->system.curves[i / OP_REGIMES][i % OP_REGIMES];

		for (size_t k = 0; k < curve->count && op_mode_is_synchronous(i / OP_REGIMES); k++)
			PRINT(curve->points[k].ns.unstable, "%s", durability->not_durable);
	}
}

static bool is_stopped_by_quota(const struct calibration *calibration, char *text, size_t length)
{
	struct limits_stops stops;

	limits_read_stops("", &calibration->limits, &stops);
	limits_stops_since(&calibration->quota_stops, &stops);
	return limits_stops_text(&calibration->limits, &stops, text, length);
}

static int conclude(struct calibration *calibration)
{
	const struct calibrate_options *options = &calibration->options;
	const struct schedule *schedule = &calibration->schedule;
	struct system *system = &calibration->system;
	struct durability durability;
	char doubts[FINISH_WHY], others[FINISH_WHY], stopped[SYSTEM_STOPPED], quota[320];
	bool is_disturbed = finish_contention(schedule, others, sizeof(others));
	bool is_stopped = contention_stopped_text(&calibration->stops, "the blocks left out", stopped, sizeof(stopped));
	bool is_limited = is_stopped_by_quota(calibration, quota, sizeof(quota));
	bool is_partial = schedule->is_failed || schedule->is_interrupted;
	int written;

	distrust_syncs(calibration, &durability);
	if (is_partial)
		PRINT(system->partial, "it %s before everything was measured", schedule->is_failed ? "failed" : "was interrupted");
	if (is_stopped)
		PRINT(system->stopped, "%s", stopped);
	written = system_write(system, options->output);
	if (!options->is_quiet)
		tables_print(system);
	finish_doubts(system, doubts);
	/* A calibration that ended early has reported that already. */
	if (doubts[0] && !written && !is_partial)
		diag_error(0, "%s: values that predictions need are unstable: %s; measure longer (--runtime, --spread), or "
			"stop other programs", options->output, doubts);
	if (durability.not_durable[0])
		diag_error(0, "%s: %s; the costs of synchronous writes are not a device's: name a target on a device",
			options->output, durability.not_durable);
	if (is_disturbed && !schedule->is_failed)
		diag_error(0, "%s: %s", options->output, others);
	if (is_stopped && !schedule->is_failed)
		diag_error(0, "%s: %s", options->output, stopped);
	if (is_limited && !schedule->is_failed)
		diag_error(0, "%s: %s", options->output, quota);
	if (written || schedule->is_failed)
		return DIAG_EXIT_HOST;
	return is_disturbed || is_stopped || is_limited || doubts[0] || schedule->is_interrupted ? DIAG_EXIT_UNTRUSTED
												 : DIAG_EXIT_OK;
}

static int execute(struct calibration *calibration, const struct dirty_state *dirty)
{
	struct calibrate_session *session = &calibration->session;
	struct calibrate_plan *plan = &calibration->plan;
	struct system *system = &calibration->system;
	struct pin *pin = &calibration->pin;
	struct dirty_state after;
	int code = DIAG_EXIT_OK, rc = interrupt_install();

	if (rc)
		return diag_host(rc, "cannot watch for signals");
	if (plan->is_staged && !calibration->stage)
		code = open_stage(calibration);
	if (code)
		return code;
	read_facts(&calibration->target, dirty, system);
	code = store_open(&calibration->target, calibration->stage, pin, plan->largest_bytes, &calibration->store);
	if (!code) {
		plan->has_direct = plan->has_direct && store_is_direct(calibration->store);
		rc = session_open(calibration->store, plan, session);
		pin_begin(&calibration->options.cpus, pin);
		PRINT(system->writer, "%s", pin->text);
		system->writer_cpu = pin->cpu;
		contention_begin(&calibration->stops);
		if (!rc)
			rc = schedule_run(session, &calibration->progress, &calibration->schedule);
		contention_end(&calibration->stops);
		contention_add_stops(&calibration->stops, &calibration->schedule.stops);
		pin_end(pin);
		if (!rc)
			rc = finish(session, &calibration->schedule, system);
		code = rc ? diag_host(rc, "cannot calibrate") : DIAG_EXIT_OK;
		store_close(calibration->store);
	}
	if (calibration->stage && test_setup_thresholds(calibration->stage, 0, 0) && !code)
		code = DIAG_EXIT_HOST;
	if (!code && !read_dirty(&after)) {
		check_drift(&system->parameters[SYSTEM_LIMIT_BG], after.background_threshold);
		check_drift(&system->parameters[SYSTEM_LIMIT_HARD], after.threshold);
	}
	return code ? code : conclude(calibration);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	struct dirty_state dirty;
	struct opt_line line;
	int rc, closed;

	if (!calibration)
		return diag_host(ENOMEM, "cannot calibrate");
	contention_expect_stops();
	calibration->target.fd = -1;
	system_init(&calibration->system);
	rc = command_parse(command, argc, argv, &calibration->options, &line, NULL);
	progress_init(&calibration->progress, calibration->options.is_quiet);
	if (!rc)
		rc = prepare(calibration, &dirty);
	if (!rc && calibration->options.is_dry_run)
		calibrate_plan_print(&calibration->plan, &calibration->options);
	else if (!rc)
		rc = execute(calibration, &dirty);
	session_close(&calibration->session);
	schedule_free(&calibration->schedule);
	system_free(&calibration->system);
	target_close(&calibration->target);
	closed = test_setup_close(calibration->stage);
	opt_free(&line);
	free(calibration);
	return rc ? rc : closed;
}

const struct command command_calibrate = {
	.program = &iowrite_program,
	.name = "calibrate",
	.arguments = "-o FILE",
	.summary = "measure the parameters of the models for a machine and one device",
	.doc = "Measure what this machine, its memory, kernel and one device cost a writer, each value with its interval, "
	       "in alternating blocks. The models of predict and evaluate use these values.",
	.examples = "  iowrite-bench calibrate -o system.xml\n"
		    "  sudo iowrite-bench calibrate --stage --directory /mnt/data -o system.xml\n"
		    "  iowrite-bench calibrate --runtime 20s -o short.xml\n",
	.notes = "Exit status: 0 done, 2 usage error, 3 not possible on this host, 4 interrupted, stopped, disturbed by other "
		 "processes, or unstable where predictions need it.",
	.options = calibrate_option_rows,
	.relations = calibrate_option_relations,
	.check = calibrate_options_check,
	.run = run,
};
