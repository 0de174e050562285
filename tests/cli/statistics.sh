#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The unit tests of figures and laws that take millions of events.
. "$top_srcdir/tests/lib/tap.sh"
for test in $LONG_UNITS; do
	check "every test of $test passes" sh "$top_srcdir/tests/lib/run-unit.sh" "$top_builddir/$test"
done
check 'there are such tests' test "$tap_count" -gt 0
tap_done
