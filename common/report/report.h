/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only writer of reports: XML by libxml2's xmlTextWriter, built in memory and then written to any number of places. A file is
 * written next to its target, synced and renamed, so that an existing report is complete. Errors are kept: calls after a failure
 * do nothing, and the write returns the first one. Element and attribute names are string literals. The C locale is used whatever
 * the process has set.
 */
#ifndef COMMON_REPORT_REPORT_H
#define COMMON_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer texts are cut and end in "...", so that every report can be read back (common/report/report_read.h). */
#define REPORT_TEXT_MAX 8192

struct report;

/* root: the document element ("pmbenchmark"). */
int report_new(const char *root, struct report **report);
void report_free(struct report *report);
/* Records an error of the caller, like an error of the report itself. */
void report_fail(struct report *report, int error);
void report_begin(struct report *report, const char *element);
void report_end(struct report *report);
/* Must be called after report_begin and before content. */
void report_attribute(struct report *report, const char *name, const char *value);
/* Writes the text of the element begun last, after its attributes. */
void report_content(struct report *report, const char *value);
/* Writes <element>value</element>; bytes that XML 1.0 or UTF-8 forbid become '?'. */
void report_text(struct report *report, const char *element, const char *value);
/* Formats a number and returns text; NULL for NaN and infinities. REPORT_SHORTEST: the shortest text that reads back to the
 * same value. */
#define REPORT_SHORTEST (-1)
#define REPORT_NUMBER 400 /* "%.*f" of the largest double has 309 digits before the point */
const char *report_format(struct report *report, double value, int decimals, char text[REPORT_NUMBER]);

/* Writes the report to path, "-" is stdout. Ends the document element when only that is open; any other open element is
 * -EINVAL. report_write_json (common/report/report_json.h) may be called as well, in any order; nothing may be added after
 * either. Returns 0 or -errno, without a message: the caller knows which option named the path. */
int report_write_xml(struct report *report, const char *path);
/* Returns the finished document as bytes, which belong to the report. -EINVAL when elements are still open. */
int report_document(struct report *report, const char **text, size_t *size);

/* Writes all of text to fd, repeating short writes. Returns 0 or -errno. */
int report_write_all(int fd, const char *text, size_t size);
/* Writes text so that path has either all of it or its previous content; "-" is stdout. /dev/stdout and the like, /dev/null and
 * /dev/full are written to directly; links, named FIFOs and other devices never. Returns 0 or -errno. */
int report_file_write(const char *path, const char *text, size_t size);

/* Checks whether path can be written: it is a file or free, and its folder accepts a new file, which is tried with a file that
 * has no name or is removed at once. Returns 0 or -errno, without a message. */
int report_check_path(const char *path);
/* Tells whether writing one path would overwrite the other: the same file under two names, or paths of a new file that will be
 * the same. NULL means no file; "-" equals only "-". */
bool report_is_same_file(const char *one, const char *other);

#endif
