#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor run: order, folder, labels, index, steps that fail, and the last lines of the output.
. "$top_srcdir/tests/lib/suite.sh"

# --- the order
suite three <<'END'
about Three steps
step a
    run pmbench quick
step b
    run pmbench quick
    repeat 2
step c
    run pmbench quick
END
check_exit 0 'four runs of three steps end with 0' memstor run ./three.suite --runs 4 -o o1
is 'steps alternate in order from round to round' "$(order)" 'a 1|b 1|c 1|c 2|b 2|a 2|a 3|b 3|c 3|c 4|b 4|a 4|'
is 'the log has a line for each run with its number' "$(said | sed 's/ after .*//' | head -n 4)" 'memstor: [1/12] a run 1: done
memstor: [2/12] b run 1: done
memstor: [3/12] c run 1: done
memstor: [4/12] c run 2: done'
rm log
check_exit 0 'a step with a repeat of its own ends with 0' memstor run ./three.suite -o o2
is 'a step with a repeat of its own runs twice' "$(order)" 'a 1|b 1|c 1|b 2|'
rm log
check_exit 0 '--warmup with --step ends with 0' memstor run ./three.suite --runs 1 --warmup 2 --step a --step 'c*' -o o3
is 'warm-ups run before all measured runs' "$(order)" 'a 1|c 1|c 2|a 2|a 1|c 1|'
is 'memstor run keeps no report of a warm-up' "$(find o3 -name '*.xml' | sort | tr '\n' ' ')" \
	'o3/a/1/report.xml o3/c/1/report.xml o3/index.xml '
is 'the output of a warm-up is kept' "$(cat o3/a/warmup-2/stdout)" 'out of quick'
is 'only the steps of --step have a folder' "$(ls o3)" 'a
c
index.xml
machine.txt
suite.txt'

# --- the folder
is 'the folder of a run has report, stdout and stderr' "$(ls o1/b/4)" 'report.xml
stderr
stdout'
check 'the folder of results has the suite' cmp three.suite o1/suite.txt
check 'the folder of results has a description of the machine' grep -q '^cpu ' o1/machine.txt
is 'the folder of results has nothing else' "$(ls -A o1 | tr '\n' ' ')" 'a b c index.xml machine.txt suite.txt '
valid_index 'the folder of results' o1
is 'the index of a finished suite is complete' \
	"$(sed -n 's/.*<memstorrun version="1.0" state="\(.*\)">/\1/p' o1/index.xml)" complete
cp o1/a/1/report.xml seen.xml
check 'without -o the folder is named by suite and time' sh -c 'memstor run ./three.suite --runs 1 2>err >out &&
	ls -d three-20[0-9][0-9][01][0-9][0-3][0-9]-[0-2][0-9][0-5][0-9][0-6][0-9]/index.xml'

# --- permissions of the folder
for mode in 0777 0775 0757 1777; do
	rm -rf shared
	mkdir shared && chmod $mode shared
	check_exit 2 "a folder of mode $mode is refused" memstor run ./three.suite -o shared
	is "a folder of mode $mode is refused in one line" "$(said)" \
		"memstor: -o shared: other users may write to it (mode $mode, must be 0755 or less); run chmod go-w on it"
	is "a folder of mode $mode that is refused stays empty" "$(ls -A shared)" ''
done
check_exit 0 'memstor run with umask 0 ends with 0' \
	sh -c 'umask 0; exec memstor run ./three.suite --runs 1 --step a -o strict'
is 'memstor run with umask 0 makes no folder or file that others can write to' "$(find strict -perm /022)" ''
mkdir way && ln -s way link
check_exit 0 'memstor run follows a symbolic link of its user in -o' memstor run ./three.suite --runs 1 --step a -o link/there/
check 'results are written through a link of the user' test -e way/there/a/1/report.xml
cat >bin/pmbench-moves <<'END'
#!/bin/sh
case " $* " in
*' --dry-run '*) ;;
*) mv "$tmp/moving" "$tmp/moved" && mkdir "$tmp/moving" "$tmp/moving/a" "$tmp/moving/a/1" ;;
esac
exec "$tmp/bin/pmbench-real" "$@"
END
chmod +x bin/pmbench-moves
mv bin/pmbench bin/pmbench-real
mv bin/pmbench-moves bin/pmbench
check_exit 0 'memstor run ends with 0 when another folder replaces DIR while a step runs' \
	memstor run ./three.suite --runs 1 --step a -o moving
is 'a folder that replaces DIR while a step runs gets no files' "$(find moving -type f)" ''
check 'results go to the first folder when another folder replaces DIR' grep -q '"done"' moved/index.xml
mv bin/pmbench-real bin/pmbench

# --- labels, the folder that a step runs in
suite labels <<'END'
set one 'a  b'
step s-$p
    for p in 1 2,x
    run pmbench --pattern "$one $p" scratch
END
cat >bin/pmbench-args <<'END'
#!/bin/sh
for word; do echo "$word"; done >>"$tmp/words"
exec "$tmp/bin/pmbench-real" "$@"
END
mv bin/pmbench bin/pmbench-real
mv bin/pmbench-args bin/pmbench
chmod +x bin/pmbench
check_exit 0 'a suite with labels and patterns ends with 0' \
	memstor run ./labels.suite --label user=me --label 'note=two words' --step s-2,x -o o4 <labels.suite
is 'a step gets labels and arguments as they are written' "$(sed -n '/^-f$/,$p' words | tr '\n' '|')" \
	"-f|../s-2,x/1/report.xml|--label|suite=labels|--label|step=s-2,x|--label|run=1|--label|user=me|--label|note=two words|--pattern|a  b 2,x|scratch|"
is 'the check before the first step gets the same labels and arguments' "$(sed '/^-f$/,$d' words | tr '\n' '|')" \
	"--dry-run|--label|suite=labels|--label|step=s-2,x|--label|run=1|--label|user=me|--label|note=two words|--pattern|a  b 2,x|scratch|"
mv bin/pmbench-real bin/pmbench
is 'a step runs in a folder of its own' "$(cat cwd)" "$(pwd -P)/o4/.scratch"
is 'a step has nothing to read on stdin' "$(cat stdin)" /dev/null
check_exit 0 'a step that leaves files runs twice' memstor run ./labels.suite --runs 2 -o o4b
is 'the folder that a step runs in is empty each time' "$(cat listing)" ''
is 'the folder that a step runs in is removed afterwards' "$(ls -d o4/.scratch 2>/dev/null)" ''

# --- objectives
suite objective <<'END'
step misses
    run pmbench missed
END
check_exit 1 'a missed objective of a step ends with 1' memstor run ./objective.suite -o o4c
is 'a missed objective is reported as such' "$(state o4c misses 1): $(reason o4c misses 1)" \
	'missed: objective p99&lt;1us: 2.5 us in c'
is 'the table counts a missed objective as a result' "$(sed 's/  */ /g' "$tmp/out" | sed -n '2,3p')" \
	'misses 1/1 5.37 M/s 161 ns missed: objective p99<1us: 2.5 us in c
1 of 1 results missed an objective.'
check 'the index has the report of a step that missed an objective' grep -q '<report_file>misses/1/report.xml' o4c/index.xml
valid_index 'a missed objective' o4c

# --- steps that fail do not stop the others
suite bad <<'END'
step fail
    run pmbench fail
step no-report
    run pmbench no-report
step broken
    run pmbench broken
step dies
    run pmbench die
step good
    run pmbench quick
step skipped
    run pmbench quick
    needs program:no-such-program-here
step cannot
    run pmbench cannot
step both
    run pmbench cannot
    needs program:no-such-program-here
END
rm -f log
check_exit 1 'failing steps end a suite with 1' memstor run ./bad.suite --runs 2 -o o5
is 'a failing step does not stop the others' "$(order)" \
	'fail 1|no-report 1|broken 1|dies 1|good 1|good 2|dies 2|broken 2|no-report 2|fail 2|'
is 'a step that fails has status and last line as its reason' \
	"$(state o5 fail 1): $(reason o5 fail 1)" 'failed: exit status 1: it broke'
is 'a step without a report is failed' "$(state o5 no-report 1): $(reason o5 no-report 1)" \
	"failed: exit status 0 without a report: no-report/1/report.xml: No such file or directory"
is 'a step with a broken report is failed' "$(state o5 broken 2)" failed
is 'a step that is killed has the signal as its reason' "$(state o5 dies 1): $(reason o5 dies 1)" 'failed: killed by signal 9'
is 'a step beside failing steps is done' "$(state o5 good 1) $(state o5 good 2)" 'done done'
is 'a step whose need is missing is skipped' "$(state o5 skipped 1): $(reason o5 skipped 1)" \
	'skipped: needs the program no-such-program-here, which is not in PATH'
is 'a step that the tool cannot run is skipped' "$(state o5 cannot 2): $(reason o5 cannot 2)" 'skipped: this host has no such thing'
is 'the reason of a skipped step is its need first' \
	"$(reason o5 both 1)" 'needs the program no-such-program-here, which is not in PATH'
is 'memstor run reports each skipped step once' "$(said | grep -c skipped)" 3
is 'only finished steps have a report in the index' "$(sed -n 's/.*<report_file>\(.*\)<.*/\1/p' o5/index.xml | tr '\n' ' ')" \
	'good/1/report.xml good/2/report.xml '
valid_index 'failing steps' o5
is 'the table has a row for each step with its state' \
	"$(sed 's/  */ /g' "$tmp/out" | sed -n '2,9s/without a report: .*/without a report/; 2,9p')" \
'fail 0/2 - - failed: exit status 1: it broke
no-report 0/2 - - failed: exit status 0 without a report
broken 0/2 - - failed: exit status 0 without a report
dies 0/2 - - failed: killed by signal 9
good 2/2 5.37 M/s 161 ns ok
skipped 0/2 - - skipped: needs the program no-such-program-here, which is not in PATH
cannot 0/2 - - skipped: this host has no such thing
both 0/2 - - skipped: needs the program no-such-program-here, which is not in PATH'
is 'the last lines say how to continue' "$(sed -n '10,$p' "$tmp/out")" \
'8 of 16 runs failed: their folders have stdout and stderr.
Results are in o5
Show them: memstor html o5 -o o5.html
Compare with another run: memstor compare BASE -- o5
Continue with the rest: memstor run ./bad.suite --runs 2 -o o5 --resume'

# --- other results
check_exit 3 'a suite of which nothing can run ends with 3' memstor run ./bad.suite --step skipped --step cannot -o o6
is 'the text says that nothing could be run' "$(sed -n 4p "$tmp/out")" 'Nothing could be run on this host.'
suite doubt <<'END'
step doubt
    run pmbench untrusted
step good
    run pmbench quick
END
check_exit 4 'a suite with an untrustworthy result ends with 4' memstor run ./doubt.suite -o o7
is 'an untrustworthy result has its reason in the index' "$(state o7 doubt 1): $(reason o7 doubt 1)" 'untrustworthy: stolen'
valid_index 'an untrustworthy result' o7
is 'the text counts untrustworthy results' "$(sed -n 4p "$tmp/out")" \
	'1 of 2 results are not trustworthy; their reports have the reason.'

# --- the program is found beside memstor, then in PATH
mv bin/pmbench elsewhere
mkdir path
mv elsewhere path/pmbench
check_exit 0 'memstor run finds a program in PATH' env PATH="$tmp/path:/usr/bin:/bin" "$tmp/bin/memstor" run ./three.suite --runs 1 -o o8
check_exit 3 'a suite whose program is not installed ends with 3' env PATH=/usr/bin:/bin "$tmp/bin/memstor" run ./three.suite --runs 1 -o o9
is 'memstor run names a missing program and the folders that it searched' "$(said | sed -n 1p)" \
	'memstor: a: skipped: pmbench is not installed: neither in memstor'\''s folder nor in PATH'
mkdir memstor pmbench
cp bin/memstor memstor/memstor
printf '#!/bin/sh\ntouch "$tmp/planted"\nexec "$tmp/path/pmbench" "$@"\n' >pmbench/pmbench
chmod +x pmbench/pmbench
env PATH="$tmp/path:/usr/bin:/bin" memstor/memstor run ./three.suite --runs 1 -o o8b >out 2>err
check '../pmbench/pmbench is not run unless it is in a build tree' test ! -e planted
touch config.status
env PATH="$tmp/path:/usr/bin:/bin" memstor/memstor run ./three.suite --runs 1 -o o8c >out 2>err
check '../pmbench/pmbench is run in a build tree' test -e planted
rm planted
chmod o+w pmbench
env PATH="$tmp/path:/usr/bin:/bin" memstor/memstor run ./three.suite --runs 1 -o o8d >out 2>err
check '../pmbench/pmbench is not run when others can write in its folder' test ! -e planted
rm -r memstor pmbench config.status
mv path/pmbench bin/pmbench

# --- other commands read a folder of results
is 'memstor validate reads the reports of a folder of results and nothing else' "$(memstor validate o1 | sed 's/: .*//' | tr '\n' ' ')" \
	"$(find o1 -name report.xml | sort | tr '\n' ' ')"

# --- little stack, a terminal
if [ -n "${sanitizer:-}" ]; then
	skip 'memstor run works with a stack of 48 KiB' "$sanitizer makes frames larger"
else
	# The environment is on the stack, too: make's is of 20 KiB and more.
	# shellcheck disable=SC2016 # by the shell that is started
	little() { env -i PATH="$PATH" tmp="$tmp" token="$token" log="$log" sh -c 'ulimit -s 48 && exec "$@"' sh "$@"; }
	check_exit 0 'memstor run works with a stack of 48 KiB' little memstor run ./three.suite -o o10
	check_exit 0 'memstor run --resume works with a stack of 48 KiB' little memstor run ./three.suite -o o10 --resume
fi
if command -v script >/dev/null; then
	TERM=xterm script -qec "memstor run ./bad.suite --step good --step fail -o o11" typescript >/dev/null 2>&1 </dev/null
	check 'memstor run shows the remaining time on a terminal' \
		grep -qE '\[2/2\] good run 1: [0-9.]+ [mu]?s of at most 10 min; [0-9.]+ m?s left|\[2/2\] good run 1: .* of at most 10 min' typescript
	check 'memstor run prints no line for a good run on a terminal' sh -c '! grep -q "good run 1: done" typescript'
	check 'memstor run prints a line for a failed run on a terminal' grep -q 'fail run 1: failed after .*: exit status 1: it broke' typescript
else
	skip 'memstor run shows the remaining time on a terminal' 'needs script (util-linux)'
fi
tap_done
