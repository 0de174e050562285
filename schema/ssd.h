/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of ssd-workloads' reports: docs/report-ssd.md. */
#ifndef SCHEMA_SSD_H
#define SCHEMA_SSD_H

#include "schema/shared.h"

/* --- what was to be done --- */

#define SSD_STREAM_PLAN(F, R, G, L) \
	F(stream,      text,  ATTR, "",      SAME, NONE, "`log` or `checkpoint`") \
	F(depth,       count, NEED, "",      SAME, NONE, "writes outstanding") \
	F(workers,     count, NEED, "",      SAME, NONE, "threads that share them") \
	F(block_bytes, count, NEED, "bytes", SAME, NONE, "size of a write") \
	F(begin_bytes, count, NEED, "bytes", SAME, NONE, "where in the stream's target its area begins") \
	F(area_bytes,  count, NEED, "bytes", SAME, NONE, "size of its area") \
	F(pause_ns,    count, NEED, "ns",    SAME, NONE, "pause between two writes of a worker") \
	F(every_ns,    count, OPT,  "ns",    SAME, NONE, "with `--ckpt-every`: how far apart passes begin") \
	F(completion_target, amount, OPT, "", SAME, NONE, "the share of that time that a pass's writes are spread over") \
	F(path,        text,  OPT,  "",      SAME, NONE, \
		"with `--ckpt-target`: the target of this stream. `storage` is the log's target, as are the counters of the disk " \
		"and each `durability_check` without `stream`") \
	R(layer, storage_layer, 0, MANY, "with `--ckpt-target`: the disks below it, as in `storage`")

#define SSD_WORKLOAD(F, R, G, L) \
	F(mix,        text, NEED, "", SAME, NONE, "the mix; one that options have changed has a name as `64x16k-8x128k`") \
	F(method,     text, NEED, "", SAME, NONE, "what it stands for") \
	F(durability, text, NEED, "", SAME, NONE, "of the log: `none`, `dsync`, `fdatasync`") \
	F(checkpoint_sync,  text, OPT, "", SAME, NONE, \
		"`pass`: each pass of the checkpoint is made durable at its end, and the next one waits for that; `none`") \
	F(checkpoint_order, text, OPT, "", SAME, NONE, \
		"`random`: each pass writes every block of the area once, in an order drawn for the run; a pattern: each write " \
		"goes to a block that is drawn; absent: in sequence") \
	F(checkpoint_io,    text, OPT, "", SAME, NONE, \
		"`buffered`: the checkpoint was written through the page cache, and the response of a write ends when " \
				"that has it; " \
		"absent: direct") \
	F(flush_after_bytes, count, OPT, "bytes", SAME, NONE, \
		"bytes of a buffered checkpoint after which sync_file_range(2) starts write-back") \
	F(group_commit,    count, NEED, "", SAME, NONE, "commits that one log write carries") \
	F(rate_per_second, count, OPT,  "/s", SAME, NONE, "commits that arrive; absent in a closed loop") \
	F(warmup_ns,       count, NEED, "ns", SAME, NONE, "time before the measurement") \
	F(runtime_ns,      count, NEED, "ns", SAME, NONE, "length of the measurement that was asked for") \
	R(stream_plan, ssd_stream_plan, 1, MANY, "")

#define SSD_RUNG(F, R, G, L) \
	F(name,    text, ATTR, "", SAME, NONE, "an engine that was tried: `uring`, `threads`; `simulated`") \
	F(failure, text, OPT,  "", NONE, NONE, "why it is not available here; absent of the one that was used")

#define SSD_ENGINE(F, R, G, L) \
	F(used,     text, NEED, "", SAME, NONE, "`uring`, `threads` or `simulated`") \
	F(features, text, NEED, "", SAME, NONE, "what of it is used, as words: `log-threads:1` are the writing " \
			"threads of a stream") \
	R(rung, ssd_rung, 1, MANY, "")

#define SSD_PREPARED(F, R, G, L) \
	F(bytes,   count,  NEED, "bytes", SUM, NONE, "what was written before, so that no write meets an extent that never was") \
	F(seconds, amount, NEED, "s",     SUM, NONE, "time that it took")

#define SSD_IO_ERROR(F, R, G, L) \
	F(error, text,  ATTR, "", SAME, NONE, "errno's name") \
	F(count, count, ATTR, "", SUM, LOWER, "writes that failed with it") \
	F(place, text,  ATTR_OPT, "", SAME, NONE, "before the first repetition: `preparing` or `trial`; then there is " \
			"no repetition")

/* --- what was measured --- */

#define SSD_STEADY(F, R, G, L) \
	F(is_steady, truth, OPT, "", NONE, NONE, \
		"by SNIA's rule over the last five intervals: every value within 10 % of their mean, and the fitted " \
				"line moves by " \
		"at most 10 % of it; absent when there were fewer") \
	F(mean_per_second, amount, OPT, "/s", NONE, NONE, "writes a second in these intervals, mean") \
	F(range_percent,   amount, OPT, "%",  NONE, NONE, "largest distance from it") \
	F(slope_percent,   number, OPT, "%",  NONE, NONE, "how much the fitted line moves")

#define SSD_STREAM_RESULT(F, R, G, L) \
	F(stream,     text,  ATTR, "",      SAME, NONE, "`log` or `checkpoint`") \
	F(operations, count, NEED, "",      SUM,  NONE, "writes completed in full that began within the measurement") \
	F(bytes,      count, NEED, "bytes", SUM,  NONE, "their bytes") \
	F(operations_per_second, amount, OPT, "/s",      PER(operations), HIGHER, "writes a second") \
	F(bytes_per_second,      amount, OPT, "bytes/s", PER(bytes), HIGHER, "bytes a second") \
	F(commits_per_second,    amount, OPT, "/s",      RATE, HIGHER, \
		"of a log with commits: all that were done, divided by the same seconds as its writes") \
	F(cpu_ns_per_operation, amount, OPT, "ns", MEAN(operations), LOWER, \
		"user and system time of the stream's threads, and of the kernel's that work for them: io_uring's workers, which " \
		"sync, and the one that polls with `--sqpoll`. Not of what the kernel does for everybody: completing requests in " \
		"its own queues") \
	F(depth_achieved, amount, OPT, "", MEAN(operations), NONE, \
		"writes of the stream in flight when one was submitted, with all that were submitted together; mean") \
	F(operations_per_batch, amount, OPT, "", PER(operations), NONE, "writes of one submitting call") \
	F(passes,       count, NEED, "", SUM, NONE,  "of the area, begun") \
	F(short_writes, count, NEED, "", SUM, LOWER, "writes that the kernel took in more than one piece") \
	F(failed,       count, NEED, "", SUM, LOWER, "writes that failed") \
	R(io_error,  ssd_io_error, 0, MANY, "") \
	R(response,  summary, 1, 1, "from the moment a write could begin until it was seen to be completed") \
	R(service,   summary, 1, 1, "from the call that submits it until it was seen to be completed") \
	R(commit,    summary, 0, 1, "from the arrival of a commit until its log write is durable") \
	R(pass_sync, summary, 0, 1, \
		"of the `fdatasync` after each pass of the checkpoint, from the last write's completion on; absent without " \
		"`checkpoint_sync`, or when no pass came to its end. No write of the stream is outstanding meanwhile, which " \
		"`depth_achieved`, a mean over writes, does not show") \
	R(steady, ssd_steady, 1, 1, "") \
	L("operations * ../../workload/stream_plan/block_bytes = bytes") \
	L("bytes / bytes_per_second = operations / operations_per_second") \
	L("operations / operations_per_second <= ../seconds") \
	L("response/count = operations") \
	L("service/count = operations") \
	L("#response = $operations") \
	L("#service = $operations") \
	L("%operations <= $operations") \
	L("count(../../workload/stream_plan) = 1") \
	L("depth_achieved <= ../../workload/stream_plan/depth") \
	L("io_error/count? = failed")

#define SSD_PARAMETER(F, R, G, L) \
	F(key,   text, ATTR, "", SAME, NONE, "of the simulated device: a key of `--sim`") \
	F(setting, text, ATTR, "", SAME, NONE, "its value; times in ns")

#define SSD_SIMULATION(F, R, G, L) \
	F(preset,         text,  NEED, "", SAME, NONE, "`small`, `full` or `mqsim-like`") \
	F(exported_bytes, count, NEED, "bytes", SAME, NONE, "capacity that the device exports") \
	R(parameter, ssd_parameter, 1, MANY, "with all that options have changed")

#define SSD_POLICY(F, R, G, L) \
	F(name,      text,  ATTR, "",  SAME, NONE, "of `--policy`, with its parameters and its condition") \
	F(activated, count, NEED, "",  SUM,  NONE, "how often its condition made it active in the measurement") \
	F(active_s,  amount, NEED, "s", SUM, NONE, "how long it was active in the measurement, up to the last completion")

#define SSD_HANDLE(F, R, G, L) \
	F(data,          text,  ATTR, "", SAME, NONE, \
		"`log` or `checkpoint`, in whose area the pages are; `rest`: in none. With a placement each has a handle of its " \
		"own") \
	F(host_programs, count, NEED, "", SUM, NONE, "its pages that were written to the flash for the host") \
	F(copies,        count, NEED, "", SUM, NONE, "its valid pages that garbage collection copied") \
	F(write_amplification, amount, OPT, "", NONE, LOWER, "host_programs and copies, divided by host_programs")

#define SSD_DEVICE(F, R, G, L) \
	F(fill_pages, count, NEED, "", SUM, NONE, \
		"preconditioning: pages that were written before the measurement, its warm-up not included") \
	F(fill_amplification, amount, OPT, "", NONE, LOWER, "write amplification in the last tenth of that; absent without it") \
	F(fill_is_steady, truth, OPT, "", NONE, NONE, \
		"whether the amplification was steady over the last five tenths, by the rule of `steady`; absent without it") \
	F(slices,        count, NEED, "", SUM, NONE, \
		"pages of commands that the firmware handled in the measurement, as what follows") \
	F(hits,          count, NEED, "", SUM, NONE, "of them found in the buffer") \
	F(partial_pages, count, NEED, "", SUM, NONE, "of them a part of a page, which a read has to complete unless it is a hit") \
	F(host_programs, count, NEED, "", SUM, NONE, "pages that were written to the flash for the host") \
	F(copies,        count, NEED, "", SUM, NONE, "valid pages that garbage collection copied") \
	F(collections,   count, NEED, "", SUM, NONE, "blocks that were collected and erased") \
	F(write_amplification, amount, OPT, "", NONE, LOWER, "host_programs and copies, divided by host_programs") \
	F(bus_busy_percent,  amount, OPT, "%", NONE, NONE, "of the time a bus transferred, mean of the channels") \
	F(ways_busy_percent, amount, OPT, "%", NONE, NONE, "of the time a way was at work, mean of the ways") \
	R(policy, ssd_policy, 0, MANY, "of `--policy`") \
	R(handle, ssd_handle, 0, MANY, "with `--policy`: write amplification of each stream's pages") \
	L("hits <= slices") \
	L("partial_pages <= slices") \
	L("handle/host_programs = host_programs") \
	L("handle/copies = copies")

#define SSD_REPETITION(F, R, G, L) \
	F(index,   count,  ATTR, "",  NUMBER, NONE, "number of the repetition, from 0") \
	F(cell_id, text,   ATTR, "",  SAME, NONE, "what ran at once: `mix`; with `--baselines` also `log-alone`, " \
			"`checkpoint-alone`") \
	F(seconds, amount, NEED, "s", TIME, NONE, "that were measured") \
	F(process_cpu_ns, amount, OPT, "ns", SUM, NONE, \
		"CPU time of the whole process, the kernel's threads for its input and output among them; absent of a simulated " \
		"device") \
	F(other_cpu_ns, amount, OPT, "ns", SUM, NONE, \
		"part of it that is in no `cpu_ns_per_operation`, but the thread that only waits: of threads of the " \
				"kernel that had " \
		"ended before it was asked for, or that cannot be told by stream (in a PID namespace of its own), and " \
				"of who reads " \
		"the kernel's trace") \
	F(failure, text, OPT, "", ANY, NONE, "the error that ended it early") \
	R(stream_result, ssd_stream_result, 1, MANY, "") \
	R(counters, counters, 0, 1, "differences over the measurement: `disk.*` of /sys/block/X/stat, `psi.*`") \
	R(device, ssd_device, 0, 1, "of a simulated device")

#define SSD_INTERFERENCE(F, R, G, L) \
	F(stream,    text, ATTR, "", SAME, NONE, "`log` or `checkpoint`") \
	F(statistic, text, ATTR, "", SAME, NONE, \
		"`mean`, `p50`, `p99`, `p99.9` of the response, of a log that is made durable also `commit.mean`, `commit.p50`, " \
		"`commit.p99`, `commit.p99.9` of its commits; `throughput` of the writes a second") \
	F(value, amount, NEED, "", NONE, LOWER, \
		"how many times longer a write takes with the other stream than alone: the ratio of the medians over the " \
		"repetitions. Of `throughput` below 1 the other stream costs throughput: in a closed loop a stream that waits " \
		"longer writes less, in an open loop the rate is given") \
	F(low,  amount, OPT, "", NONE, NONE, "its 95 % interval, which one repetition has not") \
	F(high, amount, OPT, "", NONE, NONE, "the other end") \
	G(CHOICE) \
	F(alone_ns, amount, NEED, "ns", NONE, LOWER, "the time alone") \
	F(mix_ns,   amount, NEED, "ns", NONE, LOWER, "the time in the mix") \
	G(OR) \
	F(alone_per_second, amount, NEED, "/s", NONE, HIGHER, "of `throughput`: writes a second alone") \
	F(mix_per_second,   amount, NEED, "/s", NONE, HIGHER, "of `throughput`: writes a second in the mix") \
	G(END) \
	L("value = mix_ns / alone_ns") \
	L("value = mix_per_second / alone_per_second") \
	L("low <= high")

#define SSD_BASELINES(F, R, G, L) \
	F(runs, count, NEED, "", NONE, NONE, "repetitions of each cell") \
	R(interference, ssd_interference, 0, MANY, "")

#define SSD_COUNTERFACTUAL(F, R, G, L) \
	F(stream, text, ATTR, "", SAME, NONE, "`log` or `checkpoint`") \
	F(cause,  text, NEED, "", SAME, NONE, "of `--without`: `other`, `gc` or `erase`") \
	F(mean_ns,    amount, NEED, "ns", NONE, LOWER, "the mean response in the mix's last repetition") \
	F(without_ns, amount, NEED, "ns", NONE, LOWER, "that of the same seed with the cause taken out") \
	F(difference_ns, number, NEED, "ns", NONE, NONE, "what the cause costs") \
	F(attributed_ns, amount, OPT,  "ns", NONE, NONE, \
		"the part of `mean_ns` that `analyze attribution` gives to the cause: not equal to the difference, since without " \
		"the cause something else is in the way; absent where the records do not say") \
	F(writes,            count, OPT, "", NONE, NONE, "writes of `mean_ns`") \
	F(attributed_writes, count, OPT, "", NONE, NONE, "of these the last ones, whose records are kept: `attributed_ns` is " \
		"of them alone; with fewer than all give --sim cache more room") \
	L("attributed_writes <= writes") \
	L("difference_ns = mean_ns - without_ns")

#define SSD_STREAM_SPLIT(F, R, G, L) \
	F(stream,      text,   ATTR, "",   SAME, NONE,  "`log` or `checkpoint`") \
	F(batching_ns, amount, OPT,  "ns", NONE, LOWER, "until its batch was complete") \
	F(submit_ns,   amount, OPT,  "ns", NONE, LOWER, "until the kernel queued its request") \
	F(queue_ns,    amount, NEED, "ns", NONE, LOWER, "in the kernel's queue; without events from the write's " \
			"beginning to its submitting") \
	F(device_ns,   amount, NEED, "ns", NONE, LOWER, "in the device; without events all the rest, \"device or " \
			"below\" in the text") \
	F(reap_ns,     amount, OPT,  "ns", NONE, LOWER, "until its completion was seen; a flush that the kernel sends " \
			"after the write is in it")

#define SSD_SPLIT(F, R, G, L) \
	F(not_available, text,  OPT, "", NONE, NONE, "why the kernel's events are not available") \
	F(joined,        count, OPT, "", SUM,  NONE, "writes that were found in the events; only events of writes are taken") \
	F(merged,        count, OPT, "", SUM,  NONE, "those whose request carried other writes too") \
	F(unjoined,      count, OPT, "", SUM,  NONE, "those that were not found") \
	F(lost_events,   count, OPT, "", SUM,  LOWER, "events that the buffer had no room for") \
	R(stream_split, ssd_stream_split, 0, MANY, \
		"means of the mix's last repetition, as far as it is recorded; the parts of each write add up to its " \
				"response in a " \
		"closed loop")

#define SSD_FREEZE(F, R, G, L) \
	F(condition, text, OPT, "", SAME, NONE, \
		"of `--freeze-if`, or the last of `--at`, absent when `--at` froze without one; " \
		"`latency` is the response, so that in an open loop a write that begins late can fire it (`late` is that part " \
		"alone, `service` what is without it)") \
	F(post,           count,  NEED, "",  SAME, NONE, "records that are kept after it") \
	F(fired_s,        amount, OPT,  "s", NONE, NONE, \
		"when recording was frozen, since the measurement began; absent when it was not") \
	F(fired_stream,   text,   OPT,  "",  NONE, NONE, "the stream of the write that fired it; absent when `--at` froze it") \
	F(fired_sequence, count,  OPT,  "",  NONE, NONE, "its number")

#define SSD_RECORDS_KEPT(F, R, G, L) \
	F(emitted,     count, NEED, "", SUM, NONE, "records of all rings") \
	F(kept,        count, NEED, "", SUM, NONE, "that are still there") \
	F(overwritten, count, NEED, "", SUM, NONE, "that later ones took the place of") \
	F(dropped,     count, NEED, "", SUM, NONE, "that came after the freeze") \
	F(held_s, amount, OPT, "s", MIN, NONE, \
		"of the mix, when a ring was too small for what `--records` asked for, because the run was faster " \
				"than the trial had " \
		"shown by more than a ring allows for, or because there was no memory for more: how far back the " \
				"shortest one goes") \
	R(freeze, ssd_freeze, 0, 1, "") \
	L("kept + overwritten = emitted")

#define SSD_LOSS(F, R, G, L) \
	F(kind,  text,  ATTR, "", SAME, NONE, \
		"how blocks are not as they must be: `old-data` `torn` `foreign` `astray` `damaged` `unreadable`") \
	F(count, count, ATTR, "", SUM, LOWER, "how many")

#define SSD_VERIFICATION(F, R, G, L) \
	F(blocks,       count, NEED, "",      SUM, NONE, "blocks that were read") \
	F(bytes,        count, NEED, "bytes", SUM, NONE, "bytes that were read") \
	F(acknowledged, count, NEED, "",      SUM, NONE, "blocks that had to hold an acknowledged write, or a later one") \
	F(later,        count, NEED, "",      SUM, NONE, "blocks with a later one") \
	F(is_complete,  truth, NEED, "",      MIN, NONE, "whether all that was acknowledged is known") \
	R(loss, ssd_loss, 0, MANY, "") \
	F(first_loss, text, OPT, "", NONE, NONE, "the first of them")

#define SSD_FIGURE_ROW(F, R, G, L) \
	R(field, text_item, 1, MANY, "in the order of the columns; `-` is what cannot be known")

#define SSD_ANALYSIS(F, R, G, L) \
	F(figure,       text,  ATTR, "", SAME, NONE, "of `analyze`: which table") \
	F(records_file, text,  NEED, "", SAME, NONE, "whose records; `storage` is where this file lies") \
	F(mix,          text,  OPT,  "", SAME, NONE, "the mix that wrote them") \
	F(every,        count, OPT,  "", SAME, NONE, "of how many writes one is shown; absent: all") \
	R(column, text_item, 1, MANY, "names of the columns") \
	R(row, ssd_figure_row, 0, MANY, "")

#define SSD_RESULT(F, R, G, L) \
	R(clock,            monotonic_clock,  1, 1, "") \
	R(workload,         ssd_workload,     0, 1, "what was to be done") \
	R(engine,           ssd_engine,       0, 1, "what did it") \
	R(simulation,       ssd_simulation,   0, 1, "the parameters of a simulated device") \
	R(prepared,         ssd_prepared,     0, 1, "absent when nothing had to be, or with `--no-prepare`") \
	R(io_error,         ssd_io_error,     0, MANY, "failed writes before the first repetition, by errno") \
	R(repetition,       ssd_repetition,   0, MANY, "one run of one cell, in time") \
	R(durability_check, durability_check, 0, MANY, \
		"of all repetitions of a cell, as in [report-iowrite.md](report-iowrite.md): the acknowledged syncs " \
				"of the log (one " \
		"a write, however many commits it carries; warm-up included) against the flushes of the devices, with " \
		"`outstanding` the log's depth; without `durability` the syncs at the end of each pass of the " \
				"checkpoint, with its " \
		"`workers`. With `--ckpt-target` these have a `durability_check` of their own, of `stream` " \
				"`checkpoint` and against " \
		"the flushes of the devices below that target") \
	R(baselines,        ssd_baselines,    0, 1, "") \
	R(counterfactual,   ssd_counterfactual, 0, MANY, "of `--without`, for each stream") \
	R(split,            ssd_split,        0, 1, "where the time of a write went") \
	R(records,          ssd_records_kept, 0, 1, "") \
	R(verification,     ssd_verification, 0, 1, "") \
	R(analysis,         ssd_analysis,     0, MANY, "")

/* --- statistics and series --- */

#define SSD_STATISTICS(F, R, G, L) \
	R(latency_histogram, latency_histogram, 0, MANY, \
		"of each stream of each cell, over all repetitions: `type` `response`, `service`, `commit` or `sync`; `class` " \
		"`log`, `checkpoint`, `log-alone`, `checkpoint-alone`")

#define SSD_INTERVAL(F, R, G, L) \
	F(index,      count, ATTR, "", NONE, NONE, "number of the row") \
	F(repetition, count, ATTR, "", SAME, NONE, "the repetition") \
	F(cell_id,    text,  ATTR, "", SAME, NONE, "the cell") \
	F(stream,     text,  ATTR, "", SAME, NONE, "`log` or `checkpoint`") \
	F(time_s,     amount, NEED, "s", NONE, NONE, "its end, since the first repetition's measurement began") \
	F(seconds,    amount, NEED, "s", TIME, NONE, "its length") \
	F(operations, count,  NEED, "",  SUM,  NONE, "writes completed in it") \
	F(operations_per_second, amount, NEED, "/s",      RATE, HIGHER, "writes a second") \
	F(bytes_per_second,      amount, NEED, "bytes/s", RATE, HIGHER, "bytes a second") \
	F(mean_ns,    number, OPT, "ns", MEAN(operations), LOWER, "of the responses") \
	F(p50_ns,     amount, OPT, "ns", NONE, LOWER, "of the responses") \
	F(p99_ns,     amount, OPT, "ns", NONE, LOWER, "of the responses") \
	F(max_ns,     amount, OPT, "ns", MAX,  LOWER, "of the responses") \
	F(inflight,   amount, OPT, "",   MEAN(operations), NONE, "writes in flight, mean") \
	R(counters, counters, 0, 1, "differences over the interval, of the first stream's row")

#define SSD_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "as requested") \
	R(interval, ssd_interval, 0, MANY, \
		"the last one of a repetition ends with it: it is a half to one and a half as long as the others, longer when " \
		"writes were waited for that long, and has these. So the writes of all intervals are all writes. More " \
				"than 100000 " \
		"intervals are refused")

#define SSD_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "what was run, where and when") \
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
	RECORD(ssd_stream_plan,   SSD_STREAM_PLAN,   SUBJECT, "stream", "", "how a stream was to write") \
	RECORD(ssd_workload,      SSD_WORKLOAD,      PLAIN,   "", "", "") \
	RECORD(ssd_rung,          SSD_RUNG,          PLAIN,   "", "name", "") \
	RECORD(ssd_engine,        SSD_ENGINE,        PLAIN,   "", "", "") \
	RECORD(ssd_prepared,      SSD_PREPARED,      PLAIN,   "", "", "") \
	RECORD(ssd_io_error,      SSD_IO_ERROR,      PLAIN,   "", "error,place", "") \
	RECORD(ssd_steady,        SSD_STEADY,        PLAIN,   "", "", "") \
	RECORD(ssd_stream_result, SSD_STREAM_RESULT, SUBJECT, "cell_id=mix|stream", "index", "a stream in one repetition") \
	RECORD(ssd_parameter,     SSD_PARAMETER,     PLAIN,   "", "key", "") \
	RECORD(ssd_simulation,    SSD_SIMULATION,    PLAIN,   "", "", "") \
	RECORD(ssd_policy,        SSD_POLICY,        PLAIN,   "", "name", "") \
	RECORD(ssd_handle,        SSD_HANDLE,        PLAIN,   "", "data", "") \
	RECORD(ssd_device,        SSD_DEVICE,        PLAIN,   "", "", "what a simulated device did") \
	RECORD(ssd_repetition,    SSD_REPETITION,    PLAIN,   "", "index,cell_id", "one run of one cell") \
	RECORD(ssd_interference,  SSD_INTERFERENCE,  PLAIN,   "stream", "statistic", "what the other stream costs this one") \
	RECORD(ssd_baselines,     SSD_BASELINES,     PLAIN,   "", "", "") \
	RECORD(ssd_counterfactual, SSD_COUNTERFACTUAL, PLAIN, "stream", "cause", "a simulated device without a cause of waiting") \
	RECORD(ssd_stream_split,  SSD_STREAM_SPLIT,  PLAIN,   "stream", "", "where the time of a write went, mean") \
	RECORD(ssd_split,         SSD_SPLIT,         PLAIN,   "", "", "") \
	RECORD(ssd_freeze,        SSD_FREEZE,        PLAIN,   "", "", "") \
	RECORD(ssd_records_kept,  SSD_RECORDS_KEPT,  PLAIN,   "", "", "") \
	RECORD(ssd_loss,          SSD_LOSS,          PLAIN,   "", "kind", "") \
	RECORD(ssd_verification,  SSD_VERIFICATION,  PLAIN,   "", "", "") \
	RECORD(ssd_figure_row,    SSD_FIGURE_ROW,    PLAIN,   "", "", "") \
	RECORD(ssd_analysis,      SSD_ANALYSIS,      PLAIN,   "", "figure", "") \
	RECORD(ssd_result,        SSD_RESULT,        PLAIN,   "", "", "") \
	RECORD(ssd_statistics,    SSD_STATISTICS,    PLAIN,   "", "", "") \
	RECORD(ssd_interval,      SSD_INTERVAL,      SERIES,  "cell_id=mix|stream", "repetition", "a stream in a piece of time") \
	RECORD(ssd_series,        SSD_SERIES,        PLAIN,   "", "", "") \
	RECORD(ssd_report,        SSD_REPORT,        PLAIN,   "", "", "") \
	RECORD(ssd_document,      SSD_DOCUMENT,      PLAIN,   "", "", "")

FIELD_STRUCTS(SSD_RECORDS)

#endif
