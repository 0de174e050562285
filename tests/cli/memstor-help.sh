#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor's front: help, version and wrong words, of itself and of each of its commands as memstor --help lists them.
. "$top_srcdir/tests/lib/tap.sh"

for option in --help '-?' --version -V; do
	check_exit 0 "$option ends with 0" memstor "$option"
	check "and says something on stdout" test -s "$tmp/out"
	check "and nothing on stderr" test ! -s "$tmp/err"
	check "within 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"
done
check "the version is one line" grep -Exq 'memstor \(memstor\) [0-9]+\.[0-9]+\.[0-9]+.*' "$tmp/out"

refuses() { # LINE WORD...
	line=$1
	shift
	check_exit 2 "memstor $*" memstor "$@"
	is "in one line" "$(cat "$tmp/err")" "$line"
	check "nothing on stdout" test ! -s "$tmp/out"
}
refuses 'memstor: no command given: memstor --help lists them'
refuses "memstor: 'nonsense' is not a command of memstor: memstor --help lists them" nonsense
refuses "memstor: '' is not a command of memstor: memstor --help lists them" ''
refuses "memstor: '--nonsense' is not a command of memstor: memstor --help lists them" --nonsense

commands=$(memstor --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check "there are commands" test "$(echo "$commands" | wc -l)" -ge 8
for command in $commands; do
	if ! memstor "$command" --help >/dev/null 2>&1; then
		skip "$command --help" 'there is no help yet'
		continue
	fi
	check_exit 0 "$command --help" memstor "$command" --help
	check "begins with its usage" grep -q "^Usage: memstor $command" "$tmp/out"
	check "within 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"
	check "and nothing on stderr" test ! -s "$tmp/err"
	check_exit 0 "$command --version" memstor "$command" --version
	is "the suite's" "$(cat "$tmp/out")" "$(memstor --version)"
	refuses "memstor $command: unrecognized option '--nonsense'" "$command" --nonsense
done

if [ -w /dev/full ]; then
	for words in --help --version 'doctor --help' 'doctor --usage' 'doctor --version'; do
		check_exit 3 "$words >/dev/full" sh -c "memstor $words >/dev/full"
		is "one line" "$(cat "$tmp/err")" 'memstor: cannot write to standard output'
	done
else
	skip "a full stdout" 'there is no /dev/full'
fi
tap_done
