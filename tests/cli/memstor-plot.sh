#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor plot: every kind in every format, what is in the pictures, and where they go.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/plot.sh"

# drawn COUNT DESCRIPTION ARGUMENT...: a picture with so many names in its legends
drawn() {
	wanted=$1
	what=$2
	shift 2
	rm -f drawn.svg
	check_exit 0 "$what" memstor plot "$@" -o drawn.svg
	is "$what: silent" "$(cat out err)" ''
	check "$what: an SVG" is_svg drawn.svg
	is "$what: what the legends name" "$(count_named drawn.svg)" "$wanted"
}

# --- every kind as an SVG, and some in every format: the terminal is one line of the script, whatever the kind
for kind in $(memstor plot --completion-rows | sed -n 's/^argument - - text once //p'); do
	case $kind in
	histogram | heatmap | bars | prediction) formats='svg png pdf' ;;
	*) formats=svg ;;
	esac
	for format in $formats; do
		check_exit 0 "$kind to $format" memstor plot "$kind" "$(sample "$kind")" -o "$kind.$format"
		check "$kind to $format: it is one" is_picture "$kind.$format"
	done
done
is "nothing else is left" "$(echo *.tmp)" '*.tmp'

# --- what is drawn
drawn 2 'a histogram' histogram "$original"
drawn 1 'its reads' histogram "$original" --type read
# Of many curves reports have names, and a note says which dashes are which type.
drawn 3 'three reports' histogram "$fixtures/uniform.xml" "$original" "$fixtures/normal-j2-r80-cold.xml"
check 'three reports: the dashes of types' grep -qF '<text>Solid lines: read, dashed: write.</text>' drawn.svg
drawn 4 'a folder' cdf "$fixtures"
drawn 1 'a folder pooled' cdf "$fixtures" --group-by tool --type read
check 'a folder pooled: says so' grep -qF "Each curve is the sum of its group's runs, 4 in all." drawn.svg
drawn 4 'classes' cdf "$small" --class hit,major
drawn 3 'classes one by one' cdf "$small" --class hit --class minor --class major
drawn 2 'percentiles' percentile "$small"
drawn 3 'a series' series "$small"
drawn 5 'a series of two counters' series "$small" --counter vmstat.pgmajfault,vmstat.pswpin
drawn 2 'a series of one number' series "$small" --metric p99 --counter vmstat.pswpin
drawn 0 'a heat map' heatmap "$small"
is 'a heat map: a panel' "$(grep -c '<g id="memstor_plot_' drawn.svg)" 1
drawn 0 'two heat maps' heatmap "$small" "$small"
is 'two heat maps: panels' "$(grep -c '<g id="memstor_plot_' drawn.svg)" 2
drawn 2 'bars' bars "$small" "$original" --metric throughput
drawn 0 'bars of two numbers' bars "$small" --metric throughput,p99
drawn 2 'bars by groups' bars "$original" "$original" -- "$small" --metric p50
drawn 2 'bars by name' bars "$original" "$small" "$original" --metric p50 --group-by version
drawn 1 'a window' histogram "$small" --from 1500ms
drawn 1 'marks' histogram "$small" --type read --mark p10,p99.99 --share --y linear --x-range 100ns:1ms

# --- a template of one's own
# shellcheck disable=SC2016 # gnuplot's
printf 'set key\nplot $data index 0 using 1:2 with points title "mine"\n' >own.template
check_exit 0 'a template' memstor plot histogram "$small" --type read --template own.template -o drawn.svg
check 'a template: it is the one' grep -qF '<text>mine</text>' drawn.svg
check_exit 2 'a template that is not there' memstor plot histogram "$small" -o t.svg --template none.gp
check 'a template that is not there: one line names it' grep -q '^memstor: --template none.gp: ' err
check_exit 2 'a picture over its template' memstor plot histogram "$small" -o own.template --format svg --template own.template
is 'a picture over its template: its line' "$(cat err)" 'memstor: -o own.template: is the template; give another name'
echo 'plot nonsense' >own.template
check_exit 3 'a template that gnuplot refuses' memstor plot histogram "$small" -o t.svg --template own.template

# --- groups of bars
mkdir old new
for at in old/1 old/2 new/3 new/4; do sed "s/<uuid>./<uuid>${at#*/}/" "$small" >$at.xml; done
named() { # named DESCRIPTION WANTED WORD...: the groups of bars, in order
	description=$1
	wanted=$2
	shift 2
	check_exit 0 "$description" memstor plot bars --metric throughput "$@" -o g.svg
	is "$description: their names" "$(sed -n 's|.*<g id="memstor_plot_[0-9]*"><title>\(.*\)</title>.*|\1|p' g.svg |
		paste -sd '|')" "$wanted"
}
(cd old && cp 1.xml 2.xml ../new/3.xml ../new/4.xml ..)
named "two groups of files that differ in nothing" '1.xml and 1 more|3.xml and 1 more' 1.xml 2.xml -- 3.xml 4.xml
named "two folders" 'old|new' old -- new
named "a file and a folder" 'old/1.xml|new' old/1.xml -- new
named "--group-by keeps the sides of -- apart" 'kind &lt;fake>, old|kind &lt;fake>, new' --group-by kind old -- new
named "--group-by keeps tools apart" "map of 8 GiB, pmbench|no mapsize, iowrite-bench" \
	--group-by mapsize old "$iowrite/run.xml" new
named "-- keeps tools apart" 'pmbench, old/1.xml and 2 more|iowrite-bench, old/1.xml and 2 more|pmbench, new' \
	old "$iowrite/run.xml" -- new --group-by tool

# --- many groups have their names below their bars
for i in 1 2 3 4 5 6 7 8 9; do cp "$original" "group-with-a-name-of-36-characters-$i"; done
check_exit 0 'nine groups' memstor plot bars --metric p50 --legend file group-with-* -o g.svg
is 'nine groups: whole names below the bars' "$(grep -c '<text>group-with-a-name-of-36-characters-[1-9]</text>' g.svg)" 9

# --- what stands in it
is_written() { # is_written DESCRIPTION FILE TEXT
	check "$1" grep -qF "$3" "$2"
}
memstor plot histogram "$small" -o t.svg
is_written "the title is made of the options" t.svg '<text>pmbench: map of 8 GiB</text>'
is_written "real text" t.svg '<text>latency of an access</text>'
is_written "a run that is not to be trusted is marked" t.svg 'is not to be trusted: inexact.</text>'
is_written "the description names the run" t.svg 'uuid d6b4a292-cd2a-4cdb-834b-b8845fc0e5a9'
is_written "and its options" t.svg 'mapsize=8192MiB'
is_written "and its labels" t.svg 'label:kind=&lt;fake&gt;'
check "it is an image with a name" grep -q ' role="img">$' t.svg
is "with one title of its own" "$(grep -c '^<title>pmbench: map of 8 GiB</title>$' t.svg)" 1
check "gnuplot's own words are gone" sh -c '! grep -q "Gnuplot\|GNUPLOT\|gnuplot_plot" t.svg'
is_written "curves have their names" t.svg '"><title>read: p50 80.9 ns, p99 161 ns</title>'
memstor plot histogram "$small" -o t.svg --title 'My title'
is_written "--title" t.svg '<text>My title</text>'
memstor plot cdf "$original" "$fixtures/uniform.xml" -o t.svg --legend setsize
is_written "--legend" t.svg '<text>set of 512 MiB, read</text>'
sed 's/<verdict status="untrustworthy">/<verdict status="interrupted">/' "$small" >interrupted.xml
memstor plot cdf interrupted.xml -o t.svg
is_written "an interrupted run is marked" t.svg 'interrupted.xml is of an interrupted run: inexact.</text>'
awk '/<interval_hi>32</ { last = 1 } last && /<sum_count>/ { sub(/>0</, ">5<"); last = 0 } { print }' "$original" >ends.xml
memstor plot histogram ends.xml -o t.svg --type write
is_written "accesses beyond the end of a histogram are marked" t.svg \
	'<text>write: 5 accesses took 1.074 s or longer: where the histogram ends.</text>'
is_written "and the bucket that holds all below 256 ns" t.svg '<text>All accesses below 256 ns are in one bucket.</text>'
memstor plot cdf "$small" ends.xml -o t2.svg --type write
is_written "or of some curves only" t2.svg '<text>Of some curves all accesses below 256 ns are in one bucket.</text>'
is "warnings come first" "$(grep -o 'write: 5 acc\|All acc' t.svg | head -n 1)" 'write: 5 acc'
memstor plot histogram "$small" -o t.svg --class minor --type write
is_written "a class that is not all is named" t.svg '<text>write minor</text>'
memstor plot series "$small" -o t.svg --counter meminfo.MemFree --threshold 1M:floor --threshold 100ns
is_written "a threshold's label" t.svg '<text>floor</text>'
is_written "a threshold's value" t.svg '<text>100 ns</text>'

# --- sizes
memstor plot cdf "$small" -o t.png
is "a PNG is 1920x1200" "$(png_size t.png)" 1920x1200
memstor plot cdf "$small" -o t.png --size 700x400
is "--size of a PNG" "$(png_size t.png)" 700x400
memstor plot cdf "$small" -o t.svg --size 700x400
check "--size of an SVG" grep -q ' width="700" height="400"' t.svg

# --- where it goes
check_exit 0 "to stdout" memstor plot cdf "$small" -o - --format svg
cp out stdout.svg
check "to stdout: an SVG and nothing else" is_svg stdout.svg
check_exit 0 "--format before the suffix" memstor plot cdf "$small" -o t.picture --format png
cp t.picture t.png
check "--format before the suffix: a PNG" is_picture t.png
check_exit 0 "a suffix in capitals" memstor plot cdf "$small" -o T.PDF
is "a suffix in capitals: a PDF" "$(magic T.PDF 5)" 255044462d
echo precious >kept.svg
ln -s kept.svg link.svg
check_exit 0 "a link" memstor plot cdf "$small" -o link.svg
check "a link stays one" test -h link.svg
check "and what it names is the picture" is_svg kept.svg
echo precious >kept.svg
check_exit 2 "what fails" memstor plot series "$original" -o kept.svg
is "what fails leaves the file as it was" "$(cat kept.svg)" precious
if [ -w /dev/full ]; then
	check_exit 3 "a full disk" memstor plot cdf "$small" -o /dev/full --format svg
	is "a full disk: one line" "$(cat err)" 'memstor: -o /dev/full: could not be written: No space left on device'
else
	skip "a full disk" 'needs /dev/full'
fi

# --- the script
check_exit 0 "--keep-script" memstor plot histogram "$small" -o k.png --keep-script
check "--keep-script: beside the picture" test -f k.gp
gnuplot -d k.gp >again.png
check "it draws the same picture" cmp k.png again.png
memstor plot heatmap "$small" -o k.svg --keep-script=own.gp
gnuplot -d own.gp >again.svg
body() { sed '1,/<g id="gnuplot_canvas">/d; s/<g id="[a-z]*_plot_1" *>\(<title>[^<]*<.title>\)*/<g>/' "$1" | cksum; }
is "under a name of one's own: but for the description the same SVG" "$(body k.svg)" "$(body again.svg)"
check_exit 0 "a script without suffix" memstor plot cdf "$small" -o plain --format svg --keep-script
check "a script without suffix: plain.gp" test -f plain.gp
tap_done
