#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor run: steps of programs with subcommands, and steps that take the results of others.
. "$top_srcdir/tests/lib/suite.sh"

# An iowrite-bench that logs its arguments and writes the file that they name.
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
is 'memstor run checks only steps without results of others before the first step' "$(sort -u checks)" 'check calibrate
check run'
is 'each step of a chain has its results' "$(find o1 -name '*.xml' | sort | tr '\n' ' ')" "o1/calibrate/1/system.xml \
o1/calibrate/2/system.xml o1/index.xml o1/judge/1/report.xml o1/judge/2/report.xml o1/judge/3/report.xml o1/other/1/report.xml "
valid_index 'a chain of steps' o1
check 'the index names the files of a chain of steps' grep -q '<report_file>calibrate/2/system.xml</report_file>' o1/index.xml
check 'the table has a row for a step with results for others' grep -q '^calibrate  *2/2  *-  *-  ok$' out
check_exit 0 'memstor validate accepts the folder of a chain of steps' memstor validate o1
is 'memstor validate does not count a calibration as a report' "$(grep -c valid out)" 4

# --- --resume and --step
rm said
check_exit 0 '--resume of a complete chain ends with 0' memstor run ./chain.suite -o o1 --resume
check '--resume of a complete chain runs nothing' test ! -e said
rm o1/calibrate/2/system.xml
check_exit 0 '--resume of a chain with a removed result ends with 0' memstor run ./chain.suite -o o1 --resume
is '--resume of a chain runs only the step whose result was removed' "$(cat said)" calibrate
rm said
check_exit 3 'a step alone whose result is missing ends with 3' memstor run ./chain.suite -o o2 --step judge
check 'a step whose result is missing is skipped with its reason' \
	grep -q '^judge  *0/3  *-  *-  skipped: it takes the result of step calibrate, which has none$' out
check 'a step whose result is missing is not started' test ! -e said

# --- failed and untrustworthy results
suite fails <<'END'
step calibrate
    run iowrite-bench calibrate fail
step judge
    run iowrite-bench evaluate --system={calibrate}
END
check_exit 1 'a chain with a failing step ends with 1' memstor run ./fails.suite -o o3
check 'a step that takes the result of a failed step is skipped' grep -q '^judge .* skipped: it takes the result' out
sed 's/fail/unstable/' fails.suite >unstable.suite
check_exit 4 'a chain with an untrustworthy result ends with 4' memstor run ./unstable.suite -o o4
check 'a step takes an untrustworthy result of another' test -e o4/judge/1/report.xml

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
check_exit 0 'a suite whose step takes a file beside the result of another ends with 0' memstor run ./beside.suite -o o5
check 'a step gets the path of a file beside the result of another' grep -qx 'evaluate x=../ops/1/ops.csv' said
sed 's,ops/ops.csv,plain/ops.csv,' beside.suite >none.suite
check_exit 2 'memstor run refuses a step that takes a file that the other step does not leave' memstor run ./none.suite -o o6
is 'memstor run names in one line the file that a step does not leave' "$(cat err)" \
	'memstor: ./none.suite:6: step taker: x={plain/ops.csv}: that step leaves no file of this name next to its result'
sed 's,ops/ops.csv,ops/report.xml,' beside.suite >none.suite
check_exit 2 'memstor run refuses the name of a result beside the name of its step' memstor run ./none.suite -o o6
sed 's,ops/ops.csv,../ops.csv,; s,{,{a,' beside.suite >none.suite
check_exit 2 'memstor run refuses a path as the name of a file beside a result' memstor run ./none.suite -o o6

# --- refusals
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
