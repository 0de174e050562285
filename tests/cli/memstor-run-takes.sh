#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor run: steps of programs with subcommands, and steps that take what others have made.
. "$top_srcdir/tests/lib/suite.sh"

# An iowrite-bench that says which words it was given, and writes what it is asked for.
cat >bin/iowrite-bench <<'TOOL'
#!/bin/sh
command=$1
shift
output= report= words=
while [ $# -gt 0 ]; do
	case $1 in
	-f) report=$2; shift ;;
	-o) output=$2; shift ;;
	--label) shift ;;
	--dry-run) echo "check $command" >>"$tmp/checks"; exit 0 ;;
	*) words="$words $1" ;;
	esac
	shift
done
echo "$command$words" >>"$tmp/said"
case $words in
*fail*) exit 1 ;;
*unstable*) echo '<iowritesystem/>' >"$output"; exit 4 ;;
esac
if [ "$output" ]; then
	echo '<iowritesystem/>' >"$output"
else
	cp "$tmp/ok.xml" "$report"
fi
TOOL
chmod +x bin/iowrite-bench

suite chain <<'END'
step calibrate
    run iowrite-bench calibrate
    repeat 2
step judge
    run iowrite-bench evaluate --system={calibrate} x
    repeat 3
step other
    run iowrite-bench run --bs=4k
    repeat 1
END
check_exit 0 'a suite whose steps take results ends with 0' memstor run ./chain.suite -o o1
is 'each step gets the newest result that it takes' "$(cat said)" "calibrate
evaluate --system=../calibrate/1/system.xml x
run --bs=4k
evaluate --system=../calibrate/1/system.xml x
calibrate
evaluate --system=../calibrate/2/system.xml x"
is 'a chain: what takes nothing is checked before' "$(sort -u checks)" 'check calibrate
check run'
is 'each step of a chain has its results' "$(find o1 -name '*.xml' | sort | tr '\n' ' ')" "o1/calibrate/1/system.xml \
o1/calibrate/2/system.xml o1/index.xml o1/judge/1/report.xml o1/judge/2/report.xml o1/judge/3/report.xml o1/other/1/report.xml "
valid_index 'a chain of steps' o1
check 'a chain: the index has the files' grep -q '<report_file>calibrate/2/system.xml</report_file>' o1/index.xml
check 'the table has a row for a step with results for others' grep -q '^calibrate  *2/2  *-  *-  ok$' out
check_exit 0 'a chain: its folder is one of reports' memstor validate o1
is 'a chain: the calibration is none of them' "$(grep -c valid out)" 4

# --- resumed, and by steps
rm said
check_exit 0 'nothing is left to do' memstor run ./chain.suite -o o1 --resume
check '--resume of a complete chain runs nothing' test ! -e said
rm o1/calibrate/2/system.xml
check_exit 0 'a result that was removed is made again' memstor run ./chain.suite -o o1 --resume
is '--resume makes a result again that was removed' "$(cat said)" calibrate
rm said
check_exit 3 'a step alone whose result is missing ends with 3' memstor run ./chain.suite -o o2 --step judge
check 'a step whose result is missing is skipped with its reason' \
	grep -q '^judge  *0/3  *-  *-  skipped: it takes the result of step calibrate, which has none$' out
check 'a step whose result is missing is not started' test ! -e said

# --- what fails, and what is not to be trusted
suite fails <<'END'
step calibrate
    run iowrite-bench calibrate fail
step judge
    run iowrite-bench evaluate --system={calibrate}
END
check_exit 1 'a chain with a failing step ends with 1' memstor run ./fails.suite -o o3
check 'a step that fails: what takes from it is skipped' grep -q '^judge .* skipped: it takes the result' out
sed 's/fail/unstable/' fails.suite >unstable.suite
check_exit 4 'a result that is not to be trusted' memstor run ./unstable.suite -o o4
check 'an untrustworthy result is taken all the same' test -e o4/judge/1/report.xml

# --- a file beside the result
suite beside <<'END'
step ops
    run iowrite-bench run --ops-csv=ops.csv
step plain
    run iowrite-bench run
step taker
    run iowrite-bench evaluate x={ops/ops.csv}
END
rm -f said
check_exit 0 'a suite whose step takes what another has left beside its result' memstor run ./beside.suite -o o5
check 'it gets the path of that file' grep -qx 'evaluate x=../ops/1/ops.csv' said
sed 's,ops/ops.csv,plain/ops.csv,' beside.suite >none.suite
check_exit 2 'a step that leaves no such file' memstor run ./none.suite -o o6
is 'is named in one line' "$(cat err)" \
	'memstor: ./none.suite:6: step taker: x={plain/ops.csv}: that step leaves no file of this name next to its result'
sed 's,ops/ops.csv,ops/report.xml,' beside.suite >none.suite
check_exit 2 'a result is taken by the name of its step alone' memstor run ./none.suite -o o6
sed 's,ops/ops.csv,../ops.csv,; s,{,{a,' beside.suite >none.suite
check_exit 2 'a path is no name' memstor run ./none.suite -o o6

# --- refused
refused() { # MESSAGE WORDS...
	message=$1
	shift
	printf 'step a\n    run %s\n' "$*" >r.suite
	check_exit 2 "memstor run refuses a suite: $message" memstor run ./r.suite
	is "memstor run names the line of a suite: $message" "$(cat err)" "memstor: ./r.suite:2: $message"
}
refused "step a: {b}: there is no step of that name" 'iowrite-bench evaluate {b}'
refused "step a: --system={a}: it cannot use its own result" 'iowrite-bench evaluate --system={a}'
refused "'iowrite-bench' is not a program of the suite; allowed: pmbench, iowrite-bench run, iowrite-bench evaluate, \
iowrite-bench trace, iowrite-bench calibrate, ssd-workloads run, ssd-workloads analyze, with-pressure; start another program by a line: command PROGRAM" 'iowrite-bench scenarios'
refused "step a: --dump cannot be given but as --dump=records.rec: memstor run gives the report its name and runs the step" \
	'ssd-workloads run --dump=/etc/passwd'
refused "step a: --ops-csv cannot be given but as --ops-csv=ops.csv: memstor run gives the report its name and runs the step" \
	'iowrite-bench run --ops-csv=../../ops.csv'
for words in 'run -f x' 'evaluate --output=x' 'trace --json' 'calibrate -o x' 'calibrate --out x' 'run -n'; do
	printf 'step a\n    run iowrite-bench %s\n' "$words" >r.suite
	check_exit 2 "memstor run refuses: $words" memstor run ./r.suite
	check "memstor run says why it refuses: $words" \
		grep -q 'cannot be given: memstor run gives the report its name and runs the step$' err
done
tap_done
