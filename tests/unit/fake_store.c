/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fake_store_private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define BLOCK 4096
#define UNIT (1 << 20)
#define DRIFT_NS 1.3e9

/* --- time --- */

static double device_rate(const struct fake_store *store)
{
	return store->cache_bytes > 0 && store->cache_used >= store->cache_bytes ? store->late_rate : store->write_back;
}

static void all_clean(struct fake_store *store)
{
	memset(store->is_dirty, 0, sizeof(store->is_dirty));
}

static bool is_rested(const struct fake_store *store)
{
	return !store->burst_rest_ns ||
	       (!store->is_commit_due && store->now_ns - store->busy_ns >= store->burst_rest_ns);
}

void fake_store_pass(struct fake_store *store, double ns)
{
	double at_once = fmin(store->writeback, store->burst_bytes - store->burst_used);
	double done = at_once + fmin(store->writeback - at_once, device_rate(store) * ns * 1e-9);

	store->burst_used = store->writeback > 0 ? store->burst_used + at_once : is_rested(store) ? 0 : store->burst_bytes;
	store->busy_ns = store->writeback > 0 ? store->now_ns : store->busy_ns;
	store->cache_used += done;
	store->writeback -= done;
	store->written_back += done;
	store->now_ns += ns;
	/* The kernel's own flusher, above the background threshold. */
	if (store->dirty > (double)store->thresholds.background_threshold) {
		store->writeback += store->dirty - (double)store->thresholds.background_threshold / 2;
		store->dirty = (double)store->thresholds.background_threshold / 2;
		/* Which ones went is not known: whatever is written again is dirty again. */
		all_clean(store);
	}
	if (store->writeback <= 0)
		store->is_flushing = false;
}

void fake_store_spend(struct fake_store *store, double ns)
{
	double factor = 1 + store->noise * (2 * rng_double(&store->rng) - 1);

	if (fmod(store->now_ns, 2 * DRIFT_NS) > DRIFT_NS)
		factor *= 1 + store->drift;
	if (store->now_ns < store->slow_until_ns)
		factor *= 1 + store->slow;
	fake_store_pass(store, ns * factor);
}

static uint64_t now_ns(void *state)
{
	struct fake_store *store = state;

	fake_store_pass(store, store->clock_ns);
	return (uint64_t)store->now_ns;
}

static void sleep_ns(void *state, uint64_t ns)
{
	struct fake_store *store = state;

	fake_store_pass(store, (double)ns);
	store->cache_used = fmax(0, store->cache_used - store->write_back * (double)ns * 1e-9);
}

static bool is_stopped(void *state)
{
	const struct fake_store *store = state;

	return store->stop_at_ns && store->now_ns >= (double)store->stop_at_ns;
}

static uint64_t others_ns(void *state)
{
	const struct fake_store *store = state;

	return (uint64_t)(store->now_ns * store->others);
}

static uint64_t foreign_ns(void *state)
{
	const struct fake_store *store = state;

	return (uint64_t)(store->now_ns * store->foreign);
}

/* --- writes --- */

static double line(const struct fake_line *line, uint64_t size)
{
	return line->fixed_ns + line->ns_per_byte * (double)size;
}

/* A block of the file of which a part is written, and that is not cached. */
static double edges(struct fake_store *store, enum op_mode mode, uint64_t offset, uint64_t size)
{
	uint64_t first = offset / BLOCK, last = (offset + size - 1) / BLOCK;
	double ns = 0;

	if (mode == OP_SYNC && store->is_forgotten && last < FAKE_BLOCKS && size < BLOCK && offset < store->file_bytes &&
		!store->cached[first])
		ns = store->edge_ns;
	for (uint64_t i = first; i <= last && i < FAKE_BLOCKS && store->is_forgotten; i++)
		store->cached[i] = true;
	return ns;
}

/* What is written again is dirty once; of less than a unit nobody asks. */
static double new_dirty(struct fake_store *store, uint64_t offset, uint64_t size, bool is_new)
{
	double bytes = is_new ? (double)size : 0;

	for (uint64_t i = offset / UNIT; i < (offset + size) / UNIT && i < FAKE_UNITS; i++) {
		bytes += is_new || store->is_dirty[i] ? 0 : UNIT;
		store->is_dirty[i] = true;
	}
	return bytes;
}

/* A write into what a much larger one has brought in costs twice, as on Linux. */
static double of_folio(struct fake_store *store, uint64_t offset, uint64_t size)
{
	uint64_t first = offset / BLOCK, last = (offset + size - 1) / BLOCK;
	double factor = 1;

	if (size >= BLOCK && first < FAKE_BLOCKS && store->folio[first] > 2 * size)
		factor = 2;
	for (uint64_t i = first; i <= last && i < FAKE_BLOCKS; i++)
		store->folio[i] = store->folio[i] ? store->folio[i] : size;
	return factor;
}

static double buffered(struct fake_store *store, uint64_t offset, uint64_t size)
{
	bool is_new = offset + size > store->file_bytes;
	double folio = of_folio(store, offset, size);
	double ns, limit = ((double)store->thresholds.background_threshold + (double)store->thresholds.threshold) / 2;

	if (!is_new) {
		ns = line(&store->rewrite, size) * folio;
	} else if (store->given >= size) {
		ns = line(&store->append_warm, size);
		store->given -= size;
	} else if (store->pool_left >= size) {
		ns = line(&store->append_warm, size);
		store->pool_left -= size;
	} else {
		ns = line(&store->append_cold, size);
	}
	if (store->writeback > 0)
		ns /= store->alpha;
	if (store->dirty + store->writeback > limit)
		ns = fmax(ns, (double)size / store->write_back * 1e9);
	store->dirty += new_dirty(store, offset, size, is_new);
	return ns;
}

static double synchronous(struct fake_store *store, enum op_mode mode, uint64_t offset, uint64_t size)
{
	enum op_regime regime = offset + size <= store->file_bytes		       ? OP_OVERWRITE
				: offset + size <= store->reserved_bytes ? OP_PREALLOCATED
									 : OP_APPEND;
	double ns = line(&store->device[mode][regime], size) + edges(store, mode, offset, size);

	if (mode == OP_SYNC && regime == OP_APPEND && store->is_cut)
		ns += store->first_ns;
	store->is_cut = store->is_cut && regime != OP_APPEND;
	ns += store->is_after_large ? store->after_large_ns : 0;
	store->is_after_large = size >= 4 * UNIT;
	return ns + (mode == OP_DIRECT && regime == OP_OVERWRITE && offset != store->position ? store->seek_ns : 0);
}

static int64_t write_some(void *state, enum op_mode mode, uint64_t offset, uint64_t size)
{
	struct fake_store *store = state;

	if (store->fail_at && store->written + size > store->fail_at)
		return -store->fail_error;
	fake_store_spend(store, mode == OP_BUFFERED ? buffered(store, offset, size) : synchronous(store, mode, offset, size));
	if (offset + size > store->file_bytes)
		store->file_bytes = offset + size;
	store->position = offset + size;
	store->written += size;
	store->largest = size > store->largest ? size : store->largest;
	return (int64_t)size;
}

static int64_t read_some(void *state, uint64_t offset, uint64_t size)
{
	struct fake_store *store = state;

	(void)offset;
	fake_store_spend(store, line(&store->read, size));
	return (int64_t)size;
}

static int cut(void *state, uint64_t size)
{
	struct fake_store *store = state;

	if (store->file_bytes > size)
		store->file_bytes = store->device_bytes ? store->device_bytes : size;
	store->reserved_bytes = 0;
	store->is_cut = store->is_commit_due = true;
	for (uint64_t i = size / BLOCK; i < FAKE_BLOCKS; i++)
		store->folio[i] = 0;
	store->dirty = 0;
	all_clean(store);
	fake_store_pass(store, 1e4);
	return 0;
}

/* Room is always warm here. */
static int room(void *state, uint64_t offset, uint64_t size)
{
	(void)state;
	(void)offset;
	(void)size;
	return 0;
}

static int reserve(void *state, uint64_t offset, uint64_t size)
{
	struct fake_store *store = state;

	if (store->lacks_reserve)
		return -EOPNOTSUPP;
	store->reserved_bytes = offset + size;
	return 0;
}

static int sync_all(void *state)
{
	struct fake_store *store = state;

	store->writeback += store->dirty;
	store->dirty = 0;
	store->is_commit_due = false;
	store->busy_ns = store->now_ns;
	all_clean(store);
	/* In steps, since the rate may change meanwhile. */
	while (store->writeback > 0.5)
		fake_store_pass(store, fmin(1e6, store->writeback / device_rate(store) * 1e9 + 1));
	store->writeback = 0;
	return 0;
}

static int forget(void *state, uint64_t size)
{
	struct fake_store *store = state;

	(void)size;
	store->is_forgotten = true;
	memset(store->cached, 0, sizeof(store->cached));
	return 0;
}

/* --- the kernel --- */

static int flush(void *state)
{
	struct fake_store *store = state;

	store->is_flushing = true;
	store->writeback += store->dirty;
	store->dirty = 0;
	all_clean(store);
	return 0;
}

static bool is_flushing(void *state)
{
	const struct fake_store *store = state;

	return store->is_flushing;
}

static int look(void *state, struct dirty_state *dirty, uint64_t *written_bytes)
{
	struct fake_store *store = state;

	fake_store_pass(store, 50e3);
	*dirty = store->thresholds;
	dirty->dirty = (uint64_t)store->dirty;
	dirty->writeback = (uint64_t)store->writeback;
	*written_bytes = (uint64_t)store->written_back;
	return 0;
}

static int thresholds(void *state, uint64_t background_bytes, uint64_t dirty_bytes)
{
	struct fake_store *store = state;

	store->thresholds_set += background_bytes > 0;
	store->thresholds = (struct dirty_state){.background_threshold = background_bytes ? background_bytes : 400000000,
		.threshold = dirty_bytes ? dirty_bytes : 800000000};
	return 0;
}

/* --- what it is --- */

void fake_store_init(struct fake_store *store)
{
	*store = (struct fake_store){
		.append_warm = {2000, 0.18},
		.append_cold = {2000, 2.2},
		.rewrite = {600, 0.07},
		.read = {60000, 0.5},
		.seek_ns = 30000,
		.edge_ns = 55000,
		.alpha = 0.8,
		.write_back = 900e6,
		.memory_rate = 20e9,
		.lib_ns = 21,
		.clock_ns = 20,
		.lib_buffer = 4096,
		.warm_pool = 120u << 20,
		.pool_left = 120u << 20,
		.thresholds = {.background_threshold = 400000000, .threshold = 800000000},
	};
	for (int mode = 0; mode < OP_MODES; mode++) {
		for (int regime = 0; regime < OP_REGIMES; regime++)
			store->device[mode][regime] =
				(struct fake_line){100000 + 10000 * mode + 3000 * regime, 0.8 + 0.1 * regime};
	}
	rng_seed(&store->rng, 7, 0);
}

void fake_store_hooks(struct fake_store *store, struct calibrate_hooks *hooks)
{
	*hooks = (struct calibrate_hooks){
		.state = store,
		.now_ns = now_ns,
		.sleep_ns = sleep_ns,
		.is_stopped = is_stopped,
		.others_ns = others_ns,
		.foreign_ns = foreign_ns,
		.write = write_some,
		.read = read_some,
		.cut = cut,
		.reserve = reserve,
		.room = room,
		.sync = sync_all,
		.forget = forget,
		.settle = sync_all,
		.flush = flush,
		.is_flushing = is_flushing,
		.flush_wait = sync_all,
		.look = look,
		.thresholds = thresholds,
	};
	fake_store_memory_hooks(hooks);
}
