/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/judge.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "common/latency.h"

void judge_steady(const struct result_interval *intervals, size_t count, unsigned phases, struct result_steady *steady)
{
	struct latency_steady found;
	double *time, *rate;

	*steady = (struct result_steady){0};
	count -= count != 0;
	if (count < LATENCY_TAIL_INTERVALS || phases > 1)
		return;
	time = calloc(2 * count, sizeof(*time));
	if (!time)
		return;
	rate = time + count;
	for (size_t i = 0; i < count; i++) {
		time[i] = intervals[i].time_s;
		rate[i] = (double)intervals[i].accesses / intervals[i].seconds;
	}
	latency_steady_tail(time, rate, count, &found);
	if (found.verdict != LATENCY_UNKNOWN)
		*steady = (struct result_steady){
			.is_known = true,
			.is_steady = found.verdict == LATENCY_STEADY,
			.slope_percent = found.slope_percent,
			.cv_percent = found.cv_percent,
			.from_s = found.from ? time[found.from - 1] : 0,
		};
	free(time);
}

static void __attribute__((format(printf, 3, 4))) add_reason(struct pmbench_result *result, const char *code,
	const char *format, ...)
{
	struct report_reason *reason;
	va_list arguments;

	if (result->reason_count == RESULT_REASONS)
		return;
	reason = &result->reasons[result->reason_count++];
	snprintf(reason->code, sizeof(reason->code), "%s", code);
	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
}

static void judge_clock(struct pmbench_result *result)
{
	uint64_t backwards = 0, accesses = 0;

	for (size_t i = 0; i < result->thread_count; i++) {
		backwards += result->threads[i].slow.backwards;
		accesses += result->threads[i].accesses;
	}
	if (result->timebase.distrust[0])
		add_reason(result, "clock", "%s", result->timebase.distrust);
	if ((double)backwards > JUDGE_MAX_BACKWARDS_SHARE * (double)accesses)
		add_reason(result, "clock-backwards",
			"%" PRIu64 " of %" PRIu64 " latencies were negative; allowed is 1 in a million", backwards, accesses);
	/* Over a short run the brackets bound the rate less well than that. */
	if (timebase_drift_ppm(&result->timebase) > JUDGE_MAX_DRIFT_PPM + result->timebase.start.uncertainty_ppm +
			result->timebase.end.uncertainty_ppm)
		add_reason(result, "clock-drift", "the clock's rate changed by %.2f ppm during the run; allowed are %.0f",
			timebase_drift_ppm(&result->timebase), JUDGE_MAX_DRIFT_PPM);
}

static void judge_stops(struct pmbench_result *result)
{
	char text[256];

	if (contention_stopped_text(&result->stops, "accesses", text, sizeof(text)))
		add_reason(result, "stopped", "%s", text);
	if (contention_suspended_text(&result->stops, text, sizeof(text)))
		add_reason(result, "suspended", "%s", text);
}

static void judge_steal(struct pmbench_result *result)
{
	const struct vmcounters *before = &result->snapshots[SNAPSHOT_PRE_RUN];
	const struct vmcounters *after = &result->snapshots[SNAPSHOT_POST_RUN];
	uint64_t steal[2], total[2];
	double percent;

	if (!result->has_snapshot[SNAPSHOT_PRE_RUN] || !result->has_snapshot[SNAPSHOT_POST_RUN] ||
		!vmcounters_get(before, "stat.steal", &steal[0]) || !vmcounters_get(after, "stat.steal", &steal[1]) ||
		!vmcounters_get(before, "stat.total", &total[0]) || !vmcounters_get(after, "stat.total", &total[1]) ||
		total[1] <= total[0])
		return;
	percent = (double)(steal[1] - steal[0]) / (double)(total[1] - total[0]) * 100;
	if (percent > JUDGE_MAX_STEAL_PERCENT)
		add_reason(result, "steal", "the hypervisor took %.1f %% of the CPU time; allowed are %.0f %%", percent,
			JUDGE_MAX_STEAL_PERCENT);
}

static void judge_contention(struct pmbench_result *result)
{
	struct contention_finding finding;
	char text[256];

	if (result->thread_count && contention_find(&result->threads[0].contention, sizeof(result->threads[0]),
					    result->thread_count, &finding)) {
		contention_text(&finding, text, sizeof(text));
		add_reason(result, "contention", "%s", text);
	}
}

/* Only pages that the run itself brings in are charged to its cgroup, and only these can --ram take away. */
static void judge_file(struct pmbench_result *result)
{
	const struct result_map_file *file = &result->file;

	if (!file->pages || !file->was_there || !result->plan->options->pressure.ram_bytes)
		return;
	if (!file->is_known)
		add_reason(result, "charged-elsewhere",
			"whether pages of the file were in the page cache before the run is not known, and those would not count "
			"against --ram: run as the file's owner, or map a new file");
	else if ((double)file->resident_before > JUDGE_MAX_RESIDENT_SHARE * (double)file->pages)
		add_reason(result, "charged-elsewhere",
			"%" PRIu64 " of %" PRIu64 " pages of the file were in the page cache before the run and do not count "
			"against --ram: drop them (dd of=FILE oflag=nocache conv=notrunc,fdatasync count=0)",
			file->resident_before, file->pages);
}

static void judge_huge_pages(struct pmbench_result *result)
{
	if (result->plan->options->mapping.wants_thp && !result->huge_bytes)
		add_reason(result, "no-huge-pages",
			"--thp had no effect, 0 bytes of the map were in huge pages: "
			"set /sys/kernel/mm/transparent_hugepage/enabled (of shared maps shmem_enabled) to madvise, map more than "
			"2 MiB, or drop --thp");
}

static void judge_threads(struct pmbench_result *result)
{
	size_t lost = 0;
	uint64_t inexact = 0;

	for (size_t i = 0; i < result->thread_count; i++) {
		lost += !result->threads[i].is_complete;
		inexact += (uint64_t)result->threads[i].inexact;
	}
	if (result->was_oom)
		add_reason(result, "oom", "the kernel killed the run for lack of memory");
	if (result->eaters_lost)
		add_reason(result, "lost-eaters", "%u of the eaters were killed before their end", result->eaters_lost);
	if (lost)
		add_reason(result, "lost-threads", "%zu of %zu threads did not end by themselves", lost,
			result->thread_count);
	if (inexact)
		add_reason(result, "inexact", "%" PRIu64 " faults are not accounted to an access", inexact);
}

void judge_result(struct pmbench_result *result)
{
	judge_clock(result);
	judge_stops(result);
	judge_steal(result);
	judge_contention(result);
	judge_threads(result);
	judge_file(result);
	judge_huge_pages(result);
	if (!histogram_total(&histogram_log16, result->total.by[RESULT_ALL][ACCESS_READ].count) &&
		!histogram_total(&histogram_log16, result->total.by[RESULT_ALL][ACCESS_WRITE].count) &&
		result->plan->options->access == ACCESS_HISTO)
		add_reason(result, "no-samples", "not one access was measured");
	result->status = result->reason_count ? "untrustworthy" : result->is_interrupted ? "interrupted" : "ok";
}

void judge_failure(const struct pressure_outcome *outcome, char *why, size_t length)
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
			WTERMSIG(status) == SIGKILL ? ": for lack of memory, perhaps (dmesg tells)" : "");
	else
		snprintf(why, length, "the measuring process ended with status %d %s", WEXITSTATUS(status), when);
}
