/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/grid.h"
#include "iowrite-bench/calibrate/finish.h"

struct comparing {
	const struct system *before;
	struct system *now;
	const char *place; /* why anything may differ; NULL = both are of the same place */
	struct agree made;
};

/* One value of both. */
struct pair {
	const char *name, *unit;
	struct system_value before, now;
	char *unstable;      /* where it is marked in the newer one; NULL = nowhere */
	double scale;        /* what is small against it may differ by a tenth of it; 0 = nothing */
	const char *usually; /* why it may differ without being unstable; NULL = nothing is known */
};

static double change_of(double before, double now)
{
	return before == now ? 0 : (now - before) / fabs(before);
}

/* A finding where the two differ, or only one has a value. The newer one is marked there, where it knows a value and not yet
 * that it is unstable. */
static int add(struct comparing *comparing, const struct pair *pair)
{
	double before = pair->before.value, now = pair->now.value;
	const char *before_why = pair->before.unstable, *now_why = pair->now.unstable;
	bool lacks_before = isnan(before), lacks_now = isnan(now);
	struct agree *agree = &comparing->made;
	struct agree_finding *findings, *finding;

	agree->compared++;
	if (lacks_before || lacks_now ? lacks_before && lacks_now
				      : fabs(change_of(before, now)) <= AGREE_WITHIN ||
						fabs(now - before) <= AGREE_WITHIN * pair->scale)
		return 0;
	findings = reallocarray(agree->findings, agree->count + 1, sizeof(*findings));
	if (!findings)
		return -ENOMEM;
	agree->findings = findings;
	finding = &findings[agree->count++];
	*finding = (struct agree_finding){.unit = pair->unit, .before = before, .now = now,
		.change = change_of(before, now)};
	snprintf(finding->name, sizeof(finding->name), "%s", pair->name);
	/* Of what only one has the other says why. */
	if (lacks_now && !now_why[0])
		now_why = "not measured, for an unknown reason";
	if (lacks_before && !before_why[0])
		before_why = "not measured, for an unknown reason";
	finding->is_the_older = lacks_before || (!now_why[0] && before_why[0]);
	if (finding->is_the_older)
		snprintf(finding->why, sizeof(finding->why), "%s", before_why);
	else if (now_why[0])
		snprintf(finding->why, sizeof(finding->why), "%s", now_why);
	else if (pair->usually || comparing->place)
		snprintf(finding->why, sizeof(finding->why), "%s", comparing->place ? comparing->place : pair->usually);
	if (!pair->unstable || pair->unstable[0] || lacks_now)
		return 0;
	if (lacks_before)
		snprintf(pair->unstable, AGREE_WHY, "not in the other calibration");
	else if (finding->is_the_older || !finding->why[0])
		snprintf(pair->unstable, AGREE_WHY, "was %.3g in another calibration", before);
	else
		snprintf(pair->unstable, AGREE_WHY, "was %.3g in another calibration: %.150s", before, finding->why);
	return 0;
}

/* --- parameters --- */

static const char *usual_reason(const struct comparing *comparing, enum system_parameter parameter)
{
	const struct system_value *before = &comparing->before->parameters[parameter];
	const struct system_value *now = &comparing->now->parameters[parameter];

	if (parameter == SYSTEM_WARM_POOL)
		return "it depends on what other programs have used and freed";
	if ((parameter == SYSTEM_LIMIT_BG || parameter == SYSTEM_LIMIT_HARD) &&
		(!strcmp(before->method, FACTS_SHARE) || !strcmp(now->method, FACTS_SHARE)))
		return "it is a share of the free memory, which has changed";
	if (comparing->before->writer[0] && pin_was(comparing->before->writer) != pin_was(comparing->now->writer))
		return "the writer was pinned to a CPU in one of them";
	return NULL;
}

/* --- curves --- */

static struct system_point *point_of(const struct system_curve *curve, uint64_t size)
{
	for (size_t i = 0; i < curve->count; i++) {
		if (curve->points[i].size == size)
			return &curve->points[i];
	}
	return NULL;
}

static struct system_value unknown(const char *why)
{
	struct system_value value = {.value = NAN};

	snprintf(value.unstable, sizeof(value.unstable), "%s", why);
	return value;
}

static int add_point(struct comparing *comparing, const char *name, uint64_t size, const struct system_point *before,
	struct system_point *now)
{
	static const char missed[] = "--size, --runtime or --max-bytes ended before this size";
	char label[AGREE_NAME];
	struct pair pair = {label, "ns", before ? before->ns : unknown(missed), now ? now->ns : unknown(missed),
		now ? now->ns.unstable : NULL, 0, NULL};
	int rc;

	snprintf(label, sizeof(label), "%s %llu", name, (unsigned long long)size);
	rc = add(comparing, &pair);
	if (rc || !before || !now || !(before->ns.mean > 0 && now->ns.mean > 0))
		return rc;
	snprintf(label, sizeof(label), "%s %llu mean", name, (unsigned long long)size);
	pair.before.value = before->ns.mean;
	pair.now.value = now->ns.mean;
	return add(comparing, &pair);
}

/* A line is as stable as the points that it is drawn through. */
static void explain_line(const struct system_curve *curve, struct system_value *value)
{
	size_t unstable = 0, first = 0;

	for (size_t i = 0; i < curve->count; i++) {
		if (!curve->points[i].ns.unstable[0])
			continue;
		first = unstable++ ? first : i;
	}
	if (unstable)
		snprintf(value->unstable, sizeof(value->unstable), "%zu of %zu sizes are, %llu: %.120s", unstable, curve->count,
			(unsigned long long)curve->points[first].size, curve->points[first].ns.unstable);
}

/* What a model reads off the lines: l_s (cawl), and what is beyond the table. Nothing of it is marked, its points are. */
static int add_lines(struct comparing *comparing, const char *name, enum op_mode mode, enum op_regime regime)
{
	const struct system_curve *before = &comparing->before->curves[mode][regime];
	const struct system_curve *now = &comparing->now->curves[mode][regime];
	uint64_t size = before->points[before->count - 1].size, other = now->points[now->count - 1].size;
	char label[AGREE_NAME];
	struct pair pair = {.name = label, .unit = "ns", .scale = now->points[0].ns.value};
	int rc = 0;

	explain_line(before, &pair.before);
	explain_line(now, &pair.now);
	snprintf(label, sizeof(label), "%s line at 0", name);
	pair.before.value = before->segment_count ? before->segments[0].fixed_ns : before->points[0].ns.value;
	pair.now.value = now->segment_count ? now->segments[0].fixed_ns : now->points[0].ns.value;
	if (op_mode_is_synchronous(mode))
		rc = add(comparing, &pair);
	size = 2 * (other > size ? other : size);
	snprintf(label, sizeof(label), "%s beyond %llu", name, (unsigned long long)size / 2);
	pair.before.value = system_mean_ns(comparing->before, mode, regime, size);
	pair.now.value = system_mean_ns(comparing->now, mode, regime, size);
	pair.scale = 0;
	return rc ? rc : add(comparing, &pair);
}

static int add_curve(struct comparing *comparing, enum op_mode mode, enum op_regime regime)
{
	const struct system_curve *before = &comparing->before->curves[mode][regime];
	struct system_curve *now = &comparing->now->curves[mode][regime];
	const char *name = system_curve_name(mode, regime);
	int rc = 0;

	if (!before->count && !now->count)
		return 0;
	/* A curve that only one has is one finding. */
	if (!before->count || !now->count) {
		const struct pair pair = {name, "ns", before->count ? before->points[0].ns : unknown(before->unknown),
			now->count ? now->points[0].ns : unknown(now->unknown), NULL, 0, NULL};

		for (size_t i = 0; i < now->count; i++) {
			char *unstable = now->points[i].ns.unstable;

			if (!unstable[0])
				snprintf(unstable, AGREE_WHY, "not in the other calibration");
		}
		return add(comparing, &pair);
	}
	for (size_t i = 0; i < now->count && !rc; i++) {
		uint64_t size = now->points[i].size;

		rc = add_point(comparing, name, size, point_of(before, size), &now->points[i]);
	}
	for (size_t i = 0; i < before->count && !rc; i++) {
		uint64_t size = before->points[i].size;

		if (!point_of(now, size))
			rc = add_point(comparing, name, size, &before->points[i], NULL);
	}
	return rc ? rc : add_lines(comparing, name, mode, regime);
}

/* --- bands --- */

static struct system_value band_value(const struct system *system, double value)
{
	const char *why = system->throttled_unknown;

	if (isfinite(value))
		return (struct system_value){.value = value};
	return unknown(why[0] ? why : "too few writes of such sizes were throttled");
}

/* Of costs that a model has predicted: parts of those are what they may differ by. */
static int add_band(struct comparing *comparing, size_t index)
{
	const struct system_band *before = &comparing->before->throttled[index];
	struct system_band *now = &comparing->now->throttled[index];
	const struct {
		const char *name;
		double before, now;
	} parts[] = {{"p10", before->p10, now->p10}, {"p50", before->p50, now->p50}, {"p90", before->p90, now->p90},
		{"typical", before->typical, now->typical}};
	/* A band that only one has is one finding; older calibrations do not know what is typical. */
	bool has_typical = before->typical > 0 && now->typical > 0;
	size_t count = isnan(before->p10) != isnan(now->p10) ? 1 : has_typical ? 4 : 3;
	char size[UNITS_TEXT];
	int rc = 0;

	units_format_size(isnan(now->p10) ? before->size : now->size, size, sizeof(size));
	for (size_t i = 0; i < count && !rc; i++) {
		char label[AGREE_NAME];
		const struct pair pair = {label, "", band_value(comparing->before, parts[i].before),
			band_value(comparing->now, parts[i].now), now->unstable, 1, NULL};

		snprintf(label, sizeof(label), "throttled %s%s %s", size,
			now->think > 0 || before->think > 0 ? " thinking" : "", parts[i].name);
		rc = add(comparing, &pair);
	}
	return rc;
}

/* --- all --- */

int agree_make(const struct system *before, struct system *now, struct agree *agree)
{
	bool are_of_one_place = !strcmp(before->device, now->device) && !strcmp(before->file_system, now->file_system);
	struct comparing comparing = {.before = before, .now = now};
	int rc = 0;

	if (!are_of_one_place)
		comparing.place = "they are of two devices or file systems";
	else if (strcmp(before->kernel, now->kernel))
		comparing.place = "they are of two kernels";
	for (int i = 0; i < SYSTEM_PARAMETERS && !rc; i++) {
		struct system_value *value = &now->parameters[i];
		struct pair pair = {system_row(i)->name, system_row(i)->unit, before->parameters[i], *value, value->unstable, 0,
			usual_reason(&comparing, i)};

		/* A difference may be next to nothing: it is small against the write of 4 KiB that it is added to. */
		if (i == SYSTEM_SC_SK || i == SYSTEM_LAT_RMW)
			pair.scale = system_cost_ns(now, i == SYSTEM_SC_SK ? OP_DIRECT : OP_SYNC, OP_OVERWRITE, 4096);
		if (isnan(pair.scale))
			pair.scale = 0;
		/* No model takes the clock's cost. */
		if (i != SYSTEM_CLOCK)
			rc = add(&comparing, &pair);
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES && !rc; i++)
		rc = add_curve(&comparing, i / OP_REGIMES, i % OP_REGIMES);
	for (size_t i = 0; i < SYSTEM_BANDS && !rc; i++)
		rc = add_band(&comparing, i);
	if (rc)
		agree_free(&comparing.made);
	else
		*agree = comparing.made;
	return rc;
}

void agree_free(struct agree *agree)
{
	free(agree->findings);
	*agree = (struct agree){0};
}

void agree_print(const struct agree *agree, const char *path)
{
	static const struct grid_column columns[] = {
		{"value", NULL}, {"older", ""}, {"this one", ""}, {"change", "+%"}, {"why", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns, .indent = 2};
	char text[UNITS_TEXT];

	printf("\nCompared with %s: %zu of %zu values that the models use agree within %.0f %%.\n", path,
		agree->compared - agree->count, agree->compared, 100 * AGREE_WITHIN);
	for (size_t i = 0; i < agree->count; i++) {
		const struct agree_finding *finding = &agree->findings[i];
		bool is_in_one = isnan(finding->before) || isnan(finding->now);

		grid_text(&grid, "%s", finding->name);
		grid_text(&grid, "%s", tables_value(finding->before, finding->unit, text));
		grid_text(&grid, "%s", tables_value(finding->now, finding->unit, text));
		if (isnan(finding->change))
			grid_text(&grid, "only in one");
		else
			GRID_VALUES(&grid, 100 * finding->change);
		if (!finding->why[0])
			grid_text(&grid, "both are stable: the machine or the device changed between the two");
		else if (is_in_one)
			grid_text(&grid, "%s: %s", finding->is_the_older ? "not in the older one" : "not in this one",
				finding->why);
		else
			grid_text(&grid, "%s: %s", finding->is_the_older ? "unstable in the older one" : "unstable", finding->why);
	}
	grid_print(&grid, stdout);
}
