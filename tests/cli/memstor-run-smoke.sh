#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The suite smoke with pmbench itself, shortened: its reports are valid and have labels that distinguish them.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
cd "$tmp" || exit 1
status=0
memstor run smoke --set seconds=50ms --set map=4 --runs 2 --label by=test -o smoke >table 2>err || status=$?
# Other load on the host may disturb a result (status 4), which is not a failure of the suite.
check "the suite smoke ends with a result (status $status)" test $status = 0 -o $status = 4
sed 's/^/# /' err table
reports=$(find smoke -name report.xml | wc -l)
is 'the suite smoke has a report for each run' "$reports" 20
check_exit 0 'each report of the suite smoke is valid' memstor validate smoke
is 'each report of the suite smoke was validated' "$(wc -l <"$tmp/out")" "$reports"
is 'the reports of the suite smoke have their labels' \
	"$(sed -n 's/.*<label name="\([a-z]*\)">\(.*\)<.*/\1=\2/p' smoke/threads/2/report.xml | tr '\n' ' ')" \
	'suite=smoke step=threads run=2 by=test '
is 'the table of the suite smoke has a rate and a latency for each step' "$(grep -cE '^[a-z,.0-9-]+ +2/2 +[0-9.]+ ?[kM]?/s +[0-9.]+ [a-z]+ +(ok|untrustworthy)' table)" 10
is 'the suite smoke keeps the stdout of a step' "$(grep -c '^Total samples: ' smoke/threads/1/stdout)" 2
tap_done
