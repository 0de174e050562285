/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known programs' logs as options of run: what the program really writes, and how. */
#ifndef IOWRITE_BENCH_RUN_PRESETS_H
#define IOWRITE_BENCH_RUN_PRESETS_H

struct preset_option {
	const char *name, *value; /* of run's table; NULL ends a list */
};

/* What a preset compares, in the words of the program. */
struct preset_way {
	const char *name;
	const char *mode, *sync;   /* mode NULL = not possible here */
};

struct preset {
	const char *name;
	const char *meaning; /* one line: what is imitated */
	const char *why;     /* where the numbers come from */
	const struct preset_option *options;
	const char *ranked;       /* "wal_sync_method": what ways are of; the text ends in a ranking */
	const struct preset_way *ways; /* instead of --mode and --sync-each; ended by a row without a name; NULL = none */
};

/* Ended by a row without a name. */
extern const struct preset presets[];
const struct preset *preset_of(const char *name); /* NULL = none */

#endif
