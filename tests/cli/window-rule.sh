#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The compiled loop has nothing but the access between two stamps; the rule finds planted violations.
. "$top_srcdir/tests/lib/tap.sh"
rule=$top_srcdir/scripts/check-window.sh

if reason=$("$rule" "$top_builddir/pmbench/access/access.o"); then
	tap_result ok "the built loops have nothing but the access between two stamps"
elif [ $? = 77 ]; then
	skip "the built loops have nothing but the access between two stamps" "$reason"
	tap_done
	exit 0
else
	tap_result 'not ok' "the built loops have nothing but the access between two stamps"
	echo "$reason" | sed 's/^/# /'
fi

# plant WHAT FILE SED-SCRIPT FINDING: the source of the loop with an addition in the window.
plant() {
	rm -rf "$tmp/pmbench"
	mkdir -p "$tmp/pmbench/access"
	cp "$top_srcdir"/pmbench/access/access* "$tmp/pmbench/access"
	chmod u+w "$tmp"/pmbench/access/*
	sed "$3" "$top_srcdir/pmbench/access/$2" >"$tmp/pmbench/access/$2"
	if cmp -s "$top_srcdir/pmbench/access/$2" "$tmp/pmbench/access/$2"; then
		tap_result 'not ok' "the test plants $1 in the window"
		return
	fi
	${CC:-cc} -std=gnu11 -O2 -I"$tmp" -I"$top_srcdir" -I"$top_builddir" -c "$tmp/pmbench/access/access.c" -o "$tmp/planted.o"
	check_exit 1 "check-window refuses $1 between two stamps" "$rule" "$tmp/planted.o"
	check "check-window names $1 between two stamps" grep -q "$4" "$tmp/out"
}
load='movl (%[address]), %%eax\\n\\t'
plant 'a second load' access_insn.h "s/^#define ACCESS_WINDOW_STORE \"/&$load$load/" '3 accesses between two stamps'
plant 'the stack' access_insn.h 's/^#define ACCESS_WINDOW_LOAD "/&movl (%%rsp), %%edx\\n\\t/' 'is the stack'
plant 'a branch' access_insn.h 's/^#define ACCESS_STAMP_FENCED "[^"]*/&jmp 1f\\n1:\\t/' '"jmp .* between two stamps'
plant 'a loop that straddles pages' access.c 's/ACCESS_LOOP_BYTES 4096/ACCESS_LOOP_BYTES 64/' 'does not begin a page'
tap_done
