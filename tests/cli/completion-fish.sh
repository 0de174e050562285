#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion in fish offers every option of every program, values, files and commands.
. "$top_srcdir/tests/lib/tap.sh"
command -v fish >/dev/null || skip_all 'fish is not installed'
completion=$(cd "$top_builddir/completion/fish" && pwd)
cd "$tmp" || exit 1
mkdir work
cd work || exit 1
mkdir runs
touch run.xml notes.txt 'two words.xml'
# Without settings of the user; HOME is this folder while fish searches its own files.
export HOME="$tmp" XDG_CONFIG_HOME="$tmp/config" XDG_DATA_HOME="$tmp/data"

programs=$(find "$completion" -name '*.fish' | sed 's|.*/||; s|\.fish$||' | sort)
for program in $programs; do
	echo "source $completion/$program.fish"
done >"$tmp/rc.fish"
offered() { LINE=$1 fish --no-config -c "source '$tmp/rc.fish'; complete -C \"\$LINE\"" 2>&1 | sort; }
offers() { # LINE WANTED...: exactly these
	line=$1
	shift
	offered "$line" >"$tmp/offered"
	printf '%s\n' "$@" | sed '/^$/d' | sort >"$tmp/wanted"
	check "completion in fish offers the expected words for: $line" diff "$tmp/wanted" "$tmp/offered"
}

# --- options
# The options of --completion-rows, each as it is typed.
options_of() {
	"$@" --completion-rows | awk '$1 == "option" {
		name = $2 == "-" ? $3 : $2
		if ($4 == "none" || $4 ~ /\?$/ || $2 == "-") print name
		if ($4 != "none" && $2 != "-") print name "=" }'
}
for program in $programs; do
	commands=$("$program" --completion-rows | sed -n 's/^command //p')
	# shellcheck disable=SC2046 # words
	offers "$program -" $(options_of "$program")
	# shellcheck disable=SC2086 # words
	[ -z "$commands" ] || offers "$program " $commands
	for command in $commands; do
		# shellcheck disable=SC2046 # words
		offers "$program $command -" $(options_of "$program" "$command")
	done
done
check 'completion in fish offers more than 40 options of pmbench' test "$(offered 'pmbench -' | wc -l)" -gt 40
offers 'pmbench --cold --co' --content=
offers 'pmbench -qc --co' --content=
offers 'pmbench -f --cold --co' --cold --content=
offers 'pmbench --label a=b --lab' --label=
offers 'pmbench -- --co' ''
offers 'memstor nonsense -' ''
offers "$top_builddir/pmbench/pmbench --cold --co" --content=
offers "$tmp/none/pmbench -" ''

# --- values
offers 'pmbench --pattern=' --pattern=uniform --pattern=normal --pattern=normal_ih --pattern=linear --pattern=pareto \
	--pattern=zipf --pattern=hotset
offers 'pmbench -p n' normal normal_ih
offers 'pmbench -qp n' normal normal_ih
offers 'pmbench -pn' -pnormal -pnormal_ih
offers 'memstor convert --to ' json ndjson csv pmgraph openmetrics bmf github-action-benchmark
offers 'memstor plot cdf --class=hit,m' --class=hit,minor --class=hit,major

# --- files
offers 'pmbench -f ' runs/ run.xml notes.txt 'two words.xml'
offers 'pmbench --json=run' --json=run.xml --json=runs/
offers 'pmbench --json run' ''
offers 'pmbench --replay ' runs/ run.xml 'two words.xml'
offers 'pmbench --map=file:n' --map=file:notes.txt
offers 'pmbench -fn' -fnotes.txt

# --- arguments
offers 'memstor plot hi' histogram history
offers 'memstor plot cdf run.xml r' runs/ run.xml
offers 'memstor merge ' runs/ run.xml 'two words.xml'
offers 'pmbench 5 ' ''
offers 'with-pressure --swap none -- true n' notes.txt
offers 'with-pressure --ram 1G pmbench --patt' --pattern= --pattern-file=
offers 'with-pressure true --ra' ''

# --- kinds of rows that no program has
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
sed 's/^complete -c [a-z]*/complete -c fake/' "$completion/pmbench.fish" >>"$tmp/rc.fish"
offers 'fake ' first
offers 'fake -j ' first
offers 'fake -jn' -jnotes.txt
offers 'fake -x ' one two
offers 'fake -yx t' two
offers 'fake -yxone ' first
offers 'fake -' --json --json= -x -y --folder=
offers 'fake -x one -y -' --json --json= -y --folder=
offers 'fake --folder=' --folder=runs/
offers 'fake first ' runs/ run.xml 'two words.xml'
offers 'fake first run.xml ' ''
tap_done
