/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's threads that work for an io_uring: io-wq's workers and the one that polls for submissions. They are threads
 * of the process, and their processor time is in no thread's of its own.
 */
#ifndef SSD_WORKLOADS_BACKEND_KERNEL_THREADS_H
#define SSD_WORKLOADS_BACKEND_KERNEL_THREADS_H

#include <stdint.h>
#include <sys/types.h>

/* The thread that submits for this ring; 0 = there is none, or it cannot be seen. */
pid_t kernel_threads_poller(int ring_fd);
/* ns of user and system time of a thread of this process; 0 = there is no such thread. */
uint64_t kernel_threads_cpu(pid_t thread);
/* Of io-wq's workers of this thread that still live (they end after five idle seconds), as far as their names say whom they
 * work for: in a PID namespace of its own they do not. */
uint64_t kernel_threads_workers_cpu(pid_t owner);

#endif
