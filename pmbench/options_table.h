/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one table of options: the command line, --help, reports and --replay all read it. A row knows how to
 * read its value from text and how to write it back.
 */
#ifndef PMBENCH_OPTIONS_TABLE_H
#define PMBENCH_OPTIONS_TABLE_H

#include "pmbench/options.h"

#define OPTIONS_TEXT 2048 /* the longest value written back, its NUL included */

enum options_group {
	OPTIONS_GROUP_ORIGINAL = 1,
	OPTIONS_GROUP_WORKLOAD,
	OPTIONS_GROUP_MEMORY,
	OPTIONS_GROUP_PRESSURE,
	OPTIONS_GROUP_MEASURING,
	OPTIONS_GROUP_OUTPUT,
};

enum options_row_flag {
	OPTIONS_COMMAND_ONLY = 1, /* never written to a report, ignored in one */
	OPTIONS_ARGUMENT = 2,     /* not an option: the argument of the command line */
	OPTIONS_MAY_BE_BARE = 4,  /* --name or --name=value */
	OPTIONS_REPEATS = 8,      /* each adds a value; otherwise the last one holds */
};

struct options_row;

struct options_reading { /* a value that comes in */
	const struct options_row *row;
	struct pmbench_options *options;
	const char *why; /* what is allowed; row->allowed until a setter knows better */
};
struct options_writing { /* a value that goes out */
	const struct options_row *row;
	const struct pmbench_options *options;
	size_t index; /* which one, of a repeatable option */
	char *value;
	size_t length;
};

/* text is NULL without a value. 0, or -EINVAL, -ERANGE, -ENOTSUP (not on this machine), -ENOMEM. */
typedef int options_set_fn(struct options_reading *in, const char *text);
/* False when there is no (further) value. */
typedef bool options_get_fn(struct options_writing *out);

struct options_row {
	const char *name;       /* long name */
	int letter;             /* 0 = none */
	const char *value_name; /* NULL: takes no value */
	const char *help;
	const char *allowed; /* what a value may be, for refusals */
	enum options_group group;
	unsigned flags;
	options_set_fn *set;
	options_get_fn *get; /* NULL: another row writes it */
	size_t offset;       /* for the plain values */
	uint64_t min, max;
	/* NULL-terminated; those of options_set_choice, elsewhere what a shell offers: a word that ends in ":" goes on. */
	const char *const *choices;
};

/* All rows; the argument last. */
const struct options_row *options_table(size_t *count);
/* NULL = no such name. */
const struct options_row *options_row(const char *name);

/* Plain values at row->offset: options_values.c */
options_set_fn options_set_flag, options_set_unsigned, options_set_u64, options_set_choice,
	options_set_string;
options_get_fn options_get_flag, options_get_unsigned, options_get_u64, options_get_choice;
/* Text that parses back to the same value. */
void options_format_double(double value, char *text, size_t length);
void options_format_size(uint64_t bytes, uint64_t bare_unit, char *text, size_t length);
void options_format_share(const struct units_share *share, char *text, size_t length);
void options_format_duration(uint64_t ns, char *text, size_t length);

/* What is accessed, how, by whom: options_workload.c */
options_set_fn options_set_pattern, options_set_shape, options_set_offset, options_set_affinity,
	options_set_timer, options_set_duration, options_set_seed, options_set_phase, options_set_warmup, options_set_warmup_limit,
	options_set_cold, options_set_interval;
options_get_fn options_get_pattern, options_get_shape, options_get_offset, options_get_affinity,
	options_get_timer, options_get_duration, options_get_seed, options_get_phase, options_get_warmup, options_get_warmup_limit,
	options_get_interval;

/* In what memory, under what pressure: options_memory.c */
options_set_fn options_set_mapsize, options_set_setsize, options_set_setsize_list, options_set_map,
	options_set_content, options_set_initialize, options_set_nodes, options_set_cpus, options_set_ram,
	options_set_high, options_set_swap, options_set_destroy_data, options_set_page_cluster, options_set_swappiness,
	options_set_eater, options_set_recover, options_set_media, options_set_label;
options_get_fn options_get_mapsize, options_get_setsize, options_get_setsize_list, options_get_map,
	options_get_content, options_get_nodes, options_get_cpus, options_get_ram, options_get_swap,
	options_get_high, options_get_page_cluster, options_get_swappiness, options_get_eater, options_get_media,
	options_get_label;

/* Whether it has the form of --cpus. */
bool options_is_cpu_list(const char *text);

/* Which source gave an option last. */
enum options_source { OPTIONS_DEFAULT, OPTIONS_REPLAYED, OPTIONS_TYPED };

/* Merges options that act together and refuses those that contradict each other; sources by table index.
 * 0 or a diag_exit code after one line: options_check.c */
int options_finish(struct pmbench_options *options, const enum options_source *sources);
/* Whether -e means something to the pattern: the original ignores it with uniform and normal_ih. */
bool options_heeds_shape(enum pattern_kind kind);
/* Whether a replayed option gives way because `typed` is on the command line. */
bool options_gives_way(const struct options_row *replayed, const struct options_row *typed);

#endif
