/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/commands.h"

#include <stddef.h>

const struct command *const command_table[] = {
	&command_run,
	&command_validate,
	&command_convert,
	&command_merge,
	&command_compare,
	&command_plot,
	&command_html,
	&command_doctor,
	NULL,
};
