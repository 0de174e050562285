#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace analyze: each analysis as text, JSON and report, its pictures, filters and ranges, what is refused, what is cut off.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which writes the recordings'
trace() { python3 "$top_srcdir/tests/lib/trace.py" "$@"; }
for name in scan query before after equal shared clock; do
	trace $name "$tmp/$name.mtr"
done
cd "$tmp" || exit 1

# --- what is refused
refuses 'memtrace: analyze: name an analysis and a recording' memtrace analyze
refuses "memtrace: analyze: 'nonsense' is no analysis: must be pattern, count, hotset, missratio, skew, partition, reuse, stride or sharing" \
	memtrace analyze nonsense scan.mtr
refuses 'memtrace: analyze: the name of a recording is missing' memtrace analyze count
refuses 'memtrace: analyze: partition needs two recordings, BEFORE and AFTER' memtrace analyze partition before.mtr
refuses 'memtrace: analyze: count: b is one recording too many' memtrace analyze count a b
refuses 'memtrace: -b 3000: must be a power of two' memtrace analyze count --bucket 3000 scan.mtr
refuses 'memtrace: --estimator che: has no effect on count' memtrace analyze count --estimator che scan.mtr
refuses 'memtrace: --before: must be later than --after' memtrace analyze count --after 2 --before 1 scan.mtr
refuses 'memtrace: --range: a and b overlap; an address has one name' \
	memtrace analyze count --range a=1000-3000 --range b=2000-4000 scan.mtr
refuses 'memtrace: --range: a is given twice; ranges have different names' \
	memtrace analyze count --range a=1000-3000 --range a=4000-5000 scan.mtr
for bad in --range=a --range=a=2-1 --kind=nonsense --privilege=nobody --rows=0; do
	check_exit 2 "analyze count $bad is refused" memtrace analyze count $bad scan.mtr
	check "analyze count $bad: the error names the option" grep -q -e "${bad%%=*}" "$tmp/err"
done
refuses 'memtrace: --phase nothing: scan.mtr has no such mark' memtrace analyze count --phase nothing scan.mtr
echo nonsense >file
refuses 'memtrace: file: not a recording of memtrace' memtrace analyze count file
check_exit 2 "analyze refuses a recording that does not exist" memtrace analyze count none
refuses 'memtrace: count: scan.mtr: no sample is left by the filters' memtrace analyze count --kind store scan.mtr
refuses 'memtrace: sharing: scan.mtr: has no samples that are known to be stores, which sharing needs' \
	memtrace analyze sharing scan.mtr
check_exit 2 "analyze -f refuses the name of the recording" memtrace analyze count scan.mtr -f scan.mtr
check_exit 3 "analyze -f in a folder that does not exist ends with 3" memtrace analyze count scan.mtr -f no/such.xml
check_exit 2 "analyze -o refuses a column that does not exist" memtrace analyze count -o nonsense scan.mtr

# --- each analysis: text, JSON, a report that is valid, and its picture
json() { python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$tmp/out" "$1"; }
picture() { # KIND REPORT
	check_exit 0 "plot $1 draws the report of its analysis" memstor plot "$1" "$2" -o "$1.svg"
	check "plot $1: the picture has more than 5 graphic elements" test "$(grep -c '<path\|<g\|<use' "$1.svg")" -gt 5
}
each() { # ANALYSIS PICTURE RECORDING...
	analysis=$1 plot=$2
	shift 2
	check_exit 0 "analyze $analysis succeeds" memtrace analyze "$analysis" "$@"
	check "analyze $analysis states the share of samples that is named" grep -q '^named .*%' "$tmp/out"
	check_exit 0 "analyze $analysis --noheadings succeeds" memtrace analyze "$analysis" --noheadings "$@"
	check "analyze $analysis --noheadings prints rows only" sh -c "test -s '$tmp/out' && ! grep -q '^named' '$tmp/out'"
	check_exit 0 "analyze $analysis -f writes a report" memtrace analyze "$analysis" "$@" -f "$analysis.xml"
	check_exit 0 "memstor validate accepts the report of analyze $analysis" memstor validate "$analysis.xml"
	check_exit 0 "memstor convert converts the report of analyze $analysis to JSON" \
		memstor convert --to json "$analysis.xml" -o "$analysis.json"
	[ "$plot" = none ] || picture "$plot" "$analysis.xml"
	check_exit 0 "analyze $analysis --json succeeds" memtrace analyze "$analysis" --json "$@"
}
each pattern access-pattern query.mtr
is "analyze pattern: every sample is in a band of the map, and 7 samples are reported as lost" \
	"$(json 'sum(b["samples"] for b in d["map_band"]), d["samples"], d["missing"]["lost by the kernel (ring full)"]')" \
	'(40000, 40000, 7)'
check "analyze pattern: the report has a part of the map with finer cells" grep -q '<map_part index="0">' pattern.xml
is "analyze pattern --json has no parts of the map" "$(json '"map_part" in d')" False
awk '/<part_band / && !n++ { sub(/samples="/, "samples=\"1") } { print }' pattern.xml >part.xml
check_exit 1 "memstor validate refuses a map part whose rows do not add up" memstor validate part.xml
check "memstor validate names the line of the map part whose rows do not add up" \
	grep -q 'part.xml:[0-9]*: .*part_band/samples' "$tmp/out"
awk '/<map_cell / && !n++ { sub(/samples="/, "samples=\"1") } { print }' pattern.xml >cell.xml
check_exit 1 "memstor validate refuses a map whose cells do not agree with its rows" memstor validate cell.xml
check "memstor validate names the line of the map cell that does not agree with its row" \
	grep -q 'cell.xml:[0-9]*: .*map_cell/samples' "$tmp/out"
each count access-count query.mtr
is "analyze count: the 20 entries of the dictionary are the most popular elements" \
	"$(memtrace analyze count query.mtr --bucket 8 --json \
	--range dictionary=550000000000-5500000c3500/8 >"$tmp/out"; json 'sorted(int(b["element"]) for b in d["hot_bucket"]) == [i * 4999 for i in range(20)], d["in_ranges"], d["in_mappings"]')" \
	'(True, 20000, 20000)'
each hotset hot-set query.mtr
each missratio miss-ratio scan.mtr
is "analyze missratio: a buffer of all 50 pages of a loop misses only first accesses, by StatStack from 4950 pairs" \
	"$(json '[max(p["miss_ratio"] for p in d["curve_point"] if p["buffer_bytes"] >= 50 * 4096) <= 0.011, "StatStack" in d["estimator"], d["pairs"]]')" \
	'[True, True, 4950]'
check_exit 0 "analyze missratio --estimator che succeeds" memtrace analyze missratio --estimator che --json scan.mtr
check "analyze missratio --estimator che names its estimator as chosen" grep -q 'Che, independent references: chosen' "$tmp/out"
each skew popularity query.mtr
# --- pages that were drawn uniformly, and their returns
for engine in refault popularity; do
	trace $engine "$engine.mtr"
done
each count none refault.mtr
is "analyze count orders pages that were paged out by how soon they came back, without shares of accesses" \
	"$(json '[int(b["address"], 16) // 4096 % 4096 for b in d["hot_bucket"][:3]], d["hot_bucket"][0]["percent"], 0.0005 < d["hot_bucket"][0]["return_seconds"] < 0.001')" \
	'([0, 1, 2], None, True)'
check_exit 0 "analyze hotset of pages that were paged out succeeds" memtrace analyze hotset --json -f returns.xml refault.mtr
check_exit 0 "memstor validate accepts the report of analyze hotset of such pages" memstor validate returns.xml
memtrace analyze hotset --json refault.mtr >"$tmp/out"
is "analyze hotset of pages that were paged out has the working set alone" \
	"$(json 'd["working_set_bytes"], len(d["size_step"]), d["coverage_percent"]')" '(409600, 0, None)'
for analysis in pattern missratio skew reuse stride sharing; do
	check_exit 2 "analyze $analysis of pages that were drawn uniformly is refused" memtrace analyze $analysis refault.mtr
	is "analyze $analysis of such pages names what to record instead" "$(grep -c 'drawn uniformly.*popularity or burst' "$tmp/err")" 1
done
check_exit 2 "analyze partition of such pages is refused" memtrace analyze partition query.mtr refault.mtr
check_exit 0 "analyze skew of popularity takes the bursts" memtrace analyze skew --json popularity.mtr
is "analyze skew of popularity has the samples of the bursts alone" "$(json 'd["selected"]')" 300
check_exit 2 "report -o percent of pages that were drawn uniformly is refused" memtrace report -o percent,name refault.mtr
check "report -o percent of such pages names the reason" grep -q 'drawn uniformly' "$tmp/err"
check_exit 0 "report of such pages succeeds" memtrace report refault.mtr
check "report of such pages has no column of percent" sh -c '! grep "^samples .* name" "$1" | grep -q %' sh "$tmp/out"
check_exit 0 "analyze skew of samples by time succeeds" memtrace analyze skew clock.mtr
check "analyze skew of samples by time estimates no number of accesses" sh -c "! grep -qE '^accesses|sample for' '$tmp/out'"
for text in '250 .*, from the preceding instructions, 25 %' '100 .*, as the next such load, 10 %'; do
	check "analyze says how many samples were recovered: $text" grep -q "^recovered  *$text" "$tmp/out"
	check "report says how many samples were recovered: $text" sh -c 'memtrace report clock.mtr | grep -q "^recovered  *$1"' sh "$text"
done
memtrace analyze skew -f clock.xml clock.mtr >/dev/null
check "the report says how many samples were recovered" \
	grep -q '<recovered_samples kind="as the next such load" count="100"/>' clock.xml
check_exit 2 "analyze partition of samples by time and samples by accesses is refused" \
	memtrace analyze partition clock.mtr query.mtr
is "analyze partition refuses samples of different units in one line" \
	"$(grep -c 'partition: clock.mtr: its samples and those of the other recording' "$tmp/err")" 1
check_exit 0 "analyze partition of samples by time at the same rate succeeds" memtrace analyze partition --json clock.mtr clock.mtr
is "analyze partition states the unit of samples by time and finds no change" \
	"$(json 'd["unit"].startswith("samples of equal time"), [c["decision"] for c in d["change"]]')" \
	"(True, ['none'])"
each partition accessed-volume before.mtr after.mtr --equal equal.mtr
is "analyze partition finds half the volume in one region and no change in the other" \
	"$(json '[(c["id"], c["decision"], round(c["change_percent"])) for c in d["change"]]')" \
	"[('//anon', 'less', -50), ('[heap]', 'none', 0)]"
each reuse reuse-distance scan.mtr
each stride stride scan.mtr
for recording in query.mtr clock.mtr; do
	check_exit 2 "analyze stride of $recording, whose samples are not successive, is refused" memtrace analyze stride $recording
	check "analyze stride of $recording is refused in one line" \
		says_in_one_line "$tmp/err" "stride: $recording: its samples are not of successive accesses"
done
each sharing none shared.mtr
is "analyze sharing finds one line that two threads store to, with no word of both" \
	"$(json '[(l["sharing"], l["samples"], l["stores"], l["first_thread"], l["second_thread"]) for l in d["shared_line"]]')" \
	"[('false', 200, 200, 100, 101)]"

# --- filters, and what the report says of them
check_exit 0 "analyze count --phase succeeds" memtrace analyze count --phase scan --json query.mtr -f phase.xml
is "analyze count --phase counts the samples of the phase only" \
	"$(json 'd["selected"], set(b["region"] for b in d["hot_bucket"])')" "(20000, {'//anon'})"
check "analyze count --phase: the report has the filter" grep -q '<filter name="phase">scan</filter>' phase.xml
check_exit 0 "analyze count --region of a name in brackets succeeds" memtrace analyze count --region '[heap]' --json query.mtr
is "analyze count --region counts the samples of that mapping only" "$(json 'd["selected"]')" 20000
check_exit 0 "analyze count --after succeeds" memtrace analyze count --after 20ms --json query.mtr
is "analyze count --after counts the later samples only" "$(json '19000 < d["selected"] < 21000')" True
check_exit 0 "analyze pattern -x samples -y address succeeds" \
	memtrace analyze pattern -x samples -y address query.mtr -f samples.xml
picture access-pattern samples.xml
check_exit 0 "analyze count -o with --noheadings succeeds" memtrace analyze count -o region,samples --noheadings query.mtr
check "analyze count -o prints the chosen columns only" awk 'NF != 2 { exit 1 }' "$tmp/out"

# --- a map in the terminal: a scan is a diagonal, up to the right
check_exit 0 "analyze pattern of a scan prints a map" memtrace analyze pattern --phase scan query.mtr
sed -n 's/^0x[0-9a-f]* *//p' "$tmp/out" >map
check "analyze pattern: the map of a scan has at least 20 rows" test "$(wc -l <map)" -ge 20
sed -n 's/^0x[0-9a-f]* //p' "$tmp/out" | awk '{ print match($0, /[.:=+*#%@-]/) }' >columns
is "analyze pattern: the map of a scan is a diagonal with its upper rows farther right" "$(sort -rn columns)" "$(cat columns)"

# --- a recording that was cut off
head -c 100000 query.mtr >cut.mtr
check_exit 4 "analyze of a recording that was cut off ends with 4" memtrace analyze count cut.mtr -f cut.xml
check "analyze says that the recording was cut off" grep -q '^end .*cut off' "$tmp/out"
check "the report of a recording that was cut off has the reason recording-cut-off" grep -q 'recording-cut-off' cut.xml
check_exit 0 "memstor validate accepts the report of a recording that was cut off" memstor validate cut.xml
tap_done
