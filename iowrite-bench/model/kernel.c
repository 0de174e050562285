/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel model: buffered writes follow the control law of balance_dirty_pages (model/writeback.h), for newly dirtied bytes.
 * Other costs come from the table of sizes, not from a line; synchronous writes cost the value of their mode and file state, a
 * seek when they do not follow the last one, and a read for each uncached block that they write in part.
 */
#include "config.h"
#include "iowrite-bench/model/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "iowrite-bench/model/writeback.h"

#define STEP_BYTES (1 << 20)
#define NS 1e-9

struct kernel {
	const struct system *system;
	const struct model_setup *setup;
	struct writeback writeback;
	struct extents cached;
	double warm_left;  /* bytes of host-backed memory */
	bool is_begun;
	uint64_t position; /* end of the last write */
};

static int kernel_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing)
{
	static const enum system_parameter needs[] = {SYSTEM_BW_CACHE_WARM, SYSTEM_LIMIT_BG, SYSTEM_LIMIT_HARD,
		SYSTEM_DIRTY_EXPIRE, SYSTEM_DIRTY_WRITEBACK, SYSTEM_SC_W};
	static const enum system_parameter sync_needs[] = {SYSTEM_FS_BLOCK, SYSTEM_LAT_RDEV};
	const char *lacking = NULL;
	struct kernel *kernel;

	if (!isfinite(system_cost_ns(system, setup->mode, setup->regime, 4096))) {
		lacking = op_mode_name(setup->mode);
	} else if (op_mode_is_synchronous(setup->mode)) {
		model_needs(system, sync_needs, model_knows(system, SYSTEM_LAT_RMW) ? 1 : 2, &lacking);
		if (!lacking && setup->has_sync_call && !model_knows(system, SYSTEM_SC_W))
			lacking = system_row(SYSTEM_SC_W)->name;
	} else if (!model_knows(system, SYSTEM_BW_SYNC) && !model_knows(system, SYSTEM_BW_DEV)) {
		lacking = system_row(SYSTEM_BW_SYNC)->name;
	} else {
		model_needs(system, needs, sizeof(needs) / sizeof(needs[0]), &lacking);
	}
	if (lacking) {
		*missing = lacking;
		return -ENODATA;
	}
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return -ENOMEM;
	kernel->system = system;
	kernel->setup = setup;
	writeback_init(system, setup, &kernel->writeback);
	extents_init(&kernel->cached);
	kernel->warm_left = setup->memory == MODEL_WARM ? INFINITY : 0;
	if (setup->memory == MODEL_AS_IS)
		kernel->warm_left = fmax(0, system_get(system, SYSTEM_WARM_POOL));
	*model = kernel;
	return 0;
}

/* --- synchronous writes --- */

/* Returns how many blocks (0 to 2) are written in part and must be read first. */
static int uncached_edges(const struct kernel *kernel, const struct op *op)
{
	uint64_t block = (uint64_t)system_get(kernel->system, SYSTEM_FS_BLOCK), end = op->offset + op->size;
	uint64_t edges[2] = {op->offset - op->offset % block, end - end % block};
	bool is_partial[2] = {op->offset % block != 0, end % block != 0};
	int count = 0;

	if (kernel->setup->mode >= OP_DIRECT || kernel->setup->regime != OP_OVERWRITE || kernel->setup->is_cached)
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
	const struct system *system = kernel->system;
	uint64_t block = (uint64_t)system_get(system, SYSTEM_FS_BLOCK), fresh;
	uint64_t begin = op->offset - op->offset % block, end = op->offset + op->size;
	/* An edge costs lat_rmw if that was measured, or else a read of the device. */
	double extra_ns = uncached_edges(kernel, op) *
			  system_get(system, model_knows(system, SYSTEM_LAT_RMW) ? SYSTEM_LAT_RMW : SYSTEM_LAT_RDEV);

	/* The curves are of sequential writes; others cost a seek. */
	if (kernel->is_begun && op->offset != kernel->position && model_knows(system, SYSTEM_SC_SK))
		extra_ns += system_get(system, SYSTEM_SC_SK);
	cost->syscall_ns = model_sync_call_ns(system, kernel->setup);
	extra_ns += cost->syscall_ns;
	cost->typical_ns = extra_ns + system_cost_ns(system, kernel->setup->mode, kernel->setup->regime, op->size);
	cost->ns = extra_ns + system_mean_ns(system, kernel->setup->mode, kernel->setup->regime, op->size);
	cost->device_ns = cost->ns - cost->syscall_ns;
	cost->state = MODEL_DEVICE;
	end += (block - end % block) % block;
	return extents_join(&kernel->cached, begin, end - begin, &fresh);
}

/* --- buffered writes --- */

/* Seconds: mean and median of many writes. */
struct kernel_taking {
	double mean, typical;
};

/* Returns the table's cost of a part of a write of op_size. */
static struct kernel_taking by_table(const struct kernel *kernel, enum op_regime regime, double bytes, uint64_t op_size)
{
	double part = bytes * NS / (double)op_size;

	return (struct kernel_taking){part * system_mean_ns(kernel->system, OP_BUFFERED, regime, op_size),
		part * system_cost_ns(kernel->system, OP_BUFFERED, regime, op_size)};
}

/* Returns the cost of bytes that are new to the cache: by the table, or at the cold rate beyond host-backed memory. */
static struct kernel_taking fresh_s(struct kernel *kernel, double bytes, uint64_t op_size)
{
	double warm = fmin(bytes, kernel->warm_left);
	double cold = (bytes - warm) / model_cache_rate(kernel->system, MODEL_COLD);
	struct kernel_taking table = by_table(kernel, OP_APPEND, warm, op_size);

	kernel->warm_left -= warm;
	return (struct kernel_taking){table.mean + cold, table.typical + cold};
}

static struct kernel_taking rewritten_s(const struct kernel *kernel, double bytes, uint64_t op_size)
{
	double rate = model_cache_rate(kernel->system, MODEL_WARM);

	if (kernel->system->curves[OP_BUFFERED][OP_OVERWRITE].count)
		return by_table(kernel, OP_OVERWRITE, bytes, op_size);
	if (model_knows(kernel->system, SYSTEM_BW_CACHE_REWRITE))
		rate = system_get(kernel->system, SYSTEM_BW_CACHE_REWRITE);
	return (struct kernel_taking){bytes / rate, bytes / rate};
}

static int step(struct kernel *kernel, const struct op *op, uint64_t op_size, double fixed_s, struct model_cost *cost)
{
	struct writeback *writeback = &kernel->writeback;
	uint64_t dirtied, uncached;
	enum model_state state;
	struct kernel_taking fresh, rewritten;
	double base, typical, share = 1, slowed, wait;
	int rc = extents_join(&kernel->cached, op->offset, op->size, &uncached);

	if (!rc)
		rc = writeback_write(writeback, op->offset, op->size, &dirtied);
	if (rc)
		return rc;
	if (kernel->setup->regime == OP_OVERWRITE && (kernel->setup->is_cached || kernel->setup->memory != MODEL_COLD))
		uncached = 0; /* written before, and still cached */
	fresh = fresh_s(kernel, (double)uncached, op_size);
	rewritten = rewritten_s(kernel, (double)(op->size - uncached), op_size);
	base = fresh.mean + rewritten.mean;
	typical = fresh.typical + rewritten.typical;
	/* An unknown share means that the flusher does not slow the writer. */
	if (writeback->written_back > 0 && model_knows(kernel->system, SYSTEM_COEFF_BG))
		share = fmin(1, system_get(kernel->system, SYSTEM_COEFF_BG));
	slowed = base / share - base;
	wait = writeback_throttle(writeback, (double)dirtied, base + slowed, &state);
	/* A write counts as throttled when a part of it is. */
	if (state > cost->state)
		cost->state = state;
	cost->ns += (base + slowed + wait) / NS;
	cost->typical_ns += (typical + (typical / share - typical) + wait) / NS;
	cost->copy_ns += fmax(0, base - fixed_s) / NS;
	cost->syscall_ns += fmin(base, fixed_s) / NS;
	cost->device_ns += slowed / NS;
	cost->throttle_ns += wait / NS;
	writeback_pass(writeback, base + slowed + wait);
	return 0;
}

static int buffered(struct kernel *kernel, const struct op *op, struct model_cost *cost)
{
	double fixed_s = system_get(kernel->system, SYSTEM_SC_W) * NS, owed_s;
	struct op part = *op;
	int rc = 0;

	writeback_think(&kernel->writeback, (double)op->delay_ns * NS);
	for (uint64_t done = 0; done < op->size && !rc; done += part.size) {
		part.offset = op->offset + done;
		part.size = op->size - done < STEP_BYTES ? op->size - done : STEP_BYTES;
		rc = step(kernel, &part, op->size, fixed_s * (double)part.size / (double)op->size, cost);
	}
	owed_s = cost->throttle_ns > 0 ? writeback_settle(&kernel->writeback) : 0;
	cost->ns += owed_s / NS;
	cost->typical_ns += owed_s / NS;
	cost->throttle_ns += owed_s / NS;
	writeback_pass(&kernel->writeback, owed_s);
	return rc;
}

static int kernel_write(void *model, const struct op *op, struct model_cost *cost)
{
	struct kernel *kernel = model;
	struct system_band band;
	double thinking; /* of the time from one write to the next */
	int rc;

	*cost = (struct model_cost){0};
	rc = op_mode_is_synchronous(kernel->setup->mode) ? synchronous(kernel, op, cost) : buffered(kernel, op, cost);
	kernel->is_begun = true;
	kernel->position = op->offset + op->size;
	cost->dirty_bytes = writeback_dirty(&kernel->writeback);
	cost->writeback_bytes = kernel->writeback.written_back;
	cost->low_ns = cost->high_ns = cost->ns;
	if (cost->state != MODEL_THROTTLED)
		return rc;
	/* Throttling consists of pauses: the law gives the mean of many writes, the calibration their distribution about it. */
	cost->typical_ns = cost->ns;
	thinking = op->delay_ns ? (double)op->delay_ns / ((double)op->delay_ns + cost->ns) : 0;
	if (!system_band_at(kernel->system, op->size, thinking, &band))
		return rc;
	cost->typical_ns *= band.typical;
	cost->low_ns *= band.p10;
	cost->high_ns *= band.p90;
	return rc;
}

static double kernel_drain(void *model)
{
	const struct kernel *kernel = model;

	if (op_mode_is_synchronous(kernel->setup->mode))
		return 0;
	return writeback_drain(&kernel->writeback) / NS;
}

static void kernel_free(void *model)
{
	struct kernel *kernel = model;

	writeback_free(&kernel->writeback);
	extents_free(&kernel->cached);
	free(kernel);
}

const struct model_kind kernel_model = {
	.name = "kernel",
	.create = kernel_create,
	.write = kernel_write,
	.drain = kernel_drain,
	.free = kernel_free,
	.has_cache = true,
};
