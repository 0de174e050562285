/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/worker/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/base/sysfs.h"
#include "pmbench/memory/lock.h"
#include "pmbench/memory/mapping.h"
#include "pmbench/memory/placement.h"

#define STACK_BYTES (256 * 1024)

/* One process and its threads, on the main stack of the process. */
struct process {
	const struct worker_job *job;
	const struct plan_process *plan;
	unsigned index;
	struct mapping mapping;
	struct worker_thread *threads;
	unsigned started;
};

static struct control_slot *slot_of(const struct process *process, unsigned thread)
{
	return &process->job->control->slots[process->plan->first + thread];
}

static void process_fail(const struct process *process, int err, const char *what)
{
	for (unsigned i = 0; i < process->plan->threads; i++) {
		struct control_slot *slot = slot_of(process, i);

		slot->status.error = err;
		snprintf(slot->status.failed_at, sizeof(slot->status.failed_at), "%s", what);
		control_set_state(slot, THREAD_FAILED);
	}
}

static int start_threads(struct process *process)
{
	const struct worker_job *job = process->job;
	pthread_attr_t attributes;
	int err = 0;

	process->threads = calloc(process->plan->threads, sizeof(*process->threads));
	if (!process->threads)
		return -ENOMEM;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned i = 0; i < process->plan->threads && !err; i++) {
		struct worker_thread *thread = &process->threads[i];

		*thread = (struct worker_thread){.job = job, .process = process->index, .number = i,
			.mapping = &process->mapping};
		err = -pthread_create(&thread->handle, &attributes, worker_thread_main, thread);
		process->started += !err;
	}
	pthread_attr_destroy(&attributes);
	return err;
}

static int place_memory(const struct process *process)
{
	struct placement_request placement = process->job->plan->options->placement;

	if (*process->plan->nodes && placement.policy == PLACEMENT_DEFAULT) {
		placement.policy = PLACEMENT_BIND;
		snprintf(placement.nodes, sizeof(placement.nodes), "%s", process->plan->nodes);
	}
	return placement_apply_memory(&placement);
}

static int open_map(struct process *process)
{
	const struct pmbench_plan *plan = process->job->plan;
	const struct pmbench_options *options = plan->options;
	bool is_filled = options->mapping.content != CONTENT_NONE;
	struct mapping_request request = options->mapping;
	struct mapping *mapping = &process->mapping;
	uint64_t init_ns;
	int err = place_memory(process);

	if (err)
		return err;
	request.is_in_order = true;
	for (unsigned i = 0; i < plan->phase_count; i++)
		request.is_in_order = request.is_in_order && plan->phases[i].pattern.kind == PATTERN_LINEAR;
	err = mapping_open(&request, process->plan->map_bytes, options->ratio < 100 || is_filled, mapping);
	if (err)
		return err;
	/* Resident pages are counted before any page is touched. */
	if (request.kind == MAPPING_FILE)
		slot_of(process, 0)->status.file = (struct pm_map_file_values){
			.was_there = !mapping->is_unlinked,
			.read_ahead_kb = mapping_read_ahead_kb("", mapping),
			.file_pages = mapping->mapped_bytes / (size_t)sysconf(_SC_PAGESIZE),
			.resident_before_pages = mapping_cached_pages(mapping),
		};
	init_ns = ticks_perfc();
	mapping_fill(mapping, plan->seed + process->index);
	init_ns = is_filled ? ticks_perfc() - init_ns : 0;
	for (unsigned i = 0; i < process->plan->threads; i++)
		slot_of(process, i)->status.init_ns = init_ns;
	return 0;
}

static void count_pages(const struct process *process)
{
	struct control_status *status = &slot_of(process, 0)->status;
	uint64_t pages, huge_bytes = process->mapping.request.wants_thp ? mapping_huge_bytes(&process->mapping) : 0;

	/* A map without content and warm-up has no huge pages before the run. */
	status->huge_bytes = huge_bytes > status->huge_bytes ? huge_bytes : status->huge_bytes;
	if (!mapping_zero_pages(&process->mapping, process->plan->set_bytes, &pages)) {
		status->zero_pages = pages;
		status->has_zero_pages = 1;
	}
	status->locked_pages = lock_count_pages();
}

/* Creates the threads before everything is locked and before the map exists: their stacks are then locked, but not the map. */
static int run_process(const struct worker_job *job, unsigned index)
{
	struct process process = {.job = job, .plan = &job->plan->process[index], .index = index};
	struct control_status *status = &slot_of(&process, 0)->status;
	char name[16] = "";
	int err;

	contention_expect_stops();
	/* In a PID namespace of its own, neither getpid() nor its /proc has the id that the coordinator sees. */
	if (readlinkat(job->control->proc_fd, "self", name, sizeof(name) - 1) > 0)
		status->process_id = (uint32_t)strtoul(name, NULL, 10);
	err = start_threads(&process);
	if (err) {
		process_fail(&process, err, "starting threads");
		return 1;
	}
	status->is_locked = !lock_infrastructure() && job->control->is_locked;
	err = open_map(&process);
	if (err) {
		process_fail(&process, err, "mapping the memory under test");
		return 1;
	}
	for (unsigned i = 0; i < process.started; i++)
		worker_thread_release(&process.threads[i]);
	for (unsigned i = 0; i < process.started; i++)
		pthread_join(process.threads[i].handle, NULL);
	count_pages(&process);
	control_await(job->control, CONTROL_UNMAP);
	mapping_close(&process.mapping);
	for (unsigned i = 0; i < process.started; i++)
		control_set_state(slot_of(&process, i), THREAD_UNMAPPED);
	control_await(job->control, CONTROL_EXIT);
	return 0;
}

/* Stops the run when a process has died with its map: its threads can no longer store their state, and the run is not the planned
 * one without them. The other threads end, and the coordinator wakes. */
static void note_loss(const struct worker_job *job, unsigned index, int wait_status)
{
	const uint64_t one = 1;
	const struct process lost = {.job = job, .plan = &job->plan->process[index], .index = index};

	for (unsigned i = 0; i < lost.plan->threads; i++) {
		struct control_slot *slot = slot_of(&lost, i);
		enum control_state state = control_get_state(slot);

		if (state < THREAD_DONE)
			snprintf(slot->status.failed_at, sizeof(slot->status.failed_at), "process %u was killed by signal %d",
				index + 1, WTERMSIG(wait_status));
		if (state < THREAD_UNMAPPED)
			control_set_state(slot, state == THREAD_DONE ? THREAD_UNMAPPED : THREAD_FAILED);
	}
	for (size_t i = 0; i < job->control->count; i++)
		control_stop(&job->control->slots[i]);
	if (write(job->control->done_fd, &one, sizeof(one)) < 0)
		return;
}

int worker_run_job(void *argument)
{
	const struct worker_job *job = argument;
	pid_t pids[PLAN_PROCESSES_MAX], parent = getpid(), pid;
	bool all_well = true;
	int status;

	/* Without this the process has the name of its parent, the keeper. */
	prctl(PR_SET_NAME, "pmbench");
	/* The coordinator handles signals to the foreground process group. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* If memory runs out, the kernel should kill this process first; raising the score needs no privilege. */
	(void)sysfs_write("", "/proc/self/oom_score_adj", "1000");
	if (job->plan->processes == 1)
		return run_process(job, 0);
	for (unsigned i = 0; i < job->plan->processes; i++) {
		pids[i] = fork();
		if (pids[i] < 0) {
			const struct process failed = {.job = job, .plan = &job->plan->process[i], .index = i};

			process_fail(&failed, -errno, "starting a process");
		} else if (!pids[i]) {
			/* Each child dies with this process; the check of the parent covers one that died before the call. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(getppid() == parent ? run_process(job, i) : 1);
		}
	}
	while ((pid = wait(&status)) > 0) {
		all_well = all_well && status == 0;
		for (unsigned i = 0; i < job->plan->processes && WIFSIGNALED(status); i++) {
			if (pids[i] == pid)
				note_loss(job, i, status);
		}
	}
	return all_well ? 0 : 1;
}
