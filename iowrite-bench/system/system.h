/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A calibration of a machine, its memory, kernel and one device: the parameters of the
 * models. The symbols are those of the CAWL paper, times in ns, rates in bytes
 * per second. Unknown values are NAN: a model that needs one refuses (model/model.h).
 */
#ifndef IOWRITE_BENCH_SYSTEM_SYSTEM_H
#define IOWRITE_BENCH_SYSTEM_SYSTEM_H

#include <stddef.h>

#include "iowrite-bench/system/curve.h"
#include "iowrite-bench/system/value.h"
#include "iowrite-bench/write/op.h"

#define SYSTEM_STOPPED 256

enum system_parameter {
	SYSTEM_BW_MEM,           /* B_mem: memcpy from a libc buffer, at the buffer's size */
	SYSTEM_BW_CACHE_COLD,    /* B_rd: write(2) of new pages into memory that the host has to back first */
	SYSTEM_BW_CACHE_WARM,    /* B_rd: into free memory that was used a moment ago */
	SYSTEM_BW_CACHE_REWRITE, /* B_rw: over pages that are in the cache */
	SYSTEM_COEFF_BG,         /* alpha: the same under background write-back, as a ratio */
	SYSTEM_BW_DEV,           /* B_w: large O_DIRECT writes */
	SYSTEM_BW_SYNC,          /* B_wb: write-back by the kernel with a running writer */
	SYSTEM_SYNC_BURST,       /* bytes that an idle device takes at once before it falls to B_wb */
	SYSTEM_BW_SYNC_LATE,     /* B_wb when the cache or credit of SYSTEM_SYNC_CACHE is used up */
	SYSTEM_SYNC_CACHE,       /* bytes that the device takes at B_wb; unknown = it has one rate */
	SYSTEM_BW_RDEV,          /* B_r: large O_DIRECT reads */
	SYSTEM_LAT_RDEV,         /* lambda_r: a 4 KiB O_DIRECT read */
	SYSTEM_SC_W,             /* l_w: of a write(2) to a cached page, without its bytes */
	SYSTEM_SC_SK,            /* l_k: random less sequential write of the same size */
	SYSTEM_LIB_METACOST,     /* l_lib: of an fwrite(3) that flushes nothing */
	SYSTEM_LIB_BUFFER,       /* b_f: bytes */
	SYSTEM_BLOCK,            /* b: alignment of O_DIRECT, bytes */
	SYSTEM_FS_BLOCK,         /* block of the file system, bytes */
	SYSTEM_LIMIT_BG,         /* D_bg: bytes */
	SYSTEM_LIMIT_HARD,       /* D_hard: bytes */
	SYSTEM_DIRTY_EXPIRE,     /* T_exp: ns */
	SYSTEM_DIRTY_WRITEBACK,  /* interval in which the flusher checks for such data, ns */
	SYSTEM_WARM_POOL,        /* bytes of warm free memory before a run with --mem=as-is */
	SYSTEM_LAT_RMW,          /* what an uncached block that is written in part costs more, with O_SYNC */
	SYSTEM_LIB_FIRST,        /* 1: the first fwrite(3) of a buffer's size or more writes its whole blocks at once */
	SYSTEM_CLOCK,            /* of two stamps with nothing between; subtracted from all times here */
	SYSTEM_PARAMETERS
};

#define SYSTEM_BANDS 6
#define SYSTEM_THINKING 0.5 /* the larger system_band.think */
/* Distribution of throttled costs about their mean, as measured by predicted, of writes of one size. Throttling consists of
 * pauses of some 20 ms: the ratios change around the size that the device writes in one of them, whatever the limits are. The
 * think time between writes takes the place of a part of the pauses, for some of the writes of all. */
struct system_band {
	uint64_t size;
	double think;     /* share of the time between writes in which the writer was busy with other work */
	double p10, p50, p90;
	double typical;   /* the value that minimises the mean relative error of the ratios: their median by the weight 1 / ratio */
};

struct system {
	struct system_value parameters[SYSTEM_PARAMETERS];
	struct system_curve curves[OP_MODES][OP_REGIMES];
	struct system_band throttled[SYSTEM_BANDS]; /* rising sizes of each think; NAN = not calibrated */
	char throttled_unknown[SYSTEM_WHY]; /* why not */
	char kernel[128], device[64], file_system[32], date[40]; /* of the calibration */
	char writer[128]; /* where it ran: "pinned to CPU 1", "not pinned: ..."; "" = unknown */
	char partial[SYSTEM_WHY]; /* why it ended before all was measured; "" = it did not */
	char stopped[SYSTEM_STOPPED]; /* how long the process was stopped, as a sentence; "" = it was not */
	int writer_cpu;   /* -1 = not pinned, or unknown */
};

/* Sets all values to unknown. */
void system_init(struct system *system);
void system_free(struct system *system);

/* "bw_mem", unit and one line of explanation: the table that files, --help and the manual share. */
struct system_row {
	const char *name, *unit, *meaning;
};
const struct system_row *system_row(enum system_parameter parameter);

/* Returns "direct-sync.append". */
const char *system_curve_name(enum op_mode mode, enum op_regime regime);

static inline double system_get(const struct system *system, enum system_parameter parameter)
{
	return system->parameters[parameter].value;
}

/* Returns the curve of this file state, or if not measured OVERWRITE's, APPEND's or PREALLOCATED's; it may have no points. */
const struct system_curve *system_curve_of(const struct system *system, enum op_mode mode, enum op_regime regime);
/* Returns the cost of a write by system_curve_of: log-log between its pooled points, the line's slope beyond them. NAN when not
 * measured, or of too few samples. */
double system_cost_ns(const struct system *system, enum op_mode mode, enum op_regime regime, uint64_t size);
/* Returns the same of the means, which add up and are usually above the medians. */
double system_mean_ns(const struct system *system, enum op_mode mode, enum op_regime regime, uint64_t size);

/* Returns in *band that of a write of this size by a writer with this share of think time: interpolated by the logarithm of the
 * size and by think itself, beyond the known ones the nearest. Returns false when none is known. */
bool system_band_at(const struct system *system, uint64_t size, double think, struct system_band *band);

/* Returns a copy with other limits, in bytes, 0 = unchanged, to be freed by free(3): it shares the curves. NULL without
 * memory. */
struct system *system_with_limits(const struct system *system, uint64_t background, uint64_t hard, const char *method);

/* Returns a copy with each value that has an interval, and each mean, at that end of it at which writes cost less, or (is_dear)
 * more: an extreme that the calibration leaves open. To be freed by system_free and free(3). NULL without memory. */
struct system *system_at_ends(const struct system *system, bool is_dear);

/* system.xml is written whole or not at all, every number with interval, n and method, and reads back equal. Both return 0 or a
 * diag_exit code after one line. system_file.c */
int system_write(const struct system *system, const char *path);
int system_read(const char *path, struct system *system);

#endif
