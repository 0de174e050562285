/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

struct report {
	xmlBufferPtr buffer;
	xmlTextWriterPtr writer;
	locale_t c_locale;
	unsigned depth; /* elements begun and not ended */
	bool is_ended;  /* the document element was ended */
	bool is_whole;  /* the writer has flushed the complete document */
	int error;      /* the first one */
};

void report_fail(struct report *report, int error)
{
	if (!report->error)
		report->error = error;
}

/* libxml2's writer reports only that it failed; writing to memory fails only for lack of memory. */
static void must(struct report *report, int result)
{
	if (result < 0)
		report_fail(report, -ENOMEM);
}

int report_new(const char *root, struct report **report)
{
	struct report *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	new->buffer = xmlBufferCreate();
	if (new->buffer) {
		xmlBufferSetAllocationScheme(new->buffer, XML_BUFFER_ALLOC_DOUBLEIT);
		new->writer = xmlNewTextWriterMemory(new->buffer, 0);
	}
	if (!new->c_locale || !new->writer) {
		report_free(new);
		return -ENOMEM;
	}
	must(new, xmlTextWriterSetIndent(new->writer, 1));
	must(new, xmlTextWriterSetIndentString(new->writer, BAD_CAST "  "));
	must(new, xmlTextWriterStartDocument(new->writer, "1.0", "UTF-8", NULL));
	report_begin(new, root);
	*report = new;
	return 0;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	if (report->writer)
		xmlFreeTextWriter(report->writer);
	if (report->buffer)
		xmlBufferFree(report->buffer);
	if (report->c_locale)
		freelocale(report->c_locale);
	free(report);
}

void report_begin(struct report *report, const char *element)
{
	if (report->error)
		return;
	if (report->is_ended) {
		report_fail(report, -EINVAL);
		return;
	}
	must(report, xmlTextWriterStartElement(report->writer, BAD_CAST element));
	report->depth++;
}

void report_end(struct report *report)
{
	if (report->error)
		return;
	if (report->depth == 0) {
		report_fail(report, -EINVAL);
		return;
	}
	must(report, xmlTextWriterEndElement(report->writer));
	report->depth--;
	report->is_ended = report->depth == 0;
}

/* Copies text without bytes that UTF-8 and XML 1.0 forbid, at most REPORT_TEXT_MAX bytes. */
static char *clean_copy(const char *text)
{
	char *copy = malloc(REPORT_TEXT_MAX + 1);
	size_t used = 0;

	while (copy && *text) {
		uint32_t code;
		size_t length = utf8_decode(text, UTF8_UP_TO_NUL, &code);

		if (code < ' ' ? !strchr("\t\n\r", (int)code) : code >> 1 == 0x7fff || utf8_is_surrogate(code))
			length = 0;
		if (used + (length ? length : 1) > REPORT_TEXT_MAX - 3) {
			memcpy(copy + used, "...", 3);
			used += 3;
			break;
		}
		if (length)
			memcpy(copy + used, text, length);
		else
			copy[used] = '?';
		used += length ? length : 1;
		text += length ? length : 1;
	}
	if (copy)
		copy[used] = '\0';
	return copy;
}

void report_attribute(struct report *report, const char *name, const char *value)
{
	char *copy;

	if (report->error)
		return;
	copy = clean_copy(value);
	must(report, copy ? xmlTextWriterWriteAttribute(report->writer, BAD_CAST name, BAD_CAST copy) : -1);
	free(copy);
}

void report_content(struct report *report, const char *value)
{
	char *copy;

	if (report->error)
		return;
	copy = clean_copy(value);
	must(report, copy ? xmlTextWriterWriteString(report->writer, BAD_CAST copy) : -1);
	free(copy);
}

void report_text(struct report *report, const char *element, const char *value)
{
	report_begin(report, element);
	report_content(report, value);
	report_end(report);
}

const char *report_format(struct report *report, double value, int decimals, char text[REPORT_NUMBER])
{
	locale_t before;

	if (!isfinite(value))
		return NULL;
	before = uselocale(report->c_locale);
	if (decimals >= 0)
		snprintf(text, REPORT_NUMBER, "%.*f", decimals, value);
	for (int digits = 15; decimals < 0 && digits <= 17; digits++) {
		snprintf(text, REPORT_NUMBER, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	uselocale(before);
	return text;
}

int report_document(struct report *report, const char **text, size_t *size)
{
	if (!report->error && !report->is_ended) {
		if (report->depth != 1)
			report_fail(report, -EINVAL);
		report_end(report);
	}
	if (!report->error && !report->is_whole) {
		must(report, xmlTextWriterEndDocument(report->writer));
		report->is_whole = true;
	}
	if (report->error)
		return report->error;
	*text = (const char *)xmlBufferContent(report->buffer);
	*size = (size_t)xmlBufferLength(report->buffer);
	return 0;
}

int report_write_xml(struct report *report, const char *path)
{
	const char *text;
	size_t size;
	int error = report_document(report, &text, &size);

	return error ? error : report_file_write(path, text, size);
}
