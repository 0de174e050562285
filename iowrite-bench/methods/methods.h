/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of method.c's table; each as struct method says. */
#ifndef IOWRITE_BENCH_METHODS_METHODS_H
#define IOWRITE_BENCH_METHODS_METHODS_H

#include "iowrite-bench/method.h"

int plain_open(const struct method_setup *setup, void **state);
int64_t plain_write(void *state, uint64_t offset, uint64_t size);
int64_t plain_pwrite(void *state, uint64_t offset, uint64_t size);
int64_t plain_writev(void *state, uint64_t offset, uint64_t size);
int64_t plain_pwritev2(void *state, uint64_t offset, uint64_t size);
int plain_close(void *state);

int uring_open(const struct method_setup *setup, void **state);
int64_t uring_write(void *state, uint64_t offset, uint64_t size);
int uring_close(void *state);

int stream_open(const struct method_setup *setup, void **state);
int64_t stream_write(void *state, uint64_t offset, uint64_t size);
int stream_flush(void *state);
int stream_close(void *state);

int map_open(const struct method_setup *setup, void **state);
int64_t map_write(void *state, uint64_t offset, uint64_t size);
char *map_begin(void *state);
int map_close(void *state);

#endif
