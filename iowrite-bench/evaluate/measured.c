/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/measured.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The sizes that occur, rising; NULL when there is no memory. */
static uint64_t *list_sizes(const struct record *records, size_t count, unsigned *size_count)
{
	uint64_t *sizes = calloc(count, sizeof(*sizes));
	size_t used = 0;

	if (!sizes)
		return NULL;
	for (size_t i = 0; i < count; i++)
		sizes[i] = records[i].size;
	qsort(sizes, count, sizeof(*sizes), by_value);
	for (size_t i = 0; i < count; i++) {
		if (!i || sizes[i] != sizes[used - 1])
			sizes[used++] = sizes[i];
	}
	*size_count = (unsigned)used;
	return sizes;
}

static void set_groups(struct measured *made, const struct record *records, const uint64_t *sizes)
{
	for (size_t i = 0; i < made->count; i++) {
		const uint64_t *found =
			bsearch(&records[i].size, sizes, made->group_count, sizeof(*sizes), by_value);

		made->group[i] = (unsigned)(found - sizes);
	}
}

static void set_means(struct measured *made, double *counts)
{
	for (size_t i = 0; i < made->count; i++) {
		made->group_mean[made->group[i]] += made->ns[i];
		counts[made->group[i]]++;
	}
	for (unsigned i = 0; i < made->group_count; i++)
		made->group_mean[i] /= counts[i];
}

int measured_make(const struct record *records, size_t count, const struct measured_clock *clock, struct measured *measured)
{
	struct measured made = {.count = count, .step_ns = clock->step_ns};
	uint64_t *sizes = list_sizes(records, count, &made.group_count);
	double *counts = sizes ? calloc(made.group_count, sizeof(*counts)) : NULL;
	int rc = -ENOMEM;

	made.ns = calloc(count, sizeof(*made.ns));
	made.group = calloc(count, sizeof(*made.group));
	made.group_mean = sizes ? calloc(made.group_count, sizeof(*made.group_mean)) : NULL;
	if (!counts || !made.ns || !made.group || !made.group_mean)
		goto out;
	for (size_t i = 0; i < count; i++) {
		made.ns[i] = fmax(1, (double)records[i].write_ns - clock->overhead_ns);
		made.total_ns += made.ns[i];
	}
	set_groups(&made, records, sizes);
	set_means(&made, counts);
	*measured = made;
	rc = 0;
out:
	free(sizes);
	free(counts);
	if (rc)
		measured_free(&made);
	return rc;
}

void measured_free(struct measured *measured)
{
	free(measured->ns);
	free(measured->group);
	free(measured->group_mean);
	*measured = (struct measured){0};
}
