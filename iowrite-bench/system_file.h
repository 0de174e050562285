/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the writing and the reading of a calibration only. */
#ifndef IOWRITE_BENCH_SYSTEM_FILE_H
#define IOWRITE_BENCH_SYSTEM_FILE_H

#define SYSTEM_FILE_FORMAT "1.1"
#define SYSTEM_FILE_NUMBER 1.1 /* the same */
/* Bands of other sizes: all but these mean the same. */
#define SYSTEM_FILE_BEFORE "1.0"

#endif
