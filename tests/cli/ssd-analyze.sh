#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads analyze: each usage error, and files that are not records
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 99
refused() { # refused DESCRIPTION STATUS MESSAGE WORD...
	title=$1
	wanted="$2 ssd-workloads: $3"
	shift 3
	ssd-workloads analyze "$@" >out 2>err
	is "$title" "$? $(cat err)" "$wanted"
}
echo 'not records, whatever their name is' >text
: >empty
names='records, fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11, interference, bandwidth, attribution, gantt, counters or window'
refused "analyze without a figure is refused" 2 "FIGURE: name one: $names"
refused "analyze refuses a figure that does not exist" 2 "FIGURE 'fig1': must be $names" fig1 text
refused "analyze without a file is refused" 2 "FILE: name the file that 'run --dump=FILE' has written" fig9
refused "analyze refuses a second file" 2 "FILE 'b': one file is analyzed at a time" fig9 a b
refused "analyze refuses a file that does not exist" 2 "cannot read none: No such file or directory" fig9 none
refused "analyze refuses a folder" 2 "cannot read .: Is a directory" fig9 .
refused "analyze refuses a device" 2 "cannot read /dev/null: is a device or socket (a file or an open pipe is read)" fig9 /dev/null
refused "analyze refuses a file of text" 2 "text is no dump of 'ssd-workloads run --dump', or one of another version" fig9 text
refused "analyze refuses an empty file" 2 "empty is no dump of 'ssd-workloads run --dump', or one of another version" fig9 empty
refused "analyze fig9 refuses --alone" 2 "--alone text: is for fig4, fig6, interference and bandwidth" fig9 text --alone=text
refused "analyze fig6 refuses a third --alone" \
	2 "--alone c: two are allowed, one for each stream" fig6 text --alone=a --alone=b --alone=c
refused "analyze refuses --alone with an empty name" 2 "--alone '': must be a file name" fig6 text --alone=
refused "analyze fig9 refuses --command" 2 "--command 5: is for fig7, fig8 and gantt" fig9 text --command=5
refused "analyze fig5 refuses --assert" 2 "--assert: is for attribution" fig5 text --assert
refused "analyze fig9 refuses --rows" 2 "--rows 5: is for fig4 and fig11" fig9 text --rows=5
for rows in -1 x 1000000001 '' 1.5; do
	check_exit 2 "analyze refuses --rows='$rows'" ssd-workloads analyze fig4 text --rows="$rows"
	check "analyze names the option and its limit when it refuses --rows='$rows'" \
		grep -q '^ssd-workloads: --rows .*1000000000$' "$tmp/err"
done
refused "analyze -f in a folder that does not exist is refused" \
	3 "-f no/report.xml: cannot be written: No such file or directory" fig9 text -f no/report.xml
refused "analyze refuses -f and --json with one name" \
	2 "-f and --json: both would write r; give them two names" fig9 text -f r --json=r
refused "analyze refuses -f and --json with two names of one file" \
	2 "-f and --json: both would write r; give them two names" fig9 text -f r --json=./r
refused "analyze -f refuses the name of the records" \
	2 "-f ./text: the records are read from there; give it another name" fig9 text -f ./text
refused "analyze --json refuses the name of the records of --alone" \
	2 "--json empty: the records are read from there; give it another name" fig6 text --alone=./empty --json=empty
refused "analyze refuses a second -f" 2 "-f b: is given twice: once is allowed" fig9 text -f a -f b

# Records as a fuzzer's seed has them: two of each of three workers.
records=$top_srcdir/tests/fuzz/corpus-ssd_dump/small
is 'analyze fig11 prints a table of all places' \
	"$(ssd-workloads analyze fig11 "$records" | cut -f 1,2,4,5,6)" "stream	worker	offset	bytes	pass
log	0	1212416	16384	0
log	1	1736704	16384	0
log	0	1228800	16384	0
log	1	1753088	16384	0
checkpoint	0	4456448	131072	0
checkpoint	0	4587520	131072	0"
is 'analyze --rows prints some of the rows and says so' \
	"$(ssd-workloads analyze fig11 "$records" --rows=3 2>err | wc -l | tr -d ' ') $(cat err)" \
	"4 ssd-workloads: one of 2 writes is shown: --rows=0 shows all"
for figure in fig5 fig7 fig8 fig10 attribution gantt counters window; do
	refused "analyze $figure refuses records of a host" \
		3 "$figure $records: needs the simulated device: records of a host do not show the inside of a device" \
		$figure "$records"
done
refused "analyze fig6 without --alone is refused" \
	2 "fig6: $records needs records of a stream alone as well: --alone=FILE, of 'run --mix=1-0 \
--dump=FILE' or such" fig6 "$records"
refused "analyze fig6 --alone refuses records of a mix" \
	2 "--alone $records: must be of a run of one stream, as mix 1-0 or 0-N; this one has both" \
	fig6 "$records" --alone="$records"
if command -v xmllint >/dev/null; then
	for figure in fig4 fig9 fig11 interference; do
		ssd-workloads analyze $figure "$records" -f $figure.xml >$figure.tsv
		check "the report of analyze $figure is valid by the schema" \
			xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" $figure.xml
		is "the report of analyze $figure has the rows of the table" \
			"$(grep -c '<row>' $figure.xml)" "$(($(wc -l <$figure.tsv) - 1))"
	done
fi
ssd-workloads analyze fig9 "$records" -f - >out
is "analyze -f - prints the report instead of the table" "$(head -c 5 out)" "<?xml"
# --- a file of any size
command -v truncate >/dev/null && {
	truncate -s 3G "$tmp/sparse.rec"
	# The sanitizers' shadow memory needs more than any limit.
	check_exit 2 'analyze: a sparse file of 3 GiB is refused by its first bytes' \
		sh -c '[ -n "$sanitizer" ] || ulimit -v 1000000; exec ssd-workloads analyze fig9 "$1"' sh "$tmp/sparse.rec"
	check 'analyze: the error for a sparse file says that it is no dump' grep -q 'or one of another version$' "$tmp/err"
}
tap_done
