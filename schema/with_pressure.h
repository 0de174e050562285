/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of with-pressure's reports: docs/report-with-pressure.md. */
#ifndef SCHEMA_WITH_PRESSURE_H
#define SCHEMA_WITH_PRESSURE_H

#include "schema/shared.h"

#define WP_STALLS(F, R, G, L) \
	F(scope, CHOICE(cgroup|machine), ATTR, "", SAME, NONE, \
		"whose tasks: those of the run's cgroup, or those of all programs on the machine") \
	F(memory_some_ns, count, NEED, "ns", SUM, LOWER, "time in which at least one task waited for memory") \
	F(memory_full_ns, count, NEED, "ns", SUM, LOWER, "time in which all tasks that were not idle waited for memory") \
	F(io_some_ns,     count, NEED, "ns", SUM, LOWER, "time in which at least one task waited for I/O") \
	F(io_full_ns,     count, NEED, "ns", SUM, LOWER, "time in which all tasks that were not idle waited for I/O")

#define WP_PRESSURE(F, R, G, L) \
	F(ram_bytes,  count, OPT, "bytes", SAME, NONE, "memory limit (`--ram`)") \
	F(high_bytes, count, OPT, "bytes", SAME, NONE, "limit above which the command is slowed down (`--high`)") \
	F(swap_kind,  CHOICE(none|zram|file|loop|zswap|device), OPT, "", SAME, NONE, \
		"kind of the run's own swap area (`--swap`); absent if the system's is used") \
	F(swap_bytes, count, OPT, "bytes", SAME, NONE, "size of that area") \
	F(swappiness, count, OPT, "", SAME, NONE, "`--swappiness`") \
	F(eaters,     count, NEED, "", SAME, NONE, "number of eaters (`--eater`)") \
	R(setting, named_text, 0, MANY, "a value that was set (`--set`), by its path") \
	F(was_oom,     truth, NEED, "", MAX, NONE, "whether the kernel killed a process of the command for lack of memory") \
	F(is_restored, truth, NEED, "", MIN, NONE, "whether everything was restored") \
	F(setup_ns,    count, NEED, "ns", MAX, NONE, "time to set up") \
	F(teardown_ns, count, NEED, "ns", MAX, NONE, "time to restore")

/* memstor run adds them. Merged reports have none: what sums or means of them say is not known. */
#define WP_METRIC(F, R, G, L) \
	F(name,   text,                 ATTR, "", SAME, NONE, "its name in the suite") \
	F(unit,   text,                 ATTR, "", SAME, NONE, "its unit, as the suite says; empty if it does not") \
	F(better, CHOICE(lower|higher), ATTR, "", SAME, NONE, "which direction is better") \
	F(value,  amount,               BODY, "", NONE, NONE, "the number in the output")

/* Rows of rusage are of the command and of the descendants that were waited for, from execve on. */
#define WP_RESULT(F, R, G, L) \
	R(command, command, 1, 1, "the command and its arguments") \
	F(start_error, text,  OPT, "", SAME, NONE, "why the command did not start") \
	F(exit_status, count, OPT, "", SAME, NONE, "exit status of the command; absent if it did not end by itself") \
	F(exit_signal, count, OPT, "", SAME, NONE, "number of the signal that ended the command") \
	G(OPTIONAL) \
	F(wall_ns,   count, NEED, "ns", TIME, LOWER, "wall time from just before execve to the return of wait4") \
	F(user_ns,   count, NEED, "ns", SUM,  LOWER, "CPU time in user mode, of descendants that were waited for, too") \
	F(system_ns, count, NEED, "ns", SUM,  LOWER, "CPU time in the kernel, likewise") \
	F(peak_bytes, count, OPT, "bytes", MAX, LOWER, \
		"largest resident set of the command or of one such descendant (ru_maxrss); absent if it did not exceed " \
		"that of the process before execve, which the kernel includes") \
	F(minor_faults, count, NEED, "", SUM, LOWER, "page faults that needed no I/O") \
	F(major_faults, count, NEED, "", SUM, LOWER, "page faults that needed I/O") \
	F(voluntary_switches,   count, NEED, "", SUM, LOWER, "context switches because a thread waited") \
	F(involuntary_switches, count, NEED, "", SUM, LOWER, "context switches because another thread got the CPU") \
	F(block_input_bytes,  count, NEED, "bytes", SUM, LOWER, "bytes read from block devices") \
	F(block_output_bytes, count, NEED, "bytes", SUM, LOWER, \
		"bytes written, or to be written later, to block devices") \
	G(END) \
	F(cgroup_peak_bytes, count, OPT, "bytes", MAX, LOWER, \
		"peak memory of the run's cgroup, its page cache included; absent without a cgroup") \
	R(stalls, wp_stalls, 0, 1, "time in which tasks waited during the run (PSI)") \
	R(pressure, wp_pressure, 0, 1, "limits and settings; absent if none were given") \
	R(unavailable, named_text, 0, MANY, "a value that is absent, with the reason") \
	R(metric, wp_metric, 0, MANY, "a metric of the suite's step, which memstor run found in the output") \
	R(clock, monotonic_clock, 1, 1, "")

#define WP_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "program, parameters, host and time") \
	R(machine_info, machine_info,   1, 1, "the machine, just before the command started") \
	R(environment,  environment,    1, 1, "") \
	R(result,       wp_result,      1, 1, "") \
	R(verdict,      verdict,        1, 1, "whether the result is trustworthy") \
	R(parts,        merged_parts,   0, 1, "of a merged report: what was merged")

#define WP_DOCUMENT(F, R, G, L) \
	R(report, wp_report, 1, 1, "")

#define WP_RECORDS(RECORD) \
	RECORD(wp_stalls,   WP_STALLS,   PLAIN, "", "", "") \
	RECORD(wp_pressure, WP_PRESSURE, PLAIN, "", "", "") \
	RECORD(wp_metric,   WP_METRIC,   PLAIN, "", "name", "") \
	RECORD(wp_result,   WP_RESULT,   PLAIN, "", "", "a run of a command") \
	RECORD(wp_report,   WP_REPORT,   PLAIN, "", "", "") \
	RECORD(wp_document, WP_DOCUMENT, PLAIN, "", "", "")

FIELD_STRUCTS(WP_RECORDS)

#endif
