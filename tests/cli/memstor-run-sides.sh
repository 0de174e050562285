#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor run: steps that are commands, two sets of programs in turn, and hosts that cannot run every step.
# shellcheck disable=SC2016 # by the programs that are written
. "$top_srcdir/tests/lib/suite.sh"

# --- commands
cat >suite-tool <<'END'
#!/bin/sh
echo "$*" >>"$tmp/said"
head -c 8388608 /dev/zero | tr '\0' x >scratch-file
exit "${1:-0}"
END
chmod +x suite-tool
suite commands <<'END'
step succeeds
    command $here/suite-tool 0 'two words'
    repeat 2
step fails
    command $here/suite-tool 7
step shell
    command sh -c 'echo out; echo err >&2'
step absent
    command no-such-program-here
END
check_exit 1 'memstor run ends with 1 when a command fails' memstor run ./commands.suite -o c1
is 'a command gets its arguments as they are written in the suite' "$(head -n 1 said)" '0 two words'
is 'steps of commands end as their commands do' \
	"$(state c1 succeeds 1) $(state c1 succeeds 2) $(state c1 fails 1) $(state c1 shell 1) $(state c1 absent 1)" \
	'done done failed done skipped'
is 'the index has the exit status of each command' "$(sed -n 's/.*<exit_status>\(.*\)<.*/\1/p' c1/index.xml | sort | tr '\n' ' ')" '0 0 0 7 '
check 'the index has the duration of a command' grep -q '<seconds>[0-9.e-]*</seconds>' c1/index.xml
is 'the index has the memory that each command used' "$(grep -c '<max_rss_kib>[1-9]' c1/index.xml)" 4
is 'steps of commands have no report in the index' "$(grep -c report_file c1/index.xml)" 0
is 'memstor run keeps stdout and stderr of a command' "$(cat c1/shell/1/stdout c1/shell/1/stderr | tr '\n' ' ')" 'out err '
is 'the exit status of a failed command is its reason' "$(reason c1 fails 1)" 'exit status 7'
check 'the table of memstor run has the duration of a command' grep -q '^succeeds  *2/2  *-  *-  ok, median ' out
valid_index 'steps of commands' c1
rm said
check_exit 1 '--resume of commands that failed ends with 1' memstor run ./commands.suite -o c1 --resume
is '--resume runs only the command that failed again' "$(cat said)" 7
valid_index 'steps of commands resumed' c1
is '--resume keeps the memory that earlier commands used in the index' "$(grep -c '<max_rss_kib>[1-9]' c1/index.xml)" 4
printf 'step a\n    command true\nstep b\n    run pmbench {a}\n' >taker.suite
check_exit 2 'memstor run refuses a step that takes the result of a command' memstor run ./taker.suite -o c2
is 'a suite that takes the result of a command is refused in one line' "$(cat err)" \
	'memstor: ./taker.suite:4: step b: {a}: that step has no result to use'
printf 'step a\n    command true\n    run pmbench quick\n' >both.suite
check_exit 2 'a step with run and command is refused' memstor run ./both.suite -o c2
is 'a step with run and command is refused in one line' "$(cat err)" \
	'memstor: ./both.suite:3: run: the step has such a line already: one of run and command'
printf '#!/bin/sh\necho "$*" >"$tmp/pressed"\n' >bin/with-pressure
chmod +x bin/with-pressure
printf 'step a\n    run with-pressure --ram 64M -- sort -n file\n' >pressed.suite
check_exit 0 'a suite may run with-pressure' memstor run ./pressed.suite -o c3
is 'with-pressure in a suite gets its arguments unchanged' "$(cat pressed)" '--ram 64M -- sort -n file'
valid_index 'steps of with-pressure' c3

# --- two sets of programs
for side in base new; do
	mkdir $side-bin
	sed "s|^echo \"\$step \$run\"|echo \"$side \$step \$run\"|" bin/pmbench >$side-bin/pmbench
	printf '#!/bin/sh\necho "%s tool" >>"$log"\n' "$side" >$side-bin/tool
	chmod +x $side-bin/pmbench $side-bin/tool
done
suite sides <<'END'
step a
    run pmbench quick
step b
    command tool
END
rm -f log
check_exit 0 '--base-bin and --new-bin run both sets of programs' \
	memstor run ./sides.suite --runs 2 --base-bin base-bin --new-bin new-bin -o s1
is 'sets of programs alternate in each round' "$(order)" \
	'base a 1|new a 1|base tool|new tool|new tool|base tool|new a 2|base a 2|'
is 'each set of programs has its results' "$(find s1 -name report.xml | sort | tr '\n' ' ')" \
	's1/base/a/1/report.xml s1/base/a/2/report.xml s1/new/a/1/report.xml s1/new/a/2/report.xml '
valid_index 'two sets of programs' s1
is 'the last line compares both sets of programs' "$(grep Compare out)" 'Compare the two: memstor compare s1/base -- s1/new'
memstor compare s1/base -- s1/new >out 2>err
check 'memstor compare accepts the results of two sets of programs without further options' test $? -ne 2
rm log
check_exit 0 '--resume accepts the same two sets of programs' memstor run ./sides.suite --runs 2 --base-bin base-bin --new-bin new-bin -o s1 --resume
check '--resume of two complete sets of programs runs nothing' test ! -e log
check_exit 2 '--resume refuses other sets of programs' \
	memstor run ./sides.suite --runs 2 --base-bin new-bin --new-bin new-bin -o s1 --resume
check_exit 2 '--base-bin without --new-bin is refused' memstor run ./sides.suite --base-bin base-bin -o s2
is '--base-bin without --new-bin is refused in one line' "$(cat err)" \
	'memstor: --base-bin, --new-bin: one of them is missing (both or none); give the other one as well'
mkdir none
check_exit 2 'a set that lacks a program is refused' memstor run ./sides.suite --base-bin base-bin --new-bin none -o s2
is 'a set that lacks a program is refused in one line' "$(cat err)" \
	"memstor: $(pwd -P)/none: has no program pmbench, which step new/a runs; name the folder that it is in"
check 'a set that lacks a program leaves no folder' test ! -e s2

# --- a host that cannot run every step
suite some <<'END'
step can
    run pmbench quick
step cannot
    run pmbench cannot
END
check_exit 0 'a step that this host cannot do is skipped' memstor run ./some.suite -o r1
rm log
check_exit 3 '--require-all fails for a step that this host cannot run' memstor run ./some.suite --require-all -o r2
is '--require-all names the step that cannot run in one line' "$(said)" \
	'memstor: --require-all: step cannot cannot be run here: this host has no such thing'
check '--require-all runs nothing when a step cannot run' test ! -e log
check '--require-all makes no folder when a step cannot run' test ! -e r2
check_exit 0 '--require-all runs when every step can' memstor run ./some.suite --require-all --step can -o r3
printf 'step calibrate\n    run pmbench fail\nstep taker\n    run pmbench {calibrate}\n' >needs.suite
check_exit 1 '--require-all fails a step whose need has gone' memstor run ./needs.suite --require-all -o r4
is '--require-all records a step that could not run as failed' "$(state r4 taker 1)" failed
tap_done
