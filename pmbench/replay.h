/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_REPLAY_H
#define PMBENCH_REPLAY_H

#include "common/opt.h"

struct report_node;

/* For struct replay: the options of a report of the original pmbench, translated so that the same accesses are measured the
 * same way. 0; -EINVAL: none; -ENOMEM. */
int replay_take_original(const struct report_node *signature, struct opt_line *line, const char *path);

#endif
