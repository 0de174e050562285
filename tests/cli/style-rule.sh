#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each rule of check-style finds its violation, and only that.
. "$top_srcdir/tests/lib/tap.sh"
rule=$top_srcdir/scripts/check-style.sh
spdx='/* SPDX-License-Identifier: GPL-3.0-or-later */'

# The rule is tried on one file of this name and body (below the licence line).
expect() { # STATUS DESCRIPTION FILE BODY
	mkdir -p "$tmp/tree/$(dirname "$3")"
	printf '%s\n%b' "$spdx" "$4" >"$tmp/tree/$3"
	what=$2
	check_exit "$1" "check-style ends with $1 for $what" "$rule" "$tmp/tree" "$3"
}
found() { check "check-style names $what: $1" grep -qF "$1" "$tmp/out"; }
quiet() { check "check-style prints nothing for $what" test ! -s "$tmp/out"; }
lines() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) print text }'; }

expect 0 'clean text' x/a.c 'static int one(void)\n{\n\treturn 1;\n}\n'
quiet
expect 1 'blanks at the end' x/a.c 'int a; \n'
found 'x/a.c:2: blanks at the end'
expect 1 'a blank before a tab' x/a.c ' \tint a;\n'
found 'x/a.c:2: blank before a tab'
expect 1 'blanks instead of tabs' x/a.c '        int a;\n'
found 'x/a.c:2: indented with blanks'
expect 1 'a line of 133 columns' x/a.c "/*$(printf '%129s' x)*/\n"
found 'x/a.c:2: line of 133 columns'
expect 1 'a line of 133 columns with a tab' x/a.c "\t/*$(printf '%121s' x)*/\n"
found 'x/a.c:2: line of 133 columns'
expect 0 'a line of 132 columns in 134 bytes' x/a.c "/*$(printf '%126s' x)äé*/\n"
quiet
expect 1 'a call of atoi' x/a.c 'int a = atoi("1");\n'
found 'x/a.c:2: forbidden word atoi'
expect 1 'a call of sprintf' x/a.c '\tsprintf (buffer, "a");\n'
found 'x/a.c:2: forbidden word sprintf'
expect 0 'a call of snprintf, and other words in comments and strings' x/a.c \
	'/* no atoi(x),\n * no strcpy(a, b) */\nint a = snprintf(b, 1, "atoi(");\n'
quiet
expect 1 'an unfinished thing' x/a.c '/* TODO: all of it */\n'
found 'x/a.c:2: unfinished'
expect 0 "a template of mkstemp" x/a.c 'static const char a[] = "/tmp/XXXXXX";\n'
quiet
expect 1 'a typedef of a struct' x/a.h 'typedef struct a b;\n'
found 'x/a.h:2: typedef'
expect 1 'a guard that is not the path' x-y/a.h '#ifndef X_A_H\n#define X_A_H\n#endif\n'
found 'x-y/a.h:2: guard X_A_H, its path makes it X_Y_A_H'
expect 0 'a guard that is the path, and another condition' x-y/a.h '#ifndef X_Y_A_H\n#define X_Y_A_H\n#ifndef B\n#endif\n#endif\n'
quiet
expect 1 'an instruction outside the measured path' x/a.c 'static void a(void)\n{\n\t__asm__ volatile("nop");\n}\n'
found 'x/a.c:4: architecture outside'
expect 0 'an instruction in common/hot/' common/hot/a.h 'static void a(void)\n{\n\t__asm__ volatile("nop");\n}\n'
quiet
expect 0 'a function of 150 lines' x/a.c "int a(void)\n{\n$(lines 150 '\t;')\n}\n"
quiet
expect 1 'a function of 151 lines' x/a.c "int a(void)\n{\n$(lines 151 '\t;')\n}\n"
found 'x/a.c:3: function of 151 lines'
expect 0 'a file of 701 lines' x/a.c "$(lines 700 'int a;')\n"
found 'file of 701 lines, aim at 700 (warning)'

printf 'int a;\n' >"$tmp/tree/x/b.c"
what='a file without a licence line'
check_exit 1 "check-style ends with 1 for $what" "$rule" "$tmp/tree" x/b.c
found 'x/b.c:1: no SPDX-License-Identifier line'
tap_done
