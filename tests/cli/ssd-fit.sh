#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads fit: the table of candidates, the exit status, and refusals in one line.
. "$top_srcdir/tests/lib/tap.sh"

no() { # MESSAGE OPTION...
	message=$1
	shift
	check_exit 2 "fit refuses $*" ssd-workloads fit "$@"
	is "fit refuses in one line: $*" "$(cat "$tmp/err")" "ssd-workloads: $message"
}

check_exit 0 'fit of two points with --predict succeeds' ssd-workloads fit --waf 1:5.466 --waf 0.916667:3.123 --predict 0.785714
check 'fit: greedy with 10 % over-provisioning is the best and predicts the third point' \
	awk '$1 == "greedy" && $2 > 9.7 && $2 < 10.3 && $4 > 1.9 && $4 < 1.97 && $5 == "-" && $6 == "best" { found = 1 }
		END { exit !found }' "$tmp/out"
check 'fit: best-of:1 does not fit the points' awk '$1 == "best-of:1" { exit $6 != "no" }' "$tmp/out"
check_exit 0 'fit of one write amplification and one rate succeeds' ssd-workloads fit --waf 1:3.55 --iops 1:120600 --pages 512
check 'fit predicts the measured rate at the same fill' \
	awk 'NR > 1 && ($5 < 120500 || $5 > 120700) { bad = 1 } END { exit bad || NR != 10 }' "$tmp/out"
check_exit 0 'fit --json succeeds' ssd-workloads fit --waf 1:3.5 --waf 1:3.6 --json
check 'fit --json has names with units' grep -q '"op_percent"' "$tmp/out"
check_exit 1 'fit of points that contradict each other ends with 1' ssd-workloads fit --waf 1:2 --waf 0.8:4
check 'fit: no candidate fits points that contradict each other' awk 'NR > 1 && $6 != "no" { bad = 1 } END { exit bad }' "$tmp/out"
check_exit 0 'fit --tolerance 100 accepts points that contradict each other' ssd-workloads fit --waf 1:2 --waf 0.8:4 --tolerance 100

no '--waf, --iops: at least two points are needed' --waf 1:3.5
waf='must be FILL:WAF, a share of the drive from 0.01 to 1 and a write amplification above 1, as 0.9:2.6'
for point in 1 1: :3 1.1:3 0:3 1:0.9 1:x x:3 1:3:3; do
	no "--waf $point: $waf" --waf $point --waf 1:2
done
no '--iops 1:-5: must be FILL:IOPS, a share of the drive from 0.01 to 1 and writes per second, as 1:120600' --iops 1:-5
tap_done
