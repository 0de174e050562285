/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes that bypass the page cache: bandwidth of large sequential writes, reads, and the cost of a seek. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/hot/rng.h"
#include "iowrite-bench/calibrate/session.h"

#define MIB (1ull << 20)
#define SMALL 4096
#define SEEKS 48
#define READS 96
#define READ_BYTES (16 * MIB)
#define STREAM_WRITES 16
#define STREAM_LEAST 6
#define STREAM_SKIPPED 2

/* The first STREAM_SKIPPED writes do not count, because a throttle or a cache may take them at once. */
int probe_device(struct calibrate_session *session)
{
	uint64_t at = session->plan->written_bytes, free_bytes = calibrate_plan_free(session->plan) / STREAM_WRITES;
	uint64_t size = calibrate_least(free_bytes, session->plan->largest_bytes), bytes = 0;
	double sum = 0, ns;
	int rc = session_fresh(session);

	size -= size % SMALL;
	for (unsigned i = 0; i < STREAM_WRITES && !rc && !(i >= STREAM_LEAST && session_is_late(session)); i++, at += size) {
		rc = session_write(session, OP_DIRECT, at, size, &ns);
		if (i < STREAM_SKIPPED)
			continue;
		sum += ns;
		bytes += size;
	}
	if (rc)
		return rc;
	session_parameter(session, SYSTEM_BW_DEV, session_rate(bytes, sum), "median of blocks' rates of large O_DIRECT appends");
	return session_fresh(session);
}

static int read_back(struct calibrate_session *session, uint64_t offset, uint64_t size, double *ns)
{
	return session_measure(session, STORE_READ, offset, size, 1, "read back what was written", ns);
}

int probe_read(struct calibrate_session *session)
{
	uint64_t end = session->plan->written_bytes, step = end < 2 * READ_BYTES ? end / 2 : READ_BYTES, at = 0;
	struct rng rng;
	double ns;
	int rc = session_uncached(session);

	rng_seed(&rng, session_now(session), 0);
	step = calibrate_least(step, session->plan->largest_bytes);
	for (int i = 0; i < READS && !rc && !(i && session_is_late(session)); i++) {
		rc = read_back(session, rng_next(&rng) % (end / SMALL) * SMALL, SMALL, &ns);
		if (!rc)
			session_parameter(session, SYSTEM_LAT_RDEV, ns, "median of block medians");
	}
	for (; at + step <= end && !rc && !(at && session_is_late(session)); at += step) {
		rc = read_back(session, at, step, &ns);
		if (!rc)
			session_parameter(session, SYSTEM_BW_RDEV, session_rate(step, ns), "median of block medians");
	}
	return rc;
}

/* Alternates eight sequential and eight random writes, so that a drift affects both. */
int probe_seek(struct calibrate_session *session)
{
	uint64_t end = session->plan->written_bytes, at = 0;
	double near[SEEKS], far[SEEKS], ns;
	size_t count = 0;
	struct rng rng;
	int rc = session_uncached(session);

	rng_seed(&rng, session_now(session), 1);
	while (count < SEEKS && !rc && !(count && session_is_late(session))) {
		for (int i = 0; i < 8 && !rc; i++, at += SMALL) {
			rc = session_write(session, OP_DIRECT, at, SMALL, &ns);
			near[count + (size_t)i] = ns;
		}
		for (int i = 0; i < 8 && !rc; i++) {
			rc = session_write(session, OP_DIRECT, rng_next(&rng) % (end / SMALL) * SMALL, SMALL, &ns);
			far[count + (size_t)i] = ns;
		}
		count += 8;
	}
	if (!rc) {
		double usual = session_median(near, count), further = session_median(far, count);
		const struct samples_key key = {.parameter = SYSTEM_SC_SK, .scale = usual,
			.method = "median of blocks' random less sequential, 4 KiB"};

		samples_add(&session->samples, &key, fmax(0, further - usual));
	}
	return rc;
}

/*
 * Measures synchronous writes by size, in one mode and file state. The sizes take turns, as in a program; each write begins on
 * a block of the file system. Sizes below a block come in batches before the others, large ones after them: in turns with up to
 * 64 MiB O_DIRECT writes of 4 KiB took 58 to 67 us, by themselves 42 to 50.
 */

#define KIB (1ull << 10)
#define LARGE (4 * MIB)
#define BLOCK_PARTS 4 /* of a block, written one after another */
#define WARM_BYTES (160 * MIB) /* twice the bytes of a pass of all sizes */

static const struct device_row {
	uint64_t size;
	unsigned count;
} rows[] = {{4 * KIB, 12}, {8 * KIB, 12}, {16 * KIB, 12}, {32 * KIB, 12}, {64 * KIB, 12}, {128 * KIB, 12},
	{256 * KIB, 12}, {512 * KIB, 12}, {1 * MIB, 12}, {4 * MIB, 4}, {16 * MIB, 2}, {64 * MIB, 1}};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct burst_place {
	struct calibrate_session *session;
	uint64_t begin, end, at;
};

static bool is_measured(const struct burst_place *place, const struct device_row *row)
{
	const struct calibrate_plan *plan = place->session->plan;

	if (row->size % plan->fs_block || row->size > plan->largest_bytes)
		return false;
	/* Sizes above 16 MiB are measured only for O_DIRECT appends, as a log or a copy makes them. */
	if (row->size > 16 * MIB && (place->session->probe->regime != OP_APPEND || place->session->probe->mode < OP_DIRECT))
		return false;
	return row->size <= (place->end - place->begin) / 8;
}

/* When the range is full, returns to its beginning; a file that grows is truncated there. */
static int make_space(struct burst_place *place, uint64_t size)
{
	struct calibrate_session *session = place->session;
	enum op_regime regime = session->probe->regime;
	uint64_t block = session->plan->fs_block;
	double ns;
	int rc;

	if (place->at + size <= place->end)
		return 0;
	place->at = place->begin;
	if (regime == OP_OVERWRITE)
		return 0;
	rc = session_report(store_cut(session->store, place->begin), "cut the file");
	if (!rc && regime == OP_PREALLOCATED)
		rc = session_report(store_reserve(session->store, place->begin, place->end - place->begin),
			"reserve space (fallocate)");
	/* The first write after truncation also journals inode and extents and takes 380 us, later ones 150. This block is not
	 * measured. */
	if (!rc)
		rc = session_write(session, session->probe->mode, place->at, block, &ns);
	place->at += block;
	return rc;
}

static int measure_one(struct burst_place *place, uint64_t size)
{
	const struct calibrate_probe *probe = place->session->probe;
	double ns;
	int rc = make_space(place, size);

	/* O_SYNC and O_DSYNC go through the page cache. */
	if (probe->mode < OP_DIRECT && probe->regime != OP_OVERWRITE)
		session_refill(place->session, size);
	if (!rc)
		rc = session_write(place->session, probe->mode, place->at, size, &ns);
	if (!rc)
		session_point(place->session, probe->mode, probe->regime, size, ns);
	place->at += size;
	return rc;
}

static int measure_rows(struct burst_place *place, size_t first, size_t end)
{
	int rc = 0;

	for (unsigned pass = 0; pass < rows[first].count && !rc; pass++) {
		for (size_t i = first; i < end && !rc; i++) {
			if (pass < rows[i].count && is_measured(place, &rows[i]))
				rc = measure_one(place, rows[i].size);
		}
		if (session_is_late(place->session))
			break;
	}
	return rc;
}

int probe_synchronous(struct calibrate_session *session)
{
	const struct calibrate_probe *probe = session->probe;
	const struct calibrate_plan *plan = session->plan;
	struct burst_place place = {session, plan->written_bytes, plan->size_bytes, plan->written_bytes};
	bool is_direct = probe->mode >= OP_DIRECT, is_over = probe->regime == OP_OVERWRITE;
	uint64_t part = plan->fs_block / BLOCK_PARTS;
	size_t large = 0;
	int rc = is_direct && is_over ? session_uncached(session) : session_fresh(session);

	if (!rc && !is_direct)
		rc = session_hold(session, WARM_BYTES);
	if (is_over)
		place = (struct burst_place){session, 0, plan->written_bytes, 0};
	/* Allocation of unwritten blocks takes time, so that only half of the free space is reserved. */
	if (probe->regime == OP_PREALLOCATED)
		place.end = place.begin + calibrate_plan_free(plan) / 2;
	if (!is_over)
		place.at = place.end;
	if (!rc)
		rc = make_space(&place, 1);
	/* O_DIRECT writes parts of a block only where its alignment allows them. */
	if (part % plan->align == 0 && !(is_direct && is_over)) {
		if (!rc && is_over)
			rc = session_fill(session, OP_BUFFERED, place.at, place.at + 2 * plan->fs_block, part);
		for (int i = 0; i < 2 * BLOCK_PARTS && !rc; i++)
			rc = measure_one(&place, part);
	}
	while (rows[large].size < LARGE)
		large++;
	if (!rc)
		rc = measure_rows(&place, 0, large);
	if (!rc)
		rc = measure_rows(&place, large, ROWS);
	return is_direct ? rc : session_leave(session, rc);
}

/*
 * Measures the read of a block that O_SYNC writes in part: the kernel reads it first unless it is cached. Each place is written
 * twice, uncached and cached; the difference is the read.
 */

#define EDGES 24

static uint64_t edge_offset(const struct calibrate_session *session, int i)
{
	uint64_t step = session->plan->written_bytes / EDGES, block = session->plan->fs_block;

	/* The places are far apart: otherwise the first read would bring in the next block, too. */
	return (uint64_t)i * (step - step % block) + block / 4;
}

int probe_edge(struct calibrate_session *session)
{
	double absent[EDGES], cached[EDGES];
	int rc = session_uncached(session), count = 0;

	for (; count < EDGES && !rc && !(count && session_is_late(session)); count++)
		rc = session_write(session, OP_SYNC, edge_offset(session, count), session->plan->fs_block / 4, &absent[count]);
	for (int i = 0; i < count && !rc; i++)
		rc = session_write(session, OP_SYNC, edge_offset(session, i), session->plan->fs_block / 4, &cached[i]);
	if (!rc) {
		double usual = session_median(cached, (size_t)count), more = session_median(absent, (size_t)count) - usual;
		const struct samples_key key = {.parameter = SYSTEM_LAT_RMW, .scale = usual,
			.method = "median of blocks' uncached less cached parts of blocks"};

		samples_add(&session->samples, &key, fmax(0, more));
	}
	return rc;
}

/*
 * Measures how much an idle device takes at full speed before its own cache, or a cloud's credit, is used up, and its rate
 * then: parts of the file are written into the page cache and flushed by fsync(2), which alone is timed, without a pause until
 * the rate has fallen (estimate.h). It runs once, after all other probes, because it leaves the device slow.
 */

#define CHUNK (4ull << 20)
#define PART_LEAST (64ull << 20)
#define PARTS_MOST 1024
#define REST_NS 10000000000u
#define REST_STEP_NS 100000000u
#define CHECK_EACH 8 /* parts */
#define BEHIND 24    /* parts that show that it stays slow */

struct device_burst {
	struct calibrate_session *session;
	uint64_t part, at;
	size_t count;
	double bytes;             /* written in all */
	double rates[PARTS_MOST], behind[PARTS_MOST]; /* behind: bytes written when the part ended */
};

const char *probe_burst_lacks(const struct calibrate_session *session)
{
	return session->plan->burst_bytes ? NULL : "not measured without --find-cache";
}

static int write_part(struct device_burst *burst)
{
	struct calibrate_session *session = burst->session;
	struct dirty_state dirty;
	uint64_t before, after;
	double ns;
	int rc = 0;

	if (burst->at + burst->part > session->plan->size_bytes)
		burst->at = session->plan->written_bytes;
	for (uint64_t done = 0; done < burst->part && !rc; done += CHUNK)
		rc = session_write(session, OP_BUFFERED, burst->at + done, CHUNK, &ns);
	burst->at += burst->part;
	/* The kernel may have started write-back already: fsync(2) writes only the rest. */
	if (!rc)
		rc = session_report(store_sample(session->store, &dirty, &before), "read what the kernel has written back");
	if (!rc)
		rc = session_sync(session, &ns);
	if (!rc)
		rc = session_report(store_sample(session->store, &dirty, &after), "read what the kernel has written back");
	if (rc)
		return rc;
	burst->bytes += (double)burst->part;
	/* When most of the part was written back before fsync(2), its rate is unknown. */
	if (after - before < burst->part / 2)
		return 0;
	burst->behind[burst->count] = burst->bytes;
	burst->rates[burst->count++] = session_rate(after - before, ns);
	return 0;
}

int probe_burst(struct calibrate_session *session)
{
	const struct calibrate_plan *plan = session->plan;
	struct device_burst *burst = calloc(1, sizeof(*burst));
	struct change change = {0};
	bool is_found = false;
	int rc;

	if (!burst)
		return session_report(-ENOMEM, "keep samples");
	*burst = (struct device_burst){.session = session, .part = plan->burst_bytes / PARTS_MOST, .at = plan->written_bytes};
	burst->part = burst->part > PART_LEAST ? burst->part : PART_LEAST;
	burst->part = calibrate_least(burst->part, calibrate_plan_free(plan));
	burst->part -= burst->part % CHUNK;
	rc = session_fresh(session);
	for (uint64_t ns = 0; ns < REST_NS && !rc; ns += REST_STEP_NS) {
		store_sleep(session->store, REST_STEP_NS);
		if (writer_is_told(session->writer.stop))
			rc = -EINTR;
	}
	for (uint64_t done = burst->part; done <= plan->burst_bytes && burst->count < PARTS_MOST && !rc; done += burst->part) {
		rc = write_part(burst);
		if (!rc && burst->count % CHECK_EACH == 0)
			rc = session_report(change_find(burst->rates, burst->count, &change, &is_found), "search for a change");
		if (is_found && burst->count - change.at >= BEHIND)
			break;
	}
	if (!rc)
		rc = session_report(change_find(burst->rates, burst->count, &change, &is_found), "search for a change");
	if (!rc && is_found) {
		session_fact(session, SYSTEM_SYNC_CACHE, burst->behind[change.at - 1],
			"until fsync(2) became slower (CUSUM), once");
		for (size_t i = change.at; i < burst->count; i++)
			session_fact(session, SYSTEM_BW_SYNC_LATE, burst->rates[i],
				"median of fsync(2)'s rates from then on, once");
		session->burst_rate = change.before;
	}
	free(burst);
	return session_leave(session, rc);
}
