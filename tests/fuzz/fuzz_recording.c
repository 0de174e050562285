/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a whole recording, with checksums corrected so that what is behind them is reached: a command that reads
 * recordings, which one depends on the bytes, ends with one of its exit codes. */
#include "config.h"
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include "common/base/diag.h"
#include "memtrace/commands.h"

#define PREFIX 20
#define HEAD 40
#define WORDS 6 /* of a command line */

/* "@" is the recording. */
static const char *const lines[][WORDS] = {
	{"report", "@"},
	{"report", "--by", "thread", "--json", "@"},
	{"analyze", "pattern", "@"},
	{"analyze", "pattern", "-x", "samples", "@"},
	{"analyze", "pattern", "-y", "address", "@"},
	{"analyze", "count", "@"},
	{"analyze", "hotset", "@"},
	{"analyze", "missratio", "@"},
	{"analyze", "skew", "@"},
	{"analyze", "partition", "@", "@"},
	{"analyze", "reuse", "@"},
	{"analyze", "stride", "@"},
	{"analyze", "sharing", "@"},
	{"export", "@"},
	{"export", "--to", "pmbench", "@"},
};

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static void put_u32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

static void correct(uint8_t *bytes, size_t size)
{
	size_t at = PREFIX;

	if (size < PREFIX || get_u32(bytes + 12) > size - PREFIX)
		return;
	put_u32(bytes + 16, (uint32_t)crc32(0, bytes + PREFIX, get_u32(bytes + 12)));
	for (at += get_u32(bytes + 12); size - at >= HEAD; at += HEAD + get_u32(bytes + at + 8)) {
		if (get_u32(bytes + at + 8) > size - at - HEAD)
			break;
		put_u32(bytes + at + 32, (uint32_t)crc32(0, bytes + at + HEAD, get_u32(bytes + at + 8)));
		put_u32(bytes + at + 36, (uint32_t)crc32(0, bytes + at, 36));
	}
}

static void run(const char *const words[WORDS], const char *path)
{
	const struct command *const commands[] = {&memtrace_report, &memtrace_analyze, &memtrace_export};
	char *argv[WORDS + 1] = {NULL};
	int argc = 0, code = -1;

	for (; argc < WORDS && words[argc]; argc++)
		argv[argc] = strdup(words[argc][0] == '@' ? path : words[argc]);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i]->name, words[0]))
			code = commands[i]->run(commands[i], argc, argv);
	}
	check(code == DIAG_EXIT_OK || code == DIAG_EXIT_USAGE || code == DIAG_EXIT_UNTRUSTED);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* What the commands print is of no interest; findings are printed by the engine's copy of stderr. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char quiet[] = "-close_fd_mask=3";
	char **longer = calloc((size_t)*argc + 2, sizeof(*longer));

	check(longer);
	memcpy(longer, *argv, (size_t)*argc * sizeof(*longer));
	longer[*argc] = quiet;
	*argv = longer;
	++*argc;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	size_t line = crc32(0, data, (uInt)size) % (sizeof(lines) / sizeof(lines[0]));
	char path[64];
	int fd = memfd_create("recording", MFD_CLOEXEC);

	check(bytes && fd >= 0);
	memcpy(bytes, data, size);
	correct(bytes, size);
	check(write(fd, bytes, size) == (ssize_t)size);
	free(bytes);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	run(lines[line], path);
	close(fd);
	return 0;
}
