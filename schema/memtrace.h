/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of memtrace's reports: docs/report-memtrace.md. */
#ifndef SCHEMA_MEMTRACE_H
#define SCHEMA_MEMTRACE_H

#include "schema/shared.h"

/* --- the analyzed recordings --- */

#define MT_MISSING(F, R, G, L) \
	F(kind,  text,  ATTR, "", SAME, NONE, "why samples are missing or were discarded") \
	F(count, count, ATTR, "", SUM, LOWER, "number of such samples")

#define MT_RECOVERED(F, R, G, L) \
	F(kind,  text,  ATTR, "", SAME, NONE, "how addresses were found of loads that overwrote a register of their address") \
	F(count, count, ATTR, "", SUM, NONE, "number of such samples, which are among the samples")

#define MT_RECORDING(F, R, G, L) \
	F(role, CHOICE(only|before|after|equal), ATTR, "", SAME, NONE, \
		"`partition` compares `before` and `after`; `equal` is a second recording like `before`") \
	F(file,    text, NEED, "", SAME, NONE, "file of the recording") \
	F(recorded_command, text, NEED, "", SAME, NONE, "the recorded command") \
	F(sampling_engine,  text, NEED, "", SAME, NONE, "engine") \
	F(period,  amount, OPT, "", SAME, NONE, "accesses per sample; absent if the engine does not sample by accesses") \
	F(is_complete, truth, NEED, "", MIN, NONE, "whether the recording has its end") \
	F(samples,     count, NEED, "", SUM, NONE, "samples of the recording") \
	F(selected,    count, NEED, "", SUM, NONE, "samples selected by the filters") \
	F(seconds,     amount, NEED, "s", NONE, NONE, "time from the first to the last selected sample") \
	F(processes,   count, NEED, "", NONE, NONE, "processes of the selected samples") \
	G(OPTIONAL) \
	F(estimated_accesses,      amount, NEED, "", SUM, NONE, "estimate: selected samples times period") \
	F(estimated_accesses_low,  amount, NEED, "", NONE, NONE, "lower end of the 95 % interval of a Poisson process") \
	F(estimated_accesses_high, amount, NEED, "", NONE, NONE, "upper end") \
	G(END) \
	F(in_ranges_percent,   amount, OPT, "%", NONE, NONE, "share of the selected samples in a `--range`") \
	F(in_objects_percent,  amount, OPT, "%", NONE, NONE, "share of the selected samples in objects that the program named") \
	F(in_allocations_percent, amount, OPT, "%", NONE, NONE, "share of the selected samples in allocations of `--allocs`") \
	F(in_mappings_percent, amount, OPT, "%", NONE, NONE, \
		"share of the selected samples in a known mapping, but in none of the above") \
	R(missing_samples, mt_missing, 0, MANY, "") \
	R(recovered_samples, mt_recovered, 0, MANY, "") \
	L("selected <= samples") \
	L("estimated_accesses_low <= estimated_accesses <= estimated_accesses_high")

#define MT_RANGE(F, R, G, L) \
	F(id,   text, ATTR, "", SAME, NONE, \
		"name of a `--range`, otherwise of an object, an allocation or a mapping; `unknown` if in none") \
	F(kind, CHOICE(range|object|allocation|mapping), NEED, "", SAME, NONE, "kind of the name") \
	F(samples, count,  NEED, "", SUM, NONE, "selected samples in the range") \
	F(percent, amount, NEED, "%", NONE, NONE, "share of all selected samples") \
	G(OPTIONAL) \
	F(estimated_accesses,      amount, NEED, "", SUM, NONE, "estimate: samples times period") \
	F(estimated_accesses_low,  amount, NEED, "", NONE, NONE, "lower end of the 95 % interval") \
	F(estimated_accesses_high, amount, NEED, "", NONE, NONE, "upper end") \
	G(END) \
	F(touched_bytes, count, NEED, "bytes", NONE, NONE, "size of the buckets with a sample")

/* --- pattern: when and where --- */

#define MT_BAND(F, R, G, L) \
	F(index,   count, ATTR, "", NONE, NONE, "row of the map, from 0 at the lowest address") \
	F(address, text,  NEED, "", NONE, NONE, "first address of the row, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping of that address") \
	F(size_bytes, count, NEED, "bytes", NONE, NONE, "size of the row's buckets with a sample") \
	F(samples, count, NEED, "", NONE, NONE, "samples in the row") \
	F(is_behind_gap, flag, NEED, "", NONE, NONE, "1 if untouched addresses are omitted before or inside the row")

#define MT_COLUMN(F, R, G, L) \
	F(index,  count,  ATTR, "", NONE, NONE, "column of the map, from 0") \
	F(from_s, amount, NEED, "s", NONE, NONE, "start of the column, since the start of the recording") \
	F(to_s,   amount, NEED, "s", NONE, NONE, "end of the column") \
	F(samples, count, NEED, "", NONE, NONE, "samples in the column")

#define MT_CELL(F, R, G, L) \
	F(column_index, count, ATTR, "", NONE, NONE, "column") \
	F(band_index,   count, ATTR, "", NONE, NONE, "row") \
	F(samples, count, ATTR, "", NONE, NONE, "samples; empty cells are omitted")

#define MT_PART_BAND(F, R, G, L) \
	F(address, text, ATTR, "", NONE, NONE, "first address of the row, hexadecimal") \
	F(region,  text, ATTR, "", NONE, NONE, "range or mapping of that address") \
	F(size_bytes, count, ATTR, "bytes", NONE, NONE, "size of the row's buckets with a sample") \
	F(samples, count, ATTR, "", NONE, NONE, "samples in the row") \
	F(cells, text, BODY, "", NONE, NONE, \
		"samples of each cell of the row in the order of time, separated by blanks")

#define MT_PART(F, R, G, L) \
	F(index,   count, ATTR, "", NONE, NONE, "part of the map with finer cells, from 0 in the order of falling samples") \
	F(address, text,  NEED, "", NONE, NONE, "first address of the part, hexadecimal") \
	F(from_s, amount, NEED, "s", NONE, NONE, "start of the part, since the start of the recording") \
	F(to_s,   amount, NEED, "s", NONE, NONE, "end of the part") \
	F(first_column, count, NEED, "", NONE, NONE, "first column of the map that the part covers") \
	F(columns, count, NEED, "", NONE, NONE, "number of columns that it covers") \
	F(first_band, count, NEED, "", NONE, NONE, "first row of the map that the part covers; rows are covered whole") \
	F(bands,   count, NEED, "", NONE, NONE, "number of rows that it covers") \
	F(cells_each, count, NEED, "", NONE, NONE, "cells of equal time per column of the map") \
	F(samples, count, NEED, "", NONE, NONE, "samples in the part") \
	R(part_band, mt_part_band, 1, MANY, "") \
	L("from_s <= to_s") \
	L("part_band/samples = samples") \
	L("bands <= count(part_band)")

#define MT_PATTERN(F, R, G, L) \
	F(x, CHOICE(time|samples), NEED, "", SAME, NONE, "columns of equal time or of equal numbers of samples") \
	F(y, CHOICE(rank|address), NEED, "", SAME, NONE, \
		"rows of touched buckets in the order of their addresses, or of addresses without large gaps") \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	R(map_column, mt_column, 0, MANY, "") \
	R(map_band, mt_band,   0, MANY, "") \
	R(map_cell, mt_cell,   0, MANY, "") \
	R(map_part, mt_part,   0, MANY, "") \
	L("map_cell/samples = map_band/samples = map_column/samples") \
	L("map_part/samples <= map_cell/samples")

/* --- count: accesses of each bucket --- */

#define MT_BUCKET(F, R, G, L) \
	F(address, text,  NEED, "", NONE, NONE, "first address, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping of that address") \
	F(element, amount, OPT, "", NONE, NONE, "(address - START) / SIZE in a `--range` with SIZE") \
	F(samples, count,  NEED, "", NONE, NONE, "samples") \
	F(percent, amount, OPT, "%", NONE, NONE, "share of the selected samples; absent if pages were drawn uniformly") \
	F(estimated_accesses,      amount, OPT, "", NONE, NONE, "estimate: samples times period") \
	F(estimated_accesses_low,  amount, OPT, "", NONE, NONE, "lower end of the 95 % interval") \
	F(estimated_accesses_high, amount, OPT, "", NONE, NONE, "upper end") \
	F(return_seconds, amount, OPT, "s", NONE, NONE, \
		"of a page that was paged out: mean time (geometric) until it was accessed again, which orders the pages")

#define MT_BIN(F, R, G, L) \
	F(position, amount, ATTR, "bytes", NONE, NONE, "touched bytes at lower addresses: the address without gaps") \
	F(address,  text,   ATTR, "", NONE, NONE, "first address, hexadecimal") \
	F(region,   text,   ATTR, "", NONE, NONE, "range or mapping of that address") \
	F(buckets,  count,  ATTR, "", NONE, NONE, "touched buckets in the bin") \
	F(samples,  count,  ATTR, "", NONE, NONE, "samples of these buckets")

#define MT_COUNT(F, R, G, L) \
	F(bucket_bytes,    count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(touched_buckets, count, NEED, "", NONE, NONE, "buckets with a sample") \
	R(hot_bucket, mt_bucket, 0, MANY, "the buckets with the most samples") \
	R(address_bin, mt_bin,    0, MANY, "all buckets in the order of their addresses, several per bin if there are many")

/* --- hotset: size by access frequency --- */

#define MT_STEP(F, R, G, L) \
	F(samples,    count,  NEED, "", NONE, NONE, "smallest number of samples of a bucket") \
	F(estimated_accesses,   amount, OPT,  "", NONE, NONE, "estimate: samples times period") \
	F(buckets,    count,  NEED, "", NONE, NONE, "number of buckets with at least this many samples") \
	F(size_bytes, count,  NEED, "bytes", NONE, NONE, "size of these buckets") \
	F(percent,    amount, NEED, "%", NONE, NONE, "share of the selected samples in these buckets")

#define MT_HOTSET(F, R, G, L) \
	F(bucket_bytes,  count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(touched_bytes, count, NEED, "bytes", NONE, NONE, \
		"size of the buckets with a sample, and of the pages that were paged out and came back") \
	F(estimator, text, NEED, "", SAME, NONE, "estimator for buckets without a sample") \
	F(indication, text, OPT, "", SAME, NONE, "why there is no interval, and the estimate is an indication only") \
	F(mapped_bytes, amount, OPT, "bytes", NONE, NONE, \
		"size of the mappings of the processes, or of those that were selected: the working set is not larger") \
	F(working_set_bytes,      amount, NEED, "bytes", NONE, NONE, \
		"the working set is at least so large: buckets with a sample, and a lower bound of those without") \
	F(working_set_low_bytes,  amount, OPT, "bytes", NONE, NONE, "lower end of the 95 % interval") \
	F(working_set_high_bytes, amount, OPT, "bytes", NONE, NONE, \
		"upper end: that of the mappings if samples cannot show less; absent if it is not known") \
	F(coverage_percent, amount, OPT, "%", NONE, NONE, \
		"share of all accesses that go to buckets with a sample (Good and Turing); absent without samples of accesses") \
	R(size_step, mt_step, 0, MANY, "") \
	L("working_set_low_bytes <= working_set_bytes")

/* --- missratio: of an LRU buffer --- */

#define MT_POINT(F, R, G, L) \
	F(buffer_bytes, count, NEED, "bytes", NONE, NONE, "size of the buffer") \
	F(miss_ratio, amount, NEED, "", NONE, NONE, "share of the accesses that miss the buffer") \
	F(low,        amount, OPT, "", NONE, NONE, "lower end of the 95 % interval; absent if it is an indication only") \
	F(high,       amount, OPT, "", NONE, NONE, "upper end")

#define MT_MISSRATIO(F, R, G, L) \
	F(estimator, text, NEED, "", SAME, NONE, "estimator that was used, and why") \
	F(indication, text, OPT, "", SAME, NONE, "why there is no interval, and the curve is an indication only") \
	F(interval, text, OPT, "", SAME, NONE, "orders of the accesses for which the interval holds") \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket, the unit of buffering") \
	F(pairs, count, NEED, "", NONE, NONE, "recorded reuses; 0 if the estimator uses none") \
	F(working_set_bytes, amount, NEED, "bytes", NONE, NONE, \
		"buffer size from which only first accesses miss: the working set is at least so large") \
	R(curve_point, mt_point, 0, MANY, "")

/* --- skew: by rank of popularity --- */

#define MT_RANK(F, R, G, L) \
	F(rank,    count,  NEED, "", NONE, NONE, "rank of the bucket by its samples, from 1") \
	F(samples, count,  NEED, "", NONE, NONE, "samples of this bucket") \
	F(estimated_accesses, amount, OPT, "", NONE, NONE, "samples times period") \
	F(fitted,  amount, OPT,  "", NONE, NONE, \
		"samples by the fitted Zipf distribution, for the ranks to which it was fitted") \
	F(cumulative_percent, amount, NEED, "%", NONE, NONE, "share of the selected samples up to this rank")

#define MT_POPULOUS(F, R, G, L) \
	F(address, text,  NEED, "", NONE, NONE, "first address of the adjacent buckets, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping of that address") \
	F(size_bytes, count, NEED, "bytes", NONE, NONE, "size of the buckets") \
	F(samples, count, NEED, "", NONE, NONE, "samples of the buckets") \
	F(times_median, amount, NEED, "", NONE, NONE, \
		"samples per bucket, divided by the median of the region's touched buckets")

#define MT_SKEW(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(indication, text, OPT, "", SAME, NONE, "why there are no intervals, and the values are an indication only") \
	F(gini, amount, OPT, "", NONE, NONE, \
		"Gini coefficient of the accesses to the buckets of the working set: 0 if all are equal, 1 if one bucket has all") \
	F(gini_low,  amount, OPT, "", NONE, NONE, "lower end of the 95 % interval") \
	F(gini_high, amount, OPT, "", NONE, NONE, "upper end") \
	F(zipf_exponent,      amount, OPT, "", NONE, NONE, "maximum-likelihood estimate") \
	F(zipf_exponent_low,  amount, OPT, "", NONE, NONE, \
		"lower end of the 95 % interval; absent if the popularity is not that of a Zipf distribution") \
	F(zipf_exponent_high, amount, OPT, "", NONE, NONE, "upper end") \
	F(zipf_ranks, count, OPT, "", NONE, NONE, "number of buckets with which the distribution fits best") \
	F(top_1_percent_share,  amount, OPT, "%", NONE, NONE, \
		"share of the accesses to the most popular 1 % of the buckets of the working set") \
	F(top_1_percent_share_low,  amount, OPT, "%", NONE, NONE, "lower end of the 95 % interval") \
	F(top_1_percent_share_high, amount, OPT, "%", NONE, NONE, "upper end") \
	F(top_10_percent_share, amount, OPT, "%", NONE, NONE, "the same for 10 %") \
	F(top_10_percent_share_low,  amount, OPT, "%", NONE, NONE, "lower end of the 95 % interval") \
	F(top_10_percent_share_high, amount, OPT, "%", NONE, NONE, "upper end") \
	R(ranked, mt_rank,     0, MANY, "") \
	R(populous, mt_populous, 0, MANY, "adjacent buckets with at least 8 times the median")

/* --- partition: effect of a change of the layout --- */

#define MT_CHANGE(F, R, G, L) \
	F(id, text, ATTR, "", SAME, NONE, "range or mapping") \
	F(before_samples, count, NEED, "", NONE, NONE, "samples in it before the change") \
	F(after_samples,  count, NEED, "", NONE, NONE, "samples in it after the change") \
	F(before_bytes, count, NEED, "bytes", NONE, LOWER, "accessed volume before the change: accesses times size of a bucket") \
	F(after_bytes,  count, NEED, "bytes", NONE, LOWER, "accessed volume after the change") \
	F(change_percent, number, OPT, "%", NONE, NONE, "change of the volume") \
	F(low_percent,    number, OPT, "%", NONE, NONE, \
		"lower end of the interval: 95 % of a Poisson process, and the noise of equal runs") \
	F(high_percent,   number, OPT, "%", NONE, NONE, "upper end") \
	F(decision, CHOICE(none|less|more), NEED, "", SAME, NONE, "`none` if the change is within the noise")

#define MT_PARTITION(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(unit,  text, OPT, "", SAME, NONE, "quantity that is multiplied by the size of a bucket, if it is not accesses") \
	F(noise, text, NEED, "", SAME, NONE, "sources of error in the interval") \
	R(change, mt_change, 0, MANY, "")

/* --- reuse, stride, sharing --- */

#define MT_DISTANCE(F, R, G, L) \
	F(from, count, NEED, "", NONE, NONE, "smallest number of samples between two samples of one bucket") \
	F(to,   count, NEED, "", NONE, NONE, "upper bound of that number, exclusive") \
	F(between_bytes, count, NEED, "bytes", NONE, NONE, \
		"size of the other buckets touched in between, at the upper bound (StatStack)") \
	F(count, count, NEED, "", NONE, NONE, "pairs of samples") \
	F(percent, amount, NEED, "%", NONE, NONE, "share of the selected samples")

#define MT_REUSE(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(unit, text, NEED, "", SAME, NONE, "unit of a distance") \
	F(pairs, count, NEED, "", NONE, NONE, "samples whose bucket has an earlier sample") \
	F(first_touches, count, NEED, "", NONE, NONE, "samples whose bucket has no earlier sample") \
	R(reuse_bin, mt_distance, 0, MANY, "")

#define MT_STRIDE(F, R, G, L) \
	F(stride_bytes, number, NEED, "bytes", NONE, NONE, \
		"address minus the address of the preceding sample of the same thread") \
	F(count,   count,  NEED, "", NONE, NONE, "number of samples with this stride") \
	F(percent, amount, NEED, "%", NONE, NONE, "share of all pairs")

#define MT_STRIDES(F, R, G, L) \
	F(pairs, count, NEED, "", NONE, NONE, "samples with a preceding sample of the same thread") \
	F(same_percent,     amount, NEED, "%", NONE, NONE, "share at the same address") \
	F(forward_percent,  amount, NEED, "%", NONE, NONE, "share up to a page above") \
	F(backward_percent, amount, NEED, "%", NONE, NONE, "share up to a page below") \
	F(far_percent,      amount, NEED, "%", NONE, NONE, "share farther away") \
	R(stride, mt_stride, 0, MANY, "the most frequent strides")

#define MT_LINE(F, R, G, L) \
	F(address, text,  NEED, "", NONE, NONE, "first address of the bucket, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping of that address") \
	F(sharing, CHOICE(false|true), NEED, "", NONE, NONE, \
		"`false`: no 8 bytes were accessed by two threads; `true`: some were") \
	F(samples, count, NEED, "", NONE, NONE, "samples") \
	F(stores,  count, NEED, "", NONE, NONE, "stores among the samples") \
	F(first_thread,  count, NEED, "", NONE, NONE, "a thread") \
	F(second_thread, count, NEED, "", NONE, NONE, "another thread") \
	F(has_more_threads, flag, NEED, "", NONE, NONE, "1 if there are more threads")

#define MT_SHARING(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a line") \
	F(touched_buckets, count, NEED, "", NONE, NONE, "lines with a sample") \
	F(candidates, count, NEED, "", NONE, NONE, "lines accessed by at least two threads, one of which stores") \
	R(shared_line, mt_line, 0, MANY, "the lines with the most samples")

/* --- overhead: cost of recording --- */

#define MT_VARIANT(F, R, G, L) \
	F(id,   text,  ATTR, "", SAME, NONE, "`none` (the command alone), engine and rate, or `valgrind lackey`") \
	F(runs, count, NEED, "", SUM, NONE, "number of runs, interleaved with the others") \
	F(seconds,       amount, NEED, "s", NONE, LOWER, "run time of the command, median") \
	F(seconds_least, amount, NEED, "s", NONE, NONE, "shortest run time") \
	F(seconds_most,  amount, NEED, "s", NONE, NONE, "longest run time") \
	F(slowdown,       amount, NEED, "", NONE, LOWER, \
		"run time divided by that of the command alone in the same round, median") \
	F(slowdown_least, amount, NEED, "", NONE, NONE, "smallest slowdown") \
	F(slowdown_most,  amount, NEED, "", NONE, NONE, "largest slowdown") \
	F(samples,     count, OPT, "", NONE, NONE, "samples; for lackey data accesses; median") \
	F(trace_bytes, count, OPT, "bytes", NONE, LOWER, "size of the trace, median") \
	F(named_bytes, count, OPT, "bytes", NONE, LOWER, \
		"size of a trace with only the samples in ranges, objects and allocations, median") \
	F(lost_samples, count, OPT, "", NONE, LOWER, "samples lost or throttled by the kernel, median") \
	L("seconds_least <= seconds <= seconds_most") \
	L("slowdown_least <= slowdown <= slowdown_most")

#define MT_OVERHEAD(F, R, G, L) \
	F(recorded_command, text, NEED, "", SAME, NONE, "the command") \
	F(sampling_engine,  text, NEED, "", SAME, NONE, "the engine") \
	R(variant, mt_variant, 1, MANY, "")

/* --- selfcheck: engines compared with a known popularity --- */

#define MT_CHECK(F, R, G, L) \
	F(id,   text, ATTR, "", SAME, NONE, "the engine") \
	F(runs, count, NEED, "", SUM, NONE, "number of runs, in turn with those of other engines and those without a recording") \
	F(samples, count, NEED, "", SUM, NONE, \
		"samples of the generator's memory in all runs; if pages were paged out, also returns of these") \
	F(lost_samples, count, NEED, "", SUM, LOWER, "samples lost or throttled by the kernel in all runs") \
	F(dropped_percent,   amount, NEED, "%", NONE, LOWER, "share of the sampled accesses whose address is unknown") \
	F(recovered_percent, amount, NEED, "%", NONE, NONE, \
		"share of the sampled accesses whose address was found although the load overwrote its register") \
	F(top_1_percent_share, amount, NEED, "%", NONE, NONE, \
		"share of the accesses to the most popular 1 % of the pages, as it is known") \
	F(top_1_percent_error, number, OPT, "%", NONE, NONE, \
		"the same share by the engine less the known one, in percentage points, mean of the runs; absent without " \
		"samples of accesses") \
	F(top_1_percent_error_low,  number, OPT, "%", NONE, NONE, \
		"lower end of the 95 % interval by Student's t; absent if less than two runs have samples") \
	F(top_1_percent_error_high, number, OPT, "%", NONE, NONE, "upper end") \
	F(recall_percent, amount, NEED, "%", NONE, HIGHER, \
		"share of the most popular 1 % of the pages that are among the most popular 1 % by the samples of all runs") \
	F(ideal_recall_percent, amount, NEED, "%", NONE, NONE, "the same for an ideal sampler with as many samples") \
	F(slowdown,       amount, NEED, "", NONE, LOWER, \
		"accesses per second without a recording divided by those with it, of the same round, median") \
	F(slowdown_least, amount, NEED, "", NONE, NONE, "smallest slowdown") \
	F(slowdown_most,  amount, NEED, "", NONE, NONE, "largest slowdown") \
	F(accuracy, CHOICE(good|unclear|biased|blind), NEED, "", SAME, NONE, \
		"`good`: the interval of the error is within 10 points; `biased`: it is outside, or more than 5 % were dropped; " \
		"`unclear`: neither; `blind`: no samples of accesses") \
	L("slowdown_least <= slowdown <= slowdown_most")

#define MT_SELFCHECK(F, R, G, L) \
	F(pattern, text, NEED, "", SAME, NONE, "pattern of the generator; `+scatter`: popular pages are spread") \
	F(size_bytes,   count, NEED, "bytes", SAME, NONE, "memory of the generator") \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a page") \
	F(seed, bits, NEED, "", SAME, NONE, "seed of the random numbers") \
	R(check, mt_check, 0, MANY, "") \
	R(unavailable_engine, named_text, 0, MANY, "an engine that was not checked, with the reason")

/* --- the report --- */

#define MT_RESULT(F, R, G, L) \
	R(recording, mt_recording, 0, MANY, "an analyzed recording") \
	R(filter, named_text, 0, MANY, "an option that selected samples, with its value") \
	R(range, mt_range,     0, MANY, "the selected samples by range or mapping") \
	R(access_pattern, mt_pattern,   0, 1, "when and where memory is accessed") \
	R(access_count, mt_count,     0, 1, "how often each bucket is accessed") \
	R(hot_set, mt_hotset,    0, 1, "amount of memory by access frequency") \
	R(miss_ratio_curve, mt_missratio, 0, 1, "miss ratio by buffer size") \
	R(skew, mt_skew,      0, 1, "inequality of the buckets") \
	R(partitioning, mt_partition, 0, 1, "changes between two recordings") \
	R(reuse_distance, mt_reuse,     0, 1, "distance between accesses to the same bucket") \
	R(strides, mt_strides,   0, 1, "distance between successive samples") \
	R(false_sharing, mt_sharing,   0, 1, "lines that several threads write") \
	R(recording_cost, mt_overhead, 0, 1, "cost of recording a command") \
	R(self_check, mt_selfcheck, 0, 1, "engines compared with a known popularity")

#define MT_INTERVAL(F, R, G, L) \
	F(time_s,  amount, NEED, "s", NONE, NONE, "end of the interval, since the start of the recording") \
	F(seconds, amount, NEED, "s", TIME, NONE, "length of the interval") \
	F(samples, count,  NEED, "", SUM, NONE, "selected samples in the interval") \
	F(accesses_per_second, amount, OPT, "/s", RATE, NONE, "estimate: samples times period")

#define MT_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "length of an interval") \
	R(interval, mt_interval, 0, MANY, "")

#define MT_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "program, parameters, host and time") \
	R(machine_info, machine_info,   1, 1, "the machine that ran the analysis") \
	R(environment,  environment,    1, 1, "") \
	R(result,       mt_result,      1, 1, "") \
	R(series,       mt_series,      0, 1, "samples over time (`pattern` by time)") \
	R(verdict,      verdict,        1, 1, "whether the result is trustworthy") \
	R(parts,        merged_parts,   0, 1, "of a merged report: what was merged")

#define MT_DOCUMENT(F, R, G, L) \
	R(report, mt_report, 1, 1, "")

#define MT_RECORDS(RECORD) \
	RECORD(mt_missing,   MT_MISSING,   PLAIN,   "", "kind", "") \
	RECORD(mt_recovered, MT_RECOVERED, PLAIN,   "", "kind", "") \
	RECORD(mt_recording, MT_RECORDING, PLAIN,   "", "role", "a recording") \
	RECORD(mt_range,     MT_RANGE,     SUBJECT, "id", "", "a range or mapping") \
	RECORD(mt_band,      MT_BAND,      PLAIN,   "", "", "") \
	RECORD(mt_column,    MT_COLUMN,    PLAIN,   "", "", "") \
	RECORD(mt_cell,      MT_CELL,      PLAIN,   "", "", "") \
	RECORD(mt_part_band, MT_PART_BAND, PLAIN,   "", "", "") \
	RECORD(mt_part,      MT_PART,      PLAIN,   "", "", "") \
	RECORD(mt_pattern,   MT_PATTERN,   PLAIN,   "", "", "") \
	RECORD(mt_bucket,    MT_BUCKET,    PLAIN,   "", "", "") \
	RECORD(mt_bin,       MT_BIN,       PLAIN,   "", "", "") \
	RECORD(mt_count,     MT_COUNT,     PLAIN,   "", "", "") \
	RECORD(mt_step,      MT_STEP,      PLAIN,   "", "", "") \
	RECORD(mt_hotset,    MT_HOTSET,    PLAIN,   "", "", "") \
	RECORD(mt_point,     MT_POINT,     PLAIN,   "", "", "") \
	RECORD(mt_missratio, MT_MISSRATIO, PLAIN,   "", "", "") \
	RECORD(mt_rank,      MT_RANK,      PLAIN,   "", "", "") \
	RECORD(mt_populous,  MT_POPULOUS,  PLAIN,   "", "", "") \
	RECORD(mt_skew,      MT_SKEW,      PLAIN,   "", "", "") \
	RECORD(mt_change,    MT_CHANGE,    SUBJECT, "id", "", "a range or mapping before and after") \
	RECORD(mt_partition, MT_PARTITION, PLAIN,   "", "", "") \
	RECORD(mt_distance,  MT_DISTANCE,  PLAIN,   "", "", "") \
	RECORD(mt_reuse,     MT_REUSE,     PLAIN,   "", "", "") \
	RECORD(mt_stride,    MT_STRIDE,    PLAIN,   "", "", "") \
	RECORD(mt_strides,   MT_STRIDES,   PLAIN,   "", "", "") \
	RECORD(mt_line,      MT_LINE,      PLAIN,   "", "", "") \
	RECORD(mt_sharing,   MT_SHARING,   PLAIN,   "", "", "") \
	RECORD(mt_variant,   MT_VARIANT,   SUBJECT, "id", "", "a way to run the command") \
	RECORD(mt_overhead,  MT_OVERHEAD,  PLAIN,   "", "", "") \
	RECORD(mt_check,     MT_CHECK,     SUBJECT, "id", "", "an engine") \
	RECORD(mt_selfcheck, MT_SELFCHECK, PLAIN,   "", "", "") \
	RECORD(mt_result,    MT_RESULT,    PLAIN,   "", "", "") \
	RECORD(mt_interval,  MT_INTERVAL,  SERIES,  "", "", "an interval") \
	RECORD(mt_series,    MT_SERIES,    PLAIN,   "", "", "") \
	RECORD(mt_report,    MT_REPORT,    PLAIN,   "", "", "") \
	RECORD(mt_document,  MT_DOCUMENT,  PLAIN,   "", "", "")

FIELD_STRUCTS(MT_RECORDS)

#endif
