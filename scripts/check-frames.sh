#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-frames.sh FLAGS FILE...     FLAGS: what the compiler needs, as one word
# No function takes more than 16 KiB of the stack: under `ulimit -s 64`, and in threads, there is not much. Optimised
# as it is built, since what is inlined is in its caller's frame. Exit 1 and the compiler's line for each that does.
set -eu
flags=$1
shift
# The compiler adds a little to an array of that size.
limit=$((16 * 1024 + 512))
status=0
for file; do
	# shellcheck disable=SC2086 # flags are words
	if ! said=$(${CC:-cc} $flags -O2 -Wframe-larger-than=$limit -S -o /dev/null "$file" 2>&1); then
		echo "$said"
		status=2
	elif large=$(echo "$said" | grep frame-larger-than); then
		echo "$large"
		status=1
	fi
done
exit $status
