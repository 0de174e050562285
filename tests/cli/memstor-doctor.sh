#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor doctor on this host, whatever it offers: text, JSON and manuals agree, and doctor leaves no files.
. "$top_srcdir/tests/lib/tap.sh"
page=$top_srcdir/docs/doctor.md
cd "$tmp" || exit 1
mkdir empty
touch file

doctor() { # runs it with these arguments; 0 and 3 are valid
	status=0
	memstor doctor "$@" >out 2>err || status=$?
	check "memstor doctor $* ends with 0 or 3" test "$status" -eq 0 -o "$status" -eq 3
	check "memstor doctor $* prints nothing on stderr" test ! -s err
}
codes_of() { sed -n 's/^\t\t\t"code": "\(.*\)",$/\1/p' | sort -u; }

# --- the text
doctor empty
check "memstor doctor prints lines of up to 80 columns, except commands and long names" \
	awk '!/fix: / && NF > 1 && length > 80 && !/\// { exit 1 }' out
check "memstor doctor prints no colours without a terminal" sh -c "! grep -q \"\$(printf '\\033')\" out"
for title in Machine 'Limited memory and swap' Storage Tracing 'What disturbs measurements now' Tools; do
	check "memstor doctor prints the title $title" grep -qx "$title" out
done
sed -n '/^Machine$/,/^What would/p' out | grep -E '^  (ok|note|limited|missing) '  >findings
check 'memstor doctor prints at least 23 findings' test "$(wc -l <findings)" -ge 23
check 'memstor doctor prints the page size of this host' grep -qE "^  ok +page-size +$(($(getconf PAGESIZE) / 1024)) KiB$" findings
check 'memstor doctor names the folder that it was given' grep -q '^  [a-z]*  *o-direct  *empty: ' findings
is 'memstor doctor leaves an empty folder empty' "$(ls -A empty)" ''
doctor empty file "$tmp"
is "memstor doctor prints a finding on O_DIRECT for each path" "$(grep -c '^  [a-z]*  *o-direct  ' out)" 3
is 'memstor doctor tries no swap file when it is given a file' "$(grep -c '^  [a-z]*  *swap-file  ' out)" 2
doctor
check 'memstor doctor without paths tries /var/tmp' grep -q '^  [a-z]*  *o-direct  */var/tmp: ' out
mkdir here
(cd here && memstor doctor >"$tmp/out" 2>&1)
is 'memstor doctor leaves the current folder empty' "$(ls -A here)" ''
check 'memstor doctor without paths tries the current folder' grep -q '^  [a-z]*  *o-direct  *\.: ' out

# --- JSON, which agrees with the text
doctor --json empty
cp out json
is 'the JSON of doctor has its exit status' "$(sed -n 's/^\t"exit_status": \([0-9]*\)$/\1/p' json)" "$status"
if command -v python3 >/dev/null; then
	check 'memstor doctor --json prints JSON' python3 -m json.tool json
else
	skip 'memstor doctor --json prints JSON' 'python3 is not installed; tests/unit/test_doctor has it, too'
fi
sed -n '/"facts"/,/^\t]/p' json | codes_of >codes
sed -n '/^## Facts/,/^## JSON/s/^| `\([a-z-]*\)` |.*/\1/p' "$page" | sort >documented
check "the JSON of doctor has the codes of docs/doctor.md" diff documented codes
sed -n '/"now"/,/^\t]/p' json | codes_of >now
sed -n 's/^| `\([a-z-]*\)` |.*/\1/p' "$top_srcdir/docs/report.md" | sort -u >checks
is "docs/report.md has every code of what disturbs measurements now" "$(comm -23 now checks)" ''
# is_built: exactly the programs of this build.
sed -n '/"tools": \[$/,/^\t]/s/^\t\t\t"name": "\(.*\)",$/\1/p' json >tools
for tool in $(cat tools); do
	built=$(sed -n "/\"name\": \"$tool\"/{n;s/.*\"is_built\": \([a-z]*\).*/\1/p;}" json)
	is "the JSON of doctor says whether $tool is built ($built)" \
		"$(command -v "$tool" >/dev/null && echo true || echo false)" "$built"
done
check "the JSON of doctor has the five tools that measure" test "$(wc -l <tools)" -eq 5
missing=$(awk '/"is_built": true/ { getline; if (/"missing"/) n++ } END { print n + 0 }' json)
is "memstor doctor ends with 3 when a built program lacks something, otherwise with 0" \
	"$([ "$missing" -gt 0 ] && echo 3 || echo 0)" "$status"

# --- columns
memstor doctor -o code,fix --noheadings empty >out
check 'memstor doctor --columns prints a line for each fact' test "$(wc -l <out)" -ge 23
check 'memstor doctor --noheadings prints no heading' sh -c '! grep -q "^fact" out && grep -q "^page-size$" out'
check_exit 2 'memstor doctor refuses an unknown column' memstor doctor --columns code,repair
is "memstor doctor names the known columns when it refuses an unknown one" \
	"$(cat "$tmp/err")" "memstor: --columns code,repair: must be columns with commas between: \
code, group, path, status, value, tools, meaning, fix, finding"

# --- the program that memstor runs
for words in --help --version '-o code --noheadings empty'; do
	# shellcheck disable=SC2086 # words
	is "memstor-doctor $words prints what memstor doctor prints" "$(memstor-doctor $words)" "$(memstor doctor $words)"
done

# --- missing programs, folders and privileges
mkdir bin
for command in sh env; do ln -s "$(command -v $command)" bin/$command; done
ln -s "$(command -v memstor)" bin/memstor
PATH=$tmp/bin doctor --json empty
if [ "$(id -u)" -eq 0 ] && unshare -m umount -l /sys 2>/dev/null; then
	status=0
	unshare -m sh -c 'umount -l /sys && exec memstor doctor --json empty' >out 2>err || status=$?
	check 'memstor doctor without /sys ends with 0 or 3' test "$status" -eq 0 -o "$status" -eq 3
	check 'memstor doctor without /sys prints nothing on stderr' test ! -s err
	sed -n '/"facts"/,/^\t]/p' out | codes_of >codes
	check 'memstor doctor without /sys has every finding of the manual' diff documented codes
else
	skip 'memstor doctor without /sys ends with 0 or 3' 'needs root and a mount namespace'
fi
if [ "$(id -u)" -eq 0 ]; then
	for program in 'memstor doctor' 'pmbench -m 4 1'; do
		# shellcheck disable=SC2086 # words
		check_exit 3 "$program without /proc ends with 3" \
			unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh $program
		check "$program without /proc names the file" grep -q '/proc/meminfo' "$tmp/err"
	done
fi
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all'
# shellcheck disable=SC2086 # several words
if [ "$(id -u)" -ne 0 ] || $nobody test -x "$(command -v memstor)" 2>/dev/null; then
	[ "$(id -u)" -eq 0 ] || nobody=
	check_exit 3 'memstor doctor of a user without privilege ends with 3' $nobody memstor doctor --json /
	is 'memstor doctor says that with-pressure lacks privilege' \
		"$(sed -n '/"name": "with-pressure"/,/}/s/.*"missing": \["\([a-z-]*\)".*/\1/p' "$tmp/out")" privilege
	check "memstor doctor of a user without privilege prints nothing on stderr" test ! -s "$tmp/err"
else
	skip 'memstor doctor of a user without privilege ends with 3' 'the build folder cannot be read by everybody'
fi

# --- colours on a terminal
on_terminal() { # NAME=VALUE: the text as a terminal gets it
	env -u NO_COLOR TERM=xterm "$@" script -qec 'memstor doctor empty' /dev/null </dev/null >out 2>&1
}
escape=$(printf '\033')
if command -v script >/dev/null; then
	on_terminal A=B
	check 'memstor doctor on a terminal has colours' grep -q "$escape\[32mok$escape\[0m" out
	on_terminal NO_COLOR=
	check 'memstor doctor has colours with an empty NO_COLOR' grep -q "$escape" out
	on_terminal NO_COLOR=1
	check 'memstor doctor has no colours with NO_COLOR' sh -c '! grep -q "$1" out' sh "$escape"
	on_terminal TERM=dumb
	check "memstor doctor has no colours on a dumb terminal" sh -c '! grep -q "$1" out' sh "$escape"
else
	skip 'memstor doctor on a terminal has colours' 'script(1) is not installed'
fi

# --- usage errors
refuses() { # LINE WORD...
	line=$1
	shift
	check_exit 2 "memstor doctor refuses $*" memstor doctor "$@"
	is "memstor doctor refuses in one line: $*" "$(cat "$tmp/err")" "$line"
	check "memstor doctor prints nothing on stdout when it refuses $*" test ! -s "$tmp/out"
}
refuses "memstor: PATH none: No such file or directory" none
refuses "memstor: PATH empty/none: No such file or directory" empty/none
refuses "memstor: PATH /dev/null: must be a folder, a file or a block device" /dev/null
# shellcheck disable=SC2046 # words
refuses "memstor: PATH .: too many (up to 16)" $(yes . | head -n 17)
refuses "memstor: --json: takes no value" --json=x
if [ -w /dev/full ]; then
	check_exit 3 'memstor doctor ends with 3 when stdout is full' sh -c 'memstor doctor --json empty >/dev/full'
	is 'memstor doctor says in one line that stdout is full' "$(cat "$tmp/err")" 'memstor: cannot write to standard output'
	check_exit 3 'memstor --help ends with 3 when stdout is full' sh -c 'memstor --help >/dev/full'
fi
tap_done
