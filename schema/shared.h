/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records that reports of several tools share; common/report/field.h documents the lists. */
#ifndef SCHEMA_SHARED_H
#define SCHEMA_SHARED_H

#include "common/report/field.h"

/* --- texts with a name or a code --- */

#define SHARED_TEXT_ITEM(F, R, G, L) \
	F(value, text, BODY, "", SAME, NONE, "")

#define SHARED_NAMED_TEXT(F, R, G, L) \
	F(name,  text, ATTR, "", SAME, NONE, "") \
	F(value, text, BODY, "", SAME, NONE, "")

#define SHARED_CODED_TEXT(F, R, G, L) \
	F(code,  code, ATTR, "", SAME, NONE, "") \
	F(value, text, BODY, "", SAME, NONE, "")

/* --- program, parameters, host and time --- */

#define SHARED_COMMAND(F, R, G, L) \
	R(argument, text_item, 0, MANY, "argv, one element each, the program's name first")

#define SHARED_OPTIONS(F, R, G, L) \
	R(option, named_text, 0, MANY, \
		"each effective option by its long name, with its value as typed; `--replay` repeats the run from these")

#define SHARED_LABELS(F, R, G, L) \
	R(label, named_text, 0, MANY, "`--label NAME=VALUE`, as given")

#define SHARED_HOST(F, R, G, L) \
	F(hostname,   text, NEED, "", SAME, NONE, "name of the machine") \
	F(boot_id,    text, NEED, "", SAME, NONE, "equal in reports that share a monotonic clock") \
	F(os_name,    text, NEED, "", SAME, NONE, "operating system, as `uname -s`") \
	F(release,    text, NEED, "", SAME, NONE, "kernel release, as `uname -r`") \
	F(os_version, text, NEED, "", SAME, NONE, "kernel version, as `uname -v`") \
	F(arch,       text, NEED, "", SAME, NONE, "processor architecture, as `uname -m`")

/* In pmbench's reports these are an optional group after the original's elements. */
#define SHARED_SIGNATURE_ROWS(F, R, G, L) \
	F(tool,           text, NEED, "", SAME, NONE, "name of the program") \
	F(tool_version,   text, NEED, "", SAME, NONE, "version of the package") \
	F(report_version, text, NEED, "", SAME, NONE, "version of the format") \
	F(compiler,       text, NEED, "", SAME, NONE, "compiler that built the program") \
	F(compiler_flags, text, NEED, "", SAME, NONE, "flags of the compiler") \
	R(command, command, 1, 1, "") \
	R(options, options, 1, 1, "") \
	F(seed, bits, NEED, "", NONE, NONE, \
		"seed of all random draws; the same seed draws the same numbers. A string in JSON, because all 64 bits matter") \
	F(wall_start, moment, NEED, "", MIN, NONE, \
		"start of the run, with `--start-at` of its preparation, ISO 8601, UTC, in nanoseconds") \
	F(monotonic_start_ns, count, NEED, "ns", MIN, NONE, "start of the run on CLOCK_MONOTONIC") \
	F(monotonic_end_ns,   count, NEED, "ns", MAX, NONE, "end of the run on CLOCK_MONOTONIC") \
	F(start_at,      moment, OPT, "",   FIRST, NONE, "`--start-at`; absent without it") \
	F(start_late_ns, count,  OPT, "ns", MAX, NONE, \
		"time from `start_at` to the beginning of the measurement, on CLOCK_REALTIME; absent without `--start-at`") \
	R(host, host, 1, 1, "the machine, in the same place in every tool's report") \
	R(labels, labels, 1, 1, "") \
	L("monotonic_start_ns <= monotonic_end_ns")

#define SHARED_TOOL_SIGNATURE(F, R, G, L) \
	F(uuid, uuid, NEED, "", NONE, NONE, "random (version 4)") \
	F(interrupted, flag, OPT, "", ANY, NONE, "1 after SIGINT or SIGTERM, absent otherwise") \
	SHARED_SIGNATURE_ROWS(F, R, G, L)

/* --- the machine and its clock --- */

#define SHARED_TLB_ITEM(F, R, G, L) \
	F(index, count,      ATTR, "", SAME, NONE, "number of the descriptor") \
	F(id,    descriptor, ATTR, "", SAME, NONE, "*original*: CPUID's descriptor byte")

#define SHARED_TLB_INFO(F, R, G, L) \
	R(tlb_item, tlb_item, 0, MANY, "*original*: CPUID's descriptor bytes; absent in reports of this program")

#define SHARED_CACHE(F, R, G, L) \
	F(type,       CHOICE(DCACHE|ICACHE|CACHE), ATTR, "", SAME, NONE, "*original*: data, instructions or both") \
	F(instances,  count, ATTR_OPT, "", SAME, NONE, "number of these caches in the machine") \
	F(level,      count, NEED, "",      SAME, NONE, "*original*: level") \
	F(capacity,   count, NEED, "KiB",   SAME, NONE, "*original*: capacity") \
	F(sets,       count, OPT,  "",      SAME, NONE, "*original*: number of sets") \
	F(linesize,   count, OPT,  "bytes", SAME, NONE, "*original*: size of a line") \
	F(partitions, count, OPT,  "",      SAME, NONE, "*original*: physical line partitions") \
	F(ways,       count, OPT,  "",      SAME, NONE, "*original*: associativity")

#define SHARED_CACHE_INFO(F, R, G, L) \
	F(deterministic, flag, ATTR, "", SAME, NONE, "*original*: 1 if the caches are known") \
	R(cache, cache, 0, MANY, "one kind of cache")

#define SHARED_CALIBRATION(F, R, G, L) \
	F(when, CHOICE(start|end), ATTR, "", SAME, NONE, "time of the calibration; that at the `end` covers the whole run") \
	F(khz,             amount, NEED, "kHz", NONE, NONE, "frequency relative to CLOCK_MONOTONIC_RAW") \
	F(uncertainty_ppm, amount, NEED, "ppm", MAX,  NONE, "half the width of the frequency's bounds") \
	F(span_ns,         amount, NEED, "ns",  NONE, NONE, "duration")

#define SHARED_TIME_SOURCE(F, R, G, L) \
	F(method,      text, NEED, "", SAME, NONE, "instructions that read the clock") \
	F(clocksource, text, NEED, "", SAME, NONE, "clock source of the kernel") \
	R(calibration, calibration, 1, 2, "frequency of the time source") \
	F(drift_ppm,         amount, OPT,  "ppm", MAX, NONE, "difference of the two calibrations") \
	F(overhead_ns,       number, NEED, "ns", MAX, NONE, \
		"mean timer overhead of a read; included in every sample, never subtracted") \
	F(overhead_store_ns, number, NEED, "ns", MAX, NONE, "the same for a write") \
	F(granularity_ns,    amount, NEED, "ns", MAX, NONE, "greatest common divisor of the observed clock differences") \
	F(effective_step_ns, amount, OPT,  "ns", MAX, NONE, \
		"step of the clock: the period of the histogram of these differences. If a hypervisor scales a counter that " \
		"advances in steps, the divisor is one tick and the step is many") \
	F(is_invariant,    truth, NEED, "", SAME, NONE, "whether the rate is constant in every power state") \
	F(is_synchronised, truth, NEED, "", SAME, NONE, "whether the clock is the same on every CPU") \
	F(skew_ns, amount, NEED, "ns", MAX, NONE, "largest measured difference between CPUs") \
	F(distrust, text, OPT, "", SAME, NONE, "why the clock is not trusted; absent if it is")

#define SHARED_NUMA_NODE(F, R, G, L) \
	F(index,        count, ATTR, "",      SAME, NONE, "number of the node") \
	F(memory_bytes, count, NEED, "bytes", SAME, NONE, "memory of the node") \
	F(cpus,         text,  NEED, "",      SAME, NONE, "list of CPUs such as `0-3,8`; empty for a node with memory only")

#define SHARED_NUMA(F, R, G, L) \
	R(numa_node, numa_node, 0, MANY, "")

#define SHARED_SWAP_AREA(F, R, G, L) \
	F(path,       text,  NEED, "", SAME, NONE, "file or device, as the kernel names it") \
	F(swap_type,  text,  NEED, "", SAME, NONE, "`partition` or `file`") \
	F(backing,    text,  NEED, "", SAME, NONE, "`zram`, `loop`, `disk`, `file`, `other`") \
	F(algorithm,  text,  OPT,  "", SAME, NONE, "zram's compressor") \
	F(size_bytes, count, NEED, "bytes", SAME, NONE, "size of the area") \
	F(used_bytes, count, NEED, "bytes", FIRST, NONE, "used bytes") \
	F(priority, integer, NEED, "", SAME, NONE, "priority; the area with the highest is used first")

#define SHARED_SWAP(F, R, G, L) \
	R(swap_area, swap_area, 0, MANY, "active swap areas, including the run's own `--swap`")

#define SHARED_SETTINGS(F, R, G, L) \
	R(setting, named_text, 0, MANY, \
		"kernel settings as the kernel prints them: `vm.swappiness`, `thp.enabled`, `queue.scheduler`, …")

#define SHARED_CGROUP(F, R, G, L) \
	F(version,     count, ATTR, "",      SAME, NONE, "version of the run's memory cgroup (its own with `--ram`): 1 or 2") \
	F(cgroup_dir,  text,  NEED, "",      SAME, NONE, "folder of the cgroup") \
	F(limit_bytes, count, OPT,  "bytes", SAME, NONE, "memory limit; absent if there is none")

#define SHARED_MACHINE_INFO(F, R, G, L) \
	F(modelname, text,  NEED, "",    SAME, NONE, "*original*: name of the CPU, `unsupported` if unknown") \
	F(freq_khz,  count, OPT,  "kHz", FIRST, NONE, \
		"*original*: ticks of the time source per millisecond at the start, rounded; the unit of every `_clk`") \
	R(tlb_info,   tlb_info,   1, 1, "") \
	R(cache_info, cache_info, 1, 1, "") \
	G(OPTIONAL) \
	R(time_source, time_source, 0, 1, "only of tools that use the CPU's own counter") \
	F(vendor,           text,  NEED, "", SAME, NONE, "maker of the CPU") \
	F(hypervisor,       text,  NEED, "", SAME, NONE, "name of the hypervisor; empty on bare metal") \
	F(cores,            count, OPT,  "", SAME, NONE, "cores of the machine") \
	F(hardware_threads, count, OPT,  "", SAME, NONE, "logical CPUs") \
	F(page_bytes,       count, NEED, "bytes", SAME, NONE, "size of a page") \
	F(memory_bytes,     count, OPT,  "bytes", SAME, NONE, "RAM") \
	F(available_bytes,  count, OPT,  "bytes", NONE, NONE, \
		"MemAvailable at the start of the window, as all of `machine_info`") \
	R(numa,     numa,     1, 1, "") \
	R(swap,     swap,     1, 1, "") \
	R(settings, settings, 1, 1, "") \
	R(cgroup,   cgroup,   0, 1, "") \
	G(END)

/* --- conditions that may disturb the run; the verdict --- */

#define SHARED_CHECK(F, R, G, L) \
	F(code,     code, ATTR, "", SAME, NONE, "code of the finding, see the table") \
	F(finding,  text, OPT,  "", SAME, NONE, "the finding, as in the table") \
	F(measured, text, NEED, "", NONE, NONE, "the measured value") \
	F(advice,   text, NEED, "", SAME, NONE, "the remedy")

#define SHARED_CGROUP_LIMIT(F, R, G, L) \
	F(name,       text, ATTR,     "", SAME, NONE, \
		"kernel name of the limit: `cpu.max`, `io.max`, `blkio.throttle.write_bps_device`") \
	F(cgroup_dir, text, ATTR,     "", SAME, NONE, "folder of the cgroup that has it") \
	F(device,     text, ATTR_OPT, "", SAME, NONE, "kernel name of the disk, if the limit is of one disk") \
	F(value,      text, BODY,     "", SAME, NONE, "value, as the kernel prints it; of a CPU quota with its period, in µs")

#define SHARED_DISK_TRAFFIC(F, R, G, L) \
	F(disks,         text,  ATTR, "",      SAME, NONE, "kernel names of the disks that the run used") \
	F(moved_bytes,   count, NEED, "bytes", SUM,  NONE, "bytes that the disks read and wrote while the run measured") \
	F(own_bytes,     count, NEED, "bytes", SUM,  NONE, \
		"bytes that the run caused, as counted by the kernel, also those written later") \
	F(foreign_bytes, count, NEED, "bytes", SUM,  NONE, \
		"lower bound of the bytes moved for other programs: what the run does not explain, neither by its own bytes, by " \
		"those of before that were still dirty, nor by its file system's metadata")

#define SHARED_ENVIRONMENT(F, R, G, L) \
	R(check, check, 0, MANY, "a disturbing condition") \
	R(limit, cgroup_limit, 0, MANY, "a limit of the run's cgroups, from its own upwards, on CPU time or on I/O to its disks") \
	R(traffic, disk_traffic, 0, 1, "traffic of the disks that the run used; absent if it is not counted")

#define SHARED_VERDICT(F, R, G, L) \
	F(status, CHOICE(ok|interrupted|untrustworthy), ATTR, "", NONE, NONE, "whether the result is trustworthy") \
	R(reason, coded_text, 0, MANY, "each reason why the result is untrustworthy")

/* --- latencies --- */

#define SHARED_SUMMARY(F, R, G, L) \
	F(count, count, NEED, "", SUM, NONE, "samples") \
	G(OPTIONAL) \
	F(min_ns,    amount, NEED, "ns", MIN,         LOWER, "smallest latency") \
	F(mean_ns,   number, NEED, "ns", MEAN(count), LOWER, "exact mean") \
	F(stddev_ns, amount, OPT,  "ns", NONE,        LOWER, \
		"exact standard deviation; absent if rounding makes it meaningless") \
	F(p50_ns,    amount, OPT, "ns", NONE, LOWER, \
		"median, interpolated inside a bucket like all percentiles; a percentile is absent where its bucket, the one " \
		"below 256 ns without `--hdr`, tells no more than that bound") \
	F(p90_ns,    amount, OPT, "ns", NONE, LOWER, "90th percentile") \
	F(p95_ns,    amount, OPT, "ns", NONE, LOWER, "95th percentile") \
	F(p99_ns,    amount, OPT, "ns", NONE, LOWER, "99th percentile") \
	F(p999_ns,   amount, OPT, "ns", NONE, LOWER, "99.9th percentile") \
	F(p9999_ns,  amount, OPT, "ns", NONE, LOWER, "99.99th percentile") \
	F(max_ns,    amount, NEED, "ns", MAX,  LOWER, "largest latency") \
	G(END) \
	L("min_ns <= p50_ns <= p90_ns <= p95_ns <= p99_ns <= p999_ns <= p9999_ns <= max_ns") \
	L("min_ns <= mean_ns <= max_ns") \
	L("0.5 * p50_ns <= mean_ns") \
	L("0.1 * p90_ns <= mean_ns") \
	L("0.05 * p95_ns <= mean_ns") \
	L("0.01 * p99_ns <= mean_ns") \
	L("0.001 * p999_ns <= mean_ns") \
	L("0.0001 * p9999_ns <= mean_ns")

#define SHARED_BUCKET(F, R, G, L) \
	F(lo,    count, ATTR,     "ns", SAME, NONE, "lower edge, inclusive") \
	F(hi,    count, ATTR_OPT, "ns", SAME, NONE, "upper edge, exclusive; absent for the last bucket of a layout") \
	F(count, count, ATTR,     "",   SUM,  NONE, "samples; empty buckets are omitted")

#define SHARED_LATENCY_HISTOGRAM(F, R, G, L) \
	F(type,   text, ATTR, "", SAME, NONE, "the operation that was timed") \
	F(class,  text, ATTR, "", SAME, NONE, "class of accesses, cell or stream") \
	F(layout, CHOICE(log16|hdr), ATTR, "", SAME, NONE, "bucket layout") \
	F(unit,   CHOICE(ns),        ATTR, "", SAME, NONE, "") \
	R(summary, summary, 0, 1, "") \
	R(bucket,  bucket,  0, MANY, "") \
	L("summary/count = bucket/count")

/* --- the kernel's counters --- */

#define SHARED_COUNTER(F, R, G, L) \
	F(name,  text,  ATTR, "", SAME, NONE, \
		"name, starting with its source: `meminfo.` (bytes), `vmstat.` (in the kernel's units), `psi.` (µs in " \
		"`total`), `cgroup.`, `stat.` (ticks of USER_HZ), `interrupts.`, `disk.` and `block.` (of the device)") \
	F(value, whole, ATTR, "", SUM,  NONE, "value or difference")

#define SHARED_COUNTERS(F, R, G, L) \
	F(unlisted, CHOICE(unchanged), ATTR_OPT, "", SAME, NONE, "counters that are not listed did not change") \
	F(left_out, count, ATTR_OPT, "", SUM, NONE, "number of omitted counters") \
	R(counter, counter, 0, MANY, "")

/* --- storage --- */

#define SHARED_STORAGE_LAYER(F, R, G, L) \
	F(device,        text, ATTR, "", SAME, NONE, "kernel name of a disk below the target") \
	F(device_model,  text, OPT,  "", SAME, NONE, "model name of the device") \
	F(firmware,      text, OPT,  "", SAME, NONE, "firmware version") \
	F(write_cache,   text, OPT,  "", SAME, NONE, \
		"`write back` (volatile) or `write through`, as declared by the device or set by the administrator") \
	F(fua,           text, OPT,  "", SAME, NONE, "whether the device supports FUA writes") \
	F(mount_options, text, OPT,  "", SAME, NONE, \
		"mount options of the file system on this disk that holds the target or the file of the layer above")

#define SHARED_STORAGE(F, R, G, L) \
	F(path,        text, NEED, "", SAME, NONE, "target as given") \
	F(kind,        text, NEED, "", SAME, NONE, "`nameless` (an unnamed file in this folder), `file`, `device`, `simulated`") \
	F(file_system, text, NEED, "", SAME, NONE, "`ext4`, `tmpfs`, …, `none` for a device") \
	F(device,      text, NEED, "", SAME, NONE, "kernel name of the device, empty if there is none") \
	F(memory_align_bytes, count, OPT, "bytes", SAME, NONE, \
		"memory alignment for O_DIRECT; absent if O_DIRECT does not bypass the page cache") \
	F(offset_align_bytes, count, OPT, "bytes", SAME, NONE, \
		"offset alignment for O_DIRECT; absent if O_DIRECT does not bypass the page cache") \
	F(fs_block_bytes,     count, NEED, "bytes", SAME, NONE, \
		"block size of the file system; writing part of a block may require a read") \
	R(settings, settings, 1, 1, "`queue.scheduler`, `queue.wbt_lat_usec`, `bdi.max_ratio`, …, as the kernel prints them") \
	R(layer, storage_layer, 0, MANY, \
		"disks below the target, from top to bottom: the disk of a partition, the device below a loop device's file, " \
		"the members of a stacked device. Absent if the kernel does not report them")

#define SHARED_DEVICE_FLUSHES(F, R, G, L) \
	F(device, text,  ATTR, "", SAME, NONE, "kernel name of the device") \
	F(count,  count, ATTR, "", SUM,  NONE, \
		"cache flushes that the device completed during the measurement, for all processes")

#define SHARED_OBJECTIVE(F, R, G, L) \
	F(text,       text,   ATTR, "",   SAME, NONE, "objective as given") \
	F(limit_ns,   amount, NEED, "ns", SAME, NONE,  "the limit") \
	F(reached_ns, amount, OPT,  "ns", MAX, LOWER, "measured value; absent if nothing was measured") \
	F(is_met,     truth,  NEED, "",   MIN,  NONE,  "whether it is at most the limit; false if it is undecided") \
	F(undecided,  text,   OPT,  "",   NONE, NONE, \
		"why it is neither met nor missed: what was synced is not durable, or that is unknown, or a run had nothing to " \
		"measure")

#define SHARED_DURABILITY_CHECK(F, R, G, L) \
	F(cell_id, text, ATTR_OPT, "", SAME, NONE, "the cell; absent within a cell") \
	F(stream,  text, ATTR_OPT, "", SAME, NONE, "the stream, if each stream has its own target") \
	F(status,  text, NEED, "", SAME, NONE, "see the table") \
	F(finding, text, NEED, "", NONE, NONE, "the finding as text") \
	F(acknowledged_syncs, count, NEED, "", SUM, NONE, "acknowledged syncs") \
	F(outstanding,        count, NEED, "", MAX, NONE, "largest number of syncs that can wait at the same time") \
	F(examined_syncs,  count, OPT, "", SUM, NONE, \
		"syncs before and after which the flush counter of the lowest device was read, the warm-up " \
		"included; absent if none") \
	F(unflushed_syncs, count, OPT, "", SUM, NONE, \
		"of these, syncs that were acknowledged although the device had completed no flush since they began") \
	R(flushes, device_flushes, 0, MANY, "flushes of a device below the target")

#define SHARED_MONOTONIC_CLOCK(F, R, G, L) \
	F(method,         text,   NEED, "",   SAME, NONE, "`CLOCK_MONOTONIC`") \
	F(overhead_ns,    number, NEED, "ns", MAX,  NONE, "timer overhead, included once in every value") \
	F(granularity_ns, amount, NEED, "ns", MAX,  NONE, "step of the clock")

/* --- merged reports: parts and omissions --- */

#define MERGED_FACTS(F, R, G, L) \
	R(fact, named_text, 0, MANY, \
		"facts of its machine that affect numbers, and each setting; of later parts than part 0 those that differ from " \
		"part 0's")

#define MERGED_PART(F, R, G, L) \
	F(index, count, ATTR, "", NONE, NONE, "number of the part, from 0") \
	F(file,  text,  NEED, "", NONE, NONE, "name of its file when it was merged") \
	F(uuid,           uuid, NEED, "", NONE, NONE, "as in its own report") \
	F(tool_version,   text, NEED, "", NONE, NONE, "as in its own report") \
	F(report_version, text, NEED, "", NONE, NONE, "as in its own report") \
	F(seed,           bits, OPT,  "", NONE, NONE, "as in its own report") \
	G(OPTIONAL) \
	F(wall_start,         moment, NEED, "",   NONE, NONE, "as in its own report") \
	F(monotonic_start_ns, count,  NEED, "ns", NONE, NONE, "as in its own report") \
	F(monotonic_end_ns,   count,  NEED, "ns", NONE, NONE, "as in its own report") \
	G(END) \
	F(start_at,      moment, OPT, "",   NONE, NONE, "as in its own report") \
	F(start_late_ns, count,  OPT, "ns", NONE, NONE, "as in its own report") \
	F(clock_offset_ns, integer, OPT, "ns", NONE, NONE, \
		"of `memstor mpi`: what `CLOCK_REALTIME` of its host shows more than that of rank 0") \
	F(clock_bound_ns,  count,   OPT, "ns", NONE, NONE, "error bound of `clock_offset_ns`") \
	R(host,        host,        1, 1, "as in its own report") \
	R(options,     options,     1, 1, \
		"as in its own report; of later parts than part 0 those whose values differ from part 0's, and `interval`, " \
		"`label`, `quiet` and `seed`") \
	R(labels,      labels,      1, 1, "as in its own report") \
	R(facts,       merged_facts,    1, 1, "") \
	R(environment, environment, 1, 1, "as in its own report") \
	F(first_thread, count, OPT, "", NONE, NONE, "first of its `result_thread`s; the others follow") \
	F(threads,      count, OPT, "", NONE, NONE, "number of threads") \
	F(accesses,     count, OPT, "", NONE, NONE, "its total") \
	F(run_s,               amount, OPT, "s",  NONE, NONE, "its total") \
	F(accesses_per_second, amount, OPT, "/s", NONE, NONE, "its total") \
	F(faults_per_second,   amount, OPT, "/s", NONE, NONE, "its total") \
	R(latency_histogram, latency_histogram, 0, MANY, "the `summary` of all its reads and of its writes, without buckets") \
	R(verdict,    verdict,    1, 1, "as in its own report") \
	R(difference, named_text, 0, MANY, \
		"how the part differs from part 0: an option (`--mapsize`), a fact, `tool_version`; the text is this part's " \
		"value, empty if it has none")

#define MERGED_PARTS(F, R, G, L) \
	F(merged_by, text, NEED, "", NONE, NONE, "the program and its version") \
	F(overlap_percent, amount, OPT, "%", NONE, NONE, \
		"time in which all parts ran, in percent of the time in which any ran. Parts of one boot are compared by " \
		"CLOCK_MONOTONIC, others by the wall clock; absent if a part has no times") \
	R(part,     merged_part,    1, MANY, "") \
	R(omission, named_text, 0, MANY, "an omitted element, and the reason")

#define SHARED_RECORDS(RECORD) \
	RECORD(text_item,         SHARED_TEXT_ITEM,         PLAIN,     "", "", "") \
	RECORD(named_text,        SHARED_NAMED_TEXT,        PAIR,      "", "name", "") \
	RECORD(coded_text,        SHARED_CODED_TEXT,        FINDING,   "", "code", "") \
	RECORD(command,           SHARED_COMMAND,           PLAIN,     "", "", "") \
	RECORD(options,           SHARED_OPTIONS,           PLAIN,     "", "", "") \
	RECORD(labels,            SHARED_LABELS,            PLAIN,     "", "", "") \
	RECORD(host,              SHARED_HOST,              PLAIN,     "", "", "") \
	RECORD(tool_signature,    SHARED_TOOL_SIGNATURE,    PLAIN,     "", "", "") \
	RECORD(tlb_item,          SHARED_TLB_ITEM,          PLAIN,     "", "index", "") \
	RECORD(tlb_info,          SHARED_TLB_INFO,          PLAIN,     "", "", "") \
	RECORD(cache,             SHARED_CACHE,             PLAIN,     "", "type,level", "") \
	RECORD(cache_info,        SHARED_CACHE_INFO,        PLAIN,     "", "", "") \
	RECORD(calibration,       SHARED_CALIBRATION,       PLAIN,     "", "when", "") \
	RECORD(time_source,       SHARED_TIME_SOURCE,       PLAIN,     "", "", "") \
	RECORD(numa_node,         SHARED_NUMA_NODE,         PLAIN,     "", "index", "") \
	RECORD(numa,              SHARED_NUMA,              PLAIN,     "", "", "") \
	RECORD(swap_area,         SHARED_SWAP_AREA,         PLAIN,     "", "path", "") \
	RECORD(swap,              SHARED_SWAP,              PLAIN,     "", "", "") \
	RECORD(settings,          SHARED_SETTINGS,          PLAIN,     "", "", "") \
	RECORD(cgroup,            SHARED_CGROUP,            PLAIN,     "", "", "") \
	RECORD(machine_info,      SHARED_MACHINE_INFO,      PLAIN,     "", "", "the machine and its clock") \
	RECORD(check,             SHARED_CHECK,             FINDING,   "", "code", "") \
	RECORD(cgroup_limit,      SHARED_CGROUP_LIMIT,      PLAIN,     "", "name,cgroup_dir", "") \
	RECORD(disk_traffic,      SHARED_DISK_TRAFFIC,      PLAIN,     "", "disks", "") \
	RECORD(environment,       SHARED_ENVIRONMENT,       PLAIN,     "", "", "conditions that may disturb the run") \
	RECORD(verdict,           SHARED_VERDICT,           PLAIN,     "", "", "whether the result is trustworthy") \
	RECORD(summary,           SHARED_SUMMARY,           SUMMARY,   "", "", "a latency") \
	RECORD(bucket,            SHARED_BUCKET,            BUCKET,    "", "lo", "") \
	RECORD(latency_histogram, SHARED_LATENCY_HISTOGRAM, HISTOGRAM, "class", "type,layout", "") \
	RECORD(counter,           SHARED_COUNTER,           COUNTER,   "", "name", "") \
	RECORD(counters,          SHARED_COUNTERS,          COUNTERS,  "", "", "") \
	RECORD(storage_layer,     SHARED_STORAGE_LAYER,     PLAIN,     "", "device", "") \
	RECORD(storage,           SHARED_STORAGE,           PLAIN,     "", "", "the target") \
	RECORD(device_flushes,    SHARED_DEVICE_FLUSHES,    PLAIN,     "", "device", "") \
	RECORD(durability_check,  SHARED_DURABILITY_CHECK,  PLAIN,     "cell_id", "stream", "") \
	RECORD(objective,         SHARED_OBJECTIVE,         PLAIN,     "", "text", "") \
	RECORD(monotonic_clock,   SHARED_MONOTONIC_CLOCK,   PLAIN,     "", "", "") \
	RECORD(merged_facts,      MERGED_FACTS,      PLAIN,     "", "", "") \
	RECORD(merged_part,       MERGED_PART,       PLAIN,     "", "index", "a run of a merged report") \
	RECORD(merged_parts,      MERGED_PARTS,      PLAIN,     "", "", "")

FIELD_STRUCTS(SHARED_RECORDS)

#endif
