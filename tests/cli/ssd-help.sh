#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads: help, version and usage errors, of the program and of each command.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_help ssd-workloads "$top_srcdir/ssd-workloads/commands.h"

is 'ssd-workloads --help has its commands in the order of their use' \
	"$(commands_of ssd-workloads | tr '\n' ' ')" 'list run sweep verify analyze fit '
check_exit 0 'ssd-workloads run --help ends with 0' ssd-workloads run --help
check 'ssd-workloads run --help has an example of a mix' grep -q '^  ssd-workloads run --mix=M-N --target=' "$tmp/out"
for command in $(commands_of ssd-workloads); do
	is "ssd-workloads $command --help has its examples before its options" \
		"$(ssd-workloads $command --help | sed -n 's/^Examples:$/examples/p; s/^  *-[f?],.*/options/p' |
		uniq | tr '\n' ' ')" 'examples options '
done
tap_done
