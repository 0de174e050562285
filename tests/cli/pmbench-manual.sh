#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of options, --help and the manual page name the same options, with the same letters and values.
. "$top_srcdir/tests/lib/tap.sh"
page=$top_builddir/pmbench/pmbench.1

# One line "-m --mapsize" or "--seed" an option.
pmbench --completion-rows | sed -n 's/^option \(--[a-z-]*\) \(-[a-zA-Z]\) .*/\2 \1/p; s/^option \(--[a-z-]*\) - .*/\1/p' |
	grep -v -e '--usage$' -e '--version$' | sort >"$tmp/table"
pmbench --help | sed -n 's/^ *\(-[a-zA-Z]\), \(--[a-z-]*\).*/\1 \2/p; s/^  *\(--[a-z-]*\).*/\1/p' | sort >"$tmp/help"
sed -n '/^\.TP$/{n;s/\\-/-/g;s/\\f.//g;p;}' "$page" >"$tmp/heads"
sed -n 's/^\(-[a-zA-Z]\)\( [^ ]*\)\{0,1\}, \(--[a-z-]*\).*/\1 \3/p; s/^\(--[a-z-]*\).*/\1/p' "$tmp/heads" |
	grep -v -- '--help$' | sort >"$tmp/manual"

check 'pmbench has a table of more than 40 options' test "$(wc -l <"$tmp/table")" -gt 40
check 'pmbench --help has every option of the table' diff "$tmp/table" \
	"$(grep -v -e '--usage$' -e '--version$' "$tmp/help" >"$tmp/help.own"; echo "$tmp/help.own")"
check 'pmbench(1) has every option of pmbench --help' diff "$tmp/help" "$tmp/manual"

# --mapsize=SIZE in both.
pmbench --help | sed -n 's/^ *\(-.,\)\{0,1\} *--\([a-z-]*\)\(\[\{0,1\}=[^ ]*\).*/\2\3/p' |
	sort >"$tmp/help.values"
sed -n 's/^\(-. [^ ]*, \)\{0,1\}--\([a-z-]*\)\(\[\{0,1\}=.*\)/\2\3/p' "$tmp/heads" | sort >"$tmp/manual.values"
check 'pmbench(1) and pmbench --help name the same values of options' diff "$tmp/help.values" "$tmp/manual.values"

check 'pmbench(1) has its examples before its description' \
	awk '/^.SH EXAMPLES/ { seen = 1 } /^.SH DESCRIPTION/ { exit !seen }' "$page"
for section in NAME SYNOPSIS OPTIONS PATTERNS OUTPUT FILES NOTES '"EXIT STATUS"' '"SEE ALSO"'; do
	check "pmbench(1) has a section $section" grep -qx ".SH $section" "$page"
done

# Every example is accepted, except those with sizes and nodes of larger machines.
sed -n 's/\\-/-/g; s/^\.B \(sudo \)\{0,1\}pmbench \(.*\)/\2/p' "$page" |
	grep -v -e --replay -e --ram -e --eater -e 8192 -e 40g -e 640 >"$tmp/examples"
check 'pmbench(1) has at least three examples' test "$(wc -l <"$tmp/examples")" -ge 3
while read -r example; do
	# shellcheck disable=SC2086 # words
	check_exit 0 "--dry-run accepts the example of pmbench(1): pmbench $example" pmbench $example --dry-run
done <"$tmp/examples"

for lint in 'mandoc -Tlint' 'groff -man -ww -Tascii -z'; do
	if command -v "${lint%% *}" >/dev/null; then
		$lint "$page" >"$tmp/lint" 2>&1
		check "$lint finds nothing in pmbench(1)" test ! -s "$tmp/lint"
	else
		skip "$lint finds nothing in pmbench(1)" "${lint%% *} is not installed"
	fi
done
tap_done
