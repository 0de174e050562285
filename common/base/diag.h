/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only writer to stderr. Every message is one line "program: text" and the line is written with
 * one write(2), so that lines of several processes do not mix. Nothing here may be called between the
 * first and the last stamp of a measured window.
 */
#ifndef COMMON_BASE_DIAG_H
#define COMMON_BASE_DIAG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes of every program of the suite (docs/ARCHITECTURE.md). */
enum diag_exit {
	DIAG_EXIT_OK = 0,
	DIAG_EXIT_NEGATIVE = 1,   /* objective missed, regression, verification failed */
	DIAG_EXIT_USAGE = 2,      /* usage or internal error */
	/* The host lacks a feature, privilege, memory or space. Also when this shows during the run (the disk becomes full) and
	 * there is a report of the completed part: its verdict is "untrustworthy". 3 precedes 4, and 4 precedes 1. */
	DIAG_EXIT_HOST = 3,
	DIAG_EXIT_UNTRUSTED = 4,  /* result untrustworthy or inconclusive */
};

/* Call it first in main: otherwise a standard descriptor that the caller has closed would become the first file that is
 * opened, and messages would be written to it. Reading from or writing to such a descriptor still fails, and an executed
 * program has it closed. A write beyond the file size limit (ulimit -f) fails with EFBIG instead of ending the program. */
void diag_claim_descriptors(void);
/* Call it second in main. However the program ends (--help ends it), output that could not be written gives one line on stderr
 * and DIAG_EXIT_HOST; _exit skips this, so forked children are not affected. On a terminal everything written to stdout is
 * cleaned as by diag_clean; only diag_colour writes colours. */
void diag_watch_stdout(void);
/* Writes an escape sequence such as "\033[31m" after the pending output of out; "" writes nothing. */
void diag_colour(FILE *out, const char *sequence);

/*
 * Replaces in place by '?' all characters that control a terminal or are invisible: controls (C0 but those in keep, DEL, C1),
 * marks that change the direction of writing or break lines (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), and
 * bytes that are not UTF-8. Returns the new length, which is not larger; a NUL after the text moves with it.
 */
size_t diag_clean(char *text, size_t length, const char *keep);

/* err: 0, or a positive or negative errno value whose text is appended after ": ". Returns 0 or -errno. */
int diag_error(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like diag_error, for refusals: the value is the exit code. */
#define diag_host(err, ...) (diag_error((err), __VA_ARGS__), DIAG_EXIT_HOST)
#define diag_usage(...) (diag_error(0, __VA_ARGS__), DIAG_EXIT_USAGE)
#define diag_usage_errno(...) (diag_error(__VA_ARGS__), DIAG_EXIT_USAGE) /* err, FORMAT... */
/* Writes the line into why, for the caller to print. Returns err. */
int diag_explain(int err, char *why, size_t length, const char *format, ...) __attribute__((format(printf, 4, 5)));
void diag_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like diag_explain, with a text that lives as long as the program. */
static inline int diag_why(int err, const char **why, const char *text)
{
	*why = text;
	return err;
}

#endif
