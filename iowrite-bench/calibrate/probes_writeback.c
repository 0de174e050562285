/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "common/stats/stats.h"
#include "iowrite-bench/calibrate/session.h"
#include "iowrite-bench/write/measure.h"
#include "iowrite-bench/write/memory.h"

#define CURVE(m, r)                                                                                    \
	{                                                                                              \
		.name = "synchronous", .weight = 1, .run = probe_synchronous, .lacks = lacks_mode,     \
		.is_curve = true, .mode = (m), .regime = (r)                                               \
	}
#define CURVES(m) CURVE(m, OP_APPEND), CURVE(m, OP_PREALLOCATED), CURVE(m, OP_OVERWRITE)

static const char *lacks_direct(const struct calibrate_session *session)
{
	return session->plan->has_direct ? NULL : "O_DIRECT does not reach a device here";
}

static const char *lacks_mode(const struct calibrate_session *session)
{
	const struct calibrate_probe *probe = session->probe;
	const struct calibrate_plan *plan = session->plan;

	if (probe->regime != OP_OVERWRITE && !plan->has_append)
		return "a device does not grow";
	/* Support depends on the file system, sometimes on the file, so that it is tried. The file is truncated before anything
	 * is written; any other error will occur again, and be reported, in the measurement. */
	if (probe->regime == OP_PREALLOCATED &&
		store_reserve(session->store, plan->written_bytes, plan->fs_block) == -EOPNOTSUPP)
		return "fallocate(2) is not possible on this file system";
	return probe->mode >= OP_DIRECT ? lacks_direct(session) : NULL;
}

static const char *lacks_cold(const struct calibrate_session *session)
{
	return session->plan->is_pooled ? NULL : "--mem=as-is does not distinguish states of memory";
}

/* The cold probe comes first, because the others warm the memory. */
const struct calibrate_probe probes[] = {
	{.name = "cold", .weight = 5, .run = probe_cold, .lacks = lacks_cold, .give_count = 2,
		.gives = {SYSTEM_BW_CACHE_COLD, SYSTEM_WARM_POOL}},
	{.name = "memory", .weight = 1, .run = probe_copy, .give_count = 1,
		.gives = {SYSTEM_BW_MEM}},
	{.name = "library", .weight = 1, .run = probe_library, .give_count = 3,
		.gives = {SYSTEM_LIB_METACOST, SYSTEM_LIB_BUFFER, SYSTEM_LIB_FIRST}},
	{.name = "call", .weight = 1, .run = probe_call, .give_count = 1, .gives = {SYSTEM_SC_W}},
	{.name = "append", .weight = 3, .run = probe_append, .give_count = 1,
		.gives = {SYSTEM_BW_CACHE_WARM}, .is_curve = true, .mode = OP_BUFFERED, .regime = OP_APPEND},
	{.name = "rewrite", .weight = 2, .run = probe_rewrite, .give_count = 1, .gives = {SYSTEM_BW_CACHE_REWRITE},
		.is_curve = true, .mode = OP_BUFFERED, .regime = OP_OVERWRITE},
	{.name = "device", .weight = 2, .run = probe_device, .lacks = lacks_direct, .give_count = 1,
		.gives = {SYSTEM_BW_DEV}},
	{.name = "read", .weight = 1, .run = probe_read, .lacks = lacks_direct, .give_count = 2,
		.gives = {SYSTEM_BW_RDEV, SYSTEM_LAT_RDEV}},
	{.name = "seek", .weight = 1, .run = probe_seek, .lacks = lacks_direct, .give_count = 1,
		.gives = {SYSTEM_SC_SK}},
	CURVES(OP_DIRECT),
	CURVES(OP_DIRECT_SYNC),
	CURVES(OP_DIRECT_DSYNC),
	CURVES(OP_SYNC),
	CURVES(OP_DSYNC),
	{.name = "edge", .weight = 1, .run = probe_edge, .give_count = 1, .gives = {SYSTEM_LAT_RMW}},
	{.name = "writeback", .weight = 5, .run = probe_writeback, .is_staged = true,
		.give_count = 3, .gives = {SYSTEM_COEFF_BG, SYSTEM_BW_SYNC, SYSTEM_SYNC_BURST}},
	{.name = "throttled", .weight = 8, .turns = 18, .run = probe_throttled, .lacks = probe_throttled_lacks, .is_staged = true},
	{.name = "burst", .run = probe_burst, .lacks = probe_burst_lacks, .is_last = true, .give_count = 2,
		.gives = {SYSTEM_SYNC_CACHE, SYSTEM_BW_SYNC_LATE}},
};
const size_t probe_count = sizeof(probes) / sizeof(probes[0]);

/*
 * Measures in one run how much write-back slows a writer (alpha), its own rate (B_wb), and how many bytes the device takes
 * before it slows to that rate: a writer fills the page cache, the flusher starts, and the writer continues. Where thresholds
 * may be set the flusher starts by itself, at the background threshold; else syncfs(2) starts it.
 */

#define CHUNK (4ull << 20)
#define POINTS 512
#define SAMPLES 4096
#define FREE_SAMPLES 12     /* before the flusher begins */
#define QUOTA 48            /* samples during write-back; then the writer only keeps running */
#define PAUSE_NS 3000000
#define LEAST_POINTS 6
#define LEAST_BYTES (16ull << 20)
#define FILL_MOST (512ull << 20)
#define SUSTAINED_LEAST (256ull << 20)
#define SUSTAINED_NS 4000000000u
#define BURST_NS 300000000u /* of throttling, after which the device's burst is over */
#define WARM_BYTES (FILL_MOST + (QUOTA + FREE_SAMPLES) * CHUNK)

struct writeback_block {
	struct calibrate_session *session;
	uint64_t at, end;
	size_t alone_count, during_count;
	double alone[POINTS], during[POINTS];  /* cost of a chunk without and during write-back, ns */
	bool is_begun;          /* write-back was seen */
	/* busy: between two samples of which the first saw CHUNK in write-back, since an idle device shows no speed; with
	 * --stage from BURST_NS after throttling began. early: from the flusher's start until then. */
	uint64_t busy_ns, busy_bytes, early_ns, early_bytes;
	/* Samples with --stage since then. A device and its throttle complete tens of MiB at once: a line through all samples
	 * depends less on the position of these steps than the first and the last sample do. */
	size_t sample_count;
	double sample_s[SAMPLES], sample_bytes[SAMPLES];
	uint64_t seen_ns, seen_written, held_ns, begun_ns, begun_written;
	bool was_busy;          /* at the last sample */
};

static bool is_throttled(const struct dirty_state *dirty)
{
	return dirty->dirty + dirty->writeback + CHUNK > (dirty->background_threshold + dirty->threshold) / 2;
}

static int write_chunk(struct writeback_block *run, const struct dirty_state *dirty)
{
	double ns;
	int rc;

	session_refill(run->session, CHUNK);
	rc = session_write(run->session, OP_BUFFERED, run->at, CHUNK, &ns);
	run->at += CHUNK;
	if (rc || is_throttled(dirty))
		return rc;
	if (run->is_begun && dirty->writeback && run->during_count < POINTS)
		run->during[run->during_count++] = ns;
	if (!run->is_begun && !dirty->writeback && run->alone_count < POINTS)
		run->alone[run->alone_count++] = ns;
	return 0;
}

/* Takes a sample of what the kernel has written back. */
static int sample(struct writeback_block *run, struct dirty_state *dirty)
{
	bool is_staged = run->session->plan->is_staged;
	uint64_t written, now;
	int rc = store_sample(run->session->store, dirty, &written);

	if (rc)
		return session_report(rc, "read what the kernel has written back");
	now = session_now(run->session);
	if (run->was_busy) {
		run->busy_ns += now - run->seen_ns;
		run->busy_bytes += written - run->seen_written;
	}
	/* A few pages of the journal are not the start of write-back. */
	if (!run->is_begun && dirty->writeback >= CHUNK) {
		run->is_begun = true;
		run->begun_ns = run->seen_ns;
		run->begun_written = run->seen_written;
	}
	/* was_busy: the device works, with --stage at a rate that it can sustain. */
	if (!is_staged) {
		run->was_busy = dirty->writeback >= CHUNK;
	} else if (!run->was_busy) {
		if (!run->held_ns && is_throttled(dirty))
			run->held_ns = now;
		if (run->is_begun) {
			run->early_ns = now - run->begun_ns;
			run->early_bytes = written - run->begun_written;
		}
		run->was_busy = run->held_ns && now - run->held_ns >= BURST_NS;
	}
	if (run->was_busy && is_staged && run->sample_count < SAMPLES) {
		run->sample_s[run->sample_count] = (double)(now - run->begun_ns) / 1e9;
		run->sample_bytes[run->sample_count++] = (double)(written - run->begun_written);
	}
	run->seen_ns = now;
	run->seen_written = written;
	return 0;
}

static int sample_and_write(struct writeback_block *run)
{
	struct dirty_state dirty;
	int rc = sample(run, &dirty);

	return rc ? rc : write_chunk(run, &dirty);
}

/* Fills the page cache, and writes during write-back. */
static int measure_rate(struct writeback_block *run)
{
	struct calibrate_session *session = run->session;
	const struct calibrate_plan *plan = session->plan;
	struct store *store = session->store;
	uint64_t most = calibrate_least(calibrate_plan_free(plan) / 2, plan->dirty_bytes);
	uint64_t fill = plan->is_staged ? FREE_SAMPLES * CHUNK : calibrate_least(FILL_MOST, most);
	struct dirty_state dirty;
	int rc = 0, waited;

	fill += run->at;
	while (!rc && run->at + CHUNK <= fill)
		rc = sample_and_write(run);
	/* The flusher of --stage works as long as the writer, until the file is full. A throttled writer keeps the device busy
	 * with new pages, as a program does: the rate from then on is sustained. The block's time ends the loop on a slow
	 * device. */
	if (plan->is_staged) {
		while (!rc && run->at + CHUNK <= run->end && !(run->busy_ns >= SUSTAINED_NS && session_is_late(session)))
			rc = sample_and_write(run);
		return rc ? rc : sample(run, &dirty);
	}
	if (!rc)
		rc = session_report(store_flush(store), "have the file written back");
	if (rc)
		return rc;
	while (!rc && run->at + CHUNK <= run->end && store_is_flushing(store)) {
		rc = sample_and_write(run);
		/* The file would be full before the flusher of a slow device has made progress. */
		if (run->during_count > QUOTA)
			store_sleep(store, PAUSE_NS);
	}
	/* The file may be full before the flusher is through. */
	while (!rc && store_is_flushing(store) && !session_is_late(session)) {
		store_sleep(store, PAUSE_NS);
		rc = sample(run, &dirty);
	}
	if (!rc)
		rc = sample(run, &dirty);
	waited = store_flush_wait(store);
	return rc ? rc : session_report(waited, "write the file back");
}

static void decide(struct writeback_block *run)
{
	bool is_staged = run->session->plan->is_staged, has_rate = run->busy_bytes >= LEAST_BYTES;
	double rate = session_rate(run->busy_bytes, (double)run->busy_ns), more;
	double alone = session_median(run->alone, run->alone_count);
	double during = session_median(run->during, run->during_count);
	struct stats_line line;

	if (run->alone_count >= LEAST_POINTS && run->during_count >= LEAST_POINTS)
		session_parameter(run->session, SYSTEM_COEFF_BG, alone / during,
			"median of blocks' ratio of write cost without to during write-back");
	if (!stats_fit_line(run->sample_s, run->sample_bytes, run->sample_count, &line) && line.slope > 0)
		rate = line.slope;
	/* A few bursts of a fast device are not its speed. */
	if (is_staged)
		has_rate = run->busy_bytes >= SUSTAINED_LEAST || run->busy_ns >= SUSTAINED_NS;
	if (!run->busy_ns || !has_rate) {
		/* The file was full while a fast device was still in its burst: a run of this size has no other rate. */
		if (!is_staged || !run->held_ns || run->early_bytes < SUSTAINED_LEAST)
			return;
		rate = session_rate(run->early_bytes, (double)run->early_ns);
	}
	session_parameter(run->session, SYSTEM_BW_SYNC, rate, "median of blocks' bytes written back by time");
	if (!run->early_ns || !run->begun_ns)
		return;
	/* The burst is the surplus of early bytes over the sustained rate. */
	more = (double)run->early_bytes - rate * (double)run->early_ns / 1e9;
	session_parameter(run->session, SYSTEM_SYNC_BURST, more > 0 ? more : 0, "median of blocks' bytes written back at once");
}

int probe_writeback(struct calibrate_session *session)
{
	const struct calibrate_plan *plan = session->plan;
	/* WARM_BYTES limits the run: in cold memory the writer may be slower than the device. */
	uint64_t bytes = plan->is_staged ? calibrate_plan_free(plan) : calibrate_least(calibrate_plan_free(plan), WARM_BYTES);
	struct writeback_block *run = calloc(1, sizeof(*run));
	double ns;
	int rc;

	if (!run)
		return session_report(-ENOMEM, "keep samples");
	*run = (struct writeback_block){.session = session, .at = plan->written_bytes, .end = plan->written_bytes + bytes};
	rc = session_fresh(session);
	if (!rc)
		rc = session_space(session, bytes);
	if (!rc)
		rc = session_hold(session, bytes);
	/* An idle device's burst depends on its recent load, and not only on the last rest: docs/adr/0028. */
	if (!rc && plan->is_staged) {
		rc = session_sync(session, &ns);
		if (!rc)
			store_sleep(session->store, MEASURE_REST_NS);
	}
	if (!rc)
		rc = measure_rate(run);
	if (!rc)
		decide(run);
	free(run);
	return session_leave(session, rc);
}

/*
 * Measures writes that balance_dirty_pages throttles, of four sizes, and of two by a writer that thinks in between for half of
 * a throttled write's cost. They are stored until the model has all that it needs to predict them (finish.c); the quotients are
 * the bands.
 */

#define MIB (1ull << 20)
#define OPS 2048
#define ENOUGH 96 /* throttled writes of one run */
#define ENOUGH_BYTES (640 * MIB)
#define TURN_CLASSES 2 /* a turn; other probes need theirs in between */
#define PATIENCE_NS 4000000000u /* from the beginning of a run: earlier runs may have used up the block's time */

static uint64_t freerun(const struct calibrate_plan *plan)
{
	if (plan->is_staged)
		return (PLAN_STAGE_BACKGROUND + PLAN_STAGE_THROTTLED) / 2;
	return (plan->background_bytes + plan->threshold_bytes) / 2;
}

const char *probe_throttled_lacks(const struct calibrate_session *session)
{
	/* The device writes back meanwhile: twice as much must fit. */
	if (2 * freerun(session->plan) > calibrate_plan_free(session->plan))
		return "throttling begins beyond --size: use --stage as root, or a larger --size";
	return NULL;
}

/* Sizes around the bytes that a device writes during a pause: some MiB if it is slow, tens of MiB if it is fast. */
static const struct write_class {
	uint64_t size;
	bool is_thinking;
	size_t like; /* it thinks as long as half a write of that class took */
} classes[SYSTEM_BANDS] = {{4 * MIB, false, 0}, {16 * MIB, false, 0}, {64 * MIB, false, 0}, {128 * MIB, false, 0},
	{16 * MIB, true, 1}, {64 * MIB, true, 2}};

/* Returns whether the run has enough throttled writes; on a slow device, whether it has waited long enough. */
static bool is_enough(const struct calibrate_session *session, const struct session_run *run, uint64_t size, unsigned throttled)
{
	if (throttled >= ENOUGH || (throttled > ENOUGH / 16 && throttled * size > ENOUGH_BYTES))
		return true;
	return session_is_late(session) && (throttled > ENOUGH / 2 || session_now(session) > run->begin_ns + PATIENCE_NS);
}

/* *held_ns: the mean cost of throttled writes, 0 = there were none. */
static int measure_class(struct calibrate_session *session, size_t class, uint64_t think_ns, double *held_ns)
{
	const struct calibrate_plan *plan = session->plan;
	uint64_t free_bytes = calibrate_plan_free(plan), size = calibrate_least(classes[class].size, plan->largest_bytes);
	uint64_t most = calibrate_least(OPS, free_bytes / size), limit = freerun(plan), ended, passed, written;
	struct session_run *run = &session->runs[session->run_count];
	struct dirty_state dirty;
	unsigned throttled = 0;
	double sum_ns = 0;
	int rc = session_fresh(session);

	if (rc || session->run_count == SESSION_RUNS)
		return rc;
	rc = session_space(session, free_bytes);
	if (rc)
		return rc;
	*run = (struct session_run){.begin_ns = session_now(session), .class = class,
		.think = classes[class].is_thinking ? SYSTEM_THINKING : 0, .ops = calloc(OPS, sizeof(*run->ops)),
		.ns = calloc(OPS, sizeof(*run->ns))};
	session->run_count++;
	if (!run->ops || !run->ns)
		return session_report(-ENOMEM, "keep samples");
	rc = session_report(store_sample(session->store, &run->before, &written), "read the dirty memory");
	session->has_control = store_control(session->store, &run->control);
	if (!rc)
		rc = session_hold(session, free_bytes);
	ended = session_now(session);
	while (!rc && run->count < most && !is_enough(session, run, size, throttled)) {
		struct op op = {.offset = run->count * size, .size = size};
		double *ns = &run->ns[run->count];

		/* Beyond host-backed memory a write would also cost what the host takes to find some. */
		if (plan->is_pooled && memory_need_each(size, (run->count + 1) * size) > free_bytes)
			break;
		session_ready(session, size);
		session_refill(session, size);
		passed = session_now(session) - ended;
		if (passed < think_ns)
			store_sleep(session->store, think_ns - passed);
		rc = session_report(store_sample(session->store, &dirty, &written), "read the dirty memory");
		if (!rc)
			rc = session_write(session, OP_BUFFERED, plan->written_bytes + op.offset, size, ns);
		if (rc)
			break;
		op.delay_ns = session->record.start_ns - ended;
		if (dirty.dirty + dirty.writeback > limit) {
			throttled++;
			sum_ns += *ns;
		}
		run->ops[run->count++] = op;
		ended = session->record.start_ns + session->record.write_ns;
	}
	*held_ns = throttled ? sum_ns / throttled : 0;
	return session_leave(session, rc);
}

int probe_throttled(struct calibrate_session *session)
{
	uint64_t begin = session_now(session), block = session->block_end_ns - begin;
	int rc = 0;

	for (unsigned i = 0; i < TURN_CLASSES && !rc; i++) {
		size_t class = session->throttled_next++ % SYSTEM_BANDS;
		double think_ns = classes[class].is_thinking ? session->held_ns[classes[class].like] / 2 : 0;

		session->block_end_ns = begin + block / TURN_CLASSES * (i + 1);
		if (!classes[class].is_thinking || think_ns > 0)
			rc = measure_class(session, class, (uint64_t)think_ns, &session->held_ns[class]);
	}
	return rc;
}
