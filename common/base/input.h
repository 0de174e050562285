/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one reader of files that a user names. It never waits for a writer, has no effect on a device, and reads no more than
 * the limit of its kind of file. Functions return 0 or -errno, whose text input_error returns: -ENOENT, ..., -EISDIR a folder,
 * -ESPIPE a named FIFO, -ENODEV a device or socket, -EFBIG above the limit.
 */
#ifndef COMMON_BASE_INPUT_H
#define COMMON_BASE_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Limits of files that are not read into memory as a whole. */
#define INPUT_RECORDING_MAX (1ull << 40) /* recordings, and what perf has recorded */
#define INPUT_PROGRAM_MAX (1ull << 34)   /* programs and libraries */

/* Opens a regular file of at most limit bytes and returns its size; the caller closes *fd. */
int input_open(const char *path, uint64_t limit, int *fd, uint64_t *bytes);
/* Opens a file as a stream. Like input_read it also accepts an open pipe, as from <(COMMAND). */
int input_stream(const char *path, uint64_t limit, FILE **in);
/* Reads all bytes, to be freed by the caller; a NUL that is not counted follows them. -EINTR: a signal came
 * (common/base/interrupt.h). */
int input_read(const char *path, size_t limit, char **text, size_t *size);
/* Reads the next line, without its end. 1 = there is one, 0 = there is none; -EILSEQ: it has a NUL byte, -EMSGSIZE: it is longer
 * than length - 1 bytes, or another -errno. */
int input_line(FILE *in, char *line, size_t length);
const char *input_error(int error);

#endif
