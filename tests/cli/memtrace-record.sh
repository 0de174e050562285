#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record and report: page faults by mapping, process and thread, exit statuses, bad input, what is cut off.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1

# --- what is refused before anything runs
refuses 'memtrace: record: a command to run is missing' memtrace record
refuses 'memtrace: report: the name of a recording is missing' memtrace report
refuses 'memtrace: --ring 100k: must be a power of two' memtrace record --ring 100k -- true
for options in '-e page-faults -F 100' '-e cpu-clock --kernel' '-c 5 -F 100' '-p 1 -a' '--paused' '-d 1s' '-p 1 -a' '-F 0' \
	'-e page-faults -c 0' '-e cpu-clock -c 9999' '-p 0'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "record $options" memtrace record $options -- true
	is "is one line" "$(wc -l <"$tmp/err")" 1
done
refuses 'memtrace: record: true: --pid and --all take no command' memtrace record -p $$ -- true
check_exit 3 "a process that does not exist" memtrace record -p 4194304
is "is one line" "$(wc -l <"$tmp/err")" 1
echo nonsense >control
check_exit 2 "a control file that is no FIFO" memtrace record --control control -- true
check "stays as it is" grep -q nonsense control
for arguments in 'control' 'control nonsense' 'control mark' 'control start now' 'mark' 'mark a b' 'control stop'; do
	# shellcheck disable=SC2086
	check_exit 2 "$arguments" env -u MEMTRACE_CONTROL memtrace $arguments
	is "is one line" "$(wc -l <"$tmp/err")" 1
done
check_exit 3 "a mark without a recording" memtrace mark --control none text
check_exit 2 "an engine that does not exist" memtrace record -e nonsense -- true
check "is named with those that do" grep -q 'nonsense.*page-faults' "$tmp/err"
echo nonsense >file
refuses 'memtrace: file: not a recording of memtrace' memtrace report file
check_exit 2 "a file that does not exist" memtrace report none
check_exit 2 "a file that is not a recording is not replaced" memtrace record -o file -- true
is "in one line" "$(cat "$tmp/err")" 'memtrace: file: exists and is not a recording; name another file'
is "and has its content" "$(cat file)" nonsense
check "nothing was made" test ! -e recording.mtr
check_exit 3 "a folder that does not exist" memtrace record -o no/such -- true

status=0
memtrace record -e page-faults -o one.mtr -- true 2>"$tmp/err" || status=$?
if [ $status = 3 ] && grep -q perf_event "$tmp/err"; then
	echo "ok $((tap_count + 1)) # SKIP $(cat "$tmp/err")"
	tap_count=$((tap_count + 1))
	tap_done
	exit
fi

# --- exit statuses
for want in 0 1 42; do
	check_exit $want "the command's exit status $want" memtrace record -q -o one.mtr -- sh -c "exit $want"
done
check_exit 143 "a command that a signal ended: 128 + 15" memtrace record -q -o one.mtr -- sh -c 'kill -TERM $$'
check "in one line" grep -q '^memtrace: sh was ended by signal 15' "$tmp/err"
check_exit 127 "a command that is not found" memtrace record -o one.mtr -- "$tmp/none"
check_exit 126 "a command that is no program" memtrace record -o one.mtr -- "$tmp/file"
check_exit 0 "the recording before it is still there" memtrace report one.mtr
check_exit 0 "options of the command are its own" memtrace record -q -o one.mtr sh -c 'exit 0'

# --- a program that writes to a known number of pages, twice, in two processes
python=$(command -v python3)
cat >touch.py <<'END'
import mmap, os, resource
PAGES = 2000
def touch():
    area = mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.madvise(mmap.MADV_NOHUGEPAGE)
    before = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(2):
        for page in range(PAGES):
            area[page * mmap.PAGESIZE] = 1
    after = resource.getrusage(resource.RUSAGE_SELF)
    print(after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt)
    return area
kept = touch()
child = os.fork()
if child == 0:
    touch()
    os._exit(0)
os.waitpid(child, 0)
END
check_exit 0 "two processes" memtrace record -e page-faults -o two.mtr -- "$python" -u touch.py
kernel=$(awk '{ sum += $1 } END { print sum }' "$tmp/out")
check "the kernel counted at least the pages" test "$kernel" -ge 4000
check_exit 0 "their report" memtrace report two.mtr
check "a report says which engine and that the command ended" sh -c "grep -q '^engine  *page-faults' '$tmp/out' &&
	grep -q '^end  *exit status 0' '$tmp/out'"
check "every fault is in a known mapping" grep -q '^named  *100.00 %' "$tmp/out"
memtrace report --noheadings -o samples,id,name two.mtr >"$tmp/groups"
check "each process has the faults of its pages" awk '$3 == "//anon" && $1 >= 2000 { n++ } END { exit n != 2 }' "$tmp/groups"
faults=$(awk '{ sum += $1 } END { print sum }' "$tmp/groups")
check "no fault of the window is missing" test "$faults" -ge "$kernel"
memtrace report --by thread --noheadings -o samples two.mtr >"$tmp/threads"
is "threads add up to the same" "$(awk '{ sum += $1 } END { print sum }' "$tmp/threads")" "$faults"
memtrace report --json two.mtr >"$tmp/json"
is "and so does JSON" "$("$python" -c 'import json,sys; d=json.load(open(sys.argv[1]))
print(sum(g["samples"] for g in d["groups"]), d["samples"], d["is_complete"])' "$tmp/json")" "$faults $faults True"
check_exit 2 "a column that does not exist" memtrace report -o nonsense two.mtr

# --- a recording that was cut off
head -c "$(($(wc -c <two.mtr) * 2 / 3))" two.mtr >cut.mtr
check_exit 4 "a recording that was cut off" memtrace report cut.mtr
check "is reported up to there" grep -q '^end  *the recording was cut off' "$tmp/out"
check "with a warning" grep -q 'cut.mtr: the last [0-9]* bytes cannot be read' "$tmp/err"

# --- SIGTERM goes to the command, whose recording is complete
memtrace record -q -o term.mtr -- sh -c 'trap "exit 7" TERM; echo ready >ready; while :; do sleep 0.1; done' &
recorder=$!
while [ ! -s ready ]; do sleep 0.05; done
kill -TERM $recorder
status=0
wait $recorder || status=$?
is "memtrace passes SIGTERM on" $status 7
check_exit 0 "and completes the recording" memtrace report term.mtr

# --- memtrace is killed: the command goes on, and what was recorded until then can be read
memtrace record -e page-faults -q -o kill.mtr -- sh -c 'sleep 2; echo ready >second; sleep 1; echo done >third' &
recorder=$!
while [ ! -s second ]; do sleep 0.05; done
kill -KILL $recorder
wait $recorder 2>/dev/null
check_exit 4 "a recording of a killed memtrace" memtrace report kill.mtr
check "has the faults until then" grep -q '^samples  *[1-9]' "$tmp/out"
while [ ! -s third ]; do sleep 0.05; done
check "the command was not disturbed" grep -q 'done' third

# --- a full disk
if [ -w /dev/full ]; then
	check_exit 3 "a full disk" memtrace record -o /dev/full -- true
	check "in one line" grep -q '^memtrace: cannot write /dev/full' "$tmp/err"
fi
tap_done
