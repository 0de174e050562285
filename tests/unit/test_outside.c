/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/fakeroot.h"
#include "iowrite-bench/model/validity.h"

#define MIB (1ull << 20)
#define DRIVER "/sys/bus/virtio/drivers/virtio_balloon/"
#define ORDER "/sys/module/page_reporting/parameters/page_reporting_order"
#define BITS_WITHOUT "0110000100000000000000000000000010000000000000000000000000000000\n"
#define BITS_WITH "0110010100000000000000000000000010000000000000000000000000000000\n"

struct fixture {
	char root[64];
	struct machine machine;
	struct system system;
	struct validity_question question;
	struct validity validity;
	char codes[256]; /* of the last answer */
};

static void ask(struct fixture *fixture)
{
	validity_model(&fixture->question, &fixture->validity);
	fixture->codes[0] = '\0';
	for (size_t i = 0; i < fixture->validity.count; i++) {
		size_t used = strlen(fixture->codes);

		snprintf(fixture->codes + used, sizeof(fixture->codes) - used, "%s%s", i ? " " : "",
			fixture->validity.reasons[i].code);
		assert_true(fixture->validity.reasons[i].text[0]);
	}
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fakeroot_make(fixture->root);
	system_init(&fixture->system);
	fixture->machine.cgroup_limit_bytes = UINT64_MAX;
	fixture->machine.available_bytes = 1000 * MIB;
	fixture->question = (struct validity_question){.root = fixture->root, .machine = &fixture->machine,
		.system = &fixture->system, .writers = 1, .memory = MODEL_AS_IS, .bytes = 100 * MIB};
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	fakeroot_remove(fixture->root);
	free(fixture);
	return 0;
}

TEST_WITH("a plain machine gives no reason", set_up, tear_down)
{
	struct fixture *fixture = *state;

	ask(fixture);
	assert_string_equal(fixture->codes, "");
	fixture->question.system = NULL;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
}

TEST_WITH("a cgroup smaller than the written bytes is a reason", set_up, tear_down)
{
	struct fixture *fixture = *state;

	fixture->machine.cgroup_version = 1;
	fixture->machine.cgroup_limit_bytes = 100 * MIB;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	fixture->machine.cgroup_limit_bytes = 100 * MIB - 1;
	ask(fixture);
	assert_string_equal(fixture->codes, "cgroup-limit");
	fixture->question.bytes = 200 * MIB;
	fixture->machine.cgroup_limit_bytes = 64 * MIB;
	ask(fixture);
	assert_string_equal(fixture->validity.reasons[0].text,
		"the memory cgroup may hold 64 MiB, and 200 MiB are written: its pages are reclaimed");
}

/* Thresholds of 200 and 400 MB of 1000 MiB: a group of a half is throttled from half of 300 on; version 1 knows no
 * such thing. */
TEST_WITH("a cgroup with its own dirty thresholds is a reason", set_up, tear_down)
{
	struct fixture *fixture = *state;
	char text[256];
	long page = sysconf(_SC_PAGESIZE);

	snprintf(text, sizeof(text), "nr_dirty 0\nnr_writeback 0\nnr_dirty_threshold %llu\n"
		"nr_dirty_background_threshold %llu\n", 400 * MIB / (unsigned long long)page,
		200 * MIB / (unsigned long long)page);
	fakeroot_put(fixture->root, "/proc/vmstat", text);
	fixture->machine.cgroup_limit_bytes = 500 * MIB;
	fixture->question.bytes = 160 * MIB;
	fixture->machine.cgroup_version = 1;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	fixture->machine.cgroup_version = 2;
	ask(fixture);
	assert_string_equal(fixture->codes, "cgroup-limit");
	fixture->question.bytes = 140 * MIB;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	/* A limit above what there is limits nothing. */
	fixture->question.bytes = 900 * MIB;
	fixture->machine.cgroup_limit_bytes = 1000 * MIB;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
}

TEST_WITH("several writers are a reason", set_up, tear_down)
{
	struct fixture *fixture = *state;

	fixture->question.writers = 2;
	ask(fixture);
	assert_string_equal(fixture->codes, "several-writers");
	assert_string_equal(fixture->validity.reasons[0].text, "2 threads write at once, and the models cover one");
}

static bool hides(const struct fixture *fixture)
{
	return validity_hides_memory(&fixture->validity, &fixture->system, fixture->question.memory);
}

TEST_WITH("a balloon makes as-is memory a reason", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct system_value *pool = &fixture->system.parameters[SYSTEM_WARM_POOL];

	/* A driver without a device has these files, too. */
	fakeroot_put(fixture->root, DRIVER "bind", "");
	fakeroot_put(fixture->root, DRIVER "virtio", "");
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	pool->value = 1e9;
	assert_false(hides(fixture));
	pool->value = NAN;
	assert_true(hides(fixture));
	pool->value = 1e9;
	fakeroot_put(fixture->root, DRIVER "virtio0/features", BITS_WITHOUT);
	ask(fixture);
	assert_string_equal(fixture->codes, "balloon");
	assert_true(hides(fixture));
	fakeroot_put(fixture->root, DRIVER "virtio7/features", BITS_WITH);
	ask(fixture);
	assert_string_equal(fixture->codes, "balloon page-reporting");
	fixture->question.memory = MODEL_WARM;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	pool->value = NAN;
	assert_false(hides(fixture));
	fixture->question.memory = MODEL_COLD;
	ask(fixture);
	assert_string_equal(fixture->codes, "");
}

/* The module's order is -1 until a device has registered. */
TEST_WITH("page reporting without a balloon is a reason", set_up, tear_down)
{
	struct fixture *fixture = *state;

	fakeroot_put(fixture->root, ORDER, "4294967295\n");
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	fakeroot_put(fixture->root, ORDER, "9\n");
	ask(fixture);
	assert_string_equal(fixture->codes, "page-reporting");
}

TEST_WITH("short or malformed features count as absent", set_up, tear_down)
{
	static const char *const texts[] = {"", "0110", "\n", "01100"};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fakeroot_put(fixture->root, DRIVER "virtio0/features", texts[i]);
		ask(fixture);
		assert_string_equal(fixture->codes, "balloon");
	}
}

TEST_WITH("an unstable calibration of the device is a reason", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct system_value *values = fixture->system.parameters;

	/* The reason why a value is unknown is no instability. */
	snprintf(values[SYSTEM_BW_SYNC].unstable, sizeof(values[0].unstable), "not asked for");
	ask(fixture);
	assert_string_equal(fixture->codes, "");
	values[SYSTEM_LIMIT_BG].value = 99e6;
	ask(fixture);
	assert_string_equal(fixture->codes, "uncalibrated");
	values[SYSTEM_BW_SYNC].unstable[0] = '\0';
	values[SYSTEM_BW_SYNC].value = values[SYSTEM_BW_DEV].value = 1e9;
	snprintf(values[SYSTEM_BW_DEV].unstable, sizeof(values[0].unstable), "12 %% between blocks");
	ask(fixture);
	assert_string_equal(fixture->codes, "unstable-device");
	assert_string_equal(fixture->validity.reasons[0].text,
		"bw_dev was not stable when it was calibrated: 12 % between blocks");
	/* The same reason once. */
	snprintf(values[SYSTEM_BW_SYNC].unstable, sizeof(values[0].unstable), "two rates");
	ask(fixture);
	assert_string_equal(fixture->codes, "unstable-device");
	assert_non_null(strstr(fixture->validity.reasons[0].text, "bw_sync"));
	/* Others do not make the device unstable. */
	values[SYSTEM_BW_SYNC].unstable[0] = values[SYSTEM_BW_DEV].unstable[0] = '\0';
	snprintf(values[SYSTEM_SC_W].unstable, sizeof(values[0].unstable), "noise");
	ask(fixture);
	assert_string_equal(fixture->codes, "");
}

TEST_WITH("findings of the measurement are reasons", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct validity *validity = &fixture->validity;
	struct validity_question seen = {.writers = 1, .memory = MODEL_WARM, .busy = {150e6, 60e6, 1e9},
		.written_bytes = 100 * MIB};

	fixture->question.memory = MODEL_WARM;
	ask(fixture);
	validity_measured(&seen, validity);
	assert_int_equal(validity->count, 0);
	seen.busy.waited_ns = NAN; /* the kernel does not say */
	validity_measured(&seen, validity);
	assert_int_equal(validity->count, 0);
	seen.busy.waited_ns = 160e6;
	seen.unbacked_bytes = 3 * MIB;
	validity_measured(&seen, validity);
	assert_int_equal(validity->count, 2);
	assert_string_equal(validity->reasons[0].code, "busy-machine");
	assert_string_equal(validity->reasons[0].text,
		"in 16 % of the time some program waited for a CPU, and other programs took 6 % of one");
	assert_true(validity->reasons[0].is_measured);
	assert_string_equal(validity->reasons[1].code, "host-memory-exhausted");
	assert_string_equal(validity->reasons[1].text,
		"the host-backed memory was used up: 3 MiB of 100 MiB went into memory as it was, which may be cold");
	/* Several threads wait for each other. */
	seen = (struct validity_question){.writers = 2, .memory = MODEL_COLD, .busy = {160e6, 60e6, 1e9}};
	validity->count = 0;
	validity_measured(&seen, validity);
	assert_int_equal(validity->count, 1);
	assert_string_equal(validity->reasons[0].code, "cold-not-proven");
	assert_false(validity->reasons[0].is_measured);
	seen.is_direct = true;
	validity->count = 0;
	validity_measured(&seen, validity);
	assert_int_equal(validity->count, 0);
}

TEST_WITH("reasons beyond the limit are dropped", set_up, tear_down)
{
	struct fixture *fixture = *state;
	char last[16];

	fixture->validity.count = 0;
	for (int i = 0; i < VALIDITY_MAX + 3; i++)
		validity_add(&fixture->validity, "busy-machine", "%d", i);
	assert_int_equal(fixture->validity.count, VALIDITY_MAX);
	snprintf(last, sizeof(last), "%d", VALIDITY_MAX - 1);
	assert_string_equal(fixture->validity.reasons[VALIDITY_MAX - 1].text, last);
}

TEST_WITH("a report with all reasons is valid", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct report *report;
	const char *text;
	size_t size;

	fixture->machine.cgroup_limit_bytes = MIB;
	fixture->question.writers = 3;
	fakeroot_put(fixture->root, DRIVER "virtio0/features", BITS_WITH);
	fixture->system.parameters[SYSTEM_BW_SYNC].value = 1e9;
	memset(fixture->system.parameters[SYSTEM_BW_SYNC].unstable, 'x',
		sizeof(fixture->system.parameters[0].unstable) - 1);
	ask(fixture);
	assert_string_equal(fixture->codes, "cgroup-limit several-writers balloon page-reporting unstable-device");
	assert_int_equal(report_new("cell", &report), 0);
	validity_write(report, field_find(iow_cell_record(), "outside_model"), &fixture->validity);
	assert_int_equal(report_document(report, &text, &size), 0);
	assert_non_null(strstr(text, "<outside_model code=\"several-writers\">3 threads write at once"));
	/* The reason of the calibration is there as a whole. */
	assert_non_null(strstr(text, fixture->system.parameters[SYSTEM_BW_SYNC].unstable));
	report_free(report);
}
