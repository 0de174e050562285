/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this host offers to each tool. A fact is a row of one table (doctor/table.c): a stable code, whom it matters to, the
 * probe, what it means when it is less than it could be, and the command that mends it. Nothing is changed and nothing is
 * left. Facts are read below a root; what asks the kernel by a system call is behind hooks, so that tests have any machine.
 */
#ifndef MEMSTOR_DOCTOR_DOCTOR_H
#define MEMSTOR_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/machine.h"
#include "common/timebase.h"

#define DOCTOR_PATHS 16
#define DOCTOR_FINDINGS 64
#define DOCTOR_CHECKS 24
#define DOCTOR_FORMAT "1.1" /* of the JSON; docs/doctor.md */

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* nobody has set up what an option needs: no tool is less for it */
	DOCTOR_LIMITED, /* less than it could be: some of a tool's options do not work, or not well */
	DOCTOR_MISSING,
	DOCTOR_NOTHING, /* there is nothing to say: no finding */
};

enum doctor_group {
	DOCTOR_GROUP_MACHINE,
	DOCTOR_GROUP_PRESSURE,
	DOCTOR_GROUP_STORAGE,
	DOCTOR_GROUP_TRACING,
	DOCTOR_GROUP_PICTURES,
	DOCTOR_GROUPS,
};

/* Bits; the order of the table of tools. */
enum doctor_tool_bit {
	DOCTOR_PMBENCH = 1,
	DOCTOR_WITH_PRESSURE = 2,
	DOCTOR_IOWRITE = 4,
	DOCTOR_SSD = 8,
	DOCTOR_MEMTRACE = 16,
	DOCTOR_MEMSTOR = 32,
	DOCTOR_ALL = 63,
};

struct perf_event_attr;

/* What O_DIRECT can do at a path. */
struct doctor_direct {
	char filesystem[24];                   /* "ext4", "tmpfs", "device"; "" = of another kind */
	const char *step;                      /* what failed: "open", "write", "read" */
	bool has_alignment;                    /* the kernel tells (statx, Linux 6.1) */
	unsigned memory_bytes, offset_bytes;   /* 0: it says that there is no direct I/O */
	bool is_cached;                        /* the file lives in memory whatever is asked for */
};

/*
 * Questions to the kernel. 0 or -errno (-ENOSYS, -EPERM, ...), results only on success unless said otherwise. Each closes
 * what it opened; files have no name; whatever it starts has ended on return.
 */
struct doctor_hooks {
	int (*time_source)(const char *root, struct timebase *timebase); /* the default method, for 50 ms */
	int (*memlock_limit)(uint64_t *bytes); /* UINT64_MAX = none */
	int (*pid_namespace)(void);
	int (*is_writable)(const char *path);
	int (*swap_file)(const char *root, const char *folder, char *why, size_t length);
	int (*uring)(unsigned flags); /* IORING_SETUP_* */
	int (*direct)(const char *path, struct doctor_direct *direct); /* direct is always filled */
	int (*perf_event)(const struct perf_event_attr *attr, int pid, int cpu);
	int (*fault_address)(void); /* a page fault of ours was sampled with its address */
	int (*tracefs)(void);       /* trace_marker can be written */
	int (*userfaultfd)(int flags, uint64_t *features); /* those of UFFDIO_API */
	/* First line of PROGRAM --version; -ENOENT when no folder of PATH that may be searched has it. */
	int (*program_version)(const char *program, char *line, size_t length);
	void (*pause)(uint64_t ns);
};
extern const struct doctor_hooks doctor_real_hooks;

struct doctor_host {
	const char *root; /* "" or a fake root */
	const struct doctor_hooks *hooks;
	const struct machine *machine;
	uint64_t capabilities; /* effective; all when /proc does not tell */
	bool is_filtered;      /* a seccomp filter is on us, as in most containers */
	unsigned uid;
	size_t path_count;
	const char *paths[DOCTOR_PATHS];
};

struct doctor_finding {
	const struct doctor_row *row;
	enum doctor_status status;
	const char *path;  /* of a row for each path, NULL = none */
	char value[160];   /* what was found */
	char meaning[256]; /* what follows for whom, "" when ok */
	char mend[256];    /* a command, "" = none is known */
	bool has_mend;     /* doctor_mend was called: the row's does not count, even when this one is "" */
};

/* path: NULL but for a row for each path. Sets the status and the value; meaning and mend only where the row's do not do. */
typedef void doctor_probe_fn(const struct doctor_host *host, const char *path, struct doctor_finding *finding);

struct doctor_row {
	const char *code; /* stable: programs read it */
	enum doctor_group group;
	unsigned tools; /* doctor_tool_bits: whom it matters to */
	doctor_probe_fn *probe;
	bool is_per_path;
	const char *note, *limited, *missing; /* meanings */
	const char *mend;
};

/* A tool can do its main job when of each code that it needs a finding is not missing. */
struct doctor_tool {
	const char *name;
	enum doctor_tool_bit bit;
	bool is_built; /* of this version; others are planned */
	const char *job;
	const char *needs[4]; /* codes of rows; a NULL ends them */
};

struct doctor_result {
	const struct machine *machine;
	size_t finding_count, check_count;
	struct doctor_finding findings[DOCTOR_FINDINGS];
	struct machine_check checks[DOCTOR_CHECKS]; /* what would spoil a measurement now */
};

const struct doctor_row *doctor_rows(size_t *count);
const struct doctor_tool *doctor_tools(size_t *count);
const char *doctor_group_name(enum doctor_group group);   /* "machine" */
const char *doctor_status_name(enum doctor_status status); /* "limited" */

/* Reads capabilities, seccomp and uid below root into host, whose root is set. */
void doctor_read_credentials(struct doctor_host *host);
/* Runs every probe; takes about half a second, through hooks->pause. */
void doctor_examine(const struct doctor_host *host, struct doctor_result *result);
/* OK, LIMITED (something that matters to it is limited or missing) or MISSING. needs: which of its codes are missing, a
 * NULL behind. */
enum doctor_status doctor_judge(const struct doctor_result *result, const struct doctor_tool *tool, const char *needs[5]);
/* DIAG_EXIT_OK, or DIAG_EXIT_HOST when a tool that is built cannot do its main job. */
int doctor_exit_code(const struct doctor_result *result);

void doctor_print_text(FILE *out, const struct doctor_result *result, bool is_coloured);
void doctor_print_json(FILE *out, const struct doctor_result *result);

/* For probes. */
void doctor_say(struct doctor_finding *finding, enum doctor_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void doctor_mean(struct doctor_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doctor_mend(struct doctor_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool doctor_can(const struct doctor_host *host, int capability); /* CAP_SYS_ADMIN */
/* Something was refused for want of privilege: what gives this process more, if anything does. */
void doctor_mend_privilege(const struct doctor_host *host, struct doctor_finding *finding);

doctor_probe_fn doctor_time_source, doctor_page_size, doctor_memory, doctor_thp, doctor_hugetlb, doctor_numa,
	doctor_memlock, doctor_gnuplot;
doctor_probe_fn doctor_privilege, doctor_pid_namespace, doctor_memory_cgroup, doctor_swap, doctor_zram, doctor_loop,
	doctor_swap_file;
doctor_probe_fn doctor_io_uring, doctor_io_uring_deferred, doctor_o_direct;
doctor_probe_fn doctor_dirty_thresholds, doctor_io_throttle, doctor_cold_memory;
doctor_probe_fn doctor_perf_paranoid, doctor_perf_faults, doctor_perf_cycles, doctor_memory_trace, doctor_tracefs,
	doctor_userfaultfd;

#endif
