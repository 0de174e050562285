/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold in a report beyond its schema: numbers that are said twice are the same, and parts add up to their
 * whole. What a report does not say breaks no law.
 */
#ifndef MEMSTOR_VALIDATE_LAWS_H
#define MEMSTOR_VALIDATE_LAWS_H

#include "memstor/loaded/loaded.h"

/* Calls found for each law that is broken, in the order of the laws. Loaded with LOADED_SERIES. */
void validate_laws(const struct loaded *loaded, void (*found)(void *data, unsigned line, const char *text), void *data);

#endif
