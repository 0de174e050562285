/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A probe asks with one struct and answers with another. */
#ifndef COMMON_PROBE_PROBE_ANSWER_H
#define COMMON_PROBE_PROBE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/host/machine.h"
#include "common/host/timebase.h"

enum probe_status {
	PROBE_OK,
	PROBE_NOTE,    /* an option needs something that is not set up; every tool works without it */
	PROBE_LIMITED, /* available with limits */
	PROBE_MISSING,
	PROBE_NOTHING, /* there is nothing to say */
};

struct perf_event_attr;

/* Result of a test of O_DIRECT at a path. */
struct probe_direct {
	char filesystem[24];                 /* "ext4", "tmpfs", "device"; "" = of another kind */
	const char *step;                    /* what failed: "open", "write", "read" */
	bool has_alignment;                  /* the kernel reports it (statx, Linux 6.1) */
	unsigned memory_bytes, offset_bytes; /* 0: the kernel reports that there is no direct I/O */
	bool is_cached;                      /* the file is in memory in any case */
};

/*
 * System calls to test features. They return 0 or -errno (-ENOSYS, -EPERM, ...), and results only on success unless noted.
 * Each closes what it opened; files have no name; processes that it starts have ended on return.
 */
struct probe_hooks {
	int (*time_source)(const char *root, struct timebase *timebase); /* the default method, for 50 ms */
	int (*memlock_limit)(uint64_t *bytes); /* UINT64_MAX = none */
	int (*pid_namespace)(void);
	int (*is_writable)(const char *path);
	int (*swap_file)(const char *root, const char *folder, char *why, size_t length);
	int (*uring)(unsigned flags); /* IORING_SETUP_* */
	int (*direct)(const char *path, struct probe_direct *direct); /* direct is always filled */
	/* Like perf_open_in: returns a descriptor, which the caller closes, or -errno. */
	int (*perf_open)(const struct perf_event_attr *attr, int pid, int cpu, int group_fd);
	int (*fault_address)(void); /* a page fault of ours was sampled with its address */
	int (*tracefs)(void);       /* trace_marker can be written */
	int (*process_madvise)(void); /* paging out by process_madvise(2), of nothing */
	void (*pause)(uint64_t ns);
};

struct probe_host {
	const char *root; /* "" or a fake root */
	const struct probe_hooks *hooks;
	const struct machine *machine;
	uint64_t capabilities; /* effective; all when /proc does not have them */
	bool is_filtered;      /* a seccomp filter is on us, as in most containers */
	unsigned uid;
};

struct probe_answer {
	enum probe_status status;
	const char *path;  /* the path to examine; NULL unless the probe examines paths */
	char value[160];   /* the finding */
	char meaning[256]; /* the consequence, where the caller's text is not enough; else "" */
	char fix[256];     /* a command, "" = none is known */
	bool has_fix;      /* the check has set fix, which replaces that of the row, even when it is "" */
};

void probe_say(struct probe_answer *answer, enum probe_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void probe_mean(struct probe_answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void probe_fix(struct probe_answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void probe_no_fix(struct probe_answer *answer);
bool probe_can(const struct probe_host *host, int capability); /* CAP_SYS_ADMIN */
/* Adds the command that gives this process the missing privilege, if there is one. */
void probe_fix_privilege(const struct probe_host *host, struct probe_answer *answer);

#endif
