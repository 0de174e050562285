#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: complete.bash COMPLETION <LINES     what a completion offers at the end of each line: "> LINE", then the offers,
# one a line. The words are cut as readline does; tests/lib/type.sh types them into one.
# shellcheck disable=SC1090 # the one that is asked for
source "$1" || exit

cut() { # LINE: into COMP_WORDS
	local rest=$1 piece
	COMP_WORDS=()
	while [[ $rest ]]; do
		rest=${rest#"${rest%%[! ]*}"}
		case $rest in
		\"*\"*) piece=${rest#\"} piece=\"${piece%%\"*}\" ;;
		[=:]*) piece=${rest%%[!=:]*} ;;
		*) piece=${rest%%[ =:]*} ;;
		esac
		[[ $piece ]] && COMP_WORDS+=("$piece")
		rest=${rest#"$piece"}
	done
	[[ $1 == *' ' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}

COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
while IFS= read -r line; do
	COMP_LINE=$line COMP_POINT=${#line}
	cut "$line"
	echo "> $line"
	words=$(complete -p "${COMP_WORDS[0]##*/}") || exit
	function=${words#*-F }
	"${function%% *}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
done
