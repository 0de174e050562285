/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison in the formats that memstor compare has. */
#ifndef MEMSTOR_COMPARE_PRINT_H
#define MEMSTOR_COMPARE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "memstor/compare/outcome.h"

void compare_print_text(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_coloured);
void compare_print_markdown(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* One line a metric of a set, RFC 4180. */
void compare_print_csv(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* As described in memstor(1). */
void compare_print_json(FILE *out, const struct compare_request *request, const struct compare_result *result);

#endif
