/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a machine cannot measure, and why; which calibration is refused. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "iowrite-bench/evaluate/evaluate.h"
#include "tests/unit/fake_system.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

struct asked {
	struct evaluate_options options;
	struct system system;
	struct evaluate_plan_host host;
	struct evaluate_plan plan;
};

/* Everything is there, and root. */
static struct asked *ask(const char *const *ids)
{
	static struct asked only; /* too large for a stack */
	struct asked *asked = &only;

	memset(asked, 0, sizeof(*asked));
	fake_system(&asked->system);
	asked->options = (struct evaluate_options){.shared = {.system_path = "s.xml", .directory = "/d"},
		.thresholds = EVALUATE_SMALL, .repetitions = 1};
	for (; *ids; ids++)
		asked->options.scenarios[asked->options.scenario_count++] = scenario_of(*ids);
	asked->host = (struct evaluate_plan_host){.device = "vdz", .file_system = "ext4",
		.free_bytes = 100 * GIB, .memory_bytes = 100 * GIB, .has_direct = true, .offset_align = 512};
	return asked;
}

static int make(struct asked *asked)
{
	return evaluate_plan_make(&asked->options, &asked->system, &asked->host, &asked->plan);
}

static const char *const some[] = {"f4a", "f4k", "c2", "f9-1M", NULL};

TEST("all scenarios are planned on a suitable host")
{
	struct asked *asked = ask(some);

	assert_int_equal(make(asked), 0);
	assert_int_equal(asked->plan.run_count, 4);
	assert_true(asked->plan.is_slow); /* 100 MB/s */
	assert_true(asked->plan.needs_stage);
	assert_int_equal(asked->plan.stage.slow_size_bytes, 0);
	assert_int_equal(asked->plan.largest_file, 3 * GIB);
	assert_int_equal(asked->plan.rows[2].background_bytes, 512 * MIB);
	assert_int_equal(asked->plan.rows[2].dirty_bytes, GIB);
	assert_int_equal(asked->plan.rows[0].dirty_bytes, 0);
	assert_true(asked->plan.rows[2].predicted_s > 3);
}

TEST("a fast device has smaller thresholds")
{
	struct asked *asked = ask(some);

	asked->system.parameters[SYSTEM_BW_SYNC].value = 1e9;
	assert_int_equal(make(asked), 0);
	assert_false(asked->plan.is_slow);
	assert_int_equal(asked->plan.rows[2].dirty_bytes, 512 * MIB);
}

TEST("thresholds in force are kept without a test setup")
{
	struct asked *asked = ask(some);

	asked->options.thresholds = EVALUATE_KEEP;
	/* What is in force is read when it is measured. */
	asked->system.parameters[SYSTEM_LIMIT_BG].value = NAN;
	asked->system.parameters[SYSTEM_LIMIT_HARD].value = NAN;
	assert_int_equal(make(asked), 0);
	assert_int_equal(asked->plan.run_count, 4);
	assert_false(asked->plan.needs_stage);
	assert_int_equal(asked->plan.rows[2].dirty_bytes, 0);
}

static void assert_reason(const struct asked *asked, size_t row, const char *wanted)
{
	assert_false(asked->plan.rows[row].is_run);
	assert_string_equal(asked->plan.rows[row].reason, wanted);
}

TEST("scenarios that this host cannot measure have a reason")
{
	struct asked *asked = ask(some);

	asked->host.offset_align = 4096;
	asked->host.free_bytes = 3 * GIB - 1;
	asked->host.memory_bytes = 1000 * MIB;
	assert_int_equal(make(asked), 0);
	assert_int_equal(asked->plan.run_count, 1);
	assert_reason(asked, 1, "O_DIRECT here needs multiples of 4096 bytes");
	assert_reason(asked, 2, "needs 3072 MiB of free space, and the folder has 3071 MiB beyond the reserve");
	assert_reason(asked, 3, "needs 1257 MiB of memory, and 1000 MiB are available");
	asked->host.has_direct = false;
	assert_int_equal(make(asked), 0);
	assert_reason(asked, 0, "ext4 has no O_DIRECT");
	assert_int_equal(asked->plan.run_count, 0);
}

TEST("scenarios without calibrated values have a reason")
{
	struct asked *asked = ask(some);

	asked->system.parameters[SYSTEM_LIB_METACOST].value = NAN;
	asked->system.parameters[SYSTEM_LAT_RDEV].value = NAN;
	assert_int_equal(make(asked), 0);
	assert_reason(asked, 0, "the calibration lacks lat_rdev, which the kernel model needs");
	assert_true(asked->plan.rows[2].is_run);
	assert_reason(asked, 3, "the calibration lacks lib_metacost, which the kernel model needs");
}

TEST("a slow device is planned")
{
	struct asked *asked = ask(some);

	asked->options.shared.slow_bytes_per_second = 100 * 1000 * 1000;
	asked->options.shared.slow_text = "100M";
	assert_int_equal(make(asked), DIAG_EXIT_USAGE); /* of vdz */
	snprintf(asked->system.device, sizeof(asked->system.device), "loop3");
	assert_int_equal(make(asked), 0);
	assert_reason(asked, 0, "the slow device's throttle would decide the cost of a synchronous write");
	assert_int_equal(asked->plan.run_count, 2);
	assert_int_equal(asked->plan.stage.slow_bytes_per_second, 100 * 1000 * 1000);
	assert_int_equal(asked->plan.stage.slow_size_bytes, 5 * GIB + 256 * MIB);
	asked->options.shared.slow_size_bytes = 3 * GIB;
	assert_int_equal(make(asked), 0);
	assert_reason(asked, 2, "needs 3328 MiB of free space, and --slow-size gives 3072 MiB to the slow device in /d");
	asked->options.shared.slow_size_bytes = 101 * GIB;
	asked->options.shared.slow_size_text = "101G";
	assert_int_equal(make(asked), DIAG_EXIT_HOST);
	asked->options.shared.slow_size_bytes = 3 * GIB;
	/* Another throttle than the calibration's. */
	asked->options.shared.slow_bytes_per_second = 151 * 1000 * 1000;
	assert_int_equal(make(asked), DIAG_EXIT_USAGE);
}

/* Twice what may be dirty stays free beside the file, and half of what else the folder has stays there. */
TEST("a slow device has space for the dirty bytes")
{
	assert_int_equal(test_setup_slow_size(3 * GIB, GIB, 100 * GIB), 5 * GIB + 256 * MIB);
	assert_int_equal(test_setup_slow_size(3 * GIB, 0, 100 * GIB), 9 * GIB + 256 * MIB);
	assert_int_equal(test_setup_slow_size(256 * MIB, GIB, 100 * GIB), GIB);
	assert_int_equal(test_setup_slow_size(3 * GIB, GIB, 3 * GIB + 256 * MIB + 2 * GIB), 4 * GIB + 256 * MIB);
	assert_int_equal(test_setup_slow_size(3 * GIB, GIB, 3 * GIB), 3 * GIB + 256 * MIB);
	assert_int_equal(test_setup_slow_size(3 * GIB + 1, GIB, 3 * GIB + 320 * MIB), 3 * GIB + 257 * MIB);
	assert_int_equal(test_setup_slow_size(3 * GIB + 1, GIB, 3 * GIB + 321 * MIB), 3 * GIB + 320 * MIB);
}

TEST("a calibration of another device is refused")
{
	struct asked *asked = ask(some);

	snprintf(asked->host.device, sizeof(asked->host.device), "vdy");
	assert_int_equal(make(asked), DIAG_EXIT_USAGE);
	snprintf(asked->host.device, sizeof(asked->host.device), "vdz");
	snprintf(asked->host.file_system, sizeof(asked->host.file_system), "xfs");
	assert_int_equal(make(asked), DIAG_EXIT_USAGE);
	snprintf(asked->host.file_system, sizeof(asked->host.file_system), "ext4");
	assert_int_equal(make(asked), 0);
	asked->system.device[0] = '\0';
	asked->host.device[0] = '\0';
	assert_int_equal(make(asked), DIAG_EXIT_USAGE);
}

TEST("evaluate: thresholds or a slow device that this host lacks are refused")
{
	struct asked *asked = ask(some);

	snprintf(asked->host.lacks, sizeof(asked->host.lacks), "privilege: uid 1000: sudo COMMAND");
	assert_int_equal(make(asked), DIAG_EXIT_HOST);
}
