#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion in bash: every option of every program's --help is offered, values are; then typed into a real terminal.
. "$top_srcdir/tests/lib/tap.sh"
command -v bash >/dev/null || skip_all 'bash is not installed'
library=$top_srcdir/tests/lib
completion=$top_builddir/completion
cd "$tmp" || exit 1
mkdir work
cd work || exit 1
mkdir runs
touch run.xml notes.txt 'two words.xml'

offered() {
	program=${1%% *}
	printf '%s\n' "$1" | bash "$library/complete.bash" "$completion/${program##*/}" 2>&1 | sed 1d | sort
}
offers() { # LINE WANTED...: exactly these
	line=$1
	shift
	offered "$line" >"$tmp/offered"
	printf '%s\n' "$@" | sed '/^$/d' | sort >"$tmp/wanted"
	check "$line" diff "$tmp/wanted" "$tmp/offered"
}

# --- options, from --help: --flag, --name=VALUE, --name[=VALUE]
options_of() { # PROGRAM [COMMAND]
	"$@" --help 2>/dev/null | sed -n 's/^ *\(-., *\)\{0,1\}\(--[a-z-]*\)\([=[]*\).*/\2\3/p' |
		sed 's/\(.*\)\[=/\1\n\1=/' | sort
}
compare_options() {
	"$@" --help >/dev/null 2>&1 || { skip "$* -: the options of --help" 'there is no help yet'; return 0; }
	options_of "$@" >"$tmp/wanted"
	offered "$* -" >"$tmp/offered"
	check "$* -: the options of --help" diff "$tmp/wanted" "$tmp/offered"
}
for program in "$completion"/*; do
	program=${program##*/}
	[ "$program" = memstor ] || compare_options "$program"
done
check 'every program of the build has one' test "$(ls "$completion")" = \
	"$(cd "$top_builddir" && for path in */*; do
		[ -x "$path" ] && [ -f "$path" ] && [ "${path%/*}" = "${path#*/}" ] && echo "${path%/*}"
	done | sort | grep -vx -e completion)"
check 'pmbench has options' test "$(offered 'pmbench -' | wc -l)" -gt 40

commands=$(memstor --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
# shellcheck disable=SC2086 # words
offers 'memstor ' $commands
offers 'memstor -' --help --version
offers 'memstor nonsense -'
for command in $commands; do
	compare_options memstor "$command"
	# --to=json|csv: each is offered.
	memstor "$command" --help 2>/dev/null | sed -n 's/^.*\(--[a-z-]*\)\[\{0,1\}=\([a-z|-]*|[a-z|-]*\).*/\1 \2/p' >"$tmp/choices"
	while read -r option choices; do
		# shellcheck disable=SC2046 # words
		offers "memstor $command $option=" $(echo "$choices" | tr '|' ' ')
	done <"$tmp/choices"
done

# --- values
offers 'pmbench --pattern=' uniform normal normal_ih linear pareto zipf hotset
offers 'pmbench -p n' normal normal_ih
offers 'pmbench --quiet -qp n' normal normal_ih
offers 'pmbench -pn' -pnormal -pnormal_ih
offers 'pmbench -t ' rdtscp rdtscp-unfenced rdtsc perfc cntvct
offers 'pmbench --access=' histo touch
offers 'pmbench --classify ' auto none
offers 'pmbench --map=' anon shared memfd file: hugetlb
offers 'pmbench --content=' none random ptr zero ratio:
offers 'pmbench --warmup ' pattern none
offers 'pmbench --swap=' zram: file: loop: none
offers 'with-pressure --swap ' zram: file: loop: none
offers 'with-pressure --recover=' set-aside
offers 'with-pressure --recover --v' --verbose --version
offers 'pmbench -m ' ''
offers 'pmbench 5' ''
offers 'pmbench -m'  -m
offers 'pmbench -q' -q

# --- files
offers 'pmbench -f ' runs run.xml notes.txt 'two words.xml'
offers 'pmbench --file=n' notes.txt
offers 'pmbench --json=run' run.xml runs
# Its value may be left out: what follows is no value.
offers 'pmbench --json run' ''
offers 'pmbench --replay ' runs run.xml 'two words.xml'
offers 'pmbench --map=file:n' notes.txt
offers 'pmbench --map file:./n' ./notes.txt
offers 'pmbench -fn' -fnotes.txt
offers 'memstor merge ' runs run.xml 'two words.xml'
offers 'memstor merge run.xml r' runs run.xml
offers 'with-pressure true n' notes.txt
offers 'with-pressure --swap none -- true n' notes.txt
check 'with-pressure: commands' sh -c "$(command -v bash) '$library/complete.bash' '$completion/with-pressure' <<-E | grep -qx env
	with-pressure --ram 1G en
E"

# --- once, or as often as wanted
offers 'pmbench --cold --co' --content=
offers 'pmbench -c --co' --content=
offers 'pmbench -qi --content zero --co' --cold
offers 'pmbench --label a=b --lab' --label=
offers 'pmbench -y 0 --aff' --affinityset=
offers 'with-pressure --eater any=1M@0-1 --ea' --eater=
# What is a value is no option, what stands behind -- neither.
offers 'pmbench -f --cold --co' --cold --content=
offers 'pmbench -- --co' ''
offers 'with-pressure true --ra' ''

offers "$tmp/none/pmbench -" ''
offers "$top_builddir/pmbench/pmbench --cold --co" --content=

# --- the program's own rows
for program in pmbench with-pressure memstor 'memstor merge'; do
	# shellcheck disable=SC2086 # words
	check_exit 0 "$program --completion-rows" $program --completion-rows
	check "$program: rows as common/completion.h says" awk '
		$1 == "command" { if (NF != 2) exit 1; next }
		$1 == "argument" { if ($2 != "-" || $3 != "-") exit 1 }
		$1 == "option" { if ($2 !~ /^(-|--[a-z-]+)$/ || $3 !~ /^(-|-.)$/ || $2 == $3) exit 1 }
		$1 !~ /^(option|argument)$/ || $4 !~ /^(none|text|file|folder|report|command)\??$/ ||
			$5 !~ /^(once|many)$/ { exit 1 }' "$tmp/out"
done
check_exit 2 'pmbench --completion-rows with other words is an unknown option' pmbench --completion-rows 5
check 'in one line' test "$(cat "$tmp/err")" = "pmbench: unrecognized option '--completion-rows'"
tap_done
