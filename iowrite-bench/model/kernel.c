/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control law of Linux (mm/page-writeback.c, balance_dirty_pages), quasi-static: the kernel's rate estimators are
 * taken to have settled at the device's write-back bandwidth. What is throttled are newly dirtied bytes only, by the
 * sum of dirty and written-back bytes; the flusher moves chunks from the one to the other
 * (fs/fs-writeback.c, writeback_chunk_size). What a write costs beside it comes from the table of sizes, not from a
 * line; synchronous writes cost what their mode's and regime's table says, and a read for each block of which
 * they write only a part and that is not cached.
 */
#include "config.h"
#include "iowrite-bench/model/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "iowrite-bench/extents.h"

#define STEP_BYTES (1 << 20)
#define MIB 1048576.0
#define NS 1e-9
#define LEAST_POS 0.02 /* of the clamp to [0, 2]: a writer at the limit still creeps on */
#define CREDIT_S 1.0   /* think time beyond is not counted (balance_dirty_pages) */

struct kernel {
	const struct system *system;
	const struct model_setup *setup;
	struct extents dirty, cached;
	uint64_t cursor;            /* of the flusher in the file */
	double others;              /* dirty bytes of other files, until they are written back */
	double writeback;           /* W */
	double now_s, first_dirty_s, next_look_s;
	double bg, freerun, setpoint, limit, chunk, sync_rate;
	double credit_s, warm_left; /* think time not yet counted; bytes of warm memory */
};

static void set_thresholds(struct kernel *kernel)
{
	const struct system *system = kernel->system;
	double half_second;

	kernel->bg = system_get(system, SYSTEM_LIMIT_BG);
	kernel->limit = system_get(system, SYSTEM_LIMIT_HARD);
	if (kernel->bg >= kernel->limit)
		kernel->bg = kernel->limit / 2;
	kernel->freerun = (kernel->limit + kernel->bg) / 2;
	kernel->setpoint = (kernel->freerun + kernel->limit) / 2;
	kernel->sync_rate = system_get(system, SYSTEM_BW_SYNC);
	half_second = fmin(kernel->sync_rate / 2, kernel->limit / 8);
	kernel->chunk = floor((half_second + 4 * MIB) / (4 * MIB)) * 4 * MIB;
}

static const char *lacking(const struct system *system, const struct model_setup *setup)
{
	static const enum system_parameter needs[] = {SYSTEM_BW_SYNC, SYSTEM_BW_CACHE_WARM, SYSTEM_COEFF_BG,
		SYSTEM_LIMIT_BG, SYSTEM_LIMIT_HARD, SYSTEM_DIRTY_EXPIRE, SYSTEM_DIRTY_WRITEBACK, SYSTEM_SC_W};
	static const enum system_parameter sync_needs[] = {SYSTEM_LAT_RDEV, SYSTEM_FS_BLOCK};
	const char *missing = NULL;

	if (!isfinite(system_cost_ns(system, setup->mode, setup->regime, 4096)))
		return op_mode_name(setup->mode);
	if (op_mode_is_synchronous(setup->mode))
		model_needs(system, sync_needs, 2, &missing);
	else
		model_needs(system, needs, 8, &missing);
	return missing;
}

int kernel_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing)
{
	const char *name = lacking(system, setup);
	struct kernel *kernel;

	if (name) {
		*missing = name;
		return -ENODATA;
	}
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return -ENOMEM;
	kernel->system = system;
	kernel->setup = setup;
	extents_init(&kernel->dirty);
	extents_init(&kernel->cached);
	kernel->others = (double)setup->dirty_bytes;
	kernel->writeback = (double)setup->writeback_bytes;
	kernel->first_dirty_s = INFINITY;
	kernel->warm_left = setup->memory == MODEL_WARM ? INFINITY : 0;
	if (setup->memory == MODEL_AS_IS)
		kernel->warm_left = fmax(0, system_get(system, SYSTEM_WARM_POOL));
	set_thresholds(kernel);
	*model = kernel;
	return 0;
}

/* --- synchronous writes --- */

/* Blocks that are written in part, and would have to be read first: none, one or two. */
static int uncached_edges(const struct kernel *kernel, const struct op *op)
{
	uint64_t block = (uint64_t)system_get(kernel->system, SYSTEM_FS_BLOCK), end = op->offset + op->size;
	uint64_t edges[2] = {op->offset - op->offset % block, end - end % block};
	bool is_partial[2] = {op->offset % block != 0, end % block != 0};
	int count = 0;

	if (kernel->setup->mode >= OP_DIRECT || kernel->setup->regime != OP_OVERWRITE)
		return 0;
	if (edges[0] == edges[1] && is_partial[0])
		is_partial[1] = false;
	for (int i = 0; i < 2; i++) {
		uint32_t known = is_partial[i] ? extents_find(&kernel->cached, edges[i]) : EXTENTS_NONE;

		if (is_partial[i] && !(known && extents_at(&kernel->cached, known)->offset <= edges[i]))
			count++;
	}
	return count;
}

static int synchronous(struct kernel *kernel, const struct op *op, struct model_cost *cost)
{
	uint64_t block = (uint64_t)system_get(kernel->system, SYSTEM_FS_BLOCK), fresh;
	uint64_t begin = op->offset - op->offset % block, end = op->offset + op->size;

	cost->device_ns = system_cost_ns(kernel->system, kernel->setup->mode, kernel->setup->regime, op->size) +
			  uncached_edges(kernel, op) * system_get(kernel->system, SYSTEM_LAT_RDEV);
	cost->ns = cost->device_ns;
	cost->state = MODEL_DEVICE;
	end += (block - end % block) % block;
	return extents_join(&kernel->cached, begin, end - begin, &fresh);
}

/* --- the flusher --- */

static double dirty(const struct kernel *kernel)
{
	return kernel->others + (double)extents_bytes(&kernel->dirty);
}

static void start_writeback(struct kernel *kernel, double bytes)
{
	double theirs = fmin(kernel->others, bytes), ours;

	kernel->others -= theirs;
	ours = (double)extents_sweep(&kernel->dirty, &kernel->cursor, (uint64_t)(bytes - theirs));
	kernel->writeback += theirs + ours;
	/* The inode was written: the clock of its age begins anew with the next write. */
	if (!extents_bytes(&kernel->dirty))
		kernel->first_dirty_s = INFINITY;
}

/* wb_check_old_data_flush: an inode whose first dirty page is too old is written whole. */
static void look_for_old(struct kernel *kernel)
{
	double age = system_get(kernel->system, SYSTEM_DIRTY_EXPIRE) * NS;
	double period = system_get(kernel->system, SYSTEM_DIRTY_WRITEBACK) * NS;

	if (kernel->now_s < kernel->next_look_s || period <= 0)
		return;
	kernel->next_look_s = kernel->now_s + period;
	if (kernel->now_s - kernel->first_dirty_s > age)
		start_writeback(kernel, dirty(kernel));
}

static void pass(struct kernel *kernel, double seconds)
{
	kernel->now_s += seconds;
	kernel->writeback = fmax(0, kernel->writeback - kernel->sync_rate * seconds);
	look_for_old(kernel);
	while (dirty(kernel) > kernel->bg)
		start_writeback(kernel, kernel->chunk);
}

/* --- buffered writes --- */

/* Seconds for bytes that are new to the cache, of a write of op_size: by the table, or cold where the memory is. */
static double fresh_s(struct kernel *kernel, double bytes, uint64_t op_size)
{
	double warm = fmin(bytes, kernel->warm_left), cold = bytes - warm, op = (double)op_size;
	double table = system_cost_ns(kernel->system, OP_BUFFERED, OP_APPEND, op_size) * NS / op;

	kernel->warm_left -= warm;
	return warm * table + cold / model_cache_rate(kernel->system, MODEL_COLD);
}

static double rewritten_s(const struct kernel *kernel, double bytes, uint64_t op_size)
{
	double rate = system_get(kernel->system, SYSTEM_BW_CACHE_REWRITE);

	if (kernel->system->curves[OP_BUFFERED][OP_OVERWRITE].count)
		return bytes * system_cost_ns(kernel->system, OP_BUFFERED, OP_OVERWRITE, op_size) * NS /
		       (double)op_size;
	return bytes / (isfinite(rate) ? rate : model_cache_rate(kernel->system, MODEL_WARM));
}

/* wb_position_ratio, with the term of a single device. */
static double pos_ratio(const struct kernel *kernel, double sum)
{
	double pos = 1 + pow((kernel->setpoint - sum) / (kernel->limit - kernel->setpoint), 3);
	double device = fmax(0.25, 1 + (kernel->setpoint - sum) / (8 * kernel->sync_rate));

	return fmin(fmax(pos, LEAST_POS), 2) * device;
}

/* What balance_dirty_pages adds to a step that took base_s and dirtied `bytes`. */
static double throttle_s(struct kernel *kernel, double bytes, double base_s, struct model_cost *cost)
{
	double sum = dirty(kernel) + kernel->writeback, period, wait;

	if (sum <= kernel->freerun) {
		cost->state = dirty(kernel) > kernel->bg || kernel->writeback > 0 ? MODEL_BACKGROUND : MODEL_FREE;
		kernel->credit_s = 0;
		return 0;
	}
	cost->state = MODEL_THROTTLED;
	period = bytes / (kernel->sync_rate * pos_ratio(kernel, sum));
	wait = period - base_s - kernel->credit_s;
	kernel->credit_s = fmax(0, -wait);
	return fmax(0, wait);
}

static int step(struct kernel *kernel, const struct op *op, uint64_t op_size, double fixed_s, struct model_cost *cost)
{
	uint64_t dirtied, uncached;
	double base, wait;
	int rc = extents_join(&kernel->cached, op->offset, op->size, &uncached);

	if (!rc)
		rc = extents_join(&kernel->dirty, op->offset, op->size, &dirtied);
	if (rc)
		return rc;
	if (isinf(kernel->first_dirty_s))
		kernel->first_dirty_s = kernel->now_s;
	if (kernel->setup->regime == OP_OVERWRITE && kernel->setup->memory != MODEL_COLD)
		uncached = 0; /* written before, and still there */
	base = fresh_s(kernel, (double)uncached, op_size) +
	       rewritten_s(kernel, (double)(op->size - uncached), op_size);
	if (kernel->writeback > 0)
		base /= fmin(1, system_get(kernel->system, SYSTEM_COEFF_BG));
	wait = throttle_s(kernel, (double)dirtied, base, cost);
	cost->ns += (base + wait) / NS;
	cost->copy_ns += fmax(0, base - fixed_s) / NS;
	cost->syscall_ns += fmin(base, fixed_s) / NS;
	cost->throttle_ns += wait / NS;
	pass(kernel, base + wait);
	return 0;
}

/* p10 and p90 of a throttled write, by its size in chunks of the flusher. */
static void set_band(const struct kernel *kernel, const struct op *op, struct model_cost *cost)
{
	double chunks = (double)op->size / kernel->chunk;
	int class = chunks < 1.0 / 16 ? 0 : chunks < 0.25 ? 1 : chunks < 1 ? 2 : 3;
	const struct system_band *band = &kernel->system->throttled[class];

	cost->low_ns = cost->high_ns = cost->ns;
	if (cost->state == MODEL_THROTTLED && isfinite(band->p10) && isfinite(band->p90)) {
		cost->low_ns *= band->p10;
		cost->high_ns *= band->p90;
	}
}

static int buffered(struct kernel *kernel, const struct op *op, struct model_cost *cost)
{
	double delay_s = (double)op->delay_ns * NS, fixed_s = system_get(kernel->system, SYSTEM_SC_W) * NS;
	struct op part = *op;
	int rc = 0;

	pass(kernel, delay_s);
	kernel->credit_s = delay_s < CREDIT_S ? fmin(kernel->credit_s + delay_s, CREDIT_S) : 0;
	for (uint64_t done = 0; done < op->size && !rc; done += part.size) {
		part.offset = op->offset + done;
		part.size = op->size - done < STEP_BYTES ? op->size - done : STEP_BYTES;
		rc = step(kernel, &part, op->size, fixed_s * (double)part.size / (double)op->size, cost);
	}
	return rc;
}

int kernel_write(void *model, const struct op *op, struct model_cost *cost)
{
	struct kernel *kernel = model;
	int rc;

	*cost = (struct model_cost){0};
	rc = op_mode_is_synchronous(kernel->setup->mode) ? synchronous(kernel, op, cost) : buffered(kernel, op, cost);
	cost->dirty_bytes = dirty(kernel);
	cost->writeback_bytes = kernel->writeback;
	set_band(kernel, op, cost);
	return rc;
}

double kernel_drain(void *model)
{
	const struct kernel *kernel = model;

	return ((double)extents_bytes(&kernel->dirty) + kernel->writeback) / kernel->sync_rate / NS;
}

void kernel_free(void *model)
{
	struct kernel *kernel = model;

	extents_free(&kernel->dirty);
	extents_free(&kernel->cached);
	free(kernel);
}
