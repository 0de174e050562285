# SPDX-License-Identifier: GPL-3.0-or-later
# memstor validate: findings, messages and exit status.
. "$top_srcdir/tests/lib/tap.sh"
report=$top_srcdir/tests/fixtures/report-1.0.xml
fixtures=$top_srcdir/tests/fixtures/pmbench-original

# said STATUS DESCRIPTION EXPECTED-STDOUT EXPECTED-STDERR ARGUMENT...
said() {
	said_out=$3 said_err=$4 said_description=$2
	said_status=$1
	shift 4
	check_exit "$said_status" "memstor validate: $said_description (exit status $said_status)" memstor validate "$@"
	is "memstor validate: $said_description (stdout)" "$(cat "$tmp/out")" "$said_out"
	is "memstor validate: $said_description (stderr)" "$(cat "$tmp/err")" "$said_err"
}
changed() { sed "$1" "$report" >"$tmp/$2"; }

said 0 'a valid report is named valid' "$report: valid" '' "$report"
said 0 '-q prints nothing for a valid report' '' '' -q "$report"
said 0 'every report in a folder is named' "$fixtures/linear-r100.xml: valid
$fixtures/normal-j2-r80-cold.xml: valid
$fixtures/uniform-swap.xml: valid
$fixtures/uniform.xml: valid" '' "$fixtures"

changed 's|<ratio>50<|<ratio>101<|' ratio.xml
said 1 'a finding has file and line, and says what is allowed' \
	"$tmp/ratio.xml:41: <ratio> is '101': the largest allowed is ('100')" '' "$tmp/ratio.xml"
said 1 '-q still prints findings' \
	"$tmp/ratio.xml:41: <ratio> is '101': the largest allowed is ('100')" '' --quiet "$report" "$tmp/ratio.xml"
changed '1217,1224s|<p90_ns>.*<|<p90_ns>1.5<|' law.xml
said 1 'percentiles that fall are a finding beyond the schema' \
	"$tmp/law.xml:1217: <summary>: p50_ns is 168.010415056022, which is above p90_ns, 1.5" '' \
	"$tmp/law.xml"
changed 's|hi="256" count="34359738368"|hi="256" count="34359738369"|' sum.xml
said 1 'buckets that do not add up are a finding' \
	"$tmp/sum.xml:1217: the buckets hold 34363804944 in all, the <summary> says 34363804943" '' "$tmp/sum.xml"
changed 's|<hex index="3">|<hex>|' many.xml
check_exit 1 'memstor validate of a report with many findings ends with 1' memstor validate "$tmp/many.xml"
is 'memstor validate prints twenty of many findings and their number' "$(wc -l <"$tmp/out") $(tail -n 1 "$tmp/out")" \
	"21 $tmp/many.xml: 30 findings in all"

said 2 'a file that does not exist does not hide findings on the others' "$report: valid" \
	"memstor: $tmp/none.xml: No such file or directory" "$tmp/none.xml" "$report"
changed 's|<report_version>1.0|<report_version>2.1|' newer.xml
said 2 'a newer format is refused beside other findings' \
	"$report: valid
$tmp/ratio.xml:41: <ratio> is '101': the largest allowed is ('100')" \
	"memstor: $tmp/newer.xml:48: report format 2.1 is newer than this program, which reads up to 1.x: use a newer memstor" \
	"$report" "$tmp/ratio.xml" "$tmp/newer.xml"
echo '<html/>' >"$tmp/html.xml"
said 2 'a file that is no report is refused' '' \
	"memstor: $tmp/html.xml:1: <html> is not a report: allowed are <pmbenchmark>, <iowritebench>, <ssdworkloads>, <memtrace> and <withpressure>" \
	"$tmp/html.xml"
head -c 3000 "$report" >"$tmp/half.xml"
check_exit 2 'memstor validate refuses a report that is cut in half' memstor validate "$tmp/half.xml"
check 'memstor validate says in one line where a cut report ends' \
	sh -c '[ "$(wc -l <"$1/err")" = 1 ] && grep -q "^memstor: $1/half.xml:[0-9]*: the file is truncated: it ends within <" "$1/err"' \
	sh "$tmp"
mkdir "$tmp/empty"
said 2 'a folder without reports is refused' '' "memstor: $tmp/empty: no report (*.xml) in this folder or up to 8 levels below it" \
	"$tmp/empty"
said 2 'a call without files is refused' '' 'memstor: no FILE given: memstor validate FILE... (reports, or folders of them)'
said 2 'an unknown option is refused' '' "memstor: --strict: no such option; --help lists them" --strict "$report"

# Reports in JSON are read wherever reports in XML are, and findings name their lines.
memstor convert --to json "$report" -o "$tmp/run.json"
said 0 'a report in JSON is valid' "$tmp/run.json: valid" '' "$tmp/run.json"
sed 's/"ratio": [0-9]*/"ratio": 500/' "$tmp/run.json" >"$tmp/high.json"
said 1 'a finding in JSON names its line' \
	"$tmp/high.json:$(grep -n '"ratio"' "$tmp/high.json" | cut -d: -f1): <ratio> is '500': the largest allowed is ('100')" '' \
	"$tmp/high.json"
sed '5s/:/=/' "$tmp/run.json" >"$tmp/broken.json"
said 2 'a text that is not JSON is refused with its line' '' \
	"memstor: $tmp/broken.json:5: not a JSON report: a colon is due after a name" "$tmp/broken.json"
for file in "$report" "$tmp/run.json"; do
	memstor convert --to csv "$file" | sed "s,^$file,FILE,"
done >"$tmp/tables"
is 'memstor convert prints the same table of a report in JSON as of the report in XML' "$(sort -u "$tmp/tables" | wc -l)" \
	"$(($(wc -l <"$tmp/tables") / 2))"

# A schema of the user.
schema=$top_srcdir/docs/memstor-report.xsd
said 0 '--schema accepts the schema as a file' "$report: valid" '' --schema "$schema" "$report"
sed 's|<xs:element name="seed"|<xs:element name="sed"|' "$schema" >"$tmp/other.xsd"
said 1 '--schema accepts another schema' "$report:62: <seed>: not expected here, but ( sed )" '' -s "$tmp/other.xsd" "$report"
said 2 'a report as a schema is refused' '' "memstor: $report:2: <pmbenchmark> is not a schema: the document element must be xs:schema" \
	--schema "$report" "$report"
said 2 'a schema that does not exist is refused' '' "memstor: $tmp/none.xsd: No such file or directory" --schema "$tmp/none.xsd" "$report"

# Reports of pmbench are valid with any options.
for options in '' '--hdr --interval 10ms' '-r 0' '-r 100 --classify none' '-a touch' '-j 2 --processes 2'; do
	rm -f "$tmp/fresh.xml"
	# shellcheck disable=SC2086 # words
	pmbench -m 4 --accesses 20000 $options -f "$tmp/fresh.xml" >"$tmp/log" 2>&1
	said 0 "a fresh report is valid: pmbench ${options:-without options}" "$tmp/fresh.xml: valid" '' "$tmp/fresh.xml"
done
check_exit 3 'memstor validate to a full stdout ends with 3' sh -c 'memstor validate "$1" >/dev/full' sh "$report"
tap_done
