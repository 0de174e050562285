#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: v2-in-qemu.sh KERNEL.deb WORK [COMMAND]
# Runs COMMAND, a line of shell (default: tests/host/in-cgroup2.sh and pressure-*.sh), as root on the kernel of a
# Debian linux-image package under qemu, with cgroup version 2 as systemd has it: for machines that have the memory
# controller on version 1. The guest sees this machine's files as they are and writes to its own memory only;
# /var/tmp is an ext4 disk. Build first, the tests too (BUILD: the folder, default build). Needs qemu-system-x86 and
# busybox-static. Exits with COMMAND's status, or 124 when there is none within QEMU_TIMEOUT seconds (1800).
# QEMU_MEMORY: default 2G; QEMU_APPEND: words for the kernel's command line. WORK gets kernel, disk and console.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
fail() {
	echo "v2-in-qemu.sh: $2" >&2
	exit "$1"
}
[ $# -ge 2 ] && [ -f "$1" ] || fail 2 'usage: v2-in-qemu.sh KERNEL.deb WORK [COMMAND]'
for need in qemu-system-x86_64 busybox dpkg-deb mkfs.ext4; do
	command -v $need >/dev/null || fail 3 "$need is missing: apt-get install qemu-system-x86 busybox-static e2fsprogs"
done
package=$1
mkdir -p "$2"
work=$(cd "$2" && pwd)
build=$(cd "${BUILD:-$source/build}" && pwd)
shift 2
# shellcheck disable=SC2016 # the guest's shell expands
all='for test in tests/host/in-cgroup2.sh tests/host/pressure-*.sh; do
	echo "# $test"
	timeout 900 sh "$test" </dev/null || echo "not ok - $test: exit status $?"
done 2>&1 | tee /run/tap
! grep "^not ok" /run/tap'

# What it takes to mount this machine's files, and what swap areas are made of.
copy_modules() { # copy_modules FROM TO: folders of one version's modules
	for part in net/9p fs/9p fs/netfs fs/fscache fs/overlayfs fs/ext4 fs/jbd2 fs/mbcache.ko lib crypto \
		arch/x86/crypto drivers/virtio drivers/block mm; do
		[ -e "$1/kernel/$part" ] || continue
		mkdir -p "$2/kernel/${part%/*}"
		cp -r "$1/kernel/$part" "$2/kernel/${part%/*}/"
	done
}

write_init() {
	cat <<'EOS'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mkdir -p /proc /sys /host /changes /new
mount -t proc proc /proc
mount -t sysfs sysfs /sys
for module in virtio_pci virtio_blk 9pnet_virtio 9p overlay ext4 crc32c_generic lz4 lzo lzo-rle zram loop; do
	modprobe $module
done 2>/dev/null
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=262144 host /host
mount -t tmpfs changes /changes
mkdir /changes/upper /changes/work
mount -t overlay -o lowerdir=/host,upperdir=/changes/upper,workdir=/changes/work root /new || poweroff -f
mount -t proc proc /new/proc
mount -t sysfs sysfs /new/sys
mount -t tracefs tracefs /new/sys/kernel/tracing
mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
mount -t devtmpfs devtmpfs /new/dev
mkdir -p /new/dev/shm /new/dev/pts
mount -t tmpfs shm /new/dev/shm
mount -t devpts devpts /new/dev/pts
mount -t tmpfs run /new/run
mount -t ext4 /new/dev/vda /new/var/tmp
cp /session /new/run/session
: >/new/run/v2-in-qemu
exec switch_root /new /bin/sh /run/session
EOS
}

# As systemd leaves a session: the memory controller is handed down to a leaf, and the caller is in it.
write_session() {
	cat <<EOS
export top_srcdir='$source' top_builddir='$build' LC_ALL=C HOME=/root
PATH='$build/pmbench:$build/with-pressure:$build/iowrite-bench':/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd '$source'
top=/sys/fs/cgroup
mkdir -p \$top/user.slice/session.scope
echo +memory >\$top/cgroup.subtree_control
echo +memory >\$top/user.slice/cgroup.subtree_control
echo 0 >\$top/user.slice/session.scope/cgroup.procs
echo "# \$(uname -sr), \$(awk '/^MemTotal/ { print \$2 }' /proc/meminfo) KiB, \$(nproc) CPUs"
(
$*
)
echo "v2-in-qemu: status \$?"
echo o >/proc/sysrq-trigger
sleep 60
EOS
}

make_initramfs() { # make_initramfs COMMAND
	root=$work/initramfs
	version=$(basename "$work"/kernel/lib/modules/*)
	rm -rf "$root"
	mkdir -p "$root/bin"
	cp "$(command -v busybox)" "$root/bin/busybox"
	copy_modules "$work/kernel/lib/modules/$version" "$root/lib/modules/$version"
	busybox depmod -b "$root" "$version"
	write_init >"$root/init"
	chmod 755 "$root/init"
	write_session "$@" >"$root/session"
	(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initramfs.gz"
}

run_guest() {
	timeout -k 5 "${QEMU_TIMEOUT:-1800}" qemu-system-x86_64 -nographic -nodefaults -no-reboot -serial stdio \
		-cpu max -smp 2 -m "${QEMU_MEMORY:-2G}" \
		-kernel "$work"/kernel/boot/vmlinuz-"$version" -initrd "$work/initramfs.gz" \
		-append "console=ttyS0 quiet panic=-1 ${QEMU_APPEND:-}" \
		-drive file="$work/disk",if=virtio,format=raw \
		-virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap </dev/null 2>&1
}

rm -rf "$work/kernel" "$work/disk"
dpkg-deb -x "$package" "$work/kernel"
make_initramfs "${@:-$all}"
truncate -s 4G "$work/disk"
mkfs.ext4 -q -F "$work/disk"
run_guest | tr -d '\r' | tee "$work/console" || true
status=$(sed -n 's/^v2-in-qemu: status //p' "$work/console" | tail -n 1)
exit "${status:-124}"
