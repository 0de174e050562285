/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/writeback.h"

#include <math.h>

#include "iowrite-bench/model/parts.h"
#include "iowrite-bench/model/pause.h"

#define MIB 1048576.0
#define NS 1e-9
#define PAGE 4096.0
#define LEAST_POS 0.02      /* lower clamp instead of the kernel's 0: a writer at the limit does not stop */
#define CREDIT_S 1.0        /* think time beyond is not counted (balance_dirty_pages) */
#define LEAST_PAUSE_S 0.008 /* wb_min_pause: two ticks of 4 ms; with other ticks it is 6 to 10 ms */
#define UPDATE_S 0.2        /* BANDWIDTH_INTERVAL */
#define ESTIMATE_S 4.1      /* of wb_update_write_bandwidth: three seconds, rounded up to ticks of a power of two */
#define STALE_S 1.0         /* an interval longer than that says nothing of the rate */

static double rate_of(const struct writeback *writeback)
{
	return writeback->before_late > 0 ? writeback->rate : writeback->late_rate;
}

/* Returns the kernel's estimate of the device's rate. */
static double smoothed_rate(const struct writeback *writeback)
{
	return writeback->smoothed > 0 ? writeback->smoothed : rate_of(writeback);
}

/* Sets the limit as hard_dirty_limit does, and the chunk as writeback_chunk_size does. */
static void set_limit(struct writeback *writeback, double limit)
{
	double half_second = fmin(smoothed_rate(writeback) / 2, limit / 8);

	writeback->limit = limit;
	writeback->setpoint = (writeback->freerun + limit) / 2;
	writeback->chunk = floor((half_second + 4 * MIB) / (4 * MIB)) * 4 * MIB;
}

void writeback_init(const struct system *system, const struct model_setup *setup, struct writeback *writeback)
{
	double bg = system_get(system, SYSTEM_LIMIT_BG), threshold = system_get(system, SYSTEM_LIMIT_HARD);

	if (bg >= threshold)
		bg = threshold / 2;
	*writeback = (struct writeback){
		.others = (double)setup->dirty_bytes,
		.written_back = (double)setup->writeback_bytes,
		.first_dirty_s = INFINITY,
		.expire_s = system_get(system, SYSTEM_DIRTY_EXPIRE) * NS,
		.wakeup_every_s = system_get(system, SYSTEM_DIRTY_WRITEBACK) * NS,
		.bg = bg,
		.threshold = threshold,
		.freerun = (threshold + bg) / 2,
		.rate = model_writeback_rate(system),
		.before_late = INFINITY,
		.burst = model_knows(system, SYSTEM_SYNC_BURST) ? system_get(system, SYSTEM_SYNC_BURST) : 0,
		.estimate = setup->control.write_rate,
		.smoothed = setup->control.write_rate,
		.ratelimit = setup->control.ratelimit,
		.balanced = setup->control.ratelimit,
		.control = setup->control,
		.least_pause_s = setup->is_detailed ? LEAST_PAUSE_S : 0,
	};
	if (model_knows(system, SYSTEM_BW_SYNC_LATE) && model_knows(system, SYSTEM_SYNC_CACHE)) {
		writeback->late_rate = system_get(system, SYSTEM_BW_SYNC_LATE);
		writeback->before_late = system_get(system, SYSTEM_SYNC_CACHE);
	}
	writeback->next_wakeup_s = writeback->wakeup_every_s;
	extents_init(&writeback->dirty);
	set_limit(writeback, fmax(threshold, setup->control.limit));
}

void writeback_free(struct writeback *writeback)
{
	extents_free(&writeback->dirty);
}

double writeback_dirty(const struct writeback *writeback)
{
	return writeback->others + (double)extents_bytes(&writeback->dirty);
}

int writeback_write(struct writeback *writeback, uint64_t offset, uint64_t size, uint64_t *fresh)
{
	if (isinf(writeback->first_dirty_s))
		writeback->first_dirty_s = writeback->now_s;
	return extents_join(&writeback->dirty, offset, size, fresh);
}

/* --- the flusher --- */

static void start(struct writeback *writeback, double bytes)
{
	double theirs = fmin(writeback->others, bytes);
	double wanted = fmin(bytes - theirs, (double)extents_bytes(&writeback->dirty));

	writeback->others -= theirs;
	writeback->written_back += theirs;
	writeback->written_back += (double)extents_sweep(&writeback->dirty, &writeback->cursor, (uint64_t)wanted);
	/* All of the inode was written: its age begins anew with the next write. */
	if (!extents_bytes(&writeback->dirty))
		writeback->first_dirty_s = INFINITY;
}

/* Advances to then_s: the device writes a burst at once, then fast, and after before_late bytes, its full cache, slowly. */
static void pass_until(struct writeback *writeback, double then_s)
{
	double seconds = then_s - writeback->now_s, at_once = fmin(writeback->written_back, writeback->burst);

	writeback->now_s = then_s;
	writeback->written_back -= at_once;
	writeback->burst -= at_once;
	for (int part = 0; part < 2 && seconds > 0; part++) {
		double rate = rate_of(writeback), bytes = fmin(writeback->written_back, rate * seconds);

		if (writeback->before_late > 0) {
			bytes = fmin(bytes, writeback->before_late);
			writeback->before_late -= bytes;
		}
		writeback->written_back -= bytes;
		seconds -= bytes / rate;
		if (writeback->before_late > 0)
			return;
	}
}

/* Returns the time of the flusher's first wake-up after `after_s`. */
static double wakeup_after_s(const struct writeback *writeback, double after_s)
{
	double next_s = writeback->next_wakeup_s;

	return next_s + (floor((after_s - next_s) / writeback->wakeup_every_s) + 1) * writeback->wakeup_every_s;
}

void writeback_pass(struct writeback *writeback, double seconds)
{
	double then_s = writeback->now_s + seconds, old_s = writeback->first_dirty_s + writeback->expire_s;

	/* wb_check_old_data_flush: at a wake-up an inode whose first dirty page is too old is written whole. */
	if (!(writeback->wakeup_every_s > 0))
		old_s = INFINITY;
	else
		old_s = old_s >= writeback->next_wakeup_s ? wakeup_after_s(writeback, old_s) : writeback->next_wakeup_s;
	if (old_s <= then_s) {
		pass_until(writeback, old_s);
		start(writeback, writeback_dirty(writeback));
	}
	pass_until(writeback, then_s);
	if (writeback->wakeup_every_s > 0 && writeback->next_wakeup_s <= then_s)
		writeback->next_wakeup_s = wakeup_after_s(writeback, then_s);
	if (writeback_dirty(writeback) > writeback->bg)
		start(writeback, ceil((writeback_dirty(writeback) - writeback->bg) / writeback->chunk) * writeback->chunk);
}

/* --- balance_dirty_pages --- */

void writeback_think(struct writeback *writeback, double seconds)
{
	writeback_pass(writeback, seconds);
	writeback->credit_s = seconds < CREDIT_S ? fmin(writeback->credit_s + seconds, CREDIT_S) : 0;
}

/* Computes wb_position_ratio, with the term of a single device. */
static double pos_ratio(const struct writeback *writeback, double sum)
{
	double above = writeback->setpoint - sum;
	double pos = 1 + pow(above / (writeback->limit - writeback->setpoint), 3);
	double device = fmax(0.25, 1 + above / (8 * smoothed_rate(writeback)));

	return fmin(fmax(pos, LEAST_POS), 2) * device;
}

/* wb_update_write_bandwidth: two low-pass stages; the device is busy as long as a writer is throttled. */
static void follow_rate(struct writeback *writeback, double elapsed)
{
	double part = fmin(1, elapsed / ESTIMATE_S), rate = rate_of(writeback), old = writeback->estimate;

	if (!(writeback->estimate > 0))
		return;
	if (writeback->smoothed > old && old >= rate)
		writeback->smoothed -= (writeback->smoothed - old) / 8;
	if (writeback->smoothed < old && old <= rate)
		writeback->smoothed += (old - writeback->smoothed) / 8;
	writeback->estimate = rate * part + old * (1 - part);
}

/* domain_update_dirty_limit: the limit falls by 1/32 of the difference. */
static void follow_limit(struct writeback *writeback, double sum)
{
	double least = fmax(writeback->threshold, sum);

	if (writeback->limit > least)
		set_limit(writeback, writeback->limit - (writeback->limit - least) / 32);
}

/* wb_update_dirty_ratelimit: small steps toward the rate that would keep the sum steady, and only when all estimates point the
 * same way. */
static void follow_ratelimit(struct writeback *writeback, double sum, double elapsed)
{
	double rate = smoothed_rate(writeback), limit = writeback->ratelimit;
	double task = limit * pos_ratio(writeback, sum), goal, step;
	double balanced = fmin(task * rate / fmax(writeback->dirtied / elapsed, PAGE), rate);

	if (sum < writeback->setpoint) {
		goal = fmin(fmin(writeback->balanced, balanced), task);
		step = fmax(0, goal - limit);
	} else {
		goal = fmax(fmax(writeback->balanced, balanced), task);
		step = fmax(0, limit - goal);
	}
	/* The kernel counts pages and shifts: a step that is small compared with the limit is noise. */
	step = floor(step / PAGE) / exp2(fmin(64, floor(limit / PAGE / (2 * floor(step / PAGE) + 1))));
	step = ceil(floor(step) / 8) * PAGE;
	writeback->ratelimit = fmax(PAGE, limit < balanced ? limit + step : limit - step);
	writeback->balanced = balanced;
}

/* __wb_update_bandwidth, by a throttled writer. */
static void update(struct writeback *writeback, double sum)
{
	double elapsed = writeback->now_s - writeback->updated_s;

	if (elapsed < UPDATE_S)
		return;
	follow_limit(writeback, sum);
	if (writeback->ratelimit > 0 && elapsed <= STALE_S)
		follow_ratelimit(writeback, sum, elapsed);
	follow_rate(writeback, fmin(elapsed, STALE_S));
	set_limit(writeback, writeback->limit); /* its chunk follows the rate */
	writeback->updated_s = writeback->now_s;
	writeback->dirtied = 0;
}

double writeback_throttle(struct writeback *writeback, double fresh, double base_s, enum model_state *state)
{
	double sum = writeback_dirty(writeback) + writeback->written_back, limit, pos, allowed_s, wait;

	writeback->dirtied += fresh;
	if (sum <= writeback->freerun) {
		*state = writeback->written_back > 0 ? MODEL_BACKGROUND : MODEL_FREE;
		writeback->credit_s = 0;
		return 0;
	}
	*state = MODEL_THROTTLED;
	update(writeback, sum);
	limit = writeback->ratelimit;
	pos = pos_ratio(writeback, sum);
	/* A steady rate limit lets the writer be as fast as the device, with ticks, too. */
	allowed_s = limit > 0 ? pause_mean_s(&writeback->control, fresh, limit * pos,
					pause_check_bytes(&writeback->control, limit, smoothed_rate(writeback)))
			      : fresh / (rate_of(writeback) * pos);
	wait = allowed_s - base_s - writeback->credit_s;
	/* A pause too short to sleep is owed: several small writes are fast, and then one sleeps for all. */
	writeback->credit_s = wait < writeback->least_pause_s ? -wait : 0;
	return wait < writeback->least_pause_s ? 0 : wait;
}

double writeback_settle(struct writeback *writeback)
{
	double owed = fmax(0, -writeback->credit_s);

	writeback->credit_s += owed;
	return owed;
}

double writeback_drain(const struct writeback *writeback)
{
	double bytes = fmax(0, (double)extents_bytes(&writeback->dirty) + writeback->written_back - writeback->burst);
	double early = fmin(bytes, fmax(0, writeback->before_late));

	if (bytes > early)
		return early / writeback->rate + (bytes - early) / writeback->late_rate;
	return early / writeback->rate;
}
