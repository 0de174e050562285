/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording on disk: one file, little-endian, append-only, readable wherever it is cut off.
 *
 * It begins with the 8 bytes "memtrace", the format's version and the length of the header as u32, the CRC-32 of the header
 * as u32, and the header: lines "NAME<tab>VALUE". Blocks follow, each with a head of 40 bytes: the 4 bytes "MTB1", kind and
 * flags as u8 (1: the payload is a frame of zstd), the CPU as u16, the length of the payload (at most 64 KiB, in the frame,
 * too), the number of items and the first thread as u32,
 * 4 bytes of zeros, the first time as u64, the CRC-32 of the payload and that of the head so far as u32.
 *
 * Integers of a payload are LEB128; signed ones are zigzag. A sample is a tag (bits 0 to 2: enum trace_kind; bit 3: an
 * instruction pointer follows, bit 4: a weight, bit 5: a data source, bit 6: a NUMA node), the signed differences of time
 * and address to the sample before it in the block (of the first: to the head's time, and to 0), and what the tag says. A
 * tag of 7 is no sample: the thread of the samples that follow comes after it. An item of a block of events is a type, the
 * signed difference of its time, process and thread, four integers and a text with its length; enum trace_event_type says
 * what they mean.
 */
#ifndef MEMTRACE_TRACE_FILE_H
#define MEMTRACE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_VERSION 1
#define TRACE_HEADER_MAX (64 << 10)
#define TRACE_PAYLOAD_MAX (64 << 10)
#define TRACE_TEXT_MAX 4096 /* bytes of an event's text, NUL included */

/* ACCESS: a load or a store, the engine does not tell; UPDATE: both by one instruction; OUT: no access, memtrace has paged this
 * page out: the time is that after the call, the weight twice the ns that it took, plus 1 if the page was resident right after it.
 * New kinds and losses come last. */
enum trace_kind { TRACE_ACCESS, TRACE_LOAD, TRACE_STORE, TRACE_MINOR_FAULT, TRACE_MAJOR_FAULT, TRACE_UPDATE, TRACE_OUT,
	TRACE_KINDS };
const char *trace_kind_name(enum trace_kind kind); /* "load", "minor" */

static inline bool trace_is_load(unsigned kind)
{
	return kind == TRACE_LOAD || kind == TRACE_UPDATE;
}

static inline bool trace_is_store(unsigned kind)
{
	return kind == TRACE_STORE || kind == TRACE_UPDATE;
}

struct trace_sample {
	uint64_t time_ns; /* the recording's clock */
	uint64_t address;
	uint64_t ip;      /* 0 = not recorded */
	uint32_t tid;
	uint16_t cpu;
	uint8_t kind;     /* enum trace_kind */
	uint8_t node;     /* UINT8_MAX = not recorded */
	uint32_t weight;  /* latency as the engine has it; 0 = not recorded */
	uint64_t source;  /* perf_mem_data_src; 0 = not recorded */
};

enum trace_event_type {
	TRACE_MAP = 1, /* value: address, bytes, offset in the file, PROT_* | TRACE_MAP_*; text: the file, "//anon", "[stack]" */
	TRACE_COMM,    /* value[0]: 1 after exec; text: the name */
	TRACE_FORK,    /* value: the parent's process and thread */
	TRACE_EXIT,
	TRACE_MARK,    /* text: the name of the phase that begins */
	TRACE_LOST,    /* value: how many, enum trace_loss */
	TRACE_END,     /* value[0]: wait status of the command; the recording is complete */
	TRACE_PAUSE,   /* no samples are taken from here until TRACE_RESUME; a recording without either samples all the time */
	TRACE_RESUME,
	/* value: first address, bytes, bytes of an element or 0, where an allocation's call returns to or 0; text: the name, of
	 * an allocation none. A process of 0: any. */
	TRACE_NAME,
	TRACE_FORGET,  /* text: the name that nothing has any longer; without a text value: first address, bytes that have none */
};

/* Why samples are missing or were discarded. */
enum trace_loss {
	TRACE_LOST_BY_KERNEL,
	TRACE_THROTTLED,     /* times that the kernel stopped sampling for a while */
	TRACE_NO_ADDRESS,    /* a memory operation whose address cannot be computed: segments, vector indices */
	TRACE_NO_THREAD,
	TRACE_NOT_MEMORY,    /* the instruction accesses no memory */
	TRACE_CLOBBERED,     /* a load that overwrote the register its address came from */
	TRACE_BRANCH_TARGET, /* the instruction that ran before is not known: behind a call or a jump, where a function begins */
	TRACE_NO_CODE,       /* no table of functions for the code that ran there */
	TRACE_OUTSIDE,       /* the address is in no mapping */
	TRACE_PRIVILEGE,     /* of the kernel, where the user's accesses were asked for, or the reverse */
	TRACE_COLLISION,     /* pieces of an AUX area in which the processor has dropped samples, since two met */
	TRACE_LOSSES
};
const char *trace_loss_name(enum trace_loss loss); /* for people: "lost by the kernel" */

struct trace_event {
	uint64_t time_ns;
	uint32_t pid, tid;
	uint8_t type; /* enum trace_event_type */
	uint64_t value[4];
	const char *text; /* "" = none; of the reader's: until the next item */
};

/* --- writing --- */

struct trace_writer;

/* Writes the magic and the header to fd, which stays the caller's. header: "NAME\tVALUE\n" lines, up to TRACE_HEADER_MAX.
 * 0 or -errno; -E2BIG for a longer header. */
int trace_writer_open(int fd, const char *header, unsigned cpus, struct trace_writer **writer);
/* Compresses the blocks that follow, where that makes them shorter. 0 or -ENOMEM. */
int trace_writer_compress(struct trace_writer *writer);
/* Of each CPU in the order of its ring; cpu < cpus. Both buffer: 0 or -errno, after which the file is cut off there. */
int trace_write_sample(struct trace_writer *writer, const struct trace_sample *sample);
int trace_write_event(struct trace_writer *writer, const struct trace_event *event);
/* Writes what is buffered: 0 or -errno. */
int trace_writer_flush(struct trace_writer *writer);
uint64_t trace_writer_samples(const struct trace_writer *writer);
uint64_t trace_writer_bytes(const struct trace_writer *writer);
void trace_writer_close(struct trace_writer *writer); /* without flushing */

/* --- reading --- */

struct trace_reader;

/* 0 or -errno: -EBADMSG not a recording, or a broken header; -ENOTSUP a newer version. Nothing that a file says makes it
 * use more than some 500 KiB of memory. */
int trace_reader_open(const char *path, struct trace_reader **reader);
/* A value of the header, or NULL. */
const char *trace_header(const struct trace_reader *reader, const char *name);

enum trace_item { TRACE_ITEM_NONE, TRACE_ITEM_SAMPLE, TRACE_ITEM_EVENT };
/* The next item: samples in the order of each CPU's ring, not sorted across CPUs. NONE at the end, or where the file cannot
 * be read any more. */
enum trace_item trace_next(struct trace_reader *reader, struct trace_sample *sample, struct trace_event *event);
/* The next event; blocks of samples are passed over, and counted as their heads say. False at the end. */
bool trace_next_event(struct trace_reader *reader, struct trace_event *event);
/* Of the blocks of samples that were passed over: how many samples, and the least time that one begins with. */
uint64_t trace_passed(const struct trace_reader *reader, uint64_t *first_ns);
/* Begins anew. 0 or -errno. */
int trace_rewind(struct trace_reader *reader);
/* After NONE: bytes at the end that belong to no whole block; 0 = the file ends with a block. err: why, or 0 = cut off. */
uint64_t trace_unread_bytes(const struct trace_reader *reader, int *err);
void trace_reader_close(struct trace_reader *reader);

#endif
