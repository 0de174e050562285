#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: results.sh FOLDER     the runs of results/README.md into FOLDER, with the suite's programs from PATH, their pictures,
# a page of all of them, and figures.md: the papers' figures beside what the papers say. The first suite needs root, zram,
# 12 GiB of memory and 10 GiB of disk; two hours. Smaller: RESULTS_RUNS (2), RESULTS_SECONDS (60), RESULTS_MAP_MIB (8192, in
# a quarter of it); RESULTS_QUICK=1: one round of
# write-cost and of each scenario of paper-cawl, and 2 s of each mix. RESULTS_SUITES: those of
# paper-pmbench, ci, write-cost, paper-cawl, log-checkpoint and
# instrumented-ssd that are wanted; all.
set -eu
folder=$1
runs=${RESULTS_RUNS:-2}
seconds=${RESULTS_SECONDS:-60}
map=${RESULTS_MAP_MIB:-8192}
wanted=${RESULTS_SUITES:-paper-pmbench ci write-cost paper-cawl log-checkpoint instrumented-ssd}
pictures=$folder/pictures

# suite NAME OPTION...: what cannot be run here is skipped with its reason; anything else that fails ends this.
suite() {
	suite_into "$folder/$1" "$@"
}
# suite_into FOLDER NAME OPTION...: the same into another folder.
suite_into() {
	into=$1 name=$2
	shift 2
	case " $wanted " in *" $name "*) ;; *) return 0 ;; esac
	memstor run --list | grep -q "^$name " || return 0
	rm -rf "${into:?}"
	status=0
	memstor run "$name" -o "$into" "$@" || status=$?
	case $status in
	0) ;;
	3) echo "results: $name: no step can be run on this host" ;;
	4) echo "results: $name: some results are not trustworthy; their reports name the reasons" ;;
	*) return $status ;;
	esac
}
# picture FILE KIND ARGUMENT...: unless there are no reports to draw.
picture() {
	file=$1 kind=$2
	shift 2
	ls "$1" >/dev/null 2>&1 || return 0
	memstor plot "$kind" "$@" -o "$pictures/$file.svg"
	echo "results: $pictures/$file.svg"
}

# figure FILE STATEMENT KIND ARGUMENT...: a picture, and its place in figures.md beside the paper's statement.
figure() {
	file=$1 statement=$2
	shift 2
	picture "$file" "$@"
	[ ! -e "$pictures/$file.svg" ] || printf '\n![%s](pictures/%s.svg)\n\n%s\n' "$file" "$file" "$statement" >>"$figures"
}
# analyze FIGURE MIX [ALONE-MIX...]: the records of a mix as a figure's report.
analyze() {
	figure=$1 mix=$2
	shift 2
	records=$folder/log-checkpoint/records-$mix/1/records.rec alone=
	[ -e "$records" ] || return 0
	for other; do alone="$alone --alone=$folder/log-checkpoint/records-$other/1/records.rec"; done
	# shellcheck disable=SC2086 # words
	ssd-workloads analyze "$figure" "$records" $alone -f "$folder/log-checkpoint/$figure-$mix.xml" >/dev/null
}

mkdir -p "$pictures"
figures=$folder/figures.md
cat >"$figures" <<'END'
# The papers' figures, measured here

`make results` made these pictures from the reports in this folder. The text below a picture states the paper's result.
The order of the curves and the positions of their bends should agree; the numbers depend on the machine.
END
suite paper-pmbench --runs "$runs" --set "seconds=$seconds" --set "map=$map" --set "ram=$((map / 4))M" \
	--set "swap=$((map + map / 8))M" --step low-latency --step disk
suite ci --runs "$runs" --set "seconds=$((seconds > 5 ? 5 : seconds))"
# shellcheck disable=SC2046 # words
{
	suite write-cost $([ -z "${RESULTS_QUICK:-}" ] || echo --runs 1)
	suite paper-cawl $([ -z "${RESULTS_QUICK:-}" ] || echo --runs 1)
	suite log-checkpoint $([ -z "${RESULTS_QUICK:-}" ] || echo --runs 1 --set seconds=2 --set rounds=2)
}

paper=$folder/paper-pmbench ci=$folder/ci
printf '\n## pmbench\n' >>"$figures"
figure paper-histogram 'Paper: with most of the map swapped out, accesses form a peak of hits below 1 us and a peak of major faults; the tail
caused by reclaim takes most of the time.' \
	histogram "$paper/low-latency/1/report.xml"
figure disk-histogram 'Paper: on a disk the peak of hits is the same, and that of major faults moves by the latency of the device.' \
	histogram "$paper/disk/1/report.xml"
picture paper-heatmap heatmap "$paper/low-latency/1/report.xml"
picture paper-series series "$paper/low-latency/1/report.xml" --counter vmstat.pswpin
picture disk-series series "$paper/disk/1/report.xml" --counter vmstat.pswpin
picture resident-histogram histogram "$ci/resident-uniform/1/report.xml"
picture resident-percentile percentile "$ci/resident-uniform/1/report.xml" "$ci/resident-zipf,1.1/1/report.xml"
picture paging-cdf cdf "$ci/paging-zram-uniform/1/report.xml" "$ci/paging-file/1/report.xml" --legend swap
picture ci-commits interference "$ci/commits/1/report.xml"
picture ci-bars bars "$ci" --group-by step --metric p50,p99

writes=$folder/write-cost cawl=$folder/paper-cawl
picture write-methods cost "$writes/methods/1/report.xml"
picture write-modes cost "$writes/modes/1/report.xml"
picture write-syncs cost "$writes/syncs/1/report.xml"

printf '\n## CAWL, Figures 4 to 9\n\nThe model naive is the paper'\''s SimGrid, cawl is the paper'\''s model, kernel is memstor'\''s.\n' >>"$figures"
# scenario FIGURE FOLDER ID STATEMENT
scenario() {
	grep -q "<scenario id=\"$3\"" "$cawl/$2/1/report.xml" 2>/dev/null || return 0
	figure "cawl-fig$1" "$4" prediction "$cawl/$2/1/report.xml" --scenario "$3"
}
scenario 4a disk f4a 'Paper, Fig. 4(a): CAWL approximates the mean cost of direct synchronous writes; SimGrid underestimates it, because
it ignores the cost of the system call.'
scenario 4b disk f4b 'Paper, Fig. 4(b): the same by size.'
scenario 5a disk f5a 'Paper, Fig. 5(a): synchronous writes through the page cache cost as much as direct ones; the copy is hardly visible.'
scenario 5b disk f5b 'Paper, Fig. 5(b): the same by size; partly written blocks cost an additional read and write, which SimGrid does not model.'
scenario 6a slow c2 'Paper, Fig. 6(A): SimGrid predicts the device'\''s rate for each write and overestimates; CAWL predicts where
background writing and throttling begin, and the dirty bytes (right axis).'
scenario 6b slow c3 'Paper, Fig. 6(B): with computation between the writes, CAWL accounts for the data written back in between.'
scenario 6c slow c7 'Paper, Fig. 6(C): the same with a device that keeps up.'
scenario 7a slow c5 'Paper, Fig. 7(A): with a quarter of the data rewritten, CAWL distinguishes new and rewritten data.'
scenario 7d slow c6 'Paper, Fig. 7(D): half of the data rewritten, with computation between the writes.'
scenario 8 slow f8 'Paper, Fig. 8: fwrite of large sizes costs as much as write.'
scenario 9 slow f9-1000 'Paper, Fig. 9: fwrite of 1000 bytes is a copy, until the buffer is full and one system call takes it.'
figure cawl-errors 'Paper, Sect. 6: CAWL is within 10 to 20 % of the measurement; the naive model is not. Relative errors on this disk.' \
	errors "$cawl/disk/1/report.xml"
figure cawl-errors-slow 'The same on a device throttled to 400 MB/s.' errors "$cawl/slow/1/report.xml"

printf '\n## Log and checkpoint on one SSD, Figures 4, 6, 9 and 11 of the paper\n\n%s\n' 'These figures show a real disk as seen by its host.
Figures 5, 7, 8 and 10 show the inside of the device and need the simulated one.' >>"$figures"
for mix in 1-1 1-N M-N; do
	for name in fig4 fig9 fig11; do analyze $name $mix; done
	analyze fig6 $mix "${mix%-*}-0" "0-${mix#*-}"
	picture "log-checkpoint-$mix" interference "$folder/log-checkpoint/mix-$mix/1/report.xml"
done
mixes=$folder/log-checkpoint
for mix in 1-1 1-N M-N; do
	figure "ssd-fig4-$mix" "Paper, Fig. 4: slow writes and an undisturbed one; the responsible step differs from write to write. Mix $mix." \
		slowest "$mixes/fig4-$mix.xml"
done
for mix in 1-1 1-N M-N; do
	figure "ssd-fig6-$mix" "Paper, Fig. 6: response times divided by the undisturbed one. (1-1) is mostly at 1 +- 0.3; more writes wait in
more parallel mixes. Mix $mix." \
		ratios "$mixes/fig6-$mix.xml"
done
figure ssd-fig9 'Paper, Fig. 9: (1-1) has the most fast writes and the longest tail.' \
	tail "$mixes/fig9-1-1.xml" "$mixes/fig9-1-N.xml" "$mixes/fig9-M-N.xml"
figure ssd-fig11-M-N 'Paper, Fig. 11: log and checkpoint write disjoint areas; the log is circular, each checkpoint starts anew; more
parallel mixes are faster. Mix M-N.' lba "$mixes/fig11-M-N.xml"

# The simulated device: pictures and tables of the suite instrumented-ssd, whose records (1 GiB) go with its folder. What they
# show beside the paper's statements is in results/instrumented-ssd/README.md.
device=$folder/instrumented-ssd run=$folder/instrumented-ssd/run
case " $wanted " in *" instrumented-ssd "*) mkdir -p "$device" ;; esac
suite_into "$run" instrumented-ssd
# of STEP...: their reports.
of() { for step; do printf '%s/%s/1/report.xml\n' "$run" "$step"; done; }
# shellcheck disable=SC2046 # words
if [ -e "$(of fig11-M-N)" ]; then
	pictures=$device
	picture fig4 segments $(of fig4-1-0 fig4-1-1 fig4-M-N)
	for mix in 1-1 1-N M-N; do
		picture "fig6-$mix" ratios $(of "fig6-$mix")
		picture "attribution-$mix" attribution $(of "attribution-$mix")
		# Thousands of points: smaller than as SVG.
		memstor plot lba $(of "fig11-$mix") --size 960x600 -o "$device/fig11-$mix.png"
	done
	memstor plot collections $(of fig5-1-1) --size 960x600 -o "$device/fig5.png"
	picture fig7 gantt $(of fig7-1-1)
	picture fig8 gantt $(of fig8-1-1)
	picture fig9 tail $(of fig9-1-1 fig9-1-N fig9-M-N)
	picture fig10 copies $(of fig10-1-1 fig10-1-N fig10-M-N)
	picture counters counters $(of counters-1-1)
	picture window window $(of window-1-0 window-1-1 window-1-N window-M-N)
	picture bandwidth bandwidth $(of bandwidth-1-1 bandwidth-1-N bandwidth-M-N)
	for table in "$run"/fig4-* "$run"/fig7-* "$run"/fig8-* "$run"/fig9-* "$run"/fig10-* "$run"/attribution-* "$run"/window-* \
		"$run"/bandwidth-*; do
		cp "$table/1/stdout" "$device/${table##*/}.tsv"
	done
	for table in "$run"/without-*; do
		sed -n '/^stream  *without/,/^$/p' "$table/1/stdout"
	done >"$device/without.txt"
fi
rm -rf "$run"

find "$folder" -name report.xml | grep -q . || exit 0
memstor html --title 'memstor: reference results' -o "$folder/report.html" "$folder"
echo "results: in $folder; to look at them, open $folder/report.html in a browser"
