/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interfaces between the source files of memstor run. */
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

/* The options of `memstor run`, parsed and in range; no file has been opened. The struct opt_line owns the texts. */

#define RUN_OWN_LABELS 3 /* suite, step and run */
#define RUN_LABELS_MAX (LABEL_MAX - RUN_OWN_LABELS)
#define RUN_ONLY_MAX 64
#define RUN_SIDES 2 /* --base-bin and --new-bin */

struct run_options {
	const char *suite;       /* as given; NULL only with is_list */
	unsigned runs;           /* --runs; 0 = that of the suite */
	bool has_warmup;
	unsigned warmup;         /* --warmup */
	const char *folder;      /* -o; NULL = SUITE-DATE */
	size_t label_count, set_count, only_count;
	const char *labels[RUN_LABELS_MAX];               /* NAME=VALUE */
	struct suite_variable sets[SUITE_VARIABLES_MAX];  /* --set; it owns the names */
	const char *only[RUN_ONLY_MAX];                   /* --step, patterns of fnmatch(3) */
	const char *bins[RUN_SIDES];                      /* --base-bin, --new-bin: both, or NULL */
	bool is_resume, is_dry_run, is_list, is_json, is_all_required;
	int argc;                /* the command line, for the index; argv[0] is "run" */
	char **argv;
};

extern const struct opt run_option_rows[];

/* For command.check. */
int run_options_check(void *data, struct opt_line *line);
void run_options_free(struct run_options *options);

/* --- find.c --- */

/*
 * The programs that a suite may run, with one table row per program or per subcommand, and their paths: in the folder
 * of memstor itself, in a build tree in the folder of their name next to that of memstor, or in PATH. In the first two
 * cases the program must belong to root, to the effective user or to the owner of memstor.
 */

struct run_program {
	const char *name;
	const char *command;          /* the subcommand, the second word; NULL = none */
	const char *output;           /* the option for the result; the path is the next word */
	const char *result;           /* name of the result file; NULL = the exit status is the result */
	bool is_report;               /* the result is a report */
	const char *label;            /* the option for a label; NAME=VALUE is the next word; NULL = none */
	const char *check;            /* the option that only checks the options, with the usual exit codes; NULL = none */
	const char *const *reserved;  /* options that memstor sets or that make no run; terminated by NULL */
	const char *valued;           /* its option letters with a value, without the reserved ones */
	const char *kept;             /* the only word that may hold a reserved option: it writes side_file; NULL = none */
	const char *side_file;        /* a file that it may write where it runs, kept next to the result; NULL = none */
};

/* The row of every step that is an arbitrary command. */
extern const struct run_program run_program_command;

/* Finds the row by the words of a step, terminated by NULL. Returns NULL if there is none. */
const struct run_program *run_program(const char *const *words);
/* Formats the names of all rows: "pmbench, iowrite-bench run, ...". */
void run_program_names(char *text, size_t length);
/* Returns the reserved option that word contains, also if its name is abbreviated or other option letters precede it; NULL
 * = none. */
const char *run_program_reserves(const struct run_program *program, const char *word);

/* Finds the executable file of a program. Returns 0 or -ENOENT. */
int run_find(const char *name, char *path, size_t length);
/* The same in this folder, or in its subfolder of the program's name, as in a build tree. Returns 0 or -ENOENT. */
int run_find_in(const char *folder, const char *name, char *path, size_t length);

/* --- plan.c --- */

/*
 * Makes a checked plan of the options and the suite: the program of each step, its runs and their order.
 * No file is written meanwhile. Every refusal of the suite happens here, before the first step runs.
 */

/* The outcome of a run of a step. */
#define RUN_REASON_MAX 512 /* bytes: a finding with its advice */
#define RUN_MOMENT_MAX 40

enum run_state {
	RUN_WAITING,     /* not started, or memstor was killed during it */
	RUN_DONE,        /* there is a trustworthy report */
	RUN_UNTRUSTED,   /* there is a report, which is not trustworthy */
	RUN_MISSED,      /* there is a report, which missed an objective */
	RUN_FAILED,      /* the program failed or wrote no report */
	RUN_OVERRUN,     /* its time budget was exceeded */
	RUN_INTERRUPTED, /* by a signal to memstor or to the program */
	RUN_SKIPPED,     /* a requirement is not met */
	RUN_STATES
};

/* As getrusage(2), of the program and of the children that it waited for. */
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
	int signal;      /* the signal that ended the program; 0 = none */
	double seconds;  /* run time of the program; 0 = it did not run */
	unsigned others; /* number of other suites on the host at its start */
	char wall_start[RUN_MOMENT_MAX]; /* ISO 8601, UTC; "" = it did not run */
	char reason[RUN_REASON_MAX];     /* "" = none */
	bool has_usage;
	struct run_usage usage;
};

/* Returns the word for a state in the index: "done", ... */
const char *run_state_name(enum run_state state);
/* The reverse. Returns false if there is no such word. */
bool run_state_parse(const char *name, enum run_state *state);
/* Whether a run in this state has a result and is not repeated. */
bool run_state_is_final(enum run_state state);

/* Formats the current time as in reports. */
void run_moment(char text[RUN_MOMENT_MAX]);

#define RUN_CHECKS_MAX 32
#define RUN_SESSIONS_MAX 100
#define RUN_TURNS_MAX 100000
/* Words that memstor adds to those of a step: two for the report, two for each label. */
#define RUN_ADDED_WORDS (2 + 2 * LABEL_MAX)
#define RUN_TAKES_MAX 4 /* results of other steps that a step may use */

struct run_step {
	const struct suite_step *suite;
	char name[SUITE_NAME_MAX + 8]; /* of the step and its folder; with sides "base/NAME" and "new/NAME" */
	const char *bin;      /* the absolute folder of the programs of its side, owned by the plan; NULL = no sides */
	const struct run_program *program;
	char *path;           /* of the program; NULL = it is not installed */
	bool is_selected;     /* by --step, or all are */
	unsigned runs, warmup;
	char skipped[RUN_REASON_MAX]; /* why it cannot run on this host; "" = it can */
	struct run_record *records;   /* one per run; run N is records[N - 1] */
};

struct run_turn {
	size_t step;
	unsigned number; /* from 1 */
	bool is_warmup;
};

struct run_session { /* one invocation of memstor run for this folder */
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
	struct run_turn *turns; /* in the order of execution */
	char near[PATH_MAX];    /* the folder of the results, or its future parent */
	struct machine machine;
	size_t check_count;
	struct machine_check checks[RUN_CHECKS_MAX];
	size_t session_count;
	struct run_session sessions[RUN_SESSIONS_MAX]; /* the last is this one */
};

/* Makes the plan; options must outlive it. Returns 0, or a diag_exit code after one line. */
int run_plan_make(const struct run_options *options, struct run_plan *plan);
void run_plan_free(struct run_plan *plan);

/* The words of the command line of a run. With report NULL they are those of a check of the options. labels and taken hold
 * the added texts. */
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
 * --system={calibrate}, and "{STEP/FILE}" for that of the side_file next to it.
 */
/* Whether a step uses such a result. */
bool run_takes_any(const struct run_step *step);
/* Inserts the paths, relative to the folder in which steps run, into the words of run_words_make. Returns 0, -ENOENT and in
 * why which step has no result yet, or -ENOMEM. */
int run_takes_fill(const struct run_plan *plan, const struct run_step *step, struct run_words *words, char *why,
	size_t length);

/* run/check.c: asks each program whether it accepts its step. Returns as run_plan_make. */
int run_check_steps(struct run_plan *plan);
/* Checks the requirements of a step. Returns 0, or -ENOTSUP and in why what is missing; otherwise why is unchanged. */
int run_check_needs(const struct run_step *step, const char *folder, char *why, size_t length);
/* Makes all turns, in the order A B B A. Returns 0, -E2BIG if there are more than RUN_TURNS_MAX, or -ENOMEM. */
int run_order(struct run_plan *plan);
/* run/summary.c: prints the plan to stdout. */
void run_print_plan(const struct run_plan *plan, const char *folder);

/* --- child.c --- */

/*
 * Runs a program and ends all of its processes. A keeper, a separate process between memstor and the program, ends the
 * program at its deadline, when memstor requests it and when memstor has died (kill -9), by a signal and later by SIGKILL,
 * and waits until all processes that the program has started are gone. The program has its own process group and
 * /dev/null as stdin, and is killed when the keeper dies.
 */

/* Time from the first signal to SIGKILL. */
#define RUN_CHILD_GRACE_NS (10 * 1000000000ull)

struct run_child_request {
	const char *path;   /* absolute */
	char *const *argv;
	const char *folder; /* the program's working directory */
	int output, error;  /* descriptors for stdout and stderr */
	int close;          /* a descriptor that the keeper must close; -1 = none */
	uint64_t budget_ns;
	const char *search; /* a folder put at the begin of its PATH; NULL = none */
};

enum run_child_end {
	RUN_CHILD_ENDED,   /* the program ended by itself */
	RUN_CHILD_OVERRUN, /* its time budget was exceeded */
	RUN_CHILD_STOPPED, /* by run_child_stop */
	RUN_CHILD_LOST,    /* the keeper was killed: the outcome is unknown */
};

struct run_child {
	pid_t keeper;
	int socket;
	uint64_t begin_ns;
};

struct run_child_outcome {
	enum run_child_end end;
	int wait_status;  /* of waitpid(2); unset with RUN_CHILD_LOST */
	struct rusage usage; /* unset with RUN_CHILD_LOST */
	uint64_t wall_ns; /* from the start to the end of the program itself */
};

/* Starts a program. It forks without exec, so this process must have one thread only. Returns 0 or -errno. */
int run_child_start(const struct run_child_request *request, struct run_child *child);
/* Returns a descriptor for poll(2) that is readable when the program has ended. */
int run_child_fd(const struct run_child *child);
/* Sends this signal to the program, and SIGKILL after RUN_CHILD_GRACE_NS. Only the first call has an effect. */
void run_child_stop(struct run_child *child, int signal);
/* Waits for the end and fills outcome. */
void run_child_finish(struct run_child *child, struct run_child_outcome *outcome);

/* --- folder.c --- */

/*
 * The folder of a suite's results:
 *   index.xml  suite.txt  machine.txt  STEP/1/{report.xml,records.rec,stdout,stderr}  STEP/warmup-1/{stdout,stderr}
 * and, while a step runs, .scratch, the folder in which it runs. Only one memstor run may use it at a time.
 */

struct run_folder {
	char given[PATH_MAX];   /* the path that the user gave */
	int lock, scratch_lock; /* descriptors */
	bool is_begun;          /* it contains an index */
};

#define RUN_FOLDER_SCRATCH ".scratch"
/* Size of a path in it: a side, a step, a run and a file. */
#define RUN_PATH_MAX (SUITE_NAME_MAX + 80)

/*
 * Makes the folder, or opens an existing one that is empty, or with is_resume one of memstor run. It must belong to the
 * effective user and must not be writable by others. It becomes the working directory and the names below are relative to
 * it, so that no other user can place links in it or replace it. The call waits for the processes that a killed run has
 * left. It also removes the group and other write permissions from the umask. Returns 0, or a diag_exit code after one line.
 */
int run_folder_open(const char *given, bool is_resume, struct run_folder *folder);
void run_folder_close(struct run_folder *folder);

/* Makes an empty folder `path` and its parents, after removing what was there. Returns 0 or -errno. */
int run_folder_part(const char *path);
/* Empties .scratch. Returns 0 or -errno. */
int run_folder_scratch(void);
/* Moves the file of this name from .scratch to the folder `path`. Returns 0, also if there is no such file, or -errno. */
int run_folder_keep(const char *name, const char *path);
/* Writes a file of the folder atomically and synchronises it to disk. Returns 0 or -errno. */
int run_folder_write(const char *name, const char *text, size_t size);
/* Returns the free space of its file system for this user, in bytes; 0 = unknown. */
uint64_t run_folder_space(void);

/* --- outcome.c --- */

/* Derives the outcome of a run from the end of its program. */

/* Fills record, except wall_start and others. error is the program's stderr, report the path of its report. */
void run_decide(const struct run_step *step, const struct run_child_outcome *outcome, int error, const char *report,
	struct run_record *record);

/* A line of a program's stderr. */
enum run_tail { RUN_TAIL_FIRST, RUN_TAIL_LAST };

/* Copies the first or last nonempty line of the file, without the prefix "PROGRAM: " and truncated to length. Control
 * characters become '?'. The line is "" if there is none. */
void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length);

/* --- pace.c --- */

/* Estimates of the remaining time, and the progress lines. */

struct run_pace {
	const struct run_plan *plan;
	struct progress progress;
	size_t count;   /* number of turns in this session */
	size_t now;     /* number of the current one; the caller counts it */
	struct run_took {
		double seconds;
		unsigned runs;
	} *took;        /* per step */
	double seconds, budget_seconds; /* sums over the turns that ended */
};

/* Begins a session of `count` turns. Returns 0 or -ENOMEM. */
int run_pace_begin(const struct run_plan *plan, size_t count, struct run_pace *pace);
void run_pace_free(struct run_pace *pace);

/* Shows on a terminal that the turn has run for `seconds`. index is that of the turn in the plan. */
void run_pace_show(struct run_pace *pace, size_t index, double seconds);
/* Ends the turn and prints one line; on a terminal not for a run that is done. */
void run_pace_end(struct run_pace *pace, size_t index, const struct run_record *record);

/* Returns an estimate, from the turns that ended, of the time of all turns from index on, in seconds. *is_bound: no turn
 * has ended, and the result is the sum of the budgets. */
double run_pace_left(const struct run_pace *pace, size_t index, bool *is_bound);
/* Whether a turn must still run: it is not done, and its step can run on this host. */
bool run_pace_is_open(const struct run_plan *plan, const struct run_turn *turn);

/* --- index.c --- */

/*
 * DIR/index.xml: the suite, the machine, and the outcome of each run; memstor-index.xsd is its schema. It is
 * replaced atomically after each run, so that it is valid when memstor is killed.
 */

#define INDEX_VERSION "1.0"

enum index_state {
	INDEX_RUNNING,     /* or memstor was killed */
	INDEX_INTERRUPTED,
	INDEX_COMPLETE,    /* every run was tried */
};

/* Writes the index. Returns 0 or -errno, without a message. */
int index_write(const char *path, const struct run_plan *plan, enum index_state state);
/* For --resume: copies the finished runs and the sessions of the index to the plan, if suite, version of memstor, options
 * and machine are the same. name is the path in messages. Returns 0, or a diag_exit code after one line that names the
 * difference. */
int index_take_over(const char *path, const char *name, struct run_plan *plan);

/* --- execute.c --- */

/* Execution of the plan: each open turn in order, with the index written after each. */

/* Runs the plan and fills its records. Returns 0, also if steps failed or a signal came (interrupt_signal), or a diag_exit
 * code after one line if results can no longer be stored. */
int run_execute(struct run_plan *plan, const struct run_folder *folder);

/*
 * Detects other suites on the host, since two suites disturb each other's measurements. Each memstor run binds an abstract
 * socket whose name contains its process ID; /proc/net/unix lists the names. The method needs no shared folder, and the
 * kernel removes the socket when the process ends.
 */
#define RUN_OTHERS_MAX 16

struct run_others {
	int socket; /* -1 = none */
	pid_t self;
	size_t count;
	pid_t seen[RUN_OTHERS_MAX]; /* processes that a warning was printed for */
};

/* Binds the socket. If that fails, other suites do not see this one; this is not an error. */
void run_others_open(struct run_others *others);
void run_others_close(struct run_others *others);
/* Returns the number of other suites that run now, and warns of each new one. root as in common/sysfs.h. */
unsigned run_others_count(struct run_others *others, const char *root);

/* --- summary.c --- */

/* The last lines of memstor run: the outcome of each step, and what to do next. */

/* Prints to stdout. is_interrupted: by a signal to memstor. Returns the exit code of memstor run. */
int run_summary(const struct run_plan *plan, const struct run_folder *folder, bool is_interrupted);

#endif
