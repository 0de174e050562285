/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/host/contention.h"

#include <inttypes.h>
#include <linux/close_range.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/interrupt.h"
#include "common/base/sysfs.h"
#include "common/kernel/counters.h"

#define NS_PER_US 1000.0
#define LATE_NS 100000000         /* no timer or wake-up is this late */
#define STILL_NS 300000000        /* longer than reading /proc or printing a line can sleep */
#define WATCH_NS 100000000        /* between two samples of a watching thread */
#define LATE_UNKNOWN_NS 400000000 /* the same where the kernel does not count the wait for a CPU */

void contention_read(const char *root, struct contention *now)
{
	struct rusage usage;
	uint64_t running;
	const char *rest;
	char line[96];

	*now = (struct contention){0};
	now->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* The line has three numbers: time on a CPU, time waiting for one, time slices; all are 0 where the kernel does not
	 * count them. */
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
	sum->cpu_ns += end->cpu_ns - begin->cpu_ns;
	sum->voluntary += end->voluntary - begin->voluntary;
	sum->involuntary += end->involuntary - begin->involuntary;
	sum->cpus = end->cpus;
}

uint64_t contention_unexplained_ns(const struct contention *sum, uint64_t asleep_ns)
{
	uint64_t explained_ns = sum->cpu_ns + sum->run_delay_ns + asleep_ns;

	if (!sum->is_known)
		return UINT64_MAX;
	return sum->time_ns > explained_ns ? sum->time_ns - explained_ns : 0;
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
		/* Threads that never sleep share their CPUs evenly: count those that can use one of this thread's CPUs. */
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

static struct contention_moment read_moment(void)
{
	struct contention now;

	contention_read("", &now);
	return (struct contention_moment){(int64_t)now.time_ns, now.is_known, now.run_delay_ns, now.cpu_ns};
}

void contention_begin(struct contention_stops *stops)
{
	(void)contention_was_continued();
	*stops = (struct contention_stops){.begin = read_clocks()};
	stops->sample_ns = stops->begin.monotonic_ns;
	stops->last = read_moment();
}

static void add_stop(struct contention_stops *stops, int64_t stopped_ns)
{
	if (stopped_ns <= 0)
		return;
	stops->stopped_ns += (uint64_t)stopped_ns;
	if ((uint64_t)stopped_ns > stops->longest_ns)
		stops->longest_ns = (uint64_t)stopped_ns;
}

/* Takes the time since the last moment, less the wanted sleep (at most most_ns), the CPU time and the wait for a CPU; the rest
 * is a stop if it is longer than allowed_ns. */
static void pass(struct contention_stops *stops, const struct contention_moment *now, uint64_t most_ns, int64_t allowed_ns)
{
	const struct contention_moment *last = &stops->last;
	bool is_known = now->is_known && last->is_known;
	int64_t rest_ns = now->now_ns - last->now_ns - (int64_t)most_ns - (int64_t)(now->cpu_ns - last->cpu_ns);

	if (is_known)
		rest_ns -= (int64_t)(now->run_delay_ns - last->run_delay_ns);
	if (rest_ns > (is_known ? allowed_ns : LATE_UNKNOWN_NS)) {
		add_stop(stops, rest_ns);
		stops->sample_ns = now->now_ns;
	}
	stops->last = *now;
}

void contention_rest_at(struct contention_stops *stops, const struct contention_moment *now)
{
	pass(stops, now, 0, STILL_NS);
}

void contention_wake_at(struct contention_stops *stops, uint64_t most_ns, const struct contention_moment *now)
{
	pass(stops, now, most_ns, LATE_NS);
}

void contention_rest(struct contention_stops *stops)
{
	const struct contention_moment now = read_moment();

	contention_rest_at(stops, &now);
}

void contention_wake(struct contention_stops *stops, uint64_t most_ns)
{
	const struct contention_moment now = read_moment();

	contention_wake_at(stops, most_ns, &now);
}

void contention_sample(struct contention_stops *stops, bool is_stopped)
{
	int64_t now = (int64_t)clock_ns(CLOCK_MONOTONIC);

	if (is_stopped)
		add_stop(stops, now - stops->sample_ns);
	stops->sample_ns = now;
}

void contention_end(struct contention_stops *stops)
{
	stops->end = read_clocks();
	/* timeout(1) sends a SIGCONT after its signal, so a SIGCONT after an interruption proves no stop. */
	stops->was_continued = contention_was_continued() && !interrupt_signal();
}

void contention_add_stops(struct contention_stops *sum, const struct contention_stops *part)
{
	sum->stopped_ns += part->stopped_ns;
	if (part->longest_ns > sum->longest_ns)
		sum->longest_ns = part->longest_ns;
	sum->was_continued = sum->was_continued || part->was_continued;
}

/* Runs with a descriptor table of its own (Linux 5.9), which is empty. With a shared table each call counts the users of a
 * file, which costs 50 ns of a write(2) of 250 to 900 ns and another 50 for its position, and each close(2) may be delayed. */
static void *watch_stops(void *state)
{
	struct contention_watch *watch = state;
	struct timespec until;

	(void)syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE);
	if (watch->cpus)
		(void)sched_setaffinity(0, sizeof(*watch->cpus), watch->cpus);
	contention_begin(&watch->stops);
	pthread_mutex_lock(&watch->mutex);
	watch->has_begun = true;
	pthread_cond_signal(&watch->changed);
	while (!watch->is_over) {
		contention_rest(&watch->stops);
		until = clock_timespec(clock_ns(CLOCK_MONOTONIC) + WATCH_NS);
		(void)pthread_cond_timedwait(&watch->changed, &watch->mutex, &until);
		contention_wake(&watch->stops, WATCH_NS);
	}
	pthread_mutex_unlock(&watch->mutex);
	contention_end(&watch->stops);
	return NULL;
}

void contention_watch_begin(struct contention_watch *watch, const cpu_set_t *cpus)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	*watch = (struct contention_watch){.cpus = cpus, .mutex = PTHREAD_MUTEX_INITIALIZER};
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watch->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	watch->has_thread = !pthread_create(&watch->thread, NULL, watch_stops, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!watch->has_thread) {
		contention_begin(&watch->stops);
		return;
	}
	pthread_mutex_lock(&watch->mutex);
	while (!watch->has_begun)
		pthread_cond_wait(&watch->changed, &watch->mutex);
	pthread_mutex_unlock(&watch->mutex);
}

void contention_watch_end(struct contention_watch *watch, struct contention_stops *stops)
{
	if (watch->has_thread) {
		pthread_mutex_lock(&watch->mutex);
		watch->is_over = true;
		pthread_cond_signal(&watch->changed);
		pthread_mutex_unlock(&watch->mutex);
		pthread_join(watch->thread, NULL);
	} else {
		contention_end(&watch->stops);
	}
	pthread_cond_destroy(&watch->changed);
	pthread_mutex_destroy(&watch->mutex);
	*stops = watch->stops;
}

/* A frozen thread has the state of one that sleeps or waits for a disk, so /proc/PID/wchan decides: version 1 of cgroups
 * freezes in __refrigerator or in a futex wait (which by itself has no state D), version 2 in get_signal. Without permission to
 * read wchan only the state is known. */
bool contention_is_stopped(const char *root, uint32_t process_id)
{
	char stat[1024], function[64], state;
	const char *name_end;

	if (!process_id || sysfs_read(root, SYSFS_PATH("/proc/%u/stat", process_id), stat, sizeof(stat)))
		return false;
	name_end = strrchr(stat, ')');
	state = name_end && name_end[1] == ' ' ? name_end[2] : '\0';
	if (state == 'T' || state == 't')
		return true;
	return !sysfs_read(root, SYSFS_PATH("/proc/%u/wchan", process_id), function, sizeof(function)) &&
		(strstr(function, "refrigerator") || !strcmp(function, "get_signal") ||
			(state == 'D' && strstr(function, "futex")));
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
	double run_ns = (double)(stops->end.monotonic_ns - stops->begin.monotonic_ns);
	bool is_stopped = stops->longest_ns > CONTENTION_STOP_NS ||
		100 * (double)stops->stopped_ns > CONTENTION_STOPPED_PERCENT * run_ns;

	if (is_stopped)
		snprintf(text, length, "the run was stopped for about %.1f s (the cgroup freezer as by docker pause, Ctrl-Z, "
			"SIGSTOP, "
			"a debugger or the hypervisor), and %s took that long: run it again",
			(double)stops->stopped_ns / 1e9, what);
	else if (stops->was_continued)
		snprintf(text, length, "the run was stopped and continued (SIGCONT), and %s took that long: run it again", what);
	return is_stopped || stops->was_continued;
}

bool contention_suspended_text(const struct contention_stops *stops, char *text, size_t length)
{
	int64_t suspended_ns = contention_suspended_ns(stops);

	if (suspended_ns > CONTENTION_JUMP_NS)
		snprintf(text, length, "the machine was suspended for %.1f s during the run: run it again",
			(double)suspended_ns / 1e9);
	return suspended_ns > CONTENTION_JUMP_NS;
}
