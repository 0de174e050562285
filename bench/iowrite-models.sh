#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How far the models of iowrite-bench are off, as results/iowrite-models.md: pairs of a calibration with defaults and an
# evaluation right behind it, of the disk below MODELS_DIR and of a slow device built there.
#
#   MODELS_DIR=/var/tmp/models sh bench/iowrite-models.sh fast|slow    a pair, 4 minutes; five times or more
#   MODELS_DIR=/var/tmp/models sh bench/iowrite-models.sh table        the pairs so far, to stdout
#   MODELS_DIR=/var/tmp/models sh bench/iowrite-models.sh short        slow, fast, slow, and the table: 13 minutes
#
# Root; an idle machine; 9 GiB in MODELS_DIR. MODELS_SCENARIOS: quick. iowrite-bench is taken from BUILD (build).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bench=${BUILD:-$top/build}/iowrite-bench/iowrite-bench
rate=${MODELS_SLOW:-400M}
dir=${MODELS_DIR:?names a folder on the disk, where calibrations and reports are kept}
mkdir -p "$dir"
cd "$dir"

# Status 4 is kept, too: the report says what is not to be relied on.
kept() { # COMMAND ARGUMENT...
	status=0
	"$bench" "$@" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ]
}

case ${1-} in
fast | slow)
	number=1
	while [ -e "$1-$number.xml" ]; do
		number=$((number + 1))
	done
	pair=$1-$number device=
	[ "$1" = fast ] || device=--slow-device=$rate
	kept calibrate --stage ${device:+"$device"} -o "$pair.system.xml"
	kept evaluate ${device:+"$device"} --scenarios "${MODELS_SCENARIOS:-quick}" --system "$pair.system.xml" -f "$pair.xml"
	;;
table)
	set --
	for pair in fast-[0-9].xml slow-[0-9].xml; do
		[ ! -e "$pair" ] || set -- "$@" "$pair"
	done
	exec python3 "$top/bench/iowrite_models.py" "$@"
	;;
short)
	for place in slow fast slow; do
		sh "$top/bench/iowrite-models.sh" "$place" >&2
	done
	exec sh "$top/bench/iowrite-models.sh" table
	;;
*)
	echo "$0: fast, slow, table or short" >&2
	exit 2
	;;
esac
