/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/op.h"

const char *op_mode_name(enum op_mode mode)
{
	static const char *const names[OP_MODES] = {
		[OP_BUFFERED] = "buffered",
		[OP_SYNC] = "sync",
		[OP_DSYNC] = "dsync",
		[OP_DIRECT] = "direct",
		[OP_DIRECT_SYNC] = "direct-sync",
		[OP_DIRECT_DSYNC] = "direct-dsync",
	};

	return names[mode];
}

const char *op_regime_name(enum op_regime regime)
{
	static const char *const names[OP_REGIMES] = {
		[OP_APPEND] = "append",
		[OP_PREALLOCATED] = "prealloc",
		[OP_OVERWRITE] = "overwrite",
	};

	return names[regime];
}

bool op_mode_is_synchronous(enum op_mode mode)
{
	return mode != OP_BUFFERED;
}
