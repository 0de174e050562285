/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One write of a scenario, shared by plans, predictions and measurements. */
#ifndef IOWRITE_BENCH_WRITE_OP_H
#define IOWRITE_BENCH_WRITE_OP_H

#include <stdbool.h>
#include <stdint.h>

struct op {
	uint64_t delay_ns; /* between the end of the last write and the start of this one: computing or sleeping */
	uint64_t offset, size; /* bytes; offset where the write begins in the file */
};

/* Where there are several files each has a range of offsets of its own, so that an offset also identifies the file: the number
 * of the file times OP_FILE_BYTES, plus the offset in it. */
#define OP_FILE_BYTES ((uint64_t)1 << 44)
#define OP_FILES_MAX 256

/* How a file is opened; the rows of Linux's open(2). */
enum op_mode {
	OP_BUFFERED,
	OP_SYNC,         /* O_SYNC */
	OP_DSYNC,        /* O_DSYNC */
	OP_DIRECT,       /* O_DIRECT */
	OP_DIRECT_SYNC,  /* O_DIRECT | O_SYNC */
	OP_DIRECT_DSYNC, /* O_DIRECT | O_DSYNC */
	OP_MODES
};

/* State of the file where the write goes. */
enum op_regime {
	OP_APPEND,       /* nothing: the file grows */
	OP_PREALLOCATED, /* fallocate(2)d, never written */
	OP_OVERWRITE,    /* written before */
	OP_REGIMES
};

/* Words of options, reports and calibrations: "buffered" "sync" "dsync" "direct" "direct-sync" "direct-dsync";
 * "append" "prealloc" "overwrite". */
extern const char *const op_mode_names[], *const op_regime_names[]; /* by their values, ended by NULL */
const char *op_mode_name(enum op_mode mode);
const char *op_regime_name(enum op_regime regime);
/* Tells whether the device completes the write before the call returns. */
bool op_mode_is_synchronous(enum op_mode mode);

#endif
