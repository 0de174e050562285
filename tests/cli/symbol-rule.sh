#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A name means one thing in the whole tree; the rule finds each kind of second definition that is planted.
. "$top_srcdir/tests/lib/tap.sh"
rule=$top_srcdir/scripts/check-symbols.sh

check_exit 0 "check-symbols accepts the tree and its objects" "$rule" "$top_srcdir" "$top_builddir"
is "check-symbols finds objects" "$(cat "$tmp/err")" ''

# Two programs of two files each.
mkdir -p "$tmp/tree/one/part" "$tmp/tree/two" "$tmp/build/one/part" "$tmp/build/two"
touch "$tmp/tree/one/one.am" "$tmp/tree/two/two.am"
for file in one/main.c one/part/first.c one/part/first.h two/main.c two/second.c two/second.h; do
	echo 'extern int nothing;' >"$tmp/tree/$file"
done
compile() { # SOURCE OBJECT
	${CC:-cc} -std=gnu11 -c "$tmp/tree/$1" -o "$tmp/build/$2"
}
plant() { # FILE TEXT OTHER TEXT FINDING: definitions in two files
	echo "$2" >>"$tmp/tree/$1"
	echo "$4" >>"$tmp/tree/$3"
	compile one/main.c one/main.o
	compile one/part/first.c one/part/libone_a-first.o
	compile two/main.c two/main.o
	compile two/second.c two/second.o
	check_exit "$([ -z "$5" ] && echo 0 || echo 1)" "check-symbols reads '$2' and '$4'" "$rule" "$tmp/tree" "$tmp/build"
	check "check-symbols prints '$5'" test "$(cat "$tmp/out")" = "$5"
	for file in "$1" "$3"; do
		sed -i '$d' "$tmp/tree/$file"
	done
}
plant one/main.c 'int main(void) { return 0; }' two/main.c 'int main(void) { return 0; }' ''
plant one/part/first.c 'static int f(void) { return 0; }' two/second.c 'static int f(void) { return 0; }' ''
plant one/part/first.c 'struct s *p;' two/second.c 'struct s { int x; };' ''
plant one/part/first.c 'int f(void) { return 0; }' two/second.c 'int f(void) { return 0; }' \
	'name f is defined in one/part/first.c, two/second.c'
plant two/main.c 'int global;' two/second.c 'int global = 1;' 'name global is defined in two/main.c, two/second.c'
plant one/part/first.c 'struct s { int x; };' two/second.h 'static const struct s { int y; } z;' \
	'tag s is defined in one/part/first.c, two/second.h'
plant one/part/first.h 'enum e { A };' two/second.c '	union e { int x; } member;' \
	'tag e is defined in one/part/first.h, two/second.c'
plant one/part/first.h 'static inline int *f(void) { return 0; }' two/second.h 'static inline int f(int a) { return a; }' \
	'name f is defined in one/part/first.h, two/second.h'
plant one/part/first.h 'KEEP_INLINE int f(void) { return 0; }' two/second.h 'static inline int f(int a) { return a; }' \
	'name f is defined in one/part/first.h, two/second.h'
plant one/part/first.h 'static inline int f(void) { return 0; }' two/second.c 'int f(void) { return 0; }' \
	'name f is defined in one/part/first.h, two/second.c'
plant one/part/first.h '#define M(a) a' two/second.h '#define M(a) (a)' 'name M is defined in one/part/first.h, two/second.h'

check_exit 2 "check-symbols refuses objects that it cannot read" env NM=false "$rule" "$tmp/tree" "$tmp/build"

# What was built from a source that is gone says nothing.
echo 'int f(void) { return 0; }' >"$tmp/tree/two/gone.c"
compile two/gone.c two/gone.o
compile two/gone.c two/second.o
rm "$tmp/tree/two/gone.c"
check "check-symbols passes over an object without a source" "$rule" "$tmp/tree" "$tmp/build"
tap_done
