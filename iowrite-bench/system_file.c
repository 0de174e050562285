/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/report_read.h"
#include "common/units.h"

#define FORMAT "1.0"
#define POINTS_MAX 4096

/* --- writing --- */

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
		report_attribute_double(report, "p10", band->p10);
		report_attribute_double(report, "p50", band->p50);
		report_attribute_double(report, "p90", band->p90);
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
	report_attribute(report, "version", FORMAT);
	report_text(report, "date", system->date);
	report_text(report, "kernel", system->kernel);
	report_text(report, "device", system->device);
	report_text(report, "file_system", system->file_system);
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

/* --- reading --- */

struct reading {
	const char *path;
	struct system *system;
};

static int refuse(const struct reading *in, const struct report_node *node, const char *why)
{
	diag_error(0, "%s:%u: %s: %s", in->path, node->line, node->name, why);
	return DIAG_EXIT_USAGE;
}

static int attribute_double(const struct report_node *node, const char *name, double *value)
{
	const char *text = report_read_attribute(node, name);

	*value = NAN;
	return text ? units_parse_double(text, -1e300, 1e300, value) : 0;
}

static int attribute_u64(const struct report_node *node, const char *name, uint64_t *value)
{
	const char *text = report_read_attribute(node, name);

	return text ? units_parse_u64(text, 0, UINT64_MAX, value) : -ENOENT;
}

static void copy_text(char *field, size_t length, const char *text)
{
	snprintf(field, length, "%s", text ? text : "");
}

/* Absent is 0 here: a calibration of few samples has none of them. */
static int read_spread(const struct report_node *node, struct system_value *value)
{
	const struct {
		const char *name;
		double *value;
	} known[] = {{"mean", &value->mean}, {"p5", &value->p5}, {"p25", &value->p25}, {"p75", &value->p75},
		{"p95", &value->p95}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (attribute_double(node, known[i].name, known[i].value))
			return -EINVAL;
		if (isnan(*known[i].value))
			*known[i].value = 0;
	}
	return 0;
}

static int read_value(const struct reading *in, const struct report_node *node, struct system_value *value)
{
	uint64_t n;

	if (attribute_double(node, "value", &value->value) || !isfinite(value->value) ||
		attribute_double(node, "low", &value->low) || attribute_double(node, "high", &value->high))
		return refuse(in, node, "needs a value, and low and high where given, that are numbers");
	if (value->value < 0)
		return refuse(in, node, "is below 0, as no time, size or rate can be");
	if (attribute_u64(node, "n", &n) || n > UINT32_MAX)
		return refuse(in, node, "needs the number of samples n");
	if (read_spread(node, value))
		return refuse(in, node, "needs mean, p5, p25, p75 and p95 that are numbers, where given");
	value->n = (unsigned)n;
	copy_text(value->method, sizeof(value->method), report_read_attribute(node, "method"));
	copy_text(value->unstable, sizeof(value->unstable), report_read_attribute(node, "unstable"));
	return DIAG_EXIT_OK;
}

static int read_parameter(const struct reading *in, const struct report_node *node)
{
	const char *name = report_read_attribute(node, "name");

	for (int i = 0; name && i < SYSTEM_PARAMETERS; i++) {
		if (!strcmp(name, system_row(i)->name))
			return read_value(in, node, &in->system->parameters[i]);
	}
	return refuse(in, node, "has a name that this version does not know");
}

static int read_points(const struct reading *in, const struct report_node *node, struct system_curve *curve)
{
	int rc = DIAG_EXIT_OK;

	curve->points = calloc(POINTS_MAX, sizeof(*curve->points));
	if (!curve->points) {
		diag_error(ENOMEM, "cannot read %s", in->path);
		return DIAG_EXIT_HOST;
	}
	node = report_read_find(node, "point");
	for (; node && !rc; node = report_read_next(node)) {
		struct system_point *point = &curve->points[curve->count];

		if (curve->count == POINTS_MAX)
			return refuse(in, node, "is one too many: up to 4096 in a curve");
		if (attribute_u64(node, "size_bytes", &point->size) || !point->size)
			return refuse(in, node, "needs size_bytes above 0");
		if (curve->count && point[-1].size >= point->size)
			return refuse(in, node, "has a size that does not rise");
		rc = read_value(in, node, &point->ns);
		if (!rc && !(point->ns.value > 0))
			rc = refuse(in, node, "needs a cost above 0");
		curve->count++;
	}
	return rc;
}

static int read_segments(const struct reading *in, const struct report_node *node, struct system_curve *curve)
{
	node = report_read_find(node, "segment");
	for (; node; node = report_read_next(node)) {
		size_t i = curve->segment_count;

		if (i == 2)
			return refuse(in, node, "is one too many: up to 2 in a curve");
		if (attribute_u64(node, "from_bytes", &curve->segments[i].from_size) ||
			attribute_double(node, "fixed_ns", &curve->segments[i].fixed_ns) ||
			attribute_double(node, "ns_per_byte", &curve->segments[i].ns_per_byte) ||
			!isfinite(curve->segments[i].fixed_ns) || !isfinite(curve->segments[i].ns_per_byte))
			return refuse(in, node, "needs from_bytes, fixed_ns and ns_per_byte");
		curve->segment_count++;
	}
	return DIAG_EXIT_OK;
}

static int read_curve(const struct reading *in, const struct report_node *node)
{
	const char *mode_name = report_read_attribute(node, "mode");
	const char *regime_name = report_read_attribute(node, "regime");
	int mode = 0, regime = 0, rc;
	struct system_curve *curve;

	while (mode < OP_MODES && mode_name && strcmp(mode_name, op_mode_name(mode)))
		mode++;
	while (regime < OP_REGIMES && regime_name && strcmp(regime_name, op_regime_name(regime)))
		regime++;
	if (!mode_name || !regime_name || mode == OP_MODES || regime == OP_REGIMES)
		return refuse(in, node, "needs a mode and a regime that this version knows");
	curve = &in->system->curves[mode][regime];
	if (curve->points)
		return refuse(in, node, "is there twice for one mode and regime");
	rc = read_points(in, node, curve);
	return rc ? rc : read_segments(in, node, curve);
}

static int read_band(const struct reading *in, const struct report_node *node)
{
	struct system_band band;
	uint64_t index;

	if (attribute_u64(node, "index", &index) || index >= SYSTEM_BANDS || attribute_double(node, "p10", &band.p10) ||
		attribute_double(node, "p50", &band.p50) || attribute_double(node, "p90", &band.p90) ||
		!(band.p10 > 0 && band.p10 <= band.p50 && band.p50 <= band.p90))
		return refuse(in, node, "needs an index from 0 to 3 and rising p10, p50 and p90 above 0");
	in->system->throttled[index] = band;
	return DIAG_EXIT_OK;
}

static int read_unknown(const struct reading *in, const struct report_node *node)
{
	const char *name = report_read_attribute(node, "name"), *why = report_read_attribute(node, "why");

	if (!name || !why)
		return refuse(in, node, "needs a name and why");
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (!strcmp(name, system_row(i)->name)) {
			copy_text(in->system->parameters[i].unstable, sizeof(in->system->parameters[i].unstable), why);
			return DIAG_EXIT_OK;
		}
	}
	if (!strcmp(name, "throttled")) {
		copy_text(in->system->throttled_unknown, sizeof(in->system->throttled_unknown), why);
		return DIAG_EXIT_OK;
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		struct system_curve *curve = &in->system->curves[i / OP_REGIMES][i % OP_REGIMES];
		char known[SYSTEM_CURVE_NAME];

		if (!strcmp(name, system_curve_name(i / OP_REGIMES, i % OP_REGIMES, known))) {
			copy_text(curve->unknown, sizeof(curve->unknown), why);
			return DIAG_EXIT_OK;
		}
	}
	return refuse(in, node, "has a name that this version does not know");
}

static int read_node(const struct reading *in, const struct report_node *node)
{
	struct system *system = in->system;

	if (!strcmp(node->name, "parameter"))
		return read_parameter(in, node);
	if (!strcmp(node->name, "curve"))
		return read_curve(in, node);
	if (!strcmp(node->name, "throttled"))
		return read_band(in, node);
	if (!strcmp(node->name, "unknown"))
		return read_unknown(in, node);
	if (!strcmp(node->name, "date"))
		copy_text(system->date, sizeof(system->date), node->text);
	else if (!strcmp(node->name, "kernel"))
		copy_text(system->kernel, sizeof(system->kernel), node->text);
	else if (!strcmp(node->name, "device"))
		copy_text(system->device, sizeof(system->device), node->text);
	else if (!strcmp(node->name, "file_system"))
		copy_text(system->file_system, sizeof(system->file_system), node->text);
	else
		return refuse(in, node, "is not known to this version");
	return DIAG_EXIT_OK;
}

static int read_root(const struct reading *in, const struct report_node *root)
{
	const char *version = report_read_attribute(root, "version");
	int rc = DIAG_EXIT_OK;

	if (strcmp(root->name, "iowritesystem"))
		return refuse(in, root, "is no calibration: iowrite-bench calibrate -o FILE makes one");
	if (!version || strcmp(version, FORMAT))
		return refuse(in, root, "is of another version than " FORMAT ": calibrate again");
	for (const struct report_node *node = root->child; node && !rc; node = node->next)
		rc = read_node(in, node);
	return rc;
}

int system_read(const char *path, struct system *system)
{
	struct system fresh;
	struct reading in = {path, &fresh};
	struct report_document *document;
	char why[256];
	int rc = report_read_file(path, &document, why, sizeof(why));

	if (rc) {
		diag_error(0, "%s", why);
		return DIAG_EXIT_USAGE;
	}
	system_init(&fresh);
	rc = read_root(&in, report_read_root(document));
	report_read_free(document);
	if (rc)
		system_free(&fresh);
	else
		*system = fresh;
	return rc;
}
