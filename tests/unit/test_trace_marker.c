/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "pmbench/access/trace_marker.h"

TEST("a trace marker is one line with latency, address, access and thread")
{
	static const struct {
		uint64_t ns, address;
		enum access_direction direction;
		unsigned thread;
		const char *line;
	} cases[] = {
		{1234, 0x7f0012ab, ACCESS_READ, 3,
			"pmbench: access over threshold: 1234 ns address 0x7f0012ab read thread 3\n"},
		{UINT64_MAX, UINT64_MAX, ACCESS_WRITE, UINT32_MAX,
			"pmbench: access over threshold: 18446744073709551615 ns address "
			"0xffffffffffffffff write thread 4294967295\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_marker marker;
		char line[256] = "";
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		marker.fd = fds[1];
		trace_marker_write(&marker, cases[i].ns, cases[i].address, cases[i].direction, cases[i].thread);
		close(fds[1]);
		assert_int_equal(read(fds[0], line, sizeof(line) - 1), strlen(cases[i].line));
		assert_string_equal(line, cases[i].line);
		close(fds[0]);
	}
}
