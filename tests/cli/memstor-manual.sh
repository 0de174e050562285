#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor.1: each command that memstor --help lists has a section with exactly the options of its --help, by the same
# letters and values; the examples run.
. "$top_srcdir/tests/lib/tap.sh"
page=$top_srcdir/memstor/memstor.1
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

commands=$(memstor --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check "there are commands" test "$(echo "$commands" | wc -l)" -ge 8
is "a mark for each, in the order of --help" "$(sed -n 's/^\.\\" --- //p' "$page")" "$commands"

# Plain text of the page: no escapes, no fonts; of macros only the words.
plain() { sed 's/\\-/-/g; s/\\f.//g; s/\\(en/-/g; s/\\&//g; /^\.\\"/d; /^\.\(TP\|TQ\|PP\|IP\|RS\|RE\|SS\|SH\)/!s/^\.[A-Z]* //; s/" *\([^"]*\)"/\1/g'; }
section() { awk -v mark="$1" '/^\.\\" --- / { on = $3 == mark } /^\.SH/ { on = 0 } on' "$page"; }

# "-o --output=FILE", from --help and from the words behind .TP and .TQ.
help_options() {
	memstor "$1" --help | sed -n 's/^ *\(-.\), \(--[a-z-]*[^ ]*\).*/\1 \2/p; s/^ *\(--[a-z-]*[^ ]*\).*/\1/p' |
		grep -v -x -e '-? --help' -e '--usage' -e '-V --version' | sort
}
page_options() {
	section "$1" | plain | awk '
		/^\.(TP|TQ)/ { tag = 1; next }
		tag { tag = 0; if (/^-/) print }' | sed 's/^\(-.\), */\1 /; s/, *--/\n--/g' |
		sed 's/ *$//; s/\([a-z]\) \([=[]\)/\1\2/' | sort
}
for command in $commands; do
	if ! memstor "$command" --help >/dev/null 2>&1; then
		skip "$command: its section" 'there is no help yet'
		continue
	fi
	check "$command: a section of its name" sh -c 'printf "%s\n" "$1" | grep -q "^\.SS $2\( \|\$\)"' sh "$(section "$command")" "$command"
	help_options "$command" >"$tmp/help"
	page_options "$command" >"$tmp/page"
	check "$command: the options of --help" diff "$tmp/help" "$tmp/page"
done

check "examples come before the description" awk '/^.SH EXAMPLES/ { seen = 1 } /^.SH DESCRIPTION/ { exit !seen }' "$page"
for part in NAME SYNOPSIS EXAMPLES DESCRIPTION COMMANDS '"EXIT STATUS"' FILES ENVIRONMENT '"SEE ALSO"'; do
	check "there is $part" grep -qx ".SH $part" "$page"
	check "with words" awk -v title=".SH $part" '$0 == title { on = 1; next } /^\.SH/ { on = 0 } on && !/^\./ || on && /^\.[BI]/ { n++ }
		END { exit !n }' "$page"
done
check "each command has an example" sh -c '
	for command; do
		sed "s/\\\\-/-/g" "$0" | grep -q "^\.B memstor $command" || { echo "none of $command"; exit 1; }
	done' "$page" $commands

# --- the examples, among reports as they name them
mkdir before after runs
number=0
for report in run.xml a.xml b.xml before/1.xml before/2.xml before/3.xml after/1.xml after/2.xml after/3.xml runs/1.xml runs/2.xml; do
	number=$((number + 1))
	pmbench -q -m 4 -i --accesses 20000 --seed $number --interval 10ms -f $report >/dev/null 2>&1 || :
done
check "reports to show" test -s runs/2.xml
sed -n '/^\.SH EXAMPLES/,/^\.SH DESCRIPTION/p' "$page" | plain | sed -n 's/^\(memstor .*\)/\1/p' >"$tmp/examples"
check "the page has examples" test "$(wc -l <"$tmp/examples")" -ge 8
while read -r example; do
	command=${example#memstor }
	command=${command%% *}
	if ! memstor "$command" --help >/dev/null 2>&1; then
		skip "$example" 'there is no help yet'
		continue
	fi
	# A suite takes its time, which its own tests give it.
	[ "$command" = run ] && example="$example --dry-run"
	[ "$command" = plot ] && ! command -v gnuplot >/dev/null && { skip "$example" 'gnuplot is not installed'; continue; }
	# Two runs differ as they like, and so do hosts: verdicts are answers.
	status=0
	sh -c "$example" >"$tmp/out" 2>"$tmp/err" || status=$?
	case $command in
	compare) allowed='0 1 4' ;;
	merge) allowed='0 4' ;;
	doctor) allowed='0 3' ;;
	*) allowed=0 ;;
	esac
	check "$example" sh -c 'case " $1 " in *" $2 "*) ;; *) echo "status $2"; cat "$3"; exit 1 ;; esac' sh \
		"$allowed" $status "$tmp/err"
done <"$tmp/examples"

for lint in 'mandoc -Tlint' 'groff -man -ww -Tascii -z'; do
	if command -v "${lint%% *}" >/dev/null; then
		$lint "$page" >"$tmp/lint" 2>&1
		check "$lint is silent" test ! -s "$tmp/lint"
		sed 's/^/# /' "$tmp/lint"
	else
		skip "$lint is silent" "${lint%% *} is not installed"
	fi
done
tap_done
