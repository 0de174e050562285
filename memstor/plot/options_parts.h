/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to memstor/plot/options*.c. */
#ifndef MEMSTOR_PLOT_OPTIONS_PARTS_H
#define MEMSTOR_PLOT_OPTIONS_PARTS_H

#include "memstor/plot/options.h"

enum plot_option_key {
	KEY_FORMAT = 0x1000,
	KEY_KEEP_SCRIPT,
	KEY_TITLE,
	KEY_SIZE,
	KEY_Y,
	KEY_SHARE,
	KEY_TYPE,
	KEY_CLASS,
	KEY_MARK,
	KEY_METRIC,
	KEY_COUNTER,
	KEY_THRESHOLD,
	KEY_FROM,
	KEY_TO,
	KEY_X_RANGE,
	KEY_Y_RANGE,
	KEY_GROUP_BY,
	KEY_LEGEND,
	KEY_SCENARIO,
	KEY_MODEL,
};

struct plot_option_use {
	int key;
	unsigned takes; /* the kinds that it means something to */
};
#define PLOT_OPTION_USES 16
extern const struct plot_option_use plot_option_uses[PLOT_OPTION_USES];

struct plot_parsing {
	struct plot_options *options;
	size_t room; /* for lists */
	size_t group;
	const char *given[PLOT_OPTION_USES]; /* the value of each use's option, "" = without one */
	const char *format_name, *kind_name;
};

/* Of a key above 255: "format". */
const char *plot_option_name(int key);
/* One line; EINVAL. */
int plot_option_refuse(int key, const char *value, const char *why);
/* An option's value into parsing->options. 0, EINVAL after one line, or ARGP_ERR_UNKNOWN. */
int plot_option_take(struct plot_parsing *parsing, int key, const char *text);

#endif
