/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of the ways to open a file and of its states. */
#include "config.h"
#include "iowrite-bench/write/op.h"

#include <stddef.h>

const char *const op_mode_names[] = {
	[OP_BUFFERED] = "buffered",
	[OP_SYNC] = "sync",
	[OP_DSYNC] = "dsync",
	[OP_DIRECT] = "direct",
	[OP_DIRECT_SYNC] = "direct-sync",
	[OP_DIRECT_DSYNC] = "direct-dsync",
	[OP_MODES] = NULL,
};

const char *const op_regime_names[] = {
	[OP_APPEND] = "append",
	[OP_PREALLOCATED] = "prealloc",
	[OP_OVERWRITE] = "overwrite",
	[OP_REGIMES] = NULL,
};

const char *op_mode_name(enum op_mode mode)
{
	return op_mode_names[mode];
}

const char *op_regime_name(enum op_regime regime)
{
	return op_regime_names[regime];
}

bool op_mode_is_synchronous(enum op_mode mode)
{
	return mode != OP_BUFFERED;
}
