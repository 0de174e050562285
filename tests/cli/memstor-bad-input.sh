# SPDX-License-Identifier: GPL-3.0-or-later
# Files that are not reports are refused with status 2, in one line with file and line, within limits of memory and time.
. "$top_srcdir/tests/lib/tap.sh"
report=$top_srcdir/tests/fixtures/report-1.0.xml

# Address space in KiB: the largest report that is read, 64 MiB, and its tree. Sanitizers reserve terabytes.
limit=700000
bounded() {
	# shellcheck disable=SC3045 # every known sh has it
	if [ -n "$sanitizer" ]; then "$@"; else (ulimit -v $limit && exec "$@"); fi
}

# refused DESCRIPTION FILE MESSAGE: by a command that checks reports and one that reads them, in one line that begins with
# MESSAGE. refused_once: by one of them, where it takes a second.
refused() {
	refused_once "$@"
	for refused_command in ${every:+'convert --to csv --what series' 'convert --to markdown'} 'convert --to json'; do
		refused_by "$@"
	done
}
refused_as=
refused_once() {
	refused_command=validate
	refused_by "$@"
}
refused_by() {
	# shellcheck disable=SC2086 # words
	check_exit 2 "memstor $refused_command refuses $1" bounded $refused_as timeout -k 1 60 memstor $refused_command "$2"
	is "memstor $refused_command refuses $1 in one line" "$(wc -l <"$tmp/err")" 1
	refused_begin=$(head -c ${#3} "$tmp/err")
	is "memstor $refused_command says where the error is: $1" "$refused_begin" "$3"
}

# --- limits of work
{ echo '<pmbenchmark>'; seq -f '<a%.0f/>' 100000; echo '</pmbenchmark>'; } >"$tmp/names.xml"
refused_once '100,000 different names of elements' "$tmp/names.xml" "memstor: $tmp/names.xml:"
check 'the refusal of 100,000 names of elements says how many are allowed' grep -q 'more than 20000 different names$' "$tmp/err"
{ echo '<pmbenchmark>'; seq -f '<?a%.0f x?>' 100000; echo '</pmbenchmark>'; } >"$tmp/instructions.xml"
refused_once '100,000 different processing instructions' "$tmp/instructions.xml" "memstor: $tmp/instructions.xml:"
check 'the refusal of 100,000 names of instructions says how many are allowed' grep -q 'more than 20000 different names$' "$tmp/err"
rm "$tmp/names.xml" "$tmp/instructions.xml"
mkfifo "$tmp/fifo.xml"
refused 'a FIFO without waiting for it' "$tmp/fifo.xml" \
	"memstor: $tmp/fifo.xml: is a FIFO (a file or an open pipe is read)"
mkfifo "$tmp/fifo.suite"
check_exit 2 'memstor run refuses a FIFO as a suite without waiting for it' timeout -k 1 60 memstor run "$tmp/fifo.suite"
# shellcheck disable=SC2016 # by the shell that is started
check 'memstor validate reads an open pipe' sh -c 'cat "$1" | memstor validate /dev/stdin' sh "$report"

# --- memstor reports that ulimit -f ended its output
limited() { # shellcheck disable=SC3045 # every known sh has it
	(ulimit -f 1 && exec "$@")
}
check_exit 3 'memstor html ends with 3 when its page grows beyond ulimit -f' limited memstor html "$report" -o "$tmp/page.html"
is 'memstor html says in one line that its page is beyond ulimit -f' "$(cat "$tmp/err")" \
	"memstor: -o $tmp/page.html: the page could not be written: File too large"
(ulimit -f 1 && memstor convert --to json "$report" >"$tmp/limited.json" 2>"$tmp/limited.err")
is 'memstor convert ends with 3 when standard output grows beyond ulimit -f' $? 3
is 'memstor convert says in one line that standard output is beyond ulimit -f' "$(cat "$tmp/limited.err")" \
	'memstor: --output (standard output): cannot be written: File too large'

# --- control characters of names and contents are not printed
long=$(printf '%1024s' '' | tr ' ' m)
printf '#!/usr/bin/env python3\nimport os, sys\nos.execv(sys.argv[1], [sys.argv[2]] + sys.argv[3:])\n' >"$tmp/as"
if command -v python3 >/dev/null; then
	check_exit 2 'memstor under a program name of 1,024 bytes refuses an unknown command' \
		python3 "$tmp/as" "$(command -v memstor)" "$long" no-such-command
	is 'memstor cuts a program name of 1,024 bytes in its messages' "$(cut -d: -f1 "$tmp/err")" "$(printf '%.64s' "$long")"
fi
evil=$(printf 'a\033[31m\302\233\342\200\256.xml')
cp "$report" "$tmp/$evil"
sed 's|<duration>.*<|<duration>\xc2\x9b2J\xe2\x80\xae<|' "$report" >"$tmp/b$evil"
check_exit 1 'memstor validate ends with 1 for names and contents with escapes' memstor validate "$tmp/$evil" "$tmp/b$evil"
is 'memstor validate prints no escape, C1 or bidi control in its findings' "$(LC_ALL=C grep -c "$(printf '\033\\|\302\233\\|\342\200\256')" "$tmp/out")" 0
check_exit 2 'memstor validate refuses a name with escapes that does not exist' memstor validate "$tmp/none$evil"
is 'memstor validate prints no escape, C1 or bidi control in its messages' "$(LC_ALL=C grep -c "$(printf '\033\\|\302\233\\|\342\200\256')" "$tmp/err")" 0
if command -v script >/dev/null; then
	for command in 'validate' 'convert --to csv' 'convert --to markdown' 'convert --to json'; do
		(cd "$tmp" && sed "s|<pattern>.*<|<pattern>x\xc2\x9b2Jy\xe2\x80\xaez<|" "$report" >esc.xml &&
			script -qec "memstor $command esc.xml" typescript >/dev/null 2>&1 </dev/null)
		is "memstor $command prints no C1 or bidi control on a terminal" \
			"$(LC_ALL=C grep -c "$(printf '\302\233\\|\342\200\256')" "$tmp/typescript")" 0
	done
	for command in 'validate' 'convert --to csv' 'convert --to markdown'; do
		(mkdir -p "$tmp/red" && cd "$tmp/red" && cp "$report" "$(printf 'a\033[31mb.xml')" &&
			script -qec "memstor $command a*b.xml" ../typescript >/dev/null 2>&1 </dev/null)
		is "memstor $command prints no escape of a file's name on a terminal" "$(LC_ALL=C grep -c "$(printf '\033')" "$tmp/typescript")" 0
	done
else
	skip 'memstor prints no C1 or bidi control on a terminal' 'needs script (util-linux)'
fi

: >"$tmp/empty.xml"
refused 'an empty file' "$tmp/empty.xml" "memstor: $tmp/empty.xml: the file is empty"
printf 'Read:\n2^(00,08) ns: 1\n' >"$tmp/text.xml"
refused 'a file of plain text' "$tmp/text.xml" "memstor: $tmp/text.xml:1: not well-formed XML: "
head -c 100000 /dev/urandom >"$tmp/noise.xml"
refused 'a file of random bytes' "$tmp/noise.xml" "memstor: $tmp/noise.xml:"
echo '{"pmbenchmark": {}}' >"$tmp/json.xml"
refused 'JSON without a report' "$tmp/json.xml" "memstor: $tmp/json.xml:1: <pmbenchmark> has no "
gzip -c "$report" >"$tmp/packed.xml"
refused 'a packed report' "$tmp/packed.xml" "memstor: $tmp/packed.xml:"
head -c 30000 "$report" >"$tmp/half.xml"
every=yes
refused 'half a report' "$tmp/half.xml" "memstor: $tmp/half.xml:"
every=
check 'memstor refuses a report that is cut with the line of its end' \
	grep -q "half.xml:87[34]: the file is truncated: it ends within <" "$tmp/err"
sed 's/pmbenchmark>/benchmark>/' "$report" >"$tmp/root.xml"
refused 'a report with another root element' "$tmp/root.xml" \
	"memstor: $tmp/root.xml:2: <benchmark> is not a report: allowed are <pmbenchmark>, <iowritebench>, <ssdworkloads>, <memtrace> and <withpressure>"
sed 's|<report_version>1|<report_version>2|' "$report" >"$tmp/newer.xml"
refused 'a report of a newer format' "$tmp/newer.xml" \
	"memstor: $tmp/newer.xml:48: report format 2.0 is newer than this program, which reads up to 1.x: use a newer memstor"

# Entities
cat >"$tmp/laughs.xml" <<'END'
<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<pmbenchmark><report>&c;</report></pmbenchmark>
END
refused 'a billion laughs' "$tmp/laughs.xml" \
	"memstor: $tmp/laughs.xml:2: a report has no document type, no entities and no zero bytes"
printf '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<pmbenchmark>&e;</pmbenchmark>' >"$tmp/external.xml"
refused 'an external entity' "$tmp/external.xml" \
	"memstor: $tmp/external.xml:1: a report has no document type, no entities and no zero bytes"
printf '<pmbenchmark>\n&e;</pmbenchmark>' >"$tmp/entity.xml"
refused 'an undeclared entity' "$tmp/entity.xml" "memstor: $tmp/entity.xml:2: not well-formed XML: "
printf '<pmbenchmark>\n\0</pmbenchmark>' >"$tmp/zero.xml"
refused 'a zero byte' "$tmp/zero.xml" "memstor: $tmp/zero.xml:2: a report has no document type, no entities and no zero bytes"

# Size: none of these costs more than the limit, whatever is in them.
truncate -s 1G "$tmp/hole.xml"
refused_once 'a file of 1 GiB' "$tmp/hole.xml" "memstor: $tmp/hole.xml: larger than 64 MiB"
rm "$tmp/hole.xml"
refused_once 'a device without end' /dev/zero "memstor: /dev/zero: is a device or socket"
awk 'BEGIN { printf "<pmbenchmark>\n<report"; for (i = 0; i < 200000; i++) printf " a%d=\"\"", i; print "/></pmbenchmark>" }' \
	>"$tmp/attributes.xml"
refused_once '200,000 attributes' "$tmp/attributes.xml" "memstor: $tmp/attributes.xml:2: more than 64 KiB from one tag to the next"
awk 'BEGIN { printf "<pmbenchmark>\n<report"; for (i = 0; i < 5000; i++) printf " a%d=\"\"", i; print "/></pmbenchmark>" }' \
	>"$tmp/attributes.xml"
refused '5,000 attributes' "$tmp/attributes.xml" "memstor: $tmp/attributes.xml:2: <report> has more than 64 attributes"
awk 'BEGIN { print "<pmbenchmark>"; for (i = 0; i < 300000; i++) print "<report>" }' >"$tmp/deep.xml"
refused_once 'deep nesting' "$tmp/deep.xml" "memstor: $tmp/deep.xml:65: elements are nested more than 64 deep"
awk 'BEGIN { print "<pmbenchmark><report>"; for (i = 0; i < 4000001; i++) print "<b/>"; print "</report></pmbenchmark>" }' \
	>"$tmp/wide.xml"
refused_once 'four million elements' "$tmp/wide.xml" "memstor: $tmp/wide.xml:"
check 'the refusal of a wide report says what is too much' grep -q 'wide.xml:[0-9]*: more than 4000000 elements$' "$tmp/err"
awk 'BEGIN { printf "<pmbenchmark>\n<report>"; for (i = 0; i < 70000; i++) printf "x"; print "</report></pmbenchmark>" }' >"$tmp/long.xml"
refused 'a long text' "$tmp/long.xml" "memstor: $tmp/long.xml:2: more than 64 KiB from one tag to the next"
rm -f "$tmp"/wide.xml "$tmp"/deep.xml

# Contradictions within a report: the schema finds some of them, for which validate ends with 1.
contradiction() { # DESCRIPTION SED-SCRIPT LINE REASON
	sed "$2" "$report" >"$tmp/c.xml"
	check "the contradiction changes the report: $1" sh -c '! cmp -s "$1" "$2"' sh "$tmp/c.xml" "$report"
	for contradiction_format in json ${every:+csv markdown pmgraph}; do
		check_exit 2 "memstor convert --to $contradiction_format refuses a report: $1" memstor convert --to $contradiction_format "$tmp/c.xml"
		is "memstor convert --to $contradiction_format names line and contradiction: $1" "$(cat "$tmp/err")" "memstor: $tmp/c.xml:$3: $4"
	done
	check_exit 1 "memstor validate ends with 1 for a report: $1" memstor validate "$tmp/c.xml"
	check "memstor validate has a finding on the same line: $1" grep -q "^$tmp/c.xml:$3: " "$tmp/out"
}
every=yes
contradiction 'NaN as a number' 's|<accesses_per_second>5369828.7<|<accesses_per_second>NaN<|' 268 \
	"<accesses_per_second> is 'NaN': allowed are finite numbers"
every=
contradiction 'too large a number' 's|<run_s>7200<|<run_s>1e+999<|' 267 "<run_s> is '1e+999': allowed are finite numbers"
contradiction 'a count that overflows' '1230s|count="34359738368"|count="99999999999999999999"|' 1230 \
	'count="99999999999999999999" of <bucket>: allowed are whole numbers from 0 to 2^64-1'
contradiction 'a sum that overflows' '1230s|count="34359738368"|count="18446744073709551615"|' 1231 \
	'the counts of the buckets add up to more than 2^64-1'
contradiction 'a wrong sum' '1230s|count="34359738368"|count="34359738367"|' 1217 \
	'the buckets hold 34363804942 in all, the <summary> says 34363804943'
contradiction 'buckets that overlap' '1231s|lo="432"|lo="255"|' 1231 \
	'<bucket> from 255 begins below the end of the one before it, 256'
contradiction 'buckets that run backwards' '1231s|hi="448"|hi="432"|' 1231 \
	'<bucket> ends at 432 and begins at 432: it must end above'
contradiction 'a bucket behind the last' '1230s|hi="256" ||' 1231 'a <bucket> behind the one without hi, which is the last'
contradiction 'an element twice' 's|<run_s>7200</run_s>|&&|' 267 'a second <run_s> in one <totals>'
contradiction 'a section twice' 's|    </statistics>|&<statistics/>|' 1478 'a second <statistics> in one <report>'
contradiction 'a histogram twice' '1238s|layout="hdr"|layout="log16"|' 1238 \
	'a second <latency_histogram> of type read, class all, layout log16'

# Files that cannot be read at all.
mkdir "$tmp/folder.xml"
check_exit 2 'memstor convert refuses a folder without reports' memstor convert --to json "$tmp/folder.xml"
cp "$report" "$tmp/secret.xml"
chmod 0 "$tmp/secret.xml"
refused_as=$without_override
refused 'a file without read permission' "$tmp/secret.xml" "memstor: $tmp/secret.xml: Permission denied"
tap_done
