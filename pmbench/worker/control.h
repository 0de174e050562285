/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that the coordinator shares with the measuring processes: one command word, and for each thread a
 * slot of whole pages. The coordinator touches and locks it before the measurement, so that it is
 * neither charged to the job's cgroup nor paged out. It outlives the job, so that the counts of a killed run are kept.
 */
#ifndef PMBENCH_WORKER_CONTROL_H
#define PMBENCH_WORKER_CONTROL_H

#include "common/host/contention.h"
#include "pmbench/access/access.h"
#include "pmbench/access/kernel_split.h"
#include "pmbench/plan/plan.h"

enum control_command { CONTROL_PREPARE, CONTROL_WARM, CONTROL_RUN, CONTROL_UNMAP, CONTROL_EXIT };
enum control_state { THREAD_STARTING, THREAD_READY, THREAD_WARM, THREAD_DONE, THREAD_UNMAPPED, THREAD_FAILED };

struct control_phase {
	uint64_t accesses, minor, major;
	uint64_t begin_ticks, end_ticks;
};

/* Status of a thread. The thread writes it; the coordinator reads it when `state` allows it. */
struct control_status {
	uint32_t state; /* enum control_state, stored last, with release order */
	uint32_t stop;  /* set by the coordinator: the thread must end now */
	int32_t error;  /* of THREAD_FAILED, -errno */
	char failed_at[60];
	uint64_t draw_ticks, draws;
	uint64_t warm_ticks, warm_accesses;
	uint32_t is_warmup_cut;       /* its time limit ended the warm-up before all accesses of the pattern */
	uint64_t init_ns;
	uint64_t begin_ticks, end_ticks, accesses;
	uint64_t kernel_minor, kernel_major, classified_minor, classified_major;
	int64_t inexact;
	struct pm_map_file_values file; /* with --map file:; set by a process's first thread */
	uint64_t huge_bytes;          /* with --thp: bytes of the map in huge pages when the window began or ended */
	uint64_t zero_pages;
	uint32_t has_zero_pages, is_locked;
	uint64_t locked_pages;
	struct contention contention; /* over the window */
	uint32_t process_id;          /* in the coordinator's /proc; 0 = unknown; set by a process's first thread */
	uint32_t was_continued;       /* a SIGCONT came in the window; set by a process's first thread */
	uint32_t phases_done;
	struct control_phase phases[OPTIONS_PHASES];
	struct kernel_split_summary split;
};

struct control_slot {
	struct access_page page[ACCESS_CLASSES];
	struct access_slow slow;
	struct control_status status;
	char pad[2 * KEEP_PAGE_BYTES -
		(sizeof(struct access_slow) + sizeof(struct control_status)) % (2 * KEEP_PAGE_BYTES)];
};
_Static_assert(sizeof(struct control_slot) % KEEP_PAGE_BYTES == 0, "slots are whole pages");

struct control {
	/* Pointers into the shared memory: */
	uint32_t *command; /* enum control_command, a futex */
	struct control_slot *slots;
	struct access_hdr *hdr; /* [thread][ACCESS_CLASSES], NULL = none */
	/* Private to each process: */
	size_t count;  /* threads of all processes */
	int proc_fd;   /* /proc as the coordinator sees it, in a PID namespace, too; -1 = none */
	int done_fd;   /* an eventfd, written when a thread is done or lost */
	void *base;
	size_t bytes;
	bool is_locked;
};

/* Maps the shared memory and tries to lock it (is_locked). Returns 0 or -errno. */
int control_open(struct control *control, size_t threads, bool wants_hdr);
void control_close(struct control *control);

/* Sets the command word and wakes all threads that wait for it. */
void control_order(struct control *control, enum control_command command);
/* Called by a worker: sleeps until the command is at least this. */
void control_await(const struct control *control, enum control_command command);
void control_set_state(struct control_slot *slot, enum control_state state);
enum control_state control_get_state(const struct control_slot *slot);
/* Ends a thread's loop at once, or as soon as it begins. */
void control_stop(struct control_slot *slot);
/* Called by the thread: sets its deadline, or 0 if it was ordered to stop. */
void control_set_deadline(struct control_slot *slot, uint64_t ticks);

static inline struct access_hdr *control_hdr(const struct control *control, size_t thread, enum access_class class)
{
	return control->hdr ? &control->hdr[thread * ACCESS_CLASSES + class] : NULL;
}

#endif
