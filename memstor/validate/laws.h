/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws: those of the field lists, and those of what every report has. */
#ifndef MEMSTOR_VALIDATE_LAWS_H
#define MEMSTOR_VALIDATE_LAWS_H

#include <stdbool.h>

#include "common/field.h"
#include "memstor/loaded/loaded.h"

/* --- law.c --- */

/*
 * A law of a field list (common/field.h), asked of an element:
 *
 *	LAW   = [GUARD ... "->"] SUM OP SUM [OP SUM ...]    a guarded law is not asked of interrupted runs
 *	GUARD = "!" PATH (there is none) | SUM OP SUM
 *	OP    = "=" (to 1e-9 of the larger) | "~" (to 1e-6) | "~~" (to 1e-3) | "<=" | "<"
 *	SUM   = TERM {("+"|"-") TERM}, TERM = FACTOR {("*"|"/") FACTOR}
 *	FACTOR = a number; a PATH; count(PATH), how many there are; and of the subject that the element belongs to (of none:
 *	        of the whole run): #TYPE what its histogram of this type holds, # of all types, @TYPE the histogram's mean,
 *	        $NAME its value over all repetitions, %NAME the sum over its series
 *	PATH  = names with "/" between; ".." is the element around; {NAME} the text of an attribute, as in ../write/{name}_ns;
 *	        with "?" at its end what is not there is 0.
 *	        Of several values it is the sum. What has an attribute that this element has, too, counts only when it is alike.
 *
 *	"id starts {a}.{b}{-every-|c}." compares texts: {b} is the text of a value, {TEXT|c} of one that may be absent.
 *
 * A law with something in it that is not there is not asked.
 */

/* Whether the element keeps the law; otherwise what is wrong, one line, in why. */
bool law_holds(const char *law, const struct loaded *loaded, const struct report_node *node, char *why, size_t length);

/* --- laws.c --- */

/*
 * What must hold in a report beyond its schema: numbers that are said twice are the same, and parts add up to their
 * whole. What a report does not say breaks no law.
 */

/* Calls found for each law that is broken, in the order of the laws. Loaded with LOADED_SERIES. */
void validate_laws(const struct loaded *loaded, void (*found)(void *data, unsigned line, const char *text), void *data);

#endif
