#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: setup.sh [-n] [-b BUILD] [GROUP...]     groups: build test host lint cross viewer databases ci; default: build test
# Installs what this machine lacks: with apt as root on Debian; elsewhere one line names it, exit 3. test and host are all
# that make check and make check-host run, so that none of their tests skips; databases is what
# suites/memtrace/databases.toml runs; npm fetches DuckDB.
# Nothing missing: a few look-ups and no network. -n only names. An already configured BUILD looks again.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build='' only_name=no
while getopts nb: option; do
	case $option in
	n) only_name=yes ;;
	b) build=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
by='make setup'
[ $# = 0 ] || by="scripts/setup.sh $*"
[ $# -gt 0 ] || set -- build test

# Where the suite looks for it.
modules=/usr/local/lib/node_modules
duckdb=@duckdb/node-api@1.5.6-r.1

missing='' missing_module=''
need() { # PACKAGE COMMAND...
	package=$1
	shift
	for command in "$@"; do
		command -v "$command" >/dev/null 2>&1 || { missing="$missing $package"; return 0; }
	done
}
need_module() { # PACKAGE MODULE
	pkg-config --exists "$2" 2>/dev/null || missing="$missing $1"
}
# Debian's modules are those of the system's Python, whatever comes first in PATH.
need_python() { # MODULE...
	for module; do
		/usr/bin/python3 -I -c "import $module" 2>/dev/null || missing="$missing python3-$(echo "$module" | tr _ -)"
	done
}

look_build() {
	compiler=${CC:-cc}
	# Without what they recommend, gcc and clang come without headers and run-time libraries.
	need build-essential "${compiler%% *}" make
	need pkg-config pkg-config
	if ! [ -x "$top/configure" ]; then
		need autoconf autoconf
		need automake automake
	fi
	need_module libxml2-dev libxml-2.0
	need_module zlib1g-dev zlib
	need_module libhwloc-dev hwloc
	need_module liburing-dev liburing
	need_module libblkid-dev blkid
	need_module libsmartcols-dev smartcols
	need_module libgsl-dev gsl
	need_module libzstd-dev libzstd
	need_python lxml numpy scipy rich matplotlib
	# Optional, without a description for pkg-config, and not on other architectures.
	if [ -e /lib64/ld-linux-x86-64.so.2 ] && ! [ -f /usr/include/Zydis/Zydis.h ]; then
		missing="$missing libzydis-dev"
	fi
}
look_test() {
	need_module libcmocka-dev cmocka
	need libxml2-utils xmllint
	need_python jsonschema pytest hypothesis junitparser prometheus_client yaml
	need jq jq
	need strace strace
	need zsh zsh
	need fish fish
	need_module bash-completion bash-completion
	# Essential on Debian, but not in every container.
	need bsdutils script
	need util-linux setpriv prlimit taskset unshare mkswap
}
look_host() {
	look_databases
	need lvm2 pvcreate
	need e2fsprogs mkfs.ext4
	need mount losetup
	need openmpi-bin mpirun.openmpi
	need mpich mpirun.mpich
	need_python mpi4py
	need munge munged
	need slurmctld slurmctld
	need slurmd slurmd
	need slurm-client srun sinfo squeue scancel
}
look_lint() {
	need clang clang
	runtime=$(clang -print-resource-dir 2>/dev/null || true)
	[ -n "$(find "$runtime/lib" -name 'libclang_rt.fuzzer-*' 2>/dev/null)" ] || missing="$missing libclang-rt-dev"
	need clang-tidy clang-tidy
	need cppcheck cppcheck
	need codespell codespell
	need shellcheck shellcheck
	need mandoc mandoc
	need black black
	need mypy mypy
	need pycodestyle pycodestyle
	need xz-utils xz
}
look_cross() {
	need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
	need gcc-s390x-linux-gnu s390x-linux-gnu-gcc
	need qemu-user qemu-aarch64 qemu-s390x
}
look_ci() {
	need git git
	need ccache ccache
	need dpkg-dev dpkg-buildpackage
	need debhelper dh
	need dh-python dh_python3
	need lintian lintian
	need rpm rpmbuild
}
look_databases() {
	need linux-perf perf
	need sqlite3 sqlite3
	need postgresql psql
	[ -n "$(find /usr/lib/postgresql -path '*/bin/postgres' 2>/dev/null)" ] || missing="$missing postgresql"
	need valgrind valgrind
	need nodejs node
	need npm npm
	[ -f "$modules/${duckdb%@*}/package.json" ] || missing_module=$duckdb
}
look_viewer() {
	need nodejs node
	need npm npm
	need chromium chromium
}

for group; do
	case $group in
	build | test | host | lint | cross | viewer | databases | ci) "look_$group" ;;
	*) echo "setup: unknown group '$group' (build, test, host, lint, cross, viewer, databases, ci)" >&2; exit 2 ;;
	esac
done
[ -n "$missing$missing_module" ] || exit 0
missing=${missing# }
all=$missing${missing:+${missing_module:+ }}$missing_module

if [ $only_name = yes ] || [ "$(id -u)" != 0 ] || ! [ -f /etc/debian_version ] ||
	! command -v apt-get >/dev/null 2>&1; then
	echo "setup: missing: $all (run '$by' as root on Debian, or install them)" >&2
	exit 3
fi
echo "setup: installing $all"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# apt waits for dpkg's lock, but not for those of its lists and archives, which another apt may hold: try again, for
# 10 minutes at most.
apt() {
	tries=0
	until apt-get -o DPkg::Lock::Timeout=600 "$@" >"$log" 2>&1; do
		[ $tries -lt 120 ] && grep -q 'Could not get lock' "$log" || return 1
		[ $tries -gt 0 ] || echo "setup: waiting for another package manager"
		tries=$((tries + 1))
		sleep 5
	done
}
# The lists of a new machine are empty or old: fetch them only when the first try fails.
install() { # PACKAGE...
	apt install -y --no-install-recommends "$@" || { apt update && apt install -y --no-install-recommends "$@"; } || {
		cat "$log" >&2
		echo "setup: apt-get cannot install: $*" >&2
		exit 3
	}
}
# Debian would start a server with a database of its own; the suite makes its own.
clusters=/etc/postgresql-common/createcluster.conf
case " $missing " in
*' postgresql '*)
	if ! [ -e $clusters ]; then
		install postgresql-common
		sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' $clusters
	fi
	;;
esac
# Debian would start munged now, and Slurm's daemons once they are configured; the tests start their own.
services='' policy=/usr/sbin/policy-rc.d own_policy=no
for service in munge slurmctld slurmd; do
	case " $missing " in *" $service "*) services="$services $service" ;; esac
done
if [ -n "$services" ] && ! [ -e $policy ]; then
	own_policy=yes
	trap 'rm -f "$log" $policy' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
fi
# shellcheck disable=SC2086 # one word a package
[ -z "$missing" ] || install $missing
[ $own_policy = no ] || rm -f $policy
for service in $services; do update-rc.d "$service" disable >/dev/null 2>&1 || true; done
if [ -n "$missing_module" ]; then
	npm install --global --prefix "${modules%/lib/node_modules}" --ignore-scripts --no-audit --no-fund --fetch-retries=1 \
		--fetch-timeout=30000 "$missing_module" >"$log" 2>&1 || {
		cat "$log" >&2
		echo "setup: npm cannot install: $missing_module; the step duckdb of databases.toml is skipped without it" >&2
		exit 3
	}
fi
if [ -n "$build" ] && [ -x "$build/config.status" ]; then
	cd "$build"
	./config.status --recheck
	./config.status
fi
