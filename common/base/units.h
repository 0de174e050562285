/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as people write them: sizes, durations, percentages, lists. Every parser reads the whole
 * string (no trailing text, no sign where none is allowed, C locale), returns 0, -EINVAL (not a number
 * of this kind) or -ERANGE (overflow or outside [min, max]), and writes its result only on success.
 */
#ifndef COMMON_BASE_UNITS_H
#define COMMON_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNITS_KIB 1024ull
#define UNITS_MIB (1024ull * 1024)
#define UNITS_GIB (1024ull * 1024 * 1024)
#define UNITS_NS_PER_SEC 1000000000ull

/* Parses "4k" "512MiB" "1g" "1.5G" "100B": 1024-based, case-insensitive, optional "iB" or "B", prefixes k m g t p; a number
 * without a unit is multiplied by bare_unit (1 for bytes, UNITS_MIB for pmbench's -m and -s; at most 2^60). A fraction is
 * computed exactly and cut to whole bytes; bytes themselves have none. */
int units_parse_size(const char *text, uint64_t bare_unit, uint64_t *bytes);

/* A size, or "75%" (0 < percent <= 100, fractions allowed) of a whole that the caller knows. */
struct units_share {
	bool is_percent;
	double percent; /* when is_percent */
	uint64_t bytes; /* otherwise */
};
int units_parse_share(const char *text, uint64_t bare_unit, struct units_share *share);
uint64_t units_share_of(const struct units_share *share, uint64_t whole_bytes);

/* Parses "300" (seconds) "5m" "250ms" "1.5s" "2h" "10us" "50ns" to nanoseconds; lower case only. Fractions as in sizes. 0 is a
 * duration. */
int units_parse_duration(const char *text, uint64_t *ns);

int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);
int units_parse_i64(const char *text, int64_t min, int64_t max, int64_t *value);
/* Parses a finite decimal number ("1.5" "-2" ".5" "1e-3"): hexadecimal floats, "inf", "nan" and a leading '+' are refused.
 * -ENOMEM is possible. */
int units_parse_double(const char *text, double min, double max, double *value);

/* Parses the Linux list format "0-3,8,10-11" into a sorted array without duplicates: at most max entries, each below limit
 * (-ERANGE for both). Ranges run upwards; their order and overlaps do not matter. An empty string is an empty list. */
int units_parse_list(const char *text, unsigned limit, unsigned *values, size_t max, size_t *count);

/* The next functions format for people, with three digits or more: "8 GiB", "1.5 MiB", "17.3 us", "5 min"; a duration that is
 * not finite is "n/a". The text is always terminated (length > 0) and returned; UNITS_TEXT bytes always suffice. */
#define UNITS_TEXT 32
char *units_format_size(uint64_t bytes, char *buffer, size_t length);
char *units_format_duration(double ns, char *buffer, size_t length);
/* Formats a value for a column, with three digits or more: "33.0 us" where the functions above write "33 us"; 0 is "0 ns"; a
 * value that is not finite is "-". Units "ns" and "s" are durations, "bytes" sizes ("8 GiB"); "%", "x" and "" (no unit) have no
 * prefix, "12.0 %"; others have a decimal prefix, "45.6 kB/s", and "1.23 M/s" for the unit "1/s". */
char *units_format(double value, const char *unit, char *buffer, size_t length);
/* Inverse of units_parse_double: writes the shortest text that reads back to the same value; "" when it is not finite. */
char *units_write_double(double value, char *buffer, size_t length);
/* Inverse of units_parse_duration: writes whole seconds without a unit, else nanoseconds ("300", "250000000ns"). */
char *units_write_duration(uint64_t ns, char *buffer, size_t length);
/* Inverse of units_parse_list, for sorted values. Values that do not fit are replaced by "...". */
char *units_format_list(const unsigned *values, size_t count, char *buffer, size_t length);

#endif
