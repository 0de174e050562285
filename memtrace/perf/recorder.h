/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recorder of a command, a process or the whole machine: one ring per CPU, drained into a trace file by one thread.
 *
 * In each ring a dummy event delivers mappings, names, forks and, at each context switch, the thread; so a page fault of a command
 * needs only its time and address, the fewest fields that the kernel can write (24 bytes). Minor and major faults are distinguished
 * by the length of the record: major faults have an identifier as well. The other engines' samples have their thread.
 *
 * Times are those of perf's clock, the cheapest; engines that page out or step use CLOCK_MONOTONIC, which the sampler's
 * process can read as well.
 */
#ifndef MEMTRACE_PERF_RECORDER_H
#define MEMTRACE_PERF_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/file/trace_file.h"
#include "memtrace/perf/cost.h"
#include "memtrace/perf/engine.h"
#include "memtrace/perf/recorder_request.h"

struct recorder;

/* Returns 0 or -errno, and then a message of one line in reason. */
int recorder_open(const struct recorder_request *request, struct recorder **recorder, char *reason, size_t length);
/* Returns the number of CPUs for trace_writer_open: those of the machine, and one for the sampler. */
unsigned recorder_cpus(const struct recorder *recorder);
uint64_t recorder_ring_bytes(const struct recorder *recorder);
/* Writes the mappings and threads of running processes, then enables the events; those of a command start at its exec. Returns 0
 * or -errno. */
int recorder_begin(struct recorder *recorder, struct trace_writer *writer, uint64_t time_ns);
/* Disables all events, and writes the remaining samples of the sampler's process. Returns 0 or -errno. */
int recorder_end(struct recorder *recorder, struct trace_writer *writer);
/* Stop and continue sampling; mappings are followed all the time. Return 0 or -errno. */
int recorder_pause(struct recorder *recorder);
int recorder_resume(struct recorder *recorder);
/* Waits until a ring is half full, one of the descriptors is readable (-1 = none) or timeout_ms have passed; then processes all
 * records. Returns 0 or -errno. */
int recorder_drain(struct recorder *recorder, struct trace_writer *writer, const int fds[2], int timeout_ms);
/* States how many samples an engine that takes them at known times should have had, and how many were written; for burst, how
 * many bursts. Must be called before recorder_write_losses. */
void recorder_expect(struct recorder *recorder, uint64_t samples, uint64_t asked);
/* Fills in the costs of bursts and refaults so far; others are 0. */
void recorder_costs(const struct recorder *recorder, struct cost costs[TRACE_COSTS]);
/* Writes the numbers of samples lost or discarded so far as TRACE_LOST events. Returns 0 or -errno. */
int recorder_write_losses(struct recorder *recorder, struct trace_writer *writer);
const uint64_t *recorder_losses(const struct recorder *recorder); /* by enum trace_loss */
const uint64_t *recorder_recovered(const struct recorder *recorder); /* by enum trace_recovery; NULL = the engine has none */
/* Returns false if the engine neither pages out nor steps. */
bool recorder_sampled(const struct recorder *recorder, struct sampler_counts *counts);
void recorder_close(struct recorder *recorder);

#endif
