/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses of recordings, a row of the table each. An analysis reads the selected samples of a source as often as it needs
 * and fills the record of its element in the report (schema/memtrace.h); the text, the JSON and the report are made from that.
 */
#ifndef MEMTRACE_ANALYSIS_H
#define MEMTRACE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "memtrace/buckets.h"
#include "memtrace/estimate.h"
#include "memtrace/rates.h"
#include "memtrace/source.h"
#include "schema/memtrace.h"

#define ANALYSIS_ROWS 20       /* of lists of the most popular, unless --rows says otherwise */
#define ANALYSIS_COLUMNS_MAX 240 /* of a map */
#define ANALYSIS_BANDS_MAX 128
#define ANALYSIS_BINS 2048     /* of counts in the order of addresses */
#define ANALYSIS_CURVE 400     /* rows of a curve */

enum analysis_estimator { ANALYSIS_AUTO, ANALYSIS_STATSTACK, ANALYSIS_CHE };

struct analysis_options {
	uint64_t bucket_bytes; /* 0 = the analysis's */
	uint64_t rows;
	unsigned x, y;         /* of pattern: 0 time 1 samples, 0 rank 1 address */
	unsigned estimator;    /* of missratio */
};

/* An analysis in the making. Texts and rows belong to the arena. */
struct analysis_run {
	const struct analysis *analysis;
	const struct analysis_options *options;
	struct source *source;         /* partition: before */
	struct source *after, *equal;  /* partition; NULL otherwise, and without --equal */
	unsigned shift;                /* log2 of the bucket's size */
	struct arena arena;
	void *values;                  /* of the record of its element */
	struct mt_interval_values *intervals; /* of pattern by time, otherwise none */
	size_t interval_count;
	uint64_t interval_ns;
	uint64_t *touched;             /* by name of source: buckets with a sample; NULL = the analysis does not say */
};

struct analysis {
	const char *name;       /* "count" */
	const char *question;   /* for --help and the manual, no period */
	const char *takes;      /* options that mean something to it, with blanks between */
	const char *element;    /* in <result>: its field, whose record it fills */
	const char *rows;       /* in that: the rows that are printed */
	const char *plot;       /* the kind of picture */
	uint64_t bucket_bytes;  /* unless --bucket says otherwise */
	/* Fills run->values. 0, -ENOMEM, -E2BIG (too many buckets), or -ENODATA and in why what the recording lacks. */
	int (*run)(struct analysis_run *run, const char **why);
};

/* Ended by a row without a name. */
extern const struct analysis analyses[];
const struct analysis *analysis_find(const char *name); /* NULL = none */
const char *analysis_name(size_t index);                /* NULL = no more */
/* The field of its element in mt_result. */
const struct field *analysis_field(const struct analysis *analysis);

/* --- for analyses --- */

/* Cleared memory of the arena. */
void *analysis_allocate(struct analysis_run *run, size_t count, size_t size);
const char *analysis_hex(struct analysis_run *run, uint64_t address); /* NULL = no memory */
/* Buckets of all selected samples; extra is the name of the first one's range or mapping. Counts what was touched. */
int analysis_buckets(struct analysis_run *run, struct source *source, struct buckets *buckets);
/* The first address of a bucket. */
uint64_t analysis_address(const struct analysis_run *run, uint64_t key);
static inline double analysis_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}
/* Samples times period; NAN = the engine does not sample by accesses. */
struct estimate analysis_accesses(const struct source *source, uint64_t samples);

/* The rates of its pages: of a source that has them. 0, -ENOMEM or -E2BIG. */
int analysis_rates(struct source *source, struct rates *rates);
/* All pages that are accessed, with those that were never drawn, from how often each was that came back; drawn: these. */
int analysis_rates_pages(const struct rates *rates, struct estimate *pages, size_t *drawn);
int analysis_rates_curve(const struct rates *rates, struct miss_curve *curve);
int analysis_rates_hotset(struct analysis_run *run, const char **why);
int analysis_rates_skew(struct analysis_run *run, const char **why);
int analysis_rates_missratio(struct analysis_run *run, struct miss_curve *curve, double *pages, const char **why);

int analysis_pattern(struct analysis_run *run, const char **why);
int analysis_count(struct analysis_run *run, const char **why);
int analysis_hotset(struct analysis_run *run, const char **why);
int analysis_missratio(struct analysis_run *run, const char **why);
int analysis_skew(struct analysis_run *run, const char **why);
int analysis_partition(struct analysis_run *run, const char **why);
int analysis_reuse(struct analysis_run *run, const char **why);
int analysis_stride(struct analysis_run *run, const char **why);
int analysis_sharing(struct analysis_run *run, const char **why);

#endif
