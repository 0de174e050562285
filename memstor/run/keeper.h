/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process between memstor and a program that it runs; for run/child.c only. */
#ifndef MEMSTOR_RUN_KEEPER_H
#define MEMSTOR_RUN_KEEPER_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "memstor/run/child.h"

struct run_keeper {
	const struct run_child_request *request;
	pid_t front;
	int socket;    /* to the front: a signal comes, one message goes */
	sigset_t mask; /* for the program */
};

struct run_keeper_message {
	enum run_child_end end;
	int wait_status;
	struct rusage usage; /* of the program and all that it waited for */
	uint64_t ended_ns; /* CLOCK_MONOTONIC */
};

/* In the forked child, every signal blocked. */
_Noreturn void run_keeper(const struct run_keeper *keeper);

#endif
