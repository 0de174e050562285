#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A frame that is too large for small stacks is found, and nothing else is; the programs run on a small stack.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
rule=$top_srcdir/scripts/check-frames.sh
cd "$tmp" || exit 1

plant() { # FILE BYTES: a function with an array of that size
	printf 'void use(char *);\nvoid large(void);\nvoid large(void)\n{\n\tchar room[%s];\n\n\tuse(room);\n}\n' "$2" >"$1"
}
plant small.c 16384
plant large.c 20000
printf 'void use(char *);\nstatic void a(void)\n{\n\tchar one[9000];\n\n\tuse(one);\n}\nvoid b(void);\nvoid b(void)\n{\n' >sum.c
printf '\tchar two[9000];\n\n\tuse(two);\n\ta();\n\tuse(two);\n}\n' >>sum.c
check_exit 0 'a frame of 16 KiB passes' "$rule" -std=gnu11 small.c
check 'and nothing is said' test ! -s out
check_exit 1 'one of 20000 bytes is found' "$rule" -std=gnu11 small.c large.c
check 'with its file and line' grep -q '^large.c:.*2[0-9]\{4\}' out
check_exit 1 'two functions in one frame are found' "$rule" -std=gnu11 sum.c
check_exit 2 'what cannot be compiled is no pass' "$rule" -std=gnu11 none.c

# --- as a user with little stack has it
if [ -n "${sanitizer:-}" ]; then
	skip 'a small stack' "$sanitizer makes frames larger"
	tap_done
fi
# shellcheck disable=SC3045 # dash and bash have it
little() { (ulimit -s 64 && "$@"); }
check_run 'pmbench on 64 KiB of stack' little pmbench -m 4 -j 2 --processes 2 --accesses 1000 --hdr --interval 10ms \
	--media-latency 1 --fault-trace --kernel-split -f r.xml --json=r.json
lawful 'pmbench on 64 KiB of stack' r.xml
check_exit 0 'a plan on 64 KiB of stack' little pmbench --replay r.xml --dry-run
mkdir -m 700 journals
(umask 077 && for i in 1 2 3; do : >journals/$i-$i-0011223$i; done)
check_exit 0 'recovery on 64 KiB of stack' little env WITH_PRESSURE_DIR="$tmp/journals" with-pressure --recover
check_exit 0 'with-pressure on 64 KiB of stack' little with-pressure -- true
tap_done
