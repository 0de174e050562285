/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run/check.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/base/diag.h"
#include "common/stats/latency.h"

/* --- notes: conditions that may disturb the measurement --- */

#define OWN_CHECKS 8 /* space for checks that are added here */

void pm_check_start(const struct machine *machine, struct pmbench_result *result)
{
	result->machine = *machine;
	result->check_count = machine_checks("", machine, result->checks, RESULT_CHECKS - OWN_CHECKS);
}

void pm_check_machine(uint64_t limit, const char *cgroup_dir, struct pmbench_result *result)
{
	if (machine_read("", &result->machine))
		diag_warn("this machine's facts could not be read again");
	if (cgroup_dir)
		snprintf(result->machine.cgroup_dir, sizeof(result->machine.cgroup_dir), "%s", cgroup_dir);
	if (limit && limit < result->machine.cgroup_limit_bytes)
		result->machine.cgroup_limit_bytes = limit;
}

static void add_check(struct pmbench_result *result, const char *code, const char *finding, const char *value,
	const char *advice)
{
	machine_check_add(result->checks, &result->check_count, RESULT_CHECKS, code, value, advice, finding);
}

static void check_file(struct pmbench_result *result)
{
	const struct pm_map_file_values *file = &result->file;
	bool is_known = file->resident_before_pages != FIELD_NO_COUNT;
	char value[64];

	if (!file->file_pages || !file->was_there || !file->resident_before_pages)
		return;
	if (is_known)
		snprintf(value, sizeof(value), "%.0f %% of %llu pages",
			(double)file->resident_before_pages * 100 / (double)file->file_pages,
			(unsigned long long)file->file_pages);
	else
		snprintf(value, sizeof(value), "unknown");
	add_check(result, "page-cache", is_known
			? "pages of the file were in the page cache before the run and were not read from the device"
			: "it is not known whether pages of the file were in the page cache before the run",
		value, "compare only runs that begin with the same share; dd of=FILE oflag=nocache conv=notrunc,fdatasync count=0 "
		"empties it");
}

/* Pages that repeat one value never reach the device: Linux 6.12 keeps one bit for pages of zeros (swpin_zero), zram the value. */
static void check_content(struct pmbench_result *result)
{
	const struct mapping_request *mapping = &result->plan->options->mapping;
	uint64_t zero, whole, major = 0;
	char value[64] = "";

	if (mapping->content != CONTENT_ZERO && !(mapping->content == CONTENT_RATIO && mapping->compressible_percent >= 99.9))
		return;
	for (size_t i = 0; i < result->thread_count; i++)
		major += result->threads[i].details.classified_major_faults;
	if (!major || !result->has_snapshot[SNAPSHOT_PRE_RUN] || !result->has_snapshot[SNAPSHOT_POST_RUN])
		return;
	if (result_counted(result, "vmstat.swpin_zero", &zero) && result_counted(result, "vmstat.pswpin", &whole))
		snprintf(value, sizeof(value), "%llu zero pages, %llu read from a device", (unsigned long long)zero,
			(unsigned long long)whole);
	else
		snprintf(value, sizeof(value), "%llu major faults", (unsigned long long)major);
	add_check(result, "zero-content", "pages of zeros are not written to the swap device, or not stored by it", value,
		"major faults of this run say nothing about the device: use --content random or ratio:50");
}

void pm_check_run(const struct control *control, struct pmbench_result *result)
{
	const char *page_cluster = machine_setting(&result->machine, "vm.page-cluster");
	uint64_t own_major_faults = 0;
	bool is_own_known = true;
	char value[32];

	/* This was checked before the run; its own --swap may have switched readahead off since. */
	for (size_t i = 0; page_cluster && !strcmp(page_cluster, "0") && i < result->check_count; i++) {
		if (strcmp(result->checks[i].code, "page-cluster"))
			continue;
		result->check_count--;
		memmove(&result->checks[i], &result->checks[i + 1], (result->check_count - i) * sizeof(result->checks[i]));
	}
	for (size_t i = 0; i < result->thread_count; i++) {
		const struct pm_thread_details_values *details = &result->threads[i].details;

		/* A lost thread has no kernel counts; without classes its faults are unknown. */
		if (details->is_complete)
			own_major_faults += details->kernel_major_faults;
		else if (result_is_classified(result))
			own_major_faults += details->classified_major_faults;
		else
			is_own_known = false;
	}
	/* events of the machine in the window other than the run's own faults */
	if (result->has_snapshot[SNAPSHOT_PRE_RUN] && result->has_snapshot[SNAPSHOT_POST_RUN])
		result->check_count += machine_checks_run(&result->snapshots[SNAPSHOT_PRE_RUN],
			&result->snapshots[SNAPSHOT_POST_RUN], is_own_known ? own_major_faults : UINT64_MAX,
			result->checks + result->check_count, RESULT_CHECKS - result->check_count);
	check_file(result);
	check_content(result);
	if (result->has_zero_pages && result->zero_pages) {
		snprintf(value, sizeof(value), "%llu pages", (unsigned long long)result->zero_pages);
		add_check(result, "zero-page",
			"pages of the set were never written and share the kernel's zero page, so they are never paged",
			value, "fill the map with -i");
	}
	if (result->traffic.disk_count && !result->has_traffic)
		add_check(result, "traffic-not-counted",
			"the traffic of other programs on the disks that the run pages to is unknown", result->traffic.disks[0],
			"make sure that no other program uses them: echo 1 > /sys/block/DISK/queue/iostats has the kernel count");
	if (llabs(contention_clock_set_ns(&result->stops)) > CONTENTION_JUMP_NS) {
		snprintf(value, sizeof(value), "%+.1f s", (double)contention_clock_set_ns(&result->stops) / 1e9);
		add_check(result, "clock-set", "the wall clock was set during the run",
			value, "durations are right, dates before and after do not compare: stop what sets the clock (NTP)");
	}
	for (size_t i = 0; i < control->count; i++) {
		if (!control->slots[i].status.is_warmup_cut)
			continue;
		snprintf(value, sizeof(value), "%llu accesses", (unsigned long long)control->slots[i].status.warm_accesses);
		add_check(result, "warm-up-cut", "the warm-up ended at its limit, and the run may begin colder than others",
			value, "raise --warmup-limit, or use the series");
		break;
	}
	if (!control->slots[0].status.is_locked)
		add_check(result, "not-locked", "the measuring code and its data could not be locked in memory", "memlock",
			"raise ulimit -l, or run as root");
	if (result->has_steady && !result->steady.is_steady)
		add_check(result, "not-steady", "throughput still changed at the end", "",
			"run longer, or use the series");
}

/* --- reasons: conditions that make the result untrustworthy --- */

bool pm_check_steady(const struct result_interval *intervals, size_t count, unsigned phases,
	struct pm_steady_state_values *steady)
{
	struct latency_steady found;
	double *time, *rate;

	count -= count != 0;
	if (count < LATENCY_TAIL_INTERVALS || phases > 1)
		return false;
	time = calloc(2 * count, sizeof(*time));
	if (!time)
		return false;
	rate = time + count;
	for (size_t i = 0; i < count; i++) {
		time[i] = intervals[i].values.time_s;
		rate[i] = (double)intervals[i].values.accesses / intervals[i].values.seconds;
	}
	latency_steady_tail(time, rate, count, &found);
	*steady = (struct pm_steady_state_values){found.verdict == LATENCY_STEADY, found.slope_percent, found.cv_percent,
		found.verdict != LATENCY_STEADY ? NAN : found.from ? time[found.from - 1] : 0};
	free(time);
	return found.verdict != LATENCY_UNKNOWN;
}

static void __attribute__((format(printf, 3, 4))) add_reason(struct pmbench_result *result, const char *code,
	const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_reason_add(result->reasons, &result->reason_count, RESULT_REASONS, code, format, arguments);
	va_end(arguments);
}

static void trust_clock(struct pmbench_result *result)
{
	uint64_t backwards = 0, accesses = 0;

	for (size_t i = 0; i < result->thread_count; i++) {
		backwards += result->threads[i].details.backwards;
		accesses += result->threads[i].accesses;
	}
	if (result->timebase.distrust[0])
		add_reason(result, "clock", "%s", result->timebase.distrust);
	if ((double)backwards > CHECK_MAX_BACKWARDS_SHARE * (double)accesses)
		add_reason(result, "clock-backwards",
			"%" PRIu64 " of %" PRIu64 " latencies were negative; allowed is 1 in a million", backwards, accesses);
	/* Over a short run the calibration's uncertainty exceeds the allowed drift. */
	if (timebase_drift_ppm(&result->timebase) > CHECK_MAX_DRIFT_PPM + result->timebase.start.uncertainty_ppm +
			result->timebase.end.uncertainty_ppm)
		add_reason(result, "clock-drift", "the clock's rate changed by %.2f ppm during the run; allowed are %.0f",
			timebase_drift_ppm(&result->timebase), CHECK_MAX_DRIFT_PPM);
}

/* Time that a CPU gives to a hypervisor or to interrupts is in no thread's CPU time; it is counted for the whole machine only. */
static double uncharged_ns(const struct pmbench_result *result)
{
	static const char *const names[] = {"stat.steal", "stat.irq", "stat.softirq"};
	double ticks = 0;
	uint64_t count;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ticks += result_counted(result, names[i], &count) && (int64_t)count > 0 ? (double)count : 0;
	return ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

static void trust_explained(struct pmbench_result *result)
{
	double uncharged = uncharged_ns(result), worst = 0;
	size_t worst_thread = 0;

	for (size_t i = 0; i < result->thread_count; i++) {
		uint64_t unexplained_ns = result->threads[i].details.unexplained_ns;

		if (unexplained_ns != FIELD_NO_COUNT && (double)unexplained_ns - uncharged > worst) {
			worst = (double)unexplained_ns - uncharged;
			worst_thread = i;
		}
	}
	if (worst > CONTENTION_UNEXPLAINED_NS && 100 * worst > CONTENTION_UNEXPLAINED_PERCENT *
			(double)result->threads[worst_thread].contention.time_ns)
		add_reason(result, "unexplained-time",
			"thread %zu stood still for %.2f s, %.1f %% of its time (%.0f %% is allowed), and waited for neither page "
			"nor CPU (the cgroup freezer as by docker pause, SIGSTOP, a debugger or the hypervisor): run it again",
			worst_thread + 1, worst / 1e9,
			100 * worst / (double)result->threads[worst_thread].contention.time_ns, CONTENTION_UNEXPLAINED_PERCENT);
}

static void trust_time(struct pmbench_result *result)
{
	struct contention_finding finding;
	uint64_t steal, total;
	char text[320];

	if (contention_stopped_text(&result->stops, "accesses", text, sizeof(text)))
		add_reason(result, "stopped", "%s", text);
	else
		trust_explained(result);
	if (contention_suspended_text(&result->stops, text, sizeof(text)))
		add_reason(result, "suspended", "%s", text);
	if (result_counted(result, "stat.steal", &steal) && result_counted(result, "stat.total", &total) && (int64_t)total > 0) {
		double percent = (double)steal / (double)total * 100;

		if (percent > CHECK_MAX_STEAL_PERCENT)
			add_reason(result, "steal", "the hypervisor took %.1f %% of the CPU time; allowed are %.0f %%", percent,
				CHECK_MAX_STEAL_PERCENT);
	}
	if (!result->plan->options->accepts_limits &&
		limits_stops_text(&result->limits, &result->quota_stops, text, sizeof(text)))
		add_reason(result, "cpu-quota", "%s, or accept it with --accept-limit", text);
	if (result->thread_count && contention_find(&result->threads[0].contention, sizeof(result->threads[0]),
					    result->thread_count, &finding) &&
		!limits_explain(&result->quota_stops, result->quota_window_ns, &finding)) {
		contention_text(&finding, text, sizeof(text));
		add_reason(result, "contention", "%s", text);
	}
}

/* Threads that begin or end at different times measure alone for a while. Allowed are 5 % of the run, and the time in which a
 * loaded machine starts them. */
#define APART_SHARE 0.05
#define APART_S 0.25

static void trust_threads(struct pmbench_result *result)
{
	uint64_t inexact = result_inexact(result);
	size_t lost = 0;

	for (size_t i = 0; i < result->thread_count; i++)
		lost += !result->threads[i].details.is_complete;
	if (result->pressure.was_oom)
		add_reason(result, "oom", "the kernel killed the run for lack of memory");
	if (lost)
		add_reason(result, "lost-threads", "%zu of %zu threads did not end by themselves", lost,
			result->thread_count);
	if (result->span_seconds - result->run_seconds > fmax(APART_S, APART_SHARE * result->run_seconds))
		add_reason(result, "not-together",
			"the threads did not measure at the same time: they took %.1f s in all, and none longer than %.1f s, "
			"so that the sum of their rates is too high: give each a CPU of its own, or drop the real-time priority",
			result->span_seconds, result->run_seconds);
	if (inexact)
		add_reason(result, "inexact", "%" PRIu64 " faults are not accounted to an access", inexact);
}

/* Only pages that the run itself reads are charged to its cgroup, and only these can --ram reclaim. */
static void trust_file(struct pmbench_result *result)
{
	const struct pm_map_file_values *file = &result->file;

	if (!file->file_pages || !file->was_there || !result->plan->options->pressure.ram_bytes)
		return;
	if (file->resident_before_pages == FIELD_NO_COUNT)
		add_reason(result, "charged-elsewhere",
			"whether pages of the file were in the page cache before the run is not known, and those would not count "
			"against --ram: run as the file's owner, or map a new file");
	else if ((double)file->resident_before_pages > CHECK_MAX_RESIDENT_SHARE * (double)file->file_pages)
		add_reason(result, "charged-elsewhere",
			"%" PRIu64 " of %" PRIu64 " pages of the file were in the page cache before the run and do not count "
			"against --ram: drop them (dd of=FILE oflag=nocache conv=notrunc,fdatasync count=0)",
			file->resident_before_pages, file->file_pages);
}

/* The run depends on these disks only if it paged. */
static void trust_disks(struct pmbench_result *result)
{
	const struct limit *limit = limits_of_io(&result->limits);
	uint64_t major = 0;
	char text[320];

	for (size_t i = 0; i < result->thread_count; i++)
		major += result->threads[i].details.kernel_major_faults;
	if (!major && result->traffic.measured.own_bytes < TRAFFIC_LEAST_BYTES)
		return;
	if (traffic_is_foreign(&result->traffic.measured)) {
		traffic_text(&result->traffic, &result->traffic.measured, text, sizeof(text));
		add_reason(result, "foreign-traffic", "%s", text);
	}
	if (limit && !result->plan->options->accepts_limits) {
		limits_text(limit, text, sizeof(text));
		add_reason(result, "io-limit",
			"a cgroup of the run limits the I/O of its paging (%s): remove the limit, or accept it with --accept-limit",
			text);
	}
}

void pm_check_trust(struct pmbench_result *result)
{
	const struct pmbench_options *options = result->plan->options;
	const struct result_histogram *all = result->total[RESULT_ALL];
	char why[128];

	trust_clock(result);
	trust_time(result);
	trust_disks(result);
	trust_threads(result);
	trust_file(result);
	if (options->mapping.wants_thp && !result->huge_bytes)
		add_reason(result, "no-huge-pages",
			"--thp had no effect, 0 bytes of the map were in huge pages: "
			"set /sys/kernel/mm/transparent_hugepage/enabled (of shared maps shmem_enabled) to madvise, map more than "
			"2 MiB, or drop --thp");
	if (options->access == ACCESS_HISTO && !histogram_total(&histogram_log16, all[ACCESS_READ].count) &&
		!histogram_total(&histogram_log16, all[ACCESS_WRITE].count))
		add_reason(result, "no-samples", "no access was measured");
	if (start_late_text(&result->signature.start, why, sizeof(why)))
		add_reason(result, START_LATE, "%s", why);
	result->status = result->reason_count ? "untrustworthy" : result->is_interrupted ? "interrupted" : "ok";
}

void pm_check_failure(const struct pressure_outcome *outcome, char *why, size_t length)
{
	static const char when[] = "before the first access was measured";
	int status = outcome->wait_status;

	if (outcome->was_oom_killed)
		snprintf(why, length,
			"the measuring process was killed for lack of memory %s: give more --ram or --swap, or map less", when);
	else if (outcome->was_guardian_killed)
		snprintf(why, length, "the guardian of --ram, --swap and --eater was killed %s, and the run with it", when);
	else if (WIFSIGNALED(status))
		snprintf(why, length, "the measuring process was killed by signal %d (%s) %s%s", WTERMSIG(status),
			strsignal(WTERMSIG(status)), when,
			WTERMSIG(status) == SIGKILL ? ", possibly for lack of memory (see dmesg)" : "");
	else
		snprintf(why, length, "the measuring process ended with status %d %s", WEXITSTATUS(status), when);
}
