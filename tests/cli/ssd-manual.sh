#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads.1: sections and options as in --help; the examples are accepted.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
page=$top_builddir/ssd-workloads/ssd-workloads.1
program_manual ssd-workloads "$page"
mkdir "$tmp/work"
cd "$tmp/work" || exit 1

# --- the mixes of list and the figures of analyze are explained
plain <"$page" | tr -c 'a-zA-Z0-9-' '\n' | sort -u >"$tmp/words"
ssd-workloads list | sed 1d | cut -d ' ' -f 1 | sort >"$tmp/mixes"
is 'the page explains every mix of ssd-workloads list' "$(comm -23 "$tmp/mixes" "$tmp/words")" ''

# --- the examples: run with --dry-run, for which 3 (not possible on this host) is accepted, too
while read -r example; do
	case $example in
	'ssd-workloads run '* | 'ssd-workloads sweep '*)
		example=$(echo "$example" | sed "s,/mnt/disk,.,")
		status=0
		sh -c "$example --dry-run" >"$tmp/out" 2>"$tmp/err" || status=$?
		check "the example of the page can be planned: $example" \
			sh -c 'case $1 in 0 | 3) ;; *) cat "$2"; exit 1 ;; esac' sh $status "$tmp/err"
		;;
	esac
	is "the example of the page leaves no file behind: $example" "$(ls -A "$tmp/work")" ''
done <"$tmp/examples"
# --- how long a device that another process has open is waited for
tr '\n' ' ' <"$page" >"$tmp/page"
waits() { # of the source: tries and the time between two
	awk '$2 == "TRIES" { tries = $3 } $2 == "PAUSE_NS" { pause = $3 + 0 } END { print tries * pause / 1e9 }' \
		"$top_srcdir/common/storage/target_use.c"
}
check 'the page says how long an open device is waited for' \
	grep -qF "waits up to $(waits) s for that process to close it" "$tmp/page"
tap_done
