/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs inside sets though it should not; private to compare/sets.c. */
#ifndef MEMSTOR_COMPARE_DIFFER_H
#define MEMSTOR_COMPARE_DIFFER_H

#include "memstor/compare/sets.h"

/* Whether --allow-different has the name itself. */
bool compare_is_named(const struct compare_pairing *pairing, const char *name);
/* Whether runs may differ in an option, or in a fact of the machine. */
bool compare_is_option_allowed(const struct compare_pairing *pairing, const char *option);
bool compare_is_fact_allowed(const struct compare_pairing *pairing, const char *fact);

/* Fills differences and notes. 0 or -ENOMEM. */
int compare_differ(struct compare_sets *sets, const struct compare_pairing *pairing);

#endif
