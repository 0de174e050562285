/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells whether a thread had its CPU while it measured, and whether the run was stopped: how long the thread was runnable and
 * waited for a CPU (the kernel's run delay), and how often it was preempted. A thread that waits for a CPU measures other
 * programs: above CONTENTION_PERCENT no result is "ok".
 *
 * A thread that sleeps (for a page, for a device) is woken a moment before it runs, on an idle CPU too (0.1 us in a quiet guest):
 * up to CONTENTION_WAKEUP_NS for each voluntary switch are no contention.
 */
#ifndef COMMON_HOST_CONTENTION_H
#define COMMON_HOST_CONTENTION_H

#include <pthread.h>
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
	uint64_t cpu_ns;
};

/* Reads the counters of the calling thread since its start. root as in common/base/sysfs.h. Takes some 10 us, so call it
 * outside of the measured window. */
void contention_read(const char *root, struct contention *now);
/* sum += end - begin, both of one thread; a sum starts zeroed. It is unknown when either is. */
void contention_add(struct contention *sum, const struct contention *begin, const struct contention *end);

/*
 * A thread that never sleeps by itself runs, waits for a CPU, or sleeps in the kernel for a known reason (asleep_ns). Returns the
 * rest of its time, during which a freezer, a signal, a debugger or a hypervisor stopped it; UINT64_MAX if that is unknown.
 */
uint64_t contention_unexplained_ns(const struct contention *sum, uint64_t asleep_ns);
#define CONTENTION_UNEXPLAINED_PERCENT 1.0
#define CONTENTION_UNEXPLAINED_NS 20e6 /* error of the ticks that account for steal and interrupts */

struct contention_finding { /* of the thread that was disturbed most */
	size_t thread;
	double percent;     /* of the time spent waiting for a CPU, without wake-ups */
	double own_percent; /* waiting that threads of the run on shared CPUs cause each other */
	uint64_t involuntary;
};
/* Tells whether one of these threads, which ran together, waited for a CPU for more than CONTENTION_PERCENT above the
 * waiting that they cause each other. first: in the first of `count` structures, each of `stride` bytes. */
bool contention_find(const void *first, size_t stride, size_t count, struct contention_finding *finding);
/*
 * Waiting on the whole machine: the kernel thread that a thread sleeps for may wait for a CPU, too (ksoftirqd, a flusher),
 * which no run delay includes. PSI alone is not enough: it counts the time that each wake-up takes on an idle CPU, 18 % of a
 * run of synchronous writes of 4 KiB on an idle guest. So other programs must have used CPU time as well. When the time is
 * too short for ticks to show that, tasks must have waited for most of it: up to 45 % was seen on idle guests.
 */
struct contention_machine { /* over an interval, or since the machine started; NAN = the kernel does not count it */
	double waited_ns; /* PSI, "some" of /proc/pressure/cpu */
	double others_ns; /* counters_read_others */
	double whole_ns;
};
#define CONTENTION_SOME_PERCENT 15.0
#define CONTENTION_SOME_PERCENT_OF_MANY 50.0
#define CONTENTION_OTHERS_PERCENT 5.0 /* of one CPU */
#define CONTENTION_OTHERS_NS 30e6     /* more than ticks charge to the wrong program */
#define CONTENTION_SOME_PERCENT_OF_FEW_TICKS 60.0
/* Reads the times since the machine started, in tens of microseconds. now_ns: CLOCK_MONOTONIC; root as in
 * common/base/sysfs.h. */
void contention_machine_read(const char *root, uint64_t now_ns, struct contention_machine *mark);
/* Adds end - begin. */
void contention_machine_add(const struct contention_machine *begin, const struct contention_machine *end,
	struct contention_machine *sum);
/* Tells whether other programs used more CPU time than the error of ticks. */
bool contention_others_computed(const struct contention_machine *machine);
/* Tells whether other programs must be the cause when this number of threads of the run compete for the CPUs that the calling
 * thread may use. With more threads than CPUs the run's own threads wait for each other. */
bool contention_is_machine_busy(const struct contention_machine *machine, size_t threads);
/* Writes the known shares as a sentence. */
void contention_machine_text(const struct contention_machine *machine, char *text, size_t length);
/* Writes the finding as a sentence with its number and the advice. */
void contention_text(const struct contention_finding *finding, char *text, size_t length);

/*
 * Tells whether the run's processes ran all the time and its clocks agree. The cgroup freezer (docker pause), SIGSTOP, Ctrl-Z, a
 * debugger, suspending the machine or setting the wall clock can prevent it. There are three detectors: a thread that does not
 * measure sleeps for at most CONTENTION_SAMPLE_NS at a time, and a wake-up that is too late, or a pause between two wake-ups,
 * without a wait for a CPU is a stop; the thread looks for other processes of the run that are stopped; and a blocked SIGCONT
 * still continues a process and remains pending, so that it can be seen.
 */
#define CONTENTION_SAMPLE_NS 200000000ll
#define CONTENTION_JUMP_NS 100000000ll /* between two clocks, which are not read at one moment */
#define CONTENTION_STOPPED_PERCENT 1.0 /* of the run's time: more, or one stop of CONTENTION_STOP_NS, is not to be trusted */
#define CONTENTION_STOP_NS 400000000

struct contention_clocks { /* read together */
	int64_t monotonic_ns, boottime_ns, realtime_ns;
};

struct contention_moment { /* of a thread that does not measure */
	int64_t now_ns; /* CLOCK_MONOTONIC */
	bool is_known;  /* run_delay_ns is known */
	uint64_t run_delay_ns, cpu_ns;
};

struct contention_stops {
	uint64_t stopped_ns; /* lower bound of the time in which the run, or one of its processes, was stopped */
	uint64_t longest_ns; /* the longest of these */
	bool was_continued;  /* by a SIGCONT, and not interrupted */
	struct contention_clocks begin, end;
	struct contention_moment last; /* when the thread last went to sleep or woke */
	int64_t sample_ns;             /* of the last contention_sample, or of a later end of a stop */
};

/* Blocks SIGCONT in the calling thread and those that it creates, for the rest of the process. Call it before threads are
 * created. */
void contention_expect_stops(void);
/* Tells whether the process was continued since the last call. Needs contention_expect_stops; may be called in any thread. */
bool contention_was_continued(void);
void contention_begin(struct contention_stops *stops);
/* Called by the thread that does not measure before and after it sleeps. most_ns: the longest sleep that it requested. */
void contention_rest(struct contention_stops *stops);
void contention_wake(struct contention_stops *stops, uint64_t most_ns);
/* Does the same for a given moment. */
void contention_rest_at(struct contention_stops *stops, const struct contention_moment *now);
void contention_wake_at(struct contention_stops *stops, uint64_t most_ns, const struct contention_moment *now);
/* is_stopped: another process of the run is stopped. */
void contention_sample(struct contention_stops *stops, bool is_stopped);
void contention_end(struct contention_stops *stops);
/* Adds the stops in a part of the run. */
void contention_add_stops(struct contention_stops *sum, const struct contention_stops *part);
/* Tells whether the process of this number in /proc is stopped or frozen now. */
bool contention_is_stopped(const char *root, uint32_t process_id);

/* A thread that detects stops for a measuring thread that cannot: it wakes ten times a second. It does not share the process's
 * descriptor table, because that would slow down writes (contention.c). */
struct contention_watch {
	pthread_t thread;
	bool has_thread;
	const cpu_set_t *cpus;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool has_begun, is_over;
	struct contention_stops stops;
};

/* Starts the watch, which contention_watch_end ends; each takes tens of microseconds. Needs contention_expect_stops. cpus: of
 * the thread; NULL = those of the caller. Without a thread (it cannot be created) only a SIGCONT is detected. watch must not
 * move meanwhile. */
void contention_watch_begin(struct contention_watch *watch, const cpu_set_t *cpus);
void contention_watch_end(struct contention_watch *watch, struct contention_stops *stops);

/* Returns for how long the machine was suspended: CLOCK_BOOTTIME advances then, CLOCK_MONOTONIC does not. CLOCK_REALTIME also
 * changes when it is set. */
int64_t contention_suspended_ns(const struct contention_stops *stops);
int64_t contention_clock_set_ns(const struct contention_stops *stops);
/* Writes why the result is not to be trusted; what: the measured activity, as "accesses". Returns false when the run was not
 * stopped, or too briefly to change the result. */
bool contention_stopped_text(const struct contention_stops *stops, const char *what, char *text, size_t length);
bool contention_suspended_text(const struct contention_stops *stops, char *text, size_t length);

#endif
