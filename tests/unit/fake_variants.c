/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "pmbench/report/report.h"
#include "tests/unit/fake_result.h"
#include "tests/unit/golden.h"

static void make_touch(struct fake *fake)
{
	fake->options.access = ACCESS_TOUCH;
}

static void make_unclassified(struct fake *fake)
{
	fake->options.classify = CLASSIFY_NONE;
}

static void make_reads_only(struct fake *fake)
{
	fake->options.ratio = 100;
}

static void make_writes_only(struct fake *fake)
{
	fake->options.ratio = 0;
}

static void make_interrupted(struct fake *fake)
{
	fake->result.is_interrupted = fake->result.signature.is_interrupted = true;
	fake->result.has_snapshot[SNAPSHOT_PRE_WARMUP] = fake->result.has_snapshot[SNAPSHOT_MID_RUN] = false;
	fake->result.threads[0].warmup_accesses = fake->result.threads[1].warmup_accesses = 0;
	fake->result.status = "interrupted";
	fake->result.reason_count = 0;
}

static void make_bare(struct fake *fake)
{
	fake->options.wants_kernel_split = false;
	fake->options.pressure.ram_bytes = 0;
	fake->options.media_latency_us = 0;
	fake->result.machine.cache_count = fake->result.machine.node_count = fake->result.machine.swap_count = 0;
	fake->result.machine.setting_count = 0;
	fake->result.machine.cores = fake->result.machine.threads = 0;
	fake->result.machine.memory_bytes = fake->result.machine.available_bytes = 0;
	fake->result.machine.cgroup_version = 0;
	fake->result.timebase.end = (struct timebase_calibration){0};
	fake->result.has_steady = fake->result.has_zero_pages = false;
	fake->result.check_count = fake->result.reason_count = 0;
	fake->result.signature.option_count = fake->result.signature.label_count = 0;
	fake->result.signature.argc = 0;
	fake->plan.phase_count = 1;
	fake->result.status = "ok";
}

static void make_unavailable(struct fake *fake)
{
	fake->result.split = (struct kernel_split_summary){.reason = "needs CAP_BPF"};
}

static void make_empty(struct fake *fake)
{
	memset(fake->result.threads, 0, fake->result.thread_count * sizeof(*fake->result.threads));
	for (int class = 0; class < RESULT_CLASSES; class ++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			struct result_histogram *histogram = &fake->result.total[class][direction];

			memset(histogram->count, 0, sizeof(histogram->count));
			memset(&histogram->moments, 0, sizeof(histogram->moments));
			free(histogram->hdr);
			histogram->hdr = NULL;
		}
	}
	memset(fake->result.has_snapshot, 0, sizeof(fake->result.has_snapshot));
}

static void make_hot_set(struct fake *fake)
{
	fake->plan.phases[0].pattern = (struct pattern_spec){
		.kind = PATTERN_HOTSET, .hot_set = 0.125, .hot_access = 0.9, .hot_drift = 1000, .is_scattered = true};
	fake->plan.phases[1].pattern = (struct pattern_spec){.kind = PATTERN_HOTSET, .hot_set = 0.07, .hot_access = 0.999};
}

static void make_as_is(struct fake *fake)
{
	(void)fake;
}

static const struct {
	const char *name;
	void (*make)(struct fake *fake);
} variants[FAKE_VARIANTS] = {
	{"as-is", make_as_is},
	{"touch", make_touch},
	{"unclassified", make_unclassified},
	{"reads-only", make_reads_only},
	{"writes-only", make_writes_only},
	{"interrupted", make_interrupted},
	{"bare", make_bare},
	{"unavailable", make_unavailable},
	{"empty", make_empty},
	{"hot-set", make_hot_set},
};

struct fake *fake_variant(size_t index)
{
	struct fake *fake = fake_new();

	variants[index].make(fake);
	return fake;
}

const char *fake_variant_name(size_t index)
{
	return variants[index].name;
}

char *fake_written(const struct fake *fake, int (*write)(struct report *, const char *))
{
	char path[] = "/tmp/test_report_pmbench.XXXXXX";
	struct report *report;
	char *text;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(report_new("pmbenchmark", &report), 0);
	report_pmbench(report, &fake->result);
	assert_int_equal(write(report, path), 0);
	report_free(report);
	text = golden_read(path);
	unlink(path);
	return text;
}
