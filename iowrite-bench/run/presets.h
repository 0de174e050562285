/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known programs' logs as options of run: what the program really writes, and how. */
#ifndef IOWRITE_BENCH_RUN_PRESETS_H
#define IOWRITE_BENCH_RUN_PRESETS_H

struct preset_option {
	const char *name, *value; /* of run's table; NULL ends a list */
};

struct preset {
	const char *name;
	const char *meaning; /* one line: what is imitated */
	const char *why;     /* where the numbers come from */
	const struct preset_option *options;
};

/* Ended by a row without a name. */
extern const struct preset presets[];
const struct preset *preset_of(const char *name); /* NULL = none */

#endif
