#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The objects of the measured loops call nothing that allocates, prints or locks; a planted call is caught.
. "$top_srcdir/tests/lib/tap.sh"
rule=$top_srcdir/scripts/check-hot.sh

for source in $(sed -n 's/\.c$//p' "$top_srcdir/scripts/hot-files"); do
	object=$top_builddir/$source.o
	if reason=$("$rule" "$object"); then
		tap_result ok "$source calls only what is allowed"
	elif [ $? = 77 ]; then
		skip "$source calls only what is allowed" "$reason"
	else
		tap_result 'not ok' "$source calls only what is allowed"
		echo "# $reason"
	fi
done

# The compiler as configured would instrument the planted copies of a sanitizer build, too.
compile() { ${CC:-cc} -std=gnu11 -O2 -I"$top_srcdir" -I"$top_builddir" -c "$1" -o "$2"; }
plant() { # FUNCTION BODY: the measured loop with one more function
	{
		printf '#include <stdlib.h>\n#include <stdio.h>\n#include <pthread.h>\n'
		cat "$top_srcdir/pmbench/access.c"
		printf 'void planted(void *argument);\nvoid planted(void *argument)\n{\n\t%s;\n}\n' "$2"
	} >"$tmp/planted.c"
	compile "$tmp/planted.c" "$tmp/planted.o" || return 2
	check_exit 1 "a planted call of $1 is caught" "$rule" "$tmp/planted.o"
	check "and named" grep -q "calls $1, which" "$tmp/out"
}
compile "$top_srcdir/pmbench/access.c" "$tmp/clean.o"
check "the unchanged copy passes" "$rule" "$tmp/clean.o"
plant malloc '*(void **)argument = malloc(8)'
plant puts 'puts(argument)'
plant pthread_mutex_lock 'pthread_mutex_lock(argument)'
check_exit 2 "a missing object is an error, not a pass" "$rule" "$tmp/none.o"
tap_done
