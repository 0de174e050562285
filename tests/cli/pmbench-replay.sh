#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --replay takes the options of a run from its report, of this or of the original pmbench; the command line replaces them.
. "$top_srcdir/tests/lib/tap.sh"
originals=$top_srcdir/tests/fixtures/pmbench-original
case $(uname -m) in
x86_64) timer= ;;
*) timer='-t perfc' ;; # the timers of the original are those of x86
esac

# shellcheck disable=SC2086,SC2317 # no word when empty; called by check_exit
plan() { pmbench $timer --dry-run "$@"; }
says() { check "$1" grep -q "$2" "$tmp/out"; }

check_exit 0 '--replay takes a report of the original pmbench' plan --replay "$originals/normal-j2-r80-cold.xml"
says "--replay takes the map of an original report" '^map *256 MiB, anon'
says "--replay takes the set of an original report" '^set *128 MiB'
says "--replay takes the pattern of an original report" '^pattern *normal, shape 4096'
says "--replay takes the share of reads of an original report" '^accesses *80 % reads, a random word'
says "--replay takes the threads of an original report" '^threads *2 in 1 process'
says "--replay of an original report without a warm-up has none" '^warm-up *none'
says "--replay takes the duration of an original report" '^duration *3 s'
[ -n "$timer" ] || says "--replay takes the unfenced timer of an original report" '^timing *rdtscp-unfenced'
check_exit 0 '--replay takes another report of the original pmbench' plan --replay "$originals/linear-r100.xml"
says "--replay takes the stride of an original report" '^pattern *linear, shape 23'
says "--replay takes the warm-up of an original report" '^warm-up *[1-9][0-9]* accesses per thread, '

check_exit 0 'options on the command line replace those of --replay' \
	plan --replay "$originals/normal-j2-r80-cold.xml" -p uniform -y 0:3 9 --warmup 1s
says "-p replaces pattern and shape of --replay" '^pattern *uniform$'
says "-y replaces the threads of --replay" '^threads *3 in 1 process, pinned'
says "DURATION replaces the duration of --replay" '^duration *9 s'
says "--warmup replaces the warm-up of --replay" '^warm-up *1 s'
says "options on the command line keep the other options of --replay" '^accesses *80 % reads'

# The zipf of the original draws from a bounded Pareto distribution.
sed 's/>normal</>zipf</; s/>4096.0000</>1.2000</' "$originals/normal-j2-r80-cold.xml" >"$tmp/zipf.xml"
check_exit 0 '--replay takes a zipf of the original pmbench' plan --replay "$tmp/zipf.xml"
says "--replay repeats a zipf of the original as pareto" '^pattern *pareto, shape 1.2'

cat >"$tmp/ours.xml" <<-EOF
	<?xml version="1.0" encoding="UTF-8"?>
	<pmbenchmark><report><signature>
	<params><duration>1</duration><pattern>linear</pattern></params>
	<options><option name="mapsize">64</option><option name="hdr">yes</option>
	<option name="label">a=b &amp; c</option><option name="label">d=e</option>
	<option name="phase">1:uniform</option><option name="phase">2:zipf,1.5</option></options>
	<seed>77</seed></signature></report></pmbenchmark>
EOF
check_exit 0 '--replay takes a report of this pmbench' plan --replay "$tmp/ours.xml"
says "--replay takes the options of a report, not its params" '^pattern *1 s: uniform'
says "--replay takes each phase" '^ *2 s: zipf, shape 1.5'
says "--replay takes the seed that was drawn" '^seed *77$'
says "--replay takes flags" '^timing.* and a fine one'
says "--replay takes labels" '^label *a=b & c'
check_exit 2 "pmbench refuses to write its report over the report of --replay" plan --replay "$tmp/ours.xml" -f "$tmp/../${tmp##*/}/ours.xml"
check_exit 0 "options of several values are accepted with --replay" plan --replay "$tmp/ours.xml" --label f=g --phase 3:uniform
says "--label on the command line is in the plan of --replay" '^label *f=g'
check '--label and --phase replace all labels and phases of --replay' sh -c "! grep -q 'd=e\|zipf' '$tmp/out'"
check_exit 0 'a duration replaces the phases of --replay' plan --replay "$tmp/ours.xml" 5
says "DURATION sets the duration when it replaces the phases of --replay" '^duration *5 s'

bad() { # DESCRIPTION MESSAGE SED-SCRIPT
	sed "$3" "$tmp/ours.xml" >"$tmp/bad.xml"
	check_exit 2 "--replay refuses a report: $1" plan --replay "$tmp/bad.xml"
	check "--replay says in one line why it refuses a report: $1" grep -qxF "pmbench: $tmp/bad.xml: $2" "$tmp/err"
}
bad "an option of another version" "--mapsise: this version has no such option" 's/mapsize/mapsise/'
bad "a value out of range" \
	"-m 0: must be a size above 0 and below 2^64 bytes: MiB, or with a unit, or up to 100%" 's/>64</>0</'
bad "a report that would make swap is refused unless --swap is typed" \
	"--swap zram:64M: is not taken from a report; give it, or another one, on the command line" \
	's|</options>|<option name="swap">zram:64M</option></options>|'
if [ "$(id -u)" = 0 ]; then
	check_exit 0 "a report with --swap is taken when --swap is typed" plan --replay "$tmp/bad.xml" --swap none
else
	skip "a report with --swap is taken when --swap is typed" '--swap needs root'
fi
bad "a report that would write a file is refused unless --map is typed" \
	"--map file:/etc/precious: is not taken from a report; give it, or another one, on the command line" \
	's|</options>|<option name="map">file:/etc/precious</option></options>|'
check_exit 0 '--replay of a report with --map file takes another --map' plan --replay "$tmp/bad.xml" --map shared
is "--replay prints in one line the options that it takes" "$(cat "$tmp/err")" "pmbench: --replay $tmp/bad.xml: takes mapsize=64 \
hdr=yes label=a=b & c label=d=e phase=1:uniform phase=2:zipf,1.5 seed=77"
echo '{"pmbenchmark": {}}' >"$tmp/ours.json"
check_exit 2 '--replay refuses a report in JSON' plan --replay "$tmp/ours.json"
is '--replay says in one line that a report is JSON' "$(cat "$tmp/err")" \
	"pmbench: --replay $tmp/ours.json:1: this is JSON; only XML is read"
bad "a report of another tool" "not a report of this command: it has no options to repeat" 's/pmbenchmark/iowritebench/g'

# The report of a real run.
if pmbench -q -m 1 -j 2 -p zipf,1.3 --scatter --accesses 1000 -c -f "$tmp/run.xml" >"$tmp/text" 2>&1 ||
	[ -s "$tmp/run.xml" ]; then
	seed=$(xmllint --xpath 'string(//signature/seed)' "$tmp/run.xml" 2>/dev/null)
	check_exit 0 '--replay takes a report that this pmbench just wrote' plan --replay "$tmp/run.xml"
	says "--replay takes the pattern of a fresh report" '^pattern *zipf, shape 1.3, scattered'
	says "--replay takes the accesses of a fresh report" '^duration *1000 accesses per thread'
	[ -z "$seed" ] || says "--replay takes the seed of a fresh report" "^seed *$seed\$"
else
	tap_result 'not ok' "pmbench writes a report for --replay"
	sed 's/^/# /' "$tmp/text"
fi
tap_done
