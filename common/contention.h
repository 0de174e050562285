/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a thread had its CPU while it measured: how long it could run and waited for a CPU (the kernel's run delay),
 * and how often it was preempted. What waits for a CPU measures its neighbours: beyond CONTENTION_PERCENT no result is "ok".
 *
 * A thread that sleeps (for a page, for a device) is woken a moment before it runs, on an idle CPU too (0.1 us in a quiet
 * guest): up to CONTENTION_WAKEUP_NS for each voluntary switch are no contention.
 */
#ifndef COMMON_CONTENTION_H
#define COMMON_CONTENTION_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENTION_PERCENT 5.0
#define CONTENTION_WAKEUP_NS 10000u
#define CONTENTION_LEAST_NS 5000000.0 /* a shorter wait is one time slice or two, whatever its share of a short run */

struct contention { /* a reading, or the sum of differences of two */
	bool is_known;            /* the kernel counts run delays (CONFIG_SCHED_INFO) */
	uint64_t time_ns;         /* CLOCK_MONOTONIC; in a sum the time of all threads */
	uint64_t run_delay_ns;
	uint64_t voluntary, involuntary; /* context switches */
	cpu_set_t cpus;           /* that the thread may use */
};

/* Of the calling thread, since it began. root as in common/sysfs.h. Some 10 us: outside of what is measured. */
void contention_read(const char *root, struct contention *now);
/* sum += end - begin, which are of one thread; a sum starts zeroed. Unknown where either is. */
void contention_add(struct contention *sum, const struct contention *begin, const struct contention *end);
/* Share of the time that was waited for a CPU, wake-ups excepted; NAN when it is not known. */
double contention_percent(const struct contention *sum);

struct contention_finding { /* of the thread that was disturbed most */
	size_t thread;
	double percent;     /* contention_percent */
	double own_percent; /* what threads of the run itself make each other wait that share their CPUs */
	uint64_t involuntary;
};
/* Whether one of these threads, which ran together, waited for a CPU for more than CONTENTION_PERCENT above what they
 * make each other wait. first: in the first of `count` structures, each of `stride` bytes. */
bool contention_find(const void *first, size_t stride, size_t count, struct contention_finding *finding);
/*
 * The whole machine's word (PSI, "some" of /proc/pressure/cpu, in percent of the time): what a thread sleeps for may wait
 * for a CPU, too (ksoftirqd, a flusher), which is in no run delay. Whether others must be to blame when so many threads
 * of the run want the CPUs that the calling thread may use: more threads than CPUs wait for each other.
 */
#define CONTENTION_SOME_PERCENT 15.0         /* one thread, and what the kernel does for it: below 5 */
#define CONTENTION_SOME_PERCENT_OF_MANY 50.0
bool contention_is_machine_busy(double some_percent, size_t threads);
/* The finding as a sentence with its number and the advice. */
void contention_text(const struct contention_finding *finding, char *text, size_t length);

#endif
