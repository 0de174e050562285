#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor merge: one report of several; what it refuses, what it remarks, and that readers take what it makes.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
golden=$top_srcdir/tests/golden/pmbench-report.xml
fixtures=$top_srcdir/tests/fixtures/pmbench-original
cd "$tmp" || exit 1

# copy NAME N [SED]: the golden report as a run of its own, that went well.
copy() {
	sed "s|<uuid>d6b4a292|<uuid>0000000$2|; s|status=\"untrustworthy\"|status=\"ok\"|; /<reason code/d; ${3:-}" \
		"$golden" >"$1"
}
# said STATUS DESCRIPTION STDERR ARGUMENT...
said() {
	said_status=$1 said_description=$2 said_err=$3
	shift 3
	check_exit "$said_status" "$said_description" memstor merge "$@"
	is "$said_description: stderr" "$(cat err)" "$said_err"
}
value() { values "$1" "$2" | head -n 1; }

copy a.xml 1
copy b.xml 2
copy c.xml 3
said 0 'two runs' '' -o m.xml a.xml b.xml
is 'two runs: nothing on stdout' "$(cat out)" ''
is 'two runs: valid' "$(memstor validate m.xml)" 'm.xml: valid'
is 'two runs: accesses are added' "$(sed -n '/<totals>/,/<\/totals>/p' m.xml >t; value t accesses)" 77325544480
is 'two runs: threads are numbered anew' "$(grep -o '<result_thread [^>]*>' m.xml | tail -n 1)" '<result_thread thread_num="4">'
is 'two runs: and processes' "$(values m.xml process | tr '\n' ' ')" '0 0 1 1 '
is 'two runs: parts' "$(values m.xml file | tr '\n' ' ')" 'a.xml b.xml '
check_exit 0 'to stdout' memstor merge a.xml b.xml
check 'to stdout: the same' cmp out m.xml
mkdir runs
cp a.xml b.xml c.xml runs
said 0 'a folder of runs' '' --output=folder.xml runs
is 'a folder of runs: parts' "$(values folder.xml file | tr '\n' ' ')" 'runs/a.xml runs/b.xml runs/c.xml '
said 0 'merged and one more' '' -o again.xml m.xml c.xml
is 'merged and one more: parts' "$(values again.xml file | tr '\n' ' ')" 'a.xml b.xml c.xml '
is 'merged and one more: like all at once' \
	"$(sed 's|>runs/|>|' folder.xml | cksum)" "$(cksum <again.xml)"
said 0 'one alone' '' -o one.xml a.xml
is 'one alone: its statistics' "$(sed -n '/<statistics>/,/<\/statistics>/p' one.xml | cksum)" \
	"$(sed -n '/<statistics>/,/<\/statistics>/p' a.xml | cksum)"
for format in json csv pmgraph markdown; do
	check_exit 0 "converted to $format" memstor convert --to $format -o "converted.$format" m.xml
done
if command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null; then
	check 'in JSON it is valid' python3 "$top_srcdir/tests/lib/json-valid.py" \
		"$top_srcdir/docs/memstor-report.schema.json" converted.json
else
	skip 'in JSON it is valid' 'needs python3-jsonschema'
fi
check_exit 0 'what was merged can be repeated' pmbench --replay m.xml -m 4 --dry-run

# --- remarks
copy later.xml 4 's|2026-11-20T09|2026-11-20T19|; s|>1000</monotonic_start|>36000000001000</monotonic_start|
	s|>7210000001000<|>43210000001000<|'
said 0 'one after another' "memstor: warning: the parts ran all together for 0 % of the time, less than 95 %: \
rates are means over the time in which any ran, not sums" -o m.xml a.xml later.xml
is 'one after another: the rate is a mean' "$(value m.xml accesses_per_second)" 5369828.7
is 'one after another: time is added' "$(value m.xml run_s)" 14400
copy other.xml 5 's|>8192MiB<|>1GiB<|; s|<cores>4<|<cores>5<|'
said 2 'other options' "memstor: other.xml: other options than in a.xml: --mapsize is '1GiB', not '8192MiB': \
--allow-different merges them all the same" -o refused.xml a.xml other.xml
said 0 'other options, allowed' 'memstor: warning: the parts differ in --mapsize, cores: see <difference> of each <part>' \
	--allow-different -o m.xml a.xml other.xml
is 'other options, allowed: valid' "$(memstor validate m.xml)" 'm.xml: valid'
said 0 'originals' 'memstor: warning: the parts differ in --duration, --mapsize, --setsize, --initialize, --cold: see <difference> of each <part>' \
	--allow-different -o m.xml "$fixtures/uniform.xml" "$fixtures/uniform-swap.xml"
is 'originals: valid' "$(memstor validate m.xml)" 'm.xml: valid'

# --- what it is worth
sed 's|status="ok"|status="interrupted"|; s|</params>|</params><interrupted>1</interrupted>|' b.xml >cut.xml
said 4 'an interrupted one' 'memstor: warning: the merged report is interrupted: its verdict says why' -o m.xml a.xml cut.xml
is 'an interrupted one: is named' "$(grep -o '<reason.*' m.xml | head -n 1)" \
	'<reason code="interrupted">part 1 (cut.xml): it was interrupted</reason>'
is 'an interrupted one: valid' "$(memstor validate m.xml)" 'm.xml: valid'
said 4 'one not to be trusted' 'memstor: warning: the merged report is untrustworthy: its verdict says why' -o m.xml a.xml "$golden"

# --- refusals: one line, nothing written
said 2 'the same run twice' "memstor: runs/a.xml: the run 00000001-cd2a-4cdb-834b-b8845fc0e5a9 is in a.xml already, \
and would count twice: leave one of them out" -o refused.xml a.xml runs/a.xml
memstor merge -o m.xml a.xml b.xml
said 2 'a merge and its part' "memstor: b.xml: the run 00000002-cd2a-4cdb-834b-b8845fc0e5a9 is in b.xml already, \
and would count twice: leave one of them out" -o refused.xml m.xml b.xml
echo '<html/>' >page.html
said 2 'no report' "memstor: page.html:1: <html> is not a report: allowed are <pmbenchmark>, <iowritebench> \
and <ssdworkloads>" -o refused.xml a.xml page.html
said 2 'no such file' 'memstor: none.xml: No such file or directory' -o refused.xml a.xml none.xml
said 2 'no file' 'memstor: no FILE given: name the reports to merge, or a folder of them' -o refused.xml
said 2 'no output' "memstor: -o '': must not be empty" -o '' a.xml
check_exit 2 'no such option' memstor merge --fast a.xml
is 'no such option: one line' "$(wc -l <err)" 1
said 3 'no such folder' 'memstor: -o none/m.xml: cannot be written: No such file or directory' -o none/m.xml a.xml
said 3 'a folder as output' 'memstor: -o runs: cannot be written: Is a directory' -o runs a.xml
if [ -w /dev/full ]; then
	said 3 'a full disk' 'memstor: -o /dev/full: the report could not be written: No space left on device' -o /dev/full a.xml
fi
check 'nothing is left of refused ones' sh -c '! ls refused.xml* none* *.tmp 2>/dev/null'

# --- real runs
for i in 1 2; do
	pmbench -q -m 4 -j 2 --accesses 5000 --hdr -f "real$i.xml" >/dev/null 2>&1 &
done
wait
memstor merge real1.xml real2.xml -o real.xml 2>err
lawful 'real runs' real.xml
is 'real runs: valid' "$(memstor validate real.xml)" 'real.xml: valid'
tap_done
