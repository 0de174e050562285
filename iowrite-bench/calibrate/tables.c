/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

const char *tables_value(double value, const char *unit, char *buffer)
{
	if (isnan(value))
		snprintf(buffer, UNITS_TEXT, "-");
	else if (!strcmp(unit, "ns"))
		units_format_duration(value, buffer, UNITS_TEXT);
	else if (!strcmp(unit, "bytes"))
		units_format_size((uint64_t)value, buffer, UNITS_TEXT);
	else if (!strcmp(unit, "bytes/s"))
		snprintf(buffer, UNITS_TEXT, value < 1e9 ? "%.1f MB/s" : "%.2f GB/s", value / (value < 1e9 ? 1e6 : 1e9));
	else
		snprintf(buffer, UNITS_TEXT, "%.3f", value);
	return buffer;
}

static void print_parameter(enum system_parameter parameter, const struct system_value *value)
{
	const struct system_row *row = system_row(parameter);
	char text[3][UNITS_TEXT];

	if (isnan(value->value)) {
		if (value->unstable[0])
			printf("%-16s %12s  %s\n", row->name, "unknown", value->unstable);
		return;
	}
	printf("%-16s %12s %12s %12s %6u  %s%s%s\n", row->name, tables_value(value->value, row->unit, text[0]),
		tables_value(value->low, row->unit, text[1]), tables_value(value->high, row->unit, text[2]), value->n,
		value->method,
		value->unstable[0] ? "; UNSTABLE: " : "", value->unstable);
}

static size_t count_unstable(const struct system_curve *curve)
{
	size_t count = 0;

	for (size_t i = 0; i < curve->count; i++)
		count += curve->points[i].ns.unstable[0] != '\0';
	return count;
}

static void print_segments(const struct system_curve *curve)
{
	for (size_t i = 0; i < curve->segment_count; i++) {
		const struct system_segment *segment = &curve->segments[i];
		char from[UNITS_TEXT], fixed[UNITS_TEXT], rate[UNITS_TEXT];

		if (i)
			printf(", from %s ", units_format_size(segment->from_size, from, sizeof(from)));
		printf("%s + size / %s", units_format_duration(segment->fixed_ns, fixed, sizeof(fixed)),
			segment->ns_per_byte > 0 ? tables_value(1e9 / segment->ns_per_byte, "bytes/s", rate) : "infinite");
	}
}

static void print_curve(const char *name, const struct system_curve *curve)
{
	char least[UNITS_TEXT], most[UNITS_TEXT], cost[UNITS_TEXT];
	size_t unstable = count_unstable(curve);

	if (!curve->count) {
		if (curve->unknown[0])
			printf("%-22s unknown  %s\n", name, curve->unknown);
		return;
	}
	units_format_size(curve->points[0].size, least, sizeof(least));
	units_format_size(curve->points[curve->count - 1].size, most, sizeof(most));
	printf("%-22s %2zu sizes %s to %s, %s at %s: ", name, curve->count, least, most,
		units_format_duration(curve->points[0].ns.value, cost, sizeof(cost)), least);
	print_segments(curve);
	if (unstable)
		printf("; UNSTABLE: %zu of the sizes", unstable);
	putchar('\n');
}

static void print_bands(const struct system *system)
{
	puts("\nthrottled writes: cost by its mean, by size");
	if (system->throttled_unknown[0])
		printf("  unknown  %s\n", system->throttled_unknown);
	for (size_t i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *band = &system->throttled[i];
		char size[UNITS_TEXT];

		if (isfinite(band->p50))
			printf("  %-8s %-8s  p10 %.2f  p50 %.2f  p90 %.2f  typical %.2f%s%s\n",
				units_format_size(band->size, size, sizeof(size)), band->think > 0 ? "thinking" : "",
				band->p10, band->p50, band->p90, band->typical,
				band->unstable[0] ? "; UNSTABLE: " : "", band->unstable);
	}
}

void tables_print(const struct system *system)
{
	printf("%s on %s, kernel %s, %s\n", system->file_system, system->device[0] ? system->device : "no device",
		system->kernel, system->date);
	if (system->writer[0])
		printf("writer %s\n", system->writer);
	if (system->partial[0])
		printf("PARTIAL: %s\n", system->partial);
	putchar('\n');
	printf("%-16s %12s %12s %12s %6s  %s\n", "parameter", "value", "low", "high", "n", "method");
	for (int i = 0; i < SYSTEM_PARAMETERS; i++)
		print_parameter(i, &system->parameters[i]);
	puts("\ncost of a write by mode and regime");
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		enum op_mode mode = i / OP_REGIMES;
		enum op_regime regime = i % OP_REGIMES;
		char name[SYSTEM_CURVE_NAME];

		print_curve(system_curve_name(mode, regime, name), &system->curves[mode][regime]);
	}
	print_bands(system);
}
