#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion in bash by keys that are typed on a terminal, without and with the package bash-completion.
. "$top_srcdir/tests/lib/tap.sh"
command -v bash >/dev/null || skip_all 'bash is not installed'
command -v script >/dev/null || skip_all 'script(1) is not installed'
package=/usr/share/bash-completion/bash_completion
library=$(cd "$top_srcdir/tests/lib" && pwd)
completion=$(cd "$top_builddir/completion" && pwd)
cd "$tmp" || exit 1
mkdir work user
cd work || exit 1
mkdir runs
touch run.xml notes.txt 'two words.xml'

# Functions that log their arguments replace the programs, except for the calls of completion.
cat >"$tmp/rc" <<E
HISTFILE=
note() {
	case \${!#} in
	--completion-rows) command "\$@" ;;
	*) printf '<%s>' "\$@" >>'$tmp/typed'; echo >>'$tmp/typed' ;;
	esac
}
for program in pmbench memstor iowrite-bench with-pressure sudo; do
	eval "\$program() { note \$program \"\\\$@\"; }"
done
E

typed() { # NAME: the lines of $tmp/lines are typed and become those of $tmp/became
	: >"$tmp/typed"
	set -- "$1"
	while IFS= read -r line; do set -- "$@" "$line"; done <"$tmp/lines"
	name=$1
	shift
	sh "$library/type.sh" "$tmp/$name" "$@" >"$tmp/terminal" 2>&1
	check "completion in bash, $name the package, completes $# typed lines" diff "$tmp/became" "$tmp/typed"
	cmp -s "$tmp/became" "$tmp/typed" || sed 's/^/# /' "$tmp/terminal"
}

becomes() { # LINE BECAME
	printf '%s\n' "$1" >>"$tmp/lines"
	printf '%s\n' "$2" >>"$tmp/became"
}
becomes 'pmbench --patt<TAB>=unif<TAB>5' '<pmbench><--pattern=uniform><5>'
becomes 'pmbench --pat<TAB>=n<TAB>_<TAB>5' '<pmbench><--pattern=normal_ih><5>'
becomes 'pmbench --col<TAB>5' '<pmbench><--cold><5>'
becomes 'pmbench --map=fi<TAB>n<TAB>-q' '<pmbench><--map=file:notes.txt><-q>'
becomes 'pmbench -f "two w<TAB>' '<pmbench><-f><two words.xml>'
becomes 'pmbench --replay two<TAB>5' '<pmbench><--replay><two words.xml><5>'
becomes 'pmbench --json=ru<TAB>.x<TAB>' '<pmbench><--json=run.xml>'
becomes 'pmbench --json=runs<TAB>x' '<pmbench><--json=runs/x>'
becomes 'pmbench -q >notes<TAB>' '<pmbench><-q>'
becomes 'memstor mer<TAB>run.<TAB>' '<memstor><merge><run.xml>'
becomes 'memstor merge --hel<TAB>' '<memstor><merge><--help>'
becomes 'iowrite-bench sc<TAB>--hel<TAB>' '<iowrite-bench><scenarios><--help>'
becomes 'with-pressure --ra<TAB>1G -- true not<TAB>' '<with-pressure><--ram=1G><--><true><notes.txt>'

{ cat "$tmp/rc"; echo "source '$completion/pmbench'"; } >"$tmp/without"
typed without

# Some users remove these characters from COMP_WORDBREAKS.
{ cat "$tmp/without"; echo 'COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]/}'; } >"$tmp/without = and : as word breaks, without"
typed 'without = and : as word breaks, without'

if [ -r "$package" ]; then
	ln -s "$completion" "$tmp/user/completions"
	{
		cat "$tmp/rc"
		echo "BASH_COMPLETION_USER_DIR='$tmp/user'"
		echo "source '$package'"
	} >"$tmp/with"
	becomes 'sudo pmbench --patt<TAB>=lin<TAB>5' '<sudo><pmbench><--pattern=linear><5>'
	becomes 'with-pressure --ram 1G -- pmbench --patt<TAB>=lin<TAB>' \
		'<with-pressure><--ram><1G><--><pmbench><--pattern=linear>'
	typed with
else
	skip 'completion in bash, with the package, completes typed lines' 'bash-completion is not installed'
fi
tap_done
