/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/start_option.h"

#include "common/base/clock.h"

int start_set(struct opt_value *in)
{
	struct start *start = opt_field(in);

	in->why = in->allowed;
	return start_parse(in->text, (int64_t)clock_ns(CLOCK_REALTIME), &start->at_ns, in->allowed, sizeof(in->allowed));
}
