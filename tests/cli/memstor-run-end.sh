#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor run when steps or memstor itself are ended: budgets, signals, kill -9, and --resume after it.
. "$top_srcdir/tests/lib/suite.sh"
# A shell starts background commands with SIGINT ignored.
env --default-signal=INT true 2>/dev/null || skip_all 'needs env --default-signal (coreutils 8.31)'
begun() { pgrep -f -- "$token-$tool"; } # processes of the tool under test
nothing_runs() { [ -z "$(begun)" ]; }
nothing() { # nothing WHAT: no process of the tool is left
	is "$1: no process of the tool is left" "$(begun | tr '\n' ' ')" ''
}
tool='sleep'

# A process in a process group and a session of its own is waited for, as a guardian that restores must be; half a
# minute. Checked below.
suite orphan <<'END'
step orphan
    run pmbench orphan
END
log=$tmp/log-of-orphan memstor run ./orphan.suite -o orphan >orphan.out 2>orphan.err &
orphan=$!

# A tool that ignores SIGTERM has 10 s until it is killed. Checked below.
suite deaf <<'END'
step deaf
    run pmbench deaf
    budget 200ms
END
log=$tmp/log-of-deaf token=$token-budget memstor run ./deaf.suite -o b2 >deaf.out 2>deaf.err &
deaf=$!

# --- budgets
suite budget <<'END'
budget 300ms
step sleep
    run pmbench sleep
step good
    run pmbench quick
    budget 60s
END
check_exit 1 'a suite with a step over its budget ends with 1' memstor run ./budget.suite --step sleep --step good -o b1
is 'a step over its budget does not stop the others' "$(order)" 'sleep 1|good 1|'
is 'a step over its budget has the budget as its reason' "$(state b1 sleep 1): $(reason b1 sleep 1)" \
	'overrun: it was ended when its budget of 300 ms was used up'
check 'a tool over its budget can write its report' grep -q '"interrupted"' b1/sleep/1/report.xml
nothing 'a step over its budget'
valid_index 'a step over its budget' b1

# Processes that a tool leaves in its process group end with it.
tool=leftover
suite leftover <<'END'
step leftover
    run pmbench leftover
END
check_exit 0 'a suite whose tool leaves a process behind ends with 0' memstor run ./leftover.suite -o b3
nothing 'a tool that leaves a process behind'
is 'a process that a tool leaves behind gets SIGTERM first' "$(cat heard)" TERM

# --- signals
tool='sleep'
suite long <<'END'
step first
    run pmbench quick
step second
    run pmbench sleep
step third
    run pmbench quick
END
begin() { # begin ARGUMENT...: memstor run in the background; sets run
	rm -f log
	env --default-signal=INT,TERM,HUP memstor run "$@" >out 2>err &
	run=$!
	check "$what: the second step has begun" until_true grep -qs 'second 1' log
	check "$what: the tool of the step runs" until_true begun
}
for signal in INT TERM HUP; do
	what="SIG$signal"
	begin ./long.suite -o "s$signal"
	kill -$signal $run
	finish $run
	is "$what ends memstor run with 4" $status 4
	nothing "$what"
	is "$what: the states of the steps are done, interrupted and waiting" "$(state s$signal first 1) $(state s$signal second 1) $(state s$signal third 1)" \
		'done interrupted waiting'
	check "$what: the tool wrote its report" grep -q '"interrupted"' s$signal/second/1/report.xml
	is "$what: the index says interrupted" "$(sed -n 's/.*<memstorrun .* state="\(.*\)">/\1/p' s$signal/index.xml)" interrupted
	valid_index "$what" s$signal
	is "$what: the last lines say how to continue" "$(sed -n '5p;$p' out)" "Interrupted: finished runs are kept.
Continue with the rest: memstor run ./long.suite -o s$signal --resume"
done

tool=deaf
suite slow <<'END'
step a
    run pmbench slowly
END
what='SIGINT before the first step'
rm -f log
env --default-signal=INT memstor run ./slow.suite -o s1 >out 2>err &
run=$!
check "$what: memstor run asks the tool" until_true grep -qs check log
kill -INT $run
finish $run
is "$what ends memstor run with 4" $status 4
is "$what: one line says that nothing was run" "$(cat err)" 'memstor: interrupted before the first step: nothing was run'
check "$what: no folder is made" test ! -e s1

suite deaf2 <<'END'
step second
    run pmbench deaf
END
what='two SIGINTs'
one_token=$token
token=$token-twice
begin ./deaf2.suite -o s2
kill -INT $run
sleep 0.3
kill -INT $run 2>/dev/null
finish $run
is "$what end memstor run at once with 130" $status 130
token=$one_token

# The keeper of the killed run still ends the tool when the next memstor starts: the two never run at once.
what='resuming at once'
begin ./deaf2.suite -o s3
kill -9 $run
finish $run
touch calm
check_exit 0 "$what ends with 0" memstor run ./deaf2.suite -o s3 --resume
is "$what waits for the step of the killed run" \
	"$(said | head -n 1)" 'memstor: -o s3: the step of a killed run is still ending: waiting for it'
nothing "$what"
rm calm

# --- kill -9
tool='sleep'
what='kill -9'
begin ./long.suite -o k1
kill -9 $run
finish $run
check "$what: no process of the tool is left" until_true nothing_runs
is "$what: the index has the finished step as done and the others as waiting" "$(state k1 first 1) $(state k1 second 1) $(state k1 third 1)" 'done waiting waiting'
valid_index "$what" k1
is "$what: the index says that the suite runs" "$(sed -n 's/.*<memstorrun .* state="\(.*\)">/\1/p' k1/index.xml)" running
cp k1/first/1/report.xml first.xml
rm log
touch -d '2 hours ago' k1/first/1/report.xml
before=$(stat -c %Y k1/first/1/report.xml)
# The second step would sleep until its budget ends it: a pmbench that ignores "sleep" replaces the tool.
mv bin/pmbench bin/real
printf '#!/bin/sh\nfor word; do shift; [ "$word" = sleep ] || set -- "$@" "$word"; done\nexec "$tmp/bin/real" "$@"\n' >bin/pmbench
chmod +x bin/pmbench
check_exit 0 '--resume of an interrupted suite ends with 0' memstor run ./long.suite -o k1 --resume
is '--resume of an interrupted suite runs only the steps that are not done' "$(order)" 'second 1|third 1|'
is '--resume of an interrupted suite keeps the report of a step that is done' "$(stat -c %Y k1/first/1/report.xml)" "$before"
is '--resume of an interrupted suite completes all steps' \
	"$(state k1 first 1) $(state k1 second 1) $(state k1 third 1)" 'done done done'
is '--resume adds a session to the index' "$(grep -c '<session>' k1/index.xml)" 2
valid_index '--resume of an interrupted suite' k1
rm log
check_exit 0 '--resume of a complete suite ends with 0' memstor run ./long.suite -o k1 --resume
is '--resume of a complete suite runs nothing' "$(cat log 2>/dev/null)" ''
check '--resume of a complete suite prints the table' grep -q '^third  *1/1 ' out
rm k1/third/1/report.xml
check_exit 0 '--resume of a suite with a removed report ends with 0' memstor run ./long.suite -o k1 --resume
is '--resume runs only the step whose report was removed' "$(order)" 'third 1|'
mv bin/real bin/pmbench

suite flaky <<'END'
step good
    run pmbench quick
step flaky
    run pmbench flaky
END
rm -f log
check_exit 1 'a suite with a failing step ends with 1' memstor run ./flaky.suite --runs 2 --warmup 1 -o k2
touch mended
rm log
check_exit 0 '--resume of a suite with a failed step ends with 0' memstor run ./flaky.suite --runs 2 --warmup 1 -o k2 --resume
is '--resume runs a failed step again after a warm-up' "$(order)" 'flaky 1|flaky 1|flaky 2|'
is '--resume completes a failed step' "$(state k2 flaky 1) $(state k2 flaky 2)" 'done done'

# No step was started, or only the first files were written.
mkdir k3
cp flaky.suite k3/suite.txt
check_exit 0 '--resume accepts a folder with a suite but no index' memstor run ./flaky.suite -o k3 --resume
check_exit 0 '--resume accepts a folder that does not exist' memstor run ./flaky.suite -o k4 --resume

# --- folders that cannot be resumed
refuses() { # refuses LINE ARGUMENT...
	line=$1
	shift
	check_exit 2 "memstor run refuses: $*" memstor run "$@"
	is "memstor run refuses in one line: $*" "$(cat err)" "memstor: $line"
}
refuses '-o k2: already contains results; continue with --resume or name another DIR' ./flaky.suite -o k2
index=k2/index.xml
refuses "--resume: $index: --runs was 2 and is 3 now" ./flaky.suite --runs 3 --warmup 1 -o k2 --resume
refuses "--resume: $index: --warmup was 1 and is not given now" ./flaky.suite --runs 2 -o k2 --resume
refuses "--resume: $index: --label 'a=b' was not given" ./flaky.suite --runs 2 --warmup 1 --label a=b -o k2 --resume
refuses "--resume: $index: --step 'good' was not given" ./flaky.suite --runs 2 --warmup 1 --step good -o k2 --resume
cp k2/index.xml whole
sed -i 's|<release>.*<|<release>1.2<|' k2/index.xml
refuses "--resume: $index: the kernel was '1.2' and is '$(uname -r)' now" ./flaky.suite --runs 2 --warmup 1 -o k2 --resume
head -c 700 whole >k2/index.xml
check_exit 2 '--resume refuses a broken index' memstor run ./flaky.suite --runs 2 --warmup 1 -o k2 --resume
check '--resume refuses a broken index in one line with file and line' sh -c "[ \$(wc -l <err) = 1 ] && grep -q '^memstor: $index:[0-9]*: ' err"
sed 's/memstorrun version="1.0"/memstorrun version="2.0"/' whole >k2/index.xml
refuses "--resume: $index: has version 2.0, known is 1.0" ./flaky.suite --runs 2 --warmup 1 -o k2 --resume
cp whole k2/index.xml
echo '# another line' >>flaky.suite
refuses '--resume: ./flaky.suite is not the suite of the earlier run, which is in k2/suite.txt' ./flaky.suite --runs 2 \
	--warmup 1 -o k2 --resume
mkdir other
touch other/file
refuses '-o other: exists and is not empty: give the name of a new folder' ./flaky.suite -o other
refuses '-o other: not a resumable run directory (no index.xml)' ./flaky.suite \
	-o other --resume
refuses '-o other/file: not a folder' ./flaky.suite -o other/file
refuses '-o none/here: cannot be made in none: No such file or directory' ./flaky.suite -o none/here

# --- two at a time
what='a second memstor run in one folder'
begin ./long.suite -o t1
check_exit 2 "$what is refused" memstor run ./long.suite -o t1 --resume
is "$what is refused in one line" "$(cat err)" 'memstor: -o t1: another memstor run uses it'
check_exit 0 'a second suite on one host runs' memstor run ./flaky.suite --step good -o t2
is 'a second suite on one host is warned of the first' \
	"$(grep -c "^memstor: warning: another suite runs on this host (process $run)" err)" 1
check 'the index of a second suite has the number of others' grep -q '<suites_beside>[1-9]' t2/index.xml
kill -INT $run
finish $run
nothing "$what"

# --- the keeper is killed: the tool ends, the suite continues
what='a killed keeper'
begin ./long.suite -o t3
keeper=$(pgrep -P $run)
program=$(pgrep -P "$keeper")
kill -9 "$keeper"
check "$what: the tool ends" until_true sh -c "! kill -0 $program 2>/dev/null"
finish $run
is "$what: memstor run ends with 1" $status 1
is "$what: the other steps are run" "$(state t3 first 1) $(state t3 second 1) $(state t3 third 1)" 'done failed done'
is "$what: the index has the reason" "$(reason t3 second 1)" 'its keeper was killed'
valid_index "$what" t3

status=0
wait $deaf || status=$?
tool=deaf
is 'a step whose tool ignores SIGTERM fails' "$status" 1
is 'a tool that ignores SIGTERM is killed' "$(sed -n 's/.*<signal>\(.*\)<.*/\1/p' b2/index.xml)" 9
nothing 'a tool that ignores SIGTERM'
token=$one_token-twice
check "two SIGINTs: a tool that ignores signals is killed later" until_true nothing_runs
token=$one_token

status=0
wait $orphan || status=$?
tool=orphan
is 'a suite whose tool leaves a session behind ends with 0' "$status" 0
nothing 'a tool that leaves a session behind'
tap_done
