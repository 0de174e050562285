/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fake_store.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define BLOCK 4096
#define UNIT (1 << 20)
#define DRIFT_NS 1.3e9

/* --- time --- */

static double device_rate(const struct store *store)
{
	return store->cache_bytes > 0 && store->cache_used >= store->cache_bytes ? store->late_rate : store->write_back;
}

static void all_clean(struct store *store)
{
	memset(store->is_dirty, 0, sizeof(store->is_dirty));
}

static bool is_rested(const struct store *store)
{
	return !store->burst_rest_ns ||
	       (!store->is_commit_due && store->now_ns - store->busy_ns >= store->burst_rest_ns);
}

static void pass(struct store *store, double ns)
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

static void spend(struct store *store, double ns)
{
	double factor = 1 + store->noise * (2 * rng_double(&store->rng) - 1);

	if (fmod(store->now_ns, 2 * DRIFT_NS) > DRIFT_NS)
		factor *= 1 + store->drift;
	if (store->now_ns >= store->stopped_from_ns && store->now_ns < store->stopped_until_ns)
		factor *= 4;
	if (store->now_ns < store->slow_until_ns)
		factor *= 1 + store->slow;
	pass(store, ns * factor);
}

static uint64_t now_ns(void *state)
{
	struct store *store = state;

	pass(store, store->clock_ns);
	store->stop |= store->stop_at_ns && store->now_ns >= (double)store->stop_at_ns;
	return (uint64_t)store->now_ns;
}

void store_clock(struct store *store, struct writer *writer)
{
	writer->now_ns = now_ns;
	writer->clock_state = store;
	writer->stop = &store->stop;
}

void store_sleep(struct store *store, uint64_t ns)
{
	pass(store, (double)ns);
	store->cache_used = fmax(0, store->cache_used - store->write_back * (double)ns * 1e-9);
}

void store_load(struct store *store, struct store_load *load)
{
	load->others_ns = (uint64_t)(store->now_ns * store->others);
	load->foreign_ns = (uint64_t)(store->now_ns * store->foreign);
}

void store_watch_begin(struct store *store)
{
	store->watched_ns = store->now_ns;
}

void store_watch_end(struct store *store, struct contention_stops *stops)
{
	bool is_stopped = store->watched_ns < store->stopped_until_ns && store->now_ns > store->stopped_from_ns;
	uint64_t stopped_ns = is_stopped ? 400000000 : 0;

	*stops = (struct contention_stops){.stopped_ns = stopped_ns, .longest_ns = stopped_ns};
}

/* --- writes --- */

static double line(const struct fake_line *line, uint64_t size)
{
	return line->fixed_ns + line->ns_per_byte * (double)size;
}

/* A block of the file of which a part is written, and that is not cached. */
static double edges(struct store *store, enum op_mode mode, uint64_t offset, uint64_t size)
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

/* What is written again is dirty once; parts of a unit are not counted. */
static double new_dirty(struct store *store, uint64_t offset, uint64_t size, bool is_new)
{
	double bytes = is_new ? (double)size : 0;

	for (uint64_t i = offset / UNIT; i < (offset + size) / UNIT && i < FAKE_UNITS; i++) {
		bytes += is_new || store->is_dirty[i] ? 0 : UNIT;
		store->is_dirty[i] = true;
	}
	return bytes;
}

/* A write into what a much larger one has brought in costs twice, as on Linux. */
static double of_folio(struct store *store, uint64_t offset, uint64_t size)
{
	uint64_t first = offset / BLOCK, last = (offset + size - 1) / BLOCK;
	double factor = 1;

	if (size >= BLOCK && first < FAKE_BLOCKS && store->folio[first] > 2 * size)
		factor = 2;
	for (uint64_t i = first; i <= last && i < FAKE_BLOCKS; i++)
		store->folio[i] = store->folio[i] ? store->folio[i] : size;
	return factor;
}

static double buffered(struct store *store, uint64_t offset, uint64_t size)
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

static double synchronous(struct store *store, enum op_mode mode, uint64_t offset, uint64_t size)
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

static int64_t write_some(void *state, uint64_t offset, uint64_t size)
{
	struct store *store = state;
	enum op_mode mode = store->mode;

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
	struct store *store = state;

	(void)offset;
	spend(store, line(&store->read, size));
	return (int64_t)size;
}

static int64_t copy(void *state, uint64_t piece, uint64_t size)
{
	struct store *store = state;

	(void)piece;
	spend(store, (double)size / store->memory_rate * 1e9);
	return (int64_t)size;
}

static int64_t stream(void *state, uint64_t offset, uint64_t size)
{
	struct store *store = state;

	(void)offset;
	store->lib_held += size;
	/* What does not fit goes to the kernel. */
	spend(store, store->lib_ns + (double)size / store->memory_rate * 1e9 +
			     (store->lib_held > store->lib_buffer ? 5000 : 0));
	return (int64_t)size;
}

static int sync_all(struct store *store)
{
	store->writeback += store->dirty;
	store->dirty = 0;
	store->is_commit_due = false;
	store->busy_ns = store->now_ns;
	all_clean(store);
	/* In steps, since the rate may change meanwhile. */
	while (store->writeback > 0.5)
		pass(store, fmin(1e6, store->writeback / device_rate(store) * 1e9 + 1));
	store->writeback = 0;
	return 0;
}

static int64_t sync_file(void *state, uint64_t offset, uint64_t size)
{
	(void)offset;
	sync_all(state);
	return (int64_t)size;
}

void store_path(struct store *store, unsigned path, struct writer *writer)
{
	static int64_t (*const others[])(void *state, uint64_t offset, uint64_t size) = {[STORE_READ] = read_some,
		[STORE_COPY] = copy, [STORE_STREAM] = stream, [STORE_SYNC] = sync_file};

	store->mode = path < OP_MODES ? path : OP_MODES;
	writer->write = path < OP_MODES ? write_some : others[path];
	writer->write_state = store;
}

void store_fill(struct store *store, uint64_t bytes)
{
	(void)store;
	(void)bytes;
}

int store_cut(struct store *store, uint64_t size)
{
	if (store->file_bytes > size)
		store->file_bytes = store->device_bytes ? store->device_bytes : size;
	store->reserved_bytes = 0;
	store->is_cut = store->is_commit_due = true;
	for (uint64_t i = size / BLOCK; i < FAKE_BLOCKS; i++)
		store->folio[i] = 0;
	store->dirty = 0;
	all_clean(store);
	pass(store, 1e4);
	return 0;
}

/* It is always ready here. */
int store_space(struct store *store, uint64_t offset, uint64_t size)
{
	(void)store;
	(void)offset;
	(void)size;
	return 0;
}

int store_reserve(struct store *store, uint64_t offset, uint64_t size)
{
	if (store->lacks_reserve)
		return -EOPNOTSUPP;
	store->reserved_bytes = offset + size;
	return 0;
}

int store_forget(struct store *store, uint64_t size)
{
	(void)size;
	store->is_forgotten = true;
	memset(store->cached, 0, sizeof(store->cached));
	return 0;
}

/* --- memory and the libc --- */

int store_hold(struct store *store, uint64_t size)
{
	store->held = size;
	return 0;
}

void store_refill(struct store *store, uint64_t size)
{
	if (store->given > size + (4u << 20))
		return;
	size += 8u << 20;
	size = size < store->held ? size : store->held;
	store->held -= size;
	store->given += size;
}

void store_reclaim(struct store *store)
{
	store->given = store->held = 0;
	store->pool_left = store->warm_pool;
}

int store_stream_open(struct store *store, uint64_t *buffer_bytes, bool *has_first_rule)
{
	*buffer_bytes = store->lib_buffer;
	*has_first_rule = true;
	return 0;
}

int store_stream_flush(struct store *store)
{
	store->lib_held = 0;
	pass(store, 5000);
	return 0;
}

int store_stream_close(struct store *store)
{
	(void)store;
	return 0;
}

/* --- the kernel --- */

int store_settle(struct store *store)
{
	return sync_all(store);
}

int store_flush(struct store *store)
{
	store->is_flushing = true;
	store->writeback += store->dirty;
	store->dirty = 0;
	all_clean(store);
	return 0;
}

bool store_is_flushing(struct store *store)
{
	return store->is_flushing;
}

int store_flush_wait(struct store *store)
{
	return sync_all(store);
}

int store_sample(struct store *store, struct dirty_state *dirty, uint64_t *written_bytes)
{
	pass(store, 50e3);
	*dirty = store->thresholds;
	dirty->dirty = (uint64_t)store->dirty;
	dirty->writeback = (uint64_t)store->writeback;
	*written_bytes = (uint64_t)store->written_back;
	return 0;
}

bool store_control(struct store *store, struct model_control *control)
{
	(void)store;
	(void)control;
	return false;
}

int store_thresholds(struct store *store, uint64_t background_bytes, uint64_t dirty_bytes)
{
	store->thresholds_set += background_bytes > 0;
	store->thresholds = (struct dirty_state){.background_threshold = background_bytes ? background_bytes : 400000000,
		.threshold = dirty_bytes ? dirty_bytes : 800000000};
	return 0;
}

/* Of the command, which no unit test runs. */
int store_open(const struct target *target, struct test_setup *setup, const struct pin *pin, uint64_t largest_bytes,
	struct store **opened)
{
	(void)target;
	(void)setup;
	(void)pin;
	(void)largest_bytes;
	(void)opened;
	return -ENOTSUP;
}

void store_close(struct store *store)
{
	(void)store;
}

bool store_is_direct(const struct store *store)
{
	(void)store;
	return false;
}

/* --- what it is --- */

void fake_store_init(struct store *store)
{
	*store = (struct store){
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
