/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options in words: the one table of what the options of each tool mean in a title or a legend ("8 GiB", "2 threads").
 * A tool adds its rows.
 */
#ifndef MEMSTOR_PLOT_PHRASE_H
#define MEMSTOR_PLOT_PHRASE_H

#include <stddef.h>

#include "memstor/plot/fact.h"

/* "pattern" = "zipf" to "zipf", "ram" = "2147483648" to "in 2 GiB of memory"; what no row knows is "name value". NULL
 * = the option is absent. Returns text. */
char *plot_phrase(const char *tool, const char *name, const char *value, char *text, size_t length);
/* Whether it says nothing about how the run went: a seed, a label, what was written besides. */
bool plot_phrase_is_silent(const char *tool, const char *name);
/* "pmbench: uniform, 8 GiB, 2 threads": what all of them have in common, without what is the same by default. */
char *plot_phrase_title(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* Of a text for what pmbench does, accesses, and one for what any tool does, operations. */
const char *plot_phrase_choose(const struct plot_facts *reports, size_t count, const char *accesses, const char *operations);
/* "latency of an access", or of an operation. */
const char *plot_phrase_latency(const struct plot_facts *reports, size_t count);
/* "Intel(R) ..., Linux 6.1, 2026-11-20": machine and time as far as they are common. */
char *plot_phrase_machine(const struct plot_facts *reports, size_t count, char *text, size_t length);

#endif
