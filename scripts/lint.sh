#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: lint.sh [-b BUILD] [CHECK...]     checks: style includes spelling shell tidy analyzer cppcheck python viewer; default: all
# BUILD is a configured folder (its config.h is read). Every check runs; exit 1 when one found something.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
while getopts b: option; do
	case $option in
	b) build=$(cd "$OPTARG" && pwd) ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- style includes spelling shell tidy analyzer cppcheck python viewer
cd "$top"
git rev-parse --git-dir >/dev/null 2>&1 || { echo "lint: needs a clone, this is no git tree" >&2; exit 3; }
./scripts/setup.sh build test lint
jobs=$(nproc)

# Committed files, and those about to be; a deleted one is still listed by git.
files() {
	git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
		[ -f "$file" ] && echo "$file"
	done
}
flags="-std=gnu11 -I$top -I$build -DHAVE_CONFIG_H -DMEMTRACE_LIBRARIES=__FILE__ $(pkg-config --cflags libxml-2.0 hwloc blkid gsl smartcols cmocka)"

check_style() {
	files | xargs ./scripts/check-style.sh .
}
check_includes() {
	status=0
	./scripts/check-includes.sh . || status=1
	./scripts/check-includes.sh --cycles . || status=1
	./scripts/check-symbols.sh . "$build" || status=1
	return $status
}
check_spelling() {
	status=0
	files | grep -vE '^(COPYING|tests/(fixtures|golden|fuzz/corpus-[^/]*)/|results/)' | grep -vE '^memstor/viewer/(viewer.html|THIRD-PARTY|package-lock.json)$' | xargs codespell -L inflight,blockin,nam,upto,whats || status=1
	# Words that have a term of the field, also in names.
	files '*.c' '*.h' '*.sh' '*.am' | xargs codespell -D .words -r '[A-Za-z]+' || status=1
	return $status
}
check_shell() {
	status=0
	files | grep -v '^tests/' | xargs grep -lE '^#!.*\b(ba)?sh\b' |
		xargs -P "$jobs" -n 8 shellcheck -x -S warning || status=1
	# What the makefile exports to tests looks unassigned.
	files 'tests/*.sh' | xargs -r -P "$jobs" -n 8 shellcheck -x -S warning -s sh -e SC1091,SC2154 || status=1
	return $status
}
# What clang-tidy reads from one statement; takes 0.2 s a file.
check_tidy() {
	files '*.c' | xargs -P "$jobs" -n 8 sh -c 'clang-tidy --quiet --checks="-clang-analyzer-*" "$@" -- '"$flags"' 2>/dev/null' tidy
}
# What its analyzer finds along paths takes 2 s a file and more. LINT_PART=N/OF: this part of the files alone.
check_analyzer() {
	part=${LINT_PART:-0/1}
	# One file a call: with several, clang-tidy 14 sees uninitialised va_lists everywhere.
	files '*.c' | awk -v part="${part%/*}" -v of="${part#*/}" 'NR % of == part % of' |
		xargs -P "$jobs" -n 1 sh -c 'clang-tidy --quiet "$@" -- '"$flags"' 2>/dev/null' tidy
}
check_cppcheck() {
	# What the compiler flags say about system headers means nothing to cppcheck.
	files '*.c' | cppcheck -q -j "$jobs" --std=c11 --language=c --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability --suppressions-list=.cppcheck \
		-I "$top" -I "$build" -DHAVE_CONFIG_H -D__x86_64__ --file-list=-
}
# The package: black's form, the types, and what both leave (pycodestyle's other rules are black's). The tests have the form.
check_python() {
	status=0
	files 'memstor/*.py' 'tests/companion/*.py' | xargs black -q --check --config memstor/pyproject.toml || status=1
	files 'memstor/*.py' 'tests/companion/*.py' | xargs pycodestyle --max-line-length=110 --ignore=E101,E203,E704,E731,W191,W503 || status=1
	files 'memstor/*.py' | grep -v /examples/ | xargs mypy --config-file memstor/pyproject.toml || status=1
	return $status
}
# The page's sources, and that the committed bundle is theirs.
check_viewer() {
	./scripts/check-viewer.sh bundle lint
}

failed=
for check; do
	case $check in
	style | includes | spelling | shell | tidy | analyzer | cppcheck | python | viewer) ;;
	*) echo "lint: unknown check '$check'" >&2; exit 2 ;;
	esac
	echo "lint: $check"
	"check_$check" || failed="$failed $check"
done
[ -z "$failed" ] || { echo "lint: findings by:$failed" >&2; exit 1; }
