/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of probes, with their meaning for the tools, and of tools. */
#include "config.h"
#include "doctor/doctor.h"

#define PAGING (DOCTOR_PMBENCH | DOCTOR_WITH_PRESSURE)

static const struct doctor_row rows[] = {
	{.code = "time-source", .group = DOCTOR_GROUP_MACHINE, .tools = DOCTOR_PMBENCH,
		.limited = "pmbench runs on its default clock only with --force",
		.missing = "pmbench has no clock to time accesses with",
		.fix = "pmbench -t perfc"},
	{.code = "page-size", .group = DOCTOR_GROUP_MACHINE, .tools = PAGING | DOCTOR_MEMTRACE},
	{.code = "memory", .group = DOCTOR_GROUP_MACHINE, .tools = DOCTOR_ALL,
		.limited = "maps, --ram and --swap must be small: sizes that do not fit are refused"},
	{.code = "numa", .group = DOCTOR_GROUP_MACHINE, .tools = PAGING},
	{.code = "thp", .group = DOCTOR_GROUP_MACHINE, .tools = DOCTOR_PMBENCH,
		.limited = "pmbench --thp gets small pages",
		.missing = "pmbench --thp gets small pages: this kernel has no transparent huge pages"},
	{.code = "hugetlb", .group = DOCTOR_GROUP_MACHINE, .tools = DOCTOR_PMBENCH,
		.note = "pmbench --map hugetlb has no pages to map",
		.missing = "pmbench --map hugetlb: this kernel has no hugetlb pages"},
	{.code = "memlock", .group = DOCTOR_GROUP_MACHINE, .tools = DOCTOR_PMBENCH | DOCTOR_MEMTRACE,
		.limited = "pmbench cannot lock itself in memory and may be paged; memtrace's rings are small"},
	{.code = "cpu-quota", .group = DOCTOR_GROUP_MACHINE, .tools = DOCTOR_PMBENCH | DOCTOR_IOWRITE | DOCTOR_SSD,
		.limited = "the cgroup's quota stops runs that use this much CPU time, which are not ok without --accept-limit"},

	{.code = "privilege", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING | DOCTOR_IOWRITE | DOCTOR_MEMTRACE,
		.missing = "pmbench has no --ram, --swap and --eater; with-pressure only starts commands; iowrite-bench leaves "
			   "the dirty thresholds as they are and has no --slow-device"},
	{.code = "pid-namespace", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING,
		.missing = "pmbench --ram and with-pressure cannot make the PID namespace that ends all they start"},
	{.code = "memory-cgroup", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING,
		.missing = "pmbench --ram and with-pressure --ram cannot limit memory"},
	{.code = "swap", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING | DOCTOR_MEMTRACE,
		.note = "nothing is paged without a swap area: pmbench and with-pressure need --swap, memtrace lacks popularity",
		.missing = "this kernel is built without swap: only --swap none, and nothing pages",
		.fix = "with-pressure --swap zram:2G -- COMMAND"},
	{.code = "zram", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING,
		.note = "--swap zram:SIZE needs the module first",
		.missing = "no --swap zram:SIZE on this kernel: use --swap file:PATH,SIZE"},
	{.code = "loop", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING | DOCTOR_IOWRITE,
		.limited = "--swap loop:PATH,SIZE and iowrite-bench --slow-device are for root",
		.missing = "no --swap loop:PATH,SIZE: use --swap file:PATH,SIZE; no iowrite-bench --slow-device"},
	{.code = "swap-file", .group = DOCTOR_GROUP_PRESSURE, .tools = PAGING,
		.missing = "no --swap file:PATH,SIZE and loop:PATH,SIZE here"},

	{.code = "o-direct", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_IOWRITE | DOCTOR_SSD,
		.limited = "iowrite-bench and ssd-workloads must guess the alignment of direct writes",
		.missing = "iowrite-bench and ssd-workloads cannot bypass the page cache here: give a folder on a disk"},
	{.code = "io-limit", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_PMBENCH | DOCTOR_IOWRITE | DOCTOR_SSD,
		.limited = "our cgroups limit the I/O to this disk: results are those of the limit, and are not ok without "
			   "--accept-limit; iowrite-bench calibrate refuses"},
	{.code = "io-uring", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_SSD | DOCTOR_IOWRITE,
		.missing = "ssd-workloads cannot keep requests in flight; iowrite-bench has its other ways of writing"},
	{.code = "io-uring-deferred", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_SSD,
		.limited = "ssd-workloads wakes up more often than with Linux 6.1: its CPU cost is higher"},

	{.code = "dirty-thresholds", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_IOWRITE,
		.limited = "iowrite-bench calibrate and evaluate leave vm.dirty_* as they are: gigabytes are written before "
			   "anything is throttled"},
	{.code = "io-throttle", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_IOWRITE,
		.missing = "no iowrite-bench --slow-device: a loop device cannot be slowed down here"},
	{.code = "cold-memory", .group = DOCTOR_GROUP_STORAGE, .tools = DOCTOR_IOWRITE,
		.note = "the first writes into the page cache may cost ten times as much: measure with host-backed memory",
		.fix = "iowrite-bench run --mem=warm"},

	{.code = "perf-paranoid", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.limited = "memtrace records programs of this user only, without the kernel's accesses",
		.missing = "perf events are for root: memtrace has none"},
	{.code = "page-fault-events", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.missing = "memtrace -e page-faults cannot record the addresses of page faults"},
	{.code = "hardware-counters", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.missing = "memtrace cannot sample by the CPU's own events and decodes clock samples instead"},
	{.code = "memory-sampling", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.limited = "memtrace falls back to this engine, which samples where a program stalls or faults",
		.missing = "memtrace has no source of addresses"},
	{.code = "perf-mlock", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.limited = "memtrace reduces its rings of 4 MiB for each CPU and may lose samples"},
	{.code = "ptrace-scope", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.limited = "memtrace --pid cannot read the mappings of a process that it has not started",
		.missing = "memtrace --pid cannot read the mappings of a process"},
	{.code = "lockdown", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_PMBENCH | DOCTOR_MEMTRACE,
		.missing = "the kernel refuses perf events and tracing to root as well"},
	{.code = "process-madvise", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_MEMTRACE,
		.missing = "memtrace cannot page out another process's memory to time its next access"},
	{.code = "tracefs", .group = DOCTOR_GROUP_TRACING, .tools = DOCTOR_PMBENCH | DOCTOR_IOWRITE,
		.missing = "pmbench has no -h marks and no --kernel-split; iowrite-bench evaluate and calibrate --stage "
			   "do not read the dirty-throttle state"},
};

/* To enable a new tool, set its is_built. */
static const struct doctor_tool tools[] = {
	{"pmbench", DOCTOR_PMBENCH, true, "times accesses to memory", {"time-source", NULL}},
	{"with-pressure", DOCTOR_WITH_PRESSURE, true, "runs a command in limited memory",
		{"privilege", "pid-namespace", "memory-cgroup", NULL}},
	{"iowrite-bench", DOCTOR_IOWRITE, true, "measures and predicts writes", {"o-direct", NULL}},
	{"ssd-workloads", DOCTOR_SSD, true, "measures a database's log and checkpoint on an SSD", {"io-uring", "o-direct", NULL}},
	{"memtrace", DOCTOR_MEMTRACE, true, "records which addresses a program touches", {"page-fault-events", NULL}},
};

const struct doctor_row *doctor_rows(size_t *count)
{
	*count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct doctor_tool *doctor_tools(size_t *count)
{
	*count = sizeof(tools) / sizeof(tools[0]);
	return tools;
}
