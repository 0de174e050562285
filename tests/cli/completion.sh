#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion in bash offers every option of the --help of every program, and values. All lines are collected
# first: one bash answers them all.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v bash >/dev/null || skip_all 'bash is not installed'
library=$top_srcdir/tests/lib
completion=$top_builddir/completion
cd "$tmp" || exit 1
mkdir work
cd work || exit 1
mkdir runs
touch run.xml notes.txt 'two words.xml'

# In a build in the source tree their sources are in the same folder: names of sources have a dot, programs' have none.
programs=$(find "$completion" -maxdepth 1 -type f ! -name '*.*' | sed 's|.*/||' | sort)
for program in $programs; do echo "source '$completion/$program'"; done >"$tmp/rc"
offered() { printf '%s\n' "$1" | bash "$library/complete.bash" "$tmp/rc" 2>&1 | sed 1d | sort; }
offers() { # LINE WANTED...: exactly these
	printf '%s\n' "$1" >>"$tmp/lines"
	printf '> %s\n' "$1" >>"$tmp/wanted"
	shift
	printf '%s\n' "$@" >>"$tmp/wanted"
}
# The answer to each line is compared with the expected words, in any order.
compare_answers() {
	bash "$library/complete.bash" "$tmp/rc" <"$tmp/lines" >"$tmp/offered" 2>&1
	awk '
	FNR == 1 { file++; block = 0 }
	/^> / { line[file, ++block] = substr($0, 3); next }
	$0 != "" { words[file, block] = words[file, block] $0 "\n" }
	END {
		for (i = 1; (1, i) in line || (2, i) in line; i++) {
			delete more
			n = split(words[1, i], word, "\n")
			for (k = 1; k < n; k++) more[word[k]]--
			n = split(words[2, i], word, "\n")
			for (k = 1; k < n; k++) more[word[k]]++
			list = words[1, i]
			gsub(/\n/, " ", list)
			answer = list == "" ? "nothing" : length(list) < 100 ? list : "the options of --help"
			verdict = line[1, i] == line[2, i] ? "ok" : "not ok"
			for (each in more) if (more[each]) verdict = "not ok"
			print verdict "|completion in bash: " line[1, i] " <TAB> offers " answer
			for (each in more) if (more[each]) print "#|" (more[each] > 0 ? "offered: " : "not offered: ") each
		}
	}' "$tmp/wanted" "$tmp/offered" >"$tmp/answers"
	while IFS='|' read -r verdict text; do
		case $verdict in
		'#') echo "# $text" ;;
		*) tap_result "$verdict" "$text" ;;
		esac
	done <"$tmp/answers"
}

# --- options, from --help: --flag, --name=VALUE, --name[=VALUE]
options_of() { # PROGRAM [COMMAND]
	"$@" --help | sed -n 's/^ \{0,6\}\(-., *\)\{0,1\}\(--[a-z0-9-]*\)\([=[]*\).*/\2\3/p' |
		sed 's/\(.*\)\[=/\1\n\1=/' | sort
}
compare_options() {
	options_of "$@" >"$tmp/options"
	set -- "$* -"
	while IFS= read -r option; do set -- "$@" "$option"; done <"$tmp/options"
	offers "$@"
}
# --to=json|csv: each is offered.
compare_choices() {
	"$@" --help | sed -n 's/^.*\(--[a-z0-9-]*\)\[\{0,1\}=\([a-z|-]*|[a-z|-]*\)\(\]\| .*\)\{0,1\}$/\1 \2/p' >"$tmp/choices"
	while read -r option choices; do
		# shellcheck disable=SC2046 # words
		offers "$* $option=" $(echo "$choices" | tr '|' ' ')
	done <"$tmp/choices"
}
rows_are_rows() {
	check_exit 0 "$* --completion-rows ends with 0" "$@" --completion-rows
	check "$* --completion-rows prints rows as common/cli/opt.h says" awk '
		$1 == "command" { if (NF != 2) exit 1; next }
		$1 == "argument" { if ($2 != "-" || $3 != "-") exit 1 }
		$1 ~ /^(option|hidden)$/ { if ($2 !~ /^(-|--[a-z0-9-]+)$/ || $3 !~ /^(-|-.)$/ || $2 == $3) exit 1 }
		$1 !~ /^(option|hidden|argument)$/ || $4 !~ /^(none|text|list|file|output|folder|report|command)\??$/ ||
			$5 !~ /^(once|many)$/ { exit 1 }' "$tmp/out"
}
for program in $programs; do
	rows_are_rows "$program"
	commands=$(sed -n 's/^command //p' "$tmp/out")
	if [ -z "$commands" ]; then
		compare_options "$program"
		continue
	fi
	is "$program --completion-rows has the commands of --help in their order" "$commands" "$(commands_of "$program")"
	# shellcheck disable=SC2086 # words
	offers "$program " $commands
	offers "$program -" --help --version
	offers "$program nonsense -"
	for command in $commands; do
		rows_are_rows "$program" "$command"
		compare_options "$program" "$command"
		compare_choices "$program" "$command"
	done
done
for program in memstor iowrite-bench ssd-workloads; do
	check "$program --completion-rows has commands" sh -c "$program --completion-rows | grep -q '^command '"
done
check 'every program of the build has a completion file for bash' test "$programs" = \
	"$(cd "$top_builddir" && for path in */*; do
		[ -x "$path" ] && [ -f "$path" ] || continue
		case ${path#*/} in "${path%/*}" | "memstor-${path%/*}") echo "${path#*/}" ;; esac
	done | sort | grep -vx -e completion)"
check 'completion in bash offers more than 40 options of pmbench' test "$(offered 'pmbench -' | wc -l)" -gt 40

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
offers 'pmbench --swap=' zram: file: loop: zswap: dev: none
offers 'with-pressure --swap ' zram: file: loop: zswap: dev: none
offers 'with-pressure --recover=' set-aside
offers 'with-pressure --recover --v' --verbose --version
offers 'pmbench -m ' ''
offers 'ssd-workloads run --mix=' 1-1 1-N M-N 1-0 M-0 0-1 0-N custom
offers 'ssd-workloads run --mix M' M-N M-0
offers 'ssd-workloads run --durability=f' fdatasync
offers 'ssd-workloads run --target=n' notes.txt
offers 'ssd-workloads analyze fig1' fig11 fig10
offers 'ssd-workloads verify n' notes.txt
offers 'pmbench 5' ''
offers 'pmbench -m'  -m
offers 'pmbench -q' -q

# --- values from the tables of memstor
offers 'memstor run s' smoke
offers 'memstor plot h' histogram heatmap hot-set history
offers 'memstor plot i' interference
offers 'memstor plot histogram --format=' svg png pdf
offers 'memstor plot bars --metric=t' throughput time-over-100us time-over-1ms
offers 'memstor plot bars --metric throughput,p9' throughput,p90 throughput,p99 throughput,p99.9
offers 'memstor plot cdf --class=hit,m' hit,minor hit,major
offers 'memstor plot cdf --type ' read write both sync response service commit
offers 'memstor compare --metric=o' os-overhead
offers 'memstor compare --allow-different=' options machine sets
offers 'memstor compare --allow-different=options,m' options,machine
offers 'memstor compare runs -- r' runs run.xml
offers 'memstor convert --to ' json ndjson csv pmgraph openmetrics bmf github-action-benchmark
# memstor accepts the words that are offered: it refuses only the missing report.
for option in --metric --class --type; do
	kind=histogram
	[ $option = --metric ] && kind=bars
	for word in $(offered "memstor plot $kind $option="); do
		memstor plot $kind $option "$word" none.xml -o x.svg >"$tmp/said" 2>&1
		check "memstor plot accepts the offered $option $word" grep -q 'none.xml' "$tmp/said"
	done
done
for suite in $(offered 'memstor run ' | grep -vx -e runs -e '.*\.xml' -e '.*\.txt' -e 'two words.*'); do
	check "memstor run --list has the suite that is offered: $suite" sh -c "memstor run --list | grep -q '^$suite '"
done

# --- files
offers 'pmbench -f ' runs run.xml notes.txt 'two words.xml'
offers 'pmbench --file=n' notes.txt
offers 'pmbench --json=run' run.xml runs
# The value of --json is optional: the next word is not its value.
offers 'pmbench --json run' ''
offers 'pmbench --replay ' runs run.xml 'two words.xml'
offers 'pmbench --map=file:n' notes.txt
offers 'pmbench --map file:./n' ./notes.txt
offers 'pmbench -fn' -fnotes.txt
offers 'pmbench -fr' -frun.xml -fruns/
offers 'memstor merge ' runs run.xml 'two words.xml'
offers 'memstor merge run.xml r' runs run.xml
offers 'with-pressure true n' notes.txt
offers 'with-pressure --swap none -- true n' notes.txt
check 'completion in bash: with-pressure <TAB> offers commands of PATH' \
	sh -c "$(command -v bash) '$library/complete.bash' '$completion/with-pressure' <<-E | grep -qx env
	with-pressure --ram 1G en
E"

# --- options that may be given once, and others
offers 'pmbench --cold --co' --content=
offers 'pmbench -c --co' --content=
offers 'pmbench -qi --content zero --co' --cold
offers 'pmbench --label a=b --lab' --label=
offers 'pmbench -y 0 --aff' --affinityset=
offers 'with-pressure --eater any=1M@0-1 --ea' --eater=
# A value is not an option, nor is a word behind --.
offers 'pmbench -f --cold --co' --cold --content=
offers 'pmbench -- --co' ''
offers 'with-pressure true --ra' ''

offers "$tmp/none/pmbench -" ''
offers "$top_builddir/pmbench/pmbench --cold --co" --content=

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
echo 'complete -F _memstor fake' >>"$tmp/rc"
offers 'fake ' first
offers 'fake -j ' first
offers 'fake -jn' -jnotes.txt
offers 'fake -x ' one two
offers 'fake -yx t' two
offers 'fake -yxone ' first
offers 'fake -' --json --json= -x -y --folder=
offers 'fake -x one -y -' --json --json= -y --folder=
offers 'fake --folder=' runs
offers 'fake first ' runs run.xml 'two words.xml'
offers 'fake first run.xml ' ''
compare_answers

check_exit 2 '--completion-rows with another argument is refused' pmbench --completion-rows 5
check '--completion-rows with another argument is refused in one line' \
	test "$(cat "$tmp/err")" = 'pmbench: --completion-rows: no such option; --help lists them'
tap_done
