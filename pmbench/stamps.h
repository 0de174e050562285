/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the kernel began and ended to handle the calling thread's last fault. Three BPF programs of six instructions
 * hang on the thread's own perf software events and write the clock into a page that the thread sees: page-faults
 * fires as soon as the exception handler may be interrupted again, minor-faults and major-faults at the end of
 * handle_mm_fault().
 *
 * No tracepoint: what page_fault_user adds over page-faults is less than the stamp itself costs, it would run one
 * program per measuring thread in every thread's faults, and only x86 has it.
 */
#ifndef PMBENCH_STAMPS_H
#define PMBENCH_STAMPS_H

#include <stddef.h>
#include <stdint.h>

enum stamps_at { STAMPS_BEGIN, STAMPS_END_MINOR, STAMPS_END_MAJOR, STAMPS };

struct stamps {
	int map_fd;
	int event_fd[STAMPS];
	uint64_t *ns; /* [STAMPS] of CLOCK_MONOTONIC, written by the kernel; 0 = never */
};

/* For the calling thread; nothing is stamped before stamps_begin. Needs CAP_BPF and CAP_PERFMON and Linux 5.5. 0, or
 * -errno and why in reason. */
int stamps_open(struct stamps *stamps, char *reason, size_t reason_length);
int stamps_begin(const struct stamps *stamps);
int stamps_end(const struct stamps *stamps);
void stamps_close(struct stamps *stamps);

static inline uint64_t stamps_read(const struct stamps *stamps, enum stamps_at at)
{
	return __atomic_load_n(&stamps->ns[at], __ATOMIC_RELAXED);
}

#endif
