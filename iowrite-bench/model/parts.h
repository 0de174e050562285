/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the models share: the rows of model.c's table, and what two models need. */
#ifndef IOWRITE_BENCH_MODEL_PARTS_H
#define IOWRITE_BENCH_MODEL_PARTS_H

#include "iowrite-bench/model/model.h"

/* As struct model_kind says. */
int naive_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing);
int naive_write(void *model, const struct op *op, struct model_cost *cost);
double naive_drain(void *model);
void naive_free(void *model);
int cawl_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing);
int cawl_write(void *model, const struct op *op, struct model_cost *cost);
double cawl_drain(void *model);
void cawl_free(void *model);
int kernel_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing);
int kernel_write(void *model, const struct op *op, struct model_cost *cost);
double kernel_drain(void *model);
void kernel_free(void *model);

/* Whether there is a value, and one that a machine can have: costs must be finite whatever a file says. */
bool model_knows(const struct system *system, enum system_parameter parameter);
/* 0, or -1 and the name of the first that is not known. */
int model_needs(const struct system *system, const enum system_parameter *needs, size_t count, const char **missing);

/* What the sync call after each write costs beside what the curves of the synchronous modes have: l_w, or 0. */
double model_sync_call_ns(const struct system *system, const struct model_setup *setup);

/* B_rd for memory of this temperature; without a cold one the warm one. */
double model_cache_rate(const struct system *system, enum model_memory memory);

/* B_wb; where it is not known the device's own rate. NAN when that is not known either. */
double model_writeback_rate(const struct system *system);

#endif
