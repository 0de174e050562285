/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What balance_dirty_pages' pauses last in the mean (mm/page-writeback.c). It looks at a writer that it lets sleep each
 * nr_dirtied_pause pages, and whoever takes large folios makes dirty up to a folio more. What these may last by the law is
 * cut down to whole ticks, period = HZ * pages_dirtied / task_ratelimit, and the next pause begins where this one was to
 * end: what is cut off is given to the writer. With 4 MiB between two looks and ticks of 4 ms that is a sixth of its time.
 * In free run it looks more often, which costs nothing; a writer that goes there between its pauses is cut more than this.
 */
#ifndef IOWRITE_BENCH_MODEL_PAUSE_H
#define IOWRITE_BENCH_MODEL_PAUSE_H

#include "iowrite-bench/model/model.h"

/* Bytes between two looks (wb_min_pause), by the ratelimit and the kernel's estimate of the device's rate; 0 = not known. */
double pause_check_bytes(const struct model_control *control, double ratelimit, double device_rate);
/* Seconds that bytes take whoever is allowed `rate`, when every check_bytes are cut down to ticks; not cut when 0. Mean
 * over a spread of one tick, by which what is dirty goes up and down as the device completes. */
double pause_mean_s(const struct model_control *control, double bytes, double rate, double check_bytes);

#endif
