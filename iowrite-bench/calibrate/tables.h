/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration as tables for people. */
#ifndef IOWRITE_BENCH_CALIBRATE_TABLES_H
#define IOWRITE_BENCH_CALIBRATE_TABLES_H

#include "iowrite-bench/system.h"

void tables_print(const struct system *system);

#endif
