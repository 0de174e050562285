/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/hot/rng.h"

#define BEGIN_NS 1000000000ull  /* of the virtual clock: 0 means "never" in places */
#define STOP_EVENTS 65536u      /* between two checks of the flag of signals */
#define PARTS 10u               /* of the preconditioning */
#define MIX_MOST 32u            /* of the preconditioning by the mix: device capacities */
#define PASS_EVENTS 64u         /* between two looks at how far it is */
#define NEVER UINT64_MAX

/* A command's tag: worker, kind, slot. */
#define TAG_WORKER 16u
#define TAG_FLUSH 0x8000u
#define TAG_SYNC 0x7fffu        /* the slot of a flush that is of all */

struct simulated {              /* state of a worker's backend */
	struct simulated_link *link;
	uint32_t tag;
	enum backend_durability durability;
	bool is_sync_queued;
	unsigned count;
	struct queued { uint32_t slot, length, number; uint64_t offset; } queued[];
};

struct simulated_link {
	struct sim_device *device;
	struct engine_threads *threads;
	uint32_t next_tag;
	uint64_t turnaround_ns, until_ns;
	/* By worker: when it tries to begin a write after a completion, and when the next one may begin. */
	struct wake { uint64_t turn_ns, when_ns; } wakes[MIX_STREAMS * MIX_WORKERS_MAX];
	struct freeze_device completed; /* of the command that is completed */
	struct sim_totals before;       /* when the measurement began */
	uint64_t bus_before_ns, ways_before_ns;
	struct engine_device result;
	char features[160];
};

/* --- the backend --- */

static int open_simulated(const struct backend_setup *setup, void **opened, const char **why)
{
	struct simulated *state;

	*why = "there is no simulated device";
	if (!setup->simulated)
		return -EINVAL;
	*why = "out of memory";
	state = calloc(1, sizeof(*state) + setup->slots * sizeof(state->queued[0]));
	if (!state)
		return -ENOMEM;
	state->link = setup->simulated;
	state->tag = state->link->next_tag++ << TAG_WORKER;
	state->durability = setup->durability;
	*opened = state;
	return 0;
}

static int attach(void *state)
{
	(void)state;
	return 0;
}

static void detach(void *state)
{
	(void)state;
}

static void queue(void *state, uint32_t slot, uint64_t offset, uint32_t length)
{
	struct simulated *simulated = state;

	simulated->queued[simulated->count++] = (struct queued){.slot = slot, .length = length, .offset = offset};
}

static void queue_sync(void *state)
{
	struct simulated *simulated = state;

	simulated->is_sync_queued = true;
}

/* Never waits: events advance the time. */
static int enter(void *state, unsigned wait_for, uint64_t until_ns)
{
	struct simulated *simulated = state;
	struct sim_device *device = simulated->link->device;

	(void)wait_for;
	(void)until_ns;
	for (unsigned i = 0; i < simulated->count; i++) {
		struct queued *queued = &simulated->queued[i];

		queued->number = sim_device_submit(device, simulated->tag | queued->slot, queued->offset, queued->length);
	}
	if (simulated->is_sync_queued)
		sim_device_submit(device, simulated->tag | TAG_FLUSH | TAG_SYNC, 0, 0);
	simulated->is_sync_queued = false;
	return 0;
}

static unsigned reap(void *state, struct backend_completion *done, unsigned most)
{
	(void)state;
	(void)done;
	(void)most;
	return 0;
}

static uint64_t now_ns(void *state)
{
	const struct simulated *simulated = state;

	return sim_device_now(simulated->link->device);
}

static uint64_t cpu_ns(void *state)
{
	(void)state;
	return 0;
}

static void close_simulated(void *state)
{
	free(state);
}

static const char *features(const void *state)
{
	const struct simulated *simulated = state;

	return simulated->link->features;
}

const struct backend_ops backend_simulated = {
	.name = "simulated",
	.meaning = "a model of an SSD, in virtual time",
	.open = open_simulated,
	.attach = attach,
	.detach = detach,
	.queue = queue,
	.sync = queue_sync,
	.enter = enter,
	.reap = reap,
	.now_ns = now_ns,
	.cpu_ns = cpu_ns,
	.close = close_simulated,
	.features = features,
};

/* --- the workers in virtual time --- */

static void wake_at(struct simulated_link *link, uint32_t index, uint64_t *planned, uint64_t when_ns)
{
	if (*planned == when_ns)
		return;
	*planned = when_ns;
	sim_device_set_timer(link->device, index, when_ns);
}

static void fill(struct simulated_link *link, uint32_t index, uint64_t now)
{
	struct engine_thread *thread = &link->threads->list[index];
	struct worker *worker = &thread->worker;
	struct simulated *simulated = worker->state;
	uint64_t when = worker_fill(worker, now);

	if (simulated->count || simulated->is_sync_queued) {
		worker_submit(worker, now);
		/* A host's record and the device's have the number of the command in common. */
		for (unsigned i = 0; i < simulated->count; i++) {
			struct record *record = &worker->slots[simulated->queued[i].slot].record;

			record->batch = simulated->queued[i].number;
			engine_thread_redraw(thread, record->sequence);
		}
		simulated->count = 0;
	}
	if (when != NEVER && when < worker->until_ns)
		wake_at(link, index, &link->wakes[index].when_ns, when);
}

static void act(struct simulated_link *link, const struct script_command *command, uint64_t now)
{
	const struct engine_setup *setup = link->threads->setup;
	struct ring_control *control = &link->threads->control;
	struct sim_cache *cache = sim_device_cache(link->device);
	bool is_restarted = false;

	switch (command->action) {
	case SCRIPT_FREEZE:
		ring_freeze(control, now);
		sim_cache_freeze(cache, now);
		break;
	case SCRIPT_FREEZE_IF:
		control->freeze = command->freeze;
		control->post = command->post;
		if (control->fired_ns)
			control->kept_after = control->post;
		break;
	case SCRIPT_ARM:
		is_restarted = true;
		break;
	case SCRIPT_CLEAR:
		control->freeze = (struct freeze){.count = 0};
		break;
	case SCRIPT_SAMPLE:
		sim_cache_select(cache, cache->stations, command->number);
		break;
	case SCRIPT_STATIONS:
		sim_cache_select(cache, command->number, cache->sample);
		break;
	case SCRIPT_RESET:
		control->freeze = setup->freeze;
		control->post = setup->post;
		sim_cache_select(cache, setup->device->stations, setup->device->sample);
		is_restarted = true;
		break;
	}
	if (!is_restarted)
		return;
	ring_restart(control, now);
	for (size_t i = 0; i < link->threads->count; i++)
		ring_empty(&link->threads->list[i].ring);
	sim_device_rearm(link->device);
}

static void on_timer(void *state, uint32_t index, uint64_t now)
{
	struct simulated_link *link = state;
	struct wake *wake = &link->wakes[index];

	if (index >= link->threads->count) {
		act(link, &link->threads->setup->script->commands[index - link->threads->count], now);
		return;
	}
	if (wake->turn_ns == now)
		wake->turn_ns = 0;
	if (wake->when_ns == now)
		wake->when_ns = 0;
	fill(link, index, now);
}

static void on_completion(void *state, uint32_t tag, uint64_t now)
{
	struct simulated_link *link = state;
	uint32_t index = tag >> TAG_WORKER, slot = tag & (TAG_FLUSH - 1);
	struct worker *worker = &link->threads->list[index].worker;
	struct simulated *simulated = worker->state;
	struct backend_completion done = {.slot = slot, .what = BACKEND_WRITTEN | BACKEND_DURABLE};

	if (tag & TAG_FLUSH && slot == TAG_SYNC) {
		done = (struct backend_completion){.slot = BACKEND_NO_SLOT, .what = BACKEND_SYNCED};
	} else if (tag & TAG_FLUSH) {
		done.what = BACKEND_DURABLE;
	} else {
		done.result = (int32_t)worker->slots[slot].record.length;
		if (simulated->durability == BACKEND_FDATASYNC)
			done.what = BACKEND_WRITTEN;
	}
	sim_device_completed(link->device, &link->completed);
	worker_take(worker, &done, now);
	/* The device's records end with the host's. */
	if (KEEP_UNLIKELY(link->threads->control.fired_ns) && link->threads->control.kept_after >= link->threads->control.post)
		sim_cache_freeze(sim_device_cache(link->device), now);
	if (done.what == BACKEND_WRITTEN)
		sim_device_submit(link->device, simulated->tag | TAG_FLUSH | slot, 0, 0);
	else if (!link->wakes[index].turn_ns)
		wake_at(link, index, &link->wakes[index].turn_ns, now + link->turnaround_ns);
}

/* --- before the measurement --- */

/* Wakes those that neither wait for a completion nor have a turn. */
static void start_workers(struct simulated_link *link, const struct engine_times *times)
{
	uint64_t now = sim_device_now(link->device);

	engine_threads_set_times(link->threads, times);
	engine_threads_set_due(link->threads, now);
	for (uint32_t i = 0; i < link->threads->count; i++) {
		if (!link->threads->list[i].worker.inflight && !link->wakes[i].turn_ns)
			wake_at(link, i, &link->wakes[i].turn_ns, now);
	}
}

/* The backlog of an open loop must not enter what is measured afterwards. In a closed loop the writes in flight are the
 * workload. */
static void drain(struct simulated_link *link)
{
	const struct engine_times times = {0, NEVER, sim_device_now(link->device)};

	engine_threads_set_times(link->threads, &times);
	for (uint32_t i = 0; i < link->threads->count; i++) {
		const struct worker *worker = &link->threads->list[i].worker;

		while ((worker->inflight || worker->is_syncing) && sim_device_step(link->device))
			;
	}
}

/* How often each worker has written its part of the stream's area; INFINITY if the stream does not run. */
static double stream_passes(const struct simulated_link *link, enum mix_stream which)
{
	double least = INFINITY;

	for (size_t i = 0; i < link->threads->count; i++) {
		const struct worker *worker = &link->threads->list[i].worker;

		if (worker->stream_id == which)
			least = fmin(least, (double)worker->stream.sequence / (double)worker->stream.blocks);
	}
	return least;
}

struct filling { /* how much a page written cost, by tenths */
	double amplification[PARTS];
	size_t count;
	uint64_t writes, copied;
};

static void take_part(struct simulated_link *link, struct filling *filling)
{
	const struct ftl *ftl = sim_device_ftl(link->device);
	uint64_t writes = ftl->writes - filling->writes, copied = ftl->copied - filling->copied;

	if (filling->count < PARTS)
		filling->amplification[filling->count++] = writes ? 1 + (double)copied / (double)writes : NAN;
	filling->writes = ftl->writes;
	filling->copied = ftl->copied;
}

/* Drawing would leave a share e^-n of an area unwritten for n passes. */
static void fill_drawn_area(struct simulated_link *link)
{
	const struct layout_area *area = &link->threads->setup->layout->areas[MIX_CHECKPOINT];
	uint64_t bytes = link->threads->setup->device->page_bytes;

	for (uint64_t lsa = area->begin / bytes; lsa < (area->begin + area->bytes) / bytes; lsa++) {
		sim_device_fill(link->device, (uint32_t)lsa);
		link->result.fill_pages++;
	}
}

/* Until the device's capacity and the area of each stream are written `times` times. */
static void fill_by_mix(struct simulated_link *link, double times, struct filling *filling)
{
	const struct sim_totals *totals = sim_device_totals(link->device);
	double pages = (double)sim_pages(link->threads->setup->device), done = 0;

	if (link->threads->setup->pattern)
		fill_drawn_area(link);
	take_part(link, filling);
	filling->count = 0;
	start_workers(link, &(struct engine_times){0, NEVER, NEVER});
	for (uint64_t events = 1; done < times; events++) {
		if (!sim_device_step(link->device) || (events % STOP_EVENTS == 0 && engine_is_stopped(link->threads->setup)))
			break;
		if (events % PASS_EVENTS)
			continue;
		done = fmin(stream_passes(link, MIX_LOG), stream_passes(link, MIX_CHECKPOINT));
		done = fmin(done, (double)totals->slices / pages);
		if (done >= times * (double)(filling->count + 1) / PARTS)
			take_part(link, filling);
		if ((double)totals->slices >= MIX_MOST * pages)
			break;
	}
	if (link->threads->setup->rate)
		drain(link);
	link->result.fill_pages += totals->slices;
}

static void fill_by_pages(struct simulated_link *link, const struct sim_params *params, uint64_t drawn, struct filling *filling)
{
	uint64_t exported = sim_exported_pages(params), total = exported + drawn;
	struct rng rng;

	rng_seed(&rng, link->threads->setup->seed, 1);
	for (uint64_t i = 0; i < total; i++) {
		if (i % STOP_EVENTS == 0 && engine_is_stopped(link->threads->setup))
			break;
		sim_device_fill(link->device, (uint32_t)(i < exported ? i : rng_below(&rng, exported)));
		if (i + 1 >= total * (filling->count + 1) / PARTS)
			take_part(link, filling);
		link->result.fill_pages++;
	}
}

static void precondition(struct simulated_link *link)
{
	const struct sim_params *params = link->threads->setup->device;
	struct filling filling = {.count = 0};

	if (params->precondition == SIM_FILL_SEQUENTIAL || params->precondition == SIM_FILL_RANDOM)
		fill_by_pages(link, params, params->precondition == SIM_FILL_RANDOM
				? (uint64_t)(params->fill * (double)sim_exported_pages(params)) : 0, &filling);
	if (params->precondition == SIM_FILL_MIX && params->fill > 0)
		fill_by_mix(link, params->fill, &filling);
	link->result.fill_amplification = filling.count ? filling.amplification[filling.count - 1] : NAN;
	latency_steady_last(filling.amplification, filling.count, &link->result.fill_steady);
}

/* --- the run --- */

static void sum_busy(const struct simulated_link *link, uint64_t *bus_ns, uint64_t *ways_ns)
{
	*bus_ns = *ways_ns = 0;
	for (uint32_t i = 0; i < link->threads->setup->device->channels; i++) {
		*bus_ns += sim_device_channel(link->device, i)->bus_busy_ns;
		*ways_ns += sim_device_channel(link->device, i)->way_busy_ns;
	}
}

/* A page that is written in turn stays valid for a pass, and no block is collected before all are used: amplification still
 * changes meanwhile. Pages drawn by precondition=random are as good as those that the checkpoint's pattern draws. */
static void begin_measurement(struct simulated_link *link)
{
	const struct engine_setup *setup = link->threads->setup;
	struct engine_device *result = &link->result;
	bool is_drawn = setup->pattern && setup->device->precondition == SIM_FILL_RANDOM, is_early;

	link->before = *sim_device_totals(link->device);
	sum_busy(link, &link->bus_before_ns, &link->ways_before_ns);
	result->written = (double)sim_device_ftl(link->device)->writes;
	result->written /= (double)sim_exported_pages(setup->device);
	is_early = result->written < 1;
	for (int i = 0; i < MIX_STREAMS; i++) {
		result->passes[i] = stream_passes(link, (enum mix_stream)i);
		result->has_few_passes[i] = result->passes[i] < ENGINE_STEADY_PASSES &&
			!(is_drawn && i == MIX_CHECKPOINT);
		is_early = is_early || result->has_few_passes[i];
	}
	if (is_early && result->fill_steady.verdict == LATENCY_STEADY)
		result->fill_steady.verdict = LATENCY_NOT_STEADY;
}

void simulate(struct engine_threads *threads, struct engine_times *times)
{
	const struct engine_setup *setup = threads->setup;
	struct simulated_link *link = setup->link;
	bool is_begun = false;

	link->threads = threads;
	threads->control.device = &link->completed;
	times->start_ns = sim_device_now(link->device);
	precondition(link);
	times->measure_ns = sim_device_now(link->device) + setup->warmup_ns;
	times->until_ns = times->measure_ns + setup->runtime_ns;
	start_workers(link, times);
	sim_device_arm(link->device);
	for (uint32_t i = 0; setup->script && i < setup->script->count; i++)
		sim_device_set_timer(link->device, (uint32_t)threads->count + i,
			times->measure_ns + setup->script->commands[i].at_ns);
	for (uint64_t events = 1;; events++) {
		if (!is_begun && sim_device_now(link->device) >= times->measure_ns) {
			begin_measurement(link);
			is_begun = true;
		}
		if (events % STOP_EVENTS == 0 && engine_is_stopped(setup))
			engine_threads_stop(threads);
		if (!sim_device_step(link->device))
			break;
	}
	if (!is_begun)
		begin_measurement(link);
}

/* --- opening and closing --- */

int simulate_open(struct engine_setup *setup)
{
	const struct workload_stream *streams = setup->workload->streams;
	unsigned workers = streams[MIX_LOG].workers + streams[MIX_CHECKPOINT].workers;
	struct simulated_link *link = calloc(1, sizeof(*link));
	size_t commands = setup->script ? setup->script->count : 0;
	struct sim_setup device = {.params = setup->device, .seed = setup->seed,
		.commands = streams[MIX_LOG].depth + streams[MIX_CHECKPOINT].depth + workers,
		.host = {link, on_completion, on_timer},
		.timers = 8 * workers + (uint32_t)commands, .has_records = setup->has_device_records,
		.has_stations = setup->freeze.count || (commands && script_has_condition(setup->script)) ||
				(setup->policies && sim_policies_have_condition(setup->policies)),
		.is_checked = setup->is_array_checked, .begin_ns = BEGIN_NS, .policies = setup->policies};
	int rc = link ? 0 : -ENOMEM;

	for (int i = 0; i < MIX_STREAMS; i++) {
		device.areas[i].begin = setup->layout->areas[i].begin;
		device.areas[i].bytes = setup->layout->areas[i].bytes;
		if (streams[i].depth && streams[i].block_bytes > device.command_bytes)
			device.command_bytes = streams[i].block_bytes;
	}
	if (!rc)
		rc = sim_device_open(&device, &link->device);
	if (rc) {
		diag_error(rc, "cannot simulate a device of %" PRIu64 " pages", sim_pages(setup->device));
		free(link);
		return DIAG_EXIT_HOST;
	}
	link->turnaround_ns = setup->device->turnaround_ns;
	snprintf(link->features, sizeof(link->features), "%" PRIu32 "x%" PRIu32 "x%" PRIu32 "x%" PRIu32 " pages of %" PRIu32,
		setup->device->channels, setup->device->ways, setup->device->blocks, setup->device->pages,
		setup->device->page_bytes);
	setup->link = link;
	return DIAG_EXIT_OK;
}

static struct sim_totals difference(const struct sim_totals *to, const struct sim_totals *from)
{
	struct sim_totals result = {0};
	const uint64_t *high = (const uint64_t *)to, *low = (const uint64_t *)from;

	_Static_assert(sizeof(result) % sizeof(uint64_t) == 0, "counters alone");
	for (size_t i = 0; i < sizeof(result) / sizeof(uint64_t); i++)
		((uint64_t *)&result)[i] = high[i] - low[i];
	return result;
}

int simulate_take(const struct engine_setup *setup, struct engine_result *result)
{
	struct simulated_link *link = setup->link;
	struct engine_device *device = malloc(sizeof(*device));
	uint64_t bus_ns, ways_ns;

	if (!device)
		return -ENOMEM;
	sum_busy(link, &bus_ns, &ways_ns);
	*device = link->result;
	device->totals = difference(sim_device_totals(link->device), &link->before);
	device->bus_busy_ns = bus_ns - link->bus_before_ns;
	device->way_busy_ns = ways_ns - link->ways_before_ns;
	device->policies = setup->policies;
	device->buses = setup->device->channels;
	device->ways = sim_dies(setup->device);
	device->broken = sim_device_check(link->device);
	device->device = link->device;
	link->device = NULL;
	result->device = device;
	return 0;
}

void simulate_close(struct engine_setup *setup)
{
	if (setup->link)
		sim_device_close(setup->link->device);
	free(setup->link);
	setup->link = NULL;
}

void engine_device_free(struct engine_device *device)
{
	if (device)
		sim_device_close(device->device);
	free(device);
}
