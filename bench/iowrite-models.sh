#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How far the models of iowrite-bench are off, as results/iowrite-models.md: a calibration of the disk below MODELS_DIR and
# one of a slow device built there, and series of evaluations made at other times.
#
#   MODELS_DIR=/var/tmp/models sh bench/iowrite-models.sh calibrate   once, half an hour
#   MODELS_DIR=/var/tmp/models sh bench/iowrite-models.sh series      three times or more, 3 minutes each, apart; "series
#                                                                     fast" or "series slow" of one device only
#   MODELS_DIR=/var/tmp/models sh bench/iowrite-models.sh table       the results so far, to stdout
#
# Root; an idle machine; 9 GiB in MODELS_DIR. iowrite-bench is taken from BUILD (build).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bench=${BUILD:-$top/build}/iowrite-bench/iowrite-bench
slow=${MODELS_SLOW:-400M}
dir=${MODELS_DIR:?names a folder on the disk, where calibrations and reports are kept}
mkdir -p "$dir"
cd "$dir"

# Status 4 is kept, too: the file or the report says what is not to be relied on.
kept() { # COMMAND ARGUMENT...
	status=0
	"$bench" "$@" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ]
}

calibrate() {
	kept calibrate --stage --runtime 200s --spread 15m --max-bytes 192g -o fast.xml
	kept calibrate --slow-device "$slow" --runtime 300s --spread 15m -o slow.xml
}

evaluate() { # NAME ARGUMENT...
	name=$1
	shift
	kept evaluate -f "$name.xml" "$@"
}

next() { # DEVICE
	number=1
	while [ -e "$1-$number.xml" ]; do
		number=$((number + 1))
	done
	echo "$1-$number"
}

series() {
	case ${1-fast} in
	fast | slow) ;;
	*)
		echo "$0: series, series fast or series slow" >&2
		exit 2
		;;
	esac
	[ "${1-fast}" != fast ] || evaluate "$(next fast)" --system fast.xml
	[ "${1-slow}" != slow ] || evaluate "$(next slow)" --system slow.xml --slow-device "$slow"
}

case ${1-} in
calibrate | series) "$@" ;;
table) exec python3 "$top/bench/iowrite_models.py" fast.xml slow.xml fast-*.xml slow-*.xml ;;
*)
	echo "$0: calibrate, series or table" >&2
	exit 2
	;;
esac
