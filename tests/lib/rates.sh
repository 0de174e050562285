# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Compares the tables of memstor(1) with the measurements of bench/compare_rates.
# shellcheck disable=SC2154 # from the makefile
[ -z "$sanitizer" ] || skip_all 'arithmetic is the same under a sanitizer, and slow'
page=$top_srcdir/memstor/memstor.1.in
rates=$top_builddir/bench/compare_rates
manual() { awk -v mark=".\\\\\" rates $1" '$0 == mark { on = 1; next } /^\.EE/ { on = 0 } on && !/^\.EX/' "$page"; }

# Other compilers and libraries may round one pair of a thousand to the other side.
same_table() {
	paste -d '\n' "$1" "$2" | awk -v slack="$3" '
	NR % 2 { n = split($0, wanted); next }
	{
		if (split($0, got) != n)
			exit failed = 1
		for (i = 1; i <= n; i++) {
			difference = wanted[i] - got[i]
			if (wanted[i] ~ /^[0-9.]+$/ ? difference > slack || difference < -slack : wanted[i] != got[i]) {
				print wanted[i] " in the manual, " got[i] " measured: " $0
				failed = 1
			}
		}
	}
	END { exit failed }'
}

# check_table NAME SLACK
check_table() {
	manual "$1" >"$tmp/manual"
	"$rates" 1000 "$1" >"$tmp/$1"
	check "memstor(1) has the table $1" test "$(wc -l <"$tmp/manual")" -ge 5
	is "the table $1 of memstor(1) has the number of lines that compare_rates prints" "$(wc -l <"$tmp/$1")" "$(wc -l <"$tmp/manual")"
	check "the table $1 of memstor(1) has the values that compare_rates prints" same_table "$tmp/manual" "$tmp/$1" "$2"
}
