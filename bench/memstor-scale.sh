#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How long memstor takes for a thousand reports, by size: short runs, and runs with a long series. REPORTS (default 1000),
# ROUNDS (default 5), SIZES (default "short series"), ONLY (rows whose name matches this extended regular expression; default all).
# Prints a Markdown table: seconds, median and spread, and the largest memory of any round.
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
memstor=$build/memstor/memstor
pmbench=$build/pmbench/pmbench
reports=${REPORTS:-1000}
rounds=${ROUNDS:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# make_reports FOLDER OPTION...: one run, told apart by its uuid and its seed; compare wants two groups.
make_reports()
{
	folder=$1
	shift
	mkdir -p "$folder/base" "$folder/new"
	"$pmbench" -q -m 4 "$@" -f "$folder/first" >/dev/null 2>&1
	i=0
	while [ "$i" -lt "$reports" ]; do
		group=base
		[ $((i % 2)) -eq 0 ] || group=new
		sed "s|<uuid>........|<uuid>$(printf %08x "$i")|" "$folder/first" >"$folder/$group/$(printf %04d "$i").xml"
		i=$((i + 1))
	done
	size=$(wc -c <"$folder/first")
	rm "$folder/first"
}

# timed NAME ARGUMENT...: a row, or why there is none.
timed()
{
	name=$1
	shift
	echo "$name" | grep -Eq -- "${ONLY:-.}" || return 0
	round=0
	: >"$dir/seconds"
	: >"$dir/memory"
	while [ "$round" -lt "$rounds" ]; do
		status=0
		/usr/bin/time -f '%e %M' -o "$dir/time" "$memstor" "$@" >"$dir/out" 2>"$dir/err" || status=$?
		# Inconclusive or slower is a result, too.
		if [ "$status" != 0 ] && [ "$status" != 1 ] && [ "$status" != 4 ]; then
			printf '| %s | not measured: %s | |\n' "$name" "$(head -n 1 "$dir/err")"
			return
		fi
		tail -n 1 "$dir/time" | cut -d' ' -f1 >>"$dir/seconds"
		tail -n 1 "$dir/time" | cut -d' ' -f2 >>"$dir/memory"
		round=$((round + 1))
	done
	printf '| %s | %s (%s) | %.0f MiB |\n' "$name" "$(median "$dir/seconds")" "$(spread "$dir/seconds")" \
		"$(sort -n "$dir/memory" | awk '{ most = $1 } END { print most / 1024 }')"
}

[ -x /usr/bin/time ] || { echo "memstor-scale skipped: needs GNU time (package time)"; exit 0; }
for size_name in ${SIZES:-short series}; do
	case $size_name in
	short) make_reports "$dir/$size_name" --accesses 200000 --hdr ;;
	series) make_reports "$dir/$size_name" --interval 10ms 5 ;; # over 1 MB
	esac
	echo "## $reports reports of $((size / 1024)) KiB ($size_name), $rounds rounds"
	echo
	echo '| command | seconds: median (min..max) | memory |'
	echo '|---|---|---|'
	for format in json ndjson csv pmgraph; do
		timed "convert --to $format" convert --to $format -o "$dir/converted" "$dir/$size_name"
	done
	timed 'convert --to csv --what series' convert --to csv --what series -o "$dir/converted" "$dir/$size_name"
	timed 'validate' validate --quiet "$dir/$size_name"
	timed 'compare' compare "$dir/$size_name/base" -- "$dir/$size_name/new"
	timed 'merge' merge -o "$dir/merged.xml" "$dir/$size_name"
	timed 'html' html -o "$dir/page.html" "$dir/$size_name"
	echo
	rm -rf "${dir:?}/$size_name"
done
