#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --map hugetlb on huge pages that are reserved for the test and released; without any, one line says so.
. "$top_srcdir/tests/lib/tap.sh"
reserve=/proc/sys/vm/nr_hugepages
[ "$(id -u)" = 0 ] || skip_all 'needs root, to reserve huge pages'
[ -w $reserve ] || skip_all 'this kernel has no huge pages of its own (CONFIG_HUGETLBFS)'
before=$(cat $reserve)
trap 'echo "$before" >$reserve; tap_cleanup' EXIT

size_kib=$(awk '/^Hugepagesize:/ { print $2 }' /proc/meminfo)
echo $((before + 4)) >$reserve
[ "$(awk '/^HugePages_Free:/ { print $2 }' /proc/meminfo)" -ge 4 ] || skip_all 'memory is too fragmented for 4 huge pages'

check_exit 0 'pmbench --map hugetlb runs on 4 huge pages' \
	pmbench -q -c --map hugetlb -m $((4 * size_kib))k -r 0 --accesses 20000 -f "$tmp/report.xml"
# Every page is written many times, and the first write of each is the only fault there can be.
check 'a map of huge pages has one minor fault per page' grep -Eq '^  minor fault +4 ' "$tmp/out"
check 'faults of huge pages are classified exactly' grep -q '^Classification: exact' "$tmp/out"
check_exit 2 'a size that is no whole number of huge pages is refused' pmbench --map hugetlb -m 4100k 1
echo "$before" >$reserve
check_exit 3 'more huge pages than reserved are refused' pmbench -c --map hugetlb -m $((4096 * size_kib))k 1
check 'the refusal of huge pages names nr_hugepages' grep -q nr_hugepages "$tmp/err"
tap_done
