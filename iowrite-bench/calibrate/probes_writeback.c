/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "common/stats.h"
#include "iowrite-bench/calibrate/session.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/measure.h"

#define CURVE(m, r)                                                                                    \
	{                                                                                              \
		.name = "synchronous", .weight = 1, .run = probe_synchronous, .lacks = lacks_mode,     \
		.is_curve = true, .mode = (m), .regime = (r)                                               \
	}
#define CURVES(m) CURVE(m, OP_APPEND), CURVE(m, OP_PREALLOCATED), CURVE(m, OP_OVERWRITE)

static const char *lacks_direct(const struct session *session)
{
	return session->plan->has_direct ? NULL : "O_DIRECT does not reach a device here";
}

static const char *lacks_mode(const struct session *session)
{
	const struct probe *probe = session->probe;
	const struct calibrate_plan *plan = session->plan;

	if (probe->regime != OP_OVERWRITE && !plan->has_append)
		return "a device does not grow";
	/* Each file system has it or not, and some have it for some files: it is tried. The file is cut before anything is
	 * written; what else fails will fail again, and be told, when it is measured. */
	if (probe->regime == OP_PREALLOCATED &&
		store_reserve(session->store, plan->written_bytes, plan->fs_block) == -EOPNOTSUPP)
		return "fallocate(2) is not possible on this file system";
	return probe->mode >= OP_DIRECT ? lacks_direct(session) : NULL;
}

static const char *lacks_cold(const struct session *session)
{
	return session->plan->is_pooled ? NULL : "--mem=as-is does not distinguish states of memory";
}

/* The one that looks at memory as it is goes first: the others warm it. */
const struct probe probes[] = {
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
 * What the kernel's write-back takes from a writer (alpha), how fast it is itself (B_wb), and how much the device takes
 * before it is no faster than that, all in one run: a writer fills the page cache, the flusher begins, and the writer goes on.
 * Where thresholds may be set the flusher begins by
 * itself, at the background threshold; else it is told to by syncfs(2).
 */

#define CHUNK (4ull << 20)
#define POINTS 512
#define LOOKS 4096
#define FREE_SAMPLES 12     /* before the flusher begins */
#define QUOTA 48            /* samples beside it; then the writer only keeps running */
#define PAUSE_NS 3000000
#define LEAST_POINTS 6
#define LEAST_BYTES (16ull << 20)
#define FILL_MOST (512ull << 20)
#define SUSTAINED_LEAST (256ull << 20)
#define SUSTAINED_NS 4000000000u
#define BURST_NS 300000000u /* of being held back, until what the device took at once is over */
#define WARM_BYTES (FILL_MOST + (QUOTA + FREE_SAMPLES) * CHUNK)

struct writeback {
	struct session *session;
	uint64_t at, end;
	size_t free_count, beside_count;
	double alone[POINTS], beside[POINTS];  /* cost of a chunk, ns */
	bool is_begun;          /* write-back was seen */
	/* Between two looks of which the first saw enough under way: a device that idles says nothing of its speed. With a stage
	 * from BURST_NS after the writer was first held back, and from the flusher's begin until then. */
	uint64_t busy_ns, busy_bytes, early_ns, early_bytes;
	/* With a stage, since then. A device and its throttle complete tens of MiB at once: where the first and the last look
	 * happen to lie between two such steps says more than a line through all of them should hear. */
	size_t look_count;
	double look_s[LOOKS], look_bytes[LOOKS];
	uint64_t seen_ns, seen_written, held_ns, begun_ns, begun_written;
	bool was_busy;          /* when it was seen last */
};

static bool is_throttled(const struct dirty_state *dirty)
{
	return dirty->dirty + dirty->writeback + CHUNK > (dirty->background_threshold + dirty->threshold) / 2;
}

static int write_chunk(struct writeback *run, const struct dirty_state *dirty)
{
	double ns;
	int rc;

	session_refill(run->session, CHUNK);
	rc = session_write(run->session, OP_BUFFERED, run->at, CHUNK, &ns);
	run->at += CHUNK;
	if (rc || is_throttled(dirty))
		return rc;
	if (run->is_begun && dirty->writeback && run->beside_count < POINTS)
		run->beside[run->beside_count++] = ns;
	if (!run->is_begun && !dirty->writeback && run->free_count < POINTS)
		run->alone[run->free_count++] = ns;
	return 0;
}

/* The device is at work, and at what it can go on with. */
static bool is_busy(struct writeback *run, const struct dirty_state *dirty, uint64_t now, uint64_t written)
{
	if (!run->session->plan->is_staged)
		return dirty->writeback >= CHUNK;
	if (!run->held_ns && is_throttled(dirty))
		run->held_ns = now;
	if (run->was_busy)
		return true;
	if (run->is_begun) {
		run->early_ns = now - run->begun_ns;
		run->early_bytes = written - run->begun_written;
	}
	return run->held_ns && now - run->held_ns >= BURST_NS;
}

static int look(struct writeback *run, struct dirty_state *dirty)
{
	uint64_t written, now;
	int rc = store_look(run->session->store, dirty, &written);

	if (rc)
		return session_report(rc, "read what the kernel has written back");
	now = session_now(run->session);
	if (run->was_busy) {
		run->busy_ns += now - run->seen_ns;
		run->busy_bytes += written - run->seen_written;
	}
	/* The journal's few pages are not it. */
	if (!run->is_begun && dirty->writeback >= CHUNK) {
		run->is_begun = true;
		run->begun_ns = run->seen_ns;
		run->begun_written = run->seen_written;
	}
	run->was_busy = is_busy(run, dirty, now, written);
	if (run->was_busy && run->session->plan->is_staged && run->look_count < LOOKS) {
		run->look_s[run->look_count] = (double)(now - run->begun_ns) / 1e9;
		run->look_bytes[run->look_count++] = (double)(written - run->begun_written);
	}
	run->seen_ns = now;
	run->seen_written = written;
	return 0;
}

/* The flusher was told to: until it is through. */
static int write_beside(struct writeback *run)
{
	struct store *store = run->session->store;
	struct dirty_state dirty;
	int rc = 0;

	while (!rc && run->at + CHUNK <= run->end && store_is_flushing(store)) {
		rc = look(run, &dirty);
		if (!rc)
			rc = write_chunk(run, &dirty);
		/* On a slow device room would be gone before the flusher has got anywhere. */
		if (run->beside_count > QUOTA)
			store_sleep(store, PAUSE_NS);
	}
	/* The room may be full before the flusher is through. */
	while (!rc && store_is_flushing(store) && !session_is_late(run->session)) {
		store_sleep(store, PAUSE_NS);
		rc = look(run, &dirty);
	}
	return rc ? rc : look(run, &dirty);
}

/* With a stage the flusher goes on as long as the writer does: until the room is full. Held back the writer keeps the device
 * busy, with new pages as a program's run has them: what write-back takes from then on is what it can. A slow device is
 * not waited for for ever. */
static int write_on(struct writeback *run)
{
	struct dirty_state dirty;
	int rc = 0;

	while (!rc && run->at + CHUNK <= run->end && !(run->busy_ns >= SUSTAINED_NS && session_is_late(run->session))) {
		rc = look(run, &dirty);
		if (!rc)
			rc = write_chunk(run, &dirty);
	}
	return rc ? rc : look(run, &dirty);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int fill(struct writeback *run)
{
	const struct calibrate_plan *plan = run->session->plan;
	uint64_t most = least(FILL_MOST, least(calibrate_plan_room(plan) / 2, plan->dirty_bytes));
	struct dirty_state dirty;
	int rc = 0;

	if (plan->is_staged)
		most = FREE_SAMPLES * CHUNK;
	most += run->at;
	while (!rc && run->at + CHUNK <= most) {
		rc = look(run, &dirty);
		if (!rc)
			rc = write_chunk(run, &dirty);
	}
	return rc;
}

/* A few bursts of a fast device are not its speed. */
static bool has_rate(const struct writeback *run)
{
	if (!run->session->plan->is_staged)
		return run->busy_ns && run->busy_bytes >= LEAST_BYTES;
	return run->busy_ns && (run->busy_bytes >= SUSTAINED_LEAST || run->busy_ns >= SUSTAINED_NS);
}

/* The file ended while a fast device still took what it takes at once: a run of this size meets no other rate. */
static bool has_early_rate(const struct writeback *run)
{
	return run->session->plan->is_staged && run->held_ns && run->early_bytes >= SUSTAINED_LEAST;
}

/* What it took more in the beginning than its rate says. */
static void decide_burst(struct writeback *run, double rate)
{
	double more = (double)run->early_bytes - rate * (double)run->early_ns / 1e9;

	if (run->early_ns && run->begun_ns)
		session_parameter(run->session, SYSTEM_SYNC_BURST, more > 0 ? more : 0,
			"median of blocks' bytes written back at once");
}

static double rate_of(const struct writeback *run)
{
	struct stats_line line;

	if (!stats_fit_line(run->look_s, run->look_bytes, run->look_count, &line) && line.slope > 0)
		return line.slope;
	return session_rate(run->busy_bytes, (double)run->busy_ns);
}

static void decide(struct writeback *run)
{
	double rate = rate_of(run);
	double alone = session_median(run->alone, run->free_count);
	double beside = session_median(run->beside, run->beside_count);

	if (run->free_count >= LEAST_POINTS && run->beside_count >= LEAST_POINTS)
		session_parameter(run->session, SYSTEM_COEFF_BG, alone / beside,
			"median of blocks' ratio of write cost without to during write-back");
	if (!has_rate(run)) {
		if (!has_early_rate(run))
			return;
		rate = session_rate(run->early_bytes, (double)run->early_ns);
	}
	session_parameter(run->session, SYSTEM_BW_SYNC, rate, "median of blocks' bytes written back by time");
	decide_burst(run, rate);
}

/* What a rested device takes at once hangs on what it did shortly before. Not only on this: docs/adr/0028. */
static int rest(struct session *session)
{
	double ns;
	int rc = session_sync(session, &ns);

	if (!rc)
		store_sleep(session->store, MEASURE_REST_NS);
	return rc;
}

static int measure_rate(struct writeback *run)
{
	struct store *store = run->session->store;
	bool is_staged = run->session->plan->is_staged;
	int rc = fill(run), waited = 0;

	if (!rc && !is_staged)
		rc = session_report(store_flush(store), "have the file written back");
	if (rc)
		return rc;
	rc = is_staged ? write_on(run) : write_beside(run);
	if (!is_staged)
		waited = store_flush_wait(store);
	return rc ? rc : session_report(waited, "write the file back");
}

int probe_writeback(struct session *session)
{
	const struct calibrate_plan *plan = session->plan;
	/* No more than can be warm: in cold memory the writer may be slower than the device. */
	uint64_t bytes = plan->is_staged ? calibrate_plan_room(plan) : least(calibrate_plan_room(plan), WARM_BYTES);
	struct writeback *run = calloc(1, sizeof(*run));
	int rc;

	if (!run)
		return session_report(-ENOMEM, "keep samples");
	*run = (struct writeback){.session = session, .at = plan->written_bytes, .end = plan->written_bytes + bytes};
	rc = session_fresh(session);
	if (!rc)
		rc = session_space(session, bytes);
	if (!rc)
		rc = session_hold(session, bytes);
	if (!rc && plan->is_staged)
		rc = rest(session);
	if (!rc)
		rc = measure_rate(run);
	if (!rc)
		decide(run);
	free(run);
	return session_leave(session, rc);
}

/*
 * Writes while balance_dirty_pages holds the writer back, of four sizes, and of two by a writer that thinks in between for half
 * of the time that it was held back for without. They are kept: what the model would have said of them is asked when all it
 * needs is known (finish.c), and the quotients are the bands.
 */

#define MIB (1ull << 20)
#define OPS 2048
#define ENOUGH 96 /* throttled writes of one run */
#define ENOUGH_BYTES (640 * MIB)
#define TURN_CLASSES 2 /* of a turn: others need theirs between */
#define PATIENCE_NS 4000000000u /* from the beginning of a run: the ones before it may have taken its time */

static uint64_t freerun(const struct calibrate_plan *plan)
{
	if (plan->is_staged)
		return (PLAN_STAGE_BACKGROUND + PLAN_STAGE_THROTTLED) / 2;
	return (plan->background_bytes + plan->threshold_bytes) / 2;
}

const char *probe_throttled_lacks(const struct session *session)
{
	/* The device empties it meanwhile: twice as much must fit. */
	if (2 * freerun(session->plan) > calibrate_plan_room(session->plan))
		return "throttling begins beyond --size: use --stage as root, or a larger --size";
	return NULL;
}

/* Sizes around what a device does in a pause: some MiB of a slow one, tens of MiB of a fast one. */
static const struct class {
	uint64_t size;
	bool is_thinking;
	size_t like; /* it thinks as long as half a write of that class took */
} classes[SYSTEM_BANDS] = {{4 * MIB, false, 0}, {16 * MIB, false, 0}, {64 * MIB, false, 0}, {128 * MIB, false, 0},
	{16 * MIB, true, 1}, {64 * MIB, true, 2}};

/* In host-backed memory: behind that a write costs what the host takes to find some. */
static bool is_warm(const struct session *session, uint64_t size, uint64_t written)
{
	return !session->plan->is_pooled || memory_need_each(size, written) <= calibrate_plan_room(session->plan);
}

static void think(struct session *session, uint64_t ended, uint64_t think_ns)
{
	uint64_t passed = session_now(session) - ended;

	if (passed < think_ns)
		store_sleep(session->store, think_ns - passed);
}

/* A slow device is not waited for for ever. */
static bool is_enough(const struct session *session, const struct session_run *run, uint64_t size, unsigned throttled)
{
	if (throttled >= ENOUGH || (throttled > ENOUGH / 16 && throttled * size > ENOUGH_BYTES))
		return true;
	return session_is_late(session) && (throttled > ENOUGH / 2 || session_now(session) > run->begin_ns + PATIENCE_NS);
}

/* *held_ns: the mean cost of those that were throttled, 0 = none was. */
static int write_all(struct session *session, struct session_run *run, uint64_t size, uint64_t think_ns, double *held_ns)
{
	uint64_t first = session->plan->written_bytes, ended = session_now(session), limit = freerun(session->plan);
	uint64_t most = least(OPS, (session->plan->size_bytes - first) / size);
	unsigned throttled = 0;
	double sum_ns = 0;
	int rc = 0;

	while (run->count < most && is_warm(session, size, (run->count + 1) * size) &&
		!is_enough(session, run, size, throttled)) {
		struct op op = {.offset = run->count * size, .size = size};
		double *ns = &run->ns[run->count];
		struct dirty_state dirty;
		uint64_t written;

		session_ready(session, size);
		session_refill(session, size);
		think(session, ended, think_ns);
		rc = session_report(store_look(session->store, &dirty, &written), "read the dirty memory");
		if (!rc)
			rc = session_write(session, OP_BUFFERED, first + op.offset, size, ns);
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
	return rc;
}

static int measure_class(struct session *session, size_t class, uint64_t think_ns, double *held_ns)
{
	uint64_t size = least(classes[class].size, session->plan->largest_bytes);
	struct session_run *run = &session->runs[session->run_count];
	uint64_t written;
	int rc = session_fresh(session);

	if (rc || session->run_count == SESSION_RUNS)
		return rc;
	rc = session_space(session, calibrate_plan_room(session->plan));
	if (rc)
		return rc;
	*run = (struct session_run){.begin_ns = session_now(session), .class = class,
		.think = classes[class].is_thinking ? SYSTEM_THINKING : 0, .ops = calloc(OPS, sizeof(*run->ops)),
		.ns = calloc(OPS, sizeof(*run->ns))};
	session->run_count++;
	if (!run->ops || !run->ns)
		return session_report(-ENOMEM, "keep samples");
	rc = session_report(store_look(session->store, &run->before, &written), "read the dirty memory");
	session->has_control = store_control(session->store, &run->control);
	if (!rc)
		rc = session_hold(session, calibrate_plan_room(session->plan));
	if (!rc)
		rc = write_all(session, run, size, think_ns, held_ns);
	return session_leave(session, rc);
}

int probe_throttled(struct session *session)
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
