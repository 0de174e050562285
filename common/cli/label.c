/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/label.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/cli/opt.h"

#define NAME_MAX_BYTES 64
#define VALUE_MAX_BYTES 500

static bool is_label(const char *text, const char *equals)
{
	const char *value = equals + 1;
	size_t length = strlen(value);

	if (equals == text || equals - text > NAME_MAX_BYTES || length > VALUE_MAX_BYTES)
		return false;
	for (const char *c = text; c < equals; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
			return false;
	}
	for (const char *c = value; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return false;
	}
	/* Readers of reports trim text, so a blank at either end would be lost. */
	return !length || (value[0] != ' ' && value[length - 1] != ' ');
}

int label_check(const char *text, const char **why)
{
	const char *equals = strchr(text, '=');

	if (equals && is_label(text, equals))
		return 0;
	return diag_why(-EINVAL, why, LABEL_FORM);
}

int label_add(struct label_list *labels, const char *text, const char **why)
{
	int ret = label_check(text, why);
	size_t length;
	char *copy;

	if (ret)
		return ret;
	if (labels->count == LABEL_MAX)
		return diag_why(-ERANGE, why, "at most 32 labels");
	copy = strdup(text);
	if (!copy)
		return diag_why(-ENOMEM, why, "out of memory");
	length = strcspn(copy, "=");
	copy[length] = '\0';
	labels->list[labels->count].name = copy;
	labels->list[labels->count++].value = copy + length + 1;
	return 0;
}

int label_set(struct opt_value *in)
{
	return label_add(opt_field(in), in->text, &in->why);
}

void label_free(struct label_list *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		free((char *)(uintptr_t)labels->list[i].name);
	labels->count = 0;
}
