# SPDX-License-Identifier: GPL-3.0-or-later
# memstor convert: formats, outputs and refusals.
. "$top_srcdir/tests/lib/tap.sh"
golden=$top_srcdir/tests/golden/pmbench-report.xml
fixtures=$top_srcdir/tests/fixtures/pmbench-original
schema=$top_srcdir/docs/memstor-report.schema.json

refused() { # DESCRIPTION MESSAGE ARGUMENT...
	refused_message=$2
	refused_description=$1
	shift 2
	check_exit 2 "memstor convert refuses $refused_description" memstor convert "$@"
	is "memstor convert refuses $refused_description in one line" "$(cat "$tmp/err")" "$refused_message"
	is "memstor convert refuses $refused_description with nothing on stdout" "$(cat "$tmp/out")" ''
}

# JSON
sed 's|<version_number>.*</v|<version_number>@</v|' "$golden" >"$tmp/report.xml"
check_exit 0 'memstor convert --to json accepts a report in XML' memstor convert --to json "$tmp/report.xml"
check 'memstor convert --to json writes what pmbench --json writes' cmp "$tmp/out" "$top_srcdir/tests/golden/pmbench-report.json"
pmbench -q -m 4 --accesses 20000 --hdr --interval 10ms --label a=b -f "$tmp/fresh.xml" --json="$tmp/fresh.json" >"$tmp/log"
check_exit 0 'memstor convert --to json accepts a fresh report' memstor convert --to json "$tmp/fresh.xml"
check 'memstor convert --to json of a fresh report equals the JSON of the same run' cmp "$tmp/out" "$tmp/fresh.json"
check_exit 0 'memstor convert --to json accepts several reports and a folder' \
	memstor convert --to json "$golden" "$fixtures" -o "$tmp/all.json"
check_exit 0 'memstor convert --to ndjson accepts several reports and a folder' \
	memstor convert --to ndjson "$golden" "$fixtures" -o "$tmp/all.ndjson"
is 'memstor convert --to ndjson writes one line per report' "$(wc -l <"$tmp/all.ndjson")" 5
if python3 -c 'import jsonschema' 2>/dev/null; then
	valid() { python3 "$top_srcdir/tests/lib/json-valid.py" "$@"; }
	check 'memstor convert --to json of several reports is valid by the JSON schema' valid "$schema" "$tmp/all.json"
	check 'each line of convert --to ndjson is valid by the JSON schema' valid --lines "$schema" "$tmp/all.ndjson"
	check 'a report of pmbench --json is valid by the JSON schema' valid "$schema" "$tmp/fresh.json"
	sed 's|"jobs": 2|"jobs": "2"|' "$tmp/all.ndjson" >"$tmp/bad.ndjson"
	check_exit 1 'the JSON schema refuses a number as a string' valid --lines "$schema" "$tmp/bad.ndjson"
	sed 's|"jobs": 2|"jobs": 2, "job": 2|' "$tmp/all.ndjson" >"$tmp/bad.ndjson"
	check_exit 1 'the JSON schema refuses an unknown member' valid --lines "$schema" "$tmp/bad.ndjson"
	sed 's|"jobs": 2, ||' "$tmp/all.ndjson" >"$tmp/bad.ndjson"
	check_exit 1 'the JSON schema refuses a report without a required member' valid --lines "$schema" "$tmp/bad.ndjson"
else
	skip 'memstor convert --to json of several reports is valid by the JSON schema' 'python3-jsonschema is not installed'
fi
# CSV: as many cells in each row as in the first, quoted ones being one.
cells() { sed 's/"[^"]*"/q/g' "$1" | awk -F, '{ print NF }' | sort -u | wc -l; }
for what in summary values buckets series facts; do
	check_exit 0 "memstor convert --what $what accepts fresh, golden and original reports" \
		memstor convert --to csv --what $what "$tmp/fresh.xml" "$golden" "$fixtures"
	is "memstor convert --what $what prints the same number of cells in each row" "$(cells "$tmp/out")" 1
	check "memstor convert --what $what prints more than ten rows" test "$(wc -l <"$tmp/out")" -gt 10
done
memstor convert --to csv "$fixtures/uniform.xml" >"$tmp/out"
is 'memstor convert --to csv without --what prints the table summary' \
	"$(memstor convert --to csv -w summary "$fixtures/uniform.xml")" \
	"$(cat "$tmp/out")"
memstor convert --to csv --what buckets "$fixtures/uniform-swap.xml" >"$tmp/out"
is 'memstor convert --what buckets of an original report adds up to its accesses' \
	"$(awk -F, '{ sum += $8 } END { print sum }' "$tmp/out")" 300000

memstor convert --to csv --what values "$golden" >"$tmp/out"
is 'memstor convert --what values prints the heading of its columns' "$(head -n 1 "$tmp/out")" 'file,run,subject,name,unit,value'
is 'memstor convert --what values has a row for the run time of the run' \
	"$(grep ',,totals.run_s,' "$tmp/out" | cut -d , -f 5,6)" 's,7200'
is 'memstor convert --what values has a row for the run time of a thread' \
	"$(grep ',result_thread 2,thread_details.run_ns,' "$tmp/out" | cut -d , -f 5,6)" 'ns,7200000000000'
is 'memstor convert --what values has a row for the p99 of each type and class' \
	"$(grep -c ',,\(read\|write\)\.[a-z]*\.p99_ns,ns,' "$tmp/out")" 7

# What the viewer of the original exports; the expected table was derived from its source.
check_exit 0 'memstor convert --to pmgraph accepts reports of the original pmbench' memstor convert --to pmgraph "$fixtures"
check 'memstor convert --to pmgraph writes what the original viewer writes' \
	diff "$tmp/out" "$top_srcdir/tests/golden/convert-pmgraph.csv"
check_exit 0 "memstor convert --to pmgraph accepts reports of memstor's pmbench" \
	memstor convert --to pmgraph "$golden" "$tmp/fresh.xml"
is "memstor convert --to pmgraph prints swap and memory of memstor's reports" "$(sed -n 2p "$tmp/out")" \
	' Linux 64bit +mt +nu -xa,zram,16384MiB,8192MiB,2,0,50,'
is 'memstor convert --to pmgraph prints the memory that was available to the run' \
	"$(memstor convert --to pmgraph "$top_srcdir/results/reference/paper/report.xml" | sed -n 2p)" \
	' Linux 64bit +mt +nu -xa,zram,2048MiB,8192MiB,2,0,50,'
is 'memstor convert --to pmgraph prints large counts as whole numbers' "$(grep -c '^0,256,34359738368,' "$tmp/out")" 1

# Markdown
check_exit 0 'memstor convert --to markdown accepts two reports' \
	memstor convert --to markdown "$fixtures/uniform.xml" "$fixtures/uniform-swap.xml"
cat >"$tmp/wanted" <<'END'
| report | `--duration` | `--mapsize` | `--setsize` | `--initialize` | `--cold` | type | class | accesses | throughput | mean | p50 | p99 | p99.9 | max |
|---|---|---|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|
| `uniform.xml` | `3` | `256` | `256` |  |  | `read` | `all` | 10013957 | 6.67 M/s |  |  | 369 ns | 521 ns |  |
| `uniform.xml` | `3` | `256` | `256` |  |  | `write` | `all` | 10006043 | |  |  |  | 465 ns |  |
| `uniform-swap.xml` | `5` | `512` | `512` | `yes` | `yes` | `read` | `all` | 149785 | 59.4 k/s |  | 7.70 us | 530 us | 940 us |  |
| `uniform-swap.xml` | `5` | `512` | `512` | `yes` | `yes` | `write` | `all` | 150215 | |  | 7.71 us | 530 us | 920 us |  |

The same in all: `tool` `pmbench`, `version` `0.9`, `host` `vm`, `CPU` `AMD EPYC`, `kernel` `6.18.44-fc-v669`, `--delay` `0`, `--jobs` `1`, `--offset` `-1`, `--ratio` `50`, `--access` `histo`, `--pattern` `uniform`, `--timestamp` `rdtscp-unfenced`.
END
check 'memstor convert --to markdown prints a column for each option that differs' diff "$tmp/out" "$tmp/wanted"
mkdir "$tmp/a" "$tmp/b"
cp "$fixtures/uniform.xml" "$tmp/a/r.xml"
sed 's|</params>|</params><interrupted>1</interrupted>|' "$fixtures/uniform.xml" >"$tmp/b/r.xml"
check_exit 0 'memstor convert --to markdown accepts two reports of one file name' \
	memstor convert --to markdown "$tmp/a/r.xml" "$tmp/b/r.xml"
is 'memstor convert --to markdown distinguishes reports of one file name by folder and verdict' \
	"$(sed -n 's/^| `\([^`]*\)` | \([a-z]*\) | `read.*/\1 \2/p' "$tmp/out")" "$tmp/a/r.xml ok
$tmp/b/r.xml interrupted"

# Outputs: complete, or not written at all.
echo before >"$tmp/kept"
sed 's|<ratio>50<|<ratio>x<|' "$top_srcdir/tests/fixtures/report-1.0.xml" >"$tmp/ratio.xml"
refused 'reports of which one is bad' \
	"memstor: $tmp/ratio.xml:41: <ratio> is 'x': allowed are numbers, true and false" \
	--to json -o "$tmp/kept" "$golden" "$tmp/ratio.xml" "$golden"
is 'memstor convert leaves an existing output as it was when it refuses a report' "$(cat "$tmp/kept")" before
check 'memstor convert leaves no temporary file when it refuses a report' test -z "$(find "$tmp" -name 'kept?*')"
check_exit 0 'memstor convert --output - prints on stdout' memstor convert --to csv --output - "$golden"
is 'memstor convert --to csv prints a heading and eight rows' "$(wc -l <"$tmp/out")" 9
check_exit 3 'memstor convert ends with 3 when the folder of its output does not exist' \
	memstor convert --to csv -o "$tmp/none/x.csv" "$golden"
is 'memstor convert says in one line that the folder of its output does not exist' \
	"$(cat "$tmp/err")" "memstor: -o $tmp/none/x.csv: cannot be written: No such file or directory"
check_exit 3 'memstor convert to a full stdout ends with 3' sh -c 'memstor convert --to csv "$1" >/dev/full' sh "$golden"
is 'memstor convert says in one line that stdout is full' \
	"$(cat "$tmp/err")" 'memstor: --output (standard output): cannot be written: No space left on device'

# Usage errors
refused 'reports without a format' 'memstor: no --to given: json, ndjson, csv, pmgraph or markdown' "$golden"
refused 'an unknown format' "memstor: -t xml: must be json, ndjson, csv, pmgraph or markdown" --to xml "$golden"
refused 'an unknown table' "memstor: -w all: must be summary, values, buckets, series or facts" \
	--to csv --what all "$golden"
refused 'a table for a format without tables' "memstor: -w buckets: is for --to csv only" --to json --what buckets "$golden"
check_exit 0 'memstor convert --help ends with 0 when a file does not exist' memstor convert none.xml --help
refused 'a call without files' 'memstor: no FILE given: name the reports to convert, or a folder of them' --to json
refused 'a file that does not exist' "memstor: $tmp/none.xml: No such file or directory" --to json "$tmp/none.xml"
tap_done
