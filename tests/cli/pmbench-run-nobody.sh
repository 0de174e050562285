#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pmbench as a user without privilege, when tests/cli/pmbench-run.sh runs as root.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'is for root: without root tests/cli/pmbench-run.sh is this test'
command -v setpriv >/dev/null || skip_all 'needs setpriv (util-linux)'
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all'
# shellcheck disable=SC2086 # several words
$nobody test -x "$(command -v pmbench)" -a -r "$top_srcdir/tests/lib/tap.sh" ||
	skip_all "the build folder cannot be read by everybody"
mkdir -m 777 "$tmp/work"
chmod 755 "$tmp"
cd "$tmp/work" || exit 1

for how in '' '-j 3' '--processes 2 -j 2' '--hdr' '--map shared' '--map memfd' "--map file:$tmp/work/map" '--thp -m 8' \
	'-p zipf' '-d 1000' '--store-visible' '-t perfc'; do
	# shellcheck disable=SC2086 # several words
	check_run "user nobody: pmbench $how runs" $nobody pmbench -m 1 -c -i --accesses 3000 $how -f r.xml
	lawful "user nobody: pmbench $how" r.xml
	if [ -n "${sanitizer:-}" ]; then
		skip "user nobody: pmbench $how classifies all faults" "the sanitizer's own faults count, too"
	else
		is "user nobody: pmbench $how classifies all faults" "$(total r.xml total_inexact_faults)" 0
	fi
	rm -f r.xml
done
is 'user nobody: pmbench --map file removes the file' "$(ls -A)" ''
check_exit 3 'user nobody: pmbench --ram is refused' $nobody pmbench --ram 64M -m 128 1
is 'user nobody: pmbench --ram is refused in one line' "$(wc -l <"$tmp/err")" 1
tap_done
