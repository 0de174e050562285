/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of pmbench's reports: docs/report.md. Elements of the original pmbench ("*original*") keep their names, places and
 * meanings; all other elements are optional.
 */
#ifndef SCHEMA_PMBENCH_H
#define SCHEMA_PMBENCH_H

#include "schema/shared.h"

/* --- program, parameters, host and time --- */

#define PM_INFO(F, R, G, L) \
	F(version_number,    text, NEED, "", FIRST, NONE, "*original*: program and version") \
	F(version_options,   text, NEED, "", FIRST, NONE, \
		"*original*: system, word size, and build options: `+mt` threads, `+nu` NUMA (`-y`), `-xa` no xalloc; starts " \
		"with a blank") \
	F(version_xmloutput, text, NEED, "", SAME, NONE, \
		"*original*: `0.1` in reports of the original, otherwise the version of this format")

#define PM_VERSION_INFO(F, R, G, L) \
	F(os_name, text, NEED, "", SAME, NONE, "*original*: as `uname -s`") \
	F(arch,    text, NEED, "", SAME, NONE, "*original*: as `uname -m`") \
	F(release, text, NEED, "", SAME, NONE, "*original*: as `uname -r`")

#define PM_OS_INFO(F, R, G, L) \
	F(hostname, text, NEED, "", SAME, NONE, "*original*: name of the machine") \
	R(version_info, pm_version_info, 1, 1, "")

#define PM_TIME_INFO(F, R, G, L) \
	F(wday,  integer, NEED, "", LAST, NONE, \
		"*original*: day of the week from 0, as in `struct tm`; `time_info` is the end of the run in UTC") \
	F(year,  integer, NEED, "", LAST, NONE, "*original*: years since 1900") \
	F(mon,   integer, NEED, "", LAST, NONE, "*original*: month, from 0") \
	F(mday,  integer, NEED, "", LAST, NONE, "*original*: day of the month, from 1") \
	F(hour,  integer, NEED, "", LAST, NONE, "*original*: hour") \
	F(min,   integer, NEED, "", LAST, NONE, "*original*: minute") \
	F(sec,   integer, NEED, "", LAST, NONE, "*original*: second") \
	F(yday,  integer, NEED, "", LAST, NONE, "*original*: day of the year, from 0") \
	F(isdst, integer, NEED, "", LAST, NONE, "*original*: always 0")

#define PM_PARAMS(F, R, G, L) \
	F(duration,   count, NEED, "s",   FIRST, NONE, "*original*: duration, rounded; 0 if only `--accesses` limits the run") \
	F(mapsize,    count, NEED, "MiB", FIRST, NONE, "*original*: map of the first process, rounded down") \
	F(setsize,    count, NEED, "MiB", FIRST, NONE, "*original*: set of the first process, rounded down") \
	F(initialize, flag,  NEED, "",    FIRST, NONE, "*original*: 0 or 1: `-i`") \
	F(shape, FIXED(4),   NEED, "",    FIRST, NONE, "*original*: parameter of the first phase's pattern, four decimals") \
	F(delay,   count,    NEED, "ticks", FIRST, NONE, "*original*: clock ticks between accesses") \
	F(quiet,   flag,     NEED, "",    FIRST, NONE, "*original*: 0 or 1: `-q`") \
	F(cold,    flag,     NEED, "",    FIRST, NONE, "*original*: 0 or 1: `-c`") \
	F(jobs,    count,    NEED, "",    SUM,  NONE, \
		"*original*: threads of all processes, equal to the number of `result_thread`") \
	F(offset,  integer,  NEED, "",    FIRST, NONE, "*original*: 4-byte word of the page that is accessed; -1 is random") \
	F(ratio,   percent,  NEED, "%",   FIRST, NONE, "*original*: share of reads") \
	F(pattern, text,     NEED, "",    FIRST, NONE, "*original*: pattern of the first phase") \
	F(access, CHOICE(histo|touch), NEED, "", FIRST, NONE, \
		"*original*: `touch` records nothing, so there is no `statistics`") \
	F(tsops,   text,     NEED, "",    FIRST, NONE, \
		"*original*: time source: `rdtscp`, `rdtscp-unfenced`, `rdtsc`, `perfc`, `cntvct`")

#define PM_SIGNATURE(F, R, G, L) \
	R(pmbench_info, pm_info,      1, 1, "") \
	R(os_info,      pm_os_info,   1, 1, "") \
	R(time_info,    pm_time_info, 1, 1, "") \
	F(uuid, uuid, NEED, "", NONE, NONE, "*original*: random, version 4") \
	R(params,       pm_params,    1, 1, "parameters in the original's units; exact values are in `options`") \
	F(interrupted, flag, OPT, "", ANY, NONE, "*original*: 1 after SIGINT or SIGTERM, absent otherwise") \
	G(OPTIONAL) \
	SHARED_SIGNATURE_ROWS(F, R, G, L) \
	G(END)

/* --- the result of a thread --- */

#define PM_RESULT_NETAVG(F, R, G, L) \
	F(netavg_us, FIXED(4), NEED, "us", NONE, LOWER, \
		"*original*: mean time per access without drawing the page: `latency` minus `overhead`") \
	F(netavg_clk, integer, NEED, "ticks", NONE, LOWER, "*original*: the same in ticks of `freq_khz`")

#define PM_DETAILS_LATENCY(F, R, G, L) \
	F(latency_us, FIXED(4), NEED, "us", NONE, LOWER, \
		"*original*: run time divided by accesses, including the time between accesses") \
	F(latency_clk, integer, NEED, "ticks", NONE, LOWER, "*original*: the same in ticks")

#define PM_DETAILS_OVERHEAD(F, R, G, L) \
	F(overhead_us, FIXED(4), NEED, "us", NONE, NONE, "*original*: time of one draw, measured before the run") \
	F(overhead_clk, integer, NEED, "ticks", NONE, NONE, "*original*: the same in ticks")

#define PM_RESULT_DETAILS(F, R, G, L) \
	R(details_latency, pm_details_latency, 1, 1, "") \
	F(details_samples, count, NEED, "", SUM, NONE, "*original*: accesses") \
	R(details_overhead, pm_details_overhead, 1, 1, "") \
	F(details_total, count, NEED, "", SUM, NONE, "*original*: number of draws in the mean `overhead`")

#define PM_WARMUP_LATENCY(F, R, G, L) \
	F(warmup_us, FIXED(4), NEED, "us", NONE, NONE, "*original*: mean time per access of the warm-up") \
	F(warmup_clk, integer, NEED, "ticks", NONE, NONE, "*original*: the same in ticks")

#define PM_WARMUP_DETAILS(F, R, G, L) \
	R(warmup_latency, pm_warmup_latency, 1, 1, "") \
	F(warmup_total, count, NEED, "", SUM, NONE, "*original*: accesses of the warm-up")

#define PM_THREAD_DETAILS(F, R, G, L) \
	F(process, count, NEED, "", NUMBER, NONE, "number of its process, from 0") \
	F(thread,  count, NEED, "", NONE, NONE, "number of the thread within its process") \
	F(is_complete, truth, NEED, "", MIN, NONE, \
		"false if the thread was lost with its process; it then has the counts up to that time") \
	F(run_ns,      count,  NEED, "ns", NONE, NONE, "length of the thread's window") \
	F(latency_ns,  number, NEED, "ns", NONE, LOWER, "`latency`, unrounded") \
	F(overhead_ns, number, NEED, "ns", NONE, NONE,  "`overhead`, unrounded") \
	F(net_ns,      number, NEED, "ns", NONE, LOWER, "`netavg`, unrounded") \
	F(warmup_ns,   count,  OPT,  "ns", NONE, NONE, "length of the thread's warm-up") \
	F(init_ns,     amount, OPT,  "ns", NONE, NONE, "time to fill the map of its process") \
	F(kernel_minor_faults, count, OPT, "", SUM, NONE, \
		"the kernel's count (RUSAGE_THREAD) over the window; absent for a lost thread") \
	F(kernel_major_faults, count, OPT, "", SUM, NONE, "the same of major faults") \
	G(OPTIONAL) \
	F(run_delay_ns, count, NEED, "ns", SUM, LOWER, \
		"time in the window in which the thread was runnable and waited for a CPU (schedstat); absent if the kernel " \
		"does not count it, and for a lost thread") \
	F(voluntary_switches,   count, NEED, "", SUM, NONE, \
		"voluntary context switches in the window, for example to wait for a page") \
	F(involuntary_switches, count, NEED, "", SUM, LOWER, \
		"involuntary context switches in the window: another thread took the CPU") \
	G(END) \
	F(cpu_ns, count, OPT, "ns", SUM, NONE, "CPU time in the window; absent like `run_delay_ns`") \
	F(unexplained_ns, count, OPT, "ns", SUM, LOWER, \
		"lower bound of the time in which the thread neither ran, nor waited for a CPU, nor was in an access that " \
		"faulted: frozen, stopped, or not run by the hypervisor; absent if unknown, as with `--classify none` and faults") \
	G(OPTIONAL) \
	F(classified_minor_faults, count, NEED, "", SUM, NONE, "faults attributed to accesses") \
	F(classified_major_faults, count, NEED, "", SUM, NONE, "the same of major faults") \
	F(inexact_faults, integer, OPT, "", SUM, NONE, "difference from the kernel's count; 0 means that the classes are exact") \
	F(kernel_queries, count, NEED, "", SUM, NONE, "number of `getrusage` calls") \
	F(multiple_fault_accesses, count, NEED, "", SUM, NONE, \
		"accesses with several faults, which are counted by their gravest fault") \
	F(extra_minor_faults, count, NEED, "", SUM, NONE, "the additional minor faults of such accesses") \
	F(extra_major_faults, count, NEED, "", SUM, NONE, "the additional major faults of such accesses") \
	G(END) \
	F(backwards,      count, NEED, "", SUM, LOWER, "latencies below zero; they are in no histogram") \
	F(over_threshold, count, NEED, "", SUM, LOWER, "accesses slower than `-h`")

#define PM_RESULT_THREAD(F, R, G, L) \
	F(thread_num, count, ATTR, "", NUMBER, NONE, "*original*: number from 1 over all processes") \
	R(result_netavg,  pm_result_netavg,  1, 1, "") \
	R(result_details, pm_result_details, 1, 1, "") \
	R(warmup_details, pm_warmup_details, 0, 1, "*original*: only with a warm-up") \
	R(thread_details, pm_thread_details, 0, 1, "")

/* --- the result of the run --- */

#define PM_TOTALS(F, R, G, L) \
	F(accesses, count,  NEED, "",  SUM,  NONE, "accesses of all threads") \
	F(run_s,    amount, NEED, "s", TIME, NONE, "length of the window") \
	F(accesses_per_second, amount, NEED, "/s", RATE, HIGHER, "sum of the threads' rates") \
	F(faults_per_second,   amount, NEED, "/s", RATE, LOWER,  "sum of the threads' rates") \
	F(slow_threshold_ns, amount, OPT, "ns", MAX, NONE, \
		"threshold above which the kernel is asked for faults; no fault is faster") \
	F(total_inexact_faults, count, OPT, "", SUM, NONE, "sum of the threads' `inexact_faults`") \
	F(time_over_100us_percent, amount, OPT, "%", NONE, LOWER, \
		"share of the threads' run time spent in accesses over 100 us, from the exact sums of the classes: what their " \
		"buckets' middles are wrong in all is spread by the buckets' width. No bucket's time is wrong by more than " \
		"half of its width (3 %, with `--hdr` 0.4 %; without it 33 % above 8.4 ms)") \
	F(time_over_1ms_percent, amount, OPT, "%", NONE, LOWER, "the same for accesses over 1 ms") \
	F(swap_in_bytes_per_second,  amount, OPT, "bytes/s", NONE, NONE, \
		"swap-in rate of the whole machine in the window (`pswpin` of vmstat)") \
	F(swap_out_bytes_per_second, amount, OPT, "bytes/s", NONE, NONE, "swap-out rate, likewise (`pswpout`)") \
	F(map_bytes, count, NEED, "bytes", MAX, NONE, "map of the largest process") \
	R(set_bytes, pm_set_bytes, 1, MANY, \
		"set of each process. With `--setsize-list` and without `-m` a process maps its set") \
	F(zero_pages, count, OPT, "", SUM, NONE, "pages of the set that are backed by the shared zero page; absent if unknown") \
	F(infrastructure_pages, count, NEED, "", SUM, NONE, "locked pages of the benchmark itself, which are never paged") \
	F(huge_bytes, count, OPT, "bytes", MAX, NONE, \
		"with `--thp`: bytes of the maps in huge pages at the start or the end of the window, whichever is larger") \
	F(stopped_ns,   count, OPT, "ns", MAX, LOWER, "present if the run was stopped: see `stopped`") \
	F(suspended_ns, count, OPT, "ns", MAX, LOWER, "present if the machine was suspended: see `suspended`") \
	L("time_over_1ms_percent <= time_over_100us_percent <= 100")

#define PM_SET_BYTES(F, R, G, L) \
	F(value, count, BODY, "bytes", EACH, NONE, "")

#define PM_PHASE(F, R, G, L) \
	F(index,         count,  ATTR, "", NUMBER, NONE, "number of the phase; a run without `--phase` has one phase") \
	F(pattern,       text,   NEED, "", SAME, NONE, "pattern of its accesses") \
	F(pattern_shape, number, NEED, "", SAME, NONE, "parameter of the pattern") \
	F(is_scattered,  truth,  OPT,  "", SAME, NONE, "whether `--scatter` was given") \
	F(hot_set_percent,    amount, OPT, "%", SAME, NONE, "hot share of the set, for `hotset`") \
	F(hot_access_percent, amount, OPT, "%", SAME, NONE, "share of the accesses to the hot pages") \
	F(hot_drift_draws,    count,  OPT, "",  SAME, NONE, \
		"draws of a thread after which the hot window moves by a page; absent if it does not move") \
	F(begin_s, amount, NEED, "s", MIN, NONE, "start on the run's clock") \
	F(end_s,   amount, NEED, "s", MAX, NONE, "end on the run's clock") \
	F(accesses,     count, NEED, "", SUM, NONE, "accesses of all threads") \
	F(minor_faults, count, NEED, "", SUM, NONE, "minor faults of all threads") \
	F(major_faults, count, NEED, "", SUM, LOWER, "major faults of all threads") \
	F(mean_ns, number, OPT, "ns", MEAN(accesses), LOWER, "mean, as `latency_ns`")

#define PM_PHASES(F, R, G, L) \
	R(phase, pm_phase, 1, MANY, "")

#define PM_STEADY_STATE(F, R, G, L) \
	F(is_steady,     truth,  NEED, "",  NONE, NONE, "whether throughput was steady at the end ([measuring.md](measuring.md))") \
	F(slope_percent, number, NEED, "%", NONE, NONE, "change of the fitted line over the tail, relative to its mean") \
	F(cv_percent,    amount, NEED, "%", NONE, NONE, "coefficient of variation") \
	F(from_s,        amount, OPT,  "s", NONE, NONE, "start of the steady part")

#define PM_PAGING_OVERHEAD(F, R, G, L) \
	F(media_latency_ns, amount, NEED, "ns", SAME, NONE, "`--media-latency` (Table 2 of the pmbench paper)") \
	F(access_mean_ns,   amount, NEED, "ns", NONE, LOWER, "mean of all accesses, including hits") \
	F(major_mode_ns,    amount, NEED, "ns", NONE, LOWER, "most frequent latency of a major fault") \
	F(major_mean_ns,    amount, NEED, "ns", NONE, LOWER, "mean latency of a major fault") \
	F(os_overhead_ns,      number, NEED, "ns", NONE, LOWER, "`major_mean_ns` − `media_latency_ns`") \
	F(os_overhead_percent, number, NEED, "%",  NONE, LOWER, "`os_overhead_ns` in percent of `media_latency_ns`")

#define PM_FAULT_PARTS(F, R, G, L) \
	F(kind, CHOICE(minor|major), ATTR, "", SAME, NONE, "kind of fault") \
	F(count,     count,  NEED, "",   SUM,  NONE, "number of faults") \
	F(entry_ns,  number, NEED, "ns", NONE, LOWER, "median time until the kernel's handler starts") \
	F(handle_ns, number, NEED, "ns", NONE, LOWER, "median time in the handler") \
	F(exit_ns,   number, NEED, "ns", NONE, LOWER, "median time from the end of the handler to the stop stamp") \
	F(total_ns,  number, NEED, "ns", NONE, LOWER, "median of the whole fault")

#define PM_KERNEL_SPLIT(F, R, G, L) \
	G(CHOICE) \
	F(not_available, text, NEED, "", NONE, NONE, "the reason") \
	G(OR) \
	R(fault_parts, pm_fault_parts, 0, 2, "medians of the parts of a fault") \
	F(cost_ns_per_fault, amount, OPT, "ns", NONE, NONE, \
		"time that the stamps add to a fault (measured for a minor fault at the start); it is included in these parts " \
		"and in every latency of a fault") \
	G(END)

#define PM_MAP_FILE(F, R, G, L) \
	F(was_there, truth, NEED, "", SAME, NONE, "whether the file existed before the run") \
	F(read_ahead_kb, count, OPT, "KiB", SAME, NONE, \
		"read-ahead of its device, which is used for sequential patterns (linear) only; others use MADV_RANDOM") \
	F(file_pages, count, NEED, "", SUM, NONE, "pages of the files of all processes") \
	G(OPTIONAL) \
	F(resident_before_pages, count, NEED, "", SUM, NONE, \
		"pages in the page cache (mincore) before initialization and warm-up; absent if only the file's owner may know") \
	F(resident_begin_pages, count, NEED, "", SUM, NONE, "pages in the page cache at the start of the window") \
	G(END)

#define PM_PRESSURE(F, R, G, L) \
	F(was_oom,     truth, NEED, "", MAX, NONE, "whether the kernel killed a process for lack of memory") \
	F(is_restored, truth, NEED, "", MIN, NONE, "whether everything was restored") \
	F(setup_ns,    count, NEED, "ns", MAX, NONE, "time to set up") \
	F(teardown_ns, count, NEED, "ns", MAX, NONE, "time to restore")

#define PM_RESULT(F, R, G, L) \
	R(result_thread, pm_result_thread, 1, MANY, "one per thread, process by process") \
	G(OPTIONAL) \
	R(totals,          pm_totals,          1, 1, "") \
	R(phases,          pm_phases,          1, 1, "") \
	R(steady_state,    pm_steady_state,    0, 1, "absent if the run is too short") \
	R(paging_overhead, pm_paging_overhead, 0, 1, "with `--media-latency`") \
	R(kernel_split,    pm_kernel_split,    0, 1, "with `--kernel-split`") \
	R(map_file,        pm_map_file,        0, 1, "with `--map file:`") \
	R(pressure,        pm_pressure,        0, 1, "with `--ram`, `--swap` or `--eater`") \
	G(END) \
	L("totals/accesses = result_thread/result_details/details_samples") \
	L("# <= result_thread/result_details/details_samples") \
	L("!totals -> result_thread/result_details/details_samples = #") \
	L("count(result_thread) = result_thread/thread_details/is_complete " \
		"-> result_thread/result_details/details_samples <= # + result_thread/thread_details/backwards") \
	L("count(../statistics/histogram) = 1 -> totals/time_over_100us_percent * result_thread/thread_details/run_ns " \
		"<= 100 * # * @") \
	L("count(../statistics/histogram) = 2 -> totals/time_over_100us_percent * result_thread/thread_details/run_ns " \
		"<= 100 * #read * @read + 100 * #write * @write")

/* --- histograms: the original's, then latency_histogram --- */

#define PM_BUCKET_INTERVAL(F, R, G, L) \
	F(interval_lo, count, NEED, "", SAME, NONE, "*original*: lower edge as a power of two of ns") \
	F(interval_hi, count, NEED, "", SAME, NONE, "*original*: upper edge")

#define PM_HEX(F, R, G, L) \
	F(index, count, ATTR, "", SAME, NONE, "*original*: from 0") \
	F(value, count, BODY, "", SUM,  NONE, "*original*: samples")

#define PM_BUCKET_HEXES(F, R, G, L) \
	R(hex, pm_hex, 16, 16, "*original*: 16 equal parts of the interval")

#define PM_HISTO_BUCKET(F, R, G, L) \
	F(index, count, ATTR, "", SAME, NONE, "*original*: see below") \
	R(bucket_interval, pm_bucket_interval, 1, 1, "") \
	F(sum_count, count, NEED, "", SUM, NONE, "*original*: samples") \
	R(bucket_hexes, pm_bucket_hexes, 0, 1, "*original*: only for `index` 1 to 15")

#define PM_HISTOGRAM(F, R, G, L) \
	F(type, CHOICE(read|write), ATTR, "", SAME, NONE, "*original*: kind of access") \
	R(histo_bucket, pm_histo_bucket, 24, 24, "*original*") \
	L("histo_bucket/sum_count = #{type}")

#define PM_STATISTICS(F, R, G, L) \
	R(histogram, pm_histogram, 0, 2, \
		"*original*: `read` (unless `-r 0`) and `write` (unless `-r 100`), all threads together") \
	R(latency_histogram, latency_histogram, 0, MANY, \
		"`type` is `read`, `write` (in a series `both`); `class` is `all`, `hit`, `minor`, `major` (only `all` with " \
		"`--classify none`). In every bucket hit + minor + major = all")

/* --- the run over time, and the kernel's counters --- */

#define PM_INTERVAL(F, R, G, L) \
	F(index,    count,  ATTR, "",  NONE, NONE, "number of the row") \
	F(time_s,   amount, NEED, "s", NONE, NONE, "end of the interval on the run's clock") \
	F(seconds,  amount, NEED, "s", TIME, NONE, "length of the interval") \
	F(accesses, count,  NEED, "",  SUM,  NONE, "accesses of all threads") \
	F(accesses_per_second, amount, NEED, "/s", RATE, HIGHER, "rate of all threads") \
	F(minor_faults, count, OPT, "", SUM, NONE, "minor faults of all threads") \
	F(major_faults, count, OPT, "", SUM, LOWER, "major faults of all threads") \
	F(mean_ns, number, OPT, "ns", MEAN(accesses), LOWER, "mean latency") \
	F(p50_ns,  amount, OPT, "ns", NONE, LOWER, "median latency") \
	F(p99_ns,  amount, OPT, "ns", NONE, LOWER, "99th percentile of the latencies") \
	R(latency_histogram, latency_histogram, 0, 1, "histogram with type `both` and class `all`, without summary") \
	R(counters, counters, 0, 1, \
		"differences over the interval; counters of `sys_mem_info` that are not listed did not change") \
	L("latency_histogram/bucket/count <= accesses") \
	L("0.5 * p50_ns <= mean_ns") \
	L("0.01 * p99_ns <= mean_ns")

#define PM_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "requested length of an interval") \
	R(interval, pm_interval, 0, MANY, "")

#define PM_MEMORY_COLUMNS(F, R, G, L) \
	F(free_kib,     integer, OPT, "KiB", NONE, NONE, "*original*: MemFree") \
	F(buffer_kib,   integer, OPT, "KiB", NONE, NONE, "*original*: Buffers") \
	F(cache_kib,    integer, OPT, "KiB", NONE, NONE, "*original*: Cached") \
	F(active_kib,   integer, OPT, "KiB", NONE, NONE, "*original*: Active") \
	F(inactive_kib, integer, OPT, "KiB", NONE, NONE, "*original*: Inactive") \
	F(pgpgin,       integer, OPT, "KiB", NONE, NONE, "*original*: pgpgin") \
	F(pgpgout,      integer, OPT, "KiB", NONE, NONE, "*original*: pgpgout") \
	F(pswpin,       integer, OPT, "",    NONE, NONE, "*original*: pages swapped in") \
	F(pswpout,      integer, OPT, "",    NONE, NONE, "*original*: pages swapped out") \
	F(pgmajfault,   integer, OPT, "",    NONE, NONE, "*original*: major faults")

#define PM_SYS_MEM_ITEM(F, R, G, L) \
	F(name, CHOICE(pre-warmup|pre-run|mid-run|post-run|post-unmap), ATTR, "", SAME, NONE, \
		"*original*: time of the snapshot; `pre-warmup` only with a warm-up, `mid-run` if there was one") \
	R(mem_item_info,  pm_memory_columns, 1, 1, "*original*: values at that time") \
	R(mem_item_delta, pm_memory_columns, 0, 1, "*original*: difference to the next item") \
	R(counters,       counters, 0, 1, "all counters that were read") \
	R(counter_deltas, counters, 0, 1, "difference to the next item")

#define PM_SYS_MEM_INFO(F, R, G, L) \
	R(sys_mem_item, pm_sys_mem_item, 0, 5, "")

#define PM_REPORT(F, R, G, L) \
	R(signature,    pm_signature,    1, 1, "program, parameters, host and time") \
	R(machine_info, machine_info,    1, 1, "the machine and its clock") \
	R(environment,  environment,     0, 1, "conditions that may disturb the run") \
	R(result,       pm_result,       1, 1, "threads and totals") \
	R(statistics,   pm_statistics,   0, 1, "histograms") \
	R(series,       pm_series,       0, 1, "the run over time") \
	R(sys_mem_info, pm_sys_mem_info, 1, 1, "the kernel's counters") \
	R(verdict,      verdict,         0, 1, "whether the result is trustworthy") \
	R(parts,        merged_parts,    0, 1, "of a merged report: what was merged") \
	L("signature/params/jobs = count(result/result_thread)")

#define PM_DOCUMENT(F, R, G, L) \
	R(report, pm_report, 1, 1, "")

#define PM_RECORDS(RECORD) \
	RECORD(pm_info,             PM_INFO,             PLAIN,   "", "", "") \
	RECORD(pm_version_info,     PM_VERSION_INFO,     PLAIN,   "", "", "") \
	RECORD(pm_os_info,          PM_OS_INFO,          PLAIN,   "", "", "") \
	RECORD(pm_time_info,        PM_TIME_INFO,        PLAIN,   "", "", "") \
	RECORD(pm_params,           PM_PARAMS,           PLAIN,   "", "", "") \
	RECORD(pm_signature,        PM_SIGNATURE,        PLAIN,   "", "", "") \
	RECORD(pm_result_netavg,    PM_RESULT_NETAVG,    PLAIN,   "", "", "") \
	RECORD(pm_details_latency,  PM_DETAILS_LATENCY,  PLAIN,   "", "", "") \
	RECORD(pm_details_overhead, PM_DETAILS_OVERHEAD, PLAIN,   "", "", "") \
	RECORD(pm_result_details,   PM_RESULT_DETAILS,   PLAIN,   "", "", "") \
	RECORD(pm_warmup_latency,   PM_WARMUP_LATENCY,   PLAIN,   "", "", "") \
	RECORD(pm_warmup_details,   PM_WARMUP_DETAILS,   PLAIN,   "", "", "") \
	RECORD(pm_thread_details,   PM_THREAD_DETAILS,   PLAIN,   "", "", "") \
	RECORD(pm_result_thread,    PM_RESULT_THREAD,    PLAIN,   "", "thread_num", "a thread") \
	RECORD(pm_set_bytes,        PM_SET_BYTES,        PLAIN,   "", "", "") \
	RECORD(pm_totals,           PM_TOTALS,           PLAIN,   "", "", "the run") \
	RECORD(pm_phase,            PM_PHASE,            PLAIN,   "", "pattern,pattern_shape", "a phase") \
	RECORD(pm_phases,           PM_PHASES,           PLAIN,   "", "", "") \
	RECORD(pm_steady_state,     PM_STEADY_STATE,     PLAIN,   "", "", "") \
	RECORD(pm_paging_overhead,  PM_PAGING_OVERHEAD,  PLAIN,   "", "", "") \
	RECORD(pm_fault_parts,      PM_FAULT_PARTS,      PLAIN,   "", "kind", "") \
	RECORD(pm_kernel_split,     PM_KERNEL_SPLIT,     PLAIN,   "", "", "") \
	RECORD(pm_map_file,         PM_MAP_FILE,         PLAIN,   "", "", "") \
	RECORD(pm_pressure,         PM_PRESSURE,         PLAIN,   "", "", "") \
	RECORD(pm_result,           PM_RESULT,           PLAIN,   "", "", "") \
	RECORD(pm_bucket_interval,  PM_BUCKET_INTERVAL,  PLAIN,   "", "", "") \
	RECORD(pm_hex,              PM_HEX,              PLAIN,   "", "index", "") \
	RECORD(pm_bucket_hexes,     PM_BUCKET_HEXES,     PLAIN,   "", "", "") \
	RECORD(pm_histo_bucket,     PM_HISTO_BUCKET,     PLAIN,   "", "", "") \
	RECORD(pm_histogram,        PM_HISTOGRAM,        PLAIN,   "", "type", "the original's histogram") \
	RECORD(pm_statistics,       PM_STATISTICS,       PLAIN,   "", "", "") \
	RECORD(pm_interval,         PM_INTERVAL,         SERIES,  "", "", "an interval of the run") \
	RECORD(pm_series,           PM_SERIES,           PLAIN,   "", "", "") \
	RECORD(pm_memory_columns,   PM_MEMORY_COLUMNS,   PLAIN,   "", "", "") \
	RECORD(pm_sys_mem_item,     PM_SYS_MEM_ITEM,     PLAIN,   "", "name", "") \
	RECORD(pm_sys_mem_info,     PM_SYS_MEM_INFO,     PLAIN,   "", "", "") \
	RECORD(pm_report,           PM_REPORT,           PLAIN,   "", "", "") \
	RECORD(pm_document,         PM_DOCUMENT,         PLAIN,   "", "", "")

FIELD_STRUCTS(PM_RECORDS)

#endif
