/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of memstor run: what each file offers to the others. */
#ifndef MEMSTOR_RUN_RUN_H
#define MEMSTOR_RUN_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "common/command.h"
#include "common/label.h"
#include "common/machine.h"
#include "common/progress.h"
#include "memstor/suite/find.h"
#include "memstor/suite/suite.h"

/* --- options.c --- */

/* The options of `memstor run`, each value parsed and in range, no file opened. Texts belong to the struct opt_line. */

#define RUN_OWN_LABELS 3 /* suite, step and run */
#define RUN_LABELS_MAX (LABEL_MAX - RUN_OWN_LABELS)
#define RUN_ONLY_MAX 64
#define RUN_SIDES 2 /* --base-bin and --new-bin */

struct run_options {
	const char *suite;       /* as given; NULL only with is_list */
	unsigned runs;           /* --runs; 0 = as the suite says */
	bool has_warmup;
	unsigned warmup;         /* --warmup */
	const char *folder;      /* -o; NULL = SUITE-DATE */
	size_t label_count, set_count, only_count;
	const char *labels[RUN_LABELS_MAX];               /* NAME=VALUE */
	struct suite_variable sets[SUITE_VARIABLES_MAX];  /* --set; the names are owned */
	const char *only[RUN_ONLY_MAX];                   /* --step, patterns as the shell's for files */
	const char *bins[RUN_SIDES];                      /* --base-bin, --new-bin: both, or NULL */
	bool is_resume, is_dry_run, is_list, is_json, is_all_required;
	int argc;                /* as it was called, for the index; argv[0] is "run" */
	char **argv;
};

extern const struct opt run_option_rows[];

/* As command.check. */
int run_options_check(void *data, struct opt_line *line);
void run_options_free(struct run_options *options);

/* --- find.c --- */

/*
 * The programs that a suite may run, one table row each or one for each of their subcommands, and where they are: beside
 * memstor itself, in a build tree in the folder of their name beside memstor's, in PATH. Those of the first two belong to
 * root, the effective user or memstor's own owner.
 */

struct run_program {
	const char *name;
	const char *command;          /* its subcommand, the second word; NULL = it has none */
	const char *output;           /* its option for its result; the path is the next word */
	const char *result;           /* the file's name: report.xml, or what other steps take; NULL = its end is its result */
	bool is_report;               /* that is a report */
	const char *label;            /* its option for a label; NAME=VALUE is the next word; NULL = it has none */
	const char *check;            /* its option to check options and end; exit codes as everywhere; NULL = it has none */
	const char *const *reserved;  /* options that memstor gives, or that are no run; ended by NULL */
	const char *valued;           /* its letters that a value follows, but the reserved ones */
	const char *kept;             /* the one word that may hold a reserved option: it writes `beside`; NULL = none */
	const char *beside;           /* a file that it may leave where it runs, and that is kept beside the result; NULL = none */
};

/* Of every step that is a command of the suite's own. */
extern const struct run_program run_program_command;

/* By the first words of a step, ended by NULL; NULL when it is not in the table. */
const struct run_program *run_program(const char *const *words);
/* "pmbench, iowrite-bench run, ..." */
void run_program_names(char *text, size_t length);
/* The reserved option that is in word, also when only its beginning is written or other letters are before it; NULL =
 * none. */
const char *run_program_reserves(const struct run_program *program, const char *word);

/* The path of an executable file. 0 or -ENOENT. */
int run_find(const char *name, char *path, size_t length);
/* In this folder, or as in a build tree in the folder of its name. 0 or -ENOENT. */
int run_find_in(const char *folder, const char *name, char *path, size_t length);

/* --- plan.c --- */

/*
 * Options and suite as a checked plan: which program each step is, which of its runs there are and in which order.
 * Nothing is written while it is made; every refusal of the suite is made here, before the first step runs.
 */

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

/* --- child.c --- */

/*
 * One program, run to its sure end. Between memstor and the program stands a keeper, a process of its own: it ends the
 * program at its deadline, when memstor asks for it and when memstor is gone (kill -9), first gently and then not, and
 * waits until nothing of what the program has started is left. The program is in a process group of its own, has
 * /dev/null as stdin, and dies with the keeper.
 */

/* From the first signal to SIGKILL. */
#define RUN_CHILD_GRACE_NS (10 * 1000000000ull)

struct run_child_request {
	const char *path;   /* absolute */
	char *const *argv;
	const char *folder; /* the program's working directory */
	int output, error;  /* descriptors for stdout and stderr */
	int close;          /* a descriptor that the keeper must not hold; -1 = none */
	uint64_t budget_ns;
	const char *search; /* a folder that its PATH begins with; NULL = none */
};

enum run_child_end {
	RUN_CHILD_ENDED,   /* by itself */
	RUN_CHILD_OVERRUN, /* its budget was used up */
	RUN_CHILD_STOPPED, /* run_child_stop */
	RUN_CHILD_LOST,    /* the keeper was killed: nothing is known */
};

struct run_child {
	pid_t keeper;
	int socket;
	uint64_t begin_ns;
};

struct run_child_outcome {
	enum run_child_end end;
	int wait_status;  /* as waitpid gives it; not of RUN_CHILD_LOST */
	struct rusage usage; /* nor this */
	uint64_t wall_ns; /* from the start to the program's own end */
};

/* 0 or -errno. Forks without exec: while this process has one thread. */
int run_child_start(const struct run_child_request *request, struct run_child *child);
/* Readable when it has ended; for poll. */
int run_child_fd(const struct run_child *child);
/* Asks it to end with this signal; after the grace it is killed. Only the first call counts. */
void run_child_stop(struct run_child *child, int signal);
/* Waits for the end. */
void run_child_finish(struct run_child *child, struct run_child_outcome *outcome);

/* --- folder.c --- */

/*
 * The folder of a suite's results:
 *   index.xml  suite.txt  machine.txt  STEP/1/{report.xml,records.rec,stdout,stderr}  STEP/warmup-1/{stdout,stderr}
 * and, while a step runs, .scratch, the folder that it runs in. One memstor run holds it at a time.
 */

struct run_folder {
	char given[PATH_MAX];   /* as the user calls it */
	int lock, scratch_lock; /* descriptors */
	bool is_begun;          /* it has an index */
};

#define RUN_FOLDER_SCRATCH ".scratch"
/* Of the paths in it: a side, a step, a run and a file. */
#define RUN_PATH_MAX (SUITE_NAME_MAX + 80)

/*
 * Makes it, or takes the one that is there: an empty one, or with is_resume one of memstor run. It belongs to the
 * effective user and no other one may write in it; nobody can put links there, or another folder in its place, since it
 * becomes the working directory and names below are relative to it. What a killed run has left running is waited for.
 * 0, or a diag_exit code after one line.
 */
int run_folder_open(const char *given, bool is_resume, struct run_folder *folder);
void run_folder_close(struct run_folder *folder);

/* An empty folder `path`, and the folders on its way; whatever was there is removed. 0 or -errno. */
int run_folder_part(const char *path);
/* An empty .scratch. 0 or -errno. */
int run_folder_scratch(void);
/* Moves the file of this name out of .scratch into the folder `path`. 0, also when there is none, or -errno. */
int run_folder_keep(const char *name, const char *path);
/* A file of it, whole, on disk. 0 or -errno. */
int run_folder_write(const char *name, const char *text, size_t size);
/* Free bytes for this user on its file system. */
uint64_t run_folder_space(void);

/* --- outcome.c --- */

/* What the end of a program means for its run. */

/* error is the program's stderr, report the path of its report. Fills all of record but wall_start and beside. */
void run_decide(const struct run_step *step, const struct run_child_outcome *outcome, int error, const char *report,
	struct run_record *record);

/* What a program said on stderr, in one line. */
enum run_tail { RUN_TAIL_FIRST, RUN_TAIL_LAST };

/* The first or last line of the file that is not empty, without "PROGRAM: " before it, cut to length; what a
 * terminal obeys becomes '?'. "" when there is none. */
void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length);

/* --- pace.c --- */

/* How long what is left will take, and the lines that say so. */

struct run_pace {
	const struct run_plan *plan;
	struct progress progress;
	size_t count;   /* of turns that are run now, and the how-manyth is on */
	size_t now;
	struct run_took {
		double seconds;
		unsigned runs;
	} *took;        /* by step */
	double seconds, budget_seconds; /* of all that ended */
};

/* 0 or -ENOMEM. */
int run_pace_begin(const struct run_plan *plan, size_t count, struct run_pace *pace);
void run_pace_free(struct run_pace *pace);

/* The next turn begins. */
void run_pace_next(struct run_pace *pace);
/* It has run for so long: the line on a terminal. index is the turn's place in the plan. */
void run_pace_show(struct run_pace *pace, size_t index, double seconds);
/* It has ended: one line, on a terminal only when there is something to say. */
void run_pace_end(struct run_pace *pace, size_t index, const struct run_record *record);

/* Seconds that the turns from index on will take, after what was seen so far; is_bound: nothing was, and it is the
 * sum of the budgets. */
double run_pace_left(const struct run_pace *pace, size_t index, bool *is_bound);
/* That turn will be run: it is not done, and its step can run here. */
bool run_pace_is_open(const struct run_plan *plan, const struct run_turn *turn);

/* --- index.c --- */

/*
 * DIR/index.xml: what a suite is, where it ran, and what became of each run; memstor-index.xsd is its schema. It is
 * replaced whole after each run, so that a killed memstor leaves one that says what is done.
 */

#define INDEX_VERSION "1.0"

enum index_state {
	INDEX_RUNNING,     /* or memstor was killed */
	INDEX_INTERRUPTED,
	INDEX_COMPLETE,    /* every run has been tried */
};

/* 0 or -errno, without a message. */
int index_write(const char *path, const struct run_plan *plan, enum index_state state);
/* Takes over what is done and the sessions, for --resume, if the plan is that of the index: the same suite, options
 * and machine. name is the path in messages. 0, or a diag_exit code after one line that names the difference. */
int index_take_over(const char *path, const char *name, struct run_plan *plan);

/* --- execute.c --- */

/* The plan, run: each turn that is open, in order, with the index after each. */

/* Fills the plan's records. 0, also when steps failed or a signal came (interrupt_signal), or a diag_exit code after
 * one line when results can no longer be kept. */
int run_execute(struct run_plan *plan, const struct run_folder *folder);

/*
 * Two suites on one host spoil each other's numbers. Each memstor run holds an abstract socket whose name says who it
 * is; the names of all are in /proc/net/unix. It needs no folder that all users share, and goes with the process.
 */
#define RUN_BESIDE_MAX 16

struct run_beside {
	int socket; /* -1 = none */
	pid_t self;
	size_t count;
	pid_t seen[RUN_BESIDE_MAX]; /* already warned of */
};

/* Without a socket (no network namespace is shared, or the kernel refuses) others are not warned; that is all. */
void run_beside_open(struct run_beside *beside);
void run_beside_close(struct run_beside *beside);
/* How many other suites run now. A warning for each that was not seen before. root as in common/sysfs.h. */
unsigned run_beside_look(struct run_beside *beside, const char *root);

/* --- summary.c --- */

/* The last lines of memstor run: what became of each step, and what to do next. */

/* To stdout. is_interrupted: by a signal to memstor. Returns the exit code of it all. */
int run_summary(const struct run_plan *plan, const struct run_folder *folder, bool is_interrupted);

#endif
