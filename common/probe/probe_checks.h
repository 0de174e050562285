/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of common/probe/probe_*.c and their system calls. */
#ifndef COMMON_PROBE_PROBE_CHECKS_H
#define COMMON_PROBE_PROBE_CHECKS_H

#include "common/probe/probe_answer.h"

extern const struct probe_hooks probe_real_hooks;

typedef void probe_check_fn(const struct probe_host *host, struct probe_answer *answer);
probe_check_fn probe_time_source, probe_page_size, probe_memory, probe_thp, probe_hugetlb, probe_numa, probe_memlock;
probe_check_fn probe_privilege, probe_pid_namespace, probe_memory_cgroup, probe_swap, probe_zram, probe_loop, probe_swap_file;
probe_check_fn probe_cpu_quota, probe_io_limit;
probe_check_fn probe_io_uring, probe_io_uring_deferred, probe_o_direct;
probe_check_fn probe_dirty_thresholds, probe_io_throttle, probe_cold_memory;
probe_check_fn probe_perf_paranoid, probe_perf_faults, probe_perf_cycles, probe_memory_trace, probe_tracefs;
probe_check_fn probe_perf_mlock, probe_ptrace_scope, probe_lockdown, probe_process_madvise;

#endif
