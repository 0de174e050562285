/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of one run of a step. */
#ifndef MEMSTOR_RUN_RECORD_H
#define MEMSTOR_RUN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define RUN_REASON_MAX 512 /* a finding with its advice */
#define RUN_MOMENT_MAX 40

enum run_state {
	RUN_WAITING,     /* not begun, or memstor was killed in it */
	RUN_DONE,        /* there is a report, and nothing against it */
	RUN_UNTRUSTED,   /* there is one, and it says why it is not to be trusted */
	RUN_MISSED,      /* there is one, and it missed an objective */
	RUN_FAILED,      /* the program failed, or left no report */
	RUN_OVERRUN,     /* its budget was used up */
	RUN_INTERRUPTED, /* by a signal to memstor, or to the program */
	RUN_SKIPPED,     /* what it needs is not here */
	RUN_STATES
};

/* As getrusage(2) has it, of the program and all that it waited for. */
#define RUN_USAGE_FIELDS(F) \
	F(user_us) F(system_us) F(max_rss_kib) F(minor_faults) F(major_faults) F(in_blocks) F(out_blocks) \
	F(voluntary_switches) F(involuntary_switches)

struct run_usage {
#define RUN_USAGE_MEMBER(name) uint64_t name;
	RUN_USAGE_FIELDS(RUN_USAGE_MEMBER)
#undef RUN_USAGE_MEMBER
};

struct run_record {
	enum run_state state;
	int exit_status; /* -1 = none */
	int signal;      /* that ended the program; 0 = none */
	double seconds;  /* of the program; 0 = it did not run */
	unsigned beside; /* other suites that ran on the host at its start */
	char wall_start[RUN_MOMENT_MAX]; /* ISO 8601, UTC; "" = it did not run */
	char reason[RUN_REASON_MAX];     /* "" = nothing to say */
	bool has_usage;
	struct run_usage usage;
};

/* "done", ...: the words of the index. */
const char *run_state_name(enum run_state state);
/* false when there is no such word. */
bool run_state_parse(const char *name, enum run_state *state);
/* It has a result, and is not run again. */
bool run_state_is_final(enum run_state state);

/* Now, as in reports. */
void run_moment(char text[RUN_MOMENT_MAX]);

#endif
