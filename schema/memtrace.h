/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of memtrace's reports: docs/report-memtrace.md. */
#ifndef SCHEMA_MEMTRACE_H
#define SCHEMA_MEMTRACE_H

#include "schema/shared.h"

/* --- what was analyzed --- */

#define MT_MISSING(F, R, G, L) \
	F(kind,  text,  ATTR, "", SAME, NONE, "why samples are missing or were discarded") \
	F(count, count, ATTR, "", SUM, LOWER, "number of such samples")

#define MT_RANK_GROUP(F, R, G, L) \
	F(first_rank, count, NEED, "", NONE, NONE, "pages in the order of their true popularity, from 1") \
	F(last_rank,  count, NEED, "", NONE, NONE, "the last of the group") \
	F(bias, amount, OPT, "", NONE, NONE, "part of the estimated accesses in the group, over the part of the true ones, median")

/* Numbers of MT_CHECK that a recording keeps. */
#define MT_ENGINE_CHECK(F, R, G, L) \
	F(pattern, text, NEED, "", SAME, NONE, "what the generator accessed") \
	F(slowdown,      amount, OPT, "", NONE, LOWER, "over the generator alone") \
	F(recall_top_1,  amount, OPT, "", NONE, HIGHER, "part of the most popular 1 % of the pages that the engine has found") \
	F(recall_top_10, amount, OPT, "", NONE, HIGHER, "of 10 %") \
	F(rank_correlation, number, OPT, "", NONE, HIGHER, "Spearman's, of all pages") \
	F(miss_ratio_error, amount, OPT, "", NONE, LOWER, "mean distance of the miss-ratio curve from the exact one") \
	R(rank_group, mt_rank_group, 0, MANY, "")

#define MT_ENGINE_CHECKS(F, R, G, L) \
	F(check_start, moment, NEED, "", SAME, NONE, "when `memtrace selfcheck` began") \
	F(check_model,   text, NEED, "", SAME, NONE, "CPU of the machine") \
	F(check_kernel,  text, NEED, "", SAME, NONE, "release of its kernel") \
	R(engine_check, mt_engine_check, 1, MANY, "")

#define MT_RECORDING(F, R, G, L) \
	F(role, CHOICE(only|before|after|equal), ATTR, "", SAME, NONE, \
		"of `partition` the recordings to compare, and one that is to equal `before`") \
	F(file,    text, NEED, "", SAME, NONE, "the recording") \
	F(recorded_command, text, NEED, "", SAME, NONE, "what was recorded") \
	F(sampling_engine,  text, NEED, "", SAME, NONE, "how") \
	F(period,  amount, OPT, "", SAME, NONE, "accesses for each sample; absent: the engine does not sample by accesses") \
	F(is_complete, truth, NEED, "", MIN, NONE, "whether the recording ends as it should") \
	F(samples,     count, NEED, "", SUM, NONE, "samples of the recording") \
	F(selected,    count, NEED, "", SUM, NONE, "samples that the filters left") \
	F(seconds,     amount, NEED, "s", NONE, NONE, "from the first to the last of these") \
	F(processes,   count, NEED, "", NONE, NONE, "processes that these are of") \
	G(OPTIONAL) \
	F(estimated_accesses,      amount, NEED, "", SUM, NONE, "estimated: selected samples times period") \
	F(estimated_accesses_low,  amount, NEED, "", NONE, NONE, "its 95 % interval, of a Poisson process") \
	F(estimated_accesses_high, amount, NEED, "", NONE, NONE, "the other end") \
	G(END) \
	F(in_ranges_percent,   amount, OPT, "%", NONE, NONE, "part of the selected samples in a `--range`") \
	F(in_objects_percent,  amount, OPT, "%", NONE, NONE, "part of the selected samples in objects that the program named") \
	F(in_allocations_percent, amount, OPT, "%", NONE, NONE, "part of the selected samples in allocations of `--allocs`") \
	F(in_mappings_percent, amount, OPT, "%", NONE, NONE, "part of the selected samples in a known mapping and none of these") \
	R(missing_samples, mt_missing, 0, MANY, "") \
	R(engine_checks, mt_engine_checks, 0, 1, "of a recording with `--selfcheck`: how true its engine is on this machine") \
	L("selected <= samples") \
	L("estimated_accesses_low <= estimated_accesses <= estimated_accesses_high")

#define MT_RANGE(F, R, G, L) \
	F(id,   text, ATTR, "", SAME, NONE, \
		"name of a `--range`, else of an object, an allocation or a mapping; `unknown`: in none") \
	F(kind, CHOICE(range|object|allocation|mapping), NEED, "", SAME, NONE, "which of these") \
	F(samples, count,  NEED, "", SUM, NONE, "selected samples in it") \
	F(percent, amount, NEED, "%", NONE, NONE, "part of all selected samples") \
	G(OPTIONAL) \
	F(estimated_accesses,      amount, NEED, "", SUM, NONE, "estimated: samples times period") \
	F(estimated_accesses_low,  amount, NEED, "", NONE, NONE, "its 95 % interval") \
	F(estimated_accesses_high, amount, NEED, "", NONE, NONE, "the other end") \
	G(END) \
	F(touched_bytes, count, NEED, "bytes", NONE, NONE, "size of the buckets with a sample")

/* --- pattern: when and where --- */

#define MT_BAND(F, R, G, L) \
	F(index,   count, ATTR, "", NONE, NONE, "a row of the map, from 0, the lowest address") \
	F(address, text,  NEED, "", NONE, NONE, "its first address, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping of that") \
	F(size_bytes, count, NEED, "bytes", NONE, NONE, "size of its buckets with a sample") \
	F(samples, count, NEED, "", NONE, NONE, "samples in it") \
	F(is_behind_gap, flag, NEED, "", NONE, NONE, "1: untouched addresses are left out before it or in it")

#define MT_COLUMN(F, R, G, L) \
	F(index,  count,  ATTR, "", NONE, NONE, "a column of the map, from 0") \
	F(from_s, amount, NEED, "s", NONE, NONE, "its begin, since the recording began") \
	F(to_s,   amount, NEED, "s", NONE, NONE, "its end") \
	F(samples, count, NEED, "", NONE, NONE, "samples in it")

#define MT_CELL(F, R, G, L) \
	F(column_index, count, ATTR, "", NONE, NONE, "column") \
	F(band_index,   count, ATTR, "", NONE, NONE, "row") \
	F(samples, count, ATTR, "", NONE, NONE, "samples; empty cells are left out")

#define MT_PATTERN(F, R, G, L) \
	F(x, CHOICE(time|samples), NEED, "", SAME, NONE, "columns of equal time, or of equal numbers of samples") \
	F(y, CHOICE(rank|address), NEED, "", SAME, NONE, \
		"rows of touched buckets in the order of their addresses, or of addresses without their large gaps") \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	R(map_column, mt_column, 0, MANY, "") \
	R(map_band, mt_band,   0, MANY, "") \
	R(map_cell, mt_cell,   0, MANY, "")

/* --- count: accesses of each bucket --- */

#define MT_BUCKET(F, R, G, L) \
	F(address, text,  NEED, "", NONE, NONE, "first address, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping") \
	F(element, amount, OPT, "", NONE, NONE, "(address - START) / SIZE in a `--range` with SIZE") \
	F(samples, count,  NEED, "", NONE, NONE, "samples") \
	F(percent, amount, NEED, "%", NONE, NONE, "part of the selected samples") \
	F(estimated_accesses,      amount, OPT, "", NONE, NONE, "estimated: samples times period") \
	F(estimated_accesses_low,  amount, OPT, "", NONE, NONE, "its 95 % interval") \
	F(estimated_accesses_high, amount, OPT, "", NONE, NONE, "the other end")

#define MT_BIN(F, R, G, L) \
	F(position, amount, ATTR, "bytes", NONE, NONE, "touched bytes before it: the address without gaps") \
	F(address,  text,   ATTR, "", NONE, NONE, "first address, hexadecimal") \
	F(region,   text,   ATTR, "", NONE, NONE, "range or mapping of that") \
	F(buckets,  count,  ATTR, "", NONE, NONE, "touched buckets in it") \
	F(samples,  count,  ATTR, "", NONE, NONE, "their samples")

#define MT_COUNT(F, R, G, L) \
	F(bucket_bytes,    count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(touched_buckets, count, NEED, "", NONE, NONE, "buckets with a sample") \
	R(hot_bucket, mt_bucket, 0, MANY, "those with the most samples") \
	R(address_bin, mt_bin,    0, MANY, "all of them in the order of addresses, several in one where there are many")

/* --- hotset: size by access frequency --- */

#define MT_STEP(F, R, G, L) \
	F(samples,    count,  NEED, "", NONE, NONE, \
		"least number of samples of a bucket; where pages have rates: that of the last one") \
	F(estimated_accesses,   amount, OPT,  "", NONE, NONE, \
		"estimated: samples times period, or rate times length of the recording") \
	F(buckets,    count,  NEED, "", NONE, NONE, "number of these buckets") \
	F(size_bytes, count,  NEED, "bytes", NONE, NONE, "their size") \
	F(percent,    amount, NEED, "%", NONE, NONE, "part of the selected samples in them")

#define MT_HOTSET(F, R, G, L) \
	F(bucket_bytes,  count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(touched_bytes, count, NEED, "bytes", NONE, NONE, "size of the buckets with a sample") \
	F(estimator, text, NEED, "", SAME, NONE, "how buckets without a sample were estimated") \
	F(working_set_bytes,      amount, NEED, "bytes", NONE, NONE, "with the buckets that no sample met") \
	F(working_set_low_bytes,  amount, NEED, "bytes", NONE, NONE, "its 95 % interval") \
	F(working_set_high_bytes, amount, NEED, "bytes", NONE, NONE, "the other end") \
	F(coverage_percent, amount, NEED, "%", NONE, NONE, \
		"part of all accesses that go to buckets with a sample (Good and Turing)") \
	R(size_step, mt_step, 0, MANY, "") \
	L("working_set_low_bytes <= working_set_bytes <= working_set_high_bytes")

/* --- missratio: of an LRU buffer --- */

#define MT_POINT(F, R, G, L) \
	F(buffer_bytes, count, NEED, "bytes", NONE, NONE, "size of the buffer") \
	F(miss_ratio, amount, NEED, "", NONE, NONE, "part of the accesses that it does not hold") \
	F(low,        amount, NEED, "", NONE, NONE, "its 95 % interval") \
	F(high,       amount, NEED, "", NONE, NONE, "the other end")

#define MT_MISSRATIO(F, R, G, L) \
	F(estimator, text, NEED, "", SAME, NONE, "which one ran, and why") \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket: what the buffer holds or does not") \
	F(pairs, count, NEED, "", NONE, NONE, "reuses that were recorded, 0: none are used") \
	F(working_set_bytes, amount, NEED, "bytes", NONE, NONE, "size from which only first accesses miss") \
	R(curve_point, mt_point, 0, MANY, "")

/* --- skew: by rank of popularity --- */

#define MT_RANK(F, R, G, L) \
	F(rank,    count,  NEED, "", NONE, NONE, "buckets in the order of their samples, from 1") \
	F(samples, count,  NEED, "", NONE, NONE, "samples of this one, or refaults and samples") \
	F(estimated_accesses, amount, OPT, "", NONE, NONE, \
		"samples times period, or rate of the page times length of the recording") \
	F(fitted,  amount, OPT,  "", NONE, NONE, "samples by the Zipf distribution, in the ranks that it was fitted to") \
	F(cumulative_percent, amount, NEED, "%", NONE, NONE, "part of the selected samples up to this rank")

#define MT_POPULOUS(F, R, G, L) \
	F(address, text,  NEED, "", NONE, NONE, "first address of adjacent buckets, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping") \
	F(size_bytes, count, NEED, "bytes", NONE, NONE, "their size") \
	F(samples, count, NEED, "", NONE, NONE, "their samples") \
	F(times_median, amount, NEED, "", NONE, NONE, "samples of each, over the median of the touched buckets of the region")

#define MT_SKEW(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(gini, amount, NEED, "", NONE, NONE, "of the samples of touched buckets: 0 all alike, 1 one has all") \
	F(zipf_exponent,      amount, OPT, "", NONE, NONE, "by maximum likelihood") \
	F(zipf_exponent_low,  amount, OPT, "", NONE, NONE, "its 95 % interval; absent where pages have rates") \
	F(zipf_exponent_high, amount, OPT, "", NONE, NONE, "the other end") \
	F(zipf_ranks, count, OPT, "", NONE, NONE, "ranks that it was fitted to: those with at least 10 samples") \
	F(top_1_percent_share,  amount, NEED, "%", NONE, NONE, "part of the samples in the most popular 1 % of touched buckets") \
	F(top_10_percent_share, amount, NEED, "%", NONE, NONE, "in 10 %") \
	R(ranked, mt_rank,     0, MANY, "") \
	R(populous, mt_populous, 0, MANY, "adjacent buckets that have 8 times the median or more")

/* --- partition: what a change of the layout did --- */

#define MT_CHANGE(F, R, G, L) \
	F(id, text, ATTR, "", SAME, NONE, "range or mapping") \
	F(before_samples, count, NEED, "", NONE, NONE, "samples in it") \
	F(after_samples,  count, NEED, "", NONE, NONE, "samples in it after the change") \
	F(before_bytes, count, NEED, "bytes", NONE, LOWER, "accessed volume: accesses times size of a bucket") \
	F(after_bytes,  count, NEED, "bytes", NONE, LOWER, "the same after the change") \
	F(change_percent, number, OPT, "%", NONE, NONE, "change of the volume") \
	F(low_percent,    number, OPT, "%", NONE, NONE, "its interval: 95 % of a Poisson process, and the noise of equal runs") \
	F(high_percent,   number, OPT, "%", NONE, NONE, "the other end") \
	F(decision, CHOICE(none|less|more), NEED, "", SAME, NONE, "`none`: inside the noise")

#define MT_PARTITION(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(unit,  text, OPT, "", SAME, NONE, "what is multiplied by the size of a bucket when it is not accesses") \
	F(noise, text, NEED, "", SAME, NONE, "what an interval includes") \
	R(change, mt_change, 0, MANY, "")

/* --- reuse, stride, sharing --- */

#define MT_DISTANCE(F, R, G, L) \
	F(from, count, NEED, "", NONE, NONE, "samples between two of one bucket, at least") \
	F(to,   count, NEED, "", NONE, NONE, "and below") \
	F(between_bytes, count, NEED, "bytes", NONE, NONE, \
		"other buckets that are touched meanwhile, at the upper end (StatStack)") \
	F(count, count, NEED, "", NONE, NONE, "pairs of samples") \
	F(percent, amount, NEED, "%", NONE, NONE, "part of the selected samples")

#define MT_REUSE(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a bucket") \
	F(unit, text, NEED, "", SAME, NONE, "what a distance counts") \
	F(pairs, count, NEED, "", NONE, NONE, "samples whose bucket had one before") \
	F(first_touches, count, NEED, "", NONE, NONE, "those whose bucket had none") \
	R(reuse_bin, mt_distance, 0, MANY, "")

#define MT_STRIDE(F, R, G, L) \
	F(stride_bytes, number, NEED, "bytes", NONE, NONE, "address less that of the sample before it in its thread") \
	F(count,   count,  NEED, "", NONE, NONE, "how many") \
	F(percent, amount, NEED, "%", NONE, NONE, "part of all")

#define MT_STRIDES(F, R, G, L) \
	F(pairs, count, NEED, "", NONE, NONE, "samples with one before them in their thread") \
	F(same_percent,     amount, NEED, "%", NONE, NONE, "at the same address") \
	F(forward_percent,  amount, NEED, "%", NONE, NONE, "up to a page above it") \
	F(backward_percent, amount, NEED, "%", NONE, NONE, "up to a page below it") \
	F(far_percent,      amount, NEED, "%", NONE, NONE, "farther away") \
	R(stride, mt_stride, 0, MANY, "the most frequent")

#define MT_LINE(F, R, G, L) \
	F(address, text,  NEED, "", NONE, NONE, "first address of the bucket, hexadecimal") \
	F(region,  text,  NEED, "", NONE, NONE, "range or mapping") \
	F(sharing, CHOICE(false|true), NEED, "", NONE, NONE, \
		"`false`: no 8 bytes were met by two threads; `true`: some were") \
	F(samples, count, NEED, "", NONE, NONE, "samples") \
	F(stores,  count, NEED, "", NONE, NONE, "stores among them") \
	F(first_thread,  count, NEED, "", NONE, NONE, "a thread") \
	F(second_thread, count, NEED, "", NONE, NONE, "another one") \
	F(has_more_threads, flag, NEED, "", NONE, NONE, "1: there are others")

#define MT_SHARING(F, R, G, L) \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of a line") \
	F(touched_buckets, count, NEED, "", NONE, NONE, "lines with a sample") \
	F(candidates, count, NEED, "", NONE, NONE, "lines of two threads or more, of which one stores") \
	R(shared_line, mt_line, 0, MANY, "those with the most samples")

/* --- overhead: what recording costs --- */

#define MT_VARIANT(F, R, G, L) \
	F(id,   text,  ATTR, "", SAME, NONE, "`none`: the command alone; engine and rate; or `valgrind lackey`") \
	F(runs, count, NEED, "", SUM, NONE, "runs, in turn with the others") \
	F(seconds,       amount, NEED, "s", NONE, LOWER, "from the execution of the command to its end, median") \
	F(seconds_least, amount, NEED, "s", NONE, NONE, "the shortest") \
	F(seconds_most,  amount, NEED, "s", NONE, NONE, "the longest") \
	F(slowdown,       amount, NEED, "", NONE, LOWER, "over the command alone in the same round, median") \
	F(slowdown_least, amount, NEED, "", NONE, NONE, "the least") \
	F(slowdown_most,  amount, NEED, "", NONE, NONE, "the largest") \
	F(samples,     count, OPT, "", NONE, NONE, "samples, of lackey accesses to data; median") \
	F(trace_bytes, count, OPT, "bytes", NONE, LOWER, "size of the trace, median") \
	F(named_bytes, count, OPT, "bytes", NONE, LOWER, \
		"size of a trace of the samples in ranges, objects and allocations alone, median") \
	F(lost_samples, count, OPT, "", NONE, LOWER, "lost or throttled by the kernel, median") \
	L("seconds_least <= seconds <= seconds_most") \
	L("slowdown_least <= slowdown <= slowdown_most")

#define MT_OVERHEAD(F, R, G, L) \
	F(recorded_command, text, NEED, "", SAME, NONE, "the program that was run") \
	F(sampling_engine,  text, NEED, "", SAME, NONE, "the engine") \
	R(variant, mt_variant, 1, MANY, "")

/* --- selfcheck: engines against a popularity that is known --- */

#define MT_CHECK(F, R, G, L) \
	F(id,   text, ATTR, "", SAME, NONE, "pattern and engine") \
	F(pattern, text, NEED, "", SAME, NONE, "what the generator accesses; `+scatter`: popular pages are spread") \
	F(sampling_engine, text, NEED, "", SAME, NONE, "an engine, or `valgrind lackey`") \
	F(runs,     count, NEED, "", NONE, NONE, "runs, in turn with the others") \
	F(accesses, count, NEED, "", NONE, NONE, "accesses of a run") \
	F(samples,  count, NEED, "", NONE, NONE, \
		"samples of the generator's memory; where pages have rates refaults, and samples of bursts; median") \
	F(lost_samples, count, NEED, "", NONE, LOWER, "lost or throttled by the kernel, median") \
	F(slowdown,       amount, NEED, "", NONE, LOWER, "over the generator alone in the same round, median") \
	F(slowdown_least, amount, NEED, "", NONE, NONE, "the least") \
	F(slowdown_most,  amount, NEED, "", NONE, NONE, "the largest") \
	F(recall_top_1,  amount, NEED, "", NONE, HIGHER, \
		"part of the most popular 1 % of the pages that the engine has found, median") \
	F(recall_top_10, amount, NEED, "", NONE, HIGHER, "of 10 %") \
	F(ideal_recall_top_1,  amount, NEED, "", NONE, NONE, "the same of an ideal sampler with as many samples") \
	F(ideal_recall_top_10, amount, NEED, "", NONE, NONE, "of 10 %") \
	F(rank_correlation, number, OPT, "", NONE, HIGHER, \
		"Spearman's, of all pages, those that were not met being the last; absent: all are estimated alike; median") \
	F(ideal_rank_correlation, number, OPT, "", NONE, NONE, "of the ideal sampler") \
	F(pages_met, count, NEED, "", NONE, HIGHER, "pages of which the engine says something, median") \
	F(met_rank_correlation, number, OPT, "", NONE, HIGHER, "Spearman's, of the pages that were met, median") \
	F(ideal_met_rank_correlation, number, OPT, "", NONE, NONE, "of the ideal sampler, of the same pages") \
	F(miss_ratio_error, amount, OPT, "", NONE, LOWER, \
		"mean distance of the miss-ratio curve of an LRU buffer from the exact one; absent: no samples; median") \
	F(ideal_miss_ratio_error, amount, OPT, "", NONE, NONE, "of the ideal sampler") \
	F(meets_goal, flag, OPT, "", NONE, NONE, "1: that distance is at most 0.05, and the slowdown at most 1.03") \
	F(bias_top_1,  amount, OPT, "", NONE, NONE, \
		"part of the estimated accesses in the most popular 1 % of the pages, over the part of the true ones, median") \
	F(bias_top_10, amount, OPT, "", NONE, NONE, "the same of those from 1 % to 10 %") \
	F(bias_rest,   amount, OPT, "", NONE, NONE, "of the others") \
	R(rank_group, mt_rank_group, 1, MANY, "") \
	L("slowdown_least <= slowdown <= slowdown_most")

#define MT_SELFCHECK(F, R, G, L) \
	F(size_bytes,   count, NEED, "bytes", SAME, NONE, "memory of the generator") \
	F(bucket_bytes, count, NEED, "bytes", SAME, NONE, "size of its pages") \
	F(seed, bits, NEED, "", SAME, NONE, "of its random numbers") \
	R(check, mt_check, 0, MANY, "") \
	R(unavailable_engine, named_text, 0, MANY, "an engine that this machine does not offer, and why")

/* --- the report --- */

#define MT_RESULT(F, R, G, L) \
	R(recording, mt_recording, 0, MANY, "what was analyzed") \
	R(filter, named_text, 0, MANY, "what chose the samples: an option and its value") \
	R(range, mt_range,     0, MANY, "the selected samples by range or mapping") \
	R(access_pattern, mt_pattern,   0, 1, "when and where memory is accessed") \
	R(access_count, mt_count,     0, 1, "how often each bucket is accessed") \
	R(hot_set, mt_hotset,    0, 1, "how much memory is accessed how often") \
	R(miss_ratio_curve, mt_missratio, 0, 1, "what a buffer of a size would miss") \
	R(skew, mt_skew,      0, 1, "how unequal buckets are") \
	R(partitioning, mt_partition, 0, 1, "what changed between two recordings") \
	R(reuse_distance, mt_reuse,     0, 1, "how soon a bucket is accessed again") \
	R(strides, mt_strides,   0, 1, "how far apart successive samples are") \
	R(false_sharing, mt_sharing,   0, 1, "lines that several threads write") \
	R(recording_cost, mt_overhead, 0, 1, "what recording costs a command") \
	R(self_check, mt_selfcheck, 0, 1, "engines against a popularity that is known")

#define MT_INTERVAL(F, R, G, L) \
	F(time_s,  amount, NEED, "s", NONE, NONE, "its end, since the recording began") \
	F(seconds, amount, NEED, "s", TIME, NONE, "its length") \
	F(samples, count,  NEED, "", SUM, NONE, "selected samples in it") \
	F(accesses_per_second, amount, OPT, "/s", RATE, NONE, "estimated: samples times period")

#define MT_SERIES(F, R, G, L) \
	F(interval_ns, count, NEED, "ns", SAME, NONE, "length of an interval") \
	R(interval, mt_interval, 0, MANY, "")

#define MT_REPORT(F, R, G, L) \
	R(signature,    tool_signature, 1, 1, "what was run, where and when") \
	R(machine_info, machine_info,   1, 1, "the machine that analyzed") \
	R(environment,  environment,    1, 1, "") \
	R(result,       mt_result,      1, 1, "") \
	R(series,       mt_series,      0, 1, "of `pattern` by time: samples in time") \
	R(verdict,      verdict,        1, 1, "whether the result is trustworthy") \
	R(parts,        merged_parts,   0, 1, "of a merged report: what was merged")

#define MT_DOCUMENT(F, R, G, L) \
	R(report, mt_report, 1, 1, "")

#define MT_RECORDS(RECORD) \
	RECORD(mt_missing,   MT_MISSING,   PLAIN,   "", "kind", "") \
	RECORD(mt_rank_group, MT_RANK_GROUP, PLAIN, "", "", "") \
	RECORD(mt_engine_check, MT_ENGINE_CHECK, PLAIN, "", "", "") \
	RECORD(mt_engine_checks, MT_ENGINE_CHECKS, PLAIN, "", "", "") \
	RECORD(mt_recording, MT_RECORDING, PLAIN,   "", "role", "a recording") \
	RECORD(mt_range,     MT_RANGE,     SUBJECT, "id", "", "a range or mapping") \
	RECORD(mt_band,      MT_BAND,      PLAIN,   "", "", "") \
	RECORD(mt_column,    MT_COLUMN,    PLAIN,   "", "", "") \
	RECORD(mt_cell,      MT_CELL,      PLAIN,   "", "", "") \
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
	RECORD(mt_check,     MT_CHECK,     SUBJECT, "id", "", "an engine on a pattern") \
	RECORD(mt_selfcheck, MT_SELFCHECK, PLAIN,   "", "", "") \
	RECORD(mt_result,    MT_RESULT,    PLAIN,   "", "", "") \
	RECORD(mt_interval,  MT_INTERVAL,  SERIES,  "", "", "a piece of time") \
	RECORD(mt_series,    MT_SERIES,    PLAIN,   "", "", "") \
	RECORD(mt_report,    MT_REPORT,    PLAIN,   "", "", "") \
	RECORD(mt_document,  MT_DOCUMENT,  PLAIN,   "", "", "")

FIELD_STRUCTS(MT_RECORDS)

#endif
