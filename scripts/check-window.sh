#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-window.sh OBJECT     what lies between the stamps of the fenced rdtscp loops (x86-64), and whether each
# loop fits the space that keeps it in one page.
# Between a start (rdtscp; lfence) and the next stop (rdtscp) there may be one access to memory, two in the window of
# -z, one mfence with --store-visible, and moves between registers; no jump, no call, no comparison, no stack.
# Exit 1 and a line for each finding; exit 77 and a reason when the object cannot be checked.
set -eu
object=$1
objdump -f "$object" 2>/dev/null | grep -q 'architecture: i386:x86-64' || { echo "not an object for x86-64"; exit 77; }
if nm -u "$object" | grep -Eq '__(asan|tsan|ubsan|sanitizer|sancov|gcov)'; then
	echo "built with instrumentation"
	exit 77
fi
status=0
objdump -d --no-show-raw-insn "$object" | awk '
	function finding(text) { if (found++ < 20) print function_name ": " text }
	/^[0-9a-f]+ <.*>:$/ { function_name = substr($2, 2, length($2) - 3); is_open = 0 }
	function_name !~ /^rdtscp_/ { next }
	{ sub(/^[ \t]*[0-9a-f]+:[ \t]*/, ""); sub(/[ \t]*#.*/, ""); sub(/[ \t]+$/, "") }
	/^lfence/ { is_open = 1; accesses = drains = 0; next }
	!is_open { next }
	/^rdtscp/ {
		if (accesses < 1 || accesses > 2) finding(accesses " accesses between two stamps")
		if (drains > (function_name ~ /visible/)) finding("a store is drained without being asked for")
		windows++
		is_open = 0
		next
	}
	/^mfence/ { drains++; next }
	/^nop/ { next }
	/^(mov|shl|or)/ {
		if (/\(/) {
			accesses++
			if (!/mov[l]? +(%e[a-d]x|%r[0-9]+d|%e[sd]i|%ebp),\(%r[a-z0-9]+\)|mov[l]? +\(%r[a-z0-9]+\),/) finding("\"" $0 "\" is not an access by a bare address")
			if (/rsp/) finding("\"" $0 "\" is the stack")
		}
		next
	}
	{ finding("\"" $0 "\" between two stamps") }
	END { if (windows < 8) { finding("only " windows + 0 " windows found") } exit found > 0 }
' || status=1
nm -S "$object" | awk '
	$4 ~ /_(uniform|drawn)$/ {
		loops++
		if ($2 !~ /^0*[0-9a-f]?[0-9a-f]?[0-9a-f]$/) { print $4 ": 0x" $2 " bytes do not fit a page"; found = 1 }
		if ($1 !~ /000$/) { print $4 ": does not begin a page"; found = 1 }
	}
	END { if (!loops) { print "no loop found"; found = 1 } exit found }
' || status=1
exit $status
