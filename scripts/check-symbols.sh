#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-symbols.sh ROOT BUILD     a name means one thing in the whole tree: no external symbol is defined in two objects of
#   BUILD (but main), no tag of a struct, union or enum and no inline function or macro with arguments of a header in two files of
#   ROOT, nor a function of one kind that is one of another. Tests and benches are left out. One line a finding, exit 1 when there is any.
# Objects whose source is gone are left out. Without any object it says so, and reads only the sources.
set -eu
build=$(cd "$2" && pwd)
cd "$1"
folders=
for fragment in */*.am; do
	folder=${fragment%%/*}
	case $folder in tests | bench | completion | docs | results) continue ;; esac
	[ "$fragment" = "$folder/$folder.am" ] && folders="$folders $folder"
done
[ ! -d schema ] || folders="$folders schema"
# shellcheck disable=SC2086 # lists of names without blanks
files=$(find $folders -name '*.[ch]' | sort)
[ -n "$files" ] || { echo "check-symbols: no sources below $1" >&2; exit 2; }

objects=$(for folder in $folders; do
	[ ! -d "$build/$folder" ] || find "$build/$folder" -name '*.o'
done)
[ -n "$objects" ] || echo "check-symbols: no objects below $2: their symbols are not checked" >&2

symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
[ -z "$objects" ] || echo "$objects" | tr '\n' '\0' | xargs -0 "${NM:-nm}" -A -g --defined-only >"$symbols" ||
	{ echo "check-symbols: the objects below $build cannot be read" >&2; exit 2; }
{
	# The name of an object may begin with that of its program. Sanitizers add symbols to each object.
	awk -v prefix="$build/" -v files="$(echo "$files" | tr '\n' ' ')" '
		BEGIN {
			n = split(files, list)
			for (i = 1; i <= n; i++)
				is_source[list[i]] = 1
		}
		$NF == "main" || $NF ~ /^__/ { next }
		{
			source = substr($0, length(prefix) + 1)
			sub(/\.o:.*/, ".c", source)
			if (!(source in is_source)) {
				name = source
				sub(/.*[\/-]/, "", name)
				sub(/[^\/]*$/, name, source)
			}
			if (source in is_source)
				print "name", $NF, source
		}' "$symbols"
	# shellcheck disable=SC2086
	awk '
	/^[ \t]*(static |const |typedef |extern )*(struct|union|enum) [a-z_0-9]+ \{/ {
		sub(/ \{.*/, "")
		sub(/.* /, "")
		print "tag", $0, FILENAME
	}
	FILENAME ~ /\.h$/ && /^(static inline|KEEP_INLINE) .*\(/ {
		sub(/\(.*/, "")
		sub(/.*[ *]/, "")
		print "name", $0, FILENAME
	}
	FILENAME ~ /\.h$/ && /^#define [A-Za-z_0-9]+\(/ {
		sub(/\(.*/, "")
		sub(/.* /, "")
		print "name", $0, FILENAME
	}' $files
} | sort | awk '
{
	name = $1 " " $2
	if ((name, $3) in is_seen)
		next
	is_seen[name, $3] = 1
	places[name] = places[name] (count[name]++ ? ", " : "") $3
	if (count[name] == 2)
		order[++found] = name
}
END {
	for (i = 1; i <= found; i++)
		print order[i] " is defined in " places[order[i]]
	exit found > 0
}'
