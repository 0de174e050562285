/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses of the popularity of buckets, independent of their addresses: hotset, skew and partition. */
#include "config.h"
#include "memtrace/analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POPULOUS_TIMES 8
#define POPULOUS_MAX 64
#define POPULOUS_SAMPLES 10 /* least samples of each bucket */

/* --- hotset --- */

static int make_steps(struct analysis_run *run, const struct spectrum *spectrum, struct mt_hotset_values *values)
{
	struct mt_step_values *steps = analysis_allocate(run, 2 * ANALYSIS_CURVE, sizeof(*steps));
	uint64_t buckets = 0, samples = 0, before = 0;
	size_t count = 0;

	if (!steps)
		return -ENOMEM;
	for (size_t i = spectrum->count; i-- > 0;) {
		const struct spectrum_row *row = &spectrum->rows[i];

		buckets += row->buckets;
		samples += row->samples * row->buckets;
		if (!analysis_is_shown(buckets, before, spectrum->buckets))
			continue;
		if (count == 2 * ANALYSIS_CURVE)
			count--;
		before = buckets;
		steps[count++] = (struct mt_step_values){.samples = row->samples,
			.estimated_accesses = (double)row->samples * run->source->period, .buckets = buckets,
			.size_bytes = buckets << run->shift,
			.percent = analysis_percent((double)samples, (double)spectrum->samples)};
	}
	values->size_step = FIELD_MANY(steps, count);
	return 0;
}

int analysis_hotset(struct analysis_run *run, const char **why)
{
	struct mt_hotset_values *values = run->values;
	struct analysis_sampled sampled;
	struct buckets buckets = {0};
	double bucket = (double)(1ull << run->shift);
	int err;

	*values = (struct mt_hotset_values){.coverage_percent = NAN};
	/* A source without samples of accesses supports the working set alone. */
	if (run->source->has_returns && !run->source->is_bursts)
		return analysis_returns_hotset(run, values, why);
	err = analysis_sample(run, &buckets, &sampled);
	buckets_free(&buckets);
	if (err)
		return err;
	*values = (struct mt_hotset_values){.bucket_bytes = 1ull << run->shift, .indication = sampled.indication,
		.touched_bytes = sampled.spectrum.buckets << run->shift,
		.mapped_bytes = isinf(sampled.most) ? NAN : sampled.most * bucket,
		.estimator = "Chao1 (lower bound of the buckets without a sample)",
		.working_set_bytes = sampled.buckets.value * bucket, .working_set_low_bytes = NAN,
		.working_set_high_bytes = NAN, .coverage_percent = 100 * (1 - estimate_unseen_share(&sampled.spectrum).value)};
	if (!sampled.indication) {
		values->working_set_low_bytes = sampled.buckets.low * bucket;
		values->working_set_high_bytes = isinf(sampled.buckets.high) ? NAN : sampled.buckets.high * bucket;
	}
	if (run->source->period == 1) {
		values->estimator = "none: every access was recorded";
		if (!run->source->is_every_access)
			values->estimator = "none: every event of the engine was recorded";
		values->coverage_percent = sampled.spectrum.samples ? 100 : 0;
	}
	err = make_steps(run, &sampled.spectrum, values);
	if (!err && run->source->has_returns)
		err = analysis_returns_hotset(run, values, why);
	spectrum_free(&sampled.spectrum);
	return err;
}

/* --- missratio, without the order of accesses --- */

static int add_points(struct analysis_run *run, const struct miss_curve *curve, struct mt_missratio_values *values)
{
	struct mt_point_values *points = analysis_allocate(run, curve->count, sizeof(*points));

	for (size_t i = 0; points && i < curve->count; i++)
		points[i] = (struct mt_point_values){(uint64_t)(curve->points[i].buckets * (double)(1ull << run->shift) + 0.5),
			curve->points[i].ratio.value, values->indication ? NAN : curve->points[i].ratio.low,
			values->indication ? NAN : curve->points[i].ratio.high};
	values->curve_point = FIELD_MANY(points, points ? curve->count : 0);
	return points ? 0 : -ENOMEM;
}

struct reuses {
	struct analysis_run *run;
	struct buckets buckets; /* extra: the number of the last sample */
	struct reuse_times *times;
	uint64_t number;
};

static int take_reuse(void *data, const struct access *batch, size_t count)
{
	struct reuses *reuses = data;
	struct bucket *found[SOURCE_BATCH];
	int err = source_count(&reuses->buckets, batch, count, reuses->run->shift, found);

	for (size_t i = 0; i < count && !err; i++) {
		uint32_t now = (uint32_t)reuses->number++;

		if (found[i]->extra == BUCKETS_NEW)
			reuses->times->first++;
		else
			reuse_add(reuses->times, (uint32_t)(now - found[i]->extra));
		/* BUCKETS_NEW marks a new bucket, so it is skipped. */
		reuses->number += (uint32_t)reuses->number == BUCKETS_NEW;
		found[i]->extra = now;
	}
	return err;
}

static int find_reuse(struct analysis_run *run, struct reuse_times **times)
{
	struct reuses reuses = {.run = run, .times = calloc(1, sizeof(*reuses.times))};
	int err = reuses.times ? source_read(run->source, take_reuse, &reuses) : -ENOMEM;

	buckets_free(&reuses.buckets);
	*times = reuses.times;
	return err;
}

int analysis_missratio(struct analysis_run *run, const char **why)
{
	struct mt_missratio_values *values = run->values;
	bool is_wanted = run->options->estimator == ANALYSIS_STATSTACK;
	struct analysis_sampled sampled = {0};
	struct miss_curve curve = {0};
	struct buckets buckets = {0};
	struct reuse_times *times = NULL;
	int err;

	*values = (struct mt_missratio_values){.bucket_bytes = 1ull << run->shift};
	if (is_wanted && !run->source->is_every_access) {
		*why = "has no reuses: its engine records some accesses only; use --estimator che";
		return -ENODATA;
	}
	if (run->source->is_every_access && run->options->estimator != ANALYSIS_CHE) {
		values->estimator = "StatStack: every access was recorded, so reuses are known";
		values->indication = "StatStack takes reuses of one time for equal";
		err = find_reuse(run, &times);
		if (!err)
			err = estimate_stack(times, &curve);
		values->pairs = times ? times->pairs : 0;
		values->working_set_bytes = times ? (double)times->first * (double)(1ull << run->shift) : 0;
	} else {
		values->estimator = !run->source->is_every_access ?
			"Che, independent references: samples are too far apart for reuses" : "Che, independent references: chosen";
		err = analysis_sample(run, &buckets, &sampled);
		if (!err)
			err = estimate_independent(&sampled.spectrum, sampled.most, sampled.order == ORDER_INDEPENDENT, &curve);
		values->working_set_bytes = sampled.buckets.value * (double)(1ull << run->shift);
		if (sampled.order == ORDER_DEPENDENT) {
			values->indication = "successive samples are near each other: accesses are not independent";
		} else if (sampled.spectrum.samples < MISS_SAMPLES_MIN) {
			values->indication = "less than 200 samples";
		} else if (run->source->is_every_access) {
			values->indication = "the order of the accesses was not used";
		} else {
			values->interval = sampled.order == ORDER_INDEPENDENT
				? "independent accesses, as successive ones are"
				: "from independent accesses to those of a scan in a loop; repeated accesses miss less";
		}
	}
	if (!err)
		err = add_points(run, &curve, values);
	miss_curve_free(&curve);
	spectrum_free(&sampled.spectrum);
	buckets_free(&buckets);
	free(times);
	return err;
}

/* --- reuse --- */

int analysis_reuse(struct analysis_run *run, const char **why)
{
	struct mt_reuse_values *values = run->values;
	struct mt_distance_values *rows = analysis_allocate(run, 64, sizeof(*rows));
	struct reuse_times *times = NULL;
	size_t count = 0;
	int err = rows ? find_reuse(run, &times) : -ENOMEM;

	(void)why;
	*values = (struct mt_reuse_values){.bucket_bytes = 1ull << run->shift,
		.unit = run->source->is_every_access ? "accesses" : "samples: those that were not sampled are not counted"};
	for (size_t bin = 1; bin < REUSE_BINS && !err; bin++) {
		uint64_t from = reuse_bin_from(bin);
		struct mt_distance_values *row;

		if (!times->bins[bin])
			continue;
		from = 1ull << (63 - __builtin_clzll(from));
		if (!count || rows[count - 1].from != from)
			rows[count++] = (struct mt_distance_values){.from = from, .to = 2 * from,
				.between_bytes = (uint64_t)(reuse_buckets(times, 2 * from - 1) * (double)(1ull << run->shift))};
		row = &rows[count - 1];
		row->count += times->bins[bin];
		row->percent = analysis_percent((double)row->count, (double)run->source->selected);
	}
	if (!err) {
		values->pairs = times->pairs;
		values->first_touches = times->first;
		values->reuse_bin = FIELD_MANY(rows, count);
	}
	free(times);
	return err;
}

/* --- skew --- */

static int make_ranks(struct analysis_run *run, const struct spectrum *spectrum, const struct zipf_fit *fit,
	struct mt_skew_values *values)
{
	struct mt_rank_values *ranks = analysis_allocate(run, 2 * ANALYSIS_CURVE, sizeof(*ranks));
	size_t shown = 0, row = spectrum->count;
	uint64_t samples = 0, before = 0, end = 0;

	if (!ranks)
		return -ENOMEM;
	for (uint64_t rank = 1; rank <= spectrum->buckets; rank++) {
		if (rank > end)
			end += spectrum->rows[--row].buckets;
		samples += spectrum->rows[row].samples;
		if (!analysis_is_shown(rank, before, spectrum->buckets) || shown == 2 * ANALYSIS_CURVE)
			continue;
		before = rank;
		ranks[shown++] = (struct mt_rank_values){.rank = rank, .samples = spectrum->rows[row].samples,
			.estimated_accesses = (double)spectrum->rows[row].samples * run->source->period,
			.fitted = isnan(fit->exponent.value) ? NAN
				: estimate_zipf_samples(fit, spectrum->samples, (double)rank),
			.cumulative_percent = analysis_percent((double)samples, (double)run->source->selected)};
	}
	values->ranked = FIELD_MANY(ranks, shown);
	return 0;
}

/* Computes for each name the median number of samples of its buckets; 0: too few buckets. */
static int find_medians(const struct buckets *sorted, size_t names, double *medians)
{
	uint32_t *samples = malloc((sorted->count + 1) * sizeof(*samples));
	uint64_t *ends = calloc(names + 1, sizeof(*ends));

	if (!samples || !ends) {
		free(samples);
		free(ends);
		return -ENOMEM;
	}
	for (size_t i = 0; i < sorted->count; i++)
		ends[sorted->slots[i].extra + 1]++;
	for (size_t i = 1; i <= names; i++)
		ends[i] += ends[i - 1];
	for (size_t i = 0; i < sorted->count; i++)
		samples[ends[sorted->slots[i].extra]++] = sorted->slots[i].samples;
	for (size_t i = 0; i < names; i++) {
		uint64_t begin = i ? ends[i - 1] : 0, count = ends[i] - begin;

		qsort(samples + begin, count, sizeof(*samples), buckets_compare_samples);
		medians[i] = count >= 16 ? samples[begin + count / 2] : 0;
	}
	free(samples);
	free(ends);
	return 0;
}

static int compare_populous(const void *a, const void *b)
{
	const struct mt_populous_values *one = a, *other = b;

	return (one->samples < other->samples) - (one->samples > other->samples);
}

/* Finds runs of adjacent buckets of one name, each with many times the name's median. */
static int make_populous(struct analysis_run *run, const struct buckets *sorted, struct mt_skew_values *values)
{
	struct mt_populous_values *rows = NULL, *kept;
	double *medians = analysis_allocate(run, run->source->name_count, sizeof(*medians));
	size_t count = 0, capacity = 0, end;
	int err = medians ? find_medians(sorted, run->source->name_count, medians) : -ENOMEM;

	for (size_t i = 0; i < sorted->count && !err; i = end) {
		const struct bucket *first = &sorted->slots[i];
		double median = medians[first->extra], least = fmax(median * POPULOUS_TIMES, POPULOUS_SAMPLES);
		uint64_t samples = 0;

		for (end = i; end < sorted->count && median > 0 && sorted->slots[end].samples >= least &&
			sorted->slots[end].extra == first->extra && sorted->slots[end].key - first->key == end - i; end++)
			samples += sorted->slots[end].samples;
		if (end == i) {
			end++;
			continue;
		}
		err = arena_grow(&rows, &capacity, count, sizeof(*rows));
		if (!err)
			rows[count++] = (struct mt_populous_values){analysis_hex(run, analysis_address(run, first->key)),
				run->source->names[first->extra].text, (end - i) << run->shift, samples,
				(double)samples / (double)(end - i) / median};
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_populous);
	count = count < POPULOUS_MAX ? count : POPULOUS_MAX;
	kept = err ? NULL : analysis_allocate(run, count, sizeof(*kept));
	if (kept && count)
		memcpy(kept, rows, count * sizeof(*kept));
	free(rows);
	values->populous = FIELD_MANY(kept, kept ? count : 0);
	return kept ? 0 : -ENOMEM;
}

/* Sets the shares. With every access recorded they are those of the samples, without an estimate. */
static void take_shares(const struct analysis_sampled *sampled, const struct lorenz *lorenz, bool is_every,
	struct mt_skew_values *values)
{
	struct estimate gini = lorenz_gini(lorenz, sampled->buckets), one = lorenz_top(lorenz, 0.01, sampled->buckets);
	struct estimate ten = lorenz_top(lorenz, 0.1, sampled->buckets);

	if (is_every) {
		gini.value = gini.low = gini.high = spectrum_gini(&sampled->spectrum);
		one.value = one.low = one.high = spectrum_top(&sampled->spectrum, 0.01);
		ten.value = ten.low = ten.high = spectrum_top(&sampled->spectrum, 0.1);
	}
	if (sampled->indication)
		gini.low = gini.high = one.low = one.high = ten.low = ten.high = NAN;
	values->gini = gini.value;
	values->gini_low = gini.low;
	values->gini_high = gini.high;
	values->top_1_percent_share = 100 * one.value;
	values->top_1_percent_share_low = 100 * one.low;
	values->top_1_percent_share_high = 100 * one.high;
	values->top_10_percent_share = 100 * ten.value;
	values->top_10_percent_share_low = 100 * ten.low;
	values->top_10_percent_share_high = 100 * ten.high;
}

static void take_exponent(const struct analysis_sampled *sampled, const struct zipf_fit *fit, struct mt_skew_values *values)
{
	bool is_indication = sampled->indication || !fit->is_like_zipf;

	values->zipf_exponent = fit->exponent.value;
	values->zipf_exponent_low = is_indication ? NAN : fit->exponent.low;
	values->zipf_exponent_high = is_indication ? NAN : fit->exponent.high;
	values->zipf_ranks = isnan(fit->exponent.value) ? FIELD_NO_COUNT : (uint64_t)fit->buckets;
}

int analysis_skew(struct analysis_run *run, const char **why)
{
	struct mt_skew_values *values = run->values;
	struct analysis_sampled sampled;
	struct buckets buckets = {0};
	struct lorenz lorenz = {0};
	struct zipf_fit fit;
	int err = analysis_sample(run, &buckets, &sampled);

	(void)why;
	if (!err) {
		*values = (struct mt_skew_values){.bucket_bytes = 1ull << run->shift, .indication = sampled.indication};
		err = make_populous(run, &buckets, values);
	}
	buckets_free(&buckets);
	if (!err && !sampled.spectrum.samples) {
		spectrum_free(&sampled.spectrum);
		return 0;
	}
	if (!err)
		err = lorenz_make(&sampled.spectrum, &lorenz);
	if (!err)
		err = estimate_zipf(&sampled.spectrum, sampled.buckets, &fit);
	if (!err) {
		take_shares(&sampled, &lorenz, run->source->period == 1, values);
		take_exponent(&sampled, &fit, values);
		err = make_ranks(run, &sampled.spectrum, &fit, values);
	}
	lorenz_free(&lorenz);
	spectrum_free(&sampled.spectrum);
	return err;
}

/* --- partition --- */

/* Returns the accesses per sample; 1 for an engine that samples by time alone. */
static double accesses_of(const struct source *source)
{
	return isnan(source->period) ? 1 : source->period;
}

/* A sample of both must stand for the same number of accesses, or for the same time. */
static bool is_comparable(const struct source *before, const struct source *other)
{
	if (!isnan(before->period) && !isnan(other->period))
		return true;
	return before->rate && other->rate && !strcmp(before->rate, other->rate);
}

static struct mt_change_values make_change(const struct analysis_run *run, const char *name, enum region_kind kind)
{
	uint64_t before = source_samples(run->source, name, kind), after = source_samples(run->after, name, kind);
	double bucket = (double)(1ull << run->shift);
	double before_bytes = (double)before * accesses_of(run->source) * bucket, noise = 0;
	double after_bytes = (double)after * accesses_of(run->after) * bucket;
	uint64_t equal = run->equal ? source_samples(run->equal, name, kind) : 0;
	struct estimate ratio;

	if (run->equal && before && equal)
		noise = fabs(log((double)equal * accesses_of(run->equal) / ((double)before * accesses_of(run->source))));
	ratio = estimate_ratio(before_bytes, after_bytes, before, after, noise);
	return (struct mt_change_values){.id = name, .before_samples = before, .after_samples = after,
		.before_bytes = (uint64_t)before_bytes, .after_bytes = (uint64_t)after_bytes,
		.change_percent = (ratio.value - 1) * 100,
		.low_percent = (ratio.low - 1) * 100, .high_percent = (ratio.high - 1) * 100,
		.decision = isnan(ratio.value) ? (estimate_poisson(after).low > estimate_poisson(0).high ? "more" : "none")
			: ratio.high < 1 ? "less" : ratio.low > 1 ? "more" : "none"};
}

static int compare_changes(const void *a, const void *b)
{
	const struct mt_change_values *one = a, *other = b;

	if (one->before_bytes != other->before_bytes)
		return one->before_bytes > other->before_bytes ? -1 : 1;
	return strcmp(one->id, other->id);
}

int analysis_partition(struct analysis_run *run, const char **why)
{
	struct mt_partition_values *values = run->values;
	struct mt_change_values *rows;
	size_t count = 0;
	int err = source_read(run->source, NULL, NULL);

	if (!err)
		err = source_read(run->after, NULL, NULL);
	if (!err && run->equal)
		err = source_read(run->equal, NULL, NULL);
	if (!err && (!is_comparable(run->source, run->after) || (run->equal && !is_comparable(run->source, run->equal)))) {
		*why = "its samples and those of the other recording are not comparable; record both by the same engine "
		       "and rate, not by popularity";
		return -ENODATA;
	}
	rows = err ? NULL : analysis_allocate(run, run->source->name_count + run->after->name_count, sizeof(*rows));
	if (!rows)
		return err ? err : -ENOMEM;
	*values = (struct mt_partition_values){.bucket_bytes = 1ull << run->shift,
		.unit = isnan(run->source->period) ? "samples of equal time: the engine does not sample by accesses" : NULL,
		.noise = run->equal ? "samples as of a Poisson process, and the difference of two equal runs"
			: "samples as of a Poisson process; without --equal not what differs from run to run"};
	for (size_t i = 0; i < run->source->name_count; i++) {
		if (run->source->names[i].samples)
			rows[count++] = make_change(run, run->source->names[i].text, run->source->names[i].kind);
	}
	for (size_t i = 0; i < run->after->name_count; i++) {
		const struct source_name *name = &run->after->names[i];

		if (name->samples && !source_samples(run->source, name->text, name->kind))
			rows[count++] = make_change(run, name->text, name->kind);
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_changes);
	values->change = FIELD_MANY(rows, count);
	return 0;
}
