/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system/system.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iowrite-bench/system/curve.h"

static const struct system_row rows[SYSTEM_PARAMETERS] = {
	[SYSTEM_BW_MEM] = {"bw_mem", "bytes/s", "B_mem: memcpy from a libc buffer"},
	[SYSTEM_BW_CACHE_COLD] = {"bw_cache_cold", "bytes/s", "B_rd: write(2) into memory never touched"},
	[SYSTEM_BW_CACHE_WARM] = {"bw_cache_warm", "bytes/s", "B_rd: write(2) into recently used memory"},
	[SYSTEM_BW_CACHE_REWRITE] = {"bw_cache_rewrite", "bytes/s", "B_rw: write(2) over cached pages"},
	[SYSTEM_COEFF_BG] = {"coeff_bg", "", "alpha: speed left under background write-back"},
	[SYSTEM_BW_DEV] = {"bw_dev", "bytes/s", "B_w: large O_DIRECT writes"},
	[SYSTEM_BW_SYNC] = {"bw_sync", "bytes/s", "B_wb: the kernel's write-back"},
	[SYSTEM_SYNC_BURST] = {"sync_burst", "bytes", "bytes that an idle device accepts at a higher rate"},
	[SYSTEM_BW_SYNC_LATE] = {"bw_sync_late", "bytes/s", "the same after sync_cache bytes"},
	[SYSTEM_SYNC_CACHE] = {"sync_cache", "bytes", "what the device takes at bw_sync"},
	[SYSTEM_BW_RDEV] = {"bw_rdev", "bytes/s", "B_r: large O_DIRECT reads"},
	[SYSTEM_LAT_RDEV] = {"lat_rdev", "ns", "lambda_r: a 4 KiB O_DIRECT read"},
	[SYSTEM_SC_W] = {"sc_w", "ns", "l_w: of a write(2), without its bytes"},
	[SYSTEM_SC_SK] = {"sc_sk", "ns", "l_k: random less sequential write"},
	[SYSTEM_LIB_METACOST] = {"lib_metacost", "ns", "l_lib: of an fwrite(3) that flushes nothing"},
	[SYSTEM_LIB_BUFFER] = {"bf", "bytes", "b_f: the libc's buffer"},
	[SYSTEM_BLOCK] = {"bs", "bytes", "b: alignment of O_DIRECT"},
	[SYSTEM_FS_BLOCK] = {"fs_block", "bytes", "block of the file system"},
	[SYSTEM_LIMIT_BG] = {"limit_bg", "bytes", "D_bg: dirty background threshold"},
	[SYSTEM_LIMIT_HARD] = {"limit_hard", "bytes", "D_hard: dirty threshold"},
	[SYSTEM_DIRTY_EXPIRE] = {"dirty_expire", "ns", "T_exp: age at which data is written"},
	[SYSTEM_DIRTY_WRITEBACK] = {"dirty_writeback", "ns", "interval in which the kernel checks for such data"},
	[SYSTEM_WARM_POOL] = {"warm_pool", "bytes", "warm free memory before the run"},
	[SYSTEM_LAT_RMW] = {"lat_rmw", "ns", "of a block that O_SYNC writes in part and must read"},
	[SYSTEM_LIB_FIRST] = {"lib_first", "", "1: the first large fwrite(3) bypasses the buffer"},
	[SYSTEM_CLOCK] = {"clock", "ns", "timer overhead, subtracted from all times here"},
};

const struct system_row *system_row(enum system_parameter parameter)
{
	return &rows[parameter];
}

const char *system_curve_name(enum op_mode mode, enum op_regime regime)
{
#define OF_MODE(name) {name ".append", name ".prealloc", name ".overwrite"}
	static const char *const names[OP_MODES][OP_REGIMES] = {OF_MODE("buffered"), OF_MODE("sync"), OF_MODE("dsync"),
		OF_MODE("direct"), OF_MODE("direct-sync"), OF_MODE("direct-dsync")};

	return names[mode][regime];
}

void system_init(struct system *system)
{
	static const struct system_value unknown = {.value = NAN, .low = NAN, .high = NAN};

	*system = (struct system){.writer_cpu = -1};
	for (int i = 0; i < SYSTEM_PARAMETERS; i++)
		system->parameters[i] = unknown;
	for (int i = 0; i < SYSTEM_BANDS; i++)
		system->throttled[i] = (struct system_band){.p10 = NAN, .p50 = NAN, .p90 = NAN, .typical = NAN};
}

void system_free(struct system *system)
{
	for (int mode = 0; mode < OP_MODES; mode++) {
		for (int regime = 0; regime < OP_REGIMES; regime++)
			curve_free(&system->curves[mode][regime]);
	}
	system_init(system);
}

const struct system_curve *system_curve_of(const struct system *system, enum op_mode mode, enum op_regime regime)
{
	static const enum op_regime others[] = {OP_OVERWRITE, OP_APPEND, OP_PREALLOCATED};
	const struct system_curve *curves = system->curves[mode];

	for (size_t i = 0; !curves[regime].count && i < sizeof(others) / sizeof(others[0]); i++) {
		if (curves[others[i]].count)
			return &curves[others[i]];
	}
	return &curves[regime];
}

static double ns_of(const struct system_curve *curve, size_t i, bool is_mean)
{
	const struct system_value *own = &curve->points[i].ns;

	if (curve->pooled)
		return is_mean ? curve->pooled[i].mean_ns : curve->pooled[i].ns;
	return is_mean && own->mean > 0 ? own->mean : own->value;
}

/* Extends the table: further bytes cost as much as in the line, and no cost is negative. */
static double beyond(const struct system_curve *curve, size_t edge, uint64_t size, bool is_mean)
{
	const struct system_segment *segment = &curve->segments[0];
	uint64_t edge_size = curve->points[edge].size;
	double ns, edge_ns = ns_of(curve, edge, is_mean);

	if (!curve->segment_count)
		return size < edge_size ? edge_ns : edge_ns * (double)size / (double)edge_size;
	if (size > edge_size)
		segment = &curve->segments[curve->segment_count - 1];
	ns = edge_ns + ((double)size - (double)edge_size) * segment->ns_per_byte;
	return ns > 0 ? ns : edge_ns;
}

static double cost_ns(const struct system_curve *curve, uint64_t size, bool is_mean)
{
	size_t low, high;
	double share, low_ns, high_ns;

	if (!curve->count || curve->is_too_few)
		return NAN;
	curve_used(curve, size, &low, &high);
	low_ns = ns_of(curve, low, is_mean);
	if (low == high)
		return curve->points[low].size == size ? low_ns : beyond(curve, low, size, is_mean);
	high_ns = ns_of(curve, high, is_mean);
	share = log((double)size / (double)curve->points[low].size) /
		log((double)curve->points[high].size / (double)curve->points[low].size);
	return low_ns * pow(high_ns / low_ns, share);
}

double system_cost_ns(const struct system *system, enum op_mode mode, enum op_regime regime, uint64_t size)
{
	return cost_ns(system_curve_of(system, mode, regime), size, false);
}

double system_mean_ns(const struct system *system, enum op_mode mode, enum op_regime regime, uint64_t size)
{
	return cost_ns(system_curve_of(system, mode, regime), size, true);
}

/* --- bands --- */

static bool is_known(const struct system_band *band)
{
	return band->size && isfinite(band->p10) && isfinite(band->p50) && isfinite(band->p90);
}

static double typical_of(const struct system_band *band)
{
	return band->typical > 0 ? band->typical : band->p50;
}

static double mix(double a, double b, double part)
{
	return a + (b - a) * part;
}

static struct system_band between_bands(const struct system_band *a, const struct system_band *b, double part)
{
	return (struct system_band){
		.p10 = mix(a->p10, b->p10, part),
		.p50 = mix(a->p50, b->p50, part),
		.p90 = mix(a->p90, b->p90, part),
		.typical = mix(typical_of(a), typical_of(b), part),
	};
}

/* Interpolates by size between the bands of writers that think, or of those that do not. */
static bool band_of_size(const struct system *system, bool is_thinking, uint64_t size, struct system_band *band)
{
	const struct system_band *below = NULL, *above = NULL;
	double part = 0;

	for (int i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *known = &system->throttled[i];

		if (!is_known(known) || (known->think > 0) != is_thinking)
			continue;
		if (known->size <= size || !below)
			below = known;
		if (known->size > size && !above)
			above = known;
	}
	if (!below)
		return false;
	above = above ? above : below;
	if (above->size > below->size)
		part = fmax(0, log((double)size / (double)below->size) / log((double)above->size / (double)below->size));
	*band = between_bands(below, above, part);
	return true;
}

bool system_band_at(const struct system *system, uint64_t size, double think, struct system_band *band)
{
	struct system_band busy, thinking;
	bool has_busy = band_of_size(system, false, size, &busy);
	bool has_thinking = band_of_size(system, true, size, &thinking);

	if (has_busy && has_thinking)
		*band = between_bands(&busy, &thinking, fmin(1, think / SYSTEM_THINKING));
	else if (has_busy || has_thinking)
		*band = has_busy ? busy : thinking;
	else
		return false;
	band->size = size;
	band->think = think;
	return true;
}

/* --- other limits --- */

static void set_limit(struct system_value *value, uint64_t bytes, const char *method)
{
	if (!bytes)
		return;
	*value = (struct system_value){.value = (double)bytes, .low = (double)bytes, .high = (double)bytes};
	snprintf(value->method, sizeof(value->method), "%s", method);
}

struct system *system_with_limits(const struct system *system, uint64_t background, uint64_t hard, const char *method)
{
	struct system *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *system;
	set_limit(&copy->parameters[SYSTEM_LIMIT_BG], background, method);
	set_limit(&copy->parameters[SYSTEM_LIMIT_HARD], hard, method);
	return copy;
}

/* --- intervals --- */

/* Moves a value to an end of its interval, if it lies in one. Returns whether it was moved. */
static bool to_end(double *value, double low, double high, bool is_high)
{
	bool is_known = low <= *value && *value <= high && low < high;

	if (is_known)
		*value = is_high ? high : low;
	return is_known;
}

/* Copies a curve with its values moved. Returns 0 or -ENOMEM. */
static int move_curve(const struct system_curve *from, bool is_dear, struct system_curve *to)
{
	bool is_line_moved = false;

	*to = *from;
	to->pooled = NULL;
	to->points = malloc((from->count ? from->count : 1) * sizeof(*to->points));
	if (!to->points)
		return -ENOMEM;
	for (size_t i = 0; i < from->count; i++) {
		struct system_value *ns = &to->points[i].ns;

		*ns = from->points[i].ns;
		to->points[i].size = from->points[i].size;
		is_line_moved |= to_end(&ns->value, ns->low, ns->high, is_dear);
		to_end(&ns->mean, ns->mean_low, ns->mean_high, is_dear);
	}
	if (is_line_moved && from->segment_count)
		line_fit_curve(to);
	return from->pooled ? curve_pool(to) : 0;
}

struct system *system_at_ends(const struct system *system, bool is_dear)
{
	struct system *copy = malloc(sizeof(*copy));
	int rc = 0;

	if (!copy)
		return NULL;
	*copy = *system;
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		struct system_value *value = &copy->parameters[i];
		/* Parameters in ns are costs, the others rates, or bytes that are taken at once. */
		bool is_cost = !strcmp(rows[i].unit, "ns");

		to_end(&value->value, value->low, value->high, is_cost == is_dear);
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		int mode = i / OP_REGIMES, regime = i % OP_REGIMES;

		rc |= move_curve(&system->curves[mode][regime], is_dear, &copy->curves[mode][regime]);
	}
	if (!rc)
		return copy;
	system_free(copy);
	free(copy);
	return NULL;
}
