/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "pmbench/trace_marker.h"

TEST("a trace marker holds latency, address, access and thread")
{
	char line[TRACE_MARKER_LINE_BYTES + 1] = {0};
	size_t length = trace_marker_format(line, 1234, 0x7f0012ab, ACCESS_READ, 3);

	assert_string_equal(line, "pmbench: access over threshold: 1234 ns address 0x7f0012ab read thread 3\n");
	assert_int_equal(length, strlen(line));
}

TEST("the longest trace marker fits its buffer")
{
	char line[TRACE_MARKER_LINE_BYTES + 1] = {0};
	size_t length = trace_marker_format(line, UINT64_MAX, UINT64_MAX, ACCESS_WRITE, UINT32_MAX);

	assert_string_equal(line, "pmbench: access over threshold: 18446744073709551615 ns address "
		"0xffffffffffffffff write thread 4294967295\n");
	assert_true(length < TRACE_MARKER_LINE_BYTES);
}
