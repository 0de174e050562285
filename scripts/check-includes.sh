#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-includes.sh ROOT     the dependency rule of docs/ARCHITECTURE.md, read from the #include lines:
#   tools -> schema -> common; a folder that LAYERS lists includes only what is left of it in its line; tools never include
#   each other; a HOT file (scripts/hot-files) includes only HOT files of its tool and common/hot/. One line a finding, exit 1
#   when there is any.
# check-includes.sh --cycles ROOT     modules that include each other in a cycle, one line a cycle; exit 1 when there is any.
#   A module is NAME.c and NAME.h, and a NAME_private.h that no other module includes.
set -eu
cycles=
[ "$1" != --cycles ] || { cycles=1; shift; }
LAYERS='
common/ hot base stats kernel host report cli storage undo pressure run probe
pmbench/ memory access plan worker run report
iowrite-bench/ write system model setup predict run evaluate calibrate
memtrace/ file estimate names code target active perf analyze exchange check
ssd-workloads/ workload record sim dump backend engine analyze fit verify run sweep
'
hot_files=$(grep -v '^#' "$(dirname "$0")/hot-files" | tr '\n' ' ')
cd "$1"

# A folder with its own build fragment is a tool, except those listed below.
tools=
for fragment in */*.am; do
	folder=${fragment%%/*}
	case $folder in common | tests | bench | completion | docs | results) continue ;; esac
	[ "$fragment" = "$folder/$folder.am" ] && tools="$tools $folder"
done
schema=$(test ! -d schema || echo schema)
# shellcheck disable=SC2086 # lists of names without blanks
files=$(find common $schema $tools -name '*.[ch]' | sort)
[ -n "$files" ] || { echo "check-includes: no sources below $1" >&2; exit 2; }

# shellcheck disable=SC2086 # lists of names without blanks
[ -z "$cycles" ] || exec awk '
function module(path) { return path in owner ? owner[path] : substr(path, 1, length(path) - 2) }
# Adds what FROM reaches to reach[START, ...].
function walk(start, from,   list, n, i) {
	n = split(next_of[from], list)
	for (i = 1; i <= n; i++)
		if (!((start, list[i]) in reach)) {
			reach[start, list[i]] = 1
			walk(start, list[i])
		}
}
FNR == 1 { file[++file_count] = FILENAME }
/^[ \t]*#[ \t]*include[ \t]*"/ {
	name = $0
	gsub(/^[^"]*"|".*$/, "", name)
	from[++count] = FILENAME
	to[count] = name
	user = module(FILENAME)
	if (name ~ /_private\.h$/ && user != module(name)) {
		owner_count[name] += (name, user) in is_user ? 0 : 1
		is_user[name, user] = 1
		first_user[name] = user
	}
}
END {
	for (name in owner_count)
		if (owner_count[name] == 1)
			owner[name] = first_user[name]
	for (i = 1; i <= count; i++)
		if (module(from[i]) != module(to[i]))
			next_of[module(from[i])] = next_of[module(from[i])] " " module(to[i])
	for (i = 1; i <= file_count; i++)
		if (!((one = module(file[i])) in is_walked)) {
			is_walked[one] = 1
			walk(one, one)
		}
	for (i = 1; i <= file_count; i++) {
		one = module(file[i])
		if (!((one, one) in reach) || one in is_told)
			continue
		text = "cycle:"
		for (j = 1; j <= count; j++) {
			a = module(from[j])
			b = module(to[j])
			if (a != b && (one, a) in reach && (a, one) in reach && (one, b) in reach && (b, one) in reach) {
				text = text " " from[j] " -> " to[j] ";"
				is_told[a] = 1
			}
		}
		print substr(text, 1, length(text) - 1)
		found = 1
	}
	exit found
}' $files

# shellcheck disable=SC2086 # lists of names without blanks
exec awk -v tools="$tools" -v hot_files="$hot_files" -v layers="$(echo "$LAYERS" | tr '\n' ';')" '
BEGIN {
	n = split(tools, list)
	for (i = 1; i <= n; i++) is_tool[list[i]] = 1
	n = split(layers, lines, ";")
	for (i = 1; i <= n; i++) {
		m = split(lines[i], list, " ")
		for (j = 2; j <= m; j++) layer[list[1] list[j]] = j
		if (m) is_layered[substr(list[1], 1, length(list[1]) - 1)] = 1
	}
	n = split(hot_files, list)
	for (i = 1; i <= n; i++) is_hot[list[i]] = 1
	# What a measured loop may know of the C library: types, the clock, and the numbers of errors.
	n = split("stdbool.h stddef.h stdint.h limits.h errno.h time.h sys/resource.h sys/syscall.h", list)
	for (i = 1; i <= n; i++) is_plain[list[i]] = 1
}
function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
function finding(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; found = 1 }
!/^[ \t]*#[ \t]*include/ { next }
{
	from = FILENAME
	sub(/\/.*/, "", from)
	name = $0
	gsub(/^[^"<]*["<]|[">].*$/, "", name)
	in_hot = FILENAME ~ /^common\/hot\//
	hot = in_hot || FILENAME in is_hot
}
/</ {
	if (hot && !(name in is_plain))
		finding("a HOT file may not include <" name ">")
	next
}
name == "config.h" {
	if (FILENAME ~ /\.h$/)
		finding("config.h belongs into .c files")
	next
}
name !~ /\// || name ~ /\.\./ { finding("not as \"folder/file.h\": \"" name "\""); next }
{
	to = name
	sub(/\/.*/, "", to)
}
in_hot && name !~ /^common\/hot\// { finding("common/hot/ includes only itself, not \"" name "\""); next }
hot && !(to == from && name in is_hot) && name !~ /^common\/hot\// {
	finding("a HOT file includes only its own headers and common/hot/, not \"" name "\"")
	next
}
# The files of a tool itself, as program.c, stand above all; commands.h declares what they list.
from in is_layered && !(folder(FILENAME) in layer) && (from == "common" || folder(FILENAME) != from) {
	finding("LAYERS of scripts/check-includes.sh lacks " folder(FILENAME) "/")
	next
}
from in is_layered && to == from && folder(FILENAME) != from && name != from "/commands.h" && \
	!(folder(name) in layer && layer[folder(name)] <= layer[folder(FILENAME)]) {
	finding(folder(FILENAME) "/ stands below \"" name "\"")
	next
}
# It includes common/report/field.h.
from == "common" && name == "schema/shared.h" && layer[folder(FILENAME)] >= layer["common/report"] { next }
from == "common" && to != "common" { finding("common/ knows no tool, not \"" name "\""); next }
to in is_tool && to != from { finding("tools do not include each other: \"" name "\""); next }
to == "schema" { next }
to != from && to != "common" { finding("neither common/ nor the own folder: \"" name "\""); next }
END { exit found }' $files
