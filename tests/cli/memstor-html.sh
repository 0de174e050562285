#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor html: a page that holds reports byte by byte, whatever their contents.
. "$top_srcdir/tests/lib/tap.sh"
golden=$top_srcdir/tests/golden/pmbench-report.xml
fixtures=$top_srcdir/tests/fixtures/pmbench-original
viewer=$top_srcdir/memstor/viewer/viewer.html
cd "$tmp" || exit 1

# said STATUS DESCRIPTION STDERR ARGUMENT...
said() {
	said_status=$1 said_description=$2 said_err=$3
	shift 3
	check_exit "$said_status" "memstor html of $said_description ends with $said_status" memstor html "$@"
	is "memstor html of $said_description prints the expected text on stderr" "$(cat err)" "$said_err"
}
# back PAGE: the reports' texts as a reader of JSON gets them, one after another, into names and xml.
back() {
	python3 - "$1" <<'END'
import base64, json, sys, zlib
page = open(sys.argv[1], newline="").read()
begin = '<script type="application/json" id="memstor-reports">'
assert page.count(begin) == 1
data = page.split(begin)[1].split("</script>")[0]
reports = json.loads(data)
open("names", "w").write("".join(r["name"] + "\n" for r in reports))
text = lambda part: part if isinstance(part, str) else zlib.decompress(base64.b64decode(part["zlib"])).decode()
open("xml", "w", newline="").write("".join(text(p) for r in reports for p in r["xml"]))
open("sides", "w").write("".join("%s %s\n" % (r["side"] or "-", r["folder"] or "-") for r in reports))
open("heads", "w").write("".join(p for r in reports for p in r["xml"] if isinstance(p, str)))
END
}
has_python=$(command -v python3)
# comes_back DESCRIPTION PAGE FILE...: these reports and nothing else, byte by byte.
comes_back() {
	comes_what=$1 comes_page=$2
	shift 2
	if [ -z "$has_python" ]; then
		skip "the page of $comes_what holds the reports byte by byte" 'needs python3'
		return
	fi
	check "the page of $comes_what has its data as JSON" back "$comes_page"
	is "the page of $comes_what names the reports" "$(cat names)" "$(printf '%s\n' "$@")"
	cat "$@" >wanted
	check "the page of $comes_what holds the reports byte by byte" cmp wanted xml
}
# The script tags and comments that a browser would find in a page.
scripts() { tr '>' '\n' <"$1" | grep -ciE '<script|</script|<!--'; }

said 0 'one report' '' "$golden" -o page.html
is 'memstor html of one report prints nothing on stdout' "$(cat out)" ''
comes_back 'one report' page.html "$golden"
is "the page of one report has no script but the viewer's" "$(scripts page.html)" "$(scripts "$viewer")"
is "the page of one report has the viewer's title" \
	"$(grep -o '<title>.*</title>' page.html)" "$(grep -o '<title>.*</title>' "$viewer")"
check 'the page of one report has a row for readers without JavaScript' \
	sh -c "sed -n '/<noscript/,/<.noscript/p' page.html | grep -q '<td><bdi>untrustworthy: 3 faults'"
check 'the page of one report is ASCII but for the viewer' sh -c \
	"! sed -n '/<noscript/,/^]/p' page.html | sed 's/<noscript.*//' | LC_ALL=C grep -q '[^ -~]'"
check_exit 0 'memstor html -o - ends with 0' memstor html -o - "$golden"
check 'memstor html -o - prints the same page' cmp out page.html
said 0 'three reports' '' -o page.html "$golden" "$fixtures/uniform.xml" "$fixtures/linear-r100.xml"
comes_back 'three reports' page.html "$golden" "$fixtures/uniform.xml" "$fixtures/linear-r100.xml"
is 'the page of three reports has three rows' "$(grep -c '^<tr><td>' page.html)" 3
mkdir runs
cp "$golden" runs/a.xml
cp "$golden" runs/b.xml
said 0 'a folder of reports' '' -o page.html runs
comes_back 'a folder of reports' page.html runs/a.xml runs/b.xml

# --- reports in JSON
check 'memstor convert makes a report in JSON' memstor convert --to=json -o golden.json "$golden"
if [ -n "$has_python" ]; then
	said 0 'a report in JSON' '' -o page.html golden.json
	check 'the page of a report in JSON has its data as JSON' back page.html
	mv xml json.xml
	is 'the page of a report in JSON holds a valid report in XML' "$(memstor validate json.xml)" 'json.xml: valid'
fi

# --- sides and folders
sides() { # DESCRIPTION WANTED ARGUMENT...
	sides_what=$1 sides_wanted=$2
	shift 2
	said 0 "$sides_what" '' "$@"
	if [ -n "$has_python" ]; then
		check "the page of $sides_what has its data as JSON" back page.html
		is "the page of $sides_what has side and folder of each report" "$(cat sides)" "$sides_wanted"
	fi
}
mkdir other
cp "$golden" other/a.xml
cp "$golden" ./-dash.xml
sides 'two folders and a report' "$(printf '%s\n' '- runs' '- runs' '- other' '- -')" -o page.html runs other "$golden"
sides 'reports on both sides of --' "$(printf '%s\n' 'base runs' 'base runs' 'new other' 'new -')" runs -- other "$golden" -o page.html
sides 'options on both sides' "$(printf '%s\n' 'base -' 'new other')" --no-series "$golden" -- -o page.html other
sides 'reports behind -- alone' '- other' -o page.html -- other
said 2 'a base without new reports' 'memstor: no NEW given: memstor html BASE... -- NEW... -o FILE (files, or folders of reports)' \
	-o none.html runs --
sides 'a name that begins with a dash behind --' '- -' -o page.html -- -dash.xml
sides 'a name that begins with a dash behind a second --' "$(printf '%s\n' 'base runs' 'base runs' 'new -')" -o page.html runs -- --no-series -- -dash.xml

# --- parts that are read on demand are packed
resident=$top_srcdir/results/reference/resident/report.xml
if [ -n "$has_python" ] && [ -r "$resident" ]; then
	said 0 'a report with packed parts' '' -o page.html "$resident"
	comes_back 'a report with packed parts' page.html "$resident"
	check 'the page keeps series, statistics and snapshots out of the texts that are read at once' sh -c \
		"! grep -qE '<(series|statistics|sys_mem_info)>' heads"
	sed 's|<modelname>[^<]*<|<modelname>a</modelname><!-- <series> --><modelname><|; s|<modelname></modelname>||' \
		"$resident" >twice.xml
	said 0 'a report with the name of a part in a comment' '' -o page.html twice.xml
	comes_back 'a report with the name of a part in a comment' page.html twice.xml
	check 'the page does not pack a part that a comment names' grep -q '<series>' heads
fi

# --- title
said 0 'a report with a hostile --title' '' --title '</title><script>a("&")' -o page.html "$golden"
is 'a title in the page is escaped' "$(grep -o '<title>.*</title>' page.html)" \
	'<title>&#x3c;/title&#x3e;&#x3c;script&#x3e;a(&#x22;&#x26;&#x22;)</title>'
is 'a hostile title adds no script to the page' "$(scripts page.html)" "$(scripts "$viewer")"
said 2 'a report with an empty --title' "memstor: --title '': must be a text of 1 to 200 bytes" --title '' -o none.html "$golden"

# --- series
said 0 'a report without series' '' --no-series -o small.html "$golden"
check 'the page without series has no series' \
	sh -c "! grep -q 'series' small.html || test \$(grep -o u003cseries small.html | wc -l) = 0"
if [ -n "$has_python" ]; then
	check 'the page without series has its data as JSON' back small.html
	mv xml small.xml
	is 'the page without series holds a valid report' "$(memstor validate small.xml)" 'small.xml: valid'
	# Empty elements may be written in two ways.
	sed '/<series>/,/<.series>/d; s|<\([a-z_]*\)\([^>]*\)></\1>|<\1\2/>|' "$golden" >wanted
	check 'the page without series has everything else of the report' cmp wanted small.xml
fi

# --- hostile reports: well-formed, with texts that end scripts, comments and attributes
sed 's|<modelname>[^<]*<|<modelname><![CDATA[</script><script>alert(1)</script><!--<script>]]>]]\&gt;<|
	s|<label name="empty">|<label name="\&quot; onload=\&apos;x\&apos;">|' "$golden" >evil.xml
printf '<!-- </noscript></script><script>alert(2)</script> \342\200\250\342\200\256 -->\n' >>evil.xml
cp evil.xml '<img src=x onerror=alert(3)>.xml'
said 0 'hostile reports' '' -o page.html evil.xml '<img src=x onerror=alert(3)>.xml'
comes_back 'hostile reports' page.html evil.xml '<img src=x onerror=alert(3)>.xml'
is 'hostile reports add no script to the page' "$(scripts page.html)" "$(scripts "$viewer")"
check 'hostile reports add no element to the page' sh -c "! grep -qiE '<img|onload=.x' page.html"
printf '\357\273\277' >bom.xml
cat "$golden" >>bom.xml
check_exit 0 'memstor html accepts a report with a byte order mark' memstor html -o page.html bom.xml
if [ -n "$has_python" ]; then
	check 'the page of a report with a byte order mark has its data as JSON' back page.html
	check 'the page has the report without its byte order mark' cmp xml "$golden"
fi

# --- files that are not reports are refused, and no page is made
sed 's|<modelname>|&\x00|' "$golden" >nul.xml
said 2 'a report with a NUL' 'memstor: nul.xml:80: a report has no document type, no entities and no zero bytes' \
	-o none.html nul.xml
printf '<pmbenchmark><report>\377</report></pmbenchmark>' >bytes.xml
check_exit 2 'memstor html refuses a report that is not UTF-8' memstor html -o none.html bytes.xml
is 'memstor html refuses a report that is not UTF-8 in one line' \
	"$(wc -l <err) $(cut -d: -f1-4 err)" '1 memstor: bytes.xml:1: not well-formed XML'
sed '1a <!DOCTYPE a [<!ENTITY b "c">]>' "$golden" >doctype.xml
check_exit 2 'memstor html refuses a report with a document type' memstor html -o none.html "$golden" doctype.xml
is 'memstor html refuses a report with a document type in one line' "$(wc -l <err)" 1
head -c 20000 "$golden" >cut.xml
check_exit 2 'memstor html refuses a report that is cut' memstor html -o none.html cut.xml
echo '<svg/>' >svg.xml
said 2 'XML that is no report' "memstor: svg.xml:1: <svg> is not a report: allowed are <pmbenchmark>, <iowritebench>, \
<ssdworkloads>, <memtrace> and <withpressure>" -o none.html svg.xml
said 2 'a report without -o' 'memstor: no -o FILE given: it names the page' "$golden"
said 2 'a call without files' 'memstor: no FILE given: name the reports of the page, or a folder of them' -o none.html
said 3 'a report into a folder that does not exist' 'memstor: -o none/a.html: cannot be written: No such file or directory' -o none/a.html "$golden"
if [ -w /dev/full ]; then
	said 3 'a report into a full device' 'memstor: -o /dev/full: the page could not be written: No space left on device' \
		-o /dev/full "$golden"
fi
check 'memstor html leaves no page and no temporary file when it refuses' sh -c '! ls none* *.tmp 2>/dev/null'

# --- a page that would be too large
# In the page each "<" is six bytes: 2.3 of these reports fill it.
awk 'BEGIN { line = sprintf("%1000s", ""); gsub(/ /, "<", line); for (i = 0; i < 9500; i++) print "<!--" line "-->" }' >comments
{ cat "$golden"; cat comments; } >big.xml
said 2 'three reports that make more than 128 MiB' 'memstor: big.xml: with this report, number 3, the page would exceed 128 MiB: drop reports, '\
'or the time series with --no-series' -o none.html big.xml big.xml big.xml
rm -f comments big.xml
tap_done
