/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CAWL paper's model: equations 2 to 4 for synchronous writes, Algorithm 1 for buffered ones. Algorithm 2, the libc's
 * buffer, is model/stdio.h. Where the text yields rates of zero and below (more dirty bytes than the hard limit) writes are
 * split into steps of 1 MiB, and a writer at the limit waits until the device has made space; is_paper_literal computes the
 * equations as printed, negative costs included.
 */
#include "config.h"
#include "iowrite-bench/model/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "iowrite-bench/model/extents.h"

#define STEP_BYTES (1 << 20)
#define NS 1e-9 /* of a second */
#define LEAST_POS 0.02
#define MOST_BYTES 0x1p62

struct cawl {
	const struct system *system;
	const struct model_setup *setup;
	struct extents extents;
	double rate;               /* B_rd */
	double bg, hard, set;      /* D_bg, D_hard, D_set; bytes */
	double others;             /* dirty bytes of other files: the oldest, written first */
	double now_s;
	double written, io_s;      /* avg = written / io_s */
	double cleaning;           /* bytes of the next extent that the device has written; below 0 only with is_paper_literal */
	uint64_t position;         /* end of the last write */
};

static int cawl_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing)
{
	static const enum system_parameter sync_needs[] = {SYSTEM_BW_DEV, SYSTEM_SC_SK, SYSTEM_BLOCK, SYSTEM_BW_RDEV,
		SYSTEM_BW_CACHE_WARM, SYSTEM_SC_W};
	static const enum system_parameter needs[] = {SYSTEM_BW_DEV, SYSTEM_BW_CACHE_WARM, SYSTEM_COEFF_BG,
		SYSTEM_SC_W, SYSTEM_LIMIT_BG, SYSTEM_LIMIT_HARD, SYSTEM_DIRTY_EXPIRE};
	bool is_sync = op_mode_is_synchronous(setup->mode);
	size_t sync_count = setup->has_sync_call && !setup->is_paper_literal ? 6 : 5;
	struct cawl *cawl;

	if (is_sync ? model_needs(system, sync_needs, sync_count, missing) : model_needs(system, needs, 7, missing))
		return -ENODATA;
	if (is_sync && !isfinite(system_cost_ns(system, setup->mode, setup->regime, 4096))) {
		*missing = op_mode_name(setup->mode);
		return -ENODATA;
	}
	cawl = calloc(1, sizeof(*cawl));
	if (!cawl)
		return -ENOMEM;
	cawl->system = system;
	cawl->setup = setup;
	extents_init(&cawl->extents);
	cawl->rate = model_cache_rate(system, setup->memory);
	cawl->bg = system_get(system, SYSTEM_LIMIT_BG);
	cawl->hard = system_get(system, SYSTEM_LIMIT_HARD);
	if (cawl->bg >= cawl->hard) /* as the kernel takes it */
		cawl->bg = cawl->hard / 2;
	cawl->set = (cawl->bg + cawl->hard) / 2;
	cawl->others = (double)setup->dirty_bytes;
	*model = cawl;
	return 0;
}

/* --- synchronous: equations 2 and 3 --- */

static double synchronous_ns(const struct cawl *cawl, const struct op *op)
{
	const struct system *system = cawl->system;
	const struct system_curve *curve = &system->curves[cawl->setup->mode][cawl->setup->regime];
	bool is_direct = cawl->setup->mode >= OP_DIRECT, is_random = op->offset != cawl->position;
	/* l_s is the intercept of the line through the medians of this mode and file state. */
	double ns = curve->segment_count ? curve->segments[0].fixed_ns
					 : system_cost_ns(system, cawl->setup->mode, cawl->setup->regime, 1);
	double size = (double)op->size, device = system_get(system, SYSTEM_BW_DEV);
	double block = system_get(system, SYSTEM_BLOCK), rest = fmod(size, block);

	if (is_random)
		ns += system_get(system, SYSTEM_SC_SK);
	if (is_direct)
		return ns + size / device / NS;
	ns += size / cawl->rate / NS + (size - rest) / device / NS;
	if (rest > 0)
		ns += (block / system_get(system, SYSTEM_BW_RDEV) + block / device) / NS;
	return ns;
}

/* --- buffered: Algorithm 1 --- */

/* A negative cost (is_paper_literal) enlarges the extent that is being written. */
static double dirty(const struct cawl *cawl)
{
	return cawl->others + (double)extents_bytes(&cawl->extents) - fmin(0, cawl->cleaning);
}

static bool is_expired(const struct cawl *cawl)
{
	double limit = cawl->now_s - system_get(cawl->system, SYSTEM_DIRTY_EXPIRE) * NS;

	for (int list = 0; list < EXTENTS_LISTS; list++) {
		uint32_t oldest = cawl->extents.oldest[list];

		if (oldest && extents_at(&cawl->extents, oldest)->stamp < limit)
			return true;
	}
	return false;
}

/* Advances the clock by dt seconds, in which the device writes inactive extents, oldest first. */
static void pass(struct cawl *cawl, double dt)
{
	cawl->now_s += dt;
	/* The rate can be 0 with is_paper_literal, and dt infinite. */
	cawl->cleaning = fmin(cawl->cleaning + dt * system_get(cawl->system, SYSTEM_BW_DEV), MOST_BYTES);
	if (cawl->cleaning > 0 && cawl->others > 0 && dirty(cawl) >= cawl->bg) {
		double theirs = fmin(cawl->others, cawl->cleaning);

		cawl->others -= theirs;
		cawl->cleaning -= theirs;
	}
	while (extents_bytes(&cawl->extents) && (dirty(cawl) >= cawl->bg || is_expired(cawl))) {
		uint32_t oldest;
		double size;

		extents_balance(&cawl->extents);
		oldest = cawl->extents.oldest[EXTENTS_INACTIVE];
		size = (double)extents_at(&cawl->extents, oldest)->size;
		if (cawl->cleaning < size) {
			uint64_t part = cawl->cleaning > 0 ? (uint64_t)cawl->cleaning : 0;

			if (part)
				extents_clean(&cawl->extents, oldest, part);
			cawl->cleaning -= (double)part;
			return;
		}
		extents_clean(&cawl->extents, oldest, (uint64_t)size);
		cawl->cleaning -= size;
	}
	cawl->cleaning = 0; /* nothing to be written: the device idles */
}

static enum model_state state_of(const struct cawl *cawl)
{
	if (dirty(cawl) >= cawl->set)
		return MODEL_THROTTLED;
	return dirty(cawl) >= cawl->bg || is_expired(cawl) ? MODEL_BACKGROUND : MODEL_FREE;
}

/* Returns bytes per second, by equation 1 in the throttled state. */
static double rate_of(const struct cawl *cawl, enum model_state state)
{
	double background = system_get(cawl->system, SYSTEM_COEFF_BG) * cawl->rate;
	double average = cawl->io_s > 0 ? cawl->written / cawl->io_s : background;
	double pos = 1 + pow((cawl->set - dirty(cawl)) / (cawl->hard - cawl->set), 3);

	if (state == MODEL_FREE)
		return cawl->rate;
	if (state == MODEL_BACKGROUND)
		return background;
	/* LEAST_POS keeps a writer at the limit from stopping. */
	return fmin(average * (cawl->setup->is_paper_literal ? pos : fmax(pos, LEAST_POS)), background);
}

/* Waits at the hard limit until the device has made space. Returns seconds. */
static double wait_for_space(struct cawl *cawl)
{
	double device = system_get(cawl->system, SYSTEM_BW_DEV), waited = 0;
	/* One step below the limit equation 1 gives a rate above zero again; the goal is never below the throttled range. */
	double goal = fmax(cawl->hard - STEP_BYTES, cawl->set);

	while (dirty(cawl) > goal) {
		double dt = fmax(dirty(cawl) - goal, 1) / device;

		pass(cawl, dt);
		waited += dt;
	}
	return waited;
}

/* Computes one step of Algorithm 1 and adds its time to the cost. */
static int step(struct cawl *cawl, const struct op *op, double fixed_s, struct model_cost *cost)
{
	double size = (double)op->size, free_s = size / cawl->rate, wait_s, rate, took;
	uint64_t fresh;
	int rc;

	wait_s = cawl->setup->is_paper_literal ? 0 : wait_for_space(cawl);
	cost->state = state_of(cawl);
	rate = rate_of(cawl, cost->state);
	took = size / rate + fixed_s;
	rc = extents_write(&cawl->extents, op->offset, op->size, cawl->now_s + took, &fresh);
	if (rc)
		return rc;
	cawl->written += size;
	cawl->io_s += took + wait_s;
	pass(cawl, took);
	cost->ns += (took + wait_s) / NS;
	/* Write-back makes writing faster with an alpha above 1; throttling must not become negative. */
	free_s = fmin(free_s, took - fixed_s);
	cost->copy_ns += free_s / NS;
	cost->throttle_ns += (took - fixed_s - free_s + wait_s) / NS;
	return 0;
}

static int buffered(struct cawl *cawl, const struct op *op, struct model_cost *cost)
{
	uint64_t limit = cawl->setup->is_paper_literal ? UINT64_MAX : STEP_BYTES;
	double fixed_s = system_get(cawl->system, SYSTEM_SC_W) * NS;
	struct op part = *op;
	int rc = 0;

	cost->syscall_ns = fixed_s / NS;
	for (uint64_t done = 0; done < op->size && !rc; done += part.size) {
		part.offset = op->offset + done;
		part.size = op->size - done < limit ? op->size - done : limit;
		rc = step(cawl, &part, done ? 0 : fixed_s, cost);
	}
	return rc;
}

static int cawl_write(void *model, const struct op *op, struct model_cost *cost)
{
	struct cawl *cawl = model;
	int rc = 0;

	*cost = (struct model_cost){0};
	if (op_mode_is_synchronous(cawl->setup->mode)) {
		/* The paper's equations have one call per write, also where a second one makes it synchronous. */
		cost->syscall_ns = cawl->setup->is_paper_literal ? 0 : model_sync_call_ns(cawl->system, cawl->setup);
		cost->device_ns = synchronous_ns(cawl, op);
		cost->ns = cost->syscall_ns + cost->device_ns;
		cost->state = MODEL_DEVICE;
	} else {
		pass(cawl, (double)op->delay_ns * NS);
		rc = buffered(cawl, op, cost);
	}
	cawl->position = op->offset + op->size;
	cost->typical_ns = cost->low_ns = cost->high_ns = cost->ns;
	cost->dirty_bytes = dirty(cawl);
	return rc;
}

static double cawl_drain(void *model)
{
	const struct cawl *cawl = model;

	return (double)extents_bytes(&cawl->extents) / system_get(cawl->system, SYSTEM_BW_DEV) / NS;
}

static void cawl_free(void *model)
{
	struct cawl *cawl = model;

	extents_free(&cawl->extents);
	free(cawl);
}

const struct model_kind cawl_model = {
	.name = "cawl",
	.create = cawl_create,
	.write = cawl_write,
	.drain = cawl_drain,
	.free = cawl_free,
	.has_cache = true,
};
