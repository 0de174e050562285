/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options and suite as a checked plan: which program each step is, which of its runs there are and in which order.
 * Nothing is written while it is made; every refusal of the suite is made here, before the first step runs.
 */
#ifndef MEMSTOR_RUN_PLAN_H
#define MEMSTOR_RUN_PLAN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/machine.h"
#include "memstor/run/find.h"
#include "memstor/run/options.h"
#include "memstor/suite/find.h"

/* What became of one run of a step. */
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

#define RUN_CHECKS_MAX 32
#define RUN_SESSIONS_MAX 100
#define RUN_TURNS_MAX 100000
/* Words that memstor adds to a step's: the report's two, two for each label. */
#define RUN_ADDED_WORDS (2 + 2 * LABEL_MAX)
#define RUN_TAKES_MAX 4 /* results of other steps that a step takes */

struct run_step {
	const struct suite_step *suite;
	char name[SUITE_NAME_MAX + 8]; /* the step's; with sides "base/NAME" and "new/NAME": its folder */
	const char *bin;      /* the absolute folder of its side's programs, owned by the plan; NULL = no sides */
	const struct run_program *program;
	char *path;           /* of the program; NULL = it is not installed */
	bool is_selected;     /* by --step */
	unsigned runs, warmup;
	char skipped[RUN_REASON_MAX]; /* why it cannot run here; "" = it can */
	struct run_record *records;   /* of its runs; run N is records[N - 1] */
};

struct run_turn {
	size_t step;
	unsigned number; /* from 1 */
	bool is_warmup;
};

struct run_session { /* one call of memstor run for this folder */
	char wall_start[RUN_MOMENT_MAX];
	char boot_id[64];
};

struct run_plan {
	const struct run_options *options;
	struct suite_text text;
	struct suite suite;
	char *bins[RUN_SIDES];  /* of options->bins, absolute */
	size_t step_count, turn_count;
	struct run_step *steps;
	struct run_turn *turns; /* in the order of running */
	char near[PATH_MAX];    /* the folder of the results, or the one that it will be in */
	struct machine machine;
	size_t check_count;
	struct machine_check checks[RUN_CHECKS_MAX];
	size_t session_count;
	struct run_session sessions[RUN_SESSIONS_MAX]; /* the last is this one */
};

/* 0, or a diag_exit code after one line. options outlives the plan. */
int run_plan_make(const struct run_options *options, struct run_plan *plan);
void run_plan_free(struct run_plan *plan);

/* The words of a run: room for word_count + RUN_ADDED_WORDS + 1. report NULL: the words of a check. The texts that
 * are made lie in labels and in taken. */
struct run_words {
	const char *words[SUITE_WORDS_MAX + RUN_ADDED_WORDS + 1];
	char labels[3][SUITE_NAME_MAX + 16];
	size_t taken_count;
	char *taken[RUN_TAKES_MAX]; /* freed by run_words_free */
};
void run_words_make(const struct run_plan *plan, const struct run_step *step, unsigned number, const char *report,
	struct run_words *words);
void run_words_free(struct run_words *words);

/*
 * Results of other steps. In a word "{STEP}" stands for the path of the newest result of that step, as in
 * --system={calibrate}.
 */
bool run_takes_any(const struct run_step *step);
/* Steps of these names are there. 0, or a diag_exit code after one line. */
int run_takes_check(const struct run_plan *plan, const struct run_step *step);
/* Puts the paths, from where steps run, into the words of run_words_make. 0; -ENOENT and in why which step has no result
 * yet; -ENOMEM. */
int run_takes_fill(const struct run_plan *plan, const struct run_step *step, struct run_words *words, char *why,
	size_t length);

/* run/check.c: asks each program whether it accepts its step. As run_plan_make. */
int run_check_steps(struct run_plan *plan);
/* 0, or -ENOTSUP and in why what the step needs; why is left alone when nothing is missing. */
int run_check_needs(const struct run_step *step, const char *folder, char *why, size_t length);
/* All turns, A B B A. 0 or -errno. */
int run_order(struct run_plan *plan);
/* run/summary.c: the plan for people, to stdout. */
void run_print_plan(const struct run_plan *plan, const char *folder);

/* The longest time that what is not done can take. */
double run_plan_seconds(const struct run_plan *plan);

#endif
