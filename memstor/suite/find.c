/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/suite/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/input.h"
#include "common/report_read.h"
#include "memstor/embedded.h"

static const char suffix[] = ".suite";

static const struct {
	const char *name;
	struct embedded (*text)(void);
} shipped[] = {
	{"smoke", embedded_suite_smoke},
	{"ci", embedded_suite_ci},
	{"paging", embedded_suite_paging},
	{"paper-pmbench", embedded_suite_paper_pmbench},
	{"write-cost", embedded_suite_write_cost},
	{"paper-cawl", embedded_suite_paper_cawl},
	{"log-checkpoint", embedded_suite_log_checkpoint},
	{"instrumented-ssd", embedded_suite_instrumented_ssd},
};
#define SHIPPED (sizeof(shipped) / sizeof(shipped[0]))

const char *suite_shipped(size_t i)
{
	return i < SHIPPED ? shipped[i].name : NULL;
}

static bool has_suffix(const char *word, size_t length)
{
	size_t size = strlen(suffix);

	return length >= size && !memcmp(word + length - size, suffix, size);
}

/* It becomes a label and part of a folder's name. */
static void take_name(const char *word, struct suite_text *text)
{
	const char *slash = strrchr(word, '/');
	const char *base = slash ? slash + 1 : word;
	size_t length = strlen(base);

	if (length > strlen(suffix) && has_suffix(base, length))
		length -= strlen(suffix);
	snprintf(text->name, sizeof(text->name), "%.*s", (int)(length < SUITE_NAME_MAX ? length : SUITE_NAME_MAX), base);
	for (size_t i = 0; text->name[i]; i++) {
		char one[] = {'a', text->name[i], '\0'};

		if (!suite_is_name(one) || (!i && !suite_is_name(one + 1)))
			text->name[i] = '_';
	}
}

static int find_shipped(const char *word, struct suite_text *text)
{
	char names[256];
	size_t used = 0;

	for (size_t i = 0; i < SHIPPED; i++) {
		struct embedded embedded;

		if (strcmp(shipped[i].name, word))
			continue;
		embedded = shipped[i].text();
		text->size = embedded.size;
		text->text = strndup(embedded.text, embedded.size);
		return text->text ? DIAG_EXIT_OK : diag_usage_errno(ENOMEM, "%s", word);
	}
	for (size_t i = 0; i < SHIPPED && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", shipped[i].name);
	return diag_usage(
		"'%s' is not an installed suite; allowed: %s, or a file with a slash in its name, as ./%s", word, names,
		word);
}

static char *folder_of(const char *word)
{
	const char *slash = strrchr(word, '/');
	char *folder = slash ? strndup(word, slash == word ? 1 : (size_t)(slash - word)) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL;

	free(folder);
	return real;
}

static int read_file(const char *word, struct suite_text *text)
{
	char why[512];
	int err = report_read_bytes(word, &text->text, &text->size, why, sizeof(why));

	if (err)
		return err == -EINVAL ? diag_usage("%s", why)
			: diag_usage("%s: the suite cannot be read: %s", word, input_error(err));
	if (text->size > SUITE_TEXT_MAX) {
		diag_error(0, "%s: a suite has up to %zu KiB", word, SUITE_TEXT_MAX >> 10);
		suite_text_free(text);
		return DIAG_EXIT_USAGE;
	}
	text->folder = folder_of(word);
	if (text->folder)
		return DIAG_EXIT_OK;
	diag_error(errno, "%s: its folder cannot be found", word);
	suite_text_free(text);
	return DIAG_EXIT_USAGE;
}

int suite_find(const char *word, struct suite_text *text)
{
	memset(text, 0, sizeof(*text));
	text->file = word;
	take_name(word, text);
	if (strchr(word, '/') || has_suffix(word, strlen(word)))
		return read_file(word, text);
	return find_shipped(word, text);
}

void suite_text_free(struct suite_text *text)
{
	free(text->folder);
	free(text->text);
	memset(text, 0, sizeof(*text));
}
