/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One value in a file below /proc or /sys. `root` is "" on a real machine and a fixture folder in tests; `path`
 * begins with a slash. Values are read up to the first newline, trailing blanks removed. Functions return 0 or -errno;
 * results are written only on success. Files may contain any bytes: the parsers never read past them.
 */
#ifndef COMMON_BASE_SYSFS_H
#define COMMON_BASE_SYSFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Formats a path in place: sysfs_read(root, SYSFS_PATH("/sys/block/%s/size", name), ...). Valid until the block ends. */
#define SYSFS_PATH_BYTES 768
#define SYSFS_PATH(...) sysfs_path((char[SYSFS_PATH_BYTES]){0}, __VA_ARGS__)
const char *sysfs_path(char path[SYSFS_PATH_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a folder relative to dirfd (or AT_FDCWD) for readdir; the caller closes it. */
int sysfs_open_folder(int dirfd, const char *path, DIR **folder);
/* Returns -EOVERFLOW when the value does not fit (the kernel's own limit for one value is a page). */
int sysfs_read(const char *root, const char *path, char *value, size_t length);
/* Accepts decimal digits only, with nothing after them: -EINVAL, or -ERANGE above 2^64 - 1. */
int sysfs_read_u64(const char *root, const char *path, uint64_t *value);
/* Reads the selected word: "always [madvise] never" gives "madvise"; -EINVAL when no word is marked. */
int sysfs_read_choice(const char *root, const char *path, char *value, size_t length);
/* The file must exist; value is written by one write(2). */
int sysfs_write(const char *root, const char *path, const char *value);
/* Reads a whole file of at most limit bytes (-EFBIG beyond) into *text, NUL-terminated, which the caller frees. The file may
 * contain NULs: *length counts them. */
int sysfs_slurp(const char *root, const char *path, size_t limit, char **text, size_t *length);

/* Returns the text after "NAME:", "NAME " or, as in /proc/cpuinfo, "NAME\t:" at the beginning of a line; NULL when there is
 * none. */
const char *sysfs_field(const char *text, const char *name);
/* Reads the number of such a line from a file, in this base: "MemAvailable:  123 kB" is 123. -ENODATA: the line is missing. */
int sysfs_read_field(const char *root, const char *path, const char *name, int base, uint64_t *value);
/* Parses the decimal number at the beginning of text and returns the text after it; NULL when there is no digit or the number
 * is above 2^64 - 1. Signs and blanks are not skipped. */
const char *sysfs_scan_u64(const char *text, uint64_t *value);
/* Decodes "\040" and the like in place, as /proc/swaps and mountinfo write blanks. */
void sysfs_unescape(char *text);
/* Tells whether a list of words (separated by any of separators) contains this one. */
bool sysfs_has_word(const char *words, const char *separators, const char *word);

#endif
