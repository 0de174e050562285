#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads validate, in short: the simulated device agrees with everything that it is compared with.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1

check_exit 0 'validate: the model agrees with every reference' \
	ssd-workloads validate --overwrites=1 --noheadings -o verdict,source,what
cp "$tmp/out" rows
is 'validate: every row has the verdict ok' "$(cut -d ' ' -f 1 rows | sort -u)" ok
for source in 'sum of steps' "Little's law" 'closed form' simulation 'mean field' laws; do
	check "validate has rows of: $source" grep -qF "$source" rows
done
for policy in 'no policy' multistream fdp log-first hints history; do
	check "validate: every law holds in all mixes with: $policy" grep -q "^ok.*mixes in which every law holds, $policy$" rows
done
check_exit 2 'validate refuses --overwrites=0' ssd-workloads validate --overwrites=0
tap_done
