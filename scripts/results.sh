#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: results.sh FOLDER     the runs of results/README.md into FOLDER, with the suite's programs from PATH, their pictures
# and a page of all of them. The first suite needs root, zram, 12 GiB of memory and 10 GiB of disk; two hours.
# Smaller: RESULTS_RUNS (2), RESULTS_SECONDS (60), RESULTS_MAP_MIB (8192, in a quarter of it). RESULTS_SUITES: those of
# paper-pmbench, ci, write-cost, paper-cawl and log-checkpoint that are wanted; all.
set -eu
folder=$1
runs=${RESULTS_RUNS:-2}
seconds=${RESULTS_SECONDS:-60}
map=${RESULTS_MAP_MIB:-8192}
wanted=${RESULTS_SUITES:-paper-pmbench ci write-cost paper-cawl log-checkpoint}
pictures=$folder/pictures

# suite NAME OPTION...: what cannot be run here is skipped with its reason; anything else that fails ends this.
suite() {
	name=$1
	shift
	case " $wanted " in *" $name "*) ;; *) return 0 ;; esac
	memstor run --list | grep -q "^$name " || return 0
	rm -rf "${folder:?}/$name"
	status=0
	memstor run "$name" -o "$folder/$name" "$@" || status=$?
	case $status in
	0) ;;
	3) echo "results: $name: nothing of it can be run here" ;;
	4) echo "results: $name: some of it is not to be trusted, as its reports say" ;;
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

mkdir -p "$pictures"
suite paper-pmbench --runs "$runs" --set "seconds=$seconds" --set "map=$map" --set "ram=$((map / 4))M" \
	--set "swap=$((map + map / 8))M" --step low-latency --step disk
suite ci --runs "$runs" --set "seconds=$((seconds > 5 ? 5 : seconds))"
# What a write costs: as long as it takes, with its own number of runs.
suite write-cost
suite paper-cawl
suite log-checkpoint

paper=$folder/paper-pmbench ci=$folder/ci
picture paper-histogram histogram "$paper/low-latency/1/report.xml"
picture paper-heatmap heatmap "$paper/low-latency/1/report.xml"
picture paper-series series "$paper/low-latency/1/report.xml" --counter vmstat.pswpin
picture disk-histogram histogram "$paper/disk/1/report.xml"
picture disk-series series "$paper/disk/1/report.xml" --counter vmstat.pswpin
picture resident-histogram histogram "$ci/resident-uniform/1/report.xml"
picture resident-percentile percentile "$ci/resident-uniform/1/report.xml" "$ci/resident-zipf,1.1/1/report.xml"
picture paging-cdf cdf "$ci/paging-zram-uniform/1/report.xml" "$ci/paging-file/1/report.xml" --legend swap
picture ci-bars bars "$ci" --group-by step --metric p50,p99

writes=$folder/write-cost cawl=$folder/paper-cawl
picture write-methods cost "$writes/methods/1/report.xml"
picture write-modes cost "$writes/modes/1/report.xml"
picture write-syncs cost "$writes/syncs/1/report.xml"
picture write-throttled kernel-trace "$writes/throttled/1/report.xml"
picture cawl-errors errors "$cawl/disk/1/report.xml"
picture cawl-errors-slow errors "$cawl/slow/1/report.xml"
for scenario in c2 c7; do
	grep -q "<scenario id=\"$scenario\"" "$cawl/slow/1/report.xml" 2>/dev/null || continue
	picture "cawl-$scenario" prediction "$cawl/slow/1/report.xml" --scenario "$scenario"
done

for mix in 1-1 1-N M-N; do
	picture "log-checkpoint-$mix" interference "$folder/log-checkpoint/mix-$mix/1/report.xml"
done

memstor html --title 'memstor: reference results' -o "$folder/report.html" "$folder"
echo "results: in $folder; to look at them, open $folder/report.html in a browser"
