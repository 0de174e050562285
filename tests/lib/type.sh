#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: [TYPE_INTO=zsh] type.sh RCFILE LINE...     types the lines into an interactive bash or zsh on a terminal of its own;
# <TAB> in a line is the key. Programs that RCFILE replaces by functions see what the line became. Needs script(1); ends with
# the shell.
set -eu
rc=$1
shift
prompts=$(mktemp)
trap 'rm -rf "$prompts" "$prompts.rc" "$prompts.zsh"' EXIT
# Each prompt writes a mark: keys that are typed before readline reads go to the terminal, not to readline.
shell="bash --noprofile --rcfile '$prompts.rc' -i" terminal=dumb
if [ "${TYPE_INTO:-bash}" = zsh ]; then
	mkdir "$prompts.zsh"
	{ cat "$rc"; echo "PS1='> '; precmd() { echo >>$prompts }; unsetopt beep"; } >"$prompts.zsh/.zshrc"
	shell="ZDOTDIR='$prompts.zsh' zsh -d -i" terminal=vt100
fi
{
	cat "$rc"
	echo "PS1='\$ ' PROMPT_COMMAND='echo >>$prompts'"
	echo 'bind "set bell-style none" "set completion-query-items 0" "set page-completions off" "set enable-bracketed-paste off"'
} >"$prompts.rc"

prompt() { # NUMBER: wait for it
	tries=0
	until [ "$(wc -l <"$prompts")" -ge "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || exit 1
		sleep 0.05
	done
}
{
	number=0
	for line; do
		number=$((number + 1))
		prompt $number
		printf '%s\r' "$line" | sed "s/<TAB>/$(printf '\t')/g"
	done
	prompt $((number + 1))
	printf 'exit\r'
} | TERM=$terminal script -qec "$shell" /dev/null
