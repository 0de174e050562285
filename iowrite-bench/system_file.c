/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system.h"

#include <math.h>

#include "common/diag.h"
#include "iowrite-bench/system_file.h"
#include "schema/iowrite.h"

/* Members of IOW_VALUE_ROWS. */
#define VALUE_MEMBERS(of) \
	.value = (of)->value, .low = (of)->low, .high = (of)->high, .n = (of)->n, .method = (of)->method, \
	.mean = (of)->p95 > 0 ? (of)->mean : NAN, .p5 = (of)->p95 > 0 ? (of)->p5 : NAN, \
	.p25 = (of)->p95 > 0 ? (of)->p25 : NAN, .p75 = (of)->p95 > 0 ? (of)->p75 : NAN, \
	.p95 = (of)->p95 > 0 ? (of)->p95 : NAN, .unstable = FIELD_UNLESS_EMPTY((of)->unstable)

static void write_parameters(struct report *report, const struct field *field, const void *from)
{
	const struct system *system = from;

	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		const struct system_value *value = &system->parameters[i];

		if (isfinite(value->value))
			FIELD_ROW(report, field, iow_parameter, .name = system_row(i)->name, .unit = system_row(i)->unit,
				VALUE_MEMBERS(value));
	}
}

static void write_points(struct report *report, const struct field *field, const void *from)
{
	const struct system_curve *curve = from;

	for (size_t i = 0; i < curve->count; i++)
		FIELD_ROW(report, field, iow_point, .size_bytes = curve->points[i].size, VALUE_MEMBERS(&curve->points[i].ns));
}

static void write_segments(struct report *report, const struct field *field, const void *from)
{
	const struct system_curve *curve = from;

	for (size_t i = 0; i < curve->segment_count; i++)
		FIELD_ROW(report, field, iow_segment, curve->segments[i].from_size, curve->segments[i].fixed_ns,
			curve->segments[i].ns_per_byte);
}

static void write_curves(struct report *report, const struct field *field, const void *from)
{
	const struct system *system = from;

	for (int mode = 0; mode < OP_MODES; mode++) {
		for (int regime = 0; regime < OP_REGIMES; regime++) {
			const struct system_curve *curve = &system->curves[mode][regime];

			if (curve->count)
				FIELD_ROW(report, field, iow_curve, op_mode_name(mode), op_regime_name(regime),
					FIELD_BY(write_points, curve), FIELD_BY(write_segments, curve));
		}
	}
}

static void write_bands(struct report *report, const struct field *field, const void *from)
{
	const struct system *system = from;

	for (unsigned i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *band = &system->throttled[i];

		if (!isfinite(band->p50))
			continue;
		FIELD_ROW(report, field, iow_band,
			.index = i,
			.size_bytes = band->size,
			.think = band->think > 0 ? band->think : NAN,
			.p10 = band->p10,
			.p50 = band->p50,
			.p90 = band->p90,
			.typical = band->typical > 0 ? band->typical : NAN,
			.unstable = FIELD_UNLESS_EMPTY(band->unstable));
	}
}

static void write_unknown(struct report *report, const struct field *field, const char *name, const char *why)
{
	if (why[0])
		FIELD_ROW(report, field, iow_unknown, name, why);
}

/* What was tried for and not found, and why. */
static void write_unknowns(struct report *report, const struct field *field, const void *from)
{
	const struct system *system = from;

	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (!isfinite(system->parameters[i].value))
			write_unknown(report, field, system_row(i)->name, system->parameters[i].unstable);
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		enum op_mode mode = i / OP_REGIMES;
		enum op_regime regime = i % OP_REGIMES;
		char name[SYSTEM_CURVE_NAME];

		if (!system->curves[mode][regime].count)
			write_unknown(report, field, system_curve_name(mode, regime, name), system->curves[mode][regime].unknown);
	}
	write_unknown(report, field, "throttled", system->throttled_unknown);
}

int system_write(const struct system *system, const char *path)
{
	const struct iow_system_values values = {
		.version = SYSTEM_FILE_NUMBER,
		.date = system->date,
		.kernel = system->kernel,
		.device = system->device,
		.file_system = system->file_system,
		.writer = FIELD_UNLESS_EMPTY(system->writer),
		.writer_cpu = system->writer_cpu >= 0 ? (uint64_t)system->writer_cpu : FIELD_NO_COUNT,
		.partial = FIELD_UNLESS_EMPTY(system->partial),
		.parameter = FIELD_BY(write_parameters, system),
		.curve = FIELD_BY(write_curves, system),
		.throttled = FIELD_BY(write_bands, system),
		.unknown = FIELD_BY(write_unknowns, system),
	};
	struct report *report;
	int rc = report_new("iowritesystem", &report);

	if (!rc) {
		field_write_inside(report, iow_system_record(), &values);
		rc = report_write_xml(report, path);
		report_free(report);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot write %s", path);
	return DIAG_EXIT_HOST;
}
