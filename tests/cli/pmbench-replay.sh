#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --replay takes a run's options from its report, ours or the original pmbench's; the command line replaces them.
. "$top_srcdir/tests/lib/tap.sh"
originals=$top_srcdir/tests/fixtures/pmbench-original
case $(uname -m) in
x86_64) timer= ;;
*) timer='-t perfc' ;; # theirs are of x86
esac

# shellcheck disable=SC2086,SC2317 # no word when empty; called by check_exit
plan() { pmbench $timer --dry-run "$@"; }
says() { check "$1" grep -q "$2" "$tmp/out"; }

check_exit 0 '--replay takes a report of the original pmbench' plan --replay "$originals/normal-j2-r80-cold.xml"
says "its map" '^map *256 MiB, anon'
says "its set" '^set *128 MiB'
says "its pattern" '^pattern *normal, shape 4096'
says "its ratio" '^accesses *80 % reads, a random word'
says "its threads" '^threads *2 in 1 process'
says "its missing warm-up" '^warm-up *none'
says "its duration" '^duration *3 s'
[ -n "$timer" ] || says "its timer was not fenced" '^timing *rdtscp-unfenced'
check_exit 0 '--replay takes another report of the original pmbench' plan --replay "$originals/linear-r100.xml"
says "a stride" '^pattern *linear, shape 23'
says "a warm-up" '^warm-up *[1-9][0-9]* accesses per thread, '

check_exit 0 'options on the command line replace those of --replay' \
	plan --replay "$originals/normal-j2-r80-cold.xml" -p uniform -y 0:3 9 --warmup 1s
says "the pattern without its shape" '^pattern *uniform$'
says "the threads" '^threads *3 in 1 process, pinned'
says "the duration" '^duration *9 s'
says "the warm-up" '^warm-up *1 s'
says "and leaves the rest" '^accesses *80 % reads'

# The original's zipf drew from a bounded Pareto distribution.
sed 's/>normal</>zipf</; s/>4096.0000</>1.2000</' "$originals/normal-j2-r80-cold.xml" >"$tmp/zipf.xml"
check_exit 0 '--replay takes a zipf of the original pmbench' plan --replay "$tmp/zipf.xml"
says "is repeated as what it was" '^pattern *pareto, shape 1.2'

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
says "options, not params" '^pattern *1 s: uniform'
says "each phase" '^ *2 s: zipf, shape 1.5'
says "the drawn seed" '^seed *77$'
says "flags" '^timing.* and a fine one'
says "labels" '^label *a=b & c'
check_exit 2 "a report is not written to the one that it repeats" plan --replay "$tmp/ours.xml" -f "$tmp/../${tmp##*/}/ours.xml"
check_exit 0 "repeated options are replaced together" plan --replay "$tmp/ours.xml" --label f=g --phase 3:uniform
says "by the new ones" '^label *f=g'
check 'options typed replace all labels and phases of the report' sh -c "! grep -q 'd=e\|zipf' '$tmp/out'"
check_exit 0 'a duration replaces the phases of --replay' plan --replay "$tmp/ours.xml" 5
says "so that it holds" '^duration *5 s'

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
is "what a report brings in is said in one line" "$(cat "$tmp/err")" "pmbench: --replay $tmp/bad.xml: takes mapsize=64 \
hdr=yes label=a=b & c label=d=e phase=1:uniform phase=2:zipf,1.5 seed=77"
bad "a report of another tool" "not a report of this command: it has no options to repeat" 's/pmbenchmark/iowritebench/g'

# A real run repeats itself.
if pmbench -q -m 1 -j 2 -p zipf,1.3 --scatter --accesses 1000 -c -f "$tmp/run.xml" >"$tmp/text" 2>&1 ||
	[ -s "$tmp/run.xml" ]; then
	seed=$(xmllint --xpath 'string(//signature/seed)' "$tmp/run.xml" 2>/dev/null)
	check_exit 0 '--replay takes a report that this pmbench just wrote' plan --replay "$tmp/run.xml"
	says "its pattern" '^pattern *zipf, shape 1.3, scattered'
	says "its accesses" '^duration *1000 accesses per thread'
	[ -z "$seed" ] || says "its seed" "^seed *$seed\$"
	cp "$tmp/out" "$tmp/plan"
	memstor convert --to json "$tmp/run.xml" -o "$tmp/run.json"
	check_exit 0 '--replay reads a report in JSON' plan --replay "$tmp/run.json"
	check '--replay plans the same run from JSON as from XML' cmp "$tmp/plan" "$tmp/out"
else
	tap_result 'not ok' "a run to be repeated"
	sed 's/^/# /' "$tmp/text"
fi
tap_done
