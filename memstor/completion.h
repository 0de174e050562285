/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a shell's completion has to know of memstor and of its subcommands (common/completion.h), from their tables. */
#ifndef MEMSTOR_COMPLETION_H
#define MEMSTOR_COMPLETION_H

struct command;

/* memstor --completion-rows */
void completion_print_memstor(const struct command *const *commands);
/* memstor NAME --completion-rows */
void completion_print_subcommand(const struct command *command);

#endif
