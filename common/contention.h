/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a thread had its CPU while it measured, and whether the run was stopped: how long it could run and waited for
 * a CPU (the kernel's run delay), and how often it was preempted. What waits for a CPU measures its neighbours: beyond
 * CONTENTION_PERCENT no result is "ok".
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
 * Waiting on the whole machine: what a thread sleeps for may wait for a CPU, too (ksoftirqd, a flusher), which is in no run
 * delay. PSI alone is not enough: it counts the time that each wake-up takes on an idle CPU, 18 % of a run of synchronous
 * writes of 4 KiB on an idle guest. So other programs must have computed as well. Where the time is too short for ticks to
 * tell, most of it must have been waited in: up to 45 % was seen on idle guests.
 */
struct contention_machine { /* over a time, or since the machine started; NAN what the kernel does not count */
	double waited_ns; /* PSI, "some" of /proc/pressure/cpu */
	double others_ns; /* counters_read_others */
	double whole_ns;
};
#define CONTENTION_SOME_PERCENT 15.0
#define CONTENTION_SOME_PERCENT_OF_MANY 50.0
#define CONTENTION_OTHERS_PERCENT 5.0 /* of one CPU */
#define CONTENTION_OTHERS_NS 30e6     /* and more than the ticks that may be counted for the wrong program */
#define CONTENTION_SOME_PERCENT_OF_FEW_TICKS 60.0
/* Since the machine started. now_ns: CLOCK_MONOTONIC; root as in common/sysfs.h. Takes some tens of microseconds. */
void contention_machine_read(const char *root, uint64_t now_ns, struct contention_machine *mark);
/* Adds the time from begin to end. */
void contention_machine_add(const struct contention_machine *begin, const struct contention_machine *end,
	struct contention_machine *sum);
/* Whether other programs computed, by more than ticks can be wrong. */
bool contention_others_computed(const struct contention_machine *machine);
/* Whether others must be the cause when this number of threads of the run want the CPUs that the calling thread may use: more
 * threads than CPUs wait for each other. */
bool contention_is_machine_busy(const struct contention_machine *machine, size_t threads);
/* The shares that are known, as a sentence. */
void contention_machine_text(const struct contention_machine *machine, char *text, size_t length);
/* The finding as a sentence with its number and the advice. */
void contention_text(const struct contention_finding *finding, char *text, size_t length);

/*
 * Whether the run's processes ran all the time and its clocks agree: SIGSTOP, Ctrl-Z, a debugger, a machine that was
 * suspended, a wall clock that was set. Two observers: a thread that does not measure takes a sample at least every
 * CONTENTION_SAMPLE_NS and finds that it was late; a SIGCONT that is blocked continues a process all the same, and stays to
 * be seen.
 */
#define CONTENTION_SAMPLE_NS 200000000ll
#define CONTENTION_JUMP_NS 100000000ll /* between two clocks: they are not read at one moment */

struct contention_clocks { /* read together */
	int64_t monotonic_ns, boottime_ns, realtime_ns;
};

struct contention_stops {
	uint64_t stopped_ns; /* in which the run, or a process of it, did not run though nothing kept it from: at least */
	bool was_continued;  /* by a SIGCONT */
	struct contention_clocks begin, end;
	int64_t sample_ns;   /* CLOCK_MONOTONIC, of the last sample */
};

/* Blocks SIGCONT in the calling thread and those that it creates, for the rest of the process. Before threads are made. */
void contention_expect_stops(void);
/* Behind contention_expect_stops, in any thread: whether the process was continued since this was asked last. */
bool contention_was_continued(void);
void contention_begin(struct contention_stops *stops);
/* is_stopped: another process of the run is. */
void contention_sample(struct contention_stops *stops, bool is_stopped);
void contention_end(struct contention_stops *stops);
/* Whether the process of this number in /proc is stopped now. */
bool contention_is_stopped(const char *root, uint32_t process_id);
/* CLOCK_MONOTONIC stands while the machine sleeps, CLOCK_BOOTTIME does not; CLOCK_REALTIME moves when it is set, too. */
int64_t contention_suspended_ns(const struct contention_stops *stops);
int64_t contention_clock_set_ns(const struct contention_stops *stops);
/* Why the result is not to be trusted; what: "accesses", which took as long. False: it was neither. */
bool contention_stopped_text(const struct contention_stops *stops, const char *what, char *text, size_t length);
bool contention_suspended_text(const struct contention_stops *stops, char *text, size_t length);

#endif
