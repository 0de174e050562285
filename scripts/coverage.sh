#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: coverage.sh SOURCE BUILD     lines executed of each source file, from a build that has run its tests.
# Paths are kept: folders share file names. A header counts by the object that executed most of it.
set -eu
source=$(cd "$1" && pwd)
cd "$2"
# gcov prints "File 'PATH'" and then "Lines executed:P% of N" for each file of each object.
find . -name '*.gcda' | sort | while read -r data; do
	${GCOV:-gcov} -n -s "$source" -r -o "$(dirname "$data")" "$data" 2>/dev/null
done | awk -v top="$source/" '
/^File / { file = $2; gsub(/\047/, "", file); sub(top, "", file) }
/^Lines executed:/ && file {
	split($2, part, /[:%]/)
	if (!(file in lines) || part[2] > percent[file]) {
		percent[file] = part[2]
		lines[file] = $4
	}
	file = ""
}
END {
	for (file in lines)
		if (file !~ /^(tests|\/)/) {
			printf "%6.1f %% of %5d  %s\n", percent[file], lines[file], file | "sort -k5"
			hit_all += percent[file] * lines[file] / 100
			all += lines[file]
		}
	close("sort -k5")
	if (!all)
		exit 1
	printf "%6.1f %% of %5d  all\n", 100 * hit_all / all, all
}' | tee coverage.txt
[ -s coverage.txt ] || { echo "coverage: no data below $2" >&2; exit 1; }
