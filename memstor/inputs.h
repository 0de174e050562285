/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FILE arguments of the subcommands: a file, or a folder, which stands for the reports below it (*.xml, in the order of
 * their names, up to 8 levels deep, without following symbolic links to folders), also the folder of memstor run.
 */
#ifndef MEMSTOR_INPUTS_H
#define MEMSTOR_INPUTS_H

#include <stddef.h>

#include "common/opt.h"

struct inputs { /* zeroed: empty */
	size_t count, room;
	char **paths;
};

/* Appends the files that argument stands for. Returns 0, or a diag_exit code after one line (no such file, a folder without
 * reports). */
int inputs_add(struct inputs *inputs, const char *argument);
/* The same as the `set` of an option row whose member is a struct inputs. */
int inputs_set(struct opt_value *in);
void inputs_free(struct inputs *inputs);

#endif
