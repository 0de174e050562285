#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What memstor plot refuses; each refusal is one line.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/plot.sh"

refuses() { # LINE ARGUMENT...
	line=$1
	shift
	rm -f r.svg
	check_exit 2 "memstor plot refuses: $*" memstor plot "$@"
	is "memstor plot prints the expected refusal: $*" "$(cat err)" "memstor: $line"
	check "memstor plot writes nothing when it refuses: $*" test ! -e r.svg
}
# The refusal names the option and its value, and says what is allowed.
names() { # OBJECT ARGUMENT...
	object=$1
	shift
	rm -f r.svg
	check_exit 2 "memstor plot refuses: $*" memstor plot "$@"
	check "memstor plot names $object in its refusal" grep -q -F -e "memstor: $object: " err
	is "memstor plot refuses in one line: $*" "$(wc -l <err)" 1
	check "memstor plot writes nothing when it refuses: $*" test ! -e r.svg
}
kinds='histogram, cdf, percentile, series, heatmap, bars, prediction, kernel-trace, errors, cost, interference, lba, tail, ratios, slowest, segments, collections, gantt, copies, attribution, counters, window, bandwidth, access-pattern, access-count, hot-set, miss-ratio, popularity, reuse-distance, stride, accessed-volume or buffer'
refuses "no KIND given: it must be $kinds"
refuses "KIND 'pie': must be $kinds" pie "$small" -o r.svg
refuses 'no reports given: memstor plot cdf FILE... -o picture.svg' cdf -o r.svg
refuses 'no -o FILE given: it names the picture, as -o picture.svg' cdf "$small"
refuses '-o r.gif: the suffix must be .svg, .png or .pdf, or give --format' cdf "$small" -o r.gif
refuses '-o r: the suffix must be .svg, .png or .pdf, or give --format' cdf "$small" -o r
names '--format gif' cdf "$small" -o r.svg --format gif
names '--size 0x0' cdf "$small" -o r.svg --size 0x0
names '--y cubic' cdf "$small" -o r.svg --y cubic
names '--mark p50,p101' cdf "$small" -o r.svg --mark p50,p101
names '--mark 50' cdf "$small" -o r.svg --mark 50
names '--class hit,,major' cdf "$small" -o r.svg --class hit,,major
names "--class ''" cdf "$small" -o r.svg --class ''
names '--model naive,linear' prediction "$small" -o r.svg --model naive,linear
names "--mark $(seq -s , -f p%g 1 17)" cdf "$small" -o r.svg --mark "$(seq -s , -f p%g 1 17)"
names '--x-range 1ms' cdf "$small" -o r.svg --x-range 1ms
names '--from soon' cdf "$small" -o r.svg --from soon
refuses '--to 2: must be after --from' cdf "$small" -o r.svg --from 2 --to 2
names "--threshold '1 ms'" series "$small" -o r.svg --threshold '1 ms'
# shellcheck disable=SC2046 # words
names '--threshold 17' series "$small" -o r.svg $(seq -f '--threshold %g' 1 17)
check_exit 2 "memstor plot bars refuses an unknown metric" memstor plot bars "$small" -o r.svg --metric q99
check "memstor plot bars says which metrics are allowed" grep -q "^memstor: --metric 'q99': must be throughput, " err
is "memstor plot bars refuses an unknown metric in one line" "$(wc -l <err)" 1
refuses "--metric 'major.p99': no report has such a number" bars "$original" -o r.svg --metric major.p99

# --- options of other kinds
refuses '--counter vmstat.pswpin: histogram does not have it; it is for series' histogram "$small" -o r.svg --counter vmstat.pswpin
refuses '--mark p50: series does not have it; it is for histogram or cdf' series "$small" -o r.svg --mark p50
refuses '--share: bars does not have it; it is for histogram or heatmap' bars "$small" -o r.svg --share
refuses '--group-by host: series does not have it; it is for histogram, cdf, percentile or bars' series "$small" -o r.svg --group-by host
refuses '--: series has no groups of reports; they are for histogram, cdf, percentile, bars or buffer' series "$small" -- "$small" -o r.svg
refuses "--type with --from or --to: intervals have one histogram of all accesses; leave one of them out" \
	cdf "$small" -o r.svg --type read --from 0

# --- data that the reports do not have
refuses "$small: has no histogram of type fsync, class all; it has: read all, read hit, read minor, read major, write all, \
write hit, write minor, write major" cdf "$small" -o r.svg --type fsync
refuses "$original: has no histogram of type (any), class hit; it has: read all, write all" \
	cdf "$original" -o r.svg --class hit
refuses "$original: the report has no series" series "$original" -o r.svg
refuses "$original: the report has no series" histogram "$original" -o r.svg --to 10
refuses "$small: no interval lies between --from and --to; the run ended after 3 s, in intervals of 1 s" \
	heatmap "$small" -o r.svg --from 100
refuses "$small: no interval has 'p101': must be throughput, mean, p50, p99 (any pN), or an element of the series as \
major_faults" series "$small" -o r.svg --metric p101
refuses "$small: has no counter 'vmstat.nonsense': the names are in its sys_mem_info, as vmstat.pswpin or meminfo.Dirty, \
or of ssd-workloads in its series, as disk.flush_ios" \
	series "$small" -o r.svg --counter vmstat.nonsense
refuses "--counter 'meminfo.MemFree': is drawn as memory, the one before it as events per second; one axis has one unit, draw two \
pictures" series "$small" -o r.svg --counter vmstat.pswpin --counter meminfo.MemFree
refuses '--threshold: a size needs a --counter of memory, as meminfo.Dirty' series "$small" -o r.svg --threshold 1G
refuses "--group-by 'weather': no report has such a label, option or fact" bars "$small" -o r.svg --group-by weather

# --- too much for one picture
refuses 'heatmap draws at most 4 reports, these are 5' heatmap "$small" "$small" "$small" "$small" "$small" -o r.svg
set -- "$small" "$small" "$small" "$small" "$small" "$small" "$small" "$small" "$small"
refuses '9 reports of 1 class and 2 types: a picture distinguishes at most 8 and 4; draw fewer, or pool runs by --group-by' cdf "$@" -o r.svg
refuses 'the picture would have no room for its data: draw fewer, or give a larger --size than 200x200' \
	series "$small" -o r.svg --size 200x200

# --- files that are not reports, and outputs that cannot be written
echo '<html/>' >page.xml
refuses "$(memstor plot bars page.xml -o r.svg 2>&1 | sed 's/^memstor: //')" cdf page.xml -o r.svg
check "memstor plot names a file that is not a report" grep -q '^memstor: page.xml' err
refuses "$(memstor plot bars none.xml -o r.svg 2>&1 | sed 's/^memstor: //')" cdf none.xml -o r.svg
check "memstor plot names a file that does not exist" grep -q '^memstor: none.xml: ' err
cat "$small" >own.svg # a copy may be written to, whatever the source tree is
refuses '-o own.svg: cannot be written: exists with content of another kind; name another file' cdf own.svg -o own.svg
check "memstor plot leaves a report as it was when -o names it" cmp own.svg "$small"
refuses '-o and --keep-script: both would write r.svg; give them two names' cdf "$small" -o r.svg --keep-script=r.svg
refuses '-o and --keep-script: both name r.gp; give them two files' cdf "$small" -o r.gp --format svg --keep-script
refuses '--keep-script own.svg: cannot be written: exists with content of another kind; name another file' cdf own.svg -o r.svg --keep-script=own.svg
refuses '--keep-script: with -o - name the file, as --keep-script=picture.gp' cdf "$small" -o - --format svg --keep-script
check_exit 3 "memstor plot ends with 3 when the folder of -o does not exist" memstor plot cdf "$small" -o none/r.svg
is "memstor plot says in one line that the folder of -o does not exist" "$(cat err)" 'memstor: -o none/r.svg: cannot be written: No such file or directory'
check_exit 3 "memstor plot ends with 3 when the folder of --keep-script does not exist" memstor plot cdf "$small" -o r.svg --keep-script=none/r.gp
is "memstor plot says in one line that the folder of --keep-script does not exist" "$(cat err)" 'memstor: --keep-script none/r.gp: cannot be written: No such file or directory'

# --- gnuplot is missing, too old, or fails
mkdir bin
ln -s "$(command -v memstor)" bin/memstor
check_exit 3 "memstor plot ends with 3 when gnuplot is not installed" env PATH="$tmp/bin" memstor plot cdf "$small" -o r.svg
is "memstor plot names the package of gnuplot when it is not installed" "$(cat err)" 'memstor: gnuplot is not installed: install gnuplot-nox (Debian)'
check "memstor plot writes nothing when gnuplot is not installed" test ! -e r.svg
real=$(command -v gnuplot)
fake() { # fake BODY: replaces gnuplot by a script
	printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
	chmod +x bin/gnuplot
}
with_fake() { env PATH="$tmp/bin:$PATH" memstor plot cdf "$small" "$@"; }
fake 'echo "\"/dev/stdin\" line 3: no luck" >&2; echo half; exit 1'
echo precious >kept.svg
check_exit 3 "memstor plot ends with 3 when gnuplot fails" with_fake -o kept.svg
is "memstor plot prints the reason when gnuplot fails" "$(cat err)" 'memstor: gnuplot failed: "/dev/stdin" line 3: no luck'
is "memstor plot leaves an existing picture as it was when gnuplot fails" "$(cat kept.svg)" precious
fake 'echo no picture'
check_exit 3 "memstor plot ends with 3 when gnuplot writes no picture" with_fake -o kept.svg
is "memstor plot says in one line that gnuplot writes no picture" "$(cat err)" \
	'memstor: gnuplot failed: its output is not a readable svg; --keep-script keeps the commands'
is "memstor plot leaves an existing picture as it was when gnuplot writes no picture" "$(cat kept.svg)" precious
fake 'echo "<?xml version=\"1.0\"?>"; echo "<html/>"'
check_exit 3 "memstor plot ends with 3 when gnuplot writes other XML" with_fake -o kept.svg
is "memstor plot says in one line that gnuplot writes other XML" "$(cat err)" \
	'memstor: gnuplot failed: its output is not a readable svg; --keep-script keeps the commands'
for what in 'a control character:<svg>\001</svg>' 'half an SVG:<svg><g>' 'two tags that cross:<svg><g></svg>'; do
	fake "printf '<?xml version=\"1.0\"?>${what#*:}\\n'"
	check_exit 3 "memstor plot ends with 3 when gnuplot writes ${what%%:*}" with_fake -o kept.svg
	is "memstor plot leaves an existing picture as it was when gnuplot writes ${what%%:*}" "$(cat kept.svg)" precious
done
for format in png pdf; do
	fake "'$real' \"\$@\" | head -c 3000"
	check_exit 3 "memstor plot ends with 3 when gnuplot writes half a $format" with_fake -o "half.$format"
	check "memstor plot writes nothing when gnuplot writes half a $format" test ! -e "half.$format"
done

# A gnuplot with the terminals of a small build.
fake "sed 's/GPVAL_TERMINALS/\" dumb png unknown \"/' \"\$2\" | '$real' -d /dev/stdin"
for format in svg pdf; do
	check_exit 3 "memstor plot ends with 3 when gnuplot has no terminal for $format" with_fake -o "r.$format"
	is "memstor plot says that gnuplot has no terminal for $format" "$(cat err | sed 's/(.*)//')" \
		"memstor: this gnuplot has no terminal for $format "
	check "memstor plot names the package with a terminal for $format" grep -q 'install gnuplot-nox (Debian)$' err
done
if echo 'print GPVAL_TERMINALS' | gnuplot -d 2>&1 | grep -q ' png '; then
	check_exit 0 "memstor plot uses the terminal png without pngcairo" with_fake -o r.png
	check "memstor plot without pngcairo writes a PNG" is_picture r.png
	is "memstor plot warns that the terminal png replaces pngcairo" "$(cat err)" "memstor: warning: this gnuplot has no terminal pngcairo but png: \
lines have no dashes, and areas hide each other"
else
	skip "memstor plot uses the terminal png without pngcairo" 'gnuplot has no terminal png'
fi
tap_done
