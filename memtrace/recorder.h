/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of a command, a process or the whole machine: a ring for each CPU, drained into a trace file by one thread.
 *
 * In each ring a dummy event delivers mappings, names, forks and, at each context switch, the thread; so a page fault of a command
 * needs only its time and address, the fewest fields that the kernel can write (24 bytes). Its two kinds are told by the length of
 * the record: major faults have an identifier as well. The other engines' samples name their thread.
 *
 * Times are of perf's clock, the cheapest; with engines that page out, step or scan CLOCK_MONOTONIC, which their process can
 * read, too.
 */
#ifndef MEMTRACE_RECORDER_H
#define MEMTRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/engine.h"
#include "memtrace/trace_file.h"

struct recorder;

enum recorder_target {
	RECORDER_COMMAND, /* pid: a process of one thread, which waits before its exec: events begin there */
	RECORDER_PROCESS, /* pid: a process that runs: its threads, and what they start */
	RECORDER_SYSTEM,  /* all processes */
};

struct recorder_request {
	enum recorder_target target;
	pid_t pid;
	const struct engine_choice *choice; /* outlives the recorder */
	uint64_t ring_bytes; /* of each CPU, halved down to 64 KiB while the kernel refuses to lock so much */
	int listen_fd;       /* of an engine that scans: writes_listen; stays the caller's */
	bool is_paused;      /* no samples before recorder_resume */
};

/* 0 or -errno, and in reason one line for people. */
int recorder_open(const struct recorder_request *request, struct recorder **recorder, char *reason, size_t length);
/* That samples are written of, by trace_writer_open: those of the machine, and one for what is paged out or stepped. */
unsigned recorder_cpus(const struct recorder *recorder);
uint64_t recorder_ring_bytes(const struct recorder *recorder);
/* Writes the mappings and threads of what runs already, then starts its events; a command's start with its exec. */
int recorder_begin(struct recorder *recorder, struct trace_writer *writer, uint64_t time_ns);
/* Ends all events; what its process has sampled is written. 0 or -errno. */
int recorder_end(struct recorder *recorder, struct trace_writer *writer);
/* Stops sampling for a while, and goes on; mappings are followed all the time. 0 or -errno. */
int recorder_pause(struct recorder *recorder);
int recorder_resume(struct recorder *recorder);
/* Waits until a ring is half full, one of the descriptors is readable (-1 = none) or the time is over; then takes all records.
 * 0 or -errno. */
int recorder_drain(struct recorder *recorder, struct trace_writer *writer, const int fds[2], int timeout_ms);
/* Writes what was lost or discarded so far as TRACE_LOST events. */
int recorder_write_losses(struct recorder *recorder, struct trace_writer *writer);
const uint64_t *recorder_losses(const struct recorder *recorder); /* by enum trace_loss */
/* False: the engine neither pages out nor steps nor scans. */
bool recorder_sampled(const struct recorder *recorder, struct sampler_counts *counts);
void recorder_close(struct recorder *recorder);

#endif
