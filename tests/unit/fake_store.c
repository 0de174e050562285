/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fake_store.h"

#include <math.h>
#include <string.h>

#define BLOCK 4096
#define DRIFT_NS 1.3e9

/* --- time --- */

static void pass(struct fake_store *store, double ns)
{
	double done = fmin(store->writeback, store->write_back * ns * 1e-9);

	store->writeback -= done;
	store->written_back += done;
	store->now_ns += ns;
	/* The kernel's own flusher, above the background threshold. */
	if (store->dirty > (double)store->thresholds.background_threshold) {
		store->writeback += store->dirty - (double)store->thresholds.background_threshold / 2;
		store->dirty = (double)store->thresholds.background_threshold / 2;
	}
	if (store->writeback <= 0)
		store->is_flushing = false;
}

static void spend(struct fake_store *store, double ns)
{
	double factor = 1 + store->noise * (2 * rng_double(&store->rng) - 1);

	if (fmod(store->now_ns, 2 * DRIFT_NS) > DRIFT_NS)
		factor *= 1 + store->drift;
	pass(store, ns * factor);
}

static uint64_t now_ns(void *state)
{
	struct fake_store *store = state;

	pass(store, store->clock_ns);
	return (uint64_t)store->now_ns;
}

static void sleep_ns(void *state, uint64_t ns)
{
	pass(state, (double)ns);
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

/* --- writes --- */

static double line(const struct fake_line *line, uint64_t size)
{
	return line->fixed_ns + line->ns_per_byte * (double)size;
}

/* A block of which a part is written, and that is not cached. */
static double edges(struct fake_store *store, enum op_mode mode, uint64_t offset, uint64_t size)
{
	uint64_t first = offset / BLOCK, last = (offset + size - 1) / BLOCK;
	double ns = 0;

	if (mode == OP_SYNC && store->is_forgotten && last < FAKE_BLOCKS && size < BLOCK && !store->cached[first])
		ns = store->edge_ns;
	for (uint64_t i = first; i <= last && i < FAKE_BLOCKS && store->is_forgotten; i++)
		store->cached[i] = true;
	return ns;
}

static double buffered(struct fake_store *store, uint64_t offset, uint64_t size)
{
	bool is_new = offset + size > store->file_bytes;
	double ns, limit = ((double)store->thresholds.background_threshold + (double)store->thresholds.threshold) / 2;

	if (!is_new) {
		ns = line(&store->rewrite, size);
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
	if (is_new)
		store->dirty += (double)size;
	return ns;
}

static double synchronous(struct fake_store *store, enum op_mode mode, uint64_t offset, uint64_t size)
{
	enum op_regime regime = offset + size <= store->file_bytes		       ? OP_OVERWRITE
				: offset + size <= store->reserved_bytes ? OP_PREALLOCATED
									 : OP_APPEND;
	double ns = line(&store->device[mode][regime], size) + edges(store, mode, offset, size);

	return ns + (mode == OP_DIRECT && regime == OP_OVERWRITE && offset != store->position ? store->seek_ns : 0);
}

static int64_t write_some(void *state, enum op_mode mode, uint64_t offset, uint64_t size)
{
	struct fake_store *store = state;

	if (store->fail_at && store->written + size > store->fail_at)
		return -store->fail_error;
	spend(store, mode == OP_BUFFERED ? buffered(store, offset, size) : synchronous(store, mode, offset, size));
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
	spend(store, line(&store->read, size));
	return (int64_t)size;
}

static int cut(void *state, uint64_t size)
{
	struct fake_store *store = state;

	if (store->file_bytes > size)
		store->file_bytes = store->device_bytes ? store->device_bytes : size;
	store->reserved_bytes = 0;
	store->dirty = 0;
	pass(store, 1e4);
	return 0;
}

static int reserve(void *state, uint64_t offset, uint64_t size)
{
	struct fake_store *store = state;

	store->reserved_bytes = offset + size;
	return 0;
}

static int sync_all(void *state)
{
	struct fake_store *store = state;

	pass(store, (store->dirty + store->writeback) / store->write_back * 1e9);
	store->dirty = store->writeback = 0;
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

/* --- memory and the libc --- */

static int warm(void *state, uint64_t size)
{
	struct fake_store *store = state;

	store->fed = size;
	return 0;
}

static void give(void *state, uint64_t size)
{
	struct fake_store *store = state;

	if (store->given > size + (4u << 20))
		return;
	size += 8u << 20;
	size = size < store->fed ? size : store->fed;
	store->fed -= size;
	store->given += size;
}

static void rewarm(void *state)
{
	struct fake_store *store = state;

	store->given = store->fed = 0;
	store->pool_left = store->warm_pool;
}

static void copy(void *state, uint64_t size, unsigned times)
{
	struct fake_store *store = state;

	spend(store, (double)size * times / store->memory_rate * 1e9);
}

static int lib_open(void *state, uint64_t *buffer_bytes, bool *has_first_rule)
{
	const struct fake_store *store = state;

	*buffer_bytes = store->lib_buffer;
	*has_first_rule = true;
	return 0;
}

static int lib_write(void *state, uint64_t size, unsigned times)
{
	struct fake_store *store = state;

	store->lib_held += size * times;
	/* What does not fit goes to the kernel. */
	spend(store, times * (store->lib_ns + (double)size / store->memory_rate * 1e9) +
			     (store->lib_held > store->lib_buffer ? 5000 : 0));
	return 0;
}

static int lib_flush(void *state)
{
	struct fake_store *store = state;

	store->lib_held = 0;
	pass(store, 5000);
	return 0;
}

static int lib_close(void *state)
{
	(void)state;
	return 0;
}

/* --- the kernel --- */

static int flush(void *state)
{
	struct fake_store *store = state;

	store->is_flushing = true;
	store->writeback += store->dirty;
	store->dirty = 0;
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

	pass(store, 50e3);
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
		.write = write_some,
		.read = read_some,
		.cut = cut,
		.reserve = reserve,
		.sync = sync_all,
		.forget = forget,
		.warm = warm,
		.give = give,
		.rewarm = rewarm,
		.copy = copy,
		.lib_open = lib_open,
		.lib_write = lib_write,
		.lib_flush = lib_flush,
		.lib_close = lib_close,
		.settle = sync_all,
		.flush = flush,
		.is_flushing = is_flushing,
		.flush_wait = sync_all,
		.look = look,
		.thresholds = thresholds,
	};
}
