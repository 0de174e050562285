/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/active/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "common/kernel/swap.h"
#include "common/report/report.h"
#include "memtrace/active/burst.h"
#include "memtrace/active/family.h"

#define PIPE_BYTES (1 << 20)
#define BATCH 256
#define REFRESH_NS 250000000ull
#define REFRESH_PAUSE 9 /* pause after a refresh, as a multiple of its duration */
#define LATE_NS 1000000000ull /* actions that are later than this are skipped */
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

struct shared {
	_Atomic bool is_running;
	_Atomic uint64_t outs, stayed, bursts, steps, idle, no_page, no_address, stopped_ns, outs_asked, bursts_asked;
	_Atomic uint64_t page_ns; /* 0 = unknown */
	_Atomic int err;
};

struct sampler {
	struct sampler_rates rates;
	struct shared *shared;
	pid_t pid;
	int signal;
	int command_fd; /* the processes to sample are written to it; its end is the sampler's end */
	int sample_fd;
	struct trace_sample samples[BATCH]; /* samples read last */
};

/* --- requirements --- */

static bool has_capability(const char *root, unsigned number)
{
	uint64_t held;

	return !sysfs_read_field(root, "/proc/self/status", "CapEff", 16, &held) && held >> number & 1;
}

const char *sampler_pages_why_not(const char *root)
{
	struct swap_area areas[SWAP_AREAS];
	size_t count = 0;
	int err = swap_list(root, areas, SWAP_AREAS, &count);

	if (!err && !count)
		return "no swap is active, which this engine needs (run memtrace under with-pressure --swap=zram:1g)";
	if (!has_capability(root, CAP_SYS_NICE) || !has_capability(root, CAP_SYS_PTRACE))
		return "paging out another process's memory needs CAP_SYS_NICE and CAP_SYS_PTRACE; run as root";
	return NULL;
}

/* --- the sampling process --- */

struct state {
	struct sampler_rates rates;
	struct shared *shared;
	int command_fd, sample_fd;
	struct family *family;
	struct rng rng;
	struct burst burst;
	struct trace_sample batch[BATCH];
	size_t count;
	uint64_t flushed_ns;
	uint64_t took_ns; /* time of the program that the last action took */
};

static int write_samples(const struct state *state, const struct trace_sample *samples, size_t count)
{
	return report_write_all(state->sample_fd, (const char *)samples, count * sizeof(*samples));
}

static int flush(struct state *state)
{
	int err = write_samples(state, state->batch, state->count);

	state->count = 0;
	state->flushed_ns = clock_ns(CLOCK_MONOTONIC);
	return err;
}

/* Returns 1 at time_ns, 0 if memtrace has ended or wants the end, or -ENOMEM. */
static int wait_until(struct state *state, uint64_t time_ns)
{
	struct pollfd more = {.fd = state->command_fd, .events = POLLIN};

	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), left = time_ns > now ? time_ns - now : 0;
		struct timespec timeout = {(time_t)(left / 1000000000ull), (long)(left % 1000000000ull)};
		int ready = ppoll(&more, 1, &timeout, NULL), err;
		pid_t pid;

		if (ready <= 0)
			return !ready;
		if (read(state->command_fd, &pid, sizeof(pid)) != sizeof(pid))
			return 0;
		err = family_add(state->family, pid);
		if (err)
			return err;
	}
}

/* Pages out one page per call: of several, the first would be out before the call returns, which is the recorded time. */
static int page_out(struct state *state)
{
	struct family_page page;
	uint64_t begin, end, call_ns;
	bool is_resident;
	struct iovec range = {.iov_len = (size_t)sysconf(_SC_PAGESIZE)};

	state->shared->outs_asked++;
	if (family_pick_page(state->family, &state->rng, &page)) {
		state->shared->no_page++;
		return 0;
	}
	range.iov_base = (void *)(uintptr_t)page.address;
	begin = clock_ns(CLOCK_MONOTONIC);
	if (syscall(SYS_process_madvise, page.pid_fd, &range, 1ul, MADV_PAGEOUT, 0u) < 0)
		/* Any other error means that the process has ended, or unmapped or locked the page. */
		return errno == EPERM || errno == ENOSYS ? -errno : 0;
	end = clock_ns(CLOCK_MONOTONIC);
	call_ns = end - begin < UINT32_MAX / 2 ? end - begin : UINT32_MAX / 2;
	is_resident = family_is_resident(state->family, &page);
	state->batch[state->count++] = (struct trace_sample){.time_ns = end, .address = page.address,
		.tid = (uint32_t)page.pid, .kind = TRACE_OUT, .node = UINT8_MAX,
		.weight = (uint32_t)call_ns << 1 | is_resident};
	state->shared->outs++;
	state->shared->stayed += is_resident;
	/* Includes the fault that will follow. If another CPU is idle the call takes no time of the program. */
	state->took_ns = call_ns + state->shared->page_ns;
	return state->count == BATCH ? flush(state) : 0;
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* Waking a thread on another CPU takes several times as long. */
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static int step(struct state *state)
{
	cpu_set_t all;
	pid_t pid, tid;
	int cpu, steps;
	bool is_moved;
	uint64_t begin;

	if (family_pick_thread(state->family, &state->rng, &pid, &tid, &cpu)) {
		state->shared->idle++;
		return 0;
	}
	is_moved = cpu >= 0 && cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof(all), &all);
	if (is_moved)
		move_to(cpu);
	state->shared->bursts_asked++;
	begin = clock_ns(CLOCK_MONOTONIC);
	steps = burst_take(&state->burst, tid, state->rates.steps);
	state->took_ns = clock_ns(CLOCK_MONOTONIC) - begin;
	state->shared->stopped_ns += state->took_ns;
	if (is_moved)
		(void)sched_setaffinity(0, sizeof(all), &all);
	if (steps < 0)
		return steps == -ESRCH ? 0 : steps;
	state->shared->bursts++;
	state->shared->steps += (uint64_t)steps;
	state->shared->no_address = state->burst.no_address;
	for (size_t i = 0; i < state->burst.count; i++)
		state->burst.samples[i].node = UINT8_MAX;
	return write_samples(state, state->burst.samples, state->burst.count);
}

#define BEATS 3

struct beat {
	uint64_t interval_ns, next_ns; /* interval 0 = never */
	int (*act)(struct state *state);
	_Atomic uint64_t *asked; /* NULL = not counted */
	bool is_bounded; /* the action takes time of the program */
};

/* After an action that took d the program gets d * (1 - most) / most for itself, at any rate. */
static uint64_t due_ns(const struct beat *beat, uint64_t free_ns)
{
	return beat->is_bounded && beat->next_ns < free_ns ? free_ns : beat->next_ns;
}

static uint64_t interval_of(uint64_t hz)
{
	return hz ? 1000000000ull / hz : 0;
}

/* Random times around even ones keep the samples from following periodic work of the program. */
static void set_next(struct state *state, struct beat beats[BEATS], struct beat *first, uint64_t now)
{
	uint64_t late_ns;

	first->next_ns += first->interval_ns / 2 + rng_below(&state->rng, first->interval_ns + 1);
	if (first->next_ns + LATE_NS >= now)
		return;
	late_ns = now - first->next_ns;
	/* All bounded actions are skipped together, so that pages and bursts keep their ratio. */
	for (size_t i = 0; i < BEATS; i++) {
		struct beat *beat = &beats[i];

		if (beat->is_bounded != first->is_bounded || !beat->interval_ns)
			continue;
		if (beat->asked && state->shared->is_running && !state->rates.is_bounded)
			*beat->asked += late_ns / beat->interval_ns;
		beat->next_ns += late_ns;
	}
}

static int refresh(struct state *state)
{
	return family_refresh(state->family);
}

static int sample(struct state *state)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct beat beats[BEATS] = {{REFRESH_NS, now, refresh, NULL, false},
		{interval_of(state->rates.pages_hz), now, page_out, &state->shared->outs_asked, true},
		{interval_of(state->rates.bursts_hz), now, step, &state->shared->bursts_asked, true}};
	const double quiet = (1 - state->rates.most) / state->rates.most;
	uint64_t free_ns = now; /* from then on an action may take time of the program */
	int err = 0;

	while (!err) {
		struct beat *first = &beats[0];
		uint64_t begin, end;
		int is_time;

		for (size_t i = 1; i < BEATS; i++) {
			uint64_t due = due_ns(&beats[i], free_ns), least = due_ns(first, free_ns);

			/* Of two waiting actions the one that was due first is next. */
			if (beats[i].interval_ns && (due < least || (due == least && beats[i].next_ns < first->next_ns)))
				first = &beats[i];
		}
		is_time = wait_until(state, due_ns(first, free_ns));
		if (is_time <= 0) {
			err = is_time;
			break;
		}
		begin = clock_ns(CLOCK_MONOTONIC);
		state->took_ns = 0;
		/* New processes are followed even while sampling is stopped. */
		if (first == beats || state->shared->is_running)
			err = first->act(state);
		end = clock_ns(CLOCK_MONOTONIC);
		set_next(state, beats, first, end);
		/* With thousands of threads a refresh takes as long as its interval. */
		if (first == beats && first->next_ns < end + REFRESH_PAUSE * (end - begin))
			first->next_ns = end + REFRESH_PAUSE * (end - begin);
		if (first->is_bounded)
			free_ns = end + (uint64_t)((double)state->took_ns * quiet);
		if (!err && state->count && end - state->flushed_ns > REFRESH_NS / 2)
			err = flush(state);
	}
	return err ? err : flush(state);
}

static int run(struct state *state)
{
	pid_t pid;
	int err;

	/* Only the end of its descriptor ends this process. */
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "mt-step");
	(void)sysfs_write("", "/proc/self/oom_score_adj", "-1000");
	prctl(PR_SET_TIMERSLACK, 1000ul);
	if (read(state->command_fd, &pid, sizeof(pid)) != sizeof(pid))
		return 0;
	state->burst.end_fd = state->command_fd;
	rng_seed(&state->rng, clock_ns(CLOCK_MONOTONIC), (uint64_t)pid);
	err = family_new(pid, &state->family);
	if (!err)
		err = family_refresh(state->family);
	if (!err)
		err = sample(state);
	family_free(state->family);
	burst_free(&state->burst);
	return err == -ESRCH ? 0 : err;
}

/* --- memtrace --- */

int sampler_new(const struct sampler_rates *rates, struct sampler **sampler)
{
	struct sampler *new = calloc(1, sizeof(*new));
	struct state *state = calloc(1, sizeof(*state));
	int command[2] = {-1, -1}, samples[2] = {-1, -1}, err = new && state ? 0 : -ENOMEM;

	if (!err) {
		*new = (struct sampler){.rates = *rates, .command_fd = -1, .sample_fd = -1, .pid = -1};
		new->shared = mmap(NULL, sizeof(*new->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		err = new->shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, command) ||
		      pipe2(samples, O_CLOEXEC) ? -errno : 0;
	}
	if (!err) {
		/* A pipe has 64 KiB by default; a larger one needs permission. */
		(void)fcntl(samples[0], F_SETPIPE_SZ, PIPE_BYTES);
		new->pid = fork();
		err = new->pid < 0 ? -errno : 0;
	}
	if (!err && !new->pid) {
		close(command[1]);
		close(samples[0]);
		*state = (struct state){.rates = *rates, .shared = new->shared, .command_fd = command[0], .sample_fd = samples[1]};
		new->shared->err = run(state);
		_exit(0);
	}
	if (command[0] >= 0)
		close(command[0]);
	if (samples[1] >= 0)
		close(samples[1]);
	free(state);
	if (new) {
		new->command_fd = command[1];
		new->sample_fd = samples[0];
	}
	if (!err && (fcntl(new->sample_fd, F_SETFL, O_NONBLOCK) || fcntl(new->command_fd, F_SETFL, O_NONBLOCK)))
		err = -errno;
	if (err) {
		sampler_free(new);
		return err;
	}
	*sampler = new;
	return 0;
}

/* Sends without SIGPIPE, which would end memtrace without a message: sampler_end reports why the process ended. */
static bool send_process(const struct sampler *sampler, pid_t pid)
{
	return send(sampler->command_fd, &pid, sizeof(pid), MSG_NOSIGNAL) == sizeof(pid);
}

int sampler_begin(struct sampler *sampler, pid_t pid)
{
	return send_process(sampler, pid) ? 0 : -errno;
}

void sampler_follow(struct sampler *sampler, pid_t pid)
{
	/* If the socket is full, a refresh may find the process as a child of a known one. */
	(void)send_process(sampler, pid);
}

void sampler_pause(struct sampler *sampler)
{
	sampler->shared->is_running = false;
}

void sampler_resume(struct sampler *sampler)
{
	sampler->shared->is_running = true;
}

void sampler_set_page_cost(struct sampler *sampler, uint64_t cost_ns)
{
	sampler->shared->page_ns = cost_ns;
}

int sampler_drain(struct sampler *sampler, struct trace_writer *writer, unsigned cpu)
{
	struct trace_sample *samples = sampler->samples;

	for (;;) {
		/* Whole samples are written, but a full pipe accepts a part. */
		ssize_t bytes = read(sampler->sample_fd, samples, sizeof(sampler->samples));
		int err = 0;

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return !bytes || errno == EAGAIN ? 0 : -errno;
		for (size_t rest = (size_t)bytes % sizeof(*samples); rest && rest < sizeof(*samples);) {
			struct pollfd more = {.fd = sampler->sample_fd, .events = POLLIN};
			ssize_t got;

			if (poll(&more, 1, -1) < 0 && errno != EINTR)
				return -errno;
			got = read(sampler->sample_fd, (char *)samples + bytes, sizeof(*samples) - rest);
			/* The writer ended in the middle of a sample. */
			if (!got)
				break;
			bytes += got > 0 ? got : 0;
			rest += got > 0 ? (size_t)got : 0;
		}
		for (size_t i = 0; i < (size_t)bytes / sizeof(*samples) && !err; i++) {
			samples[i].cpu = (uint16_t)cpu;
			err = trace_write_sample(writer, &samples[i]);
		}
		if (err)
			return err;
	}
}

static void wait_end(struct sampler *sampler)
{
	int status = 0;

	while (sampler->pid > 0 && waitpid(sampler->pid, &status, 0) < 0 && errno == EINTR)
		;
	sampler->pid = -1;
	sampler->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int sampler_end(struct sampler *sampler, struct trace_writer *writer, unsigned cpu)
{
	int err;

	close(sampler->command_fd);
	sampler->command_fd = -1;
	/* Reads block now, until the process has closed its end. */
	(void)fcntl(sampler->sample_fd, F_SETFL, 0);
	err = sampler_drain(sampler, writer, cpu);
	if (!err)
		wait_end(sampler);
	return err;
}

void sampler_counts(const struct sampler *sampler, struct sampler_counts *counts)
{
	const struct shared *shared = sampler->shared;

	*counts = (struct sampler_counts){.outs = shared->outs, .stayed = shared->stayed, .bursts = shared->bursts,
		.steps = shared->steps, .idle = shared->idle, .no_page = shared->no_page, .no_address = shared->no_address,
		.stopped_ns = shared->stopped_ns, .outs_asked = shared->outs_asked, .bursts_asked = shared->bursts_asked,
		.err = shared->err, .signal = sampler->signal};
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->command_fd >= 0)
		close(sampler->command_fd);
	if (sampler->sample_fd >= 0)
		close(sampler->sample_fd);
	wait_end(sampler);
	if (sampler->shared && sampler->shared != MAP_FAILED)
		munmap(sampler->shared, sizeof(*sampler->shared));
	free(sampler);
}
