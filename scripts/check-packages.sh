#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-packages.sh     the packages of HEAD: whether two builds are equal, whether lintian finds nothing, and whether what
# they install works. Prints TAP (and "# PASS: n" as automake does); exit 1 when a check failed. Needs what `setup.sh ci build
# test` installs, and no network. Root alone installs: dpkg runs in a mount namespace, on an overlay of this machine.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
jobs=$(nproc)
export MAKEFLAGS="${MAKEFLAGS:--j$jobs}" LC_ALL=C
unset SOURCE_DATE_EPOCH TAR_OPTIONS XZ_OPT
one=tests/unit/test_rng # stands for the suite, as in check-build-modes.sh

as_nobody() { # COMMAND...: from the current folder, which is nobody's then, when the caller is root
	if [ "$(id -u)" = 0 ]; then
		chown -R 65534:65534 .
		set -- setpriv --reuid 65534 --regid 65534 --clear-groups env -u TMPDIR HOME="$work" "$@"
	fi
	"$@"
}
unpack() { # FOLDER: the tarball's tree in it, the current folder from now on
	mkdir -p "$work/$1" && tar -C "$work/$1" -xf "$tarball" && cd "$work/$1" && cd memstor-* || return
}

# A clone, and its tarball: another folder, user, umask and time zone, and files of another date.
equal_tarballs() {
	git clone -q "$top" "$work/clone" && cd "$work/clone" && make dist CONFIGURE_ARGS=--enable-werror &&
		mv build/memstor-*.tar.xz "$work" || return
	tarball=$(echo "$work"/memstor-*.tar.xz)
	unpack some/where/else && find . -type f -exec touch -d 2001-02-03 {} + && chmod -R go= . &&
		as_nobody env TZ=Asia/Kathmandu sh -c 'umask 077 && make dist CONFIGURE_ARGS=--enable-werror' &&
		cmp build/memstor-*.tar.xz "$tarball"
}
# A compilation is taken from ccache only if it does not depend on the folder.
build_deb() { # FOLDER UMASK TIMEZONE
	unpack "$1" && cd .. && as_nobody env -u CCACHE_BASEDIR -u CCACHE_NOHASHDIR TZ="$3" \
		DEB_BUILD_OPTIONS="nocheck parallel=$jobs" sh -c "umask $2 && cd memstor-* && dpkg-buildpackage -b -us -uc"
}
equal_debs() {
	(build_deb deb 022 UTC) || return
	build_deb another/folder/deb 077 Asia/Kathmandu && set -- *.deb && [ $# = 2 ] || return
	for package; do cmp "$package" "$work/deb/$package" || return; done
}
lintian_is_silent() {
	cd "$work/deb" && as_nobody lintian --fail-on error,warning memstor_*.changes
}
installed() {
	rm -rf "$work/root" && mkdir -p "$work/root" "$work/test" && cd "$work" && unshare -m sh -e -c '
		mount -t tmpfs none root
		mkdir root/upper root/work root/all
		mount -t overlay -o lowerdir=/,upperdir=root/upper,workdir=root/work none root/all
		for folder in proc sys dev; do mount --rbind /$folder root/all/$folder; done
		mkdir -p root/all/mnt/deb root/all/mnt/test root/all/mnt/source
		mount --bind deb root/all/mnt/deb
		mount --bind test root/all/mnt/test
		mount --bind clone root/all/mnt/source
		chroot root/all sh -e -c "
			dpkg -i /mnt/deb/memstor_*.deb
			cd /mnt/source
			AUTOPKGTEST_TMP=/mnt/test debian/tests/smoke
			cd /
			dpkg -P memstor"
		# A removed file of the lower tree is a character device.
		find root/upper -path "*memstor*" ! -type c | grep -v "^root/upper/mnt\|/var/lib/dpkg\|/var/log" && exit 1
		exit 0'
}
rpm_package() {
	mkdir "$work/rpm" && cd "$work/rpm" && echo enable_werror=yes >site && as_nobody env CONFIG_SITE="$PWD/site" \
		rpmbuild -ta --nodeps --define "_topdir $PWD" --define 'debug_package %{nil}' --define 'optflags -g -O2' \
		--define "check_tests $one" "$tarball" && rpm -qpl RPMS/*/*.rpm | grep -x /usr/bin/memstor
}

number=0 failed=0 skipped=0
for check in equal_tarballs equal_debs lintian_is_silent installed rpm_package; do
	number=$((number + 1))
	if [ $check = installed ] && ! unshare -m true 2>/dev/null; then
		echo "ok $number - $check # SKIP needs root and mount namespaces"
		skipped=$((skipped + 1))
	elif (tarball=$(echo "$work"/memstor-*.tar.xz) && "$check") >"$work/$check.log" 2>&1 </dev/null; then
		echo "ok $number - $check"
	else
		echo "not ok $number - $check"
		{ grep -E '^(FAIL|ERROR|E|W):' "$work/$check.log"; tail -n 25 "$work/$check.log"; } | sed 's/^/#   /'
		failed=$((failed + 1))
	fi
done
echo "1..$number"
echo "# PASS: $((number - failed - skipped))"
echo "# FAIL: $failed"
echo "# SKIP: $skipped"
[ $failed = 0 ]
