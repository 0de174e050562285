/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of analyses, and functions that several of them use. */
#include "config.h"
#include "memtrace/analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096
#define LINE 64

const struct analysis analyses[] = {
	{"pattern", "When and where is memory accessed", "bucket x y", "access_pattern", "map_band", "access-pattern", PAGE,
		false, analysis_pattern},
	{"count", "How often is each bucket or element accessed", "bucket rows", "access_count", "hot_bucket", "access-count",
		PAGE, true, analysis_count},
	{"hotset", "How much memory is accessed how often", "bucket", "hot_set", "size_step", "hot-set", PAGE, true,
		analysis_hotset},
	{"missratio", "What would an LRU buffer of a size miss", "bucket estimator", "miss_ratio_curve", "curve_point",
		"miss-ratio", PAGE, false, analysis_missratio},
	{"skew", "How unequal are buckets", "bucket", "skew", "ranked", "popularity", PAGE, false, analysis_skew},
	{"partition", "What did a change of the layout do, from one recording to another", "bucket equal", "partitioning",
		"change", "accessed-volume", PAGE, false, analysis_partition},
	{"reuse", "How soon is a bucket accessed again", "bucket", "reuse_distance", "reuse_bin", "reuse-distance", PAGE,
		false, analysis_reuse},
	{"stride", "How far apart are successive accesses of a thread", "rows", "strides", "stride", "stride", PAGE,
		false, analysis_stride},
	{"sharing", "Which cache lines do several threads write (false sharing)", "bucket rows", "false_sharing", "shared_line",
		NULL, LINE, false, analysis_sharing},
	{.name = NULL},
};

const struct analysis *analysis_find(const char *name)
{
	for (const struct analysis *analysis = analyses; analysis->name; analysis++) {
		if (!strcmp(analysis->name, name))
			return analysis;
	}
	return NULL;
}

const char *analysis_name(size_t index)
{
	return index < sizeof(analyses) / sizeof(analyses[0]) ? analyses[index].name : NULL;
}

const char *analysis_why_not(const struct analysis *analysis, const struct source *source)
{
	if (analysis->takes_returns || !source->has_returns || source->is_bursts)
		return NULL;
	return "has no samples of accesses: its pages were drawn uniformly, which says nothing of how often they are accessed; "
	       "use count or hotset, or record by popularity or burst";
}

const struct field *analysis_field(const struct analysis *analysis)
{
	return field_find(mt_result_record(), analysis->element);
}

void *analysis_allocate(struct analysis_run *run, size_t count, size_t size)
{
	void *memory = arena_allocate(&run->arena, (count + 1) * size);

	if (memory)
		memset(memory, 0, (count + 1) * size);
	return memory;
}

const char *analysis_hex(struct analysis_run *run, uint64_t address)
{
	char text[32];
	int used = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);

	return arena_text(&run->arena, text, (size_t)used);
}

uint64_t analysis_address(const struct analysis_run *run, uint64_t key)
{
	return source_address(key << run->shift);
}

bool analysis_is_shown(uint64_t rank, uint64_t before, uint64_t all)
{
	return !before || rank == all || all <= ANALYSIS_CURVE ||
		log((double)rank) >= log((double)before) + log((double)all) / ANALYSIS_CURVE;
}

struct estimate analysis_accesses(const struct source *source, uint64_t samples)
{
	struct estimate estimate = estimate_poisson(samples);

	/* If each access was recorded the number is exact. */
	if (source->is_every_access || source->period == 1)
		return (struct estimate){estimate.value, estimate.value, estimate.value};
	return (struct estimate){estimate.value * source->period, estimate.low * source->period, estimate.high * source->period};
}

/* --- buckets --- */

struct gathering {
	struct analysis_run *run;
	struct buckets *buckets;
};

static int gather(void *data, const struct access *batch, size_t count)
{
	struct gathering *gathering = data;
	struct bucket *found[SOURCE_BATCH];
	int err = source_count(gathering->buckets, batch, count, gathering->run->shift, found);

	for (size_t i = 0; i < count && !err; i++) {
		if (found[i]->extra == BUCKETS_NEW)
			found[i]->extra = batch[i].name;
	}
	return err;
}

int analysis_buckets(struct analysis_run *run, struct source *source, struct buckets *buckets)
{
	struct gathering gathering = {.run = run, .buckets = buckets};
	size_t slots;
	int err = source_read(source, gather, &gathering);

	if (err || source != run->source)
		return err;
	run->touched = analysis_allocate(run, source->name_count, sizeof(*run->touched));
	if (!run->touched)
		return -ENOMEM;
	slots = buckets->size;
	for (size_t i = 0; i < slots; i++) {
		if (buckets->slots[i].key)
			run->touched[buckets->slots[i].extra]++;
	}
	return 0;
}
