#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No space for the report: one line, status 3, what was there before stays, and no part of a report is left. The small
# file system is mounted in a namespace of its own.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root, to mount a file system'
if [ -z "$IS_INSIDE" ]; then
	unshare -m true 2>"$tmp/why" || skip_all "cannot make a mount namespace: $(cat "$tmp/why")"
	IS_INSIDE=yes unshare -m sh "$0"
	exit
fi
mkdir "$tmp/disk"
mount -t tmpfs -o size=64k tmpfs "$tmp/disk" || skip_all 'cannot mount a tmpfs'
cd "$tmp/disk" || exit 1
unmount() {
	cd /
	umount "$tmp/disk"
	tap_cleanup
}
trap unmount EXIT

full() { # full WHAT LINE ARGUMENT...
	what=$1
	line=$2
	shift 2
	check_exit 3 "$what ends with 3" pmbench -m 1 -c --accesses 1000 "$@"
	is "$what is reported in one line" "$(cat "$tmp/err")" "pmbench: $line: No space left on device"
	check "$what does not prevent the text" grep -q '^Total samples: ' "$tmp/out"
}
# An older report: what begins otherwise is not overwritten.
echo '<?xml version="1.0"?><memstor precious="yes"/>' >r.xml
cp r.xml "$tmp/older.xml"
full 'a report to a full disk' '-f r.xml: the report could not be written' -f r.xml
check 'a report to a full disk leaves the older one unchanged' cmp r.xml "$tmp/older.xml"
is 'a report to a full disk leaves no other file' "$(ls -A)" r.xml
full 'a JSON report to a full disk' '--json r.json: the report could not be written' --json=r.json
is 'a JSON report to a full disk leaves no part' "$(ls -A)" r.xml
full 'one of two reports to a full disk' '-f r.xml: the report could not be written' -f r.xml --json="$tmp/r.json"
check 'one of two reports to a full disk leaves the other whole' sh -c "tail -n 1 '$tmp/r.json' | grep -qx '}'"

# Full while the text goes there.
status=0
pmbench -m 1 -c --accesses 1000 >text 2>"$tmp/err" || status=$?
# On a busy machine it ends with 4, and the text says why.
[ "$status" = 4 ] && grep -q '^WARNING: contention:' text && status=0
is 'a run without a report ends with 0 on a full disk' "$status" 0
head -c 70000 /dev/zero >filler 2>/dev/null
status=0
pmbench -m 1 -c --accesses 1000 >text2 2>"$tmp/err" || status=$?
is 'text to a full disk ends with 3 and one line' "$status: $(cat "$tmp/err")" '3: pmbench: cannot write to standard output'
check_exit 3 'a map on a full disk ends with 3' pmbench --map "file:$tmp/disk/map" -m 1 -i --accesses 1000
is 'a map on a full disk is refused in one line' "$(wc -l <"$tmp/err")" 1
sed 's/^/# /' "$tmp/err"
check 'a map on a full disk leaves no part of its file' test ! -e map
tap_done
