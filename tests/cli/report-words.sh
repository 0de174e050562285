# SPDX-License-Identifier: GPL-3.0-or-later
# docs/report.md, report-iowrite.md, report-memtrace.md, report-ssd.md and report-with-pressure.md have every word of the schema and every code of the sources.
. "$top_srcdir/tests/lib/tap.sh"
page=$top_srcdir/docs/report.md
iowrite=$top_srcdir/docs/report-iowrite.md
schema=$top_srcdir/docs/memstor-report.xsd

# Each word of the page in code quotes; paths and lists in braces fall apart into their names.
cat "$page" "$iowrite" "$top_srcdir/docs/report-memtrace.md" "$top_srcdir/docs/report-ssd.md" \
	"$top_srcdir/docs/report-with-pressure.md" | sed 's/`[^`]*`/\n&\n/g' | grep '^`' | tr -c 'a-z0-9_-' '\n' | sort -u >"$tmp/known"

# known DESCRIPTION FILE: every line of FILE is on one of the pages.
known() {
	check "the source has some $1" test -s "$2"
	sort -u "$2" | comm -23 - "$tmp/known" >"$tmp/missing"
	check "the pages on reports have all $1" diff /dev/null "$tmp/missing"
}

grep -o '<xs:element name="[^"]*"' "$schema" | cut -d'"' -f2 >"$tmp/elements"
known 'elements of the schema' "$tmp/elements"
grep -o '<xs:attribute name="[^"]*"' "$schema" | cut -d'"' -f2 >"$tmp/attributes"
known 'attributes of the schema' "$tmp/attributes"
cat "$top_srcdir"/pmbench/*/*.c | grep -o 'add_\(reason\|check\)(result, "[^"]*"' | cut -d'"' -f2 >"$tmp/codes"
known 'codes of pmbench' "$tmp/codes"
cat "$top_srcdir"/iowrite-bench/*.c "$top_srcdir"/iowrite-bench/*/*.c | grep -o 'frame_reason([^"]*"[a-z-]*"' | cut -d'"' -f2 >"$tmp/codes"
known 'codes of iowrite-bench' "$tmp/codes"
cat "$top_srcdir"/ssd-workloads/*/*.c | tr -d '\n' | grep -o 'frame_reason([^"]*"[a-z-]*"' | cut -d'"' -f2 >"$tmp/codes"
known 'codes of ssd-workloads' "$tmp/codes"
cat "$top_srcdir"/memtrace/*/*.c | grep -o 'frame_reason([^"]*"[a-z-]*"' | cut -d'"' -f2 >"$tmp/codes"
known 'codes of memtrace' "$tmp/codes"
cat "$top_srcdir"/with-pressure/*.c | grep -o 'frame_reason([^"]*"[a-z-]*"' | cut -d'"' -f2 >"$tmp/codes"
known 'codes of with-pressure' "$tmp/codes"
grep -o 'frame_reason([^"]*"[a-z-]*"\|\[FRAME_[A-Z_]*\] = "[^"]*"' "$top_srcdir/common/run/frame.c" | cut -d'"' -f2 >"$tmp/codes"
sed -n 's/^#define START_LATE "\(.*\)"$/\1/p' "$top_srcdir/common/report/start.h" >>"$tmp/codes"
check 'the test finds every common code of the storage tools' \
	test "$(grep -c . "$tmp/codes")" -gt "$(tr '\n' ' ' <"$top_srcdir/common/run/frame.h" | sed -n 's/.*enum frame_code { \(.*\), *FRAME_CODES };.*/\1/p' | tr ',' '\n' | wc -l)"
known 'common codes of the storage tools' "$tmp/codes"
grep -o '^	{"[a-z-]*", "' "$top_srcdir/common/host/machine_checks.c" | cut -d'"' -f2 >"$tmp/checks"
known 'checks of the machine' "$tmp/checks"
# The text of a finding in a report is its meaning in the page: "code" and then, perhaps on the next line, its text.
cat "$top_srcdir/common/host/machine_checks.c" "$top_srcdir/pmbench/run/check.c" | tr -d '\n\t' |
	grep -oE '(\{|add_check\(result, )"[a-z-]+", ?"[^"]+"' | sed 's/^[^"]*"\([a-z-]*\)", *"\(.*\)"$/| `\1` | \2/' >"$tmp/findings"
check 'the source has at least 20 findings' test "$(wc -l <"$tmp/findings")" -ge 20
while read -r finding; do
	check "docs/report.md explains the finding: $finding" grep -qF "$finding" "$page"
done <"$tmp/findings"

# The short page has only words of the long one, names every part of a report, and has the same version.
manual=$top_srcdir/memstor/memstor-report.5
sed '/^\.SH EXAMPLES/,$d' "$manual" | sed -n 's/^\.\(B\|BR\|RB\) //p' | grep -v '\\-\|memstor' | tr -c 'a-z0-9_' '\n' |
	grep -E '^[a-z][a-z0-9_]+$' >"$tmp/manual"
check 'memstor-report(5) has at least 80 elements' test "$(sort -u "$tmp/manual" | wc -l)" -ge 80
known 'words of memstor-report(5)' "$tmp/manual"
sed -n '/complexType name="pm_report"/,/<\/xs:complexType/s/.*element name="\([a-z_]*\)".*/\1/p' "$schema" >"$tmp/report"
check 'the schema has at least nine parts of a report' test "$(wc -l <"$tmp/report")" -ge 9
while read -r part; do
	check "memstor-report(5) explains $part" grep -qx ".B $part" "$manual"
done <"$tmp/report"
version=$(sed -n 's/^#define REPORT_FORMAT_VERSION "\(.*\)"$/\1/p' "$top_srcdir/common/report/report_common.h")
check "docs/report.md names the format version $version" grep -qF "format **$version**" "$page"
check "the schema names the format version $version" grep -qF "format $version;" "$schema"
check "memstor-report(5) names the format version $version" grep -q "format $version;" "$manual"
for lint in 'mandoc -Tlint' 'groff -man -ww -Tascii -z'; do
	if command -v "${lint%% *}" >/dev/null; then
		$lint "$manual" >"$tmp/lint" 2>&1
		check "$lint finds nothing in memstor-report(5)" test ! -s "$tmp/lint"
	else
		skip "$lint finds nothing in memstor-report(5)" "${lint%% *} is not installed"
	fi
done
tap_done
