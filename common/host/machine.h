/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of this machine: CPU, caches, NUMA, memory, swap and the settings that decide the cost of paging. Topology comes from
 * hwloc (without its environment variables), the rest from /proc and /sys. An unreadable fact is unknown, never guessed: an empty
 * text, 0, or a setting that is not in the list. Texts are reduced to printable ASCII and cut to their field.
 */
#ifndef COMMON_HOST_MACHINE_H
#define COMMON_HOST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/host/topology.h"

#define MACHINE_TEXT 128

struct machine_swap {
	char path[MACHINE_TEXT];
	char type[16];         /* "partition", "file" */
	char backing[32];      /* "zram", "loop", "disk", "file", "other" (device mapper, RAID, network) */
	char algorithm[32];    /* zram's compressor, "" = unknown or none */
	uint64_t size_bytes, used_bytes;
	int priority;
};

/* A setting and its text as the kernel prints it, e.g. "vm.swappiness" "60", "thp.enabled" "madvise". */
struct machine_setting {
	char name[64];
	char value[MACHINE_TEXT];
};

struct machine {
	char cpu_model[MACHINE_TEXT];
	char vendor[MACHINE_TEXT];
	unsigned cores, threads; /* physical cores, hardware threads online */
	unsigned page_bytes;
	uint64_t memory_bytes, available_bytes;
	char hypervisor[MACHINE_TEXT]; /* "" = none seen */
	char os_name[MACHINE_TEXT], os_release[MACHINE_TEXT], os_version[MACHINE_TEXT], arch[MACHINE_TEXT];
	char hostname[MACHINE_TEXT], boot_id[64];
	size_t cache_count, node_count, swap_count, setting_count;
	struct machine_cache caches[TOPOLOGY_CACHES];
	struct machine_node nodes[TOPOLOGY_NODES];
	struct machine_swap swaps[32];
	struct machine_setting settings[64];
	int cgroup_version;              /* of the memory controller: 1, 2, 0 = none */
	char cgroup_dir[256];            /* this process's memory cgroup folder (without root), "" = none */
	uint64_t cgroup_limit_bytes;     /* the smallest limit from here to the root (v2: memory.max and
	                                    memory.high); UINT64_MAX = none */
};

/* Reads the facts below root, "" or a fixture folder, in some milliseconds. No other thread may run, because hwloc gets the
 * root through the environment. Returns 0 or -errno: -ENOENT when there is no /proc/meminfo below root. */
int machine_read(const char *root, struct machine *machine);
/* The message for an error of machine_read: without this file no fact of the machine can be relied on. */
#define MACHINE_UNREADABLE "cannot read MemTotal in /proc/meminfo; mount /proc"
const char *machine_setting(const struct machine *machine, const char *name); /* NULL = unknown */

/* One finding that may spoil a measurement; a closed list of codes (docs/report.md). */
struct machine_check {
	char code[32];    /* "thp-always", "steal", "other-swap", "load", "ksm", ... */
	char value[64];   /* what was measured */
	char advice[192]; /* what to do about it; this program never changes the setting */
	const char *finding; /* what the code means, one line of static text */
};
/* Adds a check unless its code is in the list or the list is full. finding: static text. */
void machine_check_add(struct machine_check *checks, size_t *count, size_t max, const char *code, const char *value,
	const char *advice, const char *finding);
/* Makes the checks that are possible before a run; returns how many of max were filled. */
#define MACHINE_CHECKS 14 /* the number of checks */
size_t machine_checks(const char *root, const struct machine *machine, struct machine_check *checks, size_t max);

struct vmcounters;
/* Makes the checks of events during a run, from two snapshots with at least VMCOUNTERS_STAT and VMCOUNTERS_VMSTAT.
 * own_major_faults: those of the run itself. */
size_t machine_checks_run(const struct vmcounters *before, const struct vmcounters *after, uint64_t own_major_faults,
	struct machine_check *checks, size_t max);

/* Describes a virtual machine's balloon. When the host takes free memory, the first access to such a page is slow. */

struct balloon {
	unsigned count;     /* devices that virtio_balloon holds: the host may take free pages when it wants */
	bool reports_pages; /* free pages are reported to the host, which takes them after seconds (page reporting) */
};

/* root as in common/base/sysfs.h. Unreadable files count as absent. */
void balloon_read(const char *root, struct balloon *balloon);

#endif
