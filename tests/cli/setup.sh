#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/setup.sh prints nothing when nothing is missing, and names missing packages in one line.
. "$top_srcdir/tests/lib/tap.sh"
setup=$top_srcdir/scripts/setup.sh

# Exactly these commands are found; -n: nothing is installed by a test.
mkdir "$tmp/bin"
for command in sh dirname id; do ln -s "$(command -v $command)" "$tmp/bin/$command"; done
fake() { printf '#!/bin/sh\nexit %s\n' "$2" >"$tmp/bin/$1" && chmod +x "$tmp/bin/$1"; }
for command in cc make autoconf automake xmllint jq strace zsh fish script setpriv prlimit taskset unshare mkswap; do fake $command 0; done
fake pkg-config 0

run() { CC=cc PATH=$tmp/bin sh "$setup" -n "$@"; }
check_exit 0 'setup ends with 0 when nothing is missing' run build test
check 'setup prints nothing when nothing is missing' test ! -s "$tmp/out" -a ! -s "$tmp/err"

rm "$tmp/bin/xmllint"
check_exit 0 'setup of the build ends with 0 without xmllint' run build
check_exit 3 'setup ends with 3 when a program is missing' run build test
check 'setup names the package of a missing program' grep -qx "setup: missing: libxml2-utils (run .*" "$tmp/err"

fake xmllint 0

fake pkg-config 1
check_exit 3 'setup ends with 3 when a library is missing' run build
check 'setup names the packages of all missing libraries in one line' grep -qx \
	'setup: missing: libxml2-dev zlib1g-dev libhwloc-dev liburing-dev libblkid-dev libsmartcols-dev libgsl-dev libzstd-dev (run .*' "$tmp/err"
check_exit 2 'setup refuses an unknown group' run kitchen
rm "$tmp/bin/zsh"
check_exit 3 'setup of the tests ends with 3 without a shell that they complete in' run test
check 'setup names the shell that a test needs' grep -q 'setup: missing: .*zsh' "$tmp/err"
fake zsh 0

# --- another package manager holds apt's locks at the first try
if [ -f /etc/debian_version ]; then
	for command in mktemp rm grep cat; do ln -sf "$(command -v $command)" "$tmp/bin/$command"; done
	fake pkg-config 0
	fake python3 0
	rm "$tmp/bin/xmllint" "$tmp/bin/id"
	printf '#!/bin/sh\necho 0\n' >"$tmp/bin/id"
	printf '#!/bin/sh\necho slept >>"%s"\n' "$tmp/calls" >"$tmp/bin/sleep"
	cat >"$tmp/bin/apt-get" <<-END
		#!/bin/sh
		echo "\$*" >>"$tmp/calls"
		grep -q slept "$tmp/calls" && exit \$FAKE_STATUS
		echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)' >&2
		exit 100
	END
	chmod +x "$tmp/bin/id" "$tmp/bin/sleep" "$tmp/bin/apt-get"
	install() { FAKE_STATUS=$1 CC=cc PATH=$tmp/bin sh "$setup" test; }
	check_exit 0 'setup waits while another process holds the locks of apt' install 0
	check 'setup says that it waits for another package manager' \
		grep -q '^setup: waiting for another package manager$' "$tmp/out"
	is 'setup tries once more after it has waited' "$(grep -c 'install.*libxml2-utils' "$tmp/calls")" 2
	rm "$tmp/calls"
	check_exit 3 'setup ends with 3 when apt fails for another reason' install 100
	check 'setup names the packages that apt-get cannot install' \
		grep -qx 'setup: apt-get cannot install: libxml2-utils' "$tmp/err"
else
	skip 'setup waits for the locks of apt' 'this is not Debian'
fi
tap_done
