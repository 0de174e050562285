/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system.h"

#include <math.h>

#include "common/diag.h"
#include "common/report.h"
#include "iowrite-bench/system_file.h"

static void write_value(struct report *report, const struct system_value *value)
{
	report_attribute_double(report, "value", value->value);
	report_attribute_double(report, "low", value->low);
	report_attribute_double(report, "high", value->high);
	report_attribute_u64(report, "n", value->n);
	report_attribute(report, "method", value->method);
	if (value->p95 > 0) {
		report_attribute_double(report, "mean", value->mean);
		report_attribute_double(report, "p5", value->p5);
		report_attribute_double(report, "p25", value->p25);
		report_attribute_double(report, "p75", value->p75);
		report_attribute_double(report, "p95", value->p95);
	}
	if (value->unstable[0])
		report_attribute(report, "unstable", value->unstable);
}

static void write_unknown(struct report *report, const char *name, const char *why)
{
	if (!why[0])
		return;
	report_begin(report, "unknown");
	report_attribute(report, "name", name);
	report_attribute(report, "why", why);
	report_end(report);
}

static void write_parameters(struct report *report, const struct system *system)
{
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		const struct system_row *row = system_row(i);

		if (!isfinite(system->parameters[i].value))
			continue;
		report_begin(report, "parameter");
		report_attribute(report, "name", row->name);
		report_attribute(report, "unit", row->unit);
		write_value(report, &system->parameters[i]);
		report_end(report);
	}
}

static void write_curve(struct report *report, const struct system_curve *curve, const char *mode, const char *regime)
{
	report_begin(report, "curve");
	report_attribute(report, "mode", mode);
	report_attribute(report, "regime", regime);
	for (size_t i = 0; i < curve->count; i++) {
		report_begin(report, "point");
		report_attribute_u64(report, "size_bytes", curve->points[i].size);
		write_value(report, &curve->points[i].ns);
		report_end(report);
	}
	for (size_t i = 0; i < curve->segment_count; i++) {
		report_begin(report, "segment");
		report_attribute_u64(report, "from_bytes", curve->segments[i].from_size);
		report_attribute_double(report, "fixed_ns", curve->segments[i].fixed_ns);
		report_attribute_double(report, "ns_per_byte", curve->segments[i].ns_per_byte);
		report_end(report);
	}
	report_end(report);
}

static void write_bands(struct report *report, const struct system *system)
{
	for (unsigned i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *band = &system->throttled[i];

		if (!isfinite(band->p50))
			continue;
		report_begin(report, "throttled");
		report_attribute_u64(report, "index", i);
		report_attribute_u64(report, "size_bytes", band->size);
		if (band->think > 0)
			report_attribute_double(report, "think", band->think);
		report_attribute_double(report, "p10", band->p10);
		report_attribute_double(report, "p50", band->p50);
		report_attribute_double(report, "p90", band->p90);
		if (band->typical > 0)
			report_attribute_double(report, "typical", band->typical);
		if (band->unstable[0])
			report_attribute(report, "unstable", band->unstable);
		report_end(report);
	}
}

/* What was tried for and not found, and why. */
static void write_unknowns(struct report *report, const struct system *system)
{
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (!isfinite(system->parameters[i].value))
			write_unknown(report, system_row(i)->name, system->parameters[i].unstable);
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		enum op_mode mode = i / OP_REGIMES;
		enum op_regime regime = i % OP_REGIMES;
		char name[SYSTEM_CURVE_NAME];

		if (!system->curves[mode][regime].count)
			write_unknown(report, system_curve_name(mode, regime, name), system->curves[mode][regime].unknown);
	}
	write_unknown(report, "throttled", system->throttled_unknown);
}

static void write_all(struct report *report, const struct system *system)
{
	report_attribute(report, "version", SYSTEM_FILE_FORMAT);
	report_text(report, "date", system->date);
	report_text(report, "kernel", system->kernel);
	report_text(report, "device", system->device);
	report_text(report, "file_system", system->file_system);
	if (system->writer[0])
		report_text(report, "writer", system->writer);
	if (system->writer_cpu >= 0)
		report_u64(report, "writer_cpu", (uint64_t)system->writer_cpu);
	if (system->partial[0])
		report_text(report, "partial", system->partial);
	write_parameters(report, system);
	for (int mode = 0; mode < OP_MODES; mode++) {
		for (int regime = 0; regime < OP_REGIMES; regime++) {
			if (system->curves[mode][regime].count)
				write_curve(report, &system->curves[mode][regime], op_mode_name(mode),
					op_regime_name(regime));
		}
	}
	write_bands(report, system);
	write_unknowns(report, system);
}

int system_write(const struct system *system, const char *path)
{
	struct report *report;
	int rc = report_new("iowritesystem", &report);

	if (!rc) {
		write_all(report, system);
		rc = report_write_xml(report, path);
		report_free(report);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot write %s", path);
	return DIAG_EXIT_HOST;
}
