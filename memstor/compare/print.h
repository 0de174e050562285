/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as text, Markdown, CSV and JSON, of one set of columns. */
#ifndef MEMSTOR_COMPARE_PRINT_H
#define MEMSTOR_COMPARE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "memstor/compare/outcome.h"

/* Each 0 or -ENOMEM. */
int compare_print_text(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_coloured);
/* The metrics alone, one a line. */
int compare_print_columns(FILE *out, const struct compare_request *request, const struct compare_result *result,
	const char *names, bool has_no_headings, bool is_coloured);
/* For GitHub. */
int compare_print_markdown(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* One line a metric of a set. */
int compare_print_csv(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* As described in memstor(1). */
int compare_print_json(FILE *out, const struct compare_request *request, const struct compare_result *result);

/* 0, or -EINVAL and in why what is wrong with the columns. */
int compare_check_columns(const char *names, char *why, size_t length);
/* "option jobs: 1 in BASE, 2 in NEW". */
char *compare_format_difference(const struct compare_difference *difference, char *buffer, size_t length);

#endif
