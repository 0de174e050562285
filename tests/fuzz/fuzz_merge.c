/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two reports with a zero byte between them: what is refused is so in one line; what is merged can be read, and
 * merged again. Their texts in a page end nothing.
 */
#include "config.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memstor/html/html.h"
#include "memstor/merge/merge.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static struct loaded *load(const char *text, size_t size)
{
	struct report_document *document;
	struct loaded *loaded = NULL;
	char why[256];

	if (!report_read_memory(text, size, &document, why, sizeof(why)))
		loaded_make(document, "f", 0, &loaded, why, sizeof(why));
	return loaded;
}

static void write_row(const struct loaded *loaded)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	check(out != NULL);
	html_write_row(out, loaded);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		check((text[i] >= ' ' && text[i] <= '~') || (text[i] == '\n' && i == size - 1));
	check(!strstr(text, "<script") && !strstr(text, "</noscript"));
	free(text);
}

/* Takes the reports over. The merged report, or NULL when they are refused. */
static struct loaded *merge_all(struct loaded **reports, size_t count)
{
	struct merge *merge;
	struct report *report;
	struct loaded *merged = NULL;
	const char *text;
	char why[256] = "";
	size_t size, added = 0;

	check(!merge_new(MERGE_ALLOW_DIFFERENT, &merge));
	while (added < count && !merge_add(merge, reports[added], why, sizeof(why)))
		added++;
	check((added < count) == (why[0] != '\0') && !strpbrk(why, "\r\n"));
	for (size_t i = added + 1; i < count; i++)
		loaded_free(reports[i]);
	if (added == count && !merge_report(merge, &report)) {
		check(!report_document(report, &text, &size));
		merged = load(text, size);
		report_free(report);
	}
	merge_free(merge);
	return merged;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = memchr(text, '\0', size);
	size_t first = end ? (size_t)(end - text) : size;
	struct loaded *reports[2] = {load(text, first), end ? load(end + 1, size - first - 1) : NULL};
	size_t count = 0;

	for (size_t i = 0; i < 2; i++) {
		if (!reports[i])
			continue;
		write_row(reports[i]);
		reports[count++] = reports[i];
	}
	if (count) {
		struct loaded *merged = merge_all(reports, count);

		/* Once more, alone: its parts are what was written. */
		if (merged)
			loaded_free(merge_all(&merged, 1));
	}
	return 0;
}
