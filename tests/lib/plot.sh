# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # top_srcdir comes from the harness; the tests use what is set here
# For tests of memstor plot, on top of tap.sh: reports, and checks of pictures.
command -v gnuplot >/dev/null || skip_all 'needs gnuplot (gnuplot-nox)'

small=$top_srcdir/tests/golden/pmbench-report.xml
fixtures=$top_srcdir/tests/fixtures/pmbench-original
original=$fixtures/uniform-swap.xml
iowrite=$top_srcdir/tests/fixtures/iowrite
ssd=$top_srcdir/tests/fixtures/ssd
memtrace=$top_srcdir/tests/fixtures/memtrace
# simulated_report FIGURE OPTION...: of a mix that the model of a device runs, in a fraction of a second.
simulated_report() {
	for mix in 1-1 1-0 0-1; do
		[ -f sim-$mix.rec ] || ssd-workloads run --mix=$mix --target=sim:small --sim blocks=16 --sim index=200ms --runtime=500ms \
			--dump=sim-$mix.rec -f sim.xml >sim.log 2>&1
	done
	figure=$1
	shift
	ssd-workloads analyze "$figure" sim-1-1.rec "$@" -f "$figure.xml" >sim.log 2>&1
	echo "$figure.xml"
}
# run_in MIB|none RATE FILE: a report of a run of memtrace columns with this limit of memory and this rate.
run_in() {
	[ -f columns.report ] || memtrace columns queries --scale 0.001 -n 4 -f columns.report >columns.log
	limit=
	[ "$1" = none ] || limit="<cgroup version=\"1\"><cgroup_dir>/c</cgroup_dir><limit_bytes>$(($1 << 20))</limit_bytes></cgroup>"
	sed "/<cgroup /,/<\/cgroup>/d; s|<queries_per_second>[^<]*|<queries_per_second>$2|; s|</machine_info>|$limit&|" columns.report >"$3"
}
# A report, or a folder of reports, that this kind draws.
sample() {
	case $1 in
	prediction | errors) echo "$iowrite/evaluate.xml" ;;
	kernel-trace) echo "$iowrite/trace.xml" ;;
	cost) echo "$iowrite/run.xml" ;;
	interference) echo "$ssd/run.xml" ;;
	lba) echo "$ssd/fig11.xml" ;;
	ratios) echo "$ssd/fig6.xml" ;;
	slowest) echo "$ssd/fig4.xml" ;;
	tail) echo "$ssd/fig9.xml" ;;
	access-pattern) echo "$memtrace/pattern.xml" ;;
	access-count) echo "$memtrace/count.xml" ;;
	hot-set) echo "$memtrace/hotset.xml" ;;
	miss-ratio) echo "$memtrace/missratio.xml" ;;
	popularity) echo "$memtrace/skew.xml" ;;
	reuse-distance) echo "$memtrace/reuse.xml" ;;
	stride) echo "$memtrace/stride.xml" ;;
	buffer)
		mkdir -p buffer-runs
		cp "$memtrace/missratio.xml" buffer-runs
		run_in 16 1 buffer-runs/16.xml
		run_in 64 8 buffer-runs/64.xml
		echo buffer-runs
		;;
	accessed-volume) echo "$memtrace/partition.xml" ;;
	segments) simulated_report fig4 ;;
	collections) simulated_report fig5 ;;
	gantt) simulated_report fig7 ;;
	copies) simulated_report fig10 ;;
	attribution | counters | window) simulated_report "$1" ;;
	bandwidth) simulated_report bandwidth --alone=sim-1-0.rec --alone=sim-0-1.rec ;;
	*) echo "$small" ;;
	esac
}
cd "$tmp" || exit 1

# The number of entries in the legends of an SVG.
count_named() { grep -c '<g id="memstor_plot_[0-9]*"><title>' "$1"; }

# The first bytes, as hexadecimal digits.
magic() { head -c "$2" "$1" | od -An -tx1 | tr -d ' \n'; }
# WIDTHxHEIGHT from the header of a PNG.
png_size() {
	od -An -tu1 -j16 -N8 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 "x" (($5 * 256 + $6) * 256 + $7) * 256 + $8 }'
}
is_svg() {
	if command -v xmllint >/dev/null; then
		[ "$(xmllint --xpath 'local-name(/*)' "$1")" = svg ]
	else
		head -n 2 "$1" | grep -q '^<svg'
	fi
}
# is_picture FILE: the contents match the suffix.
is_picture() {
	case $1 in
	*.svg) is_svg "$1" ;;
	*.png) [ "$(magic "$1" 8)" = 89504e470d0a1a0a ] && [ "$(magic "$1" 16 | tail -c 8)" = 49484452 ] ;;
	*.pdf) [ "$(magic "$1" 5)" = 255044462d ] && tail -c 32 "$1" | grep -q '%%EOF' ;;
	esac
}
