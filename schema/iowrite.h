/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of iowrite-bench's reports, calibrations and predictions: docs/report-iowrite.md. */
#ifndef SCHEMA_IOWRITE_H
#define SCHEMA_IOWRITE_H

#include "schema/shared.h"

/* --- parts of a cell and of a scenario --- */

#define IOW_COST_SPLIT(F, R, G, L) \
	F(predicted_by,     text,   NEED, "",  SAME, NONE, "model that explains the cost") \
	F(syscall_percent,  amount, NEED, "%", MEAN(1), NONE,  "system calls") \
	F(copy_percent,     amount, NEED, "%", MEAN(1), NONE, "copying at memory speed") \
	F(throttle_percent, amount, NEED, "%", MEAN(1), NONE,  "sleep in balance_dirty_pages") \
	F(device_percent,   amount, NEED, "%", MEAN(1), NONE, \
		"the device: slower copying during concurrent write-back, or all of a synchronous write") \
	F(residual_percent, number, NEED, "%", MEAN(1), NONE, "time that the model does not explain") \
	L("syscall_percent + copy_percent + throttle_percent + device_percent + residual_percent ~ 100")

/* --- run --- */

#define IOW_CELL(F, R, G, L) \
	F(id, text, ATTR, "", SAME, NONE, "METHOD.MODE.SYNC.REGIME.RW.SIZE") \
	F(method, text, NEED, "", SAME, NONE, "`--method`") \
	F(mode,   text, NEED, "", SAME, NONE, "`--mode`") \
	F(sync,   text, NEED, "", SAME, NONE, "`--sync-each`") \
	F(sync_every, count, OPT, "", SAME, NONE, \
		"writes per sync; absent if it is 1. For a `way` without its own sync: writes per commit") \
	F(way,    text, OPT,  "", SAME, NONE, "name of this combination in a comparing preset (`open_datasync`)") \
	F(regime, text, NEED, "", SAME, NONE, "state of the file: `--regime`") \
	F(rw,     text, NEED, "", SAME, NONE, "`--rw`") \
	F(memory, text, NEED, "", SAME, NONE, "`--mem`") \
	F(size_bytes, count, OPT,  "bytes", SAME, NONE, "`--bs`; absent if sizes are drawn from a range") \
	F(threads,    count, NEED, "",      SAME, NONE, "`--numjobs`") \
	F(delay_ns,   count, NEED, "ns",    SAME, NONE, "`--thinktime`") \
	F(operations, count, NEED, "",      SUM,  NONE, "writes of all rounds and threads") \
	F(bytes,      count, NEED, "bytes", SUM,  NONE, "bytes of all rounds and threads") \
	F(run_s, amount, NEED, "s", SUM, NONE, \
		"sum of the rounds, each from the start of its first write to the end of its last one") \
	F(operations_per_second, amount, OPT, "/s",      RATIO(operations, run_s), HIGHER, "`operations` divided by `run_s`") \
	F(bytes_per_second,      amount, OPT, "bytes/s", RATIO(bytes, run_s),      HIGHER, "`bytes` divided by `run_s`") \
	F(write_mean_ns, amount, OPT, "ns", MEAN(operations), LOWER, "mean time of a write") \
	F(sync_mean_ns,  amount, OPT, "ns", MEAN(operations), LOWER, "mean time of a sync; only where writes are synced") \
	F(syncs, count, OPT, "", SUM, NONE, "number of syncs; absent if each write was synced") \
	F(fill_mean_ns, amount, OPT, "ns", MEAN(operations), LOWER, \
		"mean time to generate the data of a write; included in no other time or rate") \
	F(flush_ns, count, OPT, "ns", MEAN(1), LOWER, "time to flush libc buffers at the end of a round; mean of the rounds") \
	F(close_ns, count, OPT, "ns", MEAN(1), LOWER, "time to close the file at the end of a round; mean of the rounds") \
	F(short_writes, count, OPT, "", SUM, LOWER, "writes that needed more than one call") \
	F(page_faults,  count, OPT, "", SUM, LOWER, \
		"page faults of the writing threads: with `mmap` they are the writes, with other methods a disturbance") \
	F(dirty_before_bytes, count, OPT, "bytes", NONE, NONE, \
		"dirty bytes of the whole machine at the start of the first round") \
	F(dirty_after_bytes,  count, OPT, "bytes", NONE, NONE, "dirty bytes of the whole machine at the end of the last round") \
	F(failure, text, OPT, "", ANY, NONE, "the error that ended the cell early") \
	R(durability_check, durability_check, 0, 1, "whether the acknowledged syncs can be durable") \
	R(cost_split, iow_cost_split, 0, 1, \
		"for a buffered cell with `--system`: shares of the measured time by cause, as explained by the model, and the " \
		"remainder; they add up to 100") \
	R(outside_model, coded_text, 0, MANY, "conditions under which no model is valid: see the codes") \
	R(objective, objective, 0, MANY, "each `--slo` of this cell") \
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
	R(cell,    iow_cell,   1, MANY, "one combination of method, mode, sync, regime, order and size (`run`)") \
	R(skipped, named_text, 0, MANY, "an impossible combination, by its id, with the reason")

/* --- evaluate --- */

#define IOW_MODEL_ERRORS(F, R, G, L) \
	F(name, text, ATTR, "", SAME, NONE, "`naive`, `cawl`, `kernel`") \
	F(predicted_s, amount, NEED, "s", SUM, NONE, "sum of the predicted writes") \
	F(predicted_low_s,  amount, OPT, "s", NONE, NONE, "as `total_low_s` of a prediction") \
	F(predicted_high_s, amount, OPT, "s", NONE, NONE, "as `total_high_s` of a prediction") \
	F(per_write_error_percent, amount, NEED, "%", MEAN(1), LOWER, \
		"mean of |predicted - measured| / measured over the writes. `predicted` is `typical_ns` if the model has it " \
		"(the kernel model), otherwise its cost. A difference of up to one clock step (`granularity_ns`) is no error: " \
		"the step is subtracted from each difference, down to 0, and `measured` is at least half a step. Reports " \
		"without `unresolved_percent` do not subtract the step") \
	F(unresolved_percent, amount, OPT, "%", MEAN(1), NONE, \
		"increase of that mean without subtracting the step: 60 percentage points for writes that take one step") \
	F(mean_write_error_percent, amount, NEED, "%", MEAN(1), LOWER, \
		"mean of |predicted - m| / m, where m is the mean measured cost of writes of that size") \
	F(within_tenth_percent, amount, OPT, "%", MEAN(1), HIGHER, \
		"share of the writes whose error is at most 10 %; `per_write_error_percent` is the mean of these errors") \
	F(total_error_percent, number, NEED, "%", ERROR, LOWER, \
		"signed: (predicted - measured) / measured total; predicted is the sum of the mean costs") \
	F(curve_gap_percent, amount, NEED, "%", MEAN(1), LOWER, \
		"mean distance of the two cumulative cost curves, relative to the measured total") \
	F(coverage_percent, amount, OPT, "%", MEAN(1), HIGHER, \
		"share of the writes inside their band (10 to 90 %); absent without a band") \
	F(pinball_percent, amount, OPT, "%", MEAN(1), LOWER, \
		"mean pinball loss of both ends of the band, relative to the mean cost; a wider band raises it") \
	F(improvement_percent, number, OPT, "%", MEAN(1), HIGHER, \
		"improvement of `per_write_error_percent` over the naive model: 100 (1 - error / naive error), the CAWL " \
		"paper's improvement over SimGrid; negative if the model is worse. Absent for `naive`, and if either error is " \
		"unknown") \
	L("count(../write) = ../operations -> predicted_s ~~ ../write/{name}_ns / 1e9") \
	L("total_error_percent + 100 ~ 100 * predicted_s / ../measured_s") \
	L("predicted_low_s <= predicted_s <= predicted_high_s") \
	L("within_tenth_percent <= 100") \
	L("coverage_percent <= 100")

#define IOW_WRITE(F, R, G, L) \
	F(index,       count,  ATTR, "",      NONE, NONE, \
		"number of the write; if there are more than 2000 writes, every n-th is listed") \
	F(time_s,      amount, ATTR, "s",     NONE, NONE, "start, relative to the start of the first write") \
	F(offset,      count,  ATTR, "bytes", NONE, NONE, "offset in the file") \
	F(size,        count,  ATTR, "bytes", NONE, NONE, "bytes written") \
	F(measured_ns, count,  ATTR, "ns",    NONE, LOWER, "measured duration") \
	F(dirty_bytes,     count, ATTR_OPT, "bytes", NONE, NONE, "dirty pages of the machine after the write") \
	F(writeback_bytes, count, ATTR_OPT, "bytes", NONE, NONE, "pages under write-back after the write") \
	F(naive_ns,  number, ATTR_OPT, "ns", NONE, LOWER, "prediction of the naive model") \
	F(cawl_ns,   number, ATTR_OPT, "ns", NONE, LOWER, "prediction of the cawl model") \
	F(kernel_ns, number, ATTR_OPT, "ns", NONE, LOWER, "mean cost by the kernel model; totals use it") \
	F(typical_ns, number, ATTR_OPT, "ns", NONE, LOWER, \
		"value of the kernel model that minimises the mean relative error (the median for a write that is not " \
		"throttled)") \
	F(low_ns,  number, ATTR_OPT, "ns", NONE, LOWER, "lower end (10 %) of the band of a throttled write") \
	F(high_ns, number, ATTR_OPT, "ns", NONE, LOWER, "upper end (90 %) of the band") \
	F(predicted_dirty_bytes,     amount, ATTR_OPT, "bytes", NONE, NONE, "dirty pages after the write by the kernel model") \
	F(predicted_writeback_bytes, amount, ATTR_OPT, "bytes", NONE, NONE, \
		"pages under write-back after the write by the kernel model") \
	F(cawl_dirty_bytes,          amount, ATTR_OPT, "bytes", NONE, NONE, "dirty pages after the write by the cawl model") \
	L("low_ns <= high_ns") \
	L("0 <= low_ns") \
	L("0 <= typical_ns") \
	L("0 <= naive_ns") \
	L("0 <= cawl_ns") \
	L("0 <= kernel_ns")

#define IOW_SCENARIO(F, R, G, L) \
	F(id,         text,  ATTR, "", SAME, NONE, "id as listed by `iowrite-bench scenarios`") \
	F(repetition, count, ATTR, "", NUMBER, NONE, "number of the repetition") \
	F(figure,  text, NEED, "", SAME, NONE, "figure of the CAWL paper; empty if none") \
	F(meaning, text, NEED, "", SAME, NONE, "description") \
	F(method,  text, NEED, "", SAME, NONE, "as in `cell`") \
	F(mode,    text, NEED, "", SAME, NONE, "as in `cell`") \
	F(regime,  text, NEED, "", SAME, NONE, "as in `cell`") \
	F(memory,  text, NEED, "", SAME, NONE, "as in `cell`") \
	F(delay_ns,     count,  NEED, "ns", SAME, NONE, "pause between two writes") \
	F(back_percent, amount, NEED, "%",  SAME, NONE, "share of the writes that move back in the file") \
	F(background_bytes, count, OPT, "bytes", SAME, NONE, \
		"the kernel's threshold of background write-back during the scenario") \
	F(freerun_bytes,    count, OPT, "bytes", SAME, NONE, "number of dirty bytes below which no writer is throttled") \
	F(limit_bytes,      count, OPT, "bytes", SAME, NONE, "the kernel's limit of dirty bytes during the scenario") \
	F(control_limit_bytes, amount, OPT, "bytes", NONE, NONE, \
		"limit in force when the scenario began, as given to the models. Absent if unknown, and for synchronous " \
		"scenarios; dirty throttling is then assumed to have converged") \
	F(control_ratelimit_bytes_per_second, amount, OPT, "bytes/s", NONE, NONE, "dirty_ratelimit at that time") \
	F(control_write_bytes_per_second,     amount, OPT, "bytes/s", NONE, NONE, "the device's smoothed bandwidth at that time") \
	F(control_tick_ns, amount, OPT, "ns", NONE, NONE, \
		"the kernel's clock tick, as given to the models. If it or dirty_ratelimit is unknown, pauses are not rounded " \
		"to ticks") \
	F(control_step_bytes, amount, OPT, "bytes", NONE, NONE, \
		"bytes that a throttled writer dirtied between two checks (folios of the file system)") \
	F(operations, count,  NEED, "",      SUM, NONE,  "writes") \
	F(bytes,      count,  NEED, "bytes", SUM, NONE,  "bytes") \
	F(measured_s, amount, NEED, "s",     SUM, LOWER, "sum of the writes' times without timer overhead") \
	F(floor_percent, amount, OPT, "%", MEAN(1), LOWER, "error of the best constant predictor (older reports)") \
	R(cost_split, iow_cost_split, 0, 1, "as in `cell`, by the kernel model, for buffered scenarios that it can predict") \
	R(outside_model, coded_text, 0, MANY, "as in `cell`") \
	R(model, iow_model_errors, 0, MANY, "errors of a model") \
	R(write, iow_write, 0, MANY, "a write with the prediction of each model") \
	L("background_bytes <= freerun_bytes <= limit_bytes") \
	L("count(write) = operations -> measured_s ~~ write/measured_ns / 1e9")

#define IOW_GOAL(F, R, G, L) \
	F(set,   text, ATTR, "", SAME, NONE, "a group of scenarios, or a scenario's id") \
	F(error, text, ATTR, "", SAME, NONE, "name of the error") \
	F(limit_percent,   amount, NEED, "%", SAME, NONE,  "the limit") \
	F(reached_percent, amount, NEED, "%", NONE, LOWER, "the error") \
	F(is_met,          truth,  NEED, "",  MIN,  NONE,  "whether it is at most the limit") \
	L("is_met = 1 -> reached_percent <= limit_percent") \
	L("is_met = 0 -> limit_percent < reached_percent")

#define IOW_EVALUATION(F, R, G, L) \
	F(system_file, text, NEED, "", SAME, NONE, "calibration used for the predictions") \
	F(system_date, text, NEED, "", SAME, NONE, "date of the calibration") \
	F(writer, text, OPT, "", SAME, NONE, \
		"CPU to which the writer was pinned, with the reason if it is not the calibration's; or why it was not pinned") \
	F(control_unknown_reason, text, OPT, "", NONE, NONE, "why the dirty-throttle state is unknown; absent if it is known") \
	R(scenario, iow_scenario, 0, MANY, "one scenario, measured and predicted") \
	R(skipped, named_text, 0, MANY, \
		"a scenario that was not measured, or `SCENARIO/MODEL` that was not predicted, with the reason") \
	R(goal, iow_goal, 0, MANY, "a goal (older reports)")

#define IOW_RESULT(F, R, G, L) \
	R(clock,      monotonic_clock, 1, 1, "") \
	R(cells,      iow_cells,       0, 1, "results of `run`") \
	R(evaluation, iow_evaluation,  0, 1, "results of `evaluate`")

/* --- statistics and series --- */

#define IOW_STATISTICS(F, R, G, L) \
	R(latency_histogram, latency_histogram, 0, MANY, "`class` is the id of a cell, `type` is `write` or `sync`")

#define IOW_INTERVAL(F, R, G, L) \
	F(index,   count, ATTR, "", NONE, NONE, "number of the row") \
	F(cell_id, text,  ATTR_OPT, "", SAME, NONE, "the cell") \
	F(time_s,  amount, NEED, "s", NONE, NONE, "end of the interval, in time of the cell") \
	F(seconds, amount, NEED, "s", TIME, NONE, \
		"length; the last interval of a round has 0.5 to 1.5 times the length of the others") \
	F(operations, count, NEED, "", SUM, NONE, "writes") \
	F(operations_per_second, amount, NEED, "/s",      RATE, HIGHER, "writes per second") \
	F(bytes_per_second,      amount, NEED, "bytes/s", RATE, HIGHER, "bytes per second") \
	F(mean_ns, number, OPT, "ns", MEAN(operations), LOWER, "mean time of a write with its sync") \
	F(p50_ns,  amount, OPT, "ns", NONE, LOWER, "median time of a write with its sync") \
	F(p99_ns,  amount, OPT, "ns", NONE, LOWER, "99th percentile of a write with its sync") \
	F(nr_dirty_bytes,     count, OPT, "bytes", NONE, NONE, "dirty pages at the end of the interval") \
	F(nr_writeback_bytes, count, OPT, "bytes", NONE, NONE, "pages under write-back at the end of the interval") \
	F(background_threshold_bytes, count, OPT, "bytes", NONE, NONE, \
		"threshold of background write-back at the end of the interval") \
	F(threshold_bytes,            count, OPT, "bytes", NONE, NONE, "limit of dirty pages at the end of the interval") \
	R(counters, counters, 0, 1, \
		"differences over the interval: PSI, and `block.*`, the first eleven values of the device's stat file by their " \
		"names in Documentation/block/stat.rst") \
	L("0.5 * p50_ns <= mean_ns") \
	L("0.01 * p99_ns <= mean_ns")

#define IOW_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "requested length of an interval") \
	R(interval, iow_interval, 0, MANY, "the intervals of a cell, round by round")

#define IOW_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "program, parameters, host and time") \
	R(machine_info, machine_info,   1, 1, "the machine, without `time_source`: the clock is the kernel's") \
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
	F(value, amount, ATTR, "", SAME, NONE, "the value; for a point of a curve the median in ns") \
	F(low,  number, ATTR_OPT, "", NONE, NONE, "lower end of the 95 % interval of the median") \
	F(high, number, ATTR_OPT, "", NONE, NONE, "upper end of the interval") \
	F(n,     count, ATTR, "", NONE, NONE, "number of samples; 0 for a value that was read, not measured") \
	F(method, text, ATTR, "", NONE, NONE, "method of measurement") \
	F(mean, number, ATTR_OPT, "", NONE, NONE, "mean of all samples; totals use it") \
	F(mean_low,  number, ATTR_OPT, "", NONE, NONE, \
		"lower end of the 95 % interval of the mean, by the blocks of the calibration; absent for a single sample") \
	F(mean_high, number, ATTR_OPT, "", NONE, NONE, "upper end of that interval") \
	F(outliers,  count,  ATTR_OPT, "", NONE, NONE, \
		"samples above three medians (five MADs if that is more) or more than five MADs below the median. They are part " \
		"of the mean") \
	F(outlier_percent, amount, ATTR_OPT, "%", NONE, NONE, "their share of the sum of all samples; absent without outliers") \
	F(left_out, count, ATTR_OPT, "", NONE, NONE, \
		"further samples that were not used, because other processes competed for CPU or disk, or the process was " \
		"stopped; absent if there are none") \
	F(p5,   number, ATTR_OPT, "", NONE, NONE, "5th percentile of all samples") \
	F(p25,  number, ATTR_OPT, "", NONE, NONE, "25th percentile") \
	F(p75,  number, ATTR_OPT, "", NONE, NONE, "75th percentile") \
	F(p95,  number, ATTR_OPT, "", NONE, NONE, "95th percentile") \
	F(unstable, text, ATTR_OPT, "", NONE, NONE, \
		"why the value is unstable; absent if it is stable")

#define IOW_PARAMETER(F, R, G, L) \
	F(name, text, ATTR, "", SAME, NONE, "name of the parameter, see the table below") \
	F(unit, text, ATTR, "", SAME, NONE, "unit of the value") \
	IOW_VALUE_ROWS(F)

#define IOW_POINT(F, R, G, L) \
	F(size_bytes, count, ATTR, "bytes", SAME, NONE, "size of a write") \
	IOW_VALUE_ROWS(F)

#define IOW_SEGMENT(F, R, G, L) \
	F(from_bytes,  count,  ATTR, "bytes",   NONE, NONE, "smallest size of the segment") \
	F(fixed_ns,    amount, ATTR, "ns",      NONE, NONE, "cost of a write without its bytes") \
	F(ns_per_byte, amount, ATTR, "ns/byte", NONE, NONE, "cost per byte")

#define IOW_CURVE(F, R, G, L) \
	F(mode, text, ATTR, "", SAME, NONE, \
		"`buffered` (write(2) into the page cache), `sync` (O_SYNC), `dsync` (O_DSYNC), `direct` (O_DIRECT), " \
		"`direct-sync`, `direct-dsync` (both)") \
	F(regime, text, ATTR, "", SAME, NONE, \
		"`append` (the file grows), `prealloc` (fallocate(2), never written), `overwrite`") \
	R(point,   iow_point,   1, MANY, "the cost of a write of one size") \
	R(segment, iow_segment, 0, 2, "robust fit of a line through the points, in one or two parts")

#define IOW_BAND(F, R, G, L) \
	F(index,      count,  ATTR, "",      NONE, NONE, "number of the band") \
	F(size_bytes, count,  ATTR, "bytes", SAME, NONE, \
		"size of the writes; costs of other sizes are interpolated by the logarithm of the size") \
	F(think,      amount, ATTR_OPT, "",  SAME, NONE, \
		"share of the time between two writes that the writer spent on other work; absent if it wrote without pauses. " \
		"Costs of other shares are interpolated") \
	F(p10, amount, ATTR, "", NONE, NONE, \
		"10th percentile of the cost of throttled writes, relative to their mean: measured cost / predicted cost, " \
		"divided by the ratio of the sums") \
	F(p50, amount, ATTR, "", NONE, NONE, "median") \
	F(p90, amount, ATTR, "", NONE, NONE, "90th percentile") \
	F(typical, amount, ATTR_OPT, "", NONE, NONE, \
		"ratio between `p10` and `p90` that minimises the mean relative error (median weighted by 1 / ratio); absent " \
		"from older calibrations, for which `p50` is used")

#define IOW_UNKNOWN(F, R, G, L) \
	F(name, text, ATTR, "", SAME, NONE, "a parameter, a curve (`direct.append`) or `throttled` that could not be measured") \
	F(why,  text, ATTR, "", NONE, NONE, "the reason")

#define IOW_SYSTEM(F, R, G, L) \
	F(version, amount, ATTR, "", SAME, NONE, "version of the format: 1.2") \
	F(date,        text, NEED, "", SAME, NONE, "date of the calibration (UTC)") \
	F(kernel,      text, NEED, "", SAME, NONE, "kernel of the calibration") \
	F(device,      text, NEED, "", SAME, NONE, "device of the calibration") \
	F(file_system, text, NEED, "", SAME, NONE, "file system of the calibration") \
	F(writer, text, OPT, "", SAME, NONE, \
		"CPU to which the writer was pinned, or why it was not pinned; absent from older calibrations") \
	F(writer_cpu, count, OPT, "", SAME, NONE, \
		"number of that CPU, which `evaluate` uses again; absent if the writer was not pinned, and from " \
		"older calibrations") \
	F(partial, text, OPT, "", NONE, NONE, \
		"why the calibration ended early (a failed write, a signal); absent from a complete one. Programs that read it " \
		"print a warning") \
	F(stopped, text, OPT, "", NONE, NONE, \
		"that the process was stopped (frozen, SIGSTOP, a debugger), and for how long; absent if it was not. Blocks in " \
		"which it was are left out") \
	R(parameter, iow_parameter, 0, MANY, "") \
	R(curve,     iow_curve,     0, MANY, "cost of a write by its size") \
	R(throttled, iow_band,      0, 6,    "") \
	R(unknown,   iow_unknown,   0, MANY, "")

/* --- predict: JSON only --- */

#define IOW_TIMES_ROWS(F) \
	F(total_s, number, OPT, "s",  NONE, LOWER, "sum of the writes' times") \
	F(mean_ns, number, OPT, "ns", NONE, LOWER, "mean time of a write") \
	F(p50_ns,  number, OPT, "ns", NONE, LOWER, "median") \
	F(p99_ns,  number, OPT, "ns", NONE, LOWER, "99th percentile")

#define IOW_MEASURED_WRITES(F, R, G, L) \
	IOW_TIMES_ROWS(F)

#define IOW_PREDICTED(F, R, G, L) \
	F(name,  text, ATTR,     "", SAME, NONE, "the model") \
	F(bound, text, ATTR_OPT, "", SAME, NONE, "`warm` or `cold`: see `is_bounded_only`") \
	F(missing,     text, OPT, "", NONE, NONE, "parameter that the calibration lacks; the other values are then absent") \
	F(why_missing, text, OPT, "", NONE, NONE, "why the calibration lacks it") \
	IOW_TIMES_ROWS(F) \
	F(total_low_s,  number, OPT, "s", NONE, NONE, \
		"lower end of the 95 % interval of the total by the calibration: the prediction with each calibrated rate and " \
		"mean at the end of its interval that makes writes cheaper. What the model itself is wrong by, and how runs " \
		"differ, is not in it. Absent if nothing that the prediction used has an interval") \
	F(total_high_s, number, OPT, "s", NONE, NONE, "upper end of that interval") \
	F(throttled_percent, number, OPT, "%", NONE, LOWER, "share of the predicted time in which the writer is throttled") \
	F(throttled_operations, count, OPT, "", NONE, LOWER, "writes that are throttled, at least in part") \
	F(band_low_ns,  number, OPT, "ns", NONE, LOWER, "mean lower end (10 %) of the bands of the throttled writes") \
	F(band_high_ns, number, OPT, "ns", NONE, LOWER, "mean upper end (90 %)") \
	F(close_ns, number, OPT, "ns", NONE, LOWER, "time to write the rest of a libc buffer when the file is closed") \
	F(drain_ns, number, OPT, "ns", NONE, LOWER, "time from then until nothing is dirty") \
	F(per_write_error_percent, number, OPT, "%", NONE, LOWER, \
		"error relative to the measured writes, as in `scenario/model`, without subtracting the clock step") \
	F(within_tenth_percent, number, OPT, "%", NONE, HIGHER, "as in `scenario/model`, without subtracting the clock step") \
	F(total_error_percent, number, OPT, "%", NONE, NONE, "as in `scenario/model`") \
	F(coverage_percent,    number, OPT, "%", NONE, NONE, "as in `scenario/model`")

#define IOW_SIZE_COST(F, R, G, L) \
	F(curve,      text,   ATTR, "", SAME, NONE, "a curve that the kernel model used") \
	F(size_bytes, count,  ATTR, "bytes", SAME, NONE, "a size of the curve") \
	F(ns,         number, ATTR_OPT, "ns", NONE, LOWER, "median that was used") \
	F(mean_ns,    number, ATTR_OPT, "ns", NONE, LOWER, "mean that was used") \
	F(outliers,   count,  ATTR_OPT, "", NONE, NONE, "as in the calibration") \
	F(outlier_percent, amount, ATTR_OPT, "%", NONE, NONE, "as in the calibration") \
	F(low_ns,     number, ATTR_OPT, "ns", NONE, LOWER, "lower end of the interval") \
	F(high_ns,    number, ATTR_OPT, "ns", NONE, LOWER, "upper end of the interval") \
	F(n,          count,  ATTR, "", NONE, NONE, "samples of this size") \
	F(pooled_n,          count, ATTR_OPT, "",      NONE, NONE, "samples of all pooled sizes; only if sizes were pooled") \
	F(pooled_from_bytes, count, ATTR_OPT, "bytes", NONE, NONE, "smallest pooled size") \
	F(pooled_to_bytes,   count, ATTR_OPT, "bytes", NONE, NONE, "largest pooled size") \
	F(unstable, text, ATTR_OPT, "", NONE, NONE, "as in the calibration")

#define IOW_PREDICTION(F, R, G, L) \
	F(system_file,   text, NEED, "", SAME, NONE, "the calibration") \
	F(system_date,   text, NEED, "", SAME, NONE, "date of the calibration") \
	F(scenario_name, text, OPT,  "", SAME, NONE, "the predicted scenario") \
	F(trace_file,    text, OPT,  "", SAME, NONE, "the predicted table; absent for a scenario and a pattern") \
	F(mode,       text,   NEED, "", SAME, NONE, "mode, as in the options or the table") \
	F(sync,       text,   NEED, "", SAME, NONE, "sync, as in the options or the table") \
	F(sync_curve, text,   OPT,  "", SAME, NONE, \
		"with `fsync` or `fdatasync` after each write: curve of synchronous writes that was used") \
	F(sync_call_ns, number, OPT, "ns", SAME, NONE, "cost of the additional call (`sc_w`)") \
	F(regime, text, NEED, "", SAME, NONE, "file state, as in the options or the table") \
	F(memory, text, NEED, "", SAME, NONE, "memory state, as in the options or the table") \
	F(stdio,  text, OPT,  "", SAME, NONE, "libc buffer, as in the options or the table") \
	F(files,  count, OPT, "", SAME, NONE, "number of files, if there are several") \
	F(operations, count, NEED, "",      SUM, NONE, "writes") \
	F(bytes,      count, NEED, "bytes", SUM, NONE, "bytes") \
	F(background_bytes, number, OPT, "bytes", SAME, NONE, \
		"threshold of background write-back, as set by the scenario and the options") \
	F(limit_bytes,      number, OPT, "bytes", SAME, NONE, "limit of dirty bytes, likewise") \
	F(is_bounded_only, truth, NEED, "", SAME, NONE, \
		"whether the memory state is unknown (`--mem=as-is`): each model that depends on memory then has two " \
		"predictions, with `bound` `warm` and `cold`") \
	R(outside_model,   coded_text,          0, MANY, "as in `cell`") \
	R(measured_writes, iow_measured_writes, 0, 1, \
		"times of the table: `write_ns`, with `fsync` or `fdatasync` plus `sync_ns`") \
	R(model,           iow_predicted,       0, MANY, "a prediction") \
	R(size_cost,       iow_size_cost,       0, MANY, "")

#define IOW_RECORDS(RECORD) \
	RECORD(iow_cost_split,       IOW_COST_SPLIT,       PLAIN,   "", "", "shares of the time") \
	RECORD(iow_cell,             IOW_CELL,             SUBJECT, "id", "", "one measured combination") \
	RECORD(iow_cells,            IOW_CELLS,            PLAIN,   "", "", "") \
	RECORD(iow_model_errors,     IOW_MODEL_ERRORS,     PLAIN,   "", "name", "errors of a model") \
	RECORD(iow_write,            IOW_WRITE,            SERIES,  "", "", "a write with the prediction of each model") \
	RECORD(iow_scenario,         IOW_SCENARIO,         SUBJECT, "id", "repetition", "one scenario, measured and predicted") \
	RECORD(iow_goal,             IOW_GOAL,             PLAIN,   "", "set,error", "") \
	RECORD(iow_evaluation,       IOW_EVALUATION,       PLAIN,   "", "", "") \
	RECORD(iow_result,           IOW_RESULT,           PLAIN,   "", "", "") \
	RECORD(iow_statistics,       IOW_STATISTICS,       PLAIN,   "", "", "") \
	RECORD(iow_interval,         IOW_INTERVAL,         SERIES,  "cell_id", "", "a cell in an interval") \
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
