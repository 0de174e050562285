/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a calibration: written and read by the lists of schema/iowrite.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/report/report_read.h"
#include "iowrite-bench/system/system.h"
#include "schema/iowrite.h"

#define SYSTEM_FILE_FORMAT "1.2"
#define SYSTEM_FILE_NUMBER 1.2 /* the same */

/* Members of IOW_VALUE_ROWS. */
#define VALUE_MEMBERS(of) \
	.value = (of)->value, .low = (of)->low, .high = (of)->high, .n = (of)->n, .method = (of)->method, \
	.mean = (of)->p95 > 0 ? (of)->mean : NAN, .p5 = (of)->p95 > 0 ? (of)->p5 : NAN, \
	.p25 = (of)->p95 > 0 ? (of)->p25 : NAN, .p75 = (of)->p95 > 0 ? (of)->p75 : NAN, \
	.p95 = (of)->p95 > 0 ? (of)->p95 : NAN, .mean_low = (of)->p95 > 0 ? (of)->mean_low : NAN, \
	.mean_high = (of)->p95 > 0 ? (of)->mean_high : NAN, .outliers = (of)->outliers ? (of)->outliers : FIELD_NO_COUNT, \
	.outlier_percent = (of)->outliers ? (of)->outlier_percent : NAN, \
	.left_out = (of)->left_out ? (of)->left_out : FIELD_NO_COUNT, .unstable = FIELD_UNLESS_EMPTY((of)->unstable)

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
			.typical = band->typical > 0 ? band->typical : NAN);
	}
}

static void write_unknown(struct report *report, const struct field *field, const char *name, const char *why)
{
	if (why[0])
		FIELD_ROW(report, field, iow_unknown, name, why);
}

/* Writes which values were tried without a result, and why. */
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

		if (!system->curves[mode][regime].count)
			write_unknown(report, field, system_curve_name(mode, regime), system->curves[mode][regime].unknown);
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
		.stopped = FIELD_UNLESS_EMPTY(system->stopped),
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
	return rc ? diag_host(rc, "cannot write %s", path) : DIAG_EXIT_OK;
}

/* --- reading --- */

#define POINTS_MAX 4096

struct system_reading {
	const char *path;
	struct system *system;
};

static int refuse(const struct system_reading *in, const struct report_node *node, const char *why)
{
	return diag_usage("%s:%u: %s: %s", in->path, node->line, node->name, why);
}

static int read_record(const struct system_reading *in, const struct report_node *node, const struct field_record *record,
	void *values)
{
	const struct field *wrong;
	char why[128];

	if (!field_read(record, node, values, &wrong))
		return DIAG_EXIT_OK;
	snprintf(why, sizeof(why), "lacks %s, or it is not a number", wrong->name);
	return refuse(in, node, why);
}
#define READ(in, node, name, values) read_record((in), (node), name##_record(), (struct name##_values *){(values)})

static void copy_text(char *field, size_t length, const char *text)
{
	snprintf(field, length, "%s", text ? text : "");
}

/* An absent number is 0 in a value: a calibration of few samples lacks some. */
static double or_zero(double number)
{
	return isnan(number) ? 0 : number;
}

/* Counts in a file that this program wrote are at most n, which was checked to fit. */
static unsigned or_none(uint64_t count)
{
	return count > UINT32_MAX ? 0 : (unsigned)count;
}

#define TAKE_VALUE(to, row) \
	do { \
		*(to) = (struct system_value){.value = (row)->value, .low = (row)->low, .high = (row)->high, \
			.n = (unsigned)(row)->n, .mean = or_zero((row)->mean), .p5 = or_zero((row)->p5), \
			.p25 = or_zero((row)->p25), .p75 = or_zero((row)->p75), .p95 = or_zero((row)->p95), \
			.mean_low = (row)->mean_low, .mean_high = (row)->mean_high, .outliers = or_none((row)->outliers), \
			.outlier_percent = or_zero((row)->outlier_percent), .left_out = or_none((row)->left_out)}; \
		copy_text((to)->method, sizeof((to)->method), (row)->method); \
		copy_text((to)->unstable, sizeof((to)->unstable), (row)->unstable); \
	} while (0)

static int read_parameter(struct system_reading *in, const struct report_node *node)
{
	const char *name = report_read_attribute(node, "name");
	struct iow_parameter_values row;
	int i = 0, rc;

	while (name && i < SYSTEM_PARAMETERS && strcmp(name, system_row(i)->name) != 0)
		i++;
	if (!name || i == SYSTEM_PARAMETERS)
		return refuse(in, node, "has a name that this version does not know");
	rc = READ(in, node, iow_parameter, &row);
	if (!rc && row.n > UINT32_MAX)
		rc = refuse(in, node, "has too many samples");
	if (!rc)
		TAKE_VALUE(&in->system->parameters[i], &row);
	return rc;
}

static int read_points(const struct system_reading *in, const struct report_node *node, struct system_curve *curve)
{
	const struct report_node *first = report_read_find(node, "point");
	size_t count = 1;
	int rc;

	for (node = first; node; node = report_read_next(node), count++) {
		if (count > POINTS_MAX)
			return refuse(in, node, "is beyond the limit of 4096 in a curve");
	}
	curve->points = calloc(count, sizeof(*curve->points));
	if (!curve->points)
		return diag_host(ENOMEM, "cannot read %s", in->path);
	for (node = first; node; node = report_read_next(node)) {
		struct system_point *point = &curve->points[curve->count];
		struct iow_point_values row;

		rc = READ(in, node, iow_point, &row);
		if (rc)
			return rc;
		if (!row.size_bytes || row.n > UINT32_MAX)
			return refuse(in, node, "needs size_bytes above 0, and fewer samples");
		if (curve->count && point[-1].size >= row.size_bytes)
			return refuse(in, node, "has a size that does not rise");
		if (!(row.value > 0))
			return refuse(in, node, "needs a cost above 0");
		/* Half of the costs are at least p25, a fifth p75, a twentieth p95. */
		if (row.mean < 0.5 * row.p25 + 0.2 * row.p75 + 0.05 * row.p95)
			return refuse(in, node, "has a mean that its quartiles contradict");
		point->size = row.size_bytes;
		TAKE_VALUE(&point->ns, &row);
		curve->count++;
	}
	return DIAG_EXIT_OK;
}

static int read_curve(struct system_reading *in, const struct report_node *node)
{
	const struct report_node *at = report_read_find(node, "segment");
	struct iow_curve_values names;
	struct iow_segment_values row;
	struct system_curve *curve;
	int mode = 0, regime = 0, rc = READ(in, node, iow_curve, &names);

	if (rc)
		return rc;
	while (mode < OP_MODES && names.mode && strcmp(names.mode, op_mode_name(mode)) != 0)
		mode++;
	while (regime < OP_REGIMES && names.regime && strcmp(names.regime, op_regime_name(regime)) != 0)
		regime++;
	if (!names.mode || !names.regime || mode == OP_MODES || regime == OP_REGIMES)
		return refuse(in, node, "needs a mode and a regime that this version knows");
	curve = &in->system->curves[mode][regime];
	if (curve->points)
		return refuse(in, node, "occurs twice for one mode and regime");
	rc = read_points(in, node, curve);
	for (; at && !rc; at = report_read_next(at)) {
		if (curve->segment_count == 2)
			return refuse(in, at, "is beyond the limit of 2 in a curve");
		rc = READ(in, at, iow_segment, &row);
		curve->segments[curve->segment_count++] = (struct system_segment){row.from_bytes, row.fixed_ns, row.ns_per_byte};
	}
	if (!rc && curve_pool(curve))
		rc = diag_host(ENOMEM, "cannot read %s", in->path);
	return rc;
}

static int read_band(struct system_reading *in, const struct report_node *node)
{
	const struct field *wrong;
	struct iow_band_values row;

	if (FIELD_READ(node, iow_band, &row, &wrong) || row.index >= SYSTEM_BANDS ||
		!(row.p10 > 0 && row.p10 <= row.p50 && row.p50 <= row.p90) ||
		row.typical < row.p10 || row.typical > row.p90)
		return refuse(in, node,
			"needs an index from 0 to 5, a size, rising p10, p50 and p90 above 0, and typical between them");
	in->system->throttled[row.index] = (struct system_band){.size = row.size_bytes, .think = or_zero(row.think),
		.p10 = row.p10, .p50 = row.p50, .p90 = row.p90, .typical = row.typical};
	return DIAG_EXIT_OK;
}

static int read_unknown(struct system_reading *in, const struct report_node *node)
{
	struct iow_unknown_values row;
	const char *name, *why;
	int rc = READ(in, node, iow_unknown, &row);

	if (rc)
		return rc;
	name = row.name;
	why = row.why;
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

		if (!strcmp(name, system_curve_name(i / OP_REGIMES, i % OP_REGIMES))) {
			copy_text(curve->unknown, sizeof(curve->unknown), why);
			return DIAG_EXIT_OK;
		}
	}
	return refuse(in, node, "has a name that this version does not know");
}

static int read_root(struct system_reading *in, const struct report_node *root)
{
	static const struct {
		const char *name;
		int (*read)(struct system_reading *in, const struct report_node *node);
	} records[] = {{"parameter", read_parameter}, {"curve", read_curve}, {"throttled", read_band}, {"unknown", read_unknown}};
	const char *version = report_read_attribute(root, "version");
	struct system *system = in->system;
	uint64_t cpu;
	int rc;

	if (strcmp(root->name, "iowritesystem"))
		return refuse(in, root, "is not a calibration; iowrite-bench calibrate -o FILE makes one");
	if (!version || strcmp(version, SYSTEM_FILE_FORMAT))
		return refuse(in, root, "has another version than " SYSTEM_FILE_FORMAT ": calibrate again");
	rc = report_read_u64(root, "writer_cpu", &cpu);
	if (!rc && cpu <= INT_MAX)
		system->writer_cpu = (int)cpu;
	else if (rc != -ENOENT)
		return refuse(in, report_read_find(root, "writer_cpu"), "needs the number of a CPU");
	rc = 0;
	for (const struct report_node *node = root->child; node && !rc; node = node->next) {
		if (!field_find(iow_system_record(), node->name))
			rc = refuse(in, node, "is not known to this version");
		for (size_t i = 0; i < sizeof(records) / sizeof(records[0]) && !rc; i++)
			rc = strcmp(node->name, records[i].name) ? 0 : records[i].read(in, node);
	}
	if (rc)
		return rc;
	copy_text(system->date, sizeof(system->date), report_read_text(root, "date"));
	copy_text(system->kernel, sizeof(system->kernel), report_read_text(root, "kernel"));
	copy_text(system->device, sizeof(system->device), report_read_text(root, "device"));
	copy_text(system->file_system, sizeof(system->file_system), report_read_text(root, "file_system"));
	copy_text(system->writer, sizeof(system->writer), report_read_text(root, "writer"));
	copy_text(system->partial, sizeof(system->partial), report_read_text(root, "partial"));
	copy_text(system->stopped, sizeof(system->stopped), report_read_text(root, "stopped"));
	if (system->partial[0])
		diag_warn("%s is an incomplete calibration: %s (calibrate again)", in->path, system->partial);
	return DIAG_EXIT_OK;
}

int system_read(const char *path, struct system *system)
{
	struct system_reading in = {.path = path};
	struct report_document *document;
	struct system *fresh; /* large for a stack */
	char why[256];
	int rc = report_read_file(path, &document, why, sizeof(why));

	if (rc)
		return diag_usage("%s", why);
	in.system = fresh = malloc(sizeof(*fresh));
	if (!fresh) {
		diag_error(ENOMEM, "%s", path);
		report_read_free(document);
		return DIAG_EXIT_USAGE;
	}
	system_init(fresh);
	rc = read_root(&in, report_read_root(document));
	report_read_free(document);
	if (rc)
		system_free(fresh);
	else
		*system = *fresh;
	free(fresh);
	return rc;
}
