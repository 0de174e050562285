/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/contention.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "common/counters.h"
#include "common/sysfs.h"

#define NS_PER_US 1000.0
#define LATE_NS 400000000 /* a sample that comes later did not only wait for a CPU */

void contention_read(const char *root, struct contention *now)
{
	struct rusage usage;
	uint64_t running;
	const char *rest;
	char line[96];

	*now = (struct contention){0};
	/* "time on a CPU, time waited for one, times put on one"; all are 0 where the kernel does not count them. */
	if (!sysfs_read(root, "/proc/thread-self/schedstat", line, sizeof(line))) {
		rest = sysfs_scan_u64(line, &running);
		now->is_known = rest && *rest == ' ' && running && sysfs_scan_u64(rest + 1, &now->run_delay_ns);
	}
	if (!getrusage(RUSAGE_THREAD, &usage)) {
		now->voluntary = (uint64_t)usage.ru_nvcsw;
		now->involuntary = (uint64_t)usage.ru_nivcsw;
	}
	if (sched_getaffinity(0, sizeof(now->cpus), &now->cpus))
		CPU_ZERO(&now->cpus);
	now->time_ns = clock_ns(CLOCK_MONOTONIC);
}

void contention_add(struct contention *sum, const struct contention *begin, const struct contention *end)
{
	bool is_first = !sum->time_ns;

	sum->is_known = (is_first || sum->is_known) && begin->is_known && end->is_known;
	sum->time_ns += end->time_ns - begin->time_ns;
	sum->run_delay_ns += end->run_delay_ns - begin->run_delay_ns;
	sum->voluntary += end->voluntary - begin->voluntary;
	sum->involuntary += end->involuntary - begin->involuntary;
	sum->cpus = end->cpus;
}

static double waited_ns(const struct contention *sum)
{
	return fmax(0, (double)sum->run_delay_ns - (double)sum->voluntary * CONTENTION_WAKEUP_NS);
}

bool contention_find(const void *first, size_t stride, size_t count, struct contention_finding *finding)
{
	double worst = CONTENTION_PERCENT;
	bool is_found = false;

	for (size_t i = 0; i < count; i++) {
		const struct contention *thread = (const void *)((const char *)first + i * stride);
		double percent = thread->is_known && thread->time_ns ? 100 * waited_ns(thread) / (double)thread->time_ns : NAN;
		double own;
		int cpus = CPU_COUNT(&thread->cpus), sharing = 0;

		if (!(percent > worst) || waited_ns(thread) <= CONTENTION_LEAST_NS)
			continue;
		/* Threads that never sleep share their CPUs evenly. */
		for (size_t k = 0; k < count; k++) {
			const struct contention *other = (const void *)((const char *)first + k * stride);
			cpu_set_t both;

			CPU_AND(&both, &other->cpus, &thread->cpus);
			sharing += CPU_COUNT(&both) > 0;
		}
		own = sharing > cpus ? 100 * (1 - (double)cpus / sharing) : 0;
		if (percent - own <= worst)
			continue;
		worst = percent - own;
		is_found = true;
		*finding = (struct contention_finding){i, percent, own, thread->involuntary};
	}
	return is_found;
}

void contention_machine_read(const char *root, uint64_t now_ns, struct contention_machine *mark)
{
	uint64_t waited_us;
	int64_t others_us;

	*mark = (struct contention_machine){
		.waited_ns = counters_read_cpu_pressure(root, &waited_us) ? NS_PER_US * (double)waited_us : NAN,
		.others_ns = counters_read_others(root, &others_us) ? NS_PER_US * (double)others_us : NAN,
		.whole_ns = (double)now_ns};
}

void contention_machine_add(const struct contention_machine *begin, const struct contention_machine *end,
	struct contention_machine *sum)
{
	sum->waited_ns += end->waited_ns - begin->waited_ns;
	sum->others_ns += end->others_ns - begin->others_ns;
	sum->whole_ns += end->whole_ns - begin->whole_ns;
}

bool contention_others_computed(const struct contention_machine *machine)
{
	return !(machine->others_ns <= CONTENTION_OTHERS_NS ||
		 100 * machine->others_ns <= CONTENTION_OTHERS_PERCENT * machine->whole_ns);
}

static bool has_few_ticks(const struct contention_machine *machine)
{
	return machine->others_ns <= CONTENTION_OTHERS_NS &&
	       100 * CONTENTION_OTHERS_NS > CONTENTION_OTHERS_PERCENT * machine->whole_ns;
}

bool contention_is_machine_busy(const struct contention_machine *machine, size_t threads)
{
	double some_percent = 100 * machine->waited_ns / machine->whole_ns;
	cpu_set_t cpus;

	if (has_few_ticks(machine))
		return threads == 1 && some_percent > CONTENTION_SOME_PERCENT_OF_FEW_TICKS;
	if (!contention_others_computed(machine))
		return false;
	if (threads == 1)
		return some_percent > CONTENTION_SOME_PERCENT;
	return some_percent > CONTENTION_SOME_PERCENT_OF_MANY && !sched_getaffinity(0, sizeof(cpus), &cpus) &&
		threads <= (size_t)CPU_COUNT(&cpus);
}

void contention_machine_text(const struct contention_machine *machine, char *text, size_t length)
{
	size_t used = (size_t)snprintf(text, length, "in %.0f %% of the time some program waited for a CPU",
		100 * machine->waited_ns / machine->whole_ns);

	if (!has_few_ticks(machine) && isfinite(machine->others_ns) && used < length)
		snprintf(text + used, length - used, ", and other programs took %.0f %% of one",
			100 * machine->others_ns / machine->whole_ns);
}

void contention_text(const struct contention_finding *finding, char *text, size_t length)
{
	snprintf(text, length, "thread %zu waited for a CPU for %.1f %% of its time and was preempted %" PRIu64
		" time%s (at most %.0f %% is allowed): pin it to an idle CPU, or stop the other programs on its CPU",
		finding->thread + 1, finding->percent, finding->involuntary, finding->involuntary == 1 ? "" : "s",
		finding->own_percent + CONTENTION_PERCENT);
}

void contention_expect_stops(void)
{
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGCONT);
	pthread_sigmask(SIG_BLOCK, &stops, NULL);
}

bool contention_was_continued(void)
{
	const struct timespec now = {0};
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGCONT);
	return sigtimedwait(&stops, NULL, &now) == SIGCONT;
}

static struct contention_clocks read_clocks(void)
{
	return (struct contention_clocks){(int64_t)clock_ns(CLOCK_MONOTONIC), (int64_t)clock_ns(CLOCK_BOOTTIME),
		(int64_t)clock_ns(CLOCK_REALTIME)};
}

void contention_begin(struct contention_stops *stops)
{
	(void)contention_was_continued();
	*stops = (struct contention_stops){.begin = read_clocks()};
	stops->sample_ns = stops->begin.monotonic_ns;
}

void contention_sample(struct contention_stops *stops, bool is_stopped)
{
	int64_t now = (int64_t)clock_ns(CLOCK_MONOTONIC), since = now - stops->sample_ns;

	if (is_stopped || since > CONTENTION_SAMPLE_NS + LATE_NS)
		stops->stopped_ns += (uint64_t)since;
	stops->sample_ns = now;
}

void contention_end(struct contention_stops *stops)
{
	stops->end = read_clocks();
	stops->was_continued = contention_was_continued();
}

bool contention_is_stopped(const char *root, uint32_t process_id)
{
	char stat[256];
	const char *name_end;

	if (!process_id || sysfs_read(root, SYSFS_PATH("/proc/%u/stat", process_id), stat, sizeof(stat)))
		return false;
	name_end = strrchr(stat, ')');
	return name_end && (!strncmp(name_end, ") T", 3) || !strncmp(name_end, ") t", 3));
}

int64_t contention_suspended_ns(const struct contention_stops *stops)
{
	return (stops->end.boottime_ns - stops->begin.boottime_ns) - (stops->end.monotonic_ns - stops->begin.monotonic_ns);
}

int64_t contention_clock_set_ns(const struct contention_stops *stops)
{
	return (stops->end.realtime_ns - stops->begin.realtime_ns) - (stops->end.boottime_ns - stops->begin.boottime_ns);
}

bool contention_stopped_text(const struct contention_stops *stops, const char *what, char *text, size_t length)
{
	if (stops->stopped_ns)
		snprintf(text, length,
			"the run was stopped for about %.1f s (Ctrl-Z, SIGSTOP or a debugger), and %s took that long: run it again",
			(double)stops->stopped_ns / 1e9, what);
	else if (stops->was_continued)
		snprintf(text, length, "the run was stopped and continued (SIGCONT), and %s took that long: run it again", what);
	return stops->stopped_ns || stops->was_continued;
}

bool contention_suspended_text(const struct contention_stops *stops, char *text, size_t length)
{
	int64_t suspended_ns = contention_suspended_ns(stops);

	if (suspended_ns > CONTENTION_JUMP_NS)
		snprintf(text, length, "the machine was suspended for %.1f s during the run: run it again",
			(double)suspended_ns / 1e9);
	return suspended_ns > CONTENTION_JUMP_NS;
}
