/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One program, run to its sure end. Between memstor and the program stands a keeper, a process of its own: it ends the
 * program at its deadline, when memstor asks for it and when memstor is gone (kill -9), first gently and then not, and
 * waits until nothing of what the program has started is left. The program is in a process group of its own, has
 * /dev/null as stdin, and dies with the keeper.
 */
#ifndef MEMSTOR_RUN_CHILD_H
#define MEMSTOR_RUN_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

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

#endif
