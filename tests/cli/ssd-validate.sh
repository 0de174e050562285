#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads validate, in short: the simulated device agrees with everything that it is compared with.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1

check_exit 0 'the model agrees with what is known' ssd-workloads validate --overwrites=1 --noheadings -o verdict,source,what
cp "$tmp/out" rows
is 'each row says so' "$(cut -d ' ' -f 1 rows | sort -u)" ok
for source in 'sum of steps' "Little's law" 'closed form' simulation 'mean field' laws; do
	check "there are rows of: $source" grep -qF "$source" rows
done
for policy in 'no policy' multistream fdp log-first hints history; do
	check "the laws are checked in all mixes with: $policy" grep -q "^ok.*mixes in which every law holds, $policy$" rows
done
check_exit 2 'without an overwrite nothing is measured: it is refused' ssd-workloads validate --overwrites=0
tap_done
