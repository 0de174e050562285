#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion in zsh by keys that are typed on a terminal.
. "$top_srcdir/tests/lib/tap.sh"
command -v zsh >/dev/null || skip_all 'zsh is not installed'
command -v script >/dev/null || skip_all 'script(1) is not installed'
library=$(cd "$top_srcdir/tests/lib" && pwd)
completion=$(cd "$top_builddir/completion/zsh" && pwd)
check 'the completion file of zsh names every program in its first line' test "$(sed -n '1s/^#compdef //p' "$completion/_memstor" | tr ' ' '\n' | sort)" = \
	"$(find "$completion/../fish" -name '*.fish' | sed 's|.*/||; s|\.fish$||' | sort)"
cd "$tmp" || exit 1
mkdir work
cd work || exit 1
mkdir runs
touch run.xml notes.txt 'two words.xml'

# Functions that log their arguments replace the programs, except for the calls of completion.
cat >"$tmp/rc" <<E
fpath=('$completion' \$fpath)
autoload -U compinit
compinit -u -D
note() {
	case \${@[-1]} in
	--completion-rows) command "\$@" ;;
	*) printf '<%s>' "\$@" >>'$tmp/typed'; echo >>'$tmp/typed' ;;
	esac
}
for program in pmbench memstor iowrite-bench with-pressure; do
	eval "\$program() { note \$program \"\\\$@\" }"
done
E
mkdir "$tmp/bin"
cat >"$tmp/bin/fake" <<'EOF_FAKE'
#!/bin/sh
[ "$*" = --completion-rows ] && cat <<E
option --json -j file? once
option - -x text once one two
option - -y none many
option --folder - folder once
argument - - text once first
argument - - report once
E
EOF_FAKE
chmod +x "$tmp/bin/fake"
PATH=$PATH:$tmp/bin
echo 'compdef _memstor fake; fake() { note fake "$@" }' >>"$tmp/rc"
set --
becomes() { # LINE BECAME
	printf '%s\n' "$1" >>"$tmp/lines"
	printf '%s\n' "$2" >>"$tmp/became"
}
# options, and values behind "=", behind a letter and in the next word
becomes 'pmbench --tim<TAB>perf<TAB>5' '<pmbench><--timestamp=perfc><5>'
becomes 'pmbench --pattern=unif<TAB>5' '<pmbench><--pattern=uniform><5>'
becomes 'pmbench --col<TAB>5' '<pmbench><--cold><5>'
becomes 'pmbench -pli<TAB>5' '<pmbench><-plinear><5>'
becomes 'pmbench -qp li<TAB>5' '<pmbench><-qp><linear><5>'
becomes 'pmbench -- --col<TAB>' '<pmbench><--><--col>'
becomes 'pmbench --cold --col<TAB>' '<pmbench><--cold><--col>'
becomes 'pmbench --label a=b --lab<TAB>c=d' '<pmbench><--label><a=b><--label=c=d>'
becomes 'memstor plot cdf --class=hit,mi<TAB>-q' '<memstor><plot><cdf><--class=hit,minor><-q>'
# files
becomes 'pmbench --map=fi<TAB>n<TAB>-q' '<pmbench><--map=file:notes.txt><-q>'
becomes 'pmbench -f two<TAB>' '<pmbench><-f><two words.xml>'
becomes 'pmbench --json=run.<TAB>' '<pmbench><--json=run.xml>'
becomes 'pmbench --replay n<TAB>5' '<pmbench><--replay><n5>'
# commands, their options and their arguments
becomes 'memstor mer<TAB>run.<TAB>' '<memstor><merge><run.xml>'
becomes 'memstor merge --hel<TAB>' '<memstor><merge><--help>'
becomes 'memstor plot interf<TAB>run.<TAB>' '<memstor><plot><interference><run.xml>'
becomes 'memstor plot cdf run.xml two<TAB>' '<memstor><plot><cdf><run.xml><two words.xml>'
becomes 'memstor nonsense --he<TAB>' '<memstor><nonsense><--he>'
becomes 'iowrite-bench sc<TAB>--hel<TAB>' '<iowrite-bench><scenarios><--help>'
# kinds of rows that no program has
becomes 'fake -yx tw<TAB>-j fir<TAB>ru<TAB>' '<fake><-yx><two><-j><first><run>'
becomes 'fake --fo<TAB>ru<TAB> first run.<TAB>no<TAB>' '<fake><--folder=runs><first><run.xml><no>'
becomes 'fake -jno<TAB>-xon<TAB>' '<fake><-jnotes.txt><-xone>'
# another program's command line
becomes 'with-pressure --ra<TAB>1G -- pmbench --tim<TAB>perf<TAB>' '<with-pressure><--ram=1G><--><pmbench><--timestamp=perfc>'

: >"$tmp/typed"
while IFS= read -r line; do set -- "$@" "$line"; done <"$tmp/lines"
TYPE_INTO=zsh timeout 120 sh "$library/type.sh" "$tmp/rc" "$@" >"$tmp/terminal" 2>&1
number=0
while IFS= read -r line; do
	number=$((number + 1))
	is "completion in zsh completes the typed line: $line" "$(sed -n "${number}p" "$tmp/typed")" "$(sed -n "${number}p" "$tmp/became")"
done <"$tmp/lines"
cmp -s "$tmp/became" "$tmp/typed" || sed 's/^/# /' "$tmp/terminal"
tap_done
