# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154
# What the scripts of databases.toml share: recording by an engine, facts from recordings, and statements that are checked.
# A script ends with finish: status 1 when a statement does not hold. Recordings and reports stay in $keep, the folder where the
# suite runs the step unless --set keep=FOLDER names another one.
set -eu
export LC_ALL=C
failures=
mkdir -p "$keep"

# holds TEXT CONDITION: an expression of awk, of numbers
holds() {
	if awk "BEGIN { exit !($2) }"; then
		echo "ok      $1 ($2)"
	else
		echo "FAILED  $1 ($2)"
		failures="$failures${failures:+; }$1 ($2)"
	fi
}
# The last line of stderr is the reason that memstor run gives for a step that failed.
finish() {
	[ "$failures" ] || exit 0
	echo "does not hold: $failures" >&2
	exit 1
}

# Statements are about what was recorded, also where cpu-clock lacks a kind of access (status 4).
memtrace() { command memtrace "$@" || [ $? = 4 ]; }

# record ENGINE FILE COMMAND...: with the options that suit the engine
record() {
	engine=$1 file=$2
	shift 2
	case $engine in
	auto) set -- -- "$@" ;;
	cpu-clock) set -- -e cpu-clock -F 10000 -- "$@" ;;
	# Short ones, as accesses of one burst are of one moment.
	burst) set -- -e burst -F 500 -c "$steps" --overhead 50 -- "$@" ;;
	*) set -- -e "$engine" -- "$@" ;;
	esac
	rm -f "$keep/$file.control"
	$under memtrace record -q --control "$keep/$file.control" -o "$keep/$file.mtr" $allocs "$@" || [ $? = 4 ]
}
allocs='' under='' steps=64

# field NAME FILE OPTION...: a number at the top of an analysis as JSON
field() {
	wanted=$1 file=$2
	shift 2
	memtrace analyze count --json --rows 1 "$keep/$file.mtr" "$@" | sed -n "s/^[[:space:]]*\"$wanted\": *\([0-9.]*\),*\$/\1/p" | head -n 1
}

# is_named FILE OPTION...: of the samples that the options leave at least 95 % have a name; says what kind of name
is_named() {
	file=$1
	shift
	memtrace analyze count --json --rows 1 "$@" "$keep/$file.mtr" >"$keep/named.json"
	# shellcheck disable=SC2046 # numbers
	set -- $(sed -n 's/^[[:space:]]*"\(selected\|in_[a-z]*\)": *\([0-9]*\),*$/\2/p' "$keep/named.json")
	rm "$keep/named.json"
	echo "        samples $1: $2 in ranges, $3 in objects, $4 in allocations, $5 in other mappings"
	holds "at least 95 % of the samples are named" "100 * ($2 + $3 + $4 + $5) / $1 >= 95"
}

# forward FILE PHASE REGION [BYTES [NEAR [KIND]]]: percent of successive samples of a thread in a region that go to a higher
# address, or a higher piece of BYTES. A thread reads the same again and again: only samples within 3 ms are compared, and with
# NEAR only those at most NEAR bytes apart, as the end of one pass and the start of the next can be as close in time as two
# samples. With KIND (load, store) both samples are of that kind.
forward() {
	memtrace export --phase "$2" --region "$3" "$keep/$1.mtr" | awk -F, -v bytes="${4:-1}" -v near="${5:-0}" -v kind="${6:-}" '
		NR > 1 {
			at = int($5 / bytes)
			step = (at - last[$3]) * bytes
			if (last[$3] && $1 - time[$3] <= 3000000 && step && (!near || step <= near && step >= -near) &&
				(!kind || $4 == kind && kinds[$3] == kind)) {
				all++
				up += step > 0
			}
			last[$3] = at
			time[$3] = $1
			kinds[$3] = $4
		}
		END { printf "%.1f\n", all ? 100 * up / all : -1 }'
}
