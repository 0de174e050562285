#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: manual.sh PROGRAM PAGE.in     the manual page on stdout: of PAGE.in each line "@OPTIONS@" or "@OPTIONS COMMAND@" is
# replaced by what PROGRAM says of its options or of the command's. RUN_FOREIGN: what runs a program of another architecture;
# where nothing does, the page names --help.
set -eu
program=$1 page=$2
options() {
	status=0
	${RUN_FOREIGN:-} "$program" "$@" --manual-options || status=$?
	[ "$status" != 126 ] || printf '.PP\n.B %s\nlists the options.\n' "${program##*/} $* \\-\\-help"
	[ "$status" = 0 ] || [ "$status" = 126 ]
}
while IFS= read -r line; do
	case $line in
	'@OPTIONS@') options ;;
	'@OPTIONS '*'@')
		command=${line#@OPTIONS }
		options "${command%@}"
		;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$page"
