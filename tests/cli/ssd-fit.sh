#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads fit: the table of candidates, the exit status, and refusals in one line.
. "$top_srcdir/tests/lib/tap.sh"

no() { # MESSAGE OPTION...
	message=$1
	shift
	check_exit 2 "fit $*" ssd-workloads fit "$@"
	is 'one line' "$(cat "$tmp/err")" "ssd-workloads: $message"
}

check_exit 0 'two points are fitted' ssd-workloads fit --waf 1:5.466 --waf 0.916667:3.123 --predict 0.785714
check 'greedy with 10 % is the best, and predicts the third' \
	awk '$1 == "greedy" && $2 > 9.7 && $2 < 10.3 && $4 > 1.9 && $4 < 1.97 && $5 == "-" && $6 == "best" { found = 1 }
		END { exit !found }' "$tmp/out"
check 'few choices do not fit' awk '$1 == "best-of:1" { exit $6 != "no" }' "$tmp/out"
check_exit 0 'rates are predicted' ssd-workloads fit --waf 1:3.55 --iops 1:120600 --pages 512
check 'at the same fill it is the measured one' awk 'NR > 1 && ($5 < 120500 || $5 > 120700) { bad = 1 } END { exit bad || NR != 10 }' "$tmp/out"
check_exit 0 'the table is JSON, too' ssd-workloads fit --waf 1:3.5 --waf 1:3.6 --json
check 'with names and units' grep -q '"op_percent"' "$tmp/out"
check_exit 1 'points that contradict each other end with 1' ssd-workloads fit --waf 1:2 --waf 0.8:4
check 'and no row fits' awk 'NR > 1 && $6 != "no" { bad = 1 } END { exit bad }' "$tmp/out"
check_exit 0 'unless they are known no better' ssd-workloads fit --waf 1:2 --waf 0.8:4 --tolerance 100

no '--waf, --iops: at least two points are needed' --waf 1:3.5
waf='must be FILL:WAF, a share of the drive from 0.01 to 1 and a write amplification above 1, as 0.9:2.6'
for point in 1 1: :3 1.1:3 0:3 1:0.9 1:x x:3 1:3:3; do
	no "--waf $point: $waf" --waf $point --waf 1:2
done
no '--iops 1:-5: must be FILL:IOPS, a share of the drive from 0.01 to 1 and writes per second, as 1:120600' --iops 1:-5
tap_done
