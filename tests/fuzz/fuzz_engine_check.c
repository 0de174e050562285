/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as the lines of a recording's header behind those of a check: what is read as a check of the engine is printed, and
 * written and read again it is the same. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memtrace/engine_check.h"

#define ROOM 16384

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

/* -1 = there is no check. */
static int read_header(const char *header, struct engine_check *found)
{
	struct trace_writer *writer;
	struct trace_reader *reader;
	char path[64];
	int fd = memfd_create("recording", MFD_CLOEXEC), err;

	check(fd >= 0);
	err = trace_writer_open(fd, header, 1, &writer);
	if (!err) {
		check(!trace_writer_flush(writer));
		trace_writer_close(writer);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		err = trace_reader_open(path, &reader);
	}
	if (!err) {
		err = engine_check_of(reader, found);
		trace_reader_close(reader);
	}
	close(fd);
	return err ? -1 : 0;
}

static void check_rows(const struct engine_check *found)
{
	check(found->count > 0 && found->count <= ENGINE_CHECK_PATTERNS);
	for (size_t i = 0; i < found->count; i++) {
		const struct mt_rank_group_values *groups = found->rows[i].rank_group.rows;
		char text[ENGINE_CHECK_TEXT];

		check(found->rows[i].pattern == found->patterns[i] && !strpbrk(found->patterns[i], " \t\n"));
		check(found->rows[i].rank_group.count <= QUALITY_GROUPS);
		for (size_t j = 0; j < found->rows[i].rank_group.count; j++)
			check(groups[j].first_rank <= groups[j].last_rank &&
				(!j || groups[j - 1].last_rank < groups[j].first_rank));
		engine_check_line(found, i, text);
		check(memchr(text, 0, sizeof(text)) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct engine_check found, second;
	static char header[ROOM];
	char *again = NULL;
	size_t length;
	FILE *out;
	int used = snprintf(header, sizeof(header), "selfcheck\tnow\nselfcheck_machine\tCPU\nselfcheck_kernel\t6\n");

	if (size > ROOM / 2)
		return 0;
	memcpy(header + used, data, size);
	header[(size_t)used + size] = '\0';
	if (read_header(header, &found))
		return 0;
	check_rows(&found);
	out = open_memstream(&again, &length);
	check(out != NULL);
	engine_check_write(&found, out);
	check(!fclose(out));
	check(!read_header(again, &second) && second.count == found.count);
	for (size_t i = 0; i < found.count; i++)
		check(!strcmp(found.patterns[i], second.patterns[i]) &&
			found.rows[i].rank_group.count == second.rows[i].rank_group.count);
	free(again);
	return 0;
}
