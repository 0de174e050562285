#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: manual.sh PROGRAM PAGE.in     the manual page on stdout: of PAGE.in each line "@OPTIONS@" or "@OPTIONS COMMAND@" is
# replaced by what PROGRAM says of its options or of the command's, and "@OPTIONS FOLDER/PROGRAM@" by what that program of the
# build says. RUN_FOREIGN: what runs a program of another architecture (a script needs none); where nothing does, or memstor
# has no Python or not all of its packages (status 3), the page names --help.
set -eu
program=$1 page=$2
new=$(mktemp)
trap 'rm -f "$new"' EXIT
options() {
	status=0
	case $(head -c 2 "$program") in '#!') run='' ;; *) run=${RUN_FOREIGN:-} ;; esac
	$run "$program" "$@" --manual-options || status=$?
	case $status in
	0) ;;
	3 | 126 | 127) printf '.PP\n.B %s\nlists the options.\n' "${program##*/} $* \\-\\-help" ;;
	*) return 1 ;;
	esac
}
# A title is a paragraph of its own, which a section or paragraph macro before it has begun.
paragraph() {
	case $previous in
	.S[HS]* | .PP) cat ;;
	*) sed '1s/^\.I /.PP\n.I /' ;;
	esac
}
previous=
while IFS= read -r line; do
	case $line in
	'@OPTIONS@')
		options >"$new"
		paragraph <"$new"
		;;
	'@OPTIONS '*/*'@')
		other=${line#@OPTIONS }
		(program=./${other%@} && options) >"$new"
		paragraph <"$new"
		;;
	'@OPTIONS '*'@')
		command=${line#@OPTIONS }
		options "${command%@}" >"$new"
		paragraph <"$new"
		;;
	*) printf '%s\n' "$line" ;;
	esac
	previous=$line
done <"$page"
