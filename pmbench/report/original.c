/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Edges are powers of two of ns. Readers of the original expect that the coarse buckets at the end all have index 0 and that the
 * last one is 2^30 to 2^32.
 */
#include "config.h"
#include "pmbench/report/original.h"

#include "schema/pmbench.h"

#define FINE 15    /* buckets with hexes, after the first one */
#define HEXES 16
#define COARSE 241 /* index of the first count after the hexes */

static void write_hexes(struct report *report, const struct field *field, const void *from)
{
	const uint64_t *counts = from;

	for (unsigned i = 0; i < HEXES; i++)
		FIELD_ROW(report, field, pm_hex, i, counts[i]);
}

static void write_bucket(struct report *report, const struct field *field, unsigned index, unsigned lo, unsigned hi,
	uint64_t sum, const uint64_t *hexes)
{
	const struct pm_bucket_interval_values interval = {lo, hi};
	const struct pm_bucket_hexes_values parts = {FIELD_BY(write_hexes, hexes)};

	FIELD_ROW(report, field, pm_histo_bucket, index, FIELD_ONE(&interval), sum, FIELD_MANY(&parts, hexes ? 1 : 0));
}

static void write_buckets(struct report *report, const struct field *field, const void *from)
{
	const uint64_t *counts = from;

	write_bucket(report, field, 0, 0, 8, counts[0], NULL);
	for (unsigned i = 1; i <= FINE; i++) {
		const uint64_t *hexes = &counts[1 + HEXES * (i - 1)];
		uint64_t sum = 0;

		for (unsigned j = 0; j < HEXES; j++)
			sum += hexes[j];
		write_bucket(report, field, i, i + 7, i + 8, sum, hexes);
	}
	for (unsigned power = 23; power <= 30; power++)
		write_bucket(report, field, 0, power, power < 30 ? power + 1 : 32, counts[COARSE + power - 23], NULL);
}

void original_write_histogram(struct report *report, const char *type, const uint64_t *counts)
{
	const struct pm_histogram_values values = {type, FIELD_BY(write_buckets, counts)};

	FIELD_WRITE(report, "histogram", pm_histogram, &values);
}
