/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/agree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "iowrite-bench/calibrate/tables.h"

/* What models take; of differences, which may be next to nothing, what they are small against. */
static const struct used {
	enum system_parameter parameter;
	bool is_difference;
	enum op_mode mode; /* whose write of 4 KiB it is added to */
} used[] = {{SYSTEM_BW_MEM, false, 0}, {SYSTEM_BW_CACHE_COLD, false, 0}, {SYSTEM_BW_CACHE_WARM, false, 0},
	{SYSTEM_BW_CACHE_REWRITE, false, 0}, {SYSTEM_COEFF_BG, false, 0}, {SYSTEM_BW_DEV, false, 0},
	{SYSTEM_BW_SYNC, false, 0}, {SYSTEM_BW_RDEV, false, 0}, {SYSTEM_LAT_RDEV, false, 0},
	{SYSTEM_SC_W, false, 0}, {SYSTEM_SC_SK, true, OP_DIRECT}, {SYSTEM_LAT_RMW, true, OP_SYNC},
	{SYSTEM_LIB_METACOST, false, 0}, {SYSTEM_LIB_BUFFER, false, 0}, {SYSTEM_BLOCK, false, 0},
	{SYSTEM_FS_BLOCK, false, 0}, {SYSTEM_LIMIT_BG, false, 0}, {SYSTEM_LIMIT_HARD, false, 0},
	{SYSTEM_DIRTY_EXPIRE, false, 0}, {SYSTEM_DIRTY_WRITEBACK, false, 0}};

static bool is_close(double before, double now, double scale)
{
	if (isnan(before) || isnan(now))
		return isnan(before) && isnan(now);
	return fabs(now - before) <= AGREE_WITHIN * fmax(scale, fmin(fabs(before), fabs(now)));
}

static int add(struct agree *agree, const char *name, const char *unit, const struct system_value *before, struct system_value *now,
	double scale)
{
	struct agree_finding *findings, *finding;

	agree->compared++;
	if (is_close(before->value, now->value, scale))
		return 0;
	findings = reallocarray(agree->findings, agree->count + 1, sizeof(*findings));
	if (!findings)
		return -ENOMEM;
	agree->findings = findings;
	finding = &findings[agree->count++];
	*finding = (struct agree_finding){.unit = unit, .before = before->value, .now = now->value};
	snprintf(finding->name, sizeof(finding->name), "%s", name);
	if (now->unstable[0]) {
		finding->why = now->unstable;
	} else if (before->unstable[0]) {
		finding->why = before->unstable;
		finding->is_the_older = true;
	} else {
		snprintf(now->unstable, sizeof(now->unstable), "was %.3g in another calibration", before->value);
	}
	return 0;
}

static struct system_point *point_of(const struct system_curve *curve, uint64_t size)
{
	for (size_t i = 0; i < curve->count; i++) {
		if (curve->points[i].size == size)
			return &curve->points[i];
	}
	return NULL;
}

/* Points that both have; a curve that only one has is one finding. */
static int add_curve(struct agree *agree, const char *name, const struct system_curve *before, struct system_curve *now)
{
	int rc = 0;

	if (!before->count != !now->count) {
		struct system_value had = {.value = before->count ? before->points[0].ns.value : NAN};
		struct system_value has = {.value = now->count ? now->points[0].ns.value : NAN};

		rc = add(agree, name, "ns", &had, &has, 0);
		if (!rc)
			agree->findings[agree->count - 1].why = before->count ? now->unknown : before->unknown;
		return rc;
	}
	for (size_t i = 0; i < now->count && !rc; i++) {
		const struct system_point *other = point_of(before, now->points[i].size);
		char words[48];

		snprintf(words, sizeof(words), "%s %llu", name, (unsigned long long)now->points[i].size);
		if (other)
			rc = add(agree, words, "ns", &other->ns, &now->points[i].ns, 0);
	}
	return rc;
}

int agree_make(const struct system *before, struct system *now, struct agree *agree)
{
	struct agree made = {0};
	int rc = 0;

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]) && !rc; i++) {
		enum system_parameter parameter = used[i].parameter;
		double scale = used[i].is_difference ? system_cost_ns(now, used[i].mode, OP_OVERWRITE, 4096) : 0;

		rc = add(&made, system_row(parameter)->name, system_row(parameter)->unit, &before->parameters[parameter],
			&now->parameters[parameter], isnan(scale) ? 0 : scale);
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES && !rc; i++) {
		enum op_mode mode = i / OP_REGIMES;
		enum op_regime regime = i % OP_REGIMES;
		char name[SYSTEM_CURVE_NAME];

		rc = add_curve(&made, system_curve_name(mode, regime, name), &before->curves[mode][regime],
			&now->curves[mode][regime]);
	}
	if (rc)
		agree_free(&made);
	else
		*agree = made;
	return rc;
}

void agree_free(struct agree *agree)
{
	free(agree->findings);
	*agree = (struct agree){0};
}

static void print_finding(const struct agree_finding *finding)
{
	char change[32] = "only in one", texts[2][UNITS_TEXT];

	if (isfinite(finding->before) && isfinite(finding->now))
		snprintf(change, sizeof(change), "%+.0f %%", 100 * (finding->now / finding->before - 1));
	printf("  %-32s %12s -> %-12s %-12s", finding->name, tables_value(finding->before, finding->unit, texts[0]),
		tables_value(finding->now, finding->unit, texts[1]), change);
	if (!finding->why || !finding->why[0])
		puts("neither knew it to be unstable: the machine or the device changed between the two");
	else
		printf("%s: %s\n", finding->is_the_older ? "the older is unstable" : "unstable", finding->why);
}

void agree_print(const struct agree *agree, const char *path)
{
	printf("\nCompared with %s: %zu of %zu values that the models use agree within %.0f %%.\n", path,
		agree->compared - agree->count, agree->compared, 100 * AGREE_WITHIN);
	for (size_t i = 0; i < agree->count; i++)
		print_finding(&agree->findings[i]);
}
