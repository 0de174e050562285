/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration as tables for people. */
#ifndef IOWRITE_BENCH_CALIBRATE_TABLES_H
#define IOWRITE_BENCH_CALIBRATE_TABLES_H

#include "iowrite-bench/system.h"

/* In a unit of system_row, with a prefix that people read; "-" for NAN. buffer: UNITS_TEXT bytes; it is returned. */
const char *tables_value(double value, const char *unit, char *buffer);
void tables_print(const struct system *system);

#endif
