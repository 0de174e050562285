# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Completion of the suite's programs in bash, with or without the package bash-completion. What a program takes it says
# itself (PROGRAM --completion-rows, common/cli/opt.h), so nothing here is older or newer than the program.

# The command line up to the cursor as the program would get it, into words[]. bash cuts at = and :, too: starts[] are
# the words' places in COMP_WORDS.
_memstor_split() {
	local rest=$COMP_LINE gap piece i last=-1 at=0
	for ((i = 0; i <= COMP_CWORD; i++)); do
		piece=${COMP_WORDS[i]}
		gap=${rest%%[![:blank:]]*}
		rest=${rest#"$gap"}
		if ((last >= 0)) && [[ -z $gap && ($piece == [=:]* || ${words[last]} == *[=:]) ]]; then
			words[last]+=$piece
		else
			at=$((${#COMP_LINE} - ${#rest}))
			((++last))
			words[last]=$piece starts[last]=$i
		fi
		rest=${rest#"$piece"}
	done
	# What stands behind the cursor in its word is not looked at.
	if ((COMP_POINT < ${#COMP_LINE})); then
		words[last]=${COMP_LINE:at:COMP_POINT > at ? COMP_POINT - at : 0}
	fi
}

# Reads what "$@" says of itself.
_memstor_read() {
	local kind name letter value times rest
	commands=() names=() arguments=()
	while read -r kind name letter value times rest; do
		case $kind in
		command) commands+=("$name") ;;
		argument) arguments+=("$value $times $rest") ;;
		option)
			[[ $name == - ]] && name=$letter
			names+=("$name")
			values[$name]=$value choices[$name]=$rest
			[[ $times == many ]] && repeats[$name]=yes
			[[ $letter == - ]] || longs[$letter]=$name
			;;
		esac
	done < <("$@" --completion-rows </dev/null 2>/dev/null)
}

# A word of letters: -qf is -q and -f; the first one that takes a value has the rest of the word, or the next word.
_memstor_scan_letters() {
	local word=$1 name i
	for ((i = 1; i < ${#word}; i++)); do
		name=${longs[-${word:i:1}]:-}
		[[ -n $name ]] || continue
		given[$name]=yes
		[[ ${values[$name]} == none ]] && continue
		((i + 1 == ${#word})) && [[ ${values[$name]} != *\? ]] && pending=$name
		return
	done
}

# Goes through the words from place $1 to the one before the last: what is given[]; pending, the option whose value
# comes next; argument_count and argument_first; is_over, when no option can follow.
_memstor_scan() {
	local i word
	for ((i = $1; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [[ -n $pending ]]; then
			pending=
		elif [[ -n $is_over || $word != -?* ]]; then
			((argument_count++)) || argument_first=$i
			# The rest is the command's.
			[[ ${arguments[0]:-} == command\ * ]] && is_over=yes
		elif [[ $word == -- ]]; then
			is_over=yes
		elif [[ $word == --* ]]; then
			given[${word%%=*}]=yes
			case $word:${values[$word]:-none} in
			*=* | *:none | *\?) ;;
			*) pending=$word ;;
			esac
		else
			_memstor_scan_letters "$word"
		fi
	done
}

# _memstor_offer BEGIN BEFORE WORD...: those that begin so, with BEFORE before each
_memstor_offer() {
	local begin=$1 before=$2 word
	shift 2
	for word; do
		[[ $word == "$begin"* ]] && COMPREPLY+=("$before$word")
	done
}

# _memstor_paths KIND BEGIN BEFORE: files, folders or reports that begin so, with BEFORE before each
_memstor_paths() {
	local kind=$1 begin=$2 before=$3 path paths=()
	if [[ $begin != *[\"\'\\~\$\`]* ]]; then
		case $kind in
		folder) mapfile -t paths < <(compgen -d -- "$begin") ;;
		report) mapfile -t paths < <(compgen -f -X '!*.xml' -- "$begin"; compgen -d -- "$begin") ;;
		*) mapfile -t paths < <(compgen -f -- "$begin") ;;
		esac
	fi
	if ((${#paths[@]})); then
		path_prefix=$before
		for path in "${paths[@]}"; do
			COMPREPLY+=("$before$path")
		done
		compopt -o filenames 2>/dev/null
	elif ((!${#COMPREPLY[@]})); then
		# Quotes, homes and variables are readline's; and no report here is no reason to offer nothing.
		compopt -o default 2>/dev/null
	fi
}

# _memstor_value KIND BEGIN BEFORE CHOICE...
_memstor_value() {
	local kind=${1%\?} begin=$2 before=$3 choice
	shift 3
	if [[ $kind == list ]]; then
		before+=${begin%"${begin##*,}"}
		begin=${begin##*,}
	fi
	for choice; do
		if [[ $choice == @(file|loop): && $begin == "$choice"* ]]; then
			_memstor_paths file "${begin#"$choice"}" "$before$choice"
			return
		fi
	done
	_memstor_offer "$begin" "$before" "$@"
	case $kind in
	file | output | folder | report) _memstor_paths "$kind" "$begin" "$before" ;;
	command) mapfile -t COMPREPLY < <(compgen -c -- "$begin") ;;
	esac
}

_memstor_options() {
	local begin=$1 name
	for name in "${names[@]}"; do
		[[ -n ${given[$name]:-} && -z ${repeats[$name]:-} ]] && continue
		case $name:${values[$name]} in
		--*:none | -[!-]*) _memstor_offer "$begin" '' "$name" ;;
		*\?) _memstor_offer "$begin" '' "$name" "$name=" ;;
		*) _memstor_offer "$begin" '' "$name=" ;;
		esac
	done
}

_memstor_argument() {
	local row=() last=$((${#arguments[@]} - 1)) place=$argument_count
	((last >= 0)) || return
	# shellcheck disable=SC2206 # words
	((place > last)) && row=(${arguments[last]}) place=$last && [[ ${row[1]} != many ]] && return
	# shellcheck disable=SC2206
	row=(${arguments[place]})
	_memstor_value "${row[0]}" "$1" '' "${row[@]:2}"
}

# The words of the command that begins at place $1 of COMP_WORDS.
_memstor_command() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	else
		_memstor_paths file "$2" ''
	fi
}

# What the last word may become, into COMPREPLY.
_memstor_complete() {
	local word=${words[${#words[@]} - 1]} name
	if [[ -n $pending ]]; then
		# shellcheck disable=SC2086 # words
		_memstor_value "${values[$pending]}" "$word" '' ${choices[$pending]}
	elif [[ -z $is_over && $word == --*=* ]]; then
		name=${word%%=*}
		# shellcheck disable=SC2086
		[[ ${values[$name]:-none} == none ]] ||
			_memstor_value "${values[$name]}" "${word#*=}" "$name=" ${choices[$name]}
	elif [[ -z $is_over && $word == -[!-]* && -n ${longs[${word:0:2}]:-} ]]; then
		name=${longs[${word:0:2}]}
		# shellcheck disable=SC2086
		case ${#word}:${values[$name]} in
		2:*) COMPREPLY=("$word") ;;
		*:none) ;;
		*) _memstor_value "${values[$name]}" "${word:2}" "${word:0:2}" ${choices[$name]} ;;
		esac
	elif [[ -z $is_over && $word == -* ]]; then
		_memstor_options "$word"
	elif ((argument_count)) && [[ ${arguments[0]:-} == command\ * ]]; then
		_memstor_command "${starts[argument_first]}" "$word"
	else
		_memstor_argument "$word"
	fi
}

# bash puts what is offered in the place of what follows the last = or : only.
_memstor_trim() {
	local word=${words[${#words[@]} - 1]} breaks='' cut='' i
	[[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
	[[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
	[[ -n $breaks && $word == *["$breaks"]* ]] && cut=${word%"${word##*["$breaks"]}"}
	# With more than the path in its word, readline does not see that it is a folder.
	if [[ ${#cut} -lt ${#path_prefix} ]]; then
		for i in "${!COMPREPLY[@]}"; do
			[[ -d ${COMPREPLY[i]#"$path_prefix"} ]] && COMPREPLY[i]+=/
		done
	fi
	((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:/] ]] && compopt -o nospace 2>/dev/null
	COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}

_memstor() {
	local IFS=$' \t\n' program=("$1") first=1
	local words=() starts=() commands=() names=() arguments=()
	local path_prefix='' pending='' is_over='' argument_count=0 argument_first=0
	local -A values=() choices=() repeats=() longs=() given=()
	COMPREPLY=()
	if [[ ${COMP_WORDS[COMP_CWORD - 1]} == *[\<\>]* ]]; then
		compopt -o default 2>/dev/null
		return
	fi
	[[ $1 == \~/* ]] && program=("$HOME${1:1}")
	_memstor_split
	_memstor_read "${program[@]}"
	if ((!${#names[@]})); then
		compopt -o default 2>/dev/null
		return
	fi
	if ((${#commands[@]} && ${#words[@]} > 2)); then
		[[ " ${commands[*]} " == *" ${words[1]} "* ]] || return
		values=() choices=() repeats=() longs=()
		first=2
		_memstor_read "${program[@]}" "${words[1]}"
	elif ((${#commands[@]})); then
		_memstor_offer "${words[1]}" '' "${commands[@]}"
	fi
	_memstor_scan "$first"
	_memstor_complete
	_memstor_trim
}
