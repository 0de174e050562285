#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run: a run that is refused for lack of memory has not changed a byte of its target.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
[ -z "$sanitizer" ] || skip_all "the sanitizer's shadow memory needs more than any limit"
need_direct
cd "$work" || exit 99
head -c 4194304 /dev/urandom >mine
cp mine was

# KiB of address space: from what the program starts with, in steps, to what a run needs.
start=20000
# shellcheck disable=SC3045 # dash and bash have it
until (ulimit -v $start && ssd-workloads list) >/dev/null 2>&1; do start=$((start + 2000)); done
# With records (of as much as is written) and without.
for how in 'uring 0' 'uring 120s' 'threads 0' 'threads 120s'; do
	engine=${how% *} records=${how#* }
	options="--destroy-data=mine --require=$engine --records=$records"
	engine="$engine, --records=$records"
	# shellcheck disable=SC2086 # words
	if ! write_small mine $options --dry-run >/dev/null 2>"$tmp/why"; then
		skip "$engine: a refused run does not change its target" "$(cat "$tmp/why")"
		continue
	fi
	limit=$start refused=0 status=3 changed=no
	while [ $status -eq 3 ] && [ $limit -lt 1000000 ]; do
		status=0
		# shellcheck disable=SC3045,SC2086 # as above
		(ulimit -v $limit && write_small mine $options) >"$tmp/out" 2>"$tmp/err" || status=$?
		if [ $status -eq 3 ]; then
			refused=$((refused + 1))
			cmp -s mine was || { echo "# $limit KiB: $(cat "$tmp/err")"; changed=yes; break; }
		fi
		limit=$((limit + 4000))
	done
	check "$engine: some memory limits refuse the run" test $refused -gt 2
	is "$engine: a refused run does not change its target" $changed no
	case $status in 0 | 4) ended=yes ;; *) ended=$status ;; esac
	is "$engine: the run succeeds with a higher memory limit" "$ended" yes
	cp was mine
done
tap_done
