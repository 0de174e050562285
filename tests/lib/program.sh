# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# What holds for each program with subcommands (common/cli/command.h). Needs tap.sh.

# In the order of --help.
commands_of() { "$1" --help | sed -n '/^Examples:$/,/^$/d; s/^  \([a-z][a-z]*\) .*/\1/p'; }

# The lines under "Examples:", without their indent.
help_examples() { "$@" --help | sed -n '/^Examples:$/,/^$/s/^  //p'; }

# The commands that the header of their table declares: the table must have each of them.
declared_commands() { grep -v 'struct program' "$1" | grep -oE '(command|memtrace)_[a-z]+[,;]' | sed 's/.*_//; s/[,;]//' | sort; }

fits_a_terminal() { # COMMAND LINE
	check "$1 prints on stdout alone" test -s "$tmp/out" -a ! -s "$tmp/err"
	check "$1 prints lines of up to 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"
}

refuses() { # LINE PROGRAM WORD...
	line=$1
	shift
	check_exit 2 "'$*' is refused" "$@"
	is "'$*' is refused in one line" "$(cat "$tmp/err")" "$line"
	check "'$*' prints nothing on stdout" test ! -s "$tmp/out"
}

# --- help, version and usage errors, of the program and of each command
program_help() { # PROGRAM HEADER: with the declarations of its commands
	program=$1
	for option in --help '-?' --version -V; do
		check_exit 0 "$program $option ends with 0" "$program" "$option"
		fits_a_terminal "$program $option"
	done
	check "$program --version prints one line with program, suite and version" grep -Exq "$program"' \(memstor\) [0-9]+\.[0-9]+\.[0-9]+.*' "$tmp/out"

	lists="$program --help lists them"
	refuses "$program: no command given: $lists" "$program"
	for word in nonsense '' --nonsense -h -; do
		refuses "$program: '$word' is not a command of $program: $lists" "$program" "$word"
	done

	commands=$(commands_of "$program")
	none="$program: --nonsense: no such option; --help lists them"
	is "$program --help lists every command of the program" "$(echo "$commands" | sort)" "$(declared_commands "$2")"
	for command in $commands; do
		full="$program $command"
		check_exit 0 "$full --help ends with 0" "$program" "$command" --help
		check "$full --help begins with the usage" grep -q "^Usage: $full" "$tmp/out"
		fits_a_terminal "$full --help"
		check_exit 0 "$full --usage ends with 0" "$program" "$command" --usage
		fits_a_terminal "$full --usage"
		check_exit 0 "$full --version ends with 0" "$program" "$command" --version
		is "$full --version prints the version of the program" "$(cat "$tmp/out")" "$("$program" --version)"
		refuses "$none" "$program" "$command" --nonsense
	done
	program_examples "$program"
	program_full "$program"
}

# Examples come before the commands, and have commands and options of the program.
program_examples() { # PROGRAM
	is "$1 --help has its examples before its commands" "$("$1" --help | sed -n 's/^Examples:$/examples/p; s/^  [a-z]*  .*/commands/p' | uniq | tr '\n' ' ')" \
		'examples commands '
	help_examples "$1" >"$tmp/examples"
	check "$1 --help has at least two examples" test "$(wc -l <"$tmp/examples")" -ge 2
	while read -r example; do
		check "$1 --help: the example '$example' has a command of the program" sh -c \
			'printf "%s\n" "$1" | grep -q -x -F -e "$2"' sh "$commands" "$(echo "$example" | sed -n "s/^$1 \([a-z]*\).*/\1/p")"
		# shellcheck disable=SC2046 # words, of which none has a blank that counts here
		is "$1 --help: the example '$example' has options of its command" "$(unknown_options $(printf '%s\n' "$example" | xargs -n 1 printf '%s\n'))" ''
	done <"$tmp/examples"
}

program_full() { # PROGRAM: a full stdout is an error
	[ -w /dev/full ] || { skip "$1 --help ends with 3 when stdout is full" 'there is no /dev/full'; return; }
	first=${commands%%[!a-z]*}
	for words in --help --version "$first --help" "$first --usage" "$first --version"; do
		check_exit 3 "$1 $words ends with 3 when stdout is full" sh -c "$1 $words >/dev/full"
		is "$1 $words says in one line that stdout is full" "$(cat "$tmp/err")" "$1: cannot write to standard output"
	done
}

# --- the manual page

# Plain text of a page: no escapes, no fonts; of macros only the words.
plain() { sed "s/\\\\(aq/'/g" | sed 's/\\-/-/g; s/\\f.//g; s/\\(en/-/g; s/\\&//g; /^\.\\"/d; /^\.\(TP\|TQ\|PP\|IP\|RS\|RE\|SS\|SH\)/!s/^\.[A-Z]* //; s/" *\([^"]*\)"/\1/g'; }
section() { awk -v mark="$2" '/^\.\\" --- / { on = $3 == mark } /^\.SH/ { on = 0 } on' "$1"; }

# "-o --output=FILE", from --help and from the words behind .TP and .TQ.
help_options() { # PROGRAM COMMAND
	"$1" "$2" --help | sed -n 's/^ *\(-.\), \(--[a-z0-9-]*[^ ]*\).*/\1 \2/p; s/^ *\(--[a-z0-9-]*[^ ]*\).*/\1/p' |
		grep -v -x -e '-? --help' -e '--usage' -e '-V --version' | sort
}
page_options() { # PAGE COMMAND
	section "$1" "$2" | plain | awk '
		/^\.(TP|TQ)/ { tag = 1; next }
		tag { tag = 0; if (/^-/) print }' | sed 's/^\(-.\)\( .*\)\{0,1\}, *--/\1 --/; s/, *--/\n--/g' |
		sed 's/ *$//; s/\([a-z]\) \([=[]\)/\1\2/' | sort
}

# The lines of EXAMPLES that call the program.
examples_of() { # PROGRAM PAGE
	sed -n '/^\.SH EXAMPLES/,/^\.SH DESCRIPTION/s/^\.B //p' "$2" | plain | grep "^$1 "
}

# Prints the options of an example that its command does not have.
unknown_options() { # PROGRAM WORD...
	known=$("$1" "$2" --help | sed -n 's/^ *\(-.\), *\(--[a-z0-9-]*\).*/ \1 \2 /p; s/^ *\(--[a-z0-9-]*\).*/ \1 /p; s/^ *\(-[^ -]\) .*/ \1 /p')
	shift 2
	for word; do
		case $word in
		-- | '|' | '>' | '&&' | ';') return ;;
		--*) word=${word%%=*} ;;
		-?*) word=$(printf '%.2s' "$word") ;;
		*) continue ;;
		esac
		case $known in *" $word "*) ;; *) echo "$word" ;; esac
	done
}

# Each command that --help lists has a section with exactly the options of its --help, by the same letters and values, and
# examples, whose options it has. Leaves the examples in $tmp/examples.
program_manual() { # PROGRAM PAGE
	program=$1 page=$2
	commands=$(commands_of "$program")
	check "$program --help lists commands" test -n "$commands"
	is "${page##*/} marks each command of $program in the order of --help" "$(sed -n 's/^\.\\" --- //p' "$page")" "$commands"
	for command in $commands; do
		section "$page" "$command" >"$tmp/section"
		check "${page##*/} has a section on $program $command" grep -q "^\.SS $command\( \|\$\)" "$tmp/section"
		help_options "$program" "$command" >"$tmp/help"
		page_options "$page" "$command" >"$tmp/page"
		check "${page##*/} has the options of $program $command --help" diff "$tmp/help" "$tmp/page"
	done
	manual_parts "$page"

	examples_of "$program" "$page" >"$tmp/examples"
	for command in $commands; do
		check "${page##*/} has an example of $program $command" grep -q "^$program $command\( \|\$\)" "$tmp/examples"
	done
	while read -r example; do
		check "${page##*/}: the example '$example' has a command of $program" sh -c \
			'printf "%s\n" "$1" | grep -q -x "$2"' sh "$commands" "$(echo "$example" | cut -d ' ' -f 2)"
		# shellcheck disable=SC2046 # words, of which none has a blank that counts here
		is "${page##*/}: the example '$example' has options of its command" "$(unknown_options $(printf '%s\n' "$example" | xargs -n 1 printf '%s\n'))" ''
	done <"$tmp/examples"
	manual_lint "$page"
}

manual_parts() { # PAGE
	check "${1##*/} has its examples before the description" \
		awk '/^.SH EXAMPLES/ { seen = 1 } /^.SH DESCRIPTION/ { exit !seen }' "$1"
	for part in NAME SYNOPSIS EXAMPLES DESCRIPTION COMMANDS '"EXIT STATUS"' FILES ENVIRONMENT '"SEE ALSO"'; do
		check "${1##*/} has a part $part" grep -qx ".SH $part" "$1"
		check "${1##*/} has text in the part $part" awk -v title=".SH $part" '
			$0 == title { on = 1; next } /^\.SH/ { on = 0 } on && !/^\./ || on && /^\.[BI]/ { n++ }
			END { exit !n }' "$1"
	done
}

manual_lint() { # PAGE
	for lint in 'mandoc -Tlint' 'groff -man -ww -Tascii -z'; do
		if command -v "${lint%% *}" >/dev/null; then
			$lint "$1" >"$tmp/lint" 2>&1
			check "$lint finds nothing in ${1##*/}" test ! -s "$tmp/lint"
			sed 's/^/# /' "$tmp/lint"
		else
			skip "$lint finds nothing in ${1##*/}" "${lint%% *} is not installed"
		fi
	done
}
