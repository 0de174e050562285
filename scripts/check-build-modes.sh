#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-build-modes.sh [MODE...]     ways to build that are easily broken, in fresh clones of HEAD.
# No mode: all. Prints TAP (and "# PASS: n" as automake does); exit 1 when a mode failed. Needs git, no root. SWAP_LOCK:
# a file that is locked while swap areas are made.
# docs/adr/0001-build.md says what each mode is for.
set -u
# `make results` as a mode of the build, not as a measurement: of steps that take their seconds on any machine.
export RESULTS_RUNS=1 RESULTS_SECONDS=1 RESULTS_MAP_MIB=64 RESULTS_SUITES=paper-pmbench
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export MAKEFLAGS="${MAKEFLAGS:--j$(nproc)}"
# One quick test stands for the suite, and its program for those of the others: how they are built is what is asked here,
# not what they answer. `make check` of everything is CI's stage `fresh`; check-dist.sh compares the files of the package.
one="TESTS=tests/unit/test_rng"
all_programs=$MAKEFLAGS
export MAKEFLAGS="$MAKEFLAGS check_PROGRAMS=tests/unit/units_common"
# One that reads what a package brings along (suites, schemas, completion): from elsewhere, read-only.
packed="$one tests/cli/completion.sh tests/companion/test_cli.py"

fresh() { # a clone in $work/NAME, unless another mode made it; the current folder from now on
	[ -d "$work/$1" ] || git clone -q "$top" "$work/$1"
	cd "$work/$1" || return
}
clean_tree() {
	[ -z "$(git status --porcelain)" ] || { git status --porcelain; echo "the tree is not clean"; return 1; }
}
refused() { # TEXT COMMAND...: fails and says TEXT
	text=$1
	shift
	if "$@" >"$work/refused" 2>&1; then
		echo "should be refused: $*"
		return 1
	fi
	grep -qF "$text" "$work/refused" || { cat "$work/refused"; return 1; }
}

front_door() { # goals go one after another, each parallel; phony names that are folders; one file; variables
	fresh front && ${SWAP_LOCK:+flock "$SWAP_LOCK"} make -j8 all check results "$one" && make pmbench/pmbench && clean_tree
}
install_goal() { # DESTDIR holds the programs, their pages and completion, and nothing outside the prefix
	fresh front && make install DESTDIR="$work/root" && test -x "$work/root/usr/local/bin/pmbench" &&
		test -f "$work/root/usr/local/share/doc/memstor/README.md" &&
		for path in "$work"/root/usr/local/bin/*; do
			test -f "$work/root/usr/local/share/bash-completion/completions/${path##*/}" &&
				test -f "$work/root/usr/local/share/fish/vendor_completions.d/${path##*/}.fish" &&
				test -f "$work/root/usr/local/share/man/man1/${path##*/}.1" || return
		done && test -f "$work/root/usr/local/share/zsh/site-functions/_memstor" &&
		make uninstall DESTDIR="$work/root" && test -z "$(find "$work/root" -type f)" &&
		make install DESTDIR='../a stage' && test -x "$work/a stage/usr/local/bin/pmbench" &&
		make uninstall DESTDIR='../a stage' && test -z "$(find "$work/a stage" -type f)" &&
		DESTDIR=../stage make install && test -x "$work/stage/usr/local/bin/pmbench" && clean_tree
}
tests_bite() { # a failing test and a hanging test are seen
	fresh front && make check "$one" || return 1
	printf '#!/bin/sh\necho 1..1\necho "not ok 1 - planted"\n' >tests/cli/setup.sh
	refused 'FAIL: tests/cli/setup.sh 1 - planted' make check TESTS=tests/cli/setup.sh || return 1
	printf '#!/bin/sh\necho 1..1\nsleep 60\n' >tests/cli/setup.sh
	refused 'exited with status 124' env TEST_TIMEOUT=1 make check TESTS=tests/cli/setup.sh || return 1
	git checkout -q tests/cli/setup.sh
}
regenerate() { # touching what automake reads makes the build files again; what make clean and distclean leave
	fresh front && make && touch common/common.am && make >"$work/log" && grep -q automake "$work/log" &&
		touch configure.ac && make >"$work/log" 2>&1 && grep -q autoconf "$work/log" && clean_tree &&
		make clean && make V=1 CFLAGS=-O1 common/base/units.o | grep -q -e ' -O1 ' &&
		clean_tree && make distclean && test ! -e build && clean_tree
}
in_place() { # the classic three commands, quickly compiled: no earlier object has these paths; then the front door again
	fresh place && ./autogen.sh && ./configure --quiet CFLAGS=-O0 && make && make check "$one" && clean_tree &&
		refused "run 'make distclean' first" make asan &&
		refused 'configured in place' make -f Makefile all &&
		make distclean && clean_tree && make common/base/units.o
}
# One tarball: it has every file; it builds and is tested in another folder, itself read-only, is installed and removed, and
# leaves nothing (distcheck). As nobody when root, who could write into the read-only source.
tarball() {
	fresh dist || return 1
	export MAKEFLAGS="$all_programs"
	if [ "$(id -u)" = 0 ]; then
		chown -R 65534:65534 . && chmod 755 "$work" &&
			setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work" make distcheck "$packed" || return 1
	else
		make distcheck "$packed" || return 1
	fi
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' ./scripts/check-dist.sh "$(echo build/memstor-*.tar.xz)"
}
unpacked() { # without autotools: the front door
	set -- "$work"/dist/build/memstor-*.tar.xz
	[ -f "$1" ] || { fresh dist && make dist && set -- "$work"/dist/build/memstor-*.tar.xz; } || return 1
	mkdir "$work/unpacked" && tar -C "$work/unpacked" -xf "$1" && cd "$work"/unpacked/memstor-* &&
		make AUTOCONF=false AUTOMAKE=false AUTOHEADER=false ACLOCAL=false check "$one" && make distclean
}

[ $# -gt 0 ] || set -- install_goal tests_bite in_place tarball unpacked front_door regenerate
number=0 failed=0
for mode; do
	number=$((number + 1))
	if ("$mode") >"$work/$mode.log" 2>&1 </dev/null; then
		echo "ok $number - $mode"
	else
		echo "not ok $number - $mode"
		{ grep -E '^(FAIL|ERROR):' "$work/$mode.log"; tail -n 25 "$work/$mode.log"; } | sed 's/^/#   /'
		failed=$((failed + 1))
	fi
	cd "$top" || exit 1
done
echo "1..$number"
echo "# PASS: $((number - failed))"
echo "# FAIL: $failed"
[ $failed = 0 ]
