/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording on disk: one file, little-endian, append-only, and readable wherever it is truncated.
 *
 * It begins with the 8 bytes "memtrace", the format's version and the length of the header as u32, the CRC-32 of the header as u32,
 * and the header: lines "NAME<tab>VALUE". Blocks follow. Each begins with a head of 40 bytes: the 4 bytes "MTB1", kind and flags as
 * u8 (1: the payload is a frame of zstd), the CPU as u16, the length of the payload (at most 64 KiB, also in the frame), the number
 * of items and the first thread as u32, 4 bytes of zeros, the first time as u64, the CRC-32 of the payload and that of the
 * preceding bytes of the head as u32.
 *
 * Integers of a payload are LEB128; signed ones are zigzag. A sample is a tag (bits 0 to 2: enum trace_kind; bit 3: an instruction
 * pointer follows, bit 4: a weight, bit 5: a data source, bit 6: a NUMA node), the signed differences of time and address to the
 * previous sample in the block (of the first: to the head's time, and to 0), and the fields of the tag. A tag of 7 is no sample; it
 * is followed by the thread of the next samples. An item of a block of events is a type, the signed difference of its time, process
 * and thread, four integers and a text with its length; enum trace_event_type defines their meaning.
 */
#ifndef MEMTRACE_FILE_TRACE_FILE_H
#define MEMTRACE_FILE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_VERSION 1
#define TRACE_HEADER_MAX (64 << 10)
#define TRACE_PAYLOAD_MAX (64 << 10)
#define TRACE_TEXT_MAX 4096 /* bytes of an event's text, NUL included */

/* ACCESS: a load or a store, which the engine does not distinguish; UPDATE: both by one instruction; OUT: no access, but a page
 * that memtrace has paged out: the time is that after the call, the weight twice the ns that the call took, plus 1 if the page
 * was resident right after it. New kinds and losses are added at the end. */
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
	uint32_t weight;  /* latency in the engine's unit; 0 = not recorded */
	uint64_t source;  /* perf_mem_data_src; 0 = not recorded */
};

enum trace_event_type {
	TRACE_MAP = 1, /* value: address, bytes, offset in the file, PROT_* | TRACE_MAP_*; text: the file, "//anon", "[stack]" */
	TRACE_COMM,    /* value[0]: 1 after exec; text: the name */
	TRACE_FORK,    /* value: the parent's process and thread */
	TRACE_EXIT,
	TRACE_MARK,    /* text: the name of the phase that begins */
	TRACE_LOST,    /* value: number, enum trace_loss */
	/* value: wait status of the command, then 1 if the recording ended before it (--max-size), else 0; the recording is
	 * complete */
	TRACE_END,
	TRACE_PAUSE,   /* sampling is off until TRACE_RESUME; without either event it is always on */
	TRACE_RESUME,
	/* value: first address, bytes, bytes of an element or 0, 0; text: the name. An allocation has no text and the values
	 * first address, bytes, return address of the caller of the call or 0, that of the call. Process 0 stands for any. */
	TRACE_NAME,
	TRACE_FORGET,  /* text: the name that ends; without a text value: first address, bytes whose name ends */
	TRACE_RECOVERED, /* value: number, enum trace_recovery */
	TRACE_COST,      /* value: number, their total ns, enum trace_cost, ns that were recorded */
};

/* The method that found the address of a sample whose instruction overwrote a register of it. */
enum trace_recovery {
	TRACE_BY_PRECEDING, /* from the instructions that lead to it */
	TRACE_BY_NEXT,      /* it is the address of the next such instruction */
	TRACE_RECOVERIES
};
const char *trace_recovery_name(enum trace_recovery recovery); /* a phrase */

/* Interruptions by recording that take time of the program, as far as they are known. */
enum trace_cost {
	TRACE_COST_BURSTS,   /* the thread is stopped */
	TRACE_COST_REFAULTS, /* page faults of pages that were paged out */
	TRACE_COST_SAMPLES,  /* by calibration */
	TRACE_COSTS
};
const char *trace_cost_name(enum trace_cost type); /* a phrase, plural */

/* Reasons why samples are missing or were discarded. */
enum trace_loss {
	TRACE_LOST_BY_KERNEL,
	TRACE_THROTTLED,     /* times that the kernel suspended sampling */
	TRACE_NO_ADDRESS,    /* a memory operation whose address cannot be computed: segments, vector indices */
	TRACE_NO_THREAD,
	TRACE_NOT_MEMORY,    /* the instruction accesses no memory */
	TRACE_CLOBBERED,     /* a load that overwrote a register of its address */
	TRACE_BRANCH_TARGET, /* the preceding instruction is not known: after a call or a jump, or at a function's beginning */
	TRACE_NO_CODE,       /* no table of functions for the code that ran there */
	TRACE_OUTSIDE,       /* the address is in no mapping */
	TRACE_PRIVILEGE,     /* of the kernel, if only the user's accesses were requested, or the reverse */
	TRACE_COLLISION,     /* pieces of an AUX area in which the processor dropped samples that collided */
	TRACE_NOT_TAKEN,     /* samples that were requested and not taken, if less than a tenth of them were taken */
	TRACE_EXEC,          /* processes whose sampling the kernel ended at exec (memtrace/file/execs.h) */
	TRACE_OWN,           /* of memtrace itself, or in memory that it maps into the program: left out */
	TRACE_LOSSES
};
const char *trace_loss_name(enum trace_loss loss); /* a phrase: "lost by the kernel" */

struct trace_event {
	uint64_t time_ns;
	uint32_t pid, tid;
	uint8_t type; /* enum trace_event_type */
	uint64_t value[4];
	const char *text; /* "" = none; the reader's is valid until the next item */
};

/* --- writing --- */

#define TRACE_MAGIC "memtrace" /* the first bytes of a recording */

struct trace_writer;

/* Writes the magic and the header to fd, which stays the caller's. header has "NAME\tVALUE\n" lines, up to TRACE_HEADER_MAX
 * bytes. Returns 0 or -errno; -E2BIG if the header is longer. */
int trace_writer_open(int fd, const char *header, unsigned cpus, struct trace_writer **writer);
/* Compresses the following blocks if that makes them shorter. Returns 0 or -ENOMEM. */
int trace_writer_compress(struct trace_writer *writer);
/* Ends the file within max_bytes: items that would not leave some 4 KiB for the end are dropped without an error, as are all
 * later ones; a max_bytes of 0 allows items again. */
void trace_writer_limit(struct trace_writer *writer, uint64_t max_bytes);
bool trace_writer_is_full(const struct trace_writer *writer); /* an item was dropped */
/* Samples of a CPU are written in the order of its ring; cpu < cpus. Both functions buffer. They return 0 or -errno, after which
 * the file ends there. */
int trace_write_sample(struct trace_writer *writer, const struct trace_sample *sample);
int trace_write_event(struct trace_writer *writer, const struct trace_event *event);
/* Writes the buffered blocks. Returns 0 or -errno. */
int trace_writer_flush(struct trace_writer *writer);
uint64_t trace_writer_samples(const struct trace_writer *writer);
uint64_t trace_writer_bytes(const struct trace_writer *writer);
void trace_writer_close(struct trace_writer *writer); /* without flushing */

/* --- reading --- */

struct trace_reader;

/* Opens a recording. Memory use is limited to about 500 KiB, whatever the contents of the file. Events, which readers keep in
 * memory, end where they have become more than 1 MiB and 256 times their size in the file. Returns 0 or -errno; -EBADMSG if it is
 * not a recording or its header is broken, -ENOTSUP if its version is newer. */
int trace_reader_open(const char *path, struct trace_reader **reader);
const char *trace_reader_error(int error); /* texts of these errors, and of those of input_error */
/* Returns a value of the header, or NULL. */
const char *trace_header(const struct trace_reader *reader, const char *name);

enum trace_item { TRACE_ITEM_NONE, TRACE_ITEM_SAMPLE, TRACE_ITEM_EVENT };
/* Reads the next item; samples are in the order of each CPU's ring, not sorted across CPUs. Returns TRACE_ITEM_NONE at the end,
 * or where the file can no longer be read. */
enum trace_item trace_next(struct trace_reader *reader, struct trace_sample *sample, struct trace_event *event);
/* Reads the next event; blocks of samples are skipped, and counted as their heads state. Returns false at the end. */
bool trace_next_event(struct trace_reader *reader, struct trace_event *event);
/* Returns the number of samples in the skipped blocks; first_ns receives the earliest first time of such a block. */
uint64_t trace_passed(const struct trace_reader *reader, uint64_t *first_ns);
/* Restarts at the first block. Returns 0 or -errno. */
int trace_rewind(struct trace_reader *reader);
/* After TRACE_ITEM_NONE, returns the number of unread bytes at the end; 0 = the file ends with a block. err receives the
 * reason: 0 if the file is truncated, -EBADMSG for an incomplete block, -EOVERFLOW for events that unpack to much more than a
 * writer makes. */
uint64_t trace_unread_bytes(const struct trace_reader *reader, int *err);
uint64_t trace_reader_bytes(const struct trace_reader *reader); /* size of the file */
void trace_reader_close(struct trace_reader *reader);

#endif
