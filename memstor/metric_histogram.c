/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the histograms that a metric is about, and adds them. */
#include "config.h"
#include "memstor/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NULL = any. */
static bool is_wanted(const struct loaded_histogram *histogram, const char *type, const char *class)
{
	return (!type || !strcmp(histogram->type, type)) && (!class || !strcmp(histogram->class, class)) &&
	       histogram->count > 0;
}

static bool is_listed(
	const struct loaded_histogram *histogram, const struct loaded_histogram *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(histogram->type, list[i]->type) && !strcmp(histogram->class, list[i]->class))
			return true;
	}
	return false;
}

/* Of what is measured one by one there is no histogram of all, and its types are not parts of one thing, as a write and
 * the sync behind it: the first one is meant. */
static const char *usual_type(const struct loaded *loaded)
{
	return loaded->subject_count && loaded->histogram_count ? loaded->histograms[0].type : NULL;
}

size_t metric_histograms(const struct loaded *loaded, const struct metric *metric,
	const struct loaded_histogram **list, size_t max)
{
	const char *type = metric->type[0] ? metric->type : usual_type(loaded);
	const char *class = metric->class[0] ? metric->class : loaded->subject_count ? NULL : "all";
	size_t count = 0;

	if (metric->subject[0])
		class = metric->subject;

	for (size_t i = 0; i < loaded->histogram_count && count < max; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		/* "all" holds the other classes once more; the finest layout comes first. */
		if (!class && loaded_is_alone(histogram->class))
			continue;
		if (is_wanted(histogram, type, class) && !is_listed(histogram, list, count))
			list[count++] = histogram;
	}
	return count;
}

static int compare_buckets(const void *a, const void *b)
{
	const struct loaded_bucket *one = a, *other = b;

	return (one->lo_ns > other->lo_ns) - (one->lo_ns < other->lo_ns);
}

/* Equal buckets become one; returns how many are left. */
static int add_up(struct loaded_bucket *buckets, size_t count, struct loaded_histogram *sum)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct loaded_bucket *last = kept ? &buckets[kept - 1] : NULL;

		if (__builtin_add_overflow(sum->count, buckets[i].count, &sum->count))
			return -EOVERFLOW;
		if (!last || buckets[i].lo_ns >= last->hi_ns)
			buckets[kept++] = buckets[i];
		else if (buckets[i].lo_ns == last->lo_ns && buckets[i].hi_ns == last->hi_ns)
			last->count += buckets[i].count;
		else
			return -EINVAL;
	}
	sum->bucket_count = kept;
	return 0;
}

/* Of a part that says nothing of it: nothing of all. */
static double unless_unknown(double a, double b, double (*choose)(double a, double b))
{
	return isnan(a) || isnan(b) ? NAN : choose(a, b);
}

/* Chan, Golub, LeVeque: Updating Formulae and a Pairwise Algorithm for Computing Sample Variances (1979). */
static void add_moments(const struct loaded_histogram *const *list, size_t count, struct loaded_histogram *sum)
{
	const struct loaded_histogram *only = NULL;
	long double before = 0, mean = 0, squares = 0;
	size_t contributors = 0;

	for (size_t i = 0; i < count; i++) {
		const struct loaded_histogram *part = list[i];
		long double more = part->count, apart = part->mean_ns - mean;

		if (part->count == 0)
			continue;
		sum->min_ns = contributors ? unless_unknown(sum->min_ns, part->min_ns, fmin) : part->min_ns;
		sum->max_ns = contributors ? unless_unknown(sum->max_ns, part->max_ns, fmax) : part->max_ns;
		squares += apart * apart * before * more / (before + more);
		squares += more > 1 ? (long double)part->stddev_ns * part->stddev_ns * (more - 1) : 0;
		before += more;
		mean += apart * more / before;
		only = part;
		contributors++;
	}
	sum->mean_ns = contributors == 1 ? only->mean_ns : contributors ? (double)mean : NAN;
	sum->stddev_ns = contributors == 1 ? only->stddev_ns : before > 1 ? (double)sqrtl(squares / (before - 1)) : NAN;
	if (isnan(sum->min_ns) || isnan(sum->max_ns))
		sum->min_ns = sum->max_ns = NAN;
}

int metric_merge(const struct loaded_histogram *const *list, size_t count, struct loaded_histogram *sum)
{
	struct loaded_histogram new = {.type = "", .class = "", .layout = "", .min_ns = NAN, .mean_ns = NAN,
		.stddev_ns = NAN, .max_ns = NAN};
	struct loaded_bucket *buckets;
	size_t used = 0;
	int err;

	for (size_t i = 0; i < count; i++)
		used += list[i]->bucket_count;
	buckets = reallocarray(NULL, used ? used : 1, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	used = 0;
	for (size_t i = 0; i < count; i++) {
		if (list[i]->bucket_count)
			memcpy(buckets + used, list[i]->buckets, list[i]->bucket_count * sizeof(*buckets));
		used += list[i]->bucket_count;
	}
	qsort(buckets, used, sizeof(*buckets), compare_buckets);
	new.buckets = buckets;
	err = add_up(buckets, used, &new);
	if (err) {
		free(buckets);
		return err;
	}
	add_moments(list, count, &new);
	*sum = new;
	return 0;
}

void metric_merge_free(struct loaded_histogram *sum)
{
	free((struct loaded_bucket *)sum->buckets);
}
