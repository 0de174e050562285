/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mean length of the pauses of balance_dirty_pages (mm/page-writeback.c). A throttled writer is checked every
 * nr_dirtied_pause pages; with large folios it dirties up to one folio more between two checks. The pause that the control
 * law gives for these pages is truncated to whole ticks, period = HZ * pages_dirtied / task_ratelimit, and the next pause is
 * computed from the untruncated end, so that the writer gains the remainder. With 4 MiB between two checks and ticks of 4 ms
 * that is a sixth of its time. In free run checks are more frequent and cost nothing; the pauses of a writer that is in free
 * run between pauses are truncated more often than modelled here.
 */
#ifndef IOWRITE_BENCH_MODEL_PAUSE_H
#define IOWRITE_BENCH_MODEL_PAUSE_H

#include "iowrite-bench/model/model.h"

/* Returns the bytes between two checks (wb_min_pause), from the ratelimit and the kernel's estimate of the device's rate; 0 =
 * unknown. */
double pause_check_bytes(const struct model_control *control, double ratelimit, double device_rate);
/* Returns the seconds that a writer with the rate limit `rate` needs for bytes when the pause after each check_bytes is truncated
 * to ticks; not truncated when check_bytes is 0. It is the mean over pauses that vary by one tick, as completions of the
 * device vary the dirty bytes. */
double pause_mean_s(const struct model_control *control, double bytes, double rate, double check_bytes);

#endif
