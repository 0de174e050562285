#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages have every option, keyword, need and word of the index, and memstor run accepts their suites.
. "$top_srcdir/tests/lib/tap.sh"
source=$top_srcdir/memstor
cd "$tmp" || exit 1
plain() { sed 's/\\-/-/g; s/\\e/\\/g; s/\\f[BRI]//g; s/\\(dq/"/g' "$1"; }
plain "$source/memstor-suite.5" >page5
plain "$top_builddir/memstor/memstor.1" | sed -n '/^\.SS run /,/^\.\\" --- validate/p' >page1

# every WHAT LIST PAGE: each line of LIST is a word of PAGE
every() {
	tr -c 'A-Za-z0-9_.-' '\n' <"$3" | sed 's/\.$//' | sort -u >words
	check "the source has some $1" test -s "$2"
	sort -u "$2" | comm -23 - words >missing
	check "the manual page has all $1 of the source" diff /dev/null missing
}
sed -n 's/^\t{"\([a-z]*\)", IN_.*/\1/p' "$source/suite/suite.c" >list
is 'every keyword of the source is found' "$(grep -c '"[a-z]*", IN_' "$source/suite/suite.c")" "$(wc -l <list)"
every 'keywords of suites' list page5
sed -n 's/^\t{"\([a-z_]*\)", [A-Z]*,.* check_.*/\1/p' "$source/suite/need.c" >list
is 'every need of the source is found' "$(grep -c '^	{"[a-z_]*".*check_' "$source/suite/need.c")" "$(wc -l <list)"
every 'needs of steps' list page5
sed -n 's/.*<xs:\(element\|attribute\) name="\([a-z_]*\)".*/\2/p' "$top_srcdir/docs/memstor-index.xsd" |
	grep -vxE "$(sed -n '/complexType name="index_machine"/,/complexType>/s/.*element name="\([a-z_]*\)".*/\1/p' \
		"$top_srcdir/docs/memstor-index.xsd" | paste -sd '|')" >list
every 'words of the index' list page5
sed -n 's/^\t\[RUN_[A-Z]*\] = "\([a-z]*\)".*/\1/p; s/^\t\[INDEX_[A-Z]*\] = "\([a-z]*\)".*/\1/p' \
	"$source/run/plan.c" "$source/run/index.c" >list
is 'every state of the source is found' "$(wc -l <list)" 11
every 'states of the index' list page5
for state in $(cat list); do
	check "the schema of the index has the state $state" grep -q "\"$state\"" "$top_srcdir/docs/memstor-index.xsd"
done

for suite in "$top_srcdir"/suites/*.suite; do
	basename "$suite" .suite
done >list
sed -n '/^\.SH FILES/,$p' page5 >files
every 'installed suites' list files

memstor run --help | sed -n 's/^ *\(-[a-z]\), \(--[a-z-]*\).*/\1, \2/p; s/^  *\(--[a-z-]*\).*/\1/p' |
	grep -vE -- '--help|--usage|--version' | sort >help
sed -n '/^\.TP/{n; s/^\(-[a-z]\)[ A-Z]*, \(--[a-z-]*\).*/\1, \2/p; s/^\(--[a-z-]*\).*/\1/p}' page1 | sort >manual
check 'memstor run --help lists some options' test -s help
check 'memstor(1) has the options of memstor run --help' diff help manual

# --- the suites of the page
awk '/^\.RS$/ { inside = 1; next } /^\.RE$/ { inside = 0; n++ } inside { print > ("example" n + 0 ".suite") }' page5
is 'the manual shows three suites' "$(ls example*.suite | tr '\n' ' ')" 'example0.suite example1.suite example2.suite '
check_exit 0 'the first suite of the manual is accepted' memstor run ./example0.suite --dry-run
is 'the first suite of the manual has two steps' "$(grep -c '^[a-z].*: pmbench' out)" 2
check_exit 0 'the second suite of the manual is accepted' memstor run ./example1.suite --dry-run
is 'the second suite of the manual has six steps' "$(grep -c '^zram-.*: pmbench' out)" 6
check_exit 0 'the second suite of the manual is accepted with --set' memstor run ./example1.suite --set seconds=1 --set ram=64M --runs 1 --dry-run
is 'the second suite of the manual has two steps for one value' "$(grep -c '^zram-.*: pmbench' out)" 2
check_exit 0 'the third suite of the manual is accepted' memstor run ./example2.suite --dry-run
is 'the third suite of the manual has two steps' "$(grep -c '^[a-z]*: iowrite-bench' out)" 2
tap_done
