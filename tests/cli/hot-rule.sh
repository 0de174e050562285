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

# The compiler as configured would instrument what is planted in a sanitizer build, too.
plant() { # FUNCTION BODY: an object with one function
	printf '#include <stdlib.h>\n#include <stdio.h>\n#include <pthread.h>\nvoid planted(void *argument);\nvoid planted(void *argument)\n{\n\t%s;\n}\n' \
		"$2" >"$tmp/planted.c"
	${CC:-cc} -std=gnu11 -O2 -c "$tmp/planted.c" -o "$tmp/planted.o"
}
plant nothing '*(void **)argument = NULL'
check "an object that calls nothing passes" "$rule" "$tmp/planted.o"
planted() { # FUNCTION BODY
	plant "$@" || return 2
	check_exit 1 "a planted call of $1 is caught" "$rule" "$tmp/planted.o"
	check "the finding names the planted call of $1" grep -q "calls $1, which" "$tmp/out"
}
planted malloc '*(void **)argument = malloc(8)'
planted puts 'puts(argument)'
planted pthread_mutex_lock 'pthread_mutex_lock(argument)'
check_exit 2 "a missing object is an error, not a pass" "$rule" "$tmp/none.o"
tap_done
