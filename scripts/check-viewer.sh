#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-viewer.sh [PART...]     parts: bundle lint test; default: all
# memstor/viewer/: is viewer.html what its sources make, are these well-formed and well-typed, does the page work in
# a headless Chromium. What is missing here (node, npm, its packages, a browser) skips with its reason; 'scripts/setup.sh
# viewer' installs all but the packages, which npm fetches once. CHROMIUM and MEMSTOR name other programs than those found.
# Ends with automake's summary; exit 1 when something failed.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 2
[ $# -gt 0 ] || set -- bundle lint test
passed=0 failed=0 skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

skip() { # WHAT REASON
	echo "ok - $1 # SKIP $2"
	skipped=$((skipped + 1))
}
run() { # WHAT COMMAND...
	what=$1
	shift
	if "$@"; then
		echo "ok - $what"
		passed=$((passed + 1))
	else
		echo "not ok - $what"
		failed=$((failed + 1))
	fi
}
finish() {
	printf '# PASS:  %s\n# FAIL:  %s\n# SKIP:  %s\n' $passed $failed $skipped
	[ $failed = 0 ]
	exit
}

# Sets up memstor/viewer/node_modules as package-lock.json has it, if it is not.
packages() {
	cd memstor/viewer || return
	# One at a time: npm ci begins by removing what is there.
	exec 9<package-lock.json && flock 9
	[ -n "$(find node_modules/.package-lock.json -newer package-lock.json -newer package.json 2>/dev/null)" ] ||
		npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >"$log" 2>&1
}

# Files that are there, whether committed or about to be.
sources() {
	find memstor/viewer -maxdepth 1 -name '*.mjs'
	find memstor/viewer/src tests/viewer -name '*.js'
}
check_bundle() { node memstor/viewer/build.mjs --check; }
check_lint() { sources | sort | xargs node memstor/viewer/lint.mjs; }
check_types() { memstor/viewer/node_modules/.bin/tsc --project memstor/viewer/tsconfig.json; }

# Without a browser those tests that need none.
check_tests() {
	chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
	files=$(find tests/viewer -name '*.test.js' | sort)
	if [ -z "$chromium" ]; then
		for file in $(grep -l 'Browser.start' tests/viewer/*.test.js); do
			skip "$file" 'needs chromium (scripts/setup.sh viewer)'
		done
		files=$(grep -L 'Browser.start' tests/viewer/*.test.js)
	fi
	# shellcheck disable=SC2086 # one word a file
	CHROMIUM=$chromium node --test --test-reporter=tap $files >"$log" 2>&1
	status=$?
	cat "$log"
	counted=$(awk '/^# pass [0-9]+$/ { p = $3 } /^# (fail|cancelled) [0-9]+$/ { f += $3 } /^# skipped [0-9]+$/ { s = $3 }
		END { print p + 0, f + 0, s + 0 }' "$log")
	read -r p f s <<-END
		$counted
	END
	[ $status != 0 ] && [ "$f" = 0 ] && f=1
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

for part; do
	case $part in
	bundle | lint | test) ;;
	*) echo "check-viewer: unknown part '$part' (bundle, lint, test)" >&2; exit 2 ;;
	esac
done
version=$(node --version 2>/dev/null || true)
version=${version#v}
if [ "${version%%.*}" -lt 18 ] 2>/dev/null || [ -z "$version" ] || ! command -v npm >/dev/null 2>&1; then
	skip viewer 'needs node 18 and npm (scripts/setup.sh viewer)'
	finish
fi
if ! (packages); then
	if grep -qE 'EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONN|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET' "$log"; then
		skip viewer 'npm cannot fetch its packages: no network'
	else
		cat "$log"
		run "npm ci in memstor/viewer" false
	fi
	finish
fi
for part; do
	case $part in
	bundle) run 'viewer.html and THIRD-PARTY are what their sources make' check_bundle ;;
	lint)
		run 'form of the sources' check_lint
		run 'types of the sources' check_types
		;;
	test) check_tests ;;
	esac
done
finish
