#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The objects of the measured loops call nothing that allocates, prints or locks; the rule finds a planted call.
. "$top_srcdir/tests/lib/tap.sh"
rule=$top_srcdir/scripts/check-hot.sh

for source in $(sed -n 's/\.c$//p' "$top_srcdir/scripts/hot-files"); do
	object=$top_builddir/$source.o
	if reason=$("$rule" "$object"); then
		tap_result ok "$source calls only allowed functions"
	elif [ $? = 77 ]; then
		skip "$source calls only allowed functions" "$reason"
	else
		tap_result 'not ok' "$source calls only allowed functions"
		echo "# $reason"
	fi
done

# The configured compiler would instrument the planted code in a sanitizer build.
plant() { # FUNCTION BODY: an object with one function
	printf '#include <stdlib.h>\n#include <stdio.h>\n#include <pthread.h>\nvoid planted(void *argument);\nvoid planted(void *argument)\n{\n\t%s;\n}\n' \
		"$2" >"$tmp/planted.c"
	${CC:-cc} -std=gnu11 -O2 -c "$tmp/planted.c" -o "$tmp/planted.o"
}
plant nothing '*(void **)argument = NULL'
check "check-hot accepts an object that calls nothing" "$rule" "$tmp/planted.o"
planted() { # FUNCTION BODY
	plant "$@" || return 2
	check_exit 1 "check-hot refuses an object that calls $1" "$rule" "$tmp/planted.o"
	check "check-hot names the call of $1" grep -q "calls $1, which" "$tmp/out"
}
planted malloc '*(void **)argument = malloc(8)'
planted puts 'puts(argument)'
planted pthread_mutex_lock 'pthread_mutex_lock(argument)'
check_exit 2 "check-hot ends with 2 for a missing object" "$rule" "$tmp/none.o"
tap_done
