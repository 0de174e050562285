/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/diag.h"
#include "common/hot/rng.h"

#define BEGIN_NS 1000000000ull  /* of the virtual clock, in which some variables use 0 as "never" */
#define STOP_EVENTS 65536u      /* between two checks for signals */
#define PARTS 10u               /* of the preconditioning */
#define MIX_MOST 32u            /* of the preconditioning by the mix: device capacities */
#define PASS_EVENTS 64u         /* between two checks of the progress */
#define NEVER UINT64_MAX

/* A command's tag consists of worker, kind and slot. */
#define TAG_WORKER 16u
#define TAG_FLUSH 0x8000u
#define TAG_SYNC 0x7fffu        /* the slot of a sync of all writes */

struct simulated {              /* state of a worker's backend */
	struct simulated_link *link;
	uint32_t tag;
	size_t target;          /* device of the worker, with its timers; the first one of a striped log */
	struct stripe stripe;
	enum backend_durability durability;
	bool is_sync_queued;
	unsigned count;
	struct queued { uint32_t slot, length, number; uint64_t offset; } *queued;
	uint8_t syncs_left[];   /* by slot: flushes of its write that are not done */
};

struct linked_device { /* of a target */
	struct simulated_link *link;
	struct sim_device *device;
	struct layout layout;
	struct sim_totals before;       /* when the measurement began */
	uint64_t bus_before_ns, ways_before_ns;
	struct engine_device result;
	struct filling { /* write amplification, by tenths */
		double amplification[PARTS];
		size_t count;
		uint64_t writes, copied;
	} filling;
};

struct simulated_link {
	size_t count;
	struct linked_device devices[LAYOUT_TARGETS];
	struct engine_threads *threads;
	uint32_t next_tag;
	uint64_t now_ns;                /* of all devices; a device's own clock is that of its last event */
	uint64_t turnaround_ns, until_ns;
	/* by worker: when it tries to begin a write after a completion, and when the next one may begin */
	struct wake { uint64_t turn_ns, when_ns; } wakes[MIX_STREAMS * MIX_WORKERS_MAX];
	struct freeze_device completed; /* the command that is being completed */
	char features[160];
};

/* Executes the next event of all devices. Returns false if there is none except performance indices. */
static bool step(struct simulated_link *link)
{
	struct linked_device *next = NULL;
	uint64_t next_ns = NEVER;
	bool is_idle = true;

	if (link->count == 1) {
		is_idle = !sim_device_step(link->devices[0].device);
		link->now_ns = sim_device_now(link->devices[0].device);
		return !is_idle;
	}
	for (size_t i = 0; i < link->count; i++) {
		uint64_t at_ns = sim_device_next(link->devices[i].device);

		is_idle = is_idle && sim_device_is_idle(link->devices[i].device);
		if (at_ns >= next_ns)
			continue;
		next = &link->devices[i];
		next_ns = at_ns;
	}
	/* The step records which law of the model is violated. */
	for (size_t i = 0; i < link->count && is_idle; i++)
		(void)sim_device_step(link->devices[i].device);
	if (is_idle || !next)
		return false;
	link->now_ns = next_ns;
	sim_device_execute(next->device);
	return true;
}

static uint32_t submit(struct simulated_link *link, size_t target, uint32_t tag, uint64_t offset, uint32_t length)
{
	struct sim_device *device = link->devices[target].device;

	sim_device_advance(device, link->now_ns);
	return sim_device_submit(device, tag, offset, length);
}

/* --- the backend --- */

static int open_simulated(const struct backend_setup *setup, void **opened, const char **why)
{
	struct simulated *state;

	*why = "there is no simulated device";
	if (!setup->simulated)
		return -EINVAL;
	*why = "out of memory";
	state = calloc(1, sizeof(*state) + setup->slots);
	if (!state)
		return -ENOMEM;
	state->queued = calloc(setup->slots, sizeof(*state->queued));
	if (!state->queued) {
		free(state);
		return -ENOMEM;
	}
	state->link = setup->simulated;
	state->tag = state->link->next_tag++ << TAG_WORKER;
	state->target = (size_t)setup->target;
	state->stripe = setup->stripe;
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

/* Submits without waiting: events advance the time. */
static int enter(void *state, unsigned wait_for, uint64_t until_ns)
{
	struct simulated *simulated = state;

	(void)wait_for;
	(void)until_ns;
	for (unsigned i = 0; i < simulated->count; i++) {
		struct queued *queued = &simulated->queued[i];
		uint64_t offset;
		size_t target = simulated->target + stripe_locate(&simulated->stripe, queued->offset, &offset);

		queued->number = submit(simulated->link, target, simulated->tag | queued->slot, offset, queued->length);
	}
	if (simulated->is_sync_queued)
		submit(simulated->link, simulated->target, simulated->tag | TAG_FLUSH | TAG_SYNC, 0, 0);
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

	return simulated->link->now_ns;
}

static uint64_t cpu_ns(void *state)
{
	(void)state;
	return 0;
}

static void close_simulated(void *state)
{
	free(((struct simulated *)state)->queued);
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
	const struct simulated *simulated = link->threads->list[index].state;

	if (*planned == when_ns)
		return;
	*planned = when_ns;
	sim_device_set_timer(link->devices[simulated->target].device, index, when_ns);
}

static void fill(struct simulated_link *link, uint32_t index, uint64_t now)
{
	struct engine_thread *thread = &link->threads->list[index];
	struct worker *worker = &thread->worker;
	struct simulated *simulated = worker->state;
	uint64_t when = worker_fill(worker, now);

	if (simulated->count || simulated->is_sync_queued) {
		worker_submit(worker, now);
		/* A host's record and the device's records share the number of the command. */
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

static void act_on_device(struct sim_device *device, const struct sim_params *params, const struct script_command *command,
	uint64_t now)
{
	struct sim_cache *cache = sim_device_cache(device);

	if (command->action == SCRIPT_FREEZE)
		sim_cache_freeze(cache, now);
	else if (command->action == SCRIPT_SAMPLE)
		sim_cache_select(cache, cache->stations, command->number);
	else if (command->action == SCRIPT_STATIONS)
		sim_cache_select(cache, command->number, cache->sample);
	else if (command->action == SCRIPT_RESET)
		sim_cache_select(cache, params->stations, params->sample);
	if (command->action == SCRIPT_RESET || command->action == SCRIPT_ARM)
		sim_device_rearm(device);
}

static void act(struct simulated_link *link, const struct script_command *command, uint64_t now)
{
	const struct engine_setup *setup = link->threads->setup;
	struct ring_control *control = &link->threads->control;
	bool is_restarted = false;

	switch (command->action) {
	case SCRIPT_FREEZE:
		ring_freeze(control, now);
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
	case SCRIPT_STATIONS:
		break;
	case SCRIPT_RESET:
		control->freeze = setup->freeze;
		control->post = setup->post;
		is_restarted = true;
		break;
	}
	for (size_t i = 0; i < link->count; i++)
		act_on_device(link->devices[i].device, setup->device, command, now);
	if (!is_restarted)
		return;
	ring_restart(control, now);
	for (size_t i = 0; i < link->threads->count; i++)
		ring_empty(&link->threads->list[i].ring);
}

static void on_timer(void *state, uint32_t index, uint64_t now)
{
	struct simulated_link *link = ((struct linked_device *)state)->link;
	struct wake *wake = &link->wakes[index];

	link->now_ns = now;
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

static void flush(struct simulated *simulated, uint32_t slot)
{
	size_t count = simulated->stripe.targets > 1 ? simulated->stripe.targets : 1;

	simulated->syncs_left[slot] = (uint8_t)count;
	for (size_t i = 0; i < count; i++)
		submit(simulated->link, simulated->target + i, simulated->tag | TAG_FLUSH | slot, 0, 0);
}

static void on_completion(void *state, uint32_t tag, uint64_t now)
{
	const struct linked_device *linked = state;
	struct simulated_link *link = linked->link;
	uint32_t index = tag >> TAG_WORKER, slot = tag & (TAG_FLUSH - 1);
	struct worker *worker = &link->threads->list[index].worker;
	struct simulated *simulated = worker->state;
	struct backend_completion done = {.slot = slot, .what = BACKEND_WRITTEN | BACKEND_DURABLE};

	link->now_ns = now;
	if (tag & TAG_FLUSH && slot == TAG_SYNC) {
		done = (struct backend_completion){.slot = BACKEND_NO_SLOT, .what = BACKEND_SYNCED};
	} else if (tag & TAG_FLUSH) {
		done.what = BACKEND_DURABLE;
		if (--simulated->syncs_left[slot])
			return;
	} else {
		done.result = (int32_t)worker->slots[slot].record.length;
		if (simulated->durability == BACKEND_FDATASYNC)
			done.what = BACKEND_WRITTEN;
	}
	sim_device_completed(linked->device, &link->completed);
	worker_take(worker, &done, now);
	/* The device's records end at the same time as the host's. */
	if (KEEP_UNLIKELY(link->threads->control.fired_ns) && link->threads->control.kept_after >= link->threads->control.post) {
		for (size_t i = 0; i < link->count; i++)
			sim_cache_freeze(sim_device_cache(link->devices[i].device), now);
	}
	if (done.what == BACKEND_WRITTEN)
		flush(simulated, slot);
	else if (!link->wakes[index].turn_ns)
		wake_at(link, index, &link->wakes[index].turn_ns, now + link->turnaround_ns);
}

/* --- before the measurement --- */

/* Wakes the workers that have neither a write in flight nor a planned wake-up. */
static void start_workers(struct simulated_link *link, const struct engine_times *times)
{
	uint64_t now = link->now_ns;

	engine_threads_set_times(link->threads, times);
	engine_threads_set_due(link->threads, now);
	for (uint32_t i = 0; i < link->threads->count; i++) {
		if (!link->threads->list[i].worker.inflight && !link->wakes[i].turn_ns)
			wake_at(link, i, &link->wakes[i].turn_ns, now);
	}
}

/* Ends the backlog of an open loop, which must not enter the measurement. In a closed loop the writes in flight are the
 * workload. */
static void drain(struct simulated_link *link)
{
	const struct engine_times times = {0, NEVER, link->now_ns};

	engine_threads_set_times(link->threads, &times);
	for (uint32_t i = 0; i < link->threads->count; i++) {
		const struct worker *worker = &link->threads->list[i].worker;

		while ((worker->inflight || worker->is_syncing) && step(link))
			;
	}
}

/* Returns the smallest number of passes of the stream's workers over their parts; INFINITY if the stream does not run. */
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

static void take_part(struct linked_device *linked)
{
	const struct ftl *ftl = sim_device_ftl(linked->device);
	struct filling *filling = &linked->filling;
	uint64_t writes = ftl->writes - filling->writes, copied = ftl->copied - filling->copied;

	if (filling->count < PARTS)
		filling->amplification[filling->count++] = writes ? 1 + (double)copied / (double)writes : NAN;
	filling->writes = ftl->writes;
	filling->copied = ftl->copied;
}

static void take_parts(struct simulated_link *link)
{
	for (size_t i = 0; i < link->count; i++)
		take_part(&link->devices[i]);
}

/* Drawn writes would leave a share e^-n of the area unwritten after n passes. */
static void fill_drawn_area(struct simulated_link *link)
{
	const struct engine_setup *setup = link->threads->setup;
	struct linked_device *linked = &link->devices[layout_target(setup->layout, link->count, MIX_CHECKPOINT)];
	const struct layout_area *area = &linked->layout.areas[MIX_CHECKPOINT];
	uint64_t bytes = setup->device->page_bytes;

	for (uint64_t lsa = area->begin / bytes; lsa < (area->begin + area->bytes) / bytes; lsa++) {
		sim_device_fill(linked->device, (uint32_t)lsa);
		linked->result.fill_pages++;
	}
}

/* Returns the pages written to the least written device, among those that streams write to. */
static double written_least(const struct simulated_link *link)
{
	double least = INFINITY;

	for (size_t i = 0; i < link->count; i++) {
		if (link->devices[i].result.is_used)
			least = fmin(least, (double)sim_device_totals(link->devices[i].device)->slices);
	}
	return least;
}

/* Writes until the capacity of each device and the area of each stream are written `times` times. */
static void fill_by_mix(struct simulated_link *link, double times)
{
	double pages = (double)sim_pages(link->threads->setup->device), done = 0;

	if (link->threads->setup->pattern)
		fill_drawn_area(link);
	take_parts(link);
	for (size_t i = 0; i < link->count; i++)
		link->devices[i].filling.count = 0;
	start_workers(link, &(struct engine_times){0, NEVER, NEVER});
	for (uint64_t events = 1; done < times; events++) {
		if (!step(link) || (events % STOP_EVENTS == 0 && engine_is_stopped(link->threads->setup)))
			break;
		if (events % PASS_EVENTS)
			continue;
		done = fmin(stream_passes(link, MIX_LOG), stream_passes(link, MIX_CHECKPOINT));
		done = fmin(done, written_least(link) / pages);
		if (done >= times * (double)(link->devices[0].filling.count + 1) / PARTS)
			take_parts(link);
		if (written_least(link) >= MIX_MOST * pages)
			break;
	}
	if (link->threads->setup->rate)
		drain(link);
	for (size_t i = 0; i < link->count; i++)
		link->devices[i].result.fill_pages += sim_device_totals(link->devices[i].device)->slices;
}

static void fill_by_pages(struct linked_device *linked, const struct engine_setup *setup, uint64_t drawn)
{
	uint64_t exported = sim_exported_pages(setup->device), total = exported + drawn;
	struct rng rng;

	rng_seed(&rng, setup->seed, 1);
	for (uint64_t i = 0; i < total; i++) {
		if (i % STOP_EVENTS == 0 && engine_is_stopped(setup))
			break;
		sim_device_fill(linked->device, (uint32_t)(i < exported ? i : rng_below(&rng, exported)));
		if (i + 1 >= total * (linked->filling.count + 1) / PARTS)
			take_part(linked);
		linked->result.fill_pages++;
	}
}

static void precondition(struct simulated_link *link)
{
	const struct engine_setup *setup = link->threads->setup;
	const struct sim_params *params = setup->device;
	double exported = (double)sim_exported_pages(params);
	uint64_t drawn = params->precondition == SIM_FILL_RANDOM ? (uint64_t)(params->fill * exported) : 0;

	for (size_t i = 0; i < link->count; i++) {
		if (params->precondition == SIM_FILL_SEQUENTIAL || params->precondition == SIM_FILL_RANDOM)
			fill_by_pages(&link->devices[i], setup, drawn);
	}
	if (params->precondition == SIM_FILL_MIX && params->fill > 0)
		fill_by_mix(link, params->fill);
	for (size_t i = 0; i < link->count; i++) {
		const struct filling *filling = &link->devices[i].filling;
		struct engine_device *result = &link->devices[i].result;

		result->fill_amplification = filling->count ? filling->amplification[filling->count - 1] : NAN;
		latency_steady_last(filling->amplification, filling->count, &result->fill_steady);
	}
}

/* --- the run --- */

static void sum_busy(const struct sim_device *device, uint32_t channels, uint64_t *bus_ns, uint64_t *ways_ns)
{
	*bus_ns = *ways_ns = 0;
	for (uint32_t i = 0; i < channels; i++) {
		*bus_ns += sim_device_channel(device, i)->bus_busy_ns;
		*ways_ns += sim_device_channel(device, i)->way_busy_ns;
	}
}

/* A page of a sequential stream stays valid for a pass, and no block is collected before all are used, so amplification still
 * changes before. Pages of precondition=random count as drawn by the checkpoint's pattern. */
static void begin_on_device(struct simulated_link *link, struct linked_device *linked)
{
	const struct engine_setup *setup = link->threads->setup;
	struct engine_device *result = &linked->result;
	bool is_drawn = setup->pattern && setup->device->precondition == SIM_FILL_RANDOM, is_early;

	linked->before = *sim_device_totals(linked->device);
	sum_busy(linked->device, setup->device->channels, &linked->bus_before_ns, &linked->ways_before_ns);
	result->written = (double)sim_device_ftl(linked->device)->writes;
	result->written /= (double)sim_exported_pages(setup->device);
	is_early = result->written < 1;
	for (int i = 0; i < MIX_STREAMS; i++) {
		result->passes[i] = linked->layout.areas[i].bytes ? stream_passes(link, (enum mix_stream)i) : INFINITY;
		result->has_few_passes[i] = result->passes[i] < ENGINE_STEADY_PASSES &&
			!(is_drawn && i == MIX_CHECKPOINT);
		is_early = is_early || result->has_few_passes[i];
	}
	if (is_early && result->fill_steady.verdict == LATENCY_STEADY)
		result->fill_steady.verdict = LATENCY_NOT_STEADY;
}

static void begin_measurement(struct simulated_link *link)
{
	for (size_t i = 0; i < link->count; i++)
		begin_on_device(link, &link->devices[i]);
}

void simulate(struct engine_threads *threads, struct engine_times *times)
{
	const struct engine_setup *setup = threads->setup;
	struct simulated_link *link = setup->link;
	bool is_begun = false;

	link->threads = threads;
	threads->control.device = &link->completed;
	times->start_ns = link->now_ns;
	precondition(link);
	times->measure_ns = link->now_ns + setup->warmup_ns;
	times->until_ns = times->measure_ns + setup->runtime_ns;
	start_workers(link, times);
	for (size_t i = 0; i < link->count; i++) {
		sim_device_advance(link->devices[i].device, link->now_ns);
		sim_device_arm(link->devices[i].device);
	}
	for (uint32_t i = 0; setup->script && i < setup->script->count; i++)
		sim_device_set_timer(link->devices[0].device, (uint32_t)threads->count + i,
			times->measure_ns + setup->script->commands[i].at_ns);
	for (uint64_t events = 1;; events++) {
		if (!is_begun && link->now_ns >= times->measure_ns) {
			begin_measurement(link);
			is_begun = true;
		}
		if (events % STOP_EVENTS == 0 && engine_is_stopped(setup))
			engine_threads_stop(threads);
		if (!step(link))
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
	size_t commands = setup->script ? setup->script->count : 0, count = setup->place_count ? setup->place_count : 1;
	struct layout whole = *setup->layout, layouts[LAYOUT_TARGETS];
	/* All writes of a striped log may be in one device; flushes are commands of their own. */
	struct sim_setup device = {.params = setup->device, .seed = setup->seed,
		.commands = streams[MIX_LOG].depth + streams[MIX_CHECKPOINT].depth + workers,
		.timers = 8 * workers + (uint32_t)commands, .has_records = setup->has_device_records,
		.has_stations = setup->freeze.count || (commands && script_has_condition(setup->script)) ||
				(setup->policies && sim_policies_have_condition(setup->policies)),
		.is_checked = setup->is_array_checked, .begin_ns = BEGIN_NS, .policies = setup->policies};
	int rc = link ? 0 : -ENOMEM;

	(void)layout_divide(&whole, layout_target(setup->layout, count, MIX_CHECKPOINT) > 0, layouts);
	for (int i = 0; i < MIX_STREAMS; i++) {
		if (streams[i].depth && streams[i].block_bytes > device.command_bytes)
			device.command_bytes = streams[i].block_bytes;
	}
	for (size_t i = 0; i < count && !rc; i++) {
		struct linked_device *linked = &link->devices[i];

		linked->link = link;
		linked->layout = layouts[i];
		for (int k = 0; k < MIX_STREAMS; k++) {
			device.areas[k].begin = layouts[i].areas[k].begin;
			device.areas[k].bytes = layouts[i].areas[k].bytes;
			linked->result.is_used = linked->result.is_used || (streams[k].depth && layouts[i].areas[k].bytes);
		}
		device.host = (struct sim_host){linked, on_completion, on_timer};
		rc = sim_device_open(&device, &linked->device);
		link->count = i + 1;
	}
	if (rc) {
		diag_error(rc, "cannot simulate a device of %" PRIu64 " pages", sim_pages(setup->device));
		setup->link = link;
		simulate_close(setup);
		return DIAG_EXIT_HOST;
	}
	link->now_ns = BEGIN_NS;
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
	struct engine_device *devices = calloc(link->count, sizeof(*devices));

	if (!devices)
		return -ENOMEM;
	for (size_t i = 0; i < link->count; i++) {
		struct linked_device *linked = &link->devices[i];
		struct engine_device *device = &devices[i];
		uint64_t bus_ns, ways_ns;

		sum_busy(linked->device, setup->device->channels, &bus_ns, &ways_ns);
		*device = linked->result;
		device->totals = difference(sim_device_totals(linked->device), &linked->before);
		device->bus_busy_ns = bus_ns - linked->bus_before_ns;
		device->way_busy_ns = ways_ns - linked->ways_before_ns;
		device->policies = setup->policies;
		device->buses = setup->device->channels;
		device->ways = sim_dies(setup->device);
		device->broken = sim_device_check(linked->device);
		device->device = linked->device;
		linked->device = NULL;
	}
	result->device = devices;
	result->device_count = link->count;
	return 0;
}

void simulate_close(struct engine_setup *setup)
{
	for (size_t i = 0; setup->link && i < setup->link->count; i++)
		sim_device_close(setup->link->devices[i].device);
	free(setup->link);
	setup->link = NULL;
}

void engine_devices_free(struct engine_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sim_device_close(devices[i].device);
	free(devices);
}
