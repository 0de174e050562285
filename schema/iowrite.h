/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of iowrite-bench's reports, calibrations and predictions: docs/report-iowrite.md. */
#ifndef SCHEMA_IOWRITE_H
#define SCHEMA_IOWRITE_H

#include "schema/shared.h"

/* --- parts of a cell and of a scenario --- */

#define IOW_COST_SPLIT(F, R, G, L) \
	F(predicted_by,     text,   NEED, "",  SAME, NONE,  "the model that explains it") \
	F(syscall_percent,  amount, NEED, "%", MEAN(1), NONE,  "system calls") \
	F(copy_percent,     amount, NEED, "%", MEAN(1), NONE,  "copying, at the speed of memory alone") \
	F(throttle_percent, amount, NEED, "%", MEAN(1), NONE,  "sleep in balance_dirty_pages") \
	F(device_percent,   amount, NEED, "%", MEAN(1), NONE, \
		"the device: slower copying during concurrent write-back, or the whole of a synchronous write") \
	F(residual_percent, number, NEED, "%", MEAN(1), NONE,  "what the model does not explain") \
	L("syscall_percent + copy_percent + throttle_percent + device_percent + residual_percent ~ 100")

#define IOW_OBJECTIVE(F, R, G, L) \
	F(text,       text,   ATTR, "",   SAME, NONE,  "as given") \
	F(limit_ns,   amount, NEED, "ns", SAME, NONE,  "the limit") \
	F(reached_ns, amount, OPT,  "ns", MAX, LOWER, "absent when nothing was measured") \
	F(is_met,     truth,  NEED, "",   MIN,  NONE,  "whether it is at most the limit")

/* --- run --- */

#define IOW_CELL(F, R, G, L) \
	F(id, text, ATTR, "", SAME, NONE, "METHOD.MODE.SYNC.REGIME.RW.SIZE") \
	F(method, text, NEED, "", SAME, NONE, "`--method`") \
	F(mode,   text, NEED, "", SAME, NONE, "`--mode`") \
	F(sync,   text, NEED, "", SAME, NONE, "`--sync`") \
	F(sync_every, count, OPT, "", SAME, NONE, \
		"writes per sync; absent when it is 1. For a `way` without its own sync: writes per commit") \
	F(way,    text, OPT,  "", SAME, NONE, "name of this combination in a comparing preset (`open_datasync`)") \
	F(regime, text, NEED, "", SAME, NONE, "state of the file: `--regime`") \
	F(rw,     text, NEED, "", SAME, NONE, "`--rw`") \
	F(memory, text, NEED, "", SAME, NONE, "`--mem`") \
	F(size_bytes, count, OPT,  "bytes", SAME, NONE, "absent when sizes are drawn from a range") \
	F(threads,    count, NEED, "",      SAME, NONE, "`--threads`") \
	F(delay_ns,   count, NEED, "ns",    SAME, NONE, "`--delay`") \
	F(operations, count, NEED, "",      SUM,  NONE, "writes of all rounds and threads") \
	F(bytes,      count, NEED, "bytes", SUM,  NONE, "bytes of all rounds and threads") \
	F(run_s, amount, NEED, "s", SUM, NONE, "sum of the rounds, each from the start of its first write to the end of its last") \
	F(operations_per_second, amount, OPT, "/s",      RATIO(operations, run_s), HIGHER, "`operations` divided by `run_s`") \
	F(bytes_per_second,      amount, OPT, "bytes/s", RATIO(bytes, run_s),      HIGHER, "`bytes` divided by `run_s`") \
	F(write_mean_ns, amount, OPT, "ns", MEAN(operations), LOWER, "of one write") \
	F(sync_mean_ns,  amount, OPT, "ns", MEAN(operations), LOWER, "of one sync; only where writes are synced") \
	F(syncs, count, OPT, "", SUM, NONE, "number of syncs; absent when each write was synced") \
	F(fill_mean_ns, amount, OPT, "ns", MEAN(operations), LOWER, \
		"time to generate the data of a write; not part of any other time or rate") \
	F(flush_ns, count, OPT, "ns", MEAN(1), LOWER, "flushing libc buffers at the end of a round; mean of the rounds") \
	F(close_ns, count, OPT, "ns", MEAN(1), LOWER, "closing the file at the end of a round; mean of the rounds") \
	F(short_writes, count, OPT, "", SUM, LOWER, "writes that needed more than one call") \
	F(page_faults,  count, OPT, "", SUM, LOWER, \
		"of the threads while they wrote: for `mmap` the writing itself, for other methods a disturbance") \
	F(dirty_before_bytes, count, OPT, "bytes", NONE, NONE, "of the whole machine, at the start of the first round") \
	F(dirty_after_bytes,  count, OPT, "bytes", NONE, NONE, "of the whole machine, at the end of the last round") \
	F(failure, text, OPT, "", ANY, NONE, "the error that ended the cell early") \
	R(durability_check, durability_check, 0, 1, "whether the acknowledged syncs can be durable") \
	R(cost_split, iow_cost_split, 0, 1, \
		"for a buffered cell, with `--system`: the share of the measured time that the model explains, by cause, and " \
		"the rest; they add up to 100") \
	R(outside_model, coded_text, 0, MANY, "conditions under which no model is valid: see the codes") \
	R(objective, iow_objective, 0, MANY, "each `--slo` of this cell") \
	L("id starts {method}.{mode}.{sync}{-every-|sync_every}.{regime}.{rw}.") \
	L("!failure -> operations * size_bytes = bytes") \
	L("#write <= operations") \
	L("!failure -> #write = operations") \
	L("#sync <= syncs") \
	L("!failure -> #sync = syncs") \
	L("!syncs -> #sync <= operations") \
	L("!failure !syncs -> #sync = operations") \
	L("write_mean_ns = @write") \
	L("sync_mean_ns = @sync") \
	L("operations_per_second = operations / run_s") \
	L("bytes_per_second = bytes / run_s")

#define IOW_CELLS(F, R, G, L) \
	R(cell,    iow_cell,   1, MANY, "of `run`: one combination of method, mode, sync, regime, order and size") \
	R(skipped, named_text, 0, MANY, "an impossible combination, by its id, and the reason")

/* --- evaluate and trace --- */

#define IOW_MODEL_ERRORS(F, R, G, L) \
	F(name, text, ATTR, "", SAME, NONE, "`naive`, `cawl`, `kernel`") \
	F(predicted_s, amount, NEED, "s", SUM, NONE, "sum of the writes as predicted") \
	F(per_write_error_percent, amount, NEED, "%", MEAN(1), LOWER, \
		"mean of \\|predicted - measured\\| / measured over the writes; predicted is `typical_ns` where the " \
				"model has one, " \
		"as the kernel model does, and its cost otherwise. What is less than a step of the clock " \
				"(`granularity_ns`) is no " \
		"error: of a distance the step is taken off, down to 0, and measured is at least half of it. Reports without " \
		"`unresolved_percent` were made before that") \
	F(unresolved_percent, amount, OPT, "%", MEAN(1), NONE, \
		"difference of that mean without subtracting the step: 60 percentage points for writes that take one step") \
	F(mean_write_error_percent, amount, NEED, "%", MEAN(1), LOWER, \
		"mean of \\|predicted - m\\| / m, with m the mean measured cost of its size") \
	F(total_error_percent, number, NEED, "%", ERROR, LOWER, \
		"signed: (predicted - measured) / measured total; predicted is the sum of the mean costs") \
	F(curve_gap_percent, amount, NEED, "%", MEAN(1), LOWER, \
		"mean distance of the two cumulative cost curves, relative to the measured total") \
	F(coverage_percent, amount, OPT, "%", MEAN(1), HIGHER, \
		"share of the writes inside their band (10 to 90 %); absent without a band") \
	F(pinball_percent, amount, OPT, "%", MEAN(1), LOWER, \
		"mean pinball loss of the two ends of the band relative to the mean cost; a wider band raises it") \
	F(improvement_percent, number, OPT, "%", MEAN(1), HIGHER, \
		"`per_write_error_percent` against the naive model's: 100 (1 - error / naive error), the CAWL paper's " \
				"improvement " \
		"over SimGrid; below 0 the model is worse. Absent of `naive`, and where either error is not known") \
	L("count(../write) = ../operations -> predicted_s ~~ ../write/{name}_ns / 1e9") \
	L("total_error_percent + 100 ~ 100 * predicted_s / ../measured_s") \
	L("coverage_percent <= 100")

#define IOW_WRITE(F, R, G, L) \
	F(index,       count,  ATTR, "",      NONE, NONE, "number of the write; of more than 2000 writes every n-th is listed") \
	F(time_s,      amount, ATTR, "s",     NONE, NONE, "start, relative to the start of the first write") \
	F(offset,      count,  ATTR, "bytes", NONE, NONE, "offset in the file") \
	F(size,        count,  ATTR, "bytes", NONE, NONE, "bytes written") \
	F(measured_ns, count,  ATTR, "ns",    NONE, LOWER, "measured duration") \
	F(dirty_bytes,     count, ATTR_OPT, "bytes", NONE, NONE, "dirty pages of the machine after it") \
	F(writeback_bytes, count, ATTR_OPT, "bytes", NONE, NONE, "pages under write-back after it") \
	F(naive_ns,  number, ATTR_OPT, "ns", NONE, LOWER, "prediction of the naive model") \
	F(cawl_ns,   number, ATTR_OPT, "ns", NONE, LOWER, "prediction of the cawl model") \
	F(kernel_ns, number, ATTR_OPT, "ns", NONE, LOWER, "mean cost by the kernel model; sums of costs use it") \
	F(typical_ns, number, ATTR_OPT, "ns", NONE, LOWER, \
		"the kernel model's value that minimises the mean relative error (of a write that is not throttled the median)") \
	F(low_ns,  number, ATTR_OPT, "ns", NONE, LOWER, "10 %: lower end of the band of a throttled write") \
	F(high_ns, number, ATTR_OPT, "ns", NONE, LOWER, "90 %: the upper end of the band") \
	F(predicted_dirty_bytes,     amount, ATTR_OPT, "bytes", NONE, NONE, "the kernel model's page cache after the write") \
	F(predicted_writeback_bytes, amount, ATTR_OPT, "bytes", NONE, NONE, "the kernel model's pages under write-back") \
	F(cawl_dirty_bytes,          amount, ATTR_OPT, "bytes", NONE, NONE, "the cawl model's dirty pages") \
	L("low_ns <= high_ns") \
	L("0 <= low_ns") \
	L("0 <= typical_ns") \
	L("0 <= naive_ns") \
	L("0 <= cawl_ns") \
	L("0 <= kernel_ns")

#define IOW_SCENARIO(F, R, G, L) \
	F(id,         text,  ATTR, "", SAME, NONE, "`iowrite-bench scenarios` lists them") \
	F(repetition, count, ATTR, "", NUMBER, NONE, "number of the repetition") \
	F(figure,  text, NEED, "", SAME, NONE, "figure of the CAWL paper; empty if none") \
	F(meaning, text, NEED, "", SAME, NONE, "description") \
	F(method,  text, NEED, "", SAME, NONE, "as of a cell") \
	F(mode,    text, NEED, "", SAME, NONE, "as of a cell") \
	F(regime,  text, NEED, "", SAME, NONE, "as of a cell") \
	F(memory,  text, NEED, "", SAME, NONE, "as of a cell") \
	F(delay_ns,     count,  NEED, "ns", SAME, NONE, "pause between two writes") \
	F(back_percent, amount, NEED, "%",  SAME, NONE, "share of the writes that go back in the file") \
	F(background_bytes, count, OPT, "bytes", SAME, NONE, "the kernel's threshold of background write-back during it") \
	F(freerun_bytes,    count, OPT, "bytes", SAME, NONE, "no writer is throttled below this number of dirty bytes") \
	F(limit_bytes,      count, OPT, "bytes", SAME, NONE, "the kernel's limit of dirty bytes during it") \
	F(control_limit_bytes, amount, OPT, "bytes", NONE, NONE, \
		"the limit in force when the scenario began, as given to the models. Absent where unknown, and for synchronous " \
		"scenarios: dirty throttling is then assumed to be steady") \
	F(control_ratelimit_bytes_per_second, amount, OPT, "bytes/s", NONE, NONE, "dirty_ratelimit at that time") \
	F(control_write_bytes_per_second,     amount, OPT, "bytes/s", NONE, NONE, "the device's smoothed bandwidth at that time") \
	F(control_tick_ns, amount, OPT, "ns", NONE, NONE, \
		"the kernel's clock tick, as given to the models. Where it or dirty_ratelimit is unknown, pauses are not rounded " \
		"to ticks") \
	F(control_step_bytes, amount, OPT, "bytes", NONE, NONE, \
		"bytes that a throttled writer dirtied between two checks (folios of the file system)") \
	F(operations, count,  NEED, "",      SUM, NONE,  "writes") \
	F(bytes,      count,  NEED, "bytes", SUM, NONE,  "bytes") \
	F(measured_s, amount, NEED, "s",     SUM, LOWER, "sum of the writes, each without timer overhead") \
	F(floor_percent, amount, OPT, "%", MEAN(1), LOWER, "of older reports: the error of the best constant predictor") \
	R(cost_split, iow_cost_split, 0, 1, \
		"as that of a cell, of the kernel model: of a buffered scenario that it could predict") \
	R(outside_model, coded_text, 0, MANY, "as that of a cell") \
	R(model, iow_model_errors, 0, MANY, "errors of a model") \
	R(write, iow_write, 0, MANY, "a write and the predictions of each model") \
	L("background_bytes <= freerun_bytes <= limit_bytes") \
	L("count(write) = operations -> measured_s ~~ write/measured_ns / 1e9")

#define IOW_GOAL(F, R, G, L) \
	F(set,   text, ATTR, "", SAME, NONE, "a group of scenarios, or a scenario's id") \
	F(error, text, ATTR, "", SAME, NONE, "which error") \
	F(limit_percent,   amount, NEED, "%", SAME, NONE,  "the limit") \
	F(reached_percent, amount, NEED, "%", NONE, LOWER, "what was reached") \
	F(is_met,          truth,  NEED, "",  MIN,  NONE,  "whether it is at most the limit") \
	L("is_met = 1 -> reached_percent <= limit_percent") \
	L("is_met = 0 -> limit_percent < reached_percent")

#define IOW_EVALUATION(F, R, G, L) \
	F(system_file, text, NEED, "", SAME, NONE, "the calibration that the predictions come from") \
	F(system_date, text, NEED, "", SAME, NONE, "its date") \
	F(writer, text, OPT, "", SAME, NONE, \
		"the CPU that the writer was pinned to, with the reason if it is not the calibration's; or why it was not pinned") \
	F(control_unknown_reason, text, OPT, "", NONE, NONE, \
		"why the state of dirty throttling is unknown; absent when it is known") \
	R(scenario, iow_scenario, 0, MANY, "one scenario, measured and predicted") \
	R(skipped, named_text, 0, MANY, \
		"a scenario that was not measured, or `SCENARIO/MODEL` that was not predicted, and why") \
	R(goal, iow_goal, 0, MANY, "of older reports")

#define IOW_KERNEL_STATE(F, R, G, L) \
	F(time_s, amount, ATTR, "s", NONE, NONE, "since the start of the first write; of more than 10000 every n-th") \
	F(dirty_bytes,      count, ATTR, "bytes", NONE, NONE, "dirty pages") \
	F(writeback_bytes,  count, ATTR, "bytes", NONE, NONE, "pages under write-back") \
	F(background_bytes, count, ATTR, "bytes", NONE, NONE, "the kernel's threshold of background write-back") \
	F(limit_bytes,      count, ATTR, "bytes", NONE, NONE, "the kernel's limit")

#define IOW_KERNEL_PAUSE(F, R, G, L) \
	F(time_s,   amount,  ATTR, "s",  NONE, NONE, "since the start of the first write") \
	F(pause_ns, integer, ATTR, "ns", NONE, LOWER, \
		"the writer's alone, in steps of the kernel's tick; not above 0: no pause, time in hand, of which " \
				"more than 10000 " \
		"are every n-th") \
	F(dirtied_bytes,         count, ATTR, "bytes",   NONE, NONE, "bytes that the writer dirtied since the last pause") \
	F(task_bytes_per_second, count, ATTR, "bytes/s", NONE, NONE, "the rate limit of the writer")

#define IOW_KERNEL_RATELIMIT(F, R, G, L) \
	F(time_s, amount, ATTR, "s", NONE, NONE, "since the start of the first write") \
	F(dirty_bytes_per_second,    count, ATTR, "bytes/s", NONE, NONE, "the rate of one writer") \
	F(balanced_bytes_per_second, count, ATTR, "bytes/s", NONE, NONE, "the rate that it converges to") \
	F(write_bytes_per_second,    count, ATTR, "bytes/s", NONE, NONE, "the smoothed bandwidth of write-back")

#define IOW_KERNEL_TRACE(F, R, G, L) \
	F(writer, text, OPT, "", SAME, NONE, "as that of `evaluation`; without `--system` it is pinned to the last CPU") \
	F(background_bytes, count, OPT, "bytes", SAME, NONE, "threshold of background write-back at the beginning") \
	F(freerun_bytes,    count, OPT, "bytes", SAME, NONE, "no writer is throttled below this number of dirty bytes") \
	F(limit_bytes,      count, OPT, "bytes", SAME, NONE, \
		"the limit in force, which falls to a lowered threshold step by step") \
	F(lost_events, count, NEED, "", SUM, LOWER, "events lost because the buffer was full") \
	R(kernel_state, iow_kernel_state,     0, MANY, "writeback:global_dirty_state") \
	R(pause,        iow_kernel_pause,     0, MANY, "writeback:balance_dirty_pages") \
	R(ratelimit,    iow_kernel_ratelimit, 0, MANY, "writeback:bdi_dirty_ratelimit of the device") \
	R(write,        iow_write,            0, MANY, "as in `scenario`; the model's state is that after the write, " \
			"with `--system`") \
	L("background_bytes <= freerun_bytes <= limit_bytes")

#define IOW_RESULT(F, R, G, L) \
	R(clock,        monotonic_clock,  1, 1, "") \
	R(cells,        iow_cells,        0, 1, "of `run`") \
	R(evaluation,   iow_evaluation,   0, 1, "of `evaluate`") \
	R(kernel_trace, iow_kernel_trace, 0, 1, "of `trace`")

/* --- statistics and series --- */

#define IOW_STATISTICS(F, R, G, L) \
	R(latency_histogram, latency_histogram, 0, MANY, "`class` is the id of a cell, `type` `write` or `sync`")

#define IOW_INTERVAL(F, R, G, L) \
	F(index,   count, ATTR, "", NONE, NONE, "number of the row") \
	F(cell_id, text,  ATTR_OPT, "", SAME, NONE, "the cell") \
	F(time_s,  amount, NEED, "s", NONE, NONE, "end, in the time of the cell") \
	F(seconds, amount, NEED, "s", TIME, NONE, \
		"length; the last interval of a round has 0.5 to 1.5 times the length of the others") \
	F(operations, count, NEED, "", SUM, NONE, "writes") \
	F(operations_per_second, amount, NEED, "/s",      RATE, HIGHER, "writes a second") \
	F(bytes_per_second,      amount, NEED, "bytes/s", RATE, HIGHER, "bytes a second") \
	F(mean_ns, number, OPT, "ns", MEAN(operations), LOWER, "of a write and its sync together") \
	F(p50_ns,  amount, OPT, "ns", NONE, LOWER, "of a write and its sync together") \
	F(p99_ns,  amount, OPT, "ns", NONE, LOWER, "of a write and its sync together") \
	F(nr_dirty_bytes,     count, OPT, "bytes", NONE, NONE, "dirty pages at its end") \
	F(nr_writeback_bytes, count, OPT, "bytes", NONE, NONE, "pages under write-back at its end") \
	F(background_threshold_bytes, count, OPT, "bytes", NONE, NONE, "at its end") \
	F(threshold_bytes,            count, OPT, "bytes", NONE, NONE, "at its end") \
	R(counters, counters, 0, 1, \
		"differences: PSI, and `block.*`, the eleven first numbers of the device's stat file by the names of " \
		"Documentation/block/stat.rst")

#define IOW_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "as requested") \
	R(interval, iow_interval, 0, MANY, "of the rounds of a cell one after another")

#define IOW_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "what was run, where and when") \
	R(machine_info, machine_info,   1, 1, "the machine; without `time_source`: the clock is the kernel's") \
	R(environment,  environment,    1, 1, "conditions that may disturb the run") \
	R(storage,      storage,        1, 1, "the target") \
	R(result,       iow_result,     1, 1, "") \
	R(statistics,   iow_statistics, 0, 1, "histograms") \
	R(series,       iow_series,     0, 1, "the run over time") \
	R(verdict,      verdict,        1, 1, "whether the result is trustworthy") \
	R(parts,        merged_parts,   0, 1, "of a merged report: what was merged")

#define IOW_DOCUMENT(F, R, G, L) \
	R(report, iow_report, 1, 1, "")

/* --- calibrate --- */

#define IOW_VALUE_ROWS(F) \
	F(value, amount, ATTR, "", SAME, NONE, "for a point of a curve the median, ns") \
	F(low,  number, ATTR_OPT, "", NONE, NONE, "lower end of the 95 % interval of the median") \
	F(high, number, ATTR_OPT, "", NONE, NONE, "its upper end") \
	F(n,     count, ATTR, "", NONE, NONE, "number of samples; 0 if read and not measured") \
	F(method, text, ATTR, "", NONE, NONE, "how it was measured") \
	F(mean, number, ATTR_OPT, "", NONE, NONE, \
		"mean of samples up to three medians (five MADs where that is more); sums of costs use it") \
	F(p5,   number, ATTR_OPT, "", NONE, NONE, "5 % of all samples") \
	F(p25,  number, ATTR_OPT, "", NONE, NONE, "25 %") \
	F(p75,  number, ATTR_OPT, "", NONE, NONE, "75 %") \
	F(p95,  number, ATTR_OPT, "", NONE, NONE, "95 %") \
	F(unstable, text, ATTR_OPT, "", NONE, NONE, \
		"why the value is unstable; absent when stable (with `--compare` also the difference to the older calibration)")

#define IOW_PARAMETER(F, R, G, L) \
	F(name, text, ATTR, "", SAME, NONE, "one number, see the table below") \
	F(unit, text, ATTR, "", SAME, NONE, "its unit") \
	IOW_VALUE_ROWS(F)

#define IOW_POINT(F, R, G, L) \
	F(size_bytes, count, ATTR, "bytes", SAME, NONE, "size of a write") \
	IOW_VALUE_ROWS(F)

#define IOW_SEGMENT(F, R, G, L) \
	F(from_bytes,  count,  ATTR, "bytes",   NONE, NONE, "from this size on") \
	F(fixed_ns,    amount, ATTR, "ns",      NONE, NONE, "cost of a write, without its bytes") \
	F(ns_per_byte, amount, ATTR, "ns/byte", NONE, NONE, "cost of a byte")

#define IOW_CURVE(F, R, G, L) \
	F(mode, text, ATTR, "", SAME, NONE, \
		"`buffered` (write(2) into the page cache), `sync` (O_SYNC), `dsync` (O_DSYNC), `direct` (O_DIRECT), " \
		"`direct-sync`, `direct-dsync` (both)") \
	F(regime, text, ATTR, "", SAME, NONE, \
		"`append` (the file grows), `prealloc` (fallocate(2)d, never written), `overwrite`") \
	R(point,   iow_point,   1, MANY, "the cost of a write of one size") \
	R(segment, iow_segment, 0, 2, "the robust line through the points, in one or two parts")

#define IOW_BAND(F, R, G, L) \
	F(index,      count,  ATTR, "",      NONE, NONE, "number of the band") \
	F(size_bytes, count,  ATTR, "bytes", SAME, NONE, "size of the writes; between the sizes by the logarithm") \
	F(think,      amount, ATTR_OPT, "",  SAME, NONE, \
		"share of the time between two writes in which the writer did other work; absent where it wrote at once; " \
		"interpolated between the two") \
	F(p10, amount, ATTR, "", NONE, NONE, \
		"cost by its mean (measured by predicted, by the ratio of the sums) of writes that the kernel held back: 10 %") \
	F(p50, amount, ATTR, "", NONE, NONE, "median") \
	F(p90, amount, ATTR, "", NONE, NONE, "90 %") \
	F(typical, amount, ATTR_OPT, "", NONE, NONE, \
		"of the writes between `p10` and `p90` the ratio that minimises the mean relative error (median by the " \
		"weight 1 / ratio); absent from older calibrations, for which `p50` is taken") \
	F(unstable, text, ATTR_OPT, "", NONE, NONE, "why it is not to be relied on")

#define IOW_UNKNOWN(F, R, G, L) \
	F(name, text, ATTR, "", SAME, NONE, "a parameter, a curve (`direct.append`) or `throttled` that was tried for " \
			"and not found") \
	F(why,  text, ATTR, "", NONE, NONE, "the reason")

#define IOW_SYSTEM(F, R, G, L) \
	F(version, amount, ATTR, "", SAME, NONE, \
		"1.1") \
	F(date,        text, NEED, "", SAME, NONE, "when it was made (UTC)") \
	F(kernel,      text, NEED, "", SAME, NONE, "where it was made") \
	F(device,      text, NEED, "", SAME, NONE, "where it was made") \
	F(file_system, text, NEED, "", SAME, NONE, "where it was made") \
	F(writer, text, OPT, "", SAME, NONE, \
		"the CPU that it was pinned to, or why it was not; absent from older ones") \
	F(writer_cpu, count, OPT, "", SAME, NONE, \
		"its number, which `evaluate` and `trace` use again; absent where it was not pinned, and from older ones") \
	F(partial, text, OPT, "", NONE, NONE, \
		"why it ended before all was measured (a failed write, a signal); absent from a whole one. Who reads it warns") \
	R(parameter, iow_parameter, 0, MANY, "") \
	R(curve,     iow_curve,     0, MANY, "cost of a write by its size") \
	R(throttled, iow_band,      0, 6,    "") \
	R(unknown,   iow_unknown,   0, MANY, "")

/* --- predict: JSON alone --- */

#define IOW_TIMES_ROWS(F) \
	F(total_s, number, OPT, "s",  NONE, LOWER, "of the writes: sum") \
	F(mean_ns, number, OPT, "ns", NONE, LOWER, "mean") \
	F(p50_ns,  number, OPT, "ns", NONE, LOWER, "median") \
	F(p99_ns,  number, OPT, "ns", NONE, LOWER, "99 %")

#define IOW_MEASURED_WRITES(F, R, G, L) \
	IOW_TIMES_ROWS(F)

#define IOW_PREDICTED(F, R, G, L) \
	F(name,  text, ATTR,     "", SAME, NONE, "the model") \
	F(bound, text, ATTR_OPT, "", SAME, NONE, "`warm` or `cold`: see `is_bounded_only`") \
	F(missing,     text, OPT, "", NONE, NONE, "the parameter that the calibration lacks; then there is nothing else") \
	F(why_missing, text, OPT, "", NONE, NONE, "why it lacks it") \
	IOW_TIMES_ROWS(F) \
	F(throttled_percent, number, OPT, "%", NONE, LOWER, \
		"of the predicted time, the share in which the writer is held back") \
	F(throttled_operations, count, OPT, "", NONE, LOWER, "writes of which some part is") \
	F(band_low_ns,  number, OPT, "ns", NONE, LOWER, "mean of the bands of the throttled writes: 10 %") \
	F(band_high_ns, number, OPT, "ns", NONE, LOWER, "90 %") \
	F(close_ns, number, OPT, "ns", NONE, LOWER, "what closing writes of a libc's buffer") \
	F(drain_ns, number, OPT, "ns", NONE, LOWER, "from then on until nothing is dirty") \
	F(per_write_error_percent, number, OPT, "%", NONE, LOWER, \
		"against what was measured, as in `scenario/model`, but with no step of the clock taken off") \
	F(total_error_percent, number, OPT, "%", NONE, NONE, "as in `scenario/model`") \
	F(coverage_percent,    number, OPT, "%", NONE, NONE, "as in `scenario/model`")

#define IOW_SIZE_COST(F, R, G, L) \
	F(curve,      text,   ATTR, "", SAME, NONE, "a curve that the kernel model took costs from") \
	F(size_bytes, count,  ATTR, "bytes", SAME, NONE, "a size of it") \
	F(ns,         number, ATTR_OPT, "ns", NONE, LOWER, "the median, as it was used") \
	F(mean_ns,    number, ATTR_OPT, "ns", NONE, LOWER, "the mean, as it was used") \
	F(low_ns,     number, ATTR_OPT, "ns", NONE, LOWER, "the interval: lower end") \
	F(high_ns,    number, ATTR_OPT, "ns", NONE, LOWER, "upper end") \
	F(n,          count,  ATTR, "", NONE, NONE, "the samples of this size") \
	F(pooled_n,          count, ATTR_OPT, "",      NONE, NONE, "where it was pooled with others: the samples of all") \
	F(pooled_from_bytes, count, ATTR_OPT, "bytes", NONE, NONE, "the smallest") \
	F(pooled_to_bytes,   count, ATTR_OPT, "bytes", NONE, NONE, "the largest") \
	F(unstable, text, ATTR_OPT, "", NONE, NONE, "as in the calibration")

#define IOW_PREDICTION(F, R, G, L) \
	F(system_file,   text, NEED, "", SAME, NONE, "the calibration") \
	F(system_date,   text, NEED, "", SAME, NONE, "its date") \
	F(scenario_name, text, OPT,  "", SAME, NONE, "what was predicted: a scenario") \
	F(trace_file,    text, OPT,  "", SAME, NONE, "what was predicted: a table; neither for a pattern") \
	F(mode,       text,   NEED, "", SAME, NONE, "the words of the options, or of the table") \
	F(sync,       text,   NEED, "", SAME, NONE, "the same") \
	F(sync_curve, text,   OPT,  "", SAME, NONE, \
		"with `fsync` or `fdatasync` after each write: the curve of synchronous writes that was taken") \
	F(sync_call_ns, number, OPT, "ns", SAME, NONE, "and what the second call costs (`sc_w`)") \
	F(regime, text, NEED, "", SAME, NONE, "as `mode`") \
	F(memory, text, NEED, "", SAME, NONE, "as `mode`") \
	F(stdio,  text, OPT,  "", SAME, NONE, "as `mode`") \
	F(files,  count, OPT, "", SAME, NONE, "that the writes go to; only of several") \
	F(operations, count, NEED, "",      SUM, NONE, "writes") \
	F(bytes,      count, NEED, "bytes", SUM, NONE, "bytes") \
	F(background_bytes, number, OPT, "bytes", SAME, NONE, "threshold, after the scenario's and the options'") \
	F(limit_bytes,      number, OPT, "bytes", SAME, NONE, "the same") \
	F(is_bounded_only, truth, NEED, "", SAME, NONE, \
		"memory as it is, and it is not known how warm: each model that knows of memory is there twice, with `bound` " \
		"`warm` and `cold`") \
	R(outside_model,   coded_text,          0, MANY, "as that of a cell") \
	R(measured_writes, iow_measured_writes, 0, 1, "of the table's write_ns, with `fsync` or `fdatasync` and its sync_ns") \
	R(model,           iow_predicted,       0, MANY, "a prediction") \
	R(size_cost,       iow_size_cost,       0, MANY, "")

#define IOW_RECORDS(RECORD) \
	RECORD(iow_cost_split,       IOW_COST_SPLIT,       PLAIN,   "", "", "where the time went") \
	RECORD(iow_objective,        IOW_OBJECTIVE,        PLAIN,   "", "text", "") \
	RECORD(iow_cell,             IOW_CELL,             SUBJECT, "id", "", "one combination that was measured") \
	RECORD(iow_cells,            IOW_CELLS,            PLAIN,   "", "", "") \
	RECORD(iow_model_errors,     IOW_MODEL_ERRORS,     PLAIN,   "", "name", "how far a model was from what was measured") \
	RECORD(iow_write,            IOW_WRITE,            SERIES,  "", "", "a write and the predictions of each model") \
	RECORD(iow_scenario,         IOW_SCENARIO,         SUBJECT, "id", "repetition", "one scenario, measured and predicted") \
	RECORD(iow_goal,             IOW_GOAL,             PLAIN,   "", "set,error", "") \
	RECORD(iow_evaluation,       IOW_EVALUATION,       PLAIN,   "", "", "") \
	RECORD(iow_kernel_state,     IOW_KERNEL_STATE,     SERIES,  "", "", "") \
	RECORD(iow_kernel_pause,     IOW_KERNEL_PAUSE,     SERIES,  "", "", "") \
	RECORD(iow_kernel_ratelimit, IOW_KERNEL_RATELIMIT, SERIES,  "", "", "") \
	RECORD(iow_kernel_trace,     IOW_KERNEL_TRACE,     PLAIN,   "", "", "") \
	RECORD(iow_result,           IOW_RESULT,           PLAIN,   "", "", "") \
	RECORD(iow_statistics,       IOW_STATISTICS,       PLAIN,   "", "", "") \
	RECORD(iow_interval,         IOW_INTERVAL,         SERIES,  "cell_id", "", "a cell in a piece of time") \
	RECORD(iow_series,           IOW_SERIES,           PLAIN,   "", "", "") \
	RECORD(iow_report,           IOW_REPORT,           PLAIN,   "", "", "") \
	RECORD(iow_document,         IOW_DOCUMENT,         PLAIN,   "", "", "") \
	RECORD(iow_parameter,        IOW_PARAMETER,        PLAIN,   "", "name", "") \
	RECORD(iow_point,            IOW_POINT,            PLAIN,   "", "size_bytes", "") \
	RECORD(iow_segment,          IOW_SEGMENT,          PLAIN,   "", "from_bytes", "") \
	RECORD(iow_curve,            IOW_CURVE,            PLAIN,   "", "mode,regime", "") \
	RECORD(iow_band,             IOW_BAND,             PLAIN,   "", "index", "") \
	RECORD(iow_unknown,          IOW_UNKNOWN,          PLAIN,   "", "name", "") \
	RECORD(iow_system,           IOW_SYSTEM,           PLAIN,   "", "", "") \
	RECORD(iow_measured_writes,  IOW_MEASURED_WRITES,  PLAIN,   "", "", "") \
	RECORD(iow_predicted,        IOW_PREDICTED,        PLAIN,   "", "name,bound", "") \
	RECORD(iow_size_cost,        IOW_SIZE_COST,        PLAIN,   "", "curve,size_bytes", "") \
	RECORD(iow_prediction,       IOW_PREDICTION,       PLAIN,   "", "", "")

FIELD_STRUCTS(IOW_RECORDS)

#endif
