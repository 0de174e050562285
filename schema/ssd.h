/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of ssd-workloads' reports: docs/report-ssd.md. */
#ifndef SCHEMA_SSD_H
#define SCHEMA_SSD_H

#include "schema/shared.h"

/* --- the planned workload --- */

#define SSD_STREAM_PLAN(F, R, G, L) \
	F(stream,      text,  ATTR, "",      SAME, NONE, "`log` or `checkpoint`") \
	F(depth,       count, NEED, "",      SAME, NONE, "writes outstanding") \
	F(workers,     count, NEED, "",      SAME, NONE, "threads that share the depth and the area") \
	F(block_bytes, count, NEED, "bytes", SAME, NONE, "size of a write") \
	F(begin_bytes, count, NEED, "bytes", SAME, NONE, "offset of the area in the stream's target, or in both") \
	F(area_bytes,  count, NEED, "bytes", SAME, NONE, "size of the area") \
	F(pause_ns,    count, NEED, "ns",    SAME, NONE, "pause between two writes of a worker") \
	F(every_ns,    count, OPT,  "ns",    SAME, NONE, \
		"with `--ckpt-every`: time from the start of a pass to the start of the next") \
	F(completion_target, amount, OPT, "", SAME, NONE, "share of that time over which the writes of a pass are spread") \
	F(path,        text,  OPT,  "",      SAME, NONE, \
		"with `--log-target` or `--ckpt-target`: target of this stream. `storage`, `counters` and each " \
		"`durability_check` without `stream` then refer to the log's (first) target") \
	F(second_path, text,  OPT,  "",      SAME, NONE, \
		"with `--log-target`: target of every second block of the log; `begin_bytes` is the same in both") \
	R(layer, storage_layer, 0, MANY, "with `path`: disks below that target, as in `storage`") \
	R(second_layer, storage_layer, 0, MANY, "with `second_path`: disks below that target")

#define SSD_WORKLOAD(F, R, G, L) \
	F(mix,        text, NEED, "", SAME, NONE, \
		"name of the mix; a mix changed by options has a name such as `64x16k-8x128k`") \
	F(method,     text, NEED, "", SAME, NONE, "the method that the mix models") \
	F(durability, text, NEED, "", SAME, NONE, "durability of the log: `none`, `dsync`, `fdatasync`") \
	F(checkpoint_sync,  text, OPT, "", SAME, NONE, \
		"`pass`: each pass of the checkpoint ends with a sync, for which the next pass waits; or `none`") \
	F(checkpoint_order, text, OPT, "", SAME, NONE, \
		"`random`: each pass writes every block of the area once, in random order; a pattern: each write goes to a " \
		"block drawn by it; absent: sequential") \
	F(checkpoint_io,    text, OPT, "", SAME, NONE, \
		"`buffered`: the checkpoint is written through the page cache, and the response of a write ends when the page " \
		"cache has the data; absent: direct") \
	F(flush_after_bytes, count, OPT, "bytes", SAME, NONE, \
		"bytes of a buffered checkpoint after which sync_file_range(2) starts write-back") \
	F(group_commit,    count, NEED, "", SAME, NONE, "commits per log write") \
	F(rate_per_second, count, OPT,  "/s", SAME, NONE, "arrival rate of commits; absent in a closed loop") \
	F(warmup_ns,       count, NEED, "ns", SAME, NONE, "time before the measurement") \
	F(runtime_ns,      count, NEED, "ns", SAME, NONE, "requested length of the measurement") \
	R(stream_plan, ssd_stream_plan, 1, MANY, "")

#define SSD_ATTEMPT(F, R, G, L) \
	F(name,    text, ATTR, "", SAME, NONE, "an engine that was tried: `uring`, `threads` or `simulated`") \
	F(failure, text, OPT,  "", NONE, NONE, "why it is not available; absent for the engine that was used")

#define SSD_ENGINE(F, R, G, L) \
	F(used,     text, NEED, "", SAME, NONE, "`uring`, `threads` or `simulated`") \
	F(features, text, NEED, "", SAME, NONE, \
		"features of the engine that are used: `log-threads:1` is the number of writing threads of a stream") \
	R(attempt, ssd_attempt, 1, MANY, "")

#define SSD_PREPARED(F, R, G, L) \
	F(bytes,   count,  NEED, "bytes", SUM, NONE, "bytes written before the run, so that no write hits an unwritten extent") \
	F(seconds, amount, NEED, "s",     SUM, NONE, "time that this took")

#define SSD_IO_ERROR(F, R, G, L) \
	F(error, text,  ATTR, "", SAME, NONE, "name of the errno") \
	F(count, count, ATTR, "", SUM, LOWER, "number of failed writes") \
	F(place, text,  ATTR_OPT, "", SAME, NONE, \
		"`preparing` or `trial` for writes before the first repetition; there is then no repetition")

/* --- the measurements --- */

#define SSD_STEADY(F, R, G, L) \
	F(is_steady, truth, OPT, "", NONE, NONE, \
		"SNIA's rule over the last five intervals: every value is within 10 % of their mean, and the fitted line " \
		"changes by at most 10 % of it; absent with fewer intervals") \
	F(mean_per_second, amount, OPT, "/s", NONE, NONE, "mean writes per second in these intervals") \
	F(range_percent,   amount, OPT, "%",  NONE, NONE, "largest deviation from the mean") \
	F(slope_percent,   number, OPT, "%",  NONE, NONE, "change of the fitted line")

#define SSD_STREAM_RESULT(F, R, G, L) \
	F(stream,     text,  ATTR, "",      SAME, NONE, "`log` or `checkpoint`") \
	F(operations, count, NEED, "",      SUM,  NONE, "complete writes that began within the measurement") \
	F(bytes,      count, NEED, "bytes", SUM,  NONE, "bytes of these writes") \
	F(operations_per_second, amount, OPT, "/s",      PER(operations), HIGHER, "writes per second") \
	F(bytes_per_second,      amount, OPT, "bytes/s", PER(bytes), HIGHER, "bytes per second") \
	F(commits_per_second,    amount, OPT, "/s",      RATE, HIGHER, \
		"commits of a durable log, over the same seconds as its writes") \
	F(cpu_ns_per_operation, amount, OPT, "ns", MEAN(operations), LOWER, \
		"user and system time of the stream's threads and of the kernel threads that work for them: io_uring's " \
		"workers, which sync, and the polling thread of `--sqpoll`. Kernel work for all processes, such as completing " \
		"requests, is not included") \
	F(depth_achieved, amount, OPT, "", MEAN(operations), NONE, \
		"mean number of writes of the stream in flight at a submission, including all that were submitted together") \
	F(operations_per_batch, amount, OPT, "", PER(operations), NONE, "writes per submitting call") \
	F(passes,       count, NEED, "", SUM, NONE, "passes over the area that began") \
	F(passes_before, amount, OPT, "", NONE, NONE, \
		"on a simulated device: passes of the stream before the measurement, of its worker with the fewest") \
	F(short_writes, count, NEED, "", SUM, LOWER, "writes that the kernel completed in several pieces") \
	F(failed,       count, NEED, "", SUM, LOWER, "writes that failed") \
	R(io_error,  ssd_io_error, 0, MANY, "") \
	R(response,  summary, 1, 1, "time from the moment a write could start until its completion was observed") \
	R(service,   summary, 1, 1, "time from the submitting call until its completion was observed") \
	R(commit,    summary, 0, 1, "time from the arrival of a commit until its log write is durable") \
	R(pass_sync, summary, 0, 1, \
		"time of the `fdatasync` after each pass of the checkpoint; absent without `checkpoint_sync`, or if no pass " \
		"was completed. No write of the stream is outstanding during it, which `depth_achieved`, a mean over writes, " \
		"does not reflect") \
	R(pass_late, summary, 0, 1, \
		"time from when each checkpoint was due, `every_ns` after the beginning of the one before, to its first write; " \
		"absent without `every_ns`, or if no further checkpoint began") \
	R(steady, ssd_steady, 1, 1, "") \
	L("operations * ../../workload/stream_plan/block_bytes = bytes") \
	L("bytes / bytes_per_second = operations / operations_per_second") \
	L("operations / operations_per_second <= ../seconds") \
	L("response/count = operations") \
	L("service/count = operations") \
	L("#response = $operations") \
	L("#service = $operations") \
	L("%operations <= $operations") \
	L("!../../../parts -> count(../../workload/stream_plan) = 1") \
	L("depth_achieved <= ../../workload/stream_plan/depth") \
	L("io_error/count? = failed")

#define SSD_PARAMETER(F, R, G, L) \
	F(key,   text, ATTR, "", SAME, NONE, "a parameter of the simulated device: a key of `--sim`") \
	F(setting, text, ATTR, "", SAME, NONE, "value of the parameter; times in ns")

#define SSD_SIMULATION(F, R, G, L) \
	F(preset,         text,  NEED, "", SAME, NONE, "`small`, `full` or `mqsim-like`") \
	F(exported_bytes, count, NEED, "bytes", SAME, NONE, "capacity that the device exports") \
	R(parameter, ssd_parameter, 1, MANY, "all parameters, including those changed by options")

#define SSD_POLICY(F, R, G, L) \
	F(name,      text,  ATTR, "",  SAME, NONE, "name of the policy as in `--policy`, with its parameters and its condition") \
	F(activated, count, NEED, "",  SUM,  NONE, "number of times its condition activated it in the measurement") \
	F(active_s,  amount, NEED, "s", SUM, NONE, "time for which it was active in the measurement, until the last completion")

#define SSD_HANDLE(F, R, G, L) \
	F(data,          text,  ATTR, "", SAME, NONE, \
		"area of the pages: `log`, `checkpoint`, or `rest` for pages in neither. With a placement policy each has its " \
		"own handle") \
	F(host_programs, count, NEED, "", SUM, NONE, "pages of this area written to the flash for the host") \
	F(copies,        count, NEED, "", SUM, NONE, "valid pages of this area that garbage collection copied") \
	F(write_amplification, amount, OPT, "", NONE, LOWER, "(host_programs + copies) / host_programs")

#define SSD_DEVICE(F, R, G, L) \
	F(target, text, ATTR_OPT, "", SAME, NONE, \
		"of several simulated devices: `log` or `checkpoint` for that of `--log-target` or `--ckpt-target`; absent for " \
		"that of `--target`") \
	F(fill_pages, count, NEED, "", SUM, NONE, \
		"pages written before the measurement as preconditioning, without the warm-up") \
	F(fill_amplification, amount, OPT, "", NONE, LOWER, \
		"write amplification in the last tenth of the preconditioning; absent without it") \
	F(fill_is_steady, truth, OPT, "", NONE, NONE, \
		"whether the amplification was steady over the last five tenths, by the rule of `steady`, and the " \
		"exported capacity was written once and the area of each stream twice before the measurement; absent " \
		"without preconditioning") \
	F(slices,        count, NEED, "", SUM, NONE, "pages of commands that the firmware handled in the measurement") \
	F(hits,          count, NEED, "", SUM, NONE, "slices found in the buffer") \
	F(partial_pages, count, NEED, "", SUM, NONE, \
		"slices that cover part of a page, which requires a read unless it is a hit") \
	F(host_programs, count, NEED, "", SUM, NONE, "pages written to the flash for the host") \
	F(copies,        count, NEED, "", SUM, NONE, "valid pages that garbage collection copied") \
	F(collections,   count, NEED, "", SUM, NONE, "blocks that were collected and erased") \
	F(write_amplification, amount, OPT, "", NONE, LOWER, "(host_programs + copies) / host_programs") \
	F(bus_busy_percent,  amount, OPT, "%", NONE, NONE, \
		"share of the time in which a bus transferred data, mean of the channels") \
	F(ways_busy_percent, amount, OPT, "%", NONE, NONE, "share of the time in which a way was busy, mean of the ways") \
	R(policy, ssd_policy, 0, MANY, "the policies of `--policy`") \
	R(handle, ssd_handle, 0, MANY, "with `--policy`: write amplification of each stream's pages") \
	L("hits <= slices") \
	L("partial_pages <= slices") \
	L("handle/host_programs = host_programs") \
	L("handle/copies = copies")

#define SSD_REPETITION(F, R, G, L) \
	F(index,   count,  ATTR, "",  NUMBER, NONE, "number of the repetition, from 0") \
	F(cell_id, text,   ATTR, "",  SAME, NONE, \
		"streams that ran together: `mix`; with `--baselines` also `log-alone`, `checkpoint-alone`") \
	F(seconds, amount, NEED, "s", TIME, NONE, "length of the measurement") \
	F(process_cpu_ns, amount, OPT, "ns", SUM, NONE, \
		"CPU time of the whole process, including the kernel threads that do its I/O; absent for a simulated device") \
	F(other_cpu_ns, amount, OPT, "ns", SUM, NONE, \
		"CPU time of the process that is in no `cpu_ns_per_operation`, except the thread that only waits: of kernel " \
		"threads that ended before they were read or that cannot be attributed to a stream (in a PID namespace), and " \
		"of the thread that reads the kernel's trace") \
	F(failure, text, OPT, "", ANY, NONE, "the error that ended it early") \
	R(stream_result, ssd_stream_result, 1, MANY, "") \
	R(counters, counters, 0, 1, "differences over the measurement: `disk.*` of /sys/block/X/stat, `psi.*`") \
	R(second_counters, counters, 0, 1, "the same of the log's second target (`--log-target`)") \
	R(device, ssd_device, 0, MANY, "of each simulated device")

#define SSD_INTERFERENCE(F, R, G, L) \
	F(stream,    text, ATTR, "", SAME, NONE, "`log` or `checkpoint`") \
	F(statistic, text, ATTR, "", SAME, NONE, \
		"`mean`, `p50`, `p99`, `p99.9` of the response; for a durable log also `commit.mean`, `commit.p50`, " \
		"`commit.p99`, `commit.p99.9`; `throughput` in writes per second") \
	F(value, amount, NEED, "", NONE, LOWER, \
		"cost with the other stream divided by the cost alone: the ratio of the medians over the repetitions. For " \
		"`throughput` a value below 1 is a loss: in a closed loop a stream that waits longer writes less, in an open " \
		"loop the rate is fixed") \
	F(low,  amount, OPT, "", NONE, NONE, "lower end of the 95 % interval; absent with one repetition") \
	F(high, amount, OPT, "", NONE, NONE, "upper end of the interval") \
	G(CHOICE) \
	F(alone_ns, amount, NEED, "ns", NONE, LOWER, "the time alone") \
	F(mix_ns,   amount, NEED, "ns", NONE, LOWER, "the time in the mix") \
	G(OR) \
	F(alone_per_second, amount, NEED, "/s", NONE, HIGHER, "for `throughput`: writes per second alone") \
	F(mix_per_second,   amount, NEED, "/s", NONE, HIGHER, "for `throughput`: writes per second in the mix") \
	G(END) \
	L("value = mix_ns / alone_ns") \
	L("value = mix_per_second / alone_per_second") \
	L("low <= high")

#define SSD_BASELINES(F, R, G, L) \
	F(runs, count, NEED, "", NONE, NONE, "repetitions of each cell") \
	R(interference, ssd_interference, 0, MANY, "")

#define SSD_COUNTERFACTUAL(F, R, G, L) \
	F(stream, text, ATTR, "", SAME, NONE, "`log` or `checkpoint`") \
	F(cause,  text, NEED, "", SAME, NONE, "cause that `--without` removes: `other`, `gc` or `erase`") \
	F(mean_ns,    amount, NEED, "ns", NONE, LOWER, "mean response in the last repetition of the mix") \
	F(without_ns, amount, NEED, "ns", NONE, LOWER, "mean response with the same seed and without the cause") \
	F(difference_ns, number, NEED, "ns", NONE, NONE, "cost of the cause") \
	F(attributed_ns, amount, OPT,  "ns", NONE, NONE, \
		"part of `mean_ns` that `analyze attribution` assigns to the cause. It is not equal to the difference, because " \
		"without the cause writes wait for something else; absent if the records do not contain it") \
	F(writes,            count, OPT, "", NONE, NONE, "number of writes in `mean_ns`") \
	F(attributed_writes, count, OPT, "", NONE, NONE, \
		"the last of these writes, whose records are kept; `attributed_ns` is computed from them. If there are fewer " \
		"than `writes`, increase `cache` of `--sim`") \
	L("attributed_writes <= writes") \
	L("difference_ns = mean_ns - without_ns")

#define SSD_STREAM_SPLIT(F, R, G, L) \
	F(stream,      text,   ATTR, "",   SAME, NONE,  "`log` or `checkpoint`") \
	F(batching_ns, amount, OPT,  "ns", NONE, LOWER, "time until its batch was complete") \
	F(submit_ns,   amount, OPT,  "ns", NONE, LOWER, "time until the kernel queued its request") \
	F(queue_ns,    amount, NEED, "ns", NONE, LOWER, \
		"time in the kernel's queue; without events the time from the start of the write to its submission") \
	F(device_ns,   amount, NEED, "ns", NONE, LOWER, \
		"time in the device; without events the rest of the time, \"device or below\" in the text") \
	F(flush_ns,    amount, OPT,  "ns", NONE, LOWER, \
		"time in which the device flushed its cache, with `--durability=dsync` when the data were written; what lies " \
		"before the flush is in `submit_ns` and `queue_ns`. A report before this element has it in `reap_ns`") \
	F(reap_ns,     amount, OPT,  "ns", NONE, LOWER, "time until its completion was observed")

#define SSD_SYNC_SPLIT(F, R, G, L) \
	F(stream,      text,   ATTR, "",   SAME, NONE,  "`log`: of its writes; `checkpoint`: of its passes") \
	F(submit_ns,   amount, NEED, "ns", NONE, LOWER, \
		"time until the kernel queued a flush: system call, file system, journal") \
	F(queue_ns,    amount, NEED, "ns", NONE, LOWER, "time in the kernel's queue, and between flushes") \
	F(flush_ns,    amount, NEED, "ns", NONE, LOWER, "time in which the device flushed its cache") \
	F(reap_ns,     amount, NEED, "ns", NONE, LOWER, "time until the sync's completion was observed")

#define SSD_SPLIT(F, R, G, L) \
	F(not_available, text,  OPT, "", NONE, NONE, "why there are no kernel events") \
	F(joined,        count, OPT, "", SUM,  NONE, "writes whose events were found; only events of writes are used") \
	F(merged,        count, OPT, "", SUM,  NONE, "writes whose request also carried other writes") \
	F(unjoined,      count, OPT, "", SUM,  NONE, "writes whose events were not found") \
	F(syncs,         count, OPT, "", SUM,  NONE, "syncs in which the device flushed its cache") \
	F(unflushed,     count, OPT, "", SUM,  NONE, "syncs without a flush; what they waited for is not known") \
	F(lost_events,   count, OPT, "", SUM,  LOWER, "events lost because the buffer was full") \
	R(stream_split, ssd_stream_split, 0, MANY, \
		"means of the last repetition of the mix, over the recorded writes; in a closed loop the parts of each write " \
		"add up to its response") \
	R(sync_split, ssd_sync_split, 0, MANY, \
		"the same of syncs: with `--durability=fdatasync` the parts of a log write and of its sync add up to the commit")

#define SSD_FREEZE(F, R, G, L) \
	F(condition, text, OPT, "", SAME, NONE, \
		"condition of `--freeze-if`, or the last one of `--at`; absent if `--at` froze without one. `latency` is the " \
		"response, so in an open loop a write that starts late can fire it (`late` is that part alone, `service` is " \
		"the response without it)") \
	F(post,           count,  NEED, "",  SAME, NONE, "number of records kept after the freeze") \
	F(fired_s,        amount, OPT,  "s", NONE, NONE, \
		"time of the freeze since the start of the measurement; absent if there was none") \
	F(fired_stream,   text,   OPT,  "",  NONE, NONE, "stream of the write that fired it; absent if `--at` froze") \
	F(fired_sequence, count,  OPT,  "",  NONE, NONE, "sequence of that write")

#define SSD_RECORDS_KEPT(F, R, G, L) \
	F(emitted,     count, NEED, "", SUM, NONE, "records of all rings") \
	F(kept,        count, NEED, "", SUM, NONE, "records that were kept") \
	F(overwritten, count, NEED, "", SUM, NONE, "records overwritten by later ones") \
	F(dropped,     count, NEED, "", SUM, NONE, "records after the freeze") \
	F(held_s, amount, OPT, "s", MIN, NONE, \
		"time that the shortest ring of the mix covers; present if a ring was too small for `--records`, because the " \
		"run was faster than the trial or memory was insufficient") \
	F(dump_uuid, text, OPT, "", ANY, NONE, \
		"uuid in the file of `--dump`: of `signature`, or on a simulated device computed from the contents") \
	F(checkpoint_dump_uuid, text, OPT, "", ANY, NONE, "UUID in the file of `--ckpt-dump`") \
	R(freeze, ssd_freeze, 0, 1, "") \
	L("kept + overwritten = emitted")

#define SSD_LOSS(F, R, G, L) \
	F(kind,  text,  ATTR, "", SAME, NONE, "kind of loss: `old-data` `torn` `foreign` `astray` `damaged` `unreadable`") \
	F(count, count, ATTR, "", SUM, LOWER, "number of blocks")

#define SSD_VERIFICATION(F, R, G, L) \
	F(blocks,       count, NEED, "",      SUM, NONE, "blocks that were read") \
	F(bytes,        count, NEED, "bytes", SUM, NONE, "bytes that were read") \
	F(acknowledged, count, NEED, "",      SUM, NONE, "blocks that must hold an acknowledged write or a later one") \
	F(later,        count, NEED, "",      SUM, NONE, "blocks that hold a later one") \
	F(is_complete,  truth, NEED, "",      MIN, NONE, "whether all acknowledged writes are known") \
	R(loss, ssd_loss, 0, MANY, "") \
	F(first_loss, text, OPT, "", NONE, NONE, "the first lost block")

#define SSD_FIGURE_ROW(F, R, G, L) \
	R(field, text_item, 1, MANY, "fields in the order of the columns; `-` is unknown")

#define SSD_ANALYSIS(F, R, G, L) \
	F(figure,       text,  ATTR, "", SAME, NONE, "table of `analyze`") \
	F(records_file, text,  NEED, "", SAME, NONE, "file of records; `storage` describes where it is") \
	F(mix,          text,  OPT,  "", SAME, NONE, "mix of the records") \
	F(every,        count, OPT,  "", SAME, NONE, "one of this many writes is shown; absent: all") \
	R(column, text_item, 1, MANY, "names of the columns") \
	R(row, ssd_figure_row, 0, MANY, "")

#define SSD_SWEEP_GOAL(F, R, G, L) \
	F(text,       text,   ATTR, "",   SAME, NONE, "objective as given") \
	F(limit_ns,   amount, NEED, "ns", SAME, NONE, "the limit") \
	F(reached_ns, amount, OPT,  "ns", NONE, LOWER, "measured value: the median over the runs; absent if nothing was measured") \
	F(low_ns,     amount, OPT,  "ns", NONE, NONE, \
		"lower end of its 95 % interval: of one run that of the percentile, from three runs on that of the median; " \
		"absent if unknown") \
	F(high_ns,    amount, OPT,  "ns", NONE, NONE, "upper end of the interval") \
	F(status, CHOICE(met|missed|undecided), NEED, "", NONE, NONE, "whether this load meets the objective")

#define SSD_SWEEP_POINT(F, R, G, L) \
	F(load,   text,   ATTR, "",   SAME, NONE, "value of the parameter, as its option takes it") \
	F(load_value, amount, NEED, "", SAME, NONE, "the same as a number: outstanding writes, commits per second, or ns") \
	F(runs,   count,  NEED, "",   NONE, NONE, "number of runs, with different seeds") \
	F(status, CHOICE(met|missed|undecided), NEED, "", NONE, NONE, \
		"whether this load meets all objectives; it misses them also where the target did not keep up with it") \
	F(finding, text,  OPT,  "",   NONE, NONE, "why it is undecided, or how the target did not keep up") \
	F(mean_ns, amount, OPT, "ns", NONE, LOWER, "mean response of `stream`, over the runs") \
	F(operations_per_second, amount, OPT, "/s", NONE, HIGHER, "writes of `stream` per second, mean over the runs") \
	R(goal, ssd_sweep_goal, 1, MANY, "each `--slo`")

#define SSD_SWEEP(F, R, G, L) \
	F(over,      text, ATTR, "", SAME, NONE, "option that was changed: `rate`, `log-depth`, `ckpt-every`, …") \
	F(stream,    text, ATTR, "", SAME, NONE, "stream of the means: `log`, or `checkpoint` without a log") \
	F(range_low,  text, NEED, "", SAME, NONE, "smallest value of the range") \
	F(range_high, text, NEED, "", SAME, NONE, "largest value of the range") \
	F(outcome, CHOICE(answered|none|not-decided|not-monotone), NEED, "", NONE, NONE, \
		"`none`: no load of the range meets the objectives; `not-monotone`: one meets them although a lower one misses " \
		"them") \
	F(answer,    text, OPT,  "", NONE, NONE, "highest load that meets the objectives; absent if none does") \
	F(beyond,    text, OPT,  "", NONE, NONE, "lowest load that misses them; absent if none does") \
	F(undecided, text, OPT,  "", NONE, NONE, "lowest undecided load above the answer; absent if there is none") \
	F(knee,      text, OPT,  "", NONE, NONE, \
		"load with the mean response furthest below the straight line between the ends, of the logarithms of both; " \
		"absent with fewer than 4 loads, or if none is 10 % below") \
	F(knee_ratio, amount, OPT, "", NONE, NONE, "mean response at the knee divided by that of the straight line") \
	R(point, ssd_sweep_point, 0, MANY, "each load that was measured, from the lowest to the highest")

#define SSD_RESULT(F, R, G, L) \
	R(clock,            monotonic_clock,  1, 1, "") \
	R(workload,         ssd_workload,     0, 1, "the workload as planned") \
	R(engine,           ssd_engine,       0, 1, "the engine") \
	R(simulation,       ssd_simulation,   0, 1, "parameters of a simulated device") \
	R(prepared,         ssd_prepared,     0, 1, "absent if no preparation was needed, or with `--no-prepare`") \
	R(io_error,         ssd_io_error,     0, MANY, "failed writes before the first repetition, by errno") \
	R(repetition,       ssd_repetition,   0, MANY, "one run of one cell, in the order of time") \
	R(durability_check, durability_check, 0, MANY, \
		"one per cell, over all repetitions, as in [report-iowrite.md](report-iowrite.md): the acknowledged syncs of " \
		"the log (one per write, however many commits it carries, including the warm-up) and the flushes of the " \
		"devices; `outstanding` is the log's depth. Without `durability`: the syncs at the end of each checkpoint " \
		"pass, and its `workers`. With `--ckpt-target` these have their own `durability_check` with `stream` " \
		"`checkpoint`, for the devices below that target, and with `--log-target` the syncs of the log's second target " \
		"have one with `stream` `log`: all log writes with `fdatasync`, those of its blocks with `dsync`") \
	R(objective,        objective,        0, MANY, "each `--slo`, of the mix over all repetitions") \
	R(baselines,        ssd_baselines,    0, 1, "") \
	R(counterfactual,   ssd_counterfactual, 0, MANY, "results of `--without`, for each stream") \
	R(split,            ssd_split,        0, 1, "parts of a write's time") \
	R(records,          ssd_records_kept, 0, 1, "") \
	R(verification,     ssd_verification, 0, 1, "") \
	R(analysis,         ssd_analysis,     0, MANY, "") \
	R(sweep,            ssd_sweep,        0, 1, "answer of `sweep`, whose report has of `result` only this and `clock`")

/* --- statistics and series --- */

#define SSD_STATISTICS(F, R, G, L) \
	R(latency_histogram, latency_histogram, 0, MANY, \
		"one per stream and cell, over all repetitions: `type` is `response`, `service`, `commit`, `sync` or `late`; " \
		"`class` is `log`, `checkpoint`, `log-alone`, `checkpoint-alone`")

#define SSD_INTERVAL(F, R, G, L) \
	F(index,      count, ATTR, "", NONE, NONE, "number of the row") \
	F(repetition, count, ATTR, "", SAME, NONE, "the repetition") \
	F(cell_id,    text,  ATTR, "", SAME, NONE, "the cell") \
	F(stream,     text,  ATTR, "", SAME, NONE, "`log` or `checkpoint`") \
	F(time_s,     amount, NEED, "s", NONE, NONE, \
		"end of the interval since the start of the first repetition's measurement") \
	F(seconds,    amount, NEED, "s", TIME, NONE, "length of the interval") \
	F(operations, count,  NEED, "",  SUM,  NONE, "writes completed in the interval") \
	F(operations_per_second, amount, NEED, "/s",      RATE, HIGHER, "writes per second") \
	F(bytes_per_second,      amount, NEED, "bytes/s", RATE, HIGHER, "bytes per second") \
	F(mean_ns,    number, OPT, "ns", MEAN(operations), LOWER, "mean response") \
	F(p50_ns,     amount, OPT, "ns", NONE, LOWER, "median response") \
	F(p99_ns,     amount, OPT, "ns", NONE, LOWER, "99th percentile of the responses") \
	F(max_ns,     amount, OPT, "ns", MAX,  LOWER, "largest response") \
	F(inflight,   amount, OPT, "",   MEAN(operations), NONE, "mean number of writes in flight") \
	R(counters, counters, 0, 1, "differences over the interval, in the row of the first stream") \
	L("0.5 * p50_ns <= mean_ns") \
	L("0.01 * p99_ns <= mean_ns")

#define SSD_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "requested length of an interval") \
	R(interval, ssd_interval, 0, MANY, \
		"the last interval of a repetition ends with it: it has 0.5 to 1.5 times the length of the others, or more if " \
		"outstanding writes took longer, and includes these writes. The intervals therefore contain all writes. More " \
		"than 100000 intervals are refused")

#define SSD_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "program, parameters, host and time") \
	R(machine_info, machine_info,   1, 1, "the machine") \
	R(environment,  environment,    1, 1, "conditions that may disturb the run") \
	R(storage,      storage,        1, 1, "the target") \
	R(result,       ssd_result,     1, 1, "") \
	R(statistics,   ssd_statistics, 0, 1, "histograms") \
	R(series,       ssd_series,     0, 1, "the run over time") \
	R(verdict,      verdict,        1, 1, "whether the result is trustworthy") \
	R(parts,        merged_parts,   0, 1, "of a merged report: what was merged")

#define SSD_DOCUMENT(F, R, G, L) \
	R(report, ssd_report, 1, 1, "")

#define SSD_RECORDS(RECORD) \
	RECORD(ssd_stream_plan,   SSD_STREAM_PLAN,   SUBJECT, "stream", "", "plan of a stream") \
	RECORD(ssd_workload,      SSD_WORKLOAD,      PLAIN,   "", "", "") \
	RECORD(ssd_attempt,       SSD_ATTEMPT,       PLAIN,   "", "name", "") \
	RECORD(ssd_engine,        SSD_ENGINE,        PLAIN,   "", "", "") \
	RECORD(ssd_prepared,      SSD_PREPARED,      PLAIN,   "", "", "") \
	RECORD(ssd_io_error,      SSD_IO_ERROR,      PLAIN,   "", "error,place", "") \
	RECORD(ssd_steady,        SSD_STEADY,        PLAIN,   "", "", "") \
	RECORD(ssd_stream_result, SSD_STREAM_RESULT, SUBJECT, "cell_id=mix|stream", "index", "a stream in one repetition") \
	RECORD(ssd_parameter,     SSD_PARAMETER,     PLAIN,   "", "key", "") \
	RECORD(ssd_simulation,    SSD_SIMULATION,    PLAIN,   "", "", "") \
	RECORD(ssd_policy,        SSD_POLICY,        PLAIN,   "", "name", "") \
	RECORD(ssd_handle,        SSD_HANDLE,        PLAIN,   "", "data", "") \
	RECORD(ssd_device,        SSD_DEVICE,        PLAIN,   "", "target", "activity of the simulated device") \
	RECORD(ssd_repetition,    SSD_REPETITION,    PLAIN,   "", "index,cell_id", "one run of one cell") \
	RECORD(ssd_interference,  SSD_INTERFERENCE,  PLAIN,   "stream", "statistic", "cost of the other stream") \
	RECORD(ssd_baselines,     SSD_BASELINES,     PLAIN,   "", "", "") \
	RECORD(ssd_counterfactual, SSD_COUNTERFACTUAL, PLAIN, "stream", "cause", \
		"a simulated device without one cause of waiting") \
	RECORD(ssd_stream_split,  SSD_STREAM_SPLIT,  PLAIN,   "stream", "", "mean parts of a write's time") \
	RECORD(ssd_sync_split,    SSD_SYNC_SPLIT,    PLAIN,   "stream", "", "mean parts of a sync's time") \
	RECORD(ssd_split,         SSD_SPLIT,         PLAIN,   "", "", "") \
	RECORD(ssd_freeze,        SSD_FREEZE,        PLAIN,   "", "", "") \
	RECORD(ssd_records_kept,  SSD_RECORDS_KEPT,  PLAIN,   "", "", "") \
	RECORD(ssd_loss,          SSD_LOSS,          PLAIN,   "", "kind", "") \
	RECORD(ssd_verification,  SSD_VERIFICATION,  PLAIN,   "", "", "") \
	RECORD(ssd_figure_row,    SSD_FIGURE_ROW,    PLAIN,   "", "", "") \
	RECORD(ssd_analysis,      SSD_ANALYSIS,      PLAIN,   "", "figure", "") \
	RECORD(ssd_sweep_goal,    SSD_SWEEP_GOAL,    PLAIN,   "", "text", "an objective at a load") \
	RECORD(ssd_sweep_point,   SSD_SWEEP_POINT,   SUBJECT, "load", "", "a load of a sweep") \
	RECORD(ssd_sweep,         SSD_SWEEP,         PLAIN,   "", "", "") \
	RECORD(ssd_result,        SSD_RESULT,        PLAIN,   "", "", "") \
	RECORD(ssd_statistics,    SSD_STATISTICS,    PLAIN,   "", "", "") \
	RECORD(ssd_interval,      SSD_INTERVAL,      SERIES,  "cell_id=mix|stream", "repetition", "a stream in an interval") \
	RECORD(ssd_series,        SSD_SERIES,        PLAIN,   "", "", "") \
	RECORD(ssd_report,        SSD_REPORT,        PLAIN,   "", "", "") \
	RECORD(ssd_document,      SSD_DOCUMENT,      PLAIN,   "", "", "")

FIELD_STRUCTS(SSD_RECORDS)

#endif
