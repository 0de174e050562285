/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FILE arguments of the subcommands: a file is itself, a folder stands for the reports below it (*.xml, in the order
 * of their names, up to 8 levels deep, symbolic links to folders not followed), also the folder of memstor run.
 */
#ifndef MEMSTOR_INPUTS_H
#define MEMSTOR_INPUTS_H

#include <stddef.h>

struct inputs { /* zeroed: empty */
	size_t count;
	char **paths;
};

/* Appends what argument stands for. 0, or a diag_exit code after one line (no such file, a folder without reports). */
int inputs_add(struct inputs *inputs, const char *argument);
void inputs_free(struct inputs *inputs);

#endif
