#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads list: Table 2 of the paper, exactly.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"

check_exit 0 'list ends with 0' ssd-workloads list
check 'list has a heading' sh -c "sed 1q '$tmp/out' | grep -q '^mix *method *log *block *ckpt *block *what$'"
row() { # MIX LOG CHECKPOINT: writes outstanding and their size
	is "list prints depths and block sizes of the mix $1" \
		"$(sed -n "s/^$1  *//p" "$tmp/out" | tr -s ' ' | grep -oE ' +([0-9]+ [0-9]+ KiB|- -) +([0-9]+ [0-9]+ KiB|- -) ' | tr -s ' ')" " $2 $3 "
}
row 1-1 '1 16 KiB' '1 128 KiB'
row 1-N '1 16 KiB' '8 128 KiB'
row M-N '64 16 KiB' '8 128 KiB'
row 1-0 '1 16 KiB' '- -'
row M-0 '64 16 KiB' '- -'
row 0-1 '- -' '1 128 KiB'
row 0-N '- -' '8 128 KiB'
row custom '- -' '- -'
is 'list prints nothing but the mixes' "$(wc -l <"$tmp/out")" 9
for method in '1-1 ARIES + IPP' '1-N CALC' 'M-N SILO/CPR'; do
	check "list names the method of the mix ${method%% *}" \
		grep -qE "^${method%% *} +$(echo "${method#* }" | sed 's/+/[+]/') " "$tmp/out"
done
check_exit 0 'list takes -o and --noheadings' ssd-workloads list --noheadings -o mix,ckpt
is 'list --noheadings prints the chosen columns without a heading' "$(sed 's/  */ /; 2q' "$tmp/out" | tr '\n' ' ')" '1-1 1 1-N 8 '
check_exit 0 'list --json with -o ends with 0' ssd-workloads list --json -o mix,log
is 'list --json prints the chosen columns as JSON' \
	"$(tr -d '\n\t' <"$tmp/out" | cut -c 1-37)" '[{"mix": "1-1","log": 1},{"mix": "1-N'
refuses 'ssd-workloads: --columns nix: must be columns with commas between: mix, method, log, log_block_bytes, ckpt, ckpt_block_bytes, what' \
	ssd-workloads list --columns nix
refuses 'ssd-workloads: 1-1: no argument is expected; --help lists the options' ssd-workloads list 1-1
if [ -w /dev/full ]; then
	check_exit 3 'list ends with 3 when stdout is full' sh -c 'ssd-workloads list >/dev/full'
	is 'list says in one line that stdout is full' "$(cat "$tmp/err")" 'ssd-workloads: cannot write to standard output'
fi
tap_done
