# SPDX-License-Identifier: GPL-3.0-or-later
# memstor convert and validate on one CPU and on all: the same output, messages and exit status.
. "$top_srcdir/tests/lib/tap.sh"
report=$top_srcdir/tests/fixtures/report-1.0.xml
mkdir "$tmp/good" "$tmp/mixed"
for i in 1 2 3 4 5 6 7; do
	sed "s|<ratio>50<|<ratio>$i<|" "$report" >"$tmp/good/$i.xml"
	cp "$tmp/good/$i.xml" "$tmp/mixed"
done
sed 's|<ratio>50<|<ratio>101<|' "$report" >"$tmp/mixed/2.xml"
head -c 3000 "$report" >"$tmp/mixed/4.xml"
echo '<html/>' >"$tmp/mixed/5.xml"
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')

# same STATUS DESCRIPTION ARGUMENT...
same() {
	same_status=$1 same_description=$2
	shift 2
	taskset -c "$cpu" memstor "$@" >"$tmp/one" 2>"$tmp/one.err"
	check_exit "$same_status" "$same_description ends with $same_status" memstor "$@"
	check "$same_description prints the same on all CPUs as on one" cmp "$tmp/out" "$tmp/one"
	check "$same_description prints the same messages on all CPUs as on one" cmp "$tmp/err" "$tmp/one.err"
}

for format in json ndjson; do
	same 0 "convert --to $format of valid reports" convert --to $format "$tmp/good"
	same 2 "convert --to $format with files that are no reports" convert --to $format "$tmp/mixed"
	is "memstor convert --to $format names only the first file that is not a report" "$(wc -l <"$tmp/err")" 1
done
same 0 'validate of valid reports' validate "$tmp/good"
is 'memstor validate names each valid report' "$(wc -l <"$tmp/out")" 7
same 2 'validate with findings and files that are no reports' validate "$tmp/mixed"
is 'memstor validate continues after a file that is not a report' "$(wc -l <"$tmp/out") $(wc -l <"$tmp/err")" '5 2'

memstor convert --to json "$tmp/good" >"$tmp/wanted"
check_exit 0 'memstor convert works with few descriptors' sh -c 'ulimit -n 8; exec memstor convert --to json "$1"' sh "$tmp/good"
check 'memstor convert with few descriptors writes the same' cmp "$tmp/out" "$tmp/wanted"
is 'memstor validate reads a report from a pipe once' "$(cat "$report" | memstor validate "$report" /dev/stdin)" "$report: valid
/dev/stdin: valid"
check_exit 3 'memstor convert to a full stdout ends with 3' sh -c 'memstor convert --to json "$1" >/dev/full' sh "$tmp/good"
check_exit 3 'memstor validate to a closed stdout ends with 3' sh -c 'exec memstor validate "$1" >&-' sh "$tmp/good"
tap_done
