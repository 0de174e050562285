/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_make FILE SAMPLES: writes SAMPLES samples of two threads, whose page popularity falls by a power law over 1 GiB. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/units.h"
#include "memtrace/file/trace_file.h"

#define BASE 0x7f0000000000ull
#define PAGES 262144u
#define PAGE 4096u

int main(int argc, char **argv)
{
	struct trace_event event = {.time_ns = 1000, .pid = 100, .tid = 100, .type = TRACE_COMM, .text = "made"};
	struct trace_sample sample = {.node = UINT8_MAX, .time_ns = 2000};
	uint64_t samples, state = 88172645463325252ull;
	struct trace_writer *writer;
	int fd, err;

	if (argc != 3 || units_parse_u64(argv[2], 1, 1ull << 40, &samples))
		return 2;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || trace_writer_open(fd, "engine\tburst\nperiod\t1000\nperiod_unit\taccesses\ncommand\tmade\n", 1, &writer)) {
		perror(argv[1]);
		return 3;
	}
	err = trace_write_event(writer, &event);
	event = (struct trace_event){.time_ns = 1001, .pid = 100, .tid = 100, .type = TRACE_MAP,
		.value = {BASE, (uint64_t)PAGES * PAGE, 0, 3}, .text = "//anon"};
	if (!err)
		err = trace_write_event(writer, &event);
	event = (struct trace_event){.time_ns = 1002, .pid = 100, .tid = 101, .type = TRACE_FORK, .value = {100, 100}, .text = ""};
	if (!err)
		err = trace_write_event(writer, &event);
	for (uint64_t i = 0; i < samples && !err; i++) {
		double share;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		share = (double)(state >> 11) * 0x1p-53;
		share *= share;
		/* Popular pages lie apart: an odd factor permutes them. */
		sample.address = BASE + (uint64_t)((uint32_t)(share * share * PAGES) * 40503u % PAGES) * PAGE + (state & 0xff8);
		sample.kind = state & 1 << 12 ? TRACE_STORE : TRACE_LOAD;
		sample.tid = 100 + (i >> 10 & 1);
		sample.time_ns += 900 + (state >> 20 & 0xff);
		err = trace_write_sample(writer, &sample);
	}
	event = (struct trace_event){.type = TRACE_END, .time_ns = sample.time_ns, .text = ""};
	if (!err)
		err = trace_write_event(writer, &event);
	if (!err)
		err = trace_writer_flush(writer);
	trace_writer_close(writer);
	close(fd);
	if (err)
		fprintf(stderr, "%s: cannot be written\n", argv[1]);
	return err ? 3 : 0;
}
