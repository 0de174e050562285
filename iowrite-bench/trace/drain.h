/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that takes text out of a trace_pipe, now and then, on another CPU than its starter's where there is one. */
#ifndef IOWRITE_BENCH_TRACE_DRAIN_H
#define IOWRITE_BENCH_TRACE_DRAIN_H

#include <stddef.h>

#define DRAIN_BYTES (128u << 20) /* that are kept; what comes behind them stays in the kernel, which counts it as lost */

struct drain;

/* fd: O_NONBLOCK; drain_close closes it, and so does a failure. 0 or -errno. */
int drain_open(int fd, struct drain **opened);
/* 0 or -errno. */
int drain_start(struct drain *drain);
/* Takes what is left, ends the thread. 0 or -errno, of reading. */
int drain_stop(struct drain *drain);
/* After drain_stop. */
void drain_text(const struct drain *drain, const char **text, size_t *bytes);
/* NULL is allowed; also while it runs. */
void drain_close(struct drain *drain);

#endif
