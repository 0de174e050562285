/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The libc's buffer before a model of write(2): Algorithm 2 of the CAWL paper, with the behaviour of real libcs. glibc's
 * first fwrite, when it has a buffer's size or more, finds no allocated buffer, also after setvbuf(3), and
 * writes its whole blocks at once; an exactly full
 * buffer is written by the next call; musl writes buffer and data in one writev.
 */
#ifndef IOWRITE_BENCH_MODEL_STDIO_H
#define IOWRITE_BENCH_MODEL_STDIO_H

#include "iowrite-bench/model/model.h"

struct stdio_policy {
	const char *name; /* "glibc" "musl" "unbuffered" "paper" */
	bool is_buffered;
	bool has_first_rule; /* glibc's */
	bool gathers;        /* musl's */
	bool has_call_cost;  /* each fwrite costs a call of the library, l_lib; the paper's Algorithm 2 has no such term */
};
const struct stdio_policy *stdio_policy(const char *name); /* NULL = none */
const struct stdio_policy *stdio_policy_here(void);
#ifdef __GLIBC__
#define STDIO_HERE "glibc"
#else
#define STDIO_HERE "musl"
#endif

struct stdio {
	const struct stdio_policy *policy;
	const struct model_kind *kind;
	void *model; /* the caller's */
	double copy_rate, call_ns;
	uint64_t buffer, held;    /* its size, and how much of it is full */
	uint64_t begin;           /* in the file: where the held bytes belong */
	double since_ns;          /* since the last write(2) returned */
	double dirty_bytes, writeback_bytes; /* as the model had them then; 0 before the first */
	bool has_first_rule, is_allocated;
};

/* buffer: its size in bytes, 0 = the system's. Returns 0, or -ENODATA and *missing as model_kind.create. */
int stdio_init(struct stdio *stdio, const struct stdio_policy *policy, uint64_t buffer, const struct system *system,
	const struct model_kind *kind, void *model, const char **missing);
/* Models one fwrite(3). Returns 0 or -ENOMEM. */
int stdio_write(struct stdio *stdio, const struct op *op, struct model_cost *cost);
/* Models fflush(3), or the writing part of fclose(3). */
int stdio_flush(struct stdio *stdio, struct model_cost *cost);

#endif
