#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench: help, version and usage errors, of the program and of each command.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_help iowrite-bench "$top_srcdir/iowrite-bench/commands.h"

is 'iowrite-bench --help has its commands in the order of their use' "$(commands_of iowrite-bench)" "$(
	for command in run calibrate predict evaluate scenarios recover; do
		commands_of iowrite-bench | grep -x "$command"
	done)"

letters=$(for command in $(commands_of iowrite-bench); do
	iowrite-bench "$command" --help | sed -n 's/^ *-\([a-z]\), --\([a-z-]*\).*/\1 \2/p'
done | sort -u)
is 'a letter means the same option in each command of iowrite-bench' \
	"$(echo "$letters" | tr '\n' ',')" 'f file,n dry-run,o output,q quiet,'

check_exit 0 'iowrite-bench scenarios ends with 0' iowrite-bench scenarios
check 'iowrite-bench scenarios prints a heading and a line for each scenario' \
	sh -c "sed 1q '$tmp/out' | grep -q '^id *fig' && test \$(wc -l <'$tmp/out') -gt 10"
names=$(sed 1d "$tmp/out" | cut -d ' ' -f 1)
is 'names of scenarios are single words that occur once' "$(echo "$names" | grep -E -x '[a-zA-Z0-9-]+' | sort -u)" \
	"$(echo "$names" | sort)"
refuses 'iowrite-bench: S1: no argument is expected; --help lists the options' iowrite-bench scenarios S1
if [ -w /dev/full ]; then
	check_exit 3 'iowrite-bench scenarios ends with 3 when stdout is full' sh -c 'iowrite-bench scenarios >/dev/full'
	is 'iowrite-bench scenarios says in one line that stdout is full' \
		"$(cat "$tmp/err")" 'iowrite-bench: cannot write to standard output'
fi
tap_done
