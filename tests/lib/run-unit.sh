#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: run-unit.sh PROGRAM     a cmocka test, under $UNIT_EMULATOR in cross builds; its exit status is kept.
# cmocka up to 1.1.5 prints a skipped test as "not ok N # SKIP", which TAP takes for a failure.
# shellcheck disable=SC2086 # the emulator comes with its options
{
	$UNIT_EMULATOR "$@"
	printf '\nexit %s\n' $?
} | awk '
/^exit [0-9]+$/ { status = $2; next }
/^$/ { next }
/^not ok [0-9]+ # SKIP/ { sub(/^not /, "") }
{ print; fflush() }
END { exit status }'
