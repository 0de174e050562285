/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only writer of reports: XML by libxml2's xmlTextWriter, built in memory and then written to as many
 * places as wanted. A file is written next to its target, synced and renamed, so that an existing report is
 * complete. Errors are kept: calls after a failure do nothing, and the write returns the first one. Element and
 * attribute names are string literals. The C locale is used whatever the process has set.
 */
#ifndef COMMON_REPORT_REPORT_H
#define COMMON_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer texts are cut and end in "...", so that every report can be read back (common/report/report_read.h). */
#define REPORT_TEXT_MAX 8192

struct report;

/* root is the document element ("pmbenchmark"). */
int report_new(const char *root, struct report **report);
void report_free(struct report *report);
/* Records that the content could not be produced, as any other error. */
void report_fail(struct report *report, int error);
void report_begin(struct report *report, const char *element);
void report_end(struct report *report);
/* After report_begin, before content. */
void report_attribute(struct report *report, const char *name, const char *value);
/* The text of the element begun last, after its attributes. */
void report_content(struct report *report, const char *value);
/* <element>value</element>; bytes that XML 1.0 or UTF-8 forbids become '?'. */
void report_text(struct report *report, const char *element, const char *value);
/* The text of a number in text, which it returns; NULL of NaN and infinities. REPORT_SHORTEST: the shortest
 * that round-trips. */
#define REPORT_SHORTEST (-1)
#define REPORT_NUMBER 400 /* "%.*f" of the largest double has 309 digits before the point */
const char *report_format(struct report *report, double value, int decimals, char text[REPORT_NUMBER]);

/* path "-" is stdout. Ends the document element when only that is open; any other open element is -EINVAL.
 * report_write_json (common/report/report_json.h) may be called as well, in any order; no verb after them. 0 or -errno, without
 * a message: the caller knows which option named the path. */
int report_write_xml(struct report *report, const char *path);
/* The finished document as bytes, which belong to the report. -EINVAL when elements are still open. */
int report_document(struct report *report, const char **text, size_t *size);

/* Writes all of text to fd, repeating short writes. Returns 0 or -errno. */
int report_write_all(int fd, const char *text, size_t size);
/* Writes any bytes so that path has either all of them or its previous content; "-" is stdout. /dev/stdout and the like,
 * /dev/null and /dev/full are written to directly; links, named FIFOs and other devices never. Returns 0 or -errno. */
int report_file_write(const char *path, const char *text, size_t size);

/* Checks whether path can be written: it is a file or free, and a file can be made in its folder, which is tried
 * with one that has no name or is removed at once. Returns 0 or -errno, without a message. */
int report_check_path(const char *path);
/* Tells whether writing one path would overwrite the other: the same file under two names, or one that will be the same
 * when it is made. NULL is none; "-" equals only "-". */
bool report_is_same_file(const char *one, const char *other);

#endif
