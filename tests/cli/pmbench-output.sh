#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Outputs of pmbench: stdout and files, also closed and full ones, and intervals; a failed write is one line and status 3.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
cd "$tmp" || exit 1
short='-m 1 -c --accesses 100'
# shellcheck disable=SC2086 # several words
run() { pmbench $short "$@"; }

# --- one reader for stdout
check_run "pmbench -f - runs" run -f -
cp out r.xml
lawful "-f -: stdout is the report alone" r.xml
is '-f - prints nothing on stderr' "$(cat err)" ''
check_run "pmbench --json runs" run --json
is '--json prints JSON that begins with a brace' "$(head -c 1 out)" '{'
is '--json prints JSON that ends with a brace' "$(tail -n 1 out)" '}'
if command -v jq >/dev/null; then
	is '--json prints the number of accesses' "$(jq .pmbenchmark.report.result.totals.accesses out)" 100
else
	skip '--json prints the number of accesses' 'needs jq'
fi
check_run "pmbench -f FILE --json=- runs" run -f r.xml --json=-
is "-f FILE --json=- writes the same run to both" "$(sed -n 's/.*"uuid": "\(.*\)".*/\1/p' out)" "$(values r.xml uuid)"
check_run "pmbench -f FILE runs" run -f r.xml
check "-f FILE prints the text on stdout" grep -q '^Total samples: ' out
lawful "-f FILE" r.xml
check_run "pmbench -f /dev/stdout runs" run -f /dev/stdout
check "-f /dev/stdout prints the text, too" grep -q '^Total samples: ' out
check_run "pmbench -q runs" run -q
is "-q prints a text that begins with the signature" "$(head -n 2 out | tail -n 1)" '------------- Benchmark signature -------------'
is '-q prints no progress on stdout' "$(grep -c 'Starting main\|Benchmark done\|num_pages' out)" 0
is '-q prints nothing on stderr' "$(cat err)" ''

# --- most latencies are in the first bucket: what is below 256 ns is nothing else in any output
check_run "pmbench -f FILE of many accesses runs" pmbench -m 1 -r 100 --accesses 1000000 -f many.xml
check 'the text bounds the median of hits' grep -q ' <256 ns ' out
is 'the report has the mean and no median of all accesses' \
	"$(sed -n '/<latency_histogram.*"all"/,/<\/summary>/p' many.xml | grep -o '<mean_ns>\|<p50_ns>')" '<mean_ns>'
lawful "a report without medians" many.xml
for format in json csv; do
	check_exit 0 "memstor convert --to $format accepts a report without medians" memstor convert --to "$format" many.xml
	cp out "many.$format"
done
is 'the JSON has the mean and no median of all accesses' \
	"$(sed -n '/"class": "all"/,/"max_ns"/p' many.json | grep -o 'mean_ns\|p50_ns')" mean_ns
is 'the CSV has an empty median' "$(grep ',read,all,' many.csv | cut -d , -f 15)" ''

# --- an existing file is replaced, not overwritten
echo '<?xml' >kept.xml
check_run "pmbench -f replaces a report" run -f kept.xml
lawful "a report in the place of another" kept.xml
is "a report in the place of another leaves no temporary file" "$(echo *.tmp)" '*.tmp'
(umask 027 && run -f mode.xml >out)
is "a new report has the mode of the umask" "$(stat -c %a mode.xml)" 640

# --- outputs that cannot be written
fails() { # fails WHAT LINE COMMAND...
	what=$1
	line=$2
	shift 2
	check_exit 3 "pmbench ends with 3 for $what" "$@"
	is "pmbench says in one line that it cannot write for $what" "$(cat err)" "pmbench: $line"
}
unwritten='cannot write to standard output'
full='No space left on device'
if [ -w /dev/full ]; then
	fails "a full stdout" "$unwritten" sh -c "pmbench $short >/dev/full"
	fails "a full stdout with -q" "$unwritten" sh -c "pmbench -q $short >/dev/full"
	fails "a full stdout for the report" "-f (standard output): the report could not be written: $full" \
		sh -c "pmbench $short -f - >/dev/full"
	fails "a report to a full device" "-f /dev/full: the report could not be written: $full" run -f /dev/full
	fails "a JSON report to a full device" "--json /dev/full: the report could not be written: $full" run --json=/dev/full
	fails "one of two reports to a full device" "-f /dev/full: the report could not be written: $full" \
		run -f /dev/full --json=other.json
	is 'a report to a full device leaves the other one whole' "$(tail -n 1 other.json)" '}'
	fails "a full stdout for a plan" "$unwritten" sh -c "pmbench --dry-run $short >/dev/full"
else
	skip 'pmbench ends with 3 for a full stdout' 'needs /dev/full'
fi
fails "a closed stdout" "$unwritten" sh -c "pmbench $short >&-"
fails "a closed stdout with a report to a file" "$unwritten" sh -c "pmbench $short -f closed.xml >&-"
lawful "a report with a closed stdout" closed.xml
check_exit 3 'pmbench ends with 3 when all three standard streams are closed' sh -c "pmbench $short -f none.xml <&- >&- 2>&-"
lawful "a report with all three standard streams closed" none.xml
check_run "pmbench runs with a closed stderr" sh -c "pmbench $short -f two.xml --interval 100ms 250ms 2>&-"
lawful "a report with a closed stderr" two.xml

mkdir sub
fails "a report to a folder" "-f sub: cannot be written: Is a directory" run -f sub
fails "a report in a folder that does not exist" "--json none/r.json: cannot be written: No such file or directory" run --json=none/r.json
chmod 555 sub
fails "a report in a folder without write permission" "-f sub/r.xml: cannot be written: Permission denied" \
	$without_override pmbench $short -f sub/r.xml
# The folder exists when pmbench checks it.
mkdir gone
status=0
(run --accesses 1000000000000 -f gone/r.xml 3 >out 2>err) &
until grep -q 'Starting main' out || ! kill -0 $!; do sleep 0.05; done
rmdir gone
wait $! || status=$?
is "pmbench ends with 3 and one line when the folder of its report is removed during the run" "$status: $(cat err)" \
	'3: pmbench: -f gone/r.xml: the report could not be written: No such file or directory'

# --- pipes, limits and other causes
mkfifo pipe
true <pipe &
status=0
run -f r.xml >pipe 2>err || status=$?
is 'pmbench ends with 3 and one line when the reader of stdout closes the pipe' \
	"$status: $(cat err)" '3: pmbench: cannot write to standard output'
lawful "a report after the reader of stdout closed the pipe" r.xml
status=0
(
	ulimit -f 1
	run -f limited.xml 2>err
) | cat >out
is 'pmbench reports a file size limit in one line' \
	"$(cat err)" 'pmbench: -f limited.xml: the report could not be written: File too large'
is 'a file size limit leaves no partial report' "$(echo limited*)" 'limited*'
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 777 journals
	# shellcheck disable=SC2086 # several words
	check_run "pmbench runs although it cannot read journals" \
		env WITH_PRESSURE_DIR="$PWD/journals" pmbench $short
	is 'unreadable journals are reported in one line' "$(wc -l <err)" 1
fi

# --- intervals
check_run "pmbench --interval runs" pmbench -q -m 4 -j 2 --interval 100ms -f r.xml 550ms
lawful "--interval" r.xml
rows=$(grep -c '<interval ' r.xml)
# Rows may be late, and then there are fewer; the end may be late, too.
tenths=$(values r.xml time_s | awk '{ last = $1 } END { print int(last * 10 + 1) }')
check "--interval writes a row for each interval and for the rest" test "$rows" -ge 1 -a "$rows" -le "$tenths"
# A short rest is part of the last row.
lines=$(wc -l <err)
check "--interval prints a line for each full interval" test "$lines" -eq $((rows - 1)) -o "$lines" -eq "$rows"
whole='[0-9]+'
real='[0-9.]+'
least="(-|<0\.256|$real)" # in an interval there may be no access
line="$real s: $whole accesses/s, mean $real us, p50 $least us, p99 $least us, $whole minor/s, $whole major/s"
is '--interval prints lines of one form' "$(grep -vcE "^pmbench: $line\$" err)" 0
check_run "pmbench without --interval runs" pmbench -q -m 4 -f r.xml 250ms
is 'without --interval nothing is printed on stderr' "$(cat err)" ''
seconds=$(values r.xml time_s | awk '{ last = $1 } END { print int(last + 1) }')
check 'without --interval the series has one row per second' \
	test "$(grep -c '<interval ' r.xml)" -ge 1 -a "$(grep -c '<interval ' r.xml)" -le "$seconds"
tap_done
