#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wrong suites and options of memstor run: one line, FILE:LINE where there is one, status 2, no file is made and no
# step started. The installed suites are accepted.
. "$top_srcdir/tests/lib/suite.sh"

# refuses LINE [ARGUMENT...] <<suite: in x.suite
refuses() {
	line=$1
	shift
	cat >x.suite
	check_exit 2 "memstor run refuses a suite: $line" memstor run ./x.suite -o out-x "$@"
	is "memstor run prints nothing but the refusal of a suite: $line" "$(cat err)" "memstor: $line"
	check "memstor run makes no files and prints nothing on stdout for a refused suite: $line" test ! -e out-x -a ! -s out
}
# in_step TEXT: a suite whose line 3 is TEXT, in a step
in_step() { printf 'step a\n  run pmbench quick\n\t%s\n' "$1"; }

kinds='set, repeat, warmup, budget, needs, step'
refuses "./x.suite:2: 'stop' is not allowed before the first step; allowed: about, $kinds" <<'END'
about Nothing
stop
END
refuses "./x.suite:3: 'set' is not allowed in a step; allowed: repeat, warmup, budget, needs, step, for, run, command" <<END
$(in_step 'set a b')
END
refuses './x.suite:1: a suite without a step; a step is: step NAME, and a line below it: run PROGRAM OPTION...' </dev/null
refuses "./x.suite:1: step 'a': it has no line: run PROGRAM OPTION..." <<'END'
step a
END
refuses "./x.suite:1: 'run' is not allowed before the first step; allowed: about, $kinds" <<'END'
run pmbench
END
refuses './x.suite:3: run: is in line 2 already' <<END
$(in_step 'run pmbench fail')
END
refuses './x.suite:1: step: must be: step NAME' <<'END'
step a b
END
refuses "./x.suite:2: 'stress' is not a program of the suite; allowed: pmbench, iowrite-bench run, iowrite-bench evaluate, \
iowrite-bench trace, iowrite-bench calibrate, ssd-workloads run, ssd-workloads analyze, with-pressure; start another program by a line: command PROGRAM" <<'END'
step a
    run stress -c 8
END
for option in -f -fx -qf/path -icf --file --file=x --fil --json --json=x --dry-run --dry --recover '-?' --help -V --version --; do
	case $option in
	-f* | -qf* | -icf) name=-f ;;
	--fil*) name=--file ;;
	--js*) name=--json ;;
	--dr*) name=--dry-run ;;
	*) name=$option ;;
	esac
	refuses "./x.suite:2: step a: $name cannot be given: memstor run gives the report its name and runs the step" <<END
step a
    run pmbench 1 $option
END
done
refuses "./x.suite:4: step b: pmbench refuses: -p 'x': must be a pattern" <<'END'
step a
	run pmbench quick
step b
	run pmbench refuse
END
for value in 0 1001 -1 x '' 1.5; do
	refuses "./x.suite:3: repeat '$value': must be 1 to 1000" <<END
$(in_step "repeat '$value'")
END
done
refuses "./x.suite:3: warmup '1001': must be 0 to 1000" <<END
$(in_step 'warmup 1001')
END
for value in 0 9ms 169h x -5s; do
	refuses "./x.suite:3: budget '$value': must be a time from 10ms to 168h, as 30s or 5m" <<END
$(in_step "budget $value")
END
done
refuses "./x.suite:3: needs 'fun': not known; allowed: root swap zram loop cgroup space:SIZE memory:SIZE cpus:N nodes:N hugetlb[:N] io_uring perf program:NAME" <<END
$(in_step 'needs root fun')
END
refuses "./x.suite:3: needs 'root:1': it takes no value" <<END
$(in_step 'needs root:1')
END
for need in space space: space:x space:-1; do
	refuses "./x.suite:3: needs '$need': a size follows, as in space:2G" <<END
$(in_step "needs $need")
END
done
for need in cpus cpus:0 cpus:x hugetlb: nodes:70000; do
	refuses "./x.suite:3: needs '$need': a number from 1 to 65536 follows, as in cpus:2" <<END
$(in_step "needs $need")
END
done
for need in program program: program:a/b; do
	refuses "./x.suite:3: needs '$need': a program's name follows, as in program:gnuplot, or the path of a file from /" <<END
$(in_step "needs $need")
END
done
refuses './x.suite:2: $map: no such variable; there are: here, seconds' <<'END'
set seconds 1
set more $map
END
refuses './x.suite:3: $map: no such variable; there are: here, pattern' <<'END'
step a-$pattern
    for pattern in x
    run pmbench $map
END
refuses "./x.suite:1: \$ without a variable's name after it; a dollar sign is written \$\$" <<'END'
set price 5$
END
refuses './x.suite:1: a quote (") is not closed in its line' <<'END'
set a "b
END
refuses "./x.suite:2: set 'a': is set already" <<'END'
set a 1
set a 2
END
refuses "./x.suite:1: set '1a': must be a name of letters, digits and _, up to 32" <<'END'
set 1a 1
END
refuses './x.suite:1: set: must be: set NAME VALUE' <<'END'
set a 1 2
END
for name in -a .a a/b 'a b' '' "$(printf %065d 0)"; do
	refuses "./x.suite:1: step '$name': a name is of letters, digits and ._,+=%-, beginning with a letter or digit, up to 64" <<END
step '$name'
    run pmbench
END
done
refuses "./x.suite:1: step 'index.xml': the run directory has a file of this name" <<'END'
step index.xml
    run pmbench
END
refuses "./x.suite:3: step 'a': there is one of this name; variables of for must be part of the name" <<'END'
step a
    run pmbench
step a
    run pmbench
END
refuses "./x.suite:1: step 'a': there is one of this name; variables of for must be part of the name" <<'END'
step a
    for x in 1 2
    run pmbench $x
END
refuses './x.suite:2: for: must be: for NAME in VALUE...' <<'END'
step a
    for x of 1 2
    run pmbench
END
refuses "./x.suite:4: for 'x': is set already" <<'END'
set y 1
step a-$x
    for x in 1
    for x in 2
    run pmbench
END
refuses "./x.suite:3: for 'y': is set already" <<'END'
set y 1
step a-$y
    for y in 1
    run pmbench
END
refuses './x.suite:1: more than 1000 steps' <<END
step a-\$x-\$y
    for x in $(seq -s ' ' 40)
    for y in $(seq -s ' ' 40)
    run pmbench
END
printf 'step a\n  run pmbench \001\n' >with-control
refuses './x.suite:2: byte 0x01 is not text' <with-control
printf 'step a\n  run pmbench \0\n' >with-nul
refuses './x.suite:2: byte 0x00 is not text' <with-nul
head -c 300000 /dev/zero | tr '\0' '\n' >with-many
refuses './x.suite: a suite has up to 256 KiB' <with-many
refuses './x.suite:2: a line of more than 4096 bytes; divide it into several steps or variables' <<END
step a
    run pmbench $(printf %05000d 0)
END

# --- options
one() { printf 'set seconds 1\nstep a-$x\n\tfor x in 1 2\n  run pmbench $x\n'; }
one >y.suite
option() { # option LINE ARGUMENT...
	line=$1
	shift
	check_exit 2 "memstor run refuses: $*" memstor run "$@"
	is "memstor run refuses in one line: $*" "$(cat err)" "memstor: $line"
}
refuses_value() { # "OPTION VALUE" ARGUMENT...: one line that begins with both
	line=$1
	shift
	check_exit 2 "memstor run refuses: $*" memstor run "$@"
	is "memstor run names option and value in its refusal of $*" "$(sed 's/: must be .*//' err)" "memstor: $line"
	check "memstor run says what is allowed in its refusal of $*" grep -q ': must be .*1000$' err
	is "memstor run refuses in one line: $*" "$(wc -l <err)" 1
}
option 'no suite given: memstor run SUITE, where SUITE is a name of memstor run --list or a file'
option 'b: one argument too many: SUITE is a already' a b
option "'smokey' is not an installed suite; allowed: smoke, ci, paging, paper-pmbench, write-cost, paper-cawl, log-checkpoint, instrumented-ssd, or a file with a slash in its name, as ./smokey" smokey
option './none.suite: the suite cannot be read: No such file or directory' ./none.suite
option './: the suite cannot be read: Is a directory' ./
refuses_value '-r 0' y.suite --runs 0
refuses_value '-r 1001' y.suite --runs 1001
refuses_value '-w -1' y.suite --warmup=-1
refuses_value '-w 1001' y.suite --warmup=1001
option "--label x: must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end" \
	y.suite --label x
option "--label run=7: suite, step and run are given by memstor run itself" y.suite --label run=7
option "--set x: must be NAME=VALUE, a variable of the suite and its value" y.suite --set x
option "--set 'map=1': y.suite has no such variable; it has: seconds, x" y.suite --set map=1
option "--step 'b*': no step of y.suite has this name; memstor run --dry-run lists them" y.suite --step 'b*'
option '--resume: continues in the folder of an earlier run: give it with -o DIR' y.suite --resume
option "-o '': must not be empty" y.suite -o ''
option "--base-bin '': must not be empty" y.suite --base-bin= --new-bin=x
check_exit 2 'memstor run refuses an unknown option' memstor run y.suite --nothing
is 'memstor run refuses an unknown option in one line' "$(wc -l <err)" 1

# --- suites and options that are accepted
check_exit 0 'memstor run --dry-run ends with 0' memstor run y.suite --set x='7 8,9' --set seconds=3 --runs 3 -w 1 --dry-run -o plan
is 'memstor run --dry-run prints steps, rounds and the most time' "$(cat out)" 'suite y
results in plan
a-7: pmbench 7
    3 runs after 1 warm-up, each at most 10 min
a-8,9: pmbench 8,9
    3 runs after 1 warm-up, each at most 10 min
warm-up 1: a-7 a-8,9
round 1: a-7 a-8,9
round 2: a-8,9 a-7
round 3: a-7 a-8,9
at most 1.33 h'
check 'memstor run --dry-run makes no files and runs no step' test ! -e plan -a ! -e log
printf 'about It'"'"'s mine # or yours\r\nstep a \\\r\n# none\r\n  run pmbench \\\r\n  --label="x y" '"'"'$z'"'"' "" \r\n' >crlf.suite
check_exit 0 'memstor run accepts a suite with CR LF line ends' memstor run crlf.suite --dry-run
is 'memstor run ignores CR and joined lines in a suite' "$(sed -n '1p;3p' out)" "suite crlf: It's mine
a: pmbench '--label=x y' '\$z' ''"
cp -r "$top_srcdir/suites" .
mkdir sub
printf 'step a\n  run pmbench "$here/x"\n' >sub/here.suite
check_exit 0 'memstor run accepts a suite in another folder' memstor run sub/here.suite --dry-run
check "the variable here of a suite is the folder of the suite" grep -qx "a: pmbench $(pwd -P)/sub/x" out

# From here on the real pmbench checks the suites.
rm bin/pmbench
is 'memstor run --list names every installed suite' \
	"$(memstor run --list | cut -d' ' -f1 | tr '\n' ' ')" 'smoke ci paging paper-pmbench write-cost paper-cawl log-checkpoint instrumented-ssd '
for name in smoke ci paging paper-pmbench write-cost paper-cawl log-checkpoint instrumented-ssd; do
	check_exit 0 "memstor run --dry-run accepts the installed suite $name" memstor run $name --dry-run -o plan
	mv out plan-of-$name
	sed -i 1,2d plan-of-$name
	check_exit 0 "memstor run --dry-run accepts the suite's file suites/$name.suite" \
		memstor run suites/$name.suite --dry-run -o plan
	check "the installed suite $name has the plan of its file" sh -c "sed 1,2d out | diff - plan-of-$name"
done
is 'the suite smoke takes at most 3.33 min' "$(tail -n 1 plan-of-smoke)" 'at most 3.33 min'
is 'the suite write-cost has ten steps of iowrite-bench' "$(grep -c '^[a-z-]*: iowrite-bench' plan-of-write-cost)" 10
is 'steps of the suite paper-cawl take two calibrations' \
	"$(grep -o '{[a-z-]*}' plan-of-paper-cawl | tr '\n' ' ')" '{calibrate} {calibrate-slow} '
is 'the suite log-checkpoint has 14 steps of ssd-workloads run' \
	"$(grep -c '^[a-zA-Z0-9-]*: ssd-workloads run' plan-of-log-checkpoint)" 14
is 'figures of the suite instrumented-ssd take the records of a mix' \
	"$(grep -c '^fig[0-9]*-[1M]-[10N]: ssd-workloads analyze .*{records-[1M]-[10N]/records.rec}' plan-of-instrumented-ssd)" 24
is 'the suite paging has 36 steps of pmbench' "$(grep -c '^[a-z]*-.*: pmbench' plan-of-paging)" 36
check "the suite paper-pmbench has the paper's command" \
	grep -qx 'footnote: pmbench -m 8192 -s 8192 -j 2 -r 50 -d 0 -o -1 -p uniform -t rdtscp -c -i 300' plan-of-paper-pmbench
tap_done
