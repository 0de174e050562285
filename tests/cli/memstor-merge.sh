#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor merge: one report of several; refusals, warnings, and that other commands read the merged report.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
golden=$top_srcdir/tests/golden/pmbench-report.xml
fixtures=$top_srcdir/tests/fixtures/pmbench-original
cd "$tmp" || exit 1

# copy NAME N [SED]: the golden report as a run of its own with the verdict ok.
copy() {
	sed "s|<uuid>d6b4a292|<uuid>0000000$2|; s|status=\"untrustworthy\"|status=\"ok\"|; /<reason code/d; ${3:-}" \
		"$golden" >"$1"
}
# said STATUS DESCRIPTION STDERR ARGUMENT...
said() {
	said_status=$1 said_description=$2 said_err=$3
	shift 3
	check_exit "$said_status" "memstor merge of $said_description ends with $said_status" memstor merge "$@"
	is "memstor merge of $said_description prints the expected text on stderr" "$(cat err)" "$said_err"
}
value() { values "$1" "$2" | head -n 1; }

copy a.xml 1
copy b.xml 2
copy c.xml 3
said 0 'two runs' '' -o m.xml a.xml b.xml
is 'memstor merge of two runs prints nothing on stdout' "$(cat out)" ''
is 'memstor merge of two runs makes a valid report' "$(memstor validate m.xml)" 'm.xml: valid'
is 'memstor merge of two runs adds their accesses' "$(sed -n '/<totals>/,/<\/totals>/p' m.xml >t; value t accesses)" 77325544480
is 'memstor merge of two runs numbers threads anew' \
	"$(grep -o '<result_thread [^>]*>' m.xml | tail -n 1)" '<result_thread thread_num="4">'
is 'memstor merge of two runs numbers processes anew' "$(values m.xml process | tr '\n' ' ')" '0 0 1 1 '
is 'memstor merge of two runs names the files of its parts' "$(values m.xml file | tr '\n' ' ')" 'a.xml b.xml '
check_exit 0 'memstor merge without -o ends with 0' memstor merge a.xml b.xml
check 'memstor merge without -o prints the report on stdout' cmp out m.xml
mkdir runs
cp a.xml b.xml c.xml runs
said 0 'a folder of runs' '' --output=folder.xml runs
is 'memstor merge of a folder names every report of it as a part' \
	"$(values folder.xml file | tr '\n' ' ')" 'runs/a.xml runs/b.xml runs/c.xml '
said 0 'a merged report and one more' '' -o again.xml m.xml c.xml
is 'memstor merge of a merged report names the parts of that report' "$(values again.xml file | tr '\n' ' ')" 'a.xml b.xml c.xml '
is 'memstor merge of a merged report equals the merge of all its parts' \
	"$(sed 's|>runs/|>|' folder.xml | cksum)" "$(cksum <again.xml)"
said 0 'one run' '' -o one.xml a.xml
is 'memstor merge of one run keeps its statistics' "$(sed -n '/<statistics>/,/<\/statistics>/p' one.xml | cksum)" \
	"$(sed -n '/<statistics>/,/<\/statistics>/p' a.xml | cksum)"
for format in json csv pmgraph markdown; do
	check_exit 0 "a merged report is converted to $format" memstor convert --to $format -o "converted.$format" m.xml
done
if command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null; then
	check 'a merged report is valid JSON by the schema' python3 "$top_srcdir/tests/lib/json-valid.py" \
		"$top_srcdir/docs/memstor-report.schema.json" converted.json
else
	skip 'a merged report is valid JSON by the schema' 'needs python3-jsonschema'
fi
check_exit 0 'pmbench --replay accepts a merged report' pmbench --replay m.xml -m 4 --dry-run

# --- warnings
copy later.xml 4 's|2026-11-20T09|2026-11-20T19|; s|>1000</monotonic_start|>36000000001000</monotonic_start|
	s|>7210000001000<|>43210000001000<|'
said 0 'runs one after another' "memstor: warning: the parts ran all together for 0 % of the time, less than 95 %: \
rates are means over the time in which any ran, not sums" -o m.xml a.xml later.xml
is 'memstor merge of runs one after another has the mean of their rates' "$(value m.xml accesses_per_second)" 5369828.7
is 'memstor merge of runs one after another adds their times' "$(value m.xml run_s)" 14400
copy other.xml 5 's|>8192MiB<|>1GiB<|; s|<cores>4<|<cores>5<|'
said 2 'runs with other options' "memstor: other.xml: other options than in a.xml: --mapsize is '1GiB', not '8192MiB': \
--allow-different merges them anyway" -o refused.xml a.xml other.xml
said 0 'runs with other options that are allowed' 'memstor: warning: the parts differ in --mapsize, cores: see <difference> of each <part>' \
	--allow-different -o m.xml a.xml other.xml
is 'memstor merge of runs with other options makes a valid report' "$(memstor validate m.xml)" 'm.xml: valid'
said 0 'original reports' 'memstor: warning: the parts differ in --duration, --mapsize, --setsize, --initialize, --cold: see <difference> of each <part>' \
	--allow-different -o m.xml "$fixtures/uniform.xml" "$fixtures/uniform-swap.xml"
is 'memstor merge of original reports makes a valid report' "$(memstor validate m.xml)" 'm.xml: valid'

# --- verdicts
sed 's|status="ok"|status="interrupted"|; s|</params>|</params><interrupted>1</interrupted>|' b.xml >cut.xml
said 4 'an interrupted run' 'memstor: warning: the merged report is interrupted: its verdict says why' -o m.xml a.xml cut.xml
is 'the reason of a merged verdict names the interrupted run' "$(grep -o '<reason.*' m.xml | head -n 1)" \
	'<reason code="interrupted">part 1 (cut.xml): it was interrupted</reason>'
is 'memstor merge of an interrupted run makes a valid report' "$(memstor validate m.xml)" 'm.xml: valid'
said 4 'an untrustworthy run' 'memstor: warning: the merged report is untrustworthy: its verdict says why' -o m.xml a.xml "$golden"

# --- refusals: one line, nothing written
said 2 'the same run twice' "memstor: runs/a.xml: the run 00000001-cd2a-4cdb-834b-b8845fc0e5a9 is in a.xml already, \
and would count twice: leave one of them out" -o refused.xml a.xml runs/a.xml
memstor merge -o m.xml a.xml b.xml
said 2 'a merged report and one of its parts' "memstor: b.xml: the run 00000002-cd2a-4cdb-834b-b8845fc0e5a9 is in b.xml already, \
and would count twice: leave one of them out" -o refused.xml m.xml b.xml
echo '<html/>' >page.html
said 2 'a file that is no report' "memstor: page.html:1: <html> is not a report: allowed are <pmbenchmark>, <iowritebench>, \
<ssdworkloads>, <memtrace> and <withpressure>" -o refused.xml a.xml page.html
said 2 'a file that does not exist' 'memstor: none.xml: No such file or directory' -o refused.xml a.xml none.xml
said 2 'no files' 'memstor: no FILE given: name the reports to merge, or a folder of them' -o refused.xml
said 2 'a run into an empty name' "memstor: -o '': must not be empty" -o '' a.xml
check_exit 2 'memstor merge refuses an unknown option' memstor merge --fast a.xml
is 'memstor merge refuses an unknown option in one line' "$(wc -l <err)" 1
said 3 'a run into a folder that does not exist' 'memstor: -o none/m.xml: cannot be written: No such file or directory' -o none/m.xml a.xml
said 3 'a run into a folder as its file' 'memstor: -o runs: cannot be written: Is a directory' -o runs a.xml
if [ -w /dev/full ]; then
	said 3 'a run into a full device' 'memstor: -o /dev/full: the report could not be written: No space left on device' -o /dev/full a.xml
fi
check 'memstor merge leaves no file when it refuses' sh -c '! ls refused.xml* none* *.tmp 2>/dev/null'

# as newer versions may add
awk '/<part /{part = 1} {print} part && /<options>/ {print "<unknown/>"}' m.xml >foreign.xml
said 0 'a report whose parts have an unknown element among their options' '' -o again.xml foreign.xml c.xml

# --- real runs
for i in 1 2; do
	pmbench -q -m 4 -j 2 --accesses 5000 --hdr -f "real$i.xml" >/dev/null 2>&1 &
done
wait
memstor merge real1.xml real2.xml -o real.xml 2>err
lawful 'memstor merge of fresh runs' real.xml
is 'memstor merge of fresh runs makes a valid report' "$(memstor validate real.xml)" 'real.xml: valid'
tap_done
