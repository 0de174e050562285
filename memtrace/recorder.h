/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page-fault records of a process and all that it starts: a ring for each CPU, drained into a trace file.
 *
 * Each CPU has three events in one ring. A dummy event delivers mappings, names, forks and, at each context switch, the
 * thread; so a fault needs only its time and address, the fewest fields that the kernel can write (time 24 bytes). Major
 * faults have an identifier as well, by which their records are longer: the length tells the two kinds.
 */
#ifndef MEMTRACE_RECORDER_H
#define MEMTRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/trace_file.h"

struct recorder;

/* pid: a process of one thread, which waits before its exec: events begin there. ring_bytes: of each CPU, halved down to
 * 64 KiB while the kernel refuses to lock so much. 0 or -errno, and in reason one line for people. */
int recorder_open(pid_t pid, uint64_t ring_bytes, struct recorder **recorder, char *reason, size_t length);
/* Whether faults that the kernel takes for the process (read(2) into new memory) are recorded: not when
 * kernel.perf_event_paranoid forbids it. */
bool recorder_sees_kernel(const struct recorder *recorder);
unsigned recorder_cpus(const struct recorder *recorder);
uint64_t recorder_ring_bytes(const struct recorder *recorder);
/* Ends all events: 0 or -errno. */
int recorder_end(struct recorder *recorder);
/* Waits until a ring is half full, fd is readable or the time is over; then takes all records. 0 or -errno. */
int recorder_drain(struct recorder *recorder, struct trace_writer *writer, int fd, int timeout_ms);
/* Writes what was lost or discarded so far as TRACE_LOST events. */
int recorder_write_losses(struct recorder *recorder, struct trace_writer *writer);
const uint64_t *recorder_losses(const struct recorder *recorder); /* by enum trace_loss */
void recorder_close(struct recorder *recorder);

#endif
