/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads the parts of the original pmbench's format: signature, options and <histogram>, which this pmbench also writes:
 * 24 buckets whose edges are powers of two in ns, 15 of them divided into 16 equal parts (docs/report.md).
 */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PARTS 16u
#define BUCKETS_MAX (24u * PARTS)

bool loaded_is_original_root(const struct report_node *root)
{
	return !strcmp(root->name, "pmbenchmark");
}

/* A histogram that is made bucket by bucket. */
struct filling {
	struct loading *loading;
	struct loaded_histogram *histogram;
	struct loaded_bucket *buckets;
	uint64_t power; /* where the next bucket is due */
};

static int add(struct filling *filling, const struct report_node *node, const struct loaded_bucket *new)
{
	struct loaded_histogram *histogram = filling->histogram;

	if (new->count == 0)
		return 0;
	if (histogram->bucket_count == BUCKETS_MAX)
		return loaded_refuse(filling->loading, node, "more buckets than a <histogram> has");
	if (__builtin_add_overflow(histogram->count, new->count, &histogram->count))
		return loaded_refuse(filling->loading, node, "the counts of the buckets add up to more than 2^64-1");
	filling->buckets[histogram->bucket_count++] = *new;
	return 0;
}

static int add_parts(struct filling *filling, const struct report_node *hexes, const struct loaded_bucket *whole)
{
	struct loading *loading = filling->loading;
	uint64_t before = filling->histogram->count, part = 0;
	double width = (whole->hi_ns - whole->lo_ns) / PARTS;

	for (const struct report_node *hex = report_read_find(hexes, "hex"); hex; hex = report_read_next(hex), part++) {
		struct loaded_bucket new = {
			whole->lo_ns + width * (double)part, whole->lo_ns + width * (double)(part + 1), 0};
		uint64_t index;
		int err = loaded_attribute_u64(loading, hex, "index", &index);

		if (!err && (index != part || part == PARTS))
			err = loaded_refuse(loading, hex, "<hex> %llu where %llu of 0 to 15 is due",
				(unsigned long long)index, (unsigned long long)part);
		if (!err)
			err = loaded_whole(loading, hex, &new.count);
		if (!err)
			err = add(filling, hex, &new);
		if (err)
			return err;
	}
	if (filling->histogram->count - before != whole->count)
		return loaded_refuse(loading, hexes, "the parts hold %llu in all, <sum_count> says %llu",
			(unsigned long long)(filling->histogram->count - before), (unsigned long long)whole->count);
	return 0;
}

/* 30 to 32 stands for everything from 2^30 ns up. */
static int add_bucket(struct filling *filling, const struct report_node *node)
{
	struct loading *loading = filling->loading;
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
	if (!err && (lo != filling->power || hi <= lo || hi > 32))
		err = loaded_refuse(loading, interval, "from 2^%llu to 2^%llu ns: allowed is from 2^%llu up, to 2^32 at most",
			(unsigned long long)lo, (unsigned long long)hi, (unsigned long long)filling->power);
	if (err)
		return err;
	filling->power = hi;
	new.lo_ns = lo == 0 ? 0 : ldexp(1, (int)lo);
	new.hi_ns = hi == 32 ? INFINITY : ldexp(1, (int)hi);
	return hexes && hi < 32 ? add_parts(filling, hexes, &new) : add(filling, node, &new);
}

int loaded_make_original(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram)
{
	struct filling filling = {
		loading, histogram, arena_array(&loading->arena, BUCKETS_MAX, sizeof(struct loaded_bucket)), 0};
	int err = 0;

	if (!filling.buckets)
		return -ENOMEM;
	histogram->type = report_read_attribute(node, "type");
	if (!histogram->type)
		return loaded_refuse(loading, node, "<histogram> has no type");
	histogram->class = "all";
	histogram->layout = "original";
	histogram->min_ns = histogram->mean_ns = histogram->stddev_ns = histogram->max_ns = NAN;
	histogram->buckets = filling.buckets;
	for (node = report_read_find(node, "histo_bucket"); node && !err; node = report_read_next(node))
		err = add_bucket(&filling, node);
	return err;
}

/* The field of this name in a report of this pmbench. */
static const struct field *loaded_field(const struct loaded *loaded, const char *name)
{
	static const char *const paths[] = {"report/result/totals", "report/result/result_thread/thread_details"};
	const char *root = report_read_root(loaded->document)->name;
	const struct field *field = NULL;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !field; i++) {
		const struct field_record *record = field_at(root, paths[i]);

		field = record ? field_find(record, name) : NULL;
	}
	return field && field->kind == FIELD_VALUE ? field : NULL;
}

void loaded_add_text(const struct loaded_text *array, size_t *count, const char *name, const char *value)
{
	if (value[0])
		((struct loaded_text *)array)[(*count)++] = (struct loaded_text){name, value};
}

/*
 * As --replay of pmbench reads them, so that reports of the original and of this pmbench are compared by what was done: its zipf
 * drew from pareto, its shape means something for four patterns only, and its rdtscp had no fence.
 */
int loaded_take_original_options(struct loading *loading)
{
	static const char *const same[] = {
		"duration", "mapsize", "setsize", "delay", "jobs", "offset", "ratio", "access"};
	static const char *const flags[] = {"initialize", "quiet", "cold"};
	const struct report_node *params = report_read_find(loading->report, "signature/params");
	const char *pattern = report_read_text(params, "pattern"), *timer = report_read_text(params, "tsops");
	bool is_pareto = !strcmp(pattern, "pareto") || !strcmp(pattern, "zipf");
	bool is_whole = !strcmp(pattern, "linear") || !strcmp(pattern, "normal");
	const char *shape = report_read_text(params, "shape");
	struct loaded_text *array = arena_array(&loading->arena, 16, sizeof(*array));
	size_t *count = &loading->loaded.option_count;

	if (!array)
		return -ENOMEM;
	loading->loaded.options = array;
	if (is_whole)
		shape = arena_text(&loading->arena, shape, strcspn(shape, "."));
	if (!shape)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		loaded_add_text(array, count, same[i], report_read_text(params, same[i]));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		loaded_add_text(array, count, flags[i], strcmp(report_read_text(params, flags[i]), "1") ? "" : "yes");
	loaded_add_text(array, count, "pattern", is_pareto ? "pareto" : pattern);
	if (is_whole || is_pareto)
		loaded_add_text(array, count, "shape", shape);
	loaded_add_text(array, count, "timestamp", !strcmp(timer, "rdtscp") ? "rdtscp-unfenced" : timer);
	return 0;
}

void loaded_take_original_signature(struct loading *loading, const struct report_node *signature)
{
	struct loaded *loaded = &loading->loaded;
	const char *version = report_read_text(signature, "pmbench_info/version_number");

	loaded->tool = "pmbench";
	loaded->tool_version = strncmp(version, "pmbench ", 8) ? version : version + 8;
	loaded->report_version = report_read_text(signature, "pmbench_info/version_xmloutput");
	loaded->hostname = report_read_text(signature, "os_info/hostname");
	loaded->release = report_read_text(signature, "os_info/version_info/release");
	loaded->arch = report_read_text(signature, "os_info/version_info/arch");
}

struct threads {
	double accesses, per_second, latency_ns, net_ns; /* sums; the latter two weighted by accesses */
};

/* Reads a mean of a thread: this pmbench writes it in ns and unrounded, the original in us with four decimals. */
static int thread_ns(struct loading *loading, const struct report_node *thread, const char *ours,
	const char *original_parent, const char *original, double *ns)
{
	const struct report_node *details = report_read_find(thread, "thread_details");
	const struct report_node *parent = report_read_find(thread, original_parent);
	int err;

	*ns = NAN;
	if (details)
		return loaded_child_double(loading, details, ours, ns);
	if (!parent)
		return 0;
	err = loaded_child_double(loading, parent, original, ns);
	*ns *= 1e3;
	return err;
}

static int add_thread(struct loading *loading, const struct report_node *thread, struct threads *threads)
{
	const struct report_node *details = report_read_find(thread, "result_details");
	double latency_ns, net_ns;
	uint64_t accesses = 0;
	int err = details ? loaded_child_u64(loading, details, "details_samples", &accesses) : 0;

	if (!err)
		err = thread_ns(loading, thread, "latency_ns", "result_details/details_latency", "latency_us",
			&latency_ns);
	if (!err)
		err = thread_ns(loading, thread, "net_ns", "result_netavg", "netavg_us", &net_ns);
	if (err || accesses == 0)
		return err;
	threads->accesses += (double)accesses;
	threads->latency_ns += latency_ns * (double)accesses;
	threads->net_ns += net_ns * (double)accesses;
	threads->per_second += 1e9 / latency_ns;
	return 0;
}

static void add_value(struct loaded *loaded, struct loaded_value *values, const char *name, double value)
{
	if (isfinite(value))
		values[loaded->value_count++] = (struct loaded_value){name, value, loaded_field(loaded, name)};
}

/* Adds the values of <totals> that follow from the original's threads. */
static int add_original_totals(
	struct loading *loading, const struct threads *threads, struct loaded_value *values)
{
	const struct report_node *params = report_read_find(loading->report, "signature/params");
	double map_mib = NAN, set_mib = NAN;
	int err = params ? loaded_child_double(loading, params, "mapsize", &map_mib) : 0;

	if (!err && params)
		err = loaded_child_double(loading, params, "setsize", &set_mib);
	if (err)
		return err;
	add_value(&loading->loaded, values, "accesses", threads->accesses);
	add_value(&loading->loaded, values, "accesses_per_second", threads->per_second);
	add_value(&loading->loaded, values, "map_bytes", map_mib * 0x1p20);
	add_value(&loading->loaded, values, "set_bytes", set_mib * 0x1p20);
	return 0;
}

int loaded_add_original(struct loading *loading, struct loaded_value *values)
{
	const struct report_node *thread = report_read_find(loading->report, "result/result_thread");
	struct threads threads = {0};
	int err = 0;

	for (; thread && !err; thread = report_read_next(thread))
		err = add_thread(loading, thread, &threads);
	if (!err && loading->loaded.is_original)
		err = add_original_totals(loading, &threads, values);
	if (err)
		return err;
	add_value(&loading->loaded, values, "latency_ns", threads.latency_ns / threads.accesses);
	add_value(&loading->loaded, values, "net_ns", threads.net_ns / threads.accesses);
	return 0;
}
