#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The front door (Makefile) runs the goals of README on all CPUs unless the caller gives -j, and make prints no warning.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
cp "$top_srcdir/Makefile" "$top_srcdir/maint.mk" .
mkdir build scripts
touch configure build/config.status
printf '#!/bin/sh\n' >scripts/setup.sh
chmod +x scripts/setup.sh
# In place of the configured tree: a goal prints the jobs that it may start.
cat >build/GNUmakefile <<'END'
all check demo check-host: ; @echo '$@ $(filter -j%,$(MAKEFLAGS))'
END
# Without the flags of the make that runs this test.
front() { env -i PATH="$PATH" "$@" 2>&1; }
cpus=$(front nproc)

is 'make builds on all CPUs' "$(front make)" "all -j$cpus"
is 'make demo builds on all CPUs' "$(front make demo)" "demo -j$cpus"
is 'make check runs two tests per CPU' "$(front make check)" "check -j$((2 * cpus))"
is 'each of two goals has its number of jobs' "$(front make all check | tr '\n' ' ')" "all -j$cpus check -j$((2 * cpus)) "
for goal in all check demo check-host; do
	for jobs in -j1 -j3 -j; do
		is "make $jobs $goal is respected" "$(front make $jobs $goal)" "$goal $jobs"
	done
	is "make -k --jobs=3 $goal is respected" "$(front make -k --jobs=3 $goal)" "$goal -j3"
	is "-j3 in MAKEFLAGS is respected by make $goal" "$(front MAKEFLAGS=-j3 make $goal)" "$goal -j3"
done
tap_done
