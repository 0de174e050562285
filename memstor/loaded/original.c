/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <histogram> as the original pmbench has it and our reports repeat it: 24 buckets whose edges are powers of two of
 * ns, 15 of them in 16 equal parts (docs/report.md).
 */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>

#include "common/units.h"

#define PARTS 16u
#define BUCKETS_MAX (24u * PARTS)

static int add(struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram,
	struct loaded_bucket *buckets, const struct loaded_bucket *new)
{
	if (new->count == 0)
		return 0;
	if (histogram->bucket_count == BUCKETS_MAX)
		return loaded_refuse(loading, node, "more buckets than a <histogram> has");
	if (__builtin_add_overflow(histogram->count, new->count, &histogram->count))
		return loaded_refuse(loading, node, "the counts of the buckets add up to more than 2^64-1");
	buckets[histogram->bucket_count++] = *new;
	return 0;
}

static int add_parts(struct loading *loading, const struct report_node *hexes, double lo, double hi, uint64_t sum,
	struct loaded_histogram *histogram, struct loaded_bucket *buckets)
{
	uint64_t before = histogram->count, part = 0;
	double width = (hi - lo) / PARTS;

	for (const struct report_node *hex = report_read_find(hexes, "hex"); hex; hex = report_read_next(hex)) {
		struct loaded_bucket new = {lo + width * (double)part, lo + width * (double)(part + 1), 0};
		uint64_t index;
		int err = loaded_attribute_u64(loading, hex, "index", &index);

		if (!err && (index != part || part == PARTS))
			err = loaded_refuse(loading, hex, "<hex> %llu where %llu of 0 to 15 is due",
				(unsigned long long)index, (unsigned long long)part);
		if (!err && units_parse_u64(hex->text, 0, UINT64_MAX, &new.count))
			err = loaded_refuse(loading, hex, "<hex> is '%.40s': allowed are whole numbers from 0 to 2^64-1",
				hex->text);
		if (!err)
			err = add(loading, hex, histogram, buckets, &new);
		if (err)
			return err;
		part++;
	}
	if (histogram->count - before != sum)
		return loaded_refuse(loading, hexes, "the parts hold %llu in all, <sum_count> says %llu",
			(unsigned long long)(histogram->count - before), (unsigned long long)sum);
	return 0;
}

/* 30 to 32 stands for everything from 2^30 ns up. */
static int add_bucket(struct loading *loading, const struct report_node *node, uint64_t *power,
	struct loaded_histogram *histogram, struct loaded_bucket *buckets)
{
	const struct report_node *interval = report_read_find(node, "bucket_interval");
	const struct report_node *hexes = report_read_find(node, "bucket_hexes");
	struct loaded_bucket new;
	uint64_t lo, hi;
	int err;

	if (!interval)
		return loaded_refuse(loading, node, "<histo_bucket> has no <bucket_interval>");
	err = loaded_child_u64(loading, interval, "interval_lo", &lo);
	if (!err)
		err = loaded_child_u64(loading, interval, "interval_hi", &hi);
	if (!err)
		err = loaded_child_u64(loading, node, "sum_count", &new.count);
	if (!err && (lo != *power || hi <= lo || hi > 32))
		err = loaded_refuse(loading, interval, "from 2^%llu to 2^%llu ns: allowed is from 2^%llu up, to 2^32 at most",
			(unsigned long long)lo, (unsigned long long)hi, (unsigned long long)*power);
	if (err)
		return err;
	*power = hi;
	new.lo_ns = lo == 0 ? 0 : ldexp(1, (int)lo);
	new.hi_ns = hi == 32 ? INFINITY : ldexp(1, (int)hi);
	if (hexes && hi < 32)
		return add_parts(loading, hexes, new.lo_ns, new.hi_ns, new.count, histogram, buckets);
	return add(loading, node, histogram, buckets, &new);
}

int loaded_make_original(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram)
{
	struct loaded_bucket *buckets = loaded_array(loading, BUCKETS_MAX, sizeof(*buckets));
	uint64_t power = 0;

	if (!buckets)
		return -ENOMEM;
	histogram->type = report_read_attribute(node, "type");
	if (!histogram->type)
		return loaded_refuse(loading, node, "<histogram> has no type");
	histogram->class = "all";
	histogram->layout = "original";
	histogram->min_ns = histogram->mean_ns = histogram->stddev_ns = histogram->max_ns = NAN;
	histogram->buckets = buckets;
	for (const struct report_node *bucket = report_read_find(node, "histo_bucket"); bucket;
		bucket = report_read_next(bucket)) {
		int err = add_bucket(loading, bucket, &power, histogram, buckets);

		if (err)
			return err;
	}
	return 0;
}
