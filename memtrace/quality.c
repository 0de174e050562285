/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/quality.h"

#include <errno.h>
#include <stdlib.h>

#define EXACT_ACCESSES (4u << 20)

void truth_free(struct truth *truth)
{
	free(truth->known);
	lru_stack_close(&truth->exact);
	*truth = (struct truth){0};
}

int truth_find(const struct generator *generator, struct truth *truth)
{
	uint64_t count = 1;
	uint32_t *sequence = generator_draw(generator, &count);
	int err;

	*truth = (struct truth){.known = calloc(generator->pages, sizeof(*truth->known))};
	err = truth->known && sequence ? lru_stack_open(&truth->exact, generator->pages) : -ENOMEM;
	for (uint64_t i = 0; i < count && !err; i++) {
		uint64_t times = generator->accesses / count + (i < generator->accesses % count ? 1 : 0);

		truth->known[sequence[i]] += (double)times;
	}
	for (uint64_t i = 0, at = 0; i < generator->accesses && i < EXACT_ACCESSES && !err; i++) {
		lru_stack_access(&truth->exact, sequence[at]);
		at = at + 1 < count ? at + 1 : 0;
	}
	if (err)
		truth_free(truth);
	free(sequence);
	return err;
}

size_t quality_groups(size_t pages, size_t ends[QUALITY_GROUPS])
{
	size_t count = 0;

	for (size_t end = 1; end < pages && count < QUALITY_GROUPS - 1; end *= 4)
		ends[count++] = end;
	ends[count++] = pages;
	return count;
}

/* met: by page whether the engine says something of it. curve is taken. 0 or -ENOMEM. */
static int find_quality(const struct truth *truth, const double *estimated, const bool *met, struct miss_curve *curve,
	double values[QUALITIES])
{
	size_t pages = truth->exact.pages, top_1 = (pages + 99) / 100, top_10 = (pages + 9) / 10, ends[QUALITY_GROUPS], count = 0;
	size_t groups = quality_groups(pages, ends);
	const size_t parts[] = {top_1, top_10, pages};
	double *known_met = malloc(pages * sizeof(*known_met)), *estimated_met = malloc(pages * sizeof(*estimated_met));
	int err = known_met && estimated_met ? 0 : -ENOMEM;

	if (!err)
		err = accuracy_recall(truth->known, estimated, pages, top_1, &values[QUALITY_RECALL_1]);
	for (size_t i = 0; i < pages && !err; i++) {
		known_met[count] = truth->known[i];
		estimated_met[count] = estimated[i];
		count += met[i];
	}
	if (!err)
		err = accuracy_recall(truth->known, estimated, pages, top_10, &values[QUALITY_RECALL_10]);
	if (!err)
		err = accuracy_correlation(truth->known, estimated, pages, &values[QUALITY_CORRELATION]);
	if (!err)
		err = accuracy_correlation(known_met, estimated_met, count, &values[QUALITY_MET_CORRELATION]);
	if (!err)
		err = accuracy_bias(truth->known, estimated, pages, parts, 3, &values[QUALITY_BIAS_1]);
	if (!err)
		err = accuracy_bias(truth->known, estimated, pages, ends, groups, &values[QUALITY_BIAS_GROUPS]);
	values[QUALITY_CURVE] = accuracy_curve_error(&truth->exact, curve);
	miss_curve_free(curve);
	free(known_met);
	free(estimated_met);
	return err;
}

int quality_find(const struct truth *truth, double *estimated, struct miss_curve *curve, uint64_t seed,
	struct outcome *outcome)
{
	size_t pages = truth->exact.pages;
	bool *met = calloc(pages, sizeof(*met));
	int err = met ? 0 : -ENOMEM;

	for (size_t i = 0; i < pages && !err; i++) {
		met[i] = estimated[i] > 0;
		outcome->met += met[i];
	}
	if (!err)
		err = find_quality(truth, estimated, met, curve, outcome->values);
	if (!err)
		err = accuracy_draw(truth->known, pages, outcome->samples, seed, estimated);
	if (!err)
		err = accuracy_curve(estimated, pages, curve);
	if (!err)
		err = find_quality(truth, estimated, met, curve, outcome->ideal);
	free(met);
	return err;
}
