/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes whose events the kernel removed at exec: it does so when a program is set-user-ID, has file capabilities or may not be
 * read, and reports the end of the process right after the exec. Any other program maps its file first.
 */
#ifndef MEMTRACE_FILE_EXECS_H
#define MEMTRACE_FILE_EXECS_H

#include <stddef.h>
#include <stdint.h>

/* The order of events of a process that is no longer sampled. */
enum exec_kind { EXEC_BEGUN, EXEC_MAPPED, EXEC_ENDED };

struct execs { /* zeroed: empty */
	struct exec_note {
		uint64_t time_ns;
		uint32_t pid;
		enum exec_kind kind;
	} *notes;
	size_t count, capacity;
};

/* Adds an exec, a mapping or the end of a process, in any order. Returns 0 or -ENOMEM. */
int execs_add(struct execs *execs, enum exec_kind kind, uint32_t pid, uint64_t time_ns);
/* Returns the number of processes removed by the kernel among those that have ended since the last call. All records that are older
 * than one that was added must have been added. */
uint64_t execs_stopped(struct execs *execs);
/* Forgets all events, because records were lost. */
void execs_clear(struct execs *execs);
void execs_free(struct execs *execs);

#endif
