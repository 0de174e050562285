/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a trace_pipe for tests, as Linux 6.18 prints them, and the format files that they follow. */
#ifndef TESTS_UNIT_TRACE_LINES_H
#define TESTS_UNIT_TRACE_LINES_H

#include <string.h>

#include "iowrite-bench/trace/event.h"
#include "tests/unit/unit.h"

#define WRITER "   iowrite-bench-4711    [001] "
#define FLUSHER "    kworker/u8:3-27489   [000] "
#define STATE(dirty, writeback)                                                                                       \
	"global_dirty_state: dirty=" dirty " writeback=" writeback                                                    \
	" bg_thresh=1000 thresh=2000 limit=2500 dirtied=99 written=18446744073709551615"
#define PAUSE(bdi, pause) PAUSE_OF(bdi, pause, "512", "1")
#define PAUSE_OF(bdi, pause, dirtied, cgroup)                                                                         \
	"balance_dirty_pages: bdi " bdi                                                                               \
	": limit=2500 setpoint=2000 dirty=1900 wb_setpoint=1999 wb_dirty=1800 dirty_ratelimit=102400 "                \
	"task_ratelimit=51200 dirtied=" dirtied " dirtied_pause=64 paused=0 pause=" pause                             \
	" period=20 think=-4 cgroup_ino=" cgroup
#define RATELIMIT(bdi, rate) RATELIMIT_OF(bdi, rate, "1")
#define RATELIMIT_OF(bdi, rate, cgroup)                                                                               \
	"bdi_dirty_ratelimit: bdi " bdi ": write_bw=70000 awrite_bw=80000 dirty_rate=90000 dirty_ratelimit=" rate     \
	" task_ratelimit=100 balanced_dirty_ratelimit=200 cgroup_ino=" cgroup

static inline void read_formats(struct event_format formats[EVENT_FORMATS])
{
	static char text[16384];
	const char *missing = NULL;

	for (int kind = 0; kind < EVENT_FORMATS; kind++) {
		char path[512];
		FILE *file;
		size_t size;

		snprintf(path, sizeof(path), "%s/tests/fixtures/iowrite/trace-formats/%s", unit_srcdir(),
			event_name((enum event_kind)kind));
		file = fopen(path, "r");
		assert_non_null(file);
		size = fread(text, 1, sizeof(text) - 1, file);
		text[size] = '\0';
		fclose(file);
		assert_int_equal(event_read_format((enum event_kind)kind, text, &formats[kind], &missing), 0);
		assert_null(missing);
	}
}

#endif
