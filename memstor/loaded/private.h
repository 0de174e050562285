/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by loaded*.c only: what a report is while it is taken apart. */
#ifndef MEMSTOR_LOADED_PRIVATE_H
#define MEMSTOR_LOADED_PRIVATE_H

#include "common/arena.h"
#include "common/field.h"
#include "memstor/loaded/loaded.h"

struct loading {
	struct loaded loaded; /* first: what users see */
	struct arena arena;
	const struct report_node *report;
	char *why;
	size_t length;
};

/* "NAME:LINE: text" into why, the first one stays; returns -EBADMSG. */
int loaded_refuse(struct loading *loading, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

size_t loaded_count(const struct report_node *parent, const char *name); /* either may be NULL: of any name */
/* Attributes as numbers: 0, or refused when absent or none. */
int loaded_attribute_u64(
	struct loading *loading, const struct report_node *node, const char *name, uint64_t *value);
/* What the text of a node, or of its attribute of that name, says: 0, or refused when it is no number. */
int loaded_number(
	struct loading *loading, const struct report_node *node, const char *name, const char *text, double *value);
int loaded_whole(struct loading *loading, const struct report_node *node, uint64_t *value);
/* The child's number; NAN or 0 when there is no such child, refused when it is no number. */
int loaded_child_double(
	struct loading *loading, const struct report_node *parent, const char *name, double *value);
int loaded_child_u64(
	struct loading *loading, const struct report_node *parent, const char *name, uint64_t *value);

/* The steps of loaded_make; each fills its members. */
int loaded_take_laws(struct loading *loading);       /* loaded/laws.c: version, and nothing twice */
int loaded_take_texts(struct loading *loading);      /* loaded/texts.c: signature, machine, environment, verdict */
int loaded_take_values(struct loading *loading);     /* loaded/subjects.c: result, and what was measured one by one */
int loaded_take_histograms(struct loading *loading); /* loaded/histogram.c: statistics */
int loaded_take_series(struct loading *loading, unsigned flags); /* loaded/series.c */

/* loaded/original.c: of pmbench, what its threads say of all accesses, behind the values that are there. */
bool loaded_is_original_root(const struct report_node *root); /* of the program that the original is, too */
void loaded_take_original_signature(struct loading *loading, const struct report_node *signature);
int loaded_take_original_options(struct loading *loading);
/* Unless the value is "". */
void loaded_add_text(const struct loaded_text *array, size_t *count, const char *name, const char *value);
#define LOADED_ORIGINAL_VALUES 6
int loaded_add_original(struct loading *loading, struct loaded_value *values);
/* One <latency_histogram>; loaded/original.c: one <histogram>. */
int loaded_make_histogram(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram);
int loaded_make_original(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram);

#endif
