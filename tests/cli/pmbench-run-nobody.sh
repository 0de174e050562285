#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/pmbench-run.sh once more, as a user without any privilege.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'is for root: without root tests/cli/pmbench-run.sh is this test'
command -v setpriv >/dev/null || skip_all 'needs setpriv (util-linux)'
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all'
chmod 777 "$tmp"
# shellcheck disable=SC2086 # several words
$nobody test -x "$(command -v pmbench)" -a -r "$top_srcdir/tests/lib/tap.sh" ||
	skip_all "the build folder cannot be read by everybody"
# shellcheck disable=SC2086
TMPDIR=$tmp $nobody sh "$top_srcdir/tests/cli/pmbench-run.sh"
