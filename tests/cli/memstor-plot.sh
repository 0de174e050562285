#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor plot: every kind and format, the contents of the pictures, and their files.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/plot.sh"

# drawn COUNT DESCRIPTION ARGUMENT...: a picture with COUNT names in its legends
drawn() {
	wanted=$1
	what=$2
	shift 2
	rm -f drawn.svg
	check_exit 0 "memstor plot draws $what" memstor plot "$@" -o drawn.svg
	is "memstor plot draws $what and prints nothing" "$(cat out err)" ''
	check "memstor plot draws $what as an SVG" is_svg drawn.svg
	is "memstor plot draws $what with a legend entry for each line" "$(count_named drawn.svg)" "$wanted"
}

# --- every kind as an SVG, and some in every format: the terminal is one line of the script, whatever the kind
for kind in $(memstor plot --completion-rows | sed -n 's/^argument - - text once //p'); do
	case $kind in
	histogram | heatmap | bars | prediction) formats='svg png pdf' ;;
	*) formats=svg ;;
	esac
	for format in $formats; do
		check_exit 0 "memstor plot $kind to $format ends with 0" memstor plot "$kind" "$(sample "$kind")" -o "$kind.$format"
		check "memstor plot $kind to $format writes a picture of that format" is_picture "$kind.$format"
	done
done
is "memstor plot leaves no temporary files" "$(echo *.tmp)" '*.tmp'

# --- what is drawn
drawn 2 'a histogram' histogram "$original"
drawn 1 'a histogram of reads' histogram "$original" --type read
# With many curves the legend names reports alone, and a note says which dashes stand for which type.
drawn 3 'histograms of three reports' histogram "$fixtures/uniform.xml" "$original" "$fixtures/normal-j2-r80-cold.xml"
check 'memstor plot histogram of three reports says which dashes are reads and writes' \
	grep -qF '<text>Solid lines: read, dashed: write.</text>' drawn.svg
drawn 4 'a cdf of each report of a folder' cdf "$fixtures"
drawn 1 'one cdf of a folder with --group-by' cdf "$fixtures" --group-by tool --type read
check 'memstor plot cdf with --group-by says that a curve is the sum of its runs' \
	grep -qF "Each curve is the sum of its group's runs, 4 in all." drawn.svg
drawn 4 'a cdf of each class of --class' cdf "$small" --class hit,major
drawn 3 'a cdf of each of three --class' cdf "$small" --class hit --class minor --class major
drawn 2 'percentiles' percentile "$small"
drawn 3 'a series' series "$small"
drawn 5 'a series of two counters' series "$small" --counter vmstat.pgmajfault,vmstat.pswpin
drawn 2 'a series of one number' series "$small" --metric p99 --counter vmstat.pswpin
drawn 0 'a heat map' heatmap "$small"
is 'memstor plot heatmap of a report has one panel' "$(grep -c '<g id="memstor_plot_' drawn.svg)" 1
drawn 0 'two heat maps' heatmap "$small" "$small"
is 'memstor plot heatmap of two reports has two panels' "$(grep -c '<g id="memstor_plot_' drawn.svg)" 2
drawn 2 'bars of two reports' bars "$small" "$original" --metric throughput
drawn 0 'bars of two numbers' bars "$small" --metric throughput,p99
drawn 2 'bars by groups' bars "$original" "$original" -- "$small" --metric p50
drawn 2 'bars by name' bars "$original" "$small" "$original" --metric p50 --group-by version
drawn 1 'a histogram of the time after --from' histogram "$small" --from 1500ms
drawn 1 'a histogram with --mark, --share and --x-range' histogram "$small" --type read --mark p10,p99.99 --share --y linear --x-range 100ns:1ms

# --- a template of the user
# shellcheck disable=SC2016 # gnuplot's
printf 'set key\nplot $data index 0 using 1:2 with points title "mine"\n' >own.template
check_exit 0 'memstor plot --template accepts a template' \
	memstor plot histogram "$small" --type read --template own.template -o drawn.svg
check 'memstor plot --template draws by the template' grep -qF '<text>mine</text>' drawn.svg
check_exit 2 'memstor plot refuses a template that does not exist' memstor plot histogram "$small" -o t.svg --template none.gp
check 'memstor plot names a template that does not exist' grep -q '^memstor: --template none.gp: ' err
check_exit 2 'memstor plot refuses to write the picture over its template' \
	memstor plot histogram "$small" -o own.template --format svg --template own.template
is 'memstor plot says in one line that -o is the template' \
	"$(cat err)" 'memstor: -o own.template: is the template; give another name'
echo 'plot nonsense' >own.template
check_exit 3 'memstor plot ends with 3 when gnuplot refuses the template' \
	memstor plot histogram "$small" -o t.svg --template own.template

# --- groups of bars
mkdir old new
for at in old/1 old/2 new/3 new/4; do sed "s/<uuid>./<uuid>${at#*/}/" "$small" >$at.xml; done
named() { # named DESCRIPTION WANTED WORD...: the groups of bars, in order
	description=$1
	wanted=$2
	shift 2
	check_exit 0 "memstor plot bars accepts $description" memstor plot bars --metric throughput "$@" -o g.svg
	is "memstor plot bars names the groups of $description" \
		"$(sed -n 's|.*<g id="memstor_plot_[0-9]*"><title>\(.*\)</title>.*|\1|p' g.svg |
		paste -sd '|')" "$wanted"
}
(cd old && cp 1.xml 2.xml ../new/3.xml ../new/4.xml ..)
named "two groups of files that differ in nothing" '1.xml and 1 more|3.xml and 1 more' 1.xml 2.xml -- 3.xml 4.xml
named "two folders" 'old|new' old -- new
named "a file and a folder" 'old/1.xml|new' old/1.xml -- new
named "--group-by with -- as a group for each side" 'kind &lt;fake>, old|kind &lt;fake>, new' --group-by kind old -- new
named "--group-by with two tools as a group for each tool" "map of 8 GiB, pmbench|no mapsize, iowrite-bench" \
	--group-by mapsize old "$iowrite/run.xml" new
named "-- with two tools as a group for each tool" 'pmbench, old/1.xml and 2 more|iowrite-bench, old/1.xml and 2 more|pmbench, new' \
	old "$iowrite/run.xml" -- new --group-by tool

# --- many groups have their names below their bars
for i in 1 2 3 4 5 6 7 8 9; do cp "$original" "group-with-a-name-of-36-characters-$i"; done
check_exit 0 'memstor plot bars draws nine groups' memstor plot bars --metric p50 --legend file group-with-* -o g.svg
is 'memstor plot bars of nine groups has whole names below the bars' \
	"$(grep -c '<text>group-with-a-name-of-36-characters-[1-9]</text>' g.svg)" 9

# --- texts of the picture
is_written() { # is_written DESCRIPTION FILE TEXT
	check "$1" grep -qF "$3" "$2"
}
memstor plot histogram "$small" -o t.svg
is_written "memstor plot has a title made of tool and options" t.svg '<text>pmbench: map of 8 GiB</text>'
is_written "memstor plot writes the labels of an SVG as text" t.svg '<text>latency of an access</text>'
is_written "memstor plot marks an untrustworthy run" t.svg 'is not to be trusted: inexact.</text>'
is_written "the description of an SVG names the run by its uuid" t.svg 'uuid d6b4a292-cd2a-4cdb-834b-b8845fc0e5a9'
is_written "the description of an SVG has the options of the run" t.svg 'mapsize=8192MiB'
is_written "the description of an SVG has the labels of the run" t.svg 'label:kind=&lt;fake&gt;'
check "an SVG of plot has the role of an image" grep -q ' role="img">$' t.svg
is "an SVG of plot has one title" "$(grep -c '^<title>pmbench: map of 8 GiB</title>$' t.svg)" 1
check "an SVG of plot does not name gnuplot" sh -c '! grep -q "Gnuplot\|GNUPLOT\|gnuplot_plot" t.svg'
is_written "the curves of an SVG have their names as titles" t.svg '"><title>read: p50 80.9 ns, p99 161 ns</title>'
memstor plot histogram "$small" -o t.svg --title 'My title'
is_written "memstor plot --title replaces the title" t.svg '<text>My title</text>'
memstor plot cdf "$original" "$fixtures/uniform.xml" -o t.svg --legend setsize
is_written "memstor plot --legend names curves by an option" t.svg '<text>set of 512 MiB, read</text>'
sed 's/<verdict status="untrustworthy">/<verdict status="interrupted">/' "$small" >interrupted.xml
memstor plot cdf interrupted.xml -o t.svg
is_written "memstor plot marks an interrupted run" t.svg 'interrupted.xml is of an interrupted run: inexact.</text>'
awk '/<interval_hi>32</ { last = 1 } last && /<sum_count>/ { sub(/>0</, ">5<"); last = 0 } { print }' "$original" >ends.xml
memstor plot histogram ends.xml -o t.svg --type write
is_written "memstor plot says how many accesses are beyond the end of a histogram" t.svg \
	'<text>write: 5 accesses took 1.074 s or longer: where the histogram ends.</text>'
is_written "memstor plot says that one bucket has all accesses below 256 ns" \
	t.svg '<text>All accesses below 256 ns are in one bucket.</text>'
memstor plot cdf "$small" ends.xml -o t2.svg --type write
is_written "memstor plot says that one bucket of some curves has all accesses below 256 ns" \
	t2.svg '<text>Of some curves all accesses below 256 ns are in one bucket.</text>'
is "memstor plot prints warnings before other notes" "$(grep -o 'write: 5 acc\|All acc' t.svg | head -n 1)" 'write: 5 acc'
memstor plot histogram "$small" -o t.svg --class minor --type write
is_written "memstor plot names a class other than all" t.svg '<text>write minor</text>'
memstor plot series "$small" -o t.svg --counter meminfo.MemFree --threshold 1M:floor --threshold 100ns
is_written "memstor plot --threshold draws its label" t.svg '<text>floor</text>'
is_written "memstor plot --threshold draws its value when it has no label" t.svg '<text>100 ns</text>'

# --- sizes
memstor plot cdf "$small" -o t.png
is "memstor plot writes a PNG of 1920x1200 by default" "$(png_size t.png)" 1920x1200
memstor plot cdf "$small" -o t.png --size 700x400
is "memstor plot --size sets the size of a PNG" "$(png_size t.png)" 700x400
memstor plot cdf "$small" -o t.svg --size 700x400
check "memstor plot --size sets the size of an SVG" grep -q ' width="700" height="400"' t.svg

# --- the file of the picture
check_exit 0 "memstor plot -o - ends with 0" memstor plot cdf "$small" -o - --format svg
cp out stdout.svg
check "memstor plot -o - prints the SVG and nothing else" is_svg stdout.svg
check_exit 0 "memstor plot --format accepts an unknown suffix" memstor plot cdf "$small" -o t.picture --format png
cp t.picture t.png
check "memstor plot --format decides the format whatever the suffix" is_picture t.png
check_exit 0 "memstor plot accepts a suffix in capitals" memstor plot cdf "$small" -o T.PDF
is "memstor plot writes a PDF for the suffix PDF" "$(magic T.PDF 5)" 255044462d
echo precious >kept.svg
check_exit 0 "memstor plot replaces a file that is there" memstor plot cdf "$small" -o kept.svg
check "memstor plot writes the picture in the place of the file" is_svg kept.svg
echo precious >kept.svg
check_exit 2 "memstor plot refuses a report without a series over an existing file" memstor plot series "$original" -o kept.svg
is "memstor plot leaves an existing file as it was when it refuses" "$(cat kept.svg)" precious
if [ -w /dev/full ]; then
	check_exit 3 "memstor plot to a full device ends with 3" memstor plot cdf "$small" -o /dev/full --format svg
	is "memstor plot says in one line that the device is full" \
		"$(cat err)" 'memstor: -o /dev/full: could not be written: No space left on device'
else
	skip "memstor plot to a full device ends with 3" 'needs /dev/full'
fi

# --- the script
check_exit 0 "memstor plot --keep-script ends with 0" memstor plot histogram "$small" -o k.png --keep-script
check "memstor plot --keep-script writes the script beside the picture" test -f k.gp
gnuplot -d k.gp >again.png
check "the script of plot draws the same PNG" cmp k.png again.png
memstor plot heatmap "$small" -o k.svg --keep-script=own.gp
gnuplot -d own.gp >again.svg
body() { sed '1,/<g id="gnuplot_canvas">/d; s/<g id="[a-z]*_plot_1" *>\(<title>[^<]*<.title>\)*/<g>/' "$1" | cksum; }
is "the script of plot --keep-script=FILE draws the same SVG but for the description" "$(body k.svg)" "$(body again.svg)"
check_exit 0 "memstor plot --keep-script accepts a picture without suffix" \
	memstor plot cdf "$small" -o plain --format svg --keep-script
check "memstor plot --keep-script of a picture without suffix adds .gp" test -f plain.gp
tap_done
