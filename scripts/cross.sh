#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: cross.sh ARCH WORK     builds the suite for another Debian architecture (arm64, s390x, ...) in the folder
# WORK and runs its unit tests under qemu-user. The libraries are fetched by apt into a root of their own below
# WORK: this machine's package database stays as it is, no foreign architecture is added to it.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
arch=$1
mkdir -p "$2"
work=$(cd "$2" && pwd)
case $arch in
arm64) cpu=aarch64 ;;
*) cpu=$arch ;;
esac
triplet=$cpu-linux-gnu
root=$work/root-$arch
packages='libc6-dev libc-bin libxml2-dev zlib1g-dev libhwloc-dev liburing-dev libblkid-dev libsmartcols-dev libgsl-dev libzstd-dev libcmocka-dev'

foreign_apt() {
	apt-get -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$work/apt/state" \
		-o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt/cache" -o Debug::NoLocking=1 \
		-o APT::Sandbox::User=root "$@"
}

fetch_root() {
	mkdir -p "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial"
	: >"$work/apt/status"
	foreign_apt update
	# Nothing is installed: the archives are only unpacked.
	# shellcheck disable=SC2086 # one word a package
	foreign_apt install -y --no-install-recommends --download-only $packages
	mkdir -p "$root.new"
	for archive in "$work"/apt/cache/archives/*.deb; do
		dpkg-deb -x "$archive" "$root.new"
	done
	rm -rf "$work/apt"
	mv "$root.new" "$root"
}
[ -d "$root" ] || fetch_root

lib=$root/usr/lib/$triplet
PKG_CONFIG_LIBDIR=$lib/pkgconfig:$root/usr/share/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
# The host's linker does not search the folders of shared libraries' own needs in a foreign root.
needs="-Wl,-rpath-link=$lib -Wl,-rpath-link=$root/lib/$triplet"

[ -x "$source/configure" ] || (cd "$source" && ./autogen.sh)
mkdir -p "$work/build-$arch"
cd "$work/build-$arch"
[ -f config.status ] || "$source/configure" --quiet --host="$triplet" --enable-werror \
	CC="$triplet-gcc --sysroot=$root" CFLAGS='-g -O2' LDFLAGS="$needs"
# The options of the manual pages are printed by the programs.
export RUN_FOREIGN="qemu-$cpu -L $root -E LD_LIBRARY_PATH=$lib:$root/lib/$triplet"
make -j"$(nproc)" all
# Its own loader finds the libraries. With `qemu -L` absolute paths would lead into the foreign root, where that has them.
loader=$root$(readelf -l pmbench/pmbench | sed -n 's/.*program interpreter: \(.*\)]/\1/p')
# The locale's file is of an architecture, too.
UNIT_EMULATOR="qemu-$cpu -E LOCPATH=$root/usr/lib/locale $loader --library-path $lib:$root/lib/$triplet"
TEST_TIMEOUT=600
export UNIT_EMULATOR TEST_TIMEOUT
make -j"$(nproc)" check-unit
