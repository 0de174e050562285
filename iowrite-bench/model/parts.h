/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the models: the rows of kinds.c's table, and helpers of several models. */
#ifndef IOWRITE_BENCH_MODEL_PARTS_H
#define IOWRITE_BENCH_MODEL_PARTS_H

#include "iowrite-bench/model/model.h"

extern const struct model_kind naive_model, cawl_model, kernel_model;

/* Tells whether a parameter has a plausible value: costs must be finite for any file. */
bool model_knows(const struct system *system, enum system_parameter parameter);
/* Returns 0, or -1 and the name of the first unknown parameter. */
int model_needs(const struct system *system, const enum system_parameter *needs, size_t count, const char **missing);

/* Returns the cost of the sync call after each write beyond the curves of the synchronous modes: l_w, or 0. */
double model_sync_call_ns(const struct system *system, const struct model_setup *setup);

/* Returns B_rd for this kind of memory; the warm one when there is no cold one. */
double model_cache_rate(const struct system *system, enum model_memory memory);

/* Returns B_wb, or the device's own rate when that is unknown, or NAN when both are. */
double model_writeback_rate(const struct system *system);

#endif
