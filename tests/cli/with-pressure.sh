#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with-pressure without privilege: bad input is one line and status 125, a plain command runs, manual and --help agree.
. "$top_srcdir/tests/lib/tap.sh"
page=$top_builddir/with-pressure/with-pressure.1

refuses() { # refuses LINE ARGUMENT...: LINE is a pattern
	line=$1
	shift
	with-pressure "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
	status=$?
	said=$(cat "$tmp/stderr")
	# shellcheck disable=SC2254 # a pattern on purpose
	case $said in
	"with-pressure: "$line) match=yes ;;
	*) match=no ;;
	esac
	check "with-pressure refuses in one line: $*" \
		test "$match $status $(wc -l <"$tmp/stderr")$(cat "$tmp/stdout")" = 'yes 125 1'
	[ "$match $status" = 'yes 125' ] || printf '# status %s, said: %s\n' $status "$said"
}

refuses "no command: with-pressure *--help"
refuses "no command: *" --ram 1G
for value in '' '1G '; do
	refuses "--ram '$value': must be a size of at least 4M" --ram "$value" -- true
done
for value in x 1Q -1G 0x10 0 4095k 99999999999G; do
	refuses "--ram $value: must be a size of at least 4M" --ram "$value" -- true
done
refuses "--swap disk: must be zram:SIZE*" --swap disk -- true
refuses "--swap zram:x: SIZE must be a size*" --swap zram:x -- true
refuses "--swap file:/x: must be zram:SIZE*" --swap file:/x -- true
refuses "--swap dev:loop1: PATH must be the full path of a block device*" --swap dev:loop1 -- true
refuses "--page-cluster '': must be keep, or 0 to 31*" --page-cluster '' -- true
for value in x -1 32 1.5; do
	refuses "--page-cluster $value: must be keep, or 0 to 31*" --page-cluster "$value" -- true
done
refuses "--swappiness '': must be 0 to 200" --swappiness '' -- true
for value in x -1 201; do
	refuses "--swappiness $value: must be 0 to 200" --swappiness "$value" -- true
done
refuses "--high x: must be a size*" --high x -- true
refuses "--high 1M: must be a size of at least 4M" --high 1M -- true
refuses "--high must be below --ram*" --high 1G --ram 1G -- true
refuses "--swappiness with --swap none*" --swappiness 1 --swap none -- true
refuses "--destroy-data: needs*" --destroy-data=/dev/loop1 --swap zram:1G -- true
refuses "--contain: needs --ram*" --contain --swap zram:1G -- true
refuses "--eater 0=1G: must be NODE=SIZE@T0-T1*" --eater 0=1G -- true
refuses "--eater 0=1G@9-5: T1 must be later than T0" --eater 0=1G@9-5 -- true
many='--eater any=1M@0-1 --eater any=1M@0-1 --eater any=1M@0-1 --eater any=1M@0-1'
# shellcheck disable=SC2086 # words
refuses "--eater any=1M@0-1: at most 8 eaters" $many $many --eater any=1M@0-1 -- true
refuses "--recover all: must be given without a value, or as --recover=set-aside" --recover=all
refuses "--recover: must be given without a command*" --recover -- true
refuses "--recover: must be given without a command*" --recover --ram 1G
refuses "--recover: must be given without a command*" --recover --start-at $(($(date +%s) + 60))
refuses '--nonsense: no such option; *' --nonsense
refuses '-Q: no such option; *' -Q
refuses '--ram: needs a value' --ram
refuses '--verbose: takes no value' --verbose=yes
check_exit 125 'with-pressure called by its path refuses an unknown option' "$top_builddir/with-pressure/with-pressure" --nonsense
is 'a refusal begins with the name of the program, not its path' \
	"$(cat "$tmp/err")" 'with-pressure: --nonsense: no such option; --help lists them'
if [ "$(id -u)" -ne 0 ]; then
	refuses '*CAP_SYS_ADMIN*' --ram 1G -- true
fi

check_exit 0 'with-pressure runs a command without any pressure' with-pressure -- echo one two
check 'with-pressure passes arguments to the command' grep -qx 'one two' "$tmp/out"
check_exit 3 'with-pressure passes options after the command to the command' with-pressure sh -c 'exit 3' --ram
check_exit 143 'with-pressure ends as a command that a signal ended' with-pressure -- sh -c 'kill $$'
check_exit 127 'with-pressure ends with 127 when the command does not exist' with-pressure -- "$tmp/none"
check_exit 126 'with-pressure ends with 126 when the command cannot be run' with-pressure -- "$tmp"
WITH_PRESSURE_DIR=$tmp/none check_exit 0 '--recover with nothing to restore ends with 0' with-pressure --recover
check '--recover says that there is nothing to restore' grep -qx 'with-pressure: nothing to restore' "$tmp/err"
for program in with-pressure pmbench; do
	export WITH_PRESSURE_DIR="$tmp/journals"
	umask=$(umask)
	umask 077
	mkdir "$tmp/journals"
	printf 'memstor-journal 2 of the future\nzram 1 2 3 4 5 6\n' >"$tmp/journals/1-1-00112233"
	cp "$tmp/journals/1-1-00112233" "$tmp/journal"
	check_exit 3 "$program --recover ends with 3 for a journal that it cannot read" $program --recover
	is "$program --recover says how to continue with a journal that it cannot read" "$(cat "$tmp/err")" "$program: found the journal 1-1-00112233 of a run that did not clean up
$program: the journal $tmp/journals/1-1-00112233 is damaged or of another version, and what it lists is not restored: read it, \
undo by hand what is still there (swapoff, zramctl -r, sysctl, losetup -d, rm, rmdir), then set it aside as 1-1-00112233.bad"
	check "$program --recover leaves a journal that it cannot read" cmp "$tmp/journal" "$tmp/journals/1-1-00112233"
	: >"$tmp/journals/2-2-00112233"
	check_exit 0 "$program --recover=set-aside ends with 0" $program --recover=set-aside
	is "$program --recover=set-aside says what it set aside" "$(head -n 1 "$tmp/err")" \
		"$program: set aside as $tmp/journals/1-1-00112233.bad: nothing that it lists was restored"
	check "$program --recover=set-aside keeps the whole journal" cmp "$tmp/journal" "$tmp/journals/1-1-00112233.bad"
	is "$program --recover=set-aside removes a journal that it can recover" "$(ls "$tmp/journals")" 1-1-00112233.bad
	check_exit 0 "$program --recover=set-aside ends with 0 a second time" $program --recover=set-aside
	is "$program --recover=set-aside has nothing to do a second time" "$(cat "$tmp/err")" "$program: nothing to restore"
	rm -r "$tmp/journals"
	umask "$umask"
	unset WITH_PRESSURE_DIR
done
check_exit 0 'with-pressure --dry-run ends with 0' with-pressure --dry-run -- echo one two
check 'with-pressure --dry-run prints the plan' grep -qx 'command: echo one two' "$tmp/out"
check 'with-pressure --dry-run prints nothing on stderr' test ! -s "$tmp/err"
# These options run no command and have the exit status of the suite's programs.
if [ -w /dev/full ]; then
	for words in --help --usage --version '--dry-run -- true'; do
		check_exit 3 "with-pressure $words ends with 3 when stdout is full" sh -c "with-pressure $words >/dev/full"
		is "with-pressure $words says in one line that stdout is full" \
			"$(cat "$tmp/err")" 'with-pressure: cannot write to standard output'
	done
	check_exit 4 "with-pressure keeps the status of a command whose stdout is full" sh -c 'with-pressure sh -c "exit 4" >/dev/full'
else
	skip 'with-pressure --help ends with 3 when stdout is full' 'there is no /dev/full'
fi

# --- examples
is 'with-pressure --help has its examples before its options' \
	"$(with-pressure --help | sed -n 's/^Examples:$/examples/p; s/^  *-.*/options/p' | uniq | tr '\n' ' ')" \
	'examples options '

# --- the manual page
with-pressure --help | sed -n 's/^  *-., --\([a-z-]*\).*/\1/p; s/^ *--\([a-z-]*\).*/\1/p' | sort >"$tmp/help"
sed -n '/^\.SH OPTIONS/,/^\.SH "EXIT/{/^\.T[PQ]$/{n;s/\\-/-/g;s/\\f.//g;s/^[^-]*\(-[^-].* \)\{0,1\}--\([a-z-]*\).*/\2/p;};}' "$page" |
	sort >"$tmp/page"
check 'with-pressure(1) has the options of with-pressure --help' diff "$tmp/help" "$tmp/page"
check 'with-pressure(1) has its examples before its description' \
	awk '/^.SH EXAMPLES/ { seen = 1 } /^.SH DESCRIPTION/ { exit !seen }' "$page"
for lint in 'mandoc -Tlint' 'groff -man -ww -Tascii -z'; do
	if command -v "${lint%% *}" >/dev/null; then
		$lint "$page" >"$tmp/lint" 2>&1
		check "$lint finds nothing in with-pressure(1)" test ! -s "$tmp/lint"
	else
		skip "$lint finds nothing in with-pressure(1)" "${lint%% *} is not installed"
	fi
done
tap_done
