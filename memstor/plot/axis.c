/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/axis.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/units.h"
#include "memstor/plot/style.h"

#define LOG_ROOM 1.15  /* beyond the outermost values, as a factor */
#define LABELS_MAX 9   /* decades that all have a text */
#define LINEAR_TICS 6
#define LOG_TICS_FROM 5 /* times as high as low */
#define TICS_MAX 100

struct unit_step {
	double size;
	const char *name;
};

static const struct unit_step times[] = {{1, " ns"}, {1e3, " us"}, {1e6, " ms"}, {1e9, " s"}};
static const struct unit_step counts[] = {{1, ""}, {1e3, " k"}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}, {1e15, " P"}};

void plot_extent_add(struct plot_extent *extent, double value)
{
	if (!isfinite(value))
		return;
	extent->low = fmin(extent->low, value);
	extent->high = fmax(extent->high, value);
}

/* The largest unit that is not above the value. */
static const struct unit_step *unit_of(const struct unit_step *steps, size_t count, double value)
{
	size_t i = 0;

	/* 1e6 may come as 999999.9999999999. */
	while (i + 1 < count && fabs(value) * (1 + 1e-9) >= steps[i + 1].size)
		i++;
	return &steps[i];
}

static void format_scaled(const struct unit_step *steps, size_t count, double value, int digits, char *text, size_t length)
{
	const struct unit_step *step = unit_of(steps, count, value);

	/* Three digits of 999.6 are 1000. */
	if (step + 1 < steps + count && fabs(value) >= step[1].size * (1 - 0.5 * pow(10, -digits)))
		step++;
	/* As many digits as %g has them, without exponents: 1234 is no 1.23e+03. */
	snprintf(text, length, "%.*g%s", fabs(value / step->size) >= 1000 ? 4 : digits, value / step->size, step->name);
}

static char *format(enum plot_unit unit, double value, int digits, char *text, size_t length)
{
	char size[UNITS_TEXT];

	switch (unit) {
	case PLOT_UNIT_NS:
		format_scaled(times, sizeof(times) / sizeof(times[0]), value, digits, text, length);
		break;
	case PLOT_UNIT_COUNT:
		format_scaled(counts, sizeof(counts) / sizeof(counts[0]), value, digits, text, length);
		break;
	case PLOT_UNIT_PERCENT:
		snprintf(text, length, "%.*g %%", fabs(value) >= 1000 ? 7 : digits, value);
		break;
	case PLOT_UNIT_SECONDS:
		snprintf(text, length, "%.6g", value);
		break;
	case PLOT_UNIT_BYTES:
		units_format_size((uint64_t)fmax(value, 0), text, length);
		break;
	case PLOT_UNIT_BYTES_PER_SECOND:
		units_format_size((uint64_t)fmax(value, 0), size, sizeof(size));
		snprintf(text, length, "%s/s", size);
		break;
	case PLOT_UNIT_NINES:
		snprintf(text, length, "%.12g %%", 100 - 100 / value);
		break;
	}
	return text;
}

char *plot_axis_format(enum plot_unit unit, double value, char *text, size_t length)
{
	return format(unit, value, 4, text, length);
}

char *plot_axis_format_short(enum plot_unit unit, double value, char *text, size_t length)
{
	return format(unit, value, 3, text, length);
}

static bool is_of_bytes(enum plot_unit unit)
{
	return unit == PLOT_UNIT_BYTES || unit == PLOT_UNIT_BYTES_PER_SECOND;
}

/* 1, 2 or 5 times a power of ten (of bytes a power of two), so that about LINEAR_TICS fit. */
static double step_of(enum plot_unit unit, double range)
{
	double rough = range / LINEAR_TICS;
	double power = pow(10, floor(log10(rough)));

	if (is_of_bytes(unit))
		return fmax(exp2(ceil(log2(rough))), 1);
	if (rough <= power)
		return power;
	return rough <= 2 * power ? 2 * power : rough <= 5 * power ? 5 * power : 10 * power;
}

static void fit_log(struct plot_axis *axis, const struct plot_extent *extent)
{
	bool is_empty = !(extent->high > 0 && extent->low <= extent->high);
	double middle;

	axis->high = is_empty ? 10 : extent->high * LOG_ROOM;
	/* What is 0 or below has no place; room for one in a thousand is left in its stead. */
	axis->low = is_empty ? 1 : extent->low > 0 ? extent->low / LOG_ROOM : extent->high / 1e3;
	if (axis->high >= 2 * axis->low)
		return;
	middle = sqrt(axis->low * axis->high);
	axis->low = middle / sqrt(2);
	axis->high = middle * sqrt(2);
}

void plot_axis_fit(struct plot_axis *axis, const struct plot_extent *extent)
{
	double low = fmin(extent->low, 0), high = fmax(extent->high, 0), step;

	if (axis->is_log) {
		fit_log(axis, extent);
		return;
	}
	if (low == high || extent->low > extent->high) {
		low = 0;
		high = 1;
	}
	step = step_of(axis->unit, high - low);
	axis->low = floor(low / step) * step;
	axis->high = ceil(high / step) * step;
}

double plot_axis_share(const struct plot_axis *axis, double value)
{
	return axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
			    : (value - axis->low) / (axis->high - axis->low);
}

struct tics {
	FILE *out;
	const struct plot_axis *axis;
	const char *glue;
};

static void put_tic(struct tics *tics, double value, bool is_minor)
{
	const struct plot_axis *axis = tics->axis;
	char text[UNITS_TEXT] = "";

	/* -0 is a number, too. */
	value = value == 0 ? 0 : value;
	if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9))
		return;
	if (!is_minor && axis->title)
		plot_axis_format(axis->unit, value, text, sizeof(text));
	/* Of digits, letters, blanks and '%', which in a tic begins a format. */
	fprintf(tics->out, "%s\"", tics->glue);
	for (const char *at = text; *at; at++)
		fprintf(tics->out, "%s%c", *at == '%' ? "%" : "", *at);
	fprintf(tics->out, "\" %.15g%s", value, is_minor ? " 1" : "");
	tics->glue = ", ";
}

/* Which multiples of a power of ten have a text, by how many of these the axis spans. */
static const char *labelled_multiples(double decades)
{
	return decades >= 2.2 ? "1" : decades >= 1.2 ? "125" : "12357";
}

static void put_log_tics(struct tics *tics)
{
	int first = (int)floor(log10(tics->axis->low)), last = (int)ceil(log10(tics->axis->high));
	double decades = log10(tics->axis->high / tics->axis->low);
	const char *labelled = labelled_multiples(decades);
	int every = 1 + (int)decades / (LABELS_MAX + 1);

	for (int power = first; power <= last; power++) {
		for (int multiple = 1; multiple < 10; multiple++) {
			bool has_text = strchr(labelled, '0' + multiple) && power % every == 0;

			if (has_text || decades <= LABELS_MAX || multiple == 1)
				put_tic(tics, multiple * pow(10, power), !has_text);
		}
	}
}

/* Powers of two, which sizes are. */
static void put_binary_tics(struct tics *tics)
{
	int first = (int)ceil(log2(tics->axis->low) - 1e-9), last = (int)floor(log2(tics->axis->high) + 1e-9);
	int every = 1 + (last - first) / LABELS_MAX;

	for (int power = first; power <= last && power - first < TICS_MAX; power++)
		put_tic(tics, exp2(power), power % every != 0);
}

/* Half of the samples are below the first of these, nine in ten below the next. */
static void put_nines_tics(struct tics *tics)
{
	put_tic(tics, 1, false);
	put_tic(tics, 2, false);
	for (int nines = 1; pow(10, nines) <= tics->axis->high; nines++)
		put_tic(tics, pow(10, nines), false);
}

static void put_linear_tics(struct tics *tics)
{
	double step = step_of(tics->axis->unit, tics->axis->high - tics->axis->low);
	double first = ceil(tics->axis->low / step - 1e-9);

	for (int i = 0; i < TICS_MAX && (first + i) * step <= tics->axis->high * (1 + 1e-9); i++)
		put_tic(tics, (first + i) * step, false);
}

void plot_axis_write(FILE *out, const struct plot_axis *axis)
{
	struct tics tics = {out, axis, ""};

	fprintf(out, "%s logscale %s\n", axis->is_log ? "set" : "unset", axis->name);
	fprintf(out, "set %srange [%.15g:%.15g] noextend\n", axis->name, axis->low, axis->high);
	fprintf(out, "set %stics out nomirror scale 0.6,0.3 textcolor rgb \"%s\" (", axis->name, PLOT_INK);
	if (axis->unit == PLOT_UNIT_NINES)
		put_nines_tics(&tics);
	/* Less than that has too few round multiples. */
	else if (axis->is_log && is_of_bytes(axis->unit) && axis->high > LOG_TICS_FROM * axis->low)
		put_binary_tics(&tics);
	else if (axis->is_log && axis->high > LOG_TICS_FROM * axis->low)
		put_log_tics(&tics);
	else
		put_linear_tics(&tics);
	fputs(")\n", out);
}
