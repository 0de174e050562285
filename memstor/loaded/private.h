/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of loaded/ only: the state while a report is loaded. */
#ifndef MEMSTOR_LOADED_PRIVATE_H
#define MEMSTOR_LOADED_PRIVATE_H

#include "common/arena.h"
#include "common/field.h"
#include "memstor/loaded/loaded.h"

struct loading {
	struct loaded loaded; /* must be the first member */
	struct arena arena;
	const struct report_node *report;
	char *why;
	size_t length;
};

/* Writes "NAME:LINE: text" into why, unless why is set. Returns -EBADMSG. */
int loaded_refuse(struct loading *loading, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns the number of children of this name; name NULL = of any name; 0 if parent is NULL. */
size_t loaded_count(const struct report_node *parent, const char *name);
/* Reads an attribute as a whole number. Returns 0, or as loaded_refuse if it is absent or not a number. */
int loaded_attribute_u64(
	struct loading *loading, const struct report_node *node, const char *name, uint64_t *value);
/* Read the text of a node, or of its attribute of this name, as a number. Return 0, or as loaded_refuse if it is not one. */
int loaded_number(
	struct loading *loading, const struct report_node *node, const char *name, const char *text, double *value);
int loaded_whole(struct loading *loading, const struct report_node *node, uint64_t *value);
/* Read the number of a child; it is NAN or 0 if there is no such child. Return 0, or as loaded_refuse if it is not one. */
int loaded_child_double(
	struct loading *loading, const struct report_node *parent, const char *name, double *value);
int loaded_child_u64(
	struct loading *loading, const struct report_node *parent, const char *name, uint64_t *value);

/* The steps of loaded_make; each fills its members. They return 0 or -errno. */
int loaded_take_laws(struct loading *loading);       /* loaded/laws.c: version, no duplicates */
int loaded_take_texts(struct loading *loading);      /* loaded/texts.c: signature, machine, environment, verdict */
int loaded_take_values(struct loading *loading);     /* loaded/subjects.c: result and subjects */
int loaded_take_histograms(struct loading *loading); /* loaded/histogram.c: statistics */
int loaded_take_series(struct loading *loading, unsigned flags); /* loaded/series.c */

/* loaded/original.c. loaded_add_original adds the values of all accesses that are computed from pmbench's threads. */
bool loaded_is_original_root(const struct report_node *root); /* the document element of the original's format */
void loaded_take_original_signature(struct loading *loading, const struct report_node *signature);
int loaded_take_original_options(struct loading *loading);
/* Adds a text, unless the value is "". */
void loaded_add_text(const struct loaded_text *array, size_t *count, const char *name, const char *value);
#define LOADED_ORIGINAL_VALUES 6
int loaded_add_original(struct loading *loading, struct loaded_value *values);
/* Load one <latency_histogram>, and (loaded/original.c) one <histogram>. */
int loaded_make_histogram(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram);
int loaded_make_original(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram);

#endif
