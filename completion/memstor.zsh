# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of the suite's programs in zsh. What a program takes it says itself (PROGRAM --completion-rows,
# common/cli/opt.h), so nothing here is older or newer than the program.

# _memstor_value KIND CHOICE...: what PREFIX may become
_memstor_value() {
	local kind=${1%\?} choice
	shift
	[[ $kind == list ]] && compset -P '*,'
	for choice; do
		if [[ $choice == (file|loop): && $PREFIX == $choice* ]]; then
			compset -P "$choice"
			_files
			return
		fi
	done
	# What may go on has no blank behind it.
	(($#)) && {
		compadd -S '' -- ${(M)@:#*[:=]}
		compadd -- ${@:#*[:=]}
	}
	case $kind in
	file | output) _files ;;
	folder) _files -/ ;;
	report) _files -g '*.xml' ;;
	esac
}

_memstor() {
	emulate -L zsh
	setopt extendedglob
	local program=${(Q)words[1]} row name word pending is_over place
	local -a rows fields commands names arguments choices
	local -A kinds times options longs given
	local -i i k first=2 count=0 program_at=0

	program=${program/#\~\//$HOME/}
	rows=(${(f)"$($program --completion-rows </dev/null 2>/dev/null)"})
	commands=(${${(M)rows:#command *}#command })
	if (($#commands && CURRENT > 2)); then
		((${commands[(Ie)${words[2]}]})) || return 1
		rows=(${(f)"$($program $words[2] --completion-rows </dev/null 2>/dev/null)"})
		first=3
	elif (($#commands)); then
		compadd -- $commands
	fi
	for row in $rows; do
		fields=(${=row})
		case $fields[1] in
		option)
			# One without a long name is named by its letter.
			name=$fields[2]
			[[ $name == - ]] && name=$fields[3]
			names+=($name)
			kinds[$name]=$fields[4] times[$name]=$fields[5] options[$name]="$fields[6,-1]"
			[[ $fields[3] == - ]] || longs[$fields[3]]=$name
			;;
		argument) arguments+=("$fields[4,-1]") ;;
		esac
	done

	# What stands before the cursor: options that are given, the one whose value comes next, and arguments.
	for ((i = first; i < CURRENT; i++)); do
		word=${(Q)words[i]}
		if [[ -n $pending ]]; then
			pending=
		elif [[ -n $is_over || $word != -?* ]]; then
			((count++ || (program_at = i)))
			# The rest is the command's.
			[[ $arguments[1] == command\ * ]] && is_over=yes
		elif [[ $word == -- ]]; then
			is_over=yes
		elif [[ $word == --* ]]; then
			name=${word%%=*}
			given[$name]=yes
			[[ $word == *=* || ${kinds[$name]:-none} == (none|*\?) ]] || pending=$name
		else
			# -qf is -q and -f; the first one that takes a value has the rest of the word, or the next word.
			for ((k = 2; k <= $#word; k++)); do
				name=$longs[-$word[k]]
				[[ -n $name ]] || continue
				given[$name]=yes
				[[ $kinds[$name] == none ]] && continue
				[[ $k == $#word && $kinds[$name] != *\? ]] && pending=$name
				break
			done
		fi
	done

	if [[ -n $pending ]]; then
		_memstor_value $kinds[$pending] ${=options[$pending]}
	elif [[ -z $is_over && $PREFIX == --*=* ]]; then
		name=${PREFIX%%=*}
		[[ ${kinds[$name]:-none} == none ]] && return 1
		compset -P '*='
		_memstor_value $kinds[$name] ${=options[$name]}
	elif [[ -z $is_over && $PREFIX == -[^-]* ]]; then
		name=$longs[${PREFIX[1,2]}]
		[[ -n $name ]] || return 1
		if [[ $#PREFIX == 2 ]]; then
			compadd -- $PREFIX
		elif [[ $kinds[$name] != none ]]; then
			compset -P '-?'
			_memstor_value $kinds[$name] ${=options[$name]}
		fi
	elif [[ -z $is_over && $PREFIX == -* ]]; then
		for name in $names; do
			[[ -n $given[$name] && $times[$name] == once ]] && continue
			[[ $name == -[^-]* || $kinds[$name] == (none|*\?) ]] && compadd -- $name
			[[ $name == --* && $kinds[$name] != none ]] && compadd -S '' -- $name=
		done
	elif [[ $arguments[1] == command\ * ]]; then
		# A command line of its own, from its first word on.
		((program_at)) || program_at=CURRENT
		shift $((program_at - 1)) words
		((CURRENT -= program_at - 1))
		_normal
	elif (($#arguments)); then
		place=$((count + 1))
		if ((place > $#arguments)); then
			place=$#arguments
			[[ ${${=arguments[place]}[2]} == many ]] || return 1
		fi
		fields=(${=arguments[place]})
		_memstor_value $fields[1] $fields[3,-1]
	fi
}

_memstor "$@"
