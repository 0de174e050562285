/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of the content of a report (laws): those of the field lists, and those of the parts that every report has. */
#ifndef MEMSTOR_VALIDATE_LAWS_H
#define MEMSTOR_VALIDATE_LAWS_H

#include <stdbool.h>

#include "common/field.h"
#include "memstor/loaded/loaded.h"

/* --- law.c --- */

/*
 * A law of a field list (common/field.h), checked for an element:
 *
 *	LAW   = [GUARD ... "->"] SUM OP SUM [OP SUM ...]    a guarded law is not checked for interrupted runs
 *	GUARD = "!" PATH (PATH does not exist) | SUM OP SUM
 *	OP    = "=" (to 1e-9 of the larger) | "~" (to 1e-6) | "~~" (to 1e-3) | "<=" | "<"
 *	SUM   = TERM {("+"|"-") TERM}, TERM = FACTOR {("*"|"/") FACTOR}
 *	FACTOR = a number; a PATH; count(PATH), the number of its elements; and for the subject of the element (if it has none,
 *	        for the whole run): #TYPE the count of its histogram of this type, # the count of all types, @TYPE the mean
 *	        of the histogram, $NAME the value over all repetitions, %NAME the sum over its series
 *	PATH  = names separated by "/"; ".." is the parent element; {NAME} the text of an attribute, as in ../write/{name}_ns;
 *	        with "?" at its end a missing value is 0.
 *	        Several values are added. An element that shares an attribute with this one counts only if the texts are equal.
 *
 *	"id starts {a}.{b}{-every-|c}." compares texts: {b} is the text of a value, {TEXT|c} that of a value that may be absent.
 *
 * A law that refers to a missing value is not checked.
 */

/* Returns whether the element obeys the law; if not, why receives one line that says what is wrong. */
bool law_holds(const char *law, const struct loaded *loaded, const struct report_node *node, char *why, size_t length);

/* --- laws.c --- */

/*
 * Rules beyond the schema of a report: numbers that occur twice are equal, and parts add up to their whole. Missing
 * values break no law.
 */

/* Calls found for each broken law, in the order of the laws. The report must be loaded with LOADED_SERIES. */
void validate_laws(const struct loaded *loaded, void (*found)(void *data, unsigned line, const char *text), void *data);

#endif
