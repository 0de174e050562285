#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor compare: runs that it does not compare, and usage errors; each is one line that says how to fix it.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/compare.sh"
cd "$tmp" || exit 1

group a uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030
group b uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030
touch before

compare() { memstor compare "$@"; }
# refuses STATUS TEXT ARGUMENT...: TEXT is all of stderr, without the program's name; stdout is empty.
refuses() {
	wanted=$1
	text=$2
	shift 2
	check_exit "$wanted" "memstor compare $* ends with $wanted" compare "$@"
	is "memstor compare says why it refuses $*" "$(sed 's/^memstor: //; s/^warning: //' err)" "$text"
	check "memstor compare prints nothing on stdout when it refuses $*" test ! -s out
}

# A value in a message: quoted when it is empty.
shown() { case $1 in '') echo "''" ;; *) printf '%s\n' "$1" ;; esac; }
# refuses_value OPTION VALUE: status 2, and one line about this option.
refuses_value() {
	check_exit 2 "memstor compare refuses $1=$2" compare "$1=$2" a -- b
	is "memstor compare names option and value of $1=$2" "$(sed 's/: must be .*//' err)" "memstor: $1 $(shown "$2")"
	check "memstor compare says what is allowed instead of $1=$2" grep -q ': must be ' err
	is "memstor compare refuses in one line: $1=$2" "$(wc -l <err)" 1
	check "memstor compare prints nothing on stdout when it refuses $1=$2" test ! -s out
}

# usage errors
usage='memstor compare BASE... -- NEW... (files, or folders of reports)'
refuses 2 "no BASE given: $usage"
refuses 2 "no BASE given: $usage" --
refuses 2 "no NEW given: $usage" a
refuses 2 "no NEW given: $usage" a b
refuses 2 "no NEW given: $usage" a --
refuses 2 "no BASE given: $usage" -- a
refuses 2 'nowhere: No such file or directory' nowhere -- b
refuses 2 'nowhere: No such file or directory' a -- nowhere
refuses 2 'nowhere: No such file or directory' --floor nowhere a -- b
mkdir empty
refuses 2 'empty: no report (*.xml) in this folder or up to 8 levels below it' a -- empty
metric="must be throughput, latency, net, os-overhead, time-over-100us, time-over-1ms, swap-in or swap-out, or mean, max or a \
percentile as p99.9, these perhaps after read., write. or both. and all., hit., minor. or major., as in write.major.p50; of iowrite-bench bandwidth, or CELL:write.p99, \
CELL:sync.p99, SCENARIO:kernel.total-error; of ssd-workloads STREAM:response.p99, STREAM:commit.p99, STREAM:cpu, STREAM:interference-p99, STREAM:interference-commit-p99; or a value with a direction by its name in the report, as \
SCENARIO:kernel.curve_gap_percent"
for bad in '' p p100 fast read.throughput major.read.p50; do
	refuses 2 "--metric $(shown "$bad"): $metric" --metric "$bad" a -- b
done
gate="must be METRIC<LIMIT or METRIC>LIMIT as p99<+5%, throughput>-3% (of the change) or p99<3us, throughput>1e6 (of NEW itself), optionally after SET:"
for bad in '' p99 'p99<' 'p99<=5%' 'p99<nan%'; do
	refuses 2 "--gate $(shown "$bad"): $gate" --gate "$bad" a -- b
done
refuses 2 "--gate slow<5%: $metric" --gate 'slow<5%' a -- b
for bad in 'p99<5' 'p99<1m' 'p99<1h' 'p99<1ks'; do
	refuses 2 "--gate $(shown "$bad"): must be in ns, us, ms or s" --gate "$bad" a -- b
done
for bad in 'p99>+5%' 'p99>1us' 'set:p99>1us'; do
	refuses 2 "--gate $(shown "$bad"): must be METRIC<LIMIT: of this metric lower is better" --gate "$bad" a -- b
done
for bad in 'throughput<+5%' 'throughput<1e6'; do
	refuses 2 "--gate $(shown "$bad"): must be METRIC>LIMIT: of this metric higher is better" --gate "$bad" a -- b
done
refuses 2 "--gate c2:kernel.total-error<5%: must be +5% or -5% of the change, or 5 of the value itself, which is in percent" \
	--gate 'c2:kernel.total-error<5%' a -- b
for bad in '' x -1 1001 nan 5%% inf 0x1 +1; do
	refuses 2 "--margin $(shown "$bad"): must be 0 to 1000 percent" "--margin=$bad" a -- b
done
for bad in '' 49 100 -95 0.95; do
	refuses 2 "--confidence $(shown "$bad"): must be 50 to 99.99 percent" "--confidence=$bad" a -- b
done
for bad in '' -1 1.5 18446744073709551616; do
	refuses_value --seed "$bad"
done
refuses_value --method magic
refuses_value --color red
for bad in '' ',' 'a,' ',a' 'a,,b'; do
	refuses 2 "--group-by $(shown "$bad"): must be names of labels or options, with commas between" "--group-by=$bad" a -- b
	refuses 2 "--allow-different $(shown "$bad"): must be options, machine, sets, or names of options or facts, with commas between" \
		"--allow-different=$bad" a -- b
done
for bad in '' fast read,fast read.p50 throughput; do
	refuses 2 "--quantiles $(shown "$bad"): must be histograms as read, write.major or all" "--quantiles=$bad" a -- b
done
refuses 2 "--quantiles read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read: too many names" \
	--quantiles=read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read a -- b
refuses 2 'only one of --json, --csv and --markdown can go to standard output: name a file for the others' \
	--json --csv a -- b
refuses 3 '--json nowhere/x: cannot be written: No such file or directory' --json=nowhere/x a -- b
refuses 3 "--json '': cannot be written: No such file or directory" --json= a -- b
refuses 3 '--csv a: cannot be written: Is a directory' --csv=a a -- b

# metrics, gates and labels that no report has
refuses 2 "--gate write.p99<5%: no compared report has write.p99" --gate 'write.p99<5%' a -- b
refuses 2 "--metric major.p50: no compared report has it" --metric major.p50 a -- b
refuses 2 "--group-by colour: no report has such a label or option" --group-by colour a -- b
for at in 1 2 3 4 5 6 7 8; do pattern=zipf report other/$at.xml 1000 2000; done
refuses 2 '--floor: no compared set of options has 8 runs' --floor other a -- b
refuses 2 '--floor: no compared set of options has 8 runs' --floor a a -- b

# files that are not reports
echo '<nonsense/>' >nonsense.xml
check_exit 2 'memstor compare refuses a file that is no report' compare a -- nonsense.xml
check 'memstor compare names the line of a file that is no report' grep -q '^memstor: nonsense.xml:1: ' err
is 'memstor compare refuses a file that is no report in one line' "$(wc -l <err)" 1
head -c 1500 a/uniform-1.xml >short.xml
check_exit 2 'memstor compare refuses a report that is cut' compare a -- short.xml
is 'memstor compare refuses a report that is cut in one line' "$(wc -l <err)" 1

refuses 2 "--allow-different bogus: no report has such an option or fact (options, machine, sets, or of a/uniform-1.xml: \
mapsize pattern seed arch cpu_model release)" --allow-different=machine,bogus a -- b
refuses 2 "--gate nowhere:p99<1us: no compared report has nowhere:p99" --gate 'nowhere:p99<1us' a -- b

# differences
first='not compared: the runs differ in more than the measured values:'
last='to compare them anyway add --allow-different='
pattern=zipf group z zipf 1000000:5000 1001000:5010
refuses 5 "$first
  option pattern: uniform in BASE, zipf in NEW
${last}pattern" a -- z
release=6.2 group k uniform 1000000:5000 1001000:5010
refuses 5 "$first
  machine release: 6.1.0 in BASE, 6.2 in NEW
${last}release" a -- k
refuses 5 "$first
  machine release: 6.1.0 and 6.2 in BASE, 6.1.0 in NEW
${last}release" a k -- b
refuses 5 "$first
  machine release: 6.1.0 in BASE, 6.2 in NEW
${last}release" --allow-different=options a -- k
refuses 5 "$first
  option pattern: uniform in BASE, zipf in NEW
${last}pattern" --allow-different=machine a -- z
refuses 5 "$first
  option pattern: uniform in BASE, zipf in NEW
${last}pattern" --group-by mapsize a -- z
release=6.2 pattern=zipf group kz zipf 1000000:5000
refuses 5 "$first
  option pattern: uniform in BASE, zipf in NEW
  machine release: 6.1.0 in BASE, 6.2 in NEW
${last}pattern,release" a -- kz
compare a -- kz 2>err
check_exit 0 "memstor compare accepts the runs with the option that its refusal names" \
	compare "$(sed -n 's/.* add //p' err)" a/uniform-1.xml -- kz
pattern=hot group hot hot 1000000:5000
refuses 5 "$first
  option pattern: uniform and zipf in BASE, hot in NEW
${last}pattern" --allow-different a z -- hot
check_exit 4 "memstor compare --allow-different=pattern accepts different patterns within BASE" \
	compare --allow-different=pattern a z -- hot
sed 's/>pmbench</>other-tool</' a/uniform-1.xml >tool.xml
refuses 5 "$first
  tool name: pmbench in BASE, other-tool in NEW
runs of two tools are never compared" a -- tool.xml
for at in 1 2 3 4 5 6 7 8; do release=5 report f/$at.xml 1000 2000; done
refuses 5 "$first
  machine release: 6.1.0 in BASE, 6.1.0 in NEW, 5 in --floor
${last}release" --floor f a -- b
release="$(printf '6\302\233[31m')" group hostile uniform 1000:2000
refuses 5 "$first
  machine release: 6.1.0 in BASE, 6?[31m in NEW
${last}release" a -- hostile
sed 's/name="mapsize"/name="map; size"/' a/uniform-1.xml >odd.xml
refuses 5 "$first
  option map; size: none in BASE, 4 in NEW
  option mapsize: 4 in BASE, none in NEW
${last}options" a -- odd.xml

# interrupted, untrustworthy and unsteady runs
status=interrupted group bad uniform 1000000:5000
status=untrustworthy reason=steal group bad uniform2 1000000:5000
check=not-steady group bad uniform3 1000000:5000
none='no run of NEW can be compared: --force accepts interrupted and untrustworthy ones'
refuses 4 "bad/uniform-1.xml: left out: it is interrupted
$none" a -- bad/uniform-1.xml
refuses 4 "bad/uniform2-1.xml: left out: it is untrustworthy: steal
$none" a -- bad/uniform2-1.xml
refuses 4 "bad/uniform-1.xml: left out: it is interrupted
bad/uniform2-1.xml: left out: it is untrustworthy: steal
bad/uniform3-1.xml: left out: it is not steady
$none" --require-steady a -- bad
refuses 4 "bad/uniform-1.xml: left out: it is interrupted
no run of BASE can be compared: --force accepts interrupted and untrustworthy ones" bad/uniform-1.xml -- a
check_exit 0 'memstor compare leaves out an interrupted report without --force' compare a -- b bad/uniform-1.xml
check 'memstor compare counts the reports that are left' grep -qx 'pmbench, 4 runs against 4' out
check_exit 0 'memstor compare --force accepts interrupted and untrustworthy reports' compare --force a -- b bad
check 'memstor compare --force counts all reports' grep -qx 'pmbench, 4 runs against 7' out
check_exit 0 "memstor compare accepts runs that are not steady without --require-steady" compare a -- b bad/uniform3-1.xml
check 'memstor compare counts runs that are not steady' grep -qx 'pmbench, 4 runs against 5' out
# A run that is given twice counts once.
cp b/uniform-1.xml again.xml
check_exit 0 'memstor compare accepts a report that is given twice and counts it once' compare a -- b again.xml
is 'memstor compare warns of a report that is given twice' \
	"$(cat err)" 'memstor: warning: again.xml: left out: it is the same report as b/uniform-1.xml'
check_exit 0 "memstor compare of reports with themselves ends with 0" compare a -- a
is 'memstor compare warns when all reports of NEW are in BASE, too' "$(cat err)" \
	'memstor: warning: 4 of 4 reports of NEW are in BASE, too: a run compared with itself says nothing'
check 'memstor compare has a note on a run compared with itself' \
	grep -qx 'note: 4 of 4 reports of NEW are in BASE, too: a run compared with itself says nothing' out
compare a -- b a/uniform-1.xml >out 2>err
is 'memstor compare warns when one report of NEW is in BASE, too' "$(cat err)" \
	'memstor: warning: 1 of 5 reports of NEW is in BASE, too: a run compared with itself says nothing'
for at in $(seq 30); do status=interrupted report many/$at.xml 1000 2000; done
check_exit 0 'memstor compare leaves out many reports' compare a -- b many
is 'memstor compare names twenty of the reports that are left out' "$(wc -l <err)" 21
is 'memstor compare counts the other reports that are left out' "$(tail -n 1 err)" 'memstor: warning: 10 more are left out'

# outputs that cannot be written
refuses 2 "--margin x: must be 0 to 1000 percent" --json=r.json --margin x a -- b
check "memstor compare makes no output file when it refuses its arguments" test ! -e r.json
chmod a-w empty
if [ "$(id -u)" != 0 ]; then
	check_exit 2 "memstor compare refuses an output in a folder without write permission" compare --json=empty/r.json a -- b
fi
if [ -w /dev/full ]; then
	check_exit 3 'memstor compare --csv to a full device ends with 3' compare --csv=/dev/full a -- b
	check 'memstor compare --csv says in one line that the device is full' \
		grep -qx 'memstor: /dev/full: cannot be written: No space left on device' err
	check_exit 3 'memstor compare --json to a full stdout ends with 3' sh -c 'memstor compare --json a -- b >/dev/full'
	check_exit 3 'memstor compare of text to a full stdout ends with 3' sh -c 'memstor compare a -- b >/dev/full'
else
	skip 'memstor compare --csv to a full device ends with 3' 'there is no /dev/full'
fi
tap_done
