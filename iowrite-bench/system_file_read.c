/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report_read.h"
#include "common/units.h"
#include "iowrite-bench/curve.h"
#include "iowrite-bench/system_file.h"

#define POINTS_MAX 4096

struct reading {
	const char *path;
	struct system *system;
	bool is_before; /* of SYSTEM_FILE_BEFORE */
	bool has_old_bands;
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

/* In files of before: no model took them. */
static bool is_retired(const char *name)
{
	static const char *const names[] = {"page", "ratelimit0", "bw_mem_l2", "bw_mem_dram"};
	bool is_any = false;

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		is_any |= !strcmp(name, names[i]);
	return is_any;
}

static int read_parameter(const struct reading *in, const struct report_node *node)
{
	const char *name = report_read_attribute(node, "name");

	for (int i = 0; name && i < SYSTEM_PARAMETERS; i++) {
		if (!strcmp(name, system_row(i)->name))
			return read_value(in, node, &in->system->parameters[i]);
	}
	return is_retired(name) ? DIAG_EXIT_OK : refuse(in, node, "has a name that this version does not know");
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
	if (!rc)
		rc = read_segments(in, node, curve);
	if (!rc && curve_pool(curve)) {
		diag_error(ENOMEM, "cannot read %s", in->path);
		rc = DIAG_EXIT_HOST;
	}
	return rc;
}

static int read_band(struct reading *in, const struct report_node *node)
{
	struct system_band band;
	uint64_t index;

	if (in->is_before) {
		in->has_old_bands = true;
		return DIAG_EXIT_OK;
	}
	if (attribute_u64(node, "index", &index) || index >= SYSTEM_BANDS ||
		attribute_u64(node, "size_bytes", &band.size) || attribute_double(node, "think", &band.think) ||
		attribute_double(node, "p10", &band.p10) || attribute_double(node, "p50", &band.p50) ||
		attribute_double(node, "p90", &band.p90) || attribute_double(node, "typical", &band.typical) ||
		!(band.p10 > 0 && band.p10 <= band.p50 && band.p50 <= band.p90) || band.typical < band.p10 ||
		band.typical > band.p90)
		return refuse(in, node,
			"needs an index from 0 to 5, a size, rising p10, p50 and p90 above 0, and typical between them");
	if (isnan(band.think))
		band.think = 0;
	copy_text(band.unstable, sizeof(band.unstable), report_read_attribute(node, "unstable"));
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
	return is_retired(name) ? DIAG_EXIT_OK : refuse(in, node, "has a name that this version does not know");
}

static int read_writer_cpu(const struct reading *in, const struct report_node *node)
{
	uint64_t cpu;

	if (!node->text || units_parse_u64(node->text, 0, INT_MAX, &cpu))
		return refuse(in, node, "needs the number of a CPU");
	in->system->writer_cpu = (int)cpu;
	return DIAG_EXIT_OK;
}

static int read_node(struct reading *in, const struct report_node *node)
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
	if (!strcmp(node->name, "writer_cpu"))
		return read_writer_cpu(in, node);
	if (!strcmp(node->name, "date"))
		copy_text(system->date, sizeof(system->date), node->text);
	else if (!strcmp(node->name, "kernel"))
		copy_text(system->kernel, sizeof(system->kernel), node->text);
	else if (!strcmp(node->name, "device"))
		copy_text(system->device, sizeof(system->device), node->text);
	else if (!strcmp(node->name, "file_system"))
		copy_text(system->file_system, sizeof(system->file_system), node->text);
	else if (!strcmp(node->name, "writer"))
		copy_text(system->writer, sizeof(system->writer), node->text);
	else if (!strcmp(node->name, "partial"))
		copy_text(system->partial, sizeof(system->partial), node->text);
	else
		return refuse(in, node, "is not known to this version");
	return DIAG_EXIT_OK;
}

/* A model without bands is one that says less; a calibration takes minutes. */
static void leave_out_bands(const struct reading *in)
{
	copy_text(in->system->throttled_unknown, sizeof(in->system->throttled_unknown),
		"an older version measured it, of writes of other sizes");
	diag_warn("%s: its bands of throttled writes are of an older version, which measured other sizes: they are left "
		  "out (calibrate again)", in->path);
}

static int read_root(struct reading *in, const struct report_node *root)
{
	const char *version = report_read_attribute(root, "version");
	int rc = DIAG_EXIT_OK;

	if (strcmp(root->name, "iowritesystem"))
		return refuse(in, root, "is no calibration: iowrite-bench calibrate -o FILE makes one");
	in->is_before = version && !strcmp(version, SYSTEM_FILE_BEFORE);
	if (!version || (strcmp(version, SYSTEM_FILE_FORMAT) && !in->is_before))
		return refuse(in, root,
			"is of another version than " SYSTEM_FILE_FORMAT " or " SYSTEM_FILE_BEFORE ": calibrate again");
	for (const struct report_node *node = root->child; node && !rc; node = node->next)
		rc = read_node(in, node);
	if (!rc && in->has_old_bands)
		leave_out_bands(in);
	if (!rc && in->system->partial[0])
		diag_warn("%s is a part of a calibration: %s (calibrate again)", in->path, in->system->partial);
	return rc;
}

int system_read(const char *path, struct system *system)
{
	struct reading in = {.path = path};
	struct report_document *document;
	struct system *fresh; /* large for a stack */
	char why[256];
	int rc = report_read_file(path, &document, why, sizeof(why));

	if (rc) {
		diag_error(0, "%s", why);
		return DIAG_EXIT_USAGE;
	}
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
