/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a rested device takes at full speed before its own cache, or a cloud's credit, is used up, and how fast it is then:
 * stretches of the file are written into the page cache and from there by fsync(2), of which alone the time counts, again
 * and again without a pause until the rate has fallen (change.h). Once, behind all other probes: they would meet the
 * device as this one leaves it.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>
#include <stdlib.h>

#include "iowrite-bench/calibrate/change.h"

#define CHUNK (4ull << 20)
#define STRETCH_LEAST (64ull << 20)
#define STRETCHES 1024
#define REST_NS 10000000000u
#define REST_STEP_NS 100000000u
#define LOOK_EACH 8 /* stretches */
#define BEHIND 24   /* stretches that show that it stays slow */

struct burst {
	struct rig *rig;
	uint64_t stretch, at;
	size_t count;
	double bytes;             /* written in all */
	double rates[STRETCHES], behind[STRETCHES]; /* behind: what was written when it ended */
	struct change change;
	bool is_found;
};

const char *probe_burst_lacks(const struct rig *rig, const struct probe *probe)
{
	(void)probe;
	return rig->plan->burst_bytes ? NULL : "not looked for: --find-cache does";
}

static int rest(struct rig *rig)
{
	int rc = rig_fresh(rig);

	for (uint64_t ns = 0; ns < REST_NS && !rc; ns += REST_STEP_NS) {
		rig->hooks->sleep_ns(rig->hooks->state, REST_STEP_NS);
		if (rig->hooks->is_stopped(rig->hooks->state))
			rc = -EINTR;
	}
	return rc;
}

/* The kernel may have begun before: what is left of it then is what fsync(2) writes. */
static int write_back(struct burst *burst)
{
	const struct calibrate_hooks *hooks = burst->rig->hooks;
	struct dirty_state dirty;
	uint64_t before, after, begin, end;
	int rc = rig_told(burst->rig, hooks->look(hooks->state, &dirty, &before), "see what the kernel has written back");

	begin = rig_now(burst->rig);
	if (!rc)
		rc = rig_told(burst->rig, hooks->sync(hooks->state), "sync the file");
	end = rig_now(burst->rig);
	if (!rc)
		rc = rig_told(burst->rig, hooks->look(hooks->state, &dirty, &after), "see what the kernel has written back");
	if (rc)
		return rc;
	burst->bytes += (double)burst->stretch;
	/* Else most of it was written back before, and nothing is known of its rate. */
	if (after - before < burst->stretch / 2 || end <= begin)
		return 0;
	burst->behind[burst->count] = burst->bytes;
	burst->rates[burst->count++] = rig_rate(after - before, (double)(end - begin));
	return 0;
}

static int write_stretch(struct burst *burst)
{
	struct rig *rig = burst->rig;
	int rc = 0;

	if (burst->at + burst->stretch > rig->plan->size_bytes)
		burst->at = rig->plan->written_bytes;
	for (uint64_t done = 0; done < burst->stretch && !rc; done += CHUNK) {
		double ns;

		rc = rig_write(rig, OP_BUFFERED, burst->at + done, CHUNK, &ns);
	}
	burst->at += burst->stretch;
	return rc ? rc : write_back(burst);
}

static int look(struct burst *burst)
{
	return rig_told(burst->rig, change_find(burst->rates, burst->count, &burst->change, &burst->is_found),
		"look for a change");
}

static int write_all(struct burst *burst)
{
	uint64_t most = burst->rig->plan->burst_bytes;
	int rc = 0;

	for (uint64_t done = 0; done + burst->stretch <= most && burst->count < STRETCHES && !rc; done += burst->stretch) {
		rc = write_stretch(burst);
		if (!rc && burst->count % LOOK_EACH == 0)
			rc = look(burst);
		if (burst->is_found && burst->count - burst->change.at >= BEHIND)
			return rc;
	}
	return rc ? rc : look(burst);
}

static void judge(const struct burst *burst)
{
	if (!burst->is_found)
		return;
	rig_fact(burst->rig, SYSTEM_SYNC_CACHE, burst->behind[burst->change.at - 1], "until fsync(2) became slower (CUSUM), once");
	for (size_t i = burst->change.at; i < burst->count; i++)
		rig_fact(burst->rig, SYSTEM_BW_SYNC_LATE, burst->rates[i], "median of fsync(2)'s rates from then on, once");
	burst->rig->burst_rate = burst->change.before;
}

int probe_burst(struct rig *rig, const struct probe *probe)
{
	const struct calibrate_plan *plan = rig->plan;
	struct burst *burst = calloc(1, sizeof(*burst));
	uint64_t room = calibrate_plan_room(plan);
	int rc;

	(void)probe;
	if (!burst)
		return rig_told(rig, -ENOMEM, "keep samples");
	*burst = (struct burst){.rig = rig, .stretch = plan->burst_bytes / STRETCHES, .at = plan->written_bytes};
	burst->stretch = burst->stretch > STRETCH_LEAST ? burst->stretch : STRETCH_LEAST;
	burst->stretch = burst->stretch < room ? burst->stretch : room;
	burst->stretch -= burst->stretch % CHUNK;
	rc = rest(rig);
	if (!rc)
		rc = write_all(burst);
	if (!rc)
		judge(burst);
	free(burst);
	return rig_leave(rig, rc);
}
